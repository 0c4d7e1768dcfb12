#include "element/element_table.h"

static const double gauss[1][4] = {{1.0 / 3, 1.0 / 3, 0, 0.5}};
// One point would leave a triangle of a ring free to turn about its centre.
static const double ring[3][4] = {
    {1.0 / 6, 1.0 / 6, 0, 1.0 / 6}, {2.0 / 3, 1.0 / 6, 0, 1.0 / 6}, {1.0 / 6, 2.0 / 3, 0, 1.0 / 6}};

static void interpolate(const double *xi, double *n, double *dn) {
  n[0] = 1 - xi[0] - xi[1];
  n[1] = xi[0];
  n[2] = xi[1];
  static const double constant[6] = {-1, -1, 1, 0, 0, 1};
  for (int k = 0; k < 6; k++) dn[k] = constant[k];
}

const ElementType element_t3 = {
    .name = "T3",
    .doc = "Triangle of constant strain; three points when axisymmetric",
    .shape = SHAPE_T3,
    .dim = 2,
    .n_nodes = 3,
    .n_gauss = 1,
    .gauss = gauss,
    .n_ring = 3,
    .ring = ring,
    .interpolate = interpolate,
};
