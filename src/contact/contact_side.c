// Faces and edges of bodies against rigid tools that bulge: a ball under the middle of a plate, a
// roll across the edge of a beam. Nodes are those of contact_tool.c.
//
// Where a face comes nearest to a tool is found by going down its gap from each of its corners, so
// that a ball gives one point, a ring under a plate several. Where the way ends at a convex edge of
// the body the edge has the point, at a node the node; between two faces of one plane the first
// has it. Any point of the skin must stay outside the tool, so what is held beside the nearest
// holds nothing wrongly.

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "body/tool_pose.h"
#include "contact/pair_type.h"
#include "shape/facet.h"

// SlotInfo.place: what edge_c numbers. feature_a is the corner that is begun from.
enum { OF_EDGE, OF_FACE };

enum { SLOTS_FOR_THREADS = 2000 };
// A point whose share of a corner is below this lies on the side across from it.
static const double AT_BOUND = 1e-9;
// Ways that end nearer to one another than this share of the size have found one point.
static const double SAME_POINT = 1e-6;
// A mesh is fine where the tool rises between the nodes of a side by less than this share of the
// size.
static const double FINE = 0.03;

// A face or an edge as its tool sees it, where it was placed.
typedef struct {
  int n;
  int32_t node[4];
  double x[12];
  double middle[3], size; // size: of the ball around the middle [m]
} Side;

// ---- search -------------------------------------------------------------------------------------

static Status add_slots(const PairSearch *pairs, SlotInfo slot, int corners, ContactWork *work,
                        Err *err) {
  const BodySet *bs = pairs->bs;
  for (int t = 0; t < bs->n_tools; t++) {
    const ShapeType *type = bs->tools[t].shape.type;
    int rank;
    slot.body_a = bs->tools[t].body;
    slot.rule = contact_rule_between(pairs->cm, slot.body_c, slot.body_a, &rank);
    if (slot.rule < 0 || (type->hollow && type->hollow(&bs->tools[t].shape))) continue;
    for (int k = 0; k < corners; k++) {
      slot.feature_a = k;
      TRY(mem_grow((void **)&work->slot, &work->slot_capacity, (size_t)work->n_slots + 1,
                   sizeof *work->slot, err));
      work->slot[work->n_slots++] = slot;
    }
  }
  return OK;
}

// Sheets are met at their nodes, and supports do not meet tools.
static int has_sides(const BodySet *bs, int body) {
  const BodyType *type = bs->type[body];
  return !type->support && !type->sheet && !type->by_shape;
}

// Of bodies that deform much nodes are held alone; a side that comes into a tool while they all
// miss it is told, and how far one sinks in between them.
static int is_held(const BodySet *bs, int body) {
  return !bs->type[body]->iterated;
}

static int corners_of(const ContactModel *cm, const SlotInfo *slot) {
  return slot->place == OF_FACE ? contact_face_corners(&cm->faces, slot->edge_c) : 2;
}

static Status add_side(const PairSearch *pairs, int place, int item, int own, int body,
                       ContactWork *work, Err *err) {
  const ContactModel *cm = pairs->cm;
  if (!has_sides(pairs->bs, body)) return OK;
  const SlotInfo slot = {.pair = PAIR_SIDE_TOOL,
                         .body_c = body,
                         .feature_c = 2 * own + place,
                         .place = (int8_t)place,
                         .edge_c = item,
                         .edge_a = -1,
                         .joint = {-1, -1},
                         .twin = -1};
  return add_slots(pairs, slot, is_held(pairs->bs, body) ? corners_of(cm, &slot) : 1, work, err);
}

static Status search(const PairSearch *pairs, ContactWork *work, Err *err) {
  const SkinSet *skin = &pairs->cm->skin;
  const FaceSet *faces = &pairs->cm->faces;
  const int64_t first = work->n_slots;
  if (pairs->bs->n_tools == 0) return OK;
  for (int e = 0; e < skin->n_edges; e++)
    TRY(add_side(pairs, OF_EDGE, e, e - skin->first_edge[skin->body[e]], skin->body[e], work, err));
  for (int f = 0, begin = 0; f < faces->n_faces; f++) {
    if (faces->body[f] != faces->body[begin]) begin = f;
    TRY(add_side(pairs, OF_FACE, f, f - begin, faces->body[f], work, err));
  }
  for (int e = 0; e < faces->n_edges; e++) {
    const int body = faces->body[faces->edge_face[2 * e]];
    TRY(add_side(pairs, OF_EDGE, e, e - faces->first_edge[body], body, work, err));
  }
  contact_order_slots(work, first);
  return mem_grow((void **)&work->bulge, &work->bulge_capacity, (size_t)(work->n_slots - first) + 1,
                  sizeof *work->bulge, err);
}

