#include "mesh/hull.h"

#include <libqhull_r/qhull_ra.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec3.h"

// What is flatter than this share of its extent has no volume.
static const double FLAT = 1e-9;

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
