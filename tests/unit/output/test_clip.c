#include <criterion/criterion.h>

#include <math.h>

#include "../../support/no_leak.h"
#include "output/clip.h"

TestSuite(clip, .fini = no_leak);

// Area of all facets, as vectors summed by their length in the plane z = 0.
static double area(const Mesh *mesh) {
  double sum = 0;
  for (int f = 0; f < mesh->n_facets; f++) {
    const int32_t *node = mesh->facet_node + mesh->facet_ptr[f];
    int n = mesh->facet_ptr[f + 1] - mesh->facet_ptr[f];
    cr_assert_eq(n, mesh->facet_shape[f] == SHAPE_T3 ? 3 : 4);
    for (int k = 0; k < n; k++) {
      const double *a = mesh->x + 3 * node[k], *b = mesh->x + 3 * node[(k + 1) % n];
      sum += 0.5 * (a[0] * b[1] - a[1] * b[0]);
    }
  }
  return sum;
}

// A square with corners (+-1, 0), (0, +-1), of side sqrt(2) and area 2, and a triangle of area 2
// beside it.
static void picture(Mesh *mesh) {
  const double x[7][3] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0},
                          {3, 0, 0}, {5, 0, 0}, {3, 2, 0}};
  const int32_t node[7] = {0, 1, 2, 3, 4, 5, 6};
  cr_assert_eq(mesh_init(mesh, 3, 7, 0, 0, NULL), OK);
  cr_assert_eq(mesh_init_facets(mesh, 2, 7, NULL), OK);
  for (int k = 0; k < 7; k++) {
    mesh->facet_node[k] = node[k];
    for (int i = 0; i < 3; i++) mesh->x[3 * k + i] = x[k][i];
  }
  mesh->facet_shape[0] = SHAPE_Q4;
  mesh->facet_shape[1] = SHAPE_T3;
  mesh->facet_ptr[1] = 4;
  mesh->facet_ptr[2] = 7;
}

Test(clip, leaves_the_part_on_one_side_with_its_area) {
  static const struct {
    double at, sign, left;
    int n_facets;
  } cuts[] = {{-2, 1, 4, 2},      {6, 1, 0, 0},        {0, 1, 3, 2},    {0, -1, 1, 1},
              {-0.5, 1, 3.75, 3}, {-0.5, -1, 0.25, 1}, {4, -1, 3.5, 2}, {3, 1, 2, 1}};
  for (size_t k = 0; k < sizeof cuts / sizeof cuts[0]; k++) {
    Mesh mesh;
    picture(&mesh);
    cr_assert_eq(clip_picture(&mesh, 0, cuts[k].at, cuts[k].sign, NULL), OK);
    cr_assert_eq(mesh.n_facets, cuts[k].n_facets, "%zu: %d", k, mesh.n_facets);
    cr_assert_float_eq(area(&mesh), cuts[k].left, 1e-12, "%zu: %g", k, area(&mesh));
    for (int i = 0; i < mesh.n_nodes; i++)
      cr_assert_geq(cuts[k].sign * (mesh.x[3 * i] - cuts[k].at), 0);
    mesh_free(&mesh);
  }
}

Test(clip, cuts_the_lines_of_plane_models) {
  Mesh mesh;
  const double x[6] = {-1, 0, 3, 4, 5, 4};
  cr_assert_eq(mesh_init(&mesh, 2, 3, 0, 0, NULL), OK);
  cr_assert_eq(mesh_init_facets(&mesh, 2, 4, NULL), OK);
  for (int k = 0; k < 6; k++) mesh.x[k] = x[k];
  for (int k = 0; k < 4; k++) mesh.facet_node[k] = (k + 1) / 2;
  for (int f = 0; f < 2; f++) mesh.facet_shape[f] = SHAPE_LINE2, mesh.facet_ptr[f + 1] = 2 * f + 2;
  cr_assert_eq(clip_picture(&mesh, 0, 1, -1, NULL), OK);
  cr_assert_eq(mesh.n_facets, 1);
  const double *a = mesh.x + 2 * mesh.facet_node[0], *b = mesh.x + 2 * mesh.facet_node[1];
  cr_assert(a[0] == -1 && a[1] == 0 && b[0] == 1 && b[1] == 2);
  mesh_free(&mesh);
}
