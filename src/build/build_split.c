// A mesh that holds several bodies: its pieces, or its physical groups, become entries with names.

#include <stdio.h>
#include <string.h>

#include "build/build_internal.h"

// One part of the mesh for each element: which, or -1.
typedef struct {
  int n;
  int32_t *part;     // [n_elems] owned
  const char **name; // [n] of groups; NULL: numbers from 1; owned
} Parts;

// Every element in one group.
static Status parts_of_groups(const Mesh *mesh, Parts *parts, Err *err) {
  MEM_NEW(parts->part, mesh->n_elems, err);
  parts->name = mem_new((size_t)mesh->n_groups, sizeof *parts->name);
  if (!parts->name) return err_set(err, ERR_SYSTEM, "out of memory: %d groups", mesh->n_groups);
  for (int e = 0; e < mesh->n_elems; e++) parts->part[e] = -1;
  for (int g = 0; g < mesh->n_groups; g++) {
    const MeshGroup *group = &mesh->groups[g];
    if (group->kind != GROUP_ELEMENTS) continue;
    for (int k = 0; k < group->n; k++) {
      int32_t *own = &parts->part[group->items[k]];
      if (*own >= 0)
        return err_set(
            err, ERR_INPUT,
            "split=\"groups\": element %d stands in '%s' and in '%s', a body has it once",
            group->items[k] + 1, parts->name[*own], group->name);
      *own = parts->n;
    }
    parts->name[parts->n++] = group->name;
  }
  for (int e = 0; e < mesh->n_elems; e++)
    if (parts->part[e] < 0)
      return err_set(err, ERR_INPUT, "split=\"groups\": element %d stands in no physical group",
                     e + 1);
  return OK;
}

// A body made of this mesh moves as one, and no rule keeps its pieces from passing through one
// another.
static Status in_one_piece(const Mesh *mesh, const char *name, const char *remedy, Err *err) {
  int32_t *piece;
  int n;
  Status status = mesh_pieces(mesh, &piece, &n, err);
  mem_free(piece);
  if (status != OK || n <= 1) return status;
  return err_set(err, ERR_INPUT, "%s%s%s falls apart into %d pieces that nothing joins: %s",
                 name ? "group '" : "the mesh", name ? name : "", name ? "'" : "", n, remedy);
}

// A group of nodes or facets of the whole mesh stands for its nodes in all parts: NAME.GROUP; one
// of elements for the bodies all of whose elements are in it.
static Status name_group(Builder *b, const InputNode *node, const MeshGroup *group, int first,
                         int n) {
  int32_t *entry = NULL, *nodes = NULL;
  size_t room = 0;
  int at = 0, bodies = group->kind == GROUP_ELEMENTS;
  char text[256];
  for (int k = 0; k < n; k++) room += (size_t)b->entries[first + k].mesh->n_nodes + 1;
  MEM_NEW(entry, room, b->err);
  nodes = mem_new(room, sizeof *nodes);
  Status status = nodes ? OK : err_set(b->err, ERR_SYSTEM, "out of memory: group of nodes");
  for (int k = 0; k < n && status == OK; k++) {
    const Mesh *mesh = b->entries[first + k].mesh;
    const MeshGroup *own = mesh_find_group_of(mesh, group->name, group->kind);
    int32_t *list;
    int n_list;
    if (!own) continue;
    if (bodies) {
      if (own->n == mesh->n_elems) entry[at++] = first + k;
      continue;
    }
    status = mesh_group_nodes(mesh, own, &list, &n_list, b->err);
    for (int i = 0; i < n_list && status == OK; i++, at++) {
      entry[at] = first + k;
      nodes[at] = list[i];
    }
    mem_free(list);
  }
  snprintf(text, sizeof text, "%s.%s", input_text(node, "name"), group->name);
  if (status == OK && at > 0)
    status = builder_add_set(b, text, at, entry, bodies ? NULL : nodes, node->pos);
  mem_free(entry);
  mem_free(nodes);
  return status;
}

// A name of facets and of nodes stands for those of the facets.
static int named_before(const Mesh *mesh, int g) {
  for (int k = 0; k < mesh->n_groups; k++)
    if (mesh->groups[k].kind == GROUP_FACETS && mesh->groups[g].kind == GROUP_NODES &&
        strcmp(mesh->groups[k].name, mesh->groups[g].name) == 0)
      return 1;
  return 0;
}

static Status add_part(Builder *b, const Entry *model, const Mesh *whole, const Parts *parts, int k,
                       int32_t *items) {
  MeshGroup elements = {.name = "", .kind = GROUP_ELEMENTS, .items = items};
  Entry entry = *model;
  Mesh *mesh;
  char text[256];
  for (int e = 0; e < whole->n_elems; e++)
    if (parts->part[e] == k) items[elements.n++] = e;
  TRY(builder_new_mesh(b, &mesh));
  TRY(mesh_extract(mesh, whole, &elements, b->err));
  if (parts->name) TRY(in_one_piece(mesh, parts->name[k], "say split=\"pieces\"", b->err));
  entry.mesh = mesh;
  if (parts->name)
    snprintf(text, sizeof text, "%s.%s", input_text(model->node, "name"), parts->name[k]);
  else
    snprintf(text, sizeof text, "%s.%d", input_text(model->node, "name"), k + 1);
  return builder_add_entry(b, text, &entry);
}

static Status add_parts(Builder *b, const Entry *model, const Mesh *whole, const Parts *parts) {
  int first = b->n_entries;
  int32_t *items, *all;
  MEM_NEW(items, whole->n_elems, b->err);
  Status status = OK;
  for (int k = 0; k < parts->n && status == OK; k++)
    status = add_part(b, model, whole, parts, k, items);
  mem_free(items);
  TRY(status);
  MEM_NEW(all, parts->n, b->err);
  for (int k = 0; k < parts->n; k++) all[k] = first + k;
  status =
      builder_add_set(b, input_text(model->node, "name"), parts->n, all, NULL, model->node->pos);
  mem_free(all);
  for (int g = 0; g < whole->n_groups && status == OK; g++) {
    if (parts->name && whole->groups[g].kind == GROUP_ELEMENTS) continue; // the bodies themselves
    if (!named_before(whole, g))
      status = name_group(b, model->node, &whole->groups[g], first, parts->n);
  }
  return status;
}

Status builder_add_split(Builder *b, const Entry *model, const char *split) {
  Parts parts = {0};
  const Mesh *whole = model->mesh;
  if (strcmp(split, "no") == 0) {
    int sheet = whole->n_elems > 0 && topology_table[whole->elem_shape[0]].dim < whole->dim;
    TRY(in_one_piece(whole, NULL,
                     sheet ? "each needs a sheet of its own"
                           : "say split=\"pieces\" or split=\"groups\"",
                     b->err));
    return builder_add_entry(b, input_text(model->node, "name"), model);
  }
  Status status = strcmp(split, "groups") == 0 ? parts_of_groups(whole, &parts, b->err)
                                               : mesh_pieces(whole, &parts.part, &parts.n, b->err);
  if (status == OK) status = add_parts(b, model, whole, &parts);
  mem_free(parts.part);
  mem_free((void *)parts.name);
  return status;
}
