// Skins in space as flat arrays, and what share of the skin stands for a node.

#include <math.h>
#include <string.h>

#include "contact/pair_type.h"
#include "shape/facet.h"

int contact_is_sheet(const BodySet *bs, int body) {
  return bs->type[body]->sheet;
}

int contact_node_may_touch(const BodySet *bs, int body, int node) {
  if (bs->type[body]->by_shape) return 0;
  if (contact_is_sheet(bs, body)) { // all, but those whose elements were all cut off
    const Form *form = &bs->finite[bs->own[body]].form;
    return !form->spec.cut || form->mass[node] > 0;
  }
  const int32_t *skin_of = bodies_skin(bs, body)->skin_of;
  return skin_of && skin_of[node] >= 0;
}


// Faces of a body: node numbers in the body, -1 fills up triangles. NULL after the last.
static const int32_t *body_face(const BodySet *bs, int body, int face, int32_t buffer[4]) {
  if (!contact_is_sheet(bs, body)) {
    const Skin *skin = bodies_skin(bs, body);
    return face < skin->n_facets ? skin->facet_node + 4 * (size_t)face : NULL;
  }
  const Mesh *mesh = bs->mesh[body];
  if (face >= mesh->n_elems) return NULL;
  int n = mesh->elem_ptr[face + 1] - mesh->elem_ptr[face];
  for (int k = 0; k < 4; k++) buffer[k] = k < n ? mesh->elem_node[mesh->elem_ptr[face] + k] : -1;
  return buffer;
}


// The nodes that may touch, and the lengths of the edges between them.
static void measure_faces(const FaceSet *faces, const BodySet *bs, SkinSet *skin) {
  for (int f = 0; f < faces->n_faces; f++) {
    const int32_t *node = faces->node + 4 * (size_t)f;
    int n = node[3] < 0 ? 3 : 4;
    for (int k = 0; k < n; k++) {
      const double *a = bs->x + 3 * (size_t)node[k], *b = bs->x + 3 * (size_t)node[(k + 1) % n];
      double length = sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]) +
                           (b[2] - a[2]) * (b[2] - a[2]));
      if (bs->type[faces->body[f]]->support) continue;
      skin->shortest = fmin(skin->shortest, length);
      skin->longest = fmax(skin->longest, length);
    }
  }
  if (!isfinite(skin->shortest)) skin->shortest = skin->longest = 1; // supports only
}

void contact_face_normal(const FaceSet *faces, const double *x, int face, double normal[3]) {
  static const double middle[2][4] = {{1.0 / 3, 1.0 / 3, 1.0 / 3}, {0.25, 0.25, 0.25, 0.25}};
  double corner[12];
  int n = contact_face_places(faces, x, face, corner);
  facet_normal(n, corner, middle[n - 3], normal);
}

// How far p is before a face: before its plane.
static double before_face(const FaceSet *faces, const double *x, int face, const double p[3]) {
  double n[3], d[3];
  const double *corner = x + 3 * (size_t)faces->node[4 * (size_t)face];
  contact_face_normal(faces, x, face, n);
  for (int i = 0; i < 3; i++) d[i] = p[i] - corner[i];
  return contact_dot(3, n, d);
}

static int is_one_of(const FaceSet *faces, int face, const int32_t *two) {
  return two &&
         (faces->group[face] == faces->group[two[0]] || faces->group[face] == faces->group[two[1]]);
}

int contact_is_outside(const FaceSet *faces, const double *x, int body, const int32_t *but,
                       const double p[3], double slack) {
  for (int part = faces->first_part[body]; part < faces->first_part[body + 1]; part++) {
    int outside = 0;
    if (!faces->convex[part]) return 0;
    for (int k = faces->part_ptr[part]; k < faces->part_ptr[part + 1] && !outside; k++)
      outside = !is_one_of(faces, faces->part_face[k], but) &&
                before_face(faces, x, faces->part_face[k], p) > slack;
    if (!outside) return 0;
  }
  return 1;
}

