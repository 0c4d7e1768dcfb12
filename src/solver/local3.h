// solver/local3.h -- the one-contact problem in space, solved exactly.
//
// Given u = free + D rho, find rho with 0 <= u_N _|_ rho_N >= 0 and Coulomb's law with radius
// mu rho_N + c. Slip means u_N = 0 and u_T = -lambda rho_T with lambda > 0; eliminating rho_N
// leaves (S + lambda I) rho_T = -g with the 2 x 2 Schur complement S = D_TT - D_TN D_NT / D_NN and
// g = free_T - D_TN free_N / D_NN, and one equation for lambda (a quartic when squared: Bonnefon
// and Daviet 2011). It is solved in the form (mu rho_N + c) / |rho_T| = 1, which is linear in
// lambda for a sphere, by Newton's method inside a bracket: free_N < 0 changes its sign between 0
// and infinity.

#ifndef SOLVER_LOCAL3_H
#define SOLVER_LOCAL3_H

// What of a diagonal block can be computed once.
typedef struct {
  double inv[9];     // D^-1
  double s[4];       // S
  double tn[2];      // D_TN / D_NN
  double nt[2];      // D_NT / D_NN
  double inv_n;      // 1 / D_NN
  double mu, radius; //
  double smallest;   // lambda below which a contact counts as sticking: round-off of S
  double lambda;     // of the last slip: where the next one starts
  int several;       // 1: mu |D_NT| / D_NN >= 1, there may be several solutions
} Local3;

// Returns 1 if mu |D_NT| / D_NN < 1 (condition (33) of Jean 1999 in space): the solution is unique.
int local3_prepare(Local3 *local, const double d[9], double mu, double radius);

// Slip for free_N < 0 outside the cone of sticking.
int local3_slip(Local3 *local, const double free[3], double rho[3]);

// Stick or slip for free_N >= 0, which only a contact with several solutions knows beside open.
// Returns 0 when there is none.
int local3_wedged(Local3 *local, const double free[3], double rho[3]);

// Solution without extra radius (the hot path); returns the status 0 open, 1 stick, 2 slip.
// Of several solutions, open and closed, the one that the contact is in (rho_N on entry) is kept:
// the others would have it jump to and fro from sweep to sweep.
static inline int local3_solve(Local3 *local, const double free[3], double rho[3]) {
  if (free[0] >= 0) {
    if (local->several && rho[0] > 0) {
      int status = local3_wedged(local, free, rho);
      if (status) return status;
    }
    rho[0] = rho[1] = rho[2] = 0;
    return 0;
  }
  const double *v = local->inv;
  double n = -(v[0] * free[0] + v[1] * free[1] + v[2] * free[2]);
  double s = -(v[3] * free[0] + v[4] * free[1] + v[5] * free[2]);
  double t = -(v[6] * free[0] + v[7] * free[1] + v[8] * free[2]);
  double bound = local->mu * n;
  if (n > 0 && s * s + t * t <= bound * bound) {
    rho[0] = n;
    rho[1] = s;
    rho[2] = t;
    return 1;
  }
  return local3_slip(local, free, rho);
}

// The same with a radius: open or torn first, then stick, then slip; a projection fixed point when
// nothing fits. rho_N on entry as for local3_solve. Returns the status, or -1 with the best guess
// when there is no solution.
int local3_enumerate(Local3 *local, const double d[9], const double free[3], double rho[3]);

// Inverse of a 3 x 3 matrix; returns its determinant (0: `inv` is zero).
double local3_invert(const double d[9], double inv[9]);

#endif
