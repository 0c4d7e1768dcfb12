// The slice of the state: a list of slots, each known by its key, and what is kept of them.

#include <string.h>

#include "contact/pair_type.h"

Status contact_state_init(ContactState *state, const ContactModel *cm, const BodySet *bs,
                          Err *err) {
  (void)cm;
  *state = (ContactState){.dim = bs->dim};
  MEM_NEW(state->x_search, bs->n_nodes * bs->dim, err);
  MEM_NEW(state->margin, bs->n_bodies, err);
  return OK;
}

void contact_state_free(ContactState *state) {
  void *owned[] = {state->key,      state->edge,    state->flag,    state->along,
                   state->normal,   state->offset,  state->impulse, state->law,
                   state->x_search, state->tangent, state->laid,    state->margin};
  for (size_t k = 0; k < sizeof owned / sizeof owned[0]; k++) mem_free(owned[k]);
  *state = (ContactState){0};
}

enum { KEY_NUMBERS = sizeof(ContactKey) / sizeof(int32_t) };

int contact_key_order(const ContactKey *a, const ContactKey *b) {
  if (a->pair != b->pair) return a->pair < b->pair ? -1 : 1;
  if (a->body_c != b->body_c) return a->body_c < b->body_c ? -1 : 1;
  if (a->feature_c != b->feature_c) return a->feature_c < b->feature_c ? -1 : 1;
  if (a->body_a != b->body_a) return a->body_a < b->body_a ? -1 : 1;
  return (a->feature_a > b->feature_a) - (a->feature_a < b->feature_a);
}

int contact_state_is_sound(const ContactState *state, const ContactModel *cm) {
  int n = cm->skin.n_edges;
  if (cm->faces.n_faces > n) n = cm->faces.n_faces;
  if (cm->faces.n_edges > n) n = cm->faces.n_edges;
  for (int64_t k = 0; k < state->n_slots; k++) {
    int of_tool = state->key[k].pair == PAIR_NODE_TOOL; // its features are only compared
    if (!of_tool && (state->edge[k] < -1 || state->edge[k] >= n)) return 0;
    if (k > 0 && contact_key_order(&state->key[k - 1], &state->key[k]) >= 0) return 0;
  }
  return 1;
}

// The arrays of the state that have an item for each slot, and their sizes.
typedef struct {
  void **block;
  size_t size;
} SlotArray;
enum { N_SLOT_ARRAYS = 10 };

static void slot_arrays(ContactState *state, size_t n_law, SlotArray arrays[N_SLOT_ARRAYS]) {
  size_t dim = (size_t)state->dim;
  const SlotArray list[N_SLOT_ARRAYS] = {
      {(void **)&state->key, sizeof *state->key},
      {(void **)&state->edge, 4},
      {(void **)&state->flag, 4},
      {(void **)&state->along, 8},
      {(void **)&state->normal, 8 * dim},
      {(void **)&state->tangent, 24 * (dim - 2)},
      {(void **)&state->laid, 32 * (dim - 2)},
      {(void **)&state->offset, 8},
      {(void **)&state->impulse, 8 * dim},
      {(void **)&state->law, 8 * n_law},
  };
  memcpy(arrays, list, sizeof list);
}

static Status state_resize(void *owner, int64_t n, int n_law, Err *err) {
  ContactState *state = owner;
  if ((size_t)n > state->capacity) {
    size_t wanted = (size_t)n + (size_t)n / 4 + 16;
    SlotArray arrays[N_SLOT_ARRAYS];
    slot_arrays(state, (size_t)(n_law > 0 ? n_law : 1), arrays);
    for (int k = 0; k < N_SLOT_ARRAYS; k++) {
      size_t same = state->capacity;
      if (arrays[k].size > 0) TRY(mem_grow(arrays[k].block, &same, wanted, arrays[k].size, err));
    }
    state->capacity = wanted;
  }
  state->n_slots = n;
  return OK;
}

// Copies old slots to their new places by key; both lists are sorted. New slots start empty.
Status contact_carry_over(const ContactModel *cm, ContactState *state, const ContactWork *work,
                          Err *err) {
  ContactState fresh = {.dim = state->dim};
  SlotArray from[N_SLOT_ARRAYS], to[N_SLOT_ARRAYS];
  Status status = state_resize(&fresh, work->n_slots, cm->n_law_state, err);
  slot_arrays(state, (size_t)cm->n_law_state, from);
  slot_arrays(&fresh, (size_t)cm->n_law_state, to);
  int64_t old = 0;
  for (int64_t k = 0; status == OK && k < work->n_slots; k++) {
    const SlotInfo *slot = &work->slot[k];
    const ContactKey key = slot_key(slot);
    int order = 1;
    while (old < state->n_slots && (order = contact_key_order(&state->key[old], &key)) < 0) old++;
    int known = old < state->n_slots && order == 0;
    for (int a = 0; a < N_SLOT_ARRAYS; a++) {
      size_t size = to[a].size;
      if (size == 0) continue;
      char *item = (char *)*to[a].block + size * (size_t)k;
      if (known)
        memcpy(item, (const char *)*from[a].block + size * (size_t)old, size);
      else
        memset(item, 0, size);
    }
    fresh.key[k] = key;
    if (!known) fresh.edge[k] = slot->edge_a;
  }
  // x_search, margin and search stay where they are: fields point to them.
  fresh.x_search = state->x_search;
  fresh.margin = state->margin;
  memcpy(fresh.search, state->search, sizeof fresh.search);
  state->x_search = state->margin = NULL;
  if (status != OK) {
    state->x_search = fresh.x_search;
    state->margin = fresh.margin;
    fresh.x_search = fresh.margin = NULL;
    contact_state_free(&fresh);
    return status;
  }
  contact_state_free(state);
  *state = fresh;
  return OK;
}

static Status resize_field(void *owner, int64_t count, Err *err) {
  return state_resize(owner, count / KEY_NUMBERS, LAW_MAX_STATE, err);
}

void contact_state_fields(ContactState *state, const ContactModel *cm, const BodySet *bs,
                          FieldList *fields) {
  int64_t n = state->n_slots, dim = bs->dim, n_x = bs->n_nodes * dim;
  const Field list[] = {
      {"contact/key", FIELD_I32, n * KEY_NUMBERS, state->key, resize_field, state},
      {"contact/edge", FIELD_I32, n, state->edge, NULL, NULL},
      {"contact/flag", FIELD_I32, n, state->flag, NULL, NULL},
      {"contact/along", FIELD_F64, n, state->along, NULL, NULL},
      {"contact/normal", FIELD_F64, dim * n, state->normal, NULL, NULL},
      {"contact/offset", FIELD_F64, n, state->offset, NULL, NULL},
      {"contact/impulse", FIELD_F64, dim * n, state->impulse, NULL, NULL},
      {"contact/law", FIELD_F64, n * cm->n_law_state, state->law, NULL, NULL},
      {"contact/x_search", FIELD_F64, n_x, state->x_search, NULL, NULL},
      {"contact/search", FIELD_F64, 2, state->search, NULL, NULL},
      {"contact/tangent", FIELD_F64, 3 * n, state->tangent, NULL, NULL},
      {"contact/laid", FIELD_F64, 4 * n, state->laid, NULL, NULL},
      {"contact/margin", FIELD_F64, bs->n_bodies, state->margin, NULL, NULL},
  };
  const int in_space = 3; // the last ones
  const int n_fields = (int)(sizeof list / sizeof list[0]) - (dim == 2 ? in_space : 0);
  for (int k = 0; k < n_fields; k++) field_add(fields, list[k]);
}
