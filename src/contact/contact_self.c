// In space: one body against itself. What a node must not see of its own skin, and which side of a
// fold has the points. Search and geometry are those of contact_face.c and contact_edge.c.

#include <math.h>
#include <string.h>

#include "contact/pair_type.h"
#include "shape/facet.h"

// Like NEAR_ALERTS, of thicknesses of a sheet: half a turn about its own edge is pi / 2 of them.
// Nor are the next faces but one a contact, as in the plane.
static const double NEAR_THICKNESSES = 2;
// The body lies between a node and a face when the node was behind it at the start, and is now by
// not less than this share of that: nothing is pressed so thin, and no fold comes in so deep
// unseen.
static const double LEFT_OF_THICKNESS = 0.1;
// A node behind a face is seen from it at more than this sine above its plane.
static const double ABOVE_PLANE = 0.1;
// Faces that meet within 60 degrees, as they lie now, are one side of a fold.
static const double ONE_SIDE = 0.5;
// The side of a fold with the smaller coordinate along this direction at the start has the points.
// Along no axis, so that sides of regular bodies are told apart by more than round-off.
static const double AMONG_SIDES[3] = {1, 0.7548776662, 0.5698402910};

// Nodes of the other side count once they will be inside by this share of the alert distance.
static const double INSIDE = 0.02;
// Two nodes are at one place when each is by this weight at the other's nearest point.
static const double AT_NODE = 0.999;

// ---- faces near a node along the skin, once -----------------------------------------------------

typedef struct {
  const FaceSet *faces;
  const double *x;
  double *way;    // [n_nodes] from the start along edges and diagonals, < 0: not reached [m]
  int32_t *queue; // [n_nodes] ring of nodes whose neighbours are to be looked at
  uint8_t *waits; // [n_nodes] is in the queue
  int32_t *found; // [n_nodes] nodes reached
  uint8_t *taken; // [n_faces] listed for this node
  size_t capacity;
} Patches;

static double distance(const double *a, const double *b) {
  double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return sqrt(contact_dot(3, d, d));
}

// Nodes within `near` of the start along the skin, and the others of its faces, into `found`;
// returns how many.
static int spread(Patches *patches, int start, double near, int n_nodes) {
  const FaceSet *faces = patches->faces;
  int n = 0, first = 0, waiting = 1;
  patches->queue[0] = patches->found[n++] = start;
  patches->way[start] = 0;
  while (waiting > 0) {
    int node = patches->queue[first];
    first = (first + 1) % n_nodes;
    waiting--;
    patches->waits[node] = 0;
    for (int j = faces->node_ptr[node]; j < faces->node_ptr[node + 1]; j++) {
      int face = faces->node_face[j];
      for (int k = 0; k < contact_face_corners(faces, face); k++) {
        int to = faces->node[4 * (size_t)face + k];
        double way = patches->way[node] +
                     distance(patches->x + 3 * (size_t)node, patches->x + 3 * (size_t)to);
        if ((way >= near && node != start) || (patches->way[to] >= 0 && patches->way[to] <= way))
          continue;
        if (patches->way[to] < 0) patches->found[n++] = to;
        patches->way[to] = way;
        if (patches->waits[to]) continue;
        patches->waits[to] = 1;
        patches->queue[(first + waiting++) % n_nodes] = to;
      }
    }
  }
  return n;
}

static Status list_patch(Patches *patches, FaceSet *faces, int start, double near, int n_nodes,
                         Err *err) {
  int n = spread(patches, start, near, n_nodes), from = faces->near_ptr[start], at = from;
  for (int i = 0; i < n; i++) {
    int node = patches->found[i];
    patches->way[node] = -1;
    int more = faces->node_ptr[node + 1] - faces->node_ptr[node];
    TRY(mem_grow((void **)&faces->near_face, &patches->capacity, (size_t)(at + more),
                 sizeof *faces->near_face, err));
    for (int j = faces->node_ptr[node]; j < faces->node_ptr[node + 1]; j++) {
      int face = faces->node_face[j];
      if (patches->taken[face]) continue;
      patches->taken[face] = 1;
      faces->near_face[at++] = face;
    }
  }
  for (int k = from; k < at; k++) patches->taken[faces->near_face[k]] = 0;
  faces->near_ptr[start + 1] = at;
  return OK;
}

