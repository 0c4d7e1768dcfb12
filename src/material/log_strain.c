#include "material/isotropic.h"

#include <math.h>
#include <string.h>

static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};

// One Jacobi rotation that makes a[p][q] zero, unless it is negligible; the rows of v follow.
static inline void rotate(double a[3][3], double v[3][3], int p, int q, double negligible) {
  int r = 3 - p - q;
  double apq = a[p][q];
  if (fabs(apq) <= negligible) return;
  double gap = a[q][q] - a[p][p], twice = gap < 0 ? -2 * apq : 2 * apq;
  double t = twice / (fabs(gap) + sqrt(gap * gap + 4 * apq * apq));
  double c = 1 / sqrt(t * t + 1), s = t * c;
  a[p][p] -= t * apq;
  a[q][q] += t * apq;
  a[p][q] = a[q][p] = 0;
  double arp = a[r][p], arq = a[r][q];
  a[r][p] = a[p][r] = c * arp - s * arq;
  a[r][q] = a[q][r] = s * arp + c * arq;
  for (int k = 0; k < 3; k++) {
    double vp = v[p][k], vq = v[q][k];
    v[p][k] = c * vp - s * vq;
    v[q][k] = s * vp + c * vq;
  }
}

// Cyclic Jacobi: slower than closed formulas, but exact to round-off for equal eigenvalues as well.
static void principal(const double c[6], double lambda[3], double v[3][3]) {
  const double accuracy = 1e-17; // off the diagonal, relative: below round-off
  const int most = 12;           // sweeps; convergence is quadratic, 3 to 5 are used
  double a[3][3] = {{c[0], c[3], c[5]}, {c[3], c[1], c[4]}, {c[5], c[4], c[2]}};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) v[i][k] = i == k;
  double scale = accuracy * (fabs(c[0]) + fabs(c[1]) + fabs(c[2]));
  for (int sweep = 0; sweep < most; sweep++) {
    if (fmax(fabs(a[0][1]), fmax(fabs(a[1][2]), fabs(a[0][2]))) <= scale) break;
    rotate(a, v, 0, 1, scale);
    rotate(a, v, 0, 2, scale);
    rotate(a, v, 1, 2, scale);
  }
  for (int i = 0; i < 3; i++) lambda[i] = a[i][i];
}

// ln[a, b] = (ln a - ln b) / (a - b), exact to round-off however close a and b are.
static double first_difference(double a, double b) {
  double x = (a - b) / b;
  return x == 0 ? 1 / b : log1p(x) / (x * b);
}

// ln[a, b, c] of near arguments: the series of ln about their mean m; divided differences of powers
// are complete homogeneous polynomials h_k, which the elementary ones give by recurrence.
static double near_difference(double a, double b, double c, double spread) {
  double m = (a + b + c) / 3, x = (a - m) / m, y = (b - m) / m, z = (c - m) / m;
  double e2 = x * y + y * z + z * x, e3 = x * y * z; // x + y + z = 0
  int n = spread < 1e-8 ? 2 : spread < 1e-4 ? 4 : 12;
  double h0 = 0, h1 = 0, h2 = 1, sum = -0.5, sign = 1; // h of order k - 2, k - 1, k
  for (int k = 1; k < n; k++) {
    double next = -e2 * h1 + e3 * h0;
    h0 = h1, h1 = h2, h2 = next;
    sum += sign * h2 / (k + 2);
    sign = -sign;
  }
  return sum / (m * m);
}

static double second_difference(double a, double b, double c) {
  // Where the relative spread is below this, the series with 12 terms is exact to round-off; above
  // it the quotient loses no more than two digits.
  const double near = 0.03;
  double swap; // a and c the farthest apart
  if (fabs(a - b) > fabs(a - c)) swap = b, b = c, c = swap;
  if (fabs(b - c) > fabs(a - c)) swap = a, a = b, b = swap;
  double spread = fabs(a - c) / b;
  if (spread < near) return near_difference(a, b, c, spread);
  return (first_difference(a, b) - first_difference(b, c)) / (a - c);
}

