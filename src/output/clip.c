#include "output/clip.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_CORNERS = 5 }; // of a quadrilateral whose one corner is cut off

// Corners of a facet behind the cut: places, and how many; 0: nothing is left.
static int cut_facet(const Mesh *mesh, int facet, int axis, double at, double sign,
                     double corner[MAX_CORNERS][3]) {
  const int32_t *node = mesh->facet_node + mesh->facet_ptr[facet];
  int n = mesh->facet_ptr[facet + 1] - mesh->facet_ptr[facet], found = 0, line = n == 2;
  for (int k = 0; k < n; k++) {
    const double *x[2] = {mesh->x + (size_t)mesh->dim * (size_t)node[k],
                          mesh->x + (size_t)mesh->dim * (size_t)node[(k + 1) % n]};
    double d[2] = {sign * (x[0][axis] - at), sign * (x[1][axis] - at)};
    if (d[0] >= 0) memcpy(corner[found++], x[0], (size_t)mesh->dim * sizeof(double));
    if ((d[0] >= 0) == (d[1] >= 0) || d[0] == 0 || d[1] == 0 || (line && k == 1)) continue;
    double t = d[0] / (d[0] - d[1]);
    for (int i = 0; i < mesh->dim; i++) corner[found][i] = (1 - t) * x[0][i] + t * x[1][i];
    corner[found++][axis] = at;
  }
  return found < (line ? 2 : 3) ? 0 : found;
}

// Five corners make a quadrilateral and a triangle.
static void add_facet(Mesh *to, int *n_facets, const int32_t *node, int n) {
  int32_t *facet = to->facet_node + to->facet_ptr[*n_facets];
  memcpy(facet, node, (size_t)n * sizeof *node);
  to->facet_shape[*n_facets] = n == 2 ? SHAPE_LINE2 : n == 3 ? SHAPE_T3 : SHAPE_Q4;
  to->facet_ptr[*n_facets + 1] = to->facet_ptr[*n_facets] + n;
  ++*n_facets;
}

Status clip_picture(Mesh *mesh, int axis, double at, double sign, Err *err) {
  double corner[MAX_CORNERS][3];
  int n_nodes = 0, n_facets = 0, n_facet_nodes = 0;
  for (int f = 0; f < mesh->n_facets; f++) {
    int n = cut_facet(mesh, f, axis, at, sign, corner);
    n_nodes += n;
    n_facets += (n > 0) + (n == MAX_CORNERS);
    n_facet_nodes += n + (n == MAX_CORNERS ? 2 : 0);
  }
  Mesh part;
  TRY(mesh_init(&part, mesh->dim, n_nodes, 0, 0, err));
  Status status = mesh_init_facets(&part, n_facets, n_facet_nodes, err);
  int node = 0, facet = 0;
  for (int f = 0; f < mesh->n_facets && status == OK; f++) {
    int n = cut_facet(mesh, f, axis, at, sign, corner);
    int32_t own[MAX_CORNERS];
    for (int k = 0; k < n; k++, node++) {
      own[k] = node;
      memcpy(part.x + (size_t)mesh->dim * (size_t)node, corner[k],
             (size_t)mesh->dim * sizeof(double));
    }
    if (n > 0) add_facet(&part, &facet, own, n < MAX_CORNERS ? n : 4);
    if (n == MAX_CORNERS) add_facet(&part, &facet, (const int32_t[]){own[0], own[3], own[4]}, 3);
  }
  if (status == OK) {
    mesh_free(mesh);
    *mesh = part;
  } else {
    mesh_free(&part);
  }
  return status;
}
