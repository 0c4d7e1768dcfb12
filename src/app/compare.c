#define _POSIX_C_SOURCE 200809L

#include "app/compare.h"

#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "file/atomic.h"
#include "file/csv.h"
#include "file/json.h"
#include "file/number.h"
#include "file/vtk.h"

enum { FIELD_COLUMNS = 5 }; // of fields.csv before the arrays

static const double same_time = 1e-9;  // relative: far below a step, far above rounding
static const double same_place = 1e-6; // of the size of the model: coordinates printed and read

// Later lines win. 1e-3 of the value and of the largest one is CalculiX's rule for its references.
static const CompareRule builtin_rules[] = {
    {"*", 1e-3, -1, ""},
    {"steps", 0, 0, "must be equal"},
    {"bodies", 0, 0, "must be equal"},
    {"elements", 0, 0, "must be equal"},
    {"dofs", 0, 0, "must be equal"},
    {"iterations*", 0.02, -1, "counts: rounding moves single ones"},
    {"newton*", 0.02, -1, "counts: rounding moves single ones"},
    {"contacts*", 0.02, -1, "counts: rounding moves single ones"},
    {"n_*", 0.02, -1, "counts: rounding moves single ones"},
    {"not_converged_steps", 0.02, 0, "counts: rounding moves single ones"},
    {"cuts", 0.02, 0, "counts: rounding moves single ones"},
    {"warnings", 0.02, 0, "counts: rounding moves single ones"},
    {"condition_33", 0.02, 0, "counts: rounding moves single ones"},
    {"error*", 0.5, -1, "where the sweeps stop below the tolerance is chance"},
    {"deformation_error*", 0.5, -1, "where the sweeps stop below the tolerance is chance"},
    {"energy.friction_fed", 1, -1, "a remainder of the contact solver's error, not a result"},
    {"energy.friction_stuck", 1, -1, "a remainder of the contact solver's error, not a result"},
    {"penetration*", 1e-2, 1e-9, "m; less is rounding"},
    {"energy.balance_error", 1, 1e-6, "relative already; a remainder, not a result"},
};

int compare_ignores(const char *summary_path) {
  static const char *const ignored[] = {
      "seconds*", "threads",     "state_hash", "physics_hash",   "program",      "version",
      "input",    "parameters*", "reason",     "worst_contact*", "commit",       "flags",
      "cpu",      "openblas",    "changes*",   "outcome.*_body", "outcome.speed"};
  for (size_t k = 0; k < sizeof ignored / sizeof ignored[0]; k++)
    if (fnmatch(ignored[k], summary_path, 0) == 0) return 1;
  return 0;
}

static int matches(const char *pattern, const char *name) {
  const char *slash = strchr(name, '/');
  return fnmatch(pattern, name, FNM_PATHNAME) == 0 ||
         (slash && fnmatch(pattern, slash + 1, FNM_PATHNAME) == 0);
}

typedef struct {
  const CompareSettings *settings;
  CompareRule *stored; // of tolerances.txt
  size_t n_stored, stored_capacity;
  CompareReport *report;
  size_t capacity; // of report->row
  Err *err;
} Comparison;

static void apply_rules(CompareRule *found, const char *name, const CompareRule *rules, size_t n) {
  for (size_t k = 0; k < n; k++)
    if (matches(rules[k].pattern, name)) *found = rules[k];
}

// A new row with its rule; NULL when memory is short.
static CompareRow *add_row(Comparison *cmp, const char *file, const char *name) {
  void *block = cmp->report->row;
  Status status = mem_grow(&block, &cmp->capacity, (size_t)cmp->report->n_rows + 1,
                           sizeof *cmp->report->row, cmp->err);
  cmp->report->row = block;
  if (status != OK) return NULL;
  CompareRow *row = &cmp->report->row[cmp->report->n_rows++];
  memset(row, 0, sizeof *row);
  snprintf(row->name, sizeof row->name, "%s/%s", file, name);
  apply_rules(&row->rule, row->name, builtin_rules, sizeof builtin_rules / sizeof builtin_rules[0]);
  apply_rules(&row->rule, row->name, cmp->stored, cmp->n_stored);
  apply_rules(&row->rule, row->name, cmp->settings->rules, (size_t)cmp->settings->n_rules);
  return row;
}

static Status add_missing(Comparison *cmp, const char *file, const char *name, const char *what) {
  CompareRow *row = add_row(cmp, file, name);
  if (!row) return ERR_SYSTEM;
  row->n_different = 1;
  row->value = row->expected = row->difference = row->tolerance = NUMBER_NAN;
  snprintf(row->where, sizeof row->where, "%s", what);
  return OK;
}

