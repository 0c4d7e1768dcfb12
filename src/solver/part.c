#include "solver/part.h"

#include <string.h>

#include "solver/operator.h"

Status part_init(Part *part, const Problem *whole, Arena *arena, Err *err) {
  *part = (Part){.whole = whole};
  ARENA_NEW(part->list, whole->n, arena, err);
  ARENA_NEW(part->place, whole->n, arena, err);
  for (int i = 0; i < whole->n; i++) part->place[i] = -1;
  return OK;
}

int part_list(Part *part) {
  int n = 0;
  for (int i = 0; i < part->whole->n; i++) {
    if (part->place[i] > 0) part->list[n++] = i;
    part->place[i] = -1;
  }
  part->p.n = n;
  return n;
}

// *to = the rows of `from` that are listed, `size` numbers each.
static Status take_rows(const Part *part, const double *from, size_t size, double **to,
                        Arena *arena, Err *err) {
  ARENA_NEW(*to, (size_t)part->p.n * size, arena, err);
  for (int k = 0; k < part->p.n; k++)
    memcpy(*to + (size_t)k * size, from + (size_t)part->list[k] * size, size * sizeof **to);
  return OK;
}

// The same of an array that may not be there.
static Status take_given(const Part *part, const double *from, size_t size, const double **to,
                         Arena *arena, Err *err) {
  double *rows = NULL;
  if (from) TRY(take_rows(part, from, size, &rows, arena, err));
  *to = rows;
  return OK;
}

static Status take_items(Part *part, Arena *arena, Err *err) {
  Item *item;
  part->p.item = NULL;
  if (!part->whole->item) return OK;
  ARENA_NEW(item, part->p.n, arena, err);
  for (int k = 0; k < part->p.n; k++) item[k] = part->whole->item[part->list[k]];
  part->p.item = item;
  return OK;
}

// Blocks between listed contacts; what the others do goes into b.
static Status take_blocks(Part *part, const double *r, double *b, Arena *arena, Err *err) {
  const Problem *whole = part->whole;
  int dim = whole->dim, n = part->p.n;
  size_t size = (size_t)(dim * dim);
  const BlockRows *from = &whole->blocks;
  int64_t *ptr, most = 0, held = 0;
  int32_t *col;
  double *w;
  for (int k = 0; k < n; k++) most += from->ptr[part->list[k] + 1] - from->ptr[part->list[k]];
  ARENA_NEW(ptr, n + 1, arena, err);
  ARENA_NEW(col, most, arena, err);
  ARENA_NEW(w, (size_t)most * size + 1, arena, err); // rows in space read one number further
  for (int k = 0; k < n; k++) {
    int i = part->list[k];
    ptr[k] = held;
    for (int64_t e = from->ptr[i]; e < from->ptr[i + 1]; e++) {
      int j = from->col[e];
      const double *block = from->w + (size_t)e * size;
      if (part->place[j] < 0) {
        block_add(dim, block, r + (size_t)(j * dim), b + (size_t)(k * dim));
        continue;
      }
      col[held] = part->place[j];
      memcpy(w + (size_t)held++ * size, block, size * sizeof *w);
    }
  }
  ptr[n] = held;
  part->p.blocks = (BlockRows){ptr, col, w};
  return OK;
}

// The same where W is held by bodies: what the others do is what bodies do without these.
static Status take_motions(const Part *part, const double *r, double *b, int64_t *blocks,
                           Arena *arena, Err *err) {
  const Problem *whole = part->whole;
  size_t dim = (size_t)whole->dim, size = dim * sizeof(double);
  double *others;
  ARENA_NEW(others, (size_t)whole->n * dim, arena, err);
  memcpy(others, r, (size_t)whole->n * size);
  for (int k = 0; k < part->p.n; k++) memset(others + (size_t)part->list[k] * dim, 0, size);
  operator_set(whole, others);
  for (int k = 0; k < part->p.n; k++)
    operator_row(whole, part->list[k], others, b + (size_t)k * dim);
  *blocks += operator_cost(whole);
  return OK;
}

Status part_take(Part *part, const double *r, int64_t *blocks, Arena *arena, Err *err) {
  const Problem *whole = part->whole;
  size_t dim = (size_t)whole->dim;
  double *b;
  part->p = (Problem){.dim = whole->dim, .n = part->p.n};
  for (int k = 0; k < part->p.n; k++) part->place[part->list[k]] = k;
  TRY(take_rows(part, r, dim, &part->r, arena, err));
  TRY(take_rows(part, whole->b, dim, &b, arena, err));
  TRY(take_given(part, whole->diag, dim * dim, &part->p.diag, arena, err));
  TRY(take_given(part, whole->mu, 1, &part->p.mu, arena, err));
  TRY(take_given(part, whole->radius, 1, &part->p.radius, arena, err));
  TRY(take_given(part, whole->s, dim, &part->p.s, arena, err));
  TRY(take_given(part, whole->a, 2, &part->p.a, arena, err));
  TRY(take_given(part, whole->elastic, 2, &part->p.elastic, arena, err));
  TRY(take_given(part, whole->compliance, 2, &part->p.compliance, arena, err));
  TRY(take_items(part, arena, err));
  if (whole->blocks.ptr)
    TRY(take_blocks(part, r, b, arena, err));
  else
    TRY(take_motions(part, r, b, blocks, arena, err));
  part->p.b = b;
  for (int k = 0; k < part->p.n; k++) {
    part->place[part->list[k]] = -1;
    if (whole->blocks.ptr)
      *blocks += whole->blocks.ptr[part->list[k] + 1] - whole->blocks.ptr[part->list[k]];
  }
  return OK;
}

Status part_take_bodies(Part *part, Arena *arena, Err *err) {
  const BodyRows *from = &part->whole->bodies;
  size_t dim = (size_t)part->whole->dim;
  BodyRows *to = &part->p.bodies;
  int32_t *moved;
  *to = (BodyRows){.n_bodies = from->n_bodies, .n_modes = from->n_modes};
  ARENA_NEW(moved, 2 * part->p.n, arena, err);
  for (int side = 0; side < 2 * part->p.n; side++)
    moved[side] = from->moved[2 * part->list[side / 2] + side % 2];
  to->moved = moved;
  TRY(take_given(part, from->lever, 2 * dim * (size_t)from->n_modes, &to->lever, arena, err));
  TRY(take_given(part, from->own, dim * dim, &to->own, arena, err));
  if (from->motion) ARENA_NEW(to->motion, from->n_bodies * from->n_modes, arena, err);
  return OK;
}

void part_give(const Part *part, double *r) {
  size_t dim = (size_t)part->whole->dim;
  for (int k = 0; k < part->p.n; k++)
    memcpy(r + (size_t)part->list[k] * dim, part->r + (size_t)k * dim, dim * sizeof *r);
}
