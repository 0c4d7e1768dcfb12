// What is near what in space: bodies by their boxes, then nodes, faces and edges of two of them.

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "contact/near.h"

// With fewer boxes on one side all pairs are tried: cells cost as much as so many comparisons.
enum { FEW_BOXES = 512 };

static inline int boxes_touch(const double *a, const double *b) {
  return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] &&
         b[2] <= a[5];
}

static Status add(BoxList *list, int32_t item, const double box[6], Err *err) {
  const size_t n = (size_t)list->n;
  if (n >= list->item_capacity || 6 * (n + 1) > list->box_capacity) {
    TRY(mem_grow((void **)&list->item, &list->item_capacity, n + 1, sizeof *list->item, err));
    TRY(mem_grow((void **)&list->box, &list->box_capacity, 6 * (n + 1), sizeof *list->box, err));
  }
  list->item[n] = item;
  for (int i = 0; i < 6; i++) list->box[6 * n + (size_t)i] = box[i];
  list->n++;
  return OK;
}

void near_free(BoxList *list) {
  mem_free(list->item);
  mem_free(list->box);
  *list = (BoxList){0};
}

// A cell is as wide as boxes are in the mean of logarithms: a few large ones do not count.
static Status fill_cells(const BoxList *list, ContactGrid *grid, Err *err) {
  double sum = 0;
  for (int i = 0; i < 3; i++) grid->low[i] = (double)INFINITY;
  for (int k = 0; k < list->n; k++) {
    const double *box = list->box + 6 * (size_t)k;
    double widest = 0;
    for (int i = 0; i < 3; i++) {
      grid->low[i] = fmin(grid->low[i], box[i]);
      widest = fmax(widest, box[3 + i] - box[i]);
    }
    sum += log(widest);
  }
  grid->cell = exp(sum / list->n);
  return contact_grid_fill(grid, 3, list->n, list->box, err);
}

typedef struct {
  const BoxList *own, *other;
  int at; // of `own`
  MeetItems meet;
  void *of;
} Meeting;

static Status try_boxes(void *meeting, int k, Err *err) {
  const Meeting *m = meeting;
  if (!boxes_touch(m->own->box + 6 * (size_t)m->at, m->other->box + 6 * (size_t)k)) return OK;
  return m->meet(m->of, m->at, k, err);
}

Status near_each(const BoxList *own, const BoxList *other, MeetItems meet, void *of, Err *err) {
  const int few = own->n < FEW_BOXES || other->n < FEW_BOXES;
  Meeting meeting = {own, other, 0, meet, of};
  ContactGrid grid = {0};
  Status status = few ? OK : fill_cells(other, &grid, err);
  for (int j = 0; status == OK && j < own->n; j++) {
    meeting.at = j;
    for (int k = 0; few && status == OK && k < other->n; k++)
      if (boxes_touch(own->box + 6 * (size_t)j, other->box + 6 * (size_t)k))
        status = meet(of, j, k, err);
    if (!few)
      status = contact_grid_near(&grid, 3, other->n, other->box, own->box + 6 * (size_t)j,
                                 try_boxes, &meeting, err);
  }
  contact_grid_free(&grid);
  return status;
}

// ---- bodies -------------------------------------------------------------------------------------

static inline void box_of(const double *x, const int32_t *node, int n, double box[6]) {
  const double *first = x + 3 * (size_t)node[0];
  for (int i = 0; i < 3; i++) box[i] = box[3 + i] = first[i];
  for (int k = 1; k < n; k++) {
    const double *at = x + 3 * (size_t)node[k];
    for (int i = 0; i < 3; i++) {
      box[i] = at[i] < box[i] ? at[i] : box[i];
      box[3 + i] = at[i] > box[3 + i] ? at[i] : box[3 + i];
    }
  }
}

static inline void widen(const double box[6], double by, double wide[6]) {
  for (int i = 0; i < 3; i++) {
    wide[i] = box[i] - by;
    wide[3 + i] = box[3 + i] + by;
  }
}

