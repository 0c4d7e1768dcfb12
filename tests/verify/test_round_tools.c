// Faces and edges of bodies on tools that bulge between their nodes: balls, rolls, rings.

#include <criterion/criterion.h>
#include <math.h>

#include "../support/run_case.h"

static const double GRAVITY = 9.81, PI = 3.14159265358979323846;

#define HEAD                                                                                       \
  "<voussoir><model space=\"solid\"/><material name=\"m\" density=\"1000\" young=\"1e9\""          \
  " poisson=\"0.2\"/><law name=\"l\" friction=\"0.8\"/><gravity y=\"0\" z=\"-9.81\"/>"             \
  "<solver tolerance=\"1e-12\"/><output every=\"0\"/>"                                             \
  "<contact candidate=\"b\" antagonist=\"%s\" law=\"l\"/>"
#define PROBES                                                                                     \
  "<probe name=\"b\" quantity=\"displacement\" of=\"b\"/>"                                         \
  "<probe name=\"v\" quantity=\"velocity\" of=\"b\"/>"                                             \
  "<probe name=\"f\" quantity=\"reaction\" of=\"t\"/></voussoir>"
#define BALL "<tool name=\"t\" shape=\"sphere\" at_z=\"-0.5\" radius=\"0.5\"/>"

// A plate of 1 x 1 x 0.1 m, 981 N, whose lower face is z = 0 and whose first corner is at x.
static CaseRun *plate(const char *kinematics, const char *cells, double x, const char *tools,
                      const char *others, const char *time) {
  return run_case_text(
      xml_format(HEAD "<box name=\"b\" material=\"m\" kinematics=\"%s\" x=\"%g\" y=\"-0.5\""
                      " size=\"1 1 0.1\" cells=\"%s\"/>%s<time %s/>" PROBES,
                 others, kinematics, x, cells, tools, time),
      NULL);
}

// It balances, for the ball's radius is more than half of its thickness.
Test(round_tools, a_plate_rests_on_a_ball_that_none_of_its_nodes_meets) {
  static const char *const kinematics[] = {"rigid", "small", "corotational"};
  for (int k = 0; k < 3; k++) {
    CaseRun *run =
        plate(kinematics[k], "1 1 1", -0.5, BALL, "t", "end=\"0.3\" step=\"1e-3\" theta=\"1\"");
    cr_expect_float_eq(run_case_last(run, "f_z"), 98.1 * 10, 1e-3, "%s: %.9g", kinematics[k],
                       run_case_last(run, "f_z"));
    cr_expect_lt(run_case_largest(run, "penetration"), 1e-9);
    cr_expect_lt(fabs(run_case_last(run, "b_z")), 1e-6);
    cr_expect_eq((int)run_case_last(run, "contacts"), 1);
    run_case_close(run);
  }
}

// Meshes whose cells meet over the top of the ball, or in a seam of it: one face has the point.
Test(round_tools, one_face_holds_where_faces_of_a_plane_meet) {
  static const char *const cells[] = {"2 1 1", "2 3 1"};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = plate("rigid", cells[k], -0.5, BALL, "t", "end=\"0.1\" step=\"1e-3\"");
    cr_expect_float_eq(run_case_last(run, "f_z"), 981, 1e-6);
    cr_expect_lt(fabs(run_case_last(run, "b_z")), 1e-9);
    run_case_close(run);
  }
}

// Nodes that are near do not hold alone where the ball bulges far between them: by 6 mm here.
Test(round_tools, a_plate_of_coarse_cells_does_not_sink_between_its_nodes) {
  static const char *const kinematics[] = {"small", "corotational"};
  for (int k = 0; k < 2; k++) {
    CaseRun *run =
        plate(kinematics[k], "9 9 1", -0.5, BALL, "t", "end=\"0.2\" step=\"1e-3\" theta=\"1\"");
    cr_expect_float_eq(run_case_last(run, "f_z"), 981, 1, "%s: %.9g", kinematics[k],
                       run_case_last(run, "f_z"));
    cr_expect_lt(run_case_largest(run, "penetration"), 1e-6);
    cr_expect_lt(fabs(run_case_last(run, "b_z")), 1e-4);
    run_case_close(run);
  }
}

// d = 0.1 m off its middle it tips about the ball, rolling by its angle a: to first order
// a'' = g (d - (R - t) a) / (I / m + d^2 + t^2), t half its thickness, and its middle falls by
// d a - (R - t) a^2 / 2.
Test(round_tools, a_plate_off_the_middle_of_a_ball_tips_as_a_pendulum) {
  const double d = 0.1, t = 0.05, arm = 0.5 - t, inertia = (1 + 4 * t * t) / 12 + d * d + t * t;
  CaseRun *run = plate("rigid", "1 1 1", d - 0.5, BALL, "t", "end=\"0.05\" step=\"1e-3\"");
  const double a = d / arm * (1 - cos(sqrt(GRAVITY * arm / inertia) * 0.05));
  const double fall = d * a - 0.5 * arm * a * a, z = -run_case_last(run, "b_z");
  cr_expect_float_eq(z, fall, 5e-3 * fall, "%g, not %g", z, fall);
  cr_expect_lt(run_case_largest(run, "penetration"), 1e-6);
  run_case_close(run);
}

