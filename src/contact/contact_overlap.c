// Bodies that lie in one another where a run starts. Contact would throw them apart or, where they
// are deeper in each other than the search looks, never see them: the user must be told. Of a sheet
// half of its thickness on either side counts.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/space.h"
#include "base/vec3.h"
#include "contact/pair_type.h"
#include "shape/facet.h"

// Bodies overlap when a point is inside by more than this share of the shortest edge: meshes are
// not exact.
static const double OVERLAP_SHARE = 1e-3;
// A sheet has no thickness beyond its rim: a point counts that lies within 45 degrees of a facet's
// normal.
static const double BEFORE_FACET = 0.7;

typedef struct {
  double low[3], high[3];
  int body, first, n; // facets
  double half;        // of a sheet's thickness, 0: solid
  double radius;      // of a disk, which has no facets, 0: none
  const double *centre;
} BodyBox;

// The facets of all skins, body after body.
typedef struct {
  int n;
  const int32_t *node, *body; // [n * space_facet_nodes], [n]
} Facets;

typedef struct {
  const ContactModel *cm;
  const BodySet *bs;
  Facets facets;
  double allowed;
} Look;

double contact_overlap_allowed(const ContactModel *cm) {
  return OVERLAP_SHARE * cm->skin.shortest;
}

double contact_half_at_start(const BodySet *bs, int body) {
  return contact_is_sheet(bs, body) ? 0.5 * bs->finite[bs->own[body]].form.spec.thickness : 0;
}

double contact_inside(const ContactModel *cm, const BodySet *bs, int a, int b) {
  const double own = bs->inside ? fmin(bs->inside[a], bs->inside[b]) : 0;
  // joints of the plane that are deeper are not found
  return fmax(cm->tolerated, bs->dim == 2 ? fmin(own, cm->alert) : own);
}

// Edges in the plane, faces in space.
static Facets facets_of(const ContactModel *cm, int dim) {
  if (dim == 2) return (Facets){cm->skin.n_edges, cm->skin.node, cm->skin.body};
  return (Facets){cm->faces.n_faces, cm->faces.node, cm->faces.body};
}

// Corners of a facet at the start, z zero in the plane; returns how many.
static int facet_places(const Look *look, int facet, double corner[12]) {
  int dim = look->bs->dim, most = space_facet_nodes(dim), n = 0;
  const int32_t *node = look->facets.node + (size_t)most * (size_t)facet;
  for (; n < most && node[n] >= 0; n++)
    space_to_three(dim, look->bs->x + (size_t)dim * (size_t)node[n], corner + 3 * n);
  return n;
}

// Boxes of all bodies.
static void make_boxes(const Look *look, BodyBox *box) {
  const BodySet *bs = look->bs;
  for (int b = 0, f = 0; b < bs->n_bodies; b++) {
    box[b] = (BodyBox){.body = b, .first = f, .half = contact_half_at_start(bs, b)};
    for (int i = 0; i < 3; i++) {
      box[b].low[i] = i < bs->dim ? (double)INFINITY : 0;
      box[b].high[i] = i < bs->dim ? -(double)INFINITY : 0;
    }
    for (; f < look->facets.n && look->facets.body[f] == b; f++) {
      double corner[12];
      int n = facet_places(look, f, corner);
      for (int k = 0; k < n; k++)
        for (int i = 0; i < bs->dim; i++) {
          box[b].low[i] = fmin(box[b].low[i], corner[3 * k + i] - box[b].half);
          box[b].high[i] = fmax(box[b].high[i], corner[3 * k + i] + box[b].half);
        }
    }
    box[b].n = f - box[b].first;
    if (!bs->type[b]->size) continue;
    box[b].radius = bs->type[b]->size(bs, b);
    box[b].centre = bs->x + (size_t)bs->dim * (size_t)bs->node_ptr[b];
    for (int i = 0; i < bs->dim; i++) {
      box[b].low[i] = box[b].centre[i] - box[b].radius;
      box[b].high[i] = box[b].centre[i] + box[b].radius;
    }
  }
}

