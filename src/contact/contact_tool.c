// Nodes against rigid tools. There is nothing to search: each node that may touch a tool asks its
// shape.

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "body/tool_pose.h"
#include "contact/pair_type.h"

enum { SLOTS_FOR_THREADS = 2000 };

static Status add_slots_of_node(const ContactModel *cm, const BodySet *bs, int body, int node,
                                ContactWork *work, Err *err) {
  for (int t = 0; t < bs->n_tools; t++) {
    int rank, rule = contact_rule_between(cm, body, bs->tools[t].body, &rank);
    if (rule < 0) continue;
    TRY(mem_grow((void **)&work->slot, &work->slot_capacity, (size_t)work->n_slots + 1,
                 sizeof *work->slot, err));
    work->slot[work->n_slots++] = (SlotInfo){.feature_c = node - bs->node_ptr[body],
                                             .body_c = body,
                                             .body_a = bs->tools[t].body,
                                             .node = {node, node},
                                             .weight = {1, 0},
                                             .edge_c = -1,
                                             .edge_a = -1,
                                             .joint = {-1, -1},
                                             .twin = -1,
                                             .rule = rule,
                                             .pair = PAIR_NODE_TOOL};
  }
  return OK;
}

static Status search(const PairSearch *pairs, ContactWork *work, Err *err) {
  const ContactModel *cm = pairs->cm;
  const BodySet *bs = pairs->bs;
  for (int b = 0; b < bs->n_bodies && bs->n_tools > 0; b++) {
    if (bs->type[b]->support) continue;
    for (int k = bs->node_ptr[b]; k < bs->node_ptr[b + 1]; k++)
      if (contact_node_may_touch(bs, b, k - bs->node_ptr[b]))
        TRY(add_slots_of_node(cm, bs, b, k, work, err));
  }
  return mem_grow((void **)&work->tool, &work->tool_capacity,
                  (size_t)(work->n_slots - work->first[PAIR_NODE_TOOL]) + 1, sizeof *work->tool,
                  err);
}

// The node's place as its tool sees it where it was placed: x are positions of all nodes.
static const Tool *place_at_tool(const BodySet *bs, const SlotInfo *slot, const double *x,
                                 double p[3]) {
  const Tool *tool = &bs->tools[bs->own[slot->body_a]];
  size_t node = (size_t)bs->dim * (size_t)slot->node[0],
         own = (size_t)bs->dim * (size_t)bs->node_ptr[slot->body_a];
  p[2] = 0;
  if (tool_turns(bs, slot->body_a)) {
    const ToolPose pose = tool_pose(bs, slot->body_a, x);
    tool_pose_into(&pose, bs->dim, x + node, p);
    return tool;
  }
  for (int i = 0; i < bs->dim; i++) p[i] = x[node + i] - (x[own + i] - bs->x[own + i]);
  return tool;
}

// Of a tool that turns: the same at bs->x + q + lead v (v NULL: none).
static void place_at_turned(const BodySet *bs, int node, int body, const double *q, const double *v,
                            double lead, double p[3]) {
  const size_t from = (size_t)bs->dim * (size_t)node;
  const ToolPose pose = tool_pose_at(bs, body, q, v, lead);
  double x[3] = {0};
  for (int i = 0; i < bs->dim; i++)
    x[i] = bs->x[from + (size_t)i] + q[from + (size_t)i] + (v ? lead * v[from + (size_t)i] : 0);
  tool_pose_into(&pose, bs->dim, x, p);
}

// The same at an iterate of the step, at q1 + h (1 - theta) v1.
static const Tool *place_at_iterate(const ContactStep *step, int node, int body, const double *q1,
                                    const double *v1, double p[3]) {
  const BodySet *bs = step->bs;
  double lead = step->size.h * (1 - step->size.theta);
  size_t from = (size_t)bs->dim * (size_t)node, own = (size_t)bs->dim * (size_t)bs->node_ptr[body];
  p[2] = 0;
  for (int i = 0; i < bs->dim; i++)
    p[i] = bs->x[from + i] + q1[from + i] - q1[own + i] + lead * (v1[from + i] - v1[own + i]);
  if (tool_turns(bs, body)) place_at_turned(bs, node, body, q1, v1, lead, p);
  return &bs->tools[bs->own[body]];
}

// The same where the step begins.
static void place_at_start(const ContactStep *step, const SlotInfo *slot, double p[3]) {
  const BodySet *bs = step->bs;
  const double *q = step->bodies->q;
  size_t from = (size_t)bs->dim * (size_t)slot->node[0],
         own = (size_t)bs->dim * (size_t)bs->node_ptr[slot->body_a];
  p[2] = 0;
  for (int i = 0; i < bs->dim; i++) p[i] = bs->x[from + i] + q[from + i] - q[own + i];
  if (tool_turns(bs, slot->body_a)) place_at_turned(bs, slot->node[0], slot->body_a, q, NULL, 0, p);
}

