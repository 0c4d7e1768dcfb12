// Checkpoints: every array of the state by name, a fingerprint of the model it belongs to, and sums
// of all that is written: what is read back is what was written, bit by bit, or it is refused.

#include <stdio.h>
#include <string.h>

#include "file/csv.h"
#include "file/guard.h"
#include "file/h5.h"
#include "input/resolved.h"
#include "output/output.h"

static const char FORMAT[] = "voussoir checkpoint 3";

// The state knows bodies by their place: two tools that have changed places in the input are other
// ones.
static uint64_t hash_of_names(const BodySet *bs) {
  uint64_t hash = 0;
  for (int b = 0; b < bs->n_bodies; b++)
    hash = hash * 31 + bytes_hash(bs->name[b], strlen(bs->name[b]));
  return hash;
}

// Equal models have equal bodies in the same order, geometry, masses, contact rules and first
// steps; ends and later stages may differ.
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
  uint64_t hash = field_hash(fields, 4) ^ hash_of_names(bs);
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

// What is checked before the first byte of the state is used: how many items each field has, and
// their sums. Fingerprint; rows of the history, sums of what was written of it and of newton.csv;
// stage; sizes of the texts; hash of the whole state.
enum {
  HEAD_MODEL,
  HEAD_ROWS,
  HEAD_HISTORY,
  HEAD_NEWTON,
  HEAD_STAGE,
  HEAD_RESOLVED,
  HEAD_CHANGES,
  HEAD_STATE,
  N_HEAD
};
typedef struct {
  int64_t value[N_HEAD];
  int n;                    // fields
  int64_t *count, *sum;     // [n] of each field, owned
  char *resolved, *changes; // the input, and what has changed in it before; owned when read
} Head;

// No state has as many fields: what a damaged file may say.
enum { MOST_FIELDS = 10000 };

static Status head_room(Head *head, Err *err) {
  MEM_NEW(head->count, head->n, err);
  MEM_NEW(head->sum, head->n, err);
  return OK;
}

static void free_head(Head *head) {
  mem_free(head->count);
  mem_free(head->sum);
  mem_free(head->resolved);
  mem_free(head->changes);
  *head = (Head){0};
}

static int64_t field_sum(const Field *field) {
  return (int64_t)field_hash(field, 1);
}

static int64_t seal(Head *head) {
  int64_t texts[2] = {(int64_t)bytes_hash(head->resolved, (size_t)head->value[HEAD_RESOLVED]),
                      (int64_t)bytes_hash(head->changes, (size_t)head->value[HEAD_CHANGES])};
  const Field fields[] = {
      {.name = FORMAT, .type = FIELD_I64, .count = N_HEAD, .data = head->value},
      {.name = "counts", .type = FIELD_I64, .count = head->n, .data = head->count},
      {.name = "sums", .type = FIELD_I64, .count = head->n, .data = head->sum},
      {.name = "texts", .type = FIELD_I64, .count = 2, .data = texts},
  };
  return (int64_t)field_hash(fields, 4);
}

static Status write_head(H5File *file, Head *head, Err *err) {
  int64_t mark = seal(head);
  TRY(h5_write_text(file, "format", FORMAT, err));
  TRY(h5_write(file, "head", FIELD_I64, head->value, N_HEAD, err));
  TRY(h5_write(file, "counts", FIELD_I64, head->count, head->n, err));
  TRY(h5_write(file, "sums", FIELD_I64, head->sum, head->n, err));
  TRY(h5_write_text(file, "input", head->resolved, err));
  TRY(h5_write_text(file, "changes", head->changes, err));
  return h5_write(file, "seal", FIELD_I64, &mark, 1, err);
}

