#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "mesh/mesh.h"

// Items that are in the same groups: one entity of the file. A class is its parent's groups and one
// more; class 0 is in none.
typedef struct {
  int parent, group;
  int first, n; // items, in Writer.order
} Class;

typedef struct {
  const Mesh *mesh;
  FILE *file;
  int first_tag[3]; // of the elements of a kind (nodes, facets, elements)
  int32_t *class_of[3];
  int32_t *order[3]; // items class by class
  Class *classes[3];
  int n_classes[3];
  size_t room[3];
  int32_t *split; // scratch of refine
  size_t split_room;
} Writer;

static int n_items(const Mesh *mesh, int kind) {
  return kind == GROUP_NODES    ? mesh->n_nodes
         : kind == GROUP_FACETS ? mesh->n_facets
                                : mesh->n_elems;
}

static int kind_dim(const Mesh *mesh, int kind) {
  return kind == GROUP_NODES ? 0 : kind == GROUP_FACETS ? mesh->dim - 1 : mesh->dim;
}

static Status new_class(Writer *w, int kind, int parent, int group, Err *err) {
  void *room = w->classes[kind];
  TRY(mem_grow(&room, &w->room[kind], (size_t)w->n_classes[kind] + 1, sizeof(Class), err));
  w->classes[kind] = room;
  w->classes[kind][w->n_classes[kind]++] = (Class){.parent = parent, .group = group};
  return OK;
}

// Splits each class into the items that are in this group and those that are not.
static Status refine(Writer *w, int g, Err *err) {
  const MeshGroup *group = &w->mesh->groups[g];
  int kind = (int)group->kind, n_old = w->n_classes[kind];
  void *room = w->split;
  TRY(mem_grow(&room, &w->split_room, (size_t)n_old, sizeof *w->split, err));
  w->split = room;
  for (int c = 0; c < n_old; c++) w->split[c] = -1;
  for (int k = 0; k < group->n; k++) {
    int32_t *own = &w->class_of[kind][group->items[k]];
    if (w->split[*own] < 0) {
      w->split[*own] = w->n_classes[kind];
      TRY(new_class(w, kind, *own, g, err));
    }
    *own = w->split[*own];
  }
  return OK;
}

static Status classify(Writer *w, Err *err) {
  for (int kind = 0; kind < 3; kind++) {
    MEM_NEW(w->class_of[kind], n_items(w->mesh, kind), err);
    TRY(new_class(w, kind, 0, -1, err));
  }
  for (int g = 0; g < w->mesh->n_groups; g++) TRY(refine(w, g, err));
  for (int kind = 0; kind < 3; kind++) {
    Class *all = w->classes[kind];
    int n = n_items(w->mesh, kind), first = 0;
    MEM_NEW(w->order[kind], n, err);
    for (int k = 0; k < n; k++) all[w->class_of[kind][k]].n++;
    for (int c = 0; c < w->n_classes[kind]; first += all[c++].n) all[c].first = first;
    for (int k = 0; k < n; k++) w->order[kind][all[w->class_of[kind][k]].first++] = k;
    for (int c = 0; c < w->n_classes[kind]; c++) all[c].first -= all[c].n;
  }
  w->classes[GROUP_NODES][0].n = 0; // nodes of no group need no point
  return OK;
}

static void write_names(const Writer *w) {
  const Mesh *mesh = w->mesh;
  fprintf(w->file, "$PhysicalNames\n%d\n", mesh->n_groups);
  for (int g = 0; g < mesh->n_groups; g++)
    fprintf(w->file, "%d %d \"%s\"\n", kind_dim(mesh, (int)mesh->groups[g].kind), g + 1,
            mesh->groups[g].name);
  fprintf(w->file, "$EndPhysicalNames\n");
}

static void write_entity(const Writer *w, int kind, int set, const double low[3],
                         const double high[3]) {
  int n = 0, dim = kind_dim(w->mesh, kind);
  for (int c = set; c > 0; c = w->classes[kind][c].parent) n++;
  fprintf(w->file, "%d %.17g %.17g %.17g", set + 1, low[0], low[1], low[2]);
  if (dim > 0) fprintf(w->file, " %.17g %.17g %.17g", high[0], high[1], high[2]);
  fprintf(w->file, " %d", n);
  for (int c = set; c > 0; c = w->classes[kind][c].parent)
    fprintf(w->file, " %d", w->classes[kind][c].group + 1);
  fprintf(w->file, dim > 0 ? " 0\n" : "\n");
}

static int kind_of_dim(const Mesh *mesh, int dim) {
  return dim == mesh->dim ? GROUP_ELEMENTS : dim == mesh->dim - 1 ? GROUP_FACETS : GROUP_NODES;
}

// Bounds of all entities are those of the mesh: readers use them to look for a place, no more.
static void write_entities(const Writer *w) {
  double low[3], high[3];
  mesh_bounds(w->mesh, low, high);
  fprintf(w->file, "$Entities\n");
  for (int pass = 0; pass < 2; pass++)
    for (int dim = 0; dim < 4; dim++) {
      int kind = kind_of_dim(w->mesh, dim), n = 0;
      for (int c = 0; kind_dim(w->mesh, kind) == dim && c < w->n_classes[kind]; c++) {
        if (w->classes[kind][c].n == 0) continue;
        n++;
        if (pass == 1) write_entity(w, kind, c, low, high);
      }
      if (pass == 0) fprintf(w->file, dim < 3 ? "%d " : "%d\n", n);
    }
  fprintf(w->file, "$EndEntities\n");
}

