// The search: which points are near which faces. Edges are entered into hashed cells once, points
// look into their own cell: O(n). Runs only when bodies have moved by half the margin.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/pair_type.h"

// A point may lie near this many faces at once; more are ignored, farthest first.
enum { MOST_FACES = 8 };
// Points on edges are listed when the edges face each other within 60 degrees, nodes when the
// antagonist's normal is within their cone widened by 45 degrees; each step tests finer.
static const double LIST_FACING = -0.5, LIST_CONE = 0.70710678;

typedef struct {
  const ContactModel *cm;
  const BodySet *bs;
  const double *x;
  double reach, depth;
  ContactGrid grid;
  PairKind pair;
} Search;

// Cell size: about an edge and its reach; the origin is the lowest corner of deformable bodies.
static void size_grid(Search *search) {
  const SkinSet *skin = &search->cm->skin;
  double sum = 0;
  int n = 0;
  search->grid.low[0] = search->grid.low[1] = (double)INFINITY;
  for (int e = 0; e < skin->n_edges; e++) {
    double normal[2];
    if (search->bs->type[skin->body[e]]->support) continue;
    sum += edge_normal(skin, search->x, e, normal);
    n++;
    for (int i = 0; i < 2; i++)
      search->grid.low[i] = fmin(search->grid.low[i], search->x[2 * (size_t)skin->node[2 * e] + i]);
  }
  if (n == 0) search->grid.low[0] = search->grid.low[1] = 0;
  search->grid.cell = (n > 0 ? sum / n : 1) + 2 * search->reach;
}

static Status grid_init(Search *search, Err *err) {
  const SkinSet *skin = &search->cm->skin;
  double *box;
  size_grid(search);
  MEM_NEW(box, 4 * skin->n_edges, err);
  for (int e = 0; e < skin->n_edges; e++) {
    const double *a = search->x + 2 * (size_t)skin->node[2 * e],
                 *b = search->x + 2 * (size_t)skin->node[2 * e + 1];
    for (int i = 0; i < 2; i++) {
      box[4 * e + i] = fmin(a[i], b[i]) - search->reach;
      box[4 * e + 2 + i] = fmax(a[i], b[i]) + search->reach;
    }
  }
  Status status = contact_grid_fill(&search->grid, 2, skin->n_edges, box, err);
  mem_free(box);
  return status;
}

int contact_rule_between(const ContactModel *cm, int c, int a, int *rank) {
  if (c == a) {
    *rank = 0;
    return cm->self_of[cm->class_of[c]];
  }
  int forth = cm->rule_of[cm->class_of[c] * cm->n_classes + cm->class_of[a]];
  int back = cm->rule_of[cm->class_of[a] * cm->n_classes + cm->class_of[c]];
  *rank = 0;
  if (forth < 0 && back < 0) return -1;
  if (forth >= back && !(forth == back && c < a)) return forth; // both ways: the later body
  *rank = 1;
  return back;
}

// May a point of this kind serve under the rule? Sets the final rank.
static int kind_serves(PointRule points, int kind, int support, int corner, int *rank,
                       int8_t *twins) {
  *twins = 0;
  if (kind == PLACE_NODE) {
    if (points == POINTS_NODES || points == POINTS_OVERLAP) {
      *twins = points == POINTS_NODES;
      return !support || corner;
    }
    *rank = 2;
    return corner;
  }
  if (support) return 0; // a support's edges are long: only its corners are candidates
  return points == (kind == PLACE_MID ? POINTS_MID : POINTS_GAUSS);
}

// A point on the skin that looks for antagonists.
typedef struct {
  SlotInfo info; // candidate side filled
  double p[2], n[2];
  int corner;
} SearchPoint;

typedef struct {
  SlotInfo info;
  double outside, gap; // distance beyond the ends of the edge
} Finding;

static double away(const Finding *finding) {
  return fmax(finding->outside, fabs(finding->gap));
}

