#include "element/element_table.h"

static const double gauss[1][4] = {{1.0 / 3, 1.0 / 3, 0, 0.5}};

static void interpolate(const double *xi, double *n, double *dn) {
  n[0] = 1 - xi[0] - xi[1];
  n[1] = xi[0];
  n[2] = xi[1];
  static const double constant[6] = {-1, -1, 1, 0, 0, 1};
  for (int k = 0; k < 6; k++) dn[k] = constant[k];
}

const ElementType element_t3 = {
    .name = "T3",
    .doc = "Triangle of constant strain",
    .shape = SHAPE_T3,
    .dim = 2,
    .n_nodes = 3,
    .n_gauss = 1,
    .gauss = gauss,
    .interpolate = interpolate,
};
