// solver/fclib_rigid.h -- do the rigid motions that a file tells of fit its W?
#ifndef SOLVER_FCLIB_RIGID_H
#define SOLVER_FCLIB_RIGID_H

#include "solver/problem.h"

// What is left of W without them is elastic: it is positive semi-definite, and its diagonal is the
// elastic part. Of the first n contacts of p, by blocks and with what moves them; ERR_INPUT names
// the datasets and the contacts.
Status fclib_check_rigid(const Problem *p, int n, Err *err) MUST_CHECK;

#endif
