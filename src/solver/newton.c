#include "solver/newton.h"

#include <math.h>
#include <string.h>

#include "solver/item.h"
#include "solver/measure.h"
#include "solver/operator.h"

// Relative distance to the bound at which an impulse counts as on the cone.
static const double ON_CONE = 1e-12;
// The same for impulses of another step, which factors have left there.
static const double ON_CONE_BEFORE = 1e-7;

Status newton_init(Newton *newton, const Sweeper *sweeper, SolverKept *kept, Arena *arena,
                   Err *err) {
  const Problem *p = sweeper->p;
  *newton = (Newton){.sweeper = sweeper};
  int block = p->dim * p->dim;
  TRY(kept_factors(kept, FACTORS_OF_SOLVER, &newton->lu, p, arena, err));
  ARENA_NEW(newton->left, p->n * block, arena, err);
  ARENA_NEW(newton->right, p->n * block, arena, err);
  ARENA_NEW(newton->residual, p->n * p->dim, arena, err);
  ARENA_NEW(newton->status, p->n, arena, err);
  memset(newton->status, -1, (size_t)p->n);
  return OK;
}

typedef struct {
  double p[9], q[9], c[3]; // P u' + Q rho = c
  int status;
} Conditions;

// Tangential rows in the plane: stick, or rho_T = +-(mu rho_N + radius).
static void slip_rows2(double mu, double radius, const LocalSolution *local, Conditions *out) {
  double sense = local->rho[1] > 0 ? 1 : -1;
  if (local->rho[1] == 0) sense = local->u[1] > 0 ? -1 : 1;
  out->q[2] = -sense * mu;
  out->q[3] = 1;
  out->c[1] = sense * radius;
}

// In space: along t the bound, across it the direction of the velocity.
static void slip_rows3(double mu, double radius, const LocalSolution *local, Conditions *out) {
  const double *rho = local->rho, *u = local->u;
  double force = sqrt(rho[1] * rho[1] + rho[2] * rho[2]);
  double speed = sqrt(u[1] * u[1] + u[2] * u[2]);
  if (!(force > 0)) { // no friction at all
    out->q[4] = out->q[8] = 1;
    return;
  }
  double t[2] = {rho[1] / force, rho[2] / force}, lambda = speed / force;
  out->q[3] = -mu;
  out->q[4] = t[0];
  out->q[5] = t[1];
  out->c[1] = radius;
  out->p[7] = -t[1];
  out->p[8] = t[0];
  out->q[7] = -lambda * t[1];
  out->q[8] = lambda * t[0];
}

static void conditions_of(int dim, double mu, double radius, double on_cone,
                          const LocalSolution *local, Conditions *out) {
  *out = (Conditions){0};
  const double *rho = local->rho;
  double force = dim == 2 ? fabs(rho[1]) : sqrt(rho[1] * rho[1] + rho[2] * rho[2]);
  double bound = mu * rho[0] + radius;
  int closed = rho[0] > 0, slips = force >= (1 - on_cone) * bound;
  out->status = closed + 2 * slips;
  if (closed)
    out->p[0] = 1;
  else
    out->q[0] = 1;
  if (!slips) {
    out->p[dim + 1] = 1;
    if (dim == 3) out->p[8] = 1;
  } else if (!closed && !(radius > 0)) {
    out->q[dim + 1] = 1;
    if (dim == 3) out->q[8] = 1;
  } else if (dim == 2) {
    slip_rows2(mu, radius, local, out);
  } else {
    slip_rows3(mu, radius, local, out);
  }
}

// Rows of a box: at a bound it is that, else it stands still.
static void conditions_of_box(const Item *item, int dim, const double *rho, Conditions *out) {
  *out = (Conditions){0};
  for (int k = 0; k < dim; k++) {
    int holds = item_holds(item, k, rho[k]);
    out->p[k * dim + k] = holds;
    out->q[k * dim + k] = !holds;
    out->c[k] = holds ? 0 : item_clamp(item, k, rho[k]);
    out->status |= holds << k | (!holds && rho[k] > 0) << (k + 3);
  }
}

typedef struct {
  StatusSource source;
  const Deformation *def;
  double ridge;
} Linearisation;

