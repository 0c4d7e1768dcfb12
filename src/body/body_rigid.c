// Rigid bodies in the plane: any mesh, whose nodes are what others see of it. And the family of all
// rigid bodies, also of those whose motion is given (body_given.c).
//
// The state has no unknowns of its own: positions and velocities of the nodes are those of the
// motion, and the motion is found from them by sums with the nodes' masses, whose first moment is
// exact. The rotation of a step is that of its angle, not of a line through its nodes, so a body
// keeps its shape for ever.

#include <math.h>
#include <string.h>

#include "base/space.h"
#include "body/body_type.h"

// A frame is taken anew when the body has turned by more than this [rad]: rows of W are kept so
// long.
static const double FRAME_TOLERANCE = 1e-9;

// Where a body is and how it moves: centre of mass, and rotation [c -s; s c] of its mesh.
typedef struct {
  double x[2], c, s;
  double v[2], spin;
} Motion2;

static const RigidBody *rigid_of(const BodySet *bs, int body) {
  return &bs->rigid[bs->own[body]];
}

// ---- set-up -------------------------------------------------------------------------------------

static void mass_of_nodes(RigidBody *rigid, const Mesh *mesh, const ElementSpec *spec) {
  for (int e = 0; e < mesh->n_elems; e++) {
    double x[MAX_ELEM_DOFS], share[MAX_ELEM_NODES];
    const int32_t *node = mesh->elem_node + mesh->elem_ptr[e];
    int n = mesh->elem_ptr[e + 1] - mesh->elem_ptr[e];
    ElementSpec own = *spec;
    own.type = element_types[mesh->elem_shape[e]];
    for (int k = 0; k < 2 * n; k++) x[k] = mesh->x[2 * (size_t)node[k / 2] + (size_t)(k % 2)];
    element_lumped_volume(&own, x, share);
    for (int k = 0; k < n; k++) rigid->node_mass[node[k]] += rigid->material->density * share[k];
  }
  for (int k = 0; k < mesh->n_nodes; k++) {
    rigid->mass += rigid->node_mass[k];
    for (int i = 0; i < 2; i++) rigid->center[i] += rigid->node_mass[k] * mesh->x[2 * k + i];
  }
  for (int i = 0; i < 2; i++) rigid->center[i] /= rigid->mass;
}

// Moment of inertia about the centre by the integral over the boundary, and the moment of the
// nodes' masses.
static void inertia_of(RigidBody *rigid, const Mesh *mesh, const Skin *skin, double thickness) {
  for (int f = 0; f < skin->n_facets; f++) {
    double p[2][2];
    for (int k = 0; k < 2; k++)
      for (int i = 0; i < 2; i++)
        p[k][i] = mesh->x[2 * (size_t)skin->facet_node[2 * f + k] + (size_t)i] - rigid->center[i];
    double cross = p[0][0] * p[1][1] - p[0][1] * p[1][0], square = 0;
    for (int i = 0; i < 2; i++) square += p[0][i] * p[0][i] + p[0][i] * p[1][i] + p[1][i] * p[1][i];
    rigid->inertia += rigid->material->density * thickness * cross * square / 12;
  }
  for (int k = 0; k < mesh->n_nodes; k++) {
    double a = mesh->x[2 * k] - rigid->center[0], b = mesh->x[2 * k + 1] - rigid->center[1];
    rigid->spread += rigid->node_mass[k] * (a * a + b * b);
  }
}

// Of a disk the masses of nodes are half of it at the centre, the rest on the rim: their first
// moment is exact.
static void mass_of_disk(RigidBody *rigid, const Mesh *mesh, double thickness) {
  rigid->mass = rigid->material->density * thickness * PI * rigid->radius * rigid->radius;
  rigid->inertia = 0.5 * rigid->mass * rigid->radius * rigid->radius;
  for (int k = 0; k < mesh->n_nodes; k++)
    rigid->node_mass[k] = 0.5 * rigid->mass / (k == 0 ? 1 : mesh->n_nodes - 1);
  rigid->spread = 0.5 * rigid->mass * rigid->radius * rigid->radius;
}

