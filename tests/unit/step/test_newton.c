#include "step/newton_internal.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "../../support/run_case.h"
#include "step/substep.h"

// A soft block that lands on a plane with friction; attributes of <newton> and <time>.
static CaseRun *block_on_plane(const char *newton, const char *time) {
  return run_case_open_text(
      xml_format(
          "<voussoir><material name='m' law='neo_hooke' young='1e4' poisson='0.3' density='1000'/>"
          "<block name='b' material='m' width='0.4' height='0.3' cells_x='4' cells_y='3' pattern='q4' "
          "y='1e-4' kinematics='finite'/><tool name='floor' shape='plane'/>"
          "<law name='dry' friction='0.3'/><contact candidate='b' antagonist='floor' law='dry' points='nodes'/>"
          "<velocity of='b' x='0.3' y='-0.2'/><gravity/>"
          "<time %s/><newton tolerance='1e-11' %s/><solver tolerance='1e-11'/>"
          "<probe name='top' quantity='displacement' of='b.top'/>"
          "<probe name='e' quantity='energy'/><probe name='floor' quantity='reaction' of='floor'/>"
          "</voussoir>",
          time, newton),
      NULL);
}

// Where the choices of the matrix converge they reach the same solution (J38, J39).
Test(newton, every_choice_of_the_matrix_reaches_the_same_solution) {
  static const char *const choice[] = {
      "matrix='full'",
      "matrix='iteration' max_iterations='100'",
      "matrix='kept' max_iterations='100'",
      "matrix='mass' max_iterations='200'",
      "matrix='corrected' max_iterations='200'",
      "matrix='full' contact='primal'",
      "matrix='kept' contact='primal' max_iterations='100'",
      "matrix='full' contact='delassus'",
      "matrix='kept' contact='delassus' max_iterations='100'",
      "matrix='full' contact='diagonal'",
      "matrix='kept' contact='diagonal' max_iterations='100'",
      "matrix='mass' contact='diagonal' max_iterations='200'",
      "matrix='corrected' contact='diagonal' max_iterations='200'"};
  double x = 0, y = 0;
  for (size_t k = 0; k < sizeof choice / sizeof choice[0]; k++) {
    CaseRun *run = block_on_plane(choice[k], "end='0.03' step='5e-4' theta='1'");
    run_case_steps(run, 60);
    double own_x = run_case_last(run, "top_x"), own_y = run_case_last(run, "top_y");
    if (k == 0) {
      x = own_x;
      y = own_y;
      cr_assert_gt(run_case_last(run, "floor_y"), -1e9);
    }
    cr_assert_float_eq(own_x, x, 1e-8 * fabs(x), "%s: %.12g, %.12g", choice[k], own_x, x);
    cr_assert_float_eq(own_y, y, 1e-8 * fabs(y), "%s: %.12g, %.12g", choice[k], own_y, y);
    run_case_close(run);
  }
}

Test(newton, choices_without_a_factor_are_refused_with_the_step_that_is_possible) {
  CaseRun *run = block_on_plane("matrix='full'", "end='1' step='0.02' theta='1'");
  static const NewtonMatrix without[] = {NEWTON_MASS, NEWTON_CORRECTED, NEWTON_EXPLICIT};
  for (int k = 0; k < 3; k++) {
    NewtonWork *work = NULL;
    Err err = {0};
    run->input.model.steps.newton.matrix = without[k];
    cr_assert_eq(newton_work_new(&work, &run->input.model, &run->state, &err), ERR_INPUT);
    cr_assert(strstr(err.text, "h omega = ") && strstr(err.text, "body 'b'") &&
                  strstr(err.text, "h < "),
              "%s", err.text);
    newton_work_free(work);
  }
  run->input.model.steps.newton.matrix = NEWTON_FULL;
  run_case_close(run);
}

