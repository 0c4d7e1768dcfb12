#define _POSIX_C_SOURCE 200809L
#include "scratch.h"

#include <math.h>

#include "file/csv.h"
#include "file/number.h"

TestSuite(csv, .init = scratch_make, .fini = scratch_remove);

static const char *const names[] = {"time", "reaction"}, *const units[] = {"s", "N"};

static void write_rows(const char *path, int first, int last, long n_keep) {
  Err err = {0};
  CsvWriter csv;
  cr_assert_eq(csv_open(&csv, path, names, units, 2, n_keep, &err), OK, "%s", err.text);
  for (int k = first; k <= last; k++)
    cr_assert_eq(csv_row(&csv, (double[]){0.1 * k, 1.0 / 3 * k}, &err), OK);
  cr_assert_eq(csv_flush(&csv, &err), OK, "%s", err.text);
  cr_assert_eq(csv_close(&csv, &err), OK);
  cr_assert_eq(csv_close(&csv, &err), OK);
}

Test(csv, reads_back_names_units_and_the_same_bits) {
  Err err = {0};
  CsvTable table;
  write_rows(in_scratch("h.csv"), 1, 100, -1);
  cr_assert_eq(csv_read(&table, in_scratch("h.csv"), &err), OK, "%s", err.text);
  cr_assert(table.n_columns == 2 && table.n_rows == 100);
  cr_assert_str_eq(table.names[1], "reaction");
  cr_assert_str_eq(table.units[1], "N");
  cr_assert_eq(csv_column(&table, "reaction"), 1);
  cr_assert_eq(csv_column(&table, "absent"), -1);
  for (int k = 0; k < 100; k++) {
    cr_assert_eq(table.value[2 * k], 0.1 * (k + 1));
    cr_assert_eq(table.value[2 * k + 1], 1.0 / 3 * (k + 1));
  }
  csv_free(&table);
}

Test(csv, begins_with_units_and_names) {
  write_rows(in_scratch("h.csv"), 1, 1, -1);
  size_t size;
  char *text = read_bytes(in_scratch("h.csv"), &size);
  cr_assert_str_eq(text, "# units: s,N\ntime,reaction\n0.1,0.3333333333333333\n");
  mem_free(text);
}

Test(csv, continues_after_a_restart_as_if_it_had_never_stopped) {
  write_rows(in_scratch("whole.csv"), 1, 9, -1);
  write_rows(in_scratch("cut.csv"), 1, 7, -1);
  FILE *stream = fopen(in_scratch("cut.csv"), "ab");
  fputs("0.8,2.6", stream); // a row that the killed run did not finish
  fclose(stream);
  write_rows(in_scratch("cut.csv"), 6, 9, 5);
  size_t n_whole, n_cut;
  char *whole = read_bytes(in_scratch("whole.csv"), &n_whole);
  char *cut = read_bytes(in_scratch("cut.csv"), &n_cut);
  cr_assert_str_eq(whole, cut);
  mem_free(whole);
  mem_free(cut);
}

Test(csv, sums_what_was_written_the_same_whether_it_was_stopped_or_not) {
  Err err = {0};
  CsvWriter csv;
  uint64_t sum[4];
  write_rows(in_scratch("h.csv"), 1, 7, -1);
  cr_assert_eq(csv_sum(in_scratch("h.csv"), 5, &sum[0], &err), OK, "%s", err.text);
  cr_assert_eq(csv_open(&csv, in_scratch("h.csv"), names, units, 2, 5, &err), OK, "%s", err.text);
  cr_assert_eq(csv.sum, sum[0]);
  cr_assert_eq(csv_row(&csv, (double[]){0.6, 2}, &err), OK);
  sum[1] = csv.sum;
  cr_assert_eq(csv_close(&csv, &err), OK);
  cr_assert_eq(csv_sum(in_scratch("h.csv"), 6, &sum[2], &err), OK, "%s", err.text);
  cr_assert_eq(sum[1], sum[2]);
  cr_assert_neq(sum[0], sum[1]);
  cr_assert_eq(csv_sum(in_scratch("h.csv"), 7, &sum[3], &err), ERR_INPUT);
  cr_assert(strstr(err.text, "holds 6 rows, 7 are needed"), "%s", err.text);
  // any byte of the header or of a row that counts, and none behind them
  size_t size, end = 0; // end of two lines and five rows
  char *text = read_bytes(in_scratch("h.csv"), &size);
  for (int lines = 0; lines < 7; end++) lines += text[end] == '\n';
  for (size_t k = 0; k < size; k++) {
    if (text[k] == '\n') continue;
    text[k] ^= 1;
    write_bytes(in_scratch("h.csv"), text, size);
    text[k] ^= 1;
    cr_assert_eq(csv_sum(in_scratch("h.csv"), 5, &sum[3], &err), OK, "%s", err.text);
    cr_assert_eq(sum[3] == sum[0], k >= end, "byte %zu of %zu", k, size);
  }
  mem_free(text);
}

