#include "body/rigid_motion.h"

#include <math.h>
#include <string.h>

#include "base/mat3.h"

// Rounds of Newton's method for the momentum of a step: few are needed where a body turns by less
// than one radian in it. And the last correction, over the momentum.
enum { MOST_ROUNDS = 20 };
static const double NO_CORRECTION = 1e-16;

static const double *nodes_of(const BodySet *bs, const RigidBody *rigid, const double *vector) {
  return vector + (size_t)bs->dim * (size_t)bs->node_ptr[rigid->body];
}

// From the centre to a node, in the frame of the mesh and turned.
static void arm_of(const BodySet *bs, const RigidBody *rigid, int node, double arm[3]) {
  const double *x = bs->mesh[rigid->body]->x + (size_t)bs->dim * (size_t)node;
  for (int i = 0; i < bs->dim; i++) arm[i] = x[i] - rigid->center[i];
}

static void turned_arm(const BodySet *bs, const RigidBody *rigid, const double *rotation, int node,
                       double arm[3]) {
  double own[3];
  arm_of(bs, rigid, node, own);
  if (bs->dim == 3) {
    mat3_apply(rotation, own, arm);
  } else {
    arm[0] = rotation[0] * own[0] + rotation[1] * own[1];
    arm[1] = rotation[2] * own[0] + rotation[3] * own[1];
  }
}

static void center_of(const BodySet *bs, const RigidBody *rigid, const double *vector,
                      double center[3]) {
  const double *from = nodes_of(bs, rigid, vector);
  int dim = bs->dim;
  for (int i = 0; i < 3; i++) center[i] = 0;
  for (int k = 0; k < bs->mesh[rigid->body]->n_nodes; k++)
    for (int i = 0; i < dim; i++)
      center[i] += rigid->node_mass[k] * from[dim * k + i] / rigid->mass;
}

// ---- from nodes ---------------------------------------------------------------------------------

// Where a node is beside the centre of mass.
typedef struct {
  const double *x, *u;
  double start[3], moved[3];
} Places;

static void place_of(int dim, const Places *places, int node, double place[3]) {
  for (int i = 0; i < dim; i++)
    place[i] =
        places->x[dim * node + i] - places->start[i] + places->u[dim * node + i] - places->moved[i];
}

static void rotation_in_plane(const BodySet *bs, const RigidBody *rigid, const Places *places,
                              double *r) {
  double dot = 0, cross = 0;
  for (int k = 0; k < bs->mesh[rigid->body]->n_nodes; k++) {
    double arm[3], place[3];
    arm_of(bs, rigid, k, arm);
    place_of(2, places, k, place);
    dot += rigid->node_mass[k] * (arm[0] * place[0] + arm[1] * place[1]);
    cross += rigid->node_mass[k] * (arm[0] * place[1] - arm[1] * place[0]);
  }
  double length = hypot(dot, cross);
  r[0] = r[3] = dot / length;
  r[2] = cross / length;
  r[1] = -r[2];
}

// Turns r by what is left between the arms of the nodes and where they are: of a thin body its
// spread can hardly be inverted.
static void correct_rotation(const BodySet *bs, const RigidBody *rigid, const Places *places,
                             double r[9]) {
  double moment[3] = {0}, own[3], turn[3], by[3];
  for (int k = 0; k < bs->mesh[rigid->body]->n_nodes; k++) {
    double arm[3], place[3], cross[3];
    turned_arm(bs, rigid, r, k, arm);
    place_of(3, places, k, place);
    vec3_cross(arm, place, cross);
    for (int i = 0; i < 3; i++) moment[i] += rigid->node_mass[k] * cross[i];
  }
  mat3_apply_transposed(r, moment, own);
  mat3_apply(rigid->space.nodes_inverse, own, turn);
  mat3_apply(r, turn, by);
  rigid_turn(3, by, 1, r);
}

static void rotation_in_space(const BodySet *bs, const RigidBody *rigid, const Places *places,
                              double r[9]) {
  double sum[9] = {0};
  for (int k = 0; k < bs->mesh[rigid->body]->n_nodes; k++) {
    double arm[3], place[3];
    arm_of(bs, rigid, k, arm);
    place_of(3, places, k, place);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) sum[3 * i + j] += rigid->node_mass[k] * place[i] * arm[j];
  }
  mat3_multiply(sum, rigid->space.spread_inverse, r);
  mat3_nearest_rotation(r);
  correct_rotation(bs, rigid, places, r);
}

