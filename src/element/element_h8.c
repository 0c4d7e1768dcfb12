#include "element/element_table.h"

#define A 0.57735026918962576 // 1/sqrt(3)

static const double gauss[8][4] = {{-A, -A, -A, 1}, {A, -A, -A, 1}, {A, A, -A, 1}, {-A, A, -A, 1},
                                   {-A, -A, A, 1},  {A, -A, A, 1},  {A, A, A, 1},  {-A, A, A, 1}};

static void interpolate(const double *xi, double *n, double *dn) {
  static const double corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                      {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  for (int k = 0; k < 8; k++) {
    double a = 1 + corner[k][0] * xi[0], b = 1 + corner[k][1] * xi[1], c = 1 + corner[k][2] * xi[2];
    n[k] = 0.125 * a * b * c;
    dn[3 * k] = 0.125 * corner[k][0] * b * c;
    dn[3 * k + 1] = 0.125 * corner[k][1] * a * c;
    dn[3 * k + 2] = 0.125 * corner[k][2] * a * b;
  }
}

const ElementType element_h8 = {
    .name = "H8",
    .doc = "Trilinear hexahedron, 2 x 2 x 2 integration; b_bar against volumetric locking",
    .shape = SHAPE_H8,
    .dim = 3,
    .n_nodes = 8,
    .n_gauss = 8,
    .gauss = gauss,
    .bends = 1,
    .interpolate = interpolate,
};
