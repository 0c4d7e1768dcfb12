// Each step: geometry of the slots at q~, which of them count, their frames and gaps.

#include <math.h>
#include <string.h>

#include "contact/pair_type.h"

// Joints closed within this share of the alert distance at the start are bonded.
static const double BONDED_GAP = 1e-2;
// A search lists what is nearer than the alert distance plus a margin of each body: so many alert
// distances, or so many steps at the velocity of its fastest node. Wider margins make more slots,
// narrower ones more searches. In the plane all bodies have that of the fastest.
static const double MARGIN = 2, AHEAD = 3, MARGIN_IN_SPACE = 1, AHEAD_IN_SPACE = 8;
// Motion in a step beyond this many times what was looked ahead by was not foreseen.
static const double FORESEEN = 1.5;

// In space bodies that have used this share of their margins are looked at anew with those that
// have used all: searches are fewer.
static const double USED = 0.5;

// In space a body that has turned by more is looked at anew, too: flat faces are listed at 0.102
// rad more between them than they count at (asin 0.25 - asin 0.15), nodes before faces at twice
// that.
static const double MOST_TURN = 0.051;

static void positions(const BodySet *bs, const BodyState *bodies, double lead, double *x) {
  size_t n = (size_t)bs->n_nodes * bs->dim;
  for (size_t k = 0; k < n; k++) x[k] = bs->x[k] + bodies->q[k] + lead * bodies->v[k];
}

// Of the nodes of a skin the largest distance moved between two places, and the largest speed.
typedef struct {
  double moved, speed;
} SkinMotion;

CONTACT_INLINE SkinMotion motion_of(const int dim, const int32_t *node, int n, const double *x,
                                    const double *from, const double *v) {
  double far = 0, fast = 0, d[3];
  for (int k = 0; k < n; k++) {
    size_t c = (size_t)dim * (size_t)node[k];
    for (int i = 0; i < dim; i++) d[i] = x[c + i] - from[c + i];
    const double moved2 = contact_dot(dim, d, d), speed2 = contact_dot(dim, v + c, v + c);
    far = moved2 > far ? moved2 : far;
    fast = speed2 > fast ? speed2 : fast;
  }
  return (SkinMotion){sqrt(far), sqrt(fast)};
}

// The same of all bodies.
static SkinMotion motion(const BodySet *bs, const SkinSet *skin, const double *x,
                         const double *from, const double *v) {
  const int32_t *node = skin->skin_node;
  const int n = skin->n_nodes;
  return bs->dim == 2 ? motion_of(2, node, n, x, from, v) : motion_of(3, node, n, x, from, v);
}

// By how much the way from its first node to others has turned, or was strained, at most [rad].
static double turned_by(const int32_t *node, int n, const double *x, const double *from) {
  double most = 0;
  for (int k = 1; k < n; k++) {
    double turn = 0, length = 0;
    for (int i = 0; i < 3; i++) {
      const size_t own = 3 * (size_t)node[k] + (size_t)i, first = 3 * (size_t)node[0] + (size_t)i;
      const double before = from[own] - from[first], change = x[own] - x[first] - before;
      turn += change * change;
      length += before * before;
    }
    if (turn > most * length) most = turn / length;
  }
  return sqrt(most);
}

// Is there anything to be looked for, and which bodies are renewed?
static int search_plane(const ContactStep *step) {
  const ContactModel *cm = step->cm;
  const BodySet *bs = step->bs;
  ContactState *state = step->state;
  ContactWork *work = step->work;
  const SkinMotion found = motion(bs, &cm->skin, work->x, state->x_search, contact_ahead(step));
  const double ahead = step->size.h * found.speed;
  work->fast = ahead > cm->alert;
  // Two bodies may have moved towards each other, and the next step must still find all.
  const int first = state->search[0] == 0;
  if (!first && 2 * (found.moved + ahead) <= state->search[0] - cm->alert) return 0;
  memset(work->renewed, 1, (size_t)bs->n_bodies);
  memcpy(state->x_search, work->x, sizeof *work->x * (size_t)bs->n_nodes * bs->dim);
  state->search[0] = cm->alert + 2 * fmax(MARGIN * cm->alert, AHEAD * ahead);
  return 1;
}

