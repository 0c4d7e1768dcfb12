// Rigid bodies: any mesh, whose nodes are what others see of it. And the family of all rigid
// bodies, also of those whose motion is given (body_given.c).

#include <math.h>
#include <string.h>

#include "base/space.h"
#include "body/body_type.h"
#include "body/rigid_motion.h"

// A frame is taken anew when the body has turned by more than this [rad]: rows of W are kept so
// long.
static const double FRAME_TOLERANCE = 1e-9;

static const RigidBody *rigid_of(const BodySet *bs, int body) {
  return &bs->rigid[bs->own[body]];
}

// ---- the step -----------------------------------------------------------------------------------

static const double *frame_of(const BodySet *bs, const BodyState *state, const RigidBody *rigid) {
  return state->frame + (size_t)(bs->dim * bs->dim) * (size_t)rigid->body;
}

// Motion at the start of a step.
static RigidMotion motion_of(const BodySet *bs, const RigidBody *rigid, const BodyState *state) {
  RigidMotion at;
  rigid_place(bs, rigid, state->q, &at);
  rigid_velocity(bs, rigid, state->v, &at);
  return at;
}

// Velocity at the end of a step, of the nodes as they are in its frame.
static RigidMotion end_of(const BodySet *bs, const RigidBody *rigid, const BodyState *state,
                          const double *v1) {
  RigidMotion end = {.x = {0}};
  memcpy(end.r, frame_of(bs, state, rigid), (size_t)(bs->dim * bs->dim) * sizeof(double));
  rigid_velocity(bs, rigid, v1, &end);
  return end;
}

// Sine of how far a body has turned from its frame; 2: more than a right angle.
static double turned_from(int dim, const double *r, const double *frame) {
  double sine = 0, same = 0;
  for (int i = 0; i < dim; i++) {
    double along = 0;
    for (int k = 0; k < dim; k++) along += r[dim * k + i] * frame[dim * k + i];
    same = i == 0 ? along : fmin(same, along);
    for (int j = 0; j < i; j++) {
      double across = 0;
      for (int k = 0; k < dim; k++) across += r[dim * k + i] * frame[dim * k + j];
      sine = fmax(sine, fabs(across));
    }
  }
  return same > 0 ? sine : 2;
}

static void update_frames(const BodySet *bs, StepSize size, BodyState *state, uint8_t *turned) {
  for (int r = 0; r < bs->n_rigid; r++) {
    const RigidBody *rigid = &bs->rigid[r];
    size_t entries = (size_t)(bs->dim * bs->dim);
    double *frame = state->frame + entries * (size_t)rigid->body;
    RigidMotion at = motion_of(bs, rigid, state);
    rigid_turn(bs->dim, at.spin, size.h * (1 - size.theta), at.r);
    if (turned_from(bs->dim, at.r, frame) <= FRAME_TOLERANCE) continue;
    memcpy(frame, at.r, entries * sizeof *frame);
    turned[rigid->body] = 1;
  }
}

static void align(const BodySet *bs, const BodyState *state, double *v) {
  for (int r = 0; r < bs->n_rigid; r++) {
    const RigidBody *rigid = &bs->rigid[r];
    RigidMotion at = motion_of(bs, rigid, state);
    rigid_carry(bs->dim, rigid, frame_of(bs, state, rigid), (const double[3]){0}, &at);
    rigid_set_velocities(bs, rigid, &at, v);
  }
}

static Status free_velocity(const LinearStep *step, double *v_free, Arena *arena, Err *err) {
  const BodySet *bs = step->bs;
  (void)arena;
  TRY(given_velocity(bs, step->size, v_free, err));
  for (int r = 0; r < bs->n_rigid; r++) {
    const RigidBody *rigid = &bs->rigid[r];
    const double *frame = frame_of(bs, step->state, rigid);
    RigidMotion at = motion_of(bs, rigid, step->state);
    Wrench load = rigid_resultant(bs, rigid, frame, step->p);
    for (int i = 0; i < bs->dim; i++) at.v[i] += step->size.h * load.force[i] / rigid->mass;
    for (int i = 0; i < 3; i++) load.moment[i] *= step->size.h;
    rigid_carry(bs->dim, rigid, frame, load.moment, &at);
    rigid_set_velocities(bs, rigid, &at, v_free);
  }
  return OK;
}