Test(csv, does_not_continue_a_file_of_another_run) {
  Err err = {0};
  CsvWriter csv;
  const char *const other[] = {"time", "gap"};
  write_rows(in_scratch("h.csv"), 1, 3, -1);
  cr_assert_eq(csv_open(&csv, in_scratch("h.csv"), other, units, 2, 1, &err), ERR_INPUT);
  cr_assert_eq(csv_open(&csv, in_scratch("h.csv"), names, units, 2, 4, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "holds 3 rows, 4 are needed"), "%s", err.text);
  cr_assert_eq(csv_open(&csv, in_scratch("absent.csv"), names, units, 2, 0, &err), ERR_INPUT);
  cr_assert_eq(csv_close(&csv, &err), OK);
  CsvTable table;
  cr_assert_eq(csv_read(&table, in_scratch("h.csv"), &err), OK);
  cr_assert_eq(table.n_rows, 3);
  csv_free(&table);
}

Test(csv, notices_a_full_disk) {
  Err err = {0};
  CsvWriter csv;
  cr_assert_eq(csv_open(&csv, "/dev/full", names, units, 2, -1, &err), OK);
  cr_assert_eq(csv_row(&csv, (double[]){1, 2}, &err), OK); // still in the buffer
  cr_assert_eq(csv_flush(&csv, &err), ERR_SYSTEM);
  cr_assert(strstr(err.text, "/dev/full") && strstr(err.text, "No space left"), "%s", err.text);
  Status status = OK;
  for (int k = 0; k < 10000 && status == OK; k++) status = csv_row(&csv, (double[]){1, 2}, &err);
  cr_assert_eq(status, ERR_SYSTEM);
  cr_assert_eq(csv_close(&csv, &err), ERR_SYSTEM);
  cr_assert_eq(csv_open(&csv, in_scratch("no/folder.csv"), names, units, 2, -1, &err), ERR_SYSTEM);
}

Test(csv, allocates_nothing_for_a_row) {
  Err err = {0};
  CsvWriter csv;
  cr_assert_eq(csv_open(&csv, in_scratch("h.csv"), names, units, 2, -1, &err), OK);
  int64_t calls = mem_total_calls();
  for (int k = 0; k < 1000; k++)
    cr_assert_eq(csv_row(&csv, (double[]){NUMBER_NAN, -NUMBER_INF}, &err), OK);
  cr_assert_eq(mem_total_calls(), calls);
  cr_assert_eq(csv_close(&csv, &err), OK);
}

Test(csv, reads_tables_that_people_write) {
  Err err = {0};
  CsvTable table;
  write_text(in_scratch("a.csv"), "# a comment\r\n1, 2.5 ,\r\n\r\n 3,nan,1e3");
  cr_assert_eq(csv_read(&table, in_scratch("a.csv"), &err), OK, "%s", err.text);
  cr_assert(table.n_columns == 3 && table.n_rows == 2);
  cr_assert_str_eq(table.names[2], "column_3");
  cr_assert_null(table.units);
  cr_assert(table.value[1] == 2.5 && isnan(table.value[2]) && isnan(table.value[4]));
  csv_free(&table);
  write_text(in_scratch("b.csv"), "x,y\n");
  cr_assert_eq(csv_read(&table, in_scratch("b.csv"), &err), OK);
  cr_assert(table.n_columns == 2 && table.n_rows == 0);
  csv_free(&table);
}

