// mesh/skin.h -- the boundary of a mesh: oriented facets and the nodes on them.
//
// 2D: edges walked counter-clockwise around the body, so the outward normal is on the right;
// next/prev give the neighbour edge along the boundary (-1 at a non-manifold node); edges are
// numbered in the order of the walk, loop after loop. 3D: faces with outward right-hand normals;
// neighbours across each edge (-1 where more than two faces meet).

#ifndef MESH_SKIN_H
#define MESH_SKIN_H

#include "mesh/mesh.h"

typedef struct {
  int n_facets;
  int n_facet_nodes;   // 2 in 2D; 4 in 3D (triangles repeat -1)
  int32_t *facet_node; // [n_facets * n_facet_nodes] nodes of the mesh
  int32_t *facet_elem; // [n_facets] element behind the facet
  int32_t *neighbour;  // [n_facets * n_facet_nodes] facet across local edge k, from node k to the
                       // next (2D: k = 0 the previous one, at the first node; k = 1 the next
                       // one), -1: none
  int n_nodes;
  int32_t *node;    // [n_nodes] skin nodes, increasing
  int32_t *skin_of; // [mesh n_nodes] index in `node`, -1 inside
} Skin;

// Two elements on the same side of a facet overlap: ERR_INPUT with their numbers.
Status skin_build(Skin *skin, const Mesh *mesh, Err *err) MUST_CHECK;
void skin_free(Skin *skin);

#endif
