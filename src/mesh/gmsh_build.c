#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mesh/gmsh.h"
#include "mesh/nodeset.h"

// What becomes of an element of the file.
typedef enum { DROPPED, BULK, FACET, NODES_ONLY } Role;

// A physical group of the file; several become one group of the mesh if kind and name agree.
typedef struct {
  int dim, number;
  GroupKind kind;
  char own_name[40]; // "physical_<dim>_<number>" of one without a name
  const RawName *named;
  int group;
} Key;

typedef struct {
  const RawMesh *raw;
  const Scan *scan;
  Err *err;
  int dim;
  int n_cells[4];    // kept elements by Role
  int32_t *by_tag;   // [n_nodes] nodes in the order of their tags
  int32_t *node;     // [elem_ptr[n_elems]] node of the file for each node of an element
  int32_t *new_node; // [n_nodes] number in the mesh, -1: nothing uses it
  int32_t *new_cell; // [n_elems] number in the mesh, copies share it; -1: none
  int32_t *first_of; // [n_elems] element that a set of nodes was first seen on
  uint8_t *role;     // [n_elems]
  uint8_t *is_copy;  // [n_elems]
  NodeSetTable table;
  Key *keys; // sorted by dim and number
  int n_keys, n_groups;
  int32_t *order;     // [n_groups] scratch for renumbering groups
  int64_t *group_ptr; // [n_groups + 1]
  int32_t *item;
} Build;

static void build_free(Build *b) {
  mem_free(b->by_tag);
  mem_free(b->node);
  mem_free(b->new_node);
  mem_free(b->new_cell);
  mem_free(b->first_of);
  mem_free(b->role);
  mem_free(b->is_copy);
  nodeset_free(&b->table);
  mem_free(b->keys);
  mem_free(b->order);
  mem_free(b->group_ptr);
  mem_free(b->item);
}

// Pairs for sorting nodes by tag without a global.
typedef struct {
  int64_t tag;
  int32_t node;
} TaggedNode;

static int compare_tags(const void *a, const void *b) {
  const TaggedNode *left = a, *right = b;
  if (left->tag != right->tag) return left->tag < right->tag ? -1 : 1;
  return (left->node > right->node) - (left->node < right->node);
}

static Status sort_nodes(Build *b) {
  const RawMesh *raw = b->raw;
  TaggedNode *pair;
  MEM_NEW(b->by_tag, raw->n_nodes, b->err);
  MEM_NEW(pair, raw->n_nodes, b->err);
  for (int k = 0; k < raw->n_nodes; k++) pair[k] = (TaggedNode){raw->node_tag[k], k};
  qsort(pair, (size_t)raw->n_nodes, sizeof *pair, compare_tags);
  for (int k = 0; k < raw->n_nodes; k++) b->by_tag[k] = pair[k].node;
  mem_free(pair);
  for (int k = 1; k < raw->n_nodes; k++) {
    int last = b->by_tag[k - 1], node = b->by_tag[k];
    if (raw->node_tag[last] == raw->node_tag[node])
      return scan_error(b->scan, raw->node_place[node], "node %lld is defined twice",
                        (long long)raw->node_tag[node]);
  }
  return OK;
}

static int32_t find_node(const Build *b, int64_t tag) {
  const RawMesh *raw = b->raw;
  if (raw->n_nodes == 0) return -1;
  // most files number their nodes without gaps
  int64_t guess = tag - raw->node_tag[b->by_tag[0]];
  if (guess >= 0 && guess < raw->n_nodes && raw->node_tag[b->by_tag[guess]] == tag)
    return b->by_tag[guess];
  int low = 0, high = raw->n_nodes - 1;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (raw->node_tag[b->by_tag[middle]] < tag)
      low = middle + 1;
    else
      high = middle;
  }
  return raw->node_tag[b->by_tag[low]] == tag ? b->by_tag[low] : -1;
}