// Velocity of the slot's node against the place p of its tool, as the tool sees it.
static void velocity_at_tool(const ContactStep *step, const SlotInfo *slot, const double p[3],
                             double u[3]) {
  const BodySet *bs = step->bs;
  const int dim = bs->dim;
  const double *v = step->bodies->v + (size_t)dim * (size_t)slot->node[0];
  const Site site = tool_site(bs, slot->body_a, p, -1);
  const ToolPose pose = tool_pose(bs, slot->body_a, step->work->x);
  double apart[3] = {0};
  for (int i = 0; i < dim; i++) apart[i] = v[i];
  site_velocity(dim, &site, step->bodies->v, apart);
  for (int i = 0; i < 3; i++) {
    u[i] = 0;
    for (int j = 0; j < 3; j++) u[i] += pose.r[3 * j + i] * apart[j];
  }
}

double contact_half_seen(const ContactModel *cm, const BodySet *bs, const double *half, int body,
                         int node, int rule) {
  if (rule >= 0 && cm->rules[rule].at_start) return contact_half_at_start(bs, body);
  return half ? half[node] : 0;
}

static double half_at(const ContactStep *step, const SlotInfo *slot) {
  return contact_half_seen(step->cm, step->bs, step->bodies->half, slot->body_c, slot->node[0],
                           slot->rule);
}

double contact_tool_gap(const ContactModel *cm, const BodySet *bs, const double *half,
                        const SlotInfo *slot, const double *x, double reach) {
  double p[3], own = contact_half_seen(cm, bs, half, slot->body_c, slot->node[0], slot->rule);
  ShapeHit hit;
  const Tool *tool = place_at_tool(bs, slot, x, p);
  if (!tool->shape.type->nearest(&tool->shape, p, reach + own, &hit)) return (double)INFINITY;
  return hit.gap - own;
}

// A node on its way past a tool is looked at so often, where the tool does not tell that it is
// farther away.
enum { LOOKS = 64 };

// How deep a node comes into the tool on its straight way; 0: it stays outside.
static double deepest_on_way(const Tool *tool, const double from[3], const double to[3],
                             double moved, double half) {
  double depth = 0, at = 0;
  while (at < moved) {
    double p[3];
    ShapeHit hit;
    for (int i = 0; i < 3; i++) p[i] = from[i] + at / moved * (to[i] - from[i]);
    if (!tool->shape.type->nearest(&tool->shape, p, moved - at + half, &hit)) break;
    depth = fmax(depth, half - hit.gap);
    at += fmax(hit.gap - half, moved / LOOKS);
  }
  return depth;
}

// Does the straight way lead through the tool and out of it, so that what is nearest at its end is
// the far side?
static int goes_through(const Tool *tool, const double from[3], const double to[3], double half) {
  double u[3], moved = 0, there = 0, back = 0;
  ShapeHit hit;
  for (int i = 0; i < 3; i++) {
    u[i] = to[i] - from[i];
    moved += u[i] * u[i];
  }
  moved = sqrt(moved);
  if (!tool->shape.type->nearest(&tool->shape, to, moved + half, &hit)) return 0;
  for (int i = 0; i < 3; i++) back += u[i] * hit.n[i];
  if (back <= 0 || !tool->shape.type->nearest(&tool->shape, from, moved + half, &hit)) return 0;
  for (int i = 0; i < 3; i++) there -= u[i] * hit.n[i];
  return there > 0 && hit.gap >= half && deepest_on_way(tool, from, to, moved, half) > 0;
}

