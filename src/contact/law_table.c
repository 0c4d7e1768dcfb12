#include "contact/law_table.h"

#include <math.h>
#include <string.h>

const LawType *const law_types[] = {
    &law_signorini_coulomb, &law_velocity_signorini, &law_quasi_inelastic, &law_restitution,
    &law_elastic_joint,     &law_mohr_coulomb,       &law_cohesive_zone,   NULL};

const LawType *law_find(const char *name) {
  for (int k = 0; law_types[k]; k++)
    if (strcmp(law_types[k]->name, name) == 0) return law_types[k];
  return NULL;
}

const char *law_defect(const Law *law) {
  if (law->par[LAW_KINETIC] > law->par[LAW_FRICTION]) // NaN: not given
    return "kinetic is above friction: what slips cannot be held more than what rests";
  const double *d = law->direction;
  const int directed = d[0] != 0 || d[1] != 0 || d[2] != 0;
  if (law_is_orthotropic(law) && !directed)
    return "friction_2 is that across a direction: give it too, x y z, not all 0";
  if (law_is_orthotropic(law) && !(law->par[LAW_FRICTION] > 0))
    return "with friction_2 friction is above 0: slip along the ellipse of both has no direction else";
  if (!law_is_orthotropic(law) && directed)
    return "direction is that of friction where friction_2 differs from it: give it too";
  return law->type->defect ? law->type->defect(law->par) : NULL;
}

double law_friction(const double *par, const ContactGeometry *geo) {
  if (!geo->was_slipping || isnan(par[LAW_KINETIC])) return par[LAW_FRICTION];
  return par[LAW_KINETIC];
}
