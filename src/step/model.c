#include "step/model.h"

static void stage_free(Stage *stage, int n_finite) {
  for (int k = 0; stage->fixed && k < n_finite; k++) mem_free(stage->fixed[k]);
  mem_free(stage->fixed);
  mem_free(stage->prescribed);
  mem_free(stage->removed);
  for (int k = 0; k < stage->n_trims; k++) shape_free(&stage->trims[k].shape);
  mem_free(stage->trims);
}

void model_free(Model *model) {
  for (int k = 0; k < model->n_stages; k++) stage_free(&model->stages[k], model->bodies.n_finite);
  mem_free(model->stages);
  contact_model_free(&model->contact);
  loads_free(&model->loads);
  bodies_free(&model->bodies);
  for (int k = 0; k < model->n_meshes; k++) {
    mesh_free(model->meshes[k]);
    mem_free(model->meshes[k]);
  }
  for (int k = 0; k < model->n_motions; k++) {
    function_free(&model->motions[k]->f);
    mem_free(model->motions[k]);
  }
  mem_free(model->meshes);
  mem_free(model->motions);
  for (int k = 0; model->curves && k < model->n_materials; k++) mem_free(model->curves[k]);
  mem_free(model->curves);
  mem_free(model->materials);
  mem_free(model->laws);
  mem_free(model->rests);
  mem_free(model->v_start);
  mem_free(model->resolved);
  *model = (Model){0};
}