// The plane that stands for the tool in this step is tangent where the node will be at mid-step,
// half a step on from q: a node that slides round a fillet neither gains nor loses energy. At theta
// = 1/2 that is where contacts are anyway; the gap is that of their positions to the plane. A node
// that would fly through the tool by then meets the side that is nearest to it where the step
// begins.
static void tool_geometry(const ContactStep *step, const SlotInfo *slot, int flag,
                          ToolGeometry *geometry) {
  const BodySet *bs = step->bs;
  const ContactModel *cm = step->cm;
  int dim = bs->dim, tool_node = bs->node_ptr[slot->body_a];
  double p[3], start[3], u[3] = {0}, speed = 0, h = step->size.h;
  double to_middle = h * (step->size.theta - 0.5), to_start = h * (step->size.theta - 1);
  double half = half_at(step, slot);
  const Tool *tool = place_at_tool(bs, slot, step->work->x, p);
  const int turns = tool_turns(bs, slot->body_a);
  double turning[3] = {0};
  if (turns) velocity_at_tool(step, slot, p, turning);
  start[2] = p[2];
  for (int i = 0; i < dim; i++) {
    u[i] = turns ? turning[i]
                 : step->bodies->v[(size_t)dim * (size_t)slot->node[0] + i] -
                       step->bodies->v[(size_t)dim * (size_t)tool_node + i];
    speed += u[i] * u[i];
    start[i] = p[i] + to_start * u[i];
    p[i] += to_middle * u[i];
  }
  double ahead = STEPS_AHEAD * h * sqrt(speed), deepest = DEEPEST * cm->skin.shortest + ahead;
  if (0.5 * h * sqrt(speed) > cm->alert && goes_through(tool, start, p, half)) {
    to_middle = to_start;
    memcpy(p, start, sizeof p);
  }
  double reach = fmax(cm->alert + ahead, deepest) + half;
  if (flag & FLAG_ACTIVE) reach = (double)INFINITY;
  ShapeHit hit;
  geometry->valid = 0;
  if (!tool->shape.type->nearest(&tool->shape, p, reach, &hit)) return;
  double approach = -vec3_dot(u, hit.n);
  geometry->gap = hit.gap - half + to_middle * approach;
  geometry->feature = hit.feature;
  memcpy(geometry->n, hit.n, sizeof hit.n);
  if (turns) {
    const ToolPose pose = tool_pose(bs, slot->body_a, step->work->x);
    tool_pose_out(&pose, dim, hit.n, geometry->n);
  }
  geometry->valid = geometry->gap <= cm->alert + STEPS_AHEAD * h * fmax(approach, 0) &&
                    (flag & FLAG_ACTIVE || geometry->gap >= -deepest);
}

static void detect(const ContactStep *step) {
  ContactWork *work = step->work;
  const int64_t first = work->first[PAIR_NODE_TOOL], last = work->first[PAIR_NODE_TOOL + 1];
#pragma omp parallel for schedule(static) if (last - first > SLOTS_FOR_THREADS)
  for (int64_t k = first; k < last; k++)
    tool_geometry(step, &work->slot[k], step->state->flag[k], &work->tool[k - first]);
}

static int counts(const ContactStep *step, int64_t k) {
  return step->work->tool[k - step->work->first[PAIR_NODE_TOOL]].valid;
}

void contact_turn_frame(int dim, const double *old_n, const double *old_t, const double n[3],
                        Contact *contact) {
  double *t = contact->t, *s = contact->s;
  memcpy(contact->n, n, sizeof contact->n);
  if (dim == 2) {
    t[0] = n[1];
    t[1] = -n[0];
    t[2] = s[0] = s[1] = s[2] = 0;
    return;
  }
  double c = old_n ? contact_dot(3, old_n, n) : -1, length;
  if (c > -0.5) {
    double factor = contact_dot(3, n, old_t) / (1 + c);
    for (int i = 0; i < 3; i++) t[i] = old_t[i] - factor * (old_n[i] + n[i]);
  } else {
    int least = 0;
    for (int i = 1; i < 3; i++)
      if (fabs(n[i]) < fabs(n[least])) least = i;
    for (int i = 0; i < 3; i++) t[i] = i == least;
  }
  double along = contact_dot(3, t, n); // round-off must not add up over the steps
  for (int i = 0; i < 3; i++) t[i] -= along * n[i];
  length = sqrt(contact_dot(3, t, t));
  for (int i = 0; i < 3; i++) t[i] /= length;
  for (int i = 0; i < 3; i++)
    s[i] = n[(i + 1) % 3] * t[(i + 2) % 3] - n[(i + 2) % 3] * t[(i + 1) % 3];
}

static int make(const ContactStep *step, int64_t k, Contact *contact) {
  const ContactWork *work = step->work;
  const SlotInfo *slot = &work->slot[k];
  ContactState *state = step->state;
  const ToolGeometry *geometry = &work->tool[k - work->first[PAIR_NODE_TOOL]];
  int dim = work->dim, kept = dim == 3 && state->flag[k] & FLAG_KEPT;
  double p[3];
  place_at_tool(step->bs, slot, work->x, p);
  *contact = (Contact){
      .slot = (int32_t)k,
      .side = {{slot->body_c, 1, {slot->node[0]}, {1}}, tool_site(step->bs, slot->body_a, p, -1)},
      .gap = geometry->gap,
      .area =
          contact_node_share(step->cm, step->bs, work->x, slot->body_c, slot->node[0], geometry->n),
      .rule = (int16_t)slot->rule};
  contact_turn_frame(dim, kept ? state->normal + 3 * k : NULL, kept ? state->tangent + 3 * k : NULL,
                     geometry->n, contact);
  state->edge[k] = geometry->feature;
  contact_born(step->cm, state, k, slot->rule, geometry->gap);
  return 1;
}

