#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/run_case.h"

// A block that slides and lands on another, which is glued to the ground at its foot.
static CaseRun *scene(const char *more) {
  return run_case_open_text(
      xml_format("<voussoir><model thickness='0.5'/>"
                 "<material name='s' density='2000' young='1e7' poisson='0.2' damping_mass='1'/>"
                 "<law name='d' friction='0.3'/>"
                 "<block name='low' material='s' width='0.6' height='0.4'/>"
                 "<block name='top' material='s' x='0.1' y='0.4' width='0.4' height='0.2'/>"
                 "<support name='base' shape='box' x='-1' y='-1' width='3' height='1'/>"
                 "<contact candidate='all' antagonist='all base' law='d'/><gravity/>"
                 "<velocity of='top' x='0.5'/><time end='1' step='1e-3'/>"
                 "<solver type='nsgs' tolerance='1e-10' max_iterations='20000'/>%s</voussoir>",
                 more),
      NULL);
}

static const double mass_low = 2000 * 0.6 * 0.4 * 0.5, mass_top = 2000 * 0.4 * 0.2 * 0.5;

Test(probe, reaction_is_the_sum_of_contact_forces_with_the_sense_of_what_the_bodies_exert) {
  CaseRun *run = scene("<probe name='base' quantity='reaction' of='base'/>"
                       "<probe name='low' quantity='reaction' of='low'/>"
                       "<probe name='all' quantity='reaction' of='all base'/>");
  run_case_steps(run, 12);
  int base = run_case_body(run, "base"), low = run_case_body(run, "low");
  for (int step = 0; step < 10; step++) {
    run_case_step(run, 1);
    double sum[2][2] = {{0}}; // on base, on low
    for (int c = 0; c < contact_count(run->work.contact); c++) {
      const Contact *contact = &contact_list(run->work.contact)[c];
      const double *r = run->work.reaction + 2 * c;
      for (int k = 0; k < 2; k++)
        for (int side = 0; side < 2; side++) {
          double force = (contact->n[k] * r[0] + contact->t[k] * r[1]) / 1e-3;
          if (side == 1) force = -force; // on the antagonist
          if (contact->side[side].body == base) sum[0][k] += force;
          if (contact->side[side].body == low) sum[1][k] += force;
        }
    }
    cr_assert_float_eq(run_case_last(run, "base_x"), -sum[0][0], 1e-7);
    cr_assert_float_eq(run_case_last(run, "base_y"), -sum[0][1], 1e-7);
    cr_assert_float_eq(run_case_last(run, "low_x"), -sum[1][0], 1e-7);
    cr_assert_float_eq(run_case_last(run, "low_y"), -sum[1][1], 1e-7);
    cr_assert_float_eq(run_case_last(run, "all_x"), 0, 1e-7); // actions and reactions
    cr_assert_float_eq(run_case_last(run, "all_y"), 0, 1e-7);
  }
  run_case_close(run);
}

Test(probe, of_a_force_near_a_point_is_that_of_one_node) {
  CaseRun *run = scene("<force on='top.top' x='7' near='0.51 0.6'/><force on='top.top' x='3'/>");
  const LoadSet *loads = &run->input.model.loads;
  int found = 0, shared = 0;
  for (int k = 0; k < loads->n_loads; k++) {
    const Load *load = &loads->loads[k];
    if (load->f.kind != FUNCTION_CONSTANT) continue;
    shared += load->f.constant == 3 && load->n > 1;
    if (load->f.constant != 7) continue;
    found++;
    cr_assert_eq(load->n, 1);
    const double *x = run->input.model.bodies.x + 2 * (load->dof[0] / 2);
    cr_assert(fabs(x[0] - 0.5) < 1e-12 && fabs(x[1] - 0.6) < 1e-12 && load->coef[0] == 1);
  }
  cr_assert(found == 1 && shared == 1);
  run_case_close(run);
}

Test(probe, momentum_changes_by_weight_contact_and_damping_impulses) {
  // p1 - p0 = h (weight + what the base exerts - damping_mass p_theta), theta = 1/2
  CaseRun *run = scene("<probe name='p' quantity='momentum' of='all'/>"
                       "<probe name='top' quantity='momentum' of='top'/>"
                       "<probe name='base' quantity='reaction' of='base'/>");
  double before[2] = {mass_top * 0.5, 0}, h = 1e-3;
  for (int step = 0; step < 30; step++) {
    run_case_step(run, 1);
    const double p[2] = {run_case_last(run, "p_x"), run_case_last(run, "p_y")};
    const double force[2] = {run_case_last(run, "base_x"),
                             run_case_last(run, "base_y") - 9.81 * (mass_low + mass_top)};
    for (int i = 0; i < 2; i++) {
      double change = h * (force[i] - 1.0 * 0.5 * (p[i] + before[i]));
      cr_assert_float_eq(p[i] - before[i], change, 1e-8, "step %d", step);
      before[i] = p[i];
    }
  }
  cr_assert_gt(run_case_last(run, "top_x"), 0);
  cr_assert_lt(run_case_last(run, "top_x"), mass_top * 0.5); // friction has braked it
  run_case_close(run);
}

