// What every row of the table of solvers promises, on the same problems.
#include "problems.h"

#include "solver/solver_table.h"

#include "solver/cone.h"

TestSuite(solvers, .fini = expect_no_leak);

// Names of solvers whose answer is that of a neighbouring problem (facets, relaxed cones), so that
// the error need not become small: they must say so.
static int solves_another_problem(const SolverType *type) {
  return type->approximate;
}

typedef struct {
  const char *name;
  int dim, n, rank;
  double ridge, friction;
  int chain;
} Case;

static const Case cases[] = {
    {"one contact in the plane", 2, 1, 2, 0.1, 0.5, 0},
    {"one contact in space", 3, 1, 3, 0.1, 0.5, 0},
    {"definite, plane", 2, 12, 24, 0.2, 0.3, 1},
    {"definite, space", 3, 12, 36, 0.2, 0.3, 1},
    {"without friction, plane", 2, 8, 16, 0.2, 0, 1},
    {"without friction, space", 3, 8, 24, 0.2, 0, 1},
    {"dense, space", 3, 6, 18, 0.5, 0.3, 0},
    {"rank deficient, plane", 2, 12, 18, 0, 0.3, 1},
    {"rank deficient, space", 3, 12, 24, 0, 0.3, 1},
};
enum { N_CASES = sizeof cases / sizeof cases[0], SEEDS = 4 };

static void make_case(OwnedProblem *owned, const Case *c, int seed) {
  make_random(owned, c->dim, c->n, c->rank, c->ridge, c->friction, c->chain, 17 + (uint64_t)seed);
}

static void run(const SolverType *type, const Problem *p, double tolerance, double *r,
                SolverReport *report) {
  Arena arena = {0};
  Err err = {0};
  SolverSettings settings = solver_defaults(type);
  settings.tolerance = tolerance;
  for (int k = 0; k < p->n * p->dim; k++) r[k] = 0;
  cr_assert_eq(solver_accepts(type, p, &err), OK, "%s", err.text);
  cr_assert_eq(type->solve(p, &settings, r, &arena, report, &err), OK, "%s: %s", type->name,
               err.text);
  arena_free(&arena);
}

static double full_error(const Problem *p, const double *r) {
  double *scale = mem_new((size_t)p->n, sizeof *scale);
  measure_scales(p, scale);
  double error = measure_error(p, scale, r);
  mem_free(scale);
  return error;
}

// Calls `check` for each solver, case and seed.
static void for_all(void (*check)(const SolverType *, const Case *, const Problem *)) {
  for (int s = 0; solver_types[s]; s++)
    for (int c = 0; c < N_CASES; c++)
      for (int seed = 0; seed < SEEDS; seed++) {
        OwnedProblem owned;
        make_case(&owned, &cases[c], seed);
        check(solver_types[s], &cases[c], &owned.p);
        problem_free(&owned);
      }
}

static void check_report(const SolverType *type, const Case *c, const Problem *p) {
  double r[64];
  SolverReport report;
  run(type, p, 1e-6, r, &report);
  double error = full_error(p, r);
  cr_assert_float_eq(report.error, error, 1e-12 + 1e-6 * error, "%s, %s: says %g, is %g",
                     type->name, c->name, report.error, error);
  if (report.converged) cr_assert_leq(report.error, 1e-6, "%s, %s", type->name, c->name);
  for (int k = 0; k < p->n * p->dim; k++) cr_assert(isfinite(r[k]));
}

Test(solvers, report_the_error_that_the_measure_finds) {
  for_all(check_report);
}

static void check_converged(const SolverType *type, const Case *c, const Problem *p) {
  double r[64];
  SolverReport report;
  if (solves_another_problem(type)) return;
  run(type, p, 1e-6, r, &report);
  cr_assert(report.converged, "%s, %s: error %g after %d", type->name, c->name, report.error,
            report.iterations);
}

Test(solvers, solve_small_problems_to_1e_6) {
  for_all(check_converged);
}

