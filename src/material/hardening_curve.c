#include "material/hardening_curve.h"

#include <math.h>

#include "base/mem.h"
#include "material/hardening.h"

// No sheet bears a plastic strain beyond.
static const double LARGEST_STRAIN = 8;

// The total strain where plastic flow begins; 0: none that makes sense.
static double first_strain(const Material *material, const double *par, double young) {
  double slope, stress = hardening_stress(material, par, young, 0, &slope);
  double n = par[HARDENING_EXPONENT], strength = par[HARDENING_STRENGTH];
  if (!(n > 0 && n < 1 && strength > 0)) return 0;
  if (hardening_choice_is(par, "swift") || hardening_choice_is(par, "swift_voce"))
    return par[HARDENING_OFFSET];
  if (!hardening_choice_is(par, "power") || par[HARDENING_YIELD] > 0.999 * stress) return 0;
  return stress / young;
}

Status hardening_curve_new(HardeningCurve **curve, const Material *material, const double *par,
                           double young, Err *err) {
  HardeningCurve *made;
  double first = first_strain(material, par, young);
  *curve = NULL;
  if (!(first > 0)) return OK;
  int octaves = (int)ceil(log2((LARGEST_STRAIN + first) / first));
  MEM_NEW(made, 1, err);
  *curve = made;
  *made = (HardeningCurve){
      .first = first, .inverse = 1 / first, .last = first * (ldexp(1, octaves) - 1)};
  MEM_NEW(made->point, 4 * octaves * CURVE_CELLS, err);
  double *point = made->point;
  for (int cell = 0; cell < octaves * CURVE_CELLS; cell++) {
    double octave = first * ldexp(1, cell / CURVE_CELLS), width = octave / CURVE_CELLS;
    double from = octave + cell % CURVE_CELLS * width - first;
    for (int end = 0; end < 2; end++, point += 2) {
      point[0] = hardening_stress(material, par, young, from + end * width, &point[1]);
      point[1] *= width;
    }
  }
  return OK;
}

void hardening_curve_free(HardeningCurve *curve) {
  if (curve) mem_free(curve->point);
  mem_free(curve);
}
