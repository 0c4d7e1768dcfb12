#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../../support/input_sample.h"
#include "base/mem.h"
#include "input/function.h"

TestSuite(function, .init = sample_enter, .fini = sample_leave);

static double at(const Function *f, double t) {
  double value = (double)NAN;
  Err err = {0};
  cr_assert_eq(function_value(f, t, &value, &err), OK, "%s", err.text);
  return value;
}

static double rate(const Function *f, double t) {
  double value = (double)NAN;
  cr_assert_eq(function_rate(f, t, &value, NULL), OK);
  return value;
}

static double second_rate(const Function *f, double t) {
  double value = (double)NAN;
  cr_assert_eq(function_second_rate(f, t, &value, NULL), OK);
  return value;
}

Test(function, of_a_constant_text_is_constant) {
  Function f;
  Err err = {0};
  cr_assert_eq(function_expression(&f, "2*3", &err), OK);
  cr_assert(function_is_constant(&f));
  cr_assert_eq(at(&f, 7), 6);
  cr_assert_eq(rate(&f, 7), 0);
  function_free(&f);
  function_constant(&f, 4);
  cr_assert_eq(at(&f, 0), 4);
  function_free(&f);
}

Test(function, of_an_expression_has_rates_by_differences) {
  Function f;
  Err err = {0};
  cr_assert_eq(function_expression(&f, "sin(3*t)", &err), OK);
  cr_assert_not(function_is_constant(&f));
  cr_assert_float_eq(at(&f, 0.4), sin(1.2), 1e-15);
  cr_assert_float_eq(rate(&f, 0.4), 3 * cos(1.2), 1e-9);
  cr_assert_float_eq(second_rate(&f, 0.4), -9 * sin(1.2), 1e-6);
  function_free(&f);
  cr_assert_eq(function_expression(&f, "2*x", &err), ERR_INPUT);
  function_free(&f);
}

Test(function, of_a_table_is_linear_between_rows_and_constant_outside) {
  sample_write("ramp.csv", "# units: s,N,mm\ntime,force,travel\n0, 5, 0\n\n1,5,10\r\n3\t,5, 20\n");
  Function f;
  Err err = {0};
  cr_assert_eq(function_table(&f, "ramp.csv", 3, 1e-3, &err), OK, "%s", err.text);
  cr_assert_eq(f.n, 3);
  cr_assert_eq(at(&f, -1), 0);
  cr_assert_float_eq(at(&f, 0.5), 5e-3, 1e-18);
  cr_assert_float_eq(at(&f, 2), 15e-3, 1e-18);
  cr_assert_float_eq(at(&f, 9), 20e-3, 1e-18);
  cr_assert_float_eq(rate(&f, 2), 5e-3, 1e-18);
  cr_assert_eq(rate(&f, 9), 0);
  double first, last;
  cr_assert(function_span(&f, &first, &last));
  cr_assert_eq(last, 3);
  function_free(&f);
}

static const char *refusal(const char *text) {
  static Err err;
  Function f;
  err_clear(&err);
  sample_write("bad.csv", text);
  cr_assert_eq(function_table(&f, "bad.csv", 2, 1, &err), ERR_INPUT);
  function_free(&f);
  return err.text;
}

