#include "solver/measure.h"

#include <float.h>
#include <math.h>

#include "solver/cone.h"
#include "solver/item.h"
#include "solver/operator.h"

enum { PARTS = 64 };     // sums are taken part by part, whatever the number of threads
enum { NORM_STEPS = 3 }; // the cubic is 3 % off at first, then 2e-4, 1e-8, round-off

static const double NORM_RISE = 1.1547005383792515; // 2 / sqrt(3): of t with s at 0

double measure_block_norm(int dim, const double *a) {
  if (dim == 2) {
    // Largest eigenvalue of A^T A, closed form.
    double p = a[0] * a[0] + a[2] * a[2], q = a[1] * a[1] + a[3] * a[3],
           r = a[0] * a[1] + a[2] * a[3];
    return sqrt(0.5 * (p + q + sqrt((p - q) * (p - q) + 4 * r * r)));
  }
  // Largest eigenvalue of the symmetric B = A^T A: mean + p (1 + t), t^2 (t + 3) = 4 s^2, which is
  // the trigonometric formula without its functions. Newton's method from within 1 % of t.
  double b[6] = {0};
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 6; k++)
    for (int i = 0; i < 3; i++) b[k] += a[3 * i + pair[k][0]] * a[3 * i + pair[k][1]];
  double mean = (b[0] + b[1] + b[2]) / 3;
  double d0 = b[0] - mean, d1 = b[1] - mean, d2 = b[2] - mean;
  double off = b[3] * b[3] + b[4] * b[4] + b[5] * b[5];
  double p = sqrt((d0 * d0 + d1 * d1 + d2 * d2 + 2 * off) / 6);
  if (!(p > 0)) return sqrt(mean > 0 ? mean : 0);
  double det = d0 * (d1 * d2 - b[5] * b[5]) - b[3] * (b[3] * d2 - b[5] * b[4]) +
               b[4] * (b[3] * b[5] - d1 * b[4]);
  double half = det / (2 * p * p * p);
  double square = 0.5 * (1 + (half > 1 ? 1 : (half < -1 ? -1 : half))), t = 0;
  if (square > 0) t = NORM_RISE * sqrt(square) - (NORM_RISE - 1) * square;
  for (int k = 0; k < NORM_STEPS && square > 0; k++)
    t -= (t * t * (t + 3) - 4 * square) / (3 * t * (t + 2));
  return sqrt(mean + p * (1 + t));
}

void measure_scales(const Problem *p, double *scale) {
  int block = p->dim * p->dim;
  for (int i = 0; i < p->n; i++) {
    double norm = measure_block_norm(p->dim, p->diag + (size_t)i * block);
    scale[i] = norm > 0 ? 1 / norm : 0;
  }
}

double measure_box(const Item *item, int dim, double scale, const double *u, const double *rho) {
  double sum = 0;
  for (int k = 0; k < dim; k++) {
    double off = rho[k] - item_clamp(item, k, rho[k] - scale * u[k]);
    sum += off * off;
  }
  return sum;
}

double measure_contact(int dim, double mu, double radius, double scale, const double *u,
                       const double *rho) {
  double t = dim == 2 ? fabs(u[1]) : sqrt(u[1] * u[1] + u[2] * u[2]), z[3] = {0}, sum = 0;
  for (int k = 0; k < dim; k++) z[k] = rho[k] - scale * u[k];
  z[0] -= scale * mu * t;
  cone_project(dim, mu, radius, z);
  for (int k = 0; k < dim; k++) sum += (rho[k] - z[k]) * (rho[k] - z[k]);
  return sum;
}

void measure_unilateral(const Problem *p, int i, const double *r, const double *u, double *rho) {
  int dim = p->dim;
  const double *own = r + (size_t)i * dim;
  for (int k = 0; k < dim; k++) {
    rho[k] = own[k];
    if (p->s) rho[k] += p->s[(size_t)i * dim + k];
    if (p->a) rho[k] += p->a[2 * (size_t)i + (k > 0)] * u[k];
  }
}

// Square of the residual of item i.
static double residual_of(const Problem *p, int i, double scale, const double *u,
                          const double *rho) {
  if (item_is_box(p, i)) return measure_box(&p->item[i], p->dim, scale, u, rho);
  return measure_contact(p->dim, p->mu[i], p->radius ? p->radius[i] : 0, scale, u, rho);
}

