// contact/slot.h -- what this room works on: slots, their geometry in this step, contacts and rows
// of W; not for other rooms.
#ifndef CONTACT_SLOT_H
#define CONTACT_SLOT_H

#include "base/space.h"
#include "contact/contact.h"

// Contact is foreseen over this many steps at the present speed: one step would do for a speed that
// stays as it is.
static const double STEPS_AHEAD = 1.5;
// What has not been in contact and is deeper than this share of the shortest edge, and deeper than
// it can have come in a step, stands behind a thin body or tool, not in it.
static const double DEEPEST = 0.5;
// A skin turns at a corner by more than this [rad], in the plane and in space: 30 degrees separates
// a block's corners from the facets of a round body.
static const double CORNER_ANGLE = 0.5236;
// Of a body that does not deform by more than this: a ridge however shallow is one, over
// which edges of others must not sink; less is round-off of corners in one plane.
static const double RIDGE_ANGLE = 1e-3;
// Parts of one skin that are nearer along it than this many alert distances are no contact.
static const double NEAR_ALERTS = 3;

// Places of a point on its edge in the plane, part of the key of a slot.
enum { PLACE_MID, PLACE_GAUSS_1, PLACE_GAUSS_2, PLACE_NODE, N_PLACES };

// Bits of ContactState.flag. The two lowest hold the ContactStatus of the last step.
enum { FLAG_STATUS = 3, FLAG_KEPT = 4, FLAG_ACTIVE = 8, FLAG_SEEN = 16, FLAG_BORN = 32 };

// Who meets whom: rows of pair_types (pair_type.h). Keys begin with it: slots stand in its order.
typedef enum {
  PAIR_POINT_EDGE, // in the plane
  PAIR_JOINT,      // in the plane: nodes of both sides where two faces overlap
  PAIR_NODE_FACE,  // in space
  PAIR_EDGE_EDGE,
  PAIR_NODE_TOOL,
  PAIR_BEAD,
  PAIR_DISK_DISK, // in the plane
  PAIR_DISK_EDGE,
  PAIR_FACE_FACE, // in space: corners of the overlap of flat faces
  PAIR_SIDE_TOOL, // faces and edges against tools that bulge between their nodes
  N_PAIR_KINDS
} PairKind;

// What a search finds out about a slot; follows from model and x_search.
typedef struct {
  int32_t body_c, body_a;       // candidate, antagonist
  int32_t feature_c, feature_a; // where they meet, see ContactKey; rows say how they count
  int32_t node[2];              // candidate nodes (equal for a node point)
  double weight[2];
  double apart;     // of a node before a face of bodies that do not deform: how far; else 0 [m]
  int32_t edge_c;   // own edge; node points: the edge that ends at the node
  int32_t edge_a;   // nearest antagonist edge at the search
  int32_t joint[2]; // joints the point belongs to, -1: none
  int32_t flat;     // joint of flat faces that stands for it, counted from 1; 0: none
  int32_t twin;     // slot at the coincident node of the other body, -1: none
  int32_t rule;
  int8_t pair;  // PairKind
  int8_t place; // of a point on its edge
  int8_t rank;  // 0 candidate side, 1 other side, 2 corner that guards a joint
  int8_t twins; // 1: coincident nodes are told apart by `twin` (points at nodes)
  int8_t under; // a sheet against itself: 1: the face is on the back of the node's own elements
} SlotInfo;

static inline ContactKey slot_key(const SlotInfo *slot) {
  return (ContactKey){slot->pair, slot->body_c, slot->feature_c, slot->body_a, slot->feature_a};
}
// contact_state.c: < 0, 0, > 0: the order of two keys.
int contact_key_order(const ContactKey *a, const ContactKey *b);

// Geometry of a slot in this step.
typedef struct {
  double gap;
  int32_t edge;
  int8_t valid; // over the face and facing it, or on the way there
  int8_t near;  // within the alert distance, or its path of this step ends behind the face
  int8_t dirty; // its frame was taken anew
} SlotGeometry;

// A node of a joint in this step: what it stands for, and where it takes hold of both bodies.
typedef enum { NODE_ALONE, NODE_POINT, NODE_COVERED } JointRole;
// A site of few nodes: joints in the plane have many points.
enum { JOINT_NODES = 4 };
typedef struct {
  int32_t body, n, node[JOINT_NODES];
  double weight[JOINT_NODES];
} JointSide;
typedef struct {
  double area; // [m^2]
  JointSide side[2];
  uint8_t role;
  uint8_t changed; // since the step before
  uint8_t renewed; // 1: taken anew with others of its joint
} JointPoint;