// Keeps the best edge for every face near the point, and the nearest faces.
static void keep_finding(Finding *findings, int *n, const Finding *fresh, const SkinSet *skin) {
  int face = skin->face[fresh->info.edge_a];
  for (int k = 0; k < *n; k++) {
    if (skin->face[findings[k].info.edge_a] != face) continue;
    if (fresh->outside < findings[k].outside ||
        (fresh->outside == findings[k].outside && fabs(fresh->gap) < fabs(findings[k].gap)))
      findings[k] = *fresh;
    return;
  }
  if (*n < MOST_FACES) {
    findings[(*n)++] = *fresh;
    return;
  }
  int farthest = 0;
  for (int k = 1; k < *n; k++)
    if (away(&findings[k]) > away(&findings[farthest])) farthest = k;
  if (away(fresh) < away(&findings[farthest])) findings[farthest] = *fresh;
}

// The same of edges.
static const double NEAR_EDGES = 1.25;

// Is there no rule for this body against itself, or does the edge belong to the neighbourhood of
// the point?
static int too_near(const ContactModel *cm, const SearchPoint *point, int e) {
  const SkinSet *skin = &cm->skin;
  int own = point->info.edge_c;
  if (cm->self_of[cm->class_of[point->info.body_c]] < 0) return 1;
  if (skin->first[own] != skin->first[e]) return 0;
  double loop = fabs(skin->loop[e]), length[2], from[2] = {skin->arc[own], skin->arc[e]};
  const int edge[2] = {own, e};
  for (int k = 0; k < 2; k++) {
    int next = edge[k] + 1;
    int last = next >= skin->n_edges || skin->first[next] != skin->first[edge[k]];
    length[k] = (last ? loop : skin->arc[next]) - from[k];
  }
  double at = from[0] + length[0] * (point->info.place == PLACE_NODE ? 1 : point->info.weight[1]);
  double near = fmax(NEAR_ALERTS * cm->alert, NEAR_EDGES * fmax(length[0], length[1]));
  for (int turn = -1; turn <= 1; turn++) { // the edge, and as it is met the other way round
    double start = from[1] + turn * loop;
    if (turn != 0 && skin->loop[e] < 0) continue;
    if (at > start - near && at < start + length[1] + near) return 1;
  }
  return 0;
}

static void try_edge(const Search *search, const SearchPoint *point, int e, Finding *findings,
                     int *n) {
  const SkinSet *skin = &search->cm->skin;
  int body = skin->body[e], rank, self = body == point->info.body_c;
  if (self && too_near(search->cm, point, e)) return;
  const double *a = search->x + 2 * (size_t)skin->node[2 * e];
  double normal[2], d[2] = {point->p[0] - a[0], point->p[1] - a[1]};
  double length = edge_normal(skin, search->x, e, normal);
  double gap = d[0] * normal[0] + d[1] * normal[1];
  if (gap > search->reach || gap < -search->depth) return;
  double along = -d[0] * normal[1] + d[1] * normal[0]; // tangent of the walk: (-n_y, n_x)
  double outside = along < 0 ? -along : (along > length ? along - length : 0);
  if (outside > search->reach) return;
  int rule = contact_rule_between(search->cm, point->info.body_c, body, &rank);
  if (rule < 0 ||
      (search->cm->rules[rule].points == POINTS_OVERLAP) != (search->pair == PAIR_JOINT))
    return;
  if (self) // one side of a fold has the points
    rank = search->pair == PAIR_JOINT ? skin->arc[point->info.edge_c] > skin->arc[e]
                                      : skin->face[point->info.edge_c] > skin->face[e];
  Finding fresh = {.info = point->info, .outside = outside, .gap = gap};
  int support = search->bs->type[point->info.body_c]->support;
  if (!kind_serves(search->cm->rules[rule].points, point->info.place, support, point->corner, &rank,
                   &fresh.info.twins))
    return;
  if (point->info.place == PLACE_NODE) {
    if (!node_faces(skin, search->x, point->info.edge_c, normal, LIST_CONE)) return;
  } else if (point->n[0] * normal[0] + point->n[1] * normal[1] > LIST_FACING) {
    return;
  }
  fresh.info.body_a = body;
  fresh.info.edge_a = e;
  fresh.info.rule = rule;
  fresh.info.rank = (int8_t)rank;
  keep_finding(findings, n, &fresh, skin);
}