// u' and rho of contact i for the impulses r.
static void contact_state(const Problem *p, int i, const double *r, double *u, double *rho) {
  operator_row(p, i, r, u);
  measure_unilateral(p, i, r, u, rho);
}

// |rho|^2, or |r|^2 where the unilateral part is the small difference of springs and shifts.
static double contact_size(int dim, const double *r, const double *rho) {
  double unilateral = 0, total = 0;
  for (int k = 0; k < dim; k++) {
    unilateral += rho[k] * rho[k];
    total += r[k] * r[k];
  }
  return unilateral > total ? unilateral : total;
}

void measure_add(const Problem *p, int i, double scale, const double *r, const double *u,
                 double sum[2]) {
  double rho[3];
  measure_unilateral(p, i, r, u, rho);
  sum[0] += residual_of(p, i, scale, u, rho);
  sum[1] += contact_size(p->dim, r + (size_t)i * p->dim, rho);
}

double measure_ratio(double residual, double norm) {
  // Iterates that ran away: their squares overflow, and x/inf would look like success.
  if (!isfinite(residual) || !isfinite(norm)) return (double)INFINITY;
  if (norm > 0) return sqrt(residual / norm);
  return residual > 0 ? 1 : 0;
}

// Sums over contacts of squares: residuals and impulses, residuals as velocities, and what drives
// contacts that bear.
typedef struct {
  double residual, norm, velocity, drive;
} Sums;

// Those of the contacts [first, last).
static Sums range_sums(const Problem *p, const double *scale, const double *r, int first,
                       int last) {
  Sums sums = {0};
  for (int i = first; i < last; i++) {
    double u[3], rho[3];
    const double *own = r + (size_t)i * (size_t)p->dim, *b = p->b + (size_t)i * (size_t)p->dim;
    contact_state(p, i, r, u, rho);
    double residual = residual_of(p, i, scale[i], u, rho);
    sums.residual += residual;
    sums.norm += contact_size(p->dim, own, rho);
    if (scale[i] > 0) sums.velocity += residual / (scale[i] * scale[i]);
    for (int k = 0; k < p->dim && own[0] > 0; k++) sums.drive += b[k] * b[k];
  }
  return sums;
}

double measure_errors(const Problem *p, const double *scale, const double *r, double *velocity) {
  Sums part[PARTS] = {{0}}, all = {0};
  int size = (p->n + PARTS - 1) / PARTS;
  operator_set(p, r);
  if (!problem_for_threads(p)) { // a parallel region costs more than a small problem
    all = range_sums(p, scale, r, 0, p->n);
  } else {
#pragma omp parallel for schedule(static)
    for (int k = 0; k < PARTS; k++) {
      int64_t first = (int64_t)k * size, last = first + size;
      if (first < p->n)
        part[k] = range_sums(p, scale, r, (int)first, (int)(last < p->n ? last : p->n));
    }
    for (int k = 0; k < PARTS; k++) {
      all.residual += part[k].residual;
      all.norm += part[k].norm;
      all.velocity += part[k].velocity;
      all.drive += part[k].drive;
    }
  }
  if (velocity) *velocity = measure_ratio(all.velocity, all.drive);
  return measure_ratio(all.residual, all.norm);
}

double measure_error(const Problem *p, const double *scale, const double *r) {
  return measure_errors(p, scale, r, NULL);
}

// Half a unit in the last place.
static const double UNIT = 0.5 * DBL_EPSILON;

double measure_round_off(const Problem *p, const double *scale, const double *r) {
  double sum = 0, norm = 0;
  operator_set_sizes(p, r);
  for (size_t at = 0; at < (size_t)p->n * (size_t)p->dim; at++) {
    double size = scale[at / (size_t)p->dim] * UNIT * operator_size(p, at, r);
    sum += size * size;
    norm += r[at] * r[at];
  }
  return measure_ratio(sum, norm);
}

// Impulses over those that would bring what drives to rest below which they are next to nothing.
static const double NEXT_TO_NOTHING = 1e-6;

void measure_graze(Graze *graze, int dim, double residual, double scale, const double *b,
                   const double *rho) {
  double drive = 0, nothing = graze->nothing;
  for (int k = 0; k < dim; k++) {
    drive += scale * b[k] * scale * b[k];
    graze->norm += rho[k] * rho[k];
  }
  nothing = fmax(nothing * nothing, MEASURE_ROUND_OFF * MEASURE_ROUND_OFF * drive);
  graze->beyond += !(residual <= nothing);
  graze->residual += residual;
  graze->driven += drive;
}

