// The linear dynamics of elastic bodies: equal ones side by side in batches, in their frames.

#include <math.h>
#include <omp.h>
#include <string.h>

#include "base/mat3.h"
#include "base/space.h"
#include "body/body_type.h"

// A co-rotational frame is taken anew when the body has turned by more than this [rad]; linear
// elasticity errs by its square in strain: 5e-11.
static const double FRAME_TOLERANCE = 1e-5;
// Fewer batches than this are not worth waking threads for.
enum { BATCHES_FOR_THREADS = 64 };

static Status prepare(const BodySet *bs, StepSize size, DynamicsFactors *factors,
                      DynamicsMatrices *m, Arena *arena, Err *err) {
  if (!factors->prototype) MEM_NEW(factors->prototype, bs->n_protos, err);
  factors->n = bs->n_protos;
  ARENA_NEW(m->step, bs->n_protos, arena, err);
  for (int p = 0; p < bs->n_protos; p++)
    TRY(prototype_step(&bs->protos[p], &factors->prototype[p], size.h, size.theta, &m->step[p],
                       err));
  return OK;
}

// Crossings of the whole by a wave in a static step: the slowest mode of a continuum is then a
// (pi / 2 * STATIC_CROSSINGS)^2th part dynamic, about one in a thousand, and the rigid modes of
// single blocks are still far from what round-off leaves of them.
static const double STATIC_CROSSINGS = 20;

double dynamics_static_step(const BodySet *bs) {
  double low[3], high[3], slowest = (double)INFINITY, extent = 0;
  for (int i = 0; i < bs->dim; i++) {
    low[i] = (double)INFINITY;
    high[i] = -(double)INFINITY;
  }
  for (int b = 0; b < bs->n_bodies; b++) {
    if (bs->proto[b] < 0) continue;
    const Prototype *p = &bs->protos[bs->proto[b]];
    slowest = fmin(slowest, sqrt(p->d[0] / p->material->density));
    for (int k = bs->node_ptr[b]; k < bs->node_ptr[b + 1]; k++)
      for (int i = 0; i < bs->dim; i++) {
        low[i] = fmin(low[i], bs->x[(size_t)k * (size_t)bs->dim + (size_t)i]);
        high[i] = fmax(high[i], bs->x[(size_t)k * (size_t)bs->dim + (size_t)i]);
      }
  }
  if (!isfinite(slowest)) return 0;
  for (int i = 0; i < bs->dim; i++) extent = fmax(extent, high[i] - low[i]);
  return STATIC_CROSSINGS * extent / slowest;
}

// ---- frames ------------------------------------------------------------------------------------

// The rotation that best maps X - X_c on x - x_c in the mass-weighted least squares sense: the
// polar decomposition of the sum of m (x - x_c) (X - X_c)^T, in the plane in closed form.
static void mean_rotation(const BodySet *bs, const double *q, const double *v, double lead,
                          int body, double *frame) {
  const Prototype *p = &bs->protos[bs->proto[body]];
  const int dim = bs->dim, first = bs->node_ptr[body], n = p->mesh->n_nodes;
  double xc[3] = {0}, sum[9] = {0}, dot = 0, cross = 0;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < dim; i++) {
      size_t c = (size_t)dim * (size_t)(first + k) + (size_t)i;
      xc[i] += p->mass[k] * (bs->x[c] + q[c] + lead * v[c]) / p->total_mass;
    }
  for (int k = 0; k < n; k++) {
    size_t c = (size_t)dim * (size_t)(first + k);
    double arm[3], x[3];
    for (int i = 0; i < dim; i++) {
      arm[i] = p->mesh->x[dim * k + i] - p->center[i];
      x[i] = bs->x[c + (size_t)i] + q[c + (size_t)i] + lead * v[c + (size_t)i] - xc[i];
    }
    dot += p->mass[k] * (arm[0] * x[0] + arm[1] * x[1]);
    cross += p->mass[k] * (arm[0] * x[1] - arm[1] * x[0]);
    for (int i = 0; dim == 3 && i < 3; i++)
      for (int j = 0; j < 3; j++) sum[3 * i + j] += p->mass[k] * x[i] * arm[j];
  }
  if (dim == 3) {
    mat3_nearest_rotation(sum);
    memcpy(frame, sum, sizeof sum);
    return;
  }
  double length = hypot(dot, cross);
  frame[0] = frame[3] = dot / length;
  frame[2] = cross / length;
  frame[1] = -frame[2];
}

