#include "mesh/gmsh_scan.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_space(Scan *scan) {
  for (; scan->at < scan->size && is_space(scan->data[scan->at]); scan->at++)
    scan->line += scan->data[scan->at] == '\n';
}

static int reads_bytes(const Scan *scan) {
  return scan->binary && !scan->as_text;
}

int64_t scan_place(Scan *scan) {
  if (!reads_bytes(scan)) skip_space(scan);
  return scan->binary ? (int64_t)scan->at : scan->line;
}

Status scan_error(const Scan *scan, int64_t place, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (scan->binary)
    return err_set(scan->err, ERR_INPUT, "%s: byte %lld: %s", scan->path, (long long)place, text);
  return err_set(scan->err, ERR_INPUT, "%s:%lld: %s", scan->path, (long long)place, text);
}

// The next `n` bytes of a binary number, in the order of this machine.
static Status take(Scan *scan, void *value, size_t n, const char *what) {
  if (scan->size - scan->at < n)
    return scan_error(scan, (int64_t)scan->at, "the file ends where %s should stand", what);
  unsigned char bytes[8];
  for (size_t k = 0; k < n; k++)
    bytes[k] = (unsigned char)scan->data[scan->at + (scan->swapped ? n - 1 - k : k)];
  memcpy(value, bytes, n);
  scan->at += n;
  return OK;
}

// Error for a text that is no number of the wanted kind; shows at most 20 characters of it.
static Status bad_number(Scan *scan, const char *what, const char *kind) {
  int64_t place = scan_place(scan);
  if (scan->at >= scan->size)
    return scan_error(scan, place, "the file ends where %s should stand", what);
  char shown[21];
  size_t n = 0;
  for (; n < 20 && scan->at + n < scan->size && !is_space(scan->data[scan->at + n]); n++) {
    char c = scan->data[scan->at + n];
    shown[n] = c >= 32 && c < 127 ? c : '?';
  }
  shown[n] = 0;
  return scan_error(scan, place, "'%s' stands where %s should be (%s)", shown, what, kind);
}

// Decimal integer; the number must end at white space or at the end of the file.
static Status parse_integer(Scan *scan, int64_t low, int64_t high, int64_t *value,
                            const char *what) {
  skip_space(scan);
  const char *start = scan->data + scan->at;
  char *end;
  errno = 0;
  long long parsed = strtoll(start, &end, 10);
  if (end == start || !(is_space(*end) || end == scan->data + scan->size) || errno ||
      parsed < low || parsed > high)
    return bad_number(scan, what, low < 0 ? "a whole number" : "a whole number, not negative");
  scan->at += (size_t)(end - start);
  *value = parsed;
  return OK;
}

Status scan_int(Scan *scan, int64_t *value, const char *what) {
  if (!reads_bytes(scan)) return parse_integer(scan, INT32_MIN, INT32_MAX, value, what);
  int32_t number = 0;
  TRY(take(scan, &number, sizeof number, what));
  *value = number;
  return OK;
}

Status scan_size(Scan *scan, int64_t *value, const char *what) {
  if (!reads_bytes(scan)) return parse_integer(scan, 0, INT64_MAX, value, what);
  int64_t place = (int64_t)scan->at;
  uint32_t narrow = 0;
  uint64_t wide = 0;
  if (scan->size_size == 4) {
    TRY(take(scan, &narrow, sizeof narrow, what));
    wide = narrow;
  } else
    TRY(take(scan, &wide, sizeof wide, what));
  if (wide > INT64_MAX)
    return scan_error(scan, place, "%s is %llu", what, (unsigned long long)wide);
  *value = (int64_t)wide;
  return OK;
}

