#include "input/schema.h"

#include <string.h>

const SchemaElement *schema_find(const Schema *schema, const char *name) {
  for (int k = 0; k < schema->n_elements; k++)
    if (strcmp(schema->elements[k].name, name) == 0) return &schema->elements[k];
  return NULL;
}

static const ParamSpec *find_spec(const ParamSpec *params, int n_params, const char *name) {
  for (int k = 0; k < n_params; k++)
    if (strcmp(params[k].name, name) == 0) return &params[k];
  return NULL;
}

const ParamSpec *schema_param(const SchemaElement *element, const SchemaVariant *variant,
                              const char *name) {
  const ParamSpec *spec = find_spec(element->params, element->n_params, name);
  if (!spec && variant) spec = find_spec(variant->params, variant->n_params, name);
  return spec;
}

const SchemaVariant *schema_variant(const SchemaElement *element, const char *name) {
  for (int k = 0; k < element->n_variants; k++)
    if (strcmp(element->variants[k].name, name) == 0) return &element->variants[k];
  return NULL;
}

bool schema_list_holds(const char *list, const char *word) {
  size_t n_word = strlen(word);
  for (const char *c = list; c && *c;) {
    size_t n = strcspn(c, "|");
    if (n == n_word && strncmp(c, word, n) == 0) return true;
    c += n + (c[n] == '|');
  }
  return false;
}

const char *schema_choice(const SchemaElement *element, const ParamSpec *spec, int k, size_t *n) {
  bool by_variants =
      !spec->choices && element->selector && strcmp(element->selector, spec->name) == 0;
  if (by_variants) {
    if (k >= element->n_variants) return NULL;
    *n = strlen(element->variants[k].name);
    return element->variants[k].name;
  }
  const char *c = spec->choices;
  for (int i = 0; c && *c; i++) {
    *n = strcspn(c, "|");
    if (i == k) return c;
    c += *n + (c[*n] == '|');
  }
  return NULL;
}
