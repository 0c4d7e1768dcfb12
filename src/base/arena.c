#include "base/arena.h"

#ifdef VALIDATE
#include <string.h>
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define VALGRIND_MAKE_MEM_UNDEFINED(piece, size) ((void)(piece), (void)(size))
#endif

// What nobody has written is not a number, and no index: whoever reads it is found out, by valgrind
// too.
enum { UNSET = 0xff };
#endif

enum { ALIGNMENT = 64, FIRST_BLOCK = 1 << 13 };

struct ArenaBlock {
  ArenaBlock *older;
  size_t size; // bytes behind the header
};

static size_t round_up(size_t n) {
  return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// First aligned byte behind the header of a block.
static char *block_start(ArenaBlock *block) {
  return (char *)(round_up((size_t)(uintptr_t)(block + 1)));
}

static ArenaBlock *block_new(size_t size, ArenaBlock *older) {
  ArenaBlock *block = mem_resize(NULL, sizeof *block + size + ALIGNMENT, 1); // not zeroed
  if (!block) return NULL;
  *block = (ArenaBlock){.older = older, .size = size};
  return block;
}

void *arena_take(Arena *arena, size_t count, size_t size) {
  if (size > 0 && count > (SIZE_MAX - ALIGNMENT) / size) return NULL;
  size_t bytes = round_up(count * size);
  if (bytes == 0) bytes = ALIGNMENT;
  if (!arena->top || arena->used + bytes > arena->top->size) {
    size_t wanted = arena->top ? 2 * arena->top->size : FIRST_BLOCK;
    ArenaBlock *block = block_new(wanted > bytes ? wanted : bytes, arena->top);
    if (!block) return NULL;
    arena->top = block;
    arena->used = 0;
  }
  void *piece = block_start(arena->top) + arena->used;
  arena->used += bytes;
  arena->total += bytes;
#ifdef VALIDATE
  memset(piece, UNSET, bytes);
  VALGRIND_MAKE_MEM_UNDEFINED(piece, bytes);
#endif
  return piece;
}

void arena_reset(Arena *arena) {
  if (arena->top && arena->top->older) {
    size_t total = arena->total;
    arena_free(arena);
    arena->top = block_new(2 * total, NULL); // NULL: the next take tries again and reports
  }
  arena->used = 0;
  arena->total = 0;
}

void arena_free(Arena *arena) {
  while (arena->top) {
    ArenaBlock *older = arena->top->older;
    mem_free(arena->top);
    arena->top = older;
  }
  *arena = (Arena){0};
}
