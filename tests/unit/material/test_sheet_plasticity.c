// Laws of sheets: properties over all samples, and answers in closed form.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/element_sample.h"
#include "../../support/sheet_sample.h"
#include "material/hardening.h"
#include "material/sheet_plasticity.h"
#include "material/sheet_yld2000.h"

static const double pi = 3.14159265358979323846;

static SheetStress evaluate(const Material *m, const double *e, const double *old, double *state) {
  SheetStress out;
  Err err;
  cr_assert_eq(m->type->sheet(m, e, old, state, &out, &err), OK, "%s: %s", m->name, err.text);
  return out;
}

// A state after some plastic flow.
static void prestrain(const Material *m, double state[8]) {
  double e[3] = {0.03, -0.01, 0.02}, start[8] = {0};
  evaluate(m, e, start, state);
}

Test(sheet_plasticity, tangents_are_those_of_differences_and_symmetric) {
  Material m;
  unsigned seed = 3;
  for (int k = 0; sheet_sample(k, &m); k++)
    for (int trial = 0; trial < 20; trial++) {
      double old[8] = {0}, state[8], e[3], worst = 0;
      if (trial % 2) prestrain(&m, old);
      for (int i = 0; i < 3; i++) e[i] = 0.1 * sample_random(&seed);
      SheetStress at = evaluate(&m, e, old, state);
      const double step = 1e-6;
      for (int j = 0; j < 3; j++) {
        double moved[3] = {e[0], e[1], e[2]};
        moved[j] = e[j] + step;
        SheetStress high = evaluate(&m, moved, old, state);
        moved[j] = e[j] - step;
        SheetStress low = evaluate(&m, moved, old, state);
        for (int i = 0; i < 3; i++) {
          worst = fmax(worst, fabs(at.d[3 * i + j] - (high.t[i] - low.t[i]) / (2 * step)));
          cr_assert_float_eq(at.d[3 * i + j], at.d[3 * j + i], 1e-10 * at.d[0]);
        }
      }
      cr_assert_lt(worst, 2e-6 * 1000, "sample %d, trial %d: %g", k, trial, worst);
    }
}

Test(sheet_plasticity, work_is_what_is_stored_and_lost) {
  Material m;
  for (int k = 0; sheet_sample(k, &m); k++) {
    double old[8] = {0}, state[8] = {0}, work = 0, lost = 0, e_old[3] = {0}, t_old[3] = {0};
    SheetStress at = {0};
    const int n = 4000;
    for (int s = 1; s <= n; s++) {
      double f = (double)s / n;
      double e[3] = {0.05 * sin(4 * f), -0.04 * f * f, 0.06 * sin(6 * f)};
      memcpy(old, state, sizeof old);
      at = evaluate(&m, e, old, state);
      for (int i = 0; i < 3; i++) work += 0.5 * (at.t[i] + t_old[i]) * (e[i] - e_old[i]);
      lost += at.lost;
      cr_assert_geq(at.lost, -1e-12);
      memcpy(e_old, e, sizeof e_old);
      memcpy(t_old, at.t, sizeof t_old);
    }
    cr_assert_float_eq(at.stored + lost, work, 2e-3 * work, "sample %d: %g + %g, %g", k, at.stored,
                       lost, work);
  }
}

// Strain of uniaxial stress at an angle to the rolling direction, by Newton on the other two.
static SheetStress uniaxial(const Material *m, double angle, double e11, double e[3],
                            double state[8]) {
  double c = cos(angle), s = sin(angle), start[8] = {0};
  // unknown strains across the width and in shear, in the axes of the strip
  double strip[3] = {e11, -0.4 * e11, 0};
  // stress in the strip's axes is q t, strain in the sheet's axes q^T e
  double q[9] = {c * c, s * s, 2 * s * c, s * s, c * c, -2 * s * c, -s * c, s * c, c * c - s * s};
  for (int it = 0;; it++) {
    double t[3], d[9];
    for (int i = 0; i < 3; i++) e[i] = q[i] * strip[0] + q[3 + i] * strip[1] + q[6 + i] * strip[2];
    SheetStress at = evaluate(m, e, start, state);
    for (int i = 0; i < 3; i++) {
      t[i] = q[3 * i] * at.t[0] + q[3 * i + 1] * at.t[1] + q[3 * i + 2] * at.t[2];
      for (int j = 0; j < 3; j++) {
        d[3 * i + j] = 0;
        for (int a = 0; a < 3; a++)
          for (int b = 0; b < 3; b++) d[3 * i + j] += q[3 * i + a] * at.d[3 * a + b] * q[3 * j + b];
      }
    }
    if (hypot(t[1], t[2]) <= 1e-10 * fabs(t[0])) {
      for (int i = 0; i < 3; i++) at.t[i] = t[i];
      return at;
    }
    cr_assert_lt(it, 50);
    double det = d[4] * d[8] - d[5] * d[7];
    strip[1] -= (d[8] * t[1] - d[5] * t[2]) / det;
    strip[2] -= (d[4] * t[2] - d[7] * t[1]) / det;
  }
}

