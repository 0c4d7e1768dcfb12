// Joints in the plane: points of contact where a face of one body overlaps a face of another.
//
// The nodes of both sides cut the overlap into pieces on which both sides move linearly. Contact
// points are its two ends and the nodes of the finer side between them. A point takes hold of each
// side through a dual weight: over a stretch of length L between two points, 2 - 3 x/L of the one
// and 3 x/L - 1 of the other, over the length D that it stands for (Wohlmuth, SIAM J. Numer. Anal.
// 38, 2000). So the weights of a point sum to one and have their centre where it is: forces and
// moments balance. Those of all points times D sum to one everywhere: a uniform pressure loads both
// sides as it should, whatever their meshes. No pressure is free to alternate from node to node, as
// it is where both sides have all their nodes as points. On the finer side a point is its node; so
// it is on both where meshes match.
//
// A corner ends every overlap it takes part in, so it is a point as long as it is over the other
// face, however the faces tilt.

#include <assert.h>
#include <math.h>
#include <string.h>

#include "contact/pair_type.h"

// Nodes of both sides are one point when they are closer along the joint than this share of the
// shorter of their edges.
static const double TWIN_DISTANCE = 1e-3;
// Weights below this are round-off of the integrals of others.
static const double NO_WEIGHT = 1e-12;
// Nodes belong to one overlap when they are no farther apart than the longer of the edges at them,
// as these were at the start: bodies stretch.
static const double ONE_STRETCH = 1.5;
enum { SLOTS_FOR_THREADS = 4000 };

static Status search(const PairSearch *pairs, ContactWork *work, Err *err) {
  int64_t first = work->n_slots;
  int most = 0;
  TRY(contact_point_search(pairs, PAIR_JOINT, work, err));
  size_t n = (size_t)(work->n_slots - first);
  TRY(mem_grow((void **)&work->point, &work->point_capacity, n, sizeof *work->point, err));
  if (n > 0) memset(work->point, 0, n * sizeof *work->point);
  for (int j = 0; j < work->n_overlaps; j++) {
    int own = work->overlap_ptr[j + 1] - work->overlap_ptr[j];
    most = own > most ? own : most;
  }
  return mem_grow((void **)&work->place, &work->place_capacity, 3 * (size_t)most,
                  sizeof *work->place, err);
}

static JointPoint *point_of(const ContactWork *work, int64_t k) {
  return &work->point[k - work->first[PAIR_JOINT]];
}

JointRole contact_joint_role(const ContactWork *work, int64_t k) {
  return (JointRole)point_of(work, k)->role;
}

// ---- the places of a joint ----------------------------------------------------------------------

// The edge at a member's node that belongs to this joint, and the other one.
static void own_edges(const SkinSet *skin, const SlotInfo *slot, int begins, int edge[2]) {
  edge[begins] = slot->edge_c;
  edge[1 - begins] = skin->next[slot->edge_c];
}

// Does the node take part in this joint: over the other face, with an edge that faces it, better
// than its other edge does where it is a corner?
static int takes_part(const ContactStep *step, int64_t k, int begins) {
  const SkinSet *skin = &step->cm->skin;
  const SlotInfo *slot = &step->work->slot[k];
  const SlotGeometry *geometry = &step->work->geometry[k];
  double n[2], own[2], other[2], along = step->state->along[k];
  int edge[2];
  if (!geometry->valid) return 0;
  own_edges(skin, slot, begins, edge);
  double length = edge_normal(skin, step->work->x, geometry->edge, n);
  double beside = TWIN_DISTANCE * fmin(length, edge_normal(skin, step->work->x, edge[0], own));
  double facing = own[0] * n[0] + own[1] * n[1];
  if (facing > NODE_FACING) return 0;
  if (along * length < -beside || (along - 1) * length > beside) {
    // It has just left the face, whose corner ends the overlap: not a point by itself.
    JointPoint *point = point_of(step->work, k);
    if (contact_over(along) && point->role == NODE_ALONE) point->role = NODE_COVERED;
    return 0;
  }
  if (!skin->corner[slot->edge_c]) return 1;
  edge_normal(skin, step->work->x, edge[1], other);
  double less = other[0] * n[0] + other[1] * n[1];
  return facing < less || (facing == less && !begins);
}