// |A^-1 b| of a symmetric A by cofactors.
static double solved_length(const double a[9], const double b[3]) {
  double det = 0, square = 0, x[3] = {0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      double cofactor = a[3 * i1 + j1] * a[3 * i2 + j2] - a[3 * i1 + j2] * a[3 * i2 + j1];
      if (i == 0) det += a[j] * cofactor;
      x[i] += cofactor * b[j];
    }
  for (int i = 0; i < 3; i++) square += x[i] * x[i];
  return sqrt(square) / det;
}

// Rotation of a body from displacements q0 (NULL: none) to q1, as long as it is small: the spin
// that fits what lies between them best in the mass-weighted least squares sense [rad].
static double small_turn(const BodySet *bs, const double *q0, const double *q1, int body) {
  int dim = bs->dim, first = bs->node_ptr[body], n = bs->node_ptr[body + 1] - first;
  double xc[3] = {0}, uc[3] = {0}, inertia[9] = {0}, moment[3] = {0}, total = bodies_mass(bs, body);
  for (int k = 0; k < n; k++)
    for (int i = 0; i < dim; i++) {
      size_t c = (size_t)dim * (size_t)(first + k) + (size_t)i;
      double share = bodies_node_mass(bs, first + k) / total, before = q0 ? q0[c] : 0;
      xc[i] += share * (bs->x[c] + before);
      uc[i] += share * (q1[c] - before);
    }
  for (int k = 0; k < n; k++) {
    double r[3] = {0}, u[3] = {0}, mass = bodies_node_mass(bs, first + k);
    for (int i = 0; i < dim; i++) {
      size_t c = (size_t)dim * (size_t)(first + k) + (size_t)i;
      double before = q0 ? q0[c] : 0;
      r[i] = bs->x[c] + before - xc[i];
      u[i] = q1[c] - before - uc[i];
    }
    double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    for (int i = 0; i < 3; i++) {
      int j = (i + 1) % 3, l = (i + 2) % 3;
      moment[i] += mass * (r[j] * u[l] - r[l] * u[j]);
      for (int m = 0; m < 3; m++)
        inertia[3 * i + m] += mass * ((i == m ? square : 0) - r[i] * r[m]);
    }
  }
  if (dim == 2) return fabs(moment[2] / inertia[8]);
  return solved_length(inertia, moment);
}

double dynamics_most_turned(const BodySet *bs, const BodyType *type, const double *q0,
                            const double *q1, int *body) {
  double most = 0;
  *body = -1;
  for (int b = 0; b < bs->n_bodies; b++) {
    if (bs->type[b] != type || bs->axisymmetric) continue; // rings do not turn
    double own = small_turn(bs, q0, q1, b);
    if (own <= most) continue;
    most = own;
    *body = b;
  }
  return most;
}

static void update_frames(const BodySet *bs, StepSize size, BodyState *state, uint8_t *turned) {
  const double lead = size.h * (1 - size.theta);
  const size_t items = (size_t)bs->dim * (size_t)bs->dim;
#pragma omp parallel for schedule(static) if (bs->n_batches > BATCHES_FOR_THREADS)
  for (int b = 0; b < bs->n_bodies; b++) {
    if (!bs->type[b]->turns) continue;
    double fresh[9], *frame = state->frame + items * (size_t)b, square = 0;
    mean_rotation(bs, state->q, state->v, lead, b, fresh);
    for (size_t k = 0; k < items; k++) square += (fresh[k] - frame[k]) * (fresh[k] - frame[k]);
    if (square <= 2 * FRAME_TOLERANCE * FRAME_TOLERANCE) continue;
    memcpy(frame, fresh, sizeof *fresh * items);
    turned[b] = 1;
  }
}

// ---- lanes: vectors of equal bodies side by side, in their frames -------------------------------

