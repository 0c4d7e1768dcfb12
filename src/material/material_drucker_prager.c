#include "material/isotropic.h"
#include "material/material_table.h"

#include <math.h>
#include <string.h>

static const ParamSpec params[] = {
    ELASTIC_PARAMS,
    {"friction", PARAM_REAL, "rad", NULL, "[0,1.5[", NULL, "angle of internal friction"},
    {"cohesion", PARAM_REAL, "Pa", NULL, "[0,inf[", NULL, "cohesion"},
    {"dilatancy", PARAM_REAL, "rad", "", "[0,1.5[", NULL,
     "angle of dilatancy; absent: as friction, associated"},
    {"tension", PARAM_REAL, "Pa", "", "[0,inf[", NULL,
     "largest mean tension; absent: apex of the cone"},
};
enum { FRICTION = N_ELASTIC, COHESION, DILATANCY, TENSION };
enum { STRAIN = 0, EQUIVALENT = 6, N_STATE };

// f = sqrt(J2) + eta p - strength <= 0 and p <= tension; the cone through the compressive corners
// of Mohr-Coulomb's pyramid (Drucker-Prager 1952).
typedef struct {
  double eta, flow, strength, tension;
} Cone;

static double slope_of(double angle) {
  return 6 * sin(angle) / (sqrt(3) * (3 - sin(angle)));
}

static Cone cone_of(const double *par) {
  double phi = par[FRICTION], psi = isnan(par[DILATANCY]) ? phi : par[DILATANCY];
  Cone cone = {.eta = slope_of(phi), .flow = slope_of(psi)};
  cone.strength = 6 * cos(phi) / (sqrt(3) * (3 - sin(phi))) * par[COHESION];
  cone.tension = cone.eta > 0 ? cone.strength / cone.eta : (double)INFINITY;
  if (!isnan(par[TENSION])) cone.tension = fmin(cone.tension, par[TENSION]);
  return cone;
}

// What a return leaves of the trial stress, and its derivative by the strain:
// t = p 1 + keep s, d = bulk 1 x 1 + 2 shear Id_deviatoric - fall n x n - dyad (a x b + b x a) / 2.
typedef struct {
  double p, keep, bulk, shear, fall;
  double dyad, a[2], b[2]; // (deviatoric, volumetric) parts: a[0] n + a[1] 1
} Return;

static Return return_to(const Cone *cone, const Lame *lame, double root, double p) {
  Return r = {.p = p, .keep = 1, .bulk = lame->bulk, .shear = lame->shear};
  double f = root + cone->eta * p - cone->strength;
  if (f <= 0 && p <= cone->tension) return r;
  double stiffness = lame->shear + lame->bulk * cone->eta * cone->flow, multiplier = f / stiffness;
  double p_cone = p - lame->bulk * cone->flow * multiplier;
  double root_cone = root - lame->shear * multiplier;
  if (f > 0 && root_cone >= 0 && p_cone <= cone->tension) {
    r.p = p_cone;
    r.keep = root_cone / root;
    r.shear = lame->shear * r.keep;
    r.fall = -2 * lame->shear * (1 - r.keep); // the direction n turns only with the stress kept
    r.dyad = 1 / stiffness;
    r.a[0] = r.b[0] = sqrt(2) * lame->shear;
    r.a[1] = lame->bulk * cone->flow;
    r.b[1] = lame->bulk * cone->eta;
    return r;
  }
  // the cap of tension, or its edge with the cone; the apex is an edge without radius
  const double nothing = 1e-12; // of the strength: round-off of the radius at the apex
  double radius = cone->strength - cone->eta * cone->tension;
  if (radius < nothing * cone->strength) radius = 0;
  r.p = cone->tension;
  r.bulk = 0;
  if (root <= radius && radius > 0) return r;
  r.keep = root > 0 ? radius / root : 0;
  r.shear = lame->shear * r.keep;
  r.fall = 2 * lame->shear * r.keep;
  return r;
}

