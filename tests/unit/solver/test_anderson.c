#include "problems.h"

#include "solver/anderson.h"

TestSuite(anderson, .fini = expect_no_leak);

enum { N = 12 };

// g(x) = A x + c with a contraction A of slow rate; returns the steps until |g - x| is small.
static int steps_until_fixed(int memory, int most) {
  double a[N * N], c[N], x[N] = {0}, g[N];
  uint64_t state = 11;
  for (int k = 0; k < N * N; k++) a[k] = k % (N + 1) == 0 ? 0.97 - 0.02 * (k / N) : 0;
  for (int i = 0; i < N; i++)
    for (int j = 0; j < i; j++) a[i * N + j] = 0.05 * random_real(&state);
  for (int k = 0; k < N; k++) c[k] = random_real(&state);
  Arena arena = {0};
  Err err = {0};
  Anderson mix;
  cr_assert_eq(anderson_init(&mix, N, memory, &arena, &err), OK);
  int k = 0;
  for (; k < most; k++) {
    double far = 0;
    for (int i = 0; i < N; i++) {
      g[i] = c[i];
      for (int j = 0; j < N; j++) g[i] += a[i * N + j] * x[j];
      far = fmax(far, fabs(g[i] - x[i]));
    }
    if (far < 1e-9) break;
    anderson_step(&mix, x, g);
  }
  arena_free(&arena);
  return k;
}

Test(anderson, ends_a_linear_iteration_in_about_as_many_steps_as_unknowns) {
  cr_assert_leq(steps_until_fixed(N + 1, 1000), 2 * N);
}

Test(anderson, is_faster_with_memory_than_without) {
  cr_assert_leq(3 * steps_until_fixed(5, 2000), steps_until_fixed(1, 2000));
}
