#define _POSIX_C_SOURCE 200809L
#include "../file/scratch.h"

#include <criterion/redirect.h>
#include <math.h>

#include "app/compare.h"
#include "file/csv.h"
#include "file/json.h"
#include "file/number.h"
#include "file/vtk.h"

TestSuite(compare, .init = scratch_make, .fini = scratch_remove);

// What a run leaves behind, and what of it the tests change.
typedef struct {
  int n_steps;
  double reaction_factor, stress_shift, penetration, iterations, kinetic;
  int without_gap;
  const char *status;
  double wall_seconds;
} Run;

static const Run standard = {.n_steps = 1000,
                             .reaction_factor = 1,
                             .penetration = 1e-6,
                             .iterations = 20,
                             .kinetic = 1e-9,
                             .status = "done",
                             .wall_seconds = 1};

static void write_history(const Run *run, const char *folder) {
  static const char *const names[] = {"time", "reaction_y", "gap"}, *const units[] = {"s", "N",
                                                                                      "m"};
  char path[FILE_PATH_SIZE];
  Err err = {0};
  CsvWriter csv;
  int n_columns = run->without_gap ? 2 : 3;
  cr_assert_eq(file_join(path, folder, "history.csv", &err), OK);
  cr_assert_eq(csv_open(&csv, path, names, units, n_columns, -1, &err), OK, "%s", err.text);
  for (int k = 1; k <= run->n_steps; k++) {
    double value = 100 * sin(0.01 * k) * (k == run->n_steps ? run->reaction_factor : 1);
    cr_assert_eq(csv_row(&csv, (double[]){1e-3 * k, value, 1e-5 * k}, &err), OK);
  }
  cr_assert_eq(csv_close(&csv, &err), OK);
}

static void write_summary(const Run *run, const char *folder) {
  char path[FILE_PATH_SIZE];
  Err err = {0};
  AtomicFile file;
  cr_assert_eq(file_join(path, folder, "summary.json", &err), OK);
  cr_assert_eq(atomic_open(&file, path, &err), OK);
  fprintf(
      file.stream,
      "{\"program\": \"voussoir\", \"version\": \"%g\", \"status\": \"%s\", \"steps\": %d,\n"
      "\"iterations\": {\"mean\": %g, \"max\": 40}, \"penetration\": {\"nodes\": %g},\n"
      "\"energy\": {\"kinetic\": %g, \"external\": 5.0, \"balance_error\": 1e-13},\n"
      "\"seconds\": {\"wall\": %g}, \"threads\": 2, \"state_hash\": \"%g\", \"physics_hash\": \"%g\"}\n",
      run->wall_seconds, run->status, run->n_steps, run->iterations, run->penetration, run->kinetic,
      run->wall_seconds, run->wall_seconds, run->wall_seconds);
  cr_assert_eq(atomic_commit(&file, &err), OK);
}

// A strip of unit squares.
static void write_bodies(const Run *run, const char *folder) {
  enum { N = 60 };
  static double points[2 * (N + 1) * 3], displacement[2 * (N + 1) * 3], stress[N * 6];
  static int32_t ptr[N + 1], corner[4 * N];
  static uint8_t type[N];
  for (int k = 0; k <= 2 * N + 1; k++) {
    points[3 * k] = k / 2;
    points[3 * k + 1] = k % 2;
    displacement[3 * k] = 1e-3 * (k / 2);
  }
  for (int e = 0; e < N; e++) {
    const int32_t corners[] = {2 * e, 2 * e + 2, 2 * e + 3, 2 * e + 1};
    memcpy(corner + 4 * e, corners, sizeof corners);
    ptr[e + 1] = 4 * (e + 1);
    type[e] = 9;
    for (int c = 0; c < 6; c++) stress[6 * e + c] = 1e5 * c;
  }
  for (int e = 0; e < N; e++) stress[6 * e + 5] += run->stress_shift;
  VtkArray point_arrays[] = {{.name = "displacement", .n_components = 3, .real = displacement}};
  VtkArray cell_arrays[] = {{.name = "stress", .n_components = 6, .real = stress}};
  VtkGrid grid = {.time = 1,
                  .step = 10,
                  .n_points = 2 * (N + 1),
                  .points = points,
                  .n_cells = N,
                  .cell_ptr = ptr,
                  .cell_point = corner,
                  .cell_type = type,
                  .n_point_arrays = 1,
                  .point_arrays = point_arrays,
                  .n_cell_arrays = 1,
                  .cell_arrays = cell_arrays};
  char path[FILE_PATH_SIZE];
  Err err = {0};
  cr_assert_eq(file_join(path, folder, "bodies_000010.vtk", &err), OK);
  cr_assert_eq(vtk_write(&grid, path, 0, &err), OK, "%s", err.text);
  cr_assert_eq(vtk_write_series(folder, "bodies", (int64_t[]){10}, (double[]){1}, 1, &err), OK);
}