// ---- the nearest point --------------------------------------------------------------------------

static void side_at(const ContactModel *cm, const BodySet *bs, const SlotInfo *slot,
                    const ToolPose *pose, const double *x, Side *side) {
  const int plane = bs->dim == 2;
  const int32_t *node = slot->place == OF_FACE ? cm->faces.node + 4 * (size_t)slot->edge_c
                        : plane                ? cm->skin.node + 2 * (size_t)slot->edge_c
                                               : cm->faces.edge_node + 2 * (size_t)slot->edge_c;
  side->n = corners_of(cm, slot);
  memset(side->middle, 0, sizeof side->middle);
  for (int k = 0; k < side->n; k++) {
    side->node[k] = node[k];
    tool_pose_into(pose, bs->dim, x + (size_t)bs->dim * (size_t)node[k], side->x + 3 * k);
    for (int i = 0; i < 3; i++) side->middle[i] += side->x[3 * k + i] / side->n;
  }
  side->size = 0;
  for (int k = 0; k < side->n; k++) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = side->x[3 * k + i] - side->middle[i];
    side->size = fmax(side->size, vec3_length(d));
  }
}

static void mean_of(const Side *side, const double *values, const double weight[4], double p[3]) {
  memset(p, 0, 3 * sizeof *p);
  for (int k = 0; k < side->n; k++)
    for (int i = 0; i < 3; i++) p[i] += weight[k] * values[3 * k + i];
}

typedef struct {
  double p[3], weight[4];
  ShapeHit hit;
} Place;

// The point of the side that is nearest to p - far n, and the gap there.
static int go_to(const Shape *shape, const Side *side, const Place *from, double far, double reach,
                 Place *to) {
  double aim[3];
  for (int i = 0; i < 3; i++) aim[i] = from->p[i] - far * from->hit.n[i];
  facet_nearest(side->n, side->x, aim, to->weight);
  mean_of(side, side->x, to->weight, to->p);
  return shape->type->nearest(shape, to->p, reach, &to->hit);
}

// How far along -n the middle of the tool's curvature is, along the way that the side leaves; where
// it is not curved, how far the gap would be closed, but no farther along the side than `most`.
// 0: the gap falls nowhere; *slope: by how much it falls along the way.
static double way_down(const Shape *shape, const Side *side, const Place *at, double reach,
                       double most, double *slope) {
  // Shares of the size: a step that tells the way, and one that tells the curvature. Below the
  // slope the point is found: what is left of the gap is its square.
  static const double TRY_STEP = 1e-3, PROBE = 1e-4, LEVEL = 1e-10;
  const double step = TRY_STEP * side->size, probe = PROBE * side->size;
  double weight[4], t[3], aim[3], bend = 0;
  ShapeHit hit;
  for (int i = 0; i < 3; i++) aim[i] = at->p[i] - step * at->hit.n[i];
  facet_nearest(side->n, side->x, aim, weight);
  mean_of(side, side->x, weight, t);
  for (int i = 0; i < 3; i++) t[i] -= at->p[i];
  if (!(vec3_length(t) > LEVEL * step)) return 0;
  vec3_normalise(t);
  const double s = *slope = vec3_dot(at->hit.n, t);
  if (!(s < 0)) return 0;
  for (int i = 0; i < 3; i++) aim[i] = at->p[i] + probe * t[i];
  if (!shape->type->nearest(shape, aim, reach, &hit)) return 0;
  for (int i = 0; i < 3; i++) bend += (hit.n[i] - at->hit.n[i]) * t[i] / probe;
  const double longest = most / -s; // of a ball (1 - s^2) / bend is the way to its middle
  if (1 - s * s > LEVEL && bend * longest > 1 - s * s) return (1 - s * s) / bend;
  return at->hit.gap > 0 ? fmin(longest, at->hit.gap / (s * s)) : longest;
}

