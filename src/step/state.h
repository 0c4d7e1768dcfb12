// step/state.h -- what a step changes, all of it, and what a checkpoint holds.
#ifndef STEP_STATE_H
#define STEP_STATE_H

#include "step/model.h"

// Sums since the start of the run [J], docs/theory/nscd.md, section 5; the last step's kinetic and
// elastic energy.
enum {
  ENERGY_KINETIC,
  ENERGY_ELASTIC,
  ENERGY_EXTERNAL,
  ENERGY_CONTACT_NORMAL,
  ENERGY_FRICTION,
  ENERGY_DAMPING,
  ENERGY_NUMERICAL,
  ENERGY_PLASTIC, // dissipated in finite bodies: plastic, viscous, damage
  ENERGY_INITIAL, // kinetic + elastic at the start
  // taken out by rest events, with removed tools and cut off parts (what they dissipated too)
  ENERGY_REMOVED,
  ENERGY_FINITE, // elastic energy of finite bodies, part of ENERGY_ELASTIC
  // sum of the steps in which friction gave energy at the velocities of its law
  ENERGY_FRICTION_FED,
  ENERGY_FRICTION_STUCK, // part of ENERGY_FRICTION where contacts stick: error of the impulses
  ENERGY_PRESSED,        // work of pressure across sheets, part of ENERGY_CONTACT_NORMAL
  ENERGY_ROUNDING,       // bound on the work of what rounding leaves of the forces of finite bodies
  // largest magnitude any of the sums has had, or what makes that work count for nothing
  ENERGY_LARGEST,
  N_ENERGIES
};

// Running counts and worst values for the summary; part of the state so that a restarted run tells
// the same as one that was not interrupted.
enum {
  STAT_STEPS,
  STAT_NOT_CONVERGED,
  STAT_CUTS,
  STAT_CONDITION_33,
  STAT_CONTACTS_SUM,
  STAT_CONTACTS_MAX,
  STAT_ITERATIONS_SUM,
  STAT_ITERATIONS_MAX,
  STAT_SUBSTEPS,
  STAT_BLOCKS,
  STAT_SEARCHES,
  STAT_NO_LOCAL_SOLUTION,
  STAT_NEWTON_SUM,
  STAT_NEWTON_MAX,
  STAT_NEWTON_ROWS, // iterations written to newton.csv, those of failed sub-steps too
  STAT_DEFORMING,   // sub-steps whose error in the energy of deformation is known
  STAT_RIGID,       // of those judged by it, sub-steps with contacts of parts that are rigid
  STAT_JUDGED,      // sub-steps whose errors count: all but those of statics on the way
  STAT_BROKEN,      // joints that have lost all their strength
  STAT_NOT_AT_REST, // stages that should have ended at rest and did not
  N_COUNTS
};
enum {
  WORST_ERROR,
  SUM_ERROR,
  WORST_DEFORMATION,
  SUM_DEFORMATION,
  WORST_RIGID, // scaled error of parts that are rigid beside others
  // Of the sub-step with the worst one, the contact that has most of it: its bodies, place and step
  // (0: none).
  WORST_CONTACT_BODY,
  WORST_CONTACT_OTHER,
  WORST_CONTACT_PLACE,
  WORST_CONTACT_STEP = WORST_CONTACT_PLACE + 3,
  WORST_PENETRATION_CONTACTS,
  WORST_PENETRATION_NODES,
  WORST_BALANCE,
  SUM_GIVEN, // energy given in sub-steps beyond their limit [J]
  SUM_SUNK,  // time integral of SunkWorst.work [J s], and the deepest of them
  WORST_SUNK_DEPTH,
  WORST_SUNK_BODY,
  WORST_SUNK_TOOL,
  N_WORSTS
};

// Where in its stages the run is.
enum { STAGE_INDEX, STAGE_FIRST_STEP, STAGE_CALM, N_STAGE_COUNTS };
// Time of its start [s], size of the next step where steps grow [s], kinetic energy at its largest
// and elastic energy at its start [J], largest velocity of a node after the last step [m/s]; where
// it is to come to rest, the largest force of Newton's residual, beside which those at rest are
// round-off [N]; 1 once what tools let go had no balance in static steps and moves.
enum {
  STAGE_START,
  STAGE_H,
  STAGE_PEAK,
  STAGE_ELASTIC,
  STAGE_FASTEST,
  STAGE_FORCE,
  STAGE_MOVES,
  N_STAGE_VALUES
};

typedef struct {
  int64_t step;  // steps done
  double t;      // [s]
  double h_next; // size of the next adaptive sub-step, 0: that of the step [s]
  int32_t *cut;  // [n_cut] 1: the element was cut off; of all finite bodies one after the other
  int64_t stage[N_STAGE_COUNTS];
  double stage_value[N_STAGE_VALUES];
  BodyState bodies;
  ContactState contact;
  double energy[N_ENERGIES];
  int64_t count[N_COUNTS];
  double worst[N_WORSTS];
  VerdictState verdict;
  double *release;        // [n_release] forces that are let go, at the start of the stage [N]
  double *formed;         // [n_release] displacements when a release began last, zero before  [m]
  int32_t *touched;       // [n_bodies] 1: a contact of the body has carried a force
  int32_t *rest_passages; // [n_rests] passages counted so far
  double *rest_last;      // [n_rests] quantity at the last step
} State;

Status state_init(State *state, const Model *model, Err *err) MUST_CHECK;
void state_free(State *state);

// All arrays of the state; the list is the caller's, also on failure: field_list_free. It must be
// made anew, over the old one, after a field has been resized.
Status state_fields(State *state, const Model *model, FieldList *fields, Err *err) MUST_CHECK;
uint64_t state_hash(State *state, const Model *model);

// 1: the body may touch others, was there in some stage, and no contact of it has carried a force
// so far.
int state_is_untouched(const State *state, const Model *model, int body);

// A copy of all arrays, in the arena; taken back, the state is what it was, whatever sizes have
// changed.
typedef struct {
  int n;
  Field *field; // [n] as they were
  void **data;
} StateCopy;

Status state_copy(StateCopy *copy, State *state, const Model *model, Arena *arena,
                  Err *err) MUST_CHECK;
Status state_take_back(const StateCopy *copy, State *state, const Model *model,
                       Err *err) MUST_CHECK;

#endif