static Status make_head(Head *head, const FieldList *list, const Model *model, const State *state,
                        const CheckpointNote *note, Err *err) {
  head->n = list->n;
  TRY(head_room(head, err));
  head->value[HEAD_MODEL] = (int64_t)fingerprint(model);
  head->value[HEAD_ROWS] = note->history_rows;
  head->value[HEAD_HISTORY] = (int64_t)note->history_sum;
  head->value[HEAD_NEWTON] = (int64_t)note->newton_sum;
  head->value[HEAD_STAGE] = state->stage[STAGE_INDEX];
  head->value[HEAD_RESOLVED] = (int64_t)strlen(head->resolved);
  head->value[HEAD_CHANGES] = (int64_t)strlen(head->changes);
  head->value[HEAD_STATE] = (int64_t)field_hashes(list->item, list->n, head->sum);
  for (int k = 0; k < list->n; k++) head->count[k] = list->item[k].count;
  return OK;
}

static Status write_file(const char *path, Head *head, const FieldList *list, Err *err) {
  H5File *file;
  Status status;
  TRY(h5_create(&file, path, err));
  TRY_GOTO(status, write_head(file, head, err), fail);
  for (int k = 0; k < list->n; k++) {
    const Field *field = &list->item[k];
    TRY_GOTO(status, h5_write(file, field->name, field->type, field->data, field->count, err),
             fail);
  }
  return h5_commit(file, err);
fail:
  h5_close(file);
  return status;
}

Status checkpoint_write(const char *path, const Model *model, State *state,
                        const CheckpointNote *note, Err *err) {
  static char nothing[] = "";
  FieldList list = {0};
  Head head = {.resolved = model->resolved ? model->resolved : nothing,
               .changes = note->changes ? note->changes : nothing};
  Status status = state_fields(state, model, &list, err);
  if (status == OK) status = make_head(&head, &list, model, state, note, err);
  if (status == OK) status = write_file(path, &head, &list, err);
  head.resolved = head.changes = NULL; // borrowed here
  free_head(&head);
  field_list_free(&list);
  return status;
}

static Status damaged(Err *err, const char *path, const char *what) {
  return err_set(err, ERR_INPUT, "'%s' is damaged: %s is not what was written", path, what);
}

// A text that is `n` bytes long, into memory of its own.
static Status read_text(H5File *file, const char *name, int64_t n, char **text, Err *err) {
  size_t size;
  TRY(h5_text_size(file, name, &size, err));
  if (n < 0 || size != (uint64_t)n + 1)
    return err_set(err, ERR_INPUT, "text '%s' has %zu bytes, %lld expected", name, size,
                   (long long)n + 1);
  mem_free(*text);
  MEM_NEW(*text, n + 1, err);
  return h5_read_text(file, name, *text, (size_t)n + 1, err);
}

typedef struct {
  const char *path;
  const Model *model;
  State *state;
  Head *head;
} Wanted;

static Status read_head_of(H5File *file, const char *path, Head *head, Err *err) {
  char format[64];
  int64_t mark, n;
  TRY(h5_read_text(file, "format", format, sizeof format, err));
  if (strcmp(format, FORMAT) != 0)
    return err_set(err, ERR_INPUT, "'%s' is of the kind '%s', expected '%s'", path, format, FORMAT);
  TRY(h5_count(file, "counts", &n, err));
  if (n < 1 || n > MOST_FIELDS) return damaged(err, path, "its number of fields");
  head->n = (int)n;
  TRY(head_room(head, err));
  TRY(h5_read(file, "head", FIELD_I64, head->value, N_HEAD, err));
  TRY(h5_read(file, "counts", FIELD_I64, head->count, n, err));
  TRY(h5_read(file, "sums", FIELD_I64, head->sum, n, err));
  TRY(read_text(file, "input", head->value[HEAD_RESOLVED], &head->resolved, err));
  TRY(read_text(file, "changes", head->value[HEAD_CHANGES], &head->changes, err));
  TRY(h5_read(file, "seal", FIELD_I64, &mark, 1, err));
  return mark == seal(head) ? OK : damaged(err, path, "its head");
}

static Status read_head(void *context, Err *err) {
  const Wanted *wanted = context;
  H5File *file;
  TRY(h5_open(&file, wanted->path, err));
  Status status = read_head_of(file, wanted->path, wanted->head, err);
  h5_close(file);
  return status;
}

