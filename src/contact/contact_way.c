// Straight ways past tools: what flies at a thin one may be beyond it at the end of a step.

#include <math.h>

#include "base/vec3.h"
#include "contact/pair_type.h"

// What is on its way past a tool is looked at so often, where the tool does not tell that it is
// farther away: a point, or a face, each of whose looks costs as many as a point's. Where it may
// have passed a thinner tool between two looks, the nearest place is found by so many halvings.
enum { LOOKS = 64, LOOKS_OF_FACE = 16, HALVINGS = 20 };

// Cosines: of a side that faces what comes, and of one that it goes along.
static const double FACES = 0.5, ACROSS = 0.05;

// Between two places, with the tool in front at the first and behind at the second: how deep the
// way comes into it at most.
static double between(const ToolPath *path, double near, double far) {
  double depth = 0;
  for (int k = 0; k < HALVINGS; k++) {
    const double middle = 0.5 * (near + far);
    ShapeHit hit;
    if (!path->look(path, middle, (double)INFINITY, &hit)) return depth;
    depth = fmax(depth, -hit.gap);
    if (vec3_dot(path->u, hit.n) < 0)
      near = middle;
    else
      far = middle;
  }
  return depth;
}

// A way from `entry` to `exit`, by sides that face away from each other.
static int is_through(const ToolPath *path, const ShapeHit *entry, const ShapeHit *exit) {
  return vec3_dot(path->u, entry->n) < 0 && vec3_dot(path->u, exit->n) > 0 &&
         vec3_dot(entry->n, exit->n) < 0;
}

ToolWay contact_way_along(const ToolPath *path) {
  const double moved = path->moved, least = moved / (path->is_point ? LOOKS : LOOKS_OF_FACE);
  double at = 0, entered = 0, step = 0;
  int inside = 0;
  ToolWay found = {0};
  ShapeHit hit = {0}, last = {0}, entry = {0};
  if (!(moved > 0)) return found;
  for (int k = 0, over = 0; !over; k++, last = hit) {
    over = at + step >= moved;
    step = fmin(step, moved - at);
    at += step;
    if (!path->look(path, at, moved - at + 2 * least, &hit)) return found;
    const int outside = hit.gap >= 0, passed = outside && k > 0 && (inside || step > last.gap);
    if (!inside && (passed || !outside)) {
      entered = k > 0 ? at - step + last.gap : at;
      entry = k > 0 ? last : hit;
      if (!(found.depth > 0)) found.entry = entered;
    }
    if (passed && is_through(path, &entry, &hit)) {
      const double depth = between(path, entered, at);
      found.depth = fmax(found.depth, depth);
      found.through |= depth > 0;
    }
    inside = !outside;
    found.depth = fmax(found.depth, -hit.gap);
    step = fmax(hit.gap, least);
  }
  // At the very middle of a tool the nearest side is any.
  found.through |=
      inside && vec3_dot(path->u, entry.n) < -FACES && vec3_dot(path->u, hit.n) > -ACROSS;
  return found;
}

// The way of a point.
typedef struct {
  ToolPath path;
  const Shape *shape;
  const double *from;
  double half;
} PointPath;

static int look_at_point(const ToolPath *path, double at, double reach, ShapeHit *hit) {
  const PointPath *point = (const PointPath *)path;
  double p[3];
  for (int i = 0; i < 3; i++) p[i] = point->from[i] + at * path->u[i];
  if (!point->shape->type->nearest(point->shape, p, reach + point->half, hit)) return 0;
  hit->gap -= point->half;
  return 1;
}

ToolWay contact_way(const Shape *shape, const double from[3], const double to[3], double half) {
  PointPath point = {
      .path = {.look = look_at_point, .is_point = 1}, .shape = shape, .from = from, .half = half};
  ToolPath *path = &point.path;
  for (int i = 0; i < 3; i++) path->u[i] = to[i] - from[i];
  path->moved = vec3_length(path->u);
  vec3_normalise(path->u);
  return contact_way_along(path);
}

void contact_miss(MissedNode *worst, ToolWay way, int node, int tool) {
  if (way.through < worst->through) return;
  if (way.through == worst->through && !(way.depth > worst->depth)) return;
  *worst = (MissedNode){way.depth, node, tool, way.through};
}
