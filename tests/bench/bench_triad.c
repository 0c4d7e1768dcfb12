// Memory bandwidth of this machine now: a[i] = b[i] + s c[i], in cache and out of it, best of five.
// The yardstick for sweeps, which are bound by memory. Prints two numbers in GB/s.

#include <stdio.h>

#include "base/mem.h"
#include "base/timer.h"

static double triad(size_t n, int repeats) {
  double *a = mem_new(n, sizeof *a), *b = mem_new(n, sizeof *b), *c = mem_new(n, sizeof *c);
  if (!a || !b || !c) return 0;
  double best = 0;
  for (int k = 0; k < 5; k++) {
    double start = timer_wall();
    for (int r = 0; r < repeats; r++) {
      double s = 1 + r;
#pragma omp simd
      for (size_t i = 0; i < n; i++) a[i] = b[i] + s * c[i];
      b[r % (int)n] = a[0]; // keeps the loop from being thrown away
    }
    double rate = 3.0 * 8 * (double)n * repeats / (timer_wall() - start) * 1e-9;
    if (rate > best) best = rate;
  }
  mem_free(a);
  mem_free(b);
  mem_free(c);
  return best;
}

int main(void) {
  printf("%.2f %.2f\n", triad(16000, 20000), triad(8000000, 10));
  return 0;
}
