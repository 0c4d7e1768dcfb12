#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "app/options.h"
#include "base/mem.h"

static const OptionSpec specs[] = {{"-o", "DIR", "folder"},
                                   {"--force", NULL, "replace"},
                                   {"--threads", "N", "threads"},
                                   {"--set", "NAME=VALUE", "parameter"}};
enum { N_SPECS = sizeof specs / sizeof specs[0], MOST = 80 };

static Status parse(Options *options, Err *err, int n, const char *const *words) {
  static char copy[MOST][128];
  static char *argv[MOST + 1];
  cr_assert_leq(n + 1, MOST);
  strcpy(copy[0], "run");
  argv[0] = copy[0];
  for (int k = 0; k < n; k++) {
    snprintf(copy[k + 1], sizeof copy[k + 1], "%s", words[k]);
    argv[k + 1] = copy[k + 1];
  }
  return options_parse(options, specs, N_SPECS, n + 1, argv, err);
}

#define PARSE(options, err, ...)                                                                   \
  parse(options, err, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)),               \
        (const char *[]){__VA_ARGS__})

Test(options, come_in_any_order_between_file_names) {
  Options options;
  Err err = {0};
  cr_assert_eq(PARSE(&options, &err, "a.xml", "-o", "out", "--force", "b.xml", "--threads", "2"),
               OK);
  cr_assert_eq(options.n_operands, 2);
  cr_assert_str_eq(options.operand[0], "a.xml");
  cr_assert_str_eq(options.operand[1], "b.xml");
  cr_assert_str_eq(options_value(&options, "-o"), "out");
  cr_assert_str_eq(options_value(&options, "--force"), "");
  cr_assert_str_eq(options_value(&options, "--threads"), "2");
  cr_assert_null(options_value(&options, "--set"));
  cr_assert_null(options_value(&options, "--no-such-option"));
  options_free(&options);
}

Test(options, a_single_dash_is_a_file_name_and_a_value_may_begin_with_one) {
  Options options;
  Err err = {0};
  cr_assert_eq(PARSE(&options, &err, "-", "-o", "-x"), OK);
  cr_assert_eq(options.n_operands, 1);
  cr_assert_str_eq(options.operand[0], "-");
  cr_assert_str_eq(options_value(&options, "-o"), "-x");
  options_free(&options);
}

Test(options, unknown_ones_propose_the_nearest) {
  Options options;
  Err err = {0};
  cr_assert_eq(PARSE(&options, &err, "a.xml", "--thread", "2"), ERR_INPUT);
  cr_assert_str_eq(err.text, "unknown option '--thread'; did you mean '--threads'?");
  cr_assert_eq(PARSE(&options, &err, "--forse"), ERR_INPUT);
  cr_assert(strstr(err.text, "'--force'"), "%s", err.text);
  cr_assert_eq(PARSE(&options, &err, "--resolution"), ERR_INPUT);
  cr_assert_str_eq(err.text, "unknown option '--resolution'"); // nothing is near
  options_free(&options);
}

Test(options, a_missing_value_says_what_is_missing) {
  Options options;
  Err err = {0};
  cr_assert_eq(PARSE(&options, &err, "a.xml", "--threads"), ERR_INPUT);
  cr_assert_str_eq(err.text, "option '--threads' needs N");
  options_free(&options);
}

Test(options, settings_are_collected_in_order_and_split_at_the_first_equals_sign) {
  Options options;
  Err err = {0};
  cr_assert_eq(PARSE(&options, &err, "--set", "young=1e6", "--set", "f=a==b", "--set", "empty="),
               OK);
  static const char *const expected[3][2] = {{"young", "1e6"}, {"f", "a==b"}, {"empty", ""}};
  cr_assert_eq(options.n_settings, 3);
  for (int k = 0; k < 3; k++) {
    cr_assert_str_eq(options.setting[k].name, expected[k][0]);
    cr_assert_str_eq(options.setting[k].value, expected[k][1]);
  }
  options_free(&options);
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(options, a_setting_without_name_or_equals_sign_is_refused) {
  static const char *const wrong[3] = {"young", "=3", ""};
  for (int k = 0; k < 3; k++) {
    Options options;
    Err err = {0};
    cr_assert_eq(PARSE(&options, &err, "--set", "a=1", "--set", wrong[k]), ERR_INPUT, "%s",
                 wrong[k]);
    cr_assert(strstr(err.text, "NAME=VALUE"), "%s", err.text);
    options_free(&options);
    cr_assert_eq(mem_live_blocks(), 0);
  }
}

Test(options, too_many_names_or_settings_are_refused) {
  const char *names[MAX_OPERANDS + 1];
  Options options;
  Err err = {0};
  for (int k = 0; k <= MAX_OPERANDS; k++) names[k] = "a.xml";
  cr_assert_eq(parse(&options, &err, MAX_OPERANDS, names), OK);
  cr_assert_eq(parse(&options, &err, MAX_OPERANDS + 1, names), ERR_INPUT);
  cr_assert(strstr(err.text, "too many"), "%s", err.text);
  static char *argv[2 * MAX_SETTINGS + 4];
  char run[] = "run", set[] = "--set", one[] = "a=1";
  argv[0] = run;
  for (int k = 0; k <= MAX_SETTINGS; k++) {
    argv[2 * k + 1] = set;
    argv[2 * k + 2] = one;
  }
  cr_assert_eq(options_parse(&options, specs, N_SPECS, 2 * MAX_SETTINGS + 1, argv, &err), OK);
  options_free(&options);
  cr_assert_eq(options_parse(&options, specs, N_SPECS, 2 * MAX_SETTINGS + 3, argv, &err),
               ERR_INPUT);
  options_free(&options);
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(options, without_memory_a_setting_is_a_system_error) {
  Options options;
  Err err = {0};
  mem_fail_after(1);
  Status status = PARSE(&options, &err, "--set", "a=1");
  mem_fail_after(0);
  cr_assert_eq(status, ERR_SYSTEM);
  options_free(&options);
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(options, help_names_every_option_with_its_value) {
  char text[1000] = {0};
  FILE *stream = fmemopen(text, sizeof text, "w");
  options_print(specs, N_SPECS, stream);
  fclose(stream);
  for (int k = 0; k < N_SPECS; k++) {
    cr_assert(strstr(text, specs[k].name), "%s", specs[k].name);
    cr_assert(strstr(text, specs[k].doc), "%s", specs[k].doc);
    if (specs[k].value) cr_assert(strstr(text, specs[k].value), "%s", specs[k].value);
  }
}
