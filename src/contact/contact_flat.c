// In space: flat faces of two bodies. Where they face each other, the one is clipped by the other:
// contact points are the corners of what they have in common; where a body deforms
// contact_meshed.c finds them. A slot is a corner of one face over the other, or two sides that
// cross: it lives on as the faces slide. Such a joint stands for all that nodes and edges of the
// two faces would have to do with each other.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/flat.h"
#include "contact/near.h"

// Faces are listed while the sine between them is below this, and stand for their nodes and edges
// below the other: faces of one body are 30 degrees apart, so that a node has one that faces
// another body so well, and no two of the listed pairs share a corner.
static const double LIST_TILT = 0.25, MOST_TILT = 0.15;
// In FaceGeometry.weight of rigid faces: places along both sides that cross.
enum { ALONG_C, ALONG_A };

// ---- a joint in its plane -----------------------------------------------------------------------

// Sine of the angle between a face and another one that faces it; 2: it does not.
static double tilt(const Face *a, const Face *b) {
  double cross[3];
  if (vec3_dot(a->normal, b->normal) >= 0) return 2;
  vec3_cross(a->normal, b->normal, cross);
  return vec3_length(cross);
}

static double height(const Face *face, const double p[3]) {
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = p[i] - flat_corner(face, 0)[i];
  return vec3_dot(d, face->normal);
}

// ---- search -------------------------------------------------------------------------------------

typedef struct {
  const PairSearch *pairs; // its reach: of the pair of bodies at hand
  const BoxList *list;     // [2] groups of both
  size_t capacity[2];
  Face *face[2]; // as they are; owned
  ContactWork *work;
} FlatSearch;

Status flat_add_slot(ContactWork *work, SlotInfo slot, Err *err) {
  slot.pair = PAIR_FACE_FACE;
  slot.twin = slot.joint[1] = -1;
  slot.flat = work->n_flat; // counted from 1
  TRY(mem_grow((void **)&work->slot, &work->slot_capacity, (size_t)work->n_slots + 1,
               sizeof *work->slot, err));
  work->slot[work->n_slots++] = slot;
  return OK;
}

int flat_corner_feature(const FaceSet *faces, const FlatJoint *joint, int own, int32_t node) {
  const int32_t *face = faces->node_face + faces->node_ptr[node];
  const int n = faces->node_ptr[node + 1] - faces->node_ptr[node], other = 1 - own;
  int k = 0;
  while (k + 1 < n && faces->group[face[k]] != joint->group[own]) k++;
  return (joint->group[other] - faces->first_group[joint->body[other]]) * n + k;
}

// Corners of face s over the other one.
static Status add_corners(FlatSearch *search, const Overlap *over, const FlatJoint *joint, int s,
                          int rule, Err *err) {
  const FaceSet *faces = &search->pairs->cm->faces;
  const Face *face = &over->face[s];
  const int own = joint->body[s], other = joint->body[1 - s];
  for (int k = 0; k < face->n; k++) {
    const double *p = over->polygon[s].p[flat_place_of_corner(over, s, k)];
    if (!polygon_holds(&over->polygon[1 - s], p, search->pairs->reach)) continue;
    const int32_t node = face->node[k];
    const SlotInfo slot = {.body_c = own,
                           .body_a = other,
                           .feature_c = 2 * (node - search->pairs->bs->node_ptr[own]),
                           .feature_a = flat_corner_feature(faces, joint, s, node),
                           .node = {node, node},
                           .weight = {1, 0},
                           .edge_c = k,
                           .edge_a = faces->member[faces->member_ptr[joint->group[1 - s]]],
                           .joint = {s, -1},
                           .rule = rule,
                           .place = OF_CORNER};
    TRY(flat_add_slot(search->work, slot, err));
  }
  return OK;
}

int flat_side_number(const FaceSet *faces, int group, int body, int k) {
  return faces->outline_ptr[group] + k - faces->outline_ptr[faces->first_group[body]];
}

