// input/diag.h -- everything that is wrong with an input, collected, sorted, said at once.
//
// Checks add one entry per defect and go on. Entries carry file and line, what was found and what
// is allowed. diag_print sorts by order of appearance in the input and prints one line each,
// "file:line: message".

#ifndef INPUT_DIAG_H
#define INPUT_DIAG_H

#include <stdio.h>

#include "base/err.h"

typedef struct {
  SrcPos pos; // file borrowed from the input tree or a constant
  long order; // position in the resolved document, for sorting
  char text[400];
} DiagEntry;

typedef struct {
  DiagEntry *entries;
  size_t n, capacity;
} Diag;

// Adds one defect. Memory shortage while adding is remembered and reported by diag_status.
void diag_add(Diag *diag, SrcPos pos, const char *format, ...) PRINTF_LIKE(3, 4);
void diag_print(Diag *diag, FILE *stream);

// OK when nothing was added, else ERR_INPUT with the count in the error.
Status diag_status(const Diag *diag, Err *err) MUST_CHECK;
void diag_free(Diag *diag);

// The entry of a NULL-terminated or '|'-separated list nearest to `word` by edit distance, or NULL
// when nothing is near. `buffer` holds the answer.
const char *diag_nearest(const char *word, const char *choices, char *buffer, size_t size);

#endif
