#include "body/finite.h"

#include <math.h>
#include <omp.h>
#include <string.h>

// Elements whose forces are found before they are added up: of one thread as many as stay in the
// cache with their tangents; of several so many that these rarely wait for one another, which takes
// long where other programs run.
enum { BATCH = 64, BATCH_FOR_THREADS = 1024 };

// ---- the system ---------------------------------------------------------------------------------

static int tool_nodes(const BodySet *bs, int tool) {
  const int body = bs->tools[tool].body;
  return bs->node_ptr[body + 1] - bs->node_ptr[body];
}

static int n_unknowns(const BodySet *bs) {
  int n = 0;
  for (int k = 0; k < bs->n_tools; k++) n += bs->dim * tool_nodes(bs, k);
  for (int k = 0; k < bs->n_finite; k++)
    n += bs->finite[k].form.n_nodes * bs->dim + bs->finite[k].form.n_extra;
  return n;
}

// Unknowns of finite body k, from `first` on.
static void list_finite(const BodySet *bs, int k, int first, FiniteSystem *system) {
  const FiniteBody *body = &bs->finite[k];
  const Form *form = &body->form;
  int n_moves = form->n_nodes * bs->dim;
  for (int i = 0; i < n_moves + form->n_extra; i++) {
    int u = first + i, moves = i < n_moves;
    system->dof[u] = moves ? bs->node_ptr[body->body] * bs->dim + i : -1;
    system->body[u] = body->body;
    system->mass[u] = moves ? form->mass[i / bs->dim] : 0;
    system->damping[u] = form->spec.material->damping_mass;
    if (moves)
      system->fixed[u] = body->fixed && body->fixed[i];
    else
      system->fixed[u] = form->fixed_extra && form->fixed_extra[i - n_moves];
  }
}

static void list_tool(const BodySet *bs, int t, int first, FiniteSystem *system) {
  const Tool *tool = &bs->tools[t];
  for (int k = 0; k < bs->dim * tool_nodes(bs, t); k++) {
    const int i = k % bs->dim;
    system->dof[first + k] = bs->node_ptr[tool->body] * bs->dim + k;
    system->body[first + k] = tool->body;
    system->mass[first + k] = !tool->free[i] ? 0 : tool->mass > 0 ? tool->mass : tool->drag;
    system->massless[first + k] = tool->free[i] && !(tool->mass > 0);
    system->fixed[first + k] = !tool->free[i];
  }
}

// Pattern of K and where the entries of each element's matrix go.
static Status matrix_init(FiniteMatrix *matrix, const Form *form, Err *err) {
  TRY(sparse_from_groups(&matrix->stiffness, matrix->n, 1, form->n_elems, form->dof_ptr, form->dof,
                         err));
  TRY(sparse_copy(&matrix->matrix, &matrix->stiffness, err));
  int64_t entries = 0;
  for (int e = 0; e < form->n_elems; e++) {
    int64_t n = form->dof_ptr[e + 1] - form->dof_ptr[e];
    entries += n * n;
  }
  MEM_NEW(matrix->place, entries, err);
  int32_t *place = matrix->place;
  for (int e = 0; e < form->n_elems; e++) {
    const int32_t *dof = form->dof + form->dof_ptr[e];
    int n = form->dof_ptr[e + 1] - form->dof_ptr[e];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        *place++ = (int32_t)sparse_find(&matrix->stiffness, dof[i], dof[j]);
  }
  matrix->fresh = 1;
  return OK;
}

