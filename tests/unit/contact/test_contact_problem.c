#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/staged_step.h"
#include "contact/pair_type.h"
#include "solver/operator.h"

// A block on another on a base, with any law between them.
static CaseRun *stack(const char *law, const char *points, double gap, const char *more) {
  return run_case_open_text(
      xml_format("<voussoir><material name='s' density='1000' young='1e6' poisson='0.2'/>"
                 "<law name='j' friction='0.5' %s/>"
                 "<block name='low' material='s' width='0.4' height='0.2'/>"
                 "<block name='top' material='s' y='%.17g' width='0.4' height='0.2'/>"
                 "<support name='base' shape='box' x='-1' y='-1' width='3' height='1'/>"
                 "<contact candidate='all' antagonist='all base' law='j' points='%s'/>"
                 "<detection alert='0.02'/><gravity/>%s<time end='1' step='1e-3'/></voussoir>",
                 law, 0.2 + gap, points, more),
      NULL);
}

// Contact c joins the two blocks (else one of them and the base).
static int between_blocks(const CaseRun *run, int c) {
  const Contact *contact = &contact_list(run->work.contact)[c];
  const BodySet *bs = &run->input.model.bodies;
  return bs->proto[contact->side[0].body] >= 0 && bs->proto[contact->side[1].body] >= 0;
}

Test(contact_problem, impulses_on_nodes_are_adjoint_to_relative_velocities) {
  static const char *const rules[3] = {"midpoints", "nodes", "gauss"};
  unsigned seed = 1;
  for (int rule = 0; rule < 3; rule++) {
    CaseRun *run = stack("", rules[rule], 1e-3, "<velocity of='top' x='0.1' spin='0.2'/>");
    run_case_steps(run, 3);
    int n = contact_count(run->work.contact), m = run->input.model.bodies.n_nodes;
    double v[400], impulse[400], r[200], u[200];
    cr_assert(n > 3 && 2 * m <= 400 && 2 * n <= 200);
    for (int trial = 0; trial < 10; trial++) {
      double left = 0, right = 0;
      for (int k = 0; k < 2 * m; k++) v[k] = test_random(&seed);
      for (int k = 0; k < 2 * n; k++) r[k] = test_random(&seed);
      memset(impulse, 0, sizeof impulse);
      contact_velocities(run->work.contact, v, u);
      contact_add_impulses(run->work.contact, r, impulse);
      for (int k = 0; k < 2 * n; k++) left += u[k] * r[k];
      for (int k = 0; k < 2 * m; k++) right += v[k] * impulse[k];
      cr_assert_float_eq(left, right, 1e-12 * n, "%s: r.H^T v = %.15g, H r.v = %.15g", rules[rule],
                         left, right);
    }
    run_case_close(run);
  }
}

Test(contact_problem, impulses_act_on_both_bodies_with_opposite_sense) {
  CaseRun *run = stack("", "gauss", 0, "");
  run_case_steps(run, 2);
  int n = contact_count(run->work.contact), m = run->input.model.bodies.n_nodes;
  unsigned seed = 5;
  double r[200], impulse[400] = {0}, sum[2] = {0};
  for (int k = 0; k < 2 * n; k++) r[k] = test_random(&seed);
  contact_add_impulses(run->work.contact, r, impulse);
  for (int k = 0; k < 2 * m; k++) sum[k % 2] += impulse[k];
  cr_assert_float_eq(sum[0], 0, 1e-13);
  cr_assert_float_eq(sum[1], 0, 1e-13);
  run_case_close(run);
}

