#define _XOPEN_SOURCE 700
#include "../file/scratch.h"

#include <math.h>

#include "../../support/run_case.h"
#include "base/timer.h"
#include "file/csv.h"
#include "file/json.h"
#include "file/vtk.h"
#include "output/output.h"

static CaseRun *wall(int every) {
  char settings[128];
  snprintf(settings, sizeof settings, "courses=2 blocks=2 end=0.02 output_every=%d", every);
  return run_case_open("inputs/masonry_wall.xml", settings);
}

static Status open_output(Output **output, CaseRun *run, StartMode mode, int *resumed, Err *err) {
  return output_open(output, &run->input.output, &run->input.model, in_scratch("out"), mode,
                     &run->state, resumed, err);
}

static Output *opened(CaseRun *run, StartMode mode, int *resumed) {
  Output *output = NULL;
  Err err = {0};
  cr_assert_eq(open_output(&output, run, mode, resumed, &err), OK, "%s", err.text);
  return output;
}

static void take_step(CaseRun *run, Output *output) {
  Err err = {0};
  run_case_step(run, 0);
  cr_assert_eq(output_step(output, &run->input.model, &run->state, &run->work, &err), OK, "%s",
               err.text);
}

static const RunInfo info = {.input = "wall.xml",
                             .threads = 2,
                             .setup = 0.25,
                             .warnings = 3,
                             .outcome = {.kind = OUTCOME_SLIDES,
                                         .n_moved = 2,
                                         .body = 1,
                                         .displacement = 0.5,
                                         .turn = 0.25,
                                         .fastest = 3,
                                         .speed = 1.5}};

static void close_output(CaseRun *run, Output *output, RunStatus status) {
  Err err = {0};
  cr_assert_eq(
      output_close(output, &run->input.model, &run->state, &run->work, status, &info, &err), OK,
      "%s", err.text);
}

static CsvTable history(void) {
  CsvTable table = {0};
  Err err = {0};
  cr_assert_eq(csv_read(&table, in_scratch("out/history.csv"), &err), OK, "%s", err.text);
  return table;
}

static int n_files(const char *pattern) {
  FolderList list;
  Err err = {0};
  cr_assert_eq(folder_list(&list, in_scratch("out"), pattern, &err), OK);
  int n = list.n;
  folder_list_free(&list);
  return n;
}

// ---- summary ------------------------------------------------------------------------------------

