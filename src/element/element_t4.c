#include "element/element_table.h"

static const double gauss[1][4] = {{0.25, 0.25, 0.25, 1.0 / 6}};

static void interpolate(const double *xi, double *n, double *dn) {
  n[0] = 1 - xi[0] - xi[1] - xi[2];
  for (int k = 0; k < 3; k++) n[k + 1] = xi[k];
  static const double constant[12] = {-1, -1, -1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int k = 0; k < 12; k++) dn[k] = constant[k];
}

const ElementType element_t4 = {
    .name = "T4",
    .doc = "Tetrahedron of constant strain",
    .shape = SHAPE_T4,
    .dim = 3,
    .n_nodes = 4,
    .n_gauss = 1,
    .gauss = gauss,
    .interpolate = interpolate,
};
