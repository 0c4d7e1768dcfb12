#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "file/atomic.h"
#include "file/json.h"
#include "file/number.h"
#include "file/vtk.h"

enum { LINE_SIZE = 512, MAX_COMPONENTS = 1000 };

typedef enum { UNSIGNED, SIGNED, FLOATING } NumberKind;

static const struct NumberType {
  const char *name;
  int size; // [byte] in binary files
  NumberKind kind;
} number_types[] = {
    {"double", 8, FLOATING},
    {"float", 4, FLOATING},
    {"int", 4, SIGNED},
    {"unsigned_int", 4, UNSIGNED},
    {"long", 8, SIGNED},
    {"unsigned_long", 8, UNSIGNED},
    {"vtktypeint64", 8, SIGNED},
    {"vtktypeuint64", 8, UNSIGNED},
    {"vtkidtype", 4, SIGNED},
    {"short", 2, SIGNED},
    {"unsigned_short", 2, UNSIGNED},
    {"char", 1, SIGNED},
    {"signed_char", 1, SIGNED},
    {"unsigned_char", 1, UNSIGNED},
};

typedef struct NumberType NumberType;

typedef struct {
  const char *path;
  char *text; // owned, with a zero behind the last byte
  size_t size, at;
  int binary;
  int polydata;         // 1: cells are LINES, their types follow
  int on_cells;         // of the arrays that follow; -1: none announced yet
  int64_t n;            // their length
  char line[LINE_SIZE]; // the last header line
  VtkData *data;
  int moved;       // 1: points are where `displacement` has brought them
  size_t capacity; // of data->arrays
  Err *err;
} Reader;

static Status bad(Reader *r, const char *what) {
  return err_set(r->err, ERR_INPUT, "%s: not valid legacy VTK near byte %zu: %s", r->path, r->at,
                 what);
}

static void skip_blanks(Reader *r) {
  while (r->at < r->size && isspace((unsigned char)r->text[r->at])) r->at++;
}

// Reads one line, without its end, into r->line; what is longer is cut. 0 at the end of the file.
static int next_line(Reader *r) {
  if (r->at >= r->size) return 0;
  size_t n = 0;
  while (r->at < r->size && r->text[r->at] != '\n') {
    if (n + 1 < sizeof r->line) r->line[n++] = r->text[r->at];
    r->at++;
  }
  if (r->at < r->size) r->at++;
  while (n > 0 && isspace((unsigned char)r->line[n - 1])) n--;
  r->line[n] = 0;
  return 1;
}

static const NumberType *find_type(const char *name) {
  char lower[32];
  size_t n = 0;
  for (; name[n] && n + 1 < sizeof lower; n++) lower[n] = (char)tolower((unsigned char)name[n]);
  lower[n] = 0;
  for (size_t k = 0; k < sizeof number_types / sizeof number_types[0]; k++)
    if (strcmp(lower, number_types[k].name) == 0) return &number_types[k];
  return NULL;
}

