#include "element_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Parent elements by ShapeCode: nodes, and how a unit square or cube is cut into such elements
// (corners numbered x + 2 y + 4 z).
typedef struct {
  double volume;
  double xi[MAX_ELEM_NODES][3];
  int n_cuts;
  int cut[6][MAX_ELEM_NODES];
} Parent;

static const Parent parent[N_SHAPES] = {
    [SHAPE_T3] = {.volume = 0.5,
                  .xi = {{0, 0}, {1, 0}, {0, 1}},
                  .n_cuts = 2,
                  .cut = {{0, 1, 2}, {1, 3, 2}}},
    [SHAPE_Q4] = {.volume = 4,
                  .xi = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}},
                  .n_cuts = 1,
                  .cut = {{0, 1, 3, 2}}},
    [SHAPE_T4] = {.volume = 1.0 / 6,
                  .xi = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                  .n_cuts = 6,
                  .cut = {{0, 1, 3, 7},
                          {0, 3, 2, 7},
                          {0, 2, 6, 7},
                          {0, 6, 4, 7},
                          {0, 4, 5, 7},
                          {0, 5, 1, 7}}},
    [SHAPE_H8] = {.volume = 8,
                  .xi = {{-1, -1, -1},
                         {1, -1, -1},
                         {1, 1, -1},
                         {-1, 1, -1},
                         {-1, -1, 1},
                         {1, -1, 1},
                         {1, 1, 1},
                         {-1, 1, 1}},
                  .n_cuts = 1,
                  .cut = {{0, 1, 3, 2, 4, 5, 7, 6}}},
};

void sample_local_nodes(ShapeCode shape, double *xi) {
  int dim = topology_table[shape].dim;
  for (int k = 0; k < topology_table[shape].n_nodes; k++)
    for (int i = 0; i < dim; i++) xi[k * dim + i] = parent[shape].xi[k][i];
}

double sample_parent_volume(ShapeCode shape) {
  return parent[shape].volume;
}

double sample_random(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 23) - 1;
}

void sample_element(const ElementType *type, double distortion, double *x, double *determinant) {
  static const double map[3][3] = {{1.3, 0.4, -0.2}, {-0.3, 0.9, 0.1}, {0.2, 0.25, 1.1}};
  int dim = type->dim;
  unsigned seed = 7;
  double xi[MAX_ELEM_NODES * 3];
  sample_local_nodes(type->shape, xi);
  for (int k = 0; k < type->n_nodes; k++)
    for (int i = 0; i < dim; i++) {
      double sum = 10 + i; // away from the origin
      for (int j = 0; j < dim; j++) sum += map[i][j] * xi[k * dim + j];
      x[k * dim + i] = sum + distortion * sample_random(&seed);
    }
  if (!determinant) return;
  *determinant = map[0][0] * map[1][1] - map[0][1] * map[1][0];
  if (dim == 3)
    *determinant = map[2][2] * *determinant +
                   map[2][0] * (map[0][1] * map[1][2] - map[0][2] * map[1][1]) -
                   map[2][1] * (map[0][0] * map[1][2] - map[0][2] * map[1][0]);
}

void patch_make(Patch *p, const ElementType *type, int n_x, int n_y, const double *size,
                double distortion) {
  const Parent *cell = &parent[type->shape];
  int dim = type->dim;
  const int n[3] = {n_x, n_y, dim == 3 ? n_y : 0};
  unsigned seed = 3;
  *p = (Patch){.dim = dim, .nodes_of_elem = type->n_nodes};
  p->n_nodes = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
  p->n_elems = n[0] * n[1] * (dim == 3 ? n[2] : 1) * cell->n_cuts;
  p->x = calloc((size_t)(p->n_nodes * dim), sizeof *p->x);
  p->outside = calloc((size_t)p->n_nodes, 1);
  p->node = calloc((size_t)(p->n_elems * type->n_nodes), sizeof *p->node);
  if (!p->x || !p->outside || !p->node) abort();

  const int stride[3] = {1, n[0] + 1, (n[0] + 1) * (n[1] + 1)};
  for (int k = 0; k < p->n_nodes; k++) {
    const int at[3] = {k % stride[1], k / stride[1] % (n[1] + 1), k / stride[2]};
    for (int i = 0; i < dim; i++) p->outside[k] |= at[i] == 0 || at[i] == n[i];
    for (int i = 0; i < dim; i++) {
      double shift = p->outside[k] ? 0 : distortion * sample_random(&seed);
      p->x[k * dim + i] = size[i] / n[i] * (at[i] + shift);
    }
  }
  int at = 0;
  for (int c = 0; c < p->n_elems / cell->n_cuts; c++) {
    int origin = c % n[0] + c / n[0] % n[1] * stride[1] + c / (n[0] * n[1]) * stride[2];
    for (int cut = 0; cut < cell->n_cuts; cut++)
      for (int k = 0; k < type->n_nodes; k++) {
        int corner = cell->cut[cut][k];
        p->node[at++] =
            origin + (corner & 1) + (corner >> 1 & 1) * stride[1] + (corner >> 2) * stride[2];
      }
  }
}

void patch_free(Patch *p) {
  free(p->x);
  free(p->node);
  free(p->outside);
  *p = (Patch){0};
}

double *patch_stiffness(const Patch *p, const ElementSpec *spec) {
  int dim = p->dim, m = p->nodes_of_elem, n = p->n_nodes * dim;
  double *k = calloc((size_t)n * (size_t)n, sizeof *k);
  if (!k) abort();
  for (int e = 0; e < p->n_elems; e++) {
    const int *node = p->node + e * m;
    double x[MAX_ELEM_DOFS], ke[MAX_ELEM_DOFS * MAX_ELEM_DOFS];
    for (int a = 0; a < m; a++) memcpy(x + a * dim, p->x + node[a] * dim, (size_t)dim * sizeof *x);
    if (element_stiffness(spec, x, ke, NULL) != OK) abort();
    for (int r = 0; r < m * dim; r++)
      for (int c = 0; c < m * dim; c++)
        k[(node[r / dim] * dim + r % dim) * n + node[c / dim] * dim + c % dim] +=
            ke[r * m * dim + c];
  }
  return k;
}

void patch_solve(int n, double *k, const char *fixed, const double *f, double *u) {
  double *rhs = calloc((size_t)n, sizeof *rhs);
  if (!rhs) abort();
  for (int i = 0; i < n; i++) {
    rhs[i] = fixed[i] ? u[i] : f[i];
    for (int j = 0; j < n; j++) {
      if (fixed[i])
        k[i * n + j] = i == j;
      else if (fixed[j]) {
        rhs[i] -= k[i * n + j] * u[j];
        k[i * n + j] = 0;
      }
    }
  }
  // Gaussian elimination; the matrix is positive definite, so no exchange is needed
  for (int p = 0; p < n; p++)
    for (int i = p + 1; i < n; i++) {
      double factor = k[i * n + p] / k[p * n + p];
      if (factor == 0) continue;
      for (int j = p; j < n; j++) k[i * n + j] -= factor * k[p * n + j];
      rhs[i] -= factor * rhs[p];
    }
  for (int i = n - 1; i >= 0; i--) {
    double sum = rhs[i];
    for (int j = i + 1; j < n; j++) sum -= k[i * n + j] * u[j];
    u[i] = sum / k[i * n + i];
  }
  free(rhs);
}
