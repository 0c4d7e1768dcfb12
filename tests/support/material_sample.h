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

#endif
