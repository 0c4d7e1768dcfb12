// What every iterative solver relies on: the best iterate is kept and the verdict is that of its
// error.
#include "problems.h"

#include "solver/watch.h"

TestSuite(watch, .fini = expect_no_leak);

static const double w_one[] = {2, 0, 0, 2}, b_one[] = {-1, 0}, mu_one[] = {0.5};
static const double solution[] = {0.5, 0}, poor[] = {0.4, 0}, poorer[] = {0.1, 0};

static void start(Watch *watch, OwnedProblem *owned, SolverSettings *settings, const double *r,
                  Arena *arena, SolverReport *report) {
  make_dense(owned, 2, 1, w_one, b_one, mu_one);
  *settings = solver_defaults(solver_find("nsgs"));
  settings->max_iterations = 2;
  cr_assert_eq(watch_init(watch, &owned->p, settings, r, arena, report, NULL), OK);
}

Test(watch, keeps_the_best_iterate_and_is_honest_about_it) {
  Watch watch;
  OwnedProblem owned;
  SolverSettings settings;
  Arena arena = {0};
  SolverReport report;
  double r[2] = {0};
  start(&watch, &owned, &settings, r, &arena, &report);
  double better = watch_test(&watch, poor), worse = watch_test(&watch, poorer);
  cr_assert_lt(better, worse);
  watch_finish(&watch, r);
  cr_assert_eq(r[0], poor[0]);
  cr_assert_eq(report.error, better);
  cr_assert_eq(report.converged, 0);
  cr_assert_null(report.reason, "far off for want of iterations: %s", report.reason);
  arena_free(&arena);
  problem_free(&owned);
}

Test(watch, stops_at_the_cap_and_at_a_solution) {
  Watch watch;
  OwnedProblem owned;
  SolverSettings settings;
  Arena arena = {0};
  SolverReport report;
  double r[2] = {0};
  start(&watch, &owned, &settings, r, &arena, &report);
  cr_assert(watch_next(&watch));
  cr_assert(watch_next(&watch));
  cr_assert_not(watch_next(&watch), "two iterations are the cap");
  arena_free(&arena);
  problem_free(&owned);
  start(&watch, &owned, &settings, r, &arena, &report);
  watch_test(&watch, solution);
  cr_assert_not(watch_next(&watch));
  watch_finish(&watch, r);
  cr_assert(report.converged);
  cr_assert_float_eq(r[0], 0.5, 1e-15);
  arena_free(&arena);
  problem_free(&owned);
}

Test(watch, takes_iterates_that_ran_away_for_infinitely_wrong) {
  Watch watch;
  OwnedProblem owned;
  SolverSettings settings;
  Arena arena = {0};
  SolverReport report;
  double r[2] = {0.3, 0}, away[2] = {(double)INFINITY, 0};
  start(&watch, &owned, &settings, r, &arena, &report);
  cr_assert(isinf(watch_test(&watch, away)));
  watch_finish(&watch, r);
  cr_assert_eq(r[0], 0.3, "the start, as nothing better came");
  cr_assert(isfinite(report.error));
  arena_free(&arena);
  problem_free(&owned);
}

Test(watch, the_test_with_known_velocities_is_the_full_one) {
  Watch watch;
  OwnedProblem owned;
  Arena arena = {0};
  SolverReport report;
  SolverSettings settings = solver_defaults(solver_find("nsgs"));
  double r[36], u[36];
  uint64_t state = 3;
  make_random(&owned, 3, 12, 36, 0.2, 0.3, 1, 4);
  for (int k = 0; k < 36; k++) r[k] = random_real(&state) + 0.5;
  cr_assert_eq(watch_init(&watch, &owned.p, &settings, r, &arena, &report, NULL), OK);
  double full = watch_test(&watch, r);
  watch_velocity(&watch, r, u);
  cr_assert_float_eq(watch_test_known(&watch, r, u), full, 1e-12 * full);
  arena_free(&arena);
  problem_free(&owned);
}
