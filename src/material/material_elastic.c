#include "material/isotropic.h"
#include "material/material_table.h"
#include "material/sheet_plasticity.h"

static const ParamSpec params[] = {ELASTIC_PARAMS};

static Status finite(const Material *material, const FinitePoint *at, const double *state_old,
                     double *state_new, FiniteStress *out, Err *err) {
  (void)state_old, (void)state_new, (void)err;
  hooke_stress(lame_constants(material->par[ELASTIC_YOUNG], material->par[ELASTIC_POISSON]), at->c,
               out);
  return OK;
}

const MaterialType material_elastic = {
    .name = "elastic",
    .doc = "Isotropic linear elasticity; at finite strains St Venant-Kirchhoff (linear in the "
           "Green-Lagrange strain: not for strong compression), in shells the logarithmic law",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .stiffness = isotropic_stiffness,
    .finite = finite,
    .sheet = sheet_elastic,
    .plastic = -1,
    .damage = -1,
};
