#include "problems.h"

#include "solver/operator.h"
#include "solver/solver_table.h"
#include "solver/taking.h"

TestSuite(taking, .fini = expect_no_leak);

// A block on two elastic points that its own weight presses down and that a force wedges apart:
// both stick, nothing slides, and the work of friction is zero.
enum { N = 2, SIZE = 2 * N };
static const double STIFF = 1e-3, WEIGHT = 1, WEDGE = 0.2;

static void make_stuck(OwnedProblem *owned, double elastic[SIZE]) {
  double w[SIZE * SIZE] = {0}, b[SIZE], mu[N] = {0.5, 0.5};
  for (int i = 0; i < SIZE; i++) {
    for (int j = i % 2; j < SIZE; j += 2) w[SIZE * i + j] = 1;
    w[SIZE * i + i] += STIFF;
    elastic[i] = STIFF;
  }
  double exact[SIZE] = {WEIGHT, WEDGE, WEIGHT, -WEDGE};
  for (int i = 0; i < SIZE; i++) {
    b[i] = 0;
    for (int j = 0; j < SIZE; j++) b[i] -= w[SIZE * i + j] * exact[j];
  }
  make_dense(owned, 2, N, w, b, mu);
  owned->p.elastic = elastic;
}

typedef struct {
  double work, error, distance;
  int moved;
} Taken;

// What becomes of the solution with (part, sign x part) more friction.
static Taken restore(double part, double sign, double tolerance) {
  OwnedProblem owned;
  double elastic[SIZE];
  make_stuck(&owned, elastic);
  double r[SIZE] = {WEIGHT, WEDGE + part, WEIGHT, -WEDGE + sign * part};
  Deformation def;
  Arena arena = {0};
  Err err = {0};
  int64_t blocks = 0;
  Taken taken;
  cr_assert_eq(deformation_init(&def, &owned.p, &arena, &err), OK, "%s", err.text);
  double a = deformation_residual(&def, r, NULL, NULL, &blocks);
  cr_assert_eq(taking_restore(&def, r, a, tolerance, &taken.moved, &arena, &err), OK, "%s",
               err.text);
  taken.error = deformation_residual(&def, r, NULL, NULL, &blocks);
  taken.work = taking_work(&def, r);
  taken.distance = hypot(hypot(r[0] - WEIGHT, r[2] - WEIGHT), hypot(r[1] - WEDGE, r[3] + WEDGE));
  arena_free(&arena);
  problem_free(&owned);
  return taken;
}

// Elastic error dr = part (1, -1) of the wedge: u_T = STIFF dr, P = 2 STIFF (WEDGE + part) part >
// 0. Nothing but dr = 0 ends it.
Test(taking, error_that_feeds_goes_and_with_it_the_distance_to_the_solution) {
  const double parts[] = {1e-3, 1e-2, 3e-2};
  for (int k = 0; k < 3; k++) {
    Taken taken = restore(parts[k], -1, 1);
    cr_assert_eq(taken.moved, 1);
    cr_assert_leq(taken.work, 1e-16, "%g J are fed", taken.work);
    cr_assert_leq(taken.distance, 1e-9, "part %g: %g off", parts[k], taken.distance);
  }
}

Test(taking, error_that_takes_is_left_alone) {
  Taken taken = restore(-1e-2, -1, 1);
  cr_assert_eq(taken.moved, 0);
  cr_assert_lt(taken.work, 0);
  cr_assert_float_eq(taken.distance, 1e-2 * sqrt(2), 1e-15);
}

// The result is never worse than the tolerance allows and the residual was: here, soft rigid
// motions are wrong, P is second order and its gradient an elastic one.
Test(taking, result_stays_within_the_tolerance_or_is_not_touched) {
  for (double part = 1e-7; part < 1e-2; part *= 10) {
    Taken taken = restore(part, 1, 0);
    cr_assert(taken.moved == 0 || taken.work <= 1e-15, "%g", taken.work);
    if (!taken.moved) cr_assert_float_eq(taken.distance, part * sqrt(2), 1e-15);
  }
}

// Free velocities for which every contact sticks, well inside its cone: what friction does is error
// alone.
static void hold(OwnedProblem *owned, uint64_t seed) {
  Problem *p = &owned->p;
  double *b = mem_new(2 * (size_t)p->n, sizeof *b), *r = mem_new(2 * (size_t)p->n, sizeof *r);
  for (int i = 0; i < p->n; i++) {
    r[2 * i] = 1 + 0.3 * random_real(&seed);
    r[2 * i + 1] = 0.1 * random_real(&seed);
  }
  memset(owned->b, 0, 2 * (size_t)p->n * sizeof *b);
  for (int i = 0; i < p->n; i++) {
    operator_others(p, i, r, b + 2 * i);
    for (int k = 0; k < 4; k++) b[2 * i + k / 2] += p->diag[4 * i + k] * r[2 * i + k % 2];
  }
  for (int k = 0; k < 2 * p->n; k++) owned->b[k] = -b[k];
  mem_free(b);
  mem_free(r);
}

// Solvers that end at a loose tolerance do not let friction feed either: what they cannot mend is
// solved sharper.
Test(taking, solvers_return_impulses_that_take) {
  static const char *const names[] = {"auto", "nsgs"};
  for (int k = 0; k < 2; k++)
    for (uint64_t seed = 1; seed <= 20; seed++) {
      OwnedProblem owned;
      enum { MANY = 12 };
      double elastic[2 * MANY], r[2 * MANY] = {0}, work = 0, driven = 0;
      make_random(&owned, 2, MANY, 40, 1e-1, 0.5, 0, seed);
      hold(&owned, seed);
      for (int i = 0; i < 2 * MANY; i++) elastic[i] = 0.5 * owned.p.diag[4 * (i / 2) + 3 * (i % 2)];
      owned.p.elastic = elastic;
      const SolverType *type = solver_find(names[k]);
      SolverSettings settings = solver_defaults(type);
      settings.tolerance = 1e-2;
      settings.measure = MEASURE_DEFORMATION;
      SolverReport report;
      Arena arena = {0};
      Err err = {0};
      cr_assert_eq(solver_run(type, &owned.p, &settings, r, &arena, &report, &err), OK);
      for (int i = 0; i < MANY; i++) {
        double u[3];
        operator_others(&owned.p, i, r, u);
        for (int l = 0; l < 2; l++) u[1] += owned.p.diag[4 * i + 2 + l] * r[2 * i + l];
        work += r[2 * i + 1] * u[1];
        driven += fabs(r[2 * i + 1] * owned.p.b[2 * i + 1]);
      }
      cr_assert_eq(report.converged, 1);
      cr_assert_leq(report.deformation, settings.tolerance);
      cr_assert_leq(work, 1e-14 * driven, "%s, seed %d", names[k], (int)seed);
      arena_free(&arena);
      problem_free(&owned);
    }
}
