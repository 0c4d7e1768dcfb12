#include <criterion/criterion.h>

#include <string.h>

#include "base/mem.h"
#include "mesh/generate.h"
#include "mesh/skin.h"

Test(skin, of_a_rectangle_is_walked_once_counter_clockwise) {
  Mesh mesh;
  Skin skin;
  Err err = {0};
  cr_assert_eq(mesh_rectangle(&mesh, 3, 2, 3, 2, "t3_right", &err), OK);
  cr_assert_eq(skin_build(&skin, &mesh, &err), OK);
  cr_assert_eq(skin.n_facets, 10);
  cr_assert_eq(skin.n_nodes, 10);
  cr_assert_eq(skin.skin_of[5], -1); // the two inner nodes of a 4 x 3 grid
  cr_assert_eq(skin.skin_of[6], -1);
  double twice_area = 0;
  for (int f = 0; f < 10; f++) {
    int a = skin.facet_node[2 * f], b = skin.facet_node[2 * f + 1],
        next = skin.neighbour[2 * f + 1];
    cr_assert_eq(next, (f + 1) % 10);
    cr_assert_eq(skin.neighbour[2 * next], f);
    cr_assert_eq(skin.facet_node[2 * next], b);
    twice_area += mesh.x[2 * a] * mesh.x[2 * b + 1] - mesh.x[2 * b] * mesh.x[2 * a + 1];
    int has = 0; // the element behind has both nodes
    for (int k = 0; k < 3; k++) {
      int node = mesh.elem_node[mesh.elem_ptr[skin.facet_elem[f]] + k];
      has += node == a || node == b;
    }
    cr_assert_eq(has, 2);
  }
  cr_assert_float_eq(twice_area, 12, 1e-14);
  for (int k = 0; k < skin.n_nodes; k++) cr_assert_eq(skin.skin_of[skin.node[k]], k);
  skin_free(&skin);
  mesh_free(&mesh);
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(skin, of_a_box_is_closed_and_looks_outward) {
  Mesh mesh;
  Skin skin;
  Err err = {0};
  cr_assert_eq(mesh_box(&mesh, (double[3]){1, 2, 3}, (int[3]){2, 3, 4}, &err), OK);
  cr_assert_eq(skin_build(&skin, &mesh, &err), OK);
  cr_assert_eq(skin.n_facets, 2 * (6 + 12 + 8));
  cr_assert_eq(skin.n_nodes, 3 * 4 * 5 - 1 * 2 * 3);
  double volume = 0; // a third of the sum of x . n over the faces
  for (int f = 0; f < skin.n_facets; f++) {
    double x[4][3], d[2][3];
    for (int k = 0; k < 4; k++) {
      int other = skin.neighbour[4 * f + k], back = 0;
      cr_assert_geq(other, 0);
      for (int j = 0; j < 4; j++) back += skin.neighbour[4 * other + j] == f;
      cr_assert_geq(back, 1);
      memcpy(x[k], mesh.x + 3 * skin.facet_node[4 * f + k], sizeof x[k]);
    }
    for (int c = 0; c < 3; c++) {
      d[0][c] = x[2][c] - x[0][c];
      d[1][c] = x[3][c] - x[1][c];
    }
    for (int c = 0; c < 3; c++)
      volume += x[0][c] *
                (d[0][(c + 1) % 3] * d[1][(c + 2) % 3] - d[0][(c + 2) % 3] * d[1][(c + 1) % 3]) / 6;
  }
  cr_assert_float_eq(volume, 6, 1e-13);
  skin_free(&skin);
  mesh_free(&mesh);
}

// Two squares that touch at one corner, or lie on one another.
static void two_squares(Mesh *mesh, const int32_t *second) {
  Err err = {0};
  cr_assert_eq(mesh_init(mesh, 2, 7, 2, 8, &err), OK);
  const double x[7][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {2, 1}, {2, 2}, {1, 2}};
  memcpy(mesh->x, x, sizeof x);
  const int32_t first[4] = {0, 1, 2, 3};
  memcpy(mesh->elem_node, first, sizeof first);
  memcpy(mesh->elem_node + 4, second, 4 * sizeof *second);
  for (int e = 0; e < 2; e++) {
    mesh->elem_shape[e] = SHAPE_Q4;
    mesh->elem_ptr[e + 1] = 4 * (e + 1);
  }
}

Test(skin, has_no_neighbour_at_a_node_where_two_corners_touch) {
  Mesh mesh;
  Skin skin;
  Err err = {0};
  two_squares(&mesh, (int32_t[]){2, 4, 5, 6});
  cr_assert_eq(skin_build(&skin, &mesh, &err), OK, "%s", err.text);
  cr_assert_eq(skin.n_facets, 8);
  for (int f = 0; f < 8; f++) {
    cr_assert_eq(skin.neighbour[2 * f] == -1, skin.facet_node[2 * f] == 2);
    cr_assert_eq(skin.neighbour[2 * f + 1] == -1, skin.facet_node[2 * f + 1] == 2);
  }
  skin_free(&skin);
  mesh_free(&mesh);
}

Test(skin, that_was_freed_is_zero_again) {
  Mesh mesh;
  Skin skin;
  const Skin nothing = {0};
  Err err = {0};
  cr_assert_eq(mesh_rectangle(&mesh, 1, 1, 2, 2, "q4", &err), OK);
  cr_assert_eq(skin_build(&skin, &mesh, &err), OK);
  skin_free(&skin);
  cr_assert_eq(memcmp(&skin, &nothing, sizeof skin), 0);
  skin_free(&skin); // and may be freed again
  mesh_free(&mesh);
}

Test(skin, elements_on_one_another_are_refused) {
  Mesh mesh;
  Skin skin;
  Err err = {0};
  two_squares(&mesh, (int32_t[]){1, 2, 3, 0});
  cr_assert_eq(skin_build(&skin, &mesh, &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, "element 2 overlaps element 1"));
  mesh_free(&mesh);
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(skin, lack_of_memory_leaks_nothing) {
  for (int dim = 2; dim <= 3; dim++) {
    Mesh mesh;
    Skin skin;
    Err err = {0};
    cr_assert_eq(dim == 2 ? mesh_rectangle(&mesh, 1, 1, 2, 2, "q4", &err)
                          : mesh_box(&mesh, (double[3]){1, 1, 1}, (int[3]){2, 2, 2}, &err),
                 OK);
    for (int n = 1;; n++) {
      int64_t before = mem_live_blocks();
      mem_fail_after(n);
      Status status = skin_build(&skin, &mesh, &err);
      mem_fail_after(0);
      if (status == OK) break;
      cr_assert_eq(status, ERR_SYSTEM);
      cr_assert_eq(mem_live_blocks(), before);
    }
    skin_free(&skin);
    mesh_free(&mesh);
  }
  cr_assert_eq(mem_live_blocks(), 0);
}
