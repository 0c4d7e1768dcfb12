#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/material_sample.h"
#include "material/hardening.h"
#include "material/material_table.h"

static Material steel(double kind, double kinematic) {
  Material m = {.type = &material_j2, .par = {206e9, 0.3}};
  double *hardening = m.par + 2;
  hardening[HARDENING_KIND] = kind;
  hardening[HARDENING_YIELD] = 200e6;
  hardening[HARDENING_MODULUS] = 1e9;
  hardening[HARDENING_STRENGTH] = 565.32e6;
  hardening[HARDENING_OFFSET] = 0.007117;
  hardening[HARDENING_EXPONENT] = 0.2589;
  m.par[2 + N_HARDENING] = kinematic;
  return m;
}

Test(material_j2, tension_is_the_hardening_curve_of_its_own_plastic_strain) {
  Material m = steel(1, 0); // Swift
  FinitePoint at = {.c = {1, 1, 1}};
  double state[7] = {0};
  FiniteStress out;
  for (int step = 1; step <= 50; step++) {
    double stress = uniaxial_stress(&m, exp(0.01 * step), &at, state, &out), a = state[6];
    cr_assert_float_eq(stress, 565.32e6 * pow(0.007117 + a, 0.2589), 1e-8 * stress);
    cr_assert_float_eq(a, 0.01 * step - stress / 206e9, 1e-10);
    cr_assert_float_eq(state[0], a, 1e-10); // plastic flow keeps the volume
    cr_assert_float_eq(state[1], -a / 2, 1e-10);
  }
}

Test(material_j2, kinematic_hardening_yields_earlier_on_the_way_back) {
  Material m = steel(0, 5e9);
  m.par[2 + HARDENING_MODULUS] = 0;
  FinitePoint at = {.c = {1, 1, 1}};
  double state[7] = {0};
  FiniteStress out;
  double pulled = uniaxial_stress(&m, exp(0.02), &at, state, &out), a = state[6];
  cr_assert_float_eq(pulled, 200e6 + 5e9 * a, 1e-8 * pulled);
  // the elastic range keeps its width of twice the yield stress
  double turn = 0.02 - 2 * 200e6 / 206e9;
  uniaxial_stress(&m, exp(turn + 1e-6), &at, state, &out);
  cr_assert_eq(state[6], a);
  uniaxial_stress(&m, exp(turn - 1e-6), &at, state, &out);
  cr_assert_gt(state[6], a);
}

Test(material_j2, plastic_work_is_lost_but_what_the_back_stress_stores) {
  Material m = steel(0, 5e9);
  FinitePoint at = {.c = {1, 1, 1}};
  double state[7] = {0}, lost = 0;
  FiniteStress out;
  for (int step = 1; step <= 2000; step++) {
    uniaxial_stress(&m, exp(1e-5 * step), &at, state, &out);
    lost += out.lost;
  }
  double a = state[6], stress = 200e6 + 6e9 * a;
  cr_assert_float_eq(lost, 200e6 * a + 0.5 * 1e9 * a * a, 1e-3 * lost);
  cr_assert_float_eq(out.stored, 0.5 * stress * stress / 206e9 + 0.5 * 5e9 * a * a,
                     1e-6 * out.stored);
}

Test(material_j2, says_what_softens) {
  const char *warning = NULL;
  Material m = steel(0, 0);
  cr_assert_null(m.type->defect(&m, &warning));
  cr_assert_not_null(strstr(warning, "does not take")); // those of Swift's curve
  m.par[2 + HARDENING_STRENGTH] = m.par[2 + HARDENING_OFFSET] = m.par[2 + HARDENING_EXPONENT] = 0;
  warning = NULL;
  cr_assert_null(m.type->defect(&m, &warning));
  cr_assert_null(warning);
  m.par[2 + HARDENING_MODULUS] = -1e9;
  cr_assert_null(m.type->defect(&m, &warning));
  cr_assert_not_null(strstr(warning, "mesh"));
  m.par[2 + HARDENING_YIELD] = 0;
  cr_assert_not_null(m.type->defect(&m, &warning));
}
