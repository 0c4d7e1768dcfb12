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
  int64_t one = owned.p.blocks.ptr[owned.p.n] + owned.p.n;
  sweeper_sweep(&sweeper, 1, r, &report);
  cr_assert_eq(report.blocks, one);
  sweeper_error(&sweeper, r, &report);
  cr_assert_eq(report.blocks, 2 * one);
  arena_free(&arena);
  problem_free(&owned);
}

// Starts follow one another as momentum makes them: g + beta (g - older).
Test(sweeper, a_symmetric_sweep_is_one_forth_and_one_back) {
  for (int dim = 2; dim <= 3; dim++) {
    OwnedProblem owned;
    Arena arena = {0};
    Sweeper sweeper;
    SolverReport report = {0}, ignored = {0};
    double r[MOST] = {0}, mine[MOST] = {0}, older[MOST] = {0};
    prepare(&sweeper, &owned, dim, &arena);
    int size = owned.p.n * dim;
    cr_assert_eq(sweeper_symmetric_init(&sweeper, &arena, NULL), OK);
    cr_assert(sweeper.halves);
    sweeper_symmetric_start(&sweeper, r, &report);
    double beta = 0;
    for (int step = 0; step < 6; step++) {
      sweeper_symmetric(&sweeper, beta, r, &report);
      sweeper_sweep(&sweeper, 1, mine, &ignored);
      sweeper_sweep_back(&sweeper, 1, mine, &ignored);
      beta = 0.2 * step;
      for (int k = 0; k < size; k++) {
        cr_assert_float_eq(r[k], mine[k], 1e-9);
        double next = r[k] + beta * (r[k] - older[k]);
        older[k] = r[k];
        r[k] = mine[k] = next;
      }
    }
    cr_assert_lt((double)report.blocks, 0.7 * (double)ignored.blocks);
    arena_free(&arena);
    problem_free(&owned);
  }
}

Test(sweeper, symmetric_sweeps_by_colours_are_two_sweeps) {
  OwnedProblem owned;
  Arena arena = {0};
  Sweeper sweeper;
  SolverReport report = {0};
  double r[MOST] = {0}, mine[MOST] = {0};
  prepare(&sweeper, &owned, 3, &arena);
  cr_assert_eq(sweeper_colour(&sweeper, &arena, NULL), OK);
  cr_assert_eq(sweeper_symmetric_init(&sweeper, &arena, NULL), OK);
  cr_assert(!sweeper.halves);
  sweeper_symmetric_start(&sweeper, r, &report);
  sweeper_symmetric(&sweeper, 0, r, &report);
  sweeper_sweep(&sweeper, 1, mine, &report);
  sweeper_sweep_back(&sweeper, 1, mine, &report);
  for (int k = 0; k < owned.p.n * 3; k++) cr_assert_float_eq(r[k], mine[k], 1e-12);
  arena_free(&arena);
  problem_free(&owned);
}
