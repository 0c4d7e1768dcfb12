#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "mesh/generate.h"

static void make(Mesh *mesh, const char *pattern) {
  Err err = {0};
  cr_assert_eq(mesh_rectangle(mesh, 2, 1, 2, 2, pattern, &err), OK, "%s", err.text);
}

Test(mesh, check_names_the_element_that_is_turned_inside_out) {
  Mesh mesh;
  Err err = {0};
  make(&mesh, "t3_right");
  int32_t swap = mesh.elem_node[9];
  mesh.elem_node[9] = mesh.elem_node[10];
  mesh.elem_node[10] = swap;
  cr_assert_eq(mesh_check(&mesh, &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, "element 4 (T3) is turned inside out: area -0.25"));
  cr_assert_float_eq(mesh_measure(&mesh), 1.5, 1e-15);
  mesh_free(&mesh);
}

Test(mesh, check_finds_nodes_out_of_range_unused_and_not_finite) {
  Mesh mesh;
  Err err = {0};
  make(&mesh, "q4");
  mesh.elem_node[2] = 9;
  cr_assert_eq(mesh_check(&mesh, &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, "element 1 refers to node 10, the mesh has 9"));
  mesh.elem_node[2] = 4;
  mesh.x[3] = (double)NAN;
  cr_assert_eq(mesh_check(&mesh, &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, "node 2 has the coordinate"));
  mesh_free(&mesh);
  cr_assert_eq(mesh_init(&mesh, 2, 1, 0, 0, &err), OK);
  cr_assert_eq(mesh_check(&mesh, &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, "node 1 belongs to no element"));
  mesh_free(&mesh);
}

Test(mesh, volume_of_a_distorted_hexahedron_is_exact) {
  Mesh mesh;
  Err err = {0};
  cr_assert_eq(mesh_box(&mesh, (double[3]){1, 1, 1}, (int[3]){1, 1, 1}, &err), OK);
  // top face shrunk to half: volume h/3 (A0 + sqrt(A0 A1) + A1) = 7/12
  for (int k = 4; k < 8; k++)
    for (int c = 0; c < 2; c++) mesh.x[3 * k + c] = 0.25 + 0.5 * mesh.x[3 * k + c];
  cr_assert_float_eq(mesh_elem_measure(&mesh, 0), 7.0 / 12, 1e-15);
  cr_assert_gt(mesh_elem_min_det(&mesh, 0), 0);
  mesh_free(&mesh);
}

Test(mesh, groups_are_sorted_counted_once_and_unique_per_kind) {
  Mesh mesh;
  Err err = {0};
  make(&mesh, "q4");
  cr_assert_eq(mesh_add_group(&mesh, "g", GROUP_NODES, (int32_t[]){5, 2, 5, 0}, 4, &err), OK);
  const MeshGroup *group = mesh_find_group(&mesh, "g");
  cr_assert_eq(group->n, 3);
  cr_assert(group->items[0] == 0 && group->items[1] == 2 && group->items[2] == 5);
  cr_assert_eq(mesh_add_group(&mesh, "g", GROUP_NODES, NULL, 0, &err), ERR_INPUT);
  cr_assert_eq(mesh_add_group(&mesh, "g", GROUP_FACETS, (int32_t[]){1}, 1, &err), OK);
  cr_assert_eq(mesh_add_group(&mesh, "h", GROUP_ELEMENTS, (int32_t[]){4}, 1, &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, "group 'h' names number 5, the mesh has 4 elements"));
  cr_assert_null(mesh_find_group(&mesh, "absent"));
  cr_assert_null(mesh_find_group_of(&mesh, "g", GROUP_ELEMENTS));
  int32_t *node;
  int n;
  group = mesh_find_group_of(&mesh, "top", GROUP_FACETS);
  cr_assert_eq(mesh_group_nodes(&mesh, group, &node, &n, &err), OK);
  cr_assert_eq(n, 3);
  cr_assert(node[0] == 6 && node[1] == 7 && node[2] == 8);
  mem_free(node);
  mesh_free(&mesh);
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(mesh, a_copy_is_equal_and_independent) {
  Mesh mesh, copy;
  Err err = {0};
  make(&mesh, "t3_cross");
  cr_assert_eq(mesh_copy(&copy, &mesh, &err), OK);
  cr_assert_eq(copy.n_groups, mesh.n_groups);
  cr_assert_eq(copy.n_facets, 8);
  cr_assert_float_eq(mesh_measure(&copy), 2, 1e-15);
  mesh_free(&mesh);
  cr_assert_eq(mesh_check(&copy, &err), OK);
  for (int n = 1;; n++) {
    Mesh again;
    int64_t before = mem_live_blocks();
    mem_fail_after(n);
    Status status = mesh_copy(&again, &copy, &err);
    mem_fail_after(0);
    if (status == OK) {
      mesh_free(&again);
      break;
    }
    cr_assert_eq(status, ERR_SYSTEM);
    cr_assert_eq(mem_live_blocks(), before);
  }
  mesh_free(&copy);
  mesh_free(&copy); // a second time does nothing
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(mesh, bounds_in_2d_have_z_zero) {
  Mesh mesh;
  double low[3], high[3];
  make(&mesh, "q4");
  mesh_bounds(&mesh, low, high);
  cr_assert(low[0] == 0 && low[1] == 0 && low[2] == 0);
  cr_assert(high[0] == 2 && high[1] == 1 && high[2] == 0);
  mesh_free(&mesh);
}
