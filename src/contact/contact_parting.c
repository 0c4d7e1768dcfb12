// How far two bodies that are convex, or of convex parts, must be moved at the start until they are
// out of one another: the least over the axes along which two polyhedra can be parted, the normals
// of the faces of either and the normals common to an edge of each.

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/pair_type.h"

// A body in the plane, a part in space.
typedef struct {
  const ContactModel *cm;
  const BodySet *bs;
  int body, part;    // part: -1 in the plane
  int first, n;      // facets: edges, or FaceSet.part_face
  int edge, n_edges; // in space, of the body
} Piece;

static int facet_at(const Piece *piece, int k) {
  return piece->part < 0 ? piece->first + k : piece->cm->faces.part_face[piece->first + k];
}

static int facet_nodes(const Piece *piece, int k, const int32_t **node) {
  const int facet = facet_at(piece, k);
  if (piece->part < 0) {
    *node = piece->cm->skin.node + 2 * (size_t)facet;
    return 2;
  }
  *node = piece->cm->faces.node + 4 * (size_t)facet;
  return contact_face_corners(&piece->cm->faces, facet);
}

static void facet_out(const Piece *piece, int k, double n[3]) {
  n[2] = 0;
  if (piece->part < 0)
    edge_normal(&piece->cm->skin, piece->bs->x, facet_at(piece, k), n);
  else
    contact_face_normal(&piece->cm->faces, piece->bs->x, facet_at(piece, k), n);
}

// What the piece reaches along n, from low to high.
static void extent(const Piece *piece, const double n[3], double *low, double *high) {
  const int dim = piece->bs->dim;
  *low = (double)INFINITY;
  *high = -(double)INFINITY;
  for (int k = 0; k < piece->n; k++) {
    const int32_t *node;
    const int corners = facet_nodes(piece, k, &node);
    for (int c = 0; c < corners; c++) {
      const double at = contact_dot(dim, n, piece->bs->x + (size_t)dim * (size_t)node[c]);
      *low = fmin(*low, at);
      *high = fmax(*high, at);
    }
  }
}

// The way along n, either way round, that parts two pieces, where it is the least so far.
static void try_axis(const Piece *a, const Piece *b, const double n[3], double *least) {
  double low[2], high[2];
  extent(a, n, &low[0], &high[0]);
  extent(b, n, &low[1], &high[1]);
  *least = fmin(*least, fmin(high[0] - low[1], high[1] - low[0]));
}

static void try_faces(const Piece *own, const Piece *other, double allowed, double *least) {
  for (int k = 0; k<own->n && * least> allowed; k++) {
    double n[3];
    facet_out(own, k, n);
    try_axis(own, other, n, least);
  }
}

// Of the body's convex edges that of this piece; 0: it is another part's.
static int edge_along(const Piece *piece, int e, double along[3]) {
  const FaceSet *faces = &piece->cm->faces;
  if (faces->part[faces->edge_face[2 * e]] != piece->part) return 0;
  const double *a = piece->bs->x + 3 * (size_t)faces->edge_node[2 * e],
               *b = piece->bs->x + 3 * (size_t)faces->edge_node[2 * e + 1];
  for (int i = 0; i < 3; i++) along[i] = b[i] - a[i];
  return 1;
}

static void try_edges(const Piece *a, const Piece *b, double allowed, double *least) {
  static const double ALIKE = 1e-6; // sine of the angle between edges that have no common normal
  for (int e = a->edge; e < a->edge + a->n_edges; e++) {
    double u[3], v[3], n[3];
    if (!edge_along(a, e, u)) continue;
    for (int f = b->edge; f<b->edge + b->n_edges && * least> allowed; f++) {
      if (!edge_along(b, f, v)) continue;
      vec3_cross(u, v, n);
      if (vec3_length(n) <= ALIKE * vec3_length(u) * vec3_length(v)) continue;
      vec3_normalise(n);
      try_axis(a, b, n, least);
    }
  }
}