// Boxes of all bodies that may touch by nodes, and those of them that are looked for anew.
static Status list_bodies(const PairSearch *pairs, NearBodies *near, BoxList *all, BoxList *renewed,
                          Err *err) {
  const SkinSet *skin = &pairs->cm->skin;
  const BodySet *bs = pairs->bs;
  const double half = 0.5 * (pairs->cm->alert + pairs->cm->thickest);
  MEM_NEW(near->box, 6 * bs->n_bodies, err);
  for (int b = 0; b < bs->n_bodies; b++) {
    const int first = skin->first_node[b], n = skin->first_node[b + 1] - first;
    double box[6];
    if (n == 0) continue;
    box_of(pairs->x, skin->skin_node + first, n, near->box + 6 * (size_t)b);
    widen(near->box + 6 * (size_t)b, half + pairs->margin[b], box);
    TRY(add(all, b, box, err));
    if (pairs->renewed[b]) TRY(add(renewed, b, box, err));
  }
  return OK;
}

typedef struct {
  const PairSearch *pairs;
  NearBodies *near;
  const BoxList *renewed, *all;
} BodySearch;

// The node of a body that is farthest along an axis, and how far.
static int farthest(const BodySearch *search, int body, const double axis[3], double sign,
                    double *far) {
  const SkinSet *skin = &search->pairs->cm->skin;
  const int32_t *node = skin->skin_node;
  int found = -1;
  *far = -(double)INFINITY;
  for (int k = skin->first_node[body]; k < skin->first_node[body + 1]; k++) {
    const double at = sign * vec3_dot(axis, search->pairs->x + 3 * (size_t)node[k]);
    if (at <= *far) continue;
    *far = at;
    found = node[k];
  }
  return found;
}

// The axis along which two bodies are farthest apart, nearly: that of the shortest way between
// their hulls, by Gilbert's algorithm. Returns how far; less than 0: not at all along that axis.
static double part(const BodySearch *search, BodyPair *pair) {
  enum { MOST_WAYS = 8 };
  static const double ENOUGH = 0.05; // of what the hulls are apart
  const double *x = search->pairs->x, *box[2];
  double way[3], apart = -(double)INFINITY;
  for (int s = 0; s < 2; s++) box[s] = search->near->box + 6 * (size_t)pair->body[s];
  for (int i = 0; i < 3; i++)
    way[i] = 0.5 * (box[1][i] + box[1][3 + i]) - 0.5 * (box[0][i] + box[0][3 + i]);
  for (int k = 0; k < MOST_WAYS; k++) {
    const double length = vec3_length(way);
    double axis[3], far[2], to[3], d[3];
    if (!(length > 0)) break;
    for (int i = 0; i < 3; i++) axis[i] = way[i] / length;
    const int a = farthest(search, pair->body[0], axis, 1, &far[0]),
              b = farthest(search, pair->body[1], axis, -1, &far[1]);
    const double own = -far[1] - far[0];
    if (own > apart) {
      apart = own;
      memcpy(pair->axis, axis, sizeof axis);
      pair->from = -far[1] - pair->reach;
      pair->upto = far[0] + pair->reach;
    }
    if (apart > pair->reach || length - apart <= ENOUGH * length) break;
    for (int i = 0; i < 3; i++) {
      to[i] = x[3 * (size_t)b + i] - x[3 * (size_t)a + i];
      d[i] = to[i] - way[i];
    }
    const double along = -vec3_dot(way, d) / vec3_dot(d, d);
    if (!(along > 0)) break;
    for (int i = 0; i < 3; i++) way[i] += fmin(along, 1) * d[i];
  }
  return apart;
}

static int n_nodes(const BodySearch *search, const BodyPair *pair) {
  const int32_t *at = search->pairs->cm->skin.first_node;
  return at[pair->body[0] + 1] - at[pair->body[0]] + at[pair->body[1] + 1] - at[pair->body[1]];
}