Test(output, summary_has_every_key_of_the_contract_with_its_type) {
  static const char *const texts[] = {"program",    "version",     "commit", "flags",
                                      "cpu",        "openblas",    "input",  "status",
                                      "state_hash", "physics_hash"};
  static const char *const numbers[] = {"steps",
                                        "time",
                                        "bodies",
                                        "elements",
                                        "dofs",
                                        "tolerance",
                                        "contacts.mean",
                                        "contacts.max",
                                        "iterations.mean",
                                        "iterations.max",
                                        "newton.mean",
                                        "newton.max",
                                        "not_converged_steps",
                                        "cuts",
                                        "warnings",
                                        "condition_33",
                                        "error.mean",
                                        "error.max",
                                        "penetration.contacts",
                                        "penetration.nodes",
                                        "energy.kinetic",
                                        "energy.elastic",
                                        "energy.external",
                                        "energy.contact_normal",
                                        "energy.friction",
                                        "energy.damping",
                                        "energy.plastic",
                                        "energy.numerical",
                                        "energy.balance_error",
                                        "seconds.wall",
                                        "seconds.cpu",
                                        "seconds.simulated_over_cpu",
                                        "seconds.setup",
                                        "seconds.detect",
                                        "seconds.free",
                                        "seconds.assemble",
                                        "seconds.solve",
                                        "seconds.update",
                                        "seconds.output",
                                        "threads"};
  scratch_make();
  CaseRun *run = wall(10);
  int resumed;
  Output *output = opened(run, START_FRESH, &resumed);
  cr_assert_eq(resumed, 0);
  for (int k = 0; k < 10; k++) take_step(run, output);
  close_output(run, output, RUN_DONE);
  JsonTree tree;
  Err err = {0};
  cr_assert_eq(json_read(&tree, in_scratch("out/summary.json"), &err), OK, "%s", err.text);
  for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
    cr_assert_not_null(json_text(&tree, texts[k]), "%s", texts[k]);
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
    const JsonLeaf *leaf = json_find(&tree, numbers[k]);
    cr_assert_not_null(leaf, "no '%s'", numbers[k]);
    cr_assert_eq(leaf->type, JSON_NUMBER, "%s", numbers[k]);
    cr_assert(isfinite(leaf->number), "%s", numbers[k]);
  }
  // Half, whole, half below, two whole above: 3 of 2 x 2 cells, 2 of 1 x 2; two triangles a cell.
  cr_assert_str_eq(json_text(&tree, "program"), "voussoir");
  cr_assert_str_eq(json_text(&tree, "input"), "wall.xml");
  cr_assert_str_eq(json_text(&tree, "status"), "done");
  cr_assert_eq(json_number(&tree, "steps", -1), 10);
  cr_assert_float_eq(json_number(&tree, "time", -1), 0.01, 1e-12);
  cr_assert_eq(json_number(&tree, "bodies", -1), 5);
  cr_assert_eq(json_number(&tree, "elements", -1), 3 * 8 + 2 * 4);
  cr_assert_eq(json_number(&tree, "dofs", -1), (3 * 9 + 2 * 6) * 2);
  cr_assert_eq(json_number(&tree, "tolerance", -1), 1e-3);
  cr_assert_eq(json_number(&tree, "threads", -1), 2);
  cr_assert_eq(json_number(&tree, "warnings", -1), 3);
  cr_assert_eq(json_number(&tree, "seconds.setup", -1), 0.25);
  cr_assert_str_eq(json_text(&tree, "outcome.verdict"), "slides");
  cr_assert_eq(json_number(&tree, "outcome.moved_bodies", -1), 2);
  cr_assert_str_eq(json_text(&tree, "outcome.farthest_body"), run->input.model.bodies.name[1]);
  cr_assert_str_eq(json_text(&tree, "outcome.fastest_body"), run->input.model.bodies.name[3]);
  cr_assert_eq(json_number(&tree, "outcome.displacement", -1), 0.5);
  cr_assert_eq(json_number(&tree, "outcome.turn", -1), 0.25);
  cr_assert_eq(json_number(&tree, "outcome.speed", -1), 1.5);
  cr_assert_leq(json_number(&tree, "contacts.mean", -1), json_number(&tree, "contacts.max", -1));
  char hash[32];
  snprintf(hash, sizeof hash, "%016llx",
           (unsigned long long)state_hash(&run->state, &run->input.model));
  cr_assert_str_eq(json_text(&tree, "state_hash"), hash);
  json_free(&tree);
  run_case_close(run);
  scratch_remove();
}

Test(output, summary_says_how_the_run_ended) {
  static const char *const words[] = {"done", "doubtful", "tolerance_missed", "interrupted",
                                      "failed"};
  scratch_make();
  for (int status = RUN_DONE; status <= RUN_FAILED; status++) {
    CaseRun *run = wall(0);
    int resumed;
    Output *output = opened(run, START_FORCED, &resumed);
    take_step(run, output);
    close_output(run, output, (RunStatus)status);
    JsonTree tree;
    Err err = {0};
    cr_assert_eq(json_read(&tree, in_scratch("out/summary.json"), &err), OK);
    cr_assert_str_eq(json_text(&tree, "status"), words[status]);
    json_free(&tree);
    run_case_close(run);
  }
  scratch_remove();
}

Test(output, summary_says_where_the_error_was_worst) {
  scratch_make();
  CaseRun *run = wall(0);
  int resumed;
  Output *output = opened(run, START_FORCED, &resumed);
  const double *worst = run->state.worst;
  for (int k = 0; k < 40 && !(worst[WORST_CONTACT_STEP] > 0); k++) take_step(run, output);
  cr_assert_gt(worst[WORST_CONTACT_STEP], 0);
  close_output(run, output, RUN_DONE);
  JsonTree tree;
  Err err = {0};
  cr_assert_eq(json_read(&tree, in_scratch("out/summary.json"), &err), OK);
  cr_assert_eq(json_number(&tree, "worst_contact.step", 0), worst[WORST_CONTACT_STEP]);
  cr_assert_str_eq(json_text(&tree, "worst_contact.body"),
                   run->input.model.bodies.name[(int)worst[WORST_CONTACT_BODY]]);
  cr_assert_eq(json_number(&tree, "worst_contact.place.1", -1), worst[WORST_CONTACT_PLACE + 1]);
  json_free(&tree);
  run_case_close(run);
  scratch_remove();
}