// Sides that are near each other, at whatever angle: faces may turn before the next search.
static int sides_are_near(const Overlap *over, int i, int j, double reach) {
  const Polygon *a = &over->polygon[0], *c = &over->polygon[1];
  const double *end[4] = {a->p[i], a->p[(i + 1) % a->n], c->p[j], c->p[(j + 1) % c->n]};
  double share[2];
  for (int k = 0; k < 4; k++)
    if (polygon_side_distance(k < 2 ? c : a, k < 2 ? j : i, end[k]) <= reach) return 1;
  return polygon_sides_cross(a, i, c, j, LEAST_CROSSING, share) && share[0] >= 0 && share[0] <= 1 &&
         share[1] >= 0 && share[1] <= 1;
}

static Status add_sides(FlatSearch *search, const Overlap *over, const FlatJoint *joint, int rule,
                        Err *err) {
  const FaceSet *faces = &search->pairs->cm->faces;
  const Face *face = &over->face[0];
  for (int i = 0; i < face->n; i++)
    for (int j = 0; j < over->face[1].n; j++) {
      if (!sides_are_near(over, flat_place_of_side(over, 0, i), j, search->pairs->reach)) continue;
      const SlotInfo slot = {
          .body_c = joint->body[0],
          .body_a = joint->body[1],
          .feature_c = 2 * flat_side_number(faces, joint->group[0], joint->body[0], i) + 1,
          .feature_a = flat_side_number(faces, joint->group[1], joint->body[1], j),
          .node = {face->node[i], face->node[(i + 1) % face->n]},
          .edge_c = i,
          .edge_a = faces->member[faces->member_ptr[joint->group[1]]],
          .joint = {j, -1},
          .rule = rule,
          .place = OF_SIDES};
      TRY(flat_add_slot(search->work, slot, err));
    }
  return OK;
}

// Are all corners of one face farther than `reach` before the other, or behind it?
static int is_far(const Face *face, const Face *other, double reach) {
  double low = (double)INFINITY, high = -(double)INFINITY;
  for (int k = 0; k < face->n; k++) {
    double own = height(other, flat_corner(face, k));
    low = fmin(low, own);
    high = fmax(high, own);
  }
  return low > reach || high < -reach;
}

// Of two bodies one of which deforms that with the shorter edges among those that do; -1: none
// does.
static int8_t finer_side(const ContactModel *cm, const BodySet *bs, const int32_t body[2]) {
  const int deforms[2] = {bs->type[body[0]]->deforms, bs->type[body[1]]->deforms};
  if (!deforms[0] && !deforms[1]) return -1;
  if (deforms[0] != deforms[1]) return deforms[1] ? 1 : 0;
  return cm->shortest[body[1]] < cm->shortest[body[0]] ? 1 : 0;
}

static const int8_t few_of[N_POINT_RULES] = {
    [POINTS_MID] = FEW_MIDDLES, [POINTS_CORNERS] = FEW_CORNERS, [POINTS_REDUCED] = FEW_REDUCED};

static Status meet(void *of, int i, int j, Err *err) {
  FlatSearch *search = of;
  const ContactModel *cm = search->pairs->cm;
  const BodySet *bs = search->pairs->bs;
  const FaceSet *faces = &cm->faces;
  ContactWork *work = search->work;
  const Face *face[2] = {&search->face[0][i], &search->face[1][j]};
  if (tilt(face[0], face[1]) > LIST_TILT || is_far(face[0], face[1], search->pairs->reach) ||
      is_far(face[1], face[0], search->pairs->reach))
    return OK;
  int group[2] = {search->list[0].item[i], search->list[1].item[j]}, rank;
  int body[2] = {faces->body[faces->member[faces->member_ptr[group[0]]]],
                 faces->body[faces->member[faces->member_ptr[group[1]]]]};
  int rule = contact_rule_between(cm, body[0], body[1], &rank), turn = rank > 0;
  FlatJoint joint = {.group = {group[turn], group[1 - turn]}, .body = {body[turn], body[1 - turn]}};
  joint.fine = finer_side(cm, bs, joint.body);
  joint.few = few_of[cm->rules[rule].points];
  TRY(mem_grow((void **)&work->flat, &work->flat_capacity, (size_t)work->n_flat + 1,
               sizeof *work->flat, err));
  work->flat[work->n_flat++] = joint;
  const Overlap over = flat_overlap(faces, search->pairs->x, joint.group);
  if (joint.fine < 0 || joint.few >= FEW_CORNERS) {
    for (int side = 0; side < 2; side++) TRY(add_corners(search, &over, &joint, side, rule, err));
    return add_sides(search, &over, &joint, rule, err);
  }
  if (joint.few == FEW_NOT) TRY(add_corners(search, &over, &joint, 1 - joint.fine, rule, err));
  return meshed_slots(search->pairs, &joint, rule, work, err);
}

