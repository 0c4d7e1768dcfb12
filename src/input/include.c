#include "input/load.h"

#include <assert.h>
#include <string.h>

#include "input/text_file.h"

enum {
  MAX_FILE_SIZE = 32 << 20, // [bytes] an input is written by people; meshes have files of their own
  MAX_INCLUDES = 1000,      // files read in all: files that include each other twice grow like 2^n
  MAX_DEPTH = 16            // includes inside includes
};

// The files that are open around the one being read, to notice circles.
typedef struct Frame {
  unsigned long long device, inode;
  const struct Frame *outer;
  int depth;
} Frame;

static bool is_circle(const Frame *frame) {
  for (const Frame *f = frame->outer; f; f = f->outer)
    if (f->device == frame->device && f->inode == frame->inode) return true;
  return false;
}

static Status remember_file(Loader *load, const char *path, const char **kept) {
  Input *in = load->in;
  assert(in->n_files <= MAX_INCLUDES);
  for (int k = 0; k < in->n_files; k++) {
    *kept = in->files[k];
    if (strcmp(in->files[k], path) == 0) return OK;
  }
  if (!in->files) in->files = load_take(load, MAX_INCLUDES + 1, sizeof *in->files);
  char *copy = in->files ? load_copy(load, path, strlen(path)) : NULL;
  if (!copy) return ERR_SYSTEM;
  *kept = in->files[in->n_files++] = copy;
  diag_file(load->diag, copy);
  return OK;
}

static Status resolve(Loader *load, RawNode *node, const Frame *frame, int *n_includes);

// Reads one file and all that it includes; `include` is the element that asks for it, or NULL.
static Status read_tree(Loader *load, const char *path, const RawNode *include, const Frame *outer,
                        int *n_includes, RawNode **root) {
  *root = NULL;
  Frame frame = {.outer = outer, .depth = outer ? outer->depth + 1 : 0};
  TextFile text = {0};
  const char *reason = NULL, *file = NULL;
  Status status = remember_file(load, path, &file);
  if (status == OK) status = text_file_read(path, MAX_FILE_SIZE, &text, &reason, load->err);
  frame.device = text.device;
  frame.inode = text.inode;
  SrcPos pos = {file, 0};
  if (status == OK && reason && include)
    diag_add(load->diag, include->pos, "cannot read the %sfile '%s': %s",
             include->is_include ? "included " : "", path, reason);
  else if (status == OK && reason)
    diag_add(load->diag, pos, "cannot read the input: %s", reason);
  else if (status == OK && include && is_circle(&frame))
    diag_add(load->diag, include->pos, "circular include: '%s' is being read already", path);
  else if (status == OK)
    status = xml_parse(load, text.data, text.size, file, root);
  text_file_free(&text);
  if (status != OK || !*root) return status;
  return resolve(load, *root, &frame, n_includes);
}

// What an included file contributes: the children of its root, or the root itself.
static RawNode *contribution(Loader *load, const RawNode *include, RawNode *root) {
  const char *root_name = load->schema->elements[0].name;
  if (strcmp(root->name, root_name) == 0) {
    if (root->text_line > 0) {
      char buffer[DIAG_SHORT];
      diag_add(load->diag, (SrcPos){root->pos.file, root->text_line},
               "text \"%s\" is not allowed in <%s>", diag_short(root->text, buffer), root->name);
    }
    for (int k = 0; k < root->n_attrs; k++)
      if (!schema_param(&load->schema->elements[0], NULL, root->attrs[k].name))
        check_unknown_attr(load, &load->schema->elements[0], root, &root->attrs[k]);
    return root->first;
  }
  const SchemaElement *parent = schema_find(load->schema, include->parent->name);
  if (!parent || schema_list_holds(parent->children, root->name)) return root;
  if (parent == &load->schema->elements[0] && strcmp(root->name, parameter_element.name) == 0)
    return root;
  char allowed[DIAG_LIST], word[DIAG_SHORT];
  diag_list_all(allowed, parent->children);
  diag_add(
      load->diag, root->pos,
      "the included file starts with <%s>; allowed in <%s>: <%s> around elements, or one of %s",
      diag_short(root->name, word), parent->name, root_name, allowed);
  return NULL;
}

