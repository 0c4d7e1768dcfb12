#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/compare.h"
#include "base/mem.h"
#include "file/atomic.h"
#include "file/csv.h"
#include "file/json.h"
#include "file/number.h"
#include "file/vtk.h"

enum {
  MAX_ROWS = 50,    // of a history: small enough to be reviewed as text
  MAX_PLACES = 25,  // points, and as many cells: they tell where a field has changed
  MAX_REASON = 1000 // [byte]
};

// ---- histories

static Status write_rows(const CsvTable *table, const char *path, Err *err) {
  AtomicFile file;
  char text[NUMBER_TEXT_SIZE];
  TRY(atomic_open(&file, path, err));
  fputs("# units:", file.stream);
  for (int c = 0; c < table->n_columns; c++)
    fprintf(file.stream, "%s%s", c ? "," : " ", table->units ? table->units[c] : "");
  putc('\n', file.stream);
  for (int c = 0; c < table->n_columns; c++)
    fprintf(file.stream, "%s%s", c ? "," : "", table->names[c]);
  putc('\n', file.stream);
  long n_rows = table->n_rows < MAX_ROWS ? table->n_rows : MAX_ROWS;
  for (long k = 0; k < n_rows; k++) {
    // evenly spread, the first and the last row among them
    long row = n_rows > 1 ? (long)((int64_t)k * (table->n_rows - 1) / (n_rows - 1)) : 0;
    for (int c = 0; c < table->n_columns; c++) {
      number_format(text, table->value[row * table->n_columns + c]);
      fprintf(file.stream, "%s%s", c ? "," : "", text);
    }
    putc('\n', file.stream);
  }
  return atomic_commit(&file, err);
}

static Status bless_history(const char *folder, const char *reference, const char *name, Err *err) {
  char from[FILE_PATH_SIZE], to[FILE_PATH_SIZE];
  CsvTable table;
  TRY(file_join(from, folder, name, err));
  TRY(file_join(to, reference, name, err));
  TRY(csv_read(&table, from, err));
  Status status = write_rows(&table, to, err);
  csv_free(&table);
  return status;
}

// Histories of the reference that the run no longer writes would be missing for ever.
static Status drop_old_histories(const char *folder, const char *reference, Err *err) {
  FolderList list;
  TRY(folder_list(&list, reference, "history*.csv", err));
  Status status = OK;
  for (int k = 0; k < list.n && status == OK; k++) {
    char path[FILE_PATH_SIZE];
    status = file_join(path, folder, list.name[k], err);
    if (status != OK || file_exists(path)) continue;
    status = file_join(path, reference, list.name[k], err);
    if (status == OK) remove(path);
  }
  folder_list_free(&list);
  return status;
}

static Status bless_histories(const char *folder, const char *reference, int *n, Err *err) {
  FolderList list;
  TRY(folder_list(&list, folder, "history*.csv", err));
  Status status = OK;
  for (int k = 0; k < list.n && status == OK; k++)
    status = bless_history(folder, reference, list.name[k], err);
  *n += list.n;
  folder_list_free(&list);
  return status == OK ? drop_old_histories(folder, reference, err) : status;
}

// ---- summary.json

static void put_leaf(JsonWriter *json, const char *key, const JsonLeaf *leaf) {
  if (leaf->type == JSON_TEXT)
    json_put_text(json, key, leaf->text);
  else if (leaf->type == JSON_BOOL)
    json_put_bool(json, key, leaf->number != 0);
  else
    json_put_number(json, key, leaf->number);
}