Test(output, summary_names_the_verdicts_there_are_and_no_others) {
  scratch_make();
  CaseRun *run = wall(0);
  int resumed;
  Output *output = opened(run, START_FORCED, &resumed);
  take_step(run, output);
  for (int k = 0; k < N_VERDICTS; k++) cr_assert_eq(run_case_doubts(run, k), 0);
  Doubt doubt = {.kind = VERDICT_PENETRATION, .body = 0, .value = 2, .limit = 1};
  verdict_add(&run->state.verdict, &doubt, 1, 0, &run->log);
  close_output(run, output, RUN_DOUBTFUL);
  JsonTree tree;
  Err err = {0};
  cr_assert_eq(json_read(&tree, in_scratch("out/summary.json"), &err), OK);
  cr_assert_str_eq(json_text(&tree, "verdicts.0.kind"), "penetration");
  cr_assert_eq(json_number(&tree, "verdicts.0.value", 0), 2);
  cr_assert_null(json_find(&tree, "verdicts.1.kind"));
  cr_assert_null(json_find(&tree, "told.0.kind"));
  json_free(&tree);
  run_case_close(run);
  scratch_remove();
}

// ---- history ------------------------------------------------------------------------------------

Test(output, history_has_a_row_for_each_step_with_the_values_of_the_probes) {
  scratch_make();
  CaseRun *run = wall(0);
  int resumed;
  Output *output = opened(run, START_FRESH, &resumed);
  Err err = {0};
  cr_assert_eq(output_step(output, &run->input.model, &run->state, &run->work, &err), OK);
  for (int k = 0; k < 6; k++) {
    Err ignored = {0};
    run_case_step(run, 1);
    cr_assert_eq(output_step(output, &run->input.model, &run->state, &run->work, &ignored), OK);
    for (int c = 0; c < run->n_columns; c++)
      cr_assert_eq(output_values(output)[c], run->table[k * run->n_columns + c], "%s",
                   run->column[c]);
  }
  close_output(run, output, RUN_DONE);
  CsvTable table = history();
  cr_assert_eq(table.n_rows, 6); // the first row is step 1
  cr_assert_eq(table.n_columns, run->n_columns);
  cr_assert_str_eq(table.names[0], "time");
  cr_assert_str_eq(table.units[0], "s");
  for (int k = 0; k < 6 * table.n_columns; k++) cr_assert_eq(table.value[k], run->table[k]);
  csv_free(&table);
  run_case_close(run);
  scratch_remove();
}

Test(output, history_every_leaves_steps_out) {
  scratch_make();
  CaseRun *run = wall(0);
  run->input.output.history_every = 3;
  int resumed;
  Output *output = opened(run, START_FRESH, &resumed);
  for (int k = 0; k < 10; k++) take_step(run, output);
  close_output(run, output, RUN_DONE);
  CsvTable table = history();
  cr_assert_eq(table.n_rows, 3);
  for (int k = 0; k < 3; k++)
    cr_assert_float_eq(table.value[k * table.n_columns], 3e-3 * (k + 1), 1e-12);
  csv_free(&table);
  run_case_close(run);
  scratch_remove();
}

// ---- folders ------------------------------------------------------------------------------------

Test(output, refuses_a_folder_that_holds_results_and_touches_nothing) {
  static const char *const files[] = {
      "summary.json",        "history.csv",       "checkpoint.h5",      "bodies_000010.vtk",
      "contacts.vtk.series", "forces_000001.vtk", "problem_000001.hdf5"};
  for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
    scratch_make();
    char path[300];
    Err err = {0};
    CaseRun *run = wall(0);
    Output *output = NULL;
    int resumed;
    cr_assert_eq(folder_make(in_scratch("out"), &err), OK);
    snprintf(path, sizeof path, "%s/out/%s", scratch, files[k]);
    write_text(path, "mine");
    cr_assert_eq(open_output(&output, run, START_FRESH, &resumed, &err), ERR_INPUT, "%s", files[k]);
    cr_assert(strstr(err.text, "--force") && strstr(err.text, "--restart"), "%s", err.text);
    output_abandon(output);
    size_t size;
    char *text = read_bytes(path, &size);
    cr_assert_str_eq(text, "mine");
    mem_free(text);
    cr_assert_eq(n_files("*"), 1);
    run_case_close(run);
    scratch_remove();
  }
}

