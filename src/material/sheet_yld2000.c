#include "material/sheet_yld2000.h"

#include <math.h>
#include <string.h>

void yld2000_maps(const double alpha[8], double exponent, double par[N_YLD2000]) {
  // Barlat et al. 2003, eqs. (15) and (16)
  const double *a = alpha;
  const double map[N_YLD2000] = {2 * a[0] / 3,
                                 -a[0] / 3,
                                 -a[1] / 3,
                                 2 * a[1] / 3,
                                 a[6],
                                 (-2 * a[2] + 2 * a[3] + 8 * a[4] - 2 * a[5]) / 9,
                                 (a[2] - 4 * a[3] - 4 * a[4] + 4 * a[5]) / 9,
                                 (4 * a[2] - 4 * a[3] - 4 * a[4] + a[5]) / 9,
                                 (-2 * a[2] + 8 * a[3] + 2 * a[4] - 2 * a[5]) / 9,
                                 a[7],
                                 exponent};
  memcpy(par, map, sizeof map);
}

// A function of the mean c and the radius R of the circle of a plane tensor, and its derivatives;
// g_r_over is g_R / R, finite at R = 0.
typedef struct {
  double g, g_c, g_r, g_cc, g_cr, g_rr, g_r_over;
} Circle;

// Adds g to f and its derivatives by s, for the tensor X = map s.
static void add_part(const double *map, const double circle[3], const Circle *g, double *f,
                     double n[3], double hess[9]) {
  double p = circle[0], r = circle[1], radius = circle[2];
  // rows of c = (X11 + X22) / 2, p = (X11 - X22) / 2, r = X12 as linear functions of s
  const double c_s[3] = {0.5 * (map[0] + map[2]), 0.5 * (map[1] + map[3]), 0};
  const double p_s[3] = {0.5 * (map[0] - map[2]), 0.5 * (map[1] - map[3]), 0};
  const double r_s[3] = {0, 0, map[4]};
  double cosine = radius > 0 ? p / radius : 1, sine = radius > 0 ? r / radius : 0;
  *f += g->g;
  double along[3], across[3];
  for (int i = 0; i < 3; i++) {
    along[i] = cosine * p_s[i] + sine * r_s[i];
    across[i] = -sine * p_s[i] + cosine * r_s[i];
    n[i] += g->g_c * c_s[i] + g->g_r * along[i];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      hess[3 * i + j] += g->g_cc * c_s[i] * c_s[j] +
                         g->g_cr * (c_s[i] * along[j] + along[i] * c_s[j]) +
                         g->g_rr * along[i] * along[j] + g->g_r_over * across[i] * across[j];
}

static void circle_of(const double *map, const double s[3], double *c, double circle[3]) {
  double x11 = map[0] * s[0] + map[1] * s[1], x22 = map[2] * s[0] + map[3] * s[1];
  *c = 0.5 * (x11 + x22);
  circle[0] = 0.5 * (x11 - x22);
  circle[1] = map[4] * s[2];
  circle[2] = sqrt(circle[0] * circle[0] + circle[1] * circle[1]);
}

// x^n for x >= 0; the exponents of crystals are whole numbers, whose powers are products.
static double power_of(double x, double n) {
  const int most = 30;
  int whole = (int)n;
  if (n != whole || whole > most) return pow(x, n);
  double result = 1;
  for (; whole > 0; whole >>= 1, x *= x)
    if (whole & 1) result *= x;
  return result;
}

double yld2000_root(double x, double n) {
  if (n == 8) return sqrt(sqrt(sqrt(x)));
  return n == 6 ? cbrt(sqrt(x)) : pow(x, 1 / n);
}

double yld2000(const double *par, const double s[3], double n[3], double *hess) {
  const double m = par[N_YLD2000 - 1];
  double size = fabs(s[0]) + fabs(s[1]) + fabs(s[2]);
  if (size == 0)
    size = 1; // any: phi is zero, and only trial stresses far from it are differentiated
  double unit[3] = {s[0] / size, s[1] / size, s[2] / size};
  double c, circle[3], f = 0, df[3] = {0}, ddf[9] = {0};
  // |X'1 - X'2|^m = (2 R)^m
  circle_of(par, unit, &c, circle);
  double power = power_of(2 * circle[2], m - 2);
  Circle first = {.g = 0.5 * power * 4 * circle[2] * circle[2],
                  .g_r = 0.5 * m * power * 4 * circle[2],
                  .g_rr = 0.5 * m * (m - 1) * power * 4,
                  .g_r_over = 0.5 * m * power * 4};
  add_part(par, circle, &first, &f, df, ddf);
  // |3 c - R|^m + |3 c + R|^m
  circle_of(par + 5, unit, &c, circle);
  double low = 3 * c - circle[2], high = 3 * c + circle[2];
  double below = power_of(fabs(low), m - 2), above = power_of(fabs(high), m - 2);
  Circle second = {.g = 0.5 * (below * low * low + above * high * high),
                   .g_c = 1.5 * m * (below * low + above * high),
                   .g_r = 0.5 * m * (above * high - below * low),
                   .g_cc = 4.5 * m * (m - 1) * (below + above),
                   .g_cr = 1.5 * m * (m - 1) * (above - below),
                   .g_rr = 0.5 * m * (m - 1) * (below + above)};
  second.g_r_over = circle[2] > YLD2000_ROUND ? second.g_r / circle[2] : second.g_rr;
  add_part(par + 5, circle, &second, &f, df, ddf);
  double phi = yld2000_root(f, m);
  if (!n || f == 0) return phi * size;
  double f1 = phi / (m * f), f2 = (1 / m - 1) * f1 / f;
  for (int i = 0; i < 3; i++) {
    n[i] = f1 * df[i];
    for (int j = 0; j < 3; j++) hess[3 * i + j] = (f1 * ddf[3 * i + j] + f2 * df[i] * df[j]) / size;
  }
  return phi * size;
}

// The four tests: stresses of unit size, directions across the width (r = width / thickness
// strain).
static const double test_stress[4][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0, 1, 0}, {1, 1, 0}};
static const double test_width[4][3] = {{0, 1, 0}, {0.5, 0.5, -0.5}, {1, 0, 0}, {0, 1, 0}};