// A way that ends at an edge of the tool ends before it: on to what lies behind, a flat top. 0: it
// does not.
static int step_over_edge(const Shape *shape, const Side *side, double reach, Place *place) {
  // A slope that is left at an edge alone; shares of the size: a step over it, what is as deep.
  static const double STEEP = -0.1, OVER = 1e-4, AS_DEEP = 1e-12;
  double slope = 0;
  Place next = *place;
  if (way_down(shape, side, place, reach, 2 * side->size, &slope) == 0 || slope > STEEP) return 0;
  if (!go_to(shape, side, place, OVER * side->size / -slope, reach, &next)) return 0;
  if (next.hit.gap > place->hit.gap + AS_DEEP * side->size) return 0;
  *place = next;
  return 1;
}

// Goes down the gap from a corner.
static void go_down(const Shape *shape, const Side *side, double reach, Place *place) {
  enum { MOST_STEPS = 30, MOST_CUTS = 20 };
  // Shares of the size; and of what the slope promises, which a step must fall by (Armijo).
  static const double ENOUGH = 1e-12, ROUND_OFF = 1e-15, KEPT_PROMISE = 0.1;
  for (int k = 0; k < MOST_STEPS; k++) {
    double slope = 0, far = way_down(shape, side, place, reach, 2 * side->size, &slope), moved = 0;
    Place next = *place;
    if (far == 0) return;
    int lower = 0;
    for (int cuts = 0; cuts < MOST_CUTS && !lower; cuts++, far /= 2) {
      double d[3];
      if (!go_to(shape, side, place, far, reach, &next)) continue;
      for (int i = 0; i < 3; i++) d[i] = next.p[i] - place->p[i];
      moved = vec3_length(d);
      lower =
          next.hit.gap <= place->hit.gap + KEPT_PROMISE * slope * moved + ROUND_OFF * side->size;
    }
    if (!lower) return;
    *place = next;
    if (moved <= ENOUGH * side->size) return;
  }
}

// The nearest point that is found from a corner. 0: the tool is out of reach.
static int nearest_from(const Shape *shape, const Side *side, int corner, double reach,
                        Place *place) {
  *place = (Place){.weight = {corner == 0, corner == 1, corner == 2, corner == 3}};
  mean_of(side, side->x, place->weight, place->p);
  if (!shape->type->nearest(shape, place->p, reach, &place->hit)) return 0;
  go_down(shape, side, reach, place);
  if (step_over_edge(shape, side, reach, place)) go_down(shape, side, reach, place);
  return 1;
}

// Is the point this side's own? What ends at a node is not, nor what a convex edge has, or the
// face beyond.
static int is_own(const ContactModel *cm, const SlotInfo *slot, const Side *side,
                  const double weight[4]) {
  int n = 0, on[4];
  for (int k = 0; k < side->n; k++)
    if (weight[k] > AT_BOUND) on[n++] = k;
  if (n == side->n || slot->place == OF_EDGE || n != 2) return n == side->n;
  const int32_t a = side->node[on[0]], b = side->node[on[1]];
  return contact_face_beyond(&cm->faces, slot->edge_c, a, b) > slot->edge_c;
}

// Of bodies that deform nodes are first where they are near and the mesh is fine enough: points
// that come and go between them would leave statics no rest. Fine is where the tool rises between
// the nodes by little beside the size of the side. What is not held has its nodes alone.
static int is_left_to_nodes(const BodySet *bs, int body, const Shape *shape, const Side *side,
                            double near) {
  double mean = 0, least = (double)INFINITY;
  ShapeHit hit;
  if (!bs->type[body]->deforms) return 0;
  for (int k = 0; k < side->n; k++) {
    if (!shape->type->nearest(shape, side->x + 3 * k, (double)INFINITY, &hit)) return 0;
    mean += hit.gap / side->n;
    least = fmin(least, hit.gap);
  }
  if (least > near || !shape->type->nearest(shape, side->middle, (double)INFINITY, &hit)) return 0;
  return !is_held(bs, body) || mean - hit.gap <= FINE * side->size;
}

// Does the tool rise over the corners of a side by little at a place of it? A ring does, elsewhere
// than over the middle.
static int rises_little(const Shape *shape, const Side *side, const Place *place) {
  double rise = -place->hit.gap;
  ShapeHit hit;
  for (int k = 0; k < side->n; k++)
    if (shape->type->nearest(shape, side->x + 3 * k, (double)INFINITY, &hit))
      rise += place->weight[k] * hit.gap;
  return rise <= FINE * side->size;
}

