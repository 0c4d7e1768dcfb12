#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mesh/deck.h"
#include "mesh/gmsh.h"

// A number of the file and the place of what has it.
typedef struct {
  int64_t tag;
  int32_t at;
} Tag;

typedef struct {
  Deck *deck;
  RawMesh *raw;
  Err *err;
  Tag *nodes, *elems; // sorted
  uint8_t *is_used;   // [n_nodes] by an element
  int32_t *ptr;       // [n_elems + 2] sets of each element, set 0 first
  int32_t *member;
  size_t entity_room, physical_room;
} Work;

static int compare_tags(const void *a, const void *b) {
  const Tag *left = a, *right = b;
  if (left->tag != right->tag) return left->tag < right->tag ? -1 : 1;
  return (left->at > right->at) - (left->at < right->at);
}

static int compare_items(const void *a, const void *b) {
  int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
  return (left > right) - (left < right);
}

static int32_t find(const Tag *tags, size_t n, int64_t tag) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (tags[middle].tag < tag)
      low = middle + 1;
    else
      high = middle;
  }
  return low < n && tags[low].tag == tag ? tags[low].at : -1;
}

static Status sort_tags(Work *w) {
  const Deck *deck = w->deck;
  MEM_NEW(w->nodes, deck->n_nodes, w->err);
  MEM_NEW(w->elems, deck->n_elems, w->err);
  for (size_t k = 0; k < deck->n_nodes; k++) w->nodes[k] = (Tag){deck->node[k].tag, (int32_t)k};
  for (size_t k = 0; k < deck->n_elems; k++) w->elems[k] = (Tag){deck->elem[k].tag, (int32_t)k};
  qsort(w->nodes, deck->n_nodes, sizeof *w->nodes, compare_tags);
  qsort(w->elems, deck->n_elems, sizeof *w->elems, compare_tags);
  for (size_t k = 1; k < deck->n_elems; k++)
    if (w->elems[k].tag == w->elems[k - 1].tag)
      return scan_error(&deck->scan, deck->elem[w->elems[k].at].line,
                        "element %lld is defined twice, first in line %lld",
                        (long long)w->elems[k].tag, (long long)deck->elem[w->elems[k - 1].at].line);
  return OK;
}

static Status mark_used(Work *w) {
  const Deck *deck = w->deck;
  MEM_NEW(w->is_used, deck->n_nodes, w->err);
  for (size_t e = 0; e < deck->n_elems; e++)
    for (int k = 0; k < topology_table[deck->elem[e].shape].n_nodes; k++) {
      int32_t node = find(w->nodes, deck->n_nodes, deck->elem[e].node[k]);
      if (node >= 0) w->is_used[node] = 1; // gmsh_build refuses others
    }
  return OK;
}

// Members of sets, each once; those that the file does not define are an error, unless they may be
// among the elements that were passed over.
static Status tidy_sets(Work *w) {
  Deck *deck = w->deck;
  for (size_t s = 0; s < deck->n_sets; s++) {
    DeckSet *set = &deck->set[s];
    size_t kept = 0;
    if (set->n > 0) qsort(set->item, set->n, sizeof *set->item, compare_items);
    for (size_t k = 0; k < set->n; k++) {
      if (k > 0 && set->item[k] == set->item[k - 1]) continue;
      int32_t at = set->of_nodes ? find(w->nodes, deck->n_nodes, set->item[k])
                                 : find(w->elems, deck->n_elems, set->item[k]);
      if (at < 0 && (set->of_nodes || deck->n_other == 0))
        return scan_error(&deck->scan, set->line,
                          "set '%s' refers to %s %lld, which the file does not define", set->name,
                          set->of_nodes ? "node" : "element", (long long)set->item[k]);
      if (at >= 0 && (!set->of_nodes || w->is_used[at])) set->item[kept++] = set->item[k];
    }
    set->n = kept;
  }
  return OK;
}

