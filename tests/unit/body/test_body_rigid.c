#include <criterion/criterion.h>

#include <math.h>

#include "../../support/run_case.h"
#include "body/body_type.h"

static CaseRun *block(const char *cells, double angle) {
  return run_case_open_text(
      xml_format(
          "<voussoir><model space=\"plane\" thickness=\"0.5\"/><material name=\"m\""
          " density=\"2000\" young=\"1e9\" poisson=\"0.2\"/><block name=\"b\" material=\"m\""
          " kinematics=\"rigid\" width=\"3\" height=\"1\" angle=\"%.17g\" x=\"5\" y=\"2\" %s/>"
          "<time end=\"1\" step=\"1e-3\"/></voussoir>",
          angle, cells),
      NULL);
}

Test(body_rigid, mass_and_inertia_are_those_of_the_rectangle_on_any_mesh) {
  const char *const cells[] = {"cells_x=\"1\" cells_y=\"1\" pattern=\"q4\"",
                               "cells_x=\"1\" cells_y=\"1\" pattern=\"t3_right\"",
                               "cells_x=\"4\" cells_y=\"3\" pattern=\"t3_cross\""};
  for (int k = 0; k < 3; k++) {
    CaseRun *run = block(cells[k], 0.7);
    const RigidBody *rigid = run->input.model.bodies.rigid;
    const double mass = 3 * 2000 * 0.5, inertia = mass * (9 + 1) / 12;
    cr_expect_float_eq(rigid->mass, mass, 1e-12 * mass, "%s", cells[k]);
    cr_expect_float_eq(rigid->inertia, inertia, 1e-12 * inertia, "%s: %.17g", cells[k],
                       rigid->inertia);
    cr_expect_float_eq(rigid->center[0], 1.5, 1e-13);
    cr_expect_float_eq(rigid->center[1], 0.5, 1e-13);
    run_case_close(run);
  }
}

// Velocity of a site under an impulse at it: by its grip, by the correction of nodes, and by 1/m +
// (r x d)^2 / J.
Test(body_rigid, grip_and_correction_answer_as_a_rigid_body) {
  CaseRun *run = block("cells_x=\"2\" cells_y=\"1\" pattern=\"q4\"", 0.7);
  const BodySet *bs = &run->input.model.bodies;
  const RigidBody *rigid = bs->rigid;
  const Site site = {.body = 0, .n = 2, .node = {1, 2}, .weight = {0.3, 0.7}};
  const double axis[3][3] = {{0.6, 0.8, 0}, {0.8, -0.6, 0}};
  double r[2] = {0, 0}, impulse[12] = {0}, v[12], zero[12] = {0};
  Err err = {0};
  Arena arena = {0};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 2; i++) r[i] += site.weight[k] * bs->x[2 * site.node[k] + i];
  double c = cos(0.7), s = sin(0.7);
  r[0] -= 5 + c * 1.5 - s * 0.5;
  r[1] -= 2 + s * 1.5 + c * 0.5;
  Grip grip;
  body_grip(&(GripSource){.bs = bs, .frame = run->state.bodies.frame}, &site, axis, &grip);
  for (int d = 0; d < 2; d++) {
    double arm = r[0] * axis[d][1] - r[1] * axis[d][0];
    double expected = 1 / rigid->mass + arm * arm / rigid->inertia, own = 0, u[3] = {0};
    for (int a = 0; a < grip.n; a++)
      for (int b = 0; b < grip.n; b++)
        for (int i = 0; i < 2; i++)
          for (int j = 0; j < 2; j++)
            own += grip.weight[a] * grip.weight[b] * grip.g[2 * i + d] * grip.g[2 * j + d] *
                   grip.compliance[4 * (grip.row[a] * grip.n_row + grip.row[b]) + 2 * i + j];
    cr_expect_float_eq(own, expected, 1e-13 * expected, "grip along %d", d);
    memset(impulse, 0, sizeof impulse);
    site_add(2, &site, axis[d], impulse);
    const LinearStep step = {.bs = bs, .state = &run->state.bodies};
    cr_assert_eq(dynamics_correct(&step, zero, impulse, v, &arena, &err), OK);
    site_velocity(2, &site, v, u);
    cr_expect_float_eq(u[0] * axis[d][0] + u[1] * axis[d][1], expected, 1e-13 * expected,
                       "correction along %d", d);
  }
  arena_free(&arena);
  run_case_close(run);
}

