// voussoir run: from an input to a folder of results.

#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algebra/spd.h"
#include "app/commands.h"
#include "app/dump.h"
#include "app/foresee.h"
#include "app/interrupt.h"
#include "app/options.h"
#include "base/timer.h"
#include "build/build_internal.h"
#include "file/atomic.h"
#include "output/schedule.h"

static const OptionSpec options_run[] = {
    {"-o", "DIR", "folder of the results (default: output/NAME)"},
    {"--force", NULL, "replace the results that the folder holds"},
    {"--restart", NULL, "go on from the checkpoint in the folder; start at zero if there is none"},
    {"--accept-changes", NULL,
     "go on from a checkpoint of another model; what changed is in the summary"},
    {"--after", "STAGE", "go on from the end of that stage: what follows it is run again"},
    {"--threads", "N", "number of threads, 1 by default (the results do not depend on it)"},
    {"--set", "NAME=VALUE", "value of a named parameter; may be repeated"},
    {"--dump-problems", "WHEN",
     "friction problems as FCLIB files: missed, hard, hard:N or step numbers"},
    {"--quiet", NULL, "no progress, no warnings on the terminal"},
    {"--help", NULL, "this page"},
    // as if a signal came: after so many steps of this run, or when it is looked for signals the
    // N-th time, which may be within an iteration
    {"--stop-after", "N", NULL},
    {"--stop-at-question", "N", NULL},
};
enum { N_OPTIONS_RUN = sizeof options_run / sizeof options_run[0] };

typedef struct {
  Case input;
  State state;
  StepWork work;
  Output *output;
  Log log;
  Dump dump;
  RunInfo info;
  Diag doubts; // of the input
  const char *path;
  char dir[FILE_PATH_SIZE], stop[FILE_PATH_SIZE];
  double progress_at, loop_start, stop_at; // clocks
  int stop_seen;                           // 1: the file STOP is there
  int64_t first_step;                      // steps done before this run
  int64_t stop_step, stop_question, asked; // of the hidden options, 0: not given; questions so far
  int show_progress, lock;                 // lock: of the folder
} Run;

// The folder of -o, or output/NAME for an input .../NAME.xml
static Status find_folder(const char *path, const char *wanted, char dir[FILE_PATH_SIZE],
                          Err *err) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  size_t length = strlen(name);
  if (length > 4 && strcmp(name + length - 4, ".xml") == 0) length -= 4;
  int written = wanted ? snprintf(dir, FILE_PATH_SIZE, "%s", wanted)
                       : snprintf(dir, FILE_PATH_SIZE, "output/%.*s", (int)length, name);
  if (written < FILE_PATH_SIZE) return OK;
  return err_set(err, ERR_INPUT,
                 "the name of the folder has %d characters, at most %d are possible", written,
                 FILE_PATH_SIZE - 1);
}

// ---- progress -----------------------------------------------------------------------------------

static const double PROGRESS_PAUSE = 0.1; // [s] between two lines on a terminal

// Steps of this stage: all there are, or -1 where rest ends it.
static int64_t steps_of_stage(const Stage *stage) {
  return stage->until_rest || stage->steps.h_max > stage->steps.h ? -1 : stage->steps.n_steps;
}

