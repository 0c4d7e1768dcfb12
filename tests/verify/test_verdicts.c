// Runs that are solved and yet wrong end with a verdict; right ones do not.

#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../support/run_case.h"
#include "../support/scratch_path.h"

// A block above a thin support, with its velocity, a load in its weight's direction and the time
// element.
static const char *falling(double down, const char *gravity, const char *time) {
  return xml_format(
      "<voussoir><material name='stone' density='2000' young='1e11' poisson='0.2'/>"
      "<law name='dry' friction='0.3'/>"
      "<block name='b' material='stone' x='-0.05' y='1' width='0.1' height='0.1'/>"
      "<support name='floor' shape='box' x='-1' y='-0.05' width='2' height='0.05'/>"
      "<contact candidate='b' antagonist='floor' law='dry' points='nodes'/>"
      "<velocity of='b' y='%g'/>%s%s<probe name='b' quantity='displacement' of='b.bottom'/>"
      "<probe name='floor' quantity='reaction' of='floor'/></voussoir>",
      -down, gravity, time);
}

// Ten metres a step through five centimetres: it stops where it arrives, with the impulse m v.
Test(verdicts, a_fast_block_is_stopped_by_what_its_path_meets) {
  static const double theta[] = {1, 0.75, 0.5};
  for (int k = 0; k < 3; k++)
    for (double speed = 100; speed <= 1000; speed *= 10) {
      const char *time = xml_format(
          "<time end='0.1' step='1e-2' theta='%g' max_cuts='12'/><solver tolerance='1e-8'/>",
          theta[k]);
      CaseRun *run = run_case_text(falling(speed, "", time), NULL);
      double low = run_case_smallest(run, "b_y"), impulse = 0;
      // At theta < 1 the contact acts when the middle of the sub-step has arrived, which is up to
      // its length late.
      cr_expect_geq(low, -1 - 2e-3, "theta %g, %g m/s: down to %g", theta[k], speed, low);
      for (int64_t i = 0; i < run->n_rows; i++) impulse -= run_case_at(run, i, "floor_y") * 1e-2;
      cr_expect_geq(-impulse, 0.999 * 20 * speed, "theta %g: impulse %g of %g", theta[k], -impulse,
                    20 * speed);
      cr_expect_not(verdict_any(&run->state.verdict));
      run_case_close(run);
    }
}

// From rest nothing at the start of the step tells how far it will fall in it: 490 m.
Test(verdicts, what_the_step_itself_sets_in_motion_is_met_too) {
  CaseRun *run = run_case_text(
      falling(0, "<gravity y='-9.81'/>", "<time end='100' step='10' theta='1'/>"), NULL);
  double low = run_case_smallest(run, "b_y"), carried = run_case_last(run, "floor_y");
  cr_expect_geq(low, -1.001, "down to %g", low);
  cr_expect_float_eq(carried, 20 * 9.81, 1e-6 * 20 * 9.81, "the floor carries %g", carried);
  run_case_close(run);
}

// Without cuts a step at theta = 1/2 takes geometry half a step ahead: far behind the floor.
Test(verdicts, penetration_beyond_a_share_of_the_edge_is_cut_or_told) {
  const char *time = "<time end='0.1' step='1e-2' theta='0.5' max_cuts='0'/>";
  CaseRun *run = run_case_text(falling(250, "", time), NULL);
  cr_assert_gt(run_case_doubts(run, VERDICT_PENETRATION), 0);
  double depth = run_case_worst(run, VERDICT_PENETRATION);
  // The shortest edge is half a side.
  cr_expect_float_eq(run->state.verdict.value[VERDICT_PENETRATION][VERDICT_LIMIT], 0.02 * 0.05,
                     1e-15);
  cr_expect_float_eq(depth, -1 - run_case_smallest(run, "b_y"), 0.05, "told %g", depth);
  cr_expect_eq(run->state.verdict.count[VERDICT_PENETRATION][VERDICT_BODY],
               run_case_body(run, "b"));
  cr_expect_eq(run->state.count[STAT_CUTS], 0);
  cr_expect(verdict_any(&run->state.verdict));
  run_case_close(run);
}

