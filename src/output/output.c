#include "output/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/timer.h"
#include "file/csv.h"
#include "file/json.h"
#include "file/number.h"
#include "file/vtk.h"
#include "output/physics.h"
#include "output/program.h"
#include "output/schedule.h"

struct Output {
  const OutputSpec *spec;
  char dir[FILE_PATH_SIZE];
  CsvWriter history;
  CsvWriter newton; // iterations of Newton's method; of models with finite bodies only
  int has_newton;
  CheckpointNote note;
  int n_columns;
  char **names;       // [n_columns] owned
  const char **units; // [n_columns]
  double *values;     // [n_columns] of the last step
  int n_series;
  size_t series_capacity[2];
  int64_t *series_step;
  double *series_time;
  int64_t last_fields;    // step of the last field files, -1: none
  double last_checkpoint; // clock
  double seconds;         // spent here
};

void output_spec_free(OutputSpec *spec) {
  for (int k = 0; k < spec->n_probes; k++) probe_free(&spec->probes[k]);
  mem_free(spec->probes);
  for (int k = 0; k < spec->n_limits; k++) forming_limit_free(&spec->limits[k]);
  mem_free(spec->limits);
  for (int k = 0; k < spec->n_rims; k++) rim_free(&spec->rims[k]);
  mem_free(spec->rims);
  for (int k = 0; k < spec->n_lines; k++) line_free(&spec->lines[k]);
  mem_free(spec->lines);
  *spec = (OutputSpec){0};
}

const double *output_values(const Output *output) {
  return output->values;
}

static Status make_columns(Output *output, int dim, Err *err) {
  const OutputSpec *spec = output->spec;
  int n = N_STANDARD_COLUMNS;
  for (int k = 0; k < spec->n_probes; k++) n += probe_n_columns(&spec->probes[k], dim);
  MEM_NEW(output->names, n, err);
  MEM_NEW(output->units, n, err);
  MEM_NEW(output->values, n, err);
  output->n_columns = n;
  char text[256];
  int at = 0;
  for (; at < N_STANDARD_COLUMNS; at++) {
    output->names[at] = mem_copy_text(standard_columns[at]);
    output->units[at] = standard_units[at];
  }
  for (int k = 0; k < spec->n_probes; k++)
    for (int c = 0; c < probe_n_columns(&spec->probes[k], dim); c++, at++) {
      probe_column(&spec->probes[k], c, text, sizeof text, &output->units[at]);
      output->names[at] = mem_copy_text(text);
    }
  for (int k = 0; k < n; k++)
    if (!output->names[k]) return err_set(err, ERR_SYSTEM, "out of memory: names of %d columns", n);
  return OK;
}

static Status path_of(const Output *output, const char *name, char path[FILE_PATH_SIZE], Err *err) {
  return file_join(path, output->dir, name, err);
}

// ---- opening ------------------------------------------------------------------------------------

static const char *const result_patterns[] = {"summary.json",
                                              "history.csv",
                                              "history_until_row_*.csv",
                                              "newton.csv",
                                              "checkpoint.h5",
                                              "stage_*.h5",
                                              "STOP",
                                              "bodies_*.vtk",
                                              "contacts_*.vtk",
                                              "forces_*.vtk",
                                              "tools_*.vtk",
                                              "problem_*.hdf5",
                                              "*.vtk.series",
                                              "rim_*.csv",
                                              "line_*.csv",
                                              "forming_limit.csv",
                                              "forming_limit.svg",
                                              "history.svg",
                                              NULL};

static Status clear_results(const Output *output, Err *err) {
  for (int p = 0; result_patterns[p]; p++) {
    FolderList list;
    TRY(folder_list(&list, output->dir, result_patterns[p], err));
    Status status = OK;
    for (int k = 0; k < list.n && status == OK; k++) {
      char path[FILE_PATH_SIZE];
      status = path_of(output, list.name[k], path, err);
      if (status == OK && remove(path) != 0)
        status = err_set(err, ERR_SYSTEM, "cannot delete '%s' of the last run", path);
    }
    folder_list_free(&list);
    TRY(status);
  }
  return OK;
}

static Status holds_results(const Output *output, int *holds, Err *err) {
  *holds = 0;
  for (int p = 0; result_patterns[p] && !*holds; p++) {
    FolderList list;
    TRY(folder_list(&list, output->dir, result_patterns[p], err));
    *holds = list.n > 0;
    folder_list_free(&list);
  }
  return OK;
}

