#include <stdio.h>

#include "base/mem.h"
#include "mesh/masonry.h"

// First node and first element of each block in the mesh of all.
typedef struct {
  int32_t *node, *elem; // [n_blocks + 1]
  int32_t *items;       // members of the group at hand
} Offsets;

static void fill(Mesh *mesh, const Assembly *assembly, const Offsets *first) {
  for (int b = 0; b < assembly->n_blocks; b++) {
    const Mesh *own = &assembly->meshes[assembly->blocks[b].mesh];
    for (int k = 0; k < own->n_nodes; k++)
      assembly_node_position(assembly, b, k, mesh->x + 2 * (int64_t)(first->node[b] + k));
    for (int e = 0; e < own->n_elems; e++) {
      int to = first->elem[b] + e, at = mesh->elem_ptr[to];
      mesh->elem_shape[to] = own->elem_shape[e];
      for (int k = own->elem_ptr[e]; k < own->elem_ptr[e + 1]; k++)
        mesh->elem_node[at++] = first->node[b] + own->elem_node[k];
      mesh->elem_ptr[to + 1] = at;
    }
  }
}

static Status add_groups(Mesh *mesh, const Assembly *assembly, Offsets *first, Err *err) {
  MEM_NEW(first->items, mesh->n_elems + mesh->n_nodes, err);
  for (int b = 0; b < assembly->n_blocks; b++) {
    char name[32];
    int n = 0;
    snprintf(name, sizeof name, "block_%d", b + 1);
    for (int e = first->elem[b]; e < first->elem[b + 1]; e++) first->items[n++] = e;
    TRY(mesh_add_group(mesh, name, GROUP_ELEMENTS, first->items, n, err));
  }
  for (int g = 0; g < assembly->n_groups; g++) {
    const AssemblyGroup *group = &assembly->groups[g];
    int n = 0;
    for (int k = 0; k < group->n; k++) {
      int b = group->block[k];
      if (group->node)
        first->items[n++] = first->node[b] + group->node[k];
      else
        for (int e = first->elem[b]; e < first->elem[b + 1]; e++) first->items[n++] = e;
    }
    TRY(mesh_add_group(mesh, group->name, group->node ? GROUP_NODES : GROUP_ELEMENTS, first->items,
                       n, err));
  }
  return OK;
}

static Status merge(Mesh *mesh, const Assembly *assembly, Offsets *first, Err *err) {
  int64_t n_elem_nodes = 0, n_nodes = 0;
  MEM_NEW(first->node, assembly->n_blocks + 1, err);
  MEM_NEW(first->elem, assembly->n_blocks + 1, err);
  for (int b = 0; b < assembly->n_blocks; b++) {
    const Mesh *own = &assembly->meshes[assembly->blocks[b].mesh];
    n_nodes += own->n_nodes;
    n_elem_nodes += own->elem_ptr[own->n_elems];
    if (n_nodes > INT32_MAX / 8 || n_elem_nodes > INT32_MAX)
      return err_set(err, ERR_INPUT, "the assembly is too large for one mesh");
    first->node[b + 1] = (int32_t)n_nodes;
    first->elem[b + 1] = first->elem[b] + own->n_elems;
  }
  TRY(mesh_init(mesh, 2, (int)n_nodes, first->elem[assembly->n_blocks], (int)n_elem_nodes, err));
  fill(mesh, assembly, first);
  return add_groups(mesh, assembly, first, err);
}

Status assembly_to_mesh(const Assembly *assembly, Mesh *mesh, Err *err) {
  *mesh = (Mesh){0};
  Offsets first = {0};
  Status status = merge(mesh, assembly, &first, err);
  mem_free(first.node);
  mem_free(first.elem);
  mem_free(first.items);
  if (status != OK) mesh_free(mesh);
  return status;
}