// ---- each step ----------------------------------------------------------------------------------

// Of an edge in space the unit vector along it, and the sum of the normals of its faces.
static void edge_directions(const FaceSet *faces, const double *x, int edge, double along[3],
                            double sum[3]) {
  const int32_t *beside = faces->edge_face + 2 * (size_t)edge;
  const int32_t *node = faces->edge_node + 2 * (size_t)edge;
  double other[3];
  contact_face_normal(faces, x, beside[0], sum);
  contact_face_normal(faces, x, beside[1], other);
  for (int i = 0; i < 3; i++) {
    sum[i] += other[i];
    along[i] = x[3 * (size_t)node[1] + i] - x[3 * (size_t)node[0] + i];
  }
  vec3_normalise(along);
}

// Where a side faces: not of unit length of an edge in space.
static void faced_by(const ContactModel *cm, int dim, const double *x, const SlotInfo *slot,
                     double own[3]) {
  double along[3];
  memset(own, 0, 3 * sizeof *own);
  if (slot->place == OF_FACE)
    contact_face_normal(&cm->faces, x, slot->edge_c, own);
  else if (dim == 3)
    edge_directions(&cm->faces, x, slot->edge_c, along, own);
  else
    edge_normal(&cm->skin, x, slot->edge_c, own);
}

// The normal of the contact from that of the tool, n: of a face its own, of an edge across it. At
// the nearest point n is the same but for round-off and the facets of a mesh, and where the tool
// has an edge itself, where n is any between its sides. 0: the tool is behind the side.
static int contact_normal(const ContactStep *step, const SlotInfo *slot, double n[3]) {
  static const double AGAINST = 0.05; // cosine
  const double *x = step->work->x;
  double own[3], along[3];
  if (slot->place == OF_EDGE && step->bs->dim == 3) {
    edge_directions(&step->cm->faces, x, slot->edge_c, along, own);
    const double share = vec3_dot(along, n);
    for (int i = 0; i < 3; i++) n[i] -= share * along[i];
    const double length = vec3_length(n);
    if (!(vec3_dot(own, n) < 0) || length < AGAINST) return 0;
    for (int i = 0; i < 3; i++) n[i] /= length;
    return 1;
  }
  faced_by(step->cm, step->bs->dim, x, slot, own);
  if (vec3_dot(own, n) > -AGAINST) return 0;
  for (int i = 0; i < 3; i++) n[i] = -own[i];
  return 1;
}

// A side at a moment of the step, to_it u away from where contacts are, as the tool sees it, and
// how its corners move: u at the start of the step, `later` as is looked ahead by; `speed`: of the
// fastest.
typedef struct {
  Side side;
  double u[12], later[12], speed;
  double to_it; // [s]
} MovingSide;

static double velocities_at_tool(const ContactStep *step, const SlotInfo *slot,
                                 const ToolPose *pose, const Side *side, const double *v,
                                 double *u) {
  const BodySet *bs = step->bs;
  const int dim = bs->dim;
  double most = 0;
  for (int k = 0; k < side->n; k++, u += 3) {
    const Site tool = tool_site(bs, slot->body_a, side->x + 3 * k, -1);
    double apart[3] = {0};
    for (int i = 0; i < dim; i++) apart[i] = v[(size_t)dim * (size_t)side->node[k] + (size_t)i];
    site_velocity(dim, &tool, v, apart);
    for (int i = 0; i < 3; i++) {
      u[i] = pose->turns ? 0 : apart[i];
      for (int j = 0; j < 3 && pose->turns; j++) u[i] += pose->r[3 * j + i] * apart[j];
    }
    most = fmax(most, vec3_length(u));
  }
  return most;
}

static void move_side(const ContactStep *step, const SlotInfo *slot, const ToolPose *pose,
                      MovingSide *moving) {
  Side *side = &moving->side;
  side_at(step->cm, step->bs, slot, pose, step->work->x, side);
  moving->speed =
      fmax(velocities_at_tool(step, slot, pose, side, step->bodies->v, moving->u),
           velocities_at_tool(step, slot, pose, side, contact_ahead(step), moving->later));
  for (int k = 0; k < 3 * side->n; k++) side->x[k] += moving->to_it * moving->u[k];
  for (int i = 0; i < 3; i++) {
    side->middle[i] = 0;
    for (int k = 0; k < side->n; k++) side->middle[i] += side->x[3 * k + i] / side->n;
  }
}