static Status add_to_series(Output *output, int64_t step, double time, Err *err) {
  size_t n = (size_t)output->n_series + 1;
  TRY(mem_grow((void **)&output->series_step, &output->series_capacity[0], n, sizeof(int64_t),
               err));
  TRY(mem_grow((void **)&output->series_time, &output->series_capacity[1], n, sizeof(double), err));
  output->series_step[output->n_series] = step;
  output->series_time[output->n_series++] = time;
  return OK;
}

// Field files of the interrupted run up to the checkpoint stay in the series.
static Status keep_series(Output *output, const State *state, Err *err) {
  char path[FILE_PATH_SIZE];
  VtkSeries series;
  TRY(path_of(output, "bodies.vtk.series", path, err));
  if (!file_exists(path)) return OK;
  TRY(vtk_read_series(&series, path, err));
  Status status = OK;
  for (int k = 0; k < series.n && status == OK; k++) {
    long long step;
    if (sscanf(series.file[k], "bodies_%lld.vtk", &step) != 1 || step > state->step) continue;
    status = add_to_series(output, step, series.time[k], err);
    output->last_fields = step;
  }
  vtk_free_series(&series);
  return status;
}

static Status resume(Output *output, const Model *model, State *state, int *resumed, Err *err) {
  char path[FILE_PATH_SIZE];
  TRY(path_of(output, "checkpoint.h5", path, err));
  if (folder_exists(path) || (file_exists(path) && !file_is_regular(path)))
    return err_set(err, ERR_INPUT, "%s is no file: there is nothing to go on from", path);
  if (!file_exists(path)) return clear_results(output, err);
  output->note.folder = output->dir;
  TRY(checkpoint_read(path, model, state, &output->note, err));
  *resumed = 1;
  return keep_series(output, state, err);
}

enum { N_NEWTON_COLUMNS = 7 };
static const char *const newton_columns[N_NEWTON_COLUMNS] = {
    "time", "step", "sub_step", "iteration", "residual", "contact_error", "length"};
static const char *const newton_units[N_NEWTON_COLUMNS] = {"s", "1", "s", "1", "1", "1", "1"};

static Status write_newton(Output *output, int64_t step, const StepWork *work, Err *err) {
  for (int k = 0; output->has_newton && k < work->n_newton_rows; k++) {
    const NewtonRow *row = &work->newton_row[k];
    const double values[N_NEWTON_COLUMNS] = {row->t,         (double)step,  row->h,
                                             row->iteration, row->residual, row->contact_error,
                                             row->length};
    TRY(csv_row(&output->newton, values, err));
  }
  return OK;
}

// The curves of this run beside its results, for pictures of them.
static Status write_limits(const Output *output, Err *err) {
  const OutputSpec *spec = output->spec;
  char path[FILE_PATH_SIZE], text[2][NUMBER_TEXT_SIZE];
  AtomicFile file;
  if (spec->n_limits == 0) return OK;
  TRY(path_of(output, "forming_limit.csv", path, err));
  TRY(atomic_open(&file, path, err));
  fprintf(file.stream, "# units: 1,1,1\nbody,minor_strain,major_strain\n");
  for (int k = 0; k < spec->n_limits; k++)
    for (int i = 0; i < spec->limits[k].n; i++) {
      number_format(text[0], spec->limits[k].point[2 * i]);
      number_format(text[1], spec->limits[k].point[2 * i + 1]);
      fprintf(file.stream, "%d,%s,%s\n", spec->limits[k].body, text[0], text[1]);
    }
  return atomic_commit(&file, err);
}

static Status write_profiles(const Output *output, const Model *model, const State *state,
                             Err *err) {
  char name[300], path[FILE_PATH_SIZE];
  for (int k = 0; k < output->spec->n_rims; k++) {
    snprintf(name, sizeof name, "rim_%s.csv", output->spec->rims[k].name);
    TRY(path_of(output, name, path, err));
    TRY(rim_write(&output->spec->rims[k], model, state, path, err));
  }
  for (int k = 0; k < output->spec->n_lines; k++) {
    snprintf(name, sizeof name, "line_%s.csv", output->spec->lines[k].name);
    TRY(path_of(output, name, path, err));
    TRY(line_write(&output->spec->lines[k], model, state, path, err));
  }
  return OK;
}

