// Triangles in a contour: nodes of the boundary, an equilateral lattice where the size is uniform,
// centres of circles that are too large elsewhere, all moved to where triangles are about
// equilateral (Chen 2004) and triangulated anew.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mesh/contour.h"
#include "mesh/delaunay.h"
#include "mesh/nodeset.h"

const char contour_patterns[] = "t3|q4";

// All in sizes. Lattice nodes keep off the boundary, and sides below the shortest lose a node;
// circles of an equilateral triangle have 0.577, those larger than the largest get a node at their
// centre.
static const double OFF_BOUNDARY = 0.6, SHORTEST_SIDE = 0.6, LARGEST_CIRCLE = 0.8;
// Nodes that are new together are at least this far apart.
static const double APART = 0.8;
// Where the size is that of a lattice, to within round-off of zones and sizes.
static const double SAME_SIZE = 1e-3;
// A node moves at most by this.
static const double LONGEST_MOVE = 0.3;
// Rounds of fewer, more, moved nodes go on until no angle is below this [degrees].
static const double GOOD_ANGLE = 30;
enum { LEAST_ROUNDS = 3, MOST_ROUNDS = 8, N_MOVES = 8, N_FILLS = 40, MAX_NODES = 400000 };

// Nodes, those of the boundary first, and the triangles between them that are inside.
typedef struct {
  const Contour *c;
  double *x; // [2 n]
  int n;
  size_t room;
  Delaunay d;
  uint8_t *inside; // [d.n]
} Filling;

static void filling_free(Filling *f) {
  mem_free(f->x);
  mem_free(f->inside);
  delaunay_free(&f->d);
}

static Status add_node(Filling *f, double x, double y, Err *err) {
  if (f->n >= MAX_NODES)
    return err_set(err, ERR_INPUT, "the blank has more than %d nodes: its elements are too small",
                   MAX_NODES);
  TRY(mem_grow((void **)&f->x, &f->room, 2 * (size_t)f->n + 2, sizeof *f->x, err));
  f->x[2 * (size_t)f->n] = x;
  f->x[2 * (size_t)f->n++ + 1] = y;
  return OK;
}

static double distance(const double *a, const double *b) {
  return hypot(a[0] - b[0], a[1] - b[1]);
}

static double distance_to_boundary(const Contour *c, const double x[2]) {
  double least = (double)INFINITY;
  for (int k = 0; k < c->n_segments; k++) {
    const double *a = c->x + 2 * c->segment[k].node[0], *b = c->x + 2 * c->segment[k].node[1];
    double t[2] = {b[0] - a[0], b[1] - a[1]}, square = t[0] * t[0] + t[1] * t[1];
    double s = ((x[0] - a[0]) * t[0] + (x[1] - a[1]) * t[1]) / square;
    s = fmin(1, fmax(0, s));
    least = fmin(least, hypot(x[0] - a[0] - s * t[0], x[1] - a[1] - s * t[1]));
  }
  return least;
}

// ---- lattices -----------------------------------------------------------------------------------

static void bounds(const Contour *c, double low[2], double high[2]) {
  for (int i = 0; i < 2; i++) {
    low[i] = (double)INFINITY;
    high[i] = -low[i];
    for (int k = 0; k < c->n_nodes; k++) {
      low[i] = fmin(low[i], c->x[2 * k + i]);
      high[i] = fmax(high[i], c->x[2 * k + i]);
    }
  }
}

// Equilateral triangles of that size where the size is, in the box of the contour or of a zone in
// it. Rows are stretched a little so that they end at the sides of a rectangle.
static Status add_lattice(Filling *f, double size, const double low[2], const double high[2],
                          Err *err) {
  const double row = 0.8660254037844386;
  double nx = fmax(1, round((high[0] - low[0]) / size)),
         ny = fmax(1, round((high[1] - low[1]) / (row * size)));
  double dx = (high[0] - low[0]) / nx, dy = (high[1] - low[1]) / ny;
  if (!(nx * ny < MAX_NODES))
    return err_set(err, ERR_INPUT, "the blank has more than %d nodes: its elements are too small",
                   MAX_NODES);
  for (int j = 1; j < (int)ny; j++)
    for (int i = 0; i <= (int)nx; i++) {
      double x[2] = {low[0] + dx * (i + 0.5 * (j % 2)), low[1] + dy * j};
      double here = contour_size(f->c, x);
      if (fabs(here - size) > SAME_SIZE * size || !contour_holds(f->c, x) ||
          distance_to_boundary(f->c, x) < OFF_BOUNDARY * size)
        continue;
      TRY(add_node(f, x[0], x[1], err));
    }
  return OK;
}

