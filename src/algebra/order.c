#include "algebra/order.h"

#include <suitesparse/cholmod.h>

#include "algebra/analyze.h"
#include "base/mem.h"

// Upper triangle by columns; NULL: no memory.
static cholmod_sparse *graph_of(int n, const int64_t *ptr, const int32_t *col,
                                cholmod_common *common) {
  size_t size = (size_t)n, nnz = (size_t)ptr[n];
  cholmod_sparse *graph =
      cholmod_allocate_sparse(size, size, nnz, 0, 1, 1, CHOLMOD_PATTERN, common);
  if (!graph) return NULL;
  int *first = graph->p, *row = graph->i, at = 0;
  for (int i = 0; i < n; i++) {
    first[i] = at;
    for (int64_t e = ptr[i]; e < ptr[i + 1]; e++)
      if (col[e] < i) row[at++] = col[e];
  }
  first[n] = at;
  graph->sorted = 0;
  return graph;
}

static int dissect(cholmod_sparse *graph, int n, int32_t *perm, cholmod_common *common) {
  int32_t *room = mem_new(2 * (size_t)n + 1, sizeof *room);
  int done = room && algebra_dissect(graph, perm, room, room + n, common);
  mem_free(room);
  return done;
}

static Status order(int n, const int64_t *ptr, const int32_t *col, int32_t *perm, int by_parts,
                    Err *err) {
  cholmod_common common;
  cholmod_start(&common);
  common.print = 0;
  cholmod_sparse *graph = graph_of(n, ptr, col, &common);
  int done = graph && (by_parts ? dissect(graph, n, perm, &common)
                                : cholmod_amd(graph, NULL, 0, perm, &common));
  cholmod_free_sparse(&graph, &common);
  cholmod_finish(&common);
  return done ? OK : err_set(err, ERR_SYSTEM, "out of memory: ordering %d unknowns", n);
}

Status order_minimum_degree(int n, const int64_t *ptr, const int32_t *col, int32_t *perm,
                            Err *err) {
  return order(n, ptr, col, perm, 0, err);
}

Status order_nested_dissection(int n, const int64_t *ptr, const int32_t *col, int32_t *perm,
                               Err *err) {
  return order(n, ptr, col, perm, 1, err);
}