Test(contact_problem, relative_velocity_is_that_of_the_points_of_two_rigid_motions) {
  // Candidate and antagonist move as rigid bodies: u = v_c + w_c x p - v_a - w_a x p at the point
  // p.
  static const char *const rules[3] = {"midpoints", "nodes", "gauss"};
  for (int rule = 0; rule < 3; rule++) {
    CaseRun *run = stack("", rules[rule], 0, "");
    StagedStep staged;
    staged_step_begin(&staged, run, 1e-3);
    const BodySet *bs = &run->input.model.bodies;
    const double rigid[3][3] = {{0.3, -0.2, 1.5}, {-0.1, 0.4, -0.7}, {0.2, 0.1, 0.3}}; // v_x v_y w
    double v[400], u[200];
    cr_assert_leq(2 * bs->n_nodes, 400);
    for (int k = 0; k < bs->n_nodes; k++) {
      const double *of = rigid[bs->body_of[k]], *x = bs->x + 2 * k;
      v[2 * k] = of[0] - of[2] * x[1];
      v[2 * k + 1] = of[1] + of[2] * x[0];
    }
    contact_velocities(run->work.contact, v, u);
    for (int c = 0; c < contact_count(run->work.contact); c++) {
      const Contact *contact = &contact_list(run->work.contact)[c];
      double p[2] = {0}, d[2];
      for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++)
          p[i] += contact->side[0].weight[k] * bs->x[2 * contact->side[0].node[k] + i];
      const double *a = rigid[contact->side[0].body], *b = rigid[contact->side[1].body];
      d[0] = a[0] - a[2] * p[1] - b[0] + b[2] * p[1];
      d[1] = a[1] + a[2] * p[0] - b[1] - b[2] * p[0];
      // The joints are horizontal: n = (0, +-1), t = n turned by -90 degrees.
      cr_assert_float_eq(fabs(contact->n[1]), 1, 1e-12);
      cr_assert_float_eq(contact->t[0], contact->n[1], 1e-12);
      cr_assert_float_eq(u[2 * c], contact->n[1] * d[1], 1e-12);
      cr_assert_float_eq(u[2 * c + 1], contact->n[1] * d[0], 1e-12);
    }
    staged_step_end(&staged);
    run_case_close(run);
  }
}

Test(contact_problem, of_the_first_step_under_gravity_is_known_in_closed_form) {
  // From rest: v_free = -h g in every node of the blocks (no strain yet), 0 in the base.
  double h = 1e-3, gap = 2e-3;
  CaseRun *run = stack("", "midpoints", gap, "");
  StagedStep staged;
  staged_step_begin(&staged, run, h);
  staged_step_problem(&staged);
  const Problem *p = &staged.problem;
  cr_assert_eq(p->dim, 2);
  cr_assert_eq(p->n, contact_count(run->work.contact));
  cr_assert_null(p->radius);
  cr_assert_null(p->s);
  cr_assert_null(p->a);
  int n_between = 0;
  for (int c = 0; c < p->n; c++) {
    int between = between_blocks(run, c);
    n_between += between;
    // Both blocks fall alike: b_N = gap / h; the lower one on the base: -h g.
    double expected = between ? gap / h : -h * 9.81;
    cr_assert_float_eq(p->b[2 * c], expected, 1e-12, "b_N = %g, expected %g", p->b[2 * c],
                       expected);
    cr_assert_float_eq(p->b[2 * c + 1], 0, 1e-13);
    cr_assert_eq(p->mu[c], 0.5);
    cr_assert_eq(staged.r[2 * c], 0);
    for (int k = 0; k < 4; k++)
      cr_assert_eq(p->diag[4 * c + k], run->work.contact->diag[4 * c + k]);
  }
  cr_assert_eq(n_between, 2);
  staged_step_end(&staged);
  run_case_close(run);
}

Test(contact_problem, carries_impulses_over_as_forces_when_the_step_changes) {
  CaseRun *run = stack("", "midpoints", 0, "");
  run_case_steps(run, 30);
  int n = contact_count(run->work.contact);
  double before[200], largest = 0;
  cr_assert_leq(2 * n, 200);
  memcpy(before, run->work.reaction, sizeof *before * 2 * (size_t)n);
  for (int k = 0; k < 2 * n; k++) largest = fmax(largest, before[k]);
  cr_assert_gt(largest, 0);
  static const double ratio[4] = {1, 0.5, 0.125, 2};
  for (int k = 0; k < 4; k++) {
    StagedStep staged;
    staged_step_begin(&staged, run, ratio[k] * 1e-3);
    staged_step_problem(&staged);
    cr_assert_eq(staged.problem.n, n);
    for (int i = 0; i < 2 * n; i++)
      cr_assert_float_eq(staged.r[i], ratio[k] * before[i],
                         1e-15 * largest + 1e-14 * fabs(before[i]), "ratio %g: %g for %g", ratio[k],
                         staged.r[i], before[i]);
    staged_step_end(&staged);
  }
  run_case_close(run);
}

