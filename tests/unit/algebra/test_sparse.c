#include "../../support/no_leak.h"

#include <math.h>

#include "algebra/sparse.h"

TestSuite(sparse, .fini = no_leak);

// Six nodes: a chain of triples and a pair, node 5 in no group with others.
static const int32_t group_ptr[] = {0, 3, 6, 8, 9};
static const int32_t group_item[] = {0, 1, 2, 2, 3, 1, 3, 4, 5};
enum { N_ITEMS = 6, N_GROUPS = 4, PER = 2, N = N_ITEMS * PER };

static int coupled(int i, int j) {
  for (int g = 0; g < N_GROUPS; g++) {
    int has_i = 0, has_j = 0;
    for (int k = group_ptr[g]; k < group_ptr[g + 1]; k++) {
      has_i |= group_item[k] == i;
      has_j |= group_item[k] == j;
    }
    if (has_i && has_j) return 1;
  }
  return 0;
}

static void make(Sparse *a) {
  Err err = {0};
  cr_assert_eq(sparse_from_groups(a, N_ITEMS, PER, N_GROUPS, group_ptr, group_item, &err), OK, "%s",
               err.text);
  for (int64_t k = 0; k < a->ptr[a->n]; k++) a->val[k] = sin(1.0 + (double)k);
}

Test(sparse, pattern_is_that_of_the_groups_sorted_and_without_repetition) {
  Sparse a;
  make(&a);
  cr_assert_eq(a.n, N);
  for (int i = 0; i < N; i++) {
    for (int64_t k = a.ptr[i] + 1; k < a.ptr[i + 1]; k++) cr_assert_lt(a.col[k - 1], a.col[k]);
    for (int j = 0; j < N; j++) {
      int64_t at = sparse_find(&a, i, j);
      cr_assert_eq(at >= 0, coupled(i / PER, j / PER), "entry %d, %d", i, j);
      if (at >= 0) cr_assert(at >= a.ptr[i] && at < a.ptr[i + 1] && a.col[at] == j);
    }
  }
  sparse_free(&a);
}

Test(sparse, values_start_at_zero) {
  Sparse a;
  Err err = {0};
  cr_assert_eq(sparse_from_groups(&a, N_ITEMS, PER, N_GROUPS, group_ptr, group_item, &err), OK);
  for (int64_t k = 0; k < a.ptr[a.n]; k++) cr_assert_eq(a.val[k], 0);
  sparse_free(&a);
}

Test(sparse, products_agree_with_the_full_matrix_for_any_number_of_lanes) {
  Sparse a;
  make(&a);
  double x[8 * N], y[8 * N];
  for (int lanes = 1; lanes <= 8; lanes++) {
    for (int k = 0; k < N * lanes; k++) x[k] = cos(0.7 * k);
    sparse_multiply(&a, lanes, x, y);
    for (int i = 0; i < N; i++)
      for (int l = 0; l < lanes; l++) {
        double sum = 0;
        for (int j = 0; j < N; j++) {
          int64_t at = sparse_find(&a, i, j);
          if (at >= 0) sum += a.val[at] * x[j * lanes + l];
        }
        cr_assert_float_eq(y[i * lanes + l], sum, 1e-14, "%d lanes, row %d", lanes, i);
      }
  }
  sparse_free(&a);
}

Test(sparse, an_item_in_no_group_gives_empty_rows) {
  Sparse a;
  Err err = {0};
  double x[3] = {1, 2, 3}, y[3] = {9, 9, 9};
  const int32_t ptr[] = {0, 2}, item[] = {0, 2};
  cr_assert_eq(sparse_from_groups(&a, 3, 1, 1, ptr, item, &err), OK);
  cr_assert_eq(a.ptr[2] - a.ptr[1], 0);
  cr_assert_eq(sparse_find(&a, 1, 1), -1);
  sparse_multiply(&a, 1, x, y);
  cr_assert_eq(y[1], 0);
  sparse_free(&a);
}

Test(sparse, a_copy_is_equal_and_independent) {
  Sparse a, b;
  Err err = {0};
  make(&a);
  cr_assert_eq(sparse_copy(&b, &a, &err), OK);
  int64_t nnz = a.ptr[a.n];
  cr_assert_arr_eq(a.ptr, b.ptr, (size_t)(a.n + 1) * sizeof *a.ptr);
  cr_assert_arr_eq(a.col, b.col, (size_t)nnz * sizeof *a.col);
  cr_assert_arr_eq(a.val, b.val, (size_t)nnz * sizeof *a.val);
  b.val[0] += 1;
  cr_assert_neq(a.val[0], b.val[0]);
  sparse_free(&a);
  sparse_free(&b);
  sparse_free(&b); // freed is zeroed, and may be freed
  cr_assert_null(b.ptr);
}

Test(sparse, every_failing_allocation_is_reported_and_leaves_nothing_behind) {
  Sparse a, b;
  Err err = {0};
  Status status = ERR_SYSTEM;
  int n = 0;
  while (status != OK) {
    mem_fail_after(++n);
    status = sparse_from_groups(&a, N_ITEMS, PER, N_GROUPS, group_ptr, group_item, &err);
    mem_fail_after(0);
    if (status == OK) break;
    cr_assert_eq(status, ERR_SYSTEM);
    cr_assert_eq(mem_live_blocks(), 0, "after failure %d", n);
  }
  cr_assert_eq(n, 7); // six allocations
  cr_assert_eq(err.status, OK);
  for (int k = 1; k <= 3; k++) {
    mem_fail_after(k);
    cr_assert_eq(sparse_copy(&b, &a, &err), ERR_SYSTEM);
    sparse_free(&b); // half-built
  }
  sparse_free(&a);
}
