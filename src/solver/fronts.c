#include "solver/fronts.h"

#include <math.h>
#include <string.h>

#include "solver/local3.h"
#include "solver/row.h"

#define UNROLL        _Pragma("GCC unroll 4")
#define ALWAYS_INLINE static inline __attribute__((always_inline))

#ifdef __AVX512F__
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
typedef double Vec __attribute__((vector_size(LANES * sizeof(double)), aligned(8)));
enum { ROWS = 4, WIDTH = 2 * LANES, PANEL_STEP = FRONT_PANEL + FRONT_PAD, AHEAD = 12 };

// c -= a b: row r of c at c + c_row[r] c_step, of a at a + a_row[r] a_step; of its columns and the
// rows of b those in k. Up to a vector behind the last column is read and written.
typedef struct {
  double *c;
  const double *a, *b;
  int64_t c_step, a_step, b_step;
  const int32_t *c_row, *a_row, *k;
  int n_rows, n_k, n_columns;
} Product;

ALWAYS_INLINE void product_tile(const Product *of, int row, int column, const int rows,
                                const int vectors) {
  double *c[ROWS];
  const double *a[ROWS], *b = of->b + column;
  Vec sum[ROWS][2];
  UNROLL for (int r = 0; r < rows; r++) {
    c[r] = of->c + of->c_row[row + r] * of->c_step + column;
    a[r] = of->a + of->a_row[row + r] * of->a_step;
    UNROLL for (int v = 0; v < vectors; v++) memcpy(&sum[r][v], c[r] + v * LANES, sizeof(Vec));
  }
  for (int n = 0; n < of->n_k; n++) {
    int k = of->k[n];
    Vec own[2];
    UNROLL for (int v = 0; v < vectors; v++)
        memcpy(&own[v], b + k * of->b_step + v * LANES, sizeof(Vec));
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < vectors; v++) sum[r][v] -=
        a[r][k] * own[v];
  }
  UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < vectors; v++)
      memcpy(c[r] + v * LANES, &sum[r][v], sizeof(Vec));
}

static void subtract_product(const Product *of) {
  if (of->n_k == 0) return;
  for (int column = 0; column < of->n_columns; column += WIDTH) {
    int row = 0, single = of->n_columns - column <= LANES;
    for (; row + ROWS <= of->n_rows; row += ROWS)
      if (single)
        product_tile(of, row, column, ROWS, 1);
      else
        product_tile(of, row, column, ROWS, 2);
    if (row + 2 <= of->n_rows) {
      if (single)
        product_tile(of, row, column, 2, 1);
      else
        product_tile(of, row, column, 2, 2);
      row += 2;
    }
    if (row < of->n_rows) {
      if (single)
        product_tile(of, row, column, 1, 1);
      else
        product_tile(of, row, column, 1, 2);
    }
  }
}

// The front being made, as scalars.
typedef struct {
  double *at; // [all * step]
  int64_t step;
  int pivots, all;     // rows
  const uint8_t *live; // [all]
  double *inverse;     // of its diagonal blocks
  double *l;           // [(all - pivots) * pivots] where L behind the pivots goes
} Front;

static int invert2(const double *a, int64_t step, double *inv) {
  double det = a[0] * a[step + 1] - a[1] * a[step];
  if (!(fabs(det) > 0) || !isfinite(det)) return 0;
  inv[0] = a[step + 1] / det;
  inv[1] = -a[1] / det;
  inv[2] = -a[step] / det;
  inv[3] = a[0] / det;
  return 1;
}

static int invert3(const double *a, int64_t step, double *inv) {
  double d[9];
  for (int k = 0; k < 3; k++)
    for (int l = 0; l < 3; l++) d[3 * k + l] = a[k * step + l];
  double det = local3_invert(d, inv);
  return fabs(det) > 0 && isfinite(det);
}