void rigid_place(const BodySet *bs, const RigidBody *rigid, const double *q, RigidMotion *at) {
  Places places = {.x = nodes_of(bs, rigid, bs->x), .u = nodes_of(bs, rigid, q)};
  center_of(bs, rigid, bs->x, places.start);
  center_of(bs, rigid, q, places.moved);
  for (int i = 0; i < 3; i++) at->x[i] = places.start[i] + places.moved[i];
  if (bs->dim == 2)
    rotation_in_plane(bs, rigid, &places, at->r);
  else
    rotation_in_space(bs, rigid, &places, at->r);
}

static void spin_in_plane(const BodySet *bs, const RigidBody *rigid, const double *v,
                          RigidMotion *at) {
  double square = 0, sum = 0;
  for (int k = 0; k < bs->mesh[rigid->body]->n_nodes; k++) {
    double arm[3];
    turned_arm(bs, rigid, at->r, k, arm);
    double dx = v[2 * k] - at->v[0], dy = v[2 * k + 1] - at->v[1];
    square += rigid->node_mass[k] * (dx * dx + dy * dy);
    sum += rigid->node_mass[k] * (arm[0] * dy - arm[1] * dx);
  }
  at->spin[0] = copysign(sqrt(square / rigid->spread), sum);
}

// Twice: what the first pass leaves is found by the second, so that round-off of the sums does not
// add up from step to step.
static void spin_in_space(const BodySet *bs, const RigidBody *rigid, const double *v,
                          RigidMotion *at) {
  for (int i = 0; i < 3; i++) at->spin[i] = 0;
  for (int pass = 0; pass < 2; pass++) {
    double sum[3] = {0}, own[3], spin[3], by[3];
    for (int k = 0; k < bs->mesh[rigid->body]->n_nodes; k++) {
      double arm[3], d[3], cross[3];
      turned_arm(bs, rigid, at->r, k, arm);
      vec3_cross(at->spin, arm, cross);
      for (int i = 0; i < 3; i++) d[i] = v[3 * k + i] - at->v[i] - cross[i];
      vec3_cross(arm, d, cross);
      for (int i = 0; i < 3; i++) sum[i] += rigid->node_mass[k] * cross[i];
    }
    mat3_apply_transposed(at->r, sum, own);
    mat3_apply(rigid->space.nodes_inverse, own, spin);
    mat3_apply(at->r, spin, by);
    for (int i = 0; i < 3; i++) at->spin[i] += by[i];
  }
}

void rigid_velocity(const BodySet *bs, const RigidBody *rigid, const double *v, RigidMotion *at) {
  const double *own = nodes_of(bs, rigid, v);
  center_of(bs, rigid, v, at->v);
  if (bs->dim == 2) {
    spin_in_plane(bs, rigid, own, at);
    return;
  }
  double left[3] = {0}; // by the sum of masses: see spin_in_space
  for (int k = 0; k < bs->mesh[rigid->body]->n_nodes; k++)
    for (int i = 0; i < 3; i++) left[i] += rigid->node_mass[k] * (own[3 * k + i] - at->v[i]);
  for (int i = 0; i < 3; i++) at->v[i] += left[i] / rigid->mass;
  spin_in_space(bs, rigid, own, at);
}

Wrench rigid_resultant(const BodySet *bs, const RigidBody *rigid, const double *rotation,
                       const double *force) {
  const int dim = bs->dim;
  const double *from = nodes_of(bs, rigid, force);
  Wrench sum = {0};
  for (int k = 0; k < bs->mesh[rigid->body]->n_nodes; k++) {
    const double *own = from + dim * k;
    double arm[3], cross[3];
    turned_arm(bs, rigid, rotation, k, arm);
    for (int i = 0; i < dim; i++) sum.force[i] += own[i];
    if (dim == 2) {
      sum.moment[0] += arm[0] * own[1] - arm[1] * own[0];
      continue;
    }
    vec3_cross(arm, own, cross);
    for (int i = 0; i < 3; i++) sum.moment[i] += cross[i];
  }
  return sum;
}

