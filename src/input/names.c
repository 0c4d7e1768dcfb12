#include "input/load.h"

#include <stdlib.h>
#include <string.h>

#include "input/expr.h"

static const char FUNCTION_CLASS[] = "function"; // element that PARAM_FUNCTION may name

typedef struct {
  const InputNode *node;
  const InputAttr *attr;
} Name;

typedef struct {
  Name *names; // [n] sorted by class, then name, then place
  int n;
} Index;

// The next node in document order.
static InputNode *next_node(InputNode *node) {
  if (node->first) return node->first;
  while (node && !node->next) node = node->parent;
  return node ? node->next : NULL;
}

static const char *class_of(const Name *name) {
  return name->node->element->name;
}

static int compare(const void *left, const void *right) {
  const Name *a = left, *b = right;
  int by_class = strcmp(class_of(a), class_of(b));
  if (by_class != 0) return by_class;
  int by_name = strcmp(a->attr->text, b->attr->text);
  if (by_name != 0) return by_name;
  return a->node->order < b->node->order ? -1 : a->node->order > b->node->order;
}

static Status collect(Loader *load, Index *index) {
  for (int pass = 0; pass < 2; pass++) {
    index->n = 0;
    for (InputNode *node = load->in->root; node; node = next_node(node))
      for (int k = 0; k < node->n_attrs; k++) {
        const InputAttr *attr = &node->attrs[k];
        if (attr->spec->type != PARAM_NAME || !*attr->text) continue;
        if (pass == 1) index->names[index->n] = (Name){node, attr};
        index->n++;
      }
    if (pass == 0) index->names = load_take(load, index->n, sizeof *index->names);
    if (!index->names) return ERR_SYSTEM;
  }
  if (index->n > 0) qsort(index->names, (size_t)index->n, sizeof *index->names, compare);
  return OK;
}

static void check_unique(Loader *load, const Index *index) {
  const Name *first = index->names; // of the names equal to each other
  for (int k = 1; k < index->n; k++) {
    const Name *name = &index->names[k];
    bool equal = strcmp(class_of(first), class_of(name)) == 0 &&
                 strcmp(first->attr->text, name->attr->text) == 0;
    if (!equal) {
      first = name;
      continue;
    }
    char word[DIAG_SHORT];
    diag_add(load->diag, name->attr->pos, "the name \"%s\" of <%s> is already taken at %s:%d",
             diag_short(name->attr->text, word), class_of(name), first->attr->pos.file,
             first->attr->pos.line);
  }
}

// The first element of class `class_name` (n bytes) called `name`.
static const InputNode *look_up(const Index *index, const char *class_name, size_t n,
                                const char *name) {
  int low = 0, high = index->n;
  while (low < high) {
    int middle = low + (high - low) / 2;
    const Name *probe = &index->names[middle];
    int order = strncmp(class_of(probe), class_name, n);
    if (order == 0 && class_of(probe)[n]) order = 1;
    if (order == 0) order = strcmp(probe->attr->text, name);
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == index->n) return NULL;
  const Name *found = &index->names[low];
  bool same_class = strncmp(class_of(found), class_name, n) == 0 && !class_of(found)[n];
  return same_class && strcmp(found->attr->text, name) == 0 ? found->node : NULL;
}

static const char *nearest(const Loader *load, const Index *index, const char *classes,
                           const char *word) {
  const char *found = NULL;
  int distance = DIAG_FAR;
  if (load->diag->n > MAX_PROPOSALS) return NULL;
  for (int k = 0; k < index->n; k++) {
    const char *name = index->names[k].attr->text;
    if (schema_list_holds(classes, class_of(&index->names[k])) &&
        diag_nearer(word, name, strlen(name), &distance))
      found = name;
  }
  return found;
}

static void report_dangling(Loader *load, const Index *index, const InputNode *node,
                            const InputAttr *attr) {
  char word[DIAG_SHORT], classes[120] = "";
  size_t used = 0;
  for (const char *c = attr->spec->choices; c && *c && used < sizeof classes;) {
    size_t n = strcspn(c, "|");
    used += (size_t)snprintf(classes + used, sizeof classes - used, "%s<%.*s>", used ? " or " : "",
                             (int)n, c);
    c += n + (c[n] == '|');
  }
  const char *near = nearest(load, index, attr->spec->choices, attr->text);
  diag_add(load->diag, attr->pos, "attribute '%s' of <%s>%s: no %s is named \"%s\"%s%s%s",
           attr->spec->name, node->element->name, attr->given ? "" : " (by default)", classes,
           diag_short(attr->text, word), near ? "; did you mean \"" : "", near ? near : "",
           near ? "\"?" : "");
}

static void check_ref(Loader *load, const Index *index, const InputNode *node, InputAttr *attr) {
  for (const char *c = attr->spec->choices; c && *c;) {
    size_t n = strcspn(c, "|");
    const InputNode *found = look_up(index, c, n, attr->text);
    if (found && attr->target) {
      char word[DIAG_SHORT];
      diag_add(load->diag, attr->pos,
               "attribute '%s' of <%s>: \"%s\" is a <%s> (line %d) and a <%s> (line %d)",
               attr->spec->name, node->element->name, diag_short(attr->text, word),
               attr->target->element->name, attr->target->pos.line, found->element->name,
               found->pos.line);
      return;
    }
    if (found) attr->target = found;
    c += n + (c[n] == '|');
  }
  if (!attr->target) report_dangling(load, index, node, attr);
}

static Status check_function(Loader *load, const Index *index, const InputNode *node,
                             InputAttr *attr) {
  attr->target = look_up(index, FUNCTION_CLASS, sizeof FUNCTION_CLASS - 1, attr->text);
  if (attr->target) return OK;
  Expr *expr;
  Err local = {0};
  Status status = expr_compile(attr->text, &expr, &local);
  expr_free(expr);
  if (status == OK) return OK;
  if (status != ERR_INPUT) return err_set(load->err, status, "%s", local.text);
  const char *near = nearest(load, index, FUNCTION_CLASS, attr->text);
  diag_add(load->diag, attr->pos, "attribute '%s' of <%s>: %s%s%s%s", attr->spec->name,
           node->element->name, local.text, near ? "; did you mean the function \"" : "",
           near ? near : "", near ? "\"?" : "");
  return OK;
}

Status names_check(Loader *load) {
  Index index = {0};
  TRY(collect(load, &index));
  check_unique(load, &index);
  for (InputNode *node = load->in->root; node; node = next_node(node))
    for (int k = 0; k < node->n_attrs; k++) {
      InputAttr *attr = &node->attrs[k];
      bool is_function = attr->spec->type == PARAM_FUNCTION;
      // An empty text is an attribute that is absent, or whose parameters are already reported.
      bool says_nothing = !*attr->text;
      if (attr->spec->type == PARAM_REF && !says_nothing) check_ref(load, &index, node, attr);
      if (is_function && !says_nothing) TRY(check_function(load, &index, node, attr));
    }
  return OK;
}