// Where an edge and a place on it are along their face at the start of the run: from its beginning;
// of a closed face to either side of the origin.
static double along_face(const SkinSet *skin, int edge, double along, double origin) {
  double loop = skin->loop[edge], s = skin->arc[edge] + along * skin->length[edge] - origin;
  if (skin->face_end[2 * skin->face[edge]] < 0) return s - loop * rint(s / loop);
  return skin->arc[edge] < origin ? s + loop : s;
}

static void hold_node(JointHold *hold, int32_t node, int edge) {
  *hold = (JointHold){.edge = edge, .n = 1, .node = {node}, .weight = {1}};
}

static void hold_edge(JointHold *hold, const SkinSet *skin, int edge, double along) {
  *hold = (JointHold){.edge = edge,
                      .n = 2,
                      .node = {skin->node[2 * edge], skin->node[2 * edge + 1]},
                      .weight = {1 - along, along}};
}

// A member as a place: sides are those of the slots of rank 0, of which the second one's face
// measures.
static void make_place(const ContactStep *step, int64_t k, int begins, double origin,
                       JointPlace *place) {
  const SkinSet *skin = &step->cm->skin;
  const SlotInfo *slot = &step->work->slot[k];
  int own[2], edge = step->state->edge[k], side = slot->rank;
  double along = step->state->along[k];
  own_edges(skin, slot, begins, own);
  *place = (JointPlace){.slot = {-1, -1}};
  place->slot[side] = k;
  hold_node(&place->hold[side], slot->node[0], own[0]);
  hold_edge(&place->hold[1 - side], skin, edge, along);
  if (side == 1) {
    edge = own[0];
    along = begins ? 0 : 1;
  }
  place->s = along_face(skin, edge, along, origin);
}

// The arc of the second side's face from which places count.
static double origin_of(const ContactStep *step, int joint) {
  const SkinSet *skin = &step->cm->skin;
  const ContactWork *work = step->work;
  int member = work->member[work->overlap_ptr[joint]], edge[2];
  const SlotInfo *slot = &work->slot[member / 2];
  own_edges(skin, slot, member % 2, edge);
  int on = slot->rank == 1 ? edge[0] : slot->edge_a, begin = skin->face_end[2 * skin->face[on]];
  return begin >= 0 ? skin->arc[begin] : skin->arc[on];
}

// The straight faces of rigid bodies move linearly as a whole: only their ends count.
static int is_idle(const SkinSet *skin, const SlotInfo *slot, int begins) {
  int edge[2];
  own_edges(skin, slot, begins, edge);
  return !isfinite(skin->cell[skin->face[edge[0]]]) && !skin->corner[slot->edge_c];
}

static void sort_in(JointPlace *place, int n, const JointPlace *fresh) {
  for (; n > 0 && place[n - 1].s > fresh->s; n--) place[n] = place[n - 1];
  place[n] = *fresh;
}

static double length_at(const SkinSet *skin, const JointHold *hold) {
  double cell = skin->cell[skin->face[hold->edge]];
  return isfinite(cell) ? skin->length[hold->edge] : cell;
}

// Nodes of both sides at one place become one.
static int merge_twins(const ContactStep *step, JointPlace *place, int n) {
  const SkinSet *skin = &step->cm->skin;
  int kept = 0;
  for (int k = 0; k < n; k++) {
    JointPlace *last = &place[kept - 1];
    int side = place[k].slot[1] >= 0, twin = kept > 0 && last->slot[side] < 0;
    if (twin) {
      double own = length_at(skin, &place[k].hold[side]),
             other = length_at(skin, &last->hold[1 - side]);
      double least = fmin(fmin(own, other), step->cm->skin.shortest);
      twin = place[k].s - last->s <= TWIN_DISTANCE * least;
    }
    if (twin) {
      last->slot[side] = place[k].slot[side];
      last->hold[side] = place[k].hold[side];
    } else {
      place[kept++] = place[k];
    }
  }
  return kept;
}

// All nodes of a joint are taken anew where one is: their places along it are compared. First of
// all joints, for corners are in two.
static void renew_joints(const ContactStep *step) {
  ContactWork *work = step->work;
  for (int j = 0; j < work->n_overlaps; j++) {
    int dirty = 0;
    for (int m = work->overlap_ptr[j]; m < work->overlap_ptr[j + 1]; m++)
      dirty |= work->geometry[work->member[m] / 2].dirty;
    for (int m = work->overlap_ptr[j]; m < work->overlap_ptr[j + 1] && dirty; m++)
      point_of(work, work->member[m] / 2)->renewed = 1;
  }
  for (int64_t k = work->first[PAIR_JOINT]; k < work->first[PAIR_JOINT + 1]; k++) {
    SlotGeometry *geometry = &work->geometry[k];
    int8_t valid = geometry->valid;
    if (!point_of(work, k)->renewed || geometry->dirty) continue;
    contact_point_geometry(step, k, 0);
    geometry->valid = (int8_t)(geometry->valid && valid);
  }
}

