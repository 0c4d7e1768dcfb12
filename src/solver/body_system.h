// solver/body_system.h -- linear systems of contacts between rigid bodies in the velocities of
// these.
//
// Where all of W is rigid, W = L L^T with the 3 or 6 columns of each body's motions (problem.h), a
// system 1 + L^T J L with a block J of dim x dim for each contact has the pattern of bodies that
// touch: a wall has some twenty contacts a block, so the matrix is as many times smaller than W.
// Where forces are not unique it is regular all the same.

#ifndef SOLVER_BODY_SYSTEM_H
#define SOLVER_BODY_SYSTEM_H

#include "solver/kept.h"

typedef struct {
  const Problem *p;
  int n_bodies, modes; // bodies that are touched; 3 in the plane, 6 in space
  int32_t *body;       // [2 n] number of the body of a side among these, -1: it does not move
  int64_t *beside;     // [n * 2] first blocks of side 0's rows that side 1's columns have, and back
  Problem matrix;      // blocks of 3 x 3: one a body in the plane, two in space
  double *w, *diag, *left, *right;
  BlockLu lu;
} BodySystem;

// Is the diagonal block of contact i that of its bodies' rigid motions? Of p->bodies with levers.
int contact_is_rigid(const Problem *p, int i);

// Is all of W rigid and known by bodies, and all items cones without stiffness in parallel?
int body_system_takes(const Problem *p);

// How many bodies contacts touch.
Status body_system_count(const Problem *p, int *n_bodies, Arena *arena, Err *err) MUST_CHECK;

// Blocks of W that a product with L, there and back, amounts to.
static inline int64_t body_system_products(const Problem *p) {
  return (int64_t)p->n * (4 * p->bodies.n_modes / p->dim);
}
// What a factor costs, in blocks.
static inline int64_t body_system_cost(const BodySystem *system) {
  return system->lu.updates + 2 * body_system_products(system->p);
}

// Pattern and its analysis; where the factors would be too large system->lu.made stays 0.
Status body_system_init(BodySystem *system, const Problem *p, SolverKept *kept, Arena *arena,
                        Err *err) MUST_CHECK;

// Factors of 1 + L^T J L, J [n * dim * dim]. Returns 0 where they are singular. Adds the work to
// *blocks.
int body_system_factor(BodySystem *system, const double *j, int64_t *blocks);
// x = (1 + L^T J L)^-1 b, both [n_bodies * modes]; they may be the same.
void body_system_solve(const BodySystem *system, const double *b, double *x, int64_t *blocks);

// u += L v of contact i, and v += L^T r.
static inline __attribute__((always_inline)) void body_system_add_velocity(const int dim,
                                                                           const BodySystem *system,
                                                                           int i, const double *v,
                                                                           double *u) {
  const int modes = dim == 2 ? 3 : 6;
  for (int side = 0; side < 2; side++) {
    int body = system->body[2 * i + side];
    if (body < 0) continue;
    const double *own = v + (size_t)body * modes,
                 *lever = system->p->bodies.lever +
                          (2 * (size_t)i + (size_t)side) * (size_t)(dim * modes);
    for (int k = 0; k < dim; k++)
      for (int m = 0; m < modes; m++) u[k] += lever[k * modes + m] * own[m];
  }
}
static inline __attribute__((always_inline)) void body_system_add_impulse(const int dim,
                                                                          const BodySystem *system,
                                                                          int i, const double *r,
                                                                          double *v) {
  const int modes = dim == 2 ? 3 : 6;
  for (int side = 0; side < 2; side++) {
    int body = system->body[2 * i + side];
    if (body < 0) continue;
    double *own = v + (size_t)body * modes;
    const double *lever =
        system->p->bodies.lever + (2 * (size_t)i + (size_t)side) * (size_t)(dim * modes);
    for (int m = 0; m < modes; m++)
      for (int k = 0; k < dim; k++) own[m] += lever[k * modes + m] * r[k];
  }
}

#endif
