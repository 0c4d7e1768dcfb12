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

// Friction coefficient by the status of the last step. An absent `kinetic` is stored as NaN.
double law_friction(const double *par, const ContactGeometry *geo);

#endif
