// material/sheet_yld2000.h -- the yield function Yld2000-2d of aluminium sheets.
//
// Barlat et al. 2003: phi = (1/2 (|X'1 - X'2|^m + |2 X''2 + X''1|^m + |2 X''1 + X''2|^m))^(1/m)
// with X' = L' s, X'' = L'' s, two linear maps of eight coefficients in all; all one: Hosford's
// isotropic criterion. It is convex for m >= 1 whatever the coefficients.

#ifndef MATERIAL_SHEET_YLD2000_H
#define MATERIAL_SHEET_YLD2000_H

#include "base/err.h"

// What the criterion reads: L'11 L'12 L'21 L'22 L'66, the same of L'', exponent.
enum { N_YLD2000 = 11 };

// SheetCriterion with par [N_YLD2000].
double yld2000(const double *par, const double s[3], double n[3], double *hess);

// x^(1/m) for x >= 0: of the exponents of crystals, 6 and 8, by roots.
double yld2000_root(double x, double m);

// Of a radius against the stress: below it g_R / R of add_part() is its limit.
static const double YLD2000_ROUND = 1e-7;

void yld2000_maps(const double alpha[8], double exponent, double par[N_YLD2000]);

// Yield stresses at 0, 45, 90 degrees from the rolling direction and equibiaxial, r-values at the
// same; r[3] is the ratio of the plastic strains 22 / 11 under equibiaxial stress.
typedef struct {
  double s[4], r[4];
} SheetTests;

// The eight coefficients that meet the tests, by Newton from the isotropic criterion on; phi is the
// yield stress at 0 degrees. ERR_INPUT when it finds none.
Status yld2000_identify(const SheetTests *tests, double exponent, double alpha[8],
                        Err *err) MUST_CHECK;

#endif
