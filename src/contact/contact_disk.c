// Rigid disks in the plane, with one another and with edges. A disk is always the candidate.
//
// The point of contact lies on the rim: of the disk it is a mean of its centre and of two nodes a
// right angle apart, whose weights follow the normal. A corner belongs to the edge that ends there.

#include <math.h>
#include <string.h>

#include "contact/pair_type.h"
#include "mesh/generate.h"

// A disk that has not been in contact and whose centre is behind an edge by more than it can have
// moved stands on the other side of a thin body.

static const RigidBody *disk_of(const BodySet *bs, int body) {
  return &bs->rigid[bs->own[body]];
}

static double largest_radius(const BodySet *bs) {
  double most = 0;
  for (int r = 0; r < bs->n_rigid; r++) most = fmax(most, bs->rigid[r].radius);
  return most;
}

static const double *center_at(const BodySet *bs, const double *x, int body) {
  return x + 2 * (size_t)bs->node_ptr[body];
}

// ---- search -------------------------------------------------------------------------------------

typedef struct {
  const PairSearch *pairs;
  ContactGrid grid;
  double wide; // how far from an item a disk's centre may be
} DiskSearch;

static Status add_slot(const DiskSearch *search, int disk, int other, SlotInfo slot,
                       ContactWork *work, Err *err) {
  int rank;
  const BodySet *bs = search->pairs->bs;
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

// Every disk asks the grid; `try` adds the slot of a disk and an item.
static Status ask_grid(const DiskSearch *search, ContactWork *work,
                       Status (*try)(const DiskSearch *, int disk, int item, ContactWork *, Err *),
                       Err *err) {
  const BodySet *bs = search->pairs->bs;
  const ContactGrid *grid = &search->grid;
  for (int r = 0; r < bs->n_rigid; r++) {
    int32_t cell[3], last;
    int64_t first = work->n_slots;
    if (!(bs->rigid[r].radius > 0)) continue;
    const double *c = center_at(bs, search->pairs->x, bs->rigid[r].body);
    for (int32_t k = contact_grid_at(grid, 2, c, cell, &last); k < last; k++)
      if (contact_grid_same(&grid->entry[k], cell))
        TRY(try(search, r, grid->entry[k].item, work, err));
    for (int k = 0; k < grid->n_large; k++) TRY(try(search, r, grid->large[k], work, err));
    contact_sort_slots(work, first);
  }
  return OK;
}

static Status room_for(const DiskSearch *search, ContactWork *work, Err *err) {
  (void)search;
  return mem_grow((void **)&work->disk, &work->disk_capacity, (size_t)work->n_slots + 1,
                  sizeof *work->disk, err);
}

static Status try_disk(const DiskSearch *search, int r, int s, ContactWork *work, Err *err) {
  const BodySet *bs = search->pairs->bs;
  const RigidBody *own = &bs->rigid[r], *other = &bs->rigid[s];
  if (s <= r || !(other->radius > 0)) return OK; // the other way round it is the same
  const double *a = center_at(bs, search->pairs->x, own->body),
               *b = center_at(bs, search->pairs->x, other->body);
  if (hypot(a[0] - b[0], a[1] - b[1]) > own->radius + other->radius + search->pairs->reach)
    return OK;
  const SlotInfo slot = {.pair = PAIR_DISK_DISK, .edge_a = -1};
  return add_slot(search, own->body, other->body, slot, work, err);
}

static Status try_edge(const DiskSearch *search, int r, int e, ContactWork *work, Err *err) {
  const BodySet *bs = search->pairs->bs;
  const SkinSet *skin = &search->pairs->cm->skin;
  int body = skin->body[e];
  const SlotInfo slot = {
      .pair = PAIR_DISK_EDGE, .edge_a = e, .feature_a = e - skin->first_edge[body]};
  return add_slot(search, bs->rigid[r].body, body, slot, work, err);
}

static Status fill_grid(DiskSearch *search, int n, const double *box, Err *err) {
  double sum = 0;
  search->grid.low[0] = search->grid.low[1] = (double)INFINITY;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 2; i++) {
      search->grid.low[i] = fmin(search->grid.low[i], box[4 * k + i]);
      sum += (box[4 * k + 2 + i] - box[4 * k + i]) / (2 * n);
    }
  search->grid.cell = n > 0 ? sum : 1;
  if (n == 0) search->grid.low[0] = search->grid.low[1] = 0;
  return contact_grid_fill(&search->grid, 2, n, box, err);
}

static Status search_disks(const PairSearch *pairs, ContactWork *work, Err *err) {
  const BodySet *bs = pairs->bs;
  DiskSearch search = {.pairs = pairs, .wide = pairs->reach + largest_radius(bs)};
  double *box;
  if (largest_radius(bs) == 0) return OK;
  MEM_NEW(box, 4 * bs->n_rigid, err);
  for (int r = 0; r < bs->n_rigid; r++)
    for (int i = 0; i < 2; i++) {
      double c = center_at(bs, pairs->x, bs->rigid[r].body)[i];
      box[4 * r + i] = c - search.wide - bs->rigid[r].radius;
      box[4 * r + 2 + i] = c + search.wide + bs->rigid[r].radius;
    }
  Status status = fill_grid(&search, bs->n_rigid, box, err);
  if (status == OK) status = ask_grid(&search, work, try_disk, err);
  if (status == OK) status = room_for(&search, work, err);
  contact_grid_free(&search.grid);
  mem_free(box);
  return status;
}

static Status search_edges(const PairSearch *pairs, ContactWork *work, Err *err) {
  const SkinSet *skin = &pairs->cm->skin;
  DiskSearch search = {.pairs = pairs, .wide = pairs->reach + largest_radius(pairs->bs)};
  double *box;
  if (largest_radius(pairs->bs) == 0) return OK;
  MEM_NEW(box, 4 * skin->n_edges, err);
  for (int e = 0; e < skin->n_edges; e++)
    for (int i = 0; i < 2; i++) {
      double a = pairs->x[2 * (size_t)skin->node[2 * e] + (size_t)i],
             b = pairs->x[2 * (size_t)skin->node[2 * e + 1] + (size_t)i];
      box[4 * e + i] = fmin(a, b) - search.wide;
      box[4 * e + 2 + i] = fmax(a, b) + search.wide;
    }
  Status status = fill_grid(&search, skin->n_edges, box, err);
  if (status == OK) status = ask_grid(&search, work, try_edge, err);
  if (status == OK) status = room_for(&search, work, err);
  contact_grid_free(&search.grid);
  mem_free(box);
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
  contact->gap = contact_offset_gap(step->cm, step->state, k, slot->rule, geometry->gap);
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
