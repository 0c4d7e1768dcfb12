#define _POSIX_C_SOURCE 200809L
#include "scratch.h"

#include <math.h>

#include "file/json.h"
#include "file/number.h"

TestSuite(json, .init = scratch_make, .fini = scratch_remove);

static void write_example(const char *path) {
  Err err = {0};
  AtomicFile file;
  cr_assert_eq(atomic_open(&file, path, &err), OK);
  JsonWriter json = {.stream = file.stream};
  json_begin(&json, NULL, '{');
  json_put_text(&json, "input", "a \"quoted\"\\ \t\n\x01 name, \xc3\xa9");
  json_put_integer(&json, "steps", 123456789012345);
  json_put_bool(&json, "ok", 1);
  json_begin(&json, "penetration", '{');
  json_put_number(&json, "nodes", 0.1);
  json_put_number(&json, "none", NUMBER_NAN);
  json_put_number(&json, "far", -NUMBER_INF);
  json_end(&json, '}');
  json_begin(&json, "list", '[');
  json_put_number(&json, NULL, 1e-300);
  json_put_text(&json, NULL, NULL);
  json_end(&json, ']');
  json_begin(&json, "empty", '[');
  json_end(&json, ']');
  json_end(&json, '}');
  cr_assert_eq(atomic_commit(&file, &err), OK);
}

Test(json, reads_back_what_it_wrote) {
  Err err = {0};
  JsonTree tree;
  write_example(in_scratch("a.json"));
  cr_assert_eq(json_read(&tree, in_scratch("a.json"), &err), OK, "%s", err.text);
  cr_assert_str_eq(json_text(&tree, "input"), "a \"quoted\"\\ \t\n\x01 name, \xc3\xa9");
  cr_assert_eq(json_number(&tree, "steps", 0), 123456789012345.0);
  cr_assert_eq(json_find(&tree, "ok")->type, JSON_BOOL);
  cr_assert_eq(json_number(&tree, "penetration.nodes", 0), 0.1);
  cr_assert_eq(json_find(&tree, "penetration.none")->type, JSON_NULL);
  cr_assert_eq(json_find(&tree, "penetration.far")->type, JSON_NULL);
  cr_assert_eq(json_number(&tree, "list.0", 0), 1e-300);
  cr_assert_eq(json_find(&tree, "list.1")->type, JSON_NULL);
  cr_assert_null(json_find(&tree, "empty"));
  cr_assert_null(json_text(&tree, "steps"));
  cr_assert_eq(json_number(&tree, "absent", -3), -3);
  json_free(&tree);
}

Test(json, is_laid_out_an_item_a_line_with_two_blanks_of_indent) {
  char *text = NULL;
  size_t size;
  JsonWriter json = {.stream = open_memstream(&text, &size)};
  json_begin(&json, NULL, '{');
  json_put_integer(&json, "a", 1);
  json_begin(&json, "b", '[');
  json_put_bool(&json, NULL, 1);
  json_begin(&json, NULL, '{');
  json_put_text(&json, "c", "d");
  json_end(&json, '}');
  json_end(&json, ']');
  json_end(&json, '}');
  fclose(json.stream);
  cr_assert_str_eq(
      text, "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    {\n      \"c\": \"d\"\n    }\n  ]\n}\n");
  free(text);
}

Test(json, is_what_an_independent_reader_accepts) {
  write_example(in_scratch("a.json"));
  char command[512];
  snprintf(command, sizeof command,
           "/usr/bin/python3 -c \"import json;d=json.load(open('%s'));"
           "assert d['penetration']=={'nodes':0.1,'none':None,'far':None};"
           "assert d['list']==[1e-300,None] and d['empty']==[] and d['steps']==123456789012345\"",
           in_scratch("a.json"));
  cr_assert_eq(system(command), 0);
}

