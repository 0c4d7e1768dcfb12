#include "algebra/factor.h"

#include <math.h>
#include <omp.h>
#include <string.h>
#include <suitesparse/cholmod.h>

struct Factor {
  cholmod_common common;
  cholmod_sparse *matrix;   // lower triangle, by columns
  cholmod_factor *positive; // supernodal L L^T; its analysis is kept
  cholmod_factor *general;  // simplicial L D L^T, once it was needed; its analysis is kept
  cholmod_factor *now;      // the one that holds the matrix
  cholmod_dense *x, *y, *e; // workspace kept between solves
  int negative;
  double flops, entries;
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
  factor->now = NULL;
}

void factor_free(Factor *factor) {
  if (!factor) return;
  forget_pattern(factor);
  cholmod_free_dense(&factor->x, &factor->common);
  cholmod_free_dense(&factor->y, &factor->common);
  cholmod_free_dense(&factor->e, &factor->common);
  cholmod_finish(&factor->common);
  mem_free(factor);
}

// Row i of the upper triangle is column i of the lower one.
static Status take_pattern(Factor *factor, const Sparse *a, Err *err) {
  size_t n = (size_t)a->n;
  int64_t lower = 0;
  forget_pattern(factor);
  for (int i = 0; i < a->n; i++)
    for (int64_t k = a->ptr[i]; k < a->ptr[i + 1]; k++) lower += a->col[k] >= i;
  factor->matrix =
      cholmod_allocate_sparse(n, n, (size_t)lower, 1, 1, -1, CHOLMOD_REAL, &factor->common);
  if (!factor->matrix)
    return err_set(err, ERR_SYSTEM, "out of memory: matrix of %d unknowns", a->n);
  int *ptr = factor->matrix->p, *row = factor->matrix->i, at = 0;
  for (int i = 0; i < a->n; i++) {
    ptr[i] = at;
    for (int64_t k = a->ptr[i]; k < a->ptr[i + 1]; k++)
      if (a->col[k] >= i) row[at++] = a->col[k];
  }
  ptr[a->n] = at;
  factor->positive = cholmod_analyze(factor->matrix, &factor->common);
  if (!factor->positive)
    return err_set(err, ERR_SYSTEM, "out of memory: factor of %d unknowns", a->n);
  factor->flops = factor->common.fl;
  factor->entries = factor->common.lnz;
  return OK;
}

// *same: they are those that the factor was made of, where there is one.
static Status take_values(Factor *factor, const Sparse *a, int *same, int *bad, Err *err) {
  double *val = factor->matrix->x;
  *same = factor->now != NULL;
  for (int i = 0; i < a->n; i++)
    for (int64_t k = a->ptr[i]; k < a->ptr[i + 1]; k++) {
      if (a->col[k] < i) continue;
      if (*same && *val != a->val[k]) *same = 0;
      *val++ = a->val[k];
      if (isfinite(a->val[k])) continue;
      *bad = i;
      return err_set(err, ERR_NUMERIC, "matrix of %d unknowns has an entry %g in row %d", a->n,
                     a->val[k], i + 1);
    }
  return OK;
}

// The order of the positive factor serves here too.
static Status analyze_general(Factor *factor, Err *err) {
  cholmod_common *common = &factor->common;
  common->supernodal = CHOLMOD_SIMPLICIAL;
  common->method[0].ordering = CHOLMOD_GIVEN;
  factor->general = cholmod_analyze_p(factor->matrix, factor->positive->Perm, NULL, 0, common);
  common->supernodal = CHOLMOD_SUPERNODAL;
  common->method[0].ordering = CHOLMOD_METIS;
  return factor->general ? OK
                         : err_set(err, ERR_SYSTEM, "out of memory: factor of %zu unknowns",
                                   factor->matrix->nrow);
}

// CHOLMOD opens parallel regions of a number of threads fixed when it was built, for loops of microseconds:
// the threads cost more than they bring, much more where other programs run. Regions are made inactive.
static void factorise(cholmod_sparse *matrix, cholmod_factor *factor, cholmod_common *common) {
  int levels = omp_get_max_active_levels();
  omp_set_max_active_levels(0);
  cholmod_factorize(matrix, factor, common);
  omp_set_max_active_levels(levels);
}

static void count_negative(Factor *factor) {
  const int *ptr = factor->general->p;
  const double *val = factor->general->x;
  factor->negative = 0;
  for (size_t j = 0; j < factor->general->n; j++) factor->negative += val[ptr[j]] < 0;
}

static Status make_general(Factor *factor, int *bad, Err *err) {
  if (!factor->general) TRY(analyze_general(factor, err));
  cholmod_common *common = &factor->common;
  factorise(factor->matrix, factor->general, common);
  if (common->status == CHOLMOD_OUT_OF_MEMORY)
    return err_set(err, ERR_SYSTEM, "out of memory: factor of %zu unknowns", factor->matrix->nrow);
  if (factor->general->minor < factor->general->n) {
    *bad = ((const int *)factor->general->Perm)[factor->general->minor];
    return err_set(err, ERR_NUMERIC, "matrix of %zu unknowns is singular at row %d",
                   factor->general->n, *bad + 1);
  }
  count_negative(factor);
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
  factor->negative = 0;
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
  // CHOLMOD does not write to the right-hand side.
  double *rhs_values = (double *)(uintptr_t)b;
  cholmod_dense rhs = {.nrow = n,
                       .ncol = (size_t)n_columns,
                       .nzmax = items,
                       .d = n,
                       .x = rhs_values,
                       .xtype = CHOLMOD_REAL,
                       .dtype = CHOLMOD_DOUBLE};
  if (!cholmod_solve2(CHOLMOD_A, factor->now, &rhs, NULL, &factor->x, NULL, &factor->y, &factor->e,
                      &factor->common))
    return err_set(err, ERR_SYSTEM, "solving with a factor of %zu unknowns failed (status %d)", n,
                   factor->common.status);
  memcpy(x, factor->x->x, items * sizeof *x);
  return OK;
}

int factor_negative(const Factor *factor) {
  return factor->negative;
}
double factor_flops(const Factor *factor) {
  return factor->flops;
}
double factor_entries(const Factor *factor) {
  return factor->entries;
}