// Of a run that goes on with other probes: rows before are kept as far as there are columns for
// them, the rest is not known (nan). As it was the file stays under another name, and at every
// moment there is one with these rows.
static Status convert_history(Output *output, const char *path, long n_rows, Err *err) {
  char kept[FILE_PATH_SIZE], part[FILE_PATH_SIZE], name[64];
  CsvTable table;
  CsvWriter *history = &output->history;
  const char *const *names = (const char *const *)output->names;
  snprintf(name, sizeof name, "history_until_row_%ld.csv", n_rows);
  TRY(path_of(output, name, kept, err));
  TRY(path_of(output, "history.csv.part", part, err));
  TRY(csv_read_rows(&table, path, n_rows, err));
  Status status = OK;
  if (table.n_rows < n_rows)
    status = err_set(err, ERR_INPUT, "%s: holds %ld rows, %ld are needed to continue", path,
                     table.n_rows, n_rows);
  else
    status = file_copy(path, kept, err);
  if (status == OK)
    status = csv_open(history, part, names, output->units, output->n_columns, -1, err);
  for (long row = 0; status == OK && row < n_rows; row++) {
    for (int c = 0; c < output->n_columns; c++) {
      int from = csv_column(&table, output->names[c]);
      output->values[c] = from < 0 ? NUMBER_NAN : table.value[row * table.n_columns + from];
    }
    status = csv_row(history, output->values, err);
  }
  csv_free(&table);
  if (status == OK) status = csv_flush(history, err);
  if (status == OK) status = csv_close(history, err);
  if (status == OK && rename(part, path) != 0)
    status = err_set(err, ERR_SYSTEM, "%s: cannot write: %s", path, strerror(errno));
  if (status == OK)
    status = csv_open(history, path, names, output->units, output->n_columns, n_rows, err);
  return status;
}

static Status open_history(Output *output, long n_keep_rows, Err *err) {
  char path[FILE_PATH_SIZE];
  const char *const *names = (const char *const *)output->names;
  int same = 1;
  TRY(path_of(output, "history.csv", path, err));
  if (n_keep_rows >= 0)
    TRY(csv_has_columns(path, names, output->units, output->n_columns, &same, err));
  if (!same) return convert_history(output, path, n_keep_rows, err);
  return csv_open(&output->history, path, names, output->units, output->n_columns, n_keep_rows,
                  err);
}

const char *output_changes(const Output *output) {
  return output->note.changes ? output->note.changes : "";
}

const char *output_new_changes(const Output *output) {
  return output_changes(output) + output->note.n_before;
}

Status output_open(Output **out, const OutputSpec *spec, const Model *model, const char *dir,
                   StartMode mode, State *state, int *resumed, Err *err) {
  Output *output;
  int holds;
  MEM_NEW(output, 1, err);
  *out = output;
  *resumed = 0;
  output->spec = spec;
  output->last_fields = -1;
  output->last_checkpoint = timer_wall();
  snprintf(output->dir, sizeof output->dir, "%s", dir);
  TRY(make_columns(output, model->bodies.dim, err));
  TRY(folder_make(dir, err));
  TRY(holds_results(output, &holds, err));
  if (mode == START_FRESH && holds)
    return err_set(err, ERR_INPUT,
                   "the folder '%s' holds results: add --force to replace them or "
                   "--restart to go on, or choose another one with -o",
                   dir);
  if (mode == START_FORCED) TRY(clear_results(output, err));
  output->note.accept_changes = mode == START_CHANGED;
  if (mode >= START_RESTART) TRY(resume(output, model, state, resumed, err));
  TRY(open_history(output, *resumed ? (long)output->note.history_rows : -1, err));
  TRY(write_limits(output, err));
  if (model->bodies.n_finite == 0) return OK;
  output->has_newton = 1;
  char path[FILE_PATH_SIZE];
  TRY(path_of(output, "newton.csv", path, err));
  return csv_open(&output->newton, path, newton_columns, newton_units, N_NEWTON_COLUMNS,
                  *resumed ? (long)state->count[STAT_NEWTON_ROWS] : -1, err);
}

// ---- steps --------------------------------------------------------------------------------------

