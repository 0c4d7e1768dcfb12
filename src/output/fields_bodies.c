// Field files of bodies: elements as cells with what they show, nodes as points.

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/space.h"
#include "body/body_type.h"
#include "output/field_table.h"
#include "output/principal.h"
#include "output/sheet_fields.h"

// ---- cells --------------------------------------------------------------------------------------

// An element, as rows are asked about it.
typedef struct {
  const OutputSpec *spec;
  const BodySet *bs;
  int body;
  const FormOutput *shown;
  const double *moment;   // [6]
  double principal[3][3]; // stresses
} Cell;

static void stress(const void *item, int index, double *to) {
  (void)index;
  memcpy(to, ((const Cell *)item)->shown->stress, 6 * sizeof *to);
}

static void equivalent(const void *item, int index, double *to) {
  (void)index;
  *to = von_mises(((const Cell *)item)->shown->stress);
}

static void principal(const void *item, int index, double *to) {
  memcpy(to, ((const Cell *)item)->principal[index], 3 * sizeof *to);
}

static void moment_stress(const void *item, int index, double *to) {
  (void)index;
  memcpy(to, ((const Cell *)item)->moment, 6 * sizeof *to);
}

static void body(const void *item, int index, double *to) {
  (void)index;
  *to = ((const Cell *)item)->body;
}

static void support(const void *item, int index, double *to) {
  const Cell *cell = item;
  (void)index;
  *to = cell->bs->type[cell->body]->support;
}

static void green(const void *item, int index, double *to) {
  (void)index;
  memcpy(to, ((const Cell *)item)->shown->green, 6 * sizeof *to);
}

static void logarithmic(const void *item, int index, double *to) {
  (void)index;
  memcpy(to, ((const Cell *)item)->shown->logarithmic, 6 * sizeof *to);
}

// One number of FormOutput, by its place in it.
static void number(const void *item, int index, double *to) {
  memcpy(to, (const char *)((const Cell *)item)->shown + index, sizeof *to);
}

static void thinning(const void *item, int index, double *to) {
  const Cell *cell = item;
  (void)index;
  if (cell->shown->n_layers == 0) return;
  *to =
      1 - cell->shown->thickness / cell->bs->finite[cell->bs->own[cell->body]].form.spec.thickness;
}

static void limit_index(const void *item, int index, double *to) {
  const Cell *cell = item;
  (void)index;
  for (int k = 0; k < cell->spec->n_limits && cell->shown->n_layers > 0; k++)
    if (cell->spec->limits[k].body == cell->body)
      *to = forming_limit_index(&cell->spec->limits[k], cell->shown->minor, cell->shown->major);
}

// Of the lowest layer, the middle and the upper one; of an even number the middle is the mean of
// the two beside it.
enum { SHEET_BOTTOM, SHEET_MIDDLE, SHEET_TOP };

static double at_place(const double *layer, int n, int place) {
  if (n == 0) return 0;
  if (place == SHEET_BOTTOM) return layer[0];
  if (place == SHEET_TOP) return layer[n - 1];
  return n % 2 ? layer[n / 2] : 0.5 * (layer[n / 2 - 1] + layer[n / 2]);
}

static void plastic_at(const void *item, int index, double *to) {
  const FormOutput *shown = ((const Cell *)item)->shown;
  *to = at_place(shown->layer_plastic, shown->n_layers, index);
}

static void stress_at(const void *item, int index, double *to) {
  const FormOutput *shown = ((const Cell *)item)->shown;
  *to = at_place(shown->layer_stress, shown->n_layers, index);
}

static void plastic_of_layer(const void *item, int index, double *to) {
  const FormOutput *shown = ((const Cell *)item)->shown;
  if (index < shown->n_layers) *to = shown->layer_plastic[index];
}

static void stress_of_layer(const void *item, int index, double *to) {
  const FormOutput *shown = ((const Cell *)item)->shown;
  if (index < shown->n_layers) *to = shown->layer_stress[index];
}

static int finite_bodies(const Model *model, const OutputSpec *spec, int index) {
  (void)spec, (void)index;
  return model->bodies.n_finite > 0;
}

static int temperatures(const Model *model, const OutputSpec *spec, int index) {
  const BodySet *bs = &model->bodies;
  int found = 0;
  (void)spec, (void)index;
  for (int k = 0; k < bs->n_finite; k++)
    found |= bs->finite[k].form.spec.material->type->temperature != NULL;
  return found;
}

