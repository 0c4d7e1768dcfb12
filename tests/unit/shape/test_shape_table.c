#include "shape_sample.h"

Test(shape_table, names_are_found_and_unknown_ones_are_not) {
  for (int k = 0; shape_types[k]; k++)
    cr_assert_eq(shape_find(shape_types[k]->name), shape_types[k]);
  cr_assert_null(shape_find("cube"));
}

Test(shape_table, every_shape_fits_its_parameters_and_says_what_it_is) {
  for (int k = 0; shape_types[k]; k++) {
    cr_assert_leq(shape_types[k]->n_params, SHAPE_MAX_PARAMS);
    cr_assert_not_null(shape_types[k]->doc);
    for (int p = 0; p < shape_types[k]->n_params; p++)
      cr_assert_not_null(shape_types[k]->params[p].doc);
  }
}

Test(shape_table, a_shape_that_failed_is_free_and_empty) {
  Shape shape;
  Err err = {0};
  int64_t before = mem_live_blocks();
  const ShapeParam no_axis[] = {{"axis_y", 0}, {NULL, 0}};
  cr_assert_eq(shape_try(&shape, "plane", 3, NULL, 0, no_axis, &err), ERR_INPUT);
  cr_assert_null(shape.own);
  cr_assert_eq(mem_live_blocks(), before);
}
