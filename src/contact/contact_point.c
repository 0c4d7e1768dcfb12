// Points on edges against edges in the plane: their geometry at q~, and which of them stand for a
// joint.

#include <math.h>
#include <string.h>

#include "contact/pair_type.h"

// A kept frame is used again while its normal and place differ by less than this: the gap errs by
// their product with the edge's length.
static const double FRAME_KEPT = 1e-3;
// Corners of faces that differ in direction by more than TILTED may sink into the other body
// between contact points. They count too where they are ahead of these by the share HIDDEN of their
// longer edge, or at all when the faces differ by more than STEEP (10 degrees).
static const double TILTED = 0.01, STEEP = 0.1736, HIDDEN = 0.1;
// Coincident nodes of both sides are one contact when closer than this share of the edge, along it.
// Corners that lap over one another by no more than this share of the shortest edge there pass.
static const double TWIN_DISTANCE = 1e-3;
// A place along an edge is its end to this share of its length: round-off. Faces that differ in
// direction by less [rad] than this are parallel: blocks that stand.
static const double AT_END = 1e-9, PARALLEL = 1e-3;
// Share of its length to which what is behind a face when it is first seen is at it: what stands on
// a ridge is so far behind one side of it. Asks for velocities of 1e-3 m/s in steps of 1e-3 s.
static const double SHALLOW = 1e-6;
enum { SLOTS_FOR_THREADS = 4000 };

// How much do the edges of a slot differ in direction: 0 hardly, 1 by more than TILTED, 2 than
// STEEP.
static uint8_t tilt(const ContactStep *step, const SlotInfo *slot, int edge) {
  double n[2], m[2];
  edge_normal(&step->cm->skin, step->work->x, slot->edge_c, n);
  edge_normal(&step->cm->skin, step->work->x, edge, m);
  double sine = fabs(n[0] * m[1] - n[1] * m[0]);
  return (uint8_t)((sine > TILTED) + (sine > STEEP));
}

// Velocity of the point relative to the edge's middle.
static void relative_velocity(const ContactStep *step, const SlotInfo *slot, int edge,
                              double u[2]) {
  const double *v = contact_ahead(step);
  const int32_t *node = step->cm->skin.node + 2 * edge;
  contact_point(slot, v, u);
  for (int i = 0; i < 2; i++)
    u[i] -= 0.5 * (v[2 * (size_t)node[0] + i] + v[2 * (size_t)node[1] + i]);
}

// Will a point cross the plane of the face within the step, and over the face? Otherwise corners
// that meet at speed would be found inside one another only after the step, and fast bodies beyond
// a thin one.
static int arrives_over(const ContactStep *step, const SlotInfo *slot, int edge, const double n[2],
                        double length, double along, double gap) {
  double u[2];
  if (gap < 0) return 0;
  relative_velocity(step, slot, edge, u);
  double approach = -(u[0] * n[0] + u[1] * n[1]);
  if (gap > step->size.h * approach) return 0;
  double tangential = -u[0] * n[1] + u[1] * n[0]; // along the walk of the edge
  return contact_over(along + tangential * gap / (approach * length));
}

