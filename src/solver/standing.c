#include "solver/standing.h"

#include <math.h>
#include <string.h>

#include "solver/cone.h"
#include "solver/row.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))
// Straight code for either dimension.
#define BY_DIM(dim, call)                                                                          \
  do {                                                                                             \
    if ((dim) == 2)                                                                                \
      call(2);                                                                                     \
    else                                                                                           \
      call(3);                                                                                     \
  } while (0)

// Weight of the cones over D: twenty courses take 25 steps to 1e-5 from 1e-3 to 1e-2, 80 at 0.1;
// eighty courses 70 at 1e-2 and 27 at 1e-3. So it is that of LOW bodies over one another, and falls
// with their number, by a power between that of chains of loads (1) and of beams (2).
static const double WEIGHT = 1e-2, LOW = 20, FALLS = 1.5;
static const double RELAXATION = 1.6; // over-relaxation, 1.5 to 1.8 in the literature
// By how much a settled contact with all its room yields, over D: 1e-4 brings a digit less a time,
// 1e-8 ends at 1e-9 instead of 1e-11.
static const double YIELD = 1e-6;
static const double ON_CONE = 1e-6; // room over the normal impulse from which a contact sticks

// Lowers the levels of both bodies of contact i by each other's; returns whether it did.
static int lower_levels(const BodySystem *system, int i, int32_t *level) {
  int changed = 0;
  for (int side = 0; side < 2; side++) {
    int body = system->body[2 * i + side], other = system->body[2 * i + !side];
    int32_t below = other < 0 ? 0 : level[other];
    if (body < 0 || level[body] <= below + 1) continue;
    level[body] = below + 1;
    changed = 1;
  }
  return changed;
}

// The weight, by how many bodies stand over one another: contacts from the farthest body to what
// does not move.
static Status weigh(Standing *standing, Arena *arena, Err *err) {
  const BodySystem *system = &standing->system;
  int32_t *level, far = 1;
  int n = standing->p->n, changed = 1;
  ARENA_NEW(level, system->n_bodies + 1, arena, err);
  for (int b = 0; b < system->n_bodies; b++) level[b] = INT32_MAX - 1;
  while (changed) { // there and back: contacts stand in the order of bodies, mostly from below
    changed = 0;
    for (int i = 0; i < n; i++) changed |= lower_levels(system, i, level);
    for (int i = n - 1; i >= 0 && changed; i--) lower_levels(system, i, level);
  }
  for (int b = 0; b < system->n_bodies; b++)
    if (level[b] > far && level[b] < INT32_MAX - 1) far = level[b];
  standing->weight = WEIGHT * pow(fmin(1, LOW / far), FALLS);
  return OK;
}

Status standing_init(Standing *standing, const Problem *p, const double *scale, SolverKept *kept,
                     Arena *arena, Err *err) {
  size_t n = (size_t)p->n, dim = (size_t)p->dim;
  *standing = (Standing){.p = p, .scale = scale};
  TRY(body_system_init(&standing->system, p, kept, arena, err));
  size_t size = (size_t)standing->system.n_bodies * (size_t)standing->system.modes;
  TRY(weigh(standing, arena, err));
  ARENA_NEW(standing->rhs, size, arena, err);
  ARENA_NEW(standing->load, size, arena, err);
  ARENA_NEW(standing->v, size, arena, err);
  ARENA_NEW(standing->z, n * dim, arena, err);
  ARENA_NEW(standing->w, n * dim, arena, err);
  ARENA_NEW(standing->j, n * dim * dim, arena, err);
  return OK;
}

static void clear_bodies(const Standing *standing, double *v) {
  size_t size = (size_t)standing->system.n_bodies * (size_t)standing->system.modes;
  memset(v, 0, size * sizeof *v);
}

ALWAYS_INLINE double speed_t(const int dim, const double *x) {
  return dim == 2 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
}

ALWAYS_INLINE double radius_of(const Problem *p, int i) {
  return p->radius ? p->radius[i] : 0;
}

