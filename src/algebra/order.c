#include "algebra/order.h"

#include <suitesparse/cholmod.h>

Status order_minimum_degree(int n, const int64_t *ptr, const int32_t *col, int32_t *perm,
                            Err *err) {
  cholmod_common common;
  cholmod_start(&common);
  common.print = 0;
  size_t size = (size_t)n, nnz = (size_t)ptr[n];
  cholmod_sparse *graph =
      cholmod_allocate_sparse(size, size, nnz, 0, 1, 1, CHOLMOD_PATTERN, &common);
  int done = graph != NULL;
  if (graph) {
    int *first = graph->p, *row = graph->i, at = 0;
    for (int i = 0; i < n; i++) {
      first[i] = at;
      for (int64_t e = ptr[i]; e < ptr[i + 1]; e++)
        if (col[e] < i) row[at++] = col[e]; // upper triangle by columns
    }
    first[n] = at;
    graph->sorted = 0;
    done = cholmod_amd(graph, NULL, 0, perm, &common);
  }
  cholmod_free_sparse(&graph, &common);
  cholmod_finish(&common);
  return done ? OK : err_set(err, ERR_SYSTEM, "out of memory: ordering %d unknowns", n);
}
