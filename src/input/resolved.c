#include "input/resolved.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/field.h"
#include "base/mem.h"
#include "file/atomic.h"
#include "file/number.h"

static const int NEVER = INT_MAX; // the stage from which on that matters which may change

// ---- text ---------------------------------------------------------------------------------------

typedef struct {
  char *text; // ends with a zero
  size_t n, capacity;
  Err *err;
} Text;

static Status put(Text *to, const char *piece, size_t n) {
  TRY(mem_grow((void **)&to->text, &to->capacity, to->n + n + 1, 1, to->err));
  memcpy(to->text + to->n, piece, n);
  to->n += n;
  to->text[to->n] = 0;
  return OK;
}

static Status put_text(Text *to, const char *piece) {
  return put(to, piece, strlen(piece));
}

// Tabs and line ends separate, they are no part of a value.
static Status put_value(Text *to, const char *piece) {
  size_t start = to->n;
  TRY(put_text(to, piece));
  for (size_t k = start; k < to->n; k++)
    if (to->text[k] == '\t' || to->text[k] == '\n') to->text[k] = ' ';
  return OK;
}

// ---- resolving ----------------------------------------------------------------------------------

static const InputAttr *attr_of(const InputNode *node, const char *name) {
  for (int k = 0; k < node->n_attrs; k++)
    if (strcmp(node->attrs[k].spec->name, name) == 0) return &node->attrs[k];
  return NULL;
}

// "material 'stone'", "contact 2", "wall 'w' opening 1"
static Status put_label(Text *to, const InputNode *node) {
  char number[24];
  if (node->parent && node->parent->parent) {
    TRY(put_label(to, node->parent));
    TRY(put_text(to, " "));
  }
  TRY(put_text(to, node->element->name));
  for (int k = 0; k < node->n_attrs; k++)
    if (node->attrs[k].spec->type == PARAM_NAME && node->attrs[k].given) {
      TRY(put_text(to, " '"));
      TRY(put_value(to, node->attrs[k].text));
      return put_text(to, "'");
    }
  if (node->element->max_count == 1) return OK;
  snprintf(number, sizeof number, " %d", node->place + 1);
  return put_text(to, number);
}

// The first of the stages that an element belongs to; 0 where it belongs to all.
static int stage_of(const InputNode *root, const InputNode *node) {
  const InputAttr *names = attr_of(node, "stage");
  int place = 0, first = NEVER;
  if (strcmp(node->element->name, "stage") == 0) return node->place;
  if (!names || !names->text || !*names->text) return 0;
  for (const InputNode *stage = input_child(root, "stage"); stage;
       stage = input_next(stage, "stage"), place++) {
    const char *name = input_text(stage, "name");
    size_t n = strlen(name);
    for (const char *c = names->text; *c && place < first;) {
      size_t word = strcspn(c, " \t\n");
      if (word == n && strncmp(c, name, n) == 0) first = place;
      c += word + strspn(c + word, " \t\n");
    }
  }
  return first == NEVER ? 0 : first;
}

static Status put_file_hash(Text *to, const InputNode *node, const char *attr) {
  char path[FILE_PATH_SIZE], text[32], *bytes = NULL;
  size_t size = 0;
  input_path(node, attr, path, sizeof path);
  Status status = file_read(&bytes, &size, path, to->err);
  if (status == ERR_INPUT) { // who uses it says so, with the place
    err_clear(to->err);
    return put_text(to, "missing");
  }
  TRY(status);
  snprintf(text, sizeof text, "hash %016llx", (unsigned long long)bytes_hash(bytes, size));
  mem_free(bytes);
  return put_text(to, text);
}

static Status put_attr_value(Text *to, const InputNode *node, const InputAttr *attr) {
  char number[NUMBER_TEXT_SIZE + 1];
  if (attr->spec->type == PARAM_FILE) return put_file_hash(to, node, attr->spec->name);
  if (!attr->value) return put_value(to, attr->text);
  int list = attr->spec->type == PARAM_LIST || attr->spec->type == PARAM_COUNTS,
      n = list ? attr->n_values : 1;
  for (int k = 0; k < n; k++) {
    number_format(number, attr->value[k]);
    if (k > 0) TRY(put_text(to, " "));
    TRY(put_text(to, number));
  }
  return OK;
}

static Status put_line_start(Text *to, const InputNode *node, int stage, const char *attr) {
  char number[24];
  snprintf(number, sizeof number, "%d\t", stage);
  TRY(put_text(to, number));
  TRY(put_label(to, node));
  TRY(put_text(to, "\t"));
  TRY(put_text(to, attr));
  return put_text(to, "\t");
}

