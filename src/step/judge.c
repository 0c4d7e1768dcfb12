// What makes a sub-step doubtful: energy that is given, penetration, the balance of energy,
// turning.

#include <math.h>
#include <stdio.h>

#include "base/sum.h"
#include "base/vec3.h"
#include "step/substep.h"

// What a sub-step gives counts by itself beyond this share of the largest energy that the run has
// seen. Less is the error of the contact solver and gaps that it left, beside the little that moves
// in a structure at rest: such are summed up, and count when together they are as much as the
// balance of energy may be open.
static const double GIVEN_FLOOR = 1e-3;

// What the scheme gave: not what it gives back. The explicit choice keeps an energy of its own,
// which differs from that of the bodies by (h omega / 2)^2 and h omega < 1.
static double given_by_scheme(const Model *model, const State *state, const SubStep *sub) {
  const double *after = sub->energy;
  double given = state->energy[ENERGY_NUMERICAL] - after[ENERGY_NUMERICAL];
  double own = model->steps.newton.matrix == NEWTON_EXPLICIT
                   ? 0.25 * (after[ENERGY_KINETIC] + after[ENERGY_ELASTIC])
                   : 0;
  return fmin(given, -after[ENERGY_NUMERICAL] - own);
}

// Largest energy that normal contact, friction or the scheme gave to the bodies, over the energy
// and work of the sub-step: 0 where that is within the limit.
static double energy_given(const Model *model, const State *state, const SubStep *sub,
                           double *scale, const char **by) {
  const double *before = state->energy, *after = sub->energy;
  // Friction at the velocities of its law: impulses that obey it never give there, and may in the
  // mean velocity of the step (contact.h), which is no error of this sub-step.
  const double given[] = {sub->given.normal + after[ENERGY_PRESSED] - before[ENERGY_PRESSED],
                          sub->given.law_friction, given_by_scheme(model, state, sub)};
  static const char *const who[] = {"normal contact", "friction", "the scheme"};
  int most = 0;
  *scale = fmax(before[ENERGY_KINETIC], after[ENERGY_KINETIC]) +
           fabs(after[ENERGY_ELASTIC] - before[ENERGY_ELASTIC]) +
           fabs(after[ENERGY_EXTERNAL] - before[ENERGY_EXTERNAL]);
  for (int k = 1; k < 3; k++)
    if (given[k] > given[most]) most = k;
  *by = who[most];
  // Sub-steps of statics are no motion: they close gaps that the last one left.
  if (sub->size.statics) return 0;
  return given[most] > model->limits.energy * *scale ? given[most] : 0;
}

// Work of all loads on bodies over as much as they may lie in one another at the start: what
// contact gives where it pushes them out. Stiff bodies that stand have next to no other energy.
typedef struct {
  const BodySet *bs;
  const double *p;
} Pressed;

static void pressing_terms(const void *of, int64_t first, int64_t last, double *sum) {
  const Pressed *pressed = of;
  const BodySet *bs = pressed->bs;
  for (int b = (int)first; b < last; b++) {
    double load[3] = {0};
    if (bs->type[b]->given) continue;
    for (int k = bs->node_ptr[b] * bs->dim; k < bs->node_ptr[b + 1] * bs->dim; k++)
      load[k % bs->dim] += pressed->p[k];
    sum[0] += vec3_length(load);
  }
}

static double work_of_pressing(const Model *model, const SubStep *sub) {
  const Pressed pressed = {&model->bodies, sub->p};
  double sum;
  sum_over(model->bodies.n_bodies, 1, pressing_terms, &pressed, &sum);
  return sum * contact_overlap_allowed(&model->contact);
}

// Do bodies keep next to nothing as motion?
static int is_at_rest(const SubStep *sub) {
  return sub->energy[ENERGY_KINETIC] <= GIVEN_FLOOR * sub->energy[ENERGY_LARGEST];
}

// In a structure at rest what is given lifts it against its load, by what the tolerance of contact
// left in the step before or leaves to the next: it is held against the load, as the sum of it is.
// The largest energy of stiff bodies under a load that grows slowly is little beside that.
static int doubt_energy(const Model *model, const State *state, const SubStep *sub, Doubt *doubt) {
  const char *by;
  double scale, given = energy_given(model, state, sub, &scale, &by);
  double limit = model->limits.energy;
  if (given <= GIVEN_FLOOR * sub->energy[ENERGY_LARGEST]) return 0;
  if (is_at_rest(sub) && given <= GIVEN_FLOOR * work_of_pressing(model, sub)) return 0;
  *doubt = (Doubt){.kind = VERDICT_ENERGY_GIVEN,
                   .body = -1,
                   .value = scale > 0 ? given / scale : (double)INFINITY,
                   .limit = limit};
  snprintf(doubt->text, sizeof doubt->text,
           "%s gave %.3g J to the bodies, %.2g of the energy and work of the step (limit %.2g)", by,
           given, doubt->value, limit);
  return 1;
}

