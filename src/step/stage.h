// step/stage.h -- stages of a run: hold, draw, take the tools away, spring back to rest.
//
// Each stage has its step settings, what is prescribed in it, tools that are no longer there, and
// an end: a duration, or rest. The step loop does not know of stages: it works on the model as the
// stage sees it, a view of the model of the run in which these things are replaced. The view is a
// pure function of model and state, so that a restart makes the same one.
//
// Rest. With theta = 1 and steps that grow, each step is closer to a static one: what moves
// elastically loses its energy in a few tens of steps. A stage is at rest when the kinetic energy
// has been at most `rest_energy` times what there was to lose (the largest kinetic energy of the
// stage, and the elastic energy at its start) and no node faster than `rest_velocity`, over
// RESTING_STEPS steps: at a turning point of an oscillation all stands still for a moment. A body
// that is free to fly never comes to rest.

#ifndef STEP_STAGE_H
#define STEP_STAGE_H

#include "step/state.h"

// The stage of the next step, unless that one is over.
const Stage *stage_current(const Model *model, const State *state);
// 1: tools have gone; state->formed is what they left behind when the last ones began to.
int stage_has_formed(const Model *model, const State *state);
int stage_is_over(const Model *model, const State *state);
int stage_run_is_over(const Model *model, const State *state); // the last stage is
// ERR_NUMERIC if the current stage is over, without the rest that it must end with.
Status stage_judge(const Model *model, const State *state, Err *err) MUST_CHECK;
// Kinetic energy over what there was to lose.
double stage_unrest(const State *state);

// Where a stage is to come to rest, forces that are wrong by a share of themselves keep what they
// hold in motion: the tolerance of the contact solver falls with the motion that is left. The
// factor on it, at most 1.
double stage_tightening(const Model *model, const State *state);

// End and size of the next step of the current stage.
void stage_next_step(const Model *model, const State *state, double *t1, double *h);
// After a step was accepted: is there rest, may steps grow? Returns 1 if the stage ends without
// rest.
typedef struct {
  double h_last; // size of the last sub-step                                          [s]
  int easy;      // it was not cut, and Newton's method needed few iterations
  double force;  // largest force of the residual                                      [N]
  double held;   // of rigid bodies: what they would have gained without contact         [J]
  int releasing; // it let tools go: steps stay as they are, and nothing is at rest yet
  int settled;   // solutions that statics of elastic bodies took, 0: dynamics
  int unsteady;  // 1: loads or supports will still change in the stage
} StageStep;
int stage_watch(const Model *model, State *state, StageStep step);

// The next stage begins: velocities of what is removed, or all of them, vanish; its trims mark
// elements. ERR_NUMERIC: a trim finds nothing, or would leave nothing of its sheet; the state is
// untouched.
Status stage_enter(const Model *model, State *state, Err *err) MUST_CHECK;
// What was cut off between two views takes its mass and energy with it.
void stage_account(const Model *before, const Model *after, State *state);

// The model as the current stage sees it.
typedef struct {
  Model model;        // shallow; what it owns stands below
  FiniteBody *finite; // [n_finite] with the flags of this stage, and forms of what is left of them
  int n_cut;        // of these bodies have lost elements: form, its `cut` and flags are owned here
  int *cut_body;    // [n_cut] index of the body
  uint8_t **cut_of; // [n_cut] FormSpec.cut
  SupportMotion *motion;
  Tool *tools;
  ContactModel *contact; // without the removed bodies; NULL: that of the run
} StageView;

Status stage_view_init(StageView *view, const Model *model, const State *state,
                       Err *err) MUST_CHECK;
void stage_view_free(StageView *view);

#endif
