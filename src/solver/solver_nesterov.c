// Accelerated projected gradient with restart (Nesterov 1983, O'Donoghue and Candes 2015; for
// contacts Mazhar, Heyn, Negrut and Tasora 2015), with De Saxce's correction in the gradient, so
// that the fixed point is Coulomb's law and not its convex relaxation. One product with W an
// iteration.

#include <math.h>
#include <string.h>

#include "solver/solver_table.h"
#include "solver/watch.h"

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  Watch watch;
  double *y, *u, *next, *u_next;
  TRY(watch_init(&watch, p, settings, r, arena, report, err));
  ARENA_NEW(y, watch.size, arena, err);
  ARENA_NEW(u, watch.size, arena, err);
  ARENA_NEW(next, watch.size, arena, err);
  ARENA_NEW(u_next, watch.size, arena, err);
  if (p->n == 0) {
    watch_finish(&watch, r);
    return OK;
  }
  double inertia = 1, step = settings->relaxation / watch_spectrum(&watch, y, u);
  size_t dim = (size_t)p->dim;
  memcpy(y, r, watch.size * sizeof *y);
  watch_velocity(&watch, y, u);
  while (watch_next(&watch)) {
    // y: extrapolated impulses, u their velocities
    double turn = 0;
    for (int i = 0; i < p->n; i++) {
      size_t at = (size_t)i * dim;
      watch_project(p, i, step * watch.scale[i], y + at, u + at, next + at);
    }
    for (size_t k = 0; k < watch.size; k++)
      turn += (y[k] - next[k]) * (next[k] - r[k]) / watch.scale[k / dim];
    double grown = turn > 0 ? 1 : 0.5 * (1 + sqrt(1 + 4 * inertia * inertia));
    double beta = turn > 0 ? 0 : (inertia - 1) / grown;
    inertia = grown;
    // The velocity of an extrapolation is the extrapolation of velocities: one product serves both.
    for (size_t k = 0; k < watch.size; k++) {
      y[k] = next[k] + beta * (next[k] - r[k]);
      r[k] = next[k];
    }
    watch_velocity(&watch, r, u_next);
    watch_test_known(&watch, r, u_next);
    if (beta > 0)
      watch_velocity(&watch, y, u);
    else
      memcpy(u, u_next, watch.size * sizeof *u);
  }
  watch_finish(&watch, r);
  return OK;
}

const SolverType solver_nesterov = {
    .name = "nesterov",
    .doc = "Accelerated projected gradient with restart and De Saxce's correction",
    .max_iterations = 20000,
    .pure_cone_only = 1,
    .solve = solve,
};
