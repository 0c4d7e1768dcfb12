#include "step/state.h"

#include <string.h>

Status state_init(State *state, const Model *model, Err *err) {
  *state = (State){.t = model->steps.start};
  state->stage_value[STAGE_START] = model->steps.start;
  TRY(body_state_init(&state->bodies, &model->bodies, err));
  TRY(contact_state_init(&state->contact, &model->contact, &model->bodies, err));
  MEM_NEW(state->rest_passages, model->n_rests, err);
  MEM_NEW(state->rest_last, model->n_rests, err);
  MEM_NEW(state->cut, model->n_cut, err);
  MEM_NEW(state->touched, model->bodies.n_bodies, err);
  const BodySet *bs = &model->bodies;
  if (model->v_start)
    memcpy(state->bodies.v, model->v_start, sizeof(double) * (size_t)bs->n_nodes * bs->dim);
  StepSize size = {.t = model->steps.start, .h = model->steps.h, .theta = model->steps.theta};
  TRY(dynamics_start(bs, size, state->bodies.v, err));
  for (int k = 0; k < bs->n_nodes; k++)
    for (int i = 0; i < bs->dim; i++) {
      int body = bs->body_of[k];
      double v = state->bodies.v[(size_t)k * bs->dim + i];
      if (bs->kind[body] == BODY_TOOL && !bs->tools[bs->own[body]].free[i]) continue;
      state->energy[ENERGY_INITIAL] += 0.5 * bodies_node_mass(bs, k) * v * v;
    }
  state->energy[ENERGY_KINETIC] = state->energy[ENERGY_INITIAL];
  return OK;
}

void state_free(State *state) {
  body_state_free(&state->bodies);
  contact_state_free(&state->contact);
  mem_free(state->touched);
  mem_free(state->rest_passages);
  mem_free(state->rest_last);
  mem_free(state->cut);
  *state = (State){0};
}

int state_fields(State *state, const Model *model, Field *fields) {
  int n = 0;
  fields[n++] = (Field){.name = "step/step", .type = FIELD_I64, .count = 1, .data = &state->step};
  fields[n++] = (Field){.name = "step/time", .type = FIELD_F64, .count = 1, .data = &state->t};
  fields[n++] =
      (Field){.name = "step/h_next", .type = FIELD_F64, .count = 1, .data = &state->h_next};
  fields[n++] = (Field){
      .name = "step/stage", .type = FIELD_I64, .count = N_STAGE_COUNTS, .data = state->stage};
  fields[n++] = (Field){.name = "step/stage_value",
                        .type = FIELD_F64,
                        .count = N_STAGE_VALUES,
                        .data = state->stage_value};
  fields[n++] =
      (Field){.name = "step/energy", .type = FIELD_F64, .count = N_ENERGIES, .data = state->energy};
  fields[n++] =
      (Field){.name = "step/count", .type = FIELD_I64, .count = N_COUNTS, .data = state->count};
  fields[n++] =
      (Field){.name = "step/worst", .type = FIELD_F64, .count = N_WORSTS, .data = state->worst};
  fields[n++] = (Field){.name = "step/touched",
                        .type = FIELD_I32,
                        .count = model->bodies.n_bodies,
                        .data = state->touched};
  fields[n++] = (Field){.name = "step/rest_passages",
                        .type = FIELD_I32,
                        .count = model->n_rests,
                        .data = state->rest_passages};
  fields[n++] = (Field){.name = "step/rest_last",
                        .type = FIELD_F64,
                        .count = model->n_rests,
                        .data = state->rest_last};
  fields[n++] =
      (Field){.name = "step/cut", .type = FIELD_I32, .count = model->n_cut, .data = state->cut};
  n += body_state_fields(&state->bodies, &model->bodies, fields + n);
  n += contact_state_fields(&state->contact, &model->contact, &model->bodies, fields + n);
  return n;
}

int state_is_untouched(const State *state, const Model *model, int body) {
  int there = 0;
  if (state->touched[body] || !contact_may_touch(&model->contact, &model->bodies, body)) return 0;
  for (int k = 0; k < model->n_stages; k++)
    there |= !model->stages[k].removed || !model->stages[k].removed[body];
  return there;
}

uint64_t state_hash(State *state, const Model *model) {
  Field fields[MAX_STATE_FIELDS];
  int n = state_fields(state, model, fields);
  return field_hash(fields, n);
}

Status state_copy(StateCopy *copy, State *state, const Model *model, Arena *arena, Err *err) {
  copy->n = state_fields(state, model, copy->field);
  for (int k = 0; k < copy->n; k++) {
    size_t bytes = (size_t)copy->field[k].count * field_item_size(copy->field[k].type);
    char *data;
    ARENA_NEW(data, bytes, arena, err);
    if (bytes > 0) memcpy(data, copy->field[k].data, bytes);
    copy->data[k] = data;
  }
  return OK;
}

Status state_take_back(const StateCopy *copy, State *state, const Model *model, Err *err) {
  Field fields[MAX_STATE_FIELDS];
  state_fields(state, model, fields);
  for (int k = 0; k < copy->n; k++) {
    int64_t count = copy->field[k].count;
    if (count != fields[k].count) {
      TRY(fields[k].resize(fields[k].owner, count, err));
      state_fields(state, model, fields);
    }
    size_t bytes = (size_t)count * field_item_size(copy->field[k].type);
    if (bytes > 0) memcpy(fields[k].data, copy->data[k], bytes);
  }
  return OK;
}
