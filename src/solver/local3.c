#include "solver/local3.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "solver/cone.h"

// |psi| at which the slip equation counts as solved: a few units of the last place.
static const double ROOT = 1e-13;
// Newton steps before the bracket is only halved, and all steps allowed.
enum { NEWTON_STEPS = 25, MOST_STEPS = 200 };
// Of the fixed point that stands in where no status fits.
enum { FIXED_POINT_STEPS = 100 };
// Relative size below which a sign or a product counts as fulfilled.
static const double SLACK = 1e-12;

double local3_invert(const double d[9], double inv[9]) {
  double c0 = d[4] * d[8] - d[5] * d[7], c1 = d[5] * d[6] - d[3] * d[8],
         c2 = d[3] * d[7] - d[4] * d[6];
  double det = d[0] * c0 + d[1] * c1 + d[2] * c2;
  memset(inv, 0, 9 * sizeof *inv);
  if (det == 0) return 0;
  inv[0] = c0 / det;
  inv[1] = (d[2] * d[7] - d[1] * d[8]) / det;
  inv[2] = (d[1] * d[5] - d[2] * d[4]) / det;
  inv[3] = c1 / det;
  inv[4] = (d[0] * d[8] - d[2] * d[6]) / det;
  inv[5] = (d[2] * d[3] - d[0] * d[5]) / det;
  inv[6] = c2 / det;
  inv[7] = (d[1] * d[6] - d[0] * d[7]) / det;
  inv[8] = (d[0] * d[4] - d[1] * d[3]) / det;
  return det;
}

int local3_prepare(Local3 *local, const double d[9], double mu, double radius) {
  *local = (Local3){.inv_n = d[0] > 0 ? 1 / d[0] : 0, .mu = mu, .radius = radius};
  for (int k = 0; k < 2; k++) {
    local->tn[k] = d[3 * (k + 1)] * local->inv_n;
    local->nt[k] = d[k + 1] * local->inv_n;
    for (int l = 0; l < 2; l++)
      local->s[2 * k + l] = d[3 * (k + 1) + l + 1] - d[3 * (k + 1)] * d[l + 1] * local->inv_n;
  }
  double trace = d[0] + d[4] + d[8];
  double det = local3_invert(d, local->inv);
  // A singular block never sticks by its inverse; slip with a tiny lambda stands for it.
  if (!(fabs(det) > 16 * DBL_EPSILON * trace * d[0] * trace))
    memset(local->inv, 0, sizeof local->inv);
  local->smallest = 4 * DBL_EPSILON * trace;
  local->lambda = -1;
  local->several = !(mu * sqrt(d[1] * d[1] + d[2] * d[2]) < d[0]);
  return !local->several;
}

// rho at lambda; returns psi = (mu rho_N + c) / |rho_T| - 1 and its slope.
static double slip_equation(const Local3 *local, const double g[2], double free_n, double lambda,
                            double rho[3], double *slope) {
  double a = local->s[0] + lambda, d = local->s[3] + lambda, b = local->s[1], c = local->s[2];
  double inv_det = 1 / (a * d - b * c);
  double t0 = -(d * g[0] - b * g[1]) * inv_det, t1 = -(a * g[1] - c * g[0]) * inv_det;
  double n = -(free_n * local->inv_n + local->nt[0] * t0 + local->nt[1] * t1);
  double d0 = -(d * t0 - b * t1) * inv_det, d1 = -(a * t1 - c * t0) * inv_det; // d rho_T / d lambda
  double inv_t = 1 / sqrt(t0 * t0 + t1 * t1), bound = local->mu * n + local->radius;
  rho[0] = n;
  rho[1] = t0;
  rho[2] = t1;
  *slope = -inv_t * (local->mu * (local->nt[0] * d0 + local->nt[1] * d1) +
                     bound * (t0 * d0 + t1 * d1) * inv_t * inv_t);
  return bound * inv_t - 1;
}

int local3_slip(Local3 *local, const double free[3], double rho[3]) {
  double g[2] = {free[1] - local->tn[0] * free[0], free[2] - local->tn[1] * free[0]};
  double limit = -local->mu * free[0] * local->inv_n + local->radius; // bound for lambda -> inf
  if (!(limit > 0)) { // no friction: the tangent is free
    rho[0] = -free[0] * local->inv_n;
    rho[1] = rho[2] = 0;
    return rho[0] >= 0 ? 2 : -1;
  }
  double low = local->smallest, high = (double)INFINITY, slope;
  double middle = 0.5 * (local->s[0] + local->s[3]);
  double lambda = local->lambda;
  if (lambda < 0) lambda = sqrt(g[0] * g[0] + g[1] * g[1]) / limit - middle; // exact for a sphere
  if (!(lambda > low)) lambda = low;
  for (int k = 0; k < MOST_STEPS; k++) {
    double psi = slip_equation(local, g, free[0], lambda, rho, &slope);
    if (fabs(psi) <= ROOT) break;
    if (psi < 0)
      low = lambda;
    else if (lambda <= local->smallest)
      return 1; // inside the cone: it sticks, and D is singular
    else
      high = lambda;
    if (high < (double)INFINITY && high - low <= 2 * DBL_EPSILON * high) break;
    double next = lambda - psi / slope;
    if (!(next > low && next < high) || k >= NEWTON_STEPS)
      next = high < (double)INFINITY ? 0.5 * (low + high) : 2 * lambda + middle;
    lambda = next;
  }
  local->lambda = lambda;
  // Exactly on the cone, so that the result is feasible.
  double bound = local->mu * rho[0] + local->radius;
  if (rho[0] < 0) return -1;
  double scale = bound / sqrt(rho[1] * rho[1] + rho[2] * rho[2]);
  rho[1] *= scale;
  rho[2] *= scale;
  return 2;
}