static void show_progress(Run *run) {
  double now = timer_wall();
  const State *state = &run->state;
  const Model *model = &run->input.model;
  const StepReport *report = &run->work.report;
  const Stage *stage = &model->stages[report->stage];
  int64_t first = state->stage[STAGE_FIRST_STEP], n = steps_of_stage(stage);
  int64_t done = state->step - (first > run->first_step ? first : run->first_step);
  if (!run->show_progress ||
      (now - run->progress_at < PROGRESS_PAUSE && !stage_is_over(model, state)))
    return;
  run->progress_at = now;
  char line[320], total[40] = "", left[40] = "", name[80] = "";
  if (stage->name)
    snprintf(name, sizeof name, "%.60s %d/%d  ", stage->name, report->stage + 1, model->n_stages);
  if (n >= 0) {
    snprintf(total, sizeof total, "/%lld", (long long)(first + n));
    snprintf(left, sizeof left, "  %.0f s left",
             (now - run->loop_start) / (double)(done > 0 ? done : 1) *
                 (double)(first + n - state->step));
  }
  snprintf(line, sizeof line,
           "%sstep %lld%s  t = %.4g s  contacts %d  iterations %d  penetration %.1e m%s%s", name,
           (long long)state->step, total, state->t, report->n_contacts, report->solver.iterations,
           fmax(report->penetration.contacts, report->penetration.nodes),
           state->count[STAT_NOT_CONVERGED] ? "  NOT CONVERGED" : "", left);
  log_progress(&run->log, line);
}

// ---- rest events --------------------------------------------------------------------------------

static void rest_events(Run *run) {
  const Model *model = &run->input.model;
  for (int k = 0; k < model->n_rests; k++) {
    if (!step_rest_acts(model, &run->state, k, output_values(run->output), run->work.report.dt))
      continue;
    step_rest(model, &run->state);
    log_line(&run->log, "t = %.6g s: velocities set to zero (%s:%d)", run->state.t,
             model->rests[k].src.file, model->rests[k].src.line);
  }
}

// ---- the loop -----------------------------------------------------------------------------------

static const double STOP_PAUSE = 0.1; // [s] between two looks for the file STOP

// Asked between steps, sub-steps and iterations, those of contact solvers too. Who was told to stop
// is told so again: a solver that has broken off is asked about by what called it.
static int must_stop(void *of) {
  Run *run = of;
  double now = timer_wall();
  if (interrupt_is_asked()) return 1;
  int64_t done = run->state.step - run->first_step;
  if (++run->asked == run->stop_question || (run->stop_step > 0 && done >= run->stop_step))
    interrupt_ask();
  if (interrupt_is_asked()) return 1;
  if (run->stop_seen || now - run->stop_at < STOP_PAUSE) return run->stop_seen;
  run->stop_at = now;
  run->stop_seen = file_exists(run->stop);
  return run->stop_seen;
}

static RunStatus status_at_end(const State *state) {
  int missed = state->count[STAT_NOT_CONVERGED] > 0 || state->count[STAT_NOT_AT_REST] > 0;
  if (verdict_any(&state->verdict)) return RUN_DOUBTFUL;
  return missed ? RUN_TOLERANCE_MISSED : RUN_DONE;
}

// What a stage that is over leaves: a line, and a checkpoint from which the next ones can be run
// again.
static Status end_of_stage(Run *run, Err *err) {
  Case *c = &run->input;
  State *state = &run->state;
  const Stage *stage = stage_current(&c->model, state);
  if (!stage->name || !stage_is_over(&c->model, state)) return OK;
  log_line(&run->log,
           "t = %.6g s: end of stage '%s' after %lld steps, kinetic energy %.3g J (%.1e of what "
           "there was to lose)",
           state->t, stage->name, (long long)(state->step - state->stage[STAGE_FIRST_STEP]),
           state->energy[ENERGY_KINETIC], stage_unrest(state));
  TRY(stage_judge(&c->model, state, err));
  if (stage->until_rest && stage->may_miss && state->stage[STAGE_CALM] == 0)
    log_warn(&run->log, "no rest", "stage '%s' (%s:%d) ended without rest: fastest node %.2g m/s",
             stage->name, stage->src.file, stage->src.line, state->stage_value[STAGE_FASTEST]);
  return output_stage(run->output, &c->model, state, stage->name, err);
}

