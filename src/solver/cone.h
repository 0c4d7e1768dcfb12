// solver/cone.h -- projection on the (truncated) friction cone.
//
// K = { r : r_N >= 0, |r_T| <= mu r_N + radius }: convex, a cone when radius = 0.

#ifndef SOLVER_CONE_H
#define SOLVER_CONE_H

// Part of the way to the boundary of a cone that a step of interior points may go: on it they stay.
static const double TO_BOUNDARY = 0.995;

// Nearest point of K in place.
void cone_project(int dim, double mu, double radius, double *r);

// How far r is outside: max(0, -r_N) and max(0, |r_T| - mu max(0, r_N) - radius), the larger.
double cone_violation(int dim, double mu, double radius, const double *r);

#endif