// ---- to nodes -----------------------------------------------------------------------------------

void rigid_add_velocities(const BodySet *bs, const RigidBody *rigid, const RigidMotion *at,
                          double *v) {
  const int dim = bs->dim;
  double *to = v + (size_t)dim * (size_t)bs->node_ptr[rigid->body];
  for (int k = 0; k < bs->mesh[rigid->body]->n_nodes; k++) {
    double arm[3], by[3];
    turned_arm(bs, rigid, at->r, k, arm);
    if (dim == 3) {
      vec3_cross(at->spin, arm, by);
    } else {
      by[0] = -at->spin[0] * arm[1];
      by[1] = at->spin[0] * arm[0];
    }
    for (int i = 0; i < dim; i++) to[dim * k + i] += at->v[i] + by[i];
  }
}

void rigid_set_velocities(const BodySet *bs, const RigidBody *rigid, const RigidMotion *at,
                          double *v) {
  size_t dim = (size_t)bs->dim, n = dim * (size_t)bs->mesh[rigid->body]->n_nodes;
  memset(v + dim * (size_t)bs->node_ptr[rigid->body], 0, n * sizeof *v);
  rigid_add_velocities(bs, rigid, at, v);
}

void rigid_displace(const BodySet *bs, const RigidBody *rigid, const RigidMotion *at, double *q) {
  const int dim = bs->dim;
  size_t first = (size_t)dim * (size_t)bs->node_ptr[rigid->body];
  for (int k = 0; k < bs->mesh[rigid->body]->n_nodes; k++) {
    double arm[3];
    turned_arm(bs, rigid, at->r, k, arm);
    for (int i = 0; i < dim; i++) {
      size_t c = first + (size_t)(dim * k + i);
      q[c] = at->x[i] + arm[i] - bs->x[c];
    }
  }
}

// ---- momentum and energy ------------------------------------------------------------------------

// In space: the angular momentum in the axes of the body.
static void own_momentum(const RigidBody *rigid, const RigidMotion *at, double p[3]) {
  double spin[3];
  mat3_apply_transposed(at->r, at->spin, spin);
  mat3_apply(rigid->space.inertia, spin, p);
}

void rigid_angular_momentum(int dim, const RigidBody *rigid, const RigidMotion *at, double l[3]) {
  double own[3];
  if (dim == 2) {
    l[0] = l[1] = 0;
    l[2] = rigid->inertia * at->spin[0];
    return;
  }
  own_momentum(rigid, at, own);
  mat3_apply(at->r, own, l);
}

// In space: the spin of an angular momentum at the rotation of the motion, twice as in
// spin_in_space.
static void spin_of_momentum(const RigidBody *rigid, const double momentum[3], RigidMotion *at) {
  for (int i = 0; i < 3; i++) at->spin[i] = 0;
  for (int pass = 0; pass < 2; pass++) {
    double left[3], own[3], spin[3], by[3];
    rigid_angular_momentum(3, rigid, at, left);
    for (int i = 0; i < 3; i++) left[i] = momentum[i] - left[i];
    mat3_apply_transposed(at->r, left, own);
    mat3_apply(rigid->space.inverse, own, spin);
    mat3_apply(at->r, spin, by);
    for (int i = 0; i < 3; i++) at->spin[i] += by[i];
  }
}

void rigid_carry(int dim, const RigidBody *rigid, const double *rotation, const double moment[3],
                 RigidMotion *at) {
  double all[3];
  if (dim == 3) rigid_angular_momentum(3, rigid, at, all);
  memcpy(at->r, rotation, (size_t)(dim * dim) * sizeof *rotation);
  if (dim == 2) {
    at->spin[0] += moment[0] / rigid->inertia;
    return;
  }
  for (int i = 0; i < 3; i++) all[i] += moment[i];
  spin_of_momentum(rigid, all, at);
}

