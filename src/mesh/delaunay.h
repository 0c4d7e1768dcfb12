// mesh/delaunay.h -- the Delaunay triangulation of points in the plane.
//
// Points are taken on a grid of 2^24 steps over their larger extent, where both tests (side of a
// line, inside a circle) are exact: the result is a valid triangulation of the grid points,
// whatever ties there are, and the same on every machine for the same grid points. Two points on
// one grid point are refused.

#ifndef MESH_DELAUNAY_H
#define MESH_DELAUNAY_H

#include <stdint.h>

#include "base/err.h"

typedef struct {
  int n;
  int32_t *node;     // [3 n] counter-clockwise; owned
  int32_t *neighbor; // [3 n] triangle across the side opposite to that node, -1: none; owned
} Delaunay;

// Triangles of the convex hull; thin ones along it may be missing where hull points nearly lie on a
// line.
Status delaunay_init(Delaunay *d, const double *x, int n, Err *err) MUST_CHECK;
void delaunay_free(Delaunay *d);

#endif
