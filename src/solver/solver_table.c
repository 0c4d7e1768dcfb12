#include "solver/solver_table.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/deformation.h"
#include "solver/item.h"
#include "solver/lost.h"
#include "solver/measure.h"
#include "solver/operator.h"
#include "solver/split.h"
#include "solver/taking.h"

const SolverType *const solver_types[] = {&solver_auto,
                                          &solver_nsgs,
                                          &solver_psor,
                                          &solver_jacobi,
                                          &solver_nesterov,
                                          &solver_extragradient,
                                          &solver_proximal,
                                          &solver_haslinger,
                                          &solver_convex,
                                          &solver_newton_ac,
                                          &solver_newton_fb,
                                          &solver_admm,
                                          &solver_pcg,
                                          &solver_ipm,
                                          &solver_lemke,
                                          &solver_qp,
                                          NULL};

const SolverType *solver_find(const char *name) {
  for (int k = 0; solver_types[k]; k++)
    if (strcmp(solver_types[k]->name, name) == 0) return solver_types[k];
  return NULL;
}

// Place of `text` in a '|' separated list, -1 if it is not in it.
static int choice_index(const char *choices, const char *text) {
  size_t n = strlen(text);
  for (int k = 0; *choices; k++) {
    size_t length = strcspn(choices, "|");
    if (length == n && memcmp(choices, text, n) == 0) return k;
    choices += length + (choices[length] == '|');
  }
  return -1;
}

static int *integer_field(SolverSettings *settings, const char *name) {
  if (strcmp(name, "order") == 0) return &settings->order;
  if (strcmp(name, "memory") == 0) return &settings->memory;
  if (strcmp(name, "facets") == 0) return &settings->facets;
  if (strcmp(name, "facets_are") == 0) return &settings->outside;
  if (strcmp(name, "facets_on") == 0) return &settings->whole;
  return NULL;
}

// Largest value of any integer parameter: far above what makes sense, far below what overflows.
static const long LARGEST_INTEGER = 10000;

static Status set_field(const ParamSpec *param, SolverSettings *settings, const char *text,
                        Err *err) {
  int *field = integer_field(settings, param->name);
  if (!field) return err_set(err, ERR_BUG, "parameter '%s' has no place", param->name);
  if (param->type == PARAM_CHOICE) {
    int index = choice_index(param->choices, text);
    if (index < 0)
      return err_set(err, ERR_INPUT, "%s must be one of %s, not '%s'", param->name, param->choices,
                     text);
    *field = index;
    return OK;
  }
  char *end;
  long value = strtol(text, &end, 10);
  long least = strcmp(param->name, "facets") == 0 ? 3 : 1;
  if (end == text || *end || value < least || value > LARGEST_INTEGER)
    return err_set(err, ERR_INPUT, "%s wants a whole number from %ld to %ld, not '%s'", param->name,
                   least, LARGEST_INTEGER, text);
  *field = (int)value;
  return OK;
}

Status solver_set(const SolverType *type, SolverSettings *settings, const char *name,
                  const char *text, Err *err) {
  if (strcmp(name, "relaxation") == 0) {
    char *end;
    settings->relaxation = strtod(text, &end);
    if (end == text || *end || !(settings->relaxation > 0 && settings->relaxation < 2))
      return err_set(err, ERR_INPUT, "relaxation wants a number between 0 and 2, not '%s'", text);
    return OK;
  }
  for (int k = 0; k < type->n_params; k++)
    if (strcmp(type->params[k].name, name) == 0)
      return set_field(&type->params[k], settings, text, err);
  return err_set(err, ERR_INPUT, "solver '%s' has no parameter '%s'", type->name, name);
}

SolverSettings solver_defaults(const SolverType *type) {
  SolverSettings settings = {
      .tolerance = 1e-8, .max_iterations = type->max_iterations, .relaxation = 1};
  for (int k = 0; k < type->n_params; k++)
    if (set_field(&type->params[k], &settings, type->params[k].initial, NULL) != OK) continue;
  return settings;
}

