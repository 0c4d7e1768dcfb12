#include <math.h>

#include "contact/law_table.h"

static const ParamSpec params[] = {
    LAW_FRICTION_PARAMS,
    {"normal_stiffness", PARAM_REAL, "Pa/m", NULL, "]0,inf[", NULL, "initial stiffness in opening"},
    {"tangent_stiffness", PARAM_REAL, "Pa/m", NULL, "]0,inf[", NULL, "initial stiffness in shear"},
    {"tension", PARAM_REAL, "Pa", NULL, "]0,inf[", NULL, "peak traction in opening"},
    {"energy", PARAM_REAL, "J/m^2", NULL, "]0,inf[", NULL, "energy to separate a unit of area"},
};
enum { K_N = LAW_AFTER_FRICTION, K_T, PEAK, ENERGY };
enum { DAMAGE = 0, OPENING, SLIP_1, SLIP_2 }; // state: damage, opening and slip of the zone

// Damage for the equivalent opening d = sqrt(<u_N>^2 + (k_T/k_N) u_T^2): elastic up to d0 =
// peak/k_N, then linear softening to d1 = 2 energy/peak.
static double damage_at(const double *par, double d) {
  double d0 = par[PEAK] / par[K_N], d1 = 2 * par[ENERGY] / par[PEAK];
  if (d1 < d0) d1 = d0; // brittle: no softening branch
  if (d <= d0) return 0;
  return d >= d1 ? 1 : d1 * (d - d0) / (d * (d1 - d0));
}

// The zone acts in parallel with unilateral contact and friction: r = rho - A u - s with the secant
// stiffness (1 - damage) k, taken at the end of the step. Damage is that of the last step.
static void prepare(const double *par, const double *state, const ContactGeometry *geo,
                    LawShift *out) {
  double intact = (1 - state[DAMAGE]) * geo->area;
  *out = (LawShift){.mu = law_friction(par, geo), .broken = state[DAMAGE] >= 1};
  out->a[0] = geo->gap / geo->h;
  out->a_n = geo->h * geo->h * par[K_N] * intact;
  out->a_t = geo->h * geo->h * par[K_T] * intact;
  out->s[0] = geo->h * par[K_N] * intact * state[OPENING];
  out->s[1] = geo->h * par[K_T] * intact * state[SLIP_1];
  out->s[2] = geo->h * par[K_T] * intact * state[SLIP_2];
}

// Growth of damage that counts as a loss: less of the stiffness moves no equilibrium that one could
// see.
static const double DAMAGE_STEP = 1e-3;

static LawLoss commit(const double *par, const ContactGeometry *geo, const LawShift *shift,
                      const double u[3], const double r[3], int frozen, double *state) {
  (void)shift;
  (void)r;
  state[OPENING] = fmax(0, state[OPENING] + geo->h * u[0]);
  state[SLIP_1] += geo->h * u[1];
  state[SLIP_2] += geo->h * u[2];
  double shear2 = state[SLIP_1] * state[SLIP_1] + state[SLIP_2] * state[SLIP_2];
  double d = sqrt(state[OPENING] * state[OPENING] + par[K_T] / par[K_N] * shear2);
  double before = state[DAMAGE];
  if (!frozen) state[DAMAGE] = fmax(before, damage_at(par, d));
  if (state[DAMAGE] >= 1 && before < 1) return LOSS_ALL;
  return state[DAMAGE] > before + DAMAGE_STEP ? LOSS_SOME : LOSS_NONE;
}

static void born(int bonded, double *state) {
  state[DAMAGE] = !bonded;
}

const LawType law_cohesive_zone = {
    .name = "cohesive_zone",
    .per_area = 1,
    .doc = "Damageable cohesive zone (linear softening) in parallel with contact and friction",
    .params = params,
    .n_params = 6,
    .beyond_cone = 1,
    .parallel = 1,
    .n_state = 4,
    .state_names = "damage|opening|slip_1|slip_2",
    .born = born,
    .prepare = prepare,
    .commit = commit,
};
