#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/run_case.h"
#include "step/substep.h"

static const char WALL[] = "inputs/masonry_wall.xml";

Test(step, allocates_nothing_after_warm_up) {
  CaseRun *run = run_case_open(WALL, "courses=4 blocks=4 output_every=0");
  for (int k = 0; k < 30; k++) run_case_step(run, 0);
  int64_t searches = contact_searches(run->work.contact), quiet = 0;
  for (int k = 0; k < 100; k++) {
    int64_t calls = mem_total_calls();
    run_case_step(run, 0);
    int searched = contact_searches(run->work.contact) > searches;
    searches = contact_searches(run->work.contact);
    if (searched) continue; // a search makes new slots
    cr_assert_eq(mem_total_calls(), calls, "step %lld", (long long)run->state.step);
    quiet++;
  }
  cr_assert_gt(quiet, 80);
  run_case_close(run);
}

Test(step, reaches_the_end_exactly_with_a_shorter_last_step) {
  CaseRun *run = run_case(WALL, "courses=2 blocks=2 end=0.0105 output_every=0");
  cr_assert_eq(run->state.step, 11);
  cr_assert_eq(run->state.t, 0.0105);
  run_case_close(run);
}

// A quarter of a second in steps of a tenth: the velocity is that of free fall, the last step half
// as long.
Test(step, that_is_the_last_and_shorter_is_as_long_as_it_says) {
  CaseRun *run = run_case_open_text(
      "<voussoir><material name='m' density='1000' young='1e6' poisson='0.3'/>"
      "<block name='a' material='m' width='1' height='1' y='10'/><law name='l' friction='0'/>"
      "<support name='s' shape='plane'/><contact candidate='a' antagonist='s' law='l'/>"
      "<gravity y='-10'/><time end='0.25' step='0.1'/></voussoir>",
      NULL);
  run_case_to_end(run);
  cr_assert_eq(run->state.step, 3);
  const BodySet *bs = &run->input.model.bodies;
  for (int k = 0; k < bs->n_nodes; k++)
    if (bs->type[bs->body_of[k]] != &body_support)
      cr_assert_float_eq(run->state.bodies.v[2 * k + 1], -2.5, 1e-9); // g t
  run_case_close(run);
}

// A tolerance that one sweep cannot reach.
static CaseRun *hurried(const char *policy) {
  static char xml[2000];
  snprintf(xml, sizeof xml,
           "<voussoir><material name='stone' density='500' young='1e6' poisson='0.3'/>"
           "<law name='dry' friction='0.5'/>"
           "<wall name='wall' material='stone' courses='4' blocks='4' length='0.1' height='0.05'/>"
           "<support name='base' shape='box' x='-1' y='-1' width='3' height='1'/>"
           "<contact candidate='wall' antagonist='wall base' law='dry'/><gravity/>"
           "<time end='0.01' step='1e-3' on_miss='%s' max_cuts='2'/>"
           "<solver tolerance='1e-9' max_iterations='2'/></voussoir>",
           policy);
  return run_case_open_text(xml, NULL);
}

Test(step, that_misses_the_tolerance_is_counted_and_goes_on) {
  CaseRun *run = hurried("continue");
  run_case_to_end(run);
  cr_assert_eq(run->state.count[STAT_NOT_CONVERGED], 10);
  cr_assert_eq(run->state.count[STAT_CUTS], 0);
  cr_assert_gt(run->state.worst[WORST_ERROR], 1e-9);
  cr_assert_eq(log_count(&run->log), 10);
  run_case_close(run);
}

// The step of the largest error is told, not the last one.
Test(step, keeps_where_the_error_in_deformation_was_worst) {
  CaseRun *run = run_case_open(WALL, "courses=3 blocks=3 output_every=0");
  double most = 0;
  int64_t at = 0;
  for (int k = 1; k <= 40; k++) {
    run_case_step(run, 0);
    const SolverReport *solver = &run->work.report.solver;
    if (solver->worst >= 0 && solver->deformation > most) most = solver->deformation, at = k;
  }
  cr_assert(at > 0 && at < 40, "worst in step %lld", (long long)at);
  cr_assert_eq(run->state.worst[WORST_DEFORMATION], most);
  cr_assert_eq(run->state.worst[WORST_CONTACT_STEP], (double)at);
  run_case_close(run);
}