static double in_tolerances(double difference, double tolerance) {
  if (difference <= 0) return 0;
  return tolerance > 0 ? difference / tolerance : NUMBER_INF;
}

// Returns 1 where this entry is the worst one up to now. `scale` is the largest expected value.
static int check_entry(CompareRow *row, double value, double expected, double scale) {
  const CompareRule *rule = &row->rule;
  double absolute = rule->absolute < 0 ? rule->relative * scale : rule->absolute;
  double difference = fabs(value - expected);
  double tolerance = rule->relative * fabs(expected) + absolute;
  // equal infinities and a NaN in both are agreement; a NaN in one never is
  if (value == expected || (isnan(value) && isnan(expected))) difference = 0;
  if (isnan(difference)) difference = NUMBER_INF;
  if (isnan(tolerance)) tolerance = 0;
  row->n_entries++;
  row->n_different += !(difference <= tolerance);
  double badness = in_tolerances(difference, tolerance);
  double worst = in_tolerances(row->difference, row->tolerance);
  int is_worse = badness > worst || (badness == worst && difference > row->difference);
  if (row->n_entries > 1 && !is_worse) return 0;
  row->value = value;
  row->expected = expected;
  row->difference = difference;
  row->tolerance = tolerance;
  return 1;
}

static double larger(double scale, double value) {
  return isfinite(value) && fabs(value) > scale ? fabs(value) : scale;
}

// "bodies" of "bodies.vtk.series"
static void cut_stem(char stem[COMPARE_NAME], const char *name) {
  snprintf(stem, COMPARE_NAME, "%.*s", (int)strcspn(name, "."), name);
}

// ---- tolerances.txt and --tolerance

static int read_bound(const char *text, double *value) {
  char *end;
  *value = strtod(text, &end);
  return end != text && *end == 0 && *value >= 0 && isfinite(*value);
}

int compare_set_rule(CompareRule *rule, const char *pattern, const char *relative,
                     const char *absolute) {
  memset(rule, 0, sizeof *rule);
  int n = snprintf(rule->pattern, sizeof rule->pattern, "%s", pattern);
  if (n < 1 || (size_t)n >= sizeof rule->pattern) return 0;
  if (!read_bound(relative, &rule->relative)) return 0;
  rule->absolute = -1;
  return !absolute || strcmp(absolute, "-") == 0 || read_bound(absolute, &rule->absolute);
}

static int parse_rule(CompareRule *rule, const char *line) {
  char pattern[COMPARE_NAME], relative[40], absolute[40];
  int at = 0;
  if (sscanf(line, "%159s %39s %39s %n", pattern, relative, absolute, &at) != 3) return 0;
  if (!compare_set_rule(rule, pattern, relative, absolute)) return 0;
  snprintf(rule->reason, sizeof rule->reason, "%s", line + at);
  return 1;
}

static Status read_rules(Comparison *cmp) {
  char path[FILE_PATH_SIZE], *text;
  size_t size;
  TRY(file_join(path, cmp->settings->reference, "tolerances.txt", cmp->err));
  if (!file_exists(path)) return OK;
  TRY(file_read(&text, &size, path, cmp->err));
  Status status = OK;
  int line_number = 0;
  for (char *line = text, *next; line && status == OK; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = 0;
    line_number++;
    CompareRule rule;
    if (line[0] == '#' || line[strspn(line, " \t\r")] == 0) continue;
    if (!parse_rule(&rule, line)) {
      status = err_set(cmp->err, ERR_INPUT, "%s:%d: not 'PATTERN RELATIVE ABSOLUTE REASON'", path,
                       line_number);
      break;
    }
    void *block = cmp->stored;
    status = mem_grow(&block, &cmp->stored_capacity, cmp->n_stored + 1, sizeof rule, cmp->err);
    cmp->stored = block;
    if (status == OK) cmp->stored[cmp->n_stored++] = rule;
  }
  mem_free(text);
  return status;
}

// ---- histories

static int is_same_time(double a, double b) {
  return fabs(a - b) <= same_time * fmax(fabs(a), fabs(b));
}

