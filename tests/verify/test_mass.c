// Consistent mass: inertia of boxes that turn, frequencies of a single element, motion of a base.

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "../support/run_case.h"

// A free box of 0.3 x 0.2 x 0.1, 1000 kg/m^3, that spins; one cell. L = I w and w.L / 2 with the
// inertia of the box, m (b^2 + c^2) / 12 ..; lumped masses have three times it.
Test(mass, consistent_boxes_turn_with_their_own_inertia) {
  static const char *const kinematics[] = {"small", "corotational"};
  const double m = 6, size[3] = {0.3, 0.2, 0.1}, w[3] = {0.1, 0.2, 3};
  for (int k = 0; k < 4; k++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><model space=\"solid\"/><material name=\"m\" density=\"1000\""
                   " young=\"1e8\" poisson=\"0.2\"/><box name=\"b\" material=\"m\" %s"
                   " kinematics=\"%s\" x=\"1\" size=\"0.3 0.2 0.1\" cells=\"1 1 1\"/>"
                   "<velocity of=\"b\" spin=\"0.1 0.2 3\"/><time end=\"1e-6\" step=\"1e-6\"/>"
                   "<verdicts turn=\"1\"/>"
                   "<probe name=\"e\" quantity=\"energy\"/>"
                   "<probe name=\"l\" quantity=\"angular_momentum\" of=\"b\"/></voussoir>",
                   k % 2 ? "mass=\"consistent\"" : "", kinematics[k / 2]),
        NULL);
    double energy = 0;
    static const char *const names[] = {"l_x", "l_y", "l_z"};
    for (int i = 0; i < 3; i++) {
      double b = size[(i + 1) % 3], c = size[(i + 2) % 3];
      double inertia = (k % 2 ? 1 : 3) * m * (b * b + c * c) / 12;
      energy += 0.5 * inertia * w[i] * w[i];
      cr_expect_float_eq(run_case_last(run, names[i]), inertia * w[i], 1e-6 * m, "%d %s: %g", k,
                         names[i], run_case_last(run, names[i]));
    }
    cr_expect_float_eq(run_case_last(run, "e_kinetic"), energy, 1e-6 * energy, "%d: %g, not %g", k,
                       run_case_last(run, "e_kinetic"), energy);
    run_case_close(run);
  }
}

// The same box free for a while: what it has of energy and momentum stays.
Test(mass, consistent_box_that_spins_freely_keeps_its_energy) {
  CaseRun *run = run_case_text(
      "<voussoir><model space=\"solid\"/><material name=\"m\" density=\"1000\" young=\"1e8\""
      " poisson=\"0.2\"/><box name=\"b\" material=\"m\" mass=\"consistent\""
      " kinematics=\"corotational\" size=\"0.3 0.2 0.1\" cells=\"2 1 1\"/>"
      "<velocity of=\"b\" spin=\"0 0 3\"/><time end=\"2\" step=\"1e-3\"/><output every=\"0\"/>"
      "<probe name=\"e\" quantity=\"energy\"/>"
      "<probe name=\"l\" quantity=\"angular_momentum\" of=\"b\"/></voussoir>",
      NULL);
  const double first = run_case_at(run, 0, "e_kinetic") + run_case_at(run, 0, "e_elastic");
  const double last = run_case_last(run, "e_kinetic") + run_case_last(run, "e_elastic");
  cr_expect_float_eq(first, 0.5 * 6 * (0.09 + 0.04) / 12 * 9, 1e-5);
  cr_expect_float_eq(last, first, 1e-9 * first, "%.12g, not %.12g", last, first);
  cr_expect_float_eq(run_case_last(run, "l_z"), run_case_at(run, 0, "l_z"), 1e-9);
  run_case_close(run);
}

// One cell of length 1 whose foot is held or moves, without lateral strain: k = E, masses 1/3 and
// 1/6 of it, or 1/2 and 0. Under sudden gravity the head goes g / (2 E) (1 - cos w t), w^2 = 3 E
// (2 E lumped); where the foot goes with the acceleration 1 the length changes alike, which it does
// with a mass that couples both ends only where that of the foot pulls too.
Test(mass, single_elements_swing_with_the_frequency_of_their_mass) {
  for (int k = 0; k < 4; k++) {
    const int consistent = k % 2, moves = k / 2;
    CaseRun *run = run_case_text(
        xml_format("<voussoir><model space=\"solid\"/><material name=\"m\" density=\"1\""
                   " young=\"400\" poisson=\"0\"/><box name=\"b\" material=\"m\" mass=\"%s\""
                   " size=\"1 1 1\" cells=\"1 1 1\"/><prescribe on=\"b.x0\" x=\"%s\"/>"
                   "<gravity x=\"%s\" y=\"0\"/><time end=\"0.3\" step=\"1e-3\"/>"
                   "<output every=\"0\"/><probe name=\"foot\" quantity=\"displacement\""
                   " of=\"b.x0\"/><probe name=\"head\" quantity=\"displacement\""
                   " of=\"b.x1\"/></voussoir>",
                   consistent ? "consistent" : "lumped", moves ? "0.5*t^2" : "0",
                   moves ? "0" : "-1"),
        NULL);
    const double w = sqrt(consistent ? 1200 : 800);
    double worst = 0, largest = 1.0 / 400;
    for (int64_t row = 0; row < run->n_rows; row++) {
      double t = run_case_at(run, row, "time"),
             stretch = run_case_at(run, row, "head_x") - run_case_at(run, row, "foot_x");
      double exact = -0.5 * largest * (1 - cos(w * t));
      worst = fmax(worst, fabs(stretch - exact));
    }
    cr_expect_lt(worst, 2e-3 * largest, "%d: %g of %g", k, worst, largest);
    run_case_close(run);
  }
}
