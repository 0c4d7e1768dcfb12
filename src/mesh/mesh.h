// mesh/mesh.h -- nodes, elements and named groups of one body or of a file that holds several.
//
// Elements of the mesh's dimension are the bulk, or in space surfaces (sheets); facets are lines
// (2D) or faces (3D) that a file or a generator names, for supports, loads and contact. Groups list
// nodes, facets or elements. Coordinates in metres, `dim` per node.

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
  int polyhedron;    // 1: its faces are flat and meet in ridges, however blunt; 0: may be round
} Mesh;

// Room for the given counts, everything zeroed (pointers of elements and facets included).
Status mesh_init(Mesh *mesh, int dim, int n_nodes, int n_elems, int n_elem_nodes,
                 Err *err) MUST_CHECK;
// Room for facets, once per mesh, before facet groups are added.
Status mesh_init_facets(Mesh *mesh, int n_facets, int n_facet_nodes, Err *err) MUST_CHECK;
void mesh_free(Mesh *mesh);
Status mesh_copy(Mesh *to, const Mesh *from, Err *err) MUST_CHECK;

// Adds a group; items are copied, sorted, named once each. An existing group of that name and kind
// is an error, as is an item out of range.
Status mesh_add_group(Mesh *mesh, const char *name, GroupKind kind, const int32_t *items, int n,
                      Err *err) MUST_CHECK;
Status mesh_add_all(Mesh *mesh, Err *err) MUST_CHECK; // group "all" of all elements
// The first group of that name, of any kind or of one; NULL if absent. A name may stand for several
// kinds at once: "top" of a generated mesh is a group of facets and one of nodes.
const MeshGroup *mesh_find_group(const Mesh *mesh, const char *name);
const MeshGroup *mesh_find_group_of(const Mesh *mesh, const char *name, GroupKind kind);

// The nodes of a group of any kind, increasing; *node is for the caller to mem_free.
Status mesh_group_nodes(const Mesh *mesh, const MeshGroup *group, int32_t **node, int *n,
                        Err *err) MUST_CHECK;

// The part of a mesh made of one element group: its nodes and elements in their old order, the
// facets that bound one of its elements, and what the groups have in it (empty groups vanish).
Status mesh_extract(Mesh *part, const Mesh *mesh, const MeshGroup *elements, Err *err) MUST_CHECK;

// The pieces that a mesh falls apart into, elements of one piece hanging together by nodes:
// (*piece)[n_elems] counts from 0, for the caller to mem_free, also on failure.
Status mesh_pieces(const Mesh *mesh, int32_t **piece, int *n, Err *err) MUST_CHECK;

// Signed area or volume of an element, > 0 when its nodes run counter-clockwise (2D; of a surface
// in space never negative).
double mesh_elem_measure(const Mesh *mesh, int elem);
// Smallest determinant of the map from the reference element over the 2 x 2 (x 2) Gauss points; the
// measure's sign for simplices. An element can be used if both are > 0.
double mesh_elem_min_det(const Mesh *mesh, int elem);
// Elements are reported with their number counted from 1: nodes out of range, measure or
// determinant <= 0; so are coordinates that are not finite and nodes of no element or facet.
Status mesh_check(const Mesh *mesh, Err *err) MUST_CHECK;
double mesh_measure(const Mesh *mesh);                             // area or volume of all
void mesh_bounds(const Mesh *mesh, double low[3], double high[3]); // z = 0 in 2D

// A mesh file by its ending: .stl, .inp (Abaqus), .k .key .dyn (LS-DYNA), else Gmsh (below). STL,
// text or binary: surfaces in space, their corners welded to nodes, as facets; facets without area,
// turned over or folded onto one another are errors. Of decks: nodes, elements of first order, sets
// as groups; other cards are skipped. What a reader skips or doubts is told, for people; "" when
// nothing.
enum { MESH_TOLD_SIZE = 800 };
typedef struct {
  char text[MESH_TOLD_SIZE];
} MeshTold;
Status mesh_read(Mesh *mesh, const char *path, int dim, MeshTold *told, Err *err) MUST_CHECK;

// Gmsh .msh, versions 2.2 and 4.1, ASCII and binary of either byte order; physical groups become
// groups by name (or "physical_<dim>_<number>" without one): elements of dimension dim, facets of
// dim - 1, nodes below. Facets outside all groups are dropped, unless the file has no element of
// dimension dim (surfaces in space). Nodes that nothing uses are dropped. An element turned inside
// out is an error. Errors say file and line (ASCII) or byte (binary).
Status mesh_read_gmsh(Mesh *mesh, const char *path, int dim, Err *err) MUST_CHECK;
Status mesh_write_gmsh(const Mesh *mesh, const char *path, Err *err) MUST_CHECK; // 4.1 ASCII

#endif