int measure_only_grazes(const Graze *graze, double *left) {
  *left = measure_ratio(graze->residual, graze->driven);
  return graze->beyond == 0 && graze->norm <= NEXT_TO_NOTHING * NEXT_TO_NOTHING * graze->driven;
}

int measure_is_round_off(const Problem *p, const double *scale, const double *r, double *left) {
  Graze graze = {0};
  if (p->radius || p->s || p->a || p->item) return 0;
  operator_set(p, r);
  for (int i = 0; i < p->n && graze.beyond == 0; i++) {
    double u[3] = {0}, rho[3] = {0};
    contact_state(p, i, r, u, rho);
    measure_graze(&graze, p->dim, residual_of(p, i, scale[i], u, rho), scale[i],
                  p->b + (size_t)i * (size_t)p->dim, rho);
  }
  return measure_only_grazes(&graze, left);
}

// Part of the free velocities (as impulses) that the residual of a solution may reach.
static const double LARGEST_RESIDUAL = 0.1;
// Impulses of structures that stand are a few times those.
static const double FAR_AWAY = 10;

// Norms of the impulses, and of those that would bring what is free to rest.
static void norms(const Problem *p, const double *scale, const double *r, double *of_r,
                  double *of_drive) {
  size_t dim = (size_t)p->dim;
  double norm = 0, driven = 0;
  for (size_t k = 0; k < (size_t)p->n * dim; k++) {
    double impulse = scale[k / dim] * p->b[k];
    norm += r[k] * r[k];
    driven += impulse * impulse;
  }
  for (int i = 0; p->item && i < p->n; i++) { // what bounds ask for, nothing need drive
    double asked = item_is_box(p, i) ? item_clamp(&p->item[i], 0, 0) : 0;
    driven += asked * asked;
  }
  *of_r = sqrt(norm);
  *of_drive = sqrt(driven);
}

int measure_means_something(const Problem *p, const double *scale, const double *r, double error) {
  if (p->radius || p->s || p->a) return 1;
  double norm, driven;
  norms(p, scale, r, &norm, &driven);
  // Beside impulses large enough the residual vanishes altogether in round-off.
  return fmax(error, MEASURE_ROUND_OFF) * norm <= LARGEST_RESIDUAL * driven;
}

int measure_runs_away(const Problem *p, const double *scale, const double *r) {
  double norm, driven;
  norms(p, scale, r, &norm, &driven);
  return norm > FAR_AWAY * driven;
}

// Largest velocity that is given, or that bounds ask for.
static double given_velocity(const Problem *p) {
  double most = 0;
  size_t dim = (size_t)p->dim;
  for (size_t k = 0; k < (size_t)p->n * dim; k++) most = fmax(most, fabs(p->b[k]));
  for (size_t i = 0; i < (size_t)p->n; i++)
    if (item_is_box(p, (int)i))
      most = fmax(most, fabs(item_clamp(&p->item[i], 0, 0) * p->diag[i * dim * dim]));
  return most;
}

// Impulses of a sound problem may be as large as 1 / sqrt(tolerance) times those that would turn
// its velocities contact by contact: the error leaves an equality as much of its velocity.
double measure_missed_equality(const Problem *p, const double *r, double tolerance, size_t *row) {
  double most = 0, u[3];
  if (!p->item) return 0;
  operator_set(p, r);
  for (int i = 0; i < p->n; i++) {
    if (p->item[i].kind != ITEM_EQUALITY) continue;
    operator_row(p, i, r, u);
    for (int k = 0; k < p->item[i].rows; k++) {
      if (fabs(u[k]) <= most) continue;
      most = fabs(u[k]);
      if (row) *row = (size_t)i * (size_t)p->dim + (size_t)k;
    }
  }
  return most > sqrt(tolerance) * given_velocity(p) ? most : 0;
}

double measure_siconos(const Problem *p, const double *r) {
  double residual = 0, q = 0, rr = 0, uu = 0;
  operator_set(p, r);
  for (int i = 0; i < p->n; i++) {
    double u[3], rho[3];
    contact_state(p, i, r, u, rho);
    residual += residual_of(p, i, 1, u, rho);
    for (int k = 0; k < p->dim; k++) {
      q += p->b[(size_t)i * p->dim + k] * p->b[(size_t)i * p->dim + k];
      rr += rho[k] * rho[k];
      uu += u[k] * u[k];
    }
  }
  return measure_ratio(residual, fmax(q, fmax(rr, uu)));
}
