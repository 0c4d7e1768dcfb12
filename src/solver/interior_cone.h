// solver/interior_cone.h -- what interior points ask of the law of one contact: positive numbers
// whose products go to zero, in the plane three pairs of them, in space a pair and a cone.
//
// Lambda of a contact: [0] belongs to rho_N, the rest to the disk of friction. A contact without a
// disk has none of it, and its tangential impulse is none.

#ifndef SOLVER_INTERIOR_CONE_H
#define SOLVER_INTERIOR_CONE_H

#include <math.h>

#include "solver/interior.h"

// Rho and lambda are those of the iterate, drho and dlambda the last step. Sums are added to, so
// that they run over all contacts in one order.
struct InteriorCone {
  int n_lambda; // numbers of lambda of a contact
  int needs_du; // 1: `steps` looks at the step of u
  // Friction of rho at most `inside`.
  void (*draw_in)(Interior *in, int i, double inside);
  // Lambda of the disk with these products, times its weights where `weighted`.
  void (*centre)(Interior *in, int i, double product, int weighted);
  void (*add_gap)(const Interior *in, int i, double *sum);
  // Rows P du' + Q drho = v of the disk, [dim * dim]: all but the first, which is made. Zero on
  // entry.
  void (*matrix)(const Interior *in, int i, double *p, double *q);
  // Their right-hand sides v [dim], for products sigma less what is in `affine` where `second`.
  void (*aims)(const Interior *in, int i, double sigma, int second, double *v);
  // Step of lambda that goes with drho; *longest is made shorter where it leads out.
  void (*steps)(Interior *in, int i, double sigma, int second, double *longest);
  // Products of the steps to `affine`, the gap after a step of this length.
  void (*add_affine)(Interior *in, int i, double length, double *gap);
  // Takes off `affine` what is outside LEAST to MOST of sigma after a step of this length.
  void (*correct)(Interior *in, int i, double sigma, double length);
  // Product of two steps x and y of rho [dim] and lambda [n_lambda] on a logarithmic scale.
  void (*add_log_product)(const Interior *in, int i, const double *x, const double *x_lambda,
                          const double *y, const double *y_lambda, double *sum);
  // Velocities [dim] that lambda stands for.
  void (*velocity)(const Interior *in, int i, double *v);
  // Is the disk nearer to its end than its lambda, in the elastic metric? Then the direction of
  // rho_T [dim - 1] to t.
  int (*slips)(const Interior *in, int i, double *t);
};
extern const InteriorCone interior_pairs, interior_disk; // in the plane, in space

// Of sigma, that products may have without being corrected.
static const double INTERIOR_LEAST = 0.1, INTERIOR_MOST = 10;

// What takes a product v to where it may be.
static inline double interior_pull(double v, double aim) {
  if (v < INTERIOR_LEAST * aim) return INTERIOR_LEAST * aim - v;
  if (v > INTERIOR_MOST * aim) return fmax(INTERIOR_MOST * aim - v, -INTERIOR_MOST * aim);
  return 0;
}

static inline int interior_has_disk(const Problem *p, int i) {
  return p->mu[i] > 0 || (p->radius && p->radius[i] > 0);
}

// Aim of lambda number `at` over the mean: another path to the end where the one through the middle
// has a corner.
static inline double interior_weight(const Interior *in, size_t at) {
  if (!(in->spread > 0)) return 1;
  uint32_t mixed = ((uint32_t)at + 1) * (2654435761u + 2 * (uint32_t)in->path);
  mixed = (mixed ^ mixed >> 15) * 2246822519u;
  return exp(in->spread * ((double)(mixed >> 8) / (1 << 23) - 1));
}

#endif
