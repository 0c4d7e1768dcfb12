// solver/newton_whole.h -- semi-smooth Newton on a system F(r, u) = 0 with one small function a
// contact.
//
// The function is what distinguishes the members of the panel (Alart-Curnier, Fischer-Burmeister).
// Steps are regularised (ridge on the rows of u), kept by a line search on |F|; where no length
// helps the ridge grows, and at its end projected sweeps move the iterate elsewhere.

#ifndef SOLVER_NEWTON_WHOLE_H
#define SOLVER_NEWTON_WHOLE_H

#include "solver/problem.h"

// f [dim] = F(r, u) of one contact in units of impulse; a, b [dim * dim] its derivatives by u and
// r. step: 1/|D|, from velocities to impulses.
typedef void ContactFunction(int dim, double mu, double step, const double *r, const double *u,
                             double *f, double *a, double *b);

ContactFunction contact_alart_curnier; // newton_ac: also what others fall back on without friction

Status newton_whole_solve(ContactFunction *function, const Problem *p,
                          const SolverSettings *settings, double *r, Arena *arena,
                          SolverReport *report, Err *err) MUST_CHECK;

#endif