// For each row of the reference the row of the run at the same time, or -1. Without a column `time`
// rows are counted.
static void match_rows(long *match, const CsvTable *run, const CsvTable *ref) {
  int t_run = csv_column(run, "time"), t_ref = csv_column(ref, "time");
  long at = 0;
  for (long r = 0; r < ref->n_rows; r++) {
    match[r] = r < run->n_rows ? r : -1;
    if (t_run < 0 || t_ref < 0) continue;
    double time = ref->value[r * ref->n_columns + t_ref];
    match[r] = -1;
    for (; at < run->n_rows; at++) {
      double found = run->value[at * run->n_columns + t_run];
      if (is_same_time(found, time)) match[r] = at;
      if (match[r] >= 0 || found > time) break;
    }
  }
}

// Rows of the reference that the run has not, and an end at another time, are differences of time.
static Status compare_times(Comparison *cmp, const char *stem, const long *match,
                            const CsvTable *tables[2]) {
  const CsvTable *run = tables[0], *ref = tables[1];
  int t_run = csv_column(run, "time"), t_ref = csv_column(ref, "time");
  CompareRow *row = add_row(cmp, stem, "time");
  if (!row) return ERR_SYSTEM;
  row->rule.relative = same_time;
  row->rule.absolute = 0;
  snprintf(row->rule.reason, sizeof row->rule.reason, "rows are matched by time");
  row->value = row->expected = row->difference = row->tolerance = NUMBER_NAN;
  row->n_entries = ref->n_rows;
  for (long r = 0; r < ref->n_rows; r++) {
    if (match[r] >= 0 || row->n_different++ > 0) continue;
    snprintf(row->where, sizeof row->where, "no row for row %ld of the reference", r + 1);
    if (t_ref >= 0) row->expected = ref->value[r * ref->n_columns + t_ref];
  }
  if (row->n_different > 0 || t_run < 0 || t_ref < 0 || ref->n_rows == 0) return OK;
  if (match[ref->n_rows - 1] == run->n_rows - 1) return OK;
  row->n_different = 1;
  row->value = run->value[(run->n_rows - 1) * run->n_columns + t_run];
  row->expected = ref->value[(ref->n_rows - 1) * ref->n_columns + t_ref];
  row->difference = fabs(row->value - row->expected);
  snprintf(row->where, sizeof row->where, "the last row is at another time");
  return OK;
}

static Status compare_column(Comparison *cmp, const char *stem, const long *match,
                             const CsvTable *tables[2], int column) {
  const CsvTable *run = tables[0], *ref = tables[1];
  int c_run = csv_column(run, ref->names[column]), t_ref = csv_column(ref, "time");
  if (c_run < 0) return add_missing(cmp, stem, ref->names[column], "column is missing");
  CompareRow *row = add_row(cmp, stem, ref->names[column]);
  if (!row) return ERR_SYSTEM;
  double scale = 0;
  for (long r = 0; r < ref->n_rows; r++)
    scale = larger(scale, ref->value[r * ref->n_columns + column]);
  for (long r = 0; r < ref->n_rows; r++) {
    if (match[r] < 0) continue;
    double value = run->value[match[r] * run->n_columns + c_run];
    double expected = ref->value[r * ref->n_columns + column];
    if (!check_entry(row, value, expected, scale)) continue;
    if (t_ref >= 0)
      snprintf(row->where, sizeof row->where, "row %ld, time %.6g", match[r] + 1,
               ref->value[r * ref->n_columns + t_ref]);
    else
      snprintf(row->where, sizeof row->where, "row %ld", match[r] + 1);
  }
  return OK;
}

static Status compare_tables(Comparison *cmp, const char *stem, const CsvTable *tables[2]) {
  long *match;
  MEM_NEW(match, tables[1]->n_rows, cmp->err);
  match_rows(match, tables[0], tables[1]);
  Status status = compare_times(cmp, stem, match, tables);
  for (int c = 0; c < tables[1]->n_columns && status == OK; c++)
    if (strcmp(tables[1]->names[c], "time") != 0)
      status = compare_column(cmp, stem, match, tables, c);
  mem_free(match);
  return status;
}

// Both files of this name: 0 of the run, 1 of the reference.
static Status both_paths(const Comparison *cmp, char path[2][FILE_PATH_SIZE], const char *name) {
  TRY(file_join(path[0], cmp->settings->folder, name, cmp->err));
  return file_join(path[1], cmp->settings->reference, name, cmp->err);
}