// A square of one element held at its left swings along x with omega^2 = 2 E / rho (half its mass
// moves), and central differences make of it Omega = 2 asin(h omega / 2) / h: v1 - 2 v0 + v-1 =
// -(h omega)^2 v0.
Test(newton, explicit_choice_has_the_frequency_of_central_differences) {
  const char *const theta[] = {"0.5", "0.75", "1"};
  for (int k = 0; k < 3; k++) {
    double h = 0.3, omega = sqrt(2), known = 2 * asin(h * omega / 2) / h;
    CaseRun *run = run_case_open_text(
        xml_format("<voussoir><material name='m' young='1' poisson='0' density='1'/>"
                   "<block name='b' material='m' width='1' height='1' cells_x='1' cells_y='1' "
                   "pattern='q4' kinematics='finite'/><hold on='b.left' as='fixed'/>"
                   "<velocity of='b' x='1e-6'/><time end='300' step='0.3' theta='%s'/>"
                   "<newton matrix='explicit'/><probe name='e' quantity='energy'/>"
                   "<probe name='u' quantity='displacement' of='b.right'/>"
                   "<probe name='hold' quantity='hold' of='b.left'/></voussoir>",
                   theta[k]),
        NULL);
    run_case_to_end(run);
    int n = 2 * (int)floor(300 / (2 * 3.14159265358979 / known)) - 1;
    double whole = run_case_crossing(run, "u_x", 0, n) - run_case_crossing(run, "u_x", 0, 1);
    // crossings are linear between rows: (h Omega)^3 / 24 at each, of n half turns; finite strains:
    // 1e-6
    cr_assert_float_eq(whole * known / (3.14159265358979 * (n - 1)), 1, 1e-4, "theta %s: %g",
                       theta[k], whole * known / (3.14159265358979 * (n - 1)));
    cr_assert_leq(run_case_largest(run, "u_x"), 1e-6 / omega * 1.05);
    cr_assert_geq(run_case_largest(run, "hold_x"), 0.5e-6 * 0.9 * omega);
    cr_assert_leq(run->state.worst[WORST_BALANCE], 1e-9, "theta %s: %g", theta[k],
                  run->state.worst[WORST_BALANCE]);
    run_case_close(run);
  }
}

// It follows the implicit choice to first order in h through a landing, and keeps its books of
// energy.
Test(newton, explicit_choice_converges_to_the_others) {
  const char *const theta[] = {"0.5", "1"};
  for (int k = 0; k < 2; k++) {
    double off[2];
    for (int fine = 0; fine < 2; fine++) {
      double x[2];
      const char *time =
          xml_format("end='0.032' step='%g' theta='%s'", fine ? 1e-4 : 2e-4, theta[k]);
      for (int j = 0; j < 2; j++) {
        CaseRun *run = block_on_plane(j ? "matrix='explicit'" : "matrix='full'", time);
        run_case_to_end(run);
        x[j] = run_case_last(run, "top_y");
        if (j) {
          double kinetic = run_case_largest(run, "e_kinetic");
          cr_assert_leq(run->state.worst[WORST_BALANCE], 1e-9, "balance %g",
                        run->state.worst[WORST_BALANCE]);
          cr_assert_leq(fabs(run_case_last(run, "e_numerical")), 0.05 * kinetic, "%g of %g",
                        run_case_last(run, "e_numerical"), kinetic);
          cr_assert_geq(run_case_largest(run, "floor_y"), 1, "no contact");
        }
        run_case_close(run);
      }
      off[fine] = fabs(x[1] - x[0]) / fabs(x[0]);
    }
    cr_assert(off[0] < 1e-3 && off[1] < 0.6 * off[0], "theta %s: %g, %g", theta[k], off[0], off[1]);
  }
}

Test(newton, explicit_choice_at_theta_one_refuses_laws_of_rates) {
  const char *const theta[] = {"0.5", "1"};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_open_text(
        xml_format(
            "<voussoir><material name='m' law='kelvin_voigt' shear_viscosity='0.1' young='1' "
            "poisson='0' density='1'/>"
            "<block name='b' material='m' width='1' height='1' cells_x='1' cells_y='1' "
            "pattern='q4' kinematics='finite'/><hold on='b.left' as='fixed'/>"
            "<time end='1' step='0.1' theta='%s'/></voussoir>",
            theta[k]),
        NULL);
    NewtonWork *work = NULL;
    Err err = {0};
    run->input.model.steps.newton.matrix = NEWTON_EXPLICIT;
    cr_assert_eq(newton_work_new(&work, &run->input.model, &run->state, &err),
                 k == 0 ? OK : ERR_INPUT);
    cr_assert(k == 0 || strstr(err.text, "knows no rates at theta = 1"), "%s", err.text);
    newton_work_free(work);
    run->input.model.steps.newton.matrix = NEWTON_FULL;
    run_case_close(run);
  }
}

