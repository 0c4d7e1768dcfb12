// In space: sharp edges of two bodies, or of one, that cross. Nodes against faces do not see them.
// A slot is a pair of edges between nodes; it counts where the common normal lies in the cones of
// both edges.

#include <math.h>
#include <string.h>

#include "contact/near.h"

enum { SLOTS_FOR_THREADS = 2000 };

// Edges that run side by side, sine of their angle below this, leave the contact to their nodes.
static const double LEAST_CROSSING = 0.05;
// The normal may leave the cone of an edge by this sine; within it a face is as good an
// explanation.
static const double CONE_SLACK = 0.05;
// Where a joint of flat faces stands for them: of their depth, faces that part the bodies within it
// are the way out.
static const double CLEARLY = 1.1;
// Edges cross at a node within this share of the shortest edge: so far beyond the rim of a face the
// node still counts there (OVER_EDGE of contact_face.c).
static const double AT_NODE = 0.01;
// Deeper than this share of the shortest edge it is asked whether they are behind each other, or
// beside a thin part of a body.
static const double BESIDE = 1e-2;

// ---- search -------------------------------------------------------------------------------------

typedef struct {
  const PairSearch *pairs;
  const BoxList *list; // [2] edges of the pair of bodies at hand
  double reach;        // of these bodies [m]
  ContactWork *work;
} EdgeSearch;

static void edge_ends(const FaceSet *faces, const double *x, int edge, const double *end[2]) {
  for (int k = 0; k < 2; k++) end[k] = x + 3 * (size_t)faces->edge_node[2 * (size_t)edge + k];
}

static double length_of(const double *const end[2]) {
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += (end[1][i] - end[0][i]) * (end[1][i] - end[0][i]);
  return sqrt(sum);
}

// Nearest points of the lines of two edges: their places along them, 0..1, the vector from the
// point of b to that of a, and the common normal (not of a sign yet). 0: the edges run side by
// side.
static int cross_edges(const double *const a[2], const double *const b[2], double along[2],
                       double apart[3], double n[3]) {
  double u[3], v[3], w[3];
  for (int i = 0; i < 3; i++) {
    u[i] = a[1][i] - a[0][i];
    v[i] = b[1][i] - b[0][i];
    w[i] = a[0][i] - b[0][i];
  }
  double uu = contact_dot(3, u, u), uv = contact_dot(3, u, v), vv = contact_dot(3, v, v);
  double uw = contact_dot(3, u, w), vw = contact_dot(3, v, w), det = uu * vv - uv * uv;
  if (det <= LEAST_CROSSING * LEAST_CROSSING * uu * vv) return 0;
  along[0] = (uv * vw - vv * uw) / det;
  along[1] = (uu * vw - uv * uw) / det;
  for (int i = 0; i < 3; i++) {
    apart[i] = w[i] + along[0] * u[i] - along[1] * v[i];
    n[i] = (u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3]) / sqrt(det);
  }
  return 1;
}

// Are two edges of one body near along its skin?
static int edges_near(const FaceSet *faces, int own, int other) {
  for (int k = 0; k < 4; k++)
    if (contact_self_near(faces, faces->edge_node[2 * own + k / 2],
                          faces->edge_face[2 * other + k % 2]))
      return 1;
  return 0;
}

// Square of the distance of a point from an edge.
static double from_edge2(const double p[3], const double *const end[2]) {
  double u[3], d[3];
  for (int i = 0; i < 3; i++) {
    u[i] = end[1][i] - end[0][i];
    d[i] = p[i] - end[0][i];
  }
  double along = contact_dot(3, d, u) / contact_dot(3, u, u);
  along = along > 0 ? along < 1 ? along : 1 : 0;
  for (int i = 0; i < 3; i++) d[i] -= along * u[i];
  return contact_dot(3, d, d);
}

