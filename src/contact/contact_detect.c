// Each step: geometry of the slots at q~, which of them count, their frames and gaps.

#include <math.h>
#include <string.h>

#include "contact/contact_internal.h"

// Edges of a flat face serve while they face the other one within 30 degrees; then its corners take
// over. (With 3 degrees the half blocks that end a wall's courses, on one mid-point each, change to a
// corner early and tip the top off; LMGC90, which keeps the mid-points, is met to 0.5 % with this.)
// Round faces have no corners: 60 degrees.
static const double FLAT_FACING = 0.5, ROUND_FACING = 0.866;
// A node serves while the antagonist's normal is within its cone widened by 15 degrees.
static const double CONE_SLACK = 0.2588;
// A point beyond the end of a face still counts within this share of the edge's length, so that
// coincident corners are not lost to round-off or small slip.
static const double END_SLACK = 1e-3;
// A kept frame is used again while its normal and place differ by less than this: the gap errs by
// their product with the edge's length.
static const double FRAME_KEPT = 1e-3;
// Coincident nodes of both sides are one contact when closer than this share of the edge, along it.
static const double TWIN_DISTANCE = 1e-3;
// An edge at a node belongs to the joint when it faces the antagonist within 60 degrees.
static const double NODE_FACING = -0.5;
// Joints closed within this share of the alert distance at the start are bonded.
static const double BONDED_GAP = 1e-2;
enum { MOST_WALKS = 64 };

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

