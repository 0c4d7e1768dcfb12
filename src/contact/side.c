#include "contact/side.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "shape/facet.h"

// ---- what a side is -----------------------------------------------------------------------------

int side_has(const BodySet *bs, int body) {
  const BodyType *type = bs->type[body];
  return !type->support && !type->sheet && !type->by_shape;
}

int side_is_held(const BodySet *bs, int body) {
  return !bs->type[body]->iterated;
}

int side_corners(const ContactModel *cm, const SlotInfo *slot) {
  return slot->place == SIDE_FACE ? contact_face_corners(&cm->faces, slot->edge_c) : 2;
}

void side_at(const ContactModel *cm, const BodySet *bs, const SlotInfo *slot, const ToolPose *pose,
             const double *x, Side *side) {
  const int plane = bs->dim == 2;
  const int32_t *node = slot->place == SIDE_FACE ? cm->faces.node + 4 * (size_t)slot->edge_c
                        : plane                  ? cm->skin.node + 2 * (size_t)slot->edge_c
                                                 : cm->faces.edge_node + 2 * (size_t)slot->edge_c;
  side->n = side_corners(cm, slot);
  memset(side->middle, 0, sizeof side->middle);
  for (int k = 0; k < side->n; k++) {
    side->node[k] = node[k];
    tool_pose_into(pose, bs->dim, x + (size_t)bs->dim * (size_t)node[k], side->x + 3 * k);
    for (int i = 0; i < 3; i++) side->middle[i] += side->x[3 * k + i] / side->n;
  }
  side->size = 0;
  for (int k = 0; k < side->n; k++) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = side->x[3 * k + i] - side->middle[i];
    side->size = fmax(side->size, vec3_length(d));
  }
}

void side_mean(const Side *side, const double *values, const double weight[4], double p[3]) {
  memset(p, 0, 3 * sizeof *p);
  for (int k = 0; k < side->n; k++)
    for (int i = 0; i < 3; i++) p[i] += weight[k] * values[3 * k + i];
}

// Of an edge in space the unit vector along it, and the sum of the normals of its faces.
static void edge_directions(const FaceSet *faces, const double *x, int edge, double along[3],
                            double sum[3]) {
  const int32_t *beside = faces->edge_face + 2 * (size_t)edge;
  const int32_t *node = faces->edge_node + 2 * (size_t)edge;
  double other[3];
  contact_face_normal(faces, x, beside[0], sum);
  contact_face_normal(faces, x, beside[1], other);
  for (int i = 0; i < 3; i++) {
    sum[i] += other[i];
    along[i] = x[3 * (size_t)node[1] + i] - x[3 * (size_t)node[0] + i];
  }
  vec3_normalise(along);
}

void side_faced_by(const ContactModel *cm, int dim, const double *x, const SlotInfo *slot,
                   double own[3]) {
  double along[3];
  memset(own, 0, 3 * sizeof *own);
  if (slot->place == SIDE_FACE)
    contact_face_normal(&cm->faces, x, slot->edge_c, own);
  else if (dim == 3)
    edge_directions(&cm->faces, x, slot->edge_c, along, own);
  else
    edge_normal(&cm->skin, x, slot->edge_c, own);
}

int side_normal(const ContactStep *step, const SlotInfo *slot, double n[3]) {
  static const double AGAINST = 0.05; // cosine
  const double *x = step->work->x;
  double own[3], along[3];
  if (slot->place == SIDE_EDGE && step->bs->dim == 3) {
    edge_directions(&step->cm->faces, x, slot->edge_c, along, own);
    const double share = vec3_dot(along, n);
    for (int i = 0; i < 3; i++) n[i] -= share * along[i];
    const double length = vec3_length(n);
    if (!(vec3_dot(own, n) < 0) || length < AGAINST) return 0;
    for (int i = 0; i < 3; i++) n[i] /= length;
    return 1;
  }
  side_faced_by(step->cm, step->bs->dim, x, slot, own);
  if (vec3_dot(own, n) > -AGAINST) return 0;
  for (int i = 0; i < 3; i++) n[i] = -own[i];
  return 1;
}

// ---- the nearest point --------------------------------------------------------------------------

// The point of the side that is nearest to p - far n, and the gap there.
static int go_to(const Shape *shape, const Side *side, const SidePlace *from, double far,
                 double reach, SidePlace *to) {
  double aim[3];
  for (int i = 0; i < 3; i++) aim[i] = from->p[i] - far * from->hit.n[i];
  facet_nearest(side->n, side->x, aim, to->weight);
  side_mean(side, side->x, to->weight, to->p);
  return shape->type->nearest(shape, to->p, reach, &to->hit);
}

