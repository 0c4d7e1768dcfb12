#include "algebra/factor.h"

#include <math.h>
#include <omp.h>
#include <string.h>
#include <suitesparse/cholmod.h>

#include "algebra/analyze.h"
#include "base/arena.h"

struct Factor {
  cholmod_common common;
  // Lower triangle, by columns, rows and columns in the order of elimination: CHOLMOD takes it as
  // it is, where it would bring one in another order into this before each factorisation.
  cholmod_sparse *matrix;
  int *order;               // [n] row of the user's matrix for each of these
  int64_t *place;           // of each entry of the user's upper triangle, row by row, in matrix
  cholmod_factor *positive; // supernodal L L^T; its analysis is kept
  cholmod_factor *general;  // simplicial L D L^T, once it was needed; its analysis is kept
  cholmod_factor *now;      // the one that holds the matrix
  cholmod_dense *x, *y, *e; // workspace kept between solves
  double *rhs;              // the same of right-hand sides
  size_t rhs_capacity;
};

Status factor_new(Factor **out, Err *err) {
  MEM_NEW(*out, 1, err);
  cholmod_common *common = &(*out)->common;
  cholmod_start(common);
  common->print = 0;
  common->supernodal = CHOLMOD_SUPERNODAL;
  common->nmethods = 1;
  common->method[0].ordering = CHOLMOD_METIS;
  common->postorder = 1;
  common->final_ll = 0;
  return OK;
}

static void forget_pattern(Factor *factor) {
  cholmod_free_sparse(&factor->matrix, &factor->common);
  cholmod_free_factor(&factor->positive, &factor->common);
  cholmod_free_factor(&factor->general, &factor->common);
  mem_free(factor->order);
  mem_free(factor->place);
  factor->order = NULL;
  factor->place = NULL;
  factor->now = NULL;
}

void factor_free(Factor *factor) {
  if (!factor) return;
  forget_pattern(factor);
  cholmod_free_dense(&factor->x, &factor->common);
  cholmod_free_dense(&factor->y, &factor->common);
  cholmod_free_dense(&factor->e, &factor->common);
  cholmod_finish(&factor->common);
  mem_free(factor->rhs);
  mem_free(factor);
}

static cholmod_sparse *new_matrix(Factor *factor, int n, int64_t entries) {
  return cholmod_allocate_sparse((size_t)n, (size_t)n, (size_t)entries, 1, 1, -1, CHOLMOD_REAL,
                                 &factor->common);
}

// Order of elimination with few entries in the factor. Row i of the upper triangle is column i of
// the lower one.
static Status find_order(Factor *factor, const Sparse *a, int64_t lower, Err *err) {
  cholmod_sparse *matrix = new_matrix(factor, a->n, lower);
  cholmod_factor *found = NULL;
  if (matrix) {
    int *ptr = matrix->p, *row = matrix->i, at = 0;
    for (int i = 0; i < a->n; i++) {
      ptr[i] = at;
      for (int64_t k = a->ptr[i]; k < a->ptr[i + 1]; k++)
        if (a->col[k] >= i) row[at++] = a->col[k];
    }
    ptr[a->n] = at;
    found = algebra_analyze(matrix, &factor->common);
  }
  Status status = OK;
  factor->order = mem_new((size_t)a->n, sizeof *factor->order);
  if (found && factor->order)
    memcpy(factor->order, found->Perm, (size_t)a->n * sizeof *factor->order);
  else
    status = err_set(err, ERR_SYSTEM, "out of memory: factor of %d unknowns", a->n);
  cholmod_free_factor(&found, &factor->common);
  cholmod_free_sparse(&matrix, &factor->common);
  return status;
}