Status finite_system_init(FiniteSystem *system, const BodySet *bs, Err *err) {
  *system = (FiniteSystem){.n = n_unknowns(bs)};
  size_t n = (size_t)system->n;
  MEM_NEW(system->dof, n, err);
  MEM_NEW(system->body, n, err);
  MEM_NEW(system->first_of, bs->n_bodies, err);
  for (int b = 0; b < bs->n_bodies; b++) system->first_of[b] = -1;
  MEM_NEW(system->fixed, n, err);
  MEM_NEW(system->mass, n, err);
  MEM_NEW(system->massless, n, err);
  MEM_NEW(system->damping, n, err);
  MEM_NEW(system->f0, n, err);
  MEM_NEW(system->f1, n, err);
  MEM_NEW(system->matrix, bs->n_finite, err);
  system->n_matrices = bs->n_finite;
  int at = 0, most = 0;
  for (int k = 0; k < bs->n_finite; k++) {
    const Form *form = &bs->finite[k].form;
    FiniteMatrix *matrix = &system->matrix[k];
    matrix->first = system->first_of[bs->finite[k].body] = at;
    matrix->n = form->n_nodes * bs->dim + form->n_extra;
    if (form->max_dofs > most) most = form->max_dofs;
    list_finite(bs, k, at, system);
    TRY(matrix_init(matrix, form, err));
    at += matrix->n;
  }
  system->first_tool = at;
  for (int k = 0; k < bs->n_tools; at += bs->dim * tool_nodes(bs, k), k++) {
    system->first_of[bs->tools[k].body] = at;
    list_tool(bs, k, at, system);
  }
  system->batch = omp_get_max_threads() > 1 ? BATCH_FOR_THREADS : BATCH;
  MEM_NEW(system->element_f, (size_t)system->batch * (size_t)most, err);
  MEM_NEW(system->element_k, (size_t)system->batch * (size_t)most * (size_t)most, err);
  return OK;
}

void finite_system_free(FiniteSystem *system) {
  for (int k = 0; system->matrix && k < system->n_matrices; k++) {
    FiniteMatrix *matrix = &system->matrix[k];
    sparse_free(&matrix->stiffness);
    sparse_free(&matrix->matrix);
    mem_free(matrix->place);
    factor_free(matrix->factor);
  }
  void *owned[] = {system->dof,
                   system->body,
                   system->first_of,
                   system->fixed,
                   system->mass,
                   system->massless,
                   system->damping,
                   system->f0,
                   system->f1,
                   system->matrix,
                   system->element_f,
                   system->element_k,
                   system->held[HELD_ALWAYS],
                   system->held[HELD_IF_NEEDED]};
  for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++) mem_free(owned[k]);
  *system = (FiniteSystem){0};
}

// ---- forces -------------------------------------------------------------------------------------

FormPoint finite_point(const BodySet *bs, int k, const FiniteIterate *at) {
  const FiniteBody *body = &bs->finite[k];
  size_t node = (size_t)bs->node_ptr[body->body] * bs->dim;
  return (FormPoint){.u = at->u + node,
                     .u_old = at->state->q + node,
                     .config = at->config + body->config,
                     .config_old = at->state->config + body->config,
                     .internal_old = at->state->internal + body->internal,
                     .internal = at->internal + body->internal,
                     .pinch = at->pinch ? at->pinch + bs->node_ptr[body->body] : NULL,
                     .h = at->size.h};
}

// Forces and tangents of the elements [first, last), one batch. Which thread takes which
// element changes nothing; of several that fail the first is told, *failed.
static Status batch_forces(const Form *form, const FormPoint *point, int first, int last,
                           double *fe, double *ke, int *failed, Err *err) {
  const size_t most = (size_t)form->max_dofs;
  Status status = OK;
  *failed = last;
#pragma omp parallel for schedule(dynamic, 4)
  for (int e = first; e < last; e++) {
    size_t at = (size_t)(e - first) * most;
    Err own;
    if (form_is_cut(form, e)) continue;
    Status mine = form->type->element(form, e, point, fe + at, ke ? ke + at * most : NULL, &own);
    if (mine == OK) continue;
#pragma omp critical(batch_forces)
    if (e < *failed) {
      *failed = e;
      status = mine;
      if (err) *err = own;
    }
  }
  return status;
}