// A point among those of its body.
static int feature_of_point(const SkinSet *skin, int body, int edge, int place) {
  return (edge - skin->first_edge[body]) * N_PLACES + place;
}

// A face among those of its body: the edge that it begins with, where it has no ends the first of
// its loop.
static int feature_of_face(const SkinSet *skin, int body, int edge) {
  int begin = skin->face_end[2 * skin->face[edge]];
  return (begin >= 0 ? begin : skin->first[edge]) - skin->first_edge[body];
}

static Status search_point(const Search *search, const SearchPoint *point, ContactWork *work,
                           Err *err) {
  const ContactGrid *grid = &search->grid;
  const SkinSet *skin = &search->cm->skin;
  Finding findings[MOST_FACES];
  int n = 0;
  int32_t cell[3], last;
  for (int32_t k = contact_grid_at(grid, 2, point->p, cell, &last); k < last; k++)
    if (contact_grid_same(&grid->entry[k], cell))
      try_edge(search, point, grid->entry[k].item, findings, &n);
  for (int k = 0; k < grid->n_large; k++) try_edge(search, point, grid->large[k], findings, &n);
  TRY(mem_grow((void **)&work->slot, &work->slot_capacity, (size_t)work->n_slots + (size_t)n,
               sizeof(SlotInfo), err));
  // Points come in the order of their keys; the few faces of a point are sorted in.
  int64_t first = work->n_slots;
  for (int k = 0; k < n; k++) {
    SlotInfo slot = findings[k].info;
    slot.feature_c = feature_of_point(skin, slot.body_c, slot.edge_c, slot.place);
    slot.feature_a = feature_of_face(skin, slot.body_a, slot.edge_a);
    work->slot[work->n_slots++] = slot;
  }
  contact_sort_slots(work, first);
  return OK;
}

static void edge_point(const Search *search, int e, int kind, SearchPoint *point) {
  static const double along[N_PLACES] = {[PLACE_MID] = 0.5,
                                         [PLACE_GAUSS_1] = 0.21132486540518712,
                                         [PLACE_GAUSS_2] = 0.78867513459481288};
  const SkinSet *skin = &search->cm->skin;
  *point = (SearchPoint){.info = {.body_c = skin->body[e],
                                  .edge_c = e,
                                  .place = (int8_t)kind,
                                  .node = {skin->node[2 * e], skin->node[2 * e + 1]},
                                  .weight = {1 - along[kind], along[kind]}}};
  edge_normal(skin, search->x, e, point->n);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++)
      point->p[i] += point->info.weight[k] * search->x[2 * (size_t)point->info.node[k] + i];
}

// The node at the end of edge e.
static void node_point(const Search *search, int e, SearchPoint *point) {
  const SkinSet *skin = &search->cm->skin;
  int node = skin->node[2 * e + 1];
  *point = (SearchPoint){.info = {.body_c = skin->body[e],
                                  .edge_c = e,
                                  .place = PLACE_NODE,
                                  .node = {node, node},
                                  .weight = {1, 0}},
                         .p = {search->x[2 * (size_t)node], search->x[2 * (size_t)node + 1]},
                         .corner = skin->corner[e]};
}

