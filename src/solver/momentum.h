// solver/momentum.h -- Nesterov's extrapolation of a fixed-point iteration x -> g(x), with restart.
//
// For symmetric sweeps (one forth, one back), which are gradient steps in the metric of their own
// splitting where no status changes: the slow modes of a high or stiff wall then need about the
// square root of the sweeps (Nesterov 1983). Sweeps forth only are no gradient and diverge under
// it. The inertia starts afresh when the step turns against the residual (O'Donoghue and Candes
// 2015), or when the residual has grown since the last look, or much: where friction makes the
// problem unlike a minimisation, only the second keeps it from oscillating.

#ifndef SOLVER_MOMENTUM_H
#define SOLVER_MOMENTUM_H

#include "base/arena.h"

typedef struct {
  int n;
  double *last;    // [n] g of the last step
  double *sums;    // scratch of the sums
  double inertia;  // Nesterov's t, 1 at a restart
  double beta;     // of the last extrapolation x = g + beta (g - last)
  double residual; // |g - x|^2 at the last look, infinite before the first
  double least;    // the least since the start
  int since;       // steps since the restart
} Momentum;

Status momentum_init(Momentum *m, int n, Arena *arena, Err *err) MUST_CHECK;

// Starts afresh at x.
void momentum_start(Momentum *m, const double *x);

// g = g(x): x becomes the point where g is wanted next. Returns |g - x| / |g|.
double momentum_step(Momentum *m, double *x, const double *g);

#endif
