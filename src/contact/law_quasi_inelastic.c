#include "contact/law_table.h"

static const ParamSpec params[] = {LAW_FRICTION_PARAMS, LAW_ORTHOTROPY_PARAMS};

// Quasi-inelastic shock: max(0, g~)/h + U_N >= 0, Jean 1999, eq. (25): penetration is never pushed
// out.
static void prepare(const double *par, const double *state, const ContactGeometry *geo,
                    LawShift *out) {
  (void)state;
  *out = (LawShift){.a = {geo->gap > 0 ? geo->gap / geo->h : 0}, .mu = law_friction(par, geo)};
}

const LawType law_quasi_inelastic = {
    .name = "quasi_inelastic",
    .doc = "Quasi-inelastic shock (no push-out of penetration) with Coulomb friction: rigid bodies",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .orthotropy = LAW_AFTER_FRICTION,
    .prepare = prepare,
};
