#include "contact/law_table.h"

enum { RESTRAINT };
static const ParamSpec params[] = {
    {"restraint", PARAM_REAL, "N/m", NULL, "[0,inf[", NULL, "force per length of the bead"},
};

// A velocity at which the sheet is taken to leave the bead: so the normal part never acts. [m/s]
static const double AWAY = 1e6;

// Rigid up to the force of the bead, whatever the pressure: |R_T| <= restraint times length.
static void prepare(const double *par, const double *state, const ContactGeometry *geo,
                    LawShift *out) {
  (void)state;
  *out = (LawShift){.a = {AWAY}, .radius = geo->h * geo->area * par[RESTRAINT]};
}

const LawType law_bead = {
    .name = "bead",
    .doc = "Tangential force up to a threshold per length, without pressure: draw beads",
    .params = params,
    .n_params = 1,
    .beyond_cone = 1,
    .prepare = prepare,
};
