#include "mesh/generate.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/space.h"

const char mesh_patterns[] = "q4|t3_right|t3_left|t3_alternate|t3_cross";

typedef enum { Q4, T3_RIGHT, T3_LEFT, T3_ALTERNATE, T3_CROSS, N_PATTERNS } Pattern;

// Keeps every index of a grid (nodes, or eight nodes for each of its cells) inside int32_t.
static const int64_t MAX_CELLS = INT32_MAX / 16;

static Status find_pattern(const char *name, Pattern *pattern, Err *err) {
  static const char *const names[N_PATTERNS] = {"q4", "t3_right", "t3_left", "t3_alternate",
                                                "t3_cross"};
  for (int k = 0; k < N_PATTERNS; k++)
    if (name && strcmp(name, names[k]) == 0) {
      *pattern = (Pattern)k;
      return OK;
    }
  return err_set(err, ERR_INPUT, "unknown mesh pattern '%s', known are %s", name ? name : "",
                 mesh_patterns);
}

static Status check_counts(const int *n, int dim, Err *err) {
  int64_t cells = 1;
  for (int k = 0; k < dim; k++) {
    if (n[k] < 1) return err_set(err, ERR_INPUT, "%d cells in a direction: at least 1", n[k]);
    cells *= (int64_t)n[k] + 1; // below 2^29 * 2^31 before the check stops it
    if (cells > MAX_CELLS) return err_set(err, ERR_INPUT, "the grid has too many cells");
  }
  return OK;
}

static Status check_positive(double value, const char *what, Err *err) {
  if (isfinite(value) && value > 0) return OK;
  return err_set(err, ERR_INPUT, "%s is %g, it must be positive", what, value);
}

// Elements of cell with corners c (counter-clockwise from lower left) and centre node.
static void add_cell(Mesh *mesh, int *elem, Pattern pattern, const int32_t c[4], int32_t centre) {
  static const signed char split[N_PATTERNS][4][4] = {
      [Q4] = {{0, 1, 2, 3}},
      [T3_RIGHT] = {{0, 1, 2}, {0, 2, 3}},
      [T3_LEFT] = {{0, 1, 3}, {1, 2, 3}},
      [T3_CROSS] = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}};
  int n = pattern == Q4 ? 1 : pattern == T3_CROSS ? 4 : 2;
  int n_nodes = pattern == Q4 ? 4 : 3;
  for (int k = 0; k < n; k++) {
    int e = (*elem)++, at = mesh->elem_ptr[e];
    mesh->elem_shape[e] = pattern == Q4 ? SHAPE_Q4 : SHAPE_T3;
    for (int j = 0; j < n_nodes; j++) {
      int local = split[pattern][k][j];
      mesh->elem_node[at++] = local == 4 ? centre : c[local];
    }
    mesh->elem_ptr[e + 1] = at;
  }
}

// A named side, as a group of facets and as a group of nodes.
static Status add_side(Mesh *mesh, const char *name, int first, int n, Err *err) {
  int32_t *items;
  MEM_NEW(items, n, err);
  for (int k = 0; k < n; k++) items[k] = first + k;
  Status status = mesh_add_group(mesh, name, GROUP_FACETS, items, n, err);
  mem_free(items);
  TRY(status);
  int32_t *nodes;
  int n_nodes;
  TRY(mesh_group_nodes(mesh, &mesh->groups[mesh->n_groups - 1], &nodes, &n_nodes, err));
  status = mesh_add_group(mesh, name, GROUP_NODES, nodes, n_nodes, err);
  mem_free(nodes);
  return status;
}

static Status add_sides_2d(Mesh *mesh, int nx, int ny, Err *err) {
  static const char *const name[4] = {"bottom", "right", "top", "left"};
  TRY(mesh_init_facets(mesh, 2 * (nx + ny), 4 * (nx + ny), err));
  // counter-clockwise from the lower left corner
  const int row = nx + 1, count[4] = {nx, ny, nx, ny}, step[4] = {1, row, -1, -row};
  int node = 0, facet = 0;
  for (int side = 0; side < 4; side++)
    for (int k = 0; k < count[side]; k++, facet++) {
      mesh->facet_shape[facet] = SHAPE_LINE2;
      mesh->facet_node[2 * facet] = node;
      mesh->facet_node[2 * facet + 1] = node += step[side];
      mesh->facet_ptr[facet + 1] = 2 * facet + 2;
    }
  int first = 0;
  for (int side = 0; side < 4; first += count[side++])
    TRY(add_side(mesh, name[side], first, count[side], err));
  return OK;
}

typedef void Map(const void *shape, double s, double t, double x[2]);