// Adds its work to that in the report.
static Status solve(const SolverType *type, const Problem *p, const SolverSettings *settings,
                    double *r, Arena *arena, SolverReport *report, Err *err) {
  SolverReport before = *report;
  TRY(type->solve(p, settings, r, arena, report, err));
  if (settings->must_stop && settings->must_stop(settings->must_stop_of))
    return err_set(err, ERR_STOPPED, "interrupted");
  report->iterations += before.iterations;
  report->blocks += before.blocks;
  report->worst = -1;
  if (report->converged) return OK;
  double left, *scale;
  ARENA_NEW(scale, p->n, arena, err);
  measure_scales(p, scale);
  if (!measure_is_round_off(p, scale, r, &left)) return OK;
  report->converged = 1;
  report->reason = NULL;
  report->error = fmin(left, settings->tolerance);
  return OK;
}

// Friction may not give energy (taking.h). Where that cannot be had within the tolerance the
// impulses are solved to a sharper one, whose errors are smaller in all respects.
enum {
  SHARPER_TIMES = 2,
  SHARPER_ITERATIONS = 500, // for what heavy bodies ask, which round-off may not let anyone reach
};
static const double SHARPER = 0.1;

static Status solve_and_measure(const SolverType *type, const Problem *p,
                                const SolverSettings *settings, double *r, Arena *arena,
                                SolverReport *report, Err *err);

// What is lost in the sum of errors (lost.h): contacts of bodies that miss as a problem of their
// own. lost->n tells whether r has changed.
static Status solve_lost(const SolverType *type, const Problem *p, const SolverSettings *settings,
                         double *r, Lost *lost, Arena *arena, SolverReport *report, Err *err) {
  Part part;
  SolverSettings own = *settings;
  SolverReport inner = {0};
  lost->heavy = 1;
  lost->n = 0;
  if (!settings->each || !p->bodies.moved) return OK;
  TRY(part_init(&part, p, arena, err));
  TRY(lost_find(lost, &part, r, report->error, settings->tolerance, arena, err));
  if (lost->n == p->n) lost->n = 0;
  if (lost->n == 0) return OK;
  part_list(&part);
  TRY(part_take(&part, r, &inner.blocks, arena, err));
  TRY(part_take_bodies(&part, arena, err));
  own.kept = NULL; // that is of the whole
  TRY(solve_and_measure(type, &part.p, &own, part.r, arena, &inner, err));
  part_give(&part, r);
  report->iterations += inner.iterations;
  report->blocks += inner.blocks;
  report->converged &= inner.converged;
  if (!report->reason) report->reason = inner.reason;
  return OK;
}

// Judged by the scaled error, where nothing deforms. Heavy bodies on light ones ask for less of it.
static Status solve_scaled(const SolverType *type, const Problem *p, const SolverSettings *settings,
                           double *r, Arena *arena, SolverReport *report, Err *err) {
  SolverSettings sharper = *settings;
  Lost lost = {.square = NULL};
  for (int times = 0;; times++) {
    TRY(solve(type, p, &sharper, r, arena, report, err));
    if (times > 0) report->converged = report->error <= settings->tolerance;
    TRY(solve_lost(type, p, settings, r, &lost, arena, report, err));
    if (!(lost.heavy > 1) || times == SHARPER_TIMES || !report->converged) return OK;
    sharper.tolerance = SHARPER * report->error / lost.heavy;
    sharper.max_iterations = SHARPER_ITERATIONS;
  }
}

// Do all contacts open, or stay as they are? Then none is pressed; and what solvers make of it
// beside nothing has no size for an error to be a share of.
static int nothing_is_pressed(const Problem *p) {
  if (p->n == 0 || p->item || p->radius || p->s || p->a) return 0;
  for (int i = 0; i < p->n; i++) {
    const double *b = p->b + (size_t)i * (size_t)p->dim;
    double sum = 0;
    for (int k = 0; k < p->dim; k++) sum += b[k] * b[k];
    if (!(-b[0] <= MEASURE_ROUND_OFF * sqrt(sum))) return 0;
  }
  return 1;
}