// The layers of the sheet that has most; 0: there are no sheets.
static int most_layers(const BodySet *bs) {
  int most = 0;
  for (int k = 0; k < bs->n_finite; k++)
    if (bs->finite[k].form.type->shell && bs->finite[k].form.spec.layers > most)
      most = bs->finite[k].form.spec.layers;
  return most;
}

static int sheets(const Model *model, const OutputSpec *spec, int index) {
  (void)spec, (void)index;
  return most_layers(&model->bodies) > 0;
}

static int limits(const Model *model, const OutputSpec *spec, int index) {
  return spec->n_limits > 0 && sheets(model, spec, index);
}

static int layers(const Model *model, const OutputSpec *spec, int index) {
  return spec->layers && index < most_layers(&model->bodies);
}

#define PLACE(name, place)                                                                         \
  {"plastic_strain_" name, 1, 0, plastic_at, place, sheets}, {                                     \
    "equivalent_stress_" name, 1, 0, stress_at, place, sheets                                      \
  }
#define LAYER(name, layer)                                                                         \
  {"plastic_strain_layer_" name, 1, 0, plastic_of_layer, layer, layers}, {                         \
    "equivalent_stress_layer_" name, 1, 0, stress_of_layer, layer, layers                          \
  }

static const FieldRow cell_rows[] = {
    {"stress", 6, 0, stress, 0, NULL},
    {"von_mises", 1, 0, equivalent, 0, NULL},
    {"principal_1", 3, 0, principal, 0, NULL},
    {"principal_2", 3, 0, principal, 1, NULL},
    {"principal_3", 3, 0, principal, 2, NULL},
    {"moment_stress", 6, 0, moment_stress, 0, NULL},
    {"body", 1, 1, body, 0, NULL},
    {"support", 1, 1, support, 0, NULL},
    {"green_lagrange", 6, 0, green, 0, finite_bodies},
    {"logarithmic_strain", 6, 0, logarithmic, 0, finite_bodies},
    {"plastic_strain", 1, 0, number, offsetof(FormOutput, plastic), finite_bodies},
    {"damage", 1, 0, number, offsetof(FormOutput, damage), finite_bodies},
    {"thickness", 1, 0, number, offsetof(FormOutput, thickness), finite_bodies},
    {"major_strain", 1, 0, number, offsetof(FormOutput, major), finite_bodies},
    {"minor_strain", 1, 0, number, offsetof(FormOutput, minor), finite_bodies},
    {"temperature", 1, 0, number, offsetof(FormOutput, temperature), temperatures},
    {"thinning", 1, 0, thinning, 0, sheets},
    {"forming_limit_index", 1, 0, limit_index, 0, limits},
    PLACE("bottom", SHEET_BOTTOM),
    PLACE("middle", SHEET_MIDDLE),
    PLACE("top", SHEET_TOP),
    LAYER("01", 0),
    LAYER("02", 1),
    LAYER("03", 2),
    LAYER("04", 3),
    LAYER("05", 4),
    LAYER("06", 5),
    LAYER("07", 6),
    LAYER("08", 7),
    LAYER("09", 8),
    LAYER("10", 9),
    LAYER("11", 10),
    LAYER("12", 11),
    LAYER("13", 12),
    LAYER("14", 13),
    LAYER("15", 14),
};
enum { N_CELL_ROWS = sizeof cell_rows / sizeof cell_rows[0] };

// Moment stress of a block, Jean 1999, section 9.3: sum of x (x) r over the contact forces on it,
// about its centre of mass, divided by its volume so that it is a mean stress [Pa]. Of a ring: the
// mean over all of it in axes that stand still, about its axis: what is pulled along the radius
// pulls half along x and half along z.
static void body_moment(const BodySet *bs, const State *state, const StepWork *work, int body,
                        double *m) {
  int dim = bs->dim, ring = bs->axisymmetric;
  double center[3] = {0}, t[3][3] = {{0}}, mass = bodies_mass(bs, body);
  double volume = mass / bodies_material(bs, body)->density;
  double scale = work->report.h > 0 ? 1 / (work->report.h * volume) : 0;
  const double *q = state->bodies.q;
  for (int k = bs->node_ptr[body]; k < bs->node_ptr[body + 1]; k++)
    for (int i = ring; i < dim; i++) {
      size_t at = (size_t)dim * (size_t)k + i;
      center[i] += bodies_node_mass(bs, k) * (bs->x[at] + q[at]) / mass;
    }
  for (int k = bs->node_ptr[body]; k < bs->node_ptr[body + 1]; k++)
    for (int i = 0; i < dim; i++)
      for (int j = 0; j < dim; j++) {
        size_t at = (size_t)dim * (size_t)k;
        t[i][j] += scale * (bs->x[at + i] + q[at + i] - center[i]) * work->impulse[at + j];
      }
  if (ring) {
    t[0][0] = t[2][2] = 0.5 * t[0][0];
    t[0][1] = t[1][0] = 0; // cancels around the axis
  }
  for (int i = 0; i < 3; i++) {
    m[i] = t[i][i];
    m[3 + i] = 0.5 * (t[i][(i + 1) % 3] + t[(i + 1) % 3][i]);
  }
}

