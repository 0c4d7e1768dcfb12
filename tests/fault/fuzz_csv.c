// Fuzzes the reader of tables: what it accepts, written by our writer and read again, is the same
// to the bit.
#include "../support/fuzz_file.h"
#include "base/mem.h"
#include "file/csv.h"

static void expect_same_again(const CsvTable *table) {
  Err err = {0};
  CsvWriter csv;
  CsvTable again;
  const char *names[8], *units[8], *path = fuzz_path("again.csv");
  static const char *const name[8] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  int n = table->n_columns < 8 ? table->n_columns : 8;
  for (int c = 0; c < n; c++) names[c] = name[c], units[c] = "m";
  if (csv_open(&csv, path, names, units, n, -1, &err) != OK) abort();
  for (long r = 0; r < table->n_rows; r++)
    if (csv_row(&csv, table->value + r * table->n_columns, &err) != OK) abort();
  if (csv_close(&csv, &err) != OK || csv_read(&again, path, &err) != OK) abort();
  if (again.n_columns != n || again.n_rows != table->n_rows) abort();
  for (long r = 0; r < table->n_rows; r++)
    for (int c = 0; c < n; c++) {
      double old = table->value[r * table->n_columns + c], new = again.value[r * n + c];
      if (isnan(old) ? !isnan(new) : memcmp(&old, &new, sizeof old) != 0) abort();
    }
  csv_free(&again);
  remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *path = fuzz_path("table.csv");
  fuzz_write(path, data, size);
  for (long rows = -1; rows < 3; rows += 3) {
    Err err = {0};
    CsvTable table;
    Status status =
        rows < 0 ? csv_read(&table, path, &err) : csv_read_rows(&table, path, rows, &err);
    if (status == OK && rows >= 0 && table.n_rows > rows) abort();
    if (status == OK) expect_same_again(&table);
    if (status != OK && status != ERR_INPUT) abort();
    csv_free(&table);
    if (mem_live_blocks() != 0) abort();
  }
  remove(path);
  return 0;
}
