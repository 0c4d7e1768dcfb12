// The problem of a step: laws, free velocities, warm start; and the way back to nodes and state.

#include <math.h>
#include <string.h>

#include "base/sum.h"
#include "contact/pair_type.h"

void contact_velocities(const ContactWork *work, const double *v, double *u) {
  for (int c = 0; c < work->n; c++)
    SPACE_BY_DIM(work->dim, contact_relative_velocity(2, &work->contact[c], v, u + 2 * (size_t)c),
                 contact_relative_velocity(3, &work->contact[c], v, u + 3 * (size_t)c));
}

const double *contact_old_velocities(const ContactWork *work) {
  return work->u_old;
}

CONTACT_INLINE void to_global(const int dim, const Contact *contact, const double *local,
                              double *global) {
  for (int i = 0; i < dim; i++) {
    global[i] = contact->n[i] * local[0] + contact->t[i] * local[1];
    if (dim == 3) global[i] += contact->s[i] * local[2];
  }
}

void contact_to_global(const Contact *contact, int dim, const double *local, double global[3]) {
  global[2] = 0;
  SPACE_BY_DIM(dim, to_global(2, contact, local, global), to_global(3, contact, local, global));
}

void contact_velocity_to_global(const Contact *contact, int dim, const double *local,
                                double global[3]) {
  const double square = dim == 3 ? contact->ratio * contact->ratio : 1;
  const double own[3] = {local[0], local[1], dim == 3 ? local[2] / square : 0};
  contact_to_global(contact, dim, own, global);
}

void contact_place(const BodySet *bs, const Contact *contact, const double *q, double place[3]) {
  const Site *own = &contact->side[0];
  for (int i = 0; i < 3; i++) place[i] = 0;
  for (int k = 0; k < own->n; k++)
    for (int i = 0; i < bs->dim; i++) {
      size_t from = (size_t)bs->dim * (size_t)own->node[k] + (size_t)i;
      place[i] += own->weight[k] * (bs->x[from] + (q ? q[from] : 0));
    }
}

CONTACT_INLINE void add_impulse(const int dim, const Contact *contact, const double *r,
                                double *impulse) {
  double f[3];
  to_global(dim, contact, r, f);
  for (int k = 0; k < 2; k++) site_add(dim, &contact->side[k], f, impulse);
}

void contact_add_impulses(const ContactWork *work, const double *r, double *impulse) {
  for (int c = 0; c < work->n; c++)
    SPACE_BY_DIM(work->dim, add_impulse(2, &work->contact[c], r + 2 * (size_t)c, impulse),
                 add_impulse(3, &work->contact[c], r + 3 * (size_t)c, impulse));
}

CONTACT_INLINE void geometry_of(const int dim, const Contact *contact, const ContactState *state,
                                StepSize size, double rescale, ContactGeometry *geo) {
  int64_t k = contact->slot;
  *geo = (ContactGeometry){.gap = contact->gap,
                           .area = contact->area,
                           .h = size.h,
                           .was_slipping = (state->flag[k] & FLAG_STATUS) == STATUS_SLIP};
  for (int i = 0; i < dim; i++) geo->r_old[i] = rescale * state->impulse[dim * k + i];
}

// A gap below this share of the shortest edge is what round-off and the tolerance of the solver
// left of none. Laws that let go where a gap is open would leave what rests on nothing for a step.
static const double CLOSED = 1e-6;

// Impulses are forces times step: after a change of step size the same force is the better guess.
static double impulse_rescale(const ContactState *state, StepSize size) {
  return state->search[1] > 0 ? size.h / state->search[1] : 1;
}

// Over the largest velocity that is given: impulses of a step turn no other velocity round by as
// much, not in a row of stones each lighter than the one before.
static const double OUT_OF_REACH = 100;

static double out_of_reach(const ContactWork *work) {
  double fastest = 0;
  for (int k = 0; k < work->dim * work->n; k++) fastest = fmax(fastest, fabs(work->b[k]));
  return OUT_OF_REACH * fastest;
}

// A contact that its law does not let act this step: no impulse whatever happens.
static void close_contact(ContactWork *work, int c, double away) {
  work->b[work->dim * c] = away;
  work->mu[c] = 0;
  work->radius[c] = 0;
}

// What laws add to a problem.
typedef struct {
  int radius, s, a; // is any of them not zero?
} Extras;

