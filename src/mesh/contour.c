#include "mesh/contour.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/space.h"
#include "mesh/outline.h"

// A fillet is divided at least once in this angle.
static const double ARC_PIECE = 0.5235987755982988; // 30 degrees
// A curve of 1.3 sizes is one piece, one of 1.31 two.
static const double OVERLONG = 0.3;
// Pieces shorter than this share of the size around make it smaller.
static const double SHORT_PIECE = 0.6;
static const double DEFAULT_GRADING = 0.25;
// Curves shorter than this share of the size are slips, or round-off between fillets.
static const double SHORTEST_CURVE = 0.005;
// Sides that come near each other may shorten segments to this share of the size, no more.
static const double SHORTEST = 0.1;
enum { MAX_SEGMENTS = 20000 };

void contour_free(Contour *c) {
  mem_free(c->curve);
  mem_free(c->x);
  mem_free(c->segment);
  mem_free(c->next);
  *c = (Contour){0};
}

// ---- curves -------------------------------------------------------------------------------------

void contour_curve_point(const ContourCurve *curve, double s, double x[2]) {
  double along = s, across = 0;
  if (curve->is_arc) {
    double angle = curve->turn * s / curve->length, radius = curve->length / curve->turn;
    along = radius * sin(angle);
    across = radius * (1 - cos(angle));
  }
  x[0] = curve->p[0] + along * curve->t[0] - across * curve->t[1];
  x[1] = curve->p[1] + along * curve->t[1] + across * curve->t[0];
}

static double curve_distance(const ContourCurve *curve, const double x[2]) {
  double d[2] = {x[0] - curve->p[0], x[1] - curve->p[1]};
  double along = d[0] * curve->t[0] + d[1] * curve->t[1],
         across = d[1] * curve->t[0] - d[0] * curve->t[1];
  if (!curve->is_arc) {
    double beyond = along < 0 ? along : fmax(0, along - curve->length);
    return hypot(beyond, across);
  }
  double radius = curve->length / curve->turn; // signed as the turn; the centre lies across
  double angle = atan2(along, (radius - across) * (radius > 0 ? 1 : -1)); // 0 at the begin
  if (angle < 0) angle += 2 * PI;
  if (angle <= fabs(curve->turn)) return fabs(hypot(along, radius - across) - fabs(radius));
  double end[2];
  contour_curve_point(curve, curve->length, end);
  return fmin(hypot(d[0], d[1]), hypot(x[0] - end[0], x[1] - end[1]));
}

static void describe(const ContourCurve *curve, char *text, size_t size) {
  const char *kind = curve->is_arc ? "fillet at corner" : "side after corner";
  if (curve->loop)
    snprintf(text, size, "the %s %d of hole %d", kind, curve->number, curve->loop);
  else
    snprintf(text, size, "the %s %d", kind, curve->number);
}

