#include "mesh/nodeset.h"

#include <assert.h>

#include "base/mem.h"

enum { MAX_WIDTH = 8 };

Status nodeset_init(NodeSetTable *table, int64_t capacity, int width, Err *err) {
  assert(width <= MAX_WIDTH && capacity >= 0);
  *table = (NodeSetTable){.width = width};
  if (capacity > INT32_MAX / 2)
    return err_set(err, ERR_INPUT, "mesh too large: %lld facets", (long long)capacity);
  // at most half full, so that probing stays short
  uint32_t n_slots = 16;
  while ((int64_t)n_slots < 2 * capacity) n_slots *= 2;
  table->mask = n_slots - 1;
  table->key = mem_new((size_t)capacity * (size_t)width, sizeof *table->key);
  table->slot = mem_new(n_slots, sizeof *table->slot);
  if (!table->key || !table->slot) {
    nodeset_free(table);
    return err_set(err, ERR_SYSTEM, "out of memory: table of %lld facets", (long long)capacity);
  }
  for (uint32_t k = 0; k < n_slots; k++) table->slot[k] = -1;
  return OK;
}

void nodeset_free(NodeSetTable *table) {
  mem_free(table->key);
  mem_free(table->slot);
  *table = (NodeSetTable){0};
}

static void sort_into(int32_t key[MAX_WIDTH], const int32_t *node, int n, int width) {
  for (int k = 0; k < n; k++) {
    int at = k;
    for (; at > 0 && key[at - 1] > node[k]; at--) key[at] = key[at - 1];
    key[at] = node[k];
  }
  for (int k = n; k < width; k++) key[k] = -1;
}

// FNV-1a over the nodes, with a final shuffle since low bits pick the slot.
static uint32_t hash_of(const int32_t *key, int width) {
  uint64_t hash = 1469598103934665603u;
  for (int k = 0; k < width; k++) hash = (hash ^ (uint32_t)key[k]) * 1099511628211u;
  return (uint32_t)(hash ^ (hash >> 29));
}

// Slot that holds the key, or the free one where it would go.
static uint32_t probe(const NodeSetTable *table, const int32_t *key) {
  uint32_t at = hash_of(key, table->width) & table->mask;
  for (;; at = (at + 1) & table->mask) {
    if (table->slot[at] < 0) return at;
    const int32_t *held = table->key + (int64_t)table->slot[at] * table->width;
    int k = 0;
    while (k < table->width && held[k] == key[k]) k++;
    if (k == table->width) return at;
  }
}

int32_t nodeset_put(NodeSetTable *table, const int32_t *node, int n) {
  int32_t key[MAX_WIDTH];
  sort_into(key, node, n, table->width);
  uint32_t at = probe(table, key);
  table->is_new = table->slot[at] < 0;
  if (table->is_new) {
    int32_t *held = table->key + (int64_t)table->n * table->width;
    for (int k = 0; k < table->width; k++) held[k] = key[k];
    table->slot[at] = table->n++;
  }
  return table->slot[at];
}

int32_t nodeset_find(const NodeSetTable *table, const int32_t *node, int n) {
  int32_t key[MAX_WIDTH];
  sort_into(key, node, n, table->width);
  return table->slot[probe(table, key)];
}