// Entries of the upper triangle, which is read row by row, sorted by their rows in the order of
// elimination and then, without a change among alike, by columns: `by_row` [lower] gets them as
// their number, `column` the columns.
static void place_entries(Factor *factor, const Sparse *a, const int *rank, int64_t *by_row,
                          int *column, int *row) {
  int *ptr = factor->matrix->p, n = a->n;
  int64_t entry = 0;
  memset(ptr, 0, ((size_t)n + 1) * sizeof *ptr);
  for (int i = 0; i < n; i++)
    for (int64_t k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
      if (a->col[k] < i) continue;
      int p = rank[i], q = rank[a->col[k]];
      row[entry] = p > q ? p : q;
      column[entry++] = p > q ? q : p;
    }
  for (int64_t e = 0; e < entry; e++) ptr[row[e] + 1]++;
  for (int i = 0; i < n; i++) ptr[i + 1] += ptr[i];
  for (int64_t e = 0; e < entry; e++) by_row[ptr[row[e]]++] = e;
  memset(ptr, 0, ((size_t)n + 1) * sizeof *ptr);
  for (int64_t e = 0; e < entry; e++) ptr[column[e] + 1]++;
  for (int i = 0; i < n; i++) ptr[i + 1] += ptr[i];
  int *to = factor->matrix->i;
  for (int64_t k = 0; k < entry; k++) {
    int64_t e = by_row[k];
    int at = ptr[column[e]]++;
    factor->place[e] = at;
    to[at] = row[e];
  }
  for (int i = n; i > 0; i--) ptr[i] = ptr[i - 1];
  ptr[0] = 0;
}

static Status order_matrix(Factor *factor, const Sparse *a, int64_t lower, Arena *arena, Err *err) {
  int *rank, *column, *row;
  int64_t *by_row;
  ARENA_NEW(rank, a->n, arena, err);
  ARENA_NEW(column, lower, arena, err);
  ARENA_NEW(row, lower, arena, err);
  ARENA_NEW(by_row, lower, arena, err);
  factor->matrix = new_matrix(factor, a->n, lower);
  factor->place = mem_new((size_t)lower, sizeof *factor->place);
  if (!factor->matrix || !factor->place)
    return err_set(err, ERR_SYSTEM, "out of memory: matrix of %d unknowns", a->n);
  for (int i = 0; i < a->n; i++) rank[factor->order[i]] = i;
  place_entries(factor, a, rank, by_row, column, row);
  return OK;
}

// Analysed as it is: its order has been found.
static cholmod_factor *analyze_ordered(Factor *factor, int supernodal) {
  cholmod_common *common = &factor->common;
  int usual = common->method[0].ordering;
  common->supernodal = supernodal;
  common->method[0].ordering = CHOLMOD_NATURAL;
  common->postorder = 0;
  cholmod_factor *made = algebra_analyze(factor->matrix, common);
  common->supernodal = CHOLMOD_SUPERNODAL;
  common->method[0].ordering = usual;
  common->postorder = 1;
  return made;
}

static Status take_pattern(Factor *factor, const Sparse *a, Err *err) {
  Arena arena = {0};
  int64_t lower = 0;
  forget_pattern(factor);
  for (int i = 0; i < a->n; i++)
    for (int64_t k = a->ptr[i]; k < a->ptr[i + 1]; k++) lower += a->col[k] >= i;
  TRY(find_order(factor, a, lower, err));
  Status status = order_matrix(factor, a, lower, &arena, err);
  arena_free(&arena);
  if (status == OK) factor->positive = analyze_ordered(factor, CHOLMOD_SUPERNODAL);
  if (status == OK && !factor->positive)
    status = err_set(err, ERR_SYSTEM, "out of memory: factor of %d unknowns", a->n);
  if (status != OK) { // half of it is no pattern
    forget_pattern(factor);
    return status;
  }
  return OK;
}

// *same: they are those that the factor was made of, where there is one.
static Status take_values(Factor *factor, const Sparse *a, int *same, int *bad, Err *err) {
  double *val = factor->matrix->x;
  const int64_t *place = factor->place;
  *same = factor->now != NULL;
  for (int i = 0; i < a->n; i++)
    for (int64_t k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
      if (a->col[k] < i) continue;
      double *to = val + *place++;
      if (*same && *to != a->val[k]) *same = 0;
      *to = a->val[k];
      if (isfinite(a->val[k])) continue;
      *bad = i;
      return err_set(err, ERR_NUMERIC, "matrix of %d unknowns has an entry %g in row %d", a->n,
                     a->val[k], i + 1);
    }
  return OK;
}

