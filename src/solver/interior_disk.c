// In space the disk is a cone of second order: f = (mu rho_N + radius, rho_T) and zeta, which is
// lambda[1 .. 3], are in it; u'_T = zeta_T, while zeta_0 is what the product asks for: f o zeta =
// 2 sigma e, which in the plane are the two pairs f+- and lambda+- = (zeta_0 +- zeta_T) / 2. The
// direction is that of Alizadeh, Haeberly and Overton 1998: the product as it stands, made linear.
// Scaled ones need det f det zeta, of which near the end too few digits are left.

#include <math.h>

#include "solver/interior_cone.h"

static double det(const double x[3]) {
  double t = sqrt(x[1] * x[1] + x[2] * x[2]);
  return (x[0] - t) * (x[0] + t);
}

static double dot(const double x[3], const double y[3]) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

static void cone_of(const Problem *p, int i, const double *rho, double f[3]) {
  f[0] = p->mu[i] * rho[0] + (p->radius ? p->radius[i] : 0);
  f[1] = rho[1];
  f[2] = rho[2];
}

static void change_of(const Problem *p, int i, const double *x, double df[3]) {
  df[0] = p->mu[i] * x[0];
  df[1] = x[1];
  df[2] = x[2];
}

// x o y of the cone's algebra.
static void multiply(const double x[3], const double y[3], double out[3]) {
  out[0] = dot(x, y);
  out[1] = x[0] * y[1] + y[0] * x[1];
  out[2] = x[0] * y[2] + y[0] * x[2];
}

static double weight_of(const Interior *in, int i) {
  return interior_weight(in, 4 * (size_t)i + 1);
}

static void draw_in(Interior *in, int i, double inside) {
  double *rho = in->rho + 3 * (size_t)i, t = sqrt(rho[1] * rho[1] + rho[2] * rho[2]);
  double share = t > inside ? inside / t : 1;
  rho[1] *= share;
  rho[2] *= share;
}

static void centre(Interior *in, int i, double product, int weighted) {
  double f[3], *zeta = in->lambda + 4 * (size_t)i + 1;
  zeta[0] = zeta[1] = zeta[2] = 0;
  if (!interior_has_disk(in->p, i)) return;
  cone_of(in->p, i, in->rho + 3 * (size_t)i, f);
  double over = 2 * product * (weighted ? weight_of(in, i) : 1) / det(f);
  zeta[0] = over * f[0];
  zeta[1] = -over * f[1];
  zeta[2] = -over * f[2];
}

static void add_gap(const Interior *in, int i, double *sum) {
  const double *rho = in->rho + 3 * (size_t)i, *lambda = in->lambda + 4 * (size_t)i;
  double f[3];
  *sum += rho[0] * lambda[0];
  cone_of(in->p, i, rho, f);
  if (interior_has_disk(in->p, i)) *sum += dot(f, lambda + 1);
}

// zeta_0 taken out of the rows by that of the product's first component:
//   (I - x x^T) du_T + (zeta_0 - x zeta_T^T) / f_0 drho_T + mu (zeta_T - x zeta_0) / f_0 drho_N,
// with x = rho_T / f_0.
static void matrix(const Interior *in, int i, double *p, double *q) {
  const double *zeta = in->lambda + 4 * (size_t)i + 1;
  double f[3], mu = in->p->mu[i];
  q[4] = q[8] = 1;
  if (!interior_has_disk(in->p, i)) return;
  cone_of(in->p, i, in->rho + 3 * (size_t)i, f);
  for (size_t k = 1; k < 3; k++) {
    double x = f[k] / f[0];
    q[3 * k] = mu * (zeta[k] - x * zeta[0]) / f[0];
    for (size_t l = 1; l < 3; l++) {
      p[3 * k + l] = (k == l) - x * f[l] / f[0];
      q[3 * k + l] = ((k == l) * zeta[0] - x * zeta[l]) / f[0];
    }
  }
}

