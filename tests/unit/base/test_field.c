#include <criterion/criterion.h>
#include <string.h>

#include "base/field.h"
#include "base/mem.h"

static uint64_t hash_of(const char *name, FieldType type, int64_t count, void *data) {
  Field field = {.name = name, .type = type, .count = count, .data = data};
  return field_hash(&field, 1);
}

Test(field, hash_of_nothing_is_the_offset_of_fnv_1a) {
  cr_assert_eq(field_hash(NULL, 0), 0xcbf29ce484222325ull);
}

Test(field, hash_is_that_of_the_bytes_of_name_count_and_data) {
  // FNV-1a by hand: name, count as 8 bytes, data
  int32_t data[2] = {1, -2};
  int64_t count = 2;
  uint64_t hash = 0xcbf29ce484222325ull;
  const struct {
    const void *from;
    size_t n;
  } piece[3] = {{"ab", 2}, {&count, sizeof count}, {data, sizeof data}};
  for (int p = 0; p < 3; p++)
    for (size_t i = 0; i < piece[p].n; i++)
      hash = (hash ^ ((const unsigned char *)piece[p].from)[i]) * 1099511628211u;
  cr_assert_eq(hash_of("ab", FIELD_I32, 2, data), hash);
}

Test(field, hashes_of_all_and_of_each_are_those_made_apart) {
  double a[3] = {1.5, -2, 3};
  int32_t b[2] = {7, -1};
  const Field fields[3] = {{.name = "a", .type = FIELD_F64, .count = 3, .data = a},
                           {.name = "none", .type = FIELD_F64, .count = 0},
                           {.name = "b", .type = FIELD_I32, .count = 2, .data = b}};
  int64_t each[3];
  cr_assert_eq(field_hashes(fields, 3, each), field_hash(fields, 3));
  for (int k = 0; k < 3; k++) cr_assert_eq((uint64_t)each[k], field_hash(&fields[k], 1));
}

Test(field, equal_states_have_equal_hashes_wherever_they_lie) {
  double a[3] = {1, 2, 3}, b[3] = {1, 2, 3};
  cr_assert_eq(hash_of("q", FIELD_F64, 3, a), hash_of("q", FIELD_F64, 3, b));
}

Test(field, hash_sees_every_bit_the_name_the_count_and_the_order) {
  double a[3] = {1, 2, 3}, zero[1] = {0.0}, minus_zero[1] = {-0.0};
  uint64_t hash = hash_of("q", FIELD_F64, 3, a);
  cr_assert_neq(hash, hash_of("v", FIELD_F64, 3, a));
  cr_assert_neq(hash, hash_of("q", FIELD_F64, 2, a));
  cr_assert_neq(hash_of("q", FIELD_F64, 1, zero), hash_of("q", FIELD_F64, 1, minus_zero));
  unsigned char *bytes = (unsigned char *)a;
  for (size_t bit = 0; bit < 8 * sizeof a; bit++) {
    bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    cr_assert_neq(hash, hash_of("q", FIELD_F64, 3, a), "bit %zu", bit);
    bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
  }
  Field two[2] = {{.name = "q", .type = FIELD_F64, .count = 3, .data = a},
                  {.name = "v", .type = FIELD_F64, .count = 1, .data = zero}};
  Field swapped[2] = {two[1], two[0]};
  cr_assert_neq(field_hash(two, 2), field_hash(swapped, 2));
}

Test(field, an_empty_field_needs_no_data) {
  cr_assert_eq(hash_of("q", FIELD_I64, 0, NULL), hash_of("q", FIELD_F64, 0, NULL));
  cr_assert_eq(field_item_size(FIELD_F64), sizeof(double));
  cr_assert_eq(field_item_size(FIELD_I32), sizeof(int32_t));
  cr_assert_eq(field_item_size(FIELD_I64), sizeof(int64_t));
}

Test(field, a_list_grows_as_fields_are_added) {
  FieldList list = {0};
  int32_t number[1000];
  for (int k = 0; k < 1000; k++) {
    number[k] = k;
    field_add(&list, (Field){.name = "x", .type = FIELD_I32, .count = 1, .data = &number[k]});
  }
  cr_assert_eq(field_list_end(&list, NULL), OK);
  cr_assert_eq(list.n, 1000);
  for (int k = 0; k < 1000; k++) cr_assert_eq(list.item[k].data, &number[k]);
  FieldList hashed = {.hash_only = 1};
  for (int k = 0; k < 1000; k++) field_add(&hashed, list.item[k]);
  cr_assert_eq(hashed.hash, field_hash(list.item, list.n));
  cr_assert_null(hashed.item);
  field_list_free(&list);
}

Test(field, a_list_without_memory_says_so_at_its_end) {
  FieldList list = {0};
  Err err = {0};
  mem_fail_after(1);
  field_add(&list, (Field){.name = "x"});
  mem_fail_after(0);
  field_add(&list, (Field){.name = "y"});
  cr_assert_eq(field_list_end(&list, &err), ERR_SYSTEM);
  cr_assert(strstr(err.text, "out of memory"), "%s", err.text);
  field_list_free(&list);
}
