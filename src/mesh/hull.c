#include "mesh/hull.h"

#include <libqhull_r/qhull_ra.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec3.h"

// What is flatter than this share of its extent has no volume.
static const double FLAT = 1e-9;
// What is before a face by less than this share of it is on it: files have six digits.
static const double ON_FACE = 1e-6;

typedef struct {
  int n;
  int32_t *node; // [3 n] outward by the right hand; owned
} Triangles;

static void size_of(const double *x, int n, double middle[3], double *extent) {
  double low[3], high[3];
  for (int i = 0; i < 3; i++) low[i] = high[i] = x[i];
  for (int k = 0; k < 3 * n; k++) {
    low[k % 3] = fmin(low[k % 3], x[k]);
    high[k % 3] = fmax(high[k % 3], x[k]);
  }
  *extent = 0;
  for (int i = 0; i < 3; i++) {
    *extent = fmax(*extent, high[i] - low[i]);
    middle[i] = 0;
    for (int k = 0; k < n; k++) middle[i] += x[3 * k + i] / n;
  }
}

// Faces of the hull as qhull has them, coplanar ones merged and cut to triangles.
static Status take_faces(qhT *qh, const double *x, int n, const double middle[3],
                         Triangles *triangles, Err *err) {
  facetT *facet;
  vertexT *vertex, **vertexp;
  MEM_NEW(triangles->node, 3 * (int64_t)qh->num_facets, err);
  FORALLfacets {
    int32_t *to = triangles->node + 3 * triangles->n;
    double d[3][3];
    int at = 0;
    FOREACHvertex_(facet->vertices) {
      int id = qh_pointid(qh, vertex->point);
      if (at < 3 && id >= 0 && id < n) to[at++] = id;
    }
    if (at < 3) return err_set(err, ERR_NUMERIC, "qhull gave a face of %d corners", at);
    for (int i = 0; i < 3; i++) {
      d[0][i] = x[3 * to[1] + i] - x[3 * to[0] + i];
      d[1][i] = x[3 * to[2] + i] - x[3 * to[0] + i];
      d[2][i] = x[3 * to[0] + i] - middle[i];
    }
    if (vec3_det(d[0], d[1], d[2]) < 0) {
      int32_t other = to[1];
      to[1] = to[2];
      to[2] = other;
    }
    triangles->n++;
  }
  return OK;
}

static Status find_hull(const double *x, int n, Triangles *triangles, Err *err) {
  char options[] = "qhull Qt Pp";
  double middle[3], extent;
  coordT *copy = NULL;
  qhT qh;
  int short_left, long_left;
  size_of(x, n, middle, &extent);
  FILE *nowhere = fopen("/dev/null", "w"); // qhull prints its errors
  MEM_NEW(copy, 3 * (int64_t)n, err);
  memcpy(copy, x, 3 * sizeof *x * (size_t)n);
  qh_zero(&qh, nowhere);
  Status status = OK;
  if (!nowhere || qh_new_qhull(&qh, 3, n, copy, False, options, nowhere, nowhere) != 0)
    status = err_set(err, ERR_INPUT, "its corners lie in one plane");
  if (status == OK) status = take_faces(&qh, x, n, middle, triangles, err);
  qh.NOerrexit = True;
  qh_freeqhull(&qh, !qh_ALL);
  qh_memfreeshort(&qh, &short_left, &long_left);
  if (nowhere) fclose(nowhere);
  mem_free(copy);
  return status;
}

// Every point must be a corner, and the whole have a volume.
static Status check_hull(const double *x, int n, const Triangles *triangles, Err *err) {
  double middle[3], extent, volume = 0;
  size_of(x, n, middle, &extent);
  for (int k = 0; k < n; k++) {
    int found = 0;
    for (int m = 0; m < 3 * triangles->n; m++) found |= triangles->node[m] == k;
    if (!found)
      return err_set(err, ERR_INPUT,
                     "corner %d at (%g, %g, %g) lies in the hull of the others or on one of them: "
                     "they make no convex polyhedron",
                     k + 1, x[3 * k], x[3 * k + 1], x[3 * k + 2]);
  }
  for (int f = 0; f < triangles->n; f++) {
    const int32_t *node = triangles->node + 3 * f;
    double d[3][3];
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < 3; i++) d[c][i] = x[3 * node[c] + i] - middle[i];
    volume += vec3_det(d[0], d[1], d[2]) / 6;
  }
  if (volume > FLAT * extent * extent * extent) return OK;
  return err_set(err, ERR_INPUT, "it is flat: its volume is %g m^3", volume);
}

