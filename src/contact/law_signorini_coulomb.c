#include "contact/law_table.h"

static const ParamSpec params[] = {LAW_FRICTION_PARAMS};

// Signorini's condition on the predicted gap: g~ + h U_N >= 0, Jean 1999, eq. (24).
static void prepare(const double *par, const double *state, const ContactGeometry *geo,
                    LawShift *out) {
  (void)state;
  *out = (LawShift){.a = {geo->gap / geo->h}, .mu = law_friction(par, geo)};
}

const LawType law_signorini_coulomb = {
    .name = "coulomb",
    .doc = "Signorini's condition on the gap and Coulomb friction: dry joints of deformable bodies",
    .params = params,
    .n_params = 2,
    .prepare = prepare,
};
