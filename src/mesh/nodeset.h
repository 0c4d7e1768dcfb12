// mesh/nodeset.h -- a table of sets of nodes: "have I seen an element or facet on these nodes?"
//
// Facets of two elements, copies of an element, edges of faces: all are found again by their nodes
// in any order. Sets are numbered 0, 1, ... in the order in which they come, so results do not
// depend on the hash.

#ifndef MESH_NODESET_H
#define MESH_NODESET_H

#include <stdint.h>

#include "base/err.h"

typedef struct {
  int width;     // nodes of the largest set
  int n;         // sets held
  int32_t *key;  // [capacity * width] sorted nodes, -1 behind the last
  uint32_t mask; // slots - 1
  int32_t *slot; // [mask + 1] set in that slot, -1: free
  int is_new;    // 1: the last call of nodeset_put added the set
} NodeSetTable;

// Room for at most `capacity` sets of at most `width` nodes.
Status nodeset_init(NodeSetTable *table, int64_t capacity, int width, Err *err) MUST_CHECK;
void nodeset_free(NodeSetTable *table);

// Number of the set with these n nodes; it is added when it is not there (is_new tells).
int32_t nodeset_put(NodeSetTable *table, const int32_t *node, int n);

// The same without adding: -1 if absent.
int32_t nodeset_find(const NodeSetTable *table, const int32_t *node, int n);

#endif