// Width over thickness plastic strain of a strip at an angle.
static double r_ratio(const double state[8], double angle) {
  const double *ep = state + SHEET_STRAIN;
  double c = cos(angle), s = sin(angle);
  return (ep[0] * s * s + ep[1] * c * c - ep[2] * s * c) / -(ep[0] + ep[1]);
}

Test(sheet_plasticity, a_strip_of_steel_pulls_with_its_curve) {
  Material m;
  double e[3], state[8], slope;
  sheet_steel(&m);
  SheetStress at = uniaxial(&m, 0, 0.2, e, state);
  double yield = hardening_stress(&m, m.par + SHEET_HARDENING, 206e9, state[0], &slope);
  cr_assert_float_eq(at.t[0], yield, 1e-8 * yield);
  cr_assert_float_eq(state[0] + at.t[0] / 206e9, 0.2, 1e-12);
  // force on a width of 10 mm and thickness of 0.78 mm: Kirchhoff stress over the stretch
  cr_assert_float_eq(at.t[0] * 7.8e-6 * exp(-0.2), 2396.101, 1e-3);
}

Test(sheet_plasticity, hill_has_its_r_values_and_yields_at_the_curve_along_the_rolling_direction) {
  Material m;
  const double r[3] = {1.79, 1.51, 2.27}, angle[3] = {0, 0.25 * pi, 0.5 * pi};
  sheet_steel(&m);
  sheet_set(&m, "criterion", 1);
  sheet_set(&m, "r0", r[0]);
  sheet_set(&m, "r45", r[1]);
  sheet_set(&m, "r90", r[2]);
  cr_assert_eq(m.type->prepare(&m, NULL), OK);
  cr_assert_eq(m.type->directional(&m), 1);
  for (int k = 0; k < 3; k++) {
    double e[3], state[8];
    SheetStress at = uniaxial(&m, angle[k], 0.2, e, state);
    cr_assert_float_eq(r_ratio(state, angle[k]), r[k], 1e-9);
    if (k == 0) cr_assert_float_eq(at.t[0] * 7.8e-6 * exp(-0.2), 2396.101, 1e-3);
  }
}

Test(sheet_plasticity, yld2000_meets_the_tests_it_is_identified_from) {
  // AA6016-T4 (Habraken et al. 2022)
  const double s[3] = {1, 0.898, 0.983}, r[3] = {0.526, 0.253, 0.601};
  const double angle[3] = {0, 0.25 * pi, 0.5 * pi};
  Material m;
  cr_assert(sheet_sample(6, &m));
  for (int k = 0; k < 3; k++) {
    double e[3], state[8], slope;
    SheetStress at = uniaxial(&m, angle[k], 0.2, e, state);
    double yield = hardening_stress(&m, m.par + SHEET_HARDENING, 1000, state[0], &slope);
    cr_assert_float_eq(at.t[0] / yield, s[k], 1e-8);
    cr_assert_float_eq(r_ratio(state, angle[k]), r[k], 1e-8);
  }
}

