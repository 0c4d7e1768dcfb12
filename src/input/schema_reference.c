#include "input/schema.h"

#include <string.h>

#include "input/diag.h"
#include "input/load.h"

static const char *type_word(ParamType type) {
  switch (type) {
  case PARAM_REAL:
    return "real";
  case PARAM_INTEGER:
    return "integer";
  case PARAM_BOOL:
    return "yes or no";
  case PARAM_CHOICE:
    return "choice";
  case PARAM_TEXT:
    return "text";
  case PARAM_NAME:
    return "name";
  case PARAM_REF:
    return "reference";
  case PARAM_FUNCTION:
    return "function of t";
  case PARAM_FILE:
    return "file";
  case PARAM_LIST:
    return "list of reals";
  case PARAM_COUNTS:
    return "list of integers";
  }
  return "";
}

// Text of a table cell: a bar would end it, '<' would begin a tag.
static void put_cell(FILE *stream, const char *text) {
  for (; text && *text; text++) {
    if (*text == '|')
      fputs("\\|", stream);
    else if (*text == '<')
      fputs("&lt;", stream);
    else
      fputc(*text, stream);
  }
}

static void put_allowed(FILE *stream, const SchemaElement *element, const ParamSpec *spec) {
  const char *choice;
  size_t n;
  if (spec->bounds) put_cell(stream, spec->bounds);
  if (spec->type == PARAM_CHOICE)
    for (int k = 0; (choice = schema_choice(element, spec, k, &n)); k++)
      fprintf(stream, "%s`%.*s`", k ? ", " : "", (int)n, choice);
  if (spec->type != PARAM_REF) return;
  for (const char *c = spec->choices; c && *c;) {
    n = strcspn(c, "|");
    fprintf(stream, "%s`<%.*s>`", c == spec->choices ? "" : ", ", (int)n, c);
    c += n + (c[n] == '|');
  }
}

static void put_table(FILE *stream, const SchemaElement *element, const ParamSpec *params,
                      int n_params) {
  if (n_params == 0) return;
  fputs("| attribute | type | unit | allowed | default | meaning |\n|---|---|---|---|---|---|\n",
        stream);
  for (int k = 0; k < n_params; k++) {
    const ParamSpec *spec = &params[k];
    fprintf(stream, "| `%s` | %s | ", spec->name, type_word(spec->type));
    put_cell(stream, spec->unit);
    fputs(" | ", stream);
    put_allowed(stream, element, spec);
    fputs(" | ", stream);
    if (!spec->initial)
      fputs("required", stream);
    else if (*spec->initial) {
      fputs("`", stream);
      put_cell(stream, spec->initial);
      fputs("`", stream);
    }
    fputs(" | ", stream);
    put_cell(stream, spec->doc);
    fputs(" |\n", stream);
  }
  fputs("\n", stream);
}

// "In `<a>`, `<b>`; at least 1, at most 1." and the children.
static void put_place(FILE *stream, const Schema *schema, const SchemaElement *element) {
  int n_parents = 0;
  for (int k = 0; k < schema->n_elements; k++)
    if (schema_list_holds(schema->elements[k].children, element->name))
      fprintf(stream, "%s`<%s>`", n_parents++ ? ", " : "Stands in ", schema->elements[k].name);
  if (n_parents > 0) {
    if (element->min_count > 0) fprintf(stream, ", at least %d", element->min_count);
    if (element->max_count > 0) fprintf(stream, ", at most %d", element->max_count);
    fputs(".\n", stream);
  }
  if (element->children) {
    fputs("Holds ", stream);
    for (const char *c = element->children; *c;) {
      int n = (int)strcspn(c, "|");
      fprintf(stream, "%s`<%.*s>`", c == element->children ? "" : ", ", n, c);
      c += n + (c[n] == '|');
    }
    fputs(".\n", stream);
  }
  if (element->has_text) fputs("Holds text.\n", stream);
  if (n_parents > 0 || element->children || element->has_text) fputs("\n", stream);
}

