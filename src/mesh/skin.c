#include "mesh/skin.h"

#include <assert.h>

#include "base/mem.h"
#include "mesh/nodeset.h"

// The facets of all elements, each set of nodes once.
typedef struct {
  NodeSetTable table;
  int32_t *elem;        // [table.n] first element that has the facet
  int8_t *local;        // [table.n] which facet of it
  int8_t *shared;       // [table.n] 1: a second element lies behind it
  int32_t *first_edge;  // 3D: [edges] facet * 4 + k, first and second facet at an edge
  int32_t *second_edge; //     -1: none, -2: more than two
  NodeSetTable edges;
  int32_t *order, *old_neighbour; // 2D: the walk
} Work;

static void work_free(Work *work) {
  nodeset_free(&work->table);
  nodeset_free(&work->edges);
  mem_free(work->elem);
  mem_free(work->local);
  mem_free(work->shared);
  mem_free(work->first_edge);
  mem_free(work->second_edge);
  mem_free(work->order);
  mem_free(work->old_neighbour);
}

static int facet_nodes(const Mesh *mesh, int elem, int local, int32_t node[MAX_FACET_NODES]) {
  const Topology *topology = &topology_table[mesh->elem_shape[elem]];
  for (int k = 0; k < MAX_FACET_NODES; k++)
    node[k] = k < topology->n_facet_nodes
                  ? mesh->elem_node[mesh->elem_ptr[elem] + topology->facet[local][k]]
                  : -1;
  return topology->n_facet_nodes;
}

// 1 if b walks the nodes of a in the same sense: two elements on the same side of a facet.
static int same_sense(const int32_t *a, const int32_t *b, int n) {
  int at = 0;
  while (b[at] != a[0]) at++;
  return n == 2 ? at == 0 : b[(at + 1) % n] == a[1];
}

// One pass over all facets: those seen once are the boundary.
static Status find_facets(Work *work, const Mesh *mesh, Err *err) {
  int64_t n_all = 0;
  for (int e = 0; e < mesh->n_elems; e++) n_all += topology_table[mesh->elem_shape[e]].n_facets;
  TRY(nodeset_init(&work->table, n_all, mesh->dim == 2 ? 2 : 4, err));
  MEM_NEW(work->elem, n_all, err);
  MEM_NEW(work->local, n_all, err);
  MEM_NEW(work->shared, n_all, err);
  for (int e = 0; e < mesh->n_elems; e++)
    for (int f = 0; f < topology_table[mesh->elem_shape[e]].n_facets; f++) {
      int32_t node[MAX_FACET_NODES], other[MAX_FACET_NODES];
      int n = facet_nodes(mesh, e, f, node);
      int id = nodeset_put(&work->table, node, n);
      if (work->table.is_new) {
        work->elem[id] = e;
        work->local[id] = (int8_t)f;
        continue;
      }
      facet_nodes(mesh, work->elem[id], work->local[id], other);
      if (work->shared[id] || same_sense(node, other, n))
        return err_set(err, ERR_INPUT,
                       "element %d overlaps element %d: both lie on the same side of a facet",
                       e + 1, work->elem[id] + 1);
      work->shared[id] = 1;
    }
  return OK;
}

static Status collect(Skin *skin, const Work *work, const Mesh *mesh, Err *err) {
  for (int id = 0; id < work->table.n; id++) skin->n_facets += !work->shared[id];
  int width = skin->n_facet_nodes;
  MEM_NEW(skin->facet_node, (int64_t)skin->n_facets * width, err);
  MEM_NEW(skin->facet_elem, skin->n_facets, err);
  MEM_NEW(skin->neighbour, (int64_t)skin->n_facets * width, err);
  int at = 0;
  for (int id = 0; id < work->table.n; id++) {
    if (work->shared[id]) continue;
    int32_t node[MAX_FACET_NODES];
    facet_nodes(mesh, work->elem[id], work->local[id], node);
    for (int k = 0; k < width; k++) {
      skin->facet_node[at * width + k] = node[k];
      skin->neighbour[at * width + k] = -1;
    }
    skin->facet_elem[at++] = work->elem[id];
  }
  return OK;
}

static Status number_nodes(Skin *skin, const Mesh *mesh, Err *err) {
  MEM_NEW(skin->skin_of, mesh->n_nodes, err);
  for (int k = 0; k < skin->n_facets * skin->n_facet_nodes; k++)
    if (skin->facet_node[k] >= 0) skin->skin_of[skin->facet_node[k]] = 1;
  for (int i = 0; i < mesh->n_nodes; i++) skin->n_nodes += skin->skin_of[i];
  MEM_NEW(skin->node, skin->n_nodes, err);
  int n = 0;
  for (int i = 0; i < mesh->n_nodes; i++) {
    int is_skin = skin->skin_of[i];
    skin->skin_of[i] = is_skin ? n : -1;
    if (is_skin) skin->node[n++] = i;
  }
  return OK;
}

