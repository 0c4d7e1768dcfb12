// step/step.h -- one time step, and the loop over them.
//
// The order of a step is that of docs/theory/nscd.md, section 6: drives, contact geometry, free
// velocity, friction problem, solve, correct, commit. A step of the run may be made of several
// sub-steps when it was cut; what is reported for it (reactions, energies) is the mean or sum over
// them.

#ifndef STEP_STEP_H
#define STEP_STEP_H

#include "base/log.h"
#include "solver/kept.h"
#include "step/stage.h"

enum { PHASE_DETECT, PHASE_FREE, PHASE_ASSEMBLE, PHASE_SOLVE, PHASE_UPDATE, N_PHASES };

typedef struct {
  int stage;     // of the step
  double h;      // of the whole step: what impulses are divided by to be forces [s]
  double dt;     // the time that passes in it; h but in statics of elastic bodies [s]
  double h_last; // of its last sub-step, whose local impulses StepWork holds [s]
  int n_contacts;
  SolverReport solver; // of the last sub-step; iterations are summed
  int cuts;
  int missed; // 1: some sub-step missed the tolerance
  int substeps;
  int newton;      // iterations of Newton's method, summed over the sub-steps
  double residual; // of Newton's method, relative, the worst
  double force;    // the largest term that it was compared with                       [N]
  double
      unbalanced; // statics of elastic bodies: what the last solution moved, over the strain energy
  double farthest;   // statics: the largest displacement of a component in the last solution  [m]
  int farthest_body; // whose it is
  int lost;          // joints that lost strength
  int settled;       // solutions that statics took, 0: dynamics
  Penetration penetration;
} StepReport;

// One iteration of Newton's method, for newton.csv.
typedef struct {
  double t, h;          // start and size of the sub-step
  int iteration;        // from 1
  double residual;      // relative, before the increment
  double contact_error; // judged error of the contacts
  double length;        // share of the increment that was taken
} NewtonRow;

// Scratch of a run: nothing in it is needed for a restart.
typedef struct {
  Arena arena;
  int64_t stage;  // the one that it is made for,
  StageView view; // and the model as that one sees it
  ContactWork *contact;
  struct NewtonWork *newton;
  int iterates;          // 0: all bodies are linear in a step
  double static_step;    // size of a sub-step of statics of elastic bodies; 0: dynamics [s]
  double tolerance;      // of the contact solver, as the input asks for it
  int release_static;    // 1: tools are let go in static steps
  int frozen;            // 1: joints keep their strength in this sub-step
  NewtonRow *newton_row; // [n_newton_rows] of the last step
  size_t newton_row_capacity;
  int n_newton_rows;
  double *impulse;         // [n_nodes * dim] contact impulses of the last step [N s]
  double *support;         // [n_nodes * dim] impulses of prescribed components [N s]
  double *gap;             // [contacts] measured at the end of the last step; in the arena
  double *reaction;        // [2 contacts] local impulses of the last sub-step; in the arena
  double *velocity;        // [2 contacts] local velocities after it; in the arena
  SolverKept kept;         // of the contact solver, from problem to problem
  DynamicsFactors factors; // of linear bodies, from step to step
  Problem problem;         // friction problem of the last sub-step; valid until the next step
  double phase[N_PHASES];  // seconds spent
  double clock;            // when the last of them ended
  StepReport report;
  StateCopy *before; // state before the step if it has sub-steps, in the arena; NULL: it has none

  // Asked between sub-steps and iterations, of contact solvers too: shall the step be given up?
  // NULL: never.
  int (*must_stop)(void *of);
  void *must_stop_of; // borrowed
} StepWork;

Status step_work_init(StepWork *work, const Model *model, const State *state, Err *err) MUST_CHECK;
void step_work_free(StepWork *work);

// Adds the time since the last call to a phase.
void step_phase(StepWork *work, int phase);

// The model as the last step saw it (before the first: as that one will): for what is written of
// it.
const Model *step_model(const StepWork *work);

// OK, or ERR_STOPPED where the caller wants to stop.
Status step_ask(const StepWork *work, Err *err) MUST_CHECK;

// Advances the state by one step of the run; where a stage is over the next one begins. ERR_STOPPED
// when must_stop says so, ERR_NUMERIC when the step failed even after the allowed cuts, or missed
// the tolerance under MISS_STOP; the state is then that before the step, and work->reaction,
// velocity and gap are NULL.
Status step_advance(const Model *model, State *state, StepWork *work, Log *log,
                    Err *err) MUST_CHECK;

// Does rest event k act after this step, of length dt? `values` are those of the history. Its
// passages are counted in the state, so that a restart knows them.
int step_rest_acts(const Model *model, State *state, int k, const double *values, double dt);

// Sets all velocities to zero (rest event); the kinetic energy goes to ENERGY_REMOVED.
void step_rest(const Model *model, State *state);

#endif
