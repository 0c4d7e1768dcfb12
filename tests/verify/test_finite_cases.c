// Shipped inputs with bodies at finite strains against independent numbers (verification B1, B4,
// B5, B6, B10, F6 and the Taylor bar).

#include <criterion/criterion.h>
#include <math.h>

#include "../support/run_case.h"

// A contact of the last step.
typedef struct {
  double place[3], normal, tangent, area; // [N], [m^2]
  int status;
} Touch;

static Touch touch_at(const CaseRun *run, int c) {
  const BodySet *bs = &run->input.model.bodies;
  const Contact *contact = &contact_list(run->work.contact)[c];
  const double *r = run->work.reaction + (size_t)bs->dim * (size_t)c;
  Touch touch = {.status = contact_status(run->work.contact, c), .area = contact->area};
  contact_place(bs, contact, run->state.bodies.q, touch.place);
  touch.normal = r[0] / run->work.report.h_last;
  touch.tangent = r[1] / run->work.report.h_last;
  return touch;
}

// ---- B1: the bar --------------------------------------------------------------------------------

Test(finite_cases, bar_strikes_the_wall_with_rho_c_v_for_two_travel_times_and_leaves) {
  static const int cells[] = {50, 100};
  for (int k = 0; k < 2; k++) {
    CaseRun *run =
        run_case("inputs/bar_impact.xml", xml_format("cells=%d step=%g", cells[k], 0.1 / cells[k]));
    double impulse = 0, h = run_case_at(run, 1, "time") - run_case_at(run, 0, "time"), ends = 0;
    for (int64_t row = 0; row < run->n_rows; row++) {
      double force = run_case_at(run, row, "wall_force"), t = run_case_at(run, row, "time");
      impulse += force * h;
      if (force > 0) ends = t;
      if (t > 0.1 && t < 0.55) cr_assert_float_eq(force, 3, 0.03, "%g at %g", force, t);
    }
    cr_assert_float_eq(ends, 2. / 3, 0.02, "leaves at %g", ends);
    cr_assert_float_eq(impulse, 2, 2. / cells[k], "impulse %g", impulse);
    cr_assert_float_eq(run_case_last(run, "momentum"), 1, 2. / cells[k]);
    double lost = -run_case_at(run, 0, "energy_contact_normal"), kinetic = 0.05;
    cr_assert_float_eq(lost, kinetic / (2 * cells[k]), 0.25 * kinetic / (2 * cells[k]),
                       "the first step takes %g", lost);
    lost = -run_case_last(run, "energy_contact_normal");
    cr_assert_float_eq(lost, kinetic / (2 * cells[k]), 0.02 * kinetic / (2 * cells[k]),
                       "the impact takes %g", lost);
    run_case_close(run);
  }
}

// ---- B4: Hertz ----------------------------------------------------------------------------------

// Hertz' pressure squared is linear in x^2: a line through the nodes in contact but the outermost
// two.
static void assert_hertz(const char *settings, double load, double width, double peak) {
  CaseRun *run = run_case("inputs/hertz.xml", settings);
  int n_contacts = contact_count(run->work.contact);
  double n = 0, x1 = 0, y1 = 0, xx = 0, xy = 0;
  for (int c = 0; c < n_contacts; c++) {
    Touch touch = touch_at(run, c);
    double x = touch.place[0] * touch.place[0];
    if (touch.normal <= 0 || touch.place[0] > 0.8 * width || touch.place[0] < 0.1 * width) continue;
    double y = pow(touch.normal / touch.area, 2);
    n++, x1 += x, y1 += y, xx += x * x, xy += x * y;
  }
  cr_assert_geq(n, 5);
  double slope = (n * xy - x1 * y1) / (n * xx - x1 * x1), at0 = (y1 - slope * x1) / n;
  double a = sqrt(-at0 / slope), p0 = sqrt(at0);
  cr_assert_float_eq(a, width, 0.05 * width, "half-width %g, Hertz %g", a, width);
  cr_assert_float_eq(p0, peak, 0.05 * peak, "peak %g, Hertz %g", p0, peak);
  cr_assert_float_eq(run_case_last(run, "punch"), -load, 1e-5 * load);
  run_case_close(run);
}

Test(finite_cases, cylinder_and_sphere_press_as_hertz_says) {
  assert_hertz(NULL, 0.5, 0.0340389, 18.7027);
  assert_hertz("kinematics=small", 0.5, 0.0340389, 18.7027);
  const char *sphere = "space=axisymmetric width=0.0880442 load=1 kinematics=small";
  assert_hertz(sphere, 1, 0.0880442, 61.5942);
  // Strains of 6 % in compression: St Venant-Kirchhoff softens there by as much, so its load must
  // be small, a and p0 grow with its cube root; neo-Hooke does not.
  assert_hertz("space=axisymmetric width=0.0880442 load=1 law=neo_hooke", 1, 0.0880442, 61.5942);
  assert_hertz("space=axisymmetric width=0.00880442 load=1e-3", 1e-3, 0.00880442, 6.15942);
}

