#include "contact/law_table.h"

static const ParamSpec params[] = {
    LAW_FRICTION_PARAMS,
    {"restitution", PARAM_REAL, "1", "0", "[0,1]", NULL,
     "Newton's coefficient of restitution, normal"},
    {"restitution_tangent", PARAM_REAL, "1", "0", "[0,1]", NULL, "the same for the tangent"},
    LAW_ORTHOTROPY_PARAMS,
};

// Newton-Moreau: U_N + e U_N(i) >= 0 while contact is forecast. The shift keeps its sign: clipping
// it would create energy.
static void prepare(const double *par, const double *state, const ContactGeometry *geo,
                    LawShift *out) {
  (void)state;
  double e_n = par[LAW_AFTER_FRICTION], e_t = par[LAW_AFTER_FRICTION + 1];
  *out = (LawShift){.a = {e_n * geo->u_old[0], e_t * geo->u_old[1], e_t * geo->u_old[2]},
                    .mu = law_friction(par, geo),
                    .open = geo->gap > geo->closed};
}

const LawType law_restitution = {
    .name = "restitution",
    .doc =
        "Newton-Moreau impact law with Coulomb friction: bouncing bodies; less where both would give "
        "energy",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .rebounds = 1,
    .orthotropy = LAW_AFTER_FRICTION + 2,
    .prepare = prepare,
};