// Slots that take part, in the order of their places.
static int collect(const ContactStep *step, int joint) {
  const SkinSet *skin = &step->cm->skin;
  ContactWork *work = step->work;
  double origin = origin_of(step, joint);
  int n = 0;
  for (int m = work->overlap_ptr[joint]; m < work->overlap_ptr[joint + 1]; m++) {
    int64_t k = work->member[m] / 2;
    int begins = work->member[m] % 2;
    JointPlace fresh;
    if (is_idle(skin, &work->slot[k], begins)) {
      work->geometry[k].valid = 0;
      continue;
    }
    if (!takes_part(step, k, begins)) continue;
    make_place(step, k, begins, origin, &fresh);
    sort_in(work->place, n++, &fresh);
  }
  return merge_twins(step, work->place, n);
}

// ---- which of them are points, and their weights ------------------------------------------------

static void side_add_node(JointSide *site, int32_t node, double weight) {
  int k = 0;
  while (k < site->n && site->node[k] != node) k++;
  assert(k < JOINT_NODES); // choose_points sees to it
  if (k == JOINT_NODES) return;
  if (k == site->n) {
    site->node[site->n++] = node;
    site->weight[k] = 0;
  }
  site->weight[k] += weight;
}

static void side_add_hold(JointSide *site, const JointHold *hold, double weight) {
  for (int k = 0; k < hold->n; k++) side_add_node(site, hold->node[k], weight * hold->weight[k]);
}

// A single node stands twice, as points on edges have two: one shape of loops for all of the plane.
static void side_repeat(JointSide *site) {
  site->n = 2;
  site->node[1] = site->node[0];
  site->weight[1] = 0;
}

static void side_finish(JointSide *site, double factor) {
  int n = 0;
  for (int k = 0; k < site->n; k++) {
    double weight = site->weight[k] * factor;
    if (fabs(weight) <= NO_WEIGHT) continue;
    site->node[n] = site->node[k];
    site->weight[n++] = weight;
  }
  site->n = n;
  if (n == 1) side_repeat(site);
}

// The integral over [a, b] of a linear function f and another one g, from their values at the ends.
static double product(double length, double f0, double f1, double g0, double g1) {
  return length / 6 * (2 * f0 * g0 + f0 * g1 + f1 * g0 + 2 * f1 * g1);
}

// What the places from `first` to `last`, points at both ends, add to the point at end 0 or 1.
static void add_stretch(const JointPlace *place, int first, int last, int end, JointSide side[2]) {
  double length = place[last].s - place[first].s;
  const JointPlace *own = &place[end == 0 ? first : last];
  if (last == first + 1) {
    for (int i = 0; i < 2; i++) side_add_hold(&side[i], &own->hold[i], 0.5 * length);
    return;
  }
  for (int k = first; k < last; k++) {
    double x[2], f[2];
    for (int j = 0; j < 2; j++) {
      x[j] = (place[k + j].s - place[first].s) / length;
      f[j] = end == 0 ? 2 - 3 * x[j] : 3 * x[j] - 1;
    }
    double piece = place[k + 1].s - place[k].s;
    for (int i = 0; i < 2; i++) {
      side_add_hold(&side[i], &place[k].hold[i], product(piece, f[0], f[1], 1, 0));
      side_add_hold(&side[i], &place[k + 1].hold[i], product(piece, f[0], f[1], 0, 1));
    }
  }
}

static double radius_at(const BodySet *bs, const JointHold *hold) {
  double r = 0;
  for (int k = 0; k < hold->n; k++) r += hold->weight[k] * bs->x[2 * (size_t)hold->node[k]];
  return r;
}

// The share of a stretch that belongs to its point at place `own`.
static double share_of(const ContactStep *step, const JointPlace *own, const JointPlace *other) {
  double length = fabs(other->s - own->s);
  double r = (2 * radius_at(step->bs, &own->hold[0]) + radius_at(step->bs, &other->hold[0])) / 3;
  return 0.5 * length * contact_depth(step->cm, step->bs, r);
}

