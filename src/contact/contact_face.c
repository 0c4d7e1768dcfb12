// In space: nodes of one body against the faces of another. A slot is a node and a group of faces;
// a joint is a pair of groups that face each other. Of a joint the nodes of the candidate side
// count; those of the other side where none of the candidate side lies over it, and its corners
// once they are ahead.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/near.h"
#include "shape/facet.h"

// A node may lie near this many groups of a body at once; more are ignored, farthest first.
enum { MOST_GROUPS = 6, MOST_WALKS = 32, MOST_FAN = 16, SLOTS_FOR_THREADS = 1000 };
// One of the faces at a node must face the other body: cosine of the normals below this. Listed:
// wider.
static const double FACING = -0.3, LIST_FACING = -0.1;
// Beyond the edge of a group a node still counts within this share of the shortest edge.
static const double OVER_EDGE = 1e-2;
// The same of a corner of a rigid body or a polyhedron that is behind the face by as much: beside
// it flat faces and crossing edges hold.
static const double BESIDE_EDGE = 1e-3;
// The same of what is behind the face when it is first seen: it never was before it.
static const double SHALLOW = 1e-6;
// Where a joint of flat faces stands for it: of its depth, less than that of the face itself.
static const double ITS_OWN = 0.9;
// Slope of an edge against a face from which it goes on behind it: flatter ones lie on it, or cross
// its rim along a normal that is as good as the face's own (contact_edge.c).
static const double GOES_ON = 0.1, LIST_GOES_ON = 0.3; // listed: wider
// A quick look at a distance does not decide by less than this share of it.
static const double ROUND_OFF = 1e-9;
// Weights below this are zero: the nearest point lies on a side or at a corner.
static const double ON_SIDE = 1e-9;
// Nodes of the other side at its edges, and at its corners, count where they are, or soon will be,
// ahead of the joint's nodes by this share of the alert distance. Those along an edge have others
// of the joint beside them, and would bear what these do. Corners bear what no other does: by 1e-5
// of an edge, where a block of soft stone (E = 1e6) settles by 1e-3 of its own.
static const double EDGE_AHEAD = 0.02, CORNER_AHEAD = 1e-4;

// ---- the nearest point of a group ---------------------------------------------------------------

// Nearest point of one face to p: its distance, weights; and the face beyond the side it lies on.
static double nearest_on_face(const FaceSet *faces, const double *x, int face, const double p[3],
                              double weight[4]) {
  double corner[12];
  int n = contact_face_places(faces, x, face, corner);
  weight[3] = 0;
  return facet_nearest(n, corner, p, weight);
}

// A node that looks for the nearest face; `self`: of its own body, of which it does not see what is
// near it along the skin: the group ends there.
typedef struct {
  int node, self;
} Seeker;

static int sees(const FaceSet *faces, const Seeker *seeker, int face) {
  return !seeker->self || !contact_self_near(faces, seeker->node, face);
}

// Does the group, as far as it is seen, end at the side from node a to node b of this face?
static int ends_at(const FaceSet *faces, const Seeker *seeker, int face, int32_t a, int32_t b) {
  int other = contact_face_beyond(faces, face, a, b);
  return other < 0 || !sees(faces, seeker, other);
}

// From *face over sides of the group to the face nearest to the node. Returns whether it lies over
// the group, or not more than `slack` beyond its edge.
static int nearest_of_group(const FaceSet *faces, const double *x, const Seeker *seeker,
                            double slack, FaceGeometry *geometry) {
  const double *p = x + 3 * (size_t)seeker->node;
  int group = faces->group[geometry->face];
  double best = nearest_on_face(faces, x, geometry->face, p, geometry->weight);
  for (int walk = 0; walk < MOST_WALKS; walk++) {
    int face = geometry->face, corners = contact_face_corners(faces, face);
    const int32_t *node = faces->node + 4 * (size_t)face;
    for (int k = 0; k < corners; k++) {
      if (geometry->weight[k] <= ON_SIDE) continue;
      for (int j = faces->node_ptr[node[k]]; j < faces->node_ptr[node[k] + 1]; j++) {
        int other = faces->node_face[j];
        double weight[4], distance;
        if (other == face || faces->group[other] != group) continue;
        distance = nearest_on_face(faces, x, other, p, weight);
        if (distance >= best * (1 - 1e-12) || !sees(faces, seeker, other)) continue;
        best = distance;
        geometry->face = other;
        memcpy(geometry->weight, weight, sizeof weight);
      }
    }
    if (geometry->face == face) break;
  }
  double corner[12], d[3], across = 0;
  int n = contact_face_places(faces, x, geometry->face, corner), at_end = 0;
  const int32_t *node = faces->node + 4 * (size_t)geometry->face;
  facet_normal(n, corner, geometry->weight, geometry->n);
  for (int i = 0; i < 3; i++) {
    d[i] = p[i];
    for (int k = 0; k < n; k++) d[i] -= geometry->weight[k] * corner[3 * k + i];
  }
  geometry->gap = contact_dot(3, geometry->n, d);
  for (int i = 0; i < 3; i++) {
    double beside = d[i] - geometry->gap * geometry->n[i];
    across += beside * beside;
  }
  // Over a ridge inside the group no face is straight below; at its end that means beside it.
  for (int k = 0; k < n; k++) {
    int opposite_empty = 1; // is the point on the side from k to k + 1?
    for (int j = 0; j < n; j++)
      if (j != k && j != (k + 1) % n && geometry->weight[j] > ON_SIDE) opposite_empty = 0;
    at_end |= opposite_empty && ends_at(faces, seeker, geometry->face, node[k], node[(k + 1) % n]);
  }
  return !at_end || across <= slack * slack;
}

