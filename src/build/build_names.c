#include "build/build_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/space.h"

void builder_name_body(NamedBodies *named, const BodySet *bs, int body) {
  enum { N_NAMED = 3 };
  if (named->n++ == 0) named->first = body;
  if (named->n <= N_NAMED) diag_list(named->names, bs->name[body], strlen(bs->name[body]));
  if (named->n == N_NAMED + 1) diag_list(named->names, "...", 3);
}

const char *builder_such(const NamedBodies *named, char text[DIAG_LIST]) {
  text[0] = 0;
  if (named->n > 1) snprintf(text, DIAG_LIST, " (%d such: %.600s)", named->n, named->names);
  return text;
}

// ---- what there is ------------------------------------------------------------------------------

// All names of nodes, or of bodies and groups; `take` gets each with how many nodes or bodies it
// stands for.
typedef void TakeName(void *to, const char *name, int n);

static void node_names(const Builder *b, TakeName *take, void *to) {
  char text[256];
  for (int k = 0; k < b->n_sets; k++)
    if (b->sets[k].node) take(to, b->sets[k].name, b->sets[k].n);
  for (int e = 0; e < b->n_entries; e++) {
    const Mesh *mesh = b->entries[e].mesh;
    if (e > 0 && b->entries[e].node == b->entries[e - 1].node) continue; // a block like the first
    for (int g = 0; g < mesh->n_groups; g++) {
      int32_t *node = NULL;
      int n = 0;
      Err ignored = {0};
      const MeshGroup *group = &mesh->groups[g];
      if (mesh_find_group(mesh, group->name) != group) continue; // the same as facets and as nodes
      if (mesh_group_nodes(mesh, group, &node, &n, &ignored) != OK) err_clear(&ignored);
      snprintf(text, sizeof text, "%s.%s", b->entries[e].name, group->name);
      take(to, text, n);
      mem_free(node);
    }
  }
}

static void body_names(const Builder *b, TakeName *take, void *to) {
  take(to, "all", b->n_entries);
  for (int k = 0; k < b->n_sets; k++)
    if (!b->sets[k].node) take(to, b->sets[k].name, b->sets[k].n);
  for (int k = 0; k < b->n_entries; k++) take(to, b->entries[k].name, 1);
}

typedef struct {
  const char *word;
  char nearest[128], own[DIAG_LIST], all[DIAG_LIST];
  int distance;
} NearName;

enum { FEW_NAMES = 200 }; // bytes of a list in a message

static void take_near(void *to, const char *name, int n) {
  NearName *near = to;
  size_t length = strlen(name), owner = strcspn(near->word, ".");
  (void)n;
  if (length < sizeof near->nearest && diag_nearer(near->word, name, length, &near->distance))
    strcpy(near->nearest, name);
  if (strncmp(name, near->word, owner) == 0 && name[owner] == '.' && strlen(near->own) < FEW_NAMES)
    diag_list(near->own, name, length);
  if (strlen(near->all) < FEW_NAMES) diag_list(near->all, name, length);
}

// What a user may have meant: the nearest name, else the first ones, those of the same body before
// others.
static void unknown_name(Builder *b, const InputNode *node, const char *attr, const char *word,
                         size_t length, int nodes) {
  char wanted[128];
  NearName near = {.word = wanted, .distance = DIAG_FAR};
  snprintf(wanted, sizeof wanted, "%.*s", (int)length, word);
  if (nodes) node_names(b, take_near, &near);
  if (nodes && !near.nearest[0] && !near.own[0])
    near.all[0] = 0; // bodies stand for all their nodes
  if (!near.nearest[0] && !near.own[0]) body_names(b, take_near, &near);
  const char *list = near.own[0] ? near.own : near.all;
  const char *more = strlen(list) >= FEW_NAMES ? ", ..." : "";
  const char *what = nodes ? "nodes" : "body or group";
  if (near.nearest[0])
    diag_add(b->diag, input_pos(node, attr),
             "%s=\"%s\" names no %s of this input; did you mean '%s'? (voussoir check --names "
             "lists all)",
             attr, wanted, what, near.nearest);
  else
    diag_add(b->diag, input_pos(node, attr),
             "%s=\"%s\" names no %s of this input; there are %s%s (voussoir check --names lists "
             "all)",
             attr, wanted, what, list, more);
}