void rigid_turn(int dim, const double spin[3], double time, double *r) {
  if (dim == 3) {
    double q[9];
    mat3_cayley((const double[3]){time * spin[0], time * spin[1], time * spin[2]}, q);
    mat3_turn(q, r);
    return;
  }
  double dc = cos(time * spin[0]), ds = sin(time * spin[0]), c = r[0], s = r[2];
  r[0] = r[3] = dc * c - ds * s;
  r[2] = ds * c + dc * s;
  r[1] = -r[2];
}

// The spin, in axes of the body that stand still in a step, of one that nothing acts on: that of
// p_0 + theta dp, where dp = - h spin x (p_0 + dp / 2) is what its momentum changes by as it turns
// with this spin by the map of Cayley.
static void free_spin(const RigidBody *rigid, StepSize size, const double p0[3], double spin[3]) {
  const double *inverse = rigid->space.inverse;
  double dp[3] = {0}, scale = vec3_length(p0);
  for (int round = 0; round < MOST_ROUNDS; round++) {
    double mean[3], p[3], rest[3], slope[9], solved[9], by[3];
    for (int i = 0; i < 3; i++) {
      p[i] = p0[i] + size.theta * dp[i];
      mean[i] = p0[i] + 0.5 * dp[i];
    }
    mat3_apply(inverse, p, spin);
    vec3_cross(spin, mean, rest);
    for (int j = 0; j < 3; j++) { // columns: what the rest gains by dp
      const double unit[3] = {j == 0, j == 1, j == 2};
      double of_spin[3], of_mean[3], turned[3];
      mat3_apply(inverse, unit, turned);
      vec3_cross(turned, mean, of_spin);
      vec3_cross(spin, unit, of_mean);
      for (int i = 0; i < 3; i++)
        slope[3 * i + j] = unit[i] + size.h * (size.theta * of_spin[i] + 0.5 * of_mean[i]);
    }
    for (int i = 0; i < 3; i++) rest[i] = dp[i] + size.h * rest[i];
    mat3_invert(slope, solved);
    mat3_apply(solved, rest, by);
    for (int i = 0; i < 3; i++) dp[i] -= by[i];
    if (!(vec3_length(by) > NO_CORRECTION * scale)) return;
  }
}

void rigid_mean_spin(int dim, const RigidBody *rigid, StepSize size, const RigidMotion *at,
                     const RigidMotion *end, double spin[3]) {
  double theta = size.theta;
  RigidMotion begun = *at;
  if (dim == 3) { // as the frame has it, and what this lacks of the free motion
    double own[3], p0[3], by[3];
    own_momentum(rigid, at, p0);
    free_spin(rigid, size, p0, own);
    mat3_apply(at->r, own, by);
    rigid_carry(3, rigid, end->r, (const double[3]){0}, &begun);
    for (int i = 0; i < 3; i++) spin[i] = by[i] + theta * (end->spin[i] - begun.spin[i]);
    return;
  }
  spin[0] = theta * end->spin[0] + (1 - theta) * at->spin[0];
  spin[1] = spin[2] = 0;
}

double rigid_kinetic(int dim, const RigidBody *rigid, const RigidMotion *at) {
  double p[3], own[3], turning;
  if (dim == 3) {
    mat3_apply_transposed(at->r, at->spin, own);
    mat3_apply(rigid->space.inertia, own, p);
    turning = vec3_dot(own, p);
  } else {
    turning = rigid->inertia * at->spin[0] * at->spin[0];
  }
  double square = 0;
  for (int i = 0; i < dim; i++) square += at->v[i] * at->v[i];
  return 0.5 * rigid->mass * square + 0.5 * turning;
}

double rigid_difference(int dim, const RigidBody *rigid, const RigidMotion *at,
                        const RigidMotion *end) {
  double sum = 0, d[3], p0[3], p1[3], own[3];
  for (int i = 0; i < dim; i++) d[i] = end->v[i] - at->v[i];
  for (int i = 0; i < dim; i++) sum += rigid->mass * d[i] * d[i];
  if (dim == 2) {
    d[0] = end->spin[0] - at->spin[0];
    return sum + rigid->inertia * d[0] * d[0];
  }
  own_momentum(rigid, at, p0);
  own_momentum(rigid, end, p1);
  for (int i = 0; i < 3; i++) d[i] = p1[i] - p0[i];
  mat3_apply(rigid->space.inverse, d, own);
  return sum + vec3_dot(d, own);
}
