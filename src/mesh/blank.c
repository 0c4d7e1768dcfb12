#include "mesh/blank.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/space.h"
#include "mesh/generate.h"

const char blank_patterns[] = "t3|t3_right|t3_left|t3_alternate|q4";

typedef enum { T3, T3_RIGHT, T3_LEFT, T3_ALTERNATE, Q4, N_PATTERNS } Pattern;
static const char *const pattern_name[N_PATTERNS] = {"t3", "t3_right", "t3_left", "t3_alternate",
                                                     "q4"};

// Keeps node numbers far inside int32_t, and a slip of a unit from filling the memory.
static const double MAX_CELLS = 1e7;

// A mesh in the making; elements all have `width` nodes.
typedef struct {
  double *x; // [2 * n_nodes]
  int32_t *node;
  size_t n_nodes, n_elems, x_room, node_room;
  int width;
  Status status; // of the first failure; later calls do nothing
  Err *err;
} Draft;

static void draft_free(Draft *d) {
  mem_free(d->x);
  mem_free(d->node);
  *d = (Draft){0};
}

static int32_t add_node(Draft *d, double x, double y) {
  if (d->status == OK)
    d->status = mem_grow((void **)&d->x, &d->x_room, 2 * d->n_nodes + 2, sizeof *d->x, d->err);
  if (d->status != OK) return 0;
  d->x[2 * d->n_nodes] = x;
  d->x[2 * d->n_nodes + 1] = y;
  return (int32_t)d->n_nodes++;
}

static void add_elem(Draft *d, const int32_t *node) {
  size_t w = (size_t)d->width;
  if (d->status == OK)
    d->status =
        mem_grow((void **)&d->node, &d->node_room, w * (d->n_elems + 1), sizeof *d->node, d->err);
  if (d->status != OK) return;
  memcpy(d->node + w * d->n_elems++, node, w * sizeof *node);
}

// A quadrilateral c, counter-clockwise, whole or cut; `odd` chooses the diagonal of T3_ALTERNATE.
static void add_cell(Draft *d, Pattern pattern, int odd, const int32_t c[4]) {
  if (pattern == Q4) {
    add_elem(d, c);
    return;
  }
  int left = pattern == T3_LEFT || (pattern == T3_ALTERNATE && odd);
  add_elem(d, left ? (int32_t[]){c[0], c[1], c[3]} : (int32_t[]){c[0], c[1], c[2]});
  add_elem(d, left ? (int32_t[]){c[1], c[2], c[3]} : (int32_t[]){c[0], c[2], c[3]});
}

static double distance2(const Draft *d, int32_t a, int32_t b) {
  double x = d->x[2 * a] - d->x[2 * b], y = d->x[2 * a + 1] - d->x[2 * b + 1];
  return x * x + y * y;
}

// Triangles between an inner ring of na + 1 nodes from a on and an outer one of nb + 1 from b on,
// by the shorter diagonal.
static void zip(Draft *d, int32_t a, int na, int32_t b, int nb) {
  const double tie = 1 - 1e-9; // equal but for round-off: the same choice everywhere
  int i = 0, j = 0;
  while (d->status == OK && (i < na || j < nb)) {
    int outer = i == na ||
                (j < nb && distance2(d, a + i, b + j + 1) * tie <= distance2(d, a + i + 1, b + j));
    if (outer)
      add_elem(d, (int32_t[]){a + i, b + j, b + j + 1});
    else
      add_elem(d, (int32_t[]){a + i, b + j, a + i + 1});
    i += !outer;
    j += outer;
  }
}

// Numbers of rings inside and outside `from`, of elements along a quarter of each outer ring.
typedef struct {
  double radius, from;
  double stagger; // [m]
  int n_in, n_out, n;
  Pattern pattern;
} Disk;

// Node k of n along the quarter of a circle; on the axes exactly.
static int32_t add_on_circle(Draft *d, double r, int k, int n) {
  const double right_angle = 0.5 * PI;
  double angle = right_angle * k / n;
  return add_node(d, k == n ? 0 : r * cos(angle), k == 0 ? 0 : r * sin(angle));
}

static int32_t add_ring(Draft *d, double r, int n) {
  int32_t first = add_on_circle(d, r, 0, n);
  for (int k = 1; k <= n; k++) add_on_circle(d, r, k, n);
  return first;
}

