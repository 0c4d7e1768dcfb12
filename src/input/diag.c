#include "input/diag.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { LONGEST_WORD = 40 }; // longer words are not compared: nobody mistypes them by a letter

// Drops the bytes of a character that was cut at the end of the buffer.
static void end_on_character(char *text) {
  size_t n = strlen(text), tail = n;
  while (tail > 0 && ((unsigned char)text[tail - 1] & 0xC0) == 0x80) tail--;
  if (tail == 0 || (unsigned char)text[tail - 1] < 0xC0) return;
  unsigned char lead = (unsigned char)text[tail - 1];
  size_t wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (n - (tail - 1) < wanted) text[tail - 1] = 0;
}

static void make_one_line(char *text) {
  for (char *c = text; *c; c++)
    if (iscntrl((unsigned char)*c)) *c = ' ';
}

static int file_rank(Diag *diag, const char *file) {
  for (size_t k = 0; k < diag->n_files; k++)
    if (strcmp(diag->files[k], file) == 0) return (int)k;
  void *block = diag->files;
  if (mem_grow(&block, &diag->files_capacity, diag->n_files + 1, sizeof *diag->files, NULL) != OK) {
    diag->short_of_memory = 1;
    return 0;
  }
  diag->files = block;
  diag->files[diag->n_files] = file;
  return (int)diag->n_files++;
}

void diag_file(Diag *diag, const char *file) {
  file_rank(diag, file);
}

void diag_add(Diag *diag, SrcPos pos, const char *format, ...) {
  if (diag->n == DIAG_MAX) {
    diag->n_dropped++;
    return;
  }
  void *block = diag->entries;
  if (mem_grow(&block, &diag->capacity, diag->n + 1, sizeof *diag->entries, NULL) != OK) {
    diag->short_of_memory = 1;
    return;
  }
  diag->entries = block;
  DiagEntry *entry = &diag->entries[diag->n];
  *entry = (DiagEntry){.pos = pos, .order = (long)diag->n};
  diag->n++;
  if (pos.file) entry->file_order = file_rank(diag, pos.file);
  va_list args;
  va_start(args, format);
  int length = vsnprintf(entry->text, sizeof entry->text, format, args);
  va_end(args);
  if (length >= (int)sizeof entry->text) { // a cut is seen
    entry->text[sizeof entry->text - 4] = 0;
    end_on_character(entry->text);
    strcat(entry->text, "...");
  }
  make_one_line(entry->text);
}

static int compare(const void *left, const void *right) {
  const DiagEntry *a = left, *b = right;
  if (a->file_order != b->file_order) return a->file_order < b->file_order ? -1 : 1;
  if (a->pos.line != b->pos.line) return a->pos.line < b->pos.line ? -1 : 1;
  return a->order < b->order ? -1 : a->order > b->order;
}

static int said_before(const Diag *diag, size_t n_kept, const DiagEntry *entry) {
  for (size_t k = n_kept; k-- > 0;) {
    const DiagEntry *old = &diag->entries[k];
    if (old->file_order != entry->file_order || old->pos.line != entry->pos.line) return 0;
    if (strcmp(old->text, entry->text) == 0) return 1;
  }
  return 0;
}

void diag_sort(Diag *diag) {
  if (diag->n == 0) return;
  qsort(diag->entries, diag->n, sizeof *diag->entries, compare);
  size_t n_kept = 0;
  for (size_t k = 0; k < diag->n; k++)
    if (!said_before(diag, n_kept, &diag->entries[k])) diag->entries[n_kept++] = diag->entries[k];
  diag->n = n_kept;
}

void diag_print(Diag *diag, FILE *stream) {
  diag_sort(diag);
  for (size_t k = 0; k < diag->n; k++) {
    const DiagEntry *entry = &diag->entries[k];
    if (entry->pos.file) fputs(entry->pos.file, stream);
    if (entry->pos.file && entry->pos.line > 0) fprintf(stream, ":%d", entry->pos.line);
    fprintf(stream, "%s%s\n", entry->pos.file ? ": " : "", entry->text);
  }
  if (diag->n_dropped > 0) fprintf(stream, "and %ld more\n", diag->n_dropped);
}

