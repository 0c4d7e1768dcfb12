// step/verdict.h -- what makes a run doubtful although each of its steps was solved.
//
// Every sub-step is judged before it becomes the state: energy that contact, friction or the scheme
// gave, penetration, the balance of energy. One that is doubtful is cut where it may be, else it is
// told and stays in the state as a verdict: how often, and where it was worst beside its limit. A
// run with a verdict ends with the status "doubtful" and exit code 5. What the input asks for by
// name is told only.
//
// To add a kind: one line here, one in verdict_types, and a call of verdict_judge.

#ifndef STEP_VERDICT_H
#define STEP_VERDICT_H

#include <stdint.h>

#include "base/log.h"
#include "contact/contact.h"

typedef enum {
  VERDICT_ENERGY_GIVEN, // in one sub-step, over what there was of energy and work
  VERDICT_GIVEN_TOTAL,  // in all such sub-steps, over the largest energy of the run
  VERDICT_FRICTION_NET, // friction in the mean velocity, over the largest energy; told only
  VERDICT_BALANCE,      // of energy, relative
  VERDICT_PENETRATION,  // [m]
  VERDICT_HIDDEN_NODES, // penetration of nodes between points that the input names [m]; told only
  VERDICT_TURN,         // of bodies of small strains [rad]; told only
  VERDICT_STEP_TURN,    // of bodies at finite strains, in one sub-step [rad]
  VERDICT_THINNING,     // of sheets, share of the thickness; told only
  VERDICT_NECK,         // of sheets, share by which tension has fallen while they thin
  VERDICT_FOLDS,        // elements of sheets that fold
  VERDICT_REACTION,     // of a free tool, share by which it departs from its load; told only
  VERDICT_SUNK,         // of a tool between nodes, share of the largest energy
  VERDICT_BOUNCE,       // share of its restitution that a contact did not have; told only
  N_VERDICTS
} VerdictKind;

typedef struct {
  const char *name; // in summary.json, and as the kind of the warning
  const char *unit;
  int told; // 1: told, once, and listed, but the run is not doubtful for it
} VerdictType;
extern const VerdictType verdict_types[N_VERDICTS];

// Limits of a run, from <verdicts>.
typedef struct {
  double energy;  // share of the step's energy and work that it may be given                [1]
  double balance; // error of the balance of energy                                          [1]
  double turn;    // of a body of small strains in all, of one of finite ones in a step    [rad]
  PenetrationLimits penetration;
  double thinning; // share of a sheet's thickness that may go                              [1]
  double neck;     // share by which its tension may fall while it thins                     [1]
  double folds;    // elements of sheets that may fold
  double reaction; // share of its load by which a free tool may press more or less          [1]
  double sinking;  // share of the largest energy that tools may take to sink in between nodes [1]
  double standing; // share of its size by which a body may move and still stand (outcome.h)  [1]
} VerdictLimits;
extern const VerdictLimits verdict_defaults;

// Slice of the state: for each kind how many sub-steps, the worst of them and the body it was in
// (-1: none of its own), its value and limit.
enum { VERDICT_COUNT, VERDICT_STEP, VERDICT_BODY, N_VERDICT_COUNTS };
enum { VERDICT_VALUE, VERDICT_LIMIT, N_VERDICT_VALUES };
typedef struct {
  int64_t count[N_VERDICTS][N_VERDICT_COUNTS];
  double value[N_VERDICTS][N_VERDICT_VALUES];
} VerdictState;

// Something beyond its limit in the sub-step at hand.
typedef struct {
  VerdictKind kind;
  int body; // -1: none
  double value, limit;
  char text[240]; // in the words of the user
} Doubt;

// Keeps it in the state and warns; `step` counts from 1.
void verdict_add(VerdictState *state, const Doubt *doubt, int64_t step, double t, Log *log);
int verdict_any(const VerdictState *state);

#endif
