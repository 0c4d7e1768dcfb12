// Checkpoints: every array of the state by name, and a fingerprint of the model it belongs to.

#include <stdio.h>
#include <string.h>

#include "file/guard.h"
#include "file/h5.h"
#include "output/output.h"

static const char FORMAT[] = "voussoir checkpoint 1";

// Equal models have equal geometry, masses, contact rules and first steps; ends and later stages may differ.
static uint64_t fingerprint(const Model *model) {
  const BodySet *bs = &model->bodies;
  const StepSettings *steps = &model->stages[0].steps;
  double step[3] = {steps->start, steps->h, steps->theta};
  int64_t counts[4] = {bs->n_bodies, bs->n_nodes, model->contact.n_rules, model->n_rests};
  int64_t n = (int64_t)bs->n_nodes * bs->dim;
  const Field fields[] = {
      {.name = "x", .type = FIELD_F64, .count = n, .data = bs->x},
      {.name = "node_ptr", .type = FIELD_I32, .count = bs->n_bodies + 1, .data = bs->node_ptr},
      {.name = "step", .type = FIELD_F64, .count = 3, .data = step},
      {.name = "counts", .type = FIELD_I64, .count = 4, .data = counts},
  };
  uint64_t hash = field_hash(fields, 4);
  for (int p = 0; p < bs->n_protos; p++) {
    const Prototype *proto = &bs->protos[p];
    const Field own[] = {
        {.name = "mass", .type = FIELD_F64, .count = proto->mesh->n_nodes, .data = proto->mass},
        {.name = "k",
         .type = FIELD_F64,
         .count = proto->stiffness.ptr[proto->stiffness.n],
         .data = proto->stiffness.val},
    };
    hash = hash * 31 + field_hash(own, 2);
  }
  return hash;
}

Status checkpoint_write(const char *path, const Model *model, State *state, int64_t history_rows,
                        Err *err) {
  FieldList list;
  const Field *fields = list.item;
  state_fields(state, model, &list);
  int64_t mark = (int64_t)fingerprint(model);
  H5File *file;
  TRY(h5_create(&file, path, err));
  Status status;
  TRY_GOTO(status, h5_write_text(file, "format", FORMAT, err), fail);
  TRY_GOTO(status, h5_write(file, "model", FIELD_I64, &mark, 1, err), fail);
  TRY_GOTO(status, h5_write(file, "history_rows", FIELD_I64, &history_rows, 1, err), fail);
  for (int k = 0; k < list.n; k++)
    TRY_GOTO(status,
             h5_write(file, fields[k].name, fields[k].type, fields[k].data, fields[k].count, err),
             fail);
  return h5_commit(file, err);
fail:
  h5_close(file);
  return status;
}

static Status read_fields(H5File *file, const Model *model, State *state, Err *err) {
  FieldList list;
  const Field *fields = list.item;
  state_fields(state, model, &list);
  for (int k = 0; k < list.n; k++) {
    int64_t count;
    TRY(h5_count(file, fields[k].name, &count, err));
    if (count != fields[k].count && fields[k].resize) {
      TRY(fields[k].resize(fields[k].owner, count, err));
      state_fields(state, model, &list);
    }
    if (count != fields[k].count)
      return err_set(err, ERR_INPUT, "'%s' holds %lld items, the model has %lld", fields[k].name,
                     (long long)count, (long long)fields[k].count);
    if (count > 0) TRY(h5_read(file, fields[k].name, fields[k].type, fields[k].data, count, err));
  }
  return OK;
}

typedef struct {
  const char *path;
  const Model *model;
  State *state;
  int64_t *history_rows;
} Wanted;

static Status read_checkpoint(void *context, Err *err) {
  const Wanted *wanted = context;
  H5File *file;
  char format[64];
  int64_t mark;
  TRY(h5_open(&file, wanted->path, err));
  Status status;
  TRY_GOTO(status, h5_read_text(file, "format", format, sizeof format, err), done);
  if (strcmp(format, FORMAT) != 0) {
    status = err_set(err, ERR_INPUT, "'%s' is of the kind '%s', expected '%s'", wanted->path,
                     format, FORMAT);
    goto done;
  }
  TRY_GOTO(status, h5_read(file, "model", FIELD_I64, &mark, 1, err), done);
  if (mark != (int64_t)fingerprint(wanted->model)) {
    status = err_set(err, ERR_INPUT,
                     "'%s' belongs to another model: bodies, materials, contacts or "
                     "time step of the input have changed",
                     wanted->path);
    goto done;
  }
  TRY_GOTO(status, h5_read(file, "history_rows", FIELD_I64, wanted->history_rows, 1, err), done);
  TRY_GOTO(status, read_fields(file, wanted->model, wanted->state, err), done);
done:
  h5_close(file);
  return status;
}

Status checkpoint_read(const char *path, const Model *model, State *state, int64_t *history_rows,
                       Err *err) {
  Wanted wanted = {path, model, state, history_rows};
  Status status = guard_read(path, read_checkpoint, &wanted, err);
  if (status != OK) err_note(err, "restart from %s", path);
  return status;
}