// The angle, in space the solid angle, under which p sees a facet, positive from behind.
static double angle_of(int n, const double *corner, const double p[3]) {
  double d[4][3], length[4], sum = 0;
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < 3; i++) d[k][i] = corner[3 * k + i] - p[i];
    length[k] = sqrt(contact_dot(3, d[k], d[k]));
  }
  if (n == 2) return atan2(d[0][0] * d[1][1] - d[0][1] * d[1][0], contact_dot(2, d[0], d[1]));
  for (int k = 1; k + 1 < n; k++) { // van Oosterom and Strackee 1983
    const double *a = d[0], *b = d[k], *c = d[k + 1];
    double det = vec3_det(a, b, c);
    double below = length[0] * length[k] * length[k + 1] + contact_dot(3, a, b) * length[k + 1] +
                   contact_dot(3, b, c) * length[0] + contact_dot(3, c, a) * length[k];
    sum += 2 * atan2(det, below);
  }
  return sum;
}

// Is the facet's box nearer to p than this?
static int may_be_nearer(int n, const double *corner, const double p[3], double square) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    double low = corner[i], high = corner[i];
    for (int k = 1; k < n; k++) {
      low = fmin(low, corner[3 * k + i]);
      high = fmax(high, corner[3 * k + i]);
    }
    double beyond = fmax(fmax(low - p[i], p[i] - high), 0);
    sum += beyond * beyond;
  }
  return sum < square;
}

// How far a ball of radius `half` around p reaches into a body; <= 0: it does not.
static double depth_in(const Look *look, const BodyBox *box, const double p[3], double half) {
  double nearest = (double)INFINITY, angle = 0, whole = look->bs->dim - 1; // of 2 pi
  int before = 0;
  for (int i = 0; i < look->bs->dim; i++)
    if (p[i] + half <= box->low[i] || p[i] - half >= box->high[i]) return 0;
  for (int f = box->first; f < box->first + box->n; f++) {
    double corner[12], weight[4], normal[3], d[3] = {p[0], p[1], p[2]};
    int n = facet_places(look, f, corner);
    if (box->half == 0) angle += angle_of(n, corner, p);
    if (!may_be_nearer(n, corner, p, nearest)) continue;
    double square = facet_nearest(n, corner, p, weight);
    if (square >= nearest) continue;
    nearest = square;
    facet_normal(n, corner, weight, normal);
    for (int k = 0; k < n; k++)
      for (int i = 0; i < 3; i++) d[i] -= weight[k] * corner[3 * k + i];
    before = fabs(contact_dot(3, d, normal)) > BEFORE_FACET * sqrt(square);
  }
  nearest = sqrt(nearest);
  if (fabs(angle) > whole * PI) return nearest + half;
  return before ? half + box->half - nearest : 0;
}

// Mean of the middles of a body's facets.
static void middle_of(const Look *look, const BodyBox *box, double middle[3]) {
  memset(middle, 0, 3 * sizeof *middle);
  for (int f = box->first; f < box->first + box->n; f++) {
    double corner[12];
    int n = facet_places(look, f, corner);
    for (int k = 0; k < n; k++)
      for (int i = 0; i < 3; i++) middle[i] += corner[3 * k + i] / (n * box->n);
  }
}

