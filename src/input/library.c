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
  if (!path || !id) return OK; // told, or told when the element is checked
  TRY(document_beside(load, raw, pos, path, &root));
  if (!root) return OK;
  const RawNode *from = look_up(load, raw, pos, root, id);
  if (!from) return OK;
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
