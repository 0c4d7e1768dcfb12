// Field files of contacts: each as a point with its force, and lines of force through them.

#include <math.h>
#include <string.h>

#include "base/space.h"
#include "base/vec3.h"
#include "output/field_table.h"

// Where a contact was at the start, and how far it has come: as bodies are written, so that one
// factor on `displacement` moves all alike.
static void place_contact(const BodySet *bs, const State *state, const Contact *contact,
                          double start[3], double displacement[3]) {
  double now[3];
  contact_place(bs, contact, NULL, start);
  contact_place(bs, contact, state->bodies.q, now);
  for (int i = 0; i < 3; i++) displacement[i] = now[i] - start[i];
}

// A contact, as rows are asked about it.
typedef struct {
  const BodySet *bs;
  const StepWork *work;
  const Contact *contact;
  int at;
  const double *velocity; // in its axes
  double force[3], now_h; // in its axes [N]; size of the sub-step [s]
  double start[3], displacement[3];
} Shown;

static void reaction(const void *item, int index, double *to) {
  const Shown *shown = item;
  (void)index;
  contact_to_global(shown->contact, shown->bs->dim, shown->force, to);
}

static void normal(const void *item, int index, double *to) {
  (void)index;
  memcpy(to, ((const Shown *)item)->contact->n, 3 * sizeof *to);
}

static void velocity(const void *item, int index, double *to) {
  const Shown *shown = item;
  (void)index;
  contact_velocity_to_global(shown->contact, shown->bs->dim, shown->velocity, to);
}

static void displacement(const void *item, int index, double *to) {
  (void)index;
  memcpy(to, ((const Shown *)item)->displacement, 3 * sizeof *to);
}

static void reaction_n(const void *item, int index, double *to) {
  (void)index;
  *to = ((const Shown *)item)->force[0];
}

// In the plane with its sign along t.
static void reaction_t(const void *item, int index, double *to) {
  const Shown *shown = item;
  (void)index;
  *to = shown->bs->dim == 2 ? shown->force[1]
                            : hypot(shown->force[1], shown->contact->ratio * shown->force[2]);
}

static void gap(const void *item, int index, double *to) {
  const Shown *shown = item;
  (void)index;
  *to = shown->work->gap[shown->at];
}

// g~ advanced by h U_N.
static void gap_predicted(const void *item, int index, double *to) {
  const Shown *shown = item;
  (void)index;
  *to = shown->contact->gap + shown->now_h * shown->velocity[0];
}

static void status(const void *item, int index, double *to) {
  const Shown *shown = item;
  (void)index;
  *to = contact_status(shown->work->contact, shown->at);
}

static void law(const void *item, int index, double *to) {
  (void)index;
  *to = ((const Shown *)item)->contact->rule;
}

static void side(const void *item, int index, double *to) {
  *to = ((const Shown *)item)->contact->side[index].body;
}

static const FieldRow rows[] = {
    {"reaction", 3, 0, reaction, 0, NULL},
    {"normal", 3, 0, normal, 0, NULL},
    {"velocity", 3, 0, velocity, 0, NULL},
    {"displacement", 3, 0, displacement, 0, NULL},
    {"reaction_n", 1, 0, reaction_n, 0, NULL},
    {"reaction_t", 1, 0, reaction_t, 0, NULL},
    {"gap", 1, 0, gap, 0, NULL},
    {"gap_predicted", 1, 0, gap_predicted, 0, NULL},
    {"status", 1, 1, status, 0, NULL},
    {"law", 1, 1, law, 0, NULL},
    {"candidate", 1, 1, side, 0, NULL},
    {"antagonist", 1, 1, side, 1, NULL},
};

static Status write_contacts(const Model *model, const State *state, const StepWork *work,
                             const char *path, const OutputSpec *spec, Arena *arena, Err *err) {
  int n = work->reaction ? contact_count(work->contact) : 0; // none before the first step
  int dim = model->bodies.dim;
  Shown item = {.bs = &model->bodies, .work = work, .now_h = work->report.h_last};
  FieldTable table;
  double *points;
  int32_t *cell_ptr, *cell_point;
  uint8_t *cell_type;
  ARENA_NEW(points, 3 * n, arena, err);
  ARENA_NEW(cell_ptr, n + 1, arena, err);
  ARENA_NEW(cell_point, n, arena, err);
  ARENA_NEW(cell_type, n, arena, err);
  TRY(field_table_init(&table, rows, sizeof rows / sizeof rows[0], model, spec, n, arena, err));
  cell_ptr[0] = 0;
  for (int c = 0; c < n; c++) {
    item.at = c;
    item.contact = &contact_list(work->contact)[c];
    item.velocity = work->velocity + (size_t)dim * (size_t)c;
    for (int i = 0; i < dim; i++)
      item.force[i] = work->reaction[(size_t)dim * (size_t)c + (size_t)i] / item.now_h;
    place_contact(item.bs, state, item.contact, points + 3 * (size_t)c, item.displacement);
    field_table_put(&table, c, &item);
    cell_ptr[c + 1] = c + 1;
    cell_point[c] = c;
    cell_type[c] = 1; // VTK_VERTEX
  }
  VtkGrid grid = field_grid(state, spec);
  grid.n_points = grid.n_cells = n;
  grid.points = points;
  grid.cell_ptr = cell_ptr;
  grid.cell_point = cell_point;
  grid.cell_type = cell_type;
  grid.n_point_arrays = table.n;
  grid.point_arrays = table.array;
  return vtk_write(&grid, path, spec->ascii, err);
}

