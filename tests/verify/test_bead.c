// Draw beads: a strip that is pulled over a line feels the force of the line, as long as the strip
// is wide.

#include <criterion/criterion.h>
#include <math.h>

#include "../support/run_case.h"
#include "step/substep.h"

// 60 x 20 mm, pulled by its corners along x; 20 of the points of the bead lie under it. %s:
// displacement, pattern, way of contact, end of the input.
static CaseRun *pulled(const char *x, const char *pattern, const char *way, const char *end) {
  return run_case_text(
      xml_format(
          "<voussoir><model space='solid'/>"
          "<material name='steel' density='7800' young='206e9' poisson='0.3'/>"
          "<sheet name='strip' material='steel' shape='rectangle' width='60e-3 20e-3' size='2.5e-3' "
          "thickness='1e-3' pattern='%s'/>"
          "<tool name='die' shape='plane' axis_y='0' axis_z='1' at_z='-1e-3'/>"
          "<hold on='strip' as='z'/><hold on='strip.axis_x' as='y'/>"
          "<bead sheet='strip' tool='die' line='0.01 -0.05 0 0.01 0.05 0' spacing='1e-3' "
          "restraint='5000'/><prescribe on='strip.corners' x='%s'/>"
          "<newton contact='%s' tolerance='1e-6'/><solver tolerance='1e-8'/>"
          "<probe name='force' quantity='hold' of='strip.corners' component='x'/>"
          "<probe name='die' quantity='reaction' of='die'/><probe name='s' quantity='status'/>"
          "<probe name='e' quantity='energy'/>%s</voussoir>",
          pattern, x, way, end),
      NULL);
}

static const char TIME[] = "<time end='1' step='0.05' theta='1'/>";

Test(bead, restrains_a_strip_by_its_force_times_the_width_either_way) {
  static const char *const pattern[] = {"t3", "q4"}, *const way[] = {"primal", "delassus"};
  const double force = 5000 * 20e-3;
  for (int k = 0; k < 4; k++) {
    CaseRun *run = pulled("10e-3*min(t,1-t)", pattern[k % 2], way[k / 2], TIME);
    for (int64_t row = 1; row < run->n_rows; row++) {
      double sense = row < 10 ? 1 : -1;
      if (row == 10) continue; // it turns
      cr_assert_float_eq(run_case_at(run, row, "force"), sense * force, 1e-5 * force,
                         "%s, %s: %.9g in step %lld", pattern[k % 2], way[k / 2],
                         run_case_at(run, row, "force"), (long long)row + 1);
      cr_assert_float_eq(run_case_at(run, row, "die_x"), -sense * force, 1e-6 * force);
      cr_assert_eq(run_case_at(run, row, "s_slip"), 20);
      cr_assert_float_eq(run_case_at(run, row, "die_z"), 0, 1e-9 * force);
    }
    // all the work of 10 mm is friction but for what the strip stores on the way
    cr_assert_float_eq(run_case_last(run, "e_friction"), -force * 10e-3, 1e-3 * force * 10e-3);
    cr_assert_leq(energy_balance(run->state.energy), 1e-8);
    run_case_close(run);
  }
}

Test(bead, holds_a_strip_that_is_pulled_by_less) {
  CaseRun *run = pulled("4e-7*min(t,1.05-t)", "t3", "primal", TIME);
  double most = run_case_largest(run, "force");
  cr_assert(most > 10 && most < 100, "%g", most);
  cr_assert_eq(run_case_largest(run, "s_slip"), 0);
  cr_assert_eq(run_case_last(run, "s_stick"), 20);
  cr_assert_float_eq(run_case_last(run, "force"), run_case_at(run, 0, "force"), 1e-4 * most);
  cr_assert_float_eq(run_case_last(run, "e_friction"), 0, 1e-6 * most * 2e-7);
  run_case_close(run);
}

Test(bead, goes_with_its_tool) {
  CaseRun *run = pulled("10e-3*t", "t3", "primal",
                        "<time step='0.05' theta='1'/><stage name='pull' duration='0.5'/>"
                        "<stage name='free' duration='0.05' remove='die'/>");
  cr_assert_float_eq(run_case_at(run, 9, "force"), 100, 1e-3);
  cr_assert_float_eq(run_case_last(run, "force"), 0, 1e-3);
  cr_assert_eq(run_case_last(run, "contacts"), 0);
  run_case_close(run);
}
