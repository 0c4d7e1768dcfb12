#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "material/hardening.h"

static const double young = 211e9;
enum {
  LINEAR,
  SWIFT,
  VOCE,
  COMBINED,
  POWER,
  TABLE,
  SWIFT_VOCE,
  HOCKETT_SHERBY,
  SWIFT_HOCKETT_SHERBY
};

static const double points[] = {0, 100e6, 0.1, 200e6, 0.3, 250e6};

// kind, yield, modulus, strength, offset, exponent, saturation, rate, power, mix
static const double curve[][N_HARDENING] = {
    {LINEAR, 200e6, 1e9},
    {SWIFT, 0, 0, 565e6, 0.007, 0.259},
    {VOCE, 140e6, 0, 0, 0, 0, 330e6, 12.4},
    {COMBINED, 140e6, 50e6, 0, 0, 0, 330e6, 12.4},
    {POWER, 0, 0, 513e6, 0, 0.223},
    {TABLE},
    {SWIFT_VOCE, 140e6, 0, 565e6, 0.007, 0.259, 330e6, 12.4, 1, 0.3},
    {HOCKETT_SHERBY, 140e6, 0, 0, 0, 0, 330e6, 5, 0.7},
    {SWIFT_HOCKETT_SHERBY, 140e6, 0, 565e6, 0.007, 0.259, 330e6, 5, 0.7, 0.3},
};
enum { N_CURVES = sizeof curve / sizeof curve[0] };

static Material with_table(void) {
  return (Material){.n_table = 3, .table = points};
}

Test(hardening, slopes_are_those_of_finite_differences) {
  Material m = with_table();
  for (int k = 0; k < N_CURVES; k++)
    for (int i = 0; i < 12; i++) {
      double a = 1e-4 * pow(2, i) * 1.03, step = 1e-5 * a, slope, unused;
      hardening_stress(&m, curve[k], young, a, &slope);
      double low = hardening_stress(&m, curve[k], young, a - step, &unused);
      double high = hardening_stress(&m, curve[k], young, a + step, &unused);
      cr_assert_float_eq(slope, (high - low) / (2 * step), 1e-6 * (fabs(slope) + 1e8),
                         "curve %d at %g: %g, %g", k, a, slope, (high - low) / (2 * step));
    }
}

Test(hardening, curves_are_their_formulas) {
  Material m = with_table();
  double slope, a = 0.05;
  cr_assert_float_eq(hardening_stress(&m, curve[0], young, a, &slope), 250e6, 1);
  cr_assert_float_eq(hardening_stress(&m, curve[1], young, a, &slope), 565e6 * pow(0.057, 0.259),
                     1);
  cr_assert_float_eq(hardening_stress(&m, curve[2], young, a, &slope),
                     330e6 - 190e6 * exp(-12.4 * a), 1);
  cr_assert_float_eq(hardening_stress(&m, curve[3], young, a, &slope),
                     330e6 - 190e6 * exp(-12.4 * a) + 2.5e6, 1);
  cr_assert_float_eq(hardening_stress(&m, curve[5], young, a, &slope), 150e6, 1);
  cr_assert_float_eq(hardening_stress(&m, curve[5], young, 0.2, &slope), 225e6, 1);
  cr_assert_float_eq(hardening_stress(&m, curve[5], young, 2, &slope), 250e6, 1);
  cr_assert_eq(slope, 0);
  double swift = 565e6 * pow(0.057, 0.259), voce = 330e6 - 190e6 * exp(-12.4 * a),
         sherby = 330e6 - 190e6 * exp(-5 * pow(a, 0.7));
  cr_assert_float_eq(hardening_stress(&m, curve[6], young, a, &slope), 0.3 * swift + 0.7 * voce, 1);
  cr_assert_float_eq(hardening_stress(&m, curve[7], young, a, &slope), sherby, 1);
  cr_assert_float_eq(hardening_stress(&m, curve[8], young, a, &slope), 0.3 * swift + 0.7 * sherby,
                     1);
}

