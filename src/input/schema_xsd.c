#include "input/schema.h"

#include <string.h>

#include "input/load.h"

static void put_text(FILE *stream, const char *text) {
  for (; text && *text; text++) {
    if (*text == '&')
      fputs("&amp;", stream);
    else if (*text == '<')
      fputs("&lt;", stream);
    else if (*text == '>')
      fputs("&gt;", stream);
    else if (*text == '"')
      fputs("&quot;", stream);
    else
      fputc(*text, stream);
  }
}

static void put_doc(FILE *stream, const char *indent, const char *doc) {
  fprintf(stream, "%s<xs:annotation><xs:documentation>", indent);
  put_text(stream, doc);
  fputs("</xs:documentation></xs:annotation>\n", stream);
}

static void put_attr_doc(FILE *stream, const ParamSpec *spec, const SchemaVariant *variant) {
  fputs("      <xs:annotation><xs:documentation>", stream);
  put_text(stream, spec->doc);
  if (spec->unit && *spec->unit && strcmp(spec->unit, "1") != 0) {
    fputs(" [", stream);
    put_text(stream, spec->unit);
    fputs("]", stream);
  }
  if (spec->bounds) {
    fputs(", in ", stream);
    put_text(stream, spec->bounds);
  }
  if (spec->initial && *spec->initial) {
    fputs(", default ", stream);
    put_text(stream, spec->initial);
  }
  if (variant) {
    fputs(" (of ", stream);
    put_text(stream, variant->name);
    fputs(")", stream);
  }
  fputs("</xs:documentation></xs:annotation>\n", stream);
}

// Simple types that take no parameters of their own.
static const char *type_name(ParamType type) {
  switch (type) {
  case PARAM_REAL:
  case PARAM_INTEGER:
  case PARAM_FUNCTION:
  case PARAM_LIST:
  case PARAM_COUNTS:
    return "expression_type";
  case PARAM_BOOL:
    return "bool_type";
  case PARAM_NAME:
    return "name_type";
  case PARAM_REF:
  case PARAM_FILE:
    return "nonempty_type";
  case PARAM_TEXT:
    return "xs:string";
  case PARAM_CHOICE:
    break;
  }
  return NULL;
}

static void put_choices(FILE *stream, const SchemaElement *element, const ParamSpec *spec) {
  const char *choice;
  size_t n;
  fputs("      <xs:simpleType><xs:union memberTypes=\"parameter_type\"><xs:simpleType>"
        "<xs:restriction base=\"xs:string\">\n",
        stream);
  for (int k = 0; (choice = schema_choice(element, spec, k, &n)); k++)
    fprintf(stream, "        <xs:enumeration value=\"%.*s\"/>\n", (int)n, choice);
  fputs("      </xs:restriction></xs:simpleType></xs:union></xs:simpleType>\n", stream);
}

// `type` overrules the type of the spec; NULL: as the spec says.
static void put_attr(FILE *stream, const SchemaElement *element, const SchemaVariant *variant,
                     const ParamSpec *spec, const char *type) {
  if (!type) type = type_name(spec->type);
  bool required =
      !spec->initial && !variant && (!element->from_library || spec->type == PARAM_NAME);
  fprintf(stream, "    <xs:attribute name=\"%s\"%s", spec->name,
          required ? " use=\"required\"" : "");
  if (type) fprintf(stream, " type=\"%s\"", type);
  fputs(">\n", stream);
  put_attr_doc(stream, spec, variant);
  if (!type) put_choices(stream, element, spec);
  fputs("    </xs:attribute>\n", stream);
}

// Whether an attribute of a variant stands already in the element or in an earlier variant, and
// whether a later variant gives it another type.
static bool is_repeated(const SchemaElement *element, int v, const char *name) {
  if (schema_param(element, NULL, name)) return true;
  for (int k = 0; k < v; k++)
    if (schema_param(element, &element->variants[k], name)) return true;
  return false;
}

static bool is_ambiguous(const SchemaElement *element, int v, const ParamSpec *spec) {
  for (int k = v + 1; k < element->n_variants; k++) {
    const ParamSpec *other = schema_param(element, &element->variants[k], spec->name);
    if (other && (other->type != spec->type || spec->type == PARAM_CHOICE)) return true;
  }
  return false;
}

static void put_attrs(FILE *stream, const SchemaElement *element) {
  for (int k = 0; k < element->n_params; k++)
    put_attr(stream, element, NULL, &element->params[k], NULL);
  for (int v = 0; v < element->n_variants; v++) {
    const SchemaVariant *variant = &element->variants[v];
    for (int k = 0; k < variant->n_params; k++) {
      const ParamSpec *spec = &variant->params[k];
      if (is_repeated(element, v, spec->name)) continue;
      put_attr(stream, element, variant, spec, is_ambiguous(element, v, spec) ? "xs:string" : NULL);
    }
  }
  fputs("    <xs:anyAttribute namespace=\"http://www.w3.org/XML/1998/namespace\" "
        "processContents=\"skip\"/>\n",
        stream);
}

static void put_children(FILE *stream, const Schema *schema, const SchemaElement *element) {
  fputs("    <xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\">\n", stream);
  if (element == schema->elements)
    fputs("      <xs:element name=\"parameter\" type=\"parameter_element\"/>\n", stream);
  for (const char *c = element->children; c && *c;) {
    int n = (int)strcspn(c, "|");
    fprintf(stream, "      <xs:element name=\"%.*s\" type=\"%.*s_element\"/>\n", n, c, n, c);
    c += n + (c[n] == '|');
  }
  if (element->children)
    fputs(
        "      <xs:element name=\"include\" type=\"include_element\"/>\n"
        "      <xs:any namespace=\"http://www.w3.org/2001/XInclude\" processContents=\"skip\"/>\n",
        stream);
  fputs("    </xs:choice>\n", stream);
}

