// Deep drawing: forces, energies and names of what the forming inputs report.

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../support/run_case.h"
#include "step/substep.h"

// A coarse cup of inputs/deep_drawing.xml with probes of the die and of the holder's way.
static CaseRun *cup(const char *set) {
  static const char probes[] =
      "<probe name='die_force' quantity='reaction' of='die' component='z' scale='4'/>"
      "<probe name='lift' quantity='displacement' of='holder' component='z'/></voussoir>";
  static char text[16384];
  FILE *file = fopen("inputs/deep_drawing.xml", "r");
  cr_assert_not_null(file);
  size_t n = fread(text, 1, sizeof text - sizeof probes, file);
  fclose(file);
  text[n] = 0;
  char *end = strstr(text, "</voussoir>");
  cr_assert_not_null(end);
  strcpy(end, probes);
  return run_case_open_text(text, set);
}

static CaseRun *shallow_cup(void) {
  return cup("stroke=12e-3 radial=4e-3 around=15e-3 layers=3 increment=0.25e-3 output_every=0");
}

// Index of the first row of a stage, numbered from 1 as in the column.
static int64_t stage_start(const CaseRun *run, int stage) {
  for (int64_t k = 0; k < run->n_rows; k++)
    if (run_case_at(run, k, "stage") >= stage) return k;
  return run->n_rows;
}

static double change(const CaseRun *run, int64_t row, const char *name) {
  return run_case_at(run, row, name) - (row > 0 ? run_case_at(run, row - 1, name) : 0);
}

// At every step of a cup of 12 mm; found: 1e-5 of the work, of which the compliant normal law keeps
// 0.07 %.
static void expect_work_of_the_tools(const CaseRun *run) {
  int64_t draw = stage_start(run, 2), end = stage_start(run, 3);
  double work = run_case_at(run, draw - 1,
                            "energy_external"); // while the holder force grows: next to nothing
  for (int64_t k = draw; k < end; k++) {
    // of a quarter, from forces and ways of the tools alone
    work += 0.25 * run_case_at(run, k, "punch_force") * change(run, k, "stroke") -
            25e3 * change(run, k, "lift");
    double in_law = -run_case_at(run, k, "energy_contact_normal");
    double spent = run_case_at(run, k, "energy_plastic") + run_case_at(run, k, "energy_elastic") +
                   run_case_at(run, k, "energy_kinetic") - run_case_at(run, k, "energy_friction") +
                   run_case_at(run, k, "energy_numerical");
    cr_assert_float_eq(spent + in_law, work, 1e-3 * work, "step %lld: %g J of %g J",
                       (long long)k + 1, spent + in_law, work);
    if (run_case_at(run, k, "stroke") > 2e-3)
      cr_assert_float_eq(spent, work, 5e-3 * work, "step %lld: %g J of %g J", (long long)k + 1,
                         spent, work);
  }
  double kinetic = run_case_at(run, end - 1, "energy_kinetic") / work;
  cr_assert(work > 40 && kinetic < 0.02, "%g J, kinetic share %g", work, kinetic);
  cr_assert_leq(energy_balance(run->state.energy), 1e-3);
}

// The flange of the shallow cup buckles under 3e-3 of the loads: no static step is found there, it
// goes on in motion, and that bends nothing (found: nothing at all; bound 1e-5 of the draw's work).
static void expect_a_flange_that_moves_on(const CaseRun *run) {
  double drawn = run_case_at(run, stage_start(run, 3) - 1, "energy_plastic");
  cr_assert_gt(run->state.stage_value[STAGE_MOVES], 0);
  cr_assert_leq(run->state.count[STAT_CUTS], 5); // three are tried
  cr_assert_float_eq(run_case_last(run, "energy_plastic"), drawn, 1e-5 * drawn);
  cr_assert_leq(run_case_last(run, "energy_kinetic"), 1e-4 * run_case_last(run, "energy_elastic"));
}