static Status list_groups(const PairSearch *pairs, const BodyPair *pair, int side, BoxList *list,
                          Err *err) {
  const FaceSet *faces = &pairs->cm->faces;
  const int body = pair->body[side];
  list->n = 0;
  for (int g = faces->first_group[body]; g < faces->first_group[body + 1]; g++) {
    const int first = faces->outline_ptr[g], n = faces->outline_ptr[g + 1] - first;
    if (n > 0) TRY(near_list(pairs, pair, side, g, faces->outline + first, n, list, err));
  }
  return OK;
}

static Status list_faces(FlatSearch *search, const BodyPair *pair, BoxList list[2], Err *err) {
  const PairSearch *pairs = search->pairs;
  for (int s = 0; s < 2; s++) {
    TRY(list_groups(pairs, pair, s, &list[s], err));
    TRY(mem_grow((void **)&search->face[s], &search->capacity[s], (size_t)list[s].n,
                 sizeof *search->face[s], err));
    for (int k = 0; k < list[s].n; k++)
      search->face[s][k] = flat_face(&pairs->cm->faces, pairs->x, list[s].item[k]);
  }
  return OK;
}

static Status find_joints(const PairSearch *pairs, BoxList list[2], ContactWork *work, Err *err) {
  PairSearch own = *pairs;
  FlatSearch search = {.pairs = &own, .list = list, .work = work};
  Status status = OK;
  for (int k = 0; k < pairs->n_near && status == OK; k++) {
    const BodyPair *pair = &pairs->near[k];
    int rank;
    const int rule = contact_rule_between(pairs->cm, pair->body[0], pair->body[1], &rank);
    if (pair->body[0] == pair->body[1] || !points_of_overlap(pairs->cm->rules[rule].points))
      continue;
    own.reach = pair->reach;
    status = list_faces(&search, pair, list, err);
    if (status == OK) status = near_each(&list[0], &list[1], meet, &search, err);
  }
  for (int s = 0; s < 2; s++) mem_free(search.face[s]);
  return status;
}

// Joints of bodies that are not renewed stay; their slots of the search before learn their new
// numbers.
static Status keep_joints(const PairSearch *pairs, ContactWork *work, Err *err) {
  const int before = work->n_flat;
  int32_t *now;
  MEM_NEW(now, before, err);
  work->n_flat = 0;
  for (int j = 0; j < before; j++) {
    const FlatJoint joint = work->flat[j];
    if (pairs->renewed[joint.body[0]] || pairs->renewed[joint.body[1]]) continue;
    work->flat[work->n_flat++] = (FlatJoint){.group = {joint.group[0], joint.group[1]},
                                             .body = {joint.body[0], joint.body[1]},
                                             .fine = joint.fine,
                                             .few = joint.few};
    now[j] = work->n_flat;
  }
  for (int64_t k = work->before_first[PAIR_FACE_FACE]; k < work->before_first[PAIR_FACE_FACE + 1];
       k++)
    work->before[k].flat = now[work->before[k].flat - 1];
  mem_free(now);
  return OK;
}

