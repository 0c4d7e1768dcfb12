#include "mesh/mesh.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec3.h"
#include "mesh/nodeset.h"

Status mesh_init(Mesh *mesh, int dim, int n_nodes, int n_elems, int n_elem_nodes, Err *err) {
  assert(dim == 2 || dim == 3);
  *mesh = (Mesh){.dim = dim, .n_nodes = n_nodes, .n_elems = n_elems};
  mesh->x = mem_new((size_t)n_nodes * (size_t)dim, sizeof *mesh->x);
  mesh->elem_shape = mem_new((size_t)n_elems, sizeof *mesh->elem_shape);
  mesh->elem_ptr = mem_new((size_t)n_elems + 1, sizeof *mesh->elem_ptr);
  mesh->elem_node = mem_new((size_t)n_elem_nodes, sizeof *mesh->elem_node);
  mesh->facet_ptr = mem_new(1, sizeof *mesh->facet_ptr);
  if (mesh->x && mesh->elem_shape && mesh->elem_ptr && mesh->elem_node && mesh->facet_ptr)
    return OK;
  mesh_free(mesh);
  return err_set(err, ERR_SYSTEM, "out of memory: mesh of %d nodes and %d elements", n_nodes,
                 n_elems);
}

Status mesh_init_facets(Mesh *mesh, int n_facets, int n_facet_nodes, Err *err) {
  assert(mesh->n_facets == 0);
  mem_free(mesh->facet_ptr);
  mesh->facet_ptr = NULL;
  MEM_NEW(mesh->facet_ptr, n_facets + 1, err);
  MEM_NEW(mesh->facet_shape, n_facets, err);
  MEM_NEW(mesh->facet_node, n_facet_nodes, err);
  mesh->n_facets = n_facets;
  return OK;
}

void mesh_free(Mesh *mesh) {
  mem_free(mesh->x);
  mem_free(mesh->elem_shape);
  mem_free(mesh->elem_ptr);
  mem_free(mesh->elem_node);
  mem_free(mesh->facet_shape);
  mem_free(mesh->facet_ptr);
  mem_free(mesh->facet_node);
  for (int g = 0; g < mesh->n_groups; g++) {
    mem_free(mesh->groups[g].name);
    mem_free(mesh->groups[g].items);
  }
  mem_free(mesh->groups);
  *mesh = (Mesh){0};
}

static void copy_bytes(void *to, const void *from, size_t count, size_t size) {
  if (count > 0) memcpy(to, from, count * size);
}

static Status copy_parts(Mesh *to, const Mesh *from, Err *err) {
  copy_bytes(to->x, from->x, (size_t)from->n_nodes * (size_t)from->dim, sizeof *to->x);
  copy_bytes(to->elem_shape, from->elem_shape, (size_t)from->n_elems, 1);
  copy_bytes(to->elem_ptr, from->elem_ptr, (size_t)from->n_elems + 1, sizeof *to->elem_ptr);
  copy_bytes(to->elem_node, from->elem_node, (size_t)from->elem_ptr[from->n_elems],
             sizeof *to->elem_node);
  int n_facet_nodes = from->facet_ptr[from->n_facets];
  if (from->n_facets > 0) {
    TRY(mesh_init_facets(to, from->n_facets, n_facet_nodes, err));
    copy_bytes(to->facet_shape, from->facet_shape, (size_t)from->n_facets, 1);
    copy_bytes(to->facet_ptr, from->facet_ptr, (size_t)from->n_facets + 1, sizeof *to->facet_ptr);
    copy_bytes(to->facet_node, from->facet_node, (size_t)n_facet_nodes, sizeof *to->facet_node);
  }
  for (int g = 0; g < from->n_groups; g++) {
    const MeshGroup *group = &from->groups[g];
    TRY(mesh_add_group(to, group->name, group->kind, group->items, group->n, err));
  }
  return OK;
}