// The edge that leaves each skin node, and the one that arrives; -2 where there are several.
static Status link_edges_2d(Skin *skin, Work *work, Err *err) {
  MEM_NEW(work->first_edge, skin->n_nodes, err);
  MEM_NEW(work->second_edge, skin->n_nodes, err);
  int32_t *leaves = work->first_edge, *arrives = work->second_edge;
  for (int i = 0; i < skin->n_nodes; i++) leaves[i] = arrives[i] = -1;
  for (int f = 0; f < skin->n_facets; f++) {
    int from = skin->skin_of[skin->facet_node[2 * f]];
    int to = skin->skin_of[skin->facet_node[2 * f + 1]];
    leaves[from] = leaves[from] == -1 ? f : -2;
    arrives[to] = arrives[to] == -1 ? f : -2;
  }
  for (int i = 0; i < skin->n_nodes; i++) {
    if (leaves[i] < 0 || arrives[i] < 0) continue;
    skin->neighbour[2 * leaves[i]] = arrives[i];
    skin->neighbour[2 * arrives[i] + 1] = leaves[i];
  }
  return OK;
}

// Edges in walking order, loop after loop; an open chain starts at its first edge.
static Status order_walk(Skin *skin, Work *work, Err *err) {
  int n = skin->n_facets, at = 0;
  int32_t *new_of, *nodes = NULL;
  MEM_NEW(work->order, (int64_t)2 * n, err); // new number, then copies of elements
  MEM_NEW(work->old_neighbour, (int64_t)4 * n, err);
  new_of = work->order;
  for (int f = 0; f < n; f++) new_of[f] = -1;
  for (int open = 1; open >= 0; open--)
    for (int f = 0; f < n; f++) {
      if (new_of[f] >= 0 || (open && skin->neighbour[2 * f] >= 0)) continue;
      for (int edge = f; edge >= 0 && new_of[edge] < 0; edge = skin->neighbour[2 * edge + 1])
        new_of[edge] = at++;
    }
  assert(at == n);
  int32_t *elem = work->order + n, *neighbour = work->old_neighbour;
  nodes = work->old_neighbour + 2 * (int64_t)n;
  for (int f = 0; f < n; f++) elem[f] = skin->facet_elem[f];
  for (int k = 0; k < 2 * n; k++) {
    neighbour[k] = skin->neighbour[k];
    nodes[k] = skin->facet_node[k];
  }
  for (int f = 0; f < n; f++) {
    skin->facet_elem[new_of[f]] = elem[f];
    for (int k = 0; k < 2; k++) {
      int old = neighbour[2 * f + k];
      skin->facet_node[2 * new_of[f] + k] = nodes[2 * f + k];
      skin->neighbour[2 * new_of[f] + k] = old >= 0 ? new_of[old] : -1;
    }
  }
  return OK;
}

// 3D: an edge with exactly two skin faces makes them neighbours.
static Status link_faces_3d(Skin *skin, Work *work, Err *err) {
  int64_t most = (int64_t)skin->n_facets * 4;
  TRY(nodeset_init(&work->edges, most, 2, err));
  MEM_NEW(work->first_edge, most, err);
  MEM_NEW(work->second_edge, most, err);
  for (int f = 0; f < skin->n_facets; f++) {
    const int32_t *node = skin->facet_node + 4 * f;
    int n = node[3] < 0 ? 3 : 4;
    for (int k = 0; k < n; k++) {
      int32_t ends[2] = {node[k], node[(k + 1) % n]};
      int id = nodeset_put(&work->edges, ends, 2);
      if (work->edges.is_new) {
        work->first_edge[id] = 4 * f + k;
        work->second_edge[id] = -1;
      } else
        work->second_edge[id] = work->second_edge[id] == -1 ? 4 * f + k : -2;
    }
  }
  for (int id = 0; id < work->edges.n; id++) {
    int a = work->first_edge[id], b = work->second_edge[id];
    if (b < 0) continue;
    skin->neighbour[a] = b / 4;
    skin->neighbour[b] = a / 4;
  }
  return OK;
}

static Status build(Skin *skin, Work *work, const Mesh *mesh, Err *err) {
  TRY(find_facets(work, mesh, err));
  TRY(collect(skin, work, mesh, err));
  TRY(number_nodes(skin, mesh, err));
  if (mesh->dim == 3) return link_faces_3d(skin, work, err);
  TRY(link_edges_2d(skin, work, err));
  return order_walk(skin, work, err);
}

Status skin_build(Skin *skin, const Mesh *mesh, Err *err) {
  *skin = (Skin){.n_facet_nodes = mesh->dim == 2 ? 2 : 4};
  Work work = {0};
  Status status = build(skin, &work, mesh, err);
  work_free(&work);
  if (status != OK) skin_free(skin);
  return status;
}

void skin_free(Skin *skin) {
  mem_free(skin->facet_node);
  mem_free(skin->facet_elem);
  mem_free(skin->neighbour);
  mem_free(skin->node);
  mem_free(skin->skin_of);
  *skin = (Skin){0};
}