// Points in the order of their keys, so that the slots need no sorting.
static Status search_all(const Search *search, ContactWork *work, Err *err) {
  const SkinSet *skin = &search->cm->skin;
  int wanted[N_PLACES] = {0};
  for (int r = 0; r < search->cm->n_rules; r++) {
    wanted[PLACE_NODE] |=
        (search->cm->rules[r].points == POINTS_OVERLAP) == (search->pair == PAIR_JOINT);
    if (search->pair == PAIR_JOINT) continue;
    wanted[PLACE_MID] |= search->cm->rules[r].points == POINTS_MID;
    wanted[PLACE_GAUSS_1] |= search->cm->rules[r].points == POINTS_GAUSS;
  }
  wanted[PLACE_GAUSS_2] = wanted[PLACE_GAUSS_1];
  for (int e = 0; e < skin->n_edges; e++)
    for (int kind = PLACE_MID; kind <= PLACE_NODE; kind++) {
      int support = search->bs->type[skin->body[e]]->support;
      if (!wanted[kind] || (kind == PLACE_NODE ? skin->next[e] < 0 : support)) continue;
      SearchPoint point;
      if (kind == PLACE_NODE)
        node_point(search, e, &point);
      else
        edge_point(search, e, kind, &point);
      TRY(search_point(search, &point, work, err));
    }
  return OK;
}

// ---- joints: pairs of faces ---------------------------------------------------------------------

typedef struct {
  int64_t faces;
  int32_t slot, which;
} JointRef;

static int compare_joints(const void *a, const void *b) {
  const JointRef *x = a, *y = b;
  if (x->faces != y->faces) return (x->faces > y->faces) - (x->faces < y->faces);
  return x->slot != y->slot ? (x->slot > y->slot) - (x->slot < y->slot) : x->which - y->which;
}

// Pairs of faces in the order of their numbers, each with the slots of its points.
static Status list_joints(const SkinSet *skin, const ContactWork *work, int64_t first,
                          JointRef **ref, int64_t *n, Err *err) {
  MEM_NEW(*ref, 2 * (work->n_slots - first), err);
  *n = 0;
  for (int64_t k = first; k < work->n_slots; k++) {
    const SlotInfo *slot = &work->slot[k];
    int own[2] = {skin->face[slot->edge_c], -1};
    if (slot->place == PLACE_NODE) own[1] = skin->face[skin->next[slot->edge_c]];
    if (own[1] == own[0]) own[1] = -1;
    for (int i = 0; i < 2 && !slot->twins; i++) {
      if (own[i] < 0) continue;
      int64_t other = skin->face[slot->edge_a], low = own[i] < other ? own[i] : other;
      (*ref)[(*n)++] = (JointRef){low << 32 | (own[i] + other - low), (int32_t)k, i};
    }
  }
  qsort(*ref, (size_t)*n, sizeof **ref, compare_joints);
  return OK;
}

static Status number_joints(const JointRef *ref, int64_t n, ContactWork *work, Err *err) {
  work->n_joints = 0;
  for (int64_t k = 0; k < n; k++) {
    if (k == 0 || ref[k].faces != ref[k - 1].faces) work->n_joints++;
    work->slot[ref[k].slot].joint[ref[k].which] = work->n_joints - 1;
  }
  TRY(mem_grow((void **)&work->joint_gap, &work->gap_capacity, (size_t)work->n_joints,
               sizeof *work->joint_gap, err));
  TRY(mem_grow((void **)&work->joint_tilt, &work->tilted_capacity, (size_t)work->n_joints, 1, err));
  return mem_grow((void **)&work->joint_best, &work->joint_capacity, (size_t)work->n_joints, 1,
                  err);
}

