// The skins of all bodies as flat arrays, and the faces between their corners.

#include <math.h>
#include <string.h>

#include "contact/pair_type.h"


static Status count_and_allocate(SkinSet *skin, const BodySet *bs, Err *err) {
  for (int b = 0; b < bs->n_bodies; b++) {
    skin->n_edges += bodies_skin(bs, b)->n_facets;
    skin->n_nodes += bodies_skin(bs, b)->n_nodes;
  }
  MEM_NEW(skin->first_edge, bs->n_bodies, err);
  MEM_NEW(skin->node, 2 * skin->n_edges, err);
  MEM_NEW(skin->body, skin->n_edges, err);
  MEM_NEW(skin->prev, skin->n_edges, err);
  MEM_NEW(skin->next, skin->n_edges, err);
  MEM_NEW(skin->face, skin->n_edges, err);
  MEM_NEW(skin->skin_node, skin->n_nodes, err);
  MEM_NEW(skin->corner, skin->n_edges, err);
  MEM_NEW(skin->arc, skin->n_edges, err);
  MEM_NEW(skin->length, skin->n_edges, err);
  MEM_NEW(skin->loop, skin->n_edges, err);
  MEM_NEW(skin->first, skin->n_edges, err);
  MEM_NEW(skin->edge_in, bs->n_nodes, err);
  return OK;
}

static void copy_edges(SkinSet *skin, const BodySet *bs) {
  int edge = 0, at = 0;
  memset(skin->edge_in, 0xff, sizeof *skin->edge_in * (size_t)bs->n_nodes);
  for (int b = 0; b < bs->n_bodies; b++) {
    const Skin *own = bodies_skin(bs, b);
    int first = bs->node_ptr[b];
    skin->first_edge[b] = edge;
    for (int e = 0; e < own->n_facets; e++) {
      int prev = own->neighbour[2 * e], next = own->neighbour[2 * e + 1];
      skin->node[2 * (edge + e)] = first + own->facet_node[2 * e];
      skin->node[2 * (edge + e) + 1] = first + own->facet_node[2 * e + 1];
      skin->body[edge + e] = b;
      skin->edge_in[first + own->facet_node[2 * e + 1]] = edge + e;
      skin->prev[edge + e] = prev < 0 ? -1 : edge + prev;
      skin->next[edge + e] = next < 0 ? -1 : edge + next;
    }
    for (int k = 0; k < own->n_nodes; k++) {
      skin->skin_node[at + k] = first + own->node[k];
    }
    edge += own->n_facets;
    at += own->n_nodes;
  }
}

// Does the skin turn between edge e and its successor?
static int turns(const SkinSet *skin, const double *x, int e) {
  double a[2], b[2];
  if (skin->next[e] < 0) return 1;
  edge_normal(skin, x, e, a);
  edge_normal(skin, x, skin->next[e], b);
  return a[0] * b[0] + a[1] * b[1] < cos(CORNER_ANGLE);
}

// Faces run from corner to corner; a closed skin without corners is one face.
static void number_faces(SkinSet *skin, const BodySet *bs) {
  for (int e = 0; e < skin->n_edges; e++) skin->face[e] = -1;
  for (int pass = 0; pass < 2; pass++)
    for (int e = 0; e < skin->n_edges; e++) {
      int starts = skin->prev[e] < 0 || turns(skin, bs->x, skin->prev[e]);
      if (skin->face[e] >= 0 || (pass == 0 && !starts)) continue;
      for (int k = e; k >= 0 && skin->face[k] < 0; k = skin->next[k]) {
        skin->face[k] = skin->n_faces;
        if (turns(skin, bs->x, k)) break;
      }
      skin->n_faces++;
    }
}

// Lengths along the skin. Edges are numbered in walking order, an open chain from its first edge.
static void measure_loops(SkinSet *skin, const BodySet *bs) {
  for (int e = 0; e < skin->n_edges;) {
    double n[2], length = 0;
    int first = e, open = skin->prev[e] < 0;
    for (int next = 1; next; e++) {
      skin->first[e] = first;
      skin->arc[e] = length;
      skin->length[e] = edge_normal(skin, bs->x, e, n);
      length += skin->length[e];
      next = skin->next[e] == e + 1;
    }
    for (int k = first; k < e; k++) skin->loop[k] = open ? -length : length;
  }
}

