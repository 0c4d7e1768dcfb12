// Statics of elastic bodies.
//
// The loads of the step's end, and long sub-steps that each begin at rest, until nothing is out of
// balance: each is a static solution but for what inertia, one part in a thousand, holds back.
// Joints keep their strength on the way; then those that are beyond it lose it, and the search goes
// on, until nothing is lost any more.

#include <math.h>
#include <string.h>

#include "step/substep.h"

// What the last solution of statics still moved: its work and change of strain energy over the
// strain energy. Forces of inertia would say less: they are small whatever moves, in so long a
// sub-step.
double statics_moved(const State *state, const SubStep *sub) {
  const double *before = state->energy, *after = sub->energy;
  double held = after[ENERGY_ELASTIC], moved = 0;
  static const int terms[] = {ENERGY_ELASTIC, ENERGY_EXTERNAL, ENERGY_CONTACT_NORMAL,
                              ENERGY_FRICTION};
  for (size_t k = 0; k < sizeof terms / sizeof terms[0]; k++)
    moved += fabs(after[terms[k]] - before[terms[k]]);
  return held > 0 ? moved / held : 0;
}

int statics_on_the_way(const Model *model, const StepWork *work) {
  return work->static_step > 0 && work->report.unbalanced > model->steps.rest_work;
}

// What is asked beyond the tolerance of the input may cost so many iterations, no more: they are
// factorisations.
enum { EXTRA_ITERATIONS = 150 };

int statics_iterations(int iterations) {
  return iterations < EXTRA_ITERATIONS ? iterations : EXTRA_ITERATIONS;
}

// A structure that is not at rest after so many is none.
enum { MOST_STATIC = 200 };

// Where a solution leaves more than this share of what was out of balance, contacts are solved by
// so much more exactly, down to the least tolerance: beyond it hard joints cost hundreds of
// factorisations and nothing moves.
static const double SETTLING = 0.5, TIGHTER = 0.1, TIGHTEST = 1e-4;

static void tighten(SolverSettings *settings) {
  settings->tolerance = fmax(TIGHTER * settings->tolerance, fmin(TIGHTEST, settings->tolerance));
  settings->max_iterations = statics_iterations(settings->max_iterations);
}

// A balance that bodies find inside one another is none, but where they were as deep before.
static Status doubt_balance(const Model *model, const StepWork *work, double known, Err *err) {
  const PenetrationWorst *worst = &work->report.penetration.judged;
  if (worst->body < 0 || worst->depth <= fmax(worst->limit, known)) return OK;
  return err_set(err, ERR_NUMERIC,
                 "no static equilibrium near: '%s' is penetrated by %.3g m (limit %.3g m)",
                 model->bodies.name[worst->body], worst->depth, worst->limit);
}

// known: penetration that is a verdict already.
static Status settle(const Model *model, State *state, StepWork *work, double t, double dt,
                     double known, Log *log, Err *err) {
  size_t n = (size_t)model->bodies.n_nodes * (size_t)model->bodies.dim;
  double limit = model->steps.rest_work;
  int again, keeps = model->contact.n_law_state == 0; // nothing can be lost
  double before = (double)INFINITY, way = 0;
  SolverSettings *settings = &work->view.model.steps.solver_settings; // of this step alone
  settings->max_iterations = statics_iterations(settings->max_iterations / 2) * 2;
  work->frozen = !keeps;
  for (int k = 1; k <= MOST_STATIC; k++) {
    StepSize size = {.t = k == 1 ? t : t + dt,
                     .h = work->static_step,
                     .theta = 1,
                     .statics = 1,
                     .dt = k == 1 ? dt : 0};
    int lost = work->report.lost;
    memset(work->impulse, 0, n * sizeof(double));
    memset(work->support, 0, n * sizeof(double));
    step_rest(model, state);
    TRY(substep_try(model, state, work, size, 0, &again, log, err));
    work->report.settled = k;
    way += work->report.farthest;
    if (way > model->contact.skin.longest)
      return err_set(err, ERR_NUMERIC,
                     "no static equilibrium near: the bodies have moved by up to %.3g m in %d "
                     "solutions, more than their longest edge (%.3g m), '%s' farthest in the last",
                     way, k, model->contact.skin.longest,
                     model->bodies.name[work->report.farthest_body]);
    int balanced = work->report.unbalanced <= limit && work->report.lost == lost;
    if (balanced && !work->frozen) return doubt_balance(model, work, known, err);
    // What the solver leaves is as much out of balance as what has not moved yet.
    if (work->report.unbalanced > SETTLING * before) tighten(settings);
    before = work->report.unbalanced;
    work->frozen = !keeps && !balanced;
  }
  return err_set(err, ERR_NUMERIC,
                 "no static equilibrium: solution %d still moves by %.2g of the strain energy "
                 "(rest_work %.2g), '%s' farthest, %.3g m%s",
                 MOST_STATIC, work->report.unbalanced, limit,
                 model->bodies.name[work->report.farthest_body], work->report.farthest,
                 work->report.lost > 0 ? ", and joints go on losing strength" : "");
}

// Cuts the loads of the step by halves where they find no equilibrium.
Status statics_advance(const Model *model, State *state, StepWork *work, double t, double dt,
                       int depth, Log *log, Err *err) {
  StateCopy *before;
  ARENA_NEW(before, 1, &work->arena, err);
  TRY(state_copy(before, state, model, &work->arena, err));
  TRY(substep_keep_before(model, state, work, err));
  double known = state->verdict.value[VERDICT_PENETRATION][VERDICT_VALUE];
  Status status = settle(model, state, work, t, dt, known, log, err);
  if (status != ERR_NUMERIC) return status;
  if (depth >=
      model->steps
          .max_cuts) // the run goes back to the step's start, which is farther from the limit
    return err_note(err, "the loads of t = %.6g s are carried, those of %.6g s are not", t, t + dt);
  log_warn(log, "step cut", "step %lld, t = %.6g s: loads over %g s are cut: %s",
           (long long)state->step + 1, t, dt, err->text);
  TRY(state_take_back(before, state, model, err));
  TRY(contact_resume(&model->contact, &model->bodies, &state->contact, work->contact, err));
  TRY(substep_count_cut(model, state, work, err));
  TRY(statics_advance(model, state, work, t, dt / 2, depth + 1, log, err));
  return statics_advance(model, state, work, t + dt / 2, dt / 2, depth + 1, log, err);
}
