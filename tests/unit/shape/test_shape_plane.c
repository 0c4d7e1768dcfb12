#include "shape_sample.h"

Test(shape_plane, measures_along_its_normal) {
  const ShapeParam tilted[] = {{"at_x", 1},   {"at_y", 2},   {"axis_x", 3},
                               {"axis_y", 0}, {"axis_z", 4}, {NULL, 0}};
  Shape plane = shape_sample("plane", 3, NULL, 0, tilted);
  expect_hit(&plane, 1, 2, 0, 0, 0.6, 0, 0.8);
  expect_hit(&plane, 1.6, -7, 0.8, 1, 0.6, 0, 0.8);
  expect_hit(&plane, 0.4, 5, -0.8, -1, 0.6, 0, 0.8);
  expect_distance(&plane, 5, 200);
  expect_picture(&plane, 3, 1e-12);
  shape_free(&plane);
}

Test(shape_plane, in_the_plane_z_does_not_count) {
  const ShapeParam wall[] = {{"axis_x", -2}, {"axis_y", 0}, {"axis_z", 7}, {NULL, 0}};
  Shape plane = shape_sample("plane", 2, NULL, 0, wall);
  expect_hit(&plane, -0.5, 3, 0, 0.5, -1, 0, 0);
  expect_picture(&plane, 3, 1e-12);
  shape_free(&plane);
}