// Where its slope would be infinite Hockett and Sherby's curve is straight, and the slope still the
// curve's.
Test(hardening, hockett_sherby_begins_at_the_yield_stress_with_a_finite_slope) {
  Material m = {0};
  double slope, unused, a = 3e-8;
  cr_assert_eq(hardening_stress(&m, curve[HOCKETT_SHERBY], young, 0, &slope), 140e6);
  cr_assert(isfinite(slope));
  double high = hardening_stress(&m, curve[HOCKETT_SHERBY], young, a + 1e-8, &unused);
  double low = hardening_stress(&m, curve[HOCKETT_SHERBY], young, a - 1e-8, &unused);
  hardening_stress(&m, curve[HOCKETT_SHERBY], young, a, &slope);
  cr_assert_float_eq(slope, (high - low) / 2e-8, 1e-4 * slope);
}

Test(hardening, power_law_holds_in_the_total_strain_and_starts_on_the_elastic_line) {
  Material m = with_table();
  double slope;
  for (int i = 0; i < 20; i++) {
    double a = i == 0 ? 0 : 1e-9 * pow(3, i);
    double stress = hardening_stress(&m, curve[POWER], young, a, &slope);
    double total = a + stress / young;
    cr_assert_float_eq(stress, 513e6 * pow(total, 0.223), 1e-12 * stress, "at %g", a);
    cr_assert_gt(slope, 0);
  }
  // first yield of the sheet of the deep drawing benchmark
  cr_assert_float_eq(hardening_stress(&m, curve[POWER], young, 0, &slope), 91.2e6, 0.2e6);
}

Test(hardening, a_yield_stress_above_the_power_law_is_a_plateau) {
  Material m = with_table();
  double par[N_HARDENING] = {POWER, 150e6, 0, 513e6, 0, 0.223}, slope;
  cr_assert_eq(hardening_stress(&m, par, young, 1e-4, &slope), 150e6);
  cr_assert_eq(slope, 0);
  cr_assert_gt(hardening_stress(&m, par, young, 0.1, &slope), 150e6);
}

Test(hardening, softening_ends_above_zero) {
  Material m = with_table();
  const double par[N_HARDENING] = {LINEAR, 100e6, -1e9};
  double slope, stress = hardening_stress(&m, par, young, 1, &slope);
  cr_assert_gt(stress, 0);
  cr_assert_lt(stress, 1e6);
  cr_assert_eq(slope, 0);
}