// Is no node of the part behind the face by as much as `depth`?
static int is_behind_less(const FaceSet *faces, const double *x, int face, int part, double depth) {
  for (int k = faces->part_ptr[part]; k < faces->part_ptr[part + 1]; k++) {
    const int other = faces->part_face[k], corners = contact_face_corners(faces, other);
    for (int c = 0; c < corners; c++)
      if (before_face(faces, x, face, x + 3 * (size_t)faces->node[4 * (size_t)other + c]) <= -depth)
        return 0;
  }
  return 1;
}

int contact_faces_part_sooner(const FaceSet *faces, const double *x, int a, int c, double depth) {
  const int part[2] = {faces->part[a], faces->part[c]};
  for (int s = 0; s < 2; s++)
    if (!faces->convex[part[s]]) return 0;
  for (int s = 0; s < 2; s++)
    for (int k = faces->part_ptr[part[s]]; k < faces->part_ptr[part[s] + 1]; k++)
      if (is_behind_less(faces, x, faces->part_face[k], part[1 - s], depth)) return 1;
  return 0;
}

int contact_is_left_to_faces(const ContactStep *step, int a, int c, double depth, double share) {
  const FaceSet *faces = &step->cm->faces;
  if (!faces->convex[faces->part[a]] || !faces->convex[faces->part[c]]) return 1;
  return depth < FACES_FAILED * step->cm->alert ||
         contact_faces_part_sooner(faces, step->work->x, a, c, share * depth);
}

// Of solids of more faces this is not asked: it is to look at all of them for each node that is
// deep in one.
enum { MOST_CONVEX_FACES = 4096 };
// No node of a convex body is before a face beside it by more than this share of the shortest edge.
static const double BEFORE_FACE = 1e-6;

static int has_node(const FaceSet *faces, int face, int32_t node) {
  for (int k = 0; k < 4; k++)
    if (faces->node[4 * (size_t)face + k] == node) return 1;
  return 0;
}

// The face on the other side of an edge; -1: none, or more than one.
static int neighbour(const FaceSet *faces, int face, int32_t a, int32_t b) {
  int found = -1;
  for (int k = faces->node_ptr[a]; k < faces->node_ptr[a + 1]; k++) {
    int other = faces->node_face[k];
    if (other == face || !has_node(faces, other, b)) continue;
    if (found >= 0) return -1;
    found = other;
  }
  return found;
}

// Is no corner of the faces beside this one before it, and does it have such all round? What is so
// everywhere, and hangs together, is convex.
static int is_convex_around(const FaceSet *faces, const double *x, int face, double slack) {
  const int corners = contact_face_corners(faces, face);
  const int32_t *node = faces->node + 4 * (size_t)face;
  for (int k = 0; k < corners; k++) {
    const int other = neighbour(faces, face, node[k], node[(k + 1) % corners]);
    if (other < 0) return 0;
    for (int c = 0; c < contact_face_corners(faces, other); c++)
      if (before_face(faces, x, face, x + 3 * (size_t)faces->node[4 * (size_t)other + c]) > slack)
        return 0;
  }
  return 1;
}

static int part_is_convex(const FaceSet *faces, const BodySet *bs, int part, double shortest) {
  const int first = faces->part_ptr[part], last = faces->part_ptr[part + 1];
  if (last - first > MOST_CONVEX_FACES || last == first) return 0;
  if (contact_is_sheet(bs, faces->body[faces->part_face[first]])) return 0;
  for (int k = first; k < last; k++)
    if (!is_convex_around(faces, bs->x, faces->part_face[k], BEFORE_FACE * shortest)) return 0;
  return 1;
}

// Which piece of its body each face belongs to, counted from the body's first part.
static Status find_pieces(FaceSet *faces, const BodySet *bs, Err *err) {
  for (int b = 0, f = 0; b < bs->n_bodies; b++) {
    int32_t *piece = NULL;
    int n = 1, last = f;
    while (last < faces->n_faces && faces->body[last] == b) last++;
    if (last > f && !bs->type[b]->deforms && !bs->type[b]->by_shape && bs->mesh[b]->n_elems > 1)
      TRY(mesh_pieces(bs->mesh[b], &piece, &n, err));
    for (int k = f; k < last; k++)
      faces->part[k] =
          faces->first_part[b] + (n > 1 ? piece[bodies_skin(bs, b)->facet_elem[k - f]] : 0);
    faces->first_part[b + 1] = faces->first_part[b] + n;
    mem_free(piece);
    f = last;
  }
  return OK;
}

