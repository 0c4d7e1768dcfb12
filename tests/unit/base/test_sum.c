#include <criterion/criterion.h>

#include "base/sum.h"

// Terms of a sum whose last bits depend on the order.
static double term(int64_t i) {
  return 1 / (double)(i + 1);
}

static void terms(const void *of, int64_t first, int64_t last, double *sum) {
  const double *factor = of;
  for (int64_t i = first; i < last; i++) {
    sum[0] += term(i);
    sum[1] += *factor * (double)i;
  }
}

Test(sum, of_one_chunk_has_the_bits_of_a_plain_loop) {
  double factor = 2, sum[2] = {7, 7}, plain = 0;
  for (int64_t i = 0; i < SUM_CHUNK; i++) plain += term(i);
  sum_over(SUM_CHUNK, 2, terms, &factor, sum);
  cr_assert_eq(sum[0], plain);
  cr_assert_eq(sum[1], (double)SUM_CHUNK * (SUM_CHUNK - 1));
}

Test(sum, of_many_chunks_is_that_of_the_chunks_in_their_order) {
  enum { N = 3 * SUM_CHUNK + 17 };
  double factor = 1, sum[2], chunks = 0;
  for (int64_t k = 0; k < 4; k++) {
    double own = 0;
    for (int64_t i = k * SUM_CHUNK; i < N && i < (k + 1) * SUM_CHUNK; i++) own += term(i);
    chunks += own;
  }
  sum_over(N, 2, terms, &factor, sum);
  cr_assert_eq(sum[0], chunks);
  cr_assert_eq(sum[1], 0.5 * N * (N - 1));
}

Test(sum, of_nothing_is_zero) {
  double factor = 1, sum[2] = {3, 3};
  sum_over(0, 2, terms, &factor, sum);
  cr_assert_eq(sum[0], 0);
  cr_assert_eq(sum[1], 0);
}
