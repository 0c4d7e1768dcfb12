// Statics of elastic bodies: masonry comes to rest in a few solutions, whatever the steps, and
// joints lose strength from states in balance alone.

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "../support/run_case.h"

static const double G = 9.81;

// A wall with an opening; to be said of its mortar: tension and cohesion [Pa].
#define WALL                                                                                       \
  "<voussoir><model plane='stress' thickness='0.4'/>"                                              \
  "<material name='brick' density='1900' young='3e9' poisson='0.2'/>"                              \
  "<law name='mortar' type='mohr_coulomb' friction='0.6' tension='%s' cohesion='%s'/>"             \
  "<law name='foot' friction='0.6'/>"                                                              \
  "<wall name='w' material='brick' courses='8' blocks='6' length='0.5' height='0.25'>"             \
  "<opening left='1' bottom='0.5' width='1' height='0.75' lintel_bearing='0.25'/></wall>"          \
  "<support name='g' shape='box' x='-1' y='-0.5' width='6' height='0.5'/>"                         \
  "<contact candidate='w' antagonist='g' law='foot'/>"                                             \
  "<contact candidate='w' antagonist='w' law='mortar'/>"

// A stage that ends at rest; `more`: further attributes of it.
static const char *rest(const char *more) {
  return xml_format("<time step='0.01' theta='1'/><stage name='s' until='rest' duration='100' %s/>",
                    more);
}

static const char *column(double young, const char *kinematics, const char *stage) {
  return xml_format(
      "<voussoir><material name='m' density='2400' young='%g' poisson='0'/>"
      "<law name='dry' friction='0.5'/>"
      "<column name='c' material='m' kinematics='%s' width='1' height='0.5' drums='10' cells_x='2'"
      " cells_y='2'/><support name='base' shape='box' x='-2' y='-1' width='4' height='1'/>"
      "<contact candidate='c' antagonist='c base' law='dry'/><gravity/>%s"
      "<probe name='top' quantity='displacement' of='c.top'/>"
      "<probe name='base' quantity='reaction' of='base'/></voussoir>",
      young, kinematics, stage);
}

// rho g L^2 / (2 E), exact for these elements; the dead weight below.
Test(statics, a_column_settles_by_what_its_weight_says_at_any_stiffness) {
  static const double young[] = {1e8, 5e10};
  static const char *const kinematics[] = {"small", "corotational"};
  for (int k = 0; k < 4; k++) {
    double length = 5, expected = 2400 * G * length * length / (2 * young[k / 2]);
    CaseRun *run =
        run_case_text(column(young[k / 2], kinematics[k % 2], rest("statics='yes'")), NULL);
    cr_expect_leq(run->state.step, 5, "%lld steps", (long long)run->state.step);
    cr_expect_float_eq(run_case_last(run, "top_y"), -expected, 2e-4 * expected, "%g for %g",
                       run_case_last(run, "top_y"), -expected);
    cr_expect_float_eq(run_case_last(run, "base_y"), 2400 * G * length, 1e-5 * 2400 * G * length);
    cr_expect_not(verdict_any(&run->state.verdict));
    run_case_close(run);
  }
}

// The same state as where inertia dies out, in steps that grow without being asked to: 118 and more
// where they do not.
Test(statics, end_where_dynamics_come_to_rest) {
  static const char *const more[] = {"", "step_max='1'", "step='1e-3'"};
  static const double young[] = {1e8, 1e9, 5e10};
  for (int e = 0; e < 3; e++) {
    CaseRun *still = run_case_text(column(young[e], "corotational", rest("statics='yes'")), NULL);
    double top = run_case_last(still, "top_y");
    run_case_close(still);
    for (int k = 0; k < 3; k++) {
      CaseRun *moved = run_case_text(column(young[e], "corotational", rest(more[k])), NULL);
      cr_expect_leq(moved->state.step, 25, "%g Pa, '%s': %lld steps", young[e], more[k],
                    (long long)moved->state.step);
      cr_expect_float_eq(run_case_last(moved, "top_y"), top, 1e-3 * fabs(top));
      run_case_close(moved);
    }
  }
}

