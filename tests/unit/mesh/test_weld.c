#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/no_leak.h"
#include "base/mem.h"
#include "mesh/weld.h"
#include "surface_text.h"

TestSuite(weld, .fini = no_leak);

static void cube(double x[9 * CUBE_FACETS], double size) {
  for (int k = 0; k < 3 * CUBE_FACETS; k++) cube_corner(k / 3, k % 3, size, x + 3 * k);
}

static WeldReport judge(const double *x, int n, int *n_nodes) {
  Weld weld;
  WeldReport report;
  Err err = {0};
  cr_assert_eq(weld_init(&weld, x, n, &err), OK, "%s", err.text);
  cr_assert_eq(weld_check(&weld, &report, &err), OK, "%s", err.text);
  if (n_nodes) *n_nodes = weld.n_nodes;
  weld_free(&weld);
  return report;
}

// Corners are moved by what six digits lose, in every direction: cells of the grid must not part
// them.
Test(weld, makes_one_node_of_corners_that_six_digits_tell_apart) {
  double x[9 * CUBE_FACETS];
  for (int far = 0; far < 2; far++) {
    cube(x, 7.3);
    unsigned seed = 5;
    for (int k = 0; k < 9 * CUBE_FACETS; k++) {
      seed = seed * 1664525u + 1013904223u;
      x[k] += 2e-6 * (2.0 * (seed >> 8) / 16777216.0 - 1) + 500.0 * far;
    }
    int n;
    WeldReport report = judge(x, CUBE_FACETS, &n);
    cr_assert_eq(n, 8, "%d nodes", n);
    cr_assert_eq(report.defect, WELD_SOUND);
    cr_assert_eq(report.n_open, 0);
    cr_assert_float_eq(report.volume, 7.3 * 7.3 * 7.3, 1e-2);
  }
}

Test(weld, knows_inwards_from_outwards) {
  double x[9 * CUBE_FACETS], turned[9 * CUBE_FACETS];
  cube(x, 2);
  for (int k = 0; k < 3 * CUBE_FACETS; k++)
    memcpy(turned + 3 * k, x + 3 * (k / 3 * 3 + 2 - k % 3), sizeof(double[3]));
  cr_assert_float_eq(judge(x, CUBE_FACETS, NULL).volume, 8, 1e-14);
  cr_assert_float_eq(judge(turned, CUBE_FACETS, NULL).volume, -8, 1e-14);
}

Test(weld, counts_open_edges_and_rims) {
  double x[9 * CUBE_FACETS];
  cube(x, 1);
  WeldReport report = judge(x, CUBE_FACETS - 2, NULL); // without a side
  cr_assert_eq(report.n_open, 4);
  cr_assert_eq(report.n_rims, 1);
  report = judge(x + 18, CUBE_FACETS - 2, NULL);
  cr_assert_eq(report.n_open, 4);
  report = judge(x + 36, CUBE_FACETS - 4, NULL); // a tube
  cr_assert_eq(report.n_open, 8);
  cr_assert_eq(report.n_rims, 2);
  cr_assert_eq(report.defect, WELD_SOUND);
}

Test(weld, names_the_facets_of_every_defect) {
  double x[9 * CUBE_FACETS + 9], swap[3];
  cube(x, 1);
  memcpy(swap, x + 9 * 5, sizeof swap); // facet 6 turned over
  memcpy(x + 9 * 5, x + 9 * 5 + 3, sizeof swap);
  memcpy(x + 9 * 5 + 3, swap, sizeof swap);
  WeldReport report = judge(x, CUBE_FACETS, NULL);
  cr_assert_eq(report.defect, WELD_TURNED);
  cr_assert(report.facet[0] == 5 || report.facet[1] == 5);

  cube(x, 1);
  memcpy(x + 9 * 7, x + 9 * 7 + 3, sizeof swap); // two corners of facet 8 are one
  report = judge(x, CUBE_FACETS, NULL);
  cr_assert_eq(report.defect, WELD_NO_AREA);
  cr_assert_eq(report.facet[0], 7);

  cube(x, 1);
  for (int i = 0; i < 3; i++)
    x[9 * 7 + i] = 0.5 * (x[9 * 7 + 3 + i] + x[9 * 7 + 6 + i]); // a needle
  report = judge(x, CUBE_FACETS, NULL);
  cr_assert_eq(report.defect, WELD_NO_AREA);
  cr_assert_eq(report.facet[0], 7);

  cube(x, 1);
  const double fin[9] = {0, 0, 0, 1, 0, 0, 0.5, -1, -1};
  memcpy(x + 9 * CUBE_FACETS, fin, sizeof fin);
  report = judge(x, CUBE_FACETS + 1, NULL);
  cr_assert_eq(report.defect, WELD_BRANCHED);
  cr_assert_eq(report.n_meet, 3);

  const double folded[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0.3, 0.8, 0.001};
  report = judge(folded, 2, NULL);
  cr_assert_eq(report.defect, WELD_FOLDED);
  double sharp[18]; // a degree between them is a knife, not a fold
  memcpy(sharp, folded, sizeof sharp);
  sharp[17] = 0.8 * tan(0.0175);
  cr_assert_eq(judge(sharp, 2, NULL).defect, WELD_SOUND);
}

Test(weld, tells_of_every_allocation_that_fails) {
  double x[9 * CUBE_FACETS];
  cube(x, 1);
  for (int n = 1; n <= 6; n++) {
    Weld weld;
    WeldReport report;
    Err err = {0};
    mem_fail_after(n);
    Status status = weld_init(&weld, x, CUBE_FACETS, &err);
    if (status == OK) status = weld_check(&weld, &report, &err);
    mem_fail_after(0);
    cr_assert_eq(status, ERR_SYSTEM, "allocation %d", n);
    weld_free(&weld);
  }
}