// As with nodes the plane that stands for the tool is tangent where the point will be at mid-step.
static int bulge_at(const ContactStep *step, int64_t k, const ToolPose *pose,
                    const MovingSide *moving, const Place *place) {
  const SlotInfo *slot = &step->work->slot[k];
  FaceGeometry *bulge = &step->work->bulge[k - step->work->first[PAIR_SIDE_TOOL]];
  const double h = step->size.h, ahead = STEPS_AHEAD * h * moving->speed;
  const double deepest = DEEPEST * step->cm->skin.shortest + ahead;
  double u[3], later[3];
  if (!is_own(step->cm, slot, &moving->side, place->weight)) return 0;
  mean_of(&moving->side, moving->u, place->weight, u);
  mean_of(&moving->side, moving->later, place->weight, later);
  const double before = -vec3_dot(u, place->hit.n),
               approach = fmax(before, -vec3_dot(later, place->hit.n));
  bulge->gap = place->hit.gap + moving->to_it * before;
  memcpy(bulge->weight, place->weight, sizeof bulge->weight);
  tool_pose_out(pose, step->bs->dim, place->hit.n, bulge->n);
  bulge->valid = bulge->gap <= step->cm->alert + STEPS_AHEAD * h * fmax(approach, 0) &&
                 (step->state->flag[k] & FLAG_ACTIVE || bulge->gap >= -deepest) &&
                 contact_normal(step, slot, bulge->n);
  return bulge->valid;
}

// Does a place of a side fall back from the tool, from no farther than it goes until then? Then the
// side may have gone through it.
static int falls_back(const MovingSide *moving, const Place *place, double h) {
  double u[3];
  mean_of(&moving->side, moving->u, place->weight, u);
  return vec3_dot(u, place->hit.n) > 0 && place->hit.gap < h * moving->speed;
}

// All slots of a side and a tool, from the first on, with the side at the moment that `moving`
// tells. Returns whether it may have gone through the tool by then: nothing of it is in contact.
static int look_then(const ContactStep *step, int64_t first, MovingSide *moving) {
  const BodySet *bs = step->bs;
  const SlotInfo *slot = &step->work->slot[first];
  const Shape *shape = &bs->tools[bs->own[slot->body_a]].shape;
  const ToolPose pose = tool_pose(bs, slot->body_a, step->work->x);
  FaceGeometry *bulge = step->work->bulge + (first - step->work->first[PAIR_SIDE_TOOL]);
  Place found[4];
  ShapeHit hit;
  int n = 0, back = 0;
  move_side(step, slot, &pose, moving);
  const Side *side = &moving->side;
  for (int k = 0; k < side->n; k++) bulge[k].valid = 0;
  const double near = step->cm->alert + STEPS_AHEAD * step->size.h * moving->speed;
  if (!shape->type->nearest(shape, side->middle, (double)INFINITY, &hit)) return 0;
  if (hit.gap > near + side->size) return 0;
  const int left = is_left_to_nodes(bs, slot->body_c, shape, side, step->cm->alert);
  for (int k = 0; k < side->n; k++) {
    int known = 0;
    if (!nearest_from(shape, side, k, (double)INFINITY, &found[n])) continue;
    if (left && rises_little(shape, side, &found[n])) continue;
    for (int j = 0; j < n; j++) {
      double d[3];
      for (int i = 0; i < 3; i++) d[i] = found[j].p[i] - found[n].p[i];
      known |= vec3_length(d) <= SAME_POINT * side->size;
    }
    if (known) continue;
    back |= falls_back(moving, &found[n], step->size.h);
    n += bulge_at(step, first + k, &pose, moving, &found[n]);
  }
  return n == 0 && back;
}

// At mid-step; a side that would be through the tool by then meets it from where the step begins.
static void look_at(const ContactStep *step, int64_t first) {
  const double h = step->size.h, theta = step->size.theta;
  MovingSide middle = {.to_it = h * (theta - 0.5)}, start = {.to_it = h * (theta - 1)};
  if (look_then(step, first, &middle)) look_then(step, first, &start);
}

