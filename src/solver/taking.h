// solver/taking.h -- friction takes energy, it never gives any.
//
// Of impulses that are solved to a tolerance the work of friction at the velocities of its law, P =
// sum rho_T . u'_T, may be positive: where nothing slides it is nothing but error, first order in
// it, and over the steps of a structure at rest it adds up to more than what true sliding has
// taken. P(r) <= 0 holds for the solution. So impulses with P > 0 are moved to P = 0 the shortest
// way in the elastic metric: to first order that is a projection on a half-space that holds the
// solution, and brings them nearer to it. Only friction that sticks is moved; statuses stay.

#ifndef SOLVER_TAKING_H
#define SOLVER_TAKING_H

#include "solver/deformation.h"

// P of the impulses r of the last residual. [J]
double taking_work(const Deformation *def, const double *r);

// Moves r, whose residual `a` was the last one, to P = 0 where it is larger, unless its residual
// would then be above both `tolerance` and what it was. *moved tells; no products with W where it
// need not. Scratch from the arena.
Status taking_restore(Deformation *def, double *r, double a, double tolerance, int *moved,
                      Arena *arena, Err *err) MUST_CHECK;

#endif