// Of no node there is nothing to say, in the columns of the probe and in no other.
Test(probe, of_nodes_that_are_gone_is_no_number) {
  CaseRun *run = scene("<probe name='d' quantity='displacement' of='top'/>"
                       "<probe name='v' quantity='velocity' of='top'/>");
  run_case_step(run, 0);
  for (int k = 0; k < 2; k++) {
    Probe probe = run->input.output.probes[k];
    Observation now = {.model = &run->input.model, .state = &run->state, .work = &run->work};
    double value[4] = {1, 1, 1, 1};
    int n = probe_n_columns(&probe, 2);
    probe.n_items = 0;
    probe_observe(&probe, &now, value);
    for (int c = 0; c < 4; c++)
      cr_assert(c < n ? isnan(value[c]) : value[c] == 1, "column %d of %d", c, n);
  }
  run_case_close(run);
}

Test(probe, displacement_and_velocity_are_means_over_the_nodes_that_are_named) {
  CaseRun *run = scene("<probe name='u' quantity='displacement' of='top.right'/>"
                       "<probe name='v' quantity='velocity' of='low'/>"
                       "<probe name='both' quantity='displacement' of='top.right low'/>"
                       "<probe name='near' quantity='displacement' of='top' near='0.49 0.61'/>");
  run_case_steps(run, 15);
  const BodySet *bs = &run->input.model.bodies;
  double u[2] = {0}, v[2] = {0}, both[2] = {0};
  int n_u = 0, n_v = 0, n_near = 0;
  for (int k = 0; k < bs->node_ptr[2]; k++)
    for (int i = 0; i < 2; i++) {
      int at_right = bs->body_of[k] == 1 && bs->x[2 * k] > 0.4999;
      int corner = at_right && bs->x[2 * k + 1] > 0.5999;
      if (corner && i == 0) {
        n_near++;
        cr_assert_eq(run_case_last(run, "near_x"), run->state.bodies.q[2 * k]);
        cr_assert_eq(run_case_last(run, "near_y"), run->state.bodies.q[2 * k + 1]);
      }
      n_u += at_right && i == 0;
      n_v += bs->body_of[k] == 0 && i == 0;
      if (at_right) u[i] += run->state.bodies.q[2 * k + i];
      if (bs->body_of[k] == 0) v[i] += run->state.bodies.v[2 * k + i];
      if (at_right || bs->body_of[k] == 0) both[i] += run->state.bodies.q[2 * k + i];
    }
  cr_assert(n_u == 3 && n_v == 9 && n_near == 1);
  cr_assert_float_eq(run_case_last(run, "u_x"), u[0] / 3, 1e-15);
  cr_assert_float_eq(run_case_last(run, "u_y"), u[1] / 3, 1e-15);
  cr_assert_float_eq(run_case_last(run, "v_x"), v[0] / 9, 1e-15);
  cr_assert_float_eq(run_case_last(run, "v_y"), v[1] / 9, 1e-15);
  cr_assert_float_eq(run_case_last(run, "both_x"), both[0] / 12, 1e-15);
  cr_assert_float_eq(run_case_last(run, "both_y"), both[1] / 12, 1e-15);
  run_case_close(run);
}

Test(probe, hold_carries_what_nothing_else_carries) {
  // A block that is held at its foot without any contact: hold + weight = change of momentum.
  CaseRun *run =
      run_case_open_text("<voussoir><material name='s' density='2000' young='1e7' poisson='0.2'/>"
                         "<block name='b' material='s' width='0.6' height='0.4'/><gravity x='2'/>"
                         "<prescribe on='b.bottom' x='1e-3*sin(30*t)' y='0'/>"
                         "<force on='b.top' x='50'/><time end='1' step='1e-3' theta='1'/>"
                         "<probe name='hold' quantity='hold' of='b.bottom'/>"
                         "<probe name='p' quantity='momentum' of='b'/></voussoir>",
                         NULL);
  // Prescribed nodes carry velocity from the start on.
  double before[2] = {0}, h = 1e-3, mass = 2000 * 0.6 * 0.4;
  for (int step = 0; step < 200; step++) {
    run_case_step(run, 1);
    const double p[2] = {run_case_last(run, "p_x"), run_case_last(run, "p_y")};
    const double load[2] = {2 * mass + 50, -9.81 * mass};
    const double hold[2] = {run_case_last(run, "hold_x"), run_case_last(run, "hold_y")};
    for (int i = 0; i < 2 && step > 0; i++)
      cr_assert_float_eq(p[i] - before[i], h * (load[i] + hold[i]), 1e-8, "step %d, %d: %g %g",
                         step, i, p[i] - before[i], h * (load[i] + hold[i]));
    memcpy(before, p, sizeof before);
  }
  // theta = 1 has damped the vertical motion: what is left is the weight, and a little of the
  // shaking because the triangles are not symmetric.
  cr_assert_float_eq(run_case_last(run, "hold_y"), 9.81 * mass, 0.02 * 9.81 * mass);
  run_case_close(run);
}