// Rolls at -0.2 and 0.3: 0.6 and 0.4 of the weight, along two points each.
Test(round_tools, a_plate_on_two_rolls_shares_its_weight_by_levers) {
  CaseRun *run = plate("rigid", "1 1 1", -0.5,
                       "<tool name=\"t\" shape=\"cylinder\" at_x=\"-0.2\" at_z=\"-0.5\""
                       " radius=\"0.5\" axis_x=\"0\" axis_y=\"1\" axis_z=\"0\"/>"
                       "<tool name=\"u\" shape=\"cylinder\" at_x=\"0.3\" at_z=\"-0.1\""
                       " radius=\"0.1\" axis_x=\"0\" axis_y=\"1\" axis_z=\"0\"/>",
                       "t u", "end=\"0.1\" step=\"1e-3\"");
  cr_expect_float_eq(run_case_last(run, "f_z"), 0.6 * 981, 1e-6, "%.9g", run_case_last(run, "f_z"));
  cr_expect_eq((int)run_case_last(run, "contacts"), 4);
  cr_expect_lt(run_case_largest(run, "penetration"), 1e-9);
  run_case_close(run);
}

// A ring that lies under it is met in several points, so that it does not tip.
Test(round_tools, a_plate_lies_on_a_ring) {
  CaseRun *run = plate("rigid", "1 1 1", -0.4,
                       "<tool name=\"t\" shape=\"torus\" at_z=\"-0.1\" radius=\"0.3\" tube=\"0.1\""
                       " axis_y=\"0\" axis_z=\"1\"/>",
                       "t", "end=\"0.2\" step=\"1e-3\"");
  cr_expect_float_eq(run_case_last(run, "f_z"), 981, 1e-3);
  cr_expect_lt(fabs(run_case_last(run, "b_z")), 1e-9);
  cr_expect_lt(run_case_largest(run, "penetration"), 1e-9);
  run_case_close(run);
}

// Its crest goes through a corner of a plate of one cell, and is farther from the face's middle
// than from its corners in the mean: edges and the face are held where they cross it all the same.
Test(round_tools, a_plate_lies_on_a_ring_that_its_corner_touches) {
  const double c = 0.5 - 0.55 / sqrt(2);
  CaseRun *run = plate(
      "small", "1 1 1", -0.5,
      xml_format("<tool name=\"t\" shape=\"torus\" at_x=\"%.17g\" at_y=\"%.17g\" at_z=\"-0.1\""
                 " radius=\"0.55\" tube=\"0.1\" axis_y=\"0\" axis_z=\"1\"/>",
                 -c, -c),
      "t", "end=\"0.2\" step=\"1e-3\" theta=\"1\"");
  cr_expect_float_eq(run_case_last(run, "f_z"), 981, 1e-3);
  cr_expect_lt(fabs(run_case_last(run, "b_z")), 1e-6, "%g", run_case_last(run, "b_z"));
  cr_expect_lt(run_case_largest(run, "penetration"), 1e-9);
  run_case_close(run);
}

// A plank of length L and half thickness t that rocks on a roll of radius R > t without slip: the
// period of its small motion is 2 pi sqrt((L^2 / 12 + 4 t^2 / 3) / (g (R - t))), and it loses
// nothing. In space and in the plane.
Test(round_tools, a_plank_rocks_on_a_roll_with_its_period) {
  const double length = 1, t = 0.05, radius = 0.5;
  const double period =
      2 * PI * sqrt((length * length / 12 + 4 * t * t / 3) / (GRAVITY * (radius - t)));
  for (int dim = 2; dim <= 3; dim++) {
    CaseRun *run =
        dim == 3
            ? run_case_text(
                  xml_format(HEAD "<box name=\"b\" material=\"m\" kinematics=\"rigid\" x=\"-0.5\""
                                  " y=\"-0.1\" size=\"1 0.2 0.1\" cells=\"1 1 1\"/>"
                                  "<tool name=\"t\" shape=\"cylinder\" at_z=\"-0.5\" radius=\"0.5\""
                                  " axis_x=\"0\" axis_y=\"1\" axis_z=\"0\"/>"
                                  "<velocity of=\"b\" x=\"0.005\" spin=\"0 0.1 0\"/>"
                                  "<time end=\"2\" step=\"2e-3\"/>" PROBES,
                             "t"),
                  NULL)
            : run_case_text(
                  "<voussoir><model space=\"plane\"/><material name=\"m\" density=\"1000\""
                  " young=\"1e9\" poisson=\"0.2\"/><law name=\"l\" friction=\"0.8\"/>"
                  "<gravity y=\"-9.81\"/><solver tolerance=\"1e-12\"/><output every=\"0\"/>"
                  "<contact candidate=\"b\" antagonist=\"t\" law=\"l\"/>"
                  "<block name=\"b\" material=\"m\" kinematics=\"rigid\" x=\"-0.5\" width=\"1\""
                  " height=\"0.1\" cells_x=\"1\" cells_y=\"1\"/>"
                  "<tool name=\"t\" shape=\"cylinder\" at_y=\"-0.5\" radius=\"0.5\"/>"
                  "<velocity of=\"b\" x=\"0.005\" spin=\"-0.1\"/>"
                  "<time end=\"2\" step=\"2e-3\"/>" PROBES,
                  NULL);
    const double two = run_case_crossing(run, "v_x", 0, 5) - run_case_crossing(run, "v_x", 0, 1);
    cr_expect_float_eq(two / 2, period, 1e-3 * period, "%dD: %g, not %g", dim, two / 2, period);
    cr_expect_float_eq(-run_case_smallest(run, "v_x"), 0.005, 1e-5);
    cr_expect_lt(run_case_largest(run, "penetration"), 1e-7);
    run_case_close(run);
  }
}