static Status add_lattices(Filling *f, Err *err) {
  const Contour *c = f->c;
  double low[2], high[2];
  bounds(c, low, high);
  TRY(add_lattice(f, c->size, low, high, err));
  for (int k = 0; k < c->spec->n_zones; k++) {
    const BlankZone *zone = &c->spec->zone[k];
    const double *p = zone->place;
    double size = c->factor * zone->size, from[2], to[2];
    if (size >= c->size * (1 - SAME_SIZE)) continue;
    int seen = 0; // zones of one size share a lattice where they overlap
    for (int j = 0; j < k; j++)
      seen += fabs(c->spec->zone[j].size - zone->size) <= SAME_SIZE * zone->size;
    for (int i = 0; i < 2; i++) {
      from[i] = fmax(low[i], zone->box ? p[i] : p[i] - p[2]);
      to[i] = fmin(high[i], zone->box ? p[2 + i] : p[i] + p[2]);
    }
    if (!seen && from[0] < to[0] && from[1] < to[1]) TRY(add_lattice(f, size, from, to, err));
  }
  return OK;
}

// ---- triangles ----------------------------------------------------------------------------------

static int is_segment(const Contour *c, int32_t a, int32_t b) {
  return a < c->n_nodes && c->next[a] == b;
}

// Those left of segments are inside, and those one comes to without crossing one.
static Status mark_inside(Filling *f, Err *err) {
  const Contour *c = f->c;
  int32_t *stack;
  int n = 0, found = 0;
  mem_free(f->inside);
  MEM_NEW(f->inside, f->d.n, err);
  MEM_NEW(stack, f->d.n, err);
  for (int t = 0; t < f->d.n; t++)
    for (int k = 0; k < 3; k++) {
      const int32_t *node = f->d.node + 3 * t;
      if (!is_segment(c, node[(k + 1) % 3], node[(k + 2) % 3])) continue;
      found++;
      if (!f->inside[t]) stack[n++] = t;
      f->inside[t] = 1;
    }
  while (n > 0) {
    int t = stack[--n];
    for (int k = 0; k < 3; k++) {
      int32_t a = f->d.node[3 * t + (k + 1) % 3], b = f->d.node[3 * t + (k + 2) % 3];
      int other = f->d.neighbor[3 * t + k];
      if (other < 0 || f->inside[other] || is_segment(c, a, b)) continue;
      f->inside[other] = 1;
      stack[n++] = other;
    }
  }
  mem_free(stack);
  if (found == c->n_segments) return OK;
  return err_set(err, ERR_BUG, "%d of %d segments of a blank are sides of triangles", found,
                 c->n_segments);
}

static Status triangulate(Filling *f, Err *err) {
  delaunay_free(&f->d);
  TRY(delaunay_init(&f->d, f->x, f->n, err));
  return mark_inside(f, err);
}

// Centre of the circle through the corners; returns its radius.
static double circle(const Filling *f, int t, double centre[2]) {
  const int32_t *node = f->d.node + 3 * t;
  const double *a = f->x + 2 * node[0];
  double b[2] = {f->x[2 * node[1]] - a[0], f->x[2 * node[1] + 1] - a[1]},
         c[2] = {f->x[2 * node[2]] - a[0], f->x[2 * node[2] + 1] - a[1]};
  double twice = 2 * (b[0] * c[1] - b[1] * c[0]), bb = b[0] * b[0] + b[1] * b[1],
         cc = c[0] * c[0] + c[1] * c[1];
  double o[2] = {(c[1] * bb - b[1] * cc) / twice, (b[0] * cc - c[0] * bb) / twice};
  for (int i = 0; i < 2; i++) centre[i] = a[i] + o[i];
  return hypot(o[0], o[1]);
}