// Do two corners pass one another here: is the point beside the face, over the next one of the
// body, along which it may slide? It faces that one as well, with an edge that is parallel to it,
// and is not behind it, nor will be within the step: a block that slides over a seam does not meet
// the side of what comes next. Tips on ridges, whose faces are not parallel, stand on both.
static int passes_corner(const ContactStep *step, const SlotInfo *slot, int edge, const double p[2],
                         double length) {
  const SkinSet *skin = &step->cm->skin;
  const double *x = step->work->x;
  if (slot->place != PLACE_NODE || !skin->corner[slot->edge_c]) return 0;
  double n[2], u[2], own[2][2];
  double least = fmin(length, edge_normal(skin, x, slot->edge_c, own[0]));
  least = fmin(least, edge_normal(skin, x, skin->next[slot->edge_c], own[1]));
  // Deeper it would be taken for one that came in elsewhere.
  double slack = fmin(TWIN_DISTANCE * least, 0.5 * CONTACT_DEEP * step->cm->alert);
  for (int end = 0; end < 2; end++) {
    int corner = contact_end_face(skin, x, edge, end, n), slides = 0;
    if (corner < 0 || !contact_faces(skin, x, slot, n)) continue;
    for (int k = 0; k < 2; k++)
      slides |= own[k][0] * n[0] + own[k][1] * n[1] < 0 &&
                fabs(own[k][0] * n[1] - own[k][1] * n[0]) <= TILTED;
    if (!slides) continue;
    relative_velocity(step, slot, edge, u);
    double gap = 0, away = u[0] * n[0] + u[1] * n[1];
    for (int i = 0; i < 2; i++) gap += n[i] * (p[i] - x[2 * (size_t)corner + (size_t)i]);
    if (gap + step->size.h * fmin(0, away) >= -slack) return 1;
  }
  return 0;
}

// A point beyond the end of a tilted face does not stand for it where that end, a corner, is over
// one of the point's own edges: the corner does. Held by the extension of the face the point would
// ask for as much turning in one step as the face is tilted.
static int stands_beyond(const ContactStep *step, const SlotInfo *slot, int edge, double along,
                         const double n[2]) {
  const SkinSet *skin = &step->cm->skin;
  const double *x = step->work->x;
  if (slot->place != PLACE_NODE || !skin->corner[slot->edge_c]) return 0;
  if (along >= -AT_END && along <= 1 + AT_END) return 0;
  const double *end = x + 2 * (size_t)skin->node[2 * edge + (along > 1)];
  for (int k = 0; k < 2; k++) {
    int own = k ? skin->next[slot->edge_c] : slot->edge_c;
    const double *a = x + 2 * (size_t)skin->node[2 * own];
    double m[2], reach = edge_normal(skin, x, own, m);
    double over = (m[0] * (end[1] - a[1]) - m[1] * (end[0] - a[0])) / reach;
    int tilted = fabs(m[0] * n[1] - m[1] * n[0]) > PARALLEL;
    if (tilted && m[0] * n[0] + m[1] * n[1] < NODE_FACING && over > 0 && over < 1) return 1;
  }
  return 0;
}

// A short edge over a long one of this length: joints are measured by it.
static double least_share(const SkinSet *skin, const double *x, const SlotInfo *slot,
                          double length) {
  double n[2];
  return fmin(1, edge_normal(skin, x, slot->edge_c, n) / length);
}

// A frame that has hardly turned is kept, so that rows of W are kept too.
void contact_point_geometry(const ContactStep *step, int64_t k, int may_keep) {
  const SlotInfo *slot = &step->work->slot[k];
  SlotGeometry *geometry = &step->work->geometry[k];
  const SkinSet *skin = &step->cm->skin;
  const double *x = step->work->x;
  ContactState *state = step->state;
  double p[2], n[2], *kept = state->normal + 2 * k;
  int edge = state->edge[k];
  contact_point(slot, x, p);
  double along = contact_walk(skin, x, p, &edge);
  double length = edge_normal(skin, x, edge, n);
  geometry->edge = edge;
  double slack = slot->pair == PAIR_JOINT ? least_share(skin, x, slot, length) : 1;
  int keep = may_keep && (state->flag[k] & FLAG_KEPT) && edge == state->edge[k] &&
             fabs(along - state->along[k]) <= FRAME_KEPT * slack &&
             fabs(n[0] * kept[1] - n[1] * kept[0]) <= FRAME_KEPT &&
             n[0] * kept[0] + n[1] * kept[1] > 0;
  geometry->dirty = !keep;
  state->edge[k] = edge;
  if (!keep) {
    kept[0] = n[0];
    kept[1] = n[1];
    state->along[k] = along;
    state->flag[k] |= FLAG_KEPT;
  }
  const double *a = x + 2 * (size_t)skin->node[2 * edge],
               *b = x + 2 * (size_t)skin->node[2 * edge + 1];
  double s = state->along[k];
  geometry->gap =
      kept[0] * (p[0] - a[0] - s * (b[0] - a[0])) + kept[1] * (p[1] - a[1] - s * (b[1] - a[1]));
  int arrives = arrives_over(step, slot, edge, n, length, along, geometry->gap);
  geometry->near = geometry->gap <= step->cm->alert || (step->work->fast && arrives);
  geometry->valid = (contact_over(along) || arrives) && contact_faces(skin, x, slot, n) &&
                    !(geometry->near && (passes_corner(step, slot, edge, p, length) ||
                                         stands_beyond(step, slot, edge, along, n)));
}

