// solver/colouring.h -- parts of the contacts that may be visited at the same time.
//
// Contacts are cut into parts of consecutive numbers, and the parts coloured so that no contact of
// a part has a neighbour in another part of its colour. A sweep visits colour after colour, the
// parts of one colour on all threads: a Gauss-Seidel sweep in another order, which depends on the
// problem only and never on the number of threads. Contacts are numbered along bodies, so that
// parts touch few others and two or three colours do.

#ifndef SOLVER_COLOURING_H
#define SOLVER_COLOURING_H

#include "solver/problem.h"

// What the visits of one part add up to; whole cache lines, so that threads do not share them.
typedef struct {
  double change, norm;
  int none; // contacts without a solution of their own
  char pad[64 - 2 * sizeof(double) - sizeof(int)];
} PartSum;

typedef struct {
  int n_parts, n_colours;
  int size;            // contacts of a part; the last one may have fewer
  int widest;          // parts of the largest colour
  int32_t *part;       // [n_parts] colour after colour, increasing
  int32_t *colour;     // [n_parts] of part[k]
  int32_t *colour_ptr; // [n_colours + 1]
  PartSum *sum;        // [n_parts]
} Colouring;

Status colouring_init(Colouring *colouring, const Problem *p, Arena *arena, Err *err) MUST_CHECK;

#endif
