// contact/pair_type.h -- the table of pairs, who meets whom, and what its rows share; not for other
// rooms.
//
// To add a pair: a file with its functions and its row, a line in PairKind (slot.h) and in
// pair_types.
#ifndef CONTACT_PAIR_TYPE_H
#define CONTACT_PAIR_TYPE_H

#include "contact/find.h"

typedef struct BodyPair BodyPair; // near.h

// Where slots are looked for.
typedef struct {
  const ContactModel *cm;
  const BodySet *bs;
  const double *x; // positions of all nodes
  double reach;    // what is nearer is listed; in space: of this pair of bodies         [m]
  // In space:
  const double *margin;   // [n_bodies] what each may move until the next search       [m]
  const uint8_t *renewed; // [n_bodies] 1: its slots are looked for anew, else kept
  const double *box;      // [6 n_bodies] of bodies
  int n_near;             // pairs of bodies that are near each other and looked for anew
  const BodyPair *near;
} PairSearch;

// Contacts at the end of a step, and what they are judged by.
typedef struct {
  const ContactModel *cm;
  const BodySet *bs;
  const ContactState *state;
  const ContactWork *work;
  const double *x, *half; // positions of all nodes, half thicknesses
  const double *x0;       // positions where the step begins; NULL: nothing needs them
  PenetrationLimits limits;
  const double *r; // [contacts * dim] impulses of the step [N s]
  double h;        // of the step [s]
  double *gap;     // [contacts] NULL: not wanted
  Penetration *worst;
  // 1: the contact at hand closes by a spring of its law, as it should: told, not judged
  int yields;
} Measure;

