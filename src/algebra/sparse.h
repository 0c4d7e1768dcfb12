// algebra/sparse.h -- sparse matrices by rows (CSR), built from a known pattern of couplings.
//
// Vectors of several right-hand sides are stored as lanes: x[row * lanes + lane]. A product of
// eight lanes costs little more than one, which is how equal bodies are advanced together.

#ifndef ALGEBRA_SPARSE_H
#define ALGEBRA_SPARSE_H

#include <stdint.h>

#include "base/mem.h"

typedef struct {
  int n;
  int64_t *ptr; // [n + 1]
  int32_t *col; // [ptr[n]] increasing in a row
  double *val;  // [ptr[n]]
} Sparse;

// Pattern of couplings from groups of unknowns: group g couples item[ptr[g]] .. item[ptr[g+1]-1]
// with one another (the nodes of an element); every item carries `per` unknowns. Values are zero.
Status sparse_from_groups(Sparse *a, int n_items, int per, int n_groups, const int32_t *group_ptr,
                          const int32_t *group_item, Err *err) MUST_CHECK;
void sparse_free(Sparse *a);
Status sparse_copy(Sparse *to, const Sparse *from, Err *err) MUST_CHECK;

// Position of entry (row, col) in val; -1 if it is not in the pattern.
int64_t sparse_find(const Sparse *a, int row, int col);

// y = A x for `lanes` right-hand sides.
void sparse_multiply(const Sparse *a, int lanes, const double *x, double *y);

#endif
