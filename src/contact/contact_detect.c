// Each step: geometry of the slots at q~, which of them count, their frames and gaps.

#include <math.h>
#include <string.h>

#include "contact/pair_type.h"

// Joints closed within this share of the alert distance at the start are bonded.
static const double BONDED_GAP = 1e-2;
// A search lists what is nearer than the alert distance plus a margin of this many alert distances,
// or of this many steps at the largest velocity: wider margins make more slots, narrower ones more
// searches.
static const double MARGIN = 4, AHEAD = 6;
// Motion in a step beyond this many times what was looked ahead by was not foreseen.
static const double FORESEEN = 1.5;

static void positions(const BodySet *bs, const BodyState *bodies, double lead, double *x) {
  size_t n = (size_t)bs->n_nodes * bs->dim;
  for (size_t k = 0; k < n; k++) x[k] = bs->x[k] + bodies->q[k] + lead * bodies->v[k];
}

// Largest distance a skin node has moved since the last search, and how far it goes in a step.
CONTACT_INLINE void motion(const int dim, const SkinSet *skin, const double *x,
                           const double *x_search, const double *v, double h, double *moved,
                           double *ahead) {
  double far = 0, fast = 0, d[3];
  for (int k = 0; k < skin->n_nodes; k++) {
    size_t c = (size_t)dim * (size_t)skin->skin_node[k];
    for (int i = 0; i < dim; i++) d[i] = x[c + i] - x_search[c + i];
    far = fmax(far, contact_dot(dim, d, d));
    fast = fmax(fast, contact_dot(dim, v + c, v + c));
  }
  *moved = sqrt(far);
  *ahead = h * sqrt(fast);
}

static Status search_if_needed(const ContactStep *step, Err *err) {
  const ContactModel *cm = step->cm;
  const BodySet *bs = step->bs;
  ContactState *state = step->state;
  ContactWork *work = step->work;
  double moved, ahead, margin = state->search[0] - cm->alert;
  if (!cm->has_pairs && state->search[0] > 0) return OK; // slots with tools are there for ever
  const double *v = contact_ahead(step), h = step->size.h;
  SPACE_BY_DIM(bs->dim, motion(2, &cm->skin, work->x, state->x_search, v, h, &moved, &ahead),
               motion(3, &cm->skin, work->x, state->x_search, v, h, &moved, &ahead));
  int first = state->search[0] == 0;
  work->fast = ahead > cm->alert;
  // Two bodies may have moved towards each other, and the next step must still find all.
  if (!first && 2 * (moved + ahead) <= margin) return OK;
  memcpy(state->x_search, work->x, sizeof *work->x * (size_t)bs->n_nodes * bs->dim);
  state->search[0] = cm->alert + fmax(MARGIN * cm->alert, AHEAD * ahead);
  TRY(contact_search(cm, bs, state->search[0], state, work, err));
  work->set_changed = 1;
  work->n_previous = -1;
  return contact_carry_over(cm, state, work, err);
}

int contact_unforeseen(const ContactStep *step, const double *q1, const double *v1) {
  const ContactModel *cm = step->cm;
  const SkinSet *skin = &cm->skin;
  int dim = step->bs->dim;
  double moved, speed, before, ahead;
  if (!cm->has_pairs) return 0; // slots with tools are there for ever
  SPACE_BY_DIM(dim, motion(2, skin, q1, step->bodies->q, v1, step->size.h, &moved, &speed),
               motion(3, skin, q1, step->bodies->q, v1, step->size.h, &moved, &speed));
  if (moved <= cm->alert) return 0;
  const double *v = contact_ahead(step);
  SPACE_BY_DIM(dim, motion(2, skin, q1, q1, v, step->size.h, &before, &ahead),
               motion(3, skin, q1, q1, v, step->size.h, &before, &ahead));
  return moved > FORESEEN * ahead + cm->alert;
}

Status contact_resume(const ContactModel *cm, const BodySet *bs, const ContactState *state,
                      ContactWork *work, Err *err) {
  if (state->search[0] == 0) return OK;
  TRY(contact_search(cm, bs, state->search[0], state, work, err));
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