static void detect(const ContactStep *step) {
  const ContactWork *work = step->work;
  const int64_t first = work->first[PAIR_SIDE_TOOL], last = work->first[PAIR_SIDE_TOOL + 1];
#pragma omp parallel for schedule(static) if (last - first > SLOTS_FOR_THREADS)
  for (int64_t k = first; k < last; k++)
    if (!is_held(step->bs, work->slot[k].body_c))
      work->bulge[k - first].valid = 0;
    else if (work->slot[k].feature_a == 0)
      look_at(step, k);
}

static int counts(const ContactStep *step, int64_t k) {
  return step->work->bulge[k - step->work->first[PAIR_SIDE_TOOL]].valid;
}

// What was not held before it was deep, as at an edge of the tool, is not pushed out; what little
// comes from going round is.
static double gap_held(const ContactStep *step, int64_t k, double gap) {
  ContactState *state = step->state;
  if (!(state->flag[k] & FLAG_SEEN) && gap > -FACES_FAILED * step->cm->alert) {
    state->flag[k] |= FLAG_SEEN;
    state->offset[k] = 0;
  }
  return contact_offset_gap(step, k, step->work->slot[k].rule, gap);
}

static int make(const ContactStep *step, int64_t k, Contact *contact) {
  const ContactWork *work = step->work;
  const SlotInfo *slot = &work->slot[k];
  const BodySet *bs = step->bs;
  ContactState *state = step->state;
  const FaceGeometry *bulge = &work->bulge[k - work->first[PAIR_SIDE_TOOL]];
  const ToolPose pose = tool_pose(bs, slot->body_a, work->x);
  const int dim = work->dim, kept = dim == 3 && state->flag[k] & FLAG_KEPT;
  Side side;
  double p[3];
  side_at(step->cm, bs, slot, &pose, work->x, &side);
  mean_of(&side, side.x, bulge->weight, p);
  *contact = (Contact){.slot = (int32_t)k, .rule = (int16_t)slot->rule};
  contact->side[0] = (Site){.body = slot->body_c, .n = side.n};
  contact->side[1] = tool_site(bs, slot->body_a, p, -1);
  for (int c = 0; c < side.n; c++) {
    contact->side[0].node[c] = side.node[c];
    contact->side[0].weight[c] = bulge->weight[c];
    contact->area += bulge->weight[c] * contact_node_share(step->cm, bs, work->x, slot->body_c,
                                                           side.node[c], bulge->n);
  }
  contact_turn_frame(dim, kept ? state->normal + 3 * k : NULL, kept ? state->tangent + 3 * k : NULL,
                     bulge->n, contact);
  contact->gap = gap_held(step, k, bulge->gap);
  return 1;
}

// ---- what is told -------------------------------------------------------------------------------

// Where a side comes nearest to a shape, from one of its corners on; 0: it is more than `reach`
// away.
static int lowest_of(const Shape *shape, const Side *side, int corner, double reach, Place *place) {
  ShapeHit hit;
  return shape->type->nearest(shape, side->middle, reach + side->size, &hit) &&
         nearest_from(shape, side, corner, (double)INFINITY, place);
}

// The least gap; infinity: more than `reach`.
static double gap_of(const Shape *shape, const Side *side, int corner, double reach) {
  Place place;
  return lowest_of(shape, side, corner, reach, &place) ? place.hit.gap : (double)INFINITY;
}

static const Shape *shape_of(const Measure *of, const SlotInfo *slot) {
  return &of->bs->tools[of->bs->own[slot->body_a]].shape;
}

static void see_side(const Measure *of, const SlotInfo *slot, const double *x, Side *side) {
  const ToolPose pose = tool_pose(of->bs, slot->body_a, x);
  side_at(of->cm, of->bs, slot, &pose, x, side);
}

// A side from where the step begins to where it ends, as its tool sees it, and on its way between.
typedef struct {
  ToolPath path;
  const Shape *shape;
  int corner;
  Side start, end;
} SidePath;

// How far its corners go at most, as the tool sees them.
static double way_of(const Measure *of, const SlotInfo *slot, SidePath *side) {
  double most = 0;
  see_side(of, slot, of->x0, &side->start);
  see_side(of, slot, of->x, &side->end);
  for (int k = 0; k < side->end.n; k++) {
    double d[3];
    for (int i = 0; i < 3; i++) d[i] = side->end.x[3 * k + i] - side->start.x[3 * k + i];
    most = fmax(most, vec3_dot(d, d));
  }
  return sqrt(most);
}

