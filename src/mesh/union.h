// mesh/union.h -- several meshes as one body: each is a piece with nodes of its own.
#ifndef MESH_UNION_H
#define MESH_UNION_H

#include "mesh/skin.h"

// One mesh of n parts, in their order; groups of the same name and kind become one.
Status mesh_join(Mesh *whole, const Mesh *part, int n, Err *err) MUST_CHECK;
// The same of a mesh whose groups of elements are the parts: every element in one of them.
Status mesh_join_groups(Mesh *whole, const Mesh *mesh, Err *err) MUST_CHECK;

// Takes from the skin of a mesh of several pieces in space the facets that lie in or on another,
// convex one: nothing touches them. Of two that are the same, the one of the later piece goes.
Status skin_drop_covered(Skin *skin, const Mesh *mesh, Err *err) MUST_CHECK;

#endif
