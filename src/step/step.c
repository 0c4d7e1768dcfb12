#include "step/step.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sum.h"
#include "base/timer.h"
#include "step/release.h"
#include "step/substep.h"
#include "step/trial.h"

// What is made for the model as one stage sees it.
static Status work_for_stage(StepWork *work, const Model *run_model, const State *state, Err *err) {
  const Model *model = &work->view.model;
  work->stage = state->stage[STAGE_INDEX];
  TRY(stage_view_init(&work->view, run_model, state, err));
  TRY(contact_work_new(&work->contact, &model->contact, &model->bodies, err));
  work->static_step = 0;
  if (model->steps.newton.statics) work->static_step = dynamics_static_step(&model->bodies);
  TRY(newton_work_new(&work->newton, model, state, err));
  work->release_static = newton_iterates(work->newton) && release_is_static(model) &&
                         !(state->stage_value[STAGE_MOVES] > 0);
  return contact_resume(&model->contact, &model->bodies, &state->contact, work->contact, err);
}

static void free_of_stage(StepWork *work) {
  contact_work_free(work->contact);
  newton_work_free(work->newton);
  stage_view_free(&work->view);
  work->contact = NULL;
  work->newton = NULL;
}

Status step_work_init(StepWork *work, const Model *model, const State *state, Err *err) {
  *work = (StepWork){0};
  size_t n = (size_t)model->bodies.n_nodes * model->bodies.dim;
  MEM_NEW(work->impulse, n, err);
  MEM_NEW(work->support, n, err);
  return work_for_stage(work, model, state, err);
}

const Model *step_model(const StepWork *work) {
  return &work->view.model;
}

void step_work_free(StepWork *work) {
  arena_free(&work->arena);
  kept_free(&work->kept);
  dynamics_factors_free(&work->factors);
  free_of_stage(work);
  mem_free(work->newton_row);
  mem_free(work->impulse);
  mem_free(work->support);
  *work = (StepWork){0};
}

static Status substep_init(SubStep *sub, const Model *model, const State *state, Arena *arena,
                           Err *err) {
  sub->begin = state->bodies;
  size_t n = (size_t)model->bodies.n_nodes * model->bodies.dim;
  ARENA_NEW(sub->turned, model->bodies.n_bodies, arena, err);
  ARENA_NEW(sub->p, n, arena, err);
  ARENA_NEW(sub->v_free, n, arena, err);
  ARENA_NEW(sub->v1, n, arena, err);
  ARENA_NEW(sub->q1, n, arena, err);
  ARENA_NEW(sub->impulse, n, arena, err);
  ARENA_NEW(sub->support, n, arena, err);
  return OK;
}

void step_phase(StepWork *work, int phase) {
  double now = timer_wall();
  work->phase[phase] += now - work->clock;
  work->clock = now;
}

ContactStep substep_contact(const Model *model, State *state, const StepWork *work,
                            const SubStep *sub) {
  return (ContactStep){
      .cm = &model->contact,
      .bs = &model->bodies,
      .bodies = &sub->begin,
      .state = &state->contact,
      .work = work->contact,
      .size = sub->size,
      .v_ahead = sub->v_ahead,
      .bounce = sub->bounce ? sub->bounce->share : NULL,
      .frozen = work->frozen,
      .tolerance = newton_iterates(work->newton) ? model->steps.solver_settings.tolerance : 0,
      .projected = !newton_iterates(work->newton) &&
                   model->steps.solver_settings.measure == MEASURE_DEFORMATION};
}

// Steps 1 to 6 of the method; the state is not changed but for frames kept by contacts and bodies.
static Status substep_solve(const Model *model, State *state, StepWork *work, SubStep *sub,
                            Err *err) {
  const BodySet *bs = &model->bodies;
  Arena *arena = &work->arena;
  StepSize size = sub->size;
  ContactStep step = substep_contact(model, state, work, sub);
  work->clock = timer_wall();

  // 1. drives at the new time, matrices of this step size
  TRY(dynamics_matrices(bs, size, &work->factors, &sub->matrices, arena, err));
  TRY(loads_at(&model->loads, bs, size.t, size.t + step_time(size), size.theta, sub->p, err));
  release_add(model, state, size, sub->p);

  // 2. contact geometry at q~
  dynamics_update_frames(bs, size, &state->bodies, sub->turned);
  TRY(dynamics_align(bs, &state->bodies, &sub->begin.v, arena, err));
  step_phase(work, PHASE_FREE);
  int64_t searches = contact_searches(work->contact);
  TRY(contact_detect(&step, err));
  state->count[STAT_SEARCHES] += contact_searches(work->contact) - searches;
  step_phase(work, PHASE_DETECT);

  // 3. free velocity
  const LinearStep linear = {
      .bs = bs, .m = &sub->matrices, .state = &state->bodies, .size = size, .p = sub->p};
  TRY(dynamics_free_velocity(&linear, sub->v_free, arena, err));
  step_phase(work, PHASE_FREE);

  // 4. to 6. contacts, and the velocities that their impulses make
  sub->newton = (NewtonStep){.model = model,
                             .state = state,
                             .work = work,
                             .contact = step,
                             .matrices = &sub->matrices,
                             .turned = sub->turned,
                             .p = sub->p,
                             .v_free = sub->v_free,
                             .v1 = sub->v1,
                             .q1 = sub->q1,
                             .impulse = sub->impulse};
  Status status = newton_solve(&sub->newton, err);
  sub->r = sub->newton.r;
  step_phase(work, PHASE_UPDATE);
  return status;
}

