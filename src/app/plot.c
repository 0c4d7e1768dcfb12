// voussoir plot: diagrams of a folder of results as SVG files in it.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/commands.h"
#include "app/options.h"
#include "base/mem.h"
#include "file/chart.h"
#include "file/csv.h"
#include "file/vtk.h"

static const OptionSpec options_plot[] = {
    {"--x", "COLUMN", "column of the history along x (default: stroke, else time)"},
    {"--y", "COLUMN,...", "columns along y, of one unit (default: all that end in _force)"},
    {"--help", NULL, "this page"},
};
enum { N_OPTIONS_PLOT = sizeof options_plot / sizeof options_plot[0] };

static void plot_help(void) {
  printf(
      "voussoir plot DIR [options]\n\n"
      "Draws results of a run, into its folder:\n"
      "  forming_limit.svg  minor and major strains of all elements of sheets at the last output,\n"
      "                     with the curves of <forming_limit>\n"
      "  history.svg        columns of history.csv against one another: force against stroke\n\n");
  options_print(options_plot, N_OPTIONS_PLOT, stdout);
}

// ---- history ------------------------------------------------------------------------------------

static const char *unit_of(const CsvTable *table, int column) {
  return table->units ? table->units[column] : "1";
}

static Status need_column(const CsvTable *table, const char *name, int *column, Err *err) {
  *column = csv_column(table, name);
  if (*column >= 0) return OK;
  return err_set(err, ERR_INPUT, "history.csv has no column '%s'", name);
}

static int ends_in_force(const char *name) {
  static const char ending[] = "_force";
  size_t n = strlen(name), m = sizeof ending - 1;
  return n > m && strcmp(name + n - m, ending) == 0;
}

// Columns along y: of the list, or all forces. *n is 0 where there is none.
static Status choose_y(const CsvTable *table, const char *list, int column[CHART_MAX_SERIES],
                       int *n, Err *err) {
  *n = 0;
  for (int c = 0; !list && c < table->n_columns && *n < CHART_MAX_SERIES; c++)
    if (ends_in_force(table->names[c])) column[(*n)++] = c;
  while (list && *list) {
    char name[128];
    size_t length = strcspn(list, ",");
    if (*n == CHART_MAX_SERIES)
      return err_set(err, ERR_INPUT, "--y takes %d columns at most", CHART_MAX_SERIES);
    snprintf(name, sizeof name, "%.*s", (int)length, list);
    TRY(need_column(table, name, &column[(*n)++], err));
    list += length + (list[length] == ',');
  }
  for (int k = 1; k < *n; k++)
    if (strcmp(unit_of(table, column[k]), unit_of(table, column[0])) != 0)
      return err_set(err, ERR_INPUT,
                     "columns of one diagram have one unit: '%s' is in %s, '%s' in %s",
                     table->names[column[0]], unit_of(table, column[0]), table->names[column[k]],
                     unit_of(table, column[k]));
  return OK;
}

static Status draw_history(const CsvTable *table, const Options *options, const char *path,
                           int *done, Err *err) {
  const char *x_name = options_value(options, "--x"), *y_list = options_value(options, "--y");
  int x, y[CHART_MAX_SERIES], n;
  *done = 0;
  if (!x_name) x_name = csv_column(table, "stroke") >= 0 ? "stroke" : "time";
  TRY(need_column(table, x_name, &x, err));
  TRY(choose_y(table, y_list, y, &n, err));
  if (n == 0 || table->n_rows == 0) return OK;
  ChartSeries series[CHART_MAX_SERIES];
  for (int k = 0; k < n; k++)
    series[k] = (ChartSeries){.name = table->names[y[k]],
                              .n = table->n_rows,
                              .stride = table->n_columns,
                              .x = table->value + x,
                              .y = table->value + y[k]};
  int forces = strcmp(unit_of(table, y[0]), "N") == 0;
  const Chart chart = {.title = forces ? "Force" : table->names[y[0]],
                       .label = {table->names[x], forces ? "force" : table->names[y[0]]},
                       .unit = {unit_of(table, x), unit_of(table, y[0])},
                       .n_series = n,
                       .series = series};
  *done = 1;
  return chart_write(&chart, path, err);
}

static Status plot_history(const char *folder, const Options *options, int *done, Err *err) {
  char path[FILE_PATH_SIZE], out[FILE_PATH_SIZE];
  CsvTable table;
  *done = 0;
  TRY(file_join(path, folder, "history.csv", err));
  TRY(file_join(out, folder, "history.svg", err));
  TRY(csv_read(&table, path, err));
  Status status = draw_history(&table, options, out, done, err);
  csv_free(&table);
  if (*done && status == OK) printf("%s\n", out);
  return status;
}

