// solver/interior.h -- predictor-corrector interior points for Coulomb's law.
//
// Unilateral impulse rho = r + s + A u' and velocity u' of a contact are split, in the plane into
// three pairs of positive numbers,
//
//     rho_N and u'_N = lambda_N,   f+- = mu rho_N + radius +- rho_T and u'_T = lambda+ - lambda-,
//
// whose products go to sigma, and sigma to zero (Mehrotra 1992: an affine step tells how far sigma
// may fall, a second solve with the same factors takes it and the products of the steps, a third
// one pulls outliers among the products in, after Gondzio 1996, where the step would be short). An
// iteration is one factor of
//
//     (I + Q A) W + Q,   Q = [lambda_N / rho_N,                     0;
//                             mu (lambda+ / f+ - lambda- / f-),      lambda+ / f+ + lambda- / f-]
//
// by block_lu.h. In space (mu rho_N + radius, rho_T) and a velocity with u'_T in it are two members
// of a cone of second order (interior_disk.c), with the same steps in the plane. Cohesion is a
// radius, tensile strength a shift, cohesive zones A; contacts without a disk have no tangent.
// Statuses are never guessed, so that the iterations hardly depend on stiffness or size. From the
// last step's impulses it starts in the elastic metric (Problem.elastic): what is open there is as
// far as its velocity says.

#ifndef SOLVER_INTERIOR_H
#define SOLVER_INTERIOR_H

#include "solver/block_lu.h"
#include "solver/judge.h"

typedef struct InteriorCone InteriorCone; // interior_cone.h

typedef struct {
  const Problem *p;
  const InteriorCone *cone;
  BlockLu *lu;                                   // borrowed, analysed
  const SolverSettings *settings;                // borrowed: whether to give up; NULL: never
  double *d;                                     // [n * 2] elastic metric
  double *r, *u, *rho, *drho;                    // [n * dim] impulses, velocities of them, rho
  double *lambda, *dlambda;                      // [n * n_lambda] normal, then of the disk
  double *affine;                                // [n * n_lambda] products of the affine step
  double *dr, *du, *rhs, *left, *right;          // du: where the law asks for it
  double *other_dr, *other_drho, *other_dlambda; // another step, beside which this one is tried
  double *way, *tangent, *kept; // steps of rho and lambda behind it; r, rho and lambda
  int has_kept;                 // 1: there is an iterate to go back to
  int pairs;                    // of positive numbers
  double gap;                   // sum of their products
  double longest;               // length of the last step's way to the boundary
  double spread;                // of the aims of single pairs about the mean, as a logarithm
  int path;                     // which of such paths, any number
} Interior;

// For a problem with `elastic`. Memory from the arena.
Status interior_init(Interior *in, const Problem *p, BlockLu *lu, Arena *arena,
                     Err *err) MUST_CHECK;

// From max |b| alone.
void interior_start_cold(Interior *in, SolverReport *report);
// From impulses r, moved off the boundaries by `far` times their mean size.
void interior_start_warm(Interior *in, const double *r, double far, SolverReport *report);

// One iteration; returns the step length, 0 where the factors met a singular block.
double interior_step(Interior *in, SolverReport *report);

// Impulses out [n * dim] a whole affine step further, with what is nearer to zero in each pair put
// there: open contacts without any, those that slip on the cone. For one more factor it makes of an
// interior solution one that tells its statuses; the iterate stays where it is. Returns 0 where the
// factors met a singular block.
int interior_settle(Interior *in, double *out, SolverReport *report);

// Keeps the iterate as one to go back to.
void interior_keep(Interior *in);

// With friction the path of centres may fold: where its mean product falls no further the way to
// the end leads up again for a while, and steps that only aim downwards stall. From the kept
// iterate to the centre near it, then along the path by its length (Keller 1977); which way is down
// the sign of the determinant tells. Returns 1 when it is past the folds, 0 where it could not be
// followed.
int interior_follow(Interior *in, SolverReport *report);

// Impulses out [n * dim] of the iterate, none where contacts are open by far.
void interior_impulses(const Interior *in, double *out);

// Square root of the gap over the energy r . D r, or the residual of the splitting where that is
// larger.
double interior_error(const Interior *in);

#endif