// phi s / s0 - 1, and width strain - r thickness strain, of each test; equibiaxial: e22 - r e11.
static void test_residual(const SheetTests *tests, double exponent, const double alpha[8],
                          double res[8]) {
  double par[N_YLD2000], n[3], hess[9];
  yld2000_maps(alpha, exponent, par);
  for (int k = 0; k < 4; k++) {
    double phi = yld2000(par, test_stress[k], n, hess);
    res[k] = phi * tests->s[k] / tests->s[0] - 1;
    const double *w = test_width[k];
    double width = w[0] * n[0] + w[1] * n[1] + w[2] * n[2];
    res[4 + k] = k < 3 ? width + tests->r[k] * (n[0] + n[1]) : n[1] - tests->r[3] * n[0];
  }
}

// a [8 * 8] x = b by elimination with row exchange; 0: singular.
static int solve8(double *a, double *b) {
  for (int k = 0; k < 8; k++) {
    int best = k;
    for (int i = k + 1; i < 8; i++)
      if (fabs(a[8 * i + k]) > fabs(a[8 * best + k])) best = i;
    if (!(fabs(a[8 * best + k]) > 1e-14)) return 0;
    for (int j = 0; j < 8; j++) {
      double kept = a[8 * k + j];
      a[8 * k + j] = a[8 * best + j];
      a[8 * best + j] = kept;
    }
    double kept = b[k];
    b[k] = b[best];
    b[best] = kept;
    for (int i = k + 1; i < 8; i++) {
      double f = a[8 * i + k] / a[8 * k + k];
      for (int j = k; j < 8; j++) a[8 * i + j] -= f * a[8 * k + j];
      b[i] -= f * b[k];
    }
  }
  for (int k = 7; k >= 0; k--) {
    for (int j = k + 1; j < 8; j++) b[k] -= a[8 * k + j] * b[j];
    b[k] /= a[8 * k + k];
  }
  return 1;
}

static double square8(const double *x) {
  double sum = 0;
  for (int k = 0; k < 8; k++) sum += x[k] * x[k];
  return sum;
}

// Newton with differences and line search; 0: it does not converge.
static int newton8(const SheetTests *tests, double exponent, double alpha[8]) {
  const double step = 1e-6, accuracy = 1e-11;
  double res[8], jacobian[64], low[8], high[8];
  for (int it = 0; it < 50; it++) {
    test_residual(tests, exponent, alpha, res);
    double before = square8(res);
    if (before < accuracy * accuracy) return 1;
    for (int k = 0; k < 8; k++) {
      double kept = alpha[k];
      alpha[k] = kept + step;
      test_residual(tests, exponent, alpha, high);
      alpha[k] = kept - step;
      test_residual(tests, exponent, alpha, low);
      alpha[k] = kept;
      for (int i = 0; i < 8; i++) jacobian[8 * i + k] = (high[i] - low[i]) / (2 * step);
    }
    if (!solve8(jacobian, res)) return 0;
    double length = 1, start[8];
    memcpy(start, alpha, sizeof start);
    for (int cut = 0; cut < 20; cut++, length *= 0.5) {
      for (int k = 0; k < 8; k++) alpha[k] = start[k] - length * res[k];
      test_residual(tests, exponent, alpha, low);
      if (square8(low) < before) break;
    }
    if (!(square8(low) < before)) return before < 1e4 * accuracy * accuracy;
  }
  return 0;
}

// Straight at the tests, then over tests between isotropic ones and these.
Status yld2000_identify(const SheetTests *tests, double exponent, double alpha[8], Err *err) {
  static const int stages[] = {1, 5, 40};
  for (int attempt = 0; attempt < 3; attempt++) {
    int n = stages[attempt], done = 0;
    for (int k = 0; k < 8; k++) alpha[k] = 1;
    for (int k = 1; k <= n; k++, done++) {
      SheetTests between;
      double f = (double)k / n;
      for (int i = 0; i < 4; i++) {
        between.s[i] = 1 + f * (tests->s[i] / tests->s[0] - 1);
        between.r[i] = 1 + f * (tests->r[i] - 1);
      }
      if (!newton8(&between, exponent, alpha)) break;
    }
    if (done == n) return OK;
  }
  return err_set(err, ERR_INPUT,
                 "no coefficients of yld2000 meet the yield stresses and r-values given");
}