int local3_wedged(Local3 *local, const double free[3], double rho[3]) {
  const double *v = local->inv;
  double n = -(v[0] * free[0] + v[1] * free[1] + v[2] * free[2]);
  double s = -(v[3] * free[0] + v[4] * free[1] + v[5] * free[2]);
  double t = -(v[6] * free[0] + v[7] * free[1] + v[8] * free[2]);
  if (n > 0 && s * s + t * t <= local->mu * n * local->mu * n) {
    rho[0] = n;
    rho[1] = s;
    rho[2] = t;
    return 1;
  }
  // No change of sign to rely on: Newton from the last lambda finds the branch or it has ended.
  double g[2] = {free[1] - local->tn[0] * free[0], free[2] - local->tn[1] * free[0]};
  double lambda = fmax(local->lambda, local->smallest), slope;
  for (int k = 0; k < NEWTON_STEPS; k++) {
    double psi = slip_equation(local, g, free[0], lambda, rho, &slope);
    if (fabs(psi) <= ROOT && rho[0] > 0) {
      local->lambda = lambda;
      return 2;
    }
    lambda -= psi / slope;
    if (!(lambda >= local->smallest) || !isfinite(lambda)) return 0;
  }
  return 0;
}

static void velocity(const double d[9], const double free[3], const double rho[3], double u[3]) {
  for (int k = 0; k < 3; k++)
    u[k] = free[k] + d[3 * k] * rho[0] + d[3 * k + 1] * rho[1] + d[3 * k + 2] * rho[2];
}

// rho_N = 0, the tangent in the disk of the extra radius alone: the same equation in the plane.
static void torn(const Local3 *local, const double d[9], const double free[3], double rho[3]) {
  rho[0] = rho[1] = rho[2] = 0;
  if (!(local->radius > 0)) return;
  double low = local->smallest, high = (double)INFINITY, lambda = low;
  for (int k = 0; k < MOST_STEPS; k++) {
    double a = d[4] + lambda, b = d[5], c = d[7], e = d[8] + lambda, det = a * e - b * c;
    rho[1] = -(e * free[1] - b * free[2]) / det;
    rho[2] = -(a * free[2] - c * free[1]) / det;
    double t = sqrt(rho[1] * rho[1] + rho[2] * rho[2]);
    if (t <= local->radius && lambda <= local->smallest) return;
    if (fabs(t - local->radius) <= ROOT * local->radius) return;
    if (t > local->radius)
      low = lambda;
    else
      high = lambda;
    if (high < (double)INFINITY && high - low <= 2 * DBL_EPSILON * high) return;
    lambda = high < (double)INFINITY ? 0.5 * (low + high) : 2 * lambda + d[4] + d[8];
  }
}

// rho <- P(rho - (u + mu |u_T| e_N) / |D|): De Saxce and Feng 1998. Returns 1 when it settled.
static int fixed_point(const Local3 *local, const double d[9], const double free[3],
                       double rho[3]) {
  double scale = 1 / (d[0] + d[4] + d[8]);
  cone_project(3, local->mu, local->radius, rho);
  for (int k = 0; k < FIXED_POINT_STEPS; k++) {
    double u[3], old[3] = {rho[0], rho[1], rho[2]};
    velocity(d, free, rho, u);
    for (int l = 0; l < 3; l++) rho[l] -= scale * u[l];
    rho[0] -= scale * local->mu * sqrt(u[1] * u[1] + u[2] * u[2]);
    cone_project(3, local->mu, local->radius, rho);
    double change = 0, size = 0;
    for (int l = 0; l < 3; l++) {
      change += fabs(rho[l] - old[l]);
      size += fabs(rho[l]);
    }
    if (change <= SLACK * size) return 1;
  }
  return 0;
}

int local3_enumerate(Local3 *local, const double d[9], const double free[3], double rho[3]) {
  double u[3], speed = SLACK * (fabs(free[0]) + fabs(free[1]) + fabs(free[2]));
  if (local->several && !(local->radius > 0) && rho[0] > 0 && free[0] >= 0) {
    int wedged = local3_wedged(local, free, rho);
    if (wedged) return wedged;
  }
  torn(local, d, free, rho);
  velocity(d, free, rho, u);
  if (u[0] >= -speed) return 0;
  for (int k = 0; k < 3; k++)
    rho[k] = -(local->inv[3 * k] * free[0] + local->inv[3 * k + 1] * free[1] +
               local->inv[3 * k + 2] * free[2]);
  int regular = local->inv[0] != 0 || local->inv[4] != 0;
  if (regular && rho[0] >= 0 &&
      sqrt(rho[1] * rho[1] + rho[2] * rho[2]) <= local->mu * rho[0] + local->radius)
    return 1;
  int status = local3_slip(local, free, rho);
  if (status >= 0) return status;
  return fixed_point(local, d, free, rho) ? 2 : -1;
}