// In the plane: is no node of the skin before an edge of it?
static int is_convex_loop(const Piece *piece) {
  static const double BEFORE = 1e-6; // of the shortest edge
  for (int k = 0; k < piece->n; k++) {
    const int32_t *node;
    double n[3], low, high;
    facet_out(piece, k, n);
    facet_nodes(piece, k, &node);
    extent(piece, n, &low, &high);
    const double at = contact_dot(2, n, piece->bs->x + 2 * (size_t)node[0]);
    if (high - at > BEFORE * piece->cm->skin.shortest) return 0;
  }
  return piece->n > 2;
}

// Piece number k of a body; 0: it has no more, or is not convex.
static int piece_of(const ContactModel *cm, const BodySet *bs, int body, int k, Piece *piece) {
  const FaceSet *faces = &cm->faces;
  *piece = (Piece){.cm = cm, .bs = bs, .body = body, .part = -1};
  if (bs->type[body]->sheet || bs->type[body]->by_shape) return 0;
  if (bs->dim == 2) {
    piece->first = cm->skin.first_edge[body];
    piece->n = bodies_skin(bs, body)->n_facets;
    return k == 0 && is_convex_loop(piece);
  }
  piece->part = faces->first_part[body] + k;
  if (piece->part >= faces->first_part[body + 1] || !faces->convex[piece->part]) return 0;
  piece->first = faces->part_ptr[piece->part];
  piece->n = faces->part_ptr[piece->part + 1] - piece->first;
  piece->edge = piece->n_edges = faces->first_edge[body];
  while (piece->n_edges < faces->n_edges &&
         faces->body[faces->edge_face[2 * piece->n_edges]] == body)
    piece->n_edges++;
  piece->n_edges -= piece->edge;
  return 1;
}

// Does a group of its faces bend, so that ridges in it are in no list of edges?
static int is_round(const Piece *piece) {
  const FaceSet *faces = &piece->cm->faces;
  for (int k = 0; k < piece->n; k++) {
    const int face = facet_at(piece, k),
              first = faces->member[faces->member_ptr[faces->group[face]]];
    double n[3], m[3];
    contact_face_normal(faces, piece->bs->x, face, n);
    contact_face_normal(faces, piece->bs->x, first, m);
    if (vec3_dot(n, m) < cos(RIDGE_ANGLE)) return 1;
  }
  return 0;
}

static int n_pieces(const ContactModel *cm, const BodySet *bs, int body) {
  return bs->dim == 2 ? 1 : cm->faces.first_part[body + 1] - cm->faces.first_part[body];
}

// Two convex pieces. Edges of bodies of so many would take long, and faces part these nearly as
// soon.
static Parting part_pieces(const Piece *a, const Piece *b, double allowed, double *depth) {
  enum { MOST_EDGE_PAIRS = 10000 };
  *depth = (double)INFINITY;
  try_faces(a, b, allowed, depth);
  try_faces(b, a, allowed, depth);
  if (a->bs->dim == 2 || *depth <= allowed) return PARTING_LEAST;
  if ((int64_t)a->n_edges * b->n_edges > MOST_EDGE_PAIRS || is_round(a) || is_round(b))
    return PARTING_BY_FACES;
  try_edges(a, b, allowed, depth);
  return PARTING_LEAST;
}

Parting contact_parting(const ContactModel *cm, const BodySet *bs, int a, int b, double allowed,
                        double *depth) {
  const int n[2] = {n_pieces(cm, bs, a), n_pieces(cm, bs, b)};
  Parting parting = n[0] > 0 && n[1] > 0 ? PARTING_LEAST : PARTING_UNKNOWN;
  *depth = 0;
  for (int i = 0; i < n[0]; i++)
    for (int j = 0; j < n[1]; j++) {
      Piece own, other;
      double way;
      if (!piece_of(cm, bs, a, i, &own) || !piece_of(cm, bs, b, j, &other)) return PARTING_UNKNOWN;
      if (part_pieces(&own, &other, allowed, &way) == PARTING_BY_FACES) parting = PARTING_BY_FACES;
      *depth = fmax(*depth, way);
    }
  return parting;
}
