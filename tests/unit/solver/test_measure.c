#include "problems.h"

#include "solver/cone.h"

TestSuite(measure, .fini = expect_no_leak);

Test(measure, does_not_depend_on_units) {
  OwnedProblem owned;
  make_random(&owned, 3, 6, 18, 0.2, 0.4, 1, 1);
  Problem p = owned.p, scaled = p;
  double r[18], big[18], scale[6], w[324 * 9], diag[54], b[18];
  uint64_t state = 9;
  for (int k = 0; k < 18; k++) {
    r[k] = random_real(&state);
    big[k] = 1e6 * r[k]; // impulses in other units: W and b follow
    b[k] = 1e3 * p.b[k];
  }
  for (int64_t k = 0; k < p.blocks.ptr[6] * 9; k++) w[k] = 1e-3 * p.blocks.w[k];
  for (int k = 0; k < 54; k++) diag[k] = 1e-3 * p.diag[k];
  scaled.blocks.w = w;
  scaled.diag = diag;
  scaled.b = b;
  measure_scales(&p, scale);
  double error = measure_error(&p, scale, r);
  measure_scales(&scaled, scale);
  cr_assert_float_eq(measure_error(&scaled, scale, big), error, 1e-13);
  cr_assert_gt(error, 0.01);
  problem_free(&owned);
}

Test(measure, calls_zero_over_zero_zero_and_anything_else_over_zero_one) {
  const double w[4] = {1, 0, 0, 1}, away[2] = {1, 0}, towards[2] = {-1, 0}, mu = 0.5, zero[2] = {0};
  OwnedProblem owned;
  double scale;
  make_dense(&owned, 2, 1, w, away, &mu);
  measure_scales(&owned.p, &scale);
  cr_assert_eq(measure_error(&owned.p, &scale, zero), 0);
  problem_free(&owned);
  make_dense(&owned, 2, 1, w, towards, &mu);
  cr_assert_eq(measure_error(&owned.p, &scale, zero), 1);
  problem_free(&owned);
}

Test(measure, never_takes_a_runaway_for_a_solution) {
  const double w[4] = {1, 0, 0, 1}, b[2] = {-1, 0}, mu = 0.5;
  OwnedProblem owned;
  double scale;
  make_dense(&owned, 2, 1, w, b, &mu);
  measure_scales(&owned.p, &scale);
  const double huge[2] = {1e200, 0}, broken[2] = {(double)NAN, 0};
  cr_assert_not(measure_error(&owned.p, &scale, huge) < 1);
  cr_assert_not(measure_error(&owned.p, &scale, broken) < 1);
  problem_free(&owned);
}

// One contact: u = b + d r, and the scale is 1 / d.
Test(measure, knows_what_round_off_makes_of_an_impulse) {
  OwnedProblem owned;
  const double w[4] = {4, 0, 0, 4}, b[2] = {-8, 0}, mu = 0, r[2] = {2, 0};
  make_dense(&owned, 2, 1, w, b, &mu);
  double scale[1];
  measure_scales(&owned.p, scale);
  double unit = ldexp(1, -53); // half a unit of the last place of one
  cr_assert_float_eq(measure_round_off(&owned.p, scale, r), unit * (8 + 8) / 4 / 2, 1e-3 * unit);
  problem_free(&owned);
}

Test(measure, finds_the_norm_of_a_block_whose_singular_values_are_known) {
  const double diagonal[9] = {1, 0, 0, 0, -4, 0, 0, 0, 2}, plane[4] = {0, -3, 2, 0};
  const double shear[4] = {1, 1, 0, 1}, same[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
  cr_assert_float_eq(measure_block_norm(3, diagonal), 4, 1e-14);
  cr_assert_float_eq(measure_block_norm(2, plane), 3, 1e-14);
  cr_assert_float_eq(measure_block_norm(2, shear), (1 + sqrt(5)) / 2, 1e-14);
  cr_assert_float_eq(measure_block_norm(3, same), 2, 1e-14);
}

// A = Q diag(s) Q^T with the reflection Q = I - 2 v v^T / |v|^2: the norm is the largest |s|. Where
// the two largest are one the root is double, and round-off shows by its square root.
Test(measure, the_norm_of_a_block_in_space_is_its_largest_value_however_it_is_turned) {
  const double values[][3] = {{1, 2, 3}, {1, 1e-3, 1e-6},      {1, 1 - 1e-3, 0.1},
                              {2, 2, 1}, {5, 1e-9, 0},         {3, 3, 3},
                              {1, 1, 0}, {1e-12, 3e-12, 2e-12}};
  uint64_t state = 11;
  for (int k = 0; k < 800; k++) {
    const double *s = values[k % 8];
    double v[3], a[9] = {0}, square = 0, largest = fmax(s[0], fmax(s[1], s[2]));
    for (int l = 0; l < 3; l++) {
      v[l] = random_real(&state);
      square += v[l] * v[l];
    }
    for (int i = 0; i < 9; i++)
      for (int l = 0; l < 3; l++)
        a[i] += s[l] * ((i / 3 == l) - 2 * v[i / 3] * v[l] / square) *
                ((i % 3 == l) - 2 * v[i % 3] * v[l] / square);
    int twice = (s[0] == largest) + (s[1] == largest) + (s[2] == largest) > 1;
    cr_assert_float_eq(measure_block_norm(3, a), largest, (twice ? 1e-7 : 1e-13) * largest);
  }
}

Test(measure, agrees_with_siconos_where_the_diagonal_is_one) {
  const double w[4] = {1, 0, 0, 1}, b[2] = {-1, 0.2}, mu = 0.5, r[2] = {0.9, 0};
  OwnedProblem owned;
  double scale;
  make_dense(&owned, 2, 1, w, b, &mu);
  measure_scales(&owned.p, &scale);
  double norm = sqrt(1.04); // |q| is the largest of |q|, |r|, |u|
  cr_assert_float_eq(measure_siconos(&owned.p, r) * norm, measure_error(&owned.p, &scale, r) * 0.9,
                     1e-14);
  problem_free(&owned);
}

Test(cone, projection_is_the_nearest_point) {
  uint64_t state = 4;
  for (int k = 0; k < 5000; k++) {
    int dim = 2 + k % 2;
    double mu = fabs(random_real(&state)), radius = k % 3 ? 0 : fabs(random_real(&state));
    double z[3], at[3], y[3], toward = 0;
    for (int l = 0; l < 3; l++) z[l] = at[l] = 2 * random_real(&state);
    cone_project(dim, mu, radius, at);
    cr_assert_leq(cone_violation(dim, mu, radius, at), 1e-14);
    // (z - P z) . (y - P z) <= 0 for every y of the convex set
    for (int l = 0; l < 3; l++) y[l] = 2 * random_real(&state);
    cone_project(dim, mu, radius, y);
    for (int l = 0; l < dim; l++) toward += (z[l] - at[l]) * (y[l] - at[l]);
    cr_assert_leq(toward, 1e-13, "projection %d", k);
  }
}
