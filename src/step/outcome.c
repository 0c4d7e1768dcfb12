#include "step/outcome.h"

#include <math.h>
#include <string.h>

#include "base/mat3.h"
#include "body/body_type.h"
#include "body/turning.h"
#include "step/stage.h"

const char *const outcome_names[] = {NULL, "stands", "slides", "falls"};

// Kinetic energy over what there was to lose: the default of a stage that ends at rest.
static const double REST_ENERGY = 1e-6;

// Where a body is as one that is rigid.
typedef struct {
  double start[3], place[3], v[3], spin[3], rotation[9];
} Place;

static Place place_of(const BodySet *bs, const BodyState *state, int body) {
  const BodyTurning t = body_turning(bs, state, body);
  Place place;
  memcpy(place.start, t.start, sizeof place.start);
  memcpy(place.place, t.place, sizeof place.place);
  memcpy(place.v, t.v, sizeof place.v);
  memset(place.spin, 0, sizeof place.spin);
  if (body_rotation(bs->dim, &t, place.rotation) && bs->dim == 2)
    place.spin[2] = t.moment[2] / t.inertia[8];
  else if (bs->dim == 3 && body_rotation(3, &t, place.rotation)) {
    double inverse[9];
    mat3_invert(t.inertia, inverse);
    mat3_apply(inverse, t.moment, place.spin);
  }
  return place;
}

// Of a body beside one that carries it along.
typedef struct {
  double u[3], v[3], rotation[9]; // in the axes of the model
} Beside;

static Beside beside(const Place *body, const Place *ground) {
  Beside b;
  double arm[3], carried[3], across[3];
  for (int i = 0; i < 3; i++) arm[i] = body->start[i] - ground->start[i];
  mat3_apply(ground->rotation, arm, carried);
  for (int i = 0; i < 3; i++) b.u[i] = body->place[i] - ground->place[i] - carried[i];
  for (int i = 0; i < 3; i++) arm[i] = body->place[i] - ground->place[i];
  vec3_cross(ground->spin, arm, across);
  for (int i = 0; i < 3; i++) b.v[i] = body->v[i] - ground->v[i] - across[i];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      b.rotation[3 * i + j] = vec3_dot(body->rotation + 3 * i, ground->rotation + 3 * j);
  return b;
}

// Angle of a rotation: exact where it is small, too.
static double angle_of(const double r[9]) {
  double q[4];
  mat3_quaternion(r, q);
  return 2 * atan2(sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), q[0]);
}

// By how much a direction tilts.
static double tilt_of(const double r[9], const double down[3]) {
  double turned[3], across[3];
  mat3_apply(r, down, turned);
  vec3_cross(down, turned, across);
  return atan2(vec3_length(across), vec3_dot(down, turned));
}

// Held by contact alone, and no part that is formed.
static int is_loose(const BodySet *bs, int body) {
  const BodyType *type = bs->type[body];
  if (type->given || type->sheet || !(bodies_mass(bs, body) > 0)) return 0;
  return !(type->held && type->held(bs, body));
}

static double size_of(const BodySet *bs, int body) {
  double volume = bodies_mass(bs, body) / bodies_material(bs, body)->density;
  return bs->dim == 3 ? cbrt(volume) : sqrt(volume / bs->thickness);
}

// The direction of all loads on a body; 0: there are none.
static int down_of(const BodySet *bs, const double *p, int body, double down[3]) {
  double load[3] = {0};
  for (int k = bs->node_ptr[body] * bs->dim; k < bs->node_ptr[body + 1] * bs->dim; k++)
    load[k % bs->dim] += p[k];
  double length = vec3_length(load);
  for (int i = 0; i < 3; i++) down[i] = length > 0 ? load[i] / length : 0;
  return length > 0;
}

// What it is looked at from: where the model stood, and supports that are there.
typedef struct {
  int n;
  Place *place;
} Grounds;

