// base/log.h -- warnings are counted by kind, printed the first time, summed up at the end.
//
// A kind is a short constant text ("not_converged", "penetration"). The first of a kind is printed
// with its place; later ones only count, so that a bad run does not flood the terminal.

#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum { LOG_MAX_KINDS = 64, LOG_FIRST_TEXT = 400 };

typedef struct {
  const char *kind;           // borrowed constant
  int64_t count;              //
  char first[LOG_FIRST_TEXT]; // text of the first one
} LogWarning;

typedef struct {
  FILE *stream; // where lines go; NULL: nowhere
  int quiet;    // 1: warnings are counted, not printed
  int on_line;  // 1: a progress line without newline stands on the terminal
  int n_kinds;
  LogWarning warning[LOG_MAX_KINDS];
} Log;

void log_warn(Log *log, const char *kind, const char *format, ...) PRINTF_LIKE(3, 4);
void log_line(Log *log, const char *format, ...) PRINTF_LIKE(2, 3); // a full line, unless quiet
void log_progress(Log *log, const char *text); // overwrites the last progress line
int64_t log_count(const Log *log);             // all warnings
void log_sum_up(Log *log);                     // one line for each kind that came more than once

#endif
