// Properties that every row of the table of interface laws must have, and what single laws promise.

#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "contact/law_table.h"
#include "solver/cone.h"
#include "solver/problem.h"

// Parameters that make every law act: stiffness and strengths of a mortar joint.
static void typical(const LawType *law, double *par) {
  for (int k = 0; k < law->n_params; k++) {
    const char *name = law->params[k].name;
    par[k] = strcmp(name, "friction") == 0              ? 0.4
             : strcmp(name, "kinetic") == 0             ? (double)NAN
             : strcmp(name, "restitution") == 0         ? 0.5
             : strcmp(name, "restitution_tangent") == 0 ? 0.2
             : strstr(name, "stiffness")                ? 1e9
             : strcmp(name, "energy") == 0              ? 10
                                                        : 1e5;
  }
}

static double noise(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 23) - 1;
}

typedef struct {
  double d[4], free[2]; // Delassus block, free velocity
  ContactGeometry geo;
  LawShift shift;
  double r[2], u[2]; // solution
} OneContact;

static void random_contact(OneContact *c, unsigned *seed) {
  memset(c, 0, sizeof *c);
  double a = 1 + 0.5 * noise(seed), b = 1 + 0.5 * noise(seed), off = 0.3 * noise(seed);
  const double d[4] = {a, off, off, b};
  memcpy(c->d, d, sizeof d);
  for (int k = 0; k < 2; k++) {
    c->free[k] = noise(seed);
    c->geo.u_old[k] = noise(seed);
    c->geo.r_old[k] = k ? 0.1 * noise(seed) : fabs(noise(seed));
  }
  c->geo.gap = 1e-3 * noise(seed);
  c->geo.area = 0.05;
  c->geo.h = 1e-3;
}

// The one-contact problem of a law, by the reference solver.
static void solve_one(OneContact *c) {
  double diag[4], b[2], a[2] = {c->shift.a_n, c->shift.a_t}, s[2] = {c->shift.s[0], c->shift.s[1]};
  memcpy(diag, c->d, sizeof diag);
  diag[0] += c->shift.c_n;
  diag[3] += c->shift.c_t;
  for (int k = 0; k < 2; k++) b[k] = c->free[k] + c->shift.a[k];
  const int64_t ptr[2] = {0, 0};
  const int32_t none = 0;
  const double w = 0;
  Problem p = {.dim = 2,
               .n = 1,
               .blocks.ptr = ptr,
               .blocks.col = &none,
               .blocks.w = &w,
               .diag = diag,
               .b = b,
               .mu = &c->shift.mu,
               .radius = &c->shift.radius,
               .s = s,
               .a = a};
  SolverSettings settings = {.tolerance = 1e-13, .max_iterations = 1000, .relaxation = 1};
  SolverReport report;
  Arena arena = {0};
  Err err = {0};
  c->r[0] = c->r[1] = 0;
  cr_assert_eq(solver_find("nsgs")->solve(&p, &settings, c->r, &arena, &report, &err), OK, "%s",
               err.text);
  cr_assert(report.converged, "error %g", report.error);
  for (int k = 0; k < 2; k++)
    c->u[k] = c->free[k] + c->d[2 * k] * c->r[0] + c->d[2 * k + 1] * c->r[1];
  arena_free(&arena);
}

Test(law, of_every_kind_gives_an_impulse_that_is_feasible_and_complementary) {
  unsigned seed = 3;
  for (int k = 0; law_types[k]; k++)
    for (int trial = 0; trial < 200; trial++) {
      double par[LAW_MAX_PARAMS], state[LAW_MAX_STATE] = {0};
      OneContact c;
      random_contact(&c, &seed);
      typical(law_types[k], par);
      law_types[k]->prepare(par, state, &c.geo, &c.shift);
      if (c.shift.open) continue;
      solve_one(&c);
      const LawShift *shift = &c.shift;
      double u[2] = {c.u[0] + shift->a[0] + shift->c_n * c.r[0],
                     c.u[1] + shift->a[1] + shift->c_t * c.r[1]};
      double rho[2] = {c.r[0] + shift->s[0] + shift->a_n * (c.u[0] + shift->a[0]),
                       c.r[1] + shift->s[1] + shift->a_t * (c.u[1] + shift->a[1])};
      double size = 1e-9 * (1 + fabs(rho[0]) + fabs(rho[1])),
             speed = 1e-9 * (1 + fabs(u[0]) + fabs(u[1]));
      cr_expect_geq(u[0], -speed, "%s: u_N = %g", law_types[k]->name, u[0]);
      cr_expect_leq(cone_violation(2, shift->mu, shift->radius, rho), size, "%s",
                    law_types[k]->name);
      cr_expect_lt(fabs(u[0] * rho[0]), 1e-8 * (1 + fabs(rho[0])), "%s: u_N rho_N = %g",
                   law_types[k]->name, u[0] * rho[0]);
      cr_expect_leq(u[1] * rho[1], 1e-9 * (1 + fabs(rho[1])), "%s: friction feeds energy",
                    law_types[k]->name);
      if (fabs(u[1]) > 1e-6) // slips: on the mantle
        cr_expect_float_eq(fabs(rho[1]), shift->mu * rho[0] + shift->radius, size * 10, "%s",
                           law_types[k]->name);
    }
}