int contact_facing_face(const ContactModel *cm, const BodySet *bs, const double *x,
                        const SlotInfo *slot, const double n[3], double limit) {
  const FaceSet *faces = &cm->faces;
  int node = slot->node[0], found = -1;
  double least = limit;
  for (int k = faces->node_ptr[node]; k < faces->node_ptr[node + 1]; k++) {
    double own[3];
    contact_face_normal(faces, x, faces->node_face[k], own);
    double cosine = contact_dot(3, own, n);
    if (contact_is_sheet(bs, slot->body_c)) cosine = -fabs(cosine);
    if (cosine > least) continue;
    least = cosine;
    found = faces->node_face[k];
  }
  return found;
}

// Faces of how many groups meet at a node, at most three: two at a sharp edge, three at a corner.
static int groups_at(const FaceSet *faces, int node) {
  int32_t found[3];
  int n = 0;
  for (int k = faces->node_ptr[node]; k < faces->node_ptr[node + 1] && n < 3; k++) {
    const int32_t group = faces->group[faces->node_face[k]];
    int known = 0;
    for (int j = 0; j < n; j++) known |= found[j] == group;
    if (!known) found[n++] = group;
  }
  return n;
}

static int is_corner(const FaceSet *faces, int node) {
  return groups_at(faces, node) > 2;
}

// Does the skin go on beyond a node, against n, at a slope above this?
static int goes_on(const FaceSet *faces, const double *x, int node, const double n[3],
                   double slope) {
  const double *p = x + 3 * (size_t)node;
  for (int k = faces->node_ptr[node]; k < faces->node_ptr[node + 1]; k++) {
    const int face = faces->node_face[k], corners = contact_face_corners(faces, face);
    for (int c = 0; c < corners; c++) {
      double d[3];
      const double *other = x + 3 * (size_t)faces->node[4 * (size_t)face + c];
      for (int i = 0; i < 3; i++) d[i] = other[i] - p[i];
      if (contact_dot(3, d, n) < -slope * sqrt(contact_dot(3, d, d))) return 1;
    }
  }
  return 0;
}

// Half thicknesses of both sides.
static double half_of(const FaceSet *faces, const double *half, int node,
                      const FaceGeometry *geometry) {
  if (!half) return 0;
  double sum = half[node];
  for (int k = 0; k < contact_face_corners(faces, geometry->face); k++)
    sum += geometry->weight[k] * half[faces->node[4 * (size_t)geometry->face + k]];
  return sum;
}

// A sheet has two sides: `side` -1 turns the normal.
static void take_side(double side, FaceGeometry *geometry) {
  geometry->gap *= side;
  for (int i = 0; i < 3; i++) geometry->n[i] *= side;
}

// ---- search -------------------------------------------------------------------------------------

typedef struct {
  SlotInfo info;
  double distance2;
} Found;

// Nodes of one body that look for faces of another.
typedef struct {
  const ContactModel *cm;
  const BodySet *bs;
  const double *x;
  int body, other;
  int rests;           // 1: neither deforms
  double reach;        // of this pair of bodies [m]
  const BoxList *list; // [2] nodes, faces
  ContactWork *work;
  // Of the node at hand
  SlotInfo point;
  int n_fan;               // faces at it, 0: not yet known; more than MOST_FAN: not listed
  double fan[MOST_FAN][3]; // their normals
  int n;
  Found found[MOST_GROUPS];
} FaceSearch;

