#include "../../support/no_leak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/spd.h"

TestSuite(spd, .fini = no_leak);

// Sizes on both sides of the limit, and far above it, where METIS and supernodes have work.
static const int side[] = {1, 5, 8, 9, 40};
enum { N_SIDES = sizeof side / sizeof side[0], MAX_N = 40 * 40, MAX_LANES = 8 };

// Laplacian of a grid of m x m nodes plus a diagonal that grows with the row: positive definite,
// and no two rows are alike.
static void make_grid(Sparse *a, int m) {
  Err err = {0};
  int n_cells = (m - 1) * (m - 1), n_groups = n_cells ? n_cells : 1;
  int32_t *ptr = calloc((size_t)n_groups + 1, sizeof *ptr);
  int32_t *item = calloc((size_t)n_groups * 4, sizeof *item);
  cr_assert(ptr && item);
  for (int c = 0; c < n_cells; c++) {
    int corner = c / (m - 1) * m + c % (m - 1);
    const int node[4] = {corner, corner + 1, corner + m, corner + m + 1};
    for (int k = 0; k < 4; k++) item[4 * c + k] = node[k];
    ptr[c + 1] = 4 * (c + 1);
  }
  if (!n_cells) ptr[1] = 1;
  cr_assert_eq(sparse_from_groups(a, m * m, 1, n_groups, ptr, item, &err), OK, "%s", err.text);
  for (int i = 0; i < a->n; i++)
    for (int64_t k = a->ptr[i]; k < a->ptr[i + 1]; k++)
      a->val[k] = a->col[k] == i ? 9 + 1e-2 * i : -1;
  free(ptr);
  free(item);
}

static double expected(int row, int lane) {
  return sin(0.3 * row + lane) + 0.1 * lane;
}

Test(spd, small_and_large_matrices_give_the_known_solution_in_every_lane) {
  static double x[MAX_N * MAX_LANES], b[MAX_N * MAX_LANES], found[MAX_N * MAX_LANES];
  const int lanes[] = {1, 3, 8, 2};
  for (int k = 0; k < N_SIDES; k++) {
    Sparse a;
    SpdInverse *inverse;
    Err err = {0};
    make_grid(&a, side[k]);
    cr_assert_eq(spd_make(&inverse, &a, &err), OK, "%s", err.text);
    for (int c = 0; c < 4; c++) {
      int n_lanes = lanes[c];
      for (int i = 0; i < a.n; i++)
        for (int l = 0; l < n_lanes; l++) x[i * n_lanes + l] = expected(i, l);
      sparse_multiply(&a, n_lanes, x, b);
      cr_assert_eq(spd_apply(inverse, n_lanes, b, found, &err), OK, "%s", err.text);
      for (int i = 0; i < a.n * n_lanes; i++)
        cr_assert_float_eq(found[i], x[i], 1e-13, "%d unknowns, %d lanes, entry %d: %g, %g", a.n,
                           n_lanes, i, found[i], x[i]);
    }
    spd_free(inverse);
    sparse_free(&a);
  }
}

Test(spd, the_explicit_inverse_is_symmetric_to_the_bit) {
  Sparse a;
  SpdInverse *inverse;
  Err err = {0};
  make_grid(&a, 8);
  cr_assert_eq(spd_make(&inverse, &a, &err), OK);
  static double w[64][64], unit[64];
  cr_assert_eq(a.n, 64);
  for (int j = 0; j < 64; j++) {
    unit[j] = 1;
    cr_assert_eq(spd_apply(inverse, 1, unit, w[j], &err), OK);
    unit[j] = 0;
    for (int i = 0; i < j; i++) cr_assert_eq(w[i][j], w[j][i]);
  }
  spd_free(inverse);
  sparse_free(&a);
}

