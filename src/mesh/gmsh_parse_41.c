#include <stdlib.h>

#include "base/mem.h"
#include "mesh/gmsh.h"

// Physical groups of one entity; more is a broken file, and would cost memory for each element.
enum { MAX_PHYSICAL = 64 };

static Status read_dim(Scan *scan, int *dim) {
  int64_t place = scan_place(scan), value;
  TRY(scan_int(scan, &value, "the dimension of an entity"));
  if (value < 0 || value > 3)
    return scan_error(scan, place, "the dimension of an entity is %lld", (long long)value);
  *dim = (int)value;
  return OK;
}

static Status skip_ints(Scan *scan, const char *count, const char *what) {
  int64_t n, ignored;
  TRY(scan_count(scan, &n, 0, 4, 1, count));
  for (int64_t k = 0; k < n; k++) TRY(scan_int(scan, &ignored, what));
  return OK;
}

// Physical tags of an entity: negative means reversed orientation, twice the same counts once.
static Status read_physical(RawMesh *raw, Scan *scan, RawEntity *entity) {
  int64_t place = scan_place(scan), n;
  TRY(scan_count(scan, &n, 0, 4, 1, "the number of physical groups of an entity"));
  if (n > MAX_PHYSICAL)
    return scan_error(scan, place, "an entity in %lld physical groups, at most %d are read",
                      (long long)n, MAX_PHYSICAL);
  void *room = raw->physical;
  TRY(mem_grow(&room, &raw->physical_room, (size_t)(raw->n_physical + n), sizeof *raw->physical,
               scan->err));
  raw->physical = room;
  entity->first_physical = raw->n_physical;
  for (int64_t k = 0; k < n; k++) {
    int64_t tag;
    TRY(scan_int(scan, &tag, "the number of a physical group"));
    if (tag == INT32_MIN) return scan_error(scan, place, "the physical group %lld", (long long)tag);
    int32_t *own = raw->physical + entity->first_physical;
    int j = 0;
    while (j < entity->n_physical && own[j] != llabs(tag)) j++;
    if (j < entity->n_physical) continue;
    own[entity->n_physical++] = (int32_t)llabs(tag);
    raw->n_physical++;
  }
  return OK;
}

static Status read_entity(RawMesh *raw, Scan *scan, int dim, int partitioned) {
  RawEntity entity = {.dim = dim, .parent_dim = -1, .parent_tag = -1};
  int64_t tag, parent;
  double ignored;
  TRY(scan_int(scan, &tag, "the number of an entity"));
  entity.tag = (int)tag;
  if (partitioned) {
    TRY(scan_int(scan, &parent, "the dimension of the parent entity"));
    entity.parent_dim = (int)parent;
    TRY(scan_int(scan, &parent, "the number of the parent entity"));
    entity.parent_tag = (int)parent;
    TRY(skip_ints(scan, "the number of partitions of an entity", "the number of a partition"));
  }
  for (int k = 0; k < (dim == 0 ? 3 : 6); k++)
    TRY(scan_real(scan, &ignored, "a bound of an entity"));
  TRY(read_physical(raw, scan, &entity));
  if (dim > 0)
    TRY(skip_ints(scan, "the number of entities that bound an entity", "the number of an entity"));
  void *room = raw->entities;
  TRY(mem_grow(&room, &raw->entity_room, (size_t)raw->n_entities + 1, sizeof *raw->entities,
               scan->err));
  raw->entities = room;
  raw->entities[raw->n_entities++] = entity;
  return OK;
}

Status gmsh_parse_41_entities(RawMesh *raw, Scan *scan, int partitioned) {
  int64_t n[4], ignored;
  if (partitioned) {
    TRY(scan_size(scan, &ignored, "the number of partitions"));
    int64_t n_ghosts;
    TRY(scan_count(scan, &n_ghosts, 0, 8, 2, "the number of ghost entities"));
    for (int64_t k = 0; k < 2 * n_ghosts; k++) TRY(scan_int(scan, &ignored, "a ghost entity"));
  }
  for (int dim = 0; dim < 4; dim++)
    TRY(scan_count(scan, &n[dim], 0, 28, 5, "the number of entities"));
  for (int dim = 0; dim < 4; dim++)
    for (int64_t k = 0; k < n[dim]; k++) TRY(read_entity(raw, scan, dim, partitioned));
  return OK;
}

