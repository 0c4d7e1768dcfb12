#include "shape/facet.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"

static double distance2_of(int n, const double *x, const double p[3], const double *weight) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    double d = -p[i];
    for (int k = 0; k < n; k++) d += weight[k] * x[3 * k + i];
    sum += d * d;
  }
  return sum;
}

// Nearest point between corners i and j.
static double on_side(int n, const double *x, int i, int j, const double p[3], double *weight) {
  double side[3], d[3];
  for (int k = 0; k < 3; k++) {
    side[k] = x[3 * j + k] - x[3 * i + k];
    d[k] = p[k] - x[3 * i + k];
  }
  double length2 = vec3_dot(side, side);
  double s = length2 > 0 ? fmin(fmax(vec3_dot(d, side) / length2, 0), 1) : 0;
  memset(weight, 0, sizeof *weight * (size_t)n);
  weight[i] = 1 - s;
  weight[j] += s;
  return distance2_of(n, x, p, weight);
}

static double on_triangle(const double *x, const double p[3], double weight[3]) {
  double u[3], v[3], d[3], best = (double)INFINITY;
  for (int i = 0; i < 3; i++) {
    u[i] = x[3 + i] - x[i];
    v[i] = x[6 + i] - x[i];
    d[i] = p[i] - x[i];
  }
  double uu = vec3_dot(u, u), uv = vec3_dot(u, v), vv = vec3_dot(v, v), pu = vec3_dot(u, d),
         pv = vec3_dot(v, d);
  double det = uu * vv - uv * uv;
  if (det > 1e-14 * uu * vv) { // not squeezed to a line
    weight[1] = (vv * pu - uv * pv) / det;
    weight[2] = (uu * pv - uv * pu) / det;
    weight[0] = 1 - weight[1] - weight[2];
    if (weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0) return distance2_of(3, x, p, weight);
  }
  for (int k = 0; k < 3; k++) {
    double own[3], distance = on_side(3, x, k, (k + 1) % 3, p, own);
    if (distance >= best) continue;
    best = distance;
    memcpy(weight, own, sizeof own);
  }
  return best;
}

static void bilinear(const double xi[2], double weight[4]) {
  const double a = 1 - xi[0], b = 1 + xi[0], c = 1 - xi[1], d = 1 + xi[1];
  weight[0] = 0.25 * a * c;
  weight[1] = 0.25 * b * c;
  weight[2] = 0.25 * b * d;
  weight[3] = 0.25 * a * d;
}

// Derivatives of the place by the local coordinates: along, across, mixed.
static void derivatives(const double *x, const double xi[2], double d[3][3]) {
  for (int i = 0; i < 3; i++) {
    double low = x[3 + i] - x[i], high = x[6 + i] - x[9 + i];
    double left = x[9 + i] - x[i], right = x[6 + i] - x[3 + i];
    d[0][i] = 0.25 * ((1 - xi[1]) * low + (1 + xi[1]) * high);
    d[1][i] = 0.25 * ((1 - xi[0]) * left + (1 + xi[0]) * right);
    d[2][i] = 0.25 * (high - low);
  }
}

// Newton's method on half the squared distance, kept in the square of the local coordinates: a
// coordinate at its bound stays there while the distance falls outwards.
static double on_quadrilateral(const double *x, const double p[3], double weight[4]) {
  enum { MOST_ITERATIONS = 20 };
  static const double CLOSE_ENOUGH = 1e-13;
  double xi[2] = {0, 0};
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    double d[3][3], r[3] = {-p[0], -p[1], -p[2]}, move[2] = {0, 0};
    bilinear(xi, weight);
    derivatives(x, xi, d);
    for (int c = 0; c < 4; c++)
      for (int i = 0; i < 3; i++) r[i] += weight[c] * x[3 * c + i];
    double g[2] = {vec3_dot(d[0], r), vec3_dot(d[1], r)}, twist = vec3_dot(d[2], r);
    double h[2] = {vec3_dot(d[0], d[0]), vec3_dot(d[1], d[1])},
           mixed = vec3_dot(d[0], d[1]) + twist;
    if (h[0] * h[1] - mixed * mixed <= 0.1 * h[0] * h[1]) mixed -= twist;
    int held[2];
    for (int i = 0; i < 2; i++) held[i] = fabs(xi[i]) >= 1 && xi[i] * g[i] < 0;
    double det = h[0] * h[1] - mixed * mixed;
    if (held[0] || held[1] || det <= 1e-12 * h[0] * h[1]) {
      for (int i = 0; i < 2; i++) move[i] = held[i] ? 0 : -g[i] / h[i];
    } else {
      move[0] = -(h[1] * g[0] - mixed * g[1]) / det;
      move[1] = -(h[0] * g[1] - mixed * g[0]) / det;
    }
    double moved = 0;
    for (int i = 0; i < 2; i++) {
      double to = fmin(fmax(xi[i] + move[i], -1), 1);
      moved = fmax(moved, fabs(to - xi[i]));
      xi[i] = to;
    }
    if (moved <= CLOSE_ENOUGH) break;
  }
  bilinear(xi, weight);
  return distance2_of(4, x, p, weight);
}

double facet_nearest(int n, const double *x, const double p[3], double weight[4]) {
  if (n == 4) return on_quadrilateral(x, p, weight);
  return n == 3 ? on_triangle(x, p, weight) : on_side(2, x, 0, 1, p, weight);
}

void facet_normal(int n, const double *x, const double weight[4], double normal[3]) {
  double d[3][3];
  if (n == 4) {
    double xi[2] = {weight[1] + weight[2] - weight[0] - weight[3],
                    weight[2] + weight[3] - weight[0] - weight[1]};
    derivatives(x, xi, d);
  } else {
    for (int i = 0; i < 3; i++) {
      d[0][i] = x[3 + i] - x[i];
      d[1][i] = n == 3 ? x[6 + i] - x[i] : (i == 2 ? 1 : 0);
    }
  }
  for (int i = 0; i < 3; i++)
    normal[i] = d[0][(i + 1) % 3] * d[1][(i + 2) % 3] - d[0][(i + 2) % 3] * d[1][(i + 1) % 3];
  double length = vec3_length(normal);
  for (int i = 0; i < 3 && length > 0; i++) normal[i] /= length;
}