// The same dimensionless problem, with a stiffness that makes the tool's inertia 1e9 times softer
// than the contact: how the load is shared out between the nodes is then a matter of elasticity
// alone.
Test(finite_cases, hertz_pressure_is_that_of_the_soft_block_at_the_stiffness_of_steel) {
  static const char *const kinds[] = {"finite", "small"}, *const spaces[] = {"plane",
                                                                             "axisymmetric"};
  for (int k = 0; k < 4; k++) {
    double peak[3] = {0};
    for (int e = 0; e < 3; e++) {
      double young = e == 0 ? 1e3 : e == 1 ? 1e7 : 2e11, load = (k % 2 ? 1 : 0.5) * young / 1e3;
      CaseRun *run =
          run_case("inputs/hertz.xml",
                   xml_format("kinematics=%s space=%s width=%g young=%g load=%g", kinds[k / 2],
                              spaces[k % 2], k % 2 ? 0.0880442 : 0.0340389, young, load));
      for (int c = 0; c < contact_count(run->work.contact); c++)
        peak[e] = fmax(peak[e], touch_at(run, c).normal / load);
      cr_assert_eq(run->state.count[STAT_NOT_CONVERGED], 0);
      run_case_close(run);
    }
    for (int e = 1; e < 3; e++)
      cr_assert_float_eq(peak[e], peak[0], 1e-3 * peak[0], "%s %s: %g, soft %g", kinds[k / 2],
                         spaces[k % 2], peak[e], peak[0]);
  }
}

// With inertia, whatever the tool's mass, it comes to rest where statics ends: theta = 1 takes the
// vibrations.
Test(finite_cases, hertz_comes_to_rest_at_the_pressure_of_statics) {
  static const struct {
    double young, mass;
    int rest;
  } runs[] = {{1e3, 1, 20}, {1e3, 1000, 150}, {1e8, 1000, 20}, {2e11, 1, 20}};
  for (int k = 0; k < 4; k++) {
    double still = 0;
    for (int e = -1; e < 4; e++) {
      double young = e < 0 ? 1e3 : runs[e].young, load = (k % 2 ? 1 : 0.5) * young / 1e3, peak = 0;
      CaseRun *run =
          run_case("inputs/hertz.xml",
                   xml_format("kinematics=%s space=%s width=%g young=%g load=%g statics=%s mass=%g "
                              "rest=%d",
                              k / 2 ? "small" : "finite", k % 2 ? "axisymmetric" : "plane",
                              k % 2 ? 0.0880442 : 0.0340389, young, load, e < 0 ? "yes" : "no",
                              e < 0 ? 1 : runs[e].mass, e < 0 ? 0 : runs[e].rest));
      for (int c = 0; c < contact_count(run->work.contact); c++)
        peak = fmax(peak, touch_at(run, c).normal / load);
      if (e < 0) still = peak;
      cr_assert_float_eq(peak, still, 1e-3 * still, "%d, E %g, mass %g: %g, statics %g", k, young,
                         e < 0 ? 1 : runs[e].mass, peak, still);
      cr_assert_eq(run->state.count[STAT_NOT_CONVERGED], 0);
      run_case_close(run);
    }
  }
}

// ---- B5: Mindlin --------------------------------------------------------------------------------

Test(finite_cases, mindlin_contact_sticks_inside_the_radius_of_cattaneo) {
  double a = 0.0311052, element = 0.1 * a, mu = 0.3;
  for (int k = 1; k <= 3; k++) {
    double c_exact = a * sqrt(1 - 0.25 * k), stuck = 0, slips = a;
    CaseRun *run = run_case("inputs/mindlin.xml", xml_format("part=%g", 0.25 * k));
    for (int c = 0; c < contact_count(run->work.contact); c++) {
      Touch touch = touch_at(run, c);
      double x = fabs(touch.place[0]);
      if (touch.normal <= 1e-6) continue; // of the load 1: ten tolerances of the solver say nothing
      if (fabs(touch.tangent) < (1 - 1e-3) * mu * touch.normal)
        stuck = fmax(stuck, x);
      else
        slips = fmin(slips, x);
    }
    cr_assert_float_eq(stuck, c_exact, element, "sticks to %g, exact %g", stuck, c_exact);
    cr_assert_float_eq(slips, c_exact, element, "slips from %g, exact %g", slips, c_exact);
    run_case_close(run);
  }
}

// ---- B6: block pressed with friction ------------------------------------------------------------

// Small strains: times 1. At finite strains of this size the corner's height differs by 1 %, so a
// thousand times the stiffness shows that it is that of small strains.
static void assert_pressed(const char *settings, double stiffness, double bound) {
  CaseRun *run = run_case("inputs/block_pressed.xml", settings);
  double element = 40. / 32, stick = 0, slip = 0, first_open = 40, u[2] = {-0.01465855, 4.9536e-4};
  for (int c = 0; c < contact_count(run->work.contact); c++) {
    Touch touch = touch_at(run, c);
    double x = touch.place[0];
    if (touch.status == STATUS_STICK) stick = fmax(stick, x);
    if (touch.status == STATUS_SLIP) slip = fmax(slip, x);
    if (touch.status == STATUS_OPEN) first_open = fmin(first_open, x);
  }
  for (int i = 0; i < 2; i++) u[i] /= stiffness;
  cr_assert_float_eq(stick, 17.5, 1.01 * element, "sticks to %g", stick);
  cr_assert_float_eq(slip, 36.25, 1.01 * element, "slips to %g", slip);
  cr_assert_gt(first_open, slip);
  cr_assert_float_eq(run_case_last(run, "corner_x"), u[0], bound * -u[0]);
  cr_assert_float_eq(run_case_last(run, "corner_y"), u[1], bound * u[1]);
  cr_assert_float_eq(run_case_last(run, "base_y"), 200, 1e-5); // 5 Pa on 40 m
  run_case_close(run);
}

