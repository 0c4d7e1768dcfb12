#include "solver/newton_whole.h"

#include <math.h>
#include <string.h>

#include "solver/block_lu.h"
#include "solver/item.h"
#include "solver/sweeper.h"
#include "solver/watch.h"

enum { HALVINGS = 10, SWEEPS_ELSEWHERE = 10, FIRST_SWEEPS = 5 };
static const double ENOUGH = 1e-3; // decrease of |F| wanted, relative to the step length
static const double RIDGE_START = 1e-6, RIDGE_LEAST = 1e-12, RIDGE_MOST = 1;
static const double RIDGE_DOWN = 0.2, RIDGE_UP = 10;

typedef struct {
  ContactFunction *function;
  const Problem *p;
  Watch watch;
  Sweeper sweeper;
  BlockLu lu;
  double *u, *f, *left, *right; // at r
  double *step, *r_new, *u_new; // candidate
  double *f_new;
} Whole;

// r - P(r - step u) of a box.
static void box_function(const Item *item, int dim, double step, const double *r, const double *u,
                         double *f, double *a, double *b) {
  memset(a, 0, sizeof *a * (size_t)(dim * dim));
  memset(b, 0, sizeof *b * (size_t)(dim * dim));
  for (int k = 0; k < dim; k++) {
    double z = r[k] - step * u[k];
    int holds = item_holds(item, k, z);
    f[k] = r[k] - item_clamp(item, k, z);
    a[k * dim + k] = holds ? step : 0;
    b[k * dim + k] = !holds;
  }
}

// F at (r, u), with derivatives where `f` is the one of the iterate; returns |F|.
static double evaluate(Whole *whole, const double *r, const double *u, double *f, double *left,
                       double *right) {
  const Problem *p = whole->p;
  size_t dim = (size_t)p->dim;
  double sum = 0, a[9], b[9];
  for (size_t i = 0; i < (size_t)p->n; i++) {
    size_t at = i * dim, block = at * dim;
    if (item_is_box(p, (int)i))
      box_function(&p->item[i], p->dim, whole->watch.scale[i], r + at, u + at, f + at,
                   left ? left + block : a, right ? right + block : b);
    else
      whole->function(p->dim, p->mu[i], whole->watch.scale[i], r + at, u + at, f + at,
                      left ? left + block : a, right ? right + block : b);
    for (size_t k = 0; k < dim; k++) sum += f[at + k] * f[at + k];
  }
  return sqrt(sum);
}

static void add_ridge(Whole *whole, double ridge) {
  const Problem *p = whole->p;
  size_t dim = (size_t)p->dim;
  for (size_t i = 0; i < (size_t)p->n; i++) {
    size_t block = i * dim * dim;
    for (size_t k = 0; k < dim; k++)
      for (size_t l = 0; l < dim; l++)
        for (size_t m = 0; m < dim; m++)
          whole->right[block + k * dim + l] +=
              ridge * whole->left[block + k * dim + m] * p->diag[block + m * dim + l];
  }
}

// Line search along the step; returns 1 and moves r when |F| fell enough.
static int search(Whole *whole, double merit, double *r) {
  size_t size = whole->watch.size;
  double length = 1;
  for (int h = 0; h < HALVINGS; h++, length *= 0.5) {
    for (size_t k = 0; k < size; k++) whole->r_new[k] = r[k] + length * whole->step[k];
    watch_velocity(&whole->watch, whole->r_new, whole->u_new);
    double next = evaluate(whole, whole->r_new, whole->u_new, whole->f_new, NULL, NULL);
    if (!(next < (1 - ENOUGH * length) * merit)) continue;
    memcpy(r, whole->r_new, size * sizeof *r);
    return 1;
  }
  return 0;
}

static Status whole_init(Whole *whole, Arena *arena, Err *err) {
  size_t size = whole->watch.size, dim = (size_t)whole->p->dim;
  TRY(block_lu_init(&whole->lu, whole->p, arena, err));
  ARENA_NEW(whole->u, size, arena, err);
  ARENA_NEW(whole->f, size, arena, err);
  ARENA_NEW(whole->left, size * dim, arena, err);
  ARENA_NEW(whole->right, size * dim, arena, err);
  ARENA_NEW(whole->step, size, arena, err);
  ARENA_NEW(whole->r_new, size, arena, err);
  ARENA_NEW(whole->u_new, size, arena, err);
  ARENA_NEW(whole->f_new, size, arena, err);
  return OK;
}

// One iteration from r; returns the ridge of the next.
static double iterate(Whole *whole, double ridge, double *r) {
  Watch *watch = &whole->watch;
  watch_velocity(watch, r, whole->u);
  double merit = evaluate(whole, r, whole->u, whole->f, whole->left, whole->right);
  add_ridge(whole, ridge);
  int regular =
      block_lu_factor(&whole->lu, whole->p, whole->left, whole->right, &watch->report->blocks);
  if (regular) {
    for (size_t k = 0; k < watch->size; k++) whole->f[k] = -whole->f[k];
    block_lu_solve(&whole->lu, whole->f, whole->step);
  }
  if (regular && search(whole, merit, r)) {
    watch_test(watch, r);
    return fmax(RIDGE_LEAST, ridge * RIDGE_DOWN);
  }
  if (ridge < RIDGE_MOST) return ridge * RIDGE_UP;
  for (int s = 0; s < SWEEPS_ELSEWHERE; s++) sweeper_sweep(&whole->sweeper, 1, r, watch->report);
  watch_test(watch, r);
  return RIDGE_START;
}

Status newton_whole_solve(ContactFunction *function, const Problem *p,
                          const SolverSettings *settings, double *r, Arena *arena,
                          SolverReport *report, Err *err) {
  Whole whole = {.function = function, .p = p};
  TRY(watch_init(&whole.watch, p, settings, r, arena, report, err));
  if (p->n > 0) {
    TRY(sweeper_init(&whole.sweeper, p, arena, report, err));
    TRY(whole_init(&whole, arena, err));
  }
  if (p->n == 0 || !whole.lu.made) {
    if (p->n > 0) report->reason = "the factors would be too large";
    watch_finish(&whole.watch, r);
    return OK;
  }
  // At r = 0 every contact looks open or free to slide: a few sweeps give statuses to start from.
  for (int s = 0; s < FIRST_SWEEPS; s++) sweeper_sweep(&whole.sweeper, 1, r, report);
  watch_test(&whole.watch, r);
  double ridge = RIDGE_START;
  while (watch_next(&whole.watch)) ridge = iterate(&whole, ridge, r);
  watch_finish(&whole.watch, r);
  return OK;
}