// Raw punch force of a cup between 16 and 26 mm about a parabola, with rings of 3.5 mm: 0.4 % of it
// (bound 0.5 %), 2 % where all nodes of a ring come to the shoulder together.
Test(forming, staggered_rings_make_the_punch_force_quiet) {
  double a[3][4] = {{0}}, squares = 0, sum = 0;
  int n = 0;
  const char *set = "stroke=30e-3 radial=3.5e-3 around=16e-3 layers=3 increment=0.5e-3 "
                    "output_every=0";
  if (run_case_only_begins(cup(set))) return;
  CaseRun *run = cup(set);
  do {
    run_case_step(run, 1);
  } while (run_case_last(run, "stroke") < 26e-3);
  for (int64_t k = 0; k < run->n_rows; k++) { // normal equations of the parabola
    double s = run_case_at(run, k, "stroke") * 1e2 - 2.1,
           force = run_case_at(run, k, "punch_force");
    const double power[4] = {1, s, s * s, force};
    if (s < -0.5) continue;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 4; j++) a[i][j] += power[i] * power[j];
    squares += force * force;
    sum += force;
    n++;
  }
  for (int i = 0; i < 3; i++) { // eliminated; what is left of the squares is the residual
    for (int k = i + 1; k < 3; k++)
      for (int j = 3; j >= i; j--) a[k][j] -= a[k][i] / a[i][i] * a[i][j];
    squares -= a[i][3] * a[i][3] / a[i][i];
  }
  printf("punch force %.1f kN, rms about a parabola %.3g of it\n", 1e-3 * sum / n,
         sqrt(squares / n) / (sum / n));
  cr_assert_geq(n, 20);
  cr_assert_lt(sqrt(squares / n), 5e-3 * sum / n);
  run_case_close(run);
}

static void expect_the_holders_force(const CaseRun *run) {
  int64_t draw = stage_start(run, 2), end = stage_start(run, 3);
  double holder = 0, unbalance = 0, die = 0;
  for (int64_t k = 0; k < draw; k++)
    cr_assert_float_eq(run_case_at(run, k, "die_force"), run_case_at(run, k, "holder_force"), 1);
  int n = 0;
  for (int64_t k = draw; k < end; k++) {
    double force = run_case_at(run, k, "holder_force"), bears = run_case_at(run, k, "die_force");
    double left = run_case_at(run, k, "punch_force") + force - bears; // moves the sheet
    cr_assert_float_eq(force, 100e3, 500, "step %lld: %g N", (long long)k + 1, force);
    if (run_case_at(run, k, "stroke") < 2e-3) continue; // it gets its speed
    n++;
    cr_assert_float_eq(left, 0, 2.5e-2 * bears, "step %lld: %g N", (long long)k + 1, left);
    holder += force;
    die += bears;
    unbalance += left;
  }
  cr_assert_float_eq(holder / n, 100e3, 100);
  cr_assert_float_eq(unbalance / die, 0, 2e-3, "%g of the force on the die", unbalance / die);
  for (int64_t k = end; k < run->n_rows; k++) // tools that are gone push nothing
    cr_assert_eq(run_case_at(run, k, "punch_force"), 0);
}

// One run for three questions.
Test(forming, tools_of_a_shallow_cup_press_work_and_let_go) {
  if (run_case_only_begins(shallow_cup())) return;
  CaseRun *run = shallow_cup();
  run_case_to_end(run);
  expect_work_of_the_tools(run);
  expect_a_flange_that_moves_on(run);
  expect_the_holders_force(run);
  run_case_close(run);
}

// A holder without inertia comes and goes between the nodes of the flange while these slide. Where
// contacts take its place in Newton's matrix for stiffness, two steps are cut, others take up to 27
// iterations: a node that it meets anew sticks first. Found: no cut, 8.
Test(forming, nodes_that_a_holder_without_mass_meets_go_on_sliding) {
  CaseRun *run =
      run_case("inputs/square_cup.xml", "size=5e-3 layers=3 stroke=20e-3 output_every=0");
  cr_expect_eq(run->state.count[STAT_CUTS], 0, "%d cuts", (int)run->state.count[STAT_CUTS]);
  cr_expect_leq(run->state.count[STAT_NEWTON_MAX], 15, "%d iterations",
                (int)run->state.count[STAT_NEWTON_MAX]);
  for (int64_t k = 0; k < run->n_rows; k++) {
    double load = 19.6e3 * fmin(1, 5e3 * (run_case_at(run, k, "time") - 0.4 * 2e-5)); // theta 0.6
    cr_expect_float_eq(run_case_at(run, k, "holder_force"), load, 5e-3 * load, "step %lld",
                       (long long)k + 1);
  }
  run_case_close(run);
}

Test(forming, inputs_share_the_names_of_parameters_and_columns) {
  static const char *const with_holder[][2] = {
      {"inputs/deep_drawing.xml",
       "stroke=0.01 holder_force=1e3 friction_punch=0.1 friction_die=0.1"},
      {"inputs/esaform_cup.xml", "stroke=0.01 let_go=5e-3 holder_force=1e3 friction=0.1"},
      {"inputs/u_bend.xml", "stroke=0.01 holder_force=1e3 friction=0.1"},
      {"inputs/square_cup.xml", "stroke=0.01 holder_force=1e3 friction=0.1"},
      {"inputs/twingo_like_cup.xml", "stroke=0.01 holder_force=1e3 friction=0.1"},
  };
  for (size_t k = 0; k < sizeof with_holder / sizeof with_holder[0]; k++) {
    CaseRun *run = run_case_open(with_holder[k][0], with_holder[k][1]);
    run_case_column(run, "stroke");
    run_case_column(run, "punch_force");
    run_case_column(run, "holder_force");
    run_case_close(run);
  }
  CaseRun *dome =
      run_case_open("inputs/dome.xml", "stroke=0.01 friction=0.1"); // clamped: no holder
  run_case_column(dome, "stroke");
  run_case_column(dome, "punch_force");
  run_case_close(dome);
}

