#include <criterion/criterion.h>

#include <stdio.h>

#include "../../support/input_sample.h"

TestSuite(value, .init = sample_enter, .fini = sample_leave);

static const char *judge_time(const char *attrs) {
  char xml[500];
  snprintf(xml, sizeof xml, "<voussoir><time %s/></voussoir>", attrs);
  return sample_judge(xml);
}

Test(value, says_bounds_and_unit) {
  cr_assert_str_eq(judge_time("step='0'"),
                   "main.xml:1: attribute 'step' of <time> is 0, must lie in ]0,inf[ s\n");
  cr_assert_str_eq(judge_time("step='1' steps='1000000'"), "");
  cr_assert_str_eq(judge_time("step='1' steps='1000001'"),
                   "main.xml:1: attribute 'steps' of <time> is 1000001, must lie in "
                   "[1,1000000]\n");
  cr_assert_str_eq(judge_time("step='1e-300'"), "");
}

Test(value, refuses_what_is_no_number) {
  cr_assert_str_eq(judge_time("step='1mm'"),
                   "main.xml:1: attribute 'step' of <time>: \"1mm\" is not an expression: "
                   "Unexpected token \"mm\" found at position 1\n");
  cr_assert_str_eq(judge_time("step=''"),
                   "main.xml:1: attribute 'step' of <time>: an expression is empty\n");
  cr_assert_str_eq(judge_time("step='1' until='t'"),
                   "main.xml:1: attribute 'until' of <time>: \"t\" is not an expression: "
                   "Unexpected token \"t\" found at position 0\n");
  cr_assert_str_eq(judge_time("step='1' steps='2.5'"),
                   "main.xml:1: attribute 'steps' of <time> is 2.5, must be a whole number\n");
  // what an int cannot hold, whatever the bounds say
  const char *said = judge_time("step='1' steps='3000000000'");
  cr_assert(strstr(said, "'steps' of <time> is 3000000000, must be a whole number"), "%s", said);
  cr_assert_str_eq(judge_time("step='0/0'"),
                   "main.xml:1: attribute 'step' of <time>: \"0/0\" gives no number (NaN)\n");
}

static const char *judge_block(const char *attrs) {
  char xml[500];
  snprintf(xml, sizeof xml,
           "<voussoir><time step='1'/><material name='s' density='1'/>\n"
           "<block material='s' %s/></voussoir>",
           attrs);
  return sample_judge(xml);
}

Test(value, counts_in_a_list_are_whole) {
  cr_assert_str_eq(judge_block("cells='2 3*2'"), "");
  cr_assert_str_eq(judge_block("cells='2.7 1'"),
                   "main.xml:2: attribute 'cells' of <block> is 2.7, must be a whole number\n");
  cr_assert_str_eq(judge_block("cells='3/2 10'"),
                   "main.xml:2: attribute 'cells' of <block> is 1.5, must be a whole number\n"
                   "main.xml:2: attribute 'cells' of <block> is 10, must lie in [1,9]\n");
}

Test(value, judges_each_item_of_a_list) {
  cr_assert_str_eq(judge_block("size=' 1  (2 + 3)*2&#10;'"), "");
  cr_assert_str_eq(judge_block("size='1 0 x'"),
                   "main.xml:2: attribute 'size' of <block> is 0, must lie in ]0,inf[ m\n"
                   "main.xml:2: attribute 'size' of <block>: \"x\" is not an expression: "
                   "Unexpected token \"x\" found at position 0\n");
  cr_assert_str_eq(judge_block("size=' '"),
                   "main.xml:2: attribute 'size' of <block> is empty, must be numbers\n");
}

Test(value, judges_words) {
  cr_assert_str_eq(judge_block("fixed='Yes'"),
                   "main.xml:2: attribute 'fixed' of <block> is \"Yes\", allowed: yes, no\n");
  cr_assert_str_eq(judge_block("name='a b'"),
                   "main.xml:2: attribute 'name' of <block> is \"a b\", must be one word of "
                   "letters, digits, _ - .\n");
  cr_assert_str_eq(judge_block("name=''"),
                   "main.xml:2: attribute 'name' of <block> is \"\", must be one word of letters, "
                   "digits, _ - .\n");
  cr_assert_str_eq(judge_block("name='cl\xc3\xa9_1.a-b'"), "");
}