static Status resolve_nodes(Build *b) {
  const RawMesh *raw = b->raw;
  MEM_NEW(b->node, raw->elem_ptr[raw->n_elems], b->err);
  for (int e = 0; e < raw->n_elems; e++)
    for (int64_t k = raw->elem_ptr[e]; k < raw->elem_ptr[e + 1]; k++) {
      b->node[k] = find_node(b, raw->elem_node[k]);
      if (b->node[k] < 0)
        return scan_error(b->scan, raw->elem_place[e],
                          "element %lld refers to node %lld, which the file does not define",
                          (long long)raw->elem_tag[e], (long long)raw->elem_node[k]);
      for (int64_t j = raw->elem_ptr[e]; j < k; j++)
        if (b->node[j] == b->node[k])
          return scan_error(b->scan, raw->elem_place[e], "element %lld has node %lld twice",
                            (long long)raw->elem_tag[e], (long long)raw->elem_node[k]);
    }
  return OK;
}

static Status assign_roles(Build *b) {
  const RawMesh *raw = b->raw;
  int has_bulk = 0;
  MEM_NEW(b->role, raw->n_elems, b->err);
  for (int k = 0; k < raw->n_blocks; k++) {
    const RawBlock *block = &raw->blocks[k];
    const Topology *topology = &topology_table[block->shape];
    if (block->n > 0 && topology->dim > b->dim)
      return scan_error(b->scan, raw->elem_place[block->first],
                        "element %lld (%s) in a mesh of dimension %d",
                        (long long)raw->elem_tag[block->first], topology->name, b->dim);
    has_bulk |= block->n > 0 && topology->dim == b->dim;
  }
  for (int k = 0; k < raw->n_blocks; k++) {
    const RawBlock *block = &raw->blocks[k];
    const int32_t *number;
    int below = b->dim - topology_table[block->shape].dim;
    int is_named = gmsh_block_physical(raw, block, &number) > 0;
    Role role = below == 0                              ? BULK
                : below == 1 && (is_named || !has_bulk) ? FACET
                : below > 1 && is_named                 ? NODES_ONLY
                                                        : DROPPED;
    memset(b->role + block->first, (int)role, (size_t)block->n);
  }
  return OK;
}

// Version 2.2 writes an element once for each of its physical groups; any other repetition of a
// bulk element is a fault. Lines and faces may lie on one another.
static Status check_copy(const Build *b, int e, const RawBlock *block, int first) {
  const RawMesh *raw = b->raw;
  if (b->role[e] == FACET) return OK;
  int low = 0, high = raw->n_blocks - 1; // block of the original
  while (low < high) {
    int middle = low + (high - low + 1) / 2;
    if (raw->blocks[middle].first <= first)
      low = middle;
    else
      high = middle - 1;
  }
  int32_t theirs = raw->blocks[low].physical, ours = block->physical;
  if (!raw->is_41 && ours && theirs && ours != theirs) return OK;
  return scan_error(b->scan, raw->elem_place[e], "element %lld repeats element %lld",
                    (long long)raw->elem_tag[e], (long long)raw->elem_tag[first]);
}

// Copies get the number of their original.
static Status number_cell(Build *b, int e, const RawBlock *block) {
  const RawMesh *raw = b->raw;
  int n = (int)(raw->elem_ptr[e + 1] - raw->elem_ptr[e]);
  int id = nodeset_put(&b->table, b->node + raw->elem_ptr[e], n);
  b->new_cell[e] = id;
  if (b->table.is_new) {
    b->first_of[id] = e;
    return OK;
  }
  b->is_copy[e] = 1;
  return check_copy(b, e, block, b->first_of[id]);
}

// Numbers the elements of one role in file order.
static Status number_cells(Build *b, Role role) {
  const RawMesh *raw = b->raw;
  int64_t most = 0;
  for (int e = 0; e < raw->n_elems; e++) most += b->role[e] == role;
  nodeset_free(&b->table);
  TRY(nodeset_init(&b->table, most, MAX_ELEM_NODES, b->err));
  for (int k = 0; k < raw->n_blocks; k++) {
    const RawBlock *block = &raw->blocks[k];
    for (int e = block->first; e < block->first + block->n && b->role[e] == role; e++)
      TRY(number_cell(b, e, block));
  }
  b->n_cells[role] = b->table.n;
  return OK;
}

