// step/outcome.h -- what has become of a structure: it stands, slides or falls.
//
// Asked of a state, at the end of a run, where loads act on bodies that contact alone holds. Each
// of them is looked at from that support beside which it has moved least, and from where the model
// stood at the start, so that a shaken or tilted ground is no motion of what stands on it. It still
// stands as long as its centre has moved by no more than a share of its size (the edge of the cube
// or square of its volume) and it has turned by no more than that many radians. Of those that have
// moved farther, one that has tilted, or come down along its load by more than it went aside,
// falls; any other slides.
#ifndef STEP_OUTCOME_H
#define STEP_OUTCOME_H

#include "step/state.h"

typedef enum { OUTCOME_NONE, OUTCOME_STANDS, OUTCOME_SLIDES, OUTCOME_FALLS } OutcomeKind;
extern const char *const outcome_names[]; // by kind; NULL: there is nothing to stand

typedef struct {
  OutcomeKind kind;
  int at_rest; // kinetic energy is at most rest_energy of the stage, 1e-6 without stages
  int n_moved; // bodies that do not stand
  int n_falls; // of these, that fall
  // Which has moved farthest of its size or turned most, and how far [m], [rad].
  int body;
  double displacement, turn;
  // The same of those that are what the whole is: of what falls beside much that slides.
  int told;
  double told_displacement, told_turn;
  int fastest;  // beside that support
  double speed; // of its centre [m/s]
} Outcome;

// ERR_NUMERIC, ERR_INPUT: a load has no value at that time.
Status outcome_judge(const Model *model, const State *state, Outcome *outcome, Err *err) MUST_CHECK;

#endif
