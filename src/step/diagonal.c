// Contact by the diagonal blocks of W alone, in Newton's loop (Jean 1999, section 9.2, items 2 and
// 3).
//
// Each contact is solved for itself as if its nodes were alone, from the velocities that all
// impulses make, again and again: no W, a solve with w a time. It converges where the mass rules,
// h^2 K < M or not much more.

#include <math.h>
#include <string.h>

#include "solver/deformation.h"
#include "solver/measure.h"
#include "solver/sweeper.h"
#include "step/newton_internal.h"

// Solves of all contacts, each for itself, in one increment; each takes one solve with w.
enum { MOST_SWEEPS = 25 };
// Share of Newton's residual that the error of contact may be before the last increments.
static const double ERROR_SHARE = 0.1;
// The error in the energy of deformation over what the blocks say of it, for they see what is near
// and not what is smooth: 8 to 60 times was found (11 blocks of 1e8 to 5e10 Pa).
static const double UNSEEN = 30;
// Where blocks turn out too small, and errors grow, they grow by this.
static const double GROWTH = 2;

// Inverse of a symmetric block over the components that are free; the others yield nothing.
static void invert_block(int dim, double a[3][3], const uint8_t *fixed, double inverse[3][3]) {
  double x[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      x[i][j] = i < dim && j < dim && !fixed[i] && !fixed[j] ? a[i][j] : i == j;
  double det = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int p = (i + 1) % 3, q = (i + 2) % 3, s = (j + 1) % 3, t = (j + 2) % 3;
      inverse[j][i] = x[p][s] * x[q][t] - x[p][t] * x[q][s];
      if (i == 0) det += x[0][j] * inverse[j][0];
    }
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) inverse[i][j] = fixed[i] || fixed[j] ? 0 : inverse[i][j] / det;
}

// w of one node as if it were alone.
static void node_compliance(const NewtonStep *step, const NewtonWork *work, int node,
                            double w[3][3]) {
  const BodySet *bs = &step->model->bodies;
  const FiniteSystem *system = &work->system;
  int dim = bs->dim, body = bs->body_of[node], at = newton_unknown(bs, system, node, 0);
  double a[3][3] = {{0}};
  memset(w, 0, 9 * sizeof(double));
  if (at < 0) return;
  int by_mass = bs->type[body]->given || !newton_uses_factor(step->model->steps.newton.matrix);
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) {
      if (by_mass) {
        a[i][j] = i == j ? system->mass[at + i] : 0;
        continue;
      }
      const FiniteMatrix *m = &system->matrix[bs->own[body]];
      a[i][j] = m->matrix.val[sparse_find(&m->matrix, at - m->first + i, at - m->first + j)];
    }
  invert_block(dim, a, system->fixed + at, w);
}

// Blocks that bound W from above, if nodes do not feel one another: of each node as often as
// contacts touch it.
static Status make_blocks(const NewtonStep *step, const NewtonWork *work, double *block, Err *err) {
  const Contact *contact = contact_list(step->work->contact);
  int dim = step->model->bodies.dim, n = contact_count(step->work->contact), *times;
  ARENA_NEW(times, step->model->bodies.n_nodes, &step->work->arena, err);
  memset(times, 0, sizeof *times * (size_t)step->model->bodies.n_nodes);
  for (int c = 0; c < 2 * n; c++) {
    const Site *site = &contact[c / 2].side[c % 2];
    for (int j = 0; j < site->n; j++) times[site->node[j]] += site->weight[j] != 0;
  }
  memset(block, 0, sizeof *block * (size_t)(n * dim * dim));
  for (int s = 0; s < 2 * n; s++) {
    const int c = s / 2;
    const Site *site = &contact[c].side[s % 2];
    for (int j = 0; j < site->n; j++) {
      double w[3][3], weight = site->weight[j];
      node_compliance(step, work, site->node[j], w);
      weight *= weight * times[site->node[j]];
      for (int a = 0; a < dim; a++)
        for (int b = 0; b < dim; b++)
          for (int p = 0; p < dim; p++)
            for (int q = 0; q < dim; q++)
              block[(size_t)dim * (size_t)(dim * c + a) + (size_t)b] +=
                  weight * contact[c].axis[a][p] * w[p][q] * contact[c].axis[b][q];
    }
  }
  return OK;
}

