// material/sheet_lanes.h -- eight layers of a sheet side by side, inside material/.

#ifndef MATERIAL_SHEET_LANES_H
#define MATERIAL_SHEET_LANES_H

#include "material/sheet_plasticity.h"

enum { LANES = 8 };
typedef double Lane[LANES];

#define FOR_LANES _Pragma("omp simd") for (int l = 0; l < LANES; l++)

// Eight layers, one in each lane of a vector register.
typedef struct {
  const Material *material;
  const double *yld2000;  // parameters of that criterion; NULL: the quadratic one
  SheetMatrix c, soft, p; // elasticity, its inverse, the quadratic criterion
  // of each layer: elastic strain and stress without plastic flow, its equivalent stress and p
  // stress, plastic strain before, yield stress at the start
  Lane e[3], trial[3], trial_phi, trial_p[3], a, first, first_slope;
  // where the return ends: increment of plastic strain and that over the yield stress, slope,
  // stress, normal
  Lane da, th, slope, xi[3], phi, n[3];
  Lane d[6]; // tangent 11 12 13 22 23 33
  int plastic[LANES];
  int hard[LANES]; // the return did not get there: the layer is one for the law by itself
} SheetBlock;

// Yield stresses and slopes at the plastic strains of all lanes.
void sheet_lanes_yield(const SheetBlock *block, const Lane a, Lane yield, Lane slope);

// yld2000() of all lanes, second derivatives 11 12 13 22 23 33; n and hess may be NULL together.
void yld2000_lanes(const double *par, Lane s[3], Lane phi, Lane n[3], Lane hess[6]);

// Return to the surface of yld2000, and the tangent.
void sheet_lanes_yld2000(SheetBlock *block);

#endif