Test(output, forced_clears_results_and_leaves_other_files) {
  scratch_make();
  Err err = {0};
  cr_assert_eq(folder_make(in_scratch("out"), &err), OK);
  static const char *const mine[] = {"out/notes.txt", "out/picture.png", "out/bodies.csv"};
  static const char *const theirs[] = {"out/bodies_000007.vtk", "out/bodies.vtk.series",
                                       "out/problem_000003.hdf5", "out/STOP"};
  for (int k = 0; k < 3; k++) write_text(in_scratch(mine[k]), "mine");
  for (int k = 0; k < 4; k++) write_text(in_scratch(theirs[k]), "old");
  CaseRun *run = wall(0);
  int resumed;
  Output *output = opened(run, START_FORCED, &resumed);
  for (int k = 0; k < 3; k++) cr_assert(file_exists(in_scratch(mine[k])), "%s", mine[k]);
  for (int k = 0; k < 4; k++) cr_assert_not(file_exists(in_scratch(theirs[k])), "%s", theirs[k]);
  output_abandon(output);
  run_case_close(run);
  scratch_remove();
}

Test(output, a_folder_with_other_files_only_is_taken) {
  scratch_make();
  Err err = {0};
  cr_assert_eq(folder_make(in_scratch("out"), &err), OK);
  write_text(in_scratch("out/notes.txt"), "mine");
  CaseRun *run = wall(0);
  int resumed;
  Output *output = opened(run, START_FRESH, &resumed);
  output_abandon(output);
  run_case_close(run);
  scratch_remove();
}

Test(output, a_folder_that_cannot_be_made_is_a_system_error_with_its_path) {
  scratch_make();
  write_text(in_scratch("out"), "a file where the folder should be");
  CaseRun *run = wall(0);
  Output *output = NULL;
  int resumed;
  Err err = {0};
  cr_assert_eq(open_output(&output, run, START_FRESH, &resumed, &err), ERR_SYSTEM, "%s", err.text);
  cr_assert(strstr(err.text, in_scratch("out")), "%s", err.text);
  output_abandon(output);
  run_case_close(run);
  scratch_remove();
}

// ---- fields and their series --------------------------------------------------------------------

static void expect_series(const char *name, int n, const int *step) {
  VtkSeries series;
  Err err = {0};
  char file[64], stem[32];
  cr_assert_eq(vtk_read_series(&series, in_scratch(name), &err), OK, "%s", err.text);
  cr_assert_eq(series.n, n, "%s: %d files", name, series.n);
  snprintf(stem, sizeof stem, "%.*s", (int)strcspn(name + 4, "."), name + 4);
  for (int k = 0; k < n; k++) {
    snprintf(file, sizeof file, "%s_%06d.vtk", stem, step[k]);
    cr_assert_str_eq(series.file[k], file);
    cr_assert_float_eq(series.time[k], 1e-3 * step[k], 1e-12);
    char path[128];
    snprintf(path, sizeof path, "out/%s", file);
    cr_assert(file_exists(in_scratch(path)), "%s", path);
  }
  vtk_free_series(&series);
}

Test(output, fields_come_every_so_many_steps_from_the_start_to_the_end) {
  scratch_make();
  CaseRun *run = wall(4);
  int resumed;
  Output *output = opened(run, START_FRESH, &resumed);
  Err err = {0};
  cr_assert_eq(output_step(output, &run->input.model, &run->state, &run->work, &err), OK);
  for (int k = 0; k < 10; k++) take_step(run, output);
  close_output(run, output, RUN_DONE);
  static const int step[4] = {0, 4, 8, 10};
  expect_series("out/bodies.vtk.series", 4, step);
  expect_series("out/contacts.vtk.series", 4, step);
  expect_series("out/forces.vtk.series", 4, step);
  cr_assert_eq(n_files("*.vtk"), 12);
  cr_assert_eq(n_files("*.part"), 0);
  run_case_close(run);
  scratch_remove();
}