// The same where a joint has the nodes of both its sides: a list of them.
static Status list_members(const JointRef *ref, int64_t n, ContactWork *work, Err *err) {
  TRY(mem_grow((void **)&work->overlap_ptr, &work->overlap_capacity, (size_t)n + 1,
               sizeof *work->overlap_ptr, err));
  TRY(mem_grow((void **)&work->member, &work->member_capacity, (size_t)n, sizeof *work->member,
               err));
  work->n_overlaps = 0;
  for (int64_t k = 0; k < n; k++) {
    if (k == 0 || ref[k].faces != ref[k - 1].faces) work->overlap_ptr[work->n_overlaps++] = (int)k;
    work->member[k] = 2 * ref[k].slot + ref[k].which;
  }
  work->overlap_ptr[work->n_overlaps] = (int)n;
  return OK;
}

// Points at nodes: where the other side has a node at the same place, its slot is the twin.
static void find_twins(const SkinSet *skin, const double *x, double reach, ContactWork *work) {
  for (int64_t k = work->first[PAIR_POINT_EDGE]; k < work->n_slots; k++) {
    SlotInfo *slot = &work->slot[k];
    slot->twin = -1;
    if (!slot->twins || slot->rank == 0) continue;
    double nearest = reach * reach;
    for (int end = 0; end < 2; end++) {
      int node = skin->node[2 * slot->edge_a + end];
      int edge_in = end == 1 ? slot->edge_a : skin->prev[slot->edge_a];
      double dx = x[2 * (size_t)node] - x[2 * (size_t)slot->node[0]];
      double dy = x[2 * (size_t)node + 1] - x[2 * (size_t)slot->node[0] + 1];
      if (edge_in < 0 || dx * dx + dy * dy > nearest) continue;
      int body = skin->body[edge_in], feature = feature_of_point(skin, body, edge_in, PLACE_NODE);
      for (int64_t j = contact_first_slot(work, PAIR_POINT_EDGE, body, feature);
           j < work->n_slots && work->slot[j].body_c == body && work->slot[j].feature_c == feature;
           j++)
        if (work->slot[j].body_a == slot->body_c) {
          slot->twin = (int32_t)j;
          nearest = dx * dx + dy * dy;
        }
    }
  }
}

static Status search_pairs(Search *search, ContactWork *work, Err *err) {
  const SkinSet *skin = &search->cm->skin;
  int64_t first = work->n_slots, n = 0;
  JointRef *ref = NULL;
  TRY(grid_init(search, err));
  TRY(search_all(search, work, err));
  TRY(mem_grow((void **)&work->geometry, &work->geometry_capacity, (size_t)work->n_slots,
               sizeof(SlotGeometry), err));
  for (int64_t k = first; k < work->n_slots; k++) {
    work->slot[k].pair = (int8_t)search->pair;
    work->slot[k].joint[0] = work->slot[k].joint[1] = work->slot[k].twin = -1;
  }
  Status status = list_joints(skin, work, first, &ref, &n, err);
  if (status == OK)
    status = search->pair == PAIR_JOINT ? list_members(ref, n, work, err)
                                        : number_joints(ref, n, work, err);
  mem_free(ref);
  if (search->pair == PAIR_POINT_EDGE) find_twins(skin, search->x, search->reach, work);
  return status;
}

static int is_wanted(const ContactModel *cm, PairKind pair) {
  int any = 0;
  for (int r = 0; r < cm->n_rules; r++)
    any |= (cm->rules[r].points == POINTS_OVERLAP) == (pair == PAIR_JOINT);
  return any;
}

Status contact_point_search(const PairSearch *pairs, PairKind pair, ContactWork *work, Err *err) {
  Search search = {.pair = pair,
                   .cm = pairs->cm,
                   .bs = pairs->bs,
                   .x = pairs->x,
                   .reach = pairs->reach,
                   .depth = fmax(pairs->reach, 0.5 * pairs->cm->skin.shortest)};
  if (pair == PAIR_JOINT)
    work->n_overlaps = 0;
  else
    work->n_joints = 0;
  if (pairs->bs->dim != 2 || !is_wanted(pairs->cm, pair)) return OK;
  Status status = search_pairs(&search, work, err);
  contact_grid_free(&search.grid);
  return status;
}
