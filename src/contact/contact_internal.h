// contact/contact_internal.h -- what the files of this room share; not for other rooms.
#ifndef CONTACT_CONTACT_INTERNAL_H
#define CONTACT_CONTACT_INTERNAL_H

#include "contact/contact.h"

// Places of a point on its edge in the plane, part of the key of a slot.
enum { PLACE_MID, PLACE_GAUSS_1, PLACE_GAUSS_2, PLACE_NODE, N_PLACES };

// Slots stand in the order of the rows of pair_types: their keys begin so.
#define EDGE_KEY (INT64_C(1) << 61)
#define TOOL_KEY (INT64_C(1) << 62)
#define BEAD_KEY (TOOL_KEY | EDGE_KEY)

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
  int8_t pair;  // PairKind
  int8_t place; // of a point on its edge
  int8_t rank;  // 0 candidate side, 1 other side, 2 corner that guards a joint
  int8_t twins; // 1: coincident nodes are told apart by `twin` (points at nodes)
  int8_t under; // a sheet against itself: 1: the face is on the back of the node's own elements
} SlotInfo;

// Geometry of a slot in this step.
typedef struct {
  double gap;
  int32_t edge;
  int8_t valid; // over the face and facing it
  int8_t near;  // within the alert distance, or its path of this step ends behind the face
  int8_t dirty; // its frame was taken anew
} SlotGeometry;

// A node near a group of faces in this step; two edges: weights are their places along them.
typedef struct {
  double gap, n[3], weight[4];
  double soon; // the gap as far ahead as contact is foreseen [m]
  int32_t face;
  int32_t valid;
} FaceGeometry;

// A node near a tool in this step.
typedef struct {
  double gap, n[3];
  int32_t feature;
  int32_t valid;
} ToolGeometry;

enum { N_PAIR_KINDS = 5 };

struct ContactWork {
  // per slot
  int dim;
  int64_t n_slots, first[N_PAIR_KINDS + 1]; // those of a pair stand from first[k] to first[k + 1]
  size_t slot_capacity, geometry_capacity, tool_capacity, face_capacity, bead_capacity;
  SlotInfo *slot;
  SlotGeometry *geometry; // of points and edges, by slot
  FaceGeometry *face;     // of nodes and faces, and of edges, by slot
  ToolGeometry *tool;     // of nodes and tools, from their first slot on
  FaceGeometry *bead;     // of beads, from their first slot on
  int n_joints;
  size_t joint_capacity;
  size_t tilted_capacity, gap_capacity;
  double
      *joint_gap; // least gap of the points that stand for it; in space in pairs: now, and soon [m]
  uint8_t *joint_tilt; // 0, 1, 2: how far from parallel its faces are
  uint8_t *joint_best; // lowest rank that is valid in this step
  int64_t searches;
  int fast; // 1: something moves farther in this step than the alert distance

  // per contact
  int n;
  size_t contact_capacity;
  Contact *contact;
  uint8_t *dirty;
  Grip *side; // [2 n]
  LawShift *shift;
  uint8_t *status;
  double *mu, *radius, *s, *a, *b; // arrays of the Problem
  double *u_old;                   // [dim n] relative velocities at the start of the step
  double *diag;                    // [dim * dim * n]
  double *elastic;                 // [2 n] elastic part of diag, see Problem
  int has_blocks;                  // 1: the step has rows of W, and `elastic`
  int32_t *moved;                  // [2 n] and its rigid part
  double *lever;                   // [2 n * dim * modes]
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

  double *x;       // [n_nodes * dim] q~ positions of this step
  double *x_start; // [n_nodes * dim] those of its start, where points that leapt are looked for
};

// ---- the table of pairs: who meets whom ---------------------------------------------------------------
//
// To add one: a file with its functions and its row, a line in PairKind and in pair_types (contact_pairs.c).

typedef enum {
  PAIR_POINT_EDGE, // in the plane
  PAIR_NODE_FACE,  // in space
  PAIR_EDGE_EDGE,
  PAIR_NODE_TOOL,
  PAIR_BEAD
} PairKind;

// Where slots are looked for.
typedef struct {
  const ContactModel *cm;
  const BodySet *bs;
  const double *x; // positions of all nodes
  double reach;    // what is nearer is listed                                           [m]
} PairSearch;

// Contacts at the end of a step, and what they are judged by.
typedef struct {
  const ContactModel *cm;
  const BodySet *bs;
  const ContactState *state;
  const ContactWork *work;
  const double *x, *half; // positions of all nodes, half thicknesses
  PenetrationLimits limits;
  double *gap; // [contacts] NULL: not wanted
  Penetration *worst;
  int yields; // 1: the contact at hand closes by a spring of its law, as it should: told, not judged
} Measure;

