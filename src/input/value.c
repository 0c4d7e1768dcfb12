#include "input/load.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/expr.h"

static const char BLANKS[] = " \t\r\n";

// Starts a message: which attribute of which element.
static const char *whose(const SchemaElement *element, const InputAttr *attr, char buffer[160]) {
  snprintf(buffer, 160, "attribute '%s' of <%s>", attr->spec->name, element->name);
  return buffer;
}

static bool is_within(const char *bounds, double value) {
  char *end;
  double low = strtod(bounds + 1, &end);
  assert((bounds[0] == '[' || bounds[0] == ']') && *end == ',');
  double high = strtod(end + 1, &end);
  assert(*end == '[' || *end == ']');
  bool above = bounds[0] == '[' ? value >= low : value > low;
  bool below = *end == ']' ? value <= high : value < high;
  return above && below;
}

// One number: finite, whole if it must be, within bounds.
static Status check_number(Loader *load, const SchemaElement *element, const InputAttr *attr,
                           const char *text, double *value) {
  const ParamSpec *spec = attr->spec;
  char start[160];
  Err local = {0};
  Status status = expr_constant(text, value, &local);
  if (status == ERR_INPUT) {
    diag_add(load->diag, attr->pos, "%s: %s", whose(element, attr, start), local.text);
    return OK;
  }
  if (status != OK) return err_set(load->err, status, "%s", local.text);
  bool whole = *value == floor(*value) && fabs(*value) <= INT_MAX;
  bool counts = spec->type == PARAM_INTEGER || spec->type == PARAM_COUNTS;
  if (counts && !whole)
    diag_add(load->diag, attr->pos, "%s is %.10g, must be a whole number",
             whose(element, attr, start), *value);
  if (spec->bounds && !is_within(spec->bounds, *value)) {
    bool has_unit = spec->unit && *spec->unit && strcmp(spec->unit, "1") != 0;
    diag_add(load->diag, attr->pos, "%s is %.10g, must lie in %s%s%s", whose(element, attr, start),
             *value, spec->bounds, has_unit ? " " : "", has_unit ? spec->unit : "");
  }
  return OK;
}

// The end of the next item of a list: white space inside parentheses does not part.
static const char *item_end(const char *c) {
  int depth = 0;
  for (; *c && (depth > 0 || !strchr(BLANKS, *c)); c++) depth += (*c == '(') - (*c == ')');
  return c;
}

static Status check_list(Loader *load, const SchemaElement *element, InputAttr *attr) {
  int n = 0;
  for (const char *c = attr->text + strspn(attr->text, BLANKS); *c; n++) {
    c = item_end(c);
    c += strspn(c, BLANKS);
  }
  attr->value = load_take(load, n, sizeof *attr->value);
  char *item = load_copy(load, attr->text, strlen(attr->text));
  if (!attr->value || !item) return ERR_SYSTEM;
  for (char *c = item + strspn(item, BLANKS); *c;) {
    char *end = c + (item_end(c) - c);
    char *next = end + strspn(end, BLANKS);
    *end = 0;
    TRY(check_number(load, element, attr, c, &attr->value[attr->n_values]));
    attr->n_values++;
    c = next;
  }
  char start[160];
  if (n == 0)
    diag_add(load->diag, attr->pos, "%s is empty, must be numbers", whose(element, attr, start));
  return OK;
}

static void check_choice(Loader *load, const SchemaElement *element, const InputAttr *attr) {
  char start[160], word[DIAG_SHORT], allowed[DIAG_LIST] = "";
  const char *near = NULL, *choice;
  size_t n, n_near = 0;
  int distance = DIAG_FAR;
  for (int k = 0; (choice = schema_choice(element, attr->spec, k, &n)); k++) {
    if (strlen(attr->text) == n && strncmp(attr->text, choice, n) == 0) return;
    if (diag_nearer(attr->text, choice, n, &distance)) near = choice, n_near = n;
    diag_list(allowed, choice, n);
  }
  whose(element, attr, start);
  if (near)
    diag_add(load->diag, attr->pos, "%s is \"%s\"; did you mean \"%.*s\"? (allowed: %s)", start,
             diag_short(attr->text, word), (int)n_near, near, allowed);
  else
    diag_add(load->diag, attr->pos, "%s is \"%s\", allowed: %s", start,
             diag_short(attr->text, word), allowed);
}

// Names end up in files and column heads, so they are one plain word.
static void check_name(Loader *load, const SchemaElement *element, const InputAttr *attr) {
  char start[160], word[DIAG_SHORT];
  bool good = attr->text[0] != 0;
  for (const unsigned char *c = (const unsigned char *)attr->text; *c; c++) {
    bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
    good = good && (plain || *c >= 0x80 || strchr("_-.", *c));
  }
  if (!good)
    diag_add(load->diag, attr->pos, "%s is \"%s\", must be one word of letters, digits, _ - .",
             whose(element, attr, start), diag_short(attr->text, word));
}

static void check_not_empty(Loader *load, const SchemaElement *element, const InputAttr *attr) {
  char start[160];
  if (!*attr->text) diag_add(load->diag, attr->pos, "%s is empty", whose(element, attr, start));
}

static Status check_bool(Loader *load, const SchemaElement *element, InputAttr *attr) {
  char start[160], word[DIAG_SHORT];
  attr->value = load_take(load, 1, sizeof *attr->value);
  if (!attr->value) return ERR_SYSTEM;
  bool yes = strcmp(attr->text, "yes") == 0;
  attr->value[0] = yes;
  if (!yes && strcmp(attr->text, "no") != 0)
    diag_add(load->diag, attr->pos, "%s is \"%s\", allowed: yes, no", whose(element, attr, start),
             diag_short(attr->text, word));
  return OK;
}

Status value_check(Loader *load, const SchemaElement *element, InputAttr *attr) {
  switch (attr->spec->type) {
  case PARAM_REAL:
  case PARAM_INTEGER:
    attr->value = load_take(load, 1, sizeof *attr->value);
    if (!attr->value) return ERR_SYSTEM;
    return check_number(load, element, attr, attr->text, attr->value);
  case PARAM_LIST:
  case PARAM_COUNTS:
    return check_list(load, element, attr);
  case PARAM_BOOL:
    return check_bool(load, element, attr);
  case PARAM_CHOICE:
    check_choice(load, element, attr);
    return OK;
  case PARAM_NAME:
    check_name(load, element, attr);
    return OK;
  case PARAM_REF:      // whether it exists: names.c, when all names are known
  case PARAM_FUNCTION: // the same
  case PARAM_FILE:
    check_not_empty(load, element, attr);
    return OK;
  case PARAM_TEXT:
    return OK;
  }
  return err_set(load->err, ERR_BUG, "parameter type %d", (int)attr->spec->type);
}
