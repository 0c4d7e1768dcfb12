// solver/kept.h -- what a solver keeps from one problem for the next: the analysis of the pattern
// of W, which contacts that stay as they are share. A pure function of the pattern: results do not
// depend on it.

#ifndef SOLVER_KEPT_H
#define SOLVER_KEPT_H

#include "solver/block_lu.h"

// Who factors: the judge's factors stay while a solver makes others, and those in the velocities of
// rigid bodies have a pattern of their own.
typedef enum { FACTORS_OF_SOLVER, FACTORS_OF_JUDGE, FACTORS_OF_BODIES, N_FACTORS } FactorsOf;

typedef struct {
  Arena arena;
  int dim, n; // of the pattern; n = 0: none yet
  int64_t *ptr;
  int32_t *col;
  BlockLu lu; // analysed for it
} KeptFactors;

struct SolverKept {
  KeptFactors of[N_FACTORS];
  int analyses; // so far
};

// As block_lu_init. With `kept` not NULL the factors live there, until the next problem.
Status kept_factors(SolverKept *kept, FactorsOf of, BlockLu *lu, const Problem *p, Arena *arena,
                    Err *err) MUST_CHECK;

void kept_free(SolverKept *kept);

#endif