// ---- forming limits -----------------------------------------------------------------------------

// Runs of rows with one body are curves.
static int add_curves(const CsvTable *limits, ChartSeries *series, int n) {
  const double *value = limits->value;
  long first = 0;
  for (long k = 1; k <= limits->n_rows && n < CHART_MAX_SERIES; k++) {
    if (k < limits->n_rows && value[3 * k] == value[3 * first]) continue;
    series[n++] = (ChartSeries){.name = "forming limit",
                                .n = k - first,
                                .stride = 3,
                                .x = value + 3 * first + 1,
                                .y = value + 3 * first + 2};
    first = k;
  }
  return n;
}

// Strains of the elements of sheets, which have a thickness; returns how many.
static long take_strains(const VtkData *data, double *strain) {
  const VtkReadArray *major = vtk_array(data, "major_strain", 1),
                     *minor = vtk_array(data, "minor_strain", 1),
                     *thickness = vtk_array(data, "thickness", 1);
  long n = 0;
  if (!major || !minor || !thickness) return 0;
  for (int64_t c = 0; c < data->n_cells; c++) {
    if (!(thickness->value[c] > 0)) continue;
    strain[2 * n] = minor->value[c];
    strain[2 * n++ + 1] = major->value[c];
  }
  return n;
}

static Status draw_limits(const VtkData *data, const CsvTable *limits, const char *path, int *done,
                          Err *err) {
  double *strain;
  char title[128];
  ChartSeries series[CHART_MAX_SERIES];
  MEM_NEW(strain, 2 * data->n_cells, err);
  long n = take_strains(data, strain);
  series[0] = (ChartSeries){
      .name = "elements", .style = CHART_POINTS, .n = n, .stride = 2, .x = strain, .y = strain + 1};
  int n_series = limits->n_columns == 3 ? add_curves(limits, series, 1) : 1;
  snprintf(title, sizeof title, "Forming-limit diagram, t = %.6g s", data->time);
  const Chart chart = {.title = title,
                       .label = {"minor strain (logarithmic)", "major strain (logarithmic)"},
                       .unit = {"1", "1"},
                       .n_series = n_series,
                       .series = series};
  *done = n > 0;
  Status status = n > 0 ? chart_write(&chart, path, err) : OK;
  mem_free(strain);
  return status;
}

static Status plot_limits(const char *folder, int *done, Err *err) {
  char path[FILE_PATH_SIZE], out[FILE_PATH_SIZE];
  VtkData data;
  CsvTable limits = {0};
  *done = 0;
  TRY(file_join(path, folder, "bodies.vtk.series", err));
  if (!file_exists(path)) return OK;
  TRY(file_join(path, folder, "forming_limit.csv", err));
  TRY(file_join(out, folder, "forming_limit.svg", err));
  TRY(vtk_read_last(&data, folder, "bodies.vtk.series", err));
  Status status = file_exists(path) ? csv_read(&limits, path, err) : OK;
  if (status == OK) status = draw_limits(&data, &limits, out, done, err);
  csv_free(&limits);
  vtk_free(&data);
  if (*done && status == OK) printf("%s\n", out);
  return status;
}

static Status plot(const Options *options, Err *err) {
  int history, limits;
  const char *folder = options->operand[0];
  if (!folder_exists(folder)) return err_set(err, ERR_INPUT, "there is no folder '%s'", folder);
  TRY(plot_limits(folder, &limits, err));
  TRY(plot_history(folder, options, &history, err));
  if (history || limits) return OK;
  return err_set(err, ERR_INPUT,
                 "'%s' holds nothing to draw: no sheets in its fields, no column of its history "
                 "ends in _force; choose columns with --x and --y",
                 folder);
}

int plot_main(int argc, char **argv) {
  Options options;
  Err err = {0};
  Status status = options_parse(&options, options_plot, N_OPTIONS_PLOT, argc, argv, &err);
  int code = 0;
  if (status == OK && options_value(&options, "--help")) {
    plot_help();
  } else if (status != OK) {
    code = command_misused("plot", &err);
  } else if (options.n_operands != 1) {
    err_set(&err, ERR_INPUT, "expected one folder of results, found %d", options.n_operands);
    code = command_misused("plot", &err);
  } else if (plot(&options, &err) != OK) {
    code = command_fail(&err);
  }
  options_free(&options);
  return code;
}
