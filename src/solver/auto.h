// solver/auto.h -- what the parts of `auto` share: its driver, and what they ask of one another.
//
// solver_auto.c goes by the scaled error, auto_rigid.c by the velocities of rigid bodies that
// stand, auto_deformation.c by the energy of deformation. The best impulses are those with the
// least error so far; what comes next starts there or from where its method has been.

#ifndef SOLVER_AUTO_H
#define SOLVER_AUTO_H

#include "solver/anderson.h"
#include "solver/judge.h"
#include "solver/momentum.h"
#include "solver/proximal.h"
#include "solver/standing.h"

enum {
  AUTO_MEMORY = 3,  // of the mixing: more cost more than they save on walls
  AUTO_WINDOW = 15, // sweeps between two looks at the rate
  AUTO_PAUSE = 3,   // sweeps between a test that failed and the next
};
static const double AUTO_MIX_COST = 1.5; // a mixed sweep in plain sweeps

typedef struct {
  const Problem *p;
  Problem whole; // p by blocks, once factors are wanted
  const SolverSettings *settings;
  SolverReport *report;
  Sweeper sweeper;
  Anderson mix;
  Momentum momentum;
  Newton newton;
  Proximal proximal;
  Judge judge;
  Standing standing;
  int newton_ready;
  int rigid;          // 1: all bodies are, and factors of their size can be had
  int settles;        // 1: `standing` is ready, and bodies have not been found to move
  int settled;        // 1: that has been enough
  int64_t rigid_cost; // of a factor of their size
  size_t size;        // n dim
  double *best, *x, *g, *step;
  double best_error;
  int means_something; // of the best, see measure.h
  int64_t sweep_cost, step_cost;
  int64_t most_blocks; // of the report, at which what goes on is given up
} AutoDriver;

int auto_converged(const AutoDriver *driver);
int auto_done(const AutoDriver *driver); // converged, or out of iterations or blocks

// Keeps r, tested last, if it is the best so far.
void auto_keep(AutoDriver *driver, const double *r, double error);
// Full test; keeps the iterate if it is the best so far. Returns its error.
double auto_test(AutoDriver *driver, const double *r);

// Newton's method on all contacts is ready after it; where its factors would be too large
// newton.lu.made is NULL.
Status auto_prepare_newton(AutoDriver *driver, Arena *arena, Err *err) MUST_CHECK;

// Mixed sweeps from x. Returns when done, or when another method is cheaper at the present rate
// (Newton: at several looks in a row).
Status auto_sweeps(AutoDriver *driver, Arena *arena, Err *err) MUST_CHECK;

// Interior points from their own start, to this error; their result is kept when it is the best.
Status auto_interior(AutoDriver *driver, double tolerance, Arena *arena, Err *err) MUST_CHECK;

// Rigid bodies: what stands, sweeps, interior points; *tried: 0 where there are none of these, or
// forces are few. Where all that fails, what follows goes by W.
Status auto_rigid(AutoDriver *driver, int *tried, Arena *arena, Err *err) MUST_CHECK;

// Judged by the energy of deformation, from the impulses `start` of the last step.
Status auto_deformation(AutoDriver *driver, const double *start, Arena *arena, Err *err) MUST_CHECK;

#endif