// Keeps the nearest face of each group near the node, and the nearest groups.
static void keep_nearest(const FaceSet *faces, const Found *fresh, Found *found, int *n) {
  int farthest = 0;
  for (int k = 0; k < *n; k++) {
    if (faces->group[found[k].info.edge_a] == faces->group[fresh->info.edge_a] &&
        found[k].info.under == fresh->info.under) {
      // of two that share the nearest point the earlier one
      if (fresh->distance2 < found[k].distance2 ||
          (fresh->distance2 == found[k].distance2 && fresh->info.edge_a < found[k].info.edge_a))
        found[k] = *fresh;
      return;
    }
    if (found[k].distance2 > found[farthest].distance2) farthest = k;
  }
  if (*n < MOST_GROUPS)
    found[(*n)++] = *fresh;
  else if (fresh->distance2 < found[farthest].distance2)
    found[farthest] = *fresh;
}

// Of a body against itself: does the body lie between the node and the face? Of a sheet: is the
// face under the node's own side?
static int behind_or_under(const FaceSearch *search, int face, const double weight[4],
                           SlotInfo *slot) {
  const FaceSet *faces = &search->cm->faces;
  double corner[12], n[3], own[3], d[3];
  int corners = contact_face_places(faces, search->x, face, corner);
  facet_normal(corners, corner, weight, n);
  for (int i = 0; i < 3; i++) {
    d[i] = search->x[3 * (size_t)slot->node[0] + i];
    for (int k = 0; k < corners; k++) d[i] -= weight[k] * corner[3 * k + i];
  }
  if (contact_is_sheet(search->bs, slot->body_c) && slot->edge_c >= 0) {
    contact_face_normal(faces, search->x, slot->edge_c, own);
    slot->under = contact_dot(3, own, d) > 0;
  }
  return contact_self_behind(search->cm, search->bs, slot, face, -contact_dot(3, n, d));
}

// As contact_facing_face, by the normals that are listed.
static int facing_in_fan(const FaceSearch *search, const double n[3], double limit) {
  const FaceSet *faces = &search->cm->faces;
  const SlotInfo *point = &search->point;
  const int sheet = contact_is_sheet(search->bs, search->body);
  int found = -1;
  if (search->n_fan > MOST_FAN)
    return contact_facing_face(search->cm, search->bs, search->x, point, n, limit);
  for (int k = 0; k < search->n_fan; k++) {
    double cosine = contact_dot(3, search->fan[k], n);
    if (sheet) cosine = -fabs(cosine);
    if (cosine > limit) continue;
    limit = cosine;
    found = faces->node_face[faces->node_ptr[point->node[0]] + k];
  }
  return found;
}

static void open_fan(FaceSearch *search) {
  const FaceSet *faces = &search->cm->faces;
  const int first = faces->node_ptr[search->point.node[0]];
  search->n_fan = faces->node_ptr[search->point.node[0] + 1] - first;
  for (int k = 0; k < search->n_fan && search->n_fan <= MOST_FAN; k++)
    contact_face_normal(faces, search->x, faces->node_face[first + k], search->fan[k]);
}

// The face at the node that faces n most, to be listed; -1: none does. Sharp corners point at a
// face while all faces beside them run along it.
static int facing_or_pointing(FaceSearch *search, const double n[3]) {
  const FaceSet *faces = &search->cm->faces;
  if (search->n_fan == 0) open_fan(search);
  const int node = search->point.node[0], facing = facing_in_fan(search, n, LIST_FACING);
  if (facing >= 0 || !is_corner(faces, node) || goes_on(faces, search->x, node, n, LIST_GOES_ON))
    return facing;
  return facing_in_fan(search, n, 1);
}

// Is the point farther from a triangle than is listed, by its height above the plane or beyond a
// side? What is not is looked at closely.
static int is_far(const FaceSearch *search, int face, const double p[3]) {
  const int32_t *node = search->cm->faces.node + 4 * (size_t)face;
  const double reach = (1 + ROUND_OFF) * search->reach;
  double side[3][3], d[3][3], n[3], out[3];
  if (node[3] >= 0) return 0;
  for (int k = 0; k < 3; k++) {
    const double *a = search->x + 3 * (size_t)node[k],
                 *b = search->x + 3 * (size_t)node[(k + 1) % 3];
    for (int i = 0; i < 3; i++) {
      side[k][i] = b[i] - a[i];
      d[k][i] = p[i] - a[i];
    }
  }
  vec3_cross(side[0], side[1], n);
  const double n2 = vec3_dot(n, n), height = vec3_dot(n, d[0]);
  if (height * height > reach * reach * n2) return 1;
  for (int k = 0; k < 3; k++) {
    vec3_cross(side[k], n, out);
    const double beyond = vec3_dot(out, d[k]);
    if (beyond > 0 && beyond * beyond > reach * reach * n2 * vec3_dot(side[k], side[k])) return 1;
  }
  return 0;
}

