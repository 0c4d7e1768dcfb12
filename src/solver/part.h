// solver/part.h -- some contacts of a problem as a problem of their own: all others stand still.
//
// Where three corners meet, three contacts share two relative motions: W moves nothing along what
// the three can hold against each other, and sweeps that have to leave such a place (gaps that do
// not fit one another) creep along it while all others have long been done. Sweeps over those few
// alone cost next to nothing.

#ifndef SOLVER_PART_H
#define SOLVER_PART_H

#include "solver/problem.h"

typedef struct {
  const Problem *whole;
  int32_t *list;  // [whole n] contacts of the part, in their order
  int32_t *place; // [whole n] their places in the list, -1: not among them
  Problem p;      // the part
  double *r;      // [p.n dim] its impulses
} Part;

Status part_init(Part *part, const Problem *whole, Arena *arena, Err *err) MUST_CHECK;

// The contacts with marks > 0 in `place` (-1 elsewhere, and everywhere after it) become the list;
// returns how many there are.
int part_list(Part *part);

// The problem of the listed contacts while the others keep their impulses r; part->r from r. Work
// is counted.
Status part_take(Part *part, const double *r, int64_t *blocks, Arena *arena, Err *err) MUST_CHECK;
void part_give(const Part *part, double *r);

// Adds their rigid motions, after part_take. What bodies do for others is in its velocities.
Status part_take_bodies(Part *part, Arena *arena, Err *err) MUST_CHECK;

#endif
