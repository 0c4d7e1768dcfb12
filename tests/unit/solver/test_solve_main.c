// `voussoir solve` from the call to the exit code, on files made here and on the stored collection.
#define _POSIX_C_SOURCE 200809L
#include "problems.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "../../support/scratch_path.h"
#include "app/solve.h"

static char folder[128];

static void make_folder(void) {
  scratch_path(folder, sizeof folder, "solve");
  if (!mkdtemp(folder)) abort();
}

static void remove_folder(void) {
  char command[1200];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (system(command) != 0) abort();
  expect_no_leak();
}

TestSuite(solve_main, .init = make_folder, .fini = remove_folder);

static const char *in_folder(const char *name) {
  static char path[2][256];
  static int next;
  next = 1 - next;
  snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
  return path[next];
}

// Calls solve_main with stdout into a file; returns the exit code.
static int call(int argc, const char *const *args, const char *output) {
  char *argv[16];
  fflush(stdout);
  fflush(stderr);
  int saved = dup(1), saved_err = dup(2);
  int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600), nowhere = open("/dev/null", O_WRONLY);
  cr_assert(out >= 0 && nowhere >= 0 && dup2(out, 1) == 1 && dup2(nowhere, 2) == 2);
  close(out);
  close(nowhere);
  for (int k = 0; k < argc; k++) argv[k] = strdup(args[k]);
  int code = solve_main(argc, argv);
  for (int k = 0; k < argc; k++) free(argv[k]);
  fflush(stdout);
  fflush(stderr);
  dup2(saved, 1);
  dup2(saved_err, 2);
  close(saved);
  close(saved_err);
  return code;
}

static const char *write_problem(const char *name) {
  Err err = {0};
  OwnedProblem owned;
  FclibProblem file;
  make_random(&owned, 3, 8, 24, 0.1, 0.4, 1, 3);
  const char *path = in_folder(name);
  cr_assert_eq(problem_to_fclib(&file, &owned.p, &err), OK);
  cr_assert_eq(fclib_write(&file, NULL, NULL, path, &err), OK, "%s", err.text);
  fclib_free(&file);
  problem_free(&owned);
  return path;
}

Test(solve_main, prints_the_contract_as_json_and_writes_the_solution) {
  Err err = {0};
  JsonTree tree;
  FclibProblem file;
  FclibSolution solution;
  const char *problem = write_problem("p.hdf5"), *out = in_folder("out.hdf5");
  char json[256];
  snprintf(json, sizeof json, "%s/out.json", folder);
  const char *const args[] = {"solve",       problem,      "--solver", "nsgs",
                              "--tolerance", "1e-8",       "--json",   "--max-iterations",
                              "5000",        "--solution", out};
  cr_assert_eq(call(11, args, json), 0);
  cr_assert_eq(json_read(&tree, json, &err), OK, "%s", err.text);
  static const char *const keys[] = {"problem", "dim",       "contacts",
                                     "solver",  "converged", "iterations",
                                     "seconds", "error",     "siconos_error"};
  for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
    cr_assert(json_find(&tree, keys[k]), "%s", keys[k]);
  cr_assert_eq(json_number(&tree, "contacts", 0), 8);
  cr_assert_eq(json_find(&tree, "converged")->number, 1);
  cr_assert_leq(json_number(&tree, "error", 1), 1e-8);
  json_free(&tree);
  cr_assert_eq(fclib_read(&file, out, &err), OK, "%s", err.text);
  cr_assert_eq(fclib_read_solution(&solution, &file, out, &err), OK, "%s", err.text);
  cr_assert_eq(solution.n_r, 24);
  fclib_free_solution(&solution);
  fclib_free(&file);
}

Test(solve_main, tells_by_the_exit_code_what_happened) {
  const char *problem = write_problem("p.hdf5");
  char text[256], output[256];
  snprintf(output, sizeof output, "%s/output", folder);
  snprintf(text, sizeof text, "%s/text", folder);
  FILE *stream = fopen(text, "w");
  cr_assert(stream && fputs("not HDF5", stream) >= 0 && fclose(stream) == 0);
  const struct {
    int code, argc;
    const char *args[8];
  } calls[] = {
      {0, 2, {"solve", problem}},
      {0, 2, {"solve", "--help"}},
      {0, 6, {"solve", problem, "--solver", "nsgs", "--set", "order=symmetric"}},
      {5, 6, {"solve", problem, "--tolerance", "1e-300", "--max-iterations", "3"}},
      {2, 1, {"solve"}},
      {2, 2, {"solve", text}},
      {2, 2, {"solve", "/nonexistent.hdf5"}},
      {2, 3, {"solve", problem, "another"}},
      {2, 3, {"solve", problem, "--unknown"}},
      {2, 4, {"solve", problem, "--solver", "nonsense"}},
      {2, 4, {"solve", problem, "--tolerance", "-1"}},
      {2, 4, {"solve", problem, "--tolerance", "1e-4x"}},
      {2, 4, {"solve", problem, "--max-iterations", "2.5"}},
      {2, 3, {"solve", problem, "--tolerance"}},
      {2, 6, {"solve", problem, "--solver", "nsgs", "--set", "order=sideways"}},
      {3, 4, {"solve", problem, "--solution", "/nonexistent/out.hdf5"}},
  };
  for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++)
    cr_assert_eq(call(calls[k].argc, calls[k].args, output), calls[k].code, "call %zu", k);
}