// One after another, so that sums do not depend on the number of threads.
static const int32_t *add_batch(const Form *form, FiniteMatrix *matrix, int first, int last,
                                const double *fe, const double *ke, const int32_t *place,
                                double *f) {
  const int most = form->max_dofs;
  for (int e = first; e < last; e++, fe += most) {
    int n = form->dof_ptr[e + 1] - form->dof_ptr[e];
    const int32_t *dof = form->dof + form->dof_ptr[e];
    if (!form_is_cut(form, e)) {
      for (int i = 0; i < n; i++) f[dof[i]] += fe[i];
      for (int i = 0; ke && i < n * n; i++) matrix->stiffness.val[place[i]] += ke[i];
    }
    if (ke) ke += most * most;
    place += n * n;
  }
  return place;
}

static Status body_forces(const BodySet *bs, FiniteSystem *system, int k, const FiniteIterate *at,
                          double *f, int tangent, Err *err) {
  const Form *form = &bs->finite[k].form;
  FiniteMatrix *matrix = &system->matrix[k];
  FormPoint point = finite_point(bs, k, at);
  const int32_t *place = matrix->place;
  double *fe = system->element_f, *ke = tangent ? system->element_k : NULL;
  if (tangent)
    memset(matrix->stiffness.val, 0,
           sizeof(double) * (size_t)matrix->stiffness.ptr[matrix->stiffness.n]);
  for (int first = 0; first < form->n_elems; first += system->batch) {
    int last = first + system->batch < form->n_elems ? first + system->batch : form->n_elems;
    int failed, body = bs->finite[k].body;
    if (batch_forces(form, &point, first, last, fe, ke, &failed, err) != OK)
      return err_note(err, "element %d of body '%s' declared at %s:%d", failed + 1, bs->name[body],
                      bs->src[body].file, bs->src[body].line);
    place = add_batch(form, matrix, first, last, fe, ke, place, f);
  }
  return OK;
}

Status finite_forces(const BodySet *bs, FiniteSystem *system, const FiniteIterate *at, double *f,
                     int tangent, Err *err) {
  memset(f, 0, sizeof *f * (size_t)system->n);
  for (int k = 0; k < bs->n_finite; k++)
    TRY(body_forces(bs, system, k, at, f + system->matrix[k].first, tangent, err));
  return OK;
}

void finite_advance(const BodySet *bs, const FiniteSystem *system, StepSize size, double scale,
                    const double *dv, const double *from, double *config, double *increment) {
  memcpy(config, from, sizeof *config * (size_t)bs->n_config);
  for (int k = 0; k < bs->n_finite; k++) {
    const Form *form = &bs->finite[k].form;
    if (form->n_extra == 0) continue;
    const double *rate = dv + system->matrix[k].first + form->n_nodes * bs->dim;
    for (int i = 0; i < form->n_extra; i++) increment[i] = scale * size.h * size.theta * rate[i];
    form->type->advance(form, from + bs->finite[k].config, increment,
                        config + bs->finite[k].config);
  }
}

void finite_rates_of_state(const BodySet *bs, const FiniteSystem *system, const double *extra,
                           double *x) {
  for (int k = 0; k < bs->n_finite; k++) {
    const FiniteMatrix *m = &system->matrix[k];
    int n = bs->finite[k].form.n_extra, first = m->first + m->n - n;
    for (int i = 0; i < n; i++)
      x[first + i] = system->fixed[first + i] ? 0 : extra[bs->finite[k].extra + i];
  }
}

void finite_rates_to_state(const BodySet *bs, const FiniteSystem *system, const double *x,
                           double *extra) {
  for (int k = 0; k < bs->n_finite; k++) {
    const FiniteMatrix *m = &system->matrix[k];
    int n = bs->finite[k].form.n_extra, first = m->first + m->n - n;
    for (int i = 0; i < n; i++) extra[bs->finite[k].extra + i] = x[first + i];
  }
}

// ---- matrices -----------------------------------------------------------------------------------