// How deep the nodes, the middles of the facets and the centre of one body, or a disk, lie in
// another.
static double deepest(const Look *look, const BodyBox *own, const BodyBox *other) {
  double depth = 0, centre[3] = {0};
  if (own->radius > 0) {
    memcpy(centre, own->centre, (size_t)look->bs->dim * sizeof *centre);
    if (other->radius == 0) return depth_in(look, other, centre, own->radius);
    return own->radius + other->radius -
           hypot(centre[0] - other->centre[0], centre[1] - other->centre[1]);
  }
  for (int f = own->first; f < own->first + own->n; f++) {
    double corner[12], middle[3] = {0};
    int n = facet_places(look, f, corner);
    for (int k = 0; k < n; k++) {
      depth = fmax(depth, depth_in(look, other, corner + 3 * k, own->half));
      for (int i = 0; i < 3; i++) middle[i] += corner[3 * k + i] / n;
    }
    depth = fmax(depth, depth_in(look, other, middle, own->half));
  }
  middle_of(look, own, centre);
  if (own->half > 0 || !(depth_in(look, own, centre, 0) > 0)) return depth;
  return fmax(depth, depth_in(look, other, centre, 0));
}

// Moves p to the surface of a tool, whose normals are those of the way there but for meshes. 0: it
// is not found.
static int go_to_surface(const Tool *tool, double exact, double p[3]) {
  enum { MOST_STEPS = 20 };
  const Shape *shape = &tool->shape;
  ShapeHit hit;
  for (int k = 0; k < MOST_STEPS; k++) {
    if (!shape->type->nearest(shape, p, (double)INFINITY, &hit)) return 0;
    if (fabs(hit.gap) <= exact) return 1;
    for (int i = 0; i < 3; i++) p[i] -= hit.gap * hit.n[i];
  }
  return 0;
}

// How deep a point of a tool's surface lies in a solid, near the solid's middle. Of a tool whose
// surface meets no face of the solid any point tells whether it lies inside.
static double depth_of_tool(const Look *look, const BodyBox *box, const Tool *tool) {
  static const double EXACT = 1e-3; // of what is allowed
  double p[3];
  if (box->half > 0 || box->n == 0) return 0;
  middle_of(look, box, p);
  return go_to_surface(tool, EXACT * look->allowed, p) ? depth_in(look, box, p, 0) : 0;
}

// How deep two bodies lie in one another: the way that parts them, where it is known.
static double depth_between(const Look *look, const BodyBox *a, const BodyBox *b, double allowed) {
  double way;
  const Parting parting = contact_parting(look->cm, look->bs, a->body, b->body, allowed, &way);
  if (parting == PARTING_LEAST) return way;
  const double depth = fmax(deepest(look, a, b), deepest(look, b, a));
  return depth > allowed && parting == PARTING_BY_FACES ? fmax(depth, way) : depth;
}

static int may_touch(const ContactModel *cm, int a, int b) {
  int rank;
  return contact_rule_between(cm, a, b, &rank) >= 0 || contact_rule_between(cm, b, a, &rank) >= 0;
}

static int boxes_meet(int dim, const BodyBox *a, const BodyBox *b, double allowed) {
  for (int i = 0; i < dim; i++)
    if (fmin(a->high[i], b->high[i]) - fmax(a->low[i], b->low[i]) <= allowed) return 0;
  return 1;
}

static Status add_overlap(OverlapList *list, int a, int b, double depth, Err *err) {
  TRY(mem_grow((void **)&list->item, &list->capacity, (size_t)list->n + 1, sizeof *list->item,
               err));
  list->item[list->n++] = (BodyOverlap){{a < b ? a : b, a < b ? b : a}, depth};
  return OK;
}

// The search for pairs, as the grid calls it.
typedef struct {
  const Look *look;
  const BodyBox *box;
  OverlapList *list;
} Meeting;

static Status meet(void *of, int i, int j, Err *err) {
  const Meeting *m = of;
  const BodySet *bs = m->look->bs;
  if (bs->type[i]->support && bs->type[j]->support) return OK;
  const BodyBox *a = &m->box[i], *b = &m->box[j];
  const double allowed = fmax(m->look->allowed, contact_inside(m->look->cm, bs, i, j));
  if (!boxes_meet(bs->dim, a, b, allowed) || !may_touch(m->look->cm, i, j)) return OK;
  const double depth = depth_between(m->look, a, b, allowed);
  return depth > allowed ? add_overlap(m->list, i, j, depth, err) : OK;
}

