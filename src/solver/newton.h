// solver/newton.h -- one semi-smooth Newton step on all contacts at once.
//
// Every contact is first solved alone for the impulses of the others: that gives its status, its
// direction of slip and its lambda (local3.h). With these kept, the conditions of contact i are
// linear in r (rho = r + s + A u, t the direction of rho_T, p across it):
//
//     open    rho = 0
//     stick   u' = 0
//     slip    u'_N = 0,   t . rho_T - mu rho_N = radius,   p . (u'_T + lambda rho_T) = 0
//
// which is a Newton step on the natural map with the exact local solutions (the generalised
// Jacobian of Alart and Curnier 1991, for the step length of each contact's own block). P u' + Q
// rho = c is kept as blocks, W u follows, and the sparse block factors of block_lu.h solve it.

#ifndef SOLVER_NEWTON_H
#define SOLVER_NEWTON_H

#include "solver/deformation.h"
#include "solver/kept.h"
#include "solver/sweeper.h"

typedef struct {
  const Sweeper *sweeper;
  BlockLu lu;
  double *left, *right; // [n * dim^2] (P + Q A) and Q
  double *residual;     // [n * dim]
  int8_t *status;       // [n] of the last linearisation
  int changed;          // contacts whose status changed at the last linearisation
} Newton;

// kept: NULL, or what the last problem left. Where the factors would be too large (block_lu.h),
// newton->lu.made is NULL and there are no steps.
Status newton_init(Newton *newton, const Sweeper *sweeper, SolverKept *kept, Arena *arena,
                   Err *err) MUST_CHECK;

// Where statuses and directions of slip are taken from: exact solutions of single contacts, the
// impulses themselves (those of the last step: what has no impulse is open, what is on the cone
// slips), or the projections z of the last deformation_residual.
typedef enum { STATUSES_LOCAL, STATUSES_OF_IMPULSES, STATUSES_ELASTIC } StatusSource;

// step [n * dim] = the Newton step from r with the statuses of `source`. W may be singular: `ridge`
// times D is added to the rows of u', the elastic one of `def`. Returns 0 when the factorisation
// met a singular block.
int newton_step_from(Newton *newton, StatusSource source, const Deformation *def, const double *r,
                     double ridge, double *step, SolverReport *report);

// step [n * dim] = the Newton step from r with local statuses, with `ridge` times the diagonal
// blocks added to the rows of u' (Levenberg-Marquardt: W may be singular). Returns 0 when the
// factorisation met a singular block.
int newton_step(Newton *newton, const double *r, double ridge, double *step, SolverReport *report);

#endif