ALWAYS_INLINE int any_live(const int dim, const uint8_t *live) {
  int any = 0;
  for (int k = 0; k < dim; k++) any |= live[k];
  return any;
}

// to += left * from.
ALWAYS_INLINE void add_block(const int dim, const double *left, const double *from, double *to,
                             int64_t step) {
  if (dim == 2 && left[0] == 1 && left[1] == 0 && left[2] == 0 && left[3] == 1) { // interior points
    for (int k = 0; k < 2; k++)
      for (int l = 0; l < 2; l++) to[k * step + l] += from[2 * k + l];
    return;
  }
  for (int k = 0; k < dim; k++)
    for (int l = 0; l < dim; l++) {
      double sum = 0;
      for (int m = 0; m < dim; m++) sum += left[k * dim + m] * from[m * dim + l];
      to[k * step + l] += sum;
    }
}

ALWAYS_INLINE void add_entries(const int dim, const Fronts *lu, const Problem *p, int f,
                               const double *left, const double *right, const Front *front) {
  int64_t end = lu->entry_ptr[f + 1];
  for (int64_t n = lu->entry_ptr[f]; n < end; n++) {
    const FrontEntry *entry = lu->entry + n;
    size_t own = (size_t)entry->contact * (size_t)(dim * dim);
    double *to = front->at + entry->to;
    if (entry->e >= 0) {
      if (!any_live(dim, lu->live + (size_t)lu->place[entry->contact] * dim)) continue;
      if (n + AHEAD < end) __builtin_prefetch(p->blocks.w + entry[AHEAD].e * dim * dim);
      add_block(dim, left + own, p->blocks.w + entry->e * dim * dim, to, front->step);
      continue;
    }
    add_block(dim, left + own, p->diag + own, to, front->step);
    for (int k = 0; k < dim; k++)
      for (int l = 0; l < dim; l++) to[k * front->step + l] += right[own + (size_t)(k * dim + l)];
  }
}

ALWAYS_INLINE void add_row(const double *from, int n, double *to) {
  int k = 0;
  for (; k + 4 <= n; k += 4) {
    Vec4 sum, own;
    memcpy(&sum, to + k, sizeof sum);
    memcpy(&own, from + k, sizeof own);
    sum += own;
    memcpy(to + k, &sum, sizeof sum);
  }
  for (; k < n; k++) to[k] += from[k];
}

// What child f has left, [rows * step] scalars.
static void add_child(const Fronts *lu, int f, const double *left, int64_t step,
                      const Front *front) {
  const int32_t *to = lu->in_parent + lu->row_ptr[f];
  int dim = lu->dim, rows = (int)(lu->row_ptr[f + 1] - lu->row_ptr[f]);
  for (int start = 0, end; start < rows; start = end) { // columns that stand side by side there too
    for (end = start + 1; end < rows && to[end] == to[end - 1] + 1; end++) {}
    int width = (end - start) * dim;
    for (int r = 0; r < rows * dim; r++) {
      int row = to[r / dim] * dim + r % dim;
      if (!front->live[row]) continue;
      const double *from = left + r * step + start * dim;
      double *own = front->at + row * front->step + to[start] * dim;
      add_row(from, width, own);
    }
  }
}

