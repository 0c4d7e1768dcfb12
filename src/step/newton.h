// step/newton.h -- steps 3 to 6 of a step for bodies at finite strains: Newton-Raphson around
// contact.
//
// Jean 1999, sections 7.2 and 9.2. At the iterate v the residual without contact is
//
//     g(v) = M (v0 - v) - h V v_th - h [theta F(q1) + (1 - theta) F(q0)] + h P_th
//
// 1. forces, and the tangent where the choice of the matrix wants it; 2. stop when |g + H r| is
//    small
// and the contacts are solved; 3. v_free = v + w g; 4. contacts exactly, with W = H^T w H from the
// nodes in contact (`delassus`), or together with the bodies (`primal`); 5. v = v_free + w H r,
// shortened where an element would invert or the residual would grow. Bodies that are linear in a
// step follow the impulses at once; where there are no others the first pass is exact, and the
// last.

#ifndef STEP_NEWTON_H
#define STEP_NEWTON_H

#include "body/finite.h"
#include "step/step.h"

typedef struct NewtonWork NewtonWork;

// The scratch of a run; checks that the choice of the matrix is admissible at the step size.
Status newton_work_new(NewtonWork **work, const Model *model, const State *state,
                       Err *err) MUST_CHECK;
void newton_work_free(NewtonWork *work);
int newton_iterates(const NewtonWork *work); // 0: all bodies are linear in a step

// What is seen of sheets at the end of a sub-step.
typedef struct {
  FiniteWorst thinning, neck, fold; // share, share, angle [rad]
  int n_folds;                      // elements that fold
} SheetDoubts;

// One sub-step: everything here is borrowed or in the arena of the step.
typedef struct {
  const Model *model;
  State *state; // not changed but for what contacts keep
  StepWork *work;
  ContactStep contact;
  DynamicsMatrices *matrices; // of the prototypes; those of finite bodies are added
  uint8_t *turned;            // [n_bodies]
  const double *p;            // [n_nodes * dim] theta-mean loads [N]
  double *v_free;             // in: of linear bodies, supports, prescribed components
  double *v1, *q1;            // out
  double *impulse;            // out, of the contacts
  double *r;                  // out, local impulses
  SheetDoubts sheets;         // out, of newton_end
} NewtonStep;

// ERR_NUMERIC: no convergence, or an element inverts; the state is untouched.
Status newton_solve(NewtonStep *step, Err *err) MUST_CHECK;

// After newton_solve, nothing of the state is changed: `after` becomes the bodies as they are at
// the end, in the scratch of the step; energies of finite bodies and tools are added to the step's,
// impulses that hold prescribed components to `support`. Of `totals` [N_ENERGIES] it brings
// ENERGY_PLASTIC, ENERGY_FINITE, ENERGY_PRESSED and ENERGY_ROUNDING up to date.
Status newton_end(NewtonStep *step, BodyState *after, StepEnergy *energy, double *totals,
                  double *support, Err *err) MUST_CHECK;
// Tells of its sheets, and keeps what is doubtful in the state.
void newton_judge_sheets(const NewtonStep *step, Log *log);
// The sub-step was accepted: configurations, internal variables, rates of unknowns without mass.
void newton_commit(const NewtonStep *step, const BodyState *after);

#endif
