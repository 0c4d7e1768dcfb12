#include "step/trial.h"

#include <math.h>

// Gaps that stay violated by more than this share of the alert distance make a solution doubtful.
static const double VIOLATED = 1e-3;

// Gap of a contact at velocities v of the end of the step [m].
static double gap_after(const Contact *contact, int dim, double h, const double *v) {
  double u[3] = {0}, gap = contact->gap;
  for (int k = 0; k < 2; k++) site_velocity(dim, &contact->side[k], v, u);
  for (int i = 0; i < dim; i++) gap += h * contact->n[i] * u[i];
  return gap;
}

// Two tools that leave a sheet too little room when they move with v.
static Status check_room(const StepTrial *trial, const double *v, Err *err) {
  const BodySet *bs = &trial->model->bodies;
  const BodyState *bodies = &trial->state->bodies;
  StepSize size = trial->contact.size;
  size_t n = (size_t)bs->n_nodes * (size_t)bs->dim;
  double now = size.h * size.theta, before = size.h - now, *moved;
  if (bs->n_tools < 2) return OK;
  ARENA_NEW(moved, n, &trial->work->arena, err);
  for (size_t k = 0; k < n; k++) moved[k] = bodies->q[k] + now * v[k] + before * bodies->v[k];
  SheetSqueeze squeeze = contact_squeezed(&trial->model->contact, bs, bodies, moved);
  if (squeeze.node < 0) return OK;
  return err_set(
      err, ERR_NUMERIC,
      "the tools '%s' and '%s' leave %.4g m for the sheet '%s', which is %.4g m thick (node %d), "
      "and neither can give way: free one of them, or give the law of contact a stiffness",
      bs->name[squeeze.tool[0]], bs->name[squeeze.tool[1]], squeeze.room, bs->name[squeeze.sheet],
      squeeze.thickness, squeeze.node + 1);
}

Status trial_check(const StepTrial *trial, Err *err) {
  const Contact *contact = contact_list(trial->work->contact);
  const Model *model = trial->model;
  double worst = 0, h = trial->contact.size.h;
  for (int c = 0; c < contact_count(trial->work->contact) && model->bodies.n_tools > 1; c++)
    worst = fmin(worst, gap_after(&contact[c], model->bodies.dim, h, trial->v1));
  return worst < -VIOLATED * model->contact.alert ? check_room(trial, trial->v1, err) : OK;
}

Status trial_leaps(const StepTrial *trial, const MissedNode *missed, Err *err) {
  const BodySet *bs = &trial->model->bodies;
  if (!contact_has_missed(&trial->model->contact, missed)) return OK;
  int body = bs->body_of[missed->node];
  return err_set(err, ERR_NUMERIC,
                 "node %d of '%s' %s %.3g m into the tool '%s' %s: the step is too long",
                 missed->node - bs->node_ptr[body] + 1, bs->name[body],
                 missed->through ? "goes" : "leaps", missed->depth, bs->name[missed->tool],
                 missed->through ? "and out behind it" : "that it was not near");
}

// The contact whose gap is violated most at the last iterate; without such, the one that carries
// most.
static void note_worst_contact(const StepTrial *trial, Err *err) {
  const BodySet *bs = &trial->model->bodies;
  const Contact *contact = contact_list(trial->work->contact), *worst = NULL;
  int n = contact_count(trial->work->contact);
  double least = 0, most = 0, h = trial->contact.size.h;
  for (int c = 0; c < n; c++) {
    double gap = gap_after(&contact[c], bs->dim, h, trial->v1);
    double r = trial->r ? trial->r[bs->dim * c] / h : 0;
    if (!(gap < least) && (least < 0 || !(r > most))) continue;
    least = fmin(least, gap);
    most = r;
    worst = &contact[c];
  }
  if (!worst) return;
  err_note(err, "worst of %d contacts: node %d of '%s' with '%s', %.3g m inside, %.3g N", n,
           worst->side[0].node[0] - bs->node_ptr[worst->side[0].body] + 1,
           bs->name[worst->side[0].body], bs->name[worst->side[1].body], fabs(least), most);
}

void trial_explain(const StepTrial *trial, Err *err) {
  Err why = {0};
  note_worst_contact(trial, err);
  if (check_room(trial, trial->v_free, &why) != OK) err_note(err, "%s", why.text);
}
