#include "solver/block_lu.h"

#include <math.h>
#include <string.h>

#include "algebra/order.h"
#include "solver/local3.h"
#include "solver/row.h"

// Updates a contact from which fronts are faster, in the plane and in space.
static const double FRONTS_WORTH[] = {150, 1500};
// Updates from which nested dissection is tried: it costs as much as a few factors of this size,
// and saves a quarter of each (a wall of 80 x 80 blocks has 2e8, one of 40 x 40 2e7).
static const int64_t DISSECTION_WORTH = 60000000;

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// Columns of row i of L: all that lie on a path of the elimination tree from an entry of A to i
// (Liu 1990). out may be NULL to count only, in columns too: below.
static int64_t row_reach(const BlockLu *lu, const Problem *p, int i, const int32_t *parent,
                         int32_t *mark, int32_t *below, int32_t *out) {
  int contact = lu->perm[i];
  int64_t count = 0;
  mark[i] = i;
  for (int64_t e = p->blocks.ptr[contact]; e < p->blocks.ptr[contact + 1]; e++)
    for (int k = lu->place[p->blocks.col[e]]; k < i && mark[k] != i; k = parent[k]) {
      mark[k] = i;
      if (out)
        out[count] = k;
      else
        below[k]++;
      count++;
    }
  return count;
}

// Two transpositions sort the columns of L and give those of U.
static void sort_pattern(BlockLu *lu, int64_t *next) {
  int n = lu->n;
  memset(lu->u_ptr, 0, ((size_t)n + 1) * sizeof *lu->u_ptr);
  for (int64_t e = 0; e < lu->l_ptr[n]; e++) lu->u_ptr[lu->l_col[e] + 1]++;
  for (int i = 0; i < n; i++) lu->u_ptr[i + 1] += lu->u_ptr[i];
  memcpy(next, lu->u_ptr, (size_t)n * sizeof *next);
  for (int i = 0; i < n; i++)
    for (int64_t e = lu->l_ptr[i]; e < lu->l_ptr[i + 1]; e++) lu->u_col[next[lu->l_col[e]]++] = i;
  memcpy(next, lu->l_ptr, (size_t)n * sizeof *next);
  for (int k = 0; k < n; k++)
    for (int64_t e = lu->u_ptr[k]; e < lu->u_ptr[k + 1]; e++) lu->l_col[next[lu->u_col[e]]++] = k;
}

// Scratch of the analysis, [n] each.
typedef struct {
  int32_t *parent, *mark, *below;
} Room;

// Places, numbers in the rows of L, and the work, for the order in lu->perm.
static void count_order(BlockLu *lu, const Problem *p, const Room *room) {
  int n = p->n;
  for (int i = 0; i < n; i++) lu->place[lu->perm[i]] = i;
  elimination_tree(n, lu->perm, lu->place, p, room->parent, room->mark);
  memset(room->mark, 0xff, (size_t)n * sizeof *room->mark);
  memset(room->below, 0, (size_t)n * sizeof *room->below);
  lu->l_ptr[0] = 0;
  for (int i = 0; i < n; i++)
    lu->l_ptr[i + 1] =
        lu->l_ptr[i] + row_reach(lu, p, i, room->parent, room->mark, room->below, NULL);
  lu->updates = 0;
  for (int k = 0; k < n; k++) lu->updates += (int64_t)room->below[k] * (room->below[k] + 1);
}

// Minimum degree, or nested dissection where factors are large and it makes them cheaper.
static Status find_order(BlockLu *lu, const Problem *p, const Room *room, Arena *arena, Err *err) {
  TRY(order_minimum_degree(p->n, p->blocks.ptr, p->blocks.col, lu->perm, err));
  count_order(lu, p, room);
  if (lu->updates < DISSECTION_WORTH) return OK;
  int64_t updates = lu->updates;
  int32_t *other = lu->perm;
  ARENA_NEW(lu->perm, p->n, arena, err);
  TRY(order_nested_dissection(p->n, p->blocks.ptr, p->blocks.col, lu->perm, err));
  count_order(lu, p, room);
  if (lu->updates <= updates) return OK;
  lu->perm = other;
  count_order(lu, p, room);
  return OK;
}