// How far along -n the middle of the tool's curvature is, along the way that the side leaves; where
// it is not curved, how far the gap would be closed, but no farther along the side than `most`.
// 0: the gap falls nowhere; *slope: by how much it falls along the way.
static double way_down(const Shape *shape, const Side *side, const SidePlace *at, double reach,
                       double most, double *slope) {
  // Shares of the size: a step that tells the way, and one that tells the curvature. Below the
  // slope the point is found: what is left of the gap is its square.
  static const double TRY_STEP = 1e-3, PROBE = 1e-4, LEVEL = 1e-10;
  const double step = TRY_STEP * side->size, probe = PROBE * side->size;
  double weight[4], t[3], aim[3], bend = 0;
  ShapeHit hit;
  for (int i = 0; i < 3; i++) aim[i] = at->p[i] - step * at->hit.n[i];
  facet_nearest(side->n, side->x, aim, weight);
  side_mean(side, side->x, weight, t);
  for (int i = 0; i < 3; i++) t[i] -= at->p[i];
  if (!(vec3_length(t) > LEVEL * step)) return 0;
  vec3_normalise(t);
  const double s = *slope = vec3_dot(at->hit.n, t);
  if (!(s < 0)) return 0;
  for (int i = 0; i < 3; i++) aim[i] = at->p[i] + probe * t[i];
  if (!shape->type->nearest(shape, aim, reach, &hit)) return 0;
  for (int i = 0; i < 3; i++) bend += (hit.n[i] - at->hit.n[i]) * t[i] / probe;
  const double longest = most / -s; // of a ball (1 - s^2) / bend is the way to its middle
  if (1 - s * s > LEVEL && bend * longest > 1 - s * s) return (1 - s * s) / bend;
  return at->hit.gap > 0 ? fmin(longest, at->hit.gap / (s * s)) : longest;
}

// A way that ends at an edge of the tool ends before it: on to what lies behind, a flat top. 0: it
// does not.
static int step_over_edge(const Shape *shape, const Side *side, double reach, SidePlace *place) {
  // A slope that is left at an edge alone; shares of the size: a step over it, what is as deep.
  static const double STEEP = -0.1, OVER = 1e-4, AS_DEEP = 1e-12;
  double slope = 0;
  SidePlace next = *place;
  if (way_down(shape, side, place, reach, 2 * side->size, &slope) == 0 || slope > STEEP) return 0;
  if (!go_to(shape, side, place, OVER * side->size / -slope, reach, &next)) return 0;
  if (next.hit.gap > place->hit.gap + AS_DEEP * side->size) return 0;
  *place = next;
  return 1;
}

// Goes down the gap from a corner.
static void go_down(const Shape *shape, const Side *side, double reach, SidePlace *place) {
  enum { MOST_STEPS = 30, MOST_CUTS = 20 };
  // Shares of the size; and of what the slope promises, which a step must fall by (Armijo).
  static const double ENOUGH = 1e-12, ROUND_OFF = 1e-15, KEPT_PROMISE = 0.1;
  for (int k = 0; k < MOST_STEPS; k++) {
    double slope = 0, far = way_down(shape, side, place, reach, 2 * side->size, &slope), moved = 0;
    SidePlace next = *place;
    if (far == 0) return;
    int lower = 0;
    for (int cuts = 0; cuts < MOST_CUTS && !lower; cuts++, far /= 2) {
      double d[3];
      if (!go_to(shape, side, place, far, reach, &next)) continue;
      for (int i = 0; i < 3; i++) d[i] = next.p[i] - place->p[i];
      moved = vec3_length(d);
      lower =
          next.hit.gap <= place->hit.gap + KEPT_PROMISE * slope * moved + ROUND_OFF * side->size;
    }
    if (!lower) return;
    *place = next;
    if (moved <= ENOUGH * side->size) return;
  }
}

int side_nearest(const Shape *shape, const Side *side, int corner, double reach, SidePlace *place) {
  *place = (SidePlace){.weight = {corner == 0, corner == 1, corner == 2, corner == 3}};
  side_mean(side, side->x, place->weight, place->p);
  if (!shape->type->nearest(shape, place->p, reach, &place->hit)) return 0;
  go_down(shape, side, reach, place);
  if (step_over_edge(shape, side, reach, place)) go_down(shape, side, reach, place);
  return 1;
}

// ---- what nodes hold alone ----------------------------------------------------------------------

int side_is_left_to_nodes(const BodySet *bs, int body, const Shape *shape, const Side *side,
                          double near) {
  double mean = 0, least = (double)INFINITY;
  ShapeHit hit;
  if (!bs->type[body]->deforms) return 0;
  for (int k = 0; k < side->n; k++) {
    if (!shape->type->nearest(shape, side->x + 3 * k, (double)INFINITY, &hit)) return 0;
    mean += hit.gap / side->n;
    least = fmin(least, hit.gap);
  }
  if (least > near || !shape->type->nearest(shape, side->middle, (double)INFINITY, &hit)) return 0;
  return !side_is_held(bs, body) || mean - hit.gap <= SIDE_FINE * side->size;
}

int side_rises_little(const Shape *shape, const Side *side, const SidePlace *place) {
  double rise = -place->hit.gap;
  ShapeHit hit;
  for (int k = 0; k < side->n; k++)
    if (shape->type->nearest(shape, side->x + 3 * k, (double)INFINITY, &hit))
      rise += place->weight[k] * hit.gap;
  return rise <= SIDE_FINE * side->size;
}
