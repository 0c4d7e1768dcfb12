#include "material/isotropic.h"
#include "material/material_table.h"

static const ParamSpec params[] = {
    ELASTIC_PARAMS,
    {"shear_viscosity", PARAM_REAL, "Pa s", "0", "[0,inf[", NULL, "viscosity of changes of shape"},
    {"bulk_viscosity", PARAM_REAL, "Pa s", "0", "[0,inf[", NULL, "viscosity of changes of volume"},
};
enum { SHEAR_VISCOSITY = N_ELASTIC, BULK_VISCOSITY };

// S = S_elastic + 2 eta dev(E') + zeta tr(E') 1 with E' = (E - E_old) / h, which has the form of
// Hooke's law of shear eta / h and bulk zeta / h.
static Status finite(const Material *material, const FinitePoint *at, const double *state_old,
                     double *state_new, FiniteStress *out, Err *err) {
  (void)state_old, (void)state_new, (void)err;
  const double *par = material->par;
  hooke_stress(lame_constants(par[ELASTIC_YOUNG], par[ELASTIC_POISSON]), at->c, out);
  if (!(at->h > 0)) return OK;
  double shear = par[SHEAR_VISCOSITY] / at->h, bulk = par[BULK_VISCOSITY] / at->h, moved[6];
  for (int i = 0; i < 6; i++) moved[i] = (i < 3 ? 1 : 0) + at->c[i] - at->c_old[i];
  FiniteStress viscous;
  hooke_stress((Lame){bulk - 2 * shear / 3, shear, bulk}, moved, &viscous);
  for (int i = 0; i < 6; i++) out->s[i] += viscous.s[i];
  for (int i = 0; i < 36; i++) out->d[i] += viscous.d[i];
  out->lost = 2 * viscous.stored; // h S_viscous : E'
  return OK;
}

const MaterialType material_kelvin_voigt = {
    .name = "kelvin_voigt",
    .doc = "St Venant-Kirchhoff with a viscous second Piola-Kirchhoff stress in parallel (at small "
           "strains elastic only)",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .stiffness = isotropic_stiffness,
    .finite = finite,
    .rates = 1,
    .plastic = -1,
    .damage = -1,
};
