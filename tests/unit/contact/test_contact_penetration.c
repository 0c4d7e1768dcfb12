#include <criterion/criterion.h>

#include <math.h>

#include "../../support/staged_step.h"

// A block of 1 x 0.5 on one of 2 x 0.5, moved by hand.
static CaseRun *pair_of(const char *candidate, const char *points, int cells) {
  return run_case_open_text(
      xml_format("<voussoir><material name='s' density='1000' young='1e8' poisson='0'/>"
                 "<law name='d' friction='0.5'/>"
                 "<block name='low' material='s' width='2' height='0.5' cells_x='%d'/>"
                 "<block name='top' material='s' x='0.5' y='0.5' width='1' height='0.5' "
                 "cells_x='%d'/>"
                 "<contact candidate='%s' antagonist='all' law='d' points='%s'/>"
                 "<detection alert='0.05'/><time end='1' step='1e-3'/></voussoir>",
                 2 * cells, cells, candidate, points),
      NULL);
}

static CaseRun *pair(const char *points, int cells) {
  return pair_of("all", points, cells);
}

static void place(CaseRun *run, double x, double y, double angle) {
  const BodySet *bs = &run->input.model.bodies;
  double c = cos(angle), s = sin(angle), mid[2] = {1, 0.75};
  for (int k = bs->node_ptr[1]; k < bs->node_ptr[2]; k++) {
    double dx = bs->x[2 * k] - mid[0], dy = bs->x[2 * k + 1] - mid[1];
    run->state.bodies.q[2 * k] = x + c * dx - s * dy - dx;
    run->state.bodies.q[2 * k + 1] = y + s * dx + c * dy - dy;
  }
}

static Penetration measured(CaseRun *run, double *gap) {
  Penetration worst;
  StagedStep staged;
  staged_step_begin(&staged, run, 1e-3);
  contact_penetration(&staged.step, &run->state.bodies, (PenetrationLimits){0}, NULL, gap, &worst);
  staged_step_end(&staged);
  return worst;
}

static const char *const rules[3] = {"midpoints", "nodes", "gauss"};

Test(contact_penetration, of_a_block_that_is_pushed_in_is_its_depth_everywhere) {
  for (int rule = 0; rule < 3; rule++)
    for (double depth = -0.01; depth <= 0.01; depth += 0.0025) {
      CaseRun *run = pair(rules[rule], 3);
      double gap[64];
      place(run, 0.02, -depth, 0);
      Penetration worst = measured(run, gap);
      int n = contact_count(run->work.contact);
      cr_assert(n > 2 && n <= 64);
      for (int c = 0; c < n; c++) cr_assert_float_eq(gap[c], -depth, 1e-12, "%s", rules[rule]);
      cr_assert_float_eq(worst.contacts, fmax(0, depth), 1e-12, "%s", rules[rule]);
      cr_assert_float_eq(worst.nodes, fmax(0, depth), 1e-12, "%s", rules[rule]);
      cr_assert_eq(worst.worst_contact >= 0, depth > 1e-15);
      run_case_close(run);
    }
}

Test(contact_penetration, of_a_tilted_block_is_deeper_at_its_nodes_than_between_them) {
  // Points and nodes lie on the lower side at their distance along it; the deepest is the corner.
  double angle = 0.01;
  static const double furthest[2] = {0.25, 0.5};
  for (int rule = 0; rule < 3; rule++) {
    CaseRun *run = pair(rules[rule], 2); // two edges of 0.5; the corner is 0.5 from the middle
    double gap[64];
    place(run, 0, 0, angle);
    Penetration worst = measured(run, gap);
    // The middle of the lower side is 0.25 below the centre: its height above the joint turns by 1
    // - cos.
    double middle = 0.25 * (1 - cos(angle)), corner = 0.5 * sin(angle) - middle;
    cr_assert_float_eq(worst.nodes, corner, 1e-12, "%s: %g", rules[rule], worst.nodes);
    double expected = (rule == 2 ? 0.25 + 0.25 / sqrt(3) : furthest[rule]) * sin(angle) - middle;
    cr_assert_float_eq(worst.contacts, expected, 1e-12, "%s: %g for %g", rules[rule],
                       worst.contacts, expected);
    run_case_close(run);
  }
}

// A tilted block whose lower corner lies 20 mm below the top of the other one and 5 mm inside its
// side: 5 mm is the way out there, at either end; its other lower corner touches, the middle
// between them is 10 mm deep.
Test(contact_penetration, at_a_corner_is_measured_from_the_nearer_face) {
  const double s = 0.02, c = sqrt(1 - s * s); // of the tilt
  for (int end = 0; end < 2; end++) {
    CaseRun *run = pair_of("top", "midpoints", 1);
    double gap[64], sign = end ? 1 : -1;
    place(run, sign * (0.995 - 0.5 * c + 0.25 * s), -0.25 - 0.5 * s + 0.25 * c, -sign * asin(s));
    Penetration worst = measured(run, gap);
    cr_assert_float_eq(worst.contacts, 0.01, 1e-12, "%d: %g m", end, worst.contacts);
    cr_assert_float_eq(worst.nodes, 5e-3, 1e-12, "%d: %g m", end, worst.nodes);
    run_case_close(run);
  }
}

Test(contact_penetration, of_blocks_apart_is_none) {
  CaseRun *run = pair("nodes", 2);
  place(run, 5, 0, 0);
  Penetration worst = measured(run, NULL);
  cr_assert(worst.contacts == 0 && worst.nodes == 0 && worst.worst_contact == -1);
  run_case_close(run);
}

Test(contact_penetration, names_the_contact_where_it_is_worst) {
  CaseRun *run = pair("gauss", 2);
  double gap[64];
  place(run, 0, 0, -0.005); // right end down
  Penetration worst = measured(run, gap);
  cr_assert_geq(worst.worst_contact, 0);
  for (int c = 0; c < contact_count(run->work.contact); c++)
    cr_assert_geq(gap[c], gap[worst.worst_contact]);
  cr_assert_float_eq(worst.contacts, -gap[worst.worst_contact], 1e-15);
  run_case_close(run);
}
