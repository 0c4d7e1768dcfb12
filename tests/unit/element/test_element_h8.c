#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

#include "element/element_table.h"
#include "material/material_table.h"

static int increasing(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Eigenvalues of a symmetric matrix by Jacobi's method, increasing.
static void eigenvalues(int n, double *a, double *lambda) {
  for (int sweep = 0; sweep < 30; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        if (fabs(a[p * n + q]) < 1e-300) continue;
        double theta = 0.5 * (a[q * n + q] - a[p * n + p]) / a[p * n + q];
        double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < n; k++) {
          double x = a[k * n + p], y = a[k * n + q];
          a[k * n + p] = c * x - s * y, a[k * n + q] = s * x + c * y;
        }
        for (int k = 0; k < n; k++) {
          double x = a[p * n + k], y = a[q * n + k];
          a[p * n + k] = c * x - s * y, a[q * n + k] = s * x + c * y;
        }
      }
  for (int k = 0; k < n; k++) lambda[k] = a[k * n + k];
  qsort(lambda, (size_t)n, sizeof *lambda, increasing);
}

// F2: values computed by algebra outside this program.
static void expect_spectrum(int b_bar, const double (*expected)[2]) {
  const double x[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
  double d[36], ke[576], lambda[24];
  material_elastic.stiffness((double[]){1, 0.3}, STRESS_3D, d);
  ElementSpec spec = {.type = &element_h8, .state = STRESS_3D, .b_bar = b_bar, .d = d};
  cr_assert_eq(element_stiffness(&spec, x, ke, NULL), OK);
  eigenvalues(24, ke, lambda);
  int k = 0;
  for (; k < 6; k++) cr_assert_float_eq(lambda[k], 0, 1e-14);
  for (int row = 0; expected[row][1] > 0; row++)
    for (int i = 0; i < (int)expected[row][1]; i++, k++)
      cr_assert_float_eq(lambda[k], expected[row][0], 5e-9, "eigenvalue %d: %.10g, not %.10g", k,
                         lambda[k], expected[row][0]);
  cr_assert_eq(k, 24);
}

Test(element_h8, spectrum_of_the_unit_cube) {
  expect_spectrum(0, (const double[][2]){{0.06410256, 2},
                                         {0.11752137, 3},
                                         {0.19230769, 3},
                                         {0.25641026, 1},
                                         {0.38461538, 8},
                                         {1.25, 1},
                                         {0, 0}});
}

Test(element_h8, spectrum_of_the_unit_cube_with_b_bar) {
  expect_spectrum(1, (const double[][2]){{0.06410256, 2},
                                         {0.07122507, 3},
                                         {0.10683761, 3},
                                         {0.19230769, 3},
                                         {0.25641026, 1},
                                         {0.38461538, 5},
                                         {1.25, 1},
                                         {0, 0}});
}
