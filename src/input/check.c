#include "input/load.h"

#include <assert.h>
#include <string.h>

// The variants that have an attribute, as text; "" if none.
static void list_owners(const SchemaElement *element, const char *attr, char buffer[DIAG_LIST]) {
  char word[DIAG_SHORT];
  buffer[0] = 0;
  for (int k = 0; k < element->n_variants; k++) {
    const SchemaVariant *variant = &element->variants[k];
    for (int p = 0; p < variant->n_params; p++) {
      if (strcmp(variant->params[p].name, attr) != 0) continue;
      int n = snprintf(word, sizeof word, "\"%s\"", variant->name);
      diag_list(buffer, word, (size_t)n < sizeof word ? (size_t)n : sizeof word - 1);
    }
  }
}

typedef struct {
  const char *word, *found;
  int distance;
  char allowed[DIAG_LIST];
} Search;

static void search_params(Search *search, const ParamSpec *params, int n_params) {
  for (int k = 0; k < n_params; k++) {
    const char *name = params[k].name;
    if (diag_nearer(search->word, name, strlen(name), &search->distance)) search->found = name;
    diag_list(search->allowed, name, strlen(name));
  }
}

static void report_unknown_attr(Loader *load, const SchemaElement *element,
                                const SchemaVariant *variant, SrcPos pos, const char *name) {
  char word[DIAG_SHORT];
  Search search = {.word = name, .distance = DIAG_FAR};
  search_params(&search, element->params, element->n_params);
  if (variant) search_params(&search, variant->params, variant->n_params);
  name = diag_short(name, word);
  if (search.found)
    diag_add(load->diag, pos, "unknown attribute '%s' of <%s>; did you mean '%s'? (allowed: %s)",
             name, element->name, search.found, search.allowed);
  else
    diag_add(load->diag, pos, "unknown attribute '%s' of <%s>, allowed: %s", name, element->name,
             search.allowed[0] ? search.allowed : "none");
}

void check_unknown_attr(Loader *load, const SchemaElement *element, const RawNode *raw,
                        const RawAttr *attr) {
  report_unknown_attr(load, element, NULL, raw_attr_pos(raw, attr), attr->name);
}

SrcPos raw_attr_pos(const RawNode *raw, const RawAttr *attr) {
  return (SrcPos){attr->file ? attr->file : raw->pos.file, attr->line};
}

static const RawAttr *find_raw(const RawNode *raw, const char *name) {
  for (int k = 0; k < raw->n_attrs; k++)
    if (strcmp(raw->attrs[k].name, name) == 0) return &raw->attrs[k];
  return NULL;
}

static bool is_numeric(ParamType type) {
  return type == PARAM_REAL || type == PARAM_INTEGER || type == PARAM_FUNCTION ||
         type == PARAM_LIST || type == PARAM_COUNTS;
}

// Text and value of one attribute. After a defect text stays "" and value NULL.
static Status fill_attr(Loader *load, const RawNode *raw, InputNode *node, const ParamSpec *spec,
                        InputAttr *attr) {
  const SchemaElement *element = node->element;
  const RawAttr *found = find_raw(raw, spec->name);
  *attr = (InputAttr){.spec = spec, .given = found != NULL, .pos = raw->pos};
  if (found) {
    attr->pos = raw_attr_pos(raw, found);
    char what[160];
    snprintf(what, sizeof what, "attribute '%s' of <%s>", spec->name, element->name);
    TRY(parameters_apply(load, found->value, is_numeric(spec->type), attr->pos, what, &attr->text));
    if (attr->text) return value_check(load, element, attr);
  } else if (!spec->initial && !raw->is_short) {
    bool has_unit = spec->unit && *spec->unit && strcmp(spec->unit, "1") != 0;
    diag_add(load->diag, raw->pos, "<%s> needs the attribute '%s' (%s%s%s%s)", element->name,
             spec->name, spec->doc, has_unit ? " [" : "", has_unit ? spec->unit : "",
             has_unit ? "]" : "");
  }
  const char *initial = found || !spec->initial ? "" : spec->initial;
  attr->text = load_copy(load, initial, strlen(initial));
  if (!attr->text) return ERR_SYSTEM;
  if (!*initial) return OK;
  size_t n_before = load->diag->n;
  TRY(value_check(load, element, attr));
  if (load->diag->n == n_before) return OK;
  return err_set(load->err, ERR_BUG, "the default \"%s\" of '%s' of <%s> is not valid", initial,
                 spec->name, element->name);
}

