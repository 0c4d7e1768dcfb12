#define _POSIX_C_SOURCE 200809L
#include "scratch.h"

#include <math.h>
#include <sys/wait.h>

#include "file/json.h"
#include "file/number.h"
#include "file/vtk.h"

TestSuite(vtk, .init = scratch_make, .fini = scratch_remove);

// Two triangles that form a unit square, with one array of each kind.
static const double points[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
static const int32_t cell_ptr[] = {0, 3, 6}, cell_point[] = {0, 1, 2, 0, 2, 3};
static const uint8_t cell_type[] = {5, 5};
static const double displacement[] = {0.1, 1e-300, -3, 1, 2, 3, 4, 5, 6, 7, 8, 9};
static const double velocity[] = {1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0.5};
static const double stress[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1.0 / 3};
static const int32_t body[] = {-7, 70000};

static const VtkArray point_arrays[] = {
    {.name = "displacement", .n_components = 3, .real = displacement},
    {.name = "velocity", .n_components = 3, .real = velocity}};
static const VtkArray cell_arrays[] = {{.name = "stress", .n_components = 6, .real = stress},
                                       {.name = "body", .n_components = 1, .integer = body}};

static const VtkGrid square = {.title = "square",
                               .time = 0.1,
                               .step = 12,
                               .n_points = 4,
                               .points = points,
                               .n_cells = 2,
                               .cell_ptr = cell_ptr,
                               .cell_point = cell_point,
                               .cell_type = cell_type,
                               .n_point_arrays = 2,
                               .point_arrays = point_arrays,
                               .n_cell_arrays = 2,
                               .cell_arrays = cell_arrays};

static void write_square(const char *path, int ascii) {
  Err err = {0};
  cr_assert_eq(vtk_write(&square, path, ascii, &err), OK, "%s", err.text);
}

static void expect_square(const VtkData *data) {
  cr_assert(data->time == 0.1 && data->step == 12);
  cr_assert(data->n_points == 4 && data->n_cells == 2 && data->n_arrays == 4);
  cr_assert_eq(memcmp(data->points, points, sizeof points), 0);
  cr_assert_eq(memcmp(data->cell_ptr, cell_ptr, sizeof cell_ptr), 0);
  cr_assert_eq(memcmp(data->cell_point, cell_point, sizeof cell_point), 0);
  cr_assert_eq(memcmp(data->cell_type, cell_type, sizeof cell_type), 0);
  const VtkReadArray *array = vtk_array(data, "displacement", 0);
  cr_assert_eq(memcmp(array->value, displacement, sizeof displacement), 0);
  array = vtk_array(data, "stress", 1);
  cr_assert_eq(array->n_components, 6);
  cr_assert_eq(memcmp(array->value, stress, sizeof stress), 0);
  array = vtk_array(data, "body", 1);
  cr_assert(array->value[0] == -7 && array->value[1] == 70000);
  cr_assert_null(vtk_array(data, "body", 0));
}

Test(vtk, reads_back_the_same_bits_from_both_encodings) {
  for (int ascii = 0; ascii < 2; ascii++) {
    Err err = {0};
    VtkData data;
    write_square(in_scratch("a.vtk"), ascii);
    cr_assert_eq(vtk_read(&data, in_scratch("a.vtk"), &err), OK, "%s", err.text);
    expect_square(&data);
    vtk_free(&data);
  }
}

Test(vtk, holds_more_numbers_than_a_block) {
  enum { N = 10007 };
  static double many[3 * N];
  static int32_t ptr[N + 1], point[N];
  static uint8_t type[N];
  for (int k = 0; k < N; k++) {
    for (int c = 0; c < 3; c++) many[3 * k + c] = 1.0 / (3 * k + c + 1);
    ptr[k + 1] = k + 1;
    point[k] = N - 1 - k;
    type[k] = 1;
  }
  VtkArray arrays[] = {{.name = "number", .n_components = 1, .integer = point}};
  VtkGrid grid = {.n_points = N,
                  .points = many,
                  .n_cells = N,
                  .cell_ptr = ptr,
                  .cell_point = point,
                  .cell_type = type,
                  .n_cell_arrays = 1,
                  .cell_arrays = arrays};
  Err err = {0};
  VtkData data;
  cr_assert_eq(vtk_write(&grid, in_scratch("a.vtk"), 0, &err), OK);
  cr_assert_eq(vtk_read(&data, in_scratch("a.vtk"), &err), OK, "%s", err.text);
  cr_assert_eq(memcmp(data.points, many, sizeof many), 0);
  cr_assert_eq(memcmp(data.cell_point, point, sizeof point), 0);
  for (int k = 0; k < N; k++) cr_assert_eq(data.arrays[0].value[k], point[k]);
  vtk_free(&data);
}

Test(vtk, lines_are_polydata) {
  double ends[12] = {0, 0, 0, 1, 0, 0, 1, 2, 0, 3, 4, 5}, force[4] = {7, 7, 9, 9};
  const int32_t ptr[3] = {0, 2, 4}, point[4] = {0, 1, 2, 3};
  VtkArray arrays[] = {{.name = "force", .n_components = 1, .real = force}};
  VtkGrid grid = {.n_points = 4,
                  .points = ends,
                  .polydata = 1,
                  .n_cells = 2,
                  .cell_ptr = ptr,
                  .cell_point = point,
                  .n_point_arrays = 1,
                  .point_arrays = arrays};
  for (int ascii = 0; ascii < 2; ascii++)
    for (int n = 2; n >= 0; n -= 2) { // two lines, and none yet
      Err err = {0};
      VtkData data;
      grid.n_cells = n;
      grid.n_points = 2 * n;
      cr_assert_eq(vtk_write(&grid, in_scratch("a.vtk"), ascii, &err), OK, "%s", err.text);
      size_t size;
      char *text = read_bytes(in_scratch("a.vtk"), &size);
      cr_assert(strstr(text, "\nDATASET POLYDATA\n"));
      mem_free(text);
      cr_assert_eq(vtk_read(&data, in_scratch("a.vtk"), &err), OK, "%s", err.text);
      cr_assert_eq(data.n_cells, n);
      for (int c = 0; c < n; c++) cr_assert_eq(data.cell_type[c], 3);
      cr_assert_eq(memcmp(data.points, ends, 6 * (size_t)n * sizeof *ends), 0);
      const VtkReadArray *found = vtk_array(&data, "force", 0);
      cr_assert_eq(found->n, 2 * n);
      if (n) cr_assert_eq(found->value[3], 9);
      vtk_free(&data);
    }
}

// Runs the reader of VTK itself; the JSON it prints goes to `tree`. Fails where python3-vtk9 is not
// installed: without it nobody would know whether ParaView can read our files.
static int real_reader(const char *path, const char *options, JsonTree *tree) {
  char command[600];
  Err err = {0};
  snprintf(command, sizeof command,
           "/usr/bin/python3 tests/tools/read_vtk.py '%s' %s > '%s' 2> '%s'", path, options,
           in_scratch("found.json"), in_scratch("complaints"));
  int status = system(command);
  cr_assert(WIFEXITED(status));
  size_t size;
  char *complaints = read_bytes(in_scratch("complaints"), &size);
  cr_assert_not(strstr(complaints, "ModuleNotFoundError"), "python3-vtk9 is missing: %s",
                complaints);
  mem_free(complaints);
  cr_assert_eq(json_read(tree, in_scratch("found.json"), &err), OK, "%s", err.text);
  return WEXITSTATUS(status);
}

Test(vtk, is_read_by_vtk_itself_with_all_arrays_and_times, .timeout = 60) {
  for (int ascii = 0; ascii < 2; ascii++) {
    Err err = {0};
    JsonTree tree;
    write_square(in_scratch("bodies_000012.vtk"), ascii);
    cr_assert_eq(vtk_write_series(scratch, "bodies", (int64_t[]){12}, (double[]){0.1}, 1, &err),
                 OK);
    int status = real_reader(scratch,
                             "--require bodies:displacement --require velocity --require stress "
                             "--require body",
                             &tree);
    cr_assert_eq(status, 0);
    static const struct {
      const char *path;
      double value;
    } expected[] = {{"TIME", 0.1},
                    {"CYCLE", 12},
                    {"points", 4},
                    {"cells", 2},
                    {"arrays.displacement.components", 3},
                    {"arrays.displacement.tuples", 4},
                    {"arrays.displacement.first.0", 0.1},
                    {"arrays.displacement.first.1", 1e-300},
                    {"arrays.velocity.sum", 10.5},
                    {"arrays.stress.components", 6},
                    {"arrays.stress.first.5", 6},
                    {"arrays.stress.range.1", 11},
                    {"arrays.body.range.0", -7},
                    {"arrays.body.range.1", 70000}};
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
      char path[128];
      snprintf(path, sizeof path, "series.bodies.files.0.%s", expected[k].path);
      cr_assert_eq(json_number(&tree, path, NUMBER_NAN), expected[k].value, "%s", path);
    }
    cr_assert_eq(json_number(&tree, "series.bodies.times.0", NUMBER_NAN), 0.1);
    json_free(&tree);
  }
}

