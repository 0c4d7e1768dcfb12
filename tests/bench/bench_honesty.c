// What the two errors of contact impulses claim, against what is true: the error in the energy that
// impulses put into the bodies, from a solution at 1e-12.
//
//   bench_honesty [--set NAME=VALUE]... [--steps K,K,...] INPUT...
//                                   problems of these steps (1, 10, 50) of runs; options go before
//                                   the inputs that they hold for
//   bench_honesty --generated N     of N generated problems in the plane
//   bench_honesty --fclib FILE...   rigid bodies: truth is in the energy of W
//
// Each problem is solved to many stages: by sweeps, with momentum, by interior points, by `auto` to
// tolerances from 1e-1 to 1e-9 in both measures. One line a problem (stages, claims below a third
// of the truth, above ten times it, least, median and largest quotient, all where the claim is
// below 0.3), then one for all.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/spd.h"
#include "app/load.h"
#include "contact/pair_type.h"
#include "solver/deformation.h"
#include "solver/measure.h"
#include "solver/operator.h"
#include "solver/problem_fclib.h"
#include "step/step.h"

enum { MAX_STEPS = 16, MAX_QUOTIENTS = 1 << 18, SKIN_MOST = 4096 };
static const double UNKNOWN = 0.3;     // claims from here on say nothing
static const double REFERENCE = 1e-12; // of the solution that counts as true
static const double EXACT = 1e-9;      // truths below it are as good as none, and those
static const double KNOWN = 10;        // below this many times what the reference is off, at most

typedef double Energy(const void *of, const double *x); // x^T W^e x

typedef struct {
  int n, others; // others: another solution is nearer than that one
  double *quotient;
} Tally;

typedef struct {
  const Problem *p;
  Energy *energy;
  const void *of;
  const double *exact;
  double size;
  Deformation def;
  double *scale;
  double known; // truths below it are not known
  Tally *deformation, *scaled;
} Trial;