// Masses so large that the kinetic energy is no number any more, when all has been computed: a step
// of 1 s after one at rest. The state stays what it was, bit by bit.
Test(newton, a_step_that_fails_at_its_end_leaves_the_state_as_it_was) {
  CaseRun *run = run_case_open_text(
      "<voussoir><function name='late' kind='expression' value='t &gt; 1.5 ? 10 : 0'/>"
      "<material name='m' young='1' poisson='0' density='4e307'/>"
      "<block name='b' material='m' width='1' height='1' cells_x='1' cells_y='1' pattern='q4' "
      "kinematics='finite'/><law name='l' friction='0'/><contact candidate='b' antagonist='b' law='l'/>"
      "<gravity y='late'/><time end='3' step='1' theta='1' max_cuts='0'/>"
      "<newton matrix='explicit'/></voussoir>",
      NULL);
  Err err = {0};
  run_case_steps(run, 1);
  uint64_t before = state_hash(&run->state, &run->input.model);
  cr_assert_eq(step_advance(&run->input.model, &run->state, &run->work, &run->log, &err),
               ERR_NUMERIC);
  cr_assert(strstr(err.text, "are not finite numbers"), "%s", err.text);
  cr_assert_eq(state_hash(&run->state, &run->input.model), before);
  run_case_close(run);
}

// A body whose nodes feel one another through K alone.
Test(newton, statics_by_diagonal_blocks_are_refused) {
  CaseRun *run = block_on_plane("matrix='full'", "end='1' step='0.02' theta='1'");
  NewtonWork *work = NULL;
  Err err = {0};
  run->input.model.steps.newton.statics = 1;
  run->input.model.steps.newton.contact = CONTACT_DIAGONAL;
  cr_assert_eq(newton_work_new(&work, &run->input.model, &run->state, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "small steps"), "%s", err.text);
  newton_work_free(work);
  run->input.model.steps.newton.statics = 0;
  run->input.model.steps.newton.contact = CONTACT_AUTO;
  run_case_close(run);
}

// A tangent that is kept over steps while the way of contact changes: together with contacts
// nothing factorises the bodies' own matrices, and where the block has left its 21 contacts nothing
// but these is asked for.
Test(newton, kept_matrix_is_factorised_anew_where_contact_was_solved_another_way) {
  CaseRun *run = run_case_open_text(
      "<voussoir><material name='m' law='neo_hooke' young='1e4' poisson='0.3' density='1000'/>"
      "<block name='b' material='m' width='1' height='0.1' cells_x='20' cells_y='2' pattern='q4' "
      "kinematics='finite'/><tool name='floor' shape='plane'/><law name='dry' friction='0.3'/>"
      "<contact candidate='b' antagonist='floor' law='dry' points='nodes'/>"
      "<velocity of='b' x='0.1' y='0.5'/><time end='0.02' step='1e-3' theta='1'/>"
      "<newton matrix='kept'/></voussoir>",
      NULL);
  run_case_steps(run, 1);
  cr_assert_eq(contact_count(run->work.contact), 21);
  cr_assert_not_null(run->work.newton->primal, "no step was made the primal way");
  cr_assert_eq(run->work.newton->factored, 0);
  run_case_to_end(run);
  cr_assert_eq(contact_count(run->work.contact), 0);
  cr_assert_eq(run->work.newton->factored, 1);
  double u[2];
  run_case_body_displacement(run, run_case_body(run, "b"), u);
  cr_assert_float_eq(u[0], 2e-3, 1e-12); // it flies
  cr_assert_float_eq(u[1], 1e-2, 1e-12);
  run_case_close(run);
}

// A block slides over a plane and closes in by 1e-15 of its speed: of that nothing is asked for.
Test(newton, block_that_grazes_takes_one_increment_a_step_by_both_ways_without_w) {
  static const char *const ways[] = {"primal", "diagonal"};
  for (int way = 0; way < 2; way++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><material name='m' density='1000' young='1e6' poisson='0.3'/>"
                   "<block name='b' material='m' width='1' height='0.5' cells_x='4' cells_y='2' "
                   "pattern='q4' kinematics='finite'/><tool name='floor' shape='plane'/>"
                   "<law name='dry' friction='0.3'/>"
                   "<contact candidate='b' antagonist='floor' law='dry' points='nodes'/>"
                   "<velocity of='b' x='0.6' y='-1e-15'/><newton contact='%s'/>"
                   "<solver tolerance='1e-10'/><time end='0.01' step='1e-3' theta='1'/></voussoir>",
                   ways[way]),
        NULL);
    cr_expect_eq(run->state.step, 10);
    cr_expect_eq(run->state.count[STAT_NEWTON_SUM], 10, "%s: %lld", ways[way],
                 (long long)run->state.count[STAT_NEWTON_SUM]);
    run_case_close(run);
  }
}

