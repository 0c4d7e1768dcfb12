// file/csv.h -- histories: one row a step, appended during the run.
//
// First line "# units: s,N,m,...", second line the column names. Numbers are written so that they
// read back to the same bits. A history is continued after a restart: rows after the time of the
// checkpoint are cut off first.

#ifndef FILE_CSV_H
#define FILE_CSV_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "file/atomic.h"

typedef struct {
  FILE *stream; // NULL: closed
  char path[FILE_PATH_SIZE];
  int n_columns;
  int64_t size; // bytes of the file when all is written
  uint64_t sum; // of all bytes up to the last row, those that were kept too (csv_sum)
} CsvWriter;

// Creates the file (an old one is emptied). With n_keep_rows >= 0 an existing file with the same
// columns is continued after that many rows; other columns or fewer rows are ERR_INPUT, and the
// file is then untouched. Names and units hold no comma and no line end.
Status csv_open(CsvWriter *csv, const char *path, const char *const *names,
                const char *const *units, int n_columns, long n_keep_rows, Err *err) MUST_CHECK;
// Whether an existing file begins with the header of such columns.
Status csv_has_columns(const char *path, const char *const *names, const char *const *units,
                       int n_columns, int *same, Err *err) MUST_CHECK;
// Sum of the header and the first `n_rows` rows of a file; ERR_INPUT where it has fewer.
Status csv_sum(const char *path, long n_rows, uint64_t *sum, Err *err) MUST_CHECK;
Status csv_row(CsvWriter *csv, const double *values, Err *err) MUST_CHECK; // allocates nothing
Status csv_flush(CsvWriter *csv, Err *err) MUST_CHECK; // to disk: called before a checkpoint;
// ERR_SYSTEM too where the file has been removed or replaced meanwhile
// Closed afterwards, whatever it returns; closing twice or a zeroed writer is fine.
Status csv_close(CsvWriter *csv, Err *err) MUST_CHECK;

// A table of numbers read from CSV: lines starting with '#' are skipped (units are kept when the
// line is "# units:"), a first line with text holds names (else they are "column_1", ...). An empty
// cell is NaN. Ragged rows and cells that are no numbers are ERR_INPUT with file:line.
typedef struct {
  int n_columns;
  long n_rows;
  char **names, **units; // [n_columns]; units NULL where absent
  double *value;         // [n_rows * n_columns]
  int *line;             // [n_rows] where in the file, from 1
} CsvTable;

// Takes what is wrong with a row, "file:line: ...".
typedef struct {
  void (*tell)(void *who, const char *text);
  void *who;
} CsvListener;

Status csv_read(CsvTable *table, const char *path, Err *err) MUST_CHECK;
// At most the first `n` rows: what stands behind them is not looked at.
Status csv_read_rows(CsvTable *table, const char *path, long n, Err *err) MUST_CHECK;
// The same of all rows; those that are wrong are told, one word each, and left out.
Status csv_read_told(CsvTable *table, const char *path, const CsvListener *listener,
                     Err *err) MUST_CHECK;
int csv_column(const CsvTable *table, const char *name); // -1 if absent
// A column with the name of an earlier one, -1: none. Columns without a name do not count.
int csv_doubled(const CsvTable *table);
void csv_free(CsvTable *table);

#endif
