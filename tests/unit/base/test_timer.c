#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>
#include <time.h>

#include "base/timer.h"

Test(timer, neither_clock_runs_backwards) {
  double wall = timer_wall(), cpu = timer_cpu();
  for (int k = 0; k < 1000; k++) {
    double wall_now = timer_wall(), cpu_now = timer_cpu();
    cr_assert_geq(wall_now, wall);
    cr_assert_geq(cpu_now, cpu);
    wall = wall_now;
    cpu = cpu_now;
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

Test(timer, wall_is_the_time_of_the_system) {
  for (int k = 0; k < 1000; k++) { // whatever fraction of a second it is
    double before = now(), wall = timer_wall(), after = now();
    cr_assert(before <= wall && wall <= after, "%.9f, not between %.9f and %.9f", wall, before,
              after);
  }
}

// The CPU clock counts all threads, those of BLAS too: it may run faster than the wall clock.
Test(timer, cpu_time_passes_with_work) {
  double wall = timer_wall(), cpu = timer_cpu();
  volatile double sum = 0;
  while (timer_cpu() - cpu < 0.01 && timer_wall() - wall < 30)
    for (int k = 1; k < 10000; k++) sum = sum + 1.0 / k;
  cr_assert_geq(timer_cpu() - cpu, 0.01);
  cr_assert_gt(timer_wall(), wall);
}
