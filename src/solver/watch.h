// solver/watch.h -- what every iterative solver does beside iterating: test, keep the best, report.
//
// And the few operations on all contacts that methods of projection are made of.

#ifndef SOLVER_WATCH_H
#define SOLVER_WATCH_H

#include "solver/judge.h"

typedef struct {
  const Problem *p;
  const SolverSettings *settings;
  SolverReport *report;
  size_t size;   // n dim
  double *scale; // [n] 1/|D_a|, of the measure and as the step of single contacts
  double *best;  // [n dim]
  Judge judge;
  double best_error;   // as the settings judge it
  int means_something; // of the best, see measure.h
} Watch;

// Starts the report; r is the first best iterate, not yet tested.
Status watch_init(Watch *watch, const Problem *p, const SolverSettings *settings, const double *r,
                  Arena *arena, SolverReport *report, Err *err) MUST_CHECK;
// Judged error of r; keeps r when it is the best. Runaways count as infinite.
double watch_test(Watch *watch, const double *r);
// The same where the velocities u = W r + b are known: costs nothing to speak of.
double watch_test_known(Watch *watch, const double *r, const double *u);
// Counts an iteration; 0 when the cap was reached before.
int watch_next(Watch *watch);
int watch_converged(const Watch *watch);
// Best iterate into r, verdict into the report.
void watch_finish(Watch *watch, double *r);

// u = W r + b of all contacts; counted.
void watch_velocity(Watch *watch, const double *r, double *u);
// One contact: z = P(r - step (u + mu |u_T| e_N)), De Saxce and Feng 1998.
void watch_project(const Problem *p, int i, double step, const double *r, const double *u,
                   double *z);
// Largest eigenvalue of D^-1 W with D = |D_a|: a few steps of the power method, a little rounded
// up.
double watch_spectrum(Watch *watch, double *x, double *y);

#endif