static void moment_stresses(const Model *model, const State *state, const StepWork *work,
                            double *moment) {
  const BodySet *bs = &model->bodies;
  memset(moment, 0, sizeof *moment * 6 * (size_t)bs->n_bodies);
  for (int b = 0; b < bs->n_bodies; b++)
    if (bodies_material(bs, b)) body_moment(bs, state, work, b, moment + 6 * (size_t)b);
}

// The cells of a file on their way.
typedef struct {
  Cell item;
  const Mesh *mesh;
  FieldTable table;
  int n; // so far
  int32_t *cell_ptr, *cell_point;
  uint8_t *cell_type;
} Cells;

static Status cells_init(Cells *cells, const Model *model, const OutputSpec *spec, Arena *arena,
                         Err *err) {
  const BodySet *bs = &model->bodies;
  int n = 0, n_points = 0;
  for (int b = 0; b < bs->n_bodies; b++) {
    const Mesh *mesh = bs->mesh[b];
    for (int e = 0; e < mesh->n_elems; e++) {
      if (bodies_lacks(bs, b, e)) continue;
      n++;
      n_points += mesh->elem_ptr[e + 1] - mesh->elem_ptr[e];
    }
  }
  *cells = (Cells){.item = {.spec = spec, .bs = bs}};
  ARENA_NEW(cells->cell_ptr, n + 1, arena, err);
  ARENA_NEW(cells->cell_point, n_points, arena, err);
  ARENA_NEW(cells->cell_type, n, arena, err);
  cells->cell_ptr[0] = 0;
  return field_table_init(&cells->table, cell_rows, N_CELL_ROWS, model, spec, n, arena, err);
}

static void add_cell(void *of, int elem, const FormOutput *shown) {
  Cells *cells = of;
  const Mesh *mesh = cells->mesh;
  int at = cells->cell_ptr[cells->n], first = cells->item.bs->node_ptr[cells->item.body];
  for (int k = mesh->elem_ptr[elem]; k < mesh->elem_ptr[elem + 1]; k++)
    cells->cell_point[at++] = first + mesh->elem_node[k];
  cells->cell_type[cells->n] = (uint8_t)topology_table[mesh->elem_shape[elem]].vtk_code;
  cells->item.shown = shown;
  principal_vectors(shown->stress, cells->item.principal);
  field_table_put(&cells->table, cells->n, &cells->item);
  cells->cell_ptr[++cells->n] = at;
}

static Status fill_cells(const Model *model, const State *state, const StepWork *work, Cells *cells,
                         Arena *arena, Err *err) {
  const BodySet *bs = &model->bodies;
  double *u, *moment;
  int largest = 1;
  for (int b = 0; b < bs->n_bodies; b++)
    if (bs->node_ptr[b + 1] - bs->node_ptr[b] > largest)
      largest = bs->node_ptr[b + 1] - bs->node_ptr[b];
  ARENA_NEW(u, largest * bs->dim, arena, err);
  ARENA_NEW(moment, 6 * bs->n_bodies, arena, err);
  moment_stresses(model, state, work, moment);
  for (int b = 0; b < bs->n_bodies; b++) {
    cells->item.body = b;
    cells->item.moment = moment + 6 * (size_t)b;
    cells->mesh = bs->mesh[b];
    bodies_show(bs, &state->bodies, b, u, add_cell, cells);
  }
  return OK;
}

// ---- points -------------------------------------------------------------------------------------

