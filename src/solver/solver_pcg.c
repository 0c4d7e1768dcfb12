// Projected conjugate gradient of Renouf and Alart 2005: conjugate directions of the quadratic
// form, the gradient projected on what the statuses leave free, the iterate projected on the disks
// of the current thresholds mu r_N. Between directions one projected step at the safe length
// settles the statuses. As nothing makes a conjugate step an improvement (the form knows no
// thresholds), one that is none is taken back, and projected steps alone go on for a while.

#include <math.h>
#include <string.h>

#include "solver/cone.h"
#include "solver/solver_table.h"
#include "solver/watch.h"

enum { RESTART_EVERY = 50, LONGEST_PAUSE = 1000 };
// Relative distance to the bound at which a contact counts as slipping.
static const double ON_CONE = 1e-10;

typedef struct {
  Watch watch;
  double *u, *z, *p, *wp;
  double *settled; // [n dim] before the last conjugate step
  int8_t *status;
} Cg;

// Which part of x would leave the admissible set: cut away. Statuses are those of r.
static void free_part(const Cg *cg, const double *r, double *x) {
  const Problem *p = cg->watch.p;
  int dim = p->dim;
  for (int i = 0; i < p->n; i++) {
    const double *own = r + (size_t)i * (size_t)dim;
    double *to = x + (size_t)i * (size_t)dim, t = 0, out = 0;
    if (cg->status[i] == 0) {
      to[0] = fmax(0, to[0]);
      for (int k = 1; k < dim; k++) to[k] = 0;
    } else if (cg->status[i] == 2) {
      for (int k = 1; k < dim; k++) t += own[k] * own[k];
      for (int k = 1; k < dim && t > 0; k++) out += to[k] * own[k] / sqrt(t);
      for (int k = 1; k < dim && out > 0 && t > 0; k++) to[k] -= out * own[k] / sqrt(t);
    }
  }
}

// Statuses of r; returns how many changed.
static int find_statuses(Cg *cg, const double *r) {
  const Problem *p = cg->watch.p;
  int changed = 0;
  for (int i = 0; i < p->n; i++) {
    const double *own = r + (size_t)i * (size_t)p->dim;
    double t = p->dim == 2 ? fabs(own[1]) : hypot(own[1], own[2]), bound = p->mu[i] * own[0];
    int8_t now = !(own[0] > 0) ? 0 : t >= (1 - ON_CONE) * bound ? 2 : 1;
    changed += now != cg->status[i];
    cg->status[i] = now;
  }
  return changed;
}

static double dot(const Cg *cg, const double *x, const double *y) {
  double sum = 0;
  for (size_t k = 0; k < cg->watch.size; k++) sum += x[k] * y[k];
  return sum;
}

// The next conjugate direction into cg->p; wp holds W p of the last one.
static void direction(Cg *cg, const double *r, int restart) {
  size_t dim = (size_t)cg->watch.p->dim;
  for (size_t k = 0; k < cg->watch.size; k++) cg->z[k] = -cg->u[k];
  free_part(cg, r, cg->z);
  for (size_t k = 0; k < cg->watch.size; k++) cg->z[k] *= cg->watch.scale[k / dim];
  double curvature = restart ? 0 : dot(cg, cg->p, cg->wp);
  double beta = curvature > 0 ? -dot(cg, cg->z, cg->wp) / curvature : 0;
  for (size_t k = 0; k < cg->watch.size; k++) cg->p[k] = cg->z[k] + beta * cg->p[k];
  free_part(cg, r, cg->p);
}

// Projection on r_N >= 0 and on the disk of the threshold mu r_N.
static void project(const Problem *p, double *r) {
  for (int i = 0; i < p->n; i++) {
    double *own = r + (size_t)i * (size_t)p->dim;
    own[0] = fmax(0, own[0]);
    double t = p->dim == 2 ? fabs(own[1]) : hypot(own[1], own[2]), bound = p->mu[i] * own[0];
    for (int k = 1; k < p->dim && t > bound; k++) own[k] *= bound / t;
  }
}

// From the settled r along the next direction; returns 0 when there is none.
static int conjugate_step(Cg *cg, double *r) {
  const Problem *p = cg->watch.p;
  memcpy(cg->settled, r, cg->watch.size * sizeof *r);
  watch_velocity(&cg->watch, r, cg->u);
  int restart = find_statuses(cg, r) > 0 || cg->watch.report->iterations % RESTART_EVERY == 1;
  direction(cg, r, restart);
  watch_velocity(&cg->watch, cg->p, cg->wp);
  for (size_t k = 0; k < cg->watch.size; k++) cg->wp[k] -= p->b[k];
  double curvature = dot(cg, cg->p, cg->wp), slope = -dot(cg, cg->p, cg->u);
  if (!(curvature > 0 && slope > 0)) return 0;
  for (size_t k = 0; k < cg->watch.size; k++) r[k] += slope / curvature * cg->p[k];
  project(p, r);
  return 1;
}

static Status cg_init(Cg *cg, Arena *arena, Err *err) {
  size_t size = cg->watch.size;
  ARENA_NEW(cg->u, size, arena, err);
  ARENA_NEW(cg->z, size, arena, err);
  ARENA_NEW(cg->p, size, arena, err);
  ARENA_NEW(cg->wp, size, arena, err);
  ARENA_NEW(cg->settled, size, arena, err);
  ARENA_NEW(cg->status, cg->watch.p->n, arena, err);
  return OK;
}

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  Cg cg = {0};
  TRY(watch_init(&cg.watch, p, settings, r, arena, report, err));
  TRY(cg_init(&cg, arena, err));
  if (p->n == 0) {
    watch_finish(&cg.watch, r);
    return OK;
  }
  memset(cg.status, -1, (size_t)p->n);
  double step = settings->relaxation / watch_spectrum(&cg.watch, cg.p, cg.wp);
  size_t dim = (size_t)p->dim;
  double before = (double)INFINITY; // error when the last conjugate step was made
  int tried = 0, wait = 0, pause = 1;
  while (watch_next(&cg.watch)) {
    watch_velocity(&cg.watch, r, cg.u);
    double error = watch_test_known(&cg.watch, r, cg.u);
    if (tried && error > before) {
      memcpy(r, cg.settled, cg.watch.size * sizeof *r);
      watch_velocity(&cg.watch, r, cg.u);
      wait = pause = 2 * pause < LONGEST_PAUSE ? 2 * pause : LONGEST_PAUSE;
    } else if (tried) {
      pause = 1;
    }
    for (int i = 0; i < p->n; i++) {
      size_t at = (size_t)i * dim;
      watch_project(p, i, step * cg.watch.scale[i], r + at, cg.u + at, cg.z + at);
    }
    memcpy(r, cg.z, cg.watch.size * sizeof *r);
    tried = 0;
    if (wait-- > 0) continue;
    before = error;
    tried = conjugate_step(&cg, r);
  }
  watch_finish(&cg.watch, r);
  return OK;
}

const SolverType solver_pcg = {
    .name = "pcg",
    .doc = "Projected conjugate gradient (Renouf and Alart)",
    .max_iterations = 20000,
    .pure_cone_only = 1,
    .cones_only = 1,
    .solve = solve,
};