Test(verdicts, long_steps_of_falling_blocks_are_cut_and_what_is_left_is_told) {
  CaseRun *run = run_case("inputs/wall_falling.xml", "step=5e-2");
  cr_expect_gt(run->state.count[STAT_CUTS], 10);
  cr_expect_leq(run->state.worst[WORST_PENETRATION_NODES], 0.05);
  cr_expect(verdict_any(&run->state.verdict));
  run_case_close(run);
}

Test(verdicts, seconds_in_a_step_of_the_wall_are_told) {
  CaseRun *run = run_case("inputs/masonry_wall.xml", "step=10 end=100 theta=1 output_every=0");
  cr_expect(verdict_any(&run->state.verdict));
  run_case_close(run);
}

// A block that starts a little inside the floor is pushed out: contact makes kinetic energy of
// nothing, 1/2 m (d / h)^2 and more in shorter steps. Angular momentum about the middle of the
// whole, of both bodies together, over that of their first velocities.
static double kept_spin(const CaseRun *run, double start) {
  const BodySet *bs = &run->input.model.bodies;
  double sum = 0, x[2], v[2], c[2] = {0}, mass = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < bs->n_nodes; k++) {
      double m = bodies_node_mass(bs, k);
      for (int i = 0; i < 2; i++) {
        x[i] = bs->x[2 * k + i] + run->state.bodies.q[2 * k + i];
        v[i] = run->state.bodies.v[2 * k + i];
        if (pass == 0) c[i] += m * x[i];
      }
      if (pass == 0)
        mass += m;
      else
        sum += m * ((x[0] - c[0] / mass) * v[1] - (x[1] - c[1] / mass) * v[0]);
    }
  return sum / start;
}

// Two blocks meet off centre at 50 m/s in steps of half a metre. What has no rebound in steps so
// long turns together as one body: w = L / I, 18 rad/s. Forces of contact in the place of the
// step's start and inner forces in that of its end gave it 65 % more spin than there was.
Test(verdicts, steps_in_which_finite_bodies_turn_far_are_cut_or_told) {
  static const char *const cuts[] = {"6", "0"};
  double m = 2000 * 0.16, inertia = m * (2 * 0.16 / 12 + 0.2 * 0.2 + 0.05 * 0.05);
  double momentum = 2 * m * 25 * 0.05, expected = momentum / (2 * inertia);
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_text(
        xml_format(
            "<voussoir><material name='m' density='2000' young='1e8' poisson='0.2'/>"
            "<law name='d' friction='0.5'/>"
            "<block name='a' material='m' kinematics='finite' width='0.4' height='0.4'/>"
            "<block name='b' material='m' kinematics='finite' x='1' y='0.1' width='0.4' height='0.4'/>"
            "<contact candidate='all' antagonist='all' law='d' points='nodes'/>"
            "<velocity of='a' x='25'/><velocity of='b' x='-25'/>"
            "<time end='0.1' step='1e-2' theta='1' max_cuts='%s'/>"
            "<probe name='s' quantity='spin' of='a b'/></voussoir>",
            cuts[k]),
        NULL);
    double kept = kept_spin(run, momentum), spin = run_case_last(run, "s_rate");
    if (k == 0) {
      // of first order in what is left of turning in a sub-step; in one of 10 ms 1.65
      cr_expect_float_eq(kept, 1, 0.2, "%g of the angular momentum", kept);
      cr_expect_float_eq(spin / expected, 1, 0.1, "turns with %g of %g rad/s", spin, expected);
      cr_expect_gt(run->state.count[STAT_CUTS], 0);
      cr_expect_not(verdict_any(&run->state.verdict));
    } else {
      cr_expect_gt(kept, 1.3); // what is told is wrong
      cr_expect_gt(run_case_doubts(run, VERDICT_STEP_TURN), 0);
      cr_expect_gt(run_case_worst(run, VERDICT_STEP_TURN), 0.2);
      cr_expect(verdict_any(&run->state.verdict));
    }
    run_case_close(run);
  }
}