// A block of nodes: all tags, then all coordinates, each with its parameters if parametric.
static Status read_node_block(RawMesh *raw, Scan *scan, int64_t *done, int64_t n_total) {
  int dim;
  int64_t entity, parametric, n;
  TRY(read_dim(scan, &dim));
  TRY(scan_int(scan, &entity, "the number of an entity"));
  int64_t place = scan_place(scan);
  TRY(scan_int(scan, &parametric, "the mark 'parametric'"));
  if (parametric != 0 && parametric != 1)
    return scan_error(scan, place, "the mark 'parametric' is %lld, not 0 or 1",
                      (long long)parametric);
  place = scan_place(scan);
  TRY(scan_count(scan, &n, 0, 28, 4, "the number of nodes of a block"));
  if (n > n_total - *done)
    return scan_error(scan, place, "a block of %lld nodes where %lld are left", (long long)n,
                      (long long)(n_total - *done));
  for (int64_t k = 0; k < n; k++)
    TRY(scan_size(scan, &raw->node_tag[*done + k], "the number of a node"));
  for (int64_t k = 0; k < n; k++) {
    double ignored;
    raw->node_place[*done + k] = scan_place(scan);
    for (int c = 0; c < 3; c++) TRY(scan_real(scan, &raw->x[3 * (*done + k) + c], "a coordinate"));
    for (int c = 0; c < parametric * dim; c++)
      TRY(scan_real(scan, &ignored, "a parameter of a node"));
  }
  *done += n;
  return OK;
}

Status gmsh_parse_41_nodes(RawMesh *raw, Scan *scan) {
  int64_t n_blocks, n, ignored, done = 0;
  TRY(scan_count(scan, &n_blocks, 0, 16, 4, "the number of node blocks"));
  int64_t place = scan_place(scan);
  TRY(scan_count(scan, &n, 0, 28, 4, "the number of nodes"));
  TRY(scan_size(scan, &ignored, "the least node number"));
  TRY(scan_size(scan, &ignored, "the largest node number"));
  TRY(gmsh_begin_nodes(raw, n, scan));
  for (int64_t block = 0; block < n_blocks; block++) TRY(read_node_block(raw, scan, &done, n));
  if (done == n) return OK;
  return scan_error(scan, place, "%lld nodes are announced, the blocks hold %lld", (long long)n,
                    (long long)done);
}

static Status read_elem_block(RawMesh *raw, Scan *scan, int64_t n_total) {
  int dim;
  int64_t entity, type, n, place = scan_place(scan);
  TRY(read_dim(scan, &dim));
  TRY(scan_int(scan, &entity, "the number of an entity"));
  TRY(scan_int(scan, &type, "the type of elements"));
  RawBlock *block;
  TRY(gmsh_begin_block(raw, scan, place, type, &block));
  block->entity = (int)entity;
  if (topology_table[block->shape].dim != dim)
    return scan_error(scan, place, "elements %s on an entity of dimension %d",
                      topology_table[block->shape].name, dim);
  place = scan_place(scan);
  TRY(scan_count(scan, &n, 0, 2 * scan->size_size, 2, "the number of elements of a block"));
  if (n > n_total - raw->n_elems)
    return scan_error(scan, place, "a block of %lld elements where %lld are left", (long long)n,
                      (long long)(n_total - raw->n_elems));
  for (int64_t k = 0; k < n; k++) {
    int64_t tag, elem_place = scan_place(scan);
    TRY(scan_size(scan, &tag, "the number of an element"));
    TRY(gmsh_add_elem(raw, scan, elem_place, tag));
  }
  return OK;
}

Status gmsh_parse_41_elements(RawMesh *raw, Scan *scan) {
  int64_t n_blocks, n, ignored;
  TRY(scan_count(scan, &n_blocks, 0, 16, 4, "the number of element blocks"));
  int64_t place = scan_place(scan);
  TRY(scan_count(scan, &n, 0, 2 * scan->size_size, 2, "the number of elements"));
  TRY(scan_size(scan, &ignored, "the least element number"));
  TRY(scan_size(scan, &ignored, "the largest element number"));
  TRY(gmsh_begin_elems(raw, n, scan));
  for (int64_t block = 0; block < n_blocks; block++) TRY(read_elem_block(raw, scan, n));
  if (raw->n_elems == n) return OK;
  return scan_error(scan, place, "%lld elements are announced, the blocks hold %d", (long long)n,
                    raw->n_elems);
}
