// Each step: geometry of the slots at q~, which of them count, their frames and gaps.

#include <math.h>
#include <string.h>

#include "contact/contact_internal.h"

// A kept frame is used again while its normal and place differ by less than this: the gap errs by
// their product with the edge's length.
static const double FRAME_KEPT = 1e-3;
// Corners of faces that differ in direction by more than TILTED may have sunk into the other body
// between its contact points; deeper than this share of their edge they count as contacts.
static const double TILTED = 0.01, HIDDEN = 0.05;
// Coincident nodes of both sides are one contact when closer than this share of the edge, along it.
static const double TWIN_DISTANCE = 1e-3;
// An edge at a node belongs to the joint when it faces the antagonist within 60 degrees.
static const double NODE_FACING = -0.5;
// Joints closed within this share of the alert distance at the start are bonded.
static const double BONDED_GAP = 1e-2;
// A search lists what is nearer than the alert distance plus a margin of this many alert distances, or
// of this many steps at the largest velocity: wider margins make more slots, narrower ones more searches.
static const double MARGIN = 4, AHEAD = 6;
enum { SLOTS_FOR_THREADS = 4000 };

static void positions(const BodySet *bs, const BodyState *bodies, double lead, double *x) {
  size_t n = (size_t)bs->n_nodes * bs->dim;
  for (size_t k = 0; k < n; k++) x[k] = bs->x[k] + bodies->q[k] + lead * bodies->v[k];
}

// Largest distance a skin node has moved since the last search, and how far it goes in a step.
static void motion(const SkinSet *skin, const double *x, const double *x_search, const double *v,
                   double h, double *moved, double *ahead) {
  double far = 0, fast = 0;
  for (int k = 0; k < skin->n_nodes; k++) {
    size_t c = 2 * (size_t)skin->skin_node[k];
    double dx = x[c] - x_search[c], dy = x[c + 1] - x_search[c + 1];
    far = fmax(far, dx * dx + dy * dy);
    fast = fmax(fast, v[c] * v[c] + v[c + 1] * v[c + 1]);
  }
  *moved = sqrt(far);
  *ahead = h * sqrt(fast);
}

static Status search_if_needed(const ContactStep *step, Err *err) {
  const ContactModel *cm = step->cm;
  const BodySet *bs = step->bs;
  ContactState *state = step->state;
  ContactWork *work = step->work;
  double moved, ahead, margin = state->search[0] - cm->alert;
  motion(&cm->skin, work->x, state->x_search, step->bodies->v, step->size.h, &moved, &ahead);
  int first = state->search[0] == 0;
  // Two bodies may have moved towards each other, and the next step must still find all.
  if (!first && 2 * (moved + ahead) <= margin) return OK;
  memcpy(state->x_search, work->x, sizeof *work->x * (size_t)bs->n_nodes * bs->dim);
  state->search[0] = cm->alert + fmax(MARGIN * cm->alert, AHEAD * ahead);
  TRY(contact_search(cm, bs, state->search[0], state, work, err));
  work->set_changed = 1;
  work->n_previous = -1;
  return contact_carry_over(cm, state, work, err);
}

Status contact_resume(const ContactModel *cm, const BodySet *bs, const ContactState *state,
                      ContactWork *work, Err *err) {
  if (state->search[0] == 0) return OK;
  TRY(contact_search(cm, bs, state->search[0], state, work, err));
  work->n_previous = -1;
  if (work->n_slots == state->n_slots) return OK;
  return err_set(err, ERR_INPUT, "the checkpoint holds %lld contact slots, its positions give %lld",
                 (long long)state->n_slots, (long long)work->n_slots);
}

// Do the edges of a slot differ in direction by more than a hundredth?
static int tilted(const ContactStep *step, const SlotInfo *slot, int edge) {
  double n[2], m[2];
  edge_normal(&step->cm->skin, step->work->x, slot->edge_c, n);
  edge_normal(&step->cm->skin, step->work->x, edge, m);
  return fabs(n[0] * m[1] - n[1] * m[0]) > TILTED;
}

