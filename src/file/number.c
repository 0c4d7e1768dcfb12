#include "file/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char BLANKS[] = " \t\r";

int number_format(char text[NUMBER_TEXT_SIZE], double value) {
  // printf would write "-nan" for some NaNs, and which ones depends on the machine
  if (isnan(value)) return snprintf(text, NUMBER_TEXT_SIZE, "nan");
  for (int digits = 15; digits < 17; digits++) {
    int n = snprintf(text, NUMBER_TEXT_SIZE, "%.*g", digits, value);
    if (strtod(text, NULL) == value) return n;
  }
  return snprintf(text, NUMBER_TEXT_SIZE, "%.17g", value);
}

char number_separator(const char *line) {
  if (strchr(line, ';')) return ';';
  if (!strchr(line, ',')) return ' ';
  // tabs beside commas only widen the columns; between numbers they separate, and commas are
  // decimal ones
  for (const char *tab = strchr(line, '\t'); tab; tab = strchr(tab + 1, '\t')) {
    const char *after = tab + strspn(tab, BLANKS), *before = tab;
    while (before > line && strchr(BLANKS, before[-1])) before--;
    if (before > line && before[-1] != ',' && *after && *after != ',') return '\t';
  }
  return ',';
}

const char *number_next_cell(const char *at, char separator, const char **cell, size_t *n) {
  // blanks around a cell are no part of it, but a tab that separates is no blank
  const char *blanks = separator == '\t' ? " \r" : BLANKS;
  *cell = at + strspn(at, blanks);
  const char *end = separator == ' ' ? *cell + strcspn(*cell, BLANKS) : strchr(*cell, separator);
  const char *next = NULL;
  if (separator == ' ')
    next = end[strspn(end, BLANKS)] ? end : NULL;
  else if (end)
    next = end + 1;
  if (separator == '\t' && next && next[strspn(next, BLANKS)] == 0) next = NULL;
  if (!end) end = *cell + strlen(*cell);
  while (end > *cell && strchr(blanks, end[-1])) end--;
  *n = (size_t)(end - *cell);
  return next;
}

int number_read_cell(const char *cell, size_t n, NumberStyle *style, double *value) {
  char text[2 * NUMBER_TEXT_SIZE], *end;
  if (n == 0 || n >= sizeof text) return 0;
  memcpy(text, cell, n);
  text[n] = 0;
  if (strpbrk(text, "xX")) return 0; // hexadecimal, which nobody means
  char *comma = strchr(text, ',');
  if (comma && style->separator != ';' && style->separator != '\t') return 0;
  char mark = comma ? ',' : '.';
  if (comma || strchr(text, '.')) {
    if (style->decimal && style->decimal != mark) return 0;
    style->decimal = mark;
  }
  if (comma) *comma = '.';
  *value = strtod(text, &end);
  return *end == 0;
}

char *number_skip_mark(char *text) {
  size_t n = strlen(BYTE_ORDER_MARK);
  return strncmp(text, BYTE_ORDER_MARK, n) == 0 ? text + n : text;
}
