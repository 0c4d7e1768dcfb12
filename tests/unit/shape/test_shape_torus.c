#include "shape_sample.h"

Test(shape_torus, is_a_ring_of_round_section) {
  const ShapeParam ring[] = {{"radius", 3}, {"tube", 1}, {NULL, 0}};
  Shape shape = shape_sample("torus", 3, NULL, 0, ring);
  expect_hit(&shape, 0, 4, 3, 3, 0, 1, 0);
  expect_hit(&shape, 0, 0, 5, 1, 0, 0, 1);
  expect_hit(&shape, 3.3, 0.4, 0, -0.5, 0.6, 0.8, 0);
  cr_assert_float_eq(shape_hit(&shape, 0, 0, 0).gap, 2, 1e-14);
  cr_assert_float_eq(shape_hit(&shape, 0, 4, 0).gap, 4, 1e-14);
  cr_assert_float_eq(shape_hit(&shape, 3, 0, 0).gap, -1, 1e-14);
  expect_distance(&shape, 5, 300);
  expect_picture(&shape, 5, 1e-12);
  shape_free(&shape);
}

Test(shape_torus, that_meets_itself_or_lies_in_the_plane_is_refused) {
  const ShapeParam fat[] = {{"radius", 1}, {"tube", 1.5}, {NULL, 0}};
  const ShapeParam ring[] = {{"radius", 3}, {"tube", 1}, {NULL, 0}};
  Shape shape;
  cr_assert_eq(shape_try(&shape, "torus", 3, NULL, 0, fat, NULL), ERR_INPUT);
  cr_assert_eq(shape_try(&shape, "torus", 2, NULL, 0, ring, NULL), ERR_INPUT);
}
