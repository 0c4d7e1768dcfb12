// Problems for the tests of the solvers: from dense matrices, at random, from the stored ones.
#ifndef TESTS_SOLVER_PROBLEMS_H
#define TESTS_SOLVER_PROBLEMS_H

#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "file/json.h"
#include "solver/measure.h"
#include "solver/problem_fclib.h"

// Every test of the suite also proves that it gave all memory back.
static inline void expect_no_leak(void) {
  cr_assert_eq(mem_live_blocks(), 0, "%lld blocks leak", (long long)mem_live_blocks());
}

// A problem of dense W [n dim x n dim].
static inline void make_dense(OwnedProblem *owned, int dim, int n, const double *w, const double *b,
                              const double *mu) {
  Err err = {0};
  int size = n * dim;
  FclibProblem file = {.dim = dim, .n = n};
  file.w = (FclibMatrix){.rows = size, .cols = size};
  file.w.ptr = mem_new((size_t)size + 1, sizeof *file.w.ptr);
  file.w.col = mem_new((size_t)(size * size), sizeof *file.w.col);
  file.w.val = mem_new((size_t)(size * size), sizeof *file.w.val);
  file.q = mem_new((size_t)size, sizeof *file.q);
  file.mu = mem_new((size_t)n, sizeof *file.mu);
  for (int i = 0; i < size; i++) {
    for (int j = 0; j < size; j++) {
      file.w.col[i * size + j] = j;
      file.w.val[i * size + j] = w[i * size + j];
    }
    file.w.ptr[i + 1] = (int64_t)(i + 1) * size;
    file.q[i] = b[i];
  }
  memcpy(file.mu, mu, (size_t)n * sizeof *mu);
  cr_assert_eq(problem_from_fclib(owned, &file, &err), OK, "%s", err.text);
  fclib_free(&file);
}

// Uniform in [-1, 1], the same in every run.
static inline double random_real(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(*state >> 11) / (double)(1ll << 52) - 1;
}

// W = G G^T + ridge I with n dim rows and `rank` columns (sparse where chain is set: contact i only
// shares columns with so many neighbours on either side), free velocities of both signs.
static inline void make_random(OwnedProblem *owned, int dim, int n, int rank, double ridge,
                               double friction, int chain, uint64_t seed) {
  int size = n * dim;
  double *g = mem_new((size_t)(size * rank), sizeof *g), *b = mem_new((size_t)size, sizeof *b);
  double *w = mem_new((size_t)(size * size), sizeof *w), *mu = mem_new((size_t)n, sizeof *mu);
  uint64_t state = seed;
  int band = rank / n > 0 ? rank / n : 1;
  for (int i = 0; i < size; i++)
    for (int k = 0; k < rank; k++) {
      int near = abs(k / band - i / dim) <= (chain ? chain : 1);
      g[i * rank + k] = !chain || near ? random_real(&state) + (i % dim == 0 && near) : 0;
    }
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) {
      w[i * size + j] = i == j ? ridge : 0;
      for (int k = 0; k < rank; k++) w[i * size + j] += g[i * rank + k] * g[j * rank + k];
    }
  // b in the range of G, so that a semi-definite problem is one of bodies: v_free towards contact.
  for (int k = 0; k < rank; k++) {
    double v = random_real(&state) - 0.5;
    for (int i = 0; i < size; i++) b[i] += g[i * rank + k] * v;
  }
  for (int i = 0; i < n; i++) mu[i] = friction * (1 + 0.2 * random_real(&state));
  make_dense(owned, dim, n, w, b, mu);
  mem_free(g);
  mem_free(b);
  mem_free(w);
  mem_free(mu);
}

// A file of discrete problems with all their solutions: tests/unit/solver/stored/README.md.
static inline void read_stored(JsonTree *tree, const char *name) {
  char path[256];
  Err err = {0};
  snprintf(path, sizeof path, "tests/unit/solver/stored/%s", name);
  cr_assert_eq(json_read(tree, path, &err), OK, "%s", err.text);
}

static inline const JsonLeaf *stored_leaf(const JsonTree *tree, int k, const char *path) {
  char full[128];
  snprintf(full, sizeof full, "%d.%s", k, path);
  return json_find(tree, full);
}

static inline double stored_number(const JsonTree *tree, int k, const char *path, int i, int j) {
  char full[128];
  if (j >= 0)
    snprintf(full, sizeof full, "%d.%s.%d.%d", k, path, i, j);
  else
    snprintf(full, sizeof full, "%d.%s.%d", k, path, i);
  const JsonLeaf *leaf = json_find(tree, full);
  cr_assert(leaf && leaf->type == JSON_NUMBER, "no number at %s", full);
  return leaf->number;
}

static inline int stored_has(const JsonTree *tree, int k, const char *path, int i) {
  char full[128];
  snprintf(full, sizeof full, "%d.%s.%d", k, path, i);
  return json_find(tree, full) != NULL;
}

#endif
