#include "solver/facets.h"

#include <math.h>
#include <string.h>

#include "base/space.h"
#include "solver/lemke.h"
#include "solver/measure.h"
#include "solver/operator.h"
#include "solver/watch.h"

enum {
  MOST_FACETS = 64,
  MOST_UNKNOWNS = 4000, // of a whole problem: its tableau holds twice the square of it
  PIVOTS_PER_UNKNOWN = 50,
  TEST_EVERY = 5
};
// A sweep that changes less than this part of the tolerance is the last one.
static const double SETTLED = 0.1;

const ParamSpec facet_params[] = {
    {"facets", PARAM_INTEGER, "1", "8", "[3,64]", NULL, "Facets of a cone in space"},
    {"facets_are", PARAM_CHOICE, "", "inside", NULL, "inside|outside",
     "Corners of the facets on the cone, or their sides"},
    {"facets_on", PARAM_CHOICE, "", "contact", NULL, "contact|whole",
     "Contact by contact in sweeps, or the whole problem at once"},
};
const int n_facet_params = sizeof facet_params / sizeof facet_params[0];

typedef struct {
  FacetForm form;
  Watch watch;
  Lemke lemke;
  int m, per; // directions; unknowns of a contact
  double d[2 * MOST_FACETS];
  double *matrix, *q, *z;
  double *u;  // [n dim] velocities, for De Saxce's term
  int failed; // problems without solution
} Facets;

static void set_directions(Facets *facets, const SolverSettings *settings, int dim) {
  int wanted = settings->facets > 0 ? settings->facets : 8;
  facets->m = dim == 2 ? 2 : (wanted > MOST_FACETS ? MOST_FACETS : wanted);
  facets->per = facets->form == FACETS_POLYGON ? facets->m + 2 : facets->m;
  double length = dim == 3 && settings->outside ? 1 / cos(PI / facets->m) : 1;
  for (int k = 0; k < facets->m; k++) {
    double angle = 2 * PI * k / facets->m;
    facets->d[2 * k] = dim == 2 ? 1 - 2 * k : length * cos(angle);
    facets->d[2 * k + 1] = dim == 2 ? 0 : length * sin(angle);
  }
}

// Column k of the map from a contact's unknowns to its impulse.
static void column(const Facets *facets, double mu, int dim, int k, double g[3]) {
  g[0] = g[1] = g[2] = 0;
  int polygon = facets->form == FACETS_POLYGON;
  if (polygon && k == 0) g[0] = 1;
  if (polygon && (k == 0 || k > facets->m)) return;
  const double *d = facets->d + 2 * (polygon ? k - 1 : k);
  double factor = polygon ? 1 : mu;
  if (!polygon) g[0] = 1;
  g[1] = factor * d[0];
  if (dim == 3) g[2] = factor * d[1];
}

// Block (i, j) of the complementarity problem, into a matrix of `width` columns at `to`.
static void fill_block(const Facets *facets, int i, int j, const double *block, double *to,
                       size_t width) {
  const Problem *p = facets->watch.p;
  int dim = p->dim, per = facets->per;
  for (int b = 0; b < per; b++) {
    double g[3], wg[3] = {0};
    column(facets, p->mu[j], dim, b, g);
    block_add(dim, block, g, wg);
    for (int a = 0; a < per; a++) {
      double f[3], sum = 0;
      column(facets, p->mu[i], dim, a, f);
      for (int k = 0; k < dim; k++) sum += f[k] * wg[k];
      to[(size_t)a * width + (size_t)b] = sum;
    }
  }
  if (facets->form != FACETS_POLYGON || i != j) return;
  int last = per - 1;
  for (int k = 1; k < last; k++) {
    to[(size_t)k * width + (size_t)last] = 1;
    to[(size_t)last * width + (size_t)k] = -1;
  }
  to[(size_t)last * width] = p->mu[i];
}

static void fill_q(const Facets *facets, int i, const double *u, double lift, double *q) {
  int dim = facets->watch.p->dim;
  for (int a = 0; a < facets->per; a++) {
    double f[3];
    column(facets, facets->watch.p->mu[i], dim, a, f);
    q[a] = f[0] * lift;
    for (int k = 0; k < dim; k++) q[a] += f[k] * u[k];
  }
}

static void impulse_of(const Facets *facets, int i, const double *z, double *r) {
  int dim = facets->watch.p->dim;
  for (int k = 0; k < dim; k++) r[k] = 0;
  for (int a = 0; a < facets->per; a++) {
    double g[3];
    column(facets, facets->watch.p->mu[i], dim, a, g);
    for (int k = 0; k < dim; k++) r[k] += g[k] * z[a];
  }
}

// De Saxce's term mu |u_T|: the generators need it, the polygon has it inside.
static double lift_of(const Facets *facets, int i, const double *u) {
  if (facets->form == FACETS_POLYGON) return 0;
  double t = facets->watch.p->dim == 2 ? fabs(u[1]) : hypot(u[1], u[2]);
  return facets->watch.p->mu[i] * t;
}

