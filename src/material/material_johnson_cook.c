#include "material/material_table.h"
#include "material/plastic.h"

#include <math.h>

static const ParamSpec params[] = {
    ELASTIC_PARAMS,
    {"yield", PARAM_REAL, "Pa", NULL, "]0,inf[", NULL, "A: yield stress at the reference rate"},
    {"strength", PARAM_REAL, "Pa", "0", "[0,inf[", NULL, "B: factor of hardening"},
    {"exponent", PARAM_REAL, "1", "1", "]0,1]", NULL, "n: exponent of hardening"},
    {"rate_factor", PARAM_REAL, "1", "0", "[0,inf[", NULL,
     "C: factor of the logarithm of the rate"},
    {"reference_rate", PARAM_REAL, "1/s", "1", "]0,inf[", NULL,
     "rate up to which rates do not count"},
};
enum { YIELD = N_ELASTIC, STRENGTH, EXPONENT, RATE_FACTOR, REFERENCE_RATE };

typedef struct {
  const double *par;
  double a, h; // equivalent plastic strain at the start of the step, step
} Context;

// (A + B a^n) (1 + C ln max(1, rate / rate0)), rate = da / h
static double yield(const void *context, double da, double *slope) {
  const double least = 1e-12; // the slope of a^n at 0 is infinite: far below any strain of interest
  const Context *at = context;
  const double *par = at->par;
  double a = fmax(at->a + da, least), power = par[STRENGTH] * pow(a, par[EXPONENT]);
  double level = par[YIELD] + power, factor = 1, factor_slope = 0;
  double reference = par[REFERENCE_RATE] * at->h; // increment at the reference rate
  if (at->h > 0 && da > reference) {
    factor += par[RATE_FACTOR] * log(da / reference);
    factor_slope = par[RATE_FACTOR] / da;
  }
  *slope = par[EXPONENT] * power / a * factor + level * factor_slope;
  return level * factor;
}

static Status finite(const Material *material, const FinitePoint *at, const double *state_old,
                     double *state_new, FiniteStress *out, Err *err) {
  const double *par = material->par;
  Context context = {par, state_old[PLASTIC_EQUIVALENT], at->h};
  PlasticLaw law = {.lame = lame_constants(par[ELASTIC_YOUNG], par[ELASTIC_POISSON]),
                    .yield = yield,
                    .context = &context};
  return plastic_stress(&law, at->c, state_old, state_new, out, err);
}

const MaterialType material_johnson_cook = {
    .name = "johnson_cook",
    .doc =
        "Metal at high rates without heating, (A + B a^n) (1 + C ln max(1, rate / reference)) in "
        "logarithmic strains (Johnson-Cook 1983; at small strains elastic only)",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .stiffness = isotropic_stiffness,
    .finite = finite,
    .n_state = N_PLASTIC,
    .plastic = PLASTIC_EQUIVALENT,
    .damage = -1,
};
