#include "shape_sample.h"

// Punch of radius 50 with a nose of 13, die of opening 51.25 with a shoulder of 5 (millimetres).
static const double punch[] = {0, 0, 0, 50, 0, 13, 50, 100, 0};
static const double die[] = {51.25, -100, 0, 51.25, 0, 5, 120, 0, 0};
static const ShapeParam left[] = {{"material", 0}, {NULL, 0}},
                        right[] = {{"material", 1}, {NULL, 0}};

Test(shape_profile, of_a_punch_has_exact_distances_on_flat_fillet_and_wall) {
  for (int dim = 2; dim <= 3; dim++) {
    Shape shape = shape_sample("profile", dim, punch, 9, left);
    expect_hit(&shape, 20, -3, 0, 3, 0, -1, 0);
    expect_hit(&shape, 20, 2, 0, -2, 0, -1, 0);
    expect_hit(&shape, 53, 40, 0, 3, 1, 0, 0);
    // The nose has its centre at (37, 13).
    expect_hit(&shape, 37 + 0.6 * 15, 13 - 0.8 * 15, 0, 2, 0.6, -0.8, 0);
    expect_hit(&shape, 37 + 0.6 * 10, 13 - 0.8 * 10, 0, -3, 0.6, -0.8, 0);
    expect_hit(&shape, 53, 4000, 0, 3, 1, 0, 0); // the wall is endless
    expect_picture(&shape, 200, 1e-11);
    shape_free(&shape);
  }
}

Test(shape_profile, of_a_die_has_its_material_on_the_right) {
  Shape shape = shape_sample("profile", 3, die, 9, right);
  expect_hit(&shape, 0, 1, 90, 1, 0, 1, 0);
  expect_hit(&shape, 0, -20, 50, 1.25, 0, 0, -1);
  expect_hit(&shape, 0, -5 + 0.8 * 7, 56.25 - 0.6 * 7, 2, 0, 0.8, -0.6);
  expect_distance(&shape, 100, 500);
  shape_free(&shape);
}

Test(shape_profile, keeps_its_normal_and_gap_continuous_over_a_fillet) {
  Shape shape = shape_sample("profile", 2, die, 9, right);
  double before[2] = {0, 1}, gap = 0.1;
  for (int k = 0; k <= 4000; k++) {
    double s = -5 + 20e-3 * k * 0.25; // along the flat, over the shoulder, down the wall
    double angle = fmin(fmax(s / 5, 0), 1.5707963267948966), d = 5 + gap;
    double x = 56.25 - (s < 0 ? s : 0) - d * sin(angle),
           y = -5 + d * cos(angle) - (s > 5 * 1.5707963267948966 ? s - 5 * 1.5707963267948966 : 0);
    ShapeHit hit = shape_hit(&shape, x, y, 0);
    cr_assert_float_eq(hit.gap, gap, 1e-12, "s = %g: %g", s, hit.gap);
    cr_assert_leq(hypot(hit.n[0] - before[0], hit.n[1] - before[1]), 5e-3 / 5 * 1.001, "s = %g", s);
    memcpy(before, hit.n, sizeof before);
  }
  shape_free(&shape);
}

// Distance to the section by points on its outline: closed polygon with a fillet at every corner.
static double brute_force(const double *corner, int n, const double p[2]) {
  double least = (double)INFINITY;
  for (int k = 0; k < n; k++) {
    const double *a = corner + 3 * ((k + n - 1) % n), *b = corner + 3 * k,
                 *c = corner + 3 * ((k + 1) % n);
    double u[2] = {a[0] - b[0], a[1] - b[1]}, v[2] = {c[0] - b[0], c[1] - b[1]};
    double lu = hypot(u[0], u[1]), lv = hypot(v[0], v[1]), ln = hypot(c[0] - b[0], c[1] - b[1]);
    double half = 0.5 * acos((u[0] * v[0] + u[1] * v[1]) / (lu * lv)), cut = b[2] / tan(half);
    double bis[2] = {u[0] / lu + v[0] / lv, u[1] / lu + v[1] / lv}, lb = hypot(bis[0], bis[1]);
    double to_center = b[2] / sin(half);
    double m[2] = {b[0] + to_center * bis[0] / lb, b[1] + to_center * bis[1] / lb};
    double half_c = 1.5707963267948966 - half, cut_next;
    const double *d = corner + 3 * ((k + 2) % n);
    double w[2] = {d[0] - c[0], d[1] - c[1]}, lw = hypot(w[0], w[1]);
    double half_next = 0.5 * acos(-(v[0] * w[0] + v[1] * w[1]) / (lv * lw));
    cut_next = c[2] / tan(half_next);
    for (int j = 0; j <= 2000; j++) {
      double s = cut + (ln - cut - cut_next) * j / 2000, angle = half_c * (2.0 * j / 2000 - 1);
      double x = b[0] + s * v[0] / lv, y = b[1] + s * v[1] / lv;
      least = fmin(least, hypot(p[0] - x, p[1] - y));
      double e[2] = {-bis[0] / lb, -bis[1] / lb};
      x = m[0] + b[2] * (e[0] * cos(angle) - e[1] * sin(angle));
      y = m[1] + b[2] * (e[0] * sin(angle) + e[1] * cos(angle));
      least = fmin(least, hypot(p[0] - x, p[1] - y));
    }
  }
  return least;
}