// Slots in the order of their keys, and which of them belong to each joint.
static Status order_slots(ContactWork *work, int64_t first, Err *err) {
  int64_t n = work->n_slots - first;
  TRY(mem_grow((void **)&work->corner, &work->corner_capacity, (size_t)n + 1, sizeof *work->corner,
               err));
  for (int64_t k = first; k < work->n_slots; k++) work->flat[work->slot[k].flat - 1].n++;
  for (int j = 0, at = 0; j < work->n_flat; j++) {
    work->flat[j].first = at;
    at += work->flat[j].n;
    work->flat[j].n = 0;
  }
  for (int64_t k = first; k < work->n_slots; k++) {
    FlatJoint *joint = &work->flat[work->slot[k].flat - 1];
    work->corner[joint->first + joint->n++] = k;
  }
  return OK;
}

typedef struct {
  int32_t group[2], joint; // the lower one first
} GroupPair;

static int compare_pairs(const void *a, const void *b) {
  const GroupPair *x = a, *y = b;
  for (int s = 0; s < 2; s++)
    if (x->group[s] != y->group[s]) return x->group[s] < y->group[s] ? -1 : 1;
  return 0;
}

static int joint_of(const GroupPair *pair, int n, int32_t a, int32_t b) {
  const GroupPair wanted = {.group = {a < b ? a : b, a < b ? b : a}};
  const GroupPair *found =
      n > 0 ? bsearch(&wanted, pair, (size_t)n, sizeof wanted, compare_pairs) : NULL;
  return found ? found->joint + 1 : 0;
}

// Joints in the order of their groups, and which groups have one.
typedef struct {
  GroupPair *pair;
  uint8_t *has; // [n_groups]
  int n;
} JointIndex;

static int joint_at(const JointIndex *joints, int32_t a, int32_t b) {
  return joints->has[a] && joints->has[b] ? joint_of(joints->pair, joints->n, a, b) : 0;
}

// Which joint stands for a slot of another pair: of a node, that of one of its own faces and the
// other; of edges, that of one of the faces beside each.
static void stand_for(const FaceSet *faces, const JointIndex *joints, ContactWork *work) {
  for (int64_t k = work->first[PAIR_NODE_FACE]; k < work->first[PAIR_NODE_FACE + 1]; k++) {
    SlotInfo *slot = &work->slot[k];
    const int node = slot->node[0];
    slot->flat = 0;
    for (int f = faces->node_ptr[node]; f < faces->node_ptr[node + 1] && !slot->flat; f++)
      slot->flat = joint_at(joints, faces->group[faces->node_face[f]], faces->group[slot->edge_a]);
  }
  for (int64_t k = work->first[PAIR_EDGE_EDGE]; k < work->first[PAIR_EDGE_EDGE + 1]; k++) {
    SlotInfo *slot = &work->slot[k];
    slot->flat = 0;
    for (int f = 0; f < 4 && !slot->flat; f++)
      slot->flat = joint_at(joints, faces->group[faces->edge_face[2 * slot->edge_c + f / 2]],
                            faces->group[faces->edge_face[2 * slot->edge_a + f % 2]]);
  }
}

static Status find_stands(const FaceSet *faces, ContactWork *work, Err *err) {
  JointIndex joints = {.n = work->n_flat};
  MEM_NEW(joints.pair, joints.n, err);
  joints.has = mem_new((size_t)faces->n_groups, 1);
  if (!joints.has) {
    mem_free(joints.pair);
    return err_set(err, ERR_SYSTEM, "out of memory: %d groups of faces", faces->n_groups);
  }
  for (int j = 0; j < joints.n; j++) {
    const int32_t *g = work->flat[j].group;
    joints.pair[j] = (GroupPair){{g[0] < g[1] ? g[0] : g[1], g[0] < g[1] ? g[1] : g[0]}, j};
    joints.has[g[0]] = joints.has[g[1]] = 1;
  }
  if (joints.n > 0) qsort(joints.pair, (size_t)joints.n, sizeof *joints.pair, compare_pairs);
  stand_for(faces, &joints, work);
  mem_free(joints.pair);
  mem_free(joints.has);
  return OK;
}