// An element that may be absent, and once only: without it everything has its default.
static int is_of_settings(const InputNode *node) {
  return node->element->max_count == 1 && node->element->min_count == 0;
}

static int is_default(const InputAttr *attr) {
  const char *initial = attr->spec->initial;
  if (!attr->given) return 1;
  if (!initial) return 0;
  int number = attr->spec->type == PARAM_REAL || attr->spec->type == PARAM_INTEGER;
  if (number && *initial && attr->value) return attr->value[0] == strtod(initial, NULL);
  return strcmp(attr->text, initial) == 0;
}

static Status put_whole(Text *to, const InputNode *node, int stage) {
  char number[24] = "";
  TRY(put_line_start(to, node, stage, ""));
  if (strcmp(node->element->name, "stage") == 0)
    snprintf(number, sizeof number, "number %d", node->place + 1);
  TRY(put_text(to, number));
  return put_text(to, "\n");
}

// A quantity that a <rest> waits for drives the run: its name, or with the component behind it.
static int drives(const InputNode *root, const InputNode *node) {
  if (strcmp(node->element->name, "probe") != 0) return 0;
  const char *name = input_text(node, "name");
  size_t length = strlen(name);
  for (const InputNode *rest = input_child(root, "rest"); rest; rest = input_next(rest, "rest")) {
    const char *wanted = input_given(rest, "probe") ? input_text(rest, "probe") : "";
    if (length > 0 && strncmp(wanted, name, length) == 0 &&
        (wanted[length] == 0 || wanted[length] == '_'))
      return 1;
  }
  return 0;
}

// Of settings only what differs from their defaults counts, not whether the element is there.
static Status put_node(Text *to, const InputNode *root, const InputNode *node) {
  const char *may_change = drives(root, node) ? NULL : node->element->may_change;
  int settings = is_of_settings(node);
  int all = may_change && strcmp(may_change, "*") == 0;
  int stage = all ? NEVER : stage_of(root, node);
  if (!settings) TRY(put_whole(to, node, stage));
  for (int k = 0; k < node->n_attrs; k++) {
    const InputAttr *attr = &node->attrs[k];
    const char *name = attr->spec->name;
    if ((!attr->text || !*attr->text) && !attr->value) continue;
    if (settings && is_default(attr)) continue;
    int changes = all || (may_change && schema_list_holds(may_change, name));
    TRY(put_line_start(to, node, changes ? NEVER : stage, name));
    TRY(put_attr_value(to, node, attr));
    TRY(put_text(to, "\n"));
  }
  for (const InputNode *child = node->first; child; child = child->next)
    TRY(put_node(to, root, child));
  return OK;
}

Status input_resolve(const Input *in, const char *more, char **text, Err *err) {
  Text to = {.err = err};
  Status status = put_node(&to, in->root, in->root);
  if (status == OK) status = put_text(&to, more);
  *text = to.text;
  if (status == OK) return OK;
  mem_free(to.text);
  *text = NULL;
  return status;
}

// ---- comparing ----------------------------------------------------------------------------------

typedef struct {
  int stage;
  const char *key, *attr, *value; // key: element and attribute with the tab between them
  size_t n_label, n_key, n_value;
  int order, known; // known: the other text has it
} Line;

typedef struct {
  int n;
  Line *line;    // [n] as they stand
  Line **sorted; // [n] by key
} Lines;

static void free_lines(Lines *lines) {
  mem_free(lines->line);
  mem_free((void *)lines->sorted);
}

static int compare_keys(const Line *a, const Line *b) {
  size_t n = a->n_key < b->n_key ? a->n_key : b->n_key;
  int sign = memcmp(a->key, b->key, n);
  if (sign == 0) sign = (a->n_key > b->n_key) - (a->n_key < b->n_key);
  return sign;
}

static int by_key(const void *a, const void *b) {
  const Line *left = *(Line *const *)a, *right = *(Line *const *)b;
  int sign = compare_keys(left, right);
  return sign ? sign : (left->order > right->order) - (left->order < right->order);
}

// Lines that are no lines of ours are left out: they are then missing, and that is told.
static Status split(Lines *lines, const char *text, Err *err) {
  int n = 0;
  for (const char *c = text; *c; c++) n += *c == '\n';
  MEM_NEW(lines->line, n + 1, err);
  MEM_NEW(lines->sorted, n + 1, err);
  for (const char *at = text, *end; (end = strchr(at, '\n')); at = end + 1) {
    const char *tab[3], *from = at;
    int found = 0;
    for (; found < 3 && (tab[found] = memchr(from, '\t', (size_t)(end - from))); found++)
      from = tab[found] + 1;
    if (found < 3) continue;
    Line *line = &lines->line[lines->n];
    *line = (Line){.stage = (int)strtol(at, NULL, 10),
                   .key = tab[0] + 1,
                   .attr = tab[1] + 1,
                   .value = tab[2] + 1,
                   .n_label = (size_t)(tab[1] - tab[0] - 1),
                   .n_key = (size_t)(tab[2] - tab[0] - 1),
                   .n_value = (size_t)(end - tab[2] - 1),
                   .order = lines->n};
    lines->sorted[lines->n++] = line;
  }
  qsort((void *)lines->sorted, (size_t)lines->n, sizeof *lines->sorted, by_key);
  return OK;
}

