#include "base/mem.h"
#include "mesh/mesh.h"
#include "mesh/nodeset.h"

// New numbers of what stays, -1 for what goes.
typedef struct {
  int32_t *node, *facet, *elem;
  int32_t *items; // room for the largest group
  NodeSetTable facets;
} Kept;

static void kept_free(Kept *kept) {
  mem_free(kept->node);
  mem_free(kept->facet);
  mem_free(kept->elem);
  mem_free(kept->items);
  nodeset_free(&kept->facets);
}

// Marks with 1 what stays: elements of the group, their nodes, the facets that bound them.
static Status mark(Kept *kept, const Mesh *mesh, const MeshGroup *elements, Err *err) {
  MEM_NEW(kept->node, mesh->n_nodes, err);
  MEM_NEW(kept->facet, mesh->n_facets, err);
  MEM_NEW(kept->elem, mesh->n_elems, err);
  TRY(nodeset_init(&kept->facets, (int64_t)elements->n * MAX_FACETS, MAX_FACET_NODES, err));
  for (int k = 0; k < elements->n; k++) {
    int e = elements->items[k];
    kept->elem[e] = 1;
    const int32_t *node = mesh->elem_node + mesh->elem_ptr[e];
    const Topology *topology = &topology_table[mesh->elem_shape[e]];
    for (int j = 0; j < topology->n_nodes; j++) kept->node[node[j]] = 1;
    for (int f = 0; f < topology->n_facets; f++) {
      int32_t corner[MAX_FACET_NODES];
      for (int j = 0; j < topology->n_facet_nodes; j++) corner[j] = node[topology->facet[f][j]];
      nodeset_put(&kept->facets, corner, topology->n_facet_nodes);
    }
  }
  for (int f = 0; f < mesh->n_facets; f++) {
    int first = mesh->facet_ptr[f], n = mesh->facet_ptr[f + 1] - first;
    kept->facet[f] = nodeset_find(&kept->facets, mesh->facet_node + first, n) >= 0;
  }
  return OK;
}

// Turns marks into consecutive numbers; returns how many there are.
static int number_marked(int32_t *mark_of, int n) {
  int count = 0;
  for (int k = 0; k < n; k++) mark_of[k] = mark_of[k] ? count++ : -1;
  return count;
}

// Elements or facets of a mesh.
typedef struct {
  int n;
  uint8_t *shape;
  int32_t *ptr, *node;
} Cells;

static Cells elems_of(const Mesh *mesh) {
  return (Cells){mesh->n_elems, mesh->elem_shape, mesh->elem_ptr, mesh->elem_node};
}

static Cells facets_of(const Mesh *mesh) {
  return (Cells){mesh->n_facets, mesh->facet_shape, mesh->facet_ptr, mesh->facet_node};
}

static void copy_cells(const Kept *kept, const int32_t *new_of, Cells from, Cells to) {
  int at = 0;
  for (int k = 0; k < from.n; k++) {
    int row = new_of[k];
    if (row < 0) continue;
    to.shape[row] = from.shape[k];
    for (int j = from.ptr[k]; j < from.ptr[k + 1]; j++) to.node[at++] = kept->node[from.node[j]];
    to.ptr[row + 1] = at;
  }
}

static int count_cell_nodes(const int32_t *new_of, Cells cells) {
  int total = 0;
  for (int k = 0; k < cells.n; k++)
    if (new_of[k] >= 0) total += cells.ptr[k + 1] - cells.ptr[k];
  return total;
}

static Status copy_groups(Mesh *part, Kept *kept, const Mesh *mesh, Err *err) {
  int largest = 0;
  for (int g = 0; g < mesh->n_groups; g++)
    if (mesh->groups[g].n > largest) largest = mesh->groups[g].n;
  MEM_NEW(kept->items, largest, err);
  for (int g = 0; g < mesh->n_groups; g++) {
    const MeshGroup *group = &mesh->groups[g];
    const int32_t *new_of = group->kind == GROUP_NODES    ? kept->node
                            : group->kind == GROUP_FACETS ? kept->facet
                                                          : kept->elem;
    int n = 0;
    for (int k = 0; k < group->n; k++)
      if (new_of[group->items[k]] >= 0) kept->items[n++] = new_of[group->items[k]];
    if (n > 0) TRY(mesh_add_group(part, group->name, group->kind, kept->items, n, err));
  }
  return OK;
}

static Status extract(Mesh *part, Kept *kept, const Mesh *mesh, const MeshGroup *elements,
                      Err *err) {
  TRY(mark(kept, mesh, elements, err));
  int n_nodes = number_marked(kept->node, mesh->n_nodes);
  int n_facets = number_marked(kept->facet, mesh->n_facets);
  int n_elems = number_marked(kept->elem, mesh->n_elems);
  TRY(mesh_init(part, mesh->dim, n_nodes, n_elems, count_cell_nodes(kept->elem, elems_of(mesh)),
                err));
  for (int node = 0; node < mesh->n_nodes; node++)
    for (int c = 0; kept->node[node] >= 0 && c < mesh->dim; c++)
      part->x[(int64_t)kept->node[node] * mesh->dim + c] = mesh->x[(int64_t)node * mesh->dim + c];
  copy_cells(kept, kept->elem, elems_of(mesh), elems_of(part));
  TRY(mesh_init_facets(part, n_facets, count_cell_nodes(kept->facet, facets_of(mesh)), err));
  copy_cells(kept, kept->facet, facets_of(mesh), facets_of(part));
  return copy_groups(part, kept, mesh, err);
}

Status mesh_extract(Mesh *part, const Mesh *mesh, const MeshGroup *elements, Err *err) {
  *part = (Mesh){0};
  if (elements->kind != GROUP_ELEMENTS)
    return err_set(err, ERR_INPUT, "group '%s' does not list elements", elements->name);
  Kept kept = {0};
  Status status = extract(part, &kept, mesh, elements, err);
  kept_free(&kept);
  if (status != OK) mesh_free(part);
  return status;
}
