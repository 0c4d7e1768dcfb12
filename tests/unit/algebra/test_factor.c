#include "algebra/factor.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { N = 60 };

// A chain of springs with `shift` on the diagonal; the last node couples with the first.
static void make_chain(Sparse *a, double shift) {
  int32_t ptr[N + 1], item[2 * N];
  for (int k = 0; k < N; k++) {
    ptr[k] = 2 * k;
    item[2 * k] = k;
    item[2 * k + 1] = (k + 1) % N;
  }
  ptr[N] = 2 * N;
  Err err = {0};
  cr_assert_eq(sparse_from_groups(a, N, 1, N, ptr, item, &err), OK, "%s", err.text);
  for (int i = 0; i < N; i++) {
    a->val[sparse_find(a, i, i)] = 2 + shift;
    a->val[sparse_find(a, i, (i + 1) % N)] = -1;
    a->val[sparse_find(a, i, (i + N - 1) % N)] = -1;
  }
}

// Largest residual of A x = b for two columns.
static double solve_residual(Factor *factor, const Sparse *a) {
  double b[2 * N], x[2 * N], ax[N], worst = 0;
  Err err = {0};
  for (int k = 0; k < 2 * N; k++) b[k] = sin(1 + k);
  cr_assert_eq(factor_solve(factor, 2, b, x, &err), OK, "%s", err.text);
  for (int c = 0; c < 2; c++) {
    sparse_multiply(a, 1, x + c * N, ax);
    for (int k = 0; k < N; k++) worst = fmax(worst, fabs(ax[k] - b[c * N + k]));
  }
  return worst;
}

Test(factor, solves_with_new_values_on_the_old_pattern) {
  Sparse a;
  Factor *factor;
  Err err = {0};
  int row;
  make_chain(&a, 0.5);
  cr_assert_eq(factor_new(&factor, &err), OK);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < N; i++) a.val[sparse_find(&a, i, i)] += 0.1 * k;
    cr_assert_eq(factor_make(factor, &a, k == 0, 1, &row, &err), OK, "%s", err.text);
    cr_assert_lt(solve_residual(factor, &a), 1e-12);
  }
  factor_free(factor);
  sparse_free(&a);
}

// Eigenvalues of the ring are 2 + shift - 2 cos(2 pi k / N): some are negative, none is zero.
Test(factor, solves_an_indefinite_matrix_that_is_refused_as_a_positive_one) {
  Sparse a;
  Factor *factor;
  Err err = {0};
  int row;
  const double shift = -0.30001;
  make_chain(&a, shift);
  cr_assert_eq(factor_new(&factor, &err), OK);
  cr_assert_eq(factor_make(factor, &a, 1, 1, &row, &err), ERR_NUMERIC);
  err_clear(&err);
  cr_assert_eq(factor_make(factor, &a, 0, 0, &row, &err), OK, "%s", err.text);
  cr_assert_lt(solve_residual(factor, &a), 1e-9);
  factor_free(factor);
  sparse_free(&a);
}

Test(factor, names_the_row_of_what_is_no_number_and_of_a_zero_pivot) {
  Sparse a;
  Factor *factor;
  Err err = {0};
  int row;
  make_chain(&a, 1);
  cr_assert_eq(factor_new(&factor, &err), OK);
  a.val[sparse_find(&a, 7, 8)] = (double)NAN;
  cr_assert_eq(factor_make(factor, &a, 1, 0, &row, &err), ERR_NUMERIC);
  cr_assert_eq(row, 7);
  err_clear(&err);
  sparse_free(&a);
  make_chain(&a, 1);
  for (int j = 0; j < N; j++) { // an unknown without any stiffness
    int64_t at = sparse_find(&a, 11, j), mirror = sparse_find(&a, j, 11);
    if (at >= 0) a.val[at] = a.val[mirror] = 0;
  }
  cr_assert_eq(factor_make(factor, &a, 0, 0, &row, &err), ERR_NUMERIC);
  cr_assert_eq(row, 11);
  factor_free(factor);
  sparse_free(&a);
}