// Geometry of one slot. A frame that has hardly turned is kept, so that rows of W are kept too.
static void slot_geometry(const ContactModel *cm, const double *x, const SlotInfo *slot, int64_t k,
                          ContactState *state, SlotGeometry *geometry) {
  const SkinSet *skin = &cm->skin;
  double p[2], n[2], *kept = state->normal + 2 * k;
  int edge = state->edge[k];
  contact_point(slot, x, p);
  double along = contact_walk(skin, x, p, &edge);
  edge_normal(skin, x, edge, n);
  geometry->edge = edge;
  geometry->valid = contact_over(along) && contact_faces(skin, x, slot, n);
  int keep = (state->flag[k] & FLAG_KEPT) && edge == state->edge[k] &&
             fabs(along - state->along[k]) <= FRAME_KEPT &&
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
static int counts(const ContactModel *cm, const double *x, const ContactWork *work, int64_t k) {
  const SlotInfo *slot = &work->slot[k];
  if (!work->geometry[k].valid || work->geometry[k].gap > cm->alert) return 0;
  if (slot->twins) return slot->rank == 0 || !twin_near(&cm->skin, x, work, slot);
  return 1; // beaten slots are not valid
}

// Part of the joint that the point stands for. Of the two edges at a node those count that face the
// antagonist (normal n): the end of a joint has half an edge, not the side of the block as well.
static double tributary_area(const SkinSet *skin, const BodySet *bs, const SlotInfo *slot,
                             const double *x, const double n[2]) {
  double own[2], length = edge_normal(skin, bs->x, slot->edge_c, own);
  if (slot->kind == KIND_GAUSS_1 || slot->kind == KIND_GAUSS_2) length *= 0.5;
  if (slot->kind == KIND_NODE) {
    const int edge[2] = {slot->edge_c, skin->next[slot->edge_c]};
    double facing = 0, longest = 0;
    for (int k = 0; k < 2; k++) {
      double half = 0.5 * edge_normal(skin, bs->x, edge[k], own);
      edge_normal(skin, x, edge[k], own);
      if (own[0] * n[0] + own[1] * n[1] < NODE_FACING) facing += half;
      longest = fmax(longest, half);
    }
    length = facing > 0 ? facing : longest;
  }
  return length * bs->thickness;
}

// First meeting of a point and a face: joints that are closed when the run starts are bonded, and a
// contact born in penetration later is not pushed out: its gap counts from there. The offset fades as
// the bodies part.
static double offset_gap(const ContactModel *cm, ContactState *state, int64_t k, int rule,
                         double gap) {
  int first_step = state->search[1] == 0;
  if (!(state->flag[k] & FLAG_BORN)) {
    const LawType *law = cm->rules[rule].law->type;
    int bonded = first_step && gap <= BONDED_GAP * cm->alert;
    if (law->born) law->born(bonded, state->law + k * cm->n_law_state);
    state->flag[k] |= FLAG_BORN;
  }
  if (!(state->flag[k] & FLAG_SEEN)) {
    state->flag[k] |= FLAG_SEEN;
    state->offset[k] = first_step ? 0 : fmin(gap, 0);
  }
  if (gap > state->offset[k]) state->offset[k] = fmin(gap, 0);
  return gap - state->offset[k];
}

static void make_contact(const ContactModel *cm, const BodySet *bs, int64_t k, ContactState *state,
                         const ContactWork *work, Contact *contact) {
  const SlotInfo *slot = &work->slot[k];
  int edge = work->geometry[k].edge;
  double s = state->along[k];
  const double *n = state->normal + 2 * k;
  *contact = (Contact){
      .slot = (int32_t)k,
      .body = {slot->body_c, slot->body_a},
      .node = {slot->node[0], slot->node[1], cm->skin.node[2 * edge], cm->skin.node[2 * edge + 1]},
      .weight = {slot->weight[0], slot->weight[1], s - 1, -s},
      .n = {n[0], n[1]},
      .t = {n[1], -n[0]},
      .gap = offset_gap(cm, state, k, slot->rule, work->geometry[k].gap),
      .area = tributary_area(&cm->skin, bs, slot, work->x, n),
      .rule = (int16_t)slot->rule};
}

static Status reserve_contacts(ContactWork *work, Err *err) {
  size_t wanted = (size_t)work->n_slots, capacity = work->contact_capacity;
  if (wanted <= capacity && work->contact) return OK; // without slots too: there is a spare item
  struct {
    void **block;
    size_t size;
  } arrays[] = {{(void **)&work->contact, sizeof(Contact)},
                {(void **)&work->dirty, 1},
                {(void **)&work->side, 2 * sizeof(ContactSide)},
                {(void **)&work->shift, sizeof(LawShift)},
                {(void **)&work->status, 1},
                {(void **)&work->mu, 8},
                {(void **)&work->radius, 8},
                {(void **)&work->s, 16},
                {(void **)&work->a, 16},
                {(void **)&work->b, 16},
                {(void **)&work->u_old, 16},
                {(void **)&work->diag, 32},
                {(void **)&work->previous, 4},
                {(void **)&work->ptr, 16},
                {(void **)&work->body_contact, 8},
                {(void **)&work->mark, 4}};
  for (size_t a = 0; a < sizeof arrays / sizeof arrays[0]; a++) {
    size_t own = capacity;
    TRY(mem_grow(arrays[a].block, &own, wanted + 1, arrays[a].size, err));
    work->contact_capacity = own - 1;
  }
  return OK;
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
    if (slot->joint[i] >= 0 && work->joint_tilted[slot->joint[i]]) return 1;
  return 0;
}

// A corner beside points that stand for its joint counts all the same once it has sunk in too far;
// then it goes on counting while it faces the other body.
static int sunk_in(const ContactStep *step, const SlotInfo *slot, int64_t k) {
  double n[2], length = edge_normal(&step->cm->skin, step->work->x, slot->edge_c, n);
  return step->work->geometry[k].gap < -HIDDEN * length;
}

// How fast the point and the edge move against each other.
static double relative_speed(const ContactStep *step, const SlotInfo *slot, int edge) {
  const double *v = step->bodies->v;
  const int32_t *node = step->cm->skin.node + 2 * edge;
  double u[2];
  contact_point(slot, v, u);
  for (int i = 0; i < 2; i++)
    u[i] -= 0.5 * (v[2 * (size_t)node[0] + i] + v[2 * (size_t)node[1] + i]);
  return hypot(u[0], u[1]);
}

// A point that is deep when it is first seen came in through another face if that is nearer; and where
// it is deeper than it can have moved it has passed the body by, on its other side.
static int came_in_elsewhere(const ContactStep *step, const SlotInfo *slot, int64_t k) {
  const SlotGeometry *geometry = &step->work->geometry[k];
  double p[2];
  if (geometry->gap >= -CONTACT_DEEP * step->cm->alert) return 0;
  double moved = 2 * step->size.h * relative_speed(step, slot, geometry->edge);
  if (step->state->search[1] > 0 && geometry->gap < -step->cm->alert - moved) return 1;
  contact_point(slot, step->work->x, p);
  return contact_nearer_other_face(&step->cm->skin, step->work->x, geometry->edge, p,
                                   geometry->gap);
}

// Geometry of the slots of one rank, those of lower ranks first: most points of the other side and
// most corners are then never looked at.
static void evaluate_rank(const ContactStep *step, int rank) {
  ContactWork *work = step->work;
#pragma omp parallel for schedule(static) if (work->n_slots > SLOTS_FOR_THREADS)
  for (int64_t k = 0; k < work->n_slots; k++) {
    const SlotInfo *slot = &work->slot[k];
    SlotGeometry *geometry = &work->geometry[k];
    if (slot->rank != rank) continue;
    int lost = beaten(work, slot);
    geometry->valid = 0;
    if (lost && (rank < 2 || !may_hide(work, slot))) continue;
    slot_geometry(step->cm, work->x, slot, k, step->state, geometry);
    if (geometry->valid && !(step->state->flag[k] & FLAG_ACTIVE))
      geometry->valid = (int8_t)(lost ? sunk_in(step, slot, k) : !came_in_elsewhere(step, slot, k));
  }
  for (int64_t k = 0; k < work->n_slots && rank < 2; k++) {
    const SlotInfo *slot = &work->slot[k];
    if (slot->rank != rank || slot->joint[0] < 0 || !work->geometry[k].valid) continue;
    uint8_t *best = &work->joint_best[slot->joint[0]];
    if (rank < *best) *best = (uint8_t)rank;
    if (tilted(step, slot, work->geometry[k].edge)) work->joint_tilted[slot->joint[0]] = 1;
  }
}

Status contact_detect(const ContactStep *step, Err *err) {
  const ContactModel *cm = step->cm;
  const BodySet *bs = step->bs;
  ContactState *state = step->state;
  ContactWork *work = step->work;
  work->set_changed = 0;
  positions(bs, step->bodies, step->size.h * (1 - step->size.theta), work->x);
  TRY(search_if_needed(step, err));
  TRY(reserve_contacts(work, err));
  for (int k = 0; k < work->n_joints; k++) {
    work->joint_best[k] = 3;
    work->joint_tilted[k] = 0;
  }
  for (int rank = 0; rank <= 2; rank++) evaluate_rank(step, rank);
  work->n = 0;
  for (int64_t k = 0; k < work->n_slots; k++) {
    if (!counts(cm, work->x, work, k)) {
      state->flag[k] &= ~(FLAG_SEEN | FLAG_ACTIVE | FLAG_STATUS);
      state->impulse[2 * k] = state->impulse[2 * k + 1] = 0;
      continue;
    }
    int c = work->n++;
    make_contact(cm, bs, k, state, work, &work->contact[c]);
    work->dirty[c] = (uint8_t)work->geometry[k].dirty;
    if (c >= work->n_previous || work->previous[c] != k) work->set_changed = 1;
    work->previous[c] = (int32_t)k;
  }
  if (work->n != work->n_previous) work->set_changed = 1;
  work->n_previous = work->n;
  return OK;
}
