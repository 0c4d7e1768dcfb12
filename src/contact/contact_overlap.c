// Bodies that lie in one another where a run starts. Contact would throw them apart or, where they are
// deeper in each other than the search looks, never see them: the user must be told.

#include <math.h>
#include <stdlib.h>

#include "contact/contact_internal.h"

// Bodies overlap when a point is inside by more than this share of the shortest edge: meshes are not exact.
static const double OVERLAP_SHARE = 1e-3;

typedef struct {
  double low[2], high[2];
  int body, first_edge, n_edges;
} BodyBox;

static int compare_boxes(const void *a, const void *b) {
  const BodyBox *x = a, *y = b;
  if (x->low[0] != y->low[0]) return x->low[0] < y->low[0] ? -1 : 1;
  return x->body - y->body;
}

// Boxes of all bodies in the order of their left sides.
static void make_boxes(const ContactModel *cm, const BodySet *bs, BodyBox *box) {
  const SkinSet *skin = &cm->skin;
  for (int b = 0, e = 0; b < bs->n_bodies; b++) {
    box[b] = (BodyBox){.low = {(double)INFINITY, (double)INFINITY},
                       .high = {-(double)INFINITY, -(double)INFINITY},
                       .body = b,
                       .first_edge = e};
    for (; e < skin->n_edges && skin->body[e] == b; e++)
      for (int i = 0; i < 2; i++) {
        double x = bs->x[2 * (size_t)skin->node[2 * e] + i];
        box[b].low[i] = fmin(box[b].low[i], x);
        box[b].high[i] = fmax(box[b].high[i], x);
      }
    box[b].n_edges = e - box[b].first_edge;
  }
  qsort(box, (size_t)bs->n_bodies, sizeof *box, compare_boxes);
}

// How far p lies inside a body; <= 0: outside.
static double depth_in(const ContactModel *cm, const BodySet *bs, const BodyBox *box,
                       const double p[2]) {
  const SkinSet *skin = &cm->skin;
  double nearest = (double)INFINITY;
  int inside = 0;
  for (int e = box->first_edge; e < box->first_edge + box->n_edges; e++) {
    const double *a = bs->x + 2 * (size_t)skin->node[2 * e],
                 *b = bs->x + 2 * (size_t)skin->node[2 * e + 1];
    double n[2], length = edge_normal(skin, bs->x, e, n), d[2] = {p[0] - a[0], p[1] - a[1]};
    double gap = d[0] * n[0] + d[1] * n[1], along = d[1] * n[0] - d[0] * n[1];
    double beyond = along < 0 ? -along : fmax(along - length, 0);
    nearest = fmin(nearest, hypot(gap, beyond));
    // A ray to the right crosses the skin an odd number of times from inside.
    if ((a[1] > p[1]) != (b[1] > p[1]) &&
        p[0] < a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]))
      inside = !inside;
  }
  return inside ? nearest : 0;
}

// How deep the skin nodes, the middles of the edges and the centre of one body lie in another.
static double deepest(const ContactModel *cm, const BodySet *bs, const BodyBox *own,
                      const BodyBox *other) {
  const SkinSet *skin = &cm->skin;
  double depth = 0, centre[2] = {0};
  for (int e = own->first_edge; e < own->first_edge + own->n_edges; e++) {
    const double *a = bs->x + 2 * (size_t)skin->node[2 * e],
                 *b = bs->x + 2 * (size_t)skin->node[2 * e + 1];
    double middle[2] = {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])};
    depth = fmax(depth, fmax(depth_in(cm, bs, other, a), depth_in(cm, bs, other, middle)));
    for (int i = 0; i < 2; i++) centre[i] += a[i] / own->n_edges;
  }
  return fmax(depth, depth_in(cm, bs, own, centre) > 0 ? depth_in(cm, bs, other, centre) : 0);
}

static int may_touch(const ContactModel *cm, int a, int b) {
  int i = cm->class_of[a], j = cm->class_of[b];
  return cm->rule_of[i * cm->n_classes + j] >= 0 || cm->rule_of[j * cm->n_classes + i] >= 0;
}

Status contact_overlaps(const ContactModel *cm, const BodySet *bs, BodyOverlap **overlap, int *n,
                        Err *err) {
  double allowed = OVERLAP_SHARE * cm->skin.shortest;
  size_t capacity = 0;
  BodyBox *box;
  Status status = OK;
  *overlap = NULL;
  *n = 0;
  if (bs->dim == 3) return OK; // outlines in the plane only
  MEM_NEW(box, bs->n_bodies, err);
  make_boxes(cm, bs, box);
  for (int i = 0; i < bs->n_bodies; i++)
    for (int j = i + 1; j < bs->n_bodies && box[j].low[0] < box[i].high[0] - allowed; j++) {
      const BodyBox *a = &box[i], *b = &box[j];
      int supports = bs->kind[a->body] == BODY_SUPPORT && bs->kind[b->body] == BODY_SUPPORT;
      if (supports || !may_touch(cm, a->body, b->body)) continue;
      if (fmin(a->high[1], b->high[1]) - fmax(a->low[1], b->low[1]) <= allowed) continue;
      double depth = fmax(deepest(cm, bs, a, b), deepest(cm, bs, b, a));
      if (depth <= allowed) continue;
      TRY_GOTO(status, mem_grow((void **)overlap, &capacity, (size_t)*n + 1, sizeof **overlap, err),
               done);
      int first = a->body < b->body;
      (*overlap)[(*n)++] =
          (BodyOverlap){{first ? a->body : b->body, first ? b->body : a->body}, depth};
    }
done:
  mem_free(box);
  return status;
}
