// contact/contact_internal.h -- what the files of this room share; not for other rooms.
#ifndef CONTACT_CONTACT_INTERNAL_H
#define CONTACT_CONTACT_INTERNAL_H

#include "contact/contact.h"

// Kinds of point, part of the key of a slot.
enum { KIND_MID, KIND_GAUSS_1, KIND_GAUSS_2, KIND_NODE, N_KINDS };

// Bits of ContactState.flag. The two lowest hold the ContactStatus of the last step.
enum { FLAG_STATUS = 3, FLAG_KEPT = 4, FLAG_ACTIVE = 8, FLAG_SEEN = 16, FLAG_BORN = 32 };

// What a search finds out about a slot; follows from model and x_search.
typedef struct {
  int64_t key;
  int32_t body_c, body_a; // candidate, antagonist
  int32_t node[2];        // candidate nodes (equal for a node point)
  double weight[2];
  int32_t edge_c;   // own edge; node points: the edge that ends at the node
  int32_t edge_a;   // nearest antagonist edge at the search
  int32_t joint[2]; // joints the point belongs to, -1: none
  int32_t twin;     // slot at the coincident node of the other body, -1: none
  int32_t rule;
  int8_t kind;
  int8_t rank;  // 0 candidate side, 1 other side, 2 corner that guards a joint
  int8_t twins; // 1: coincident nodes are told apart by `twin` (points at nodes)
} SlotInfo;

// Geometry of a slot in this step.
typedef struct {
  double gap;
  int32_t edge;
  int8_t valid; // over the face and facing it
  int8_t dirty; // its frame was taken anew
} SlotGeometry;

// One side of a contact in the frame of its body.
typedef struct {
  int32_t body, proto; // proto -1: support
  int32_t skin[2];     // skin nodes of the prototype
  double weight[2];
  double g[4]; // Q^T [n t], row-major
} ContactSide;

struct ContactWork {
  // per slot
  int64_t n_slots;
  size_t slot_capacity, geometry_capacity;
  SlotInfo *slot;
  SlotGeometry *geometry;
  int n_joints;
  size_t joint_capacity;
  size_t tilted_capacity, gap_capacity;
  double *joint_gap;   // least gap of the points that stand for it [m]
  uint8_t *joint_tilt; // 0, 1, 2: how far from parallel its faces are
  uint8_t *joint_best; // lowest rank that is valid in this step
  int64_t searches;

  // per contact
  int n;
  size_t contact_capacity;
  Contact *contact;
  uint8_t *dirty;
  ContactSide *side; // [2 n]
  LawShift *shift;
  uint8_t *status;
  double *mu, *radius, *s, *a, *b; // arrays of the Problem
  double *u_old;                   // [2 n] relative velocities at the start of the step
  double *diag;                    // [4 n]
  int set_changed;                 // the contacts are not those of the last step
  size_t previous_capacity;
  int n_previous;
  int32_t *previous; // slots of the last step's contacts

  // rows
  int64_t *ptr;
  size_t block_capacity;
  int32_t *col;
  int64_t *mirror; // position of the transposed block
  double *w;
  int32_t *body_ptr, *body_contact; // [n_bodies + 1], [2 n]
  int32_t *mark;

  double built_h, built_theta; // step for which the rows were made

  double *x; // [n_nodes * dim] q~ positions of this step
};

// contact_search.c: the slots of `work` for the positions state->x_search, points within `reach`.
Status contact_search(const ContactModel *cm, const BodySet *bs, double reach,
                      const ContactState *state, ContactWork *work, Err *err) MUST_CHECK;
// Moves what the state knows of the old slots to the new ones, by key.
Status contact_carry_over(const ContactModel *cm, ContactState *state, const ContactWork *work,
                          Err *err) MUST_CHECK;

// contact_skin.c
Status skin_set_init(SkinSet *skin, const BodySet *bs, Err *err) MUST_CHECK;
void skin_set_free(SkinSet *skin);

// Outward unit normal of edge e at positions x; returns its length.
static inline double edge_normal(const SkinSet *skin, const double *x, int e, double n[2]) {
  const double *a = x + 2 * (size_t)skin->node[2 * e], *b = x + 2 * (size_t)skin->node[2 * e + 1];
  double dx = b[0] - a[0], dy = b[1] - a[1], length = __builtin_sqrt(dx * dx + dy * dy);
  n[0] = dy / length;
  n[1] = -dx / length;
  return length;
}

// Does the node where edge_in ends point against an antagonist with outward normal n? Its normal
// cone, widened by asin(slack), must hold -n.
static inline int node_faces(const SkinSet *skin, const double *x, int edge_in, const double n[2],
                             double slack) {
  double a[2], b[2];
  if (skin->next[edge_in] < 0) return 0;
  edge_normal(skin, x, edge_in, a);
  edge_normal(skin, x, skin->next[edge_in], b);
  double before = -a[0] * n[1] + a[1] * n[0], after = -n[0] * b[1] + n[1] * b[0];
  return before >= -slack && after >= -slack && (a[0] + b[0]) * n[0] + (a[1] + b[1]) * n[1] < 0;
}

// contact_geometry.c

// A point beyond the end of a face still counts within this share of the edge's length, so that coincident
// corners are not lost to round-off or small slip.
static inline int contact_over(double along) {
  return along >= -1e-3 && along <= 1.001;
}

// A point deeper than this share of the alert distance is asked whether another face is nearer.
#define CONTACT_DEEP 0.1

// Position of p along an edge (0..1 inside), walking to neighbours of the same face where p lies beyond an
// end; *edge becomes the edge found.
double contact_walk(const SkinSet *skin, const double *x, const double p[2], int *edge);
void contact_point(const SlotInfo *slot, const double *x, double p[2]);
// Does the point's edge, or the cone of its node, face an antagonist with outward normal n?
int contact_faces(const SkinSet *skin, const double *x, const SlotInfo *slot, const double n[2]);
// The face behind a convex end (0, 1) of this edge's face: its outward normal there, and the node at the
// corner; -1 if there is none.
int contact_end_face(const SkinSet *skin, const double *x, int edge, int end, double n[2]);

// Gap of p to the faces behind the convex ends of this edge's face, the larger one; -infinity without such.
// A point inside belongs to the face with the largest gap: that is the shortest way out.
double contact_other_gap(const SkinSet *skin, const double *x, int edge, const double p[2]);

#endif