// Whose work is summed.
typedef struct {
  const BodySet *bs;
  const State *state;
  const SubStep *sub;
} WorkOf;

// Of contacts: normal, tangential, with velocities relative.
static void contact_terms(const void *of, int64_t first, int64_t last, double *sum) {
  const WorkOf *w = of;
  const SubStep *sub = w->sub;
  double theta = sub->size.theta;
  int dim = w->bs->dim;
  for (int64_t k = dim * first; k < dim * last; k++)
    sum[k % dim != 0] += sub->r[k] * (theta * sub->u1[k] + (1 - theta) * sub->u0[k]);
}

// Of bodies that move as they are told.
static void given_terms(const void *of, int64_t first, int64_t last, double *sum) {
  const WorkOf *w = of;
  const SubStep *sub = w->sub;
  const BodySet *bs = w->bs;
  double theta = sub->size.theta;
  int dim = bs->dim;
  for (int b = (int)first; b < last; b++) {
    if (!bs->type[b]->given) continue;
    for (size_t k = (size_t)bs->node_ptr[b] * dim; k < (size_t)bs->node_ptr[b + 1] * dim; k++)
      if (!bs->type[b]->moves(bs, b, (int)(k % (size_t)dim)))
        sum[0] -= sub->impulse[k] * (theta * sub->v1[k] + (1 - theta) * w->state->bodies.v[k]);
  }
}

// Work of contacts and of moving supports [J].
static void contact_work(const Model *model, const State *state, const StepWork *work,
                         SubStep *sub) {
  const WorkOf of = {&model->bodies, state, sub};
  double own[2], support;
  sum_over(contact_count(work->contact), 2, contact_terms, &of, own);
  sum_over(model->bodies.n_bodies, 1, given_terms, &of, &support);
  sub->energy[ENERGY_CONTACT_NORMAL] += own[0];
  sub->energy[ENERGY_FRICTION] += own[1];
  sub->energy[ENERGY_FRICTION_FED] += fmax(sub->given.law_friction, 0);
  sub->energy[ENERGY_FRICTION_STUCK] += sub->given.stuck;
  sub->taken.external += support;
}

// Overflow or worse: of the body that is fastest, or not a number.
static Status say_not_finite(const Model *model, const SubStep *sub, Err *err) {
  const BodySet *bs = &model->bodies;
  double most = 0;
  int body = 0;
  for (int k = 0; k < bs->n_nodes * bs->dim && !isnan(most); k++) {
    double own = fabs(sub->v1[k]) + fabs(sub->q1[k]); // only which is larger counts
    if (own <= most) continue;
    most = own;
    body = bs->body_of[k / bs->dim];
  }
  return err_set(
      err, ERR_NUMERIC,
      "velocities or displacements are not finite numbers in body '%s' declared at %s:%d",
      bs->name[body], bs->src[body].file, bs->src[body].line);
}

// Work of rounding is at most this share of the largest energy: in bodies that move without stress
// all else is nought, and one rounding beside another is no verdict.
static const double ROUNDING_SHARE = 1e-3;