static Status find_slots(const PairSearch *pairs, BoxList list[2], ContactWork *work, Err *err) {
  const int64_t first = work->n_slots;
  TRY(keep_joints(pairs, work, err));
  TRY(find_joints(pairs, list, work, err));
  TRY(contact_add_kept(pairs, PAIR_FACE_FACE, work, first, err));
  TRY(order_slots(work, first, err));
  TRY(find_stands(&pairs->cm->faces, work, err));
  TRY(meshed_reserve(pairs, work, err));
  TRY(mem_grow((void **)&work->flat_point, &work->flat_point_capacity,
               (size_t)(work->n_slots - first) + 1, sizeof *work->flat_point, err));
  return mem_grow((void **)&work->face, &work->face_capacity, (size_t)work->n_slots + 1,
                  sizeof *work->face, err);
}

static Status search(const PairSearch *pairs, ContactWork *work, Err *err) {
  return near_search(pairs, find_slots, work, err);
}

// ---- each step ----------------------------------------------------------------------------------

// Along the normal of which face a corner of the overlap has its gap, or on which side of it.
static int measured_along(const SlotInfo *slot) {
  return slot->place == OF_CORNER ? 1 - slot->joint[0] : 1;
}

// The gap of a corner of the overlap and the normal of contact there, out of the antagonist.
static void measure_corner(const Face face[2], const SlotInfo *slot, FaceGeometry *geometry) {
  const Face *other = &face[measured_along(slot)];
  if (slot->place == OF_CORNER) {
    const Face *own = &face[slot->joint[0]];
    memcpy(geometry->n, other->normal, sizeof other->normal);
    geometry->gap = height(other, flat_corner(own, slot->edge_c));
    return;
  }
  const int side[2] = {slot->edge_c, slot->joint[0]};
  double d[2][3], apart[3];
  for (int i = 0; i < 3; i++) {
    apart[i] = 0;
    for (int s = 0; s < 2; s++) {
      const double *a = flat_corner(&face[s], side[s]), *b = flat_corner(&face[s], side[s] + 1);
      d[s][i] = b[i] - a[i];
      apart[i] += (s == 0 ? 1 : -1) * a[i];
    }
  }
  vec3_cross(d[0], d[1], geometry->n);
  vec3_normalise(geometry->n);
  double sign = vec3_dot(geometry->n, other->normal) < 0 ? -1 : 1;
  for (int i = 0; i < 3; i++) geometry->n[i] *= sign;
  geometry->gap = vec3_dot(geometry->n, apart);
}

static Site site_on_side(const Face *face, int body, int side, double along, double sign) {
  return (Site){.body = body,
                .n = 2,
                .node = {face->node[side], face->node[(side + 1) % face->n]},
                .weight = {sign * (1 - along), sign * along}};
}

static void sites_of(const Overlap *over, const SlotInfo *slot, const FaceGeometry *geometry,
                     Site site[2]) {
  if (slot->place == OF_CORNER) {
    const Face *own = &over->face[slot->joint[0]], *other = &over->face[1 - slot->joint[0]];
    site[0] = (Site){.body = slot->body_c, .n = 1, .node = {slot->node[0]}, .weight = {1}};
    site[1] = flat_site(other, slot->body_a, flat_corner(own, slot->edge_c));
    return;
  }
  site[0] = site_on_side(&over->face[0], slot->body_c, slot->edge_c, geometry->weight[ALONG_C], 1);
  site[1] =
      site_on_side(&over->face[1], slot->body_a, slot->joint[0], geometry->weight[ALONG_A], -1);
}

static FlatPoint *point_of(const ContactWork *work, int64_t k) {
  return &work->flat_point[k - work->first[PAIR_FACE_FACE]];
}

