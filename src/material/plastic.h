// material/plastic.h -- J2 plasticity in logarithmic strains, for any yield stress.
#ifndef MATERIAL_PLASTIC_H
#define MATERIAL_PLASTIC_H

#include "material/isotropic.h"

// Internal variables: plastic logarithmic strain (deviatoric, tensor components), equivalent
// plastic strain.
enum { PLASTIC_STRAIN = 0, PLASTIC_EQUIVALENT = 6, N_PLASTIC };

typedef struct {
  Lame lame;
  double kinematic;    // Prager modulus: slope of the uniaxial curve by the back stress  [Pa]
  YieldFunction yield; // as function of the increment of this step
  const void *context;
} PlasticLaw;

// Additive split of the total logarithmic strain (Miehe-Apel-Lambrecht 2002), radial return with
// linear back stress 2/3 kinematic e_p. Stored: elastic energy and that of the back stress.
Status plastic_stress(const PlasticLaw *law, const double c[6], const double *state_old,
                      double *state_new, FiniteStress *out, Err *err) MUST_CHECK;

#endif
