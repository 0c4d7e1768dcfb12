#include "pair_sample.h"

// Depth of the one overlap of two bodies, -1: there is none.
static double depth_of(PairSample *s) {
  OverlapList list;
  Err err = {0};
  double depth = -1;
  cr_assert_eq(contact_overlaps(&s->cm, &s->bs, &list, &err), OK, "%s", err.text);
  cr_assert_leq(list.n, 1);
  if (list.n == 1) {
    depth = list.item[0].depth;
    cr_assert(list.item[0].body[0] == 0 && list.item[0].body[1] == 1);
  }
  mem_free(list.item);
  return depth;
}

static double pair_depth(const int cells[2][3], const double size[2][3], const int sheet[2],
                         double x, double y, double z) {
  PairSample s;
  pair_sample_init(&s, cells, size, sheet, (double[]){x, y, z}, 1, NULL);
  double depth = depth_of(&s);
  pair_sample_free(&s);
  return depth;
}

Test(contact_overlap, solids_in_space_are_measured_by_the_way_that_parts_them) {
  const int cells[2][3] = {{2, 2, 2}, {1, 1, 1}}, solid[2] = {0, 0};
  const double size[2][3] = {{1, 1, 1}, {0.5, 0.5, 0.5}};
  cr_assert_eq(pair_depth(cells, size, solid, 0.25, 0.25, 1), -1, "touching is no overlap");
  cr_assert_eq(pair_depth(cells, size, solid, 0.25, 0.25, 0.9999), -1, "meshes are not exact");
  cr_assert_float_eq(pair_depth(cells, size, solid, 0.25, 0.25, 0.9), 0.1, 1e-12);
  cr_assert_float_eq(pair_depth(cells, size, solid, -0.45, 0.2, 0.2), 0.05, 1e-12);
  cr_assert_float_eq(pair_depth(cells, size, solid, 0.25, 0.25, 0.25), 0.75, 1e-12,
                     "from the middle of the large one");
  cr_assert_eq(pair_depth(cells, size, solid, 1.2, 1.2, 1.2), -1);
}

Test(contact_overlap, crossed_bars_without_a_node_inside_are_seen) {
  const int cells[2][3] = {{1, 1, 1}, {1, 1, 1}}, solid[2] = {0, 0};
  const double size[2][3] = {{4, 0.5, 0.5}, {0.5, 4, 0.5}};
  cr_assert_float_eq(pair_depth(cells, size, solid, 1.75, -1.75, 0.4), 0.1, 1e-12);
  cr_assert_eq(pair_depth(cells, size, solid, 1.75, -1.75, 0.5), -1);
}

Test(contact_overlap, equal_bodies_at_one_place_are_seen) {
  const int cells[2][3] = {{1, 1, 1}, {1, 1, 1}}, solid[2] = {0, 0};
  const double size[2][3] = {{1, 1, 1}, {1, 1, 1}};
  cr_assert_float_eq(pair_depth(cells, size, solid, 0, 0, 0), 1, 1e-12);
}

// Whose corner is bitten off has a hollow: the deepest point is told.
static void bite(int body, double x[3]) {
  if (body == 0 && x[0] > 0.9 && x[1] > 0.9 && x[2] > 0.9)
    for (int i = 0; i < 3; i++) x[i] = 0.6;
}

Test(contact_overlap, of_bodies_that_are_not_convex_the_deepest_point_is_told) {
  const int cells[2][3] = {{2, 2, 2}, {1, 1, 1}}, solid[2] = {0, 0};
  const double size[2][3] = {{1, 1, 1}, {1, 1, 1}};
  PairSample s;
  pair_sample_init(&s, cells, size, solid, (double[]){0, 0, -0.9}, 1, bite);
  cr_assert_float_eq(depth_of(&s), 0.1, 1e-12);
  pair_sample_free(&s);
}

