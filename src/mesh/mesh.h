// mesh/mesh.h -- nodes, elements and named groups of one body or of a file that holds several.
//
// Elements of the mesh's dimension are the bulk; facets are lines (2D) or faces (3D) that a file or
// a generator names, for supports, loads and contact. Groups list nodes, facets or elements.
// Coordinates in metres, `dim` per node.

#ifndef MESH_MESH_H
#define MESH_MESH_H

#include <stdint.h>

#include "base/err.h"
#include "mesh/topology.h"

typedef enum { GROUP_NODES, GROUP_FACETS, GROUP_ELEMENTS } GroupKind;

typedef struct {
  char *name; // owned
  GroupKind kind;
  int n;
  int32_t *items; // [n] owned; indices of nodes, facets or elements, increasing
} MeshGroup;

typedef struct {
  int dim;              // 2 or 3
  int n_nodes;          //
  double *x;            // [n_nodes * dim]                                         [m]
  int n_elems;          // bulk elements
  uint8_t *elem_shape;  // [n_elems] ShapeCode
  int32_t *elem_ptr;    // [n_elems + 1]
  int32_t *elem_node;   // [elem_ptr[n_elems]]
  int n_facets;         // named facets only, see skin.h for the whole boundary
  uint8_t *facet_shape; // [n_facets]
  int32_t *facet_ptr;   // [n_facets + 1]
  int32_t *facet_node;  // [facet_ptr[n_facets]]
  int n_groups;
  MeshGroup *groups; // [n_groups] names unique per kind
} Mesh;

// Room for the given counts, everything zeroed (pointers of elements and facets included).
Status mesh_init(Mesh *mesh, int dim, int n_nodes, int n_elems, int n_elem_nodes,
                 Err *err) MUST_CHECK;
void mesh_free(Mesh *mesh);
Status mesh_copy(Mesh *to, const Mesh *from, Err *err) MUST_CHECK;

// Adds a group; items are copied and sorted. An existing group of that name and kind is an error.
Status mesh_add_group(Mesh *mesh, const char *name, GroupKind kind, const int32_t *items, int n,
                      Err *err) MUST_CHECK;
const MeshGroup *mesh_find_group(const Mesh *mesh, const char *name); // any kind; NULL if absent

// The part of a mesh made of one element group, with the nodes, facets and groups that belong to
// it. node_of[n_nodes of part] = node in `mesh` (borrowed by nobody, may be NULL).
Status mesh_extract(Mesh *part, const Mesh *mesh, const MeshGroup *elements, Err *err) MUST_CHECK;

// Signed area or volume of an element; an element with measure <= 0 is reported with its number
// (counted from 1 as in files) by mesh_check, as are nodes out of range and unused nodes.
double mesh_elem_measure(const Mesh *mesh, int elem);
Status mesh_check(const Mesh *mesh, Err *err) MUST_CHECK;
double mesh_measure(const Mesh *mesh);                             // area or volume of all
void mesh_bounds(const Mesh *mesh, double low[3], double high[3]); // z = 0 in 2D

// Gmsh .msh, versions 2.2 and 4.1, ASCII and binary; physical groups become groups by name (or
// "physical_<dim>_<number>" without one). Errors say file and line (ASCII) or byte (binary).
Status mesh_read_gmsh(Mesh *mesh, const char *path, int dim, Err *err) MUST_CHECK;
Status mesh_write_gmsh(const Mesh *mesh, const char *path, Err *err) MUST_CHECK; // 4.1 ASCII

#endif
