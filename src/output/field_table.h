// output/field_table.h -- arrays of field files as rows of a table: a name, and how one cell, point
// or contact answers.
//
// To add an array: a row in the table of its file (fields_bodies.c, fields_contacts.c).

#ifndef OUTPUT_FIELD_TABLE_H
#define OUTPUT_FIELD_TABLE_H

#include "file/vtk.h"
#include "output/output.h"

typedef struct {
  const char *name;
  int n;     // components: 1, 3 (vector) or 6 (symmetric tensor: xx yy zz xy yz xz)
  int whole; // 1: whole numbers
  // Fills to [n], zero before. `item` is what the file of the table has items of; `index` that of
  // the row.
  void (*get)(const void *item, int index, double *to);
  int index;
  int (*when)(const Model *model, const OutputSpec *spec, int index); // NULL: always there
} FieldRow;

// Those rows that are there, with room for all items.
typedef struct {
  int n;
  const FieldRow **row;
  VtkArray *array; // [n]
  double **real;   // [n] each NULL where the row is whole, and
  int32_t **whole; // the other way round
} FieldTable;

Status field_table_init(FieldTable *table, const FieldRow *rows, int n_rows, const Model *model,
                        const OutputSpec *spec, int n_items, Arena *arena, Err *err) MUST_CHECK;
// Asks all rows of one item.
void field_table_put(const FieldTable *table, int at, const void *item);

// A grid of a file at this state, without points, cells and arrays.
VtkGrid field_grid(const State *state, const OutputSpec *spec);

// A file is written with memory of its own.
typedef Status (*FieldWriter)(const Model *model, const State *state, const StepWork *work,
                              const char *path, const OutputSpec *spec, Arena *arena, Err *err);
Status field_write(FieldWriter write, const Model *model, const State *state, const StepWork *work,
                   const char *path, const OutputSpec *spec, Err *err) MUST_CHECK;

#endif
