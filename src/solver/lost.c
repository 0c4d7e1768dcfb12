#include "solver/lost.h"

#include <math.h>
#include <string.h>

#include "solver/groups.h"
#include "solver/measure.h"
#include "solver/operator.h"

// Over the tolerance, from which a body misses: in walls of equal blocks the worst is at 16 of it
// at most, a stone of 1 cm beside blocks of 1 to 20 m at 1e4 to 1e6.
static const double OWN = 30;
// The same of bodies that touch no others, together: errors of each step add up, and two cubes of
// 2 cm that slide 2 m away from 1 m at 60 m/s are 0.7 % off where only single bodies are looked at.
static const double APART = 3;
// Over the tolerance, of velocities: 100 at most in walls, 1e5 where 1e6 kg stand on 2 kg.
static const double HEAVY = 300;

// Of bodies that hang together: sums over their contacts.
typedef struct {
  double error, size; // squares
  double driven;      // as below
  int bear;
} Group;

// What the impulses tell without a product with W.
typedef struct {
  const Problem *p;
  const double *r, *square;
  double *scale;        // [n]
  double driven, drive; // sum over contacts that bear, and mean, of squares of velocities
  double norm;          // sum of all sizes
  double least;         // scale of the contact that moves most
  // Where something deforms; else NULL.
  const int32_t *group; // [n_bodies] the body that stands for its group
  Group *of;            // [n_bodies] that of the body that stands for it
} Own;

// Squares of the impulse of contact i, in the measure of the errors.
static double size_of(const Own *own, int i) {
  const Problem *p = own->p;
  size_t dim = (size_t)p->dim;
  const double *r = own->r + (size_t)i * dim;
  double sum = 0;
  for (size_t k = 0; k < dim; k++)
    sum += r[k] * r[k] * (own->square ? p->elastic[2 * (size_t)i + (k > 0)] : 1);
  return sum;
}

static Group *group_of(const Own *own, int i) {
  int group = own->group ? groups_of_contact(own->group, own->p, i) : -1;
  return group < 0 ? NULL : &own->of[group];
}

// Mean square of the velocities that drive contact i: where nothing deforms that of all.
static double drive_of(const Own *own, int i) {
  const Group *group = group_of(own, i);
  if (!group) return own->drive;
  return group->bear > 0 ? group->driven / group->bear : 0;
}

// Squares of the impulse of contact i, or of one that would give it the velocity that drives.
static double least_of(const Own *own, int i) {
  double weight = own->square ? own->p->elastic[2 * i] : 1;
  return fmax(size_of(own, i), own->scale[i] * own->scale[i] * drive_of(own, i) * weight);
}

// Square of the velocity that drives contact i of what deforms: friction stops as much of what it
// slides by as presses it.
static double pressed_by(const Problem *p, int i, double driven) {
  double normal = p->b[(size_t)i * (size_t)p->dim], bound = p->mu[i] * normal;
  if (p->radius && p->radius[i] > 0) return driven;
  return fmin(driven, normal * normal + bound * bound);
}

static Status find_groups(Own *own, Arena *arena, Err *err) {
  const int n_bodies = own->p->bodies.n_bodies;
  TRY(groups_find(own->p, &own->group, arena, err));
  ARENA_NEW(own->of, n_bodies, arena, err);
  memset(own->of, 0, (size_t)n_bodies * sizeof *own->of);
  return OK;
}

static Status own_init(Own *own, Arena *arena, Err *err) {
  const Problem *p = own->p;
  size_t dim = (size_t)p->dim;
  int bear = 0;
  ARENA_NEW(own->scale, p->n, arena, err);
  if (own->square) TRY(find_groups(own, arena, err));
  measure_scales(p, own->scale);
  own->least = (double)INFINITY;
  for (size_t i = 0; i < (size_t)p->n; i++) {
    Group *group = group_of(own, (int)i);
    double size = size_of(own, (int)i), driven = 0;
    own->norm += size;
    if (group) group->size += size;
    if (own->scale[i] > 0) own->least = fmin(own->least, own->scale[i]);
    if (!(own->r[i * dim] > 0)) continue;
    for (size_t k = 0; k < dim; k++) driven += p->b[i * dim + k] * p->b[i * dim + k];
    own->driven += driven;
    bear++;
    if (!group) continue;
    group->driven += pressed_by(p, (int)i, driven);
    group->bear++;
  }
  own->drive = bear > 0 ? own->driven / bear : 0;
  return OK;
}