typedef struct {
  const char *name;
  int keeps_frame; // 1: the state has its frame from when it is found, also while it does not count
  // Appends its slots to those of `work`, in the order of their keys; room for their geometry.
  Status (*search)(const PairSearch *search, ContactWork *work, Err *err);
  void (*detect)(const ContactStep *step); // the geometry of its slots, and which are valid
  int (*counts)(const ContactStep *step, int64_t k);
  int (*make)(const ContactStep *step, int64_t k, Contact *contact); // 1: its frame is new
  // Geometry at an iterate; NULL: it stays over the step.
  void (*update)(const ContactStep *step, const double *q1, const double *v1, Contact *contact);
  void (*measure)(const Measure *of, int c); // gap and penetration of contact c
} PairType;
extern const PairType pair_point_edge, pair_node_face, pair_edge_edge, pair_node_tool, pair_bead;
extern const PairType *const pair_types[N_PAIR_KINDS];

// contact_penetration.c: a gap that was measured at contact c, and a depth between the bodies of a slot.
void measure_gap(const Measure *of, int c, double gap);
void measure_depth(const Measure *of, const SlotInfo *slot, int at_node, double depth);
// contact_search.c
Status contact_point_search(const PairSearch *search, ContactWork *work, Err *err) MUST_CHECK;
void contact_point_measure(const Measure *of, int c);
// May a body of the contact deform much within a step, so that its geometry is taken anew at each iterate?
static inline int contact_is_iterated(const BodySet *bs, const Contact *contact) {
  return bs->type[contact->side[0].body]->iterated || bs->type[contact->side[1].body]->iterated;
}

// contact_pairs.c: the slots of `work` for the positions state->x_search, points within `reach`.
Status contact_search(const ContactModel *cm, const BodySet *bs, double reach,
                      const ContactState *state, ContactWork *work, Err *err) MUST_CHECK;
// Moves what the state knows of the old slots to the new ones, by key.
Status contact_carry_over(const ContactModel *cm, ContactState *state, const ContactWork *work,
                          Err *err) MUST_CHECK;

// The rule for candidate c against antagonist a, and the rank of c's points in it; -1: none.
int contact_rule_between(const ContactModel *cm, int c, int a, int *rank);

// contact_skin.c
Status skin_set_init(SkinSet *skin, const BodySet *bs, Err *err) MUST_CHECK;
void skin_set_free(SkinSet *skin);

// contact_surface.c: skins in space, and the areas of nodes in plane and space.
Status face_set_init(FaceSet *faces, SkinSet *skin, const BodySet *bs, Err *err) MUST_CHECK;
void face_set_free(FaceSet *faces);
Status contact_node_areas(ContactModel *cm, const BodySet *bs, Err *err) MUST_CHECK;
// An edge or face at a node belongs to a contact of normal n when it faces the antagonist within 60 degrees.
#define NODE_FACING (-0.5)
// The share of the skin at the start that stands for a node in a contact of normal n: of facets that face the
// antagonist at positions x (n [dim]), so that the rim of a contact has a half or a quarter, not the sides of the body.
double contact_node_share(const ContactModel *cm, const BodySet *bs, const double *x, int body,
                          int node, const double *n);
// May this node (number in its body) touch anything? Those of the skin, of a sheet all.
int contact_node_may_touch(const BodySet *bs, int body, int node);
int contact_is_sheet(const BodySet *bs, int body);
static inline int contact_face_corners(const FaceSet *faces, int face) {
  return faces->node[4 * (size_t)face + 3] < 0 ? 3 : 4;
}
// Corners [n * 3] of a face at positions x; returns n.
static inline int contact_face_places(const FaceSet *faces, const double *x, int face,
                                      double corner[12]) {
  int n = contact_face_corners(faces, face);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 3; i++)
      corner[3 * k + i] = x[3 * (size_t)faces->node[4 * (size_t)face + k] + i];
  return n;
}
// Normal in the middle of a face.
void contact_face_normal(const FaceSet *faces, const double *x, int face, double normal[3]);
// The face of the same group beyond the side from node a to node b; -1: the group ends there.
int contact_face_beyond(const FaceSet *faces, int face, int32_t a, int32_t b);
// Depth behind the plane: the thickness, or the ring at radius r.
static inline double contact_depth(const ContactModel *cm, const BodySet *bs, double r) {
  return cm->axial ? 6.28318530717958647692 * r : bs->thickness;
}

// contact_detect.c: a slot that counts for the first time: the state of its law. And the gap, less what a
// contact had of penetration when it was born.
void contact_born(const ContactModel *cm, ContactState *state, int64_t k, int rule, double gap);
double contact_offset_gap(const ContactModel *cm, ContactState *state, int64_t k, int rule,
                          double gap);

