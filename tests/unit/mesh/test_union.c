#include <criterion/criterion.h>

#include "mesh/generate.h"
#include "mesh/union.h"

static void box(Mesh *mesh, const double low[3], const double size[3]) {
  static const int one[3] = {1, 1, 1};
  Err err = {0};
  cr_assert_eq(mesh_box(mesh, size, one, &err), OK);
  for (int k = 0; k < 24; k++) mesh->x[k] += low[k % 3];
}

// Facets of the skin of two boxes that stay.
static int left_over(const double low[3], const double size[3]) {
  static const double origin[3] = {0}, cube[3] = {1, 1, 1};
  Mesh part[2], whole = {0};
  Skin skin = {0};
  Err err = {0};
  box(&part[0], origin, cube);
  box(&part[1], low, size);
  cr_assert_eq(mesh_join(&whole, part, 2, &err), OK, "%s", err.text);
  cr_assert_eq(mesh_check(&whole, &err), OK, "%s", err.text);
  cr_assert_eq(skin_build(&skin, &whole, &err), OK, "%s", err.text);
  cr_assert_eq(skin.n_facets, 12);
  cr_assert_eq(skin_drop_covered(&skin, &whole, &err), OK, "%s", err.text);
  for (int f = 0; f < skin.n_facets; f++)
    for (int k = 0; k < 4; k++) cr_expect_lt(skin.neighbour[4 * f + k], skin.n_facets);
  for (int k = 0; k < skin.n_nodes; k++) cr_expect_eq(skin.skin_of[skin.node[k]], k);
  const MeshGroup *sides = mesh_find_group_of(&whole, "x0", GROUP_NODES);
  cr_expect(sides && sides->n == 8);
  int n = skin.n_facets;
  skin_free(&skin);
  mesh_free(&whole);
  for (int p = 0; p < 2; p++) mesh_free(&part[p]);
  return n;
}

Test(union, facets_in_or_on_another_part_are_no_skin) {
  const double cube[3] = {1, 1, 1}, small[3] = {0.5, 0.5, 0.5}, half[3] = {1, 1, 0.5};
  cr_expect_eq(left_over((const double[]){1, 0, 0}, cube), 10);       // a whole face of both
  cr_expect_eq(left_over((const double[]){1, 0.2, 0.2}, small), 11);  // on one that goes on
  cr_expect_eq(left_over((const double[]){0.2, 0.2, 0.2}, small), 6); // inside
  cr_expect_eq(left_over((const double[]){0, 0, 0.5}, half), 6);      // inside, flush
  cr_expect_eq(left_over((const double[]){0, 0, 0}, cube), 6);        // the same
  cr_expect_eq(left_over((const double[]){3, 0, 0}, cube), 12);
}