// In space each body is looked at anew on its own. A slot counts up to STEPS_AHEAD steps ahead.
static int search_space(const ContactStep *step) {
  const ContactModel *cm = step->cm;
  const BodySet *bs = step->bs;
  const SkinSet *skin = &cm->skin;
  ContactState *state = step->state;
  ContactWork *work = step->work;
  const double *v = contact_ahead(step), *from = state->x_search;
  const int first = state->search[0] == 0;
  int any = first;
  work->fast = 0;
  for (int b = 0; b < bs->n_bodies; b++) {
    const int32_t *node = skin->skin_node + skin->first_node[b];
    const int n = skin->first_node[b + 1] - skin->first_node[b];
    double *used = &work->used[b];
    const SkinMotion found = motion_of(3, node, n, work->x, from, v);
    work->moved_by[b] = found.moved;
    work->go[b] = step->size.h * found.speed;
    work->fast |= work->go[b] > fmin(cm->alert, cm->thinnest);
    *used = first ? 1 : (found.moved + STEPS_AHEAD * work->go[b]) / state->margin[b];
    if (!first && !contact_is_sheet(bs, b))
      *used = fmax(*used, turned_by(node, n, work->x, from) / MOST_TURN);
    any |= *used > 1;
  }
  for (int b = 0; b < bs->n_bodies && any; b++) {
    work->renewed[b] = first || work->used[b] > USED;
    if (!work->renewed[b]) continue;
    const size_t at = 3 * (size_t)bs->node_ptr[b], n = 3 * (size_t)bs->node_ptr[b + 1] - at;
    memcpy(state->x_search + at, work->x + at, n * sizeof *work->x);
    work->moved_by[b] = 0;
    state->margin[b] = fmax(MARGIN_IN_SPACE * cm->alert, AHEAD_IN_SPACE * work->go[b]);
  }
  if (any) state->search[0] = cm->alert;
  return any;
}

static Status search_if_needed(const ContactStep *step, Err *err) {
  const ContactModel *cm = step->cm;
  ContactState *state = step->state;
  ContactWork *work = step->work;
  if (!cm->has_pairs && state->search[0] > 0) return OK; // slots with tools are there for ever
  if (!(step->bs->dim == 2 ? search_plane(step) : search_space(step))) return OK;
  TRY(contact_search(cm, step->bs, work->renewed, state, work, err));
  work->set_changed = 1;
  work->n_previous = -1;
  return contact_carry_over(cm, state, work, err);
}

// In space each body is looked ahead by its own way, as search_space did.
static int unforeseen_in_space(const ContactStep *step, const double *q1, const double *v1) {
  const BodySet *bs = step->bs;
  const SkinSet *skin = &step->cm->skin;
  for (int b = 0; b < bs->n_bodies; b++) {
    const int32_t *node = skin->skin_node + skin->first_node[b];
    const int n = skin->first_node[b + 1] - skin->first_node[b];
    const double moved = motion_of(3, node, n, q1, step->bodies->q, v1).moved;
    if (moved > FORESEEN * step->work->go[b] + step->cm->alert) return 1;
  }
  return 0;
}

int contact_unforeseen(const ContactStep *step, const double *q1, const double *v1) {
  const ContactModel *cm = step->cm;
  const SkinSet *skin = &cm->skin;
  if (!cm->has_pairs) return 0; // slots with tools are there for ever
  if (step->bs->dim == 3) return unforeseen_in_space(step, q1, v1);
  const double moved = motion(step->bs, skin, q1, step->bodies->q, v1).moved;
  if (moved <= cm->alert) return 0;
  const double ahead = step->size.h * motion(step->bs, skin, q1, q1, contact_ahead(step)).speed;
  return moved > FORESEEN * ahead + cm->alert;
}

Status contact_resume(const ContactModel *cm, const BodySet *bs, const ContactState *state,
                      ContactWork *work, Err *err) {
  if (state->search[0] == 0) return OK;
  memset(work->renewed, 1, (size_t)bs->n_bodies);
  TRY(contact_search(cm, bs, work->renewed, state, work, err));
  work->n_previous = -1;
  int same = work->n_slots == state->n_slots;
  for (int64_t k = 0; same && k < work->n_slots; k++) {
    const ContactKey key = slot_key(&work->slot[k]);
    same = contact_key_order(&key, &state->key[k]) == 0;
  }
  if (same) return OK;
  return err_set(err, ERR_INPUT,
                 "the checkpoint holds %lld contact slots, its positions give %lld other ones",
                 (long long)state->n_slots, (long long)work->n_slots);
}