static double area(const Filling *f, int t) {
  const int32_t *node = f->d.node + 3 * t;
  const double *a = f->x + 2 * node[0], *b = f->x + 2 * node[1], *c = f->x + 2 * node[2];
  return 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
}

// ---- more and fewer nodes -----------------------------------------------------------------------

typedef struct {
  double excess, x[2];
  int32_t triangle;
} Centre;

static int compare_centre(const void *a, const void *b) {
  const Centre *p = a, *q = b;
  if (p->excess != q->excess) return p->excess < q->excess ? 1 : -1;
  return (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

// Nodes at the centres of circles that are too large, the worst first; *added says how many.
static Status fill_gaps(Filling *f, int *added, Err *err) {
  Centre *centre;
  int n = 0, before = f->n;
  MEM_NEW(centre, f->d.n, err);
  for (int t = 0; t < f->d.n; t++) {
    double x[2];
    if (!f->inside[t]) continue;
    double excess = circle(f, t, x) / contour_size(f->c, x);
    if (excess > LARGEST_CIRCLE) centre[n++] = (Centre){excess, {x[0], x[1]}, t};
  }
  qsort(centre, (size_t)n, sizeof *centre, compare_centre);
  Status status = OK;
  for (int k = 0; k < n && status == OK; k++) {
    const double *x = centre[k].x;
    double apart = APART * contour_size(f->c, x);
    int free_place = 1;
    for (int j = before; j < f->n && free_place; j++)
      free_place = distance(f->x + 2 * (size_t)j, x) >= apart;
    if (free_place && contour_holds(f->c, x) && !contour_encroached(f->c, x))
      status = add_node(f, x[0], x[1], err);
  }
  *added = f->n - before;
  mem_free(centre);
  return status;
}

// Smallest angle of a triangle [degrees], and the side opposite to it.
static double least_angle_of(const Filling *f, int t, int *side) {
  const double degree = 57.29577951308232;
  const int32_t *node = f->d.node + 3 * t;
  double length[3], least = 0;
  for (int k = 0; k < 3; k++) {
    length[k] = distance(f->x + 2 * node[(k + 1) % 3], f->x + 2 * node[(k + 2) % 3]);
    if (k == 0 || length[k] < least) {
      least = length[k];
      *side = k;
    }
  }
  double sine = 2 * area(f, t) / (length[(*side + 1) % 3] * length[(*side + 2) % 3]);
  return degree * asin(fmin(1, sine)); // the smallest of three is below 90 degrees
}

static double least_angle(const Filling *f) {
  double least = 60;
  int side;
  for (int t = 0; t < f->d.n; t++)
    if (f->inside[t]) least = fmin(least, least_angle_of(f, t, &side));
  return least;
}

// Takes one inner node from each side that is too short, or lies opposite to too small an angle.
static Status thin_out(Filling *f, Err *err) {
  uint8_t *gone;
  int n = 0;
  MEM_NEW(gone, f->n, err);
  for (int t = 0; t < f->d.n; t++) {
    int side = 0, thin = f->inside[t] && least_angle_of(f, t, &side) < GOOD_ANGLE;
    for (int k = 0; k < 3 && f->inside[t]; k++) {
      int32_t a = f->d.node[3 * t + (k + 1) % 3], b = f->d.node[3 * t + (k + 2) % 3];
      int32_t last = a > b ? a : b, first = a > b ? b : a;
      if (last < f->c->n_nodes || gone[first] || gone[last]) continue;
      const double *p = f->x + 2 * first, *q = f->x + 2 * last;
      double middle[2] = {0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1])};
      gone[last] =
          (thin && k == side) || distance(p, q) < SHORTEST_SIDE * contour_size(f->c, middle);
    }
  }
  for (int k = 0; k < f->n; k++) {
    if (gone[k]) continue;
    memmove(f->x + 2 * n, f->x + 2 * k, 2 * sizeof *f->x);
    n++;
  }
  f->n = n;
  mem_free(gone);
  return OK;
}