static void count(Tally *tally, double known, double claim, double truth) {
  if (claim >= UNKNOWN || truth < known || tally->n == MAX_QUOTIENTS) return;
  tally->quotient[tally->n++] = claim / truth;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print(const char *name, const char *measure, Tally *tally, int from) {
  int n = tally->n - from;
  if (n == 0) return;
  double *q = tally->quotient + from;
  qsort(q, (size_t)n, sizeof *q, compare);
  int below = 0, above = 0;
  for (int k = 0; k < n; k++) {
    below += q[k] < 1.0 / 3;
    above += q[k] > 10;
  }
  printf("%-36.36s %-12s %6d %6d %6d   %9.2g %9.2g %9.2g %9.2g %9.2g\n", name, measure, n, below,
         above, q[0], q[n / 100], q[n / 2], q[n * 9 / 10], q[n - 1]);
  fflush(stdout);
}

static double distance(const Trial *trial, const double *r, const double *exact) {
  size_t size = (size_t)(trial->p->n * trial->p->dim);
  double *x = malloc(size * sizeof *x);
  if (!x) exit(3);
  for (size_t k = 0; k < size; k++) x[k] = r[k] - exact[k];
  double truth = sqrt(trial->energy(trial->of, x) / trial->size);
  free(x);
  return truth;
}

// Coulomb's law may have several solutions: where a small claim meets a large distance, is there
// one nearer? It is looked for from r itself.
static double nearest(const Trial *trial, const double *r, double truth) {
  const Problem *p = trial->p;
  size_t size = (size_t)(p->n * p->dim);
  Arena arena = {0};
  SolverReport report;
  Err err = {0};
  double *other = malloc(size * sizeof *other);
  SolverSettings settings = solver_defaults(solver_find("auto"));
  if (!other) exit(3);
  memcpy(other, r, size * sizeof *other);
  settings.tolerance = REFERENCE;
  if (solver_find("auto")->solve(p, &settings, other, &arena, &report, &err) != OK) exit(3);
  if (report.error <= 10 * REFERENCE) truth = fmin(truth, distance(trial, r, other));
  free(other);
  arena_free(&arena);
  return truth;
}

// The estimate as sharp as it can be.
static double claim_of(Trial *trial, const double *r, int64_t *blocks) {
  deformation_residual(&trial->def, r, NULL, NULL, blocks);
  return deformation_claim(&trial->def, r, 0, blocks);
}

static void judge(Trial *trial, const double *r) {
  const Problem *p = trial->p;
  int64_t blocks = 0;
  double truth = distance(trial, r, trial->exact), claim = 0;
  if (p->elastic) claim = claim_of(trial, r, &blocks);
  if (p->elastic && claim < truth / 3 && claim < UNKNOWN) {
    truth = nearest(trial, r, truth);
    trial->deformation->others += claim >= truth / 3;
  }
  if (p->elastic) count(trial->deformation, trial->known, claim, truth);
  count(trial->scaled, trial->known, measure_error(p, trial->scale, r), truth);
}

static void solve_stage(Trial *trial, const char *name, SolverSettings settings,
                        const double *start) {
  const Problem *p = trial->p;
  size_t size = (size_t)(p->n * p->dim) * sizeof(double);
  Arena arena = {0};
  SolverReport report;
  Err err = {0};
  double *r = malloc(size);
  if (!r) exit(3);
  memcpy(r, start, size);
  const SolverType *type = solver_find(name);
  if (solver_accepts(type, p, NULL) == OK &&
      type->solve(p, &settings, r, &arena, &report, &err) == OK)
    judge(trial, r);
  arena_free(&arena);
  free(r);
}

// All stages of one problem from one start.
static void stages(Trial *trial, const double *start) {
  static const char *const by_iterations[] = {"nsgs", "nesterov", "ipm"};
  static const int iterations[] = {1, 2, 3, 5, 8, 13, 21, 34, 55, 100, 300, 1000};
  for (int s = 0; s < 3; s++)
    for (int k = 0; k < (s == 2 ? 9 : 12); k++) {
      SolverSettings settings = solver_defaults(solver_find(by_iterations[s]));
      settings.tolerance = 1e-15;
      settings.max_iterations = iterations[k];
      solve_stage(trial, by_iterations[s], settings, start);
    }
  for (int measure = 0; measure < 2; measure++)
    for (int k = 1; k <= 9; k++) {
      SolverSettings settings = solver_defaults(solver_find("auto"));
      settings.tolerance = pow(10, -k);
      settings.measure = measure;
      solve_stage(trial, "auto", settings, start);
    }
}

// The scaled error is held against strengths too: how many times these are larger than impulses.
static double strength_over(const Problem *p, const double *r) {
  double whole = 0, own = 0;
  for (int k = 0; k < p->n * p->dim; k++) {
    double s = p->s ? p->s[k] : 0;
    own += r[k] * r[k];
    whole += (r[k] + s) * (r[k] + s);
  }
  return own > 0 ? fmax(1, sqrt(whole / own)) : 1;
}

// A problem against its solution at REFERENCE; 0: that was not found.
static int try_problem(Trial *trial, const double *start) {
  const Problem *p = trial->p;
  size_t size = (size_t)(p->n * p->dim);
  Arena arena = {0};
  SolverReport report;
  Err err = {0};
  const SolverType *type = solver_find("auto");
  SolverSettings settings = solver_defaults(type);
  double *exact = calloc(size, sizeof *exact);
  if (!exact) exit(3);
  if (start) memcpy(exact, start, size * sizeof *exact);
  settings.tolerance = REFERENCE;
  settings.measure = MEASURE_SCALED;
  if (type->solve(p, &settings, exact, &arena, &report, &err) != OK) exit(3);
  ARENA_NEW(trial->scale, p->n, &arena, &err);
  measure_scales(p, trial->scale);
  trial->exact = exact;
  trial->size = trial->energy(trial->of, exact);
  int solved = report.error <= 10 * REFERENCE && trial->size > 0;
  if (p->elastic && deformation_init(&trial->def, p, &arena, &err) != OK) exit(3);
  if (p->elastic && deformation_factors(&trial->def, NULL, &arena, &err) != OK) exit(3);
  // The scaled error sees those of forces that rigid motions are softer times too small.
  trial->known = EXACT;
  if (p->elastic)
    trial->known = fmax(EXACT, KNOWN * REFERENCE * trial->def.softness * strength_over(p, exact));
  if (solved) {
    double *zero = calloc(size, sizeof *zero);
    if (!zero) exit(3);
    stages(trial, zero);
    if (start) stages(trial, start);
    free(zero);
  }
  free(exact);
  arena_free(&arena);
  return solved;
}

// ---- runs ---------------------------------------------------------------------------------------

typedef struct {
  const ContactWork *work;
  int n_bodies;
} Bodies;

// Impulses go to the skin nodes of each body, where its elastic compliance answers; laws answer
// with theirs.
static double energy_of_bodies(const void *of, const double *x) {
  const Bodies *bodies = of;
  const ContactWork *work = bodies->work;
  int dim = work->dim;
  double sum = 0, *f = malloc(sizeof *f * SKIN_MOST * 3);
  if (!f) exit(3);
  for (int c = 0; c < work->n; c++)
    for (int k = 0; k < dim; k++)
      sum += (k == 0 ? work->shift[c].c_n : work->shift[c].c_t) * x[dim * c + k] * x[dim * c + k];
  for (int b = 0; b < bodies->n_bodies; b++) {
    const Grip *any = NULL;
    memset(f, 0, sizeof *f * SKIN_MOST * 3);
    for (int e = work->body_ptr[b]; e < work->body_ptr[b + 1]; e++) {
      int c = work->body_contact[e];
      for (int s = 0; s < 2; s++) {
        const Grip *side = work->side + 2 * (size_t)c + s;
        if (side->body != b || !side->elastic || side->n_row > SKIN_MOST) continue;
        any = side;
        for (int i = 0; i < side->n; i++)
          for (int k = 0; k < dim; k++)
            for (int l = 0; l < dim; l++)
              f[dim * side->row[i] + k] += side->weight[i] * side->g[dim * k + l] * x[dim * c + l];
      }
    }
    for (int i = 0; any && i < any->n_row; i++)
      for (int j = 0; j < any->n_row; j++)
        for (int k = 0; k < dim; k++)
          for (int l = 0; l < dim; l++)
            sum += f[dim * i + k] * f[dim * j + l] *
                   any->elastic[((size_t)i * any->n_row + j) * dim * dim + dim * k + l];
  }
  free(f);
  return fmax(sum, 0);
}

typedef struct {
  InputSetting setting[MAX_STEPS];
  int n_settings, n_steps;
  int64_t step[MAX_STEPS];
} Options;

static Status run(const char *name, const Options *options, Tally *deformation, Tally *scaled,
                  Err *err) {
  Case c = {0};
  State state = {0};
  StepWork work = {0};
  Log log = {0};
  int at = 0, from[2] = {deformation->n, scaled->n}, n_before = 0;
  double *before = NULL;
  TRY(case_load(&c, name, options->setting, options->n_settings, err));
  TRY(state_init(&state, &c.model, err));
  TRY(step_work_init(&work, &c.model, &state, err));
  while (at < options->n_steps && state.step < c.model.steps.n_steps) {
    TRY(step_advance(&c.model, &state, &work, &log, err));
    const Problem *p = &work.problem;
    int size = p->n * p->dim;
    if (state.step == options->step[at]) {
      Bodies bodies = {work.contact, c.model.bodies.n_bodies};
      Trial trial = {.p = p,
                     .energy = energy_of_bodies,
                     .of = &bodies,
                     .deformation = deformation,
                     .scaled = scaled};
      if (size > 0 && !try_problem(&trial, n_before == size ? before : NULL))
        printf("%s: step %lld has no solution at %g\n", name, (long long)options->step[at],
               REFERENCE);
      at++;
    }
    free(before);
    before = malloc(sizeof *before * (size_t)(size + 1));
    if (!before) exit(3);
    memcpy(before, work.reaction, sizeof *before * (size_t)size);
    n_before = size;
  }
  char label[256];
  const char *slash = strrchr(name, '/');
  snprintf(label, sizeof label, "%s", slash ? slash + 1 : name);
  print(label, "deformation", deformation, from[0]);
  print(label, "scaled", scaled, from[1]);
  free(before);
  step_work_free(&work);
  state_free(&state);
  case_free(&c);
  return OK;
}

// ---- generated problems -------------------------------------------------------------------------

static double uniform(uint64_t *state) { // 0 .. 1, the same on any machine
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (double)(*state >> 11) / 9007199254740992.0;
}

enum { BODIES_MOST = 6, CONTACTS_MOST = 30 };

typedef struct {
  Problem p;
  int64_t ptr[CONTACTS_MOST + 1];
  int32_t col[CONTACTS_MOST * CONTACTS_MOST];
  double w[CONTACTS_MOST * CONTACTS_MOST * 4], diag[CONTACTS_MOST * 4], b[2 * CONTACTS_MOST],
      mu[CONTACTS_MOST], elastic[2 * CONTACTS_MOST];
  double dense[2][2 * CONTACTS_MOST][2 * CONTACTS_MOST]; // elastic part, all
} Generated;

static double energy_of_generated(const void *of, const double *x) {
  const Generated *g = of;
  double sum = 0;
  for (int i = 0; i < 2 * g->p.n; i++)
    for (int j = 0; j < 2 * g->p.n; j++) sum += x[i] * g->dense[0][i][j] * x[j];
  return fmax(sum, 0);
}

// Round bodies of different masses that touch at points on their rims. The elastic answer of a body
// falls off with the distance of the points, its size over the rigid one is drawn between 1e-8 and
// 1. Loads are drawn.
static void generate(Generated *g, uint64_t *seed) {
  int n_bodies = 2 + (int)(5 * uniform(seed)), n = 4 + (int)(27 * uniform(seed));
  double share = pow(10, -8 * uniform(seed)), mass[BODIES_MOST], push[BODIES_MOST][3];
  int body[CONTACTS_MOST][2];
  double row[CONTACTS_MOST][2][2][3], angle[CONTACTS_MOST][2]; // [contact][side][axis]
  memset(g, 0, sizeof *g);
  for (int b = 0; b < n_bodies; b++) {
    mass[b] = pow(10, uniform(seed));
    for (int i = 0; i < 3; i++) push[b][i] = 2 * uniform(seed) - 1;
  }
  for (int c = 0; c < n; c++) {
    body[c][0] = (int)(n_bodies * uniform(seed));
    body[c][1] = (int)((n_bodies + 1) * uniform(seed)) - 1; // -1: the ground
    if (body[c][1] == body[c][0]) body[c][1] = -1;
    double way = 2 * 3.14159265358979 * uniform(seed);
    for (int s = 0; s < 2; s++) {
      double at = way + (s == 0 ? 3.14159265358979 : 0) + 0.2 * (uniform(seed) - 0.5),
             sign = s == 0 ? 1 : -1;
      angle[c][s] = at;
      double x = cos(at), y = sin(at), axis[2][2] = {{cos(way), sin(way)}, {-sin(way), cos(way)}};
      for (int k = 0; k < 2; k++) {
        row[c][s][k][0] = sign * axis[k][0];
        row[c][s][k][1] = sign * axis[k][1];
        row[c][s][k][2] = sign * (x * axis[k][1] - y * axis[k][0]) * sqrt(2);
      }
    }
    g->mu[c] = uniform(seed);
  }
  for (int i = 0; i < 2 * n; i++)
    for (int j = 0; j < 2 * n; j++)
      for (int s = 0; s < 2; s++)
        for (int t = 0; t < 2; t++) {
          int c = i / 2, d = j / 2, own = body[c][s];
          if (own < 0 || own != body[d][t]) continue;
          const double *x = row[c][s][i % 2], *y = row[d][t][j % 2];
          double near = exp(-4 * fabs(remainder(angle[c][s] - angle[d][t], 2 * 3.14159265358979)));
          double elastic = share / mass[own] * near * (x[0] * y[0] + x[1] * y[1]);
          g->dense[0][i][j] += elastic;
          g->dense[1][i][j] += elastic + (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) / mass[own];
        }
  for (int c = 0; c < n; c++) {
    int64_t at = g->ptr[c];
    for (int d = 0; d < n; d++) {
      double block[4], any = 0;
      for (int k = 0; k < 4; k++) {
        block[k] = g->dense[1][2 * c + k / 2][2 * d + k % 2];
        any += fabs(block[k]);
      }
      if (d == c) memcpy(g->diag + 4 * c, block, sizeof block);
      if (d == c || any == 0) continue;
      memcpy(g->w + 4 * at, block, sizeof block);
      g->col[at++] = d;
    }
    g->ptr[c + 1] = at;
    for (int k = 0; k < 2; k++) {
      g->elastic[2 * c + k] = g->dense[0][2 * c + k][2 * c + k];
      for (int s = 0; s < 2; s++)
        for (int i = 0; i < 3 && body[c][s] >= 0; i++)
          g->b[2 * c + k] += row[c][s][k][i] * push[body[c][s]][i];
    }
  }
  g->p = (Problem){.dim = 2,
                   .n = n,
                   .blocks.ptr = g->ptr,
                   .blocks.col = g->col,
                   .blocks.w = g->w,
                   .diag = g->diag,
                   .b = g->b,
                   .mu = g->mu,
                   .elastic = g->elastic};
}

static void run_generated(int n, Tally *deformation, Tally *scaled) {
  uint64_t seed = 88172645463325252u;
  Generated *g = malloc(sizeof *g);
  if (!g) exit(3);
  int solved = 0;
  for (int k = 0; k < n; k++) {
    generate(g, &seed);
    Trial trial = {.p = &g->p,
                   .energy = energy_of_generated,
                   .of = g,
                   .deformation = deformation,
                   .scaled = scaled};
    solved += try_problem(&trial, NULL);
  }
  printf("%d of %d generated problems have a solution\n", solved, n);
  free(g);
  print("generated", "deformation", deformation, 0);
  print("generated", "scaled", scaled, 0);
}

static double energy_of_w(const void *of, const double *x) {
  const Problem *p = of;
  double sum = 0, u[3];
  for (int i = 0; i < p->n; i++) {
    operator_others(p, i, x, u);
    for (int k = 0; k < p->dim; k++) {
      u[k] -= p->b[p->dim * i + k];
      for (int l = 0; l < p->dim; l++)
        u[k] += p->diag[(p->dim * i + k) * p->dim + l] * x[p->dim * i + l];
      sum += u[k] * x[p->dim * i + k];
    }
  }
  return fmax(sum, 0);
}

// A collection of rigid problems: only the scaled error can be asked.
static Status run_fclib(const char *path, Tally *scaled, Err *err) {
  FclibProblem file;
  OwnedProblem owned;
  Tally none = {0};
  int from = scaled->n;
  TRY(fclib_read(&file, path, err));
  TRY(problem_from_fclib(&owned, &file, err));
  Trial trial = {
      .p = &owned.p, .energy = energy_of_w, .of = &owned.p, .deformation = &none, .scaled = scaled};
  const char *slash = strrchr(path, '/');
  if (try_problem(&trial, NULL)) print(slash ? slash + 1 : path, "scaled", scaled, from);
  problem_free(&owned);
  fclib_free(&file);
  return OK;
}

// NAME=VALUE in place.
static InputSetting setting_of(char *text) {
  char *equal = strchr(text, '=');
  if (!equal) return (InputSetting){text, ""};
  *equal = 0;
  return (InputSetting){text, equal + 1};
}

int main(int argc, char **argv) {
  Options options = {.n_steps = 3, .step = {1, 10, 50}};
  Err err = {0};
  int fclib = 0;
  Status status = OK;
  Tally tally[2] = {{0}};
  omp_set_num_threads(1);
  if (algebra_start(NULL, NULL) != OK) return 3;
  for (int k = 0; k < 2; k++)
    if (!(tally[k].quotient = malloc(sizeof(double) * MAX_QUOTIENTS))) return 3;
  printf("%-36s %-12s %6s %6s %6s   %9s %9s %9s %9s %9s\n", "problem", "measure", "stages", "<1/3",
         ">10", "least", "1 %", "median", "90 %", "largest");
  for (int k = 1; k < argc && status == OK; k++) {
    if (strcmp(argv[k], "--set") == 0 && k + 1 < argc && options.n_settings < MAX_STEPS) {
      options.setting[options.n_settings++] = setting_of(argv[++k]);
    } else if (strcmp(argv[k], "--steps") == 0 && k + 1 < argc) {
      options.n_steps = 0;
      for (char *text = argv[++k]; *text && options.n_steps < MAX_STEPS; text += *text == ',')
        options.step[options.n_steps++] = strtoll(text, &text, 10);
    } else if (strcmp(argv[k], "--generated") == 0 && k + 1 < argc) {
      run_generated(atoi(argv[++k]), &tally[0], &tally[1]);
    } else if (strcmp(argv[k], "--fclib") == 0) {
      fclib = 1;
    } else if (fclib) {
      status = run_fclib(argv[k], &tally[1], &err);
    } else {
      status = run(argv[k], &options, &tally[0], &tally[1], &err);
    }
  }
  if (status != OK) fprintf(stderr, "error: %s\n", err.text);
  for (int k = 0; k < 2; k++) free(tally[k].quotient);
  return status == OK ? 0 : err_exit_code(status);
}
