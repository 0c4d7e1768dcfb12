#include <math.h>

#include "contact/law_table.h"

static const ParamSpec params[] = {
    LAW_FRICTION_PARAMS,
    {"tension", PARAM_REAL, "Pa", "0", "[0,inf[", NULL,
     "tensile strength, lost when it is reached"},
    {"cohesion", PARAM_REAL, "Pa", "0", "[0,inf[", NULL,
     "shear strength without pressure, at least friction * tension; lost with the first slip or "
     "opening; with friction 0 and cohesion 0 the joint slips freely and is lost by opening alone"},
};
enum { TENSION = LAW_AFTER_FRICTION, COHESION, BROKEN = 0 };

// Relative distance to the limit at which a joint counts as failed, where it opens or slips by more
// than this share of what the bodies yield at the limit: less is the error of the solver. Many
// points of one joint are hyperstatic, so that some may stand at their limit by chance, and nothing
// gives.
static const double AT_LIMIT = 1e-6, GIVES = 2e-3;

static const char *defect(const double *par) {
  return par[COHESION] < par[LAW_FRICTION] * par[TENSION]
             ? "cohesion must be at least friction * tension"
             : NULL;
}

static void strengths(const double *par, const double *state, const ContactGeometry *geo,
                      double *tension, double *cohesion) {
  double intact = state[BROKEN] > 0 ? 0 : geo->h * geo->area;
  *tension = intact * par[TENSION];
  *cohesion = intact * par[COHESION];
}

static void prepare(const double *par, const double *state, const ContactGeometry *geo,
                    LawShift *out) {
  double tension, cohesion;
  strengths(par, state, geo, &tension, &cohesion);
  *out = (LawShift){.mu = law_friction(par, geo), .broken = state[BROKEN] > 0};
  out->a[0] = geo->gap / geo->h;
  out->s[0] = tension;
  // |r_T| <= mu r_N + cohesion; from the tip of the cone, where rho_N = r_N + tension is 0. Not
  // below 0 but for rounding (defect).
  out->radius = fmax(0, cohesion - out->mu * tension);
}

// The joint fails for good when it opens or slips at its limit. One without any shear strength
// (friction and cohesion 0) slips freely: there is no limit that it could lose.
static LawLoss commit(const double *par, const ContactGeometry *geo, const LawShift *shift,
                      const double u[3], const double r[3], int frozen, double *state) {
  (void)par;
  if (state[BROKEN] > 0 || frozen) return LOSS_NONE;
  if (shift->s[0] + shift->radius <= 0) {
    state[BROKEN] = 1;
    return LOSS_NONE; // there was nothing to lose
  }
  double scale = geo->h > 0 ? shift->s[0] + shift->radius : 0;
  double rho = r[0] + shift->s[0];
  double t2 = r[1] * r[1] + r[2] * r[2], limit = shift->mu * rho + shift->radius;
  double opens = u[0] + shift->a[0], slips = hypot(u[1], u[2]);
  int torn = rho <= AT_LIMIT * scale && opens > GIVES * geo->yield[0] * scale;
  int sheared =
      limit > 0 && t2 >= (1 - AT_LIMIT) * limit * limit && slips > GIVES * geo->yield[1] * limit;
  if (torn || sheared) state[BROKEN] = 1;
  return torn || sheared ? LOSS_ALL : LOSS_NONE;
}

static void born(int bonded, double *state) {
  state[BROKEN] = !bonded;
}

const LawType law_mohr_coulomb = {
    .name = "mohr_coulomb",
    .per_area = 1,
    .doc = "Joint with tensile strength and cohesion, both lost on failure, then dry friction",
    .params = params,
    .n_params = 4,
    .beyond_cone = 1,
    .n_state = 1,
    .state_names = "broken",
    .defect = defect,
    .born = born,
    .prepare = prepare,
    .commit = commit,
};
