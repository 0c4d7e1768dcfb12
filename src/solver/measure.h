// solver/measure.h -- the one measure by which all solvers are judged.
//
// error = sqrt( sum_a | rho_a - P_K(rho_a - (u'_a + mu |u'_aT| e_N) / |D_a|_2) |^2 ) / |r|
// with D_a the diagonal block: it does not depend on units or on the scale of single contacts.
// 0/0 is 0 and x/0 is 1. Where springs and shifts carry more than the unilateral part, |r| counts.

#ifndef SOLVER_MEASURE_H
#define SOLVER_MEASURE_H

#include "solver/problem.h"

// Full scaled error of r. `scale` [n] holds 1/|D_a|_2 from measure_scales.
double measure_error(const Problem *p, const double *scale, const double *r);
// The same, and *velocity: residuals as velocities over those that drive contacts which bear. It
// sees what a heavy body lacks that stands on light ones, in whose W it has no part.
double measure_errors(const Problem *p, const double *scale, const double *r, double *velocity);
void measure_scales(const Problem *p, double *scale);

// The error that round-off alone may make of r: half a unit in the last place of each product in u.
double measure_round_off(const Problem *p, const double *scale, const double *r);

// Part of the velocities that drive a contact (as impulses) below which its residual is round-off:
// 1000 units of the last place.
#define MEASURE_ROUND_OFF (1000 * 2.220446049250313e-16)
// 1: impulses are next to nothing beside what drives, as of a block that grazes what it slides
// past, and what is left of every contact is round-off of the velocities that drive it: no error as
// a share of such impulses can be told. *left: all of it over what drives. Pure cones only, else 0.
int measure_is_round_off(const Problem *p, const double *scale, const double *r, double *left);
// The same contact by contact, where there is no W.
typedef struct {
  double nothing; // impulse that is round-off whatever drives                      [N s]
  int beyond;     // contacts of which more than round-off is left
  double residual, driven, norm;
} Graze;
// Adds a contact of which the square `residual` is left, which b drives and rho presses.
void measure_graze(Graze *graze, int dim, double residual, double scale, const double *b,
                   const double *rho);
int measure_only_grazes(const Graze *graze, double *left);

// Does an error of r below the tolerance mean something? Where there is no solution iterates can
// run away along impulses that move nothing, and any residual becomes small beside them. So the
// residual must also be well below what the free velocities alone would leave. Pure cones only,
// else 1.
int measure_means_something(const Problem *p, const double *scale, const double *r, double error);
// Are impulses so much larger than what the free velocities ask for that they grow without an end?
int measure_runs_away(const Problem *p, const double *scale, const double *r);

// Velocity [m/s] of the row of an equality that stands still least, where that counts as missed: by
// more than the square root of the tolerance times the velocities of the problem. Impulses that
// contradictory equalities ask for grow without an end, and beside them no residual is too large.
// Else 0. `row` (NULL: not asked) is its place in r.
double measure_missed_equality(const Problem *p, const double *r, double tolerance, size_t *row);

// Siconos' formula |r - P(r - (u + mu |u_T| e_N))| / max(|q|, |r|, |u|); depends on units.
double measure_siconos(const Problem *p, const double *r);

// Square of the residual of one contact: u' its velocity, rho its impulse.
double measure_contact(int dim, double mu, double radius, double scale, const double *u,
                       const double *rho);

// The same of an equality, a limit or a drive: |rho - P(rho - scale u)|^2.
double measure_box(const Item *item, int dim, double scale, const double *u, const double *rho);

// rho = r + s + A u of contact i for its velocity u.
void measure_unilateral(const Problem *p, int i, const double *r, const double *u, double *rho);
// Adds residual and size of contact i with velocity u to sum[2]; the scaled error is the root of
// their ratio.
void measure_add(const Problem *p, int i, double scale, const double *r, const double *u,
                 double sum[2]);

// Root of a ratio of sums: 0/0 is 0, x/0 is 1, what is not finite is infinite.
double measure_ratio(double residual, double norm);

// 2-norm (largest singular value) of a dim x dim block.
double measure_block_norm(int dim, const double *block);

#endif