static const struct {
  const char *stem;
  Status (*write)(const Model *model, const State *state, const StepWork *work, const char *path,
                  const OutputSpec *spec, Err *err);
} field_files[] = {{"bodies", fields_write_bodies},
                   {"contacts", fields_write_contacts},
                   {"forces", fields_write_forces},
                   {"tools", fields_write_tools}}; // the last, only where there are tools
enum { N_FIELD_FILES = sizeof field_files / sizeof field_files[0] };

static Status write_fields(Output *output, const Model *model, const State *state,
                           const StepWork *work, Err *err) {
  char name[64], path[FILE_PATH_SIZE];
  TRY(add_to_series(output, state->step, state->t, err));
  for (int k = 0; k < N_FIELD_FILES - (model->bodies.n_tools == 0); k++) {
    snprintf(name, sizeof name, "%s_%06lld.vtk", field_files[k].stem, (long long)state->step);
    TRY(path_of(output, name, path, err));
    TRY(field_files[k].write(model, state, work, path, output->spec, err));
    TRY(vtk_write_series(output->dir, field_files[k].stem, output->series_step, output->series_time,
                         output->n_series, err));
  }
  output->last_fields = state->step;
  return OK;
}

Status output_step(Output *output, const Model *model, State *state, const StepWork *work,
                   Err *err) {
  double clock = timer_wall();
  const OutputSpec *spec = output->spec;
  Observation now = {.model = model, .state = state, .work = work};
  Status status = OK;
  if (state->step > 0) {
    int at = N_STANDARD_COLUMNS;
    probe_standard(&now, output->values);
    for (int k = 0; k < spec->n_probes; k++) {
      probe_observe(&spec->probes[k], &now, output->values + at);
      at += probe_n_columns(&spec->probes[k], model->bodies.dim);
    }
    status = write_newton(output, state->step, work, err);
    if (status == OK && state->step % spec->history_every == 0) {
      double written = timer_wall();
      status = csv_row(&output->history, output->values, err);
      output->note.history_rows++;
      output->seconds += timer_wall() - written;
    }
  }
  double h = state->step > 0 ? work->report.h : 0;
  if (status == OK && schedule_wants_fields(spec->every, model, state, h) &&
      state->step != output->last_fields) {
    clock = timer_wall();
    status = write_fields(output, model, state, work, err);
    output->seconds += timer_wall() - clock;
  }
  return status;
}

static Status write_checkpoint(Output *output, const Model *model, State *state, const char *name,
                               Err *err) {
  double clock = timer_wall();
  char path[FILE_PATH_SIZE];
  TRY(path_of(output, name, path, err));
  // The history on disk must reach the checkpoint, or a killed run could not be continued.
  TRY(csv_flush(&output->history, err));
  if (output->has_newton) TRY(csv_flush(&output->newton, err));
  output->note.history_sum = output->history.sum;
  output->note.newton_sum = output->has_newton ? output->newton.sum : 0;
  TRY(checkpoint_write(path, model, state, &output->note, err));
  output->seconds += timer_wall() - clock;
  return OK;
}

Status output_checkpoint(Output *output, const Model *model, State *state, int force, Err *err) {
  double since = timer_wall() - output->last_checkpoint;
  if (!force && (output->spec->checkpoint <= 0 || since < output->spec->checkpoint)) return OK;
  TRY(write_checkpoint(output, model, state, "checkpoint.h5", err));
  output->last_checkpoint = timer_wall();
  return OK;
}

Status output_stage(Output *output, const Model *model, State *state, const char *name, Err *err) {
  char file[FILE_PATH_SIZE];
  if (snprintf(file, sizeof file, "stage_%s.h5", name) >= (int)sizeof file)
    return err_set(err, ERR_SYSTEM, "the name of stage '%s' is too long for a file", name);
  return write_checkpoint(output, model, state, file, err);
}

// ---- summary ------------------------------------------------------------------------------------

static void put_mean_max(JsonWriter *json, const char *key, double sum, double n, double max) {
  json_begin(json, key, '{');
  json_put_number(json, "mean", n > 0 ? sum / n : 0);
  json_put_number(json, "max", max);
  json_end(json, '}');
}

