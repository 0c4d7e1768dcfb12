#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "../../support/input_sample.h"

TestSuite(xml, .init = sample_enter, .fini = sample_leave);

Test(xml, gives_each_attribute_and_text_its_own_line) {
  cr_assert_str_eq(sample_judge("<voussoir>\n"
                                "<!-- a comment\n with 'lines' < -->\n"
                                "<time\n"
                                "  step = 'x'\n"
                                "  until=\"1\n"
                                "  + 2\"\n"
                                "  stepz='1' steps\n='0'\n"
                                "/>\n"
                                "\n"
                                "\n"
                                "  stray\n"
                                "</voussoir>\n"),
                   "main.xml:5: attribute 'step' of <time>: \"x\" is not an expression: "
                   "Unexpected token \"x\" found at position 0\n"
                   "main.xml:8: unknown attribute 'stepz' of <time>; did you mean 'step'? "
                   "(allowed: step, steps, until)\n"
                   "main.xml:8: attribute 'steps' of <time> is 0, must lie in [1,1000000]\n"
                   "main.xml:13: text \"stray\" is not allowed in <voussoir>\n");
}

Test(xml, counts_lines_beyond_65535) {
  size_t n = 70000;
  char *xml = malloc(n + 200);
  memset(xml, '\n', n + 200);
  memcpy(xml, "<voussoir>", 10);
  strcpy(xml + 10 + n - 1, "<blok/>\n<time step='0'/></voussoir>");
  cr_assert_str_eq(sample_judge(xml),
                   "main.xml:70000: unknown element <blok> in <voussoir>; did you mean <block>? "
                   "(allowed: description, material, block, group, drive, function, time)\n"
                   "main.xml:70001: attribute 'step' of <time> is 0, must lie in ]0,inf[ s\n");
  free(xml);
}

Test(xml, reports_ill_formed_files_once_and_with_the_line) {
  cr_assert_str_eq(sample_judge("<voussoir>\n<time step='1'/>\n</voussoi>"),
                   "main.xml:3: not well-formed XML: Opening and ending tag mismatch: voussoir "
                   "line 1 and voussoi\n");
  cr_assert_str_eq(sample_judge("<voussoir>\n<time step='1'/>\n"),
                   "main.xml:3: not well-formed XML: Premature end of data in tag voussoir line "
                   "1\n");
  cr_assert_str_eq(sample_judge("<voussoir>\n<time step='1' step='2'/></voussoir>"),
                   "main.xml:2: not well-formed XML: Attribute step redefined\n");
  cr_assert_str_eq(sample_judge("<voussoir>\n\n&foo;</voussoir>"),
                   "main.xml:3: not well-formed XML: Entity 'foo' not defined\n");
  cr_assert_str_eq(sample_judge("hello"),
                   "main.xml:1: not well-formed XML: Start tag expected, '<' not found\n");
  cr_assert_str_eq(sample_judge("<voussoir><time step='1'/></voussoir><voussoir/>"),
                   "main.xml:1: not well-formed XML: Extra content at the end of the document\n");
}

Test(xml, refuses_files_that_are_no_text) {
  cr_assert_str_eq(sample_judge(""), "main.xml: cannot read the input: it is empty\n");
  cr_assert_str_eq(sample_judge("<voussoir>\n<block name='\xff\xfe'/></voussoir>"),
                   "main.xml:2: not well-formed XML: Input is not proper UTF-8, indicate encoding "
                   "! Bytes: 0xFF 0xFE 0x27 0x2F\n");
  cr_assert_str_eq(sample_defects(".", NULL, 0), ".: cannot read the input: it is a directory\n");
  cr_assert_str_eq(sample_defects("none.xml", NULL, 0),
                   "none.xml: cannot read the input: No such file or directory\n");
  cr_assert(strstr(sample_judge("<?xml version='1.0' encoding='klingon'?><voussoir/>"),
                   "not well-formed XML: Unsupported encoding klingon"));
}

