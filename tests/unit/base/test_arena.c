#include <criterion/criterion.h>

#include "base/arena.h"

Test(arena, merges_its_blocks_so_that_the_second_round_allocates_nothing) {
  Arena arena = {0};
  for (int k = 0; k < 100; k++) cr_assert_not_null(arena_take(&arena, 1000, sizeof(double)));
  arena_reset(&arena);
  int64_t calls = mem_total_calls();
  for (int k = 0; k < 100; k++) cr_assert_not_null(arena_take(&arena, 1000, sizeof(double)));
  arena_reset(&arena);
  cr_assert_eq(mem_total_calls(), calls);
  arena_free(&arena);
}

Test(arena, pieces_are_aligned_and_do_not_overlap) {
  Arena arena = {0};
  char *first = arena_take(&arena, 3, 1), *second = arena_take(&arena, 3, 1);
  cr_assert_eq((uintptr_t)first % 64, 0);
  cr_assert_eq((uintptr_t)second % 64, 0);
  cr_assert_geq(second - first, 3);
  cr_assert_null(arena_take(&arena, (size_t)-1, 8));
  arena_free(&arena);
}
