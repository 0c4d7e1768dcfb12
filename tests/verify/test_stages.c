// Forming and springback as stages of one run (verification F, forming 2.8).

#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../support/run_case.h"
#include "../support/scratch_path.h"
#include "step/substep.h"

// ---- a strip laid on a circle and let go --------------------------------------------------------

enum { CELLS = 40 };
static const double CELL = 0.25e-3, RADIUS = 10e-3; // [m]

static void write_element(FILE *file, int number, int kind, int group, const int *node, int n) {
  fprintf(file, "%d %d 2 %d 1", number, kind, group);
  for (int k = 0; k < n; k++) fprintf(file, " %d", node[k]);
  fprintf(file, "\n");
}

// The strip as a file of Gmsh 2.2: two rows of cells, columns of nodes as groups c0, c1 ... and the
// sides.
static void write_strip(FILE *file, int quads) {
  enum { POINT = 15, TRIANGLE = 2, QUAD = 3, SIDES = 1000, SHEET = 1001, ROW = CELLS + 1 };
  int number = 0;
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n%d\n", ROW + 2);
  for (int k = 0; k < ROW; k++) fprintf(file, "0 %d \"c%d\"\n", k + 1, k);
  fprintf(file, "0 %d \"sides\"\n2 %d \"all\"\n$EndPhysicalNames\n", SIDES, SHEET);
  fprintf(file, "$Nodes\n%d\n", 3 * ROW);
  for (int k = 0; k < 3 * ROW; k++)
    fprintf(file, "%d %.17g %.17g 0\n", k + 1, CELL * (k % ROW), CELL * (k / ROW));
  fprintf(file, "$EndNodes\n$Elements\n%d\n", 5 * ROW + (quads ? 2 : 4) * CELLS);
  for (int k = 0; k < 3 * ROW; k++) {
    const int node = k + 1;
    write_element(file, ++number, POINT, k % ROW + 1, &node, 1);
    if (k / ROW != 1) write_element(file, ++number, POINT, SIDES, &node, 1);
  }
  for (int k = 0; k < 2 * CELLS; k++) {
    const int a = k + k / CELLS + 1, low[3] = {a, a + 1, a + ROW + 1},
              high[3] = {a, a + ROW + 1, a + ROW}, all[4] = {a, a + 1, a + ROW + 1, a + ROW};
    if (quads) {
      write_element(file, ++number, QUAD, SHEET, all, 4);
      continue;
    }
    write_element(file, ++number, TRIANGLE, SHEET, low, 3);
    write_element(file, ++number, TRIANGLE, SHEET, high, 3);
  }
  fprintf(file, "$EndElements\n");
}

// Every column of nodes goes to its place on a circle whose curvature grows, then nothing holds it.
static char *roll_text(const char *mesh, int layers) {
  size_t size = 1 << 16, used;
  char *text = malloc(size);
  used = (size_t)snprintf(
      text, size,
      "<voussoir><model space='solid'/><material name='steel' law='sheet' density='7800' "
      "young='206e9' poisson='0.3' hardening='swift' strength='565.32e6' offset='0.007117' "
      "exponent='0.2589'/><sheet name='strip' material='steel' shape='mesh' mesh='%s' "
      "thickness='0.78e-3' layers='%d'/><hold on='strip.sides' as='symmetry_y'/>"
      "<hold on='strip.c0' as='symmetry_x'/><hold on='strip' as='y'/>"
      "<hold on='strip.c0' as='z' stage='release'/><time step='0.05' theta='1'/>"
      "<stage name='bend' duration='1'/><stage name='release' duration='1' until='rest' "
      "from_rest='yes' step='1e-4' step_max='1e-2' rest_energy='1e-8'/>",
      mesh, layers);
  for (int k = 0; k <= CELLS; k++) {
    char turn[64]; // of a cell; chords keep their length
    snprintf(turn, sizeof turn, "(%.17g*t+1e-9)", CELL / RADIUS);
    used += (size_t)snprintf(text + used, size - used,
                             "<prescribe on='strip.c%d' stage='bend' "
                             "x='%.17g/sin(%s/2)*sin(%d*%s)-%.17g' "
                             "z='%.17g/sin(%s/2)*(1-cos(%d*%s))'/>",
                             k, CELL / 2, turn, k, turn, k * CELL, CELL / 2, turn, k, turn);
  }
  snprintf(text + used, size - used, "</voussoir>");
  return text;
}