// The upper of two blocks is hit, and what comes through it presses their joint, first by 1e-13 of
// the blow: without W as with it, no step is cut, and both move alike.
Test(newton, blocks_that_hardly_press_one_another_are_solved_without_w) {
  static const char *const ways[] = {"delassus", "primal"};
  double moved = 0;
  for (int way = 0; way < 2; way++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><material name='m' density='1000' young='1e6' poisson='0.3'/>"
                   "<block name='a' material='m' width='1' height='0.5' cells_x='8' cells_y='4' "
                   "pattern='q4' kinematics='finite'/><tool name='base' shape='plane'/>"
                   "<block name='b' material='m' x='0.1' y='0.5' width='0.7' height='0.4' "
                   "cells_x='6' cells_y='4' pattern='q4' kinematics='finite'/>"
                   "<support name='top' shape='box' x='-1' y='0.9' width='3' height='0.5' "
                   "move_y='-30*t'/><law name='dry' friction='0.3'/>"
                   "<contact candidate='b' antagonist='a top' law='dry' points='nodes'/>"
                   "<contact candidate='a' antagonist='base' law='dry' points='nodes'/>"
                   "<newton contact='%s'/><time end='1e-3' step='1e-4' theta='0.5'/>"
                   "<probe name='b' quantity='displacement' of='b' component='y'/></voussoir>",
                   ways[way]),
        NULL);
    double own = run_case_last(run, "b");
    if (way == 0) moved = own;
    cr_expect_eq(run->state.step, 10, "%s: step %lld", ways[way], (long long)run->state.step);
    cr_expect_eq(run->state.count[STAT_CUTS], 0, "%s: cuts", ways[way]);
    cr_expect_float_eq(own, moved, 1e-4 * fabs(moved), "%s: %g and %g m", ways[way], own, moved);
    run_case_close(run);
  }
}

// Weight in a step of 1e-7 s is 1e-7 of what slides at 2 m/s, and less than what decides whether a
// contact touches: friction is 0.3 of it all the same, from the first step on.
Test(newton, blocks_that_slide_fast_in_short_steps_have_their_friction) {
  static const char *const ways[] = {"delassus", "diagonal", "primal"};
  for (int way = 0; way < 3; way++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><material name='m' density='1000' young='1e9' poisson='0.3'/>"
                   "<block name='b' material='m' width='0.2' height='0.1' cells_x='4' cells_y='2' "
                   "pattern='q4' kinematics='finite'/><tool name='base' shape='plane'/>"
                   "<law name='l' friction='0.3'/><contact candidate='b' antagonist='base' law='l'"
                   " points='nodes'/><velocity of='b' x='2'/><gravity/>"
                   "<time end='5e-7' step='1e-7' theta='0.5'/><newton contact='%s'/>"
                   "<solver tolerance='1e-6'/><output every='0'/>"
                   "<probe name='f' quantity='reaction' of='base'/></voussoir>",
                   ways[way]),
        NULL);
    for (int64_t k = 0; k < run->n_rows; k++) {
      double held = -run_case_at(run, k, "f_x"), pressed = run_case_at(run, k, "f_y");
      cr_expect_gt(pressed, 40, "%s: %g N", ways[way], pressed);
      cr_expect_float_eq(held, 0.3 * pressed, 1e-4 * pressed, "%s: %g of %g N", ways[way], held,
                         pressed);
    }
    run_case_close(run);
  }
}

// Residuals of the full method fall quadratically once they are small.
// (1 + theta h d) v1 = (1 - (1 - theta) h d) v0 for a body that flies and does not deform; d is
// 12/s of the material and 8/s of the stage.
Test(newton, damping_of_a_body_that_flies_is_that_of_the_scheme) {
  const double thetas[] = {0.5, 0.75, 1}, h = 0.01, d = 20, mass = 120;
  for (int k = 0; k < 3; k++) {
    CaseRun *run = run_case_open_text(
        xml_format("<voussoir><material name='m' law='neo_hooke' young='1e4' poisson='0.3' "
                   "density='1000' damping_mass='12'/><block name='b' material='m' width='0.4' "
                   "height='0.3' kinematics='finite'/><velocity of='b' x='2'/>"
                   "<newton tolerance='1e-13'/><time step='%g' theta='%g'/>"
                   "<stage name='fly' duration='0.1' damping='8'/></voussoir>",
                   h, thetas[k]),
        NULL);
    run_case_to_end_unrecorded(run);
    double rate = (1 - (1 - thetas[k]) * h * d) / (1 + thetas[k] * h * d), lost = 0;
    for (int step = 0; step < 10; step++) {
      double mean = 2 * pow(rate, step) * (thetas[k] * rate + 1 - thetas[k]);
      lost += h * d * mass * mean * mean;
    }
    for (int i = 0; i < run->input.model.bodies.n_nodes; i++)
      cr_assert_float_eq(run->state.bodies.v[2 * i], 2 * pow(rate, 10), 1e-12, "theta %g: %.15g",
                         thetas[k], run->state.bodies.v[2 * i]);
    double damped = run->state.energy[ENERGY_DAMPING];
    cr_assert_float_eq(damped, lost, 1e-10 * lost, "%.12g J, expected %.12g", damped, lost);
    run_case_close(run);
  }
}

