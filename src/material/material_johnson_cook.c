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
    {"softening", PARAM_REAL, "1", "1", "]0,inf[", NULL, "m: exponent of softening by heat"},
    {"melting", PARAM_REAL, "K", "0", "[0,inf[", NULL,
     "temperature at which no strength is left; 0: heat does not soften"},
    {"room", PARAM_REAL, "K", "293.15", "[0,inf[", NULL,
     "temperature up to which heat does not soften"},
    {"temperature", PARAM_REAL, "K", "293.15", "[0,inf[", NULL, "temperature at the start"},
    {"heat_capacity", PARAM_REAL, "J/(kg K)", "0", "[0,inf[", NULL,
     "of the mass: plastic work heats the material, and no heat flows; 0: it stays as it is"},
    {"heat_fraction", PARAM_REAL, "1", "0.9", "[0,1]", NULL,
     "share of plastic work that becomes heat (Taylor and Quinney 1934)"},
};
enum {
  YIELD = N_ELASTIC,
  STRENGTH,
  EXPONENT,
  RATE_FACTOR,
  REFERENCE_RATE,
  SOFTENING,
  MELTING,
  ROOM,
  TEMPERATURE,
  HEAT_CAPACITY,
  HEAT_FRACTION
};

// Internal variables: those of plasticity, and how much the temperature has risen [K].
enum { HEAT = N_PLASTIC, N_STATE };

typedef struct {
  const double *par;
  double a, h;    // equivalent plastic strain at the start of the step, step
  double heat;    // rise of temperature at the start                               [K]
  double warming; // rise by a unit of plastic work per reference volume            [K m^3/J]
} Context;

// (A + B a^n) (1 + C ln max(1, rate / rate0)), rate = da / h
static double cold_yield(const Context *at, double da, double *slope) {
  const double least = 1e-12; // the slope of a^n at 0 is infinite: far below any strain of interest
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

// What heat leaves of the strength, 1 - T*^m, T* = (T - room) / (melting - room); never less than a
// thousandth: a point without strength has no tangent.
static double softened(const double *par, double heat, double *slope) {
  const double least = 1e-3;
  double range = par[MELTING] - par[ROOM], t = (par[TEMPERATURE] + heat - par[ROOM]) / range;
  *slope = 0;
  if (!(par[MELTING] > 0) || t <= 0) return 1;
  double power = pow(t, par[SOFTENING]);
  if (1 - power <= least) return least;
  *slope = -par[SOFTENING] * power / (t * range);
  return 1 - power;
}

// The rise of temperature at the end of the step: heat = heat_0 + warming y (1 - T*^m) da with the
// yield stress y of the cold material, by Newton inside a bracket: the left side grows, the right
// one falls.
static double heat_after(const Context *at, double y, double da, double *factor, double *slope) {
  enum { MOST = 60 };
  const double accuracy = 1e-14; // of the rise in the step
  double low = at->heat, high = at->heat + at->warming * y * da, heat = low;
  for (int k = 0; k < MOST; k++) {
    *factor = softened(at->par, heat, slope);
    double miss = heat - at->heat - at->warming * y * da * *factor;
    if (miss > 0)
      high = heat;
    else
      low = heat;
    double next = heat - miss / (1 - at->warming * y * da * *slope);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (fabs(next - heat) <= accuracy * (high - at->heat) || high <= low) break;
    heat = next;
  }
  return heat;
}

static double yield(const void *context, double da, double *slope) {
  const Context *at = context;
  double cold_slope, factor, falls, y = cold_yield(at, da, &cold_slope);
  heat_after(at, y, da, &factor, &falls);
  // d heat = warming ((y' factor da + y factor) dda + y da d factor)
  double own = at->warming * factor * (cold_slope * da + y);
  double heat_slope = own / (1 - at->warming * y * da * falls);
  *slope = cold_slope * factor + y * falls * heat_slope;
  return y * factor;
}

static Context context_of(const Material *material, const double *state_old, double h) {
  const double *par = material->par;
  double capacity = material->density * par[HEAT_CAPACITY];
  return (Context){par, state_old[PLASTIC_EQUIVALENT], h, state_old[HEAT],
                   capacity > 0 ? par[HEAT_FRACTION] / capacity : 0};
}

static Status finite(const Material *material, const FinitePoint *at, const double *state_old,
                     double *state_new, FiniteStress *out, Err *err) {
  const double *par = material->par;
  Context context = context_of(material, state_old, at->h);
  PlasticLaw law = {.lame = lame_constants(par[ELASTIC_YOUNG], par[ELASTIC_POISSON]),
                    .yield = yield,
                    .context = &context};
  double factor, slope;
  TRY(plastic_stress(&law, at->c, state_old, state_new, out, err));
  double da = state_new[PLASTIC_EQUIVALENT] - state_old[PLASTIC_EQUIVALENT];
  state_new[HEAT] = heat_after(&context, cold_yield(&context, da, &slope), da, &factor, &slope);
  return OK;
}

static double temperature(const Material *material, const double *state) {
  return material->par[TEMPERATURE] + state[HEAT];
}

// Does the stress fall when the material is strained at the reference rate without losing heat?
static int softens(const Material *material) {
  const double step = 0.01, most = 2; // strains that metals reach
  double state[N_STATE] = {0}, factor, slope, before = 0;
  for (double a = 0; a < most; a += step) {
    state[PLASTIC_EQUIVALENT] = a;
    Context context = context_of(material, state, 0);
    double now = yield(&context, step, &slope), y = cold_yield(&context, step, &slope);
    if (now < before) return 1;
    before = now;
    state[HEAT] = heat_after(&context, y, step, &factor, &slope);
  }
  return 0;
}

static const char *defect(const Material *material, const char **warning) {
  const double *par = material->par;
  if (!(par[MELTING] > 0)) return NULL;
  if (par[MELTING] <= par[ROOM]) return "it melts below room temperature";
  if (par[MELTING] <= par[TEMPERATURE]) return "it is molten at the start";
  if (softens(material))
    *warning = "the yield stress falls by the heat of plastic work: without a length the result "
               "depends on the mesh";
  return NULL;
}

const MaterialType material_johnson_cook = {
    .name = "johnson_cook",
    .doc =
        "Metal at high rates, (A + B a^n) (1 + C ln max(1, rate / reference)) (1 - T*^m) in logarithmic "
        "strains, T* from room to melting temperature, heated by its plastic work (Johnson-Cook 1983; at "
        "small strains elastic only)",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .stiffness = isotropic_stiffness,
    .finite = finite,
    .rates = 1,
    .n_state = N_STATE,
    .plastic = PLASTIC_EQUIVALENT,
    .damage = -1,
    .temperature = temperature,
    .defect = defect,
};