Status scan_real(Scan *scan, double *value, const char *what) {
  int64_t place = scan_place(scan);
  if (reads_bytes(scan)) {
    TRY(take(scan, value, sizeof *value, what));
  } else {
    const char *start = scan->data + scan->at;
    char *end;
    *value = strtod(start, &end);
    if (end == start || !(is_space(*end) || end == scan->data + scan->size))
      return bad_number(scan, what, "a number");
    scan->at += (size_t)(end - start);
  }
  if (!isfinite(*value)) return scan_error(scan, place, "%s is %g", what, *value);
  return OK;
}

Status scan_count(Scan *scan, int64_t *value, int is_int, int64_t bytes, int64_t numbers,
                  const char *what) {
  int64_t place = scan_place(scan);
  TRY(is_int ? scan_int(scan, value, what) : scan_size(scan, value, what));
  if (*value < 0) return scan_error(scan, place, "%s is %lld", what, (long long)*value);
  // the last number of an ASCII file may stand without white space behind it
  int64_t left = (int64_t)(scan->size - scan->at) + 1;
  int64_t each = scan->binary ? bytes : 2 * numbers;
  if (*value > INT32_MAX / 8 || (each > 0 && *value > left / each))
    return scan_error(scan, place, "%s is %lld, more than the rest of the file can hold", what,
                      (long long)*value);
  return OK;
}

void scan_word(Scan *scan, char *word, size_t size) {
  skip_space(scan);
  size_t n = 0;
  for (; scan->at < scan->size && !is_space(scan->data[scan->at]); scan->at++)
    if (n + 1 < size) {
      char c = scan->data[scan->at];
      word[n++] = c >= 32 && c < 127 ? c : '?';
    }
  word[n] = 0;
}

Status scan_end(Scan *scan, const char *section) {
  char word[64], wanted[64];
  skip_space(scan);
  int64_t place = scan_place(scan);
  snprintf(wanted, sizeof wanted, "$End%s", section);
  scan_word(scan, word, sizeof word);
  if (strcmp(word, wanted) == 0) return OK;
  if (!word[0]) return scan_error(scan, place, "the file ends where %s should stand", wanted);
  return scan_error(scan, place, "'%.20s' stands where %s should be", word, wanted);
}

Status scan_skip(Scan *scan, const char *section) {
  char wanted[80];
  int64_t place = scan->binary ? (int64_t)scan->at : scan->line;
  size_t n = (size_t)snprintf(wanted, sizeof wanted, "$End%s", section);
  for (; scan->size - scan->at >= n; scan->at++) {
    const char *here = scan->data + scan->at;
    scan->line += *here == '\n';
    if (*here == '$' && memcmp(here, wanted, n) == 0 &&
        (scan->at + n == scan->size || is_space(here[n]))) {
      scan->at += n;
      return OK;
    }
  }
  return scan_error(scan, place, "section $%s has no end %s", section, wanted);
}

Status scan_newline(Scan *scan) {
  while (scan->at < scan->size && is_space(scan->data[scan->at]) && scan->data[scan->at] != '\n')
    scan->at++;
  if (scan->at >= scan->size || scan->data[scan->at] != '\n')
    return scan_error(scan, scan->binary ? (int64_t)scan->at : scan->line,
                      "the line should end here");
  scan->at++;
  scan->line++;
  return OK;
}

Status scan_quoted(Scan *scan, char **text) {
  int64_t place = scan_place(scan);
  skip_space(scan);
  const char *start = scan->data + scan->at, *stop = start + 1;
  const char *limit = scan->data + scan->size;
  while (stop < limit && *stop != '"' && *stop != '\n' && *stop) stop++;
  if (start >= limit || *start != '"' || stop >= limit || *stop != '"' || stop == start + 1)
    return scan_error(scan, place, "a name in double quotes should stand here");
  size_t n = (size_t)(stop - start) - 1;
  *text = mem_new(n + 1, 1);
  if (!*text) return err_set(scan->err, ERR_SYSTEM, "out of memory: name of %zu bytes", n);
  memcpy(*text, start + 1, n);
  scan->at += n + 2;
  return OK;
}