static Status read_field(H5File *file, const Wanted *wanted, int k, FieldList *list, Err *err) {
  int64_t count = wanted->head->count[k];
  if (count != list->item[k].count && list->item[k].resize) {
    TRY(list->item[k].resize(list->item[k].owner, count, err));
    TRY(state_fields(wanted->state, wanted->model, list, err));
  }
  const Field *field = &list->item[k];
  if (count != field->count)
    return err_set(err, ERR_INPUT, "'%s' holds %lld items, the model has %lld", field->name,
                   (long long)count, (long long)field->count);
  if (count > 0) TRY(h5_read(file, field->name, field->type, field->data, count, err));
  if (field_sum(field) != wanted->head->sum[k]) return damaged(err, wanted->path, field->name);
  return OK;
}

static Status read_fields_of(H5File *file, const Wanted *wanted, FieldList *list, Err *err) {
  const Head *head = wanted->head;
  TRY(state_fields(wanted->state, wanted->model, list, err));
  if (head->n != list->n)
    return err_set(err, ERR_INPUT, "'%s' holds a state of %d fields, that of the model has %d",
                   wanted->path, head->n, list->n);
  for (int k = 0; k < list->n; k++) TRY(read_field(file, wanted, k, list, err));
  if ((int64_t)field_hash(list->item, list->n) != head->value[HEAD_STATE])
    return damaged(err, wanted->path, "the state");
  return OK;
}

static Status read_fields(void *context, Err *err) {
  const Wanted *wanted = context;
  H5File *file;
  FieldList list = {0};
  TRY(h5_open(&file, wanted->path, err));
  Status status = read_fields_of(file, wanted, &list, err);
  field_list_free(&list);
  h5_close(file);
  return status;
}

// ---- changes of the model -----------------------------------------------------------------------

enum { N_TOLD = 20 }; // changes in a message; more are counted

static Status refuse(const char *path, const InputChanges *changes, Err *err) {
  Status status = err_set(err, ERR_INPUT, "'%s' belongs to another model:", path);
  int n = 0;
  for (const char *line = changes->model; *line && n < N_TOLD; n++) {
    size_t length = strcspn(line, "\n");
    err_note(err, "  %.*s", (int)length, line);
    line += length + (line[length] == '\n');
  }
  if (changes->n_model > n) err_note(err, "  and %d more", changes->n_model - n);
  err_note(err, "--accept-changes goes on with the new model");
  return status;
}

// Lines of `text` behind those of *changes, each with the time from which on it holds.
static Status add_changes(char **changes, const char *text, const State *state, const char *mark,
                          Err *err) {
  size_t n_old = *changes ? strlen(*changes) : 0, n = 0, at = n_old;
  char when[80];
  int width =
      snprintf(when, sizeof when, "step %lld, t = %.6g s: ", (long long)state->step, state->t);
  for (const char *c = text; *c; c++) n += *c == '\n';
  if (n == 0) return OK;
  size_t size = n_old + strlen(text) + n * ((size_t)width + strlen(mark)) + 1;
  char *all;
  MEM_NEW(all, size, err);
  if (n_old > 0) memcpy(all, *changes, n_old);
  for (const char *line = text; *line;) {
    size_t length = strcspn(line, "\n");
    at += (size_t)snprintf(all + at, size - at, "%s%.*s%s\n", when, (int)length, line, mark);
    line += length + (line[length] == '\n');
  }
  mem_free(*changes);
  *changes = all;
  return OK;
}

// Where all elements are as they were.
static const char OTHER_BODIES[] = "other bodies, or in another order, other nodes or masses\n";

static Status judge(const Wanted *wanted, int accept, InputChanges *changes, Err *err) {
  const Head *head = wanted->head;
  const Model *model = wanted->model;
  const char *resolved = model->resolved ? model->resolved : "";
  int64_t stage = head->value[HEAD_STAGE];
  if (stage < 0 || stage >= model->n_stages)
    return err_set(err, ERR_INPUT, "'%s' stands in stage %lld, the input has %d", wanted->path,
                   (long long)stage + 1, model->n_stages);
  TRY(input_compare(changes, head->resolved, resolved, (int)stage, err));
  if (changes->n_model == 0 && head->value[HEAD_MODEL] != (int64_t)fingerprint(model)) {
    mem_free(changes->model);
    changes->model = mem_copy_text(OTHER_BODIES);
    if (!changes->model) return err_set(err, ERR_SYSTEM, "out of memory");
    changes->n_model = 1;
  }
  return changes->n_model > 0 && !accept ? refuse(wanted->path, changes, err) : OK;
}

