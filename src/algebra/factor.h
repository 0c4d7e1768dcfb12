// algebra/factor.h -- the factor of a sparse symmetric matrix whose values change often.
//
// The analysis (METIS ordering, CHOLMOD supernodal) is kept while the pattern stays. A matrix that
// is not positive definite is factorised as L D L^T without pivoting instead, which stands mildly
// indefinite ones; negative pivots are counted. The same matrix once more costs nothing. Vectors
// are columns, one after the other.

#ifndef ALGEBRA_FACTOR_H
#define ALGEBRA_FACTOR_H

#include "algebra/sparse.h"

typedef struct Factor Factor;

Status factor_new(Factor **factor, Err *err) MUST_CHECK;
void factor_free(Factor *factor);

// Factorises a; `fresh` says that its pattern may differ from that of the last call. Only the upper
// triangle of a is read. With `positive` a matrix that is not positive definite is ERR_NUMERIC,
// else only a singular one; and one with an entry that is not finite. *row is then the row (from 0)
// as far as known, else -1; row may be NULL.
Status factor_make(Factor *factor, const Sparse *a, int fresh, int positive, int *row,
                   Err *err) MUST_CHECK;

// x[n_columns * n] = A^-1 b; x and b may not overlap. Allocates nothing once it has been called for
// that many columns.
Status factor_solve(Factor *factor, int n_columns, const double *b, double *x, Err *err) MUST_CHECK;

#endif