typedef struct {
  FILE *stream;
  // bodies NAME.1, NAME.2, ... of an assembly become one line
  char first[256], last[256], stem[256];
  long number;
} NamePrinter;

static void end_run(NamePrinter *p) {
  if (!p->first[0]) return;
  if (strcmp(p->first, p->last) == 0)
    fprintf(p->stream, "  %s\n", p->first);
  else
    fprintf(p->stream, "  %s .. %s\n", p->first, p->last);
  p->first[0] = 0;
}

static void print_nodes(void *to, const char *name, int n) {
  fprintf((FILE *)to, "  %-24s %d node%s\n", name, n, n == 1 ? "" : "s");
}

static void print_body(NamePrinter *p, const char *name) {
  const char *dot = strrchr(name, '.');
  char *end = NULL;
  long number = dot ? strtol(dot + 1, &end, 10) : -1;
  size_t stem = dot ? (size_t)(dot - name) : strlen(name);
  int numbered = dot && end != dot + 1 && !*end;
  int follows = numbered && p->first[0] && number == p->number + 1 && strlen(p->stem) == stem &&
                strncmp(p->stem, name, stem) == 0;
  if (!follows) {
    end_run(p);
    snprintf(p->first, sizeof p->first, "%s", name);
    snprintf(p->stem, sizeof p->stem, "%.*s", (int)stem, name);
  }
  snprintf(p->last, sizeof p->last, "%s", name);
  p->number = number;
}

void builder_print_names(const Builder *b, FILE *stream) {
  NamePrinter p = {.stream = stream};
  fputs("bodies (as candidate, antagonist, of, ...; with on: all their nodes)\n", stream);
  for (int k = 0; k < b->n_entries; k++) print_body(&p, b->entries[k].name);
  end_run(&p);
  fputs("groups of bodies\n  all                      every body that is no support or tool\n",
        stream);
  for (int k = 0; k < b->n_sets; k++)
    if (!b->sets[k].node)
      fprintf(stream, "  %-24s %d %s\n", b->sets[k].name, b->sets[k].n,
              b->sets[k].n == 1 ? "body" : "bodies");
  fputs("nodes (as on, of, ...); those of a first block NAME.1 exist for all its like\n", stream);
  node_names(b, print_nodes, stream);
}

