// material/hardening_curve.h -- hardening curves with a power in them, tabulated.
//
// A layer of a sheet asks for its yield stress four times an evaluation, and a power is half of all that a sheet costs.
// Between points of the curve stands the cubic with the curve's stresses and slopes at both: 64 points an octave of
// total strain keep 1e-9 of the stress, and the slope is the derivative of what is returned.

#ifndef MATERIAL_HARDENING_CURVE_H
#define MATERIAL_HARDENING_CURVE_H

#include "material/material.h"

enum { CURVE_CELLS = 64 }; // an octave

typedef struct HardeningCurve {
  double
      first; // strain that is added to the plastic one: the scale on which the curve bends at its start
  double inverse; // 1 / first
  double last;    // plastic strain up to which it reaches
  double *point;  // [2 n] stress [Pa] and slope times the length of the cell behind it; owned
} HardeningCurve;

// *curve is NULL where the formula is as quick: no power, or a plateau before it. `par` points at the parameters of
// hardening.h.
Status hardening_curve_new(HardeningCurve **curve, const Material *material, const double *par,
                           double young, Err *err) MUST_CHECK;
void hardening_curve_free(HardeningCurve *curve); // NULL is nothing
// Yield stress and its slope at the plastic strain 0 <= a < last.
double hardening_curve_stress(const HardeningCurve *curve, double a, double *slope);

#endif