// A wedge stands on a ball with its edge, which no node and no face meets: as it falls over, its
// reaction is still its weight.
Test(round_tools, an_edge_stands_on_a_ball) {
  CaseRun *run = run_case_text(
      xml_format(HEAD
                 "<polyhedron name=\"b\" material=\"m\" kinematics=\"rigid\" corners=\""
                 "-0.5 0 0 0.5 0 0 -0.5 -0.2 0.2 0.5 -0.2 0.2 -0.5 0.2 0.2 0.5 0.2 0.2\"/>" BALL
                 "<time end=\"0.05\" step=\"1e-3\"/>" PROBES,
                 "t"),
      NULL);
  cr_expect_eq((int)run_case_last(run, "contacts"), 1, "%g", run_case_last(run, "contacts"));
  cr_expect_float_eq(run_case_last(run, "f_z"), 0.04 * 9810, 1e-6);
  cr_expect_lt(fabs(run_case_last(run, "b_z")), 1e-9);
  cr_expect_lt(run_case_largest(run, "penetration"), 1e-9);
  run_case_close(run);
}

// It comes down on the ball and stays, also on one that turns under it.
Test(round_tools, a_plate_that_falls_on_a_ball_is_caught) {
  CaseRun *run = plate("rigid", "1 1 1", -0.5,
                       "<tool name=\"t\" shape=\"sphere\" at_z=\"-0.55\" radius=\"0.5\""
                       " turn=\"t\" axis=\"0 0 1\"/>",
                       "t", "end=\"0.3\" step=\"1e-3\"");
  cr_expect_float_eq(run_case_last(run, "b_z"), -0.05, 1e-6, "%g", run_case_last(run, "b_z"));
  cr_expect_float_eq(run_case_last(run, "f_z"), 981, 1e-3);
  run_case_close(run);
}

// Nodes of bodies at finite strains are held alone. What comes into a tool between them is told.
Test(round_tools, a_face_that_is_not_held_is_told) {
  CaseRun *run = plate("finite", "1 1 1", -0.5, BALL, "t", "end=\"0.01\" step=\"1e-3\"");
  cr_expect_float_eq(run_case_last(run, "penetration_nodes"), 0.5 * GRAVITY * 1e-4, 1e-5, "%g",
                     run_case_last(run, "penetration_nodes"));
  run_case_close(run);
}

// Cells of 0.11 m on a ball of 0.5 m: four nodes stand on it, and its top is 6.2 mm behind the
// plane of these. That is all the work there is. A ball of 3 m is followed by the cells.
Test(round_tools, a_tool_that_sinks_in_between_nodes_is_told) {
  static const double radius[] = {0.5, 3};
  for (int k = 0; k < 2; k++) {
    CaseRun *run = plate("finite", "9 9 1", -0.5,
                         xml_format("<tool name=\"t\" shape=\"sphere\" at_z=\"%g\" radius=\"%g\"/>",
                                    -radius[k], radius[k]),
                         "t", "end=\"0.1\" step=\"2e-3\" theta=\"1\"");
    const double half = sqrt(2) / 18, sunk = radius[k] - sqrt(radius[k] * radius[k] - half * half);
    const VerdictState *verdict = &run->state.verdict;
    cr_expect_eq(verdict->count[VERDICT_SUNK][VERDICT_COUNT], k == 0);
    if (k == 0) {
      cr_expect_float_eq(run->state.worst[WORST_SUNK_DEPTH], sunk, 0.05 * sunk, "%g, not %g",
                         run->state.worst[WORST_SUNK_DEPTH], sunk);
      const double share = verdict->value[VERDICT_SUNK][VERDICT_VALUE];
      cr_expect(share > 0.5 && share < 1.1, "%g", share);
    }
    run_case_close(run);
  }
}
