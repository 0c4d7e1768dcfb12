// Restitution that would give energy, in a sub-step: solved again with as much of it as gives none.

#include "step/substep.h"

// Of the largest energy of the run, what a step may be given: in a hundred thousand of them it is a
// thousandth. Stones at rest among others tremble by less.
static const double COUNTS = 1e-8;

Status bounce_bound(const Model *model, State *state, StepWork *work, SubStep *sub, Err *err) {
  ContactStep step = substep_contact(model, state, work, sub);
  ContactBounce *bounce;
  const int n = contact_count(work->contact);
  if (sub->size.statics || !contact_may_bounce(&step)) return OK;
  ARENA_NEW(bounce, 1, &work->arena, err);
  bounce->least = COUNTS * state->energy[ENERGY_LARGEST];
  TRY(contact_bounce_begin(&step, bounce, &work->arena, err));
  while (contact_bounce_next(&step, sub->r, sub->v_free, sub->v1, bounce)) {
    sub->bounce = bounce;
    TRY(substep_again(model, state, work, sub, err));
    step = substep_contact(model, state, work, sub);
    if (contact_count(work->contact) != n)
      return err_set(err, ERR_BUG, "contacts of a sub-step changed as it was solved again");
  }
  return OK;
}