// Along the face only: a mortar joint that is pressed together has its nodes apart across it.
static int twin_near(const SkinSet *skin, const double *x, const ContactWork *work,
                     const SlotInfo *slot) {
  if (slot->twin < 0 || !work->geometry[slot->twin].valid) return 0;
  const double *a = x + 2 * (size_t)slot->node[0],
               *b = x + 2 * (size_t)work->slot[slot->twin].node[0];
  double n[2], length = edge_normal(skin, x, slot->edge_a, n);
  double along = n[0] * (b[1] - a[1]) - n[1] * (b[0] - a[0]);
  return fabs(along) <= TWIN_DISTANCE * length;
}

// Does this slot count? Points at nodes unless their twin does; else the lowest rank of the joint.
static int counts(const ContactStep *step, int64_t k) {
  const ContactWork *work = step->work;
  const SlotInfo *slot = &work->slot[k];
  if (!work->geometry[k].valid || !work->geometry[k].near) return 0;
  if (slot->twins) return slot->rank == 0 || !twin_near(&step->cm->skin, work->x, work, slot);
  return 1; // beaten slots are not valid
}

// Part of the joint that the point stands for. Of the two edges at a node those count that face the
// antagonist (normal n): the end of a joint has half an edge, not the side of the block as well.
static double tributary_area(const ContactModel *cm, const BodySet *bs, const SlotInfo *slot,
                             const double *x, const double n[2]) {
  if (slot->place == PLACE_NODE)
    return contact_node_share(cm, bs, x, slot->body_c, slot->node[0], n);
  double own[2], length = edge_normal(&cm->skin, bs->x, slot->edge_c, own);
  if (slot->place == PLACE_GAUSS_1 || slot->place == PLACE_GAUSS_2) length *= 0.5;
  double r = slot->weight[0] * bs->x[2 * (size_t)slot->node[0]] +
             slot->weight[1] * bs->x[2 * (size_t)slot->node[1]];
  return length * contact_depth(cm, bs, r);
}

static int make(const ContactStep *step, int64_t k, Contact *contact) {
  const ContactModel *cm = step->cm;
  const ContactWork *work = step->work;
  ContactState *state = step->state;
  const SlotInfo *slot = &work->slot[k];
  int edge = work->geometry[k].edge;
  double s = state->along[k];
  const double *n = state->normal + 2 * k;
  // Field by field: to clear the whole first shows in the time of a step.
  contact->slot = (int32_t)k;
  Site *own = &contact->side[0], *other = &contact->side[1];
  own->body = slot->body_c;
  other->body = slot->body_a;
  own->n = other->n = 2;
  for (int i = 0; i < 2; i++) {
    own->node[i] = slot->node[i];
    other->node[i] = cm->skin.node[2 * edge + i];
    own->weight[i] = slot->weight[i];
  }
  other->weight[0] = s - 1;
  other->weight[1] = -s;
  contact->n[0] = n[0];
  contact->n[1] = contact->t[0] = n[1];
  contact->t[1] = -n[0];
  contact->n[2] = contact->t[2] = contact->s[0] = contact->s[1] = contact->s[2] = 0;
  contact->gap = contact_offset_gap(step, k, slot->rule, work->geometry[k].gap);
  contact->area = tributary_area(cm, step->bs, slot, work->x, n);
  contact->rule = (int16_t)slot->rule;
  return work->geometry[k].dirty;
}