// The whole collection by `auto`, the rock pile included.
// The last problem with elastic parts a thousandth of W.
static const char *write_elastic(const char *name, double share) {
  Err err = {0};
  FclibProblem file;
  const char *path = write_problem(name);
  cr_assert_eq(fclib_read(&file, path, &err), OK, "%s", err.text);
  file.elastic = mem_new(2 * (size_t)file.n, sizeof *file.elastic);
  for (int k = 0; k < 2 * file.n; k++) file.elastic[k] = share;
  cr_assert_eq(fclib_write(&file, NULL, NULL, path, &err), OK, "%s", err.text);
  fclib_free(&file);
  return path;
}

Test(solve_main, judges_by_the_energy_of_deformation_where_the_file_knows_it) {
  Err err = {0};
  JsonTree tree;
  char json[256];
  snprintf(json, sizeof json, "%s/out.json", folder);
  const char *plain = write_problem("plain.hdf5"), *elastic = write_elastic("elastic.hdf5", 1e-4);
  const char *const soft[] = {"solve", elastic, "--json"};
  cr_assert_eq(call(3, soft, json), 0);
  cr_assert_eq(json_read(&tree, json, &err), OK, "%s", err.text);
  cr_assert_str_eq(json_text(&tree, "measure"), "deformation");
  cr_assert_eq(json_number(&tree, "tolerance", 0), 1e-3);
  cr_assert_leq(json_number(&tree, "deformation_error", 1), 1e-3);
  cr_assert_lt(json_number(&tree, "error", 1), 1e-4);
  json_free(&tree);
  const char *const hard[] = {"solve", plain, "--json", "--measure", "deformation"};
  cr_assert_eq(call(5, hard, json), 0);
  cr_assert_eq(json_read(&tree, json, &err), OK, "%s", err.text);
  cr_assert_str_eq(json_text(&tree, "measure"), "scaled", "there is no other");
  cr_assert_null(json_find(&tree, "deformation_error"));
  json_free(&tree);
  const char *const wrong[] = {"solve", elastic, "--measure", "energy"};
  cr_assert_eq(call(4, wrong, json), 2);
  const char *const negative[] = {"solve", write_elastic("negative.hdf5", -1)};
  cr_assert_eq(call(2, negative, json), 2);
  const char *const large[] = {"solve", write_elastic("large.hdf5", 1e6)};
  cr_assert_eq(call(2, large, json), 2);
}

// Writes are read again on the way: the solver gets what a stranger's file would give it.
static void expect_solved(const char *path) {
  Err err = {0};
  FclibProblem file;
  OwnedProblem owned;
  cr_assert_eq(fclib_read(&file, path, &err), OK, "%s", err.text);
  cr_assert_eq(problem_from_fclib(&owned, &file, &err), OK, "%s", err.text);
  for (int tight = 0; tight < 2; tight++) {
    Arena arena = {0};
    SolverReport report;
    SolverSettings settings = solver_defaults(solver_find("auto"));
    settings.tolerance = tight ? 1e-8 : 1e-4;
    double *r = mem_new((size_t)(owned.p.n * owned.p.dim), sizeof *r);
    cr_assert_eq(solver_find("auto")->solve(&owned.p, &settings, r, &arena, &report, &err), OK);
    cr_assert(report.converged, "%s at %g: error %g after %d", path, settings.tolerance,
              report.error, report.iterations);
    mem_free(r);
    arena_free(&arena);
  }
  problem_free(&owned);
  fclib_free(&file);
}

// One, few and many contacts, in the plane and in space, chains and heaps, W regular and of less
// than half the rank (hyperstatic: b is in its range), from no friction to much.
Test(solve_main, solves_files_of_every_shape) {
  static const struct {
    int dim, n, rank, chain;
    double ridge, friction;
  } shape[] = {{2, 1, 2, 0, 0.1, 0.3},    {3, 1, 3, 0, 0.1, 0.5},    {2, 12, 10, 0, 0, 0.5},
               {3, 20, 24, 0, 0, 0.3},    {2, 60, 120, 1, 0.1, 0.7}, {3, 40, 120, 1, 0.1, 0.8},
               {3, 40, 60, 1, 0.01, 0.4}, {2, 30, 60, 0, 0.1, 0},    {3, 30, 90, 0, 0.1, 0}};
  for (size_t k = 0; k < sizeof shape / sizeof shape[0]; k++) {
    Err err = {0};
    OwnedProblem owned;
    FclibProblem file;
    const char *path = in_folder("shape.hdf5");
    make_random(&owned, shape[k].dim, shape[k].n, shape[k].rank, shape[k].ridge, shape[k].friction,
                shape[k].chain, 11 + k);
    cr_assert_eq(problem_to_fclib(&file, &owned.p, &err), OK, "%s", err.text);
    cr_assert_eq(fclib_write(&file, NULL, NULL, path, &err), OK, "%s", err.text);
    fclib_free(&file);
    problem_free(&owned);
    expect_solved(path);
  }
}

// The FCLIB collection, where it is there.
Test(solve_main, solves_the_stored_collection, .timeout = 120) {
  const char *data = getenv("VOUSSOIR_DATA");
  char path[1024];
  if (!data) return;
  snprintf(path, sizeof path, "%s/fclib", data);
  DIR *dir = opendir(path);
  cr_assert(dir);
  int n = 0;
  for (struct dirent *entry; (entry = readdir(dir));) {
    if (!strstr(entry->d_name, ".hdf5")) continue;
    snprintf(path, sizeof path, "%s/fclib/%s", data, entry->d_name);
    expect_solved(path);
    n++;
  }
  closedir(dir);
  cr_assert_gt(n, 0);
}