static Status fill(Filling *f, Err *err) {
  int added = 1;
  for (int k = 0; k < N_FILLS && added > 0; k++) {
    TRY(triangulate(f, err));
    TRY(fill_gaps(f, &added, err));
  }
  return added > 0 ? triangulate(f, err) : OK;
}

// ---- moving -------------------------------------------------------------------------------------

// Each inner node goes to the mean of the circles' centres of its triangles, weighted with area and
// size: the place where it makes the triangulation optimal.
static Status move_nodes(Filling *f, Err *err) {
  double *to; // [3 n] weighted place, weight
  uint8_t *at_boundary;
  int first = f->c->n_nodes;
  MEM_NEW(to, 3 * (size_t)f->n, err);
  at_boundary = mem_new((size_t)f->n, 1);
  if (!at_boundary) {
    mem_free(to);
    return err_set(err, ERR_SYSTEM, "out of memory: %d nodes of a blank", f->n);
  }
  for (int t = 0; t < f->d.n; t++) {
    const int32_t *node = f->d.node + 3 * t;
    double x[2];
    if (!f->inside[t]) continue;
    circle(f, t, x);
    double size = contour_size(f->c, x), weight = area(f, t) / (size * size * size);
    int touches = node[0] < first || node[1] < first || node[2] < first;
    for (int k = 0; k < 3; k++) {
      double *sum = to + 3 * (size_t)node[k];
      at_boundary[node[k]] |= (uint8_t)touches;
      for (int i = 0; i < 2; i++) sum[i] += weight * x[i];
      sum[2] += weight;
    }
  }
  for (int k = first; k < f->n; k++) {
    double *x = f->x + 2 * (size_t)k, *sum = to + 3 * (size_t)k, wanted[2];
    if (!(sum[2] > 0)) continue;
    double move[2] = {sum[0] / sum[2] - x[0], sum[1] / sum[2] - x[1]};
    double length = hypot(move[0], move[1]), most = LONGEST_MOVE * contour_size(f->c, x);
    double share = length > most ? most / length : 1;
    for (int i = 0; i < 2; i++) wanted[i] = x[i] + share * move[i];
    if (at_boundary[k] && (contour_encroached(f->c, wanted) || !contour_holds(f->c, wanted)))
      continue;
    memcpy(x, wanted, sizeof wanted);
  }
  mem_free(to);
  mem_free(at_boundary);
  return triangulate(f, err);
}

static Status keep_nodes(double **kept, const Filling *f, Err *err) {
  mem_free(*kept);
  MEM_NEW(*kept, 2 * f->n, err);
  memcpy(*kept, f->x, 2 * sizeof *f->x * (size_t)f->n);
  return OK;
}

// Rounds of nodes added, moved and taken away; the best of them is kept in `best`.
static Status improve(Filling *f, double **best, int *n_best, Err *err) {
  double angle = 0;
  for (int round = 0; round < MOST_ROUNDS; round++) {
    TRY(fill(f, err));
    for (int k = 0; k < N_MOVES; k++) TRY(move_nodes(f, err));
    double least = least_angle(f);
    if (least > angle) {
      angle = least;
      *n_best = f->n;
      TRY(keep_nodes(best, f, err));
    }
    if (round + 1 >= LEAST_ROUNDS && angle >= GOOD_ANGLE) break;
    TRY(thin_out(f, err));
  }
  return OK;
}

static Status make_triangles(Filling *f, Err *err) {
  const Contour *c = f->c;
  double *best = NULL;
  int n_best = 0;
  for (int k = 0; k < c->n_nodes; k++) TRY(add_node(f, c->x[2 * k], c->x[2 * k + 1], err));
  TRY(add_lattices(f, err));
  Status status = improve(f, &best, &n_best, err);
  f->n = 0;
  for (int k = 0; k < n_best && status == OK; k++)
    status = add_node(f, best[2 * k], best[2 * k + 1], err);
  mem_free(best);
  return status == OK ? triangulate(f, err) : status;
}

// ---- the mesh -----------------------------------------------------------------------------------