static int is_before(const FaceSearch *search, int face, const double normal[3]) {
  const double *p = search->x + 3 * (size_t)search->point.node[0],
               *on = search->x + 3 * (size_t)search->cm->faces.node[4 * (size_t)face];
  return contact_dot(3, normal, p) >= contact_dot(3, normal, on);
}

static void try_face(FaceSearch *search, int face) {
  const FaceSet *faces = &search->cm->faces;
  const SlotInfo *point = &search->point;
  const double *p = search->x + 3 * (size_t)point->node[0];
  double weight[4], normal[3];
  const int self = search->body == search->other;
  if (self && contact_self_near(faces, point->node[0], face)) return;
  if (is_far(search, face, p)) return;
  const double distance2 = nearest_on_face(faces, search->x, face, p, weight);
  if (distance2 > search->reach * search->reach) return;
  contact_face_normal(faces, search->x, face, normal);
  const int facing = facing_or_pointing(search, normal);
  if (facing < 0 && !contact_is_sheet(search->bs, search->other)) return;
  Found fresh = {.info = *point, .distance2 = distance2};
  fresh.info.edge_c = facing;
  fresh.info.edge_a = face;
  if (search->rests && is_before(search, face, normal)) fresh.info.apart = sqrt(distance2);
  if (self && behind_or_under(search, face, weight, &fresh.info)) return;
  keep_nearest(faces, &fresh, search->found, &search->n);
}

// Slots of the node at hand.
static Status add_found(FaceSearch *search, Err *err) {
  const FaceSet *faces = &search->cm->faces;
  ContactWork *work = search->work;
  TRY(mem_grow((void **)&work->slot, &work->slot_capacity,
               (size_t)work->n_slots + (size_t)search->n, sizeof *work->slot, err));
  for (int k = 0; k < search->n; k++) {
    SlotInfo slot = search->found[k].info;
    slot.feature_c =
        contact_side_of_node(search->bs, search->body, search->point.node[0], slot.under);
    slot.feature_a = faces->group[slot.edge_a] - faces->first_group[search->other];
    work->slot[work->n_slots++] = slot;
  }
  search->n = 0;
  return OK;
}

static Status meet(void *of, int own, int other, Err *err) {
  FaceSearch *search = of;
  const int node = search->list[0].item[own], face = search->list[1].item[other];
  if (node != search->point.node[0]) {
    TRY(add_found(search, err));
    search->point.node[0] = search->point.node[1] = node;
    search->n_fan = 0;
  }
  try_face(search, face);
  return OK;
}

static Status list_nodes(const PairSearch *pairs, const BodyPair *pair, int side, BoxList *list,
                         Err *err) {
  const BodySet *bs = pairs->bs;
  const int body = pair->body[side];
  list->n = 0;
  for (int32_t k = bs->node_ptr[body]; k < bs->node_ptr[body + 1]; k++)
    if (contact_node_may_touch(bs, body, k - bs->node_ptr[body]))
      TRY(near_list(pairs, pair, side, k, &k, 1, list, err));
  return OK;
}

static Status list_faces(const PairSearch *pairs, const BodyPair *pair, int side, BoxList *list,
                         Err *err) {
  const FaceSet *faces = &pairs->cm->faces;
  const int body = pair->body[side];
  list->n = 0;
  for (int f = faces->first_face[body]; f < faces->first_face[body + 1]; f++)
    TRY(near_list(pairs, pair, side, f, faces->node + 4 * (size_t)f, contact_face_corners(faces, f),
                  list, err));
  return OK;
}

