// The convex relaxation of Anitescu and Hart 2004: min 1/2 r W r + b r over the cones, that is
// Coulomb's law without De Saxce's correction: a sliding contact lifts off with mu |u_T|. Solved by
// accelerated projected gradients (Mazhar et al. 2015). What it returns is the relaxation's
// solution; its error in Coulomb's law is reported and is small only where little slides.

#include <math.h>
#include <string.h>

#include "solver/item.h"
#include "solver/measure.h"
#include "solver/solver_table.h"
#include "solver/watch.h"

enum { ASK_EVERY = 16 }; // iterations between two questions whether to go on

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  Watch watch;
  double *y, *u, *next;
  TRY(watch_init(&watch, p, settings, r, arena, report, err));
  ARENA_NEW(y, watch.size, arena, err);
  ARENA_NEW(u, watch.size, arena, err);
  ARENA_NEW(next, watch.size, arena, err);
  if (p->n == 0) {
    watch_finish(&watch, r);
    return OK;
  }
  double inertia = 1, step = settings->relaxation / watch_spectrum(&watch, y, u);
  size_t dim = (size_t)p->dim;
  memcpy(y, r, watch.size * sizeof *y);
  double change = (double)INFINITY;
  while (change > settings->tolerance && report->iterations < settings->max_iterations) {
    // it is judged at its end only
    if (report->iterations++ % ASK_EVERY == 0 && judge_given_up(&watch.judge)) break;
    double turn = 0, moved = 0, norm = 0;
    watch_velocity(&watch, y, u);
    for (size_t k = 0; k < watch.size; k++) next[k] = y[k] - step * watch.scale[k / dim] * u[k];
    for (int i = 0; i < p->n; i++) item_project(p, i, next + (size_t)i * dim);
    for (size_t k = 0; k < watch.size; k++) {
      turn += (y[k] - next[k]) * (next[k] - r[k]) / watch.scale[k / dim];
      moved += (y[k] - next[k]) * (y[k] - next[k]);
      norm += next[k] * next[k];
    }
    change = norm > 0 ? sqrt(moved / norm) / step : moved > 0;
    double grown = turn > 0 ? 1 : 0.5 * (1 + sqrt(1 + 4 * inertia * inertia));
    double beta = turn > 0 ? 0 : (inertia - 1) / grown;
    inertia = grown;
    for (size_t k = 0; k < watch.size; k++) {
      y[k] = next[k] + beta * (next[k] - r[k]);
      r[k] = next[k];
    }
  }
  report->error = watch_test(&watch, r);
  report->converged =
      report->error <= settings->tolerance && judge_means_something(&watch.judge, r);
  if (!report->converged && change <= settings->tolerance)
    report->reason = "the relaxed problem is solved; its error in Coulomb's law is reported";
  return OK;
}

const SolverType solver_convex = {
    .name = "convex",
    .doc = "Convex relaxation of Anitescu and Hart: sliding contacts dilate",
    .max_iterations = 20000,
    .pure_cone_only = 1,
    .approximate = APPROXIMATE_INSIDE,
    .solve = solve,
};