Test(finite_cases, pressed_block_sticks_slips_and_opens_where_it_must) {
  assert_pressed(NULL, 1, 0.005);
  assert_pressed("kinematics=finite young=13e6", 1000, 0.0005);
  assert_pressed("kinematics=finite", 1, 0.02);
}

// ---- extrusion ----------------------------------------------------------------------------------

// Mean force of the ram over the last quarter of the way, in which the flow is steady.
static double steady_ram(const CaseRun *run) {
  int64_t from = run->n_rows * 3 / 4;
  double sum = 0;
  for (int64_t row = from; row < run->n_rows; row++) sum -= run_case_at(run, row, "ram");
  return sum / (double)(run->n_rows - from);
}

// Yield stress rises by 20 MPa with the strain 2 ln R = 0.446, a little more with the shear.
Test(finite_cases, extrusion_needs_more_than_the_ideal_work_and_less_than_the_upper_bound) {
  double area = acos(-1) * 25e-6, ratio = log(1.25), angle = acos(-1) / 12, yield = 100e6;
  double ideal = area * (yield * 2 * ratio + 0.5 * 20e6 * 4 * ratio * ratio);
  double shear = 2 / sqrt(3) * (angle / pow(sin(angle), 2) - 1 / tan(angle)) * yield * area;
  double b = 0.1 / tan(angle), sachs = yield * (1 + 1 / b) * (exp(2 * b * ratio) - 1) * area;
  for (int rough = 0; rough < 2; rough++) {
    CaseRun *run = run_case("inputs/extrusion.xml", rough ? NULL : "friction=0");
    double force = steady_ram(run), least = rough ? sachs : ideal;
    cr_log_info("friction %g: ram %g N, without shear %g N, shear %g N", 0.1 * rough, force, least,
                shear);
    cr_assert_gt(force, least);
    cr_assert_lt(force, 1.1 * (least + shear), "%g N", force);
    cr_assert_float_eq(run_case_last(run, "ram"), -run_case_last(run, "die_y"), 1e-6 * force);
    cr_assert_leq(run_case_largest(run, "penetration"), 1e-5);
    run_case_close(run);
  }
}

// ---- blocks in space ----------------------------------------------------------------------------

// An input by one of the ways of contact, its error well below what is compared.
static CaseRun *open_by(const char *path, ContactMode way) {
  CaseRun *run = run_case_open(path, "output_every=0");
  StepSettings *steps = &run->input.model.stages[0].steps;
  steps->newton.contact = way;
  steps->solver_settings.tolerance = 1e-8;
  return run;
}

// In the first step the edge of the billet meets the container and the die at once, and yields: a
// step cut in two would leave another plastic strain (6 % of the force).
Test(finite_cases, extrusion_begins_the_same_by_one_matrix_and_by_its_compliance) {
  CaseRun *one = open_by("inputs/extrusion.xml", CONTACT_PRIMAL);
  CaseRun *other = open_by("inputs/extrusion.xml", CONTACT_DELASSUS);
  run_case_steps(one, 4);
  run_case_steps(other, 4);
  for (int64_t row = 0; row < 4; row++)
    cr_assert_float_eq(run_case_at(one, row, "ram"), run_case_at(other, row, "ram"),
                       1e-6 * fabs(run_case_last(other, "ram")), "row %d", (int)row);
  run_case_close(one);
  run_case_close(other);
}

// Where columns of W cost much beside the tangent a body in motion takes one matrix; where few
// contacts want few columns it takes W.
Test(finite_cases, bodies_in_motion_take_the_cheaper_way_of_contact) {
  static const char *const paths[] = {"inputs/taylor_bar.xml", "inputs/bar_impact.xml"};
  static const ContactMode cheaper[] = {CONTACT_PRIMAL, CONTACT_DELASSUS};
  for (int k = 0; k < 2; k++) {
    CaseRun *chosen = open_by(paths[k], CONTACT_AUTO), *given = open_by(paths[k], cheaper[k]);
    CaseRun *other = open_by(paths[k], cheaper[1 - k]);
    run_case_steps(chosen, 5);
    run_case_steps(given, 5);
    run_case_steps(other, 5);
    double same = 0, differ = 0;
    for (int64_t row = 0; row < 5; row++) {
      double iterations = run_case_at(chosen, row, "iterations");
      same += fabs(iterations - run_case_at(given, row, "iterations"));
      differ += fabs(iterations - run_case_at(other, row, "iterations"));
    }
    cr_assert_eq(same, 0, "%s", paths[k]);
    cr_assert_gt(differ, 0, "%s", paths[k]);
    run_case_close(chosen);
    run_case_close(given);
    run_case_close(other);
  }
}

