#include <math.h>

#include "base/mem.h"
#include "base/space.h"
#include "shape/shape_table.h"

static const ParamSpec params[] = {
    SHAPE_PLACE_PARAMS("0", "0", "1", "direction of the axis (in the plane always z)"),
    {"radius", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "radius"},
    SHAPE_INSIDE_PARAM,
};
enum { RADIUS = SHAPE_AFTER_PLACE, INSIDE };

static Status init(Shape *shape, const ShapeSpec *spec, Err *err) {
  ShapeFrame *frame;
  double place[SHAPE_AFTER_PLACE];
  MEM_NEW(frame, 1, err);
  shape->own = frame;
  for (int k = 0; k < SHAPE_AFTER_PLACE; k++) place[k] = spec->par[k];
  for (int i = 0; spec->dim == 2 && i < 3; i++) place[SHAPE_AXIS + i] = i == 2;
  if (spec->dim == 2) place[SHAPE_AT + 2] = 0;
  return shape_frame_init(frame, place, NULL, err);
}

static int nearest(const Shape *shape, const double x[3], double reach, ShapeHit *hit) {
  const ShapeFrame *frame = shape->own;
  const double *par = shape->spec.par;
  double y[3], d[3];
  shape_to_frame(frame, x, y);
  double r = sqrt(y[0] * y[0] + y[1] * y[1]);
  if (fabs(r - par[RADIUS]) > reach) return 0;
  if (r == 0) y[0] = 1;
  y[2] = 0;
  shape_from_frame(frame, y, d);
  return shape_hit_round(r - par[RADIUS], d, r > 0 ? r : 1, par[INSIDE] != 0, reach, hit);
}

static Status picture(const Shape *shape, const double low[3], const double high[3], Mesh *mesh,
                      Err *err) {
  enum { N = 49 };
  const ShapeFrame *frame = shape->own;
  double radius = shape->spec.par[RADIUS], line[2 * N] = {0};
  int dim = shape->spec.dim, n = dim == 2 ? N : 2;
  double from = (double)INFINITY, to = -from;
  for (int corner = 0; corner < 8; corner++) {
    double p[3], y[3];
    for (int i = 0; i < 3; i++) p[i] = corner >> i & 1 ? high[i] : low[i];
    shape_to_frame(frame, p, y);
    from = fmin(from, y[2]);
    to = fmax(to, y[2]);
  }
  for (int k = 0; k < n; k++) {
    line[2 * k] = dim == 2 ? radius * cos(2 * PI * k / (N - 1)) : radius;
    line[2 * k + 1] = dim == 2 ? radius * sin(2 * PI * k / (N - 1)) : (k ? to : from);
  }
  return shape_picture_revolve(mesh, frame, dim, n, line, err);
}

static int hollow(const Shape *shape) {
  return shape->spec.par[INSIDE] != 0;
}

static double fillet(const Shape *shape) {
  return shape->spec.par[RADIUS];
}

const ShapeType shape_cylinder = {
    .name = "cylinder",
    .doc = "Endless round cylinder, or the hollow around it",
    .params = params,
    .n_params = 8,
    .solid = 1,
    .init = init,
    .nearest = nearest,
    .hollow = hollow,
    .fillet = fillet,
    .picture = picture,
};
