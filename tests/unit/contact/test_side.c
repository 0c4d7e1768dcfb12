// The nearest points of faces and edges, by how deep they lie in tools at the start.
#include "tool_sample.h"

// How deep a cube of one cell over [0, 1]^dim lies in a tool that none of its nodes meets.
static double depth_in(int dim, const char *shape, const ShapeParam *params) {
  ToolSample s;
  tool_sample_init(&s, dim, 0, (int[]){1, 1, 1}, (double[]){1, 1, 1});
  tool_sample_add(&s, shape_sample(shape, dim, NULL, 0, params), 1, 0);
  tool_sample_start(&s, 0.3, 1e-3, 1);
  const double depth = contact_depth_in_tool(&s.cm, &s.bs, 0, &s.tool[0]);
  tool_sample_free(&s);
  return depth;
}

Test(side, the_nearest_point_of_a_face_is_found_on_every_round_tool) {
  const ShapeParam ball[] = {{"at_x", 0.4},
                             {"at_y", 0.7},
                             {"at_z", -0.4},
                             {"radius", 0.45},
                             {NULL, 0}},
                   roll[] = {{"at_x", 0.3},   {"at_y", 0.3},   {"at_z", -0.15}, {"radius", 0.2},
                             {"axis_x", 0.6}, {"axis_y", 0.8}, {"axis_z", 0},   {NULL, 0}},
                   ring[] = {{"at_x", 0.5}, {"at_y", 0.5}, {"at_z", -0.05}, {"radius", 0.3},
                             {"tube", 0.1}, {"axis_y", 0}, {"axis_z", 1},   {NULL, 0}},
                   punch[] = {{"at_x", 0.5},          {"at_y", 0.5},        {"at_z", 0.05},
                              {"axis_z", -1},         {"half_length", 0.3}, {"half_width", 0.2},
                              {"corner_radius", 0.1}, {"edge_radius", 0.1}, {NULL, 0}};
  cr_expect_float_eq(depth_in(3, "sphere", ball), 0.05, 1e-12);
  cr_expect_float_eq(depth_in(3, "cylinder", roll), 0.05, 1e-12);
  cr_expect_float_eq(depth_in(3, "torus", ring), 0.05, 1e-12);
  cr_expect_float_eq(depth_in(3, "rounded_prism", punch), 0.05, 1e-12);
}

Test(side, a_disk_comes_into_a_side_in_the_plane) {
  const ShapeParam disk[] = {{"at_x", 0.4}, {"at_y", -0.4}, {"radius", 0.45}, {NULL, 0}},
                   away[] = {{"at_x", 0.4}, {"at_y", -0.4}, {"radius", 0.4}, {NULL, 0}};
  cr_expect_float_eq(depth_in(2, "sphere", disk), 0.05, 1e-12);
  cr_expect_float_eq(depth_in(2, "cylinder", disk), 0.05, 1e-12);
  cr_expect_lt(depth_in(2, "cylinder", away), 1e-12);
}

// From a corner of the face the way leads straight to the bar, which does not bend along it.
Test(side, a_bar_across_a_face_is_found) {
  const ShapeParam bar[] = {{"at_x", 0.6}, {"at_y", 0.5}, {"radius", 0.03},
                            {"axis_y", 0}, {"axis_z", 1}, {NULL, 0}};
  const double depth = depth_in(3, "cylinder", bar);
  cr_expect(depth > 0.02 && depth <= 0.03 + 1e-12, "%g", depth);
}
