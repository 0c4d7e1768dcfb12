#include "step/step.h"

#include <math.h>
#include <string.h>

#include "base/timer.h"
#include "step/newton.h"
#include "step/trial.h"

// What is made for the model as one stage sees it.
static Status work_for_stage(StepWork *work, const Model *run_model, const State *state, Err *err) {
  const Model *model = &work->view.model;
  work->stage = state->stage[STAGE_INDEX];
  TRY(stage_view_init(&work->view, run_model, state, err));
  TRY(contact_work_new(&work->contact, &model->contact, &model->bodies, err));
  if (model->bodies.n_finite > 0 || model->bodies.n_tools > 0)
    TRY(newton_work_new(&work->newton, model, state, err));
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
  free_of_stage(work);
  mem_free(work->newton_row);
  mem_free(work->impulse);
  mem_free(work->support);
  *work = (StepWork){0};
}

// Vectors of one sub-step, in the arena.
typedef struct {
  StepSize size;
  DynamicsMatrices matrices;
  uint8_t *turned;           // [n_bodies]
  double *p;                 // theta-mean loads [N]
  double *v_free, *v1, *q1;  // [m/s], [m/s], [m]
  double *impulse, *support; // of the contacts, of prescribed components [N s]
  const double *u0;          // contacts: velocities before,
  double *r, *u1;            // impulses, velocities after
  NewtonStep newton;         // of models with finite bodies
} SubStep;

