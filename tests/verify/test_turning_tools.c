// Tools that turn: a table, a cam and a drum, against closed forms and the support that turns.

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "../support/run_case.h"

#define HEAD                                                                                       \
  "<voussoir><model space=\"solid\"/><material name=\"m\" density=\"1000\" young=\"1e8\""          \
  " poisson=\"0.2\"/><law name=\"l\" friction=\"%g\"/>"
#define PROBES                                                                                     \
  "<probe name=\"b\" quantity=\"displacement\" of=\"b\"/>"                                         \
  "<probe name=\"v\" quantity=\"velocity\" of=\"b\"/>"                                             \
  "<probe name=\"f\" quantity=\"reaction\" of=\"t\"/></voussoir>"

static const char
    *const PLANE = "<tool name=\"t\" shape=\"plane\" axis_y=\"0\" axis_z=\"1\" turn=\"2*t\"/>",
           *const TABLE = "<support name=\"t\" shape=\"plane\" turn=\"2*t\" axis=\"0 0 1\"/>";

// A low box 0.5 m from the middle of a table that turns by 2 rad/s; it starts with it.
static CaseRun *on_table(const char *table, const char *kinematics, double friction, double end) {
  return run_case_text(
      xml_format(HEAD "<box name=\"b\" material=\"m\" kinematics=\"%s\" x=\"0.45\" y=\"-0.05\""
                      " size=\"0.1 0.1 0.02\" cells=\"1 1 1\"/>%s"
                      "<contact candidate=\"b\" antagonist=\"t\" law=\"l\"/>"
                      "<gravity y=\"0\" z=\"-10\"/><velocity of=\"b\" y=\"1\" spin=\"0 0 2\"/>"
                      "<time end=\"%g\" step=\"1e-3\"/><solver tolerance=\"1e-9\"/>"
                      "<output every=\"0\"/>" PROBES,
                 friction, kinematics, table, end),
      NULL);
}

// 2 m/s^2 towards the middle are a fifth of its weight.
Test(turning_tools, table_takes_along_what_friction_holds) {
  static const char *const kinematics[] = {"rigid", "corotational"};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = on_table(PLANE, kinematics[k], 0.3, 0.785);
    const double angle = 2 * run_case_last(run, "time");
    cr_expect_float_eq(run_case_last(run, "b_x"), 0.5 * cos(angle) - 0.5, 1e-3, "%g",
                       run_case_last(run, "b_x"));
    cr_expect_float_eq(run_case_last(run, "b_y"), 0.5 * sin(angle), 1e-3);
    cr_expect_float_eq(hypot(run_case_last(run, "f_x"), run_case_last(run, "f_y")), 0.4, 0.01);
    cr_expect_float_eq(fabs(run_case_last(run, "f_z")), 2, 0.05, "%g", run_case_last(run, "f_z"));
    run_case_close(run);
  }
}

// Beyond it slides out, on the tool as on the support.
Test(turning_tools, box_slides_on_a_table_as_on_a_support_that_turns) {
  CaseRun *tool = on_table(PLANE, "rigid", 0.1, 0.5), *support = on_table(TABLE, "rigid", 0.1, 0.5);
  static const char *const names[] = {"b_x", "b_y", "v_x", "v_y", "f_x", "f_y"};
  cr_expect_gt(hypot(0.5 + run_case_last(tool, "b_x"), run_case_last(tool, "b_y")), 0.55);
  for (int k = 0; k < 6; k++) {
    double a = run_case_last(tool, names[k]), b = run_case_last(support, names[k]);
    cr_expect_float_eq(a, b, 1e-4, "%s: %g and %g", names[k], a, b);
  }
  run_case_close(tool);
  run_case_close(support);
}

// An eccentric ball of radius 0.5, 0.1 off the axis y, under a corner that goes up and down alone:
// it is at 0.1 sin a + sqrt(0.25 - 0.01 cos^2 a). So does a cylinder along the axis, which is the
// same in the plane of the corner.
Test(turning_tools, cam_lifts_what_rides_on_it) {
  static const char *const shapes[] = {
      "shape=\"sphere\" at_x=\"0.1\" radius=\"0.5\"",
      "shape=\"cylinder\" at_x=\"0.1\" radius=\"0.5\" axis_x=\"0\" axis_y=\"1\" axis_z=\"0\""};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case_text(
        xml_format(HEAD "<polyhedron name=\"b\" material=\"m\" kinematics=\"small\" z=\"%.15g\""
                        " corners=\"0 0 0 0.1 0 0.2 -0.1 0.1 0.2 -0.1 -0.1 0.2\"/>"
                        "<prescribe on=\"b.all\" x=\"0\" y=\"0\"/>"
                        "<tool name=\"t\" %s turn=\"-3*t\" axis=\"0 1 0\"/>"
                        "<contact candidate=\"b\" antagonist=\"t\" law=\"l\"/>"
                        "<gravity y=\"0\" z=\"-10\"/><velocity of=\"b\" z=\"0.3\"/>"
                        "<time end=\"1\" step=\"1e-3\" theta=\"1\"/>"
                        "<output every=\"0\"/>" PROBES,
                   0.0, sqrt(0.25 - 0.01), shapes[k]),
        NULL);
    double worst = 0;
    for (int64_t row = 0; row < run->n_rows; row++) {
      const double a = 3 * run_case_at(run, row, "time"), c = 0.1 * cos(a);
      const double rise = 0.1 * sin(a) + sqrt(0.25 - c * c) - sqrt(0.24);
      worst = fmax(worst, fabs(run_case_at(run, row, "b_z") - rise));
    }
    cr_expect_lt(worst, 2e-5, "%d: %g", k, worst);
    run_case_close(run);
  }
}

// In a hollow drum that turns slowly a small box is carried to where it slides back: to tan a =
// friction, its corners 0.02 R apart. It begins 0.0065 rad below, and then swings about it by the
// drum's speed over that of a pendulum, 0.003 rad.
Test(turning_tools, drum_carries_a_box_to_the_angle_of_friction) {
  const double start = atan(0.3) - 0.0065;
  CaseRun *run = run_case_text(
      xml_format(HEAD "<box name=\"b\" material=\"m\" kinematics=\"rigid\" x=\"-0.01\" y=\"-0.01\""
                      " z=\"-0.99995\" size=\"0.02 0.02 0.002\" cells=\"1 1 1\"/>"
                      "<tool name=\"t\" shape=\"cylinder\" radius=\"1\" inside=\"yes\" axis_x=\"0\""
                      " axis_y=\"1\" axis_z=\"0\" turn=\"-0.01*t\" axis=\"0 1 0\"/>"
                      "<contact candidate=\"b\" antagonist=\"t\" law=\"l\"/>"
                      "<gravity x=\"%.15g\" y=\"0\" z=\"%.15g\"/>"
                      "<time end=\"2\" step=\"2e-3\" theta=\"1\"/><output every=\"0\"/>" PROBES,
                 0.3, -10 * sin(start), -10 * cos(start)),
      NULL);
  const double x = run_case_last(run, "b_x"), z = run_case_last(run, "b_z") - 0.99895;
  const double angle = start + atan2(x, -z);
  cr_expect_float_eq(angle, atan(0.3), 4e-3, "%g, not %g", angle, atan(0.3));
  run_case_close(run);
}