// One separator a file, that of its first row; beside ';' and tabs a comma is a decimal one.
Test(function, of_a_table_understands_decimal_commas_and_byte_order_marks) {
  static const char *const same[] = {"0;0,5\n2;1,5\n",
                                     "time;force\n0,0;0,5\n2,0;1,5\n",
                                     "0,0\t0,5\n2,0\t1,5\t\r\n",
                                     ("\xEF\xBB\xBF"
                                      "0,0.5\n2,1.5\n"),
                                     "\xEF\xBB\xBFt,f\r\n0,0.5\r\n2,1.5\r\n",
                                     "0 0.5\n 2\t1.5 \n"};
  for (size_t k = 0; k < sizeof same / sizeof same[0]; k++) {
    Function f;
    Err err = {0};
    sample_write("same.csv", same[k]);
    cr_assert_eq(function_table(&f, "same.csv", 2, 1, &err), OK, "%s: %s", same[k], err.text);
    cr_assert(f.n == 2 && f.t[1] == 2 && f.a[0] == 0.5 && f.a[1] == 1.5, "%s", same[k]);
    function_free(&f);
  }
  cr_assert_str_eq(refusal("0;1\n1,5\n"), "bad.csv:2: 1 numbers, the rows above have 2");
  cr_assert_str_eq(refusal("0,1\n1;5\n"), "bad.csv:2: \"1;5\" is not a number");
  cr_assert_str_eq(refusal("0,5 1,5\n1,5 2,5\n"), "bad.csv:1: \"5 1,5\" is not a number");
  cr_assert_str_eq(refusal("0 0\n0,5 1\n"), "bad.csv:2: \"0,5 1\" is not a number");
  cr_assert_str_eq(refusal("0;0,5\n1;1.5\n"), "bad.csv:2: \"1.5\" is not a number");
  cr_assert_str_eq(refusal("0;1,234,5\n"), "bad.csv:1: \"1,234,5\" is not a number");
}

Test(function, of_a_bad_table_names_the_line) {
  cr_assert_str_eq(refusal("0,1\n1,2,3\n"), "bad.csv:2: 3 numbers, the rows above have 2");
  cr_assert_str_eq(refusal("t,x\n0,1\n2,1\n2,1\n"),
                   "bad.csv:4: time 2 s does not increase (before: 2 s)");
  cr_assert_str_eq(refusal("t,x\nt,x\n0,1\n"), "bad.csv:2: \"t,x\" is not a number");
  // a first row with a slip is no header: it would be gone
  cr_assert_str_eq(refusal("0s,5\n1,6\n"), "bad.csv:1: \"0s,5\" is not a number");
  cr_assert_str_eq(refusal("\"0\",\"5\"\n1,6\n"), "bad.csv:1: \"\"0\",\"5\"\" is not a number");
  cr_assert_str_eq(refusal("\xC2\xA0;5,5\n1;6\n"), "bad.csv:1: \"\xC2\xA0;5,5\" is not a number");
  cr_assert_str_eq(refusal("0,1\n1,abc\n"), "bad.csv:2: \"abc\" is not a number");
  cr_assert_str_eq(refusal("0,1\n1,nan\n"), "bad.csv:2: \"nan\" is not a number");
  cr_assert_str_eq(refusal("0,1\n1,\n"), "bad.csv:2: \"\" is not a number");
  cr_assert_str_eq(refusal("0\n1\n"), "bad.csv:1: column 2 is wanted, there are 1");
  cr_assert_str_eq(refusal("# only\n"), "bad.csv: no rows of numbers");
  cr_assert_str_eq(refusal(""), "bad.csv: cannot be read: it is empty");
  Function f;
  Err err = {0};
  cr_assert_eq(function_table(&f, "none.csv", 2, 1, &err), ERR_INPUT);
  cr_assert_str_eq(err.text, "none.csv: cannot be read: No such file or directory");
  sample_write_bytes("zero.csv", "0,1\n\0,2\n", 8);
  cr_assert_eq(function_table(&f, "zero.csv", 2, 1, &err), ERR_INPUT);
  cr_assert_str_eq(err.text, "zero.csv: cannot be read: it is not a text file");
  function_free(&f);
}

