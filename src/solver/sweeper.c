#define _POSIX_C_SOURCE 200809L // nanosleep
#include "solver/sweeper.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "solver/cone.h"
#include "solver/item.h"
#include "solver/measure.h"
#include "solver/operator.h"

enum { SPINS = 5000 };                               // looks of a waiting thread ...
static const struct timespec PAUSE = {.tv_nsec = 1}; // ... before it lets others run

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// M = (I + D A)^-1 and the block M D that the unilateral element sees, in the plane.
static void effective_block2(const double d[4], const double a[2], double m[4], double md[4]) {
  double s[4] = {1 + d[0] * a[0], d[1] * a[1], d[2] * a[0], 1 + d[3] * a[1]};
  double det = s[0] * s[3] - s[1] * s[2];
  m[0] = s[3] / det;
  m[1] = -s[1] / det;
  m[2] = -s[2] / det;
  m[3] = s[0] / det;
  md[0] = m[0] * d[0] + m[1] * d[2];
  md[1] = m[0] * d[1] + m[1] * d[3];
  md[2] = m[2] * d[0] + m[3] * d[2];
  md[3] = m[2] * d[1] + m[3] * d[3];
}

static void effective_block3(const double d[9], const double a[2], double m[9], double md[9]) {
  double s[9];
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++) s[3 * k + l] = (k == l) + d[3 * k + l] * a[l > 0];
  local3_invert(s, m);
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++)
      md[3 * k + l] = m[3 * k] * d[l] + m[3 * k + 1] * d[3 + l] + m[3 * k + 2] * d[6 + l];
}

static Status allocate(Sweeper *sweeper, const Problem *p, Arena *arena, Err *err) {
  int block = p->dim * p->dim;
  if (p->dim == 2)
    ARENA_NEW(sweeper->local2, p->n, arena, err);
  else
    ARENA_NEW(sweeper->local3, p->n, arena, err);
  ARENA_NEW(sweeper->scale, p->n, arena, err);
  if (p->a) {
    ARENA_NEW(sweeper->block, block * p->n, arena, err);
    ARENA_NEW(sweeper->inverse, block * p->n, arena, err);
  }
  return OK;
}

int sweeper_prepare(Sweeper *sweeper) {
  const Problem *p = sweeper->p;
  size_t block = (size_t)(p->dim * p->dim);
  int violated = 0;
  sweeper->general = p->radius || p->s || p->a || p->item;
  for (int i = 0; i < p->n; i++) {
    const double *d = p->diag + block * (size_t)i;
    double radius = p->radius ? p->radius[i] : 0;
    if (item_is_box(p, i)) continue;
    if (p->a) {
      double *inverse = sweeper->inverse + block * (size_t)i;
      double *effective = sweeper->block + block * (size_t)i;
      const double *a = p->a + 2 * (size_t)i;
      if (p->dim == 2)
        effective_block2(d, a, inverse, effective);
      else
        effective_block3(d, a, inverse, effective);
      d = effective;
    }
    int unique = p->dim == 2 ? local2_prepare(&sweeper->local2[i], d, p->mu[i], radius)
                             : local3_prepare(&sweeper->local3[i], d, p->mu[i], radius);
    violated += !unique;
    if (p->dim == 2 && local2_singular(&sweeper->local2[i])) sweeper->general = 1;
  }
  // In space the bracketed root needs no uniqueness; in the plane the four statuses do.
  if (violated > 0 && p->dim == 2) sweeper->general = 1;
  measure_scales(p, sweeper->scale);
  return violated;
}

Status sweeper_init(Sweeper *sweeper, const Problem *p, Arena *arena, SolverReport *report,
                    Err *err) {
  *sweeper = (Sweeper){.p = p};
  TRY(allocate(sweeper, p, arena, err));
  report->condition_33 = sweeper_prepare(sweeper);
  return OK;
}

Status sweeper_colour(Sweeper *sweeper, Arena *arena, Err *err) {
  Colouring *colouring;
  ARENA_NEW(colouring, 1, arena, err);
  TRY(colouring_init(colouring, sweeper->p, arena, err));
  sweeper->colouring = colouring;
  return OK;
}

// An equality, a limit or a drive.
static void visit_box(const Problem *p, int i, const double *u, LocalSolution *local) {
  size_t dim = (size_t)p->dim;
  const double *d = p->diag + dim * dim * (size_t)i;
  item_solve(&p->item[i], p->dim, d, u, local->rho);
  memcpy(local->u, u, dim * sizeof *u);
  block_add(p->dim, d, local->rho, local->u);
  memcpy(local->r, local->rho, dim * sizeof *u);
}

