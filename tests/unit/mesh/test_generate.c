#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "mesh/generate.h"

static const char *const patterns[5] = {"q4", "t3_right", "t3_left", "t3_alternate", "t3_cross"};

Test(generate, rectangles_have_exact_counts_areas_and_sides) {
  const int per_cell[5] = {1, 2, 2, 2, 4};
  for (int p = 0; p < 5; p++) {
    Mesh mesh;
    Err err = {0};
    cr_assert_not_null(strstr(mesh_patterns, patterns[p]));
    cr_assert_eq(mesh_rectangle(&mesh, 0.3, 0.2, 3, 2, patterns[p], &err), OK, "%s", err.text);
    cr_assert_eq(mesh.n_nodes, p == 4 ? 12 + 6 : 12);
    cr_assert_eq(mesh.n_elems, 6 * per_cell[p]);
    cr_assert_float_eq(mesh_measure(&mesh), 0.06, 1e-16);
    for (int e = 0; e < mesh.n_elems; e++)
      cr_assert_float_eq(mesh_elem_measure(&mesh, e), 0.01 / per_cell[p], 1e-16);
    cr_assert_eq(mesh_find_group_of(&mesh, "bottom", GROUP_FACETS)->n, 3);
    cr_assert_eq(mesh_find_group_of(&mesh, "right", GROUP_FACETS)->n, 2);
    cr_assert_eq(mesh_find_group_of(&mesh, "top", GROUP_NODES)->n, 4);
    cr_assert_eq(mesh_find_group_of(&mesh, "left", GROUP_NODES)->n, 3);
    cr_assert_eq(mesh_find_group_of(&mesh, "all", GROUP_ELEMENTS)->n, mesh.n_elems);
    cr_assert(mesh.x[2 * 11] == 0.3 && mesh.x[2 * 11 + 1] == 0.2); // exactly, for contact
    mesh_free(&mesh);
  }
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(generate, diagonals_run_as_the_pattern_says) {
  Mesh mesh;
  Err err = {0};
  cr_assert_eq(mesh_rectangle(&mesh, 1, 1, 1, 1, "t3_right", &err), OK);
  const int32_t right[6] = {0, 1, 3, 0, 3, 2}, left[6] = {0, 1, 2, 1, 3, 2};
  cr_assert_eq(memcmp(mesh.elem_node, right, sizeof right), 0);
  mesh_free(&mesh);
  cr_assert_eq(mesh_rectangle(&mesh, 1, 1, 1, 1, "t3_left", &err), OK);
  cr_assert_eq(memcmp(mesh.elem_node, left, sizeof left), 0);
  mesh_free(&mesh);
}

Test(generate, a_quadrilateral_must_be_convex) {
  Mesh mesh;
  Err err = {0};
  const double good[4][2] = {{0, 0}, {48, 44}, {48, 60}, {0, 44}};
  const double flipped[4][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
  cr_assert_eq(mesh_quadrilateral(&mesh, good, 3, 2, "t3_cross", &err), OK);
  cr_assert_float_eq(mesh_measure(&mesh), 1440, 1e-10);
  mesh_free(&mesh);
  cr_assert_eq(mesh_quadrilateral(&mesh, flipped, 1, 1, "q4", &err), ERR_INPUT);
  const double hollow[4][2] = {{0, 0}, {4, 0}, {0.5, 0.5}, {0, 4}};
  cr_assert_eq(mesh_quadrilateral(&mesh, hollow, 1, 1, "q4", &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, "(0.5, 0.5)"));
}

Test(generate, sectors_of_a_ring_are_curved_or_straight) {
  Mesh mesh;
  Err err = {0};
  double a0 = 1, a1 = 1.4, step = (a1 - a0) / 4;
  cr_assert_eq(
      mesh_ring_wedge(
          &mesh, &(RingWedge){.r0 = 2, .r1 = 3, .left = {a1, a1}, .right = {a0, a0}, .straight = 0},
          4, 2, "q4", &err),
      OK, "%s", err.text);
  // four chords in place of the arc
  cr_assert_float_eq(mesh_measure(&mesh), 4 * 0.5 * (9 - 4) * sin(step), 1e-14);
  const MeshGroup *top = mesh_find_group_of(&mesh, "top", GROUP_NODES);
  for (int k = 0; k < top->n; k++)
    cr_assert_float_eq(hypot(mesh.x[2 * top->items[k]], mesh.x[2 * top->items[k] + 1]), 3, 1e-15);
  // node 0: intrados at the left, which is the larger angle
  cr_assert_float_eq(atan2(mesh.x[1], mesh.x[0]), a1, 1e-15);
  mesh_free(&mesh);
  cr_assert_eq(
      mesh_ring_wedge(
          &mesh, &(RingWedge){.r0 = 2, .r1 = 3, .left = {a1, a1}, .right = {a0, a0}, .straight = 1},
          4, 2, "q4", &err),
      OK);
  cr_assert_float_eq(mesh_measure(&mesh), 0.5 * (9 - 4) * sin(a1 - a0), 1e-14);
  mesh_free(&mesh);
}

Test(generate, boxes_have_six_named_sides) {
  Mesh mesh;
  Err err = {0};
  cr_assert_eq(mesh_box(&mesh, (double[3]){1, 2, 3}, (int[3]){2, 3, 4}, &err), OK, "%s", err.text);
  cr_assert_eq(mesh.n_nodes, 60);
  cr_assert_eq(mesh.n_elems, 24);
  cr_assert_float_eq(mesh_measure(&mesh), 6, 1e-14);
  cr_assert_eq(mesh_find_group_of(&mesh, "x0", GROUP_FACETS)->n, 12);
  cr_assert_eq(mesh_find_group_of(&mesh, "y1", GROUP_FACETS)->n, 8);
  cr_assert_eq(mesh_find_group_of(&mesh, "z1", GROUP_NODES)->n, 12);
  const MeshGroup *high = mesh_find_group_of(&mesh, "z1", GROUP_NODES);
  for (int k = 0; k < high->n; k++) cr_assert(mesh.x[3 * high->items[k] + 2] == 3);
  mesh_free(&mesh);
}

Test(generate, sizes_and_patterns_without_sense_are_refused) {
  Mesh mesh;
  Err err = {0};
  cr_assert_eq(mesh_rectangle(&mesh, 0, 1, 1, 1, "q4", &err), ERR_INPUT);
  cr_assert_eq(mesh_rectangle(&mesh, 1, (double)NAN, 1, 1, "q4", &err), ERR_INPUT);
  cr_assert_eq(mesh_rectangle(&mesh, 1, 1, 0, 1, "q4", &err), ERR_INPUT);
  cr_assert_eq(mesh_rectangle(&mesh, 1, 1, 100000, 100000, "q4", &err), ERR_INPUT);
  cr_assert_eq(mesh_rectangle(&mesh, 1, 1, 1, 1, "q8", &err), ERR_INPUT);
  cr_assert_not_null(strstr(err.text, "'q8', known are q4|t3_right"));
  cr_assert_eq(mesh_ring_wedge(
                   &mesh,
                   &(RingWedge){.r0 = 1, .r1 = 0.5, .left = {1, 1}, .right = {0, 0}, .straight = 0},
                   1, 1, "q4", &err),
               ERR_INPUT);
  cr_assert_eq(mesh_ring_wedge(
                   &mesh,
                   &(RingWedge){.r0 = 1, .r1 = 2, .left = {0, 0}, .right = {1, 1}, .straight = 0},
                   1, 1, "q4", &err),
               ERR_INPUT);
  cr_assert_eq(mesh_box(&mesh, (double[3]){1, -1, 1}, (int[3]){1, 1, 1}, &err), ERR_INPUT);
  cr_assert_eq(mesh_box(&mesh, (double[3]){1, 1, 1}, (int[3]){30000, 30000, 30000}, &err),
               ERR_INPUT);
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(generate, lack_of_memory_leaks_nothing) {
  for (int kind = 0; kind < 2; kind++)
    for (int n = 1;; n++) {
      Mesh mesh;
      Err err = {0};
      mem_fail_after(n);
      Status status = kind ? mesh_box(&mesh, (double[3]){1, 1, 1}, (int[3]){1, 1, 1}, &err)
                           : mesh_rectangle(&mesh, 1, 1, 2, 2, "t3_cross", &err);
      mem_fail_after(0);
      if (status == OK) {
        mesh_free(&mesh);
        break;
      }
      cr_assert_eq(status, ERR_SYSTEM);
      cr_assert_eq(mem_live_blocks(), 0);
    }
}
