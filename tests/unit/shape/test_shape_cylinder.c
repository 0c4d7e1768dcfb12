#include "shape_sample.h"

Test(shape_cylinder, is_round_about_its_axis) {
  const ShapeParam bar[] = {{"at_y", 1},   {"axis_x", 1},   {"axis_y", 0},
                            {"axis_z", 0}, {"radius", 0.5}, {NULL, 0}};
  Shape shape = shape_sample("cylinder", 3, NULL, 0, bar);
  expect_hit(&shape, 77, 4, 4, 4.5, 0, 0.6, 0.8);
  cr_assert_float_eq(shape_hit(&shape, -3, 1, 0).gap, -0.5, 1e-15);
  expect_distance(&shape, 2, 200);
  expect_picture(&shape, 2, 1e-12);
  shape_free(&shape);
}

Test(shape_cylinder, is_a_disk_in_the_plane_and_may_be_hollow) {
  const ShapeParam hole[] = {{"radius", 2}, {"inside", 1}, {NULL, 0}};
  Shape shape = shape_sample("cylinder", 2, NULL, 0, hole);
  expect_hit(&shape, 0.6, 0.8, 0, 1, -0.6, -0.8, 0);
  expect_distance(&shape, 3, 200);
  expect_picture(&shape, 3, 1e-12);
  shape_free(&shape);
}