// Is it in contact, or may it be soon?
static int is_near(const ContactStep *step, int64_t k) {
  const ContactModel *cm = step->cm;
  const FaceGeometry *geometry = &step->work->face[k];
  const FlatPoint *point = point_of(step->work, k);
  double u[3] = {0}, ahead = STEPS_AHEAD * step->size.h;
  for (int s = 0; s < 2; s++) site_velocity(3, &point->side[s], contact_ahead(step), u);
  double approach = fmax(0, -vec3_dot(u, point->n));
  if (geometry->gap > cm->alert + ahead * approach) return 0;
  return (step->state->flag[k] & FLAG_ACTIVE) ||
         geometry->gap >= -DEEPEST * cm->skin.shortest - ahead * vec3_length(u);
}

// Do two sides that cross come nearest there? Their common normal lies between face and flank on
// both, or all but along the face: that of sides at a small angle may point into one of the faces.
static int is_nearest(const Overlap *over, const SlotInfo *slot, const double n[3]) {
  if (slot->place == OF_CORNER) return 1;
  const int side[2] = {slot->edge_c, slot->joint[0]};
  for (int s = 0; s < 2; s++) {
    const Face *face = &over->face[s];
    const double *a = flat_corner(face, side[s]), *b = flat_corner(face, side[s] + 1);
    double d[3], out[3];
    for (int i = 0; i < 3; i++) d[i] = b[i] - a[i];
    vec3_cross(d, face->normal, out);
    vec3_normalise(out);
    if ((s == 1 ? 1 : -1) * vec3_dot(n, out) < -MOST_TILT) return 0;
  }
  return 1;
}

// About the width of what they have in common: its area over half the way round it.
static double width_of(const OverlapCorners *corners, double area, const int *order) {
  double round = 0;
  for (int k = 0; k < corners->n; k++) {
    const double *a = corners->p[order[k]], *b = corners->p[order[(k + 1) % corners->n]];
    round += hypot(b[0] - a[0], b[1] - a[1]);
  }
  return 2 * area / round;
}

// Is a joint that is not in contact yet deeper than what the faces have in common is wide? Then the
// bodies meet at other faces, the shorter way out.
static int belongs_elsewhere(const ContactStep *step, const OverlapCorners *corners, double width) {
  double least = 0;
  for (int k = 0; k < corners->n; k++) {
    if (step->state->flag[corners->slot[k]] & FLAG_ACTIVE) return 0;
    least = fmin(least, step->work->face[corners->slot[k]].gap);
  }
  return -least > width;
}

// Points of rigid faces.
static void place_corners(const ContactStep *step, const Overlap *over, OverlapCorners *corners,
                          const double *area) {
  ContactWork *work = step->work;
  for (int c = 0; c < corners->n; c++) {
    const SlotInfo *slot = &work->slot[corners->slot[c]];
    FaceGeometry *geometry = &work->face[corners->slot[c]];
    FlatPoint *point = point_of(work, corners->slot[c]);
    measure_corner(over->face, slot, geometry);
    geometry->weight[ALONG_C] = corners->share[c][0];
    geometry->weight[ALONG_A] = corners->share[c][1];
    point->area = area[c];
    point->changed = 1;
    memcpy(point->n, geometry->n, sizeof point->n);
    sites_of(over, slot, geometry, point->side);
  }
}

static double gap_of(const FlatPoint *point, const double n[3], const double *x) {
  double apart[3] = {0};
  for (int s = 0; s < 2; s++) site_velocity(3, &point->side[s], x, apart);
  return vec3_dot(apart, n);
}

