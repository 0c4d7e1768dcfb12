#include "pair_sample.h"

// Turns about the middle of a unit cube by 45 degrees: the first body about x, the other about y.
static void turn_both(int body, double x[3]) {
  const int i = body == 0 ? 1 : 2, j = body == 0 ? 2 : 0;
  const double a = x[i] - 0.5, b = x[j] - 0.5, half = sqrt(0.5);
  x[i] = 0.5 + half * (a - b);
  x[j] = 0.5 + half * (a + b);
}

// The second body alone, about z.
static void turn_one(int body, double x[3]) {
  const double a = x[0] - 0.5, b = x[1] - 0.5, half = sqrt(0.5);
  if (body == 0) return;
  x[0] = 0.5 + half * (a - b);
  x[1] = 0.5 + half * (a + b);
}

// An upper side that is round.
static void round_off(int body, double x[3]) {
  (void)body;
  if (x[2] > 0.5) x[2] = 1.2 - 0.8 * (x[0] - 0.5) * (x[0] - 0.5);
}

static Parting parted(const int cells[2][3], const double shift[3], void (*bend)(int, double *),
                      double *depth) {
  static const int solid[2] = {0, 0};
  static const double size[2][3] = {{1, 1, 1}, {1, 1, 1}};
  PairSample s;
  pair_sample_init(&s, cells, size, solid, shift, 1, bend);
  const Parting parting = contact_parting(&s.cm, &s.bs, 0, 1, 1e-3, depth);
  pair_sample_free(&s);
  return parting;
}

Test(contact_parting, cubes_that_cross_are_as_deep_as_the_way_out) {
  static const int one[2][3] = {{1, 1, 1}, {1, 1, 1}}, fine[2][3] = {{2, 2, 2}, {3, 3, 3}};
  double depth;
  for (int k = 0; k < 2; k++) {
    cr_expect_eq(parted(k ? fine : one, (double[]){0, 0, 0}, turn_one, &depth), PARTING_LEAST);
    cr_expect_float_eq(depth, 1, 1e-12, "along z, none of its nodes is in the other: %g", depth);
    parted(k ? fine : one, (double[]){0.9, 0, 0}, turn_one, &depth);
    cr_expect_float_eq(depth, sqrt(0.5) - 0.4, 1e-12);
  }
}

// The upper edge of the first and the lower edge of the other cross over its middle: what parts
// them is the normal of both edges.
Test(contact_parting, edges_that_cross_part_along_their_common_normal) {
  static const int one[2][3] = {{1, 1, 1}, {1, 1, 1}};
  double depth;
  cr_expect_eq(parted(one, (double[]){0, 0, sqrt(2) - 0.05}, turn_both, &depth), PARTING_LEAST);
  cr_expect_float_eq(depth, 0.05, 1e-12, "%g", depth);
  parted(one, (double[]){0, 0, sqrt(2) + 0.05}, turn_both, &depth);
  cr_expect_lt(depth, 1e-3);
}

// Ridges of a round side are in no list: the normals of faces are tried alone, which is no less.
Test(contact_parting, of_round_bodies_normals_of_faces_are_tried) {
  static const int cells[2][3] = {{8, 1, 1}, {8, 1, 1}};
  double depth;
  cr_expect_eq(parted(cells, (double[]){0, 0, 0}, round_off, &depth), PARTING_BY_FACES);
  cr_expect_float_eq(depth, 1, 1e-12, "%g", depth);
}
