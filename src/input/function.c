#include "input/function.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "file/number.h"
#include "input/text_file.h"

enum { MAX_TABLE_SIZE = 256 << 20 }; // [bytes]

// Residual velocity over the peak: what a record that was corrected leaves is round-off and the cut
// of its end.
static const double DRIFT = 0.02;

void function_constant(Function *f, double value) {
  *f = (Function){.kind = FUNCTION_CONSTANT, .constant = value};
}

Status function_expression(Function *f, const char *text, Err *err) {
  *f = (Function){.kind = FUNCTION_CONSTANT};
  Status status = expr_constant(text, &f->constant, NULL);
  if (status != ERR_INPUT) return status == OK ? OK : err_set(err, status, "out of memory");
  f->kind = FUNCTION_EXPRESSION;
  return expr_compile(text, &f->expr, err);
}

// A file of numbers while it is read, line by line.
typedef struct {
  const char *path;
  TextFile file;
  char *next; // first byte not yet read
  int line;   // of the line last read
  size_t t_capacity, a_capacity;
} Table;

// The next line, ended by a zero byte; NULL at the end of the file.
static char *next_line(Table *table) {
  char *start = table->next, *end = table->file.data + table->file.size;
  if (start >= end) return NULL;
  char *stop = memchr(start, '\n', (size_t)(end - start));
  table->next = stop ? stop + 1 : end;
  if (stop) *stop = 0;
  table->line++;
  return start;
}

static Status open_table(Table *table, const char *path, Err *err) {
  *table = (Table){.path = path};
  const char *reason;
  TRY(text_file_read(path, MAX_TABLE_SIZE, &table->file, &reason, err));
  table->next = table->file.data ? number_skip_mark(table->file.data) : NULL;
  if (!reason && memchr(table->file.data, 0, table->file.size)) reason = "it is not a text file";
  return reason ? err_set(err, ERR_INPUT, "%s: cannot be read: %s", path, reason) : OK;
}

static Status append_row(Function *f, Table *table, double t, double a, Err *err) {
  if (f->n == INT_MAX) return err_set(err, ERR_INPUT, "%s: too many rows", table->path);
  void *block = f->t;
  TRY(mem_grow(&block, &table->t_capacity, (size_t)f->n + 1, sizeof *f->t, err));
  f->t = block;
  block = f->a;
  TRY(mem_grow(&block, &table->a_capacity, (size_t)f->n + 1, sizeof *f->a, err));
  f->a = block;
  f->t[f->n] = t;
  f->a[f->n] = a;
  f->n++;
  return OK;
}

static char *skip_blanks(char *c) {
  while (*c == ' ' || *c == '\t' || *c == '\r') c++;
  return c;
}

typedef struct {
  double t, value;
  int n_columns;
} Row;

// Reads all fields of a line; false if one is no finite number, *at then stands there.
static bool read_row(const char *line, int column, NumberStyle *style, Row *row, const char **at) {
  *row = (Row){0};
  for (const char *next = line; next;) {
    size_t n;
    double value;
    next = number_next_cell(next, style->separator, at, &n);
    if (!number_read_cell(*at, n, style, &value) || !isfinite(value)) return false;
    row->n_columns++;
    if (row->n_columns == 1) row->t = value;
    if (row->n_columns == column) row->value = value;
  }
  return true;
}

// Names of columns, not a row with a slip in its first cell: that begins with a digit, or numbers
// follow it.
static bool is_header(const char *line, char separator) {
  NumberStyle style = {.separator = separator};
  const char *cell;
  size_t n;
  double unused;
  const char *next = number_next_cell(line, separator, &cell, &n);
  char first = cell[strspn(cell, "+-.\"'")];
  if (first >= '0' && first <= '9') return false;
  bool all = next != NULL;
  while (next && all) {
    next = number_next_cell(next, separator, &cell, &n);
    all = number_read_cell(cell, n, &style, &unused);
  }
  return !all;
}

static Status check_row(const Table *table, const Function *f, const Row *row, int n_columns,
                        int column, Err *err) {
  if (row->n_columns != n_columns)
    return err_set(err, ERR_INPUT, "%s:%d: %d numbers, the rows above have %d", table->path,
                   table->line, row->n_columns, n_columns);
  if (row->n_columns < column)
    return err_set(err, ERR_INPUT, "%s:%d: column %d is wanted, there are %d", table->path,
                   table->line, column, row->n_columns);
  if (f->n > 0 && row->t <= f->t[f->n - 1])
    return err_set(err, ERR_INPUT, "%s:%d: time %g s does not increase (before: %g s)", table->path,
                   table->line, row->t, f->t[f->n - 1]);
  return OK;
}

