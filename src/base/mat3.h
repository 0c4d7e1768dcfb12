// base/mat3.h -- matrices of three rows of three numbers, row-major, and rotations among them.
#ifndef BASE_MAT3_H
#define BASE_MAT3_H

#include "base/vec3.h"

// y = A x, y = A^T x; y is not x.
static inline void mat3_apply(const double a[9], const double x[3], double y[3]) {
  for (int i = 0; i < 3; i++) y[i] = vec3_dot(a + 3 * i, x);
}

static inline void mat3_apply_transposed(const double a[9], const double x[3], double y[3]) {
  for (int i = 0; i < 3; i++) y[i] = a[i] * x[0] + a[3 + i] * x[1] + a[6 + i] * x[2];
}

// C = A B; C is neither of them.
static inline void mat3_multiply(const double a[9], const double b[9], double c[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

// B = A^-1; returns the determinant, which must not be zero.
static inline double mat3_invert(const double a[9], double b[9]) {
  double det = vec3_det(a, a + 3, a + 6);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      b[3 * j + i] = (a[3 * i1 + j1] * a[3 * i2 + j2] - a[3 * i1 + j2] * a[3 * i2 + j1]) / det;
    }
  return det;
}

// The rotation of Cayley, (I - [w] / 2)^-1 (I + [w] / 2): about w, by 2 atan(|w| / 2).
static inline void mat3_cayley(const double w[3], double q[9]) {
  double square = vec3_dot(w, w), scale = 1 / (1 + 0.25 * square);
  const double cross[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double second = w[i] * w[j] - (i == j ? square : 0); // [w]^2
      q[3 * i + j] = (i == j) + scale * (cross[3 * i + j] + 0.5 * second);
    }
}

// The rotation nearest to A, in place of A: by halves of it and its inverse transposed, each of
// which squares what is wrong. A must have a positive determinant, the smaller the more rounds it
// takes.
static inline void mat3_nearest_rotation(double a[9]) {
  enum { MOST_ROUNDS = 60 };
  const double enough = 1e-15;
  double scale = 1 / cbrt(vec3_det(a, a + 3, a + 6)), change = 1;
  for (int k = 0; k < 9; k++) a[k] *= scale;
  for (int round = 0; round < MOST_ROUNDS && change > enough; round++) {
    double inverse[9];
    mat3_invert(a, inverse);
    change = 0;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double mean = 0.5 * (a[3 * i + j] + inverse[3 * j + i]);
        change = fmax(change, fabs(mean - a[3 * i + j]));
        a[3 * i + j] = mean;
      }
  }
}

// The unit quaternion w, x, y, z of a rotation, w >= 0.
static inline void mat3_quaternion(const double r[9], double q[4]) {
  // four times the squares of its numbers; the largest is taken from the diagonal
  const double square[4] = {1 + r[0] + r[4] + r[8], 1 + r[0] - r[4] - r[8], 1 - r[0] + r[4] - r[8],
                            1 - r[0] - r[4] + r[8]};
  int most = 0;
  for (int k = 1; k < 4; k++)
    if (square[k] > square[most]) most = k;
  if (most == 0) {
    q[0] = 0.5 * sqrt(square[0]);
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      q[1 + i] = (r[3 * k + j] - r[3 * j + k]) / (4 * q[0]);
    }
    return;
  }
  int i = most - 1, j = (i + 1) % 3, k = (i + 2) % 3;
  double own = 0.5 * sqrt(square[most]);
  q[0] = (r[3 * k + j] - r[3 * j + k]) / (4 * own);
  q[1 + i] = own;
  q[1 + j] = (r[3 * i + j] + r[3 * j + i]) / (4 * own);
  q[1 + k] = (r[3 * i + k] + r[3 * k + i]) / (4 * own);
  if (q[0] >= 0) return;
  for (int c = 0; c < 4; c++) q[c] = -q[c];
}

// Q Q_0 in place of Q_0.
static inline void mat3_turn(const double q[9], double q0[9]) {
  double old[9];
  for (int k = 0; k < 9; k++) old[k] = q0[k];
  mat3_multiply(q, old, q0);
}

#endif
