#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

#include "../../support/element_sample.h"
#include "element/element_table.h"
#include "material/material_table.h"

Test(element_q4, stiffness_of_the_unit_square_has_its_textbook_entries) {
  // plane stress: k11 = E t (1/2 - nu/6) / (1 - nu^2), k12 = E t (1 + nu) / (8 (1 - nu^2))
  double young = 7, nu = 0.3, thickness = 2, d[16], ke[64];
  material_elastic.stiffness((double[]){young, nu}, PLANE_STRESS, d);
  ElementSpec spec = {.type = &element_q4, .state = PLANE_STRESS, .thickness = thickness, .d = d};
  const double x[8] = {0, 0, 1, 0, 1, 1, 0, 1};
  double scale = young * thickness / (1 - nu * nu);
  const double row[8] = {0.5 - nu / 6,    0.125 + nu / 8,  -0.25 - nu / 12, -0.125 + 3 * nu / 8,
                         -0.25 + nu / 12, -0.125 - nu / 8, nu / 6,          0.125 - 3 * nu / 8};
  cr_assert_eq(element_stiffness(&spec, x, ke, NULL), OK);
  for (int k = 0; k < 8; k++)
    cr_assert_float_eq(ke[k], scale * row[k], 1e-14 * scale, "entry %d: %g, %g", k, ke[k],
                       scale * row[k]);
}

// Deflection at the tip of a cantilever in plane strain (length 8, height 1, load 1 at the end),
// over that of the beam: Euler and shear, E' = E / (1 - nu^2).
static double cantilever(double nu, int b_bar) {
  double young = 1000, length = 8, d[16];
  const double size[2] = {length, 1};
  material_elastic.stiffness((double[]){young, nu}, PLANE_STRAIN, d);
  ElementSpec spec = {
      .type = &element_q4, .state = PLANE_STRAIN, .thickness = 1, .b_bar = b_bar, .d = d};
  Patch patch;
  patch_make(&patch, &element_q4, 32, 4, size, 0);
  int n = 2 * patch.n_nodes, last = 2 * (33 * 2 + 32) + 1; // middle of the end
  double *k = patch_stiffness(&patch, &spec);
  double *f = calloc((size_t)n, sizeof *f), *u = calloc((size_t)n, sizeof *u);
  char *fixed = calloc((size_t)n, 1);
  cr_assert(f && u && fixed);
  for (int j = 0; j <= 4; j++) { // parabolic shear lumped at the end; the other end is held
    f[2 * (33 * j + 32) + 1] = (const double[]){0.0469, 0.2656, 0.375, 0.2656, 0.0469}[j];
    fixed[2 * 33 * j] = fixed[2 * 33 * j + 1] = 1;
  }
  patch_solve(n, k, fixed, f, u);
  double tip = u[last], modulus = young / (1 - nu * nu), shear = young / (2 * (1 + nu));
  free(k), free(f), free(u), free(fixed);
  patch_free(&patch);
  return tip / (length * length * length / (3 * modulus / 12) + 1.2 * length / shear);
}

Test(element_q4, b_bar_does_not_lock_in_bending_when_nearly_incompressible) {
  double bar = cantilever(0.499999, 1), plain = cantilever(0.499999, 0);
  cr_assert_float_eq(bar, 1, 0.04, "%g of the beam's deflection", bar);
  cr_assert_lt(plain, 0.5, "%g of the beam's deflection", plain);
  // far from incompressible only the stiffness of bilinear elements in bending is left
  cr_assert_float_eq(cantilever(0.3, 0), 1, 0.1, "%g", cantilever(0.3, 0));
}
