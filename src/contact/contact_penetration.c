// What the user is told: gaps and penetration on the geometry at the end of a step, at contact
// points and at the nodes of the edges that meet there.

#include <math.h>

#include "base/vec3.h"
#include "contact/pair_type.h"
#include "contact/side_depth.h"

// An antagonist edge with its geometry, so that the points of a contact share the work.
typedef struct {
  int edge;
  double a[2], d[2], n[2], length2;
} EdgeFrame;

static void edge_frame(const SkinSet *skin, const double *x, int edge, EdgeFrame *frame) {
  const double *a = x + 2 * (size_t)skin->node[2 * edge],
               *b = x + 2 * (size_t)skin->node[2 * edge + 1];
  frame->edge = edge;
  for (int i = 0; i < 2; i++) {
    frame->a[i] = a[i];
    frame->d[i] = b[i] - a[i];
  }
  frame->length2 = frame->d[0] * frame->d[0] + frame->d[1] * frame->d[1];
  double length = sqrt(frame->length2);
  frame->n[0] = frame->d[1] / length;
  frame->n[1] = -frame->d[0] / length;
}

// Gap of p to the face of an edge; *over tells whether p lies over the face.
static double gap_to_face(const SkinSet *skin, const double *x, const EdgeFrame *start,
                          const double p[2], int *over) {
  EdgeFrame other;
  const EdgeFrame *frame = start;
  double along =
      ((p[0] - frame->a[0]) * frame->d[0] + (p[1] - frame->a[1]) * frame->d[1]) / frame->length2;
  if (along < 0 || along > 1) {
    int edge = start->edge;
    along = contact_walk(skin, x, p, &edge);
    if (edge != start->edge) {
      edge_frame(skin, x, edge, &other);
      frame = &other;
    }
  }
  double gap = frame->n[0] * (p[0] - frame->a[0]) + frame->n[1] * (p[1] - frame->a[1]);
  *over = contact_over(along);
  return gap;
}

// Depth of the deeper one of the two nodes of an edge over the face of `frame`, where that face is
// the nearest; 0 where it is at most `known`.
static double depth_of_nodes(const SkinSet *skin, const double *x, const EdgeFrame *frame,
                             const int32_t node[2], double known) {
  double worst = known;
  for (int i = 0; i < 2; i++) {
    const double *p = x + 2 * (size_t)node[i];
    int over;
    double inside = gap_to_face(skin, x, frame, p, &over);
    if (over && -inside > worst)
      worst = fmax(worst, -fmax(inside, contact_other_gap(skin, x, frame->edge, p)));
  }
  return worst > known ? worst : 0;
}

double contact_tolerated(const ContactModel *cm, const BodySet *bs, PenetrationLimits limits,
                         int body) {
  if (contact_is_sheet(bs, body)) return limits.thickness * 2 * contact_half_at_start(bs, body);
  return limits.edge * fmin(cm->shortest[body], cm->thick[body]);
}

// The worst depth so far of those that are held against the same limit.
static PenetrationWorst *worst_of(const Measure *of, const SlotInfo *slot, int at_node) {
  int hidden = of->yields || (at_node && of->cm->rules[slot->rule].between);
  return hidden ? &of->worst->hidden : &of->worst->judged;
}

// A depth between two bodies, at a node or at a point of contact.
void measure_depth(const Measure *of, const SlotInfo *slot, int at_node, double depth) {
  if (!(depth > 0)) return;
  const double own = contact_tolerated(of->cm, of->bs, of->limits, slot->body_c),
               other = contact_tolerated(of->cm, of->bs, of->limits, slot->body_a);
  PenetrationWorst *worst = worst_of(of, slot, at_node);
  const double inside = contact_inside(of->cm, of->bs, slot->body_c, slot->body_a);
  PenetrationWorst now = {.depth = depth, .limit = fmin(own, other) + inside};
  now.body = own <= other ? slot->body_c : slot->body_a;
  if (worst->body < 0 || now.depth * worst->limit > worst->depth * now.limit) *worst = now;
}

static void nodes_of_edge(const Measure *of, const SlotInfo *slot, const EdgeFrame *frame,
                          const int32_t node[2]) {
  const PenetrationWorst *worst = worst_of(of, slot, 1);
  double limit = fmin(contact_tolerated(of->cm, of->bs, of->limits, slot->body_c),
                      contact_tolerated(of->cm, of->bs, of->limits, slot->body_a)) +
                 contact_inside(of->cm, of->bs, slot->body_c, slot->body_a);
  // Most nodes are no deeper than others: whether another face is nearer need not be asked.
  double known = worst->body < 0 ? 0 : fmin(of->worst->nodes, worst->depth * limit / worst->limit);
  double depth = depth_of_nodes(&of->cm->skin, of->x, frame, node, known);
  of->worst->nodes = fmax(of->worst->nodes, depth);
  measure_depth(of, slot, 1, depth);
}

