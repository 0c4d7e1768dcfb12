#include <criterion/criterion.h>

#include "base/mem.h"
#include "mesh/masonry.h"

Test(assembly_to_mesh, keeps_blocks_apart_and_all_groups) {
  Assembly column;
  Mesh mesh;
  Err err = {0};
  cr_assert_eq(masonry_column(&column, 0.4, 0.3, 3, 0, 0, (BlockMesh){2, 1, "t3_right"}, &err), OK);
  for (int n = 1;; n++) {
    int64_t before = mem_live_blocks();
    mem_fail_after(n);
    Status status = assembly_to_mesh(&column, &mesh, &err);
    mem_fail_after(0);
    if (status == OK) break;
    cr_assert_eq(status, ERR_SYSTEM);
    cr_assert_eq(mem_live_blocks(), before);
  }
  cr_assert_eq(mesh.n_nodes, 18);
  cr_assert_eq(mesh.n_elems, 12);
  cr_assert_float_eq(mesh_measure(&mesh), 0.36, 1e-15);
  cr_assert_eq(mesh_check(&mesh, &err), OK);
  cr_assert_eq(mesh_find_group_of(&mesh, "block_2", GROUP_ELEMENTS)->items[0], 4);
  cr_assert_eq(mesh_find_group_of(&mesh, "course_3", GROUP_ELEMENTS)->n, 4);
  cr_assert_eq(mesh_find_group_of(&mesh, "top", GROUP_NODES)->items[0], 15);
  mesh_free(&mesh);
  assembly_free(&column);
  cr_assert_eq(mem_live_blocks(), 0);
}