Status block_lu_init(BlockLu *lu, const Problem *p, Arena *arena, Err *err) {
  int n = p->n;
  *lu = (BlockLu){.dim = p->dim, .n = n, .size = p->dim == 2 ? 4 : 12};
  Room room;
  int64_t *next;
  ARENA_NEW(lu->perm, n, arena, err);
  ARENA_NEW(lu->place, n, arena, err);
  ARENA_NEW(lu->l_ptr, n + 1, arena, err);
  ARENA_NEW(lu->u_ptr, n + 1, arena, err);
  ARENA_NEW(room.parent, n, arena, err);
  ARENA_NEW(room.mark, n, arena, err);
  ARENA_NEW(room.below, n, arena, err);
  ARENA_NEW(next, n, arena, err);
  TRY(find_order(lu, p, &room, arena, err));
  if (lu->l_ptr[n] > BLOCK_LU_LARGEST) return OK;
  if ((double)lu->updates > FRONTS_WORTH[p->dim - 2] * n) {
    lu->in_fronts = 1;
    TRY(fronts_init(&lu->fronts, p, lu->perm, BLOCK_LU_LARGEST, arena, err));
    lu->made = lu->fronts.l != NULL;
    return OK;
  }
  size_t entries = (size_t)lu->l_ptr[n], size = (size_t)lu->size;
  ARENA_NEW(lu->l_col, entries, arena, err);
  ARENA_NEW(lu->u_col, entries, arena, err);
  ARENA_NEW(lu->l, entries * size, arena, err);
  ARENA_NEW(lu->u, entries * size, arena, err);
  ARENA_NEW(lu->inverse, (size_t)n * size, arena, err);
  ARENA_NEW(lu->work, (size_t)n * size, arena, err);
  ARENA_NEW(lu->x, n * p->dim, arena, err);
  ARENA_NEW(lu->empty, n, arena, err);
  memset(room.mark, 0xff, (size_t)n * sizeof *room.mark);
  for (int i = 0; i < n; i++)
    row_reach(lu, p, i, room.parent, room.mark, NULL, lu->l_col + lu->l_ptr[i]);
  sort_pattern(lu, next);
  lu->made = 1;
  return OK;
}

// c = a b and c -= a b of stored blocks.
ALWAYS_INLINE void block_product(const int dim, const double *a, const double *b, double *c,
                                 const int subtract) {
  if (dim == 2) {
    Vec4 vb, vc;
    memcpy(&vb, b, sizeof vb);
    Vec4 top = {vb[0], vb[1], vb[0], vb[1]}, low = {vb[2], vb[3], vb[2], vb[3]};
    Vec4 left = {a[0], a[0], a[2], a[2]}, right = {a[1], a[1], a[3], a[3]};
    if (subtract) {
      memcpy(&vc, c, sizeof vc);
      vc -= left * top;
      vc -= right * low;
    } else {
      vc = left * top + right * low;
    }
    memcpy(c, &vc, sizeof vc);
    return;
  }
  Vec4 b0, b1, b2;
  memcpy(&b0, b, sizeof b0);
  memcpy(&b1, b + 4, sizeof b1);
  memcpy(&b2, b + 8, sizeof b2);
  for (int k = 0; k < 3; k++) {
    Vec4 sum = {0};
    if (subtract) {
      memcpy(&sum, c + 4 * k, sizeof sum);
      sum -= a[4 * k] * b0;
      sum -= a[4 * k + 1] * b1;
      sum -= a[4 * k + 2] * b2;
    } else {
      sum = a[4 * k] * b0 + a[4 * k + 1] * b1 + a[4 * k + 2] * b2;
    }
    memcpy(c + 4 * k, &sum, sizeof sum);
  }
}

ALWAYS_INLINE int is_zero(const int dim, const double *a) {
  if (dim == 2) return a[0] == 0 && a[1] == 0 && a[2] == 0 && a[3] == 0;
  for (int k = 0; k < 3; k++)
    if (a[4 * k] != 0 || a[4 * k + 1] != 0 || a[4 * k + 2] != 0) return 0;
  return 1;
}

// to = left * from, a block of W into stored form.
ALWAYS_INLINE void load_block(const int dim, const double *left, const double *from, double *to) {
  const int row = dim == 2 ? 2 : 4;
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++) {
      double sum = 0;
      for (int m = 0; m < dim; m++) sum += left[k * dim + m] * from[m * dim + l];
      to[k * row + l] = sum;
    }
}

