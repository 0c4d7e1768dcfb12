#include "mesh/union.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec3.h"

// Nearer than this share of the whole is on a face.
static const double ON_FACE = 1e-6;

// ---- joining ------------------------------------------------------------------------------------

static Status join_group(Mesh *whole, const Mesh *part, int n, const MeshGroup *group, Err *err) {
  int32_t *items;
  int64_t room = 0, at = 0;
  int nodes = 0, facets = 0, elems = 0;
  for (int p = 0; p < n; p++) {
    const MeshGroup *own = mesh_find_group_of(&part[p], group->name, group->kind);
    room += own ? own->n : 0;
  }
  MEM_NEW(items, room, err);
  for (int p = 0; p < n; p++) {
    const MeshGroup *own = mesh_find_group_of(&part[p], group->name, group->kind);
    const int first = group->kind == GROUP_NODES    ? nodes
                      : group->kind == GROUP_FACETS ? facets
                                                    : elems;
    for (int k = 0; own && k < own->n; k++) items[at++] = first + own->items[k];
    nodes += part[p].n_nodes;
    facets += part[p].n_facets;
    elems += part[p].n_elems;
  }
  Status status = mesh_add_group(whole, group->name, group->kind, items, (int)at, err);
  mem_free(items);
  return status;
}

Status mesh_join(Mesh *whole, const Mesh *part, int n, Err *err) {
  int nodes = 0, elems = 0, facets = 0, elem_nodes = 0, facet_nodes = 0,
      dim = n > 0 ? part[0].dim : 3;
  for (int p = 0; p < n; p++) {
    nodes += part[p].n_nodes;
    elems += part[p].n_elems;
    facets += part[p].n_facets;
    elem_nodes += part[p].elem_ptr[part[p].n_elems];
    facet_nodes += part[p].n_facets > 0 ? part[p].facet_ptr[part[p].n_facets] : 0;
  }
  TRY(mesh_init(whole, dim, nodes, elems, elem_nodes, err));
  if (facets > 0) TRY(mesh_init_facets(whole, facets, facet_nodes, err));
  nodes = elems = facets = elem_nodes = facet_nodes = 0;
  for (int p = 0; p < n; p++) {
    const Mesh *own = &part[p];
    memcpy(whole->x + dim * nodes, own->x, sizeof *own->x * (size_t)(dim * own->n_nodes));
    for (int e = 0; e < own->n_elems; e++) {
      whole->elem_shape[elems + e] = own->elem_shape[e];
      whole->elem_ptr[elems + e + 1] = elem_nodes + own->elem_ptr[e + 1];
    }
    for (int k = 0; k < own->elem_ptr[own->n_elems]; k++)
      whole->elem_node[elem_nodes + k] = nodes + own->elem_node[k];
    for (int f = 0; f < own->n_facets; f++) {
      whole->facet_shape[facets + f] = own->facet_shape[f];
      whole->facet_ptr[facets + f + 1] = facet_nodes + own->facet_ptr[f + 1];
    }
    for (int k = 0; own->n_facets > 0 && k < own->facet_ptr[own->n_facets]; k++)
      whole->facet_node[facet_nodes + k] = nodes + own->facet_node[k];
    nodes += own->n_nodes;
    elems += own->n_elems;
    elem_nodes += own->elem_ptr[own->n_elems];
    facets += own->n_facets;
    facet_nodes += own->n_facets > 0 ? own->facet_ptr[own->n_facets] : 0;
  }
  for (int p = 0; p < n; p++)
    for (int g = 0; g < part[p].n_groups; g++) {
      const MeshGroup *group = &part[p].groups[g];
      if (mesh_find_group_of(whole, group->name, group->kind)) continue;
      TRY(join_group(whole, part, n, group, err));
    }
  return OK;
}

// Every element in one group of elements?
static Status check_groups(const Mesh *mesh, Err *err) {
  const char **owner = mem_new((size_t)mesh->n_elems, sizeof *owner);
  Status status =
      owner ? OK : err_set(err, ERR_SYSTEM, "out of memory: %d elements", mesh->n_elems);
  for (int g = 0; g < mesh->n_groups && status == OK; g++) {
    const MeshGroup *group = &mesh->groups[g];
    for (int k = 0; k < group->n && group->kind == GROUP_ELEMENTS && status == OK; k++) {
      const char **own = &owner[group->items[k]];
      if (*own)
        status =
            err_set(err, ERR_INPUT, "element %d stands in '%s' and in '%s', a part has it once",
                    group->items[k] + 1, *own, group->name);
      *own = group->name;
    }
  }
  for (int e = 0; e < mesh->n_elems && status == OK; e++)
    if (!owner[e])
      status =
          err_set(err, ERR_INPUT, "element %d stands in no physical group: each is a part", e + 1);
  mem_free((void *)owner);
  return status;
}

Status mesh_join_groups(Mesh *whole, const Mesh *mesh, Err *err) {
  int n = 0;
  Mesh *part;
  TRY(check_groups(mesh, err));
  part = mem_new((size_t)mesh->n_groups + 1, sizeof *part);
  if (!part) return err_set(err, ERR_SYSTEM, "out of memory: %d parts", mesh->n_groups);
  Status status = OK;
  for (int g = 0; g < mesh->n_groups && status == OK; g++)
    if (mesh->groups[g].kind == GROUP_ELEMENTS)
      status = mesh_extract(&part[n++], mesh, &mesh->groups[g], err);
  if (status == OK) status = mesh_join(whole, part, n, err);
  for (int p = 0; p < n; p++) mesh_free(&part[p]);
  mem_free(part);
  return status;
}

// ---- what is covered ----------------------------------------------------------------------------