Status rigid_init(RigidBody *rigid, const RigidSpec *spec, Err *err) {
  *rigid = (RigidBody){.body = spec->body, .material = spec->material, .radius = spec->radius};
  const ElementSpec element = {.state = PLANE_STRESS, .thickness = spec->thickness};
  MEM_NEW(rigid->node_mass, spec->mesh->n_nodes, err);
  if (spec->radius > 0) {
    mass_of_disk(rigid, spec->mesh, spec->thickness);
  } else {
    mass_of_nodes(rigid, spec->mesh, &element);
    inertia_of(rigid, spec->mesh, spec->skin, spec->thickness);
  }
  if (!(rigid->mass > 0) || !(rigid->inertia > 0))
    return err_set(err, ERR_INPUT, "its mass %g and moment of inertia %g are not positive",
                   rigid->mass, rigid->inertia);
  // w between three points of the body: its centre, and one radius of gyration along each axis.
  double length = sqrt(rigid->inertia / rigid->mass);
  const double arm[3][2] = {{0, 0}, {length, 0}, {0, length}};
  rigid->length = length;
  for (int a = 0; a < 3; a++) {
    double *root = rigid->root + 6 * a;
    root[0] = root[4] = 1 / sqrt(rigid->mass);
    root[2] = -arm[a][1] / sqrt(rigid->inertia);
    root[5] = arm[a][0] / sqrt(rigid->inertia);
  }
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
          for (int m = 0; m < 3; m++)
            rigid->block[4 * (3 * a + b) + 2 * i + j] +=
                rigid->root[6 * a + 3 * i + m] * rigid->root[6 * b + 3 * j + m];
  return OK;
}

void rigid_free(RigidBody *rigid) {
  mem_free(rigid->node_mass);
  *rigid = (RigidBody){0};
}

// ---- its motion ---------------------------------------------------------------------------------

static void center_of(const BodySet *bs, const RigidBody *rigid, const double *vector,
                      double center[2]) {
  const double *from = vector + 2 * (size_t)bs->node_ptr[rigid->body];
  center[0] = center[1] = 0;
  for (int k = 0; k < bs->mesh[rigid->body]->n_nodes; k++)
    for (int i = 0; i < 2; i++) center[i] += rigid->node_mass[k] * from[2 * k + i] / rigid->mass;
}

// Its place from the nodes' displacements.
static void find_place(const BodySet *bs, const RigidBody *rigid, const double *q, Motion2 *at) {
  const Mesh *mesh = bs->mesh[rigid->body];
  const double *x = bs->x + 2 * (size_t)bs->node_ptr[rigid->body],
               *u = q + 2 * (size_t)bs->node_ptr[rigid->body];
  double start[2], moved[2], dot = 0, cross = 0;
  center_of(bs, rigid, bs->x, start);
  center_of(bs, rigid, q, moved);
  for (int i = 0; i < 2; i++) at->x[i] = start[i] + moved[i];
  for (int k = 0; k < mesh->n_nodes; k++) {
    double a = mesh->x[2 * k] - rigid->center[0], b = mesh->x[2 * k + 1] - rigid->center[1];
    double p = x[2 * k] - start[0] + u[2 * k] - moved[0],
           r = x[2 * k + 1] - start[1] + u[2 * k + 1] - moved[1];
    dot += rigid->node_mass[k] * (a * p + b * r);
    cross += rigid->node_mass[k] * (a * r - b * p);
  }
  double length = hypot(dot, cross);
  at->c = dot / length;
  at->s = cross / length;
}

