// contact/contact.h -- candidates, contacts, frames: what may touch what, and what touches now.
//
// Vocabulary. A *point* is a place on the skin of a body: on an edge (mid-point, Gauss point) or at a
// node. A *face* is a run of skin edges without a corner. A *slot* is a point of one body near a face
// of another: the identity that lives from step to step. A *joint* is a pair of faces. The *contacts*
// of a step are the slots that count: of a joint either the points of its candidate side, or where
// none of those lies over the other face the points of the other side, or the corners of both. So no
// joint is counted twice, and none is missed when blocks slide past each other, tilt or fall.
// Nodes that may touch a rigid tool (body/body.h) have a slot for each such tool, all the time: the
// distance to its shape is asked for every step, less half the thickness of a sheet, which may so
// touch tools on both sides.
//
// Everything is evaluated at q~ = q + h (1 - theta) v. Local frame: normal from the antagonist towards
// the candidate; in the plane the tangent is the normal turned by -90 degrees, in space n, t, s are
// right-handed and turn with the normal, no more, from step to step.

#ifndef CONTACT_CONTACT_H
#define CONTACT_CONTACT_H

#include "body/dynamics.h"
#include "contact/law.h"
#include "solver/problem.h"

typedef enum { POINTS_MID, POINTS_NODES, POINTS_GAUSS } PointRule;

// Which bodies may touch which, how and where. Later rules win where several apply to a pair.
typedef struct {
  uint8_t *candidate, *antagonist; // [n_bodies] 1: member; owned
  const Law *law;                  // borrowed
  PointRule points;
  int between; // 1: the input itself names points between nodes, so what nodes do is told, not judged
  int at_start; // 1: tools see a sheet with the thickness of its start
  int self;     // 1: also each body that is candidate and antagonist against itself
  SrcPos src;
} ContactRule;

// Skin of all bodies in flat arrays.
typedef struct {
  int n_edges;
  int32_t *node;        // [2 n_edges] global nodes, outward normal on the right
  int32_t *body;        // [n_edges]
  int32_t *prev, *next; // [n_edges] along the skin
  int32_t *face;        // [n_edges]
  int n_faces;
  int32_t *face_end;  // [2 n_faces] first and last edge of the face
  uint8_t *flat;      // [n_faces] 1: straight, and bounded by corners
  uint8_t *corner;    // [n_edges] 1: the skin turns sharply at the end of this edge
  double *arc;        // [n_edges] length of the skin from the first edge of its loop      [m]
  double *loop;       // [n_edges] length of the loop; < 0: open                          [m]
  int32_t *first;     // [n_edges] first edge of the loop
  int32_t *edge_in;   // [bodies' n_nodes] edge that ends at the node, -1: none
  int n_nodes;        // skin nodes
  int32_t *skin_node; // [n_nodes] global node
  int32_t *local;     // [bodies' n_nodes] index among the skin nodes of its prototype, -1 inside
  double shortest, longest; // edge lengths of deformable bodies [m]
} SkinSet;

// In space: outward faces of solids, the elements of sheets.
typedef struct {
  int n_faces;
  int32_t *node; // [4 n_faces] global nodes, outward by the right hand; -1: triangle
  int32_t *body; // [n_faces]
  int32_t *node_ptr, *node_face; // [n_nodes + 1] faces at each node
  int32_t *group;                // [n_faces] faces of one body that meet without a sharp edge
  int n_groups;
  int n_edges;        // sharp and convex ones of solids
  int32_t *edge_node; // [2 n_edges]
  int32_t *edge_face; // [2 n_edges] the faces beside it
  int32_t *near_ptr,
      *near_face; // [n_nodes + 1] faces near a node along the skin; NULL: none is against itself
} FaceSet;

