// Checkpoints: every array of the state by name, a fingerprint of the model it belongs to, and sums of all that is
// written: what is read back is what was written, bit by bit, or it is refused.

#include <stdio.h>
#include <string.h>

#include "file/guard.h"
#include "file/h5.h"
#include "output/output.h"

static const char FORMAT[] = "voussoir checkpoint 2";

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

// What is checked before the first byte of the state is used: how many items each field has, and their sums.
enum {
  HEAD_MODEL,
  HEAD_ROWS,
  HEAD_STATE,
  N_HEAD
}; // fingerprint; rows of the history; hash of the whole state
typedef struct {
  int64_t value[N_HEAD];
  int64_t count[MAX_FIELDS], sum[MAX_FIELDS]; // of each field
} Head;

static int64_t field_sum(const Field *field) {
  return (int64_t)field_hash(field, 1);
}

static int64_t seal(Head *head, int n) {
  const Field fields[] = {
      {.name = FORMAT, .type = FIELD_I64, .count = N_HEAD, .data = head->value},
      {.name = "counts", .type = FIELD_I64, .count = n, .data = head->count},
      {.name = "sums", .type = FIELD_I64, .count = n, .data = head->sum},
  };
  return (int64_t)field_hash(fields, 3);
}

static Status write_head(H5File *file, Head *head, int n, Err *err) {
  int64_t mark = seal(head, n);
  TRY(h5_write_text(file, "format", FORMAT, err));
  TRY(h5_write(file, "head", FIELD_I64, head->value, N_HEAD, err));
  TRY(h5_write(file, "counts", FIELD_I64, head->count, n, err));
  TRY(h5_write(file, "sums", FIELD_I64, head->sum, n, err));
  return h5_write(file, "seal", FIELD_I64, &mark, 1, err);
}

Status checkpoint_write(const char *path, const Model *model, State *state, int64_t history_rows,
                        Err *err) {
  FieldList list;
  const Field *fields = list.item;
  state_fields(state, model, &list);
  Head head = {.value = {[HEAD_MODEL] = (int64_t)fingerprint(model),
                         [HEAD_ROWS] = history_rows,
                         [HEAD_STATE] = (int64_t)field_hash(fields, list.n)}};
  for (int k = 0; k < list.n; k++) {
    head.count[k] = fields[k].count;
    head.sum[k] = field_sum(&fields[k]);
  }
  H5File *file;
  TRY(h5_create(&file, path, err));
  Status status;
  TRY_GOTO(status, write_head(file, &head, list.n, err), fail);
  for (int k = 0; k < list.n; k++)
    TRY_GOTO(status,
             h5_write(file, fields[k].name, fields[k].type, fields[k].data, fields[k].count, err),
             fail);
  return h5_commit(file, err);
fail:
  h5_close(file);
  return status;
}

static Status damaged(Err *err, const char *path, const char *what) {
  return err_set(err, ERR_INPUT, "'%s' is damaged: %s is not what was written", path, what);
}

static Status read_head(H5File *file, const char *path, Head *head, int n, Err *err) {
  char format[64];
  int64_t mark, n_counts;
  TRY(h5_read_text(file, "format", format, sizeof format, err));
  if (strcmp(format, FORMAT) != 0)
    return err_set(err, ERR_INPUT, "'%s' is of the kind '%s', expected '%s'", path, format, FORMAT);
  TRY(h5_count(file, "counts", &n_counts, err));
  if (n_counts != n)
    return err_set(err, ERR_INPUT, "'%s' holds a state of %lld fields, that of the model has %d",
                   path, (long long)n_counts, n);
  TRY(h5_read(file, "head", FIELD_I64, head->value, N_HEAD, err));
  TRY(h5_read(file, "counts", FIELD_I64, head->count, n, err));
  TRY(h5_read(file, "sums", FIELD_I64, head->sum, n, err));
  TRY(h5_read(file, "seal", FIELD_I64, &mark, 1, err));
  return mark == seal(head, n) ? OK : damaged(err, path, "its head");
}

static Status read_fields(H5File *file, const char *path, const Model *model, State *state,
                          const Head *head, Err *err) {
  FieldList list;
  const Field *fields = list.item;
  state_fields(state, model, &list);
  for (int k = 0; k < list.n; k++) {
    int64_t count = head->count[k];
    if (count != fields[k].count && fields[k].resize) {
      TRY(fields[k].resize(fields[k].owner, count, err));
      state_fields(state, model, &list);
    }
    if (count != fields[k].count)
      return err_set(err, ERR_INPUT, "'%s' holds %lld items, the model has %lld", fields[k].name,
                     (long long)count, (long long)fields[k].count);
    if (count > 0) TRY(h5_read(file, fields[k].name, fields[k].type, fields[k].data, count, err));
    if (field_sum(&fields[k]) != head->sum[k]) return damaged(err, path, fields[k].name);
  }
  if ((int64_t)field_hash(fields, list.n) != head->value[HEAD_STATE])
    return damaged(err, path, "the state");
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
  FieldList list;
  Head head = {0};
  state_fields(wanted->state, wanted->model, &list);
  TRY(h5_open(&file, wanted->path, err));
  Status status;
  TRY_GOTO(status, read_head(file, wanted->path, &head, list.n, err), done);
  if (head.value[HEAD_MODEL] != (int64_t)fingerprint(wanted->model)) {
    status = err_set(err, ERR_INPUT,
                     "'%s' belongs to another model: bodies, materials, contacts or "
                     "time step of the input have changed",
                     wanted->path);
    goto done;
  }
  *wanted->history_rows = head.value[HEAD_ROWS];
  TRY_GOTO(status, read_fields(file, wanted->path, wanted->model, wanted->state, &head, err), done);
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