Test(csv, reads_decimal_commas_beside_semicolons_and_byte_order_marks) {
  Err err = {0};
  CsvTable table;
  write_text(in_scratch("a.csv"), "\xEF\xBB\xBF# units: s;N\nt;f\n0,5;-1,25e2\n1;\n");
  cr_assert_eq(csv_read(&table, in_scratch("a.csv"), &err), OK, "%s", err.text);
  cr_assert(table.n_columns == 2 && table.n_rows == 2);
  cr_assert_str_eq(table.names[0], "t");
  cr_assert_str_eq(table.units[1], "N");
  cr_assert(table.value[0] == 0.5 && table.value[1] == -125 && isnan(table.value[3]));
  csv_free(&table);
  write_text(in_scratch("b.csv"), "\xEF\xBB\xBF"
                                  "1,2\n3,4\n");
  cr_assert_eq(csv_read(&table, in_scratch("b.csv"), &err), OK, "%s", err.text);
  cr_assert(table.n_rows == 2 && table.value[0] == 1, "the first row is lost");
  csv_free(&table);
}

// Only as many rows as are wanted are looked at, and columns of another run are known before.
Test(csv, reads_the_first_rows_of_a_file_that_ends_in_the_middle_of_one) {
  Err err = {0};
  CsvTable table;
  int same;
  write_text(in_scratch("cut.csv"), "# units: s,N\ntime,reaction\n1,2\n3,4\n5");
  cr_assert_eq(csv_read_rows(&table, in_scratch("cut.csv"), 2, &err), OK, "%s", err.text);
  cr_assert(table.n_rows == 2 && table.value[3] == 4);
  csv_free(&table);
  cr_assert_eq(csv_has_columns(in_scratch("cut.csv"), names, units, 2, &same, &err), OK);
  cr_assert(same);
  cr_assert_eq(csv_has_columns(in_scratch("cut.csv"), names, units, 1, &same, &err), OK);
  cr_assert_not(same);
}

Test(csv, notices_that_its_file_was_removed_or_replaced) {
  Err err = {0};
  CsvWriter csv;
  const char *path = in_scratch("h.csv");
  cr_assert_eq(csv_open(&csv, path, names, units, 2, -1, &err), OK);
  cr_assert_eq(csv_row(&csv, (double[]){1, 2}, &err), OK);
  cr_assert_eq(csv_flush(&csv, &err), OK);
  cr_assert_eq(remove(path), 0);
  cr_assert_eq(csv_flush(&csv, &err), ERR_SYSTEM);
  write_text(path, "another");
  cr_assert_eq(csv_flush(&csv, &err), ERR_SYSTEM);
  cr_assert(strstr(err.text, "was removed or replaced"), "%s", err.text);
  cr_assert_eq(csv_close(&csv, &err), OK);
}

// Emptied, and what was in the buffer behind it; or with a row that is not ours.
Test(csv, notices_that_its_file_was_changed_while_it_is_open) {
  for (int appended = 0; appended < 2; appended++) {
    Err err = {0};
    CsvWriter csv;
    const char *path = in_scratch("h.csv");
    cr_assert_eq(csv_open(&csv, path, names, units, 2, -1, &err), OK);
    cr_assert_eq(csv_row(&csv, (double[]){1, 2}, &err), OK);
    cr_assert_eq(csv_flush(&csv, &err), OK);
    FILE *other = fopen(path, appended ? "ab" : "wb");
    cr_assert_not_null(other);
    if (appended) fputs("3,4\n", other);
    fclose(other);
    cr_assert_eq(csv_row(&csv, (double[]){5, 6}, &err), OK);
    cr_assert_eq(csv_flush(&csv, &err), ERR_SYSTEM);
    cr_assert(strstr(err.text, "it was changed while the run wrote it"), "%s", err.text);
    cr_assert_eq(csv_close(&csv, &err), OK);
  }
}