// A co-rotational block that spins has its frame frozen over a step: it grows by (h w)^2 / 2 in it,
// and what strain that leaves is not in the books. The balance falls with the step.
Test(verdicts, a_balance_that_is_open_is_told) {
  static const double step[] = {1e-2, 1e-4};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_text(
        xml_format(
            "<voussoir><material name='m' density='2000' young='1e8' poisson='0.2'/>"
            "<law name='d' friction='0.5'/>"
            "<block name='b' material='m' kinematics='corotational' width='0.4' height='0.4'/>"
            "<contact candidate='b' antagonist='b' law='d'/><velocity of='b' spin='20'/>"
            "<time end='0.2' step='%g' theta='1' max_cuts='0'/></voussoir>",
            step[k]),
        NULL);
    cr_expect_eq(run_case_doubts(run, VERDICT_BALANCE) > 0, k == 0, "step %g: %g", step[k],
                 run->state.worst[WORST_BALANCE]);
    if (k == 0)
      cr_expect_float_eq(run_case_worst(run, VERDICT_BALANCE), run->state.worst[WORST_BALANCE],
                         1e-12);
    run_case_close(run);
  }
}

// Sweeps that stop at a loose error of impulses give a little in many steps. At a tenth of that
// error the wall at rest is let in and pushed out by turns, 1.5 % of the largest energy in 0.2 s,
// and keeps nothing of it; the solver that the input names does neither.
Test(verdicts, little_that_is_given_often_is_summed_up) {
  static const char *const loose[] = {" solver=nsgs measure=scaled tolerance=1e-3",
                                      " solver=nsgs measure=scaled tolerance=1e-4", ""};
  for (int k = 0; k < 3; k++) {
    CaseRun *run =
        run_case("inputs/wall_settlement.xml", xml_format("end=0.22 output_every=0%s", loose[k]));
    cr_expect_eq(run_case_doubts(run, VERDICT_GIVEN_TOTAL) > 0, k == 0,
                 "'%s': %g of the largest energy", loose[k],
                 run->state.worst[SUM_GIVEN] / run->state.energy[ENERGY_LARGEST]);
    cr_expect_eq(verdict_any(&run->state.verdict), k == 0);
    run_case_close(run);
  }
}

// Half a metre a step through tools of ten centimetres and sheets of a millimetre: what is nearest
// after the way is the far side. `gap`: how far `b` stays ahead of `a`.
static CaseRun *pushed(const char *bodies, const char *along, const char *time, double between,
                       double *gap) {
  CaseRun *run = run_case_text(
      xml_format("<voussoir>%s<material name='m' density='2000' young='1e8' poisson='0.2'/>"
                 "<material name='s' law='sheet' density='7800' young='2e11' poisson='0.3' "
                 "yield='2e8'/><law name='d' friction='0.3'/>%s"
                 "<contact candidate='b' antagonist='a' law='d'/>%s"
                 "<probe name='a' quantity='displacement' of='a'/>"
                 "<probe name='b' quantity='displacement' of='b'/></voussoir>",
                 along[0] == 'z' ? "<model space='solid'/>" : "", bodies, time),
      NULL);
  char a[4], b[4];
  snprintf(a, sizeof a, "a_%s", along);
  snprintf(b, sizeof b, "b_%s", along);
  *gap = run_case_last(run, b) - run_case_last(run, a) + between;
  return run;
}

Test(verdicts, nothing_flies_through_a_round_tool_or_a_sheet) {
  static const char *const kinematics[] = {"corotational", "finite"};
  static const double between[] = {0.05, 0.15, 0.37, 0.51};
  double gap;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 4; i++) {
      const char *bodies = xml_format(
          "<tool name='a' shape='sphere' radius='0.05' at_x='-0.05' at_y='0.05' velocity_x='50'/>"
          "<block name='b' material='m' kinematics='%s' x='%g' width='0.1' height='0.1'/>",
          kinematics[k], between[i]);
      CaseRun *run =
          pushed(bodies, "x", "<time end='0.05' step='1e-2' theta='1'/>", between[i], &gap);
      cr_expect_gt(gap, -1e-3, "%s, %g m away: %g m", kinematics[k], between[i], gap);
      cr_expect_not(verdict_any(&run->state.verdict));
      run_case_close(run);
      if (k == 1) continue; // its elements do not bear what follows
      // half a step ahead it is through; what is not cut is told
      run = pushed(bodies, "x", "<time end='0.05' step='1e-2' theta='0.5'/>", between[i], &gap);
      cr_expect_gt(gap, -1e-3, "half a step ahead, %g m away: %g m", between[i], gap);
      run_case_close(run);
      run = pushed(bodies, "x", "<time end='0.05' step='1e-2' theta='0.75' max_cuts='0'/>",
                   between[i], &gap);
      cr_expect(gap > -1e-3 || verdict_any(&run->state.verdict), "not cut, %g m away: %g m",
                between[i], gap);
      run_case_close(run);
    }
  // what sets off in the step itself is not foreseen, but seen at its end
  CaseRun *run = pushed(
      "<tool name='a' shape='sphere' radius='0.05' at_x='-0.05' at_y='0.05' "
      "velocity_x='t &gt; 0.015 ? 50 : 0'/><block name='b' material='m' kinematics='corotational' "
      "x='0.05' width='0.1' height='0.1'/>",
      "x", "<time end='0.05' step='1e-2' theta='1'/>", 0.05, &gap);
  cr_expect(gap > -1e-3 || verdict_any(&run->state.verdict), "a sudden tool: %g m", gap);
  run_case_close(run);
  run = pushed(
      "<sheet name='a' material='s' shape='rectangle' width='0.2' size='0.05' thickness='1e-3' "
      "x='0.05' y='0.05'/><box name='b' material='m' kinematics='finite' size='0.1 0.1 0.1' "
      "cells='2 2 2' z='0.1305'/><velocity of='a' z='50'/>",
      "z", "<time end='0.03' step='1e-2' theta='0.6'/>", 0.13, &gap);
  cr_expect_gt(gap, -1e-3, "the sheet: %g m", gap);
  cr_expect_not(verdict_any(&run->state.verdict));
  run_case_close(run);
}