// Its velocity from those of the nodes, which may stand to another rotation than at->c, at->s, not
// far from it.
static void find_velocity(const BodySet *bs, const RigidBody *rigid, const double *v, Motion2 *at) {
  const Mesh *mesh = bs->mesh[rigid->body];
  const double *from = v + 2 * (size_t)bs->node_ptr[rigid->body];
  double square = 0, cross = 0;
  center_of(bs, rigid, v, at->v);
  for (int k = 0; k < mesh->n_nodes; k++) {
    double a = mesh->x[2 * k] - rigid->center[0], b = mesh->x[2 * k + 1] - rigid->center[1];
    double x = at->c * a - at->s * b, y = at->s * a + at->c * b;
    double dx = from[2 * k] - at->v[0], dy = from[2 * k + 1] - at->v[1];
    square += rigid->node_mass[k] * (dx * dx + dy * dy);
    cross += rigid->node_mass[k] * (x * dy - y * dx);
  }
  at->spin = copysign(sqrt(square / rigid->spread), cross);
}

// v (+)= velocities of the nodes at the rotation c, s.
static void add_velocities(const BodySet *bs, const RigidBody *rigid, const double rotation[2],
                           const double move[2], double spin, int add, double *v) {
  const Mesh *mesh = bs->mesh[rigid->body];
  double *to = v + 2 * (size_t)bs->node_ptr[rigid->body];
  for (int k = 0; k < mesh->n_nodes; k++) {
    double a = mesh->x[2 * k] - rigid->center[0], b = mesh->x[2 * k + 1] - rigid->center[1];
    double x = rotation[0] * a - rotation[1] * b, y = rotation[1] * a + rotation[0] * b;
    const double own[2] = {move[0] - spin * y, move[1] + spin * x};
    for (int i = 0; i < 2; i++) to[2 * k + i] = add ? to[2 * k + i] + own[i] : own[i];
  }
}

// Force and moment about its centre of a vector of nodal forces, at the frame of the step.
static void resultant(const BodySet *bs, const RigidBody *rigid, const double *frame,
                      const double *force, double sum[3]) {
  const Mesh *mesh = bs->mesh[rigid->body];
  const double *from = force + 2 * (size_t)bs->node_ptr[rigid->body];
  const double *q = frame + 4 * (size_t)rigid->body;
  sum[0] = sum[1] = sum[2] = 0;
  for (int k = 0; k < mesh->n_nodes; k++) {
    double a = mesh->x[2 * k] - rigid->center[0], b = mesh->x[2 * k + 1] - rigid->center[1];
    double x = q[0] * a + q[1] * b, y = q[2] * a + q[3] * b;
    sum[0] += from[2 * k];
    sum[1] += from[2 * k + 1];
    sum[2] += x * from[2 * k + 1] - y * from[2 * k];
  }
}

static void turn(double angle, double *c, double *s) {
  double dc = cos(angle), ds = sin(angle), old = *c;
  *c = dc * *c - ds * *s;
  *s = ds * old + dc * *s;
}

// ---- the step -----------------------------------------------------------------------------------

static void update_frames(const BodySet *bs, StepSize size, BodyState *state, uint8_t *turned) {
  for (int r = 0; r < bs->n_rigid; r++) {
    const RigidBody *rigid = &bs->rigid[r];
    double *frame = state->frame + 4 * (size_t)rigid->body;
    Motion2 at;
    find_place(bs, rigid, state->q, &at);
    find_velocity(bs, rigid, state->v, &at);
    turn(size.h * (1 - size.theta) * at.spin, &at.c, &at.s);
    if (fabs(at.s * frame[0] - at.c * frame[2]) <= FRAME_TOLERANCE &&
        at.c * frame[0] + at.s * frame[2] > 0)
      continue;
    frame[0] = frame[3] = at.c;
    frame[2] = at.s;
    frame[1] = -at.s;
    turned[rigid->body] = 1;
  }
}

static void frame_of(const BodyState *state, const RigidBody *rigid, double rotation[2]) {
  const double *frame = state->frame + 4 * (size_t)rigid->body;
  rotation[0] = frame[0];
  rotation[1] = frame[2];
}