// Leaves "energy.kinetic" go into an object "energy" again. What lies deeper keeps its dotted name,
// which reads back to the same path.
static Status write_summary(const JsonTree *tree, const char *path, Err *err) {
  AtomicFile file;
  TRY(atomic_open(&file, path, err));
  JsonWriter json = {.stream = file.stream};
  char group[COMPARE_NAME] = "";
  json_begin(&json, NULL, '{');
  for (int k = 0; k < tree->n_leaves; k++) {
    const JsonLeaf *leaf = &tree->leaf[k];
    if (compare_ignores(leaf->path)) continue;
    size_t length = strcspn(leaf->path, ".");
    int in_group = leaf->path[length] == '.' && length < sizeof group;
    int same = in_group && strlen(group) == length && strncmp(group, leaf->path, length) == 0;
    if (group[0] && !same) {
      json_end(&json, '}');
      group[0] = 0;
    }
    if (in_group && !same) {
      snprintf(group, sizeof group, "%.*s", (int)length, leaf->path);
      json_begin(&json, group, '{');
    }
    put_leaf(&json, in_group ? leaf->path + length + 1 : leaf->path, leaf);
  }
  if (group[0]) json_end(&json, '}');
  json_end(&json, '}');
  return atomic_commit(&file, err);
}

static Status bless_summary(const char *folder, const char *reference, int *n, Err *err) {
  char from[FILE_PATH_SIZE], to[FILE_PATH_SIZE];
  JsonTree tree;
  TRY(file_join(from, folder, "summary.json", err));
  TRY(file_join(to, reference, "summary.json", err));
  if (!file_exists(from)) return OK;
  TRY(json_read(&tree, from, err));
  Status status = write_summary(&tree, to, err);
  json_free(&tree);
  *n += 1;
  return status;
}

// ---- fields.csv

static double square_distance(const VtkData *data, int on_cells, int64_t a, int64_t b) {
  double x[3], y[3], sum = 0;
  vtk_place(data, on_cells, a, x);
  vtk_place(data, on_cells, b, y);
  for (int d = 0; d < 3; d++) sum += (x[d] - y[d]) * (x[d] - y[d]);
  return sum;
}

// Places that cover the model: each is the farthest from those before, the first of equals. Fills
// `chosen` and returns how many there are.
static int choose_places(const VtkData *data, int on_cells, double *distance,
                         int64_t chosen[MAX_PLACES]) {
  int64_t n = on_cells ? data->n_cells : data->n_points;
  int n_chosen = 0;
  for (int64_t k = 0; k < n; k++) distance[k] = NUMBER_INF;
  while (n_chosen < MAX_PLACES && n_chosen < n) {
    int64_t farthest = 0;
    for (int64_t k = 1; k < n; k++)
      if (distance[k] > distance[farthest]) farthest = k;
    if (n_chosen > 0 && distance[farthest] <= 0) break; // only doubles are left
    chosen[n_chosen++] = farthest;
    for (int64_t k = 0; k < n; k++)
      distance[k] = fmin(distance[k], square_distance(data, on_cells, k, farthest));
  }
  return n_chosen;
}

static void put_component_names(FILE *stream, const VtkReadArray *array) {
  static const char *const vector[] = {"x", "y", "z"};
  static const char *const tensor[] = {"xx", "yy", "zz", "xy", "yz", "xz"};
  int n = array->n_components;
  for (int c = 0; c < n; c++) {
    if (n == 1)
      fprintf(stream, ",%s", array->name);
    else if (n == 3 || n == 6)
      fprintf(stream, ",%s.%s", array->name, n == 3 ? vector[c] : tensor[c]);
    else
      fprintf(stream, ",%s.%d", array->name, c);
  }
}

static void put_place(FILE *stream, const VtkData *data, int on_cells, int64_t index) {
  double x[3];
  char text[NUMBER_TEXT_SIZE];
  vtk_place(data, on_cells, index, x);
  fprintf(stream, "%d,%lld", on_cells, (long long)index);
  for (int d = 0; d < 3; d++) {
    number_format(text, x[d]);
    fprintf(stream, ",%s", text);
  }
  for (int a = 0; a < data->n_arrays; a++) {
    const VtkReadArray *array = &data->arrays[a];
    for (int c = 0; c < array->n_components; c++) {
      int defined = array->on_cells == on_cells;
      number_format(text, defined ? array->value[index * array->n_components + c] : NUMBER_NAN);
      fprintf(stream, ",%s", text);
    }
  }
  putc('\n', stream);
}