// In a structure at rest contact lets in and pushes out by turns what the solver leaves within its
// tolerance, and the scheme takes what is over: energy that bodies do not keep. What friction takes
// does not count, as what slides goes on sliding for it.
static double taken_again(const State *state, const SubStep *sub) {
  const double *before = state->energy, *after = sub->energy;
  if (!is_at_rest(sub)) return 0;
  return fmax(0, -sub->given.normal) + fmax(0, after[ENERGY_NUMERICAL] - before[ENERGY_NUMERICAL]);
}

// What is given in sub-steps too small to count: together.
static int doubt_sum_given(const Model *model, State *state, const SubStep *sub, Doubt *doubt) {
  const char *by;
  double scale, given = energy_given(model, state, sub, &scale, &by);
  double *sum = &state->worst[SUM_GIVEN], largest = sub->energy[ENERGY_LARGEST];
  *sum = fmax(0, *sum + given - taken_again(state, sub));
  if (given == 0 || *sum <= model->limits.balance * largest) return 0;
  largest = fmax(largest, work_of_pressing(model, sub));
  if (*sum <= model->limits.balance * largest) return 0;
  *doubt = (Doubt){.kind = VERDICT_GIVEN_TOTAL,
                   .body = -1,
                   .value = *sum / largest,
                   .limit = model->limits.balance};
  snprintf(doubt->text, sizeof doubt->text,
           "contact, friction or the scheme gave %.3g J in all, %.2g of the largest energy (limit "
           "%.2g), now %s",
           *sum, doubt->value, doubt->limit, by);
  return 1;
}

// More from friction in all, in the mean velocity, than it took: what the scheme makes of motion
// that turns back within steps.
static int doubt_friction(const Model *model, const SubStep *sub, Doubt *doubt) {
  double net = sub->energy[ENERGY_FRICTION], largest = sub->energy[ENERGY_LARGEST];
  double limit = model->limits.balance;
  if (sub->size.statics || !(net > limit * largest)) return 0;
  *doubt =
      (Doubt){.kind = VERDICT_FRICTION_NET, .body = -1, .value = net / largest, .limit = limit};
  snprintf(
      doubt->text, sizeof doubt->text,
      "friction has given %.3g J in all in the mean velocities of steps at theta = %g, %.2g of "
      "the largest energy (limit %.2g): contacts turn back within steps",
      net, sub->size.theta, doubt->value, limit);
  return 1;
}

// Bodies that had less of their restitution than the input says, lest it gave them energy.
static int doubt_bounce(const Model *model, const SubStep *sub, Doubt *doubt) {
  const ContactBounce *bounce = sub->bounce;
  if (!bounce || bounce->worst < 0) return 0;
  const BounceGroup *group = &bounce->of[bounce->worst];
  *doubt = (Doubt){.kind = VERDICT_BOUNCE, .body = bounce->worst, .value = 1 - group->share};
  snprintf(
      doubt->text, sizeof doubt->text,
      "with friction, all of its restitution would give %.3g J to '%.80s' and what it touches: "
      "they keep %.3g of it",
      group->given, model->bodies.name[bounce->worst], group->share);
  return 1;
}

static int doubt_penetration(const Model *model, const SubStep *sub, Doubt *doubt) {
  const PenetrationWorst *worst = &sub->penetration.judged;
  if (worst->body < 0 || worst->depth <= worst->limit) return 0;
  *doubt = (Doubt){.kind = VERDICT_PENETRATION,
                   .body = worst->body,
                   .value = worst->depth,
                   .limit = worst->limit};
  snprintf(doubt->text, sizeof doubt->text, "'%.80s' is penetrated by %.3g m (limit %.3g m)",
           model->bodies.name[worst->body], worst->depth, worst->limit);
  return 1;
}

static int doubt_hidden(const Model *model, const SubStep *sub, Doubt *doubt) {
  const PenetrationWorst *worst = &sub->penetration.hidden;
  if (worst->body < 0 || worst->depth <= worst->limit) return 0;
  *doubt = (Doubt){.kind = VERDICT_HIDDEN_NODES,
                   .body = worst->body,
                   .value = worst->depth,
                   .limit = worst->limit};
  snprintf(
      doubt->text, sizeof doubt->text,
      "'%.40s' is penetrated by %.3g m, between the contact points that the input names or by a "
      "law that is a spring (limit of others %.3g m)",
      model->bodies.name[worst->body], worst->depth, worst->limit);
  return 1;
}

