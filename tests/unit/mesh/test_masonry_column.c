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