static void put_model(JsonWriter *json, const Model *model) {
  const BodySet *bs = &model->bodies;
  int64_t n_dofs = bs->n_extra, n_elems = 0; // angles and directors of sheets are unknowns too
  for (int b = 0; b < bs->n_bodies; b++) {
    if (!bodies_material(bs, b)) continue;
    n_dofs += bodies_n_unknowns(bs, b);
    n_elems += bs->mesh[b]->n_elems;
  }
  int n_bodies = 0;
  for (int b = 0; b < bs->n_bodies; b++) n_bodies += !bs->type[b]->support;
  json_put_integer(json, "bodies", n_bodies);
  json_put_integer(json, "supports", bs->n_bodies - n_bodies);
  json_put_integer(json, "prototypes", bs->n_protos);
  json_put_integer(json, "elements", n_elems);
  json_put_integer(json, "dofs", n_dofs);
}

// Error in the energy of deformation, and the contact that had most of the worst.
static void put_deformation(JsonWriter *json, const Model *model, const State *state) {
  const double *worst = state->worst, *place = worst + WORST_CONTACT_PLACE;
  int64_t n = state->count[STAT_DEFORMING];
  if (n == 0) return;
  put_mean_max(json, "deformation_error", worst[SUM_DEFORMATION], (double)n,
               worst[WORST_DEFORMATION]);
  if (state->count[STAT_RIGID] > 0) json_put_number(json, "rigid_error", worst[WORST_RIGID]);
  if (!(worst[WORST_CONTACT_STEP] > 0)) return;
  json_begin(json, "worst_contact", '{');
  json_put_integer(json, "step", (int64_t)worst[WORST_CONTACT_STEP]);
  json_put_text(json, "body", model->bodies.name[(int)worst[WORST_CONTACT_BODY]]);
  json_put_text(json, "other", model->bodies.name[(int)worst[WORST_CONTACT_OTHER]]);
  json_begin(json, "place", '[');
  for (int i = 0; i < 3; i++) json_put_number(json, NULL, place[i]);
  json_end(json, ']');
  json_end(json, '}');
}

// What the tolerance was held against.
static const char *measure_name(const SolverSettings *settings, const int64_t *count) {
  if (settings->measure == MEASURE_SCALED) return "scaled";
  if (count[STAT_RIGID] == 0) return "deformation";
  return count[STAT_DEFORMING] == 0 ? "scaled" : "deformation, rigid parts scaled";
}

static void put_counts(JsonWriter *json, const Model *model, const State *state,
                       const RunInfo *info) {
  const int64_t *count = state->count;
  double n = (double)count[STAT_SUBSTEPS];
  const SolverSettings *settings = &model->steps.solver_settings;
  json_put_number(json, "tolerance", settings->tolerance);
  json_put_text(json, "solver", model->steps.solver->name);
  json_put_text(json, "measure", measure_name(settings, count));
  put_mean_max(json, "contacts", (double)count[STAT_CONTACTS_SUM], n,
               (double)count[STAT_CONTACTS_MAX]);
  put_mean_max(json, "iterations", (double)count[STAT_ITERATIONS_SUM], n,
               (double)count[STAT_ITERATIONS_MAX]);
  put_mean_max(json, "newton", (double)count[STAT_NEWTON_SUM], n, (double)count[STAT_NEWTON_MAX]);
  json_put_integer(json, "not_converged_steps", count[STAT_NOT_CONVERGED]);
  if (model->contact.n_law_state > 0) json_put_integer(json, "broken_joints", count[STAT_BROKEN]);
  json_put_integer(json, "cuts", count[STAT_CUTS]);
  json_put_integer(json, "stages_without_rest", count[STAT_NOT_AT_REST]);
  json_put_integer(json, "warnings", info->warnings);
  json_put_integer(json, "condition_33", count[STAT_CONDITION_33]);
  json_put_integer(json, "searches", count[STAT_SEARCHES]);
  json_put_integer(json, "blocks", count[STAT_BLOCKS]);
  put_mean_max(json, "error", state->worst[SUM_ERROR], (double)count[STAT_JUDGED],
               state->worst[WORST_ERROR]);
  put_deformation(json, model, state);
  json_begin(json, "penetration", '{');
  json_put_number(json, "contacts", state->worst[WORST_PENETRATION_CONTACTS]);
  json_put_number(json, "nodes", state->worst[WORST_PENETRATION_NODES]);
  json_end(json, '}');
}