enum { LONGEST_VALUE = 60 }; // of a value in a message: a table is told by its beginning

static Status put_short(Text *to, const char *value, size_t n) {
  TRY(put(to, value, n < LONGEST_VALUE ? n : LONGEST_VALUE));
  return n > LONGEST_VALUE ? put_text(to, "...") : OK;
}

typedef struct {
  Text model, other;
  InputChanges *changes;
  int stage;
} Report;

static Text *start_change(Report *report, const Line *line, int stage) {
  int may = stage > report->stage;
  report->changes->n_other += may;
  report->changes->n_model += !may;
  Text *to = may ? &report->other : &report->model;
  return put(to, line->key, line->n_label) == OK ? to : NULL;
}

static Status tell_changed(Report *report, const Line *before, const Line *after) {
  // that it belongs to another stage is said by its attribute `stage`
  if (before->n_value == after->n_value && memcmp(before->value, after->value, after->n_value) == 0)
    return OK;
  Text *to =
      start_change(report, after, before->stage < after->stage ? before->stage : after->stage);
  if (!to) return ERR_SYSTEM;
  TRY(put_text(to, ": "));
  TRY(put(to, after->attr, (size_t)(after->value - after->attr) - 1));
  TRY(put_text(to, *after->attr == '\t' ? "" : " "));
  TRY(put_short(to, after->value, after->n_value));
  TRY(put_text(to, ", was "));
  TRY(put_short(to, before->value, before->n_value));
  return put_text(to, "\n");
}

// Of an element that is not in the other text as a whole one line is enough.
static Status tell_alone(Report *report, const Lines *lines, const char *word) {
  const Line *whole = NULL;
  for (int k = 0; k < lines->n; k++) {
    const Line *line = &lines->line[k];
    if (line->known) continue;
    int same = whole && whole->n_label == line->n_label &&
               memcmp(whole->key, line->key, line->n_label) == 0;
    if (same) continue;
    int is_whole = line->n_key == line->n_label + 1;
    if (is_whole) whole = line;
    Text *to = start_change(report, line, line->stage);
    if (!to) return ERR_SYSTEM;
    TRY(put_text(to, is_whole ? "" : ": "));
    TRY(put(to, line->attr, (size_t)(line->value - line->attr) - 1));
    if (!is_whole) TRY(put_text(to, " "));
    if (!is_whole) TRY(put_short(to, line->value, line->n_value));
    TRY(put_text(to, is_whole ? " " : ", "));
    TRY(put_text(to, word));
    TRY(put_text(to, "\n"));
  }
  return OK;
}

static Status tell_all(Report *report, Lines *before, Lines *after) {
  for (int a = 0, b = 0; a < after->n && b < before->n;) {
    int sign = compare_keys(after->sorted[a], before->sorted[b]);
    if (sign == 0) {
      after->sorted[a]->known = before->sorted[b]->known = 1;
      TRY(tell_changed(report, before->sorted[b], after->sorted[a]));
    }
    a += sign <= 0;
    b += sign >= 0;
  }
  TRY(tell_alone(report, before, "removed"));
  return tell_alone(report, after, "added");
}

Status input_compare(InputChanges *changes, const char *before, const char *after, int stage,
                     Err *err) {
  *changes = (InputChanges){0};
  Report report = {
      .model = {.err = err}, .other = {.err = err}, .changes = changes, .stage = stage};
  Lines old = {0}, now = {0};
  Status status;
  TRY_GOTO(status, put_text(&report.model, ""), done);
  TRY_GOTO(status, put_text(&report.other, ""), done);
  TRY_GOTO(status, split(&old, before, err), done);
  TRY_GOTO(status, split(&now, after, err), done);
  TRY_GOTO(status, tell_all(&report, &old, &now), done);
done:
  free_lines(&old);
  free_lines(&now);
  changes->model = report.model.text;
  changes->other = report.other.text;
  return status;
}

void input_changes_free(InputChanges *changes) {
  mem_free(changes->model);
  mem_free(changes->other);
  *changes = (InputChanges){0};
}
