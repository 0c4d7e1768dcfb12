#include <criterion/criterion.h>

#include "element/element_table.h"
#include "material/material_table.h"

Test(element_t4, stiffness_of_the_corner_tetrahedron_has_its_textbook_entries) {
  // gradients are -(1,1,1), e_x, e_y, e_z and the volume 1/6: entries are those of B^T D B / 6
  const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  double d[36], ke[144];
  material_elastic.stiffness((double[]){1, 0.25}, STRESS_3D, d); // lambda = G = 0.4
  ElementSpec spec = {.type = &element_t4, .state = STRESS_3D, .d = d};
  cr_assert_eq(element_stiffness(&spec, x, ke, NULL), OK);
  cr_assert_float_eq(ke[3 * 12 + 3], 1.2 / 6, 1e-15);    // node 2, x: lambda + 2 G
  cr_assert_float_eq(ke[3 * 12 + 7], 0.4 / 6, 1e-15);    // node 2, x with node 3, y: lambda
  cr_assert_float_eq(ke[4 * 12 + 6], 0.4 / 6, 1e-15);    // node 2, y with node 3, x: G
  cr_assert_float_eq(ke[0], (1.2 + 2 * 0.4) / 6, 1e-15); // node 1, x
  cr_assert_float_eq(ke[1], (0.4 + 0.4) / 6, 1e-15);     // node 1, x with y
  cr_assert_float_eq(ke[3 * 12 + 8], 0, 1e-15);          // node 2, x with node 3, z
}

Test(element_t4, volume_goes_to_the_nodes_in_quarters) {
  const double x[12] = {0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4};
  double share[4];
  element_lumped_volume(&(ElementSpec){.type = &element_t4}, x, share);
  for (int k = 0; k < 4; k++) cr_assert_float_eq(share[k], 1, 1e-14);
}
