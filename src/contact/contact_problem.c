// The problem of a step: laws, free velocities, warm start; and the way back to nodes and state.

#include <math.h>
#include <string.h>

#include "contact/contact_internal.h"

// u = H^T v of one contact in its frame.
static void relative_velocity(const Contact *contact, const double *v, double u[2]) {
  double x = 0, y = 0;
  for (int k = 0; k < 4; k++) {
    const double *from = v + 2 * (size_t)contact->node[k];
    x += contact->weight[k] * from[0];
    y += contact->weight[k] * from[1];
  }
  u[0] = contact->n[0] * x + contact->n[1] * y;
  u[1] = contact->t[0] * x + contact->t[1] * y;
}

void contact_velocities(const ContactWork *work, const double *v, double *u) {
  for (int c = 0; c < work->n; c++) relative_velocity(&work->contact[c], v, u + 2 * (size_t)c);
}

const double *contact_old_velocities(const ContactWork *work) {
  return work->u_old;
}

void contact_add_impulses(const ContactWork *work, const double *r, double *impulse) {
  for (int c = 0; c < work->n; c++) {
    const Contact *contact = &work->contact[c];
    double f[2];
    for (int i = 0; i < 2; i++) f[i] = contact->n[i] * r[2 * c] + contact->t[i] * r[2 * c + 1];
    for (int k = 0; k < 4; k++)
      for (int i = 0; i < 2; i++)
        impulse[2 * (size_t)contact->node[k] + i] += contact->weight[k] * f[i];
  }
}

static void geometry_of(const Contact *contact, const ContactState *state, StepSize size,
                        double rescale, ContactGeometry *geo) {
  int64_t k = contact->slot;
  *geo = (ContactGeometry){
      .gap = contact->gap,
      .r_old = {rescale * state->impulse[2 * k], rescale * state->impulse[2 * k + 1]},
      .slip = {0, state->slip[k]},
      .area = contact->area,
      .h = size.h,
      .was_slipping = (state->flag[k] & FLAG_STATUS) == STATUS_SLIP};
}

// Impulses are forces times step: after a change of step size the same force is the better guess.
static double impulse_rescale(const ContactState *state, StepSize size) {
  return state->search[1] > 0 ? size.h / state->search[1] : 1;
}

// A contact that its law does not let act this step: no impulse whatever happens.
static void close_contact(ContactWork *work, int c) {
  double far = 0;
  for (int k = 0; k < 2; k++) far += fabs(work->b[2 * c + k]);
  work->b[2 * c] = 1 + far;
  work->mu[c] = 0;
  work->radius[c] = 0;
}

Status contact_problem(const ContactStep *step, const double *v_free, Problem *problem, double **r,
                       Arena *arena, Err *err) {
  const ContactModel *cm = step->cm;
  const BodyState *bodies = step->bodies;
  const ContactState *state = step->state;
  ContactWork *work = step->work;
  StepSize size = step->size;
  int any_radius = 0, any_s = 0, any_a = 0;
  double rescale = impulse_rescale(state, size), *diag;
  ARENA_NEW(*r, 2 * work->n + 1, arena, err);
  ARENA_NEW(diag, 4 * work->n + 1, arena, err);
  memcpy(diag, work->diag, sizeof *diag * 4 * (size_t)work->n);
  for (int c = 0; c < work->n; c++) {
    const Contact *contact = &work->contact[c];
    const Law *law = cm->rules[contact->rule].law;
    LawShift *shift = &work->shift[c];
    ContactGeometry geo;
    geometry_of(contact, state, size, rescale, &geo);
    relative_velocity(contact, bodies->v, geo.u_old);
    memcpy(work->u_old + 2 * c, geo.u_old, 2 * sizeof(double));
    law->type->prepare(law->par, state->law + (size_t)contact->slot * cm->n_law_state, &geo, shift);
    relative_velocity(contact, v_free, work->b + 2 * c);
    for (int k = 0; k < 2; k++) {
      double compliance = k == 0 ? shift->c_n : shift->c_t;
      diag[4 * c + 3 * k] += compliance;
      work->b[2 * c + k] += shift->a[k];
      work->a[2 * c + k] = k == 0 ? shift->a_n : shift->a_t;
      // The solver's u holds the shift a, the stiffness of the law acts without it.
      work->s[2 * c + k] = shift->s[k] - work->a[2 * c + k] * shift->a[k];
      (*r)[2 * c + k] = geo.r_old[k];
      any_s |= work->s[2 * c + k] != 0;
      any_a |= work->a[2 * c + k] != 0;
    }
    work->mu[c] = shift->mu;
    work->radius[c] = shift->radius;
    if (shift->open) close_contact(work, c);
    any_radius |= work->radius[c] != 0;
  }
  *problem = (Problem){.dim = 2,
                       .n = work->n,
                       .ptr = work->ptr,
                       .col = work->col,
                       .w = work->w,
                       .diag = diag,
                       .b = work->b,
                       .mu = work->mu,
                       .radius = any_radius ? work->radius : NULL,
                       .s = any_s ? work->s : NULL,
                       .a = any_a ? work->a : NULL};
  return OK;
}

// Relative distance to the cone's mantle at which a contact counts as slipping.
static const double ON_MANTLE = 1e-9;

static ContactStatus status_of(const LawShift *shift, const double u[2], const double r[2]) {
  double rho_n = r[0] + shift->s[0] + shift->a_n * u[0];
  double rho_t = r[1] + shift->s[1] + shift->a_t * u[1];
  double limit = shift->mu * rho_n + shift->radius;
  if (shift->open || (rho_n <= 0 && fabs(rho_t) <= 0))
    return shift->broken ? STATUS_BROKEN : STATUS_OPEN;
  return fabs(rho_t) >= (1 - ON_MANTLE) * limit ? STATUS_SLIP : STATUS_STICK;
}

void contact_commit(const ContactStep *step, const double *r, const double *u_new) {
  const ContactModel *cm = step->cm;
  ContactState *state = step->state;
  ContactWork *work = step->work;
  StepSize size = step->size;
  double rescale = impulse_rescale(state, size);
  for (int c = 0; c < work->n; c++) {
    const Contact *contact = &work->contact[c];
    const Law *law = cm->rules[contact->rule].law;
    int64_t k = contact->slot;
    const double r3[3] = {r[2 * c], r[2 * c + 1], 0}, u3[3] = {u_new[2 * c], u_new[2 * c + 1], 0};
    work->status[c] = (uint8_t)status_of(&work->shift[c], u3, r3);
    if (law->type->commit) {
      ContactGeometry geo;
      geometry_of(contact, state, size, rescale, &geo);
      double *own = state->law + (size_t)k * cm->n_law_state;
      law->type->commit(law->par, &geo, &work->shift[c], u3, r3, own);
    }
    state->flag[k] = (state->flag[k] & ~FLAG_STATUS) | FLAG_ACTIVE | work->status[c];
    state->impulse[2 * k] = r[2 * c];
    state->impulse[2 * k + 1] = r[2 * c + 1];
    state->slip[k] = r[2 * c] > 0 ? state->slip[k] + size.h * u_new[2 * c + 1] : 0;
  }
  state->search[1] = size.h;
}
