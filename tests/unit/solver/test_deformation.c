#include "problems.h"

#include "solver/deformation.h"
#include "solver/judge.h"

TestSuite(deformation, .fini = expect_no_leak);

// A block of mass 1 on two elastic points: W = soft (1, 1; 1, 1) + stiff unit matrix, without
// friction. Only the sum of both impulses moves the block; how it is shared out is a matter of
// elasticity.
typedef struct {
  OwnedProblem owned;
  double elastic[4];
} Pair;

static void make_pair(Pair *pair, double stiff, double b0, double b1) {
  double w[16] = {0}, b[4] = {b0, 0, b1, 0}, mu[2] = {0, 0};
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) w[8 * i + 2 * j] = 1 + (i == j) * stiff;
  w[5] = w[15] = 1;
  make_dense(&pair->owned, 2, 2, w, b, mu);
  for (int k = 0; k < 4; k++) pair->elastic[k] = k % 2 ? 1 : stiff;
  pair->owned.p.elastic = pair->elastic;
}

static double claim_of(const Problem *p, const double *r) {
  Deformation def;
  Arena arena = {0};
  int64_t blocks = 0;
  Err err = {0};
  cr_assert_eq(deformation_init(&def, p, &arena, &err), OK, "%s", err.text);
  double claim = deformation_error(&def, r, (double)INFINITY, &blocks);
  arena_free(&arena);
  return claim;
}

Test(deformation, sees_a_load_that_is_shared_out_wrongly_where_the_scaled_error_does_not) {
  for (double stiff = 1e-2; stiff > 1e-9; stiff *= 1e-2) {
    Pair pair;
    double scale[2], right[4] = {0.5, 0, 0.5, 0}, wrong[4] = {0.8, 0, 0.2, 0};
    make_pair(&pair, stiff, -1 - stiff / 2, -1 - stiff / 2);
    const Problem *p = &pair.owned.p;
    measure_scales(p, scale);
    cr_assert_lt(claim_of(p, right), 1e-6);
    cr_assert_lt(measure_error(p, scale, wrong), stiff);
    double truth = 0.3 / 0.5;
    cr_assert(claim_of(p, wrong) > truth / 2 && claim_of(p, wrong) < 2 * truth, "%g says %g", truth,
              claim_of(p, wrong));
    problem_free(&pair.owned);
  }
}

// Mortar that could bear a hundred times what there is, and springs a hundred times stiffer than
// the points, pressed and drawn: what counts is the impulse that the block feels.
Test(deformation, is_held_against_impulses_and_not_against_strengths_or_springs) {
  enum { STRONG, PRESSED, DRAWN, KINDS };
  const double stiff = 1e-2, strong[4] = {100, 0, 100, 0}, none[4] = {0};
  const double springs[4] = {100 / stiff, 0, 100 / stiff, 0};
  for (int kind = 0; kind < KINDS; kind++) {
    Pair pair;
    double load = kind == DRAWN ? 1 : -1 - stiff / 2, pull = 0.5;
    make_pair(&pair, stiff, load, load);
    Problem *p = &pair.owned.p;
    p->s = kind == STRONG ? strong : none;
    p->a = kind == STRONG ? NULL : springs;
    if (kind == DRAWN) pull = -springs[0] * load / (1 + springs[0] * (2 + stiff));
    double right[4] = {pull, 0, pull, 0}, wrong[4] = {1.3 * pull, 0, 0.7 * pull, 0};
    cr_expect_lt(claim_of(p, right), 1e-6, "kind %d", kind);
    double claim = claim_of(p, wrong);
    cr_expect(claim > 0.15 && claim < 0.6, "kind %d: 0.3 is true, %g", kind, claim);
    p->s = p->a = NULL;
    problem_free(&pair.owned);
  }
}