// The sheets are 0.02 thick (pair_sample.h).
Test(contact_overlap, half_of_the_thickness_of_a_sheet_counts) {
  const int cells[2][3] = {{2, 2, 2}, {4, 4, 0}}, sheet[2] = {0, 1}, sheets[2] = {1, 1};
  const double size[2][3] = {{1, 1, 1}, {0.5, 0.5, 0}};
  cr_assert_eq(pair_depth(cells, size, sheet, 0.25, 0.25, 1.01), -1);
  cr_assert_float_eq(pair_depth(cells, size, sheet, 0.25, 0.25, 1.002), 0.008, 1e-12);
  cr_assert_float_eq(pair_depth(cells, size, sheet, 0.25, 0.25, 0.95), 0.06, 1e-12);
  cr_assert_eq(pair_depth(cells, size, sheets, 0.25, 0.25, 0.02), -1);
  cr_assert_float_eq(pair_depth(cells, size, sheets, 0.25, 0.25, 0.015), 0.005, 1e-12);
  cr_assert_eq(pair_depth(cells, size, sheets, 1.001, 0.25, 0), -1, "side by side, rim to rim");
}

// ---- tools --------------------------------------------------------------------------------------

static double tool_depth(ToolSample *s) {
  OverlapList list;
  Err err = {0};
  double depth = -1;
  cr_assert_eq(contact_overlaps(&s->cm, &s->bs, &list, &err), OK, "%s", err.text);
  for (int k = 0; k < list.n; k++) depth = fmax(depth, list.item[k].depth);
  mem_free(list.item);
  return depth;
}

Test(contact_overlap, tools_in_bodies_are_seen_however_deep) {
  static const double height[] = {0, 0.05, 3}, depth[] = {-1, 0.05, 3};
  for (int dim = 2; dim <= 3; dim++)
    for (int k = 0; k < 3; k++) {
      ToolSample s;
      tool_sample_init(&s, dim, 0, (int[]){2, 2, 2}, (double[]){1, 1, 1});
      const ShapeParam flat[] = {{"axis_y", dim == 2}, {"at_y", height[k]}, {NULL, 0}},
                       solid[] = {{"axis_y", 0}, {"axis_z", 1}, {"at_z", height[k]}, {NULL, 0}};
      tool_sample_add(&s, shape_sample("plane", dim, NULL, 0, dim == 2 ? flat : solid), 1, 0);
      tool_sample_start(&s, 0.3, 1e-3, 1);
      cr_assert_float_eq(tool_depth(&s), depth[k], 1e-12);
      tool_sample_free(&s);
    }
}

// Of one cell [0, 1] (times [0, 1]) with a tool that has no node in it, and that meets no edge
// where it is whole inside.
static double one_cell_depth(int dim, int sheet, Shape shape) {
  ToolSample s;
  tool_sample_init(&s, dim, sheet, (int[]){1, 1, 1}, (double[]){1, 1, 1});
  tool_sample_add(&s, shape, 1, 0);
  tool_sample_start(&s, 0.3, 1e-3, 1);
  const double depth = tool_depth(&s);
  tool_sample_free(&s);
  return depth;
}

Test(contact_overlap, tools_that_lie_whole_inside_a_body_are_seen) {
  const ShapeParam ball[] = {{"radius", 0.2},
                             {"at_x", 0.5},
                             {"at_y", 0.4},
                             {"at_z", 0.5},
                             {NULL, 0}},
                   ring[] = {{"radius", 0.2}, {"tube", 0.05}, {"at_x", 0.5},
                             {"at_y", 0.5},   {"at_z", 0.5},  {NULL, 0}};
  static const double section[] = {0.4, 0.4, 0, 0.6, 0.4, 0, 0.5, 0.6, 0};
  const ShapeParam wedge[] = {{"closed", 1}, {NULL, 0}};
  for (int dim = 2; dim <= 3; dim++)
    cr_assert_float_eq(one_cell_depth(dim, 0, shape_sample("sphere", dim, NULL, 0, ball)), 0.4,
                       1e-12, "the top of the ball is 0.1 above the middle");
  cr_assert_float_eq(one_cell_depth(3, 0, shape_sample("torus", 3, NULL, 0, ring)), 0.35, 1e-12,
                     "its hollow is 0.15 from the middle");
  cr_assert_gt(one_cell_depth(2, 0, shape_sample("profile", 2, section, 9, wedge)), 0.3);
}

