#include "solver/operator.h"

#include <math.h>
#include <stdlib.h>

void operator_set(const Problem *p, const double *r) {
  if (!operator_by_bodies(p)) return;
  const BodyRows *rows = &p->bodies;
  memset(rows->motion, 0, sizeof *rows->motion * (size_t)rows->n_bodies * (size_t)rows->n_modes);
  for (int i = 0; i < p->n; i++)
    if (p->dim == 2)
      bodies_add(2, rows, i, r + 2 * (size_t)i);
    else
      bodies_add(3, rows, i, r + 3 * (size_t)i);
}

// y = base + W x of contact i.
static inline __attribute__((always_inline)) void
times_row(const int dim, const Problem *p, int i, const double *base, const double *x, double *y) {
  static const double zero[3] = {0};
  size_t at = (size_t)i * (size_t)dim;
  const double *from = base ? base + at : zero;
  if (operator_by_bodies(p)) {
    const double *own = p->bodies.own + at * (size_t)dim;
    double less[3] = {0};
    for (int l = 0; l < dim; l++) less[l] = -x[at + (size_t)l];
    bodies_row(dim, &p->bodies, i, from, y + at);
    block_add(dim, own, less, y + at);
  } else if (dim == 2) {
    row_part2(p, p->blocks.ptr[i], p->blocks.ptr[i + 1], x, from, y + at);
  } else {
    row_part3(p, p->blocks.ptr[i], p->blocks.ptr[i + 1], x, from, y + at);
  }
}

static void times_any(const Problem *p, int i, const double *base, const double *x, double *y) {
  size_t at = (size_t)i * (size_t)p->dim;
  if (p->dim == 2)
    times_row(2, p, i, base, x, y);
  else
    times_row(3, p, i, base, x, y);
  block_add(p->dim, p->diag + at * (size_t)p->dim, x + at, y + at);
}

void operator_times(const Problem *p, const double *base, const double *x, double *y) {
  operator_set(p, x);
  if (!problem_for_threads(p)) { // a parallel region costs more than a small problem
    for (int i = 0; i < p->n; i++) times_any(p, i, base, x, y);
    return;
  }
#pragma omp parallel for schedule(static)
  for (int i = 0; i < p->n; i++) times_any(p, i, base, x, y);
}

void operator_set_sizes(const Problem *p, const double *r) {
  const BodyRows *rows = &p->bodies;
  size_t dim = (size_t)p->dim, modes = (size_t)rows->n_modes;
  if (!operator_by_bodies(p)) return;
  memset(rows->motion, 0, sizeof *rows->motion * (size_t)rows->n_bodies * modes);
  for (size_t side = 0; side < 2 * (size_t)p->n; side++)
    for (size_t k = 0; k < dim * modes && rows->moved[side] >= 0; k++)
      rows->motion[(size_t)rows->moved[side] * modes + k % modes] +=
          fabs(rows->lever[side * dim * modes + k] * r[side / 2 * dim + k / modes]);
}

double operator_size(const Problem *p, size_t at, const double *r) {
  size_t dim = (size_t)p->dim, i = at / dim, k = at % dim;
  double size = fabs(p->b[at]);
  for (size_t l = 0; l < dim; l++) size += fabs(p->diag[at * dim + l] * r[i * dim + l]);
  if (!operator_by_bodies(p)) {
    for (int64_t e = p->blocks.ptr[i]; e < p->blocks.ptr[i + 1]; e++)
      for (size_t l = 0; l < dim; l++)
        size += fabs(p->blocks.w[(size_t)e * dim * dim + k * dim + l] *
                     r[(size_t)p->blocks.col[e] * dim + l]);
    return size;
  }
  const BodyRows *rows = &p->bodies;
  size_t modes = (size_t)rows->n_modes;
  for (size_t side = 2 * i; side < 2 * i + 2; side++)
    for (size_t m = 0; m < modes && rows->moved[side] >= 0; m++)
      size += fabs(rows->lever[(side * dim + k) * modes + m]) *
              rows->motion[(size_t)rows->moved[side] * modes + m];
  return size;
}

// ---- blocks from bodies -------------------------------------------------------------------------