// L and U of the diagonal square of a panel, [from, from + size) of the pivots, in lu->square.
// Returns 0 at a singular block.
ALWAYS_INLINE int factor_square(const int dim, Fronts *lu, const Front *front, int from, int size) {
  double *square = lu->square;
  const int32_t *count = lu->count;
  for (int r = 0; r < size; r++)
    memcpy(square + r * PANEL_STEP, front->at + (from + r) * front->step + from,
           (size_t)size * sizeof *square);
  for (int k = 0; k < size; k += dim) {
    double *own = square + k * PANEL_STEP + k,
           *inverse = front->inverse + (size_t)(from + k) * (size_t)dim;
    if (!(dim == 2 ? invert2(own, PANEL_STEP, inverse) : invert3(own, PANEL_STEP, inverse)))
      return 0;
    int rest = size - k - dim;
    double *below = own + dim * PANEL_STEP;
    for (int r = 0; r < rest; r++) {
      double *row = below + r * PANEL_STEP, l[3] = {0};
      for (int c = 0; c < dim; c++)
        for (int m = 0; m < dim; m++) l[c] += row[m] * inverse[m * dim + c];
      memcpy(row, l, (size_t)dim * sizeof *row);
    }
    if (rest == 0 || !any_live(dim, front->live + from + k)) continue;
    subtract_product(&(Product){below + dim, below, own + dim, PANEL_STEP, PANEL_STEP, PANEL_STEP,
                                count, count, count, rest, dim, rest});
  }
  for (int r = 0; r < size; r++)
    memcpy(front->at + (from + r) * front->step + from, square + r * PANEL_STEP,
           (size_t)size * sizeof *square);
  return 1;
}

// L of n rows in lu->panel from the numbers there: times U^-1 of the square, pivot by pivot.
ALWAYS_INLINE void solve_panel(const int dim, Fronts *lu, const Front *front, int from, int n,
                               int size) {
  const double *inverse = front->inverse + (size_t)from * (size_t)dim;
  const int32_t *count = lu->count;
  for (int k = 0; k < size; k += dim) {
    const double *own = inverse + (size_t)k * (size_t)dim;
    double *column = lu->panel + k;
    int rest = size - k - dim;
    for (int r = 0; r < n; r++) {
      double *row = column + (int64_t)r * PANEL_STEP, l[3] = {0};
      for (int c = 0; c < dim; c++)
        for (int m = 0; m < dim; m++) l[c] += row[m] * own[m * dim + c];
      memcpy(row, l, (size_t)dim * sizeof *row);
    }
    if (rest > 0 && any_live(dim, front->live + from + k))
      subtract_product(&(Product){column + dim, column, lu->square + k * PANEL_STEP + k + dim,
                                  PANEL_STEP, PANEL_STEP, PANEL_STEP, count, count, count, n, dim,
                                  rest});
  }
}

// Those of [from, end) that are live, less `from`.
static int live_rows(const Front *front, int from, int end, int32_t *list) {
  int n = 0;
  for (int r = from; r < end; r++)
    if (front->live[r]) list[n++] = r - from;
  return n;
}

// Eliminates the pivots of a panel; returns 0 at a singular block. Adds the products, of scalars.
ALWAYS_INLINE int factor_panel(const int dim, Fronts *lu, const Front *front, int from, int size,
                               int64_t *products) {
  int64_t step = front->step;
  int end = from + size, rest = front->all - end;
  double *pivot = front->at + from * step + from;
  int32_t *k = lu->list + front->all;
  if (!factor_square(dim, lu, front, from, size)) return 0;
  if (rest == 0) return 1;
  int n_k = live_rows(front, from, end, k);
  for (int r = dim, before = 0; r < size; r += dim) { // U behind the square
    int32_t rows[3];
    while (before < n_k && k[before] < r) before++;
    double *row = pivot + r * step;
    int n = live_rows(front, from + r, from + r + dim, rows);
    subtract_product(&(Product){row + size, row, pivot + size, step, step, step, rows, rows, k, n,
                                before, rest});
  }
  int n_rows = live_rows(front, end, front->all, lu->list);
  double *below = pivot + size * step;
  for (int r = 0; r < n_rows; r++)
    memcpy(lu->panel + r * PANEL_STEP, below + lu->list[r] * step, (size_t)size * sizeof *below);
  solve_panel(dim, lu, front, from, n_rows, size);
  for (int r = 0; r < n_rows; r++) {
    int row = end + lu->list[r] - front->pivots;
    double *to =
        row < 0 ? below + lu->list[r] * step : front->l + (int64_t)row * front->pivots + from;
    memcpy(to, lu->panel + r * PANEL_STEP, (size_t)size * sizeof *below);
  }
  subtract_product(&(Product){below + size, lu->panel, pivot + size, step, PANEL_STEP, step,
                              lu->list, lu->count, k, n_rows, n_k, rest});
  *products += (int64_t)n_rows * n_k * rest;
  return 1;
}

