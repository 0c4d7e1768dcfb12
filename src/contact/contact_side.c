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
#include "contact/side.h"
#include "contact/side_depth.h"

enum { SLOTS_FOR_THREADS = 2000 };
// A point whose share of a corner is below this lies on the side across from it.
static const double AT_BOUND = 1e-9;
// Ways that end nearer to one another than this share of the size have found one point.
static const double SAME_POINT = 1e-6;

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

static Status add_side(const PairSearch *pairs, int place, int item, int own, int body,
                       ContactWork *work, Err *err) {
  const ContactModel *cm = pairs->cm;
  if (!side_has(pairs->bs, body)) return OK;
  const SlotInfo slot = {.pair = PAIR_SIDE_TOOL,
                         .body_c = body,
                         .feature_c = 2 * own + place,
                         .place = (int8_t)place,
                         .edge_c = item,
                         .edge_a = -1,
                         .joint = {-1, -1},
                         .twin = -1};
  return add_slots(pairs, slot, side_is_held(pairs->bs, body) ? side_corners(cm, &slot) : 1, work,
                   err);
}

static Status search(const PairSearch *pairs, ContactWork *work, Err *err) {
  const SkinSet *skin = &pairs->cm->skin;
  const FaceSet *faces = &pairs->cm->faces;
  const int64_t first = work->n_slots;
  if (pairs->bs->n_tools == 0) return OK;
  for (int e = 0; e < skin->n_edges; e++)
    TRY(add_side(pairs, SIDE_EDGE, e, e - skin->first_edge[skin->body[e]], skin->body[e], work,
                 err));
  for (int f = 0, begin = 0; f < faces->n_faces; f++) {
    if (faces->body[f] != faces->body[begin]) begin = f;
    TRY(add_side(pairs, SIDE_FACE, f, f - begin, faces->body[f], work, err));
  }
  for (int e = 0; e < faces->n_edges; e++) {
    const int body = faces->body[faces->edge_face[2 * e]];
    TRY(add_side(pairs, SIDE_EDGE, e, e - faces->first_edge[body], body, work, err));
  }
  contact_order_slots(work, first);
  return mem_grow((void **)&work->bulge, &work->bulge_capacity, (size_t)(work->n_slots - first) + 1,
                  sizeof *work->bulge, err);
}

// ---- detect -------------------------------------------------------------------------------------

// Is the point this side's own? What ends at a node is not, nor what a convex edge has, or the
// face beyond.
static int is_own(const ContactModel *cm, const SlotInfo *slot, const Side *side,
                  const double weight[4]) {
  int n = 0, on[4];
  for (int k = 0; k < side->n; k++)
    if (weight[k] > AT_BOUND) on[n++] = k;
  if (n == side->n || slot->place == SIDE_EDGE || n != 2) return n == side->n;
  const int32_t a = side->node[on[0]], b = side->node[on[1]];
  return contact_face_beyond(&cm->faces, slot->edge_c, a, b) > slot->edge_c;
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
                    const MovingSide *moving, const SidePlace *place) {
  const SlotInfo *slot = &step->work->slot[k];
  FaceGeometry *bulge = &step->work->bulge[k - step->work->first[PAIR_SIDE_TOOL]];
  const double h = step->size.h, ahead = STEPS_AHEAD * h * moving->speed;
  const double deepest = DEEPEST * step->cm->skin.shortest + ahead;
  double u[3], later[3];
  if (!is_own(step->cm, slot, &moving->side, place->weight)) return 0;
  side_mean(&moving->side, moving->u, place->weight, u);
  side_mean(&moving->side, moving->later, place->weight, later);
  const double before = -vec3_dot(u, place->hit.n),
               approach = fmax(before, -vec3_dot(later, place->hit.n));
  bulge->gap = place->hit.gap + moving->to_it * before;
  memcpy(bulge->weight, place->weight, sizeof bulge->weight);
  tool_pose_out(pose, step->bs->dim, place->hit.n, bulge->n);
  bulge->valid = bulge->gap <= step->cm->alert + STEPS_AHEAD * h * fmax(approach, 0) &&
                 (step->state->flag[k] & FLAG_ACTIVE || bulge->gap >= -deepest) &&
                 side_normal(step, slot, bulge->n);
  return bulge->valid;
}

// Does a place of a side fall back from the tool, from no farther than it goes until then? Then the
// side may have gone through it.
static int falls_back(const MovingSide *moving, const SidePlace *place, double h) {
  double u[3];
  side_mean(&moving->side, moving->u, place->weight, u);
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
  SidePlace found[4];
  ShapeHit hit;
  int n = 0, back = 0;
  move_side(step, slot, &pose, moving);
  const Side *side = &moving->side;
  for (int k = 0; k < side->n; k++) bulge[k].valid = 0;
  const double near = step->cm->alert + STEPS_AHEAD * step->size.h * moving->speed;
  if (!shape->type->nearest(shape, side->middle, (double)INFINITY, &hit)) return 0;
  if (hit.gap > near + side->size) return 0;
  const int left = side_is_left_to_nodes(bs, slot->body_c, shape, side, step->cm->alert);
  for (int k = 0; k < side->n; k++) {
    int known = 0;
    if (!side_nearest(shape, side, k, (double)INFINITY, &found[n])) continue;
    if (left && side_rises_little(shape, side, &found[n])) continue;
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
    if (!side_is_held(step->bs, work->slot[k].body_c))
      work->bulge[k - first].valid = 0;
    else if (work->slot[k].feature_a == 0)
      look_at(step, k);
}

// ---- contacts -----------------------------------------------------------------------------------

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
  side_mean(&side, side.x, bulge->weight, p);
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

const PairType pair_side_tool = {.name = "face or edge and tool",
                                 .search = search,
                                 .detect = detect,
                                 .counts = counts,
                                 .make = make,
                                 .measure = contact_side_measure};
