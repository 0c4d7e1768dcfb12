#include "contact/clip.h"

#include <math.h>

static double cross(const double a[2], const double b[2], const double c[2]) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

int polygon_holds(const Polygon *polygon, const double p[2], double slack) {
  for (int k = 0; k < polygon->n; k++) {
    const double *a = polygon->p[k], *b = polygon->p[(k + 1) % polygon->n];
    double inside = cross(a, b, p); // the length only where it matters
    if (inside < 0 && inside < -slack * hypot(b[0] - a[0], b[1] - a[1])) return 0;
  }
  return 1;
}

int polygon_sides_cross(const Polygon *a, int i, const Polygon *b, int j, double least,
                        double share[2]) {
  const double *a0 = a->p[i], *a1 = a->p[(i + 1) % a->n], *b0 = b->p[j], *b1 = b->p[(j + 1) % b->n];
  const double u[2] = {a1[0] - a0[0], a1[1] - a0[1]}, v[2] = {b1[0] - b0[0], b1[1] - b0[1]},
               w[2] = {b0[0] - a0[0], b0[1] - a0[1]};
  double det = u[0] * v[1] - u[1] * v[0];
  if (!(fabs(det) > least * hypot(u[0], u[1]) * hypot(v[0], v[1]))) return 0;
  share[0] = (w[0] * v[1] - w[1] * v[0]) / det;
  share[1] = (w[0] * u[1] - w[1] * u[0]) / det;
  return 1;
}

double polygon_side_distance(const Polygon *polygon, int k, const double p[2]) {
  const double *a = polygon->p[k], *b = polygon->p[(k + 1) % polygon->n];
  const double u[2] = {b[0] - a[0], b[1] - a[1]}, d[2] = {p[0] - a[0], p[1] - a[1]};
  double along = (u[0] * d[0] + u[1] * d[1]) / (u[0] * u[0] + u[1] * u[1]);
  along = fmin(fmax(along, 0), 1);
  return hypot(d[0] - along * u[0], d[1] - along * u[1]);
}

double polygon_shortest_side(const Polygon *polygon) {
  double shortest = (double)INFINITY;
  for (int k = 0; k < polygon->n; k++) {
    const double *a = polygon->p[k], *b = polygon->p[(k + 1) % polygon->n];
    shortest = fmin(shortest, hypot(b[0] - a[0], b[1] - a[1]));
  }
  return shortest;
}

// By their direction from a point between them, few as they are.
static void go_round(int n, const double (*p)[2], int *round) {
  double middle[2] = {0};
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 2; i++) middle[i] += p[k][i] / n;
  for (int k = 0; k < n; k++) {
    double own = atan2(p[k][1] - middle[1], p[k][0] - middle[0]);
    int at = k;
    for (; at > 0; at--) {
      const double *before = p[round[at - 1]];
      if (atan2(before[1] - middle[1], before[0] - middle[0]) <= own) break;
      round[at] = round[at - 1];
    }
    round[at] = k;
  }
}

// A third of each triangle goes to each of its corners, in the mean over all fans of triangles, one
// from each corner.
double polygon_shares(int n, const double (*p)[2], double *share, int *round) {
  double area = 0;
  go_round(n, p, round);
  for (int k = 0; k < n; k++) share[k] = 0;
  for (int from = 0; from < n; from++)
    for (int k = 1; k + 1 < n; k++) {
      int a = round[from], b = round[(from + k) % n], c = round[(from + k + 1) % n];
      double own = 0.5 * cross(p[a], p[b], p[c]) / n;
      area += own;
      share[a] += own / 3;
      share[b] += own / 3;
      share[c] += own / 3;
    }
  return area;
}
