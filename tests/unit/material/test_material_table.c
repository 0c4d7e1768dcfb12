// Properties that every bulk law has: the loops run over the table, new rows are tested with it.
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "material/material.h"

// Defaults where there are, else 1.
static void sample_parameters(const MaterialType *type, double *par) {
  for (int k = 0; k < type->n_params; k++) {
    const char *initial = type->params[k].initial;
    par[k] = initial && initial[0] ? strtod(initial, NULL) : 1;
  }
}

// Smallest pivot of Gaussian elimination without exchange, over rows that are not zero altogether.
static double smallest_pivot(int n, double *d) {
  double smallest = (double)INFINITY;
  for (int k = 0; k < n; k++) {
    double largest = 0;
    for (int j = 0; j < n; j++) largest = fmax(largest, fabs(d[k * n + j]));
    if (largest == 0) continue;
    smallest = fmin(smallest, d[k * n + k]);
    for (int i = k + 1; i < n; i++)
      for (int j = n - 1; j >= k; j--) d[i * n + j] -= d[i * n + k] / d[k * n + k] * d[k * n + j];
  }
  return smallest;
}

Test(material_table, elastic_matrices_are_symmetric_and_positive_definite) {
  for (int m = 0; material_types[m]; m++) {
    double par[MATERIAL_MAX_PARAMS], d[MAX_STRAINS * MAX_STRAINS];
    sample_parameters(material_types[m], par);
    for (int state = STRESS_3D; state <= PLANE_STRESS; state++) {
      int n = material_n_strains((StressState)state);
      material_types[m]->stiffness(par, (StressState)state, d);
      for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
          cr_assert_eq(d[i * n + j], d[j * n + i], "%s", material_types[m]->name);
      if (state == PLANE_STRESS) // the only zero row is zz
        for (int i = 0; i < n; i++) cr_assert_eq(d[i * n + i] == 0, i == 2);
      cr_assert_gt(smallest_pivot(n, d), 0, "%s", material_types[m]->name);
    }
  }
}

Test(material_table, names_are_unique_and_found) {
  int n = 0;
  for (; material_types[n]; n++) {
    cr_assert_eq(material_find(material_types[n]->name), material_types[n]);
    cr_assert_leq(material_types[n]->n_params, MATERIAL_MAX_PARAMS);
    cr_assert(material_types[n]->doc && material_types[n]->doc[0]);
  }
  cr_assert_gt(n, 0);
  cr_assert_null(material_find("rubber?"));
  cr_assert_null(material_find(""));
}

Test(material_table, strains_are_four_in_the_plane_and_six_in_space) {
  cr_assert_eq(material_n_strains(PLANE_STRAIN), 4);
  cr_assert_eq(material_n_strains(PLANE_STRESS), 4);
  cr_assert_eq(material_n_strains(STRESS_3D), 6);
}