static void write_run(const Run *run, const char *name) {
  Err err = {0};
  const char *folder = in_scratch(name);
  cr_assert_eq(folder_make(folder, &err), OK);
  write_history(run, folder);
  write_summary(run, folder);
  write_bodies(run, folder);
}

// Runs the command in the scratch folder; arguments end with NULL.
static int command(const char *const *arguments) {
  char text[20][200], *argv[20];
  int argc = 0;
  cr_assert_eq(chdir(scratch), 0);
  for (const char *first = "compare"; argc < 19; argc++) {
    const char *argument = argc == 0 ? first : arguments[argc - 1];
    if (!argument) break;
    snprintf(text[argc], sizeof text[argc], "%s", argument);
    argv[argc] = text[argc];
  }
  fflush(stdout);
  return compare_main(argc, argv);
}
#define COMMAND(...) command((const char *const[]){__VA_ARGS__, NULL})

static const CompareRow *find_row(const CompareReport *report, const char *name) {
  for (int k = 0; k < report->n_rows; k++)
    if (strcmp(report->row[k].name, name) == 0) return &report->row[k];
  return NULL;
}

static CompareReport compare_with(const char *folder, const char *reference) {
  Err err = {0};
  CompareReport report;
  CompareSettings settings = {.folder = in_scratch(folder), .reference = in_scratch(reference)};
  cr_assert_eq(compare_folders(&report, &settings, &err), OK, "%s", err.text);
  return report;
}

static CompareReport compare_changed(Run changed) {
  write_run(&standard, "ref");
  write_run(&changed, "run");
  return compare_with("run", "ref");
}

Test(compare, equal_runs_are_equal_whatever_the_machine) {
  Run slower = standard;
  slower.wall_seconds = 7;
  CompareReport report = compare_changed(slower);
  cr_assert_eq(report.n_different, 0);
  cr_assert_not_null(find_row(&report, "history/reaction_y"));
  cr_assert_not_null(find_row(&report, "summary/energy.kinetic"));
  cr_assert_not_null(find_row(&report, "bodies/stress"));
  cr_assert_null(find_row(&report, "summary/seconds.wall"));
  cr_assert_null(find_row(&report, "summary/state_hash"));
  cr_assert_null(find_row(&report, "summary/physics_hash"));
  compare_free(&report);
  cr_assert_eq(COMMAND("run", "ref"), 0);
}

Test(compare, says_which_quantity_differs_by_how_much_and_when) {
  Run changed = standard;
  changed.reaction_factor = 1.01;
  CompareReport report = compare_changed(changed);
  cr_assert_eq(report.n_different, 1);
  const CompareRow *row = find_row(&report, "history/reaction_y");
  cr_assert_eq(row->n_different, 1);
  cr_assert_eq(row->n_entries, 1000);
  cr_assert_float_eq(row->difference, fabs(sin(10)), 1e-9);
  cr_assert(strstr(row->where, "row 1000, time 1"), "%s", row->where);
  compare_free(&report);
  cr_assert_eq(COMMAND("run", "ref"), 1);
}

Test(compare, says_at_which_cell_a_field_differs) {
  Run changed = standard;
  changed.stress_shift = 3e3;
  CompareReport report = compare_changed(changed);
  cr_assert_eq(report.n_different, 1);
  const CompareRow *row = find_row(&report, "bodies/stress");
  cr_assert_eq(row->n_different, 60);
  cr_assert_float_eq(row->difference, 3e3, 1e-6);
  cr_assert_float_eq(row->tolerance, 1e3, 1e-6);
  cr_assert(strstr(row->where, "cell 0 at (0.5, 0.5, 0)"), "%s", row->where);
  compare_free(&report);
}

