// mesh/topology.h -- what is fixed about an element shape: node counts, facets, codes in files.
//
// Local numbering is that of Gmsh and VTK (equal for these shapes). Facet nodes are ordered so
// that the outward normal is to the right of an edge walked from first to second node (2D, counter-
// clockwise element), and by the right-hand rule for faces (3D).

#ifndef MESH_TOPOLOGY_H
#define MESH_TOPOLOGY_H

typedef enum {
  SHAPE_POINT,
  SHAPE_LINE2,
  SHAPE_T3,
  SHAPE_Q4,
  SHAPE_T4,
  SHAPE_H8,
  N_SHAPES
} ShapeCode;

enum { MAX_ELEM_NODES = 8, MAX_FACETS = 6, MAX_FACET_NODES = 4 };

typedef struct {
  const char *name; // "T3", as in messages and files
  int dim, n_nodes;
  int gmsh_code, vtk_code;
  int n_facets, n_facet_nodes;
  signed char facet[MAX_FACETS][MAX_FACET_NODES];
} Topology;

extern const Topology topology_table[N_SHAPES];

#endif
