#include "solver/taking.h"

#include <math.h>
#include <string.h>

#include "solver/item.h"
#include "solver/measure.h"

enum { STEPS = 4 }; // disks that stop friction on its way make a second one needed, seldom more

// Share of the disk that friction which sticks is moved within: on the mantle it would count as
// slipping.
static const double WITHIN = 0.999;

// |rho_T|^2 of contact i, and the square of what its disk lets it be.
static double disk_of(const Problem *p, int i, const double *rho, double *bound) {
  double t = 0, radius = p->mu[i] * fmax(rho[0], 0) + (p->radius ? p->radius[i] : 0);
  for (int k = 1; k < p->dim; k++) t += rho[k] * rho[k];
  *bound = radius * radius;
  return t;
}

double taking_work(const Deformation *def, const double *r) {
  const Problem *p = def->p;
  double sum = 0;
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)i * (size_t)p->dim;
    double rho[3];
    measure_unilateral(p, i, r, def->u + at, rho);
    for (int k = 1; k < p->dim && !item_is_box(p, i); k++) sum += rho[k] * def->u[at + (size_t)k];
  }
  return sum;
}

// The way q down P among friction that sticks, in the metric of the elasticity; sum = W q. Returns
// P of r - x q as c[0] + c[1] x + c[2] x^2.
static void way_down(Deformation *def, const double *r, double c[3], int64_t *blocks) {
  const Problem *p = def->p;
  int dim = p->dim;
  double *source = def->image, *q = def->way;
  memset(c, 0, 3 * sizeof *c);
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)i * (size_t)dim;
    double rho[3];
    measure_unilateral(p, i, r, def->u + at, rho);
    source[at] = 0;
    for (int k = 1; k < dim; k++)
      source[at + (size_t)k] =
          item_is_box(p, i)
              ? 0
              : rho[k] + (p->a ? p->a[2 * (size_t)i + 1] * def->u[at + (size_t)k] : 0);
  }
  deformation_times(def, source, def->rest, blocks);
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)i * (size_t)dim;
    double rho[3], bound;
    measure_unilateral(p, i, r, def->u + at, rho);
    double t = disk_of(p, i, rho, &bound);
    q[at] = 0;
    for (size_t k = at + 1; k < at + (size_t)dim; k++)
      q[k] = t < WITHIN * WITHIN * bound ? (def->u[k] + def->rest[k]) * def->inverse[k] : 0;
  }
  deformation_times(def, q, def->sum, blocks);
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)i * (size_t)dim;
    double rho[3];
    measure_unilateral(p, i, r, def->u + at, rho);
    for (int k = 1; k < dim && !item_is_box(p, i); k++) {
      double u = def->u[at + (size_t)k], du = def->sum[at + (size_t)k];
      double drho = q[at + (size_t)k] + (p->a ? p->a[2 * (size_t)i + 1] * du : 0);
      c[0] += rho[k] * u;
      c[1] -= rho[k] * du + drho * u;
      c[2] += drho * du;
    }
  }
}

// r -= x q, inside the disks of what stuck.
static void move(const Deformation *def, double x, double *r) {
  const Problem *p = def->p;
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)i * (size_t)p->dim, dim = (size_t)p->dim;
    double rho[3], bound, u[3], moved = 0;
    for (size_t k = 1; k < dim; k++) {
      r[at + k] -= x * def->way[at + k];
      moved += fabs(def->way[at + k]);
    }
    if (!(moved > 0)) continue;
    for (size_t k = 0; k < dim; k++) u[k] = def->u[at + k] - x * def->sum[at + k];
    measure_unilateral(p, i, r, u, rho);
    double t = disk_of(p, i, rho, &bound), share = t > bound ? WITHIN * sqrt(bound / t) : 1;
    for (size_t k = 1; k < dim; k++) r[at + k] -= (1 - share) * rho[k];
  }
}

Status taking_restore(Deformation *def, double *r, double a, double tolerance, int *moved,
                      Arena *arena, Err *err) {
  const Problem *p = def->p;
  size_t size = (size_t)p->n * (size_t)p->dim;
  double *before, work = taking_work(def, r), after = a;
  int64_t blocks = 0; // not the solver's work
  *moved = 0;
  if (!(work > 0)) return OK;
  ARENA_NEW(before, size, arena, err);
  memcpy(before, r, size * sizeof *r);
  for (int step = 0; step < STEPS && work > 0; step++) {
    double c[3];
    way_down(def, r, c, &blocks);
    if (!(c[1] < 0)) break;
    double root = c[1] * c[1] - 4 * c[0] * c[2];
    move(def, root > 0 ? 2 * c[0] / (-c[1] + sqrt(root)) : -0.5 * c[1] / c[2], r);
    after = deformation_residual(def, r, NULL, NULL, &blocks);
    work = taking_work(def, r);
  }
  *moved = after <= fmax(a, tolerance);
  if (!*moved) memcpy(r, before, size * sizeof *r);
  return OK;
}
