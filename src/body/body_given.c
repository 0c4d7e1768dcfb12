// Rigid bodies whose motion is given: supports, outlines of nodes; tools, shapes with one node,
// each component of which is given or free under loads, or where they turn with four
// (tool_pose.h).

#include "base/vec3.h"

#include "body/body_type.h"

static const Tool *tool_of(const BodySet *bs, int body) {
  return &bs->tools[bs->own[body]];
}

static int never_moves(const BodySet *bs, int body, int component) {
  (void)bs, (void)body, (void)component;
  return 0;
}

static double tool_mass(const BodySet *bs, int body) {
  return tool_of(bs, body)->mass;
}

static double tool_node_mass(const BodySet *bs, int body, int local) {
  (void)local;
  return tool_of(bs, body)->mass;
}

static int tool_moves(const BodySet *bs, int body, int component) {
  return tool_of(bs, body)->free[component];
}

static void tool_grip(const GripSource *from, const Site *site, const double axis[3][3],
                      Grip *grip) {
  const Tool *tool = tool_of(from->bs, site->body);
  if (from->m && from->m->tools) tool = &from->m->tools[from->bs->own[site->body]];
  if (site->n > 1) { // it turns, and is not free
    grip->body = -1;
    return;
  }
  grip_axes(from->bs->dim, axis, grip);
  grip->compliance = tool->block;
  grip->elastic = NULL;
  grip->rigid = tool->root;
  grip->n_rigid = from->bs->dim;
  grip->n_row = 1;
  grip->row[0] = 0;
}

const BodyType body_support = {.noun = "support", .given = 1, .support = 1, .moves = never_moves};

const BodyType body_tool = {.noun = "tool",
                            .given = 1,
                            .by_shape = 1,
                            .mass = tool_mass,
                            .node_mass = tool_node_mass,
                            .moves = tool_moves,
                            .grip = tool_grip};

// ---- the step: what is given --------------------------------------------------------------------

// A time in which a body goes from one place to another, over which of steps this is spread.
typedef struct {
  double t0, t1, h;
} Span;

// cos and sin of the angle since the start of the run, at both ends of a span.
typedef struct {
  double c[2], s[2];
} Turn;

static Status turn_in(const Function *angle, Span span, Turn *turn, Err *err) {
  const double t[2] = {span.t0, span.t1};
  double start, now;
  TRY(function_value(angle, 0, &start, err));
  for (int k = 0; k < 2; k++) {
    TRY(function_value(angle, t[k], &now, err));
    turn->c[k] = cos(now - start);
    turn->s[k] = sin(now - start);
  }
  return OK;
}

// v += what the nodes go by turning, each along its chord: intermediate configurations are exact.
static Status add_turning(const BodySet *bs, int body, Span span, double *v, Err *err) {
  const SupportMotion *motion = &bs->motion[body];
  Turn turn;
  if (function_is_constant(&motion->turn) || !(span.t1 > span.t0)) return OK;
  TRY(turn_in(&motion->turn, span, &turn, err));
  const int dim = bs->dim;
  double dc = (turn.c[1] - turn.c[0]) / span.h, ds = (turn.s[1] - turn.s[0]) / span.h;
  for (int k = bs->node_ptr[body]; k < bs->node_ptr[body + 1]; k++) {
    double arm[3] = {0}, across[3];
    for (int i = 0; i < dim; i++) arm[i] = bs->x[(size_t)(dim * k + i)] - motion->about[i];
    double along = vec3_dot(motion->axis, arm);
    vec3_cross(motion->axis, arm, across);
    for (int i = 0; i < dim; i++)
      v[(size_t)(dim * k + i)] += dc * (arm[i] - along * motion->axis[i]) + ds * across[i];
  }
  return OK;
}

typedef Status (*MotionSpeed)(const Motion *motion, StepSize size, double *v, Err *err);

static Status move(const BodySet *bs, int body, MotionSpeed speed, StepSize size, Span span,
                   double *v, Err *err) {
  for (int i = 0; i < bs->dim; i++) {
    double own;
    if (bs->type[body]->moves(bs, body, i)) continue;
    TRY(speed(&bs->motion[body].x[i], size, &own, err));
    for (int k = bs->node_ptr[body]; k < bs->node_ptr[body + 1]; k++)
      v[(size_t)k * bs->dim + i] = own;
  }
  return add_turning(bs, body, span, v, err);
}

static Status move_all(const BodySet *bs, MotionSpeed speed, StepSize size, Span span, double *v,
                       Err *err) {
  for (int b = 0; b < bs->n_bodies; b++)
    if (bs->type[b]->given && move(bs, b, speed, size, span, v, err) != OK)
      return err_note(err, "motion of '%s' declared at %s:%d", bs->name[b], bs->src[b].file,
                      bs->src[b].line);
  return OK;
}

Status given_start(const BodySet *bs, StepSize size, double *v, Err *err) {
  double lead = size.h * (1 - size.theta);
  return move_all(bs, motion_start, size, (Span){size.t, size.t + lead, lead}, v, err);
}

Status given_velocity(const BodySet *bs, StepSize size, double *v, Err *err) {
  double time = step_time(size), lead = time * (1 - size.theta);
  return move_all(bs, motion_velocity, size, (Span){size.t + lead, size.t + time + lead, size.h}, v,
                  err);
}
