#include "base/sum.h"

#include <assert.h>

void sum_over(int64_t n, int n_sums, SumTerms terms, const void *of, double *sum) {
  assert(n_sums <= MOST_SUMS);
  for (int i = 0; i < n_sums; i++) sum[i] = 0;
  for (int64_t first = 0; first < n; first += SUM_CHUNK) {
    double own[MOST_SUMS] = {0};
    terms(of, first, n - first < SUM_CHUNK ? n : first + SUM_CHUNK, own);
    for (int i = 0; i < n_sums; i++) sum[i] += own[i];
  }
}
