// base/field.h -- the state as a list of named arrays.
//
// Each room lists the arrays of its slice of the state; the step room gathers them. Checkpoint,
// restart and state_hash walk the list and know nothing else of the state. Names are paths such as
// "body/velocity"; an array whose size changes during the run is resized by its owner before it is
// read back (field_resize of the owner is called with the stored count).

#ifndef BASE_FIELD_H
#define BASE_FIELD_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef enum { FIELD_F64, FIELD_I32, FIELD_I64 } FieldType;

typedef struct Field {
  const char *name; // borrowed constant, unique
  FieldType type;
  int64_t count;
  void *data; // borrowed from the owner of the state
  // Makes room for `count` items and updates `count` and `data` of this field and of those that
  // share its length; NULL: the count is fixed by the model and must agree.
  Status (*resize)(void *owner, int64_t count, Err *err);
  void *owner;
} Field;

// All arrays of a state, or of its slices one after the other. A list that begins as zeros grows as
// fields are added; with `hash_only` it keeps none and takes them into its hash.
typedef struct {
  int n;
  int hash_only, failed; // 1: memory was short
  size_t capacity;
  Field *item; // [n] owned
  uint64_t hash;
} FieldList;
void field_add(FieldList *list, Field field);
Status field_list_end(const FieldList *list, Err *err) MUST_CHECK; // after the last one
void field_list_free(FieldList *list);

size_t field_item_size(FieldType type);

uint64_t bytes_hash(const void *data, size_t n); // 64 bits, for texts and files
uint64_t bytes_hash_on(uint64_t hash, const void *data,
                       size_t n); // of bytes behind those of `hash`

// 64-bit hash over names, counts and bytes: equal hash means equal bits.
uint64_t field_hash(const Field *fields, int n_fields);
// The same, and *each of them [n_fields] alone.
uint64_t field_hashes(const Field *fields, int n_fields, int64_t *each);

#endif