static Status list_sets(Work *w) {
  const Deck *deck = w->deck;
  MEM_NEW(w->ptr, deck->n_elems + 2, w->err);
  for (int pass = 0; pass < 2; pass++) { // count, then fill
    for (size_t s = 0; s < deck->n_sets; s++)
      for (size_t k = 0; !deck->set[s].of_nodes && k < deck->set[s].n; k++) {
        int32_t e = find(w->elems, deck->n_elems, deck->set[s].item[k]);
        if (pass == 0)
          w->ptr[e + 2]++;
        else
          w->member[w->ptr[e + 1]++] = (int32_t)s;
      }
    if (pass == 1) break;
    for (size_t e = 0; e < deck->n_elems; e++) w->ptr[e + 2] += w->ptr[e + 1];
    MEM_NEW(w->member, w->ptr[deck->n_elems + 1], w->err);
  }
  return OK;
}

// ---- what a Gmsh file of version 4.1 would say --------------------------------------------------

static Status add_nodes(Work *w) {
  const Deck *deck = w->deck;
  TRY(gmsh_begin_nodes(w->raw, (int64_t)deck->n_nodes, &deck->scan));
  for (size_t k = 0; k < deck->n_nodes; k++) {
    w->raw->node_tag[k] = deck->node[k].tag;
    w->raw->node_place[k] = deck->node[k].line;
    memcpy(w->raw->x + 3 * k, deck->node[k].x, sizeof deck->node[k].x);
  }
  return OK;
}

// A block of elements in the same sets; each is a geometric entity of its own.
static Status begin_block(Work *w, int64_t line, int shape, const int32_t *set, int n) {
  RawMesh *raw = w->raw;
  RawBlock *block;
  TRY(gmsh_begin_block(raw, &w->deck->scan, line, topology_table[shape].gmsh_code, &block));
  block->entity = raw->n_blocks;
  TRY(mem_grow((void **)&raw->entities, &w->entity_room, (size_t)raw->n_entities + 1,
               sizeof *raw->entities, w->err));
  TRY(mem_grow((void **)&raw->physical, &w->physical_room, (size_t)(raw->n_physical + n),
               sizeof *raw->physical, w->err));
  raw->entities[raw->n_entities++] = (RawEntity){.dim = topology_table[shape].dim,
                                                 .tag = raw->n_blocks,
                                                 .parent_dim = -1,
                                                 .parent_tag = -1,
                                                 .n_physical = n,
                                                 .first_physical = raw->n_physical};
  for (int k = 0; k < n; k++) raw->physical[raw->n_physical++] = set[k] + 1;
  return OK;
}

static Status add_elem(Work *w, int64_t tag, int64_t line, const int64_t *node) {
  RawMesh *raw = w->raw;
  RawBlock *block = &raw->blocks[raw->n_blocks - 1];
  int e = raw->n_elems++, n = topology_table[block->shape].n_nodes;
  int64_t at = raw->elem_ptr[e];
  TRY(mem_grow((void **)&raw->elem_node, &raw->elem_node_room, (size_t)(at + n),
               sizeof *raw->elem_node, w->err));
  memcpy(raw->elem_node + at, node, sizeof *node * (size_t)n);
  raw->elem_tag[e] = tag;
  raw->elem_place[e] = line;
  raw->elem_ptr[e + 1] = at + n;
  block->n++;
  return OK;
}

static int in_same_sets(const Work *w, size_t e, size_t f) {
  int n = w->ptr[e + 1] - w->ptr[e];
  if (n != w->ptr[f + 1] - w->ptr[f]) return 0;
  return n == 0 ||
         memcmp(w->member + w->ptr[e], w->member + w->ptr[f], sizeof *w->member * (size_t)n) == 0;
}

// Elements in the order of the file, then a point for each member of each set of nodes.
static Status add_elems(Work *w) {
  const Deck *deck = w->deck;
  size_t total = deck->n_elems;
  for (size_t s = 0; s < deck->n_sets; s++) total += deck->set[s].of_nodes ? deck->set[s].n : 0;
  if (total > INT32_MAX / 8)
    return err_set(w->err, ERR_INPUT, "%s: too many members of sets", deck->scan.path);
  TRY(gmsh_begin_elems(w->raw, (int64_t)total, &deck->scan));
  for (size_t e = 0; e < deck->n_elems; e++) {
    const DeckElem *elem = &deck->elem[e];
    if (e == 0 || elem->shape != elem[-1].shape || !in_same_sets(w, e - 1, e))
      TRY(begin_block(w, elem->line, elem->shape, w->member + w->ptr[e],
                      w->ptr[e + 1] - w->ptr[e]));
    TRY(add_elem(w, elem->tag, elem->line, elem->node));
  }
  for (size_t s = 0; s < deck->n_sets; s++) {
    const DeckSet *set = &deck->set[s];
    int32_t number = (int32_t)s;
    if (!set->of_nodes || set->n == 0) continue;
    TRY(begin_block(w, set->line, SHAPE_POINT, &number, 1));
    for (size_t k = 0; k < set->n; k++) TRY(add_elem(w, set->item[k], set->line, &set->item[k]));
  }
  return OK;
}