static Status compare_history(Comparison *cmp, const char *name) {
  char path[2][FILE_PATH_SIZE], stem[COMPARE_NAME];
  TRY(both_paths(cmp, path, name));
  cut_stem(stem, name);
  CsvTable run, ref;
  TRY(csv_read(&run, path[0], cmp->err));
  Status status = csv_read(&ref, path[1], cmp->err);
  if (status == OK) {
    status = compare_tables(cmp, stem, (const CsvTable *[2]){&run, &ref});
    csv_free(&ref);
  }
  csv_free(&run);
  return status;
}

// ---- summary.json

// Largest value of the group "energy." of "energy.kinetic"; the balance error has another unit.
static double group_scale(const JsonTree *tree, const char *path) {
  const char *dot = strrchr(path, '.');
  double scale = larger(0, json_number(tree, path, 0));
  for (int k = 0; dot && k < tree->n_leaves; k++) {
    const JsonLeaf *leaf = &tree->leaf[k];
    if (strncmp(leaf->path, path, (size_t)(dot - path) + 1) == 0 && leaf->type == JSON_NUMBER &&
        !strstr(leaf->path, "balance_error"))
      scale = larger(scale, leaf->number);
  }
  return scale;
}

static Status compare_leaf(Comparison *cmp, const JsonTree *run, const JsonTree *ref,
                           const JsonLeaf *expected) {
  const JsonLeaf *found = json_find(run, expected->path);
  if (!found) return add_missing(cmp, "summary", expected->path, "entry is missing");
  char what[COMPARE_TEXT];
  if (found->type == JSON_TEXT && expected->type == JSON_TEXT) {
    if (strcmp(found->text, expected->text) == 0) {
      CompareRow *row = add_row(cmp, "summary", expected->path);
      if (row) row->n_entries = 1;
      return row ? OK : ERR_SYSTEM;
    }
    snprintf(what, sizeof what, "'%.60s' instead of '%.60s'", found->text, expected->text);
    return add_missing(cmp, "summary", expected->path, what);
  }
  if (found->type == JSON_TEXT || expected->type == JSON_TEXT)
    return add_missing(cmp, "summary", expected->path, "text instead of a number, or the reverse");
  CompareRow *row = add_row(cmp, "summary", expected->path);
  if (!row) return ERR_SYSTEM;
  check_entry(row, found->number, expected->number, group_scale(ref, expected->path));
  return OK;
}

static Status compare_summary(Comparison *cmp) {
  char path[2][FILE_PATH_SIZE];
  TRY(both_paths(cmp, path, "summary.json"));
  if (!file_exists(path[1])) return OK;
  JsonTree run, ref;
  TRY(json_read(&run, path[0], cmp->err));
  Status status = json_read(&ref, path[1], cmp->err);
  if (status == OK) {
    for (int k = 0; k < ref.n_leaves && status == OK; k++)
      if (!compare_ignores(ref.leaf[k].path)) status = compare_leaf(cmp, &run, &ref, &ref.leaf[k]);
    json_free(&ref);
  }
  json_free(&run);
  return status;
}

// ---- fields

static void describe_place(CompareRow *row, const VtkData *data, int on_cells, int64_t index) {
  double x[3];
  vtk_place(data, on_cells, index, x);
  snprintf(row->where, sizeof row->where, "%s %lld at (%.6g, %.6g, %.6g)",
           on_cells ? "cell" : "point", (long long)index, x[0], x[1], x[2]);
}

static Status compare_array(Comparison *cmp, const char *stem, const VtkData *run,
                            const VtkReadArray *expected) {
  const VtkReadArray *found = vtk_array(run, expected->name, expected->on_cells);
  if (!found) return add_missing(cmp, stem, expected->name, "array is missing");
  if (found->n_components != expected->n_components)
    return add_missing(cmp, stem, expected->name, "another number of components");
  CompareRow *row = add_row(cmp, stem, expected->name);
  if (!row) return ERR_SYSTEM;
  double scale = 0;
  int64_t n = expected->n * expected->n_components;
  for (int64_t k = 0; k < n; k++) scale = larger(scale, expected->value[k]);
  for (int64_t k = 0; k < n; k++)
    if (check_entry(row, found->value[k], expected->value[k], scale))
      describe_place(row, run, expected->on_cells, k / expected->n_components);
  return OK;
}

static Status compare_count(Comparison *cmp, const char *stem, const char *name,
                            const int64_t counts[2]) {
  CompareRow *row = add_row(cmp, stem, name);
  if (!row) return ERR_SYSTEM;
  check_entry(row, (double)counts[0], (double)counts[1], (double)counts[1]);
  return OK;
}