// Square of the distance between two edges.
static double apart2(const double *const own[2], const double *const other[2]) {
  double along[2], apart[3], n[3], best = (double)INFINITY;
  if (cross_edges(own, other, along, apart, n) && along[0] >= 0 && along[0] <= 1 && along[1] >= 0 &&
      along[1] <= 1)
    return contact_dot(3, apart, apart);
  for (int k = 0; k < 2; k++) {
    const double to_other = from_edge2(own[k], other), to_own = from_edge2(other[k], own);
    if (to_other < best) best = to_other;
    if (to_own < best) best = to_own;
  }
  return best;
}

static Status add_slot(const EdgeSearch *search, int own, int other, int rule, Err *err) {
  const FaceSet *faces = &search->pairs->cm->faces;
  ContactWork *work = search->work;
  const int c = faces->body[faces->edge_face[2 * own]],
            a = faces->body[faces->edge_face[2 * other]];
  TRY(mem_grow((void **)&work->slot, &work->slot_capacity, (size_t)work->n_slots + 1,
               sizeof *work->slot, err));
  work->slot[work->n_slots++] =
      (SlotInfo){.feature_c = own - faces->first_edge[c],
                 .feature_a = other - faces->first_edge[a],
                 .body_c = c,
                 .body_a = a,
                 .node = {faces->edge_node[2 * own], faces->edge_node[2 * own + 1]},
                 .edge_c = own,
                 .edge_a = other,
                 .joint = {-1, -1},
                 .twin = -1,
                 .rule = rule,
                 .pair = PAIR_EDGE_EDGE};
  return OK;
}

static Status meet(void *of, int at, int other_at, Err *err) {
  const EdgeSearch *search = of;
  const int i = search->list[0].item[at], j = search->list[1].item[other_at];
  const FaceSet *faces = &search->pairs->cm->faces;
  const double *x = search->pairs->x, *end[2][2];
  const int body[2] = {faces->body[faces->edge_face[2 * i]], faces->body[faces->edge_face[2 * j]]};
  int rank;
  if (body[0] == body[1] && (i >= j || edges_near(faces, i, j))) return OK;
  const int rule = contact_rule_between(search->pairs->cm, body[0], body[1], &rank);
  const int own = rank > 0 ? j : i, other = own == i ? j : i;
  edge_ends(faces, x, own, end[0]);
  edge_ends(faces, x, other, end[1]);
  const double square = apart2((const double *const *)end[0], (const double *const *)end[1]);
  return square <= search->reach * search->reach ? add_slot(search, own, other, rule, err) : OK;
}

static Status find_slots(const PairSearch *pairs, BoxList list[2], ContactWork *work, Err *err) {
  const FaceSet *faces = &pairs->cm->faces;
  for (const BodyPair *pair = pairs->near; pair < pairs->near + pairs->n_near; pair++) {
    EdgeSearch search = {pairs, list, pair->reach, work};
    for (int s = 0; s < 2; s++) {
      const int last = faces->first_edge[pair->body[s] + 1];
      list[s].n = 0;
      for (int e = faces->first_edge[pair->body[s]]; e < last; e++)
        TRY(near_list(pairs, pair, s, e, faces->edge_node + 2 * (size_t)e, 2, &list[s], err));
    }
    TRY(near_each(&list[0], &list[1], meet, &search, err));
  }
  return OK;
}

static Status find_and_keep(const PairSearch *pairs, BoxList list[2], ContactWork *work, Err *err) {
  const int64_t first = work->n_slots;
  TRY(find_slots(pairs, list, work, err));
  TRY(contact_add_kept(pairs, PAIR_EDGE_EDGE, work, first, err));
  return mem_grow((void **)&work->face, &work->face_capacity, (size_t)work->n_slots + 1,
                  sizeof *work->face, err);
}

static Status search(const PairSearch *pairs, ContactWork *work, Err *err) {
  return near_search(pairs, find_and_keep, work, err);
}

// ---- each step ----------------------------------------------------------------------------------