static Status find_parts(FaceSet *faces, const BodySet *bs, double shortest, Err *err) {
  MEM_NEW(faces->first_part, bs->n_bodies + 1, err);
  MEM_NEW(faces->part, faces->n_faces, err);
  MEM_NEW(faces->part_face, faces->n_faces, err);
  TRY(find_pieces(faces, bs, err));
  const int n = faces->first_part[bs->n_bodies];
  MEM_NEW(faces->part_ptr, n + 2, err);
  MEM_NEW(faces->convex, n, err);
  for (int f = 0; f < faces->n_faces; f++) faces->part_ptr[faces->part[f] + 2]++;
  for (int p = 0; p < n; p++) faces->part_ptr[p + 2] += faces->part_ptr[p + 1];
  for (int f = 0; f < faces->n_faces; f++)
    faces->part_face[faces->part_ptr[faces->part[f] + 1]++] = f;
  for (int p = 0; p < n; p++) faces->convex[p] = (uint8_t)part_is_convex(faces, bs, p, shortest);
  return OK;
}

int contact_face_beyond(const FaceSet *faces, int face, int32_t a, int32_t b) {
  int other = neighbour(faces, face, a, b);
  return other >= 0 && faces->group[other] == faces->group[face] ? other : -1;
}

// Normals of faces that meet without a sharp edge have at least this product. Of rigid bodies and
// of polyhedra every ridge is one: neither side follows the other, or there are but few nodes, and
// edges that cross would sink by what both bulge.
static double smooth_cosine(const FaceSet *faces, const BodySet *bs, int face) {
  const int body = faces->body[face];
  const int round = bs->type[body]->deforms && !bs->mesh[body]->polyhedron;
  return cos(round ? CORNER_ANGLE : RIDGE_ANGLE);
}

// Groups grow from face to face over edges that are not sharp.
static Status group_faces(FaceSet *faces, const BodySet *bs, Err *err) {
  int32_t *stack;
  MEM_NEW(faces->group, faces->n_faces, err);
  MEM_NEW(stack, faces->n_faces, err);
  for (int f = 0; f < faces->n_faces; f++) faces->group[f] = -1;
  for (int f = 0; f < faces->n_faces; f++) {
    int n = 0;
    if (faces->group[f] >= 0) continue;
    const double smooth = smooth_cosine(faces, bs, f);
    faces->group[f] = faces->n_groups;
    stack[n++] = f;
    while (n > 0) {
      int face = stack[--n], corners = contact_face_corners(faces, face);
      const int32_t *node = faces->node + 4 * (size_t)face;
      double own[3], normal[3];
      contact_face_normal(faces, bs->x, face, own);
      for (int k = 0; k < corners; k++) {
        int other = neighbour(faces, face, node[k], node[(k + 1) % corners]);
        if (other < 0 || faces->group[other] >= 0) continue;
        contact_face_normal(faces, bs->x, other, normal);
        if (contact_dot(3, own, normal) < smooth) continue;
        faces->group[other] = faces->n_groups;
        stack[n++] = other;
      }
    }
    faces->n_groups++;
  }
  mem_free(stack);
  return OK;
}

// Is the edge between two faces convex? The far corners of one lie behind the other.
static int is_convex(const FaceSet *faces, const BodySet *bs, int f, int g, int32_t a, int32_t b) {
  double n[3], d[3];
  contact_face_normal(faces, bs->x, f, n);
  for (int k = 0; k < contact_face_corners(faces, g); k++) {
    int32_t node = faces->node[4 * (size_t)g + k];
    if (node == a || node == b) continue;
    for (int i = 0; i < 3; i++) d[i] = bs->x[3 * (size_t)node + i] - bs->x[3 * (size_t)a + i];
    if (contact_dot(3, n, d) > 0) return 0;
  }
  return 1;
}