// Entry by entry. Where the counts differ it is unknown which entry would be which: then the arrays
// are listed without entries, so that nobody takes them for equal.
static Status compare_grids(Comparison *cmp, const char *stem, const VtkData *run,
                            const VtkData *ref) {
  CompareRow *row = add_row(cmp, stem, "time");
  if (!row) return ERR_SYSTEM;
  if (row->rule.pattern[0] == '*') row->rule = (CompareRule){"time", same_time, 0, "of the file"};
  check_entry(row, run->time, ref->time, 0);
  TRY(compare_count(cmp, stem, "n_points", (int64_t[2]){run->n_points, ref->n_points}));
  TRY(compare_count(cmp, stem, "n_cells", (int64_t[2]){run->n_cells, ref->n_cells}));
  int fits[2] = {run->n_points == ref->n_points, run->n_cells == ref->n_cells};
  if (fits[0]) {
    VtkReadArray points = {.name = "points", .n_components = 3, .n = ref->n_points};
    VtkReadArray run_points = points;
    points.value = ref->points;
    run_points.value = run->points;
    VtkData holder = *run;
    holder.n_arrays = 1;
    holder.arrays = &run_points;
    TRY(compare_array(cmp, stem, &holder, &points));
  }
  for (int a = 0; a < ref->n_arrays; a++) {
    const VtkReadArray *array = &ref->arrays[a];
    if (fits[array->on_cells]) {
      TRY(compare_array(cmp, stem, run, array));
      continue;
    }
    row = add_row(cmp, stem, array->name);
    if (!row) return ERR_SYSTEM;
    snprintf(row->where, sizeof row->where, "not compared: another number of %s",
             array->on_cells ? "cells" : "points");
  }
  return OK;
}

static Status compare_series(Comparison *cmp, const char *name) {
  char stem[COMPARE_NAME];
  cut_stem(stem, name);
  VtkData run, ref;
  TRY(vtk_read_last(&run, cmp->settings->folder, name, cmp->err));
  Status status = vtk_read_last(&ref, cmp->settings->reference, name, cmp->err);
  if (status == OK) {
    status = compare_grids(cmp, stem, &run, &ref);
    vtk_free(&ref);
  }
  vtk_free(&run);
  return status;
}

// ---- fields.csv

static double distance(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
              (a[2] - b[2]) * (a[2] - b[2]));
}

static double grid_size(const VtkData *data) {
  double low[3] = {NUMBER_INF, NUMBER_INF, NUMBER_INF},
         high[3] = {-NUMBER_INF, -NUMBER_INF, -NUMBER_INF};
  for (int64_t k = 0; k < 3 * data->n_points; k++) {
    low[k % 3] = fmin(low[k % 3], data->points[k]);
    high[k % 3] = fmax(high[k % 3], data->points[k]);
  }
  return data->n_points > 0 ? distance(low, high) : 0;
}

// The index counts as long as it stands at the place: nodes of two stones may share one place. A
// mesh that was renumbered is searched for the nearest. -1: nothing is there.
static int64_t find_entry(const VtkData *data, const double *line) {
  int on_cells = line[0] != 0;
  int64_t n = on_cells ? data->n_cells : data->n_points, nearest = -1;
  double smallest = same_place * grid_size(data), x[3];
  if (line[1] >= 0 && line[1] < (double)n) {
    vtk_place(data, on_cells, (int64_t)line[1], x);
    if (distance(x, line + 2) <= smallest) return (int64_t)line[1];
  }
  for (int64_t k = 0; k < n; k++) {
    vtk_place(data, on_cells, k, x);
    double d = distance(x, line + 2);
    if (!(d <= smallest) || (nearest >= 0 && d == smallest)) continue;
    smallest = d;
    nearest = k;
  }
  return nearest;
}

// Columns first .. first + n - 1 are the components of one array.
static int group_length(const CsvTable *table, int first) {
  size_t length = strcspn(table->names[first], ".");
  int n = 1;
  while (first + n < table->n_columns && table->names[first][length] &&
         strncmp(table->names[first + n], table->names[first], length + 1) == 0)
    n++;
  return n;
}

