#define _POSIX_C_SOURCE 200809L

#include "file/csv.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/field.h"
#include "base/mem.h"
#include "file/number.h"

static const char units_mark[] = "# units:";

static Status write_error(const CsvWriter *csv, Err *err) {
  return err_set(err, ERR_SYSTEM, "%s: cannot write: %s", csv->path,
                 strerror(errno ? errno : ENOSPC));
}

// The two header lines; *text is owned by the caller.
static Status make_header(char **text, const char *const *names, const char *const *units,
                          int n_columns, Err *err) {
  size_t size = sizeof units_mark + 4;
  for (int c = 0; c < n_columns; c++) {
    assert(!strpbrk(names[c], ",\n") && !strpbrk(units[c], ",\n"));
    size += strlen(names[c]) + strlen(units[c]) + 2;
  }
  MEM_NEW(*text, size, err);
  size_t n = (size_t)snprintf(*text, size, "%s ", units_mark);
  for (int c = 0; c < n_columns; c++)
    n += (size_t)snprintf(*text + n, size - n, "%s%s", c ? "," : "", units[c]);
  n += (size_t)snprintf(*text + n, size - n, "\n");
  for (int c = 0; c < n_columns; c++)
    n += (size_t)snprintf(*text + n, size - n, "%s%s", c ? "," : "", names[c]);
  snprintf(*text + n, size - n, "\n");
  return OK;
}

enum { HEADER_LINES = 2 };

// Where the header and so many rows end in a text [byte]; -1 where there are fewer, *found of them.
static long find_end(const char *text, size_t size, long n_rows, long *found) {
  const char *at = text, *line_end;
  for (*found = -HEADER_LINES; *found < n_rows; ++*found, at = line_end + 1)
    if (!(line_end = memchr(at, '\n', (size_t)(text + size - at)))) return -1;
  return (long)(at - text);
}

static Status too_short(const char *path, long found, long n_rows, Err *err) {
  return err_set(err, ERR_INPUT, "%s: holds %ld rows, %ld are needed to continue", path,
                 found > 0 ? found : 0, n_rows);
}

Status csv_sum(const char *path, long n_rows, uint64_t *sum, Err *err) {
  char *text;
  size_t size;
  TRY(file_read(&text, &size, path, err));
  long found, end = find_end(text, size, n_rows, &found);
  *sum = end < 0 ? 0 : bytes_hash(text, (size_t)end);
  mem_free(text);
  return end < 0 ? too_short(path, found, n_rows, err) : OK;
}

static Status continue_file(CsvWriter *csv, const char *header, long n_keep_rows, Err *err) {
  char *text;
  size_t size, length = strlen(header);
  TRY(file_read(&text, &size, csv->path, err));
  long found, end = find_end(text, size, n_keep_rows, &found);
  int same = size >= length && memcmp(text, header, length) == 0;
  if (end >= 0) csv->sum = bytes_hash(text, (size_t)end);
  csv->size = end;
  mem_free(text);
  if (!same) return err_set(err, ERR_INPUT, "%s: its columns are not those of this run", csv->path);
  if (end < 0) return too_short(csv->path, found, n_keep_rows, err);
  csv->stream = fopen(csv->path, "r+b");
  if (!csv->stream) return write_error(csv, err);
  if (ftruncate(fileno(csv->stream), end) == 0 && fseek(csv->stream, end, SEEK_SET) == 0) return OK;
  Status status = write_error(csv, err);
  fclose(csv->stream);
  csv->stream = NULL;
  return status;
}

Status csv_open(CsvWriter *csv, const char *path, const char *const *names,
                const char *const *units, int n_columns, long n_keep_rows, Err *err) {
  memset(csv, 0, sizeof *csv);
  csv->n_columns = n_columns;
  if (strlen(path) >= sizeof csv->path)
    return err_set(err, ERR_SYSTEM, "%s: cannot write: %s", path, strerror(ENAMETOOLONG));
  snprintf(csv->path, sizeof csv->path, "%s", path);
  char *header = NULL;
  TRY(make_header(&header, names, units, n_columns, err));
  Status status = OK;
  if (n_keep_rows >= 0) {
    status = continue_file(csv, header, n_keep_rows, err);
  } else {
    errno = 0;
    csv->stream = fopen(path, "wb");
    if (!csv->stream || fputs(header, csv->stream) == EOF) status = write_error(csv, err);
    csv->sum = bytes_hash(header, strlen(header));
    csv->size = (int64_t)strlen(header);
  }
  mem_free(header);
  // Behind whatever is there: what somebody else does to the file shows in its size (check_place).
  if (status == OK) {
    int file = fileno(csv->stream);
    fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_APPEND);
  }
  if (status != OK && csv->stream) {
    fclose(csv->stream);
    csv->stream = NULL;
  }
  return status;
}

