#include "algebra/sparse.h"

#include <stdlib.h>
#include <string.h>

void sparse_free(Sparse *a) {
  mem_free(a->ptr);
  mem_free(a->col);
  mem_free(a->val);
  *a = (Sparse){0};
}

static int compare_int(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

// Groups in which each item stands: the transpose of the group lists.
static Status transpose_groups(int n_items, int n_groups, const int32_t *group_ptr,
                               const int32_t *group_item, int32_t **ptr_out, int32_t **group_out,
                               Err *err) {
  int32_t *ptr, *group;
  MEM_NEW(*ptr_out, n_items + 2, err);
  MEM_NEW(*group_out, group_ptr[n_groups], err);
  ptr = *ptr_out;
  group = *group_out;
  for (int k = 0; k < group_ptr[n_groups]; k++) ptr[group_item[k] + 2]++;
  for (int i = 0; i <= n_items; i++) ptr[i + 1] += ptr[i];
  for (int g = 0; g < n_groups; g++)
    for (int k = group_ptr[g]; k < group_ptr[g + 1]; k++) group[ptr[group_item[k] + 1]++] = g;
  return OK;
}

// Items coupled with `item`, sorted and without repetition; returns their number.
static int neighbours(int item, const int32_t *item_ptr, const int32_t *item_group,
                      const int32_t *group_ptr, const int32_t *group_item, int32_t *out) {
  int n = 0;
  for (int k = item_ptr[item]; k < item_ptr[item + 1]; k++) {
    int g = item_group[k];
    for (int j = group_ptr[g]; j < group_ptr[g + 1]; j++) out[n++] = group_item[j];
  }
  qsort(out, (size_t)n, sizeof *out, compare_int);
  int unique = 0;
  for (int k = 0; k < n; k++)
    if (unique == 0 || out[unique - 1] != out[k]) out[unique++] = out[k];
  return unique;
}

// Rows of all items, `per` unknowns each; called twice: to count (col NULL) and to fill.
static void fill_pattern(Sparse *a, int n_items, int per, const int32_t *item_ptr,
                         const int32_t *item_group, const int32_t *group_ptr,
                         const int32_t *group_item, int32_t *near) {
  for (int i = 0; i < n_items; i++) {
    int n_near = neighbours(i, item_ptr, item_group, group_ptr, group_item, near);
    for (int d = 0; d < per; d++) {
      int row = i * per + d;
      a->ptr[row + 1] = a->ptr[row] + (int64_t)n_near * per;
      if (!a->col) continue;
      int64_t at = a->ptr[row];
      for (int k = 0; k < n_near; k++)
        for (int e = 0; e < per; e++) a->col[at++] = near[k] * per + e;
    }
  }
}

Status sparse_from_groups(Sparse *a, int n_items, int per, int n_groups, const int32_t *group_ptr,
                          const int32_t *group_item, Err *err) {
  *a = (Sparse){.n = n_items * per};
  int32_t *item_ptr = NULL, *item_group = NULL, *near = NULL;
  Status status;
  TRY_GOTO(status,
           transpose_groups(n_items, n_groups, group_ptr, group_item, &item_ptr, &item_group, err),
           done);
  int largest = 0;
  for (int g = 0; g < n_groups; g++)
    if (group_ptr[g + 1] - group_ptr[g] > largest) largest = group_ptr[g + 1] - group_ptr[g];
  int most = 0;
  for (int i = 0; i < n_items; i++)
    if (item_ptr[i + 1] - item_ptr[i] > most) most = item_ptr[i + 1] - item_ptr[i];
  near = mem_new((size_t)most * (size_t)largest + 1, sizeof *near);
  a->ptr = mem_new((size_t)a->n + 1, sizeof *a->ptr);
  status = err_set(err, ERR_SYSTEM, "out of memory: sparse pattern of %d rows", a->n);
  if (!near || !a->ptr) goto done;
  fill_pattern(a, n_items, per, item_ptr, item_group, group_ptr, group_item, near);
  a->col = mem_new((size_t)a->ptr[a->n], sizeof *a->col);
  a->val = mem_new((size_t)a->ptr[a->n], sizeof *a->val);
  if (!a->col || !a->val) goto done;
  fill_pattern(a, n_items, per, item_ptr, item_group, group_ptr, group_item, near);
  if (err) err_clear(err);
  status = OK;
done:
  mem_free(item_ptr);
  mem_free(item_group);
  mem_free(near);
  if (status != OK) sparse_free(a);
  return status;
}

Status sparse_copy(Sparse *to, const Sparse *from, Err *err) {
  *to = (Sparse){.n = from->n};
  int64_t nnz = from->ptr[from->n];
  MEM_NEW(to->ptr, from->n + 1, err);
  MEM_NEW(to->col, nnz, err);
  MEM_NEW(to->val, nnz, err);
  memcpy(to->ptr, from->ptr, ((size_t)from->n + 1) * sizeof *to->ptr);
  memcpy(to->col, from->col, (size_t)nnz * sizeof *to->col);
  memcpy(to->val, from->val, (size_t)nnz * sizeof *to->val);
  return OK;
}

int64_t sparse_find(const Sparse *a, int row, int col) {
  int64_t low = a->ptr[row], high = a->ptr[row + 1] - 1;
  while (low <= high) {
    int64_t middle = (low + high) / 2;
    if (a->col[middle] == col) return middle;
    if (a->col[middle] < col)
      low = middle + 1;
    else
      high = middle - 1;
  }
  return -1;
}

static void multiply_one(const Sparse *a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < a->n; i++) {
    double sum = 0;
    for (int64_t k = a->ptr[i]; k < a->ptr[i + 1]; k++) sum += a->val[k] * x[a->col[k]];
    y[i] = sum;
  }
}

// Eight lanes: the inner loop is one vector operation.
static void multiply_eight(const Sparse *a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < a->n; i++) {
    double sum[8] = {0};
    for (int64_t k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
      const double *restrict from = x + 8 * (size_t)a->col[k];
      double value = a->val[k];
#pragma omp simd
      for (int l = 0; l < 8; l++) sum[l] += value * from[l];
    }
    memcpy(y + 8 * (size_t)i, sum, sizeof sum);
  }
}

void sparse_multiply(const Sparse *a, int lanes, const double *x, double *y) {
  if (lanes == 1) {
    multiply_one(a, x, y);
    return;
  }
  if (lanes == 8) {
    multiply_eight(a, x, y);
    return;
  }
  for (int i = 0; i < a->n; i++) {
    double *to = y + (size_t)i * lanes;
    for (int l = 0; l < lanes; l++) to[l] = 0;
    for (int64_t k = a->ptr[i]; k < a->ptr[i + 1]; k++)
      for (int l = 0; l < lanes; l++) to[l] += a->val[k] * x[(size_t)a->col[k] * lanes + l];
  }
}