// Is n in the cone of the normals beside an edge? Both shares of n must be positive; *face_like: it
// is one of the normals, within the slack.
static int in_cone(const FaceSet *faces, const double *x, int edge, const double n[3], double sign,
                   int *face_like) {
  double m[2][3], cosine[2];
  for (int k = 0; k < 2; k++) {
    contact_face_normal(faces, x, faces->edge_face[2 * edge + k], m[k]);
    cosine[k] = sign * contact_dot(3, m[k], n);
  }
  double c = contact_dot(3, m[0], m[1]),
         shares[2] = {cosine[0] - c * cosine[1], cosine[1] - c * cosine[0]};
  double slack = CONE_SLACK * (1 - c * c);
  *face_like = shares[0] <= slack || shares[1] <= slack;
  return shares[0] >= -slack && shares[1] >= -slack && cosine[0] + cosine[1] > 0;
}

// The point at this share of an edge; sign: 1 of the candidate, -1 of the antagonist.
static Site edge_site(const FaceSet *faces, int body, int edge, double along, double sign) {
  const int32_t *node = faces->edge_node + 2 * (size_t)edge;
  return (Site){body, 2, {node[0], node[1]}, {sign * (1 - along), sign * along}};
}

// Is the point of one of the edges beside the other body, where the other edge is behind it? Not by
// the faces of that edge itself: behind a sharp one, along the normal, a point is soon before one
// of them.
static int is_beside(const ContactStep *step, const SlotInfo *slot, const double *const end[2][2],
                     const double along[2]) {
  const int32_t other[2] = {slot->body_a, slot->body_c}, edge[2] = {slot->edge_a, slot->edge_c};
  for (int side = 0; side < 2; side++) {
    double p[3];
    for (int i = 0; i < 3; i++)
      p[i] = (1 - along[side]) * end[side][0][i] + along[side] * end[side][1][i];
    if (contact_is_outside(&step->cm->faces, step->work->x, other[side],
                           step->cm->faces.edge_face + 2 * (size_t)edge[side], p,
                           BESIDE * step->cm->skin.shortest))
      return 1;
  }
  return 0;
}

// Are edges that are not in contact yet deeper than faces of the two bodies are? Then the bodies
// meet there, the shorter way out: of a block that slides on another one upright edges are a hair
// below the other's upper face, and as deep behind its side as the block stands back from it.
static int belongs_elsewhere(const ContactStep *step, const SlotInfo *slot, double depth) {
  const FaceSet *faces = &step->cm->faces;
  return contact_faces_part_sooner(faces, step->work->x, faces->edge_face[2 * slot->edge_a],
                                   faces->edge_face[2 * slot->edge_c],
                                   depth - BESIDE * step->cm->skin.shortest);
}

static void edge_geometry(const ContactStep *step, int64_t k) {
  const ContactModel *cm = step->cm;
  const FaceSet *faces = &cm->faces;
  const SlotInfo *slot = &step->work->slot[k];
  FaceGeometry *geometry = &step->work->face[k];
  const double *x = step->work->x, *v = contact_ahead(step), *end[2][2];
  double apart[3], *along = geometry->weight, u[3] = {0};
  int active = step->state->flag[k] & FLAG_ACTIVE, face_like[2] = {0};
  geometry->valid = 0;
  geometry->gap = (double)INFINITY;
  if (contact_flat_meets(step->work, slot)) return;
  edge_ends(faces, x, slot->edge_c, end[0]);
  edge_ends(faces, x, slot->edge_a, end[1]);
  if (!cross_edges((const double *const *)end[0], (const double *const *)end[1], along, apart,
                   geometry->n))
    return;
  for (int side = 0; side < 2; side++)
    if (along[side] < 0 || along[side] > 1) return;
  // Out of the antagonist.
  double m[2][3], out = 0;
  for (int j = 0; j < 2; j++) {
    contact_face_normal(faces, x, faces->edge_face[2 * slot->edge_a + j], m[j]);
    out += contact_dot(3, m[j], geometry->n);
  }
  for (int i = 0; i < 3 && out < 0; i++) geometry->n[i] = -geometry->n[i];
  geometry->gap = contact_dot(3, geometry->n, apart);
  const Site site[2] = {edge_site(faces, slot->body_c, slot->edge_c, along[0], 1),
                        edge_site(faces, slot->body_a, slot->edge_a, along[1], -1)};
  for (int side = 0; side < 2; side++) site_velocity(3, &site[side], v, u);
  double ahead = STEPS_AHEAD * step->size.h, speed = sqrt(contact_dot(3, u, u));
  double approach = fmax(0, -contact_dot(3, u, geometry->n));
  if (geometry->gap > cm->alert + ahead * approach) return;
  if (!active && geometry->gap < -DEEPEST * cm->skin.shortest - ahead * speed) return;
  if (!in_cone(faces, x, slot->edge_a, geometry->n, 1, &face_like[1]) ||
      !in_cone(faces, x, slot->edge_c, geometry->n, -1, &face_like[0]))
    return;
  if (geometry->gap < -BESIDE * cm->skin.shortest &&
      (is_beside(step, slot, (const double *const(*)[2])end, along) ||
       (!active && belongs_elsewhere(step, slot, -geometry->gap))))
    return;
  if (contact_flat_stands(step->work, slot) &&
      contact_is_left_to_faces(step, faces->edge_face[2 * slot->edge_a],
                               faces->edge_face[2 * slot->edge_c], -geometry->gap, CLEARLY))
    return;
  int at_node = 0; // which then lies at the edge of the other body's face, and is seen
  for (int side = 0; side < 2; side++)
    at_node |= face_like[1 - side] && fmin(along[side], 1 - along[side]) * length_of(end[side]) <
                                          AT_NODE * cm->skin.shortest;
  double soon = geometry->gap + (at_node ? 0 : ahead) * contact_dot(3, u, geometry->n);
  geometry->valid = active || !(face_like[0] || face_like[1]) || soon < -FACES_FAILED * cm->alert;
}

