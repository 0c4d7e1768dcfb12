#include "problems.h"

#include "solver/newton.h"

TestSuite(newton, .fini = expect_no_leak);

// Sweeps find the statuses, one or a few steps the solution to round-off.
static void check(int dim, int general, uint64_t seed) {
  OwnedProblem owned;
  Arena arena = {0};
  Err err = {0};
  SolverReport report = {0};
  Sweeper sweeper;
  Newton newton;
  double r[64] = {0}, step[64], radius[8], stiffness[16];
  make_random(&owned, dim, 8, 8 * dim, 0.3, 0.3, 1, seed);
  for (int k = 0; k < 8; k++) radius[k] = 0.05;
  for (int k = 0; k < 16; k++) stiffness[k] = 0.05;
  if (general) {
    owned.p.radius = radius;
    owned.p.a = stiffness;
  }
  cr_assert_eq(sweeper_init(&sweeper, &owned.p, &arena, &report, &err), OK);
  cr_assert_eq(newton_init(&newton, &sweeper, NULL, &arena, &err), OK);
  for (int k = 0; k < 60; k++) sweeper_sweep(&sweeper, 1, r, &report);
  for (int k = 0; k < 4; k++) {
    cr_assert(newton_step(&newton, r, 0, step, &report));
    for (int l = 0; l < 8 * dim; l++) r[l] += step[l];
  }
  cr_assert_leq(sweeper_error(&sweeper, r, &report), 1e-12, "%dD, general %d, seed %llu", dim,
                general, (unsigned long long)seed);
  cr_assert_eq(newton.changed, 0);
  arena_free(&arena);
  problem_free(&owned);
}

Test(newton, converges_quadratically_from_the_right_statuses) {
  for (uint64_t seed = 1; seed < 6; seed++)
    for (int dim = 2; dim <= 3; dim++) check(dim, 0, seed);
}

Test(newton, knows_radius_and_parallel_stiffness) {
  for (uint64_t seed = 1; seed < 6; seed++)
    for (int dim = 2; dim <= 3; dim++) check(dim, 1, seed);
}