// Of twins that which has been in contact, else that of the candidate.
static int chosen_side(const ContactState *state, const JointPlace *place) {
  if (place->slot[0] < 0 || place->slot[1] < 0) return place->slot[1] >= 0;
  int seen[2];
  for (int i = 0; i < 2; i++) seen[i] = (state->flag[place->slot[i]] & FLAG_SEEN) != 0;
  return !seen[0] && seen[1];
}

// The point at place k between the points `before` and `after` of its overlap; -1: it is an end.
static void make_point(const ContactStep *step, const JointPlace *place, int k, int before,
                       int after) {
  int own = chosen_side(step->state, &place[k]);
  int64_t slot = place[k].slot[own];
  JointPoint *point = point_of(step->work, slot);
  const SlotInfo *info = &step->work->slot[slot];
  JointSide side[2] = {{.body = info->body_c}, {.body = info->body_a}};
  double length = 0, area = 0;
  JointSide *by_side[2] = {&side[own], &side[1 - own]}, sum[2] = {{0}, {0}};
  if (before >= 0) {
    add_stretch(place, before, k, 1, sum);
    length += 0.5 * (place[k].s - place[before].s);
    area += share_of(step, &place[k], &place[before]);
  }
  if (after >= 0) {
    add_stretch(place, k, after, 0, sum);
    length += 0.5 * (place[after].s - place[k].s);
    area += share_of(step, &place[k], &place[after]);
  }
  for (int i = 0; i < 2; i++) {
    if (!(length > 0)) side_add_hold(&sum[i], &place[k].hold[i], 1);
    side_finish(&sum[i], length > 0 ? 1 / length : 1);
    int body = by_side[i]->body;
    *by_side[i] = sum[i];
    by_side[i]->body = body;
  }
  for (int j = 0; j < side[1].n; j++) side[1].weight[j] = -side[1].weight[j];
  if (!(length > 0))
    area = contact_node_share(step->cm, step->bs, step->work->x, info->body_c, info->node[0],
                              step->state->normal + 2 * slot);
  point->changed = (uint8_t)(memcmp(point->side, side, sizeof side) != 0);
  memcpy(point->side, side, sizeof side);
  point->area = area;
  point->role = NODE_POINT;
}

// How many places lie between a place and the next point before or behind it.
static int hidden_beside(const JointPlace *place, int k, int way, int first, int last) {
  int n = 0;
  for (k += way; k >= first && k <= last && !place[k].is_point; k += way) n++;
  return n;
}

// Ends, and nodes of the finer side; all where one stretch would hold more than one other node, or
// both stretches at twins one: a mean then takes hold of at most JOINT_NODES nodes. Of rings
// all: shares of the radius are exact between neighbours.
static void choose_points(const ContactStep *step, JointPlace *place, int first, int last) {
  const SkinSet *skin = &step->cm->skin;
  double cell[2];
  for (int i = 0; i < 2; i++) cell[i] = skin->cell[skin->face[place[first].hold[i].edge]];
  int finer = cell[0] <= cell[1] * (1 + TWIN_DISTANCE) ? 0 : 1;
  for (int k = first; k <= last; k++)
    place[k].is_point = k == first || k == last || place[k].slot[finer] >= 0 || step->cm->axial;
  for (int k = first, from = first; k <= last; k++) {
    if (!place[k].is_point) continue;
    if (k - from > 2)
      for (int j = from + 1; j < k; j++) place[j].is_point = 1;
    from = k;
  }
  for (int k = first; k <= last; k++)
    if (place[k].slot[0] >= 0 && place[k].slot[1] >= 0 && place[k].is_point &&
        hidden_beside(place, k, -1, first, last) + hidden_beside(place, k, 1, first, last) > 1)
      place[k - 1].is_point = 1;
}

static void make_points(const ContactStep *step, JointPlace *place, int first, int last) {
  int before = -1;
  choose_points(step, place, first, last);
  for (int k = first; k <= last; k++) {
    int after = k + 1;
    for (int i = 0; i < 2; i++)
      if (place[k].slot[i] >= 0) point_of(step->work, place[k].slot[i])->role = NODE_COVERED;
    if (!place[k].is_point) continue;
    while (after <= last && !place[after].is_point) after++;
    make_point(step, place, k, before, after <= last ? after : -1);
    before = k;
  }
}