static Status fill_grid(Mesh *mesh, Map *map, const void *shape, const int n[2], Pattern pattern,
                        Err *err) {
  int nx = n[0], ny = n[1], elem = 0, n_corners = (nx + 1) * (ny + 1);
  for (int j = 0; j <= ny; j++)
    for (int i = 0; i <= nx; i++)
      map(shape, (double)i / nx, (double)j / ny, mesh->x + 2 * (j * (nx + 1) + i));
  for (int j = 0; j < ny; j++)
    for (int i = 0; i < nx; i++) {
      int32_t first = j * (nx + 1) + i, centre = n_corners + j * nx + i;
      int32_t corner[4] = {first, first + 1, first + nx + 2, first + nx + 1};
      Pattern here = pattern;
      if (pattern == T3_ALTERNATE) here = (i + j) % 2 ? T3_LEFT : T3_RIGHT;
      if (pattern == T3_CROSS) map(shape, (i + 0.5) / nx, (j + 0.5) / ny, mesh->x + 2 * centre);
      add_cell(mesh, &elem, here, corner, centre);
    }
  TRY(add_sides_2d(mesh, nx, ny, err));
  TRY(mesh_add_all(mesh, err));
  return mesh_check(mesh, err);
}

static Status grid(Mesh *mesh, Map *map, const void *shape, const int n[2], const char *name,
                   Err *err) {
  Pattern pattern = Q4;
  *mesh = (Mesh){0};
  TRY(find_pattern(name, &pattern, err));
  TRY(check_counts(n, 2, err));
  int cells = n[0] * n[1], n_nodes = (n[0] + 1) * (n[1] + 1);
  int elems = pattern == Q4 ? 1 : pattern == T3_CROSS ? 4 : 2; // for each cell
  TRY(mesh_init(mesh, 2, n_nodes + (pattern == T3_CROSS ? cells : 0), cells * elems,
                cells * elems * (pattern == Q4 ? 4 : 3), err));
  Status status = fill_grid(mesh, map, shape, n, pattern, err);
  if (status != OK) mesh_free(mesh);
  return status;
}

static void map_rectangle(const void *shape, double s, double t, double x[2]) {
  const double *size = shape;
  x[0] = s * size[0];
  x[1] = t * size[1];
}

Status mesh_rectangle(Mesh *mesh, double w, double h, int nx, int ny, const char *pattern,
                      Err *err) {
  *mesh = (Mesh){0};
  TRY(check_positive(w, "the width of a rectangle", err));
  TRY(check_positive(h, "the height of a rectangle", err));
  return grid(mesh, map_rectangle, (double[2]){w, h}, (int[2]){nx, ny}, pattern, err);
}

static void map_bilinear(const void *shape, double s, double t, double x[2]) {
  const double *corner = shape; // four pairs, counter-clockwise from lower left
  for (int c = 0; c < 2; c++)
    x[c] = (1 - t) * ((1 - s) * corner[c] + s * corner[2 + c]) +
           t * (s * corner[4 + c] + (1 - s) * corner[6 + c]);
}

Status mesh_quadrilateral(Mesh *mesh, const double corner[4][2], int nx, int ny,
                          const char *pattern, Err *err) {
  *mesh = (Mesh){0};
  for (int k = 0; k < 4; k++) {
    const double *a = corner[k], *b = corner[(k + 1) % 4], *c = corner[(k + 2) % 4];
    double turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
    if (!isfinite(turn) || turn <= 0)
      return err_set(err, ERR_INPUT,
                     "a quadrilateral must be convex, its corners counter-clockwise: it turns the "
                     "other way at (%g, %g)",
                     b[0], b[1]);
  }
  return grid(mesh, map_bilinear, corner, (int[2]){nx, ny}, pattern, err);
}

Status mesh_disk(Mesh *mesh, double radius, Err *err) {
  int32_t all[DISK_SIDES + 1];
  *mesh = (Mesh){0};
  TRY(check_positive(radius, "the radius of a disk", err));
  TRY(mesh_init(mesh, 2, DISK_SIDES + 1, DISK_SIDES, 3 * DISK_SIDES, err));
  for (int k = 0; k <= DISK_SIDES; k++) all[k] = k;
  for (int k = 0; k < DISK_SIDES; k++) {
    const int32_t node[3] = {0, 1 + k, 1 + (k + 1) % DISK_SIDES};
    double angle = 2 * PI * k / DISK_SIDES;
    mesh->x[2 * (k + 1)] = radius * cos(angle);
    mesh->x[2 * (k + 1) + 1] = radius * sin(angle);
    mesh->elem_shape[k] = SHAPE_T3;
    mesh->elem_ptr[k + 1] = 3 * (k + 1);
    memcpy(mesh->elem_node + 3 * k, node, sizeof node);
  }
  Status status = mesh_add_group(mesh, "rim", GROUP_NODES, all + 1, DISK_SIDES, err);
  if (status == OK) status = mesh_add_group(mesh, "center", GROUP_NODES, all, 1, err);
  if (status == OK) status = mesh_add_group(mesh, "all", GROUP_ELEMENTS, all, DISK_SIDES, err);
  if (status != OK) mesh_free(mesh);
  return status;
}

