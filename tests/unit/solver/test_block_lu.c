#include "problems.h"

#include "solver/kept.h"
#include "solver/operator.h"

TestSuite(block_lu, .fini = expect_no_leak);

enum { MOST = 150, DENSE = 41 }; // contacts: at most; those of a problem where all feel all

// What an earlier factorisation may have left: solves read no number of it, not even times zero.
static void spoil(BlockLu *lu) {
  Fronts *fronts = &lu->fronts;
  if (!lu->in_fronts) return;
  memset(fronts->l, 0xff, (size_t)fronts->l_at[fronts->n_fronts] * sizeof *fronts->l);
  memset(fronts->u, 0xff, (size_t)fronts->u_at[fronts->n_fronts] * sizeof *fronts->u);
}

// left W + right of a problem, and what the factors make of it. Of every open_every-th contact the
// rows from `open_from` on have nothing but their own block. Contacts feel `chain` neighbours on
// either side, 0: all.
static void check_chain(int dim, int n, int chain, int open_every, int open_from, uint64_t seed) {
  OwnedProblem owned;
  Arena arena = {0};
  Err err = {0};
  BlockLu lu;
  make_random(&owned, dim, n, n * dim, 0.3, 0.3, chain, seed);
  const Problem *p = &owned.p;
  int block = dim * dim, size = n * dim;
  static double left[9 * MOST], right[9 * MOST], b[3 * MOST], x[3 * MOST];
  uint64_t state = seed + 1;
  for (int i = 0; i < n; i++) {
    int open = open_every > 0 && i % open_every == 0;
    for (int k = 0; k < block; k++) {
      int empty = open && k / dim >= open_from;
      left[i * block + k] = empty ? 0 : (k % (dim + 1) == 0) + 0.1 * random_real(&state);
      right[i * block + k] = empty ? k % (dim + 1) == 0 : 0.2 * random_real(&state);
    }
  }
  for (int k = 0; k < size; k++) b[k] = random_real(&state);
  cr_assert_eq(block_lu_init(&lu, p, &arena, &err), OK, "%s", err.text);
  spoil(&lu);
  cr_assert(chain < 2 || lu.in_fronts, "blocks do");
  int64_t blocks = 0;
  cr_assert(block_lu_factor(&lu, p, left, right, &blocks));
  cr_assert_leq(blocks, lu.updates);
  block_lu_solve(&lu, b, x);
  for (int i = 0; i < n; i++) {
    double u[3] = {0}, sum[3] = {0};
    operator_others(p, i, x, u);
    for (int k = 0; k < dim; k++) {
      u[k] -= p->b[i * dim + k];
      for (int l = 0; l < dim; l++) u[k] += p->diag[i * block + k * dim + l] * x[i * dim + l];
    }
    for (int k = 0; k < dim; k++)
      for (int l = 0; l < dim; l++)
        sum[k] +=
            left[i * block + k * dim + l] * u[l] + right[i * block + k * dim + l] * x[i * dim + l];
    for (int k = 0; k < dim; k++) cr_assert_float_eq(sum[k], b[i * dim + k], 1e-10);
  }
  arena_free(&arena);
  problem_free(&owned);
}

static void check_rows(int dim, int n, int open_every, int open_from, uint64_t seed) {
  check_chain(dim, n, n != DENSE, open_every, open_from, seed);
}

static void check(int dim, int n, int open_every, uint64_t seed) {
  check_rows(dim, n, open_every, 0, seed);
}

Test(block_lu, solves_in_the_plane_and_in_space) {
  for (uint64_t seed = 1; seed < 6; seed++) {
    check(2, 20, 0, seed);
    check(3, 20, 0, seed);
  }
}

Test(block_lu, leaves_out_open_contacts) {
  check(2, 20, 3, 1);
  check(3, 20, 2, 1);
  check(3, 5, 1, 1);
}

// Fronts wider than a panel, rows in any number, tangential rows of contacts that slip.
Test(block_lu, solves_where_single_rows_are_empty) {
  for (uint64_t seed = 1; seed < 4; seed++) {
    for (int dim = 2; dim < 4; dim++)
      for (int open_from = 0; open_from < dim; open_from++) {
        check_rows(dim, DENSE, 2, open_from, seed);
        check_rows(dim, 150, 3, open_from, seed);
        check_rows(dim, 149, 2, open_from, seed + 10);
      }
  }
}

// A band that is worth fronts, with rows behind their pivots.
Test(block_lu, solves_by_fronts_that_leave_rows_to_others) {
  static const int chain[] = {14, 24}; // in the plane, in space
  for (int dim = 2; dim < 4; dim++)
    for (int open_from = 0; open_from <= dim; open_from++)
      check_chain(dim, 150, chain[dim - 2], 3, open_from, 1);
}

