#include "output/field_table.h"

#include <assert.h>
#include <string.h>

enum { MOST_COMPONENTS = 6 };

Status field_table_init(FieldTable *table, const FieldRow *rows, int n_rows, const Model *model,
                        const OutputSpec *spec, int n_items, Arena *arena, Err *err) {
  *table = (FieldTable){0};
  ARENA_NEW(table->row, n_rows, arena, err);
  ARENA_NEW(table->array, n_rows, arena, err);
  ARENA_NEW(table->real, n_rows, arena, err);
  ARENA_NEW(table->whole, n_rows, arena, err);
  for (int k = 0; k < n_rows; k++) {
    const FieldRow *row = &rows[k];
    double *real = NULL;
    int32_t *whole = NULL;
    assert(row->n <= MOST_COMPONENTS && !(row->whole && row->n > 1));
    if (row->when && !row->when(model, spec, row->index)) continue;
    if (row->whole)
      ARENA_NEW(whole, n_items, arena, err);
    else
      ARENA_NEW(real, row->n * (size_t)n_items, arena, err);
    table->row[table->n] = row;
    table->real[table->n] = real;
    table->whole[table->n] = whole;
    table->array[table->n++] = (VtkArray){row->name, row->n, real, whole};
  }
  return OK;
}

void field_table_put(const FieldTable *table, int at, const void *item) {
  for (int k = 0; k < table->n; k++) {
    const FieldRow *row = table->row[k];
    double value[MOST_COMPONENTS] = {0};
    row->get(item, row->index, value);
    if (row->whole)
      table->whole[k][at] = (int32_t)value[0];
    else
      memcpy(table->real[k] + (size_t)row->n * (size_t)at, value, sizeof *value * (size_t)row->n);
  }
}

VtkGrid field_grid(const State *state, const OutputSpec *spec) {
  return (VtkGrid){
      .title = spec->title, .time = state->t, .step = state->step, .moved = spec->moved};
}

Status field_write(FieldWriter write, const Model *model, const State *state, const StepWork *work,
                   const char *path, const OutputSpec *spec, Err *err) {
  Arena arena = {0};
  Status status = write(model, state, work, path, spec, &arena, err);
  arena_free(&arena);
  return status;
}