// U of front f to where it stays. Rows without numbers are zero there and in L: solves read them,
// times zero.
static void keep(Fronts *lu, int f, const Front *front) {
  double *u = lu->u + lu->u_at[f];
  for (int r = 0; r < front->pivots; r++) {
    double *to = u + (int64_t)r * front->all;
    if (front->live[r])
      memcpy(to, front->at + r * front->step, (size_t)front->all * sizeof *to);
    else
      memset(to, 0, (size_t)front->all * sizeof *to);
  }
  for (int r = front->pivots; r < front->all; r++)
    if (!front->live[r])
      memset(front->l + (int64_t)(r - front->pivots) * front->pivots, 0,
             (size_t)front->pivots * sizeof *u);
}

// What a front leaves for its parent, which is not the next front, [rows * rows] onto the stack.
static void put_by(const Front *front, double *left) {
  int pivots = front->pivots, rows = front->all - pivots;
  for (int r = 0; r < rows; r++)
    if (front->live[pivots + r])
      memcpy(left + (int64_t)r * rows, front->at + (pivots + r) * front->step + pivots,
             (size_t)rows * sizeof *left);
}

static Front open_front(const Fronts *lu, int f) {
  int dim = lu->dim, pivots = lu->first[f + 1] - lu->first[f];
  int all = pivots + (int)(lu->row_ptr[f + 1] - lu->row_ptr[f]);
  Front front = {lu->front[f % 2],   front_step(dim, all),
                 pivots * dim,       all * dim,
                 lu->front_live,     lu->inverse + (size_t)lu->first[f] * (size_t)(dim * dim),
                 lu->l + lu->l_at[f]};
  for (int r = 0; r < all; r++) {
    int place = r < pivots ? lu->first[f] + r : lu->row[lu->row_ptr[f] + r - pivots];
    memcpy(lu->front_live + r * dim, lu->live + place * dim, (size_t)dim);
  }
  for (int r = 0; r < front.all; r++)
    if (r < front.pivots || front.live[r])
      memset(front.at + r * front.step, 0, sizeof *front.at * (size_t)front.step);
  return front;
}

ALWAYS_INLINE int factor_fronts(const int dim, Fronts *lu, const Problem *p, const double *left,
                                const double *right, int64_t *products) {
  double *top = lu->stack;
  int32_t *waiting = lu->waiting;
  int n_waiting = 0;
  Front before = {0};
  for (int f = 0; f < lu->n_fronts; f++) {
    Front front = open_front(lu, f);
    add_entries(dim, lu, p, f, left, right, &front);
    if (f > 0 && front_leads_on(lu, f - 1))
      add_child(lu, f - 1, before.at + before.pivots * (before.step + 1), before.step, &front);
    while (n_waiting > 0 && lu->parent[waiting[n_waiting - 1]] == f) {
      int child = waiting[--n_waiting];
      int64_t rows = (lu->row_ptr[child + 1] - lu->row_ptr[child]) * dim;
      top -= rows * rows;
      add_child(lu, child, top, rows, &front);
    }
    const int width = FRONT_PANEL / dim * dim;
    for (int from = 0; from < front.pivots; from += width) {
      int size = front.pivots - from < width ? front.pivots - from : width;
      if (!factor_panel(dim, lu, &front, from, size, products)) return 0;
    }
    keep(lu, f, &front);
    before = front;
    if (front_leads_on(lu, f)) continue;
    put_by(&front, top);
    int64_t rows = front.all - front.pivots;
    top += rows * rows;
    waiting[n_waiting++] = f;
  }
  return 1;
}