static int look_on_way(const ToolPath *path, double at, double reach, ShapeHit *hit) {
  const SidePath *side = (const SidePath *)path;
  const double share = at / path->moved;
  Side now = side->start;
  Place place;
  for (int k = 0; k < 3 * now.n; k++) now.x[k] += share * (side->end.x[k] - now.x[k]);
  for (int i = 0; i < 3; i++) now.middle[i] += share * (side->end.middle[i] - now.middle[i]);
  now.size = fmax(now.size, side->end.size);
  if (!lowest_of(side->shape, &now, side->corner, reach, &place)) return 0;
  *hit = place.hit;
  return 1;
}

// A side behind which the tool is at the end of a step, no farther than it has gone, or that lies
// in it: did it go through it? `place` is where it is nearest then. One that does is told.
static void measure_through(const Measure *of, const SlotInfo *slot, SidePath *side,
                            const Place *place) {
  static const double BEHIND = 0.05; // cosine
  const ToolPose pose = tool_pose(of->bs, slot->body_a, of->x);
  const double in = -THIN_TOOL * of->cm->alert, gap = place->hit.gap;
  ToolPath *path = &side->path;
  double own[3], n[3];
  if (of->worst->through.through || !(gap < path->moved) || !(-in < path->moved)) return;
  faced_by(of->cm, of->bs->dim, of->x, slot, own);
  tool_pose_out(&pose, of->bs->dim, place->hit.n, n);
  if (!(vec3_dot(own, n) > (gap < in ? -BEHIND : BEHIND))) return;
  for (int i = 0; i < 3; i++) {
    path->u[i] = pose.turns ? 0 : own[i];
    for (int j = 0; j < 3 && pose.turns; j++) path->u[i] += pose.r[3 * j + i] * own[j];
  }
  path->look = look_on_way;
  const ToolWay way = contact_way_along(path);
  if (way.through && way.depth > -in)
    contact_miss(&of->worst->through, way, side->end.node[0], slot->body_a);
}

static void measure(const Measure *of, int c) {
  const SlotInfo *slot = &of->work->slot[of->work->contact[c].slot];
  SidePath side = {.shape = shape_of(of, slot), .corner = slot->feature_a};
  Place place;
  side.path.moved = way_of(of, slot, &side);
  if (!lowest_of(side.shape, &side.end, side.corner, (double)INFINITY, &place)) return;
  measure_gap(of, c, place.hit.gap);
  measure_through(of, slot, &side, &place);
}

// Adds the outward normals of the faces of a group at a node.
static void add_normals(const Measure *of, int group, int32_t node, double sum[3]) {
  const FaceSet *faces = &of->cm->faces;
  for (int j = faces->node_ptr[node]; j < faces->node_ptr[node + 1]; j++) {
    double n[3];
    if (faces->group[faces->node_face[j]] != group) continue;
    contact_face_normal(faces, of->x, faces->node_face[j], n);
    for (int i = 0; i < 3; i++) sum[i] += n[i];
  }
}

// The normal at corner k of a side, of a skin that is smooth but for its sharp edges.
static void normal_at(const Measure *of, const SlotInfo *slot, int32_t node, int k, double n[3]) {
  const SkinSet *skin = &of->cm->skin;
  const FaceSet *faces = &of->cm->faces;
  memset(n, 0, 3 * sizeof *n);
  if (of->bs->dim == 2) {
    const int before = k == 0 ? skin->prev[slot->edge_c] : slot->edge_c,
              beside = k == 0 ? before : skin->next[slot->edge_c];
    double other[3] = {0};
    edge_normal(skin, of->x, slot->edge_c, n);
    if (beside >= 0 && !skin->corner[before]) edge_normal(skin, of->x, beside, other);
    for (int i = 0; i < 2; i++) n[i] += other[i];
  } else if (slot->place == OF_FACE) {
    add_normals(of, faces->group[slot->edge_c], node, n);
  } else {
    for (int i = 0; i < 2; i++)
      add_normals(of, faces->group[faces->edge_face[2 * (size_t)slot->edge_c + i]], node, n);
  }
  vec3_normalise(n);
}

