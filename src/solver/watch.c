#include "solver/watch.h"

#include <math.h>
#include <string.h>

#include "solver/item.h"
#include "solver/measure.h"
#include "solver/operator.h"

enum { POWER_STEPS = 25 };
static const double POWER_MARGIN = 1.05; // the power method comes from below

Status watch_init(Watch *watch, const Problem *p, const SolverSettings *settings, const double *r,
                  Arena *arena, SolverReport *report, Err *err) {
  *report = (SolverReport){0};
  *watch = (Watch){.p = p,
                   .settings = settings,
                   .report = report,
                   .size = (size_t)p->n * (size_t)p->dim,
                   .best_error = (double)INFINITY};
  ARENA_NEW(watch->scale, p->n, arena, err);
  ARENA_NEW(watch->best, watch->size, arena, err);
  memcpy(watch->best, r, watch->size * sizeof *r);
  measure_scales(p, watch->scale);
  TRY(judge_init(&watch->judge, p, settings, watch->scale, arena, err));
  watch->means_something = 1;
  if (p->n == 0) watch->best_error = 0;
  return OK;
}

static double keep(Watch *watch, const double *r, double error) {
  if (!judge_is_better(&watch->judge, r, error, watch->best_error, &watch->means_something))
    return isfinite(error) ? error : (double)INFINITY;
  watch->best_error = error;
  memcpy(watch->best, r, watch->size * sizeof *r);
  return error;
}

double watch_test(Watch *watch, const double *r) {
  return keep(watch, r, judge_error(&watch->judge, r, watch->report));
}

double watch_test_known(Watch *watch, const double *r, const double *u) {
  return keep(watch, r, judge_error_known(&watch->judge, r, u, watch->report));
}

int watch_next(Watch *watch) {
  if (watch_converged(watch)) return 0;
  if (watch->report->iterations >= watch->settings->max_iterations) return 0;
  watch->report->iterations++;
  return 1;
}

int watch_converged(const Watch *watch) {
  return watch->best_error <= watch->settings->tolerance && watch->means_something;
}

void watch_finish(Watch *watch, double *r) {
  if (!(watch->best_error < (double)INFINITY)) watch_test(watch, watch->best);
  memcpy(r, watch->best, watch->size * sizeof *r);
  watch->report->error = watch->best_error;
  watch->report->converged = watch_converged(watch);
  if (!watch->means_something)
    judge_tell_runaway(&watch->judge, r, watch->best_error, watch->report);
}

void watch_velocity(Watch *watch, const double *r, double *u) {
  const Problem *p = watch->p;
  operator_times(p, p->b, r, u);
  watch->report->blocks += operator_cost(p);
}

void watch_project(const Problem *p, int i, double step, const double *r, const double *u,
                   double *z) {
  double t = p->dim == 2 ? fabs(u[1]) : sqrt(u[1] * u[1] + u[2] * u[2]);
  for (int k = 0; k < p->dim; k++) z[k] = r[k] - step * u[k];
  z[0] -= step * p->mu[i] * t;
  item_project(p, i, z);
}

double watch_spectrum(Watch *watch, double *x, double *y) {
  const Problem *p = watch->p;
  size_t dim = (size_t)p->dim;
  double value = 1;
  for (size_t k = 0; k < watch->size; k++) x[k] = 1 + 0.1 * (double)(k % 7); // any start will do
  for (int s = 0; s < POWER_STEPS; s++) {
    double norm = 0;
    watch_velocity(watch, x, y);
    for (size_t k = 0; k < watch->size; k++) {
      y[k] = (y[k] - p->b[k]) * watch->scale[k / dim];
      norm += y[k] * y[k];
    }
    value = sqrt(norm);
    if (!(value > 0)) return 1;
    for (size_t k = 0; k < watch->size; k++) x[k] = y[k] / value;
  }
  return POWER_MARGIN * fmax(1, value);
}
