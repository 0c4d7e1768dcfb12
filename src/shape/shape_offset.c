#include <math.h>

#include "base/mem.h"
#include "shape/shape_table.h"

static const ParamSpec params[] = {
    {"from", PARAM_REF, "", NULL, NULL, "tool", "the other tool, declared before"},
    {"distance", PARAM_REAL, "m", NULL, "]0,inf[", NULL,
     "between the two surfaces, where both tools are at their start: the thickness of the sheet, and clearance"},
    {"at_x", PARAM_REAL, "m", "0", NULL, NULL,
     "moves the surface from there, as the tools stand at the start"},
    {"at_y", PARAM_REAL, "m", "0", NULL, NULL, "the same"},
    {"at_z", PARAM_REAL, "m", "0", NULL, NULL, "the same"},
};
enum { DISTANCE = 1, AT };

static Status init(Shape *shape, const ShapeSpec *spec, Err *err) {
  char *unused;
  if (!spec->other) return err_set(err, ERR_INPUT, "the other tool must be declared before it");
  if (spec->other->type == shape->type)
    return err_set(err, ERR_INPUT, "the other tool is an offset itself");
  MEM_NEW(unused, 1, err); // a shape that was made owns something
  shape->own = unused;
  return OK;
}

// What is farther outside of the other than the distance is inside.
static int nearest(const Shape *shape, const double x[3], double reach, ShapeHit *hit) {
  const ShapeSpec *spec = &shape->spec;
  const Shape *other = spec->other;
  double distance = spec->par[DISTANCE], y[3];
  for (int i = 0; i < 3; i++) y[i] = x[i] - (i < spec->dim ? spec->par[AT + i] : 0);
  if (!other->type->nearest(other, y, reach + distance, hit)) return 0;
  hit->gap = distance - hit->gap;
  for (int i = 0; i < 3; i++) hit->n[i] = -hit->n[i];
  return fabs(hit->gap) <= reach;
}

static double fillet(const Shape *shape) {
  const Shape *other = shape->spec.other;
  return other->type->fillet ? other->type->fillet(other) : 0;
}

// The other's picture, each node moved out along its normal.
static Status picture(const Shape *shape, const double low[3], const double high[3], Mesh *mesh,
                      Err *err) {
  const ShapeSpec *spec = &shape->spec;
  const Shape *other = spec->other;
  TRY(other->type->picture(other, low, high, mesh, err));
  for (int k = 0; k < mesh->n_nodes; k++) {
    double x[3] = {0}, *node = mesh->x + (size_t)mesh->dim * (size_t)k;
    ShapeHit hit;
    for (int i = 0; i < mesh->dim; i++) x[i] = node[i];
    if (!other->type->nearest(other, x, (double)INFINITY, &hit)) continue;
    for (int i = 0; i < mesh->dim; i++)
      node[i] += spec->par[AT + i] + spec->par[DISTANCE] * hit.n[i];
  }
  return OK;
}

const ShapeType shape_offset = {
    .name = "offset",
    .doc = "The surface at a distance from that of another tool, facing it: a die from its punch",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .solid = 1,
    .init = init,
    .nearest = nearest,
    .fillet = fillet,
    .picture = picture,
};