Test(verdicts, energy_that_contact_gives_is_told) {
  CaseRun *run =
      run_case_text("<voussoir><material name='stone' density='2000' young='1e9' poisson='0.2'/>"
                    "<law name='dry' friction='0.3'/>"
                    "<block name='b' material='stone' y='-1e-5' width='0.1' height='0.1'/>"
                    "<support name='floor' shape='box' x='-1' y='-0.05' width='2' height='0.05'/>"
                    "<contact candidate='b' antagonist='floor' law='dry' points='nodes'/>"
                    "<time end='1e-2' step='1e-3' theta='1' max_cuts='0'/>"
                    "<probe name='e' quantity='energy'/></voussoir>",
                    NULL);
  cr_assert_eq(run_case_doubts(run, VERDICT_ENERGY_GIVEN), 1);
  cr_expect_eq(run->state.verdict.count[VERDICT_ENERGY_GIVEN][VERDICT_STEP], 1);
  double given = run_case_at(run, 0, "e_contact_normal");
  double had = run_case_at(run, 0, "e_kinetic") + run_case_at(run, 0, "e_elastic");
  cr_expect_float_eq(run_case_worst(run, VERDICT_ENERGY_GIVEN), given / had, 1e-9);
  run_case_close(run);
}

// Two stiff bricks under a weight that grows slowly are lowered by 1e-8 m a step. What the
// tolerance of contact leaves of one is given in the next, lifts them, and is as much as all else
// that goes on when the load stops growing: their largest energy is 3e-5 J, the work of their
// weight over 1e-7 m. Pushed out of the ground by 1e-5 m they do not rest, and that is told.
Test(verdicts, a_wall_that_is_loaded_and_rests_is_given_nothing) {
  for (int inside = 0; inside < 2; inside++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><model space='solid'/>"
                   "<material name='m' density='2000' young='1e10' poisson='0.2'/>"
                   "<law name='d' friction='0.6'/>"
                   "<box name='a' material='m' y='%g' size='0.4 0.2 0.2' cells='2 1 1'/>"
                   "<box name='b' material='m' x='%g' y='%g' size='0.4 0.2 0.2' cells='2 1 1'/>"
                   "<support name='base' shape='plane' normal='0 1 0'/>"
                   "<contact candidate='all' antagonist='all base' law='d'/>"
                   "<gravity y='-9.81*min(1,t/0.1)'/>"
                   "<time end='0.12' step='2e-3' theta='1' max_cuts='0'/></voussoir>",
                   inside ? -1e-5 : 0., inside ? 0 : 0.13, inside ? 0.2 - 1e-5 : 0.2),
        NULL);
    cr_expect_eq(run_case_doubts(run, VERDICT_ENERGY_GIVEN) > 0, inside, "%g",
                 run_case_worst(run, VERDICT_ENERGY_GIVEN));
    cr_expect_eq(verdict_any(&run->state.verdict), inside);
    run_case_close(run);
  }
}