static int compare_int(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

// Contacts of each body, in order: contact[ptr[body] ..].
typedef struct {
  int64_t *ptr;
  int32_t *contact, *mark;
} BodyLists;

static Status list_contacts(const Problem *p, BodyLists *lists, Arena *arena, Err *err) {
  const BodyRows *rows = &p->bodies;
  ARENA_NEW(lists->ptr, rows->n_bodies + 2, arena, err);
  ARENA_NEW(lists->contact, 2 * p->n + 1, arena, err);
  ARENA_NEW(lists->mark, p->n + 1, arena, err);
  memset(lists->ptr, 0, sizeof *lists->ptr * ((size_t)rows->n_bodies + 2));
  memset(lists->mark, 0xff, sizeof *lists->mark * ((size_t)p->n + 1));
  for (int side = 0; side < 2 * p->n; side++)
    if (rows->moved[side] >= 0) lists->ptr[rows->moved[side] + 2]++;
  for (int b = 0; b < rows->n_bodies; b++) lists->ptr[b + 2] += lists->ptr[b + 1];
  for (int side = 0; side < 2 * p->n; side++)
    if (rows->moved[side] >= 0) lists->contact[lists->ptr[rows->moved[side] + 1]++] = side / 2;
  return OK;
}

// Contacts that share a body with i, in order, to `out` (NULL: only counted).
static int64_t neighbours(const Problem *p, const BodyLists *lists, int i, int32_t *out) {
  int64_t count = 0;
  lists->mark[i] = i;
  for (int side = 0; side < 2; side++) {
    int body = p->bodies.moved[2 * i + side];
    for (int64_t e = body < 0 ? 0 : lists->ptr[body]; body >= 0 && e < lists->ptr[body + 1]; e++) {
      int32_t other = lists->contact[e];
      if (lists->mark[other] == i) continue;
      lists->mark[other] = i;
      if (out) out[count] = other;
      count++;
    }
  }
  if (out) qsort(out, (size_t)count, sizeof *out, compare_int);
  return count;
}

// W_ij = sum of L_i L_j^T over the sides on one body.
static void pair_block(const Problem *p, int i, int j, double *block) {
  const BodyRows *rows = &p->bodies;
  size_t dim = (size_t)p->dim, modes = (size_t)rows->n_modes;
  memset(block, 0, dim * dim * sizeof *block);
  for (int a = 2 * i; a < 2 * i + 2; a++)
    for (int b = 2 * j; b < 2 * j + 2; b++) {
      if (rows->moved[a] < 0 || rows->moved[a] != rows->moved[b]) continue;
      const double *left = rows->lever + (size_t)a * dim * modes,
                   *right = rows->lever + (size_t)b * dim * modes;
      for (size_t k = 0; k < dim * dim; k++)
        for (size_t m = 0; m < modes; m++)
          block[k] += left[k / dim * modes + m] * right[k % dim * modes + m];
    }
}

Status operator_blocks(const Problem *p, Problem *whole, Arena *arena, Err *err) {
  *whole = *p;
  if (!operator_by_bodies(p)) return OK;
  size_t block = (size_t)(p->dim * p->dim);
  BodyLists lists;
  int64_t *ptr;
  int32_t *col;
  double *w;
  TRY(list_contacts(p, &lists, arena, err));
  ARENA_NEW(ptr, p->n + 1, arena, err);
  ptr[0] = 0;
  for (int i = 0; i < p->n; i++) ptr[i + 1] = ptr[i] + neighbours(p, &lists, i, NULL);
  memset(lists.mark, 0xff, sizeof *lists.mark * ((size_t)p->n + 1));
  ARENA_NEW(col, ptr[p->n] + 1, arena, err);
  ARENA_NEW(w, (size_t)ptr[p->n] * block + 1, arena, err);
  for (int i = 0; i < p->n; i++) {
    neighbours(p, &lists, i, col + ptr[i]);
    for (int64_t e = ptr[i]; e < ptr[i + 1]; e++) pair_block(p, i, col[e], w + (size_t)e * block);
  }
  whole->blocks = (BlockRows){ptr, col, w};
  return OK;
}