// A draw bead: a line on a tool, as points, over which a sheet slides with a force against it that does not
// depend on pressure. Each point is a contact with the element of the sheet that is under it.
typedef struct {
  int sheet, tool, rule; // bodies; place of its rule, which joins no other bodies
  Law law;               // with the force per length
  int n;
  double *place;  // [3 n] on the tool as it was placed; owned                         [m]
  double *length; // [n] of the line that a point stands for; owned                    [m]
  SrcPos src;
} Bead;

typedef struct {
  int n_rules;
  ContactRule *rules;
  int n_beads;
  Bead *beads;       // owned
  int16_t *class_of; // [n_bodies] bodies with equal memberships are one class
  int n_classes;
  int16_t *rule_of; // [n_classes * n_classes] rule for (candidate, antagonist) class, -1: none
  int16_t *self_of; // [n_classes] rule of a body against itself, -1: none
  SkinSet skin;
  FaceSet faces;     // in space; the skin then holds no edges
  double *node_area; // [n_nodes] share of the skin at the start (of sheets: of one side)  [m^2]
  double thickest;   // of all sheets at the start                                      [m]
  double *shortest;  // [n_bodies] shortest edge of the skin, infinity where there is no mesh  [m]
  double alert;      // contacts are set up when closer than this                       [m]
  int axial;         // 1: axisymmetric, areas are those of rings
  int has_pairs;     // 1: there are rules between other bodies than tools
  int n_law_state;   // internal variables stored per slot (largest of the laws)
} ContactModel;

typedef enum { STATUS_OPEN, STATUS_STICK, STATUS_SLIP, STATUS_BROKEN } ContactStatus;

// Slice of the state that belongs to contact: the slots.
typedef struct {
  int dim;
  int64_t n_slots;
  size_t capacity;
  int64_t *key;     // [n_slots] increasing: point, its kind, face
  int32_t *edge;    // antagonist edge last used
  int32_t *flag;    // bits, see contact_internal.h
  double *along;    // kept position on the edge, 0..1
  double *normal;   // [dim n_slots] kept normal
  double *tangent;  // [3 n_slots] kept t in space; NULL in the plane
  double *offset;   // gap offset of a contact born in penetration                        [m]
  double *impulse;  // [dim n_slots] of the last step, kept frame                       [N s]
  double *law;      // [n_slots * n_law_state]
  double *x_search; // [n_nodes * dim] q~ at the last search                              [m]
  double search[2]; // reach of the last search [m], 0: never searched; h of the last step [s]
} ContactState;

// Contacts of the current step: derived from model and state, rebuilt where needed.
enum { MAX_CONTACT_NODES = 5 };
typedef struct {
  int32_t slot;
  int32_t body[2];                  // candidate, antagonist
  int32_t n_nodes, n_own;           // the candidate's nodes stand first
  int32_t node[MAX_CONTACT_NODES];  // global
  double weight[MAX_CONTACT_NODES]; // sum 1 over the candidate's nodes, -1 over the antagonist's
  union {
    struct {
      double n[3], t[3], s[3];
    };
    double axis[3][3]; // the same; in the plane z and s are zero
  };
  double gap; // g~ [m]
  double
      less; // what the sheet is thinner for this tool than at the start of the step, see contact_pinch [m]
  double area;           // [m^2]
  int16_t rule, pinched; // 1: one of two that press a sheet
} Contact;

typedef struct ContactWork ContactWork;

Status contact_model_finish(ContactModel *cm, const BodySet *bs, double alert, Err *err) MUST_CHECK;
void contact_model_free(ContactModel *cm);

// 1: a rule or bead lets the body touch another one, or itself.
int contact_may_touch(const ContactModel *cm, const BodySet *bs, int body);

// Pairs of bodies, and of bodies and tools, that may touch and lie in one another at the start, by more
// than meshes are inexact. Of a sheet half of its thickness on either side counts.
typedef struct {
  int body[2];  // the earlier one first
  double depth; // of the deepest point [m]
} BodyOverlap;
typedef struct {
  int n;
  size_t capacity;
  BodyOverlap *item; // [n] the caller's, also on failure: mem_free
} OverlapList;
Status contact_overlaps(const ContactModel *cm, const BodySet *bs, OverlapList *list,
                        Err *err) MUST_CHECK;