static Status read_csv(Function *f, Table *table, int column, double scale, Err *err) {
  int n_columns = 0;
  bool header_allowed = true;
  NumberStyle style = {0}; // that of the first row of numbers
  if (column < 2)
    return err_set(err, ERR_INPUT, "%s: column %d, must be 2 or more (1 is the time)", table->path,
                   column);
  for (char *line; (line = next_line(table));) {
    const char *at = skip_blanks(line);
    if (*at == 0 || *at == '#') continue;
    Row row;
    NumberStyle tried = style;
    if (!tried.separator) tried.separator = number_separator(line);
    bool good = read_row(line, column, &tried, &row, &at);
    if (good) style = tried;
    if (!good && header_allowed && row.n_columns == 0 && is_header(line, tried.separator)) {
      header_allowed = false;
      continue;
    }
    if (!good)
      return err_set(err, ERR_INPUT, "%s:%d: \"%.20s\" is not a number", table->path, table->line,
                     at);
    header_allowed = false;
    if (n_columns == 0) n_columns = row.n_columns;
    TRY(check_row(table, f, &row, n_columns, column, err));
    TRY(append_row(f, table, row.t, scale * row.value, err));
  }
  if (f->n == 0) return err_set(err, ERR_INPUT, "%s: no rows of numbers", table->path);
  return OK;
}

Status function_table(Function *f, const char *path, int column, double scale, Err *err) {
  *f = (Function){.kind = FUNCTION_TABLE};
  Table table;
  Status status = open_table(&table, path, err);
  if (status == OK) status = read_csv(f, &table, column, scale, err);
  text_file_free(&table.file);
  return status;
}

// Case-blind search.
static char *find_word(char *text, const char *word) {
  size_t n = strlen(word);
  for (; *text; text++) {
    size_t k = 0;
    while (k < n && toupper((unsigned char)text[k]) == word[k]) k++;
    if (k == n) return text;
  }
  return NULL;
}

// "NPTS=  4000, DT= .0050 SEC", or the older "4000  .0050  NPTS, DT".
static bool read_counts(char *line, long *n, double *dt) {
  char *npts = find_word(line, "NPTS"), *step = find_word(line, "DT"), *end;
  if (!npts || !step) return false;
  char *equals_n = strchr(npts, '='), *equals_dt = strchr(step, '=');
  if (!equals_n || !equals_dt) {
    *n = strtol(line, &end, 10);
    *dt = strtod(end, NULL);
    return true;
  }
  *n = strtol(equals_n + 1, NULL, 10);
  *dt = strtod(equals_dt + 1, NULL);
  return true;
}

// PEER: four lines of header, the fourth with number and spacing of the values, then the values in
// units of g, five to a line.
static Status read_at2(Function *f, Table *table, double scale, Err *err) {
  long n = 0;
  double dt = 0;
  bool found = false;
  char *line;
  for (int k = 0; k < 4 && (line = next_line(table)); k++)
    if (read_counts(line, &n, &dt)) found = true;
  if (!found)
    return err_set(err, ERR_INPUT, "%s:4: no \"NPTS= ..., DT= ...\" in the four lines of header",
                   table->path);
  if (n < 2 || n > INT_MAX || !(dt > 0) || !isfinite(dt))
    return err_set(err, ERR_INPUT, "%s:4: NPTS = %ld and DT = %g, must be 2 or more and positive",
                   table->path, n, dt);
  while ((line = next_line(table))) {
    for (char *c = skip_blanks(line), *end; *c; c = skip_blanks(end)) {
      double value = strtod(c, &end);
      bool apart = *end == 0 || isspace((unsigned char)*end);
      if (end == c || !apart || !isfinite(value))
        return err_set(err, ERR_INPUT, "%s:%d: \"%.20s\" is not a number", table->path, table->line,
                       c);
      TRY(append_row(f, table, f->n * dt, scale * STANDARD_GRAVITY * value, err));
    }
  }
  if (f->n != n)
    return err_set(err, ERR_INPUT, "%s:%d: %d values, the header says NPTS = %ld", table->path,
                   table->line, f->n, n);
  return OK;
}