// Nodes of one side of a pair of bodies near faces of the other.
static Status search_side(const PairSearch *pairs, const BodyPair *pair, int side, BoxList list[2],
                          ContactWork *work, Err *err) {
  const int body = pair->body[side], other = pair->body[1 - side];
  FaceSearch search = {.cm = pairs->cm,
                       .bs = pairs->bs,
                       .x = pairs->x,
                       .body = body,
                       .other = other,
                       .rests = !pairs->bs->type[body]->deforms && !pairs->bs->type[other]->deforms,
                       .reach = pair->reach,
                       .list = list,
                       .work = work};
  int rank;
  const int rule = contact_rule_between(pairs->cm, body, other, &rank);
  search.point = (SlotInfo){.body_c = body,
                            .body_a = other,
                            .node = {-1, -1},
                            .weight = {1, 0},
                            .joint = {-1, -1},
                            .twin = -1,
                            .rule = rule,
                            .rank = (int8_t)(rank == 1 || pairs->bs->type[body]->support),
                            .pair = PAIR_NODE_FACE};
  TRY(list_nodes(pairs, pair, side, &list[0], err));
  if (list[0].n == 0) return OK;
  TRY(list_faces(pairs, pair, 1 - side, &list[1], err));
  TRY(near_each(&list[0], &list[1], meet, &search, err));
  return add_found(&search, err);
}

typedef struct {
  int64_t groups;
  int32_t slot;
} JointOf;

static int compare_joints(const void *a, const void *b) {
  const JointOf *x = a, *y = b;
  if (x->groups != y->groups) return (x->groups > y->groups) - (x->groups < y->groups);
  return (x->slot > y->slot) - (x->slot < y->slot);
}

static Status number_joints(const FaceSet *faces, ContactWork *work, Err *err) {
  JointOf *of;
  int n = 0;
  MEM_NEW(of, work->n_slots, err);
  for (int64_t k = 0; k < work->n_slots; k++) {
    SlotInfo *slot = &work->slot[k];
    if (slot->pair != PAIR_NODE_FACE || slot->edge_c < 0) continue;
    int64_t own = faces->group[slot->edge_c], other = faces->group[slot->edge_a];
    if (slot->body_c == slot->body_a) { // sides of folds, apart from groups
      own = (INT64_C(1) << 30) + slot->joint[0];
      other = (INT64_C(1) << 30) + slot->joint[1];
      slot->joint[1] = -1;
    }
    of[n++] = (JointOf){own < other ? own << 32 | other : other << 32 | own, (int32_t)k};
  }
  qsort(of, (size_t)n, sizeof *of, compare_joints);
  work->n_joints = 0;
  for (int k = 0; k < n; k++) {
    if (k == 0 || of[k].groups != of[k - 1].groups) work->n_joints++;
    work->slot[of[k].slot].joint[0] = work->n_joints - 1;
  }
  mem_free(of);
  size_t wanted = (size_t)work->n_joints;
  TRY(mem_grow((void **)&work->joint_gap, &work->gap_capacity, 2 * wanted, sizeof *work->joint_gap,
               err));
  TRY(mem_grow((void **)&work->joint_tilt, &work->tilted_capacity, wanted, 1, err));
  return mem_grow((void **)&work->joint_best, &work->joint_capacity, wanted, 1, err);
}

static Status find_slots(const PairSearch *pairs, BoxList list[2], ContactWork *work, Err *err) {
  const int64_t first = work->n_slots;
  for (const BodyPair *pair = pairs->near; pair < pairs->near + pairs->n_near; pair++)
    for (int side = 0; side <= (pair->body[0] != pair->body[1]); side++)
      TRY(search_side(pairs, pair, side, list, work, err));
  TRY(contact_add_kept(pairs, PAIR_NODE_FACE, work, first, err));
  TRY(mem_grow((void **)&work->face, &work->face_capacity, (size_t)work->n_slots + 1,
               sizeof *work->face, err));
  TRY(contact_self_sides(pairs->cm, pairs->bs, pairs->x, work, err));
  return number_joints(&pairs->cm->faces, work, err);
}

static Status search(const PairSearch *pairs, ContactWork *work, Err *err) {
  return near_search(pairs, find_slots, work, err);
}

// ---- each step ----------------------------------------------------------------------------------

static Site face_site(const FaceSet *faces, int body, const FaceGeometry *geometry) {
  Site site = {.body = body, .n = contact_face_corners(faces, geometry->face)};
  for (int i = 0; i < site.n; i++) {
    site.node[i] = faces->node[4 * (size_t)geometry->face + i];
    site.weight[i] = -geometry->weight[i];
  }
  return site;
}

// Has the body no nodes but corners between which it is straight: rigid ones, polyhedra?
static int is_of_corners(const BodySet *bs, int body) {
  return !bs->type[body]->deforms || bs->mesh[body]->polyhedron;
}

