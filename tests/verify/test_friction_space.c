// Friction in two directions: thresholds on the ellipse and slip along its normal, against closed
// forms.

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "../support/run_case.h"

static const double MU = 0.3, MU_2 = 0.5, G = 10, PI = 3.14159265358979324;

// A low box on a plane, friction 0.3 along an axis at the angle `along` to x and 0.5 across, pushed
// by gravity of `push` g at the angle `at`.
static CaseRun *pushed(const char *kinematics, const char *law, double along, double push,
                       double at, const char *velocity, double end) {
  return run_case_text(
      xml_format("<voussoir><model space=\"solid\"/><material name=\"m\" density=\"1000\""
                 " young=\"1e8\" poisson=\"0\"/>"
                 "<box name=\"b\" material=\"m\" kinematics=\"%s\" size=\"0.5 0.4 0.02\""
                 " cells=\"1 1 1\"/><support name=\"g\" shape=\"plane\"/>"
                 "<law name=\"l\" type=\"%s\" friction=\"%g\" friction_2=\"%g\""
                 " direction=\"%.15g %.15g 0.3\"/><contact candidate=\"b\" antagonist=\"g\""
                 " law=\"l\"/><gravity x=\"%.15g\" y=\"%.15g\" z=\"%g\"/>"
                 "<velocity of=\"b\" %s/><solver tolerance=\"1e-10\"/>"
                 "<time end=\"%g\" step=\"1e-3\" theta=\"1\"/><output every=\"0\"/>"
                 "<probe name=\"u\" quantity=\"displacement\" of=\"b\"/>"
                 "<probe name=\"v\" quantity=\"velocity\" of=\"b\"/>"
                 "<probe name=\"f\" quantity=\"reaction\" of=\"g\"/></voussoir>",
                 kinematics, law, MU, MU_2, cos(along), sin(along), push * G * cos(at),
                 push * G * sin(at), -G, velocity, end),
      NULL);
}

// f in (f_1 / mu)^2 + (f_2 / mu_2)^2 <= N^2.
Test(friction_space, block_pushed_in_any_direction_slides_beyond_the_ellipse) {
  static const char *const laws[] = {"coulomb", "quasi_inelastic"};
  for (int k = 0; k < 7; k++) {
    const double along = 0.4, at = k * PI / 6, c = cos(at - along) / MU, s = sin(at - along) / MU_2;
    const double threshold = 1 / sqrt(c * c + s * s);
    for (int side = 0; side < 2; side++) {
      CaseRun *run = pushed("rigid", laws[k % 2], along, (side ? 1.002 : 0.998) * threshold, at,
                            "x=\"0\"", 0.05);
      double far = hypot(run_case_last(run, "u_x"), run_case_last(run, "u_y"));
      if (side)
        cr_expect_gt(far, 1e-6, "%d: %g", k, far);
      else
        cr_expect_lt(far, 1e-9, "%d: %g", k, far);
      run_case_close(run);
    }
  }
}

// What starts to slide under a push just beyond the threshold goes along the normal of the ellipse
// there, not along the push.
Test(friction_space, block_begins_to_slide_along_the_normal_of_the_ellipse) {
  static const char *const kinematics[] = {"rigid", "small", "corotational"};
  for (int k = 0; k < 3; k++) {
    const double at = (k + 1) * PI / 8, c = cos(at) / MU, s = sin(at) / MU_2;
    CaseRun *run =
        pushed(kinematics[k], "coulomb", 0, 1.0002 / sqrt(c * c + s * s), at, "x=\"0\"", 0.05);
    double slope = run_case_last(run, "v_y") / run_case_last(run, "v_x");
    double normal = tan(at) * MU * MU / (MU_2 * MU_2);
    cr_expect_float_eq(slope, normal, 0.01 * normal, "%s: %g, not %g", kinematics[k], slope,
                       normal);
    run_case_close(run);
  }
}

// Left to itself: dv_1 / (mu^2 v_1) = dv_2 / (mu_2^2 v_2), so that v_2 / v_20 is v_1 / v_10 to the
// power (mu_2 / mu)^2; and the first acceleration. First order in the step.
Test(friction_space, block_that_slides_loses_its_speeds_as_the_ellipse_says) {
  CaseRun *run = pushed("rigid", "coulomb", 0, 0, 0, "x=\"2\" y=\"1.5\"", 0.4);
  const double size = hypot(MU * 2, MU_2 * 1.5);
  cr_expect_float_eq((2 - run_case_at(run, 9, "v_x")) / 0.01, G * MU * MU * 2 / size, 0.02);
  cr_expect_float_eq((1.5 - run_case_at(run, 9, "v_y")) / 0.01, G * MU_2 * MU_2 * 1.5 / size, 0.02);
  for (int64_t k = 50; k < run->n_rows; k += 50) {
    double expected = 1.5 * pow(run_case_at(run, k, "v_x") / 2, MU_2 * MU_2 / (MU * MU));
    cr_expect_float_eq(run_case_at(run, k, "v_y"), expected, 2e-3, "%g, not %g",
                       run_case_at(run, k, "v_y"), expected);
    double f = hypot(run_case_at(run, k, "f_x") / MU, run_case_at(run, k, "f_y") / MU_2);
    cr_expect_float_eq(f, fabs(run_case_at(run, k, "f_z")), 1e-6 * f);
  }
  run_case_close(run);
}
