// solver/given_friction.h -- Coulomb's law by problems whose bounds of friction are given.
//
// With |rho_T| <= bound_i given instead of mu rho_N + radius the law is a convex problem, on which
// interior points do not stall: there are no folds (interior.h). The normal impulses give the next
// bounds, a fixed point of which is a solution of Coulomb's law (Haslinger 1983); Anderson's mixing
// makes up for contacts that come to theirs slowly. Dear, as each of a few problems takes a dozen
// factors, but it gets on where a path of centres has many folds, at single contacts of a large
// wall, that each stop the common step.

#ifndef SOLVER_GIVEN_FRICTION_H
#define SOLVER_GIVEN_FRICTION_H

#include "solver/anderson.h"
#include "solver/interior.h"

typedef struct {
  const Problem *p; // the law
  Problem given;    // with bounds: mu = 0, radius = bound
  Interior in;
  Anderson mix;
  double *mu, *radius;  // [n] of `given`
  double *bound, *next; // [n] bounds that were given, that came of them
  int started;
} GivenFriction;

// For a problem with `elastic`. Memory from the arena.
Status given_friction_init(GivenFriction *of, const Problem *p, BlockLu *lu,
                           const SolverSettings *settings, Arena *arena, Err *err) MUST_CHECK;

// The problem with the bounds of the impulses r [n * dim], solved to `enough` in the terms of
// interior_error; r becomes its solution. Returns 0 where it was not reached.
int given_friction_step(GivenFriction *of, double *r, double enough, SolverReport *report);

#endif