// Impulses that interior points have left are near what their status says, not at it: what was open
// starts without any, what slipped on the cone.
CONTACT_INLINE void warm_start(const int dim, ContactStatus status, const LawShift *shift,
                               double *r) {
  double size = 0;
  int open = status == STATUS_OPEN || status == STATUS_BROKEN;
  if (open && shift->s[0] == 0 && shift->a_n == 0)
    for (int k = 0; k < dim; k++) r[k] = 0;
  if (status != STATUS_SLIP || shift->a_n != 0 || shift->a_t != 0) return;
  for (int k = 1; k < dim; k++) size += (r[k] + shift->s[k]) * (r[k] + shift->s[k]);
  double bound = shift->mu * fmax(0, r[0] + shift->s[0]) + shift->radius;
  for (int k = 1; k < dim && size > 0; k++)
    r[k] = (r[k] + shift->s[k]) * bound / sqrt(size) - shift->s[k];
}

// One contact: its law, velocities and warm start r [dim]; compliance is added to the diagonal
// block.
CONTACT_INLINE void apply_law(const int dim, const ContactStep *step, const double *v_free,
                              double rescale, int c, double *r, double *diag, Extras *any) {
  const ContactModel *cm = step->cm;
  const ContactState *state = step->state;
  ContactWork *work = step->work;
  const Contact *contact = &work->contact[c];
  const Law *law = cm->rules[contact->rule].law;
  LawShift *shift = &work->shift[c];
  ContactGeometry geo;
  double *b = work->b + dim * (size_t)c, *s = work->s + dim * (size_t)c;
  geometry_of(dim, contact, state, step->size, rescale, &geo);
  geo.closed = CLOSED * cm->skin.shortest;
  contact_relative_velocity(dim, contact, step->bodies->v, geo.u_old);
  memcpy(work->u_old + dim * (size_t)c, geo.u_old, (size_t)dim * sizeof(double));
  law->type->prepare(law->par, state->law + (size_t)contact->slot * cm->n_law_state, &geo, shift);
  for (int k = 0; k < dim && step->bounce && law->type->rebounds; k++)
    shift->a[k] *= step->bounce[c];
  contact_relative_velocity(dim, contact, v_free, b);
  work->a[2 * c] = shift->a_n;
  work->a[2 * c + 1] = shift->a_t;
  for (int k = 0; k < dim; k++) {
    double parallel = k == 0 ? shift->a_n : shift->a_t;
    diag[(dim + 1) * k] += k == 0 ? shift->c_n : shift->c_t;
    b[k] += shift->a[k];
    // The solver's u holds the shift a, the stiffness of the law acts without it.
    s[k] = shift->s[k] - parallel * shift->a[k];
    r[k] = geo.r_old[k];
    any->s |= s[k] != 0;
    any->a |= parallel != 0;
  }
  if (step->projected)
    warm_start(dim, (ContactStatus)(state->flag[contact->slot] & FLAG_STATUS), shift, r);
  work->mu[c] = shift->mu;
  work->radius[c] = shift->radius;
  any->radius |= work->radius[c] != 0;
}

// Speed over the largest at any contact below which it stands.
static const double STANDS = 1e-12;

// Where both sides are prescribed along the normal no impulse opens a contact that they close:
// prescribed motion wins, and the penetration is reported. A solver would look for the impulse in
// vain up to its last iteration.
static void let_prescribed_pass(ContactWork *work, int c, double away) {
  int grips = work->radius[c] > 0; // without a normal impulse, as a draw bead does
  if (!grips) close_contact(work, c, away);
}

// Where they are prescribed along all tangents, and stand still there, friction moves nothing: any
// that the disk holds would do, and what prescribes bears the rest, so that sums of it would be
// chance. There is none, as symmetry has it where a body is cut in half; what slides has its own.
static void let_prescribed_stand(ContactWork *work, int c) {
  double fastest = 0, speed = 0;
  for (int k = 0; k < work->dim * work->n; k++)
    if (k % work->dim > 0) fastest = fmax(fastest, fabs(work->b[k]));
  for (int k = 1; k < work->dim; k++) speed = fmax(speed, fabs(work->b[work->dim * c + k]));
  if (speed <= STANDS * fastest) work->mu[c] = 0;
}

// Contacts on motion that is prescribed: few.
static void prescribed_contacts(ContactWork *work, const double *diag, double away) {
  size_t dim = (size_t)work->dim;
  for (int c = 0; c < work->n; c++) {
    const double *block = diag + dim * dim * (size_t)c;
    double normal = block[0], tangent = block[dim + 1];
    if (dim == 3 && block[8] > tangent) tangent = block[8];
    if (normal <= PRESCRIBED * tangent || !(normal > 0)) let_prescribed_pass(work, c, away);
    if (tangent <= PRESCRIBED * normal) let_prescribed_stand(work, c);
  }
}