Test(vtk, is_read_by_vtk_itself_when_there_is_nothing_yet, .timeout = 60) {
  VtkGrid nothing = {.title = "no contacts",
                     .n_point_arrays = 2,
                     .point_arrays = point_arrays,
                     .n_cell_arrays = 2,
                     .cell_arrays = cell_arrays};
  for (int ascii = 0; ascii < 2; ascii++) {
    Err err = {0};
    JsonTree tree;
    VtkData data;
    cr_assert_eq(vtk_write(&nothing, in_scratch("a.vtk"), ascii, &err), OK);
    cr_assert_eq(vtk_read(&data, in_scratch("a.vtk"), &err), OK, "%s", err.text);
    cr_assert(data.n_points == 0 && data.n_arrays == 4);
    vtk_free(&data);
    cr_assert_eq(real_reader(in_scratch("a.vtk"), "--require displacement --require stress", &tree),
                 0);
    json_free(&tree);
  }
}

Test(vtk, check_with_vtk_itself_notices_what_is_missing, .timeout = 60) {
  JsonTree tree;
  size_t size;
  write_square(in_scratch("a.vtk"), 0);
  cr_assert_eq(real_reader(in_scratch("a.vtk"), "--require gap", &tree), 1);
  json_free(&tree);
  char *whole = read_bytes(in_scratch("a.vtk"), &size);
  write_bytes(in_scratch("a.vtk"), whole, size / 2);
  mem_free(whole);
  cr_assert_eq(real_reader(in_scratch("a.vtk"), "--require body", &tree), 1);
  json_free(&tree);
}

