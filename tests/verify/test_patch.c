// Contact patch (verification B3), Cook's membrane (F5), no locking (B-bar, Lame's cylinder).

#include <criterion/criterion.h>
#include <math.h>

#include "../support/run_case.h"
#include "mesh/generate.h"

// ---- B3 -----------------------------------------------------------------------------------------

typedef struct {
  const char *pattern, *points, *candidate, *antagonist;
  int lower, upper; // cells along each side
} Patch;

// Two unit squares on a frictionless base under a pressure so small (1e-4, strain 1e-7) that the
// geometry of contact does not change; at rest. Returns the
// root mean square error of u_y over all nodes relative to u_y(top) = -2 (1 - nu^2)/E.
static double patch_error(const Patch *patch, double *force_error) {
  CaseRun *run = run_case_text(
      xml_format("<voussoir><material name=\"m\" density=\"1\" young=\"1000\" poisson=\"0.3\"/>"
                 "<law name=\"dry\" friction=\"0\"/>"
                 "<block name=\"lower\" material=\"m\" width=\"1\" height=\"1\" cells_x=\"%d\""
                 " cells_y=\"%d\" pattern=\"%s\"/>"
                 "<block name=\"upper\" material=\"m\" y=\"1\" width=\"1\" height=\"1\""
                 " cells_x=\"%d\" cells_y=\"%d\" pattern=\"%s\"/>"
                 "<support name=\"base\" shape=\"box\" x=\"-1\" y=\"-1\" width=\"3\" height=\"1\"/>"
                 "<contact candidate=\"lower\" antagonist=\"base\" law=\"dry\" points=\"%s\"/>"
                 "<contact candidate=\"%s\" antagonist=\"%s\" law=\"dry\" points=\"%s\"/>"
                 "<pressure on=\"upper.top\" value=\"1e-4\"/>"
                 "%s"
                 "<probe name=\"base\" quantity=\"reaction\" of=\"base\"/>"
                 "<probe name=\"upper\" quantity=\"reaction\" of=\"upper\"/></voussoir>",
                 patch->lower, patch->lower, patch->pattern, patch->upper, patch->upper,
                 patch->pattern, patch->points, patch->candidate, patch->antagonist, patch->points,
                 run_case_static_time(2, sqrt(1000))),
      NULL);
  const BodySet *bs = &run->input.model.bodies;
  double top = -2e-4 * (1 - 0.09) / 1000, worst = 0;
  for (int k = 0; k < bs->node_ptr[2]; k++)
    worst += pow(run->state.bodies.q[2 * k + 1] - top / 2 * bs->x[2 * k + 1], 2) / bs->node_ptr[2];
  *force_error = fmax(fabs(run_case_last(run, "base_y") * 1e4 - 1),
                      fabs(run_case_last(run, "upper_y") * 1e4 + 1));
  run_case_close(run);
  return sqrt(worst) / fabs(top);
}

Test(patch, of_matching_meshes_is_exact) {
  const char *const points[] = {"midpoints", "nodes", "gauss", "overlap"}, *const patterns[] = {
                                                                               "q4", "t3_right",
                                                                               "t3_cross"};
  for (int p = 0; p < 4; p++)
    for (int m = 0; m < 3; m++)
      for (int n = 2; n <= 3; n++) {
        double force,
            error = patch_error(&(Patch){patterns[m], points[p], "upper", "lower", n, n}, &force);
        cr_assert_leq(error, 1e-9, "%s %s %d: %g", points[p], patterns[m], n, error);
        cr_assert_leq(force, 1e-9, "%s %s %d: force %g", points[p], patterns[m], n, force);
      }
}

// On meshes that do not match, contact passes the patch test with points at the nodes of both
// sides, and with Gauss points on the finer side; else the root mean square error is stated. The
// sum of forces is exact in all cases.
Test(patch, of_meshes_that_do_not_match_is_off_by_a_known_error_and_balances) {
  static const struct {
    Patch patch;
    double least, most;
  } cases[] = {
      {{"q4", "midpoints", "upper", "lower", 3, 4}, 2e-3, 4e-3},
      {{"q4", "midpoints", "lower", "upper", 3, 4}, 5e-3, 9e-3},
      {{"q4", "nodes", "upper", "lower", 3, 4}, 0, 1e-8}, // nodes of both sides: exact
      {{"q4", "nodes", "lower", "upper", 3, 4}, 0, 1e-8},
      {{"q4", "gauss", "upper", "lower", 3, 4}, 0, 1e-7}, // points on the finer side: exact
      {{"q4", "gauss", "lower", "upper", 3, 4}, 2e-4, 5e-4},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const Patch *patch = &cases[k].patch;
    double force, error = patch_error(patch, &force);
    cr_assert(error >= cases[k].least && error <= cases[k].most, "%s candidate %s: error %g",
              patch->points, patch->candidate, error);
    cr_assert_leq(force, 1e-9, "force %g", force);
  }
}