// Elastic parts with the compliances of the laws, NULL where nothing deforms, and these.
static Status elastic_parts(const ContactWork *work, Problem *problem, Arena *arena, Err *err) {
  double *elastic, *compliance;
  int deforms = 0, complies = 0;
  ARENA_NEW(elastic, 2 * work->n + 1, arena, err);
  ARENA_NEW(compliance, 2 * work->n + 1, arena, err);
  for (int c = 0; c < work->n; c++) {
    const Grip *side = work->side + 2 * (size_t)c;
    const LawShift *shift = &work->shift[c];
    compliance[2 * c] = shift->c_n;
    compliance[2 * c + 1] = shift->c_t;
    for (int k = 0; k < 2; k++)
      elastic[2 * c + k] = work->elastic[2 * c + k] + compliance[2 * c + k];
    complies |= shift->c_n > 0 || shift->c_t > 0;
    for (int k = 0; k < 2; k++) deforms |= side[k].body >= 0 && side[k].elastic;
  }
  if (deforms || complies) problem->elastic = elastic;
  if (complies) problem->compliance = compliance;
  return OK;
}

static Status make_problem(const ContactStep *step, const double *v_free, int with_blocks,
                           Problem *problem, double **r, Arena *arena, Err *err) {
  ContactWork *work = step->work;
  int dim = work->dim, size = dim * dim;
  double rescale = impulse_rescale(step->state, step->size), *diag;
  Extras any = {0};
  ARENA_NEW(*r, dim * work->n + 1, arena, err);
  ARENA_NEW(diag, size * work->n + 1, arena, err);
  work->has_blocks = with_blocks;
  if (with_blocks)
    memcpy(diag, work->diag, sizeof *diag * (size_t)size * (size_t)work->n);
  else
    memset(diag, 0, sizeof *diag * (size_t)size * (size_t)work->n);
  for (int c = 0; c < work->n; c++)
    SPACE_BY_DIM(
        dim, apply_law(2, step, v_free, rescale, c, *r + 2 * (size_t)c, diag + 4 * (size_t)c, &any),
        apply_law(3, step, v_free, rescale, c, *r + 3 * (size_t)c, diag + 9 * (size_t)c, &any));
  const double away = out_of_reach(work);
  if (with_blocks) prescribed_contacts(work, diag, away);
  for (int c = 0; c < work->n; c++)
    if (work->shift[c].open) close_contact(work, c, away);
  *problem = (Problem){.dim = dim,
                       .n = work->n,
                       .diag = diag,
                       .b = work->b,
                       .mu = work->mu,
                       .radius = any.radius ? work->radius : NULL,
                       .s = any.s ? work->s : NULL,
                       .a = any.a ? work->a : NULL};
  if (with_blocks && !work->by_bodies) problem->blocks = (BlockRows){work->ptr, work->col, work->w};
  if (!with_blocks) return OK;
  TRY(elastic_parts(work, problem, arena, err));
  problem->bodies = (BodyRows){.n_bodies = step->bs->n_bodies,
                               .n_modes = space_rigid_motions(dim),
                               .moved = work->moved,
                               .lever = work->lever};
  if (!work->by_bodies) return OK;
  problem->bodies.own = work->diag;
  ARENA_NEW(problem->bodies.motion, step->bs->n_bodies * problem->bodies.n_modes, arena, err);
  return OK;
}

Status contact_problem(const ContactStep *step, const double *v_free, Problem *problem, double **r,
                       Arena *arena, Err *err) {
  return make_problem(step, v_free, 1, problem, r, arena, err);
}

Status contact_laws(const ContactStep *step, const double *v_free, Problem *problem, double **r,
                    Arena *arena, Err *err) {
  return make_problem(step, v_free, 0, problem, r, arena, err);
}

// The status is that of the unilateral impulse, or of its projection by elastic steps
// (solver/deformation.h): interior points leave small impulses where contacts are open.

// Relative distance to the cone's mantle at which a contact counts as slipping, and at most, where
// impulses are known to the solver's tolerance only.
static const double ON_MANTLE = 1e-9, NEAR_MANTLE = 1e-3;