static void map_wedge(const void *shape, double s, double t, double x[2]) {
  const RingWedge *wedge = shape;
  double inner = (1 - s) * wedge->left[0] + s * wedge->right[0];
  double outer = (1 - s) * wedge->left[1] + s * wedge->right[1];
  x[0] = (1 - t) * wedge->r0 * cos(inner) + t * wedge->r1 * cos(outer);
  x[1] = (1 - t) * wedge->r0 * sin(inner) + t * wedge->r1 * sin(outer);
}

Status mesh_ring_wedge(Mesh *mesh, const RingWedge *wedge, int n_around, int n_radial,
                       const char *pattern, Err *err) {
  *mesh = (Mesh){0};
  TRY(check_positive(wedge->r0, "the inner radius of a ring", err));
  TRY(check_positive(wedge->r1 - wedge->r0, "the thickness of a ring", err));
  const double full_turn = 2 * PI;
  for (int k = 0; k < 2; k++) {
    double angle = wedge->left[k] - wedge->right[k];
    if (!(angle > 0 && angle < full_turn))
      return err_set(err, ERR_INPUT,
                     "a sector of a ring covers %g rad, it must be between 0 and 2 pi", angle);
  }
  if (!wedge->straight)
    return grid(mesh, map_wedge, wedge, (int[2]){n_around, n_radial}, pattern, err);
  double corner[4][2];
  map_wedge(wedge, 0, 0, corner[0]);
  map_wedge(wedge, 1, 0, corner[1]);
  map_wedge(wedge, 1, 1, corner[2]);
  map_wedge(wedge, 0, 1, corner[3]);
  return mesh_quadrilateral(mesh, (const double(*)[2])corner, n_around, n_radial, pattern, err);
}

// Nodes of the box: x fastest, then y, then z.
static int32_t box_node(const int n[3], int i, int j, int k) {
  return (k * (n[1] + 1) + j) * (n[0] + 1) + i;
}

static void fill_box(Mesh *mesh, const double size[3], const int n[3]) {
  static const signed char corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                           {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  int e = 0;
  for (int k = 0; k <= n[2]; k++)
    for (int j = 0; j <= n[1]; j++)
      for (int i = 0; i <= n[0]; i++) {
        double *x = mesh->x + 3 * (int64_t)box_node(n, i, j, k);
        x[0] = size[0] * ((double)i / n[0]);
        x[1] = size[1] * ((double)j / n[1]);
        x[2] = size[2] * ((double)k / n[2]);
        if (i == n[0] || j == n[1] || k == n[2]) continue;
        mesh->elem_shape[e] = SHAPE_H8;
        for (int c = 0; c < 8; c++)
          mesh->elem_node[8 * e + c] =
              box_node(n, i + corner[c][0], j + corner[c][1], k + corner[c][2]);
        mesh->elem_ptr[e + 1] = 8 * (e + 1);
        e++;
      }
}

// Faces of one side (axis 0..2, at its low or high end), normals outward.
static void add_box_side(Mesh *mesh, const int n[3], int axis, int high, int *facet) {
  int u = (axis + 1) % 3, v = (axis + 2) % 3;
  static const signed char walk[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  for (int b = 0; b < n[v]; b++)
    for (int a = 0; a < n[u]; a++) {
      int f = (*facet)++;
      mesh->facet_shape[f] = SHAPE_Q4;
      mesh->facet_ptr[f + 1] = 4 * (f + 1);
      for (int c = 0; c < 4; c++) {
        int at[3];
        at[axis] = high ? n[axis] : 0;
        at[u] = a + walk[high ? c : 3 - c][0];
        at[v] = b + walk[high ? c : 3 - c][1];
        mesh->facet_node[4 * f + c] = box_node(n, at[0], at[1], at[2]);
      }
    }
}

static Status box_groups(Mesh *mesh, const int n[3], Err *err) {
  static const char *const name[6] = {"x0", "x1", "y0", "y1", "z0", "z1"};
  int n_facets = 2 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]), facet = 0;
  TRY(mesh_init_facets(mesh, n_facets, 4 * n_facets, err));
  for (int side = 0; side < 6; side++) add_box_side(mesh, n, side / 2, side % 2, &facet);
  int first = 0;
  for (int side = 0; side < 6; side++) {
    int count = n[(side / 2 + 1) % 3] * n[(side / 2 + 2) % 3];
    TRY(add_side(mesh, name[side], first, count, err));
    first += count;
  }
  TRY(mesh_add_all(mesh, err));
  return mesh_check(mesh, err);
}

Status mesh_box(Mesh *mesh, const double size[3], const int n[3], Err *err) {
  *mesh = (Mesh){0};
  for (int c = 0; c < 3; c++) TRY(check_positive(size[c], "a side of a box", err));
  TRY(check_counts(n, 3, err));
  int n_elems = n[0] * n[1] * n[2];
  TRY(mesh_init(mesh, 3, (n[0] + 1) * (n[1] + 1) * (n[2] + 1), n_elems, 8 * n_elems, err));
  fill_box(mesh, size, n);
  Status status = box_groups(mesh, n, err);
  if (status != OK) mesh_free(mesh);
  return status;
}
