#include "shape_sample.h"

Test(shape_sphere, is_round_from_outside_and_from_inside) {
  const ShapeParam ball[] = {{"at_x", 1}, {"radius", 2}, {NULL, 0}};
  const ShapeParam bowl[] = {{"at_x", 1}, {"radius", 2}, {"inside", 1}, {NULL, 0}};
  for (int dim = 2; dim <= 3; dim++) {
    Shape full = shape_sample("sphere", dim, NULL, 0, ball),
          hollow = shape_sample("sphere", dim, NULL, 0, bowl);
    expect_hit(&full, 4, 4, 0, 3, 0.6, 0.8, 0);
    expect_hit(&hollow, 4, 4, 0, -3, -0.6, -0.8, 0);
    expect_hit(&hollow, 1, 1, 0, 1, 0, -1, 0);
    cr_assert_float_eq(shape_hit(&full, 1, 0, 0).gap, -2, 1e-15);
    expect_distance(&full, 4, 200);
    expect_distance(&hollow, 4, 200);
    expect_picture(&full, 4, 1e-12);
    shape_free(&full);
    shape_free(&hollow);
  }
}