Status contact_state_init(ContactState *state, const ContactModel *cm, const BodySet *bs,
                          Err *err) MUST_CHECK;
void contact_state_free(ContactState *state);
// 1: keys increase, and no edge or face is named that the model does not have.
int contact_state_is_sound(const ContactState *state, const ContactModel *cm);
// Appends the fields of this slice; the first one resizes all of them.
void contact_state_fields(ContactState *state, const ContactModel *cm, const BodySet *bs,
                          FieldList *fields);

Status contact_work_new(ContactWork **work, const ContactModel *cm, const BodySet *bs,
                        Err *err) MUST_CHECK;
void contact_work_free(ContactWork *work);

// One step of contact: what all functions below work on.
typedef struct {
  const ContactModel *cm;
  const BodySet *bs;
  const BodyState *bodies; // at the start of the step
  ContactState *state;
  ContactWork *work;
  StepSize size;
  const double *v_ahead; // [n_nodes * dim] what is looked ahead by; NULL: velocities at the start
  int frozen;            // 1: no joint loses strength in this step
  double tolerance; // of the impulses, over the norm of all; 0: solvers leave them on their cones
  int projected; // 1: statuses are told by elastic steps (solver/deformation.h), and impulses start from them
} ContactStep;

// After the state was read from a checkpoint: makes the slots of `work` again.
Status contact_resume(const ContactModel *cm, const BodySet *bs, const ContactState *state,
                      ContactWork *work, Err *err) MUST_CHECK;

// Searches anew when bodies may have moved too far since the last search, then finds the contacts of
// the step, their frames and gaps.
Status contact_detect(const ContactStep *step, Err *err) MUST_CHECK;
// Does the step, as it was solved, move something so far that detection, which looked ahead by the velocities of
// its start, may have missed what it meets? Then it is to be detected again with these as v_ahead.
int contact_unforeseen(const ContactStep *step, const double *q1, const double *v1);
int contact_count(const ContactWork *work);
const Contact *contact_list(const ContactWork *work);
int64_t contact_searches(const ContactWork *work); // how often slots were made anew

// The place of the candidate's point at X + q (NULL: at X), z zero in the plane; and a vector of the contact's frame
// (impulse, velocity, [dim]) in the axes of the model.
void contact_place(const BodySet *bs, const Contact *contact, const double *q, double place[3]);
void contact_to_global(const Contact *contact, int dim, const double *local, double global[3]);

// Delassus blocks of the contacts: all of them when the set changed, else those whose frame or body
// has turned (turned[n_bodies] from dynamics_update_frames).
Status contact_assemble(const ContactStep *step, const DynamicsMatrices *m, const uint8_t *turned,
                        Err *err) MUST_CHECK;

// Laws, free velocities and warm start: the problem of the step. r [n * dim] is taken from `arena`.
Status contact_problem(const ContactStep *step, const double *v_free, Problem *problem, double **r,
                       Arena *arena, Err *err) MUST_CHECK;
// The same where contact_assemble was not called: a problem without blocks (ptr, col, w are NULL, diag
// holds the compliance of the laws alone). The model's H is in contact_list.
Status contact_laws(const ContactStep *step, const double *v_free, Problem *problem, double **r,
                    Arena *arena, Err *err) MUST_CHECK;

// Geometry of the contacts taken anew at an iterate q1, v1 of the step; which contacts there are stays.
// The gap is made such that gap + h U_N(v) is, for v = v1, the gap at q1 + h (1 - theta) v1. Contacts
// between skins of prototypes keep their geometry (small motion within a step).
void contact_update(const ContactStep *step, const double *q1, const double *v1);