// A block of 2 x 0.5 m glued on the floor and pushed along its foot holds up to the force of its
// glue and mu W, which the load reaches at t = 1.
static CaseRun *pushed(double cohesion, double steps) {
  double weight = 2000 * G, limit = cohesion + 0.5 * weight;
  CaseRun *run = run_case_open_text(
      xml_format("<voussoir><material name='m' density='2000' young='1e9' poisson='0.2'/>"
                 "<law name='glue' type='mohr_coulomb' friction='0.5' tension='%g' cohesion='%g'/>"
                 "<block name='b' material='m' width='2' height='0.5' cells_x='2' cells_y='2'/>"
                 "<support name='p' shape='plane' length='5'/>"
                 "<contact candidate='b' antagonist='p' law='glue' points='midpoints'/>"
                 "<gravity/><pressure on='b.bottom' x='%.17g*t'/>"
                 "<time end='2' step='%.17g' theta='1' max_cuts='0'/><newton statics='yes'/>"
                 "</voussoir>",
                 cohesion / 4, cohesion / 2, limit / 2, 1 / steps),
      NULL);
  return run;
}

Test(statics, a_glued_joint_gives_at_cohesion_and_friction_whatever_the_steps) {
  static const double steps[] = {20, 100};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = pushed(1e4, steps[k]);
    Status status = OK;
    Err err = {0};
    while (status == OK && run->state.t < 1.5)
      status = step_advance(&run->input.model, &run->state, &run->work, &run->log, &err);
    cr_expect_eq(status, ERR_NUMERIC, "it held at t = %g", run->state.t);
    cr_expect_float_eq(run->state.t, 1, 1.5 / steps[k], "gave way at t = %g", run->state.t);
    run_case_close(run);
  }
}

// The steps of the stage change nothing, whatever breaks; nor do they without rest.
Test(statics, what_breaks_does_not_depend_on_the_steps) {
  static const char *const most[] = {"", "step_max='0.05'"};
  double broken[2], base[2];
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_text(
        xml_format(
            WALL
            "<gravity/>"
            "<time step='1e-3' theta='1'/><stage name='s' until='rest' statics='yes' duration='1' %s/>"
            "<probe name='g' quantity='reaction' of='g'/><probe name='j' quantity='status'/></voussoir>",
            "2e3", "4e3", most[k]),
        NULL);
    broken[k] = run_case_last(run, "j_broken");
    base[k] = run_case_last(run, "g_y");
    cr_expect_leq(run->state.step, 25);
    run_case_close(run);
  }
  cr_expect_gt(broken[0], 0);
  cr_expect_float_eq(broken[0], broken[1], 0.01 * broken[0], "%g and %g", broken[0], broken[1]);
  cr_expect_float_eq(base[0], base[1], 1e-5 * base[0]);
}

// Contacts whose joint has lost its strength by the state of its law, and those of them that carry
// next to nothing and are not shown open.
static void count_lost(const CaseRun *run, int *lost, int *shown_closed) {
  const ContactState *state = &run->state.contact;
  double most = 0;
  int n = contact_count(run->work.contact);
  for (int c = 0; c < n; c++) most = fmax(most, run->work.reaction[2 * c]);
  *lost = *shown_closed = 0;
  for (int c = 0; c < n; c++) {
    int64_t slot = contact_list(run->work.contact)[c].slot;
    if (state->law[slot * run->input.model.contact.n_law_state] != 1) continue;
    ++*lost;
    *shown_closed += run->work.reaction[2 * c] < 1e-8 * most &&
                     contact_status(run->work.contact, c) != STATUS_BROKEN;
  }
}

// Whatever way statics went: joints that are lost stay so, at the ends of stages too, and of all
// solutions only those in balance count.
Test(statics, tell_of_lost_joints_and_of_errors_in_balance) {
  CaseRun *run = run_case_open_text(
      xml_format(
          WALL
          "<gravity y='-9.81*min(1,2*t)'/>"
          "<time step='1e-3' theta='1'/><stage name='one' statics='yes' duration='1' step='0.25'/>"
          "<stage name='two' duration='0.002'/><probe name='j' quantity='status'/></voussoir>",
          "3e3", "3e3"),
      NULL);
  const State *state = &run->state;
  double before = 0;
  for (int k = 0; k < 6; k++) {
    int lost, shown_closed;
    run_case_step(run, 1);
    count_lost(run, &lost, &shown_closed);
    double told = run_case_last(run, "j_broken");
    cr_expect_eq(told, lost, "step %d: %g of %d", k, told, lost);
    cr_expect_geq(told, before);
    if (k < 4) // in motion what has just closed carries as little
      cr_expect_eq(shown_closed, 0, "step %d: %d", k, shown_closed);
    cr_expect_eq(run_case_last(run, "contacts"), run_case_last(run, "j_open") +
                                                     run_case_last(run, "j_stick") +
                                                     run_case_last(run, "j_slip"));
    before = told;
  }
  cr_expect_gt(before, 0);
  cr_expect_lt(state->count[STAT_JUDGED], state->count[STAT_SUBSTEPS]);
  cr_expect_geq(state->count[STAT_JUDGED], 6);
  cr_expect_eq(state->count[STAT_DEFORMING], state->count[STAT_JUDGED]);
  cr_expect(state->count[STAT_NOT_CONVERGED] > 0 || state->worst[WORST_DEFORMATION] <= 1e-3);
  run_case_close(run);
}