Test(contact_problem, a_contact_that_was_lost_comes_back_without_impulse) {
  CaseRun *run = stack("", "midpoints", 0, "");
  run_case_steps(run, 20);
  int top = run_case_body(run, "top");
  const BodySet *bs = &run->input.model.bodies;
  double largest = 0;
  for (int lift = 1; lift >= 0; lift--) { // out of reach for a step, then back where it was
    for (int k = bs->node_ptr[top]; k < bs->node_ptr[top + 1]; k++)
      run->state.bodies.q[2 * k + 1] += lift ? 0.05 : -0.05;
    if (lift) {
      run_case_step(run, 0);
      for (int c = 0; c < contact_count(run->work.contact); c++)
        cr_assert_not(between_blocks(run, c));
    }
  }
  StagedStep staged;
  staged_step_begin(&staged, run, 1e-3);
  staged_step_problem(&staged);
  int n_between = 0;
  for (int c = 0; c < staged.problem.n; c++) {
    if (!between_blocks(run, c)) {
      largest = fmax(largest, staged.r[2 * c]);
      continue;
    }
    n_between++;
    cr_assert_eq(staged.r[2 * c], 0);
    cr_assert_eq(staged.r[2 * c + 1], 0);
  }
  cr_assert_eq(n_between, 2);
  cr_assert_gt(largest, 0); // those of the base kept theirs
  staged_step_end(&staged);
  run_case_close(run);
}

Test(contact_problem, a_contact_that_is_not_forecast_cannot_carry_whatever_else_happens) {
  CaseRun *run = stack("type='restitution' restitution='0.5'", "midpoints", 5e-3,
                       "<velocity of='top' x='3' y='-1'/>");
  StagedStep staged;
  staged_step_begin(&staged, run, 1e-3);
  staged_step_problem(&staged);
  const Problem *p = &staged.problem;
  int n_open = 0, n_forecast = 0;
  for (int c = 0; c < p->n; c++) {
    if (contact_list(run->work.contact)[c].gap <= 0) {
      n_forecast++;
      cr_assert_eq(p->mu[c], 0.5);
      continue;
    }
    n_open++;
    // Whatever |b_T| is, b_N beats it, there is no friction, and the solution is r = 0.
    cr_assert_gt(p->b[2 * c], fabs(p->b[2 * c + 1]));
    cr_assert_eq(p->mu[c], 0);
  }
  cr_assert_eq(n_open, 2);
  cr_assert_eq(n_forecast, 2);
  staged_step_end(&staged);
  run_case_step(run, 0);
  for (int c = 0; c < contact_count(run->work.contact); c++)
    if (between_blocks(run, c)) {
      cr_assert_eq(run->work.reaction[2 * c], 0);
      cr_assert_eq(run->work.reaction[2 * c + 1], 0);
      cr_assert_eq(contact_status(run->work.contact, c), STATUS_OPEN);
    }
  run_case_close(run);
}

Test(contact_problem, restitution_shifts_by_a_share_of_the_old_velocity) {
  double e = 0.3;
  CaseRun *run =
      stack("type='restitution' restitution='0.3'", "midpoints", 0, "<velocity of='top' y='-2'/>");
  StagedStep staged;
  staged_step_begin(&staged, run, 1e-3);
  staged_step_problem(&staged);
  for (int c = 0; c < staged.problem.n; c++) {
    if (!between_blocks(run, c)) continue;
    // The velocity is uniform in each block, so free velocities are -2 - h g and -h g.
    cr_assert_float_eq(contact_old_velocities(run->work.contact)[2 * c], -2, 1e-13);
    cr_assert_float_eq(staged.problem.b[2 * c], -2 - 2 * e, 1e-12);
  }
  staged_step_end(&staged);
  run_case_close(run);
}