static int compare_entities(const void *a, const void *b) {
  const RawEntity *left = a, *right = b;
  return left->dim != right->dim ? left->dim - right->dim : left->tag - right->tag;
}

// A set has its name in every dimension that its elements may have.
static Status add_names(Work *w) {
  const Deck *deck = w->deck;
  RawMesh *raw = w->raw;
  if (raw->n_entities > 0)
    qsort(raw->entities, (size_t)raw->n_entities, sizeof *raw->entities, compare_entities);
  MEM_NEW(raw->names, 4 * deck->n_sets, w->err);
  for (int dim = 0; dim <= 3; dim++)
    for (size_t s = 0; s < deck->n_sets; s++) {
      char *name = mem_copy_text(deck->set[s].name);
      if (!name) return err_set(w->err, ERR_SYSTEM, "out of memory: names of sets");
      raw->names[raw->n_names++] = (RawName){.dim = dim, .number = (int)s + 1, .name = name};
    }
  return OK;
}

// Cards that were skipped, with their lines; "" if none.
static void list_skipped(const Deck *deck, char text[MESH_TOLD_SIZE]) {
  size_t n = 0;
  text[0] = 0;
  for (size_t k = 0; k < deck->n_skipped && n < MESH_TOLD_SIZE; k++) {
    const DeckSkipped *skipped = &deck->skipped[k];
    n += (size_t)snprintf(text + n, MESH_TOLD_SIZE - n, "%s%s (", k ? ", " : "", skipped->name);
    if (n < MESH_TOLD_SIZE && skipped->n > 1)
      n += (size_t)snprintf(text + n, MESH_TOLD_SIZE - n, "%d, first in ", skipped->n);
    if (n < MESH_TOLD_SIZE)
      n += (size_t)snprintf(text + n, MESH_TOLD_SIZE - n, "line %lld)", (long long)skipped->line);
  }
}

static Status fill(Work *w) {
  const Deck *deck = w->deck;
  char skipped[MESH_TOLD_SIZE];
  list_skipped(deck, skipped);
  if (deck->n_nodes == 0 || deck->n_elems == 0)
    return err_set(w->err, ERR_INPUT, "%s: the file has no %s%s%s", deck->scan.path,
                   deck->n_nodes == 0 ? "nodes" : "elements",
                   skipped[0] ? "; skipped, as not known: " : "", skipped);
  TRY(sort_tags(w));
  TRY(mark_used(w));
  TRY(tidy_sets(w));
  TRY(list_sets(w));
  TRY(add_nodes(w));
  TRY(add_elems(w));
  return add_names(w);
}

static void tell_skipped(const Deck *deck, MeshTold *told) {
  char text[MESH_TOLD_SIZE];
  list_skipped(deck, text);
  if (text[0]) mesh_tell(told, "skipped, as no part of a mesh: %s", text);
}

Status deck_build(Deck *deck, Mesh *mesh, int dim, MeshTold *told) {
  RawMesh raw = {.is_41 = 1};
  Work w = {.deck = deck, .raw = &raw, .err = deck->scan.err};
  *mesh = (Mesh){0};
  Status status = fill(&w);
  if (status == OK) status = gmsh_build(mesh, &raw, &deck->scan, dim);
  if (status == OK) tell_skipped(deck, told);
  gmsh_free(&raw);
  mem_free(w.nodes);
  mem_free(w.elems);
  mem_free(w.is_used);
  mem_free(w.ptr);
  mem_free(w.member);
  return status;
}
