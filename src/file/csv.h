// file/csv.h -- histories: one row a step, appended during the run.
//
// First line "# units: s,N,m,...", second line the column names. Numbers are written so that they
// read back to the same bits (%.17g). A history is continued after a restart: rows after the time of
// the checkpoint are cut off first.

#ifndef FILE_CSV_H
#define FILE_CSV_H

#include <stdio.h>

#include "base/err.h"

typedef struct {
  FILE *stream;
  char path[1024];
  int n_columns;
} CsvWriter;

// Creates the file. With n_keep_rows >= 0 an existing file with the same columns is continued after
// that many rows; fewer rows in the file are an error.
Status csv_open(CsvWriter *csv, const char *path, const char *const *names,
                const char *const *units, int n_columns, long n_keep_rows, Err *err) MUST_CHECK;
Status csv_row(CsvWriter *csv, const double *values, Err *err) MUST_CHECK;
Status csv_flush(CsvWriter *csv, Err *err) MUST_CHECK; // to disk: called before a checkpoint
Status csv_close(CsvWriter *csv, Err *err) MUST_CHECK;

// A table of numbers read from CSV: lines starting with '#' are skipped (units are kept when the
// line is "# units:"), a first line with text holds names. Ragged rows are errors with file:line.
typedef struct {
  int n_columns;
  long n_rows;
  char **names, **units; // [n_columns]; units NULL where absent
  double *value;         // [n_rows * n_columns]
} CsvTable;

Status csv_read(CsvTable *table, const char *path, Err *err) MUST_CHECK;
int csv_column(const CsvTable *table, const char *name); // -1 if absent
void csv_free(CsvTable *table);

#endif