Test(contact_problem, elastic_joints_add_their_compliance_and_remember_their_shear_force) {
  // docs/theory/nscd.md section 2: C = 1/(h^2 k), a_T = -r_T(i)/(h^2 k_T), k = stiffness *
  // tributary area
  double k_n = 4e8, k_t = 1e8, h = 1e-3;
  CaseRun *run = stack("type='elastic_joint' normal_stiffness='4e8' tangent_stiffness='1e8'",
                       "midpoints", 0, "<force on='top.top' x='100'/>");
  run_case_steps(run, 40);
  double old[200], largest = 0;
  memcpy(old, run->work.reaction, sizeof *old * 2 * (size_t)contact_count(run->work.contact));
  StagedStep staged;
  staged_step_begin(&staged, run, h);
  staged_step_problem(&staged);
  const ContactWork *work = run->work.contact;
  double u[200];
  contact_velocities(work, staged.v_free, u);
  cr_assert_eq(staged.problem.n, 4);
  for (int c = 0; c < staged.problem.n; c++) {
    const double area = 0.2; // two cells on 0.4 m
    const double *diag = staged.problem.diag + 4 * c;
    cr_assert_float_eq(contact_list(work)[c].area, area, 1e-12);
    cr_assert_float_eq(diag[0] - work->diag[4 * c], 1 / (h * h * k_n * area), 1e-13);
    cr_assert_float_eq(diag[3] - work->diag[4 * c + 3], 1 / (h * h * k_t * area), 1e-13);
    cr_assert_eq(diag[1], work->diag[4 * c + 1]);
    double shift = -old[2 * c + 1] / (h * h * k_t * area);
    largest = fmax(largest, fabs(shift));
    cr_assert_float_eq(staged.problem.b[2 * c + 1], u[2 * c + 1] + shift, 1e-12);
    cr_assert_float_eq(staged.problem.b[2 * c], u[2 * c] + contact_list(work)[c].gap / h, 1e-12);
  }
  cr_assert_gt(largest, 1e-6); // there was a shear force to remember
  staged_step_end(&staged);
  run_case_close(run);
}

Test(contact_problem, strengths_become_shift_and_radius) {
  // s_N = h f_t area; radius = h (c - mu f_t) area, so that |r_T| <= mu r_N + h c area
  double h = 1e-3, f_t = 2e4, c_0 = 3e4, mu = 0.5, area = 0.2;
  CaseRun *run = stack("type='mohr_coulomb' tension='2e4' cohesion='3e4'", "midpoints", 0, "");
  StagedStep staged;
  staged_step_begin(&staged, run, h);
  staged_step_problem(&staged);
  const Problem *p = &staged.problem;
  cr_assert(p->s && p->radius && !p->a);
  for (int c = 0; c < p->n; c++) {
    cr_assert_float_eq(p->s[2 * c], h * f_t * area, 1e-12);
    cr_assert_float_eq(p->s[2 * c + 1], 0, 1e-15);
    cr_assert_float_eq(mu * (p->s[2 * c]) + p->radius[c], h * c_0 * area, 1e-12);
  }
  staged_step_end(&staged);
  run_case_close(run);
}

