#include <criterion/criterion.h>

#include "../../support/input_sample.h"

TestSuite(names, .init = sample_enter, .fini = sample_leave);

Test(names, are_unique_in_their_class_only) {
  cr_assert_str_eq(sample_judge("<voussoir><time step='1'/>\n"
                                "<material name='a' density='1'/><block name='a' material='a'/>\n"
                                "<group name='g'>\n<block name='a' material='a'/></group>\n"
                                "<block name='a' material='a'/><block material='a'/>\n"
                                "<block material='a'/></voussoir>"),
                   "main.xml:4: the name \"a\" of <block> is already taken at main.xml:2\n"
                   "main.xml:5: the name \"a\" of <block> is already taken at main.xml:2\n");
}

Test(names, are_proposed_where_a_reference_dangles) {
  cr_assert_str_eq(
      sample_judge("<voussoir><time step='1'/><material name='limestone' density='1'/>\n"
                   "<block name='base' material='limeston'/><group name='course_1'/>\n"
                   "<drive on='course1'/><drive on='base'/><drive on='x'/>\n"
                   "<group name='base'/><block material=''/></voussoir>"),
      "main.xml:2: attribute 'material' of <block>: no <material> is named \"limeston\"; did you "
      "mean \"limestone\"?\n"
      "main.xml:3: attribute 'on' of <drive>: no <block> or <group> is named \"course1\"; did you "
      "mean \"course_1\"?\n"
      "main.xml:3: attribute 'on' of <drive>: \"base\" is a <block> (line 2) and a <group> (line "
      "4)\n"
      "main.xml:3: attribute 'on' of <drive>: no <block> or <group> is named \"x\"\n"
      "main.xml:4: attribute 'material' of <block> is empty\n");
}

static const char *judge_drive(const char *value) {
  char xml[400];
  snprintf(xml, sizeof xml,
           "<voussoir><time step='1'/><block name='b' material='m'/>"
           "<material name='m' density='1'/><function name='quake'/>\n"
           "<drive on='b' value='%s'/></voussoir>",
           value);
  return sample_judge(xml);
}

Test(names, of_functions_stand_for_expressions) {
  cr_assert_str_eq(judge_drive("quake"), "");
  cr_assert_str_eq(judge_drive("10*sin(2*pi*t)"), "");
  cr_assert_str_eq(judge_drive("quak"),
                   "main.xml:2: attribute 'value' of <drive>: \"quak\" is not an expression: "
                   "Unexpected token \"quak\" found at position 0; did you mean the function "
                   "\"quake\"?\n");
  cr_assert_str_eq(judge_drive("t = 1"), "main.xml:2: attribute 'value' of <drive>: \"t = 1\" "
                                         "assigns, an expression may only compute\n");
}