static int invert2(const double *a, double *inv) {
  double det = a[0] * a[3] - a[1] * a[2];
  if (!(fabs(det) > 0) || !isfinite(det)) return 0;
  inv[0] = a[3] / det;
  inv[1] = -a[1] / det;
  inv[2] = -a[2] / det;
  inv[3] = a[0] / det;
  return 1;
}

static int invert3(const double *a, double *inv) {
  double d[9], v[9];
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++) d[3 * k + l] = a[4 * k + l];
  double det = local3_invert(d, v);
  if (!(fabs(det) > 0) || !isfinite(det)) return 0;
  for (int k = 0; k < 3; k++) {
    for (int l = 0; l < 3; l++) inv[4 * k + l] = v[3 * k + l];
    inv[4 * k + 3] = 0;
  }
  return 1;
}

// Row i of the factors, from row perm[i] of the matrix.
ALWAYS_INLINE int factor_row(const int dim, BlockLu *lu, const Problem *p, int i,
                             const double *left, const double *right, int64_t *blocks) {
  const int size = dim == 2 ? 4 : 12, row = dim == 2 ? 2 : 4;
  int contact = lu->perm[i];
  size_t own = (size_t)contact * (size_t)(dim * dim);
  double *work = lu->work, *diag = work + (size_t)i * size;
  const double *b = left + own, *q = right + own;
  int coupled = 0;
  for (int k = 0; k < dim * dim; k++) coupled |= b[k] != 0;
  memset(diag, 0, (size_t)size * sizeof *diag);
  lu->empty[i] = !coupled;
  int64_t l_start = lu->l_ptr[i], l_end = lu->l_ptr[i + 1];
  if (!coupled) {
    memset(lu->l + l_start * size, 0, (size_t)((l_end - l_start) * size) * sizeof *lu->l);
    for (int k = 0; k < dim; k++)
      for (int l = 0; l < dim; l++) diag[k * row + l] = q[k * dim + l];
    return dim == 2 ? invert2(diag, lu->inverse + (size_t)i * size)
                    : invert3(diag, lu->inverse + (size_t)i * size);
  }
  for (int64_t e = l_start; e < l_end; e++)
    memset(work + (size_t)lu->l_col[e] * size, 0, (size_t)size * sizeof *work);
  for (int64_t e = lu->u_ptr[i]; e < lu->u_ptr[i + 1]; e++)
    memset(work + (size_t)lu->u_col[e] * size, 0, (size_t)size * sizeof *work);
  for (int64_t e = p->blocks.ptr[contact]; e < p->blocks.ptr[contact + 1]; e++)
    load_block(dim, b, p->blocks.w + e * dim * dim,
               work + (size_t)lu->place[p->blocks.col[e]] * size);
  load_block(dim, b, p->diag + own, diag);
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++) diag[k * row + l] += q[k * dim + l];
  for (int64_t e = l_start; e < l_end; e++) {
    int k = lu->l_col[e];
    double *w = work + (size_t)k * size, *l = lu->l + e * size;
    if (is_zero(dim, w)) {
      memset(l, 0, (size_t)size * sizeof *l);
      continue;
    }
    block_product(dim, w, lu->inverse + (size_t)k * size, l, 0);
    if (lu->empty[k]) continue;
    int64_t u_start = lu->u_ptr[k], u_end = lu->u_ptr[k + 1];
    for (int64_t f = u_start; f < u_end; f++)
      block_product(dim, l, lu->u + f * size, work + (size_t)lu->u_col[f] * size, 1);
    *blocks += u_end - u_start;
  }
  for (int64_t e = lu->u_ptr[i]; e < lu->u_ptr[i + 1]; e++)
    memcpy(lu->u + e * size, work + (size_t)lu->u_col[e] * size, (size_t)size * sizeof *lu->u);
  return dim == 2 ? invert2(diag, lu->inverse + (size_t)i * size)
                  : invert3(diag, lu->inverse + (size_t)i * size);
}

int block_lu_factor(BlockLu *lu, const Problem *p, const double *left, const double *right,
                    int64_t *blocks) {
  if (lu->in_fronts) return fronts_factor(&lu->fronts, p, left, right, blocks);
  for (int i = 0; i < lu->n; i++) {
    int regular = lu->dim == 2 ? factor_row(2, lu, p, i, left, right, blocks)
                               : factor_row(3, lu, p, i, left, right, blocks);
    if (!regular) return 0;
  }
  return 1;
}

