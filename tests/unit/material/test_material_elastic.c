#include <criterion/criterion.h>

#include <math.h>

#include "material/material_table.h"

static const double young = 2.5e9;
static const double poisson[] = {-0.9, 0, 0.2, 0.3, 0.49, 0.4999};
enum { N_POISSON = sizeof poisson / sizeof poisson[0] };

// Strains of given stresses by Hooke's law, as in any textbook.
static void hooke(double nu, const double *stress, double *strain) {
  double shear = young / (2 * (1 + nu));
  for (int i = 0; i < 3; i++)
    strain[i] = (stress[i] - nu * (stress[(i + 1) % 3] + stress[(i + 2) % 3])) / young;
  for (int i = 3; i < 6; i++) strain[i] = stress[i] / shear;
}

static void expect_stress(const double *d, int n, const double *strain, const double *stress) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += d[i * n + j] * strain[j];
    cr_assert_float_eq(sum, stress[i], 1e-9, "component %d: %.17g, %.17g", i, sum, stress[i]);
  }
}

Test(material_elastic, inverts_hookes_law_in_space) {
  double d[36], strain[6];
  const double stress[6] = {3, -1, 2, 0.5, -0.7, 1.1};
  for (int k = 0; k < N_POISSON; k++) {
    material_elastic.stiffness((double[]){young, poisson[k]}, STRESS_3D, d);
    hooke(poisson[k], stress, strain);
    expect_stress(d, 6, strain, stress);
  }
}

Test(material_elastic, plane_strain_holds_eps_zz_at_zero_by_sigma_zz) {
  double d[16], strain[6];
  for (int k = 0; k < N_POISSON; k++) {
    double nu = poisson[k];
    // eps_zz = 0 needs sigma_zz = nu (sigma_xx + sigma_yy)
    const double stress[6] = {3, -1, nu * (3 - 1), 0.5, 0, 0};
    hooke(nu, stress, strain);
    cr_assert_float_eq(strain[2], 0, 1e-24);
    material_elastic.stiffness((double[]){young, nu}, PLANE_STRAIN, d);
    expect_stress(d, 4, strain, stress);
  }
}

Test(material_elastic, plane_stress_has_no_sigma_zz_whatever_eps_zz_is) {
  double d[16], strain[6];
  const double stress[6] = {3, -1, 0, 0.5, 0, 0};
  for (int k = 0; k < N_POISSON; k++) {
    material_elastic.stiffness((double[]){young, poisson[k]}, PLANE_STRESS, d);
    hooke(poisson[k], stress, strain);
    expect_stress(d, 4, strain, stress);
    for (int i = 0; i < 4; i++) cr_assert(d[2 * 4 + i] == 0 && d[i * 4 + 2] == 0);
  }
}

Test(material_elastic, knows_the_bounds_of_its_parameters) {
  cr_assert_eq(material_elastic.n_params, 2);
  cr_assert_str_eq(material_elastic.params[0].name, "young");
  cr_assert_str_eq(material_elastic.params[0].bounds, "]0,inf[");
  cr_assert_str_eq(material_elastic.params[1].name, "poisson");
  cr_assert_str_eq(material_elastic.params[1].bounds, "]-1,0.5[");
}
