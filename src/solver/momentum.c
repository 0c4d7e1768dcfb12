#include "solver/momentum.h"

#include <math.h>
#include <string.h>

enum {
  LOOK = 15, // steps between two looks at the residual: fewer restart at every status that changes
  CHUNK = 512,
  CHUNKS_FOR_THREADS = 128,
  SUMS = 3 // turn, |g - x|^2, |g|^2
};

static const double GROWTH = 9; // of |g - x|^2 over its least that is not waited out

static int chunks(int n) {
  return (n + CHUNK - 1) / CHUNK;
}

Status momentum_init(Momentum *m, int n, Arena *arena, Err *err) {
  *m = (Momentum){.n = n, .inertia = 1, .residual = (double)INFINITY};
  ARENA_NEW(m->last, n, arena, err);
  ARENA_NEW(m->sums, (size_t)chunks(n) * SUMS, arena, err);
  return OK;
}

static void restart(Momentum *m) {
  m->inertia = 1;
  m->since = 0;
}

void momentum_start(Momentum *m, const double *x) {
  memcpy(m->last, x, (size_t)m->n * sizeof *x);
  m->residual = m->least = (double)INFINITY;
  m->beta = 0;
  restart(m);
}

static void measure_chunk(Momentum *m, int c, const double *restrict x, const double *restrict g) {
  const double *restrict last = m->last;
  int first = c * CHUNK, end = m->n - first < CHUNK ? m->n : first + CHUNK;
  double turn = 0, residual = 0, norm = 0;
#pragma omp simd reduction(+ : turn, residual, norm)
  for (int k = first; k < end; k++) {
    double back = x[k] - g[k];
    turn += back * (g[k] - last[k]);
    residual += back * back;
    norm += g[k] * g[k];
  }
  double *sums = m->sums + (size_t)c * SUMS;
  sums[0] = turn;
  sums[1] = residual;
  sums[2] = norm;
}

// The sums chunk by chunk, then in the order of the chunks: the same for any number of threads.
static void measure(Momentum *m, const double *x, const double *g, double total[SUMS]) {
  int n_chunks = chunks(m->n);
  if (n_chunks < CHUNKS_FOR_THREADS) { // a parallel region costs more than a small problem
    for (int c = 0; c < n_chunks; c++) measure_chunk(m, c, x, g);
  } else {
#pragma omp parallel for schedule(static)
    for (int c = 0; c < n_chunks; c++) measure_chunk(m, c, x, g);
  }
  for (int c = 0; c < n_chunks; c++)
    for (int k = 0; k < SUMS; k++) total[k] += m->sums[(size_t)c * SUMS + (size_t)k];
}

static void extrapolate_chunk(Momentum *m, int c, double beta, double *restrict x,
                              const double *restrict g) {
  double *restrict last = m->last;
  int first = c * CHUNK, end = m->n - first < CHUNK ? m->n : first + CHUNK;
#pragma omp simd
  for (int k = first; k < end; k++) {
    x[k] = g[k] + beta * (g[k] - last[k]);
    last[k] = g[k];
  }
}

// x = g + beta (g - last), last = g.
static void extrapolate(Momentum *m, double beta, double *x, const double *g) {
  int n_chunks = chunks(m->n);
  if (n_chunks < CHUNKS_FOR_THREADS) {
    for (int c = 0; c < n_chunks; c++) extrapolate_chunk(m, c, beta, x, g);
    return;
  }
#pragma omp parallel for schedule(static)
  for (int c = 0; c < n_chunks; c++) extrapolate_chunk(m, c, beta, x, g);
}

double momentum_step(Momentum *m, double *x, const double *g) {
  double total[SUMS] = {0};
  measure(m, x, g, total);
  m->least = fmin(m->least, total[1]);
  int afresh = total[0] > 0 || total[1] > GROWTH * m->least;
  if (++m->since % LOOK == 0) {
    afresh |= total[1] > m->residual;
    m->residual = total[1];
  }
  if (afresh) {
    restart(m);
    m->beta = 0;
  } else {
    double grown = 0.5 * (1 + sqrt(1 + 4 * m->inertia * m->inertia));
    m->beta = (m->inertia - 1) / grown;
    m->inertia = grown;
  }
  extrapolate(m, m->beta, x, g);
  return total[2] > 0 ? sqrt(total[1] / total[2]) : (total[1] > 0 ? 1 : 0);
}