// Two blocks of meshes that do not match on a tool, pressed by 5 %: smooth faces leave them in
// uniaxial stress.
Test(finite_cases, stacked_blocks_are_pressed_alike_by_both_ways_of_contact) {
  static const char *const ways[] = {"primal", "delassus"};
  for (int rough = 0; rough < 2; rough++)
    for (int way = 0; way < 2; way++) {
      CaseRun *run = run_case_text(
          xml_format(
              "<voussoir><model space='solid'/>"
              "<material name='m' law='neo_hooke' density='1000' young='1e6' poisson='0.3'/>"
              "<box name='a' material='m' size='1 1 0.5' cells='4 4 2' kinematics='finite'/>"
              "<box name='b' material='m' size='1 1 0.5' z='0.5' cells='3 3 2' kinematics='finite'/>"
              "<tool name='floor' shape='plane' axis_y='0' axis_z='1'/>"
              "<law name='dry' friction='%g'/>"
              "<contact candidate='a b' antagonist='floor a' law='dry'/>"
              "<prescribe on='b.z1' z='-0.05*t/4'/><time end='4' step='1' theta='1' max_cuts='0'/>"
              "<newton contact='%s'/><solver tolerance='1e-7'/>"
              "<probe name='f' quantity='reaction' of='floor' component='z'/></voussoir>",
              0.3 * rough, ways[way]),
          NULL);
      double exact =
          52048.4; // neo-Hooke at l = 0.95, l_t = 1.015411: mu (l_t^2 - 1) + lambda ln J = 0
      double force = fabs(run_case_last(run, "f"));
      cr_log_info("friction %g, %s: %g N", 0.3 * rough, ways[way], force);
      cr_assert_float_eq(force, exact, rough ? 0.05 * exact : 0.1, "%g N", force);
      run_case_close(run);
    }
}

// No impulse can open such contacts: looking for it took thousands of sweeps a step.
Test(finite_cases, contact_of_nodes_that_are_prescribed_into_a_tool_is_passed_over) {
  CaseRun *run = run_case_text(
      "<voussoir><model space='solid'/><material name='m' density='7800' young='210e9' poisson='0.3'/>"
      "<sheet name='s' material='m' shape='rectangle' width='0.04 0.04' size='0.004' thickness='1e-3'"
      " pattern='q4' z='0.5e-3'/><tool name='floor' shape='plane' axis_y='0' axis_z='1'/>"
      "<law name='dry' friction='0.3'/>"
      "<contact candidate='s' antagonist='floor' law='dry' points='nodes'/>"
      "<prescribe on='s' z='-1e-3*t'/><time end='1e-3' step='1e-4' theta='1'/>"
      "<newton contact='delassus'/></voussoir>",
      NULL);
  cr_assert_leq(run_case_largest(run, "iterations"), 5);
  cr_assert_float_eq(run_case_last(run, "penetration"), 1e-6, 1e-12);
  cr_assert_eq(run->state.count[STAT_NOT_CONVERGED], 0);
  run_case_close(run);
}

static CaseRun *cube(double friction, const char *newton) {
  return run_case_text(
      xml_format(
          "<voussoir><model space='solid'/>"
          "<material name='m' density='1000' young='1e6' poisson='0.3'/>"
          "<box name='b' material='m' size='1 1 1' cells='8 8 8' kinematics='finite'/>"
          "<tool name='floor' shape='plane' axis_y='0' axis_z='1'/><law name='dry' friction='%g'/>"
          "<contact candidate='b' antagonist='floor' law='dry' points='nodes'/>"
          "<prescribe on='b.z1' z='-0.03*t'/><time end='6' step='1' theta='1' max_cuts='0'/>"
          "<newton %s/><probe name='f' quantity='reaction' of='floor'/>"
          "<probe name='rim' quantity='displacement' of='b.z0' near='0 0 0'/></voussoir>",
          friction, newton),
      NULL);
}

// In the matrix of the cube alone friction drives it round the normal: W was indefinite from the
// third step on.
Test(finite_cases, cube_is_pressed_alike_by_all_ways_of_contact_with_and_without_inertia) {
  static const char *const ways[] = {"contact='primal'", "contact='delassus'",
                                     "contact='primal' statics='yes'",
                                     "contact='delassus' statics='yes'"};
  for (int rough = 0; rough < 2; rough++) {
    double force = 0, rim = 0;
    int first = rough ? 2 : 0; // in motion with the smaller, at rest with the larger friction
    for (int way = first; way < first + 2; way++) {
      CaseRun *run = cube(rough ? 0.8 : 0.3, ways[way]);
      double own = run_case_last(run, "f_z"), moved = run_case_last(run, "rim_x");
      cr_log_info("%s: %.10g N, rim %.8g m, %lld iterations", ways[way], own, moved,
                  (long long)run->state.count[STAT_NEWTON_SUM]);
      if (way == first) {
        force = own;
        rim = moved;
      }
      cr_assert_float_eq(own, force, 1e-5 * force, "%s: %g and %g N", ways[way], own, force);
      cr_assert_float_eq(moved, rim, 1e-4 * 0.18, "%s: %g and %g m", ways[way], moved, rim);
      cr_assert_leq(run->state.count[STAT_NEWTON_SUM], 30);
      run_case_close(run);
    }
  }
}

// Small steps: the mass rules, and the diagonal blocks of W are enough.
Test(finite_cases, block_is_pressed_alike_by_all_three_ways_at_small_steps) {
  static const char *const ways[] = {"primal", "delassus", "diagonal"};
  double force = 0;
  for (int way = 0; way < 3; way++) {
    CaseRun *run = run_case_text(
        xml_format(
            "<voussoir><material name='m' law='neo_hooke' density='1000' young='1e6' poisson='0.3'/>"
            "<block name='b' material='m' width='1' height='0.5' cells_x='8' cells_y='4' pattern='q4' "
            "kinematics='finite'/><tool name='floor' shape='plane'/><law name='dry' friction='0.3'/>"
            "<contact candidate='b' antagonist='floor' law='dry' points='nodes'/>"
            "<prescribe on='b.top' y='-0.5*t'/><time end='0.1' step='1e-3' theta='1' max_cuts='0'/>"
            "<newton contact='%s' tolerance='1e-8'/><solver tolerance='1e-8'/>"
            "<probe name='f' quantity='reaction' of='floor' component='y'/></voussoir>",
            ways[way]),
        NULL);
    double own = run_case_last(run, "f");
    cr_log_info("%s: %.12g N, %lld iterations", ways[way], own,
                (long long)run->state.count[STAT_NEWTON_SUM]);
    if (way == 0) force = own;
    cr_assert_float_eq(own, force, 1e-5 * fabs(force), "%s: %g and %g N", ways[way], own, force);
    run_case_close(run);
  }
  cr_assert_neq(force, 0);
}

