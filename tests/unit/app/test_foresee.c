#define _XOPEN_SOURCE 700
#include <math.h>
#include <stdlib.h>

#include "app/foresee.h"
#include "case_of_text.h"

// What `voussoir check` prints of an input; for the caller to free.
static char *foreseen(const char *text) {
  Case input;
  Err err = {0};
  char *out = NULL;
  size_t size;
  load_text(&input, text);
  FILE *stream = open_memstream(&out, &size);
  cr_assert_eq(foresee_print(&input, stream, &err), OK, "%s", err.text);
  fclose(stream);
  case_free(&input);
  return out;
}

// The number behind `words` on the line that begins with `start`.
static double number(const char *out, const char *start, const char *words) {
  const char *line = strstr(out, start);
  cr_assert_not_null(line, "no line '%s' in\n%s", start, out);
  const char *end = strchr(line, '\n'), *found = strstr(line, words);
  cr_assert(found && found < end, "no '%s' behind '%s' in\n%s", words, start, out);
  return atof(found + strlen(words));
}

// A column under its weight: rho g L^2 / (2 E), four passages of a wave along it (B8, B9).
Test(foresee, a_column_sinks_and_swings_as_the_bar_does) {
  scratch_make();
  char *out = foreseen(
      "<voussoir><material name='s' density='1000' young='1e7' poisson='0'/><law name='d' friction='0.5'/>"
      "<block name='b' material='s' width='1' height='10' cells_y='20' pattern='q4'/>"
      "<support name='base' shape='box' x='-1' y='-1' width='3' height='1'/>"
      "<contact candidate='b' antagonist='base' law='d'/><gravity/>"
      "<time end='1' step='1e-3'/></voussoir>");
  cr_expect_float_eq(number(out, "  weight", "weight      "), 98100, 1e-6);
  cr_expect_float_eq(number(out, "  waves", "along bars "), 100, 1e-3);
  cr_expect_float_eq(number(out, "  at rest", "by about "), 0.04905, 5e-5);
  cr_expect_float_eq(number(out, "  at rest", "swing with "), 0.4, 1e-4);
  cr_expect_eq(number(out, "  at the start ", "start "), 3, "%s", out);
  cr_expect_null(strstr(out, "hanging"));
  cr_expect_eq(number(out, "  expected", "expected    "), 1000);
  cr_expect_eq(number(out, "  fields", "fields      "), 52, "%s", out);
  free(out);
  scratch_remove();
}

// Masses at the nodes of n by n cells: 1 + 2 / n^2 times m (a^2 + b^2) / 12 of a rectangle, of
// crossed triangles 1 + 1 / n^2, wherever it stands.
Test(foresee, blocks_of_few_cells_turn_with_more_inertia) {
  static const char TEXT[] =
      "<voussoir><material name='s' density='1000' young='1e7'/><law name='d' friction='0.5'/>"
      "<block name='b' material='s' width='0.5' height='1' x='3' y='2' angle='0.3' cells_x='%d'"
      " cells_y='%d' pattern='%s' kinematics='%s'/><support name='base' shape='plane'/>"
      "<contact candidate='b' antagonist='base' law='d'/><time end='1' step='1e-3'/></voussoir>";
  static const struct {
    int n;
    const char *pattern, *kinematics;
  } cases[] = {{1, "q4", "finite"}, {2, "q4", "corotational"}, {2, "t3_cross", "small"}};
  const double expected[] = {3, 1.5, 1.25};
  scratch_make();
  for (int k = 0; k < 3; k++) {
    char text[1000];
    snprintf(text, sizeof text, TEXT, cases[k].n, cases[k].n, cases[k].pattern,
             cases[k].kinematics);
    char *out = foreseen(text);
    cr_expect_float_eq(number(out, "  turning", "up to "), expected[k], 5e-3, "%s", out);
    free(out);
  }
  char text[1000];
  snprintf(text, sizeof text, TEXT, 1, 1, "q4", "rigid");
  char *out = foreseen(text);
  cr_expect_null(strstr(out, "  turning"), "%s", out);
  free(out);
  scratch_remove();
}

// Jean's block of eight triangles, E = 1e6: h omega_max = 4.8 at h = 1e-3. The same from the
// tangents of a body at finite strains, whose elements are others' code; twice the step has twice
// the number.
Test(foresee, the_highest_frequency_is_that_of_jeans_block) {
  static const char TEXT[] =
      "<voussoir><material name='s' density='500' young='1e6' poisson='0.3' %s/><law name='d' friction='0.5'/>"
      "<block name='b' material='s' width='0.1' height='0.05' kinematics='%s'/>"
      "<support name='base' shape='box' x='-1' y='-1' width='3' height='1'/>"
      "<contact candidate='b' antagonist='base' law='d'/><gravity/><time end='1' step='%s'/></voussoir>";
  static const char *const kinds[2][2] = {{"", "small"}, {"law='st_venant_kirchhoff'", "finite"}};
  double found[2][2];
  scratch_make();
  for (int kind = 0; kind < 2; kind++)
    for (int k = 0; k < 2; k++) {
      char text[1000];
      snprintf(text, sizeof text, TEXT, kind ? "" : kinds[kind][0], kinds[kind][1],
               k ? "2e-3" : "1e-3");
      char *out = foreseen(text);
      found[kind][k] = number(out, "  frequency", "h omega_max = ");
      free(out);
    }
  cr_expect_float_eq(found[0][0], 4.8, 0.1, "%g", found[0][0]);
  cr_expect_float_eq(found[0][1] / found[0][0], 2, 0.01);
  cr_expect_float_eq(found[1][0] / found[0][0], 1, 0.01, "%g", found[1][0]);
  scratch_remove();
}