static void check_feasible(const SolverType *type, const Case *c, const Problem *p) {
  double r[64], size = 0;
  SolverReport report;
  run(type, p, 1e-6, r, &report);
  for (int k = 0; k < p->n * p->dim; k++) size = fmax(size, fabs(r[k]));
  if (type->approximate == APPROXIMATE_OUTSIDE) return;
  for (int i = 0; i < p->n; i++) {
    double outside = cone_violation(p->dim, p->mu[i], 0, r + i * p->dim);
    cr_assert_leq(outside, 1e-5 * size, "%s, %s: contact %d is %g outside its cone", type->name,
                  c->name, i, outside);
  }
}

Test(solvers, stay_in_their_cones) {
  for_all(check_feasible);
}

static void check_same_bits(const SolverType *type, const Case *c, const Problem *p) {
  double r[64], again[64];
  SolverReport report, report_again;
  run(type, p, 1e-6, r, &report);
  run(type, p, 1e-6, again, &report_again);
  cr_assert_eq(memcmp(r, again, sizeof *r * (size_t)(p->n * p->dim)), 0, "%s, %s", type->name,
               c->name);
  cr_assert_eq(report.iterations, report_again.iterations);
}

Test(solvers, give_the_same_bits_twice) {
  for_all(check_same_bits);
}

Test(solvers, take_a_problem_without_contacts) {
  for (int s = 0; solver_types[s]; s++) {
    int64_t ptr = 0;
    Problem p = {.dim = 3, .n = 0, .blocks.ptr = &ptr};
    double r[1];
    SolverReport report;
    run(solver_types[s], &p, 1e-6, r, &report);
    cr_assert(report.converged, "%s", solver_types[s]->name);
  }
}

Test(solvers, say_when_the_cap_of_iterations_ends_them) {
  OwnedProblem owned;
  make_random(&owned, 3, 12, 36, 0.01, 0.5, 1, 3);
  for (int s = 0; solver_types[s]; s++) {
    Arena arena = {0};
    Err err = {0};
    SolverReport report;
    SolverSettings settings = solver_defaults(solver_types[s]);
    settings.tolerance = 1e-300;
    settings.max_iterations = 3;
    double r[64] = {0};
    cr_assert_eq(solver_types[s]->solve(&owned.p, &settings, r, &arena, &report, &err), OK);
    cr_assert_not(report.converged, "%s", solver_types[s]->name);
    cr_assert_leq(report.iterations, 3, "%s: %d", solver_types[s]->name, report.iterations);
    cr_assert_float_eq(report.error, full_error(&owned.p, r), 1e-9, "%s", solver_types[s]->name);
    arena_free(&arena);
  }
  problem_free(&owned);
}

Test(solvers, fail_cleanly_when_memory_is_short) {
  OwnedProblem owned;
  make_random(&owned, 3, 6, 18, 0.1, 0.5, 1, 3);
  for (int s = 0; solver_types[s]; s++)
    for (int n = 1; n < 100; n++) {
      Arena arena = {0};
      Err err = {0};
      SolverReport report;
      SolverSettings settings = solver_defaults(solver_types[s]);
      double r[64] = {0};
      mem_fail_after(n);
      Status status = solver_types[s]->solve(&owned.p, &settings, r, &arena, &report, &err);
      mem_fail_after(0);
      arena_free(&arena);
      cr_assert(status == OK || status == ERR_SYSTEM, "%s: %s", solver_types[s]->name, err.text);
      if (status == OK) break;
    }
  problem_free(&owned);
}

Test(solvers, refuse_cohesion_where_they_know_pure_cones_only) {
  OwnedProblem owned;
  make_random(&owned, 2, 2, 4, 0.5, 0.5, 1, 3);
  double radius[2] = {0.1, 0.1};
  owned.p.radius = radius;
  for (int s = 0; solver_types[s]; s++) {
    Err err = {0};
    Status status = solver_accepts(solver_types[s], &owned.p, &err);
    cr_assert_eq(status, solver_types[s]->pure_cone_only ? ERR_INPUT : OK);
    if (status != OK) cr_assert(strstr(err.text, "cohesion"), "%s", err.text);
  }
  problem_free(&owned);
}