// What slides is held by its kinetic friction, at the tolerance that is the default.
Test(finite_cases, block_that_slides_is_held_by_kinetic_friction_in_all_three_ways) {
  static const char *const ways[] = {"primal", "delassus", "diagonal"};
  const double weight = 2000 * 0.4 * 0.2 * 9.81, kinetic = 0.18;
  for (int way = 0; way < 3; way++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><material name='m' density='2000' young='1e8' poisson='0.2'/>"
                   "<block name='b' material='m' kinematics='finite' width='0.4' height='0.2'"
                   " cells_x='4' cells_y='2' pattern='q4'/><tool name='floor' shape='plane'/>"
                   "<law name='dry' friction='0.6' kinetic='%g'/>"
                   "<contact candidate='b' antagonist='floor' law='dry'/><newton contact='%s'/>"
                   "<gravity x='8*min(1,t/0.03)' y='-9.81*min(1,t/0.01)'/>"
                   "<time end='0.1' step='1e-3' theta='1'/>"
                   "<probe name='f' quantity='reaction' of='floor' component='x'/></voussoir>",
                   kinetic, ways[way]),
        NULL);
    for (int64_t row = run->n_rows - 10; row < run->n_rows; row++)
      cr_expect_float_eq(fabs(run_case_at(run, row, "f")), kinetic * weight,
                         1e-3 * kinetic * weight, "%s: %g, not %g", ways[way],
                         run_case_at(run, row, "f"), kinetic * weight);
    run_case_close(run);
  }
}

// A dry wall of which some joints slip, at the default tolerance: blocks of W see little of what is
// smooth over several stones. Friction takes what it takes by W, and gives nothing.
Test(finite_cases, friction_in_a_wall_takes_alike_in_all_three_ways) {
  static const char *const ways[] = {"delassus", "primal", "diagonal"};
  double taken = 0;
  for (int way = 0; way < 3; way++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><model plane='strain'/>"
                   "<material name='m' density='2000' young='1e8' poisson='0.2'/>"
                   "<law name='dry' friction='0.5'/>"
                   "<wall name='a' material='m' kinematics='finite' courses='3' blocks='3'"
                   " length='0.3' height='0.15' cells_x='2' cells_y='2' pattern='q4'/>"
                   "<support name='base' shape='box' x='-1' y='-1' width='12' height='1'/>"
                   "<contact candidate='a' antagonist='a base' law='dry'/>"
                   "<newton contact='%s'/><gravity x='4*min(1,t/0.03)' y='-9.81*min(1,t/0.01)'/>"
                   "<time end='0.03' step='1e-3' theta='1'/><solver tolerance='%s'/>"
                   "<probe name='e' quantity='energy'/></voussoir>",
                   ways[way], way == 0 ? "1e-7" : "1e-3"),
        NULL);
    double own = run_case_last(run, "e_friction");
    if (way == 0) taken = own;
    cr_expect_float_eq(own, taken, 1e-2 * fabs(taken), "%s: %g and %g J", ways[way], own, taken);
    run_case_close(run);
  }
  cr_assert_lt(taken, 0);
}

Test(finite_cases, cube_is_pressed_by_a_fifth_with_friction) {
  CaseRun *run = cube(0.3, "");
  double force = fabs(run_case_last(run, "f_z"));
  cr_log_info("%g N", force);
  cr_assert_gt(force, 0);
  cr_assert_lt(fabs(run_case_last(run, "f_x")), 1e-4 * force);
  cr_assert_lt(run_case_last(run, "penetration"), 1e-6);
  run_case_close(run);
}

// ---- B10 and F6: confined column ----------------------------------------------------------------

Test(finite_cases, confined_column_presses_its_walls_by_the_closed_form) {
  double nu = 0.3, mu = 1000 / 2.6, lambda = 300 / (1.3 * 0.4);
  CaseRun *run = run_case("inputs/confined_column.xml", NULL);
  for (int64_t row = 0; row < run->n_rows; row++) {
    double l = 1 - 0.05 * (double)(row + 1), p = mu * (l - 1 / l) + lambda * log(l) / l;
    double side = 2 * lambda * log(l); // Cauchy stress lambda ln(l) / l on a wall of 2 l
    cr_assert_float_eq(run_case_at(run, row, "head"), p, 1e-8 * fabs(p),
                       "stretch %g: %.12g, not %.12g", l, run_case_at(run, row, "head"), p);
    cr_assert_float_eq(run_case_at(run, row, "base"), -p, 1e-8 * fabs(p));
    cr_assert_float_eq(run_case_at(run, row, "left"), -side, 1e-8 * fabs(side));
    cr_assert_float_eq(run_case_at(run, row, "right"), side, 1e-8 * fabs(side));
  }
  run_case_close(run);
  run = run_case("inputs/confined_column.xml", "law=elastic stretch=0.999999");
  double ratio = run_case_last(run, "left") / (2 * run_case_last(run, "base"));
  cr_assert_float_eq(ratio, nu / (1 - nu), 3e-6, "lateral stress ratio %.9g", ratio);
  run_case_close(run);
}