static Status search_if_needed(const ContactModel *cm, const BodySet *bs, const BodyState *bodies,
                               StepSize size, ContactState *state, ContactWork *work, Err *err) {
  double moved, ahead, margin = state->search[0] - cm->alert;
  motion(&cm->skin, work->x, state->x_search, bodies->v, size.h, &moved, &ahead);
  int first = state->search[0] == 0;
  // Two bodies may have moved towards each other, and the next step must still find all.
  if (!first && 2 * (moved + ahead) <= margin) return OK;
  memcpy(state->x_search, work->x, sizeof *work->x * (size_t)bs->n_nodes * bs->dim);
  state->search[0] = cm->alert + fmax(cm->alert, 6 * ahead);
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

// Position of p along edge e (0..1 inside), walking to neighbours of the same face where p lies
// beyond an end.
static double walk(const SkinSet *skin, const double *x, const double p[2], int *edge) {
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

static void point_position(const SlotInfo *slot, const double *x, double p[2]) {
  for (int i = 0; i < 2; i++)
    p[i] = slot->weight[0] * x[2 * (size_t)slot->node[0] + i] +
           slot->weight[1] * x[2 * (size_t)slot->node[1] + i];
}

static int faces(const SkinSet *skin, const double *x, const SlotInfo *slot, const double n[2]) {
  if (slot->kind == KIND_NODE) return node_faces(skin, x, slot->edge_c, n, CONE_SLACK);
  double own[2];
  edge_normal(skin, x, slot->edge_c, own);
  if (own[0] * n[0] + own[1] * n[1] >= 0) return 0;
  double slack = skin->flat[skin->face[slot->edge_c]] ? FLAT_FACING : ROUND_FACING;
  return fabs(own[0] * n[1] - own[1] * n[0]) <= slack;
}

// A node inside a body near one of its corners lies behind both faces there, and belongs to the one it is
// less deep behind: the corner of a block that rests on another is not in contact with that one's side.
static int behind_other_face(const SkinSet *skin, const double *x, const SlotInfo *slot, int edge,
                             const double p[2], double gap) {
  const int beside[2] = {skin->prev[edge], skin->next[edge]};
  if (slot->kind != KIND_NODE || gap >= 0) return 0;
  for (int k = 0; k < 2; k++) {
    double n[2];
    if (beside[k] < 0 || skin->face[beside[k]] == skin->face[edge]) continue;
    edge_normal(skin, x, beside[k], n);
    const double *a = x + 2 * (size_t)skin->node[2 * beside[k]];
    if (n[0] * (p[0] - a[0]) + n[1] * (p[1] - a[1]) <= gap) continue;
    if (node_faces(skin, x, slot->edge_c, n, CONE_SLACK)) return 1;
  }
  return 0;
}

// How fast the point and the edge move against each other.
static double relative_speed(const SkinSet *skin, const double *v, const SlotInfo *slot, int edge) {
  double u[2], p[2];
  point_position(slot, v, p);
  for (int i = 0; i < 2; i++)
    u[i] = p[i] - 0.5 * (v[2 * (size_t)skin->node[2 * edge] + i] +
                         v[2 * (size_t)skin->node[2 * edge + 1] + i]);
  return hypot(u[0], u[1]);
}

// A point met for the first time cannot be deeper than it moved in a step and the alert distance: what
// lies deeper has passed the body by, on its other side.
static int passed_by(const ContactModel *cm, const ContactState *state, int64_t k,
                     const SlotInfo *slot, const double *v, double h, double gap) {
  if (gap >= -cm->alert || state->search[1] == 0 || (state->flag[k] & FLAG_SEEN)) return 0;
  return gap < -(cm->alert + 2 * h * relative_speed(&cm->skin, v, slot, state->edge[k]));
}

// Geometry of one slot. A frame that has hardly turned is kept, so that rows of W are kept too.
static void slot_geometry(const ContactModel *cm, const double *x, const SlotInfo *slot, int64_t k,
                          const double *v, double h, ContactState *state, SlotGeometry *geometry) {
  const SkinSet *skin = &cm->skin;
  double p[2], n[2], *kept = state->normal + 2 * k;
  int edge = state->edge[k];
  point_position(slot, x, p);
  double along = walk(skin, x, p, &edge);
  edge_normal(skin, x, edge, n);
  geometry->edge = edge;
  geometry->valid = along >= -END_SLACK && along <= 1 + END_SLACK && faces(skin, x, slot, n);
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
  if (behind_other_face(skin, x, slot, edge, p, geometry->gap) ||
      passed_by(cm, state, k, slot, v, h, geometry->gap))
    geometry->valid = 0;
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
  for (int i = 0; i < 2; i++)
    if (slot->joint[i] >= 0 && work->joint_best[slot->joint[i]] < slot->rank) return 0;
  return 1;
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

Status contact_detect(const ContactModel *cm, const BodySet *bs, const BodyState *bodies,
                      StepSize size, ContactState *state, ContactWork *work, Arena *arena,
                      Err *err) {
  (void)arena;
  work->set_changed = 0;
  positions(bs, bodies, size.h * (1 - size.theta), work->x);
  TRY(search_if_needed(cm, bs, bodies, size, state, work, err));
  TRY(reserve_contacts(work, err));
  if (work->n_joints > 0) memset(work->joint_best, 3, (size_t)work->n_joints);
#pragma omp parallel for schedule(static) if (work->n_slots > 4000)
  for (int64_t k = 0; k < work->n_slots; k++)
    slot_geometry(cm, work->x, &work->slot[k], k, bodies->v, size.h, state, &work->geometry[k]);
  for (int64_t k = 0; k < work->n_slots; k++) {
    const SlotInfo *slot = &work->slot[k];
    if (slot->rank == 2 || slot->joint[0] < 0 || !work->geometry[k].valid) continue;
    uint8_t *best = &work->joint_best[slot->joint[0]];
    if (slot->rank < *best) *best = (uint8_t)slot->rank;
  }
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

// ---- what the user is told: penetration on the true geometry ----------------------------------------

// Gap of a slot's point to its face on the positions x; 1 if the point lies over the face.
static int true_gap(const SkinSet *skin, const double *x, const SlotInfo *slot, int edge,
                    double *gap) {
  double p[2], n[2];
  point_position(slot, x, p);
  double along = walk(skin, x, p, &edge);
  const double *a = x + 2 * (size_t)skin->node[2 * edge];
  edge_normal(skin, x, edge, n);
  *gap = n[0] * (p[0] - a[0]) + n[1] * (p[1] - a[1]);
  if (behind_other_face(skin, x, slot, edge, p, *gap)) return 0;
  return along >= -END_SLACK && along <= 1 + END_SLACK && faces(skin, x, slot, n);
}

static double node_penetration(const SkinSet *skin, const double *x, const SlotInfo *slot, int edge,
                               int node) {
  double n[2];
  const double p[2] = {x[2 * (size_t)node], x[2 * (size_t)node + 1]};
  double along = walk(skin, x, p, &edge);
  if (along < 0 || along > 1) return 0;
  const double *a = x + 2 * (size_t)skin->node[2 * edge];
  edge_normal(skin, x, edge, n);
  (void)slot;
  return -(n[0] * (p[0] - a[0]) + n[1] * (p[1] - a[1]));
}

void contact_penetration(const ContactModel *cm, const BodySet *bs, const double *q,
                         const ContactState *state, const ContactWork *work, double *gap,
                         Penetration *worst) {
  const SkinSet *skin = &cm->skin;
  double *x = work->x; // q~ of the step is not needed any more
  size_t n = (size_t)bs->n_nodes * bs->dim;
  for (size_t k = 0; k < n; k++) x[k] = bs->x[k] + q[k];
  *worst = (Penetration){.worst_contact = -1};
  for (int c = 0; c < work->n; c++) {
    const SlotInfo *slot = &work->slot[work->contact[c].slot];
    int edge = state->edge[work->contact[c].slot];
    double own;
    int over = true_gap(skin, x, slot, edge, &own);
    if (gap) gap[c] = own;
    if (over && -own > worst->contacts) {
      worst->contacts = -own;
      worst->worst_contact = c;
    }
    // The nodes that a point between them hides.
    for (int i = 0; i < 2; i++)
      worst->nodes = fmax(worst->nodes, node_penetration(skin, x, slot, edge, slot->node[i]));
  }
}