// How far the skin lies behind a place of a side, by how it bends there: between nodes that have
// gone round a tool it is no flat face.
static double bent_back(const Measure *of, const SlotInfo *slot, const Side *side,
                        const double weight[4]) {
  const int dim = of->bs->dim;
  double p[3] = {0}, behind = 0;
  for (int k = 0; k < side->n; k++)
    for (int i = 0; i < dim; i++) p[i] += weight[k] * of->x[(size_t)dim * side->node[k] + i];
  for (int k = 0; k < side->n; k++) {
    double n[3];
    normal_at(of, slot, side->node[k], k, n);
    for (int i = 0; i < dim; i++)
      behind += weight[k] * n[i] * (p[i] - of->x[(size_t)dim * side->node[k] + i]);
  }
  return fmax(0.5 * behind, 0); // an arc lies in the middle between its chord and its tangents
}

// What a tool presses the nodes of a side with in this step, along their normals [N s].
static double pressed_by(const Measure *of, const SlotInfo *slot, const Side *side) {
  const ContactWork *work = of->work;
  double sum = 0;
  for (int c = 0; c < work->n; c++) {
    const SlotInfo *other = &work->slot[work->contact[c].slot];
    if (other->pair != PAIR_NODE_TOOL || other->body_a != slot->body_a) continue;
    for (int k = 0; k < side->n; k++)
      if (other->node[0] == side->node[k]) sum += of->r[(size_t)of->bs->dim * (size_t)c];
  }
  return sum;
}

// A side of a body that deforms much whose nodes alone are held: what it lies in the tool between
// them, and the work that its nodes have not done for it.
static void measure_sunk(const Measure *of, const SlotInfo *slot, const Side *side,
                         const Place *place) {
  SunkWorst *worst = &of->worst->sunk;
  if (!of->r || !(-place->hit.gap > FINE * side->size)) return;
  const double depth = -place->hit.gap - bent_back(of, slot, side, place->weight);
  if (!(depth > FINE * side->size)) return;
  const double work = depth * pressed_by(of, slot, side) / of->h;
  if (work > worst->work) *worst = (SunkWorst){depth, work, slot->body_c, slot->body_a};
}

void contact_sides_in_tools(const Measure *of) {
  const ContactWork *work = of->work;
  const double reach = of->cm->skin.shortest;
  const int64_t first = work->first[PAIR_SIDE_TOOL], last = work->first[PAIR_SIDE_TOOL + 1];
  for (int64_t k = first; k < last; k++) {
    const SlotInfo *slot = &work->slot[k];
    const Shape *shape = shape_of(of, slot);
    SidePath side = {.shape = shape, .corner = slot->feature_a};
    Place place;
    if (work->bulge[k - first].valid) continue;
    const double moved = side.path.moved = way_of(of, slot, &side);
    if (!lowest_of(shape, &side.end, side.corner, fmax(reach, moved), &place)) continue;
    measure_through(of, slot, &side, &place);
    if (!(place.hit.gap < 0)) continue;
    if (is_left_to_nodes(of->bs, slot->body_c, shape, &side.end, of->cm->alert)) {
      if (!is_held(of->bs, slot->body_c)) measure_sunk(of, slot, &side.end, &place);
      if (!is_held(of->bs, slot->body_c) || rises_little(shape, &side.end, &place)) continue;
    }
    const double depth = -place.hit.gap;
    of->worst->nodes = fmax(of->worst->nodes, depth);
    measure_depth(of, slot, 1, depth);
  }
}

double contact_side_depth(const ContactModel *cm, const BodySet *bs, int body, const Tool *tool,
                          double reach) {
  const Shape *shape = &tool->shape;
  const ToolPose pose = tool_pose(bs, tool->body, bs->x);
  const FaceSet *faces = &cm->faces;
  const int plane = bs->dim == 2,
            first = plane ? cm->skin.first_edge[body] : faces->part_ptr[faces->first_part[body]],
            last = plane ? first + bodies_skin(bs, body)->n_facets
                         : faces->part_ptr[faces->first_part[body + 1]];
  double depth = 0;
  if (!has_sides(bs, body) || (shape->type->hollow && shape->type->hollow(shape))) return 0;
  for (int k = first; k < last; k++) {
    const SlotInfo slot = {.edge_c = plane ? k : faces->part_face[k],
                           .place = plane ? OF_EDGE : OF_FACE};
    Side side;
    side_at(cm, bs, &slot, &pose, bs->x, &side);
    depth = fmax(depth, -gap_of(shape, &side, 0, reach));
  }
  return depth;
}

const PairType pair_side_tool = {.name = "face or edge and tool",
                                 .search = search,
                                 .detect = detect,
                                 .counts = counts,
                                 .make = make,
                                 .measure = measure};
