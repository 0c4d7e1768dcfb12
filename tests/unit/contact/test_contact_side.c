#include "tool_sample.h"

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
