#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../support/input_sample.h"

TestSuite(include, .init = sample_enter, .fini = sample_leave);

#define XI "xmlns:xi='http://www.w3.org/2001/XInclude'"

Test(include, splices_children_or_a_single_element_and_keeps_order) {
  mkdir("parts", 0755);
  sample_write("parts/materials.xml", "<voussoir title='alone'>\n"
                                      "<material name='a' density='1'/>\n"
                                      "<include href='b.xml'/><material name='c' density='${r}'/>"
                                      "</voussoir>");
  sample_write("parts/b.xml", "<material name='b' density='2'/>");
  sample_write("main.xml", "<voussoir " XI "><parameter name='r' value='7'/>\n"
                           "<xi:include href='parts/materials.xml' parse='xml'/>\n"
                           "<material name='d' density='4'/><time step='1'/></voussoir>");
  Input in;
  Diag diag = {0};
  Err err = {0};
  cr_assert_eq(input_load("main.xml", &sample_schema, NULL, 0, &in, &diag, &err), OK);
  const char *names = "abcd",
             *files[] = {"parts/materials.xml", "parts/b.xml", "parts/materials.xml", "main.xml"};
  const int lines[] = {2, 1, 3, 3};
  int n = 0;
  for (const InputNode *m = input_child(in.root, "material"); m; m = input_next(m, "material")) {
    cr_assert_eq(input_text(m, "name")[0], names[n]);
    cr_assert_str_eq(m->pos.file, files[n]);
    cr_assert_eq(m->pos.line, lines[n]);
    cr_assert_eq(m->parent, in.root);
    n++;
  }
  cr_assert_eq(n, 4);
  cr_assert_eq(in.n_files, 3);
  cr_assert_str_eq(in.files[0], "main.xml");
  input_free(&in);
  diag_free(&diag);
}

Test(include, names_the_file_and_line_of_each_defect) {
  sample_write("part.xml", "<voussoir>\n\n<block material='stoe'/>\nxyz</voussoir>");
  sample_write("broken.xml", "<voussoir>\n<block></voussoir>");
  cr_assert_str_eq(sample_judge("<voussoir " XI ">\n"
                                "<xi:include href='part.xml'/>\n"
                                "<xi:include href='broken.xml'/>\n"
                                "<xi:include href='absent.xml'/>\n"
                                "<xi:include/><include href='${a}'/><include href='part.xml' x='1'>"
                                "<a/></include>\n"
                                "<material name='stone' density='-1'/><time step='1'/></voussoir>"),
                   "main.xml:4: cannot read the included file 'absent.xml': No such file or "
                   "directory\n"
                   "main.xml:5: <xi:include> needs the attribute 'href' (a file)\n"
                   "main.xml:5: parameters cannot stand in 'href' of <include>\n"
                   "main.xml:5: unknown attribute 'x' of <include>, allowed: href, parse\n"
                   "main.xml:5: <include> must be empty\n"
                   "main.xml:6: attribute 'density' of <material> is -1, must lie in ]0,inf[ "
                   "kg/m^3\n"
                   "part.xml:3: attribute 'material' of <block>: no <material> is named \"stoe\"; "
                   "did you mean \"stone\"?\n"
                   "part.xml:4: text \"xyz\" is not allowed in <voussoir>\n"
                   "broken.xml:2: not well-formed XML: Opening and ending tag mismatch: block line "
                   "2 and voussoir\n");
}

Test(include, refuses_a_root_that_does_not_belong_there) {
  sample_write("part.xml", "<!-- -->\n<time step='1'/>");
  sample_write("alien.xml", "<html/>");
  sample_write("attr.xml", "<voussoir titel='x'/>");
  cr_assert_str_eq(sample_judge("<voussoir><include href='part.xml'/>\n"
                                "<include href='alien.xml'/><include href='attr.xml'/>\n"
                                "<group name='g'><include href='part.xml'/></group></voussoir>"),
                   "part.xml:2: the included file starts with <time>; allowed in <group>: "
                   "<voussoir> around elements, or one of block, group\n"
                   "alien.xml:1: the included file starts with <html>; allowed in <voussoir>: "
                   "<voussoir> around elements, or one of "
                   "description, material, block, group, drive, function, time\n"
                   "attr.xml:1: unknown attribute 'titel' of <voussoir>; did you mean 'title'? "
                   "(allowed: title)\n");
  cr_assert_str_eq(sample_judge("<include href='part.xml'/>"),
                   "main.xml:1: the root cannot be <include>\n");
}

Test(include, notices_circles_also_through_links) {
  sample_write("a.xml", "<voussoir>\n<include href='b.xml'/></voussoir>");
  sample_write("b.xml", "<voussoir>\n\n<include href='./link.xml'/></voussoir>");
  cr_assert_eq(symlink("a.xml", "link.xml"), 0);
  cr_assert_str_eq(sample_judge("<voussoir><time step='1'/><include href='a.xml'/></voussoir>"),
                   "b.xml:3: circular include: './link.xml' is being read already\n");
  cr_assert_str_eq(sample_judge("<voussoir><time step='1'/><include href='main.xml'/></voussoir>"),
                   "main.xml:1: circular include: 'main.xml' is being read already\n");
}

Test(include, stops_files_that_multiply) {
  for (int k = 0; k < 20; k++) {
    char name[20], text[200];
    snprintf(name, sizeof name, "f%d.xml", k);
    snprintf(text, sizeof text,
             "<voussoir><include href='f%d.xml'/><include href='f%d.xml'/></voussoir>", k + 1,
             k + 1);
    sample_write(name, text);
  }
  cr_assert_str_eq(sample_judge("<voussoir><time step='1'/><include href='f0.xml'/></voussoir>"),
                   "f15.xml:1: too many includes: at most 1000 files, 16 within each other\n");
  sample_write("f12.xml", "<voussoir/>");
  cr_assert_str_eq(sample_judge("<voussoir><time step='1'/><include href='f0.xml'/></voussoir>"),
                   "f11.xml:1: too many includes: at most 1000 files, 16 within each other\n");
}

Test(include, says_only_once_what_is_wrong_in_a_file_included_twice) {
  sample_write("part.xml", "<block material='x'/>");
  cr_assert_str_eq(sample_judge("<voussoir><time step='1'/><include href='part.xml'/>"
                                "<include href='part.xml'/></voussoir>"),
                   "part.xml:1: attribute 'material' of <block>: no <material> is named \"x\"\n");
}