// ---- one body on itself, a wall that cracks -----------------------------------------------------

// Momentum upwards of the only deformable body.
static double lift(const CaseRun *run) {
  const BodySet *bs = &run->input.model.bodies;
  const double *v = run->state.bodies.v + (size_t)bs->node_ptr[bs->finite[0].body] * bs->dim;
  double sum = 0;
  for (int i = 0; i < bs->finite[0].form.n_nodes; i++)
    sum += bs->finite[0].form.mass[i] * v[bs->dim * i + 1];
  return sum;
}

Test(finite_cases, folded_beam_carries_through_the_contact_with_itself) {
  CaseRun *run = run_case_open("inputs/self_contact.xml", NULL);
  double open = 0, before = lift(run), h = run->input.model.steps.h;
  for (int64_t row = 0; row < 120; row++) {
    run_case_step(run, 1);
    double base = run_case_at(run, row, "base"), head = run_case_at(run, row, "head");
    double now = lift(run), inertia = (now - before) / h;
    cr_assert_float_eq(base + head, inertia, 1e-4 * (base - head), "base %g, head %g, inertia %g",
                       base, head, inertia);
    before = now;
    if (run_case_at(run, row, "time") <= 0.5) open = base;
  }
  // Half the way bends the arms; at the end they lie on one another.
  cr_assert_gt(run_case_last(run, "base"), 8 * open);
  cr_assert_leq(run->state.worst[WORST_PENETRATION_NODES], 2e-3); // elements of 0.05
  run_case_close(run);
}

// Nodes of both arms hold one another twice: impulses that cancel, which one matrix finds by its
// penalties alone. Forces of the two ways agree to Newton's tolerance.
Test(finite_cases, folded_beam_is_the_same_by_one_matrix_and_by_its_compliance) {
  if (run_case_only_begins(open_by("inputs/self_contact.xml", CONTACT_PRIMAL)) &&
      run_case_only_begins(open_by("inputs/self_contact.xml", CONTACT_DELASSUS)))
    return;
  CaseRun *one = open_by("inputs/self_contact.xml", CONTACT_PRIMAL);
  CaseRun *other = open_by("inputs/self_contact.xml", CONTACT_DELASSUS);
  run_case_to_end(one);
  run_case_to_end(other);
  cr_assert_eq(one->n_rows, 120);
  for (int64_t row = 0; row < 120; row++) {
    cr_assert_leq(run_case_at(one, row, "error"), 1e-8, "row %d", (int)row);
    cr_assert_float_eq(run_case_at(one, row, "base"), run_case_at(other, row, "base"),
                       1e-6 * run_case_last(other, "base"), "row %d", (int)row);
  }
  run_case_close(one);
  run_case_close(other);
}

Test(finite_cases, fold_in_space_agrees_with_the_plane) {
  CaseRun *plane = run_case("inputs/self_contact.xml", "output_every=0");
  CaseRun *space = run_case("inputs/self_contact_deep.xml", "output_every=0");
  double worst = 0;
  cr_assert_eq(plane->n_rows, space->n_rows);
  for (int64_t row = 0; row < plane->n_rows; row++) {
    double one = run_case_at(plane, row, "base"), other = run_case_at(space, row, "base");
    worst = fmax(worst, fabs(other / one - 1));
    cr_assert_float_eq(other, one, 1e-3 * one, "t %g: %g in space, %g in the plane",
                       run_case_at(plane, row, "time"), other, one);
  }
  cr_log_info("fold in space and in the plane: forces within %.2g", worst);
  cr_assert_leq(space->state.worst[WORST_PENETRATION_CONTACTS], 3e-4); // elements of 0.05
  run_case_close(plane);
  run_case_close(space);
}

Test(finite_cases, clip_pressed_shut_off_its_middle_stays_out_of_itself) {
  if (run_case_only_begins(run_case_open("inputs/clip.xml", "steps=40 output_every=0"))) return;
  CaseRun *run = run_case("inputs/clip.xml", "steps=40 output_every=0");
  double table = run_case_last(run, "table"), ball = run_case_last(run, "ball");
  cr_assert_float_eq(table, -ball, 0.01 * table, "table %g, ball %g", table, ball);
  cr_assert_float_eq(table, 27.03, 0.015 * 27.03);                   // that of 160 steps
  cr_assert_leq(run->state.worst[WORST_PENETRATION_CONTACTS], 5e-4); // elements of 0.033 to 0.07
  run_case_close(run);
}

Test(finite_cases, crushed_wall_passes_the_force_on_and_only_loses_energy) {
  CaseRun *run = run_case("inputs/crushed_wall.xml", NULL);
  double weight = 0.6 * 0.4 * 2000 * 9.81, lost = 0;
  for (int64_t row = 5; row < run->n_rows; row++) {
    double base = run_case_at(run, row, "base"), plate = -run_case_at(run, row, "plate");
    cr_assert_float_eq(base, plate + weight, 0.2 * weight, "base %g, plate %g", base, plate);
    double now = run_case_at(run, row, "energy_plastic");
    cr_assert_geq(now, lost - 1e-12);
    lost = now;
  }
  cr_assert_gt(lost, 1); // [J]
  cr_assert_leq(run->state.worst[WORST_PENETRATION_NODES], 1e-6);
  run_case_close(run);
}

// ---- the Taylor bar -----------------------------------------------------------------------------

