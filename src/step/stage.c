#include "step/stage.h"

#include <math.h>
#include <string.h>

#include "step/step.h"

// Steps in a row that must be at rest.
enum { RESTING_STEPS = 2 };

const Stage *stage_current(const Model *model, const State *state) {
  return &model->stages[state->stage[STAGE_INDEX]];
}

// ---- its end ---------------------------------------------------------------------------------------

static int grows(const Stage *stage) {
  return stage->steps.h_max > stage->steps.h;
}

static double end_of(const Stage *stage, const State *state) {
  return stage->name ? state->stage_value[STAGE_START] + stage->duration : stage->steps.end;
}

static int is_late(const Stage *stage, const State *state) {
  if (grows(stage)) return state->t >= end_of(stage, state);
  return state->step - state->stage[STAGE_FIRST_STEP] >= stage->steps.n_steps;
}

static int is_at_rest(const Stage *stage, const State *state) {
  return stage->until_rest && state->stage[STAGE_CALM] >= RESTING_STEPS;
}

int stage_is_over(const Model *model, const State *state) {
  const Stage *stage = stage_current(model, state);
  return is_at_rest(stage, state) || is_late(stage, state);
}

int stage_run_is_over(const Model *model, const State *state) {
  return state->stage[STAGE_INDEX] + 1 >= model->n_stages && stage_is_over(model, state);
}

double stage_unrest(const State *state) {
  double to_lose = fmax(state->stage_value[STAGE_PEAK], state->stage_value[STAGE_ELASTIC]);
  return to_lose > 0 ? state->energy[ENERGY_KINETIC] / to_lose : 0;
}

Status stage_judge(const Model *model, const State *state, Err *err) {
  const Stage *stage = stage_current(model, state);
  if (!stage->until_rest || stage->may_miss || !is_late(stage, state) || is_at_rest(stage, state))
    return OK;
  return err_set(
      err, ERR_NUMERIC,
      "stage '%s' declared at %s:%d is not at rest after its %g s: kinetic energy %.2g J, "
      "%.2g of what there was to lose (rest_energy %.2g), fastest node %.2g m/s",
      stage->name, stage->src.file, stage->src.line, stage->duration, state->energy[ENERGY_KINETIC],
      stage_unrest(state), stage->rest_energy, state->stage_value[STAGE_FASTEST]);
}

// ---- its steps -------------------------------------------------------------------------------------

// Times are counted from the start, not summed, so that they do not drift.
void stage_next_step(const Model *model, const State *state, double *t1, double *h) {
  const Stage *stage = stage_current(model, state);
  const double start = state->stage_value[STAGE_START], end = end_of(stage, state);
  int64_t number = state->step - state->stage[STAGE_FIRST_STEP] + 1;
  *h = stage->steps.h;
  if (grows(stage)) {
    if (state->stage_value[STAGE_H] > 0) *h = state->stage_value[STAGE_H];
    *t1 = state->t + *h;
  } else {
    *t1 = start + (double)number * *h;
  }
  int last = grows(stage) ? *t1 > end - 1e-9 * *h : number == stage->steps.n_steps && *t1 > end;
  if (!last) return;
  *t1 = end;
  *h = end - state->t;
}

static double fastest_node(const BodySet *bs, const double *v) {
  double most = 0;
  for (int k = 0; k < bs->n_nodes; k++) {
    int body = bs->body_of[k];
    double square = 0;
    if (bs->kind[body] == BODY_SUPPORT) continue;
    for (int i = 0; i < bs->dim; i++) {
      if (bs->kind[body] == BODY_TOOL && !bs->tools[bs->own[body]].free[i]) continue;
      double own = v[(size_t)k * (size_t)bs->dim + (size_t)i];
      square += own * own;
    }
    most = fmax(most, square);
  }
  return sqrt(most);
}

int stage_watch(const Model *model, State *state, StageStep step) {
  const Stage *stage = stage_current(model, state);
  const StepSettings *steps = &stage->steps;
  double *value = state->stage_value, h = value[STAGE_H] > 0 ? value[STAGE_H] : steps->h;
  if (grows(stage)) {
    value[STAGE_H] = step.easy ? fmin(steps->h_max, h * steps->growth) : fmin(h, step.h_last);
    if (step.easy && state->h_next > 0) state->h_next = value[STAGE_H];
  }
  value[STAGE_PEAK] = fmax(value[STAGE_PEAK], state->energy[ENERGY_KINETIC]);
  if (stage->until_rest) {
    value[STAGE_FASTEST] = fastest_node(&model->bodies, state->bodies.v);
    value[STAGE_FORCE] = fmax(value[STAGE_FORCE], step.force);
  }
  int calm =
      stage_unrest(state) <= stage->rest_energy && value[STAGE_FASTEST] <= stage->rest_velocity;
  state->stage[STAGE_CALM] = calm ? state->stage[STAGE_CALM] + 1 : 0;
  return stage->until_rest && is_late(stage, state) && !is_at_rest(stage, state);
}