static Status grounds_init(Grounds *grounds, const BodySet *bs, const BodyState *state, Err *err) {
  const Place still = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  *grounds = (Grounds){0};
  MEM_NEW(grounds->place, bs->n_bodies + 1, err);
  grounds->place[grounds->n++] = still;
  for (int b = 0; b < bs->n_bodies; b++)
    if (bs->type[b]->support && !(bs->removed && bs->removed[b]))
      grounds->place[grounds->n++] = place_of(bs, state, b);
  return OK;
}

// How far a body is from standing, 1: at the limit; as what it counts.
static double judge_body(const Model *model, const State *state, const Grounds *grounds, int body,
                         const double down[3], Outcome *own) {
  const BodySet *bs = &model->bodies;
  const Place place = place_of(bs, &state->bodies, body);
  const double size = size_of(bs, body);
  double least = (double)INFINITY;
  own->speed = (double)INFINITY;
  for (int k = 0; k < grounds->n; k++) {
    const Beside now = beside(&place, &grounds->place[k]);
    double moved = vec3_length(now.u), turn = bs->type[body]->round ? 0 : angle_of(now.rotation);
    double share = fmax(moved / size, turn) / model->limits.standing;
    own->speed = fmin(own->speed, vec3_length(now.v));
    if (share >= least) continue;
    double fallen = vec3_dot(now.u, down), aside = sqrt(fmax(0, moved * moved - fallen * fallen));
    int tilts = turn > 0 && tilt_of(now.rotation, down) > model->limits.standing;
    least = share;
    own->displacement = moved;
    own->turn = turn;
    own->kind = share <= 1                ? OUTCOME_STANDS
                : tilts || fallen > aside ? OUTCOME_FALLS
                                          : OUTCOME_SLIDES;
  }
  return least;
}

// Is this the body to be told of? One that is worse than all before, or as bad and farther.
static void tell(Outcome *outcome, const Outcome *own, int body, double share, double *told) {
  if (own->kind < outcome->kind || (own->kind == outcome->kind && share <= *told)) return;
  *told = share;
  outcome->kind = own->kind;
  outcome->told = body;
  outcome->told_displacement = own->displacement;
  outcome->told_turn = own->turn;
}

static void judge_all(const Model *model, const State *state, const Grounds *grounds,
                      const double *p, Outcome *outcome) {
  const BodySet *bs = &model->bodies;
  double most = -1, told = -1;
  for (int b = 0; b < bs->n_bodies; b++) {
    double down[3];
    Outcome own = {.body = b};
    if (!is_loose(bs, b) || !down_of(bs, p, b, down)) continue;
    double share = judge_body(model, state, grounds, b, down, &own);
    outcome->n_moved += own.kind > OUTCOME_STANDS;
    outcome->n_falls += own.kind == OUTCOME_FALLS;
    tell(outcome, &own, b, share, &told);
    if (own.speed > outcome->speed || outcome->fastest < 0) {
      outcome->speed = own.speed;
      outcome->fastest = b;
    }
    if (share <= most) continue;
    most = share;
    outcome->body = b;
    outcome->displacement = own.displacement;
    outcome->turn = own.turn;
  }
}

Status outcome_judge(const Model *model, const State *state, Outcome *outcome, Err *err) {
  const BodySet *bs = &model->bodies;
  const Stage *stage = stage_current(model, state);
  Grounds grounds = {0};
  double *p = NULL;
  *outcome = (Outcome){.body = -1, .told = -1, .fastest = -1};
  if (bs->axisymmetric) return OK; // rings stand
  Status status = grounds_init(&grounds, bs, &state->bodies, err);
  if (status == OK) {
    p = mem_new((size_t)bs->n_nodes * (size_t)bs->dim, sizeof *p);
    if (!p) status = err_set(err, ERR_SYSTEM, "out of memory: loads of %d nodes", bs->n_nodes);
  }
  if (status == OK) status = loads_at(&model->loads, bs, state->t, state->t, 1, p, err);
  if (status == OK) {
    judge_all(model, state, &grounds, p, outcome);
    outcome->at_rest =
        stage_unrest(state) <= (stage->until_rest ? stage->rest_energy : REST_ENERGY);
  }
  mem_free(p);
  mem_free(grounds.place);
  return status;
}
