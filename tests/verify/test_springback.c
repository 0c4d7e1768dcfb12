// What springback stands on: plane strain of sheets, tools without inertia, the release of tools.

#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../support/run_case.h"
#include "../support/scratch_path.h"
#include "body/finite.h"

// ---- strips in plane strain ---------------------------------------------------------------------

// A file of Gmsh 2.2: a strip of n x rows cells of the size `cell`, quadrilaterals or triangles,
// with the columns of nodes at its two ends as groups `front` and `back`.
static void strip_file(char *path, size_t size, int n, int rows, double cell, int quads) {
  enum { POINT = 15, TRIANGLE = 2, QUAD = 3 };
  int row = n + 1, number = 0;
  scratch_path(path, size, "strip");
  FILE *file = fdopen(mkstemp(path), "w");
  cr_assert_not_null(file);
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n0 1 \"front\"\n"
                "0 2 \"back\"\n2 3 \"all\"\n$EndPhysicalNames\n");
  fprintf(file, "$Nodes\n%d\n", (rows + 1) * row);
  for (int k = 0; k < (rows + 1) * row; k++)
    fprintf(file, "%d %.17g %.17g 0\n", k + 1, cell * (k % row), cell * (k / row));
  fprintf(file, "$EndNodes\n$Elements\n%d\n", 2 * (rows + 1) + (quads ? 1 : 2) * rows * n);
  for (int k = 0; k <= rows; k++) {
    fprintf(file, "%d %d 2 1 1 %d\n", ++number, POINT, k * row + 1);
    fprintf(file, "%d %d 2 2 1 %d\n", ++number, POINT, k * row + row);
  }
  for (int k = 0; k < rows * n; k++) {
    int a = k + k / n + 1;
    if (quads)
      fprintf(file, "%d %d 2 3 1 %d %d %d %d\n", ++number, QUAD, a, a + 1, a + row + 1, a + row);
    else
      fprintf(file, "%d %d 2 3 1 %d %d %d\n%d %d 2 3 1 %d %d %d\n", number + 1, TRIANGLE, a, a + 1,
              a + row + 1, number + 2, TRIANGLE, a, a + row + 1, a + row);
    number += quads ? 0 : 2;
  }
  fprintf(file, "$EndElements\n");
  fclose(file);
}

// Deflection of the ends of the rows of an elastic strip of 40 mm under 0.1 N across its end, all
// nodes held `as`.
static void deflections(const char *as, int quads, double out[3]) {
  char path[512];
  strip_file(path, sizeof path, 40, 2, 1e-3, quads);
  CaseRun *run = run_case_text(
      xml_format("<voussoir><model space='solid'/><material name='m' law='sheet' density='7800' "
                 "young='200e9' poisson='0.3' hardening='linear' yield='1e12' modulus='1e9'/>"
                 "<sheet name='s' material='m' shape='mesh' mesh='%s' thickness='1e-3' layers='3'/>"
                 "<hold on='s.front' as='clamped'/><hold on='s' as='%s'/>"
                 "<force on='s.back' z='0.1'/><time end='1' step='1' theta='1'/>"
                 "<newton statics='yes' tolerance='1e-6'/></voussoir>",
                 path, as),
      NULL);
  const BodySet *bs = &run->input.model.bodies;
  int rows = 0;
  for (int k = 0; k < bs->n_nodes && rows < 3; k++)
    if (fabs(bs->x[3 * k] - 40e-3) < 1e-9) out[rows++] = run->state.bodies.q[3 * k + 2];
  cr_assert_eq(rows, 3);
  run_case_close(run);
  unlink(path);
}

// F L^3 / (3 E' I) with E' = E / (1 - nu^2), on all rows, and no clamp at the free end. Held in
// displacement alone the strip bends across by nu times its curvature, and gives way as if its
// modulus were E.
Test(springback, held_in_a_plane_a_strip_bends_as_in_plane_strain) {
  const double inertia = 2e-3 * 1e-9 / 12, stiff = 200e9 / (1 - 0.09);
  const double expected = 0.1 * pow(40e-3, 3) / (3 * stiff * inertia);
  for (int quads = 0; quads < 2; quads++) {
    double w[3], half[3];
    deflections("plane_y", quads, w);
    cr_log_info("%s: %.5g of %.5g, rows within %.1e", quads ? "mitc4" : "ebst", w[1], expected,
                fabs(w[0] - w[1]) / expected);
    for (int k = 0; k < 3; k++)
      cr_expect_float_eq(w[k], expected, 5e-3 * expected, "row %d: %g of %g", k, w[k], expected);
    deflections("symmetry_y", quads, half);
    for (int k = 0; k < 3; k++) cr_expect_eq(half[k], w[k]);
    deflections("y", quads, half);
    cr_expect_geq(half[1], 1.05 * expected, "%g of %g", half[1], expected);
  }
}