Test(compare, does_not_judge_small_values_by_their_own_noise) {
  Run changed = standard;
  changed.kinetic = 3e-9; // of 5 J
  CompareReport report = compare_changed(changed);
  cr_assert_eq(report.n_different, 0);
  compare_free(&report);
}

Test(compare, gives_counts_two_percent) {
  Run changed = standard;
  changed.iterations = 20.7;
  CompareReport report = compare_changed(changed);
  cr_assert_eq(report.n_different, 0);
  cr_assert_eq(find_row(&report, "summary/iterations.mean")->rule.relative, 0.02);
  compare_free(&report);
  changed.iterations = 24;
  report = compare_changed(changed);
  cr_assert_eq(report.n_different, 1);
  compare_free(&report);
}

Test(compare, reports_missing_columns_steps_and_another_status) {
  Run changed = standard;
  changed.without_gap = 1;
  changed.n_steps = 998;
  changed.status = "tolerance_missed";
  CompareReport report = compare_changed(changed);
  cr_assert_eq(report.n_different, 4);
  cr_assert(strstr(find_row(&report, "history/gap")->where, "missing"));
  cr_assert_eq(find_row(&report, "history/time")->n_different, 2);
  cr_assert_eq(find_row(&report, "summary/steps")->n_different, 1);
  cr_assert(strstr(find_row(&report, "summary/status")->where, "tolerance_missed"));
  compare_free(&report);
}

Test(compare, notices_a_value_that_is_no_number) {
  Run changed = standard;
  changed.reaction_factor = NUMBER_NAN;
  CompareReport report = compare_changed(changed);
  cr_assert_eq(find_row(&report, "history/reaction_y")->n_different, 1);
  cr_assert(isinf(find_row(&report, "history/reaction_y")->difference));
  compare_free(&report);
}

Test(compare, tolerances_come_from_the_reference_and_the_command_line) {
  Run changed = standard;
  changed.stress_shift = 3e3;
  write_run(&standard, "ref");
  write_run(&changed, "run");
  cr_assert_eq(COMMAND("run", "ref", "--tolerance", "stress=1e-2"), 0);
  cr_assert_eq(COMMAND("run", "ref", "--tolerance", "bodies/*=0,4e3"), 0);
  cr_assert_eq(COMMAND("run", "ref", "--tolerance", "bodies/*=0,2e3"), 1);
  write_text(in_scratch("ref/tolerances.txt"), "# by hand\n\nbodies/str* 1e-2 - soft joints\n");
  cr_assert_eq(COMMAND("run", "ref"), 0);
  CompareReport report = compare_with("run", "ref");
  cr_assert_str_eq(find_row(&report, "bodies/stress")->rule.reason, "soft joints");
  compare_free(&report);
  cr_assert_eq(COMMAND("run", "ref", "--tolerance", "*=0"), 1);
  write_text(in_scratch("ref/tolerances.txt"), "stress 1e-2\n");
  cr_assert_eq(COMMAND("run", "ref"), 2);
}

Test(compare, a_blessed_reference_is_small_and_agrees_with_its_run) {
  Err err = {0};
  write_run(&standard, "run");
  cr_assert_eq(COMMAND("run", "ref", "--bless", "--reason", "first one"), 0);
  cr_assert_eq(COMMAND("run", "ref"), 0);
  CsvTable table;
  cr_assert_eq(csv_read(&table, "ref/history.csv", &err), OK, "%s", err.text);
  cr_assert_eq(table.n_rows, 50);
  cr_assert(table.value[0] == 1e-3 && table.value[49 * 3] == 1);
  cr_assert_str_eq(table.units[1], "N");
  csv_free(&table);
  cr_assert_eq(csv_read(&table, "ref/fields.csv", &err), OK, "%s", err.text);
  cr_assert_eq(table.n_rows, 50);
  cr_assert_eq(table.n_columns, 5 + 3 + 6);
  csv_free(&table);
  JsonTree tree;
  cr_assert_eq(json_read(&tree, "ref/summary.json", &err), OK, "%s", err.text);
  cr_assert_eq(json_number(&tree, "energy.external", 0), 5);
  cr_assert_null(json_find(&tree, "seconds.wall"));
  cr_assert_null(json_find(&tree, "version"));
  json_free(&tree);
  cr_assert_eq(COMMAND("run", "ref", "--bless", "--reason", "second\none"), 0);
  size_t size;
  char *text = read_bytes("ref/reason.txt", &size);
  cr_assert(strstr(text, ": first one\nvoussoir ") && strstr(text, ": second one\n"), "%s", text);
  mem_free(text);
}

