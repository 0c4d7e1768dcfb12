#include <criterion/criterion.h>

#include "base/mem.h"
#include "mesh/masonry.h"

Test(masonry_column, drums_stand_on_one_another_and_share_a_mesh) {
  Assembly column;
  Err err = {0};
  cr_assert_eq(masonry_column(&column, 0.4, 0.3, 7, 1, 2, (BlockMesh){2, 1, "q4"}, &err), OK);
  cr_assert_eq(column.n_blocks, 7);
  cr_assert_eq(column.n_meshes, 1);
  cr_assert_float_eq(column.blocks[6].y, 2 + 6 * 0.3, 1e-15);
  cr_assert_eq(column.blocks[6].course, 7);
  cr_assert_eq(assembly_find_group(&column, "top")->n, 3);
  cr_assert_eq(assembly_find_group(&column, "bottom")->block[0], 0);
  cr_assert_eq(assembly_find_group(&column, "left")->n, 14);
  assembly_free(&column);
  cr_assert_eq(masonry_column(&column, 0.4, -1, 7, 1, 2, (BlockMesh){2, 1, "q4"}, &err), ERR_INPUT);
  cr_assert_eq(masonry_column(&column, 0.4, 1, 0, 1, 2, (BlockMesh){2, 1, "q4"}, &err), ERR_INPUT);
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(masonry_column, round_drums_stand_on_one_another) {
  Err err = {0};
  Assembly column;
  const DrumsSpec spec = {
      .width = 0.6, .depth = 0.4, .height = 0.3, .n = 4, .sides = 8, .x = 1, .y = 2};
  cr_assert_eq(masonry_drums(&column, &spec, &err), OK, "%s", err.text);
  cr_assert_eq(column.n_meshes, 1);
  cr_assert_eq(column.n_blocks, 4);
  cr_assert_eq(column.meshes[0].dim, 3);
  // eight corners a face; two of its corners lie farthest to each side, in all drums
  static const char *const name[] = {"bottom", "top", "left", "right", "back", "front"};
  static const int n[] = {8, 8, 8, 8, 8, 8};
  static const double at[] = {2, 3.2, 1, 1.6, 0, 0.4};
  static const int axis[] = {1, 1, 0, 0, 2, 2};
  for (int k = 0; k < 6; k++) {
    const AssemblyGroup *group = assembly_find_group(&column, name[k]);
    cr_assert_not_null(group, "%s", name[k]);
    cr_expect_eq(group->n, n[k], "%s: %d", name[k], group->n);
    for (int i = 0; i < group->n; i++) {
      double x[3];
      assembly_node_position(&column, group->block[i], group->node[i], x);
      cr_expect_float_eq(x[axis[k]], at[k], 1e-12, "%s: %g", name[k], x[axis[k]]);
    }
  }
  cr_assert_not_null(assembly_find_group(&column, "course_4"));
  assembly_free(&column);
}

Test(masonry_column, round_drums_want_sides_and_sizes) {
  Assembly column;
  for (int k = 0; k < 4; k++) {
    Err err = {0};
    DrumsSpec spec = {.width = 0.6, .depth = 0.6, .height = 0.3, .n = 4, .sides = 8};
    if (k == 0) spec.sides = 2;
    if (k == 1) spec.sides = 65;
    if (k == 2) spec.height = 0;
    if (k == 3) spec.n = 0;
    cr_expect_eq(masonry_drums(&column, &spec, &err), ERR_INPUT, "%d", k);
  }
}
