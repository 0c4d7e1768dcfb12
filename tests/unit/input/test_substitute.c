#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "../../support/input_sample.h"

TestSuite(substitute, .init = sample_enter, .fini = sample_leave);

Test(substitute, puts_parameters_into_texts_and_in_parentheses_into_numbers) {
  sample_write("main.xml", "<voussoir title='mu is ${mu}, twice ${twice}.'>\n"
                           "<parameter name='mu' value='1+1' doc='friction'/>\n"
                           "<parameter name='twice' value='2*${mu}'/>\n"
                           "<parameter name='who' value='stone'/>\n"
                           "<parameter name='pair' value='3 4'/>\n"
                           "<material name='${who}' density='10*${twice}'/>\n"
                           "<block material='${who}' size='${pair}'/>\n"
                           "<time step='${mu}' steps='(${mu})^2'/></voussoir>");
  Input in;
  Diag diag = {0};
  Err err = {0};
  cr_assert_eq(input_load("main.xml", &sample_schema, NULL, 0, &in, &diag, &err), OK);
  cr_assert_str_eq(input_text(in.root, "title"), "mu is 1+1, twice 2*1+1.");
  const InputNode *material = input_child(in.root, "material");
  cr_assert_eq(input_real(material, "density"), 40);
  cr_assert_str_eq(input_text(material, "density"), "10*(2*(1+1))");
  const InputNode *block = input_child(in.root, "block");
  int n;
  cr_assert_eq(input_list(block, "size", &n)[1], 4);
  cr_assert_eq(n, 2);
  cr_assert_eq(input_ref(&in, block, "material"), material);
  cr_assert_eq(input_integer(input_child(in.root, "time"), "steps"), 4);
  cr_assert_eq(in.n_parameters, 4);
  cr_assert_str_eq(in.parameters[0].name, "mu");
  cr_assert_eq(in.parameters[1].pos.line, 3);
  input_free(&in);
  diag_free(&diag);
}

Test(substitute, lets_settings_override_and_refuses_unknown_ones) {
  sample_write("main.xml", "<voussoir><parameter name='friction' value='0.5'/>"
                           "<parameter name='h' value='${friction}/10'/>"
                           "<time step='${h}'/></voussoir>");
  const InputSetting good[] = {{"friction", "-2"}, {"friction", "-3"}};
  cr_assert_str_eq(sample_defects("main.xml", good, 2),
                   "main.xml:1: attribute 'step' of <time> is -0.3, must lie in ]0,inf[ s\n");
  const InputSetting bad[] = {{"fricton", "1"}, {"zzz", "1"}, {"friction", "${h}"}};
  cr_assert_str_eq(sample_defects("main.xml", bad, 3),
                   "main.xml:1: parameter \"friction\": parameter ${h} is declared only below\n"
                   "--set: the input has no parameter 'fricton'; did you mean 'friction'?\n"
                   "--set: the input has no parameter 'zzz'\n");
}

Test(substitute, reports_undefined_and_ill_declared_parameters_without_echo) {
  cr_assert_str_eq(
      sample_judge("<voussoir title='${frictoin} ${'>\n"
                   "<parameter name='friction' value='1'/>\n"
                   "<parameter name='friction' value='2'/>\n"
                   "<parameter name='2x' value='2'/>\n"
                   "<parameter name='lone'/><parameter value='1'/>\n"
                   "<parameter name='a' value='${b}'/>\n"
                   "<parameter name='b' value='${c}' unit='m'>x</parameter>\n"
                   "<group name='${b}'><parameter name='z' value='1'/></group>\n"
                   "<time step='${lone}' steps='${friction'/></voussoir>"),
      "main.xml:1: attribute 'title' of <voussoir>: parameter ${frictoin} is not defined; did you "
      "mean ${friction}?\n"
      "main.xml:3: the parameter \"friction\" is already declared at main.xml:2\n"
      "main.xml:4: the parameter name \"2x\" must be a letter followed by letters, digits, _ - .\n"
      "main.xml:5: <parameter> needs the attribute 'value' (text that replaces ${name}; --set "
      "overrides it)\n"
      "main.xml:5: <parameter> needs the attribute 'name' (how ${...} and --set call it)\n"
      "main.xml:6: parameter \"a\": parameter ${b} is declared only below\n"
      "main.xml:7: unknown attribute 'unit' of <parameter>, allowed: name, value, doc\n"
      "main.xml:7: <parameter> must be empty\n"
      "main.xml:7: parameter \"b\": parameter ${c} is not defined\n"
      "main.xml:8: <parameter> stands in <voussoir> only, not in <group>\n"
      "main.xml:9: attribute 'steps' of <time>: \"${\" without \"}\"\n");
}

// Each parameter quotes the one before twice: the last would be 2^40 times as long.
static const char *judge_doubling(const char *seed) {
  static char xml[8192];
  char *end = xml + sprintf(xml, "<voussoir>\n<parameter name='p0' value='%s'/>\n", seed);
  for (int k = 1; k <= 40; k++)
    end += sprintf(end, "<parameter name='p%d' value='${p%d}${p%d}'/>\n", k, k - 1, k - 1);
  strcpy(end, "<time step='1'/></voussoir>");
  return sample_judge(xml);
}

Test(substitute, refuses_parameters_by_the_thousand) {
  static char xml[100000];
  char *end = xml + sprintf(xml, "<voussoir><time step='1'/>");
  for (int k = 0; k < 1001; k++) end += sprintf(end, "<parameter name='p%d' value='1'/>", k);
  strcpy(end, "</voussoir>");
  cr_assert_str_eq(sample_judge(xml),
                   "main.xml:1: there are 1001 parameters, at most 1000 are possible\n");
}

Test(substitute, stops_parameters_that_multiply) {
  cr_assert_str_eq(judge_doubling("haha"),
                   "main.xml:16: parameter \"p14\": longer than 65536 characters with its "
                   "parameters put in\n");
  cr_assert_str_eq(judge_doubling(""),
                   "main.xml:17: parameter \"p15\": longer than 65536 characters with its "
                   "parameters put in\n",
                   "the parentheses multiply");
}
