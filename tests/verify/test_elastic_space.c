// Elastic bodies in space against closed forms: columns (verification B8, B9, B10, B12), Hertz
// (B4).

#define _XOPEN_SOURCE 700
#include "../unit/file/scratch.h"
#include "hertz.h"

#include <math.h>

#include "../support/run_case.h"
#include "contact/contact.h"
#include "mesh/generate.h"

// ---- columns ------------------------------------------------------------------------------------

// A column of square section along z, cut into drums.
static const char *column(int drums, int cells, double length, double young, double nu,
                          const char *more) {
  char own[1500]; // few texts are kept at a time
  snprintf(own, sizeof own, "%s", more);
  const char *text = xml_format("<voussoir><model space=\"solid\"/><material name=\"m\""
                                " density=\"1000\" young=\"%g\" poisson=\"%g\"/>"
                                "<law name=\"l\" friction=\"0\"/>"
                                "<support name=\"g\" shape=\"plane\"/>",
                                young, nu);
  for (int k = 0; k < drums; k++)
    text = xml_format("%s<box name=\"b%d\" material=\"m\" kinematics=\"small\" z=\"%.15g\""
                      " size=\"1 1 %.15g\" cells=\"1 1 %d\"/>",
                      text, k, length / drums * k, length / drums, cells / drums);
  return xml_format("%s<contact candidate=\"all\" antagonist=\"all g\" law=\"l\"/>"
                    "<gravity y=\"0\" z=\"-9.81\"/><output every=\"0\"/>%s"
                    "<probe name=\"top\" quantity=\"displacement\" of=\"b%d.z1\"/>"
                    "<probe name=\"base\" quantity=\"reaction\" of=\"g\"/></voussoir>",
                    text, own, drums - 1);
}

Test(elastic_space, column_shortens_under_its_weight_exactly) { // B8: 0.04905 m, B12
  for (int drums = 1; drums <= 5; drums += 4) {
    CaseRun *run = run_case_text(
        column(drums, 10, 10, 1e7, 0, run_case_static_time(10, sqrt(1e7 / 1000))), NULL);
    cr_expect_float_eq(run_case_last(run, "top_z"), -0.04905, 1e-8, "%d: %.10g", drums,
                       run_case_last(run, "top_z"));
    cr_expect_float_eq(run_case_last(run, "base_z"), 98100, 1e-3);
    run_case_close(run);
  }
}

Test(elastic_space, base_force_is_a_triangle_when_gravity_comes_suddenly) { // B9
  const double weight = 98100, period = 0.4, h = period / 1000;
  CaseRun *run = run_case_text(
      column(1, 100, 10, 1e7, 0,
             xml_format("<time end=\"0.38\" step=\"%g\"/><solver tolerance=\"1e-8\"/>", h)),
      NULL);
  double worst = 0;
  for (int64_t k = 0; k < run->n_rows; k++) {
    const double x = (run_case_at(run, k, "time") - h / 2) / period;
    worst = fmax(worst, fabs(run_case_at(run, k, "base_z") - 4 * weight * (x < 0.5 ? x : 1 - x)));
  }
  cr_expect_lt(worst, 0.08 * weight, "%g W", worst / weight);
  const double crossing = run_case_crossing(run, "base_z", weight, 1) - h / 2;
  cr_expect_float_eq(crossing, 0.1, 2e-3, "%g", crossing);
  run_case_close(run);
}

Test(elastic_space, confined_column_presses_sideways_with_nu_over_one_minus_nu) { // B10
  static const double nu[] = {0.1, 0.3, 0.45};
  for (int k = 0; k < 3; k++) {
    CaseRun *run = run_case_text(
        column(1, 4, 2, 1e7, nu[k],
               xml_format("<support name=\"w\" shape=\"box\" x=\"1\" y=\"-1\" z=\"-1\" width=\"1\""
                          " height=\"3\" depth=\"4\"/>"
                          "<support name=\"e\" shape=\"box\" x=\"-1\" y=\"-1\" z=\"-1\" width=\"1\""
                          " height=\"3\" depth=\"4\"/>"
                          "<prescribe on=\"b0.y0\" y=\"0\"/><prescribe on=\"b0.y1\" y=\"0\"/>"
                          "<contact candidate=\"b0\" antagonist=\"w e\" law=\"l\"/>"
                          "<pressure on=\"b0.z1\" value=\"1e4\"/>"
                          "<probe name=\"w\" quantity=\"reaction\" of=\"w\"/>%s",
                          run_case_static_time(2, sqrt(1e7 / 1000)))),
        NULL);
    // the mean vertical pressure is that of the top and half of the weight
    const double side = (1e4 + 9810) * nu[k] / (1 - nu[k]) * 2;
    cr_expect_float_eq(fabs(run_case_last(run, "w_x")), side, 1e-6 * side, "%g: %g, not %g", nu[k],
                       run_case_last(run, "w_x"), side);
    run_case_close(run);
  }
}

