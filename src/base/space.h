// base/space.h -- what the plane and space differ in, as numbers: dim is 2 or 3.
#ifndef BASE_SPACE_H
#define BASE_SPACE_H

static const double PI = 3.14159265358979323846;

// Translations and rotations of a rigid body.
static inline int space_rigid_motions(int dim) {
  return dim * (dim + 1) / 2;
}

// Nodes of a facet of a boundary at most, as facets are stored: of an edge 2, of a face 4 (the last
// -1: a triangle).
static inline int space_facet_nodes(int dim) {
  return 2 * (dim - 1);
}

// A vector with dim components as one with three.
static inline void space_to_three(int dim, const double *x, double three[3]) {
  for (int i = 0; i < 3; i++) three[i] = i < dim ? x[i] : 0;
}

// A function of (dim, ...) as two loops of straight code: walls in the plane are hot.
#define SPACE_BY_DIM(dim, call_2, call_3)                                                          \
  do {                                                                                             \
    if ((dim) == 2)                                                                                \
      call_2;                                                                                      \
    else                                                                                           \
      call_3;                                                                                      \
  } while (0)

#endif