static double big_endian(const unsigned char *byte, const NumberType *type) {
  uint64_t bits = 0;
  for (int k = 0; k < type->size; k++) bits = bits << 8 | byte[k];
  if (type->kind == UNSIGNED) return (double)bits;
  if (type->kind == SIGNED) {
    int unused = 64 - 8 * type->size; // moves the sign bit to the top and back
    return (double)((int64_t)(bits << unused) >> unused);
  }
  if (type->size == 4) {
    uint32_t half = (uint32_t)bits;
    float single;
    memcpy(&single, &half, sizeof single);
    return (double)single;
  }
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// n numbers into *value, allocated here. The count is checked against what is left of the file
// before anything is allocated.
static Status read_numbers(Reader *r, const char *type_name, int64_t n, double **value) {
  const NumberType *type = find_type(type_name);
  if (!type) return bad(r, "unknown number type");
  size_t left = r->size - r->at;
  size_t most = r->binary ? left / (size_t)type->size : left / 2 + 1;
  if (n < 0 || (uint64_t)n > most) return bad(r, "the file is shorter than its header says");
  MEM_NEW(*value, n, r->err);
  if (r->binary) {
    const unsigned char *byte = (const unsigned char *)r->text + r->at;
    for (int64_t k = 0; k < n; k++) (*value)[k] = big_endian(byte + k * type->size, type);
    r->at += (size_t)n * (size_t)type->size;
    return OK;
  }
  for (int64_t k = 0; k < n; k++) {
    char *end;
    (*value)[k] = strtod(r->text + r->at, &end);
    if (end == r->text + r->at) return bad(r, "a number was expected");
    r->at = (size_t)(end - r->text);
  }
  return OK;
}

// Names in files have white space and quotes as %XX.
static void decode_name(char out[VTK_NAME_SIZE], const char *name) {
  size_t n = 0;
  for (; *name && n + 1 < VTK_NAME_SIZE; name++) {
    unsigned code;
    if (*name == '%' && isxdigit((unsigned char)name[1]) && isxdigit((unsigned char)name[2]) &&
        sscanf(name + 1, "%2x", &code) == 1 && code > 0) {
      out[n++] = (char)code;
      name += 2;
    } else {
      out[n++] = *name;
    }
  }
  out[n] = 0;
}

static Status read_array(Reader *r, const char *name, const char *type, int n_components,
                         int64_t n) {
  VtkData *data = r->data;
  if (r->on_cells < 0) return bad(r, "an array before POINT_DATA or CELL_DATA");
  if (n_components < 1 || n_components > MAX_COMPONENTS) return bad(r, "bad number of components");
  if (n != r->n) return bad(r, "an array with a wrong number of entries");
  void *block = data->arrays;
  Status status =
      mem_grow(&block, &r->capacity, (size_t)data->n_arrays + 1, sizeof *data->arrays, r->err);
  data->arrays = block;
  if (status != OK) return status;
  VtkReadArray *array = &data->arrays[data->n_arrays++];
  *array = (VtkReadArray){.n_components = n_components, .on_cells = r->on_cells, .n = n};
  decode_name(array->name, name);
  return read_numbers(r, type, n * n_components, &array->value);
}

// Field data of the file: only TIME, CYCLE and MOVED mean something to us.
static Status read_file_field(Reader *r, const char *name, const char *type, int64_t count) {
  double *value = NULL;
  Status status = read_numbers(r, type, count, &value);
  if (status == OK && count == 1 && (strcmp(name, "TIME") == 0 || strcmp(name, "TimeValue") == 0))
    r->data->time = value[0];
  if (status == OK && count == 1 && strcmp(name, "CYCLE") == 0) r->data->step = (int64_t)value[0];
  if (status == OK && count == 1 && strcmp(name, "MOVED") == 0) r->moved = value[0] != 0;
  mem_free(value);
  return status;
}

static Status read_field(Reader *r) {
  int n_arrays;
  if (sscanf(r->line, "%*s %*s %d", &n_arrays) != 1) return bad(r, "FIELD without a count");
  for (int k = 0; k < n_arrays; k++) {
    char name[128], type[32];
    int n_components;
    long long n;
    skip_blanks(r);
    if (!next_line(r)) return bad(r, "a FIELD ends too early");
    if (strncmp(r->line, "METADATA", 8) == 0) { // of the array before: up to an empty line
      while (next_line(r) && r->line[0]) continue;
      k--;
      continue;
    }
    if (sscanf(r->line, "%127s %d %lld %31s", name, &n_components, &n, type) != 4)
      return bad(r, "an array of a FIELD without name, size and type");
    if (n_components < 0 || n_components > MAX_COMPONENTS || n < 0 || n > INT32_MAX)
      return bad(r, "bad size of an array");
    if (r->on_cells < 0)
      TRY(read_file_field(r, name, type, n * n_components));
    else
      TRY(read_array(r, name, type, n_components, n));
  }
  return OK;
}

static Status read_points(Reader *r) {
  long long n;
  char type[32];
  if (r->data->points) return bad(r, "POINTS twice");
  if (sscanf(r->line, "%*s %lld %31s", &n, type) != 2 || n < 0 || n > INT32_MAX)
    return bad(r, "POINTS without count and type");
  r->data->n_points = n;
  return read_numbers(r, type, 3 * n, &r->data->points);
}

// Version 5.1: OFFSETS and CONNECTIVITY, each with a type.
static Status read_cells_51(Reader *r, int64_t n_offsets, int64_t n_entries) {
  VtkData *data = r->data;
  double *part[2] = {NULL, NULL};
  const char *keyword[2] = {"OFFSETS", "CONNECTIVITY"};
  int64_t n[2] = {n_offsets, n_entries};
  Status status = OK;
  for (int k = 0; k < 2 && status == OK; k++) {
    char word[32], type[32];
    skip_blanks(r);
    if (!next_line(r) || sscanf(r->line, "%31s %31s", word, type) != 2 ||
        strcmp(word, keyword[k]) != 0)
      status = bad(r, "OFFSETS and CONNECTIVITY expected");
    else
      status = read_numbers(r, type, n[k], &part[k]);
  }
  if (status == OK) {
    data->n_cells = n_offsets > 0 ? n_offsets - 1 : 0;
    data->cell_ptr = mem_new((size_t)data->n_cells + 1, sizeof *data->cell_ptr);
    data->cell_point = mem_new((size_t)n_entries, sizeof *data->cell_point);
    if (!data->cell_ptr || !data->cell_point)
      status = err_set(r->err, ERR_SYSTEM, "out of memory while reading %s", r->path);
  }
  for (int64_t k = 0; status == OK && k < n_offsets; k++) {
    double low = k > 0 ? data->cell_ptr[k - 1] : 0;
    // written so that NaN fails too
    if (!(part[0][k] >= low && part[0][k] <= (double)n_entries) || (k == 0 && part[0][k] != 0))
      status = bad(r, "OFFSETS do not rise within CONNECTIVITY");
    else
      data->cell_ptr[k] = (int32_t)part[0][k];
  }
  for (int64_t k = 0; status == OK && k < n_entries; k++) {
    if (!(part[1][k] >= 0 && part[1][k] < (double)data->n_points))
      status = bad(r, "a cell refers to a point that does not exist");
    else
      data->cell_point[k] = (int32_t)part[1][k];
  }
  mem_free(part[0]);
  mem_free(part[1]);
  return status;
}

// Up to version 4.2: for each cell its number of points, then the points.
static Status unpack_cells(Reader *r, const double *packed, int64_t n_cells, int64_t size) {
  VtkData *data = r->data;
  MEM_NEW(data->cell_ptr, n_cells + 1, r->err);
  MEM_NEW(data->cell_point, size - n_cells, r->err);
  data->n_cells = n_cells;
  int32_t filled = 0;
  int64_t at = 0;
  for (int64_t c = 0; c < n_cells; c++) {
    if (at >= size || !(packed[at] >= 0 && packed[at] < (double)(size - at)))
      return bad(r, "CELLS do not add up");
    int n = (int)packed[at++];
    if (filled + n > size - n_cells) return bad(r, "CELLS do not add up");
    for (int k = 0; k < n; k++, at++) {
      if (!(packed[at] >= 0 && packed[at] < (double)data->n_points))
        return bad(r, "a cell refers to a point that does not exist");
      data->cell_point[filled++] = (int32_t)packed[at];
    }
    data->cell_ptr[c + 1] = filled;
  }
  return at == size ? OK : bad(r, "CELLS do not add up");
}

static Status read_cells(Reader *r) {
  long long n, size;
  if (r->data->cell_ptr) return bad(r, "CELLS twice");
  if (!r->data->points) return bad(r, "CELLS before POINTS");
  if (sscanf(r->line, "%*s %lld %lld", &n, &size) != 2 || n < 0 || size < 0 || n > INT32_MAX ||
      size > INT32_MAX)
    return bad(r, "CELLS without its sizes");
  size_t start = r->at;
  skip_blanks(r);
  if (r->size - r->at > 7 && strncmp(r->text + r->at, "OFFSETS", 7) == 0)
    return read_cells_51(r, n, size);
  if (r->binary) r->at = start; // a byte of the data may look like a blank
  if (size < n) return bad(r, "CELLS do not add up");
  double *packed = NULL;
  Status status = read_numbers(r, "int", size, &packed);
  if (status == OK) status = unpack_cells(r, packed, n, size);
  mem_free(packed);
  return status;
}

static Status read_cell_types(Reader *r) {
  long long n;
  if (r->data->cell_type) return bad(r, "CELL_TYPES twice");
  if (sscanf(r->line, "%*s %lld", &n) != 1 || n != r->data->n_cells)
    return bad(r, "CELL_TYPES and CELLS have different counts");
  double *type = NULL;
  Status status = read_numbers(r, "int", n, &type);
  if (status == OK) {
    r->data->cell_type = mem_new((size_t)n, 1);
    if (!r->data->cell_type)
      status = err_set(r->err, ERR_SYSTEM, "out of memory while reading %s", r->path);
  }
  for (int64_t c = 0; status == OK && c < n; c++) {
    if (!(type[c] >= 0 && type[c] <= 255))
      status = bad(r, "unknown type of cell");
    else
      r->data->cell_type[c] = (uint8_t)type[c];
  }
  mem_free(type);
  return status;
}

static Status read_dataset(Reader *r) {
  r->polydata = strstr(r->line, "POLYDATA") != NULL;
  return r->polydata || strstr(r->line, "UNSTRUCTURED_GRID")
             ? OK
             : bad(r, "neither an unstructured grid nor polydata");
}

// Of polydata: cells that are lines.
static Status read_lines(Reader *r) {
  enum { VTK_LINE = 3, VTK_POLY_LINE };
  VtkData *data = r->data;
  TRY(read_cells(r));
  MEM_NEW(data->cell_type, data->n_cells, r->err);
  for (int64_t c = 0; c < data->n_cells; c++)
    data->cell_type[c] = data->cell_ptr[c + 1] - data->cell_ptr[c] == 2 ? VTK_LINE : VTK_POLY_LINE;
  return OK;
}

// A colour table carries nothing we compare: four bytes (binary) or numbers (ASCII) an entry.
static Status skip_table(Reader *r) {
  long long n;
  if (sscanf(r->line, "%*s %*s %lld", &n) != 1 || n < 0 || n > INT32_MAX)
    return bad(r, "LOOKUP_TABLE without its size");
  double *value = NULL;
  Status status = read_numbers(r, r->binary ? "unsigned_char" : "float", 4 * n, &value);
  mem_free(value);
  return status;
}

// SCALARS name type [components], then "LOOKUP_TABLE name" before the numbers.
static Status read_scalars(Reader *r) {
  char name[128], type[32], word[32];
  int n_components = 1;
  if (sscanf(r->line, "%*s %127s %31s %d", name, type, &n_components) < 2)
    return bad(r, "SCALARS without name and type");
  size_t start = r->at;
  if (!r->binary) skip_blanks(r);
  if (!next_line(r) || sscanf(r->line, "%31s", word) != 1 || strcmp(word, "LOOKUP_TABLE") != 0)
    r->at = start; // the line is optional
  return read_array(r, name, type, n_components, r->n);
}

static Status read_attribute(Reader *r, int n_components) {
  char name[128], type[32];
  if (sscanf(r->line, "%*s %127s %31s", name, type) != 2)
    return bad(r, "an array without name and type");
  return read_array(r, name, type, n_components, r->n);
}

static Status begin_arrays(Reader *r, int on_cells) {
  long long n;
  if (sscanf(r->line, "%*s %lld", &n) != 1 ||
      n != (on_cells ? r->data->n_cells : r->data->n_points))
    return bad(r, "POINT_DATA or CELL_DATA does not fit the grid");
  r->on_cells = on_cells;
  r->n = n;
  return OK;
}

static Status read_section(Reader *r, const char *keyword) {
  static const struct {
    const char *keyword;
    int n_components;
  } attributes[] = {{"VECTORS", 3},  {"NORMALS", 3},    {"TENSORS", 9},
                    {"TENSORS6", 6}, {"GLOBAL_IDS", 1}, {"PEDIGREE_IDS", 1}};
  if (strcmp(keyword, "DATASET") == 0) return read_dataset(r);
  if (strcmp(keyword, "FIELD") == 0) return read_field(r);
  if (strcmp(keyword, "POINTS") == 0) return read_points(r);
  if (strcmp(keyword, "CELLS") == 0) return read_cells(r);
  if (strcmp(keyword, "LINES") == 0 && r->polydata) return read_lines(r);
  if (strcmp(keyword, "CELL_TYPES") == 0) return read_cell_types(r);
  if (strcmp(keyword, "POINT_DATA") == 0) return begin_arrays(r, 0);
  if (strcmp(keyword, "CELL_DATA") == 0) return begin_arrays(r, 1);
  if (strcmp(keyword, "SCALARS") == 0) return read_scalars(r);
  if (strcmp(keyword, "LOOKUP_TABLE") == 0) return skip_table(r);
  if (strcmp(keyword, "METADATA") == 0) {
    while (next_line(r) && r->line[0]) continue;
    return OK;
  }
  for (size_t k = 0; k < sizeof attributes / sizeof attributes[0]; k++)
    if (strcmp(keyword, attributes[k].keyword) == 0)
      return read_attribute(r, attributes[k].n_components);
  return bad(r, "unknown keyword");
}

static Status read_all(Reader *r) {
  if (!next_line(r) || strncmp(r->line, "# vtk DataFile Version", 22) != 0)
    return bad(r, "the first line is not '# vtk DataFile Version ...'");
  if (!next_line(r) || !next_line(r)) return bad(r, "the header ends too early");
  r->binary = strcmp(r->line, "BINARY") == 0;
  if (!r->binary && strcmp(r->line, "ASCII") != 0) return bad(r, "neither BINARY nor ASCII");
  for (;;) {
    char keyword[32];
    skip_blanks(r);
    if (!next_line(r)) break;
    if (sscanf(r->line, "%31s", keyword) != 1) return bad(r, "keyword expected");
    TRY(read_section(r, keyword));
  }
  if (!r->data->points) return bad(r, "no POINTS");
  const VtkReadArray *moves = r->moved ? vtk_array(r->data, "displacement", 0) : NULL;
  if (moves && moves->n_components == 3)
    for (int64_t k = 0; k < 3 * r->data->n_points; k++) r->data->points[k] -= moves->value[k];
  if (r->data->n_cells > 0 && !r->data->cell_type) return bad(r, "no CELL_TYPES");
  return OK;
}

Status vtk_read(VtkData *data, const char *path, Err *err) {
  memset(data, 0, sizeof *data);
  data->time = NUMBER_NAN;
  data->step = -1;
  Reader r = {.path = path, .on_cells = -1, .data = data, .err = err};
  TRY(file_read(&r.text, &r.size, path, err));
  Status status = read_all(&r);
  mem_free(r.text);
  if (status != OK) vtk_free(data);
  return status;
}

const VtkReadArray *vtk_array(const VtkData *data, const char *name, int on_cells) {
  for (int a = 0; a < data->n_arrays; a++)
    if (data->arrays[a].on_cells == on_cells && strcmp(data->arrays[a].name, name) == 0)
      return &data->arrays[a];
  return NULL;
}

void vtk_place(const VtkData *data, int on_cells, int64_t index, double x[3]) {
  if (!on_cells) {
    memcpy(x, data->points + 3 * index, 3 * sizeof *x);
    return;
  }
  memset(x, 0, 3 * sizeof *x);
  int32_t begin = data->cell_ptr[index], end = data->cell_ptr[index + 1];
  for (int32_t k = begin; k < end; k++)
    for (int d = 0; d < 3; d++)
      x[d] += data->points[3 * (int64_t)data->cell_point[k] + d] / (end - begin);
}

void vtk_free(VtkData *data) {
  mem_free(data->points);
  mem_free(data->cell_ptr);
  mem_free(data->cell_point);
  mem_free(data->cell_type);
  for (int a = 0; a < data->n_arrays; a++) mem_free(data->arrays[a].value);
  mem_free(data->arrays);
  memset(data, 0, sizeof *data);
}

static Status fill_series(VtkSeries *series, const JsonTree *tree, const char *path, Err *err) {
  int n = 0;
  for (int k = 0; k < tree->n_leaves; k++) {
    const char *leaf = tree->leaf[k].path;
    size_t length = strlen(leaf);
    n += strncmp(leaf, "files.", 6) == 0 && length > 5 && strcmp(leaf + length - 5, ".name") == 0;
  }
  MEM_NEW(series->file, n, err);
  MEM_NEW(series->time, n, err);
  for (int k = 0; k < n; k++) {
    char name[48], time[48];
    snprintf(name, sizeof name, "files.%d.name", k);
    snprintf(time, sizeof time, "files.%d.time", k);
    const char *file = json_text(tree, name);
    if (!file) return err_set(err, ERR_INPUT, "%s: entry %d names no file", path, k);
    series->time[k] = json_number(tree, time, NUMBER_NAN);
    series->file[k] = mem_copy_text(file);
    if (!series->file[k]) return err_set(err, ERR_SYSTEM, "out of memory: files of %s", path);
    series->n = k + 1;
  }
  return OK;
}

Status vtk_read_series(VtkSeries *series, const char *path, Err *err) {
  memset(series, 0, sizeof *series);
  JsonTree tree;
  TRY(json_read(&tree, path, err));
  Status status = fill_series(series, &tree, path, err);
  json_free(&tree);
  if (status != OK) vtk_free_series(series);
  return status;
}

void vtk_free_series(VtkSeries *series) {
  for (int k = 0; k < series->n; k++) mem_free(series->file[k]);
  mem_free(series->file);
  mem_free(series->time);
  memset(series, 0, sizeof *series);
}

Status vtk_read_last(VtkData *data, const char *folder, const char *series_name, Err *err) {
  char path[FILE_PATH_SIZE];
  VtkSeries series;
  memset(data, 0, sizeof *data);
  TRY(file_join(path, folder, series_name, err));
  TRY(vtk_read_series(&series, path, err));
  Status status = series.n > 0 ? file_join(path, folder, series.file[series.n - 1], err)
                               : err_set(err, ERR_INPUT, "%s: lists no file", path);
  vtk_free_series(&series);
  return status == OK ? vtk_read(data, path, err) : status;
}