// A node, as rows are asked about it.
typedef struct {
  const BodySet *bs;
  const BodyState *state;
  const SheetNodes *sheets;
  int node;
} Point;

static void moved_by(const void *item, int index, double *to) {
  const Point *point = item;
  (void)index;
  space_to_three(point->bs->dim, point->state->q + (size_t)point->bs->dim * (size_t)point->node,
                 to);
}

static void velocity(const void *item, int index, double *to) {
  const Point *point = item;
  (void)index;
  space_to_three(point->bs->dim, point->state->v + (size_t)point->bs->dim * (size_t)point->node,
                 to);
}

static void face_pressure(const void *item, int index, double *to) {
  const Point *point = item;
  *to = point->sheets->pressure[index][point->node];
}

static void face_status(const void *item, int index, double *to) {
  const Point *point = item;
  *to = point->sheets->status[index][point->node];
}

static void springback(const void *item, int index, double *to) {
  const Point *point = item;
  (void)index;
  memcpy(to, point->sheets->springback + 3 * (size_t)point->node, 3 * sizeof *to);
}

static void springback_normal(const void *item, int index, double *to) {
  const Point *point = item;
  (void)index;
  *to = point->sheets->distance[point->node];
}

static const FieldRow point_rows[] = {
    {"displacement", 3, 0, moved_by, 0, NULL},
    {"velocity", 3, 0, velocity, 0, NULL},
    {"contact_pressure_bottom", 1, 0, face_pressure, 0, sheets},
    {"contact_pressure_top", 1, 0, face_pressure, 1, sheets},
    {"contact_status_bottom", 1, 1, face_status, 0, sheets},
    {"contact_status_top", 1, 1, face_status, 1, sheets},
    {"springback", 3, 0, springback, 0, sheets},
    {"springback_normal", 1, 0, springback_normal, 0, sheets},
};
enum { N_POINT_ROWS = sizeof point_rows / sizeof point_rows[0] };

// A half space as it is now: the corner of its face where its box begins, and the edges of the box
// from there, the last one down.
typedef struct {
  int dim;
  double origin[3], along[3][3], length[3];
} PlaneNow;

// Nodes of a half space: corner k has bit i set where it is at the far end along direction i, of
// the last direction at the face.
static PlaneNow plane_now(const BodySet *bs, const double *q, int body) {
  const int dim = bs->dim, corner = 1 << (dim - 1);
  size_t first = (size_t)bs->node_ptr[body];
  PlaneNow plane = {.dim = dim};
  for (int i = 0; i < dim; i++) {
    size_t from = (size_t)dim * (first + (size_t)corner),
           to = (size_t)dim * (first + (size_t)(corner ^ (1 << i)));
    double square = 0;
    for (int c = 0; c < dim; c++) {
      size_t at = (size_t)c;
      plane.origin[c] = bs->x[from + at] + q[from + at];
      plane.along[i][c] = bs->x[to + at] + q[to + at] - plane.origin[c];
      square += plane.along[i][c] * plane.along[i][c];
    }
    plane.length[i] = sqrt(square);
    for (int c = 0; c < dim; c++) plane.along[i][c] /= plane.length[i];
  }
  return plane;
}

// Of a vector of the nodes of a half space what it is at a place along its directions: they move as
// one.
static void plane_mean(const PlaneNow *plane, const double place[3], const double *vector,
                       double *value) {
  const int dim = plane->dim;
  for (int i = 0; i < dim; i++) value[i] = 0;
  for (int k = 0; k < 1 << dim; k++) {
    double weight = 1;
    for (int i = 0; i < dim; i++) {
      int far = (k >> i & 1) != (i == dim - 1);
      double share = place[i] / plane->length[i];
      weight *= far ? share : 1 - share;
    }
    for (int i = 0; i < dim; i++) value[i] += weight * vector[dim * k + i];
  }
}