Test(vtk, reads_files_of_other_programs) {
  static const char text[] =
      "# vtk DataFile Version 5.1\nother\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n"
      "0 0 0 1 0 0\n0 1 0\nMETADATA\nINFORMATION 0\n\nCELLS 2 3\nOFFSETS vtktypeint64\n0 3\n"
      "CONNECTIVITY vtktypeint64\n0 1 2\nCELL_TYPES 1\n5\nPOINT_DATA 3\n"
      "SCALARS pressure%20x double\nLOOKUP_TABLE default\n1 2 3\nVECTORS v float\n1 2 3 4 5 6 7 8 9\n"
      "CELL_DATA 1\nTENSORS s double\n1 2 3 4 5 6 7 8 9\nFIELD FieldData 1\nid 1 1 unsigned_char\n4\n";
  Err err = {0};
  VtkData data;
  write_text(in_scratch("a.vtk"), text);
  cr_assert_eq(vtk_read(&data, in_scratch("a.vtk"), &err), OK, "%s", err.text);
  cr_assert(data.n_cells == 1 && data.cell_point[2] == 2 && isnan(data.time));
  cr_assert_eq(vtk_array(&data, "pressure x", 0)->value[2], 3);
  cr_assert_eq(vtk_array(&data, "s", 1)->n_components, 9);
  cr_assert_eq(vtk_array(&data, "id", 1)->value[0], 4);
  vtk_free(&data);
}

Test(vtk, names_the_file_of_what_is_wrong) {
  static const char *const wrong[] = {
      "",
      "# vtk DataFile Version 3.0\nt\nBINARY\nDATASET POLYDATA\n",
      "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 999999999 double\n0 0 0\n",
      "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 double\n0 0 x\n",
      "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 double\n0 0 0\n"
      "CELLS 1 2\n1 7\n",
      "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 double\n0 0 0\n"
      "CELLS 1 2\n5 0\n",
      "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 1 double\n0 0 0\n"
      "POINT_DATA 2\n"};
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    Err err = {0};
    VtkData data;
    write_text(in_scratch("w.vtk"), wrong[k]);
    cr_assert_eq(vtk_read(&data, in_scratch("w.vtk"), &err), ERR_INPUT, "%zu", k);
    cr_assert(strstr(err.text, "w.vtk"), "%s", err.text);
  }
}

Test(vtk, never_crashes_on_damage) {
  unsigned seed = 9;
  for (int ascii = 0; ascii < 2; ascii++) {
    write_square(in_scratch("a.vtk"), ascii);
    size_t size;
    char *whole = read_bytes(in_scratch("a.vtk"), &size);
    for (size_t n = 0; n < size + 300; n += n < size ? 5 : 1) { // more of it: fuzz_vtk
      VtkData data;
      size_t at = next_random(&seed) % size;
      char old = whole[at];
      if (n >= size) whole[at] = (char)next_random(&seed);
      write_bytes(in_scratch("d.vtk"), whole, n < size ? n : size);
      Status status = vtk_read(&data, in_scratch("d.vtk"), NULL);
      cr_assert(status == OK || status == ERR_INPUT);
      vtk_free(&data);
      whole[at] = old;
    }
    mem_free(whole);
  }
}