Test(csv, names_file_and_line_of_what_is_wrong) {
  static const struct {
    const char *text, *message;
  } wrong[] = {{"a,b\n1,2\n1\n", "w.csv:3: 1 cells, 2 expected"},
               {"a,b\n1,2\n\n1,x\n", "w.csv:4: 'x' is not a number"},
               {"a,b\n1,2\n1,0x10\n", "w.csv:3: '0x10' is not a number"},
               {"a,b\n1,2\n1;5,2\n", "w.csv:3: '1;5' is not a number"},
               {"a;b\n1,5;2\n1.5;2\n", "w.csv:3: '1.5' is not a number"},
               {"a;b\n1,5\n", "w.csv:2: 1 cells, 2 expected"},
               {"", "no table"},
               {"# only\n", "no table"}};
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    Err err = {0};
    CsvTable table;
    write_text(in_scratch("w.csv"), wrong[k].text);
    cr_assert_eq(csv_read(&table, in_scratch("w.csv"), &err), ERR_INPUT);
    cr_assert(strstr(err.text, wrong[k].message), "%s", err.text);
  }
  Err err = {0};
  CsvTable table;
  cr_assert_eq(csv_read(&table, in_scratch("absent.csv"), &err), ERR_INPUT);
  cr_assert_eq(csv_read(&table, scratch, &err), ERR_INPUT);
}

static void take_word(void *who, const char *text) {
  char *said = who;
  snprintf(said + strlen(said), 400 - strlen(said), "%s\n", text + strlen(scratch) + 1);
}

Test(csv, tells_all_rows_that_are_wrong_to_who_listens) {
  char said[400] = "";
  const CsvListener listener = {take_word, said};
  Err err = {0};
  CsvTable table;
  write_text(in_scratch("w.csv"), "a,b,a,,\n1,2,3,,\n# no row\n1\n4,x,y,,\n5,6,7,,\n");
  cr_assert_eq(csv_read_told(&table, in_scratch("w.csv"), &listener, &err), OK, "%s", err.text);
  cr_assert_str_eq(said, "w.csv:4: 1 cells, 5 expected\nw.csv:5: 'x' is not a number\n");
  cr_assert_eq(table.n_rows, 2);
  cr_assert_eq(table.line[0], 2);
  cr_assert_eq(table.line[1], 6);
  cr_assert_eq(table.value[5], 5);
  cr_assert_eq(csv_doubled(&table), 2);
  csv_free(&table);
  write_text(in_scratch("w.csv"), "a,b,,\n1,2,,\n");
  cr_assert_eq(csv_read(&table, in_scratch("w.csv"), &err), OK);
  cr_assert_eq(csv_doubled(&table), -1);
  csv_free(&table);
}

Test(csv, never_crashes_on_damage) {
  unsigned seed = 5;
  write_rows(in_scratch("h.csv"), 1, 20, -1);
  size_t size;
  char *whole = read_bytes(in_scratch("h.csv"), &size);
  for (size_t n = 0; n < size + 300; n++) {
    CsvTable table;
    if (n >= size) whole[next_random(&seed) % size] = (char)next_random(&seed);
    write_bytes(in_scratch("d.csv"), whole, n < size ? n : size);
    Status status = csv_read(&table, in_scratch("d.csv"), NULL);
    cr_assert(status == OK || status == ERR_INPUT);
    csv_free(&table);
  }
  mem_free(whole);
}

Test(csv, survives_every_failing_allocation) {
  int failures = 0;
  write_rows(in_scratch("h.csv"), 1, 20, -1);
  for (int n = 1; n < 20; n++) {
    Err err = {0};
    CsvTable table;
    CsvWriter csv;
    mem_fail_after(n);
    Status status = csv_read(&table, in_scratch("h.csv"), &err);
    cr_assert(status == OK || status == ERR_SYSTEM, "%s", err.text);
    failures += status != OK;
    csv_free(&table);
    mem_fail_after(n);
    status = csv_open(&csv, in_scratch("h.csv"), names, units, 2, 20, &err);
    cr_assert(status == OK || status == ERR_SYSTEM, "%s", err.text);
    mem_fail_after(0);
    cr_assert_eq(csv_close(&csv, &err), OK);
    cr_assert_eq(mem_live_blocks(), 0);
  }
  cr_assert_geq(failures, 5);
}
