#include "body/dynamics.h"

#include <string.h>

#include "base/sum.h"
#include "body/body_type.h"

const BodyFamily *const body_families[N_BODY_FAMILIES] = {&family_elastic, &family_rigid};

// ---- prescribed components ----------------------------------------------------------------------

// Velocity that moves x(t) exactly at the intermediate configurations (docs/theory/nscd.md, section
// 1).
Status motion_velocity(const Motion *motion, StepSize size, double *v, Err *err) {
  const Function *x = &motion->f;
  double time = step_time(size), lead = time * (1 - size.theta), x0, x1;
  if (motion->is_velocity) {
    TRY(function_value(x, size.t + time, v, err));
    *v *= time / size.h;
    return OK;
  }
  *v = 0;
  if (function_is_constant(x)) return OK;
  TRY(function_value(x, size.t + lead, &x0, err));
  TRY(function_value(x, size.t + time + lead, &x1, err));
  *v = (x1 - x0) / size.h;
  return OK;
}

Status motion_start(const Motion *motion, StepSize size, double *v, Err *err) {
  double lead = size.h * (1 - size.theta), x0, x1;
  if (motion->is_velocity) return function_value(&motion->f, size.t, v, err);
  *v = 0;
  if (function_is_constant(&motion->f) || !(lead > 0)) return OK;
  TRY(function_value(&motion->f, size.t, &x0, err));
  TRY(function_value(&motion->f, size.t + lead, &x1, err));
  *v = (x1 - x0) / lead;
  return OK;
}

Status dynamics_start(const BodySet *bs, StepSize size, double *v, Err *err) {
  for (int f = 0; f < N_BODY_FAMILIES; f++)
    if (body_families[f]->start) TRY(body_families[f]->start(bs, size, v, err));
  for (int k = 0; k < bs->n_prescribed; k++) {
    const PrescribedDof *dof = &bs->prescribed[k];
    TRY(motion_start(dof->motion, size, &v[(size_t)dof->node * bs->dim + dof->component], err));
  }
  return OK;
}

// ---- the step: what families do, one after the other --------------------------------------------

Status dynamics_matrices(const BodySet *bs, StepSize size, DynamicsFactors *factors,
                         DynamicsMatrices *m, Arena *arena, Err *err) {
  for (int f = 0; f < N_BODY_FAMILIES; f++)
    if (body_families[f]->prepare) TRY(body_families[f]->prepare(bs, size, factors, m, arena, err));
  return OK;
}

void dynamics_factors_free(DynamicsFactors *factors) {
  for (int p = 0; p < factors->n; p++) prototype_factors_free(&factors->prototype[p]);
  mem_free(factors->prototype);
  *factors = (DynamicsFactors){0};
}

void dynamics_update_frames(const BodySet *bs, StepSize size, BodyState *state, uint8_t *turned) {
  memset(turned, 0, (size_t)bs->n_bodies);
  for (int f = 0; f < N_BODY_FAMILIES; f++)
    if (body_families[f]->update_frames) body_families[f]->update_frames(bs, size, state, turned);
}

Status dynamics_align(const BodySet *bs, const BodyState *state, double **v, Arena *arena,
                      Err *err) {
  size_t n = (size_t)bs->n_nodes * (size_t)bs->dim;
  *v = state->v;
  if (bs->n_rigid == 0) return OK;
  ARENA_NEW(*v, n, arena, err);
  memcpy(*v, state->v, n * sizeof **v);
  for (int f = 0; f < N_BODY_FAMILIES; f++)
    if (body_families[f]->align) body_families[f]->align(bs, state, *v);
  return OK;
}

// Prescribed components are data: what they change by.
static Status prescribed_changes(const LinearStep *step, double *dv, double *v_free, Err *err) {
  const BodySet *bs = step->bs;
  memset(dv, 0, (size_t)bs->n_nodes * (size_t)bs->dim * sizeof *dv);
  for (int k = 0; k < bs->n_prescribed; k++) {
    const PrescribedDof *dof = &bs->prescribed[k];
    size_t c = (size_t)dof->node * bs->dim + dof->component;
    TRY(motion_velocity(dof->motion, step->size, &dv[c], err));
    dv[c] -= step->state->v[c];
    if (bs->type[bs->body_of[dof->node]]->iterated) v_free[c] += dv[c];
  }
  return OK;
}