static void align(const BodySet *bs, const BodyState *state, double *v) {
  for (int r = 0; r < bs->n_rigid; r++) {
    double rotation[2];
    Motion2 at;
    find_place(bs, &bs->rigid[r], state->q, &at);
    find_velocity(bs, &bs->rigid[r], state->v, &at);
    frame_of(state, &bs->rigid[r], rotation);
    add_velocities(bs, &bs->rigid[r], rotation, at.v, at.spin, 0, v);
  }
}

static Status free_velocity(const LinearStep *step, double *v_free, Arena *arena, Err *err) {
  const BodySet *bs = step->bs;
  (void)arena;
  TRY(given_velocity(bs, step->size, v_free, err));
  for (int r = 0; r < bs->n_rigid; r++) {
    const RigidBody *rigid = &bs->rigid[r];
    double load[3], rotation[2];
    Motion2 at;
    find_place(bs, rigid, step->state->q, &at);
    find_velocity(bs, rigid, step->state->v, &at);
    resultant(bs, rigid, step->state->frame, step->p, load);
    frame_of(step->state, rigid, rotation);
    for (int i = 0; i < 2; i++) at.v[i] += step->size.h * load[i] / rigid->mass;
    at.spin += step->size.h * load[2] / rigid->inertia;
    add_velocities(bs, rigid, rotation, at.v, at.spin, 0, v_free);
  }
  return OK;
}

static Status correct(const LinearStep *step, const double *impulse, double *v, Arena *arena,
                      Err *err) {
  const BodySet *bs = step->bs;
  (void)arena, (void)err;
  for (int r = 0; r < bs->n_rigid; r++) {
    const RigidBody *rigid = &bs->rigid[r];
    double sum[3], rotation[2], move[2];
    resultant(bs, rigid, step->state->frame, impulse, sum);
    frame_of(step->state, rigid, rotation);
    for (int i = 0; i < 2; i++) move[i] = sum[i] / rigid->mass;
    add_velocities(bs, rigid, rotation, move, sum[2] / rigid->inertia, 1, v);
  }
  return OK;
}

static void advance(const BodySet *bs, const BodyState *state, StepSize size, const double *v1,
                    double *q1) {
  double now = size.h * size.theta, before = size.h * (1 - size.theta);
  for (int r = 0; r < bs->n_rigid; r++) {
    const RigidBody *rigid = &bs->rigid[r];
    const Mesh *mesh = bs->mesh[rigid->body];
    size_t first = 2 * (size_t)bs->node_ptr[rigid->body];
    Motion2 at, end;
    find_place(bs, rigid, state->q, &at);
    find_velocity(bs, rigid, state->v, &at);
    end = at;
    find_velocity(bs, rigid, v1, &end);
    turn(now * end.spin + before * at.spin, &at.c, &at.s);
    for (int i = 0; i < 2; i++) at.x[i] += now * end.v[i] + before * at.v[i];
    for (int k = 0; k < mesh->n_nodes; k++) {
      double a = mesh->x[2 * k] - rigid->center[0], b = mesh->x[2 * k + 1] - rigid->center[1];
      const double p[2] = {at.x[0] + at.c * a - at.s * b, at.x[1] + at.s * a + at.c * b};
      for (size_t i = 0; i < 2; i++)
        q1[first + 2 * (size_t)k + i] = p[i] - bs->x[first + 2 * (size_t)k + i];
    }
  }
}

// Velocities of the nodes as they are at the end of the step, where the body has turned on.
static void settle(const BodySet *bs, BodyState *state) {
  for (int r = 0; r < bs->n_rigid; r++) {
    Motion2 at;
    find_place(bs, &bs->rigid[r], state->q, &at);
    find_velocity(bs, &bs->rigid[r], state->v, &at);
    add_velocities(bs, &bs->rigid[r], (const double[2]){at.c, at.s}, at.v, at.spin, 0, state->v);
  }
}