Status mesh_copy(Mesh *to, const Mesh *from, Err *err) {
  TRY(mesh_init(to, from->dim, from->n_nodes, from->n_elems, from->elem_ptr[from->n_elems], err));
  to->polyhedron = from->polyhedron;
  Status status = copy_parts(to, from, err);
  if (status != OK) mesh_free(to);
  return status;
}

static int compare_items(const void *a, const void *b) {
  int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
  return (left > right) - (left < right);
}

static int n_of_kind(const Mesh *mesh, GroupKind kind) {
  return kind == GROUP_NODES    ? mesh->n_nodes
         : kind == GROUP_FACETS ? mesh->n_facets
                                : mesh->n_elems;
}

// Sorts and drops repetitions; returns the new count.
static int sort_once(int32_t *items, int n) {
  if (n > 1) qsort(items, (size_t)n, sizeof *items, compare_items);
  int kept = 0;
  for (int k = 0; k < n; k++)
    if (kept == 0 || items[k] != items[kept - 1]) items[kept++] = items[k];
  return kept;
}

Status mesh_add_group(Mesh *mesh, const char *name, GroupKind kind, const int32_t *items, int n,
                      Err *err) {
  static const char *const kind_name[] = {"nodes", "facets", "elements"};
  if (mesh_find_group_of(mesh, name, kind))
    return err_set(err, ERR_INPUT, "the mesh already has a group '%s' of %s", name,
                   kind_name[kind]);
  for (int k = 0; k < n; k++)
    if (items[k] < 0 || items[k] >= n_of_kind(mesh, kind))
      return err_set(err, ERR_INPUT, "group '%s' names number %d, the mesh has %d %s", name,
                     items[k] + 1, n_of_kind(mesh, kind), kind_name[kind]);
  MeshGroup *groups = mem_resize(mesh->groups, (size_t)mesh->n_groups + 1, sizeof *groups);
  if (!groups) return err_set(err, ERR_SYSTEM, "out of memory: group '%s'", name);
  mesh->groups = groups;
  MeshGroup *group = &groups[mesh->n_groups];
  *group = (MeshGroup){.kind = kind};
  group->name = mem_copy_text(name);
  group->items = mem_new((size_t)n, sizeof *items);
  if (!group->name || !group->items) {
    mem_free(group->name);
    mem_free(group->items);
    return err_set(err, ERR_SYSTEM, "out of memory: group '%s' of %d %s", name, n, kind_name[kind]);
  }
  copy_bytes(group->items, items, (size_t)n, sizeof *items);
  group->n = sort_once(group->items, n);
  mesh->n_groups++;
  return OK;
}

Status mesh_add_all(Mesh *mesh, Err *err) {
  int32_t *items;
  MEM_NEW(items, mesh->n_elems, err);
  for (int e = 0; e < mesh->n_elems; e++) items[e] = e;
  Status status = mesh_add_group(mesh, "all", GROUP_ELEMENTS, items, mesh->n_elems, err);
  mem_free(items);
  return status;
}

const MeshGroup *mesh_find_group(const Mesh *mesh, const char *name) {
  for (int g = 0; g < mesh->n_groups; g++)
    if (strcmp(mesh->groups[g].name, name) == 0) return &mesh->groups[g];
  return NULL;
}

const MeshGroup *mesh_find_group_of(const Mesh *mesh, const char *name, GroupKind kind) {
  for (int g = 0; g < mesh->n_groups; g++)
    if (mesh->groups[g].kind == kind && strcmp(mesh->groups[g].name, name) == 0)
      return &mesh->groups[g];
  return NULL;
}

Status mesh_group_nodes(const Mesh *mesh, const MeshGroup *group, int32_t **node, int *n,
                        Err *err) {
  const int32_t *ptr = group->kind == GROUP_FACETS ? mesh->facet_ptr : mesh->elem_ptr;
  const int32_t *of = group->kind == GROUP_FACETS ? mesh->facet_node : mesh->elem_node;
  size_t total = 0;
  for (int k = 0; k < group->n; k++) {
    int item = group->items[k];
    total += group->kind == GROUP_NODES ? 1 : (size_t)(ptr[item + 1] - ptr[item]);
  }
  int32_t *list;
  MEM_NEW(list, total, err);
  int at = 0;
  for (int k = 0; k < group->n; k++) {
    int item = group->items[k];
    if (group->kind == GROUP_NODES)
      list[at++] = item;
    else
      for (int j = ptr[item]; j < ptr[item + 1]; j++) list[at++] = of[j];
  }
  *n = sort_once(list, at);
  *node = list;
  return OK;
}