// An elastic sheet, confined sideways, between a table and a plate that comes down: p = d / (t / M
// + 1 / k) with the confined modulus M and both laws in series. Contact bears the mean pressure of
// a step, so that what it takes up is the energy of the laws and what is left the sheet's, for
// steps as long as these. Strains of 0.5 %: bounds of 1 %.
Test(newton, pressure_of_tools_on_a_sheet_does_the_work_that_sheet_and_laws_store) {
  const double e = 70e9, nu = 0.33, t = 1e-3, k = e / t / 2, area = 1e-6, step = 5e-6;
  double compliance = t * (1 + nu) * (1 - 2 * nu) / (e * (1 - nu)) + 1 / k, p[5];
  CaseRun *run = run_case_open_text(
      "<voussoir><model space='solid'/><material name='m' law='sheet' density='2700' young='70e9' "
      "poisson='0.33' hardening='linear' yield='300e9' modulus='1e7'/>"
      "<sheet name='sheet' material='m' shape='rectangle' quarter='yes' width='2e-3 2e-3' "
      "size='0.5e-3 0.5e-3' pattern='q4' thickness='1e-3' layers='3'/>"
      "<tool name='table' shape='plane' axis_y='0' axis_z='1' at_z='-0.5e-3'/>"
      "<tool name='plate' shape='plane' axis_y='0' axis_z='-1' at_z='0.5e-3' move_z='-2e-5*t'/>"
      "<law name='smooth' friction='0' stiffness='70e9/1e-3'/>"
      "<contact candidate='sheet' antagonist='table plate' law='smooth' points='nodes'/>"
      "<hold on='sheet' as='x'/><hold on='sheet' as='y'/><time step='0.25' theta='1'/>"
      "<stage name='press' duration='1'/><newton statics='yes' contact='primal'/>"
      "<solver tolerance='1e-9'/>"
      "<probe name='plate' quantity='reaction' of='plate' component='z'/>"
      "<probe name='e' quantity='energy'/></voussoir>",
      NULL);
  run_case_to_end(run);
  for (int n = 1; n <= 4; n++) p[n] = n * step / compliance;
  for (int n = 3; n <= 4; n++) { // the room is seen from the second step on
    double force = 0.5 * (p[n - 1] + p[n]) * area, found = -run_case_at(run, n - 1, "plate");
    cr_assert_float_eq(found, force, 0.01 * force, "step %d: %g N, expected %g", n, found, force);
  }
  double in_laws = 0.5 * (p[4] * p[4] - p[2] * p[2]) / k * area;
  double in_sheet = 0.5 * (p[4] * p[4] - p[2] * p[2]) * (compliance - 1 / k) * area;
  double taken = run_case_at(run, 1, "e_contact_normal") - run_case_at(run, 3, "e_contact_normal");
  double stored = run_case_at(run, 3, "e_elastic") - run_case_at(run, 1, "e_elastic");
  cr_assert_float_eq(taken, in_laws, 0.01 * in_laws, "%g J, expected %g", taken, in_laws);
  cr_assert_float_eq(stored, in_sheet, 0.01 * in_sheet, "%g J, expected %g", stored, in_sheet);
  run_case_close(run);
}

// Of two strips the one that is pulled to twice its length and more is named, whichever it is.
Test(newton, thinning_is_told_of_the_sheet_that_thins) {
  for (int which = 0; which < 2; which++) {
    CaseRun *run = run_case_open_text(
        xml_format("<voussoir><model space='solid'/>"
                   "<material name='s' law='sheet' density='7800' young='206e9' poisson='0.3' "
                   "hardening='swift' strength='565.32e6' offset='0.007117' exponent='0.2589'/>"
                   "<sheet name='s0' material='s' shape='rectangle' width='0.02 0.01' size='0.005' "
                   "quarter='yes' thickness='0.001' layers='3'/>"
                   "<sheet name='s1' material='s' shape='rectangle' width='0.02 0.01' size='0.005' "
                   "quarter='yes' thickness='0.001' layers='3' y='1'/>"
                   "<hold on='s0.symmetry_x s1.symmetry_x' as='symmetry_x'/>"
                   "<hold on='s0.symmetry_y s1.symmetry_y' as='symmetry_y'/>"
                   "<prescribe on='s0 s1' z='0'/><prescribe on='s%d.right' x='12e-3*t'/>"
                   "<newton statics='yes' tolerance='1e-9'/>"
                   "<time end='1' step='0.05' theta='1'/></voussoir>",
                   which),
        NULL);
    run_case_to_end_unrecorded(run);
    const int64_t *count = run->state.verdict.count[VERDICT_THINNING];
    cr_assert_gt(count[VERDICT_COUNT], 0);
    cr_assert_eq(count[VERDICT_BODY], run_case_body(run, which ? "s1" : "s0"));
    run_case_close(run);
  }
}

