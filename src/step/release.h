// step/release.h -- tools that go let go slowly.
//
// A sheet that its tools let go at once flies: its bottom is bent plastically by inertia alone, 3.5
// degrees of a U-bend. So where a stage begins that removes tools, what held each node of bodies at
// finite strains in balance becomes a load, and that goes to zero by a cubic, (1 - s)^3 over the
// first RELEASE_STEPS steps of the stage: in a ramp that is linear the last step has all of the
// friction and contact of what is left to find. These steps are static, theta 1, where nothing of
// the bodies is loose; then the stage goes on from rest as its settings say. Loads are of nodes, in
// the state: a restart within the release goes on with them.
//
// Static steps of it are no history: loads that keep their direction while walls turn by thirty
// degrees bend what no tool would bend (the bottom of a U-bend of aluminium, to 9e-4 of plastic
// strain). So each of them begins with the material as the tools left it, and only the last one,
// without loads, leaves its mark. What is loaded so may buckle where tools guided it: springs that
// go faster than the loads keep it near to where it was. Both only where all tools are gone: what
// others still form is history, and moves on.
//
// The forces that hold are those of the bodies themselves less what loads carry, not those of the
// contacts: so inertia that a draw had is let go with its tools, what is trimmed off too, and
// pressure across sheets.

#ifndef STEP_RELEASE_H
#define STEP_RELEASE_H

#include "step/step.h"

// 1: in static steps, for the model as a stage sees it.
int release_is_static(const Model *model);
// 1: the next step is one of a release.
int release_goes_on(const Model *model, const State *state);
// At the start of a stage, seen by `work`: the loads; velocities vanish. Nothing, where the stage
// removes nothing.
Status release_begin(const Model *model, State *state, StepWork *work, Err *err) MUST_CHECK;
// Settings of a step of it.
void release_settings(const StepWork *work, StepSettings *steps);
// 1: a static step of it that fails may be taken again with inertia, as all after it.
int release_may_move(const Model *model, const State *state, const StepWork *work);
void release_moves(State *state, StepWork *work);
// p += the loads at the end of a sub-step.                                                [N]
void release_add(const Model *model, const State *state, StepSize size, double *p);
// 1: the next step is a static one of a release that leaves no tool.
int release_frees(const Model *model, const State *state, const StepWork *work);
// Stiffness [n_nodes] by which a node is held to State.formed at the end of a sub-step, in the
// arena. [N/m]
Status release_springs(const Model *model, const State *state, StepSize size, double **stiffness,
                       Arena *arena, Err *err) MUST_CHECK;
// 1: the sub-step is no history of the material.
int release_passes(const Model *model, const State *state, const StepWork *work, StepSize size);

#endif
