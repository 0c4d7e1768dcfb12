// A stiff block that rocks on its corners (verification C1).

#include <criterion/criterion.h>
#include <math.h>

#include "../support/run_case.h"


// A block b x h, tilted about its left corner by half its critical angle and let go.
static CaseRun *rock(double b, double h, int cells_x, double step, double end) {
  return run_case_text(
      xml_format("<voussoir><material name=\"m\" density=\"2000\" young=\"1e13\" poisson=\"0.2\"/>"
                 "<law name=\"dry\" friction=\"0.8\"/>"
                 "<block name=\"b\" material=\"m\" kinematics=\"corotational\" width=\"%.17g\""
                 " height=\"%.17g\" angle=\"%.17g\" cells_x=\"%d\" cells_y=\"8\" pattern=\"q4\"/>"
                 "<support name=\"p\" shape=\"plane\" length=\"10\"/>"
                 "<contact candidate=\"b\" antagonist=\"p\" law=\"dry\"/><gravity/>"
                 "<time end=\"%g\" step=\"%g\" theta=\"1\"/><solver tolerance=\"1e-9\"/>"
                 "<probe name=\"s\" quantity=\"spin\" of=\"b\"/></voussoir>",
                 b, h, 0.5 * atan(b / h), cells_x, end, step),
      NULL);
}

// Inertia of the lumped mass about a corner over m R^2 (4/3 for a rigid rectangle): the discrete
// block is compared with the rigid one of its own inertia.
static double inertia_ratio(const CaseRun *run, double b, double h) {
  const Prototype *p = &run->input.model.bodies.protos[0];
  double sum = 0;
  for (int k = 0; k < p->mesh->n_nodes; k++)
    sum += p->mass[k] * (pow(p->mesh->x[2 * k], 2) + pow(p->mesh->x[2 * k + 1], 2));
  return sum / p->total_mass / (b * b + h * h) * 4;
}

// Angular velocities just before and just after the first impact.
static double first_ratio(const CaseRun *run, double tilt, double *time) {
  for (int64_t k = 1; k + 10 < run->n_rows; k++)
    if (run_case_at(run, k, "s_angle") + tilt <= 1e-6) {
      *time = run_case_at(run, k, "time");
      return run_case_at(run, k + 10, "s_rate") / run_case_smallest(run, "s_rate");
    }
  cr_assert_fail("no impact");
  return 0;
}

Test(rocking, block_keeps_seven_tenths_of_its_spin) { // exactly 0.7 for a rigid block
  double time, b = 0.5, h = 1;
  CaseRun *run = rock(b, h, 6, 1e-4, 0.4);
  double ratio = first_ratio(run, 0.5 * atan(b / h), &time);
  cr_assert_float_eq(ratio, 0.7, 0.03 * 0.7, "ratio %g", ratio);
  cr_assert_float_eq(time, 0.36531268, 0.01 * 0.3653, "quarter period %g", time);
  run_case_close(run);
}

Test(rocking, slender_block_keeps_what_its_shape_says) {
  static const double shapes[][2] = {{0.4, 1.2}, {0.3, 1.2}};
  for (int k = 0; k < 2; k++) {
    double time, b = shapes[k][0], h = shapes[k][1], alpha = atan(b / h);
    CaseRun *run = rock(b, h, 4, 1e-4, 0.6);
    double ratio = first_ratio(run, 0.5 * alpha, &time);
    double expected = 1 - 2 * pow(sin(alpha), 2) / inertia_ratio(run, b, h);
    cr_assert_float_eq(ratio, expected, 0.03 * expected, "%g x %g: %g, expected %g", b, h, ratio,
                       expected);
    run_case_close(run);
  }
}

// Peaks after impacts 1, 2, 3: 0.206301, 0.095534, 0.045695 of the critical angle for a uniform
// rigid block. One cell wide (no node between the corners) the lumped block has more inertia; the
// same energy argument gives its own peaks.
Test(rocking, peaks_after_impacts_follow_the_ratio) {
  double b = 0.5, h = 1, alpha = atan(b / h);
  CaseRun *run = rock(b, h, 1, 1e-4, 1.45);
  double ratio = 1 - 2 * pow(sin(alpha), 2) / inertia_ratio(run, b, h);
  double energy = cos(0.5 * alpha) - cos(alpha), peak[3] = {0};
  int n = 0;
  for (int64_t k = 2; k < run->n_rows && n < 3; k++) {
    double before = run_case_at(run, k - 1, "s_rate"), now = run_case_at(run, k, "s_rate");
    double angle = fabs(run_case_at(run, k, "s_angle") + 0.5 * alpha) / alpha;
    if (before * now < 0 && angle > 0.01) peak[n++] = angle;
  }
  cr_assert_eq(n, 3, "%d peaks", n);
  for (int k = 0; k < 3; k++) {
    energy *= ratio * ratio;
    double expected = (alpha - acos(cos(alpha) + energy)) / alpha;
    cr_assert_float_eq(peak[k], expected, 0.02 * expected, "peak %d: %g, expected %g", k + 1,
                       peak[k], expected);
  }
  run_case_close(run);
}

Test(rocking, reference_is_that_of_the_published_peaks) {
  double alpha = atan(0.5), energy = cos(0.5 * alpha) - cos(alpha);
  static const double published[] = {0.206301, 0.095534, 0.045695};
  for (int k = 0; k < 3; k++) {
    energy *= 0.49;
    cr_assert_float_eq((alpha - acos(cos(alpha) + energy)) / alpha, published[k], 1e-5);
  }
}