// Points where both sides overlap: whatever the meshes, and whichever side is the candidate.
Test(patch, of_overlapping_sides_is_exact_on_any_meshes) {
  static const int cells[][2] = {{4, 4}, {5, 7}, {7, 5}, {2, 5}, {5, 2},  {3, 9},
                                 {9, 3}, {8, 3}, {3, 8}, {1, 4}, {11, 13}};
  const char *const side[] = {"upper", "lower"}, *const patterns[] = {"q4", "t3_right"};
  for (size_t k = 0; k < sizeof cells / sizeof cells[0]; k++)
    for (int c = 0; c < 2; c++)
      for (int m = 0; m < 2; m++) {
        double force, error = patch_error(&(Patch){patterns[m], "overlap", side[c], side[1 - c],
                                                   cells[k][0], cells[k][1]},
                                          &force);
        cr_expect_leq(error, 1e-7, "%s %d on %d, candidate %s: %g", patterns[m], cells[k][1],
                      cells[k][0], side[c], error);
        cr_expect_leq(force, 1e-7, "%s %d on %d, candidate %s: force %g", patterns[m], cells[k][1],
                      cells[k][0], side[c], force);
      }
}

// ---- F5 -----------------------------------------------------------------------------------------

// v at (48, 60) of Cook's membrane in one static step; inertia and the rest are below 1e-9.
static double cook(int n, const char *pattern, const char *plane, double poisson,
                   const char *b_bar) {
  CaseRun *run = run_case_text(
      xml_format("<voussoir><model plane=\"%s\"/>"
                 "<material name=\"m\" density=\"1e-9\" young=\"1\" poisson=\"%.17g\"/>"
                 "<block name=\"b\" material=\"m\" corners=\"0 0 48 44 48 60 0 44\" cells_x=\"%d\""
                 " cells_y=\"%d\" pattern=\"%s\" b_bar=\"%s\"/>"
                 "<prescribe on=\"b.left\" x=\"0\" y=\"0\"/><pressure on=\"b.right\" y=\"1/16\"/>"
                 "<time end=\"1e6\" step=\"1e6\" theta=\"1\"/>"
                 "<probe name=\"tip\" quantity=\"displacement\" of=\"b.right\" near=\"48 60\"/>"
                 "<probe name=\"hold\" quantity=\"hold\" of=\"b.left\"/></voussoir>",
                 plane, poisson, n, n, pattern, b_bar),
      NULL);
  double v = run_case_last(run, "tip_y");
  cr_assert_float_eq(run_case_last(run, "hold_y"), -1, 1e-6);
  run_case_close(run);
  return v;
}

Test(cook, membrane_gives_the_published_deflection_of_every_mesh) {
  static const double expected[] = {11.917568, 18.618512, 22.672619, 24.271986, 24.836628};
  for (int k = 0; k < 5; k++) {
    double v = cook(2 << k, "q4", "stress", 1.0 / 3, "no");
    cr_assert_float_eq(v, expected[k], 1e-6, "n = %d: %.9g, expected %.9g", 2 << k, v, expected[k]);
  }
}

// ---- Lame's cylinder, nearly incompressible -----------------------------------------------------

// Radial displacement of the inner wall of a quarter cylinder, radii 1 and 2, under inner pressure
// 1, from K u = f with the symmetry lines held; relative to Lame's solution in plane strain.
static double lame_ratio(int n, double nu, int b_bar) {
  Err err = {0};
  Mesh mesh;
  cr_assert_eq(mesh_ring_wedge(&mesh,
                               &(RingWedge){.r0 = 1,
                                            .r1 = 2,
                                            .left = {acos(-1) / 2, acos(-1) / 2},
                                            .right = {0, 0},
                                            .straight = 0},
                               n, n, "q4", &err),
               OK, "%s", err.text);
  Material material = {.name = "m", .type = material_find("elastic"), .density = 1e-12};
  material.par[0] = 1;
  material.par[1] = nu;
  uint8_t *fixed = calloc((size_t)mesh.n_nodes * 2, 1);
  double *f = calloc((size_t)mesh.n_nodes * 2, sizeof *f),
         *u = calloc((size_t)mesh.n_nodes * 2, sizeof *u);
  for (int k = 0; k < mesh.n_nodes; k++)
    for (int i = 0; i < 2; i++) fixed[2 * k + i] = fabs(mesh.x[2 * k + i]) < 1e-9;
  PrototypeSpec spec = {&mesh, &material, PLANE_STRAIN, 1, b_bar, fixed, 0, 0};
  Prototype proto;
  cr_assert_eq(prototype_init(&proto, &spec, &err), OK, "%s", err.text);
  // Pressure on the chords of the inner wall, shared by their ends.
  for (int k = 0; k < mesh.n_nodes; k++)
    for (int j = 0; j < mesh.n_nodes; j++) {
      const double *a = mesh.x + 2 * k, *b = mesh.x + 2 * j;
      double chord = 2 * sin(acos(-1) / 4 / n);
      if (fabs(hypot(a[0], a[1]) - 1) > 1e-9 || fabs(hypot(b[0], b[1]) - 1) > 1e-9) continue;
      if (a[0] * b[1] - a[1] * b[0] <= 0 || hypot(a[0] - b[0], a[1] - b[1]) > 1.01 * chord)
        continue;
      for (int i = 0; i < 2; i++) {
        double force = 0.5 * (i == 0 ? b[1] - a[1] : a[0] - b[0]);
        f[2 * k + i] += fixed[2 * k + i] ? 0 : force;
        f[2 * j + i] += fixed[2 * j + i] ? 0 : force;
      }
    }
  PrototypeFactors factors = {0};
  const PrototypeStep *step; // (M + K)^-1 with hardly any mass
  cr_assert_eq(prototype_step(&proto, &factors, 1, 1, &step, &err), OK, "%s", err.text);
  cr_assert_eq(spd_apply(step->w, 1, f, u, &err), OK);
  double exact = (1 + nu) / (4 - 1) * ((1 - 2 * nu) + 4), found = 0;
  for (int k = 0; k < mesh.n_nodes; k++)
    if (fabs(mesh.x[2 * k] - 1) < 1e-9 && fabs(mesh.x[2 * k + 1]) < 1e-9) found = u[2 * k];
  prototype_factors_free(&factors);
  prototype_free(&proto);
  mesh_free(&mesh);
  free(fixed);
  free(f);
  free(u);
  return found / exact;
}

