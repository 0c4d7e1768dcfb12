// Surfaces of tools that come from meshes: what would make a contact see their wrong side.

#include <math.h>
#include <string.h>
#include <strings.h>

#include "build/build_internal.h"
#include "mesh/weld.h"

// A triangle as people find it: the number of its facet, and its middle [m].
typedef struct {
  int facet; // from 1 on
  double at[3];
} Found;

static Found find_facet(const Shape *shape, const double *x) {
  Found found = {0};
  ShapeHit hit = {0};
  for (int k = 0; k < 9; k++) found.at[k % 3] += x[k] / 3;
  if (shape->type->nearest(shape, found.at, (double)INFINITY, &hit)) found.facet = hit.feature + 1;
  return found;
}

static void tell_defect(Builder *b, SrcPos pos, const char *path, const WeldReport *report,
                        const Found found[2]) {
  static const char *const said[] = {
      [WELD_NO_AREA] = "have no area",
      [WELD_TURNED] =
          "run the same way along the edge that they share: one of them is turned over, "
          "or both are the same",
      [WELD_FOLDED] = "are folded onto one another",
      [WELD_BRANCHED] = "meet at an edge with others: a surface has two there"};
  const double *p = found[0].at;
  diag_add(b->diag, pos,
           "%s: facets %d and %d of its surface, the first at (%.4g, %.4g, %.4g) m, %s", path,
           found[0].facet, found[1].facet, p[0], p[1], p[2], said[report->defect]);
}

static void tell_doubts(Builder *b, SrcPos pos, const char *path, const WeldReport *report) {
  const double *p = report->open_at[0], *q = report->open_at[1];
  if (report->n_open > 0)
    diag_add(b->doubts, pos,
             "%s: its surface is open along %d edges in %d %s, one from (%.4g, %.4g, %.4g) to "
             "(%.4g, %.4g, %.4g) m: right for a tool that ends there, wrong for the skin of a body",
             path, report->n_open, report->n_rims, report->n_rims == 1 ? "rim" : "rims", p[0], p[1],
             p[2], q[0], q[1], q[2]);
  else if (report->volume < 0)
    diag_add(b->doubts, pos,
             "%s: its surface is closed and looks inwards: the material is outside of it", path);
}

static Status check(Builder *b, SrcPos pos, const char *path, const Shape *shape,
                    const Mesh *picture) {
  Weld weld = {0};
  WeldReport report;
  Status status = weld_init(&weld, picture->x, picture->n_facets, b->err);
  if (status == OK) status = weld_check(&weld, &report, b->err);
  weld_free(&weld);
  if (status != OK) return status;
  if (report.defect == WELD_SOUND) {
    tell_doubts(b, pos, path, &report);
    return OK;
  }
  const Found found[] = {find_facet(shape, picture->x + 9 * (size_t)report.facet[0]),
                         find_facet(shape, picture->x + 9 * (size_t)report.facet[1])};
  tell_defect(b, pos, path, &report, found);
  return OK;
}

Status builder_check_surface(Builder *b, const InputNode *node, const char *attr,
                             const Shape *shape) {
  const double none[3] = {0};
  char path[1024];
  input_path(node, attr, path, sizeof path);
  const char *ending = strrchr(path, '.');
  // Reading STL has told of it, with line or byte.
  if (b->dim != 3 || (ending && strcasecmp(ending, ".stl") == 0)) return OK;
  Mesh picture = {0};
  Status status = shape->type->picture(shape, none, none, &picture, b->err);
  if (status == OK) status = check(b, input_pos(node, attr), path, shape, &picture);
  mesh_free(&picture);
  return status;
}