static Status account_energy(const Model *model, const State *state, StepWork *work, SubStep *sub,
                             Err *err) {
  StepResult result = {.state = &state->bodies,
                       .size = sub->size,
                       .p = sub->p,
                       .impulse = sub->impulse,
                       .q1 = sub->q1,
                       .v1 = sub->v1};
  StepEnergy *step = &sub->taken;
  double *energy = sub->energy;
  memcpy(energy, state->energy, sizeof state->energy);
  memset(sub->support, 0, sizeof(double) * (size_t)model->bodies.n_nodes * model->bodies.dim);
  TRY(dynamics_energy(&model->bodies, &result, step, sub->support, &work->arena, err));
  TRY(newton_end(&sub->newton, &sub->after, step, energy, sub->support, err));
  if (!isfinite(step->kinetic + step->elastic)) return say_not_finite(model, sub, err);
  contact_work(model, state, work, sub);
  energy[ENERGY_KINETIC] = step->kinetic;
  energy[ENERGY_ELASTIC] = step->elastic;
  energy[ENERGY_EXTERNAL] += step->external;
  energy[ENERGY_DAMPING] += step->damping;
  energy[ENERGY_NUMERICAL] += step->numerical;
  // Rigid bodies at rest have no energy at all: what counts beside is the work of loads over a
  // penetration that is tolerated, for contact gives it back.
  double tolerated = model->limits.penetration.edge * model->contact.skin.shortest;
  energy[ENERGY_LARGEST] = fmax(energy[ENERGY_LARGEST], step->pressing * tolerated);
  energy[ENERGY_LARGEST] = fmax(energy[ENERGY_LARGEST], energy[ENERGY_ROUNDING] / ROUNDING_SHARE);
  for (int k = 0; k <= ENERGY_INITIAL; k++)
    energy[ENERGY_LARGEST] = fmax(energy[ENERGY_LARGEST], fabs(energy[k]));
  return OK;
}

double energy_balance(const double *e) {
  double held = e[ENERGY_KINETIC] + e[ENERGY_ELASTIC] - e[ENERGY_INITIAL] + e[ENERGY_REMOVED];
  double fed = e[ENERGY_EXTERNAL] + e[ENERGY_CONTACT_NORMAL] + e[ENERGY_FRICTION] -
               e[ENERGY_DAMPING] - e[ENERGY_NUMERICAL] - e[ENERGY_PLASTIC];
  return e[ENERGY_LARGEST] > 0 ? fabs(held - fed) / e[ENERGY_LARGEST] : 0;
}

// The end of the sub-step with its energies and penetration, beside the state, which stays as it
// is.
static Status substep_measure(const Model *model, State *state, StepWork *work, SubStep *sub,
                              Err *err) {
  const BodySet *bs = &model->bodies;
  int n = contact_count(work->contact);
  work->clock = timer_wall();
  ARENA_NEW(sub->u1, bs->dim * n, &work->arena, err);
  ARENA_NEW(sub->gap, n, &work->arena, err);
  sub->after = state->bodies;
  sub->after.q = sub->q1;
  sub->after.v = sub->v1;
  sub->u0 = contact_old_velocities(work->contact);
  contact_velocities(work->contact, sub->v1, sub->u1);
  ContactStep step = substep_contact(model, state, work, sub);
  sub->given = contact_given(&step, sub->r, sub->u1);
  TRY(account_energy(model, state, work, sub, err));
  contact_penetration(&step, &sub->after, model->limits.penetration, sub->r, sub->gap,
                      &sub->penetration);
  step_phase(work, PHASE_UPDATE);
  return OK;
}

// 7. commit: the sub-step becomes the state. Nothing here can fail.
static void substep_commit(const Model *model, State *state, StepWork *work, SubStep *sub) {
  size_t n = (size_t)model->bodies.n_nodes * model->bodies.dim;
  double *worst = state->worst;
  assert(isfinite(sub->energy[ENERGY_KINETIC] + sub->energy[ENERGY_ELASTIC])); // substep_measure
  assert(contact_count(work->contact) == 0 || (sub->r && sub->u1));
  work->clock = timer_wall();
  ContactStep step = substep_contact(model, state, work, sub);
  step.interior = work->report.solver.interior;
  ContactLost lost = contact_commit(&step, sub->r, sub->u1);
  work->report.lost += lost.some;
  state->count[STAT_BROKEN] += lost.all;
  newton_commit(&sub->newton, &sub->after);
  for (int c = 0; c < contact_count(work->contact); c++)
    for (int side = 0; sub->r[model->bodies.dim * c] != 0 && side < 2; side++)
      state->touched[contact_list(work->contact)[c].side[side].body] = 1;
  memcpy(state->bodies.v, sub->v1, n * sizeof(double));
  work->report.farthest = 0;
  for (size_t k = 0; k < n && work->static_step > 0; k++) {
    double way = fabs(sub->q1[k] - state->bodies.q[k]);
    if (way <= work->report.farthest) continue;
    work->report.farthest = way;
    work->report.farthest_body = model->bodies.body_of[k / (size_t)model->bodies.dim];
  }
  memcpy(state->bodies.q, sub->q1, n * sizeof(double));
  dynamics_settle(&model->bodies, &state->bodies);
  memcpy(state->energy, sub->energy, sizeof state->energy);
  for (size_t k = 0; k < n; k++) {
    work->impulse[k] += sub->impulse[k];
    work->support[k] += sub->support[k];
  }
  work->reaction = sub->r;
  work->velocity = sub->u1;
  work->gap = sub->gap;
  work->report.h_last = sub->size.h;
  work->report.penetration = sub->penetration;
  if (!statics_on_the_way(model, work)) {
    worst[WORST_PENETRATION_CONTACTS] =
        fmax(worst[WORST_PENETRATION_CONTACTS], sub->penetration.contacts);
    worst[WORST_PENETRATION_NODES] = fmax(worst[WORST_PENETRATION_NODES], sub->penetration.nodes);
  }
  step_phase(work, PHASE_UPDATE);
}

