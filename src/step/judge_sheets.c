// What makes a sub-step with sheets doubtful: thinning, necks, elements that fold. See newton.h and
// docs/verdicts.md.
#include <stdio.h>

#include "step/newton.h"

// What `worst` is, and where.
static void add(const NewtonStep *step, const FiniteWorst *worst, Doubt doubt, const char *what,
                Log *log) {
  const BodySet *bs = &step->model->bodies;
  State *state = step->state;
  double x[3];
  if (worst->body < 0 || !(doubt.value > doubt.limit)) return;
  finite_middle(bs, step->q1, worst->body, worst->elem, x);
  doubt.body = worst->body;
  snprintf(doubt.text, sizeof doubt.text, "'%.40s' %s at %.3g, %.3g, %.3g m (element %d)",
           bs->name[worst->body], what, x[0], x[1], x[2], worst->elem + 1);
  verdict_add(&state->verdict, &doubt, state->step + 1, step->contact.size.t, log);
}

void newton_judge_sheets(const NewtonStep *step, Log *log) {
  const VerdictLimits *limits = &step->model->limits;
  const SheetDoubts *sheets = &step->sheets;
  char what[120];
  Doubt doubt = {
      .kind = VERDICT_THINNING, .value = sheets->thinning.value, .limit = limits->thinning};
  snprintf(what, sizeof what, "has lost %.0f %% of its thickness (limit %.0f)", 100 * doubt.value,
           100 * doubt.limit);
  add(step, &sheets->thinning, doubt, what, log);
  doubt = (Doubt){.kind = VERDICT_NECK, .value = sheets->neck.value, .limit = limits->neck};
  snprintf(what, sizeof what,
           "necks: its tension has fallen by %.0f %% while it thins (limit %.0f)",
           100 * doubt.value, 100 * doubt.limit);
  add(step, &sheets->neck, doubt, what, log);
  doubt = (Doubt){.kind = VERDICT_FOLDS, .value = sheets->n_folds, .limit = limits->folds};
  snprintf(what, sizeof what, "folds: %d elements are turned against neighbours, by %.0f degrees",
           sheets->n_folds, sheets->fold.value * 57.29577951308232);
  add(step, &sheets->fold, doubt, what, log);
}