// New nodes of triangles that are cut in three: middles of sides (on curves at the boundary), then
// centres.
typedef struct {
  NodeSetTable sides;
  int32_t *segment_of; // [boundary nodes] the segment that begins there
} Cut;

static void cut_side(const Filling *f, const Cut *cut, int32_t a, int32_t b, double x[3]) {
  const Contour *c = f->c;
  for (int i = 0; i < 2; i++) x[i] = 0.5 * (f->x[2 * a + i] + f->x[2 * b + i]);
  if (!is_segment(c, a, b) && !is_segment(c, b, a)) return;
  const ContourSegment *s = &c->segment[cut->segment_of[is_segment(c, a, b) ? a : b]];
  contour_curve_point(&c->curve[s->curve], 0.5 * (s->s[0] + s->s[1]), x);
}

static Status write_triangles(Mesh *mesh, const Filling *f, int n_inside, Err *err) {
  int e = 0;
  TRY(mesh_init(mesh, 3, f->n, n_inside, 3 * n_inside, err));
  for (int k = 0; k < f->n; k++) memcpy(mesh->x + 3 * k, f->x + 2 * k, 2 * sizeof *f->x);
  for (int t = 0; t < f->d.n; t++) {
    if (!f->inside[t]) continue;
    memcpy(mesh->elem_node + 3 * e, f->d.node + 3 * t, 3 * sizeof(int32_t));
    mesh->elem_shape[e] = SHAPE_T3;
    mesh->elem_ptr[e + 1] = 3 * (e + 1);
    e++;
  }
  return OK;
}

static Status write_quads(Mesh *mesh, const Filling *f, int n_inside, Cut *cut, Err *err) {
  int e = 0;
  // Euler: sides of a plane mesh with holes, at most three for two triangles and the boundary
  TRY(nodeset_init(&cut->sides, 3 * (int64_t)n_inside, 2, err));
  MEM_NEW(cut->segment_of, f->c->n_nodes, err);
  for (int k = 0; k < f->c->n_segments; k++) cut->segment_of[f->c->segment[k].node[0]] = k;
  for (int t = 0; t < f->d.n; t++)
    for (int k = 0; k < 3 && f->inside[t]; k++)
      nodeset_put(&cut->sides, (int32_t[]){f->d.node[3 * t + k], f->d.node[3 * t + (k + 1) % 3]},
                  2);
  int n_sides = cut->sides.n;
  TRY(mesh_init(mesh, 3, f->n + n_sides + n_inside, 3 * n_inside, 12 * n_inside, err));
  for (int k = 0; k < f->n; k++) memcpy(mesh->x + 3 * k, f->x + 2 * k, 2 * sizeof *f->x);
  for (int t = 0; t < f->d.n; t++) {
    const int32_t *node = f->d.node + 3 * t;
    int32_t middle[3], centre = f->n + n_sides + e / 3;
    if (!f->inside[t]) continue;
    for (int k = 0; k < 3; k++) {
      int32_t pair[2] = {node[k], node[(k + 1) % 3]};
      middle[k] = f->n + nodeset_find(&cut->sides, pair, 2);
      cut_side(f, cut, pair[0], pair[1], mesh->x + 3 * middle[k]);
      for (int i = 0; i < 2; i++) mesh->x[3 * centre + i] += mesh->x[3 * middle[k] + i] / 3;
    }
    for (int k = 0; k < 3; k++, e++) {
      const int32_t quad[4] = {node[k], middle[k], centre, middle[(k + 2) % 3]};
      memcpy(mesh->elem_node + 4 * e, quad, sizeof quad);
      mesh->elem_shape[e] = SHAPE_Q4;
      mesh->elem_ptr[e + 1] = 4 * (e + 1);
    }
  }
  return OK;
}

typedef struct {
  int32_t *node;
  int n;
} NodeList;