static Status substep_init(SubStep *sub, const Model *model, Arena *arena, Err *err) {
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

static void phase_add(StepWork *work, int phase, double *clock) {
  double now = timer_wall();
  work->phase[phase] += now - *clock;
  *clock = now;
}

// q1 = q0 + h (theta v1 + (1 - theta) v0)
static void advance_positions(const Model *model, const State *state, SubStep *sub) {
  size_t n = (size_t)model->bodies.n_nodes * model->bodies.dim;
  double now = sub->size.h * sub->size.theta, before = sub->size.h * (1 - sub->size.theta);
  for (size_t k = 0; k < n; k++)
    sub->q1[k] = state->bodies.q[k] + now * sub->v1[k] + before * state->bodies.v[k];
}

static ContactStep contact_step(const Model *model, State *state, const StepWork *work,
                                const SubStep *sub) {
  return (ContactStep){.cm = &model->contact,
                       .bs = &model->bodies,
                       .bodies = &state->bodies,
                       .state = &state->contact,
                       .work = work->contact,
                       .size = sub->size,
                       .tolerance = work->newton ? model->steps.solver_settings.tolerance : 0,
                       .projected = !work->newton &&
                                    model->steps.solver_settings.measure == MEASURE_DEFORMATION};
}

// Steps 1 to 6 of the method; the state is not changed but for frames kept by contacts and bodies.
static Status substep_solve(Model *model, State *state, StepWork *work, SubStep *sub, Err *err) {
  BodySet *bs = &model->bodies;
  Arena *arena = &work->arena;
  StepSize size = sub->size;
  ContactStep step = contact_step(model, state, work, sub);
  double clock = timer_wall();

  // 1. drives at the new time, matrices of this step size
  TRY(dynamics_matrices(bs, size, &sub->matrices, arena, err));
  TRY(loads_at(&model->loads, bs, size.t, size.t + size.h, size.theta, sub->p, err));

  // 2. contact geometry at q~
  dynamics_update_frames(bs, size, &state->bodies, sub->turned);
  phase_add(work, PHASE_FREE, &clock);
  int64_t searches = contact_searches(work->contact);
  TRY(contact_detect(&step, err));
  state->count[STAT_SEARCHES] += contact_searches(work->contact) - searches;
  phase_add(work, PHASE_DETECT, &clock);

  // 3. free velocity
  TRY(dynamics_free_velocity(bs, &sub->matrices, &state->bodies, size, sub->p, sub->v_free, arena,
                             err));
  phase_add(work, PHASE_FREE, &clock);

  // 4. to 6. within Newton's method
  if (work->newton) {
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
    phase_add(work, PHASE_SOLVE, &clock);
    return status;
  }

  // 4. friction problem
  TRY(contact_assemble(&step, &sub->matrices, sub->turned, err));
  TRY(contact_problem(&step, sub->v_free, &work->problem, &sub->r, arena, err));
  phase_add(work, PHASE_ASSEMBLE, &clock);

  // 5. solve
  TRY(solver_run(model->steps.solver, &work->problem, &model->steps.solver_settings, sub->r, arena,
                 &work->report.solver, err));
  phase_add(work, PHASE_SOLVE, &clock);

  // 6. correct velocity and position
  memset(sub->impulse, 0, sizeof(double) * (size_t)bs->n_nodes * bs->dim);
  contact_add_impulses(work->contact, sub->r, sub->impulse);
  TRY(dynamics_correct(bs, &sub->matrices, &state->bodies, sub->v_free, sub->impulse, sub->v1,
                       arena, err));
  advance_positions(model, state, sub);
  phase_add(work, PHASE_UPDATE, &clock);
  return OK;
}

// Work of contacts [J] with velocities relative, and of moving supports.
static void contact_work(const Model *model, const State *state, const StepWork *work, SubStep *sub,
                         double *energy) {
  double theta = sub->size.theta, normal = 0, tangent = 0, support = 0;
  const BodySet *bs = &model->bodies;
  int dim = bs->dim;
  for (int c = 0; c < contact_count(work->contact); c++)
    for (int i = 0; i < dim; i++) {
      int k = dim * c + i;
      *(i == 0 ? &normal : &tangent) += sub->r[k] * (theta * sub->u1[k] + (1 - theta) * sub->u0[k]);
    }
  for (int b = 0; b < bs->n_bodies; b++) {
    if (bs->kind[b] != BODY_SUPPORT && bs->kind[b] != BODY_TOOL) continue;
    for (size_t k = (size_t)bs->node_ptr[b] * dim; k < (size_t)bs->node_ptr[b + 1] * dim; k++)
      if (bs->kind[b] == BODY_SUPPORT || !bs->tools[bs->own[b]].free[k % (size_t)dim])
        support -= sub->impulse[k] * (theta * sub->v1[k] + (1 - theta) * state->bodies.v[k]);
  }
  energy[ENERGY_CONTACT_NORMAL] += normal;
  energy[ENERGY_FRICTION] += tangent;
  energy[ENERGY_FRICTION_FED] += fmax(tangent, 0);
  energy[ENERGY_EXTERNAL] += support;
}

static Status account_energy(const Model *model, State *state, StepWork *work, SubStep *sub,
                             Err *err) {
  StepEnergy step;
  StepResult result = {.state = &state->bodies,
                       .size = sub->size,
                       .p = sub->p,
                       .impulse = sub->impulse,
                       .q1 = sub->q1,
                       .v1 = sub->v1};
  memset(sub->support, 0, sizeof(double) * (size_t)model->bodies.n_nodes * model->bodies.dim);
  TRY(dynamics_energy(&model->bodies, &result, &step, sub->support, &work->arena, err));
  double *energy = state->energy;
  if (work->newton) TRY(newton_commit(&sub->newton, &step, energy, sub->support, err));
  if (!isfinite(step.kinetic + step.elastic))
    return err_set(err, ERR_NUMERIC, "velocities or displacements are not finite numbers");
  contact_work(model, state, work, sub, energy);
  energy[ENERGY_KINETIC] = step.kinetic;
  energy[ENERGY_ELASTIC] = step.elastic;
  energy[ENERGY_EXTERNAL] += step.external;
  energy[ENERGY_DAMPING] += step.damping;
  energy[ENERGY_NUMERICAL] += step.numerical;
  for (int k = 0; k <= ENERGY_INITIAL; k++)
    energy[ENERGY_LARGEST] = fmax(energy[ENERGY_LARGEST], fabs(energy[k]));
  state->worst[WORST_BALANCE] = fmax(state->worst[WORST_BALANCE], step_energy_balance(state));
  return OK;
}

double step_energy_balance(const State *state) {
  const double *e = state->energy;
  double held = e[ENERGY_KINETIC] + e[ENERGY_ELASTIC] - e[ENERGY_INITIAL] + e[ENERGY_REMOVED];
  double fed = e[ENERGY_EXTERNAL] + e[ENERGY_CONTACT_NORMAL] + e[ENERGY_FRICTION] -
               e[ENERGY_DAMPING] - e[ENERGY_NUMERICAL] - e[ENERGY_PLASTIC];
  return e[ENERGY_LARGEST] > 0 ? fabs(held - fed) / e[ENERGY_LARGEST] : 0;
}

// 7. commit: the sub-step becomes the state.
static Status substep_commit(const Model *model, State *state, StepWork *work, SubStep *sub,
                             Err *err) {
  const BodySet *bs = &model->bodies;
  size_t n = (size_t)bs->n_nodes * bs->dim;
  int n_contacts = contact_count(work->contact);
  double clock = timer_wall();
  ARENA_NEW(sub->u1, bs->dim * n_contacts, &work->arena, err);
  sub->u0 = contact_old_velocities(work->contact);
  contact_velocities(work->contact, sub->v1, sub->u1);
  TRY(account_energy(model, state, work, sub, err));
  ContactStep step = contact_step(model, state, work, sub);
  step.projected = step.projected && work->report.solver.interior;
  contact_commit(&step, sub->r, sub->u1);
  memcpy(state->bodies.v, sub->v1, n * sizeof(double));
  memcpy(state->bodies.q, sub->q1, n * sizeof(double));
  for (size_t k = 0; k < n; k++) {
    work->impulse[k] += sub->impulse[k];
    work->support[k] += sub->support[k];
  }
  work->reaction = sub->r;
  work->velocity = sub->u1;
  work->report.h_last = sub->size.h;
  phase_add(work, PHASE_UPDATE, &clock);
  return OK;
}

// Keeps the contact with the largest part of the worst error in the energy of deformation so far.
static void keep_worst_contact(const Model *model, State *state, const StepWork *work) {
  const SolverReport *solver = &work->report.solver;
  double *worst = state->worst;
  if (solver->worst < 0 || solver->deformation <= worst[WORST_DEFORMATION]) return;
  const Contact *contact = &contact_list(work->contact)[solver->worst];
  worst[WORST_CONTACT_BODY] = contact->body[0];
  worst[WORST_CONTACT_OTHER] = contact->body[1];
  contact_place(&model->bodies, contact, state->bodies.q, &worst[WORST_CONTACT_PLACE]);
  worst[WORST_CONTACT_STEP] = (double)(state->step + 1);
}

static void count_substep(const Model *model, State *state, const StepWork *work, int newton) {
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
  if (solver->deforms) {
    keep_worst_contact(model, state, work);
    count[STAT_DEFORMING]++;
    state->worst[SUM_DEFORMATION] += solver->deformation;
    state->worst[WORST_DEFORMATION] = fmax(state->worst[WORST_DEFORMATION], solver->deformation);
  }
  state->worst[SUM_ERROR] += solver->error;
  state->worst[WORST_ERROR] = fmax(state->worst[WORST_ERROR], solver->error);
}

Status step_ask(const StepWork *work, Err *err) {
  if (!work->must_stop || !work->must_stop(work->must_stop_of)) return OK;
  return err_set(err, ERR_STOPPED, "interrupted");
}

// The state before a step that has sub-steps is kept, so that the step can be taken back as a whole.
static Status keep_before(const Model *model, State *state, StepWork *work, Err *err) {
  if (work->before) return OK;
  ARENA_NEW(work->before, 1, &work->arena, err);
  return state_copy(work->before, state, model, &work->arena, err);
}

static Status count_cut(const Model *model, State *state, StepWork *work, Err *err) {
  err_clear(err);
  TRY(keep_before(model, state, work, err));
  work->report.cuts++;
  state->count[STAT_CUTS]++;
  return OK;
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

// One try at the interval [t, t + h]; *again says that it is to be cut, else it was committed or the
// status tells why not.
static Status try_interval(Model *model, State *state, StepWork *work, StepSize size, int may_cut,
                           int *again, Log *log, Err *err) {
  SubStep sub = {.size = size};
  int newton = work->report.newton;
  *again = 0;
  TRY(step_ask(work, err));
  TRY(substep_init(&sub, model, &work->arena, err));
  Status status = substep_solve(model, state, work, &sub, err);
  StepTrial trial = {.model = model,
                     .state = state,
                     .work = work,
                     .contact = contact_step(model, state, work, &sub),
                     .v_free = sub.v_free,
                     .q1 = sub.q1,
                     .v1 = sub.v1,
                     .r = sub.r};
  if (status == OK) status = trial_check(&trial, err);
  int missed = status == OK && !work->report.solver.converged;
  int leaps = status == OK && trial_leaps(&trial, err) != OK;
  if (may_cut && (status == ERR_NUMERIC || leaps || (missed && model->steps.on_miss == MISS_CUT))) {
    *again = 1;
    log_warn(log, "step cut", "step %lld, t = %.6g s: a sub-step of %g s is cut: %s",
             (long long)state->step + 1, size.t, size.h,
             err->text[0] ? err->text : "the contact solver missed its tolerance");
    return count_cut(model, state, work, err);
  }
  if (status == ERR_NUMERIC && work->newton) trial_explain(&trial, err);
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
  if (missed) TRY(accept_missed(model, state, work, log, err));
  work->report.substeps++;
  count_substep(model, state, work, work->newton ? work->report.newton - newton : 1);
  return substep_commit(model, state, work, &sub, err);
}

// Cuts by halves: recursion halves the interval where the policy says so.
static Status advance_interval(Model *model, State *state, StepWork *work, double t, double h,
                               int depth, Log *log, Err *err) {
  StepSize size = {.t = t, .h = h, .theta = model->steps.theta};
  int again;
  TRY(try_interval(model, state, work, size, depth < model->steps.max_cuts, &again, log, err));
  if (!again) return OK;
  TRY(advance_interval(model, state, work, t, h / 2, depth + 1, log, err));
  return advance_interval(model, state, work, t + h / 2, h / 2, depth + 1, log, err);
}

// A sub-step grows when Newton's method needed at most this many iterations.
enum { EASY_NEWTON = 8 };

// Sub-steps of their own size, which lives on from step to step.
static Status advance_adaptive(Model *model, State *state, StepWork *work, double t0, double t1,
                               Log *log, Err *err) {
  const StepSettings *steps = &model->steps;
  double t = t0, *h_next = &state->h_next;
  if (!(*h_next > 0)) *h_next = steps->h;
  while (t1 - t > 1e-9 * steps->h) {
    double parts = ceil((t1 - t) / *h_next - 1e-9), h = (t1 - t) / fmax(parts, 1);
    int again, newton = work->report.newton, may_cut = h / 2 >= steps->h_min;
    StepSize size = {.t = t, .h = h, .theta = steps->theta};
    if (parts > 1) TRY(keep_before(model, state, work, err));
    Status status = try_interval(model, state, work, size, may_cut, &again, log, err);
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

// A step that fails, or is given up, after some of its sub-steps were accepted: back to where it began. Cuts
// of one that failed stay counted; one that was given up is taken again.
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
  Status status = work_for_stage(work, model, state, err);
  if (status == OK) stage_account(&before.view.model, &work->view.model, state);
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
static Status take_step(Model *model, State *state, StepWork *work, double t0, double t1, Log *log,
                        Err *err) {
  const StepSettings *steps = &model->steps;
  Status status = steps->h_min > 0
                      ? advance_adaptive(model, state, work, t0, t1, log, err)
                      : advance_interval(model, state, work, t0, steps->h, 0, log, err);
  if ((status == ERR_NUMERIC || status == ERR_STOPPED) && work->before) {
    Err failure = {0};
    if (undo_substeps(model, state, work, status == ERR_NUMERIC, &failure) != OK) *err = failure;
  }
  if (status != OK)
    return err_note(err, "step %lld, t = %.6g s, h = %g s", (long long)state->step + 1, t0,
                    steps->h);
  return OK;
}

static void measure_penetration(const Model *model, State *state, StepWork *work) {
  double clock = timer_wall(), *worst = state->worst;
  contact_penetration(&model->contact, &model->bodies, &state->bodies, &state->contact,
                      work->contact, work->gap, &work->report.penetration);
  phase_add(work, PHASE_UPDATE, &clock);
  worst[WORST_PENETRATION_CONTACTS] =
      fmax(worst[WORST_PENETRATION_CONTACTS], work->report.penetration.contacts);
  worst[WORST_PENETRATION_NODES] =
      fmax(worst[WORST_PENETRATION_NODES], work->report.penetration.nodes);
}

Status step_advance(Model *run_model, State *state, StepWork *work, Log *log, Err *err) {
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
  work->report = (StepReport){.stage = (int)work->stage, .h = h};
  TRY(take_step(model, state, work, t0, t1, log, err));
  state->step++;
  state->t = t1;
  state->count[STAT_STEPS]++;
  state->count[STAT_NEWTON_ROWS] += work->n_newton_rows;
  state->count[STAT_NOT_CONVERGED] += work->report.missed;
  work->report.n_contacts = contact_count(work->contact);
  ARENA_NEW(work->gap, work->report.n_contacts, &work->arena, err);
  measure_penetration(model, state, work);
  const StepReport *report = &work->report;
  StageStep step = {.h_last = report->h_last,
                    .easy = report->cuts == 0 && report->newton <= EASY_NEWTON * report->substeps,
                    .force = report->force};
  state->count[STAT_NOT_AT_REST] += stage_watch(run_model, state, step);
  return OK;
}

void step_rest(const Model *model, State *state) {
  size_t n = (size_t)model->bodies.n_nodes * model->bodies.dim;
  memset(state->bodies.v, 0, n * sizeof(double));
  if (model->bodies.n_extra > 0)
    memset(state->bodies.extra, 0, sizeof(double) * (size_t)model->bodies.n_extra);
  state->energy[ENERGY_REMOVED] += state->energy[ENERGY_KINETIC];
  state->energy[ENERGY_KINETIC] = 0;
}
