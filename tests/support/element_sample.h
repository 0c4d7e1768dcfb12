// Elements and patches of elements of any shape, regular or distorted, for tests over
// element_types.
#ifndef TESTS_SUPPORT_ELEMENT_SAMPLE_H
#define TESTS_SUPPORT_ELEMENT_SAMPLE_H

#include "element/element.h"

// Local coordinates xi [n_nodes * dim] of the nodes of a shape, and the volume of the parent
// element.
void sample_local_nodes(ShapeCode shape, double *xi);
double sample_parent_volume(ShapeCode shape);

// Nodes x [n_nodes * dim] of an element: the parent under a fixed affine map of determinant
// *determinant (NULL: not wanted), each coordinate then moved by up to `distortion`.
void sample_element(const ElementType *type, double distortion, double *x, double *determinant);

// Small number in [-1, 1], the same sequence for the same seed.
double sample_random(unsigned *seed);

// A block [0, size]^dim of n^dim cells (or n_x x n_y [x n_y]), each cut into elements of one shape.
typedef struct {
  int dim, n_nodes, n_elems, nodes_of_elem;
  double *x;     // [n_nodes * dim]
  int *node;     // [n_elems * nodes_of_elem]
  char *outside; // [n_nodes] 1: on the surface
} Patch;

// Inner nodes are moved by up to `distortion` cells. Freed with patch_free.
void patch_make(Patch *patch, const ElementType *type, int n_x, int n_y, const double *size,
                double distortion);
void patch_free(Patch *patch);

// Full stiffness k [n * n] of the patch, n = n_nodes * dim, row-major; freed with free.
double *patch_stiffness(const Patch *patch, const ElementSpec *spec);

// Solves k u = f where fixed[i] is 0; elsewhere u[i] is given. k is overwritten. Largest pivot
// ratio is not checked: k must be positive definite on the free unknowns.
void patch_solve(int n, double *k, const char *fixed, const double *f, double *u);

#endif
