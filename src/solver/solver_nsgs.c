// Non-smooth Gauss-Seidel, Jean 1999, section 5.4: contact after contact, each solved exactly with
// the latest impulses of the others. The reference implementation: the next solver starts from it.

#include <math.h>
#include <string.h>

#include "solver/local2.h"
#include "solver/measure.h"
#include "solver/solver_table.h"

// First full test of the error once the change of a sweep is this many tolerances: a test costs as
// much as half a sweep, and earlier ones never pass.
static const double FIRST_TEST = 10;
// At most this many sweeps without a test.
enum { LONGEST_PAUSE = 50 };

typedef struct {
  const Problem *p;
  Local2 *local;   // [n] of the effective block M D
  double *block;   // [4 n] effective block, NULL: diag itself
  double *inverse; // [4 n] M = (I + D A)^-1, NULL when there is no parallel stiffness
  double *scale;   // [n] for the error
  int general;     // radius, shift, stiffness or a violated (33): the careful visit
} Sweeper;

typedef double Vec4 __attribute__((vector_size(32), aligned(8)));

// u = b + sum of W_ij r_j; two accumulators of four lanes hide the latency of the sums.
static inline void row2(const Problem *p, int i, const double *r, double u[2]) {
  Vec4 sum0 = {0}, sum1 = {0};
  int64_t e = p->ptr[i], end = p->ptr[i + 1];
  for (; e + 1 < end; e += 2) {
    const double *r0 = r + 2 * (size_t)p->col[e], *r1 = r + 2 * (size_t)p->col[e + 1];
    Vec4 w0, w1;
    memcpy(&w0, p->w + 4 * e, sizeof w0);
    memcpy(&w1, p->w + 4 * e + 4, sizeof w1);
    sum0 += w0 * (Vec4){r0[0], r0[1], r0[0], r0[1]};
    sum1 += w1 * (Vec4){r1[0], r1[1], r1[0], r1[1]};
  }
  if (e < end) {
    const double *r0 = r + 2 * (size_t)p->col[e];
    Vec4 w0;
    memcpy(&w0, p->w + 4 * e, sizeof w0);
    sum0 += w0 * (Vec4){r0[0], r0[1], r0[0], r0[1]};
  }
  sum0 += sum1;
  u[0] = p->b[2 * (size_t)i] + (sum0[0] + sum0[1]);
  u[1] = p->b[2 * (size_t)i + 1] + (sum0[2] + sum0[3]);
}

// M = (I + D A)^-1 and the block M D that the unilateral element sees.
static void effective_block(const double d[4], const double a[2], double m[4], double md[4]) {
  double s[4] = {1 + d[0] * a[0], d[1] * a[1], d[2] * a[0], 1 + d[3] * a[1]};
  double det = s[0] * s[3] - s[1] * s[2];
  m[0] = s[3] / det;
  m[1] = -s[1] / det;
  m[2] = -s[2] / det;
  m[3] = s[0] / det;
  md[0] = m[0] * d[0] + m[1] * d[2];
  md[1] = m[0] * d[1] + m[1] * d[3];
  md[2] = m[2] * d[0] + m[3] * d[2];
  md[3] = m[2] * d[1] + m[3] * d[3];
}

static Status sweeper_init(Sweeper *sweeper, const Problem *p, Arena *arena, SolverReport *report,
                           Err *err) {
  *sweeper = (Sweeper){.p = p, .general = p->radius || p->s || p->a};
  ARENA_NEW(sweeper->local, p->n, arena, err);
  ARENA_NEW(sweeper->scale, p->n, arena, err);
  if (p->a) {
    ARENA_NEW(sweeper->block, 4 * p->n, arena, err);
    ARENA_NEW(sweeper->inverse, 4 * p->n, arena, err);
  }
  for (int i = 0; i < p->n; i++) {
    const double *d = p->diag + 4 * (size_t)i;
    if (p->a) {
      effective_block(d, p->a + 2 * (size_t)i, sweeper->inverse + 4 * (size_t)i,
                      sweeper->block + 4 * (size_t)i);
      d = sweeper->block + 4 * (size_t)i;
    }
    if (!local2_prepare(&sweeper->local[i], d, p->mu[i], p->radius ? p->radius[i] : 0)) {
      report->condition_33++;
      sweeper->general = 1;
    }
  }
  measure_scales(p, sweeper->scale);
  return OK;
}

