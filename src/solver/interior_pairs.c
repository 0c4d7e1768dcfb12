// In the plane the disk is two pairs: f+- = mu rho_N + radius +- rho_T, u'_T = lambda+ - lambda-.

#include <math.h>

#include "solver/interior_cone.h"

// The three positive parts of an impulse rho; those of the disk mean nothing where there is none.
static void parts_of(const Problem *p, int i, const double *rho, double f[3]) {
  double bound = p->mu[i] * rho[0] + (p->radius ? p->radius[i] : 0);
  f[0] = rho[0];
  f[1] = bound + rho[1];
  f[2] = bound - rho[1];
}

// Their changes with a step x of rho.
static void changes_of(const Problem *p, int i, const double *x, double df[3]) {
  df[0] = x[0];
  df[1] = p->mu[i] * x[0] + x[1];
  df[2] = p->mu[i] * x[0] - x[1];
}

static int pairs_of(const Problem *p, int i) {
  return interior_has_disk(p, i) ? 3 : 1;
}

static double aim_of(const Interior *in, size_t pair, double sigma, int second) {
  return sigma * interior_weight(in, pair) - (second ? in->affine[pair] : 0);
}

static void draw_in(Interior *in, int i, double inside) {
  double *rho = in->rho + 2 * (size_t)i;
  rho[1] = fmax(-inside, fmin(inside, rho[1]));
}

static void centre(Interior *in, int i, double product, int weighted) {
  double f[3];
  parts_of(in->p, i, in->rho + 2 * (size_t)i, f);
  for (size_t k = 1; k < 3; k++) {
    size_t pair = 3 * (size_t)i + k;
    in->lambda[pair] = 0;
    if (!interior_has_disk(in->p, i)) continue;
    in->lambda[pair] = product / f[k] * (weighted ? interior_weight(in, pair) : 1);
  }
}

static void add_gap(const Interior *in, int i, double *sum) {
  double f[3];
  parts_of(in->p, i, in->rho + 2 * (size_t)i, f);
  for (int k = 0; k < pairs_of(in->p, i); k++) *sum += f[k] * in->lambda[3 * (size_t)i + k];
}

static void matrix(const Interior *in, int i, double *p, double *q) {
  const double *lambda = in->lambda + 3 * (size_t)i;
  double f[3];
  parts_of(in->p, i, in->rho + 2 * (size_t)i, f);
  q[3] = 1;
  if (!interior_has_disk(in->p, i)) return;
  double plus = lambda[1] / f[1], minus = lambda[2] / f[2];
  p[3] = 1;
  q[2] = in->p->mu[i] * (plus - minus);
  q[3] = plus + minus;
}

static void aims(const Interior *in, int i, double sigma, int second, double *v) {
  size_t pair = 3 * (size_t)i;
  double f[3];
  parts_of(in->p, i, in->rho + 2 * (size_t)i, f);
  const double *u = in->u + 2 * (size_t)i;
  v[0] = aim_of(in, pair, sigma, second) / f[0] - u[0];
  v[1] = aim_of(in, pair + 1, sigma, second) / f[1] - aim_of(in, pair + 2, sigma, second) / f[2] -
         u[1];
}

static void steps(Interior *in, int i, double sigma, int second, double *longest) {
  const double *lambda = in->lambda + 3 * (size_t)i;
  double f[3], df[3], *dlambda = in->dlambda + 3 * (size_t)i;
  parts_of(in->p, i, in->rho + 2 * (size_t)i, f);
  changes_of(in->p, i, in->drho + 2 * (size_t)i, df);
  dlambda[1] = dlambda[2] = 0;
  for (int k = 0; k < pairs_of(in->p, i); k++) {
    double aim = aim_of(in, 3 * (size_t)i + (size_t)k, sigma, second);
    dlambda[k] = (aim - lambda[k] * (f[k] + df[k])) / f[k];
    if (df[k] * *longest < -f[k]) *longest = -f[k] / df[k];
    if (dlambda[k] * *longest < -lambda[k]) *longest = -lambda[k] / dlambda[k];
  }
}

static void add_affine(Interior *in, int i, double length, double *gap) {
  double f[3], df[3];
  parts_of(in->p, i, in->rho + 2 * (size_t)i, f);
  changes_of(in->p, i, in->drho + 2 * (size_t)i, df);
  for (int k = 0; k < pairs_of(in->p, i); k++) {
    size_t pair = 3 * (size_t)i + (size_t)k;
    in->affine[pair] = df[k] * in->dlambda[pair];
    *gap += (f[k] + length * df[k]) * (in->lambda[pair] + length * in->dlambda[pair]);
  }
}

static void correct(Interior *in, int i, double sigma, double length) {
  double f[3], df[3];
  parts_of(in->p, i, in->rho + 2 * (size_t)i, f);
  changes_of(in->p, i, in->drho + 2 * (size_t)i, df);
  for (int k = 0; k < pairs_of(in->p, i); k++) {
    size_t pair = 3 * (size_t)i + (size_t)k;
    double v = (f[k] + length * df[k]) * (in->lambda[pair] + length * in->dlambda[pair]);
    in->affine[pair] -= interior_pull(v, sigma * interior_weight(in, pair));
  }
}

static void add_log_product(const Interior *in, int i, const double *x, const double *x_lambda,
                            const double *y, const double *y_lambda, double *sum) {
  double f[3], dx[3], dy[3];
  parts_of(in->p, i, in->rho + 2 * (size_t)i, f);
  changes_of(in->p, i, x, dx);
  changes_of(in->p, i, y, dy);
  for (int k = 0; k < pairs_of(in->p, i); k++) {
    double l = in->lambda[3 * (size_t)i + (size_t)k];
    *sum += dx[k] * dy[k] / (f[k] * f[k]) + x_lambda[k] * y_lambda[k] / (l * l);
  }
}

static void velocity(const Interior *in, int i, double *v) {
  const double *lambda = in->lambda + 3 * (size_t)i;
  v[0] = lambda[0];
  v[1] = lambda[1] - lambda[2];
}

static int slips(const Interior *in, int i, double *t) {
  const double *lambda = in->lambda + 3 * (size_t)i, d = in->d[2 * (size_t)i + 1];
  double f[3];
  int found = 0;
  parts_of(in->p, i, in->rho + 2 * (size_t)i, f);
  if (f[1] * d < lambda[1]) {
    found = 1;
    *t = -1;
  }
  if (f[2] * d < lambda[2] && (!found || lambda[2] * f[1] > lambda[1] * f[2])) {
    found = 1;
    *t = 1;
  }
  return found;
}

const InteriorCone interior_pairs = {
    .n_lambda = 3,
    .draw_in = draw_in,
    .centre = centre,
    .add_gap = add_gap,
    .matrix = matrix,
    .aims = aims,
    .steps = steps,
    .add_affine = add_affine,
    .correct = correct,
    .add_log_product = add_log_product,
    .velocity = velocity,
    .slips = slips,
};
