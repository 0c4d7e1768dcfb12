// solver/block_lu.h -- LU factors of a sparse matrix of dim x dim blocks with the pattern of W.
//
// No pivoting between blocks (rows of stick and slip are dominated by their own block); inside a
// diagonal block there is. The pattern is analysed once per problem, with the approximate minimum
// degree ordering; factors of one pattern follow one another as statuses change. Rows that are
// empty but for their diagonal block (open contacts) cost nothing. Patterns that fill much are
// factored in dense fronts (fronts.h), others row by row.

#ifndef SOLVER_BLOCK_LU_H
#define SOLVER_BLOCK_LU_H

#include "solver/fronts.h"

typedef struct {
  int made;               // 1: ready
  int dim, n, size;       // size: doubles of a stored block, 4 in the plane, 12 in space
  int32_t *perm, *place;  // [n] contact at a place, place of a contact
  int64_t *l_ptr, *u_ptr; // [n + 1]
  int32_t *l_col, *u_col; // increasing in a row, strictly below and above the diagonal
  double *l, *u;          // blocks
  double *inverse;        // [n * size] of the diagonal blocks of U
  double *work;           // [n * size] the row being made
  double *x;              // [n * dim] scratch of the solve
  uint8_t *empty;         // [n] 1: the row of U is empty
  int64_t updates;        // block products of one full factorisation: its cost
  int in_fronts; // 1: the numbers are in `fronts`, l, u and what belongs to them are not made
  Fronts fronts;
} BlockLu;

// Analyses the pattern of p. Memory from the arena. Where the factors would hold more than
// BLOCK_LU_LARGEST blocks nothing is made and lu->made stays 0.
enum { BLOCK_LU_LARGEST = 1 << 24 };
Status block_lu_init(BlockLu *lu, const Problem *p, Arena *arena, Err *err) MUST_CHECK;

// Rows left_i W_ij (j != i) and left_i D_i + right_i on the diagonal; left, right [n * dim * dim].
// Returns 0 when a diagonal block is singular. Adds the products to *blocks.
int block_lu_factor(BlockLu *lu, const Problem *p, const double *left, const double *right,
                    int64_t *blocks);

// Sign of the determinant of what was factored.
int block_lu_sign(const BlockLu *lu);

// x = A^-1 b, both [n * dim] in the order of the contacts; they may be the same.
void block_lu_solve(const BlockLu *lu, const double *b, double *x);

#endif