static Status make_mesh(Mesh *mesh, const double *x, int n, const Triangles *triangles, Err *err) {
  double extent;
  int32_t *all;
  TRY(mesh_init(mesh, 3, n + 1, triangles->n, 4 * triangles->n, err));
  memcpy(mesh->x, x, 3 * sizeof *x * (size_t)n);
  size_of(x, n, mesh->x + 3 * (size_t)n, &extent);
  for (int f = 0; f < triangles->n; f++) {
    mesh->elem_shape[f] = SHAPE_T4;
    mesh->elem_ptr[f + 1] = 4 * (f + 1);
    for (int c = 0; c < 3; c++) mesh->elem_node[4 * f + c] = triangles->node[3 * f + c];
    mesh->elem_node[4 * f + 3] = n;
  }
  for (int f = 0; f < triangles->n; f++) { // outward faces have the fourth corner behind them
    int32_t *node = mesh->elem_node + 4 * (size_t)f;
    if (mesh_elem_measure(mesh, f) > 0) continue;
    int32_t other = node[0];
    node[0] = node[1];
    node[1] = other;
  }
  MEM_NEW(all, n + 1, err);
  for (int k = 0; k <= n; k++) all[k] = k;
  Status status = mesh_add_group(mesh, "all", GROUP_NODES, all, n + 1, err);
  mem_free(all);
  return status == OK ? mesh_check(mesh, err) : status;
}

Status mesh_hull(Mesh *mesh, const double *x, int n, Err *err) {
  Triangles triangles = {0};
  *mesh = (Mesh){0};
  if (n < 4) return err_set(err, ERR_INPUT, "a polyhedron has four corners or more, not %d", n);
  Status status = find_hull(x, n, &triangles, err);
  if (status == OK) status = check_hull(x, n, &triangles, err);
  if (status == OK) status = make_mesh(mesh, x, n, &triangles, err);
  mem_free(triangles.node);
  if (status != OK) mesh_free(mesh);
  return status;
}

// ---- of a surface -------------------------------------------------------------------------------

// Triangles of the facets, each with the number of its facet.
typedef struct {
  Triangles triangles;
  int32_t *face; // [triangles.n] from 1; owned
} Surface;

static Status take_facets(Surface *to, const Mesh *surface, Err *err) {
  MEM_NEW(to->triangles.node, 6 * (int64_t)surface->n_facets, err);
  MEM_NEW(to->face, 2 * (int64_t)surface->n_facets, err);
  for (int f = 0; f < surface->n_facets; f++) {
    const int32_t *node = surface->facet_node + surface->facet_ptr[f];
    const int n = surface->facet_ptr[f + 1] - surface->facet_ptr[f];
    for (int k = 1; k + 1 < n; k++) {
      int32_t *own = to->triangles.node + 3 * to->triangles.n;
      own[0] = node[0];
      own[1] = node[k];
      own[2] = node[k + 1];
      to->face[to->triangles.n++] = f + 1;
    }
  }
  return OK;
}

typedef struct {
  int32_t node[2], face; // the lower node first
  int forth;             // 1: the face runs from it to the other
} SurfaceEdge;

static int compare_edges(const void *a, const void *b) {
  const SurfaceEdge *x = a, *y = b;
  for (int k = 0; k < 2; k++)
    if (x->node[k] != y->node[k]) return x->node[k] < y->node[k] ? -1 : 1;
  return (x->face > y->face) - (x->face < y->face);
}

// Every edge belongs to two triangles, which run along it in opposite directions.
static Status check_closed(const Surface *of, const double *x, Err *err) {
  const int n = 3 * of->triangles.n;
  SurfaceEdge *edge = mem_new((size_t)n, sizeof *edge);
  Status status = edge ? OK : err_set(err, ERR_SYSTEM, "out of memory: %d edges", n);
  for (int k = 0; k < n && edge; k++) {
    const int32_t *node = of->triangles.node + 3 * (k / 3);
    const int32_t a = node[k % 3], b = node[(k + 1) % 3];
    edge[k] = (SurfaceEdge){{a < b ? a : b, a < b ? b : a}, of->face[k / 3], a < b};
  }
  if (status == OK) qsort(edge, (size_t)n, sizeof *edge, compare_edges);
  for (int k = 0, same = 1; k < n && status == OK; k += same) {
    same = 1;
    while (k + same < n && edge[k + same].node[0] == edge[k].node[0] &&
           edge[k + same].node[1] == edge[k].node[1])
      same++;
    const double *a = x + 3 * (size_t)edge[k].node[0], *b = x + 3 * (size_t)edge[k].node[1];
    if (same == 1)
      status = err_set(err, ERR_INPUT,
                       "it is open at face %d: no other has its edge from (%g, %g, %g) to "
                       "(%g, %g, %g)",
                       edge[k].face, a[0], a[1], a[2], b[0], b[1], b[2]);
    else if (same > 2)
      status = err_set(err, ERR_INPUT,
                       "%d faces, one of them face %d, meet at the edge from (%g, %g, %g) to "
                       "(%g, %g, %g)",
                       same, edge[k].face, a[0], a[1], a[2], b[0], b[1], b[2]);
    else if (edge[k].forth == edge[k + 1].forth)
      status = err_set(err, ERR_INPUT, "face %d is turned over against face %d beside it",
                       edge[k + 1].face, edge[k].face);
  }
  mem_free(edge);
  return status;
}

