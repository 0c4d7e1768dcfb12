#include "problems.h"

#include "solver/lemke.h"

TestSuite(lemke, .fini = expect_no_leak);

static double violation(int n, const double *m, const double *q, const double *z) {
  double worst = 0;
  for (int i = 0; i < n; i++) {
    double w = q[i];
    for (int j = 0; j < n; j++) w += m[i * n + j] * z[j];
    worst = fmax(worst, fmax(-w, fmax(-z[i], fabs(w * z[i]))));
  }
  return worst;
}

enum { MOST = 32 };

Test(lemke, solves_every_stored_problem_and_says_where_there_is_no_solution) {
  JsonTree tree;
  read_stored(&tree, "lcp.json");
  for (int k = 0; stored_leaf(&tree, k, "name"); k++) {
    const char *name = stored_leaf(&tree, k, "name")->text;
    double m[MOST * MOST], q[MOST], z[MOST];
    int n = 0;
    while (stored_has(&tree, k, "q", n)) n++;
    for (int i = 0; i < n; i++) {
      q[i] = stored_number(&tree, k, "q", i, -1);
      for (int j = 0; j < n; j++) m[i * n + j] = stored_number(&tree, k, "M", i, j);
    }
    Arena arena = {0};
    Err err = {0};
    Lemke lemke;
    cr_assert_eq(lemke_init(&lemke, n, &arena, &err), OK);
    LemkeEnd end = lemke_solve(&lemke, m, q, 100000, z, NULL);
    if (!stored_leaf(&tree, k, "solutions.0.0")) {
      cr_assert_eq(end, LEMKE_RAY, "%s", name);
    } else {
      cr_assert_eq(end, LEMKE_SOLVED, "%s", name);
      cr_assert_leq(violation(n, m, q, z), 1e-9, "%s", name);
      if (!stored_leaf(&tree, k, "solutions.1.0"))
        for (int i = 0; i < n; i++)
          cr_assert_float_eq(z[i], stored_number(&tree, k, "solutions.0", i, -1), 1e-9, "%s", name);
    }
    arena_free(&arena);
  }
  json_free(&tree);
}

Test(lemke, solves_random_problems_of_positive_definite_matrices) {
  uint64_t state = 3;
  for (int c = 0; c < 200; c++) {
    int n = 1 + c % 20;
    double g[400], m[400], q[20], z[20];
    for (int k = 0; k < n * n; k++) g[k] = random_real(&state);
    for (int i = 0; i < n; i++) {
      q[i] = random_real(&state);
      for (int j = 0; j < n; j++) {
        m[i * n + j] = i == j ? 0.05 : 0;
        for (int k = 0; k < n; k++) m[i * n + j] += g[i * n + k] * g[j * n + k];
      }
    }
    Arena arena = {0};
    Err err = {0};
    Lemke lemke;
    cr_assert_eq(lemke_init(&lemke, n, &arena, &err), OK);
    cr_assert_eq(lemke_solve(&lemke, m, q, 10000, z, NULL), LEMKE_SOLVED, "problem %d", c);
    cr_assert_leq(violation(n, m, q, z), 1e-9, "problem %d", c);
    arena_free(&arena);
  }
}

// Degenerate on purpose: equal rows and zeros in q, where a plain ratio rule may cycle.
Test(lemke, does_not_cycle_on_degenerate_problems) {
  const double m[9] = {0, -1, 2, 2, 0, -2, -1, 1, 0}, q[3] = {-3, 6, -1}; // Kappel and Watson 1986
  const double flat[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, zero[3] = {-1, 0, -1};
  Arena arena = {0};
  Err err = {0};
  Lemke lemke;
  double z[3];
  cr_assert_eq(lemke_init(&lemke, 3, &arena, &err), OK);
  LemkeEnd end = lemke_solve(&lemke, m, q, 1000, z, NULL);
  cr_assert_neq(end, LEMKE_PIVOTS);
  if (end == LEMKE_SOLVED) cr_assert_leq(violation(3, m, q, z), 1e-10);
  cr_assert_eq(lemke_solve(&lemke, flat, zero, 1000, z, NULL), LEMKE_SOLVED);
  cr_assert_leq(violation(3, flat, zero, z), 1e-12);
  arena_free(&arena);
}

Test(lemke, needs_no_pivot_where_q_is_not_negative) {
  const double m[1] = {-1}, q[1] = {0};
  Arena arena = {0};
  Err err = {0};
  Lemke lemke;
  double z[1];
  int pivots;
  cr_assert_eq(lemke_init(&lemke, 1, &arena, &err), OK);
  cr_assert_eq(lemke_solve(&lemke, m, q, 10, z, &pivots), LEMKE_SOLVED);
  cr_assert_eq(pivots, 0);
  arena_free(&arena);
}