static const char *include_target(Loader *load, const RawNode *include) {
  const char *href = NULL;
  for (int k = 0; k < include->n_attrs; k++) {
    const RawAttr *attr = &include->attrs[k];
    bool is_parse = strcmp(attr->name, "parse") == 0 && strcmp(attr->value, "xml") == 0;
    if (strcmp(attr->name, "href") == 0)
      href = attr->value;
    else if (!is_parse)
      check_unknown_attr(load, &include_element, include, attr);
  }
  if (include->first || include->text_line > 0)
    diag_add(load->diag, include->pos, "<%s> must be empty", include->name);
  if (!href || !*href) {
    diag_add(load->diag, include->pos, "<%s> needs the attribute 'href' (a file)", include->name);
    return NULL;
  }
  if (!strstr(href, "${")) return href;
  diag_add(load->diag, include->pos, "parameters cannot stand in 'href' of <%s>", include->name);
  return NULL;
}

// Path of `href` seen from the folder of `file`.
static char *join_path(Loader *load, const char *file, const char *href) {
  const char *slash = strrchr(file, '/');
  int n_folder = slash && href[0] != '/' ? (int)(slash - file) + 1 : 0;
  size_t size = (size_t)n_folder + strlen(href) + 1;
  char *path = load_take(load, size, 1);
  if (path) snprintf(path, size, "%.*s%s", n_folder, file, href);
  return path;
}

static Status read_included(Loader *load, const RawNode *include, const Frame *frame,
                            int *n_includes, RawNode **first) {
  *first = NULL;
  const char *href = include_target(load, include);
  if (!href) return OK;
  if (frame->depth == MAX_DEPTH || *n_includes >= MAX_INCLUDES) {
    // Said once: a tree of files that goes too far would say it thousands of times.
    if (*n_includes <= MAX_INCLUDES)
      diag_add(load->diag, include->pos,
               "too many includes: at most %d files, %d within each other", MAX_INCLUDES,
               MAX_DEPTH);
    *n_includes = MAX_INCLUDES + 1;
    return OK;
  }
  ++*n_includes;
  char *path = join_path(load, include->pos.file, href);
  RawNode *root = NULL;
  if (!path) return ERR_SYSTEM;
  TRY(read_tree(load, path, include, frame, n_includes, &root));
  if (root) *first = contribution(load, include, root);
  return OK;
}

// Replaces the <include> elements below `node` by what they include.
static Status resolve(Loader *load, RawNode *node, const Frame *frame, int *n_includes) {
  RawNode **link = &node->first;
  while (*link) {
    RawNode *child = *link;
    if (!child->is_include) {
      TRY(resolve(load, child, frame, n_includes));
      link = &child->next;
      continue;
    }
    assert(child->parent == node);
    RawNode *part;
    TRY(read_included(load, child, frame, n_includes, &part));
    *link = part;
    while (*link) {
      (*link)->parent = node;
      link = &(*link)->next;
    }
    *link = child->next;
  }
  return OK;
}

Status document_beside(Loader *load, const RawNode *node, SrcPos pos, const char *href,
                       RawNode **root) {
  RawNode asks = {.name = node->name, .pos = pos};
  int n_includes = 0;
  *root = NULL;
  char *path = join_path(load, pos.file, href);
  if (!path) return ERR_SYSTEM;
  if (load->in->n_files <= MAX_INCLUDES)
    return read_tree(load, path, &asks, NULL, &n_includes, root);
  diag_add(load->diag, pos, "too many files: at most %d", MAX_INCLUDES);
  return OK;
}

Status document_read(Loader *load, const char *path, RawNode **root) {
  int n_includes = 0;
  TRY(read_tree(load, path, NULL, NULL, &n_includes, root));
  if (*root && (*root)->is_include) {
    diag_add(load->diag, (*root)->pos, "the root cannot be <%s>", (*root)->name);
    *root = NULL;
  }
  return OK;
}