// Keeps the contact with the largest part of the worst error in the energy of deformation so far.
static void keep_worst_contact(const Model *model, State *state, const StepWork *work) {
  const SolverReport *solver = &work->report.solver;
  double *worst = state->worst;
  if (solver->worst < 0 || solver->deformation <= worst[WORST_DEFORMATION]) return;
  const Contact *contact = &contact_list(work->contact)[solver->worst];
  worst[WORST_CONTACT_BODY] = contact->side[0].body;
  worst[WORST_CONTACT_OTHER] = contact->side[1].body;
  contact_place(&model->bodies, contact, state->bodies.q, &worst[WORST_CONTACT_PLACE]);
  worst[WORST_CONTACT_STEP] = (double)(state->step + 1);
}

// Errors of a solution that counts.
static void count_errors(const Model *model, State *state, const StepWork *work) {
  const SolverReport *solver = &work->report.solver;
  int by_deformation = model->steps.solver_settings.measure == MEASURE_DEFORMATION;
  int64_t *count = state->count;
  count[STAT_JUDGED]++;
  if (solver->deforms) {
    keep_worst_contact(model, state, work);
    count[STAT_DEFORMING]++;
    state->worst[SUM_DEFORMATION] += solver->deformation;
    state->worst[WORST_DEFORMATION] = fmax(state->worst[WORST_DEFORMATION], solver->deformation);
  }
  if (by_deformation && solver->n_rigid > 0) {
    count[STAT_RIGID]++;
    state->worst[WORST_RIGID] = fmax(state->worst[WORST_RIGID], solver->rigid);
  }
  state->worst[SUM_ERROR] += solver->error;
  state->worst[WORST_ERROR] = fmax(state->worst[WORST_ERROR], solver->error);
}

static void count_substep(State *state, const StepWork *work, int newton) {
  const SolverReport *solver = &work->report.solver;
  int64_t *count = state->count, n = contact_count(work->contact);
  count[STAT_SUBSTEPS]++;
  count[STAT_CONTACTS_SUM] += n;
  if (n > count[STAT_CONTACTS_MAX]) count[STAT_CONTACTS_MAX] = n;
  count[STAT_ITERATIONS_SUM] += solver->iterations;
  if (solver->iterations > count[STAT_ITERATIONS_MAX])
    count[STAT_ITERATIONS_MAX] = solver->iterations;
  count[STAT_CONDITION_33] += solver->condition_33;
  count[STAT_NO_LOCAL_SOLUTION] += solver->no_local_solution;
  count[STAT_BLOCKS] += solver->blocks;
  count[STAT_NEWTON_SUM] += newton;
  if (newton > count[STAT_NEWTON_MAX]) count[STAT_NEWTON_MAX] = newton;
}

Status step_ask(const StepWork *work, Err *err) {
  if (!work->must_stop || !work->must_stop(work->must_stop_of)) return OK;
  return err_set(err, ERR_STOPPED, "interrupted");
}

Status substep_keep_before(const Model *model, State *state, StepWork *work, Err *err) {
  if (work->before) return OK;
  ARENA_NEW(work->before, 1, &work->arena, err);
  return state_copy(work->before, state, model, &work->arena, err);
}

Status substep_count_cut(const Model *model, State *state, StepWork *work, Err *err) {
  err_clear(err);
  TRY(substep_keep_before(model, state, work, err));
  work->report.cuts++;
  state->count[STAT_CUTS]++;
  return OK;
}

// What counts is the tolerance that was asked for, not one that statics or rest have tightened.
static int misses(const Model *model, const StepWork *work) {
  const SolverReport *solver = &work->report.solver;
  return !solver->converged &&
         !(solver_judged(&model->steps.solver_settings, solver) <= work->tolerance);
}