Test(json, names_file_and_line_of_what_is_wrong) {
  static const char *const wrong[] = {
      "",        "{",         "{\"a\" 1}",   "{\"a\":}", "[1,]",       "{} x",
      "\"\\q\"", "\"\\u12\"", "\"\\u0000\"", "nan",      "0x10",       "+1",
      "1e",      "tru",       "{\"a\":1,}",  "[1 2]",    "{\"a\":\"b", "{1:2}",
      "\"a\\",   "-",         "inf",         "[",        "{\"a\":{}"};
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    Err err = {0};
    JsonTree tree;
    cr_assert_eq(json_parse(&tree, wrong[k], "x.json", &err), ERR_INPUT, "%s", wrong[k]);
    cr_assert_eq(strncmp(err.text, "x.json:1: ", 10), 0, "%s", err.text);
    cr_assert_eq(tree.n_leaves, 0);
  }
  Err err = {0};
  JsonTree tree;
  cr_assert_eq(json_parse(&tree, "{\n\"a\": 1,\n?", "x.json", &err), ERR_INPUT);
  cr_assert_eq(strncmp(err.text, "x.json:3: ", 10), 0, "%s", err.text);
  write_bytes(in_scratch("zero.json"), "1\0", 2);
  cr_assert_eq(json_read(&tree, in_scratch("zero.json"), &err), ERR_INPUT);
  cr_assert_eq(json_read(&tree, in_scratch("absent.json"), &err), ERR_INPUT);
}

Test(json, refuses_what_is_nested_too_deep_or_named_too_long) {
  Err err = {0};
  JsonTree tree;
  char deep[100001];
  memset(deep, '[', sizeof deep - 1);
  deep[sizeof deep - 1] = 0;
  cr_assert_eq(json_parse(&tree, deep, "x", &err), ERR_INPUT);
  memset(deep, 'k', sizeof deep - 1);
  memcpy(deep, "{\"", 2);
  memcpy(deep + sizeof deep - 5, "\":1}", 4);
  cr_assert_eq(json_parse(&tree, deep, "x", &err), ERR_INPUT);
}

Test(json, never_crashes_on_damage) {
  write_example(in_scratch("a.json"));
  size_t size;
  char *whole = read_bytes(in_scratch("a.json"), &size);
  unsigned seed = 7;
  for (size_t n = 0; n < size + 2000; n++) {
    char text[1024];
    memcpy(text, whole, size + 1);
    if (n < size) text[n] = 0; // cut, or a few bytes changed
    for (int k = 0; n >= size && k < 3; k++)
      text[next_random(&seed) % size] = (char)next_random(&seed);
    JsonTree tree;
    Status status = json_parse(&tree, text, "x", NULL);
    cr_assert(status == OK || status == ERR_INPUT);
    json_free(&tree);
  }
  mem_free(whole);
}

Test(json, survives_every_failing_allocation) {
  write_example(in_scratch("a.json"));
  int failures = 0;
  for (int n = 1; n < 60; n++) {
    JsonTree tree;
    mem_fail_after(n);
    Status status = json_read(&tree, in_scratch("a.json"), NULL);
    mem_fail_after(0);
    cr_assert(status == OK || status == ERR_SYSTEM || status == ERR_BUG);
    failures += status != OK;
    json_free(&tree);
    cr_assert_eq(mem_live_blocks(), 0);
  }
  cr_assert_gt(failures, 10);
}

Test(number, reads_back_to_the_same_bits_and_stays_short) {
  unsigned seed = 3;
  char text[NUMBER_TEXT_SIZE];
  for (int k = 0; k < 20000; k++) {
    uint64_t bits = 0;
    for (int b = 0; b < 4; b++) bits = bits << 16 | (next_random(&seed) & 0xFFFF);
    double value, back;
    memcpy(&value, &bits, sizeof value);
    int n = number_format(text, value);
    cr_assert_eq(n, (int)strlen(text));
    back = strtod(text, NULL);
    cr_assert(isnan(value) ? isnan(back) : memcmp(&back, &value, sizeof back) == 0, "%s", text);
  }
  number_format(text, 0.1);
  cr_assert_str_eq(text, "0.1");
  number_format(text, -NUMBER_NAN);
  cr_assert_str_eq(text, "nan");
  number_format(text, -0.0);
  cr_assert_str_eq(text, "-0");
}
