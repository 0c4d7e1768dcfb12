#include "base/mem.h"
#include "mesh/mesh.h"

// The first element known to hang together with e; ways are shortened as they are walked.
static int32_t root_of(int32_t *parent, int32_t e) {
  while (parent[e] != e) {
    parent[e] = parent[parent[e]];
    e = parent[e];
  }
  return e;
}

Status mesh_pieces(const Mesh *mesh, int32_t **piece, int *n, Err *err) {
  int32_t *parent, *last; // [n_elems]; [n_nodes] an element at the node, plus 1
  *n = 0;
  MEM_NEW(*piece, mesh->n_elems, err);
  parent = *piece;
  MEM_NEW(last, mesh->n_nodes, err);
  for (int e = 0; e < mesh->n_elems; e++) {
    parent[e] = e;
    for (int k = mesh->elem_ptr[e]; k < mesh->elem_ptr[e + 1]; k++) {
      int node = mesh->elem_node[k];
      int32_t a = root_of(parent, e), b = last[node] > 0 ? root_of(parent, last[node] - 1) : a;
      if (a < b) // the root is the first element of its piece
        parent[b] = a;
      else
        parent[a] = b;
      last[node] = e + 1;
    }
  }
  // Roots come before what hangs on them, so one pass numbers all; a number n stands as -1 - n.
  for (int e = 0; e < mesh->n_elems; e++)
    parent[e] = parent[e] == e ? -1 - (*n)++ : parent[parent[e]];
  for (int e = 0; e < mesh->n_elems; e++) parent[e] = -1 - parent[e];
  mem_free(last);
  return OK;
}
