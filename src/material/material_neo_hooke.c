#include "material/isotropic.h"
#include "material/material_table.h"

#include <math.h>

static const ParamSpec params[] = {ELASTIC_PARAMS};

// W = mu/2 (I1 - 3) - mu ln J + lambda/2 (ln J)^2
static InvariantEnergy energy(const double *par, double i1, double i2, double j) {
  (void)i2;
  Lame lame = lame_constants(par[ELASTIC_YOUNG], par[ELASTIC_POISSON]);
  double ln = log(j);
  InvariantEnergy e = {.w = 0.5 * lame.shear * (i1 - 3) - lame.shear * ln +
                            0.5 * lame.lambda * ln * ln};
  e.dw[0] = 0.5 * lame.shear;
  e.dw[2] = (lame.lambda * ln - lame.shear) / j;
  e.ddw[2][2] = (lame.lambda - lame.lambda * ln + lame.shear) / (j * j);
  return e;
}

static Status finite(const Material *material, const FinitePoint *at, const double *state_old,
                     double *state_new, FiniteStress *out, Err *err) {
  (void)state_old, (void)state_new;
  return energy_stress(energy, material->par, at->c, out, err);
}

const MaterialType material_neo_hooke = {
    .name = "neo_hooke",
    .doc = "Compressible neo-Hooke, W = mu/2 (I1 - 3) - mu ln J + lambda/2 (ln J)^2",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .stiffness = isotropic_stiffness,
    .finite = finite,
    .plastic = -1,
    .damage = -1,
};
