// A polygon with rounded corners as a chain of segments, arcs and sharp corners; in space swept
// around an axis or along a direction. The nearest point of a swept surface lies in the section
// through the point asked for, so the distance in the section is the distance.

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "mesh/outline.h"
#include "shape/shape_table.h"

static const ParamSpec params[] = {
    SHAPE_PLACE_PARAMS(
        "0", "1", "0",
        "in space: axis of revolution (second profile coordinate), or direction of extrusion"),
    {"corners", PARAM_LIST, "m", NULL, NULL, NULL,
     "corners of the section as triples: two coordinates, radius of the fillet there"},
    {"material", PARAM_CHOICE, "", NULL, NULL, "left|right",
     "side of the material when the corners are walked in their order"},
    {"closed", PARAM_BOOL, "", "no", NULL, NULL,
     "the last corner is joined to the first; else the first and last sides are endless (but end at the axis of revolution)"},
    {"sweep", PARAM_CHOICE, "", "revolution", NULL, "revolution|extrusion",
     "in space: how the section makes a surface"},
    {"first_x", PARAM_REAL, "1", "1", NULL, NULL,
     "extrusion: direction of the first profile coordinate; the second is the axis crossed with it"},
    {"first_y", PARAM_REAL, "1", "0", NULL, NULL, "the same"},
    {"first_z", PARAM_REAL, "1", "0", NULL, NULL, "the same"},
};
enum { CORNERS = SHAPE_AFTER_PLACE, MATERIAL, CLOSED, SWEEP, FIRST };

// A feature reaches this much beyond its ends, of its length or angle, so that none of two that
// join smoothly loses the point between them to round-off.
static const double OVER_END = 1e-9;

typedef enum { SEGMENT, ARC, SHARP } FeatureKind;

// Normals are out of the material. Segment: p + s t, s in [0, length], endless where begin or end
// say so. Arc: centre p, from direction n turning by `angle` about it; radius < 0: the material is
// outside the circle. Sharp corner: p, n the sum of the normals beside it.
typedef struct {
  FeatureKind kind;
  double p[2], t[2], n[2];
  double length, radius, angle;
  double middle[2], cos_half; // of an arc: direction of its middle, cosine of half its angle
  int corner;                 // of arcs and sharp corners
  int8_t endless[2];
} Feature;

typedef struct {
  ShapeFrame frame;
  int revolve;
  int n;
  Feature *feature;
} Profile;

// The features at corner `k` between two sides: an arc, a sharp corner or none. Shortens the sides.
static Status round_corner(const double *corner, int k, OutlineSide *before, OutlineSide *after,
                           int left, Profile *profile, Err *err) {
  OutlineCorner round;
  TRY(outline_corner(corner, k, "profile", before, after, &round, err));
  if (round.angle == 0) return OK;
  // The outward normal is the tangent turned clockwise, if material is left.
  double radius = corner[2], out = left ? 1 : -1;
  Feature *f = &profile->feature[profile->n++];
  *f = (Feature){.kind = SHARP, .p = {corner[0], corner[1]}, .corner = k};
  double n[2][2] = {{out * before->t[1], -out * before->t[0]},
                    {out * after->t[1], -out * after->t[0]}};
  if (radius == 0) {
    for (int i = 0; i < 2; i++) f->n[i] = n[0][i] + n[1][i];
    return OK;
  }
  double convex = out * round.angle > 0 ? 1 : -1;
  f->kind = ARC;
  f->radius = convex * radius;
  f->angle = round.angle;
  for (int i = 0; i < 2; i++) {
    f->p[i] = round.centre[i];
    f->n[i] = convex * n[0][i]; // from the centre
  }
  double c = f->cos_half = cos(0.5 * f->angle), sine = sin(0.5 * f->angle);
  f->middle[0] = f->n[0] * c - f->n[1] * sine;
  f->middle[1] = f->n[0] * sine + f->n[1] * c;
  return OK;
}

