#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "../../support/run_case.h"
#include "output/schedule.h"

// A block on a support; %s: <time>, stages, <output>.
static CaseRun *block(const char *more) {
  return run_case_open_text(
      xml_format("<voussoir><material name='s' density='2000' young='1e6' poisson='0.2' "
                 "damping_mass='20'/><law name='d' friction='0.5'/>"
                 "<block name='b' material='s' width='0.4' height='0.4' kinematics='finite'/>"
                 "<support name='base' shape='box' x='-1' y='-1' width='3' height='1'/>"
                 "<contact candidate='b' antagonist='base' law='d' points='nodes'/>"
                 "<gravity/>%s</voussoir>",
                 more),
      NULL);
}

// Runs to the end; steps after which fields would be written.
static int written_steps(const char *more, int64_t steps[], int max) {
  CaseRun *run = block(more);
  const Model *model = &run->input.model;
  int every = run->input.output.every, n = 0;
  if (schedule_wants_fields(every, model, &run->state, 0)) steps[n++] = 0;
  while (!stage_run_is_over(model, &run->state)) {
    run_case_step(run, 0);
    if (!schedule_wants_fields(every, model, &run->state, run->work.report.h)) continue;
    cr_assert_lt(n, max);
    steps[n++] = run->state.step;
  }
  int64_t counted = schedule_count_fields(every, model);
  cr_assert(counted >= n && counted <= n + 4, "%s: %d sets, %lld were foreseen", more, n,
            (long long)counted);
  run_case_close(run);
  return n;
}

enum { MAX = 400 };

Test(schedule, writes_after_every_so_many_steps_where_the_input_says_so) {
  int64_t step[MAX];
  cr_assert_eq(written_steps("<time end='0.1' step='1e-3'/><output every='0'/>", step, MAX), 0);
  cr_assert_eq(written_steps("<time end='0.1' step='1e-3'/><output every='7'/>", step, MAX), 15);
  for (int k = 0; k < 15; k++) cr_assert_eq(step[k], 7 * k);
}

Test(schedule, writes_about_fifty_times_where_it_does_not) {
  int64_t step[MAX];
  static const struct {
    const char *text;
    int least, most;
  } runs[] = {
      {"<time end='0.02' step='1e-3'/>", 21, 21}, // each of 20 steps, and the start
      {"<time end='0.06' step='1e-3'/><output format='ascii'/>", 31, 31}, // every second
      {"<time end='1' step='1e-3'/>", 51, 51},
      {"<time end='1.001' step='1e-3'/>", 47, 52},
      // two stages of equal steps share
      {"<time step='1e-3'/><stage name='a' duration='0.1'/><stage name='b' duration='0.9'/>", 50,
       53},
      // steps that grow from 1 ms to 20 ms: by time
      {"<time step='1e-3' theta='1'/><stage name='a' duration='10' step_max='2e-2'/>", 48, 52},
      // both: half each
      {"<time step='1e-3' theta='1'/><stage name='a' duration='5' step_max='2e-2'/><stage name='b' "
       "duration='0.5' step='1e-3'/>",
       48, 54}};
  for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
    int n = written_steps(runs[k].text, step, MAX);
    cr_expect(n >= runs[k].least && n <= runs[k].most, "%s: %d sets", runs[k].text, n);
    cr_expect_eq(step[0], 0);
  }
}

Test(schedule, thins_out_while_a_stage_waits_for_rest) {
  int64_t step[MAX];
  int n = written_steps(
      "<time step='1e-3' theta='1'/><stage name='a' until='rest' duration='1' step_max='1e-3' "
      "rest_energy='1e-30' without_rest='continue'/>",
      step, MAX);
  cr_assert(n >= 50 && n <= 150, "%d sets of 1000 steps", n);
  for (int k = 0; k < 25; k++) cr_assert_eq(step[k], k, "the first steps are all there");
  for (int k = 2; k < n - 1; k++) cr_assert_geq(step[k] - step[k - 1], step[k - 1] - step[k - 2]);
  cr_assert_eq(step[n - 1], 1000, "and the end");
}