// Contacts without off-diagonal blocks, and their arrays that change.
typedef struct {
  Problem problem;
  Sweeper sweeper;
  double *block;         // [dim * dim * n] of W
  double *diag, *b, *mu; // of the problem
  double *shift;         // [dim * n] what the laws add to velocities
  double *u;             // [dim * n]
  double *free;          // system vector w g
} Diagonal;

static void grow_blocks(Diagonal *d, const Problem *laws, double factor) {
  int dim = laws->dim;
  for (int k = 0; k < dim * dim * laws->n; k++) {
    d->block[k] *= factor;
    d->diag[k] = d->block[k] + laws->diag[k];
  }
  for (int c = 0; c < laws->n; c++) {
    double *own = d->diag + (size_t)(dim * dim * c), largest = 0;
    for (int k = 0; k < dim; k++) largest = fmax(largest, own[(dim + 1) * k]);
    if (own[0] > PRESCRIBED * largest) continue;
    memset(own, 0, sizeof *own * (size_t)(dim * dim)); // nothing opens it: it is passed over
    for (int k = 0; k < dim; k++) own[(dim + 1) * k] = largest > 0 ? largest : 1;
    d->mu[c] = 0;
    d->shift[dim * c] = (double)INFINITY;
  }
}

static Status begin(Diagonal *d, NewtonStep *step, NewtonWork *work, Err *err) {
  StepWork *sw = step->work;
  Arena *arena = &sw->arena;
  int dim = step->model->bodies.dim, n = contact_count(sw->contact);
  int64_t *ptr;
  double *warm;
  TRY(contact_laws(&step->contact, step->v1, &sw->problem, &warm, arena, err));
  ARENA_NEW(d->block, dim * dim * n + 1, arena, err);
  ARENA_NEW(d->diag, dim * dim * n + 1, arena, err);
  ARENA_NEW(d->b, dim * n + 1, arena, err);
  ARENA_NEW(d->mu, n + 1, arena, err);
  ARENA_NEW(d->shift, dim * n + 1, arena, err);
  ARENA_NEW(d->u, dim * n + 1, arena, err);
  ARENA_NEW(d->free, work->system.n, arena, err);
  ARENA_NEW(ptr, n + 1, arena, err);
  memset(ptr, 0, sizeof *ptr * (size_t)(n + 1));
  contact_velocities(sw->contact, step->v1, d->u);
  for (int k = 0; k < dim * n; k++) d->shift[k] = sw->problem.b[k] - d->u[k];
  for (int c = 0; c < n; c++) d->mu[c] = sw->problem.mu[c];
  TRY(make_blocks(step, work, d->block, err));
  grow_blocks(d, &sw->problem, 1);
  d->problem = sw->problem;
  d->problem.blocks.ptr = ptr;
  d->problem.diag = d->diag;
  d->problem.b = d->b;
  d->problem.mu = d->mu;
  return newton_apply(step, work, work->g, d->free, err);
}

// dv = w (g + H r), and the problem whose solution is r if nothing else moves the contacts.
static Status respond(Diagonal *d, NewtonStep *step, NewtonWork *work, Err *err) {
  const FiniteSystem *system = &work->system;
  const BodySet *bs = &step->model->bodies;
  int dim = bs->dim;
  newton_spread(step, work, step->r);
  TRY(newton_apply(step, work, work->hr, work->dv, err));
  memcpy(work->v_try, step->v1, sizeof(double) * (size_t)bs->n_nodes * (size_t)dim);
  for (int i = 0; i < system->n; i++) {
    work->dv[i] += d->free[i];
    if (system->dof[i] >= 0) work->v_try[system->dof[i]] += work->dv[i];
  }
  contact_velocities(step->work->contact, work->v_try, d->u);
  for (int c = 0; c < d->problem.n; c++)
    for (int i = 0; i < dim; i++) {
      double own = 0;
      for (int j = 0; j < dim; j++)
        own += d->block[(size_t)dim * (size_t)(dim * c + i) + (size_t)j] * step->r[dim * c + j];
      double b = d->u[dim * c + i] + d->shift[dim * c + i] - own;
      d->b[dim * c + i] = isfinite(b) ? b : 1;
    }
  return OK;
}