// ---- Hertz --------------------------------------------------------------------------------------

static const double E = 1000, NU = 0.3, WIDTH = 0.0880442; // that of P = 1 under a sphere of 1 m

// Quarter of a block, its cells a quarter of WIDTH near the corner at the top, 17 WIDTH wide and
// high; its upper face a paraboloid of radius 1 where `curved`.
static void write_quarter(const char *path, int curved) {
  enum { FINE = 6, COARSE = 5 };
  static const int n[3] = {FINE + COARSE, FINE + COARSE, FINE + COARSE};
  const double one[3] = {FINE + COARSE, FINE + COARSE, FINE + COARSE};
  double along[FINE + COARSE + 1] = {0}, cell = WIDTH / 4;
  Mesh mesh;
  Err err = {0};
  for (int k = 1; k <= FINE + COARSE; k++) {
    if (k > FINE) cell *= 2;
    along[k] = along[k - 1] + cell;
  }
  const double high = along[FINE + COARSE];
  cr_assert_eq(mesh_box(&mesh, one, n, &err), OK);
  for (int k = 0; k < mesh.n_nodes; k++) {
    double *x = mesh.x + 3 * k;
    for (int i = 0; i < 2; i++) x[i] = along[(int)lround(x[i])];
    x[2] = high - along[FINE + COARSE - (int)lround(x[2])];
    if (curved) x[2] -= 0.5 * fmin(x[0] * x[0] + x[1] * x[1], 0.04) * pow(x[2] / high, 4);
  }
  cr_assert_eq(mesh_write_gmsh(&mesh, path, &err), OK, "%s", err.text);
  mesh_free(&mesh);
}

// The same force on the quarter as the load says; the pressure squared is linear in r^2.
static void assert_hertz(const char *what, int curved, const char *antagonist) {
  scratch_make();
  write_quarter(in_scratch("quarter.msh"), curved);
  CaseRun *run = run_case_text(
      xml_format(
          "<voussoir><model space=\"solid\"/><material name=\"m\" density=\"1\" young=\"%g\""
          " poisson=\"%g\"/><body name=\"b\" material=\"m\" kinematics=\"small\" mesh=\"%s\"/>"
          "%s<law name=\"l\" friction=\"0\"/>"
          "<contact candidate=\"b\" antagonist=\"t\" law=\"l\" points=\"nodes\"/>"
          "<prescribe on=\"b.x0\" x=\"0\"/><prescribe on=\"b.y0\" y=\"0\"/>"
          "<prescribe on=\"b.z0\" z=\"0.007*t\"/>"
          "<time end=\"1\" step=\"1\" theta=\"1\"/><newton statics=\"yes\"/>"
          "<solver tolerance=\"1e-4\"/><output every=\"0\"/>"
          "<probe name=\"t\" quantity=\"reaction\" of=\"t\"/></voussoir>",
          E, NU, in_scratch("quarter.msh"), antagonist),
      NULL);
  const double load = 4 * fabs(run_case_last(run, "t_z"));
  expect_hertz(run, load, E, NU, 0.05, what);
  run_case_close(run);
  scratch_remove();
}

Test(elastic_space, sphere_presses_as_hertz_says) { // B4
  double high = 0, cell = WIDTH / 4;
  for (int k = 1; k <= 11; k++) high += k > 6 ? (cell *= 2) : cell;
  assert_hertz(
      "ball on a block", 0,
      xml_format("<tool name=\"t\" shape=\"sphere\" radius=\"1\" at_z=\"%.15g\"/>", 1 + high));
  assert_hertz("bowl on a support", 1,
               xml_format("<support name=\"t\" shape=\"box\" x=\"-3\" y=\"-3\" z=\"%.15g\""
                          " width=\"6\" height=\"6\" depth=\"1\"/>",
                          high));
}