// Several bodies keep their matrices beside one another, and a restart finds each where it was.
Test(newton, kept_matrices_of_several_bodies_are_each_its_own) {
  double place[2];
  for (int kept = 0; kept < 2; kept++) {
    CaseRun *run = run_case_open_text(
        xml_format(
            "<voussoir><material name='m' law='neo_hooke' young='1e4' poisson='0.3' "
            "density='1000'/><material name='n' law='neo_hooke' young='3e4' poisson='0.2' "
            "density='1000'/><block name='a' material='m' width='0.4' height='0.3' "
            "cells_x='2' pattern='q4' kinematics='finite'/><block name='b' material='n' "
            "x='1' width='0.2' height='0.3' cells_x='3' cells_y='2' pattern='q4' "
            "kinematics='finite'/><block name='c' material='m' x='2' width='0.3' "
            "height='0.1' cells_x='4' pattern='q4' kinematics='finite'/>"
            "<hold on='a.bottom b.bottom' as='fixed'/><hold on='c.left' as='fixed'/>"
            "<gravity y='-9.81'/><newton matrix='%s' tolerance='1e-12' max_iterations='100'/>"
            "<time end='0.05' step='5e-3' theta='1'/>"
            "<probe name='c' quantity='displacement' of='c.right' component='y'/></voussoir>",
            kept ? "kept" : "full"),
        NULL);
    run_case_to_end(run);
    if (kept) { // what is kept: the step size, then the matrices of three bodies
      int64_t n = run->input.model.bodies.n_kept;
      for (int64_t k = 0; k < n; k += n - 1) cr_assert_neq(run->state.bodies.kept[k], 0);
    }
    place[kept] = run_case_last(run, "c");
    run_case_close(run);
  }
  cr_assert_float_eq(place[1], place[0], 1e-9 * fabs(place[0]), "%.12g %.12g", place[0], place[1]);
}

Test(newton, full_matrix_converges_quadratically) {
  CaseRun *run = block_on_plane("matrix='full'", "end='0.4' step='0.02' theta='1'");
  int seen = 0;
  for (int step = 0; step < 20; step++) {
    run_case_steps(run, 1);
    const NewtonRow *row = run->work.newton_row;
    for (int k = 0; k + 1 < run->work.n_newton_rows; k++) {
      if (row[k + 1].iteration != row[k].iteration + 1 || row[k].length < 1) continue;
      double now = row[k].residual, next = row[k + 1].residual;
      if (now > 1e-3 || now < 1e-5) continue; // below, round-off; above, the region of attraction
      cr_assert_lt(next, 100 * now * now + 1e-12, "%g then %g", now, next);
      seen++;
    }
  }
  cr_assert_gt(seen, 3);
  run_case_close(run);
}

// What forces take from the motion is elastic energy, friction and the scheme's own dissipation.
Test(newton, energy_balance_closes) {
  CaseRun *run = block_on_plane("matrix='full'", "end='0.1' step='1e-3' theta='1'");
  run_case_steps(run, 100);
  cr_assert_lt(energy_balance(run->state.energy), 1e-8);
  cr_assert_lt(run_case_last(run, "e_friction"), 0);
  cr_assert_gt(run_case_last(run, "e_numerical"), 0);
  run_case_close(run);
}

// A sub-step that fails shrinks and grows again; the history counts the cuts.
Test(newton, sub_steps_adapt) {
  CaseRun *run = block_on_plane("matrix='full' max_iterations='3'",
                                "end='0.2' step='0.05' step_min='1e-5' growth='2' theta='1'");
  run_case_steps(run, 4);
  cr_assert_gt(run->state.count[STAT_CUTS], 0);
  cr_assert_gt(run->state.count[STAT_SUBSTEPS], 4);
  cr_assert_float_eq(run->state.t, 0.2, 1e-12);
  run_case_close(run);
}