// The same pair where one point carries nine tenths. A load that is too large by half of what the
// elasticity takes moves the block so fast that the residual takes the other point for open. That
// the block would then go into it is part of the correction; without friction the statuses of
// motion, which are right, prove more than the residual says.
Test(deformation, without_friction_is_as_small_as_statuses_of_motion_prove) {
  const double stiff = 1e-4, more = 0.5 * stiff, b[2] = {-1 - 0.9 * stiff, -1 - 0.1 * stiff};
  double r[4] = {0.9 + more, 0, 0.1, 0}, size = 0.9 * 0.9 + 0.1 * 0.1, lever[24] = {0};
  double truth = more / sqrt(size), apart = sqrt(2) * 0.1 / sqrt(size), into = 0.2 / sqrt(size);
  int32_t moved[4] = {0, -1, 0, -1};
  Pair pair;
  Deformation def;
  Arena arena = {0};
  Err err = {0};
  int64_t blocks = 0;
  make_pair(&pair, stiff, b[0], b[1]);
  for (int i = 0; i < 2; i++) lever[12 * i] = 1;
  pair.owned.p.bodies = (BodyRows){.n_bodies = 1, .n_modes = 3, .moved = moved, .lever = lever};
  cr_assert_eq(deformation_init(&def, &pair.owned.p, &arena, &err), OK, "%s", err.text);
  cr_assert_eq(deformation_factors(&def, NULL, &arena, &err), OK, "%s", err.text);
  cr_assert_gt(deformation_residual(&def, r, NULL, NULL, &blocks), 0.5);
  cr_expect_float_eq(deformation_correction(&def, r, 0, &blocks), apart + into, 1e-3);
  cr_expect_float_eq(deformation_claim(&def, r, 0, &blocks), truth, 0.01 * truth);
  cr_expect_gt(deformation_claim(&def, r, 1e-3, &blocks), 0.5, "not worth factors");
  arena_free(&arena);
  problem_free(&pair.owned);
}

// A row of points, each elastic with its neighbours: an error that is smooth along the row leaves
// small velocities.
Test(deformation, correction_sees_what_spreads_over_many_contacts) {
  enum { N = 40 };
  static double w[4 * N * N], b[2 * N], mu[N], elastic[2 * N], exact[2 * N], r[2 * N];
  OwnedProblem owned;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) // an elastic half-plane answers with the logarithm; this is like it
      w[4 * N * i + 2 * j] = i == j ? 1 : j == i + 1 || i == j + 1 ? -0.5 : 0;
    w[4 * N * i + 2 * i] += 1e-2;
    w[(2 * i + 1) * 2 * N + 2 * i + 1] = 1;
    elastic[2 * i] = 1.01;
    elastic[2 * i + 1] = 1;
    exact[2 * i] = 1;
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) b[2 * i] -= w[4 * N * i + 2 * j] * exact[2 * j];
  make_dense(&owned, 2, N, w, b, mu);
  owned.p.elastic = elastic;
  for (int i = 0; i < N; i++) r[2 * i] = 1 + 0.1 * sin(3.14159265358979 * (i + 0.5) / N);
  double truth = 0.1 * sqrt(0.5);
  Deformation def;
  Arena arena = {0};
  int64_t blocks = 0;
  Err err = {0};
  cr_assert_eq(deformation_init(&def, &owned.p, &arena, &err), OK, "%s", err.text);
  double a = deformation_residual(&def, r, NULL, NULL, &blocks);
  double own = deformation_correction(&def, r, 0, &blocks);
  cr_assert_lt(a, truth / 10);
  cr_assert(own > truth / 3 && own < 3 * truth, "true %g, A %g, B %g", truth, a, own);
  cr_assert_eq(blocks, 12 * (owned.p.blocks.ptr[N] + N), "12 products");
  arena_free(&arena);
  problem_free(&owned);
}