// One contact with everything a law may ask for; u: its velocity without its own impulse, r_n: its
// present normal impulse.
static int visit_general(const Sweeper *sweeper, int i, const double *u, double r_n,
                         LocalSolution *local) {
  const Problem *p = sweeper->p;
  int dim = p->dim, status;
  size_t at = (size_t)i * (size_t)dim, block = at * (size_t)dim;
  const double *d = p->diag + block;
  double s[3] = {0}, *free = local->u;
  if (item_is_box(p, i)) {
    visit_box(p, i, u, local);
    return 0;
  }
  for (int k = 0; k < dim; k++) {
    free[k] = u[k];
    if (p->s) s[k] = -p->s[at + (size_t)k];
  }
  if (p->s) block_add(dim, d, s, free);
  if (p->a) {
    double f[3] = {free[0], free[1], free[dim - 1]};
    for (int k = 0; k < dim; k++) free[k] = 0;
    block_add(dim, sweeper->inverse + block, f, free);
    d = sweeper->block + block;
  }
  local->rho[0] = r_n;
  if (dim == 2)
    status = local2_enumerate(&sweeper->local2[i], d, free, local->rho);
  else
    status = local3_enumerate(&sweeper->local3[i], d, free, local->rho);
  block_add(dim, d, local->rho, local->u);
  for (int k = 0; k < dim; k++) {
    local->r[k] = local->rho[k] + s[k];
    // Total impulse: the parallel stiffness takes its part.
    if (p->a) local->r[k] -= p->a[2 * (size_t)i + (k > 0)] * local->u[k];
  }
  return status;
}

int sweeper_solve_contact(const Sweeper *sweeper, int i, const double *r, LocalSolution *local) {
  double u[3];
  operator_others(sweeper->p, i, r, u);
  return visit_general(sweeper, i, u, r[(size_t)i * (size_t)sweeper->p->dim], local);
}

typedef struct {
  const Sweeper *sweeper;
  double *r, relaxation;
  int backwards;
} Sweep;

// The new impulse of contact i, whose velocity without its own impulse is u; `dim` and `general`
// are constants where it is expanded.
ALWAYS_INLINE void visit(const Sweep *sweep, const int dim, const int general, int i,
                         const double *u, PartSum *sum) {
  const Sweeper *sweeper = sweep->sweeper;
  LocalSolution local;
  double *fresh = local.r, *own = sweep->r + (size_t)dim * (size_t)i;
  if (general)
    sum->none += visit_general(sweeper, i, u, own[0], &local) < 0;
  else if (dim == 2)
    local2_solve(&sweeper->local2[i], u[0], u[1], fresh);
  else {
    fresh[0] = own[0];
    local3_solve(&sweeper->local3[i], u, fresh);
  }
  for (int l = 0; l < dim; l++) {
    double delta = fresh[l] - own[l];
    sum->change += delta * delta;
    sum->norm += fresh[l] * fresh[l];
    own[l] += sweep->relaxation * delta;
  }
}

ALWAYS_INLINE void row_sum(const Problem *p, const int dim, int64_t e, int64_t end, const double *r,
                           const double *base, double *u) {
  if (dim == 2)
    row_part2(p, e, end, r, base, u);
  else
    row_part3(p, e, end, r, base, u);
}

// The contact that is met k-th in the places [first, last).
ALWAYS_INLINE int contact_at(const Sweep *sweep, int k, int first, int last) {
  const int32_t *order = sweep->sweeper->order;
  int place = sweep->backwards ? last - 1 - (k - first) : k;
  return order ? order[place] : place;
}

// Contacts at the places [first, last).
ALWAYS_INLINE PartSum visit_places(const Sweep *sweep, const int dim, const int general, int first,
                                   int last) {
  const Problem *p = sweep->sweeper->p;
  PartSum sum = {0};
  for (int k = first; k < last; k++) {
    int i = contact_at(sweep, k, first, last);
    double u[3];
    row_sum(p, dim, p->blocks.ptr[i], p->blocks.ptr[i + 1], sweep->r,
            p->b + (size_t)dim * (size_t)i, u);
    visit(sweep, dim, general, i, u, &sum);
  }
  return sum;
}