static double normal_aim(const Interior *in, int i, double sigma, int second) {
  size_t at = 4 * (size_t)i;
  return sigma * interior_weight(in, at) - (second ? in->affine[at] : 0);
}

// Aim of the product.
static void aim_of(const Interior *in, int i, double sigma, int second, double aim[3]) {
  const double *affine = in->affine + 4 * (size_t)i + 1;
  aim[0] = 2 * sigma * weight_of(in, i) - (second ? affine[0] : 0);
  for (int k = 1; k < 3; k++) aim[k] = second ? -affine[k] : 0;
}

static void aims(const Interior *in, int i, double sigma, int second, double *v) {
  size_t at = 3 * (size_t)i;
  const double *u = in->u + at;
  double f[3], aim[3];
  v[0] = normal_aim(in, i, sigma, second) / in->rho[at] - u[0];
  v[1] = v[2] = 0;
  if (!interior_has_disk(in->p, i)) return;
  cone_of(in->p, i, in->rho + at, f);
  aim_of(in, i, sigma, second, aim);
  double along = (f[1] * u[1] + f[2] * u[2] - aim[0]) / f[0];
  for (int k = 1; k < 3; k++) v[k] = (aim[k] + f[k] * along) / f[0] - u[k];
}

// Longest step that keeps x + t dx in the cone, `most` at most.
static double longest_in(const double x[3], const double dx[3], double most) {
  double a = dx[0] * dx[0] - dx[1] * dx[1] - dx[2] * dx[2];
  double b = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2], c = det(x), disc = b * b - a * c;
  if (dx[0] * most < -x[0]) most = -x[0] / dx[0];
  if (!(disc >= 0)) return most;
  // The roots of a t^2 + 2 b t + c, without cancelling.
  double q = -(b + copysign(sqrt(disc), b)), one = a != 0 ? q / a : -1, two = q != 0 ? c / q : -1;
  if (one > 0) most = fmin(most, one);
  if (two > 0) most = fmin(most, two);
  return most;
}

static void steps(Interior *in, int i, double sigma, int second, double *longest) {
  size_t at = 3 * (size_t)i;
  const double *rho = in->rho + at, *drho = in->drho + at, *lambda = in->lambda + 4 * (size_t)i;
  const double *zeta = lambda + 1;
  double *dlambda = in->dlambda + 4 * (size_t)i, *dzeta = dlambda + 1, f[3], df[3], aim[3];
  dlambda[0] = (normal_aim(in, i, sigma, second) - lambda[0] * (rho[0] + drho[0])) / rho[0];
  if (drho[0] * *longest < -rho[0]) *longest = -rho[0] / drho[0];
  if (dlambda[0] * *longest < -lambda[0]) *longest = -lambda[0] / dlambda[0];
  dzeta[0] = dzeta[1] = dzeta[2] = 0;
  if (!interior_has_disk(in->p, i)) return;
  cone_of(in->p, i, rho, f);
  change_of(in->p, i, drho, df);
  aim_of(in, i, sigma, second, aim);
  for (size_t k = 1; k < 3; k++) dzeta[k] = in->u[at + k] + in->du[at + k] - zeta[k];
  dzeta[0] = (aim[0] - dot(f, zeta) - dot(zeta, df) - f[1] * dzeta[1] - f[2] * dzeta[2]) / f[0];
  *longest = longest_in(f, df, *longest);
  *longest = longest_in(zeta, dzeta, *longest);
}

static void add_affine(Interior *in, int i, double length, double *gap) {
  const double *rho = in->rho + 3 * (size_t)i, *drho = in->drho + 3 * (size_t)i;
  const double *lambda = in->lambda + 4 * (size_t)i, *dlambda = in->dlambda + 4 * (size_t)i;
  double *affine = in->affine + 4 * (size_t)i, f[3], df[3];
  affine[0] = drho[0] * dlambda[0];
  *gap += (rho[0] + length * drho[0]) * (lambda[0] + length * dlambda[0]);
  if (!interior_has_disk(in->p, i)) return;
  cone_of(in->p, i, rho, f);
  change_of(in->p, i, drho, df);
  multiply(df, dlambda + 1, affine + 1);
  for (int k = 0; k < 3; k++)
    *gap += (f[k] + length * df[k]) * (lambda[1 + k] + length * dlambda[1 + k]);
}

