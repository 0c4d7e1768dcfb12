// Bodies that are thrown at tools thinner than what they move in a step: held, or told.

#include <criterion/criterion.h>
#include <math.h>

#include "../support/run_case.h"

// Thickness of plates and rolls, and how far a body's front is from them [m].
static const double THICK = 0.01, AWAY = 0.08;

#define PLATE                                                                                      \
  "shape='profile' sweep='extrusion' corners='0 -1 0  0.01 -1 0  0.01 1 0  0 1 0'"                 \
  " material='left' closed='yes' axis_y='0' axis_z='1' first_x='1'"
#define FLAT_PLATE                                                                                 \
  "shape='profile' corners='0 -1 0  0.01 -1 0  0.01 1 0  0 1 0' material='left' closed='yes'"
#define ROLL      "shape='cylinder' radius='0.005' at_x='0.005'"
#define SLIM_ROLL "shape='cylinder' radius='2e-3' at_x='2e-3'"
#define THIN_ROLL "shape='cylinder' radius='8e-4' at_x='8e-4'"
#define BALL      "shape='sphere' radius='0.005' at_x='0.005'"

static int64_t told(const CaseRun *run) {
  return run->state.verdict.count[VERDICT_PENETRATION][VERDICT_COUNT];
}

// A block of 0.1 m, its front AWAY before x = 0, at `speed` against a tool that comes by `coming`.
static CaseRun *thrown(int space, const char *kinematics, const char *law, const char *tool,
                       double speed, double coming, double h, double theta) {
  const char *block =
      space ? xml_format("<box name='b' material='%s' kinematics='%s' x='-0.18' y='-0.05' z='-0.05'"
                         " size='0.1 0.1 0.1' cells='1 1 1'/>",
                         kinematics[0] == 'f' ? "soft" : "s", kinematics)
            : xml_format("<block name='b' material='s' kinematics='%s' x='-0.18' y='-0.05' "
                         "width='0.1' height='0.1'/>",
                         kinematics);
  return run_case_text(
      xml_format("<voussoir>%s<material name='s' density='2000' young='1e9' poisson='0.2'/>"
                 "<material name='soft' law='neo_hooke' density='2000' young='1e9' poisson='0.2'/>"
                 "<law name='l' friction='0' %s/>%s<velocity of='b' x='%g'/>"
                 "<tool name='t' %s velocity_x='%g'/>"
                 "<contact candidate='b' antagonist='t' law='l' %s/>"
                 "<time end='%g' step='%g' theta='%g'/><solver tolerance='1e-10'/>"
                 "<probe name='x' quantity='displacement' of='b'/>"
                 "<probe name='v' quantity='velocity' of='b'/></voussoir>",
                 space ? "<model space='solid'/>" : "", law, block, speed, tool, -coming,
                 kinematics[0] == 'f' ? "points='nodes'" : "", 2 * AWAY / (speed + coming) + 3 * h,
                 h, theta),
      NULL);
}

// It stops at the tool; by laws of velocities no deeper than its middle.
Test(thin_tools, hold_a_rigid_block_that_goes_through_them_in_a_step) {
  static const char *const laws[] = {"", "type='quasi_inelastic'", "type='velocity_signorini'"};
  static const struct {
    int space;
    const char *tool;
  } at[] = {{1, PLATE}, {1, ROLL}, {1, BALL}, {0, FLAT_PLATE}, {0, ROLL}};
  static const double speeds[] = {20, 20.7, 60}, thetas[] = {0.5, 1};
  for (int k = 0; k < 5; k++)
    for (int l = 0; l < 3; l++)
      for (int s = 0; s < run_case_of_like(3); s++)
        for (int t = 0; t < 2; t++) {
          CaseRun *run =
              thrown(at[k].space, "rigid", laws[l], at[k].tool, speeds[s], 0, 1e-3, thetas[t]);
          const double in = run_case_last(run, "x_x") - AWAY, allowed = l == 2 ? THICK / 2 : 1e-9;
          if (told(run) == 0) {
            cr_expect(in > -1e-9 && in < allowed + 1e-9, "tool %d, %s, %g m/s, theta %g: %g m in",
                      k, laws[l], speeds[s], thetas[t], in);
            cr_expect_lt(fabs(run_case_last(run, "v_x")), 1e-6);
            cr_expect(l == 2 || run->state.count[STAT_CUTS] == 0, "it is foreseen");
          } else {
            cr_expect_eq(l, 2, "tool %d, %s, %g m/s, theta %g", k, laws[l], speeds[s], thetas[t]);
          }
          run_case_close(run);
        }
}

