// base/sets.h -- which of n items hang together: pairs of items are joined, one after the other.
//
// set [n]: another item of the same set, of its head itself. Ways to heads become shorter as they
// are walked.

#ifndef BASE_SETS_H
#define BASE_SETS_H

#include <stdint.h>

void sets_begin(int32_t *set, int n); // each item by itself

// The item that stands for all that hang together with this one.
int32_t sets_head(int32_t *set, int32_t item);

// The head of a stands for those of b too. 1: they were apart.
int sets_join(int32_t *set, int32_t a, int32_t b);

#endif
