// Rigid disks in the plane, with one another and with edges. A disk is always the candidate.
//
// The point of contact lies on the rim: of the disk it is a mean of its centre and of two nodes a
// right angle apart, whose weights follow the normal. A corner belongs to the edge that ends there.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/pair_type.h"
#include "mesh/generate.h"

static const RigidBody *disk_of(const BodySet *bs, int body) {
  return &bs->rigid[bs->own[body]];
}

static const double *center_at(const BodySet *bs, const double *x, int body) {
  return x + 2 * (size_t)bs->node_ptr[body];
}

// ---- search -------------------------------------------------------------------------------------

// Boxes of all disks, then of what else they meet, each widened by half of `reach`.
typedef struct {
  const PairSearch *pairs;
  ContactWork *work;
  int n_disks, n;
  int32_t *disk; // [n_disks] indices of rigid bodies
  double *box;   // [n * 4]
} DiskSearch;

static Status add_slot(const DiskSearch *search, int disk, int other, SlotInfo slot, Err *err) {
  int rank;
  const BodySet *bs = search->pairs->bs;
  ContactWork *work = search->work;
  slot.rule = contact_rule_between(search->pairs->cm, disk, other, &rank);
  if (slot.rule < 0 || disk == other) return OK;
  slot.body_c = disk;
  slot.body_a = other;
  slot.node[0] = slot.node[1] = bs->node_ptr[disk];
  slot.weight[0] = 1;
  slot.edge_c = slot.twin = slot.joint[0] = slot.joint[1] = -1;
  TRY(mem_grow((void **)&work->slot, &work->slot_capacity, (size_t)work->n_slots + 1,
               sizeof *work->slot, err));
  work->slot[work->n_slots++] = slot;
  return OK;
}

static Status meet_disk(void *of, int i, int j, Err *err) {
  const DiskSearch *search = of;
  const PairSearch *pairs = search->pairs;
  const RigidBody *own = &pairs->bs->rigid[search->disk[i]],
                  *other = &pairs->bs->rigid[search->disk[j]];
  const double *a = center_at(pairs->bs, pairs->x, own->body),
               *b = center_at(pairs->bs, pairs->x, other->body);
  if (hypot(a[0] - b[0], a[1] - b[1]) > own->radius + other->radius + pairs->reach) return OK;
  const SlotInfo slot = {.pair = PAIR_DISK_DISK, .edge_a = -1};
  return add_slot(search, own->body, other->body, slot, err);
}

static Status meet_edge(void *of, int i, int j, Err *err) {
  const DiskSearch *search = of;
  const SkinSet *skin = &search->pairs->cm->skin;
  if (i >= search->n_disks || j < search->n_disks) return OK;
  int e = j - search->n_disks, body = skin->body[e];
  const SlotInfo slot = {
      .pair = PAIR_DISK_EDGE, .edge_a = e, .feature_a = e - skin->first_edge[body]};
  return add_slot(search, search->pairs->bs->rigid[search->disk[i]].body, body, slot, err);
}

static void box_around(const DiskSearch *search, int k, const double *a, const double *b,
                       double radius) {
  const double wide = radius + search->pairs->reach / 2;
  for (int i = 0; i < 2; i++) {
    search->box[4 * k + i] = fmin(a[i], b[i]) - wide;
    search->box[4 * k + 2 + i] = fmax(a[i], b[i]) + wide;
  }
}

static Status make_boxes(DiskSearch *search, int n_others, Err *err) {
  const PairSearch *pairs = search->pairs;
  const BodySet *bs = pairs->bs;
  MEM_NEW(search->disk, bs->n_rigid, err);
  for (int r = 0; r < bs->n_rigid; r++)
    if (bs->rigid[r].radius > 0) search->disk[search->n_disks++] = r;
  search->n = search->n_disks + n_others;
  MEM_NEW(search->box, 4 * search->n, err);
  for (int k = 0; k < search->n_disks; k++) {
    const RigidBody *disk = &bs->rigid[search->disk[k]];
    const double *c = center_at(bs, pairs->x, disk->body);
    box_around(search, k, c, c, disk->radius);
  }
  return OK;
}

// A cell is as wide as boxes are in the mean, apart from those much larger than most: the mean is
// that of logarithms.
static Status fill_grid(const DiskSearch *search, ContactGrid *grid, Err *err) {
  double sum = 0;
  const double *box = search->box;
  grid->low[0] = grid->low[1] = (double)INFINITY;
  for (int k = 0; k < search->n; k++) {
    for (int i = 0; i < 2; i++) grid->low[i] = fmin(grid->low[i], box[4 * k + i]);
    sum += log(fmax(box[4 * k + 2] - box[4 * k], box[4 * k + 3] - box[4 * k + 1]));
  }
  grid->cell = exp(sum / search->n);
  return contact_grid_fill(grid, 2, search->n, box, err);
}

