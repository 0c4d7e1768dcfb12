// output/principal.h -- what pictures show of a stress.
#ifndef OUTPUT_PRINCIPAL_H
#define OUTPUT_PRINCIPAL_H

// Principal stresses of xx yy zz xy yz xz as vectors: direction times value, largest first. The
// largest component of a direction is shown positive.
void principal_vectors(const double s[6], double p[3][3]);

double von_mises(const double s[6]);

#endif
