#define _POSIX_C_SOURCE 200809L
#include "run_case.h"

#include <criterion/criterion.h>
#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algebra/spd.h"
#include "output/physics.h"
#include "scratch_path.h"

enum { MOST_SETTINGS = 32, SETTINGS_SIZE = 1024, NAME_SIZE = 128 };

// ---- opening ------------------------------------------------------------------------------------

static int split_settings(const char *settings, char *copy, InputSetting *out) {
  int n = 0;
  snprintf(copy, SETTINGS_SIZE, "%s", settings ? settings : "");
  for (char *word = strtok(copy, " "); word && n < MOST_SETTINGS; word = strtok(NULL, " ")) {
    char *equals = strchr(word, '=');
    cr_assert_not_null(equals, "setting '%s' has no '='", word);
    *equals = 0;
    out[n++] = (InputSetting){.name = word, .value = equals + 1};
  }
  return n;
}

static void name_columns(CaseRun *run) {
  const OutputSpec *spec = &run->input.output;
  char text[NAME_SIZE];
  run->n_columns = N_STANDARD_COLUMNS;
  for (int k = 0; k < spec->n_probes; k++)
    run->n_columns += probe_n_columns(&spec->probes[k], run->input.model.bodies.dim);
  run->column = calloc((size_t)run->n_columns, sizeof *run->column);
  int at = 0;
  for (; at < N_STANDARD_COLUMNS; at++) run->column[at] = strdup(standard_columns[at]);
  for (int k = 0; k < spec->n_probes; k++)
    for (int c = 0; c < probe_n_columns(&spec->probes[k], run->input.model.bodies.dim); c++) {
      probe_column(&spec->probes[k], c, text, sizeof text, NULL);
      run->column[at++] = strdup(text);
    }
}

CaseRun *run_case_open(const char *path, const char *settings) {
  CaseRun *run = calloc(1, sizeof *run);
  char copy[SETTINGS_SIZE];
  InputSetting setting[MOST_SETTINGS];
  Err err = {0};
  int n = split_settings(settings, copy, setting);
  cr_assert_eq(algebra_start(NULL, NULL), OK);
  omp_set_num_threads(1);
  if (case_load(&run->input, path, setting, n, &err) != OK) {
    case_fail(&run->input, &err);
    cr_assert_fail("%s does not load", path);
  }
  run->log = (Log){.quiet = 1};
  cr_assert_eq(state_init(&run->state, &run->input.model, &err), OK, "%s", err.text);
  cr_assert_eq(step_work_init(&run->work, &run->input.model, &run->state, &err), OK, "%s",
               err.text);
  name_columns(run);
  return run;
}

CaseRun *run_case_open_text(const char *xml, const char *settings) {
  char path[512];
  scratch_path(path, sizeof path, "case");
  int file = mkstemp(path);
  cr_assert_geq(file, 0, "no temporary file for the input");
  cr_assert_eq(write(file, xml, strlen(xml)), (ssize_t)strlen(xml));
  close(file);
  CaseRun *run = run_case_open(path, settings);
  unlink(path);
  return run;
}

// VOUSSOIR_PHYSICS names a file to which each run of a test adds the name of the test and what its
// physics hashes to: tests/tools/physics.py compares two builds by them.
static void record_physics(const CaseRun *run) {
  const char *path = getenv("VOUSSOIR_PHYSICS");
  FILE *file = path ? fopen(path, "a") : NULL;
  uint64_t hash;
  Err err = {0};
  if (!file) return;
  if (physics_hash(step_model(&run->work), &run->state, &run->work, NULL, &hash, &err) == OK)
    fprintf(file, "%s/%s %lld %016llx\n", criterion_current_test->category,
            criterion_current_test->name, (long long)run->state.step, (unsigned long long)hash);
  fclose(file);
}

void run_case_close(CaseRun *run) {
  record_physics(run);
  for (int k = 0; k < run->n_columns; k++) free(run->column[k]);
  free(run->column);
  free(run->table);
  step_work_free(&run->work);
  state_free(&run->state);
  case_free(&run->input);
  free(run);
}

// ---- running ------------------------------------------------------------------------------------

static void observe(CaseRun *run, double *row) {
  const OutputSpec *spec = &run->input.output;
  Observation now = {.model = step_model(&run->work), .state = &run->state, .work = &run->work};
  probe_standard(&now, row);
  int at = N_STANDARD_COLUMNS;
  for (int k = 0; k < spec->n_probes; k++) {
    probe_observe(&spec->probes[k], &now, row + at);
    at += probe_n_columns(&spec->probes[k], run->input.model.bodies.dim);
  }
}

static void rest_events(CaseRun *run, const double *row) {
  const Model *model = &run->input.model;
  for (int k = 0; k < model->n_rests; k++)
    if (step_rest_acts(model, &run->state, k, row, run->work.report.dt))
      step_rest(model, &run->state);
}

void run_case_step(CaseRun *run, int record) {
  Err err = {0};
  cr_assert_eq(step_advance(&run->input.model, &run->state, &run->work, &run->log, &err), OK, "%s",
               err.text);
  if (!record && run->input.model.n_rests == 0) return;
  size_t wanted = (size_t)(run->n_rows + 1) * (size_t)run->n_columns;
  if (wanted > run->capacity) {
    run->capacity = 2 * wanted + 1024;
    run->table = realloc(run->table, run->capacity * sizeof *run->table);
    cr_assert_not_null(run->table);
  }
  double *row = run->table + (size_t)run->n_rows * (size_t)run->n_columns;
  observe(run, row);
  run->n_rows += record;
  rest_events(run, row);
}

void run_case_steps(CaseRun *run, int64_t n) {
  for (int64_t k = 0; k < n; k++) run_case_step(run, 1);
}

