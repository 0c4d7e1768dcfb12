#include "output/principal.h"

#include <math.h>
#include <string.h>

// Eigenvalues and eigenvectors (columns of v) of a symmetric 3 x 3 matrix by Jacobi rotations.
static void jacobi(double a[3][3], double v[3][3]) {
  enum { SWEEPS = 30 }; // four or five do
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) v[i][j] = i == j;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double off = fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]);
    if (!(off > 0)) return;
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (a[p][q] == 0) continue;
        double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 3; k++) {
          double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y;
          a[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
          double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y;
          a[q][k] = s * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
          double x = v[k][p], y = v[k][q];
          v[k][p] = c * x - s * y;
          v[k][q] = s * x + c * y;
        }
      }
  }
}

// 1 or -1: a direction has no sign, so its largest component is shown positive, of alike ones the
// first.
static double shown_sign(const double d[3]) {
  const double alike = 1 - 1e-6;
  double largest = fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2])));
  int i = 0;
  while (i < 2 && fabs(d[i]) < alike * largest) i++;
  return d[i] < 0 ? -1 : 1;
}

void principal_vectors(const double s[6], double p[3][3]) {
  double value[3], direction[3][3];
  if (s[4] == 0 && s[5] == 0) { // in the plane: closed form, the third is along z
    double mean = 0.5 * (s[0] + s[1]), radius = hypot(0.5 * (s[0] - s[1]), s[3]);
    double angle = 0.5 * atan2(2 * s[3], s[0] - s[1]);
    const double values[3] = {mean + radius, mean - radius, s[2]};
    const double directions[3][3] = {
        {cos(angle), sin(angle), 0}, {-sin(angle), cos(angle), 0}, {0, 0, 1}};
    memcpy(value, values, sizeof value);
    memcpy(direction, directions, sizeof direction);
  } else {
    double a[3][3] = {{s[0], s[3], s[5]}, {s[3], s[1], s[4]}, {s[5], s[4], s[2]}}, v[3][3];
    jacobi(a, v);
    for (int k = 0; k < 3; k++) {
      value[k] = a[k][k];
      for (int i = 0; i < 3; i++) direction[k][i] = v[i][k];
    }
  }
  int order[3] = {0, 1, 2};
  for (int i = 0; i < 2; i++)
    for (int j = i + 1; j < 3; j++)
      if (value[order[j]] > value[order[i]]) {
        int swap = order[i];
        order[i] = order[j];
        order[j] = swap;
      }
  for (int k = 0; k < 3; k++) {
    const double *d = direction[order[k]];
    double sign = shown_sign(d);
    for (int i = 0; i < 3; i++) p[k][i] = sign * value[order[k]] * d[i];
  }
}

double von_mises(const double s[6]) {
  double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  return sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}