// Length and radius of the foot's edge [mm]: the reference keeps the face of the foot on the wall
// (two other codes on fine meshes, docs/validation.md).
static const double TAYLOR_LENGTH[] = {21.42, 21.43}, TAYLOR_RADIUS[] = {7.22, 7.23};

static void assert_near(const char *what, double value, const double range[2], double bound) {
  cr_assert_geq(value, (1 - bound) * range[0], "%s %g", what, value);
  cr_assert_leq(value, (1 + bound) * range[1], "%s %g", what, value);
}

Test(finite_cases, taylor_bar_on_a_wall_that_holds_its_foot_ends_as_the_reference) {
  const char *set = "cells=8 layers=64";
  if (run_case_only_begins(run_case_open("inputs/taylor_bar.xml", set))) return;
  CaseRun *run = run_case("inputs/taylor_bar.xml", set);
  assert_near("length", 32.4 + 1e3 * run_case_last(run, "top_y"), TAYLOR_LENGTH, 0.01);
  assert_near("radius", 3.2 + 1e3 * run_case_last(run, "foot_x"), TAYLOR_RADIUS, 0.01);
  cr_assert_float_eq(run_case_last(run, "foot_y"), 0, 1e-9, "the edge stays on the wall");
  // The first step finds all of the foot on its way into the wall: v h (1 - theta)^2.
  cr_assert_leq(run->state.worst[WORST_PENETRATION_NODES], 1e-7);
  run_case_close(run);
}

// Radius [mm] of the foot's edge in space: mean, least and largest.
static void edge_of_foot(const CaseRun *run, double radius[3]) {
  const BodySet *bs = &run->input.model.bodies;
  int n = 0;
  radius[0] = 0, radius[1] = 1e3, radius[2] = 0;
  for (int i = bs->node_ptr[0]; i < bs->node_ptr[1]; i++) {
    const double *x = bs->x + 3 * (size_t)i, *u = run->state.bodies.q + 3 * (size_t)i;
    if (x[2] > 1e-9 || hypot(x[0], x[1]) < 3.2e-3 - 1e-9) continue;
    double r = 1e3 * hypot(x[0] + u[0], x[1] + u[1]);
    radius[0] += r, n++;
    radius[1] = fmin(radius[1], r);
    radius[2] = fmax(radius[2], r);
  }
  radius[0] /= n;
}

// Rings carry the hoop stress by a law of their own kinematics; bricks know nothing of hoops.
Test(finite_cases, taylor_bar_in_space_is_round_and_ends_as_the_ring_of_like_cells) {
  if (run_case_only_begins(
          run_case_open("inputs/taylor_bar_3d.xml", "size=1.1e-3 layers=24 step=0.5e-6")))
    return;
  CaseRun *ring = run_case("inputs/taylor_bar.xml", "cells=4 layers=24 step=0.5e-6 later=1e-6");
  CaseRun *run = run_case("inputs/taylor_bar_3d.xml", "size=1.1e-3 layers=24 step=0.5e-6");
  double radius[3], ring_radius = 3.2 + 1e3 * run_case_last(ring, "foot_x");
  edge_of_foot(run, radius);
  cr_assert_float_eq(radius[0], ring_radius, 2e-3 * ring_radius, "%g, %g", radius[0], ring_radius);
  cr_assert_leq(radius[2] - radius[1], 3e-3 * radius[0], "%g to %g", radius[1], radius[2]);
  cr_assert_float_eq(run_case_last(run, "top_z"), run_case_last(ring, "top_y"), 0.05e-3);
  cr_assert_leq(run->state.worst[WORST_PENETRATION_NODES], 1e-7);
  run_case_close(run);
  run_case_close(ring);
}

// Where nothing holds it, the foot rolls off the wall: the edge is off it early and ends wider.
Test(finite_cases, taylor_bar_on_a_wall_that_only_pushes_lifts_its_edge) {
  CaseRun *run =
      run_case("inputs/taylor_bar.xml", "cells=4 layers=32 hold=0 step=0.2e-6 later=0.4e-6");
  cr_assert_geq(run_case_last(run, "foot_y"), 0.1e-3);
  for (int64_t k = 0; k < run->n_rows; k++)
    cr_assert_geq(run_case_at(run, k, "foot_y"), -1e-7, "row %lld", (long long)k);
  cr_assert_leq(run->state.worst[WORST_PENETRATION_NODES], 1e-7);
  run_case_close(run);
}

// ---- statics of bodies that only contact holds --------------------------------------------------

static CaseRun *loose(const char *bodies, const char *more) {
  return run_case_text(
      xml_format("<voussoir><material name='m' density='1000' young='1e6' poisson='0.3'/>%s"
                 "<gravity y='-9.81*t/3'/><time end='3' step='1' theta='1'/>"
                 "<newton statics='yes'/>%s</voussoir>",
                 bodies, more),
      NULL);
}
#define LOOSE_BLOCK                                                                                \
  "material='m' width='0.4' height='0.2' cells_y='3' pattern='q4' kinematics='finite'"

Test(finite_cases, statics_of_a_pile_that_nothing_but_contact_holds) {
  CaseRun *run = loose("<block name='a' cells_x='6' " LOOSE_BLOCK "/>"
                       "<block name='b' x='0.05' y='0.2' cells_x='7' " LOOSE_BLOCK "/>",
                       "<tool name='floor' shape='plane'/><law name='dry' friction='0.5'/>"
                       "<contact candidate='a b' antagonist='a floor' law='dry' points='nodes'/>"
                       "<probe name='x' quantity='reaction' of='floor' component='x'/>"
                       "<probe name='y' quantity='reaction' of='floor' component='y'/>");
  double weight = 2 * 1000 * 9.81 * 0.4 * 0.2;
  cr_assert_float_eq(run_case_last(run, "y"), weight, 1e-6 * weight);
  cr_assert_float_eq(run_case_last(run, "x"), 0, 1e-5 * weight);
  run_case_close(run);
}