// Cells as large as the mean body; bodies without facets and shape are nowhere.
static void size_grid(const BodySet *bs, const BodyBox *box, ContactGrid *grid) {
  double sum = 0;
  int n = 0;
  for (int i = 0; i < 3; i++) grid->low[i] = (double)INFINITY;
  for (int b = 0; b < bs->n_bodies; b++) {
    double extent = 0;
    if (!(box[b].low[0] <= box[b].high[0])) continue;
    for (int i = 0; i < bs->dim; i++) {
      grid->low[i] = fmin(grid->low[i], box[b].low[i]);
      extent = fmax(extent, box[b].high[i] - box[b].low[i]);
    }
    sum += extent;
    n++;
  }
  for (int i = 0; i < 3; i++) grid->low[i] = isfinite(grid->low[i]) ? grid->low[i] : 0;
  grid->cell = sum > 0 ? sum / n : 1;
}

static int compare_overlaps(const void *a, const void *b) {
  const int *x = ((const BodyOverlap *)a)->body, *y = ((const BodyOverlap *)b)->body;
  return x[0] != y[0] ? x[0] - y[0] : x[1] - y[1];
}

static Status overlaps_of_bodies(const Look *look, BodyBox *box, OverlapList *list, Err *err) {
  const BodySet *bs = look->bs;
  size_t dim = (size_t)bs->dim;
  ContactGrid grid = {0};
  Meeting meeting = {look, box, list};
  double *corners;
  make_boxes(look, box);
  size_grid(bs, box, &grid);
  MEM_NEW(corners, 2 * dim * (size_t)bs->n_bodies, err);
  for (int b = 0; b < bs->n_bodies; b++)
    for (size_t i = 0; i < dim; i++) {
      int empty = !(box[b].low[0] <= box[b].high[0]);
      corners[2 * dim * (size_t)b + i] = empty ? grid.low[i] : box[b].low[i];
      corners[2 * dim * (size_t)b + dim + i] = empty ? grid.low[i] : box[b].high[i];
    }
  Status status = contact_grid_fill(&grid, bs->dim, bs->n_bodies, corners, err);
  if (status == OK)
    status = contact_grid_pairs(&grid, bs->dim, bs->n_bodies, corners, meet, &meeting, err);
  contact_grid_free(&grid);
  mem_free(corners);
  if (list->n > 0) qsort(list->item, (size_t)list->n, sizeof *list->item, compare_overlaps);
  return status;
}

static Status overlaps_with_tools(const Look *look, const BodyBox *box, OverlapList *list,
                                  Err *err) {
  const BodySet *bs = look->bs;
  for (int b = 0; b < bs->n_bodies; b++)
    for (int t = 0; t < bs->n_tools && !bs->type[b]->by_shape; t++) {
      int tool = bs->tools[t].body;
      if (bs->type[b]->support || !may_touch(look->cm, b, tool)) continue;
      double depth = fmax(contact_depth_in_tool(look->cm, bs, b, &bs->tools[t]),
                          depth_of_tool(look, &box[b], &bs->tools[t]));
      if (depth > look->allowed) TRY(add_overlap(list, b, tool, depth, err));
    }
  return OK;
}

Status contact_overlaps(const ContactModel *cm, const BodySet *bs, OverlapList *list, Err *err) {
  Look look = {cm, bs, facets_of(cm, bs->dim), fmax(contact_overlap_allowed(cm), cm->tolerated)};
  BodyBox *box;
  *list = (OverlapList){0};
  MEM_NEW(box, bs->n_bodies, err);
  Status status = overlaps_of_bodies(&look, box, list, err);
  if (status == OK) status = overlaps_with_tools(&look, box, list, err);
  mem_free(box);
  return status;
}