// What parts the bodies; 0: they are out of reach. What is in the other by more than `reach` is so
// along every axis: then it is looked for as deep as it may stay.
static int look_apart(const BodySearch *search, BodyPair *pair) {
  // To look at more nodes for each pair of bodies takes longer than it spares.
  enum { MOST_NODES = 100 };
  const PairSearch *pairs = search->pairs;
  const double *margin = pairs->margin;
  const ContactModel *cm = pairs->cm;
  const double more = margin[pair->body[0]] + margin[pair->body[1]] + cm->thickest,
               deepest = fmax(cm->alert, DEEPEST * cm->skin.shortest) + more;
  pair->reach = cm->alert + more;
  pair->from = -(double)INFINITY;
  pair->upto = (double)INFINITY;
  if (pair->body[0] == pair->body[1] || n_nodes(search, pair) > MOST_NODES) {
    pair->reach = deepest;
    return 1;
  }
  const double apart = part(search, pair);
  if (apart > pair->reach) return 0;
  if (apart >= -pair->reach) return 1;
  pair->from += pair->reach - deepest;
  pair->upto += deepest - pair->reach;
  pair->reach = deepest;
  return 1;
}

static Status meet_bodies(void *of, int own, int other, Err *err) {
  const BodySearch *search = of;
  const int a = search->renewed->item[own], b = search->all->item[other];
  const PairSearch *pairs = search->pairs;
  const BodySet *bs = pairs->bs;
  NearBodies *near = search->near;
  BodyPair pair = {.body = {a < b ? a : b, a < b ? b : a}};
  int rank;
  if (pairs->renewed[b] && b < a) return OK; // met the other way round, too
  if (bs->type[a]->support && bs->type[b]->support) return OK;
  if (contact_rule_between(pairs->cm, a, b, &rank) < 0) return OK;
  if (a == b && !bs->type[a]->deforms) return OK;
  if (!look_apart(search, &pair)) return OK;
  TRY(mem_grow((void **)&near->pair, &near->capacity, (size_t)near->n + 1, sizeof *near->pair,
               err));
  near->pair[near->n++] = pair;
  return OK;
}

Status near_bodies(const PairSearch *pairs, NearBodies *near, Err *err) {
  BoxList all = {0}, renewed = {0};
  BodySearch search = {pairs, near, &renewed, &all};
  *near = (NearBodies){0};
  Status status = list_bodies(pairs, near, &all, &renewed, err);
  if (status == OK) status = near_each(&renewed, &all, meet_bodies, &search, err);
  near_free(&all);
  near_free(&renewed);
  return status;
}

void near_bodies_free(NearBodies *near) {
  mem_free(near->pair);
  mem_free(near->box);
  *near = (NearBodies){0};
}

Status near_list(const PairSearch *pairs, const BodyPair *pair, int side, int item,
                 const int32_t *node, int n, BoxList *list, Err *err) {
  const double *x = pairs->x, *other = pairs->box + 6 * (size_t)pair->body[1 - side];
  double own[6], box[6];
  int in_reach = 0;
  for (int k = 0; k < n && !in_reach; k++) {
    const double at = vec3_dot(pair->axis, x + 3 * (size_t)node[k]);
    in_reach = side == 0 ? at >= pair->from : at <= pair->upto;
  }
  if (!in_reach) return OK;
  box_of(x, node, n, own);
  widen(own, pair->reach, box);
  if (!boxes_touch(box, other)) return OK;
  widen(own, 0.5 * pair->reach, box); // of both sides together
  return add(list, item, box, err);
}

Status near_search(const PairSearch *pairs, FindSlots find, ContactWork *work, Err *err) {
  BoxList list[2] = {{0}, {0}};
  if (pairs->bs->dim != 3 || !pairs->cm->has_pairs) return OK;
  Status status = find(pairs, list, work, err);
  for (int s = 0; s < 2; s++) near_free(&list[s]);
  return status;
}
