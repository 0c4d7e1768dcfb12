// In space: flat faces one of which is the skin of a body that deforms. Points are the corners of
// pieces of the finer face (pieces.h): its nodes over the other face, and where the overlap ends
// corners of that and crossings of edges with its sides; or one for each face of the finer mesh.

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/flat.h"
#include "contact/pieces.h"

static int first_face_at(const FaceSet *faces, int group, int32_t node) {
  for (int k = faces->node_ptr[node]; k < faces->node_ptr[node + 1]; k++)
    if (faces->group[faces->node_face[k]] == group) return faces->node_face[k];
  return -1;
}

static int first_face_of(const FaceSet *faces, int body) {
  return faces->member[faces->member_ptr[faces->first_group[body]]];
}

// ---- slots --------------------------------------------------------------------------------------

typedef struct {
  const PairSearch *search;
  const FlatJoint *joint;
  const Overlap *over;
  ContactWork *work;
  int rule;
} Listing;

static Status add_node(const Listing *list, int32_t node, Err *err) {
  const FaceSet *faces = &list->search->cm->faces;
  const int s = list->joint->fine, own = list->joint->body[s], other = list->joint->body[1 - s],
            group = list->joint->group[1 - s];
  double p[2];
  flat_place(list->over, list->search->x + 3 * (size_t)node, p);
  if (!polygon_holds(&list->over->polygon[1 - s], p, list->search->reach)) return OK;
  return flat_add_slot(list->work,
                       (SlotInfo){.body_c = own,
                                  .body_a = other,
                                  .feature_c = 2 * (node - list->search->bs->node_ptr[own]),
                                  .feature_a = flat_corner_feature(faces, list->joint, s, node),
                                  .node = {node, node},
                                  .weight = {1, 0},
                                  .edge_c = -1,
                                  .edge_a = faces->member[faces->member_ptr[group]],
                                  .joint = {s, -1},
                                  .rule = list->rule,
                                  .place = OF_CORNER},
                       err);
}

// Number of an edge between two nodes of the finer face among those of its body: of the first face
// of the group that has it.
static int edge_number(const FaceSet *faces, const FlatJoint *joint, const int32_t node[2]) {
  const int s = joint->fine, group = joint->group[s];
  const int first = first_face_of(faces, joint->body[s]);
  for (int j = faces->node_ptr[node[0]]; j < faces->node_ptr[node[0] + 1]; j++) {
    const int f = faces->node_face[j], n = contact_face_corners(faces, f);
    const int32_t *own = faces->node + 4 * (size_t)f;
    for (int k = 0; k < n && faces->group[f] == group; k++)
      if ((own[k] == node[0] && own[(k + 1) % n] == node[1]) ||
          (own[k] == node[1] && own[(k + 1) % n] == node[0]))
        return 4 * (f - first) + k;
  }
  return -1;
}

// An edge of the finer face, from corner k of face f, and the sides of the other one near it.
static Status add_edge(const Listing *list, int f, int k, Err *err) {
  const FaceSet *faces = &list->search->cm->faces;
  const FlatJoint *joint = list->joint;
  const int s = joint->fine, n = contact_face_corners(faces, f);
  const int32_t *own = faces->node + 4 * (size_t)f;
  const int32_t end[2] = {own[k], own[(k + 1) % n]};
  const Polygon *outline = &list->over->polygon[1 - s];
  const int number_of_edge = edge_number(faces, joint, end);
  Polygon edge = {.n = 2};
  for (int e = 0; e < 2; e++)
    flat_place(list->over, list->search->x + 3 * (size_t)end[e], edge.p[e]);
  for (int side = 0; side < outline->n; side++) {
    double share[2], reach = list->search->reach;
    int near = polygon_sides_cross(&edge, 0, outline, side, 1e-9, share) && share[0] >= 0 &&
               share[0] <= 1 && share[1] >= 0 && share[1] <= 1;
    for (int e = 0; e < 2; e++)
      near |= polygon_side_distance(outline, side, edge.p[e]) <= reach ||
              polygon_side_distance(&edge, 0, outline->p[(side + e) % outline->n]) <= reach;
    if (!near) continue;
    const int number[2] = {number_of_edge,
                           flat_side_number(faces, joint->group[1 - s], joint->body[1 - s], side)};
    const int group = joint->group[1];
    TRY(flat_add_slot(list->work,
                      (SlotInfo){.body_c = joint->body[0],
                                 .body_a = joint->body[1],
                                 .feature_c = 2 * number[s] + 1,
                                 .feature_a = number[1 - s],
                                 .node = {end[end[0] > end[1]], end[end[0] < end[1]]},
                                 .edge_c = -1,
                                 .edge_a = faces->member[faces->member_ptr[group]],
                                 .joint = {side, -1},
                                 .rule = list->rule,
                                 .place = OF_SIDES},
                      err));
  }
  return OK;
}

