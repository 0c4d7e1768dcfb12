#include <criterion/criterion.h>

#include "element/element_table.h"
#include "material/material_table.h"

Test(element_t3, stiffness_of_the_unit_triangle_is_that_done_by_hand) {
  // plane stress, nu = 0, E = 2, thickness 1: sigma = (2 eps_x, 2 eps_y, gamma), area 1/2
  double d[16], ke[36];
  material_elastic.stiffness((double[]){2, 0}, PLANE_STRESS, d);
  ElementSpec spec = {.type = &element_t3, .state = PLANE_STRESS, .thickness = 1, .d = d};
  const double x[6] = {0, 0, 1, 0, 0, 1};
  const double expected[36] = {1.5,  0.5,  -1, -0.5, -0.5, 0, 0.5,  1.5,  0, -0.5, -0.5, -1,
                               -1,   0,    1,  0,    0,    0, -0.5, -0.5, 0, 0.5,  0.5,  0,
                               -0.5, -0.5, 0,  0.5,  0.5,  0, 0,    -1,   0, 0,    0,    1};
  Err err = {0};
  cr_assert_eq(element_stiffness(&spec, x, ke, &err), OK, "%s", err.text);
  for (int k = 0; k < 36; k++)
    cr_assert_float_eq(ke[k], expected[k], 1e-15, "entry %d, %d", k / 6, k % 6);
}

Test(element_t3, gives_each_node_a_third_of_its_volume) {
  ElementSpec spec = {.type = &element_t3, .state = PLANE_STRAIN, .thickness = 0.3};
  const double x[6] = {0, 0, 4, 1, 1, 3};
  double share[3];
  element_lumped_volume(&spec, x, share);
  for (int k = 0; k < 3; k++) cr_assert_float_eq(share[k], 0.3 * 5.5 / 3, 1e-15);
}