static void add_segment(const double *from, const OutlineSide *side, int left, const int endless[2],
                        Profile *profile) {
  double rest = side->length - side->cut[0] - side->cut[1], out = left ? 1 : -1;
  if (rest <= OUTLINE_FULL * side->length && !endless[0] && !endless[1]) return;
  Feature *f = &profile->feature[profile->n++];
  *f = (Feature){.kind = SEGMENT,
                 .t = {side->t[0], side->t[1]},
                 .n = {out * side->t[1], -out * side->t[0]},
                 .length = fmax(rest, 0),
                 .endless = {(int8_t)endless[0], (int8_t)endless[1]}};
  for (int i = 0; i < 2; i++) f->p[i] = from[i] + side->cut[0] * side->t[i];
}

// A side that ends on the axis of revolution has its mirror image behind it: the tip of a cone.
static void add_tip(const double *corner, const OutlineSide *side, int k, int left,
                    Profile *profile) {
  double up = left ? -side->t[0] : side->t[0];
  if (fabs(side->t[1]) <= OUTLINE_STRAIGHT || side->length - side->cut[0] - side->cut[1] <= 0)
    return;
  profile->feature[profile->n++] =
      (Feature){.kind = SHARP, .p = {corner[0], corner[1]}, .n = {0, up}, .corner = k};
}

static Status build(Profile *profile, const ShapeSpec *spec, OutlineSide *side, Err *err) {
  int n = spec->n_list / 3, closed = spec->par[CLOSED] != 0, n_sides = closed ? n : n - 1;
  int left = spec->par[MATERIAL] == 0;
  TRY(outline_sides(spec->list, n, n_sides, "profile", side, err));
  for (int k = 0; k < n; k++) {
    if (!closed && (k == 0 || k == n - 1)) continue;
    TRY(round_corner(spec->list + 3 * k, k, &side[(k + n_sides - 1) % n_sides], &side[k], left,
                     profile, err));
  }
  TRY(outline_check(side, n, n_sides, "profile", err));
  double widest = 0;
  for (int k = 0; k < n; k++) widest = fmax(widest, fabs(spec->list[3 * k]));
  for (int k = 0; k < n_sides; k++) {
    const double *from = spec->list + 3 * k, *to = spec->list + 3 * ((k + 1) % n);
    int endless[2] = {!closed && k == 0, !closed && k == n_sides - 1}, on_axis[2];
    on_axis[0] = profile->revolve && fabs(from[0]) <= OUTLINE_FULL * widest;
    on_axis[1] = profile->revolve && fabs(to[0]) <= OUTLINE_FULL * widest;
    if (on_axis[0] && on_axis[1]) continue; // no surface
    for (int end = 0; end < 2; end++) {
      if (!endless[end] || !on_axis[end]) continue;
      endless[end] = 0;
      add_tip(end ? to : from, &side[k], k + end, left, profile);
    }
    add_segment(from, &side[k], left, endless, profile);
  }
  return OK;
}

static Status check_list(const ShapeSpec *spec, int revolve, Err *err) {
  int n = spec->n_list / 3, least = spec->par[CLOSED] != 0 ? 3 : 2;
  if (spec->n_list % 3 != 0 || n < least)
    return err_set(
        err, ERR_INPUT,
        "corners wants at least %d triples (two coordinates and a radius), not %d numbers", least,
        spec->n_list);
  for (int k = 0; revolve && k < n; k++)
    if (spec->list[3 * k] < 0)
      return err_set(err, ERR_INPUT,
                     "corner %d of the profile lies on the wrong side of the axis of revolution",
                     k + 1);
  return OK;
}

static Status init(Shape *shape, const ShapeSpec *spec, Err *err) {
  Profile *profile;
  OutlineSide *side;
  double place[SHAPE_AFTER_PLACE];
  int extrude = spec->par[SWEEP] != 0, revolve = spec->dim == 3 && !extrude;
  MEM_NEW(profile, 1, err);
  shape->own = profile;
  profile->revolve = revolve;
  TRY(check_list(spec, revolve, err));
  for (int k = 0; k < SHAPE_AFTER_PLACE; k++) place[k] = spec->par[k];
  if (spec->dim == 2) {
    place[SHAPE_AT + 2] = 0;
    for (int i = 0; i < 3; i++) place[SHAPE_AXIS + i] = i == 2;
  }
  static const double x_axis[3] = {1, 0, 0};
  const double *first = spec->dim == 2 ? x_axis : (extrude ? spec->par + FIRST : NULL);
  TRY(shape_frame_init(&profile->frame, place, first, err));
  MEM_NEW(profile->feature, spec->n_list + 2, err);
  side = mem_new((size_t)spec->n_list, sizeof *side);
  if (!side) return err_set(err, ERR_SYSTEM, "out of memory: %d sides", spec->n_list);
  Status status = build(profile, spec, side, err);
  mem_free(side);
  return status;
}

