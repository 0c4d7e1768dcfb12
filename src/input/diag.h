// input/diag.h -- everything that is wrong with an input, collected, sorted, said at once.
//
// Checks add one entry per defect and go on. Entries carry file and line, what was found and what
// is allowed. diag_print sorts them (files in the order in which they were read, then lines) and
// prints one line each, "file:line: message"; line 0 means the file as a whole.

#ifndef INPUT_DIAG_H
#define INPUT_DIAG_H

#include <stdio.h>

#include "base/err.h"

// Room for the longest list of what is allowed, the children of the root (a test).
enum { DIAG_LIST = 700, DIAG_TEXT = 1000 };

typedef struct {
  SrcPos pos;     // file borrowed from the input tree or a constant
  long order;     // how many were added before: keeps the sort stable
  int file_order; // rank of the file
  char text[DIAG_TEXT];
} DiagEntry;

typedef struct {
  DiagEntry *entries;
  size_t n, capacity;
  const char **files; // [n_files] borrowed, in the order in which they were first named
  size_t n_files, files_capacity;
  long n_dropped;      // defects beyond DIAG_MAX, only counted
  int short_of_memory; // 1: an entry could not be kept
} Diag;

enum { DIAG_MAX = 10000 }; // more is no list of defects but the wrong file

// Adds one defect. Control characters become spaces. Memory shortage while adding is remembered
// and reported by diag_status.
void diag_add(Diag *diag, SrcPos pos, const char *format, ...) PRINTF_LIKE(3, 4);

// Gives a file its rank before anything is wrong with it.
void diag_file(Diag *diag, const char *file);

// Sorts and drops what was said twice about the same line (a file included twice).
void diag_sort(Diag *diag);
void diag_print(Diag *diag, FILE *stream);

// OK when nothing was added, else ERR_INPUT with the count in the error.
Status diag_status(const Diag *diag, Err *err) MUST_CHECK;
void diag_free(Diag *diag);

// The entry of a '|'-separated list nearest to `word` by edit distance, or NULL when nothing is
// near. `buffer` holds the answer.
const char *diag_nearest(const char *word, const char *choices, char *buffer, size_t size);

// The same one by one: 1 if `candidate` (of n bytes) is near to `word`, nearer than *distance,
// which is then lowered. Start with DIAG_FAR.
enum { DIAG_FAR = 1000 };
int diag_nearer(const char *word, const char *candidate, size_t n, int *distance);

// Adds a word to a list "a, b, c" in `buffer`; one that has no room any more becomes a mark,
// ", ...".
void diag_list(char buffer[DIAG_LIST], const char *word, size_t n);
// All words of a '|'-separated list; "none" for none.
void diag_list_all(char buffer[DIAG_LIST], const char *words);

// `text` shortened to what a message bears, cut between characters.
enum { DIAG_SHORT = 64 };
const char *diag_short(const char *text, char buffer[DIAG_SHORT]);

#endif
