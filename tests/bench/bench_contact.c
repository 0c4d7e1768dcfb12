// One iteration of Newton's method with contact (steps as a whole) against the factorisation alone,
// CPU time, for a block of 29,700 unknowns pressed on a plane at 900 nodes: bench_contact INPUT
// prints one line for bench.py. bench_contact --pressure INPUT runs it and prints place x, pressure
// [Pa] for every contact of the last step.

#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "algebra/spd.h"
#include "app/load.h"
#include "base/timer.h"
#include "step/newton_internal.h"

enum { REPEATS = 5 };

// Seconds of the numeric factorisation of the body's matrix at rest, the best of a few.
static Status factorise(const Model *model, const State *state, NewtonWork *work, double *seconds,
                        Err *err) {
  double best = 0;
  FiniteIterate at = {.state = &state->bodies,
                      .size = {.h = model->steps.h, .theta = model->steps.theta},
                      .u = state->bodies.q,
                      .config = state->bodies.config,
                      .internal = work->internal};
  TRY(finite_forces(&model->bodies, &work->system, &at, work->system.f1, 1, err));
  for (int k = 0; k <= REPEATS; k++) { // the first one analyses
    StepSize size = {.h = model->steps.h * (1 + 1e-3 * k), .theta = model->steps.theta};
    double start = timer_cpu();
    TRY(finite_factorise(&model->bodies, &work->system, 0, size, model->steps.newton.statics, err));
    double now = timer_cpu() - start;
    if (k == 1 || (k > 1 && now < best)) best = now;
  }
  *seconds = best;
  return OK;
}

static Status measure(Case *c, State *state, StepWork *work, Err *err) {
  Log log = {0};
  double solve = 0, alone = 0;
  int iterations = 0, contacts = 0;
  TRY(state_init(state, &c->model, err));
  TRY(step_work_init(work, &c->model, state, err));
  TRY(factorise(&c->model, state, work->newton, &alone, err));
  while (state->step < c->model.steps.n_steps) {
    double start = timer_cpu();
    TRY(step_advance(&c->model, state, work, &log, err));
    if (state->step == 1) continue; // with the analysis of the pattern
    solve += timer_cpu() - start;
    iterations += work->report.newton;
    contacts = work->report.n_contacts;
  }
  printf("%d %d %d %.6g %.6g\n", work->newton->system.n, contacts, iterations, solve / iterations,
         alone);
  return OK;
}

static Status pressures(Case *c, State *state, StepWork *work, Err *err) {
  Log log = {0};
  TRY(state_init(state, &c->model, err));
  TRY(step_work_init(work, &c->model, state, err));
  while (state->step < c->model.steps.n_steps) TRY(step_advance(&c->model, state, work, &log, err));
  int dim = c->model.bodies.dim;
  for (int k = 0; k < contact_count(work->contact); k++) {
    const Contact *contact = &contact_list(work->contact)[k];
    double place[3];
    contact_place(&c->model.bodies, contact, state->bodies.q, place);
    printf("%.9g %.9g\n", place[0],
           work->reaction[dim * k] / (work->report.h_last * contact->area));
  }
  return OK;
}

int main(int argc, char **argv) {
  Case c = {0};
  State state = {0};
  StepWork work = {0};
  Err err = {0};
  int pressure = argc == 3 && strcmp(argv[1], "--pressure") == 0;
  if (argc != 2 + pressure) return 2;
  omp_set_num_threads(1);
  if (algebra_start(NULL, NULL) != OK) return 3;
  Status status = case_load(&c, argv[argc - 1], NULL, 0, &err);
  if (status == OK) status = (pressure ? pressures : measure)(&c, &state, &work, &err);
  if (status != OK) fprintf(stderr, "%s\n", err.text);
  step_work_free(&work);
  state_free(&state);
  case_free(&c);
  return status == OK ? 0 : 1;
}
