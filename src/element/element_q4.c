#include "element/element_table.h"

#define A 0.57735026918962576 // 1/sqrt(3)

static const double gauss[4][4] = {{-A, -A, 0, 1}, {A, -A, 0, 1}, {A, A, 0, 1}, {-A, A, 0, 1}};

static void interpolate(const double *xi, double *n, double *dn) {
  static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  for (int k = 0; k < 4; k++) {
    double a = 1 + corner[k][0] * xi[0], b = 1 + corner[k][1] * xi[1];
    n[k] = 0.25 * a * b;
    dn[2 * k] = 0.25 * corner[k][0] * b;
    dn[2 * k + 1] = 0.25 * corner[k][1] * a;
  }
}

const ElementType element_q4 = {
    .name = "Q4",
    .doc = "Bilinear quadrilateral, 2 x 2 integration; b_bar against volumetric locking",
    .shape = SHAPE_Q4,
    .dim = 2,
    .n_nodes = 4,
    .n_gauss = 4,
    .gauss = gauss,
    .n_ring = 4,
    .ring = gauss,
    .bends = 1,
    .interpolate = interpolate,
};
