// Quadratic programmes over faceted cones given by their edges, with De Saxce's term renewed from
// one to the next, see facets.h. Each is solved by Lemke's pivoting, which for the semi-definite
// matrix of a convex programme ends at a solution if there is one.

#include "solver/facets.h"
#include "solver/solver_table.h"

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  return facets_solve(FACETS_GENERATORS, p, settings, r, arena, report, err);
}

const SolverType solver_qp = {
    .name = "qp",
    .doc = "Quadratic programmes over faceted cones, De Saxce's term renewed between them",
    .params = facet_params,
    .n_params = 3,
    .max_iterations = 20000,
    .pure_cone_only = 1,
    .approximate = APPROXIMATE_OUTSIDE,
    .needs_blocks = 1,
    .cones_only = 1,
    .solve = solve,
};