static void correct(Interior *in, int i, double sigma, double length) {
  const double *drho = in->drho + 3 * (size_t)i;
  const double *lambda = in->lambda + 4 * (size_t)i, *dlambda = in->dlambda + 4 * (size_t)i;
  double *affine = in->affine + 4 * (size_t)i, f[3], df[3], zeta[3], v[3];
  affine[0] -=
      interior_pull((in->rho[3 * (size_t)i] + length * drho[0]) * (lambda[0] + length * dlambda[0]),
                    sigma * interior_weight(in, 4 * (size_t)i));
  if (!interior_has_disk(in->p, i)) return;
  cone_of(in->p, i, in->rho + 3 * (size_t)i, f);
  change_of(in->p, i, drho, df);
  for (int k = 0; k < 3; k++) {
    f[k] += length * df[k];
    zeta[k] = lambda[1 + k] + length * dlambda[1 + k];
  }
  multiply(f, zeta, v);
  // The two values of the product, along its own direction.
  double t = sqrt(v[1] * v[1] + v[2] * v[2]), aim = 2 * sigma * weight_of(in, i);
  double more = interior_pull(v[0] + t, aim), less = interior_pull(v[0] - t, aim);
  affine[1] -= 0.5 * (more + less);
  for (int k = 1; k < 3 && t > 0; k++) affine[1 + k] -= 0.5 * (more - less) * v[k] / t;
}

// Of steps dx, dy from x, in the metric of -log det.
static double log_of(const double x[3], const double dx[3], const double dy[3]) {
  double of = det(x), one = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2],
         two = x[0] * dy[0] - x[1] * dy[1] - x[2] * dy[2];
  return 2 * (2 * one * two / of - (dx[0] * dy[0] - dx[1] * dy[1] - dx[2] * dy[2])) / of;
}

static void add_log_product(const Interior *in, int i, const double *x, const double *x_lambda,
                            const double *y, const double *y_lambda, double *sum) {
  const double *rho = in->rho + 3 * (size_t)i, *lambda = in->lambda + 4 * (size_t)i;
  double f[3], dx[3], dy[3];
  *sum += x[0] * y[0] / (rho[0] * rho[0]) + x_lambda[0] * y_lambda[0] / (lambda[0] * lambda[0]);
  if (!interior_has_disk(in->p, i)) return;
  cone_of(in->p, i, rho, f);
  change_of(in->p, i, x, dx);
  change_of(in->p, i, y, dy);
  *sum += log_of(f, dx, dy) + log_of(lambda + 1, x_lambda + 1, y_lambda + 1);
}

static void velocity(const Interior *in, int i, double *v) {
  const double *lambda = in->lambda + 4 * (size_t)i;
  v[0] = lambda[0];
  v[1] = lambda[2];
  v[2] = lambda[3];
}

static int slips(const Interior *in, int i, double *t) {
  const double *zeta = in->lambda + 4 * (size_t)i + 1;
  double f[3];
  cone_of(in->p, i, in->rho + 3 * (size_t)i, f);
  double force = sqrt(f[1] * f[1] + f[2] * f[2]);
  if (!(force > 0)) return 0;
  t[0] = f[1] / force;
  t[1] = f[2] / force;
  double lambda = 0.5 * (zeta[0] - t[0] * zeta[1] - t[1] * zeta[2]);
  return (f[0] - force) * in->d[2 * (size_t)i + 1] < lambda;
}

const InteriorCone interior_disk = {
    .n_lambda = 4,
    .needs_du = 1,
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