void finite_matrix(FiniteSystem *system, int k, StepSize size, double inertia) {
  FiniteMatrix *m = &system->matrix[k];
  const uint8_t *fixed = system->fixed + m->first;
  const double *mass = system->mass + m->first, *damping = system->damping + m->first;
  double scale = size.h * size.h * size.theta * size.theta;
  for (int i = 0; i < m->n; i++)
    for (int64_t at = m->matrix.ptr[i]; at < m->matrix.ptr[i + 1]; at++) {
      int j = m->matrix.col[at];
      double value = scale * m->stiffness.val[at];
      if (i == j) value += inertia * mass[i] * (1 + size.h * size.theta * damping[i]);
      m->matrix.val[at] = fixed[i] || fixed[j] ? i == j : value;
    }
}

// Blocks at the nodes of body k, beside the components that are prescribed.
static void add_held(FiniteSystem *system, int k, const double *held, int dim) {
  FiniteMatrix *m = &system->matrix[k];
  for (int i = 0; i < m->n && system->dof[m->first + i] >= 0; i++)
    for (int b = 0; b < dim; b++) {
      int j = i - i % dim + b;
      double value = held[(size_t)dim * (size_t)(m->first + i) + (size_t)b];
      if (value != 0 && !system->fixed[m->first + i] && !system->fixed[m->first + j])
        m->matrix.val[sparse_find(&m->matrix, i, j)] += value;
    }
}

const double finite_inertias[N_INERTIAS] = {1, 4, 32, 1};

Status finite_factorise(const BodySet *bs, FiniteSystem *system, int k, StepSize size, int statics,
                        Err *err) {
  FiniteMatrix *m = &system->matrix[k];
  int row = -1, body = bs->finite[k].body;
  if (!m->factor) TRY(factor_new(&m->factor, err));
  Status status = OK;
  int first = system->held[HELD_IF_NEEDED] ? -1 : 0; // without it, then with it
  for (int trial = statics ? N_INERTIAS - 1 : first; trial < N_INERTIAS; trial++) {
    finite_matrix(system, k, size, statics ? 0 : finite_inertias[trial < 0 ? 0 : trial]);
    for (int j = 0; j < N_HELD; j++)
      if (system->held[j] && (j == HELD_ALWAYS || trial >= 0))
        add_held(system, k, system->held[j], bs->dim);
    if (status != OK) err_clear(err);
    status = factor_make(m->factor, &m->matrix, m->fresh, trial < N_INERTIAS - 1, &row, err);
    m->fresh = status == ERR_SYSTEM;
    if (status != ERR_NUMERIC) break;
  }
  if (status == OK) return OK;
  int n_moves = bs->finite[k].form.n_nodes * bs->dim;
  if (row >= 0 && row < n_moves) err_note(err, "node %d of the body", row / bs->dim + 1);
  return err_note(err, "matrix of body '%s' declared at %s:%d", bs->name[body], bs->src[body].file,
                  bs->src[body].line);
}

// Steps of the power iteration: the estimate is within a few per cent from below.
enum { POWER_STEPS = 60 };

// Largest omega of one body from its K as it stands.
static double body_frequency(const FiniteSystem *system, int k, double *x, double *y) {
  const FiniteMatrix *m = &system->matrix[k];
  const double *mass = system->mass + m->first;
  const uint8_t *fixed = system->fixed + m->first;
  double square = 0;
  for (int i = 0; i < m->n; i++)
    x[i] =
        fixed[i] || !(mass[i] > 0) ? 0 : 1 + 0.37 * ((i * 7919) % 101) / 101.0 * (i % 2 ? 1 : -1);
  for (int step = 0; step < POWER_STEPS; step++) {
    double norm = 0, product = 0;
    sparse_multiply(&m->stiffness, 1, x, y);
    for (int i = 0; i < m->n; i++) {
      product += x[i] * y[i];
      norm += x[i] * x[i] * mass[i];
      y[i] = fixed[i] || !(mass[i] > 0) ? 0 : y[i] / mass[i];
    }
    if (!(norm > 0)) return 0;
    square = product / norm; // Rayleigh quotient
    double largest = 0;
    for (int i = 0; i < m->n; i++) largest = fmax(largest, fabs(y[i]));
    for (int i = 0; i < m->n; i++) x[i] = largest > 0 ? y[i] / largest : 0;
  }
  return sqrt(fmax(square, 0));
}

