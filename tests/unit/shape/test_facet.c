#include "shape/facet.h"

#include "shape_sample.h"

// Least squared distance over a fine grid of the facet.
static double brute_force(int n, const double *x, const double p[3]) {
  enum { FINE = 400 };
  double least = (double)INFINITY;
  for (int a = 0; a <= FINE; a++)
    for (int b = 0; b <= (n == 2 ? 0 : FINE); b++) {
      double s = (double)a / FINE, t = (double)b / FINE, sum = 0;
      double w[4] = {(1 - s) * (1 - t), s * (1 - t), s * t, (1 - s) * t};
      if (n == 3) {
        if (s + t > 1) continue;
        w[0] = 1 - s - t, w[1] = s, w[2] = t;
      }
      for (int i = 0; i < 3; i++) {
        double d = -p[i];
        for (int k = 0; k < n; k++) d += w[k] * x[3 * k + i];
        sum += d * d;
      }
      least = fmin(least, sum);
    }
  return least;
}

Test(facet, nearest_points_of_all_kinds_agree_with_brute_force) {
  static const double square[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  unsigned seed = 12;
  for (int trial = 0; trial < 150; trial++) {
    int n = 2 + trial % 3;
    double x[12], p[3], weight[4], sum = 0;
    for (int k = 0; k < 12; k++) x[k] = square[k] + 0.2 * test_random(&seed);
    for (int i = 0; i < 3; i++) p[i] = 0.5 + 1.5 * test_random(&seed);
    double found = sqrt(facet_nearest(n, x, p, weight)), expected = sqrt(brute_force(n, x, p));
    cr_assert_leq(found, expected + 1e-12, "%d corners: %g, brute force %g", n, found, expected);
    cr_assert_geq(found, expected - 4e-3, "%d corners: %g, brute force %g", n, found, expected);
    for (int k = 0; k < n; k++) {
      cr_assert_geq(weight[k], 0);
      sum += weight[k];
    }
    cr_assert_float_eq(sum, 1, 1e-14);
  }
}

Test(facet, a_point_above_a_facet_is_away_along_its_normal) {
  static const double warped[12] = {0, 0, 0, 1, 0, 0.1, 1, 1, -0.05, 0, 1, 0.1};
  for (int n = 3; n <= 4; n++) {
    const double at[4] = {0.3, 0.2, n == 3 ? 0.5 : 0.3, 0.2};
    double normal[3], p[3] = {0}, weight[4], w[4] = {at[0], at[1], at[2], at[3]};
    if (n == 4) { // a bilinear point
      double s = 0.4, t = 0.7;
      w[0] = (1 - s) * (1 - t), w[1] = s * (1 - t), w[2] = s * t, w[3] = (1 - s) * t;
    }
    facet_normal(n, warped, w, normal);
    cr_assert_gt(normal[2], 0.9);
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < n; k++) p[i] += w[k] * warped[3 * k + i];
      p[i] += 0.1 * normal[i];
    }
    cr_assert_float_eq(sqrt(facet_nearest(n, warped, p, weight)), 0.1, 1e-12);
    for (int k = 0; k < n; k++) cr_assert_float_eq(weight[k], w[k], 1e-10);
  }
}

Test(facet, a_segment_has_its_normal_on_the_right) {
  static const double up[6] = {0, 0, 0, 0, 2, 0};
  const double weight[4] = {0.5, 0.5};
  double normal[3];
  facet_normal(2, up, weight, normal);
  cr_assert(normal[0] == 1 && normal[1] == 0 && normal[2] == 0);
}