// out = Q^T x for every body of the batch; missing lanes are zero. `dim` is a constant where this
// is inlined, so that the inner loops vanish.
static inline __attribute__((always_inline)) void gather_dim(int dim, const BodySet *bs,
                                                             const Batch *batch,
                                                             const double *frame, int lanes,
                                                             const double *x, double *out) {
  int n = bs->protos[batch->proto].mesh->n_nodes;
  for (int l = batch->n; l < lanes; l++)
    for (int k = 0; k < n * dim; k++) out[(size_t)k * lanes + l] = 0;
  for (int l = 0; l < batch->n; l++) {
    int b = batch->body[l];
    double q[9];
    memcpy(q, frame + (size_t)b * dim * dim, sizeof *q * (size_t)(dim * dim));
    const double *restrict from = x + (size_t)bs->node_ptr[b] * dim;
    double *restrict to = out + l;
    for (int k = 0; k < n; k++)
      for (int i = 0; i < dim; i++) {
        double sum = 0;
        for (int j = 0; j < dim; j++) sum += q[j * dim + i] * from[k * dim + j];
        to[(size_t)(k * dim + i) * lanes] = sum;
      }
  }
}

// x += Q in for every body of the batch.
static inline __attribute__((always_inline)) void scatter_dim(int dim, const BodySet *bs,
                                                              const Batch *batch,
                                                              const double *frame, int lanes,
                                                              const double *in, double *x) {
  int n = bs->protos[batch->proto].mesh->n_nodes;
  for (int l = 0; l < batch->n; l++) {
    int b = batch->body[l];
    double q[9];
    memcpy(q, frame + (size_t)b * dim * dim, sizeof *q * (size_t)(dim * dim));
    double *restrict to = x + (size_t)bs->node_ptr[b] * dim;
    const double *restrict from = in + l;
    for (int k = 0; k < n; k++)
      for (int i = 0; i < dim; i++) {
        double sum = to[k * dim + i];
        for (int j = 0; j < dim; j++) sum += q[i * dim + j] * from[(size_t)(k * dim + j) * lanes];
        to[k * dim + i] = sum;
      }
  }
}

static void gather(const BodySet *bs, const Batch *batch, const double *frame, int lanes,
                   const double *x, double *out) {
  SPACE_BY_DIM(bs->dim, gather_dim(2, bs, batch, frame, lanes, x, out),
               gather_dim(3, bs, batch, frame, lanes, x, out));
}

static void scatter_add(const BodySet *bs, const Batch *batch, const double *frame, int lanes,
                        const double *in, double *x) {
  SPACE_BY_DIM(bs->dim, scatter_dim(2, bs, batch, frame, lanes, in, x),
               scatter_dim(3, bs, batch, frame, lanes, in, x));
}

void dynamics_local_displacement(const BodySet *bs, const double *frame, const double *q, int body,
                                 double *u) {
  int dim = bs->dim;
  const Prototype *p = &bs->protos[bs->proto[body]];
  const double *turn = frame + (size_t)body * dim * dim,
               *place = bs->place + (size_t)body * dim * dim;
  const double *from = q + (size_t)bs->node_ptr[body] * dim;
  double center[3] = {0}, change[9];
  int corotational = bs->type[body]->turns;
  if (corotational)
    for (int k = 0; k < p->mesh->n_nodes; k++)
      for (int i = 0; i < dim; i++) center[i] += p->mass[k] * from[k * dim + i] / p->total_mass;
  // change = Q^T Q_0 - I
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) {
      change[i * dim + j] = -(double)(i == j);
      for (int k = 0; k < dim; k++) change[i * dim + j] += turn[k * dim + i] * place[k * dim + j];
    }
  for (int k = 0; k < p->mesh->n_nodes; k++)
    for (int i = 0; i < dim; i++) {
      double sum = 0;
      for (int j = 0; j < dim; j++) sum += turn[j * dim + i] * (from[k * dim + j] - center[j]);
      for (int j = 0; corotational && j < dim; j++)
        sum += change[i * dim + j] * (p->mesh->x[(size_t)k * dim + j] - p->center[j]);
      u[k * dim + i] = sum;
    }
}

static void gather_displacement(const BodySet *bs, const Batch *batch, const double *frame,
                                int lanes, const double *q, double *column, double *out) {
  int n = bs->protos[batch->proto].n_dofs;
  if (!bs->type[batch->body[0]]->turns) {
    gather(bs, batch, frame, lanes, q, out);
    return;
  }
  for (int l = 0; l < lanes; l++) {
    if (l < batch->n) dynamics_local_displacement(bs, frame, q, batch->body[l], column);
    for (int k = 0; k < n; k++) out[(size_t)k * lanes + l] = l < batch->n ? column[k] : 0;
  }
}

