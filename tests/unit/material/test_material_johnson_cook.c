#include <criterion/criterion.h>

#include <math.h>

#include "../../support/material_sample.h"
#include "material/material_table.h"

// young, poisson, A, B, n, C, reference rate
static const Material steel = {.type = &material_johnson_cook,
                               .par = {200e9, 0.3, 350e6, 275e6, 0.36, 0.022, 1}};

// Tension at a constant rate: the stress is (A + B a^n) (1 + C ln(a' / rate0)) of its own a.
static void pull(double rate) {
  const double h = 1e-3 / rate; // steps of 0.001 in logarithmic strain
  FinitePoint at = {.c = {1, 1, 1}, .h = h};
  double state[8] = {0};
  FiniteStress out;
  for (int step = 1; step <= 100; step++) {
    double before = state[6], stress = uniaxial_stress(&steel, exp(1e-3 * step), &at, state, &out);
    double grown = (state[6] - before) / h, factor = 1 + 0.022 * log(fmax(1, grown));
    if (step < 3) continue;
    double expected = (350e6 + 275e6 * pow(state[6], 0.36)) * factor;
    cr_assert_float_eq(stress, expected, 1e-9 * expected, "%g, %g", stress, expected);
    cr_assert_float_eq(state[6], 1e-3 * step - stress / 200e9, 1e-9);
  }
}

Test(material_johnson_cook, flow_stress_grows_with_the_logarithm_of_the_rate) {
  pull(1e3);
  pull(1e-3); // below the reference: rates do not count
}

Test(material_johnson_cook, without_a_step_there_is_no_rate) {
  FinitePoint at = {.c = {1, 1, 1}};
  double state[8] = {0};
  FiniteStress out;
  double stress = uniaxial_stress(&steel, 1.05, &at, state, &out);
  cr_assert_float_eq(stress, 350e6 + 275e6 * pow(state[6], 0.36), 1);
}

// ---- heat ---------------------------------------------------------------------------------------

// Copper: C = 0, m = 1, then T*(a) has a closed form: with Y = A + B a^n and k = fraction /
// (rho c), dT = k Y (1 - T*) da, so 1 - T* = exp(-k (A a + B a^(n+1) / (n+1)) / (melting - room)).
static const double A = 90e6, B = 292e6, N = 0.31, MELTS = 1356, ROOM = 298, CAPACITY = 383,
                    RHO = 8960;

static Material copper(double rate_factor) {
  return (Material){
      .type = &material_johnson_cook,
      .density = RHO,
      .par = {124e9, 0.34, A, B, N, rate_factor, 1, 1, MELTS, ROOM, ROOM, CAPACITY, 0.9}};
}

// Errors of stress and temperature against the closed form at a logarithmic strain of 1 in n steps.
static void pull_hot(int n, double error[2]) {
  Material m = copper(0);
  FinitePoint at = {.c = {1, 1, 1}, .h = 1};
  double state[8] = {0}, stress = 0, lost = 0, k = 0.9 / (RHO * CAPACITY);
  FiniteStress out;
  for (int step = 1; step <= n; step++) {
    stress = uniaxial_stress(&m, exp((double)step / n), &at, state, &out);
    lost += out.lost;
  }
  double a = state[6], work = A * a + B * pow(a, N + 1) / (N + 1), cold = A + B * pow(a, N);
  double left = exp(-k * work / (MELTS - ROOM));
  cr_assert_float_eq(a, 1 - stress / 124e9, 1e-12);
  cr_assert_float_eq(state[7], k * lost, 1e-9 * state[7], "heat is a share of what is lost");
  cr_assert_float_eq(m.type->temperature(&m, state), ROOM + state[7], 1e-9);
  error[0] = stress / (cold * left) - 1;
  error[1] = state[7] / ((1 - left) * (MELTS - ROOM)) - 1;
}

Test(material_johnson_cook,
     adiabatic_tension_is_its_closed_form_to_first_order_and_to_second_by_extrapolation) {
  double coarse[2], fine[2];
  pull_hot(500, coarse);
  pull_hot(1000, fine);
  for (int k = 0; k < 2; k++) {
    cr_assert_lt(fabs(fine[k]), 1e-3, "%g", fine[k]);
    cr_assert_float_eq(fine[k] / coarse[k], 0.5, 0.03, "%g, %g", coarse[k], fine[k]);
    cr_assert_lt(fabs(2 * fine[k] - coarse[k]), 2e-5, "%g", 2 * fine[k] - coarse[k]);
  }
}

Test(material_johnson_cook, a_hot_start_is_weaker_and_a_melt_keeps_a_thousandth) {
  Material m = copper(0);
  m.par[11] = 0; // no heating
  m.par[10] = 0.5 * (MELTS + ROOM);
  FinitePoint at = {.c = {1, 1, 1}};
  double state[8] = {0};
  FiniteStress out;
  double stress = uniaxial_stress(&m, 1.05, &at, state, &out);
  cr_assert_float_eq(stress, 0.5 * (A + B * pow(state[6], N)), 10);
  cr_assert_eq(state[7], 0);
  m.par[10] = MELTS - 1e-3; // as hot as it may start
  at = (FinitePoint){.c = {1, 1, 1}};
  double fresh[8] = {0};
  stress = uniaxial_stress(&m, 1.05, &at, fresh, &out);
  cr_assert_float_eq(stress, 1e-3 * (A + B * pow(fresh[6], N)), 10);
}

Test(material_johnson_cook, says_what_is_wrong_and_what_softens) {
  const char *warning = NULL;
  Material m = copper(0.025);
  cr_assert_null(m.type->defect(&m, &warning));
  cr_assert_null(warning, "copper at room temperature hardens up to a strain of 2");
  m.par[11] = 50; // heats eight times as much
  cr_assert_null(m.type->defect(&m, &warning));
  cr_assert_not_null(warning);
  m.par[10] = MELTS + 1;
  cr_assert_not_null(m.type->defect(&m, &warning));
  m.par[8] = ROOM - 1;
  cr_assert_not_null(m.type->defect(&m, &warning));
}