// The node that the iterate q1, v1 puts deepest into a tool that it was outside of and is not in contact
// with, or moves through one; depth 0: none. More than the alert distance says that the step was too long for what was foreseen.
typedef struct {
  double depth; // [m]
  int node;     // global
  int tool;     // body
} MissedNode;
MissedNode contact_missed(const ContactStep *step, const double *q1, const double *v1);

// The place of a sheet where two tools that do not yield leave it the least room against its thickness, so
// that no position of the sheet satisfies both. The sheets are at the start, or as `bodies` has them; tools
// displaced by `moved` [n_nodes * dim], NULL: as placed. Laws with a stiffness yield.
typedef struct {
  int sheet, node; // body, its node; -1: nowhere
  int tool[2];     // bodies
  double room, thickness;
} SheetSqueeze;
SheetSqueeze contact_squeezed(const ContactModel *cm, const BodySet *bs, const BodyState *bodies,
                              const double *moved);

// What presses sheets across their thickness in this step, after contact_detect: pinch [3 * n_nodes] holds for
// nodes that have tools near on both sides the room between these, the stiffness of their laws in series
// [Pa/m] and the largest pressure they bear; stiffness 0: nothing presses, or a tool that yields, or a rigid law.
// Contacts of such nodes begin with the thickness at which both bear the pressure that the sheet had at the end
// of the last step: what it is thicker it will give way in this one. contact_give_way: that at which they bear
// these pressures of the nodes; returns whether that changes anything.
void contact_pinch(const ContactStep *step, double *pinch);
int contact_give_way(const ContactStep *step, const double *pinch, const double *pressure);
// May that ever be? (a sheet, and more than one tool whose law has a stiffness)
int contact_may_pinch(const ContactModel *cm, const BodySet *bs);

// impulse [n_nodes * dim] += H r
void contact_add_impulses(const ContactWork *work, const double *r, double *impulse);

// Relative velocities [n * dim] at the start of the step, as contact_problem found them.
const double *contact_old_velocities(const ContactWork *work);

// Relative velocities u[n * dim] = H^T v of all contacts.
void contact_velocities(const ContactWork *work, const double *v, double *u);

// What contacts gave to the bodies in this step, before it is committed [J]: their work beyond what springs of
// their laws (series compliance, cohesive zones) release. Normal impulses with restitution are left out: they
// give back what they took. < 0: they took.
typedef struct {
  double normal, friction;
} ContactGiven;
ContactGiven contact_given(const ContactStep *step, const double *r, const double *u_new);

// How many joints would lose strength if the step ended so.
int contact_would_lose(const ContactStep *step, const double *r, const double *u_new);

// End of an accepted step: impulses, law states, statuses. u_new are those of the new velocity. Returns how many
// joints lost strength.
int contact_commit(const ContactStep *step, const double *r, const double *u_new);

// Status of contact c after contact_commit.
ContactStatus contact_status(const ContactWork *work, int c);

// What is not tolerated of penetration: a share of the shortest edge of the two bodies, of the thickness of sheets.
typedef struct {
  double edge, thickness;
} PenetrationLimits;

// The depth that is largest beside what is tolerated of it.
typedef struct {
  double depth, limit; // [m]
  int body;            // -1: none
} PenetrationWorst;

// Worst penetration on the geometry X + after->q: at contact points and at skin nodes [m, >= 0], those too that
// came through a face in this step without being in contact with it. gap [n contacts] receives the gap measured
// there; NULL: not wanted.
typedef struct {
  double contacts, nodes;
  int worst_contact; // -1: none
  PenetrationWorst
      judged; // of points, and of nodes where the input does not name points between them,
  PenetrationWorst hidden; // of nodes where it does
} Penetration;
// What a body bears of it [m].
double contact_tolerated(const ContactModel *cm, const BodySet *bs, PenetrationLimits limits,
                         int body);
void contact_penetration(const ContactStep *step, const BodyState *after, PenetrationLimits limits,
                         double *gap, Penetration *worst);

#endif