// Where two bodies meet with their tips, faces around the tips would press against one another; and
// of a tip that goes past the rim of a face the shallow way back over the rim would hide the one
// that parts the bodies. So a body of corners that goes on beyond its node meets the face farther
// on, or not at all.
static int may_press(const ContactStep *step, const SlotInfo *slot, const double n[3]) {
  const FaceSet *faces = &step->cm->faces;
  const double *x = step->work->x;
  const int own = slot->body_c;
  const int faces_it = contact_facing_face(step->cm, step->bs, x, slot, n, FACING) >= 0;
  if (faces_it && (!is_of_corners(step->bs, own) || step->bs->type[own]->support)) return 1;
  if (!faces_it && !is_corner(faces, slot->node[0])) return 0;
  return !goes_on(faces, x, slot->node[0], n, GOES_ON);
}

// Is the node of a slot so far from the face that it cannot come near in this step? It was before
// the face at the search; to get behind it, and over it, it must move by as much as it was apart.
static int is_out_of_reach(const ContactStep *step, const SlotInfo *slot) {
  const double *moved = step->work->moved_by, *go = step->work->go;
  const int c = slot->body_c, a = slot->body_a;
  return slot->apart - moved[c] - moved[a] > step->cm->alert + STEPS_AHEAD * (go[c] + go[a]);
}

static void face_geometry(const ContactStep *step, int64_t k) {
  const ContactModel *cm = step->cm;
  const BodySet *bs = step->bs;
  const double *x = step->work->x, *v = contact_ahead(step);
  const SlotInfo *slot = &step->work->slot[k];
  FaceGeometry *geometry = &step->work->face[k];
  const FaceSet *faces = &cm->faces;
  int active = step->state->flag[k] & FLAG_ACTIVE, node = slot->node[0];
  geometry->face = step->state->edge[k];
  geometry->valid = 0;
  if (!active && is_out_of_reach(step, slot)) return;
  const Seeker seeker = {node, slot->body_c == slot->body_a};
  int over = nearest_of_group(faces, x, &seeker, OVER_EDGE * cm->skin.shortest, geometry);
  step->state->edge[k] = geometry->face;
  // A sheet is met on the side the node is on, until it touches.
  double *side = &step->state->along[k];
  if (!active || *side == 0)
    *side = contact_is_sheet(bs, slot->body_a) && geometry->gap < 0 ? -1 : 1;
  take_side(*side, geometry);
  geometry->gap -= half_of(faces, step->bodies->half, node, geometry);
  double u[3] = {0};
  const Site point = {.n = 1, .node = {node}, .weight = {1}},
             other = face_site(faces, slot->body_a, geometry);
  site_velocity(3, &point, v, u);
  site_velocity(3, &other, v, u);
  double ahead = STEPS_AHEAD * step->size.h;
  double approach = fmax(0, -contact_dot(3, u, geometry->n));
  double speed = sqrt(contact_dot(3, u, u));
  geometry->soon = geometry->gap + ahead * contact_dot(3, u, geometry->n);
  if (!over || geometry->gap > cm->alert + ahead * approach) return;
  // Behind one face and before another it is beside a thin part of the body, not in it.
  const double beside = is_of_corners(bs, slot->body_c) ? BESIDE_EDGE : OVER_EDGE;
  const double deep = (active ? beside : SHALLOW) * cm->skin.shortest;
  if (geometry->gap < -deep &&
      contact_is_outside(faces, x, slot->body_a, NULL, x + 3 * (size_t)node, deep))
    return;
  if (!active && geometry->gap < -DEEPEST * cm->skin.shortest - ahead * speed) return;
  if (seeker.self && !active && contact_self_behind(cm, bs, slot, geometry->face, -geometry->gap))
    return;
  geometry->valid = may_press(step, slot, geometry->n);
}

// The same where a joint of flat faces may stand for the node.
static void node_geometry(const ContactStep *step, int64_t k) {
  const FaceSet *faces = &step->cm->faces;
  const SlotInfo *slot = &step->work->slot[k];
  FaceGeometry *geometry = &step->work->face[k];
  face_geometry(step, k);
  if (!geometry->valid || !contact_flat_stands(step->work, slot)) return;
  const int own = faces->node_face[faces->node_ptr[slot->node[0]]];
  geometry->valid = !contact_is_left_to_faces(step, geometry->face, own, -geometry->gap, ITS_OWN);
}

// In FaceGeometry.valid: joints of flat faces stand for most nodes that are over a face.
enum { NOT_LOOKED_AT = -1 };