static int group_in_body(const FaceSet *faces, const FlatJoint *joint, int s) {
  return joint->group[s] - faces->first_group[joint->body[s]];
}

// Whether a face of the finer mesh is near the other outline, by the boxes of both.
static int face_is_near(const Listing *list, int f) {
  const FaceSet *faces = &list->search->cm->faces;
  const Polygon *outline = &list->over->polygon[1 - list->joint->fine];
  const int n = contact_face_corners(faces, f);
  const double far = (double)INFINITY;
  double low[2] = {far, far}, high[2] = {-far, -far};
  for (int k = 0; k < n; k++) {
    double p[2];
    flat_place(list->over, list->search->x + 3 * (size_t)faces->node[4 * (size_t)f + k], p);
    for (int i = 0; i < 2; i++) {
      low[i] = fmin(low[i], p[i] - list->search->reach);
      high[i] = fmax(high[i], p[i] + list->search->reach);
    }
  }
  for (int i = 0; i < 2; i++) {
    double least = far, most = -far;
    for (int k = 0; k < outline->n; k++) {
      least = fmin(least, outline->p[k][i]);
      most = fmax(most, outline->p[k][i]);
    }
    if (least > high[i] || most < low[i]) return 0;
  }
  return 1;
}

static Status add_face(const Listing *list, int f, Err *err) {
  const FaceSet *faces = &list->search->cm->faces;
  const int s = list->joint->fine, own = list->joint->body[s];
  if (!face_is_near(list, f)) return OK;
  return flat_add_slot(
      list->work,
      (SlotInfo){.body_c = own,
                 .body_a = list->joint->body[1 - s],
                 .feature_c = 2 * (f - first_face_of(faces, own)),
                 .feature_a = group_in_body(faces, list->joint, 1 - s),
                 .node = {faces->node[4 * (size_t)f], faces->node[4 * (size_t)f]},
                 .weight = {1, 0},
                 .edge_c = -1,
                 .edge_a = faces->member[faces->member_ptr[list->joint->group[1 - s]]],
                 .joint = {s, -1},
                 .rule = list->rule,
                 .place = OF_FACE},
      err);
}

Status meshed_slots(const PairSearch *search, const FlatJoint *joint, int rule, ContactWork *work,
                    Err *err) {
  const FaceSet *faces = &search->cm->faces;
  const int group = joint->group[joint->fine];
  const Overlap over = flat_overlap(faces, search->x, joint->group);
  const Listing list = {search, joint, &over, work, rule};
  for (int m = faces->member_ptr[group]; m < faces->member_ptr[group + 1]; m++) {
    const int f = faces->member[m], n = contact_face_corners(faces, f);
    const int32_t *node = faces->node + 4 * (size_t)f;
    if (joint->few == FEW_MIDDLES) TRY(add_face(&list, f, err));
    for (int k = 0; k < n && joint->few == FEW_NOT; k++) {
      int beyond = contact_face_beyond(faces, f, node[k], node[(k + 1) % n]);
      if (first_face_at(faces, group, node[k]) == f) TRY(add_node(&list, node[k], err));
      if (beyond < 0 || beyond > f) TRY(add_edge(&list, f, k, err));
    }
  }
  return OK;
}

// Room for the largest joint: as many points as slots, faces of both sides.
Status meshed_reserve(const PairSearch *search, ContactWork *work, Err *err) {
  const FaceSet *faces = &search->cm->faces;
  int points = 0, most = 0;
  for (int j = 0; j < work->n_flat; j++) {
    const FlatJoint *joint = &work->flat[j];
    int own = 0;
    if (joint->fine < 0) continue;
    for (int s = 0; s < 2; s++)
      own += faces->member_ptr[joint->group[s] + 1] - faces->member_ptr[joint->group[s]];
    points = joint->n > points ? joint->n : points; // of corners no more than slots either
    most = own > most ? own : most;
  }
  TRY(mem_grow((void **)&work->piece, &work->piece_capacity, (size_t)points + 1,
               sizeof *work->piece, err));
  TRY(mem_grow((void **)&work->x_laid, &work->x_laid_capacity, 3 * (size_t)search->bs->n_nodes,
               sizeof *work->x_laid, err));
  TRY(mem_grow((void **)&work->piece_place, &work->piece_place_capacity,
               (size_t)pieces_places(points), sizeof *work->piece_place, err));
  return mem_grow((void **)&work->piece_face, &work->piece_face_capacity, (size_t)most + 1,
                  sizeof *work->piece_face, err);
}

