// Semi-smooth Newton on the function of Alart and Curnier 1991 (the form of Jean and Moreau):
//   F_N = r_N - [r_N - s u_N]+,   F_T = r_T - P_disk(mu [r_N - s u_N]+)(r_T - s u_T),   s = 1/|D|.

#include <math.h>
#include <string.h>

#include "solver/newton_whole.h"
#include "solver/solver_table.h"

void contact_alart_curnier(int dim, double mu, double step, const double *r, const double *u,
                           double *f, double *a, double *b) {
  memset(a, 0, sizeof *a * (size_t)(dim * dim));
  memset(b, 0, sizeof *b * (size_t)(dim * dim));
  double z[3] = {0}, t = 0;
  for (int k = 0; k < dim; k++) z[k] = r[k] - step * u[k];
  for (int k = 1; k < dim; k++) t += z[k] * z[k];
  t = sqrt(t);
  int closed = z[0] > 0;
  double bound = closed ? mu * z[0] : 0;
  f[0] = closed ? step * u[0] : r[0];
  a[0] = closed ? step : 0;
  b[0] = closed ? 0 : 1;
  if (t <= bound) {
    for (int k = 1; k < dim; k++) {
      f[k] = step * u[k];
      a[k * dim + k] = step;
    }
    return;
  }
  for (int k = 1; k < dim; k++) {
    double dir = z[k] / t;
    f[k] = r[k] - bound * dir;
    b[k * dim + k] = 1;
    if (closed) { // the bound moves with r_N and u_N
      b[k * dim] = -mu * dir;
      a[k * dim] = mu * step * dir;
    }
    for (int l = 1; l < dim; l++) { // the direction turns
      double turn = bound / t * ((k == l) - dir * z[l] / t);
      b[k * dim + l] -= turn;
      a[k * dim + l] += step * turn;
    }
  }
}

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  return newton_whole_solve(contact_alart_curnier, p, settings, r, arena, report, err);
}

const SolverType solver_newton_ac = {
    .name = "newton_ac",
    .doc = "Semi-smooth Newton on all contacts, function of Alart and Curnier",
    .max_iterations = 2000,
    .pure_cone_only = 1,
    .needs_blocks = 1,
    .solve = solve,
};