// Does a point of a lower rank stand for a joint of this slot already?
static int beaten(const ContactWork *work, const SlotInfo *slot) {
  for (int i = 0; i < 2; i++)
    if (slot->joint[i] >= 0 && work->joint_best[slot->joint[i]] < slot->rank) return 1;
  return 0;
}

// Are the faces of a joint of this corner tilted, so that it may hide in the other body?
static int may_hide(const ContactWork *work, const SlotInfo *slot) {
  for (int i = 0; i < 2; i++)
    if (slot->joint[i] >= 0 && work->joint_tilt[slot->joint[i]]) return 1;
  return 0;
}

// A corner beside points that stand for its joint counts all the same once it is ahead of them by
// too much; then it goes on counting while it faces the other body.
static int ahead_of_joint(const ContactStep *step, const SlotInfo *slot, int64_t k) {
  const ContactWork *work = step->work;
  const SkinSet *skin = &step->cm->skin;
  double n[2], before = edge_normal(skin, work->x, slot->edge_c, n);
  double lead = HIDDEN * fmax(before, edge_normal(skin, work->x, skin->next[slot->edge_c], n));
  for (int i = 0; i < 2; i++) {
    int joint = slot->joint[i];
    if (joint < 0 || work->joint_best[joint] >= slot->rank) continue;
    double allowed = work->joint_tilt[joint] > 1 ? 0 : lead;
    if (work->geometry[k].gap >= work->joint_gap[joint] - allowed) return 0;
  }
  return 1;
}

// How long ago was a plane crossed that lies `depth` behind, at this velocity along its outward
// normal?
static double time_inside(double depth, double speed) {
  return speed < 0 ? depth / -speed : (double)INFINITY;
}

// A point that is behind a face when it is first seen came in through the face that it crossed
// last, of those it faces, or is beside the body: what slides out from under a corner was never
// before the side of it. Where it is deeper than it can have moved it has passed the body by, on
// its other side.
int contact_came_in_elsewhere(const ContactStep *step, int64_t k) {
  const SlotInfo *slot = &step->work->slot[k];
  const SkinSet *skin = &step->cm->skin;
  const SlotGeometry *geometry = &step->work->geometry[k];
  const double *x = step->work->x;
  double p[2], u[2], n[2];
  int deep = geometry->gap < -CONTACT_DEEP * step->cm->alert;
  double length = edge_normal(skin, x, geometry->edge, n);
  if (geometry->gap >= -SHALLOW * length) return 0;
  relative_velocity(step, slot, geometry->edge, u);
  contact_point(slot, x, p);
  double moved = 2 * step->size.h * fmax(0, -(u[0] * n[0] + u[1] * n[1]));
  if (geometry->gap < -step->cm->alert - moved) return 1;
  double own = time_inside(-geometry->gap, u[0] * n[0] + u[1] * n[1]);
  for (int end = 0; end < 2; end++) {
    int corner = contact_end_face(skin, x, geometry->edge, end, n);
    if (corner < 0) continue;
    double gap = n[0] * (p[0] - x[2 * (size_t)corner]) + n[1] * (p[1] - x[2 * (size_t)corner + 1]);
    if (gap > 0 && corner == skin->node[2 * geometry->edge + end])
      return 1; // it is beside the body
    if (!contact_faces(skin, x, slot, n)) continue;
    double other = time_inside(-gap, u[0] * n[0] + u[1] * n[1]);
    if (gap >= (deep ? -CONTACT_DEEP * step->cm->alert : -SHALLOW * length))
      return 1; // rests there
    if (other < own || (other == own && gap > geometry->gap)) return 1;
  }
  return 0;
}

