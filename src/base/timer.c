#define _POSIX_C_SOURCE 200809L
#include "base/timer.h"

#include <time.h>

static double seconds(clockid_t id) {
  struct timespec now;
  clock_gettime(id, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double timer_wall(void) {
  return seconds(CLOCK_MONOTONIC);
}
double timer_cpu(void) {
  return seconds(CLOCK_PROCESS_CPUTIME_ID);
}
