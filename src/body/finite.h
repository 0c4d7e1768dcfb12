// body/finite.h -- forces, tangents and matrices of the bodies at finite strains, and of tools.
//
// Unknowns. All finite bodies and tools stand in one list: for each finite body its translations
// node by node, then its extra unknowns; then `dim` components of each tool. A vector over them is
// a "system vector". Prescribed components, those held by edge conditions and prescribed components
// of tools are fixed: their increments are zero.
//
// The equation of a step (docs/theory/finite_strains.md), with V = a M of the material's
// damping_mass:
//
//     M (v1 - v0) + h V v_th + h [theta F(q1) + (1 - theta) F(q0)] - h P_th - H r = 0
//     A = M + h theta V + h^2 theta^2 K(q1)
//
// Extra unknowns have no mass; their force vanishes at q1: h theta F_x(q1) = 0, unknown the rate.

#ifndef BODY_FINITE_H
#define BODY_FINITE_H

#include "algebra/factor.h"
#include "body/dynamics.h"

// Where the matrix of Newton's method comes from (J38, J39).
typedef enum {
  NEWTON_FULL,      // the tangent at every iterate
  NEWTON_ITERATION, // that of the first iterate of the step
  NEWTON_KEPT,      // kept over steps until convergence slows down
  NEWTON_MASS,      // w = M^-1
  NEWTON_CORRECTED, // w = M^-1 - h^2 theta^2 M^-1 K M^-1
  NEWTON_EXPLICIT   // w = M^-1, one iteration, forces of the step's start
} NewtonMatrix;

// Matrix of one finite body.
typedef struct {
  int first, n;     // its unknowns in the system
  Sparse stiffness; // K, and pattern of A
  Sparse matrix;    // A
  int32_t *place;   // [sum of n_e^2] entry of stiffness for every entry of the elements' matrices
  Factor *factor;   // of A; NULL: never made
  int fresh;        // 1: the pattern was never analysed
} FiniteMatrix;

// Blocks at nodes that are added to A: always, and where it is not positive definite or has no
// inertia.
enum { HELD_ALWAYS, HELD_IF_NEEDED, N_HELD };

typedef struct {
  int n;             // unknowns of the system
  int first_tool;    // those of the tools come last
  int32_t *dof;      // [n] node * dim + component; -1: extra unknown
  int32_t *body;     // [n] body
  int32_t *first_of; // [bodies] first unknown of the body; -1: it has none here
  uint8_t *fixed;    // [n]
  double *mass;      // [n] 0: extra unknown; of tools without mass that of Newton's matrix [kg]
  uint8_t *massless; // [n] 1: no inertia
  double *damping;   // [n] a of V = a M                                               [1/s]
  int n_matrices;
  FiniteMatrix *matrix; // [n_matrices] one for each finite body
  double *f0, *f1;      // [n] internal forces at the start and at the iterate          [N]
  double *held
      [N_HELD]; // [n * dim] rows of nodes' blocks that finite_factorise adds to A [kg]; NULL: none
  int batch;    // elements at a time
  double *element_f, *element_k; // theirs, of `batch` elements
} FiniteSystem;

// Rates of unknowns without mass between BodyState.extra and the system vector x.
void finite_rates_of_state(const BodySet *bs, const FiniteSystem *system, const double *extra,
                           double *x);
void finite_rates_to_state(const BodySet *bs, const FiniteSystem *system, const double *x,
                           double *extra);

Status finite_system_init(FiniteSystem *system, const BodySet *bs, Err *err) MUST_CHECK;
void finite_system_free(FiniteSystem *system);

// An iterate: displacements of all nodes, configurations and internal variables of finite bodies.
typedef struct {
  const BodyState *state; // at the start of the step
  StepSize size;
  const double *u;        // [bodies' n_nodes * dim]
  double *config;         // [bodies' n_config]
  double *internal;       // [bodies' n_internal] written
  const FormPinch *pinch; // [n_nodes] see FormPoint; may be NULL
} FiniteIterate;