// A node that is behind a face when it is first seen belongs to the group with the largest gap, the
// shortest way out; not where it comes in through this one and is not deep, unless it is at that.
static int belongs_elsewhere(const ContactStep *step, int64_t k) {
  const ContactWork *work = step->work;
  const SlotInfo *slot = &work->slot[k];
  const double gap = work->face[k].gap, edge = step->cm->skin.shortest;
  if (gap >= -SHALLOW * edge || step->state->flag[k] & FLAG_ACTIVE) return 0;
  const int comes_in = gap >= -OVER_EDGE * edge && work->face[k].soon < gap;
  const double more = comes_in ? -SHALLOW * edge : gap;
  for (int way = -1; way <= 1; way += 2)
    for (int64_t j = k + way; j >= 0 && j < work->first[PAIR_NODE_FACE + 1]; j += way) {
      if (work->slot[j].node[0] != slot->node[0]) break;
      if (work->face[j].valid == NOT_LOOKED_AT) face_geometry(step, j);
      if (work->slot[j].body_a == slot->body_a && work->slot[j].under == slot->under &&
          work->face[j].valid && work->face[j].gap > more)
        return 1;
    }
  return 0;
}

// Of the other side edges and corners that are ahead, or all where none of the candidate side lies
// over it.
static int counts(const ContactStep *step, int64_t k) {
  const ContactWork *work = step->work;
  const SlotInfo *slot = &work->slot[k];
  const FaceGeometry *geometry = &work->face[k];
  int joint = slot->joint[0];
  if (slot->rank == 0 || joint < 0 || work->joint_best[joint] > 0) return 1;
  const double *gap = work->joint_gap + 2 * (size_t)joint;
  const int groups = groups_at(&step->cm->faces, slot->node[0]);
  double by = (groups > 2 ? CORNER_AHEAD : EDGE_AHEAD) * step->cm->alert;
  return groups > 1 && (geometry->gap < gap[0] - by || geometry->soon < gap[1] - by);
}

static int face_counts(const ContactStep *step, int64_t k) {
  const SlotInfo *slot = &step->work->slot[k];
  if (!step->work->face[k].valid) return 0;
  return slot->body_c == slot->body_a ? contact_self_counts(step, k) : counts(step, k);
}

static void detect(const ContactStep *step) {
  ContactWork *work = step->work;
  const int64_t first = work->first[PAIR_NODE_FACE], last = work->first[PAIR_NODE_FACE + 1];
  if (work->n_joints > 0 && step->bs->dim == 3) memset(work->joint_best, 3, (size_t)work->n_joints);
#pragma omp parallel for schedule(static) if (last - first > SLOTS_FOR_THREADS)
  for (int64_t k = first; k < last; k++)
    if (contact_flat_meets(work, &work->slot[k]))
      work->face[k].valid = NOT_LOOKED_AT;
    else
      node_geometry(step, k);
  for (int64_t k = first; k < last; k++) // 2: valid, but to be dropped
    if (work->face[k].valid == 1 && belongs_elsewhere(step, k)) work->face[k].valid = 2;
  for (int64_t k = first; k < last; k++) {
    const SlotInfo *slot = &work->slot[k];
    FaceGeometry *geometry = &work->face[k];
    geometry->valid = geometry->valid == 1 && !contact_flat_meets(work, slot);
    if (!geometry->valid || slot->rank > 0 || slot->joint[0] < 0) continue;
    double *gap = &work->joint_gap[2 * slot->joint[0]];
    uint8_t *best = &work->joint_best[slot->joint[0]];
    gap[0] = *best == 0 ? fmin(gap[0], geometry->gap) : geometry->gap;
    gap[1] = *best == 0 ? fmin(gap[1], geometry->soon) : geometry->soon;
    *best = 0;
  }
  // In the order of slots: what is decided for one is seen by the next.
  for (int64_t k = first; k < last; k++) work->face[k].valid = face_counts(step, k);
}

static int is_valid(const ContactStep *step, int64_t k) {
  return step->work->face[k].valid;
}

static int make(const ContactStep *step, int64_t k, Contact *contact) {
  const ContactWork *work = step->work;
  const FaceSet *faces = &step->cm->faces;
  const SlotInfo *slot = &work->slot[k];
  const FaceGeometry *geometry = &work->face[k];
  ContactState *state = step->state;
  int kept = state->flag[k] & FLAG_KEPT;
  *contact = (Contact){
      .slot = (int32_t)k,
      .side = {{slot->body_c, 1, {slot->node[0]}, {1}}, face_site(faces, slot->body_a, geometry)},
      .area =
          contact_node_share(step->cm, step->bs, work->x, slot->body_c, slot->node[0], geometry->n),
      .rule = (int16_t)slot->rule};
  contact_turn_frame(3, kept ? state->normal + 3 * k : NULL, kept ? state->tangent + 3 * k : NULL,
                     geometry->n, contact);
  contact->gap = contact_offset_gap(step, k, slot->rule, geometry->gap);
  return 1;
}