// All nodes that may touch tools, in contact or not: a node that came through unseen would show.
// One that a spring lets in is in contact by it.
static void nodes_in_tools(Measure *of) {
  const ContactWork *work = of->work;
  double reach = of->cm->skin.shortest;
  int c = 0;
  for (int64_t k = work->first[PAIR_NODE_TOOL]; k < work->first[PAIR_NODE_TOOL + 1]; k++) {
    while (c < work->n && work->contact[c].slot < k) c++;
    of->yields = c < work->n && work->contact[c].slot == k && work->shift[c].c_n > 0;
    double depth = -contact_tool_gap(of->cm, of->bs, of->half, &work->slot[k], of->x, reach);
    of->worst->nodes = fmax(of->worst->nodes, depth);
    measure_depth(of, &work->slot[k], 1, depth);
  }
}

void contact_node_measure(const Measure *of, int64_t k) {
  const SkinSet *skin = &of->cm->skin;
  const SlotInfo *slot = &of->work->slot[k];
  EdgeFrame frame;
  double p[2];
  int over;
  edge_frame(skin, of->x, of->state->edge[k], &frame);
  contact_point(slot, of->x, p);
  double depth = -gap_to_face(skin, of->x, &frame, p, &over);
  if (!over || !(depth > 0)) return;
  of->worst->nodes = fmax(of->worst->nodes, depth);
  measure_depth(of, slot, 1, depth);
}

// Nodes of a joint between its points.
static void nodes_in_joints(Measure *of) {
  const ContactWork *work = of->work;
  for (int64_t k = work->first[PAIR_JOINT]; k < work->first[PAIR_JOINT + 1]; k++) {
    if (!work->geometry[k].valid || contact_joint_role(work, k) != NODE_COVERED) continue;
    of->yields = contact_law_yields(of->cm->rules[work->slot[k].rule].law);
    contact_node_measure(of, k);
  }
}

// A point that was in front of a face at the start of the step and is behind it now, through it and
// not past its ends, without having been in contact: how far it is behind. 0: it did not come
// through.
static double passed_by(const Measure *of, const SlotInfo *slot, const double *x0, const double *x1,
                        int edge) {
  const SkinSet *skin = &of->cm->skin;
  const double *x[2] = {x0, x1};
  double gap[2], along[2];
  EdgeFrame frame;
  for (int k = 0; k < 2; k++) {
    double p[2];
    edge_frame(skin, x[k], edge, &frame);
    contact_point(slot, x[k], p);
    const double d[2] = {p[0] - frame.a[0], p[1] - frame.a[1]};
    gap[k] = frame.n[0] * d[0] + frame.n[1] * d[1];
    along[k] = (d[0] * frame.d[0] + d[1] * frame.d[1]) / frame.length2;
  }
  if (!(gap[0] > 0 && gap[1] < 0) || !contact_faces(skin, x1, slot, frame.n)) return 0;
  double at = gap[0] / (gap[0] - gap[1]);
  return contact_over(along[0] + at * (along[1] - along[0])) ? -gap[1] : 0;
}

// What was a little behind a face already, and is pushed on while nothing holds it there, counts as
// well, if it is this share of the shortest edge within the face: what slides over a seam between
// two blocks is behind the faces that make it, at their edges.
static const double OFF_EDGES = 1e-3;

// A little is what is tolerated between the two.
static int is_little(const Measure *of, const SlotInfo *slot, double depth) {
  const double own = contact_tolerated(of->cm, of->bs, of->limits, slot->body_c),
               other = contact_tolerated(of->cm, of->bs, of->limits, slot->body_a);
  return depth < fmin(own, other);
}

// The same in space, of a node and a face: through its front, of a sheet through either side.
static double passed_face(const Measure *of, const SlotInfo *slot, const double *x0,
                          const double *x1) {
  const FaceSet *faces = &of->cm->faces;
  const double *x[2] = {x0, x1};
  double corner[2][12], n[2][3], gap[2];
  int face = slot->edge_a, corners = 0;
  if (slot->body_c == slot->body_a) return 0;
  for (int k = 0; k < 2; k++) {
    corners = contact_face_places(faces, x[k], face, corner[k]);
    contact_face_normal(faces, x[k], face, n[k]);
    gap[k] = 0;
    for (int i = 0; i < 3; i++)
      gap[k] += n[k][i] * (x[k][3 * (size_t)slot->node[0] + i] - corner[k][i]);
  }
  const int sheet = contact_is_sheet(of->bs, slot->body_a),
            behind = !sheet && gap[0] <= 0 && gap[1] < gap[0] && is_little(of, slot, -gap[0]);
  if (!behind && (!(gap[0] * gap[1] < 0) || (gap[0] < 0 && !sheet))) return 0;
  // On the same side of all edges where it crosses the plane of the face.
  const double off = behind ? OFF_EDGES * of->cm->skin.shortest : 0;
  double share = behind ? 0 : gap[0] / (gap[0] - gap[1]), at[12];
  for (int i = 0; i < 3 * corners; i++)
    at[i] = corner[0][i] + share * (corner[1][i] - corner[0][i]);
  for (int a = 0; a < corners; a++) {
    int b = (a + 1) % corners;
    double along[3], to[3], side = 0;
    for (int i = 0; i < 3; i++) {
      double from = x0[3 * (size_t)slot->node[0] + i], now = x1[3 * (size_t)slot->node[0] + i];
      along[i] = at[3 * b + i] - at[3 * a + i];
      to[i] = from + share * (now - from) - at[3 * a + i];
    }
    for (int i = 0; i < 3; i++)
      side +=
          n[1][i] * (along[(i + 1) % 3] * to[(i + 2) % 3] - along[(i + 2) % 3] * to[(i + 1) % 3]);
    if (side < off * vec3_length(along)) return 0;
  }
  return fabs(gap[1]);
}