// Angle of the chord behind column k in the middle row.
static double slope_at(const CaseRun *run, int k) {
  const double *X = run->input.model.bodies.x, *q = run->state.bodies.q;
  int a = 3 * (CELLS + 1 + k), b = a + 3;
  return atan2(X[b + 2] + q[b + 2] - X[a + 2] - q[a + 2], X[b] + q[b] - X[a] - q[a]);
}

static void strip_file(char *path, size_t size, int quads) {
  scratch_path(path, size, "strip");
  FILE *file = fdopen(mkstemp(path), "w");
  cr_assert_not_null(file);
  write_strip(file, quads);
  fclose(file);
}

static double released_curvature(int layers, int64_t *n_steps) {
  char path[512];
  strip_file(path, sizeof path, 0);
  char *text = roll_text(path, layers);
  CaseRun *run = run_case_text(text, NULL);
  double turn = (slope_at(run, 30) - slope_at(run, 10)) / 20;
  *n_steps = run->state.step - run->state.stage[STAGE_FIRST_STEP];
  run_case_close(run);
  free(text);
  unlink(path);
  return turn * RADIUS / CELL;
}

Test(stages, released_strip_springs_back_by_what_its_layers_say) {
  int64_t n_steps;
  double five = released_curvature(5, &n_steps), seven = released_curvature(7, &n_steps);
  cr_log_info("curvature kept: %.5f with 5 layers, %.5f with 7, in %lld steps", five, seven,
              (long long)n_steps);
  cr_assert_float_eq(five, 0.95558, 2e-4, "%g", five);
  cr_assert_float_eq(seven, 0.95475, 2e-4, "%g", seven);
  cr_assert_leq(n_steps, 20);
}

// ---- a strip cut in two -------------------------------------------------------------------------

// A strip is stretched into plasticity; then half its width is cut off, its ends held, and then all
// is free.
static CaseRun *cut_strip(int quads) {
  char path[512];
  strip_file(path, sizeof path, quads);
  CaseRun *run = run_case_text(
      xml_format(
          "<voussoir><model space='solid'/><material name='steel' law='sheet' density='7800' "
          "young='206e9' poisson='0.3' hardening='swift' strength='565.32e6' offset='0.007117' "
          "exponent='0.2589'/><sheet name='strip' material='steel' shape='mesh' mesh='%s' "
          "thickness='0.78e-3' layers='5'/><hold on='strip' as='z'/><hold on='strip.c0' as='x'/>"
          "<hold on='strip.c0' near='0 0 0' as='y'/>"
          "<prescribe on='strip.c40' x='1e-3*min(t,1)' stage='stretch cut'/>"
          "<time step='0.05' theta='1'/><stage name='stretch' duration='1'/>"
          "<stage name='cut' duration='1' from_rest='yes'/><stage name='free' until='rest' "
          "duration='1' step='1e-4' step_max='0.1'/><trim of='strip' stage='cut' cut='outside' "
          "shape='plane' at_y='0.25e-3'/><newton tolerance='1e-6'/>"
          "<probe name='force' quantity='hold' of='strip.c40' component='x'/>"
          "<probe name='end' quantity='displacement' of='strip.c40' component='x'/>"
          "<probe name='e' quantity='energy'/>"
          "<probe name='in' quantity='draw_in' of='strip' near='5e-3 1 0' about='0.02 0 0'/>"
          "<probe name='at' quantity='displacement' of='strip' near='5e-3 1 0'/></voussoir>",
          path),
      NULL);
  unlink(path);
  return run;
}