Test(probe, spin_is_the_rotation_and_its_rate_of_a_body_moved_by_hand) {
  CaseRun *run = scene("<probe name='top' quantity='spin' of='top'/>"
                       "<probe name='both' quantity='spin' of='low top'/>");
  const BodySet *bs = &run->input.model.bodies;
  for (double angle = -3; angle <= 3; angle += 0.5) {
    double c = cos(angle), s = sin(angle), rate = 2 - angle;
    for (int k = bs->node_ptr[1]; k < bs->node_ptr[2]; k++) {
      double x = bs->x[2 * k], y = bs->x[2 * k + 1], *q = run->state.bodies.q + 2 * k;
      q[0] = c * x - s * y + 0.3 - x; // about the origin, and moved
      q[1] = s * x + c * y - 0.2 - y;
      run->state.bodies.v[2 * k] = 0.7 - rate * (y + q[1]);
      run->state.bodies.v[2 * k + 1] = -0.1 + rate * (x + q[0]);
    }
    Observation now = {.model = &run->input.model, .state = &run->state, .work = &run->work};
    for (int k = 0; k < 2; k++) {
      const Probe *probe = &run->input.output.probes[k];
      double value[PROBE_MAX_COLUMNS];
      probe->type->observe(probe, &now, value);
      cr_assert_float_eq(value[0], angle / (k + 1), 1e-12); // the other body has not turned
      cr_assert_float_eq(value[1], rate / (k + 1), 1e-11);
    }
  }
  run_case_close(run);
}

Test(probe, energy_of_a_falling_block_is_that_of_its_fall) {
  CaseRun *run = run_case_open_text(
      "<voussoir><material name='s' density='2000' young='1e7' poisson='0.2'/>"
      "<block name='b' material='s' width='0.6' height='0.4'/><gravity/>"
      "<law name='d' friction='0'/><support name='f' shape='plane' y='-99'/>"
      "<contact candidate='b' antagonist='f' law='d'/><time end='0.1' step='1e-3'/>"
      "<probe name='e' quantity='energy'/></voussoir>",
      NULL);
  run_case_to_end(run);
  double v = 9.81 * 0.1, kinetic = 0.5 * 2000 * 0.6 * 0.4 * v * v;
  cr_assert_float_eq(run_case_last(run, "e_kinetic"), kinetic, 1e-9 * kinetic);
  cr_assert_float_eq(run_case_last(run, "e_external"), kinetic, 1e-9 * kinetic);
  static const char *const zero[] = {"e_elastic", "e_contact_normal", "e_friction", "e_damping",
                                     "e_numerical"};
  for (int k = 0; k < 5; k++)
    cr_assert_float_eq(run_case_last(run, zero[k]), 0, 1e-9 * kinetic, "%s", zero[k]);
  run_case_close(run);
}

Test(probe, status_counts_every_contact_once) {
  CaseRun *run = scene("<probe name='n' quantity='status'/>");
  int n_slip = 0;
  for (int step = 0; step < 30; step++) {
    run_case_step(run, 1);
    // Impulses tell: none is open, on the mantle of the cone slips, inside sticks.
    double open = 0, slip = 0, stick = 0;
    for (int c = 0; c < contact_count(run->work.contact); c++) {
      const double *r = run->work.reaction + 2 * c;
      if (r[0] <= 0)
        open++;
      else if (fabs(r[1]) >= (1 - 1e-9) * 0.3 * r[0])
        slip++;
      else
        stick++;
    }
    n_slip += slip > 0;
    cr_assert_eq(run_case_last(run, "n_open"), open);
    cr_assert_eq(run_case_last(run, "n_stick"), stick);
    cr_assert_eq(run_case_last(run, "n_slip"), slip);
    cr_assert_eq(run_case_last(run, "n_broken"), 0);
    cr_assert_eq(run_case_last(run, "contacts"), open + stick + slip);
  }
  cr_assert_gt(n_slip, 0);
  run_case_close(run);
}

Test(probe, table_has_a_suffix_and_a_unit_for_every_column) {
  for (int k = 0; k < n_probe_types; k++) {
    const ProbeType *type = &probe_types[k];
    cr_assert_eq(probe_find(type->name), type);
    Probe all = {.type = type, .component = -1};
    int n_columns = probe_n_columns(&all, 3);
    cr_assert(n_columns >= 1 && n_columns <= PROBE_MAX_COLUMNS, "%s", type->name);
    cr_assert(type->observe && type->doc && *type->doc, "%s", type->name);
    for (int c = 0; c < n_columns; c++) {
      cr_assert(type->suffix[c] && type->unit[c] && *type->unit[c], "%s, %d", type->name, c);
      for (int d = 0; d < c; d++) cr_assert(strcmp(type->suffix[c], type->suffix[d]) != 0);
    }
    for (int other = 0; other < k; other++)
      cr_assert(strcmp(type->name, probe_types[other].name) != 0, "%s twice", type->name);
  }
  cr_assert_null(probe_find("no such quantity"));
}