static Status number_all(Build *b, int *n_nodes) {
  const RawMesh *raw = b->raw;
  MEM_NEW(b->new_node, raw->n_nodes, b->err);
  MEM_NEW(b->new_cell, raw->n_elems, b->err);
  MEM_NEW(b->first_of, raw->n_elems, b->err);
  MEM_NEW(b->is_copy, raw->n_elems, b->err);
  TRY(number_cells(b, BULK));
  TRY(number_cells(b, FACET));
  if (b->n_cells[BULK] + b->n_cells[FACET] == 0)
    return err_set(b->err, ERR_INPUT, "%s: the file has no element of dimension %d or %d",
                   b->scan->path, b->dim, b->dim - 1);
  for (int e = 0; e < raw->n_elems; e++)
    for (int64_t k = raw->elem_ptr[e]; b->role[e] != DROPPED && k < raw->elem_ptr[e + 1]; k++)
      b->new_node[b->node[k]] = 1;
  *n_nodes = 0;
  for (int k = 0; k < raw->n_nodes; k++) b->new_node[k] = b->new_node[k] ? (*n_nodes)++ : -1;
  return OK;
}

// A mesh in 2D lies in a plane z = constant, up to this much of its size (round-off of meshers).
static const double FLAT = 1e-9;

static Status check_flat(const Build *b) {
  const RawMesh *raw = b->raw;
  int first = 0;
  double size = 0;
  while (b->new_node[first] < 0) first++;
  const double *x0 = raw->x + 3 * (int64_t)first;
  for (int k = 0; k < raw->n_nodes; k++)
    for (int c = 0; b->new_node[k] >= 0 && c < 2; c++)
      size = fmax(size, fabs(raw->x[3 * (int64_t)k + c] - x0[c]));
  for (int k = 0; k < raw->n_nodes; k++)
    if (b->new_node[k] >= 0 && fabs(raw->x[3 * (int64_t)k + 2] - x0[2]) > FLAT * size)
      return scan_error(b->scan, raw->node_place[k],
                        "node %lld has z = %.10g and node %lld has z = %.10g: a mesh of dimension "
                        "2 lies in a plane z = constant",
                        (long long)raw->node_tag[k], raw->x[3 * (int64_t)k + 2],
                        (long long)raw->node_tag[first], x0[2]);
  return OK;
}

static void fill_cells(const Build *b, Role role, uint8_t *shape, int32_t *ptr, int32_t *node) {
  const RawMesh *raw = b->raw;
  int at = 0;
  for (int k = 0; k < raw->n_blocks; k++)
    for (int e = raw->blocks[k].first; e < raw->blocks[k].first + raw->blocks[k].n; e++) {
      if (b->role[e] != role || b->is_copy[e]) continue;
      int cell = b->new_cell[e];
      shape[cell] = (uint8_t)raw->blocks[k].shape;
      for (int64_t j = raw->elem_ptr[e]; j < raw->elem_ptr[e + 1]; j++)
        node[at++] = b->new_node[b->node[j]];
      ptr[cell + 1] = at;
    }
}

static int count_cell_nodes(const Build *b, Role role) {
  int total = 0;
  for (int e = 0; e < b->raw->n_elems; e++)
    if (b->role[e] == role && !b->is_copy[e])
      total += (int)(b->raw->elem_ptr[e + 1] - b->raw->elem_ptr[e]);
  return total;
}

static Status check_measures(const Build *b, const Mesh *mesh) {
  const RawMesh *raw = b->raw;
  for (int e = 0; e < raw->n_elems; e++) {
    if (b->role[e] != BULK || b->is_copy[e]) continue;
    int cell = b->new_cell[e];
    double measure = mesh_elem_measure(mesh, cell), det = mesh_elem_min_det(mesh, cell);
    if (isfinite(measure) && measure > 0 && det > 0) continue;
    const char *name = topology_table[mesh->elem_shape[cell]].name;
    if (measure > 0)
      return scan_error(b->scan, raw->elem_place[e],
                        "element %lld (%s) folds over: least determinant %g",
                        (long long)raw->elem_tag[e], name, det);
    return scan_error(b->scan, raw->elem_place[e], "element %lld (%s) has the %s %g%s",
                      (long long)raw->elem_tag[e], name, b->dim == 2 ? "area" : "volume", measure,
                      measure < 0 && b->dim == 2 ? ": its nodes run clockwise" : "");
  }
  return OK;
}

