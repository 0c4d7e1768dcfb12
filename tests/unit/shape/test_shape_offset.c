#include "shape_sample.h"

#include "../../support/run_case.h"

static Shape offset_of(const Shape *other, double distance, double at_z) {
  Shape shape;
  Err err = {0};
  ShapeSpec spec = {.dim = other->spec.dim, .other = other, .par = {0, distance, 0, 0, at_z}};
  cr_assert_eq(shape_init(&shape, shape_find("offset"), &spec, &err), OK, "%s", err.text);
  return shape;
}

// Of a ball the hollow of a ball that is larger by the distance.
Test(shape_offset, faces_the_other_at_the_distance) {
  const ShapeParam ball[] = {{"radius", 0.5}, {NULL, 0}};
  Shape other = shape_sample("sphere", 3, NULL, 0, ball), shape = offset_of(&other, 0.25, 0.1);
  expect_hit(&shape, 0, 0.3, 0.5, 0.25, 0, -0.6, -0.8);
  expect_hit(&shape, 0, 0.6, 0.9, -0.25, 0, -0.6, -0.8);
  expect_distance(&shape, 2, 200);
  expect_picture(&shape, 2, 1e-12);
  shape_free(&shape);
  shape_free(&other);
}

// A die from the line of its punch: the fillet of 5 becomes one of 6.
Test(shape_offset, of_a_profile_has_its_fillets_wider) {
  const double punch[9] = {0, 0, 0, 0.03, 0, 0.005, 0.03, 0.1, 0};
  const ShapeParam line[] = {{"axis_y", 0}, {"axis_z", 1}, {"material", 0}, {NULL, 0}};
  Shape other = shape_sample("profile", 3, punch, 9, line), shape = offset_of(&other, 0.001, 0);
  const double at = 0.025, r = 0.006 / sqrt(2);
  cr_assert_float_eq(shape_hit(&shape, 0.01, 0, -0.001).gap, 0, 1e-13);
  cr_assert_float_eq(shape_hit(&shape, 0, 0.031, 0.05).gap, 0, 1e-13);
  cr_assert_float_eq(shape_hit(&shape, at + r, 0, 0.005 - r).gap, 0, 1e-13);
  cr_assert_float_eq(shape.type->fillet(&shape), 0.005, 1e-13);
  expect_picture(&shape, 0.2, 1e-12);
  shape_free(&shape);
  shape_free(&other);
}

Test(shape_offset, needs_a_tool_that_is_none) {
  Shape shape, second;
  Err err = {0};
  const ShapeParam far[] = {{"distance", 1}, {NULL, 0}};
  cr_assert_eq(shape_try(&shape, "offset", 3, NULL, 0, far, &err), ERR_INPUT);
  const ShapeParam ball[] = {{"radius", 0.5}, {NULL, 0}};
  Shape other = shape_sample("sphere", 3, NULL, 0, ball);
  shape = offset_of(&other, 0.25, 0);
  ShapeSpec spec = {.dim = 3, .other = &shape, .par = {0, 0.1}};
  cr_assert_eq(shape_init(&second, shape_find("offset"), &spec, &err), ERR_INPUT);
  shape_free(&shape);
  shape_free(&other);
}

// A sheet that a hollow bends over a ball: the die as an offset is the die as it would be written.
Test(shape_offset, a_sheet_between_a_punch_and_its_offset_is_that_between_two_tools) {
  static const char *const die[2] = {"shape='sphere' inside='yes' radius='21e-3' at_z='14.5e-3'",
                                     "shape='offset' from='ball' distance='1e-3' at_z='-6e-3'"};
  double force[2];
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_text(
        xml_format(
            "<voussoir><model space='solid'/>"
            "<material name='s' law='sheet' density='7800' young='206e9' poisson='0.3' "
            "yield='3e8'/><sheet name='b' material='s' shape='rectangle' width='0.02' "
            "size='0.005' quarter='yes' thickness='1e-3' layers='3' z='-0.2e-3'/>"
            "<hold on='b.symmetry_x' as='symmetry_x'/><hold on='b.symmetry_y' as='symmetry_y'/>"
            "<tool name='ball' shape='sphere' radius='20e-3' at_z='20.5e-3' "
            "move_z='-1e-3*t'/><tool name='die' %s move_z='-0.5e-3'/>"
            "<law name='d' friction='0'/><contact candidate='b' antagonist='ball die' "
            "law='d' points='nodes'/><time end='0.9' step='0.05' theta='1'/>"
            "<newton tolerance='1e-9'/><solver tolerance='1e-9'/>"
            "<probe name='f' quantity='reaction' of='die' component='z'/></voussoir>",
            die[k]),
        NULL);
    force[k] = run_case_last(run, "f");
    run_case_close(run);
  }
  cr_assert_gt(fabs(force[0]), 10, "%g", force[0]);
  cr_assert_float_eq(force[1], force[0], 1e-6 * fabs(force[0]), "%g, %g", force[1], force[0]);
}
