#define _DEFAULT_SOURCE
#include "../../support/no_leak.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

TestSuite(mem, .fini = no_leak);

Test(mem, gives_zeroed_memory_and_counts_it) {
  int64_t calls = mem_total_calls();
  unsigned char *bytes = mem_new(1000, 1), *empty = mem_new(0, 8);
  cr_assert(bytes && empty);
  cr_assert_eq(mem_live_blocks(), 2);
  cr_assert_eq(mem_total_calls(), calls + 2);
  for (int k = 0; k < 1000; k++) cr_assert_eq(bytes[k], 0);
  mem_free(bytes);
  mem_free(empty);
  mem_free(NULL);
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(mem, refuses_sizes_that_overflow) {
  cr_assert_null(mem_new(SIZE_MAX, 2));
  cr_assert_null(mem_resize(NULL, SIZE_MAX / 2, 3));
  cr_assert_eq(mem_live_blocks(), 0);
}

Test(mem, fails_exactly_the_nth_allocation_and_no_other) {
  void *block[4];
  mem_fail_after(3);
  for (int k = 0; k < 4; k++) block[k] = mem_new(1, 8);
  cr_assert(block[0] && block[1] && !block[2] && block[3]);
  mem_fail_after(2);
  block[2] = mem_new(1, 8);
  mem_fail_after(0); // called off
  cr_assert_not_null(block[0] = mem_resize(block[0], 2, 8));
  for (int k = 0; k < 4; k++) mem_free(block[k]);
}

Test(mem, resizing_keeps_the_content_and_on_failure_the_old_block) {
  char *text = mem_copy_text("voussoir");
  char *longer = mem_resize(text, 100, 1);
  cr_assert_str_eq(longer, "voussoir");
  mem_fail_after(1);
  cr_assert_null(mem_resize(longer, 200, 1));
  cr_assert_str_eq(longer, "voussoir");
  cr_assert_eq(mem_live_blocks(), 1);
  mem_free(longer);
}

Test(mem, growing_at_least_doubles_so_that_n_items_cost_log_n_allocations) {
  Err err = {0};
  int *item = NULL;
  size_t capacity = 0;
  int64_t calls = mem_total_calls();
  for (size_t n = 1; n <= 10000; n++) {
    cr_assert_eq(mem_grow((void **)&item, &capacity, n, sizeof *item, &err), OK);
    item[n - 1] = (int)n;
  }
  cr_assert_leq(mem_total_calls() - calls, 12);
  for (int n = 1; n <= 10000; n++) cr_assert_eq(item[n - 1], n);
  mem_fail_after(1);
  cr_assert_eq(mem_grow((void **)&item, &capacity, capacity + 1, sizeof *item, &err), ERR_SYSTEM);
  cr_assert_not_null(strstr(err.text, "out of memory"), "%s", err.text);
  cr_assert_eq(item[9999], 10000);
  mem_free(item);
}

static Status allocate(double **x, Err *err) {
  MEM_NEW(*x, 5, err);
  return OK;
}

Test(mem, its_macro_says_what_could_not_be_held) {
  Err err = {0};
  double *x;
  mem_fail_after(1);
  cr_assert_eq(allocate(&x, &err), ERR_SYSTEM);
  cr_assert_str_eq(err.text, "out of memory: 5 items of 8 bytes for '*x'");
}

static size_t address_space(void) {
  unsigned long pages = 0;
  FILE *stream = fopen("/proc/self/statm", "r");
  cr_assert(stream && fscanf(stream, "%lu", &pages) == 1);
  fclose(stream);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

Test(mem, room_is_what_the_limit_of_the_process_leaves) {
  const size_t left = (size_t)256 << 20;
  cr_assert(mem_has_room((size_t)1 << 20));
  struct rlimit limit;
  cr_assert_eq(getrlimit(RLIMIT_AS, &limit), 0);
  cr_assert_eq(mem_is_limited(), limit.rlim_cur != RLIM_INFINITY);
  rlim_t before = limit.rlim_cur;
  limit.rlim_cur = address_space() + left;
  cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
  cr_assert(mem_is_limited());
  cr_assert(mem_has_room(left / 2));
  cr_assert_not(mem_has_room(2 * left));
  limit.rlim_cur = before;
  cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
}
