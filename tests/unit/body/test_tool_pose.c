#include <criterion/criterion.h>

#include <math.h>

#include "../../support/run_case.h"
#include "body/tool_pose.h"

// A place of a tool that turns about a slanted axis, by its nodes: where it is, how fast, and back.
Test(tool_pose, places_of_a_tool_follow_its_nodes) {
  for (int dim = 2; dim <= 3; dim++) {
    CaseRun *run = run_case_open_text(
        xml_format("<voussoir><model space=\"%s\"/><material name=\"m\" density=\"1\" young=\"1\""
                   " poisson=\"0\"/><law name=\"l\" friction=\"0\"/>%s"
                   "<tool name=\"t\" shape=\"sphere\" radius=\"0.1\" turn=\"2*t\" about_x=\"0.5\""
                   " about_y=\"-2\" move_x=\"t\" %s/>"
                   "<contact candidate=\"b\" antagonist=\"t\" law=\"l\"/>"
                   "<time end=\"1\" step=\"0.5\" theta=\"1\"/></voussoir>",
                   dim == 2 ? "plane" : "solid",
                   dim == 2
                       ? "<block name=\"b\" material=\"m\" x=\"9\" width=\"1\" height=\"1\"/>"
                       : "<box name=\"b\" material=\"m\" x=\"9\" size=\"1 1 1\" cells=\"1 1 1\"/>",
                   dim == 2 ? "" : "axis=\"0 0 3\""),
        NULL);
    const BodySet *bs = &run->input.model.bodies;
    run_case_step(run, 0);
    const int tool = 1;
    const double p[3] = {1.5, -2, 0}; // 1 along x from the point; it turns by 1 rad and goes 0.5
    const ToolPose pose = tool_pose_at(bs, tool, run->state.bodies.q, NULL, 0);
    const Site site = tool_site(bs, tool, p, 1);
    double x[3] = {0}, seen[3], way[3];
    for (int k = 0; k < site.n; k++)
      for (int i = 0; i < dim; i++) {
        const size_t at = (size_t)(dim * site.node[k] + i);
        x[i] += site.weight[k] * (bs->x[at] + run->state.bodies.q[at]);
      }
    cr_expect_float_eq(x[0], 1 + cos(1), 1e-12);
    cr_expect_float_eq(x[1], sin(1) - 2, 1e-12);
    tool_pose_into(&pose, dim, x, seen);
    for (int i = 0; i < 3; i++) cr_expect_float_eq(seen[i], p[i], 1e-12);
    tool_pose_out(&pose, dim, (const double[]){1, 0, 0}, way);
    cr_expect_float_eq(way[0], cos(1), 1e-12);
    cr_expect_float_eq(way[1], sin(1), 1e-12);
    run_case_close(run);
  }
}