// Moments [N] along the strip of all elements whose middle, at the start, lies between two places:
// mean, half their range. The frame of a sheet is along x by default.
static double moments(const CaseRun *run, double from, double to, double *scatter) {
  const BodySet *bs = &run->input.model.bodies;
  const Form *form = &bs->finite[0].form;
  FiniteIterate at = {.state = &run->state.bodies,
                      .u = run->state.bodies.q,
                      .config = run->state.bodies.config,
                      .internal = run->state.bodies.internal};
  FormPoint point = finite_point(bs, 0, &at);
  double sum = 0, least = (double)INFINITY, most = -(double)INFINITY;
  int n = 0;
  for (int e = 0; e < form->n_elems; e++) {
    FormOutput out;
    double x[3];
    double *zero = calloc((size_t)bs->n_nodes * 3, sizeof *zero);
    finite_middle(bs, zero, bs->finite[0].body, e, x);
    free(zero);
    if (x[0] < from || x[0] > to) continue;
    form->type->output(form, e, &point, &out);
    sum += out.moment[0];
    least = fmin(least, out.moment[0]);
    most = fmax(most, out.moment[0]);
    n++;
  }
  cr_assert_gt(n, 2);
  *scatter = 0.5 * (most - least);
  return sum / n;
}

// A strip of 0.78 mm and 2 mm wide is laid on a roll, its middle on 5.39 mm, by 66 N, in a quarter
// of its length, and the roll goes on under it: what has passed over the roll is bent and
// straightened and keeps a moment.
static double rolled_moment(double cell, int quads, double *scatter) {
  char path[512];
  int n = (int)lround(44e-3 / cell);
  strip_file(path, sizeof path, n, 1, cell, quads);
  CaseRun *run = run_case_text(
      xml_format(
          "<voussoir><model space='solid'/><material name='steel' law='sheet' density='7800' "
          "young='206e9' poisson='0.3' hardening='swift' strength='565.32e6' "
          "offset='0.007117' exponent='0.2589'/><sheet name='s' material='steel' shape='mesh' "
          "mesh='%s' thickness='0.78e-3' layers='9'/><tool name='roll' shape='cylinder' "
          "axis_y='1' axis_z='0' at_x='0.012' at_z='0.00539' radius='0.005' "
          "velocity_x='min(1,max(0,(t-0.02)/0.0004))'/><law name='smooth' friction='0'/>"
          "<contact candidate='s' antagonist='roll' law='smooth' points='nodes'/>"
          "<hold on='s.front' as='symmetry_x'/><hold on='s.front' as='z'/>"
          "<hold on='s' as='plane_y'/><parameter name='pull' value='%g'/>"
          "<force on='s.back' x='${pull}*min(1,t/0.002)*cos(1.5707963*max(0,min(1,(t-0.002)/0.018)))' "
          "z='${pull}*min(1,t/0.002)*sin(1.5707963*max(0,min(1,(t-0.002)/0.018)))'/>"
          "<time step='0.0002' step_min='2e-8' theta='1'/><stage name='wrap' duration='0.02'/>"
          "<stage name='pull' duration='0.016'/>"
          "<newton statics='yes' tolerance='1e-6'/><solver tolerance='1e-4'/></voussoir>",
          path, 33 * cell / 1e-3),
      NULL);
  double m = moments(run, 16e-3, 24e-3, scatter);
  run_case_close(run);
  unlink(path);
  return m;
}

// Bent to 5.39 mm and straightened under 33 N/mm: 51.4 N by one-dimensional integration with
// logarithmic strains. Elements of 1.6 mm turn by 17 degrees each round the roll.
Test(springback, a_strip_over_a_roll_keeps_the_moment_of_one_dimensional_integration) {
  static const struct {
    double cell, tolerance;
  } mesh[] = {{1.6e-3, 0.05}, {1e-3, 0.015}, {0.6e-3, 0.015}};
  for (int k = 0; k < run_case_of_like(3); k++) {
    double scatter, m = rolled_moment(mesh[k].cell, 1, &scatter);
    cr_log_info("%g mm: %.2f +- %.2f N", 1e3 * mesh[k].cell, m, scatter);
    cr_expect_float_eq(m, 51.4, mesh[k].tolerance * 51.4, "%g mm: %g N", 1e3 * mesh[k].cell, m);
    cr_expect_leq(scatter, 0.5);
  }
}

