// Stones of a table: its columns and rows.

#include <stdarg.h>

#include "base/mem.h"
#include "build/build_internal.h"
#include "file/csv.h"

// Where each is among the columns; in the plane those of space may be absent.
enum { N_COLUMNS = 6 };
static const char *const names[N_COLUMNS] = {"x", "y", "z", "length", "height", "depth"};
static const char NAMES[] = "x|y|z|length|height|depth";

typedef struct {
  Builder *b;
  const InputNode *node;
  char path[1024];
  CsvTable csv;
  int column[N_COLUMNS];
} StoneTable;

static void tell(const StoneTable *table, const char *format, ...) PRINTF_LIKE(2, 3);
static void tell(const StoneTable *table, const char *format, ...) {
  char text[DIAG_TEXT];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  diag_add(table->b->diag, table->node->pos, "stones '%s': %s", input_text(table->node, "name"),
           text);
}

static void tell_row(void *who, const char *text) {
  tell(who, "%s", text);
}

static void tell_unknown(const StoneTable *table, const char *name) {
  char near[DIAG_SHORT], word[DIAG_SHORT], allowed[DIAG_LIST] = "";
  const int found = diag_nearest(name, NAMES, near, sizeof near) != NULL;
  diag_list_all(allowed, NAMES);
  tell(table, "'%s' has an unknown column '%s'%s%s%s (allowed: %s)", table->path,
       diag_short(name, word), found ? "; did you mean '" : "", found ? near : "",
       found ? "'?" : "", allowed);
}

// Returns whether rows can be read.
static int find_columns(StoneTable *table) {
  const CsvTable *csv = &table->csv;
  int complete = 1, any = 0;
  for (int k = 0; k < N_COLUMNS; k++) {
    table->column[k] = csv_column(csv, names[k]);
    any |= table->column[k] >= 0;
    if (table->column[k] >= 0 || k % 3 >= table->b->dim) continue;
    tell(table, "'%s' has no column '%s'", table->path, names[k]);
    complete = 0;
  }
  for (int c = 0; any && c < csv->n_columns; c++) {
    int known = 0;
    for (int k = 0; k < N_COLUMNS; k++) known |= table->column[k] == c;
    if (known) continue;
    if (csv_column(csv, csv->names[c]) == c) {
      tell_unknown(table, csv->names[c]);
      continue;
    }
    tell(table, "'%s' has the column '%s' twice", table->path, csv->names[c]);
  }
  return complete;
}

static void read_row(StoneTable *table, long row, Stone *stone) {
  const Builder *b = table->b;
  const double at[2] = {input_real(table->node, "x"),
                        input_real(table->node, "y")}; // z is that of the entries
  for (int k = 0; k < N_COLUMNS; k++) {
    const double *value = table->csv.value + row * table->csv.n_columns;
    (k < 3 ? stone->corner : stone->size)[k % 3] =
        (k % 3 < b->dim ? value[table->column[k]] : 0) + (k < 2 ? at[k] : 0);
  }
  if (masonry_check_stone(stone, b->dim, b->err) == OK) return;
  tell(table, "%s:%d: %s", table->path, table->csv.line[row], b->err->text);
  err_clear(b->err);
}

// All that is wrong with columns and rows is told.
static Status read_stones(StoneTable *table, Stone **stone, int *n) {
  Builder *b = table->b;
  const CsvListener listener = {tell_row, table};
  input_path(table->node, "file", table->path, sizeof table->path);
  TRY(csv_read_told(&table->csv, table->path, &listener, b->err));
  if (!find_columns(table)) return OK;
  if (table->csv.n_rows > INT32_MAX)
    return err_set(b->err, ERR_INPUT, "'%s' has too many rows", table->path);
  *stone = mem_new((size_t)table->csv.n_rows + 1, sizeof **stone);
  if (!*stone) return err_set(b->err, ERR_SYSTEM, "out of memory: stones of '%s'", table->path);
  *n = (int)table->csv.n_rows;
  for (int k = 0; k < *n; k++) read_row(table, k, &(*stone)[k]);
  return OK;
}

Status builder_stones(Builder *b, const InputNode *node) {
  StoneTable table = {.b = b, .node = node};
  Stone *stone = NULL;
  Assembly stones = {0};
  StonesSpec spec = {.dim = b->dim,
                     .tolerated = input_real(node, "tolerated"),
                     .may_float = input_bool(node, "may_float"),
                     .mesh = builder_cells(b, node),
                     .cells_z = input_integer(node, "cells_z")};
  const size_t told = b->diag->n;
  const int first = b->n_entries;
  Status status = read_stones(&table, &stone, &spec.n);
  spec.stone = stone;
  const int broken = b->diag->n > told;
  if (status == OK && !broken) status = masonry_stones(&stones, &spec, b->err);
  if (status == OK && !broken) status = builder_add_blocks(b, node, &stones);
  csv_free(&table.csv);
  for (int k = first; k < b->n_entries; k++) b->entries[k].inside = spec.tolerated;
  assembly_free(&stones);
  mem_free(stone);
  return status == OK && broken ? builder_add_broken(b, node)
                                : builder_generator_error(b, node, status);
}