// Of a node and a face there are most nodes.
enum { CONTACT_PLACES = 1 + MAX_SITE_NODES };

static int is_of_edges(const Contact *contact) {
  return contact->side[0].n == 2;
}

// The geometry of a contact between the face, or the edges, that it has, at positions x of its
// nodes.
static int geometry_at(const Contact *contact, const double x[3 * CONTACT_PLACES],
                       FaceGeometry *geometry) {
  double d[3];
  int n = contact->side[1].n;
  if (is_of_edges(contact)) return contact_edge_at(contact, x, geometry);
  facet_nearest(n, x + 3, x, geometry->weight);
  facet_normal(n, x + 3, geometry->weight, geometry->n);
  for (int i = 0; i < 3; i++) {
    d[i] = x[i];
    for (int k = 0; k < n; k++) d[i] -= geometry->weight[k] * x[3 + 3 * k + i];
  }
  geometry->gap = contact_dot(3, geometry->n, d);
  take_side(contact_dot(3, geometry->n, contact->n) < 0 ? -1 : 1, geometry);
  return 1;
}

static double halves(const Contact *contact, const double *half, const double weight[4]) {
  if (!half || is_of_edges(contact)) return 0;
  const Site *other = &contact->side[1];
  double sum = half[contact->side[0].node[0]];
  for (int k = 0; k < other->n; k++) sum += weight[k] * half[other->node[k]];
  return sum;
}

static void set_weights(Contact *contact, const double *weight) {
  Site *site = contact->side;
  for (int k = 0; k < site[1].n && !is_of_edges(contact); k++) site[1].weight[k] = -weight[k];
  for (int side = 0; side < 2 && is_of_edges(contact); side++) {
    double sign = side == 0 ? 1 : -1;
    site[side].weight[0] = sign * (1 - weight[side]);
    site[side].weight[1] = sign * weight[side];
  }
}

void contact_face_update(const ContactStep *step, const double *q1, const double *v1,
                         Contact *contact) {
  double x[3 * CONTACT_PLACES], n[3], t[3], u[3], *to = x;
  double lead = step->size.h * (1 - step->size.theta);
  FaceGeometry geometry;
  if (!contact_is_iterated(step->bs, contact)) return;
  for (const Site *site = contact->side; site < contact->side + 2; site++)
    for (int k = 0; k < site->n; k++)
      for (int i = 0; i < 3; i++) {
        size_t from = 3 * (size_t)site->node[k] + i;
        *to++ = step->bs->x[from] + q1[from] + lead * v1[from];
      }
  if (!geometry_at(contact, x, &geometry)) return;
  set_weights(contact, geometry.weight);
  memcpy(n, contact->n, sizeof n);
  memcpy(t, contact->t, sizeof t);
  contact_turn_frame(3, n, t, geometry.n, contact);
  contact_relative_velocity(3, contact, v1, u);
  contact->gap = geometry.gap - halves(contact, step->bodies->half, geometry.weight) -
                 step->size.h * u[0] - step->state->offset[contact->slot];
}

double contact_face_gap(const ContactModel *cm, const double *half, const double *x,
                        const ContactState *state, const Contact *contact) {
  FaceGeometry geometry = {.face = state->edge[contact->slot]};
  const Site *own = &contact->side[0];
  if (is_of_edges(contact)) {
    double place[12];
    for (int k = 0; k < 4; k++)
      memcpy(place + 3 * k, x + 3 * (size_t)contact->side[k / 2].node[k % 2], 3 * sizeof *x);
    return contact_edge_at(contact, place, &geometry) ? geometry.gap : contact->gap;
  }
  const Seeker seeker = {own->node[0], own->body == contact->side[1].body};
  nearest_of_group(&cm->faces, x, &seeker, 0, &geometry);
  take_side(contact_dot(3, geometry.n, contact->n) < 0 ? -1 : 1, &geometry);
  return geometry.gap - half_of(&cm->faces, half, own->node[0], &geometry);
}

// The point of a contact is a node.
static void measure(const Measure *of, int c) {
  const double gap = contact_face_gap(of->cm, of->half, of->x, of->state, &of->work->contact[c]);
  measure_gap(of, c, gap);
  of->worst->nodes = fmax(of->worst->nodes, -gap);
}

const PairType pair_node_face = {.name = "node and face",
                                 .search = search,
                                 .detect = detect,
                                 .counts = is_valid,
                                 .make = make,
                                 .update = contact_face_update,
                                 .measure = measure};
