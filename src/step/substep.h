// step/substep.h -- a sub-step between its solution and the state: what the files of this room
// share.
#ifndef STEP_SUBSTEP_H
#define STEP_SUBSTEP_H

#include "step/newton.h"

// Vectors of one sub-step, in the arena.
typedef struct {
  StepSize size;
  DynamicsMatrices matrices;
  uint8_t *turned;           // [n_bodies]
  const double *v_ahead;     // see ContactStep
  ContactBounce *bounce;     // restitution that contacts keep; NULL: all of it
  BodyState begin;           // bodies at its start, with velocities in the frames of the step
  double *p;                 // theta-mean loads [N]
  double *v_free, *v1, *q1;  // [m/s], [m/s], [m]
  double *impulse, *support; // of the contacts, of prescribed components [N s]
  const double *u0;          // contacts: velocities before,
  double *r, *u1;            // impulses, velocities after
  NewtonStep newton;         // its solution
  MissedNode missed;         // by contact, of tools
  // its end, as it is judged before it becomes the state
  BodyState after;
  double energy[N_ENERGIES]; // State.energy
  StepEnergy taken;          // work and dissipation of this sub-step
  ContactGiven given;
  double *gap; // of the contacts                                                       [m]
  Penetration penetration;
} SubStep;

ContactStep substep_contact(const Model *model, State *state, const StepWork *work,
                            const SubStep *sub);

// Solves it once more, with what of `sub` it is asked with: its size, what it looks ahead by, the
// restitution that its contacts keep.
Status substep_again(const Model *model, State *state, StepWork *work, SubStep *sub,
                     Err *err) MUST_CHECK;

// Relative imbalance of these energies [N_ENERGIES].
double energy_balance(const double *energy);

// ---- judge.c: what makes a sub-step doubtful, see verdict.h -------------------------------------

// 1: something that shorter steps may cure.
int judge_doubt(const Model *model, const State *state, const SubStep *sub, Doubt *doubt);
// 1: a body that has gone through a tool already, as deep as now: shorter steps cure nothing.
int judge_is_lost(const Model *model, const State *state, const MissedNode *missed);
// Tells what is doubtful in a sub-step that is accepted; it stays in the state.
void judge_substep(const Model *model, State *state, const SubStep *sub, Log *log);
// A node that leapt into a tool or through it, in a sub-step that is accepted all the same.
void judge_leap(const Model *model, State *state, const SubStep *sub, Log *log);
// The same of bodies of small strains that turn, from time to time; `last`: now.
void judge_turns(const Model *model, State *state, int last, Log *log);

// At the end of a stage: tools that have sunk into bodies between their nodes.
void judge_sunk(const Model *model, State *state, Log *log);

// ---- statics.c ----------------------------------------------------------------------------------

// From t to t + dt, both in balance.
Status statics_advance(const Model *model, State *state, StepWork *work, double t, double dt,
                       int depth, Log *log, Err *err) MUST_CHECK;
// What the last solution of statics still moved; while that is too much it is on the way, and no
// result.
double statics_moved(const State *state, const SubStep *sub);
int statics_on_the_way(const Model *model, const StepWork *work);
// Fewer iterations, for what is asked of the contact solver beyond the tolerance of the input.
int statics_iterations(int iterations);

// ---- bounce.c ----------------------------------------------------------------------------------

// A sub-step that is solved: where restitution gives energy, again with as much of it as gives
// none.
Status bounce_bound(const Model *model, State *state, StepWork *work, SubStep *sub,
                    Err *err) MUST_CHECK;

// ---- step.c -------------------------------------------------------------------------------------

// One try at the interval [t, t + h]; *again says that it is to be cut, else it was committed or
// the status tells why not.
Status substep_try(const Model *model, State *state, StepWork *work, StepSize size, int may_cut,
                   int *again, Log *log, Err *err) MUST_CHECK;
// The state at the start of the step is kept, so that the step can be taken back as a whole.
Status substep_keep_before(const Model *model, State *state, StepWork *work, Err *err) MUST_CHECK;
Status substep_count_cut(const Model *model, State *state, StepWork *work, Err *err) MUST_CHECK;

#endif