static Status write_fields(const VtkData *data, double *distance, const char *path, Err *err) {
  AtomicFile file;
  TRY(atomic_open(&file, path, err));
  fputs("on_cells,index,x,y,z", file.stream);
  for (int a = 0; a < data->n_arrays; a++) put_component_names(file.stream, &data->arrays[a]);
  putc('\n', file.stream);
  for (int on_cells = 0; on_cells < 2; on_cells++) {
    int64_t chosen[MAX_PLACES];
    int n = choose_places(data, on_cells, distance, chosen);
    for (int k = 0; k < n; k++) put_place(file.stream, data, on_cells, chosen[k]);
  }
  return atomic_commit(&file, err);
}

static Status bless_fields(const char *folder, const char *reference, int *n, Err *err) {
  char path[FILE_PATH_SIZE];
  TRY(file_join(path, folder, "bodies.vtk.series", err));
  if (!file_exists(path)) return OK;
  VtkData data;
  TRY(vtk_read_last(&data, folder, "bodies.vtk.series", err));
  int64_t n_places = data.n_points > data.n_cells ? data.n_points : data.n_cells;
  double *distance = mem_new((size_t)n_places, sizeof *distance);
  Status status = distance ? file_join(path, reference, "fields.csv", err)
                           : err_set(err, ERR_SYSTEM, "out of memory: places of %s", path);
  if (status == OK) status = write_fields(&data, distance, path, err);
  mem_free(distance);
  vtk_free(&data);
  *n += 1;
  return status;
}

// ---- reason.txt and the whole

static Status append_reason(const char *reference, const char *reason, Err *err) {
  char path[FILE_PATH_SIZE], *old = NULL;
  size_t size = 0;
  TRY(file_join(path, reference, "reason.txt", err));
  if (file_exists(path)) TRY(file_read(&old, &size, path, err));
  AtomicFile file;
  Status status = atomic_open(&file, path, err);
  if (status == OK) {
    if (size > 0) fwrite(old, 1, size, file.stream);
    if (size > 0 && old[size - 1] != '\n') putc('\n', file.stream);
    fprintf(file.stream, "voussoir %s: ", VOUSSOIR_VERSION);
    for (const char *c = reason; *c; c++) putc(*c == '\n' ? ' ' : *c, file.stream); // one line
    putc('\n', file.stream);
    status = atomic_commit(&file, err);
  }
  mem_free(old);
  return status;
}

static Status refuse_results(const char *reference, Err *err) {
  static const char *const signs[] = {"*.vtk", "*.vtk.series", "*.h5"};
  if (!folder_exists(reference)) return OK;
  for (size_t k = 0; k < sizeof signs / sizeof signs[0]; k++) {
    FolderList list;
    TRY(folder_list(&list, reference, signs[k], err));
    int n = list.n;
    folder_list_free(&list);
    if (n > 0)
      return err_set(err, ERR_INPUT, "%s: holds results of a run, nothing is written over",
                     reference);
  }
  return OK;
}

Status compare_bless(const char *folder, const char *reference, const char *reason, Err *err) {
  int n_files = 0;
  if (!reason || reason[strspn(reason, " \t\n")] == 0)
    return err_set(err, ERR_INPUT, "--bless wants --reason \"why the reference changes\"");
  if (strlen(reason) > MAX_REASON)
    return err_set(err, ERR_INPUT, "--reason is longer than %d bytes", (int)MAX_REASON);
  if (!folder_exists(folder)) return err_set(err, ERR_INPUT, "%s: no such folder", folder);
  TRY(refuse_results(reference, err));
  TRY(folder_make(reference, err));
  TRY(bless_histories(folder, reference, &n_files, err));
  TRY(bless_summary(folder, reference, &n_files, err));
  TRY(bless_fields(folder, reference, &n_files, err));
  if (n_files == 0) return err_set(err, ERR_INPUT, "%s: holds no results to keep", folder);
  return append_reason(reference, reason, err);
}