// Sides and fillets of one loop in their order, behind those that are there.
static Status add_loop(Contour *c, int loop, const BlankLoop *from, Err *err) {
  int n = from->n / 3;
  char what[32] = "outline";
  if (loop) snprintf(what, sizeof what, "hole %d", loop);
  if (from->n % 3 || n < 3)
    return err_set(err, ERR_INPUT,
                   "the %s wants at least 3 triples (x, y, radius of the fillet), not %d numbers",
                   what, from->n);
  for (int k = 0; k < from->n; k++)
    if (!isfinite(from->corner[k]))
      return err_set(err, ERR_INPUT, "corner %d of the %s is %g %g, radius %g", k / 3 + 1, what,
                     from->corner[k - k % 3], from->corner[k - k % 3 + 1],
                     from->corner[k - k % 3 + 2]);
  OutlineSide *side;
  OutlineCorner *corner;
  MEM_NEW(side, n, err);
  corner = mem_new((size_t)n, sizeof *corner);
  Status status = corner ? OK : err_set(err, ERR_SYSTEM, "out of memory: %d corners of a blank", n);
  if (status == OK) status = outline_sides(from->corner, n, n, what, side, err);
  for (int k = 0; k < n && status == OK; k++)
    status = outline_corner(from->corner + 3 * k, k, what, &side[(k + n - 1) % n], &side[k],
                            &corner[k], err);
  if (status == OK) status = outline_check(side, n, n, what, err);
  for (int k = 0; k < n && status == OK; k++) {
    const double *at = from->corner + 3 * k, *to = from->corner + 3 * ((k + 1) % n);
    double rest = side[k].length - side[k].cut[0] - side[k].cut[1];
    const OutlineSide *before = &side[(k + n - 1) % n];
    if (corner[k].angle != 0 && at[2] > 0)
      c->curve[c->n_curves++] = (ContourCurve){
          .loop = loop,
          .is_arc = 1,
          .number = k + 1,
          .p = {at[0] - before->cut[1] * before->t[0], at[1] - before->cut[1] * before->t[1]},
          .t = {before->t[0], before->t[1]},
          .length = at[2] * fabs(corner[k].angle),
          .turn = corner[k].angle};
    if (rest <= OUTLINE_FULL * side[k].length) continue;
    c->curve[c->n_curves++] = (ContourCurve){
        .loop = loop,
        .number = k + 1,
        .axis = at[0] == 0 && to[0] == 0   ? 1
                : at[1] == 0 && to[1] == 0 ? 2
                                           : 0,
        .p = {at[0] + side[k].cut[0] * side[k].t[0], at[1] + side[k].cut[0] * side[k].t[1]},
        .t = {side[k].t[0], side[k].t[1]},
        .length = rest};
  }
  mem_free(side);
  mem_free(corner);
  return status;
}

// ---- sizes --------------------------------------------------------------------------------------

static double zone_distance(const BlankZone *zone, const double x[2]) {
  const double *p = zone->place;
  if (!zone->box) return fmax(0, hypot(x[0] - p[0], x[1] - p[1]) - p[2]);
  double dx = fmax(fmax(p[0] - x[0], x[0] - p[2]), 0), dy = fmax(fmax(p[1] - x[1], x[1] - p[3]), 0);
  return hypot(dx, dy);
}

double contour_size(const Contour *c, const double x[2]) {
  double size = c->size;
  for (int k = 0; k < c->spec->n_zones; k++) {
    const BlankZone *zone = &c->spec->zone[k];
    size = fmin(size, c->factor * zone->size + c->grading * zone_distance(zone, x));
  }
  for (int k = 0; k < c->n_curves; k++) {
    const ContourCurve *curve = &c->curve[k];
    double d[2] = {x[0] - curve->p[0], x[1] - curve->p[1]};
    double reach =
        curve->length + (size - curve->fine) / c->grading; // farther off it does not count
    if (curve->fine > 0 && reach > 0 && d[0] * d[0] + d[1] * d[1] < reach * reach)
      size = fmin(size, curve->fine + c->grading * curve_distance(curve, x));
  }
  return size;
}

// Number of pieces of a curve, and with `s` [n + 1] where they end: equal shares of the integral of
// 1/size.
static int divide(const Contour *c, const ContourCurve *curve, double *s) {
  enum { STEPS = 2000 };
  double sum = 0, before = 0, x[2];
  for (int k = 0; k < STEPS; k++) {
    contour_curve_point(curve, curve->length * (k + 0.5) / STEPS, x);
    sum += curve->length / STEPS / contour_size(c, x);
  }
  // but for round-off; more than there may be are as good as one more
  int n = (int)fmax(1, fmin(MAX_SEGMENTS + 1, ceil(sum - OVERLONG - 1e-9)));
  if (curve->is_arc) n = (int)fmax(n, ceil(fabs(curve->turn) / ARC_PIECE - 1e-9));
  if (!s) return n;
  s[0] = 0;
  s[n] = curve->length;
  for (int k = 0, piece = 1; k < STEPS && piece < n; k++) {
    contour_curve_point(curve, curve->length * (k + 0.5) / STEPS, x);
    double share = curve->length / STEPS / contour_size(c, x) / sum;
    for (; piece < n && before + share >= (double)piece / n; piece++)
      s[piece] = curve->length * (k + ((double)piece / n - before) / share) / STEPS;
    before += share;
  }
  return n;
}

