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

static void box_hull(Mesh *mesh, double low, double size) {
  double x[24];
  Err err = {0};
  for (int k = 0; k < 24; k++) x[k] = low + size * (k / 3 >> k % 3 & 1);
  cr_assert_eq(mesh_hull(mesh, x, 8, &err), OK, "%s", err.text);
}

Test(hull, within_another_is_found) {
  static const struct {
    double low, size;
    int in, around; // lies in the unit box, has it within
  } cases[] = {{0, 1, 1, 1},           {0, 0.5, 1, 0},  {0.2, 0.5, 1, 0}, {0.5, 0.5001, 0, 0},
               {0.5, 0.5000001, 1, 0}, {-0.1, 2, 0, 1}, {1, 1, 0, 0},     {2, 1, 0, 0}};
  Mesh unit, other;
  box_hull(&unit, 0, 1);
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    box_hull(&other, cases[k].low, cases[k].size);
    cr_expect_eq(mesh_hull_within(&other, &unit), cases[k].in, "%zu", k);
    cr_expect_eq(mesh_hull_within(&unit, &other), cases[k].around, "%zu", k);
    mesh_free(&other);
  }
  mesh_free(&unit);
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

// Twelve triangles of a box, outward.
static const int32_t BOX_FACES[36] = {0, 3, 2, 0, 2, 1, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                      1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};
static const double BOX_CORNERS[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0,
                                       0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};

static void surface_of(Mesh *surface, const double x[24], const int32_t *face, int n) {
  Err err = {0};
  cr_assert_eq(mesh_init(surface, 3, 8, 0, 0, &err), OK);
  cr_assert_eq(mesh_init_facets(surface, n, 3 * n, &err), OK);
  memcpy(surface->x, x, 24 * sizeof *x);
  memcpy(surface->facet_node, face, sizeof *face * (size_t)(3 * n));
  for (int f = 0; f < n; f++) {
    surface->facet_shape[f] = SHAPE_T3;
    surface->facet_ptr[f + 1] = 3 * (f + 1);
  }
}

static void expect_surface(const double x[24], const int32_t *face, int n, const char *message) {
  Mesh surface, mesh;
  Err err = {0};
  surface_of(&surface, x, face, n);
  Status status = mesh_convex(&mesh, &surface, &err);
  cr_expect_eq(status, message ? ERR_INPUT : OK, "%s: %s", message ? message : "", err.text);
  if (message) cr_expect_not_null(strstr(err.text, message), "%s, not %s", err.text, message);
  if (!message) cr_expect_float_eq(mesh_measure(&mesh), 1, 1e-14);
  mesh_free(&mesh);
  mesh_free(&surface);
}

Test(hull, of_a_surface_wants_it_closed_outward_and_convex_and_names_a_face) {
  double x[24];
  int32_t face[39];
  memcpy(face, BOX_FACES, sizeof BOX_FACES);
  memcpy(x, BOX_CORNERS, sizeof x);
  expect_surface(x, face, 12, NULL);
  expect_surface(x, face, 11, "it is open at face 11");
  expect_surface(x, face, 3, "four faces or more, not 3");
  memcpy(face + 36, face, 3 * sizeof *face);
  expect_surface(x, face, 13, "3 faces, one of them face 1, meet at the edge");
  face[9] = 4, face[10] = 7, face[11] = 6;
  expect_surface(x, face, 12, "turned over against face");
  for (int k = 0; k < 36; k++) face[k] = BOX_FACES[3 * (k / 3) + 2 - k % 3];
  expect_surface(x, face, 12, "it is inverted: face 1 and the others look inwards");
  memcpy(face, BOX_FACES, sizeof BOX_FACES);
  x[18] = x[19] = 0.3, x[20] = 0.6; // a corner pushed in
  expect_surface(x, face, 12, "not convex, or crosses itself: its corner at (1, 1, 0) is 0.2 m");
  x[18] = x[19] = -0.2, x[20] = 1; // through the other side
  expect_surface(x, face, 12, "crosses itself");
  memcpy(x, BOX_CORNERS, sizeof x);
  for (int k = 0; k < 8; k++) x[3 * k + 2] *= 1e-10;
  expect_surface(x, face, 12, "it is flat from face 1 on");
}
