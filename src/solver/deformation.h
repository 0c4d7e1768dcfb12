// solver/deformation.h -- the error of impulses in the energy that they put into the bodies.
//
// The scaled error (measure.h) takes steps of 1/|W_aa|. Where a rigid motion is soft beside the
// elasticity, impulses that move no body rigidly hardly show in it, however wrong they are. Here
// steps are those of the elastic part of the diagonal, D_a = diag(W^e_NN, W^e_TT) of
// Problem.elastic:
//
//     F_a = rho_a - P(rho_a)(rho_a - D_a^-1 u'_a)      (Alart and Curnier 1991: the disk has the
//                                                       radius mu z_N + c)
//     A   = sqrt(sum F . D F / sum r . D r)            one product with W
//     B   = |dr|_E / |r|_E                             a dozen more
//
// where dr brings the statuses of z = rho - D^-1 u' about (open: no impulse, slip: on the cone),
// then makes closed normals and sticking tangents stand still by conjugate gradients with D before
// them: ten steps (thirty where rigid motions are much softer than the elasticity), up to forty
// where their energies do not fall, and more where two bodies touch at many points in a row.
//
// |x|_E^2 = x . W^e x where the problem knows its rigid motions (W^e = W - L L^T), else x . D x.
// What the steps have left is added as far as they fell, up to thrice the error. Where forces are
// not unique W has a null space: steps that suddenly bring much along directions of little energy
// are not taken.
//
// Steps see what hides in one row of points. What is smooth over one body that stands on many
// others is spread over the rows of all of them, and its energy may be 1e-3 to 1e-7 of its size by
// D: where a body has many contacts the system is therefore solved with factors of W, with a ridge
// of D on it for the null space, and to |dr|_E comes what other statuses would still change: A of
// r + dr, up to the estimate itself. The same where most joints hold by mortar: the wall is then
// one body, and steps that do not tell leave it to factors. In the plane they do so wherever their
// energies do not fall, or rise to many times the first (points within edges, which trade pressure
// at little energy), and where all contacts have a compliance of their own nothing is a null space,
// however little its energy.
//
// Strengths and springs are no part of r: errors are held against what bodies feel, r . D r, which
// may be a hundredth of rho . D rho. Beside a parallel stiffness S an error F of rho is one of r of
// (1 + D S)^-1 F, in A and in B.
//
// Where strengths bear stress of their own, velocities that no impulses of these statuses stop are
// counted by their root, for the square of the error is up to their product with impulses.
//
// The estimate is the larger of A and B; from 0.3 on it says "unknown". Units and single contacts
// do not matter. docs/solvers.md has what it claims against what is true, from
// tests/bench/bench_honesty.c.

#ifndef SOLVER_DEFORMATION_H
#define SOLVER_DEFORMATION_H

#include "solver/kept.h"

typedef struct {
  const Problem *p;
  double *d;                // [n * 2] D, less the share of a parallel stiffness
  const double *energy;     // [n * 2] what F . F is weighed by: D, where there is no such stiffness
  double *weight, *inverse; // [n * dim] D of each component, and 1 / D
  // [n * dim] Beside a parallel stiffness A: 1 / A where rho is given, else 0, and 1 / (D + 1 / A).
  double *spring, *sprung; // NULL: there is none
  double *u, *z;           // [n * dim] of the last residual
  double *parts;           // [n] F . D F of each contact in it
  double *dr, *rest, *way, *image,
      *held;            // [n * dim] scratch; held: 1 where a component stands still
  double *sum;          // [n * dim] W dr
  double *rigid;        // [n_bodies * n_modes] L^T x
  BlockLu lu;           // of what stands still; not made: conjugate gradients
  double *left, *right; // [n * dim^2] rows of it
  double *factored;     // [n * dim] `held` of these factors
  int has_factors;
  double ridge; // of D, on W in them
  int bonded;   // 1: most contacts hold by a strength or a spring of their own
  int borrows;  // 1: factors are the solver's, which makes others of them
  // 1: rigid motions are soft beside the elasticity, and no contact has friction or cohesion
  int convex;
  // 1: all contacts have a normal compliance of their own: what has little energy is no null space
  int firm;
  Arena *arena; // of factors that are wanted where steps do not tell, borrowed; NULL: none are
  SolverKept *kept;
  int hides; // 1: the correction goes by factors at once, 0: where steps do not tell
  // how many times rigid motions are softer than the elasticity that the error is measured by
  double softness;
  double row;      // longest row of points between two bodies, over that for which few steps do
  double size;     // sum r . D r of the last residual
  double residual; // A of it
  double bound;    // what the last correction proves without it, INFINITY: nothing
  double part;     // largest F . D F (or dr . D dr) of one contact
  int worst;       // and which has it, -1: none
} Deformation;

// For a problem with `elastic`. Memory from the arena.
Status deformation_init(Deformation *def, const Problem *p, Arena *arena, Err *err) MUST_CHECK;

// Prepares factors for the correction where they are worth it. `kept` as of kept_factors.
Status deformation_factors(Deformation *def, SolverKept *kept, Arena *arena, Err *err) MUST_CHECK;

// A, and with `scale` (measure_scales) the scaled error to *scaled: one product with W, counted.
double deformation_residual(Deformation *def, const double *r, const double *scale, double *scaled,
                            int64_t *blocks);
// A, of impulses whose velocities u = W r + b are known.
double deformation_residual_known(Deformation *def, const double *r, const double *u);
// B, of the impulses r of the last residual, as sharp as it takes to tell whether it is at most
// `enough` (0: as sharp as it can be).
double deformation_correction(Deformation *def, const double *r, double enough, int64_t *blocks);

// The estimate, of the impulses r of the last residual, where A is at most `enough` (0: always, and
// as sharp as it can be); else A.
double deformation_claim(Deformation *def, const double *r, double enough, int64_t *blocks);

// The way [n * dim] that the last correction, of the impulses r, found to where they should be; by
// steps also where factors judged, whose way goes far along what is not unique. `enough` as there.
const double *deformation_way(Deformation *def, const double *r, double enough, int64_t *blocks);

// dr = Newton's step from the impulses r of the last residual by the factors of the correction,
// with the statuses of that residual, or `before`: with those that r had in the step before. 0:
// there are no factors.
int deformation_step(Deformation *def, const double *r, int before, int64_t *blocks);

// The error A that round-off alone may make of r: half a unit in the last place of each product in
// u.
double deformation_round_off(const Deformation *def, const double *r);

// y = W x, counted.
void deformation_times(const Deformation *def, const double *x, double *y, int64_t *blocks);

// rho [dim] = the projection of z of contact i, from the last residual.
void deformation_project(const Deformation *def, int i, double *rho);

// deformation_residual and deformation_claim.
double deformation_error(Deformation *def, const double *r, double enough, int64_t *blocks);

#endif
