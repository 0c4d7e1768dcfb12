// solver/lemke.h -- linear complementarity problems: w = M z + q, w >= 0, z >= 0, w . z = 0.
//
// Lemke's complementary pivoting with the covering vector 1 and the lexicographic ratio rule, which
// cannot cycle (Cottle, Pang and Stone 1992, algorithms 4.4.1 and 4.9.3). Dense tableau of n (2 n +
// 2) numbers: for small problems, and for as large ones as memory and patience allow.

#ifndef SOLVER_LEMKE_H
#define SOLVER_LEMKE_H

#include "base/arena.h"

typedef enum {
  LEMKE_SOLVED,
  LEMKE_RAY,   // ended on a ray: no solution when M is copositive-plus (semi-definite, say)
  LEMKE_PIVOTS // the cap of pivots was reached
} LemkeEnd;

typedef struct {
  int n;
  double *table;  // [n * (2 n + 2)]: w, z, z0, q
  int32_t *basis; // [n] variable of each row
} Lemke;

Status lemke_init(Lemke *lemke, int n, Arena *arena, Err *err) MUST_CHECK;

// m [n * n] row-major, z [n] out (also on failure: zeros). pivots may be NULL.
LemkeEnd lemke_solve(Lemke *lemke, const double *m, const double *q, int max_pivots, double *z,
                     int *pivots);

#endif
