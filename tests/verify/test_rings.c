// Rings of small strains: closed forms of thick cylinders and disks, and what contact and joints
// carry there.

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "../support/run_case.h"

#define STEEL "<material name=\"m\" density=\"7800\" young=\"210e9\" poisson=\"0.3\"/>"

static const double PI = 3.14159265358979323846;

// Inner displacement of a cylinder of radii 1 and 2 held along its axis, n elements thick, under 1
// bar inside; over Lame's. Placed by x, by the corners of the block or by a quarter turn of it.
static double lame_ratio(int n, const char *block) {
  CaseRun *run = run_case_text(
      xml_format(
          "<voussoir><model space=\"axisymmetric\"/>" STEEL
          "<block name=\"b\" material=\"m\" %s cells_x=\"%d\" cells_y=\"%d\" pattern=\"q4\"/>"
          "<prescribe on=\"b\" y=\"0\"/><pressure on=\"b.%s\" value=\"1e5\"/>"
          "<time end=\"1\" step=\"0.1\" theta=\"1\"/>"
          "<probe name=\"u\" quantity=\"displacement\" of=\"b.%s\"/></voussoir>",
          block, block[0] == 'a' ? 2 : n, block[0] == 'a' ? n : 2, block[0] == 'a' ? "top" : "left",
          block[0] == 'a' ? "top" : "left"),
      NULL);
  double nu = 0.3, p = 1e5, a = 1, b = 2;
  double exact = (1 + nu) / 210e9 * p * a * a / (b * b - a * a) * ((1 - 2 * nu) * a + b * b / a);
  double u = run_case_last(run, "u_x");
  cr_assert_leq(run->state.worst[WORST_BALANCE], 1e-10);
  run_case_close(run);
  return u / exact;
}

// First order in the square of the element: a quarter of the error with half its size.
Test(rings, under_inner_pressure_open_as_lame_says) {
  double coarse = 1 - lame_ratio(8, "x=\"1\" width=\"1\" height=\"1\"");
  double fine = 1 - lame_ratio(16, "x=\"1\" width=\"1\" height=\"1\"");
  cr_assert(fabs(coarse) < 5e-3 && fabs(coarse / fine - 4) < 0.2, "errors %g, %g", coarse, fine);
  double corners = 1 - lame_ratio(8, "corners=\"1 0 2 0 2 1 1 1\"");
  double turned = 1 - lame_ratio(8, "angle=\"pi/2\" x=\"2\" width=\"1\" height=\"1\"");
  cr_assert_float_eq(corners, coarse, 1e-9);
  cr_assert_float_eq(turned, coarse, 1e-9, "%g %g", turned, coarse);
}

// A free ring under 1 bar inside breathes about Lame's state, once in its period: the mass stands
// at its radius too. A thin one: omega = sqrt(E / rho) / r.
Test(rings, breathe_with_the_frequency_of_a_thin_ring) {
  CaseRun *run =
      run_case_text("<voussoir><model space=\"axisymmetric\"/>" STEEL
                    "<block name=\"b\" material=\"m\" x=\"0.995\" width=\"0.01\" height=\"0.01\""
                    " cells_x=\"1\" cells_y=\"1\" pattern=\"q4\"/>"
                    "<velocity of=\"b\" x=\"1\"/><time end=\"1.4e-3\" step=\"1e-6\"/>"
                    "<probe name=\"u\" quantity=\"displacement\" of=\"b\"/></voussoir>",
                    NULL);
  // the second passage of zero is a whole period; 1e-3: thickness over radius, its square, and the
  // lumped mass
  double period = run_case_crossing(run, "u_x", 0, 2), omega = sqrt(210e9 / 7800);
  cr_assert_float_eq(period * omega / (2 * PI), 1, 1e-3, "%g", period * omega / (2 * PI));
  cr_assert_float_eq(run_case_largest(run, "u_x") * omega, 1, 2e-3);
  cr_assert_leq(run->state.worst[WORST_BALANCE], 1e-10);
  run_case_close(run);
}

// Rayleigh's damping of that motion: it falls by exp(-2 pi zeta) in a period, zeta = (a / omega + b
// omega) / 2.
Test(rings, breathe_out_by_their_damping) {
  double omega = sqrt(210e9 / 7800), zeta = 0.02;
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><model space=\"axisymmetric\"/>"
                   "<material name=\"m\" density=\"7800\" young=\"210e9\" poisson=\"0.3\""
                   " damping_%s=\"%.17g\"/>"
                   "<block name=\"b\" material=\"m\" x=\"0.995\" width=\"0.01\" height=\"0.01\""
                   " cells_x=\"1\" cells_y=\"1\" pattern=\"q4\"/>"
                   "<velocity of=\"b\" x=\"1\"/><time end=\"%.17g\" step=\"1e-6\"/>"
                   "<probe name=\"e\" quantity=\"energy\"/></voussoir>",
                   k ? "stiffness" : "mass", k ? 2 * zeta / omega : 2 * zeta * omega,
                   4 * PI / omega / sqrt(1 - zeta * zeta)),
        NULL);
    double kept = run_case_last(run, "e_kinetic") / run->state.energy[ENERGY_INITIAL];
    // two periods, energy: the square
    cr_assert_float_eq(kept, exp(-8 * PI * zeta), 1e-2 * kept, "%g, expected %g", kept,
                       exp(-8 * PI * zeta));
    cr_assert_leq(run->state.worst[WORST_BALANCE], 1e-10);
    run_case_close(run);
  }
}