// A row of n points whose solution is one everywhere, and impulses with an error that is smooth
// over it; the mean square of that.
static double smooth_error(int n, double *w, double *b, double *elastic, double *r) {
  double square = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      w[4 * n * i + 2 * j] = i == j ? 1 + 1e-5 : j == i + 1 || i == j + 1 ? -0.5 : 0;
      b[2 * i] -= w[4 * n * i + 2 * j]; // of impulses of one
    }
    w[(2 * i + 1) * 2 * n + 2 * i + 1] = 1;
    elastic[2 * i] = 1 + 1e-5;
    elastic[2 * i + 1] = 1;
    double x = (i + 0.5) / n, error = 0.1 * x * x * (1 - x);
    r[2 * i] = 1 + error;
    square += error * error / n;
  }
  return square;
}

// The same in a row of two bodies that is six times as long: 600 times the residual. The energies
// of ten steps for each 24 points fall off before a fifth of the error has been seen.
Test(deformation, correction_goes_on_where_an_error_hides_in_a_long_row) {
  enum { N = 144 };
  static double w[4 * N * N], b[2 * N], mu[N], elastic[2 * N], r[2 * N];
  static int32_t moved[2 * N];
  OwnedProblem owned;
  double square = smooth_error(N, w, b, elastic, r);
  for (int i = 0; i < N; i++) {
    moved[2 * i + 1] = 1;
  }
  make_dense(&owned, 2, N, w, b, mu);
  owned.p.elastic = elastic;
  owned.p.bodies.moved = moved;
  Deformation def;
  Arena arena = {0};
  int64_t blocks = 0;
  Err err = {0};
  cr_assert_eq(deformation_init(&def, &owned.p, &arena, &err), OK, "%s", err.text);
  double a = deformation_residual(&def, r, NULL, NULL, &blocks), truth = sqrt(square);
  double own = deformation_correction(&def, r, 0, &blocks);
  cr_assert_lt(a, truth / 600);
  cr_assert(own > 0.82 * truth && own < 1.2 * truth, "true %g, A %g, B %g", truth, a, own);
  arena_free(&arena);
  problem_free(&owned);
}

// The same over one body that touches another one at each of its points: no row is long, and steps
// do not see it. Factors do, and are used again for the same statuses.
Test(deformation, factors_see_what_is_smooth_over_one_body) {
  enum { N = 144 };
  static double w[4 * N * N], b[2 * N], mu[N], elastic[2 * N], r[2 * N], lever[12 * N];
  static int32_t moved[2 * N];
  OwnedProblem owned;
  double square = 0;
  smooth_error(N, w, b, elastic, r);
  for (int i = 0; i < N; i++) {
    moved[2 * i + 1] = i + 1;
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) square += (r[2 * i] - 1) * w[4 * N * i + 2 * j] * (r[2 * j] - 1);
  make_dense(&owned, 2, N, w, b, mu);
  owned.p.elastic = elastic;
  owned.p.bodies = (BodyRows){.n_bodies = N + 1, .n_modes = 3, .moved = moved, .lever = lever};
  Deformation def;
  Arena arena = {0};
  Err err = {0};
  int64_t blocks = 0, again = 0;
  cr_assert_eq(deformation_init(&def, &owned.p, &arena, &err), OK, "%s", err.text);
  deformation_residual(&def, r, NULL, NULL, &blocks);
  double whole = 1 + 1e-5 * N, truth = sqrt(square / whole); // of impulses of one: 1 + N 1e-5
  cr_assert_lt(deformation_correction(&def, r, 0, &blocks), truth / 3, "steps see it");
  cr_assert_eq(deformation_factors(&def, NULL, &arena, &err), OK, "%s", err.text);
  blocks = 0;
  double own = deformation_correction(&def, r, 0, &blocks);
  cr_assert(own > 0.9 * truth && own < 1.1 * truth, "true %g, B %g", truth, own);
  cr_assert_eq(deformation_correction(&def, r, 0, &again), own);
  cr_assert_lt(again, blocks);
  arena_free(&arena);
  problem_free(&owned);
}