// Edges of a flat face differ in direction by less than this [rad].
static const double FLAT_ANGLE = 0.02;

// A face is flat when all its edges point the same way and a corner begins it.
static void mark_flat_faces(SkinSet *skin, const BodySet *bs) {
  memset(skin->flat, 1, (size_t)skin->n_faces);
  for (int e = 0; e < skin->n_edges; e++) {
    int next = skin->next[e];
    double a[2], b[2];
    if (next < 0 || skin->face[next] != skin->face[e]) continue;
    edge_normal(skin, bs->x, e, a);
    edge_normal(skin, bs->x, next, b);
    if (fabs(a[0] * b[1] - a[1] * b[0]) > FLAT_ANGLE) skin->flat[skin->face[e]] = 0;
  }
}

static Status measure_cells(SkinSet *skin, const BodySet *bs, Err *err) {
  int32_t *count;
  MEM_NEW(skin->cell, skin->n_faces, err);
  MEM_NEW(count, skin->n_faces, err);
  for (int e = 0; e < skin->n_edges; e++) {
    double n[2];
    int cells = bs->type[skin->body[e]]->deforms || !skin->flat[skin->face[e]];
    skin->cell[skin->face[e]] += cells ? edge_normal(skin, bs->x, e, n) : (double)INFINITY;
    count[skin->face[e]]++;
  }
  for (int f = 0; f < skin->n_faces; f++) skin->cell[f] /= count[f];
  mem_free(count);
  return OK;
}

Status skin_set_init(SkinSet *skin, const BodySet *bs, Err *err) {
  TRY(count_and_allocate(skin, bs, err));
  copy_edges(skin, bs);
  number_faces(skin, bs);
  measure_loops(skin, bs);
  MEM_NEW(skin->flat, skin->n_faces, err);
  MEM_NEW(skin->face_end, 2 * skin->n_faces, err);
  memset(skin->face_end, 0xff, 2 * (size_t)skin->n_faces * sizeof *skin->face_end);
  for (int e = 0; e < skin->n_edges; e++) {
    int face = skin->face[e];
    if (skin->prev[e] < 0 || skin->face[skin->prev[e]] != face) skin->face_end[2 * face] = e;
    if (skin->next[e] < 0 || skin->face[skin->next[e]] != face) skin->face_end[2 * face + 1] = e;
  }
  mark_flat_faces(skin, bs);
  TRY(measure_cells(skin, bs, err));
  for (int e = 0; e < skin->n_edges; e++) skin->corner[e] = (uint8_t)turns(skin, bs->x, e);
  for (int e = 0; e < skin->n_edges; e++) {
    double n[2];
    if (bs->type[skin->body[e]]->support) continue;
    double length = edge_normal(skin, bs->x, e, n);
    skin->shortest = fmin(skin->shortest, length);
    skin->longest = fmax(skin->longest, length);
  }
  for (int b = 0; b < bs->n_bodies; b++) {
    if (!bs->type[b]->size) continue;
    skin->shortest = fmin(skin->shortest, bs->type[b]->size(bs, b));
    skin->longest = fmax(skin->longest, bs->type[b]->size(bs, b));
  }
  if (!isfinite(skin->shortest)) skin->shortest = skin->longest = 1; // supports only
  return OK;
}

void skin_set_free(SkinSet *skin) {
  void *owned[] = {skin->node,      skin->body,      skin->prev,    skin->next,       skin->face,
                   skin->skin_node, skin->corner,    skin->flat,    skin->face_end,   skin->arc,
                   skin->loop,      skin->first,     skin->edge_in, skin->first_edge, skin->cell,
                   skin->length,    skin->first_node};
  for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++) mem_free(owned[k]);
  *skin = (SkinSet){0};
}
