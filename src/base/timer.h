// base/timer.h -- clocks: seconds of wall time (monotonic) and of CPU time of the process.
#ifndef BASE_TIMER_H
#define BASE_TIMER_H

double timer_wall(void); // [s]
double timer_cpu(void);  // [s], all threads

#endif