Test(output, restarted_from_a_checkpoint_forgets_what_came_after_it) {
  // Killed after step 11, checkpoint at 9: history and series go on from 9 as if nothing had
  // happened.
  scratch_make();
  CaseRun *run = wall(3);
  int resumed;
  Output *output = opened(run, START_FRESH, &resumed);
  Err err = {0};
  cr_assert_eq(output_step(output, &run->input.model, &run->state, &run->work, &err), OK);
  for (int k = 0; k < 12; k++) {
    take_step(run, output);
    if (k == 8)
      cr_assert_eq(output_checkpoint(output, &run->input.model, &run->state, 1, &err), OK);
  }
  output_abandon(output); // killed
  run_case_close(run);

  run = wall(3);
  output = opened(run, START_RESTART, &resumed);
  cr_assert_eq(resumed, 1);
  cr_assert_eq(run->state.step, 9);
  step_work_free(&run->work);
  cr_assert_eq(step_work_init(&run->work, &run->input.model, &run->state, &err), OK);
  for (int k = 0; k < 5; k++) take_step(run, output);
  close_output(run, output, RUN_DONE);
  static const int step[6] = {0, 3, 6, 9, 12, 14};
  expect_series("out/bodies.vtk.series", 6, step);
  expect_series("out/contacts.vtk.series", 6, step);
  CsvTable table = history();
  cr_assert_eq(table.n_rows, 14);
  CaseRun *whole = wall(0);
  run_case_steps(whole, 14);
  for (int k = 0; k < 14 * table.n_columns; k++)
    cr_assert_eq(table.value[k], whole->table[k], "row %d, %s", k / table.n_columns,
                 table.names[k % table.n_columns]);
  csv_free(&table);
  run_case_close(whole);
  run_case_close(run);
  scratch_remove();
}

Test(output, restarted_without_a_checkpoint_begins_anew) {
  scratch_make();
  CaseRun *run = wall(2);
  int resumed;
  Output *output = opened(run, START_FRESH, &resumed);
  for (int k = 0; k < 4; k++) take_step(run, output);
  output_abandon(output);
  run_case_close(run);
  run = wall(2);
  output = opened(run, START_RESTART, &resumed);
  cr_assert_eq(resumed, 0);
  cr_assert_eq(run->state.step, 0);
  cr_assert_eq(n_files("*.vtk"), 0);
  take_step(run, output);
  close_output(run, output, RUN_INTERRUPTED);
  CsvTable table = history();
  cr_assert_eq(table.n_rows, 1);
  csv_free(&table);
  run_case_close(run);
  scratch_remove();
}

Test(output, of_a_run_that_failed_holds_the_last_good_state) {
  // The step that fails leaves no contacts to draw; what is written must not be made of its
  // remains.
  scratch_make();
  CaseRun *run = wall(100);
  int resumed;
  Output *output = opened(run, START_FRESH, &resumed);
  Model *model = &run->input.model;
  for (int k = 0; k < 7; k++) take_step(run, output);
  double *q = mem_new((size_t)model->bodies.n_nodes * 2, sizeof *q);
  memcpy(q, run->state.bodies.q, sizeof *q * 2 * (size_t)model->bodies.n_nodes);
  model->stages[0].steps.on_miss = MISS_STOP;
  model->stages[0].steps.solver_settings.tolerance = 1e-30;
  model->stages[0].steps.solver_settings.max_iterations = 3;
  Err err = {0};
  cr_assert_eq(step_advance(model, &run->state, &run->work, &run->log, &err), ERR_NUMERIC);
  cr_assert_null(run->work.reaction);
  cr_assert_null(run->work.velocity);
  cr_assert_null(run->work.gap);
  close_output(run, output, RUN_FAILED);
  cr_assert_eq(memcmp(q, run->state.bodies.q, sizeof *q * 2 * (size_t)model->bodies.n_nodes), 0);
  cr_assert_eq(run->state.step, 7);
  mem_free(q);
  run_case_close(run);
  // Restart goes on from there.
  run = wall(100);
  output = opened(run, START_RESTART, &resumed);
  cr_assert(resumed && run->state.step == 7);
  output_abandon(output);
  run_case_close(run);
  scratch_remove();
}

// ---- what goes wrong ----------------------------------------------------------------------------