static void look_at(const ContactStep *step, FlatJoint *joint) {
  ContactWork *work = step->work;
  const FaceSet *faces = &step->cm->faces;
  double area[2 * MOST_CORNERS];
  int order[2 * MOST_CORNERS];
  OverlapCorners corners;
  joint->stands = joint->meets = 0;
  for (int m = joint->first; m < joint->first + joint->n; m++)
    work->face[work->corner[m]].valid = 0;
  const Face face[2] = {flat_face(faces, work->x, joint->group[0]),
                        flat_face(faces, work->x, joint->group[1])};
  if (tilt(&face[0], &face[1]) > MOST_TILT) return;
  joint->stands = 1;
  const Overlap over = flat_lay(face);
  flat_corners(&over, work, joint, &corners);
  if (corners.n < 3) return;
  double whole = flat_shares(joint, &corners, area, order);
  place_corners(step, &over, &corners, area);
  if (belongs_elsewhere(step, &corners, width_of(&corners, whole, order))) return;
  joint->meets = 1;
  for (int k = 0; k < corners.n; k++)
    work->face[corners.slot[k]].valid =
        is_nearest(&over, &work->slot[corners.slot[k]], work->face[corners.slot[k]].n) &&
        is_near(step, corners.slot[k]);
}

// Are both faces as flat as they were? Bodies that deform little are.
static int are_flat(const ContactStep *step, const FlatJoint *joint, const Overlap *over) {
  for (int s = 0; s < 2; s++)
    if (step->bs->type[joint->body[s]]->iterated &&
        !contact_outline_holds(&step->cm->faces, step->work->x, joint->group[s],
                               over->face[s].normal))
      return 0;
  return 1;
}

// Deeper than this share of the shortest edge it is asked whether bodies that deform are in one
// another at all.
static const double BESIDE = 1e-2;

// Is a joint that is not in contact yet deeper than some other face of the two bodies is, if these
// are convex? Behind a face near the tip of a body one is soon beyond the tip.
static int is_beside(const ContactStep *step, const FlatJoint *joint) {
  const ContactWork *work = step->work;
  const FaceSet *faces = &step->cm->faces;
  double depth = 0;
  for (int m = joint->first; m < joint->first + joint->n; m++) {
    const int64_t k = work->corner[m];
    if (!point_of(work, k)->live) continue;
    if (step->state->flag[k] & FLAG_ACTIVE) return 0;
    depth = fmax(depth, -work->face[k].gap);
  }
  return depth > BESIDE * step->cm->skin.shortest &&
         contact_faces_part_sooner(faces, work->x,
                                   faces->member[faces->member_ptr[joint->group[0]]],
                                   faces->member[faces->member_ptr[joint->group[1]]],
                                   depth - BESIDE * step->cm->skin.shortest);
}

static void look_at_meshed(const ContactStep *step, FlatJoint *joint) {
  ContactWork *work = step->work;
  const FaceSet *faces = &step->cm->faces;
  joint->stands = joint->meets = 0;
  for (int m = joint->first; m < joint->first + joint->n; m++)
    work->face[work->corner[m]].valid = 0;
  const Overlap over = flat_overlap(faces, work->x, joint->group);
  if (tilt(&over.face[0], &over.face[1]) > MOST_TILT || !are_flat(step, joint, &over)) return;
  joint->stands = joint->meets = 1;
  meshed_points(step, joint, &over);
  for (int m = joint->first; m < joint->first + joint->n; m++) {
    int64_t k = work->corner[m];
    FaceGeometry *geometry = &work->face[k];
    const FlatPoint *point = point_of(work, k);
    if (!point->live) continue;
    geometry->gap = gap_of(point, point->n, work->x);
    memcpy(geometry->n, point->n, sizeof point->n);
    geometry->valid = is_near(step, k);
  }
  if (!is_beside(step, joint)) return;
  joint->meets = 0;
  for (int m = joint->first; m < joint->first + joint->n; m++)
    work->face[work->corner[m]].valid = 0;
}

static void detect(const ContactStep *step) {
  enum { JOINTS_FOR_THREADS = 200 };
  ContactWork *work = step->work;
#pragma omp parallel for schedule(static) if (work->n_flat > JOINTS_FOR_THREADS)
  for (int j = 0; j < work->n_flat; j++)
    if (work->flat[j].fine < 0) look_at(step, &work->flat[j]);
  for (int j = 0; j < work->n_flat; j++) // they share the room for pieces
    if (work->flat[j].fine >= 0) look_at_meshed(step, &work->flat[j]);
}

