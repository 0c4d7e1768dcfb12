// material/hardening_curve.h -- hardening curves with a power in them, tabulated.
//
// A layer of a sheet asks for its yield stress four times an evaluation, and a power is half of all
// that a sheet costs. Between points of the curve stands the cubic with the curve's stresses and
// slopes at both: 64 points an octave of total strain keep 1e-9 of the stress, and the slope is the
// derivative of what is returned.

#ifndef MATERIAL_HARDENING_CURVE_H
#define MATERIAL_HARDENING_CURVE_H

#include <stdint.h>
#include <string.h>

#include "material/material.h"

enum { CURVE_CELLS = 64 }; // an octave

typedef struct HardeningCurve {
  // strain that is added to the plastic one: the scale on which the curve bends at its start
  double first;
  double inverse; // 1 / first
  double last;    // plastic strain up to which it reaches
  double *point;  // [2 n] stress [Pa] and slope times the length of the cell behind it; owned
} HardeningCurve;

// *curve is NULL where the formula is as quick: no power, or a plateau before it. `par` points at
// the parameters of hardening.h.
Status hardening_curve_new(HardeningCurve **curve, const Material *material, const double *par,
                           double young, Err *err) MUST_CHECK;
void hardening_curve_free(HardeningCurve *curve); // NULL is nothing
// Yield stress and its slope at the plastic strain 0 <= a < last. Without a branch, for loops over
// lanes: the octave and the cell of x = (a + first) / first >= 1 are the leading bits of the
// number, the place in the cell the others.
static inline double hardening_curve_stress(const HardeningCurve *curve, double a, double *slope) {
  enum { MANTISSA = 52, CELL_BITS = 6, BIAS = 1023 };
  double x = 1 + a * curve->inverse, base, over; // over = 1 / octave
  uint64_t bits, leading, in_cell, inverse;
  memcpy(&bits, &x, sizeof bits);
  leading = bits >> MANTISSA << MANTISSA;
  in_cell = bits >> (MANTISSA - CELL_BITS) << (MANTISSA - CELL_BITS);
  inverse = ((uint64_t)(2 * BIAS) << MANTISSA) - leading;
  memcpy(&base, &in_cell, sizeof base);
  memcpy(&over, &inverse, sizeof over);
  int64_t cell = (int64_t)(bits >> (MANTISSA - CELL_BITS)) - ((int64_t)BIAS << CELL_BITS);
  double t = (x - base) * (over * CURVE_CELLS), s = 1 - t;
  const double *point = curve->point;
  double p0 = point[4 * cell], p1 = point[4 * cell + 1], p2 = point[4 * cell + 2],
         p3 = point[4 * cell + 3];
  double rise = p2 - p0, bend0 = p1 - rise, bend1 = rise - p3;
  double by_cell = rise + (s - t) * (s * bend0 + t * bend1) + t * s * (bend1 - bend0);
  *slope = by_cell * CURVE_CELLS * curve->inverse * over;
  return s * p0 + t * p2 + t * s * (s * bend0 + t * bend1);
}

#endif
