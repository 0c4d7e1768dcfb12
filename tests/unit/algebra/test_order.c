// Orders of a square grid whose nodes feel their eight neighbours, against George's count for it.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "algebra/order.h"

enum { SIDE = 40, N = SIDE * SIDE };

static const double MOST = 829. / 42 * N * SIDE; // of both L and U (1973)

static int64_t ptr[N + 1];
static int32_t col[9 * N], perm[N], place[N], parent[N], mark[N];

static void make_grid(void) {
  int64_t at = 0;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      if (abs(i / SIDE - j / SIDE) <= 1 && abs(i % SIDE - j % SIDE) <= 1) col[at++] = j;
    ptr[i + 1] = at;
  }
}

// Products of an elimination in the order perm: the square of the numbers below each pivot.
static double work(void) {
  static int below[N];
  double sum = 0;
  memset(below, 0, sizeof below);
  for (int i = 0; i < N; i++) place[perm[i]] = i;
  for (int i = 0; i < N; i++) {
    parent[i] = N;
    mark[i] = i;
    for (int64_t e = ptr[perm[i]]; e < ptr[perm[i] + 1]; e++)
      for (int k = place[col[e]]; k < i && mark[k] != i; k = parent[k]) {
        if (parent[k] == N) parent[k] = i;
        mark[k] = i;
        below[k]++;
      }
  }
  for (int k = 0; k < N; k++) sum += (double)below[k] * (below[k] + 1);
  return sum;
}

static void check_order(Status (*order)(int, const int64_t *, const int32_t *, int32_t *, Err *)) {
  Err err = {0};
  static int seen[N];
  memset(seen, 0, sizeof seen);
  make_grid();
  cr_assert_eq(order(N, ptr, col, perm, &err), OK, "%s", err.text);
  for (int k = 0; k < N; k++) cr_assert_eq(seen[perm[k]]++, 0);
  cr_assert_lt(work(), MOST, "%g", work());
}

Test(order, nested_dissection_needs_no_more_than_that_of_george) {
  check_order(order_nested_dissection);
}

Test(order, minimum_degree_needs_no_more_than_that_of_george) {
  check_order(order_minimum_degree);
}

Test(order, rows_one_after_the_other_need_more) {
  make_grid();
  for (int k = 0; k < N; k++) perm[k] = k;
  cr_assert_gt(work(), MOST, "%g", work());
}
