#define _POSIX_C_SOURCE 200809L
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "../../support/input_sample.h"

TestSuite(library, .init = sample_enter, .fini = sample_leave);

// The sample's vocabulary with materials that may stand in a file.
static const ParamSpec params[] = {
    {"name", PARAM_NAME, "", NULL, NULL, NULL, "how blocks refer to it"},
    {"density", PARAM_REAL, "kg/m^3", NULL, "]0,inf[", NULL, "mass per volume"},
    {"model", PARAM_CHOICE, "", "elastic", NULL, NULL, "bulk law"},
    {"curve", PARAM_FILE, "", "", NULL, NULL, "a file of its own"},
    {"library", PARAM_FILE, "", "", NULL, NULL, "a file of materials"},
    {"id", PARAM_TEXT, "", "", NULL, NULL, "which of them"}};
static SchemaElement elements[16];
static Schema schema = {elements, 0};

static void start(void) {
  memcpy(elements, sample_schema.elements, sizeof *elements * (size_t)sample_schema.n_elements);
  schema.n_elements = sample_schema.n_elements;
  for (int k = 0; k < schema.n_elements; k++) {
    if (strcmp(elements[k].name, "material") != 0) continue;
    elements[k].params = params;
    elements[k].n_params = sizeof params / sizeof *params;
    elements[k].from_library = 1;
  }
  mkdir("data", 0755);
  sample_write("data/metals.xml",
               "<voussoir><material name='steel' density='7800' young='2e11'\n"
               "curve='steel.csv'/>\n"
               "<material name='lead' density='11e3' model='plastic' yield='1e7'/>\n"
               "<material name='odd' library='x.xml'/>\n"
               "<material name='soft' density='1' young='-3'/></voussoir>");
}

// What the defects of an input are, one a line.
static void judge(const char *xml, const char *wanted) {
  Input in;
  Diag diag = {0};
  Err err = {0};
  static char text[4000];
  memset(text, 0, sizeof text);
  sample_write("main.xml", xml);
  cr_assert_neq(input_load("main.xml", &schema, NULL, 0, &in, &diag, &err), OK);
  FILE *stream = fmemopen(text, sizeof text - 1, "w");
  diag_print(&diag, stream);
  fclose(stream);
  cr_assert_str_eq(text, wanted);
  input_free(&in);
  diag_free(&diag);
}

Test(library, attributes_that_are_not_given_are_those_of_the_file) {
  start();
  sample_write("main.xml", "<voussoir><parameter name='grade' value='lead'/>\n"
                           "<material name='steel' library='data/metals.xml' young='1e11'/>\n"
                           "<material name='m' library='data/metals.xml' id='${grade}'/>"
                           "<time step='1'/></voussoir>");
  Input in;
  Diag diag = {0};
  Err err = {0};
  char path[100];
  cr_assert_eq(input_load("main.xml", &schema, NULL, 0, &in, &diag, &err), OK);
  const InputNode *m = input_child(in.root, "material");
  cr_assert_str_eq(input_text(m, "name"), "steel");
  cr_assert_eq(input_real(m, "density"), 7800);
  cr_assert_eq(input_real(m, "young"), 1e11);
  cr_assert_eq(input_given(m, "library"), false);
  // files that the library names are beside it
  input_path(m, "curve", path, sizeof path);
  cr_assert_str_eq(path, "data/steel.csv");
  m = input_next(m, "material");
  cr_assert_str_eq(input_text(m, "name"), "m");
  cr_assert_str_eq(m->variant->name, "plastic");
  cr_assert_eq(input_real(m, "yield"), 1e7);
  input_free(&in);
  diag_free(&diag);
}

Test(library, what_is_not_there_is_told_with_what_is) {
  start();
  judge("<voussoir>\n<material name='a' library='data/metals.xml' id='stell' density='1'/>\n"
        "<material name='b' library='none.xml' density='1'/>\n"
        "<material name='c' id='steel' density='1'/>\n"
        "<material name='d' library='data/metals.xml' id='${x}' density='1'/>\n"
        "<material name='e' library='data/metals.xml' id='odd' density='1'/>\n"
        "<material name='f' library='data/metals.xml' id='soft'/><time step='1'/></voussoir>",
        "main.xml:2: 'data/metals.xml' has no <material> named \"stell\"; there are: steel, lead, "
        "odd, soft\n"
        "main.xml:3: cannot read the file 'none.xml': No such file or directory\n"
        "main.xml:4: 'id' of <material> needs a library\n"
        "main.xml:5: attribute 'id' of <material>: parameter ${x} is not defined\n"
        "data/metals.xml:4: a <material> of a library cannot name a library\n"
        "data/metals.xml:5: attribute 'young' of <material> is -3, must lie in ]0,inf[ Pa\n");
}

// What is absent because the library failed is not told again as an attribute that is needed.
Test(library, one_that_is_not_found_is_one_defect) {
  start();
  judge("<voussoir>\n<material name='a' library='none.xml'/>\n"
        "<material name='b' library='data/metals.xml' id='stell'/><time step='1'/></voussoir>",
        "main.xml:2: cannot read the file 'none.xml': No such file or directory\n"
        "main.xml:3: 'data/metals.xml' has no <material> named \"stell\"; there are: steel, lead, "
        "odd, soft\n");
}

Test(library, what_does_not_belong_there_is_told_once_with_its_file) {
  start();
  sample_write("data/mixed.xml", "<voussoir>\n<material name='steel' density='7800'/>\n"
                                 "<material name='lead' density='1' yeild='3'/>\n"
                                 "<material name='steel' density='1'/>\n<foo bar='1'/>\n"
                                 "<material density='1'/><time step='1'/></voussoir>");
  judge("<voussoir>\n<material name='steel' library='data/mixed.xml'/>\n"
        "<material name='other' library='data/mixed.xml' id='steel'/><time step='1'/></voussoir>",
        "data/mixed.xml:3: unknown attribute 'yeild' of <material>\n"
        "data/mixed.xml:4: the library has two <material> named \"steel\"\n"
        "data/mixed.xml:5: <foo> is not allowed in a library, allowed: material\n"
        "data/mixed.xml:6: a <material> of a library needs a name\n"
        "data/mixed.xml:6: <time> is not allowed in a library, allowed: material\n");
  sample_write("data/root.xml", "<metals><material name='steel' density='7800'/></metals>");
  judge("<voussoir>\n<material name='steel' library='data/root.xml'/><time step='1'/></voussoir>",
        "data/root.xml:1: the root is <metals>, must be <voussoir>\n");
}