// Acceleration 6 t up to t = 2, then falling to zero at t = 3: v = 3 t^2, x = t^3 at first.
Test(function, of_an_accelerogram_integrates_the_linear_pieces_exactly) {
  sample_write("a.csv", "0 0\n1 6\n2 12\n3 0\n");
  Function f;
  Err err = {0};
  cr_assert_eq(function_accelerogram(&f, "a.csv", 2, 1, &err), OK, "%s", err.text);
  const double times[] = {0, 0.3, 1, 1.7, 2};
  for (int k = 0; k < 5; k++) {
    double t = times[k];
    cr_assert_float_eq(at(&f, t), t * t * t, 1e-13);
    cr_assert_float_eq(rate(&f, t), 3 * t * t, 1e-13);
    cr_assert_float_eq(second_rate(&f, t), 6 * t, 1e-13);
  }
  // From x = 8, v = 12 with a = 12 - 12 s: v = 18, x = 8 + 12 + 6 - 2 at the end, then it drifts.
  cr_assert_float_eq(rate(&f, 3), 18, 1e-13);
  cr_assert_float_eq(at(&f, 3), 24, 1e-13);
  cr_assert_float_eq(at(&f, 5), 60, 1e-13);
  cr_assert_eq(second_rate(&f, 5), 0);
  cr_assert_eq(at(&f, -1), 0);
  cr_assert_eq(rate(&f, -1), 0);
  function_free(&f);
}

#define PEER_HEAD "PEER STRONG MOTION DATABASE RECORD\nEL CENTRO 5/19/40, 000\nACCELERATION IN G\n"

static const char *read_at2(const char *name, const char *text, Function *f) {
  static Err err;
  err_clear(&err);
  sample_write(name, text);
  Status status = function_accelerogram(f, name, 2, 2, &err);
  return status == OK ? "" : err.text;
}

Test(function, of_a_peer_record_is_in_units_of_g) {
  const char *heads[] = {"NPTS=  7, DT= .0050 SEC\n", "NPTS=7, DT=0.005 SEC,\r\n",
                         "npts =   7, dt =   .005 sec\n", "    7    0.0050    NPTS, DT\n"};
  for (int k = 0; k < 4; k++) {
    char text[500];
    snprintf(text, sizeof text, PEER_HEAD "%s  .1E+00 .2E+00 .3 .4 -.5\n  0.6  .7\n", heads[k]);
    Function f;
    cr_assert_str_eq(read_at2(k % 2 ? "r.AT2" : "r.at2", text, &f), "");
    cr_assert_eq(f.n, 7);
    cr_assert_float_eq(f.t[6], 0.03, 1e-15);
    cr_assert_float_eq(f.a[4], -0.5 * 2 * 9.80665, 1e-13);
    function_free(&f);
  }
}

Test(function, of_a_bad_peer_record_names_the_line) {
  Function f;
  cr_assert_str_eq(read_at2("r.at2", PEER_HEAD "NPTS= 7, DT= .005\n 1 2 3\n 4 5\n", &f),
                   "r.at2:6: 5 values, the header says NPTS = 7");
  function_free(&f);
  cr_assert_str_eq(read_at2("r.at2", PEER_HEAD "NPTS= 3, DT= .005\n 1 2x 3\n", &f),
                   "r.at2:5: \"2x 3\" is not a number");
  function_free(&f);
  cr_assert_str_eq(read_at2("r.at2", PEER_HEAD " 1 2 3\n", &f),
                   "r.at2:4: no \"NPTS= ..., DT= ...\" in the four lines of header");
  function_free(&f);
  cr_assert_str_eq(read_at2("r.at2", PEER_HEAD "NPTS= 3, DT= 0\n 1 2 3\n", &f),
                   "r.at2:4: NPTS = 3 and DT = 0, must be 2 or more and positive");
  function_free(&f);
}

// A record with rows at uneven times: x -> a(x), written by the caller's formula.
static void write_record(double (*a)(double)) {
  char text[40000];
  size_t used = 0;
  double t = 0.5; // records need not begin at zero
  for (int k = 0; k <= 400; k++, t += k % 3 ? 0.01 : 0.02)
    used += (size_t)snprintf(text + used, sizeof text - used, "%.17g,%.17g\n", t, a(t));
  sample_write("record.csv", text);
}

static double offset_and_slope(double t) {
  return 1 + 2 * t;
}
static double parabola(double t) {
  return 3 * t * t - t + 0.2;
}
static double shaken(double t) {
  return 3 * sin(9 * t) * exp(-t) + 0.1 + 0.02 * t;
}

