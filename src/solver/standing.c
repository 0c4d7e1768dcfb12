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
// By how much a settled contact with all its room yields, over D: 1e-4 brings a digit less a time.
// With 1e-8 shear_wall.xml, pushed at 15 kN, takes ten times as many iterations.
static const double YIELD = 1e-6;
// What is heavy or tall is held by contacts that are many times softer than its motions are slow,
// and sinks where single stones would not. Masses at contacts that are as UNLIKE as this want as
// much less: 1 m on a stone of 0.1 m (2700) would keep nine tenths of its error each time; all
// shipped inputs are below 50. Towers want less by a power of their height: four blocks wide and 80
// courses high they sway with 1e-6, and carry their weight to 1e-10 with the third power.
static const double UNLIKE = 300, SWAYS = 3;
// With 1e-12 nothing is left of the factors (a million kilograms on stones of two: 8e5), with 1e-10
// the floor bears these to 3e-8.
static const double YIELD_LEAST = 1e-10;
static const double BEARS = 1e-3;   // impulse over their mean from which a contact bears
static const double ON_CONE = 1e-6; // room over the normal impulse from which a contact sticks
// Of its disk, that friction keeps which is put back: left on its cone it would count as slipping,
// and with half of it columns of 100 drums need more turns.
static const double ROOM_BACK = 0.1;

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

// How many bodies stand over one another: contacts from the farthest body to what does not move.
static Status find_height(Standing *standing, Arena *arena, Err *err) {
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
  standing->tall = fmax(1, far / LOW);
  return OK;
}

// Squares of the lever of one side of contact i: dim over the mass that its body has there.
static double lever_square(const Problem *p, int i, int side) {
  size_t size = (size_t)p->dim * (size_t)p->bodies.n_modes;
  const double *lever = p->bodies.lever + (2 * (size_t)i + (size_t)side) * size;
  double sum = 0;
  for (size_t k = 0; k < size; k++) sum += lever[k] * lever[k];
  return sum;
}

// The largest mass of a body at a contact, over the least that contacts have.
static double unlike(const Standing *standing) {
  const Problem *p = standing->p;
  double heaviest = 0, lightest = (double)INFINITY;
  for (int i = 0; i < p->n; i++) {
    lightest = fmin(lightest, standing->scale[i]);
    for (int side = 0; side < 2; side++)
      if (p->bodies.moved[2 * i + side] >= 0)
        heaviest = fmax(heaviest, p->dim / lever_square(p, i, side));
  }
  return heaviest / lightest;
}

static double yield_of(const Standing *standing) {
  double ratio = unlike(standing), yield = YIELD * pow(standing->tall, -SWAYS);
  if (ratio > UNLIKE) yield /= ratio;
  return fmax(YIELD_LEAST, yield);
}

