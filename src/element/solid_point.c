#include "element/solid_point.h"

static const int place[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};

void solid_inverse_transpose(const double *f, double j, double *cof) {
  cof[0] = (f[4] * f[8] - f[5] * f[7]) / j;
  cof[1] = (f[5] * f[6] - f[3] * f[8]) / j;
  cof[2] = (f[3] * f[7] - f[4] * f[6]) / j;
  cof[3] = (f[2] * f[7] - f[1] * f[8]) / j;
  cof[4] = (f[0] * f[8] - f[2] * f[6]) / j;
  cof[5] = (f[1] * f[6] - f[0] * f[7]) / j;
  cof[6] = (f[1] * f[5] - f[2] * f[4]) / j;
  cof[7] = (f[2] * f[3] - f[0] * f[5]) / j;
  cof[8] = (f[0] * f[4] - f[1] * f[3]) / j;
}

void solid_times(const double *f, const double *s, double *out) {
  for (int i = 0; i < 3; i++)
    for (int a = 0; a < 3; a++)
      out[3 * i + a] =
          f[3 * i] * s[place[0][a]] + f[3 * i + 1] * s[place[1][a]] + f[3 * i + 2] * s[place[2][a]];
}

// a_iAjB = scale^2 F_iK D_KALB F_jL + scale S_AB delta_ij
void solid_point_tangent(const Moved *moved, double scale, const FiniteStress *law, SolidPoint *d) {
  const double *f = d->f;
  for (int m = 0; m < moved->n; m++) {
    int c = moved->component[m], i = c / 3, k = c % 3;
    double *row = d->a + 9 * c, fd[6], full[9];
    const double *d0 = law->d + 6 * place[0][k], *d1 = law->d + 6 * place[1][k],
                 *d2 = law->d + 6 * place[2][k];
    double f0 = scale * scale * f[3 * i], f1 = scale * scale * f[3 * i + 1],
           f2 = scale * scale * f[3 * i + 2];
    for (int q = 0; q < 6; q++) fd[q] = f0 * d0[q] + f1 * d1[q] + f2 * d2[q];
    for (int q = 0; q < 9; q++) full[q] = fd[place[q / 3][q % 3]];
    for (int j = 0; j < 3; j++)
      for (int b = 0; b < 3; b++)
        row[3 * j + b] =
            f[3 * j] * full[b] + f[3 * j + 1] * full[3 + b] + f[3 * j + 2] * full[6 + b];
    for (int b = 0; b < 3; b++) row[3 * i + b] += scale * law->s[place[k][b]];
  }
}

// row_jB += weight cof_iB cof_jA for p = (i, A): from tr (F^-1 dF F^-1 dF)
static inline void add_crossed(const double *cof, int p, double weight, double *row) {
  const double *own = cof + p / 3 * 3;
  for (int j = 0; j < 3; j++) {
    double factor = weight * cof[3 * j + p % 3];
    for (int b = 0; b < 3; b++) row[3 * j + b] += factor * own[b];
  }
}

void solid_point_dilatation(const Moved *moved, double scale, const double *c_bar,
                            const FiniteStress *law, int second, SolidPoint *d) {
  double s[6], dc[6], t = 0, cdc = 0; // t: trace of the Kirchhoff stress
  for (int k = 0; k < 6; k++) t += (k < 3 ? 1 : 2) * law->s[k] * c_bar[k];
  d->p_theta = t / 3;
  for (int k = 0; k < 9; k++) d->p[k] -= t / 3 * d->cof[k];
  if (!second) return;
  for (int k = 0; k < 6; k++) {
    dc[k] = 0;
    for (int m = 0; m < 6; m++) dc[k] += (m < 3 ? 1 : 2) * law->d[6 * k + m] * c_bar[m];
    cdc += (k < 3 ? 1 : 2) * dc[k] * c_bar[k];
    s[k] = scale * (law->s[k] + 0.5 * dc[k]);
  }
  // with l = 2/3 (d ln Theta - F^-T : dF) the second differential has the terms
  // 2 (z : dF) l + n l^2 + t/3 tr (F^-1 dF F^-1 dF)
  double z[9], n = 0.25 * cdc + 0.5 * t;
  solid_times(d->f, s, z);
  for (int m = 0; m < moved->n; m++) {
    int p = moved->component[m];
    const double *cof = d->cof;
    double from_z = -2.0 / 3 * cof[p], from_cof = 4.0 / 9 * n * cof[p] - 2.0 / 3 * z[p];
    double *row = d->a + 9 * p;
    for (int q = 0; q < 9; q++) row[q] += from_cof * cof[q] + from_z * z[q];
    add_crossed(cof, p, t / 3, row);
    d->a_theta[p] = 2.0 / 3 * z[p] - 4.0 / 9 * n * cof[p];
  }
  d->a_theta2 = 4.0 / 9 * n;
}

void solid_point_second(const Moved *moved, double rest, SolidPoint *d) {
  const double *cof = d->cof;
  for (int m = 0; m < moved->n; m++) {
    int p = moved->component[m];
    double *row = d->a + 9 * p;
    for (int q = 0; q < 9; q++) row[q] += rest * cof[p] * cof[q];
    add_crossed(cof, p, -rest, row);
  }
}