// A place along a joint, with where it is on both sides: nodes of one side, or of both.
typedef struct {
  int32_t edge, n, node[2];
  double weight[2];
} JointHold;
typedef struct {
  double s;        // along the second side's face, at the start of the run [m]
  int64_t slot[2]; // of the nodes of either side, -1: none
  JointHold hold[2];
  int is_point;
} JointPlace;

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

// A disk near another one, or near an edge.
typedef struct {
  double gap, n[2], along;
  int32_t valid;
} DiskGeometry;

// Two flat faces that face each other; in this step they may stand for all that their nodes and
// edges have to do with each other.
typedef struct {
  int32_t group[2], body[2]; // of candidate, of antagonist
  int32_t first, n;          // its slots in ContactWork.corner
  uint8_t stands;
  uint8_t meets; // 1: they have something in common, and the bodies meet there
  uint8_t made;  // 1: its points are those of the placement that its slots keep
  int8_t fine;   // side with the finer mesh, where one deforms; -1: both are rigid
  int8_t few;    // FEW_NOT, or fewer points than the overlap has (flat.h)
} FlatJoint;

// A point of such a joint in this step: where it takes hold of candidate and antagonist of its
// slot.
typedef struct {
  double area, n[3]; // [m^2], out of the antagonist
  uint8_t live;      // 1: it is a point in this step
  uint8_t changed;   // 1: not what it was in the last one
  Site side[2];
} FlatPoint;

struct ContactWork {
  // per slot
  int dim;
  int64_t n_slots, first[N_PAIR_KINDS + 1]; // those of a pair stand from first[k] to first[k + 1]
  size_t slot_capacity, geometry_capacity, tool_capacity, face_capacity, bead_capacity,
      disk_capacity, bulge_capacity;
  SlotInfo *slot;
  // Those of the search before, some of which are kept in space.
  size_t before_capacity;
  SlotInfo *before;
  int64_t before_first[N_PAIR_KINDS + 1];
  uint8_t *renewed; // [n_bodies] 1: it is looked for anew
  // [n_bodies] How far each has moved since it was looked at, goes in a step [m]; the share of its
  // margin that it has used.
  double *moved_by, *go, *used;
  SlotGeometry *geometry; // of points and edges, and of joints, by slot
  JointPoint *point;      // of joints, from their first slot on
  int n_overlaps;         // joints of PAIR_JOINT: pairs of faces
  size_t overlap_capacity, member_capacity, point_capacity, place_capacity;
  int32_t *overlap_ptr; // [n_overlaps + 1]
  int32_t *member;      // 2 * slot + 1 where the node begins its own face, else ends or is in it
  JointPlace *place;    // of the joint at hand
  FaceGeometry *face;   // of nodes and faces, and of edges, by slot
  ToolGeometry *tool;   // of nodes and tools, from their first slot on
  FaceGeometry *bead;   // of beads, from their first slot on
  DiskGeometry *disk;   // of disks, by slot
  FaceGeometry *bulge;  // of sides and tools, from their first slot on
  int n_flat;
  size_t flat_capacity, corner_capacity;
  FlatJoint *flat; // [n_flat] joints of PAIR_FACE_FACE
  int64_t *corner; // their slots, joint after joint
  size_t flat_point_capacity, piece_capacity, piece_face_capacity, piece_place_capacity,
      x_laid_capacity;
  FlatPoint *flat_point;       // of their slots, from the first on
  struct PiecePoint *piece;    // [n_pieces] of the joint at hand
  double *x_laid;              // [3 n_nodes] its nodes as they are laid [m]
  struct FlatFace *piece_face; // faces of the joint at hand
  int32_t *piece_place;        // finds its points
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
  int has_blocks;                  // 1: the step has W, and `elastic`
  int by_bodies;                   // 1: by moved and lever alone, without rows
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

  double built_h, built_theta; // step for which the rows were made

  double *x;       // [n_nodes * dim] q~ positions of this step
  double *x_start; // [n_nodes * dim] those of its start, where points that leapt are looked for
};

#define CONTACT_INLINE static inline __attribute__((always_inline))

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

#endif