// ---- tools without inertia ----------------------------------------------------------------------

// A sheet on a table under a lid without mass that is pressed by a growing force; the lid begins
// 0.1 mm above it where `gap` is 0.6e-3. Contact yields, so that its share of the force is what
// counts.
static CaseRun *pressed_lid(double gap, double theta, const char *statics) {
  return run_case_open_text(
      xml_format(
          "<voussoir><model space='solid'/><material name='m' law='sheet' density='7800' "
          "young='200e9' poisson='0.3' hardening='linear' yield='200e6' modulus='1e9'/>"
          "<sheet name='s' material='m' shape='rectangle' quarter='yes' width='20e-3 20e-3' "
          "size='2.5e-3' pattern='q4' thickness='1e-3' layers='3'/>"
          "<hold on='s.symmetry_x' as='symmetry_x'/><hold on='s.symmetry_y' as='symmetry_y'/>"
          "<tool name='table' shape='plane' axis_y='0' axis_z='1' at_z='-0.5e-3'/>"
          "<tool name='lid' shape='plane' axis_y='0' axis_z='-1' at_z='%g' free='z'/>"
          "<force on='lid' z='-1000*min(1,10*t)'/><law name='l' friction='0.1' "
          "stiffness='200e9/1e-3'/><contact candidate='s' antagonist='table lid' law='l' "
          "points='nodes'/><time end='0.2' step='0.01' theta='%g' max_cuts='0'/>"
          "<newton statics='%s'/><probe name='lid' quantity='reaction' of='lid' component='z'/>"
          "<probe name='e' quantity='energy'/></voussoir>",
          gap, theta, statics),
      NULL);
}

// The reaction is the mean of the load over each step, weighted with theta, to the tolerance of
// Newton's method.
Test(springback, a_tool_without_mass_is_in_equilibrium_at_every_step) {
  static const struct {
    double gap, theta;
    const char *statics;
  } use[] = {{0.5e-3, 1, "no"}, {0.5e-3, 0.6, "no"}, {0.5e-3, 1, "yes"}, {0.6e-3, 1, "yes"}};
  for (size_t k = 0; k < sizeof use / sizeof use[0]; k++) {
    CaseRun *run = pressed_lid(use[k].gap, use[k].theta, use[k].statics);
    run_case_to_end(run);
    for (int64_t i = 0; i < run->n_rows; i++) {
      double before = 1000 * fmin(1, 0.1 * (double)i),
             after = 1000 * fmin(1, 0.1 * (double)(i + 1));
      double load = use[k].theta * after + (1 - use[k].theta) * before;
      cr_expect_float_eq(run_case_at(run, i, "lid"), -load, 6e-3 * load,
                         "case %d, step %d: %g of %g", (int)k, (int)i + 1,
                         run_case_at(run, i, "lid"), -load);
    }
    run_case_close(run);
  }
}

// On the end of a strip that bends, 3 E' I / L^3 = 200 N/m, it is held in Newton's matrix by five
// powers of ten more than by the strip: that must not be what it waits for.
Test(springback, a_tool_without_mass_bends_a_soft_strip_as_fast_as_a_stiff_one) {
  char path[512];
  strip_file(path, sizeof path, 20, 1, 5e-3, 1);
  CaseRun *run = run_case_text(
      xml_format(
          "<voussoir><model space='solid'/><material name='m' law='sheet' density='7800' "
          "young='200e9' poisson='0.3' hardening='linear' yield='1e12' modulus='1e9'/>"
          "<sheet name='s' material='m' shape='mesh' mesh='%s' thickness='0.5e-3' layers='3'/>"
          "<hold on='s.front' as='clamped'/><hold on='s' as='plane_y'/>"
          "<tool name='roll' shape='cylinder' axis_y='1' axis_z='0' at_x='0.1' at_z='5.25e-3' "
          "radius='5e-3' free='z'/><force on='roll' z='-0.5*t'/>"
          "<law name='l' friction='0' stiffness='1e14'/>"
          "<contact candidate='s' antagonist='roll' law='l' points='nodes'/>"
          "<time end='1' step='0.25' theta='1'/><newton statics='yes' tolerance='1e-6'/>"
          "<probe name='roll' quantity='displacement' of='roll' component='z'/></voussoir>",
          path),
      NULL);
  run_case_to_end(run);
  cr_expect_eq(run->state.count[STAT_CUTS], 0);
  const double stiff = 3 * 200e9 / (1 - 0.09) * 5e-3 * 1.25e-10 / 12 / 1e-3;
  cr_expect_float_eq(run_case_last(run, "roll"), -0.5 / stiff, 0.02 * 0.5 / stiff, "%g for %g",
                     run_case_last(run, "roll"), -0.5 / stiff);
  run_case_close(run);
  unlink(path);
}

