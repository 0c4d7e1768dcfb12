// Flat faces: the corners of each group of faces that lies in a plane at the start and is convex;
// and whether one of a body that deforms much still does.

#include <math.h>

#include "base/vec3.h"
#include "contact/clip.h"
#include "contact/find.h"

// Normals of one flat group differ by less than this sine; nor does a side turn by less at a
// corner, or the other way by more.
static const double FLAT = 1e-6;
// What deforms much is flat, its sides straight, while none of its faces or edges of the rim turns
// from the whole by this sine, as flat faces of the plane; bent more it meets by its nodes.
static const double BENT = 0.02;

static int may_be_flat(const BodySet *bs, int body) {
  const BodyType *type = bs->type[body];
  return bs->dim == 3 && !type->by_shape && !type->sheet;
}

static Status list_members(FaceSet *faces, Err *err) {
  MEM_NEW(faces->member_ptr, faces->n_groups + 2, err);
  MEM_NEW(faces->member, faces->n_faces, err);
  for (int f = 0; f < faces->n_faces; f++) faces->member_ptr[faces->group[f] + 2]++;
  for (int g = 0; g < faces->n_groups; g++) faces->member_ptr[g + 2] += faces->member_ptr[g + 1];
  for (int f = 0; f < faces->n_faces; f++)
    faces->member[faces->member_ptr[faces->group[f] + 1]++] = f;
  return OK;
}

// Do all these faces have this normal, but for a sine?
static int have_normal(const FaceSet *faces, const double *x, const int32_t *face, int n,
                       const double normal[3], double sine) {
  for (int k = 0; k < n; k++) {
    double own[3], across[3];
    contact_face_normal(faces, x, face[k], own);
    vec3_cross(normal, own, across);
    if (!(vec3_length(across) <= sine && vec3_dot(normal, own) > 0)) return 0;
  }
  return 1;
}

static int is_flat(const FaceSet *faces, const BodySet *bs, const int32_t *face, int n) {
  double first[3];
  contact_face_normal(faces, bs->x, face[0], first);
  return have_normal(faces, bs->x, face, n, first, FLAT);
}

// The node behind `node` on the rim of a group: -1 where it is not on it, or on it twice.
static int32_t next_on_rim(const FaceSet *faces, int group, int32_t node) {
  int32_t found = -1;
  for (int k = faces->node_ptr[node]; k < faces->node_ptr[node + 1]; k++) {
    int f = faces->node_face[k], n = contact_face_corners(faces, f), at = 0;
    const int32_t *own = faces->node + 4 * (size_t)f;
    if (faces->group[f] != group) continue;
    while (own[at] != node) at++;
    int32_t to = own[(at + 1) % n];
    if (contact_face_beyond(faces, f, node, to) >= 0) continue;
    if (found >= 0) return -1;
    found = to;
  }
  return found;
}

// What a corner turns by, as a sine about the normal of the group.
static double turn_at(const double *x, const double n[3], int32_t before, int32_t at,
                      int32_t after) {
  double a[3], b[3], across[3];
  for (int i = 0; i < 3; i++) {
    size_t c = (size_t)i;
    a[i] = x[3 * (size_t)at + c] - x[3 * (size_t)before + c];
    b[i] = x[3 * (size_t)after + c] - x[3 * (size_t)at + c];
  }
  vec3_cross(a, b, across);
  return vec3_dot(across, n) / (vec3_length(a) * vec3_length(b));
}

// Corners of a group to `corner`: returns how many, 0: it is no convex polygon with a rim of one
// piece, or has too many.
static int corners_of(const FaceSet *faces, const BodySet *bs, const int32_t *face, int n_faces,
                      int32_t corner[MOST_CORNERS]) {
  const int group = faces->group[face[0]];
  double normal[3];
  int32_t start = -1;
  int n = 0, rim = 0, on_rim = 0;
  contact_face_normal(faces, bs->x, face[0], normal);
  for (int k = 0; k < n_faces; k++)
    for (int c = 0; c < contact_face_corners(faces, face[k]); c++) {
      const int32_t *own = faces->node + 4 * (size_t)face[k];
      int32_t to = own[(c + 1) % contact_face_corners(faces, face[k])];
      if (contact_face_beyond(faces, face[k], own[c], to) >= 0) continue;
      on_rim++; // edges of the rim
      start = own[c];
    }
  if (start < 0) return 0;
  for (int32_t before = start, at = next_on_rim(faces, group, start), after; rim < on_rim;
       before = at, at = after, rim++) {
    after = at < 0 ? -1 : next_on_rim(faces, group, at);
    if (after < 0) return 0;
    double turn = turn_at(bs->x, normal, before, at, after);
    if (turn < -FLAT) return 0;
    if (turn > FLAT) {
      if (n == MOST_CORNERS) return 0;
      corner[n++] = at;
    }
    if (at == start && rim + 1 < on_rim) return 0; // a hole has a rim of its own
  }
  return n >= 3 ? n : 0;
}

static Status list_outlines(FaceSet *faces, const BodySet *bs, Err *err) {
  size_t capacity = 0;
  int n = 0;
  MEM_NEW(faces->outline_ptr, faces->n_groups + 1, err);
  for (int g = 0; g < faces->n_groups; g++) {
    const int32_t *face = faces->member + faces->member_ptr[g];
    int n_faces = faces->member_ptr[g + 1] - faces->member_ptr[g], own = 0;
    int32_t corner[MOST_CORNERS];
    if (may_be_flat(bs, faces->body[face[0]]) && is_flat(faces, bs, face, n_faces))
      own = corners_of(faces, bs, face, n_faces, corner);
    TRY(mem_grow((void **)&faces->outline, &capacity, (size_t)(n + own) + 1, sizeof *faces->outline,
                 err));
    for (int k = 0; k < own; k++) faces->outline[n++] = corner[k];
    faces->outline_ptr[g + 1] = n;
  }
  return OK;
}

Status contact_outlines(FaceSet *faces, const BodySet *bs, Err *err) {
  TRY(list_members(faces, err));
  return list_outlines(faces, bs, err);
}

// Does the rim run straight from each corner to the next, and turn there as a convex one does?
static int rim_is_straight(const FaceSet *faces, const double *x, int group,
                           const double normal[3]) {
  const int32_t *corner = faces->outline + faces->outline_ptr[group];
  const int n = faces->outline_ptr[group + 1] - faces->outline_ptr[group];
  for (int k = 0; k < n; k++) {
    const int32_t from = corner[k], to = corner[(k + 1) % n];
    double side[3], edge[3], across[3];
    if (!(turn_at(x, normal, from, to, corner[(k + 2) % n]) > -BENT)) return 0;
    for (int i = 0; i < 3; i++) side[i] = x[3 * (size_t)to + i] - x[3 * (size_t)from + i];
    vec3_normalise(side);
    for (int32_t at = from, next; at != to; at = next) {
      next = next_on_rim(faces, group, at);
      for (int i = 0; i < 3; i++) edge[i] = x[3 * (size_t)next + i] - x[3 * (size_t)at + i];
      vec3_normalise(edge);
      vec3_cross(side, edge, across);
      if (!(vec3_length(across) <= BENT && vec3_dot(side, edge) > 0)) return 0;
    }
  }
  return 1;
}

int contact_outline_holds(const FaceSet *faces, const double *x, int group,
                          const double normal[3]) {
  const int first = faces->member_ptr[group];
  return have_normal(faces, x, faces->member + first, faces->member_ptr[group + 1] - first, normal,
                     BENT) &&
         rim_is_straight(faces, x, group, normal);
}
