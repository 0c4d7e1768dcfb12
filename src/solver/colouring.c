#include "solver/colouring.h"

#include "solver/operator.h"

enum {
  PARTS = 64,      // aimed at: enough for some ten threads
  SMALLEST = 64,   // contacts of a part: fewer are not worth a visit
  LARGEST = 512,   // more would only make the threads wait for each other
  MAX_COLOURS = 64 // further parts get a colour of their own
};

// Parts that are painted, and by bodies the colours each of these has met.
typedef struct {
  int32_t *colour; // -1: not yet
  uint64_t *met;   // [n_bodies], NULL: by blocks
} Paint;

static uint64_t bit(int colour) {
  return colour < MAX_COLOURS ? (uint64_t)1 << colour : 0;
}

// Bits of the colours that the neighbours of a part have.
static uint64_t taken(const Colouring *c, const Problem *p, int part, const Paint *paint) {
  uint64_t bits = 0;
  int first = part * c->size, last = first + c->size < p->n ? first + c->size : p->n;
  if (paint->met) {
    for (int side = 2 * first; side < 2 * last; side++)
      if (p->bodies.moved[side] >= 0) bits |= paint->met[p->bodies.moved[side]];
    return bits;
  }
  for (int64_t e = p->blocks.ptr[first]; e < p->blocks.ptr[last]; e++) {
    int other = p->blocks.col[e] / c->size;
    if (other != part && paint->colour[other] >= 0) bits |= bit(paint->colour[other]);
  }
  return bits;
}

static void meet(const Colouring *c, const Problem *p, int part, const Paint *paint) {
  int first = part * c->size, last = first + c->size < p->n ? first + c->size : p->n;
  for (int side = 2 * first; paint->met && side < 2 * last; side++)
    if (p->bodies.moved[side] >= 0) paint->met[p->bodies.moved[side]] |= bit(paint->colour[part]);
}

// Lowest free colour for each part in turn.
static void paint_parts(Colouring *c, const Problem *p, const Paint *paint) {
  int32_t *colour = paint->colour;
  int apart = MAX_COLOURS;
  for (int k = 0; k < c->n_parts; k++) colour[k] = -1;
  for (int k = 0; k < c->n_parts; k++) {
    uint64_t bits = taken(c, p, k, paint);
    int free = 0;
    while (free < MAX_COLOURS && bits >> free & 1) free++;
    colour[k] = free < MAX_COLOURS ? free : apart++;
    if (colour[k] >= c->n_colours) c->n_colours = colour[k] + 1;
    meet(c, p, k, paint);
  }
}

Status colouring_init(Colouring *c, const Problem *p, Arena *arena, Err *err) {
  int size = p->n / PARTS;
  if (size < SMALLEST) size = SMALLEST;
  if (size > LARGEST) size = LARGEST;
  *c = (Colouring){.size = size, .n_parts = (p->n + size - 1) / size};
  int32_t *colour;
  Paint paint = {0};
  ARENA_NEW(colour, c->n_parts, arena, err);
  paint.colour = colour;
  if (operator_by_bodies(p)) {
    ARENA_NEW(paint.met, p->bodies.n_bodies + 1, arena, err);
    memset(paint.met, 0, sizeof *paint.met * (size_t)p->bodies.n_bodies);
  }
  ARENA_NEW(c->part, c->n_parts, arena, err);
  ARENA_NEW(c->colour, c->n_parts, arena, err);
  ARENA_NEW(c->sum, c->n_parts, arena, err);
  paint_parts(c, p, &paint);
  ARENA_NEW(c->colour_ptr, c->n_colours + 1, arena, err);
  int at = 0;
  for (int k = 0; k < c->n_colours; k++) {
    c->colour_ptr[k] = at;
    for (int part = 0; part < c->n_parts; part++)
      if (colour[part] == k) {
        c->colour[at] = k;
        c->part[at++] = part;
      }
    if (at - c->colour_ptr[k] > c->widest) c->widest = at - c->colour_ptr[k];
  }
  c->colour_ptr[c->n_colours] = at;
  return OK;
}
