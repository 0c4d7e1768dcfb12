#include "problems.h"

#include "solver/momentum.h"

TestSuite(momentum, .fini = expect_no_leak);

enum { N = 40 };

// g(x) = x - d (x - c) with rates d from 1 down to `slowest`; steps until x is near c.
static int steps_until_fixed(double slowest, int with_momentum, int most) {
  double x[N] = {0}, g[N];
  Arena arena = {0};
  Momentum momentum;
  cr_assert_eq(momentum_init(&momentum, N, &arena, NULL), OK);
  momentum_start(&momentum, x);
  int k = 0;
  for (; k < most; k++) {
    double far = 0;
    for (int i = 0; i < N; i++) {
      double rate = pow(slowest, (double)i / (N - 1));
      g[i] = x[i] - rate * (x[i] - 1);
      far = fmax(far, fabs(x[i] - 1));
    }
    if (far < 1e-6) break;
    if (with_momentum)
      momentum_step(&momentum, x, g);
    else
      memcpy(x, g, sizeof x);
  }
  arena_free(&arena);
  return k;
}

Test(momentum, needs_about_the_square_root_of_the_steps) {
  int plain = steps_until_fixed(1e-4, 0, 1000000), fast = steps_until_fixed(1e-4, 1, 1000000);
  cr_assert_geq(plain, 100000);
  cr_assert_leq(fast, 3000);
}

Test(momentum, tells_the_relative_change_and_starts_without_inertia) {
  double x[N] = {0}, g[N] = {0};
  Arena arena = {0};
  Momentum momentum;
  cr_assert_eq(momentum_init(&momentum, N, &arena, NULL), OK);
  momentum_start(&momentum, x);
  cr_assert_eq(momentum_step(&momentum, x, g), 0);
  g[3] = 2;
  cr_assert_eq(momentum_step(&momentum, x, g), 1);
  arena_free(&arena);
}

// Each iteration turns a little: no minimisation, inertia alone spirals outwards for ever.
Test(momentum, never_runs_away) {
  double x[2] = {1, 0}, g[2], c = cos(0.3), s = sin(0.3);
  Arena arena = {0};
  Momentum momentum;
  cr_assert_eq(momentum_init(&momentum, 2, &arena, NULL), OK);
  momentum_start(&momentum, x);
  for (int k = 0; k < 2000; k++) {
    g[0] = 0.9 * (c * x[0] - s * x[1]);
    g[1] = 0.9 * (s * x[0] + c * x[1]);
    momentum_step(&momentum, x, g);
  }
  cr_assert_leq(fabs(x[0]) + fabs(x[1]), 10, "%g %g", x[0], x[1]);
  arena_free(&arena);
}
