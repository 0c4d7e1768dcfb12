// Deep drawing: forces, energies and names of what the forming inputs report.

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../support/run_case.h"

// A coarse, shallow cup of inputs/deep_drawing.xml with probes of the die and of the holder's way.
static CaseRun *shallow_cup(void) {
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
  return run_case_text(
      text, "stroke=12e-3 radial=4e-3 around=15e-3 layers=3 increment=0.25e-3 output_every=0");
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

// At every step of a cup of 12 mm; found: 1e-5 of the work, of which the compliant normal law keeps 0.07 %.
Test(forming, work_of_the_tools_is_plastic_elastic_kinetic_numerical_and_friction) {
  CaseRun *run = shallow_cup();
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
  cr_assert_leq(step_energy_balance(&run->state), 1e-3);
  run_case_close(run);
}

Test(forming, holder_presses_with_its_force_and_the_die_bears_holder_and_punch) {
  CaseRun *run = shallow_cup();
  int64_t draw = stage_start(run, 2), end = stage_start(run, 3);
  double holder = 0, unbalance = 0, die = 0;
  for (int64_t k = 0; k < draw; k++)
    cr_assert_float_eq(run_case_at(run, k, "die_force"), run_case_at(run, k, "holder_force"), 1);
  int n = 0;
  for (int64_t k = draw; k < end; k++) {
    double force = run_case_at(run, k, "holder_force"), bears = run_case_at(run, k, "die_force");
    double left = run_case_at(run, k, "punch_force") + force - bears; // moves the sheet
    if (run_case_at(run, k, "stroke") < 2e-3) continue;               // it gets its speed
    n++;
    cr_assert_float_eq(force, 100e3, 1e3, "step %lld: %g N", (long long)k + 1, force);
    cr_assert_float_eq(left, 0, 2.5e-2 * bears, "step %lld: %g N", (long long)k + 1, left);
    holder += force;
    die += bears;
    unbalance += left;
  }
  cr_assert_float_eq(holder / n, 100e3, 100);
  cr_assert_float_eq(unbalance / die, 0, 2e-3, "%g of the force on the die", unbalance / die);
  for (int64_t k = end; k < run->n_rows; k++) // tools that are gone push nothing
    cr_assert_eq(run_case_at(run, k, "punch_force"), 0);
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
