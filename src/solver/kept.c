#include "solver/kept.h"

#include <string.h>

static int is_same(const KeptFactors *kept, const Problem *p) {
  if (kept->n != p->n || kept->dim != p->dim) return 0;
  size_t rows = ((size_t)p->n + 1) * sizeof *p->blocks.ptr;
  return memcmp(kept->ptr, p->blocks.ptr, rows) == 0 &&
         memcmp(kept->col, p->blocks.col, (size_t)p->blocks.ptr[p->n] * sizeof *p->blocks.col) == 0;
}

// Forgets the pattern that was, remembers that of p and analyses it.
static Status keep(KeptFactors *kept, const Problem *p, Err *err) {
  size_t rows = (size_t)p->n + 1, entries = (size_t)p->blocks.ptr[p->n];
  kept->n = 0; // until all is there
  arena_reset(&kept->arena);
  ARENA_NEW(kept->ptr, rows, &kept->arena, err);
  ARENA_NEW(kept->col, entries + 1, &kept->arena, err);
  memcpy(kept->ptr, p->blocks.ptr, rows * sizeof *p->blocks.ptr);
  memcpy(kept->col, p->blocks.col, entries * sizeof *p->blocks.col);
  TRY(block_lu_init(&kept->lu, p, &kept->arena, err));
  kept->dim = p->dim;
  kept->n = p->n;
  return OK;
}

Status kept_factors(SolverKept *kept, FactorsOf of, BlockLu *lu, const Problem *p, Arena *arena,
                    Err *err) {
  if (!kept) return block_lu_init(lu, p, arena, err);
  KeptFactors *own = &kept->of[of];
  if (own->n == 0 || !is_same(own, p)) {
    TRY(keep(own, p, err));
    kept->analyses++;
  }
  *lu = own->lu;
  return OK;
}

void kept_free(SolverKept *kept) {
  for (int k = 0; k < N_FACTORS; k++) arena_free(&kept->of[k].arena);
  *kept = (SolverKept){0};
}