Status csv_has_columns(const char *path, const char *const *names, const char *const *units,
                       int n_columns, int *same, Err *err) {
  char *header = NULL, *text = NULL;
  size_t size, length;
  TRY(make_header(&header, names, units, n_columns, err));
  Status status = file_read(&text, &size, path, err);
  length = strlen(header);
  *same = status == OK && size >= length && memcmp(text, header, length) == 0;
  mem_free(text);
  mem_free(header);
  return status;
}

Status csv_row(CsvWriter *csv, const double *values, Err *err) {
  assert(csv->stream);
  char text[NUMBER_TEXT_SIZE + 1];
  errno = 0;
  for (int c = 0; c < csv->n_columns; c++) {
    int n = number_format(text, values[c]);
    text[n] = c + 1 < csv->n_columns ? ',' : '\n';
    fwrite(text, 1, (size_t)n + 1, csv->stream);
    csv->sum = bytes_hash_on(csv->sum, text, (size_t)n + 1);
    csv->size += n + 1;
  }
  return ferror(csv->stream) ? write_error(csv, err) : OK;
}

// What is written to a file that has no name any more is lost without an error.
static Status check_place(const CsvWriter *csv, Err *err) {
  struct stat open_file, named;
  if (fstat(fileno(csv->stream), &open_file) != 0 || !S_ISREG(open_file.st_mode)) return OK;
  if (stat(csv->path, &named) != 0 || named.st_ino != open_file.st_ino ||
      named.st_dev != open_file.st_dev)
    return err_set(err, ERR_SYSTEM, "%s: was removed or replaced while the run wrote it",
                   csv->path);
  if (open_file.st_size == csv->size) return OK;
  return err_set(err, ERR_SYSTEM,
                 "%s: holds %lld bytes where %lld were written: it was changed while the run wrote "
                 "it",
                 csv->path, (long long)open_file.st_size, (long long)csv->size);
}

Status csv_flush(CsvWriter *csv, Err *err) {
  assert(csv->stream);
  errno = 0;
  int failed = ferror(csv->stream);
  if (fflush(csv->stream) != 0) failed = 1;
  // pipes and devices cannot be synced and need not be
  if (!failed && fsync(fileno(csv->stream)) != 0 && errno != EINVAL && errno != EROFS) failed = 1;
  return failed ? write_error(csv, err) : check_place(csv, err);
}

Status csv_close(CsvWriter *csv, Err *err) {
  if (!csv->stream) return OK;
  errno = 0;
  int failed = ferror(csv->stream);
  if (fclose(csv->stream) != 0) failed = 1;
  csv->stream = NULL;
  return failed ? write_error(csv, err) : OK;
}

typedef struct {
  const char *path;
  int line;
  size_t capacity, line_capacity; // of table->value, table->line
  CsvTable *table;
  long n_wanted; // rows
  NumberStyle style;
  const CsvListener *listener; // NULL: the first row that is wrong ends it
  Err *err;
} Parser;

static Status no_memory(Parser *p) {
  return err_set(p->err, ERR_SYSTEM, "out of memory while reading %s", p->path);
}

static int count_cells(const char *line, char separator) {
  int n = 1;
  for (const char *c = line; *c; c++) n += *c == separator;
  return n;
}

// An empty cell is not a number, and none is wanted there.
static int is_number(const char *cell, size_t n, NumberStyle *style, double *value) {
  *value = NUMBER_NAN;
  return n == 0 || number_read_cell(cell, n, style, value);
}

// Names or units: n texts, each owned.
static Status read_texts(Parser *p, const char *line, char separator, int n, char ***texts) {
  *texts = mem_new((size_t)n, sizeof **texts);
  if (!*texts) return no_memory(p);
  for (int c = 0; c < n; c++) {
    const char *cell = "";
    size_t length = 0;
    if (line) line = number_next_cell(line, separator, &cell, &length);
    char *text = (*texts)[c] = mem_new(length + 1, 1);
    if (!text) return no_memory(p);
    memcpy(text, cell, length);
  }
  return OK;
}

static void free_texts(char **texts, int n) {
  for (int c = 0; texts && c < n; c++) mem_free(texts[c]);
  mem_free(texts);
}

static int has_text(const char *line, NumberStyle style) {
  double unused;
  while (line) {
    const char *cell;
    size_t n;
    line = number_next_cell(line, style.separator, &cell, &n);
    if (!is_number(cell, n, &style, &unused)) return 1;
  }
  return 0;
}

