#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>

#include <string.h>

#include "../../support/input_sample.h"
#include "base/mem.h"
#include "input/resolved.h"

TestSuite(resolved, .init = sample_enter, .fini = sample_leave);

static char *resolve_by(const Schema *schema, const char *xml) {
  Input in;
  Diag diag = {0};
  Err err = {0};
  char *text = NULL;
  sample_write("main.xml", xml);
  cr_assert_eq(input_load("main.xml", schema, NULL, 0, &in, &diag, &err), OK, "%s", xml);
  cr_assert_eq(input_resolve(&in, "", &text, &err), OK);
  input_free(&in);
  diag_free(&diag);
  return text;
}

static char *resolve(const char *xml) {
  return resolve_by(&sample_schema, xml);
}

static InputChanges compare(const char *before, const char *after, int stage) {
  InputChanges changes;
  Err err = {0};
  cr_assert_eq(input_compare(&changes, before, after, stage, &err), OK);
  return changes;
}

static const char before[] =
    "<voussoir><parameter name='rho' value='2000'/>"
    "<material name='stone' density='${rho}' model='plastic' yield='1e6'/>"
    "<block name='a' material='stone' size='2 1' fixed='yes'/><group name='g'>"
    "<block material='stone'/></group><time step='1e-3' steps='10'/></voussoir>";

Test(resolved, inputs_that_look_different_and_are_the_same_do_not_differ) {
  char *one = resolve(before),
       *other = resolve("<voussoir><!-- numbers --><material density='2e3' name='stone' "
                        "yield='1000*1000' model='plastic'/>"
                        "<block name='a' material='stone' size='1+1  1' fixed='yes'/>"
                        "<group name='g'><block material='stone'/></group>"
                        "<time step='0.001' steps='10'/></voussoir>");
  InputChanges changes = compare(one, other, 0);
  cr_assert_eq(changes.n_model + changes.n_other, 0, "%s%s", changes.model, changes.other);
  cr_assert_str_eq(changes.model, "");
  input_changes_free(&changes);
  mem_free(one);
  mem_free(other);
}

Test(resolved, tells_what_is_changed_added_and_removed_and_names_it) {
  char *one = resolve(before),
       *other = resolve("<voussoir><material name='stone' density='2200' model='plastic' "
                        "yield='1e6'/><block name='b' material='stone' size='2 1'/>"
                        "<group name='g'><block material='stone' fixed='yes'/></group>"
                        "<time step='1e-3' steps='10'/></voussoir>");
  InputChanges changes = compare(one, other, 0);
  static const char *const told[] = {"material 'stone': density 2200, was 2000\n",
                                     "block 'a' removed\n", "block 'b' added\n",
                                     "group 'g' block 1: fixed "};
  for (size_t k = 0; k < sizeof told / sizeof told[0]; k++)
    cr_assert(strstr(changes.model, told[k]), "%s is not in:\n%s", told[k], changes.model);
  cr_assert_eq(changes.n_model, 4, "%s", changes.model);
  input_changes_free(&changes);
  mem_free(one);
  mem_free(other);
}

// Of the lines themselves: stage from which on they matter, what, attribute, value.
Test(resolved, what_belongs_to_stages_that_have_not_begun_may_change) {
  static const char old[] = "0\tstage 'bend'\t\tnumber 1\n1\tstage 'free'\t\tnumber 2\n"
                            "1\tstage 'free'\tstep\t0.1\n2147483647\ttime\tend\t1\n",
                    now[] = "0\tstage 'bend'\t\tnumber 1\n1\tstage 'free'\t\tnumber 2\n"
                            "1\tstage 'free'\tstep\t0.2\n2147483647\ttime\tend\t2\n"
                            "2\tstage 'more'\t\tnumber 3\n";
  InputChanges changes = compare(old, now, 0);
  cr_assert_eq(changes.n_model, 0, "%s", changes.model);
  cr_assert_eq(changes.n_other, 3, "%s", changes.other);
  input_changes_free(&changes);
  changes = compare(old, now, 1);
  cr_assert_str_eq(changes.model, "stage 'free': step 0.2, was 0.1\n");
  cr_assert_eq(changes.n_other, 2, "%s", changes.other);
  input_changes_free(&changes);
  // a text that is none of ours is one that has nothing
  changes = compare("\t\n\nno\tline\n", now, 0);
  cr_assert_eq(changes.n_model + changes.n_other, 4, "%s%s", changes.model, changes.other);
  input_changes_free(&changes);
}

