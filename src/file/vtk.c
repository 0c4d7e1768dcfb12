#include "file/vtk.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "file/atomic.h"
#include "file/json.h"
#include "file/number.h"

enum {
  BLOCK = 4096,    // items swapped at a time: fits the first-level cache, one system call a block
  MAX_TITLE = 255, // of the format
  PER_LINE = 9     // numbers on one line of ASCII where the array does not say
};

typedef struct {
  FILE *stream;
  int ascii;
} Sink;

static int host_is_little(void) {
  const uint16_t probe = 1;
  uint8_t first;
  memcpy(&first, &probe, 1);
  return first == 1;
}

static void put_real(const Sink *sink, const double *value, int64_t n, int per_line) {
  if (sink->ascii) {
    char text[NUMBER_TEXT_SIZE];
    for (int64_t k = 0; k < n; k++) {
      number_format(text, value[k]);
      fputs(text, sink->stream);
      putc((k + 1) % per_line == 0 || k + 1 == n ? '\n' : ' ', sink->stream);
    }
    return;
  }
  uint64_t block[BLOCK];
  for (int64_t start = 0; start < n; start += BLOCK) {
    size_t count = (size_t)(n - start < BLOCK ? n - start : BLOCK);
    memcpy(block, value + start, count * sizeof *block);
    if (host_is_little())
      for (size_t k = 0; k < count; k++) block[k] = __builtin_bswap64(block[k]);
    fwrite(block, sizeof *block, count, sink->stream);
  }
  putc('\n', sink->stream);
}

static void put_integer(const Sink *sink, const int32_t *value, int64_t n, int per_line) {
  if (sink->ascii) {
    for (int64_t k = 0; k < n; k++)
      fprintf(sink->stream, "%d%c", value[k], (k + 1) % per_line == 0 || k + 1 == n ? '\n' : ' ');
    return;
  }
  uint32_t block[BLOCK];
  for (int64_t start = 0; start < n; start += BLOCK) {
    size_t count = (size_t)(n - start < BLOCK ? n - start : BLOCK);
    memcpy(block, value + start, count * sizeof *block);
    if (host_is_little())
      for (size_t k = 0; k < count; k++) block[k] = __builtin_bswap32(block[k]);
    fwrite(block, sizeof *block, count, sink->stream);
  }
  putc('\n', sink->stream);
}

// Integers that come one by one, gathered so that they are swapped and written in blocks.
typedef struct {
  const Sink *sink;
  int n;
  int32_t value[BLOCK];
} Gather;

static void gather_flush(Gather *gather) {
  if (gather->sink->ascii) {
    for (int k = 0; k < gather->n; k++) fprintf(gather->sink->stream, "%d ", gather->value[k]);
  } else {
    if (host_is_little())
      for (int k = 0; k < gather->n; k++)
        gather->value[k] = (int32_t)__builtin_bswap32((uint32_t)gather->value[k]);
    fwrite(gather->value, sizeof gather->value[0], (size_t)gather->n, gather->sink->stream);
  }
  gather->n = 0;
}

static void gather_add(Gather *gather, int32_t value) {
  if (gather->n == BLOCK) gather_flush(gather);
  gather->value[gather->n++] = value;
}

static void put_cells(const Sink *sink, const VtkGrid *grid) {
  Gather gather = {.sink = sink};
  int64_t n_entries = grid->n_cells > 0 ? grid->cell_ptr[grid->n_cells] : 0;
  fprintf(sink->stream, "%s %lld %lld\n", grid->polydata ? "LINES" : "CELLS",
          (long long)grid->n_cells, (long long)(grid->n_cells + n_entries));
  for (int64_t c = 0; c < grid->n_cells; c++) {
    gather_add(&gather, grid->cell_ptr[c + 1] - grid->cell_ptr[c]);
    for (int32_t k = grid->cell_ptr[c]; k < grid->cell_ptr[c + 1]; k++)
      gather_add(&gather, grid->cell_point[k]);
    // one cell a line, for people who read ASCII files
    if (sink->ascii) {
      gather_flush(&gather);
      putc('\n', sink->stream);
    }
  }
  gather_flush(&gather);
  if (grid->polydata) {
    putc('\n', sink->stream);
    return;
  }
  fprintf(sink->stream, "\nCELL_TYPES %lld\n", (long long)grid->n_cells);
  for (int64_t c = 0; c < grid->n_cells; c++) gather_add(&gather, grid->cell_type[c]);
  gather_flush(&gather);
  putc('\n', sink->stream);
}

