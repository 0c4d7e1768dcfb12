#include <criterion/criterion.h>

#include "../../support/input_sample.h"

TestSuite(check, .init = sample_enter, .fini = sample_leave);

Test(check, reports_all_defects_of_structure_in_one_pass) {
  cr_assert_str_eq(
      sample_judge("<voussoir titel='x'>\n"
                   "<description>free <b>text</b></description>\n"
                   "<description/>\n"
                   "<material/>\n"
                   "<block material='a'><block/></block>\n"
                   "<group name='g'><time step='1'/></group>\n"
                   "<wal/>\n"
                   "</voussoir>"),
      "main.xml:1: unknown attribute 'titel' of <voussoir>; did you mean 'title'? (allowed: "
      "title)\n"
      "main.xml:1: <voussoir> needs at least 1 <time>, has 0\n"
      "main.xml:2: unknown element <b> in <description>, allowed: none\n"
      "main.xml:3: <voussoir> takes at most 1 <description>, has 2\n"
      "main.xml:4: <material> needs the attribute 'name' (how blocks refer to it)\n"
      "main.xml:4: <material> needs the attribute 'density' (mass per volume [kg/m^3])\n"
      "main.xml:5: <block> is not allowed in <block>, allowed: none\n"
      "main.xml:5: attribute 'material' of <block>: no <material> is named \"a\"\n"
      "main.xml:6: <time> is not allowed in <group>, allowed: block, group\n"
      "main.xml:7: unknown element <wal> in <voussoir>, allowed: description, material, block, "
      "group, drive, function, time\n");
  cr_assert_str_eq(sample_judge("<wall/>"), "main.xml:1: the root is <wall>, must be <voussoir>\n");
}

Test(check, knows_which_attribute_goes_with_which_variant) {
  cr_assert_str_eq(
      sample_judge("<voussoir><time step='1'/>\n"
                   "<material name='a' density='1' yield='2'/>\n"
                   "<material name='b' density='1' model='plastic' yield='2' poisson='0.1'/>\n"
                   "<material name='c' density='1' model='plastic' young='2'/>\n"
                   "<material name='d' density='1' model='elastc' yield='2' foo='1'/>\n"
                   "<material name='e' density='1' model='${x}' yield='2'/>\n"
                   "<material name='f' density='1' model='plastic' yeild='2' yield='1'/>\n"
                   "</voussoir>"),
      "main.xml:2: attribute 'yield' of <material> does not go with model=\"elastic\"; it goes with "
      "\"plastic\"\n"
      "main.xml:3: attribute 'poisson' of <material> does not go with model=\"plastic\"; it goes "
      "with \"elastic\"\n"
      "main.xml:4: <material> needs the attribute 'yield' (yield stress [Pa])\n"
      "main.xml:5: unknown attribute 'foo' of <material>, allowed: name, density, model\n"
      "main.xml:5: attribute 'model' of <material> is \"elastc\"; did you mean \"elastic\"? "
      "(allowed: elastic, plastic)\n"
      "main.xml:6: attribute 'model' of <material>: parameter ${x} is not defined\n"
      "main.xml:7: unknown attribute 'yeild' of <material>; did you mean 'yield'? (allowed: name, "
      "density, model, young, yield)\n");
}

Test(check, takes_a_default_that_is_not_valid_for_a_bug_of_ours) {
  static const ParamSpec params[] = {{"a", PARAM_REAL, "1", "-1", "[0,1]", NULL, "doc"}};
  static const SchemaElement elements[] = {
      {.name = "root", .doc = "doc", .params = params, .n_params = 1}};
  const Schema schema = {elements, 1};
  sample_write("main.xml", "<root/>");
  Input in;
  Diag diag = {0};
  Err err = {0};
  cr_assert_eq(input_load("main.xml", &schema, NULL, 0, &in, &diag, &err), ERR_BUG);
  cr_assert_str_eq(err.text, "the default \"-1\" of 'a' of <root> is not valid");
  input_free(&in);
  diag_free(&diag);
}