// The same by bodies: what a contact changes of its impulse moves them at once.
ALWAYS_INLINE PartSum visit_bodies(const Sweep *sweep, const int dim, const int general, int first,
                                   int last) {
  const Problem *p = sweep->sweeper->p;
  PartSum sum = {0};
  for (int k = first; k < last; k++) {
    int i = contact_at(sweep, k, first, last);
    double u[3], change[3], *own = sweep->r + (size_t)dim * (size_t)i;
    bodies_others(dim, p, i, sweep->r, u);
    for (int l = 0; l < dim; l++) change[l] = -own[l];
    visit(sweep, dim, general, i, u, &sum);
    for (int l = 0; l < dim; l++) change[l] += own[l];
    bodies_add(dim, &p->bodies, i, change);
  }
  return sum;
}

static PartSum visit_range(const Sweep *sweep, int first, int last) {
  int general = sweep->sweeper->general, plane = sweep->sweeper->p->dim == 2;
  if (operator_by_bodies(sweep->sweeper->p)) {
    if (plane)
      return general ? visit_bodies(sweep, 2, 1, first, last)
                     : visit_bodies(sweep, 2, 0, first, last);
    return general ? visit_bodies(sweep, 3, 1, first, last)
                   : visit_bodies(sweep, 3, 0, first, last);
  }
  if (plane)
    return general ? visit_places(sweep, 2, 1, first, last)
                   : visit_places(sweep, 2, 0, first, last);
  return general ? visit_places(sweep, 3, 1, first, last) : visit_places(sweep, 3, 0, first, last);
}

// Parts in the order of their colours, each taken by the next thread that is free, which waits only
// where a part of an earlier colour is still under way: a thread that the machine holds up holds up
// nobody else for long.
static void visit_parts(const Sweep *sweep, const Colouring *c, atomic_int *taken,
                        atomic_int *done) {
  int n = sweep->sweeper->p->n;
  for (int at; (at = atomic_fetch_add(taken, 1)) < c->n_parts;) {
    int place = sweep->backwards ? c->n_parts - 1 - at : at, colour = c->colour[place];
    int before = sweep->backwards ? c->n_parts - c->colour_ptr[colour + 1] : c->colour_ptr[colour];
    for (int spins = 0; atomic_load(done) < before; spins++)
      if (spins > SPINS) nanosleep(&PAUSE, NULL);
    int part = c->part[place], first = part * c->size, last = first + c->size;
    c->sum[part] = visit_range(sweep, first, last < n ? last : n);
    atomic_fetch_add(done, 1);
  }
}

// The sums are taken part by part, in the order of the contacts: the same for any number of
// threads.
static PartSum visit_colours(const Sweep *sweep, const Colouring *c) {
  PartSum all = {0};
  atomic_int taken = 0, done = 0;
#pragma omp parallel if (c->widest > 1 && problem_for_threads(sweep->sweeper->p))
  visit_parts(sweep, c, &taken, &done);
  for (int part = 0; part < c->n_parts; part++) {
    all.change += c->sum[part].change;
    all.norm += c->sum[part].norm;
    all.none += c->sum[part].none;
  }
  return all;
}

#ifdef VALIDATE
static const double ROUNDED = 1e-10; // of an impulse: how far off its cone round-off leaves it

static double largest_of(const Problem *p, const double *r) {
  double most = 0;
  for (int k = 0; k < p->n * p->dim; k++) most = fmax(most, fabs(r[k]));
  return most;
}

// What comes to an impulse by a difference is rounded as those that it came from: `before` is the
// largest at the start of the sweep.
static int are_on_cones(const Problem *p, const double *r, double before) {
  const double most = fmax(before, largest_of(p, r));
  for (int i = 0; i < p->n; i++, r += p->dim) {
    double size = 0;
    for (int k = 0; k < p->dim; k++) size += fabs(r[k]);
    if (!(cone_violation(p->dim, p->mu[i], 0, r) <= ROUNDED * size + DBL_EPSILON * most)) return 0;
  }
  return 1;
}
#endif

static double sweep_any(const Sweeper *sweeper, int backwards, double relaxation, double *r,
                        SolverReport *report) {
  const Problem *p = sweeper->p;
  Sweep sweep = {sweeper, r, relaxation, backwards};
#ifdef VALIDATE
  const double before = largest_of(p, r);
#endif
  operator_set(p, r);
  PartSum sum =
      sweeper->colouring ? visit_colours(&sweep, sweeper->colouring) : visit_range(&sweep, 0, p->n);
#ifdef VALIDATE
  assert(relaxation != 1 || sweeper->general || are_on_cones(p, r, before));
#endif
  report->no_local_solution = sum.none;
  report->blocks += operator_cost(p);
  return sum.norm > 0 ? sqrt(sum.change / sum.norm) : (sum.change > 0 ? 1 : 0);
}