// What it strikes is the tool that moves, too, and it flies back from it with half the speed at
// which they met.
Test(thin_tools, give_back_what_restitution_asks_for) {
  static const char *const tools[] = {PLATE, THIN_ROLL};
  for (int k = 0; k < 2; k++) {
    CaseRun *run =
        thrown(1, "rigid", "type='restitution' restitution='0.5'", tools[k], 3, 5, 1e-3, 0.5);
    cr_expect_float_eq(run_case_last(run, "v_x"), -5 - 0.5 * 8, 1e-6);
    cr_expect_eq(told(run), 0);
    run_case_close(run);
  }
}

// The momentum is taken from it, whatever waves are left.
Test(thin_tools, hold_bodies_that_deform) {
  static const char *const kinematics[] = {"small", "corotational"};
  for (int k = 0; k < 2; k++)
    for (int space = 0; space < 2; space++) {
      const char *law = space ? "" : "type='velocity_signorini'";
      CaseRun *run = thrown(space, kinematics[k], law, SLIM_ROLL, 20, 0, 1e-3, 1);
      cr_expect_lt(run_case_largest(run, "x_x"), AWAY + 2e-3);
      cr_expect_lt(run_case_last(run, "v_x"), 1);
      cr_expect_eq(told(run), 0);
      run_case_close(run);
    }
}

// A face of a body at finite strains has its nodes alone: it passes a roll, and the run says so.
Test(thin_tools, that_are_missed_are_told) {
  CaseRun *run = thrown(1, "finite", "", THIN_ROLL, 20, 0, 1e-3, 1);
  cr_expect_gt(run_case_last(run, "v_x"), 19);
  cr_expect_gt(told(run), 0);
  run_case_close(run);
}

// A plate at rest is knocked at a thinner one in a step: it is held, and what knocks it by it.
Test(thin_tools, hold_what_is_knocked_at_them) {
  CaseRun *run =
      run_case_text("<voussoir><model space='solid'/>"
                    "<material name='s' density='2000' young='1e10' poisson='0.2'/>"
                    "<law name='d' type='velocity_signorini' friction='0'/>"
                    "<box name='a' material='s' kinematics='rigid' x='-0.54' y='-0.4' z='-0.4'"
                    " size='0.5 0.8 0.8' cells='1 1 1'/><velocity of='a' x='60'/>"
                    "<box name='b' material='s' kinematics='rigid' x='-0.02' y='-0.1' z='-0.1'"
                    " size='0.02 0.2 0.2' cells='1 1 1'/>"
                    "<tool name='t' " PLATE " at_x='0.04'/>"
                    "<contact candidate='a b' antagonist='b t' law='d'/>"
                    "<time end='0.004' step='0.001' theta='0.5'/>"
                    "<probe name='a' quantity='displacement' of='a'/>"
                    "<probe name='b' quantity='displacement' of='b'/>"
                    "<probe name='v' quantity='velocity' of='a'/></voussoir>",
                    NULL);
  cr_expect_float_eq(run_case_last(run, "b_x"), 0.04, 1e-3);
  cr_expect_float_eq(run_case_last(run, "a_x"), 0.06, 1e-3);
  cr_expect_lt(fabs(run_case_last(run, "v_x")), 1e-2);
  cr_expect_eq(told(run), 0);
  run_case_close(run);
}