Test(finite_cases, statics_of_a_block_that_friction_holds_between_two_walls) {
  CaseRun *run = loose("<block name='a' cells_x='6' " LOOSE_BLOCK "/>",
                       "<tool name='left' shape='plane' axis_x='1' axis_y='0' move_x='1e-3*t'/>"
                       "<tool name='right' shape='plane' at_x='0.4' axis_x='-1' axis_y='0'/>"
                       "<law name='dry' friction='0.9'/>"
                       "<contact candidate='a' antagonist='left right' law='dry' points='nodes'/>"
                       "<probe name='l' quantity='reaction' of='left' component='y'/>"
                       "<probe name='r' quantity='reaction' of='right' component='y'/>");
  double half = 0.5 * 1000 * 9.81 * 0.4 * 0.2;
  cr_assert_float_eq(run_case_last(run, "l"), half, 1e-6 * half);
  cr_assert_float_eq(run_case_last(run, "r"), half, 1e-6 * half);
  run_case_close(run);
}

// ---- masonry at large motion --------------------------------------------------------------------

// Blocks that follow rotations by a frame, and by finite strains: the same fall until the blocks
// have moved several times their size, no contact is lost.
static void assert_same_fall(const char *law, double end, double bound) {
  const char *same = xml_format("courses=6 blocks=3 damping=0 output_every=0 end=%g", end);
  CaseRun *a = run_case("inputs/wall_falling.xml", same);
  CaseRun *b =
      run_case("inputs/wall_falling.xml", xml_format("%s kinematics=finite law=%s", same, law));
  const BodySet *bs = &a->input.model.bodies;
  double farthest = 0, apart = 0, sum = 0;
  int n = 0;
  for (int k = 0; k < bs->n_bodies; k++) {
    double u[2], v[2];
    if (bs->type[k]->support) continue;
    cr_assert_eq(b->input.model.bodies.type[k], &body_finite);
    run_case_body_displacement(a, k, u);
    run_case_body_displacement(b, k, v);
    farthest = fmax(farthest, hypot(u[0], u[1]));
    apart = fmax(apart, hypot(u[0] - v[0], u[1] - v[1]));
    sum += hypot(u[0] - v[0], u[1] - v[1]);
    n++;
  }
  cr_log_info("%s to %g s: moved %.3f m, apart %.4f m at most, %.4f m in the mean", law, end,
              farthest, apart, sum / n);
  cr_assert_gt(farthest, 0.3);
  cr_assert_lt(sum / n, bound * farthest, "%s: %g of %g m", law, sum / n, farthest);
  cr_assert_leq(b->state.worst[WORST_PENETRATION_NODES], 2e-3, "%g",
                b->state.worst[WORST_PENETRATION_NODES]); // blocks are 0.1 m high
  cr_assert_eq(b->state.count[STAT_NOT_CONVERGED], 0);
  run_case_close(a);
  run_case_close(b);
}

Test(finite_cases, wall_of_blocks_at_finite_strains_falls_as_that_of_corotational_blocks) {
  assert_same_fall("elastic", 0.5, 0.004);
  assert_same_fall("neo_hooke", 0.5, 0.004);
}

// ---- hardening by points ------------------------------------------------------------------------

// Nominal stress of a strip drawn by 20 %: plane strain, J2, a curve that is linear to 10 % and
// then flat.
static double drawn_strip(const char *curve) {
  CaseRun *run = run_case_text(
      xml_format(
          "<voussoir><material name=\"m\" law=\"j2\" density=\"1\" young=\"2e11\""
          " poisson=\"0.3\" %s/>"
          "<block name=\"b\" material=\"m\" width=\"1\" height=\"1\" cells_x=\"1\""
          " cells_y=\"1\" pattern=\"q4\" kinematics=\"finite\" b_bar=\"yes\"/>"
          "<prescribe on=\"b.left\" x=\"0\"/><prescribe on=\"b.bottom\" y=\"0\"/>"
          "<prescribe on=\"b.right\" x=\"0.2*t\"/><time end=\"1\" step=\"0.02\" theta=\"1\"/>"
          "<newton statics=\"yes\" tolerance=\"1e-10\"/>"
          "<probe name=\"f\" quantity=\"hold\" of=\"b.right\" component=\"x\"/></voussoir>",
          curve),
      NULL);
  double force = run_case_last(run, "f");
  run_case_close(run);
  return force;
}

Test(hardening, by_points_is_that_of_the_lines_between_them) {
  double line = drawn_strip("yield=\"1e8\" modulus=\"1e9\"");
  double points = drawn_strip("hardening=\"table\" table=\"0 1e8  0.05 1.5e8  2 2.1e9\"");
  cr_assert_float_eq(points, line, 1e-9 * line, "%.12g, %.12g", points, line);
  // beyond the last point it is flat: Cauchy stress 2 / sqrt 3 of it on the section 1 / 1.2
  double flat = drawn_strip("hardening=\"table\" table=\"0 1e8  0.1 2e8\"");
  cr_assert_float_eq(flat, 2 / sqrt(3) * 2e8 / 1.2, 2e-3 * flat, "%g", flat);
}