// All nodes stand in one block of the first bulk (or facet) entity that exists.
static void write_nodes(const Writer *w) {
  const Mesh *mesh = w->mesh;
  int kind = mesh->n_elems > 0 ? GROUP_ELEMENTS : GROUP_FACETS, set = 0;
  while (set + 1 < w->n_classes[kind] && w->classes[kind][set].n == 0) set++;
  fprintf(w->file, "$Nodes\n%d %d %d %d\n", mesh->n_nodes > 0, mesh->n_nodes, mesh->n_nodes > 0,
          mesh->n_nodes);
  if (mesh->n_nodes > 0)
    fprintf(w->file, "%d %d 0 %d\n", kind_dim(mesh, kind), set + 1, mesh->n_nodes);
  for (int k = 0; k < mesh->n_nodes; k++) fprintf(w->file, "%d\n", k + 1);
  for (int k = 0; k < mesh->n_nodes; k++) {
    const double *x = mesh->x + (int64_t)k * mesh->dim;
    fprintf(w->file, "%.17g %.17g %.17g\n", x[0], x[1], mesh->dim == 3 ? x[2] : 0.0);
  }
  fprintf(w->file, "$EndNodes\n");
}

// Shape and nodes of an item; returns their number.
static int item_nodes(const Mesh *mesh, int kind, int item, int *shape, int32_t *node) {
  if (kind == GROUP_NODES) {
    *shape = SHAPE_POINT;
    node[0] = item;
    return 1;
  }
  const int32_t *ptr = kind == GROUP_FACETS ? mesh->facet_ptr : mesh->elem_ptr;
  const int32_t *of = kind == GROUP_FACETS ? mesh->facet_node : mesh->elem_node;
  *shape = kind == GROUP_FACETS ? mesh->facet_shape[item] : mesh->elem_shape[item];
  int n = ptr[item + 1] - ptr[item];
  for (int k = 0; k < n; k++) node[k] = of[ptr[item] + k];
  return n;
}

// One class and one shape: the elements of a block. Counts only if `write` is 0.
static int write_block(const Writer *w, int kind, int set, int shape, int write) {
  int n = 0;
  const Class *own_class = &w->classes[kind][set];
  for (int at = own_class->first; at < own_class->first + own_class->n; at++) {
    int32_t node[MAX_ELEM_NODES];
    int own, k = w->order[kind][at];
    int n_nodes = item_nodes(w->mesh, kind, k, &own, node);
    if (own != shape) continue;
    n++;
    if (!write) continue;
    fprintf(w->file, "%d", w->first_tag[kind] + k);
    for (int j = 0; j < n_nodes; j++) fprintf(w->file, " %d", node[j] + 1);
    fprintf(w->file, "\n");
  }
  return n;
}

static void write_elements(Writer *w) {
  const Mesh *mesh = w->mesh;
  // bulk elements come first, so that their numbers are those of mesh_check
  static const int kinds[3] = {GROUP_ELEMENTS, GROUP_FACETS, GROUP_NODES};
  w->first_tag[GROUP_ELEMENTS] = 1;
  w->first_tag[GROUP_FACETS] = 1 + mesh->n_elems;
  w->first_tag[GROUP_NODES] = 1 + mesh->n_elems + mesh->n_facets;
  int n_blocks = 0, n = 0;
  fprintf(w->file, "$Elements\n");
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < 3; k++)
      for (int set = 0; set < w->n_classes[kinds[k]]; set++)
        for (int shape = 0; shape < N_SHAPES; shape++) {
          if (w->classes[kinds[k]][set].n == 0) continue;
          if (topology_table[shape].dim != kind_dim(mesh, kinds[k])) continue;
          int count = write_block(w, kinds[k], set, shape, 0);
          if (count == 0) continue;
          n_blocks += pass == 0;
          n += pass == 0 ? count : 0;
          if (pass == 0) continue;
          fprintf(w->file, "%d %d %d %d\n", topology_table[shape].dim, set + 1,
                  topology_table[shape].gmsh_code, count);
          write_block(w, kinds[k], set, shape, 1);
        }
    if (pass == 0)
      fprintf(w->file, "%d %d 1 %d\n", n_blocks, n, mesh->n_elems + mesh->n_facets + mesh->n_nodes);
  }
  fprintf(w->file, "$EndElements\n");
}

static Status write_file(Writer *w, const char *path, Err *err) {
  TRY(classify(w, err));
  w->file = fopen(path, "wb");
  if (!w->file) return err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
  fprintf(w->file, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n");
  if (w->mesh->n_groups > 0) write_names(w);
  write_entities(w);
  write_nodes(w);
  write_elements(w);
  int failed = ferror(w->file), number = errno;
  if (fclose(w->file) != 0 && !failed) failed = 1, number = errno;
  w->file = NULL;
  if (failed) return err_set(err, ERR_SYSTEM, "%s: writing failed: %s", path, strerror(number));
  return OK;
}

Status mesh_write_gmsh(const Mesh *mesh, const char *path, Err *err) {
  char part[1024];
  if ((size_t)snprintf(part, sizeof part, "%s.part", path) >= sizeof part)
    return err_set(err, ERR_INPUT, "%s: the path is too long", path);
  Writer w = {.mesh = mesh};
  // the file appears whole or not at all
  Status status = write_file(&w, part, err);
  if (status == OK && rename(part, path) != 0)
    status = err_set(err, ERR_SYSTEM, "%s: %s", path, strerror(errno));
  if (status != OK) remove(part);
  for (int kind = 0; kind < 3; kind++) {
    mem_free(w.class_of[kind]);
    mem_free(w.order[kind]);
    mem_free(w.classes[kind]);
  }
  mem_free(w.split);
  return status;
}
