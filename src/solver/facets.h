// solver/facets.h -- Coulomb's cone with facets: linear complementarity instead of a round cone.
//
// Directions d_k at equal angles span the tangent plane; facets lie inside the cone (corners on it)
// or outside (sides on it, the d_k longer by 1 / cos(pi / m)). In the plane there are two
// directions and nothing is approximated. Two forms:
//
//   polygon     r = (lambda, sum beta_k d_k):  0 <= lambda _|_ u_N,
//               0 <= beta_k _|_ d_k . u_T + sigma,  0 <= sigma _|_ mu lambda - sum beta
//               (Stewart and Trinkle 1996)
//   generators  r = sum gamma_k (1, mu d_k):  0 <= gamma_k _|_ u~_N + mu d_k . u_T, the optimality
//               of a quadratic programme over the faceted cone; u~_N = u_N + mu |u_T| is renewed
//               outside
//
// Either contact by contact in sweeps or on the whole problem at once, always by Lemke's pivoting.

#ifndef SOLVER_FACETS_H
#define SOLVER_FACETS_H

#include "solver/problem.h"

typedef enum { FACETS_POLYGON, FACETS_GENERATORS } FacetForm;

// Parameters of both solvers: facets, facets_are, facets_on.
extern const ParamSpec facet_params[];
extern const int n_facet_params;

Status facets_solve(FacetForm form, const Problem *p, const SolverSettings *settings, double *r,
                    Arena *arena, SolverReport *report, Err *err) MUST_CHECK;

#endif