// Contact acts on the geometry of the start of a step, or of its middle, and internal forces on
// that of its end: where a body at finite strains turns far in between, the one turns it about
// another point than the other, and it is given spin. Of co-rotational bodies both are taken in one
// frame.
static int doubt_step_turn(const Model *model, const State *state, const SubStep *sub,
                           Doubt *doubt) {
  if (model->bodies.n_finite == 0 || model->steps.newton.statics) return 0;
  *doubt = (Doubt){.kind = VERDICT_STEP_TURN, .limit = model->limits.turn};
  doubt->value =
      dynamics_most_turned(&model->bodies, &body_finite, state->bodies.q, sub->q1, &doubt->body);
  if (doubt->value <= doubt->limit) return 0;
  snprintf(doubt->text, sizeof doubt->text, "'%.80s' turns by %.2g rad in one step (limit %.2g)",
           model->bodies.name[doubt->body], doubt->value, doubt->limit);
  return 1;
}

// What a free tool bears is its load less what moves its mass: one with a mass bounces. Judged from
// the step after the first in which it bore anything; of several tools and directions the worst.
static int doubt_reaction(const Model *model, const State *state, const SubStep *sub,
                          Doubt *doubt) {
  const BodySet *bs = &model->bodies;
  double ratio = 1;
  *doubt = (Doubt){.kind = VERDICT_REACTION, .body = -1, .limit = model->limits.reaction};
  for (int k = 0; k < bs->n_tools * bs->dim; k++) {
    const Tool *tool = &bs->tools[k / bs->dim];
    int dof = bs->dim * bs->node_ptr[tool->body] + k % bs->dim;
    double load = sub->size.h * sub->p[dof];
    if (!tool->free[k % bs->dim] || !state->touched[tool->body] || load == 0) continue;
    double departs = fabs(sub->impulse[dof] + load) / fabs(load);
    if (departs <= doubt->value) continue;
    doubt->value = departs;
    doubt->body = tool->body;
    ratio = -sub->impulse[dof] / load;
  }
  if (doubt->value <= doubt->limit) return 0;
  snprintf(doubt->text, sizeof doubt->text,
           "tool '%.80s' presses with %.3g of the force on it (limit %.2g off it): with mass=\"0\" "
           "it is in equilibrium at every step",
           bs->name[doubt->body], ratio, doubt->limit);
  return 1;
}

// Nothing of it is tolerated.
static Doubt through(const Model *model, const MissedNode *missed) {
  const int body = model->bodies.body_of[missed->node];
  Doubt doubt = {.kind = VERDICT_PENETRATION, .body = body, .value = missed->depth};
  snprintf(doubt.text, sizeof doubt.text, "'%.40s' goes through '%.40s', %.3g m deep on its way",
           model->bodies.name[body], model->bodies.name[missed->tool], missed->depth);
  return doubt;
}

static int doubt_through(const Model *model, const SubStep *sub, Doubt *doubt) {
  const MissedNode *missed = &sub->penetration.through;
  if (missed->through) *doubt = through(model, missed);
  return missed->through;
}

int judge_is_lost(const Model *model, const State *state, const MissedNode *missed) {
  const VerdictState *told = &state->verdict;
  return missed->through && told->count[VERDICT_PENETRATION][VERDICT_COUNT] > 0 &&
         told->count[VERDICT_PENETRATION][VERDICT_BODY] == model->bodies.body_of[missed->node] &&
         missed->depth <= told->value[VERDICT_PENETRATION][VERDICT_VALUE];
}

// What shorter steps may cure: not a penetration that was there already when no more cuts were
// allowed.
int judge_doubt(const Model *model, const State *state, const SubStep *sub, Doubt *doubt) {
  if (doubt_energy(model, state, sub, doubt)) return 1;
  if (doubt_step_turn(model, state, sub, doubt)) return 1;
  if (doubt_through(model, sub, doubt) && !judge_is_lost(model, state, &sub->penetration.through))
    return 1;
  return doubt_penetration(model, sub, doubt) &&
         doubt->value > state->verdict.value[VERDICT_PENETRATION][VERDICT_VALUE];
}

static void keep_sunk(State *state, const SubStep *sub) {
  const SunkWorst *sunk = &sub->penetration.sunk;
  double *worst = state->worst;
  worst[SUM_SUNK] += sub->size.h * sunk->work;
  if (!(sunk->work > 0) || sunk->depth <= worst[WORST_SUNK_DEPTH]) return;
  worst[WORST_SUNK_DEPTH] = sunk->depth;
  worst[WORST_SUNK_BODY] = sunk->body;
  worst[WORST_SUNK_TOOL] = sunk->tool;
}