// ---- settle -------------------------------------------------------------------------------------

// How much contact i gives, J with dr = -J u: over YIELD D by its room, in units of `size`.
ALWAYS_INLINE void give_of(const int dim, const Standing *standing, int i, double size,
                           const double *r, double *j) {
  const Problem *p = standing->p;
  double rho[3] = {0}, most = standing->scale[i] / YIELD;
  for (int k = 0; k < dim * dim; k++) j[k] = 0;
  for (int k = 0; k < dim; k++) rho[k] = r[k] + (p->s ? p->s[i * dim + k] : 0);
  if (!(rho[0] > 0)) return;
  double t = speed_t(dim, rho), bound = p->mu[i] * rho[0] + radius_of(p, i);
  double normal = fmin(1, rho[0] / size), room = fmin(1, (bound - t) / size);
  if (room > ON_CONE * normal) {
    for (int k = 0; k < dim; k++) j[k * dim + k] = most * fmin(normal, room);
    return;
  }
  j[0] = most * normal;
  for (int k = 1; k < dim && t > 0; k++) j[k * dim] = p->mu[i] * rho[k] / t * j[0];
}

// L^T (r - J b) to the right-hand side of the velocities v = L^T (r + dr).
ALWAYS_INLINE void settle_gather(const int dim, Standing *standing, double size, const double *r) {
  const Problem *p = standing->p;
  for (int i = 0; i < p->n; i++) {
    double x[3] = {0}, given[3] = {0}, *j = standing->j + i * dim * dim;
    give_of(dim, standing, i, size, r + i * dim, j);
    block_add(dim, j, p->b + i * dim, given);
    for (int k = 0; k < dim; k++) x[k] = r[i * dim + k] - given[k];
    body_system_add_impulse(dim, &standing->system, i, x, standing->load);
  }
}

// g = r - J (b + L v).
ALWAYS_INLINE void settle_scatter(const int dim, const Standing *standing, const double *r,
                                  double *g) {
  const Problem *p = standing->p;
  for (int i = 0; i < p->n; i++) {
    double u[3] = {0}, given[3] = {0};
    for (int k = 0; k < dim; k++) u[k] = p->b[i * dim + k];
    body_system_add_velocity(dim, &standing->system, i, standing->v, u);
    block_add(dim, standing->j + i * dim * dim, u, given);
    for (int k = 0; k < dim; k++) g[i * dim + k] = r[i * dim + k] - given[k];
  }
}

int standing_settle(Standing *standing, const double *r, double *g, SolverReport *report) {
  const Problem *p = standing->p;
  double size = 0;
  for (int i = 0; i < p->n; i++) size += r[i * p->dim] * r[i * p->dim];
  size = sqrt(size / p->n);
  if (!(size > 0)) return 0;
  clear_bodies(standing, standing->load);
#define GATHER(dim) settle_gather(dim, standing, size, r)
  BY_DIM(p->dim, GATHER);
  if (!body_system_factor(&standing->system, standing->j, &report->blocks)) return 0;
  body_system_solve(&standing->system, standing->load, standing->v, &report->blocks);
#define SCATTER(dim) settle_scatter(dim, standing, r, g)
  BY_DIM(p->dim, SCATTER);
  for (int k = 0; k < p->n * p->dim; k++)
    if (!isfinite(g[k])) return 0;
  return 1;
}

// ---- alternating directions ---------------------------------------------------------------------
//
//   (W + weight D) r = -(b + mu |u_T| e_N) + weight D (z - w),   z = P(r + w),   w += r - z
//
// of which the first is r = z - w - (b + bias + L v) / (weight D) with the velocities v = L^T r of
//   (1 + L^T D^-1 L / weight) v = L^T (z - w - (b + bias) / (weight D)).

