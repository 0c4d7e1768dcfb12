#include <criterion/criterion.h>

#include <math.h>

#include "../../support/element_sample.h"
#include "element/hencky2.h"

// 1/2 ln(1 + 2 E) by eigenvectors, tensor components with doubled shear.
static void by_eigenvectors(const double E[3], double e[3]) {
  double angle = 0.5 * atan2(E[2], E[0] - E[1]), c = cos(angle), s = sin(angle);
  double mean = 0.5 * (E[0] + E[1]), radius = 0.5 * hypot(E[0] - E[1], E[2]);
  double high = 0.5 * log(1 + 2 * (mean + radius)), low = 0.5 * log(1 + 2 * (mean - radius));
  e[0] = high * c * c + low * s * s;
  e[1] = high * s * s + low * c * c;
  e[2] = 2 * (high - low) * s * c;
}

Test(hencky2, is_the_logarithm_of_the_stretch) {
  unsigned seed = 1;
  for (int k = 0; k < 400; k++) {
    double size = k % 4 == 0 ? 0.2 : k % 4 == 1 ? 0.05 : k % 4 == 2 ? 1e-3 : 1e-8;
    double E[3], e[3];
    for (int i = 0; i < 3; i++) E[i] = size * sample_random(&seed);
    Hencky2 h;
    cr_assert(hencky2(E, &h));
    by_eigenvectors(E, e);
    for (int i = 0; i < 3; i++) cr_assert_float_eq(h.e[i], e[i], 2e-16 + 1e-14 * size);
  }
}

Test(hencky2, derivatives_are_those_of_differences_on_both_sides_of_the_series) {
  const double d[9] = {3, 1, 0.2, 1, 4, -0.3, 0.2, -0.3, 2}, step = 1e-4;
  unsigned seed = 2;
  for (int k = 0; k < 100; k++) {
    double E[3], t0[3], s[3], ds[9], size = k % 2 ? 0.3 : 0.04;
    for (int i = 0; i < 3; i++) {
      E[i] = size * sample_random(&seed);
      t0[i] = sample_random(&seed);
    }
    // stress t = t0 + d (e - e(E)), so that t0 and d are its value and derivative at E
    Hencky2 h, moved;
    hencky2(E, &h);
    hencky2_stress(&h, t0, d, s, ds);
    for (int j = 0; j < 3; j++) {
      double found[4][3];
      for (int q = 0; q < 4; q++) {
        double at[3] = {E[0], E[1], E[2]}, t[3];
        at[j] += step * (q < 2 ? q + 1 : 1 - q);
        hencky2(at, &moved);
        for (int i = 0; i < 3; i++) {
          t[i] = t0[i];
          for (int l = 0; l < 3; l++) t[i] += d[3 * i + l] * (moved.e[l] - h.e[l]);
        }
        hencky2_stress(&moved, t, NULL, found[q], NULL);
      }
      for (int i = 0; i < 3; i++) {
        double slope =
            (8 * (found[0][i] - found[2][i]) - (found[1][i] - found[3][i])) / (12 * step);
        cr_assert_float_eq(ds[3 * i + j], slope, 1e-8 * 100, "%d: %g %g", k, ds[3 * i + j], slope);
      }
    }
  }
}

Test(hencky2, series_and_closed_form_meet) {
  Hencky2 below, above;
  double x = 0.1 * (1 - 1e-12); // q / m^2 = 0.01 at E11 - E22 = 0.1
  hencky2((double[]){0.5 * x, -0.5 * x, 0}, &below);
  x = 0.1 * (1 + 1e-12);
  hencky2((double[]){0.5 * x, -0.5 * x, 0}, &above);
  cr_assert_float_eq(below.g, above.g, 1e-12);
  cr_assert_float_eq(below.g_q, above.g_q, 1e-11);
  cr_assert_float_eq(below.g_qq, above.g_qq, 1e-9);
}

Test(hencky2, a_surface_without_area_has_no_logarithm) {
  Hencky2 h;
  cr_assert_not(hencky2((double[]){-0.5, 0, 0}, &h));
  cr_assert_not(hencky2((double[]){-3, -3, 0}, &h));
  cr_assert_not(hencky2((double[]){0, 0, (double)NAN}, &h));
}