// The contact solver missed its tolerance: an error, or a warning.
static Status accept_missed(const Model *model, State *state, StepWork *work, Log *log, Err *err) {
  const SolverReport *solver = &work->report.solver;
  const SolverSettings *settings = &model->steps.solver_settings;
  double tolerance = settings->tolerance, error = solver_judged(settings, solver);
  if (model->steps.on_miss == MISS_STOP) {
    state->count[STAT_NOT_CONVERGED]++;
    state->worst[WORST_ERROR] = fmax(state->worst[WORST_ERROR], solver->error);
    return err_set(err, ERR_NUMERIC,
                   "the contact solver missed the tolerance %g: error %g after %d iterations",
                   tolerance, error, solver->iterations);
  }
  log_warn(log, "not converged",
           "step %lld, t = %.6g s: the contact solver stopped at error %.3g after %d iterations "
           "(tolerance %.3g, %d contacts)",
           (long long)state->step + 1, state->t, error, solver->iterations, tolerance,
           contact_count(work->contact));
  work->report.missed = 1;
  return OK;
}

// Steps 1 to 6, and what they lead through tools.
Status substep_again(const Model *model, State *state, StepWork *work, SubStep *sub, Err *err) {
  *sub = (SubStep){.size = sub->size, .v_ahead = sub->v_ahead, .bounce = sub->bounce};
  TRY(substep_init(sub, model, state, &work->arena, err));
  TRY(substep_solve(model, state, work, sub, err));
  if (model->bodies.n_tools == 0) return OK;
  ContactStep step = substep_contact(model, state, work, sub);
  sub->missed = contact_missed(&step, sub->q1, sub->v1);
  return OK;
}

// The same once more where something moves farther than was looked ahead, or meets a tool that it
// was not seen to meet, by what it does then.
static Status substep_foresee(const Model *model, State *state, StepWork *work, SubStep *sub,
                              Err *err) {
  TRY(substep_again(model, state, work, sub, err));
  ContactStep step = substep_contact(model, state, work, sub);
  const int met = contact_has_missed(&model->contact, &sub->missed) &&
                  !judge_is_lost(model, state, &sub->missed);
  if (!met && !contact_unforeseen(&step, sub->q1, sub->v1)) return OK;
  TRY(substep_keep_before(model, state, work,
                          err)); // to search again is to change what contact keeps
  sub->v_ahead = sub->v1;
  return substep_again(model, state, work, sub, err);
}

// Joints lose their strength for good, by their own force: an error that is small beside the forces
// of all may be large beside that of one. So where some would, the step is solved again, so much
// more exactly.
static const double EXACT = 0.1;

static Status resolve_losses(const Model *model, State *state, StepWork *work, SubStep *sub,
                             Err *err) {
  SolverSettings *settings = &work->view.model.steps.solver_settings, kept_settings = *settings;
  double kept = settings->tolerance;
  ContactStep step = substep_contact(model, state, work, sub);
  SolverReport *solver = &work->report.solver, first_report = *solver;
  SubStep first = *sub;
  if (newton_iterates(work->newton) || contact_would_lose(&step, sub->r, sub->u1) == 0) return OK;
  if (solver_judged(settings, solver) <= EXACT * kept) return OK;
  settings->tolerance = EXACT * kept;
  settings->max_iterations = statics_iterations(settings->max_iterations);
  Status status = substep_again(model, state, work, sub, err);
  *settings = kept_settings;
  TRY(status);
  if (solver_judged(settings, solver) < solver_judged(settings, &first_report)) {
    solver->converged = solver_judged(settings, solver) <= kept; // what was asked of the step
    return substep_measure(model, state, work, sub, err);
  }
  *sub = first;
  *solver = first_report;
  return OK;
}

// Contact forces that are wrong by more than this share would take the bodies of statics anywhere.
static const double LOST_WAY = 0.1;

