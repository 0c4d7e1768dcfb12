#include "material/isotropic.h"
#include "material/material_table.h"

#include <math.h>

static const ParamSpec params[] = {
    {"c10", PARAM_REAL, "Pa", NULL, "[0,inf[", NULL, "coefficient of the first invariant"},
    {"c01", PARAM_REAL, "Pa", "0", "[0,inf[", NULL, "coefficient of the second invariant"},
    {"bulk", PARAM_REAL, "Pa", NULL, "]0,inf[", NULL, "bulk modulus"},
};
enum { C10, C01, BULK };

// W = c10 (I1 J^-2/3 - 3) + c01 (I2 J^-4/3 - 3) + bulk/2 (J - 1)^2
static InvariantEnergy energy(const double *par, double i1, double i2, double j) {
  double a = par[C10] * pow(j, -2.0 / 3), b = par[C01] * pow(j, -4.0 / 3);
  InvariantEnergy e = {.w = a * i1 - 3 * par[C10] + b * i2 - 3 * par[C01] +
                            0.5 * par[BULK] * (j - 1) * (j - 1)};
  e.dw[0] = a;
  e.dw[1] = b;
  e.dw[2] = -2.0 / 3 * a * i1 / j - 4.0 / 3 * b * i2 / j + par[BULK] * (j - 1);
  e.ddw[0][2] = e.ddw[2][0] = -2.0 / 3 * a / j;
  e.ddw[1][2] = e.ddw[2][1] = -4.0 / 3 * b / j;
  e.ddw[2][2] = (10.0 / 9 * a * i1 + 28.0 / 9 * b * i2) / (j * j) + par[BULK];
  return e;
}

static Status finite(const Material *material, const FinitePoint *at, const double *state_old,
                     double *state_new, FiniteStress *out, Err *err) {
  (void)state_old, (void)state_new;
  return energy_stress(energy, material->par, at->c, out, err);
}

static void stiffness(const double *par, StressState state, double *d) {
  double shear = 2 * (par[C10] + par[C01]);
  hooke_matrix((Lame){par[BULK] - 2 * shear / 3, shear, par[BULK]}, state, d);
}

static const char *defect(const Material *material, const char **warning) {
  const double *par = material->par;
  double shear = 2 * (par[C10] + par[C01]);
  if (!(shear > 0)) return "c10 and c01 are both 0: no resistance to shear";
  if (par[BULK] < 2 * shear / 3)
    *warning = "bulk is less than c10 and c01 suggest for rubber: Poisson's ratio is negative";
  return NULL;
}

const MaterialType material_mooney_rivlin = {
    .name = "mooney_rivlin",
    .doc = "Nearly incompressible rubber, W = c10 (I1 J^-2/3 - 3) + c01 (I2 J^-4/3 - 3) + "
           "bulk/2 (J - 1)^2; wants elements that do not lock",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .stiffness = stiffness,
    .finite = finite,
    .plastic = -1,
    .damage = -1,
    .defect = defect,
};