Test(contact_overlap, tools_that_pierce_a_body_are_seen) {
  // A bar across the faces that it leaves by, and a ring whose other half is outside.
  const ShapeParam bar[] = {{"radius", 0.03}, {"at_x", 0.6}, {"at_y", 0.5},
                            {"axis_y", 0},    {"axis_z", 1}, {NULL, 0}},
                   ring[] = {{"radius", 0.8}, {"tube", 0.02}, {"at_x", 1.3}, {"at_y", 0.5},
                             {"at_z", 0.5},   {"axis_y", 0},  {"axis_z", 1}, {NULL, 0}};
  cr_assert_float_eq(one_cell_depth(3, 0, shape_sample("cylinder", 3, NULL, 0, bar)), 0.43, 1e-12,
                     "from its side to the nearest face");
  cr_assert_float_eq(one_cell_depth(3, 0, shape_sample("torus", 3, NULL, 0, ring)), 0.48, 1e-12);
}

Test(contact_overlap, what_lies_in_a_hollow_or_is_no_solid_is_no_overlap) {
  const ShapeParam drum[] = {{"radius", 2}, {"inside", 1}, {NULL, 0}},
                   ball[] = {
                       {"radius", 0.5}, {"at_x", 0.5}, {"at_y", 0.5}, {"at_z", 0.51}, {NULL, 0}};
  for (int dim = 2; dim <= 3; dim++)
    cr_assert_eq(one_cell_depth(dim, 0, shape_sample("sphere", dim, NULL, 0, drum)), -1);
  cr_assert_eq(one_cell_depth(3, 1, shape_sample("sphere", 3, NULL, 0, ball)), -1, "a sheet");
}

// A sheet of 0.02 at z = 0 between planes at -a and b; `free`: the upper one yields along z.
static void sheet_between(ToolSample *s, double a, double b, int free, double stiffness) {
  const ShapeParam low[] = {{"axis_y", 0}, {"axis_z", 1}, {"at_z", -a}, {NULL, 0}},
                   high[] = {{"axis_y", 0}, {"axis_z", -1}, {"at_z", b}, {NULL, 0}};
  tool_sample_init(s, 3, 1, (int[]){2, 2, 0}, (double[]){1, 1, 0});
  s->finite.form.spec.thickness = 0.02;
  tool_sample_add(s, shape_sample("plane", 3, NULL, 0, low), 1, 0);
  tool_sample_add(s, shape_sample("plane", 3, NULL, 0, high), 1, free ? 4 : 0);
  tool_sample_start(s, 0.3, 1e-3, 1);
  s->law.par[2] = stiffness;
}

static SheetSqueeze squeezed(double a, double b, int free, double stiffness, double moved_z) {
  ToolSample s;
  sheet_between(&s, a, b, free, stiffness);
  double *moved = mem_new((size_t)s.bs.n_nodes * 3, sizeof *moved);
  moved[3 * (s.bs.n_nodes - 1) + 2] = moved_z;
  SheetSqueeze squeeze = contact_squeezed(&s.cm, &s.bs, NULL, moved_z != 0 ? moved : NULL);
  mem_free(moved);
  tool_sample_free(&s);
  return squeeze;
}