// Staggered rings are circles at `from` and at the rim, and have shifted within so many shifts from
// there: none is narrower than two thirds of the others, or than half where they are few.
static const double STAGGERED_WITHIN = 1.5;

// Radius of node k of a ring outside `from`.
static double staggered(const Disk *disk, double r, int k) {
  double room = fmin(STAGGERED_WITHIN * disk->stagger, 0.5 * (disk->radius - disk->from));
  if (!(disk->stagger > 0)) return r;
  double share = fmin(1, fmin(r - disk->from, disk->radius - r) / room);
  return r + share * disk->stagger * ((double)k / disk->n - 0.5);
}

// Inside `from`: the centre and rings with less and less elements. Returns the first node of the
// last ring.
static int32_t fill_with_triangles(Draft *d, const Disk *disk) {
  int32_t before = add_node(d, 0, 0);
  int n_before = 0;
  for (int k = 1; k <= disk->n_in; k++) {
    int n = (int)fmax(1, round((double)disk->n * k / disk->n_in));
    int32_t ring = add_ring(d, disk->from * k / disk->n_in, n);
    zip(d, before, n_before, ring, n);
    before = ring;
    n_before = n;
  }
  return before;
}

// Inside `from`: a block of n/2 by n/2 cells with bulged sides, and rings around it.
static int32_t fill_with_block(Draft *d, const Disk *disk) {
  // side of the block over `from`, and how much its corner is drawn in: cells of about equal
  // quality
  const double side = 0.6, drawn_in = 0.15;
  int m = disk->n / 2, n = disk->n;
  int n_rings = (int)fmax(1, ceil((1 - side) * disk->n_in));
  for (int j = 0; j <= m; j++)
    for (int i = 0; i <= m; i++) {
      double s = (double)i / m, t = (double)j / m, a = side * disk->from;
      add_node(d, a * s * (1 - drawn_in * t * t), a * t * (1 - drawn_in * s * s));
    }
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) {
      int32_t c = j * (m + 1) + i;
      add_cell(d, disk->pattern, (i + j) % 2, (int32_t[]){c, c + 1, c + m + 2, c + m + 1});
    }
  int32_t before = 0;
  for (int r = 1; r <= n_rings && d->status == OK; r++) {
    double f = (double)r / n_rings;
    int32_t ring = (int32_t)d->n_nodes;
    for (int k = 0; k <= n && d->status == OK; k++) {
      int inner = k <= m ? k * (m + 1) + m : m * (m + 1) + (n - k); // node on the block's rim
      int32_t at = add_on_circle(d, disk->from, k, n);
      if (d->status != OK) break;
      for (int c = 0; c < 2; c++)
        d->x[2 * at + c] = f * d->x[2 * at + c] + (1 - f) * d->x[2 * inner + c];
    }
    for (int k = 0; k < n; k++) {
      int32_t a0 = before + k, a1 = before + k + 1;
      if (r == 1) {
        a0 = k <= m ? k * (m + 1) + m : m * (m + 1) + (n - k);
        a1 = k + 1 <= m ? (k + 1) * (m + 1) + m : m * (m + 1) + (n - k - 1);
      }
      add_cell(d, disk->pattern, (k + r) % 2, (int32_t[]){a0, ring + k, ring + k + 1, a1});
    }
    before = ring;
  }
  return before;
}

static void fill_quarter(Draft *d, const Disk *disk) {
  int32_t before = disk->pattern == T3 ? fill_with_triangles(d, disk) : fill_with_block(d, disk);
  for (int r = 1; r <= disk->n_out; r++) {
    double radius = disk->from + (disk->radius - disk->from) * r / disk->n_out;
    int32_t ring = add_on_circle(d, staggered(disk, radius, 0), 0, disk->n);
    for (int k = 1; k <= disk->n; k++) add_on_circle(d, staggered(disk, radius, k), k, disk->n);
    if (disk->pattern == T3)
      zip(d, before, disk->n, ring, disk->n);
    else
      for (int k = 0; k < disk->n; k++)
        add_cell(d, disk->pattern, (k + r) % 2,
                 (int32_t[]){before + k, ring + k, ring + k + 1, before + k + 1});
    before = ring;
  }
}

