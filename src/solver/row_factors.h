// solver/row_factors.h -- factors of left_i W_ij + right_i, row by row of contacts: of blocks of W,
// or where bodies are rigid and right_i regular, of what is left of them in the velocities of the
// bodies, 1 + L^T right^-1 left L (body_system.h).

#ifndef SOLVER_ROW_FACTORS_H
#define SOLVER_ROW_FACTORS_H

#include "solver/body_system.h"

typedef struct {
  const Problem *p;
  int made;      // 0: the factors would be too large
  int by_bodies; // 1: `system`, else `lu`
  BlockLu lu;
  BodySystem system;
  double *inverse, *j; // [n * dim^2] right^-1, right^-1 left
  double *own;         // [n * dim] right^-1 b
  double *v;           // [n_bodies * modes]
} RowFactors;

Status row_factors_init(RowFactors *factors, const Problem *p, SolverKept *kept, Arena *arena,
                        Err *err) MUST_CHECK;

// Returns 0 where they are singular; left, right [n * dim * dim]. Adds the work to *blocks.
int row_factors_make(RowFactors *factors, const double *left, const double *right, int64_t *blocks);
// x = (left W + right)^-1 b, both [n * dim]; they may be the same.
void row_factors_solve(RowFactors *factors, const double *b, double *x, int64_t *blocks);

#endif