static ContactStatus status_of(const LawShift *shift, const double *elastic, const double u[3],
                               const double r[3], double unsure) {
  double rho_n = r[0] + shift->s[0] + shift->a_n * u[0], rho_t[2];
  for (int i = 0; i < 2; i++) rho_t[i] = r[1 + i] + shift->s[1 + i] + shift->a_t * u[1 + i];
  if (elastic) {
    rho_n = fmax(0, rho_n - (u[0] + shift->a[0] + shift->c_n * r[0]) / (elastic[0] + shift->c_n));
    for (int i = 0; i < 2; i++)
      rho_t[i] -= (u[1 + i] + shift->a[1 + i] + shift->c_t * r[1 + i]) / (elastic[1] + shift->c_t);
  }
  double limit = shift->mu * rho_n + shift->radius;
  double size = rho_t[1] == 0 ? fabs(rho_t[0]) : hypot(rho_t[0], rho_t[1]);
  if (elastic) size = fmin(size, limit);
  if (shift->open || (rho_n <= 0 && size <= 0)) return shift->broken ? STATUS_BROKEN : STATUS_OPEN;
  double near = fmax(ON_MANTLE * limit, fmin(NEAR_MANTLE * limit, unsure));
  return size >= limit - near ? STATUS_SLIP : STATUS_STICK;
}

// Energy in the springs of a law along one direction before and after: the series compliance c
// under impulses r_old and r, a zone in parallel of stiffness a and shift s that moves on by u.
static double spring_change(double c, double r_old, double r, double a, double s, double u) {
  double change = 0.5 * c * (r * r - r_old * r_old);
  if (a > 0) change += 0.5 * ((s + a * u) * (s + a * u) - s * s) / a;
  return change;
}

typedef struct {
  const ContactStep *step;
  const double *r, *u_new;
  double unsure;
} Given;

// rho_T . u'_T of a contact that sticks, which is zero where it is solved.
static double stuck_work(const Given *given, int c) {
  const ContactWork *work = given->step->work;
  const LawShift *shift = &work->shift[c];
  const double *elastic = given->step->projected ? work->elastic + 2 * (size_t)c : NULL;
  size_t at = (size_t)work->dim * (size_t)c;
  double r[3], u[3], sum = 0;
  space_to_three(work->dim, given->r + at, r);
  space_to_three(work->dim, given->u_new + at, u);
  if (status_of(shift, elastic, u, r, given->unsure) != STATUS_STICK) return 0;
  for (int k = 1; k < 3; k++)
    sum += (r[k] + shift->s[k] + shift->a_t * u[k]) * (u[k] + shift->a[k] + shift->c_t * r[k]);
  return sum;
}

// How far the impulses of all may be off.
static double unsure_impulse(const ContactStep *step, const double *r) {
  double square = 0;
  for (int i = 0; i < step->work->dim * step->work->n; i++) square += r[i] * r[i];
  return step->tolerance * sqrt(square);
}

// Normal, of friction in the mean velocity, of friction as the law has it, of what sticks.
static void given_terms(const void *of, int64_t first, int64_t last, double *sum) {
  const Given *given = of;
  const ContactStep *step = given->step;
  const ContactWork *work = step->work;
  const double *r = given->r, *u_new = given->u_new;
  int dim = work->dim;
  double theta = step->size.theta, rescale = impulse_rescale(step->state, step->size);
  for (int c = (int)first; c < last; c++) {
    const LawShift *shift = &work->shift[c];
    const Contact *contact = &work->contact[c];
    const double *old = step->state->impulse + (size_t)dim * (size_t)contact->slot;
    sum[3] += theta * stuck_work(given, c);
    for (int i = 0; i < dim; i++) {
      int k = dim * c + i;
      double work_done = r[k] * (theta * u_new[k] + (1 - theta) * work->u_old[k]), held = 0;
      double compliance = i == 0 ? shift->c_n : shift->c_t;
      double zone = i == 0 ? shift->a_n : shift->a_t;
      if (compliance > 0 || zone > 0)
        held = spring_change(compliance, rescale * old[i], r[k], zone, shift->s[i], u_new[k]);
      if (i > 0) {
        sum[1] += work_done + held;
        sum[2] += r[k] * (u_new[k] + shift->a[i]) + held;
      } else if (!step->cm->rules[contact->rule].law->type->rebounds) {
        sum[0] += work_done + held;
      }
    }
  }
}

ContactGiven contact_given(const ContactStep *step, const double *r, const double *u_new) {
  const Given of = {step, r, u_new, unsure_impulse(step, r)};
  double sum[4];
  sum_over(step->work->n, 4, given_terms, &of, sum);
  return (ContactGiven){
      .normal = sum[0], .friction = sum[1], .law_friction = sum[2], .stuck = sum[3]};
}