// contact_grid.c: boxes in hashed cells. Set cell size and low, then fill; box [n * 2 * dim] low, high.
typedef struct {
  int32_t item, cell[3];
} GridEntry;
typedef struct {
  double cell, low[3];
  uint32_t mask;
  int32_t *start; // [mask + 3]
  GridEntry *entry;
  int n_large;
  int32_t *large; // boxes that cover too many cells, to be met by every point
} ContactGrid;
Status contact_grid_fill(ContactGrid *grid, int dim, int n, const double *box, Err *err) MUST_CHECK;
void contact_grid_free(ContactGrid *grid);
// Entries first .. *last - 1 hold those of the cell of p, among others; returns the first.
int32_t contact_grid_at(const ContactGrid *grid, int dim, const double *p, int32_t cell[3],
                        int32_t *last);
static inline int contact_grid_same(const GridEntry *entry, const int32_t cell[3]) {
  return entry->cell[0] == cell[0] && entry->cell[1] == cell[1] && entry->cell[2] == cell[2];
}

// The face at the slot's node that faces an antagonist with normal n most: the cosine of both normals is below
// `limit`, of sheets on either side; -1: none does.
int contact_facing_face(const ContactModel *cm, const BodySet *bs, const double *x,
                        const SlotInfo *slot, const double n[3], double limit);

// contact_self.c: one body against itself in space. Once: FaceSet.near_face of bodies with a rule for that.
Status contact_self_patches(ContactModel *cm, const BodySet *bs, Err *err) MUST_CHECK;
// Is the face near the node along the skin? Of a body with a rule against itself only.
int contact_self_near(const FaceSet *faces, int node, int face);
// Is the slot's node `depth` behind this face because the body itself lies between them?
int contact_self_behind(const ContactModel *cm, const BodySet *bs, const SlotInfo *slot, int face,
                        double depth);
// Which side of a fold has the points: the rank of slots of a body against itself, and in joint[2] their own
// and the other side. Sides that have grown together at the bend have points on both.
Status contact_self_sides(const ContactModel *cm, const BodySet *bs, const double *x,
                          ContactWork *work, Err *err) MUST_CHECK;
// Does the valid slot k of a body against itself count? Call in the order of slots.
int contact_self_counts(const ContactStep *step, int64_t k);

// contact_overlap.c
double contact_overlap_allowed(const ContactModel *cm);
// Half the thickness of a sheet as it is given, 0: no sheet.
double contact_half_at_start(const BodySet *bs, int body);

// contact_edge.c: geometry of a contact of edges at positions x of its nodes; 0: they run side by side now.
int contact_edge_at(const Contact *contact, const double x[12], FaceGeometry *geometry);
// contact_face.c: geometry of a contact of nodes and faces, or of edges, at an iterate; its gap at positions x.
void contact_face_update(const ContactStep *step, const double *q1, const double *v1,
                         Contact *contact);
double contact_face_gap(const ContactModel *cm, const double *half, const double *x,
                        const ContactState *state, const Contact *contact);

// Tangents to a new normal n: the old frame turned by the smallest rotation that brings the old normal to n;
// any that fit, in a fixed way, where there is no old one (NULL). In the plane the normal is all.
void contact_turn_frame(int dim, const double *old_n, const double *old_t, const double n[3],
                        Contact *contact);

// Half of the thickness that a tool sees at a node of a body by this rule.
double contact_half_seen(const ContactModel *cm, const BodySet *bs, const double *half, int body,
                         int node, int rule);
// How deep the nodes of a body lie in a tool at the start, 0: nowhere.
double contact_depth_in_tool(const ContactModel *cm, const BodySet *bs, int body, const Tool *tool);
// Gap of a slot's node to its tool at positions x; infinity: more than reach away. half: BodyState.half or
// NULL.
double contact_tool_gap(const ContactModel *cm, const BodySet *bs, const double *half,
                        const SlotInfo *slot, const double *x, double reach);

// What is looked ahead by.
static inline const double *contact_ahead(const ContactStep *step) {
  return step->v_ahead ? step->v_ahead : step->bodies->v;
}

#define CONTACT_INLINE static inline __attribute__((always_inline))

// A function of (dim, ...) as two loops of straight code: walls in the plane are hot.
#define CONTACT_BY_DIM(dim, call_2, call_3)                                                        \
  do {                                                                                             \
    if ((dim) == 2)                                                                                \
      call_2;                                                                                      \
    else                                                                                           \
      call_3;                                                                                      \
  } while (0)

CONTACT_INLINE double contact_dot(const int dim, const double *a, const double *b) {
  double sum = a[0] * b[0] + a[1] * b[1];
  return dim == 3 ? sum + a[2] * b[2] : sum;
}

// u = H^T v of one contact in its frame.
CONTACT_INLINE void contact_relative_velocity(const int dim, const Contact *contact,
                                              const double *v, double *u) {
  double x[3] = {0};
  for (int k = 0; k < 2; k++) site_velocity(dim, &contact->side[k], v, x);
  for (int i = 0; i < dim; i++) u[i] = contact_dot(dim, contact->axis[i], x);
}

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
