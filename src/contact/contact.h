// contact/contact.h -- candidates, contacts, frames: what may touch what, and what touches now.
//
// Vocabulary. A *point* is a place on the skin of a body: on an edge (mid-point, Gauss point) or
// at a node. A *face* is a run of skin edges without a corner. A *slot* is a point of one body
// near a face of another: the identity that lives from step to step. A *joint* is a pair of faces.
// The *contacts* of a step are the slots that count: in the plane by default the ends of the
// overlap of two faces and the nodes of its finer side (contact_joint.c); with points that the
// input names the points of the candidate side, or where none of those lies over the other face
// those of the other side, or the corners of both. So no joint is counted twice, and none is
// missed when blocks slide past each other, tilt or fall. Nodes that may touch a rigid tool
// (body/body.h) have a slot for each such tool, all the time: the distance to its shape is asked
// for every step, less half the thickness of a sheet, which may so touch tools on both sides.
//
// Everything is evaluated at q~ = q + h (1 - theta) v. Local frame: normal from the antagonist
// towards the candidate; in the plane the tangent is the normal turned by -90 degrees, in space n,
// t, s are right-handed and turn with the normal, no more, from step to step.

#ifndef CONTACT_CONTACT_H
#define CONTACT_CONTACT_H

#include "contact/contact_state.h"
#include "solver/problem.h"

typedef enum { STATUS_OPEN, STATUS_STICK, STATUS_SLIP, STATUS_BROKEN } ContactStatus;

// Contacts of the current step: derived from model and state, rebuilt where needed.
typedef struct {
  int32_t slot;
  Site side[2]; // candidate, antagonist
  union {
    struct {
      double n[3], t[3], s[3];
    };
    double axis[3][3]; // the same; in the plane z and s are zero
  };
  // s is as long as the friction along it over that along t (contact_friction.c); else 1
  double ratio;
  double gap; // g~ [m]
  // what the sheet is thinner for this tool than at the start of the step, see contact_pinch [m]
  double less;
  double area;           // [m^2]
  int16_t rule, pinched; // 1: one of two that press a sheet
} Contact;

typedef struct ContactWork ContactWork;

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
  // 1: statuses are told by elastic steps (solver/deformation.h), and impulses start from them
  int projected;
  // 1: the impulses of the step are those of interior points, and the next starts from what such
  // statuses make of them; else from the impulses as they are, whatever statuses are shown
  int interior;
  const double *bounce; // [n] share of its restitution that a contact keeps; NULL: all
} ContactStep;

// After the state was read from a checkpoint: makes the slots of `work` again.
Status contact_resume(const ContactModel *cm, const BodySet *bs, const ContactState *state,
                      ContactWork *work, Err *err) MUST_CHECK;

// Searches anew when bodies may have moved too far since the last search, then finds the contacts
// of the step, their frames and gaps.
Status contact_detect(const ContactStep *step, Err *err) MUST_CHECK;
// Does the step, as it was solved, move something so far that detection, which looked ahead by the
// velocities of its start, may have missed what it meets? Then it is to be detected again with
// these as v_ahead.
int contact_unforeseen(const ContactStep *step, const double *q1, const double *v1);
int contact_count(const ContactWork *work);
const Contact *contact_list(const ContactWork *work);
int64_t contact_searches(const ContactWork *work); // how often slots were made anew

// The place of the candidate's point at X + q (NULL: at X), z zero in the plane; and an impulse of
// the contact's frame [dim], or a velocity, in the axes of the model.
void contact_place(const BodySet *bs, const Contact *contact, const double *q, double place[3]);
void contact_to_global(const Contact *contact, int dim, const double *local, double global[3]);
void contact_velocity_to_global(const Contact *contact, int dim, const double *local,
                                double global[3]);

// W of the contacts: all of it when the set changed, else what belongs to a frame or body that has
// turned (turned[n_bodies] from dynamics_update_frames). By blocks, or where rigid bodies have many
// contacts each by these bodies (solver/operator.h).
Status contact_assemble(const ContactStep *step, const DynamicsMatrices *m, const uint8_t *turned,
                        Err *err) MUST_CHECK;

// Laws, free velocities and warm start: the problem of the step. r [n * dim] is taken from `arena`.
Status contact_problem(const ContactStep *step, const double *v_free, Problem *problem, double **r,
                       Arena *arena, Err *err) MUST_CHECK;
// The same where contact_assemble was not called: a problem without W (no blocks, no bodies,
// diag holds the compliance of the laws alone). The model's H is in contact_list.
Status contact_laws(const ContactStep *step, const double *v_free, Problem *problem, double **r,
                    Arena *arena, Err *err) MUST_CHECK;

// Geometry of the contacts taken anew at an iterate q1, v1 of the step; which contacts there are
// stays. The gap is made such that gap + h U_N(v) is, for v = v1, the gap at q1 + h (1 - theta) v1.
// Contacts between skins of prototypes keep their geometry (small motion within a step).
void contact_update(const ContactStep *step, const double *q1, const double *v1);

// The node that the iterate q1, v1 puts deepest into a tool that it was outside of and is not in
// contact with, or moves through one; depth 0: none. More than the alert distance, or a node that
// goes through, says that the step was too long for what was foreseen.
typedef struct {
  double depth; // [m]
  int node;     // global
  int tool;     // body
  int through;  // 1: out on the other side of a thin one
} MissedNode;
MissedNode contact_missed(const ContactStep *step, const double *q1, const double *v1);
static inline int contact_has_missed(const ContactModel *cm, const MissedNode *missed) {
  return missed->through || missed->depth > cm->alert;
}