// Velocity and displacement at the rows, exact for piecewise linear acceleration.
static void integrate(Function *f) {
  for (int i = 0; i + 1 < f->n; i++) {
    double h = f->t[i + 1] - f->t[i], a0 = f->a[i], a1 = f->a[i + 1];
    f->v[i + 1] = f->v[i] + h * (a0 + a1) / 2;
    f->x[i + 1] = f->x[i] + h * f->v[i] + h * h * (2 * a0 + a1) / 6;
  }
}

static Status integrals(Function *f, Err *err) {
  assert(!f->v && !f->x);
  MEM_NEW(f->v, f->n, err);
  MEM_NEW(f->x, f->n, err);
  integrate(f);
  return OK;
}

int function_is_at2(const char *path) {
  size_t n = strlen(path);
  if (n < 4) return false;
  const char *end = path + n - 4;
  return end[0] == '.' && tolower((unsigned char)end[1]) == 'a' &&
         tolower((unsigned char)end[2]) == 't' && end[3] == '2';
}

Status function_accelerogram(Function *f, const char *path, int column, double scale, Err *err) {
  *f = (Function){.kind = FUNCTION_ACCELEROGRAM};
  Table table;
  Status status = open_table(&table, path, err);
  if (status == OK && function_is_at2(path))
    status = read_at2(f, &table, scale, err);
  else if (status == OK)
    status = read_csv(f, &table, column, scale, err);
  if (status == OK && f->n < 2)
    status = err_set(err, ERR_INPUT, "%s: an accelerogram needs two rows or more", path);
  if (status == OK) status = integrals(f, err);
  text_file_free(&table.file);
  return status;
}

// Solves m x = b of n <= 3 unknowns by elimination with pivots; 0 where it is singular.
static bool solve_small(int n, double m[3][4]) {
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(m[i][k]) > fabs(m[pivot][k])) pivot = i;
    if (!(fabs(m[pivot][k]) > 0)) return false;
    for (int j = 0; j < 4; j++) {
      double swap = m[k][j];
      m[k][j] = m[pivot][j];
      m[pivot][j] = swap;
    }
    for (int i = 0; i < n; i++) {
      if (i == k) continue;
      double factor = m[i][k] / m[k][k];
      for (int j = k; j < 4; j++) m[i][j] -= factor * m[k][j];
    }
  }
  return true;
}

// Integral over a piece of s^power times what goes linearly from a0 to a1, s from s0 to s1:
// Simpson's rule is exact up to cubics.
static double moment(double s0, double s1, double a0, double a1, int power) {
  double middle = 0.5 * (s0 + s1);
  return (s1 - s0) / 6 *
         (pow(s0, power) * a0 + 4 * pow(middle, power) * 0.5 * (a0 + a1) + pow(s1, power) * a1);
}

Status function_baseline(Function *f, int degree, Err *err) {
  int n = degree + 1, last = f->n - 1;
  assert(f->kind == FUNCTION_ACCELEROGRAM && degree >= 1 && degree <= 2);
  if (f->n < n)
    return err_set(err, ERR_INPUT, "a baseline of degree %d needs %d rows or more, there are %d",
                   degree, n, f->n);
  // moments of s^j, linear between the rows, and of the acceleration with s^i; s from 0 to 1
  double m[3][4] = {{0}}, t0 = f->t[0], span = f->t[last] - t0;
  for (int k = 0; k < last; k++) {
    double s0 = (f->t[k] - t0) / span, s1 = (f->t[k + 1] - t0) / span;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) m[i][j] += moment(s0, s1, pow(s0, j), pow(s1, j), i);
      m[i][3] += moment(s0, s1, f->a[k], f->a[k + 1], i);
    }
  }
  if (!solve_small(n, m)) return err_set(err, ERR_INPUT, "the baseline cannot be fitted");
  for (int k = 0; k <= last; k++)
    for (int j = 0; j < n; j++) f->a[k] -= m[j][3] / m[j][j] * pow((f->t[k] - t0) / span, j);
  integrate(f);
  return OK;
}

RecordPeaks function_peaks(const Function *f) {
  RecordPeaks peaks = {0};
  for (int k = 0; f->v && k < f->n; k++) {
    peaks.a = fmax(peaks.a, fabs(f->a[k]));
    peaks.v = fmax(peaks.v, fabs(f->v[k]));
    peaks.x = fmax(peaks.x, fabs(f->x[k]));
    peaks.v_end = f->v[k];
    peaks.x_end = f->x[k];
  }
  return peaks;
}

