// contact/law_table.h -- the rows of the table of interface laws, one line each.
#ifndef CONTACT_LAW_TABLE_H
#define CONTACT_LAW_TABLE_H

#include "contact/law.h"

extern const LawType law_signorini_coulomb, law_velocity_signorini, law_quasi_inelastic,
    law_restitution, law_elastic_joint, law_mohr_coulomb, law_cohesive_zone;

// Shared by the laws with friction: static friction until a contact slips, kinetic while it slips.
#define LAW_FRICTION_PARAMS                                                                        \
  {"friction", PARAM_REAL, "1", NULL, "[0,inf[", NULL, "Coulomb friction coefficient (static)"}, { \
    "kinetic", PARAM_REAL, "1", "", "[0,inf[", NULL,                                               \
        "friction coefficient while the contact slips; absent: as friction"                        \
  }
enum { LAW_FRICTION = 0, LAW_KINETIC = 1, LAW_AFTER_FRICTION = 2 };

// Of laws whose tangents know friction alone, behind their other parameters.
#define LAW_ORTHOTROPY_PARAMS                                                                                                                                                                                                                                      \
  {"friction_2",                                                                                                                                                                                                                                                   \
   PARAM_REAL,                                                                                                                                                                                                                                                     \
   "1",                                                                                                                                                                                                                                                            \
   "",                                                                                                                                                                                                                                                             \
   "]0,inf[",                                                                                                                                                                                                                                                      \
   NULL,                                                                                                                                                                                                                                                           \
   "in space: friction across `direction`, in the plane of contact; friction is that along it. Forces stay in the ellipse of both, and what slips does so along its normal (associated rule); kinetic friction is in the same ratio. Absent: the same all round"}, \
      {"direction",                                                                                                                                                                                                                                                \
       PARAM_LIST,                                                                                                                                                                                                                                                 \
       "1",                                                                                                                                                                                                                                                        \
       "",                                                                                                                                                                                                                                                         \
       NULL,                                                                                                                                                                                                                                                       \
       NULL,                                                                                                                                                                                                                                                       \
       "x y z of the direction of `friction`, e.g. of ribs or saw marks, projected on the plane of contact (where it is normal to it, friction is the same all round)"},                                                                                           \
  {                                                                                                                                                                                                                                                                \
    "direction_of", PARAM_CHOICE, "", "world", NULL, "world|candidate|antagonist",                                                                                                                                                                                 \
        "what the direction is fixed to: the axes of the model, or a body of the contact, with which it turns (kinematics=\"rigid\", \"corotational\", supports)"                                                                                                  \
  }
enum { LAW_FRICTION_2, LAW_DIRECTION, LAW_DIRECTION_OF }; // behind LawType.orthotropy
enum { DIRECTION_WORLD, DIRECTION_CANDIDATE, DIRECTION_ANTAGONIST };

// Does friction differ along two directions?
static inline int law_is_orthotropic(const Law *law) {
  const int at = law->type->orthotropy;
  return at > 0 && law->par[at + LAW_FRICTION_2] > 0; // absent: NaN
}

// Is it held less once it slips?
static inline int law_drops(const Law *law) {
  return law->par[LAW_KINETIC] < law->par[LAW_FRICTION]; // absent: NaN
}

// Friction coefficient by the status of the last step. An absent `kinetic` is stored as NaN.
double law_friction(const double *par, const ContactGeometry *geo);

#endif
