// Sweeps: fixed points are solutions, relaxation scales the change, both directions agree.
#include "problems.h"

#include "solver/sweeper.h"

TestSuite(sweeper, .fini = expect_no_leak);

enum { MOST = 64 };

static void prepare(Sweeper *sweeper, OwnedProblem *owned, int dim, Arena *arena) {
  SolverReport report = {0};
  make_random(owned, dim, 12, 12 * dim, 0.2, 0.3, 1, 9);
  cr_assert_eq(sweeper_init(sweeper, &owned->p, arena, &report, NULL), OK);
}

Test(sweeper, comes_to_rest_at_a_solution_from_either_direction) {
  for (int dim = 2; dim <= 3; dim++) {
    OwnedProblem owned;
    Arena arena = {0};
    Sweeper sweeper;
    SolverReport report = {0};
    double r[MOST] = {0}, back[MOST] = {0};
    prepare(&sweeper, &owned, dim, &arena);
    for (int k = 0; k < 3000; k++) {
      sweeper_sweep(&sweeper, 1, r, &report);
      sweeper_sweep_back(&sweeper, 1, back, &report);
    }
    cr_assert_leq(sweeper_error(&sweeper, r, &report), 1e-12);
    cr_assert_leq(sweeper_error(&sweeper, back, &report), 1e-12);
    cr_assert_leq(sweeper_sweep(&sweeper, 1, r, &report), 1e-12);
    arena_free(&arena);
    problem_free(&owned);
  }
}

Test(sweeper, a_sweep_is_the_local_solution_of_each_contact_in_turn) {
  for (int dim = 2; dim <= 3; dim++) {
    OwnedProblem owned;
    Arena arena = {0};
    Sweeper sweeper;
    SolverReport report = {0};
    double r[MOST] = {0}, mine[MOST] = {0};
    prepare(&sweeper, &owned, dim, &arena);
    for (int k = 0; k < 3; k++) sweeper_sweep(&sweeper, 1, r, &report);
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < owned.p.n; i++) {
        LocalSolution local;
        cr_assert_geq(sweeper_solve_contact(&sweeper, i, mine, &local), 0);
        memcpy(mine + i * dim, local.r, sizeof *mine * (size_t)dim);
      }
    for (int k = 0; k < owned.p.n * dim; k++) cr_assert_float_eq(r[k], mine[k], 1e-9);
    arena_free(&arena);
    problem_free(&owned);
  }
}

Test(sweeper, counts_its_work) {
  OwnedProblem owned;
  Arena arena = {0};
  Sweeper sweeper;
  SolverReport report = {0};
  double r[MOST] = {0};
  prepare(&sweeper, &owned, 2, &arena);
  int64_t one = owned.p.ptr[owned.p.n] + owned.p.n;
  sweeper_sweep(&sweeper, 1, r, &report);
  cr_assert_eq(report.blocks, one);
  sweeper_error(&sweeper, r, &report);
  cr_assert_eq(report.blocks, 2 * one);
  arena_free(&arena);
  problem_free(&owned);
}