static int make(const ContactStep *step, int64_t k, Contact *contact) {
  const FaceSet *faces = &step->cm->faces;
  const SlotInfo *slot = &step->work->slot[k];
  const FaceGeometry *geometry = &step->work->face[k];
  ContactState *state = step->state;
  const double *along = geometry->weight, *area = step->cm->node_area;
  const int32_t *own = faces->edge_node + 2 * (size_t)slot->edge_c;
  int kept = state->flag[k] & FLAG_KEPT;
  *contact = (Contact){.slot = (int32_t)k,
                       .side = {edge_site(faces, slot->body_c, slot->edge_c, along[0], 1),
                                edge_site(faces, slot->body_a, slot->edge_a, along[1], -1)},
                       .area = 0.5 * (area[own[0]] + area[own[1]]),
                       .rule = (int16_t)slot->rule};
  contact_turn_frame(3, kept ? state->normal + 3 * k : NULL, kept ? state->tangent + 3 * k : NULL,
                     geometry->n, contact);
  contact->gap = contact_offset_gap(step, k, slot->rule, geometry->gap);
  return 1;
}

int contact_edge_at(const Contact *contact, const double x[12], FaceGeometry *geometry) {
  const double *const a[2] = {x, x + 3}, *const b[2] = {x + 6, x + 9};
  double apart[3];
  if (!cross_edges(a, b, geometry->weight, apart, geometry->n)) return 0;
  double sign = contact_dot(3, geometry->n, contact->n) < 0 ? -1 : 1;
  for (int i = 0; i < 3; i++) geometry->n[i] *= sign;
  geometry->gap = contact_dot(3, geometry->n, apart);
  return 1;
}

static void detect(const ContactStep *step) {
  const int64_t first = step->work->first[PAIR_EDGE_EDGE],
                last = step->work->first[PAIR_EDGE_EDGE + 1];
#pragma omp parallel for schedule(static) if (last - first > SLOTS_FOR_THREADS)
  for (int64_t k = first; k < last; k++) edge_geometry(step, k);
}

static int counts(const ContactStep *step, int64_t k) {
  return step->work->face[k].valid;
}

static void measure(const Measure *of, int c) {
  measure_gap(of, c, contact_face_gap(of->cm, of->half, of->x, of->state, &of->work->contact[c]));
}

const PairType pair_edge_edge = {.name = "crossing edges",
                                 .search = search,
                                 .detect = detect,
                                 .counts = counts,
                                 .make = make,
                                 .update = contact_face_update,
                                 .measure = measure};
