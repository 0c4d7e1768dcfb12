#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/material_sample.h"
#include "material/material_table.h"

Test(material_mooney_rivlin, tension_of_rubber_is_that_of_the_incompressible_law) {
  // P = 2 (l - l^-2) (c10 + c01 / l) when J = 1
  Material m = {.type = &material_mooney_rivlin, .par = {0.3e6, 0.1e6, 1e12}};
  for (double l = 0.7; l < 3; l += 0.3) {
    FinitePoint at = {.c = {1, 1 / l, 1 / l}};
    FiniteStress out;
    double nominal = uniaxial_stress(&m, l, &at, NULL, &out) / l;
    double expected = 2 * (l - 1 / (l * l)) * (0.3e6 + 0.1e6 / l);
    cr_assert_float_eq(nominal, expected, 1e-4 * 0.3e6, "at %g: %g, %g", l, nominal, expected);
  }
}

Test(material_mooney_rivlin, says_what_is_wrong) {
  const char *warning = NULL;
  Material m = {.type = &material_mooney_rivlin, .par = {0, 0, 1}};
  cr_assert_not_null(m.type->defect(&m, &warning));
  m.par[0] = 1;
  cr_assert_null(m.type->defect(&m, &warning));
  cr_assert_not_null(warning);
}
