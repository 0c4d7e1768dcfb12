#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/material_sample.h"
#include "material/material_table.h"

enum { YOUNG, POISSON, FRICTION, COHESION, DILATANCY, TENSION };

static Material soil(void) {
  Material m = {.type = &material_drucker_prager,
                .par = {1e6, 0.25, 0.5, 100, (double)NAN, (double)NAN}};
  return m;
}

Test(material_drucker_prager, crushes_where_mohr_coulomb_does) {
  for (int dilatant = 0; dilatant < 2; dilatant++) {
    Material m = soil();
    if (!dilatant) m.par[DILATANCY] = 0.1;
    FinitePoint at = {.c = {1, 1, 1}};
    double state[7] = {0}, stress = 0;
    FiniteStress out;
    for (int step = 1; step <= 40; step++)
      stress = uniaxial_stress(&m, 1 - 2e-5 * step, &at, state, &out);
    double strength = 2 * 100 * cos(0.5) / (1 - sin(0.5)); // Kirchhoff stress
    cr_assert_float_eq(stress, -strength, 1e-6 * strength, "%g, %g", stress, -strength);
    cr_assert_gt(state[6], 0);
  }
}

Test(material_drucker_prager, mean_tension_ends_at_the_apex_or_at_the_cut_off) {
  for (int cut = 0; cut < 2; cut++) {
    Material m = soil();
    if (cut) m.par[TENSION] = 30;
    FinitePoint at = {.c = {1.01, 1.01, 1.01}};
    double state[7] = {0}, new[7];
    FiniteStress out;
    cr_assert_eq(m.type->finite(&m, &at, state, new, &out, NULL), OK);
    double expected = cut ? 30 : 100 / tan(0.5);
    for (int i = 0; i < 3; i++)
      cr_assert_float_eq(out.s[i] * 1.01, expected, 1e-8, "cut %d: %.12g, %.12g", cut,
                         out.s[i] * 1.01, expected);
    cr_assert_gt(out.lost, 0);
  }
}

Test(material_drucker_prager, says_what_is_wrong) {
  const char *warning = NULL;
  Material m = soil();
  cr_assert_null(m.type->defect(&m, &warning));
  cr_assert_null(warning);
  m.par[DILATANCY] = 0.1;
  cr_assert_null(m.type->defect(&m, &warning));
  cr_assert_not_null(strstr(warning, "symmetric part"));
  m.par[DILATANCY] = 0.6;
  cr_assert_not_null(m.type->defect(&m, &warning));
  m = soil();
  m.par[FRICTION] = m.par[COHESION] = 0;
  cr_assert_not_null(m.type->defect(&m, &warning));
}
