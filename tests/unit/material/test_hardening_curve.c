#include <criterion/criterion.h>
#include <math.h>

#include "base/mem.h"
#include "material/hardening.h"
#include "material/hardening_curve.h"

static const double YOUNG = 206e9;

static Material metal(int kind, double strength, double offset, double exponent, double yield) {
  Material m = {.name = "m"};
  m.par[HARDENING_KIND] = kind;
  m.par[HARDENING_STRENGTH] = strength;
  m.par[HARDENING_OFFSET] = offset;
  m.par[HARDENING_EXPONENT] = exponent;
  m.par[HARDENING_YIELD] = yield;
  return m;
}

enum { LINEAR, SWIFT, VOCE, COMBINED, POWER, TABLE, SWIFT_VOCE };

// From a millionth of the first strain to 5: the stress to 1e-9, the slope to 1e-6, which is also
// that of the table itself.
Test(hardening_curve, is_the_formula_to_nine_digits) {
  Material m[] = {metal(SWIFT, 565.32e6, 0.007117, 0.2589, 0), metal(SWIFT, 400e6, 1e-4, 0.5, 0),
                  metal(POWER, 513e6, 0, 0.223, 0), metal(POWER, 800e6, 0, 0.05, 0),
                  metal(SWIFT_VOCE, 565.32e6, 0.007117, 0.2589, 150e6)};
  m[4].par[HARDENING_SATURATE] = 400e6;
  m[4].par[HARDENING_RATE] = 12;
  m[4].par[HARDENING_MIX] = 0.4;
  for (size_t k = 0; k < sizeof m / sizeof m[0]; k++) {
    HardeningCurve *curve;
    Err err = {0};
    cr_assert_eq(hardening_curve_new(&curve, &m[k], m[k].par, YOUNG, &err), OK);
    cr_assert_not_null(curve);
    cr_assert_gt(curve->last, 5);
    for (double a = 1e-6 * curve->first; a < 5; a *= 1.013) {
      double slope, wanted, up, down, unused, d = 1e-4 * (a + curve->first);
      double stress = hardening_curve_stress(curve, a, &slope);
      double exact = hardening_stress(&m[k], m[k].par, YOUNG, a, &wanted);
      cr_assert_float_eq(stress, exact, 1e-9 * exact, "%d at %g: %.12g of %.12g", (int)k, a, stress,
                         exact);
      cr_assert_float_eq(slope, wanted, 1e-6 * wanted, "%d at %g: %g of %g", (int)k, a, slope,
                         wanted);
      up = hardening_curve_stress(curve, a + d, &unused);
      down = hardening_curve_stress(curve, fmax(a - d, 0), &unused);
      double mean = (up - down) / (a + d - fmax(a - d, 0));
      cr_assert_float_eq(slope, mean, 2e-3 * wanted);
    }
    double slope, wanted, start = hardening_curve_stress(curve, 0, &slope);
    cr_assert_float_eq(start, hardening_stress(&m[k], m[k].par, YOUNG, 0, &wanted), 1e-12 * start);
    cr_assert_float_eq(slope, wanted, 1e-12 * wanted);
    hardening_curve_free(curve);
  }
}

Test(hardening_curve, is_none_where_there_is_no_power_or_a_plateau_before_it) {
  Material m[] = {metal(LINEAR, 0, 0, 0, 1e8), metal(VOCE, 0, 0, 0, 1e8),
                  metal(POWER, 513e6, 0, 0.223, 300e6), metal(SWIFT, 400e6, 0.01, 0, 0)};
  m[1].par[HARDENING_SATURATE] = 2e8;
  for (size_t k = 0; k < sizeof m / sizeof m[0]; k++) {
    HardeningCurve *curve;
    Err err = {0};
    cr_assert_eq(hardening_curve_new(&curve, &m[k], m[k].par, YOUNG, &err), OK);
    cr_assert_null(curve, "%d", (int)k);
  }
}
