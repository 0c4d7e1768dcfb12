#include "step/release.h"

#include <math.h>
#include <string.h>

#include "step/newton_internal.h"
#include "step/stage.h"

// Time from the start of the stage over that of the release.
static double share(const Model *model, const State *state, double t) {
  return (t - state->stage_value[STAGE_START]) / stage_current(model, state)->release;
}

int release_goes_on(const Model *model, const State *state) {
  const double over = 1 - 1e-9; // but for rounding
  return model->n_release > 0 && stage_current(model, state)->release > 0 &&
         share(model, state, state->t) < over;
}

// Bodies must be held without contact, and Newton's method do without inertia.
int release_is_static(const Model *model) {
  const BodySet *bs = &model->bodies;
  const NewtonSettings *newton = &model->steps.newton;
  int held = !bodies_any_linear(bs) && newton->contact != CONTACT_DIAGONAL &&
             newton_uses_factor(newton->matrix);
  for (int k = 0; k < bs->n_finite && held; k++) held = finite_loose(bs, k) == 0;
  return held;
}

Status release_begin(const Model *model, State *state, StepWork *work, Err *err) {
  const BodySet *bs = &model->bodies;
  NewtonWork *newton = work->newton;
  double *p, *hold = state->release;
  size_t n = (size_t)bs->n_nodes * (size_t)bs->dim;
  if (!newton_iterates(newton) || !release_goes_on(model, state)) return OK;
  FiniteSystem *system = &newton->system;
  FiniteIterate at = {.state = &state->bodies,
                      .size = {.t = state->t, .h = model->steps.h, .theta = 1},
                      .u = state->bodies.q,
                      .config = state->bodies.config,
                      .internal = newton->internal,
                      .pinch = newton->pinch}; // zero yet: nothing presses any more
  TRY(finite_forces(bs, system, &at, system->f1, 0, err));
  ARENA_NEW(p, n, &work->arena, err);
  TRY(loads_at(&model->loads, bs, state->t, state->t, 1, p, err));
  memset(hold, 0, n * sizeof *hold);
  for (int i = 0; i < system->n; i++) {
    int dof = system->dof[i];
    if (dof < 0 || system->fixed[i] || bs->type[system->body[i]]->given) continue;
    hold[dof] = system->f1[i] - p[dof];
  }
  step_rest(model, state);
  return OK;
}

void release_settings(const StepWork *work, StepSettings *steps) {
  steps->theta = 1;
  steps->newton.statics = steps->newton.statics || work->release_static;
}

void release_add(const Model *model, const State *state, StepSize size, double *p) {
  if (!release_goes_on(model, state)) return;
  double left = 1 - fmin(1, share(model, state, size.t + step_time(size)));
  double factor = left * left * left;
  size_t n = (size_t)model->bodies.n_nodes * (size_t)model->bodies.dim;
  for (size_t k = 0; k < n; k++) p[k] += factor * state->release[k];
}