// Adds the mirror image at x = 0 (axis 0) or y = 0; nodes there are shared.
static void mirror(Draft *d, int axis) {
  size_t n_nodes = d->n_nodes, n_elems = d->n_elems;
  if (d->status != OK) return;
  int32_t *image = mem_new(n_nodes, sizeof *image);
  if (!image) {
    d->status = err_set(d->err, ERR_SYSTEM, "out of memory: mirror image of a blank");
    return;
  }
  for (size_t k = 0; k < n_nodes; k++) {
    double x[2] = {d->x[2 * k], d->x[2 * k + 1]};
    image[k] = (int32_t)k;
    if (x[axis] == 0) continue;
    x[axis] = -x[axis];
    image[k] = add_node(d, x[0], x[1]);
  }
  for (size_t e = 0; e < n_elems && d->status == OK; e++) {
    int32_t node[4];
    for (int k = 0; k < d->width; k++) // turned round: the normal stays +z
      node[k] = image[d->node[e * (size_t)d->width + (size_t)(d->width - 1 - k)]];
    add_elem(d, node);
  }
  mem_free(image);
}

static Status find_pattern(const char *name, Pattern *pattern, Err *err) {
  for (int k = 0; k < N_PATTERNS; k++)
    if (name && strcmp(name, pattern_name[k]) == 0) {
      *pattern = (Pattern)k;
      return OK;
    }
  return err_set(err, ERR_INPUT, "unknown pattern '%s' of a blank, known are %s", name ? name : "",
                 blank_patterns);
}

// Which nodes a group takes.
typedef int Choice(const double *x, const void *shape);

static Status add_group(Mesh *mesh, const char *name, Choice *choice, const void *shape, Err *err) {
  int32_t *items;
  int n = 0;
  MEM_NEW(items, mesh->n_nodes, err);
  for (int k = 0; k < mesh->n_nodes; k++)
    if (choice(mesh->x + 3 * (int64_t)k, shape)) items[n++] = k;
  Status status = n > 0 ? mesh_add_group(mesh, name, GROUP_NODES, items, n, err) : OK;
  mem_free(items);
  return status;
}

static int on_axis_x(const double *x, const void *shape) {
  (void)shape;
  return x[1] == 0;
}

static int on_axis_y(const double *x, const void *shape) {
  (void)shape;
  return x[0] == 0;
}

Status blank_add_centre(Mesh *mesh, Err *err) {
  int32_t centre = 0;
  double least = (double)INFINITY;
  for (int k = 0; k < mesh->n_nodes; k++) {
    double r = hypot(mesh->x[3 * k], mesh->x[3 * k + 1]);
    if (r < least) {
      least = r;
      centre = k;
    }
  }
  return mesh_add_group(mesh, "centre", GROUP_NODES, &centre, 1, err);
}

static Status add_groups(Mesh *mesh, int quarter, Choice *edge, const void *shape, Err *err) {
  TRY(add_group(mesh, "edge", edge, shape, err));
  TRY(add_group(mesh, "axis_x", on_axis_x, NULL, err));
  TRY(add_group(mesh, "axis_y", on_axis_y, NULL, err));
  TRY(blank_add_centre(mesh, err));
  if (quarter) {
    TRY(add_group(mesh, "symmetry_x", on_axis_y, NULL, err));
    TRY(add_group(mesh, "symmetry_y", on_axis_x, NULL, err));
  }
  return mesh_add_all(mesh, err);
}

// The draft as a mesh in space, its nodes in their order.
static Status to_mesh(Mesh *mesh, const Draft *d, Err *err) {
  size_t w = (size_t)d->width;
  TRY(mesh_init(mesh, 3, (int)d->n_nodes, (int)d->n_elems, (int)(d->n_elems * w), err));
  for (size_t k = 0; k < d->n_nodes; k++) memcpy(mesh->x + 3 * k, d->x + 2 * k, 2 * sizeof *d->x);
  memcpy(mesh->elem_node, d->node, d->n_elems * w * sizeof *d->node);
  for (size_t e = 0; e < d->n_elems; e++) {
    mesh->elem_shape[e] = d->width == 3 ? SHAPE_T3 : SHAPE_Q4;
    mesh->elem_ptr[e + 1] = (int32_t)((e + 1) * w);
  }
  return OK;
}

