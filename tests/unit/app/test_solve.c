// `voussoir solve` on a problem with equalities: solved, judged and written, or refused by name.
#define _XOPEN_SOURCE 700
#include "../file/scratch.h"

#include <math.h>
#include <unistd.h>

#include "app/solve.h"
#include "file/fclib.h"

TestSuite(solve, .init = scratch_make, .fini = scratch_remove);

// Three masses of 1 kg on a line, falling at 3 m/s; the first meets the ground, links make a rod of
// them.
static const char *write_rod(void) {
  int64_t w_ptr[] = {0, 1, 2}, v_ptr[] = {0, 1, 1}, r_ptr[] = {0, 2, 4};
  int32_t w_col[] = {0, 1}, v_col[] = {0}, r_col[] = {0, 1, 0, 1};
  double w[] = {1, 1}, v[] = {-1}, r[] = {2, -1, -1, 2}, q[] = {-3, 0}, s[] = {0, 0}, mu[] = {0.5};
  FclibProblem rod = {.dim = 2,
                      .n = 1,
                      .w = {2, 2, w_ptr, w_col, w},
                      .q = q,
                      .mu = mu,
                      .n_equal = 2,
                      .v = {2, 2, v_ptr, v_col, v},
                      .r = {2, 2, r_ptr, r_col, r},
                      .s = s};
  Err err = {0};
  const char *path = in_scratch("rod.hdf5");
  cr_assert_eq(fclib_write(&rod, NULL, NULL, path, &err), OK, "%s", err.text);
  return path;
}

// The exit code; what was printed on `stream` into `text`.
static int call(char **argv, int argc, FILE *stream, char *text, size_t size) {
  const char *file = in_scratch("printed");
  fflush(stream);
  int old = dup(fileno(stream));
  cr_assert(freopen(file, "w", stream) != NULL);
  int code = solve_main(argc, argv);
  fflush(stream);
  dup2(old, fileno(stream));
  close(old);
  size_t n;
  char *bytes = read_bytes(file, &n);
  snprintf(text, size, "%.*s", (int)n, bytes);
  mem_free(bytes);
  return code;
}

Test(solve, equalities_are_solved_and_their_impulses_written) {
  char text[800], *out = strdup(in_scratch("out.hdf5")), *path = strdup(write_rod());
  char *argv[] = {"solve", path, "--tolerance", "1e-10", "--solution", out};
  cr_assert_eq(call(argv, 6, stdout, text, sizeof text), 0, "%s", text);
  cr_assert(strstr(text, "1 contacts and 2 rows of equalities in 2D"), "%s", text);
  Err err = {0};
  FclibProblem rod;
  FclibSolution found;
  cr_assert_eq(fclib_read(&rod, out, &err), OK, "%s", err.text);
  cr_assert_eq(fclib_read_solution(&found, &rod, out, &err), OK, "%s", err.text);
  cr_assert_float_eq(found.r[0], 9, 1e-7); // all momentum
  cr_assert_float_eq(found.u[0], 0, 1e-7);
  cr_assert_float_eq(found.l[0], 6, 1e-7); // that of the masses behind the link
  cr_assert_float_eq(found.l[1], 3, 1e-7);
  fclib_free_solution(&found);
  fclib_free(&rod);
  free(out);
  free(path);
}

Test(solve, says_that_the_scaled_error_counts_where_nothing_is_known_of_deformation) {
  char text[800], *path = strdup(write_rod());
  char *argv[] = {"solve", path, "--measure", "scaled"};
  cr_assert_eq(call(argv, 2, stderr, text, sizeof text), 0);
  cr_assert(strstr(text, "no dataset 'voussoir/elastic': judged by the scaled error"), "%s", text);
  cr_assert_eq(call(argv, 4, stderr, text, sizeof text), 0);
  cr_assert_str_empty(text, "it was asked for: %s", text);
  free(path);
}

Test(solve, a_tolerance_that_any_error_meets_is_refused) {
  char text[800], *path = strdup(write_rod());
  char *argv[] = {"solve", path, "--tolerance", "1"};
  cr_assert_eq(call(argv, 4, stderr, text, sizeof text), 2);
  cr_assert(strstr(text, "--tolerance wants a number below 1"), "%s", text);
  free(path);
}

Test(solve, a_solver_of_cones_refuses_equalities_by_name) {
  char text[800], *path = strdup(write_rod());
  char *argv[] = {"solve", path, "--solver", "ipm"};
  cr_assert_eq(call(argv, 4, stderr, text, sizeof text), 2);
  cr_assert(strstr(text, "solver 'ipm' knows friction cones only") && strstr(text, "rod.hdf5") &&
                strstr(text, "take auto"),
            "%s", text);
  free(path);
}
