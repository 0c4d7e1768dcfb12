// solver/problem_fclib.h -- from what a file holds to a Problem, and back.
//
// A global problem is condensed: W = H^T M^-1 H, b = H^T M^-1 f + w. Blocks that vanish exactly are
// not stored. Rows of equalities become items of up to dim of them behind the contacts, so that
// their impulses follow those of the contacts.

#ifndef SOLVER_PROBLEM_FCLIB_H
#define SOLVER_PROBLEM_FCLIB_H

#include "file/fclib.h"
#include "solver/problem.h"

// A Problem that owns its arrays.
typedef struct {
  Problem p;
  int64_t *ptr;
  int32_t *col;
  double *w, *diag, *b, *mu, *elastic, *lever, *radius, *s, *a, *compliance;
  int32_t *moved;
  Item *item;
} OwnedProblem;

// ERR_INPUT when M is not positive definite, or the elastic or the rigid part of W is larger than
// W.
Status problem_from_fclib(OwnedProblem *problem, const FclibProblem *from, Err *err) MUST_CHECK;
void problem_free(OwnedProblem *problem);

// A local file problem with the same contacts and equalities. Limits and drives have no place in
// the format: ERR_INPUT when the problem has them.
Status problem_to_fclib(FclibProblem *to, const Problem *p, Err *err) MUST_CHECK;

// Velocities v = M^-1 (H r + G l + f) of a global problem, [dofs]; l follows r.
Status problem_global_velocity(const FclibProblem *from, const double *r, double *v,
                               Err *err) MUST_CHECK;

#endif