static Status check_positive(double value, const char *what, Err *err) {
  if (isfinite(value) && value > 0) return OK;
  return err_set(err, ERR_INPUT, "%s of the blank is %g, it must be positive", what, value);
}

static int on_rim(const double *x, const void *shape) {
  const DiskBlank *disk = shape;
  const double round = 1e-9;
  return hypot(x[0], x[1]) >= disk->radius * (1 - round);
}

static Status count_disk(const DiskBlank *spec, Disk *disk, Err *err) {
  const double right_angle = 0.5 * PI, round = 1e-9; // 3.0000000001 rings are 3
  double fine = spec->fine != 0 ? spec->fine : spec->size;
  double around = spec->around != 0 ? spec->around : spec->size;
  *disk = (Disk){.radius = spec->radius, .from = spec->from != 0 ? spec->from : spec->radius / 3};
  TRY(find_pattern(spec->pattern, &disk->pattern, err));
  TRY(check_positive(spec->radius, "radius", err));
  TRY(check_positive(spec->size, "element size", err));
  TRY(check_positive(fine, "fine element size", err));
  TRY(check_positive(around, "element size along the rim", err));
  if (!(disk->from > 0 && disk->from <= disk->radius))
    return err_set(err, ERR_INPUT, "fine rings of the blank start at the radius %g, its own is %g",
                   disk->from, disk->radius);
  double n_in = ceil(disk->from / spec->size - round),
         n_out = ceil((disk->radius - disk->from) / fine - round),
         n = ceil(right_angle * disk->radius / around - round);
  if (!((n_in + n_out + n) * n < MAX_CELLS))
    return err_set(err, ERR_INPUT, "the blank has too many elements");
  disk->n_in = (int)fmax(1, n_in);
  disk->n_out = (int)n_out;
  disk->n = (int)fmax(2, n);
  disk->stagger = spec->stagger * (disk->radius - disk->from) / fmax(1, n_out);
  if (!(disk->stagger >= 0 && spec->stagger <= 0.5 * n_out))
    return err_set(
        err, ERR_INPUT,
        "rings of the blank beyond `from` shift by %g of their widths, and there are %g: "
        "at least 0 and at most half as many",
        spec->stagger, n_out);
  if (disk->pattern != T3) disk->n += disk->n % 2;
  return OK;
}

Status blank_disk(Mesh *mesh, const DiskBlank *spec, Err *err) {
  Disk disk;
  *mesh = (Mesh){0};
  TRY(count_disk(spec, &disk, err));
  Draft d = {.width = disk.pattern == Q4 ? 4 : 3, .err = err};
  fill_quarter(&d, &disk);
  if (!spec->quarter) mirror(&d, 0);
  if (!spec->quarter) mirror(&d, 1);
  Status status = d.status;
  if (status == OK) status = to_mesh(mesh, &d, err);
  draft_free(&d);
  if (status == OK) status = add_groups(mesh, spec->quarter, on_rim, spec, err);
  if (status == OK) status = mesh_check(mesh, err);
  if (status != OK) mesh_free(mesh);
  return status;
}

// Distance of |x| from the rim in each direction, in sizes of the rectangle.
static int on_side(const double *x, const RectangleBlank *spec, int axis) {
  const double round = 1e-9;
  return fabs(x[axis]) >= 0.5 * spec->width[axis] * (1 - round);
}

static int on_sides(const double *x, const void *shape) {
  return on_side(x, shape, 0) || on_side(x, shape, 1);
}

// Sides, a quarter has only those at x, y > 0.
static int on_left(const double *x, const void *shape) {
  return x[0] < 0 && on_side(x, shape, 0);
}

static int on_right(const double *x, const void *shape) {
  return x[0] > 0 && on_side(x, shape, 0);
}

static int on_bottom(const double *x, const void *shape) {
  return x[1] < 0 && on_side(x, shape, 1);
}

static int on_top(const double *x, const void *shape) {
  return x[1] > 0 && on_side(x, shape, 1);
}

static int at_corner(const double *x, const void *shape) {
  return on_side(x, shape, 0) && on_side(x, shape, 1);
}