Test(contact_overlap, tools_that_leave_a_sheet_too_little_room_are_named) {
  cr_assert_eq(squeezed(0.01, 0.01, 0, 0, 0).node, -1, "just enough");
  cr_assert_eq(squeezed(0.01, 0.03, 0, 0, 0).node, -1);
  SheetSqueeze s = squeezed(0.01, 0.008, 0, 0, 0);
  cr_assert(s.node >= 0 && s.sheet == 0 && s.tool[0] == 1 && s.tool[1] == 2);
  cr_assert_float_eq(s.room, 0.018, 1e-15);
  cr_assert_float_eq(s.thickness, 0.02, 1e-15);
  cr_assert_float_eq(squeezed(0.014, 0.004, 0, 0, 0).room, 0.018, 1e-15,
                     "wherever the sheet is between them");
  cr_assert_eq(squeezed(0.01, 0.008, 1, 0, 0).node, -1, "one of them gives way");
  cr_assert_eq(squeezed(0.01, 0.008, 0, 1e9, 0).node, -1, "contacts give way");
  cr_assert_eq(squeezed(0.01, 0.011, 0, 0, 0).node, -1);
  cr_assert_float_eq(squeezed(0.01, 0.011, 0, 0, -0.003).room, 0.018, 1e-15, "after its motion");
}

// The same sheet where contact of `stiffness` finds it: what presses node 4, in its middle.
typedef struct {
  double room, stiffness, strength, borne, gap[2];
} Pressed;

typedef struct {
  double a, b; // of the planes
  int free;
  double stiffness, strength, pressure;
  double speed, theta;       // of the upper tool
  double impulse[2], before; // of the last step, and its size
  int presses;
} Pressing;

static Pressed pressed_by(Pressing by) {
  ToolSample s;
  Pressed found = {0};
  sheet_between(&s, by.a, by.b, by.free, by.stiffness);
  s.law.par[3] = by.strength;
  s.cm.rules[0].presses = by.presses;
  if (by.theta > 0) s.step.size.theta = by.theta;
  for (int k = 0; k < s.mesh.n_nodes; k++) {
    s.bodies.half[k] = 0.01;
    s.bodies.pressed[k] = by.pressure;
  }
  s.bodies.v[3 * (s.bs.n_nodes - 1) + 2] = -by.speed;
  FormPinch *pinch = mem_new((size_t)s.bs.n_nodes, sizeof *pinch);
  tool_sample_detect(&s);
  s.state.search[1] = by.before;
  for (int t = 0; t < 2; t++) {
    const Contact *contact = tool_sample_contact(&s, 4, t);
    if (contact) s.state.impulse[3 * contact->slot] = by.impulse[t] * contact->area;
  }
  cr_assert_eq(contact_may_pinch(&s.cm, &s.bs), by.stiffness > 0);
  contact_pinch(&s.step, s.bodies.v, pinch);
  found.room = pinch[4].room;
  found.stiffness = pinch[4].stiffness;
  found.strength = pinch[4].strength;
  found.borne = pinch[4].borne;
  for (int t = 0; t < 2; t++) {
    const Contact *contact = tool_sample_contact(&s, 4, t);
    found.gap[t] = contact ? contact->gap : (double)NAN;
  }
  mem_free(pinch);
  tool_sample_free(&s);
  return found;
}

static Pressed pressed(double a, double b, int free, double stiffness, double strength,
                       double pressure, double speed) {
  return pressed_by((Pressing){.a = a,
                               .b = b,
                               .free = free,
                               .stiffness = stiffness,
                               .strength = strength,
                               .pressure = pressure,
                               .speed = speed});
}