static Status check_sizes(const Contour *c, Err *err) {
  const ContourBlank *spec = c->spec;
  double low[2] = {(double)INFINITY, (double)INFINITY}, high[2] = {-low[0], -low[1]};
  for (int k = 0; k < spec->outline.n; k++) {
    if (k % 3 == 2) continue;
    low[k % 3] = fmin(low[k % 3], spec->outline.corner[k]);
    high[k % 3] = fmax(high[k % 3], spec->outline.corner[k]);
  }
  double least = fmin(high[0] - low[0], high[1] - low[1]);
  if (!(spec->size > 0) || !isfinite(spec->size))
    return err_set(err, ERR_INPUT, "element size of the blank is %g, it must be positive",
                   spec->size);
  if (spec->size > least)
    return err_set(err, ERR_INPUT, "the element size %g m is larger than the blank of %g x %g m",
                   spec->size, high[0] - low[0], high[1] - low[1]);
  for (int k = 0; k < spec->n_zones; k++) {
    const BlankZone *zone = &spec->zone[k];
    if (!(zone->size > 0))
      return err_set(err, ERR_INPUT, "the element size of zone %d is %g, it must be positive",
                     k + 1, zone->size);
    if (zone->box ? !(zone->place[2] > zone->place[0] && zone->place[3] > zone->place[1])
                  : !(zone->place[2] >= 0))
      return err_set(err, ERR_INPUT, "zone %d has no extent", k + 1);
  }
  return OK;
}

// ---- segments -----------------------------------------------------------------------------------

static int32_t add_node(Contour *c, const double x[2], Err *err) {
  if (mem_grow((void **)&c->x, &c->x_room, 2 * (size_t)c->n_nodes + 2, sizeof *c->x, err) != OK)
    return -1;
  memcpy(c->x + 2 * (size_t)c->n_nodes, x, 2 * sizeof *x);
  return c->n_nodes++;
}

static Status add_segment(Contour *c, ContourSegment segment, Err *err) {
  if (c->n_segments == MAX_SEGMENTS)
    return err_set(err, ERR_INPUT, "the rim of the blank has more than %d elements", MAX_SEGMENTS);
  TRY(mem_grow((void **)&c->segment, &c->segment_room, (size_t)c->n_segments + 1,
               sizeof *c->segment, err));
  c->segment[c->n_segments++] = segment;
  return OK;
}

// Segments of the curves first .. end - 1, which are a loop.
static Status divide_loop(Contour *c, int first, int end, Err *err) {
  int32_t begin = c->n_nodes;
  for (int k = first; k < end; k++) {
    const ContourCurve *curve = &c->curve[k];
    int n = divide(c, curve, NULL);
    double *s;
    if (n > MAX_SEGMENTS)
      return err_set(err, ERR_INPUT, "the rim of the blank has more than %d elements",
                     MAX_SEGMENTS);
    MEM_NEW(s, n + 1, err);
    divide(c, curve, s);
    Status status = OK;
    for (int i = 0; i < n && status == OK; i++) {
      double x[2];
      contour_curve_point(curve, s[i], x);
      int32_t a = add_node(c, x, err), b = k == end - 1 && i == n - 1 ? begin : a + 1;
      status =
          a < 0 ? ERR_SYSTEM : add_segment(c, (ContourSegment){{a, b}, k, {s[i], s[i + 1]}}, err);
    }
    mem_free(s);
    TRY(status);
  }
  return OK;
}

static double area_of(const Contour *c, int first_segment) {
  double area = 0;
  for (int k = first_segment; k < c->n_segments; k++) {
    const double *a = c->x + 2 * c->segment[k].node[0], *b = c->x + 2 * c->segment[k].node[1];
    area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
  }
  return area;
}

