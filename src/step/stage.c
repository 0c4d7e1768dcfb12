#include "step/stage.h"

#include <math.h>
#include <string.h>

#include "step/step.h"

// Steps in a row that must be at rest.
enum { RESTING_STEPS = 2 };
// Statics that begin in equilibrium find it at once, and once more with joints that may lose
// strength.
enum { STILL_SETTLED = 2 };

const Stage *stage_current(const Model *model, const State *state) {
  return &model->stages[state->stage[STAGE_INDEX]];
}

// ---- its end ------------------------------------------------------------------------------------

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

// Velocities go with the root of the energy: the error of the forces stays that share below.
static const double TIGHTEN_BELOW = 10, MOST_TIGHT = 0.1;

double stage_tightening(const Model *model, const State *state) {
  const Stage *stage = stage_current(model, state);
  // Statics tighten by themselves; before the first step of a stage nothing has moved.
  if (!stage->until_rest || stage->steps.newton.statics || !(state->stage_value[STAGE_PEAK] > 0))
    return 1;
  return fmax(MOST_TIGHT, fmin(1, TIGHTEN_BELOW * sqrt(stage_unrest(state))));
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

// ---- its steps ----------------------------------------------------------------------------------

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
    for (int i = 0; i < bs->dim; i++) {
      if (!bs->type[body]->moves(bs, body, i)) continue;
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
  if (grows(stage) && !step.releasing) {
    value[STAGE_H] = step.easy ? fmin(steps->h_max, h * steps->growth) : fmin(h, step.h_last);
    if (step.easy && state->h_next > 0) state->h_next = value[STAGE_H];
  }
  value[STAGE_PEAK] = fmax(value[STAGE_PEAK], fmax(state->energy[ENERGY_KINETIC], step.held));
  if (stage->until_rest) {
    value[STAGE_FASTEST] = fastest_node(&model->bodies, state->bodies.v);
    value[STAGE_FORCE] = fmax(value[STAGE_FORCE], step.force);
  }
  int calm =
      stage_unrest(state) <= stage->rest_energy && value[STAGE_FASTEST] <= stage->rest_velocity;
  if (step.settled > 0) calm = step.settled <= STILL_SETTLED; // nothing had to move
  if (step.releasing) calm = 0;
  calm = calm && !step.unsteady;
  state->stage[STAGE_CALM] = calm ? state->stage[STAGE_CALM] + 1 : 0;
  return stage->until_rest && is_late(stage, state) && !is_at_rest(stage, state);
}

// ---- its start ----------------------------------------------------------------------------------

// A tool that goes takes its kinetic energy with it.
static void take_away(const Model *model, State *state, int body) {
  const BodySet *bs = &model->bodies;
  double *v = state->bodies.v, kinetic = 0;
  for (int node = bs->node_ptr[body]; node < bs->node_ptr[body + 1]; node++)
    for (int i = 0; i < bs->dim; i++) {
      size_t k = (size_t)node * (size_t)bs->dim + (size_t)i;
      if (bs->type[body]->moves(bs, body, i))
        kinetic += 0.5 * bodies_node_mass(bs, node) * v[k] * v[k];
      v[k] = 0;
    }
  state->energy[ENERGY_REMOVED] += kinetic;
  state->energy[ENERGY_KINETIC] -= kinetic;
}

// Middle of an element where it is now, or was at the start.
static void middle_of(const BodySet *bs, const double *q, const Trim *trim, int elem, double x[3]) {
  int body = bs->finite[trim->finite].body, n = 0;
  const Mesh *mesh = bs->mesh[body];
  for (int i = 0; i < 3; i++) x[i] = 0;
  for (int k = mesh->elem_ptr[elem]; k < mesh->elem_ptr[elem + 1]; k++, n++)
    for (int i = 0; i < 3; i++) {
      size_t at = 3 * (size_t)(bs->node_ptr[body] + mesh->elem_node[k]) + (size_t)i;
      x[i] += bs->x[at] + (trim->reference ? 0 : q[at]);
    }
  for (int i = 0; i < 3; i++) x[i] /= n;
}

// Where the elements of a finite body begin in State.cut.
static int64_t first_cut(const BodySet *bs, int finite) {
  int64_t first = 0;
  for (int k = 0; k < finite; k++) first += bs->finite[k].form.n_elems;
  return first;
}

// Marks of State.cut while it is not yet known whether all trims can be made.
enum { CUT = 1, FRESHLY_CUT = 2 };

static Status mark_cut(const Model *model, State *state, const Trim *trim, Err *err) {
  const BodySet *bs = &model->bodies;
  const Form *form = &bs->finite[trim->finite].form;
  int32_t *cut = state->cut + first_cut(bs, trim->finite);
  int left = 0, fresh = 0;
  for (int e = 0; e < form->n_elems; e++) {
    double x[3];
    ShapeHit hit;
    middle_of(bs, state->bodies.q, trim, e, x);
    int found = trim->shape.type->nearest(&trim->shape, x, (double)INFINITY, &hit);
    if (!cut[e] && found && (hit.gap > 0) == trim->outside) cut[e] = FRESHLY_CUT;
    fresh += cut[e] == FRESHLY_CUT;
    left += !cut[e];
  }
  if (left > 0 && fresh > 0) return OK;
  return err_set(err, ERR_NUMERIC, "the trim declared at %s:%d cuts off %s of '%s'", trim->src.file,
                 trim->src.line, left > 0 ? "nothing" : "all",
                 bs->name[bs->finite[trim->finite].body]);
}

// All trims of a stage, or none.
static Status mark_trims(const Model *model, State *state, const Stage *stage, Err *err) {
  Status status = OK;
  for (int k = 0; k < stage->n_trims && status == OK; k++)
    status = mark_cut(model, state, &stage->trims[k], err);
  for (int64_t e = 0; e < model->n_cut; e++)
    if (state->cut[e] == FRESHLY_CUT) state->cut[e] = status == OK ? CUT : 0;
  return status;
}

int stage_has_formed(const Model *model, const State *state) {
  for (int k = 1; k <= (int)state->stage[STAGE_INDEX]; k++)
    for (int b = 0; b < model->bodies.n_bodies; b++)
      if (model->stages[k].removed[b] && !model->stages[k - 1].removed[b]) return 1;
  return 0;
}

Status stage_enter(const Model *model, State *state, Err *err) {
  const uint8_t *before = stage_current(model, state)->removed;
  TRY(mark_trims(model, state, stage_current(model, state) + 1, err));
  state->stage[STAGE_INDEX]++;
  const Stage *stage = stage_current(model, state);
  int goes = 0;
  for (int b = 0; b < model->bodies.n_bodies; b++) goes |= stage->removed[b] && !before[b];
  if ((goes || stage->release > 0) && model->n_release > 0)
    memcpy(state->formed, state->bodies.q, (size_t)model->n_release * sizeof *state->formed);
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
  return OK;
}

// Energies of an element that is in one view and not in the other.
static void account_element(const Form *form, int e, const FormPoint *point, double *energy) {
  FormOutput out;
  form->type->output(form, e, point, &out);
  energy[ENERGY_REMOVED] += out.stored + out.lost;
  energy[ENERGY_ELASTIC] -= out.stored;
  energy[ENERGY_FINITE] -= out.stored;
  energy[ENERGY_PRESSED] -= out.pressed;
  energy[ENERGY_PLASTIC] -= out.lost;
}

void stage_account(const Model *before, const Model *after, State *state) {
  const BodySet *bs = &before->bodies;
  FiniteIterate at = {.state = &state->bodies,
                      .u = state->bodies.q,
                      .config = state->bodies.config,
                      .internal = state->bodies.internal};
  for (int k = 0; k < bs->n_finite; k++) {
    const Form *old = &bs->finite[k].form, *new = &after->bodies.finite[k].form;
    int body = bs->finite[k].body;
    FormPoint point = finite_point(bs, k, &at);
    for (int e = 0; e < old->n_elems; e++)
      if (bodies_lacks(&after->bodies, body, e) && !bodies_lacks(bs, body, e))
        account_element(old, e, &point, state->energy);
    if (new->spec.cut != old->spec.cut &&new->type->rebase)
      new->type->rebase(new, old, &point, state->bodies.config + bs->finite[k].config);
    for (int i = 0; i < bs->dim * old->n_nodes; i++) {
      double *v = &state->bodies.v[(size_t)bs->node_ptr[body] * (size_t)bs->dim + (size_t)i];
      double mass = new->mass[i / bs->dim], lost = old->mass[i / bs->dim] - mass;
      double kinetic = 0.5 * lost * *v * *v;
      state->energy[ENERGY_REMOVED] += kinetic;
      state->energy[ENERGY_KINETIC] -= kinetic;
      if (!(mass > 0)) *v = 0;
    }
  }
}

// ---- the model as it sees it --------------------------------------------------------------------

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

static Status copy_points(const double *from, int n, double **to, Err *err) {
  MEM_NEW(*to, n, err);
  memcpy(*to, from, sizeof **to * (size_t)n);
  return OK;
}

// Beads of tools that are still there.
static Status view_beads(ContactModel *cm, const ContactModel *own, const Stage *stage, Err *err) {
  MEM_NEW(cm->beads, own->n_beads, err);
  for (int k = 0; k < own->n_beads; k++) {
    if (stage->removed[own->beads[k].tool]) continue;
    Bead *bead = &cm->beads[cm->n_beads++];
    *bead = own->beads[k];
    bead->place = bead->length = NULL;
    TRY(copy_points(own->beads[k].place, 3 * bead->n, &bead->place, err));
    TRY(copy_points(own->beads[k].length, bead->n, &bead->length, err));
  }
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
    if (!stage->removed[bs->tools[t].body]) continue;
    memset(view->tools[t].free, 0, sizeof view->tools[t].free);
    tool_finish(&view->tools[t], bs->dim);
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
  cm->tolerated = own->tolerated;
  TRY(view_beads(cm, own, stage, err));
  TRY(contact_model_finish(cm, bs, own->alert, err));
  view->model.contact = *cm;
  return OK;
}

// The form of what is left of a sheet; nodes without elements are held, they have no mass.
static Status view_cut_body(StageView *view, const State *state, int k, Err *err) {
  BodySet *bs = &view->model.bodies;
  FiniteBody *body = &view->finite[k];
  const Form *whole = &body->form;
  FormSpec spec = whole->spec;
  const char *type = whole->type->name;
  int n = whole->n_nodes * bs->dim;
  const uint8_t *common = body->fixed;
  const int32_t *marks = state->cut + first_cut(bs, k);
  uint8_t *cut = mem_new((size_t)whole->n_elems, 1), *fixed = mem_new((size_t)n, 1);
  view->cut_of[view->n_cut] = cut;
  view->cut_body[view->n_cut++] = k;
  for (int e = 0; cut && e < whole->n_elems; e++) cut[e] = (uint8_t)marks[e];
  spec.cut = cut;
  body->form = (Form){0}; // that of the whole stays in the model
  body->fixed = fixed;
  if (!cut || !fixed) return err_set(err, ERR_SYSTEM, "out of memory: what is left of a sheet");
  TRY(form_init(&body->form, type, &spec, err));
  for (int i = 0; i < n; i++)
    fixed[i] = (common && common[i]) || !(body->form.mass[i / bs->dim] > 0);
  return OK;
}

static Status view_cut(StageView *view, const State *state, Err *err) {
  const BodySet *bs = &view->model.bodies;
  MEM_NEW(view->cut_body, bs->n_finite, err);
  MEM_NEW(view->cut_of, bs->n_finite, err);
  for (int k = 0; k < bs->n_finite; k++) {
    const int32_t *marks = state->cut + first_cut(bs, k);
    int any = 0;
    for (int e = 0; e < bs->finite[k].form.n_elems; e++) any |= marks[e];
    if (any) TRY(view_cut_body(view, state, k, err));
  }
  return OK;
}

Status stage_view_init(StageView *view, const Model *model, const State *state, Err *err) {
  const Stage *stage = stage_current(model, state);
  *view = (StageView){.model = *model};
  view->model.steps = stage->steps;
  if (state->stage[STAGE_INDEX] > 0) TRY(view_prescribed(view, stage, err));
  if (model->n_cut > 0 && view->finite) TRY(view_cut(view, state, err));
  return view->n_cut > 0 || any_removed(model, stage) ? view_removed(view, stage, err) : OK;
}

void stage_view_free(StageView *view) {
  for (int k = 0; k < view->n_cut; k++) {
    FiniteBody *body = &view->finite[view->cut_body[k]];
    uint8_t *cut = view->cut_of[k];
    form_free(&body->form);
    mem_free(body->fixed);
    mem_free(cut);
  }
  mem_free(view->cut_body);
  mem_free((void *)view->cut_of);
  if (view->contact) contact_model_free(view->contact);
  mem_free(view->contact);
  mem_free(view->finite);
  mem_free(view->motion);
  mem_free(view->tools);
  *view = (StageView){0};
}