Test(compare, a_blessed_reference_notices_what_changes) {
  Run changed = standard;
  changed.stress_shift = 3e3;
  changed.reaction_factor = 1.01;
  changed.penetration = 2e-6;
  write_run(&standard, "run");
  cr_assert_eq(COMMAND("run", "ref", "--bless", "--reason", "first one"), 0);
  write_run(&changed, "run");
  CompareReport report = compare_with("run", "ref");
  cr_assert_eq(report.n_different, 3);
  const CompareRow *row = find_row(&report, "bodies/stress");
  cr_assert_eq(row->n_entries, 25 * 6);
  cr_assert(strstr(row->where, "cell"), "%s", row->where);
  cr_assert_eq(find_row(&report, "bodies/places")->n_different, 0);
  compare_free(&report);
}

// One point at each given place, with its own place as the array `x`.
static void write_points(const char *name, const char *stem, int n, const double *points) {
  static const int32_t ptr[] = {0, 1, 2, 3}, point[] = {0, 1, 2};
  static const uint8_t type[] = {1, 1, 1};
  char file[64], path[FILE_PATH_SIZE];
  Err err = {0};
  VtkArray arrays[] = {{.name = "x", .n_components = 3, .real = points}};
  VtkGrid grid = {.n_points = n,
                  .points = points,
                  .n_cells = n,
                  .cell_ptr = ptr,
                  .cell_point = point,
                  .cell_type = type,
                  .n_point_arrays = 1,
                  .point_arrays = arrays};
  snprintf(file, sizeof file, "%s_000000.vtk", stem);
  cr_assert_eq(folder_make(in_scratch(name), &err), OK);
  cr_assert_eq(file_join(path, in_scratch(name), file, &err), OK);
  cr_assert_eq(vtk_write(&grid, path, 0, &err), OK, "%s", err.text);
  cr_assert_eq(vtk_write_series(in_scratch(name), stem, (int64_t[]){0}, (double[]){0}, 1, &err),
               OK);
}

Test(compare, finds_the_places_of_a_reference_in_a_mesh_that_was_renumbered) {
  static const double before[] = {0, 0, 0, 1, 0, 0, 2, 1, 0};
  static const double after[] = {2, 1, 0, 0, 0, 0, 1, 0, 0},
                      moved[] = {2, 1, 0, 0, 0, 0, 1, 0.1, 0};
  write_points("run", "bodies", 3, before);
  cr_assert_eq(COMMAND("run", "ref", "--bless", "--reason", "x"), 0);
  write_points("run", "bodies", 3, after);
  cr_assert_eq(COMMAND("run", "ref"), 0);
  write_points("run", "bodies", 3, moved);
  cr_assert_eq(COMMAND("run", "ref"), 1);
  CompareReport report = compare_with("run", "ref");
  cr_assert_eq(find_row(&report, "bodies/places")->n_different, 2); // the point and its cell
  compare_free(&report);
}

Test(compare, never_takes_what_it_did_not_compare_for_equal) {
  static const double points[] = {0, 0, 0, 1, 0, 0, 2, 1, 0};
  write_points("run", "contacts", 2, points);
  write_points("ref", "contacts", 3, points);
  cr_assert_eq(COMMAND("run", "ref"), 1);
  CompareReport report = compare_with("run", "ref");
  cr_assert_eq(find_row(&report, "contacts/n_points")->n_different, 1);
  cr_assert_eq(find_row(&report, "contacts/x")->n_entries, 0);
  cr_assert(strstr(find_row(&report, "contacts/x")->where, "not compared"));
  compare_free(&report);
}

