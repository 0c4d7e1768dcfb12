#include "solver/colouring.h"

enum {
  PARTS = 64,      // aimed at: enough for some ten threads
  SMALLEST = 64,   // contacts of a part: fewer are not worth a visit
  LARGEST = 512,   // more would only make the threads wait for each other
  MAX_COLOURS = 64 // further parts get a colour of their own
};

// Bits of the colours that the neighbours of a part have.
static uint64_t taken(const Colouring *c, const Problem *p, int part, const int32_t *colour) {
  uint64_t bits = 0;
  int first = part * c->size, last = first + c->size < p->n ? first + c->size : p->n;
  for (int64_t e = p->ptr[first]; e < p->ptr[last]; e++) {
    int other = p->col[e] / c->size;
    if (other != part && colour[other] >= 0 && colour[other] < MAX_COLOURS)
      bits |= (uint64_t)1 << colour[other];
  }
  return bits;
}

// Lowest free colour for each part in turn.
static void paint(Colouring *c, const Problem *p, int32_t *colour) {
  int apart = MAX_COLOURS;
  for (int k = 0; k < c->n_parts; k++) colour[k] = -1;
  for (int k = 0; k < c->n_parts; k++) {
    uint64_t bits = taken(c, p, k, colour);
    int free = 0;
    while (free < MAX_COLOURS && bits >> free & 1) free++;
    colour[k] = free < MAX_COLOURS ? free : apart++;
    if (colour[k] >= c->n_colours) c->n_colours = colour[k] + 1;
  }
}

Status colouring_init(Colouring *c, const Problem *p, Arena *arena, Err *err) {
  int size = p->n / PARTS;
  if (size < SMALLEST) size = SMALLEST;
  if (size > LARGEST) size = LARGEST;
  *c = (Colouring){.size = size, .n_parts = (p->n + size - 1) / size};
  int32_t *colour;
  ARENA_NEW(colour, c->n_parts, arena, err);
  ARENA_NEW(c->part, c->n_parts, arena, err);
  ARENA_NEW(c->colour, c->n_parts, arena, err);
  ARENA_NEW(c->sum, c->n_parts, arena, err);
  paint(c, p, colour);
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