// Do two neighbours belong to one overlap, with nothing between them that is not known?
static int go_on(const ContactStep *step, const JointPlace *a, const JointPlace *b) {
  const SkinSet *skin = &step->cm->skin;
  double least = (double)INFINITY;
  for (int i = 0; i < 2; i++)
    least = fmin(least, fmax(length_at(skin, &a->hold[i]), length_at(skin, &b->hold[i])));
  return b->s - a->s <= ONE_STRETCH * least;
}

// The length of the second side's face where it is closed, 0: it has ends.
static double closed_length(const ContactStep *step, int joint) {
  const SkinSet *skin = &step->cm->skin;
  const ContactWork *work = step->work;
  int member = work->member[work->overlap_ptr[joint]], edge[2];
  const SlotInfo *slot = &work->slot[member / 2];
  own_edges(skin, slot, member % 2, edge);
  int on = slot->rank == 1 ? edge[0] : slot->edge_a;
  return skin->face_end[2 * skin->face[on]] < 0 ? fabs(skin->loop[on]) : 0;
}

// Points all round a closed face: `place` holds its n places three times, one turn after the other.
static void make_ring(const ContactStep *step, JointPlace *place, int n) {
  const SkinSet *skin = &step->cm->skin;
  double cell[2];
  for (int i = 0; i < 2; i++) cell[i] = skin->cell[skin->face[place[0].hold[i].edge]];
  int finer = cell[0] <= cell[1] * (1 + TWIN_DISTANCE) ? 0 : 1;
  for (int k = 0; k < 3 * n; k++) place[k].is_point = place[k].slot[finer] >= 0 || step->cm->axial;
  for (int k = 0; k < n; k++) { // no two that follow one another are hidden, nor both beside twins
    const JointPlace *now = &place[k + n];
    int twins = now->slot[0] >= 0 && now->slot[1] >= 0;
    int hidden = (twins || !now->is_point) && !place[k + n + 1].is_point;
    for (int turn = 0; hidden && turn < 3; turn++) place[(k + 1) % n + turn * n].is_point = 1;
  }
  for (int k = n; k < 2 * n; k++) {
    int before = k - 1, after = k + 1;
    for (int i = 0; i < 2; i++)
      if (place[k].slot[i] >= 0) point_of(step->work, place[k].slot[i])->role = NODE_COVERED;
    if (!place[k].is_point) continue;
    while (before > 0 && !place[before].is_point) before--;
    while (after < 3 * n - 1 && !place[after].is_point) after++;
    make_point(step, place, k, before, after);
  }
}

static void evaluate_joint(const ContactStep *step, int joint) {
  JointPlace *place = step->work->place;
  int n = collect(step, joint), start = 0;
  if (n == 0) return;
  double loop = closed_length(step, joint);
  if (loop > 0) { // where does it begin?
    for (int k = 0; k < 2 * n; k++) {
      place[k + n] = place[k];
      place[k + n].s += loop;
    }
    while (start < n && go_on(step, &place[start], &place[start + 1])) start++;
    if (start == n) {
      make_ring(step, place, n);
      return;
    }
    start++;
  }
  for (int first = start, last; first < start + n; first = last + 1) {
    last = first;
    while (last + 1 < start + n && go_on(step, &place[last], &place[last + 1])) last++;
    make_points(step, place, first, last);
  }
}

// ---- the step -----------------------------------------------------------------------------------

// A node that is over the face only later in the step, or whose edges do not face it, is a point by
// itself.
static void stand_alone(const ContactStep *step, int64_t k) {
  const SkinSet *skin = &step->cm->skin;
  const SlotInfo *slot = &step->work->slot[k];
  JointPoint *point = point_of(step->work, k);
  double along = step->state->along[k];
  int edge = step->state->edge[k];
  JointSide side[2] = {
      {.body = slot->body_c, .n = 2, .node = {slot->node[0], slot->node[0]}, .weight = {1, 0}},
      {.body = slot->body_a,
       .n = 2,
       .node = {skin->node[2 * edge], skin->node[2 * edge + 1]},
       .weight = {along - 1, -along}}};
  point->changed = (uint8_t)(memcmp(point->side, side, sizeof side) != 0);
  memcpy(point->side, side, sizeof side);
  point->area = contact_node_share(step->cm, step->bs, step->work->x, slot->body_c, slot->node[0],
                                   step->state->normal + 2 * k);
}

