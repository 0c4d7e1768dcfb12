#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "mesh/masonry.h"

Test(masonry_rubble, stones_lie_in_balls_apart_and_inside_the_circle) {
  Err err = {0};
  Assembly rubble, again;
  const RubbleSpec spec = {.n = 30, .radius = 0.1, .width = 0.8, .corners = {8, 12}, .seed = 7};
  cr_assert_eq(masonry_rubble(&rubble, &spec, &err), OK, "%s", err.text);
  cr_assert_eq(rubble.n_blocks, 30);
  cr_assert_eq(rubble.n_meshes, 30);
  cr_expect_eq(rubble.blocks[6].course, 1); // seven a layer
  cr_expect_eq(rubble.blocks[7].course, 2);
  for (int k = 0; k < 30; k++) {
    const AssemblyBlock *block = &rubble.blocks[k];
    const Mesh *mesh = &rubble.meshes[block->mesh];
    cr_expect(mesh->n_nodes >= 9 && mesh->n_nodes <= 13); // and one in the middle
    cr_expect_leq(hypot(block->x, block->y) + 0.1, 0.4 + 1e-12);
    for (int i = 0; i + 1 < mesh->n_nodes; i++) {
      const double *x = mesh->x + 3 * i;
      cr_expect_float_eq(x[0] * x[0] + x[1] * x[1] + x[2] * x[2], 0.01, 1e-15);
    }
    for (int j = 0; j < k; j++) {
      const AssemblyBlock *other = &rubble.blocks[j];
      double d = sqrt(pow(block->x - other->x, 2) + pow(block->y - other->y, 2) +
                      pow(block->z - other->z, 2));
      cr_expect_gt(d, 0.2019, "%d %d: %g", j, k, d);
    }
  }
  cr_assert_eq(masonry_rubble(&again, &spec, &err), OK);
  for (int i = 0; i < 3 * rubble.meshes[29].n_nodes; i++)
    cr_expect_eq(rubble.meshes[29].x[i], again.meshes[29].x[i]);
  assembly_free(&rubble);
  assembly_free(&again);
}

Test(masonry_rubble, says_what_leaves_no_stone) {
  for (int k = 0; k < 4; k++) {
    Err err = {0};
    Assembly rubble;
    RubbleSpec spec = {.n = 3, .radius = 0.1, .width = 0.8, .corners = {8, 12}};
    if (k == 0) spec.width = 0.19;
    if (k == 1) spec.n = 0;
    if (k == 2) spec.corners[0] = 3;
    if (k == 3) spec.corners[1] = 17;
    cr_expect_eq(masonry_rubble(&rubble, &spec, &err), ERR_INPUT, "%d", k);
    if (k == 0)
      cr_expect(strstr(err.text, "no stone is left") && strstr(err.text, "0.2 m"), "%s", err.text);
  }
}
