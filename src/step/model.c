#include "step/model.h"

void model_free(Model *model) {
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
  mem_free(model->materials);
  mem_free(model->laws);
  mem_free(model->rests);
  mem_free(model->v_start);
  *model = (Model){0};
}