// Rows that are empty but for their diagonal block: nothing of W comes into them.
static void find_live(Fronts *lu, const double *left) {
  size_t dim = (size_t)lu->dim;
  for (size_t i = 0; i < (size_t)lu->n; i++)
    for (size_t k = 0; k < dim; k++) {
      const double *row = left + ((size_t)lu->perm[i] * dim + k) * dim;
      int any = 0;
      for (size_t l = 0; l < dim; l++) any |= row[l] != 0;
      lu->live[i * dim + k] = (uint8_t)any;
    }
}

int fronts_factor(Fronts *lu, const Problem *p, const double *left, const double *right,
                  int64_t *blocks) {
  int64_t products = 0;
  find_live(lu, left);
  int regular = lu->dim == 2 ? factor_fronts(2, lu, p, left, right, &products)
                             : factor_fronts(3, lu, p, left, right, &products);
  *blocks += products / (lu->dim * lu->dim * lu->dim);
  return regular;
}

// Sums of the lanes of four vectors.
static void sums_of(const Vec part[ROWS], double *sum) {
  Vec4 four[ROWS];
  for (int r = 0; r < ROWS; r++) {
    Vec4 half[LANES / 4];
    memcpy(half, part + r, sizeof half);
    four[r] = half[0];
    for (int k = 1; k < LANES / 4; k++) four[r] += half[k];
  }
  Vec4 ab = __builtin_shufflevector(four[0], four[1], 0, 4, 2, 6) +
            __builtin_shufflevector(four[0], four[1], 1, 5, 3, 7),
       cd = __builtin_shufflevector(four[2], four[3], 0, 4, 2, 6) +
            __builtin_shufflevector(four[2], four[3], 1, 5, 3, 7),
       all = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) +
             __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  memcpy(sum, &all, sizeof all);
}

// n_rows of a, each with n numbers, times x. Whole vectors are read: behind n x is zero, and what
// is there of a finite. `sum` has room for a multiple of ROWS.
static void times_rows(const double *a, int64_t step, int n_rows, const double *x, int n,
                       double *sum) {
  for (int row = 0; row < n_rows; row += ROWS) {
    const double *at[ROWS];
    Vec part[ROWS] = {{0}};
    UNROLL for (int r = 0; r < ROWS; r++) at[r] =
        a + (row + r < n_rows ? row + r : n_rows - 1) * step;
    for (int k = 0; k < n; k += LANES) {
      Vec own, from;
      memcpy(&own, x + k, sizeof own);
      UNROLL for (int r = 0; r < ROWS; r++) {
        memcpy(&from, at[r] + k, sizeof from);
        part[r] += from * own;
      }
    }
    sums_of(part, sum + row);
  }
}

static double dot(const double *a, const double *b, int n) {
  Vec4 sum0 = {0}, sum1 = {0};
  int k = 0;
  for (; k + 8 <= n; k += 8) {
    Vec4 a0, a1, b0, b1;
    memcpy(&a0, a + k, sizeof a0);
    memcpy(&a1, a + k + 4, sizeof a1);
    memcpy(&b0, b + k, sizeof b0);
    memcpy(&b1, b + k + 4, sizeof b1);
    sum0 += a0 * b0;
    sum1 += a1 * b1;
  }
  sum0 += sum1;
  double sum = (sum0[0] + sum0[1]) + (sum0[2] + sum0[3]);
  for (; k < n; k++) sum += a[k] * b[k];
  return sum;
}

// Scratch of a solve behind the places' numbers: of a front.
typedef struct {
  double *own, *far, *sum;
} SolveRoom;

ALWAYS_INLINE SolveRoom solve_room(const Fronts *lu) {
  double *behind = lu->x + (size_t)lu->n * (size_t)lu->dim;
  return (SolveRoom){behind, behind + lu->widest, behind + 2 * lu->widest};
}

