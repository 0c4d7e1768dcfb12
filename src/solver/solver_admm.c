// Alternating directions (Boyd et al. 2011; for friction Acary, Bourgeat and Huber): r carries the
// equations of motion, z the cones, and one factorisation of W + rho D serves all iterations; De
// Saxce's term is renewed in each. rho follows the balance of the two residuals, rarely, as that
// costs a factor.
//   r+ = r - (W + rho D)^-1 (W r + b + mu |u_T| e_N + rho D (r - z + w))
//   z = P(r + w),  w += r - z

#include <math.h>
#include <string.h>

#include "solver/block_lu.h"
#include "solver/item.h"
#include "solver/solver_table.h"
#include "solver/watch.h"

enum { BALANCE_EVERY = 25 };
static const double RELAXATION = 1.6; // over-relaxation, 1.5 to 1.8 in the literature
static const double RHO_START = 0.1;  // relative to the diagonal
static const double IMBALANCE = 5;    // ratio of the residuals that changes rho
static const double RHO_LEAST = 1e-9, RHO_MOST = 1e3;

typedef struct {
  Watch watch;
  BlockLu lu;
  double *left, *right;
  double *z, *w, *u, *step, *old;
  double rho;
} Admm;

// Returns 0 when the matrix is singular.
static int factor(Admm *admm) {
  const Problem *p = admm->watch.p;
  size_t dim = (size_t)p->dim, block = dim * dim;
  for (size_t i = 0; i < (size_t)p->n; i++)
    for (size_t k = 0; k < block; k++) {
      admm->left[i * block + k] = k % (dim + 1) == 0;
      admm->right[i * block + k] = k % (dim + 1) == 0 ? admm->rho / admm->watch.scale[i] : 0;
    }
  return block_lu_factor(&admm->lu, p, admm->left, admm->right, &admm->watch.report->blocks);
}

// One iteration; residuals of the consensus r - z and of the motion rho D (z - z_old).
static void iterate(Admm *admm, double *r, double *primal, double *dual) {
  const Problem *p = admm->watch.p;
  size_t dim = (size_t)p->dim;
  double *z = admm->z, *w = admm->w, *u = admm->u;
  for (size_t i = 0; i < (size_t)p->n; i++) {
    size_t at = i * dim;
    double t = dim == 2 ? fabs(u[at + 1]) : sqrt(u[at + 1] * u[at + 1] + u[at + 2] * u[at + 2]);
    for (size_t k = 0; k < dim; k++)
      admm->old[at + k] =
          -u[at + k] - admm->rho / admm->watch.scale[i] * (r[at + k] - z[at + k] + w[at + k]);
    admm->old[at] -= p->mu[i] * t;
  }
  block_lu_solve(&admm->lu, admm->old, admm->step);
  *primal = *dual = 0;
  for (size_t k = 0; k < admm->watch.size; k++) r[k] += admm->step[k];
  memcpy(admm->old, z, admm->watch.size * sizeof *z);
  for (size_t i = 0; i < (size_t)p->n; i++) {
    size_t at = i * dim;
    double mixed[3] = {0};
    for (size_t k = 0; k < dim; k++) {
      mixed[k] = RELAXATION * r[at + k] + (1 - RELAXATION) * z[at + k];
      z[at + k] = mixed[k] + w[at + k];
    }
    item_project(p, (int)i, z + at);
    for (size_t k = 0; k < dim; k++) {
      double change = z[at + k] - admm->old[at + k];
      w[at + k] += mixed[k] - z[at + k];
      *primal += (r[at + k] - z[at + k]) * (r[at + k] - z[at + k]);
      *dual += admm->rho * admm->rho * change * change;
    }
  }
  // The velocities of r: equations of the next iteration, and De Saxce's term.
  watch_velocity(&admm->watch, r, u);
}

// Changes rho when one residual outweighs the other; the scaled multiplier w follows.
static int balance(Admm *admm, double primal, double dual) {
  double ratio = sqrt(primal / fmax(dual, 1e-300));
  if (ratio < IMBALANCE && ratio > 1 / IMBALANCE) return 1;
  double rho = admm->rho * (ratio > 1 ? fmin(ratio, 10) : fmax(ratio, 0.1));
  rho = fmin(RHO_MOST, fmax(RHO_LEAST, rho));
  if (rho == admm->rho) return 1;
  for (size_t k = 0; k < admm->watch.size; k++) admm->w[k] *= admm->rho / rho;
  admm->rho = rho;
  return factor(admm);
}

static Status admm_init(Admm *admm, const double *r, Arena *arena, Err *err) {
  size_t size = admm->watch.size, dim = (size_t)admm->watch.p->dim;
  TRY(block_lu_init(&admm->lu, admm->watch.p, arena, err));
  ARENA_NEW(admm->left, size * dim, arena, err);
  ARENA_NEW(admm->right, size * dim, arena, err);
  ARENA_NEW(admm->z, size, arena, err);
  ARENA_NEW(admm->w, size, arena, err);
  ARENA_NEW(admm->u, size, arena, err);
  ARENA_NEW(admm->step, size, arena, err);
  ARENA_NEW(admm->old, size, arena, err);
  memcpy(admm->z, r, size * sizeof *r);
  memset(admm->w, 0, size * sizeof *r);
  return OK;
}

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  Admm admm = {.rho = RHO_START};
  TRY(watch_init(&admm.watch, p, settings, r, arena, report, err));
  if (p->n > 0) TRY(admm_init(&admm, r, arena, err));
  if (p->n == 0 || !admm.lu.made || !factor(&admm)) {
    if (p->n > 0) report->reason = "W + rho D cannot be factorised";
    watch_finish(&admm.watch, r);
    return OK;
  }
  watch_velocity(&admm.watch, r, admm.u);
  while (watch_next(&admm.watch)) {
    double primal, dual;
    iterate(&admm, r, &primal, &dual);
    watch_test(&admm.watch, admm.z);
    if (report->iterations % BALANCE_EVERY == 0 && !balance(&admm, primal, dual)) break;
  }
  watch_finish(&admm.watch, r);
  return OK;
}

const SolverType solver_admm = {
    .name = "admm",
    .doc = "Alternating directions with one factorisation and over-relaxation",
    .max_iterations = 10000,
    .pure_cone_only = 1,
    .needs_blocks = 1,
    .solve = solve,
};