double sweeper_sweep(const Sweeper *sweeper, double relaxation, double *r, SolverReport *report) {
  return sweep_any(sweeper, 0, relaxation, r, report);
}

double sweeper_sweep_back(const Sweeper *sweeper, double relaxation, double *r,
                          SolverReport *report) {
  return sweep_any(sweeper, 1, relaxation, r, report);
}

Status sweeper_symmetric_init(Sweeper *sweeper, Arena *arena, Err *err) {
  const Problem *p = sweeper->p;
  SweepHalves *halves;
  if (sweeper->colouring || sweeper->order || operator_by_bodies(p)) return OK;
  ARENA_NEW(halves, 1, arena, err);
  ARENA_NEW(halves->middle, p->n, arena, err);
  ARENA_NEW(halves->low, p->n * p->dim, arena, err);
  ARENA_NEW(halves->up, p->n * p->dim, arena, err);
  ARENA_NEW(halves->up_older, p->n * p->dim, arena, err);
  for (int i = 0; i < p->n; i++) {
    int64_t e = p->blocks.ptr[i], end = p->blocks.ptr[i + 1];
    while (e < end && p->blocks.col[e] < i) e++;
    halves->middle[i] = e;
    for (; e < end; e++)
      if (p->blocks.col[e] < i) return OK; // the row is not sorted
  }
  sweeper->halves = halves;
  return OK;
}

void sweeper_symmetric_start(const Sweeper *sweeper, const double *r, SolverReport *report) {
  const Problem *p = sweeper->p;
  const SweepHalves *halves = sweeper->halves;
  static const double zero[3] = {0};
  if (!halves) return;
  for (int i = 0; i < p->n; i++)
    row_part(p, halves->middle[i], p->blocks.ptr[i + 1], r, zero,
             halves->up + (size_t)i * (size_t)p->dim);
  memcpy(halves->up_older, halves->up, (size_t)p->n * (size_t)p->dim * sizeof *halves->up);
  report->blocks += p->blocks.ptr[p->n] / 2;
}

// Forth: what is right of the diagonal is known from the last results, what is left of it is kept
// for the way back; there the products with the new impulses are kept for the next sweep.
ALWAYS_INLINE int visit_halves(const Sweep *sweep, double beta, const int dim, const int general) {
  const Problem *p = sweep->sweeper->p;
  const SweepHalves *h = sweep->sweeper->halves;
  static const double zero[3] = {0};
  PartSum sum = {0};
  double u[3];
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)dim * (size_t)i;
    double *low = h->low + at;
    row_sum(p, dim, p->blocks.ptr[i], h->middle[i], sweep->r, p->b + at, low);
    for (size_t k = 0; k < (size_t)dim; k++)
      u[k] = low[k] + h->up[at + k] + beta * (h->up[at + k] - h->up_older[at + k]);
    visit(sweep, dim, general, i, u, &sum);
  }
  sum.none = 0;
  for (int i = p->n - 1; i >= 0; i--) {
    size_t at = (size_t)dim * (size_t)i;
    double right[3];
    row_sum(p, dim, h->middle[i], p->blocks.ptr[i + 1], sweep->r, zero, right);
    for (size_t k = 0; k < (size_t)dim; k++) {
      h->up_older[at + k] = h->up[at + k];
      h->up[at + k] = right[k];
      u[k] = h->low[at + k] + right[k];
    }
    visit(sweep, dim, general, i, u, &sum);
  }
  return sum.none;
}

void sweeper_symmetric(const Sweeper *sweeper, double beta, double *r, SolverReport *report) {
  const Problem *p = sweeper->p;
  if (!sweeper->halves) {
    sweeper_sweep(sweeper, 1, r, report);
    sweeper_sweep_back(sweeper, 1, r, report);
    return;
  }
  Sweep sweep = {sweeper, r, 1, 0};
  if (p->dim == 2)
    report->no_local_solution =
        sweeper->general ? visit_halves(&sweep, beta, 2, 1) : visit_halves(&sweep, beta, 2, 0);
  else
    report->no_local_solution =
        sweeper->general ? visit_halves(&sweep, beta, 3, 1) : visit_halves(&sweep, beta, 3, 0);
  report->blocks += p->blocks.ptr[p->n] + 2 * (int64_t)p->n;
}

double sweeper_error(const Sweeper *sweeper, const double *r, SolverReport *report) {
  report->blocks += operator_cost(sweeper->p);
  return measure_error(sweeper->p, sweeper->scale, r);
}