// Takes the displacement of the first node off all nodes: K does not see translations, but its
// round-off does, on a stiff body that has fallen far. A ring that moves along its radius is
// stretched.
static void drop_translation(const Prototype *proto, int dim, int lanes, double *x) {
  size_t row = (size_t)dim * (size_t)lanes, items = (size_t)proto->n_dofs * (size_t)lanes;
  size_t kept = proto->state == AXISYMMETRIC ? (size_t)lanes : 0;
  for (size_t k = items; k-- > 0;)
    if (k % row >= kept) x[k] -= x[k % row];
}

// ---- work memory: one slice for each thread -----------------------------------------------------

enum { WORK_VECTORS = 4 };

typedef struct {
  double *base;
  size_t slice, vector;
} Work;

static Status work_take(const BodySet *bs, Work *work, Arena *arena, Err *err) {
  size_t largest = 1;
  for (int b = 0; b < bs->n_batches; b++) {
    size_t lanes = bs->batches[b].n == 1 ? 1 : BATCH_LANES;
    size_t items = (size_t)bs->protos[bs->batches[b].proto].n_dofs * lanes;
    if (items > largest) largest = items;
  }
  work->vector = (largest + 7) / 8 * 8;
  work->slice = WORK_VECTORS * work->vector;
  ARENA_NEW(work->base, work->slice * (size_t)omp_get_max_threads(), arena, err);
  return OK;
}

static double *work_vector(const Work *work, int k) {
  return work->base + work->slice * (size_t)omp_get_thread_num() + work->vector * (size_t)k;
}

// ---- the step -----------------------------------------------------------------------------------

// The error of the lowest batch is the one reported, whatever the number of threads.
typedef struct {
  int batch;
  Err err;
} Failure;

static void keep_first_failure(Failure *failure, int batch, const Err *own) {
#pragma omp critical(keep_first_failure)
  if (batch < failure->batch) {
    failure->batch = batch;
    failure->err = *own;
  }
}

static Status pass_failure(const Failure *failure, Err *err) {
  *err = failure->err;
  return err->status;
}

// y -= factor M x of lanes.
static void take_mass(const Prototype *proto, int lanes, double factor, const double *x,
                      double *product, double *y) {
  sparse_multiply(&proto->consistent_mass, lanes, x, product);
  for (size_t k = 0; k < (size_t)proto->n_dofs * (size_t)lanes; k++) y[k] -= factor * product[k];
}

// What a consistent mass adds to the right-hand side: damping, and M dv of what is prescribed,
// whose own rows hold dv.
static void add_consistent(const LinearStep *step, const Batch *batch, const Work *work, int lanes,
                           const double *v, double *rhs) {
  const Prototype *proto = &step->bs->protos[batch->proto];
  const double damping = step->size.h * proto->material->damping_mass;
  double *dv = work_vector(work, 0), *product = work_vector(work, 2);
  if (damping > 0) take_mass(proto, lanes, damping, v, product, rhs);
  if (!proto->fixed) return;
  gather(step->bs, batch, step->state->frame, lanes, step->dv, dv);
  take_mass(proto, lanes, 1 + step->size.theta * damping, dv, product, rhs);
  for (int i = 0; i < proto->n_dofs; i++)
    for (int l = 0; l < lanes && proto->fixed[i]; l++)
      rhs[(size_t)i * (size_t)lanes + (size_t)l] = dv[(size_t)i * (size_t)lanes + (size_t)l];
}