// The blocks know no rigid motion: their steps are elastic ones.
static Status measure_deformation(const Diagonal *d, const NewtonStep *step, SolverReport *report,
                                  Err *err) {
  Problem problem = d->problem;
  Arena *arena = &step->work->arena;
  int dim = problem.dim;
  double *elastic;
  Deformation def;
  ARENA_NEW(elastic, 2 * problem.n + 1, arena, err);
  for (int c = 0; c < problem.n; c++) {
    const double *own = d->diag + (size_t)(dim * dim * c);
    elastic[2 * c] = own[0];
    elastic[2 * c + 1] = 0; // the mean of the tangents
    for (int i = 1; i < dim; i++) elastic[2 * c + 1] += own[(dim + 1) * i] / (dim - 1);
  }
  problem.elastic = elastic;
  TRY(deformation_init(&def, &problem, arena, err));
  report->deformation = UNSEEN * deformation_residual(&def, step->r, NULL, NULL, &report->blocks);
  report->deforms = problem.n > 0;
  report->worst = def.worst;
  return OK;
}

// `residual` is that of the iterate, relative.
static Status diagonal_increment(NewtonStep *step, NewtonWork *work, double residual, Err *err) {
  SolverReport *report = &step->work->report.solver;
  int before = report->iterations;
  double last = (double)INFINITY, tolerance = step->model->steps.solver_settings.tolerance;
  double left, goal = fmax(tolerance / UNSEEN, ERROR_SHARE * fmin(residual, 1));
  Diagonal d;
  *report = (SolverReport){0};
  TRY(begin(&d, step, work, err));
  TRY(sweeper_init(&d.sweeper, &d.problem, &step->work->arena, report, err));
  for (int k = 0;; k++) {
    TRY(respond(&d, step, work, err));
    report->error = d.problem.n > 0 ? sweeper_error(&d.sweeper, step->r, report) : 0;
    if (k > 0 && (report->error <= goal || k == MOST_SWEEPS)) break;
    if (d.problem.n == 0) break;
    if (report->error > last) {
      grow_blocks(&d, &step->work->problem, GROWTH);
      sweeper_prepare(&d.sweeper);
      TRY(respond(&d, step, work, err));
    }
    last = report->error;
    sweeper_sweep(&d.sweeper, 1, step->r, report);
    before++;
  }
  report->iterations = before;
  TRY(measure_deformation(&d, step, report, err));
  report->converged = solver_judged(&step->model->steps.solver_settings, report) <= tolerance;
  if (report->converged || !measure_is_round_off(&d.problem, d.sweeper.scale, step->r, &left))
    return OK;
  report->converged = 1; // what only grazes
  report->error = fmin(left, tolerance);
  report->deformation = report->error;
  return OK;
}

static Status increment(NewtonStep *step, NewtonWork *work, NewtonLoop *loop, Err *err) {
  size_t n = (size_t)contact_count(step->work->contact) * (size_t)step->model->bodies.dim;
  TRY(diagonal_increment(step, work, loop->relative, err));
  memcpy(loop->r_try, step->r, sizeof(double) * n);
  loop->slope = newton_slope(work);
  return OK;
}

static double error(const NewtonWork *work, const NewtonLoop *loop) {
  (void)work;
  return loop->error;
}

const ContactWay way_diagonal = {.name = "diagonal",
                                 .increment = increment,
                                 .factorise = delassus_factorise,
                                 .tried = way_solver_error,
                                 .error = error};