// An impact that bounces, springs in joints that give back, a fall, a slide: nothing is given.
Test(verdicts, rebounds_springs_and_slides_give_nothing) {
  static const char *const laws[] = {
      "type='restitution' friction='0.3' restitution='1'",
      "type='elastic_joint' friction='0.3' normal_stiffness='1e9' tangent_stiffness='1e9'",
      "type='coulomb' friction='0.3' stiffness='1e9'", "type='coulomb' friction='0.3'",
      ("type='cohesive_zone' friction='0.3' normal_stiffness='1e9' tangent_stiffness='1e9'"
       " tension='1e5' energy='100'")};
  for (int k = 0; k < 5; k++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><material name='stone' density='2000' young='1e8' poisson='0.2'/>"
                   "<law name='l' %s/>"
                   "<block name='b' material='stone' y='%g' width='0.1' height='0.1'/>"
                   "<support name='floor' shape='box' x='-1' y='-0.05' width='5' height='0.05'/>"
                   "<contact candidate='b' antagonist='floor' law='l' points='nodes'/>"
                   "<velocity of='b' x='0.2'/><gravity y='-9.81'/>"
                   "<time end='0.3' step='2e-4' theta='0.5'/><solver tolerance='1e-9'/></voussoir>",
                   laws[k], k == 4 ? 0 : 1e-2),
        NULL);
    cr_expect_eq(run_case_doubts(run, VERDICT_ENERGY_GIVEN), 0, "law %s: %g", laws[k],
                 run_case_worst(run, VERDICT_ENERGY_GIVEN));
    run_case_close(run);
  }
}

// A beam of one block that is turned as a whole: small kinematics are told, and what is not said
// follows it.
Test(verdicts, a_body_that_turns_with_small_kinematics_is_told) {
  static const char *const kinematics[] = {"kinematics='small'", "", "kinematics='corotational'"};
  for (int k = 0; k < 3; k++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><material name='stone' density='2000' young='1e9' poisson='0.2'/>"
                   "<law name='dry' friction='0.3'/>"
                   "<block name='b' %s material='stone' y='1' width='0.4' height='0.1'/>"
                   "<support name='floor' shape='plane' length='5'/>"
                   "<contact candidate='b' antagonist='floor' law='dry' points='nodes'/>"
                   "<velocity of='b' spin='1'/><time end='0.0501' step='1e-3'/></voussoir>",
                   kinematics[k]),
        NULL);
    cr_expect_eq(run_case_doubts(run, VERDICT_TURN), k == 0, "%s",
                 kinematics[k]); // in the last step
    cr_expect_not(verdict_any(&run->state.verdict));
    if (k == 0) cr_expect_float_eq(run_case_worst(run, VERDICT_TURN), 0.0501, 1e-6);
    run_case_close(run);
  }
}

// A plate on a column of stiffness k under a force F that comes at once bears F (1 - cos w t), with
// w^2 = k / m: over one period of a hundred steps it is off its load by more than half of it in two
// thirds of the steps, and never by more than all of it. Without mass it bears its load, by either
// way of contact.
Test(verdicts, a_tool_with_mass_that_bounces_on_what_it_presses_is_told) {
  for (int k = 0; k < 4; k++) {
    CaseRun *run = run_case_text(
        xml_format(
            "<voussoir><material name='m' density='1e-3' young='1000' poisson='0'/>"
            "<block name='b' kinematics='finite' material='m' width='1' height='1'/>"
            "<tool name='plate' shape='plane' axis_y='-1' at_y='1' free='y' mass='%s'/>"
            "<law name='smooth' friction='0'/><hold on='b.bottom' as='fixed'/>"
            "<contact candidate='b' antagonist='plate' law='smooth' points='nodes'/>"
            "<force on='plate' y='-0.1'/><time step='%.17g' end='%.17g' theta='0.5'/>"
            "<verdicts reaction='%s'/><newton contact='%s'/><probe name='plate' quantity='reaction' of='plate'/>"
            "</voussoir>",
            k % 3 == 0 ? "0" : "1", 0.02 * M_PI / sqrt(1000), 2 * M_PI / sqrt(1000),
            k == 2 ? "1.1" : "0.5", k == 3 ? "delassus" : "primal"),
        NULL);
    cr_log_info("%d times, worst %.4f", (int)run_case_doubts(run, VERDICT_REACTION),
                run_case_worst(run, VERDICT_REACTION));
    cr_expect_not(verdict_any(&run->state.verdict));
    if (k == 1) {
      cr_expect_float_eq((double)run_case_doubts(run, VERDICT_REACTION), 66.7, 2);
      cr_expect_float_eq(run_case_worst(run, VERDICT_REACTION), 1, 1e-2);
    } else {
      cr_expect_eq(run_case_doubts(run, VERDICT_REACTION), 0);
    }
    run_case_close(run);
  }
}