static Status correct(const LinearStep *step, const double *impulse, double *v, Arena *arena,
                      Err *err) {
  const BodySet *bs = step->bs;
  (void)arena, (void)err;
  for (int r = 0; r < bs->n_rigid; r++) {
    const RigidBody *rigid = &bs->rigid[r];
    const double *frame = frame_of(bs, step->state, rigid);
    const Wrench sum = rigid_resultant(bs, rigid, frame, impulse);
    RigidMotion by = {.x = {0}};
    for (int i = 0; i < bs->dim; i++) by.v[i] = sum.force[i] / rigid->mass;
    rigid_carry(bs->dim, rigid, frame, sum.moment, &by);
    rigid_add_velocities(bs, rigid, &by, v);
  }
  return OK;
}

static void advance(const BodySet *bs, const BodyState *state, StepSize size, const double *v1,
                    double *q1) {
  for (int r = 0; r < bs->n_rigid; r++) {
    const RigidBody *rigid = &bs->rigid[r];
    RigidMotion at = motion_of(bs, rigid, state), end = end_of(bs, rigid, state, v1);
    double spin[3], now = size.h * size.theta, before = size.h * (1 - size.theta);
    rigid_mean_spin(bs->dim, rigid, size, &at, &end, spin);
    rigid_turn(bs->dim, spin, size.h, at.r);
    for (int i = 0; i < bs->dim; i++) at.x[i] += now * end.v[i] + before * at.v[i];
    rigid_displace(bs, rigid, &at, q1);
  }
}

// Velocities of the nodes as they are at the end of the step, where the body has turned on.
static void settle(const BodySet *bs, BodyState *state) {
  for (int r = 0; r < bs->n_rigid; r++) {
    const RigidBody *rigid = &bs->rigid[r];
    RigidMotion end = end_of(bs, rigid, state, state->v), at;
    rigid_place(bs, rigid, state->q, &at);
    rigid_carry(bs->dim, rigid, at.r, (const double[3]){0}, &end);
    rigid_set_velocities(bs, rigid, &end, state->v);
  }
}

static Status energy(const EnergyStep *step, StepEnergy *total, Arena *arena, Err *err) {
  const BodySet *bs = step->bs;
  const StepResult *result = step->result;
  StepSize size = result->size;
  StepEnergy *part;
  ARENA_NEW(part, bs->n_rigid, arena, err);
  for (int r = 0; r < bs->n_rigid; r++) {
    const RigidBody *rigid = &bs->rigid[r];
    const double *frame = frame_of(bs, result->state, rigid);
    RigidMotion at = motion_of(bs, rigid, result->state), moved,
                end = end_of(bs, rigid, result->state, result->v1);
    Wrench load = rigid_resultant(bs, rigid, frame, result->p);
    double spin[3] = {0}, work = 0, square = 0;
    rigid_mean_spin(bs->dim, rigid, size, &at, &end, spin);
    for (int i = 0; i < bs->dim; i++) {
      work += load.force[i] * (size.theta * end.v[i] + (1 - size.theta) * at.v[i]);
      square += load.force[i] * load.force[i];
    }
    for (int i = 0; i < 3; i++) work += load.moment[i] * spin[i];
    rigid_place(bs, rigid, result->q1, &moved);
    rigid_carry(bs->dim, rigid, moved.r, (const double[3]){0}, &end);
    part[r] =
        (StepEnergy){.external = size.h * work,
                     .pressing = sqrt(square),
                     .numerical = (size.theta - 0.5) * rigid_difference(bs->dim, rigid, &at, &end),
                     .kinetic = rigid_kinetic(bs->dim, rigid, &end)};
  }
  step_energy_add(part, bs->n_rigid, total);
  return OK;
}