// ---- each step ----------------------------------------------------------------------------------

// Faces of a side in the plane, counter-clockwise there.
static int lay_faces(const FaceSet *faces, const double *x, const Overlap *over, int group, int s,
                     FlatFace *to) {
  const int n = faces->member_ptr[group + 1] - faces->member_ptr[group];
  for (int m = 0; m < n; m++) {
    const int f = faces->member[faces->member_ptr[group] + m];
    to[m].n = contact_face_corners(faces, f);
    to[m].number = f;
    for (int k = 0; k < to[m].n; k++) {
      int at = s == 0 ? to[m].n - 1 - k : k;
      to[m].node[at] = faces->node[4 * (size_t)f + k];
      flat_place(over, x + 3 * (size_t)to[m].node[at], to[m].p[at]);
    }
  }
  return n;
}

// The slot of a corner of a piece, -1: it is not listed: found by its key.
static int64_t slot_at(const ContactModel *cm, const BodySet *bs, const ContactWork *work,
                       const FlatJoint *joint, const Overlap *over, const PieceCorner *corner) {
  const FaceSet *faces = &cm->faces;
  const int s = joint->fine;
  SlotInfo wanted = {.pair = PAIR_FACE_FACE};
  if (corner->label == CROSSING) {
    const int number[2] = {
        edge_number(faces, joint, corner->node),
        flat_side_number(faces, joint->group[1 - s], joint->body[1 - s], corner->side)};
    wanted.body_c = joint->body[0];
    wanted.body_a = joint->body[1];
    wanted.feature_c = 2 * number[s] + 1;
    wanted.feature_a = number[1 - s];
  } else if (corner->label == FINE_FACE) {
    wanted.body_c = joint->body[s];
    wanted.body_a = joint->body[1 - s];
    wanted.feature_c = 2 * (corner->node[0] - first_face_of(faces, joint->body[s]));
    wanted.feature_a = group_in_body(faces, joint, 1 - s);
  } else {
    const int own = corner->label == FINE_NODE ? s : 1 - s, other = 1 - own,
              n = over->face[1 - s].n, k = s == 1 ? n - 1 - corner->side : corner->side;
    const int32_t node = corner->label == FINE_NODE ? corner->node[0] : over->face[1 - s].node[k];
    wanted.body_c = joint->body[own];
    wanted.body_a = joint->body[other];
    wanted.feature_c = 2 * (node - bs->node_ptr[joint->body[own]]);
    wanted.feature_a = flat_corner_feature(faces, joint, own, node);
  }
  const ContactKey key = slot_key(&wanted);
  int64_t low = work->first[PAIR_FACE_FACE], high = work->n_slots;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    const ContactKey own = slot_key(&work->slot[middle]);
    if (contact_key_order(&own, &key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == work->n_slots) return -1;
  const ContactKey found = slot_key(&work->slot[low]);
  return contact_key_order(&found, &key) == 0 ? low : -1;
}

static FlatPoint *point_at(const ContactWork *work, int corner) {
  return &work->flat_point[work->corner[corner] - work->first[PAIR_FACE_FACE]];
}

static Site mean_of(const PiecePoint *piece, int side, int body, double sign) {
  Site site = {.body = body, .n = piece->n[side]};
  for (int k = 0; k < site.n; k++) {
    site.node[k] = piece->node[side][k];
    site.weight[k] = sign * piece->weight[side][k];
  }
  return site;
}

// Both sides of a point: means, on a rigid face its place.
static void sites_of(const Overlap *over, const FlatJoint *joint, const double *x,
                     const PiecePoint *piece, Site site[2]) {
  const int s = joint->fine;
  double place[3] = {0};
  site[s] = mean_of(piece, 0, joint->body[s], 1);
  site_velocity(3, &site[s], x, place);
  site[1 - s] = piece->n[1] > 0 ? mean_of(piece, 1, joint->body[1 - s], 1)
                                : flat_site(&over->face[1 - s], joint->body[1 - s], place);
  for (int k = 0; k < site[1 - s].n && piece->n[1] == 0; k++) site[1 - s].weight[k] *= -1;
}

static void take_point(const ContactStep *step, const FlatJoint *joint, int64_t slot, double area,
                       const Site site[2]) {
  ContactWork *work = step->work;
  FlatPoint *to = &work->flat_point[slot - work->first[PAIR_FACE_FACE]];
  const int turn = work->slot[slot].body_c != joint->body[0];
  for (int i = 0; i < 2; i++) {
    to->side[i] = site[turn ? 1 - i : i];
    for (int j = 0; j < to->side[i].n && i == 1; j++) to->side[i].weight[j] *= -1;
  }
  to->area = area;
  to->live = 1;
}

// The same of corners of the overlap alone: what they have in common is one piece, or a few.
static void make_few(const ContactStep *step, const FlatJoint *joint, const double *x,
                     const Overlap *over) {
  ContactWork *work = step->work;
  double area[2 * MOST_CORNERS], p[2 * MOST_CORNERS][2];
  int order[2 * MOST_CORNERS], deforms[2];
  OverlapCorners corners;
  FlatFace *at = work->piece_face;
  FlatFaces face[2] = {{0}};
  for (int m = joint->first; m < joint->first + joint->n; m++) point_at(work, m)->live = 0;
  flat_corners(over, work, joint, &corners);
  if (corners.n < 3) return;
  flat_shares(joint, &corners, area, order);
  for (int k = 0; k < corners.n; k++) memcpy(p[k], corners.p[order[k]], sizeof p[k]);
  for (int s = 0; s < 2; s++) {
    deforms[s] = step->bs->type[joint->body[s]]->deforms;
    if (!deforms[s]) continue;
    face[s] = pieces_order(at, lay_faces(&step->cm->faces, x, over, joint->group[s], s, at));
    at += face[s].n;
  }
  PiecePoints points = {.most = corners.n,
                        .n_places = pieces_places(corners.n),
                        .point = work->piece,
                        .place = work->piece_place};
  pieces_span(&points, corners.n, (const double(*)[2])p, face);
  for (int k = 0; k < points.n; k++) {
    PiecePoint *piece = &points.point[k];
    const int c = order[piece->corner.side];
    double place[3];
    Site site[2];
    for (int i = 0; i < 3; i++)
      place[i] = over->origin[i] + piece->p[0] * over->axis[0][i] + piece->p[1] * over->axis[1][i];
    for (int s = 0; s < 2; s++) {
      if (piece->full[s]) pieces_interpolate(piece, s, face[s].n, face[s].face);
      site[s] = deforms[s] ? mean_of(piece, s, joint->body[s], 1)
                           : flat_site(&over->face[s], joint->body[s], place);
      for (int j = 0; j < site[s].n && !deforms[s]; j++) site[s].weight[j] *= -1;
    }
    take_point(step, joint, corners.slot[c], area[c], site);
  }
}

// Makes the points anew of faces with their nodes at x, which lie as `over` says.
static void make_points(const ContactStep *step, const FlatJoint *joint, const double *x,
                        const Overlap *over) {
  ContactWork *work = step->work;
  const FaceSet *faces = &step->cm->faces;
  if (joint->few >= FEW_CORNERS) {
    make_few(step, joint, x, over);
    return;
  }
  const int s = joint->fine, rigid = !step->bs->type[joint->body[1 - s]]->deforms;
  FlatFace *fine = work->piece_face;
  int n_fine = lay_faces(faces, x, over, joint->group[s], s, fine), n_other = 0;
  FlatFace *other = fine + n_fine;
  if (!rigid) n_other = lay_faces(faces, x, over, joint->group[1 - s], 1 - s, other);
  PiecePoints points = {.most = joint->n,
                        .n_places = pieces_places(joint->n),
                        .point = work->piece,
                        .place = work->piece_place};
  const FlatFaces others = pieces_order(other, n_other);
  pieces_begin(&points);
  for (int f = 0, room = 1; f < n_fine && room; f++)
    room = (joint->few == FEW_MIDDLES ? pieces_add_middle : pieces_add)(
        &points, &fine[f], &over->polygon[1 - s], &others, over->same);
  pieces_finish(&points);
  for (int m = joint->first; m < joint->first + joint->n; m++) point_at(work, m)->live = 0;
  for (int k = 0; k < points.n; k++) {
    PiecePoint *piece = &points.point[k];
    for (int i = 0; i < 2; i++) // meshes far finer than the other along one direction
      if (piece->full[i]) pieces_interpolate(piece, i, i ? n_other : n_fine, i ? other : fine);
    const int64_t at = slot_at(step->cm, step->bs, work, joint, over, &piece->corner);
    if (at < 0 || !(piece->area > 0)) continue;
    Site side[2];
    sites_of(over, joint, x, piece, side);
    take_point(step, joint, at, piece->area, side);
  }
}

// ---- points that stay ---------------------------------------------------------------------------

// How the candidate's face lies on the antagonist's, both with the shape that they had at the start
// of the run: what tells the points of bodies that deform little. It is kept, not the points:
// these follow from it, after a restart too.
typedef struct {
  double shift[2], angle, is_known; // is_known: 0 or 1
} Laid;

// Points stay while no corner moves along the other face by more than this share of the shortest
// edge, and normals while they turn by less than this [rad], as in the plane.
static const double STAYS = 1e-3;

// A face at the start of the run: its corner 0, the direction to the next one, and what makes up
// with it the view in which the antagonist's face is seen from outside.
typedef struct {
  double origin[3], axis[3][3];
} Frame;

static Frame frame_of(const FaceSet *faces, const double *x, int group, int s) {
  const Face face = flat_face(faces, x, group);
  Frame frame;
  memcpy(frame.origin, flat_corner(&face, 0), sizeof frame.origin);
  for (int i = 0; i < 3; i++) {
    frame.axis[0][i] = flat_corner(&face, 1)[i] - frame.origin[i];
    frame.axis[2][i] = s == 0 ? -face.normal[i] : face.normal[i];
  }
  vec3_normalise(frame.axis[0]);
  vec3_cross(frame.axis[2], frame.axis[0], frame.axis[1]);
  return frame;
}

static void into_frame(const Frame *frame, const double x[3], double p[3]) {
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = x[i] - frame->origin[i];
  for (int i = 0; i < 3; i++) p[i] = vec3_dot(d, frame->axis[i]);
}

static void turn_plane(double angle, const double p[2], double q[2]) {
  q[0] = cos(angle) * p[0] - sin(angle) * p[1];
  q[1] = sin(angle) * p[0] + cos(angle) * p[1];
}

// The motion in the plane that best brings a face from its frame to where it is: turned, then
// shifted.
static Laid laid_as(const Frame *frame, const double *x, const Overlap *over, int s) {
  const Face *face = &over->face[s];
  double mean[2] = {0}, to[2] = {0}, own[MOST_CORNERS][3], dot = 0, cross = 0, turned[2];
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < face->n; k++) {
      const double *q = over->polygon[s].p[s == 0 ? face->n - 1 - k : k];
      if (pass == 0) {
        into_frame(frame, x + 3 * (size_t)face->node[k], own[k]);
        for (int i = 0; i < 2; i++) {
          mean[i] += own[k][i] / face->n;
          to[i] += q[i] / face->n;
        }
      } else {
        const double a = own[k][0] - mean[0], b = own[k][1] - mean[1];
        dot += a * (q[0] - to[0]) + b * (q[1] - to[1]);
        cross += a * (q[1] - to[1]) - b * (q[0] - to[0]);
      }
    }
  Laid laid = {.angle = atan2(cross, dot), .is_known = 1};
  turn_plane(laid.angle, mean, turned);
  for (int i = 0; i < 2; i++) laid.shift[i] = to[i] - turned[i];
  return laid;
}