Test(statics, of_what_nothing_holds_find_no_equilibrium_and_say_so) {
  CaseRun *run = run_case_open_text(
      "<voussoir><material name='m' density='2000' young='1e9' poisson='0.2'/>"
      "<law name='dry' friction='0.3'/><law name='rough' friction='0.9'/>"
      "<block name='a' material='m' x='-2' y='-0.8456' width='1' height='0.5' angle='0.4'/>"
      "<block name='b' material='m' width='1' height='0.5' angle='0.4'/>"
      "<support name='p' shape='plane' length='5' angle='0.4'/>"
      "<contact candidate='a' antagonist='p' law='rough'/>"
      "<contact candidate='b' antagonist='p' law='dry'/><gravity/>"
      "<time end='1' step='1' theta='1'/><newton statics='yes'/></voussoir>",
      NULL);
  Err err = {0};
  cr_assert_eq(step_advance(&run->input.model, &run->state, &run->work, &run->log, &err),
               ERR_NUMERIC);
  cr_expect(strstr(err.text, "no static equilibrium"), "%s", err.text);
  cr_expect(strstr(err.text, "'b' farthest"), "%s", err.text);
  cr_expect_eq(run->state.step, 0);
  run_case_close(run);
}

// Tools bear blocks of small strains as supports do: all of the weight from the first step on, and
// a press that comes down by 1 mm feels E A u / L (nu = 0). In dynamics the first step carried
// 0.993 of it.
Test(statics, of_elastic_bodies_on_tools_are_in_balance_at_once) {
  static const char *const kinematics[] = {"small", "corotational", "small"};
  for (int k = 0; k < 3; k++) {
    int solid = k == 2, steps = 0;
    const char *block = solid ? "<box name='b' material='m' size='1 1 1' cells='2 2 2'"
                              : "<block name='b' material='m' width='1' height='1' pattern='q4'";
    CaseRun *run = run_case_open_text(
        xml_format("<voussoir>%s<material name='m' density='2000' young='1e7' poisson='0'/>"
                   "<law name='d' friction='0.3'/>%s kinematics='%s'/>"
                   "<tool name='base' shape='plane' axis_y='%d' axis_z='%d'/>"
                   "<tool name='press' shape='plane' at_%s='1.001' axis_y='%d' axis_z='%d' "
                   "move_%s='-0.02*max(0, t - 0.1)'/>"
                   "<contact candidate='b' antagonist='base press' law='d'/>"
                   "<gravity y='%g' z='%g'/><time end='0.2' step='0.1' theta='1'/>"
                   "<newton statics='yes'/><probe name='r' quantity='reaction' of='base'/>"
                   "<probe name='e' quantity='energy'/></voussoir>",
                   solid ? "<model space='solid'/>" : "", block, kinematics[k], !solid, solid,
                   solid ? "z" : "y", -!solid, -solid, solid ? "z" : "y", solid ? 0. : -9.81,
                   solid ? -9.81 : 0.),
        NULL);
    double weight = 2000 * 9.81, top = weight / 2e7; // sinks by rho g L^2 / (2 E)
    const char *column = solid ? "r_z" : "r_y";
    for (; steps < 2; steps++) {
      run_case_step(run, 1);
      // at t = 0.2 the press has come down by 2 mm, 1 mm of it over the gap, and the top had sunk
      // out of its way
      double expected = steps == 0 ? weight : weight + 1e7 * (1e-3 - top);
      cr_expect_float_eq(run_case_last(run, column), expected, 1e-4 * expected, "%s: %g N of %g",
                         kinematics[k], run_case_last(run, column), expected);
      cr_expect_leq(run_case_last(run, "e_kinetic"), 1e-9 * run_case_last(run, "e_elastic"));
    }
    run_case_close(run);
  }
}

