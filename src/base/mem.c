#define _DEFAULT_SOURCE // MAP_ANONYMOUS
#include "base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

static _Atomic int64_t live_blocks, total_calls, fail_countdown;

static int must_fail(void) {
  if (atomic_load_explicit(&fail_countdown, memory_order_relaxed) == 0) return 0;
  return atomic_fetch_sub(&fail_countdown, 1) == 1;
}

void *mem_new(size_t count, size_t size) {
  if (must_fail()) return NULL;
  void *block = calloc(count ? count : 1, size ? size : 1);
  if (!block) return NULL;
  atomic_fetch_add_explicit(&live_blocks, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&total_calls, 1, memory_order_relaxed);
  return block;
}

void *mem_resize(void *block, size_t count, size_t size) {
  if (must_fail() || (size > 0 && count > SIZE_MAX / size)) return NULL;
  size_t bytes = count * size;
  void *fresh = realloc(block, bytes ? bytes : 1);
  if (!fresh) return NULL;
  if (!block) atomic_fetch_add_explicit(&live_blocks, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&total_calls, 1, memory_order_relaxed);
  return fresh;
}

void mem_free(void *block) {
  if (!block) return;
  atomic_fetch_sub_explicit(&live_blocks, 1, memory_order_relaxed);
  free(block);
}

char *mem_copy_text(const char *text) {
  size_t n = strlen(text) + 1;
  char *copy = mem_new(n, 1);
  if (copy) memcpy(copy, text, n);
  return copy;
}

Status mem_grow(void **block, size_t *capacity, size_t needed, size_t size, Err *err) {
  if (needed <= *capacity) return OK;
  size_t wanted = *capacity < 8 ? 8 : *capacity * 2;
  if (wanted < needed) wanted = needed;
  void *fresh = mem_resize(*block, wanted, size);
  if (!fresh)
    return err_set(err, ERR_SYSTEM, "out of memory: %zu items of %zu bytes", wanted, size);
  *block = fresh;
  *capacity = wanted;
  return OK;
}

int mem_is_limited(void) {
  struct rlimit limit;
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

int mem_has_room(size_t bytes) {
  if (!mem_is_limited()) return 1;
  void *probe = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) return 0;
  munmap(probe, bytes);
  return 1;
}

int64_t mem_live_blocks(void) {
  return atomic_load(&live_blocks);
}
int64_t mem_total_calls(void) {
  return atomic_load(&total_calls);
}
void mem_fail_after(int64_t n) {
  atomic_store(&fail_countdown, n);
}