static Status solve_and_measure(const SolverType *type, const Problem *p,
                                const SolverSettings *settings, double *r, Arena *arena,
                                SolverReport *report, Err *err) {
  if (nothing_is_pressed(p)) {
    memset(r, 0, (size_t)p->n * (size_t)p->dim * sizeof *r);
    *report = (SolverReport){.converged = 1, .deforms = p->elastic != NULL, .worst = -1};
    return OK;
  }
  if (p->n == 0 || !p->elastic) return solve_scaled(type, p, settings, r, arena, report, err);
  TRY(solve(type, p, settings, r, arena, report, err));
  Deformation def;
  SolverSettings sharper = *settings;
  double *scale = NULL, scaled = report->error;
  int64_t blocks = 0; // measuring is not the solver's work
  int by_deformation = settings->measure == MEASURE_DEFORMATION;
  if (by_deformation || report->iterations == 0) { // a solver that may do nothing says nothing
    ARENA_NEW(scale, p->n, arena, err);
    measure_scales(p, scale);
  }
  TRY(deformation_init(&def, p, arena, err));
  Lost lost = {.square = def.parts};
  for (int times = 0;; times++) {
    int moved;
    double judged = report->error, a = deformation_residual(&def, r, scale, &scaled, &blocks);
    if (by_deformation && times == 0)
      TRY(solve_lost(type, p, settings, r, &lost, arena, report, err));
    if (times == 0 && lost.n > 0) a = deformation_residual(&def, r, scale, &scaled, &blocks);
    report->error = scaled;
    report->deformation = by_deformation ? judged : a;
    report->deforms = 1;
    report->worst = def.worst;
    if (!by_deformation || !(taking_work(&def, r) > 0)) return OK;
    TRY(taking_restore(&def, r, a, settings->tolerance, &moved, arena, err));
    if (moved) a = deformation_residual(&def, r, scale, &report->error, &blocks);
    if (moved) report->deformation = fmax(judged, a);
    if (moved || times == SHARPER_TIMES || !report->converged) return OK;
    sharper.tolerance *= SHARPER;
    TRY(solve(type, p, &sharper, r, arena, report, err));
    report->converged = report->error <= settings->tolerance;
  }
}

// What callers rely on: numbers in all impulses, whatever the verdict.
static int all_finite(const Problem *p, const double *r) {
  for (size_t k = 0; k < (size_t)p->n * (size_t)p->dim; k++)
    if (!isfinite(r[k])) return 0;
  return 1;
}

#ifdef VALIDATE
// Part of a block of W by which it may differ from its mirror: sums in another order.
static const double MIRROR = 1e-10;

// Rows of W in order, and each block the transpose of that on the other side.
static int rows_are_sound(const Problem *p) {
  const BlockRows *w = &p->blocks;
  int dim = p->dim, block = dim * dim;
  for (int i = 0; w->ptr && i < p->n; i++)
    for (int64_t e = w->ptr[i]; e < w->ptr[i + 1]; e++) {
      int j = w->col[e];
      if (j < 0 || j >= p->n || j == i || (e > w->ptr[i] && w->col[e - 1] >= j)) return 0;
      int64_t m = w->ptr[j];
      while (m < w->ptr[j + 1] && w->col[m] < i) m++;
      if (m == w->ptr[j + 1] || w->col[m] != i) return 0;
      const double *a = w->w + block * e, *b = w->w + block * m;
      double size = measure_block_norm(dim, p->diag + (size_t)block * (size_t)i) +
                    measure_block_norm(dim, p->diag + (size_t)block * (size_t)j);
      for (int k = 0; k < block; k++)
        if (!(fabs(a[k] - b[k % dim * dim + k / dim]) <= MIRROR * size)) return 0;
    }
  return 1;
}
#endif