// The same in space, of a box that has turned: 1/m + (r x d) J^-1 (r x d), and between two sites.
Test(body_rigid, grip_and_correction_answer_as_a_rigid_body_in_space) {
  CaseRun *run = run_case_open_text(
      "<voussoir><model space=\"solid\"/><material name=\"m\" density=\"2000\" young=\"1e9\""
      " poisson=\"0.2\"/><box name=\"b\" material=\"m\" kinematics=\"rigid\" size=\"3 1 2\""
      " cells=\"1 1 1\" x=\"5\" y=\"2\" z=\"-4\"/><velocity of=\"b\" x=\"1\" spin=\"3 2 -1\"/>"
      "<time end=\"1\" step=\"0.1\" theta=\"1\"/></voussoir>",
      NULL);
  for (int k = 0; k < 5; k++) run_case_step(run, 0);
  const BodySet *bs = &run->input.model.bodies;
  BodyState *state = &run->state.bodies;
  uint8_t turned;
  dynamics_update_frames(bs, (StepSize){.h = 0.1, .theta = 1}, state, &turned);
  cr_assert(turned);
  const double size[3] = {3, 1, 2}, mass = 12000,
               axis[3][3] = {{0.6, 0.8, 0}, {-0.8, 0.6, 0}, {0, 0, 1}};
  const Site site[2] = {{.body = 0, .n = 4, .node = {1, 3, 7, 5}, .weight = {0.1, 0.2, 0.3, 0.4}},
                        {.body = 0, .n = 1, .node = {6}, .weight = {1}}};
  double x[2][3] = {{0}}, middle[3] = {0}, inverse[9] = {0}, *frame = state->frame;
  for (int k = 0; k < 8; k++)
    for (int i = 0; i < 3; i++) middle[i] += (bs->x[3 * k + i] + state->q[3 * k + i]) / 8;
  for (int s = 0; s < 2; s++)
    for (int k = 0; k < site[s].n; k++)
      for (int i = 0; i < 3; i++)
        x[s][i] += site[s].weight[k] *
                   (bs->x[3 * site[s].node[k] + i] + state->q[3 * site[s].node[k] + i] - middle[i]);
  for (int k = 0; k < 3; k++) {                            // F J^-1 F^T
    double own = mass / 12 * (10 + 4 - size[k] * size[k]); // the sides' squares add up to 14
    for (int i = 0; i < 9; i++) inverse[i] += frame[3 * (i / 3) + k] * frame[3 * (i % 3) + k] / own;
  }
  Grip grip[2];
  for (int s = 0; s < 2; s++)
    body_grip(&(GripSource){.bs = bs, .frame = frame}, &site[s], axis, &grip[s]);
  Err err = {0};
  Arena arena = {0};
  for (int d = 0; d < 9;
       d++) { // velocity along axis d % 3 of the first by an impulse on the second
    const double *a = axis[d % 3], *b = axis[d / 3];
    double l[3], m[3], expected = 0, own = 0, u[3] = {0}, impulse[24] = {0}, zero[24] = {0}, v[24];
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, k = (i + 2) % 3;
      l[i] = x[0][j] * a[k] - x[0][k] * a[j];
      m[i] = x[1][j] * b[k] - x[1][k] * b[j];
      expected += a[i] * b[i] / mass;
    }
    for (int i = 0; i < 9; i++) expected += l[i / 3] * inverse[i] * m[i % 3];
    for (int p = 0; p < grip[0].n; p++)
      for (int r = 0; r < grip[1].n; r++)
        for (int i = 0; i < 9; i++)
          own += grip[0].weight[p] * grip[1].weight[r] * grip[0].g[3 * (i / 3) + d % 3] *
                 grip[1].g[3 * (i % 3) + d / 3] *
                 grip[0].compliance[9 * (grip[0].row[p] * grip[0].n_row + grip[1].row[r]) + i];
    cr_expect_float_eq(own, expected, 1e-13 / 12000 * 20, "grip %d: %g %g", d, own, expected);
    site_add(3, &site[1], b, impulse);
    const LinearStep step = {.bs = bs, .state = state};
    cr_assert_eq(dynamics_correct(&step, zero, impulse, v, &arena, &err), OK);
    site_velocity(3, &site[0], v, u);
    cr_expect_float_eq(u[0] * a[0] + u[1] * a[1] + u[2] * a[2], expected, 1e-13 / 12000 * 20,
                       "correction %d", d);
  }
  arena_free(&arena);
  run_case_close(run);
}