Test(law, of_every_kind_has_a_name_a_text_and_parameters_that_are_described) {
  for (int k = 0; law_types[k]; k++) {
    cr_assert_eq(law_find(law_types[k]->name), law_types[k]);
    cr_assert(law_types[k]->doc && law_types[k]->doc[0]);
    cr_assert_leq(law_types[k]->n_params, LAW_MAX_PARAMS);
    cr_assert_leq(law_types[k]->n_state, LAW_MAX_STATE);
    cr_assert_eq(law_types[k]->commit != NULL, law_types[k]->n_state > 0);
    for (int p = 0; p < law_types[k]->n_params; p++) cr_assert(law_types[k]->params[p].doc[0]);
  }
  cr_assert_null(law_find("no such law"));
}

Test(law, elastic_joint_carries_minus_k_times_the_gap_at_the_end_of_the_step) {
  const LawType *law = law_find("elastic_joint");
  double par[LAW_MAX_PARAMS];
  unsigned seed = 5;
  typical(law, par);
  for (int trial = 0; trial < 50; trial++) {
    OneContact c;
    random_contact(&c, &seed);
    c.geo.gap = -fabs(c.geo.gap) - 1e-3;
    law->prepare(par, NULL, &c.geo, &c.shift);
    solve_one(&c);
    double k = par[LAW_AFTER_FRICTION] * c.geo.area, gap = c.geo.gap + c.geo.h * c.u[0];
    if (c.r[0] > 0) cr_expect_float_eq(c.r[0] / c.geo.h, -k * gap, 1e-6 * k * 1e-3);
  }
}

Test(law, restitution_keeps_the_sign_of_the_old_velocity_and_waits_for_contact) {
  const LawType *law = law_find("restitution");
  double par[LAW_MAX_PARAMS];
  typical(law, par);
  ContactGeometry geo = {.gap = -1e-6, .u_old = {0.3, 0.1}, .h = 1e-3, .area = 1};
  LawShift shift;
  law->prepare(par, NULL, &geo, &shift);
  cr_assert_eq(shift.open, 0);
  cr_assert_float_eq(shift.a[0], 0.15, 1e-15); // separating: the shift is not clipped
  // in space both tangents have the coefficient of the tangent
  par[LAW_AFTER_FRICTION] = 0.5;
  par[LAW_AFTER_FRICTION + 1] = 0.25;
  geo.u_old[1] = 0.4;
  geo.u_old[2] = 0.8;
  law->prepare(par, NULL, &geo, &shift);
  cr_assert_float_eq(shift.a[0], 0.15, 1e-15);
  cr_assert_float_eq(shift.a[1], 0.1, 1e-15);
  cr_assert_float_eq(shift.a[2], 0.2, 1e-15);
  geo.gap = 1e-6;
  law->prepare(par, NULL, &geo, &shift);
  cr_assert_eq(shift.open, 1);
}

// What rounding or the solver left of no gap is none: else a body at rest stood on nothing for a
// step.
Test(law, that_lets_go_of_open_contacts_holds_what_touches) {
  static const char *const names[] = {"velocity_signorini", "restitution"};
  for (int k = 0; k < 2; k++)
    for (int open = 0; open < 2; open++) {
      const LawType *law = law_find(names[k]);
      double par[LAW_MAX_PARAMS];
      typical(law, par);
      ContactGeometry geo = {.gap = open ? 1.1e-7 : 0.9e-7, .closed = 1e-7, .h = 1e-3, .area = 1};
      LawShift shift;
      law->prepare(par, NULL, &geo, &shift);
      cr_expect_eq(shift.open, open, "%s", names[k]);
    }
}

