// Fields for ParaView: bodies as cells with stresses, contacts as points with reactions.

#include <math.h>
#include <string.h>

#include "body/finite.h"
#include "file/vtk.h"
#include "output/output.h"
#include "output/sheet_fields.h"

// ---- tensors ------------------------------------------------------------------------------------------

// Eigenvalues and eigenvectors (columns of v) of a symmetric 3 x 3 matrix by Jacobi rotations.
static void jacobi(double a[3][3], double v[3][3]) {
  enum { SWEEPS = 30 }; // four or five do
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) v[i][j] = i == j;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double off = fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]);
    if (!(off > 0)) return;
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (a[p][q] == 0) continue;
        double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < 3; k++) {
          double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y;
          a[k][q] = s * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
          double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y;
          a[q][k] = s * x + c * y;
        }
        for (int k = 0; k < 3; k++) {
          double x = v[k][p], y = v[k][q];
          v[k][p] = c * x - s * y;
          v[k][q] = s * x + c * y;
        }
      }
  }
}

// 1 or -1: a direction has no sign, so its largest component is shown positive, of alike ones the first.
static double shown_sign(const double d[3]) {
  const double alike = 1 - 1e-6;
  double largest = fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2])));
  int i = 0;
  while (i < 2 && fabs(d[i]) < alike * largest) i++;
  return d[i] < 0 ? -1 : 1;
}

// Principal stresses as vectors: direction times value, largest first.
static void principal_vectors(const double s[6], double p[3][3]) {
  double value[3], direction[3][3];
  if (s[4] == 0 && s[5] == 0) { // in the plane: closed form, the third is along z
    double mean = 0.5 * (s[0] + s[1]), radius = hypot(0.5 * (s[0] - s[1]), s[3]);
    double angle = 0.5 * atan2(2 * s[3], s[0] - s[1]);
    const double values[3] = {mean + radius, mean - radius, s[2]};
    const double directions[3][3] = {
        {cos(angle), sin(angle), 0}, {-sin(angle), cos(angle), 0}, {0, 0, 1}};
    memcpy(value, values, sizeof value);
    memcpy(direction, directions, sizeof direction);
  } else {
    double a[3][3] = {{s[0], s[3], s[5]}, {s[3], s[1], s[4]}, {s[5], s[4], s[2]}}, v[3][3];
    jacobi(a, v);
    for (int k = 0; k < 3; k++) {
      value[k] = a[k][k];
      for (int i = 0; i < 3; i++) direction[k][i] = v[i][k];
    }
  }
  int order[3] = {0, 1, 2};
  for (int i = 0; i < 2; i++)
    for (int j = i + 1; j < 3; j++)
      if (value[order[j]] > value[order[i]]) {
        int swap = order[i];
        order[i] = order[j];
        order[j] = swap;
      }
  for (int k = 0; k < 3; k++) {
    const double *d = direction[order[k]];
    double sign = shown_sign(d);
    for (int i = 0; i < 3; i++) p[k][i] = sign * value[order[k]] * d[i];
  }
}