const BodyFamily family_rigid = {.start = given_start,
                                 .update_frames = update_frames,
                                 .align = align,
                                 .free_velocity = free_velocity,
                                 .correct = correct,
                                 .energy = energy,
                                 .advance = advance,
                                 .settle = settle};

// ---- the row ------------------------------------------------------------------------------------

static const Material *material(const BodySet *bs, int body) {
  return rigid_of(bs, body)->material;
}

static double mass(const BodySet *bs, int body) {
  return rigid_of(bs, body)->mass;
}

static double node_mass(const BodySet *bs, int body, int local) {
  return rigid_of(bs, body)->node_mass[local];
}

static double start_energy(const BodySet *bs, int body, const double *v) {
  const RigidBody *rigid = rigid_of(bs, body);
  size_t entries = (size_t)(bs->dim * bs->dim);
  RigidMotion at = {.x = {0}};
  memcpy(at.r, bs->place + entries * (size_t)body, entries * sizeof(double));
  rigid_velocity(bs, rigid, v, &at);
  return rigid_kinetic(bs->dim, rigid, &at);
}

static void angular_momentum(const BodySet *bs, const BodyState *state, int body, double l[3]) {
  const RigidBody *rigid = rigid_of(bs, body);
  const RigidMotion at = motion_of(bs, rigid, state);
  rigid_angular_momentum(bs->dim, rigid, &at, l);
}

static int moves(const BodySet *bs, int body, int component) {
  (void)bs, (void)body, (void)component;
  return 1;
}

static int64_t n_unknowns(const BodySet *bs, int body) {
  (void)body;
  return space_rigid_motions(bs->dim);
}

// The site as a mean of the points whose w is stored.
static void grip(const GripSource *from, const Site *site, const double axis[3][3], Grip *grip) {
  const BodySet *bs = from->bs;
  const RigidBody *rigid = rigid_of(bs, site->body);
  const Mesh *mesh = bs->mesh[site->body];
  const int dim = bs->dim;
  const double *q = from->frame + (size_t)(dim * dim) * (size_t)site->body;
  double sum = 0, moment[3] = {0};
  for (int k = 0; k < site->n; k++) {
    const double *x = mesh->x + (size_t)dim * (size_t)(site->node[k] - bs->node_ptr[site->body]);
    sum += site->weight[k];
    for (int i = 0; i < dim; i++) moment[i] += site->weight[k] * (x[i] - rigid->center[i]);
  }
  grip->n = grip->n_row = dim + 1;
  grip->weight[0] = sum;
  for (int k = 0; k <= dim; k++) grip->row[k] = k;
  for (int i = 0; i < dim; i++) {
    grip->weight[1 + i] = moment[i] / rigid->length;
    grip->weight[0] -= grip->weight[1 + i];
  }
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) {
      grip->g[dim * i + j] = q[i] * axis[j][0];
      for (int k = 1; k < dim; k++) grip->g[dim * i + j] += q[dim * k + i] * axis[j][k];
    }
  grip->compliance = rigid->block;
  grip->elastic = NULL;
  grip->rigid = rigid->root;
  grip->n_rigid = space_rigid_motions(dim);
}

static double size(const BodySet *bs, int body) {
  return rigid_of(bs, body)->radius;
}

// What the rows of this file have in common.
#define RIGID                                                                                      \
  .material = material, .mass = mass, .node_mass = node_mass, .start_energy = start_energy,        \
  .angular_momentum = angular_momentum, .moves = moves, .n_unknowns = n_unknowns, .grip = grip

const BodyType body_rigid = {.noun = "rigid body", RIGID};

const BodyType body_disk = {.noun = "disk", .round = 1, .size = size, RIGID};