Status substep_try(const Model *model, State *state, StepWork *work, StepSize size, int may_cut,
                   int *again, Log *log, Err *err) {
  SubStep sub = {.size = size};
  int newton = work->report.newton;
  *again = 0;
  TRY(step_ask(work, err));
  Status status = substep_foresee(model, state, work, &sub, err);
  if (status == OK) status = bounce_bound(model, state, work, &sub, err);
  StepTrial trial = {.model = model,
                     .state = state,
                     .work = work,
                     .contact = substep_contact(model, state, work, &sub),
                     .v_free = sub.v_free,
                     .q1 = sub.q1,
                     .v1 = sub.v1,
                     .r = sub.r};
  if (status == OK) status = trial_check(&trial, err);
  int missed = status == OK && misses(model, work);
  int leaps = status == OK && trial_leaps(&trial, &sub.missed, err) != OK;
  int cut = (leaps && !judge_is_lost(model, state, &sub.missed)) ||
            (missed && model->steps.on_miss == MISS_CUT);
  Doubt doubt = {.text = "the contact solver missed its tolerance"};
  if (status == OK && !(may_cut && cut)) {
    status = substep_measure(model, state, work, &sub, err);
    if (status == OK) status = resolve_losses(model, state, work, &sub, err);
    missed = status == OK && misses(model, work);
    cut = status == OK && judge_doubt(model, state, &sub, &doubt);
  }
  if (may_cut && (status == ERR_NUMERIC || cut)) {
    *again = 1;
    log_warn(log, "step cut", "step %lld, t = %.6g s: a sub-step of %g s is cut: %s",
             (long long)state->step + 1, size.t, size.h, err->text[0] ? err->text : doubt.text);
    return substep_count_cut(model, state, work, err);
  }
  if (status == ERR_NUMERIC && newton_iterates(work->newton)) trial_explain(&trial, err);
  if (status != OK) return status;
  if (leaps) {
    log_warn(log, "leap", "step %lld, t = %.6g s: %s", (long long)state->step + 1, size.t,
             err->text);
    err_clear(err);
  }
  const SolverSettings *settings = &model->steps.solver_settings;
  int contacts = contact_count(work->contact) > 0;
  if (contacts && settings->measure == MEASURE_DEFORMATION && !work->report.solver.deforms)
    log_warn(log, "nothing deforms",
             "step %lld: contacts between rigid bodies only: their solver is judged by the scaled "
             "error",
             (long long)state->step + 1);
  if (work->static_step > 0) work->report.unbalanced = statics_moved(state, &sub);
  int on_the_way = statics_on_the_way(model, work); // of statics: what counts is where they end
  double judged = solver_judged(&model->steps.solver_settings, &work->report.solver);
  if (missed && work->static_step > 0 && judged > LOST_WAY)
    status = err_set(err, ERR_NUMERIC,
                     "the contact solver found no solution: error %.2g after %d iterations", judged,
                     work->report.solver.iterations);
  else if (missed && !on_the_way)
    status = accept_missed(model, state, work, log, err);
  if (status != OK) {
    trial_explain(&trial, err);
    return status;
  }
  work->report.substeps++;
  count_substep(state, work, newton_iterates(work->newton) ? work->report.newton - newton : 1);
  if (!on_the_way) count_errors(model, state, work);
  if (!on_the_way) judge_substep(model, state, &sub, log);
  if (!on_the_way && leaps) judge_leap(model, state, &sub, log);
  substep_commit(model, state, work, &sub);
  return OK;
}

// Cuts by halves: recursion halves the interval where the policy says so.
static Status advance_interval(const Model *model, State *state, StepWork *work, double t, double h,
                               int depth, Log *log, Err *err) {
  StepSize size = {.t = t, .h = h, .theta = model->steps.theta};
  int again;
  TRY(substep_try(model, state, work, size, depth < model->steps.max_cuts, &again, log, err));
  if (!again) return OK;
  TRY(advance_interval(model, state, work, t, h / 2, depth + 1, log, err));
  return advance_interval(model, state, work, t + h / 2, h / 2, depth + 1, log, err);
}

// A sub-step grows when Newton's method needed at most this many iterations.
enum { EASY_NEWTON = 8 };

// Sub-steps of their own size, which lives on from step to step.
static Status advance_adaptive(const Model *model, State *state, StepWork *work, double t0,
                               double t1, Log *log, Err *err) {
  const StepSettings *steps = &model->steps;
  double t = t0, *h_next = &state->h_next;
  if (!(*h_next > 0)) *h_next = steps->h;
  while (t1 - t > 1e-9 * steps->h) {
    double parts = ceil((t1 - t) / *h_next - 1e-9), h = (t1 - t) / fmax(parts, 1);
    int again, newton = work->report.newton, may_cut = h / 2 >= steps->h_min;
    StepSize size = {.t = t, .h = h, .theta = steps->theta};
    if (parts > 1) TRY(substep_keep_before(model, state, work, err));
    Status status = substep_try(model, state, work, size, may_cut, &again, log, err);
    if (status == ERR_NUMERIC && !may_cut)
      err_note(err, "the sub-step of %g s cannot be cut below step_min = %g s", h, steps->h_min);
    TRY(status);
    if (again) {
      *h_next = h / 2;
      continue;
    }
    t += h;
    if (work->report.newton - newton <= EASY_NEWTON)
      *h_next = fmin(steps->h, fmax(*h_next, h) * steps->growth);
  }
  return OK;
}