Test(contact_problem, a_cohesive_zone_stands_beside_the_contact_with_its_stiffness) {
  // A = h^2 k area while undamaged; the solver's u holds the shift a = g~/h, the zone does not feel
  // it.
  double h = 1e-3, k_n = 1e8, k_t = 5e7, area = 0.2, gap = 1e-9;
  CaseRun *run = stack("type='cohesive_zone' normal_stiffness='1e8' tangent_stiffness='5e7' "
                       "tension='1e5' energy='10'",
                       "midpoints", gap, "");
  StagedStep staged;
  staged_step_begin(&staged, run, h);
  staged_step_problem(&staged);
  const Problem *p = &staged.problem;
  cr_assert(p->a && !p->radius);
  for (int c = 0; c < p->n; c++) {
    if (!between_blocks(run, c)) continue;
    double a_n = h * h * k_n * area, slack = contact_list(run->work.contact)[c].gap / h;
    cr_assert_float_eq(p->a[2 * c], a_n, 1e-12);
    cr_assert_float_eq(p->a[2 * c + 1], h * h * k_t * area, 1e-12);
    // rho = r + s + A u' must equal r + A (u' - a): s = -A a
    cr_assert_float_eq((p->s ? p->s[2 * c] : 0), -a_n * slack, 1e-13);
  }
  staged_step_end(&staged);
  run_case_close(run);
}

Test(contact_problem, solved_by_the_step_gives_back_its_own_velocities) {
  // u = W r + b - a over all contacts, with r and u of the step: the blocks, the free velocity and
  // the correction of the bodies are three roads to the same number.
  CaseRun *run = stack("", "gauss", 0, "<velocity of='top' x='0.2'/>");
  for (int step = 0; step < 10; step++) {
    run_case_step(run, 0);
    const Problem *p = &run->work.problem;
    for (int c = 0; c < p->n; c++) {
      double u[3];
      const double *r = run->work.reaction + 2 * c, *diag = p->diag + 4 * c;
      operator_others(p, c, run->work.reaction, u);
      for (int k = 0; k < 2; k++) {
        u[k] += diag[2 * k] * r[0] + diag[2 * k + 1] * r[1];
        u[k] -= run->work.contact->shift[c].a[k];
        cr_assert_float_eq(u[k], run->work.velocity[2 * c + k], 1e-11, "step %d", step);
      }
    }
  }
  run_case_close(run);
}

Test(contact_problem, of_rigid_bodies_with_many_contacts_is_held_by_bodies) {
  // The same three roads: of few contacts W has blocks, of many the levers of the bodies alone.
  // The law's springs are part of the diagonal, not of the bodies.
  static const char *const cells[2] = {"4", "16"};
  for (int many = 0; many < 2; many++) {
    CaseRun *run = run_case_open_text(
        xml_format("<voussoir><material name='s' density='1000' young='1e6' poisson='0.2'/>"
                   "<law name='j' type='elastic_joint' friction='0.5' normal_stiffness='1e8'"
                   " tangent_stiffness='5e7'/><block name='low' kinematics='rigid' material='s'"
                   " width='0.4' height='0.2' cells_x='%s'/><block name='top' kinematics='rigid'"
                   " material='s' y='0.2' width='0.4' height='0.2' cells_x='%s'/>"
                   "<support name='base' shape='box' x='-1' y='-1' width='3' height='1'/>"
                   "<contact candidate='all' antagonist='all base' law='j' points='gauss'/>"
                   "<gravity/><velocity of='top' x='0.2' spin='0.1'/>"
                   "<time end='1' step='1e-3'/></voussoir>",
                   cells[many], cells[many]),
        NULL);
    for (int step = 0; step < 10; step++) {
      run_case_step(run, 0);
      const Problem *p = &run->work.problem;
      double u[400];
      cr_assert(p->n > 0 && 2 * p->n <= 400);
      if (step == 5) cr_assert_eq(operator_by_bodies(p), many, "%d contacts", p->n);
      operator_times(p, p->b, run->work.reaction, u);
      for (int k = 0; k < 2 * p->n; k++) {
        const LawShift *shift = &run->work.contact->shift[k / 2];
        double spring = (k % 2 ? shift->c_t : shift->c_n) * run->work.reaction[k];
        cr_assert(spring != 0 || run->work.reaction[k] == 0);
        cr_assert_float_eq(u[k] - shift->a[k % 2] - spring, run->work.velocity[k], 1e-11, "step %d",
                           step);
      }
    }
    run_case_close(run);
  }
}