Test(springback, a_tool_without_mass_that_has_nothing_to_press_on_is_named) {
  CaseRun *run = pressed_lid(3e-3, 1, "yes");
  Err err = {0};
  cr_assert_eq(step_advance(&run->input.model, &run->state, &run->work, &run->log, &err),
               ERR_NUMERIC);
  cr_expect_not_null(strstr(err.text, "tool 'lid'"), "%s", err.text);
  run_case_close(run);
}

// ---- tools that let go --------------------------------------------------------------------------

// A bent strip lets go in 20 or in 40 steps alike, without a push: the work of its release is
// plastic by less than 1e-5 of that of the bend. At once, the strip swings, and what its swing
// bends stays.
Test(springback, tools_let_go_without_bending_what_they_leave) {
  double end[2];
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_open("inputs/springback.xml", "output_every=0");
    run->input.model.stages[1].release *= k + 1;
    run_case_to_end(run);
    int64_t bent = 0;
    while (run_case_at(run, bent + 1, "stage") == 1) bent++;
    double plastic = run_case_at(run, bent, "e_plastic");
    double more = run_case_last(run, "e_plastic") - plastic;
    cr_expect_eq(run->n_rows - 1 - bent, 22 + 20 * k, "%d steps", (int)(run->n_rows - 1 - bent));
    cr_expect(plastic > 0 && more <= 1e-5 * plastic, "%g of %g J", more, plastic);
    cr_expect_leq(run_case_last(run, "e_kinetic"), 1e-12 * plastic);
    end[k] = run_case_last(run, "end");
    run_case_close(run);
  }
  cr_expect_float_eq(end[1], end[0], 1e-5 * fabs(end[0]), "%g and %g", end[0], end[1]);
}

// Walls of aluminium turn by thirty degrees while they are let go; forces that keep their direction
// would bend the bottom of the U between them to 9e-4 of plastic strain, 1.5e-4 of the work of the
// draw. No tool does that: the part springs back as if all forces had gone at once.
Test(springback, walls_that_turn_far_do_not_bend_what_is_between_them) {
  static const char aluminium[] =
      "thickness=0.81e-3 density=2700 young=71e9 poisson=0.33 strength=576.79e6 offset=0.01658 "
      "exponent=0.3593 friction=0.162 size=1.6e-3 layers=5 stroke=60e-3 increment=0.4e-3 "
      "output_every=0";
  const char *input = "inputs/u_bend_plane_strain.xml";
  if (run_case_only_begins(run_case_open(input, aluminium))) return;
  CaseRun *run = run_case(input, aluminium);
  int64_t bent = 0;
  while (run_case_at(run, bent + 1, "stage") < 3) bent++;
  double plastic = run_case_at(run, bent, "energy_plastic");
  double more = run_case_last(run, "energy_plastic") - plastic;
  cr_expect(plastic > 0 && more <= 1e-5 * plastic, "%g of %g J", more, plastic);
  cr_expect_lt(run_case_last(run, "wall"), run_case_at(run, bent, "wall") - 0.4, "%g of %g",
               run_case_last(run, "wall"), run_case_at(run, bent, "wall"));
  // 26; 90 where the holder is held in Newton's matrix as much as ever.
  cr_expect_leq(run->state.count[STAT_CUTS], 45, "%d cuts", (int)run->state.count[STAT_CUTS]);
  run_case_close(run);
}

// Stopped within the release and taken up from the state alone, it ends as if it had gone on.
Test(springback, a_release_is_taken_up_from_the_state) {
  uint64_t hash[2];
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_open("inputs/springback.xml", "output_every=0");
    run_case_steps(run, 58);
    Err err = {0};
    if (k == 1) {
      step_work_free(&run->work);
      cr_assert_eq(step_work_init(&run->work, &run->input.model, &run->state, &err), OK);
    }
    run_case_to_end(run);
    hash[k] = state_hash(&run->state, &run->input.model);
    run_case_close(run);
  }
  cr_expect_eq(hash[0], hash[1]);
}
