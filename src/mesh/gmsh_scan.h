// mesh/gmsh_scan.h -- numbers and section marks of a .msh file held in memory, ASCII or binary.
//
// Every read is checked against the end of the file and every count against the bytes that are
// left, so a file that lies about its size costs an error message, not memory. A place in the file
// is a line (ASCII) or a byte (binary), both counted as editors do: lines from 1, bytes from 0.

#ifndef MESH_GMSH_SCAN_H
#define MESH_GMSH_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct {
  const char *path; // for messages
  const char *data; // [size] and a zero byte behind
  size_t size, at;
  int64_t line;  // of `at`
  int binary;    // of the file: its places are bytes
  int as_text;   // what follows is text even so
  int swapped;   // bytes of numbers in the other order
  int size_size; // bytes of a size_t in 4.1: 4 or 8
  Err *err;
} Scan;

// Place of the next number or word.
int64_t scan_place(Scan *scan);
// ERR_INPUT with path and place.
Status scan_error(const Scan *scan, int64_t place, const char *format, ...) PRINTF_LIKE(3, 4);

// `what` names the number in messages.
Status scan_int(Scan *scan, int64_t *value, const char *what) MUST_CHECK;  // int, 4 bytes
Status scan_size(Scan *scan, int64_t *value, const char *what) MUST_CHECK; // size_t, >= 0
Status scan_real(Scan *scan, double *value, const char *what) MUST_CHECK;  // finite

// A size_t (or int, when is_int) that counts things of at least `bytes` bytes in a binary file; in
// ASCII they take at least two bytes for each of their `numbers` numbers.
Status scan_count(Scan *scan, int64_t *value, int is_int, int64_t bytes, int64_t numbers,
                  const char *what) MUST_CHECK;

// A word up to white space; "" at the end of the file. Cut when longer than size.
void scan_word(Scan *scan, char *word, size_t size);
// Passes "$End<section>".
Status scan_end(Scan *scan, const char *section) MUST_CHECK;
// Goes behind the next "$End<section>" wherever it is.
Status scan_skip(Scan *scan, const char *section) MUST_CHECK;
// Goes behind the end of the line, as must be done before binary numbers.
Status scan_newline(Scan *scan) MUST_CHECK;
// A text in double quotes on this line, allocated.
Status scan_quoted(Scan *scan, char **text) MUST_CHECK;

#endif
