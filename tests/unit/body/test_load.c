#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/run_case.h"

static const char HEAD[] =
    "<voussoir><model thickness='0.5'/>"
    "<material name='s' density='2000' young='1e7' poisson='0.2'/>"
    "<block name='a' material='s' width='0.6' height='0.4' cells_x='3'/>"
    "<block name='b' material='s' x='2' width='0.5' height='0.5' angle='%.17g'/>%s"
    "<time end='1' step='1e-3'/></voussoir>";

static CaseRun *blocks(double angle, const char *loads) {
  return run_case_open_text(xml_format(HEAD, angle, loads), NULL);
}

// Nodal loads between t0 and t1; sums per body and moments about the origin.
typedef struct {
  double p[100];
  double force[3][2], moment[3]; // of a, b and a support
} Nodal;

static Nodal loads_of(const CaseRun *run, double t0, double t1, double theta) {
  const BodySet *bs = &run->input.model.bodies;
  Nodal nodal = {0};
  Err err = {0};
  cr_assert_leq(2 * bs->n_nodes, 100);
  cr_assert_eq(loads_at(&run->input.model.loads, bs, t0, t1, theta, nodal.p, &err), OK, "%s",
               err.text);
  for (int k = 0; k < bs->n_nodes; k++) {
    int body = bs->body_of[k];
    for (int i = 0; i < 2; i++) nodal.force[body][i] += nodal.p[2 * k + i];
    nodal.moment[body] += bs->x[2 * k] * nodal.p[2 * k + 1] - bs->x[2 * k + 1] * nodal.p[2 * k];
  }
  return nodal;
}

// Gravity without supports wants something to hold the blocks.
#define HELD                                                                                       \
  "<prescribe on='a.left' x='0' y='0'/><group name='both' bodies='a b'/>"                          \
  "<law name='d' friction='0'/><support name='f' shape='plane' y='-9'/>"                           \
  "<contact candidate='all' antagonist='f' law='d'/>"

Test(load, gravity_sums_to_the_weight_of_each_body) {
  const double mass[2] = {2000 * 0.6 * 0.4 * 0.5, 2000 * 0.5 * 0.5 * 0.5};
  CaseRun *run = blocks(0.4, HELD "<gravity x='1.5' y='-9.81'/>");
  Nodal nodal = loads_of(run, 0, 1e-3, 0.5);
  for (int b = 0; b < 2; b++) {
    cr_assert_float_eq(nodal.force[b][0], 1.5 * mass[b], 1e-9);
    cr_assert_float_eq(nodal.force[b][1], -9.81 * mass[b], 1e-9);
  }
  for (int k = run->input.model.bodies.node_ptr[2]; k < run->input.model.bodies.n_nodes; k++)
    cr_assert(nodal.p[2 * k] == 0 && nodal.p[2 * k + 1] == 0); // supports weigh nothing
  run_case_close(run);
  run = blocks(0.4, HELD "<gravity of='b'/>");
  nodal = loads_of(run, 0, 1e-3, 0.5);
  cr_assert_eq(nodal.force[0][1], 0);
  cr_assert_float_eq(nodal.force[1][1], -9.81 * mass[1], 1e-9);
  run_case_close(run);
}

Test(load, pressure_pushes_against_the_outward_normal_whatever_the_side_and_the_angle) {
  // force = -p length thickness * normal, through the middle of the side
  static const struct {
    const char *side;
    double n[2], middle[2], length;
  } sides[4] = {{"bottom", {0, -1}, {0.25, 0}, 0.5},
                {"right", {1, 0}, {0.5, 0.25}, 0.5},
                {"top", {0, 1}, {0.25, 0.5}, 0.5},
                {"left", {-1, 0}, {0, 0.25}, 0.5}};
  for (double angle = -0.7; angle < 2; angle += 0.7)
    for (int k = 0; k < 4; k++) {
      CaseRun *run = blocks(angle, xml_format("<pressure on='b.%s' value='3e4'/>", sides[k].side));
      Nodal nodal = loads_of(run, 0, 1e-3, 0.5);
      double c = cos(angle), s = sin(angle), force = -3e4 * sides[k].length * 0.5;
      const double *n = sides[k].n, *m = sides[k].middle;
      double f[2] = {force * (c * n[0] - s * n[1]), force * (s * n[0] + c * n[1])};
      double at[2] = {2 + c * m[0] - s * m[1], s * m[0] + c * m[1]};
      for (int i = 0; i < 2; i++) cr_assert_float_eq(nodal.force[1][i], f[i], 1e-8);
      cr_assert_float_eq(nodal.moment[1], at[0] * f[1] - at[1] * f[0], 1e-7);
      cr_assert(nodal.force[0][0] == 0 && nodal.force[0][1] == 0);
      run_case_close(run);
    }
}