// Cohesion, tensile strength and parallel stiffness in the plane and in space.
Test(solvers, solve_problems_with_cohesion_shifts_and_parallel_stiffness) {
  for (int s = 0; solver_types[s]; s++)
    for (int dim = 2; dim <= 3; dim++)
      for (int seed = 0; seed < SEEDS; seed++) {
        OwnedProblem owned;
        double radius[6], shift[18], stiffness[12], r[64];
        uint64_t state = 5 + (uint64_t)seed;
        if (solver_types[s]->pure_cone_only) continue;
        make_random(&owned, dim, 6, 6 * dim, 0.5, 0.4, 1, 31 + (uint64_t)seed);
        for (int i = 0; i < 6; i++) radius[i] = 0.1 * fabs(random_real(&state));
        for (int k = 0; k < 6 * dim; k++) shift[k] = k % dim ? 0 : 0.05;
        for (int k = 0; k < 12; k++) stiffness[k] = 0.05;
        owned.p.radius = radius;
        owned.p.s = shift;
        owned.p.a = stiffness;
        SolverReport report;
        run(solver_types[s], &owned.p, 1e-8, r, &report);
        cr_assert(report.converged, "%s in %dD: error %g", solver_types[s]->name, dim,
                  report.error);
        problem_free(&owned);
      }
}

Test(solvers, have_names_and_parameters_that_can_be_set) {
  for (int s = 0; solver_types[s]; s++) {
    const SolverType *type = solver_types[s];
    cr_assert_eq(solver_find(type->name), type);
    cr_assert_gt(strlen(type->doc), 10u);
    cr_assert_gt(type->max_iterations, 0);
    for (int k = 0; k < type->n_params; k++) {
      Err err = {0};
      SolverSettings settings = {0};
      cr_assert_eq(solver_set(type, &settings, type->params[k].name, type->params[k].initial, &err),
                   OK, "%s: %s", type->name, err.text);
      cr_assert_eq(solver_set(type, &settings, type->params[k].name, "nonsense", &err), ERR_INPUT);
    }
    Err err = {0};
    SolverSettings settings = {0};
    cr_assert_eq(solver_set(type, &settings, "no_such_parameter", "1", &err), ERR_INPUT);
  }
  cr_assert_eq(solver_find("no_such_solver"), NULL);
}

// Many contacts between few bodies: sweeps are slow and a factorisation is dear, so that auto takes
// the momentum before anything that factorises.
Test(solvers, auto_gets_through_where_sweeps_are_slow_and_factors_dear) {
  for (int dim = 2; dim <= 3; dim++) {
    OwnedProblem owned;
    Arena arena = {0};
    SolverReport report;
    SolverSettings settings = solver_defaults(&solver_auto);
    settings.tolerance = 1e-7;
    make_random(&owned, dim, 120, 60, 0, 0.5, 0, 5);
    double *r = mem_new((size_t)(owned.p.n * dim), sizeof *r);
    cr_assert_eq(solver_auto.solve(&owned.p, &settings, r, &arena, &report, NULL), OK);
    cr_assert(report.converged, "error %g", report.error);
    mem_free(r);
    arena_free(&arena);
    problem_free(&owned);
  }
}

Test(solvers, auto_gives_up_on_what_round_off_forbids) {
  for (int dim = 2; dim <= 3; dim++) {
    OwnedProblem owned;
    Arena arena = {0};
    SolverReport report;
    SolverSettings settings = solver_defaults(&solver_auto);
    settings.tolerance = 1e-25;
    make_random(&owned, dim, 40, 40, 0, 0.5, 0, 7);
    double *r = mem_new((size_t)(owned.p.n * dim), sizeof *r);
    cr_assert_eq(solver_auto.solve(&owned.p, &settings, r, &arena, &report, NULL), OK);
    int64_t sweep = owned.p.blocks.ptr[owned.p.n] + owned.p.n;
    cr_assert(!report.converged);
    cr_assert(report.reason && strstr(report.reason, "round-off"), "%s", report.reason);
    cr_assert_leq(report.error, 1e-13);
    cr_assert_leq(report.blocks, 40000 * sweep, "%lld sweeps", (long long)(report.blocks / sweep));
    mem_free(r);
    arena_free(&arena);
    problem_free(&owned);
  }
}

static int count_and_stop(void *of) {
  ++*(int *)of;
  return 1;
}

