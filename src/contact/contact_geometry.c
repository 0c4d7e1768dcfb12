// Points and faces in the plane: where a point lies along a face, and whether the two face each
// other.

#include <math.h>

#include "contact/pair_type.h"

// Edges of a flat face serve while they face the other one within 30 degrees; then its corners take
// over (and before, where they have sunk in: contact_detect.c). Round faces have no corners: 60
// degrees.
static const double FLAT_FACING = 0.5, ROUND_FACING = 0.866;
// A node serves while the antagonist's normal is within its cone widened by 15 degrees.
static const double CONE_SLACK = 0.2588;
enum { MOST_WALKS = 64 };

double contact_walk(const SkinSet *skin, const double *x, const double p[2], int *edge) {
  double along = 0;
  int last = 0;
  for (int k = 0; k < MOST_WALKS; k++) {
    const double *a = x + 2 * (size_t)skin->node[2 * *edge],
                 *b = x + 2 * (size_t)skin->node[2 * *edge + 1];
    double dx = b[0] - a[0], dy = b[1] - a[1];
    along = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy);
    int way = along < 0 ? -1 : (along > 1 ? 1 : 0);
    int to = way < 0 ? skin->prev[*edge] : skin->next[*edge];
    if (way == 0 || way == -last || to < 0 || skin->face[to] != skin->face[*edge]) break;
    *edge = to;
    last = way;
  }
  return along;
}

void contact_point(const SlotInfo *slot, const double *x, double p[2]) {
  for (int i = 0; i < 2; i++)
    p[i] = slot->weight[0] * x[2 * (size_t)slot->node[0] + i] +
           slot->weight[1] * x[2 * (size_t)slot->node[1] + i];
}

int contact_faces(const SkinSet *skin, const double *x, const SlotInfo *slot, const double n[2]) {
  if (slot->place == PLACE_NODE) return node_faces(skin, x, slot->edge_c, n, CONE_SLACK);
  const double *a = x + 2 * (size_t)skin->node[2 * slot->edge_c],
               *b = x + 2 * (size_t)skin->node[2 * slot->edge_c + 1];
  double dx = b[0] - a[0], dy = b[1] - a[1]; // own outward normal is (dy, -dx), not normalised
  double against = dy * n[0] - dx * n[1], across = dy * n[1] + dx * n[0];
  double slack = skin->flat[skin->face[slot->edge_c]] ? FLAT_FACING : ROUND_FACING;
  return against < 0 && across * across <= slack * slack * (dx * dx + dy * dy);
}

static void edge_way(const SkinSet *skin, const double *x, int e, double d[2]) {
  const double *a = x + 2 * (size_t)skin->node[2 * e], *b = x + 2 * (size_t)skin->node[2 * e + 1];
  for (int i = 0; i < 2; i++) d[i] = b[i] - a[i];
}

int contact_end_face(const SkinSet *skin, const double *x, int edge, int end, double n[2]) {
  double d[2], e[2];
  int last = skin->face_end[2 * skin->face[edge] + end];
  if (last < 0) return -1;
  int other = end ? skin->next[last] : skin->prev[last];
  if (other < 0 || other == last) return -1;
  edge_way(skin, x, last, d);
  edge_way(skin, x, other, e);
  double turn = end ? d[0] * e[1] - d[1] * e[0] : e[0] * d[1] - e[1] * d[0];
  if (!(turn > 0)) return -1;
  edge_normal(skin, x, other, n);
  return skin->node[2 * last + end];
}

double contact_other_gap(const SkinSet *skin, const double *x, int edge, const double p[2]) {
  double largest = -(double)INFINITY;
  for (int end = 0; end < 2; end++) {
    double n[2];
    int corner = contact_end_face(skin, x, edge, end, n);
    if (corner < 0) continue;
    const double *c = x + 2 * (size_t)corner;
    largest = fmax(largest, n[0] * (p[0] - c[0]) + n[1] * (p[1] - c[1]));
  }
  return largest;
}