// Convex edges between groups, each once.
static Status list_edges(FaceSet *faces, const BodySet *bs, Err *err) {
  for (int pass = 0; pass < 2; pass++) {
    int n = 0;
    for (int f = 0; f < faces->n_faces; f++) {
      const int32_t *node = faces->node + 4 * (size_t)f;
      int corners = contact_face_corners(faces, f);
      for (int k = 0; k < corners; k++) {
        int32_t a = node[k], b = node[(k + 1) % corners];
        int other = neighbour(faces, f, a, b);
        if (other < f || faces->group[other] == faces->group[f]) continue;
        if (contact_is_sheet(bs, faces->body[f]) || !is_convex(faces, bs, f, other, a, b)) continue;
        if (pass == 1) {
          faces->edge_node[2 * n] = a;
          faces->edge_node[2 * n + 1] = b;
          faces->edge_face[2 * n] = f;
          faces->edge_face[2 * n + 1] = other;
        }
        n++;
      }
    }
    if (pass == 1) break;
    faces->n_edges = n;
    MEM_NEW(faces->edge_node, 2 * n, err);
    MEM_NEW(faces->edge_face, 2 * n, err);
  }
  return OK;
}

// Faces, groups and edges stand in the order of their bodies.
static Status find_firsts(FaceSet *faces, int n_bodies, Err *err) {
  MEM_NEW(faces->first_face, n_bodies + 1, err);
  MEM_NEW(faces->first_group, n_bodies + 1, err);
  MEM_NEW(faces->first_edge, n_bodies + 1, err);
  for (int b = 0, f = 0, e = 0; b <= n_bodies; b++) {
    while (f < faces->n_faces && faces->body[f] < b) f++;
    while (e < faces->n_edges && faces->body[faces->edge_face[2 * e]] < b) e++;
    faces->first_face[b] = f;
    faces->first_group[b] = f < faces->n_faces ? faces->group[f] : faces->n_groups;
    faces->first_edge[b] = e;
  }
  return OK;
}

Status face_set_init(FaceSet *faces, SkinSet *skin, const BodySet *bs, Err *err) {
  int32_t buffer[4];
  const int32_t *own;
  int n = 0;
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      faces->n_faces = n;
      MEM_NEW(faces->node, 4 * n, err);
      MEM_NEW(faces->body, n, err);
    }
    n = 0;
    for (int b = 0; b < bs->n_bodies; b++)
      for (int f = 0; !bs->type[b]->by_shape && (own = body_face(bs, b, f, buffer)); f++) {
        if (contact_is_sheet(bs, b) && bodies_lacks(bs, b, f)) continue;
        if (pass == 1) faces->body[n] = b;
        for (int k = 0; k < 4 && pass == 1; k++)
          faces->node[4 * (size_t)n + k] = own[k] < 0 ? -1 : bs->node_ptr[b] + own[k];
        n++;
      }
  }
  MEM_NEW(faces->node_ptr, bs->n_nodes + 2, err);
  MEM_NEW(faces->node_face, 4 * n, err);
  for (int k = 0; k < 4 * n; k++)
    if (faces->node[k] >= 0) faces->node_ptr[faces->node[k] + 2]++;
  for (int k = 0; k < bs->n_nodes; k++) faces->node_ptr[k + 2] += faces->node_ptr[k + 1];
  for (int k = 0; k < 4 * n; k++)
    if (faces->node[k] >= 0) faces->node_face[faces->node_ptr[faces->node[k] + 1]++] = k / 4;
  measure_faces(faces, bs, skin);
  TRY(find_parts(faces, bs, skin->shortest, err));
  TRY(group_faces(faces, bs, err));
  TRY(list_edges(faces, bs, err));
  TRY(find_firsts(faces, bs->n_bodies, err));
  TRY(contact_outlines(faces, bs, err));
  MEM_NEW(skin->skin_node, bs->n_nodes, err);
  MEM_NEW(skin->first_node, bs->n_bodies + 1, err);
  for (int b = 0; b < bs->n_bodies; b++) {
    for (int k = bs->node_ptr[b]; k < bs->node_ptr[b + 1]; k++) {
      int local = k - bs->node_ptr[b];
      if (contact_node_may_touch(bs, b, local)) skin->skin_node[skin->n_nodes++] = k;
    }
    skin->first_node[b + 1] = skin->n_nodes;
  }
  return OK;
}