// Coordinates of the element's nodes, z = 0 in 2D.
static int gather(const Mesh *mesh, int elem, double x[MAX_ELEM_NODES][3]) {
  int first = mesh->elem_ptr[elem], n = mesh->elem_ptr[elem + 1] - first;
  for (int k = 0; k < n; k++)
    for (int c = 0; c < 3; c++)
      x[k][c] = c < mesh->dim ? mesh->x[(int64_t)mesh->elem_node[first + k] * mesh->dim + c] : 0;
  return n;
}

// det of dx/dxi of the bilinear or trilinear map at Gauss point g of 2 x 2 (x 2).
static double det_at_gauss(const double (*x)[3], int dim, int g) {
  static const signed char corner[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                           {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
  const double a = 0.57735026918962576451; // 1/sqrt(3)
  double xi[3] = {a * corner[g][0], a * corner[g][1], dim == 3 ? a * corner[g][2] : 0};
  double grad[3][3] = {{0}};
  for (int k = 0; k < (dim == 3 ? 8 : 4); k++) {
    double f[3] = {1 + corner[k][0] * xi[0], 1 + corner[k][1] * xi[1],
                   dim == 3 ? 1 + corner[k][2] * xi[2] : 2};
    for (int c = 0; c < 3; c++) {
      grad[0][c] += 0.125 * corner[k][0] * f[1] * f[2] * x[k][c];
      grad[1][c] += 0.125 * f[0] * corner[k][1] * f[2] * x[k][c];
      grad[2][c] += 0.125 * f[0] * f[1] * corner[k][2] * x[k][c];
    }
  }
  if (dim == 2) return grad[0][0] * grad[1][1] - grad[0][1] * grad[1][0];
  return vec3_det(grad[0], grad[1], grad[2]);
}

// Area of an element of a surface in space: half the cross product of two sides, or of the
// diagonals of a quadrilateral, which for a warped one is the area of its mean plane.
static double surface_area(const double x[MAX_ELEM_NODES][3], int n) {
  double a[3], b[3], normal[3];
  for (int c = 0; c < 3; c++) {
    a[c] = x[n == 3 ? 1 : 2][c] - x[0][c];
    b[c] = n == 3 ? x[2][c] - x[0][c] : x[3][c] - x[1][c];
  }
  vec3_cross(a, b, normal);
  return 0.5 * vec3_length(normal);
}

static int on_surface(const Mesh *mesh, int elem) {
  return mesh->dim == 3 && topology_table[mesh->elem_shape[elem]].dim == 2;
}

// Two-point Gauss is exact here: the determinant is at most quadratic in each coordinate.
double mesh_elem_measure(const Mesh *mesh, int elem) {
  double x[MAX_ELEM_NODES][3], edge[3][3] = {{0}}, sum = 0;
  int n = gather(mesh, elem, x);
  int shape = mesh->elem_shape[elem];
  if (on_surface(mesh, elem)) return surface_area((const double(*)[3])x, n);
  if (shape == SHAPE_T3 || shape == SHAPE_T4) {
    for (int k = 0; k + 1 < n; k++)
      for (int c = 0; c < 3; c++) edge[k][c] = x[k + 1][c] - x[0][c];
    if (shape == SHAPE_T4) return vec3_det(edge[0], edge[1], edge[2]) / 6;
    return 0.5 * (edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0]);
  }
  for (int g = 0; g < n; g++) sum += det_at_gauss((const double(*)[3])x, mesh->dim, g);
  return sum;
}

double mesh_elem_min_det(const Mesh *mesh, int elem) {
  int shape = mesh->elem_shape[elem];
  if (on_surface(mesh, elem)) return mesh_elem_measure(mesh, elem);
  if (shape == SHAPE_T3) return 2 * mesh_elem_measure(mesh, elem);
  if (shape == SHAPE_T4) return 6 * mesh_elem_measure(mesh, elem);
  double x[MAX_ELEM_NODES][3], least = (double)INFINITY;
  int n = gather(mesh, elem, x);
  for (int g = 0; g < n; g++)
    least = fmin(least, det_at_gauss((const double(*)[3])x, mesh->dim, g));
  return least;
}

static Status check_elements(const Mesh *mesh, unsigned char *used, Err *err) {
  for (int e = 0; e < mesh->n_elems; e++) {
    const Topology *topology = &topology_table[mesh->elem_shape[e]];
    int n = mesh->elem_ptr[e + 1] - mesh->elem_ptr[e];
    if ((topology->dim != mesh->dim && !on_surface(mesh, e)) || n != topology->n_nodes)
      return err_set(err, ERR_INPUT, "element %d is a %s with %d nodes in a mesh of dimension %d",
                     e + 1, topology->name, n, mesh->dim);
    for (int k = mesh->elem_ptr[e]; k < mesh->elem_ptr[e + 1]; k++) {
      int node = mesh->elem_node[k];
      if (node < 0 || node >= mesh->n_nodes)
        return err_set(err, ERR_INPUT, "element %d refers to node %d, the mesh has %d", e + 1,
                       node + 1, mesh->n_nodes);
      used[node] = 1;
    }
    double measure = mesh_elem_measure(mesh, e), det = mesh_elem_min_det(mesh, e);
    if (!isfinite(measure) || !(measure > 0) || !(det > 0))
      return err_set(err, ERR_INPUT, "element %d (%s) is turned inside out: %s %g, least det %g",
                     e + 1, topology->name, topology->dim == 2 ? "area" : "volume", measure, det);
  }
  return OK;
}

static Status check_nodes(const Mesh *mesh, unsigned char *used, Err *err) {
  for (int64_t k = 0; k < (int64_t)mesh->n_nodes * mesh->dim; k++)
    if (!isfinite(mesh->x[k]))
      return err_set(err, ERR_INPUT, "node %d has the coordinate %g", (int)(k / mesh->dim) + 1,
                     mesh->x[k]);
  TRY(check_elements(mesh, used, err));
  for (int f = 0; f < mesh->n_facets; f++)
    for (int k = mesh->facet_ptr[f]; k < mesh->facet_ptr[f + 1]; k++) {
      int node = mesh->facet_node[k];
      if (node < 0 || node >= mesh->n_nodes)
        return err_set(err, ERR_INPUT, "facet %d refers to node %d, the mesh has %d", f + 1,
                       node + 1, mesh->n_nodes);
      used[node] = 1;
    }
  for (int node = 0; node < mesh->n_nodes; node++)
    if (!used[node]) return err_set(err, ERR_INPUT, "node %d belongs to no element", node + 1);
  return OK;
}

Status mesh_check(const Mesh *mesh, Err *err) {
  unsigned char *used;
  MEM_NEW(used, mesh->n_nodes, err);
  Status status = check_nodes(mesh, used, err);
  mem_free(used);
  return status;
}

double mesh_measure(const Mesh *mesh) {
  double sum = 0;
  for (int e = 0; e < mesh->n_elems; e++) sum += mesh_elem_measure(mesh, e);
  return sum;
}

void mesh_bounds(const Mesh *mesh, double low[3], double high[3]) {
  for (int c = 0; c < 3; c++) low[c] = high[c] = 0;
  for (int node = 0; node < mesh->n_nodes; node++)
    for (int c = 0; c < mesh->dim; c++) {
      double value = mesh->x[(int64_t)node * mesh->dim + c];
      if (node == 0 || value < low[c]) low[c] = value;
      if (node == 0 || value > high[c]) high[c] = value;
    }
}