// The pattern alone of a plane grid, as large as a wall of 60 x 60 blocks: factors of its nested
// dissection need no more than George's (1973), those of minimum degree would need a tenth more.
Test(block_lu, large_patterns_are_cut_into_parts) {
  enum { SIDE = 180, N = SIDE * SIDE };
  Arena arena = {0};
  Err err = {0};
  BlockLu lu;
  int64_t *ptr = calloc(N + 1, sizeof *ptr), at = 0;
  int32_t *col = malloc(8 * N * sizeof *col);
  for (int i = 0; i < N; i++) {
    for (int row = i / SIDE - 1; row <= i / SIDE + 1; row++)
      for (int c = i % SIDE - 1; c <= i % SIDE + 1; c++)
        if (row >= 0 && row < SIDE && c >= 0 && c < SIDE && row * SIDE + c != i)
          col[at++] = row * SIDE + c;
    ptr[i + 1] = at;
  }
  Problem p = {.dim = 2, .n = N, .blocks = {.ptr = ptr, .col = col}};
  cr_assert_eq(block_lu_init(&lu, &p, &arena, &err), OK, "%s", err.text);
  cr_assert_leq((double)lu.updates, 829. / 42 * pow(N, 1.5));
  arena_free(&arena);
  free(ptr);
  free(col);
}

Test(block_lu, says_when_a_block_is_singular) {
  OwnedProblem owned;
  Arena arena = {0};
  Err err = {0};
  BlockLu lu;
  make_random(&owned, 2, 4, 8, 0.3, 0.3, 1, 1);
  double left[16] = {0}, right[16] = {0};
  int64_t blocks = 0;
  cr_assert_eq(block_lu_init(&lu, &owned.p, &arena, &err), OK);
  cr_assert_not(block_lu_factor(&lu, &owned.p, left, right, &blocks));
  arena_free(&arena);
  problem_free(&owned);
}

Test(block_lu, keeps_the_analysis_of_a_pattern) {
  OwnedProblem one, other;
  Arena arena = {0};
  Err err = {0};
  SolverKept kept = {0};
  BlockLu lu;
  make_random(&one, 2, 30, 60, 0.3, 0.3, 1, 1);
  make_random(&other, 2, 30, 60, 0.3, 0.3, 0, 1);
  const Problem *given[] = {&one.p, &one.p, &other.p, &other.p, &one.p};
  const int analyses[] = {1, 1, 2, 2, 3};
  double left[120], right[120], x[60], fresh[60];
  for (int k = 0; k < 120; k++) {
    left[k] = k % 4 == 0 || k % 4 == 3;
    right[k] = 0.1 * left[k];
  }
  for (int k = 0; k < 5; k++) {
    int64_t blocks = 0;
    for (int i = 0; i < 60; i++) x[i] = fresh[i] = i;
    cr_assert_eq(kept_factors(&kept, FACTORS_OF_SOLVER, &lu, given[k], &arena, &err), OK);
    cr_assert_eq(kept.analyses, analyses[k]);
    cr_assert(block_lu_factor(&lu, given[k], left, right, &blocks));
    block_lu_solve(&lu, x, x);
    cr_assert_eq(kept_factors(NULL, FACTORS_OF_SOLVER, &lu, given[k], &arena, &err), OK);
    cr_assert(block_lu_factor(&lu, given[k], left, right, &blocks));
    block_lu_solve(&lu, fresh, fresh);
    cr_assert_arr_eq(x, fresh, sizeof x); // the same bits
  }
  kept_free(&kept);
  arena_free(&arena);
  problem_free(&one);
  problem_free(&other);
}

// The judge factors in between: those of the solver stay as they are.
Test(block_lu, factors_of_the_judge_are_others_than_those_of_the_solver) {
  OwnedProblem owned;
  Arena arena = {0};
  Err err = {0};
  SolverKept kept = {0};
  BlockLu lu[N_FACTORS];
  int64_t blocks = 0;
  double left[120], right[120], ones[120], zero[120] = {0}, b[60], x[60], after[60];
  make_random(&owned, 2, 30, 60, 0.3, 0.3, 1, 1);
  for (int k = 0; k < 120; k++) {
    ones[k] = k % 4 == 0 || k % 4 == 3;
    left[k] = ones[k];
    right[k] = 0.1 * ones[k];
  }
  for (int k = 0; k < 60; k++) b[k] = 1 + k;
  for (int of = 0; of < N_FACTORS; of++)
    cr_assert_eq(kept_factors(&kept, of, &lu[of], &owned.p, &arena, &err), OK);
  cr_assert(block_lu_factor(&lu[FACTORS_OF_SOLVER], &owned.p, left, right, &blocks));
  block_lu_solve(&lu[FACTORS_OF_SOLVER], b, x);
  cr_assert(block_lu_factor(&lu[FACTORS_OF_JUDGE], &owned.p, zero, ones, &blocks));
  block_lu_solve(&lu[FACTORS_OF_SOLVER], b, after);
  cr_assert_arr_eq(x, after, sizeof x);
  block_lu_solve(&lu[FACTORS_OF_JUDGE], b, after);
  cr_assert_arr_eq(b, after, sizeof b); // those of the unit matrix
  kept_free(&kept);
  arena_free(&arena);
  problem_free(&owned);
}