static Status fill_mesh(Build *b, Mesh *mesh, int n_nodes) {
  const RawMesh *raw = b->raw;
  TRY(mesh_init(mesh, b->dim, n_nodes, b->n_cells[BULK], count_cell_nodes(b, BULK), b->err));
  for (int k = 0; k < raw->n_nodes; k++)
    for (int c = 0; b->new_node[k] >= 0 && c < b->dim; c++)
      mesh->x[(int64_t)b->new_node[k] * b->dim + c] = raw->x[3 * (int64_t)k + c];
  fill_cells(b, BULK, mesh->elem_shape, mesh->elem_ptr, mesh->elem_node);
  TRY(mesh_init_facets(mesh, b->n_cells[FACET], count_cell_nodes(b, FACET), b->err));
  fill_cells(b, FACET, mesh->facet_shape, mesh->facet_ptr, mesh->facet_node);
  return check_measures(b, mesh);
}

static const char *key_name(const Key *key) {
  return key->named ? key->named->name : key->own_name;
}

static int compare_dim_number(const Key *a, const Key *b) {
  if (a->dim != b->dim) return a->dim - b->dim;
  return (a->number > b->number) - (a->number < b->number);
}

static int compare_numbers(const void *a, const void *b) {
  return compare_dim_number(a, b);
}

static int compare_key_names(const void *a, const void *b) {
  const Key *left = a, *right = b;
  if (left->kind != right->kind) return (int)left->kind - (int)right->kind;
  int order = strcmp(key_name(left), key_name(right));
  return order ? order : compare_dim_number(left, right);
}

// All physical groups that elements of the file are in, each once.
static Status collect_keys(Build *b) {
  const RawMesh *raw = b->raw;
  const int32_t *number;
  int64_t most = 0;
  for (int k = 0; k < raw->n_blocks; k++)
    most += gmsh_block_physical(raw, &raw->blocks[k], &number);
  MEM_NEW(b->keys, most, b->err);
  for (int k = 0; k < raw->n_blocks; k++) {
    int n = raw->blocks[k].n ? gmsh_block_physical(raw, &raw->blocks[k], &number) : 0;
    for (int j = 0; j < n; j++)
      b->keys[b->n_keys++] =
          (Key){.dim = topology_table[raw->blocks[k].shape].dim, .number = number[j]};
  }
  if (b->n_keys == 0) return OK;
  qsort(b->keys, (size_t)b->n_keys, sizeof *b->keys, compare_numbers);
  int kept = 0;
  for (int k = 0; k < b->n_keys; k++)
    if (kept == 0 || compare_dim_number(&b->keys[k], &b->keys[kept - 1]) != 0)
      b->keys[kept++] = b->keys[k];
  b->n_keys = kept;
  return OK;
}

// Groups of the mesh: keys of equal kind and name are one, numbered by their least key.
static Status name_groups(Build *b) {
  if (b->n_keys == 0) return OK;
  for (int k = 0; k < b->n_keys; k++) {
    Key *key = &b->keys[k];
    key->kind = key->dim == b->dim       ? GROUP_ELEMENTS
                : key->dim == b->dim - 1 ? GROUP_FACETS
                                         : GROUP_NODES;
    key->named = gmsh_find_name(b->raw, key->dim, key->number);
    snprintf(key->own_name, sizeof key->own_name, "physical_%d_%d", key->dim, key->number);
  }
  qsort(b->keys, (size_t)b->n_keys, sizeof *b->keys, compare_key_names);
  for (int k = 0; k < b->n_keys; k++) {
    int is_same = k > 0 && b->keys[k].kind == b->keys[k - 1].kind &&
                  strcmp(key_name(&b->keys[k]), key_name(&b->keys[k - 1])) == 0;
    b->keys[k].group = is_same ? b->n_groups - 1 : b->n_groups++;
  }
  qsort(b->keys, (size_t)b->n_keys, sizeof *b->keys, compare_numbers);
  MEM_NEW(b->order, b->n_groups, b->err);
  for (int g = 0; g < b->n_groups; g++) b->order[g] = -1;
  int n = 0;
  for (int k = 0; k < b->n_keys; k++) {
    int32_t *number = &b->order[b->keys[k].group];
    if (*number < 0) *number = n++;
    b->keys[k].group = *number;
  }
  return OK;
}