// All contacts once; returns the relative change.
static double sweep(Facets *facets, double *r) {
  const Problem *p = facets->watch.p;
  size_t dim = (size_t)p->dim;
  double change = 0, norm = 0;
  facets->failed = 0;
  for (int i = 0; i < p->n; i++) {
    double free[3], u[3], fresh[3], *own = r + (size_t)i * dim;
    const double *d = p->diag + (size_t)i * dim * dim;
    row_times(p, i, r, free);
    memcpy(u, free, sizeof u);
    block_add(p->dim, d, own, u);
    fill_q(facets, i, free, lift_of(facets, i, u), facets->q);
    memset(facets->matrix, 0, sizeof *facets->matrix * (size_t)(facets->per * facets->per));
    fill_block(facets, i, i, d, facets->matrix, (size_t)facets->per);
    LemkeEnd end = lemke_solve(&facets->lemke, facets->matrix, facets->q,
                               PIVOTS_PER_UNKNOWN * facets->per, facets->z, NULL);
    if (end != LEMKE_SOLVED) {
      facets->failed++;
      continue;
    }
    impulse_of(facets, i, facets->z, fresh);
    for (size_t k = 0; k < dim; k++) {
      change += (fresh[k] - own[k]) * (fresh[k] - own[k]);
      norm += fresh[k] * fresh[k];
      own[k] = fresh[k];
    }
  }
  facets->watch.report->blocks += operator_cost(p);
  return norm > 0 ? sqrt(change / norm) : change > 0;
}

// The whole problem at once, with De Saxce's term of the last velocities; returns the relative
// change.
static double solve_whole(Facets *facets, double *r) {
  const Problem *p = facets->watch.p;
  size_t dim = (size_t)p->dim, per = (size_t)facets->per, size = per * (size_t)p->n;
  memset(facets->matrix, 0, size * size * sizeof *facets->matrix);
  watch_velocity(&facets->watch, r, facets->u);
  for (int i = 0; i < p->n; i++) {
    double *rows = facets->matrix + (size_t)i * per * size;
    fill_block(facets, i, i, p->diag + (size_t)i * dim * dim, rows + (size_t)i * per, size);
    for (int64_t e = p->blocks.ptr[i]; e < p->blocks.ptr[i + 1]; e++)
      fill_block(facets, i, p->blocks.col[e], p->blocks.w + (size_t)e * dim * dim,
                 rows + (size_t)p->blocks.col[e] * per, size);
    fill_q(facets, i, p->b + (size_t)i * dim, lift_of(facets, i, facets->u + (size_t)i * dim),
           facets->q + (size_t)i * per);
  }
  LemkeEnd end = lemke_solve(&facets->lemke, facets->matrix, facets->q,
                             PIVOTS_PER_UNKNOWN * (int)size, facets->z, NULL);
  facets->failed = end != LEMKE_SOLVED;
  if (facets->failed) return 0;
  double change = 0, norm = 0;
  for (int i = 0; i < p->n; i++) {
    double fresh[3], *own = r + (size_t)i * dim;
    impulse_of(facets, i, facets->z + (size_t)i * per, fresh);
    for (size_t k = 0; k < dim; k++) {
      change += (fresh[k] - own[k]) * (fresh[k] - own[k]);
      norm += fresh[k] * fresh[k];
      own[k] = fresh[k];
    }
  }
  return norm > 0 ? sqrt(change / norm) : change > 0;
}

static Status facets_init(Facets *facets, int unknowns, Arena *arena, Err *err) {
  TRY(lemke_init(&facets->lemke, unknowns, arena, err));
  ARENA_NEW(facets->matrix, (size_t)unknowns * (size_t)unknowns, arena, err);
  ARENA_NEW(facets->q, unknowns, arena, err);
  ARENA_NEW(facets->z, unknowns, arena, err);
  ARENA_NEW(facets->u, facets->watch.size, arena, err);
  return OK;
}

Status facets_solve(FacetForm form, const Problem *p, const SolverSettings *settings, double *r,
                    Arena *arena, SolverReport *report, Err *err) {
  Facets facets = {.form = form};
  TRY(watch_init(&facets.watch, p, settings, r, arena, report, err));
  set_directions(&facets, settings, p->dim);
  int whole = settings->whole;
  if (whole && (int64_t)facets.per * p->n > MOST_UNKNOWNS) {
    report->reason = "too many contacts and facets for one tableau: facets_on=\"contact\"";
    watch_finish(&facets.watch, r);
    return OK;
  }
  TRY(facets_init(&facets, whole ? facets.per * p->n : facets.per, arena, err));
  double change = (double)INFINITY, settled = SETTLED * settings->tolerance;
  // The energy of deformation sees changes larger by the root of what rigid motions are softer, and
  // by as much sweeps are slower there.
  if (facets.watch.judge.by_deformation) settled /= fmax(1, facets.watch.judge.def.softness);
  while (change > settled && watch_next(&facets.watch)) {
    change = whole ? solve_whole(&facets, r) : sweep(&facets, r);
    if (whole || report->iterations % TEST_EVERY == 0) watch_test(&facets.watch, r);
    if (whole && form == FACETS_POLYGON) break; // nothing to renew
  }
  // The last iterate is the answer of the faceted problem, whatever its error in Coulomb's law.
  report->error = watch_test(&facets.watch, r);
  report->converged =
      report->error <= settings->tolerance && judge_means_something(&facets.watch.judge, r);
  report->no_local_solution = facets.failed;
  if (facets.failed > 0)
    report->reason = "Lemke's pivoting ended on a ray: no solution of the faceted problem";
  else if (!report->converged && p->dim == 3)
    report->reason = "the faceted problem is solved; its error in Coulomb's law is reported";
  return OK;
}
