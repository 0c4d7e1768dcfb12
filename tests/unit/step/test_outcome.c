#include "step/outcome.h"

#include <criterion/criterion.h>
#include <math.h>

#include "../../support/run_case.h"

static Outcome outcome_of(CaseRun *run) {
  Outcome outcome;
  Err err = {0};
  cr_assert_eq(outcome_judge(step_model(&run->work), &run->state, &outcome, &err), OK, "%s",
               err.text);
  run_case_close(run);
  return outcome;
}

static Outcome outcome_text(const char *xml) {
  return outcome_of(run_case_text(xml, NULL));
}

// A block 0.4 long and 0.2 high on a slope, in the plane and in space.
static const char *on_slope(int dim, double slope, double friction) {
  const char *body =
      dim == 2 ? "<block name='b' material='m' kinematics='rigid' width='0.4' height='0.2'/>"
               : "<model space='solid'/><box name='b' material='m' kinematics='rigid' cells='1 1 1'"
                 " size='0.4 0.2 0.3'/>";
  return xml_format("<voussoir><material name='m' density='2000' young='1e9'/>%s"
                    "<law name='l' friction='%g'/><support name='g' shape='plane' length='50'%s/>"
                    "<gravity x='9.81*sin(%.17g)' y='-9.81*cos(%.17g)'/>"
                    "<contact candidate='b' antagonist='g' law='l'/>"
                    "<time end='1' step='1e-2' theta='1'/></voussoir>",
                    body, friction, dim == 2 ? "" : " normal='0 1 0'", slope, slope);
}

Test(outcome, block_on_a_slope_stands_slides_or_falls) {
  const double slope = 0.5, steep = atan(2); // a block twice as long as high tips beyond that
  for (int dim = 2; dim <= 3; dim++) {
    Outcome held = outcome_text(on_slope(dim, slope, 1.01 * tan(slope)));
    cr_expect_eq(held.kind, OUTCOME_STANDS);
    cr_expect_eq(held.at_rest, 1);
    cr_expect_eq(held.n_moved, 0);
    cr_expect_lt(held.displacement, 1e-6);
    Outcome slides = outcome_text(on_slope(dim, slope, 0.9 * tan(slope)));
    cr_expect_eq(slides.kind, OUTCOME_SLIDES, "%d", slides.kind);
    cr_expect_eq(slides.at_rest, 0);
    // g (sin - mu cos) and half of its square, of steps with theta 1 a hundredth more
    double rate = 0.1 * 9.81 * sin(slope);
    cr_expect_float_eq(slides.speed, rate, 1e-3 * rate, "%g for %g", slides.speed, rate);
    cr_expect_float_eq(slides.displacement, 0.505 * rate, 1e-3 * rate, "%g", slides.displacement);
    Outcome tips = outcome_text(on_slope(dim, 1.01 * steep, 4));
    cr_expect_eq(tips.kind, OUTCOME_FALLS);
    cr_expect_gt(tips.turn, 0.1);
    cr_expect_eq(tips.n_moved, 1);
    cr_expect_eq(outcome_text(on_slope(dim, 0.99 * steep, 4)).kind, OUTCOME_STANDS);
  }
}

// A block slides far, and a high one beside it has begun to tip: that one is told of.
Test(outcome, of_many_that_slide_the_one_that_falls_is_told) {
  const double slope = 0.5;
  Outcome both = outcome_text(xml_format(
      "<voussoir><material name='m' density='2000' young='1e9'/>"
      "<block name='far' material='m' kinematics='rigid' width='0.4' height='0.2'/>"
      "<block name='high' material='m' kinematics='rigid' x='9' width='0.2' height='0.4'/>"
      "<law name='smooth' friction='0'/><law name='rough' friction='4'/>"
      "<support name='g' shape='plane' length='50'/>"
      "<gravity x='9.81*sin(%.17g)' y='-9.81*cos(%.17g)'/>"
      "<contact candidate='far' antagonist='g' law='smooth'/>"
      "<contact candidate='high' antagonist='g' law='rough'/>"
      "<time end='0.5' step='1e-2' theta='1'/></voussoir>",
      slope, slope));
  cr_expect_eq(both.kind, OUTCOME_FALLS);
  cr_expect_eq(both.n_moved, 2);
  cr_expect_eq(both.n_falls, 1);
  cr_expect_eq(both.body, 0);
  cr_expect_eq(both.told, 1);
  cr_expect_gt(both.told_turn, 0.1);
  cr_expect_gt(both.displacement, both.told_displacement);
}

