#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/run_case.h"

static const char BLOCK[] =
    "<voussoir><material name='s' density='2000' young='%g' poisson='0.25' damping_mass='%g' damping_stiffness='%g'/>"
    "<block name='b' material='s' x='1' y='2' width='0.6' height='0.4' angle='%g' kinematics='%s' cells_x='%d' cells_y='%d'/>"
    "%s<time end='0.1' step='1e-3' theta='%g'/></voussoir>";

static CaseRun *block(double young, double angle, const char *kinematics, int cells,
                      const char *more, double theta) {
  return run_case_open_text(
      xml_format(BLOCK, young, 0.0, 0.0, angle, kinematics, cells, cells, more, theta), NULL);
}

static const char far_floor[] =
    "<law name='d' friction='0'/><support name='f' shape='plane' y='-100'/>"
    "<contact candidate='b' antagonist='f' law='d'/><gravity x='1' y='-9.81'/>";

Test(dynamics, free_fall_of_any_body_is_exact_in_every_node) {
  // v_n = -n h g; q_n = -g t^2 / 2 at theta = 1/2 and -g t (t + h) / 2 at theta = 1
  static const char *const kinematics[2] = {"small", "corotational"};
  for (int kind = 0; kind < 2; kind++)
    for (int cells = 1; cells <= 8; cells += 7) // 8 x 8 cells: the sparse factorisation
      for (double theta = 0.5; theta <= 1; theta += 0.5) {
        CaseRun *run = block(1e7, 0.3, kinematics[kind], cells, far_floor, theta);
        for (int k = 0; k < 50; k++) run_case_step(run, 0);
        double t = run->state.t, h = 1e-3, lag = theta == 1 ? h : 0;
        for (int k = 0; k < run->input.model.bodies.node_ptr[1]; k++) {
          cr_assert_float_eq(run->state.bodies.v[2 * k + 1], -9.81 * t, 1e-11);
          cr_assert_float_eq(run->state.bodies.q[2 * k + 1], -9.81 * t * (t + lag) / 2, 1e-12);
          cr_assert_float_eq(run->state.bodies.q[2 * k], t * (t + lag) / 2, 1e-12);
        }
        run_case_close(run);
      }
}

Test(dynamics, a_body_placed_at_an_angle_behaves_as_one_that_is_not) {
  // The same block, pressed along its own axis, in two placements: displacements turn with it.
  double angle = 0.7;
  CaseRun *a =
      block(1e6, 0, "small", 2, "<prescribe on='b.left' x='0'/><velocity of='b' x='1'/>", 0.5);
  CaseRun *b = block(
      1e6, angle, "small", 2,
      xml_format("<velocity of='b' x='%.17g' y='%.17g' spin='0.5'/>", cos(angle), sin(angle)), 0.5);
  CaseRun *c = block(1e6, 0, "small", 2, "<velocity of='b' x='1' spin='0.5'/>", 0.5);
  for (int k = 0; k < 20; k++) {
    run_case_step(b, 0);
    run_case_step(c, 0);
  }
  for (int k = 0; k < b->input.model.bodies.n_nodes; k++) {
    const double *qb = b->state.bodies.q + 2 * k, *qc = c->state.bodies.q + 2 * k;
    cr_assert_float_eq(qb[0], cos(angle) * qc[0] - sin(angle) * qc[1], 1e-12);
    cr_assert_float_eq(qb[1], sin(angle) * qc[0] + cos(angle) * qc[1], 1e-12);
  }
  cr_assert_eq(b->input.model.bodies.n_protos, 1);
  run_case_close(a);
  run_case_close(b);
  run_case_close(c);
}

Test(dynamics, a_corotational_block_spins_without_strain_and_keeps_its_factorisation) {
  CaseRun *run = block(1e9, 0, "corotational", 2, "<velocity of='b' spin='10'/>", 0.5);
  for (int k = 0; k < 100; k++) run_case_step(run, 0);
  cr_assert_eq(run->work.factors.prototype[0].n_steps, 1);
  // Kinetic energy stays; elastic energy is that of the centrifugal stretch, far below it.
  double kinetic = run->state.energy[ENERGY_KINETIC], elastic = run->state.energy[ENERGY_ELASTIC];
  cr_assert_float_eq(kinetic / run->state.energy[ENERGY_INITIAL], 1, 1e-3);
  cr_assert_lt(elastic, 1e-3 * kinetic);
  const double *frame = run->state.bodies.frame;
  cr_assert_float_eq(atan2(frame[2], frame[0]), 1, 0.02); // 10 rad/s for 0.1 s
  run_case_close(run);
}

Test(dynamics, equal_blocks_share_a_prototype_and_rotated_ones_too) {
  CaseRun *run =
      run_case_open_text("<voussoir><material name='s' density='2000' young='1e9' poisson='0.2'/>"
                         "<arch name='a' material='s' span='2' thickness='0.3' voussoirs='11'/>"
                         "<block name='b' material='s' y='-1' width='1' height='0.5'/>"
                         "<block name='c' material='s' y='-3' width='1' height='0.5' angle='1'/>"
                         "<time end='1' step='1e-3'/></voussoir>",
                         NULL);
  cr_assert_eq(run->input.model.bodies.n_bodies, 13);
  cr_assert_eq(run->input.model.bodies.n_protos, 2);
  run_case_close(run);
}

Test(dynamics, rayleigh_damping_takes_the_energy_it_reports) {
  CaseRun *run =
      run_case_open_text(xml_format(BLOCK, 1e6, 2.0, 1e-4, 0.0, "small", 2, 2,
                                    "<prescribe on='b.left' x='0' y='0'/><gravity/>", 0.5),
                         NULL);
  for (int k = 0; k < 100; k++) run_case_step(run, 0);
  cr_assert_gt(run->state.energy[ENERGY_DAMPING], 0);
  cr_assert_lt(run->state.worst[WORST_BALANCE], 1e-10);
  run_case_close(run);
}

Test(dynamics, prescribed_motion_is_exact_at_the_intermediate_configuration) {
  for (double theta = 0.5; theta <= 1; theta += 0.25) {
    CaseRun *run =
        block(1e6, 0, "small", 2, "<prescribe on='b.left' x='0.01*sin(50*t)' y='0'/>", theta);
    int node = run->input.model.bodies.prescribed[0].node;
    for (int k = 0; k < 30; k++) {
      run_case_step(run, 0);
      double lead = 1e-3 * (1 - theta), t = run->state.t;
      double x = run->state.bodies.q[2 * node] + lead * run->state.bodies.v[2 * node];
      cr_assert_float_eq(x, 0.01 * sin(50 * (t + lead)), 1e-14, "theta %g, step %d", theta, k);
    }
    cr_assert_lt(run->state.worst[WORST_BALANCE], 1e-10);
    run_case_close(run);
  }
}