// One contact with everything a law may ask for; returns the status or -1.
static int visit_general(const Sweeper *sweeper, int i, const double u[2], double r[2]) {
  const Problem *p = sweeper->p;
  const double *d = p->diag + 4 * (size_t)i;
  double s[2] = {0, 0}, free[2] = {u[0], u[1]}, rho[2];
  if (p->s) {
    s[0] = p->s[2 * (size_t)i];
    s[1] = p->s[2 * (size_t)i + 1];
    free[0] -= d[0] * s[0] + d[1] * s[1];
    free[1] -= d[2] * s[0] + d[3] * s[1];
  }
  const double *block = d;
  if (p->a) {
    const double *m = sweeper->inverse + 4 * (size_t)i;
    double f0 = free[0], f1 = free[1];
    free[0] = m[0] * f0 + m[1] * f1;
    free[1] = m[2] * f0 + m[3] * f1;
    block = sweeper->block + 4 * (size_t)i;
  }
  int status = local2_enumerate(&sweeper->local[i], block, free, rho);
  for (int k = 0; k < 2; k++) {
    r[k] = rho[k] - s[k];
    if (p->a) // total impulse: the parallel stiffness takes its part
      r[k] -=
          p->a[2 * (size_t)i + k] * (free[k] + block[2 * k] * rho[0] + block[2 * k + 1] * rho[1]);
  }
  return status;
}

// All contacts once; returns sqrt(sum |r_new - r_old|^2 / sum |r_new|^2).
static double sweep(const Sweeper *sweeper, double relaxation, double *r, SolverReport *report) {
  const Problem *p = sweeper->p;
  double change = 0, norm = 0;
  report->no_local_solution = 0;
  for (int i = 0; i < p->n; i++) {
    double u[2], fresh[2], *own = r + 2 * (size_t)i;
    row2(p, i, r, u);
    if (!sweeper->general)
      local2_solve(&sweeper->local[i], u[0], u[1], fresh);
    else if (visit_general(sweeper, i, u, fresh) < 0)
      report->no_local_solution++;
    double d0 = fresh[0] - own[0], d1 = fresh[1] - own[1];
    change += d0 * d0 + d1 * d1;
    norm += fresh[0] * fresh[0] + fresh[1] * fresh[1];
    own[0] += relaxation * d0;
    own[1] += relaxation * d1;
  }
  report->blocks += p->ptr[p->n] + p->n;
  return norm > 0 ? sqrt(change / norm) : (change > 0 ? 1 : 0);
}

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  *report = (SolverReport){0};
  if (p->n == 0) {
    report->converged = 1;
    return OK;
  }
  Sweeper sweeper;
  TRY(sweeper_init(&sweeper, p, arena, report, err));
  // The change of a sweep follows the error by a factor that one full test calibrates.
  double factor = 1 / FIRST_TEST;
  int last_test = 0;
  for (int k = 1; k <= settings->max_iterations; k++) {
    double change = sweep(&sweeper, settings->relaxation, r, report);
    report->iterations = k;
    int due = change * factor <= settings->tolerance || k - last_test >= LONGEST_PAUSE;
    if (!due && k < settings->max_iterations) continue;
    report->error = measure_error(p, sweeper.scale, r);
    report->blocks += p->ptr[p->n] + p->n;
    if (report->error <= settings->tolerance) {
      report->converged = 1;
      return OK;
    }
    if (change > 0) factor = report->error / change;
    last_test = k;
  }
  return OK;
}

const SolverType solver_nsgs = {
    .name = "nsgs",
    .doc = "Non-smooth Gauss-Seidel with the exact solution of each contact (Jean 1999, 5.4)",
    .solve = solve,
};
