// Nodes against rigid tools. There is nothing to search: each node that may touch a tool asks its
// shape.

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "body/tool_pose.h"
#include "contact/pair_type.h"
#include "contact/side_depth.h"

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

// Velocity of the slot's node against the place p of its tool, as the tool sees it, where all nodes
// have the velocities v.
static void velocity_at_tool(const ContactStep *step, const SlotInfo *slot, const double p[3],
                             const double *v, double u[3]) {
  const BodySet *bs = step->bs;
  const int dim = bs->dim;
  const double *own = v + (size_t)dim * (size_t)slot->node[0];
  double apart[3] = {0};
  if (!tool_turns(bs, slot->body_a)) {
    const double *tool = v + (size_t)dim * (size_t)bs->node_ptr[slot->body_a];
    for (int i = 0; i < 3; i++) u[i] = i < dim ? own[i] - tool[i] : 0;
    return;
  }
  const Site site = tool_site(bs, slot->body_a, p, -1);
  const ToolPose pose = tool_pose(bs, slot->body_a, step->work->x);
  for (int i = 0; i < dim; i++) apart[i] = own[i];
  site_velocity(dim, &site, v, apart);
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

// Does the straight way lead through the tool and out of it, so that what is nearest at its end,
// `end`, is the far side? One that begins in the tool, by what contact lets in, does where the near
// side was nearest; a short one only where the sides face away from each other, as those of a
// fillet do not.
static int goes_through(const Shape *shape, const double from[3], const double to[3],
                        const ShapeHit *end, double half, double alert, double *entry) {
  double u[3];
  ShapeHit hit;
  for (int i = 0; i < 3; i++) u[i] = to[i] - from[i];
  const double moved = vec3_length(u);
  if (!(vec3_dot(u, end->n) > 0) || end->gap > moved + half) return 0;
  if (!shape->type->nearest(shape, from, moved + half, &hit)) return 0;
  const int away = vec3_dot(hit.n, end->n) < 0, outside = hit.gap >= half;
  if (!(vec3_dot(u, hit.n) < 0) || !(away || (outside && moved > alert))) return 0;
  const ToolWay way = contact_way(shape, from, to, half);
  *entry = outside ? way.entry / moved : 0;
  return !outside || way.depth > THIN_TOOL * alert;
}

// The plane that stands for the tool in this step is tangent where the node will be at mid-step,
// half a step on from q: a node that slides round a fillet neither gains nor loses energy. At theta
// = 1/2 that is where contacts are anyway; the gap is that of their positions to the plane. A node
// that would fly through the tool by then meets the side by which it comes in, where it does. What
// is knocked at it in the step is met by the velocity that is looked ahead by.
static void tool_geometry(const ContactStep *step, const SlotInfo *slot, int flag,
                          ToolGeometry *geometry) {
  const BodySet *bs = step->bs;
  const ContactModel *cm = step->cm;
  double p[3], start[3], u[3], later[3], entry = 0, h = step->size.h;
  double to_middle = h * (step->size.theta - 0.5);
  const double to_start = h * (step->size.theta - 1), half = half_at(step, slot);
  const Tool *tool = place_at_tool(bs, slot, step->work->x, p);
  const Shape *shape = &tool->shape;
  velocity_at_tool(step, slot, p, step->bodies->v, u);
  velocity_at_tool(step, slot, p, contact_ahead(step), later);
  for (int i = 0; i < 3; i++) {
    start[i] = p[i] + to_start * u[i];
    p[i] += to_middle * u[i];
  }
  const double ahead = STEPS_AHEAD * h * fmax(vec3_length(u), vec3_length(later)),
               deepest = DEEPEST * cm->skin.shortest + ahead;
  double reach = fmax(cm->alert + ahead, deepest) + half;
  if (flag & FLAG_ACTIVE) reach = (double)INFINITY;
  ShapeHit hit;
  geometry->valid = 0;
  if (!shape->type->nearest(shape, p, reach, &hit)) return;
  if (goes_through(shape, start, p, &hit, half, cm->alert, &entry)) {
    to_middle = to_start + entry * (to_middle - to_start);
    for (int i = 0; i < 3; i++) p[i] = start[i] + entry * (p[i] - start[i]);
    if (!shape->type->nearest(shape, p, reach, &hit)) return;
  }
  const double before = -vec3_dot(u, hit.n), approach = fmax(before, -vec3_dot(later, hit.n));
  geometry->gap = hit.gap - half + to_middle * before;
  geometry->feature = hit.feature;
  memcpy(geometry->n, hit.n, sizeof hit.n);
  if (tool_turns(bs, slot->body_a)) {
    const ToolPose pose = tool_pose(bs, slot->body_a, step->work->x);
    tool_pose_out(&pose, bs->dim, hit.n, geometry->n);
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

// How the node of a slot comes through the surface of its tool in this step, into it or out of it
// again.
static ToolWay leap(const ContactStep *step, const SlotInfo *slot, const double *q1,
                    const double *v1) {
  double from[3], to[3], start[3], way[3], half = half_at(step, slot);
  ShapeHit end, begin;
  const Tool *tool = place_at_iterate(step, slot->node[0], slot->body_a, q1, v1, to);
  const Shape *shape = &tool->shape;
  place_at_start(step, slot, start);
  for (int i = 0; i < 3; i++) way[i] = to[i] - start[i];
  const double whole = vec3_length(way);
  if (!shape->type->nearest(shape, to, whole + half, &end)) return (ToolWay){0};
  if (end.gap >= half && !(vec3_dot(way, end.n) > 0)) return (ToolWay){0};
  if (!shape->type->nearest(shape, start, whole + half, &begin)) return (ToolWay){0};
  const int away = vec3_dot(way, begin.n) < 0 && vec3_dot(begin.n, end.n) < 0;
  if (end.gap >= half) {
    if (!away && (begin.gap < half || !(whole > step->cm->alert))) return (ToolWay){0};
    return contact_way(shape, start, to, half);
  }
  place_at_iterate(step, slot->node[0], slot->body_a, step->bodies->q, step->bodies->v, from);
  for (int i = 0; i < 3; i++) way[i] = to[i] - from[i];
  const double moved = vec3_length(way), depth = half - end.gap;
  const int seen = shape->type->nearest(shape, from, moved + half, &begin) && begin.gap >= half;
  return (ToolWay){.depth = away || (depth <= moved && seen) ? depth : 0, .through = away};
}

// May the node of a contact have gone through its tool? It leaves by the side that holds it, or
// ends behind it, as laws of velocities let it.
static int is_doubtful(const ContactStep *step, const SlotInfo *slot, const ToolGeometry *geometry,
                       const double *q1) {
  const BodySet *bs = step->bs;
  const int dim = bs->dim;
  const double *q = step->bodies->q, *v = step->bodies->v;
  const double lead = step->size.h * (1 - step->size.theta);
  const size_t own = (size_t)dim * (size_t)slot->node[0],
               tool = (size_t)dim * (size_t)bs->node_ptr[slot->body_a];
  double along = 0, before = 0;
  for (int i = 0; i < dim; i++) {
    along += geometry->n[i] * (q1[own + i] - q[own + i] - (q1[tool + i] - q[tool + i]));
    before += lead * geometry->n[i] * (v[own + i] - v[tool + i]);
  }
  return along > 0 || geometry->gap - before + along < -THIN_TOOL * step->cm->alert;
}

MissedNode contact_missed(const ContactStep *step, const double *q1, const double *v1) {
  const ContactWork *work = step->work;
  MissedNode worst = {0};
  const int64_t first = work->first[PAIR_NODE_TOOL];
  for (int64_t k = first; k < work->first[PAIR_NODE_TOOL + 1]; k++) {
    const SlotInfo *slot = &work->slot[k];
    const ToolGeometry *geometry = &work->tool[k - first];
    if (geometry->valid && !is_doubtful(step, slot, geometry, q1)) continue;
    const ToolWay way = leap(step, slot, q1, v1);
    if (geometry->valid && !way.through) continue;
    if (!(way.depth > THIN_TOOL * step->cm->alert)) continue;
    contact_miss(&worst, way, slot->node[0], slot->body_a);
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