static double volume_of(const Surface *of, const double *x, const double middle[3]) {
  double volume = 0;
  for (int f = 0; f < of->triangles.n; f++) {
    double d[3][3];
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < 3; i++) d[c][i] = x[3 * of->triangles.node[3 * f + c] + i] - middle[i];
    volume += vec3_det(d[0], d[1], d[2]) / 6;
  }
  return volume;
}

// No corner is before a face. A closed surface that crosses itself has one that is.
static Status check_convex(const Surface *of, const double *x, int n, double extent, Err *err) {
  for (int f = 0; f < of->triangles.n; f++) {
    const int32_t *node = of->triangles.node + 3 * f;
    double p[3], q[3], normal[3];
    for (int i = 0; i < 3; i++) {
      p[i] = x[3 * node[1] + i] - x[3 * node[0] + i];
      q[i] = x[3 * node[2] + i] - x[3 * node[0] + i];
    }
    vec3_cross(p, q, normal);
    vec3_normalise(normal);
    for (int k = 0; k < n; k++) {
      double d = 0;
      for (int i = 0; i < 3; i++) d += normal[i] * (x[3 * k + i] - x[3 * node[0] + i]);
      if (d > ON_FACE * extent)
        return err_set(err, ERR_INPUT,
                       "it is not convex, or crosses itself: its corner at (%g, %g, %g) is %g m "
                       "before face %d; make it of convex parts",
                       x[3 * k], x[3 * k + 1], x[3 * k + 2], d, of->face[f]);
    }
  }
  return OK;
}

Status mesh_convex(Mesh *mesh, const Mesh *surface, Err *err) {
  Surface of = {0};
  double middle[3], extent;
  *mesh = (Mesh){0};
  if (surface->n_facets < 4)
    return err_set(err, ERR_INPUT, "a polyhedron has four faces or more, not %d",
                   surface->n_facets);
  size_of(surface->x, surface->n_nodes, middle, &extent);
  Status status = take_facets(&of, surface, err);
  if (status == OK) status = check_closed(&of, surface->x, err);
  const double volume = status == OK ? volume_of(&of, surface->x, middle) : 0;
  if (status == OK && fabs(volume) <= FLAT * extent * extent * extent)
    status = err_set(err, ERR_INPUT, "it is flat from face 1 on: its volume is %g m^3", volume);
  if (status == OK && volume < 0)
    status =
        err_set(err, ERR_INPUT,
                "it is inverted: face 1 and the others look inwards, its volume is %g m^3", volume);
  if (status == OK) status = check_convex(&of, surface->x, surface->n_nodes, extent, err);
  if (status == OK) status = make_mesh(mesh, surface->x, surface->n_nodes, &of.triangles, err);
  mem_free(of.triangles.node);
  mem_free(of.face);
  if (status != OK) mesh_free(mesh);
  return status;
}

int mesh_hull_within(const Mesh *inner, const Mesh *outer) {
  double middle[3], extent;
  size_of(outer->x, outer->n_nodes, middle, &extent);
  for (int e = 0; e < outer->n_elems; e++) {
    const int32_t *node = outer->elem_node + 4 * (size_t)e;
    const double *a = outer->x + 3 * (size_t)node[0];
    double side[3][3], normal[3];
    for (int c = 0; c < 3; c++)
      for (int i = 0; i < 3; i++) side[c][i] = outer->x[3 * (size_t)node[c + 1] + i] - a[i];
    vec3_cross(side[0], side[1], normal);
    vec3_normalise(normal);
    const double inward = vec3_dot(normal, side[2]) > 0 ? 1 : -1; // the fourth is in the middle
    for (int k = 0; k < inner->n_nodes; k++) {
      double d[3];
      for (int i = 0; i < 3; i++) d[i] = inner->x[3 * (size_t)k + i] - a[i];
      if (inward * vec3_dot(normal, d) < -ON_FACE * extent) return 0;
    }
  }
  return 1;
}
