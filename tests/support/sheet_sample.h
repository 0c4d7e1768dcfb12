// Materials of sheets that bring out all their laws do, for tests over them.
#ifndef TESTS_SUPPORT_SHEET_SAMPLE_H
#define TESTS_SUPPORT_SHEET_SAMPLE_H

#include "material/material.h"

// The k-th sample, ready for use (`prepare` done); 0 when there are no more.
int sheet_sample(int k, Material *material);

// Steel of the tests with known answers: Swift 565.32 MPa (0.007117 + a)^0.2589, 206 GPa, 0.3; law
// "sheet" with von Mises' criterion.
void sheet_steel(Material *material);

// Sets a parameter by name (choices by index); aborts on unknown names.
void sheet_set(Material *material, const char *param, double value);

#endif