// A tolerance that nothing reaches, and iterations without end: the first question ends them.
Test(solvers, end_when_they_are_asked_to_stop) {
  enum { FEW = 200 }; // more than any solver does between two tests of its error
  for (int s = 0; solver_types[s]; s++) {
    OwnedProblem owned;
    make_case(&owned, &cases[3], 1);
    double r[64] = {0};
    int asked = 0;
    Arena arena = {0};
    Err err = {0};
    SolverReport report;
    SolverSettings settings = solver_defaults(solver_types[s]);
    settings.tolerance = 1e-300;
    settings.max_iterations = 1000000000;
    settings.must_stop = count_and_stop;
    settings.must_stop_of = &asked;
    cr_assert_eq(solver_run(solver_types[s], &owned.p, &settings, r, &arena, &report, &err),
                 ERR_STOPPED, "%s", solver_types[s]->name);
    cr_assert_leq(report.iterations, FEW, "%s: %d", solver_types[s]->name, report.iterations);
    cr_assert_leq(asked, 10, "%s asked %d times", solver_types[s]->name, asked);
    arena_free(&arena);
    problem_free(&owned);
  }
}

// ---- nothing to speak of ------------------------------------------------------------------------

// Blocks that part: whatever the step before left, nothing is pressed, and no share of nothing is
// missed.
Test(solvers, leave_what_opens_alone_whatever_they_begin_with) {
  const double w[16] = {0.0414283,    0.0089186,  -0.0130919,  -0.000892409, 0.0089186, 0.0456187,
                        0.0135443,    0.00103642, -0.0130919,  0.0135443,    0.0199683, -0.00135667,
                        -0.000892409, 0.00103642, -0.00135667, 0.0385798};
  const double b[4] = {0.0584, 1.98585, 0.131069, -0.0916967}, mu[2] = {0.6, 0.6};
  const double elastic[4] = {1e-4, 1e-4, 1e-4, 1e-4};
  for (int s = 0; solver_types[s]; s++)
    for (int measure = 0; measure < 2; measure++) {
      OwnedProblem owned;
      Arena arena = {0};
      SolverReport report;
      SolverSettings settings = solver_defaults(solver_types[s]);
      double r[4] = {20, 3, 15, -2};
      settings.tolerance = 1e-3;
      settings.measure = measure ? MEASURE_DEFORMATION : MEASURE_SCALED;
      make_dense(&owned, 2, 2, w, b, mu);
      if (measure) owned.p.elastic = elastic;
      cr_assert_eq(solver_run(solver_types[s], &owned.p, &settings, r, &arena, &report, NULL), OK);
      cr_expect(report.converged, "%s: error %g", solver_types[s]->name, report.error);
      cr_expect_eq(report.deforms, measure);
      for (int k = 0; k < 4; k++) cr_expect_eq(r[k], 0, "%s: %g", solver_types[s]->name, r[k]);
      arena_free(&arena);
      problem_free(&owned);
    }
}

// A disk that slides by at 0.6 m/s and closes in by 1e-12 of that: its impulse is 1e-12 of what
// would stop it, and round-off of its motion a part in ten thousand of that. Where it closes in by
// 1e-3 the tolerance is held against its impulse as ever.
Test(solvers, auto_does_not_ask_for_a_share_of_what_grazes) {
  const double w[4] = {0.0120579, 1.25197e-18, 1.06918e-18, 0.0361736}, mu = 0.3;
  for (int k = 0; k < 2; k++) {
    const double b[2] = {k ? -6e-4 : -1.45862e-13, 0.5962};
    OwnedProblem owned;
    Arena arena = {0};
    SolverReport report;
    SolverSettings settings = solver_defaults(&solver_auto);
    double r[2] = {0}, normal = -b[0] / w[0];
    settings.tolerance = 1e-6;
    make_dense(&owned, 2, 1, w, b, &mu);
    cr_assert_eq(solver_run(&solver_auto, &owned.p, &settings, r, &arena, &report, NULL), OK);
    cr_expect(report.converged, "error %g", report.error);
    cr_expect_float_eq(r[0], normal, 1e-3 * normal, "%g, expected %g", r[0], normal);
    cr_expect_float_eq(r[1], -mu * normal, 1e-3 * normal);
    cr_expect_leq(report.error, settings.tolerance);
    arena_free(&arena);
    problem_free(&owned);
  }
}