Status diag_status(const Diag *diag, Err *err) {
  if (diag->short_of_memory)
    return err_set(err, ERR_SYSTEM, "out of memory while reading the input");
  if (diag->n == 0) return OK;
  size_t n = diag->n + (size_t)diag->n_dropped;
  return err_set(err, ERR_INPUT, "the input has %zu %s", n, n == 1 ? "defect" : "defects");
}

void diag_free(Diag *diag) {
  mem_free(diag->entries);
  mem_free(diag->files);
  *diag = (Diag){0};
}

static int smallest(int a, int b, int c) {
  int least = a < b ? a : b;
  return least < c ? least : c;
}

// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours cost 1;
// upper against lower case costs nothing.
static int distance_between(const char *a, size_t n_a, const char *b, size_t n_b) {
  int rows[3][LONGEST_WORD + 1];
  for (size_t j = 0; j <= n_b; j++) rows[0][j] = (int)j;
  for (size_t i = 1; i <= n_a; i++) {
    int *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
    row[0] = (int)i;
    for (size_t j = 1; j <= n_b; j++) {
      int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
      row[j] = smallest(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y));
      if (i < 2 || j < 2) continue;
      int x_old = tolower((unsigned char)a[i - 2]), y_old = tolower((unsigned char)b[j - 2]);
      if (x == y_old && x_old == y) row[j] = smallest(row[j], two_above[j - 2] + 1, row[j]);
    }
  }
  return rows[n_a % 3][n_b];
}

int diag_nearer(const char *word, const char *candidate, size_t n, int *distance) {
  size_t n_word = strlen(word);
  if (n == 0 || n_word == 0 || n > LONGEST_WORD || n_word > LONGEST_WORD) return 0;
  // A third of the letters may be wrong: "dnsty" still finds "density", "x" does not find "mu".
  int allowed = (int)((n > n_word ? n : n_word) + 1) / 3;
  int d = distance_between(word, n_word, candidate, n);
  if (d > allowed || d >= *distance) return 0;
  *distance = d;
  return 1;
}

const char *diag_nearest(const char *word, const char *choices, char *buffer, size_t size) {
  const char *found = NULL;
  int distance = DIAG_FAR;
  for (const char *start = choices; start && *start;) {
    size_t n = strcspn(start, "|");
    if (n < size && diag_nearer(word, start, n, &distance)) {
      memcpy(buffer, start, n);
      buffer[n] = 0;
      found = buffer;
    }
    start += n + (start[n] == '|');
  }
  return found;
}

const char *diag_short(const char *text, char buffer[DIAG_SHORT]) {
  if (strlen(text) < DIAG_SHORT) return text;
  memcpy(buffer, text, DIAG_SHORT - 4);
  buffer[DIAG_SHORT - 4] = 0;
  end_on_character(buffer);
  memcpy(buffer + strlen(buffer), "...", 4);
  return buffer;
}

void diag_list(char buffer[DIAG_LIST], const char *word, size_t n) {
  static const char MARK[] = ", ...";
  size_t used = strlen(buffer), comma = used > 0 ? 2 : 0;
  if (used >= sizeof MARK - 1 && strcmp(buffer + used - (sizeof MARK - 1), MARK) == 0) return;
  if (used + comma + n + sizeof MARK <= DIAG_LIST) {
    if (comma) memcpy(buffer + used, ", ", comma);
    memcpy(buffer + used + comma, word, n);
    buffer[used + comma + n] = 0;
  } else {
    memcpy(buffer + used, MARK, sizeof MARK);
  }
}

void diag_list_all(char buffer[DIAG_LIST], const char *words) {
  buffer[0] = 0;
  for (const char *c = words; c && *c;) {
    size_t n = strcspn(c, "|");
    diag_list(buffer, c, n);
    c += n + (c[n] == '|');
  }
  if (!buffer[0]) strcpy(buffer, "none");
}