static Status number_names(Parser *p) {
  CsvTable *table = p->table;
  table->names = mem_new((size_t)table->n_columns, sizeof *table->names);
  if (!table->names) return no_memory(p);
  for (int c = 0; c < table->n_columns; c++) {
    char name[32];
    snprintf(name, sizeof name, "column_%d", c + 1);
    table->names[c] = mem_copy_text(name);
    if (!table->names[c]) return no_memory(p);
  }
  return OK;
}

static Status read_row(Parser *p, const char *line) {
  CsvTable *table = p->table;
  int n = count_cells(line, p->style.separator);
  if (n != table->n_columns)
    return err_set(p->err, ERR_INPUT, "%s:%d: %d cells, %d expected", p->path, p->line, n,
                   table->n_columns);
  size_t start = (size_t)table->n_rows * (size_t)n;
  void *block = table->value;
  Status status = mem_grow(&block, &p->capacity, start + (size_t)n, sizeof *table->value, p->err);
  table->value = block;
  if (status != OK) return status;
  TRY(mem_grow((void **)&table->line, &p->line_capacity, (size_t)table->n_rows + 1,
               sizeof *table->line, p->err));
  table->line[table->n_rows] = p->line;
  for (int c = 0; c < n; c++) {
    const char *cell;
    size_t length;
    line = number_next_cell(line, p->style.separator, &cell, &length);
    if (!is_number(cell, length, &p->style, &table->value[start + (size_t)c]))
      return err_set(p->err, ERR_INPUT, "%s:%d: '%.*s' is not a number", p->path, p->line,
                     length < 40 ? (int)length : 40, cell);
  }
  table->n_rows++;
  return OK;
}

static Status take_row(Parser *p, const char *line) {
  Status status = read_row(p, line);
  if (status != ERR_INPUT || !p->listener) return status;
  p->listener->tell(p->listener->who, p->err->text);
  err_clear(p->err);
  return OK;
}

// The first line that is not a comment: its cells fix the number of columns.
static Status read_first(Parser *p, const char *line, const char *units) {
  CsvTable *table = p->table;
  char separator = strchr(line, ';') ? ';' : ',';
  p->style.separator = separator;
  table->n_columns = count_cells(line, separator);
  if (units && count_cells(units, separator) == table->n_columns)
    TRY(read_texts(p, units, separator, table->n_columns, &table->units));
  if (has_text(line, p->style))
    return read_texts(p, line, separator, table->n_columns, &table->names);
  TRY(number_names(p));
  return take_row(p, line);
}

static Status read_lines(Parser *p, char *text) {
  char *units = NULL;
  for (char *line = text, *next; line && p->table->n_rows < p->n_wanted; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = 0;
    p->line++;
    if (strncmp(line, units_mark, sizeof units_mark - 1) == 0) units = line + sizeof units_mark - 1;
    if (line[0] == '#' || line[strspn(line, " \t\r")] == 0) continue;
    if (p->table->n_columns == 0)
      TRY(read_first(p, line, units));
    else
      TRY(take_row(p, line));
  }
  if (p->table->n_columns == 0)
    return err_set(p->err, ERR_INPUT, "%s:%d: no table in this file", p->path, p->line);
  return OK;
}

static Status read_table(CsvTable *table, const char *path, long n, const CsvListener *listener,
                         Err *err) {
  memset(table, 0, sizeof *table);
  char *text;
  size_t size;
  TRY(file_read(&text, &size, path, err));
  Parser p = {.path = path, .table = table, .n_wanted = n, .listener = listener, .err = err};
  Status status = strlen(text) == size
                      ? read_lines(&p, number_skip_mark(text))
                      : err_set(err, ERR_INPUT, "%s: not a text file: it holds zero bytes", path);
  mem_free(text);
  if (status != OK) csv_free(table);
  return status;
}

Status csv_read(CsvTable *table, const char *path, Err *err) {
  return read_table(table, path, LONG_MAX, NULL, err);
}

Status csv_read_rows(CsvTable *table, const char *path, long n, Err *err) {
  return read_table(table, path, n, NULL, err);
}

Status csv_read_told(CsvTable *table, const char *path, const CsvListener *listener, Err *err) {
  return read_table(table, path, LONG_MAX, listener, err);
}

int csv_column(const CsvTable *table, const char *name) {
  for (int c = 0; c < table->n_columns; c++)
    if (strcmp(table->names[c], name) == 0) return c;
  return -1;
}

int csv_doubled(const CsvTable *table) {
  for (int c = 1; c < table->n_columns; c++)
    if (table->names[c][0] && csv_column(table, table->names[c]) < c) return c;
  return -1;
}

void csv_free(CsvTable *table) {
  free_texts(table->names, table->n_columns);
  free_texts(table->units, table->n_columns);
  mem_free(table->value);
  mem_free(table->line);
  memset(table, 0, sizeof *table);
}