Test(shape_profile, closed_and_concave_agrees_with_brute_force) {
  // An L with fillets of all kinds, walked counter-clockwise.
  static const double corner[] = {-2, -2, 0.3, 2, -2, 0,   2,  -1, 0.4,
                                  0,  -1, 0.5, 0, 2,  0.2, -2, 2,  0.6};
  const ShapeParam closed[] = {{"closed", 1}, {"material", 0}, {NULL, 0}};
  Shape shape = shape_sample("profile", 2, corner, 18, closed);
  unsigned seed = 9;
  for (int k = 0; k < 400; k++) {
    double p[2] = {3 * test_random(&seed), 3 * test_random(&seed)};
    double found = shape_hit(&shape, p[0], p[1], 0).gap, expected = brute_force(corner, 6, p);
    // Points of the outline are 2e-3 apart: their distance is too large by less than (1e-3)^2 /
    // (2 gap).
    cr_assert_leq(fabs(found), expected + 1e-12, "(%g %g): %g, brute force %g", p[0], p[1], found,
                  expected);
    cr_assert_geq(fabs(found), expected - fmin(2e-3, 2e-6 / expected),
                  "(%g %g): %g, brute force %g", p[0], p[1], found, expected);
    int inside = p[0] > -2 && p[1] > -2 && ((p[0] < 0 && p[1] < 2) || (p[0] < 2 && p[1] < -1));
    if (expected > 0.3) cr_assert_eq(found < 0, inside, "(%g %g): %g", p[0], p[1], found);
  }
  expect_distance(&shape, 3, 500);
  expect_picture(&shape, 3, 1e-12);
  shape_free(&shape);
}

Test(shape_profile, extruded_stands_where_its_axes_say) {
  const ShapeParam along_x[] = {{"sweep", 1},   {"axis_x", 1},   {"axis_y", 0}, {"first_x", 0},
                                {"first_y", 1}, {"material", 0}, {"at_z", 10},  {NULL, 0}};
  Shape shape = shape_sample("profile", 3, punch, 9, along_x); // first y, second x cross y = z
  expect_hit(&shape, -900, 20, 7, 3, 0, 0, -1);
  expect_hit(&shape, 900, 53, 50, 3, 0, 1, 0);
  expect_hit(&shape, 5, -4000, 7, 3, 0, 0, -1); // endless on that side too
  expect_distance(&shape, 100, 300);
  expect_picture(&shape, 200, 1e-11);
  shape_free(&shape);
}

Test(shape_profile, revolved_to_a_cone_has_a_tip) {
  static const double cone[] = {0, 0, 0, 10, 10, 0};
  Shape shape = shape_sample("profile", 3, cone, 6, left);
  expect_hit(&shape, 0, -2, 0, 2, 0, -1, 0);
  expect_hit(&shape, 0.3, -0.4, 0, 0.5, 0.6, -0.8, 0);
  double s = sqrt(0.5);
  expect_hit(&shape, 0, 4, 6, 2 * s, 0, -s, s);
  expect_hit(&shape, 0, 400, 402, 2 * s, 0, -s, s);
  shape_free(&shape);
}

Test(shape_profile, a_fillet_may_use_up_a_side_a_hemisphere) {
  static const double ball[] = {0, 0, 0, 50, 0, 50, 50, 80, 0};
  Shape shape = shape_sample("profile", 3, ball, 9, left);
  expect_hit(&shape, 0, -1, 0, 1, 0, -1, 0);
  expect_hit(&shape, 0.36 * 60, 50 - 0.8 * 60, 0.48 * 60, 10, 0.36, -0.8, 0.48);
  expect_hit(&shape, 0, 200, 51, 1, 0, 0, 1);
  shape_free(&shape);
}

Test(shape_profile, that_makes_no_sense_is_refused_by_name) {
  static const double too_round[] = {0, 0, 0, 10, 0, 6, 10, 10, 6, 0, 10, 0},
                      same[] = {0, 0, 0, 0, 0, 0, 1, 1, 0}, back[] = {0, 0, 0, 2, 0, 0, 1, 0, 0},
                      behind[] = {-1, 0, 0, 5, 0, 0};
  Shape shape;
  Err err = {0};
  cr_assert_eq(shape_try(&shape, "profile", 2, too_round, 12, left, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "corner 3"), "%s", err.text);
  cr_assert_eq(shape_try(&shape, "profile", 2, same, 9, left, &err), ERR_INPUT);
  cr_assert_eq(shape_try(&shape, "profile", 2, back, 9, left, &err), ERR_INPUT);
  cr_assert_eq(shape_try(&shape, "profile", 2, punch, 8, left, &err), ERR_INPUT);
  cr_assert_eq(shape_try(&shape, "profile", 3, behind, 6, left, &err), ERR_INPUT);
}