static void free_own(Shape *shape) {
  Profile *profile = shape->own;
  mem_free(profile->feature);
}

// Signed distance of y to a feature and its normal there; 0: the nearest point is none of its own.
static int feature_gap(const Feature *f, const double y[2], double *gap, double n[2]) {
  double d[2] = {y[0] - f->p[0], y[1] - f->p[1]};
  if (f->kind == SEGMENT) {
    double along = d[0] * f->t[0] + d[1] * f->t[1], over = OVER_END * f->length;
    if ((along < -over && !f->endless[0]) || (along > f->length + over && !f->endless[1])) return 0;
    *gap = d[0] * f->n[0] + d[1] * f->n[1];
    memcpy(n, f->n, sizeof f->n);
    return 1;
  }
  double distance = sqrt(d[0] * d[0] + d[1] * d[1]);
  if (f->kind == ARC) {
    double sign = f->radius > 0 ? 1 : -1;
    if (distance == 0) { // the centre: all of the arc is as near
      memcpy(d, f->middle, sizeof d);
      distance = 1;
      *gap = -f->radius;
    } else {
      double off = d[0] * f->middle[0] + d[1] * f->middle[1];
      if (off < (f->cos_half - OVER_END) * distance) return 0;
      *gap = sign * distance - f->radius;
    }
    for (int i = 0; i < 2; i++) n[i] = sign * d[i] / distance;
    return 1;
  }
  double sign = d[0] * f->n[0] + d[1] * f->n[1] >= 0 ? 1 : -1;
  if (distance == 0) {
    memcpy(d, f->n, sizeof d);
    distance = hypot(d[0], d[1]);
    *gap = 0;
  } else
    *gap = sign * distance;
  for (int i = 0; i < 2; i++) n[i] = sign * d[i] / distance;
  return 1;
}

static int nearest(const Shape *shape, const double x[3], double reach, ShapeHit *hit) {
  const Profile *profile = shape->own;
  double y[3], in_section[2], best[2] = {0};
  shape_to_frame(&profile->frame, x, y);
  double r = sqrt(y[0] * y[0] + y[1] * y[1]);
  in_section[0] = profile->revolve ? r : y[0];
  in_section[1] = profile->revolve ? y[2] : y[1];
  double least = (double)INFINITY, gap = 0;
  for (int k = 0; k < profile->n; k++) {
    double own, n[2];
    if (!feature_gap(&profile->feature[k], in_section, &own, n) || fabs(own) >= least) continue;
    least = fabs(own);
    gap = own;
    memcpy(best, n, sizeof best);
    hit->feature = k;
  }
  if (!(least <= reach)) return 0;
  hit->gap = gap;
  double n[3] = {best[0], best[1], 0};
  if (profile->revolve) {
    n[0] = r > 0 ? best[0] * y[0] / r : best[0];
    n[1] = r > 0 ? best[0] * y[1] / r : 0;
    n[2] = best[1];
  }
  shape_from_frame(&profile->frame, n, hit->n);
  return 1;
}

// ---- picture ------------------------------------------------------------------------------------

enum { ARC_PIECES = 16 };

static void put_point(double *line, int *n, double a, double b) {
  line[2 * *n] = a;
  line[2 * *n + 1] = b;
  ++*n;
}

// How far one can go from p along a direction before leaving a box of the section.
static double way_out(const double p[2], const double t[2], double sense, const double low[2],
                      const double high[2]) {
  double way = (double)INFINITY;
  for (int i = 0; i < 2; i++)
    if (t[i] != 0) way = fmin(way, ((sense * t[i] > 0 ? high[i] : low[i]) - p[i]) / (sense * t[i]));
  return fmax(way, 0);
}

