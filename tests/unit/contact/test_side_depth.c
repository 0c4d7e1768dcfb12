#include "tool_sample.h"

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
Test(side_depth, what_sinks_in_between_nodes_is_measured_by_its_work) {
  const double sag = 5 - sqrt(25 - 0.25);
  const SunkWorst sunk = sunk_on_disk(5, 0, 3);
  cr_expect_float_eq(sunk.depth, sag, 1e-12);
  cr_expect_float_eq(sunk.work, 12 * sag, 1e-10);
  cr_expect(sunk.body == 0 && sunk.tool == 1);
  cr_expect_eq(sunk_on_disk(5, 0, 0).depth, 0, "nothing presses");
  cr_expect_eq(sunk_on_disk(20, 0, 3).depth, 0, "a fine mesh");
}

Test(side_depth, what_has_bent_round_a_tool_has_not_sunk) {
  cr_expect_eq(sunk_on_disk(5, 1, 3).depth, 0);
}