// Finds the variant that the selector picks. *unknown: it picks none, so that attributes of any
// variant have to be let pass.
static Status pick_variant(Loader *load, const RawNode *raw, InputNode *node, bool *unknown) {
  const SchemaElement *element = node->element;
  *unknown = false;
  if (!element->selector) return OK;
  const ParamSpec *spec = schema_param(element, NULL, element->selector);
  if (!spec) return err_set(load->err, ERR_BUG, "<%s> lacks its selector", element->name);
  const RawAttr *found = find_raw(raw, spec->name);
  char *text = NULL;
  const char *name = spec->initial;
  if (found) {
    // A defect of the text is reported here and again with the attribute; diag_sort drops one.
    char what[160];
    snprintf(what, sizeof what, "attribute '%s' of <%s>", spec->name, element->name);
    SrcPos pos = raw_attr_pos(raw, found);
    TRY(parameters_apply(load, found->value, false, pos, what, &text));
    name = text;
  }
  node->variant = name ? schema_variant(element, name) : NULL;
  *unknown = !node->variant && (!name || *name);
  return OK;
}

static void check_attr_names(Loader *load, const RawNode *raw, const InputNode *node,
                             bool unknown_variant) {
  const SchemaElement *element = node->element;
  for (int k = 0; k < raw->n_attrs; k++) {
    const RawAttr *attr = &raw->attrs[k];
    if (schema_param(element, node->variant, attr->name)) continue;
    char owners[DIAG_LIST];
    list_owners(element, attr->name, owners);
    SrcPos pos = raw_attr_pos(raw, attr);
    if (!owners[0])
      report_unknown_attr(load, element, node->variant, pos, attr->name);
    else if (node->variant)
      diag_add(load->diag, pos,
               "attribute '%s' of <%s> does not go with %s=\"%s\"; it goes with %s", attr->name,
               element->name, element->selector, node->variant->name, owners);
    else if (!unknown_variant)
      diag_add(load->diag, pos, "attribute '%s' of <%s> goes only with %s=%s", attr->name,
               element->name, element->selector, owners);
  }
}

static Status fill_attrs(Loader *load, const RawNode *raw, InputNode *node) {
  bool unknown_variant;
  TRY(pick_variant(load, raw, node, &unknown_variant));
  check_attr_names(load, raw, node, unknown_variant);
  const SchemaElement *element = node->element;
  const SchemaVariant *variant = node->variant;
  int n_own = element->n_params;
  node->n_attrs = n_own + (variant ? variant->n_params : 0);
  node->attrs = load_take(load, node->n_attrs, sizeof *node->attrs);
  if (!node->attrs) return ERR_SYSTEM;
  for (int k = 0; k < node->n_attrs; k++) {
    assert(k < n_own || variant);
    const ParamSpec *spec = k < n_own ? &element->params[k] : &variant->params[k - n_own];
    TRY(fill_attr(load, raw, node, spec, &node->attrs[k]));
  }
  return OK;
}

static Status fill_text(Loader *load, const RawNode *raw, InputNode *node) {
  if (node->element->has_text) {
    node->text = load_copy(load, raw->text, strlen(raw->text));
    return node->text ? OK : ERR_SYSTEM;
  }
  char buffer[DIAG_SHORT];
  if (raw->text_line > 0)
    diag_add(load->diag, (SrcPos){raw->pos.file, raw->text_line},
             "text \"%s\" is not allowed in <%s>", diag_short(raw->text, buffer), raw->name);
  return OK;
}