// The blank lies left of its segments: outlines run counter-clockwise, holes clockwise.
static void turn_loop(Contour *c, int first_segment, int is_hole) {
  if ((area_of(c, first_segment) > 0) == !is_hole) return;
  for (int k = first_segment; k < c->n_segments; k++) {
    ContourSegment *s = &c->segment[k];
    *s = (ContourSegment){{s->node[1], s->node[0]}, s->curve, {s->s[1], s->s[0]}};
  }
}

static double turn_of(const double *a, const double *b, const double *p) {
  return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

static Status check_crossings(const Contour *c, Err *err) {
  for (int i = 0; i < c->n_segments; i++)
    for (int j = i + 1; j < c->n_segments; j++) {
      const ContourSegment *s = &c->segment[i], *t = &c->segment[j];
      if (s->node[0] == t->node[1] || s->node[1] == t->node[0]) continue;
      const double *a = c->x + 2 * s->node[0], *b = c->x + 2 * s->node[1],
                   *p = c->x + 2 * t->node[0], *q = c->x + 2 * t->node[1];
      if (turn_of(a, b, p) * turn_of(a, b, q) > 0 || turn_of(p, q, a) * turn_of(p, q, b) > 0 ||
          fmax(a[0], b[0]) < fmin(p[0], q[0]) || fmax(p[0], q[0]) < fmin(a[0], b[0]) ||
          fmax(a[1], b[1]) < fmin(p[1], q[1]) || fmax(p[1], q[1]) < fmin(a[1], b[1]))
        continue;
      char one[64], two[64];
      describe(&c->curve[s->curve], one, sizeof one);
      describe(&c->curve[t->curve], two, sizeof two);
      return err_set(err, ERR_INPUT, "the outline crosses itself: %s meets %s near (%g, %g)", one,
                     two, p[0], p[1]);
    }
  return OK;
}

// Even-odd rule over the segments of one loop, or of all of them (loop -1).
static int loop_holds(const Contour *c, int loop, const double x[2]) {
  int inside = 0;
  for (int k = 0; k < c->n_segments; k++) {
    const double *a = c->x + 2 * c->segment[k].node[0], *b = c->x + 2 * c->segment[k].node[1];
    if (loop >= 0 && c->curve[c->segment[k].curve].loop != loop) continue;
    if ((a[1] > x[1]) == (b[1] > x[1])) continue;
    inside ^= x[0] < a[0] + (b[0] - a[0]) * (x[1] - a[1]) / (b[1] - a[1]);
  }
  return inside;
}

int contour_holds(const Contour *c, const double x[2]) {
  return loop_holds(c, -1, x);
}

static Status check_holes(const Contour *c, Err *err) {
  for (int k = 0; k < c->n_segments; k++) {
    int loop = c->curve[c->segment[k].curve].loop;
    const double *x = c->x + 2 * c->segment[k].node[0];
    if (loop == 0) continue;
    if (!loop_holds(c, 0, x))
      return err_set(err, ERR_INPUT, "hole %d lies outside the blank", loop);
    for (int other = 1; other <= c->spec->n_holes; other++)
      if (other != loop && loop_holds(c, other, x))
        return err_set(err, ERR_INPUT, "hole %d lies in hole %d", loop, other);
  }
  return OK;
}

static int in_diameter_circle(const double *a, const double *b, const double x[2]) {
  return (a[0] - x[0]) * (b[0] - x[0]) + (a[1] - x[1]) * (b[1] - x[1]) <= 0;
}

int contour_encroached(const Contour *c, const double x[2]) {
  for (int k = 0; k < c->n_segments; k++)
    if (in_diameter_circle(c->x + 2 * c->segment[k].node[0], c->x + 2 * c->segment[k].node[1], x))
      return 1;
  return 0;
}

// A node of the boundary in the circle over a segment; -1: none.
static int32_t encroaching_node(const Contour *c, const ContourSegment *s) {
  for (int32_t k = 0; k < c->n_nodes; k++)
    if (k != s->node[0] && k != s->node[1] &&
        in_diameter_circle(c->x + 2 * s->node[0], c->x + 2 * s->node[1], c->x + 2 * k))
      return k;
  return -1;
}

// Halves segments until none has another node of the boundary in its circle: then all of them are
// sides of the Delaunay triangulation.
static Status split_encroached(Contour *c, Err *err) {
  for (int k = 0; k < c->n_segments;) {
    ContourSegment *s = &c->segment[k];
    int32_t near = encroaching_node(c, s);
    if (near < 0) {
      k++;
      continue;
    }
    double x[2], middle = 0.5 * (s->s[0] + s->s[1]);
    contour_curve_point(&c->curve[s->curve], middle, x);
    if (fabs(s->s[1] - s->s[0]) < SHORTEST * contour_size(c, x)) {
      char text[64];
      describe(&c->curve[s->curve], text, sizeof text);
      return err_set(err, ERR_INPUT,
                     "near (%g, %g) %s comes too close to another part of the outline for elements "
                     "of %g m, or meets it at too sharp a corner",
                     x[0], x[1], text, contour_size(c, x) / c->factor);
    }
    int32_t node = add_node(c, x, err);
    if (node < 0) return ERR_SYSTEM;
    ContourSegment rest = {{node, s->node[1]}, s->curve, {middle, s->s[1]}};
    s->node[1] = node;
    s->s[1] = middle;
    TRY(add_segment(c, rest, err));
    k = 0; // the new node may lie in circles that were empty
  }
  return OK;
}

static Status make_segments(Contour *c, Err *err) {
  for (int first = 0, end; first < c->n_curves; first = end) {
    int segment = c->n_segments;
    for (end = first; end < c->n_curves && c->curve[end].loop == c->curve[first].loop;) end++;
    TRY(divide_loop(c, first, end, err));
    turn_loop(c, segment, c->curve[first].loop > 0);
  }
  for (int k = 0; k < c->n_segments;
       k++) { // exactly on their planes, whatever corners before them say
    int axis = c->curve[c->segment[k].curve].axis;
    for (int i = 0; i < 2 && axis > 0; i++) c->x[2 * c->segment[k].node[i] + axis - 1] = 0;
  }
  TRY(check_crossings(c, err));
  TRY(check_holes(c, err));
  TRY(split_encroached(c, err));
  MEM_NEW(c->next, c->n_nodes, err);
  for (int k = 0; k < c->n_segments; k++) c->next[c->segment[k].node[0]] = c->segment[k].node[1];
  return OK;
}

Status contour_init(Contour *c, const ContourBlank *spec, double factor, Err *err) {
  int most = spec->outline.n;
  *c = (Contour){.spec = spec,
                 .size = factor * spec->size,
                 .factor = factor,
                 .grading = spec->grading > 0 ? spec->grading : DEFAULT_GRADING};
  for (int k = 0; k < spec->n_holes; k++) most += spec->hole[k].n;
  MEM_NEW(c->curve, most, err); // two of three numbers of a corner at most
  TRY(add_loop(c, 0, &spec->outline, err));
  for (int k = 0; k < spec->n_holes; k++) TRY(add_loop(c, k + 1, &spec->hole[k], err));
  TRY(check_sizes(c, err));
  // Curves divided finer than the size around them: found before any of them counts.
  double *fine;
  Status status = OK;
  MEM_NEW(fine, c->n_curves, err);
  for (int k = 0; k < c->n_curves; k++) {
    double middle[2], piece = c->curve[k].length / divide(c, &c->curve[k], NULL);
    contour_curve_point(&c->curve[k], 0.5 * c->curve[k].length, middle);
    double size = contour_size(c, middle) / factor;
    if (c->curve[k].length < SHORTEST_CURVE * size && status == OK) {
      char text[64];
      describe(&c->curve[k], text, sizeof text);
      status =
          err_set(err, ERR_INPUT,
                  "%s is %g m long, far less than the elements of %g m around it: leave it out",
                  text, c->curve[k].length, size);
    }
    if (piece < SHORT_PIECE * contour_size(c, middle)) fine[k] = piece;
  }
  for (int k = 0; k < c->n_curves; k++) c->curve[k].fine = fine[k];
  mem_free(fine);
  return status == OK ? make_segments(c, err) : status;
}
