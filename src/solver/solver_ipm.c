// Interior points on second-order cones with De Saxce's correction inside: Newton's method on
//   x o y = sigma nu e,   y = s T^-1 (u + mu |u_T| e_N),   x = T r,   T = diag(mu, 1, 1), s = 1/|D|
// (the direction of Alizadeh, Haeberly and Overton 1998; the correction as Acary, Armand, Nguyen
// and Shpakovych 2023), one block factorisation an iteration, steps kept inside the cones. Statuses
// never have to be guessed, so the number of iterations hardly depends on the problem; where the
// correction makes the problem far from convex it may stall, and says so.

#include <math.h>
#include <string.h>

#include "solver/cone.h"
#include "solver/row_factors.h"
#include "solver/solver_table.h"
#include "solver/watch.h"

static const double CENTRE_GOOD = 0.1, CENTRE_BAD = 0.5;
static const double LONG_STEP = 0.7;   // steps above it ask for little centring
static const double SHORT_STEP = 1e-6; // steps below it, STALLED times, end the method
enum { STALLED = 10 };

typedef struct {
  Watch watch;
  RowFactors factors;
  double *r, *y, *u, *left, *right, *rhs, *dr, *du, *gap;
} Ipm;

static double norm_t(int dim, const double *x) {
  return dim == 2 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
}

// x = T r of a contact; without friction only the normal part counts.
static void to_cone(int dim, double mu, const double *r, double *x) {
  x[0] = mu > 0 ? mu * r[0] : r[0];
  for (int k = 1; k < dim; k++) x[k] = mu > 0 ? r[k] : 0;
}

// y that belongs to velocities u.
static void dual_of(int dim, double mu, double s, const double *u, double *y) {
  y[0] = mu > 0 ? s * (u[0] / mu + norm_t(dim, u)) : s * u[0];
  for (int k = 1; k < dim; k++) y[k] = mu > 0 ? s * u[k] : 0;
}

// Longest step that keeps x + t dx in y_0 >= |y_T|.
static double longest(int dim, const double *x, const double *dx) {
  double a = dx[0] * dx[0], b = x[0] * dx[0], c = x[0] * x[0], t = (double)INFINITY;
  for (int k = 1; k < dim; k++) {
    a -= dx[k] * dx[k];
    b -= x[k] * dx[k];
    c -= x[k] * x[k];
  }
  double disc = b * b - a * c;
  if (disc >= 0) { // first positive root of a t^2 + 2 b t + c
    double q = -(b + copysign(sqrt(disc), b)), one = a != 0 ? q / a : -1, two = q != 0 ? c / q : -1;
    if (one > 0) t = fmin(t, one);
    if (two > 0) t = fmin(t, two);
  }
  if (dx[0] < 0) t = fmin(t, -x[0] / dx[0]);
  return t;
}

// Rows of contact i: L_y T dr + L_x s T^-1 C du = sigma nu e - x o y - L_x gap.
static void rows(Ipm *ipm, int i, double target) {
  const Problem *p = ipm->watch.p;
  int dim = p->dim;
  size_t at = (size_t)i * (size_t)dim, block = at * (size_t)dim;
  double mu = p->mu[i], s = ipm->watch.scale[i], x[3] = {0}, wanted[3] = {0};
  double *y = ipm->y + at, *left = ipm->left + block, *right = ipm->right + block;
  const double *u = ipm->u + at;
  to_cone(dim, mu, ipm->r + at, x);
  dual_of(dim, mu, s, u, wanted);
  for (int k = 0; k < dim; k++) ipm->gap[at + (size_t)k] = wanted[k] - y[k];
  memset(left, 0, sizeof *left * (size_t)(dim * dim));
  memset(right, 0, sizeof *right * (size_t)(dim * dim));
  double t = norm_t(dim, u), first[3] = {mu > 0 ? s / mu : s, 0, 0};
  for (int k = 1; k < dim; k++) first[k] = mu > 0 && t > 0 ? s * u[k] / t : 0;
  double product = 0, correction = 0;
  for (int k = 0; k < dim; k++) {
    product += x[k] * y[k];
    correction += x[k] * ipm->gap[at + (size_t)k];
  }
  ipm->rhs[at] = target - product - correction;
  for (int k = 0; k < dim; k++) { // row 0: y . dx + x . dy
    right[k] = y[k] * (k == 0 && mu > 0 ? mu : 1);
    left[k] = x[0] * first[k] + (k > 0 ? x[k] * s : 0);
  }
  for (int k = 1; k < dim; k++) {
    if (!(mu > 0)) { // no friction: r_T = 0
      right[k * dim + k] = 1;
      ipm->rhs[at + (size_t)k] = -ipm->r[at + (size_t)k];
      continue;
    }
    // row k: y_0 dx_k + y_k dx_0 + x_0 dy_k + x_k dy_0
    right[k * dim] = y[k] * mu;
    right[k * dim + k] = y[0];
    for (int l = 0; l < dim; l++) left[k * dim + l] = x[k] * first[l] + (l == k ? x[0] * s : 0);
    ipm->rhs[at + (size_t)k] =
        -(x[0] * y[k] + y[0] * x[k]) - x[0] * ipm->gap[at + (size_t)k] - x[k] * ipm->gap[at];
  }
}