static Status loop(Run *run, RunStatus *status, Err *err) {
  Case *c = &run->input;
  if (run->state.step == 0)
    TRY(output_step(run->output, step_model(&run->work), &run->state, &run->work, err));
  run->loop_start = timer_wall();
  while (!stage_run_is_over(&c->model, &run->state)) {
    Status step = step_ask(&run->work, err);
    if (step == OK) step = step_advance(&c->model, &run->state, &run->work, &run->log, err);
    if (step == ERR_STOPPED) {
      err_clear(err);
      *status = RUN_INTERRUPTED;
      return OK;
    }
    TRY(step);
    TRY(output_step(run->output, step_model(&run->work), &run->state, &run->work, err));
    TRY(dump_step(&run->dump, &run->state, &run->work, run->dir, &run->log, err));
    rest_events(run);
    TRY(output_checkpoint(run->output, &c->model, &run->state, 0, err));
    show_progress(run);
    TRY(end_of_stage(run, err));
  }
  TRY(stage_judge(&c->model, &run->state, err)); // of a run that was over when it was taken up
  *status = status_at_end(&run->state);
  return OK;
}

static void say_verdicts(Run *run) {
  const VerdictState *verdict = &run->state.verdict;
  for (int k = 0; k < N_VERDICTS; k++) {
    const int64_t *count = verdict->count[k];
    if (count[VERDICT_COUNT] == 0) continue;
    const char *body =
        count[VERDICT_BODY] < 0 ? NULL : run->input.model.bodies.name[count[VERDICT_BODY]];
    log_line(&run->log, "  %s: %s %.3g %s (limit %.3g), %lld times, worst in step %lld%s%s",
             verdict_types[k].told ? "told" : "doubtful", verdict_types[k].name,
             verdict->value[k][VERDICT_VALUE], verdict_types[k].unit,
             verdict->value[k][VERDICT_LIMIT], (long long)count[VERDICT_COUNT],
             (long long)count[VERDICT_STEP], body ? ", body " : "", body ? body : "");
  }
}

static void say_outcome(Run *run) {
  const Outcome *outcome = &run->info.outcome;
  char *const *name = run->input.model.bodies.name;
  if (outcome->kind == OUTCOME_NONE) return;
  char many[60] = "";
  int n_slides = outcome->n_moved - outcome->n_falls;
  if (outcome->n_falls > 0 && n_slides > 0)
    snprintf(many, sizeof many, " (%d %s, %d more slide)", outcome->n_falls,
             outcome->n_falls > 1 ? "bodies" : "body", n_slides);
  else if (outcome->n_moved > 1)
    snprintf(many, sizeof many, " (%d bodies)", outcome->n_moved);
  log_line(&run->log,
           "  it %s%s: '%.80s' has moved by %.2e m and turned by %.2e rad; %s, '%.80s' moves at "
           "%.1e m/s",
           outcome_names[outcome->kind], many, name[outcome->told], outcome->told_displacement,
           outcome->told_turn, outcome->at_rest ? "at rest" : "not at rest", name[outcome->fastest],
           outcome->speed);
  double cpu = timer_cpu() - run->info.cpu_start;
  if (cpu > 0)
    log_line(&run->log, "  S_p %.2g: time simulated over that of the processor",
             (run->state.t - run->info.t_start) / cpu);
}