static Status list_patches(Patches *patches, ContactModel *cm, const BodySet *bs, Err *err) {
  FaceSet *faces = &cm->faces;
  MEM_NEW(faces->near_ptr, bs->n_nodes + 1, err);
  MEM_NEW(patches->way, bs->n_nodes, err);
  MEM_NEW(patches->queue, bs->n_nodes, err);
  MEM_NEW(patches->waits, bs->n_nodes, err);
  MEM_NEW(patches->found, bs->n_nodes, err);
  MEM_NEW(patches->taken, faces->n_faces, err);
  for (int k = 0; k < bs->n_nodes; k++) patches->way[k] = -1;
  for (int b = 0; b < bs->n_bodies; b++) {
    int self = cm->self_of[cm->class_of[b]] >= 0;
    double near =
        fmax(NEAR_ALERTS * cm->alert, NEAR_THICKNESSES * 2 * contact_half_at_start(bs, b));
    for (int k = bs->node_ptr[b]; k < bs->node_ptr[b + 1]; k++) {
      faces->near_ptr[k + 1] = faces->near_ptr[k];
      if (!self || !contact_node_may_touch(bs, b, k - bs->node_ptr[b])) continue;
      TRY(list_patch(patches, faces, k, near, bs->n_nodes, err));
    }
  }
  return OK;
}

Status contact_self_patches(ContactModel *cm, const BodySet *bs, Err *err) {
  int wanted = 0;
  for (int k = 0; k < cm->n_classes; k++) wanted |= cm->self_of[k] >= 0;
  if (!wanted) return OK;
  Patches patches = {.faces = &cm->faces, .x = bs->x};
  Status status = list_patches(&patches, cm, bs, err);
  mem_free(patches.way);
  mem_free(patches.queue);
  mem_free(patches.waits);
  mem_free(patches.found);
  mem_free(patches.taken);
  return status;
}

// ---- what a node must not see -------------------------------------------------------------------

int contact_self_near(const FaceSet *faces, int node, int face) {
  for (int k = faces->near_ptr[node]; k < faces->near_ptr[node + 1]; k++)
    if (faces->near_face[k] == face) return 1;
  return 0;
}

int contact_self_behind(const ContactModel *cm, const BodySet *bs, const SlotInfo *slot, int face,
                        double depth) {
  double corner[12], weight[4], n[3], d[3];
  if (depth <= 0 || contact_is_sheet(bs, slot->body_c)) return 0;
  int corners = contact_face_places(&cm->faces, bs->x, face, corner);
  memcpy(d, bs->x + 3 * (size_t)slot->node[0], sizeof d);
  facet_nearest(corners, corner, d, weight);
  facet_normal(corners, corner, weight, n);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < corners; k++) d[i] -= weight[k] * corner[3 * k + i];
  double was = -contact_dot(3, n, d);
  if (was <= ABOVE_PLANE * sqrt(contact_dot(3, d, d)) || depth < LEFT_OF_THICKNESS * was) return 0;
  return contact_facing_face(cm, bs, bs->x, slot, n, 0) >= 0;
}

// ---- sides of a fold ----------------------------------------------------------------------------

// Is this face at a node of a slot on the side of the fold that its own face is on?
static int on_side(const FaceSet *faces, const double *x, int own, int face) {
  double a[3], b[3];
  contact_face_normal(faces, x, own, a);
  contact_face_normal(faces, x, face, b);
  return contact_dot(3, a, b) > ONE_SIDE;
}

static int is_self(const SlotInfo *slot) {
  return slot->pair == PAIR_NODE_FACE && slot->body_c == slot->body_a && slot->edge_c >= 0;
}

// The faces that slots join, -2; all others -1.
static void mark_faces(const FaceSet *faces, const double *x, const ContactWork *work,
                       int32_t *side) {
  for (int f = 0; f < faces->n_faces; f++) side[f] = -1;
  for (int64_t k = 0; k < work->n_slots; k++) {
    const SlotInfo *slot = &work->slot[k];
    if (!is_self(slot)) continue;
    int node = slot->node[0];
    side[slot->edge_a] = -2;
    for (int j = faces->node_ptr[node]; j < faces->node_ptr[node + 1]; j++)
      if (on_side(faces, x, slot->edge_c, faces->node_face[j])) side[faces->node_face[j]] = -2;
  }
}

