// Bodies that are thrown at tools and supports thinner than what they move in a step: held or told.

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
  return run_case_doubts(run, VERDICT_PENETRATION);
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

// A tilted cube of 0.4 m comes down with 4.4 m/s on a support: 4.4 mm in a step.
static CaseRun *dropped(const char *law, double thick, int cuts) {
  return run_case_text(
      xml_format("<voussoir><model space='solid'/><material name='m' density='2000' young='1e9'/>"
                 "<law name='l' type='%s' friction='0.3'/>"
                 "<block name='b' material='m' kinematics='rigid' y='0.01' width='0.4' height='0.4'"
                 " depth='0.4' z='-0.2' angle='0.6' cells_x='1' cells_y='1'/>"
                 "<support name='s' shape='box' x='-2' y='%g' width='4' height='%g' depth='4'"
                 " z='-2'/><velocity of='b' y='-4.4'/><gravity y='-9.81' of='b'/>"
                 "<contact candidate='b' antagonist='s' law='l'/>"
                 "<time end='0.2' step='1e-3' theta='0.5' max_cuts='%d'/><output every='0'/>"
                 "<probe name='u' quantity='displacement' of='b' component='y'/></voussoir>",
                 law, -thick, thick, cuts),
      NULL);
}

// On its side the middle of the cube is 0.2 m above the support, where it started 0.2 m (cos 0.6 +
// sin 0.6) above its lowest edge.
Test(thin_tools, supports_hold_a_tilted_cube_that_falls_on_them) {
  static const char *const laws[] = {"velocity_signorini", "restitution"};
  static const double thick[] = {0.002, 0.004};
  const double most = 0.01 + 0.2 * (cos(0.6) + sin(0.6)) - 0.2;
  for (int k = 0; k < 4; k++) {
    CaseRun *run = dropped(laws[k / 2], thick[k % 2], 10);
    cr_expect_gt(run_case_last(run, "u"), -most - 0.02 * thick[k % 2], "case %d: %g", k,
                 run_case_last(run, "u"));
    cr_expect_eq(told(run), 0, "case %d", k);
    run_case_close(run);
  }
}

// Where the step may not be cut it comes in by more than is tolerated of the thinner of the two.
Test(thin_tools, supports_that_are_passed_are_told) {
  for (int k = 0; k < 2; k++) {
    CaseRun *run = dropped("velocity_signorini", 0.002 * (k + 1), 0);
    cr_expect_gt(told(run), 0, "case %d", k);
    cr_expect_float_eq(run->state.verdict.value[VERDICT_PENETRATION][VERDICT_LIMIT],
                       0.02 * 0.002 * (k + 1), 1e-12);
    run_case_close(run);
  }
}

// A stone of 0.3 m that goes 20 mm in a step, less than the alert distance, at a support of 2 mm.
Test(thin_tools, supports_stop_a_stone_that_is_past_them_in_a_step) {
  CaseRun *run = run_case_text(
      "<voussoir><model space='solid'/><material name='m' density='2000' young='1e9'/>"
      "<law name='l' type='velocity_signorini' friction='0.3'/>"
      "<support name='s' shape='box' x='-1' y='-0.001' z='-1' width='2' height='0.002' depth='2'/>"
      "<polyhedron name='b' material='m' x='0.5' y='0.45'"
      " orientation='0.8986043609880363 -0.3219302811608662 -0.03485799712314531 0.2960675877591658'"
      " corners='-0.2 -0.1 -0.1 0.25 -0.1 -0.12 0 0.2 0.02 0.02 -0.05 0.2'/>"
      "<contact candidate='b' antagonist='s' law='l'/><velocity of='b' y='-10'/>"
      "<time end='0.06' step='0.002' theta='0.5'/><output every='0'/>"
      "<probe name='v' quantity='velocity' of='b' component='y'/></voussoir>",
      NULL);
  cr_expect_gt(run_case_last(run, "v"), -9, "%g", run_case_last(run, "v"));
  run_case_close(run);
}