static int compare_int(const void *a, const void *b) {
  int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

// Does the word begin with the name of a body or assembly that has a defect?
static int names_broken(const Builder *b, const char *word, size_t length) {
  for (int k = 0; k < b->n_sets; k++) {
    size_t n = strlen(b->sets[k].name);
    if (b->sets[k].broken && n <= length && strncmp(b->sets[k].name, word, n) == 0 &&
        (n == length || word[n] == '.'))
      return 1;
  }
  return 0;
}

// Adds the bodies of one word to marks[n_entries]; 0 if it is not known.
static Status mark_bodies(Builder *b, const char *word, size_t length, uint8_t *marks, int *known) {
  int at, entry;
  *known = 1;
  if (length == 3 && strncmp(word, "all", 3) == 0) {
    for (int k = 0; k < b->n_entries; k++)
      if (b->entries[k].material >= 0) marks[k] = 1;
    return OK;
  }
  TRY(builder_find(b, NAMES_OF_BODIES, word, length, &at));
  for (int k = 0; at >= 0 && k < b->sets[at].n; k++) marks[b->sets[at].entry[k]] = 1;
  TRY(builder_find(b, NAMES_OF_ENTRIES, word, length, &entry));
  if (entry >= 0) marks[entry] = 1;
  *known = at >= 0 || entry >= 0 || names_broken(b, word, length);
  return OK;
}

static const char *next_word(const char *text, size_t *length) {
  text += strspn(text, " \t\r\n");
  *length = strcspn(text, " \t\r\n");
  return text;
}

Status builder_bodies(Builder *b, const InputNode *node, const char *attr, int32_t **entry,
                      int *n) {
  uint8_t *marks;
  size_t length;
  *n = 0;
  MEM_NEW(marks, b->n_entries, b->err);
  for (const char *word = next_word(input_text(node, attr), &length); length > 0;
       word = next_word(word + length, &length)) {
    int known;
    Status status = mark_bodies(b, word, length, marks, &known);
    if (status != OK) mem_free(marks);
    TRY(status);
    if (!known) unknown_name(b, node, attr, word, length, 0);
  }
  *entry = mem_new((size_t)b->n_entries, sizeof **entry);
  for (int k = 0; *entry && k < b->n_entries; k++)
    if (marks[k]) (*entry)[(*n)++] = k;
  mem_free(marks);
  return *entry ? OK : err_set(b->err, ERR_SYSTEM, "out of memory: %d bodies", b->n_entries);
}

// Nodes of one body: a group of its mesh.
static Status nodes_of_group(Builder *b, int entry, const MeshGroup *group, int32_t **entries,
                             int32_t **nodes, int *n) {
  TRY(mesh_group_nodes(b->entries[entry].mesh, group, nodes, n, b->err));
  MEM_NEW(*entries, *n, b->err);
  for (int k = 0; k < *n; k++) (*entries)[k] = entry;
  return OK;
}

// All nodes of some bodies.
static Status nodes_of_bodies(Builder *b, const uint8_t *marks, int32_t **entries, int32_t **nodes,
                              int *n) {
  int total = 0;
  for (int k = 0; k < b->n_entries; k++) total += marks[k] ? b->entries[k].mesh->n_nodes : 0;
  MEM_NEW(*entries, total, b->err);
  MEM_NEW(*nodes, total, b->err);
  for (int k = 0; k < b->n_entries; k++)
    for (int i = 0; marks[k] && i < b->entries[k].mesh->n_nodes; i++) {
      (*entries)[*n] = k;
      (*nodes)[(*n)++] = i;
    }
  return OK;
}

// The longest edge of an element of a mesh.
static double longest_edge(const Mesh *mesh) {
  double longest = 0;
  for (int e = 0; e < mesh->n_elems; e++) {
    const int32_t *node = mesh->elem_node + mesh->elem_ptr[e];
    int n = mesh->elem_ptr[e + 1] - mesh->elem_ptr[e];
    for (int i = 1; i < n; i++)
      for (int j = 0; j < i; j++) {
        double square = 0;
        for (int c = 0; c < mesh->dim; c++) {
          double d = mesh->x[mesh->dim * node[i] + c] - mesh->x[mesh->dim * node[j] + c];
          square += d * d;
        }
        longest = fmax(longest, square);
      }
  }
  return sqrt(longest);
}

void builder_check_near(Builder *b, const InputNode *node, const char *attr, const Mesh *mesh,
                        double distance) {
  double longest = longest_edge(mesh); // of every point of a body a node is nearer than that
  const char *may_change = node->element->may_change;
  int looks_on = may_change && strcmp(may_change, "*") == 0; // probes: the run stays what it is
  if (longest > 0 && distance > longest)
    diag_add(looks_on ? b->doubts : b->diag, input_pos(node, attr),
             "%s: the nearest node is %.3g m away, farther than any element is long (%.3g m)", attr,
             distance, longest);
}

// Of the nodes, only the one nearest to the point `near`, where the attribute is given.
static void keep_nearest(Builder *b, const InputNode *node, int32_t *entries, int32_t *nodes,
                         int *n) {
  const ParamSpec *spec = schema_param(node->element, node->variant, "near");
  if (!spec || !input_given(node, "near") || *n == 0) return;
  int n_values, best = 0;
  const double *point = input_list(node, "near", &n_values);
  if (n_values != b->dim) {
    diag_add(b->diag, input_pos(node, "near"), "near needs %d numbers, %s, found %d", b->dim,
             space_words[b->dim].coordinates, n_values);
    return;
  }
  double least = 0;
  for (int k = 0; k < *n; k++) {
    const Entry *entry = &b->entries[entries[k]];
    double x[3], square = 0;
    builder_place(b, entry, entry->mesh->x + (size_t)b->dim * (size_t)nodes[k], x);
    for (int i = 0; i < b->dim; i++) square += (x[i] - point[i]) * (x[i] - point[i]);
    if (k > 0 && square >= least) continue;
    least = square;
    best = k;
  }
  builder_check_near(b, node, "near", b->entries[entries[best]].mesh, sqrt(least));
  entries[0] = entries[best];
  nodes[0] = nodes[best];
  *n = 1;
}

// Nodes of one word: a set of nodes, a group of one body's mesh, or all nodes of bodies.
static Status nodes_of_word(Builder *b, const InputNode *node, const char *attr, const char *word,
                            size_t length, int32_t **entries, int32_t **nodes, int *n) {
  const char *dot = NULL;
  for (size_t k = 0; k < length; k++)
    if (word[k] == '.') dot = word + k;
  int place, owner = -1, known = 1;
  TRY(builder_find(b, NAMES_OF_NODES, word, length, &place));
  if (dot) TRY(builder_find(b, NAMES_OF_ENTRIES, word, (size_t)(dot - word), &owner));
  const NameSet *set = place >= 0 ? &b->sets[place] : NULL;
  uint8_t *marks;
  MEM_NEW(marks, b->n_entries, b->err);
  Status status = OK;
  char group_name[128] = "";
  if (dot)
    snprintf(group_name, sizeof group_name, "%.*s", (int)(length - (size_t)(dot + 1 - word)),
             dot + 1);
  const MeshGroup *group = owner >= 0 ? mesh_find_group(b->entries[owner].mesh, group_name) : NULL;
  if (set) {
    *entries = mem_new((size_t)set->n, sizeof **entries);
    *nodes = mem_new((size_t)set->n, sizeof **nodes);
    if (!*entries || !*nodes)
      status = err_set(b->err, ERR_SYSTEM, "out of memory: %d nodes", set->n);
    for (int k = 0; status == OK && k < set->n; k++) {
      (*entries)[k] = set->entry[k];
      (*nodes)[k] = set->node[k];
    }
    *n = set->n;
  } else if (group) {
    status = nodes_of_group(b, owner, group, entries, nodes, n);
  } else if (names_broken(b, word, length)) {
    *n = 0;
  } else {
    status = mark_bodies(b, word, length, marks, &known);
    if (status == OK && known) status = nodes_of_bodies(b, marks, entries, nodes, n);
    if (!known) unknown_name(b, node, attr, word, length, 1);
  }
  mem_free(marks);
  return status;
}

typedef struct {
  int32_t entry, node;
} NodePair;

static int compare_pair(const void *a, const void *b) {
  const NodePair *x = a, *y = b;
  return x->entry != y->entry ? (x->entry > y->entry) - (x->entry < y->entry)
                              : (x->node > y->node) - (x->node < y->node);
}

// Adds the nodes of one word to pair[*n].
static Status add_word(Builder *b, const InputNode *node, const char *attr, const char *word,
                       size_t length, NodePair **pair, size_t *capacity, int *n) {
  int32_t *entries = NULL, *nodes = NULL;
  int n_word = 0;
  Status status = nodes_of_word(b, node, attr, word, length, &entries, &nodes, &n_word);
  if (status == OK)
    status =
        mem_grow((void **)pair, capacity, (size_t)*n + (size_t)n_word + 1, sizeof **pair, b->err);
  for (int k = 0; status == OK && k < n_word; k++)
    (*pair)[(*n)++] = (NodePair){entries[k], nodes[k]};
  mem_free(entries);
  mem_free(nodes);
  return status;
}

Status builder_nodes(Builder *b, const InputNode *node, const char *attr, int32_t **entries,
                     int32_t **nodes, int *n) {
  NodePair *pair = NULL;
  size_t capacity = 0, length;
  int n_pairs = 0;
  *n = 0;
  *entries = *nodes = NULL;
  Status status = OK;
  const char *word = next_word(input_text(node, attr), &length);
  do {
    status = add_word(b, node, attr, word, length, &pair, &capacity, &n_pairs);
    word = next_word(word + length, &length);
  } while (status == OK && length > 0);
  if (status == OK) {
    qsort(pair, (size_t)n_pairs, sizeof *pair, compare_pair);
    *entries = mem_new((size_t)n_pairs, sizeof **entries);
    *nodes = mem_new((size_t)n_pairs, sizeof **nodes);
    if (!*entries || !*nodes)
      status = err_set(b->err, ERR_SYSTEM, "out of memory: %d nodes", n_pairs);
  }
  for (int k = 0; status == OK && k < n_pairs; k++) {
    if (k > 0 && compare_pair(&pair[k - 1], &pair[k]) == 0) continue; // named twice
    (*entries)[*n] = pair[k].entry;
    (*nodes)[(*n)++] = pair[k].node;
  }
  mem_free(pair);
  if (status == OK) {
    keep_nearest(b, node, *entries, *nodes, n);
    return OK;
  }
  mem_free(*entries);
  mem_free(*nodes);
  *entries = *nodes = NULL;
  return status;
}

Status builder_check(Builder *b, const InputNode *node, const char *attr, int nodes) {
  int32_t *entries = NULL, *mesh_nodes = NULL;
  int n;
  Status status = nodes ? builder_nodes(b, node, attr, &entries, &mesh_nodes, &n)
                        : builder_bodies(b, node, attr, &entries, &n);
  mem_free(entries);
  mem_free(mesh_nodes);
  return status;
}

static void add_facets(const BodySet *bs, int body, int width, const uint8_t *marks, int room,
                       NodeGroup *group) {
  const Skin *skin = bodies_skin(bs, body);
  const Mesh *mesh = bs->mesh[body];
  int sheet = skin->n_facets == 0 && bs->type[body]->sheet;
  int n = sheet ? mesh->n_elems : skin->n_facets, first = bs->node_ptr[body];
  for (int e = 0; e < n && group->n_facets < room; e++) {
    int32_t *to = group->facet + (size_t)width * (size_t)group->n_facets;
    int all = 1;
    for (int i = 0; i < width; i++) {
      int32_t node = -1;
      if (sheet) {
        if (mesh->elem_ptr[e] + i < mesh->elem_ptr[e + 1])
          node = mesh->elem_node[mesh->elem_ptr[e] + i];
      } else {
        node = skin->facet_node[width * e + i];
      }
      to[i] = node < 0 ? -1 : first + node;
      all = all && (node < 0 || marks[first + node]);
    }
    group->n_facets += all;
  }
}

Status builder_node_group(Builder *b, const InputNode *node, const char *attr, NodeGroup *group) {
  const BodySet *bs = &b->model->bodies;
  int32_t *entries, *nodes;
  int n;
  *group = (NodeGroup){0};
  TRY(builder_nodes(b, node, attr, &entries, &nodes, &n));
  uint8_t *marks = mem_new((size_t)bs->n_nodes, 1);
  group->node = mem_new((size_t)n, sizeof *group->node);
  int width = space_facet_nodes(b->dim);
  group->facet = mem_new(4 * (size_t)width * ((size_t)n + 1), sizeof *group->facet);
  Status status = marks && group->node && group->facet
                      ? OK
                      : err_set(b->err, ERR_SYSTEM, "out of memory: %d nodes", n);
  for (int k = 0; status == OK && k < n; k++) {
    group->node[k] = bs->node_ptr[entries[k]] + nodes[k];
    marks[group->node[k]] = 1;
  }
  group->n = n;
  if (status == OK) qsort(group->node, (size_t)n, sizeof *group->node, compare_int);
  // Facets of the skins all of whose nodes are in the set; of sheets, elements.
  int last = -1;
  for (int k = 0; status == OK && k < n; k++) {
    if (entries[k] == last) continue;
    last = entries[k];
    add_facets(bs, last, width, marks, 4 * (n + 1), group);
  }
  mem_free(marks);
  mem_free(entries);
  mem_free(nodes);
  if (status == OK) return OK;
  mem_free(group->node);
  mem_free(group->facet);
  *group = (NodeGroup){0};
  return status;
}

// The named sets become groups of the model, for what comes after the build.
Status build_groups(Builder *b) {
  BodySet *bs = &b->model->bodies;
  MEM_NEW(bs->groups, b->n_sets, b->err);
  MEM_NEW(bs->node_groups, b->n_sets, b->err);
  for (int k = 0; k < b->n_sets; k++) {
    const NameSet *set = &b->sets[k];
    char *name = mem_copy_text(set->name);
    int32_t *items = mem_new((size_t)set->n, sizeof *items);
    for (int i = 0; items && i < set->n; i++)
      items[i] = set->node ? bs->node_ptr[set->entry[i]] + set->node[i] : set->entry[i];
    if (set->node)
      bs->node_groups[bs->n_node_groups++] = (NodeGroup){.name = name, .n = set->n, .node = items};
    else
      bs->groups[bs->n_groups++] = (BodyGroup){.name = name, .n = set->n, .body = items};
    if (!name || !items) return err_set(b->err, ERR_SYSTEM, "out of memory: group '%s'", set->name);
  }
  return OK;
}
