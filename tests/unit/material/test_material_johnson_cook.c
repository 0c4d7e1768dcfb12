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
  double state[7] = {0};
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
  double state[7] = {0};
  FiniteStress out;
  double stress = uniaxial_stress(&steel, 1.05, &at, state, &out);
  cr_assert_float_eq(stress, 350e6 + 275e6 * pow(state[6], 0.36), 1);
}