// The faces that hang together with this one are its side, `own`; returns their middle at the start
// along AMONG_SIDES.
static double grow_side(const FaceSet *faces, const BodySet *bs, const double *x, int own,
                        int32_t *side, int32_t *stack) {
  double sum = 0;
  int n = 0, size = 0;
  stack[n++] = own;
  side[own] = own;
  while (n > 0) {
    int face = stack[--n], corners = contact_face_corners(faces, face);
    double middle = 0;
    for (int k = 0; k < corners; k++) {
      int node = faces->node[4 * (size_t)face + k];
      middle += contact_dot(3, AMONG_SIDES, bs->x + 3 * (size_t)node) / corners;
      for (int j = faces->node_ptr[node]; j < faces->node_ptr[node + 1]; j++) {
        int other = faces->node_face[j];
        if (side[other] != -2 || !on_side(faces, x, face, other)) continue;
        side[other] = own;
        stack[n++] = other;
      }
    }
    sum += middle;
    size++;
  }
  return sum / size;
}

// side [n_faces] of each face, by its first; place [n_faces] of each side.
static void find_sides(const FaceSet *faces, const BodySet *bs, const double *x, ContactWork *work,
                       int32_t *side, int32_t *stack, double *place) {
  mark_faces(faces, x, work, side);
  for (int f = 0; f < faces->n_faces; f++)
    if (side[f] == -2) place[f] = grow_side(faces, bs, x, f, side, stack);
  for (int64_t k = 0; k < work->n_slots; k++) {
    SlotInfo *slot = &work->slot[k];
    if (!is_self(slot)) continue;
    int own = side[slot->edge_c], other = side[slot->edge_a];
    slot->rank = (int8_t)(own != other && place[own] > place[other]);
    slot->joint[0] = own;
    slot->joint[1] = other;
  }
}

Status contact_self_sides(const ContactModel *cm, const BodySet *bs, const double *x,
                          ContactWork *work, Err *err) {
  const FaceSet *faces = &cm->faces;
  int32_t *side = NULL, *stack = NULL;
  double *place = NULL;
  int wanted = 0;
  for (int64_t k = 0; k < work->n_slots && !wanted; k++) wanted = is_self(&work->slot[k]);
  if (!wanted) return OK;
  side = mem_new((size_t)faces->n_faces, sizeof *side);
  stack = mem_new((size_t)faces->n_faces, sizeof *stack);
  place = mem_new((size_t)faces->n_faces, sizeof *place);
  int full = side && stack && place;
  if (full) find_sides(faces, bs, x, work, side, stack, place);
  mem_free(side);
  mem_free(stack);
  mem_free(place);
  return full ? OK : err_set(err, ERR_SYSTEM, "out of memory: sides of %d faces", faces->n_faces);
}

// ---- each step ----------------------------------------------------------------------------------

// The corner of the face at which the nearest point lies, -1: at none.
static int32_t corner_at(const FaceSet *faces, const FaceGeometry *geometry) {
  for (int k = 0; k < contact_face_corners(faces, geometry->face); k++)
    if (geometry->weight[k] > AT_NODE) return faces->node[4 * (size_t)geometry->face + k];
  return -1;
}

// Is there a contact of the node at the same place on the other side, which comes first?
static int has_twin(const ContactStep *step, int64_t k) {
  const ContactWork *work = step->work;
  const FaceSet *faces = &step->cm->faces;
  const SlotInfo *slot = &work->slot[k];
  int32_t twin = corner_at(faces, &work->face[k]);
  if (twin < 0) return 0;
  int body = slot->body_a, last = contact_side_of_node(step->bs, body, twin, 1);
  int64_t low =
      contact_first_slot(work, PAIR_NODE_FACE, body, contact_side_of_node(step->bs, body, twin, 0));
  for (; low < work->first[PAIR_NODE_FACE + 1]; low++) {
    const SlotInfo *other = &work->slot[low];
    if (other->body_c != body || other->feature_c > last) break;
    if (work->face[low].valid != 1 || other->body_a != slot->body_a ||
        corner_at(faces, &work->face[low]) != slot->node[0])
      continue;
    if (other->rank < slot->rank || (other->rank == slot->rank && twin < slot->node[0])) return 1;
  }
  return 0;
}

// Of the other side those that are about to come through between the points, and that have carried
// since: at its bend a fold is kinked from face to face.
int contact_self_counts(const ContactStep *step, int64_t k) {
  const ContactWork *work = step->work;
  const SlotInfo *slot = &work->slot[k];
  const ContactState *state = step->state;
  if (has_twin(step, k)) return 0;
  if (slot->rank == 0 || slot->joint[0] < 0 || work->joint_best[slot->joint[0]] > 0) return 1;
  if ((state->flag[k] & FLAG_ACTIVE) && state->impulse[3 * k] > 0) return 1;
  return work->face[k].soon < -INSIDE * step->cm->alert;
}