// ---- what points know ---------------------------------------------------------------------------

static int is_point(const ContactStep *step, int64_t k) {
  const SlotGeometry *geometry = &step->work->geometry[k];
  return geometry->valid && geometry->near && point_of(step->work, k)->role != NODE_COVERED;
}

// Of the joint's nodes that were points in the step before (`before`), or are now, the nearest one
// to a place, within an edge of either side; -1: none.
static int64_t nearest_point(const ContactStep *step, int joint, int64_t but, double s,
                             int before) {
  const ContactWork *work = step->work;
  double origin = origin_of(step, joint), nearest = (double)INFINITY;
  int64_t found = -1;
  for (int m = work->overlap_ptr[joint]; m < work->overlap_ptr[joint + 1]; m++) {
    int64_t k = work->member[m] / 2;
    JointPlace place;
    if (k == but || !(before ? step->state->flag[k] & FLAG_SEEN : is_point(step, k))) continue;
    make_place(step, k, work->member[m] % 2, origin, &place);
    double reach = fmax(length_at(&step->cm->skin, &place.hold[0]),
                        length_at(&step->cm->skin, &place.hold[1]));
    if (fabs(place.s - s) > fmin(reach, nearest)) continue;
    nearest = fabs(place.s - s);
    found = k;
  }
  return found;
}

// A point that is new to a joint takes over what its neighbour knows of the law: the mortar at a
// place is as broken as it was. Of the impulse it takes its share of the length that both stand
// for.
static void take_over(const ContactStep *step, int64_t from, int64_t k) {
  const ContactWork *work = step->work;
  ContactState *state = step->state;
  size_t n_law = (size_t)step->cm->n_law_state;
  double area = point_of(work, k)->area,
         other = is_point(step, from) ? point_of(work, from)->area : 0;
  memcpy(state->law + (size_t)k * n_law, state->law + (size_t)from * n_law,
         n_law * sizeof *state->law);
  state->flag[k] |= FLAG_BORN | FLAG_SEEN;
  state->offset[k] = state->offset[from];
  for (int i = 0; i < 2; i++) {
    double whole = state->impulse[2 * from + i];
    state->impulse[2 * k + i] = whole * area / (area + other);
    state->impulse[2 * from + i] = whole - state->impulse[2 * k + i];
  }
}

// What one that is no point any more has carried, its neighbour carries.
static void give_over(const ContactStep *step, int64_t k, int64_t to) {
  double *impulse = step->state->impulse;
  for (int i = 0; i < 2; i++) {
    impulse[2 * to + i] += impulse[2 * k + i];
    impulse[2 * k + i] = 0;
  }
}

// Points come and go as bodies slide; the joint stays what it is.
static void hand_over(const ContactStep *step, int joint) {
  const ContactWork *work = step->work;
  const ContactState *state = step->state;
  for (int leaving = 0; leaving < 2; leaving++)
    for (int m = work->overlap_ptr[joint]; m < work->overlap_ptr[joint + 1]; m++) {
      int64_t k = work->member[m] / 2;
      int seen = (state->flag[k] & FLAG_SEEN) != 0;
      JointPlace own;
      if (seen != leaving || is_point(step, k) == leaving) continue;
      make_place(step, k, work->member[m] % 2, origin_of(step, joint), &own);
      int64_t other = nearest_point(step, joint, k, own.s, !leaving);
      if (other < 0) continue;
      if (leaving)
        give_over(step, k, other);
      else
        take_over(step, other, k);
    }
}

static void detect(const ContactStep *step) {
  ContactWork *work = step->work;
  const int64_t first = work->first[PAIR_JOINT], last = work->first[PAIR_JOINT + 1];
#pragma omp parallel for schedule(static) if (last - first > SLOTS_FOR_THREADS)
  for (int64_t k = first; k < last; k++) {
    SlotGeometry *geometry = &work->geometry[k];
    contact_point_geometry(step, k, 1);
    point_of(work, k)->role = NODE_ALONE;
    point_of(work, k)->renewed = 0;
    if (geometry->valid && !(step->state->flag[k] & FLAG_ACTIVE))
      geometry->valid = (int8_t)!contact_came_in_elsewhere(step, k);
  }
  renew_joints(step);
  for (int j = 0; j < work->n_overlaps; j++) evaluate_joint(step, j);
  for (int64_t k = first; k < last; k++)
    if (is_point(step, k) && point_of(work, k)->role == NODE_ALONE) stand_alone(step, k);
  for (int j = 0; j < work->n_overlaps; j++) hand_over(step, j);
}