// Does the group that body k stands for miss with this error? Where nothing deforms only bodies are
// looked at.
static int is_group_lost(const Own *own, int k, double error, double tolerance) {
  double miss = APART * tolerance;
  return own->group && own->of[k].size > 0 && error > miss * miss * own->of[k].size;
}

// Can no body miss, and no velocity be too large, however the error is shared out?
static int cannot_miss(const Own *own, const Lost *lost, double error, double tolerance) {
  double all = error * error * own->norm, miss = OWN * tolerance,
         heavy = HEAVY * tolerance * own->least;
  if (!own->square && all > heavy * heavy * own->driven) return 0;
  for (int k = 0; k < own->p->bodies.n_bodies; k++)
    if (all > miss * miss * lost->size[k] || is_group_lost(own, k, all, tolerance)) return 0;
  return 1;
}

// Adds x of contact i to the bodies that it moves.
static void add_to_bodies(const BodyRows *bodies, int i, double x, double *sum) {
  for (int side = 0; side < 2; side++) {
    int body = bodies->moved[2 * i + side];
    if (body >= 0) sum[body] += x;
  }
}

// Errors of all bodies; returns the sum of their squares as velocities, where the scaled error
// counts.
static double add_errors(const Own *own, Lost *lost) {
  const Problem *p = own->p;
  double velocity = 0, u[3];
  if (!own->square) operator_set(p, own->r);
  for (int i = 0; i < p->n; i++) {
    double scale = own->scale[i], sum[2] = {own->square ? own->square[i] : 0};
    if (!own->square && scale > 0) {
      operator_row(p, i, own->r, u);
      measure_add(p, i, scale, own->r, u, sum);
      velocity += sum[0] / (scale * scale);
    }
    add_to_bodies(&p->bodies, i, sum[0], lost->error);
    Group *group = group_of(own, i);
    if (group) group->error += sum[0];
  }
  return velocity;
}

static int is_lost(const Own *own, const Lost *lost, int body, double tolerance) {
  double miss = OWN * tolerance;
  if (lost->error[body] > miss * miss * lost->size[body]) return 1;
  if (!own->group) return 0;
  int group = own->group[body];
  return is_group_lost(own, group, own->of[group].error, tolerance);
}

static void mark(const Own *own, double tolerance, Lost *lost, int32_t *place) {
  for (int i = 0; i < own->p->n; i++)
    for (int side = 0; side < 2; side++) {
      int body = own->p->bodies.moved[2 * i + side];
      if (body < 0 || !is_lost(own, lost, body, tolerance)) continue;
      lost->n += place[i] < 0;
      place[i] = 1;
    }
}

Status lost_find(Lost *lost, Part *part, const double *r, double error, double tolerance,
                 Arena *arena, Err *err) {
  Own own = {.p = part->whole, .r = r, .square = lost->square};
  const BodyRows *bodies = &own.p->bodies;
  *lost = (Lost){.square = own.square, .heavy = 1};
  if (!bodies->moved || own.p->item) return OK;
  ARENA_NEW(lost->error, bodies->n_bodies, arena, err);
  ARENA_NEW(lost->size, bodies->n_bodies, arena, err);
  memset(lost->error, 0, (size_t)bodies->n_bodies * sizeof *lost->error);
  memset(lost->size, 0, (size_t)bodies->n_bodies * sizeof *lost->size);
  TRY(own_init(&own, arena, err));
  for (int i = 0; i < own.p->n; i++) add_to_bodies(bodies, i, least_of(&own, i), lost->size);
  if (cannot_miss(&own, lost, error, tolerance)) return OK;
  double velocity = add_errors(&own, lost);
  if (!own.square && own.driven > 0)
    lost->heavy = fmax(1, sqrt(velocity / own.driven) / (HEAVY * tolerance));
  mark(&own, tolerance, lost, part->place);
  return OK;
}