// A disk under uniform pressure on a smooth plane: u_r = nu p r / E, u_z = -p z / E, linear, so
// exact on any mesh if shares of pressure and of contact are those of rings; a joint below it sinks
// evenly by p / k.
static void press_disk(const char *law, double sinks, const char *kinematics) {
  const double p = 1e6, young = 210e9;
  CaseRun *run = run_case_text(
      xml_format("<voussoir><model space=\"axisymmetric\"/>" STEEL
                 "<law name=\"l\" %s/><block name=\"b\" material=\"m\" width=\"1\" height=\"0.5\""
                 " kinematics=\"%s\" cells_x=\"5\" cells_y=\"2\" pattern=\"q4\"/>"
                 "<support name=\"base\" shape=\"plane\"/>"
                 "<contact candidate=\"b\" antagonist=\"base\" law=\"l\" points=\"nodes\"/>"
                 "<pressure on=\"b.top\" value=\"1e6\"/>%s"
                 "<newton tolerance=\"1e-11\"/>"
                 "<probe name=\"base\" quantity=\"reaction\" of=\"base\"/></voussoir>",
                 law, kinematics, run_case_static_time(1, 5000)),
      NULL);
  const BodySet *bs = &run->input.model.bodies;
  // finite strains differ by their square
  double close = strcmp(kinematics, "small") == 0 ? 1e-9 : 1e-5;
  for (int k = 0; k < bs->node_ptr[1]; k++) {
    const double *x = bs->x + 2 * k, *q = run->state.bodies.q + 2 * k;
    cr_assert_float_eq(q[0], 0.3 * p * x[0] / young, close * p / young, "%s %s node %d: %g",
                       kinematics, law, k, q[0]);
    cr_assert_float_eq(q[1], -p * x[1] / young - sinks, close * (p / young + sinks), "node %d: %g",
                       k, q[1]);
  }
  cr_assert_float_eq(run_case_last(run, "base_y"), p * PI, 1e-9 * p * PI);
  run_case_close(run);
}

// The same of two disks of other meshes on one another.
Test(rings, of_other_meshes_on_one_another_are_stressed_evenly) {
  static const int cells[][2] = {{5, 7}, {7, 5}, {3, 8}, {8, 3}};
  const double p = 1e6, young = 210e9;
  for (int k = 0; k < 8; k++) {
    CaseRun *run = run_case_text(
        xml_format("<voussoir><model space=\"axisymmetric\"/>" STEEL
                   "<law name=\"l\" friction=\"0\"/>"
                   "<block name=\"a\" material=\"m\" width=\"1\" height=\"0.5\" cells_x=\"%d\""
                   " cells_y=\"2\" pattern=\"q4\"/><block name=\"b\" material=\"m\" y=\"0.5\""
                   " width=\"1\" height=\"0.5\" cells_x=\"%d\" cells_y=\"2\" pattern=\"q4\"/>"
                   "<support name=\"base\" shape=\"plane\"/>"
                   "<contact candidate=\"a\" antagonist=\"base\" law=\"l\"/>"
                   "<contact candidate=\"%s\" antagonist=\"%s\" law=\"l\"/>"
                   "<pressure on=\"b.top\" value=\"1e6\"/>%s</voussoir>",
                   cells[k / 2][0], cells[k / 2][1], k % 2 ? "a" : "b", k % 2 ? "b" : "a",
                   run_case_static_time(1, 5000)),
        NULL);
    const BodySet *bs = &run->input.model.bodies;
    for (int node = 0; node < bs->node_ptr[2]; node++) {
      const double *x = bs->x + 2 * node, *q = run->state.bodies.q + 2 * node;
      cr_expect_float_eq(q[0], 0.3 * p * x[0] / young, 1e-7 * p / young, "%d on %d, node %d: %g",
                         cells[k / 2][1], cells[k / 2][0], node, q[0] * young / p);
      cr_expect_float_eq(q[1], -p * x[1] / young, 1e-7 * p / young, "%d on %d, node %d: %g",
                         cells[k / 2][1], cells[k / 2][0], node, q[1] * young / p);
    }
    run_case_close(run);
  }
}

Test(rings, pressed_on_a_plane_are_stressed_evenly) {
  const char *const kinematics[] = {"small", "finite"};
  for (int k = 0; k < 2; k++) {
    press_disk("friction=\"0\"", 0, kinematics[k]);
    press_disk("type=\"elastic_joint\" friction=\"0\" normal_stiffness=\"1e11\""
               " tangent_stiffness=\"1e11\"",
               1e-5, kinematics[k]);
  }
}