// What contact i brings to the right-hand side of the next step.
ALWAYS_INLINE void bring(const int dim, Standing *standing, int i, double bias) {
  const Problem *p = standing->p;
  const double *z = standing->z + i * dim, *w = standing->w + i * dim;
  double x[3], by = standing->scale[i] / standing->weight;
  for (int k = 0; k < dim; k++) x[k] = z[k] - w[k] - by * (p->b[i * dim + k] + (k == 0 ? bias : 0));
  body_system_add_impulse(dim, &standing->system, i, x, standing->rhs);
}

// z = P(x) with x on entry, of the impulses of the unilateral element.
ALWAYS_INLINE void project(const int dim, const Problem *p, int i, double *z) {
  for (int k = 0; k < dim && p->s; k++) z[k] += p->s[i * dim + k];
  cone_project(dim, p->mu[i], radius_of(p, i), z);
  for (int k = 0; k < dim && p->s; k++) z[k] -= p->s[i * dim + k];
}

// Velocity of contact i for those of the bodies, and De Saxce's mu |u_T|.
ALWAYS_INLINE double velocity_of(const int dim, const Standing *standing, int i, double *u) {
  const Problem *p = standing->p;
  for (int k = 0; k < dim; k++) u[k] = p->b[i * dim + k];
  body_system_add_velocity(dim, &standing->system, i, standing->v, u);
  return p->mu[i] * speed_t(dim, u);
}

// z and w as r and its velocities have them: r - (u + bias) / (weight D) in its cone, and the rest.
ALWAYS_INLINE void start(const int dim, Standing *standing, const double *r) {
  const Problem *p = standing->p;
  for (int i = 0; i < p->n; i++)
    body_system_add_impulse(dim, &standing->system, i, r + i * dim, standing->v);
  for (int i = 0; i < p->n; i++) {
    double u[3] = {0}, y[3] = {0}, by = standing->scale[i] / standing->weight,
           *z = standing->z + i * dim;
    double bias = velocity_of(dim, standing, i, u);
    for (int k = 0; k < dim; k++) z[k] = y[k] = r[i * dim + k] - by * (u[k] + (k == 0 ? bias : 0));
    project(dim, p, i, z);
    for (int k = 0; k < dim; k++) standing->w[i * dim + k] = y[k] - z[k];
    bring(dim, standing, i, bias);
  }
}

int standing_go_on(Standing *standing, SolverReport *report) {
  const Problem *p = standing->p;
  size_t dim = (size_t)p->dim, block = dim * dim;
  for (size_t k = 0; k < (size_t)p->n * block; k++)
    standing->j[k] = k % block % (dim + 1) == 0 ? standing->scale[k / block] / standing->weight : 0;
  return body_system_factor(&standing->system, standing->j, &report->blocks);
}

int standing_start(Standing *standing, const double *r, SolverReport *report) {
  clear_bodies(standing, standing->v);
  clear_bodies(standing, standing->rhs);
#define START(dim) start(dim, standing, r)
  BY_DIM(standing->p->dim, START);
  return standing_go_on(standing, report);
}

ALWAYS_INLINE void step(const int dim, Standing *standing) {
  const Problem *p = standing->p;
  for (int i = 0; i < p->n; i++) {
    double *z = standing->z + i * dim, *w = standing->w + i * dim, u[3] = {0}, mixed[3] = {0};
    double bias = velocity_of(dim, standing, i, u), by = standing->scale[i] / standing->weight;
    for (int k = 0; k < dim; k++) {
      double r = z[k] - w[k] - by * (u[k] + (k == 0 ? bias : 0));
      mixed[k] = RELAXATION * r + (1 - RELAXATION) * z[k];
      z[k] = mixed[k] + w[k];
    }
    project(dim, p, i, z);
    for (int k = 0; k < dim; k++) w[k] += mixed[k] - z[k];
    bring(dim, standing, i, bias);
  }
}

void standing_step(Standing *standing, SolverReport *report) {
  body_system_solve(&standing->system, standing->rhs, standing->v, &report->blocks);
  clear_bodies(standing, standing->rhs);
#define STEP(dim) step(dim, standing)
  BY_DIM(standing->p->dim, STEP);
  report->blocks += body_system_products(standing->p);
}