Test(vtk, refuses_what_the_format_cannot_hold) {
  Err err = {0};
  double bad_points[12] = {0, NUMBER_NAN};
  VtkGrid grid = square;
  grid.points = bad_points;
  cr_assert_eq(vtk_write(&grid, in_scratch("a.vtk"), 1, &err), ERR_NUMERIC);
  cr_assert(strstr(err.text, "points") && strstr(err.text, "a.vtk"), "%s", err.text);
  cr_assert_eq(vtk_write(&grid, in_scratch("a.vtk"), 0, &err), OK);
  VtkArray bad_name = {.name = "two words", .n_components = 1, .real = points};
  grid = square;
  grid.n_point_arrays = 1;
  grid.point_arrays = &bad_name;
  cr_assert_eq(vtk_write(&grid, in_scratch("a.vtk"), 0, &err), ERR_BUG);
  grid = square;
  grid.title = "two\nlines";
  cr_assert_eq(vtk_write(&grid, in_scratch("a.vtk"), 0, &err), OK);
  VtkData data;
  cr_assert_eq(vtk_read(&data, in_scratch("a.vtk"), &err), OK);
  vtk_free(&data);
}

Test(vtk, keeps_the_old_file_when_the_disk_is_full) {
  Err err = {0};
  VtkData data;
  const char *path = in_scratch("a.vtk");
  write_square(path, 0);
  fill_disk(path);
  cr_assert_eq(vtk_write(&square, path, 0, &err), ERR_SYSTEM);
  cr_assert(strstr(err.text, "No space left"), "%s", err.text);
  cr_assert_eq(vtk_read(&data, path, &err), OK);
  expect_square(&data);
  vtk_free(&data);
  fill_disk(in_scratch("b.vtk.series"));
  cr_assert_eq(vtk_write_series(scratch, "b", (int64_t[]){1}, (double[]){1}, 1, &err), ERR_SYSTEM);
}

Test(vtk, series_reads_back_names_and_times) {
  Err err = {0};
  VtkSeries series;
  cr_assert_eq(vtk_write_series(scratch, "b", (int64_t[]){0, 1234567}, (double[]){0, 0.3}, 2, &err),
               OK);
  cr_assert_eq(vtk_read_series(&series, in_scratch("b.vtk.series"), &err), OK, "%s", err.text);
  cr_assert_eq(series.n, 2);
  cr_assert_str_eq(series.file[0], "b_000000.vtk");
  cr_assert_str_eq(series.file[1], "b_1234567.vtk");
  cr_assert_eq(series.time[1], 0.3);
  vtk_free_series(&series);
  write_text(in_scratch("c.vtk.series"), "{\"files\":[{\"name\":3}]}");
  cr_assert_eq(vtk_read_series(&series, in_scratch("c.vtk.series"), &err), ERR_INPUT);
}

Test(vtk, survives_every_failing_allocation) {
  int failures = 0;
  Err err = {0};
  write_square(in_scratch("a.vtk"), 0);
  cr_assert_eq(vtk_write_series(scratch, "b", (int64_t[]){0, 1}, (double[]){0, 0.3}, 2, &err), OK);
  for (int n = 1; n < 40; n++) {
    VtkData data;
    VtkSeries series;
    mem_fail_after(n);
    Status status = vtk_read(&data, in_scratch("a.vtk"), &err);
    cr_assert(status == OK || status == ERR_SYSTEM, "%s", err.text);
    failures += status != OK;
    vtk_free(&data);
    mem_fail_after(n);
    status = vtk_read_series(&series, in_scratch("b.vtk.series"), &err);
    cr_assert(status == OK || status == ERR_SYSTEM, "%s", err.text);
    vtk_free_series(&series);
    mem_fail_after(0);
    cr_assert_eq(mem_live_blocks(), 0);
  }
  cr_assert_geq(failures, 10);
}

Test(vtk, points_that_have_moved_stand_where_they_are_and_are_read_where_they_were) {
  const double places[6] = {1, 2, 3, 4, 5, 6}, moves[6] = {0.5, 0, -1, 0, 0, 0.25};
  const VtkArray array = {"displacement", 3, moves, NULL};
  VtkGrid grid = {
      .n_points = 2, .points = places, .moved = 1, .n_point_arrays = 1, .point_arrays = &array};
  const char *path = in_scratch("moved.vtk");
  VtkData data;
  size_t size;
  cr_assert_eq(vtk_write(&grid, path, 1, NULL), OK);
  char *text = read_bytes(path, &size);
  cr_assert(strstr(text, "POINTS 2 double\n1.5 2 2\n4 5 6.25\n"), "%s", text);
  cr_assert(strstr(text, "MOVED 1 1 int\n1\n"), "%s", text);
  mem_free(text);
  cr_assert_eq(vtk_read(&data, path, NULL), OK);
  for (int k = 0; k < 6; k++) cr_assert_float_eq(data.points[k], places[k], 1e-15);
  vtk_free(&data);
}
