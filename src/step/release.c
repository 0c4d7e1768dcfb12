#include "step/release.h"

#include <math.h>
#include <string.h>

#include "step/newton_internal.h"
#include "step/stage.h"

// Time from the start of the stage over that of the release.
static double share(const Model *model, const State *state, double t) {
  return (t - state->stage_value[STAGE_START]) / stage_current(model, state)->release;
}

static const double OVER = 1 - 1e-9; // its end but for rounding

int release_goes_on(const Model *model, const State *state) {
  return model->n_release > 0 && stage_current(model, state)->release > 0 &&
         share(model, state, state->t) < OVER;
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

// Static steps are cut so often: loads that are smaller by an eighth of a step find a balance, or
// there is none near.
enum { RELEASE_CUTS = 3 };

void release_settings(const StepWork *work, StepSettings *steps) {
  steps->theta = 1;
  if (!work->release_static || steps->newton.statics) return;
  steps->newton.statics = 1;
  steps->max_cuts = steps->max_cuts < RELEASE_CUTS ? steps->max_cuts : RELEASE_CUTS;
  if (steps->h_min > 0) steps->h_min = fmax(steps->h_min, ldexp(steps->h, -RELEASE_CUTS));
}

int release_may_move(const Model *model, const State *state, const StepWork *work) {
  return release_goes_on(model, state) && work->release_static &&
         !stage_current(model, state)->steps.newton.statics;
}

void release_moves(State *state, StepWork *work) {
  state->stage_value[STAGE_MOVES] = 1;
  work->release_static = 0;
}

// Share of the loads that is left at the end of a sub-step.
static double left_after(const Model *model, const State *state, StepSize size) {
  double left = 1 - fmin(1, share(model, state, size.t + step_time(size)));
  return left > 1 - OVER ? left * left * left : 0;
}

void release_add(const Model *model, const State *state, StepSize size, double *p) {
  if (!release_goes_on(model, state)) return;
  double factor = left_after(model, state, size);
  size_t n = (size_t)model->bodies.n_nodes * (size_t)model->bodies.dim;
  for (size_t k = 0; k < n; k++) p[k] += factor * state->release[k];
}

// What is let go is held where it was by the mean of the loads, of nodes that have any, for so many
// of the longest edges that it moves. A flange that its tools no longer guide buckles under the
// friction that is left (one of aluminium 120 mm long under 1.6 N on 3 mm): from 1 to 1000 edges
// it is guided enough, and the end is the same.
static const double REACH = 10;

Status release_springs(const Model *model, const State *state, StepSize size, double **stiffness,
                       Arena *arena, Err *err) {
  const BodySet *bs = &model->bodies;
  double sum = 0, left = left_after(model, state, size);
  int n = 0;
  ARENA_NEW(*stiffness, bs->n_nodes, arena, err);
  for (int k = 0; k < bs->n_nodes; k++) {
    double square = 0;
    for (int i = 0; i < bs->dim; i++) {
      double load = state->release[(size_t)k * (size_t)bs->dim + (size_t)i];
      square += load * load;
    }
    (*stiffness)[k] = square > 0;
    sum += sqrt(square);
    n += square > 0;
  }
  if (n == 0) return OK;
  // What buckles wants as much as the square of what presses it; beyond that, the less there is of
  // it where a part moves far, the fewer iterations.
  double each = left * left * left * left * sum / n / (REACH * model->contact.skin.longest);
  for (int k = 0; k < bs->n_nodes; k++) (*stiffness)[k] *= each;
  return OK;
}

int release_frees(const Model *model, const State *state, const StepWork *work) {
  const BodySet *bs = &model->bodies;
  int left = 0;
  for (int t = 0; t < bs->n_tools; t++) left |= !bs->removed || !bs->removed[bs->tools[t].body];
  return !left && work->release_static && release_goes_on(model, state);
}

int release_passes(const Model *model, const State *state, const StepWork *work, StepSize size) {
  return release_frees(model, state, work) && left_after(model, state, size) > 0;
}
