// solver/anderson.h -- acceleration of a fixed-point iteration x <- g(x) by its last few steps.
//
// Anderson's mixing (Walker and Ni 2011, type II): the next iterate is the combination of the last
// g's whose residuals f = g - x cancel best. On a linear iteration it is GMRES; on sweeps over
// contacts it becomes that once the statuses have settled. It restarts when residuals grow.

#ifndef SOLVER_ANDERSON_H
#define SOLVER_ANDERSON_H

#include "base/arena.h"

typedef struct {
  int n;            // unknowns
  int memory, held; // steps looked back on, differences held
  int next;         // where the next difference goes
  int started;      // 1: x_old, f_old hold a step
  double best;      // smallest |f| since the start
  double *dg, *df;  // [memory * n] differences of g and f
  double *gram;     // [memory * memory] df . df
  double *g, *f;    // [n] of the last step
  double *f_old;    // [n] of the one before
  double *product;  // [1 + 2 memory] |f|^2, df . df_j with the newest df, df_j . f
  double *sums;     // the same for each chunk of unknowns
  double *solve;    // [memory * (memory + 2)] scratch
} Anderson;

Status anderson_init(Anderson *a, int n, int memory, Arena *arena, Err *err) MUST_CHECK;
void anderson_restart(Anderson *a);

// x: iterate, g = g(x). Writes the next iterate into x. Returns |g - x|.
double anderson_step(Anderson *a, double *x, const double *g);

#endif
