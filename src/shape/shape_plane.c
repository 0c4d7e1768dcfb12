#include <math.h>

#include "base/mem.h"
#include "shape/shape_table.h"

static const ParamSpec params[] = {SHAPE_PLACE_PARAMS("0", "1", "0", "normal out of the material")};

static Status init(Shape *shape, const ShapeSpec *spec, Err *err) {
  ShapeFrame *frame;
  double place[SHAPE_AFTER_PLACE];
  MEM_NEW(frame, 1, err);
  shape->own = frame;
  for (int k = 0; k < SHAPE_AFTER_PLACE; k++) place[k] = spec->par[k];
  if (spec->dim == 2) place[SHAPE_AT + 2] = place[SHAPE_AXIS + 2] = 0;
  return shape_frame_init(frame, place, NULL, err);
}

static int nearest(const Shape *shape, const double x[3], double reach, ShapeHit *hit) {
  const ShapeFrame *frame = shape->own;
  const double *n = frame->axis[2];
  double gap =
      n[0] * (x[0] - frame->at[0]) + n[1] * (x[1] - frame->at[1]) + n[2] * (x[2] - frame->at[2]);
  return shape_hit_round(gap, n, 1, 0, reach, hit);
}

// The part of the plane that covers the box seen along the normal.
static Status picture(const Shape *shape, const double low[3], const double high[3], Mesh *mesh,
                      Err *err) {
  const ShapeFrame *frame = shape->own;
  double from[2] = {(double)INFINITY, (double)INFINITY}, to[2] = {-from[0], -from[1]}, x[12];
  int dim = shape->spec.dim;
  for (int corner = 0; corner < 8; corner++) {
    double p[3], y[3];
    for (int i = 0; i < 3; i++) p[i] = corner >> i & 1 ? high[i] : low[i];
    if (dim == 2) p[2] = 0;
    shape_to_frame(frame, p, y);
    for (int i = 0; i < 2; i++) {
      from[i] = fmin(from[i], y[i]);
      to[i] = fmax(to[i], y[i]);
    }
  }
  for (int k = 0; k < 4; k++) { // in the plane axis[0] lies in it, axis[1] is z
    double y[3] = {k & 1 ? to[0] : from[0], 0, 0};
    if (dim == 3) y[1] = k & 2 ? to[1] : from[1];
    shape_from_frame(frame, y, x + 3 * k);
    for (int i = 0; i < 3; i++) x[3 * k + i] += frame->at[i];
  }
  return shape_picture_grid(mesh, dim, 2, dim == 2 ? 1 : 2, x, err);
}

static int hollow(const Shape *shape) {
  return shape != NULL;
}

const ShapeType shape_plane = {
    .name = "plane",
    .doc = "Half space behind a plane",
    .params = params,
    .n_params = 6,
    .solid = 1,
    .init = init,
    .nearest = nearest,
    .hollow = hollow,
    .picture = picture,
};
