// solver/operator.h -- products with W, whichever way a Problem holds it. The one home of both
// layouts: solvers ask here, and only those that factorise read blocks themselves.
//
// By blocks a row costs its blocks. By bodies it costs two sides, however many contacts a body has:
// L^T r, momenta of bodies over the roots of their masses, is kept while impulses change. Rows must
// therefore be introduced by operator_set, and what changes r in between goes through
// operator_move.

#ifndef SOLVER_OPERATOR_H
#define SOLVER_OPERATOR_H

#include <string.h>

#include "solver/row.h"

static inline int operator_by_bodies(const Problem *p) {
  return !p->blocks.ptr;
}

// Blocks of W that a product costs; of bodies what their numbers amount to: two sides, there and
// back.
static inline int64_t operator_cost(const Problem *p) {
  if (!operator_by_bodies(p)) return p->blocks.ptr[p->n] + p->n;
  return (int64_t)p->n * (4 * p->bodies.n_modes / p->dim + 1);
}

// Numbers in W from which loops over all contacts are worth waking the threads.
enum { NUMBERS_FOR_THREADS = 1 << 20 };
static inline int problem_for_threads(const Problem *p) {
  return operator_cost(p) * p->dim * p->dim >= NUMBERS_FOR_THREADS;
}

// u = base + L (L^T r) of contact i.
static inline __attribute__((always_inline)) void bodies_row(const int dim, const BodyRows *rows,
                                                             int i, const double *base, double *u) {
  const int modes = dim == 2 ? 3 : 6;
  for (int k = 0; k < dim; k++) u[k] = base[k];
  for (int side = 0; side < 2; side++) {
    int body = rows->moved[2 * i + side];
    if (body < 0) continue;
    const double *v = rows->motion + (size_t)body * modes,
                 *lever = rows->lever + (2 * (size_t)i + (size_t)side) * (size_t)(dim * modes);
    for (int k = 0; k < dim; k++) {
      double sum = 0;
      for (int m = 0; m < modes; m++) sum += lever[k * modes + m] * v[m];
      u[k] += sum;
    }
  }
}

// L^T r += L_i^T x.
static inline __attribute__((always_inline)) void bodies_add(const int dim, const BodyRows *rows,
                                                             int i, const double *x) {
  const int modes = dim == 2 ? 3 : 6;
  for (int side = 0; side < 2; side++) {
    int body = rows->moved[2 * i + side];
    if (body < 0) continue;
    double *v = rows->motion + (size_t)body * modes;
    const double *lever = rows->lever + (2 * (size_t)i + (size_t)side) * (size_t)(dim * modes);
    for (int m = 0; m < modes; m++) {
      double sum = 0;
      for (int k = 0; k < dim; k++) sum += lever[k * modes + m] * x[k];
      v[m] += sum;
    }
  }
}

// u = b + W r of contact i without its own impulse, by bodies.
static inline __attribute__((always_inline)) void bodies_others(const int dim, const Problem *p,
                                                                int i, const double *r, double *u) {
  size_t at = (size_t)dim * (size_t)i;
  const double *own = p->bodies.own + at * dim;
  double base[3]; // before the bodies are waited for
  for (int k = 0; k < dim; k++) {
    base[k] = p->b[at + (size_t)k];
    for (int l = 0; l < dim; l++) base[k] -= own[k * dim + l] * r[at + (size_t)l];
  }
  bodies_row(dim, &p->bodies, i, base, u);
}

// The rows that follow are those of r.
void operator_set(const Problem *p, const double *r);

// u = b + W r of contact i without the diagonal block, and with it; after operator_set.
static inline void operator_others(const Problem *p, int i, const double *r, double *u) {
  if (!operator_by_bodies(p))
    row_times(p, i, r, u);
  else if (p->dim == 2)
    bodies_others(2, p, i, r, u);
  else
    bodies_others(3, p, i, r, u);
}
static inline void operator_row(const Problem *p, int i, const double *r, double *u) {
  size_t at = (size_t)i * (size_t)p->dim;
  operator_others(p, i, r, u);
  block_add(p->dim, p->diag + at * (size_t)p->dim, r + at, u);
}

// r_i = z, and the rows that follow know it.
static inline void operator_move(const Problem *p, int i, const double *z, double *r) {
  double *own = r + (size_t)i * (size_t)p->dim, x[3] = {0};
  if (operator_by_bodies(p)) {
    for (int k = 0; k < p->dim; k++) x[k] = z[k] - own[k];
    if (p->dim == 2)
      bodies_add(2, &p->bodies, i, x);
    else
      bodies_add(3, &p->bodies, i, x);
  }
  memcpy(own, z, (size_t)p->dim * sizeof *own);
}

// y = base + W x of all contacts, on all threads where that pays; base NULL: zero.
void operator_times(const Problem *p, const double *base, const double *x, double *y);

// Sum of the sizes of all products in component `at` of b + W r: what its round-off is measured by.
// After operator_set_sizes.
void operator_set_sizes(const Problem *p, const double *r);
double operator_size(const Problem *p, size_t at, const double *r);

// *whole = p with W by blocks; what is not there is made in the arena.
Status operator_blocks(const Problem *p, Problem *whole, Arena *arena, Err *err) MUST_CHECK;

#endif