// The contents of a file count, not where it is.
Test(resolved, a_file_is_known_by_what_it_holds) {
  static const char *const xml[] = {
      "<voussoir><function name='f' file='one.csv'/><time step='1' steps='1'/></voussoir>",
      "<voussoir><function name='f' file='other.csv'/><time step='1' steps='1'/></voussoir>"};
  sample_write("one.csv", "0,1\n");
  sample_write("other.csv", "0,1\n");
  char *one = resolve(xml[0]), *other = resolve(xml[1]);
  cr_assert_str_eq(one, other);
  mem_free(other);
  sample_write("other.csv", "0,2\n");
  other = resolve(xml[1]);
  InputChanges changes = compare(one, other, 0);
  cr_assert_eq(changes.n_model, 1, "%s", changes.model);
  input_changes_free(&changes);
  mem_free(one);
  mem_free(other);
}

// What is said of a run from `from` that goes on as `to`: how many changes of the model and others.
static void differ(const char *from, const char *to, int n_model, int n_other, const char *told) {
  static const ParamSpec params[] = {
      {"matrix", PARAM_CHOICE, "", "full", NULL, "full|kept", "matrix"},
      {"tolerance", PARAM_REAL, "1", "1e-6", "]0,1[", NULL, "tolerance"},
      {"most", PARAM_INTEGER, "1", "", "[1,9]", NULL, "most"}};
  static const SchemaElement elements[] = {
      {.name = "voussoir", .doc = "A run.", .children = "newton", .min_count = 1, .max_count = 1},
      {.name = "newton",
       .doc = "Settings.",
       .params = params,
       .n_params = 3,
       .max_count = 1,
       .may_change = "tolerance|most"}};
  static const Schema schema = {elements, 2};
  char *one = resolve_by(&schema, from), *other = resolve_by(&schema, to);
  InputChanges changes = compare(one, other, 0);
  cr_assert_eq(changes.n_model, n_model, "%s: %s", to, changes.model);
  cr_assert_eq(changes.n_other, n_other, "%s: %s", to, changes.other);
  cr_assert(strstr(n_model ? changes.model : changes.other, told), "%s: '%s' '%s'", to,
            changes.model, changes.other);
  input_changes_free(&changes);
  mem_free(one);
  mem_free(other);
}

Test(resolved, settings_that_are_added_count_by_what_is_not_their_default) {
  const char *none = "<voussoir></voussoir>";
  differ(none, "<voussoir><newton/></voussoir>", 0, 0, "");
  differ(none, "<voussoir><newton matrix='full' tolerance='1/1e6'/></voussoir>", 0, 0, "");
  differ(none, "<voussoir><newton tolerance='1e-8' most='3'/></voussoir>", 0, 2,
         "newton: tolerance 1e-08, added\n");
  differ("<voussoir><newton tolerance='1e-8'/></voussoir>", none, 0, 1,
         "newton: tolerance 1e-08, removed\n");
  differ(none, "<voussoir><newton matrix='kept'/></voussoir>", 1, 0, "newton: matrix kept, added");
  differ("<voussoir><newton matrix='kept'/></voussoir>", none, 1, 0,
         "newton: matrix kept, removed");
  differ("<voussoir><newton tolerance='1e-7'/></voussoir>",
         "<voussoir><newton tolerance='1e-8'/></voussoir>", 0, 1, "tolerance 1e-08, was 1e-07");
}
