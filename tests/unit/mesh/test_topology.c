#include <criterion/criterion.h>

#include "mesh/generate.h"

// Reference corners, local numbering of Gmsh and VTK.
static const double corner[N_SHAPES][8][3] = {
    [SHAPE_T3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
    [SHAPE_Q4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
    [SHAPE_T4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    [SHAPE_H8] = {
        {0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};

// Normal to the right of an edge, or by the right-hand rule of a face.
static void normal_of(const double (*x)[3], const signed char *node, int dim, double n[3]) {
  double a[3], b[3] = {0, 0, 1};
  for (int c = 0; c < 3; c++) {
    a[c] = x[node[1]][c] - x[node[0]][c];
    if (dim == 3) b[c] = x[node[2]][c] - x[node[0]][c];
  }
  for (int c = 0; c < 3; c++)
    n[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

Test(topology, facets_of_all_shapes_look_outward) {
  for (int shape = SHAPE_T3; shape < N_SHAPES; shape++) {
    const Topology *t = &topology_table[shape];
    double middle[3] = {0};
    for (int k = 0; k < t->n_nodes; k++)
      for (int c = 0; c < 3; c++) middle[c] += corner[shape][k][c] / t->n_nodes;
    for (int f = 0; f < t->n_facets; f++) {
      double n[3], out = 0;
      normal_of(corner[shape], t->facet[f], t->dim, n);
      for (int c = 0; c < 3; c++) out += n[c] * (corner[shape][t->facet[f][0]][c] - middle[c]);
      cr_assert_gt(out, 0, "%s, facet %d", t->name, f);
      for (int k = t->n_facet_nodes; k < MAX_FACET_NODES; k++) cr_assert_eq(t->facet[f][k], -1);
    }
  }
}

Test(topology, codes_are_those_of_gmsh_and_vtk) {
  cr_assert_eq(topology_table[SHAPE_H8].gmsh_code, 5);
  cr_assert_eq(topology_table[SHAPE_H8].vtk_code, 12);
  cr_assert_eq(topology_table[SHAPE_T4].vtk_code, 10);
  cr_assert_eq(topology_table[SHAPE_POINT].gmsh_code, 15);
}
