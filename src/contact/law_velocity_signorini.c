#include "contact/law_table.h"

static const ParamSpec params[] = {LAW_FRICTION_PARAMS, LAW_ORTHOTROPY_PARAMS};

// While contact is forecast within the step: U_N >= 0, Jean 1999, eq. (23).
static void prepare(const double *par, const double *state, const ContactGeometry *geo,
                    LawShift *out) {
  (void)state;
  *out = (LawShift){.mu = law_friction(par, geo), .open = geo->gap > geo->closed};
}

const LawType law_velocity_signorini = {
    .name = "velocity_signorini",
    .doc = "Signorini's condition on the velocity while contact is forecast, with Coulomb friction",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .orthotropy = LAW_AFTER_FRICTION,
    .prepare = prepare,
};
