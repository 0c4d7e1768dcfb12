// mesh/extrude.h -- solids from surfaces: quadrilaterals in the plane z = 0 drawn up into
// hexahedra.
#ifndef MESH_EXTRUDE_H
#define MESH_EXTRUDE_H

#include "mesh/mesh.h"

// `surface` of dimension 3 with Q4 only, normal +z; layers of equal height. Nodes layer by layer
// from below. Groups of nodes keep their names (all layers of them); "bottom" and "top" are added
// as nodes, and the element group "all". ERR_INPUT for other elements; on error the mesh is empty.
Status mesh_extrude(Mesh *solid, const Mesh *surface, double height, int layers,
                    Err *err) MUST_CHECK;

#endif