static Status compare_samples(Comparison *cmp, const CsvTable *ref, const int64_t *entry,
                              const VtkData *run, int first) {
  char name[COMPARE_NAME];
  int n = group_length(ref, first);
  cut_stem(name, ref->names[first]);
  double scale = 0;
  for (long r = 0; r < ref->n_rows; r++)
    for (int c = 0; c < n; c++) scale = larger(scale, ref->value[r * ref->n_columns + first + c]);
  CompareRow *row = NULL;
  for (long r = 0; r < ref->n_rows; r++) {
    const double *line = ref->value + r * ref->n_columns;
    if (isnan(line[first]) || entry[r] < 0) continue; // not defined here, or reported already
    const VtkReadArray *found = vtk_array(run, name, line[0] != 0);
    if (!found || found->n_components != n)
      return add_missing(cmp, "bodies", name, "array is missing");
    if (!row) row = add_row(cmp, "bodies", name);
    if (!row) return ERR_SYSTEM;
    for (int c = 0; c < n; c++)
      if (check_entry(row, found->value[entry[r] * n + c], line[first + c], scale))
        describe_place(row, run, line[0] != 0, entry[r]);
  }
  return OK;
}

static Status compare_fields_table(Comparison *cmp, const CsvTable *ref, const VtkData *run) {
  int64_t *entry;
  MEM_NEW(entry, ref->n_rows, cmp->err);
  Status status = OK;
  CompareRow *row = add_row(cmp, "bodies", "places");
  if (!row) status = ERR_SYSTEM;
  for (long r = 0; r < ref->n_rows && status == OK; r++) {
    const double *line = ref->value + r * ref->n_columns;
    entry[r] = find_entry(run, line);
    row->n_entries++;
    if (entry[r] >= 0 || row->n_different++ > 0) continue;
    row->value = row->expected = row->difference = row->tolerance = NUMBER_NAN;
    snprintf(row->where, sizeof row->where, "no %s at (%.6g, %.6g, %.6g)",
             line[0] != 0 ? "cell" : "point", line[2], line[3], line[4]);
  }
  for (int c = FIELD_COLUMNS; c < ref->n_columns && status == OK; c += group_length(ref, c))
    status = compare_samples(cmp, ref, entry, run, c);
  mem_free(entry);
  return status;
}

static Status compare_fields(Comparison *cmp, const char *path) {
  VtkData run;
  CsvTable ref;
  TRY(csv_read(&ref, path, cmp->err));
  Status status = OK;
  if (ref.n_columns < FIELD_COLUMNS || csv_column(&ref, "on_cells") != 0)
    status = err_set(cmp->err, ERR_INPUT, "%s:1: columns on_cells,index,x,y,z expected", path);
  if (status == OK)
    status = vtk_read_last(&run, cmp->settings->folder, "bodies.vtk.series", cmp->err);
  if (status == OK) {
    status = compare_fields_table(cmp, &ref, &run);
    vtk_free(&run);
  }
  csv_free(&ref);
  return status;
}

// ---- folders

static Status for_files(Comparison *cmp, const char *pattern,
                        Status (*compare)(Comparison *cmp, const char *name)) {
  FolderList list;
  TRY(folder_list(&list, cmp->settings->reference, pattern, cmp->err));
  Status status = OK;
  for (int k = 0; k < list.n && status == OK; k++) status = compare(cmp, list.name[k]);
  folder_list_free(&list);
  return status;
}

static Status compare_all(Comparison *cmp) {
  char path[FILE_PATH_SIZE];
  const CompareSettings *settings = cmp->settings;
  if (!folder_exists(settings->folder))
    return err_set(cmp->err, ERR_INPUT, "%s: no such folder", settings->folder);
  if (!folder_exists(settings->reference))
    return err_set(cmp->err, ERR_INPUT, "%s: no such folder", settings->reference);
  TRY(read_rules(cmp));
  TRY(for_files(cmp, "history*.csv", compare_history));
  TRY(compare_summary(cmp));
  TRY(file_join(path, settings->reference, "fields.csv", cmp->err));
  if (file_exists(path)) TRY(compare_fields(cmp, path));
  TRY(for_files(cmp, "*.vtk.series", compare_series));
  if (cmp->report->n_rows == 0)
    return err_set(cmp->err, ERR_INPUT, "%s: holds nothing to compare with", settings->reference);
  return OK;
}

Status compare_folders(CompareReport *report, const CompareSettings *settings, Err *err) {
  memset(report, 0, sizeof *report);
  Comparison cmp = {.settings = settings, .report = report, .err = err};
  Status status = compare_all(&cmp);
  mem_free(cmp.stored);
  if (status != OK) {
    compare_free(report);
    return status;
  }
  for (int k = 0; k < report->n_rows; k++) report->n_different += report->row[k].n_different > 0;
  return OK;
}

void compare_free(CompareReport *report) {
  mem_free(report->row);
  memset(report, 0, sizeof *report);
}
