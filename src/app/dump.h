// app/dump.h -- voussoir run --dump-problems WHEN: friction problems of chosen steps as FCLIB
// files.
//
// WHEN is "missed" (steps that missed the tolerance), "hard" or "hard:N" (the N steps, 5 by
// default, that needed most iterations), or step numbers separated by commas. Files are
// problem_NNNNNN.hdf5 in the output folder, with the solution found; `voussoir solve` reads them.

#ifndef APP_DUMP_H
#define APP_DUMP_H

#include "step/step.h"

enum { DUMP_MAX = 64 };

typedef struct {
  int active, missed, n_hard; // n_hard: how many of the hardest to keep
  int n_steps;
  int64_t step[DUMP_MAX]; // steps asked for by number
  int n_kept;
  int64_t kept[DUMP_MAX];   // hardest steps so far,
  int iterations[DUMP_MAX]; // and what they needed
} Dump;

Status dump_parse(Dump *dump, const char *when, Err *err) MUST_CHECK; // NULL: nothing is dumped

// After a finished step: writes its problem where that was asked for. What joints have beside
// friction (tension, cohesion, cohesive zones) stands beside what the format knows. Contacts that
// were solved with the bodies have no such problem: warned of once.
Status dump_step(Dump *dump, const State *state, const StepWork *work, const char *dir, Log *log,
                 Err *err) MUST_CHECK;

#endif