Test(stages, half_a_stretched_strip_carries_half_the_force_and_keeps_its_plastic_length) {
  for (int quads = 0; quads < 2; quads++) {
    CaseRun *run = cut_strip(quads);
    double whole = run_case_at(run, 19, "force"), half = run_case_at(run, 20, "force");
    cr_assert_gt(whole, 100);
    cr_assert_float_eq(half, 0.5 * whole, 1e-6 * whole, "%.9g of %.9g", half, whole);
    cr_assert_float_eq(run_case_at(run, 39, "force"), 0.5 * whole, 1e-6 * whole);
    // of a node that is cut off nothing is said
    cr_assert(run_case_at(run, 19, "at_x") > 1e-4 && fabs(run_case_at(run, 19, "in")) > 1e-4);
    cr_assert(isnan(run_case_at(run, 20, "at_x")) && isnan(run_case_last(run, "at_z")));
    cr_assert(isnan(run_case_at(run, 20, "in")) && isnan(run_case_last(run, "in")));
    // half of what was stored and lost went with the half that was cut off
    double plastic = run_case_at(run, 19, "e_plastic"), elastic = run_case_at(run, 19, "e_elastic");
    cr_assert_float_eq(run_case_at(run, 39, "e_plastic"), 0.5 * plastic, 1e-6 * plastic);
    cr_assert_float_eq(run_case_at(run, 39, "e_elastic"), 0.5 * elastic, 1e-6 * elastic);
    cr_assert_float_eq(run->state.energy[ENERGY_REMOVED], 0.5 * (plastic + elastic),
                       1e-5 * plastic);
    cr_assert_leq(energy_balance(run->state.energy), 1e-6, "%g", energy_balance(run->state.energy));
    // true stress over E is the elastic part of the logarithmic strain
    double stretched = run_case_at(run, 39, "end"), area = 0.5e-3 * 0.78e-3;
    double stress = whole / area * 11. / 10; // volume kept, to the elastic strain
    double expected = 11e-3 * (exp(-stress / 206e9) - 1);
    cr_assert_float_eq(run_case_last(run, "end") - stretched, expected, 1e-3 * fabs(expected),
                       "%g, expected %g", run_case_last(run, "end") - stretched, expected);
    run_case_close(run);
  }
}

// ---- a strip bent by tools ----------------------------------------------------------------------

typedef struct {
  double loaded, released, force; // deflections [m], [N]
  int64_t n_steps;
} Bent;

static Bent bent(const char *settings) {
  CaseRun *run = run_case("inputs/springback.xml", settings);
  Bent result = {.n_steps = run->state.step - run->state.stage[STAGE_FIRST_STEP]};
  for (int64_t k = 0; k < run->n_rows; k++) {
    double deflection = run_case_at(run, k, "end") - run_case_at(run, k, "middle");
    if (run_case_at(run, k, "stage") == 1) {
      result.loaded = deflection;
      result.force = run_case_at(run, k, "punch_force");
    }
    result.released = deflection;
  }
  cr_assert_eq(run_case_last(run, "punch_force"), 0);
  run_case_close(run);
  return result;
}

// Unloading is elastic: a bent strip loses the deflection that its last force gives an elastic one.
Test(stages, strip_bent_by_a_tool_loses_its_elastic_deflection_when_the_tool_goes) {
  Bent elastic = bent("strength=1e12 output_every=0"), steel = bent("output_every=0");
  double lost = steel.loaded - steel.released;
  double expected = steel.force * elastic.loaded / elastic.force;
  cr_log_info("elastic: %.4g mm and %.3g mm; steel: %.4g and %.4g mm, lost %.4g of %.4g mm, %lld "
              "steps",
              1e3 * elastic.loaded, 1e3 * elastic.released, 1e3 * steel.loaded,
              1e3 * steel.released, 1e3 * lost, 1e3 * expected, (long long)steel.n_steps);
  cr_assert_leq(fabs(elastic.released), 1e-4 * elastic.loaded, "%g", elastic.released);
  cr_assert_gt(elastic.loaded, 3e-3);
  cr_assert_float_eq(lost, expected, 0.01 * expected, "%g, elastic %g", lost, expected);
  cr_assert_eq(steel.n_steps, 22); // of release, and two at rest
}
