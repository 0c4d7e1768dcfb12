#include <stdlib.h>
#include <string.h>

#include "contact/near.h"

const PairType *const pair_types[N_PAIR_KINDS] = {
    [PAIR_POINT_EDGE] = &pair_point_edge, [PAIR_JOINT] = &pair_joint,
    [PAIR_NODE_FACE] = &pair_node_face,   [PAIR_EDGE_EDGE] = &pair_edge_edge,
    [PAIR_NODE_TOOL] = &pair_node_tool,   [PAIR_BEAD] = &pair_bead,
    [PAIR_DISK_DISK] = &pair_disk_disk,   [PAIR_DISK_EDGE] = &pair_disk_edge,
    [PAIR_FACE_FACE] = &pair_face_face,   [PAIR_SIDE_TOOL] = &pair_side_tool,
};

static int slot_order(const void *a, const void *b) {
  const ContactKey x = slot_key(a), y = slot_key(b);
  return contact_key_order(&x, &y);
}

void contact_order_slots(ContactWork *work, int64_t first) {
  const int64_t n = work->n_slots - first;
  if (n > 0) qsort(work->slot + first, (size_t)n, sizeof *work->slot, slot_order);
}

void contact_sort_slots(ContactWork *work, int64_t first) {
  for (int64_t k = first + 1; k < work->n_slots; k++) {
    const SlotInfo slot = work->slot[k];
    const ContactKey key = slot_key(&slot);
    int64_t at = k;
    for (; at > first; at--) {
      const ContactKey before = slot_key(&work->slot[at - 1]);
      if (contact_key_order(&before, &key) <= 0) break;
      work->slot[at] = work->slot[at - 1];
    }
    work->slot[at] = slot;
  }
}

int64_t contact_first_slot(const ContactWork *work, int pair, int body, int feature) {
  int64_t low = work->first[pair], high = work->n_slots;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    const SlotInfo *slot = &work->slot[middle];
    int before = slot->pair < pair ||
                 (slot->pair == pair &&
                  (slot->body_c < body || (slot->body_c == body && slot->feature_c < feature)));
    if (before)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Both lists in order, the new one from `first` on: from the back, so that none is written over.
static void merge_kept(const PairSearch *pairs, PairKind pair, ContactWork *work, int64_t first,
                       int64_t n_kept) {
  int64_t to = work->n_slots + n_kept, fresh = work->n_slots, old = work->before_first[pair + 1];
  work->n_slots = to;
  while (to > fresh) {
    const SlotInfo *kept = &work->before[old - 1];
    if (!contact_is_kept(pairs, kept)) {
      old--;
      continue;
    }
    if (fresh > first && slot_order(&work->slot[fresh - 1], kept) > 0) {
      work->slot[--to] = work->slot[--fresh];
    } else {
      work->slot[--to] = *kept;
      old--;
    }
  }
}

Status contact_add_kept(const PairSearch *pairs, PairKind pair, ContactWork *work, int64_t first,
                        Err *err) {
  int64_t n_kept = 0;
  contact_order_slots(work, first);
  for (int64_t k = work->before_first[pair]; k < work->before_first[pair + 1]; k++)
    n_kept += contact_is_kept(pairs, &work->before[k]);
  TRY(mem_grow((void **)&work->slot, &work->slot_capacity, (size_t)(work->n_slots + n_kept),
               sizeof *work->slot, err));
  merge_kept(pairs, pair, work, first, n_kept);
  return OK;
}

// The slots there are become those of the search before.
static void set_aside(ContactWork *work) {
  SlotInfo *slot = work->before;
  const size_t capacity = work->before_capacity;
  work->before = work->slot;
  work->before_capacity = work->slot_capacity;
  memcpy(work->before_first, work->first, sizeof work->first);
  work->slot = slot;
  work->slot_capacity = capacity;
  work->n_slots = work->first[0] = 0;
}

Status contact_search(const ContactModel *cm, const BodySet *bs, const uint8_t *renewed,
                      const ContactState *state, ContactWork *work, Err *err) {
  NearBodies near = {0};
  PairSearch search = {.cm = cm,
                       .bs = bs,
                       .x = state->x_search,
                       .reach = state->search[0],
                       .margin = state->margin,
                       .renewed = renewed};
  Status status = OK;
  set_aside(work);
  if (bs->dim == 3 && cm->has_pairs) status = near_bodies(&search, &near, err);
  search.box = near.box;
  search.n_near = near.n;
  search.near = near.pair;
  for (int p = 0; p < N_PAIR_KINDS && status == OK; p++) {
    status = pair_types[p]->search(&search, work, err);
    work->first[p + 1] = work->n_slots;
  }
  near_bodies_free(&near);
  work->searches++;
  return status;
}
