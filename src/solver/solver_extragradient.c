// Extragradient (Korpelevich 1976) with the self-adapted step of Khobotov 1987 on De Saxce's form
// of the law: predict with the gradient here, correct with the gradient there.

#include <math.h>
#include <string.h>

#include "solver/solver_table.h"
#include "solver/watch.h"

static const double LARGEST_RATIO = 0.9; // of |F(r) - F(z)| step / |r - z| that a step may have
static const double SMALLEST_RATIO = 0.3;
static const double SHRINK = 2.0 / 3, GROW = 1.5;
enum { TRIALS = 40 };

// z = P(r - step F), all contacts; F = u + mu |u_T| e_N of the velocities u.
static void project_all(const Watch *watch, double step, const double *r, const double *u,
                        double *z) {
  size_t dim = (size_t)watch->p->dim;
  for (int i = 0; i < watch->p->n; i++) {
    size_t at = (size_t)i * dim;
    watch_project(watch->p, i, step * watch->scale[i], r + at, u + at, z + at);
  }
}

// step |F(r) - F(z)| / |r - z| in the metric of the contacts' scales.
static double ratio(const Watch *watch, double step, const double *r, const double *z,
                    const double *u, const double *v) {
  const Problem *p = watch->p;
  double above = 0, below = 0;
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)i * (size_t)p->dim;
    double s = watch->scale[i];
    double tu = p->dim == 2 ? fabs(u[at + 1]) : hypot(u[at + 1], u[at + 2]);
    double tv = p->dim == 2 ? fabs(v[at + 1]) : hypot(v[at + 1], v[at + 2]);
    for (int k = 0; k < p->dim; k++) {
      double f = u[at + k] - v[at + k] + (k == 0 ? p->mu[i] * (tu - tv) : 0);
      above += s * f * f;
      below += (r[at + k] - z[at + k]) * (r[at + k] - z[at + k]) / s;
    }
  }
  return below > 0 ? step * sqrt(above / below) : 0;
}

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  Watch watch;
  double *u, *z, *v, step = 1;
  TRY(watch_init(&watch, p, settings, r, arena, report, err));
  ARENA_NEW(u, watch.size, arena, err);
  ARENA_NEW(z, watch.size, arena, err);
  ARENA_NEW(v, watch.size, arena, err);
  watch_velocity(&watch, r, u);
  while (watch_next(&watch)) {
    double rate = 0;
    for (int k = 0; k < TRIALS; k++) {
      project_all(&watch, step, r, u, z);
      watch_velocity(&watch, z, v);
      rate = ratio(&watch, step, r, z, u, v);
      if (rate <= LARGEST_RATIO) break;
      step *= SHRINK * fmin(1, 1 / rate);
    }
    project_all(&watch, step, r, v, z);
    memcpy(r, z, watch.size * sizeof *r);
    watch_velocity(&watch, r, u);
    watch_test_known(&watch, r, u);
    if (rate < SMALLEST_RATIO) step *= GROW;
  }
  watch_finish(&watch, r);
  return OK;
}

const SolverType solver_extragradient = {
    .name = "extragradient",
    .doc = "Extragradient with a self-adapted step",
    .max_iterations = 20000,
    .pure_cone_only = 1,
    .solve = solve,
};
