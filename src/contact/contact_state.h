// contact/contact_state.h -- what is kept of contact from step to step.
#ifndef CONTACT_CONTACT_STATE_H
#define CONTACT_CONTACT_STATE_H

#include "base/field.h"
#include "contact/contact_model.h"

// Who meets whom, and where: bodies by their numbers in the model, places by theirs in the body, as
// its mesh counts nodes, edges and faces. The same on every machine and after every restart.
typedef struct {
  int32_t pair, body_c, feature_c, body_a, feature_a;
} ContactKey;

// Slice of the state that belongs to contact: the slots.
typedef struct {
  int dim;
  int64_t n_slots;
  size_t capacity;
  ContactKey *key;  // [n_slots] increasing
  int32_t *edge;    // antagonist edge last used
  int32_t *flag;    // bits, see slot.h
  double *along;    // kept position on the edge, 0..1
  double *normal;   // [dim n_slots] kept normal
  double *tangent;  // [3 n_slots] kept t in space; NULL in the plane
  double *laid;     // [4 n_slots] in space: how the faces lay where their points were made; NULL
  double *offset;   // gap offset of a contact born in penetration                        [m]
  double *impulse;  // [dim n_slots] of the last step, kept frame                       [N s]
  double *law;      // [n_slots * n_law_state]
  double *x_search; // [n_nodes * dim] q~ at the last search, in space of each body      [m]
  double *margin;   // [n_bodies] in space: what each may move from there               [m]
  // Reach of the last search, in space without margins [m], 0: never searched; h of the last step
  // [s]
  double search[2];
} ContactState;

Status contact_state_init(ContactState *state, const ContactModel *cm, const BodySet *bs,
                          Err *err) MUST_CHECK;
void contact_state_free(ContactState *state);
// 1: keys increase, and no edge or face is named that the model does not have.
int contact_state_is_sound(const ContactState *state, const ContactModel *cm);
// Appends the fields of this slice; the first one resizes all of them.
void contact_state_fields(ContactState *state, const ContactModel *cm, const BodySet *bs,
                          FieldList *fields);

#endif