Status dynamics_free_velocity(const LinearStep *given, double *v_free, Arena *arena, Err *err) {
  LinearStep step = *given;
  size_t n = (size_t)step.bs->n_nodes * step.bs->dim;
  double *dv;
  memcpy(v_free, step.state->v, n * sizeof *v_free);
  if (step.bs->n_prescribed > 0) {
    ARENA_NEW(dv, n, arena, err);
    TRY(prescribed_changes(&step, dv, v_free, err));
    step.dv = dv;
  }
  for (int f = 0; f < N_BODY_FAMILIES; f++)
    if (body_families[f]->free_velocity)
      TRY(body_families[f]->free_velocity(&step, v_free, arena, err));
  return OK;
}

Status dynamics_correct(const LinearStep *step, const double *v_free, const double *impulse,
                        double *v, Arena *arena, Err *err) {
  memcpy(v, v_free, sizeof *v * (size_t)step->bs->n_nodes * step->bs->dim);
  for (int f = 0; f < N_BODY_FAMILIES; f++)
    if (body_families[f]->correct) TRY(body_families[f]->correct(step, impulse, v, arena, err));
  return OK;
}

Status dynamics_energy(const BodySet *bs, const StepResult *result, StepEnergy *energy,
                       double *support, Arena *arena, Err *err) {
  size_t n = (size_t)bs->n_nodes * bs->dim;
  double *v_theta, theta = result->size.theta;
  ARENA_NEW(v_theta, n, arena, err);
  for (size_t k = 0; k < n; k++)
    v_theta[k] = theta * result->v1[k] + (1 - theta) * result->state->v[k];
  EnergyStep step = {.bs = bs, .result = result, .v_theta = v_theta, .support = support};
  *energy = (StepEnergy){0};
  for (int f = 0; f < N_BODY_FAMILIES; f++)
    if (body_families[f]->energy) TRY(body_families[f]->energy(&step, energy, arena, err));
  return OK;
}

enum { N_STEP_ENERGIES = 6 };

static void energy_terms(const void *of, int64_t first, int64_t last, double *sum) {
  for (const StepEnergy *part = (const StepEnergy *)of + first, *end = part + (last - first);
       part < end; part++) {
    sum[0] += part->kinetic;
    sum[1] += part->elastic;
    sum[2] += part->external;
    sum[3] += part->damping;
    sum[4] += part->numerical;
    sum[5] += part->pressing;
  }
}

void step_energy_add(const StepEnergy *part, int64_t n, StepEnergy *sum) {
  double own[N_STEP_ENERGIES];
  sum_over(n, N_STEP_ENERGIES, energy_terms, part, own);
  sum->kinetic += own[0];
  sum->elastic += own[1];
  sum->external += own[2];
  sum->damping += own[3];
  sum->numerical += own[4];
  sum->pressing += own[5];
}

void dynamics_advance(const BodySet *bs, const BodyState *state, StepSize size, const double *v1,
                      double *q1) {
  size_t n = (size_t)bs->n_nodes * (size_t)bs->dim;
  double now = size.h * size.theta, before = size.h * (1 - size.theta);
  for (size_t k = 0; k < n; k++) q1[k] = state->q[k] + now * v1[k] + before * state->v[k];
  for (int f = 0; f < N_BODY_FAMILIES; f++)
    if (body_families[f]->advance) body_families[f]->advance(bs, state, size, v1, q1);
}

void dynamics_settle(const BodySet *bs, BodyState *state) {
  for (int f = 0; f < N_BODY_FAMILIES; f++)
    if (body_families[f]->settle) body_families[f]->settle(bs, state);
}
