#include "contact/pair_type.h"

const PairType *const pair_types[N_PAIR_KINDS] = {
    [PAIR_POINT_EDGE] = &pair_point_edge,
    [PAIR_NODE_FACE] = &pair_node_face,
    [PAIR_EDGE_EDGE] = &pair_edge_edge,
    [PAIR_NODE_TOOL] = &pair_node_tool,
    [PAIR_BEAD] = &pair_bead,
    [PAIR_DISK_DISK] = &pair_disk_disk,
    [PAIR_DISK_EDGE] = &pair_disk_edge,
};

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
