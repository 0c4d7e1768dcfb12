// algebra/order.h -- elimination orders of sparse symmetric patterns.
#ifndef ALGEBRA_ORDER_H
#define ALGEBRA_ORDER_H

#include <stdint.h>

#include "base/err.h"

// Approximate minimum degree (Amestoy, Davis and Duff 1996) of a symmetric pattern by rows, ptr
// [n + 1], diagonal present or not: perm[k] is eliminated k-th.
Status order_minimum_degree(int n, const int64_t *ptr, const int32_t *col, int32_t *perm,
                            Err *err) MUST_CHECK;

// Nested dissection of the same (Karypis and Kumar 1998, minimum degree in the parts): about a
// quarter less work for factors of large plane patterns, but ten times dearer itself.
Status order_nested_dissection(int n, const int64_t *ptr, const int32_t *col, int32_t *perm,
                               Err *err) MUST_CHECK;

#endif
