// solver/row.h -- one block row of W times the impulses: the kernel every sweep spends its time in.
//
// Four lanes, two sums in flight: the blocks of a row are read once, in order, and nothing else is
// slower than memory. Blocks are row-major as Problem holds them.

#ifndef SOLVER_ROW_H
#define SOLVER_ROW_H

#include <string.h>

#include "solver/problem.h"

typedef double Vec4 __attribute__((vector_size(32), aligned(8)));

// u = base + the sum of the blocks [e, end) times their r_j.
static inline void row_part2(const Problem *p, int64_t e, int64_t end, const double *r,
                             const double *base, double u[2]) {
  Vec4 sum0 = {0}, sum1 = {0};
  for (; e + 1 < end; e += 2) {
    const double *r0 = r + 2 * (size_t)p->blocks.col[e], *r1 = r + 2 * (size_t)p->blocks.col[e + 1];
    Vec4 w0, w1;
    memcpy(&w0, p->blocks.w + 4 * e, sizeof w0);
    memcpy(&w1, p->blocks.w + 4 * e + 4, sizeof w1);
    sum0 += w0 * (Vec4){r0[0], r0[1], r0[0], r0[1]};
    sum1 += w1 * (Vec4){r1[0], r1[1], r1[0], r1[1]};
  }
  if (e < end) {
    const double *r0 = r + 2 * (size_t)p->blocks.col[e];
    Vec4 w0;
    memcpy(&w0, p->blocks.w + 4 * e, sizeof w0);
    sum0 += w0 * (Vec4){r0[0], r0[1], r0[0], r0[1]};
  }
  sum0 += sum1;
  u[0] = base[0] + (sum0[0] + sum0[1]);
  u[1] = base[1] + (sum0[2] + sum0[3]);
}

// Impulse j of n in space. The fourth lane is never summed: it reads the number behind it, which
// the last one has not.
static inline Vec4 row_impulse3(const double *r, int32_t j, int n) {
  const double *own = r + 3 * (size_t)j;
  Vec4 x;
  if (j == n - 1) return (Vec4){own[0], own[1], own[2], 0};
  memcpy(&x, own, sizeof x);
  return x;
}

// The same in space: a row of a block fills three of four lanes, of which the fourth is as idle; so
// the very last block of all is multiplied apart.
static inline void row_part3(const Problem *p, int64_t e, int64_t end, const double *r,
                             const double *base, double u[3]) {
  Vec4 a0 = {0}, a1 = {0}, a2 = {0}, c0 = {0}, c1 = {0}, c2 = {0};
  int64_t last = p->blocks.ptr[p->n] - 1;
  int has_last = end > last && e <= last;
  end -= has_last;
  for (; e + 1 < end; e += 2) {
    const double *w = p->blocks.w + 9 * e;
    Vec4 x0 = row_impulse3(r, p->blocks.col[e], p->n), w0, w1, w2;
    Vec4 x1 = row_impulse3(r, p->blocks.col[e + 1], p->n);
    memcpy(&w0, w, sizeof w0);
    memcpy(&w1, w + 3, sizeof w1);
    memcpy(&w2, w + 6, sizeof w2);
    a0 += w0 * x0;
    a1 += w1 * x0;
    a2 += w2 * x0;
    memcpy(&w0, w + 9, sizeof w0);
    memcpy(&w1, w + 12, sizeof w1);
    memcpy(&w2, w + 15, sizeof w2);
    c0 += w0 * x1;
    c1 += w1 * x1;
    c2 += w2 * x1;
  }
  if (e < end) {
    const double *w = p->blocks.w + 9 * e;
    Vec4 x0 = row_impulse3(r, p->blocks.col[e], p->n), w0, w1, w2;
    memcpy(&w0, w, sizeof w0);
    memcpy(&w1, w + 3, sizeof w1);
    memcpy(&w2, w + 6, sizeof w2);
    a0 += w0 * x0;
    a1 += w1 * x0;
    a2 += w2 * x0;
  }
  a0 += c0;
  a1 += c1;
  a2 += c2;
  u[0] = base[0] + (a0[0] + a0[1] + a0[2]);
  u[1] = base[1] + (a1[0] + a1[1] + a1[2]);
  u[2] = base[2] + (a2[0] + a2[1] + a2[2]);
  if (has_last) {
    const double *w = p->blocks.w + 9 * last, *x = r + 3 * (size_t)p->blocks.col[last];
    for (int k = 0; k < 3; k++) u[k] += w[3 * k] * x[0] + w[3 * k + 1] * x[1] + w[3 * k + 2] * x[2];
  }
}

static inline void row_part(const Problem *p, int64_t e, int64_t end, const double *r,
                            const double *base, double *u) {
  if (p->dim == 2)
    row_part2(p, e, end, r, base, u);
  else
    row_part3(p, e, end, r, base, u);
}

// u = b + sum of W_ij r_j, without the diagonal block.
static inline void row_times(const Problem *p, int i, const double *r, double *u) {
  row_part(p, p->blocks.ptr[i], p->blocks.ptr[i + 1], r, p->b + (size_t)p->dim * (size_t)i, u);
}

// u += D x for a block of dim x dim.
static inline void block_add(int dim, const double *block, const double *x, double *u) {
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++) u[k] += block[k * dim + l] * x[l];
}

#endif