Test(law, static_friction_gives_way_to_kinetic_while_a_contact_slips) {
  double par[LAW_MAX_PARAMS] = {0.6, 0.4};
  ContactGeometry geo = {.h = 1e-3};
  cr_assert_eq(law_friction(par, &geo), 0.6);
  geo.was_slipping = 1;
  cr_assert_eq(law_friction(par, &geo), 0.4);
  par[LAW_KINETIC] = (double)NAN;
  cr_assert_eq(law_friction(par, &geo), 0.6);
}

Test(law, mohr_coulomb_loses_tension_and_cohesion_for_good_when_it_fails) {
  const LawType *law = law_find("mohr_coulomb");
  double par[LAW_MAX_PARAMS], state[LAW_MAX_STATE] = {0};
  typical(law, par);
  ContactGeometry geo = {.gap = 0, .area = 0.1, .h = 1e-3};
  LawShift shift;
  law->prepare(par, state, &geo, &shift);
  cr_assert_float_eq(shift.s[0], 1e5 * 0.1 * 1e-3, 1e-12); // h f_t A
  const double held[3] = {-0.9 * shift.s[0], 0, 0}, still[3] = {0, 0, 0};
  law->commit(par, &geo, &shift, still, held, 0, state);
  cr_assert_eq(state[0], 0);
  const double torn[3] = {-shift.s[0], 0, 0}, opening[3] = {0.1, 0, 0};
  law->commit(par, &geo, &shift, opening, torn, 0, state);
  cr_assert_eq(state[0], 1);
  law->prepare(par, state, &geo, &shift);
  cr_assert_eq(shift.s[0], 0);
  cr_assert_eq(shift.radius, 0);
  cr_assert_eq(shift.broken, 1);
  law->born(0, state);
  cr_assert_eq(state[0], 1, "a contact made during the run is not glued");
}

Test(law, mohr_coulomb_without_shear_strength_slips_and_keeps_its_tension) {
  const LawType *law = law_find("mohr_coulomb");
  const double par[LAW_MAX_PARAMS] = {0, (double)NAN, 1e6, 0};
  double state[LAW_MAX_STATE] = {0};
  ContactGeometry geo = {.gap = 0, .area = 0.1, .h = 1e-3};
  LawShift shift;
  law->prepare(par, state, &geo, &shift);
  cr_assert_eq(shift.radius, 0);
  cr_assert_eq(shift.mu, 0);
  const double slipping[3] = {0, 2, -1}, pulled[3] = {-0.9 * shift.s[0], 0, 0};
  law->commit(par, &geo, &shift, slipping, pulled, 0, state);
  cr_assert_eq(state[0], 0, "slip costs it nothing");
  const double opening[3] = {0.1, 2, -1}, torn[3] = {-shift.s[0], 0, 0};
  law->commit(par, &geo, &shift, opening, torn, 0, state);
  cr_assert_eq(state[0], 1, "opening does");
}

// Normal impulse [N s] of a node held in the tool by a given depth.
static double pressed(double stiffness, double strength, double depth) {
  const LawType *law = law_find("coulomb");
  double par[LAW_MAX_PARAMS] = {0.1, (double)NAN, stiffness, strength};
  ContactGeometry geo = {.gap = -depth, .area = 2e-6, .h = 1e-4};
  LawShift shift;
  law->prepare(par, NULL, &geo, &shift);
  return -shift.a[0] / shift.c_n; // u_N = 0: a + C r = 0
}

Test(law, a_sheet_that_is_ironed_gives_way_at_its_strength) {
  const double k = 2e14, strength = 3e8, area = 2e-6, h = 1e-4;
  cr_assert_float_eq(pressed(k, strength, 1e-6), h * area * k * 1e-6, 1e-12);
  cr_assert_float_eq(pressed(k, strength, 1.5e-6), h * area * strength, 1e-12);
  cr_assert_float_eq(pressed(k, strength, 1e-4), h * area * strength, 1e-12);
  cr_assert_float_eq(pressed(k, 0, 1e-4), h * area * k * 1e-4, 1e-9);
}