Test(newton, sheets_turn_as_far_as_the_last_increment_was_right) {
  NewtonLoop loop = {.turn = (double)INFINITY, .turned = 0.4, .relative = 1.09};
  newton_trust(&loop, 1); // neither worse by a tenth nor half
  cr_assert(isinf(loop.turn));
  loop.relative = 1.11;
  newton_trust(&loop, 1);
  cr_assert_float_eq(loop.turn, 0.2, 1e-15); // half of what it turned
  loop.turned = 0.1;                         // the line search took half of what it might
  newton_trust(&loop, 1);
  cr_assert_float_eq(loop.turn, 0.05, 1e-15);
  loop.relative = 0.51;
  newton_trust(&loop, 1);
  cr_assert_float_eq(loop.turn, 0.05, 1e-15);
  loop.relative = 0.49;
  newton_trust(&loop, 1);
  cr_assert_float_eq(loop.turn, 0.1, 1e-15);
  loop.relative = 2;
  loop.turned = 1e-4;
  newton_trust(&loop, 1);
  cr_assert_float_eq(loop.turn, 1e-3, 1e-18); // no less
}

Test(newton, a_tangent_is_made_anew_unless_convergence_is_near_and_quadratic) {
  NewtonSettings settings = {.matrix = NEWTON_FULL, .tolerance = 1e-4};
  const struct {
    double relative;
    int slow, wanted;
  } rule[] = {{1.1e-3, 0, 1},  // its square is not within a hundredth of the tolerance
              {0.9e-3, 0, 0},  // the next iterate converges
              {0.9e-3, 1, 1},  // it should, but the last one did not
              {0.9e-4, 0, 0},  // it has: contacts alone are left
              {0.9e-4, 1, 0}}; // however slowly
  for (size_t k = 0; k < sizeof rule / sizeof rule[0]; k++) {
    NewtonLoop loop = {.relative = rule[k].relative, .slow = rule[k].slow};
    settings.matrix = NEWTON_FULL;
    cr_assert_eq(newton_tangent_next(&settings, &loop), rule[k].wanted, "%d", (int)k);
    settings.matrix = NEWTON_KEPT;
    cr_assert_eq(newton_tangent_next(&settings, &loop), 0, "%d", (int)k);
  }
}

// One node of a strip of quadrilaterals 2 by 1 mm is lifted at 0.3 m/s, half a step of 1 ms counts:
// edges beside it turn by 0.15 / 1; a director that turns farther, or a corner, is what is most.
Test(newton, how_far_a_sheet_turns_is_the_most_of_its_edges_and_directors) {
  CaseRun *run = run_case_open_text(
      "<voussoir><model space='solid'/>"
      "<material name='m' law='elastic' young='70e9' poisson='0.3' density='2700'/>"
      "<sheet name='s' material='m' shape='rectangle' width='6e-3 2e-3' size='2e-3 1e-3' "
      "pattern='q4' thickness='1e-3'/><time end='1' step='1e-3' theta='1'/></voussoir>",
      NULL);
  const BodySet *bs = &run->input.model.bodies;
  const FiniteSystem *system = &run->work.newton->system;
  const StepSize size = {.h = 1e-3, .theta = 0.5};
  double *dv = mem_new((size_t)system->n, sizeof *dv);
  int node = newton_unknown(bs, system, bs->node_ptr[bs->finite[0].body] + 5, 2);
  cr_assert_eq(finite_turn(bs, system, size, dv), 0);
  dv[node] = 0.3;
  cr_assert_float_eq(finite_turn(bs, system, size, dv), 0.15, 1e-12);
  dv[node] = -0.3;
  cr_assert_float_eq(finite_turn(bs, system, size, dv), 0.15, 1e-12);
  dv[system->matrix[0].first + 3 * bs->finite[0].form.n_nodes + 1] = -400;
  cr_assert_float_eq(finite_turn(bs, system, size, dv), 0.2, 1e-12);
  mem_free(dv);
  run_case_close(run);
}

// A strip snaps over the shoulder of its die as rows of nodes leave it. Found: 4 cuts and 574
// iterations; 17 and 1016 where increments may turn it as far as they will, or are never held back.
Test(newton, a_strip_that_snaps_over_a_shoulder_is_held_to_short_increments) {
  CaseRun *run =
      run_case("inputs/u_bend.xml", "stroke=8e-3 size=5e-3 across=20e-3 layers=3 increment=0.5e-3 "
                                    "output_every=0");
  cr_assert_leq(run->state.count[STAT_CUTS], 9);
  cr_assert_leq(run->state.count[STAT_NEWTON_ROWS], 800);
  run_case_close(run);
}

// A block under a plate without mass, which a force pulls or presses.
static CaseRun *plated(const char *force, const char *statics) {
  return run_case_open_text(
      xml_format(
          "<voussoir><material name='rubber' law='neo_hooke' density='1000' young='1e6' "
          "poisson='0.3'/><block name='block' material='rubber' width='0.1' height='0.1' "
          "cells_x='2' cells_y='2' pattern='q4' kinematics='finite'/>"
          "<tool name='plate' shape='plane' axis_y='-1' at_y='0.1' free='y'/>"
          "<force on='plate' y='%s'/><law name='f' friction='0.2'/>"
          "<contact candidate='block' antagonist='plate' law='f' points='nodes'/>"
          "<hold on='block.bottom' as='fixed'/><time end='0.04' step='0.01' theta='1'/>"
          "<newton statics='%s'/>"
          "<probe name='plate' quantity='displacement' of='plate' component='y'/></voussoir>",
          force, statics),
      NULL);
}

