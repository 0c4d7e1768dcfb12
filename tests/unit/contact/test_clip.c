#include <criterion/criterion.h>

#include <math.h>

#include "contact/clip.h"

Test(clip, polygon_holds_what_is_in_it_and_a_little_beside) {
  const Polygon square = {4, {{0, 0}, {2, 0}, {2, 1}, {0, 1}}};
  cr_expect(polygon_holds(&square, (const double[2]){1, 0.5}, 0));
  cr_expect(!polygon_holds(&square, (const double[2]){1, -0.01}, 0.009));
  cr_expect(polygon_holds(&square, (const double[2]){1, -0.01}, 0.011));
  cr_expect(!polygon_holds(&square, (const double[2]){2.01, 0.5}, 0));
  cr_expect_eq(polygon_shortest_side(&square), 1);
  cr_expect_float_eq(polygon_side_distance(&square, 1, (const double[2]){5, 5}), 5, 1e-15);
  cr_expect_float_eq(polygon_side_distance(&square, 1, (const double[2]){1.5, 0.5}), 0.5, 1e-15);
}

Test(clip, sides_cross_where_their_lines_do) {
  const Polygon a = {4, {{0, 0}, {4, 0}, {4, 4}, {0, 4}}},
                b = {3, {{1, -1}, {5, -1}, {1, 3}}}; // side 2 is that at x = 1, downwards
  double share[2];
  cr_assert(polygon_sides_cross(&a, 0, &b, 2, 1e-2, share));
  cr_expect_float_eq(share[0], 0.25, 1e-15);
  cr_expect_float_eq(share[1], 0.75, 1e-15);
  cr_expect(!polygon_sides_cross(&a, 0, &b, 0, 1e-2, share));
  cr_expect(polygon_sides_cross(&a, 0, &b, 1, 0.7, share)); // sine of 45 degrees is 0.707
  cr_expect(!polygon_sides_cross(&a, 0, &b, 1, 0.71, share));
}

// Shares add up to the area, and put its centre where it is; of a regular polygon they are equal.
Test(clip, shares_keep_area_and_centre) {
  static const double p[5][2] = {{3, 1}, {0, 0}, {2, 4}, {4, 0}, {-1, 2}};
  static const int round[5] = {1, 3, 0, 2, 4}; // from direction -pi on, or turned
  double share[6], area = 0, centre[2] = {0}, sum[2] = {0}, total = 0;
  int order[6], start = 0;
  double found = polygon_shares(5, p, share, order);
  for (int k = 0; k < 5; k++) {
    const double *a = p[round[k]], *b = p[round[(k + 1) % 5]];
    double own = 0.5 * (a[0] * b[1] - a[1] * b[0]);
    area += own;
    for (int i = 0; i < 2; i++) {
      centre[i] += own * (a[i] + b[i]) / 3;
      sum[i] += share[k] * p[k][i];
    }
    total += share[k];
    if (order[k] == round[0]) start = k;
  }
  cr_expect_float_eq(found, area, 1e-14 * area);
  cr_expect_float_eq(total, area, 1e-14 * area);
  for (int i = 0; i < 2; i++) cr_expect_float_eq(sum[i], centre[i], 1e-14 * area * 4);
  for (int k = 0; k < 5; k++) cr_expect_eq(order[(start + k) % 5], round[k]);
  double hexagon[6][2];
  for (int k = 0; k < 6; k++) {
    hexagon[k][0] = cos(1.0471975511965976 * k);
    hexagon[k][1] = sin(1.0471975511965976 * k);
  }
  area = polygon_shares(6, (const double(*)[2])hexagon, share, order);
  cr_expect_float_eq(area, 1.5 * sqrt(3), 1e-14);
  for (int k = 0; k < 6; k++) cr_expect_float_eq(share[k], area / 6, 1e-14);
}