typedef struct {
  const char *name;
  int stands_for;  // 1: it stands for slots of other pairs, and is looked at before these
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
extern const PairType pair_point_edge, pair_joint, pair_node_face, pair_edge_edge, pair_node_tool,
    pair_bead, pair_disk_disk, pair_disk_edge, pair_face_face, pair_side_tool;
extern const PairType *const pair_types[N_PAIR_KINDS];

// contact_penetration.c: a gap that was measured at contact c, and a depth between the bodies of a
// slot.
void measure_gap(const Measure *of, int c, double gap);
void measure_depth(const Measure *of, const SlotInfo *slot, int at_node, double depth);
void contact_node_measure(const Measure *of, int64_t k); // of the node of a slot in the plane
// contact_search.c
// Points of rules that name them, or the nodes of rules by overlap.
Status contact_point_search(const PairSearch *search, PairKind pair, ContactWork *work,
                            Err *err) MUST_CHECK;
void contact_point_measure(const Measure *of, int c);
// contact_point.c: geometry of the slot of a point and an edge: where the point lies along its
// face, the gap in a frame that is kept while it hardly turns. And: did the point, inside and not
// yet in contact, come in elsewhere?
void contact_point_geometry(const ContactStep *step, int64_t k, int may_keep);
int contact_came_in_elsewhere(const ContactStep *step, int64_t k);
// contact_joint.c: what a node of PAIR_JOINT is in this step.
JointRole contact_joint_role(const ContactWork *work, int64_t k);
// Turns the frame of a contact to an edge from a to b; the place of p along it, and what leads
// there from a.
double contact_turn_to_edge(Contact *contact, const double a[2], const double b[2],
                            const double p[2], double from[2]);
// May a body of the contact deform much within a step, so that its geometry is taken anew at each
// iterate?
static inline int contact_is_iterated(const BodySet *bs, const Contact *contact) {
  return bs->type[contact->side[0].body]->iterated || bs->type[contact->side[1].body]->iterated;
}

// contact_pairs.c: the slots from `first` on in the order of their keys: few, or nearly so already.
void contact_sort_slots(ContactWork *work, int64_t first);
void contact_order_slots(ContactWork *work, int64_t first); // the same of many in any order
// The first slot from first[pair] on whose candidate is this feature of a body, or what follows it.
int64_t contact_first_slot(const ContactWork *work, int pair, int body, int feature);
// In space the feature of a node: of a sheet against itself there are two, one for either side.
static inline int contact_side_of_node(const BodySet *bs, int body, int node, int under) {
  return 2 * (node - bs->node_ptr[body]) + under;
}

// contact_pairs.c: the slots of `work` for the positions state->x_search, reach and margins of the
// state; in space those of bodies that are not `renewed` [n_bodies] as they are.
Status contact_search(const ContactModel *cm, const BodySet *bs, const uint8_t *renewed,
                      const ContactState *state, ContactWork *work, Err *err) MUST_CHECK;
// New slots of a pair, from `first` on, are ordered, and those of bodies that are not renewed put
// between them.
Status contact_add_kept(const PairSearch *pairs, PairKind pair, ContactWork *work, int64_t first,
                        Err *err) MUST_CHECK;
// Is a slot of the search before kept?
static inline int contact_is_kept(const PairSearch *pairs, const SlotInfo *slot) {
  return !pairs->renewed[slot->body_c] && !pairs->renewed[slot->body_a];
}
// Moves what the state knows of the old slots to the new ones, by key.
Status contact_carry_over(const ContactModel *cm, ContactState *state, const ContactWork *work,
                          Err *err) MUST_CHECK;

// The rule for candidate c against antagonist a, and the rank of c's points in it; -1: none.
int contact_rule_between(const ContactModel *cm, int c, int a, int *rank);

// contact_detect.c: a slot that counts for the first time: the state of its law. And the gap, less
// what a contact had of penetration when it was born.
void contact_born(const ContactModel *cm, ContactState *state, int64_t k, int rule, double gap);
double contact_offset_gap(const ContactStep *step, int64_t k, int rule, double gap);

// Tangents to a new normal n: the old frame turned by the smallest rotation that brings the old
// normal to n; any that fit, in a fixed way, where there is no old one (NULL). In the plane the
// normal is all.
void contact_turn_frame(int dim, const double *old_n, const double *old_t, const double n[3],
                        Contact *contact);

// contact_friction.c: in space, brings the tangents of a contact where its law wants them. Returns
// whether they may turn though the normal does not.
int contact_orient(const ContactStep *step, Contact *contact);

// What is looked ahead by.
static inline const double *contact_ahead(const ContactStep *step) {
  return step->v_ahead ? step->v_ahead : step->bodies->v;
}

// The face at the slot's node that faces an antagonist with normal n most: the cosine of both
// normals is below `limit`, of sheets on either side; -1: none does.
int contact_facing_face(const ContactModel *cm, const BodySet *bs, const double *x,
                        const SlotInfo *slot, const double n[3], double limit);

// contact_self.c
// Is the slot's node `depth` behind this face because the body itself lies between them?
int contact_self_behind(const ContactModel *cm, const BodySet *bs, const SlotInfo *slot, int face,
                        double depth);
// Which side of a fold has the points: the rank of slots of a body against itself, and in joint[2]
// their own and the other side. Sides that have grown together at the bend have points on both.
Status contact_self_sides(const ContactModel *cm, const BodySet *bs, const double *x,
                          ContactWork *work, Err *err) MUST_CHECK;
// Does the valid slot k of a body against itself count? Call in the order of slots.
int contact_self_counts(const ContactStep *step, int64_t k);

// Does a joint of flat faces stand for this slot of a node and a face, or of edges?
static inline int contact_flat_stands(const ContactWork *work, const SlotInfo *slot) {
  return slot->flat > 0 && work->flat[slot->flat - 1].stands;
}
// And has it something to hold?
static inline int contact_flat_meets(const ContactWork *work, const SlotInfo *slot) {
  return contact_flat_stands(work, slot) && work->flat[slot->flat - 1].meets;
}
// Where a face explains a contact as well, crossing edges count once they are, or soon will be,
// inside by this share of the alert distance: no node has then seen it.
static const double FACES_FAILED = 0.02;
// contact_surface.c: a joint of flat faces stands for a node or edges, between faces a and c, and
// has nothing to hold: what the faces have in common is nothing, or less than the bodies are deep
// in one another. Nodes and edges of blocks that share a line are so, and need nothing: 1. 0: of
// convex bodies that are in one another by `depth`, and by more than this `share` of it along every
// face, what would be held by nobody.
int contact_is_left_to_faces(const ContactStep *step, int a, int c, double depth, double share);

// contact_edge.c: geometry of a contact of edges at positions x of its nodes; 0: they run side by
// side now.
int contact_edge_at(const Contact *contact, const double x[12], FaceGeometry *geometry);
// contact_face.c: geometry of a contact of nodes and faces, or of edges, at an iterate; its gap at
// positions x.
void contact_face_update(const ContactStep *step, const double *q1, const double *v1,
                         Contact *contact);
double contact_face_gap(const ContactModel *cm, const double *half, const double *x,
                        const ContactState *state, const Contact *contact);

// Share of the alert distance: what goes no deeper into a tool does not go through it.
static const double THIN_TOOL = 1e-5;
// contact_way.c: how a point comes into a shape on its straight way, at most, `half` of thickness
// about it; through: in by one side and out by one that faces away from it.
typedef struct {
  double depth; // [m], 0: it stays outside
  int through;
  double entry; // where along the way it comes in first [m]
} ToolWay;
ToolWay contact_way(const Shape *shape, const double from[3], const double to[3], double half);
// The same of what is no point: the hit after `at` of its way, as of ShapeType.nearest; 0: more
// than `reach` away. u: where it goes, and faces.
typedef struct ToolPath {
  int (*look)(const struct ToolPath *path, double at, double reach, ShapeHit *hit);
  double u[3], moved; // [m]
  int is_point;
} ToolPath;
ToolWay contact_way_along(const ToolPath *path);
// Keeps the worst: what goes through is worse than what goes in.
void contact_miss(MissedNode *worst, ToolWay way, int node, int tool);

// Half of the thickness that a tool sees at a node of a body by this rule.
double contact_half_seen(const ContactModel *cm, const BodySet *bs, const double *half, int body,
                         int node, int rule);
// How deep the nodes of a body lie in a tool at the start, 0: nowhere.
double contact_depth_in_tool(const ContactModel *cm, const BodySet *bs, int body, const Tool *tool);
// Gap of a slot's node to its tool at positions x; infinity: more than reach away. half:
// BodyState.half or NULL.
double contact_tool_gap(const ContactModel *cm, const BodySet *bs, const double *half,
                        const SlotInfo *slot, const double *x, double reach);

#endif