static double von_mises(const double s[6]) {
  double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
  return sqrt(0.5 * (a * a + b * b + c * c) + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

// ---- bodies -----------------------------------------------------------------------------------------

typedef struct {
  int n_points, n_cells;
  double *points, *displacement, *velocity; // [n_points * 3]
  int32_t *cell_ptr, *cell_point, *body, *support;
  uint8_t *cell_type;
  double *stress, *von_mises, *principal[3], *moment; // on cells
  // of finite bodies, zero in others; NULL where the model has none
  double *green, *logarithmic, *plastic, *damage, *thickness, *major, *minor, *temperature;
  int has_sheets;
  SheetFields sheet;
  const OutputSpec *spec;
} BodyFields;

static Status body_fields_take(BodyFields *f, int n_points, int n_cells, int n_cell_points,
                               Arena *arena, Err *err) {
  *f = (BodyFields){.n_points = n_points, .n_cells = n_cells};
  ARENA_NEW(f->points, 3 * n_points, arena, err);
  ARENA_NEW(f->displacement, 3 * n_points, arena, err);
  ARENA_NEW(f->velocity, 3 * n_points, arena, err);
  ARENA_NEW(f->cell_ptr, n_cells + 1, arena, err);
  ARENA_NEW(f->cell_point, n_cell_points, arena, err);
  ARENA_NEW(f->body, n_cells, arena, err);
  ARENA_NEW(f->support, n_cells, arena, err);
  ARENA_NEW(f->cell_type, n_cells, arena, err);
  ARENA_NEW(f->stress, 6 * n_cells, arena, err);
  ARENA_NEW(f->moment, 6 * n_cells, arena, err);
  ARENA_NEW(f->von_mises, n_cells, arena, err);
  for (int k = 0; k < 3; k++) ARENA_NEW(f->principal[k], 3 * n_cells, arena, err);
  return OK;
}

static Status finite_fields_take(BodyFields *f, int n_cells, Arena *arena, Err *err) {
  double **one[] = {&f->plastic, &f->damage, &f->thickness, &f->major, &f->minor, &f->temperature};
  ARENA_NEW(f->green, 6 * n_cells, arena, err);
  ARENA_NEW(f->logarithmic, 6 * n_cells, arena, err);
  memset(f->green, 0, sizeof(double) * 6 * (size_t)n_cells);
  memset(f->logarithmic, 0, sizeof(double) * 6 * (size_t)n_cells);
  for (size_t k = 0; k < sizeof one / sizeof one[0]; k++) {
    ARENA_NEW(*one[k], n_cells, arena, err);
    memset(*one[k], 0, sizeof(double) * (size_t)n_cells);
  }
  return OK;
}

// What the form of a finite body shows of an element.
static void finite_cell(const BodySet *bs, const State *state, int body, int elem, int cell,
                        BodyFields *f, double s[6]) {
  const FiniteBody *finite = &bs->finite[bs->own[body]];
  FiniteIterate at = {.state = &state->bodies,
                      .u = state->bodies.q,
                      .config = state->bodies.config,
                      .internal = state->bodies.internal};
  FormPoint point = finite_point(bs, bs->own[body], &at);
  FormOutput out;
  finite->form.type->output(&finite->form, elem, &point, &out);
  memcpy(s, out.stress, sizeof out.stress);
  memcpy(f->green + 6 * (size_t)cell, out.green, sizeof out.green);
  memcpy(f->logarithmic + 6 * (size_t)cell, out.logarithmic, sizeof out.logarithmic);
  f->plastic[cell] = out.plastic;
  f->damage[cell] = out.damage;
  f->thickness[cell] = out.thickness;
  f->major[cell] = out.major;
  f->minor[cell] = out.minor;
  if (out.n_layers > 0) sheet_fields_cell(&f->sheet, bs, f->spec, body, cell, &out);
  f->temperature[cell] = out.temperature;
}

static void fill_points(const BodySet *bs, const BodyState *state, BodyFields *f) {
  memset(f->points, 0, sizeof(double) * 3 * (size_t)f->n_points);
  memset(f->displacement, 0, sizeof(double) * 3 * (size_t)f->n_points);
  memset(f->velocity, 0, sizeof(double) * 3 * (size_t)f->n_points);
  for (int k = 0; k < f->n_points; k++)
    for (int i = 0; i < bs->dim; i++) {
      size_t from = (size_t)k * bs->dim + i, to = 3 * (size_t)k + i;
      f->points[to] = bs->x[from];
      f->displacement[to] = state->q[from];
      f->velocity[to] = state->v[from];
    }
}

// A half space is drawn as a slab below the deformable bodies, a fifth of their extent longer than they
// are, so that a picture shows the bodies. Its nodes: lower left, lower right, upper left, upper right.
static void draw_plane(const BodySet *bs, const BodyState *state, int body, BodyFields *f) {
  const double *q = bs->place + 4 * (size_t)body;
  int first = bs->node_ptr[body];
  double low = (double)INFINITY, high = -(double)INFINITY;
  const double *origin = bs->x + 2 * (size_t)(first + 2), *move = state->q + 2 * (size_t)first;
  for (int k = 0; k < bs->n_nodes; k++) {
    if (!bodies_material(bs, bs->body_of[k])) continue;
    double along = 0;
    for (int i = 0; i < 2; i++)
      along += q[2 * i] * (bs->x[2 * k + i] + state->q[2 * k + i] - move[i] - origin[i]);
    low = fmin(low, along);
    high = fmax(high, along);
  }
  if (!(high > low)) return;
  double margin = 0.2 * (high - low), depth = 0.1 * (high - low);
  const double along[4] = {low - margin, high + margin, low - margin, high + margin},
               up[4] = {-depth, -depth, 0, 0};
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 2; i++)
      f->points[3 * (size_t)(first + k) + i] =
          origin[i] + q[2 * i] * along[k] + q[2 * i + 1] * up[k];
}

// Moment stress of a block, Jean 1999, section 9.3: sum of x (x) r over the contact forces on it, about
// its centre of mass, divided by its volume so that it is a mean stress [Pa]. Of a ring: the mean over all of it in
// axes that stand still, about its axis: what is pulled along the radius pulls half along x and half along z.
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

static void moment_stress(const Model *model, const State *state, const StepWork *work,
                          double *moment) {
  const BodySet *bs = &model->bodies;
  memset(moment, 0, sizeof *moment * 6 * (size_t)bs->n_bodies);
  for (int b = 0; b < bs->n_bodies; b++)
    if (bodies_material(bs, b)) body_moment(bs, state, work, b, moment + 6 * (size_t)b);
}

static void fill_cells(const Model *model, const State *state, const double *moment, double *u,
                       BodyFields *f) {
  const BodySet *bs = &model->bodies;
  int cell = 0, at = 0;
  f->cell_ptr[0] = 0;
  for (int b = 0; b < bs->n_bodies; b++) {
    const Mesh *mesh = bs->mesh[b];
    const BodyType *type = bs->type[b];
    if (type->deforms && !type->iterated)
      dynamics_local_displacement(bs, state->bodies.frame, state->bodies.q, b, u);
    for (int e = 0; e < mesh->n_elems; e++) {
      if (bodies_lacks(bs, b, e)) continue;
      double *s = f->stress + 6 * (size_t)cell, p[3][3];
      for (int k = mesh->elem_ptr[e]; k < mesh->elem_ptr[e + 1]; k++)
        f->cell_point[at++] = bs->node_ptr[b] + mesh->elem_node[k];
      f->cell_ptr[cell + 1] = at;
      f->cell_type[cell] = (uint8_t)topology_table[mesh->elem_shape[e]].vtk_code;
      f->body[cell] = b;
      f->support[cell] = (uint8_t)type->support;
      memset(s, 0, 6 * sizeof *s);
      if (type->deforms && !type->iterated) dynamics_stress(bs, state->bodies.frame, b, e, u, s);
      if (type->iterated) finite_cell(bs, state, b, e, cell, f, s);
      f->von_mises[cell] = von_mises(s);
      principal_vectors(s, p);
      for (int k = 0; k < 3; k++) memcpy(f->principal[k] + 3 * (size_t)cell, p[k], sizeof p[k]);
      memcpy(f->moment + 6 * (size_t)cell, moment + 6 * (size_t)b, 6 * sizeof *moment);
      cell++;
    }
  }
}

static int largest_body(const BodySet *bs) {
  int most = 1;
  for (int b = 0; b < bs->n_bodies; b++)
    if (bs->node_ptr[b + 1] - bs->node_ptr[b] > most) most = bs->node_ptr[b + 1] - bs->node_ptr[b];
  return most;
}

static int has_temperature(const BodySet *bs) {
  int found = 0;
  for (int k = 0; k < bs->n_finite; k++)
    found |= bs->finite[k].form.spec.material->type->temperature != NULL;
  return found;
}

static Status write_body_grid(const BodyFields *f, const State *state, const char *path,
                              const OutputSpec *spec, const BodySet *bs, Err *err) {
  enum { N_LINEAR = 8, N_FINITE = 16, N_POINT = 2 };
  VtkArray on_points[N_POINT + N_SHEET_POINT_ARRAYS] = {{"displacement", 3, f->displacement, NULL},
                                                        {"velocity", 3, f->velocity, NULL}};
  VtkArray on_cells[N_FINITE + MAX_SHEET_CELL_ARRAYS] = {
      {"stress", 6, f->stress, NULL},
      {"von_mises", 1, f->von_mises, NULL},
      {"principal_1", 3, f->principal[0], NULL},
      {"principal_2", 3, f->principal[1], NULL},
      {"principal_3", 3, f->principal[2], NULL},
      {"moment_stress", 6, f->moment, NULL},
      {"body", 1, NULL, f->body},
      {"support", 1, NULL, f->support},
      {"green_lagrange", 6, f->green, NULL},
      {"logarithmic_strain", 6, f->logarithmic, NULL},
      {"plastic_strain", 1, f->plastic, NULL},
      {"damage", 1, f->damage, NULL},
      {"thickness", 1, f->thickness, NULL},
      {"major_strain", 1, f->major, NULL},
      {"minor_strain", 1, f->minor, NULL},
      {"temperature", 1, f->temperature, NULL}};
  int n_points = N_POINT, n_cells = bs->n_finite > 0 ? N_FINITE - !has_temperature(bs) : N_LINEAR;
  if (f->has_sheets) {
    n_points += sheet_fields_point_arrays(&f->sheet, on_points + n_points);
    n_cells += sheet_fields_cell_arrays(&f->sheet, on_cells + n_cells);
  }
  VtkGrid grid = {.title = spec->title,
                  .time = state->t,
                  .step = state->step,
                  .moved = spec->moved,
                  .n_points = f->n_points,
                  .points = f->points,
                  .n_cells = f->n_cells,
                  .cell_ptr = f->cell_ptr,
                  .cell_point = f->cell_point,
                  .cell_type = f->cell_type,
                  .n_point_arrays = n_points,
                  .point_arrays = on_points,
                  .n_cell_arrays = n_cells,
                  .cell_arrays = on_cells};
  return vtk_write(&grid, path, spec->ascii, err);
}

static Status write_bodies(const Model *model, const State *state, const StepWork *work,
                           const char *path, const OutputSpec *spec, Arena *arena, Err *err) {
  const BodySet *bs = &model->bodies;
  int n_cells = 0, n_cell_points = 0;
  for (int b = 0; b < bs->n_bodies; b++) {
    const Mesh *mesh = bs->mesh[b];
    for (int e = 0; e < mesh->n_elems; e++) {
      if (bodies_lacks(bs, b, e)) continue;
      n_cells++;
      n_cell_points += mesh->elem_ptr[e + 1] - mesh->elem_ptr[e];
    }
  }
  BodyFields f = {0};
  double *u = NULL, *moment = NULL;
  TRY(body_fields_take(&f, bs->n_nodes, n_cells, n_cell_points, arena, err));
  f.spec = spec;
  if (bs->n_finite > 0) TRY(finite_fields_take(&f, n_cells, arena, err));
  f.has_sheets = sheet_fields_wanted(bs);
  if (f.has_sheets) {
    TRY(sheet_fields_take(&f.sheet, bs, spec, bs->n_nodes, n_cells, arena, err));
    TRY(sheet_fields_contacts(&f.sheet, model, state, work, arena, err));
    TRY(sheet_fields_springback(&f.sheet, model, state, arena, err));
  }
  ARENA_NEW(u, largest_body(bs) * bs->dim, arena, err);
  ARENA_NEW(moment, 6 * bs->n_bodies, arena, err);
  fill_points(bs, &state->bodies, &f);
  for (int b = 0; b < bs->n_bodies; b++)
    if (bs->plane[b]) draw_plane(bs, &state->bodies, b, &f);
  moment_stress(model, state, work, moment);
  fill_cells(model, state, moment, u, &f);
  return write_body_grid(&f, state, path, spec, bs, err);
}

Status fields_write_bodies(const Model *model, const State *state, const StepWork *work,
                           const char *path, const OutputSpec *spec, Err *err) {
  Arena arena = {0};
  Status status = write_bodies(model, state, work, path, spec, &arena, err);
  arena_free(&arena);
  return status;
}

// ---- contacts ---------------------------------------------------------------------------------------

typedef struct {
  double *points, *displacement;                         // [n * 3]
  double *normal, *reaction, *velocity;                  // [n * 3]
  double *reaction_n, *reaction_t, *gap, *gap_predicted; // [n]
  int32_t *status, *law, *candidate, *antagonist;        // [n]
  int32_t *cell_ptr, *cell_point;
  uint8_t *cell_type;
} ContactFields;

static Status contact_fields_take(ContactFields *f, int n, Arena *arena, Err *err) {
  ARENA_NEW(f->points, 3 * n, arena, err);
  ARENA_NEW(f->displacement, 3 * n, arena, err);
  ARENA_NEW(f->normal, 3 * n, arena, err);
  ARENA_NEW(f->reaction, 3 * n, arena, err);
  ARENA_NEW(f->velocity, 3 * n, arena, err);
  ARENA_NEW(f->reaction_n, n, arena, err);
  ARENA_NEW(f->reaction_t, n, arena, err);
  ARENA_NEW(f->gap, n, arena, err);
  ARENA_NEW(f->gap_predicted, n, arena, err);
  ARENA_NEW(f->status, n, arena, err);
  ARENA_NEW(f->law, n, arena, err);
  ARENA_NEW(f->candidate, n, arena, err);
  ARENA_NEW(f->antagonist, n, arena, err);
  ARENA_NEW(f->cell_ptr, n + 1, arena, err);
  ARENA_NEW(f->cell_point, n, arena, err);
  ARENA_NEW(f->cell_type, n, arena, err);
  return OK;
}

// Where a contact was at the start, and how far it has come: as bodies are written, so that one factor on
// `displacement` moves all alike.
static void place_contact(const BodySet *bs, const State *state, const Contact *contact,
                          double start[3], double displacement[3]) {
  double now[3];
  contact_place(bs, contact, NULL, start);
  contact_place(bs, contact, state->bodies.q, now);
  for (int i = 0; i < 3; i++) displacement[i] = now[i] - start[i];
}

static void fill_contact(const Model *model, const State *state, const StepWork *work, int c,
                         ContactFields *f) {
  const BodySet *bs = &model->bodies;
  const Contact *contact = &contact_list(work->contact)[c];
  int dim = bs->dim;
  const double *r = work->reaction + (size_t)dim * c, *u = work->velocity + (size_t)dim * c;
  double h = work->report.h_last, force[3];
  for (int i = 0; i < dim; i++) force[i] = r[i] / h;
  place_contact(bs, state, contact, f->points + 3 * (size_t)c, f->displacement + 3 * (size_t)c);
  memcpy(f->normal + 3 * (size_t)c, contact->n, sizeof contact->n);
  contact_to_global(contact, dim, force, f->reaction + 3 * (size_t)c);
  contact_to_global(contact, dim, u, f->velocity + 3 * (size_t)c);
  f->reaction_n[c] = force[0];
  f->reaction_t[c] = dim == 2 ? force[1] : hypot(force[1], force[2]);
  f->gap[c] = work->gap[c];
  f->gap_predicted[c] = contact->gap + h * u[0]; // g~ advanced by h U_N
  f->status[c] = contact_status(work->contact, c);
  f->law[c] = contact->rule;
  f->candidate[c] = contact->side[0].body;
  f->antagonist[c] = contact->side[1].body;
  f->cell_ptr[c + 1] = c + 1;
  f->cell_point[c] = c;
  f->cell_type[c] = 1; // VTK_VERTEX
}

static Status write_contacts(const Model *model, const State *state, const StepWork *work,
                             const char *path, const OutputSpec *spec, Arena *arena, Err *err) {
  int n = work->reaction ? contact_count(work->contact) : 0; // none before the first step
  ContactFields f = {0};
  TRY(contact_fields_take(&f, n, arena, err));
  f.cell_ptr[0] = 0;
  for (int c = 0; c < n; c++) fill_contact(model, state, work, c, &f);
  const VtkArray arrays[] = {{"reaction", 3, f.reaction, NULL},
                             {"normal", 3, f.normal, NULL},
                             {"velocity", 3, f.velocity, NULL},
                             {"displacement", 3, f.displacement, NULL},
                             {"reaction_n", 1, f.reaction_n, NULL},
                             {"reaction_t", 1, f.reaction_t, NULL},
                             {"gap", 1, f.gap, NULL},
                             {"gap_predicted", 1, f.gap_predicted, NULL},
                             {"status", 1, NULL, f.status},
                             {"law", 1, NULL, f.law},
                             {"candidate", 1, NULL, f.candidate},
                             {"antagonist", 1, NULL, f.antagonist}};
  VtkGrid grid = {.title = spec->title,
                  .time = state->t,
                  .step = state->step,
                  .moved = spec->moved,
                  .n_points = n,
                  .points = f.points,
                  .n_cells = n,
                  .cell_ptr = f.cell_ptr,
                  .cell_point = f.cell_point,
                  .cell_type = f.cell_type,
                  .n_point_arrays = sizeof arrays / sizeof arrays[0],
                  .point_arrays = arrays};
  return vtk_write(&grid, path, spec->ascii, err);
}

Status fields_write_contacts(const Model *model, const State *state, const StepWork *work,
                             const char *path, const OutputSpec *spec, Err *err) {
  Arena arena = {0};
  Status status = write_contacts(model, state, work, path, spec, &arena, err);
  arena_free(&arena);
  return status;
}

// ---- lines of force ---------------------------------------------------------------------------------

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
  return dim == 2 ? hypot(r[0], r[1]) : sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
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
  VtkGrid grid = {.title = spec->title,
                  .time = state->t,
                  .step = state->step,
                  .moved = spec->moved,
                  .n_points = 2 * (int64_t)f.n,
                  .points = f.points,
                  .polydata = 1,
                  .n_cells = f.n,
                  .cell_ptr = f.cell_ptr,
                  .cell_point = f.cell_point,
                  .n_point_arrays = sizeof arrays / sizeof arrays[0],
                  .point_arrays = arrays};
  return vtk_write(&grid, path, spec->ascii, err);
}

Status fields_write_forces(const Model *model, const State *state, const StepWork *work,
                           const char *path, const OutputSpec *spec, Err *err) {
  Arena arena = {0};
  Status status = write_forces(model, state, work, path, spec, &arena, err);
  arena_free(&arena);
  return status;
}
