// Restitution that would give energy. Newton's law says what becomes of the normal velocities, each
// for itself, and Coulomb's law what friction does at the end: where bodies are jammed, or turn as
// they are struck, impulses that obey both may do work on the whole (docs/theory/nscd.md, section
// 5). With restitution 0 they never do, as r . u <= 0 at the end and W is positive. So bodies that
// touch one another keep of their restitution what gives them nothing, and all of it where it is
// not what gives: the laws hold as they are but for one number in such a step.

#include <math.h>
#include <string.h>

#include "base/sets.h"
#include "contact/pair_type.h"

// Work over the sum of the sizes of its terms that is nothing: some tolerances of the solver.
static const double NOTHING = 1e-5;
// What is lost more than it must be is little beside what all of the restitution would give.
static const double NEAR = 1e-4;
// By false position, the end that stays counting half (the rule of Illinois).
enum { MOST_TRIES = 20 };

int contact_may_bounce(const ContactStep *step) {
  int rebounds = 0;
  for (int k = 0; k < step->cm->n_rules; k++) rebounds |= step->cm->rules[k].law->type->rebounds;
  for (int c = 0; c < step->work->n && rebounds; c++) {
    const LawShift *shift = &step->work->shift[c];
    if (!step->cm->rules[step->work->contact[c].rule].law->type->rebounds || shift->open) continue;
    for (int i = 0; i < 3; i++)
      if (shift->a[i] != 0) return 1;
  }
  return 0;
}

// The body that stands for all that touch one another and move, by contacts that may act.
static void find_groups(const ContactStep *step, int32_t *set, int *group) {
  const ContactWork *work = step->work;
  sets_begin(set, step->bs->n_bodies);
  for (int pass = 0; pass < 2; pass++)
    for (int c = 0; c < work->n; c++) {
      int body[2] = {work->contact[c].side[0].body, work->contact[c].side[1].body};
      int first = bodies_yields(step->bs, body[0]) ? body[0] : body[1];
      if (pass) group[c] = sets_head(set, first);
      if (pass || work->shift[c].open || !bodies_yields(step->bs, body[1])) continue;
      sets_join(set, first, body[1]);
    }
}

Status contact_bounce_begin(const ContactStep *step, ContactBounce *bounce, Arena *arena,
                            Err *err) {
  int n_bodies = step->bs->n_bodies, n = step->work->n;
  int32_t *set;
  ARENA_NEW(set, n_bodies, arena, err);
  ARENA_NEW(bounce->group, n + 1, arena, err);
  ARENA_NEW(bounce->share, n + 1, arena, err);
  ARENA_NEW(bounce->of, n_bodies, arena, err);
  find_groups(step, set, bounce->group);
  for (int c = 0; c < n; c++) bounce->share[c] = 1;
  for (int b = 0; b < n_bodies; b++) bounce->of[b] = (BounceGroup){.share = 1, .high = 1};
  return OK;
}

// Work of the impulses on each group: in the mean velocity of the step, and beside what loads alone
// would do in it, of which the lesser counts. Springs of laws give back what they have.
static void find_work(const ContactStep *step, const double *r, const double *v_free,
                      const double *v1, ContactBounce *bounce) {
  const ContactWork *work = step->work;
  int dim = work->dim;
  for (int b = 0; b < step->bs->n_bodies; b++)
    bounce->of[b].mean = bounce->of[b].impact = bounce->of[b].size = 0;
  for (int c = 0; c < work->n; c++) {
    BounceGroup *group = &bounce->of[bounce->group[c]];
    const LawShift *shift = &work->shift[c];
    double u_free[3], u1[3];
    if (shift->c_n > 0 || shift->a_n > 0 || shift->c_t > 0 || shift->a_t > 0) continue;
    SPACE_BY_DIM(dim, contact_relative_velocity(2, &work->contact[c], v_free, u_free),
                 contact_relative_velocity(3, &work->contact[c], v_free, u_free));
    SPACE_BY_DIM(dim, contact_relative_velocity(2, &work->contact[c], v1, u1),
                 contact_relative_velocity(3, &work->contact[c], v1, u1));
    for (int i = 0; i < dim; i++) {
      int k = dim * c + i;
      group->mean += 0.5 * r[k] * (work->u_old[k] + u1[i]);
      group->impact += 0.5 * r[k] * (u_free[i] + u1[i]);
      group->size += 0.5 * fabs(r[k]) * (fabs(work->u_old[k]) + fabs(u1[i]));
    }
  }
}

// A share that gives, and the next lower one that is known to give nothing.
static void narrow(BounceGroup *group, double given) {
  const int gives = given > 0;
  if (gives) {
    group->high = group->share;
    group->at_high = given;
    if (group->gave) group->at_low *= 0.5;
  } else {
    group->low = group->share;
    group->at_low = given;
    if (!group->gave) group->at_high *= 0.5;
  }
  group->gave = gives;
  group->share =
      group->low + (group->high - group->low) * group->at_low / (group->at_low - group->at_high);
}

// What a group is to try after its work is known; 1: it is not done.
static int next_share(BounceGroup *group, double least) {
  double given = fmin(group->mean, group->impact), tried = group->share;
  if (group->done) return 0;
  if (group->tries == 0) { // all of it
    group->given = given;
    group->done = given <= fmax(least, NOTHING * group->size);
    group->share = group->done ? 1 : 0;
  } else if (group->tries == 1) { // none of it; where that gives too, restitution is not what gives
    group->done = given > NOTHING * group->size;
    group->at_high = group->given;
    if (group->done)
      group->share = 1;
    else
      narrow(group, fmin(given, 0));
  } else {
    group->done = group->tries == MOST_TRIES || (given <= 0 && -given <= NEAR * group->given);
    narrow(group, given);
    if (group->done) group->share = group->low;
  }
  group->tries++;
  return group->share != tried;
}

int contact_bounce_next(const ContactStep *step, const double *r, const double *v_free,
                        const double *v1, ContactBounce *bounce) {
  int again = 0;
  find_work(step, r, v_free, v1, bounce);
  bounce->worst = -1;
  for (int b = 0; b < step->bs->n_bodies; b++) {
    const BounceGroup *group = &bounce->of[b];
    again |= next_share(&bounce->of[b], bounce->least);
    if (group->share < 1 && (bounce->worst < 0 || group->share < bounce->of[bounce->worst].share))
      bounce->worst = b;
  }
  for (int c = 0; c < step->work->n; c++) bounce->share[c] = bounce->of[bounce->group[c]].share;
  return again;
}
