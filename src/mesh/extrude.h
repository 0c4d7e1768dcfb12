// mesh/extrude.h -- solids from surfaces: quadrilaterals in the plane z = 0 drawn up into
// hexahedra.
#ifndef MESH_EXTRUDE_H
#define MESH_EXTRUDE_H

#include "mesh/mesh.h"

// `surface` with Q4 only, of dimension 2, or 3 with normal +z; layers of equal height. Nodes layer
// by layer from below. Groups of nodes keep their names (all layers of them); the lowest and the
// highest layer become nodes of the names `ends`, and all elements the group "all". ERR_INPUT for
// other elements; on error the mesh is empty.
Status mesh_extrude(Mesh *solid, const Mesh *surface, double height, int layers,
                    const char *const ends[2], Err *err) MUST_CHECK;

#endif
