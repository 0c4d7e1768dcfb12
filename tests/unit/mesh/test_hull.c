#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "mesh/hull.h"
#include "mesh/skin.h"

// Volume and number of faces of its skin.
static double hull_of(const double *x, int n, int *n_faces) {
  Mesh mesh;
  Skin skin;
  Err err = {0};
  cr_assert_eq(mesh_hull(&mesh, x, n, &err), OK, "%s", err.text);
  cr_assert_eq(mesh.n_nodes, n + 1);
  for (int k = 0; k < 3 * n; k++) cr_expect_eq(mesh.x[k], x[k]);
  cr_assert_eq(skin_build(&skin, &mesh, &err), OK, "%s", err.text);
  cr_expect_eq(skin.n_nodes, n, "the middle is no node of the skin");
  for (int k = 0; k < 4 * skin.n_facets; k++)
    cr_expect(k % 4 == 3 || skin.neighbour[k] >= 0, "it is closed");
  *n_faces = skin.n_facets;
  double volume = mesh_measure(&mesh);
  skin_free(&skin);
  mesh_free(&mesh);
  return volume;
}

Test(hull, of_known_polyhedra_has_their_volume_and_faces) {
  static const double octahedron[18] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
  double box[24], prism[36];
  int faces;
  cr_expect_float_eq(hull_of(octahedron, 6, &faces), 4.0 / 3, 1e-14);
  cr_expect_eq(faces, 8);
  for (int k = 0; k < 24; k++) box[k] = 5 + (k % 3 + 1) * (k / 3 >> k % 3 & 1);
  cr_expect_float_eq(hull_of(box, 8, &faces), 6, 1e-13);
  cr_expect_eq(faces, 12, "each side cut to two triangles");
  for (int k = 0; k < 12; k++) { // a regular hexagon, 0.5 high
    prism[3 * k] = cos(1.0471975511965976 * k);
    prism[3 * k + 1] = sin(1.0471975511965976 * k);
    prism[3 * k + 2] = k < 6 ? 0 : 0.5;
  }
  cr_expect_float_eq(hull_of(prism, 12, &faces), 0.75 * sqrt(3), 1e-13);
  cr_expect_eq(faces, 2 * 4 + 2 * 6);
}

static void expect_refused(const double *x, int n, const char *message) {
  Mesh mesh;
  Err err = {0};
  cr_expect_eq(mesh_hull(&mesh, x, n, &err), ERR_INPUT, "%s", message);
  cr_expect_not_null(strstr(err.text, message), "%s, not %s", err.text, message);
}

Test(hull, of_what_is_no_polyhedron_is_refused) {
  double x[27] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1,   0,   0,  0,
                  1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 0.5, 0.5, 0.4};
  expect_refused(x, 3, "four corners or more");
  expect_refused(x, 4, "lie in one plane");
  expect_refused(x, 9, "corner 9 at (0.5, 0.5, 0.4)");
  memcpy(x + 24, x, 3 * sizeof *x);
  expect_refused(x, 9, "lies in the hull of the others or on one of them");
  for (int k = 0; k < 8; k++) x[3 * k + 2] *= 1e-12;
  expect_refused(x, 8, "");
}
