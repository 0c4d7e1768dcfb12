#include "output/physics.h"

#include <stdlib.h>
#include <string.h>

#include "file/atomic.h"

// A contact of the last step, in numbers that no layout of slots enters.
typedef struct {
  double body[2]; // their numbers
  double place[3], impulse[3];
} TouchRecord;

static int by_bodies_and_place(const void *a, const void *b) {
  const double *x = a, *y = b;
  for (size_t k = 0; k < sizeof(TouchRecord) / sizeof(double); k++)
    if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
  return 0;
}

static Status touches(const Model *model, const StepWork *work, TouchRecord **out, int *n,
                      Err *err) {
  const BodySet *bs = &model->bodies;
  *n = work->reaction ? contact_count(work->contact) : 0;
  MEM_NEW(*out, *n, err);
  for (int c = 0; c < *n; c++) {
    const Contact *contact = contact_list(work->contact) + c;
    TouchRecord *item = *out + c;
    for (int side = 0; side < 2; side++) item->body[side] = contact->side[side].body;
    contact_place(bs, contact, NULL, item->place);
    contact_to_global(contact, bs->dim, work->reaction + (size_t)bs->dim * (size_t)c,
                      item->impulse);
  }
  if (*n > 1) qsort(*out, (size_t)*n, sizeof **out, by_bodies_and_place);
  return OK;
}

Status physics_hash(const Model *model, const State *state, const StepWork *work,
                    const char *history, uint64_t *hash, Err *err) {
  enum { N_PARTS = 4 };
  int64_t n_values = (int64_t)model->bodies.n_nodes * model->bodies.dim, text_hash = 0;
  char *text = NULL;
  size_t size = 0;
  TouchRecord *touch = NULL;
  int n = 0;
  if (history) {
    TRY(file_read(&text, &size, history, err));
    text_hash = (int64_t)bytes_hash(text, size);
    mem_free(text);
  }
  TRY(touches(model, work, &touch, &n, err));
  const Field part[N_PARTS] = {
      {.name = "history", .type = FIELD_I64, .count = 1, .data = &text_hash},
      {.name = "positions", .type = FIELD_F64, .count = n_values, .data = state->bodies.q},
      {.name = "velocities", .type = FIELD_F64, .count = n_values, .data = state->bodies.v},
      {.name = "contacts",
       .type = FIELD_F64,
       .count = n * (int64_t)(sizeof *touch / sizeof(double)),
       .data = touch}};
  *hash = field_hash(part, N_PARTS);
  mem_free(touch);
  return OK;
}