Test(verdicts, masonry_as_shipped_has_none_but_tells_of_nodes_between_its_points) {
  CaseRun *run = run_case("inputs/masonry_wall.xml", "output_every=0");
  cr_expect_not(verdict_any(&run->state.verdict));
  cr_expect_gt(run_case_doubts(run, VERDICT_HIDDEN_NODES), 0);
  cr_expect_float_eq(run_case_worst(run, VERDICT_HIDDEN_NODES),
                     run->state.worst[WORST_PENETRATION_NODES], 1e-15);
  run_case_close(run);
}

// ---- sheets -------------------------------------------------------------------------------------

// All energy of a strip without stress is rounding, 1e-26 J of it, and forces cannot be brought
// below that of places over the length of an element. Whether all of it is moved, its edge, or one
// end, by a micrometre or two millimetres, or it is trimmed: no step is cut, nothing is doubtful.
Test(verdicts, rounding_in_a_strip_without_stress_is_no_doubt) {
  static const char *const drives[] = {
      "<prescribe on='s' x='${way}*t'/><hold on='s' as='y'/><hold on='s' as='z'/>",
      "<prescribe on='s.edge' x='${way}*t' y='0' z='0'/>",
      ("<prescribe on='s.symmetry_x' x='${way}*t'/><hold on='s.symmetry_x' as='z'/>"
       "<hold on='s.symmetry_y' as='symmetry_y'/>"),
      "<hold on='s.centre' as='fixed'/>"};
  static const char *const stages[] = {
      "<stage name='a' duration='1'/>",
      ("<stage name='a' duration='0.2'/><stage name='b' duration='0.2'/>"
       "<trim of='s' stage='b' cut='outside' shape='cylinder' radius='0.008'/>")};
  for (int k = 0; k < 4 * run_case_of_like(8); k++) {
    int drive = k % 4;
    CaseRun *run = run_case_text(
        xml_format(
            "<voussoir><model space='solid'/><material name='m' law='sheet' density='7800' "
            "young='200e9' poisson='0.3' hardening='linear' yield='200e6' modulus='1e9'/>"
            "<sheet name='s' material='m' shape='rectangle' quarter='%s' width='0.04 0.01' "
            "size='1e-3' pattern='%s' thickness='1e-3' layers='3'/>%s"
            "<parameter name='way' value='%g'/><time step='0.1' theta='1'/>%s<newton statics='%s'/></voussoir>",
            drive == 2 ? "yes" : "no", k & 8 ? "q4" : "t3", drives[drive], k & 4 ? 2e-3 : 1e-6,
            stages[drive == 3], k & 16 ? "yes" : "no"),
        NULL);
    cr_expect_eq(run->state.count[STAT_CUTS], 0, "%d: %d cuts", k,
                 (int)run->state.count[STAT_CUTS]);
    cr_expect_not(verdict_any(&run->state.verdict), "%d", k);
    run_case_close(run);
  }
}

// A file of Gmsh: n squares of 10 mm in a row, columns of nodes as groups c0, c1 ... and the lower
// side.
static void row_of_squares(char *path, size_t size, int n) {
  scratch_path(path, size, "row");
  FILE *file = fdopen(mkstemp(path), "w");
  int number = 0;
  cr_assert_not_null(file);
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n%d\n", n + 3);
  for (int k = 0; k <= n; k++) fprintf(file, "0 %d \"c%d\"\n", k + 1, k);
  fprintf(file, "0 98 \"low\"\n2 99 \"all\"\n$EndPhysicalNames\n$Nodes\n%d\n", 2 * n + 2);
  for (int k = 0; k < 2 * n + 2; k++)
    fprintf(file, "%d %g %g 0\n", k + 1, 0.01 * (k / 2), 0.01 * (k % 2));
  fprintf(file, "$EndNodes\n$Elements\n%d\n", 3 * (n + 1) + n);
  for (int k = 0; k < 2 * n + 2; k++)
    fprintf(file, "%d 15 2 %d 1 %d\n", ++number, k / 2 + 1, k + 1);
  for (int k = 0; k <= n; k++) fprintf(file, "%d 15 2 98 1 %d\n", ++number, 2 * k + 1);
  for (int k = 0; k < n; k++)
    fprintf(file, "%d 3 2 99 1 %d %d %d %d\n", ++number, 2 * k + 1, 2 * k + 3, 2 * k + 4,
            2 * k + 2);
  fprintf(file, "$EndElements\n");
  fclose(file);
}