// The section as a line of points in its walking order; endless sides end where they leave the box.
static int draw_section(const Shape *shape, const double low[2], const double high[2],
                        double *line) {
  const Profile *profile = shape->own;
  const ShapeSpec *spec = &shape->spec;
  int n_corners = spec->n_list / 3, n = 0, closed = spec->par[CLOSED] != 0;
  for (int k = 0; k < n_corners; k++) {
    const double *corner = spec->list + 3 * k;
    const Feature *arc = NULL, *side = NULL;
    for (int j = 0; j < profile->n; j++) {
      const Feature *f = &profile->feature[j];
      if (f->kind != SEGMENT || !(f->endless[0] || f->endless[1])) continue;
      if ((k == 0 && f->endless[0]) || (k == n_corners - 1 && f->endless[1])) side = f;
    }
    if (side && !closed) {
      double sense = k == 0 ? -1 : 1, way = sense * way_out(corner, side->t, sense, low, high);
      put_point(line, &n, corner[0] + way * side->t[0], corner[1] + way * side->t[1]);
      if (profile->revolve && line[2 * n - 2] < 0) line[2 * n - 2] = 0;
      continue;
    }
    for (int j = 0; j < profile->n; j++)
      if (profile->feature[j].kind == ARC && profile->feature[j].corner == k)
        arc = &profile->feature[j];
    for (int j = 0; arc && j <= ARC_PIECES; j++) {
      double angle = arc->angle * j / ARC_PIECES, c = cos(angle), s = sin(angle);
      double radius = fabs(arc->radius);
      put_point(line, &n, arc->p[0] + radius * (arc->n[0] * c - arc->n[1] * s),
                arc->p[1] + radius * (arc->n[0] * s + arc->n[1] * c));
    }
    if (!arc) put_point(line, &n, corner[0], corner[1]);
  }
  if (closed) put_point(line, &n, line[0], line[1]);
  return n;
}

static Status picture(const Shape *shape, const double low[3], const double high[3], Mesh *mesh,
                      Err *err) {
  const Profile *profile = shape->own;
  int dim = shape->spec.dim, n_points = (ARC_PIECES + 2) * shape->spec.n_list / 3 + 1;
  double *line, *x, from = (double)INFINITY, to = -from;
  double lower[2] = {from, from}, upper[2] = {-from, -from}; // of the section
  for (int corner = 0; corner < 8; corner++) {
    double p[3], y[3];
    for (int i = 0; i < 3; i++) p[i] = corner >> i & 1 ? high[i] : low[i];
    shape_to_frame(&profile->frame, p, y);
    from = fmin(from, y[2]);
    to = fmax(to, y[2]);
    for (int i = 0; i < 2; i++) {
      lower[i] = fmin(lower[i], y[i]);
      upper[i] = fmax(upper[i], y[i]);
    }
  }
  if (profile->revolve) { // radius and height
    for (int i = 0; i < 2; i++) upper[0] = fmax(upper[0], fmax(-lower[i], upper[i]));
    lower[0] = 0;
    lower[1] = from;
    upper[1] = to;
  }
  MEM_NEW(line, 8 * n_points, err);
  int n = draw_section(shape, lower, upper, line);
  Status status;
  if (dim == 2 || profile->revolve) {
    status = shape_picture_revolve(mesh, &profile->frame, dim, n, line, err);
  } else {
    x = line + 2 * (size_t)n_points;
    for (int k = 0; k < 2 * n; k++) {
      double y[3] = {line[2 * (k % n)], line[2 * (k % n) + 1], k < n ? from : to};
      shape_from_frame(&profile->frame, y, x + 3 * (size_t)k);
      for (int i = 0; i < 3; i++) x[3 * (size_t)k + i] += profile->frame.at[i];
    }
    status = shape_picture_grid(mesh, 3, n, 2, x, err);
  }
  mem_free(line);
  return status;
}

static double fillet(const Shape *shape) {
  const Profile *profile = shape->own;
  double least = (double)INFINITY;
  for (int k = 0; k < profile->n; k++)
    if (profile->feature[k].kind == ARC) least = fmin(least, fabs(profile->feature[k].radius));
  return least;
}

const ShapeType shape_profile = {
    .name = "profile",
    .doc =
        "Section of straight sides and fillets; in space swept around an axis or along a direction",
    .params = params,
    .n_params = SHAPE_AFTER_PLACE + 7,
    .init = init,
    .free = free_own,
    .nearest = nearest,
    .fillet = fillet,
    .picture = picture,
};
