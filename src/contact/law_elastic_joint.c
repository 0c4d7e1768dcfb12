#include "contact/law_table.h"

static const ParamSpec params[] = {
    LAW_FRICTION_PARAMS,
    {"normal_stiffness", PARAM_REAL, "Pa/m", NULL, "]0,inf[", NULL,
     "stiffness of the joint per area"},
    {"tangent_stiffness", PARAM_REAL, "Pa/m", NULL, "]0,inf[", NULL,
     "shear stiffness of the joint per area"},
};

// A linear spring in series with the unilateral frictional contact. At t_{i+1} the normal force is
// -k_N g~ while it presses; the tangential force grows by k_T U_T h from that of the last step.
// Series compliance 1/(h^2 k).
static void prepare(const double *par, const double *state, const ContactGeometry *geo,
                    LawShift *out) {
  (void)state;
  double h2 = geo->h * geo->h;
  double k_n = par[LAW_AFTER_FRICTION] * geo->area, k_t = par[LAW_AFTER_FRICTION + 1] * geo->area;
  *out = (LawShift){.c_n = 1 / (h2 * k_n), .c_t = 1 / (h2 * k_t), .mu = law_friction(par, geo)};
  out->a[0] = geo->gap / geo->h;
  for (int k = 1; k < 3; k++) out->a[k] = -geo->r_old[k] / (h2 * k_t);
}

const LawType law_elastic_joint = {
    .name = "elastic_joint",
    .per_area = 1,
    .doc = "Mortar as a bed of springs per area in series with unilateral contact and friction",
    .params = params,
    .n_params = 4,
    .prepare = prepare,
};
