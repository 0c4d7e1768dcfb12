#include <criterion/criterion.h>

#include <string.h>

#include "base/mem.h"
#include "mesh/generate.h"

Test(mesh_extract, gives_one_body_of_a_mesh_with_its_facets_and_groups) {
  Mesh mesh, part;
  Err err = {0};
  cr_assert_eq(mesh_rectangle(&mesh, 4, 1, 4, 1, "q4", &err), OK);
  cr_assert_eq(mesh_add_group(&mesh, "right half", GROUP_ELEMENTS, (int32_t[]){2, 3}, 2, &err), OK);
  int n = 1;
  for (;; n++) {
    int64_t before = mem_live_blocks();
    mem_fail_after(n);
    Status status = mesh_extract(&part, &mesh, mesh_find_group(&mesh, "right half"), &err);
    mem_fail_after(0);
    if (status == OK) break;
    cr_assert_eq(status, ERR_SYSTEM);
    cr_assert_eq(mem_live_blocks(), before, "allocation %d", n);
  }
  cr_assert_eq(part.n_elems, 2);
  cr_assert_eq(part.n_nodes, 6);
  cr_assert_eq(part.n_facets, 5);
  cr_assert_eq(mesh_check(&part, &err), OK, "%s", err.text);
  cr_assert_float_eq(mesh_measure(&part), 2, 1e-15);
  cr_assert_eq(mesh_find_group_of(&part, "bottom", GROUP_FACETS)->n, 2);
  cr_assert_eq(mesh_find_group_of(&part, "bottom", GROUP_NODES)->n, 3);
  cr_assert_eq(mesh_find_group_of(&part, "all", GROUP_ELEMENTS)->n, 2);
  cr_assert_null(mesh_find_group(&part, "left"));
  cr_assert(part.x[0] == 2);
  mesh_free(&part);
  cr_assert_eq(mesh_extract(&part, &mesh, mesh_find_group(&mesh, "top"), &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, "group 'top' does not list elements"));
  mesh_free(&mesh);
  cr_assert_eq(mem_live_blocks(), 0);
}