// What presses sheets across their thickness in this step, after contact_detect. pinch [n_nodes]:
// where tools are near on both sides of a node, the room between them when they end with velocities
// v1; no stiffness where nothing presses, or a tool yields, or a law is rigid. Contacts of such
// nodes begin with the thickness at which both bear the pressure that the sheet had at the end of
// the last step: what it is thicker it will give way in this one. contact_give_way: that at which
// they bear these pressures of the nodes, there where contact acts; returns whether that changes
// anything.
void contact_pinch(const ContactStep *step, const double *v1, FormPinch *pinch);
int contact_give_way(const ContactStep *step, const FormPinch *pinch, const double *pressure);
// impulse [n_nodes * dim] += H r
void contact_add_impulses(const ContactWork *work, const double *r, double *impulse);

// Relative velocities [n * dim] at the start of the step, as contact_problem found them.
const double *contact_old_velocities(const ContactWork *work);

// Relative velocities u[n * dim] = H^T v of all contacts.
void contact_velocities(const ContactWork *work, const double *v, double *u);

// What contacts gave to the bodies in this step, before it is committed [J]: their work beyond what
// springs of their laws (series compliance, cohesive zones) release. Normal impulses with
// restitution are left out: they give back what they took. < 0: they took.
//
// Friction twice: in the mean velocity of the step, which is what the bodies feel, and at the
// velocity for which the law holds, that of its end (and restitution of the tangent): there
// friction that obeys it never gives. In the mean velocity of theta < 1 it may: what slid one way
// and is held, or slides the other way, at the end gets mu r_N (1 - theta) |U_T(i)| back.
//
// stuck: work of friction where contacts stick, in the part of that velocity that their law leaves
// none of: nothing but error of the impulses.
typedef struct {
  double normal, friction, law_friction, stuck;
} ContactGiven;
ContactGiven contact_given(const ContactStep *step, const double *r, const double *u_new);

// Where restitution and friction together would give energy (contact_bounce.c): groups of bodies
// that touch one another, each known by one of them, and the share of their restitution that they
// keep.
typedef struct {
  double share;              // that is tried, or found
  double low, high;          // shares between which it lies
  double mean, impact, size; // work at the share tried, see there                     [J]
  double given;              // the same with all of the restitution                   [J]
  double at_low, at_high;    // and at these shares, or half of it                     [J]
  int gave;                  // 1: it did so at the share tried last
  int tries, done;
} BounceGroup;
typedef struct {
  double *share;   // [contacts] for ContactStep
  int *group;      // [contacts] the body that stands for its group
  BounceGroup *of; // [n_bodies]
  int worst;       // of the groups that do not keep all, the one that keeps least; -1: none
  double least;    // what they may be given before it counts                          [J]
} ContactBounce;
// Does the problem of the step ask for restitution anywhere? After contact_problem.
int contact_may_bounce(const ContactStep *step);
Status contact_bounce_begin(const ContactStep *step, ContactBounce *bounce, Arena *arena,
                            Err *err) MUST_CHECK;
// From impulses and velocities with the present shares; 1: shares have changed, solve again.
int contact_bounce_next(const ContactStep *step, const double *r, const double *v_free,
                        const double *v1, ContactBounce *bounce);

// How many joints would lose strength if the step ended so.
int contact_would_lose(const ContactStep *step, const double *r, const double *u_new);

// How many joints lost some of their strength, and how many of them all that they still had.
typedef struct {
  int some, all;
} ContactLost;

// End of an accepted step: impulses, law states, statuses. u_new are those of the new velocity.
ContactLost contact_commit(const ContactStep *step, const double *r, const double *u_new);

// Status of contact c after contact_commit.
ContactStatus contact_status(const ContactWork *work, int c);

// What is not tolerated of penetration: a share of the shortest edge of the two bodies, of the
// thickness of sheets.
typedef struct {
  double edge, thickness;
} PenetrationLimits;

// The depth that is largest beside what is tolerated of it.
typedef struct {
  double depth, limit; // [m]
  int body;            // -1: none
} PenetrationWorst;

// A face or an edge of a body at finite strains that is too coarse for a tool's curvature lies in
// it between its nodes, which alone are held: how far, beyond what the body has bent round the
// tool, and that times what its nodes are pressed with.
typedef struct {
  double depth, work; // [m], [J]; 0: none
  int body, tool;
} SunkWorst;

// Worst penetration on the geometry X + after->q: at contact points and at skin nodes [m, >= 0],
// those too that came through a face in this step without being in contact with it. r: impulses
// of the step. gap
// [n contacts] receives the gap measured there; NULL: not wanted.
typedef struct {
  double contacts, nodes;
  int worst_contact; // -1: none
  PenetrationWorst
      judged; // of points, and of nodes where the input does not name points between them,
  PenetrationWorst hidden; // of nodes where it does
  SunkWorst sunk;
  MissedNode through; // a face or an edge that goes through a tool, with a node of it
} Penetration;
// What a body bears of it [m].
double contact_tolerated(const ContactModel *cm, const BodySet *bs, PenetrationLimits limits,
                         int body);
void contact_penetration(const ContactStep *step, const BodyState *after, PenetrationLimits limits,
                         const double *r, double *gap, Penetration *worst);

#endif
