#include "solver/proximal.h"

#include <math.h>
#include <string.h>

enum {
  INNER_STEPS = 16,   // Newton steps of one inner problem at most
  HALVINGS = 8,       // of a step
  STEP_SWEEPS = 2,    // sweeps after a step
  RESCUE_SWEEPS = 10, // sweeps where no step length helps
};
static const double INNER_TOLERANCE = 0.1; // of the outer error
static const double ENOUGH = 1e-2;         // decrease wanted, relative to the step length
static const double ALPHA_LEAST = 1e-10, ALPHA_MOST = 10;
static const double EASIER = 0.7, HARDER = 1.5, FAILED = 2; // factors on alpha

Status proximal_init(Proximal *proximal, const Problem *p, Newton *newton, double alpha,
                     Arena *arena, Err *err) {
  *proximal = (Proximal){.original = p, .p = *p, .newton = newton, .alpha = alpha};
  size_t size = (size_t)p->n * (size_t)p->dim;
  SolverReport ignored = {0};
  ARENA_NEW(proximal->diag, size * (size_t)p->dim, arena, err);
  ARENA_NEW(proximal->b, size, arena, err);
  ARENA_NEW(proximal->y, size, arena, err);
  ARENA_NEW(proximal->g, size, arena, err);
  ARENA_NEW(proximal->step, size, arena, err);
  ARENA_NEW(proximal->best, size, arena, err);
  ARENA_NEW(proximal->last, size, arena, err);
  memcpy(proximal->diag, p->diag, size * (size_t)p->dim * sizeof *p->diag);
  proximal->p.diag = proximal->diag;
  proximal->p.b = proximal->b;
  return sweeper_init(&proximal->sweeper, &proximal->p, arena, &ignored, err);
}

// W + alpha D and b - alpha D c.
static void regularise(Proximal *proximal, const double *c) {
  const Problem *p = proximal->original;
  size_t dim = (size_t)p->dim, n = (size_t)p->n;
  double alpha = proximal->alpha;
  for (size_t i = 0; i < n; i++) {
    const double *d = p->diag + i * dim * dim;
    double *to = proximal->diag + i * dim * dim;
    for (size_t k = 0; k < dim * dim; k++) to[k] = (1 + alpha) * d[k];
    for (size_t k = 0; k < dim; k++) {
      double sum = p->b[i * dim + k];
      for (size_t l = 0; l < dim; l++) sum -= alpha * d[k * dim + l] * c[i * dim + l];
      proximal->b[i * dim + k] = sum;
    }
  }
  sweeper_prepare(&proximal->sweeper);
}

// Step lengths 1, 1/2, ... until the error falls; plain sweeps where none does. Returns the error.
static double advance(Proximal *proximal, double error, SolverReport *report) {
  size_t size = (size_t)proximal->p.n * (size_t)proximal->p.dim;
  double *y = proximal->y, *g = proximal->g, length = 1;
  for (int k = 0; k < HALVINGS; k++, length *= 0.5) {
    for (size_t j = 0; j < size; j++) g[j] = y[j] + length * proximal->step[j];
    for (int s = 0; s < STEP_SWEEPS; s++) sweeper_sweep(&proximal->sweeper, 1, g, report);
    double next = sweeper_error(&proximal->sweeper, g, report);
    if (!(next < error * (1 - ENOUGH * length))) continue;
    memcpy(y, g, size * sizeof *y);
    return next;
  }
  for (int s = 0; s < RESCUE_SWEEPS; s++) sweeper_sweep(&proximal->sweeper, 1, y, report);
  return sweeper_error(&proximal->sweeper, y, report);
}

int proximal_step(Proximal *proximal, double error, double *r, SolverReport *report) {
  size_t size = (size_t)proximal->p.n * (size_t)proximal->p.dim;
  const Sweeper *lent = proximal->newton->sweeper;
  // in the measure of the inner problem: of an error of deformation of one a tenth is no progress
  double target = INNER_TOLERANCE * fmin(error, sweeper_error(lent, r, report));
  regularise(proximal, r);
  proximal->newton->sweeper = &proximal->sweeper;
  memcpy(proximal->y, r, size * sizeof *r);
  memcpy(proximal->best, r, size * sizeof *r);
  double inner = sweeper_error(&proximal->sweeper, proximal->y, report), best = inner;
  if (proximal->has_last) { // the outer iterates drift smoothly: try where the drift leads
    for (size_t j = 0; j < size; j++) proximal->g[j] = 2 * r[j] - proximal->last[j];
    sweeper_sweep(&proximal->sweeper, 1, proximal->g, report);
    double ahead = sweeper_error(&proximal->sweeper, proximal->g, report);
    if (ahead < inner) {
      inner = best = ahead;
      memcpy(proximal->y, proximal->g, size * sizeof *r);
      memcpy(proximal->best, proximal->g, size * sizeof *r);
    }
  }
  int k = 0;
  for (; k < INNER_STEPS && !(best <= target); k++) {
    if (!newton_step(proximal->newton, proximal->y, 0, proximal->step, report)) break;
    inner = advance(proximal, inner, report);
    if (!(inner < best)) continue;
    best = inner;
    memcpy(proximal->best, proximal->y, size * sizeof *r);
  }
  proximal->newton->sweeper = lent;
  int solved = best <= target;
  if (solved) {
    memcpy(proximal->last, r, size * sizeof *r);
    proximal->has_last = 1;
  }
  memcpy(r, proximal->best, size * sizeof *r);
  double factor = !solved                ? FAILED
                  : k <= INNER_STEPS / 4 ? EASIER
                  : k > INNER_STEPS / 2  ? HARDER
                                         : 1;
  proximal->alpha = fmin(ALPHA_MOST, fmax(ALPHA_LEAST, proximal->alpha * factor));
  return solved;
}