Status finite_frequency(const BodySet *bs, const FiniteSystem *system, Arena *arena, double *omega,
                        int *body, Err *err) {
  double *x, *y;
  ARENA_NEW(x, system->n, arena, err);
  ARENA_NEW(y, system->n, arena, err);
  *omega = 0;
  *body = -1;
  for (int k = 0; k < bs->n_finite; k++) {
    double own = body_frequency(system, k, x, y);
    if (own <= *omega) continue;
    *omega = own;
    *body = bs->finite[k].body;
  }
  return OK;
}

Status finite_count_kept(const BodySet *bs, int64_t *n, Err *err) {
  FiniteSystem system;
  Status status = finite_system_init(&system, bs, err);
  *n = 1; // the step size
  for (int k = 0; status == OK && k < system.n_matrices; k++)
    *n += system.matrix[k].stiffness.ptr[system.matrix[k].n];
  finite_system_free(&system);
  return status;
}

void finite_keep(const FiniteSystem *system, double h, double *kept) {
  *kept++ = h;
  for (int k = 0; k < system->n_matrices; k++) {
    size_t n = (size_t)system->matrix[k].stiffness.ptr[system->matrix[k].n];
    memcpy(kept, system->matrix[k].stiffness.val, n * sizeof *kept);
    kept += n;
  }
}

int finite_take_kept(FiniteSystem *system, double h, const double *kept) {
  if (*kept++ != h) return 0;
  for (int k = 0; k < system->n_matrices; k++) {
    size_t n = (size_t)system->matrix[k].stiffness.ptr[system->matrix[k].n];
    memcpy(system->matrix[k].stiffness.val, kept, n * sizeof *kept);
    kept += n;
  }
  return 1;
}

// ---- the end of a step --------------------------------------------------------------------------

void finite_end(const BodySet *bs, const FiniteIterate *at, BodyState *after) {
  for (int k = 0; k < bs->n_finite; k++) {
    const FiniteBody *body = &bs->finite[k];
    const Form *form = &body->form;
    FormPoint point = finite_point(bs, k, at);
    if (form->type->commit)
      form->type->commit(form, &point, at->config + body->config, at->internal + body->internal);
  }
  for (int k = 0; k < bs->n_finite; k++) body_state_thickness(after, bs, k, at->pinch);
}

void finite_commit(const BodySet *bs, const BodyState *after, BodyState *state) {
  size_t n = (size_t)bs->n_nodes;
  if (bs->n_finite == 0) return;
  memcpy(state->config, after->config, sizeof *state->config * (size_t)bs->n_config);
  if (after->internal != state->internal)
    memcpy(state->internal, after->internal, sizeof *state->internal * (size_t)bs->n_internal);
  memcpy(state->half, after->half, n * sizeof *state->half);
  memcpy(state->pressed, after->pressed, n * sizeof *state->pressed);
}

static void worse(double value, int body, int elem, FiniteWorst *worst) {
  if (value > worst->value) *worst = (FiniteWorst){.value = value, .body = body, .elem = elem};
}

FiniteEnergy finite_energy(const BodySet *bs, const BodyState *state) {
  FiniteEnergy sum = {.thinning.body = -1, .neck.body = -1};
  FiniteIterate at = {
      .state = state, .u = state->q, .config = state->config, .internal = state->internal};
  for (int k = 0; k < bs->n_finite; k++) {
    const Form *form = &bs->finite[k].form;
    FormPoint point = finite_point(bs, k, &at);
    for (int e = 0; e < form->n_elems; e++) {
      FormOutput out;
      if (form_is_cut(form, e)) continue;
      (form->type->account ? form->type->account : form->type->output)(form, e, &point, &out);
      sum.stored += out.stored;
      sum.lost += out.lost;
      sum.pressed += out.pressed;
      if (!form->type->shell) continue;
      worse(1 - out.thickness / form->spec.thickness, bs->finite[k].body, e, &sum.thinning);
      worse(out.fall, bs->finite[k].body, e, &sum.neck);
    }
  }
  return sum;
}