typedef struct {
  const Skin *skin;
  const Mesh *mesh;
  const int32_t *piece; // [n_elems]
  uint8_t *convex;      // [pieces]
  double on;            // [m]
} Pieces;

static const double *node_at(const Pieces *of, int facet, int k) {
  return of->mesh->x + 3 * (size_t)of->skin->facet_node[4 * (size_t)facet + (size_t)k];
}

static int n_corners(const Pieces *of, int facet) {
  return of->skin->facet_node[4 * (size_t)facet + 3] < 0 ? 3 : 4;
}

static int piece_of(const Pieces *of, int facet) {
  return of->piece[of->skin->facet_elem[facet]];
}

// Outward, of two sides of a triangle or both diagonals.
static void normal_of(const Pieces *of, int facet, double normal[3]) {
  const int last = n_corners(of, facet) - 1;
  const double *a = node_at(of, facet, 0), *b = node_at(of, facet, 1), *c = node_at(of, facet, 2),
               *d = node_at(of, facet, last);
  double p[3], q[3];
  for (int i = 0; i < 3; i++) {
    p[i] = c[i] - a[i];
    q[i] = last == 3 ? d[i] - b[i] : c[i] - b[i];
  }
  vec3_cross(p, q, normal);
  vec3_normalise(normal);
}

// How far p is before a facet's plane.
static double before(const Pieces *of, int facet, const double p[3]) {
  double normal[3], d[3];
  normal_of(of, facet, normal);
  for (int i = 0; i < 3; i++) d[i] = p[i] - node_at(of, facet, 0)[i];
  return vec3_dot(d, normal);
}

// No corner of a piece is before one of its faces.
static void find_convex(Pieces *of, int n) {
  memset(of->convex, 1, (size_t)n);
  for (int f = 0; f < of->skin->n_facets; f++)
    for (int g = 0; g < of->skin->n_facets; g++) {
      if (piece_of(of, f) != piece_of(of, g)) continue;
      for (int k = 0; k < n_corners(of, f); k++)
        if (before(of, g, node_at(of, f, k)) > of->on) of->convex[piece_of(of, g)] = 0;
    }
}

// Does a facet lie in or on this piece? One in the same plane, facing alike, covers only later
// ones.
static int is_covered(const Pieces *of, int facet, int piece) {
  double own[3], normal[3];
  normal_of(of, facet, own);
  for (int g = 0; g < of->skin->n_facets; g++) {
    int in_plane = 1;
    if (piece_of(of, g) != piece) continue;
    for (int k = 0; k < n_corners(of, facet); k++) {
      const double d = before(of, g, node_at(of, facet, k));
      if (d > of->on) return 0;
      in_plane &= d >= -of->on;
    }
    normal_of(of, g, normal);
    if (in_plane && vec3_dot(own, normal) > 0 && piece > piece_of(of, facet)) return 0;
  }
  return 1;
}

// The facets that stay, with their neighbours and nodes.
static Status keep_facets(Skin *skin, int n_nodes, const uint8_t *covered, Err *err) {
  int32_t *now;
  int n = 0;
  MEM_NEW(now, skin->n_facets, err);
  for (int f = 0; f < skin->n_facets; f++) now[f] = covered[f] ? -1 : n++;
  for (int f = 0; f < skin->n_facets; f++) {
    if (now[f] < 0) continue;
    const size_t from = 4 * (size_t)f, to = 4 * (size_t)now[f];
    skin->facet_elem[now[f]] = skin->facet_elem[f];
    for (size_t k = 0; k < 4; k++) {
      const int32_t other = skin->neighbour[from + k];
      skin->facet_node[to + k] = skin->facet_node[from + k];
      skin->neighbour[to + k] = other < 0 ? -1 : now[other];
    }
  }
  mem_free(now);
  skin->n_facets = n;
  for (int k = 0; k < n_nodes; k++) skin->skin_of[k] = -1;
  for (int k = 0; k < 4 * n; k++)
    if (skin->facet_node[k] >= 0) skin->skin_of[skin->facet_node[k]] = 0;
  skin->n_nodes = 0;
  for (int k = 0; k < n_nodes; k++) {
    if (skin->skin_of[k] < 0) continue;
    skin->node[skin->n_nodes] = k;
    skin->skin_of[k] = skin->n_nodes++;
  }
  return OK;
}

Status skin_drop_covered(Skin *skin, const Mesh *mesh, Err *err) {
  int32_t *piece = NULL;
  uint8_t *covered = NULL, *convex = NULL;
  double low[3], high[3];
  int n = 0;
  if (mesh->dim != 3 || mesh->n_elems < 2) return OK;
  Status status = mesh_pieces(mesh, &piece, &n, err);
  if (status != OK || n < 2) {
    mem_free(piece);
    return status;
  }
  mesh_bounds(mesh, low, high);
  covered = mem_new((size_t)skin->n_facets, 1);
  convex = mem_new((size_t)n, 1);
  Pieces of = {.skin = skin, .mesh = mesh, .piece = piece, .convex = convex};
  for (int i = 0; i < 3; i++) of.on = fmax(of.on, ON_FACE * (high[i] - low[i]));
  if (!covered || !convex)
    status = err_set(err, ERR_SYSTEM, "out of memory: %d facets", skin->n_facets);
  if (status == OK) find_convex(&of, n);
  for (int f = 0; status == OK && f < skin->n_facets; f++)
    for (int p = 0; p < n && !covered[f]; p++)
      covered[f] = convex[p] && p != piece_of(&of, f) && is_covered(&of, f, p);
  if (status == OK) status = keep_facets(skin, mesh->n_nodes, covered, err);
  mem_free(piece);
  mem_free(covered);
  mem_free(convex);
  return status;
}
