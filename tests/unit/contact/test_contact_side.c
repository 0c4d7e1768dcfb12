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

Test(contact_side, the_nearest_point_of_a_face_is_found_on_every_round_tool) {
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

Test(contact_side, a_disk_comes_into_a_side_in_the_plane) {
  const ShapeParam disk[] = {{"at_x", 0.4}, {"at_y", -0.4}, {"radius", 0.45}, {NULL, 0}},
                   away[] = {{"at_x", 0.4}, {"at_y", -0.4}, {"radius", 0.4}, {NULL, 0}};
  cr_expect_float_eq(depth_in(2, "sphere", disk), 0.05, 1e-12);
  cr_expect_float_eq(depth_in(2, "cylinder", disk), 0.05, 1e-12);
  cr_expect_lt(depth_in(2, "cylinder", away), 1e-12);
}

// From a corner of the face the way leads straight to the bar, which does not bend along it.
Test(contact_side, a_bar_across_a_face_is_found) {
  const ShapeParam bar[] = {{"at_x", 0.6}, {"at_y", 0.5}, {"radius", 0.03},
                            {"axis_y", 0}, {"axis_z", 1}, {NULL, 0}};
  const double depth = depth_in(3, "cylinder", bar);
  cr_expect(depth > 0.02 && depth <= 0.03 + 1e-12, "%g", depth);
}

// The face of a body is flat, and what it lies in hollow: its nodes are deepest.
Test(contact_side, sides_in_a_hollow_are_left_to_their_nodes) {
  const ShapeParam drum[] = {{"at_x", 0.5}, {"at_y", 0.5}, {"radius", 1}, {"inside", 1}, {NULL, 0}};
  ToolSample s;
  tool_sample_init(&s, 3, 0, (int[]){1, 1, 1}, (double[]){1, 1, 1});
  tool_sample_add(&s, shape_sample("cylinder", 3, NULL, 0, drum), 1, 0);
  tool_sample_start(&s, 0.3, 1e-3, 1);
  tool_sample_detect(&s);
  cr_expect_eq(s.work->first[PAIR_SIDE_TOOL], s.work->n_slots);
  tool_sample_free(&s);
}

// The lower edges of a block of three cells over a disk, all nodes of which touch it. `bent`: they
// have gone round it, and the others with them; else the block stays straight and the disk touches
// the two in the middle.
static SunkWorst sunk_on_disk(double radius, int bent, double pressed) {
  const ShapeParam disk[] = {{"at_x", 1.5}, {"radius", radius}, {NULL, 0}};
  ToolSample s;
  Penetration worst;
  tool_sample_init(&s, 2, 0, (int[]){3, 1, 1}, (double[]){3, 1});
  tool_sample_add(&s, shape_sample("sphere", 2, NULL, 0, disk), 1, 0);
  tool_sample_start(&s, 0.3, 0.5, 1);
  for (int k = 0; k < s.mesh.n_nodes; k++) {
    const double *x = s.mesh.x + 2 * k, angle = bent ? (x[0] - 1.5) / radius : 0;
    const double height = x[1] + (bent ? radius : sqrt(radius * radius - 0.25));
    s.bodies.q[2 * k] = bent ? 1.5 + height * sin(angle) - x[0] : 0;
    s.bodies.q[2 * k + 1] = height * cos(angle) - x[1];
  }
  const int n = tool_sample_detect(&s);
  double *r = mem_new(2 * (size_t)n, sizeof *r);
  for (int c = 0; c < n; c++) r[2 * c] = pressed;
  contact_penetration(&s.step, &s.bodies, (PenetrationLimits){0}, r, NULL, &worst);
  mem_free(r);
  tool_sample_free(&s);
  return worst.sunk;
}

// Two nodes press with 3 N s in a step of 0.5 s: 12 N.
Test(contact_side, what_sinks_in_between_nodes_is_measured_by_its_work) {
  const double sag = 5 - sqrt(25 - 0.25);
  const SunkWorst sunk = sunk_on_disk(5, 0, 3);
  cr_expect_float_eq(sunk.depth, sag, 1e-12);
  cr_expect_float_eq(sunk.work, 12 * sag, 1e-10);
  cr_expect(sunk.body == 0 && sunk.tool == 1);
  cr_expect_eq(sunk_on_disk(5, 0, 0).depth, 0, "nothing presses");
  cr_expect_eq(sunk_on_disk(20, 0, 3).depth, 0, "a fine mesh");
}

Test(contact_side, what_has_bent_round_a_tool_has_not_sunk) {
  cr_expect_eq(sunk_on_disk(5, 1, 3).depth, 0);
}