// A step that fails, or is given up, after some of its sub-steps were accepted: back to where it
// began. Cuts of one that failed stay counted; one that was given up is taken again.
static Status undo_substeps(const Model *model, State *state, StepWork *work, int failed,
                            Err *err) {
  int64_t cuts = state->count[STAT_CUTS];
  TRY(state_take_back(work->before, state, model, err));
  if (failed) state->count[STAT_CUTS] = cuts;
  work->reaction = work->velocity = NULL;
  return contact_resume(&model->contact, &model->bodies, &state->contact, work->contact, err);
}

// From the work of one stage to that of the next.
static Status next_stage(StepWork *work, const Model *model, State *state, Err *err) {
  StepWork before = *work;
  work->contact = NULL;
  work->newton = NULL;
  work->view = (StageView){0};
  if (before.static_step > 0) step_rest(model, state); // its velocities were none of motion
  Status status = work_for_stage(work, model, state, err);
  if (status == OK) stage_account(&before.view.model, &work->view.model, state);
  if (status == OK) status = release_begin(&work->view.model, state, work, err);
  free_of_stage(&before);
  return status;
}

// Where the stage is over the next one begins.
static Status begin_step(const Model *model, State *state, StepWork *work, Log *log, Err *err) {
  TRY(stage_judge(model, state, err));
  if (stage_is_over(model, state)) {
    TRY(stage_enter(model, state, err));
    log_line(log, "t = %.6g s: stage '%s' (%s:%d)", state->t, stage_current(model, state)->name,
             stage_current(model, state)->src.file, stage_current(model, state)->src.line);
  }
  return work->stage == state->stage[STAGE_INDEX] ? OK : next_stage(work, model, state, err);
}

// From t0 to t1, by sub-steps where that is needed.
static Status take_step(const Model *model, State *state, StepWork *work, double t0, double t1,
                        Log *log, Err *err) {
  const StepSettings *steps = &model->steps;
  Status status;
  if (work->static_step > 0)
    status = statics_advance(model, state, work, t0, t1 - t0, 0, log, err);
  else if (steps->h_min > 0)
    status = advance_adaptive(model, state, work, t0, t1, log, err);
  else
    status = advance_interval(model, state, work, t0, steps->h, 0, log, err);
  if ((status == ERR_NUMERIC || status == ERR_STOPPED) && work->before) {
    Err failure = {0};
    if (undo_substeps(model, state, work, status == ERR_NUMERIC, &failure) != OK) *err = failure;
  }
  if (status != OK)
    return err_note(err, "step %lld, t = %.6g s, h = %g s", (long long)state->step + 1, t0,
                    steps->h);
  return OK;
}

// There is no rest while loads or supports are still to change, however slowly, in the time that
// the stage may take.
static Status find_unsteady(const Model *run_model, const Model *model, const State *state,
                            int *unsteady, Err *err) {
  const Stage *stage = stage_current(run_model, state);
  const BodySet *bs = &model->bodies;
  double end = state->stage_value[STAGE_START] + stage->duration;
  int steady = 1;
  *unsteady = 0;
  if (!stage->until_rest || !(end > state->t)) return OK;
  TRY(loads_are_steady(&model->loads, bs, state->t, end, &steady, err));
  for (int k = 0; k < bs->n_prescribed && steady; k++)
    TRY(load_is_steady(&bs->prescribed[k].motion->f, state->t, end, &steady, err));
  for (int b = 0; b < bs->n_bodies && steady; b++)
    for (int i = 0; i <= bs->dim && steady; i++)
      TRY(load_is_steady(i < bs->dim ? &bs->motion[b].x[i].f : &bs->motion[b].turn, state->t, end,
                         &steady, err));
  *unsteady = !steady;
  return OK;
}

// Rigid bodies that rest have no energy but the noise of the contact forces: what there was to lose
// is what their loads would have given them in the step, where contact holds them. Others store
// what they lose. What starts to fall slowly must not pass for rest: at the default rest_energy it
// has less than 3e-4 of the acceleration of its loads.
static const double HELD_SHARE = 0.1;

static double held_by_contact(const BodySet *bs, const double *impulse) {
  double held = 0;
  if (bs->n_protos > 0 || bs->n_finite > 0) return 0;
  for (int b = 0; b < bs->n_bodies; b++) {
    double sum[3] = {0}, mass = bodies_mass(bs, b);
    if (bs->type[b]->given || !(mass > 0)) continue;
    for (int k = bs->node_ptr[b] * bs->dim; k < bs->node_ptr[b + 1] * bs->dim; k++)
      sum[k % bs->dim] += impulse[k];
    for (int i = 0; i < bs->dim; i++) held += 0.5 * sum[i] * sum[i] / mass;
  }
  return HELD_SHARE * held;
}