static void say_result(Run *run, RunStatus status) {
  static const char *const word[] = {"done", "done, but doubtful",
                                     "done, but steps missed the tolerance", "interrupted",
                                     "failed"};
  const State *state = &run->state;
  const int64_t *count = state->count;
  log_sum_up(&run->log);
  log_line(&run->log, "%s: %lld steps to t = %.6g s in %.2f s; iterations a step %.1f (most %lld)",
           word[status], (long long)state->step, state->t, timer_wall() - run->info.wall_start,
           count[STAT_SUBSTEPS] ? (double)count[STAT_ITERATIONS_SUM] / (double)count[STAT_SUBSTEPS]
                                : 0.0,
           (long long)count[STAT_ITERATIONS_MAX]);
  const SolverSettings *settings = &run->input.model.steps.solver_settings;
  int judged = settings->measure == MEASURE_DEFORMATION && count[STAT_DEFORMING] > 0;
  log_line(&run->log, "  worst error %.2e (tolerance %.1e), steps that missed it: %lld; cuts: %lld",
           state->worst[judged ? WORST_DEFORMATION : WORST_ERROR], settings->tolerance,
           (long long)count[STAT_NOT_CONVERGED], (long long)count[STAT_CUTS]);
  if (judged && count[STAT_RIGID] > 0)
    log_line(&run->log, "  worst scaled error of rigid parts %.2e (tolerance %.1e)",
             state->worst[WORST_RIGID], solver_rigid_tolerance(settings));
  log_line(&run->log,
           "  worst penetration %.2e m at contact points, %.2e m at nodes; energy balance %.1e",
           state->worst[WORST_PENETRATION_CONTACTS], state->worst[WORST_PENETRATION_NODES],
           state->worst[WORST_BALANCE]);
  say_outcome(run);
  say_verdicts(run);
  if (run->input.output.every == FIELDS_NONE)
    log_line(&run->log, "  results in %s; no fields for ParaView: <output every=\"0\">", run->dir);
  else
    log_line(&run->log, "  results in %s: open bodies.vtk.series, forces.vtk.series in ParaView",
             run->dir);
}

static int exit_code(RunStatus status) {
  static const int code[] = {[RUN_DONE] = 0,
                             [RUN_DOUBTFUL] = 5,
                             [RUN_TOLERANCE_MISSED] = 5,
                             [RUN_INTERRUPTED] = 130,
                             [RUN_FAILED] = 4};
  return code[status];
}

// The checkpoint of a stage's end becomes the one that a restart takes up, unless that will be
// refused: what has been computed since would be lost.
static Status go_back(Run *run, const char *stage, int accept, Err *err) {
  char name[FILE_PATH_SIZE], from[FILE_PATH_SIZE], to[FILE_PATH_SIZE];
  const Model *model = &run->input.model;
  int known = 0;
  for (int k = 0; k < model->n_stages; k++)
    known = known || (model->stages[k].name && strcmp(model->stages[k].name, stage) == 0);
  if (!known) return err_set(err, ERR_INPUT, "--after %s: the input has no such stage", stage);
  snprintf(name, sizeof name, "stage_%s.h5", stage);
  TRY(file_join(from, run->dir, name, err));
  TRY(file_join(to, run->dir, "checkpoint.h5", err));
  if (!file_exists(from))
    return err_set(err, ERR_INPUT, "--after %s: there is no '%s': that stage has not ended yet",
                   stage, from);
  CheckpointNote note = {.accept_changes = accept, .folder = run->dir};
  Status status = checkpoint_read(from, model, &run->state, &note, err);
  checkpoint_note_free(&note);
  return status == OK ? file_copy(from, to, err) : status;
}

static void tell_changes(Run *run) {
  for (const char *line = output_new_changes(run->output); *line;) {
    size_t n = strcspn(line, "\n");
    log_line(&run->log, "  changed at %.*s", (int)n, line);
    line += n + (line[n] == '\n');
  }
}

static Status prepare(Run *run, const Options *options, int *finished, Err *err) {
  Case *c = &run->input;
  const char *after = options_value(options, "--after");
  int accept = options_value(options, "--accept-changes") != NULL;
  StartMode mode = after || options_value(options, "--restart")
                       ? accept ? START_CHANGED : START_RESTART
                   : options_value(options, "--force") ? START_FORCED
                                                       : START_FRESH;
  int resumed;
  char path[FILE_PATH_SIZE];
  const char *missing;
  TRY(folder_make(run->dir, err));
  TRY(folder_lock(&run->lock, &missing, run->dir, err));
  if (missing)
    log_warn(&run->log, "no lock",
             "the folder '%s' cannot be locked (%s): a second run into it would not be noticed",
             run->dir, missing);
  TRY(state_init(&run->state, &c->model, err));
  if (after) TRY(go_back(run, after, accept, err));
  TRY(output_open(&run->output, &c->output, &c->model, run->dir, mode, &run->state, &resumed, err));
  Err unrest = {0};
  *finished = resumed && stage_run_is_over(&c->model, &run->state) &&
              stage_judge(&c->model, &run->state, &unrest) == OK;
  if (*finished) {
    tell_changes(run);
    return OK;
  }
  run->first_step = run->state.step;
  run->info.t_start = run->state.t;
  if (resumed)
    log_line(&run->log, "going on from step %lld, t = %.6g s", (long long)run->state.step,
             run->state.t);
  tell_changes(run);
  TRY(file_join(run->stop, run->dir, "STOP", err));
  TRY(file_join(path, run->dir, "input.xml", err));
  TRY(file_copy(run->path, path, err));
  TRY(step_work_init(&run->work, &c->model, &run->state, err));
  run->work.must_stop = must_stop;
  run->work.must_stop_of = run;
  return OK;
}