Test(foresee, loads_motions_and_records_are_told_in_g) {
  scratch_make();
  char record[20000] = "time,acc\n";
  size_t used = strlen(record);
  // 0.5 s of a sine of 0.2 g in g: v = A T / pi at the end, its largest, x = A T^2 / pi
  for (int k = 0; k <= 500; k++)
    used += (size_t)snprintf(record + used, sizeof record - used, "%.4f,%.10g\n", 1e-3 * k,
                             0.2 * sin(3.14159265358979 * k / 500));
  write_text(in_scratch("record.csv"), record);
  char *out = foreseen(
      "<voussoir><material name='s' density='1000' young='1e7' poisson='0.2'/><law name='d' friction='0.5'/>"
      "<function name='quake' kind='accelerogram' file='record.csv' unit='g'/>"
      "<function name='mended' kind='accelerogram' file='record.csv' unit='g' baseline='linear'/>"
      "<block name='b' material='s' width='0.1' height='0.1'/><block name='c' material='s' y='3' width='0.1' height='0.1'/>"
      "<support name='base' shape='box' x='-1' y='-1' width='3' height='1' move_x='0.1*sin(2*pi*t)' move_y='mended' turn='0.2*t'/>"
      "<contact candidate='all' antagonist='base' law='d'/>"
      "<gravity y='-9.81*min(1, t/0.5)'/><force on='b.top' x='100*min(1, 2*t)'/>"
      "<time end='1' step='1e-3'/></voussoir>");
  double pi = 3.14159265358979323846, a = 0.2 * 9.80665;
  cr_expect_float_eq(number(out, "  weight", "weight      "), 196.2, 1e-6);
  // 100 N on 20 kg
  cr_expect_float_eq(number(out, "  load", "up to "), 100, 1e-6);
  cr_expect_float_eq(number(out, "  load", "weight, "), 5 / 9.80665, 1e-3);
  cr_expect_float_eq(number(out, "  record      quake", "peaks "), a, 5e-3);
  cr_expect_float_eq(number(out, "  record      quake", "m/s^2 ("), 0.2, 1e-3);
  cr_expect_float_eq(number(out, "  record      quake", "0.2 g), "), a * 0.5 * 2 / pi, 2e-3);
  cr_expect_float_eq(number(out, "  record      quake", "m/s, "), a * 0.25 / pi, 1e-3);
  cr_expect_float_eq(number(out, "  record      quake", "left at its end "), a * 0.5 * 2 / pi,
                     1e-2);
  cr_expect_float_eq(number(out, "  record      mended", "left at its end "), 0, 1e-12);
  cr_expect(strstr(out, "(baseline linear)"));
  cr_expect_float_eq(number(out, "  motion      base along x", "up to "), 0.1, 1e-3);
  cr_expect_float_eq(number(out, "  motion      base along x", " m, "), 0.1 * 2 * pi, 1e-2);
  cr_expect_float_eq(number(out, "  motion      base along x", "m/s, "), 0.4 * pi * pi / 9.80665,
                     1e-2);
  cr_expect_float_eq(number(out, "  motion      base turns", "rad, "), 0.2, 1e-6);
  cr_expect(strstr(out, "  hanging     1 body rests on nothing at the start: c\n"), "%s", out);
  free(out);
  scratch_remove();
}

Test(foresee, what_rests_on_what_rests_does_not_hang) {
  scratch_make();
  char text[3000];
  static const char *const gaps[2] = {"0.3", "0.31"}; // the third block, on the second or above it
  for (int k = 0; k < 2; k++) {
    snprintf(
        text, sizeof text,
        "<voussoir><material name='s' density='1000' young='1e7' poisson='0.2'/><law name='d' friction='0.5'/>"
        "<block name='a' material='s' width='0.1' height='0.1' y='0.1'/><block name='b' material='s' y='0.2' width='0.1' height='0.1'/>"
        "<block name='c' material='s' y='%s' width='0.1' height='0.1'/><block name='d' material='s' y='5' width='0.1' height='0.1'/>"
        "<block name='held' material='s' y='0' width='0.1' height='0.1'/><prescribe on='held.bottom' y='0' x='0'/>"
        "<contact candidate='all' antagonist='all' law='d'/><gravity/><time end='1' step='1e-3'/></voussoir>",
        gaps[k]);
    char *out = foreseen(text);
    cr_expect(strstr(out, k ? "  hanging     2 bodies rest on nothing at the start: c, d\n"
                            : "  hanging     1 body rests on nothing at the start: d\n"),
              "%s", out);
    free(out);
  }
  scratch_remove();
}