Status log_strain(const double c[6], LogStrain *log_c, Err *err) {
  double l[3];
  principal(c, l, log_c->axis);
  for (int a = 0; a < 3; a++) {
    if (!(l[a] > 0)) return err_set(err, ERR_NUMERIC, "principal stretch squared %g", l[a]);
    log_c->e[a] = 0.5 * log(l[a]);
  }
  for (int k = 0; k < 6; k++) log_c->first[k] = first_difference(l[row[k]], l[column[k]]);
  for (int a = 0; a < 3; a++)
    for (int b = a; b < 3; b++)
      for (int d = b; d < 3; d++) {
        double f = a == d ? -0.5 / (l[a] * l[a]) : second_difference(l[a], l[b], l[d]);
        log_c->second[a][b][d] = log_c->second[a][d][b] = log_c->second[b][a][d] = f;
        log_c->second[b][d][a] = log_c->second[d][a][b] = log_c->second[d][b][a] = f;
      }
  return OK;
}

// out = r a r^T, r row by row
static void turn(const double *r, const double a[6], double out[6]) {
  const double m[3][3] = {{a[0], a[3], a[5]}, {a[3], a[1], a[4]}, {a[5], a[4], a[2]}};
  double ra[3][3];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      ra[i][k] = r[i * 3] * m[0][k] + r[i * 3 + 1] * m[1][k] + r[i * 3 + 2] * m[2][k];
  for (int k = 0; k < 6; k++) {
    const double *p = ra[row[k]], *q = r + column[k] * 3;
    out[k] = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
  }
}

void log_enter(const LogStrain *log, const double tensor[6], double inside[6]) {
  turn(log->axis[0], tensor, inside);
}

void log_leave(const LogStrain *log, const double inside[6], double tensor[6]) {
  double back[3][3];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) back[i][k] = log->axis[k][i];
  turn(back[0], inside, tensor);
}

// out = R^T a R, where R takes strains (engineering shears) to the axes of C.
static void turn_stiffness(const double axis[3][3], const double a[36], double out[36]) {
  double r[6][8], ar[6][8]; // rows padded for the vector units
  for (int m = 0; m < 6; m++) {
    const double *p = axis[row[m]], *q = axis[column[m]];
    double twice = m < 3 ? 1 : 2;
    for (int k = 0; k < 3; k++) r[m][k] = twice * p[k] * q[k];
    for (int k = 3; k < 6; k++)
      r[m][k] = 0.5 * twice * (p[row[k]] * q[column[k]] + p[column[k]] * q[row[k]]);
    r[m][6] = r[m][7] = 0;
  }
  for (int i = 0; i < 6; i++) {
    double sum[8] = {0};
    for (int m = 0; m < 6; m++)
#pragma omp simd
      for (int k = 0; k < 8; k++) sum[k] += a[i * 6 + m] * r[m][k];
    memcpy(ar[i], sum, sizeof sum);
  }
  for (int i = 0; i < 6; i++) {
    double sum[8] = {0};
    for (int m = 0; m < 6; m++)
#pragma omp simd
      for (int k = 0; k < 8; k++) sum[k] += r[m][i] * ar[m][k];
    for (int k = 0; k < 6; k++) out[i * 6 + k] = sum[k];
  }
  for (int i = 0; i < 6; i++) // symmetric to the last bit
    for (int k = 0; k < i; k++)
      out[i * 6 + k] = out[k * 6 + i] = 0.5 * (out[i * 6 + k] + out[k * 6 + i]);
}

void log_stress(const LogStrain *log, const double t[6], const double d[36], FiniteStress *out) {
  static const int place[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};
  double s[6], inside[36];
  // d eps_ab = ln[a, b] dE_ab
  for (int i = 0; i < 6; i++) {
    s[i] = log->first[i] * t[i];
    for (int k = 0; k < 6; k++) inside[i * 6 + k] = log->first[i] * d[i * 6 + k] * log->first[k];
  }
  // t : d2 eps = 4 sum_abc t_ab ln[a, c, b] dE_ac dE_cb: entry of dE_ac and dE_cb
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      for (int c = 0; c < 3; c++) {
        int m = place[a][c], n = place[c][b];
        double shears = (m < 3 ? 1 : 0.5) * (n < 3 ? 1 : 0.5);
        inside[m * 6 + n] += 4 * shears * t[place[a][b]] * log->second[a][b][c];
      }
  log_leave(log, s, out->s);
  turn_stiffness(log->axis, inside, out->d);
}
