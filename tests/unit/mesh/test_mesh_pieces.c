#include <criterion/criterion.h>

#include "base/mem.h"
#include "mesh/generate.h"

// Triangles by their nodes, and the pieces they make.
static void expect_pieces(int32_t *node, int n_elems, const int32_t *piece, int n_pieces) {
  Mesh mesh = {.dim = 2, .n_nodes = 12, .n_elems = n_elems};
  int32_t ptr[8], *found;
  Err err = {0};
  int n;
  for (int e = 0; e <= n_elems; e++) ptr[e] = 3 * e;
  mesh.elem_ptr = ptr;
  mesh.elem_node = node;
  cr_assert_eq(mesh_pieces(&mesh, &found, &n, &err), OK);
  cr_assert_eq(n, n_pieces, "%d pieces for %d", n, n_pieces);
  for (int e = 0; e < n_elems; e++) cr_assert_eq(found[e], piece[e], "element %d", e);
  mem_free(found);
}

Test(mesh_pieces, hang_together_by_nodes_and_are_numbered_by_their_first_element) {
  expect_pieces((int32_t[]){0, 1, 2, 1, 2, 3}, 2, (int32_t[]){0, 0}, 1);
  expect_pieces((int32_t[]){0, 1, 2, 3, 4, 5}, 2, (int32_t[]){0, 1}, 2);
  // joined by the last element alone
  expect_pieces((int32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 2, 9, 6}, 4, (int32_t[]){0, 1, 0, 0}, 2);
  expect_pieces((int32_t[]){9, 10, 11, 0, 1, 2, 3, 4, 5, 5, 6, 7, 7, 8, 0}, 5,
                (int32_t[]){0, 1, 1, 1, 1}, 2);
  Mesh mesh;
  Err err = {0};
  int32_t *piece;
  int n;
  cr_assert_eq(mesh_rectangle(&mesh, 4, 1, 40, 30, "t3_cross", &err), OK);
  for (int k = 1;; k++) {
    int64_t before = mem_live_blocks();
    mem_fail_after(k);
    Status status = mesh_pieces(&mesh, &piece, &n, &err);
    mem_fail_after(0);
    mem_free(piece);
    cr_assert_eq(mem_live_blocks(), before);
    if (status == OK) break;
  }
  cr_assert_eq(n, 1);
  mesh_free(&mesh);
}