// One square of a sheet that hardens by its strain to the power 0.2, pulled to the logarithmic
// strain e.
static CaseRun *pulled(double e) {
  char path[512];
  row_of_squares(path, sizeof path, 1);
  CaseRun *run = run_case_text(
      xml_format("<voussoir><model space='solid'/><material name='m' law='sheet' density='7800' "
                 "young='211e9' poisson='0.3' hardening='power' strength='500e6' exponent='0.2'/>"
                 "<sheet name='s' material='m' shape='mesh' mesh='%s' thickness='1e-3' layers='3'/>"
                 "<hold on='s.c0' as='x'/><hold on='s.low' as='y'/><hold on='s' as='z'/>"
                 "<prescribe on='s.c1' x='10e-3*(exp(%g*t)-1)'/>"
                 "<time end='1' step='0.02' theta='1'/><newton statics='yes' tolerance='1e-8'/>"
                 "</voussoir>",
                 path, e),
      NULL);
  unlink(path);
  return run;
}

// Considere: the nominal force K e^n exp(-e) is largest at e = n and has then fallen by 1 - (e/n)^n
// exp(n - e). In uniaxial tension the thickness strain is -e/2, but for some thousandths that are
// elastic.
Test(verdicts, a_sheet_whose_tension_falls_while_it_thins_necks) {
  for (int k = 0; k < 2; k++) {
    double e = k == 0 ? 0.45 : 0.8, n = 0.2, fall = 1 - pow(e / n, n) * exp(n - e);
    CaseRun *run = pulled(e);
    int necks = fall > 0.1;
    cr_expect_eq(run_case_doubts(run, VERDICT_NECK) > 0, necks, "at %g", e);
    cr_expect_eq(verdict_any(&run->state.verdict), necks);
    if (necks) cr_expect_float_eq(run_case_worst(run, VERDICT_NECK), fall, 2e-3, "%g", fall);
    cr_expect_eq(run_case_doubts(run, VERDICT_THINNING) > 0, 1 - exp(-e / 2) > 0.3, "at %g", e);
    if (necks) cr_expect_float_eq(run_case_worst(run, VERDICT_THINNING), 1 - exp(-e / 2), 2e-3);
    run_case_close(run);
  }
}

// The right half of a strip of two squares turns about their side: 80 degrees are a bend, 100 a
// fold.
Test(verdicts, neighbours_turned_beyond_a_right_angle_fold) {
  char path[512];
  row_of_squares(path, sizeof path, 2);
  for (int k = 0; k < 2; k++) {
    double turn = k == 0 ? 1.396 : 1.745;
    CaseRun *run = run_case_text(
        xml_format(
            "<voussoir><model space='solid'/><material name='m' law='sheet' density='7800' "
            "young='211e9' poisson='0' hardening='linear' yield='1e12' modulus='1e9'/>"
            "<sheet name='s' material='m' shape='mesh' mesh='%s' thickness='0.1e-3' layers='3'/>"
            "<hold on='s' as='plane_y'/><hold on='s.c0' as='fixed'/><hold on='s.c1' as='fixed'/>"
            "<prescribe on='s.c2' x='10e-3*(cos(%g*t)-1)' z='10e-3*sin(%g*t)'/>"
            "<time end='1' step='0.05' theta='1'/><newton statics='yes'/></voussoir>",
            path, turn, turn),
        NULL);
    cr_expect_eq(run_case_doubts(run, VERDICT_FOLDS) > 0, k == 1);
    if (k == 1) cr_expect_eq(run_case_worst(run, VERDICT_FOLDS), 2);
    run_case_close(run);
  }
  unlink(path);
}
