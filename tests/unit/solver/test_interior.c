#include "problems.h"

#include "solver/interior.h"

TestSuite(interior, .fini = expect_no_leak);

enum { N = 12 };

// A random problem in the plane whose diagonal counts as elastic, with everything a law may ask for.
typedef struct {
  OwnedProblem owned;
  double elastic[2 * N], radius[N], s[2 * N], a[2 * N], mu[N];
} Sample;

typedef enum { PURE, COHESION, TENSION, PARALLEL, SMOOTH } Kind;

static void make_sample(Sample *sample, Kind kind, uint64_t seed) {
  uint64_t state = seed;
  make_random(&sample->owned, 2, N, 2 * N, 0.3, 0.4, 1, seed);
  Problem *p = &sample->owned.p;
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < 2; k++) {
      sample->elastic[2 * i + k] = p->diag[4 * i + 3 * k];
      sample->s[2 * i + k] = k == 0 ? 0.1 : 0;
      sample->a[2 * i + k] = 0.2 * (1 + random_real(&state));
    }
    sample->radius[i] = 0.05 + (kind == TENSION ? 0.1 : 0);
    sample->mu[i] = kind == SMOOTH && i % 2 ? 0 : p->mu[i];
  }
  p->elastic = sample->elastic;
  p->mu = sample->mu;
  if (kind == COHESION || kind == TENSION) p->radius = sample->radius;
  if (kind == TENSION) p->s = sample->s;
  if (kind == PARALLEL) p->a = sample->a;
}

// Interior points from `start` (NULL: from nothing), settled.
static double solve(const Problem *p, const double *start, double *r, int *iterations) {
  BlockLu lu;
  Interior in;
  Arena arena = {0};
  Err err = {0};
  SolverReport report = {0};
  double scale[N];
  cr_assert_eq(block_lu_init(&lu, p, &arena, &err), OK);
  cr_assert_eq(interior_init(&in, p, &lu, &arena, &err), OK);
  if (start)
    interior_start_warm(&in, start, 0.3, &report);
  else
    interior_start_cold(&in, &report);
  for (*iterations = 1; *iterations < 60; ++*iterations) {
    cr_assert_gt(interior_step(&in, &report), 0);
    if (interior_error(&in) < 1e-6 || in.gap < 1e-14) break; // the second: all is open
  }
  cr_assert(interior_settle(&in, r, &report));
  measure_scales(p, scale);
  arena_free(&arena);
  return measure_error(p, scale, r);
}

Test(interior, finds_a_solution_of_every_law) {
  for (Kind kind = PURE; kind <= SMOOTH; kind++)
    for (uint64_t seed = 1; seed <= 20; seed++) {
      Sample sample;
      double r[2 * N];
      int iterations;
      make_sample(&sample, kind, seed);
      double error = solve(&sample.owned.p, NULL, r, &iterations);
      cr_assert_lt(error, 1e-6, "kind %d, seed %d: %g", (int)kind, (int)seed, error);
      cr_assert_lt(iterations, 30);
      problem_free(&sample.owned);
    }
}

Test(interior, settled_contacts_tell_their_status) {
  int open = 0, slips = 0;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    Sample sample;
    double r[2 * N];
    int iterations;
    make_sample(&sample, PURE, seed);
    solve(&sample.owned.p, NULL, r, &iterations);
    for (int i = 0; i < N; i++) {
      open += r[2 * i] == 0 && r[2 * i + 1] == 0;
      slips += r[2 * i] > 0 && fabs(r[2 * i + 1]) == sample.mu[i] * r[2 * i];
      cr_assert(r[2 * i] >= 0);
    }
    problem_free(&sample.owned);
  }
  cr_assert(open > 10 && slips > 10, "%d open, %d slip", open, slips);
}

Test(interior, needs_less_from_a_solution_nearby) {
  int cold = 0, warm = 0;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    Sample sample;
    double r[2 * N], again[2 * N];
    int iterations;
    make_sample(&sample, COHESION, seed);
    solve(&sample.owned.p, NULL, r, &iterations);
    cold += iterations;
    for (int k = 0; k < 2 * N; k++) sample.owned.b[k] *= 1.001;
    cr_assert_lt(solve(&sample.owned.p, r, again, &iterations), 1e-6);
    warm += iterations;
    problem_free(&sample.owned);
  }
  cr_assert_lt(warm, cold, "warm %d, cold %d", warm, cold);
}