// Internal forces to f [n], and K of all bodies where `tangent`. ERR_NUMERIC names element and
// body.
Status finite_forces(const BodySet *bs, FiniteSystem *system, const FiniteIterate *at, double *f,
                     int tangent, Err *err) MUST_CHECK;

// config = `from` moved by `scale` times the increments h theta dv of the extra unknowns;
// `increment` is room for the extra unknowns of the largest body.
void finite_advance(const BodySet *bs, const FiniteSystem *system, StepSize size, double scale,
                    const double *dv, const double *from, double *config, double *increment);

// A of one body from its K at the step size, with `inertia` times its M (statics: none). Rows and
// columns of fixed unknowns are those of the identity.
void finite_matrix(FiniteSystem *system, int k, StepSize size, double inertia);
// Makes and factorises it, with what contact holds. Where K makes it indefinite, more of that and
// more inertia makes it positive: slower, but always downhill; without inertia it stays as it is.
// ERR_NUMERIC names the body and a node where it is singular.
Status finite_factorise(const BodySet *bs, FiniteSystem *system, int k, StepSize size, int statics,
                        Err *err) MUST_CHECK;

// Factors on the inertia that are tried, the last whatever the signs of the pivots.
enum { N_INERTIAS = 4 };
extern const double finite_inertias[N_INERTIAS];

// Largest angular frequency [rad/s] over all finite bodies from K as it stands, by power iteration,
// and the body that has it.
Status finite_frequency(const BodySet *bs, const FiniteSystem *system, Arena *arena, double *omega,
                        int *body, Err *err) MUST_CHECK;

// How many rigid motions of finite body k its prescribed components do not hold.
int finite_loose(const BodySet *bs, int k);

// Room that the tangents of all bodies take in BodyState.kept.
Status finite_count_kept(const BodySet *bs, int64_t *n, Err *err) MUST_CHECK;
// Tangents to `kept` with their step size, and back; returns whether `kept` holds those for this h.
void finite_keep(const FiniteSystem *system, double h, double *kept);
int finite_take_kept(FiniteSystem *system, double h, const double *kept);

// The end of a step as a state of its own: `after`, whose arrays of displacements, configurations,
// internal variables, half thicknesses and pressures are the caller's, the first three those of the
// iterate.
void finite_end(const BodySet *bs, const FiniteIterate *at, BodyState *after);
// It becomes the state.
void finite_commit(const BodySet *bs, const BodyState *after, BodyState *state);
// The element where something is worst.
typedef struct {
  double value;
  int body, elem; // body < 0: nowhere
} FiniteWorst;
// Energies of a state [J]: elastic energy stored, dissipated so far,
// and work done by pressure across sheets; what is seen of sheets on the way.
typedef struct {
  double stored, lost, pressed;
  FiniteWorst thinning; // share of the thickness that is gone
  FiniteWorst neck;     // FormOutput.fall
} FiniteEnergy;
FiniteEnergy finite_energy(const BodySet *bs, const BodyState *state);

// Elements of sheets at nodes where neighbours are turned against one another by more than a right
// angle, that were not so at the start: no sheet of this mesh bends like that. Returns how many;
// *where is the worst, its value the angle [rad].
Status finite_folds(const BodySet *bs, const double *u, Arena *arena, int *n, FiniteWorst *where,
                    Err *err) MUST_CHECK;
// How far the increments h theta dv turn, or stretch, an edge or a director of a sheet at most
// [rad]; 0: there are no sheets.
double finite_turn(const BodySet *bs, const FiniteSystem *system, StepSize size, const double *dv);
// The middle of an element where it is now [m].
void finite_middle(const BodySet *bs, const double *u, int body, int elem, double x[3]);

// Where the slices of finite body k begin, for the form's functions.
FormPoint finite_point(const BodySet *bs, int k, const FiniteIterate *at);

#endif