// A sheet that is held in its plane between two plates that close: three springs in series, the
// laws of both and the sheet with its modulus of confined compression. What contact bears is the
// mean of each step, also of the first, where nothing pressed before.
Test(forming, sheet_between_two_plates_bears_what_three_springs_in_series_do) {
  const char *stiffness[] = {"70e9/1e-3", "7e9/1e-3", "700e9/1e-3"};
  const double k_law[] = {70e12, 7e12, 700e12}; // the same
  for (int k = 0; k < 3; k++) {
    char text[2048];
    snprintf(text, sizeof text,
             "<voussoir><model space='solid'/>"
             "<material name='m' law='sheet' density='2700' young='70e9' poisson='0.33' "
             "hardening='linear' yield='300e9' modulus='1e7'/>"
             "<sheet name='sheet' material='m' shape='rectangle' quarter='yes' width='2e-3 2e-3' "
             "size='0.5e-3 0.5e-3' pattern='q4' thickness='1e-3' layers='3'/>"
             "<tool name='table' shape='plane' axis_y='0' axis_z='1' at_z='-0.5e-3'/>"
             "<tool name='plate' shape='plane' axis_y='0' axis_z='-1' at_z='0.5e-3' "
             "move_z='-2e-6*t'/>"
             "<law name='smooth' friction='0' stiffness='%s'/>"
             "<contact candidate='sheet' antagonist='table plate' law='smooth' points='nodes'/>"
             "<hold on='sheet' as='x'/><hold on='sheet' as='y'/><time step='0.25' theta='1'/>"
             "<stage name='press' duration='1'/><newton statics='yes' contact='primal'/>"
             "<probe name='plate' quantity='reaction' of='plate' component='z'/></voussoir>",
             stiffness[k]);
    CaseRun *run = run_case_open_text(text, NULL);
    double confined = 70e9 * (1 - 0.33) / ((1 + 0.33) * (1 - 2 * 0.33));
    double spring = 1e-6 / (2 / k_law[k] + 1e-3 / confined); // of a quarter, 1 mm^2 [N/m]
    run_case_to_end(run);
    cr_assert_eq(run->n_rows, 4);
    for (int64_t row = 0; row < run->n_rows; row++) {
      double expected = -spring * 2e-6 * 0.25 * ((double)row + 0.5);
      double found = run_case_at(run, row, "plate"); // strains of 0.2 %, and of no law at all
      cr_assert_float_eq(found, expected, 5e-3 * fabs(expected), "%s, step %d: %g N for %g",
                         stiffness[k], (int)row + 1, found, expected);
    }
    run_case_close(run);
  }
}

