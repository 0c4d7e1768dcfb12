#include "solver/anderson.h"

#include <math.h>
#include <string.h>

// Residuals may grow by this factor over the best before the memory is dropped.
static const double GROWTH = 3;
// Relative ridge of the normal equations: keeps them solvable when differences are nearly parallel.
static const double RIDGE = 1e-13;

Status anderson_init(Anderson *a, int n, int memory, Arena *arena, Err *err) {
  *a = (Anderson){.n = n, .memory = memory};
  size_t all = (size_t)n * (size_t)memory;
  ARENA_NEW(a->dg, all, arena, err);
  ARENA_NEW(a->df, all, arena, err);
  ARENA_NEW(a->gram, memory * memory, arena, err);
  ARENA_NEW(a->g, n, arena, err);
  ARENA_NEW(a->f, n, arena, err);
  ARENA_NEW(a->f_old, n, arena, err);
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

// Stores the differences to the last step in place of the oldest ones.
static void push(Anderson *a, const double *restrict g) {
  size_t n = (size_t)a->n;
  double *restrict dg = a->dg + (size_t)a->next * n, *restrict df = a->df + (size_t)a->next * n;
  const double *restrict f = a->f, *restrict g_old = a->g, *restrict f_old = a->f_old;
#pragma omp simd
  for (size_t k = 0; k < n; k++) {
    dg[k] = g[k] - g_old[k];
    df[k] = f[k] - f_old[k];
  }
  if (a->held < a->memory) a->held++;
  for (int j = 0; j < a->held; j++) {
    double product = dot(n, df, a->df + (size_t)j * n);
    a->gram[a->next * a->memory + j] = a->gram[j * a->memory + a->next] = product;
  }
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
    gamma[i] = dot((size_t)a->n, a->df + (size_t)i * (size_t)a->n, a->f);
    for (int k = 0; k < i; k++) gamma[i] -= l[i * m + k] * gamma[k];
    gamma[i] /= l[i * m + i];
  }
  for (int i = m - 1; i >= 0; i--) {
    for (int k = i + 1; k < m; k++) gamma[i] -= l[k * m + i] * gamma[k];
    gamma[i] /= l[i * m + i];
  }
  return 1;
}

double anderson_step(Anderson *a, double *restrict x, const double *restrict g) {
  size_t n = (size_t)a->n;
  double *swap = a->f_old, *restrict f;
  a->f_old = a->f;
  a->f = f = swap;
#pragma omp simd
  for (size_t k = 0; k < n; k++) f[k] = g[k] - x[k];
  double norm = sqrt(dot(n, f, f));
  if (a->started && norm > GROWTH * a->best) anderson_restart(a);
  if (a->started) push(a, g);
  if (!a->started || norm < a->best) a->best = norm;
  memcpy(a->g, g, n * sizeof *g);
  memcpy(x, g, n * sizeof *x);
  a->started = 1;
  double *gamma = a->solve;
  if (a->held > 0 && !mixing(a, gamma)) a->held = a->next = 0;
  for (int j = 0; j < a->held; j++) {
    const double *restrict dg = a->dg + (size_t)j * n;
    double factor = gamma[j];
#pragma omp simd
    for (size_t k = 0; k < n; k++) x[k] -= factor * dg[k];
  }
  return norm;
}