int function_drifts(const RecordPeaks *peaks) {
  return fabs(peaks->v_end) > DRIFT * peaks->v;
}

void function_free(Function *f) {
  expr_free(f->expr);
  mem_free(f->t);
  mem_free(f->a);
  mem_free(f->v);
  mem_free(f->x);
  *f = (Function){0};
}

// The piece [t_i, t_(i+1)[ that holds t; -1 before the first row, n - 1 from the last row on.
static int find_piece(const Function *f, double t) {
  int low = -1, high = f->n;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (f->t[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static double table_value(const Function *f, double t) {
  int i = find_piece(f, t);
  assert(f->n > 0 && i < f->n);
  if (i < 0) return f->a[0];
  if (i == f->n - 1) return f->a[i];
  double s = (t - f->t[i]) / (f->t[i + 1] - f->t[i]);
  return (1 - s) * f->a[i] + s * f->a[i + 1];
}

static double table_slope(const Function *f, double t) {
  int i = find_piece(f, t);
  if (i < 0 || i == f->n - 1) return 0;
  return (f->a[i + 1] - f->a[i]) / (f->t[i + 1] - f->t[i]);
}

typedef struct {
  double x, v, a;
} Motion;

static Motion ground_motion(const Function *f, double t) {
  int i = find_piece(f, t);
  if (i < 0) return (Motion){0};
  double s = t - f->t[i];
  if (i == f->n - 1) return (Motion){f->x[i] + f->v[i] * s, f->v[i], s > 0 ? 0 : f->a[i]};
  double a = f->a[i], jerk = table_slope(f, t);
  return (Motion){.x = f->x[i] + s * (f->v[i] + s * (a / 2 + s * jerk / 6)),
                  .v = f->v[i] + s * (a + s * jerk / 2),
                  .a = a + s * jerk};
}

void function_shift(Function *f, double start) {
  for (int k = 0; k < f->n; k++) f->t[k] += start;
}

Status function_value(const Function *f, double t, double *value, Err *err) {
  switch (f->kind) {
  case FUNCTION_CONSTANT:
    *value = f->constant;
    return OK;
  case FUNCTION_EXPRESSION:
    return expr_value(f->expr, t, value, err);
  case FUNCTION_TABLE:
    *value = table_value(f, t);
    return OK;
  case FUNCTION_ACCELEROGRAM:
    *value = ground_motion(f, t).x;
    return OK;
  }
  return err_set(err, ERR_BUG, "function kind %d", (int)f->kind);
}

// Steps of central differences that balance truncation against round-off: eps^(1/3) and eps^(1/4)
// of the scale of t.
static double difference_step(double t, double relative) {
  return relative * fmax(1, fabs(t));
}

Status function_rate(const Function *f, double t, double *value, Err *err) {
  *value = 0;
  if (f->kind == FUNCTION_TABLE) *value = table_slope(f, t);
  if (f->kind == FUNCTION_ACCELEROGRAM) *value = ground_motion(f, t).v;
  if (f->kind != FUNCTION_EXPRESSION) return OK;
  double d = difference_step(t, 6e-6), before, after;
  TRY(expr_value(f->expr, t - d, &before, err));
  TRY(expr_value(f->expr, t + d, &after, err));
  *value = (after - before) / (2 * d);
  return OK;
}

Status function_second_rate(const Function *f, double t, double *value, Err *err) {
  *value = 0;
  if (f->kind == FUNCTION_ACCELEROGRAM) *value = ground_motion(f, t).a;
  if (f->kind != FUNCTION_EXPRESSION) return OK;
  double d = difference_step(t, 1.2e-4), before, here, after;
  TRY(expr_value(f->expr, t - d, &before, err));
  TRY(expr_value(f->expr, t, &here, err));
  TRY(expr_value(f->expr, t + d, &after, err));
  *value = (after - 2 * here + before) / (d * d);
  return OK;
}

int function_span(const Function *f, double *first, double *last) {
  if (f->n == 0) return 0;
  *first = f->t[0];
  *last = f->t[f->n - 1];
  return 1;
}

int function_is_constant(const Function *f) {
  return f->kind == FUNCTION_CONSTANT;
}