// Pulled away after two steps: the tool, its force then and that nothing holds it are said.
Test(newton, a_tool_that_nothing_presses_back_is_named_with_its_force) {
  static const char *const statics[] = {"no", "yes"};
  for (int k = 0; k < 2; k++) {
    Err err = {0};
    CaseRun *run = plated("t&gt;0.025?50:-100", statics[k]);
    run_case_steps(run, 2);
    cr_assert_eq(step_advance(&run->input.model, &run->state, &run->work, &run->log, &err),
                 ERR_NUMERIC);
    cr_assert(strstr(err.text, "tool 'plate' declared at"), "%s", err.text);
    cr_assert(strstr(err.text, "a force of 50 N along y"), "%s", err.text);
    cr_assert(strstr(err.text, "nothing presses back"), "%s", err.text);
    run_case_close(run);
  }
}

// A ball on a sheet, where rounding leaves forces that no share of a force of zero bounds.
Test(newton, a_tool_without_mass_rests_where_it_is_until_its_force_comes) {
  CaseRun *run = run_case_open_text(
      "<voussoir><model space='solid'/><material name='steel' law='sheet' density='7800' "
      "young='206e9' poisson='0.3' hardening='swift' strength='565e6' offset='0.007' "
      "exponent='0.26'/><sheet name='blank' material='steel' shape='disk' radius='0.04' "
      "size='8e-3' pattern='q4' quarter='yes' thickness='1e-3'/>"
      "<hold on='blank.symmetry_x' as='symmetry_x'/><hold on='blank.symmetry_y' as='symmetry_y'/>"
      "<hold on='blank.edge' as='clamped'/>"
      "<tool name='ram' shape='sphere' radius='20e-3' at_z='20.5e-3' free='z'/>"
      "<force on='ram' z='-1e6*max(0,t-2e-4)'/><law name='l' friction='0.1' stiffness='2e14'/>"
      "<contact candidate='blank' antagonist='ram' law='l' points='nodes'/>"
      "<time end='4e-4' step='1e-4' theta='0.6'/><newton tolerance='1e-4'/>"
      "<probe name='ram' quantity='displacement' of='ram' component='z'/></voussoir>",
      NULL);
  run_case_to_end(run);
  cr_expect_float_eq(run_case_at(run, 1, "ram"), 0, 1e-9, "%g", run_case_at(run, 1, "ram"));
  cr_expect_lt(run_case_last(run, "ram"), -1e-7, "%g", run_case_last(run, "ram"));
  run_case_close(run);
}

// Half a strip on a roll, which only contact holds up, under a punch that a force drives: forces
// balance in each step of statics.
Test(newton, a_force_driven_tool_bends_what_only_contact_holds_in_statics) {
  CaseRun *run = run_case_text(
      "<voussoir><material name='steel' law='j2' density='7800' young='206e9' poisson='0.3' "
      "hardening='swift' strength='565e6' offset='0.007' exponent='0.26'/>"
      "<block name='strip' material='steel' kinematics='finite' b_bar='yes' width='0.03' "
      "height='1e-3' cells_x='30' cells_y='2' pattern='q4'/>"
      "<tool name='punch' shape='sphere' radius='5e-3' at_y='6e-3' free='y'/>"
      "<force on='punch' y='-3000*t'/>"
      "<tool name='die' shape='sphere' radius='5e-3' at_x='20e-3' at_y='-5e-3'/>"
      "<law name='l' friction='0.1' stiffness='2e14'/>"
      "<contact candidate='strip' antagonist='punch die' law='l' points='nodes'/>"
      "<hold on='strip.left' as='x'/><time end='0.2' step='0.04' theta='1' step_min='1e-3'/>"
      "<newton tolerance='1e-5' statics='yes'/>"
      "<probe name='punch' quantity='reaction' of='punch' component='y'/>"
      "<probe name='die' quantity='reaction' of='die' component='y'/></voussoir>",
      NULL);
  double die = run_case_last(run, "die"), punch = run_case_last(run, "punch");
  cr_expect_float_eq(fabs(punch), 600, 3, "%g", punch);
  cr_expect_float_eq(fabs(die), 600, 3, "%g", die);
  run_case_close(run);
}