// The candidate's frame in that of the antagonist.
static Laid laid_on(const Laid *candidate, const Laid *antagonist) {
  Laid laid = {.angle = candidate->angle - antagonist->angle, .is_known = 1};
  double apart[2];
  for (int i = 0; i < 2; i++) apart[i] = candidate->shift[i] - antagonist->shift[i];
  turn_plane(-antagonist->angle, apart, laid.shift);
  return laid;
}

// Nodes of both faces at the start of the run, the candidate's brought to where they are laid.
static void lay_nodes(const FaceSet *faces, const double *x, const FlatJoint *joint,
                      const Frame frame[2], const Laid *laid, double *to) {
  for (int s = 0; s < 2; s++)
    for (int m = faces->member_ptr[joint->group[s]]; m < faces->member_ptr[joint->group[s] + 1];
         m++)
      for (int k = 0; k < contact_face_corners(faces, faces->member[m]); k++) {
        const size_t node = 3 * (size_t)faces->node[4 * (size_t)faces->member[m] + k];
        double own[3], place[2];
        memcpy(to + node, x + node, 3 * sizeof *to);
        if (s == 1) continue;
        into_frame(&frame[0], x + node, own);
        turn_plane(laid->angle, own, place);
        for (int i = 0; i < 3; i++)
          to[node + (size_t)i] =
              frame[1].origin[i] + (place[0] + laid->shift[0]) * frame[1].axis[0][i] +
              (place[1] + laid->shift[1]) * frame[1].axis[1][i] + own[2] * frame[1].axis[2][i];
      }
}

