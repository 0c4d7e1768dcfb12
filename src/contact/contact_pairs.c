#include <stdlib.h>

#include "contact/pair_type.h"

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

Status contact_search(const ContactModel *cm, const BodySet *bs, double reach,
                      const ContactState *state, ContactWork *work, Err *err) {
  const PairSearch search = {.cm = cm, .bs = bs, .x = state->x_search, .reach = reach};
  work->n_slots = work->first[0] = 0;
  for (int p = 0; p < N_PAIR_KINDS; p++) {
    TRY(pair_types[p]->search(&search, work, err));
    work->first[p + 1] = work->n_slots;
  }
  work->searches++;
  return OK;
}