static void put_array(const Sink *sink, const VtkArray *array, int64_t n) {
  int64_t count = n * array->n_components;
  int per_line = array->n_components > 1 ? array->n_components : PER_LINE;
  if (array->real)
    put_real(sink, array->real, count, per_line);
  else
    put_integer(sink, array->integer, count, per_line);
}

static void put_arrays(const Sink *sink, const char *kind, const VtkArray *arrays, int n_arrays,
                       int64_t n) {
  if (n_arrays == 0) return;
  fprintf(sink->stream, "%s %lld\n", kind, (long long)n);
  int first_vector = 0;
  while (first_vector < n_arrays && arrays[first_vector].n_components != 3) first_vector++;
  if (first_vector < n_arrays) {
    const VtkArray *array = &arrays[first_vector];
    fprintf(sink->stream, "VECTORS %s %s\n", array->name, array->real ? "double" : "int");
    put_array(sink, array, n);
  }
  int n_others = n_arrays - (first_vector < n_arrays);
  if (n_others == 0) return;
  fprintf(sink->stream, "FIELD FieldData %d\n", n_others);
  for (int a = 0; a < n_arrays; a++) {
    if (a == first_vector) continue;
    fprintf(sink->stream, "%s %d %lld %s\n", arrays[a].name, arrays[a].n_components, (long long)n,
            arrays[a].real ? "double" : "int");
    put_array(sink, &arrays[a], n);
  }
}

static void put_header(const Sink *sink, const VtkGrid *grid) {
  char title[MAX_TITLE + 1];
  snprintf(title, sizeof title, "%s", grid->title ? grid->title : "voussoir");
  for (char *c = title; *c; c++)
    if (iscntrl((unsigned char)*c)) *c = ' ';
  fprintf(sink->stream, "# vtk DataFile Version 3.0\n%s\n%s\nDATASET %s\n", title,
          sink->ascii ? "ASCII" : "BINARY", grid->polydata ? "POLYDATA" : "UNSTRUCTURED_GRID");
  // int is what VisIt and old readers expect of CYCLE; past 2^31 steps it stays at the end
  int32_t cycle = (int32_t)(grid->step > INT32_MAX ? INT32_MAX : grid->step);
  fprintf(sink->stream, "FIELD FieldData %d\nTIME 1 1 double\n", 2 + (grid->moved != 0));
  put_real(sink, &grid->time, 1, 1);
  fputs("CYCLE 1 1 int\n", sink->stream);
  put_integer(sink, &cycle, 1, 1);
  const int32_t one = 1;
  if (!grid->moved) return;
  fputs("MOVED 1 1 int\n", sink->stream);
  put_integer(sink, &one, 1, 1);
}

static Status check_finite(const char *name, const double *value, int64_t n, Err *err) {
  for (int64_t k = 0; k < n; k++)
    if (!isfinite(value[k]))
      return err_set(err, ERR_NUMERIC, "'%s' is not finite at entry %lld: ASCII VTK cannot hold it",
                     name, (long long)k);
  return OK;
}

static Status check_arrays(const VtkArray *arrays, int n_arrays, int64_t n, int ascii, Err *err) {
  for (int a = 0; a < n_arrays; a++) {
    const VtkArray *array = &arrays[a];
    assert(array->n_components > 0 && (n == 0 || array->real || array->integer));
    if (!array->name[0] || strlen(array->name) >= VTK_NAME_SIZE || strpbrk(array->name, " \t\n%\""))
      return err_set(err, ERR_BUG, "'%s' cannot be the name of a VTK array", array->name);
    if (ascii && array->real)
      TRY(check_finite(array->name, array->real, n * array->n_components, err));
  }
  return OK;
}