Test(output, says_out_of_memory_wherever_opening_fails_and_leaks_nothing) {
  scratch_make();
  CaseRun *run = wall(2);
  int64_t before = mem_live_blocks();
  int resumed, n;
  for (int mode = START_FRESH; mode <= START_RESTART; mode++) {
    for (n = 1;; n++) {
      Output *output = NULL;
      Err err = {0};
      if (mode == START_FRESH) remove(in_scratch("out/history.csv"));
      mem_fail_after(n);
      Status status = open_output(&output, run, (StartMode)mode, &resumed, &err);
      mem_fail_after(0);
      output_abandon(output);
      cr_assert_eq(mem_live_blocks(), before, "mode %d, allocation %d: %s", mode, n, err.text);
      if (status == OK) break;
      cr_assert_eq(status, ERR_SYSTEM, "mode %d, allocation %d: %s", mode, n, err.text);
    }
    cr_assert_gt(n, 10);
  }
  run_case_close(run);
  scratch_remove();
}

Test(output, says_out_of_memory_wherever_a_step_or_a_checkpoint_fails) {
  scratch_make();
  int n, n_failed = 0;
  for (n = 1;; n++) {
    CaseRun *run = wall(1);
    int resumed;
    Err err = {0};
    Output *output = opened(run, START_FORCED, &resumed);
    run_case_step(run, 0);
    mem_fail_after(n);
    Status status = output_step(output, &run->input.model, &run->state, &run->work, &err);
    if (status == OK) status = output_checkpoint(output, &run->input.model, &run->state, 1, &err);
    mem_fail_after(0);
    output_abandon(output);
    run_case_close(run);
    cr_assert_eq(mem_live_blocks(), 0, "allocation %d: %lld blocks leak", n,
                 (long long)mem_live_blocks());
    cr_assert_eq(n_files("*.part"), 0, "allocation %d leaves half a file", n);
    if (status == OK) break;
    cr_assert_eq(status, ERR_SYSTEM, "allocation %d: %s", n, err.text);
    n_failed++;
  }
  cr_assert_gt(n_failed, 5);
  scratch_remove();
}

Test(output, says_out_of_memory_wherever_a_restart_fails) {
  scratch_make();
  CaseRun *run = wall(2);
  int resumed, n;
  Output *output = opened(run, START_FRESH, &resumed);
  for (int k = 0; k < 5; k++) take_step(run, output);
  close_output(run, output, RUN_INTERRUPTED);
  run_case_close(run);
  for (n = 1;; n++) {
    Err err = {0};
    run = wall(2);
    output = NULL;
    mem_fail_after(n);
    Status status = open_output(&output, run, START_RESTART, &resumed, &err);
    mem_fail_after(0);
    output_abandon(output);
    if (status == OK) cr_assert(resumed && run->state.step == 5);
    run_case_close(run);
    cr_assert_eq(mem_live_blocks(), 0, "allocation %d: %lld blocks leak", n,
                 (long long)mem_live_blocks());
    if (status == OK) break;
    cr_assert_eq(status, ERR_SYSTEM, "allocation %d: %s", n, err.text);
  }
  cr_assert_gt(n, 20);
  scratch_remove();
}

Test(output, closing_without_memory_or_room_is_a_system_error) {
  scratch_make();
  for (int n = 1;; n++) {
    CaseRun *run = wall(3);
    int resumed;
    Err err = {0};
    Output *output = opened(run, START_FORCED, &resumed);
    take_step(run, output);
    mem_fail_after(n);
    Status status =
        output_close(output, &run->input.model, &run->state, &run->work, RUN_DONE, &info, &err);
    mem_fail_after(0);
    run_case_close(run);
    cr_assert_eq(mem_live_blocks(), 0, "allocation %d", n);
    if (status == OK) break;
    cr_assert_eq(status, ERR_SYSTEM, "allocation %d: %s", n, err.text);
  }
  static const char *const full[] = {"out/summary.json", "out/bodies_000001.vtk"};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = wall(3);
    int resumed;
    Err err = {0};
    Output *output = opened(run, START_FORCED, &resumed);
    take_step(run, output);
    fill_disk(in_scratch(full[k]));
    cr_assert_eq(
        output_close(output, &run->input.model, &run->state, &run->work, RUN_DONE, &info, &err),
        ERR_SYSTEM, "%s", full[k]);
    cr_assert(strstr(err.text, full[k] + 4), "%s", err.text);
    run_case_close(run);
  }
  scratch_remove();
}