Status fields_write_contacts(const Model *model, const State *state, const StepWork *work,
                             const char *path, const OutputSpec *spec, Err *err) {
  return field_write(write_contacts, model, state, work, path, spec, err);
}

// ---- lines of force -----------------------------------------------------------------------------

// Mean size of the deformable bodies: the length of the longest line.
static double mean_body_size(const Model *model) {
  const BodySet *bs = &model->bodies;
  double sum = 0;
  int n = 0;
  for (int p = 0; p < bs->n_protos + bs->n_finite; p++) {
    double low[3], high[3];
    mesh_bounds(p < bs->n_protos ? bs->protos[p].mesh : bs->mesh[bs->finite[p - bs->n_protos].body],
                low, high);
    sum += hypot(high[0] - low[0], high[1] - low[1]);
    n++;
  }
  return n > 0 ? sum / n : 1;
}

static double length_of(int dim, const double *r) {
  double three[3];
  space_to_three(dim, r, three);
  return vec3_length(three);
}

typedef struct {
  int n;                                 // lines
  double *points, *displacement, *force; // two points a line
  int32_t *cell_ptr, *cell_point;
} ForceFields;

static Status force_fields_take(ForceFields *f, int n, Arena *arena, Err *err) {
  ARENA_NEW(f->points, 6 * n, arena, err);
  ARENA_NEW(f->displacement, 6 * n, arena, err);
  ARENA_NEW(f->force, 2 * n, arena, err);
  ARENA_NEW(f->cell_ptr, n + 1, arena, err);
  ARENA_NEW(f->cell_point, 2 * n, arena, err);
  f->cell_ptr[0] = 0;
  return OK;
}

// The line of contact c, as long as `scale` times its impulse to each side; none if that is zero.
static void add_line(const Model *model, const State *state, const StepWork *work, int c,
                     double scale, ForceFields *f) {
  const BodySet *bs = &model->bodies;
  const Contact *contact = &contact_list(work->contact)[c];
  const double *r = work->reaction + (size_t)bs->dim * c;
  double size = length_of(bs->dim, r), place[3], displacement[3], along[3];
  if (!(size > 0)) return;
  place_contact(bs, state, contact, place, displacement);
  contact_to_global(contact, bs->dim, r, along);
  for (int end = 0; end < 2; end++) {
    int k = 2 * f->n + end;
    for (int i = 0; i < 3; i++) {
      f->points[3 * (size_t)k + i] = place[i] + (end ? scale : -scale) * along[i];
      f->displacement[3 * (size_t)k + i] = displacement[i];
    }
    f->force[k] = size / work->report.h_last;
    f->cell_point[k] = k;
  }
  f->n++;
  f->cell_ptr[f->n] = 2 * f->n;
}

static Status write_forces(const Model *model, const State *state, const StepWork *work,
                           const char *path, const OutputSpec *spec, Arena *arena, Err *err) {
  int n = work->reaction ? contact_count(work->contact) : 0, dim = model->bodies.dim;
  ForceFields f = {0};
  TRY(force_fields_take(&f, n, arena, err));
  double largest = 0;
  for (int c = 0; c < n; c++)
    largest = fmax(largest, length_of(dim, work->reaction + (size_t)dim * c));
  double scale = largest > 0 ? 0.5 * mean_body_size(model) / largest : 0;
  for (int c = 0; c < n; c++) add_line(model, state, work, c, scale, &f);
  const VtkArray arrays[] = {{"displacement", 3, f.displacement, NULL},
                             {"force", 1, f.force, NULL}};
  VtkGrid grid = field_grid(state, spec);
  grid.polydata = 1;
  grid.n_points = 2 * (int64_t)f.n;
  grid.points = f.points;
  grid.n_cells = f.n;
  grid.cell_ptr = f.cell_ptr;
  grid.cell_point = f.cell_point;
  grid.n_point_arrays = sizeof arrays / sizeof arrays[0];
  grid.point_arrays = arrays;
  return vtk_write(&grid, path, spec->ascii, err);
}

Status fields_write_forces(const Model *model, const State *state, const StepWork *work,
                           const char *path, const OutputSpec *spec, Err *err) {
  return field_write(write_forces, model, state, work, path, spec, err);
}
