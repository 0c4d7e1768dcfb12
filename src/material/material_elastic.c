#include "material/material_table.h"

static const ParamSpec params[] = {
    {"young", PARAM_REAL, "Pa", NULL, "]0,inf[", NULL, "Young's modulus"},
    {"poisson", PARAM_REAL, "1", "0", "]-1,0.5[", NULL, "Poisson's ratio"},
};

static void stiffness(const double *par, StressState state, double *d) {
  double young = par[0], nu = par[1];
  int n = material_n_strains(state);
  double shear = young / (2 * (1 + nu));
  double lambda = young * nu / ((1 + nu) * (1 - 2 * nu));
  int n_normal = 3;
  if (state == PLANE_STRESS) { // sigma_zz = 0 eliminated
    lambda = young * nu / (1 - nu * nu);
    n_normal = 2;
  }
  for (int k = 0; k < n * n; k++) d[k] = 0;
  for (int i = 0; i < n_normal; i++)
    for (int j = 0; j < n_normal; j++) d[i * n + j] = lambda + (i == j ? 2 * shear : 0);
  for (int i = 3; i < n; i++) d[i * n + i] = shear;
}

const MaterialType material_elastic = {
    .name = "elastic",
    .doc = "Isotropic linear elasticity (small strains in the body's frame)",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .stiffness = stiffness,
    .plastic = -1,
    .damage = -1,
};