static int counts(const ContactStep *step, int64_t k) {
  return is_point(step, k);
}

// What both sides of a contact add up to, of a vector of the nodes.
static void between_sides(const Contact *contact, const double *vector, double sum[2]) {
  sum[0] = sum[1] = 0;
  for (int k = 0; k < 2; k++) site_velocity(2, &contact->side[k], vector, sum);
}

static int make(const ContactStep *step, int64_t k, Contact *contact) {
  const JointPoint *point = point_of(step->work, k);
  const double *n = step->state->normal + 2 * k;
  int rule = step->work->slot[k].rule;
  double apart[2];
  // Field by field: to clear the whole first shows in the time of a step.
  contact->slot = (int32_t)k;
  for (int i = 0; i < 2; i++) {
    const JointSide *from = &point->side[i];
    Site *to = &contact->side[i];
    to->body = from->body;
    to->n = from->n;
    memcpy(to->node, from->node, sizeof from->node);
    memcpy(to->weight, from->weight, sizeof from->weight);
  }
  contact->n[0] = n[0];
  contact->n[1] = contact->t[0] = n[1];
  contact->t[1] = -n[0];
  contact->n[2] = contact->t[2] = contact->s[0] = contact->s[1] = contact->s[2] = 0;
  contact->less = 0;
  contact->area = point->area;
  contact->rule = (int16_t)rule;
  contact->pinched = 0;
  between_sides(contact, step->work->x, apart);
  contact->gap = contact_offset_gap(step, k, rule, contact_dot(2, n, apart));
  return step->work->geometry[k].dirty || point->changed;
}

// Does it take hold of one node, and of the two of an edge?
static int is_plain(const Contact *contact) {
  return contact->side[0].n == 2 && contact->side[0].node[0] == contact->side[0].node[1] &&
         contact->side[1].n == 2;
}

// Of bodies that may deform much within the step: the edge turns, a node goes along it; means over
// both sides stay as they are.
static void update(const ContactStep *step, const double *q1, const double *v1, Contact *contact) {
  const BodySet *bs = step->bs;
  const int32_t *node = step->cm->skin.node + 2 * (size_t)step->state->edge[contact->slot];
  double lead = step->size.h * (1 - step->size.theta), p[2] = {0}, end[2][2], from[2], u[2];
  if (!contact_is_iterated(bs, contact)) return;
  Site *own = &contact->side[0], *other = &contact->side[1];
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < own->n; k++) {
      size_t at = 2 * (size_t)own->node[k] + (size_t)i;
      p[i] += own->weight[k] * (bs->x[at] + q1[at] + lead * v1[at]);
    }
    for (int k = 0; k < 2; k++) {
      size_t at = 2 * (size_t)node[k] + (size_t)i;
      end[k][i] = bs->x[at] + q1[at] + lead * v1[at];
    }
  }
  double along = contact_turn_to_edge(contact, end[0], end[1], p, from);
  if (is_plain(contact)) {
    *other = (Site){
        .body = other->body, .n = 2, .node = {node[0], node[1]}, .weight = {along - 1, -along}};
  } else {
    from[0] = p[0], from[1] = p[1];
    for (int k = 0; k < other->n; k++)
      for (int i = 0; i < 2; i++) {
        size_t at = 2 * (size_t)other->node[k] + (size_t)i;
        from[i] += other->weight[k] * (bs->x[at] + q1[at] + lead * v1[at]);
      }
  }
  contact_relative_velocity(2, contact, v1, u);
  contact->gap =
      contact_dot(2, contact->n, from) - step->size.h * u[0] - step->state->offset[contact->slot];
}

// The gap of a mean over more nodes is that of the mean; its own node may lie deeper.
static void measure(const Measure *of, int c) {
  const Contact *contact = &of->work->contact[c];
  double apart[2];
  if (is_plain(contact)) {
    contact_point_measure(of, c);
    return;
  }
  between_sides(contact, of->x, apart);
  measure_gap(of, c, contact_dot(2, contact->n, apart));
  contact_node_measure(of, contact->slot);
}

const PairType pair_joint = {.name = "joint of two faces",
                             .keeps_frame = 1,
                             .search = search,
                             .detect = detect,
                             .counts = counts,
                             .make = make,
                             .update = update,
                             .measure = measure};