int block_lu_sign(const BlockLu *lu) {
  int sign = 1;
  for (int i = 0; i < lu->n; i++) {
    double d[9], adjoint[9], det;
    const double *block = lu->in_fronts ? lu->fronts.inverse + (size_t)(i * lu->dim * lu->dim)
                                        : lu->inverse + (size_t)(i * lu->size);
    int row = lu->in_fronts || lu->dim == 2 ? lu->dim : 4;
    for (int k = 0; k < lu->dim; k++)
      for (int l = 0; l < lu->dim; l++) d[lu->dim * k + l] = block[row * k + l];
    det = lu->dim == 2 ? d[0] * d[3] - d[1] * d[2] : local3_invert(d, adjoint);
    if (det < 0) sign = -sign;
  }
  return sign;
}

// y -= the sum of stored blocks times their x.
ALWAYS_INLINE void subtract_row(const int dim, const double *block, const int32_t *col, int64_t n,
                                const double *x, double *y) {
  if (dim == 2) {
    Vec4 sum0 = {0}, sum1 = {0};
    for (int64_t e = 0; e + 1 < n; e += 2) {
      const double *x0 = x + 2 * (size_t)col[e], *x1 = x + 2 * (size_t)col[e + 1];
      Vec4 a0, a1;
      memcpy(&a0, block + 4 * e, sizeof a0);
      memcpy(&a1, block + 4 * e + 4, sizeof a1);
      sum0 += a0 * (Vec4){x0[0], x0[1], x0[0], x0[1]};
      sum1 += a1 * (Vec4){x1[0], x1[1], x1[0], x1[1]};
    }
    if (n % 2) {
      const double *x0 = x + 2 * (size_t)col[n - 1];
      Vec4 a0;
      memcpy(&a0, block + 4 * (n - 1), sizeof a0);
      sum0 += a0 * (Vec4){x0[0], x0[1], x0[0], x0[1]};
    }
    sum0 += sum1;
    y[0] -= sum0[0] + sum0[1];
    y[1] -= sum0[2] + sum0[3];
    return;
  }
  for (int64_t e = 0; e < n; e++) {
    const double *a = block + 12 * e, *own = x + 3 * (size_t)col[e];
    for (int k = 0; k < 3; k++)
      for (int l = 0; l < 3; l++) y[k] -= a[4 * k + l] * own[l];
  }
}

ALWAYS_INLINE void solve_dim(const int dim, const BlockLu *lu, const double *b, double *x) {
  const int size = dim == 2 ? 4 : 12;
  double *y = lu->x;
  for (int i = 0; i < lu->n; i++) {
    double sum[3] = {0};
    for (int k = 0; k < dim; k++) sum[k] = b[(size_t)lu->perm[i] * dim + k];
    int64_t e = lu->l_ptr[i];
    subtract_row(dim, lu->l + e * size, lu->l_col + e, lu->l_ptr[i + 1] - e, y, sum);
    for (int k = 0; k < dim; k++) y[(size_t)i * dim + k] = sum[k];
  }
  for (int i = lu->n - 1; i >= 0; i--) {
    static const int32_t here = 0;
    double sum[3] = {0}, out[3] = {0};
    int64_t e = lu->u_ptr[i];
    for (int k = 0; k < dim; k++) sum[k] = y[(size_t)i * dim + k];
    if (!lu->empty[i])
      subtract_row(dim, lu->u + e * size, lu->u_col + e, lu->u_ptr[i + 1] - e, y, sum);
    subtract_row(dim, lu->inverse + (size_t)i * size, &here, 1, sum, out);
    for (int k = 0; k < dim; k++) y[(size_t)i * dim + k] = -out[k];
  }
  for (int i = 0; i < lu->n; i++)
    for (int k = 0; k < dim; k++) x[(size_t)lu->perm[i] * dim + k] = y[(size_t)i * dim + k];
}

void block_lu_solve(const BlockLu *lu, const double *b, double *x) {
  if (lu->in_fronts)
    fronts_solve(&lu->fronts, b, x);
  else if (lu->dim == 2)
    solve_dim(2, lu, b, x);
  else
    solve_dim(3, lu, b, x);
}
