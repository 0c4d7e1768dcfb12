// body/dynamics.h -- the linear dynamics of a step, J36, for all bodies.
//
//     [M + h theta V + h^2 theta^2 K] (v1 - v0) = -h V v0 - h K (q0 + h theta v0) + h P + h r
//     q1 = q0 + h (theta v1 + (1 - theta) v0)
//
// in the frame of each body. Without h r it gives the free velocity; the impulses h r correct it.
// Prescribed components take their new velocity as data.

#ifndef BODY_DYNAMICS_H
#define BODY_DYNAMICS_H

#include "base/arena.h"
#include "body/load.h"

// The step goes from t to t + h. In statics of elastic bodies h is that of the mechanics, long
// beside all that oscillates, and the time of the loads goes from t to t + dt.
typedef struct {
  double t, h, theta;
  int statics;
  double dt;
} StepSize;

static inline double step_time(StepSize size) {
  return size.statics ? size.dt : size.h;
}

// A step in which a wave crosses all bodies of small strains, end to end as one body, so often that
// inertia is no more than what keeps their matrices regular; 0: there are none.
double dynamics_static_step(const BodySet *bs);

// Velocity [m/s] over a step that a prescribed motion wants, such that intermediate configurations
// are exact; and at the start of the run.
Status motion_velocity(const Motion *motion, StepSize size, double *v, Err *err) MUST_CHECK;
Status motion_start(const Motion *motion, StepSize size, double *v, Err *err) MUST_CHECK;

// Velocities of supports and prescribed components at the start, such that their first intermediate
// configuration is exact: (x(t + h (1 - theta)) - x(t)) / (h (1 - theta)).
Status dynamics_start(const BodySet *bs, StepSize size, double *v, Err *err) MUST_CHECK;

// Blocks of w between nodes of one body, in the frame of the body.
typedef struct {
  const double *block;   // [n * n * dim * dim]                                         [1/kg]
  const double *elastic; // the same of the elastic part
  int n_rigid;           // rigid motions that supports leave free
  const double *rigid;   // [n * dim * n_rigid] them, of energy 1: block = elastic + rigid rigid^T
  int n;                 //
  const int32_t *index;  // [nodes of the body] row of a node, -1: not available
} Compliance;

// Everything a step needs of one prototype for its (h, theta), and of the bodies with matrices of
// their own at the iterate of Newton's method.
typedef struct {
  const PrototypeStep **step; // [n_protos]
  const Compliance *finite;   // [n_finite] of the nodes in contact; NULL: bodies without W
  const Tool *tools;          // [n_tools] with their drag of the iterate; NULL: those of the bodies
} DynamicsMatrices;

// What was factorised for step sizes in use, kept from step to step; zero: nothing yet.
typedef struct {
  int n;
  PrototypeFactors *prototype; // [n] of each prototype; NULL: none
} DynamicsFactors;
void dynamics_factors_free(DynamicsFactors *factors);

// Factorises what is not factorised yet for this step size.
Status dynamics_matrices(const BodySet *bs, StepSize size, DynamicsFactors *factors,
                         DynamicsMatrices *m, Arena *arena, Err *err) MUST_CHECK;

// Largest rotation among the bodies of a kind, but sheets, from displacements q0 (NULL: none) to
// q1, and whose it is (-1: none) [rad].
double dynamics_most_turned(const BodySet *bs, const BodyType *type, const double *q0,
                            const double *q1, int *body);

// Mean rotations at q~ = q + h (1 - theta) v into state->frame, for co-rotational bodies that have
// turned by more than the tolerance since their frame was taken. turned[n_bodies] says which.
void dynamics_update_frames(const BodySet *bs, StepSize size, BodyState *state, uint8_t *turned);

// Velocities at the start of the step as contacts of the step see them: those of the state, or a
// copy in the arena where bodies turn in it.
Status dynamics_align(const BodySet *bs, const BodyState *state, double **v, Arena *arena,
                      Err *err) MUST_CHECK;

// A step of bodies whose equation is linear in it.
typedef struct {
  const BodySet *bs;
  const DynamicsMatrices *m;
  const BodyState *state; // at its start
  StepSize size;
  const double *p; // [n_nodes * dim] theta-mean loads [N]
  // [n_nodes * dim] prescribed change of velocity, NULL: none (dynamics_free_velocity finds it)
  const double *dv;
} LinearStep;

// v_free [n_nodes * dim] under the loads; supports and prescribed components have their exact new
// velocity. Finite bodies and free components of tools keep their old one.
Status dynamics_free_velocity(const LinearStep *step, double *v_free, Arena *arena,
                              Err *err) MUST_CHECK;

// v [n_nodes * dim] = v_free + w impulse, where impulse [N s] acts on the nodes.
Status dynamics_correct(const LinearStep *step, const double *v_free, const double *impulse,
                        double *v, Arena *arena, Err *err) MUST_CHECK;

// q1 [n_nodes * dim] at the end of a step that ends with v1: the only place that knows how bodies
// move by velocities.
void dynamics_advance(const BodySet *bs, const BodyState *state, StepSize size, const double *v1,
                      double *q1);
// The step has become the state.
void dynamics_settle(const BodySet *bs, BodyState *state);

// Energies of docs/theory/nscd.md, section 5 [J]. kinetic and elastic are those of (q1, v1), the
// others those of the step.
typedef struct {
  double kinetic, elastic;
  double external, damping, numerical;
  double pressing; // loads on rigid bodies, each by its size [N]
} StepEnergy;
// sum += those of n parts, batches or bodies.
void step_energy_add(const StepEnergy *part, int64_t n, StepEnergy *sum);

// A step that has been computed: from `state` under loads p and contact impulses to q1, v1.
typedef struct {
  const BodyState *state;
  StepSize size;
  const double *p, *impulse; // [N] theta-mean, [N s]
  const double *q1, *v1;
} StepResult;

// `support` [n_nodes * dim] receives the impulses of prescribed components [N s] (zero elsewhere);
// it may be NULL when nothing is prescribed.
Status dynamics_energy(const BodySet *bs, const StepResult *result, StepEnergy *energy,
                       double *support, Arena *arena, Err *err) MUST_CHECK;

// Displacement u of one body in its frame [n_nodes of the body * dim], for stresses.
void dynamics_local_displacement(const BodySet *bs, const double *frame, const double *q, int body,
                                 double *u);
// Stress [Pa] in the middle of an element of an elastic body in the axes of the model, from u as
// above: xx yy zz xy yz xz.
void dynamics_stress(const BodySet *bs, const double *frame, int body, int elem, const double *u,
                     double s[6]);

#endif