Test(sheet_plasticity, yld2000_of_exponent_2_and_unit_coefficients_is_von_mises) {
  const double one[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  double par[N_YLD2000], n[3], hess[9];
  unsigned seed = 4;
  yld2000_maps(one, 2, par);
  for (int k = 0; k < 10; k++) {
    double s[3];
    for (int i = 0; i < 3; i++) s[i] = 1e8 * sample_random(&seed);
    double mises = sqrt(s[0] * s[0] - s[0] * s[1] + s[1] * s[1] + 3 * s[2] * s[2]);
    cr_assert_float_eq(yld2000(par, s, n, hess), mises, 1e-12 * mises);
    cr_assert_float_eq(n[0] * s[0] + n[1] * s[1] + n[2] * s[2], mises, 1e-12 * mises);
    cr_assert_float_eq(n[2], 3 * s[2] / mises, 1e-12);
  }
}

Test(sheet_plasticity, yld2000_has_its_derivatives_at_and_near_stresses_without_shear) {
  Material m;
  cr_assert(sheet_sample(6, &m));
  const double states[][3] = {{1, 1, 0},    {1, 0, 0}, {-1, 1, 0},    {0.3, -0.8, 1e-9},
                              {1, 1, 1e-3}, {0, 0, 1}, {0.5, -1, 0.4}};
  for (int k = 0; k < 7; k++) {
    double n[3], hess[9], unused[9], high[3], low[3];
    yld2000(m.derived, states[k], n, hess);
    for (int j = 0; j < 3; j++) {
      double s[3] = {states[k][0], states[k][1], states[k][2]}, step = 1e-5;
      s[j] += step;
      double up = yld2000(m.derived, s, high, unused);
      s[j] -= 2 * step;
      double down = yld2000(m.derived, s, low, unused);
      cr_assert_float_eq(n[j], (up - down) / (2 * step), 1e-8, "%d", k);
      for (int i = 0; i < 3; i++)
        cr_assert_float_eq(hess[3 * i + j], (high[i] - low[i]) / (2 * step), 1e-6, "%d: %g %g", k,
                           hess[3 * i + j], (high[i] - low[i]) / (2 * step));
    }
  }
}

Test(sheet_plasticity, large_increments_return) {
  Material m;
  unsigned seed = 7;
  for (int k = 0; sheet_sample(k, &m); k++)
    for (int trial = 0; trial < 200; trial++) {
      double e[3], old[8] = {0}, state[8];
      for (int i = 0; i < 3; i++) e[i] = 1.5 * sample_random(&seed);
      evaluate(&m, e, old, state);
    }
}

Test(sheet_plasticity, kinematic_hardening_yields_early_on_the_way_back) {
  Material m;
  double e[3], old[8], state[8];
  sheet_steel(&m);
  sheet_set(&m, "hardening", 0);
  sheet_set(&m, "yield", 200e6);
  sheet_set(&m, "kinematic", 1e9);
  SheetStress at = uniaxial(&m, 0, 0.05, e, old);
  cr_assert_float_eq(at.t[0], 200e6 + 1e9 * old[0], 1);
  // elastic range is twice the yield stress: unloading by 399 MPa is elastic, by 401 MPa it is not
  for (int k = 0; k < 2; k++) {
    double change = -(k ? 401e6 : 399e6) / 206e9;
    double back[3] = {e[0] + change, e[1] - 0.3 * change, e[2]};
    evaluate(&m, back, old, state);
    cr_assert_eq(state[0] > old[0], k);
  }
}

Test(sheet_plasticity, defects_are_named) {
  Material m;
  const char *warning = NULL;
  sheet_steel(&m);
  cr_assert_null(m.type->defect(&m, &warning));
  cr_assert_eq(m.type->directional(&m), 0);
  sheet_set(&m, "criterion", 1);
  cr_assert_not_null(m.type->defect(&m, &warning)); // no r-value
  sheet_set(&m, "r0", 1.5);
  cr_assert_null(m.type->defect(&m, &warning));
  cr_assert_eq(m.type->directional(&m), 0);
  sheet_set(&m, "criterion", 2);
  cr_assert_not_null(m.type->defect(&m, &warning)); // no yield stresses
  sheet_set(&m, "alpha1", 1);
  cr_assert_not_null(m.type->defect(&m, &warning)); // only one coefficient
  sheet_set(&m, "criterion", 0);
  sheet_set(&m, "hardening", 0);
  sheet_set(&m, "yield", 200e6);
  sheet_set(&m, "modulus", -1e9);
  cr_assert_null(warning);
  cr_assert_null(m.type->defect(&m, &warning));
  cr_assert_not_null(warning);
}
