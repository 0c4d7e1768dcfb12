// mesh/gmsh.h -- inside of the Gmsh reader: what a .msh file says before it is a Mesh.
//
// gmsh_parse fills a RawMesh from the text, gmsh_build turns that into a Mesh. Tags are those of
// the file; places are lines or bytes (gmsh_scan.h).

#ifndef MESH_GMSH_H
#define MESH_GMSH_H

#include "mesh/gmsh_scan.h"
#include "mesh/mesh.h"

typedef struct {
  int dim, number;
  char *name; // owned
} RawName;

// 4.1: which physical groups the elements of a geometric entity belong to.
typedef struct {
  int dim, tag;
  int parent_dim, parent_tag; // of a partitioned entity, else -1
  int n_physical;
  int64_t first_physical; // in RawMesh.physical
} RawEntity;

// A run of elements of one shape in the same groups.
typedef struct {
  int shape;        // ShapeCode
  int entity;       // 4.1: tag of the entity
  int32_t physical; // 2.2: number of the group, 0 for none
  int first, n;     // elements
} RawBlock;

typedef struct {
  int is_41;
  int n_names, n_entities, n_blocks, n_nodes, n_elems;
  RawName *names;
  RawEntity *entities; // once parsed sorted by dim and tag, names by dim and number
  int64_t n_physical;
  int32_t *physical;

  int64_t *node_tag;   // [n_nodes]
  double *x;           // [n_nodes * 3]
  int64_t *node_place; // [n_nodes]

  RawBlock *blocks;
  int64_t *elem_tag;   // [n_elems]
  int64_t *elem_place; // [n_elems]
  int64_t *elem_ptr;   // [n_elems + 1]
  int64_t *elem_node;  // tags of nodes

  size_t name_room, entity_room, physical_room, block_room, elem_node_room;
} RawMesh;

void gmsh_free(RawMesh *raw);
Status gmsh_parse(RawMesh *raw, Scan *scan) MUST_CHECK;
Status gmsh_build(Mesh *mesh, const RawMesh *raw, const Scan *scan, int dim) MUST_CHECK;

const RawName *gmsh_find_name(const RawMesh *raw, int dim, int number); // NULL if it has none
// How many physical groups the elements of a block are in, and their numbers (borrowed).
int gmsh_block_physical(const RawMesh *raw, const RawBlock *block, const int32_t **number);

// mesh_read_gmsh on a file held in memory; data[size] must be 0.
Status gmsh_read_memory(Mesh *mesh, const char *path, const char *data, size_t size, int dim,
                        Err *err) MUST_CHECK;

// For the two parsers: room for all elements; a block begins; the next element of it is read (tag
// known), its node tags follow in the file.
Status gmsh_begin_elems(RawMesh *raw, int64_t n, const Scan *scan) MUST_CHECK;
Status gmsh_begin_block(RawMesh *raw, const Scan *scan, int64_t place, int64_t type,
                        RawBlock **block) MUST_CHECK;
Status gmsh_add_elem(RawMesh *raw, Scan *scan, int64_t place, int64_t tag) MUST_CHECK;
Status gmsh_begin_nodes(RawMesh *raw, int64_t n, const Scan *scan) MUST_CHECK;

Status gmsh_parse_22_nodes(RawMesh *raw, Scan *scan) MUST_CHECK;
Status gmsh_parse_22_elements(RawMesh *raw, Scan *scan) MUST_CHECK;
Status gmsh_parse_41_nodes(RawMesh *raw, Scan *scan) MUST_CHECK;
Status gmsh_parse_41_elements(RawMesh *raw, Scan *scan) MUST_CHECK;
Status gmsh_parse_41_entities(RawMesh *raw, Scan *scan, int partitioned) MUST_CHECK;

#endif