// What is told of a sub-step that is accepted, and stays as a verdict.
void judge_substep(const Model *model, State *state, const SubStep *sub, Log *log) {
  int64_t step = state->step + 1;
  double balance = energy_balance(sub->energy);
  Doubt doubt;
  if (doubt_energy(model, state, sub, &doubt))
    verdict_add(&state->verdict, &doubt, step, sub->size.t, log);
  if (doubt_sum_given(model, state, sub, &doubt))
    verdict_add(&state->verdict, &doubt, step, sub->size.t, log);
  if (doubt_friction(model, sub, &doubt))
    verdict_add(&state->verdict, &doubt, step, sub->size.t, log);
  if (doubt_bounce(model, sub, &doubt))
    verdict_add(&state->verdict, &doubt, step, sub->size.t, log);
  if (doubt_penetration(model, sub, &doubt))
    verdict_add(&state->verdict, &doubt, step, sub->size.t, log);
  if (doubt_through(model, sub, &doubt))
    verdict_add(&state->verdict, &doubt, step, sub->size.t, log);
  if (doubt_step_turn(model, state, sub, &doubt))
    verdict_add(&state->verdict, &doubt, step, sub->size.t, log);
  if (doubt_hidden(model, sub, &doubt))
    verdict_add(&state->verdict, &doubt, step, sub->size.t, log);
  keep_sunk(state, sub);
  if (doubt_reaction(model, state, sub, &doubt))
    verdict_add(&state->verdict, &doubt, step, sub->size.t, log);
  if (model->bodies.n_finite > 0) newton_judge_sheets(&sub->newton, log);
  state->worst[WORST_BALANCE] = fmax(state->worst[WORST_BALANCE], balance);
  if (balance <= model->limits.balance) return;
  doubt = (Doubt){
      .kind = VERDICT_BALANCE, .body = -1, .value = balance, .limit = model->limits.balance};
  snprintf(doubt.text, sizeof doubt.text,
           "the balance of energy is open by %.2g of its largest term (limit %.2g)", balance,
           doubt.limit);
  verdict_add(&state->verdict, &doubt, step, sub->size.t, log);
}

void judge_leap(const Model *model, State *state, const SubStep *sub, Log *log) {
  const MissedNode *missed = &sub->missed;
  int body = model->bodies.body_of[missed->node];
  Doubt doubt = {
      .kind = VERDICT_PENETRATION,
      .body = body,
      .value = missed->depth,
      .limit = contact_tolerated(&model->contact, &model->bodies, model->limits.penetration, body)};
  if (missed->through) {
    doubt = through(model, missed);
  } else if (doubt.value <= doubt.limit || sub->penetration.judged.depth >= doubt.value) {
    return;
  } else {
    snprintf(doubt.text, sizeof doubt.text, "'%.40s' leaps %.3g m into '%.40s' (limit %.3g m)",
             model->bodies.name[body], doubt.value, model->bodies.name[missed->tool], doubt.limit);
  }
  verdict_add(&state->verdict, &doubt, state->step + 1, sub->size.t, log);
}

// Bodies of small strains are looked at once in so many steps, and at the end of a stage: none
// turns and turns back in between unless it turns far.
enum { STEPS_PER_TURN = 8 };

void judge_turns(const Model *model, State *state, int last, Log *log) {
  Doubt doubt = {.kind = VERDICT_TURN, .limit = model->limits.turn};
  if (state->step % STEPS_PER_TURN != 0 && !last) return;
  doubt.value =
      dynamics_most_turned(&model->bodies, &body_small, NULL, state->bodies.q, &doubt.body);
  if (doubt.value <= doubt.limit) return;
  snprintf(doubt.text, sizeof doubt.text,
           "'%.40s' has turned by %.2g rad (limit %.2g), and kinematics=\"small\" does not follow: "
           "corotational does",
           model->bodies.name[doubt.body], doubt.value, doubt.limit);
  verdict_add(&state->verdict, &doubt, state->step, state->t, log);
}

// Where the body is soft, or the tool goes far, what it sinks in between nodes changes little: as a
// share of the largest energy, by what presses it in the mean over time, in which shocks count as
// what they stop.
void judge_sunk(const Model *model, State *state, Log *log) {
  const double *worst = state->worst, largest = state->energy[ENERGY_LARGEST];
  Doubt doubt = {
      .kind = VERDICT_SUNK, .body = (int)worst[WORST_SUNK_BODY], .limit = model->limits.sinking};
  if (!(worst[SUM_SUNK] > doubt.limit * largest * state->t)) return;
  doubt.value = worst[SUM_SUNK] / (largest * state->t);
  snprintf(doubt.text, sizeof doubt.text,
           "tool '%.40s' lies up to %.3g m in '%.40s' between its nodes: with what presses it, "
           "%.2g of the largest energy (limit %.2g); a finer mesh follows it",
           model->bodies.name[(int)worst[WORST_SUNK_TOOL]], worst[WORST_SUNK_DEPTH],
           model->bodies.name[doubt.body], doubt.value, doubt.limit);
  verdict_add(&state->verdict, &doubt, state->step, state->t, log);
}