// Do corners of the candidate lie elsewhere than they were laid?
static int lies_elsewhere(const Overlap *over, const Laid *now, const Laid *kept, double stays) {
  const double whole = 2 * acos(-1);
  const Polygon *polygon = &over->polygon[0];
  double longest = 0;
  for (int k = 1; k < polygon->n; k++)
    longest = fmax(longest,
                   hypot(polygon->p[k][0] - polygon->p[0][0], polygon->p[k][1] - polygon->p[0][1]));
  double turn = remainder(now->angle - kept->angle, whole);
  double shift = hypot(now->shift[0] - kept->shift[0], now->shift[1] - kept->shift[1]);
  return shift + longest * fabs(turn) > stays;
}

// What the slots of the joint keep, brought up to date. Returns whether that is another placement.
static int keep_laid(const ContactStep *step, const FlatJoint *joint, const Overlap *over,
                     const Laid *now, Laid *kept) {
  const ContactWork *work = step->work;
  const double stays = STAYS * step->cm->skin.shortest;
  kept->is_known = 0;
  for (int m = joint->first; m < joint->first + joint->n && kept->is_known == 0; m++)
    memcpy(kept, step->state->laid + 4 * work->corner[m], sizeof *kept);
  int other = kept->is_known == 0 || lies_elsewhere(over, now, kept, stays);
  if (other) *kept = *now;
  for (int m = joint->first; m < joint->first + joint->n; m++)
    memcpy(step->state->laid + 4 * work->corner[m], kept, sizeof *kept);
  return other;
}

