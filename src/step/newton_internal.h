// step/newton_internal.h -- what the two ways of solving contact in Newton's loop share.
#ifndef STEP_NEWTON_INTERNAL_H
#define STEP_NEWTON_INTERNAL_H

#include "body/finite.h"
#include "step/newton.h"

// Where contact alone holds a body that has no inertia, a contact that slips, or has no impulse
// yet, keeps this share of its tangential stiffness in the matrix, a thousandth of that of its
// node: the body cannot run away before friction has its threshold. The residual knows nothing of
// it.
static const double SLIP_FLOOR = 1e-6;
// Nodes that lie on a surface but for rounding touch it: this share of the alert distance.
static const double TOUCH = 1e-9;

typedef struct Primal Primal;

struct NewtonWork {
  FiniteSystem system;
  int iterates;   // 0: all bodies are linear in a step, one pass is exact
  double kept_h;  // step size of the kept tangent in `system`, 0: none
  int factored;   // 1: the bodies' factors are those of that tangent, not of an earlier one
  Primal *primal; // NULL: never used
  uint8_t *loose; // [n_finite] 1: without inertia, and not held: contact must; NULL: none is
  double *held; // [9 n_contacts] local stiffness that the factors hold contacts with; in the arena
  double back;  // what they pushed back in the last increment, over all impulses
  int careful;  // 1: the step failed once: statuses are settled in each increment
  int begins;   // 1: such a body touches, but there are no impulses yet
  double *g, *dv, *hr, *b, *column; // system vectors
  double *rate;                     // the same: of unknowns without mass, since the start
  double *columns_in, *columns_out; // right-hand sides for the compliance
  size_t columns_capacity[2];
  double rounding;  // of the impulses of this step, see round_off                   [N s]
  Tool *tools;      // [n_tools] as W sees them: those without mass with their drag; shapes borrowed
  double *pulled;   // [n_tools * dim] residual of tools without mass before the last increment
  double *springs;  // [n_nodes] of a release, in the arena; NULL: none            [N/m]
  double *u;        // [n_nodes * dim] displacement at the iterate
  FormPinch *pinch; // [n_nodes] of this step, see contact_pinch; NULL: no sheets
  double *pressed,
      *thick; // [n_nodes] pressures and thicknesses at the iterate; NULL: nothing can press
  double *pressed_seen; // [n_nodes] those that contacts see
  double *v_try, *config_try, *config, *internal, *increment;
  Compliance *compliance; // [n_finite]
  double **block;         // [n_finite] owned blocks of compliance
  size_t *block_capacity;
  int32_t *node_index; // [n_nodes] row of a node in its body's compliance
};

static inline int newton_uses_factor(NewtonMatrix matrix) {
  return matrix < NEWTON_MASS;
}

// System vector of a vector over nodes; impulses on nodes, and on the system (work->hr), from local
// ones.
void newton_gather(const FiniteSystem *system, const double *nodes, double *x);
void newton_spread(NewtonStep *step, NewtonWork *work, const double *r);

// Unknown of the system for component i of a node; -1: none (linear bodies, supports).
int newton_unknown(const BodySet *bs, const FiniteSystem *system, int node, int i);

// x = w b with the matrices as they stand; fixed unknowns get zero.
Status newton_apply(const NewtonStep *step, NewtonWork *work, const double *b, double *x,
                    Err *err) MUST_CHECK;

// The largest of the terms of the residual, each by its norm: what it is compared with.
typedef struct {
  double force, load, inertia;
} NewtonScale;

typedef struct ContactWay ContactWay;

typedef struct {
  const ContactWay *way;  // of contact, in this step
  double relative, error; // residual, judged error of contacts
  double slope;           // work of the residual along the increment, at its start
  NewtonScale scale;      // of the residual
  int iterations;         // increments taken
  int changed;            // contacts that the last increment saw otherwise than the one before
  int slow;               // 1: the last increment hardly reduced the residual
  double turn, turned;    // how far an increment may turn sheets that touch, and did [rad]
  double drag;            // on tools without mass, see drag_tools
  double seen;            // square of the largest term of the residual in this step
  double least;           // smallest scale of the residual: at the tolerance of it all is round-off
  int refresh;            // 1: the tangent is new: matrices are to be made of it
  double *r_try;
} NewtonLoop;

// How far sheets may turn next, by what the last increment made of the residual before it: half of
// what it turned them where that grew by a tenth, down to a milliradian; twice as far as it might
// where that was halved.
void newton_trust(NewtonLoop *loop, double before);
// 1: the tangent is made with the forces of the next iterate. Not when it is kept, and not when the
// iterate is about to converge quadratically, or has; where it should and is slow it is.
int newton_tangent_next(const NewtonSettings *settings, const NewtonLoop *loop);

// Work of the residual along the increment [J/(m/s)...]: what a line search brings to zero.
double newton_slope(const NewtonWork *work);
// |g + H r| over its largest term, or a share of the largest that was *seen.
double newton_relative_residual(const NewtonWork *work, const NewtonScale *scale, double least,
                                double *seen);

// How contacts are solved in an iteration.
struct ContactWay {
  const char *name;
  Status (*begin)(NewtonStep *step, NewtonWork *work, Err *err); // of a step; NULL: nothing
  // work->dv, loop->r_try and the slope from g at step->v1 with step->r.
  Status (*increment)(NewtonStep *step, NewtonWork *work, NewtonLoop *loop, Err *err);
  void (*tried)(NewtonStep *step, NewtonWork *work,
                NewtonLoop *loop); // impulses, error at work->v_try
  // Makes factors of the tangent for bodies alone; NULL: bodies and contacts are in one matrix.
  Status (*factorise)(NewtonStep *step, NewtonWork *work, Err *err);
  // Geometry of contacts or what presses them has changed; NULL: the next increment sees it.
  Status (*update)(NewtonStep *step, NewtonWork *work, Err *err);
  // The increment was taken by `length`; NULL: impulses stay as they were tried.
  void (*taken)(NewtonStep *step, NewtonWork *work, NewtonLoop *loop, double length);
  double (*error)(const NewtonWork *work,
                  const NewtonLoop *loop); // what must be within the tolerance
};
extern const ContactWay way_delassus, way_diagonal, way_primal;
// Of ways whose solver says itself how far it is.
void way_solver_error(NewtonStep *step, NewtonWork *work, NewtonLoop *loop);

// ---- what ways offer beside their rows ----------------------------------------------------------

// delassus.c: nodes in contact of every finite body, numbered in the order of the contacts:
// work->compliance[k].n.
void delassus_number_nodes(const NewtonStep *step, NewtonWork *work);
// Factors of A from K as it stands, with what contact holds by step->r.
Status delassus_factorise(NewtonStep *step, NewtonWork *work, Err *err) MUST_CHECK;

void primal_free(Primal *primal); // primal.c; NULL is fine

#endif