static Function corrected(int degree) {
  Function f;
  Err err = {0};
  cr_assert_eq(function_accelerogram(&f, "record.csv", 2, 1, &err), OK, "%s", err.text);
  if (degree > 0) cr_assert_eq(function_baseline(&f, degree, &err), OK, "%s", err.text);
  return f;
}

Test(function, of_a_record_loses_with_its_baseline_what_is_a_polynomial) {
  static const struct {
    double (*a)(double);
    int degree;
  } cases[] = {{offset_and_slope, 1}, {offset_and_slope, 2}, {parabola, 2}};
  for (size_t k = 0; k < 3; k++) {
    write_record(cases[k].a);
    Function f = corrected(cases[k].degree);
    for (int i = 0; i < f.n; i++)
      cr_assert(fabs(f.a[i]) < 1e-10 && fabs(f.v[i]) < 1e-10 && fabs(f.x[i]) < 1e-9, "%g", f.a[i]);
    function_free(&f);
  }
  write_record(parabola); // which a line does not take away
  Function f = corrected(1);
  cr_assert_gt(function_peaks(&f).a, 1);
  function_free(&f);
}

Test(function, of_a_record_with_a_baseline_ends_where_it_began_and_stands) {
  write_record(shaken);
  Function raw = corrected(0);
  RecordPeaks before = function_peaks(&raw);
  cr_assert(function_drifts(&before));
  // the pieces of the record by themselves: the integral of a is what is left of the velocity
  double area = 0;
  for (int i = 0; i + 1 < raw.n; i++)
    area += 0.5 * (raw.t[i + 1] - raw.t[i]) * (raw.a[i] + raw.a[i + 1]);
  cr_assert_float_eq(before.v_end, area, 1e-12);
  for (int degree = 1; degree <= 2; degree++) {
    Function f = corrected(degree);
    RecordPeaks peaks = function_peaks(&f);
    double end = f.t[f.n - 1], mean = 0;
    cr_assert_not(function_drifts(&peaks));
    cr_assert_float_eq(peaks.v_end, 0, 1e-12 * peaks.v);
    cr_assert_float_eq(peaks.x_end, 0, 1e-12 * peaks.x);
    cr_assert_float_eq(at(&f, end + 5), at(&f, end), 1e-11 * peaks.x,
                       "the ground stands afterwards");
    enum { N = 20000 };
    for (int k = 0; k < N; k++) mean += at(&f, 0.5 + (end - 0.5) * (k + 0.5) / N) / N;
    if (degree == 2) cr_assert_float_eq(mean, 0, 1e-6 * peaks.x, "%g of %g", mean, peaks.x);
    if (degree == 1) cr_assert_gt(fabs(mean), 1e-3 * peaks.x);
    // what was taken is small and a polynomial: the shaking is still there
    for (int i = 0; i < f.n; i++) cr_assert_lt(fabs(f.a[i] - raw.a[i]), 0.6);
    cr_assert_float_eq(peaks.a, before.a, 0.6);
    function_free(&f);
  }
  function_free(&raw);
}

Test(function, of_a_record_too_short_for_its_baseline_says_so) {
  Function f;
  Err err = {0};
  sample_write("record.csv", "0,1\n1,2\n");
  cr_assert_eq(function_accelerogram(&f, "record.csv", 2, 1, &err), OK);
  cr_assert_eq(function_baseline(&f, 2, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "needs 3 rows"), "%s", err.text);
  err_clear(&err);
  cr_assert_eq(function_baseline(&f, 1, &err), OK);
  function_free(&f);
}

Test(function, survives_a_shortage_of_memory) {
  sample_write("a.csv", "0 0\n1 6\n2 12\n3 0\n");
  int64_t live = mem_live_blocks();
  for (int n = 1; n <= 6; n++) {
    Function f;
    Err err = {0};
    mem_fail_after(n);
    Status status = function_accelerogram(&f, "a.csv", 2, 1, &err);
    mem_fail_after(0);
    cr_assert_eq(status, n <= 5 ? ERR_SYSTEM : OK, "%d", n);
    function_free(&f);
    cr_assert_eq(mem_live_blocks(), live);
  }
}
