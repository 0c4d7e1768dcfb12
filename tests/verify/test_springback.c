// What springback stands on: plane strain of sheets, tools without inertia, the release of tools.

#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../support/run_case.h"
#include "../support/scratch_path.h"

// ---- strips in plane strain ----------------------------------------------------------------------------

// A file of Gmsh 2.2: a strip of n x rows cells of the size `cell`, quadrilaterals or triangles, with the columns of
// nodes at its two ends as groups `front` and `back`.
static void strip_file(char *path, size_t size, int n, int rows, double cell, int quads) {
  enum { POINT = 15, TRIANGLE = 2, QUAD = 3 };
  int row = n + 1, number = 0;
  scratch_path(path, size, "strip");
  FILE *file = fdopen(mkstemp(path), "w");
  cr_assert_not_null(file);
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n0 1 \"front\"\n"
                "0 2 \"back\"\n2 3 \"all\"\n$EndPhysicalNames\n");
  fprintf(file, "$Nodes\n%d\n", (rows + 1) * row);
  for (int k = 0; k < (rows + 1) * row; k++)
    fprintf(file, "%d %.17g %.17g 0\n", k + 1, cell * (k % row), cell * (k / row));
  fprintf(file, "$EndNodes\n$Elements\n%d\n", 2 * (rows + 1) + (quads ? 1 : 2) * rows * n);
  for (int k = 0; k <= rows; k++) {
    fprintf(file, "%d %d 2 1 1 %d\n", ++number, POINT, k * row + 1);
    fprintf(file, "%d %d 2 2 1 %d\n", ++number, POINT, k * row + row);
  }
  for (int k = 0; k < rows * n; k++) {
    int a = k + k / n + 1;
    if (quads)
      fprintf(file, "%d %d 2 3 1 %d %d %d %d\n", ++number, QUAD, a, a + 1, a + row + 1, a + row);
    else
      fprintf(file, "%d %d 2 3 1 %d %d %d\n%d %d 2 3 1 %d %d %d\n", number + 1, TRIANGLE, a, a + 1,
              a + row + 1, number + 2, TRIANGLE, a, a + row + 1, a + row);
    number += quads ? 0 : 2;
  }
  fprintf(file, "$EndElements\n");
  fclose(file);
}

// Deflection of the ends of the rows of an elastic strip of 40 mm under 0.1 N across its end, all nodes held `as`.
static void deflections(const char *as, int quads, double out[3]) {
  char path[512];
  strip_file(path, sizeof path, 40, 2, 1e-3, quads);
  CaseRun *run = run_case_text(
      xml_format("<voussoir><model space='solid'/><material name='m' law='sheet' density='7800' "
                 "young='200e9' poisson='0.3' hardening='linear' yield='1e12' modulus='1e9'/>"
                 "<sheet name='s' material='m' shape='mesh' mesh='%s' thickness='1e-3' layers='3'/>"
                 "<hold on='s.front' as='clamped'/><hold on='s' as='%s'/>"
                 "<force on='s.back' z='0.1'/><time end='1' step='1' theta='1'/>"
                 "<newton statics='yes' tolerance='1e-6'/></voussoir>",
                 path, as),
      NULL);
  const BodySet *bs = &run->input.model.bodies;
  int rows = 0;
  for (int k = 0; k < bs->n_nodes && rows < 3; k++)
    if (fabs(bs->x[3 * k] - 40e-3) < 1e-9) out[rows++] = run->state.bodies.q[3 * k + 2];
  cr_assert_eq(rows, 3);
  run_case_close(run);
  unlink(path);
}

// F L^3 / (3 E' I) with E' = E / (1 - nu^2), on all rows, and no clamp at the free end. Held in displacement alone the
// strip bends across by nu times its curvature, and gives way as if its modulus were E.
Test(springback, held_in_a_plane_a_strip_bends_as_in_plane_strain) {
  const double inertia = 2e-3 * 1e-9 / 12, stiff = 200e9 / (1 - 0.09);
  const double expected = 0.1 * pow(40e-3, 3) / (3 * stiff * inertia);
  for (int quads = 0; quads < 2; quads++) {
    double w[3], half[3];
    deflections("plane_y", quads, w);
    cr_log_info("%s: %.5g of %.5g, rows within %.1e", quads ? "mitc4" : "ebst", w[1], expected,
                fabs(w[0] - w[1]) / expected);
    for (int k = 0; k < 3; k++)
      cr_expect_float_eq(w[k], expected, 5e-3 * expected, "row %d: %g of %g", k, w[k], expected);
    deflections("symmetry_y", quads, half);
    for (int k = 0; k < 3; k++) cr_expect_eq(half[k], w[k]);
    deflections("y", quads, half);
    cr_expect_geq(half[1], 1.05 * expected, "%g of %g", half[1], expected);
  }
}