// A flange that buckles under what is left of the loads has no balance near: it moves there, in
// steps with inertia, to the end of the release. Few loads are left then, and what it swings is
// little.
static Status move_on(Model *model, const StepSettings *own, State *state, StepWork *work,
                      double t1, Log *log, Err *err) {
  double t0 = state->t, h = model->steps.h;
  err_clear(err);
  log_warn(
      log, "release in motion",
      "step %lld, t = %.6g s: what the tools let go finds no balance in static steps: it moves "
      "on with inertia",
      (long long)state->step + 1, t0);
  release_moves(state, work);
  step_rest(model, state);
  state->h_next = 0;
  model->steps.h_min = own->h_min;
  model->steps.max_cuts = own->max_cuts;
  model->steps.newton.statics = own->newton.statics;
  work->report = (StepReport){.stage = (int)work->stage, .h = h, .dt = h};
  return take_step(model, state, work, t0, t1, log, err);
}

Status step_advance(const Model *run_model, State *state, StepWork *work, Log *log, Err *err) {
  size_t n = (size_t)run_model->bodies.n_nodes * run_model->bodies.dim;
  double t0 = state->t, t1, h;
  arena_reset(&work->arena);
  work->reaction = work->velocity = work->gap = NULL; // a step that fails leaves none
  memset(work->impulse, 0, n * sizeof(double));
  memset(work->support, 0, n * sizeof(double));
  work->before = NULL;
  work->n_newton_rows = 0;
  TRY(begin_step(run_model, state, work, log, err));
  Model *model = &work->view.model;
  stage_next_step(run_model, state, &t1, &h);
  model->steps = stage_current(run_model, state)->steps;
  model->steps.h = h;
  work->tolerance = model->steps.solver_settings.tolerance;
  int releasing = release_goes_on(model, state);
  if (releasing) release_settings(work, &model->steps);
  model->steps.solver_settings.tolerance *= stage_tightening(run_model, state);
  model->steps.solver_settings.must_stop = work->must_stop;
  model->steps.solver_settings.must_stop_of = work->must_stop_of;
  model->steps.solver_settings.kept = &work->kept;
  work->report = (StepReport){
      .stage = (int)work->stage, .h = work->static_step > 0 ? work->static_step : h, .dt = h};
  Status status = take_step(model, state, work, t0, t1, log, err);
  if (status == ERR_NUMERIC && release_may_move(run_model, state, work))
    status = move_on(model, &stage_current(run_model, state)->steps, state, work, t1, log, err);
  TRY(status);
  state->step++;
  state->t = t1;
  state->count[STAT_STEPS]++;
  state->count[STAT_NEWTON_ROWS] += work->n_newton_rows;
  state->count[STAT_NOT_CONVERGED] += work->report.missed;
  work->report.n_contacts = contact_count(work->contact);
  const StepReport *report = &work->report;
  StageStep step = {.h_last = h * report->h_last / report->h,
                    .easy = report->cuts == 0 && report->newton <= EASY_NEWTON * report->substeps,
                    .force = report->force,
                    .held = held_by_contact(&model->bodies, work->impulse),
                    .settled = report->settled,
                    .releasing = releasing};
  if (releasing && !release_goes_on(model, state)) step_rest(model, state);
  TRY(find_unsteady(run_model, model, state, &step.unsteady, err));
  state->count[STAT_NOT_AT_REST] += stage_watch(run_model, state, step);
  judge_turns(model, state, stage_is_over(run_model, state), log);
  if (stage_is_over(run_model, state)) judge_sunk(model, state, log);
  return OK;
}

int step_rest_acts(const Model *model, State *state, int k, const double *values, double dt) {
  const RestEvent *rest = &model->rests[k];
  int32_t *passages = &state->rest_passages[k];
  if (rest->probe_column < 0) { // once: sums of steps are not exact
    int now = state->t - 1.5 * dt < rest->time && rest->time <= state->t + 1e-9 * dt;
    int acts = now && *passages == 0;
    *passages += acts;
    return acts;
  }
  double now = values[rest->probe_column], before = state->rest_last[k];
  int up = before < rest->value && now >= rest->value;
  int down = before > rest->value && now <= rest->value;
  int passed = state->step > 1 && (rest->rising ? up : down);
  state->rest_last[k] = now;
  *passages += passed;
  return passed && *passages == rest->count;
}

void step_rest(const Model *model, State *state) {
  size_t n = (size_t)model->bodies.n_nodes * model->bodies.dim;
  memset(state->bodies.v, 0, n * sizeof(double));
  if (model->bodies.n_extra > 0)
    memset(state->bodies.extra, 0, sizeof(double) * (size_t)model->bodies.n_extra);
  state->energy[ENERGY_REMOVED] += state->energy[ENERGY_KINETIC];
  state->energy[ENERGY_KINETIC] = 0;
}