Test(spd, the_same_matrix_gives_the_same_bits_twice) {
  static double b[MAX_N], x[MAX_N], again[MAX_N];
  for (int k = 0; k < N_SIDES; k++) {
    Sparse a;
    Err err = {0};
    make_grid(&a, side[k]);
    for (int i = 0; i < a.n; i++) b[i] = expected(i, 0);
    for (int turn = 0; turn < 2; turn++) {
      SpdInverse *inverse;
      cr_assert_eq(spd_make(&inverse, &a, &err), OK);
      cr_assert_eq(spd_apply(inverse, 1, b, turn ? again : x, &err), OK);
      spd_free(inverse);
    }
    cr_assert_arr_eq(x, again, (size_t)a.n * sizeof *x);
    sparse_free(&a);
  }
}

Test(spd, names_the_row_where_a_matrix_is_not_positive_definite) {
  for (int k = 1; k < N_SIDES; k++) {
    Sparse a;
    make_grid(&a, side[k]);
    int bad = 2 * a.n / 3;
    a.val[sparse_find(&a, bad, bad)] = -50;
    SpdInverse *inverse;
    Err err = {0};
    cr_assert_eq(spd_make(&inverse, &a, &err), ERR_NUMERIC);
    cr_assert_null(inverse);
    char tail[40];
    snprintf(tail, sizeof tail, "not positive definite at row %d", bad + 1);
    cr_assert_not_null(strstr(err.text, tail), "%d unknowns: '%s' instead of '%s'", a.n, err.text,
                       tail);
    sparse_free(&a);
  }
}

Test(spd, refuses_a_singular_matrix_and_one_with_nan) {
  for (int k = 1; k < N_SIDES; k++)
    for (int with_nan = 0; with_nan < 2; with_nan++) {
      Sparse a;
      SpdInverse *inverse;
      Err err = {0};
      make_grid(&a, side[k]);
      for (int64_t e = 0; e < a.ptr[a.n]; e++) a.val[e] = with_nan ? (double)NAN : 0;
      cr_assert_eq(spd_make(&inverse, &a, &err), ERR_NUMERIC, "%d unknowns, nan %d", a.n, with_nan);
      cr_assert_null(inverse);
      sparse_free(&a);
    }
}

Test(spd, every_failing_allocation_is_reported_and_leaves_nothing_behind) {
  static double b[MAX_N], x[MAX_N];
  for (int k = 0; k < N_SIDES; k++) {
    Sparse a;
    make_grid(&a, side[k]);
    int64_t before = mem_live_blocks();
    Status status = ERR_SYSTEM;
    for (int n = 1; status != OK; n++) {
      SpdInverse *inverse;
      Err err = {0};
      mem_fail_after(n);
      status = spd_make(&inverse, &a, &err);
      if (status == OK) status = spd_apply(inverse, 1, b, x, &err);
      mem_fail_after(0);
      cr_assert(status == OK || status == ERR_SYSTEM);
      spd_free(inverse);
      cr_assert_eq(mem_live_blocks(), before);
    }
    sparse_free(&a);
  }
}

Test(spd, applying_again_allocates_nothing) {
  static double b[MAX_N * MAX_LANES], x[MAX_N * MAX_LANES];
  Sparse a;
  SpdInverse *inverse;
  Err err = {0};
  make_grid(&a, 40);
  cr_assert_eq(spd_make(&inverse, &a, &err), OK);
  cr_assert_eq(spd_apply(inverse, MAX_LANES, b, x, &err), OK);
  int64_t calls = mem_total_calls();
  for (int lanes = 1; lanes <= MAX_LANES; lanes++)
    cr_assert_eq(spd_apply(inverse, lanes, b, x, &err), OK);
  cr_assert_eq(mem_total_calls(), calls);
  spd_free(inverse);
  sparse_free(&a);
}

Test(spd, versions_name_the_libraries) {
  char text[400];
  cr_assert_eq(algebra_start(NULL, NULL), OK);
  algebra_versions(text, sizeof text);
  cr_assert(strstr(text, "CHOLMOD ") && strstr(text, "UMFPACK ") && strstr(text, "METIS ") &&
            strstr(text, "OpenBLAS"));
}