ALWAYS_INLINE void copy_padded(double *to, const double *from, int n) {
  memcpy(to, from, (size_t)n * sizeof *to);
  memset(to + n, 0, FRONT_PAD * sizeof *to);
}

// L y = y of front f.
ALWAYS_INLINE void solve_down(const int dim, const Fronts *lu, int f, SolveRoom room, double *y) {
  int pivots = (lu->first[f + 1] - lu->first[f]) * dim;
  int rows = (int)(lu->row_ptr[f + 1] - lu->row_ptr[f]), all = pivots + rows * dim;
  double *own = y + lu->first[f] * dim;
  const double *u = lu->u + lu->u_at[f];
  const uint8_t *live = lu->live + lu->first[f] * dim;
  for (int k = dim; k < pivots; k++)
    if (live[k]) own[k] -= dot(u + (int64_t)k * all, own, k / dim * dim);
  if (rows == 0) return;
  copy_padded(room.own, own, pivots);
  times_rows(lu->l + lu->l_at[f], pivots, rows * dim, room.own, pivots, room.sum);
  for (int r = 0; r < rows; r++) {
    int to = lu->row[lu->row_ptr[f] + r] * dim;
    for (int k = 0; k < dim; k++)
      if (lu->live[to + k]) y[to + k] -= room.sum[r * dim + k];
  }
}

// U y = y of front f.
ALWAYS_INLINE void solve_up(const int dim, const Fronts *lu, int f, SolveRoom room, double *y) {
  int pivots = (lu->first[f + 1] - lu->first[f]) * dim;
  int rows = (int)(lu->row_ptr[f + 1] - lu->row_ptr[f]), all = pivots + rows * dim;
  double *own = y + lu->first[f] * dim;
  const uint8_t *live = lu->live + lu->first[f] * dim;
  const double *u = lu->u + lu->u_at[f],
               *inverse = lu->inverse + (size_t)lu->first[f] * (size_t)(dim * dim);
  for (int r = 0; r < rows; r++)
    memcpy(room.far + r * dim, y + lu->row[lu->row_ptr[f] + r] * dim,
           (size_t)dim * sizeof *room.far);
  memset(room.far + rows * dim, 0, FRONT_PAD * sizeof *room.far);
  times_rows(u + pivots, all, pivots, room.far, rows * dim, room.sum);
  for (int k = pivots - dim; k >= 0; k -= dim) {
    double sum[3];
    for (int m = 0; m < dim; m++) {
      sum[m] = own[k + m];
      if (live[k + m])
        sum[m] -= dot(u + (int64_t)(k + m) * all + k + dim, own + k + dim, pivots - k - dim) +
                  room.sum[k + m];
    }
    for (int m = 0; m < dim; m++) own[k + m] = 0;
    for (int m = 0; m < dim; m++)
      for (int c = 0; c < dim; c++) own[k + m] += inverse[(k + m) * dim + c] * sum[c];
  }
}

ALWAYS_INLINE void solve_dim(const int dim, const Fronts *lu, const double *b, double *x) {
  double *y = lu->x;
  const SolveRoom room = solve_room(lu);
  for (int i = 0; i < lu->n; i++)
    for (int k = 0; k < dim; k++) y[i * dim + k] = b[lu->perm[i] * dim + k];
  for (int f = 0; f < lu->n_fronts; f++) solve_down(dim, lu, f, room, y);
  for (int f = lu->n_fronts - 1; f >= 0; f--) solve_up(dim, lu, f, room, y);
  for (int i = 0; i < lu->n; i++)
    for (int k = 0; k < dim; k++) x[lu->perm[i] * dim + k] = y[i * dim + k];
}

void fronts_solve(const Fronts *lu, const double *b, double *x) {
  if (lu->dim == 2)
    solve_dim(2, lu, b, x);
  else
    solve_dim(3, lu, b, x);
}
