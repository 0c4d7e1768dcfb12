#include "solver/local2.h"

#include <float.h>
#include <math.h>

#include "solver/cone.h"

int local2_prepare(Local2 *local, const double d[4], double mu, double radius) {
  double det = d[0] * d[3] - d[1] * d[2];
  int singular = !(fabs(det) > 16 * DBL_EPSILON * fabs(d[0] * d[3]));
  double inv_det = singular ? 0 : 1 / det;
  local->inv[0] = d[3] * inv_det;
  local->inv[1] = -d[1] * inv_det;
  local->inv[2] = -d[2] * inv_det;
  local->inv[3] = d[0] * inv_det;
  local->forward = 1 / (d[0] - mu * d[1]);
  local->backward = 1 / (d[0] + mu * d[1]);
  local->mu = mu;
  local->radius = radius;
  return mu * fabs(d[1]) < d[0];
}

// Relative size below which a complementarity product or a sign counts as fulfilled.
static const double SLACK = 1e-12;

// Velocity for rho; how much is it off a solution with slip direction `sense` (0: stick)?
static int fits(const Local2 *local, const double d[4], const double free[2], const double rho[2],
                int sense) {
  double u_n = free[0] + d[0] * rho[0] + d[1] * rho[1],
         u_t = free[1] + d[2] * rho[0] + d[3] * rho[1];
  double speed = SLACK * (fabs(free[0]) + fabs(free[1]));
  double force = SLACK * (fabs(rho[0]) + fabs(rho[1]) + local->radius);
  if (!(u_n >= -speed && rho[0] >= -force)) return 0;
  if (!(fabs(rho[1]) <= local->mu * rho[0] + local->radius + force)) return 0;
  return sense == 0 || sense * u_t >= -speed;
}

// Tangential law alone at rho_N = 0 (open, or torn to the tensile limit).
static void open_contact(const Local2 *local, const double d[4], const double free[2],
                         double rho[2]) {
  double t = -free[1] / d[3];
  rho[0] = 0;
  rho[1] = fmax(-local->radius, fmin(local->radius, t));
}

int local2_enumerate(const Local2 *local, const double d[4], const double free[2], double rho[2]) {
  open_contact(local, d, free, rho);
  double u_t = free[1] + d[3] * rho[1];
  int sliding = rho[1] * u_t <= SLACK * fabs(free[1]) * local->radius;
  if (sliding && fits(local, d, free, rho, 0)) return 0;
  rho[0] = -(local->inv[0] * free[0] + local->inv[1] * free[1]);
  rho[1] = -(local->inv[2] * free[0] + local->inv[3] * free[1]);
  // Where D is singular the sticking impulses are a line that ends on the cone: a slip is found.
  if (!local2_singular(local) && fits(local, d, free, rho, 0)) return 1;
  for (int sense = 1; sense >= -1; sense -= 2) {
    // u_N = 0 with rho_T = -sense (mu rho_N + radius)
    double slope = d[0] - sense * local->mu * d[1];
    rho[0] = -(free[0] - sense * local->radius * d[1]) / slope;
    rho[1] = -sense * (local->mu * rho[0] + local->radius);
    if (slope != 0 && fits(local, d, free, rho, sense)) return 2;
  }
  // None fits: condition (33) is violated and the contact has no solution of its own. The
  // projection of the sticking impulse keeps the sweep going; the report tells.
  rho[0] = -(local->inv[0] * free[0] + local->inv[1] * free[1]);
  rho[1] = -(local->inv[2] * free[0] + local->inv[3] * free[1]);
  cone_project(2, local->mu, local->radius, rho);
  return -1;
}