static double kinetic(const BodySet *bs, const RigidBody *rigid, const Motion2 *at) {
  (void)bs;
  return 0.5 * rigid->mass * (at->v[0] * at->v[0] + at->v[1] * at->v[1]) +
         0.5 * rigid->inertia * at->spin * at->spin;
}

static Status energy(const EnergyStep *step, StepEnergy *total, Arena *arena, Err *err) {
  const BodySet *bs = step->bs;
  const StepResult *result = step->result;
  double h = result->size.h, theta = result->size.theta;
  StepEnergy *part;
  ARENA_NEW(part, bs->n_rigid, arena, err);
  for (int r = 0; r < bs->n_rigid; r++) {
    const RigidBody *rigid = &bs->rigid[r];
    StepEnergy *sum = &part[r];
    *sum = (StepEnergy){0};
    Motion2 at, end;
    double load[3], dv[3];
    find_place(bs, rigid, result->state->q, &at);
    find_velocity(bs, rigid, result->state->v, &at);
    end = at;
    find_velocity(bs, rigid, result->v1, &end);
    resultant(bs, rigid, result->state->frame, result->p, load);
    for (int i = 0; i < 2; i++) {
      dv[i] = end.v[i] - at.v[i];
      sum->external += h * load[i] * (theta * end.v[i] + (1 - theta) * at.v[i]);
      sum->numerical += (theta - 0.5) * rigid->mass * dv[i] * dv[i];
    }
    sum->pressing += hypot(load[0], load[1]);
    dv[2] = end.spin - at.spin;
    sum->external += h * load[2] * (theta * end.spin + (1 - theta) * at.spin);
    sum->numerical += (theta - 0.5) * rigid->inertia * dv[2] * dv[2];
    sum->kinetic += kinetic(bs, rigid, &end);
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
  const double *place = bs->place + 4 * (size_t)body;
  Motion2 at = {.c = place[0], .s = place[2]};
  find_velocity(bs, rigid, v, &at);
  return kinetic(bs, rigid, &at);
}

static int moves(const BodySet *bs, int body, int component) {
  (void)bs, (void)body, (void)component;
  return 1;
}

static int64_t n_unknowns(const BodySet *bs, int body) {
  (void)bs, (void)body;
  return 3;
}

// The site as a mean of the three points whose w is stored.
static void grip(const GripSource *from, const Site *site, const double axis[3][3], Grip *grip) {
  const BodySet *bs = from->bs;
  const RigidBody *rigid = rigid_of(bs, site->body);
  const Mesh *mesh = bs->mesh[site->body];
  const double *q = from->frame + 4 * (size_t)site->body;
  double sum = 0, moment[2] = {0, 0};
  for (int k = 0; k < site->n; k++) {
    const double *x = mesh->x + 2 * (size_t)(site->node[k] - bs->node_ptr[site->body]);
    sum += site->weight[k];
    for (int i = 0; i < 2; i++) moment[i] += site->weight[k] * (x[i] - rigid->center[i]);
  }
  grip->n = grip->n_row = 3;
  for (int k = 0; k < 3; k++) grip->row[k] = k;
  grip->weight[1] = moment[0] / rigid->length;
  grip->weight[2] = moment[1] / rigid->length;
  grip->weight[0] = sum - grip->weight[1] - grip->weight[2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) grip->g[2 * i + j] = q[i] * axis[j][0] + q[2 + i] * axis[j][1];
  grip->compliance = rigid->block;
  grip->elastic = NULL;
  grip->rigid = rigid->root;
  grip->n_rigid = 3;
}

static double size(const BodySet *bs, int body) {
  return rigid_of(bs, body)->radius;
}

// What the rows of this file have in common.
#define RIGID                                                                                      \
  .material = material, .mass = mass, .node_mass = node_mass, .start_energy = start_energy,        \
  .moves = moves, .n_unknowns = n_unknowns, .grip = grip

const BodyType body_rigid = {.noun = "rigid body", RIGID};

const BodyType body_disk = {.noun = "disk", .size = size, RIGID};
