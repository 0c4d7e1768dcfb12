// base/mem.h -- the only door to the heap, so that it can be counted and made to fail in tests.
//
// mem_new zeroes what it returns. Running out of memory is an ordinary error (ERR_SYSTEM): the
// functions return NULL and the caller says what it wanted to hold; MEM_NEW does both.
// Counters are process-wide (atomic): the one mutable global of the program, read by tests only.

#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdint.h>

#include "base/err.h"

// count * size bytes, zeroed; NULL on overflow or when memory is short. count 0 gives a pointer
// that may be freed.
void *mem_new(size_t count, size_t size);

// As realloc with overflow check; new bytes are not zeroed. On NULL the old block is untouched.
void *mem_resize(void *block, size_t count, size_t size);
void mem_free(void *block);
char *mem_copy_text(const char *text); // NULL when memory is short

// Grow *block so that it holds `needed` items, at least doubling; *capacity counts items.
Status mem_grow(void **block, size_t *capacity, size_t needed, size_t size, Err *err) MUST_CHECK;

// Is the memory of the process limited (ulimit -v)? And has it so many bytes left? Always where
// there is no limit. For libraries that do not take it well when they get none.
int mem_is_limited(void);
int mem_has_room(size_t bytes);

int64_t mem_live_blocks(void);  // blocks allocated and not yet freed
int64_t mem_total_calls(void);  // allocations since the start of the process
void mem_fail_after(int64_t n); // tests: the n-th allocation from now returns NULL; 0 switches off

// MEM_NEW(pointer, count, err): allocate and return ERR_SYSTEM from the caller when that fails.
#define MEM_NEW(pointer, count, err)                                                               \
  do {                                                                                             \
    (pointer) = mem_new((size_t)(count), sizeof *(pointer));                                       \
    if (!(pointer))                                                                                \
      return err_set(err, ERR_SYSTEM, "out of memory: %zu items of %zu bytes for '%s'",            \
                     (size_t)(count), sizeof *(pointer), #pointer);                                \
  } while (0)

#endif
