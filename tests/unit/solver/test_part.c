// Some contacts as a problem of their own: its velocities are those of the whole problem.
#include "problems.h"

#include "solver/operator.h"
#include "solver/part.h"
#include "solver/sweeper.h"

TestSuite(part, .fini = expect_no_leak);

enum { N = 24 };
static const double RADIUS = 0.05;

// Every fifth contact has everything a law may ask for.
static void decorate(Problem *p, Arena *arena) {
  size_t dim = (size_t)p->dim;
  double *radius = arena_take(arena, N, sizeof *radius), *s = arena_take(arena, N * dim, sizeof *s),
         *a = arena_take(arena, 2 * N, sizeof *a), *elastic = arena_take(arena, 2 * N, sizeof *a);
  Item *item = arena_take(arena, N, sizeof *item);
  for (size_t i = 0; i < N; i++) {
    int special = i % 5 == 0;
    radius[i] = special ? RADIUS : 0;
    item[i] = (Item){.kind = i % 7 == 0 ? ITEM_ONE_SIDED : ITEM_CONE, .rows = 1};
    for (size_t k = 0; k < dim; k++) s[i * dim + k] = special ? 0.1 * (double)k : 0;
    for (size_t k = 0; k < 2; k++) {
      a[2 * i + k] = special ? 0.2 : 0;
      elastic[2 * i + k] = p->diag[i * dim * dim];
    }
  }
  p->radius = radius;
  p->s = s;
  p->a = a;
  p->elastic = elastic;
  p->item = item;
}

static void assert_part(int dim, int decorated, const int *listed, int n_listed) {
  OwnedProblem owned;
  Err err = {0};
  Arena arena = {0};
  Part part;
  int64_t blocks = 0;
  uint64_t state = 3;
  double r[3 * N], before[3 * N], u[3], own[3];
  make_random(&owned, dim, N, 3 * N, 0.1, 0.4, 1, 11);
  Problem p = owned.p;
  if (decorated) decorate(&p, &arena);
  for (int k = 0; k < dim * N; k++) r[k] = random_real(&state);
  memcpy(before, r, sizeof r);
  cr_assert_eq(part_init(&part, &p, &arena, &err), OK);
  for (int turn = 0; turn < 2; turn++) { // once more: the first left nothing behind
    for (int k = 0; k < n_listed; k++) part.place[listed[k]] = 1;
    cr_assert_eq(part_list(&part), n_listed);
    cr_assert_eq(part_take(&part, r, &blocks, &arena, &err), OK);
    for (int k = 0; k < dim * n_listed; k++) part.r[k] += random_real(&state);
    part_give(&part, r);
    operator_set(&p, r);
    for (int k = 0; k < n_listed; k++) {
      int i = listed[k];
      operator_row(&p, i, r, u);
      operator_row(&part.p, k, part.r, own);
      for (int d = 0; d < dim; d++) cr_assert_float_eq(u[d], own[d], 1e-12 * N);
      cr_assert_eq(part.p.mu[k], p.mu[i]);
      cr_assert(!decorated || (part.p.radius[k] == p.radius[i] && part.p.a[2 * k] == p.a[2 * i] &&
                               part.p.s[dim * k + 1] == p.s[dim * i + 1] &&
                               part.p.elastic[2 * k + 1] == p.elastic[2 * i + 1] &&
                               part.p.item[k].kind == p.item[i].kind));
    }
  }
  int at = 0;
  for (int i = 0; i < N; i++) { // the others keep theirs
    if (at < n_listed && listed[at] == i) {
      at++;
      continue;
    }
    for (int d = 0; d < dim; d++) cr_assert_eq(r[dim * i + d], before[dim * i + d]);
  }
  cr_assert_gt(blocks, 0);
  arena_free(&arena);
  problem_free(&owned);
}

Test(part, has_the_velocities_of_the_whole) {
  static const int three[] = {7, 8, 10}, ends[] = {0, N - 1},
                   all_but_first[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                      13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
  for (int dim = 2; dim <= 3; dim++)
    for (int decorated = 0; decorated < 2; decorated++) {
      assert_part(dim, decorated, three, 3);
      assert_part(dim, decorated, ends, 2);
      assert_part(dim, decorated, all_but_first, N - 1);
    }
}

// A sweep over the part is the sweep over the whole that skips the others.
Test(part, sweeps_as_the_whole_does) {
  OwnedProblem owned;
  Err err = {0};
  Arena arena = {0};
  Part part;
  Sweeper all, few;
  SolverReport report = {0};
  int64_t blocks = 0;
  static const int listed[] = {3, 4, 9};
  double r[2 * N] = {0}, expected[2 * N];
  make_random(&owned, 2, N, 3 * N, 0.1, 0.4, 1, 5);
  const Problem *p = &owned.p;
  cr_assert_eq(sweeper_init(&all, p, &arena, &report, &err), OK);
  sweeper_sweep(&all, 1, r, &report);
  memcpy(expected, r, sizeof r);
  for (int k = 0; k < 3; k++) {
    LocalSolution local;
    operator_set(p, expected);
    sweeper_solve_contact(&all, listed[k], expected, &local);
    memcpy(expected + 2 * listed[k], local.r, 2 * sizeof *expected);
  }
  cr_assert_eq(part_init(&part, p, &arena, &err), OK);
  for (int k = 0; k < 3; k++) part.place[listed[k]] = 1;
  part_list(&part);
  cr_assert_eq(part_take(&part, r, &blocks, &arena, &err), OK);
  cr_assert_eq(sweeper_init(&few, &part.p, &arena, &report, &err), OK);
  sweeper_sweep(&few, 1, part.r, &report);
  part_give(&part, r);
  for (int k = 0; k < 2 * N; k++) cr_assert_float_eq(r[k], expected[k], 1e-12);
  arena_free(&arena);
  problem_free(&owned);
}