static void update(const ContactStep *step, const double *q1, const double *v1, Contact *contact) {
  double p[3], u[3], n[3], t[3];
  ShapeHit hit;
  const Tool *tool =
      place_at_iterate(step, contact->side[0].node[0], contact->side[1].body, q1, v1, p);
  if (!tool->shape.type->nearest(&tool->shape, p, (double)INFINITY, &hit)) return;
  memcpy(n, contact->n, sizeof n);
  memcpy(t, contact->t, sizeof t);
  if (tool_turns(step->bs, contact->side[1].body)) {
    const double lead = step->size.h * (1 - step->size.theta);
    const ToolPose pose = tool_pose_at(step->bs, contact->side[1].body, q1, v1, lead);
    tool_pose_out(&pose, step->bs->dim, hit.n, hit.n);
    contact->side[1] = tool_site(step->bs, contact->side[1].body, p, -1);
  }
  contact_turn_frame(step->bs->dim, n, t, hit.n, contact);
  contact_relative_velocity(step->bs->dim, contact, v1, u);
  contact->gap = hit.gap - half_at(step, &step->work->slot[contact->slot]) + contact->less -
                 step->size.h * u[0];
}

// Depth of the node of a slot in its tool at the iterate, where it came through the surface in this
// step; where it has come out of it again, the deepest that it was.
static double leap(const ContactStep *step, const SlotInfo *slot, const double *q1,
                   const double *v1) {
  const BodySet *bs = step->bs;
  double from[3], to[3], start[3], half = half_at(step, slot), moved = 0, whole = 0;
  ShapeHit hit;
  const double *q0 = step->bodies->q, *v0 = step->bodies->v;
  const Tool *tool = place_at_iterate(step, slot->node[0], slot->body_a, q1, v1, to);
  place_at_iterate(step, slot->node[0], slot->body_a, q0, v0, from);
  place_at_start(step, slot, start);
  for (int i = 0; i < bs->dim; i++) {
    moved += (to[i] - from[i]) * (to[i] - from[i]);
    whole += (to[i] - start[i]) * (to[i] - start[i]);
  }
  moved = sqrt(moved);
  whole = sqrt(whole);
  int inside = tool->shape.type->nearest(&tool->shape, to, moved + half, &hit) && hit.gap < half;
  if (!inside) {
    int far = whole > step->cm->alert &&
              tool->shape.type->nearest(&tool->shape, start, whole + half, &hit) && hit.gap >= half;
    return far ? deepest_on_way(tool, start, to, whole, half) : 0;
  }
  double depth = half - hit.gap;
  int seen = tool->shape.type->nearest(&tool->shape, from, moved + half, &hit);
  return depth <= moved && seen && hit.gap >= half ? depth : 0;
}

MissedNode contact_missed(const ContactStep *step, const double *q1, const double *v1) {
  const ContactWork *work = step->work;
  MissedNode worst = {0};
  const int64_t first = work->first[PAIR_NODE_TOOL];
  for (int64_t k = first; k < work->first[PAIR_NODE_TOOL + 1]; k++) {
    if (work->tool[k - first].valid) continue;
    double depth = leap(step, &work->slot[k], q1, v1);
    if (depth > worst.depth)
      worst = (MissedNode){depth, work->slot[k].node[0], work->slot[k].body_a};
  }
  return worst;
}

double contact_depth_in_tool(const ContactModel *cm, const BodySet *bs, int body,
                             const Tool *tool) {
  double half = contact_half_at_start(bs, body);
  double reach = tool->shape.type->solid ? (double)INFINITY : DEEPEST * cm->skin.shortest + half;
  double depth = contact_side_depth(cm, bs, body, tool, reach);
  for (int k = bs->node_ptr[body]; k < bs->node_ptr[body + 1]; k++) {
    double p[3] = {0};
    ShapeHit hit;
    if (!contact_node_may_touch(bs, body, k - bs->node_ptr[body])) continue;
    memcpy(p, bs->x + (size_t)bs->dim * (size_t)k, sizeof *p * (size_t)bs->dim);
    if (tool->shape.type->nearest(&tool->shape, p, reach, &hit))
      depth = fmax(depth, half - hit.gap);
  }
  return depth;
}

static void measure(const Measure *of, int c) {
  const SlotInfo *slot = &of->work->slot[of->work->contact[c].slot];
  measure_gap(of, c, contact_tool_gap(of->cm, of->bs, of->half, slot, of->x, (double)INFINITY));
}

const PairType pair_node_tool = {.name = "node and tool",
                                 .search = search,
                                 .detect = detect,
                                 .counts = counts,
                                 .make = make,
                                 .update = update,
                                 .measure = measure};