// How often each allowed child stands there.
static void count_children(Loader *load, const RawNode *raw, const SchemaElement *element) {
  for (int k = 0; k < load->schema->n_elements; k++) {
    const SchemaElement *child = &load->schema->elements[k];
    if (!schema_list_holds(element->children, child->name)) continue;
    int n = 0;
    const RawNode *surplus = NULL;
    for (const RawNode *c = raw->first; c; c = c->next) {
      if (strcmp(c->name, child->name) != 0) continue;
      if (++n == child->max_count + 1) surplus = c;
    }
    if (n < child->min_count)
      diag_add(load->diag, raw->pos, "<%s> needs at least %d <%s>, has %d", raw->name,
               child->min_count, child->name, n);
    if (child->max_count > 0 && surplus)
      diag_add(load->diag, surplus->pos, "<%s> takes at most %d <%s>, has %d", raw->name,
               child->max_count, child->name, n);
  }
}

static void report_unknown_element(Loader *load, const RawNode *raw, const SchemaElement *parent) {
  char allowed[DIAG_LIST], near[DIAG_SHORT], word[DIAG_SHORT];
  const char *name = diag_short(raw->name, word);
  diag_list_all(allowed, parent->children);
  bool misplaced = schema_find(load->schema, raw->name) != NULL;
  if (strcmp(raw->name, parameter_element.name) == 0)
    diag_add(load->diag, raw->pos, "<parameter> stands in <%s> only, not in <%s>",
             load->schema->elements[0].name, parent->name);
  else if (misplaced)
    diag_add(load->diag, raw->pos, "<%s> is not allowed in <%s>, allowed: %s", name, parent->name,
             allowed);
  else if (diag_nearest(raw->name, parent->children, near, sizeof near))
    diag_add(load->diag, raw->pos, "unknown element <%s> in <%s>; did you mean <%s>? (allowed: %s)",
             name, parent->name, near, allowed);
  else
    diag_add(load->diag, raw->pos, "unknown element <%s> in <%s>, allowed: %s", name, parent->name,
             allowed);
}

static Status check_node(Loader *load, const RawNode *raw, InputNode *parent, InputNode **made);

// Elements of the schema are few; the children of a node may be many.
static Status number_children(Loader *load, InputNode *node) {
  int *count;
  MEM_NEW(count, load->schema->n_elements, load->err);
  for (InputNode *c = node->first; c; c = c->next)
    c->place = count[c->element - load->schema->elements]++;
  mem_free(count);
  return OK;
}

static Status check_children(Loader *load, const RawNode *raw, InputNode *node) {
  const SchemaElement *element = node->element;
  count_children(load, raw, element);
  InputNode **link = &node->first;
  for (const RawNode *c = raw->first; c; c = c->next) {
    if (!node->parent && strcmp(c->name, parameter_element.name) == 0) continue;
    if (!schema_list_holds(element->children, c->name)) {
      report_unknown_element(load, c, element);
      continue;
    }
    TRY(check_node(load, c, node, link));
    assert(*link);
    link = &(*link)->next;
  }
  return node->first ? number_children(load, node) : OK;
}

static Status check_node(Loader *load, const RawNode *raw, InputNode *parent, InputNode **made) {
  const SchemaElement *element = schema_find(load->schema, raw->name);
  if (!element)
    return err_set(load->err, ERR_BUG, "<%s> is a child of <%s> but not in the schema", raw->name,
                   parent ? parent->element->name : "");
  InputNode *node = load_take(load, 1, sizeof *node);
  if (!node) return ERR_SYSTEM;
  *node = (InputNode){.element = element, .pos = raw->pos, .parent = parent};
  node->order = load->n_nodes++;
  *made = node;
  TRY(fill_attrs(load, raw, node));
  TRY(fill_text(load, raw, node));
  return check_children(load, raw, node);
}

Status check_tree(Loader *load, const RawNode *raw) {
  const char *root_name = load->schema->elements[0].name;
  if (strcmp(raw->name, root_name) == 0) return check_node(load, raw, NULL, &load->in->root);
  char buffer[DIAG_SHORT];
  diag_add(load->diag, raw->pos, "the root is <%s>, must be <%s>", diag_short(raw->name, buffer),
           root_name);
  return OK;
}