// Bodies that touched nothing: how many, and the first of them.
static void put_untouched(JsonWriter *json, const Model *model, const State *state) {
  enum { N_NAMED = 20 };
  int n = 0;
  json_begin(json, "untouched", '[');
  for (int b = 0; b < model->bodies.n_bodies; b++)
    if (state_is_untouched(state, model, b) && ++n <= N_NAMED)
      json_put_text(json, NULL, model->bodies.name[b]);
  json_end(json, ']');
  json_put_integer(json, "untouched_bodies", n);
}

static void put_energy(JsonWriter *json, const State *state) {
  static const char *const name[] = {"kinetic",  "elastic", "external",  "contact_normal",
                                     "friction", "damping", "numerical", "plastic",
                                     "initial",  "removed"};
  json_begin(json, "energy", '{');
  for (int k = 0; k <= ENERGY_REMOVED; k++) json_put_number(json, name[k], state->energy[k]);
  json_put_number(json, "friction_fed", state->energy[ENERGY_FRICTION_FED]);
  json_put_number(json, "friction_stuck", state->energy[ENERGY_FRICTION_STUCK]);
  json_put_number(json, "balance_error", state->worst[WORST_BALANCE]);
  json_end(json, '}');
}

// What makes the run doubtful, or is told only: one row for each kind, where it was worst, and in
// how many sub-steps it was at all.
static void put_verdicts(JsonWriter *json, const Model *model, const VerdictState *state,
                         int told) {
  json_begin(json, told ? "told" : "verdicts", '[');
  for (int k = 0; k < N_VERDICTS; k++) {
    const int64_t *count = state->count[k];
    if (count[VERDICT_COUNT] == 0 || verdict_types[k].told != told) continue;
    json_begin(json, NULL, '{');
    json_put_text(json, "kind", verdict_types[k].name);
    json_put_integer(json, "step", count[VERDICT_STEP]);
    json_put_text(json, "body",
                  count[VERDICT_BODY] < 0 ? NULL : model->bodies.name[count[VERDICT_BODY]]);
    json_put_number(json, "value", state->value[k][VERDICT_VALUE]);
    json_put_number(json, "limit", state->value[k][VERDICT_LIMIT]);
    json_put_text(json, "unit", verdict_types[k].unit);
    json_put_integer(json, "times", count[VERDICT_COUNT]);
    json_end(json, '}');
  }
  json_end(json, ']');
}

// Nothing where there is nothing to stand.
static void put_outcome(JsonWriter *json, const Model *model, const Outcome *outcome) {
  if (outcome->kind == OUTCOME_NONE) return;
  json_begin(json, "outcome", '{');
  json_put_text(json, "verdict", outcome_names[outcome->kind]);
  json_put_bool(json, "at_rest", outcome->at_rest);
  json_put_integer(json, "moved_bodies", outcome->n_moved);
  json_put_integer(json, "falling_bodies", outcome->n_falls);
  json_put_text(json, "told_body", model->bodies.name[outcome->told]);
  json_put_number(json, "told_displacement", outcome->told_displacement);
  json_put_number(json, "told_turn", outcome->told_turn);
  json_put_text(json, "farthest_body", model->bodies.name[outcome->body]);
  json_put_number(json, "displacement", outcome->displacement);
  json_put_number(json, "turn", outcome->turn);
  json_put_text(json, "fastest_body", model->bodies.name[outcome->fastest]);
  json_put_number(json, "speed", outcome->speed);
  json_end(json, '}');
}

static void put_seconds(JsonWriter *json, const Output *output, const State *state,
                        const StepWork *work, const RunInfo *info) {
  static const char *const name[N_PHASES] = {"detect", "free", "assemble", "solve", "update"};
  json_begin(json, "seconds", '{');
  json_put_number(json, "wall", timer_wall() - info->wall_start);
  double cpu = timer_cpu() - info->cpu_start;
  json_put_number(json, "cpu", cpu);
  json_put_number(json, "simulated_over_cpu", cpu > 0 ? (state->t - info->t_start) / cpu : 0);
  json_put_number(json, "setup", info->setup);
  for (int k = 0; k < N_PHASES; k++) json_put_number(json, name[k], work->phase[k]);
  json_put_number(json, "output", output->seconds);
  json_end(json, '}');
}