// The normal of a point: as the face has it, or that of its frame where it has hardly turned.
static void take_normal(const ContactStep *step, int64_t k, const double normal[3], double sign,
                        FlatPoint *point) {
  const double *kept = step->state->normal + 3 * k;
  double square = 0;
  for (int i = 0; i < 3; i++) {
    point->n[i] = sign * normal[i];
    square += (point->n[i] - kept[i]) * (point->n[i] - kept[i]);
  }
  if (!(step->state->flag[k] & FLAG_KEPT) || square > STAYS * STAYS)
    point->changed = 1;
  else
    memcpy(point->n, kept, sizeof point->n);
}

// Points of bodies that deform little. Returns whether they are others.
static int keep_points(const ContactStep *step, FlatJoint *joint, const Overlap *over) {
  const FaceSet *faces = &step->cm->faces;
  double *x_laid = step->work->x_laid;
  Frame frame[2];
  Laid laid[2], kept;
  for (int s = 0; s < 2; s++) {
    frame[s] = frame_of(faces, step->bs->x, joint->group[s], s);
    laid[s] = laid_as(&frame[s], step->bs->x, over, s);
  }
  const Laid now = laid_on(&laid[0], &laid[1]);
  int anew = keep_laid(step, joint, over, &now, &kept) || !joint->made;
  if (!anew) return 0;
  lay_nodes(faces, step->bs->x, joint, frame, &kept, x_laid);
  const Overlap start = flat_overlap(faces, x_laid, joint->group);
  make_points(step, joint, x_laid, &start);
  joint->made = 1;
  return 1;
}

void meshed_points(const ContactStep *step, FlatJoint *joint, const Overlap *over) {
  ContactWork *work = step->work;
  const BodySet *bs = step->bs;
  int anew = 1;
  if (bs->type[joint->body[0]]->iterated || bs->type[joint->body[1]]->iterated)
    make_points(step, joint, work->x, over);
  else
    anew = keep_points(step, joint, over);
  for (int m = joint->first; m < joint->first + joint->n; m++) {
    const int64_t k = work->corner[m];
    FlatPoint *point = point_at(work, m);
    point->changed = (uint8_t)anew;
    if (point->live)
      take_normal(step, k, over->face[1].normal, work->slot[k].body_c == joint->body[0] ? 1 : -1,
                  point);
  }
}
