// Punch, die or holder of a rectangular cup: a plan with rounded corners, upright walls, one flat
// face and a fillet between them. The distance in the plan and the height above the face are a
// section in which the body is a quarter plane with a rounded edge; the offsets of a rounded
// rectangle inwards by the fillet stay rounded rectangles while the plan radius is not smaller, so
// the distance is exact.

#include <math.h>

#include "base/mem.h"
#include "base/space.h"
#include "shape/shape_table.h"

static const ParamSpec params[] = {
    SHAPE_PLACE_PARAMS("0", "0", "1",
                       "from the flat face, which holds the point, into the material"),
    {"half_length", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "half size of the plan along `first`"},
    {"half_width", PARAM_REAL, "m", NULL, "]0,inf[", NULL, "half size of the plan across it"},
    {"corner_radius", PARAM_REAL, "m", "0", "[0,inf[", NULL, "radius of the corners of the plan"},
    {"edge_radius", PARAM_REAL, "m", "0", "[0,inf[", NULL,
     "radius of the fillet between the flat face and the walls"},
    SHAPE_INSIDE_PARAM, // a die or a holder: the material lies outside the plan
    {"first_x", PARAM_REAL, "1", "1", NULL, NULL, "direction of the length of the plan"},
    {"first_y", PARAM_REAL, "1", "0", NULL, NULL, "the same"},
    {"first_z", PARAM_REAL, "1", "0", NULL, NULL, "the same"},
};
enum { HALF = SHAPE_AFTER_PLACE, CORNER = HALF + 2, EDGE, INSIDE, FIRST };

static Status init(Shape *shape, const ShapeSpec *spec, Err *err) {
  const double *par = spec->par, corner = par[CORNER];
  ShapeFrame *frame;
  MEM_NEW(frame, 1, err);
  shape->own = frame;
  if (spec->dim == 2) return err_set(err, ERR_INPUT, "a rounded prism needs space: use a profile");
  if (corner > fmin(par[HALF], par[HALF + 1]))
    return err_set(err, ERR_INPUT, "corner_radius is larger than half the plan");
  if (par[EDGE] > corner && par[INSIDE] == 0)
    return err_set(err, ERR_INPUT, "edge_radius is larger than corner_radius: no such fillet");
  return shape_frame_init(frame, par, par + FIRST, err);
}

// Signed distance to the rounded rectangle in the plan, > 0 outside, and its direction m.
static double plan_distance(const double *par, const double y[2], double m[2]) {
  double q[2], radius = par[CORNER];
  for (int i = 0; i < 2; i++) q[i] = fabs(y[i]) - par[HALF + i] + radius;
  double distance;
  if (q[0] > 0 && q[1] > 0) {
    distance = sqrt(q[0] * q[0] + q[1] * q[1]);
    for (int i = 0; i < 2; i++) m[i] = q[i] / distance;
  } else {
    int i = q[0] > q[1] ? 0 : 1;
    distance = q[i];
    m[i] = 1;
    m[1 - i] = 0;
  }
  for (int i = 0; i < 2; i++) m[i] = y[i] < 0 ? -m[i] : m[i];
  return distance - radius;
}

static int nearest(const Shape *shape, const double x[3], double reach, ShapeHit *hit) {
  const ShapeFrame *frame = shape->own;
  const double *par = shape->spec.par;
  double y[3], m[2], radius = par[EDGE], sign = par[INSIDE] != 0 ? -1 : 1;
  shape_to_frame(frame, x, y);
  if (y[2] < -reach) return 0; // before the plan, which costs more
  // Section: u out of the walls, w out of the flat face; the edge's fillet has its centre at u = w
  // = 0.
  double u = sign * plan_distance(par, y, m) + radius, w = -y[2] + radius, distance, n_u, n_w;
  if (u > 0 && w > 0) {
    distance = sqrt(u * u + w * w);
    n_u = u / distance;
    n_w = w / distance;
    hit->feature = 2;
  } else {
    hit->feature = u > w ? 1 : 0;
    distance = u > w ? u : w;
    n_u = hit->feature;
    n_w = 1 - n_u;
  }
  if (fabs(distance - radius) > reach) return 0;
  hit->gap = distance - radius;
  double n[3] = {sign * n_u * m[0], sign * n_u * m[1], -n_w};
  shape_from_frame(frame, n, hit->n);
  return 1;
}

enum { PIECES = 8, PLAN = 4 * (PIECES + 1) + 1, SECTION = PIECES + 3 };

// Plan offset outwards by `out`, as PLAN points.
static void draw_plan(const double *par, double out, double *plan) {
  int n = 0;
  for (int quarter = 0; quarter < 4; quarter++)
    for (int k = 0; k <= PIECES; k++) {
      double angle = 0.5 * PI * (quarter + (double)k / PIECES);
      int right = quarter == 0 || quarter == 3, back = quarter < 2;
      plan[2 * n] = (right ? 1 : -1) * (par[HALF] - par[CORNER]) + (par[CORNER] + out) * cos(angle);
      plan[2 * n + 1] =
          (back ? 1 : -1) * (par[HALF + 1] - par[CORNER]) + (par[CORNER] + out) * sin(angle);
      n++;
    }
  plan[2 * n] = plan[0];
  plan[2 * n + 1] = plan[1];
}

static Status picture(const Shape *shape, const double low[3], const double high[3], Mesh *mesh,
                      Err *err) {
  const ShapeFrame *frame = shape->own;
  const double *par = shape->spec.par;
  double far = 0, plan[2 * PLAN], *x;
  double sign = par[INSIDE] != 0 ? -1 : 1, radius = par[EDGE];
  for (int i = 0; i < 3; i++) far = fmax(far, high[i] - low[i]);
  MEM_NEW(x, 3 * PLAN * SECTION, err);
  for (int s = 0; s < SECTION; s++) {
    // From the middle of the flat face (the rim of a hollow) over the fillet and along the wall.
    double angle = 0.5 * PI * (s - 1) / PIECES;
    double out = radius * (sin(angle) - 1), height = radius * (1 - cos(angle));
    if (s == 0) out = sign > 0 ? 0 : -far, height = 0;
    if (s == SECTION - 1) out = 0, height = fmax(far, radius);
    draw_plan(par, sign * out, plan);
    for (int k = 0; k < PLAN; k++) {
      int middle = s == 0 && sign > 0;
      double y[3] = {middle ? 0 : plan[2 * k], middle ? 0 : plan[2 * k + 1], height},
             *to = x + 3 * ((size_t)s * PLAN + (size_t)k);
      shape_from_frame(frame, y, to);
      for (int i = 0; i < 3; i++) to[i] += frame->at[i];
    }
  }
  Status status = shape_picture_grid(mesh, 3, PLAN, SECTION, x, err);
  mem_free(x);
  return status;
}

// Of the edge and the corners of the plan the sharper one that is round.
static double fillet(const Shape *shape) {
  double edge = shape->spec.par[EDGE], corner = shape->spec.par[CORNER];
  return edge > 0 && corner > 0 ? fmin(edge, corner) : fmax(edge, corner);
}

const ShapeType shape_rounded_prism = {
    .name = "rounded_prism",
    .doc =
        "Punch, die or holder of a rectangular cup: plan with round corners, flat face, round edge",
    .params = params,
    .n_params = SHAPE_AFTER_PLACE + 8,
    .solid = 1,
    .init = init,
    .nearest = nearest,
    .fillet = fillet,
    .picture = picture,
};