// Only where something moves farther than the alert distance, so that it may have leapt.
static void points_that_passed(const Measure *of, const ContactStep *step) {
  const ContactWork *work = step->work;
  const double *x0 = of->x0;
  if (!work->fast) return;
  for (int64_t k = 0, c = 0; k < work->first[PAIR_NODE_FACE + 1]; k++) {
    while (c < work->n && work->contact[c].slot < k) c++;
    if (c < work->n && work->contact[c].slot == k) continue;
    const SlotInfo *slot = &work->slot[k];
    double depth = slot->pair == PAIR_NODE_FACE
                       ? passed_face(of, slot, x0, of->x)
                       : passed_by(of, slot, x0, of->x, step->state->edge[k]);
    of->worst->nodes = fmax(of->worst->nodes, depth);
    measure_depth(of, slot, slot->place == PLACE_NODE, depth);
  }
}

void measure_gap(const Measure *of, int c, double gap) {
  Penetration *worst = of->worst;
  if (of->gap) of->gap[c] = gap;
  measure_depth(of, &of->work->slot[of->work->contact[c].slot], 0, -gap);
  if (-gap <= worst->contacts) return;
  worst->contacts = -gap;
  worst->worst_contact = c;
}

void contact_point_measure(const Measure *of, int c) {
  const SkinSet *skin = &of->cm->skin;
  const SlotInfo *slot = &of->work->slot[of->work->contact[c].slot];
  const double *x = of->x;
  EdgeFrame frame;
  double p[2];
  int over;
  edge_frame(skin, x, of->state->edge[of->work->contact[c].slot], &frame);
  contact_point(slot, x, p);
  double own = gap_to_face(skin, x, &frame, p, &over);
  if (over)
    measure_gap(of, c, own);
  else if (of->gap)
    of->gap[c] = own;
  if (slot->node[0] == slot->node[1]) {
    if (over) of->worst->nodes = fmax(of->worst->nodes, -own);
    return;
  }
  // The nodes that a point between them hides, and those of the edge it lies over.
  nodes_of_edge(of, slot, &frame, slot->node);
  const int32_t *facing = skin->node + 2 * (size_t)frame.edge;
  edge_frame(skin, x, slot->edge_c, &frame);
  nodes_of_edge(of, slot, &frame, facing);
}

void contact_penetration(const ContactStep *step, const BodyState *after, PenetrationLimits limits,
                         const double *r, double *gap, Penetration *worst) {
  const BodySet *bs = step->bs;
  const ContactWork *work = step->work;
  double *x = work->x; // q~ of the step is not needed any more
  const int has_sides = work->first[PAIR_SIDE_TOOL] < work->first[PAIR_SIDE_TOOL + 1];
  size_t n = (size_t)bs->n_nodes * bs->dim;
  for (size_t k = 0; k < n; k++) x[k] = bs->x[k] + after->q[k];
  for (size_t k = 0; k < n && (work->fast || has_sides); k++)
    work->x_start[k] = bs->x[k] + step->bodies->q[k];
  *worst = (Penetration){.worst_contact = -1, .judged.body = -1, .hidden.body = -1};
  Measure of = {.cm = step->cm,
                .bs = bs,
                .state = step->state,
                .work = work,
                .x = x,
                .x0 = work->x_start,
                .half = after->half,
                .limits = limits,
                .r = r,
                .h = step->size.h,
                .gap = gap,
                .worst = worst};
  for (int c = 0; c < work->n; c++) {
    of.yields = work->shift[c].c_n > 0;
    pair_types[work->slot[work->contact[c].slot].pair]->measure(&of, c);
  }
  nodes_in_tools(&of);
  contact_sides_in_tools(&of);
  nodes_in_joints(&of);
  of.yields = 0;
  points_that_passed(&of, step);
}