Status blank_rectangle(Mesh *mesh, const RectangleBlank *spec, Err *err) {
  const double round = 1e-9;
  Pattern pattern;
  Mesh flat;
  double part[2], cells[2];
  *mesh = (Mesh){0};
  TRY(find_pattern(spec->pattern, &pattern, err));
  for (int c = 0; c < 2; c++) {
    TRY(check_positive(spec->size[c], "element size", err));
    TRY(check_positive(spec->width[c], "width", err));
    part[c] = spec->quarter ? 0.5 * spec->width[c] : spec->width[c];
    cells[c] = fmax(1, ceil(part[c] / spec->size[c] - round));
  }
  if (!(cells[0] * cells[1] < MAX_CELLS))
    return err_set(err, ERR_INPUT, "the blank has too many elements");
  TRY(mesh_rectangle(&flat, part[0], part[1], (int)cells[0], (int)cells[1],
                     pattern == T3 ? "t3_right" : pattern_name[pattern], err));
  Draft d = {.x = flat.x,
             .node = flat.elem_node,
             .n_nodes = (size_t)flat.n_nodes,
             .n_elems = (size_t)flat.n_elems,
             .width = pattern == Q4 ? 4 : 3};
  for (int k = 0; !spec->quarter && k < flat.n_nodes; k++)
    for (int c = 0; c < 2; c++) {
      double *x = &flat.x[2 * k + c];
      *x -= 0.5 * spec->width[c];
      if (fabs(*x) < round * spec->width[c]) *x = 0; // on the axis exactly
    }
  Status status = to_mesh(mesh, &d, err);
  mesh_free(&flat);
  if (status == OK) status = add_groups(mesh, spec->quarter, on_sides, spec, err);
  if (status == OK) status = add_group(mesh, "corners", at_corner, spec, err);
  if (status == OK) status = add_group(mesh, "left", on_left, spec, err);
  if (status == OK) status = add_group(mesh, "right", on_right, spec, err);
  if (status == OK) status = add_group(mesh, "bottom", on_bottom, spec, err);
  if (status == OK) status = add_group(mesh, "top", on_top, spec, err);
  if (status == OK) status = mesh_check(mesh, err);
  if (status != OK) mesh_free(mesh);
  return status;
}

Status blank_from_facets(Mesh *mesh, Err *err) {
  int32_t *none;
  if (mesh->dim != 3 || mesh->n_elems > 0 || mesh->n_facets == 0)
    return err_set(err, ERR_INPUT,
                   "a sheet is made of triangles or quadrilaterals in space: the mesh of dimension "
                   "%d has %d volumes and %d faces",
                   mesh->dim, mesh->n_elems, mesh->n_facets);
  MEM_NEW(none, 1, err);
  mem_free(mesh->elem_shape);
  mem_free(mesh->elem_ptr);
  mem_free(mesh->elem_node);
  mesh->n_elems = mesh->n_facets;
  mesh->elem_shape = mesh->facet_shape;
  mesh->elem_ptr = mesh->facet_ptr;
  mesh->elem_node = mesh->facet_node;
  mesh->n_facets = 0;
  mesh->facet_shape = NULL;
  mesh->facet_node = NULL;
  mesh->facet_ptr = none;
  for (int g = 0; g < mesh->n_groups; g++)
    if (mesh->groups[g].kind == GROUP_FACETS) mesh->groups[g].kind = GROUP_ELEMENTS;
  return OK;
}

Status blank_to_facets(Mesh *mesh, Err *err) {
  int32_t *none;
  for (int e = 0; e < mesh->n_elems; e++)
    if (topology_table[mesh->elem_shape[e]].dim >= mesh->dim) return OK;
  if (mesh->dim != 3 || mesh->n_facets > 0 || mesh->n_elems == 0) return OK;
  MEM_NEW(none, 1, err);
  mem_free(mesh->facet_shape);
  mem_free(mesh->facet_ptr);
  mem_free(mesh->facet_node);
  mesh->n_facets = mesh->n_elems;
  mesh->facet_shape = mesh->elem_shape;
  mesh->facet_ptr = mesh->elem_ptr;
  mesh->facet_node = mesh->elem_node;
  mesh->n_elems = 0;
  mesh->elem_shape = NULL;
  mesh->elem_node = NULL;
  mesh->elem_ptr = none;
  for (int g = 0; g < mesh->n_groups; g++)
    if (mesh->groups[g].kind == GROUP_ELEMENTS) mesh->groups[g].kind = GROUP_FACETS;
  return OK;
}
