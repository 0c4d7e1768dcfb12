#include <criterion/criterion.h>

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

Test(timer, cpu_time_passes_with_work_and_never_faster_than_one_thread_can) {
  double wall = timer_wall(), cpu = timer_cpu();
  volatile double sum = 0;
  while (timer_cpu() - cpu < 0.01)
    for (int k = 1; k < 10000; k++) sum = sum + 1.0 / k;
  cr_assert_gt(sum, 0);
  // The clocks differ by at most their resolution.
  cr_assert_geq(timer_wall() - wall, 0.009);
}