static int group_of(const Build *b, int dim, int number) {
  Key key = {.dim = dim, .number = number};
  const Key *found = bsearch(&key, b->keys, (size_t)b->n_keys, sizeof key, compare_numbers);
  assert(found);
  return found->group;
}

// Counts (item NULL) or writes the elements, facets or nodes of a block, from *at on.
static void walk_block(const Build *b, const RawBlock *block, int64_t *at, int32_t *item) {
  const RawMesh *raw = b->raw;
  for (int e = block->first; e < block->first + block->n; e++) {
    if (b->role[e] != NODES_ONLY) {
      if (item) item[*at] = b->new_cell[e];
      ++*at;
      continue;
    }
    for (int64_t k = raw->elem_ptr[e]; k < raw->elem_ptr[e + 1]; k++, ++*at)
      if (item) item[*at] = b->new_node[b->node[k]];
  }
}

// The same for all groups; a block is in as many as its elements are.
static void walk_members(const Build *b, int64_t *at, int32_t *item) {
  for (int k = 0; k < b->raw->n_blocks; k++) {
    const RawBlock *block = &b->raw->blocks[k];
    const int32_t *number;
    int n = block->n ? gmsh_block_physical(b->raw, block, &number) : 0;
    for (int j = 0; j < n; j++)
      walk_block(b, block, &at[group_of(b, topology_table[block->shape].dim, number[j])], item);
  }
}

static Status fill_groups(Build *b, Mesh *mesh) {
  TRY(collect_keys(b));
  TRY(name_groups(b));
  MEM_NEW(b->group_ptr, b->n_groups + 2, b->err);
  // counts, sums, then each group's place moves to its end while members are written
  walk_members(b, b->group_ptr + 2, NULL);
  for (int g = 0; g < b->n_groups; g++) b->group_ptr[g + 2] += b->group_ptr[g + 1];
  MEM_NEW(b->item, b->group_ptr[b->n_groups + 1], b->err);
  walk_members(b, b->group_ptr + 1, b->item);
  for (int k = 0, added = 0; k < b->n_keys; k++) {
    int g = b->keys[k].group;
    if (g < added) continue;
    added++;
    int64_t first = b->group_ptr[g], n = b->group_ptr[g + 1] - first;
    if (n > INT32_MAX) return err_set(b->err, ERR_INPUT, "%s: a group too large", b->scan->path);
    TRY(mesh_add_group(mesh, key_name(&b->keys[k]), b->keys[k].kind, b->item + first, (int)n,
                       b->err));
  }
  return OK;
}

static Status build(Build *b, Mesh *mesh) {
  int n_nodes = 0;
  TRY(sort_nodes(b));
  TRY(resolve_nodes(b));
  TRY(assign_roles(b));
  TRY(number_all(b, &n_nodes));
  if (b->dim == 2) TRY(check_flat(b));
  TRY(fill_mesh(b, mesh, n_nodes));
  return fill_groups(b, mesh);
}

Status gmsh_build(Mesh *mesh, const RawMesh *raw, const Scan *scan, int dim) {
  *mesh = (Mesh){0};
  Build b = {.raw = raw, .scan = scan, .err = scan->err, .dim = dim};
  Status status = build(&b, mesh);
  build_free(&b);
  if (status != OK) mesh_free(mesh);
  return status;
}
