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
  MEM_NEW(state->release, model->n_release, err);
  MEM_NEW(state->formed, model->n_release, err);
  MEM_NEW(state->touched, model->bodies.n_bodies, err);
  const BodySet *bs = &model->bodies;
  if (model->v_start)
    memcpy(state->bodies.v, model->v_start, sizeof(double) * (size_t)bs->n_nodes * bs->dim);
  StepSize size = {.t = model->steps.start, .h = model->steps.h, .theta = model->steps.theta};
  TRY(dynamics_start(bs, size, state->bodies.v, err));
  for (int b = 0; b < bs->n_bodies; b++) {
    if (bs->type[b]->start_energy)
      state->energy[ENERGY_INITIAL] += bs->type[b]->start_energy(bs, b, state->bodies.v);
    for (int k = bs->node_ptr[b]; k < bs->node_ptr[b + 1] && !bs->type[b]->start_energy; k++)
      for (int i = 0; i < bs->dim; i++) {
        double v = state->bodies.v[(size_t)k * bs->dim + i];
        if (!bs->type[b]->moves(bs, b, i)) continue;
        state->energy[ENERGY_INITIAL] += 0.5 * bodies_node_mass(bs, k) * v * v;
      }
    if (bs->type[b]->beyond_nodes)
      state->energy[ENERGY_INITIAL] += bs->type[b]->beyond_nodes(bs, b, state->bodies.v);
  }
  state->energy[ENERGY_KINETIC] = state->energy[ENERGY_INITIAL];
  return OK;
}

void state_free(State *state) {
  body_state_free(&state->bodies);
  contact_state_free(&state->contact);
  mem_free(state->touched);
  mem_free(state->release);
  mem_free(state->formed);
  mem_free(state->rest_passages);
  mem_free(state->rest_last);
  mem_free(state->cut);
  *state = (State){0};
}

static void add_fields(State *state, const Model *model, FieldList *fields) {
  fields->n = 0;
  field_add(fields,
            (Field){.name = "step/step", .type = FIELD_I64, .count = 1, .data = &state->step});
  field_add(fields, (Field){.name = "step/time", .type = FIELD_F64, .count = 1, .data = &state->t});
  field_add(fields,
            (Field){.name = "step/h_next", .type = FIELD_F64, .count = 1, .data = &state->h_next});
  field_add(fields, (Field){.name = "step/stage",
                            .type = FIELD_I64,
                            .count = N_STAGE_COUNTS,
                            .data = state->stage});
  field_add(fields, (Field){.name = "step/stage_value",
                            .type = FIELD_F64,
                            .count = N_STAGE_VALUES,
                            .data = state->stage_value});
  field_add(fields, (Field){.name = "step/energy",
                            .type = FIELD_F64,
                            .count = N_ENERGIES,
                            .data = state->energy});
  field_add(
      fields,
      (Field){.name = "step/count", .type = FIELD_I64, .count = N_COUNTS, .data = state->count});
  field_add(
      fields,
      (Field){.name = "step/worst", .type = FIELD_F64, .count = N_WORSTS, .data = state->worst});
  field_add(fields, (Field){.name = "step/verdict_count",
                            .type = FIELD_I64,
                            .count = N_VERDICTS * N_VERDICT_COUNTS,
                            .data = state->verdict.count});
  field_add(fields, (Field){.name = "step/verdict_value",
                            .type = FIELD_F64,
                            .count = N_VERDICTS * N_VERDICT_VALUES,
                            .data = state->verdict.value});
  field_add(fields, (Field){.name = "step/release",
                            .type = FIELD_F64,
                            .count = model->n_release,
                            .data = state->release});
  field_add(fields, (Field){.name = "step/formed",
                            .type = FIELD_F64,
                            .count = model->n_release,
                            .data = state->formed});
  field_add(fields, (Field){.name = "step/touched",
                            .type = FIELD_I32,
                            .count = model->bodies.n_bodies,
                            .data = state->touched});
  field_add(fields, (Field){.name = "step/rest_passages",
                            .type = FIELD_I32,
                            .count = model->n_rests,
                            .data = state->rest_passages});
  field_add(fields, (Field){.name = "step/rest_last",
                            .type = FIELD_F64,
                            .count = model->n_rests,
                            .data = state->rest_last});
  field_add(
      fields,
      (Field){.name = "step/cut", .type = FIELD_I32, .count = model->n_cut, .data = state->cut});
  body_state_fields(&state->bodies, &model->bodies, fields);
  contact_state_fields(&state->contact, &model->contact, &model->bodies, fields);
}

Status state_fields(State *state, const Model *model, FieldList *fields, Err *err) {
  add_fields(state, model, fields);
  return field_list_end(fields, err);
}

int state_is_untouched(const State *state, const Model *model, int body) {
  int there = 0;
  if (state->touched[body] || !contact_may_touch(&model->contact, body)) return 0;
  for (int k = 0; k < model->n_stages; k++)
    there |= !model->stages[k].removed || !model->stages[k].removed[body];
  return there;
}

uint64_t state_hash(State *state, const Model *model) {
  FieldList fields = {.hash_only = 1};
  add_fields(state, model, &fields);
  return fields.hash;
}

static Status copy_fields(StateCopy *copy, const FieldList *list, Arena *arena, Err *err) {
  copy->n = list->n;
  ARENA_NEW(copy->field, (size_t)list->n, arena, err);
  ARENA_NEW(copy->data, (size_t)list->n, arena, err);
  for (int k = 0; k < list->n; k++) {
    const Field *field = &list->item[k];
    size_t bytes = (size_t)field->count * field_item_size(field->type);
    char *data;
    ARENA_NEW(data, bytes, arena, err);
    if (bytes > 0) memcpy(data, field->data, bytes);
    copy->field[k] = *field;
    copy->data[k] = data;
  }
  return OK;
}

Status state_copy(StateCopy *copy, State *state, const Model *model, Arena *arena, Err *err) {
  FieldList list = {0};
  Status status = state_fields(state, model, &list, err);
  if (status == OK) status = copy_fields(copy, &list, arena, err);
  field_list_free(&list);
  return status;
}

static Status take_back(const StateCopy *copy, State *state, const Model *model, FieldList *now,
                        Err *err) {
  TRY(state_fields(state, model, now, err));
  for (int k = 0; k < copy->n; k++) {
    int64_t count = copy->field[k].count;
    if (count != now->item[k].count) {
      TRY(now->item[k].resize(now->item[k].owner, count, err));
      TRY(state_fields(state, model, now, err));
    }
    size_t bytes = (size_t)count * field_item_size(copy->field[k].type);
    if (bytes > 0) memcpy(now->item[k].data, copy->data[k], bytes);
  }
  return OK;
}

Status state_take_back(const StateCopy *copy, State *state, const Model *model, Err *err) {
  FieldList now = {0};
  Status status = take_back(copy, state, model, &now, err);
  field_list_free(&now);
  return status;
}