// Where nothing deforms.
static Status solve_rigid(const SolverType *type, const Problem *p, const SolverSettings *settings,
                          double *r, Arena *arena, SolverReport *report, Err *err) {
  SolverSettings rigid = *settings;
  if (settings->measure == MEASURE_DEFORMATION) rigid.tolerance = solver_rigid_tolerance(settings);
  TRY(solve_and_measure(type, p, &rigid, r, arena, report, err));
  report->n_rigid = p->n;
  report->rigid = report->error;
  return OK;
}

// What deforms, then what is rigid beside it, into one report.
static Status solve_both(const SolverType *type, const Problem *p, const Split *split,
                         const SolverSettings *settings, double *r, Arena *arena,
                         SolverReport *report, Err *err) {
  SolverReport of_rigid = {0};
  Part part[2];
  for (int k = 0; k < 2; k++) {
    TRY(part_init(&part[k], p, arena, err));
    TRY(split_take(split, k, &part[k], r, arena, err));
  }
  TRY(solve_and_measure(type, &part[0].p, settings, part[0].r, arena, report, err));
  TRY(solve_rigid(type, &part[1].p, settings, part[1].r, arena, &of_rigid, err));
  for (int k = 0; k < 2; k++) part_give(&part[k], r);
  if (report->worst >= 0) report->worst = part[0].list[report->worst];
  report->n_rigid = split->n_rigid;
  report->rigid = of_rigid.error;
  report->error = fmax(report->error, of_rigid.error);
  report->converged &= of_rigid.converged;
  report->iterations += of_rigid.iterations;
  report->blocks += of_rigid.blocks;
  report->condition_33 += of_rigid.condition_33;
  report->no_local_solution += of_rigid.no_local_solution;
  if (!report->reason) report->reason = of_rigid.reason;
  return OK;
}

Status solver_run(const SolverType *type, const Problem *problem, const SolverSettings *settings,
                  double *r, Arena *arena, SolverReport *report, Err *err) {
  Problem whole = *problem;
  Split split = {0};
  *report = (SolverReport){0};
  if (type->needs_blocks) TRY(operator_blocks(problem, &whole, arena, err));
#ifdef VALIDATE
  assert(rows_are_sound(&whole));
#endif
  if (settings->measure == MEASURE_DEFORMATION) TRY(split_find(&split, &whole, arena, err));
  whole.bodies.group = split.group;
  if (split.n_rigid > 0)
    TRY(solve_both(type, &whole, &split, settings, r, arena, report, err));
  else if (!whole.elastic)
    TRY(solve_rigid(type, &whole, settings, r, arena, report, err));
  else
    TRY(solve_and_measure(type, &whole, settings, r, arena, report, err));
  assert(all_finite(&whole, r));
  report->missed = measure_missed_equality(&whole, r, settings->tolerance, &report->missed_row);
  if (report->missed > 0) report->converged = 0;
  return OK;
}

// Names of the solvers that take items of any kind.
static void names_of_takers(char *names, size_t size) {
  size_t used = 0;
  names[0] = 0;
  for (int k = 0; solver_types[k] && used < size; k++)
    if (!solver_types[k]->cones_only)
      used += (size_t)snprintf(names + used, size - used, "%s%s", used ? ", " : "",
                               solver_types[k]->name);
}

Status solver_accepts(const SolverType *type, const Problem *p, Err *err) {
  char items[96], names[160];
  item_names(p, items, sizeof items);
  if (type->cones_only && items[0]) {
    names_of_takers(names, sizeof names);
    return err_set(err, ERR_INPUT,
                   "solver '%s' knows friction cones only; this problem has %s: take %s",
                   type->name, items, names);
  }
  if (!type->pure_cone_only || !(p->radius || p->s || p->a)) return OK;
  return err_set(
      err, ERR_INPUT,
      "solver '%s' knows pure Coulomb cones only; this problem has %s: take auto or nsgs",
      type->name,
      p->a   ? "a parallel stiffness (cohesive zone)"
      : p->s ? "an impulse shift (tensile strength)"
             : "cohesion");
}
