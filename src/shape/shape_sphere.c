#include <math.h>

#include "base/mem.h"
#include "base/space.h"
#include "base/vec3.h"
#include "shape/shape_table.h"

static const ParamSpec params[] = {
    {"at_x", PARAM_REAL, "m", "0", NULL, NULL, "centre"},
    {"at_y", PARAM_REAL, "m", "0", NULL, NULL, "the same"},
    {"at_z", PARAM_REAL, "m", "0", NULL, NULL, "the same"},
    {"radius", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "radius"},
    SHAPE_INSIDE_PARAM,
};
enum { RADIUS = 3, INSIDE };

static Status init(Shape *shape, const ShapeSpec *spec, Err *err) {
  (void)spec;
  ShapeFrame *frame;
  MEM_NEW(frame, 1, err);
  shape->own = frame;
  return OK;
}

static int nearest(const Shape *shape, const double x[3], double reach, ShapeHit *hit) {
  const double *par = shape->spec.par;
  double d[3] = {x[0] - par[0], x[1] - par[1], shape->spec.dim == 3 ? x[2] - par[2] : 0};
  double r = vec3_length(d);
  if (r == 0) d[1] = 1; // at the centre every way is the shortest
  return shape_hit_round(r - par[RADIUS], d, r > 0 ? r : 1, par[INSIDE] != 0, reach, hit);
}

static Status picture(const Shape *shape, const double low[3], const double high[3], Mesh *mesh,
                      Err *err) {
  (void)low, (void)high;
  enum { N = 49 };
  const double *par = shape->spec.par;
  int dim = shape->spec.dim;
  double line[2 * N];
  ShapeFrame frame = {.at = {par[0], par[1], dim == 3 ? par[2] : 0},
                      .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (int k = 0; k < N; k++) {
    double angle = (dim == 3 ? PI : 2 * PI) * k / (N - 1) - 0.5 * PI;
    line[2 * k] = par[RADIUS] * cos(angle);
    line[2 * k + 1] = par[RADIUS] * sin(angle);
  }
  return shape_picture_revolve(mesh, &frame, dim, N, line, err);
}

static int hollow(const Shape *shape) {
  return shape->spec.par[INSIDE] != 0;
}

static double fillet(const Shape *shape) {
  return shape->spec.par[RADIUS];
}

const ShapeType shape_sphere = {
    .name = "sphere",
    .doc = "Ball, or the hollow around it; in the plane a disk",
    .params = params,
    .n_params = 5,
    .solid = 1,
    .init = init,
    .nearest = nearest,
    .hollow = hollow,
    .fillet = fillet,
    .picture = picture,
};
