#include "material/isotropic.h"

#include <math.h>
#include <string.h>

Lame lame_constants(double young, double poisson) {
  double shear = young / (2 * (1 + poisson));
  double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  return (Lame){lambda, shear, young / (3 * (1 - 2 * poisson))};
}

void hooke_matrix(Lame lame, StressState state, double *d) {
  int n = material_n_strains(state), n_normal = 3;
  double lambda = lame.lambda;
  if (state == PLANE_STRESS) { // sigma_zz = 0 eliminated
    lambda = 2 * lame.lambda * lame.shear / (lame.lambda + 2 * lame.shear);
    n_normal = 2;
  }
  for (int k = 0; k < n * n; k++) d[k] = 0;
  for (int i = 0; i < n_normal; i++)
    for (int j = 0; j < n_normal; j++) d[i * n + j] = lambda + (i == j ? 2 * lame.shear : 0);
  for (int i = 3; i < n; i++) d[i * n + i] = lame.shear;
}

void isotropic_stiffness(const double *par, StressState state, double *d) {
  hooke_matrix(lame_constants(par[ELASTIC_YOUNG], par[ELASTIC_POISSON]), state, d);
}

void hooke_stress(Lame lame, const double c[6], FiniteStress *out) {
  double e[6], trace = 0;
  for (int i = 0; i < 6; i++) e[i] = 0.5 * (i < 3 ? c[i] - 1 : c[i]);
  for (int i = 0; i < 3; i++) trace += e[i];
  out->stored = 0;
  for (int i = 0; i < 6; i++) {
    out->s[i] = (i < 3 ? lame.lambda * trace : 0) + 2 * lame.shear * e[i];
    out->stored += (i < 3 ? 0.5 : 1) * out->s[i] * e[i];
  }
  out->lost = 0;
  hooke_matrix(lame, STRESS_3D, out->d);
}

// a : b of the gradients of invariants, added to the symmetric matrix d.
static void add_dyads(double weight, const double *a, const double *b, double *d) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) d[i * 6 + j] += weight * (a[i] * b[j] + b[i] * a[j]);
}

Status energy_stress(EnergyFunction energy, const double *par, const double c[6], FiniteStress *out,
                     Err *err) {
  static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  static const int place[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
  // cofactors of C: C^-1 = cof / det
  const double cof[6] = {c[1] * c[2] - c[4] * c[4], c[0] * c[2] - c[5] * c[5],
                         c[0] * c[1] - c[3] * c[3], c[4] * c[5] - c[3] * c[2],
                         c[3] * c[5] - c[0] * c[4], c[3] * c[4] - c[1] * c[5]};
  double det = c[0] * cof[0] + c[3] * cof[3] + c[5] * cof[5];
  if (!(det > 0)) return err_set(err, ERR_NUMERIC, "det C = %g", det);
  double j = sqrt(det), i1 = c[0] + c[1] + c[2], i2 = cof[0] + cof[1] + cof[2];
  InvariantEnergy e = energy(par, i1, i2, j);
  // gradients by E = (C - 1) / 2
  double grad[3][6], inv[6];
  for (int k = 0; k < 6; k++) {
    inv[k] = cof[k] / det;
    grad[0][k] = k < 3 ? 2 : 0;
    grad[1][k] = 2 * ((k < 3 ? i1 : 0) - c[k]);
    grad[2][k] = j * inv[k];
    out->s[k] = 0;
    for (int a = 0; a < 3; a++) out->s[k] += e.dw[a] * grad[a][k];
  }
  memset(out->d, 0, sizeof out->d);
  for (int a = 0; a < 3; a++)
    for (int b = a; b < 3; b++)
      if (e.ddw[a][b] != 0)
        add_dyads(a == b ? 0.5 * e.ddw[a][b] : e.ddw[a][b], grad[a], grad[b], out->d);
  // d2 I2 = 4 (1 x 1 - Id), d2 J = J (C^-1 x C^-1 - 2 C^-1 . C^-1)
  for (int m = 0; m < 6; m++)
    for (int n = 0; n < 6; n++) {
      int a = row[m], b = column[m], p = row[n], q = column[n];
      double one = (m < 3 && n < 3) - (m == n ? (m < 3 ? 1 : 0.5) : 0);
      double product = inv[place[a][p]] * inv[place[b][q]] + inv[place[a][q]] * inv[place[b][p]];
      out->d[m * 6 + n] += 4 * e.dw[1] * one + e.dw[2] * j * (inv[m] * inv[n] - product);
    }
  for (int m = 0; m < 6; m++) // symmetric to the last bit
    for (int n = 0; n < m; n++) out->d[m * 6 + n] = out->d[n * 6 + m];
  out->stored = e.w;
  out->lost = 0;
  return OK;
}

double radial_return(YieldFunction yield, const void *context, double q, double stiffness,
                     double *stress, double *slope) {
  const double accuracy = 1e-14; // of q: round-off of the stresses
  const int most = 100;          // bisection alone gets there
  double low = 0, high = q / stiffness, da = 0;
  for (int it = 0; it < most; it++) {
    *stress = yield(context, da, slope);
    double rest = q - stiffness * da - *stress;
    if (fabs(rest) <= accuracy * q || high - low <= accuracy * high) return da;
    if (rest > 0)
      low = da;
    else
      high = da;
    double next = da + rest / (stiffness + *slope);
    da = next > low && next < high ? next : 0.5 * (low + high);
  }
  return -1;
}
