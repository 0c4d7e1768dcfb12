#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "../../support/input_sample.h"
#include "base/mem.h"

TestSuite(input, .init = sample_enter, .fini = sample_leave);

static const char whole[] =
    "<voussoir title='Two blocks'>\n"
    "  <description>\n    All of it.\n  </description>\n"
    "  <parameter name='rho' value='2000'/>\n"
    "  <material name='stone' density='${rho}' model='plastic' yield='1e6'/>\n"
    "  <block name='a' material='stone' size='2 1' fixed='yes'/>\n"
    "  <include href='parts/more.xml'/>\n"
    "  <group name='g'><block material='stone'/><group name='h'/></group>\n"
    "  <drive on='g' value='ramp'/><drive on='a' kind='velocity'\n value='2*t'/>\n"
    "  <time step='1e-3' steps='10'/>\n"
    "</voussoir>\n";

static void write_whole(void) {
  mkdir("parts", 0755);
  sample_write("main.xml", whole);
  sample_write("parts/more.xml", "<voussoir><function name='ramp' file='ramp.csv'/>"
                                 "<function name='r2' file='/abs.csv'/></voussoir>");
}

Test(input, hands_out_a_typed_tree) {
  write_whole();
  Input in;
  Diag diag = {0};
  Err err = {0};
  cr_assert_eq(input_load("main.xml", &sample_schema, NULL, 0, &in, &diag, &err), OK);
  cr_assert_str_eq(input_text(in.root, "title"), "Two blocks");
  cr_assert_str_eq(input_child(in.root, "description")->text, "All of it.");
  const InputNode *stone = input_child(in.root, "material");
  cr_assert_str_eq(stone->variant->name, "plastic");
  cr_assert_eq(input_real(stone, "density"), 2000);
  cr_assert_eq(input_real(stone, "young"), 1e9);
  cr_assert_not(input_given(stone, "young"));
  cr_assert(input_given(stone, "yield"));
  cr_assert_eq(input_pos(stone, "yield").line, 6);
  const InputNode *block = input_child(in.root, "block");
  int n;
  cr_assert_eq(input_list(block, "size", &n)[0], 2);
  cr_assert_eq(n, 2);
  cr_assert(input_bool(block, "fixed"));
  cr_assert_eq(input_ref(&in, block, "material"), stone);
  cr_assert_null(input_next(block, "block"), "the other one is inside the group");
  const InputNode *time = input_child(in.root, "time");
  cr_assert_eq(input_integer(time, "steps"), 10);
  cr_assert(isnan(input_real(time, "until")), "absent without default");
  input_free(&in);
  diag_free(&diag);
}

Test(input, finds_referred_nodes_functions_and_files) {
  write_whole();
  Input in;
  Diag diag = {0};
  Err err = {0};
  cr_assert_eq(input_load("main.xml", &sample_schema, NULL, 0, &in, &diag, &err), OK);
  const InputNode *group = input_child(in.root, "group"), *drive = input_child(in.root, "drive");
  const InputNode *inner = input_child(group, NULL), *ramp = input_child(in.root, "function");
  cr_assert_str_eq(input_text(inner, "name"), "", "absent without default");
  cr_assert_eq(inner->parent, group);
  cr_assert_eq(input_ref(&in, drive, "on"), group);
  cr_assert_eq(input_ref(&in, drive, "value"), ramp);
  const InputNode *second = input_next(drive, "drive");
  cr_assert_null(input_ref(&in, second, "value"), "an expression");
  cr_assert_eq(input_pos(second, "value").line, 11);
  cr_assert_eq(input_pos(second, "no such").line, 10);
  char path[100];
  input_path(ramp, "file", path, sizeof path);
  cr_assert_str_eq(path, "parts/ramp.csv");
  input_path(input_next(ramp, "function"), "file", path, sizeof path);
  cr_assert_str_eq(path, "/abs.csv");
  cr_assert_lt(ramp->order, group->order);
  input_free(&in);
  diag_free(&diag);
}

static Status load_failing(const char *path, int64_t n, int64_t *n_calls) {
  const InputSetting setting = {"rho", "1800"};
  Input in;
  Diag diag = {0};
  Err err = {0};
  int64_t live = mem_live_blocks(), calls = mem_total_calls();
  mem_fail_after(n);
  Status status = input_load(path, &sample_schema, &setting, 1, &in, &diag, &err);
  mem_fail_after(0);
  *n_calls = mem_total_calls() - calls;
  input_free(&in);
  diag_free(&diag);
  cr_assert_eq(mem_live_blocks(), live, "allocation %lld", (long long)n);
  return status;
}

// Fails each allocation of a load in turn; returns how many there were.
static int64_t fail_each_allocation(const char *path, Status undisturbed) {
  int64_t n_calls, unused;
  cr_assert_eq(load_failing(path, 0, &n_calls), undisturbed);
  for (int64_t n = 1; n <= n_calls; n++)
    cr_assert_eq(load_failing(path, n, &unused), ERR_SYSTEM, "allocation %lld", (long long)n);
  cr_assert_eq(load_failing(path, n_calls + 1, &unused), undisturbed);
  return n_calls;
}

Test(input, survives_the_failure_of_any_allocation) {
  write_whole();
  cr_assert_geq(fail_each_allocation("main.xml", OK), 3);
  // Longer than the first block of the arena, with expressions and many defects.
  static char xml[1 << 17];
  char *end = xml + sprintf(xml, "<voussoir><parameter name='rho' value='1'/>\n");
  for (int k = 0; k < 60; k++)
    end += sprintf(end, "<drive on='x' value='%d+t'/><drive on='y' kind='z'/>\n", k);
  strcpy(end, "<time step='1'/></voussoir>");
  sample_write("bad.xml", xml);
  cr_assert_geq(fail_each_allocation("bad.xml", ERR_INPUT), 60);
}

Test(input, may_be_freed_when_empty_and_twice) {
  Input in = {0};
  input_free(&in);
  Diag diag = {0};
  Err err = {0};
  cr_assert_eq(input_load("none.xml", &sample_schema, NULL, 0, &in, &diag, &err), ERR_INPUT);
  cr_assert_str_eq(err.text, "the input has 1 defect");
  input_free(&in);
  input_free(&in);
  diag_free(&diag);
}

Test(input, judges_binary_garbage_without_harm) {
  unsigned state = 1;
  unsigned char bytes[300];
  for (int k = 0; k < 200; k++) {
    for (size_t i = 0; i < sizeof bytes; i++) {
      state = state * 1664525u + 1013904223u;
      bytes[i] = (unsigned char)(state >> 24);
    }
    if (k % 2) memcpy(bytes, "<voussoir a='", 13);
    sample_write_bytes("garbage.xml", bytes, sizeof bytes);
    cr_assert(strstr(sample_defects("garbage.xml", NULL, 0), "garbage.xml:"));
  }
}