Test(contact_overlap, two_stiff_tools_press_a_sheet_and_see_what_it_gives_way) {
  Pressed s = pressed(0.01, 0.0098, 0, 1e9, 0, 0, 0);
  cr_assert_float_eq(s.room, 0.0198, 1e-15);
  cr_assert_float_eq(s.stiffness, 5e8, 1, "in series");
  cr_assert_gt(s.strength, 1e8);
  // 0.2 mm thicker than the room, and no pressure yet: it is seen as thin as the room
  cr_assert_float_eq(s.gap[0] + s.gap[1], 0, 1e-15);
  cr_assert_float_eq(s.gap[0], 1e-4, 1e-15);
  s = pressed(0.01, 0.0098, 0, 1e9, 0, 4e4, 0); // under this the laws yield by 80 um
  cr_assert_float_eq(s.gap[0] + s.gap[1], -8e-5, 1e-15);
  s = pressed(0.01, 0.0098, 0, 1e9, 2e4, 2e4, 0);
  cr_assert_eq(s.strength, 2e4);
  cr_assert_float_eq(s.gap[0] + s.gap[1], -4e-5, 1e-15);
  s = pressed(0.01, 0.0098, 0, 1e9, 0, 2e5, 0); // of elements that are thicker than their mean
  cr_assert_float_eq(s.gap[0] + s.gap[1], -4e-4, 1e-15);
  s = pressed(0.01, 0.01, 0, 1e9, 0, 0, 0.05); // closes by 50 um within the step
  cr_assert_float_eq(s.room, 0.02 - 5e-5, 1e-15);
  cr_assert_eq(pressed(0.01, 0.0098, 1, 1e9, 0, 0, 0).stiffness, 0, "one of them yields");
  cr_assert_eq(pressed(0.01, 0.0098, 0, 0, 0, 0, 0).stiffness, 0, "rigid");
  cr_assert_eq(pressed(0.01, 0.2, 0, 1e9, 0, 0, 0).stiffness, 0, "far");
}

// Contact acts h (1 - theta) v beyond the end of the step, the sheet is pressed by the room at the
// end: tools that close must not press it by what they are to close in the next step.
Test(contact_overlap, what_presses_a_sheet_is_the_room_at_the_end_of_the_step) {
  for (int k = 0; k < 3; k++) {
    const double theta[] = {1, 0.8, 0.55}, closes = 5e-5, spring = 8e-5;
    Pressed s = pressed_by((Pressing){.a = 0.01,
                                      .b = 0.0098,
                                      .stiffness = 1e9,
                                      .pressure = 4e4,
                                      .speed = 0.05,
                                      .theta = theta[k]});
    cr_assert_float_eq(s.room, 0.0198 - closes, 1e-15);
    // where contact acts, after the whole step, the laws yield by what this pressure makes them
    cr_assert_float_eq(s.gap[0] + s.gap[1] - closes, -spring, 1e-15, "theta %g", theta[k]);
  }
}

// Half of what both faces bore; where two tools press it, only what one of them bears alone.
Test(contact_overlap, what_a_tool_bears_alone_presses_the_sheet_by_half_of_it) {
  Pressing by = {
      .a = 0.01, .b = 0.2, .stiffness = 1e9, .impulse = {4e2, 0}, .before = 2e-3, .presses = 1};
  cr_assert_float_eq(pressed_by(by).borne, 1e5, 1e-6, "one tool");
  by.impulse[0] = -4e2;
  cr_assert_eq(pressed_by(by).borne, 0, "tools do not pull");
  by.impulse[0] = 4e2;
  by.presses = 0;
  cr_assert_eq(pressed_by(by).borne, 0, "a rule that does not say so");
  by.presses = 1;
  by.before = 0;
  cr_assert_eq(pressed_by(by).borne, 0, "the first step");
  by = (Pressing){.a = 0.01,
                  .b = 0.01,
                  .free = 1,
                  .stiffness = 1e9,
                  .impulse = {4e2, 3e2},
                  .before = 2e-3,
                  .presses = 1};
  cr_assert_float_eq(pressed_by(by).borne, 1.75e5, 1e-6, "under a holder");
  by.free = 0;
  by.pressure = 1e4;
  cr_assert_float_eq(pressed_by(by).borne, 0.25e5 - 1e4, 1e-6, "beyond what both press with");
  by.pressure = 1e5;
  cr_assert_eq(pressed_by(by).borne, 0);
}