Test(step, that_misses_the_tolerance_is_cut_as_often_as_allowed) {
  CaseRun *run = hurried("cut");
  Err err = {0};
  cr_assert_eq(step_advance(&run->input.model, &run->state, &run->work, &run->log, &err), OK, "%s",
               err.text);
  cr_assert_eq(run->state.count[STAT_CUTS], 3); // 1 + 2: all four quarters
  cr_assert_eq(run->state.count[STAT_SUBSTEPS], 4);
  cr_assert_eq(run->state.t, 1e-3);
  run_case_close(run);
}

Test(step, that_misses_the_tolerance_stops_the_run_and_leaves_the_state) {
  CaseRun *run = hurried("stop");
  Err err = {0};
  cr_assert_eq(step_advance(&run->input.model, &run->state, &run->work, &run->log, &err),
               ERR_NUMERIC);
  cr_assert(strstr(err.text, "tolerance") && strstr(err.text, "step 1"), "%s", err.text);
  cr_assert_eq(run->state.step, 0);
  cr_assert_eq(run->state.t, 0);
  cr_assert_eq(run->state.energy[ENERGY_KINETIC], 0);
  run_case_close(run);
}

Test(step, reports_exhausted_memory_wherever_it_happens) {
  for (int n = 1; n < 200; n++) {
    CaseRun *run = run_case_open(WALL, "courses=2 blocks=2 output_every=0");
    Err err = {0};
    mem_fail_after(n);
    Status status = step_advance(&run->input.model, &run->state, &run->work, &run->log, &err);
    mem_fail_after(0);
    run_case_close(run);
    if (status == OK) {
      cr_assert_gt(n, 10); // some allocations did fail before
      return;
    }
    cr_assert_eq(status, ERR_SYSTEM, "allocation %d: %s", n, err.text);
  }
  cr_assert_fail("200 allocations in the first step of a small wall");
}

Test(step, keeps_the_state_hash_over_equal_runs_and_changes_it_with_the_input) {
  CaseRun *a = run_case(WALL, "courses=3 blocks=3 end=0.02 output_every=0");
  CaseRun *b = run_case(WALL, "courses=3 blocks=3 end=0.02 output_every=0");
  CaseRun *c = run_case(WALL, "courses=3 blocks=3 end=0.02 output_every=0 friction=0.49");
  cr_assert_eq(state_hash(&a->state, &a->input.model), state_hash(&b->state, &b->input.model));
  cr_assert_neq(state_hash(&a->state, &a->input.model), state_hash(&c->state, &c->input.model));
  run_case_close(a);
  run_case_close(b);
  run_case_close(c);
}

// Fifty steps of 1e-3 s are not 0.05 s to the last bit: a second rest would take what a step has
// put in.
Test(step, rest_at_a_time_acts_once_whatever_the_sums_of_steps_give) {
  static const double step[] = {1e-3, 2e-3, 7e-4, 1e-2},
                      time[] = {0.01, 0.03, 0.05, 0.07, 0.1, 0.13};
  for (size_t i = 0; i < sizeof step / sizeof step[0]; i++)
    for (size_t k = 0; k < sizeof time / sizeof time[0]; k++) {
      char xml[1000];
      snprintf(xml, sizeof xml,
               "<voussoir><material name='m' density='2000' young='1e8' poisson='0.2'/>"
               "<law name='d' friction='0.5'/><block name='b' material='m' y='5' width='0.4' "
               "height='0.4'/><support name='s' shape='plane'/><contact candidate='b' "
               "antagonist='s' law='d'/><gravity/><rest time='%g'/>"
               "<time end='0.2' step='%g' theta='1'/>"
               "<probe name='v' quantity='velocity' of='b'/></voussoir>",
               time[k], step[i]);
      CaseRun *run = run_case_text(xml, NULL);
      // it falls from rest again since the step whose end was first not before that time
      double rest = step[i] * ceil(time[k] / step[i] - 1e-6);
      double expected = -9.81 * (run->state.t - rest);
      cr_expect_float_eq(run_case_last(run, "v_y"), expected, 1e-6, "step %g, rest at %g: %g m/s",
                         step[i], time[k], run_case_last(run, "v_y"));
      run_case_close(run);
    }
}