// A half space is drawn as a slab below the deformable bodies as they are now, a fifth of their
// extent longer than they are, so that a picture shows the bodies. `points` [3 n_nodes] are those
// of the start, `shown` has displacements and velocities that belong to them.
static void draw_plane(const BodySet *bs, const BodyState *state, int body, double *points,
                       BodyState *shown) {
  const PlaneNow plane = plane_now(bs, state->q, body);
  const int dim = bs->dim;
  size_t first = (size_t)bs->node_ptr[body];
  double low[3], high[3], widest = 0;
  for (int i = 0; i < dim; i++) {
    low[i] = (double)INFINITY;
    high[i] = -low[i];
  }
  for (int k = 0; k < bs->n_nodes; k++) {
    if (!bodies_material(bs, bs->body_of[k])) continue;
    for (int i = 0; i < dim - 1; i++) {
      double along = 0;
      for (int c = 0; c < dim; c++)
        along += plane.along[i][c] * (bs->x[dim * k + c] + state->q[dim * k + c] - plane.origin[c]);
      low[i] = fmin(low[i], along);
      high[i] = fmax(high[i], along);
    }
  }
  for (int i = 0; i < dim - 1; i++) widest = fmax(widest, high[i] - low[i]);
  if (!(widest > 0)) return;
  for (int i = 0; i < dim - 1; i++) {
    low[i] -= 0.2 * widest;
    high[i] += 0.2 * widest;
  }
  low[dim - 1] = 0;
  high[dim - 1] = 0.1 * widest;
  for (int k = 0; k < 1 << dim; k++) {
    size_t node = first + (size_t)k, at = (size_t)dim * node, from = (size_t)dim * first;
    double place[3];
    for (int i = 0; i < dim; i++) place[i] = (k >> i & 1) != (i == dim - 1) ? high[i] : low[i];
    plane_mean(&plane, place, bs->x + from, points + 3 * node);
    plane_mean(&plane, place, state->q + from, shown->q + at);
    plane_mean(&plane, place, state->v + from, shown->v + at);
  }
}

// Half spaces by the part of them that a picture shows; of all others the state is what is shown.
static Status draw_planes(const BodySet *bs, const BodyState *state, double *points,
                          BodyState *shown, Arena *arena, Err *err) {
  size_t n = (size_t)bs->n_nodes * (size_t)bs->dim;
  int any = 0;
  for (int b = 0; b < bs->n_bodies; b++) any |= bs->plane[b];
  *shown = *state;
  if (!any) return OK;
  ARENA_NEW(shown->q, n, arena, err);
  ARENA_NEW(shown->v, n, arena, err);
  memcpy(shown->q, state->q, n * sizeof *shown->q);
  memcpy(shown->v, state->v, n * sizeof *shown->v);
  for (int b = 0; b < bs->n_bodies; b++)
    if (bs->plane[b]) draw_plane(bs, state, b, points, shown);
  return OK;
}

static Status write_bodies(const Model *model, const State *state, const StepWork *work,
                           const char *path, const OutputSpec *spec, Arena *arena, Err *err) {
  const BodySet *bs = &model->bodies;
  Cells cells;
  FieldTable points;
  SheetNodes sheet_nodes = {0};
  BodyState shown;
  Point point = {.bs = bs, .state = &shown, .sheets = &sheet_nodes};
  double *x;
  TRY(cells_init(&cells, model, spec, arena, err));
  TRY(fill_cells(model, state, work, &cells, arena, err));
  if (most_layers(bs) > 0) TRY(sheet_nodes_find(&sheet_nodes, model, state, work, arena, err));
  TRY(field_table_init(&points, point_rows, N_POINT_ROWS, model, spec, bs->n_nodes, arena, err));
  ARENA_NEW(x, 3 * bs->n_nodes, arena, err);
  for (int k = 0; k < bs->n_nodes; k++)
    space_to_three(bs->dim, bs->x + (size_t)bs->dim * (size_t)k, x + 3 * (size_t)k);
  TRY(draw_planes(bs, &state->bodies, x, &shown, arena, err));
  for (point.node = 0; point.node < bs->n_nodes; point.node++)
    field_table_put(&points, point.node, &point);
  VtkGrid grid = field_grid(state, spec);
  grid.n_points = bs->n_nodes;
  grid.points = x;
  grid.n_cells = cells.n;
  grid.cell_ptr = cells.cell_ptr;
  grid.cell_point = cells.cell_point;
  grid.cell_type = cells.cell_type;
  grid.n_point_arrays = points.n;
  grid.point_arrays = points.array;
  grid.n_cell_arrays = cells.table.n;
  grid.cell_arrays = cells.table.array;
  return vtk_write(&grid, path, spec->ascii, err);
}

Status fields_write_bodies(const Model *model, const State *state, const StepWork *work,
                           const char *path, const OutputSpec *spec, Err *err) {
  return field_write(write_bodies, model, state, work, path, spec, err);
}
