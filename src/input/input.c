#include "input/input.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "input/load.h"

void *load_take(Loader *load, size_t count, size_t size) {
  void *piece = arena_take(&load->in->arena, count, size);
  if (piece)
    memset(piece, 0, count * size);
  else
    err_set(load->err, ERR_SYSTEM, "out of memory: %zu items of %zu bytes", count, size);
  return piece;
}

char *load_copy(Loader *load, const char *text, size_t n) {
  char *copy = load_take(load, n + 1, 1);
  if (copy) memcpy(copy, text, n);
  return copy;
}

Status input_load(const char *path, const Schema *schema, const InputSetting *settings,
                  int n_settings, Input *in, Diag *diag, Err *err) {
  assert(schema->n_elements > 0);
  assert(!schema_find(schema, parameter_element.name) &&
         !schema_find(schema, include_element.name));
  *in = (Input){0};
  Loader load = {.schema = schema, .in = in, .diag = diag, .err = err};
  RawNode *raw;
  TRY(document_read(&load, path, &raw));
  if (raw) TRY(parameters_read(&load, raw, settings, n_settings));
  if (raw) TRY(libraries_read(&load, raw));
  if (raw) TRY(check_tree(&load, raw));
  if (in->root) TRY(names_check(&load));
  diag_sort(diag);
  return diag_status(diag, err);
}

void input_free(Input *in) {
  arena_free(&in->arena);
  *in = (Input){0};
}

static const InputNode *first_named(const InputNode *node, const char *name) {
  while (node && name && strcmp(node->element->name, name) != 0) node = node->next;
  return node;
}

const InputNode *input_child(const InputNode *node, const char *name) {
  return first_named(node->first, name);
}

const InputNode *input_next(const InputNode *node, const char *name) {
  return first_named(node->next, name);
}

// NULL if element and variant do not have the attribute.
static const InputAttr *find_attr(const InputNode *node, const char *name) {
  for (int k = 0; k < node->n_attrs; k++)
    if (strcmp(node->attrs[k].spec->name, name) == 0) return &node->attrs[k];
  return NULL;
}

static const InputAttr *get_attr(const InputNode *node, const char *name) {
  const InputAttr *attr = find_attr(node, name);
  assert(attr && "the schema has no such attribute");
  return attr;
}

bool input_given(const InputNode *node, const char *attr) {
  const InputAttr *found = find_attr(node, attr);
  return found && found->given;
}

double input_real(const InputNode *node, const char *attr) {
  const InputAttr *found = get_attr(node, attr);
  assert(found->spec->type == PARAM_REAL || found->spec->type == PARAM_INTEGER);
  return found->value ? found->value[0] : (double)NAN;
}

int input_integer(const InputNode *node, const char *attr) {
  const InputAttr *found = get_attr(node, attr);
  assert(found->spec->type == PARAM_INTEGER);
  return found->value ? (int)found->value[0] : 0;
}

bool input_bool(const InputNode *node, const char *attr) {
  const InputAttr *found = get_attr(node, attr);
  assert(found->spec->type == PARAM_BOOL);
  return found->value && found->value[0] != 0;
}

const char *input_text(const InputNode *node, const char *attr) {
  return get_attr(node, attr)->text;
}

const double *input_list(const InputNode *node, const char *attr, int *n) {
  const InputAttr *found = get_attr(node, attr);
  assert(found->spec->type == PARAM_LIST || found->spec->type == PARAM_COUNTS);
  assert(found->value || found->n_values == 0);
  *n = found->n_values;
  return found->value;
}

SrcPos input_pos(const InputNode *node, const char *attr) {
  const InputAttr *found = attr ? find_attr(node, attr) : NULL;
  return found ? found->pos : node->pos;
}

const InputNode *input_ref(const Input *in, const InputNode *node, const char *attr) {
  (void)in;
  const InputAttr *found = get_attr(node, attr);
  assert(found->spec->type == PARAM_REF || found->spec->type == PARAM_FUNCTION);
  return found->target;
}

void input_path(const InputNode *node, const char *attr, char *path, size_t size) {
  const InputAttr *found = get_attr(node, attr);
  const char *text = found->text, *slash = strrchr(found->pos.file, '/');
  int n_folder = slash && text[0] != '/' && *text ? (int)(slash - found->pos.file) + 1 : 0;
  snprintf(path, size, "%.*s%s", n_folder, found->pos.file, text);
}
