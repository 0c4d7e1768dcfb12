// mesh/hull.h -- the convex polyhedron of given corners: the door to qhull.
#ifndef MESH_HULL_H
#define MESH_HULL_H

#include "mesh/mesh.h"

// A mesh of tetrahedra between the faces of the hull, cut to triangles, and a node in its middle,
// the last one; the corners are its other nodes, in the given order. Group of all nodes "all".
// Points that lie in one plane, coincide or are no corners of their hull are refused, by their
// numbers from 1.
Status mesh_hull(Mesh *mesh, const double *x, int n, Err *err) MUST_CHECK;
// The same of the faces of a closed surface, outward by the right hand. One that is open, flat,
// inverted, not convex or crosses itself is refused by the number of a face, from 1.
Status mesh_convex(Mesh *mesh, const Mesh *surface, Err *err) MUST_CHECK;
// Whether no node of one such mesh is outside another one, beyond what files are inexact.
int mesh_hull_within(const Mesh *inner, const Mesh *outer);

#endif
