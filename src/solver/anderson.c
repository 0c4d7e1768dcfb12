#include "solver/anderson.h"

#include <math.h>
#include <string.h>

// Residuals may grow by this factor over the best before the memory is dropped.
static const double GROWTH = 3;
// Relative ridge of the normal equations: keeps them solvable when differences are nearly parallel.
static const double RIDGE = 1e-13;

// Vectors are passed through once, in chunks that stay in the first cache.
enum { CHUNK = 512, CHUNKS_FOR_THREADS = 128 };

static int chunks(size_t n) {
  return (int)((n + CHUNK - 1) / CHUNK);
}

static size_t first_of(int chunk, size_t n) {
  size_t first = (size_t)chunk * CHUNK;
  return first < n ? first : n;
}

Status anderson_init(Anderson *a, int n, int memory, Arena *arena, Err *err) {
  *a = (Anderson){.n = n, .memory = memory};
  size_t all = (size_t)n * (size_t)memory;
  ARENA_NEW(a->dg, all, arena, err);
  ARENA_NEW(a->df, all, arena, err);
  ARENA_NEW(a->gram, memory * memory, arena, err);
  ARENA_NEW(a->g, n, arena, err);
  ARENA_NEW(a->f, n, arena, err);
  ARENA_NEW(a->f_old, n, arena, err);
  ARENA_NEW(a->product, 1 + 2 * memory, arena, err);
  ARENA_NEW(a->sums, (size_t)chunks((size_t)n) * (1 + 2 * (size_t)memory), arena, err);
  ARENA_NEW(a->solve, memory * (memory + 2), arena, err);
  return OK;
}

void anderson_restart(Anderson *a) {
  a->held = a->next = a->started = 0;
}

typedef double Vec8 __attribute__((vector_size(64), aligned(8)));

// Two sums of eight lanes: the same order of summation whatever the machine.
static double dot(size_t n, const double *restrict x, const double *restrict y) {
  Vec8 sum0 = {0}, sum1 = {0};
  size_t k = 0;
  for (; k + 16 <= n; k += 16) {
    Vec8 a, b, c, d;
    memcpy(&a, x + k, sizeof a);
    memcpy(&b, y + k, sizeof b);
    memcpy(&c, x + k + 8, sizeof c);
    memcpy(&d, y + k + 8, sizeof d);
    sum0 += a * b;
    sum1 += c * d;
  }
  sum0 += sum1;
  for (; k < n; k++) sum0[k % 8] += x[k] * y[k];
  return ((sum0[0] + sum0[1]) + (sum0[2] + sum0[3])) + ((sum0[4] + sum0[5]) + (sum0[6] + sum0[7]));
}

// Unknowns [first, last): residual f, the differences to the last step in place of the oldest ones,
// then the products |f|^2, df . df_j and df_j . f with all that will be held.
static void push_chunk(Anderson *a, size_t first, size_t last, const double *restrict x,
                       const double *restrict g, double *product) {
  size_t n = (size_t)a->n, m = (size_t)a->memory, slot = (size_t)a->next * n;
  double *f = a->f, *g_old = a->g, *dg = a->dg + slot, *df = a->df + slot;
  const double *f_old = a->f_old;
#pragma omp simd
  for (size_t k = first; k < last; k++) {
    f[k] = g[k] - x[k];
    dg[k] = g[k] - g_old[k];
    df[k] = f[k] - f_old[k];
    g_old[k] = g[k];
  }
  product[0] = dot(last - first, f + first, f + first);
  for (size_t j = 0; j < m; j++) {
    const double *other = a->df + j * n + first;
    int used = (int)j < a->held || (int)j == a->next;
    product[1 + j] = used ? dot(last - first, df + first, other) : 0;
    product[1 + m + j] = used ? dot(last - first, other, f + first) : 0;
  }
}

