#include <criterion/criterion.h>

#include <math.h>

#include "material/material_table.h"

static const Material gum = {.type = &material_kelvin_voigt, .par = {1000, 0.3, 7, 11}};

static FiniteStress stress_of(const double *c, const double *c_old, double h) {
  FinitePoint at = {.h = h};
  FiniteStress out;
  for (int i = 0; i < 6; i++) at.c[i] = c[i], at.c_old[i] = c_old[i];
  cr_assert_eq(gum.type->finite(&gum, &at, NULL, NULL, &out, NULL), OK);
  return out;
}

Test(material_kelvin_voigt, viscous_stress_is_viscosity_times_rate) {
  const double rest[6] = {1, 1, 1}, sheared[6] = {1, 1, 1, 0.02}, swollen[6] = {1.02, 1.02, 1.02};
  const double h = 0.1; // rates: E_xy' = 0.1, E_xx' = 0.1
  FiniteStress shear = stress_of(sheared, rest, h), swell = stress_of(swollen, rest, h);
  FiniteStress shear_kept = stress_of(sheared, sheared, h),
               swell_kept = stress_of(swollen, swollen, h);
  cr_assert_float_eq(shear.s[3] - shear_kept.s[3], 2 * 7 * 0.1, 1e-12);
  cr_assert_float_eq(swell.s[0] - swell_kept.s[0], 11 * 0.3, 1e-12);
  cr_assert_float_eq(shear.lost, h * 2 * 1.4 * 0.1, 1e-12); // two components
  cr_assert_float_eq(swell.lost, h * 3 * 3.3 * 0.1, 1e-12);
  cr_assert_float_eq(shear_kept.lost, 0, 1e-15);
}

Test(material_kelvin_voigt, without_a_step_it_is_elastic) {
  const double rest[6] = {1, 1, 1}, c[6] = {1.2, 1.1, 0.9, 0.1, 0.05, -0.1};
  FiniteStress a = stress_of(c, rest, 0), b = stress_of(c, c, 1);
  for (int i = 0; i < 6; i++) cr_assert_float_eq(a.s[i], b.s[i], 1e-12);
}
