// output/forming_limit.h -- forming-limit curves: how near to necking a sheet is.
//
// A curve gives the largest major strain that a sheet bears at a minor strain, both logarithmic,
// linear between its points. Beyond its ends it stays at the value of the last point, which is on
// the safe side of curves that rise to both sides. The index is major strain / limit: 1 on the
// curve, above it the sheet necks.

#ifndef OUTPUT_FORMING_LIMIT_H
#define OUTPUT_FORMING_LIMIT_H

#include "base/err.h"

typedef struct {
  int body; // the sheet
  int n;
  double *point; // [2 n] minor strain (increasing), major strain (> 0); owned
} FormingLimit;

// From pairs minor, major [n_values]; engineering strains are converted. ERR_INPUT: an odd number,
// no pairs, strains in percent, minor strains that do not increase, limits that are not positive.
Status forming_limit_init(FormingLimit *limit, int body, const double *value, int n_values,
                          int engineering, Err *err) MUST_CHECK;
// The curve of Keeler and Brazier 1977 for steel, from the exponent n of its hardening curve and
// its thickness [m]: FLD0 = (23.3 + 14.13 t/mm) n / 0.21 percent at no minor strain, t at most 3 mm
// and n at most 0.21; to the left the thickness strain stays (slope -1 in logarithmic strains), to
// the right the engineering percents rise by e2 (0.785 - 0.0086 e2).
Status forming_limit_keeler(FormingLimit *limit, int body, double exponent, double thickness,
                            Err *err) MUST_CHECK;
// 1: it was not fitted for such a sheet, whose curve is that of the bounds.
int forming_limit_beyond_keeler(double exponent, double thickness);
void forming_limit_free(FormingLimit *limit);

double forming_limit_at(const FormingLimit *limit, double minor); // major strain of the curve
double forming_limit_index(const FormingLimit *limit, double minor, double major); // >= 0

#endif
