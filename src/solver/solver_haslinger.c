// Fixed point on the friction threshold (Haslinger 1983; Licht, Pratt and Raous 1991): with the
// threshold g = mu r_N frozen each problem is one of Tresca friction, a convex one, which projected
// sweeps solve; then g is renewed. An iteration is one inner sweep.

#include <math.h>
#include <string.h>

#include "solver/item.h"
#include "solver/operator.h"
#include "solver/solver_table.h"
#include "solver/watch.h"

enum { TEST_EVERY = 5, LONGEST_INNER = 200 };
// Of the change of the first sweep with a threshold: the inner problem counts as solved.
static const double INNER_DECREASE = 0.1;

static void project(int dim, double threshold, double *z) {
  if (z[0] < 0) z[0] = 0;
  double t = dim == 2 ? fabs(z[1]) : sqrt(z[1] * z[1] + z[2] * z[2]);
  for (int k = 1; k < dim; k++) z[k] *= t > threshold ? threshold / t : 1;
}

// One projected sweep with frozen thresholds; returns |change|^2.
static double sweep(Watch *watch, double relaxation, const double *threshold, double *r) {
  const Problem *p = watch->p;
  size_t dim = (size_t)p->dim;
  double change = 0;
  operator_set(p, r);
  for (int i = 0; i < p->n; i++) {
    double u[3], z[3] = {0}, *own = r + (size_t)i * dim;
    operator_row(p, i, r, u);
    for (size_t k = 0; k < dim; k++) z[k] = own[k] - relaxation * watch->scale[i] * u[k];
    if (item_is_box(p, i))
      item_project(p, i, z);
    else
      project(p->dim, threshold[i], z);
    for (size_t k = 0; k < dim; k++) change += (z[k] - own[k]) * (z[k] - own[k]);
    operator_move(p, i, z, r);
  }
  watch->report->blocks += operator_cost(p);
  return change;
}

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  Watch watch;
  double *threshold, first = 0;
  TRY(watch_init(&watch, p, settings, r, arena, report, err));
  ARENA_NEW(threshold, p->n, arena, err);
  int inner = 0;
  while (watch_next(&watch)) {
    if (inner == 0)
      for (int i = 0; i < p->n; i++) threshold[i] = p->mu[i] * r[i * p->dim];
    double change = sweep(&watch, settings->relaxation, threshold, r);
    if (inner == 0) first = change;
    inner++;
    if (inner >= LONGEST_INNER || change <= INNER_DECREASE * INNER_DECREASE * first) inner = 0;
    int last = report->iterations == settings->max_iterations;
    if (report->iterations % TEST_EVERY == 0 || last) watch_test(&watch, r);
  }
  watch_finish(&watch, r);
  return OK;
}

const SolverType solver_haslinger = {
    .name = "haslinger",
    .doc = "Fixed point on the friction threshold around projected sweeps",
    .max_iterations = 50000,
    .pure_cone_only = 1,
    .solve = solve,
};