// A strip of 1 mm in plane strain, pulled between a plane and a wedge of a tenth without friction,
// leaves as thick as the gap of 0.85 mm (plus what the laws of contact yield). Slab method: the
// pull is t1 s ln(t0/t1), s the flow stress in plane strain, hardened by half the strain. What
// contact takes of the tools is what plastic flow and springs of its laws take up: within 1 % where
// all that tools bear presses the sheet; else what one tool bears alone is missing.
static void iron_strip(const char *thickness, double pull_error, double energy_error) {
  static const char strip[] =
      "<voussoir><model space='solid'/>"
      "<material name='m' law='sheet' density='2700' young='70e9' poisson='0.33' hardening='linear' "
      "yield='300e6' modulus='1e7'/>"
      "<sheet name='strip' material='m' shape='rectangle' quarter='yes' width='16e-3 2e-3' "
      "size='0.25e-3 1e-3' pattern='q4' thickness='1e-3' layers='3'/>"
      "<tool name='table' shape='plane' axis_y='0' axis_z='1' at_z='-0.5e-3'/>"
      "<tool name='wedge' shape='profile' sweep='extrusion' axis_y='-1' material='left' "
      "corners='-0.1 0.35e-3 0  -3.2e-3 0.35e-3 3e-3  -0.2e-3 0.65e-3 3e-3  0.1 0.65e-3 0'/>"
      "<law name='smooth' friction='0' stiffness='70e9/1e-3'/>"
      "<contact candidate='strip' antagonist='table wedge' law='smooth' points='nodes' "
      "thickness='%s'/><hold on='strip.edge' as='y'/><hold on='strip.symmetry_y' as='y'/>"
      "<prescribe on='strip.symmetry_x' x='-6e-3*min(t, 1)'/>"
      "<time step='1/120' step_min='1e-5' theta='1'/><stage name='draw' duration='1'/>"
      "<stage name='free' remove='table wedge' duration='1/120'/>"
      "<hold on='strip.edge' as='z' stage='free'/><hold on='strip.symmetry_y' as='z' stage='free'/>"
      "<newton statics='yes' contact='primal'/>"
      "<probe name='pull' quantity='hold' of='strip.symmetry_x' component='x'/>"
      "<probe name='wedge' quantity='reaction' of='wedge' component='x'/>"
      "<probe name='thickness' quantity='thickness' of='strip'/>"
      "<probe name='energy' quantity='energy'/></voussoir>";
  char text[4096];
  snprintf(text, sizeof text, strip, thickness);
  CaseRun *run = run_case_open_text(text, NULL);
  run_case_steps(run, 120);
  double thin = run_case_last(run, "thickness_min"), mean = 0;
  cr_assert(thin > 0.85e-3 && thin < 0.857e-3, "%g", thin);
  int64_t from = run->n_rows * 7 / 10;
  for (int64_t k = from; k < run->n_rows; k++) {
    double pull = -run_case_at(run, k, "pull");
    mean += pull / (double)(run->n_rows - from);
    cr_assert_float_eq(run_case_at(run, k, "wedge"), pull, 0.01 * pull);
  }
  double strain = 2 / sqrt(3) * log(1e-3 / thin);
  double slab = (300e6 + 0.5 * 1e7 * strain) * strain * thin * 1e-3; // 1 mm wide
  cr_assert_float_eq(mean, slab, pull_error * slab, "%g N, slab method %g N", mean, slab);
  double work = run_case_last(run, "energy_external");
  double spent = run_case_last(run, "energy_plastic") + run_case_last(run, "energy_elastic") +
                 run_case_last(run, "energy_numerical");
  double held = 0;
  for (int k = 0; k < run->input.model.bodies.n_nodes; k++)
    held += 0.5 * run->input.model.contact.node_area[k] * run->state.bodies.pressed[k] *
            run->state.bodies.pressed[k] / (70e12 / 2);
  cr_assert_float_eq(spent + held, work, energy_error * work, "%g and %g J of %g J", spent, held,
                     work);
  double most[2]; // pressure across the strip, while it is drawn and when the tools are gone
  for (int gone = 0; gone < 2; gone++) {
    if (gone) run_case_to_end(run);
    most[gone] = 0;
    for (int k = 0; k < run->input.model.bodies.n_nodes; k++)
      most[gone] = fmax(most[gone], fabs(run->state.bodies.pressed[k]));
  }
  cr_assert(most[0] > 200e6 && most[0] < 600e6 && most[1] == 0, "%g, %g Pa", most[0], most[1]);
  run_case_close(run);
}

Test(forming, ironed_strip_needs_the_force_of_the_slab_method) {
  iron_strip("pressed", 0.015, 0.01);
}

Test(forming, ironed_strip_whose_tools_press_it_only_between_two_is_a_little_stiffer) {
  iron_strip("current", 0.02, 0.03);
}

// The coarse ESAFORM cup: its rim, up to 1.4 mm thick where nothing irons it, comes out of the gap
// of 1.2 mm, without steps that are cut for it, and what contact does on the two faces is what the
// stress across the sheet does (found: -0.2 % of the work).
Test(forming, ironed_cup_is_as_thick_as_its_gap_and_contact_feeds_nothing_in) {
  const char *set = "radial=3e-3 around=10e-3 layers=3 increment=0.4e-3 output_every=0";
  if (run_case_only_begins(run_case_open("inputs/esaform_cup.xml", set))) return;
  CaseRun *run = run_case("inputs/esaform_cup.xml", set);
  cr_assert_leq(run->state.count[STAT_CUTS], 5);
  cr_assert_not(verdict_any(&run->state.verdict));
  double work = run_case_last(run, "energy_external");
  double normal = run_case_last(run, "energy_contact_normal");
  cr_assert_float_eq(normal, 0, 5e-3 * work, "%g J of %g J", normal, work);
  double thick = run_case_last(run, "thickness_max");
  cr_assert(thick > 1.2e-3 && thick < 1.22e-3, "%g", thick);
  run_case_close(run);
}