static void put_element_type(FILE *stream, const Schema *schema, const SchemaElement *element) {
  fprintf(stream, "  <xs:complexType name=\"%s_element\"%s>\n", element->name,
          element->has_text ? " mixed=\"true\"" : "");
  put_doc(stream, "    ", element->doc);
  if (element->children || element == schema->elements) put_children(stream, schema, element);
  put_attrs(stream, element);
  fputs("  </xs:complexType>\n", stream);
}

static void put_simple_types(FILE *stream) {
  fputs("  <xs:simpleType name=\"parameter_type\">\n"
        "    <xs:annotation><xs:documentation>holds a ${parameter}</xs:documentation>"
        "</xs:annotation>\n"
        "    <xs:restriction base=\"xs:string\">"
        "<xs:pattern value=\"[\\s\\S]*[$]\\{[^\\}]+\\}[\\s\\S]*\"/>"
        "</xs:restriction>\n"
        "  </xs:simpleType>\n"
        "  <xs:simpleType name=\"expression_type\">\n"
        "    <xs:restriction base=\"xs:token\"><xs:minLength value=\"1\"/></xs:restriction>\n"
        "  </xs:simpleType>\n"
        "  <xs:simpleType name=\"nonempty_type\">\n"
        "    <xs:restriction base=\"xs:string\"><xs:minLength value=\"1\"/></xs:restriction>\n"
        "  </xs:simpleType>\n"
        "  <xs:simpleType name=\"bool_type\">\n"
        "    <xs:union memberTypes=\"parameter_type\"><xs:simpleType>"
        "<xs:restriction base=\"xs:string\">\n"
        "      <xs:enumeration value=\"yes\"/><xs:enumeration value=\"no\"/>\n"
        "    </xs:restriction></xs:simpleType></xs:union>\n"
        "  </xs:simpleType>\n"
        "  <xs:simpleType name=\"name_type\">\n"
        "    <xs:union memberTypes=\"parameter_type\"><xs:simpleType>"
        "<xs:restriction base=\"xs:string\">\n"
        "      <xs:pattern value=\"[A-Za-z0-9_.\\-&#x80;-&#x10FFFF;]+\"/>\n"
        "    </xs:restriction></xs:simpleType></xs:union>\n"
        "  </xs:simpleType>\n",
        stream);
}

// Names of one class: a key where every element of the class has one, else unique.
static void put_key(FILE *stream, const SchemaElement *element) {
  for (int k = 0; k < element->n_params; k++) {
    const ParamSpec *spec = &element->params[k];
    if (spec->type != PARAM_NAME) continue;
    const char *kind = spec->initial ? "unique" : "key";
    fprintf(stream,
            "    <xs:%s name=\"%s_key\"><xs:selector xpath=\".//%s\"/>"
            "<xs:field xpath=\"@%s\"/></xs:%s>\n",
            kind, element->name, element->name, spec->name, kind);
    return;
  }
}

static bool has_name(const Schema *schema, const char *class_name) {
  const SchemaElement *element = schema_find(schema, class_name);
  for (int k = 0; element && k < element->n_params; k++)
    if (element->params[k].type == PARAM_NAME) return true;
  return false;
}

static void put_keyref(FILE *stream, const Schema *schema, const SchemaElement *element,
                       const ParamSpec *spec) {
  bool one_class = spec->type == PARAM_REF && spec->choices && !strchr(spec->choices, '|');
  if (!one_class || !has_name(schema, spec->choices)) return;
  fprintf(stream,
          "    <xs:keyref name=\"%s_%s_ref\" refer=\"%s_key\"><xs:selector xpath=\".//%s\"/>"
          "<xs:field xpath=\"@%s\"/></xs:keyref>\n",
          element->name, spec->name, spec->choices, element->name, spec->name);
}

static void put_root(FILE *stream, const Schema *schema) {
  const SchemaElement *root = schema->elements;
  fprintf(stream, "  <xs:element name=\"%s\" type=\"%s_element\">\n", root->name, root->name);
  for (int e = 0; e < schema->n_elements; e++) put_key(stream, &schema->elements[e]);
  for (int e = 0; e < schema->n_elements; e++) {
    const SchemaElement *element = &schema->elements[e];
    for (int k = 0; k < element->n_params; k++)
      put_keyref(stream, schema, element, &element->params[k]);
    for (int v = 0; v < element->n_variants; v++)
      for (int k = 0; k < element->variants[v].n_params; k++) {
        const ParamSpec *spec = &element->variants[v].params[k];
        if (!is_repeated(element, v, spec->name) && !is_ambiguous(element, v, spec))
          put_keyref(stream, schema, element, spec);
      }
  }
  fputs("  </xs:element>\n", stream);
}

void schema_write_xsd(const Schema *schema, FILE *stream) {
  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n",
        stream);
  put_simple_types(stream);
  for (int e = 0; e < schema->n_elements; e++)
    put_element_type(stream, schema, &schema->elements[e]);
  put_element_type(stream, schema, &parameter_element);
  put_element_type(stream, schema, &include_element);
  put_root(stream, schema);
  fputs("</xs:schema>\n", stream);
}
