#include "staged_step.h"

#include <criterion/criterion.h>
#include <string.h>

ContactStep staged_contact_step(CaseRun *run, double h) {
  Model *model = &run->input.model;
  return (ContactStep){
      .cm = &model->contact,
      .bs = &model->bodies,
      .bodies = &run->state.bodies,
      .state = &run->state.contact,
      .work = run->work.contact,
      .size = {.t = run->state.t, .h = h, .theta = model->steps.theta},
  };
}

void staged_step_begin(StagedStep *staged, CaseRun *run, double h) {
  Model *model = &run->input.model;
  BodySet *bs = &model->bodies;
  size_t n = (size_t)bs->n_nodes * 2;
  Err err = {0};
  *staged = (StagedStep){.run = run};
  staged->step = staged_contact_step(run, h);
  StepSize size = staged->step.size;
  staged->turned = mem_new((size_t)bs->n_bodies, 1);
  staged->v_free = mem_new(n, sizeof(double));
  double *p = mem_new(n, sizeof(double));
  cr_assert(staged->turned && staged->v_free && p);
  cr_assert_eq(
      dynamics_matrices(bs, size, &run->work.factors, &staged->matrices, &staged->arena, &err), OK,
      "%s", err.text);
  cr_assert_eq(loads_at(&model->loads, bs, size.t, size.t + h, size.theta, p, &err), OK, "%s",
               err.text);
  dynamics_update_frames(bs, size, &run->state.bodies, staged->turned);
  cr_assert_eq(contact_detect(&staged->step, &err), OK, "%s", err.text);
  const LinearStep linear = {
      .bs = bs, .m = &staged->matrices, .state = &run->state.bodies, .size = size, .p = p};
  cr_assert_eq(dynamics_free_velocity(&linear, staged->v_free, &staged->arena, &err), OK, "%s",
               err.text);
  cr_assert_eq(contact_assemble(&staged->step, &staged->matrices, staged->turned, &err), OK, "%s",
               err.text);
  mem_free(p);
}

void staged_step_problem(StagedStep *staged) {
  Err err = {0};
  cr_assert_eq(contact_problem(&staged->step, staged->v_free, &staged->problem, &staged->r,
                               &staged->arena, &err),
               OK, "%s", err.text);
}

void staged_step_end(StagedStep *staged) {
  arena_free(&staged->arena);
  mem_free(staged->turned);
  mem_free(staged->v_free);
  *staged = (StagedStep){0};
}

double test_random(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 23) - 1;
}