// Mean of x . y over the contacts.
static double centrality(const Ipm *ipm) {
  const Problem *p = ipm->watch.p;
  double sum = 0;
  for (int i = 0; i < p->n; i++) {
    double x[3];
    to_cone(p->dim, p->mu[i], ipm->r + (size_t)i * (size_t)p->dim, x);
    for (int k = 0; k < p->dim; k++) sum += x[k] * ipm->y[(size_t)i * (size_t)p->dim + (size_t)k];
  }
  return sum / p->n;
}

// Change of y that goes with du, gap included.
static void dual_step(const Ipm *ipm, int i, double *dy) {
  const Problem *p = ipm->watch.p;
  int dim = p->dim;
  size_t at = (size_t)i * (size_t)dim;
  const double *u = ipm->u + at, *du = ipm->du + at;
  double mu = p->mu[i], s = ipm->watch.scale[i], t = norm_t(dim, u);
  dy[0] = (mu > 0 ? s / mu : s) * du[0] + ipm->gap[at];
  for (int k = 1; k < dim; k++) {
    dy[k] = mu > 0 ? s * du[k] + ipm->gap[at + (size_t)k] : 0;
    if (mu > 0 && t > 0) dy[0] += s * u[k] / t * du[k];
  }
}

// One iteration; returns the step length taken, 0 when the matrix was singular.
static double iterate(Ipm *ipm, double centring) {
  const Problem *p = ipm->watch.p;
  int dim = p->dim;
  double target = centring * centrality(ipm), length = 1 / TO_BOUNDARY;
  for (int i = 0; i < p->n; i++) rows(ipm, i, target);
  int64_t *blocks = &ipm->watch.report->blocks;
  if (!row_factors_make(&ipm->factors, ipm->left, ipm->right, blocks)) return 0;
  row_factors_solve(&ipm->factors, ipm->rhs, ipm->dr, blocks);
  watch_velocity(&ipm->watch, ipm->dr, ipm->du);
  for (size_t k = 0; k < ipm->watch.size; k++) ipm->du[k] -= p->b[k];
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)i * (size_t)dim;
    double x[3] = {0}, dx[3] = {0}, dy[3] = {0};
    to_cone(dim, p->mu[i], ipm->r + at, x);
    to_cone(dim, p->mu[i], ipm->dr + at, dx);
    dual_step(ipm, i, dy);
    length = fmin(length, fmin(longest(dim, x, dx), longest(dim, ipm->y + at, dy)));
  }
  length *= TO_BOUNDARY;
  if (!isfinite(length)) return 0;
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)i * (size_t)dim;
    double dy[3] = {0};
    dual_step(ipm, i, dy);
    for (int k = 0; k < dim; k++) ipm->y[at + (size_t)k] += length * dy[k];
  }
  for (size_t k = 0; k < ipm->watch.size; k++) ipm->r[k] += length * ipm->dr[k];
  watch_velocity(&ipm->watch, ipm->r, ipm->u);
  return length;
}

static Status ipm_init(Ipm *ipm, Arena *arena, Err *err) {
  const Problem *p = ipm->watch.p;
  size_t size = ipm->watch.size, dim = (size_t)p->dim;
  TRY(row_factors_init(&ipm->factors, p, ipm->watch.settings->kept, arena, err));
  ARENA_NEW(ipm->r, size, arena, err);
  ARENA_NEW(ipm->y, size, arena, err);
  ARENA_NEW(ipm->u, size, arena, err);
  ARENA_NEW(ipm->left, size * dim, arena, err);
  ARENA_NEW(ipm->right, size * dim, arena, err);
  ARENA_NEW(ipm->rhs, size, arena, err);
  ARENA_NEW(ipm->dr, size, arena, err);
  ARENA_NEW(ipm->du, size, arena, err);
  ARENA_NEW(ipm->gap, size, arena, err);
  // Start on the axes of the cones, as far out as the impulses that stop the largest velocity.
  double far = 0;
  for (size_t k = 0; k < size; k++) far = fmax(far, fabs(p->b[k]) * ipm->watch.scale[k / dim]);
  if (!(far > 0)) far = 1;
  for (size_t k = 0; k < size; k++) {
    ipm->r[k] = k % dim == 0 ? far : 0;
    ipm->y[k] = k % dim == 0 ? far : 0;
  }
  watch_velocity(&ipm->watch, ipm->r, ipm->u);
  return OK;
}

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  Ipm ipm = {0};
  TRY(watch_init(&ipm.watch, p, settings, r, arena, report, err));
  if (p->n > 0) TRY(ipm_init(&ipm, arena, err));
  if (p->n == 0 || !ipm.factors.made) {
    if (p->n > 0) report->reason = "the factors would be too large";
    watch_finish(&ipm.watch, r);
    return OK;
  }
  watch_test(&ipm.watch, r);
  double centring = CENTRE_BAD;
  int stalled = 0;
  while (stalled < STALLED && watch_next(&ipm.watch)) {
    double length = iterate(&ipm, centring);
    watch_test_known(&ipm.watch, ipm.r, ipm.u);
    centring = length > LONG_STEP ? CENTRE_GOOD : CENTRE_BAD;
    stalled = length < SHORT_STEP ? stalled + 1 : 0;
    if (!(length > 0)) break;
  }
  watch_finish(&ipm.watch, r);
  if (!report->converged && report->iterations < settings->max_iterations)
    report->reason = "the steps became too short: De Saxce's correction is too strong here";
  return OK;
}

const SolverType solver_ipm = {
    .name = "ipm",
    .doc = "Interior points on second-order cones with De Saxce's correction inside",
    .max_iterations = 200,
    .pure_cone_only = 1,
    .needs_blocks = 1,
    .cones_only = 1,
    .solve = solve,
};
