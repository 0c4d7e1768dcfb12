// solver/judge.h -- the error that the tolerance is held against: by the settings the scaled one
// (measure.h) or that in the energy of deformation (deformation.h). Problems that do not say what
// deforms are judged by the scaled one.

#ifndef SOLVER_JUDGE_H
#define SOLVER_JUDGE_H

#include "solver/deformation.h"

extern const char JUDGE_RUNAWAY[]; // reason for the report

typedef struct {
  const Problem *p;
  const double *scale; // [n] of measure_scales, borrowed
  double tolerance;
  int by_deformation;
  Deformation def;
  double scaled, judged;          // scaled error of the last impulses, and that which is judged
  double velocity;                // of measure_errors, where the scaled one is judged
  const SolverSettings *settings; // borrowed
  // 1: given up. Every error is zero from then on, so that all loops end; solver_run throws the
  // result away
  int stopped;
} Judge;

Status judge_init(Judge *judge, const Problem *p, const SolverSettings *settings,
                  const double *scale, Arena *arena, Err *err) MUST_CHECK;

// Asks the settings' must_stop, which judge_error does too.
int judge_given_up(Judge *judge);

// The judged error of r, its work counted in the report.
double judge_error(Judge *judge, const double *r, SolverReport *report);
// The same where the velocities u = W r + b are known: costs nothing to speak of above the
// tolerance.
double judge_error_known(Judge *judge, const double *r, const double *u, SolverReport *report);

// Does a judged error below the tolerance mean something for the last impulses (measure.h)?
int judge_means_something(const Judge *judge, const double *r);

// Says in the report that impulses r, of an error that does not mean something, run away, where
// they do: not where they are far off for want of iterations.
void judge_tell_runaway(const Judge *judge, const double *r, double error, SolverReport *report);

// Are the last impulses r, of this error, better than the best so far? *means: does the error of
// the best mean something? Below the tolerance only what means something is better than what does
// not: of those that run away the first tells most.
int judge_is_better(const Judge *judge, const double *r, double error, double best, int *means);

// The judged error that round-off alone may make of r.
double judge_round_off(const Judge *judge, const double *r);

#endif
