// Lemke's lexicographic pivoting on polygonal cones, see facets.h and lemke.h.

#include "solver/facets.h"
#include "solver/solver_table.h"

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  return facets_solve(FACETS_POLYGON, p, settings, r, arena, report, err);
}

const SolverType solver_lemke = {
    .name = "lemke",
    .doc = "Lemke's lexicographic pivoting on faceted cones, per contact in sweeps or at once",
    .params = facet_params,
    .n_params = 3,
    .max_iterations = 20000,
    .pure_cone_only = 1,
    .approximate = APPROXIMATE_OUTSIDE,
    .needs_blocks = 1,
    .cones_only = 1,
    .solve = solve,
};
