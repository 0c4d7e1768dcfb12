#include <math.h>

#include "base/mem.h"
#include "base/space.h"
#include "shape/shape_table.h"

static const ParamSpec params[] = {
    SHAPE_PLACE_PARAMS("0", "1", "0", "direction of the axis"),
    {"radius", PARAM_REAL, "m", NULL, "]0,inf[", NULL,
     "radius of the circle that the ring follows"},
    {"tube", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "radius of the ring's section"},
    SHAPE_INSIDE_PARAM,
};
enum { RADIUS = SHAPE_AFTER_PLACE, TUBE, INSIDE };

static Status init(Shape *shape, const ShapeSpec *spec, Err *err) {
  ShapeFrame *frame;
  MEM_NEW(frame, 1, err);
  shape->own = frame;
  if (spec->dim == 2)
    return err_set(err, ERR_INPUT, "a torus needs space; in axisymmetric models use a sphere");
  if (spec->par[TUBE] > spec->par[RADIUS])
    return err_set(err, ERR_INPUT, "the ring meets itself: tube is larger than radius");
  return shape_frame_init(frame, spec->par, NULL, err);
}

static int nearest(const Shape *shape, const double x[3], double reach, ShapeHit *hit) {
  const ShapeFrame *frame = shape->own;
  const double *par = shape->spec.par;
  double y[3], d[3];
  shape_to_frame(frame, x, y);
  double r = hypot(y[0], y[1]), across = r - par[RADIUS], distance = hypot(across, y[2]);
  if (fabs(distance - par[TUBE]) > reach) return 0;
  if (r > 0)
    for (int i = 0; i < 2; i++) y[i] *= across / r;
  else
    y[0] = across; // on the axis every meridian is as near
  double length = distance;
  if (distance == 0) y[2] = length = 1;
  shape_from_frame(frame, y, d);
  return shape_hit_round(distance - par[TUBE], d, length, par[INSIDE] != 0, reach, hit);
}

static Status picture(const Shape *shape, const double low[3], const double high[3], Mesh *mesh,
                      Err *err) {
  (void)low, (void)high;
  enum { N = 33 };
  double line[2 * N];
  for (int k = 0; k < N; k++) {
    line[2 * k] = shape->spec.par[RADIUS] + shape->spec.par[TUBE] * cos(2 * PI * k / (N - 1));
    line[2 * k + 1] = shape->spec.par[TUBE] * sin(2 * PI * k / (N - 1));
  }
  return shape_picture_revolve(mesh, shape->own, 3, N, line, err);
}

static double fillet(const Shape *shape) {
  return shape->spec.par[TUBE];
}

const ShapeType shape_torus = {
    .name = "torus",
    .doc = "Ring of round section, or the hollow around it",
    .params = params,
    .n_params = 9,
    .solid = 1,
    .init = init,
    .nearest = nearest,
    .fillet = fillet,
    .picture = picture,
};
