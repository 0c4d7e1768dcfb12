// One attribute on the same input: rigid, small, corotational, finite, each and mixed.

#include <criterion/criterion.h>
#include <math.h>

#include "../support/run_case.h"

// A column of four blocks 0.4 x 0.3 x 0.2 on the ground, a weight of 480 N each, until all but
// rest.
static void stack(const char *const kinematics[4]) {
  static const char NAMES[] = "abcd";
  const char *blocks = "";
  for (int k = 0; k < 4; k++)
    blocks = xml_format("%s<box name=\"%c\" material=\"m\" kinematics=\"%s\" z=\"%g\""
                        " size=\"0.4 0.3 0.2\" cells=\"2 2 1\"/>",
                        blocks, NAMES[k], kinematics[k], 0.2 * k);
  CaseRun *run = run_case_text(
      xml_format("<voussoir><model space=\"solid\"/><material name=\"m\" density=\"2000\""
                 " young=\"1e8\" poisson=\"0.2\"/><law name=\"l\" friction=\"0.5\"/>%s"
                 "<support name=\"g\" shape=\"plane\"/>"
                 "<contact candidate=\"all\" antagonist=\"all g\" law=\"l\"/>"
                 "<gravity y=\"0\" z=\"-10\"/><time end=\"0.2\" step=\"1e-3\" theta=\"1\"/>"
                 "<solver tolerance=\"1e-6\"/><output every=\"0\"/>"
                 "<probe name=\"foot\" quantity=\"reaction\" of=\"g\"/>"
                 "<probe name=\"head\" quantity=\"reaction\" of=\"d\"/>"
                 "<probe name=\"u\" quantity=\"displacement\" of=\"d\"/></voussoir>",
                 blocks),
      NULL);
  const double foot = fabs(run_case_last(run, "foot_z")), head = fabs(run_case_last(run, "head_z"));
  cr_expect_float_eq(foot, 1920, 1, "%s first: %g", kinematics[0], foot);
  cr_expect_float_eq(head, 480, 1, "%s last: %g", kinematics[3], head);
  cr_expect_lt(run_case_last(run, "penetration_nodes"), 1e-8);
  // Four such blocks of elastic stone settle by 8e-5, none of them rigid by more.
  cr_expect_lt(fabs(run_case_last(run, "u_z")), 1e-4);
  cr_expect_lt(hypot(run_case_last(run, "u_x"), run_case_last(run, "u_y")), 1e-6);
  run_case_close(run);
}

Test(kinematics, of_a_column_are_chosen_block_by_block) {
  static const char *const all[] = {"rigid", "small", "corotational", "finite"};
  for (int k = 0; k < 4; k++) {
    const char *const alike[4] = {all[k], all[k], all[k], all[k]};
    const char *const turned[4] = {all[k], all[(k + 1) % 4], all[(k + 2) % 4], all[(k + 3) % 4]};
    const char *const by_turns[4] = {all[0], all[k], all[0], all[k]};
    stack(alike);
    stack(turned);
    stack(by_turns);
  }
}

// Faces at finite strains have the same points: met by nodes, some of which count only once they
// are in, the wall sinks by a percent more, and by a third where it is by much.
Test(kinematics, of_the_wall_in_space_sink_alike) {
  double sinks[2];
  for (int k = 0; k < 2; k++) {
    CaseRun *run = run_case("inputs/wall_3d.xml",
                            xml_format("kinematics=%s cells=1 theta=1 end=0.025 output_every=0",
                                       k ? "finite" : "small"));
    sinks[k] = run_case_smallest(run, "top_y");
    cr_expect_lt(run_case_largest(run, "penetration_nodes"), 1e-7);
    run_case_close(run);
  }
  cr_expect_float_eq(sinks[1], sinks[0], 5e-3 * fabs(sinks[0]), "finite %g, small %g", sinks[1],
                     sinks[0]);
}

// A brick on another one, beyond it by a third of its length, and aside: its end comes down by what
// both bend, at finite strains too, where it stood on its middle nodes, the other end in the air.
static double end_of_brick(const char *kinematics, double aside, double *far) {
  CaseRun *run = run_case_text(
      xml_format("<voussoir><model space=\"solid\"/><material name=\"m\" density=\"2000\""
                 " young=\"1e10\" poisson=\"0.2\"/><law name=\"l\" friction=\"0.6\"/>"
                 "<box name=\"a\" material=\"m\" kinematics=\"%s\" size=\"0.4 0.2 0.2\""
                 " cells=\"2 1 1\"/><box name=\"b\" material=\"m\" kinematics=\"%s\" x=\"0.13\""
                 " y=\"%g\" z=\"0.2\" size=\"0.4 0.2 0.2\" cells=\"2 1 1\"/>"
                 "<support name=\"g\" shape=\"plane\"/>"
                 "<contact candidate=\"all\" antagonist=\"all g\" law=\"l\"/>"
                 "<gravity y=\"0\" z=\"-9.81*min(1,t/0.1)\"/><time end=\"0.2\" step=\"2e-3\""
                 " theta=\"1\"/><output every=\"0\"/><verdicts energy=\"1e9\"/>"
                 "<probe name=\"own\" quantity=\"displacement\" of=\"b.x0\"/>"
                 "<probe name=\"far\" quantity=\"displacement\" of=\"b.x1\"/></voussoir>",
                 kinematics, kinematics, aside),
      NULL);
  const double down = run_case_last(run, "own_z");
  *far = run_case_last(run, "far_z");
  run_case_close(run);
  return down;
}

Test(kinematics, of_bricks_that_lie_askew_in_space_bend_alike) {
  for (int k = 0; k < 2; k++) {
    double far[2];
    const double small = end_of_brick("small", 0.07 * k, &far[0]),
                 finite = end_of_brick("finite", 0.07 * k, &far[1]);
    cr_expect_float_eq(finite, small, 0.01 * fabs(small), "%g for %g", finite, small);
    cr_expect_float_eq(far[1], far[0], 0.01 * fabs(far[0]), "%g for %g", far[1], far[0]);
  }
}

// Jean's wall by all four: it carries its weight, and elastic ones first after 6.6 to 7.1 ms.
Test(kinematics, of_the_wall_in_space_are_all_sane) {
  static const char *const all[] = {"small", "corotational", "finite", "rigid"};
  const double weight = 44.145;
  for (int k = 0; k < 4; k++) {
    CaseRun *run = run_case("inputs/wall_3d.xml",
                            xml_format("kinematics=%s cells=%d end=0.03", all[k], k == 2 ? 1 : 2));
    double first = 0, mean = 0;
    for (int64_t row = 0; row < run->n_rows; row++) {
      const double own = fabs(run_case_at(run, row, "base_reaction_y"));
      if (first == 0 && own >= weight) first = run_case_at(run, row, "time");
      mean += own / (double)run->n_rows;
    }
    if (k < 3)
      cr_expect(first >= 6e-3 && first <= 8e-3, "%s: %g", all[k], first);
    else
      cr_expect_float_eq(mean, weight, 0.01 * weight, "%s: %g", all[k], mean);
    cr_expect_lt(run_case_last(run, "penetration"), 1e-5, "%s", all[k]);
    run_case_close(run);
  }
}
