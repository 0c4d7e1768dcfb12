#include "element/hencky2.h"

#include <math.h>

// G = atanh(sqrt(q) / m) / sqrt(q) and its derivatives by q. Up to x = q / m^2 of 0.01 (strains of
// 0.05) the series is exact to round-off with the terms taken, and free of the differences of the
// closed form.
static void circular(double m, double q, double det, Hencky2 *h) {
  const double series_limit = 0.01;
  double x = q / (m * m), m3 = m * m * m;
  if (x < series_limit) {
    double g = 0, g1 = 0, g2 = 0; // sums of x^k / (2 k + 1) and derivatives, Horner
    for (int k = 9; k >= 0; k--) {
      double c = 1.0 / (2 * k + 1);
      g2 = g2 * x + 2 * g1;
      g1 = g1 * x + g;
      g = g * x + c;
    }
    h->g = g / m;
    h->g_q = g1 / m3;
    h->g_qq = g2 / (m3 * m * m);
    return;
  }
  double root = sqrt(q);
  h->g = atanh(root / m) / root;
  h->g_q = (m / det - h->g) / (2 * q);
  h->g_qq = (m / (det * det) - 3 * h->g_q) / (2 * q);
}

int hencky2(const double E[3], Hencky2 *h) {
  double m = 1 + E[0] + E[1], p = E[0] - E[1], r = E[2], q = p * p + r * r, det = m * m - q;
  if (!(det > 0 && m > 0)) return 0;
  double inv = 1 / det, inv2 = inv * inv;
  h->p = p;
  h->r = r;
  h->f_m = m * inv;
  h->f_q = -0.5 * inv;
  h->f_mm = inv - 2 * m * m * inv2;
  h->f_mq = m * inv2;
  h->f_qq = -0.5 * inv2;
  h->g_m = -inv;
  h->g_mm = 2 * m * inv2;
  h->g_mq = -inv2;
  circular(m, q, det, h);
  double f = 0.5 * log(det);
  h->e[0] = 0.5 * (f + h->g * p);
  h->e[1] = 0.5 * (f - h->g * p);
  h->e[2] = h->g * r;
  return 1;
}

// Symmetric matrix in (m, p, r) to (E11, E22, 2 E12).
static void to_strains(double mm, double mp, double mr, double pp, double pr, double rr,
                       double *ds) {
  ds[0] = mm + 2 * mp + pp;
  ds[1] = ds[3] = mm - pp;
  ds[2] = ds[6] = mr + pr;
  ds[4] = mm - 2 * mp + pp;
  ds[5] = ds[7] = mr - pr;
  ds[8] = rr;
}

void hencky2_stress(const Hencky2 *h, const double t[3], const double *d, double s[3], double *ds) {
  // W = t . e = a f + G w with t fixed: s = dW/dE
  double p = h->p, r = h->r, a = 0.5 * (t[0] + t[1]), b = 0.5 * (t[0] - t[1]), c = t[2];
  double w = b * p + c * r, beta = a * h->f_q + w * h->g_q;
  double s_m = a * h->f_m + w * h->g_m, s_p = 2 * p * beta + h->g * b;
  s[0] = s_m + s_p;
  s[1] = s_m - s_p;
  s[2] = 2 * r * beta + h->g * c;
  if (!d) return;
  // second derivatives of W
  double alpha = a * h->f_qq + w * h->g_qq, mu = 2 * (a * h->f_mq + w * h->g_mq);
  double mm = a * h->f_mm + w * h->g_mm, mp = mu * p + h->g_m * b, mr = mu * r + h->g_m * c;
  double pp = 4 * alpha * p * p + 2 * beta + 4 * h->g_q * b * p,
         rr = 4 * alpha * r * r + 2 * beta + 4 * h->g_q * c * r,
         pr = 4 * alpha * p * r + 2 * h->g_q * (b * r + c * p);
  // d in the axes y = (e11 + e22, e11 - e22, 2 e12) and j = dy / d(m, p, r)
  double d00 = 0.25 * (d[0] + 2 * d[1] + d[4]), d01 = 0.25 * (d[0] - d[4]),
         d11 = 0.25 * (d[0] - 2 * d[1] + d[4]), d02 = 0.5 * (d[2] + d[5]),
         d12 = 0.5 * (d[2] - d[5]), d22 = d[8];
  double j[3][3] = {
      {h->f_m, 2 * p * h->f_q, 2 * r * h->f_q},
      {h->g_m * p, h->g + 2 * p * p * h->g_q, 2 * p * r * h->g_q},
      {h->g_m * r, 2 * p * r * h->g_q, h->g + 2 * r * r * h->g_q},
  };
  double k[3][3]; // d j
  for (int i = 0; i < 3; i++) {
    k[0][i] = d00 * j[0][i] + d01 * j[1][i] + d02 * j[2][i];
    k[1][i] = d01 * j[0][i] + d11 * j[1][i] + d12 * j[2][i];
    k[2][i] = d02 * j[0][i] + d12 * j[1][i] + d22 * j[2][i];
  }
  mm += j[0][0] * k[0][0] + j[1][0] * k[1][0] + j[2][0] * k[2][0];
  mp += j[0][0] * k[0][1] + j[1][0] * k[1][1] + j[2][0] * k[2][1];
  mr += j[0][0] * k[0][2] + j[1][0] * k[1][2] + j[2][0] * k[2][2];
  pp += j[0][1] * k[0][1] + j[1][1] * k[1][1] + j[2][1] * k[2][1];
  pr += j[0][1] * k[0][2] + j[1][1] * k[1][2] + j[2][1] * k[2][2];
  rr += j[0][2] * k[0][2] + j[1][2] * k[1][2] + j[2][2] * k[2][2];
  to_strains(mm, mp, mr, pp, pr, rr, ds);
}
