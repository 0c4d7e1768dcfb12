// body/prototype_index.h -- finds the prototype of a body among many: a wall of stones has one for
// each stone.

#ifndef BODY_PROTOTYPE_INDEX_H
#define BODY_PROTOTYPE_INDEX_H

#include "base/field.h"
#include "body/prototype.h"

// Prototypes by what must be equal bit for bit, and by a mean of their coordinates, which meshes
// that count as equal have alike but for rounding.
typedef struct {
  double cell;     // of the means that share a place                                 [m]
  size_t n_places; // a power of two, or 0
  int32_t *first;  // [n_places] owned: prototype, -1: none
  int32_t *next;   // [capacity] owned: that shares the place of this one, -1: none
  uint64_t *key;   // [capacity] owned
  size_t capacity[2];
  int n;
} PrototypeIndex;

// `reach`: the largest coordinate of all meshes that will be asked for [m].
PrototypeIndex prototype_index(double reach);
void prototype_index_free(PrototypeIndex *index);

// The prototype that a body with this spec can share, one with the same mesh if there is any; -1:
// none.
int prototype_index_find(const PrototypeIndex *index, const Prototype *protos,
                         const PrototypeSpec *spec);
// protos[index->n] joins.
Status prototype_index_add(PrototypeIndex *index, const PrototypeSpec *spec, Err *err) MUST_CHECK;

#endif