static Status finite(const Material *material, const FinitePoint *at, const double *state_old,
                     double *state_new, FiniteStress *out, Err *err) {
  const double *par = material->par;
  Lame lame = lame_constants(par[ELASTIC_YOUNG], par[ELASTIC_POISSON]);
  Cone cone = cone_of(par);
  LogStrain log;
  TRY(log_strain(at->c, &log, err));
  double ep[6], e[6], s[6], n[6], t[6], d[36], trace = 0, square = 0;
  log_enter(&log, state_old + STRAIN, ep);
  for (int i = 0; i < 6; i++) e[i] = (i < 3 ? log.e[i] : 0) - ep[i];
  for (int i = 0; i < 3; i++) trace += e[i];
  for (int i = 0; i < 6; i++) {
    s[i] = 2 * lame.shear * (e[i] - (i < 3 ? trace / 3 : 0));
    square += (i < 3 ? 1 : 2) * s[i] * s[i];
  }
  double p = lame.bulk * trace, root = sqrt(0.5 * square);
  Return r = return_to(&cone, &lame, root, p);
  double change = r.p - p, step[6], added[6], plastic = 0, work = 0, elastic = 0;
  for (int i = 0; i < 6; i++) {
    n[i] = root > 0 ? s[i] / (sqrt(2) * root) : 0;
    t[i] = r.keep * s[i] + (i < 3 ? r.p : 0);
    step[i] = (1 - r.keep) * s[i] / (2 * lame.shear) - (i < 3 ? change / (3 * lame.bulk) : 0);
    double twice = i < 3 ? 1 : 2;
    plastic += twice * step[i] * step[i];
    work += twice * t[i] * step[i];
    elastic += 0.5 * twice * t[i] * (e[i] - step[i]);
  }
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++) {
      double ai = r.a[0] * n[i] + (i < 3 ? r.a[1] : 0), ak = r.a[0] * n[k] + (k < 3 ? r.a[1] : 0);
      double bi = r.b[0] * n[i] + (i < 3 ? r.b[1] : 0), bk = r.b[0] * n[k] + (k < 3 ? r.b[1] : 0);
      d[i * 6 + k] = -0.5 * r.dyad * (ai * bk + ak * bi) - r.fall * n[i] * n[k];
      if (i < 3 && k < 3) d[i * 6 + k] += r.bulk - 2 * r.shear / 3;
      if (i == k) d[i * 6 + k] += i < 3 ? 2 * r.shear : r.shear;
    }
  memcpy(state_new, state_old, N_STATE * sizeof *state_new);
  out->lost = 0;
  if (plastic > 0) {
    log_leave(&log, step, added);
    for (int i = 0; i < 6; i++) state_new[STRAIN + i] += added[i];
    state_new[EQUIVALENT] += sqrt(2 * plastic / 3);
    out->lost = work;
  }
  out->stored = elastic;
  log_stress(&log, t, d, out);
  return OK;
}

static const char *defect(const Material *material, const char **warning) {
  const double *par = material->par;
  if (!isnan(par[DILATANCY]) && par[DILATANCY] > par[FRICTION])
    return "dilatancy is above friction: plastic flow would create energy";
  if (par[FRICTION] == 0 && par[COHESION] == 0) return "neither friction nor cohesion";
  if (!isnan(par[DILATANCY]) && par[DILATANCY] < par[FRICTION])
    *warning = "dilatancy below friction: the tangent is only the symmetric part, Newton's method "
               "takes more iterations";
  return NULL;
}

const MaterialType material_drucker_prager = {
    .name = "drucker_prager",
    .doc = "Soil, mortar: cone of Drucker-Prager with cut-off of tension in logarithmic strains, "
           "perfectly plastic; symmetric part of the tangent where dilatancy differs from friction "
           "(at small strains elastic only)",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .stiffness = isotropic_stiffness,
    .finite = finite,
    .n_state = N_STATE,
    .plastic = EQUIVALENT,
    .damage = -1,
    .defect = defect,
};