static Status analyze_general(Factor *factor, Err *err) {
  factor->general = analyze_ordered(factor, CHOLMOD_SIMPLICIAL);
  return factor->general ? OK
                         : err_set(err, ERR_SYSTEM, "out of memory: factor of %zu unknowns",
                                   factor->matrix->nrow);
}

// CHOLMOD opens parallel regions of a number of threads fixed when it was built, for loops of
// microseconds: the threads cost more than they bring, much more where other programs run. Regions
// are made inactive.
static void factorise(cholmod_sparse *matrix, cholmod_factor *factor, cholmod_common *common) {
  int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(0);
  cholmod_factorize(matrix, factor, common);
  omp_set_max_active_levels(levels);
}

static Status make_general(Factor *factor, int *bad, Err *err) {
  if (!factor->general) TRY(analyze_general(factor, err));
  cholmod_common *common = &factor->common;
  factorise(factor->matrix, factor->general, common);
  if (common->status == CHOLMOD_OUT_OF_MEMORY)
    return err_set(err, ERR_SYSTEM, "out of memory: factor of %zu unknowns", factor->matrix->nrow);
  if (factor->general->minor < factor->general->n) {
    *bad = factor->order[factor->general->minor];
    return err_set(err, ERR_NUMERIC, "matrix of %zu unknowns is singular at row %d",
                   factor->general->n, *bad + 1);
  }
  factor->now = factor->general;
  return OK;
}

Status factor_make(Factor *factor, const Sparse *a, int fresh, int positive, int *row, Err *err) {
  int bad = -1, same;
  cholmod_common *common = &factor->common;
  if (row) *row = -1;
  if (fresh || !factor->matrix) TRY(take_pattern(factor, a, err));
  Status status = take_values(factor, a, &same, &bad, err);
  if (status == OK && same && (factor->now == factor->positive || !positive)) return OK;
  factor->now = NULL;
  if (status == OK) {
    factorise(factor->matrix, factor->positive, common);
    if (common->status == CHOLMOD_OUT_OF_MEMORY)
      status = err_set(err, ERR_SYSTEM, "out of memory: factor of %d unknowns", a->n);
    else if (common->status != CHOLMOD_NOT_POSDEF && factor->positive->minor == factor->positive->n)
      factor->now = factor->positive;
    else if (positive)
      status = err_set(err, ERR_NUMERIC, "matrix of %d unknowns is not positive definite", a->n);
    else
      status = make_general(factor, &bad, err);
  }
  if (row) *row = bad;
  return status;
}

Status factor_solve(Factor *factor, int n_columns, const double *b, double *x, Err *err) {
  size_t n = factor->now->n, items = n * (size_t)n_columns;
  TRY(mem_grow((void **)&factor->rhs, &factor->rhs_capacity, items, sizeof(double), err));
  for (size_t at = 0; at < items; at += n)
    for (size_t i = 0; i < n; i++) factor->rhs[at + i] = b[at + (size_t)factor->order[i]];
  cholmod_dense rhs = {.nrow = n,
                       .ncol = (size_t)n_columns,
                       .nzmax = items,
                       .d = n,
                       .x = factor->rhs,
                       .xtype = CHOLMOD_REAL,
                       .dtype = CHOLMOD_DOUBLE};
  if (!cholmod_solve2(CHOLMOD_A, factor->now, &rhs, NULL, &factor->x, NULL, &factor->y, &factor->e,
                      &factor->common))
    return err_set(err, ERR_SYSTEM, "solving with a factor of %zu unknowns failed (status %d)", n,
                   factor->common.status);
  const double *solution = factor->x->x;
  for (size_t at = 0; at < items; at += n)
    for (size_t i = 0; i < n; i++) x[at + (size_t)factor->order[i]] = solution[at + i];
  return OK;
}
