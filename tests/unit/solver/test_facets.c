#include "problems.h"

#include "solver/cone.h"

TestSuite(facets, .fini = expect_no_leak);

static double run(const char *name, const Problem *p, int facets, int outside, int whole,
                  double *r) {
  const SolverType *type = solver_find(name);
  Arena arena = {0};
  Err err = {0};
  SolverReport report;
  SolverSettings settings = solver_defaults(type);
  settings.tolerance = 1e-9;
  settings.facets = facets;
  settings.outside = outside;
  settings.whole = whole;
  for (int k = 0; k < p->n * p->dim; k++) r[k] = 0;
  cr_assert_eq(type->solve(p, &settings, r, &arena, &report, &err), OK, "%s", err.text);
  arena_free(&arena);
  return report.error;
}

static const char *const names[] = {"lemke", "qp"};

Test(facets, are_exact_in_the_plane_contact_by_contact_and_at_once) {
  for (int s = 0; s < 2; s++)
    for (int whole = 0; whole < 2; whole++)
      for (uint64_t seed = 1; seed < 8; seed++) {
        OwnedProblem owned;
        double r[32];
        make_random(&owned, 2, 8, 16, 0.3, 0.3, 1, seed);
        double error = run(names[s], &owned.p, 8, 0, whole, r);
        cr_assert_leq(error, 1e-8, "%s, whole %d, seed %llu: %g", names[s], whole,
                      (unsigned long long)seed, error);
        problem_free(&owned);
      }
}

Test(facets, come_nearer_to_the_cone_the_more_there_are) {
  for (int s = 0; s < 2; s++)
    for (int outside = 0; outside < 2; outside++) {
      OwnedProblem owned;
      double r[24], few, many;
      make_random(&owned, 3, 6, 18, 0.3, 0.4, 1, 2);
      few = run(names[s], &owned.p, 4, outside, 0, r);
      many = run(names[s], &owned.p, 48, outside, 0, r);
      cr_assert_leq(many, 0.25 * few, "%s, outside %d: %g, %g", names[s], outside, few, many);
      cr_assert_leq(many, 0.05);
      problem_free(&owned);
    }
}

Test(facets, inside_the_cone_give_impulses_inside_it) {
  OwnedProblem owned;
  double r[24];
  make_random(&owned, 3, 6, 18, 0.3, 0.4, 1, 4);
  for (int s = 0; s < 2; s++) {
    int beyond = 0;
    run(names[s], &owned.p, 5, 0, 0, r);
    for (int i = 0; i < 6; i++) cr_assert_leq(cone_violation(3, owned.p.mu[i], 0, r + 3 * i), 1e-9);
    run(names[s], &owned.p, 5, 1, 0, r);
    for (int i = 0; i < 6; i++) beyond += cone_violation(3, owned.p.mu[i], 0, r + 3 * i) > 1e-6;
    cr_assert_gt(beyond, 0, "outer facets never used");
  }
  problem_free(&owned);
}

Test(facets, on_the_whole_problem_agree_with_facets_contact_by_contact) {
  OwnedProblem owned;
  double one[24], all[24];
  make_random(&owned, 3, 6, 18, 0.3, 0.2, 1, 4);
  for (int s = 0; s < 2; s++) {
    run(names[s], &owned.p, 8, 0, 0, one);
    run(names[s], &owned.p, 8, 0, 1, all);
    for (int k = 0; k < 18; k++) cr_assert_float_eq(one[k], all[k], 1e-6, "%s", names[s]);
  }
  problem_free(&owned);
}

Test(facets, refuse_a_tableau_that_would_be_too_large) {
  OwnedProblem owned;
  Arena arena = {0};
  Err err = {0};
  SolverReport report;
  double r[300] = {0};
  make_random(&owned, 3, 70, 70, 0.3, 0.2, 1, 4);
  const SolverType *type = solver_find("lemke");
  SolverSettings settings = solver_defaults(type);
  settings.facets = 64;
  settings.whole = 1;
  cr_assert_eq(type->solve(&owned.p, &settings, r, &arena, &report, &err), OK);
  cr_assert_not(report.converged);
  cr_assert(strstr(report.reason, "facets_on"));
  arena_free(&arena);
  problem_free(&owned);
}
