// step/trial.h -- what is wrong with a sub-step before it is accepted, in the words of the user.
#ifndef STEP_TRIAL_H
#define STEP_TRIAL_H

#include "step/step.h"

// A sub-step as it was solved, or not; all borrowed.
typedef struct {
  const Model *model;
  const State *state; // at its start
  StepWork *work;
  ContactStep contact;
  const double *v_free, *q1, *v1; // [n_nodes * dim]
  const double *r;                // local impulses, NULL: none were found
} StepTrial;

// A problem without a solution that looks solved: ERR_NUMERIC names two tools that leave a sheet
// too little room. Multipliers grow until errors are small against them, but gaps stay violated.
Status trial_check(const StepTrial *trial, Err *err) MUST_CHECK;
// ERR_NUMERIC: a node leaps into a tool that was not foreseen, or through it (contact_missed); says
// where and how far.
Status trial_leaps(const StepTrial *trial, const MissedNode *missed, Err *err) MUST_CHECK;
// Adds to the error of a failed sub-step what is known of its contacts.
void trial_explain(const StepTrial *trial, Err *err);

#endif