// The state of a contact's law at the end of the step, in `own` [n_law_state]; returns what of its
// strength was lost.
CONTACT_INLINE LawLoss commit_law(const int dim, const ContactStep *step, double rescale, int c,
                                  const double *r, const double *u, double *own) {
  const ContactWork *work = step->work;
  const Contact *contact = &work->contact[c];
  const Law *law = step->cm->rules[contact->rule].law;
  double r3[3], u3[3];
  space_to_three(dim, r, r3);
  space_to_three(dim, u, u3);
  ContactGeometry geo;
  if (!law->type->commit) return LOSS_NONE;
  geometry_of(dim, contact, step->state, step->size, rescale, &geo);
  for (int k = 0; k < 2 && work->has_blocks; k++)
    geo.yield[k] = work->elastic[2 * (size_t)c + (size_t)k];
  return law->type->commit(law->par, &geo, &work->shift[c], u3, r3, step->frozen, own);
}

int contact_would_lose(const ContactStep *step, const double *r, const double *u_new) {
  const ContactModel *cm = step->cm;
  double rescale = impulse_rescale(step->state, step->size), own[LAW_MAX_STATE];
  int lost = 0, dim = step->work->dim;
  if (cm->n_law_state == 0 || step->frozen) return 0;
  for (int c = 0; c < step->work->n; c++) {
    size_t slot = (size_t)step->work->contact[c].slot, at = (size_t)dim * (size_t)c;
    memcpy(own, step->state->law + slot * (size_t)cm->n_law_state,
           sizeof *own * (size_t)cm->n_law_state);
    LawLoss loss;
    SPACE_BY_DIM(dim, loss = commit_law(2, step, rescale, c, r + at, u_new + at, own),
                 loss = commit_law(3, step, rescale, c, r + at, u_new + at, own));
    lost += loss != LOSS_NONE;
  }
  return lost;
}

CONTACT_INLINE LawLoss commit_one(const int dim, const ContactStep *step, double rescale,
                                  double unsure, int c, const double *r, const double *u) {
  const ContactModel *cm = step->cm;
  ContactState *state = step->state;
  ContactWork *work = step->work;
  const Contact *contact = &work->contact[c];
  int64_t k = contact->slot;
  double r3[3], u3[3];
  space_to_three(dim, r, r3);
  space_to_three(dim, u, u3);
  const double *elastic = step->projected ? work->elastic + 2 * (size_t)c : NULL;
  ContactStatus own = status_of(&work->shift[c], elastic, u3, r3, unsure);
  work->status[c] = (uint8_t)own;
  if (elastic && !step->interior) own = status_of(&work->shift[c], NULL, u3, r3, unsure);
  LawLoss loss = commit_law(dim, step, rescale, c, r, u, state->law + (size_t)k * cm->n_law_state);
  state->flag[k] = (state->flag[k] & ~FLAG_STATUS) | FLAG_ACTIVE | (int32_t)own;
  for (int i = 0; i < dim; i++) state->impulse[dim * k + i] = r3[i];
  if (pair_types[work->slot[k].pair]->keeps_frame) return loss;
  state->flag[k] |= FLAG_KEPT;
  for (int i = 0; i < dim; i++) state->normal[dim * k + i] = contact->n[i];
  for (int i = 0; dim == 3 && i < 3; i++) state->tangent[3 * k + i] = contact->t[i];
  return loss;
}

ContactLost contact_commit(const ContactStep *step, const double *r, const double *u_new) {
  double rescale = impulse_rescale(step->state, step->size), unsure = unsure_impulse(step, r);
  ContactLost lost = {0};
  for (int c = 0; c < step->work->n; c++) {
    LawLoss loss;
    SPACE_BY_DIM(
        step->work->dim,
        loss = commit_one(2, step, rescale, unsure, c, r + 2 * (size_t)c, u_new + 2 * (size_t)c),
        loss = commit_one(3, step, rescale, unsure, c, r + 3 * (size_t)c, u_new + 3 * (size_t)c));
    lost.some += loss != LOSS_NONE;
    lost.all += loss == LOSS_ALL;
  }
  step->state->search[1] = step->size.h;
  return lost;
}

void contact_update(const ContactStep *step, const double *q1, const double *v1) {
  ContactWork *work = step->work;
  for (int c = 0; c < work->n; c++) {
    const PairType *pair = pair_types[work->slot[work->contact[c].slot].pair];
    if (!pair->update) continue;
    pair->update(step, q1, v1, &work->contact[c]);
    if (work->dim == 3) contact_orient(step, &work->contact[c]);
  }
}