// Geometry of the slots of one rank, those of lower ranks first: most points of the other side and
// most corners are then never looked at.
static void evaluate_rank(const ContactStep *step, int rank) {
  ContactWork *work = step->work;
#pragma omp parallel for schedule(static) if (work->first[PAIR_POINT_EDGE + 1] > SLOTS_FOR_THREADS)
  for (int64_t k = 0; k < work->first[PAIR_POINT_EDGE + 1]; k++) {
    const SlotInfo *slot = &work->slot[k];
    SlotGeometry *geometry = &work->geometry[k];
    if (slot->rank != rank) continue;
    int lost = beaten(work, slot);
    geometry->valid = 0;
    if (lost && (rank < 2 || !may_hide(work, slot))) continue;
    contact_point_geometry(step, k, 1);
    if (geometry->valid && !(step->state->flag[k] & FLAG_ACTIVE))
      geometry->valid =
          (int8_t)(lost ? ahead_of_joint(step, slot, k) : !contact_came_in_elsewhere(step, k));
  }
  for (int64_t k = 0; k < work->first[PAIR_POINT_EDGE + 1] && rank < 2; k++) {
    const SlotInfo *slot = &work->slot[k];
    if (slot->rank != rank || slot->joint[0] < 0) continue;
    if (!work->geometry[k].valid || !work->geometry[k].near) continue;
    uint8_t *best = &work->joint_best[slot->joint[0]];
    double *gap = &work->joint_gap[slot->joint[0]];
    *gap = fmin(rank < *best ? (double)INFINITY : *gap, work->geometry[k].gap);
    if (rank < *best) *best = (uint8_t)rank;
    uint8_t *most = &work->joint_tilt[slot->joint[0]],
            own = tilt(step, slot, work->geometry[k].edge);
    if (own > *most) *most = own;
  }
}

static void detect(const ContactStep *step) {
  const ContactWork *work = step->work;
  if (work->n_joints > 0 && step->bs->dim == 2) {
    memset(work->joint_best, 3, (size_t)work->n_joints);
    memset(work->joint_tilt, 0, (size_t)work->n_joints);
  }
  for (int rank = 0; rank <= 2 && step->bs->dim == 2; rank++) evaluate_rank(step, rank);
}

double contact_turn_to_edge(Contact *contact, const double a[2], const double b[2],
                            const double p[2], double from[2]) {
  double dx = b[0] - a[0], dy = b[1] - a[1], length = hypot(dx, dy);
  for (int i = 0; i < 2; i++) from[i] = p[i] - a[i];
  contact->n[0] = dy / length;
  contact->n[1] = -dx / length;
  contact->t[0] = contact->n[1];
  contact->t[1] = -contact->n[0];
  return (from[0] * dx + from[1] * dy) / (length * length);
}

// A point over the edge it was found at, in a body that may deform much within the step.
static void update(const ContactStep *step, const double *q1, const double *v1, Contact *contact) {
  const BodySet *bs = step->bs;
  if (!contact_is_iterated(bs, contact)) return;
  double x[4][2], lead = step->size.h * (1 - step->size.theta), u[2];
  const Site *own = &contact->side[0];
  Site *other = &contact->side[1];
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 2; i++) {
      size_t from = 2 * (size_t)contact->side[k / 2].node[k % 2] + i;
      x[k][i] = bs->x[from] + q1[from] + lead * v1[from];
    }
  double from[2], p[2];
  for (int i = 0; i < 2; i++) p[i] = own->weight[0] * x[0][i] + own->weight[1] * x[1][i];
  double along = contact_turn_to_edge(contact, x[2], x[3], p, from);
  other->weight[0] = along - 1;
  other->weight[1] = -along;
  contact_relative_velocity(2, contact, v1, u);
  contact->gap = contact->n[0] * from[0] + contact->n[1] * from[1] - step->size.h * u[0] -
                 step->state->offset[contact->slot];
}

static Status search(const PairSearch *pairs, ContactWork *work, Err *err) {
  return contact_point_search(pairs, PAIR_POINT_EDGE, work, err);
}

const PairType pair_point_edge = {.name = "point and edge",
                                  .keeps_frame = 1,
                                  .search = search,
                                  .detect = detect,
                                  .counts = counts,
                                  .make = make,
                                  .update = update,
                                  .measure = contact_point_measure};