// The same of an elastic block on one at finite strains that is held: its weight is on that one at
// once, and both sink as a column does, to strains of 1e-3.
Test(statics, of_elastic_and_finite_bodies_are_one_balance) {
  static const char *const kinds[] = {"small", "corotational"};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_open_text(
        xml_format("<voussoir><material name='m' density='2000' young='1e7' poisson='0'/>"
                   "<law name='d' friction='0.3'/>"
                   "<block name='a' material='m' kinematics='finite' width='0.5' height='0.5' "
                   "pattern='q4'/><block name='b' material='m' kinematics='%s' y='0.5' width='0.5' "
                   "height='0.5' pattern='q4'/><prescribe on='a.bottom' x='0' y='0'/>"
                   "<contact candidate='b' antagonist='a' law='d'/><gravity/>"
                   "<time end='0.1' step='0.1' theta='1'/><newton statics='yes'/>"
                   "<probe name='r' quantity='reaction' of='a'/>"
                   "<probe name='b' quantity='displacement' of='b.top'/></voussoir>",
                   kinds[k]),
        NULL);
    run_case_step(run, 1);
    double weight = 2000 * 0.25 * 9.81, sinks = 2000 * 9.81 / 2e7;
    cr_expect_float_eq(run_case_last(run, "r_y"), weight, 1e-4 * weight, "%s: %g N of %g", kinds[k],
                       run_case_last(run, "r_y"), weight);
    cr_expect_float_eq(run_case_last(run, "b_y"), -sinks, 3e-3 * sinks, "%s: %g m of %g", kinds[k],
                       run_case_last(run, "b_y"), -sinks);
    run_case_close(run);
  }
}

// Pushes the top drum of a column by `most` N over 1 s, in steps of 0.1 s, until a step fails; up
// to where loads were carried is said [N].
static double carried(int drums, const char *young, const char *points, double most) {
  CaseRun *run = run_case_open_text(
      xml_format("<voussoir><material name='m' density='2000' young='%s' poisson='0.2'/>"
                 "<law name='dry' friction='0.3'/>"
                 "<column name='c' material='m' width='0.5' height='0.5' drums='%d'/>"
                 "<support name='base' shape='plane'/>"
                 "<contact candidate='c' antagonist='c base' law='dry' points='%s'/><gravity/>"
                 "<force on='c.top' x='%g*t'/>"
                 "<time end='1' step='0.1' theta='1'/><newton statics='yes'/></voussoir>",
                 young, drums, points, most),
      NULL);
  Err err = {0};
  Status status = OK;
  while (status == OK && run->state.t < 0.99)
    status = step_advance(&run->input.model, &run->state, &run->work, &run->log, &err);
  cr_assert_eq(status, ERR_NUMERIC, "%s drums carry %g N", points, most);
  double last = 0, first = 0;
  const char *said = strstr(err.text, "the loads of t = ");
  cr_assert(
      said && sscanf(said, "the loads of t = %lf s are carried, those of %lf", &last, &first) == 2,
      "%s", err.text);
  cr_expect(last >= run->state.t && first < run->state.t + 0.1 + 1e-9 && last < first, "%s",
            err.text);
  run_case_close(run);
  return most * last;
}

// The top drum of a column is pushed until it slides, at friction * weight = 1471.5 N. The step
// that holds the limit is taken back as a whole, at 1440 N; up to where loads were carried is said.
// A soft column leans, and the drum slides down its slope earlier: W tan(atan 0.3 - slope); pieces
// that were in balance inside one another let it be pushed for ever.
Test(statics, say_up_to_where_growing_loads_are_carried) {
  double weight = 2000 * 0.25 * 9.81, limit = carried(3, "1e9", "nodes", 1600);
  cr_expect_leq(limit, 0.3 * weight, "carries %g N of %g", limit, 0.3 * weight);
  cr_expect_geq(limit, 0.997 * 0.3 * weight, "carries %g N of %g", limit, 0.3 * weight);
  // the slope of a cantilever, F L^2 / (2 E I) in plane strain, without what the weight adds to it
  double stiffness = 1e7 / (1 - 0.2 * 0.2) * 0.5 * 0.5 * 0.5 / 12, lean = 0;
  for (int k = 0; k < 50; k++) // F and slope together
    lean = weight * tan(atan(0.3) - lean) * 2.5 * 2.5 / (2 * stiffness);
  double soft[] = {carried(5, "1e7", "nodes", 1600), carried(5, "1e7", "gauss", 1600)};
  for (int k = 0; k < 2; k++)
    cr_expect_float_eq(soft[k], weight * tan(atan(0.3) - lean), 0.06 * soft[k], "%g N of %g",
                       soft[k], weight * tan(atan(0.3) - lean));
}