static Status check_grid(const VtkGrid *grid, int ascii, Err *err) {
  if (grid->n_points > INT32_MAX || grid->n_cells > INT32_MAX)
    return err_set(err, ERR_INPUT, "%lld points, %lld cells are too many for legacy VTK",
                   (long long)grid->n_points, (long long)grid->n_cells);
  TRY(check_arrays(grid->point_arrays, grid->n_point_arrays, grid->n_points, ascii, err));
  TRY(check_arrays(grid->cell_arrays, grid->n_cell_arrays, grid->n_cells, ascii, err));
  if (!ascii) return OK;
  TRY(check_finite("TIME", &grid->time, 1, err));
  return check_finite("points", grid->points, 3 * grid->n_points, err);
}

// Points and their displacement; *sum is for the caller to free.
static Status move_points(const VtkGrid *grid, double **sum, Err *err) {
  const double *moves = NULL;
  for (int a = 0; a < grid->n_point_arrays; a++)
    if (strcmp(grid->point_arrays[a].name, "displacement") == 0) moves = grid->point_arrays[a].real;
  assert(moves || grid->n_points == 0);
  MEM_NEW(*sum, 3 * grid->n_points, err);
  for (int64_t k = 0; k < 3 * grid->n_points; k++) (*sum)[k] = grid->points[k] + moves[k];
  return OK;
}

static Status write_file(const VtkGrid *grid, const char *path, int ascii, Err *err);

Status vtk_write(const VtkGrid *grid, const char *path, int ascii, Err *err) {
  VtkGrid moved = *grid;
  double *points = NULL;
  if (!grid->moved) return write_file(grid, path, ascii, err);
  Status status = move_points(grid, &points, err);
  moved.points = points;
  if (status == OK) status = write_file(&moved, path, ascii, err);
  mem_free(points);
  return status;
}

static Status write_file(const VtkGrid *grid, const char *path, int ascii, Err *err) {
  Status status = check_grid(grid, ascii, err);
  if (status != OK) return err ? err_note(err, "in %s", path) : status;
  AtomicFile file;
  TRY(atomic_open(&file, path, err));
  Sink sink = {file.stream, ascii};
  put_header(&sink, grid);
  fprintf(sink.stream, "POINTS %lld double\n", (long long)grid->n_points);
  put_real(&sink, grid->points, 3 * grid->n_points, 3);
  put_cells(&sink, grid);
  put_arrays(&sink, "POINT_DATA", grid->point_arrays, grid->n_point_arrays, grid->n_points);
  put_arrays(&sink, "CELL_DATA", grid->cell_arrays, grid->n_cell_arrays, grid->n_cells);
  return atomic_commit(&file, err);
}

Status vtk_write_series(const char *folder, const char *stem, const int64_t *step,
                        const double *time, int n, Err *err) {
  char name[FILE_PATH_SIZE], path[FILE_PATH_SIZE];
  int length = snprintf(name, sizeof name, "%s.vtk.series", stem);
  if (length < 0 || length >= FILE_PATH_SIZE - 32)
    return err_set(err, ERR_SYSTEM, "%s: name of a series is too long", stem);
  TRY(file_join(path, folder, name, err));
  AtomicFile file;
  TRY(atomic_open(&file, path, err));
  JsonWriter json = {.stream = file.stream};
  json_begin(&json, NULL, '{');
  json_put_text(&json, "file-series-version", "1.0");
  json_begin(&json, "files", '[');
  for (int k = 0; k < n; k++) {
    snprintf(name, sizeof name, "%s_%06lld.vtk", stem, (long long)step[k]);
    json_begin(&json, NULL, '{');
    json_put_text(&json, "name", name);
    json_put_number(&json, "time", time[k]);
    json_end(&json, '}');
  }
  json_end(&json, ']');
  json_end(&json, '}');
  return atomic_commit(&file, err);
}
