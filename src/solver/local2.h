// solver/local2.h -- the one-contact problem in the plane, solved exactly.
//
// Given u = free + D rho, find rho with 0 <= u_N _|_ rho_N >= 0 and Coulomb's law with radius
// mu rho_N + radius. Explicit four-status solution of Jean 1999, eq. (34); under its condition
// (33), mu |W_NT / W_NN| < 1, the solution is unique and one of the four always fits.

#ifndef SOLVER_LOCAL2_H
#define SOLVER_LOCAL2_H

// What of a diagonal block can be computed once: one cache line.
typedef struct {
  double inv[4];            // D^-1, zero when D has none: then only local2_enumerate may be used
  double forward, backward; // 1 / (D_NN -+ mu D_NT): rho_N per -u_N when slipping
  double mu;
  double radius;
} Local2;

// Returns 1 if condition (33) holds.
int local2_prepare(Local2 *local, const double d[4], double mu, double radius);

static inline int local2_singular(const Local2 *local) {
  return local->inv[0] == 0 && local->inv[3] == 0;
}

// Solution without extra radius (the hot path); returns the status 0 open, 1 stick, 2 slip.
static inline int local2_solve(const Local2 *local, double free_n, double free_t, double rho[2]) {
  if (free_n > 0) {
    rho[0] = rho[1] = 0;
    return 0;
  }
  double n = -(local->inv[0] * free_n + local->inv[1] * free_t);
  double t = -(local->inv[2] * free_n + local->inv[3] * free_t);
  double bound = local->mu * n;
  if (-t > bound) { // forward: u_T > 0, friction -mu rho_N
    rho[0] = -free_n * local->forward;
    rho[1] = -local->mu * rho[0];
    return 2;
  }
  if (t > bound) {
    rho[0] = -free_n * local->backward;
    rho[1] = local->mu * rho[0];
    return 2;
  }
  rho[0] = n;
  rho[1] = t;
  return 1;
}

// The same with a radius and without assuming (33): tries the statuses one after another and
// checks each. Returns the status, or -1 with the best guess when none fits.
int local2_enumerate(const Local2 *local, const double d[4], const double free[2], double rho[2]);

#endif
