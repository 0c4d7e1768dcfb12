// base/sum.h -- sums over bodies and contacts.
//
// Items are taken in chunks of fixed size, each summed from zero by itself, and then the chunks in
// their order. So the bits do not depend on who sums which chunk, nor on how many do. What fits
// into one chunk is summed as by a plain loop.

#ifndef BASE_SUM_H
#define BASE_SUM_H

#include <stdint.h>

enum { SUM_CHUNK = 4096, MOST_SUMS = 8 };

// sum [n_sums] += what the items first .. last - 1 give.
typedef void (*SumTerms)(const void *of, int64_t first, int64_t last, double *sum);

// sum [n_sums] = that of all n items.
void sum_over(int64_t n, int n_sums, SumTerms terms, const void *of, double *sum);

#endif
