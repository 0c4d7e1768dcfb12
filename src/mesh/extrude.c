#include "mesh/extrude.h"

#include <string.h>

#include "base/mem.h"

static void fill(Mesh *solid, const Mesh *surface, double height, int layers) {
  int n = surface->n_nodes, elem = 0, dim = surface->dim;
  for (int l = 0; l <= layers; l++)
    for (int k = 0; k < n; k++) {
      double *x = solid->x + 3 * ((size_t)l * n + k);
      memcpy(x, surface->x + (size_t)dim * (size_t)k, (size_t)dim * sizeof *x);
      x[2] += height * l / layers;
    }
  for (int l = 0; l < layers; l++)
    for (int e = 0; e < surface->n_elems; e++, elem++) {
      solid->elem_shape[elem] = SHAPE_H8;
      solid->elem_ptr[elem + 1] = 8 * (elem + 1);
      for (int k = 0; k < 8; k++)
        solid->elem_node[8 * elem + k] =
            surface->elem_node[surface->elem_ptr[e] + k % 4] + n * (l + k / 4);
    }
}

// The same nodes in the layers from..to.
static Status repeat_group(Mesh *solid, const char *name, const int32_t *items, int n_items, int n,
                           int from, int to, Err *err) {
  int32_t *all;
  MEM_NEW(all, (size_t)n_items * (size_t)(to - from + 1), err);
  int at = 0;
  for (int l = from; l <= to; l++)
    for (int k = 0; k < n_items; k++) all[at++] = items[k] + n * l;
  Status status = mesh_add_group(solid, name, GROUP_NODES, all, at, err);
  mem_free(all);
  return status;
}

static Status add_groups(Mesh *solid, const Mesh *surface, int layers, const char *const ends[2],
                         Err *err) {
  int n = surface->n_nodes;
  for (int g = 0; g < surface->n_groups; g++) {
    const MeshGroup *group = &surface->groups[g];
    if (group->kind != GROUP_NODES) continue;
    TRY(repeat_group(solid, group->name, group->items, group->n, n, 0, layers, err));
  }
  int most = n > solid->n_elems ? n : solid->n_elems;
  int32_t *all;
  MEM_NEW(all, most, err);
  for (int k = 0; k < most; k++) all[k] = k;
  Status status = repeat_group(solid, ends[0], all, n, n, 0, 0, err);
  if (status == OK) status = repeat_group(solid, ends[1], all, n, n, layers, layers, err);
  if (status == OK) status = mesh_add_group(solid, "all", GROUP_ELEMENTS, all, solid->n_elems, err);
  mem_free(all);
  return status;
}

Status mesh_extrude(Mesh *solid, const Mesh *surface, double height, int layers,
                    const char *const ends[2], Err *err) {
  *solid = (Mesh){0};
  if (!(height > 0) || layers < 1)
    return err_set(err, ERR_INPUT, "a height of %g m in %d layers makes no solid", height, layers);
  for (int e = 0; e < surface->n_elems; e++)
    if (surface->elem_shape[e] != SHAPE_Q4)
      return err_set(err, ERR_INPUT, "element %d is a %s: only quadrilaterals are drawn up", e + 1,
                     topology_table[surface->elem_shape[e]].name);
  int n_elems = surface->n_elems * layers;
  TRY(mesh_init(solid, 3, surface->n_nodes * (layers + 1), n_elems, 8 * n_elems, err));
  fill(solid, surface, height, layers);
  Status status = add_groups(solid, surface, layers, ends, err);
  if (status != OK) mesh_free(solid);
  return status;
}