// Chunk by chunk, on all threads when there are many; the sums in the order of the chunks.
static double push(Anderson *a, const double *x, const double *g) {
  size_t n = (size_t)a->n, m = (size_t)a->memory, width = 1 + 2 * m;
  int n_chunks = chunks(n);
  if (n_chunks < CHUNKS_FOR_THREADS) { // a parallel region costs more than a small problem
    for (int c = 0; c < n_chunks; c++)
      push_chunk(a, first_of(c, n), first_of(c + 1, n), x, g, a->sums + (size_t)c * width);
  } else {
#pragma omp parallel for schedule(static)
    for (int c = 0; c < n_chunks; c++)
      push_chunk(a, first_of(c, n), first_of(c + 1, n), x, g, a->sums + (size_t)c * width);
  }
  for (size_t k = 0; k < width; k++) a->product[k] = 0;
  for (int c = 0; c < n_chunks; c++)
    for (size_t k = 0; k < width; k++) a->product[k] += a->sums[(size_t)c * width + k];
  return sqrt(a->product[0]);
}

// The differences that push has left behind are held from now on.
static void hold(Anderson *a) {
  if (a->held < a->memory) a->held++;
  for (int j = 0; j < a->held; j++)
    a->gram[a->next * a->memory + j] = a->gram[j * a->memory + a->next] = a->product[1 + j];
  a->next = (a->next + 1) % a->memory;
}

// Cholesky of the ridged Gram matrix, then gamma = (df . df)^-1 df . f. Returns 0 when it fails.
static int mixing(Anderson *a, double *gamma) {
  int m = a->held;
  double *l = a->solve + m, trace = 0;
  for (int i = 0; i < m; i++) trace += a->gram[i * a->memory + i];
  for (int i = 0; i < m; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = a->gram[i * a->memory + j] + (i == j ? RIDGE * trace : 0);
      for (int k = 0; k < j; k++) sum -= l[i * m + k] * l[j * m + k];
      if (i == j && !(sum > 0)) return 0;
      l[i * m + j] = i == j ? sqrt(sum) : sum / l[j * m + j];
    }
    gamma[i] = a->product[1 + a->memory + i];
    for (int k = 0; k < i; k++) gamma[i] -= l[i * m + k] * gamma[k];
    gamma[i] /= l[i * m + i];
  }
  for (int i = m - 1; i >= 0; i--) {
    for (int k = i + 1; k < m; k++) gamma[i] -= l[k * m + i] * gamma[k];
    gamma[i] /= l[i * m + i];
  }
  return 1;
}

static void combine_chunk(const Anderson *a, const double *gamma, size_t first, size_t last,
                          const double *restrict g, double *restrict x) {
  memcpy(x + first, g + first, (last - first) * sizeof *x);
  for (int j = 0; j < a->held; j++) {
    const double *restrict dg = a->dg + (size_t)j * (size_t)a->n;
    double factor = gamma[j];
#pragma omp simd
    for (size_t k = first; k < last; k++) x[k] -= factor * dg[k];
  }
}

// x = g - sum of gamma_j dg_j.
static void combine(const Anderson *a, const double *gamma, const double *g, double *x) {
  size_t n = (size_t)a->n;
  int n_chunks = chunks(n);
  if (n_chunks < CHUNKS_FOR_THREADS) {
    combine_chunk(a, gamma, 0, n, g, x);
    return;
  }
#pragma omp parallel for schedule(static)
  for (int c = 0; c < n_chunks; c++)
    combine_chunk(a, gamma, first_of(c, n), first_of(c + 1, n), g, x);
}

double anderson_step(Anderson *a, double *restrict x, const double *restrict g) {
  double *swap = a->f_old, *gamma = a->solve;
  a->f_old = a->f;
  a->f = swap;
  double norm = push(a, x, g);
  if (a->started && norm > GROWTH * a->best) anderson_restart(a);
  if (a->started) hold(a);
  if (!a->started || norm < a->best) a->best = norm;
  a->started = 1;
  if (a->held > 0 && !mixing(a, gamma)) a->held = a->next = 0;
  combine(a, gamma, g, x);
  return norm;
}