void face_set_free(FaceSet *faces) {
  mem_free(faces->node);
  mem_free(faces->body);
  mem_free(faces->node_ptr);
  mem_free(faces->node_face);
  mem_free(faces->group);
  mem_free(faces->edge_node);
  mem_free(faces->edge_face);
  mem_free(faces->first_face);
  mem_free(faces->first_group);
  mem_free(faces->first_edge);
  mem_free(faces->first_part);
  mem_free(faces->part);
  mem_free(faces->part_ptr);
  mem_free(faces->part_face);
  mem_free(faces->convex);
  mem_free(faces->outline_ptr);
  mem_free(faces->outline);
  mem_free(faces->member_ptr);
  mem_free(faces->member);
  mem_free(faces->near_ptr);
  mem_free(faces->near_face);
  *faces = (FaceSet){0};
}

// Share of an edge that goes to its node k, as a linear function of the radius wants it.
static double edge_share(const ContactModel *cm, const BodySet *bs, int e, int k) {
  const int32_t *node = cm->skin.node + 2 * (size_t)e;
  double n[2], length = edge_normal(&cm->skin, bs->x, e, n);
  double r = bs->x[2 * (size_t)node[k]], other = bs->x[2 * (size_t)node[1 - k]];
  return 0.5 * length * contact_depth(cm, bs, (2 * r + other) / 3);
}

// Share of a face that goes to each of its nodes: of half the cross product of the diagonals, in a
// triangle of two of its sides.
static double face_share(const FaceSet *faces, const double *x, int f) {
  double corner[12], p[3], q[3], cross[3];
  int n = contact_face_places(faces, x, f, corner);
  const double *a = corner, *b = corner + 3, *c = corner + 6, *d = corner + 3 * (n - 1);
  for (int i = 0; i < 3; i++) {
    p[i] = c[i] - a[i];
    q[i] = n == 4 ? d[i] - b[i] : c[i] - b[i];
  }
  for (int i = 0; i < 3; i++)
    cross[i] = p[(i + 1) % 3] * q[(i + 2) % 3] - p[(i + 2) % 3] * q[(i + 1) % 3];
  return 0.5 * sqrt(contact_dot(3, cross, cross)) / n;
}

Status contact_node_areas(ContactModel *cm, const BodySet *bs, Err *err) {
  const FaceSet *faces = &cm->faces;
  MEM_NEW(cm->node_area, bs->n_nodes, err);
  for (int e = 0; e < cm->skin.n_edges; e++)
    for (int k = 0; k < 2; k++) cm->node_area[cm->skin.node[2 * e + k]] += edge_share(cm, bs, e, k);
  for (int f = 0; f < faces->n_faces; f++)
    for (int k = 0; k < contact_face_corners(faces, f); k++)
      cm->node_area[faces->node[4 * (size_t)f + k]] += face_share(faces, bs->x, f);
  return OK;
}

double contact_node_share(const ContactModel *cm, const BodySet *bs, const double *x, int body,
                          int node, const double *n) {
  const SkinSet *skin = &cm->skin;
  const FaceSet *faces = &cm->faces;
  double facing = 0, largest = 0, own[3] = {0};
  if (contact_is_sheet(bs, body)) return cm->node_area[node];
  if (bs->dim == 2) {
    int in = skin->edge_in[node];
    const int edge[2] = {in, in < 0 ? -1 : skin->next[in]};
    for (int k = 0; k < 2; k++) {
      if (edge[k] < 0) continue;
      double share = edge_share(cm, bs, edge[k], 1 - k);
      edge_normal(skin, x, edge[k], own);
      if (contact_dot(2, own, n) < NODE_FACING) facing += share;
      largest = fmax(largest, share);
    }
    return facing > 0 ? facing : largest;
  }
  for (int k = faces->node_ptr[node]; k < faces->node_ptr[node + 1]; k++) {
    int f = faces->node_face[k];
    double share = face_share(faces, bs->x, f);
    contact_face_normal(faces, x, f, own);
    if (contact_dot(3, own, n) < NODE_FACING) facing += share;
    largest = fmax(largest, share);
  }
  return facing > 0 ? facing : largest;
}