// Each by itself, also of one kind; their texts must outlive the log.
static Status tell_doubts(Run *run, Err *err) {
  Diag *doubts = &run->doubts;
  TRY(foresee_doubts(&run->input, 0, doubts, err));
  diag_sort(doubts);
  for (size_t k = 0; k < doubts->n; k++) {
    const DiagEntry *entry = &doubts->entries[k];
    log_warn(&run->log, entry->text, "%s:%d: %s", entry->pos.file, entry->pos.line, entry->text);
  }
  return OK;
}

// At the end of a whole run: what was asked and never happened.
static void tell_idle_rests(Run *run) {
  const Model *model = &run->input.model;
  for (int k = 0; k < model->n_rests; k++)
    if (run->state.rest_passages[k] < model->rests[k].count)
      log_warn(&run->log, "idle rest", "%s:%d: this <rest> did not act: %s",
               model->rests[k].src.file, model->rests[k].src.line,
               model->rests[k].probe_column < 0 ? "its time did not come"
                                                : "its probe did not pass the value so often");
}

// At the end of a whole run: who was there for nothing.
static void tell_untouched(Run *run) {
  const Model *model = &run->input.model;
  const BodySet *bs = &model->bodies;
  NamedBodies idle = {0};
  for (int b = 0; b < bs->n_bodies; b++)
    if (state_is_untouched(&run->state, model, b)) builder_name_body(&idle, bs, b);
  if (idle.n == 0) return;
  SrcPos src = bs->src[idle.first];
  if (idle.n == 1)
    log_warn(&run->log, "untouched", "%s:%d: '%s' touched nothing in the whole run", src.file,
             src.line, idle.names);
  else
    log_warn(&run->log, "untouched",
             "%s:%d: %d bodies and tools touched nothing in the whole run (%s)", src.file, src.line,
             idle.n, idle.names);
}

static int run_case(Run *run, const Options *options) {
  Case *c = &run->input;
  Err err = {0};
  RunStatus run_status = RUN_DONE;
  int finished = 0;
  if (case_load(c, run->path, options->setting, options->n_settings, &err) != OK)
    return case_fail(c, &err);
  Status status = prepare(run, options, &finished, &err);
  if (status == OK && finished) {
    log_line(&run->log, "%s is finished at step %lld: nothing to do", run->dir,
             (long long)run->state.step);
    output_abandon(run->output);
    return exit_code(status_at_end(&run->state));
  }
  run->info.setup = timer_wall() - run->info.wall_start;
  if (status == OK) status = tell_doubts(run, &err);
  interrupt_save();
  if (status == OK) status = loop(run, &run_status, &err);
  if (status != OK && status != ERR_NUMERIC) {
    output_abandon(run->output);
    return command_fail(&err);
  }
  if (status == ERR_NUMERIC) run_status = RUN_FAILED;
  if (run_status == RUN_DONE || run_status == RUN_TOLERANCE_MISSED) {
    tell_untouched(run);
    tell_idle_rests(run);
  }
  if (status == OK)
    status = outcome_judge(step_model(&run->work), &run->state, &run->info.outcome, &err);
  run->info.warnings = log_count(&run->log);
  run->info.reason = status == OK ? NULL : err.text;
  run->info.n_parameters = c->input.n_parameters;
  run->info.parameters = c->input.parameters;
  Err closing = {0};
  Status closed = output_close(run->output, &c->model, &run->state, &run->work, run_status,
                               &run->info, &closing);
  // A run that has ended has done what the file asks for: a restart goes on.
  if (closed == OK) remove(run->stop);
  say_result(run, run_status);
  if (status != OK) return command_fail(&err);
  return closed == OK ? exit_code(run_status) : command_fail(&closing);
}