Status standing_init(Standing *standing, const Problem *p, const double *scale, SolverKept *kept,
                     Arena *arena, Err *err) {
  size_t n = (size_t)p->n, dim = (size_t)p->dim;
  *standing = (Standing){.p = p, .scale = scale};
  TRY(body_system_init(&standing->system, p, kept, arena, err));
  size_t size = (size_t)standing->system.n_bodies * (size_t)standing->system.modes;
  TRY(sway_init(&standing->sway, &standing->system, arena, err));
  TRY(find_height(standing, arena, err));
  standing->weight = WEIGHT * pow(standing->tall, -FALLS);
  standing->yield = yield_of(standing);
  ARENA_NEW(standing->rhs, size, arena, err);
  ARENA_NEW(standing->load, size, arena, err);
  ARENA_NEW(standing->v, size, arena, err);
  ARENA_NEW(standing->z, n * dim, arena, err);
  ARENA_NEW(standing->w, n * dim, arena, err);
  ARENA_NEW(standing->j, n * dim * dim, arena, err);
  ARENA_NEW(standing->open, n + 1, arena, err);
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

// u = b + L v: velocity of contact i for those of the bodies.
ALWAYS_INLINE void velocity_at(const int dim, const Standing *standing, int i, double *u) {
  for (int k = 0; k < dim; k++) u[k] = standing->p->b[i * dim + k];
  body_system_add_velocity(dim, &standing->system, i, standing->v, u);
}

// ---- settle -------------------------------------------------------------------------------------

// Is contact i open by far? Then what impulse it was left with is error, and no less for being
// small: a light body moves by it.
ALWAYS_INLINE int opens(const int dim, const Standing *standing, int i, const double *r,
                        const double *u) {
  const Problem *p = standing->p;
  if ((p->s && p->s[i * dim] != 0) || radius_of(p, i) > 0) return 0;
  return u[0] > standing->far && r[0] <= standing->scale[i] * u[0];
}

// How much contact i gives, J with dr = -J u: 1 / (yield D) by its room, in units of `size`.
ALWAYS_INLINE void give_of(const int dim, Standing *standing, int i, double size, const double *r,
                           double *j) {
  const Problem *p = standing->p;
  double rho[3] = {0}, most = standing->scale[i] / standing->yield;
  for (int k = 0; k < dim * dim; k++) j[k] = 0;
  for (int k = 0; k < dim; k++) rho[k] = r[k] + (p->s ? p->s[i * dim + k] : 0);
  if (!(rho[0] > 0)) return;
  double t = speed_t(dim, rho), bound = p->mu[i] * rho[0] + radius_of(p, i);
  double normal = fmin(1, rho[0] / size), room = fmin(1, (bound - t) / size);
  if (room > ON_CONE * normal) {
    for (int k = 0; k < dim; k++) j[k * dim + k] = most * fmin(normal, room);
    return;
  }
  standing->slips = 1;
  j[0] = most * normal;
  for (int k = 1; k < dim && t > 0; k++) j[k * dim] = p->mu[i] * rho[k] / t * j[0];
}

// v = L^T r: the velocities that impulses give to the bodies.
ALWAYS_INLINE void settle_moves(const int dim, Standing *standing, const double *r) {
  for (int i = 0; i < standing->p->n; i++)
    body_system_add_impulse(dim, &standing->system, i, r + i * dim, standing->v);
}

// -L^T J u to the right-hand side of the changes dv = L^T dr, and u to g.
ALWAYS_INLINE void settle_gather(const int dim, Standing *standing, double size, const double *r,
                                 double *g) {
  for (int i = 0; i < standing->p->n; i++) {
    double given[3] = {0}, *j = standing->j + i * dim * dim, *u = g + i * dim;
    velocity_at(dim, standing, i, u);
    standing->open[i] = (uint8_t)opens(dim, standing, i, r + i * dim, u);
    give_of(dim, standing, i, size, r + i * dim, j);
    if (standing->open[i]) memset(j, 0, sizeof *j * (size_t)(dim * dim));
    block_add(dim, j, u, given);
    for (int k = 0; k < dim; k++) given[k] = standing->open[i] ? -r[i * dim + k] : -given[k];
    body_system_add_impulse(dim, &standing->system, i, given, standing->load);
  }
}

// g = r - J (u + L dv) with u in g.
ALWAYS_INLINE void settle_scatter(const int dim, const Standing *standing, const double *r,
                                  double *g) {
  for (int i = 0; i < standing->p->n; i++) {
    double u[3] = {0}, given[3] = {0};
    for (int k = 0; k < dim; k++) u[k] = g[i * dim + k];
    body_system_add_velocity(dim, &standing->system, i, standing->v, u);
    block_add(dim, standing->j + i * dim * dim, u, given);
    for (int k = 0; k < dim; k++)
      g[i * dim + k] = standing->open[i] ? 0 : r[i * dim + k] - given[k];
  }
}

// From which velocity a contact is open by far: the largest that drives one which bears. Only where
// impulses were found anew: those that are settled step after step, at rest, have no such error.
static double far_of(const Standing *standing, double size, const double *r) {
  const Problem *p = standing->p;
  double most = standing->clears ? 0 : (double)INFINITY;
  for (int i = 0; i < p->n; i++)
    for (int k = 0; k < p->dim && r[i * p->dim] > BEARS * size; k++)
      most = fmax(most, fabs(p->b[i * p->dim + k]));
  return most;
}

int standing_settle(Standing *standing, const double *r, double *g, SolverReport *report) {
  const Problem *p = standing->p;
  double size = 0;
  for (int i = 0; i < p->n; i++) size += r[i * p->dim] * r[i * p->dim];
  size = sqrt(size / p->n);
  if (!(size > 0)) return 0;
  standing->far = far_of(standing, size, r);
  standing->slips = 0;
  clear_bodies(standing, standing->load);
  clear_bodies(standing, standing->v);
#define MOVES(dim) settle_moves(dim, standing, r)
  BY_DIM(p->dim, MOVES);
#define GATHER(dim) settle_gather(dim, standing, size, r, g)
  BY_DIM(p->dim, GATHER);
  if (!body_system_factor(&standing->system, standing->j, &report->blocks)) return 0;
  body_system_solve(&standing->system, standing->load, standing->v, &report->blocks);
#define SCATTER(dim) settle_scatter(dim, standing, r, g)
  BY_DIM(p->dim, SCATTER);
  for (int k = 0; k < p->n * p->dim; k++)
    if (!isfinite(g[k])) return 0;
  return 1;
}

// g += J L y.
ALWAYS_INLINE void settle_more(const int dim, const Standing *standing, const double *y,
                               double *g) {
  for (int i = 0; i < standing->p->n; i++) {
    double u[3] = {0};
    body_system_add_velocity(dim, &standing->system, i, y, u);
    block_add(dim, standing->j + i * dim * dim, u, g + i * dim);
  }
}

int standing_settle_sway(Standing *standing, double *g, SolverReport *report) {
  if (standing->slips || standing->system.n_bodies < 2) return 0; // or nothing to sway on
  if (!sway_find(&standing->sway, &standing->system, standing->v, &report->blocks)) return 0;
#define MORE(dim) settle_more(dim, standing, standing->sway.y, g)
  BY_DIM(standing->p->dim, MORE);
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

ALWAYS_INLINE void put_back(const int dim, const Problem *p, int i, double *r) {
  double rho[3] = {0};
  project(dim, p, i, r);
  for (int k = 0; k < dim; k++) rho[k] = r[k] + (p->s ? p->s[i * dim + k] : 0);
  double most = ROOM_BACK * (p->mu[i] * rho[0] + radius_of(p, i)), t = speed_t(dim, rho);
  for (int k = 1; k < dim && t > most; k++) r[k] -= (1 - most / t) * rho[k];
}

void standing_put_back(const Standing *standing, double *r) {
#define PUT_BACK(dim)                                                                              \
  for (int i = 0; i < standing->p->n; i++) put_back(dim, standing->p, i, r + i * dim)
  BY_DIM(standing->p->dim, PUT_BACK);
}

int standing_is_delicate(const Standing *standing) {
  return standing->yield < YIELD;
}

// u = b + L v of contact i, and De Saxce's mu |u_T|.
ALWAYS_INLINE double velocity_of(const int dim, const Standing *standing, int i, double *u) {
  velocity_at(dim, standing, i, u);
  return standing->p->mu[i] * speed_t(dim, u);
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