Test(hardening, says_what_is_wrong_and_what_softens) {
  Material m = {0};
  int softens;
  for (int k = 0; k < N_CURVES; k++) {
    m = k == TABLE ? with_table() : (Material){0};
    cr_assert_null(hardening_defect(&m, curve[k], young, &softens), "curve %d", k);
    cr_assert_eq(softens, 0);
  }
  m = (Material){0};
  static const double bad[][N_HARDENING] = {
      {LINEAR, 0, 1e9},
      {LINEAR, 1e8, -300e9},
      {SWIFT, 0, 0, 0, 0.01, 0.2},
      {SWIFT, 0, 0, 1e8, 0, 0.2},
      {VOCE, 1e8, 0, 0, 0, 0, 0, 1},
      {POWER, 0, 0, 1e8, 0, 1},
      {POWER, 0, 0, 300e9, 0, 0},
      {SWIFT_VOCE, 1e8, 0, 0, 0.01, 0.2, 2e8, 1},
      {SWIFT_VOCE, 0, 0, 1e8, 0.01, 0.2, 2e8, 1},
      {SWIFT_HOCKETT_SHERBY, 1e8, 0, 1e8, 0, 0.2, 2e8, 1},
      {HOCKETT_SHERBY, 1e8, 0, 0, 0, 0, 0, 1},
      // without rate or exponent they would be ideal plastic
      {VOCE, 1e8, 0, 0, 0, 0, 2e8, 0},
      {COMBINED, 1e8, 1e7, 0, 0, 0, 2e8, 0},
      {HOCKETT_SHERBY, 1e8, 0, 0, 0, 0, 2e8, 0, 0.7},
      {SWIFT_VOCE, 1e8, 0, 1e8, 0.01, 0.2, 2e8, 0, 1, 0.5},
      {SWIFT, 0, 0, 1e8, 0.01, 0},
      {SWIFT_VOCE, 1e8, 0, 1e8, 0.01, 0, 2e8, 1, 1, 0.5},
  };
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
    cr_assert_not_null(hardening_defect(&m, bad[k], young, &softens), "row %zu", k);
  static const double soft[][N_HARDENING] = {
      {LINEAR, 1e8, -1e6}, {VOCE, 2e8, 0, 0, 0, 0, 1e8, 3}, {COMBINED, 1e8, -1e6, 0, 0, 0, 2e8, 3}};
  for (size_t k = 0; k < sizeof soft / sizeof soft[0]; k++) {
    cr_assert_null(hardening_defect(&m, soft[k], young, &softens));
    cr_assert_eq(softens, 1);
  }
  static const double in_mpa[N_HARDENING] = {SWIFT, 0, 0, 565, 0.007, 0.26},
                      in_pa[N_HARDENING] = {SWIFT, 0, 0, 565e6, 0.007, 0.26};
  cr_assert(strstr(hardening_doubt(&m, in_mpa, young, 0), "stresses are in Pa"));
  cr_assert(strstr(hardening_doubt(&m, in_mpa, young, 1), "stresses are in Pa"));
  cr_assert(strstr(hardening_doubt(&m, soft[0], young, 1), "falls with plastic strain"));
  cr_assert_null(hardening_doubt(&m, in_pa, young, 0));
  static const double gone[N_HARDENING] = {LINEAR, 2e8, -5e9};
  cr_assert(strstr(hardening_doubt(&m, gone, young, 1), "is gone before a strain of 1"));
  // each curve with what another one takes
  static const double idle[][N_HARDENING] = {{LINEAR, 2e8, 0, 0, 0, 0, 3e8, 5},
                                             {SWIFT, 1e8, 0, 565e6, 0.007, 0.26},
                                             {VOCE, 1e8, 1e9, 0, 0, 0, 2e8, 5},
                                             {POWER, 0, 0, 5e8, 0.01, 0.2}};
  for (size_t k = 0; k < sizeof idle / sizeof idle[0]; k++)
    cr_assert(strstr(hardening_doubt(&m, idle[k], young, 0), "does not take"), "row %zu", k);
  for (int k = 0; k < N_CURVES; k++) {
    Material own = k == TABLE ? with_table() : m;
    cr_assert_null(hardening_doubt(&own, curve[k], young, 0), "curve %d", k);
  }
  const double falling[] = {0, 2e8, 0.1, 1e8}, late[] = {0.1, 1e8}, twice[] = {0, 1e8, 0, 2e8};
  m = (Material){.n_table = 2, .table = falling};
  cr_assert_null(hardening_defect(&m, curve[TABLE], young, &softens));
  cr_assert_eq(softens, 1);
  m = (Material){.n_table = 1, .table = late};
  cr_assert_not_null(hardening_defect(&m, curve[TABLE], young, &softens));
  m = (Material){.n_table = 2, .table = twice};
  cr_assert_not_null(hardening_defect(&m, curve[TABLE], young, &softens));
  m = (Material){0};
  cr_assert_not_null(hardening_defect(&m, curve[TABLE], young, &softens));
  m = with_table(); // for another curve
  cr_assert_not_null(hardening_defect(&m, curve[VOCE], young, &softens));
}

Test(hardening, choices_are_in_the_order_of_the_code) {
  cr_assert_str_eq(hardening_choices, "linear|swift|voce|combined|power|table|swift_voce|"
                                      "hockett_sherby|swift_hockett_sherby");
}
