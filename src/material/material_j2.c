#include "material/hardening.h"
#include "material/material_table.h"
#include "material/plastic.h"
#include "material/sheet_plasticity.h"

static const ParamSpec params[] = {
    ELASTIC_PARAMS,
    HARDENING_PARAMS,
    {"kinematic", PARAM_REAL, "Pa", "0", "[0,inf[", NULL, "modulus of linear kinematic hardening"},
};
enum { HARDENING = N_ELASTIC, KINEMATIC = HARDENING + N_HARDENING };

typedef struct {
  const Material *material;
  double a; // equivalent plastic strain at the start of the step
} Context;

static double yield(const void *context, double da, double *slope) {
  const Context *at = context;
  const double *par = at->material->par;
  return hardening_stress(at->material, par + HARDENING, par[ELASTIC_YOUNG], at->a + da, slope);
}

static Status finite(const Material *material, const FinitePoint *at, const double *state_old,
                     double *state_new, FiniteStress *out, Err *err) {
  const double *par = material->par;
  Context context = {material, state_old[PLASTIC_EQUIVALENT]};
  PlasticLaw law = {.lame = lame_constants(par[ELASTIC_YOUNG], par[ELASTIC_POISSON]),
                    .kinematic = par[KINEMATIC],
                    .yield = yield,
                    .context = &context};
  return plastic_stress(&law, at->c, state_old, state_new, out, err);
}

static const char *defect(const Material *material, const char **warning) {
  int softens;
  const double *par = material->par;
  const char *wrong = hardening_defect(material, par + HARDENING, par[ELASTIC_YOUNG], &softens);
  if (!wrong) *warning = hardening_doubt(material, par + HARDENING, par[ELASTIC_YOUNG], softens);
  return wrong;
}

const MaterialType material_j2 = {
    .name = "j2",
    .doc = "Metal: von Mises plasticity in logarithmic strains, isotropic and linear kinematic "
           "hardening (at small strains elastic only)",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .stiffness = isotropic_stiffness,
    .finite = finite,
    .sheet = sheet_mises,
    .tabulate = sheet_tabulate,
    .n_sheet_state = N_SHEET,
    .n_state = N_PLASTIC,
    .plastic = PLASTIC_EQUIVALENT,
    .damage = -1,
    .defect = defect,
};