void run_case_to_end(CaseRun *run) {
  while (!stage_run_is_over(&run->input.model, &run->state)) run_case_step(run, 1);
}

void run_case_to_end_unrecorded(CaseRun *run) {
  int64_t n = run->input.model.steps.n_steps;
  cr_assert_eq(run->input.model.n_stages, 1, "the last step is not known before");
  while (run->state.step < n) run_case_step(run, run->state.step + 1 == n);
}

CaseRun *run_case(const char *path, const char *settings) {
  CaseRun *run = run_case_open(path, settings);
  run_case_to_end(run);
  return run;
}

CaseRun *run_case_text(const char *xml, const char *settings) {
  CaseRun *run = run_case_open_text(xml, settings);
  run_case_to_end(run);
  return run;
}

int run_case_only_begins(CaseRun *run) {
#ifdef __SANITIZE_ADDRESS__
  enum { BEGINNING = 20 }; // steps
  for (int k = 0; k < BEGINNING && !stage_run_is_over(&run->input.model, &run->state); k++)
    run_case_step(run, 1);
  int begins = 1;
#else
  int begins = 0;
#endif
  run_case_close(run);
  return begins;
}

int run_case_of_like(int n) {
#ifdef __SANITIZE_ADDRESS__
  return n > 0 ? 1 : 0;
#else
  return n;
#endif
}

// ---- reading ------------------------------------------------------------------------------------

int run_case_column(const CaseRun *run, const char *name) {
  for (int k = 0; k < run->n_columns; k++)
    if (strcmp(run->column[k], name) == 0) return k;
  cr_assert_fail("no column '%s'", name);
  return 0;
}

static double value_at(const CaseRun *run, int64_t row, int column) {
  return run->table[(size_t)row * (size_t)run->n_columns + (size_t)column];
}

double run_case_at(const CaseRun *run, int64_t row, const char *name) {
  cr_assert(row >= 0 && row < run->n_rows, "row %lld of %lld", (long long)row,
            (long long)run->n_rows);
  return value_at(run, row, run_case_column(run, name));
}

double run_case_last(const CaseRun *run, const char *name) {
  return run_case_at(run, run->n_rows - 1, name);
}

double run_case_largest(const CaseRun *run, const char *name) {
  int column = run_case_column(run, name);
  double most = -(double)INFINITY;
  for (int64_t k = 0; k < run->n_rows; k++) most = fmax(most, value_at(run, k, column));
  return most;
}

double run_case_smallest(const CaseRun *run, const char *name) {
  int column = run_case_column(run, name);
  double least = (double)INFINITY;
  for (int64_t k = 0; k < run->n_rows; k++) least = fmin(least, value_at(run, k, column));
  return least;
}

double run_case_crossing(const CaseRun *run, const char *name, double value, int count) {
  int column = run_case_column(run, name);
  for (int64_t k = 1; k < run->n_rows; k++) {
    double a = value_at(run, k - 1, column) - value, b = value_at(run, k, column) - value;
    if (a * b > 0 || a == b || b == 0) continue;
    if (--count > 0) continue;
    double t0 = value_at(run, k - 1, 0), t1 = value_at(run, k, 0);
    return t0 + (t1 - t0) * a / (a - b);
  }
  return (double)NAN;
}

double run_case_mass(const CaseRun *run) {
  const BodySet *bs = &run->input.model.bodies;
  double sum = 0;
  for (int b = 0; b < bs->n_bodies; b++) sum += bodies_mass(bs, b);
  return sum;
}

int64_t run_case_doubts(const CaseRun *run, VerdictKind kind) {
  return run->state.verdict.count[kind][VERDICT_COUNT];
}

double run_case_worst(const CaseRun *run, VerdictKind kind) {
  return run->state.verdict.value[kind][VERDICT_VALUE];
}

int run_case_body(const CaseRun *run, const char *name) {
  int body = bodies_find(&run->input.model.bodies, name);
  cr_assert_geq(body, 0, "no body '%s'", name);
  return body;
}

void run_case_body_displacement(const CaseRun *run, int body, double u[2]) {
  const BodySet *bs = &run->input.model.bodies;
  double mass = bodies_mass(bs, body);
  u[0] = u[1] = 0;
  for (int k = bs->node_ptr[body]; k < bs->node_ptr[body + 1]; k++)
    for (int i = 0; i < 2; i++)
      u[i] += bodies_node_mass(bs, k) / mass * run->state.bodies.q[2 * (size_t)k + i];
}

double run_case_farthest(const CaseRun *run) {
  const BodySet *bs = &run->input.model.bodies;
  double far = 0;
  for (int k = 0; k < bs->n_nodes; k++) {
    if (bs->type[bs->body_of[k]]->given) continue;
    const double *q = run->state.bodies.q + 2 * (size_t)k;
    far = fmax(far, hypot(q[0], q[1]));
  }
  return far;
}

const char *run_case_static_time(double length, double wave_speed) {
  double h = 3 * length / wave_speed;
  return xml_format("<time end=\"%.17g\" step=\"%.17g\" theta=\"1\"/>"
                    "<solver tolerance=\"1e-13\" max_iterations=\"100000\"/>",
                    40 * h, h);
}

const char *xml_format(const char *format, ...) {
  enum { N_BUFFERS = 4, BUFFER_SIZE = 1 << 15 };
  static char buffer[N_BUFFERS][BUFFER_SIZE];
  static int at;
  char *text = buffer[at = (at + 1) % N_BUFFERS];
  va_list list;
  va_start(list, format);
  int n = vsnprintf(text, BUFFER_SIZE, format, list);
  va_end(list);
  cr_assert(n >= 0 && n < BUFFER_SIZE, "the input text is too long");
  return text;
}