static void put_section(FILE *stream, const Schema *schema, const SchemaElement *element) {
  fprintf(stream, "## `<%s>`\n\n%s\n\n", element->name, element->doc);
  put_place(stream, schema, element);
  put_table(stream, element, element->params, element->n_params);
  for (int v = 0; v < element->n_variants; v++) {
    const SchemaVariant *variant = &element->variants[v];
    fprintf(stream, "### `%s=\"%s\"`\n\n%s\n\n", element->selector, variant->name, variant->doc);
    put_table(stream, element, variant->params, variant->n_params);
  }
}

void schema_write_reference(const Schema *schema, FILE *stream) {
  fputs(
      "# Input reference\n\nAll values are in SI units. `${name}` in any attribute is replaced by "
      "the parameter of that name.\n\n"
      "Numbers may be expressions: `+ - * / ^`, comparisons, `a ? b : c`, functions such as `sqrt`, "
      "`exp`, `sin`, `min`, the constants `pi`, `e` and `g` = 9.81. A function of t is an expression of "
      "the time `t` [s], or the name of a `<function>`.\n\n",
      stream);
  for (int e = 0; e < schema->n_elements; e++) put_section(stream, schema, &schema->elements[e]);
  put_section(stream, schema, &parameter_element);
  put_section(stream, schema, &include_element);
}

static void list_params(FILE *stream, const SchemaElement *element, const ParamSpec *params,
                        int n_params) {
  const char *choice;
  size_t n;
  for (int k = 0; k < n_params; k++) {
    const ParamSpec *spec = &params[k];
    fprintf(stream, "    %-20s %s", spec->name, spec->doc);
    if (spec->unit && *spec->unit && strcmp(spec->unit, "1") != 0)
      fprintf(stream, " [%s]", spec->unit);
    if (spec->bounds) fprintf(stream, ", in %s", spec->bounds);
    if (spec->type == PARAM_CHOICE)
      for (int i = 0; (choice = schema_choice(element, spec, i, &n)); i++)
        fprintf(stream, "%s%.*s", i ? " | " : ": ", (int)n, choice);
    if (!spec->initial)
      fputs(" (required)", stream);
    else if (*spec->initial)
      fprintf(stream, " (default %s)", spec->initial);
    fputs("\n", stream);
  }
}

static void list_element(FILE *stream, const SchemaElement *element) {
  fprintf(stream, "<%s>  %s\n", element->name, element->doc);
  list_params(stream, element, element->params, element->n_params);
  for (int v = 0; v < element->n_variants; v++) {
    const SchemaVariant *variant = &element->variants[v];
    fprintf(stream, "  %s=\"%s\"  %s\n", element->selector, variant->name, variant->doc);
    list_params(stream, element, variant->params, variant->n_params);
  }
}

static Status unknown_element(const Schema *schema, const char *name, Err *err) {
  const char *near = NULL;
  int distance = DIAG_FAR;
  for (int k = 0; k < schema->n_elements; k++) {
    const char *candidate = schema->elements[k].name;
    if (diag_nearer(name, candidate, strlen(candidate), &distance)) near = candidate;
  }
  return err_set(err, ERR_INPUT, "there is no element <%s>%s%s%s", name,
                 near ? "; did you mean <" : "", near ? near : "", near ? ">?" : "");
}

Status schema_write_list(const Schema *schema, const char *element, FILE *stream, Err *err) {
  if (!element) {
    for (int e = 0; e < schema->n_elements; e++)
      fprintf(stream, "%-20s %s\n", schema->elements[e].name, schema->elements[e].doc);
    fprintf(stream, "%-20s %s\n", parameter_element.name, parameter_element.doc);
    fprintf(stream, "%-20s %s\n", include_element.name, include_element.doc);
    return OK;
  }
  const SchemaElement *found = schema_find(schema, element);
  if (!found && strcmp(element, parameter_element.name) == 0) found = &parameter_element;
  if (!found && strcmp(element, include_element.name) == 0) found = &include_element;
  if (!found) return unknown_element(schema, element, err);
  list_element(stream, found);
  return OK;
}
