// Semi-smooth Newton on the function of Fischer and Burmeister over second-order cones (Fukushima,
// Luo and Tseng 2002): with x = (mu r_N, r_T) and y = s ((u_N + mu |u_T|) / mu, u_T), both in the
// self-dual cone y_0 >= |y_T|,
//   F = x + y - (x o x + y o y)^(1/2)
// vanishes exactly where x o y = 0, which is Coulomb's law in the form of De Saxce and Feng 1998.

#include <math.h>
#include <string.h>

#include "solver/local3.h"
#include "solver/newton_whole.h"
#include "solver/solver_table.h"

// Relative size by which the square root is kept off the boundary, where it has no derivative.
static const double SMOOTHING = 1e-9;

// Square root in the Jordan algebra of the cone; returns it in z.
static void jordan_root(int dim, const double *w, double *z) {
  double t = dim == 2 ? fabs(w[1]) : sqrt(w[1] * w[1] + w[2] * w[2]);
  double high = sqrt(w[0] + t), low = sqrt(fmax(0, w[0] - t));
  z[0] = 0.5 * (high + low);
  for (int k = 1; k < dim; k++) z[k] = t > 0 ? 0.5 * (high - low) * w[k] / t : 0;
}

static void arrow(int dim, const double *x, double *l) {
  for (int k = 0; k < 9; k++) l[k] = 0;
  for (int k = 0; k < 3; k++) l[4 * k] = x[0];
  for (int k = 1; k < dim; k++) l[k] = l[3 * k] = x[k];
}

// out [dim * dim] = (I - inv L) T for 3 x 3 inv and L, T given by its first row and diagonal.
static void chain(int dim, const double inv[9], const double l[9], const double *first,
                  const double *diag, double *out) {
  for (int k = 0; k < dim; k++) {
    double row[3];
    for (int m = 0; m < dim; m++) {
      row[m] = k == m;
      for (int q = 0; q < dim; q++) row[m] -= inv[3 * k + q] * l[3 * q + m];
    }
    for (int m = 0; m < dim; m++)
      out[k * dim + m] = row[m] * diag[m] + (m > 0 ? row[0] * first[m] : 0);
  }
}

static void fischer_burmeister(int dim, double mu, double step, const double *r, const double *u,
                               double *f, double *a, double *b) {
  if (!(mu > 0)) {
    contact_alart_curnier(dim, mu, step, r, u, f, a, b);
    return;
  }
  double t = dim == 2 ? fabs(u[1]) : sqrt(u[1] * u[1] + u[2] * u[2]);
  double x[3] = {mu * r[0]}, y[3] = {step * (u[0] / mu + t)}, w[3] = {0}, z[3] = {0};
  for (int k = 1; k < dim; k++) {
    x[k] = r[k];
    y[k] = step * u[k];
  }
  for (int k = 0; k < dim; k++) w[0] += x[k] * x[k] + y[k] * y[k];
  for (int k = 1; k < dim; k++) w[k] = 2 * (x[0] * x[k] + y[0] * y[k]);
  jordan_root(dim, w, z);
  for (int k = 0; k < dim; k++) f[k] = x[k] + y[k] - z[k];
  // Derivatives: I - L_z^-1 L_x and I - L_z^-1 L_y.
  double lz[9], lx[9], ly[9], inv[9];
  z[0] += SMOOTHING * z[0] + 1e-300;
  arrow(dim, z, lz);
  arrow(dim, x, lx);
  arrow(dim, y, ly);
  if (local3_invert(lz, inv) == 0) memset(inv, 0, sizeof inv);
  const double none[3] = {0}, dx[3] = {mu, 1, 1}, dy[3] = {step / mu, step, step};
  double lift[3] = {0};
  for (int k = 1; k < dim && t > 0; k++) lift[k] = step * u[k] / t;
  chain(dim, inv, lx, none, dx, b);
  chain(dim, inv, ly, lift, dy, a);
}

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  return newton_whole_solve(fischer_burmeister, p, settings, r, arena, report, err);
}

const SolverType solver_newton_fb = {
    .name = "newton_fb",
    .doc = "Semi-smooth Newton on all contacts, function of Fischer and Burmeister",
    .max_iterations = 2000,
    .pure_cone_only = 1,
    .needs_blocks = 1,
    .solve = solve,
};
