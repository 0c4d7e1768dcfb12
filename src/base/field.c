#include "base/field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void field_add(FieldList *list, Field field) {
  if (list->n == MAX_FIELDS) {
    fprintf(stderr, "bug: field '%s' is one more than MAX_FIELDS = %d\n", field.name, MAX_FIELDS);
    abort();
  }
  list->item[list->n++] = field;
}

size_t field_item_size(FieldType type) {
  return type == FIELD_I32 ? 4 : 8;
}

// FNV-1a, 64 bits: simple, byte-wise, good enough to tell states apart.
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t n) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < n; i++) hash = (hash ^ byte[i]) * 0x100000001b3ull;
  return hash;
}

static const uint64_t HASH_START = 0xcbf29ce484222325ull;

uint64_t bytes_hash(const void *data, size_t n) {
  return hash_bytes(HASH_START, data, n);
}

uint64_t bytes_hash_on(uint64_t hash, const void *data, size_t n) {
  return hash_bytes(hash, data, n);
}

uint64_t field_hash(const Field *fields, int n_fields) {
  uint64_t hash = HASH_START;
  for (int k = 0; k < n_fields; k++) {
    const Field *field = &fields[k];
    hash = hash_bytes(hash, field->name, strlen(field->name));
    hash = hash_bytes(hash, &field->count, sizeof field->count);
    if (field->count > 0)
      hash = hash_bytes(hash, field->data, (size_t)field->count * field_item_size(field->type));
  }
  return hash;
}