// Element and velocity that tell the status of contact i, whose own at r are u and rho.
static void status_of(const Newton *newton, const Linearisation *how, int i, const double *r,
                      const double *u, const double *rho, LocalSolution *local) {
  const Sweeper *sweeper = newton->sweeper;
  int dim = sweeper->p->dim;
  if (how->source == STATUSES_LOCAL) {
    sweeper_solve_contact(sweeper, i, r, local);
    return;
  }
  // What springs have taken since the last step is in the shift.
  int before = how->source == STATUSES_OF_IMPULSES;
  for (int k = 0; k < dim; k++) {
    size_t at = (size_t)i * (size_t)dim + (size_t)k;
    local->u[k] = u[k];
    local->rho[k] = before ? r[at] + (sweeper->p->s ? sweeper->p->s[at] : 0) : rho[k];
  }
  if (how->source == STATUSES_ELASTIC) deformation_project(how->def, i, local->rho);
}

// Ridge times D, before the rows of u'.
static double ridge_entry(const Problem *p, const Linearisation *how, int i, int k, int l) {
  if (how->def) return k == l ? how->ridge * how->def->d[2 * (size_t)i + (k > 0)] : 0;
  return how->ridge *
         p->diag[((size_t)i * (size_t)p->dim + (size_t)k) * (size_t)p->dim + (size_t)l];
}

// Blocks and residual of contact i at r.
static void linearise(Newton *newton, const Linearisation *how, int i, const double *r) {
  const Problem *p = newton->sweeper->p;
  int dim = p->dim;
  size_t at = (size_t)i * (size_t)dim, block = at * (size_t)dim;
  double radius = p->radius ? p->radius[i] : 0;
  LocalSolution local = {0};
  Conditions now;
  double u[3], rho[3], *left = newton->left + block, *right = newton->right + block;
  operator_row(p, i, r, u);
  measure_unilateral(p, i, r, u, rho);
  status_of(newton, how, i, r, u, rho, &local);
  if (item_is_box(p, i))
    conditions_of_box(&p->item[i], dim, local.rho, &now);
  else
    conditions_of(dim, p->mu[i], radius,
                  how->source == STATUSES_OF_IMPULSES ? ON_CONE_BEFORE : ON_CONE, &local, &now);
  newton->changed += newton->status[i] != now.status;
  newton->status[i] = (int8_t)now.status;
  double extra[9] = {0};
  for (int k = 0; k < dim; k++) {
    double sum = now.c[k];
    for (int l = 0; l < dim; l++) {
      double q = now.q[k * dim + l], own = now.p[k * dim + l];
      sum -= own * u[l] + q * rho[l];
      if (p->a) own += q * p->a[2 * (size_t)i + (l > 0)];
      left[k * dim + l] = own;
      right[k * dim + l] = q;
      for (int m = 0; m < dim; m++)
        extra[k * dim + m] += now.p[k * dim + l] * ridge_entry(p, how, i, l, m);
    }
    newton->residual[at + (size_t)k] = sum;
  }
  for (int k = 0; k < dim * dim; k++) right[k] += extra[k];
}

int newton_step_from(Newton *newton, StatusSource source, const Deformation *def, const double *r,
                     double ridge, double *step, SolverReport *report) {
  const Problem *p = newton->sweeper->p;
  Linearisation how = {source, def, ridge};
  newton->changed = 0;
  operator_set(p, r);
  for (int i = 0; i < p->n; i++) linearise(newton, &how, i, r);
  report->blocks += (source == STATUSES_LOCAL ? 2 : 1) * operator_cost(p);
  if (!block_lu_factor(&newton->lu, p, newton->left, newton->right, &report->blocks)) return 0;
  block_lu_solve(&newton->lu, newton->residual, step);
  report->blocks += 2 * newton->lu.l_ptr[p->n];
  for (int k = 0; k < p->n * p->dim; k++)
    if (!isfinite(step[k])) return 0;
  return 1;
}

int newton_step(Newton *newton, const double *r, double ridge, double *step, SolverReport *report) {
  return newton_step_from(newton, STATUSES_LOCAL, NULL, r, ridge, step, report);
}
