// Parts of one colour do not touch, and what sweeps in colours give does not depend on the threads.
#include "problems.h"

#include <omp.h>

#include "solver/operator.h"
#include "solver/sweeper.h"

TestSuite(colouring, .fini = expect_no_leak);

// Contacts in a row, each in touch with REACH on either side and with one far away when `far` is
// set: diagonally dominant blocks.
enum { REACH = 4 };

static void make_row(OwnedProblem *owned, int dim, int n, int far) {
  size_t block = (size_t)(dim * dim), count = 0;
  uint64_t state = 5;
  *owned = (OwnedProblem){.ptr = mem_new((size_t)n + 1, sizeof(int64_t)),
                          .col = mem_new((size_t)n * (2 * REACH + 1), sizeof(int32_t)),
                          .w = mem_new((size_t)n * (2 * REACH + 1) * block, sizeof(double)),
                          .diag = mem_new((size_t)n * block, sizeof(double)),
                          .b = mem_new((size_t)(n * dim), sizeof(double)),
                          .mu = mem_new((size_t)n, sizeof(double))};
  for (int i = 0; i < n; i++) {
    for (int j = i - REACH; j <= i + REACH; j++)
      if (j >= 0 && j < n && j != i) owned->col[count++] = j;
    if (far && n - 1 - i != i && abs(n - 1 - 2 * i) > REACH) owned->col[count++] = n - 1 - i;
    owned->ptr[i + 1] = (int64_t)count;
    for (int k = 0; k < dim; k++) {
      owned->diag[(size_t)i * block + (size_t)(k * dim + k)] = 1;
      owned->b[i * dim + k] = random_real(&state) - 0.5 * (k == 0);
    }
    owned->mu[i] = 0.4;
  }
  for (size_t e = 0; e < count * block; e++) owned->w[e] = 0.06 * random_real(&state);
  owned->p = (Problem){.dim = dim,
                       .n = n,
                       .blocks.ptr = owned->ptr,
                       .blocks.col = owned->col,
                       .blocks.w = owned->w,
                       .diag = owned->diag,
                       .b = owned->b,
                       .mu = owned->mu};
}

static void check_colours(const Problem *p) {
  Arena arena = {0};
  Colouring c;
  cr_assert_eq(colouring_init(&c, p, &arena, NULL), OK);
  int32_t *colour = mem_new((size_t)c.n_parts, sizeof *colour);
  int seen = 0;
  for (int at = 0; at < c.n_parts; at++) {
    cr_assert(at >= c.colour_ptr[c.colour[at]] && at < c.colour_ptr[c.colour[at] + 1]);
    colour[c.part[at]] = c.colour[at];
    seen += c.part[at];
  }
  cr_assert_eq(seen, c.n_parts * (c.n_parts - 1) / 2, "each part once");
  for (int i = 0; i < p->n; i++)
    for (int64_t e = p->blocks.ptr[i]; e < p->blocks.ptr[i + 1]; e++) {
      int part = i / c.size, other = p->blocks.col[e] / c.size;
      cr_assert(part == other || colour[part] != colour[other]);
    }
  mem_free(colour);
  arena_free(&arena);
}

Test(colouring, parts_of_one_colour_do_not_touch) {
  static const int sizes[] = {1, 63, 64, 65, 200, 5000};
  for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
    for (int far = 0; far < 2; far++) {
      OwnedProblem owned;
      make_row(&owned, 2, sizes[k], far);
      check_colours(&owned.p);
      problem_free(&owned);
    }
}

Test(colouring, a_row_of_contacts_needs_two_colours) {
  OwnedProblem owned;
  Arena arena = {0};
  Colouring c;
  make_row(&owned, 2, 5000, 0);
  cr_assert_eq(colouring_init(&c, &owned.p, &arena, NULL), OK);
  cr_assert_eq(c.n_colours, 2);
  cr_assert_geq(c.widest, 30);
  arena_free(&arena);
  problem_free(&owned);
}

// Solves with so many threads; returns the iterations.
static int solve_with(int threads, const char *solver, const char *order, const Problem *p,
                      double *r) {
  Arena arena = {0};
  SolverReport report;
  const SolverType *type = solver_find(solver);
  SolverSettings settings = solver_defaults(type);
  if (order) cr_assert_eq(solver_set(type, &settings, "order", order, NULL), OK);
  memset(r, 0, sizeof *r * (size_t)(p->n * p->dim));
  omp_set_num_threads(threads);
  cr_assert_eq(type->solve(p, &settings, r, &arena, &report, NULL), OK);
  cr_assert(report.converged, "%s: error %g", solver, report.error);
  arena_free(&arena);
  return report.iterations;
}

static void check_bits(const char *solver, const char *order, int dim, int n) {
  static const int threads[] = {2, 4, 3};
  OwnedProblem owned;
  make_row(&owned, dim, n, 1);
  cr_assert(problem_for_threads(&owned.p));
  size_t size = sizeof(double) * (size_t)(n * dim);
  double *one = mem_new(size, 1), *many = mem_new(size, 1);
  int iterations = solve_with(1, solver, order, &owned.p, one);
  for (int k = 0; k < 3; k++) {
    cr_assert_eq(solve_with(threads[k], solver, order, &owned.p, many), iterations);
    cr_assert_eq(memcmp(one, many, size), 0, "%s: %d threads differ", solver, threads[k]);
  }
  mem_free(one);
  mem_free(many);
  problem_free(&owned);
}

Test(colouring, coloured_sweeps_give_the_same_bits_with_any_number_of_threads) {
  check_bits("nsgs", "coloured", 2, 30000);
  check_bits("nsgs", "coloured", 3, 15000);
}

Test(colouring, auto_gives_the_same_bits_with_any_number_of_threads) {
  check_bits("auto", NULL, 2, 40000);
  check_bits("auto", NULL, 3, 25000);
}

Test(colouring, backward_sweeps_undo_the_order_of_forward_ones) {
  OwnedProblem owned;
  Arena arena = {0};
  SolverReport report = {0};
  Sweeper sweeper;
  double r[2 * 300] = {0}, seen[2 * 300];
  make_row(&owned, 2, 300, 0);
  cr_assert_eq(sweeper_init(&sweeper, &owned.p, &arena, &report, NULL), OK);
  cr_assert_eq(sweeper_colour(&sweeper, &arena, NULL), OK);
  while (sweeper_sweep(&sweeper, 1, r, &report) > 1e-13) continue;
  memcpy(seen, r, sizeof r);
  for (int k = 0; k < 600; k++) r[k] = 0;
  while (sweeper_sweep_back(&sweeper, 1, r, &report) > 1e-13) continue;
  for (int k = 0; k < 600; k++) cr_assert_float_eq(r[k], seen[k], 1e-11);
  arena_free(&arena);
  problem_free(&owned);
}
