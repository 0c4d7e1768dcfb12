#include <criterion/criterion.h>

#include <math.h>

#include "../../support/material_sample.h"
#include "material/material_table.h"

// young, poisson, strength, fracture energy
static const Material stone = {.type = &material_damage, .par = {1e10, 0.2, 1e6, 50}};

Test(material_damage, cracks_at_its_strength_in_tension_and_gives_up_its_energy) {
  FinitePoint at = {.c = {1, 1, 1}, .size = 0.1};
  double state[2] = {0}, peak = 0, work = 0, before = 0, lost = 0;
  FiniteStress out;
  for (int step = 1; step <= 40000; step++) {
    double stress = uniaxial_stress(&stone, exp(2e-7 * step), &at, state, &out);
    work += 0.5 * (stress + before) * 2e-7;
    before = stress;
    peak = fmax(peak, stress);
    lost += out.lost;
  }
  cr_assert_float_eq(peak, 1e6, 3e3, "%g", peak);
  cr_assert_float_eq(work, 50 / 0.1, 1, "%g", work); // J/m^3: fracture energy over size
  cr_assert_float_eq(lost, 50 / 0.1, 1, "%g", lost);
  cr_assert_gt(state[1], 0.99);
}

Test(material_damage, an_open_crack_closes_with_the_stiffness_of_before) {
  FinitePoint at = {.c = {1, 1, 1}, .size = 0.1};
  double state[2] = {0};
  FiniteStress out;
  uniaxial_stress(&stone, 1.003, &at, state, &out);
  cr_assert_gt(state[1], 0.9);
  double damage = state[1], stress = uniaxial_stress(&stone, exp(-1e-5), &at, state, &out);
  cr_assert_lt(stress, -0.8 * 1e10 * 1e-5); // sideways it is still cracked: 2 G instead of E
  cr_assert_geq(state[1], damage);          // never heals
  uniaxial_stress(&stone, 1, &at, state, &out);
  cr_assert_geq(state[1], damage);
}

Test(material_damage, stands_elements_up_to_the_length_without_snap_back) {
  double share = 1 - 2 * 0.04 / 1.2;
  cr_assert_float_eq(stone.type->largest_size(stone.par), 2 * 1e10 * 50 / 1e12 / share, 1e-12);
}