Test(load, pressure_all_round_is_in_equilibrium) {
  CaseRun *run = blocks(0.9, "<pressure on='b' value='1e5'/>");
  Nodal nodal = loads_of(run, 0, 1e-3, 0.5);
  double size = 0;
  for (int k = 0; k < 2 * run->input.model.bodies.n_nodes; k++) size += fabs(nodal.p[k]);
  cr_assert_gt(size, 1e4); // there is a load
  for (int i = 0; i < 2; i++) cr_assert_float_eq(nodal.force[1][i], 0, 1e-9 * size);
  cr_assert_float_eq(nodal.moment[1], 0, 1e-9 * size);
  run_case_close(run);
}

Test(load, tractions_sum_to_the_area_and_halve_at_the_ends) {
  CaseRun *run = blocks(0, "<pressure on='a.top' x='1e3' y='-2e3'/>");
  Nodal nodal = loads_of(run, 0, 1e-3, 0.5);
  cr_assert_float_eq(nodal.force[0][0], 1e3 * 0.6 * 0.5, 1e-9);
  cr_assert_float_eq(nodal.force[0][1], -2e3 * 0.6 * 0.5, 1e-9);
  const BodySet *bs = &run->input.model.bodies;
  for (int k = bs->node_ptr[0]; k < bs->node_ptr[1]; k++) {
    double x = bs->x[2 * k], y = bs->x[2 * k + 1], share = y < 0.399 ? 0 : 1.0 / 3;
    if (x < 1e-9 || x > 0.6 - 1e-9) share *= 0.5; // three edges, the outer nodes have one half edge
    cr_assert_float_eq(nodal.p[2 * k], share * 300, 1e-9);
  }
  run_case_close(run);
}

Test(load, forces_are_shared_or_given_to_each_node) {
  CaseRun *run =
      blocks(0, "<force on='a.top' x='12' y='-8'/><force on='b.left' y='5' each='yes'/>");
  Nodal nodal = loads_of(run, 0, 1e-3, 0.5);
  cr_assert_float_eq(nodal.force[0][0], 12, 1e-12);
  cr_assert_float_eq(nodal.force[0][1], -8, 1e-12);
  cr_assert_float_eq(nodal.force[1][1], 15, 1e-12); // two cells, three nodes
  const BodySet *bs = &run->input.model.bodies;
  for (int k = bs->node_ptr[0]; k < bs->node_ptr[1]; k++) // four nodes on top
    cr_assert_float_eq(nodal.p[2 * k], bs->x[2 * k + 1] > 0.399 ? 3 : 0, 1e-12);
  run_case_close(run);
}

Test(load, on_several_names_acts_on_the_nodes_of_all_of_them_once) {
  CaseRun *run = blocks(0, "<force on='a.top a.right b' y='1' each='yes'/>");
  Nodal nodal = loads_of(run, 0, 1e-3, 0.5);
  cr_assert_float_eq(nodal.force[0][1], 6,
                     1e-12); // 4 above, 3 at the right, the corner counts once
  cr_assert_float_eq(nodal.force[1][1], 9, 1e-12);
  run_case_close(run);
}

Test(load, varying_in_time_is_the_theta_mean_over_the_step) {
  CaseRun *run = blocks(0, "<force on='a.top' x='10*t^2'/><force on='a.top' x='7'/>"
                           "<pressure on='b.right' x='1e3*cos(t)'/>");
  for (double theta = 0.5; theta <= 1; theta += 0.125) {
    double t0 = 0.3, t1 = 0.8;
    Nodal nodal = loads_of(run, t0, t1, theta);
    double force = theta * 10 * t1 * t1 + (1 - theta) * 10 * t0 * t0 + 7;
    double traction = theta * 1e3 * cos(t1) + (1 - theta) * 1e3 * cos(t0);
    cr_assert_float_eq(nodal.force[0][0], force, 1e-12);
    cr_assert_float_eq(nodal.force[1][0], traction * 0.5 * 0.5, 1e-10);
  }
  run_case_close(run);
}

Test(load, at_theta_one_never_asks_for_the_start_of_the_step) {
  // 1 / t is not a number at 0, which theta = 1 does not need. (The build tries functions from the
  // start on, so the start of the run is later.)
  CaseRun *run = run_case_open_text(
      "<voussoir><material name='s' density='2000' young='1e7' poisson='0.2'/>"
      "<block name='a' material='s' width='1' height='1'/><force on='a.top' x='1/t'/>"
      "<time start='0.5' end='1' step='1e-3'/></voussoir>",
      NULL);
  Nodal nodal = loads_of(run, 0, 0.5, 1);
  cr_assert_float_eq(nodal.force[0][0], 2, 1e-12);
  run_case_close(run);
}
