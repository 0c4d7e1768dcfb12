#include "contact/law_table.h"

enum { STIFFNESS = 2, STRENGTH, ORTHOTROPY }; // behind the parameters of friction
static const ParamSpec params[] = {
    LAW_FRICTION_PARAMS,
    {"stiffness", PARAM_REAL, "Pa/m", "0", "[0,inf[", NULL,
     "normal stiffness per area in series, e.g. young/thickness of a sheet between two tools, which press it; 0: rigid"},
    {"strength", PARAM_REAL, "Pa", "0", "[0,inf[", NULL,
     "largest normal pressure where there is a stiffness, e.g. of a holder that gives way; 0: none"},
    LAW_ORTHOTROPY_PARAMS,
};

// Signorini's condition on the predicted gap: g~ + h U_N >= 0, Jean 1999, eq. (24); with a
// stiffness k the gap may be negative by R_N / k, and beyond the strength k is the secant to it.
static void prepare(const double *par, const double *state, const ContactGeometry *geo,
                    LawShift *out) {
  (void)state;
  double k = par[STIFFNESS] * geo->area, strength = par[STRENGTH] * geo->area;
  if (strength > 0 && -geo->gap * k > strength) k = -strength / geo->gap;
  *out = (LawShift){.a = {geo->gap / geo->h}, .mu = law_friction(par, geo)};
  if (k > 0) out->c_n = 1 / (geo->h * geo->h * k);
}

static const char *defect(const double *par) {
  return par[STRENGTH] > 0 && !(par[STIFFNESS] > 0) ? "strength is that of a stiffness: give it too"
                                                    : NULL;
}

const LawType law_signorini_coulomb = {
    .name = "coulomb",
    .doc = "Signorini's condition on the gap and Coulomb friction: dry joints of deformable bodies",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .defect = defect,
    .orthotropy = ORTHOTROPY,
    .prepare = prepare,
};