// -h V v0 - h K (q0 + h theta v0) + h P in lanes, with the prescribed changes moved to the right.
static Status free_batch(const LinearStep *step, const Batch *batch, const Work *work,
                         double *v_free, Err *err) {
  const BodySet *bs = step->bs;
  const Prototype *proto = &bs->protos[batch->proto];
  const Material *mat = proto->material;
  double h = step->size.h, theta = step->size.theta, beta = mat->damping_stiffness;
  int lanes = batch->n == 1 ? 1 : BATCH_LANES, n = proto->n_dofs, dim = bs->dim;
  size_t items = (size_t)n * (size_t)lanes;
  double *arg = work_vector(work, 0), *v = work_vector(work, 1), *k_arg = work_vector(work, 2),
         *rhs = work_vector(work, 3);
  const double *frame = step->state->frame;
  gather_displacement(bs, batch, frame, lanes, step->state->q, k_arg, arg);
  gather(bs, batch, frame, lanes, step->state->v, v);
  for (size_t k = 0; k < items; k++) arg[k] = h * arg[k] + h * (h * theta + beta) * v[k];
  if (proto->fixed) {
    gather(bs, batch, frame, lanes, step->dv, rhs);
    for (size_t k = 0; k < items; k++) arg[k] += h * theta * (beta + h * theta) * rhs[k];
  }
  drop_translation(proto, dim, lanes, arg);
  sparse_multiply(&proto->stiffness, lanes, arg, k_arg);
  double *load = arg; // its content is used up
  gather(bs, batch, frame, lanes, step->p, load);
  const double damping = proto->consistent ? 0 : h * mat->damping_mass;
  for (int i = 0; i < n; i++)
    for (int l = 0; l < lanes; l++) {
      size_t k = (size_t)i * lanes + l;
      if (proto->fixed && proto->fixed[i]) continue; // rhs holds the prescribed change
      rhs[k] = h * load[k] - k_arg[k] - damping * proto->mass[i / dim] * v[k];
    }
  if (proto->consistent) add_consistent(step, batch, work, lanes, v, rhs);
  TRY(spd_apply(step->m->step[batch->proto]->w, lanes, rhs, k_arg, err));
  scatter_add(bs, batch, frame, lanes, k_arg, v_free);
  return OK;
}

static Status free_velocity(const LinearStep *step, double *v_free, Arena *arena, Err *err) {
  const BodySet *bs = step->bs;
  Work work;
  TRY(work_take(bs, &work, arena, err));
  Failure failure = {.batch = bs->n_batches};
#pragma omp parallel for schedule(static) if (bs->n_batches > BATCHES_FOR_THREADS)
  for (int b = 0; b < bs->n_batches; b++) {
    Err own = {0};
    if (free_batch(step, &bs->batches[b], &work, v_free, &own) == OK) continue;
    keep_first_failure(&failure, b, &own);
  }
  return failure.batch < bs->n_batches ? pass_failure(&failure, err) : OK;
}

static int batch_has_impulse(const BodySet *bs, const Batch *batch, const double *impulse) {
  for (int l = 0; l < batch->n; l++) {
    int b = batch->body[l];
    for (size_t k = (size_t)bs->node_ptr[b] * bs->dim; k < (size_t)bs->node_ptr[b + 1] * bs->dim;
         k++)
      if (impulse[k] != 0) return 1;
  }
  return 0;
}

static Status correct_batch(const BodySet *bs, const DynamicsMatrices *m, const double *frame,
                            const Batch *batch, const Work *work, const double *impulse, double *v,
                            Err *err) {
  const Prototype *proto = &bs->protos[batch->proto];
  int lanes = batch->n == 1 ? 1 : BATCH_LANES;
  double *in = work_vector(work, 0), *out = work_vector(work, 1);
  gather(bs, batch, frame, lanes, impulse, in);
  if (proto->fixed)
    for (int i = 0; i < proto->n_dofs; i++)
      for (int l = 0; proto->fixed[i] && l < lanes; l++) in[(size_t)i * lanes + l] = 0;
  TRY(spd_apply(m->step[batch->proto]->w, lanes, in, out, err));
  scatter_add(bs, batch, frame, lanes, out, v);
  return OK;
}

static Status correct(const LinearStep *step, const double *impulse, double *v, Arena *arena,
                      Err *err) {
  const BodySet *bs = step->bs;
  Work work;
  TRY(work_take(bs, &work, arena, err));
  Failure failure = {.batch = bs->n_batches};
#pragma omp parallel for schedule(static) if (bs->n_batches > BATCHES_FOR_THREADS)
  for (int b = 0; b < bs->n_batches; b++) {
    Err own = {0};
    if (!batch_has_impulse(bs, &bs->batches[b], impulse)) continue;
    if (correct_batch(bs, step->m, step->state->frame, &bs->batches[b], &work, impulse, v, &own) ==
        OK)
      continue;
    keep_first_failure(&failure, b, &own);
  }
  return failure.batch < bs->n_batches ? pass_failure(&failure, err) : OK;
}

