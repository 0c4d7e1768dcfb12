// Materials of every law of the table with parameters that bring out all it does, for tests over
// material_types. Moduli are of the order of 1000, so that strains of some percent are plastic.
#ifndef TESTS_SUPPORT_MATERIAL_SAMPLE_H
#define TESTS_SUPPORT_MATERIAL_SAMPLE_H

#include "material/material.h"

// The k-th sample of all laws with `finite`; 0 when there are no more. *symmetric: 0 where the law
// returns only the symmetric part of its derivative.
int material_sample(int k, Material *material, int *symmetric);

// The sample of a law by name with changed parameters is made by hand: place of a parameter.
int material_place(const MaterialType *type, const char *param);

// Uniaxial stress: stretches a point along x to `stretch`, finds the lateral stretch without stress
// and returns the Kirchhoff stress along x. `at` holds C of the last call (c_old is taken from it,
// h and size are kept), state is brought up to date. Aborts where it does not converge.
double uniaxial_stress(const Material *material, double stretch, FinitePoint *at, double *state,
                       FiniteStress *out);

#endif