static Status set_threads(const Options *options, Err *err) {
  const char *text = options_value(options, "--threads");
  // Waiting threads spin: on a machine that is busy otherwise they cost more than they give.
  if (!text) omp_set_num_threads(1);
  if (!text) return OK; // algebra_start has reserved what one thread needs
  char *end;
  long n = strtol(text, &end, 10);
  if (*end || end == text || n < 1 || n > 1024)
    return err_set(err, ERR_INPUT, "--threads needs a number from 1 to 1024, found '%s'", text);
  TRY(algebra_reserve((int)n, err));
  omp_set_num_threads((int)n);
  return OK;
}

int run_main(int argc, char **argv) {
  Options options;
  Err err = {0};
  Status status = options_parse(&options, options_run, N_OPTIONS_RUN, argc, argv, &err);
  if (status == OK && options_value(&options, "--help")) {
    printf(
        "voussoir run INPUT.xml [options]\n\nRuns a case and writes its results into a folder.\n\n");
    options_print(options_run, N_OPTIONS_RUN, stdout);
    options_free(&options);
    return 0;
  }
  if (status == OK) status = set_threads(&options, &err);
  if (status == OK && options.n_operands != 1)
    status = err_set(&err, ERR_INPUT, "expected one input file, found %d", options.n_operands);
  int taken_up = options_value(&options, "--restart") || options_value(&options, "--after");
  if (status == OK && options_value(&options, "--force") && taken_up)
    status = err_set(&err, ERR_INPUT, "--force excludes --restart and --after");
  if (status == OK && options_value(&options, "--accept-changes") && !taken_up)
    status = err_set(&err, ERR_INPUT, "--accept-changes needs --restart or --after");
  Dump dump = {0};
  if (status == OK) status = dump_parse(&dump, options_value(&options, "--dump-problems"), &err);
  if (status != OK) {
    options_free(&options);
    return status == ERR_SYSTEM ? command_fail(&err) : command_misused("run", &err);
  }
  Run *run = mem_new(1, sizeof *run);
  if (!run) {
    options_free(&options);
    err_set(&err, ERR_SYSTEM, "out of memory: a run of %zu bytes", sizeof *run);
    return command_fail(&err);
  }
  run->dump = dump;
  run->lock = -1;
  run->path = options.operand[0];
  run->info = (RunInfo){.input = run->path,
                        .threads = omp_get_max_threads(),
                        .wall_start = timer_wall(),
                        .cpu_start = timer_cpu()};
  run->log = (Log){.stream = stderr, .quiet = options_value(&options, "--quiet") != NULL};
  const char *after = options_value(&options, "--stop-after");
  const char *question = options_value(&options, "--stop-at-question");
  run->stop_step = after ? strtoll(after, NULL, 10) : 0;
  run->stop_question = question ? strtoll(question, NULL, 10) : 0;
  run->show_progress = isatty(STDERR_FILENO);
  int code;
  if (find_folder(run->path, options_value(&options, "-o"), run->dir, &err) == OK)
    code = run_case(run, &options);
  else
    code = command_misused("run", &err);
  step_work_free(&run->work);
  state_free(&run->state);
  diag_free(&run->doubts);
  folder_unlock(&run->lock);
  case_free(&run->input);
  options_free(&options);
  mem_free(run);
  return code;
}