Test(step, rest_takes_the_kinetic_energy_out_of_the_balance) {
  CaseRun *run = run_case_open(WALL, "courses=4 blocks=4 output_every=0");
  run_case_steps(run, 5);
  double kinetic = run->state.energy[ENERGY_KINETIC];
  cr_assert_gt(kinetic, 0);
  step_rest(&run->input.model, &run->state);
  cr_assert_eq(run->state.energy[ENERGY_KINETIC], 0);
  cr_assert_eq(run->state.energy[ENERGY_REMOVED], kinetic);
  cr_assert_lt(energy_balance(run->state.energy), 1e-10);
  run_case_steps(run, 5);
  cr_assert_lt(run->state.worst[WORST_BALANCE], 1e-10);
  run_case_close(run);
}

Test(step, that_fails_after_it_was_cut_leaves_the_state_of_its_start) {
  // The force is no number from 10.4 to 11.2 ms: of the step from 10 to 11 ms some sub-steps
  // succeed, then none does, however short.
  CaseRun *run = run_case_open_text(
      "<voussoir><material name='stone' density='500' young='1e6' poisson='0.3'/>"
      "<law name='dry' friction='0.5'/>"
      "<wall name='wall' material='stone' courses='3' blocks='3' length='0.1' height='0.05'/>"
      "<support name='base' shape='box' x='-1' y='-1' width='3' height='1'/>"
      "<contact candidate='wall' antagonist='wall base' law='dry'/><gravity/>"
      "<force on='wall.top' x='1e3*sqrt((t-0.0104)*(t-0.0112))'/>"
      "<time end='1' step='1e-3' max_cuts='4'/></voussoir>",
      NULL);
  run_case_steps(run, 10);
  const Model *model = &run->input.model;
  State *state = &run->state;
  size_t n = 2 * (size_t)model->bodies.n_nodes;
  double q[500], v[500], energy[N_ENERGIES], impulse = 0, impulse_after = 0;
  cr_assert_leq(n, 500);
  memcpy(q, state->bodies.q, sizeof *q * n);
  memcpy(v, state->bodies.v, sizeof *v * n);
  memcpy(energy, state->energy, sizeof energy);
  for (int64_t k = 0; k < state->contact.n_slots; k++)
    impulse += state->contact.impulse[2 * k] *
               (1 + 13.0 * state->contact.key[k].body_c + state->contact.key[k].feature_c);
  Err err = {0};
  cr_assert_eq(step_advance(&run->input.model, state, &run->work, &run->log, &err), ERR_NUMERIC);
  cr_assert(strstr(err.text, "step 11"), "%s", err.text);
  cr_assert_eq(state->count[STAT_CUTS], 4); // to 10.25 and 10.375 ms, and no further
  cr_assert_eq(state->step, 10);
  cr_assert_float_eq(state->t, 0.01, 1e-15);
  cr_assert_eq(state->count[STAT_SUBSTEPS], 10);
  cr_assert_eq(memcmp(q, state->bodies.q, sizeof *q * n), 0);
  cr_assert_eq(memcmp(v, state->bodies.v, sizeof *v * n), 0);
  cr_assert_eq(memcmp(energy, state->energy, sizeof energy), 0);
  for (int64_t k = 0; k < state->contact.n_slots; k++)
    impulse_after += state->contact.impulse[2 * k] *
                     (1 + 13.0 * state->contact.key[k].body_c + state->contact.key[k].feature_c);
  cr_assert_eq(impulse, impulse_after);
  cr_assert_eq(state->contact.search[1], 1e-3);
  run_case_close(run);
}

Test(step, that_is_cut_without_memory_is_a_system_error_and_leaks_nothing) {
  int64_t before = mem_live_blocks();
  for (int n = 1; n < 400; n++) {
    CaseRun *run = hurried("cut");
    Err err = {0};
    mem_fail_after(n);
    Status status = step_advance(&run->input.model, &run->state, &run->work, &run->log, &err);
    mem_fail_after(0);
    run_case_close(run);
    cr_assert_eq(mem_live_blocks(), before, "allocation %d", n);
    if (status == OK) return;
    cr_assert_eq(status, ERR_SYSTEM, "allocation %d: %s", n, err.text);
  }
  cr_assert_fail("400 allocations in the first step of a small wall");
}
