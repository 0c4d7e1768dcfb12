#include "material/isotropic.h"
#include "material/material_table.h"

#include <math.h>
#include <string.h>

static const ParamSpec params[] = {
    ELASTIC_PARAMS,
    {"strength", PARAM_REAL, "Pa", NULL, "]0,inf[", NULL, "uniaxial tensile strength"},
    {"fracture_energy", PARAM_REAL, "J/m^2", NULL, "]0,inf[", NULL,
     "energy lost by unit area of crack"},
};
enum { STRENGTH = N_ELASTIC, FRACTURE_ENERGY };
enum { HISTORY, DAMAGE, N_STATE }; // largest equivalent strain, damage

// Damage of the tensile part of the energy only, so that cracks close: W = (1 - d) W+ + W-, split
// by the signs of principal logarithmic strains and of their sum (Miehe et al. 2010). Equivalent
// strain k = sqrt(2 W+ / (E share)); `share`, the part of W+ in uniaxial tension, makes the law
// break at `strength` there. (1 - d) E k falls from the strength exponentially; the rate of fall
// spends the fracture energy in a band as wide as the element (Bazant-Oh 1983). As d depends on W+
// alone, the tangent is symmetric and the energy lost is a function of k.
typedef struct {
  double young, share, first, decay; // first: k where damage starts; decay: of the exponential
} Softening;

static double uniaxial_share(double poisson) {
  double lateral = fmax(poisson, 0); // negative ratios: everything is in tension
  return 1 - 2 * lateral * lateral / (1 + lateral);
}

static double largest_size(const double *par) {
  double share = uniaxial_share(par[ELASTIC_POISSON]);
  return 2 * par[ELASTIC_YOUNG] * par[FRACTURE_ENERGY] / (share * par[STRENGTH] * par[STRENGTH]);
}

static Softening softening_of(const double *par, double size) {
  const double least = 1e-3; // of `first`: elements of the largest size break at once
  Softening s = {.young = par[ELASTIC_YOUNG],
                 .share = uniaxial_share(par[ELASTIC_POISSON]),
                 .first = par[STRENGTH] / par[ELASTIC_YOUNG]};
  s.decay = par[FRACTURE_ENERGY] / (size * s.share * par[STRENGTH]) - 0.5 * s.first;
  s.decay = fmax(s.decay, least * s.first);
  return s;
}

// Damage at the equivalent strain k and its derivative; a last bit of stiffness is kept.
static double damage_at(const Softening *s, double k, double *slope) {
  const double most = 1 - 1e-6;
  *slope = 0;
  if (k <= s->first) return 0;
  double rest = s->first / k * exp(-(k - s->first) / s->decay);
  if (rest < 1 - most) return most;
  *slope = rest * (1 / k + 1 / s->decay);
  return 1 - rest;
}

// Energy lost until k: the area below (1 - d) E k less what unloading gives back.
static double lost_at(const Softening *s, double k) {
  if (k <= s->first) return 0;
  double fallen = exp(-(k - s->first) / s->decay), strength = s->young * s->first;
  return s->share * strength * (0.5 * s->first + s->decay * (1 - fallen) - 0.5 * fallen * k);
}

static Status finite(const Material *material, const FinitePoint *at, const double *state_old,
                     double *state_new, FiniteStress *out, Err *err) {
  static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  const double *par = material->par;
  Lame lame = lame_constants(par[ELASTIC_YOUNG], par[ELASTIC_POISSON]);
  Softening soft = softening_of(par, at->size);
  LogStrain log;
  TRY(log_strain(at->c, &log, err));
  const double *e = log.e;
  double trace = e[0] + e[1] + e[2], opening = fmax(trace, 0);
  double pull[6] = {0}, w = 0.5 * lame.lambda * trace * trace;
  double w_pull = 0.5 * lame.lambda * opening * opening;
  for (int a = 0; a < 3; a++) {
    double positive = fmax(e[a], 0);
    pull[a] = lame.lambda * opening + 2 * lame.shear * positive;
    w_pull += lame.shear * positive * positive;
    w += lame.shear * e[a] * e[a];
  }
  double k = sqrt(2 * w_pull / (soft.young * soft.share)), slope;
  double history = fmax(k, state_old[HISTORY]), damage = damage_at(&soft, history, &slope);
  if (k < history) slope = 0; // unloading, or never loaded so far
  double t[6] = {0}, d[36] = {0};
  // d t / d e = (1 - d) D+ + D- - d' / (E share k) t+ x t+
  double drop = slope > 0 ? slope / (soft.young * soft.share * k) : 0;
  double volume = lame.lambda * (trace > 0 ? 1 - damage : 1);
  for (int a = 0; a < 3; a++) {
    t[a] = lame.lambda * trace + 2 * lame.shear * e[a] - damage * pull[a];
    for (int b = 0; b < 3; b++) d[a * 6 + b] = volume - drop * pull[a] * pull[b];
    d[a * 7] += 2 * lame.shear * (e[a] > 0 ? 1 - damage : 1);
  }
  for (int i = 3; i < 6; i++) { // turning of the axes: difference quotient of positive parts
    double a = e[row[i]], b = e[column[i]];
    double positive = a > 0 && b > 0     ? 1
                      : a <= 0 && b <= 0 ? 0
                                         : (fmax(a, 0) - fmax(b, 0)) / (a - b);
    d[i * 7] = lame.shear * (1 - damage * positive);
  }
  state_new[HISTORY] = history;
  state_new[DAMAGE] = damage;
  out->stored = w - damage * w_pull;
  out->lost = lost_at(&soft, history) - lost_at(&soft, state_old[HISTORY]);
  log_stress(&log, t, d, out);
  return OK;
}

const MaterialType material_damage = {
    .name = "damage",
    .doc = "Blocks that crack: damage of the tensile part of the energy in logarithmic strains, "
           "softening by the fracture energy and the size of the element; cracks close (at small "
           "strains elastic only)",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .stiffness = isotropic_stiffness,
    .finite = finite,
    .n_state = N_STATE,
    .plastic = -1,
    .damage = DAMAGE,
    .largest_size = largest_size,
};