static int slot_order(const void *a, const void *b) {
  const ContactKey x = slot_key(a), y = slot_key(b);
  return contact_key_order(&x, &y);
}

static Status find_pairs(DiskSearch *search, MeetBoxes meet, Err *err) {
  ContactWork *work = search->work;
  ContactGrid grid = {0};
  int64_t first = work->n_slots;
  Status status = search->n_disks > 0 ? fill_grid(search, &grid, err) : OK;
  if (status == OK && search->n_disks > 0)
    status = contact_grid_pairs(&grid, 2, search->n, search->box, meet, search, err);
  if (work->n_slots > first)
    qsort(work->slot + first, (size_t)(work->n_slots - first), sizeof *work->slot, slot_order);
  if (status == OK)
    status = mem_grow((void **)&work->disk, &work->disk_capacity, (size_t)work->n_slots + 1,
                      sizeof *work->disk, err);
  contact_grid_free(&grid);
  return status;
}

static void search_free(DiskSearch *search) {
  mem_free(search->disk);
  mem_free(search->box);
}

static Status search_disks(const PairSearch *pairs, ContactWork *work, Err *err) {
  DiskSearch search = {.pairs = pairs, .work = work};
  Status status = pairs->bs->n_rigid > 0 ? make_boxes(&search, 0, err) : OK;
  if (status == OK) status = find_pairs(&search, meet_disk, err);
  search_free(&search);
  return status;
}

static Status search_edges(const PairSearch *pairs, ContactWork *work, Err *err) {
  const SkinSet *skin = &pairs->cm->skin;
  DiskSearch search = {.pairs = pairs, .work = work};
  Status status = pairs->bs->n_rigid > 0 ? make_boxes(&search, skin->n_edges, err) : OK;
  for (int e = 0; status == OK && search.n_disks > 0 && e < skin->n_edges; e++)
    box_around(&search, search.n_disks + e, pairs->x + 2 * (size_t)skin->node[2 * e],
               pairs->x + 2 * (size_t)skin->node[2 * e + 1], 0);
  if (status == OK) status = find_pairs(&search, meet_edge, err);
  search_free(&search);
  return status;
}

// ---- geometry -----------------------------------------------------------------------------------

static void between_disks(const BodySet *bs, const SlotInfo *slot, const double *x,
                          DiskGeometry *geometry) {
  const double *a = center_at(bs, x, slot->body_a), *c = center_at(bs, x, slot->body_c);
  double d[2] = {c[0] - a[0], c[1] - a[1]}, distance = hypot(d[0], d[1]);
  *geometry = (DiskGeometry){.gap = distance - disk_of(bs, slot->body_c)->radius -
                                    disk_of(bs, slot->body_a)->radius,
                             .valid = 1};
  for (int i = 0; i < 2; i++) geometry->n[i] = distance > 0 ? d[i] / distance : i;
}

// Over the edge, or over the corner at its end: else another edge has the nearest point.
static void over_edge(const ContactModel *cm, const BodySet *bs, const SlotInfo *slot,
                      const double *x, DiskGeometry *geometry) {
  const SkinSet *skin = &cm->skin;
  const int e = slot->edge_a, next = skin->next[e];
  const double *a = x + 2 * (size_t)skin->node[2 * e], *b = x + 2 * (size_t)skin->node[2 * e + 1];
  const double *c = center_at(bs, x, slot->body_c), radius = disk_of(bs, slot->body_c)->radius;
  double n[2], length = edge_normal(skin, x, e, n);
  double along =
      ((c[0] - a[0]) * (b[0] - a[0]) + (c[1] - a[1]) * (b[1] - a[1])) / (length * length);
  *geometry = (DiskGeometry){.along = along, .valid = along >= 0};
  geometry->n[0] = n[0];
  geometry->n[1] = n[1];
  geometry->gap = n[0] * (c[0] - a[0]) + n[1] * (c[1] - a[1]) - radius;
  if (along < 1) return;
  double d[2] = {c[0] - b[0], c[1] - b[1]}, distance = hypot(d[0], d[1]), m[2];
  geometry->along = 1;
  if (next >= 0) {
    edge_normal(skin, x, next, m); // beyond the corner, not over the next edge
    geometry->valid = d[0] * -m[1] + d[1] * m[0] <= 0 && distance > 0;
  }
  geometry->gap = distance - radius;
  for (int i = 0; i < 2 && distance > 0; i++) geometry->n[i] = d[i] / distance;
}

static void geometry_of(const ContactModel *cm, const BodySet *bs, const SlotInfo *slot,
                        const double *x, DiskGeometry *geometry) {
  if (slot->pair == PAIR_DISK_DISK)
    between_disks(bs, slot, x, geometry);
  else
    over_edge(cm, bs, slot, x, geometry);
}

