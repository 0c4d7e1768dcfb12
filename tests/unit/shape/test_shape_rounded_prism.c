#include "shape_sample.h"

static const ShapeParam punch[] = {{"half_length", 35},
                                   {"half_width", 25},
                                   {"corner_radius", 10},
                                   {"edge_radius", 8},
                                   {NULL, 0}},
                        die[] = {{"half_length", 37},
                                 {"half_width", 27},
                                 {"corner_radius", 12},
                                 {"edge_radius", 5},
                                 {"inside", 1},
                                 {"axis_z", -1},
                                 {NULL, 0}};

Test(shape_rounded_prism, of_a_punch_has_exact_distances) {
  Shape shape = shape_sample("rounded_prism", 3, NULL, 0, punch);
  expect_hit(&shape, 3, 4, -2, 2, 0, 0, -1);
  expect_hit(&shape, 36, 4, 20, 1, 1, 0, 0);
  expect_hit(&shape, 5, -27, 20, 2, 0, -1, 0);
  // Wall of the corner, centre (25, 15); fillet of a side, centre line x = 27, z = 8.
  expect_hit(&shape, 25 + 0.6 * 12, 15 + 0.8 * 12, 20, 2, 0.6, 0.8, 0);
  expect_hit(&shape, 27 + 0.6 * 10, 0, 8 - 0.8 * 10, 2, 0.6, 0, -0.8);
  // Fillet of a corner: circle of radius 2 about (25, 15), height 8.
  double r = 2 + 0.6 * 10;
  expect_hit(&shape, 25 + 0.8 * r, 15 + 0.6 * r, 8 - 0.8 * 10, 2, 0.6 * 0.8, 0.6 * 0.6, -0.8);
  expect_distance(&shape, 60, 500);
  expect_picture(&shape, 60, 1e-11);
  shape_free(&shape);
}

Test(shape_rounded_prism, of_a_die_is_hollow) {
  Shape shape = shape_sample("rounded_prism", 3, NULL, 0, die);
  expect_hit(&shape, 60, 4, 2, 2, 0, 0, 1);
  expect_hit(&shape, 36, 4, -20, 1, -1, 0, 0);
  expect_hit(&shape, 42 - 0.6 * 7, 0, -5 + 0.8 * 7, 2, -0.6, 0, 0.8);
  double r = 17 - 0.6 * 7; // shoulder of a corner about (25, 15)
  expect_hit(&shape, 25 + 0.8 * r, 15 + 0.6 * r, -5 + 0.8 * 7, 2, -0.48, -0.36, 0.8);
  expect_distance(&shape, 60, 500);
  expect_picture(&shape, 60, 1e-11);
  shape_free(&shape);
}

Test(shape_rounded_prism, whose_edge_does_not_fit_its_corner_is_refused) {
  const ShapeParam sharp[] = {
      {"half_length", 3}, {"half_width", 2}, {"corner_radius", 0.5}, {"edge_radius", 1}, {NULL, 0}};
  Shape shape;
  cr_assert_eq(shape_try(&shape, "rounded_prism", 3, NULL, 0, sharp, NULL), ERR_INPUT);
  cr_assert_eq(shape_try(&shape, "rounded_prism", 2, NULL, 0, punch, NULL), ERR_INPUT);
}