Test(compare, bless_wants_a_reason_and_never_writes_over_results) {
  write_run(&standard, "run");
  write_run(&standard, "other");
  cr_assert_eq(COMMAND("run", "ref", "--bless"), 2);
  cr_assert_eq(COMMAND("run", "ref", "--bless", "--reason", " \n"), 2);
  cr_assert_not(folder_exists("ref"));
  cr_assert_eq(COMMAND("run", "other", "--bless", "--reason", "x"), 2);
  cr_assert_eq(COMMAND("run", "run", "--bless", "--reason", "x"), 2);
  cr_assert_eq(COMMAND("absent", "ref", "--bless", "--reason", "x"), 2);
  cr_assert_eq(COMMAND("run", "ref", "--reason", "x"), 2);
}

Test(compare, missing_folders_files_and_wrong_calls_are_exit_code_2) {
  write_run(&standard, "run");
  write_run(&standard, "ref");
  cr_assert_eq(COMMAND("absent", "ref"), 2);
  cr_assert_eq(COMMAND("run", "absent"), 2);
  cr_assert_eq(COMMAND("run"), 2);
  cr_assert_eq(COMMAND("run", "ref", "third"), 2);
  cr_assert_eq(COMMAND("run", "ref", "--wrong"), 2);
  cr_assert_eq(COMMAND("run", "ref", "--tolerance"), 2);
  cr_assert_eq(COMMAND("run", "ref", "--tolerance", "x=-1"), 2);
  cr_assert_eq(COMMAND("run", "ref", "--tolerance", "=1"), 2);
  cr_assert_eq(COMMAND("--help"), 0);
  cr_assert_eq(remove("run/summary.json"), 0);
  cr_assert_eq(COMMAND("run", "ref"), 2);
  write_text("run/summary.json", "{");
  cr_assert_eq(COMMAND("run", "ref"), 2);
  Err err = {0};
  cr_assert_eq(folder_make("empty", &err), OK);
  cr_assert_eq(COMMAND("run", "empty"), 2);
}

Test(compare, prints_one_json_object_on_request) {
  cr_redirect_stdout();
  Run changed = standard;
  changed.stress_shift = 3e3;
  write_run(&standard, "ref");
  write_run(&changed, "run");
  cr_assert_eq(COMMAND("run", "ref", "--json"), 1);
  char text[16384];
  size_t n = fread(text, 1, sizeof text - 1, cr_get_redirected_stdout());
  text[n] = 0;
  Err err = {0};
  JsonTree tree;
  cr_assert_eq(json_parse(&tree, text, "stdout", &err), OK, "%s", err.text);
  cr_assert_eq(json_find(&tree, "equal")->number, 0);
  cr_assert_eq(json_number(&tree, "different", 0), 1);
  cr_assert_str_eq(json_text(&tree, "quantities.0.name"), "history/time");
  json_free(&tree);
}

Test(compare, survives_every_failing_allocation) {
  write_run(&standard, "run");
  cr_assert_eq(COMMAND("run", "ref", "--bless", "--reason", "x"), 0);
  write_run(&standard, "full");
  const char *const references[] = {"ref", "full"};
  for (int r = 0; r < 2; r++) {
    int failures = 0;
    for (int n = 1; n < 250; n++) {
      CompareReport report;
      Err err = {0};
      CompareSettings settings = {.folder = "run", .reference = references[r]};
      mem_fail_after(n);
      Status status = compare_folders(&report, &settings, &err);
      mem_fail_after(0);
      cr_assert(status == OK || status == ERR_SYSTEM, "%s", err.text);
      failures += status != OK;
      compare_free(&report);
      cr_assert_eq(mem_live_blocks(), 0, "allocation %d", n);
    }
    cr_assert_gt(failures, 50);
  }
  for (int n = 1; n < 150; n++) {
    Err err = {0};
    mem_fail_after(n);
    Status status = compare_bless("run", "ref", "x", &err);
    mem_fail_after(0);
    cr_assert(status == OK || status == ERR_SYSTEM, "%s", err.text);
    cr_assert_eq(mem_live_blocks(), 0, "allocation %d", n);
  }
}
