// Elements that take their attributes from a file of such elements.

#include <string.h>

#include "input/load.h"

static RawAttr *find(const RawNode *raw, const char *name) {
  for (int k = 0; k < raw->n_attrs; k++)
    if (strcmp(raw->attrs[k].name, name) == 0) return &raw->attrs[k];
  return NULL;
}

static void take_away(RawNode *raw, const char *name) {
  RawAttr *attr = find(raw, name);
  if (!attr) return;
  raw->n_attrs--;
  memmove(attr, attr + 1, (size_t)(raw->attrs + raw->n_attrs - attr) * sizeof *attr);
}

// The text of an attribute with its parameters put in; NULL where it is absent or has a defect.
static Status text_of(Loader *load, const RawNode *raw, const char *name, char **text) {
  const RawAttr *attr = find(raw, name);
  char what[160];
  *text = NULL;
  if (!attr) return OK;
  snprintf(what, sizeof what, "attribute '%s' of <%s>", name, raw->name);
  return parameters_apply(load, attr->value, false, raw_attr_pos(raw, attr), what, text);
}

// Of the elements of that kind in the library the one with this name; NULL, and told, if there is
// none.
static const RawNode *look_up(Loader *load, const RawNode *raw, SrcPos pos, const RawNode *library,
                              const char *id) {
  char there[DIAG_LIST] = "", word[DIAG_SHORT];
  for (const RawNode *c = library->first; c; c = c->next) {
    const RawAttr *name = strcmp(c->name, raw->name) == 0 ? find(c, "name") : NULL;
    if (!name) continue;
    if (strcmp(name->value, id) == 0) return c;
    diag_list(there, name->value, strlen(name->value));
  }
  diag_add(load->diag, pos, "'%s' has no <%s> named \"%s\"; there are: %s", library->pos.file,
           raw->name, diag_short(id, word), there[0] ? there : "none");
  return NULL;
}

static int knows(const SchemaElement *element, const char *attr) {
  int known = schema_param(element, NULL, attr) != NULL;
  for (int k = 0; k < element->n_variants && !known; k++)
    known = schema_param(element, &element->variants[k], attr) != NULL;
  return known;
}

// An element of the library: one of those that may stand there, with a name of its own, and
// attributes that such elements may have (those of the one that is used, `from`, are judged where
// they are put in).
static void check_one(Loader *load, const RawNode *library, const RawNode *own,
                      const RawNode *from) {
  const SchemaElement *element = schema_find(load->schema, own->name);
  const RawAttr *name = find(own, "name");
  char word[DIAG_SHORT];
  if (!element || !element->from_library) {
    char allowed[DIAG_LIST] = "";
    for (int k = 0; k < load->schema->n_elements; k++) {
      const SchemaElement *may = &load->schema->elements[k];
      if (may->from_library) diag_list(allowed, may->name, strlen(may->name));
    }
    diag_add(load->diag, own->pos, "<%s> is not allowed in a library, allowed: %s",
             diag_short(own->name, word), allowed);
    return;
  }
  for (int k = 0; k < own->n_attrs && own != from; k++)
    if (!knows(element, own->attrs[k].name))
      diag_add(load->diag, raw_attr_pos(own, &own->attrs[k]), "unknown attribute '%s' of <%s>",
               diag_short(own->attrs[k].name, word), own->name);
  if (!name) diag_add(load->diag, own->pos, "a <%s> of a library needs a name", own->name);
  for (const RawNode *c = library->first; c != own && name; c = c->next) {
    const RawAttr *other = strcmp(c->name, own->name) == 0 ? find(c, "name") : NULL;
    if (!other || strcmp(other->value, name->value) != 0) continue;
    diag_add(load->diag, raw_attr_pos(own, name), "the library has two <%s> named \"%s\"",
             own->name, diag_short(name->value, word));
    break;
  }
}

static void check_library(Loader *load, const RawNode *library, const RawNode *from) {
  char word[DIAG_SHORT];
  if (strcmp(library->name, load->schema->elements[0].name) != 0)
    diag_add(load->diag, library->pos, "the root is <%s>, must be <%s>",
             diag_short(library->name, word), load->schema->elements[0].name);
  for (const RawNode *c = library->first; c; c = c->next) check_one(load, library, c, from);
}

// Attributes that `raw` does not have itself.
static Status put_in(Loader *load, RawNode *raw, const RawNode *from) {
  RawAttr *attrs = load_take(load, (size_t)raw->n_attrs + (size_t)from->n_attrs, sizeof *attrs);
  if (!attrs) return ERR_SYSTEM;
  memcpy(attrs, raw->attrs, (size_t)raw->n_attrs * sizeof *attrs);
  int n = raw->n_attrs;
  for (int k = 0; k < from->n_attrs; k++) {
    if (find(raw, from->attrs[k].name)) continue;
    attrs[n] = from->attrs[k];
    attrs[n++].file = from->pos.file;
  }
  raw->attrs = attrs;
  raw->n_attrs = n;
  return OK;
}

static Status read_one(Loader *load, RawNode *raw) {
  const RawAttr *library = find(raw, "library"), *named = find(raw, "id");
  if (!library && named)
    diag_add(load->diag, raw_attr_pos(raw, named), "'id' of <%s> needs a library", raw->name);
  if (!library) return OK;
  SrcPos pos = raw_attr_pos(raw, library);
  char *path, *id;
  RawNode *root;
  TRY(text_of(load, raw, "library", &path));
  TRY(text_of(load, raw, named ? "id" : "name", &id));
  take_away(raw, "library");
  take_away(raw, "id");
  raw->is_short = true;
  if (!path || !id) return OK; // told, or told when the element is checked
  TRY(document_beside(load, raw, pos, path, &root));
  if (!root) return OK;
  const RawNode *from = look_up(load, raw, pos, root, id);
  check_library(load, root, from);
  if (!from) return OK;
  raw->is_short = false;
  if (find(from, "library"))
    diag_add(load->diag, from->pos, "a <%s> of a library cannot name a library", raw->name);
  else
    TRY(put_in(load, raw, from));
  return OK;
}

Status libraries_read(Loader *load, RawNode *root) {
  for (RawNode *c = root->first; c; c = c->next) {
    const SchemaElement *element = schema_find(load->schema, c->name);
    if (element && element->from_library) TRY(read_one(load, c));
  }
  return OK;
}