// First meeting of a point and a face: joints that are closed when the run starts are bonded.
void contact_born(const ContactModel *cm, ContactState *state, int64_t k, int rule, double gap) {
  if (state->flag[k] & FLAG_BORN) return;
  const LawType *law = cm->rules[rule].law->type;
  int bonded = state->search[1] == 0 && gap <= BONDED_GAP * cm->alert;
  if (law->born) law->born(bonded, state->law + k * cm->n_law_state);
  state->flag[k] |= FLAG_BORN;
}

// A contact born in penetration after the start is not pushed out: its gap counts from there, and
// at the start from what is tolerated. The offset fades as the bodies part.
double contact_offset_gap(const ContactStep *step, int64_t k, int rule, double gap) {
  const ContactModel *cm = step->cm;
  ContactState *state = step->state;
  int first_step = state->search[1] == 0;
  contact_born(cm, state, k, rule, gap);
  if (!(state->flag[k] & FLAG_SEEN)) {
    state->flag[k] |= FLAG_SEEN;
    const SlotInfo *slot = &step->work->slot[k];
    const double inside =
        first_step ? contact_inside(cm, step->bs, slot->body_c, slot->body_a) : (double)INFINITY;
    state->offset[k] = fmax(fmin(gap, 0), -inside);
  }
  if (gap > state->offset[k]) state->offset[k] = fmin(gap, 0);
  return gap - state->offset[k];
}

static Status reserve_contacts(ContactWork *work, Err *err) {
  size_t wanted = (size_t)work->n_slots, capacity = work->contact_capacity;
  size_t dim = (size_t)work->dim;
  if (wanted <= capacity && work->contact) return OK; // without slots too: there is a spare item
  struct {
    void **block;
    size_t size;
  } arrays[] = {{(void **)&work->contact, sizeof(Contact)},
                {(void **)&work->dirty, 1},
                {(void **)&work->side, 2 * sizeof(Grip)},
                {(void **)&work->shift, sizeof(LawShift)},
                {(void **)&work->status, 1},
                {(void **)&work->mu, 8},
                {(void **)&work->radius, 8},
                {(void **)&work->s, 8 * dim},
                {(void **)&work->a, 16},
                {(void **)&work->b, 8 * dim},
                {(void **)&work->u_old, 8 * dim},
                {(void **)&work->diag, 8 * dim * dim},
                {(void **)&work->elastic, 16},
                {(void **)&work->moved, 8},
                {(void **)&work->lever, 16 * dim * (size_t)space_rigid_motions((int)dim)},
                {(void **)&work->previous, 4},
                {(void **)&work->ptr, 16},
                {(void **)&work->body_contact, 8}};
  for (size_t a = 0; a < sizeof arrays / sizeof arrays[0]; a++) {
    size_t own = capacity;
    TRY(mem_grow(arrays[a].block, &own, wanted + 1, arrays[a].size, err));
    work->contact_capacity = own - 1;
  }
  return OK;
}

Status contact_detect(const ContactStep *step, Err *err) {
  ContactState *state = step->state;
  ContactWork *work = step->work;
  work->set_changed = 0;
  positions(step->bs, step->bodies, step->size.h * (1 - step->size.theta), work->x);
  TRY(search_if_needed(step, err));
  TRY(reserve_contacts(work, err));
  for (int first = 1; first >= 0; first--)
    for (int p = 0; p < N_PAIR_KINDS; p++)
      if (pair_types[p]->stands_for == first) pair_types[p]->detect(step);
  work->n = 0;
  for (int64_t k = 0; k < work->n_slots; k++) {
    const PairType *pair = pair_types[work->slot[k].pair];
    if (!pair->counts(step, k)) {
      state->flag[k] &=
          ~(FLAG_SEEN | FLAG_ACTIVE | FLAG_STATUS | (pair->keeps_frame ? 0 : FLAG_KEPT));
      for (int i = 0; i < work->dim; i++) state->impulse[work->dim * k + i] = 0;
      continue;
    }
    int c = work->n++;
    work->dirty[c] = (uint8_t)pair->make(step, k, &work->contact[c]);
    if (work->dim == 3 && contact_orient(step, &work->contact[c])) work->dirty[c] = 1;
    if (c >= work->n_previous || work->previous[c] != k) work->set_changed = 1;
    work->previous[c] = (int32_t)k;
  }
  if (work->n != work->n_previous) work->set_changed = 1;
  work->n_previous = work->n;
  return OK;
}
