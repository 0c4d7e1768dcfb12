// base/vec3.h -- vectors of three numbers.
#ifndef BASE_VEC3_H
#define BASE_VEC3_H

#include <math.h>

static inline double vec3_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double vec3_length(const double a[3]) {
  return sqrt(vec3_dot(a, a));
}

// c = a x b; c is neither of them.
static inline void vec3_cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static inline double vec3_det(const double a[3], const double b[3], const double c[3]) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
         a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// To length 1; returns the length that it had, which must not be zero.
static inline double vec3_normalise(double a[3]) {
  double length = vec3_length(a);
  for (int i = 0; i < 3; i++) a[i] /= length;
  return length;
}

#endif