// Rest is not while loads are still to change, however slowly they come; nor is it where a load
// comes late.
Test(statics, rest_waits_for_loads_that_are_still_to_come) {
  static const char *const gravity[] = {"-9.81*min(1,t/2)", "t &lt; 1 ? -1 : -9.81"};
  static const char *const statics[] = {"yes", "no"};
  for (int k = 0; k < 4; k++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><material name='m' density='2400' young='1e9' poisson='0'/>"
                   "<law name='dry' friction='0.5'/>"
                   "<column name='c' material='m' width='1' height='0.5' drums='3'/>"
                   "<support name='base' shape='box' x='-2' y='-1' width='4' height='1'/>"
                   "<contact candidate='c' antagonist='c base' law='dry'/>"
                   "<gravity y='%s'/><time step='1e-3' theta='1'/>"
                   "<stage name='s' until='rest' statics='%s' duration='100' step_max='0.1'/>"
                   "<probe name='base' quantity='reaction' of='base'/></voussoir>",
                   gravity[k / 2], statics[k % 2]),
        NULL);
    double weight = 2400 * G * 1.5;
    cr_expect_geq(run->state.t, k < 2 ? 2 : 1);
    cr_expect_float_eq(run_case_last(run, "base_y"), weight, 1e-3 * weight,
                       "%s, statics %s: %g of %g", gravity[k / 2], statics[k % 2],
                       run_case_last(run, "base_y"), weight);
    run_case_close(run);
  }
}

// Pushed beyond tipping a column has no equilibrium on its way down, and none lying in a heap of
// its own.
Test(statics, a_column_that_tips_is_no_equilibrium) {
  CaseRun *run = run_case_open_text(
      xml_format("<voussoir><material name='m' density='2400' young='1e9' poisson='0'/>"
                 "<law name='dry' friction='2'/>"
                 "<column name='c' material='m' width='1' height='1' drums='6'/>"
                 "<support name='base' shape='box' x='-20' y='-1' width='40' height='1'/>"
                 "<contact candidate='c' antagonist='c base' law='dry'/>"
                 "<gravity x='%.17g' y='-9.81'/><time end='1' step='1' theta='1' max_cuts='0'/>"
                 "<newton statics='yes'/></voussoir>",
                 1.1 * G / 6),
      NULL);
  Err err = {0};
  cr_assert_eq(step_advance(&run->input.model, &run->state, &run->work, &run->log, &err),
               ERR_NUMERIC);
  run_case_close(run);
}

// A block cut in half along its symmetry axis is pressed on a rough base: contacts by W and in one
// matrix give the same motion and the same sum of friction. The node on the axis is held along the
// base: friction there moves nothing, any that the disk holds would do for it, and by symmetry
// there is none.
Test(statics, ways_of_contact_agree_on_the_sum_of_friction) {
  double sum[2], corner[2];
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><material name='m' density='1' young='13000' poisson='0.2'/>"
                   "<block name='b' material='m' width='40' height='40' cells_x='8' cells_y='8' "
                   "pattern='q4' kinematics='finite'/><tool name='base' shape='plane'/>"
                   "<law name='rough' friction='1'/>"
                   "<contact candidate='b' antagonist='base' law='rough'/>"
                   "<prescribe on='b.left' x='0'/><pressure on='b.right' value='10*t/5'/>"
                   "<pressure on='b.top' value='5*t/5'/><time end='5' step='1' theta='1'/>"
                   "<newton statics='yes' contact='%s'/><solver tolerance='1e-9'/>"
                   "<probe name='corner' quantity='displacement' of='b.bottom' near='40 0'/>"
                   "<probe name='base' quantity='reaction' of='base' component='x'/></voussoir>",
                   k ? "primal" : "delassus"),
        NULL);
    sum[k] = run_case_last(run, "base");
    corner[k] = run_case_last(run, "corner_x");
    for (int c = 0; c < contact_count(run->work.contact); c++) {
      double place[3];
      contact_place(&run->input.model.bodies, &contact_list(run->work.contact)[c],
                    run->state.bodies.q, place);
      if (place[0] == 0)
        cr_assert_eq(run->work.reaction[2 * c + 1], 0, "way %d: %g N on the axis", k,
                     run->work.reaction[2 * c + 1]);
    }
    run_case_close(run);
  }
  cr_assert_float_eq(sum[1], sum[0], 1e-6 * fabs(sum[0]), "%g N, %g N", sum[0], sum[1]);
  cr_assert_float_eq(corner[1], corner[0], 1e-6 * fabs(corner[0]));
  cr_assert_gt(fabs(sum[0]), 10);
}