static Site disk_site(const BodySet *bs, const double *x, int body, const double n[2],
                      double sign) {
  const int first = bs->node_ptr[body];
  const double *c = x + 2 * (size_t)first, radius = disk_of(bs, body)->radius;
  Site site = {.body = body, .n = 3, .node = {first, first + 1, first + 1 + DISK_SIDES / 4}};
  for (int k = 1; k < 3; k++) {
    const double *rim = x + 2 * (size_t)site.node[k];
    double share = -((rim[0] - c[0]) * n[0] + (rim[1] - c[1]) * n[1]) / radius;
    site.weight[k] = sign * share;
  }
  // The candidate's point lies against the normal, the antagonist's along it.
  if (sign < 0)
    for (int k = 1; k < 3; k++) site.weight[k] = -site.weight[k];
  site.weight[0] = sign - site.weight[1] - site.weight[2];
  return site;
}

static Site other_site(const ContactStep *step, const SlotInfo *slot,
                       const DiskGeometry *geometry) {
  if (slot->pair == PAIR_DISK_DISK)
    return disk_site(step->bs, step->work->x, slot->body_a, geometry->n, -1);
  const int32_t *node = step->cm->skin.node + 2 * (size_t)slot->edge_a;
  return (Site){slot->body_a, 2, {node[0], node[1]}, {geometry->along - 1, -geometry->along}};
}

// ---- each step ----------------------------------------------------------------------------------

static DiskGeometry *geometry_at(const ContactWork *work, int64_t k) {
  return &work->disk[k];
}

static void detect_range(const ContactStep *step, PairKind pair) {
  const ContactWork *work = step->work;
  const double *v = contact_ahead(step);
  for (int64_t k = work->first[pair]; k < work->first[pair + 1]; k++) {
    const SlotInfo *slot = &work->slot[k];
    DiskGeometry *geometry = geometry_at(work, k);
    double u[3] = {0}, radius = disk_of(step->bs, slot->body_c)->radius;
    geometry_of(step->cm, step->bs, slot, work->x, geometry);
    if (!geometry->valid) continue;
    const Site own = disk_site(step->bs, work->x, slot->body_c, geometry->n, 1),
               other = other_site(step, slot, geometry);
    site_velocity(2, &own, v, u);
    site_velocity(2, &other, v, u);
    double ahead = STEPS_AHEAD * step->size.h;
    double approach = fmax(0, -(u[0] * geometry->n[0] + u[1] * geometry->n[1]));
    int active = step->state->flag[k] & FLAG_ACTIVE;
    geometry->valid = geometry->gap <= step->cm->alert + ahead * approach &&
                      (active || geometry->gap > -radius - ahead * hypot(u[0], u[1]));
  }
}

static void detect_disks(const ContactStep *step) {
  detect_range(step, PAIR_DISK_DISK);
}

static void detect_edges(const ContactStep *step) {
  detect_range(step, PAIR_DISK_EDGE);
}

static int counts(const ContactStep *step, int64_t k) {
  return geometry_at(step->work, k)->valid;
}

static int make(const ContactStep *step, int64_t k, Contact *contact) {
  const SlotInfo *slot = &step->work->slot[k];
  const DiskGeometry *geometry = geometry_at(step->work, k);
  const double n[3] = {geometry->n[0], geometry->n[1], 0};
  *contact = (Contact){.slot = (int32_t)k,
                       .side = {disk_site(step->bs, step->work->x, slot->body_c, geometry->n, 1),
                                other_site(step, slot, geometry)},
                       .area = step->bs->thickness * disk_of(step->bs, slot->body_c)->radius,
                       .rule = (int16_t)slot->rule};
  contact_turn_frame(2, NULL, NULL, n, contact);
  contact->gap = contact_offset_gap(step, k, slot->rule, geometry->gap);
  return 1;
}

static void measure(const Measure *of, int c) {
  DiskGeometry geometry;
  const SlotInfo *slot = &of->work->slot[of->work->contact[c].slot];
  geometry_of(of->cm, of->bs, slot, of->x, &geometry);
  if (!geometry.valid && slot->pair == PAIR_DISK_EDGE) { // it has rolled on to another edge
    if (of->gap) of->gap[c] = of->work->contact[c].gap;
    return;
  }
  measure_gap(of, c, geometry.gap);
  of->worst->nodes = fmax(of->worst->nodes, -geometry.gap);
}

const PairType pair_disk_disk = {.name = "two disks",
                                 .search = search_disks,
                                 .detect = detect_disks,
                                 .counts = counts,
                                 .make = make,
                                 .measure = measure};

const PairType pair_disk_edge = {.name = "disk and edge",
                                 .search = search_edges,
                                 .detect = detect_edges,
                                 .counts = counts,
                                 .make = make,
                                 .measure = measure};