static void put_program(JsonWriter *json) {
  ProgramInfo info;
  program_info(&info);
  json_put_text(json, "commit", info.commit);
  json_put_text(json, "flags", info.flags);
  json_put_text(json, "cpu", info.cpu);
  json_put_text(json, "openblas", info.blas);
}

static void put_changes(JsonWriter *json, const char *line) {
  json_begin(json, "changes", '[');
  while (*line) {
    char text[512];
    size_t n = strcspn(line, "\n");
    snprintf(text, sizeof text, "%.*s", (int)n, line);
    json_put_text(json, NULL, text);
    line += n + (line[n] == '\n');
  }
  json_end(json, ']');
}

static Status write_summary(const Output *output, const Model *model, State *state,
                            const StepWork *work, RunStatus run_status, const RunInfo *info,
                            Err *err) {
  static const char *const status[] = {"done", "doubtful", "tolerance_missed", "interrupted",
                                       "failed"};
  char path[FILE_PATH_SIZE], hash[32];
  AtomicFile file;
  uint64_t physics;
  TRY(path_of(output, "history.csv", path, err));
  TRY(physics_hash(step_model(work), state, work, path, &physics, err));
  TRY(path_of(output, "summary.json", path, err));
  TRY(atomic_open(&file, path, err));
  JsonWriter json = {.stream = file.stream};
  json_begin(&json, NULL, '{');
  json_put_text(&json, "program", "voussoir");
  json_put_text(&json, "version", VOUSSOIR_VERSION);
  put_program(&json);
  json_put_text(&json, "input", info->input);
  json_put_text(&json, "title", output->spec->title);
  json_put_text(&json, "status", status[run_status]);
  if (info->reason) json_put_text(&json, "reason", info->reason);
  json_begin(&json, "parameters", '{');
  for (int k = 0; k < info->n_parameters; k++)
    json_put_text(&json, info->parameters[k].name, info->parameters[k].value);
  json_end(&json, '}');
  put_changes(&json, output_changes(output));
  json_put_integer(&json, "steps", state->step);
  json_put_number(&json, "time", state->t);
  put_model(&json, model);
  put_counts(&json, model, state, info);
  put_untouched(&json, model, state);
  put_energy(&json, state);
  put_verdicts(&json, model, &state->verdict, 0);
  put_verdicts(&json, model, &state->verdict, 1);
  put_outcome(&json, model, &info->outcome);
  put_seconds(&json, output, state, work, info);
  json_put_integer(&json, "threads", info->threads);
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)state_hash(state, model));
  json_put_text(&json, "state_hash", hash);
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)physics);
  json_put_text(&json, "physics_hash", hash);
  json_end(&json, '}');
  return atomic_commit(&file, err);
}

void output_abandon(Output *output) {
  if (!output) return;
  Err ignored = {0};
  if (csv_close(&output->history, &ignored) != OK) err_clear(&ignored); // the first error counts
  if (output->has_newton && csv_close(&output->newton, &ignored) != OK) err_clear(&ignored);
  for (int k = 0; output->names && k < output->n_columns; k++) mem_free(output->names[k]);
  mem_free(output->names);
  mem_free((void *)output->units);
  mem_free(output->values);
  mem_free(output->series_step);
  mem_free(output->series_time);
  checkpoint_note_free(&output->note);
  mem_free(output);
}

Status output_close(Output *output, const Model *model, State *state, const StepWork *work,
                    RunStatus run_status, const RunInfo *info, Err *err) {
  Status status = OK;
  double clock = timer_wall();
  if (output->spec->every != FIELDS_NONE && state->step != output->last_fields && work->reaction)
    status = write_fields(output, step_model(work), state, work, err);
  output->seconds += timer_wall() - clock;
  if (status == OK) status = output_checkpoint(output, model, state, 1, err);
  if (status == OK) status = write_profiles(output, step_model(work), state, err);
  if (status == OK && run_status == RUN_FAILED)
    status = write_newton(output, state->step + 1, work, err); // of the step that failed
  if (status == OK && output->has_newton) status = csv_close(&output->newton, err);
  if (status == OK) status = csv_close(&output->history, err);
  if (status == OK) status = write_summary(output, model, state, work, run_status, info, err);
  output_abandon(output);
  return status;
}
