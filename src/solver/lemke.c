#include "solver/lemke.h"

#include <math.h>
#include <string.h>

// Entries of a pivot column below this times its largest are taken for zero.
static const double PIVOT_SMALLEST = 1e-11;
// Ratios that differ by less than this, relatively, are ties.
static const double TIE = 1e-12;
// The covering variable is gone when it is below this part of where it began: what is left is
// round-off.
static const double GONE = 1e-12;

Status lemke_init(Lemke *lemke, int n, Arena *arena, Err *err) {
  *lemke = (Lemke){.n = n};
  ARENA_NEW(lemke->table, (size_t)n * (2 * (size_t)n + 2), arena, err);
  ARENA_NEW(lemke->basis, n, arena, err);
  return OK;
}

static size_t width(const Lemke *lemke) {
  return 2 * (size_t)lemke->n + 2;
}

static void pivot(Lemke *lemke, int row, int col) {
  size_t w = width(lemke);
  double *own = lemke->table + (size_t)row * w, inverse = 1 / own[col];
#pragma omp simd
  for (size_t k = 0; k < w; k++) own[k] *= inverse;
  own[col] = 1;
  for (int i = 0; i < lemke->n; i++) {
    double *other = lemke->table + (size_t)i * w, factor = other[col];
    if (i == row || factor == 0) continue;
#pragma omp simd
    for (size_t k = 0; k < w; k++) other[k] -= factor * own[k];
    other[col] = 0;
  }
  lemke->basis[row] = col;
}

// Is row a before row b in the lexicographic order of (q, B^-1) / pivot entry?
static int before(const Lemke *lemke, int a, int b, int col) {
  size_t w = width(lemke);
  const double *x = lemke->table + (size_t)a * w, *y = lemke->table + (size_t)b * w;
  for (size_t k = 0; k <= (size_t)lemke->n; k++) {
    size_t at = k == 0 ? w - 1 : k - 1;
    double p = x[at] / x[col], q = y[at] / y[col];
    if (fabs(p - q) > TIE * (fabs(p) + fabs(q))) return p < q;
  }
  return 0;
}

// Row that leaves when `col` enters, -1 on a ray. z0 leaves wherever it may.
static int leaving_row(const Lemke *lemke, int col) {
  size_t w = width(lemke);
  double largest = 0;
  int best = -1;
  for (int i = 0; i < lemke->n; i++)
    largest = fmax(largest, fabs(lemke->table[(size_t)i * w + (size_t)col]));
  for (int i = 0; i < lemke->n; i++) {
    if (!(lemke->table[(size_t)i * w + (size_t)col] > PIVOT_SMALLEST * largest)) continue;
    if (best < 0 || before(lemke, i, best, col)) best = i;
  }
  if (best < 0) return -1;
  const double *chosen = lemke->table + (size_t)best * w;
  for (int i = 0; i < lemke->n; i++) {
    const double *row = lemke->table + (size_t)i * w;
    if (lemke->basis[i] != 2 * lemke->n || !(row[col] > PIVOT_SMALLEST * largest)) continue;
    double p = row[w - 1] / row[col], q = chosen[w - 1] / chosen[col];
    if (fabs(p - q) <= TIE * (fabs(p) + fabs(q))) return i;
  }
  return best;
}

// The covering vector enters where q is lexicographically least.
static int first_row(const Lemke *lemke) {
  size_t w = width(lemke);
  int least = 0;
  for (int i = 1; i < lemke->n; i++) {
    double p = lemke->table[(size_t)i * w + w - 1], q = lemke->table[(size_t)least * w + w - 1];
    // equal q: the identity that follows it makes the later row the lesser one
    if (p <= q) least = i;
  }
  return least;
}

// Is the covering variable still there?
static int is_covered(const Lemke *lemke, double start) {
  size_t w = width(lemke);
  for (int i = 0; i < lemke->n; i++)
    if (lemke->basis[i] == 2 * lemke->n) return lemke->table[(size_t)i * w + w - 1] > GONE * start;
  return 0;
}

LemkeEnd lemke_solve(Lemke *lemke, const double *m, const double *q, int max_pivots, double *z,
                     int *pivots) {
  size_t n = (size_t)lemke->n, w = width(lemke);
  int count = 0, covering = 2 * lemke->n;
  memset(z, 0, n * sizeof *z);
  memset(lemke->table, 0, n * w * sizeof *lemke->table);
  int done = 1;
  for (size_t i = 0; i < n; i++) {
    double *row = lemke->table + i * w;
    row[i] = 1;
    for (size_t j = 0; j < n; j++) row[n + j] = -m[i * n + j];
    row[2 * n] = -1;
    row[w - 1] = q[i];
    lemke->basis[i] = (int32_t)i;
    done &= q[i] >= 0;
  }
  if (pivots) *pivots = 0;
  if (done) return LEMKE_SOLVED;
  int row = first_row(lemke), entering = covering;
  double start = -lemke->table[(size_t)row * w + w - 1];
  for (;;) {
    int leaving = lemke->basis[row];
    pivot(lemke, row, entering);
    count++;
    if (pivots) *pivots = count;
    if (!is_covered(lemke, start)) break;
    if (count >= max_pivots) return LEMKE_PIVOTS;
    entering = leaving < lemke->n ? leaving + lemke->n : leaving - lemke->n;
    row = leaving_row(lemke, entering);
    if (row < 0) return LEMKE_RAY;
  }
  for (size_t i = 0; i < n; i++)
    if (lemke->basis[i] >= lemke->n && lemke->basis[i] < covering)
      z[lemke->basis[i] - lemke->n] = fmax(0, lemke->table[i * w + w - 1]);
  return LEMKE_SOLVED;
}
