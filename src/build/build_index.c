// Names of bodies and nodes by hash: inputs have them by the hundred thousand.

#include <string.h>

#include "build/build_internal.h"

static const char *name_at(const Builder *b, int kind, int k) {
  if (kind == NAMES_OF_ENTRIES) return b->entries[k].name;
  return (b->sets[k].node != NULL) == (kind == NAMES_OF_NODES) ? b->sets[k].name : NULL;
}

// The place of a name in the table, or the free one where it belongs.
static size_t slot_of(const Builder *b, int kind, const char *name, size_t length) {
  const NameIndex *index = &b->names[kind];
  size_t at = (size_t)bytes_hash(name, length) & (index->n_places - 1);
  for (; index->place[at] >= 0; at = (at + 1) & (index->n_places - 1)) {
    const char *own = name_at(b, kind, index->place[at]);
    if (strncmp(own, name, length) == 0 && own[length] == 0) break;
  }
  return at;
}

static void insert(Builder *b, int kind, int k) {
  NameIndex *index = &b->names[kind];
  const char *name = name_at(b, kind, k);
  if (!name) return;
  size_t at = slot_of(b, kind, name, strlen(name));
  if (index->place[at] >= 0) return;
  index->place[at] = k;
  index->n_filled++;
}

// Twice as large as all names need.
static Status grow(Builder *b, int kind, int n, Err *err) {
  NameIndex *index = &b->names[kind];
  size_t wanted = index->n_places > 0 ? index->n_places : 64;
  while (wanted < 2 * (size_t)n + 2) wanted *= 2;
  if (wanted == index->n_places) return OK;
  mem_free(index->place);
  *index = (NameIndex){0};
  MEM_NEW(index->place, wanted, err);
  memset(index->place, 0xff, wanted * sizeof *index->place);
  index->n_places = wanted;
  return OK;
}

Status builder_find(Builder *b, int kind, const char *name, size_t length, int *place) {
  NameIndex *index = &b->names[kind];
  int n = kind == NAMES_OF_ENTRIES ? b->n_entries : b->n_sets;
  *place = -1;
  TRY(grow(b, kind, n, b->err));
  for (; index->n_known < n; index->n_known++) insert(b, kind, index->n_known);
  *place = index->place[slot_of(b, kind, name, length)];
  return OK;
}
