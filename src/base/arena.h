// base/arena.h -- step memory: taken piece by piece, given back all at once.
//
// Pieces are 64-byte aligned and not zeroed. When the block is full a further one is chained;
// arena_reset merges them into one that is large enough, so after a few steps no step allocates.

#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/mem.h"

typedef struct ArenaBlock ArenaBlock;

typedef struct {
  ArenaBlock *top; // block in use; older ones hang behind it
  size_t used;     // bytes used in the top block
  size_t total;    // bytes handed out since the last reset
} Arena;

// NULL when memory is short.
void *arena_take(Arena *arena, size_t count, size_t size);
void arena_reset(Arena *arena); // all pieces are given back
void arena_free(Arena *arena);

#define ARENA_NEW(pointer, count, arena, err)                                                      \
  do {                                                                                             \
    (pointer) = arena_take(arena, (size_t)(count), sizeof *(pointer));                             \
    if (!(pointer))                                                                                \
      return err_set(err, ERR_SYSTEM, "out of memory: %zu items of %zu bytes for '%s'",            \
                     (size_t)(count), sizeof *(pointer), #pointer);                                \
  } while (0)

#endif
