#include <criterion/criterion.h>

#include <libxml/parser.h>
#include <libxml/xmlschemas.h>
#include <stdlib.h>
#include <string.h>

#include "../../support/input_sample.h"

TestSuite(schema_xsd, .init = sample_enter, .fini = sample_leave);

static void be_silent(void *data, xmlErrorPtr error) {
  (void)data, (void)error;
}

static xmlSchemaPtr parse_xsd(void) {
  FILE *stream = fopen("v.xsd", "w");
  schema_write_xsd(&sample_schema, stream);
  fclose(stream);
  xmlSchemaParserCtxtPtr ctxt = xmlSchemaNewParserCtxt("v.xsd");
  xmlSchemaPtr xsd = xmlSchemaParse(ctxt);
  xmlSchemaFreeParserCtxt(ctxt);
  return xsd;
}

static bool xsd_accepts(xmlSchemaPtr xsd, const char *xml) {
  xmlDocPtr doc = xmlReadMemory(xml, (int)strlen(xml), "x.xml", NULL, XML_PARSE_NOERROR);
  xmlSchemaValidCtxtPtr ctxt = xmlSchemaNewValidCtxt(xsd);
  xmlSchemaSetValidStructuredErrors(ctxt, be_silent, NULL);
  int result = xmlSchemaValidateDoc(ctxt, doc);
  xmlSchemaFreeValidCtxt(ctxt);
  xmlFreeDoc(doc);
  cr_assert_geq(result, 0);
  return result == 0;
}

// Documents on which the XSD and the reader must agree.
static const struct {
  bool good;
  const char *body;
} documents[] = {
    {true, "<time step='1'/>"},
    {true, "<time step='1' xml:id='a'/><description xml:lang='fr'>free text</description>"},
    {true, "<parameter name='m' value='s'/><time step='1'/><material name='s' density='1'/>"
           "<block material='s' fixed='yes'/>"},
    {true, "<material name='s' density='2*3' model='plastic' yield='1'/><time step='1'/>"
           "<group name='g'><block name='cl\xc3\xa9-1.2' material='s' size='1 2'/>"
           "<group name='h'/></group><drive on='h' kind='velocity' value='sin(t)'/>"},
    {true, "<parameter name='k' value='force'/><parameter name='y' value='yes'/>"
           "<time step='1'/><material name='s' density='1'/>"
           "<block name='b' material='s' fixed='${y}'/><drive on='b' kind='${k}'/>"},
    {false, "<time step='1'/>stray"},
    {false, "<time step='1'/><blok/>"},
    {false, "<time step='1' stpes='2'/>"},
    {false, "<time/>"},
    {false, "<time step=''/>"},
    {false, "<time step='1'/><group name='g'><time step='1'/></group>"},
    {false, "<time step='1'/><group name='g'><parameter name='a' value='1'/></group>"},
    {false, "<time step='1'/><description>a<b/></description>"},
    {false, "<time step='1'/><material name='a b' density='1'/>"},
    {false, "<time step='1'/><material name='a' density='1'/><material name='a' density='1'/>"},
    {false, "<time step='1'/><material name='a' density='1'/><block material='b'/>"},
    {false, "<time step='1'/><material name='a' density='1'/><block material='a' fixed='1'/>"},
    {false, "<time step='1'/><group name='g'/><drive on='g' kind='speed'/>"},
    {false, "<time step='1'/><material name='a' density='1' model='rubber'/>"},
    {false, "<time step='1'/><material name='a' density='1'/><block name='b' material='a'/>"
            "<block name='b' material='a'/>"},
    {false, "<time step='1'/><parameter name='a'/>"},
    {false, "<time step='1'/><include/>"}};

Test(schema_xsd, judges_documents_like_the_reader) {
  xmlSchemaPtr xsd = parse_xsd();
  cr_assert_not_null(xsd, "libxml2 accepts the XSD itself");
  for (size_t k = 0; k < sizeof documents / sizeof *documents; k++) {
    char xml[1000];
    snprintf(xml, sizeof xml, "<voussoir title='x'>%s</voussoir>", documents[k].body);
    const char *defects = sample_judge(xml);
    cr_assert_eq(*defects == 0, documents[k].good, "%s\n%s", xml, defects);
    cr_assert_eq(xsd_accepts(xsd, xml), documents[k].good, "%s", xml);
  }
  cr_assert_not(xsd_accepts(xsd, "<time step='1'/>"), "only the root element may be the root");
  xmlSchemaFree(xsd);
}

Test(schema_xsd, lets_includes_and_what_belongs_to_xml_pass) {
  xmlSchemaPtr xsd = parse_xsd();
  cr_assert(xsd_accepts(xsd,
                        "<voussoir xmlns:xi='http://www.w3.org/2001/XInclude' "
                        "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xml:base='a' "
                        "xsi:noNamespaceSchemaLocation='v.xsd'><xi:include href='a.xml'/>"
                        "<group name='g' xml:base='b'><include href='b.xml'/></group></voussoir>"));
  xmlSchemaFree(xsd);
}