Test(xml, refuses_entity_bombs_and_foreign_entities) {
  cr_assert_str_eq(sample_judge("<?xml version='1.0'?>\n"
                                "<!DOCTYPE voussoir [\n"
                                "<!ENTITY a 'ha'>\n"
                                "<!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>\n"
                                "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;'>]>\n"
                                "<voussoir>&c;</voussoir>"),
                   "main.xml:2: a DOCTYPE is not allowed; use <parameter> for values and <include> "
                   "for files\n");
  cr_assert_str_eq(sample_judge("<!DOCTYPE v SYSTEM 'file:///etc/passwd'><voussoir/>"),
                   "main.xml:1: a DOCTYPE is not allowed; use <parameter> for values and <include> "
                   "for files\n");
}

Test(xml, refuses_deep_nesting_and_huge_attributes) {
  char *xml = calloc(12u << 20, 1), *end = xml;
  end += sprintf(end, "<voussoir>\n");
  for (int k = 0; k < 300; k++) end += sprintf(end, "<group name='g'>");
  for (int k = 0; k < 300; k++) end += sprintf(end, "</group>");
  strcpy(end, "</voussoir>");
  cr_assert_str_eq(sample_judge(xml),
                   "main.xml:2: not well-formed XML: Excessive depth in document: 256\n");
  end = xml + sprintf(xml, "<voussoir title='");
  memset(end, 'x', 11u << 20);
  strcpy(end + (11u << 20), "'/>");
  cr_assert(strstr(sample_judge(xml), "main.xml:1: not well-formed XML: AttValue"));
  end = xml + sprintf(xml, "<voussoir title='");
  memset(end, 'x', 1u << 20);
  strcpy(end + (1u << 20), "'>\n<time step='0'/></voussoir>");
  cr_assert_str_eq(sample_judge(xml),
                   "main.xml:2: attribute 'step' of <time> is 0, must lie in ]0,inf[ s\n",
                   "a long attribute is no defect, and lines after it are right");
  free(xml);
}

Test(xml, survives_every_truncation_of_a_file) {
  const char *whole = "<?xml version='1.0' encoding='UTF-8'?>\n<voussoir xml:base='.'>\n"
                      "<parameter name='a' value='1'/><description>Two &lt; <![CDATA[x]]>\n"
                      "</description><!-- c --><?pi x?>\n<time step='${a}'/></voussoir>";
  cr_assert_str_eq(sample_judge(whole), "");
  for (size_t n = 0; n < strlen(whole); n++) {
    sample_write_bytes("cut.xml", whole, n);
    cr_assert(strstr(sample_defects("cut.xml", NULL, 0), "cut.xml"), "%zu bytes", n);
  }
}

Test(xml, tolerates_the_attributes_that_belong_to_xml_itself) {
  cr_assert_str_eq(sample_judge("<voussoir xmlns:xi='http://www.w3.org/2001/XInclude' xml:lang='fr'"
                                " xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'"
                                " xsi:noNamespaceSchemaLocation='v.xsd' xml:base='x'>"
                                "<time step='1' xml:id='a'/></voussoir>"),
                   "");
  cr_assert_str_eq(sample_judge("<voussoir xmlns:q='urn:q' q:x='1'><time step='1'/>\n<q:a/>"
                                "</voussoir>"),
                   "main.xml:1: unknown attribute 'q:x' of <voussoir>, allowed: title\n"
                   "main.xml:2: unknown element <q:a> in <voussoir>, allowed: description, "
                   "material, block, group, drive, function, time\n");
  cr_assert_str_eq(sample_judge("<voussoir xmlns='urn:q'><time step='1'/></voussoir>"),
                   "main.xml:1: elements have no namespace here: remove xmlns=\"urn:q\"\n");
}

Test(xml, reads_other_encodings) {
  cr_assert_str_eq(sample_judge("<?xml version='1.0' encoding='ISO-8859-1'?>\n"
                                "<voussoir>\n<block name='pi\xe8"
                                "ce' material='x'/><time step='1'/></voussoir>"),
                   "main.xml:3: attribute 'material' of <block>: no <material> is named \"x\"\n");
}
