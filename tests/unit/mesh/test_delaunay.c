#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/no_leak.h"
#include "mesh/delaunay.h"

TestSuite(delaunay, .fini = no_leak);

static double area(const double *x, const int32_t *t) {
  const double *a = x + 2 * t[0], *b = x + 2 * t[1], *c = x + 2 * t[2];
  return 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
}

// Triangles are counter-clockwise, neighbours know each other, no circle holds a point.
static double judge(const double *x, int n, const Delaunay *d) {
  double sum = 0;
  for (int t = 0; t < d->n; t++) {
    const int32_t *node = d->node + 3 * t;
    cr_assert_gt(area(x, node), 0);
    sum += area(x, node);
    for (int k = 0; k < 3; k++) {
      int other = d->neighbor[3 * t + k], back = 0;
      for (int j = 0; j < 3 && other >= 0; j++) back += d->neighbor[3 * other + j] == t;
      cr_assert(other < 0 || back == 1);
    }
    const double *a = x + 2 * node[0];
    double b[2] = {x[2 * node[1]] - a[0], x[2 * node[1] + 1] - a[1]},
           c[2] = {x[2 * node[2]] - a[0], x[2 * node[2] + 1] - a[1]};
    double det = 2 * (b[0] * c[1] - b[1] * c[0]), bb = b[0] * b[0] + b[1] * b[1],
           cc = c[0] * c[0] + c[1] * c[1];
    double o[2] = {(c[1] * bb - b[1] * cc) / det, (b[0] * cc - c[0] * bb) / det};
    double r = hypot(o[0], o[1]);
    for (int k = 0; k < n; k++) // the grid moves points by 1e-7 of the extent
      cr_assert_gt(hypot(x[2 * k] - a[0] - o[0], x[2 * k + 1] - a[1] - o[1]),
                   r * (1 - 1e-5) - 1e-6);
  }
  return sum;
}

Test(delaunay, of_random_points_holds_nothing_in_its_circles) {
  enum { N = 500 };
  static double x[2 * (N + 4)] = {0, 0, 1, 0, 1, 1, 0, 1};
  unsigned seed = 7;
  for (int k = 8; k < 2 * (N + 4); k++) {
    seed = seed * 1664525u + 1013904223u;
    x[k] = (seed >> 8) / 16777216.0;
  }
  Delaunay d;
  cr_assert_eq(delaunay_init(&d, x, N + 4, NULL), OK);
  // Euler with four points on the hull; a few triangles that are thin along it are missing
  cr_assert(d.n > 2 * (N + 4) - 2 - 4 - 12 && d.n <= 2 * (N + 4) - 2 - 4, "%d", d.n);
  cr_assert_float_eq(judge(x, N + 4, &d), 1, 0.01);
  delaunay_free(&d);
}

Test(delaunay, of_a_grid_with_all_its_ties_is_complete) {
  enum { N = 17 };
  static double x[2 * N * N];
  for (int k = 0; k < N * N; k++) {
    x[2 * k] = k % N;
    x[2 * k + 1] = k / N;
  }
  Delaunay d;
  cr_assert_eq(delaunay_init(&d, x, N * N, NULL), OK);
  cr_assert_eq(d.n, 2 * (N - 1) * (N - 1));
  cr_assert_float_eq(judge(x, N * N, &d), (N - 1) * (N - 1), 1e-9);
  delaunay_free(&d);
}

Test(delaunay, points_that_coincide_or_have_no_extent_are_refused) {
  Delaunay d;
  Err err = {0};
  const double twice[] = {0, 0, 1, 0, 0, 1, 0.5, 0.5, 1, 0}, same[] = {2, 2, 2, 2, 2, 2};
  cr_assert_eq(delaunay_init(&d, twice, 5, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "points 2 and 5"), "%s", err.text);
  cr_assert_eq(delaunay_init(&d, same, 3, NULL), ERR_INPUT);
  cr_assert_eq(delaunay_init(&d, twice, 2, NULL), ERR_INPUT);
}
