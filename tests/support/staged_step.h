// support/staged_step.h -- the first stages of a step (docs/theory/nscd.md, section 6, steps 1 to
// 4) one by one, so that tests can look at Delassus blocks and problems that a whole step would
// hide.

#ifndef SUPPORT_STAGED_STEP_H
#define SUPPORT_STAGED_STEP_H

#include "run_case.h"

typedef struct {
  CaseRun *run;
  ContactStep step;
  DynamicsMatrices matrices;
  uint8_t *turned;    // [n_bodies]
  double *v_free, *r; // [n_nodes * 2], [2 contacts]
  Problem problem;
  Arena arena;
} StagedStep;

// What functions of contact are asked with, at the present state of `run`.
ContactStep staged_contact_step(CaseRun *run, double h);

// Matrices, frames, contacts, blocks of W and free velocity of a step of size h from the present
// state of `run`.
void staged_step_begin(StagedStep *staged, CaseRun *run, double h);
// The friction problem of that step.
void staged_step_problem(StagedStep *staged);
void staged_step_end(StagedStep *staged);

// Numbers in [-1, 1[ that are the same on every machine.
double test_random(unsigned *seed);

#endif
