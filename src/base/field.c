#include "base/field.h"

#include <string.h>

#include "base/mem.h"

size_t field_item_size(FieldType type) {
  return type == FIELD_I32 ? 4 : 8;
}

static const uint64_t HASH_FACTOR = 0x100000001b3ull;

// FNV-1a, 64 bits: simple, byte-wise, good enough to tell states apart.
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t n) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < n; i++) hash = (hash ^ byte[i]) * HASH_FACTOR;
  return hash;
}

static const uint64_t HASH_START = 0xcbf29ce484222325ull;

uint64_t bytes_hash(const void *data, size_t n) {
  return hash_bytes(HASH_START, data, n);
}

uint64_t bytes_hash_on(uint64_t hash, const void *data, size_t n) {
  return hash_bytes(hash, data, n);
}

static uint64_t hash_field(uint64_t hash, const Field *field) {
  hash = hash_bytes(hash, field->name, strlen(field->name));
  hash = hash_bytes(hash, &field->count, sizeof field->count);
  if (field->count <= 0) return hash;
  return hash_bytes(hash, field->data, (size_t)field->count * field_item_size(field->type));
}

uint64_t field_hash(const Field *fields, int n_fields) {
  uint64_t hash = HASH_START;
  for (int k = 0; k < n_fields; k++) hash = hash_field(hash, &fields[k]);
  return hash;
}

// Both at once: either waits for its own product at each byte.
static void hash_both(uint64_t both[2], const void *data, size_t n) {
  const unsigned char *byte = data;
  uint64_t first = both[0], second = both[1];
  for (size_t i = 0; i < n; i++) {
    first = (first ^ byte[i]) * HASH_FACTOR;
    second = (second ^ byte[i]) * HASH_FACTOR;
  }
  both[0] = first;
  both[1] = second;
}

uint64_t field_hashes(const Field *fields, int n_fields, int64_t *each) {
  uint64_t both[2] = {HASH_START};
  for (int k = 0; k < n_fields; k++) {
    const Field *field = &fields[k];
    both[1] = HASH_START;
    hash_both(both, field->name, strlen(field->name));
    hash_both(both, &field->count, sizeof field->count);
    if (field->count > 0)
      hash_both(both, field->data, (size_t)field->count * field_item_size(field->type));
    each[k] = (int64_t)both[1];
  }
  return both[0];
}

void field_add(FieldList *list, Field field) {
  if (list->hash_only) {
    list->hash = hash_field(list->n++ == 0 ? HASH_START : list->hash, &field);
    return;
  }
  list->failed |= mem_grow((void **)&list->item, &list->capacity, (size_t)list->n + 1,
                           sizeof *list->item, NULL) != OK;
  if (!list->failed) list->item[list->n++] = field;
}

Status field_list_end(const FieldList *list, Err *err) {
  if (!list->failed) return OK;
  return err_set(err, ERR_SYSTEM, "out of memory: a list of %d fields", list->n + 1);
}

void field_list_free(FieldList *list) {
  mem_free(list->item);
  *list = (FieldList){0};
}
