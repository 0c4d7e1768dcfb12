#include "base/mem.h"
#include "base/sets.h"
#include "mesh/mesh.h"

// The head of a set is its first element.
static void join(int32_t *set, int32_t e, int32_t f) {
  const int32_t a = sets_head(set, e), b = sets_head(set, f);
  if (a < b)
    sets_join(set, a, b);
  else
    sets_join(set, b, a);
}

Status mesh_pieces(const Mesh *mesh, int32_t **piece, int *n, Err *err) {
  int32_t *set, *last; // [n_elems]; [n_nodes] an element at the node, plus 1
  *n = 0;
  MEM_NEW(*piece, mesh->n_elems, err);
  set = *piece;
  MEM_NEW(last, mesh->n_nodes, err);
  sets_begin(set, mesh->n_elems);
  for (int e = 0; e < mesh->n_elems; e++)
    for (int k = mesh->elem_ptr[e]; k < mesh->elem_ptr[e + 1]; k++) {
      int node = mesh->elem_node[k];
      if (last[node] > 0) join(set, e, last[node] - 1);
      last[node] = e + 1;
    }
  // Heads come before what hangs on them, so one pass numbers all; a number n stands as -1 - n.
  for (int e = 0; e < mesh->n_elems; e++) set[e] = set[e] == e ? -1 - (*n)++ : set[set[e]];
  for (int e = 0; e < mesh->n_elems; e++) set[e] = -1 - set[e];
  mem_free(last);
  return OK;
}