Test(cylinder, of_lame_is_met_with_b_bar_however_incompressible_and_locks_without) {
  static const double poisson[] = {0.3, 0.49, 0.4999, 0.49999};
  for (int k = 0; k < 4; k++) {
    double ratio = lame_ratio(8, poisson[k], 1);
    cr_assert_float_eq(ratio, 1, 0.015, "B-bar, nu = %g: %g of Lame", poisson[k], ratio);
  }
  double locked = lame_ratio(8, 0.4999, 0);
  cr_assert_leq(locked, 0.5, "plain Q4 locks: %g of Lame", locked);
}

// ---- B6: a block pressed on a rigid base with friction ------------------------------------------

// 80 x 40, both halves, E = 13000, nu = 0.2, mu = 1, 10 from the sides and 5 from above, brought
// slowly.
Test(pressed_block, sticks_slips_and_opens_where_it_must) {
  CaseRun *run = run_case_text(
      "<voussoir><material name=\"m\" density=\"1\" young=\"13000\" poisson=\"0.2\"/>"
      "<law name=\"dry\" friction=\"1\"/>"
      "<block name=\"b\" material=\"m\" x=\"-40\" width=\"80\" height=\"40\" cells_x=\"64\""
      " cells_y=\"32\" pattern=\"q4\"/>"
      "<support name=\"base\" shape=\"box\" x=\"-100\" y=\"-10\" width=\"200\" height=\"10\"/>"
      "<contact candidate=\"b\" antagonist=\"base\" law=\"dry\" points=\"nodes\"/>"
      "<pressure on=\"b.left\" value=\"0.1*t\"/><pressure on=\"b.right\" value=\"0.1*t\"/>"
      "<pressure on=\"b.top\" value=\"0.05*t\"/>"
      "<time end=\"100\" step=\"1\" theta=\"1\"/><solver tolerance=\"1e-7\" max_iterations=\"20000\"/>"
      "<probe name=\"right\" quantity=\"displacement\" of=\"b.right\" near=\"40 0\"/>"
      "<probe name=\"left\" quantity=\"displacement\" of=\"b.left\" near=\"-40 0\"/>"
      "<probe name=\"n\" quantity=\"status\"/>"
      "<probe name=\"base\" quantity=\"reaction\" of=\"base\"/></voussoir>",
      NULL);
  double u = (run_case_last(run, "right_x") - run_case_last(run, "left_x")) / 2;
  double v = (run_case_last(run, "right_y") + run_case_last(run, "left_y")) / 2;
  cr_assert_float_eq(u, -0.01465855, 1e-3 * 0.01465855, "u = %.8g", u);
  cr_assert_float_eq(v, 4.9536e-4, 1e-3 * 4.9536e-4, "v = %.8g", v);
  // Nodes are 1.25 apart: stick to 17.5, slip to 36.25, open over the last 3.75, give or take one a
  // side.
  cr_assert_float_eq(run_case_last(run, "n_stick"), 29, 2, "%g stick",
                     run_case_last(run, "n_stick"));
  cr_assert_float_eq(run_case_last(run, "n_open"), 6, 2, "%g open", run_case_last(run, "n_open"));
  cr_assert_float_eq(run_case_last(run, "base_y"), 400, 1e-3);
  run_case_close(run);
}