Test(deformation, does_not_depend_on_units) {
  Pair pair, other;
  double r[4] = {0.7, 0, 0.4, 0}, big[4];
  make_pair(&pair, 1e-3, -1, -1.1);
  make_pair(&other, 1e-3, -1e3, -1.1e3);
  for (int k = 0; k < 4; k++) big[k] = 1e3 * r[k];
  cr_assert_float_eq(claim_of(&pair.owned.p, r), claim_of(&other.owned.p, big), 1e-12);
  problem_free(&pair.owned);
  problem_free(&other.owned);
}

Test(deformation, judges_where_the_settings_and_the_problem_say_so) {
  Pair pair;
  Arena arena = {0};
  Err err = {0};
  double r[4] = {0.8, 0, 0.2, 0};
  make_pair(&pair, 1e-6, -1, -1);
  SolverSettings settings = solver_defaults(solver_find("auto"));
  settings.tolerance = 1e-3;
  SolverReport report;
  cr_assert_eq(solver_run(solver_find("nsgs"), &pair.owned.p, &settings, r, &arena, &report, &err),
               OK);
  cr_assert(report.converged && report.deforms && report.error < 1e-3);
  cr_assert_gt(report.deformation, 0.3, "after a sweep the load is still where it was");
  settings.measure = MEASURE_DEFORMATION;
  cr_assert_eq(solver_run(solver_find("auto"), &pair.owned.p, &settings, r, &arena, &report, &err),
               OK);
  cr_assert(report.converged && report.deformation <= 1e-3 && report.error <= 1e-3);
  cr_assert_float_eq(r[0], 0.5, 1e-3);
  pair.owned.p.elastic = NULL;
  cr_assert_eq(solver_run(solver_find("auto"), &pair.owned.p, &settings, r, &arena, &report, &err),
               OK);
  cr_assert(report.converged && !report.deforms);
  arena_free(&arena);
  problem_free(&pair.owned);
}

// A block on points two and two of which lie in one place, whose gaps do not fit one another to the
// last digit: forces are not unique, and nothing may go into them from one step to the next.
Test(deformation, statuses_of_the_last_step_serve_where_forces_are_not_unique) {
  enum { N = 4 };
  static const double place[N] = {-1, -1, 1, 1}, soft = 1e-4;
  double w[4 * N * N], b[2 * N], mu[N], elastic[2 * N], r[2 * N] = {0};
  OwnedProblem owned;
  Arena arena = {0};
  Err err = {0};
  SolverReport report;
  SolverSettings settings = solver_defaults(solver_find("auto"));
  settings.measure = MEASURE_DEFORMATION;
  settings.tolerance = 1e-3;
  for (int i = 0; i < N; i++) {
    mu[i] = 0.5;
    b[2 * i] = -1.00001 + 1e-9 * (i % 2);
    b[2 * i + 1] = 0;
    r[2 * i] = 1 / (4 + 2 * soft * (1 + exp(-2))); // each a quarter of the last step's load
    for (int j = 0; j < N; j++) {
      double *block = w + 4 * N * i + 2 * j, gives = soft * exp(-fabs(place[i] - place[j]));
      block[0] = 1 + place[i] * place[j] + gives; // rows (N, T) of contact i
      block[1] = place[i];                        // turning about the middle, one above the ground
      block[2 * N] = place[j];
      block[2 * N + 1] = 2 + gives;
    }
    elastic[2 * i] = elastic[2 * i + 1] = soft;
  }
  make_dense(&owned, 2, N, w, b, mu);
  owned.p.elastic = elastic;
  cr_assert_eq(solver_run(solver_find("auto"), &owned.p, &settings, r, &arena, &report, &err), OK);
  cr_assert(report.converged);
  cr_assert_leq(report.iterations, 2); // a sweep, which may open all, and a step
  for (int i = 0; i < N; i++) cr_assert_float_eq(r[2 * i], 0.25, 1e-3);
  arena_free(&arena);
  problem_free(&owned);
}