// ---- rows that were written before --------------------------------------------------------------

// The same rows as they were before a restart with other probes gave them other columns.
static Status is_kept(const char *folder, long n_rows, uint64_t sum, int *kept, Err *err) {
  FolderList list;
  TRY(folder_list(&list, folder, "history_until_row_*.csv", err));
  Status status = OK;
  for (int k = 0; k < list.n && status == OK && !*kept; k++) {
    char path[FILE_PATH_SIZE];
    uint64_t found = 0;
    status = file_join(path, folder, list.name[k], err);
    if (status == OK && csv_sum(path, n_rows, &found, err) != OK)
      err_clear(err); // it is another one
    *kept = found == sum;
  }
  folder_list_free(&list);
  return status;
}

static Status check_rows(const char *name, long n_rows, uint64_t sum, const State *state,
                         CheckpointNote *note, Err *err) {
  char path[FILE_PATH_SIZE], text[128];
  uint64_t found;
  int kept = 0;
  if (!note->folder || sum == 0) return OK;
  TRY(file_join(path, note->folder, name, err));
  TRY(csv_sum(path, n_rows, &found, err));
  if (found == sum) return OK;
  TRY(is_kept(note->folder, n_rows, sum, &kept, err));
  if (kept) return OK;
  if (!note->accept_changes)
    return err_set(err, ERR_INPUT,
                   "%s: its first %ld rows are not what was written: it was changed since; "
                   "--accept-changes goes on with it as it is",
                   path, n_rows);
  snprintf(text, sizeof text, "%s: the %ld rows before are not what was written\n", name, n_rows);
  return add_changes(&note->changes, text, state, " (accepted)", err);
}

static Status read_all(Wanted *wanted, CheckpointNote *note, InputChanges *changes, Err *err) {
  Head *head = wanted->head;
  TRY(guard_read(wanted->path, read_head, wanted, err));
  TRY(judge(wanted, note->accept_changes, changes, err));
  TRY(guard_read(wanted->path, read_fields, wanted, err));
  ContactState *contact = &wanted->state->contact;
  if (!contact_state_is_sound(contact, &wanted->model->contact))
    return err_set(err, ERR_INPUT, "'%s': its contacts are not those of this model", wanted->path);
  // other contacts may be possible now: they are looked for, and those that stay keep what they
  // know
  if (changes->n_model > 0) contact->search[0] = 0;
  mem_free(note->changes);
  note->history_rows = head->value[HEAD_ROWS];
  note->changes = head->changes;
  note->n_before = strlen(head->changes);
  head->changes = NULL;
  const State *state = wanted->state;
  TRY(check_rows("history.csv", (long)note->history_rows, (uint64_t)head->value[HEAD_HISTORY],
                 state, note, err));
  TRY(check_rows("newton.csv", (long)state->count[STAT_NEWTON_ROWS],
                 (uint64_t)head->value[HEAD_NEWTON], state, note, err));
  TRY(add_changes(&note->changes, changes->model, wanted->state, " (accepted)", err));
  return add_changes(&note->changes, changes->other, wanted->state, "", err);
}

void checkpoint_note_free(CheckpointNote *note) {
  mem_free(note->changes);
  *note = (CheckpointNote){0};
}

Status checkpoint_read(const char *path, const Model *model, State *state, CheckpointNote *note,
                       Err *err) {
  Head head = {0};
  InputChanges changes = {0};
  Wanted wanted = {path, model, state, &head};
  Status status = read_all(&wanted, note, &changes, err);
  free_head(&head);
  input_changes_free(&changes);
  if (status != OK) err_note(err, "restart from %s", path);
  return status;
}