// What comes down without turning falls: beside a wall, through the place where it stood.
Test(outcome, what_comes_down_falls) {
  Outcome drops = outcome_text(
      "<voussoir><material name='m' density='2000' young='1e9'/><law name='l' friction='0.5'/>"
      "<block name='b' material='m' kinematics='rigid' width='1' height='1' y='0.5'/>"
      "<support name='g' shape='plane'/><gravity/><contact candidate='b' antagonist='g' law='l'/>"
      "<time end='1' step='1e-2' theta='1'/></voussoir>");
  cr_expect_eq(drops.kind, OUTCOME_FALLS);
  cr_expect_float_eq(drops.displacement, 0.5, 1e-6);
  cr_expect_eq(drops.at_rest, 1);
}

// A ground that goes away and turns takes with it what stands on it.
Test(outcome, is_seen_from_the_ground) {
  static const char *const head[2] = {"", "<model space='solid'/>"};
  static const char *const body[2] = {
      "<block name='b' material='m' kinematics='rigid' width='0.4' height='0.2'/>",
      "<box name='b' material='m' kinematics='rigid' cells='1 1 1' size='0.4 0.2 0.3'/>"};
  static const char *const depth[2] = {"", " z='-1' depth='3'"};
  for (int k = 0; k < 2; k++) {
    Outcome on = outcome_text(xml_format(
        "<voussoir>%s<material name='m' density='2000' young='1e9'/><law name='l' friction='0.7'/>"
        "%s<support name='g' shape='box' x='-1' y='-1' width='4' height='1'%s turn='0.15*t*t'"
        " about_x='3' about_y='1' move_x='0.5*t*t'/><gravity/>"
        "<contact candidate='b' antagonist='g' law='l'/>"
        "<time end='1' step='2e-3' theta='0.5'/></voussoir>",
        head[k], body[k], depth[k]));
    cr_expect_eq(on.kind, OUTCOME_STANDS);
    cr_expect_lt(on.displacement, 1e-3, "%g", on.displacement);
    cr_expect_lt(on.speed, 1e-2, "%g", on.speed);
  }
}

// About the vertical a block may turn as far as it likes: it has not fallen.
Test(outcome, block_that_spins_on_its_base_slides) {
  Outcome spins = outcome_text(
      "<voussoir><model space='solid'/><material name='m' density='2000' young='1e9'/>"
      "<law name='l' friction='0.1'/><box name='b' material='m' kinematics='rigid' cells='1 1 1'"
      " size='0.4 0.2 0.4'/><support name='g' shape='plane' normal='0 1 0'/><gravity/>"
      "<velocity of='b' spin='0 3 0'/><contact candidate='b' antagonist='g' law='l'/>"
      "<time end='0.2' step='1e-3' theta='1'/></voussoir>");
  cr_expect_eq(spins.kind, OUTCOME_SLIDES);
  cr_expect_gt(spins.turn, 0.1);
}

Test(outcome, is_none_without_loads_or_loose_bodies) {
  static const char *const scene[] = {
      "<block name='b' material='m' kinematics='rigid' width='1' height='1'/>",
      "<block name='b' material='m' kinematics='small' width='1' height='1'/><gravity/>"
      "<prescribe on='b.bottom' x='0' y='0'/>"};
  for (int k = 0; k < 2; k++) {
    Outcome none =
        outcome_text(xml_format("<voussoir><material name='m' density='2000' young='1e6'/>%s"
                                "<time end='0.01' step='1e-3' theta='1'/></voussoir>",
                                scene[k]));
    cr_expect_eq(none.kind, OUTCOME_NONE);
  }
}
