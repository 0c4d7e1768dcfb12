#include "contact/side_depth.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/side.h"

// Where a side comes nearest to a shape, from one of its corners on; 0: it is more than `reach`
// away.
static int lowest_of(const Shape *shape, const Side *side, int corner, double reach,
                     SidePlace *place) {
  ShapeHit hit;
  return shape->type->nearest(shape, side->middle, reach + side->size, &hit) &&
         side_nearest(shape, side, corner, (double)INFINITY, place);
}

// The least gap; infinity: more than `reach`.
static double gap_of(const Shape *shape, const Side *side, int corner, double reach) {
  SidePlace place;
  return lowest_of(shape, side, corner, reach, &place) ? place.hit.gap : (double)INFINITY;
}

static const Shape *shape_of(const Measure *of, const SlotInfo *slot) {
  return &of->bs->tools[of->bs->own[slot->body_a]].shape;
}

static void see_side(const Measure *of, const SlotInfo *slot, const double *x, Side *side) {
  const ToolPose pose = tool_pose(of->bs, slot->body_a, x);
  side_at(of->cm, of->bs, slot, &pose, x, side);
}

// ---- what went through --------------------------------------------------------------------------

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
  SidePlace place;
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
                            const SidePlace *place) {
  static const double BEHIND = 0.05; // cosine
  const ToolPose pose = tool_pose(of->bs, slot->body_a, of->x);
  const double in = -THIN_TOOL * of->cm->alert, gap = place->hit.gap;
  ToolPath *path = &side->path;
  double own[3], n[3];
  if (of->worst->through.through || !(gap < path->moved) || !(-in < path->moved)) return;
  side_faced_by(of->cm, of->bs->dim, of->x, slot, own);
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

void contact_side_measure(const Measure *of, int c) {
  const SlotInfo *slot = &of->work->slot[of->work->contact[c].slot];
  SidePath side = {.shape = shape_of(of, slot), .corner = slot->feature_a};
  SidePlace place;
  side.path.moved = way_of(of, slot, &side);
  if (!lowest_of(side.shape, &side.end, side.corner, (double)INFINITY, &place)) return;
  measure_gap(of, c, place.hit.gap);
  measure_through(of, slot, &side, &place);
}

// ---- what sank in between nodes -----------------------------------------------------------------

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
  } else if (slot->place == SIDE_FACE) {
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
                         const SidePlace *place) {
  SunkWorst *worst = &of->worst->sunk;
  if (!of->r || !(-place->hit.gap > SIDE_FINE * side->size)) return;
  const double depth = -place->hit.gap - bent_back(of, slot, side, place->weight);
  if (!(depth > SIDE_FINE * side->size)) return;
  const double work = depth * pressed_by(of, slot, side) / of->h;
  if (work > worst->work) *worst = (SunkWorst){depth, work, slot->body_c, slot->body_a};
}

// ---- all of them --------------------------------------------------------------------------------

void contact_sides_in_tools(const Measure *of) {
  const ContactWork *work = of->work;
  const double reach = of->cm->skin.shortest;
  const int64_t first = work->first[PAIR_SIDE_TOOL], last = work->first[PAIR_SIDE_TOOL + 1];
  for (int64_t k = first; k < last; k++) {
    const SlotInfo *slot = &work->slot[k];
    const Shape *shape = shape_of(of, slot);
    SidePath side = {.shape = shape, .corner = slot->feature_a};
    SidePlace place;
    if (work->bulge[k - first].valid) continue;
    const double moved = side.path.moved = way_of(of, slot, &side);
    if (!lowest_of(shape, &side.end, side.corner, fmax(reach, moved), &place)) continue;
    measure_through(of, slot, &side, &place);
    if (!(place.hit.gap < 0)) continue;
    if (side_is_left_to_nodes(of->bs, slot->body_c, shape, &side.end, of->cm->alert)) {
      if (!side_is_held(of->bs, slot->body_c)) measure_sunk(of, slot, &side.end, &place);
      if (!side_is_held(of->bs, slot->body_c) || side_rises_little(shape, &side.end, &place))
        continue;
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
  if (!side_has(bs, body) || (shape->type->hollow && shape->type->hollow(shape))) return 0;
  for (int k = first; k < last; k++) {
    const SlotInfo slot = {.edge_c = plane ? k : faces->part_face[k],
                           .place = plane ? SIDE_EDGE : SIDE_FACE};
    Side side;
    side_at(cm, bs, &slot, &pose, bs->x, &side);
    depth = fmax(depth, -gap_of(shape, &side, 0, reach));
  }
  return depth;
}