// Nodes of the segments whose curves a test takes; in cut meshes their middles too.
static void collect(const Contour *c, const Cut *cut, int n_filling, const uint8_t *take,
                    NodeList *list) {
  list->n = 0;
  for (int k = 0; k < c->n_segments; k++) {
    const ContourSegment *s = &c->segment[k];
    if (!take[s->curve]) continue;
    list->node[list->n++] = s->node[0];
    list->node[list->n++] = s->node[1];
    if (cut->segment_of) list->node[list->n++] = n_filling + nodeset_find(&cut->sides, s->node, 2);
  }
}

static Status add_curves(Mesh *mesh, const Contour *c, const Cut *cut, int n_filling,
                         const char *name, const uint8_t *take, Err *err) {
  NodeList list;
  MEM_NEW(list.node, 3 * (size_t)c->n_segments, err);
  collect(c, cut, n_filling, take, &list);
  Status status = list.n > 0 ? mesh_add_group(mesh, name, GROUP_NODES, list.node, list.n, err) : OK;
  mem_free(list.node);
  return status;
}

static Status add_names(Mesh *mesh, const Contour *c, const Cut *cut, int n_filling, uint8_t *take,
                        Err *err) {
  char name[64];
  int n = c->n_curves, symmetry = c->spec->symmetry;
  for (int k = 0; k < n; k++) { // one by one, of the outline
    if (c->curve[k].loop > 0) continue;
    memset(take, 0, (size_t)n);
    take[k] = 1;
    snprintf(name, sizeof name, "%s_%d", c->curve[k].is_arc ? "arc" : "side", c->curve[k].number);
    TRY(add_curves(mesh, c, cut, n_filling, name, take, err));
  }
  for (int hole = 1; hole <= c->spec->n_holes; hole++) {
    for (int k = 0; k < n; k++) take[k] = c->curve[k].loop == hole;
    snprintf(name, sizeof name, "hole_%d", hole);
    TRY(add_curves(mesh, c, cut, n_filling, name, take, err));
  }
  for (int k = 0; k < n; k++) take[k] = !symmetry || c->curve[k].axis == 0;
  TRY(add_curves(mesh, c, cut, n_filling, "edge", take, err));
  for (int axis = 1; axis <= 2 && symmetry; axis++) {
    for (int k = 0; k < n; k++) take[k] = c->curve[k].axis == axis;
    TRY(add_curves(mesh, c, cut, n_filling, axis == 1 ? "symmetry_x" : "symmetry_y", take, err));
  }
  return OK;
}

static Status to_mesh(Mesh *mesh, const Filling *f, int quads, Err *err) {
  int n_inside = 0;
  Cut cut = {0};
  uint8_t *take = mem_new((size_t)f->c->n_curves, 1);
  for (int t = 0; t < f->d.n; t++) n_inside += f->inside[t];
  Status status = take ? OK : err_set(err, ERR_SYSTEM, "out of memory: curves of a blank");
  if (status == OK)
    status =
        quads ? write_quads(mesh, f, n_inside, &cut, err) : write_triangles(mesh, f, n_inside, err);
  if (status == OK) status = add_names(mesh, f->c, &cut, f->n, take, err);
  if (status == OK) status = blank_add_centre(mesh, err);
  if (status == OK) status = mesh_add_all(mesh, err);
  mem_free(take);
  mem_free(cut.segment_of);
  nodeset_free(&cut.sides);
  return status;
}

Status blank_contour(Mesh *mesh, const ContourBlank *spec, Err *err) {
  Contour contour = {0};
  Filling filling = {.c = &contour};
  int quads = spec->pattern && strcmp(spec->pattern, "q4") == 0;
  *mesh = (Mesh){0};
  if (!quads && (!spec->pattern || strcmp(spec->pattern, "t3") != 0))
    return err_set(err, ERR_INPUT, "unknown pattern '%s' of a contour, known are %s",
                   spec->pattern ? spec->pattern : "", contour_patterns);
  Status status = contour_init(&contour, spec, quads ? 2 : 1, err);
  if (status == OK) status = make_triangles(&filling, err);
  if (status == OK) status = to_mesh(mesh, &filling, quads, err);
  if (status == OK) status = mesh_check(mesh, err);
  filling_free(&filling);
  contour_free(&contour);
  if (status != OK) mesh_free(mesh);
  return status;
}