// ---- its start -------------------------------------------------------------------------------------

// A tool that goes takes its kinetic energy with it.
static void take_away(const Model *model, State *state, int body) {
  const BodySet *bs = &model->bodies;
  double *v = state->bodies.v, kinetic = 0;
  for (int node = bs->node_ptr[body]; node < bs->node_ptr[body + 1]; node++)
    for (int i = 0; i < bs->dim; i++) {
      size_t k = (size_t)node * (size_t)bs->dim + (size_t)i;
      int moves = bs->kind[body] == BODY_TOOL && bs->tools[bs->own[body]].free[i];
      if (moves) kinetic += 0.5 * bs->tools[bs->own[body]].mass * v[k] * v[k];
      v[k] = 0;
    }
  state->energy[ENERGY_REMOVED] += kinetic;
  state->energy[ENERGY_KINETIC] -= kinetic;
}

void stage_enter(const Model *model, State *state) {
  const uint8_t *before = stage_current(model, state)->removed;
  state->stage[STAGE_INDEX]++;
  const Stage *stage = stage_current(model, state);
  for (int b = 0; b < model->bodies.n_bodies; b++)
    if (stage->removed[b] && !before[b]) take_away(model, state, b);
  if (stage->from_rest) step_rest(model, state);
  state->stage[STAGE_FIRST_STEP] = state->step;
  state->stage[STAGE_CALM] = 0;
  memset(state->stage_value, 0, sizeof state->stage_value);
  state->stage_value[STAGE_START] = state->t;
  state->stage_value[STAGE_PEAK] = state->energy[ENERGY_KINETIC];
  state->stage_value[STAGE_ELASTIC] = state->energy[ENERGY_ELASTIC];
  state->h_next = 0;
  state->contact.search[0] = 0; // slots are found anew: other bodies may touch
  if (model->bodies.n_kept > 0) state->bodies.kept[0] = 0;
}

// ---- the model as it sees it -----------------------------------------------------------------------

static int any_removed(const Model *model, const Stage *stage) {
  for (int b = 0; b < model->bodies.n_bodies; b++)
    if (stage->removed[b]) return 1;
  return 0;
}

static Status view_prescribed(StageView *view, const Stage *stage, Err *err) {
  BodySet *bs = &view->model.bodies;
  MEM_NEW(view->finite, bs->n_finite, err);
  for (int k = 0; k < bs->n_finite; k++) {
    view->finite[k] = bs->finite[k];
    view->finite[k].fixed = stage->fixed[k];
  }
  bs->finite = view->finite;
  bs->prescribed = stage->prescribed;
  bs->n_prescribed = stage->n_prescribed;
  return OK;
}

// Removed bodies stand still and nothing touches them.
static Status view_removed(StageView *view, const Stage *stage, Err *err) {
  BodySet *bs = &view->model.bodies;
  const ContactModel *own = &view->model.contact;
  ContactModel *cm;
  bs->removed = stage->removed;
  MEM_NEW(view->motion, bs->n_bodies, err);
  MEM_NEW(view->tools, bs->n_tools, err);
  MEM_NEW(view->contact, 1, err);
  cm = view->contact;
  for (int b = 0; b < bs->n_bodies; b++)
    if (!stage->removed[b]) view->motion[b] = bs->motion[b]; // else constant: it stays
  for (int t = 0; t < bs->n_tools; t++) {
    view->tools[t] = bs->tools[t];
    if (stage->removed[bs->tools[t].body])
      memset(view->tools[t].free, 0, sizeof view->tools[t].free);
  }
  bs->motion = view->motion;
  bs->tools = view->tools;
  MEM_NEW(cm->rules, own->n_rules, err);
  for (int r = 0; r < own->n_rules; r++) {
    ContactRule *rule = &cm->rules[cm->n_rules++];
    *rule = own->rules[r];
    rule->candidate = rule->antagonist = NULL;
    MEM_NEW(rule->candidate, bs->n_bodies, err);
    MEM_NEW(rule->antagonist, bs->n_bodies, err);
    for (int b = 0; b < bs->n_bodies; b++) {
      rule->candidate[b] = own->rules[r].candidate[b] && !stage->removed[b];
      rule->antagonist[b] = own->rules[r].antagonist[b] && !stage->removed[b];
    }
  }
  TRY(contact_model_finish(cm, bs, own->alert, err));
  view->model.contact = *cm;
  return OK;
}

Status stage_view_init(StageView *view, const Model *model, const State *state, Err *err) {
  const Stage *stage = stage_current(model, state);
  *view = (StageView){.model = *model};
  view->model.steps = stage->steps;
  if (state->stage[STAGE_INDEX] > 0) TRY(view_prescribed(view, stage, err));
  return any_removed(model, stage) ? view_removed(view, stage, err) : OK;
}

void stage_view_free(StageView *view) {
  if (view->contact) contact_model_free(view->contact);
  mem_free(view->contact);
  mem_free(view->finite);
  mem_free(view->motion);
  mem_free(view->tools);
  *view = (StageView){0};
}