// ---- energies -----------------------------------------------------------------------------------

static double dot(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

// x.M x of lanes.
static double mass_square(const Prototype *proto, int lanes, const double *x, double *product) {
  sparse_multiply(&proto->consistent_mass, lanes, x, product);
  return dot((size_t)proto->n_dofs * (size_t)lanes, x, product);
}

// What a consistent mass has beyond the lumped one: kinetic energy and numerical dissipation.
static void batch_consistent(const EnergyStep *step, const Batch *batch, const Work *work,
                             StepEnergy *energy) {
  const BodySet *bs = step->bs;
  const StepResult *result = step->result;
  const Prototype *proto = &bs->protos[batch->proto];
  const int lanes = batch->n == 1 ? 1 : BATCH_LANES;
  double *v1 = work_vector(work, 0), *dv = work_vector(work, 1), *product = work_vector(work, 2);
  const double *frame = result->state->frame;
  gather(bs, batch, frame, lanes, result->v1, v1);
  gather(bs, batch, frame, lanes, result->state->v, dv);
  for (size_t k = 0; k < (size_t)proto->n_dofs * (size_t)lanes; k++) dv[k] = v1[k] - dv[k];
  energy->kinetic += 0.5 * mass_square(proto, lanes, v1, product);
  energy->numerical += (result->size.theta - 0.5) * mass_square(proto, lanes, dv, product);
}

// Elastic energy of q1; damping h v_th.V v_th and |q1 - q0|_K^2 = h^2 v_th.K v_th of the batch.
static void batch_energy(const EnergyStep *step, const Batch *batch, const Work *work,
                         StepEnergy *energy) {
  const BodySet *bs = step->bs;
  const Prototype *proto = &bs->protos[batch->proto];
  const Material *mat = proto->material;
  const double *frame = step->result->state->frame;
  int lanes = batch->n == 1 ? 1 : BATCH_LANES;
  size_t items = (size_t)proto->n_dofs * (size_t)lanes;
  double *u = work_vector(work, 0), *ku = work_vector(work, 1);
  double h = step->result->size.h, theta = step->result->size.theta;
  gather_displacement(bs, batch, frame, lanes, step->result->q1, ku, u);
  drop_translation(proto, bs->dim, lanes, u);
  sparse_multiply(&proto->stiffness, lanes, u, ku);
  energy->elastic = 0.5 * dot(items, u, ku);
  if (theta == 0.5 && mat->damping_stiffness == 0 && mat->damping_mass == 0) return;
  gather(bs, batch, frame, lanes, step->v_theta, u);
  double square = proto->consistent ? mass_square(proto, lanes, u, ku) : 0;
  for (int i = 0; i < proto->n_dofs && !proto->consistent; i++)
    square +=
        proto->mass[i / bs->dim] * dot((size_t)lanes, u + (size_t)i * lanes, u + (size_t)i * lanes);
  drop_translation(proto, bs->dim, lanes, u);
  sparse_multiply(&proto->stiffness, lanes, u, ku);
  double stretch = dot(items, u, ku);
  energy->damping = h * (mat->damping_mass * square + mat->damping_stiffness * stretch);
  energy->numerical = (theta - 0.5) * h * h * stretch;
}

// Kinetic energy of v1, external work, and the mass part of the numerical dissipation.
static void batch_motion(const EnergyStep *step, const Batch *batch, StepEnergy *energy) {
  const BodySet *bs = step->bs;
  const StepResult *result = step->result;
  int dim = bs->dim;
  const double *mass = bs->protos[batch->proto].mass;
  for (int l = 0; l < batch->n; l++) {
    int first = bs->node_ptr[batch->body[l]], last = bs->node_ptr[batch->body[l] + 1];
    double v2 = 0, dv2 = 0;
    for (int k = first; k < last; k++)
      for (int i = 0; i < dim; i++) {
        size_t c = (size_t)k * dim + i;
        double m = mass[k - first], dv = result->v1[c] - result->state->v[c];
        v2 += m * result->v1[c] * result->v1[c];
        dv2 += m * dv * dv;
        energy->external += result->size.h * result->p[c] * step->v_theta[c];
      }
    if (bs->protos[batch->proto].consistent) continue;
    energy->kinetic += 0.5 * v2;
    energy->numerical += (result->size.theta - 0.5) * dv2;
  }
}

// Impulses that hold the prescribed components to their motion, and the work they do:
// M (v1 - v0) + h V v_th + h K q_th - h P - h r at those components.
static void prescribed_work(const EnergyStep *step, const Batch *batch, const Work *work,
                            StepEnergy *energy) {
  const BodySet *bs = step->bs;
  const StepResult *result = step->result;
  const Prototype *proto = &bs->protos[batch->proto];
  const double *frame = result->state->frame;
  int lanes = batch->n == 1 ? 1 : BATCH_LANES, dim = bs->dim;
  size_t items = (size_t)proto->n_dofs * (size_t)lanes;
  double h = result->size.h, theta = result->size.theta, beta = proto->material->damping_stiffness;
  double *u0 = work_vector(work, 0), *u = work_vector(work, 1), *force = work_vector(work, 2),
         *column = work_vector(work, 3);
  gather_displacement(bs, batch, frame, lanes, result->state->q, column, u0);
  gather_displacement(bs, batch, frame, lanes, result->q1, column, u);
  for (size_t k = 0; k < items; k++) u[k] = theta * u[k] + (1 - theta) * u0[k];
  gather(bs, batch, frame, lanes, step->v_theta, u0);
  for (size_t k = 0; k < items; k++) u[k] = h * (u[k] + beta * u0[k]);
  drop_translation(proto, dim, lanes, u);
  sparse_multiply(&proto->stiffness, lanes, u, force);
  if (proto->consistent) { // M (v1 - v0 + h a v_th); u0 still holds v_th
    const double damping = h * proto->material->damping_mass;
    take_mass(proto, lanes, -damping, u0, column, force);
    gather(bs, batch, frame, lanes, result->v1, u);
    gather(bs, batch, frame, lanes, result->state->v, u0);
    for (size_t k = 0; k < items; k++) u[k] -= u0[k];
    take_mass(proto, lanes, -1, u, column, force);
  }
  // Back to the global frame: `column` is not needed any more.
  for (int l = 0; l < batch->n; l++) {
    int b = batch->body[l];
    const double *q = frame + (size_t)b * dim * dim;
    for (int k = 0; k < proto->mesh->n_nodes; k++)
      for (int i = 0; i < dim; i++) {
        size_t c = (size_t)(bs->node_ptr[b] + k) * dim + i;
        if (!proto->fixed[k * dim + i]) continue;
        double sum = 0;
        if (!proto->consistent)
          sum = proto->mass[k] * (result->v1[c] - result->state->v[c] +
                                  h * proto->material->damping_mass * step->v_theta[c]);
        for (int j = 0; j < dim; j++)
          sum += q[i * dim + j] * force[(size_t)(k * dim + j) * lanes + l];
        step->support[c] = sum - h * result->p[c] - result->impulse[c];
        energy->external += step->support[c] * step->v_theta[c];
      }
  }
}

static Status energy(const EnergyStep *step, StepEnergy *sum, Arena *arena, Err *err) {
  const BodySet *bs = step->bs;
  StepEnergy *part;
  ARENA_NEW(part, bs->n_batches, arena, err);
  Work work;
  TRY(work_take(bs, &work, arena, err));
#pragma omp parallel for schedule(static) if (bs->n_batches > BATCHES_FOR_THREADS)
  for (int b = 0; b < bs->n_batches; b++) {
    part[b] = (StepEnergy){0};
    batch_energy(step, &bs->batches[b], &work, &part[b]);
    batch_motion(step, &bs->batches[b], &part[b]);
    if (bs->protos[bs->batches[b].proto].consistent)
      batch_consistent(step, &bs->batches[b], &work, &part[b]);
    if (bs->protos[bs->batches[b].proto].fixed)
      prescribed_work(step, &bs->batches[b], &work, &part[b]);
  }
  step_energy_add(part, bs->n_batches, sum);
  return OK;
}

const BodyFamily family_elastic = {.prepare = prepare,
                                   .update_frames = update_frames,
                                   .free_velocity = free_velocity,
                                   .correct = correct,
                                   .energy = energy};