static int counts(const ContactStep *step, int64_t k) {
  return step->work->face[k].valid;
}

static int make(const ContactStep *step, int64_t k, Contact *contact) {
  ContactWork *work = step->work;
  const FlatPoint *point = point_of(work, k);
  ContactState *state = step->state;
  int rule = work->slot[k].rule, kept = state->flag[k] & FLAG_KEPT;
  *contact = (Contact){.slot = (int32_t)k, .area = point->area, .rule = (int16_t)rule};
  memcpy(contact->side, point->side, sizeof point->side);
  contact_turn_frame(3, kept ? state->normal + 3 * k : NULL, kept ? state->tangent + 3 * k : NULL,
                     point->n, contact);
  contact->gap = contact_offset_gap(step, k, rule, work->face[k].gap);
  return point->changed;
}

// At an iterate: the antagonist's face turns, what both sides of the point are means of stays.
static void update(const ContactStep *step, const double *q1, const double *v1, Contact *contact) {
  const SlotInfo *slot = &step->work->slot[contact->slot];
  const FlatJoint *joint = &step->work->flat[slot->flat - 1];
  const double lead = step->size.h * (1 - step->size.theta), *x = step->bs->x;
  const FaceSet *faces = &step->cm->faces;
  const int32_t *outline = faces->outline + faces->outline_ptr[joint->group[1]];
  const int n_corners =
      faces->outline_ptr[joint->group[1] + 1] - faces->outline_ptr[joint->group[1]];
  double corner[MOST_CORNERS][3], n[3], t[3], normal[3], apart[3] = {0}, u[3];
  if (!contact_is_iterated(step->bs, contact)) return;
  for (int k = 0; k < n_corners; k++)
    for (int i = 0; i < 3; i++) {
      const size_t at = 3 * (size_t)outline[k] + (size_t)i;
      corner[k][i] = x[at] + q1[at] + lead * v1[at];
    }
  flat_normal(n_corners, (const double(*)[3])corner, normal);
  for (int i = 0; i < 3 && slot->body_c != joint->body[0]; i++) normal[i] = -normal[i];
  memcpy(n, contact->n, sizeof n);
  memcpy(t, contact->t, sizeof t);
  contact_turn_frame(3, n, t, normal, contact);
  for (int s = 0; s < 2; s++) {
    site_velocity(3, &contact->side[s], x, apart);
    site_velocity(3, &contact->side[s], q1, apart);
    for (int i = 0; i < 3; i++) u[i] = 0;
    site_velocity(3, &contact->side[s], v1, u);
    for (int i = 0; i < 3; i++) apart[i] += lead * u[i];
  }
  contact_relative_velocity(3, contact, v1, u);
  contact->gap =
      vec3_dot(contact->n, apart) - step->size.h * u[0] - step->state->offset[contact->slot];
}

static void measure(const Measure *of, int c) {
  const int64_t k = of->work->contact[c].slot;
  const SlotInfo *slot = &of->work->slot[k];
  const FlatJoint *joint = &of->work->flat[slot->flat - 1];
  const FaceSet *faces = &of->cm->faces;
  FaceGeometry geometry;
  if (joint->fine < 0) {
    Face face[2];
    for (int s = 0; s < 2; s++)
      face[s] = s == measured_along(slot) ? flat_face(faces, of->x, joint->group[s])
                                          : flat_outline(faces, of->x, joint->group[s]);
    measure_corner(face, slot, &geometry);
  } else {
    geometry.gap = gap_of(point_of(of->work, k), of->work->contact[c].n, of->x);
  }
  measure_gap(of, c, geometry.gap);
  if (slot->place == OF_CORNER) of->worst->nodes = fmax(of->worst->nodes, -geometry.gap);
}

const PairType pair_face_face = {.name = "flat faces",
                                 .stands_for = 1,
                                 .search = search,
                                 .detect = detect,
                                 .counts = counts,
                                 .make = make,
                                 .update = update,
                                 .measure = measure};
