#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "body/prototype.h"
#include "body/rigid_modes.h"
#include "mesh/generate.h"

static const double SQUARE[8] = {0, 0, 1, 0, 1, 1, 0, 1};

static int modes_of(const uint8_t *fixed, int only_along, double *modes) {
  RigidCloud cloud = {
      .dim = 2, .n_nodes = 4, .n_dofs = 8, .x = SQUARE, .fixed = fixed, .only_along = only_along};
  return rigid_modes(&cloud, modes);
}

Test(rigid_modes, are_what_supports_leave) {
  double modes[6 * 8];
  uint8_t fixed[8] = {0};
  cr_assert_eq(modes_of(NULL, -1, modes), 3);
  fixed[1] = fixed[3] = 1; // the lower side on rollers: it slides along x
  cr_assert_eq(modes_of(fixed, -1, modes), 1);
  for (int k = 0; k < 8; k++) cr_assert_float_eq(fabs(modes[k]), k % 2 == 0, 1e-12);
  fixed[3] = 0;
  fixed[0] = 1; // one corner held: it turns about it
  cr_assert_eq(modes_of(fixed, -1, modes), 1);
  cr_assert_float_eq(modes[0], 0, 1e-12);
  cr_assert_float_eq(modes[1], 0, 1e-12);
  cr_assert_float_eq(modes[3], -modes[6], 1e-12); // (1, 0) goes up as (0, 1) goes back
  cr_assert_gt(fabs(modes[3]), 0.1);
  memset(fixed, 1, sizeof fixed);
  cr_assert_eq(modes_of(fixed, -1, modes), 0);
  cr_assert_eq(modes_of(NULL, 1, modes), 1); // a ring goes along its axis only
  for (int k = 0; k < 8; k++) cr_assert_float_eq(fabs(modes[k]), k % 2, 1e-12);
}

Test(rigid_modes, of_a_body_in_space_are_six) {
  double x[24], modes[6 * 24];
  for (int k = 0; k < 8; k++)
    for (int i = 0; i < 3; i++) x[3 * k + i] = (k >> i) & 1;
  RigidCloud cloud = {.dim = 3, .n_nodes = 8, .n_dofs = 24, .x = x, .only_along = -1};
  cr_assert_eq(rigid_modes(&cloud, modes), 6);
  // None strains the edges: relative motion is across them.
  for (int m = 0; m < 6; m++)
    for (int a = 0; a < 8; a++)
      for (int b = 0; b < a; b++) {
        double along = 0;
        for (int i = 0; i < 3; i++)
          along += (x[3 * a + i] - x[3 * b + i]) *
                   (modes[24 * m + 3 * a + i] - modes[24 * m + 3 * b + i]);
        cr_assert_float_eq(along, 0, 1e-12);
      }
}

Test(rigid_modes, become_orthonormal_in_the_matrix) {
  double modes[6 * 8], images[6 * 8], mass[8];
  int n = modes_of(NULL, -1, modes);
  for (int k = 0; k < 8; k++) mass[k] = 1 + k / 2;
  for (int m = 0; m < n; m++)
    for (int k = 0; k < 8; k++) images[8 * m + k] = mass[k] * modes[8 * m + k];
  cr_assert_eq(rigid_orthonormal(8, n, modes, images), 3);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      double product = 0;
      for (int k = 0; k < 8; k++) product += modes[8 * a + k] * mass[k] * modes[8 * b + k];
      cr_assert_float_eq(product, a == b, 1e-12);
    }
}

// The compliance of a corner of a free block, or its elastic part.
static double squeeze(double young, int elastic) {
  Mesh mesh = {0};
  Err err = {0};
  Material material = {
      .name = "stone", .type = material_find("elastic"), .par = {young, 0.25}, .density = 2000};
  cr_assert_eq(mesh_rectangle(&mesh, 0.6, 0.4, 3, 2, "q4", &err), OK, "%s", err.text);
  PrototypeSpec spec = {
      .mesh = &mesh, .material = &material, .state = PLANE_STRAIN, .thickness = 1};
  Prototype p;
  PrototypeFactors factors = {0};
  const PrototypeStep *step;
  cr_assert_eq(prototype_init(&p, &spec, &err), OK, "%s", err.text);
  cr_assert_eq(prototype_step(&p, &factors, 1e-3, 0.5, &step, &err), OK, "%s", err.text);
  int n = p.skin.n_nodes;
  const double *w = elastic ? step->elastic : step->compliance;
  double own = w[3]; // of the vertical component of the first node
  for (int k = 0; k < n; k++)
    cr_assert_float_eq(w[4 * (size_t)k + 1], w[4 * (size_t)k * n + 2], 1e-6 * own, "symmetric");
  prototype_factors_free(&factors);
  prototype_free(&p);
  mesh_free(&mesh);
  return own;
}

// w^e ~ 1 / (h^2 theta^2 K) where the mass no longer counts: E times it is a constant, to digits
// that a difference of compliances, 1e9 times as large, would not have.
Test(rigid_modes, leave_an_elastic_part_without_cancellation) {
  double one = 2e12 * squeeze(2e12, 1), two = 2e15 * squeeze(2e15, 1);
  double whole = squeeze(4e18, 0), part = squeeze(4e18, 1);
  cr_assert_float_eq(one / two, 1, 2e-3); // of the mass at 2e12
  cr_assert_gt(whole, 1e8 * part);
  double four = 4e18 * squeeze(4e18, 1);
  cr_assert_float_eq(two / four, 1, 1e-5);
}
