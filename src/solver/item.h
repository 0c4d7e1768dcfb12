// solver/item.h -- what one item of a problem asks of its rows: a friction cone, or a box.
//
// Equalities, limits and motors are boxes: lower <= r <= upper, and u >= 0 at the lower bound, u <=
// 0 at the upper one, u = 0 between them. An equality has no bounds, a limit the lower one 0; what
// an item has no row for has the bounds 0 and 0, so that all items have dim places.

#ifndef SOLVER_ITEM_H
#define SOLVER_ITEM_H

#include <math.h>

#include "solver/problem.h"

static inline int item_is_box(const Problem *p, int i) {
  return p->item && p->item[i].kind != ITEM_CONE;
}

static inline double item_lower(const Item *item, int k) {
  if (k >= item->rows || item->kind == ITEM_ONE_SIDED) return 0;
  return item->kind == ITEM_EQUALITY ? -(double)INFINITY : item->lower;
}
static inline double item_upper(const Item *item, int k) {
  if (k >= item->rows) return 0;
  return item->kind == ITEM_TWO_SIDED ? item->upper : (double)INFINITY;
}

// Nearest place of the box, row by row: in any metric without terms across.
static inline double item_clamp(const Item *item, int k, double z) {
  return fmin(fmax(z, item_lower(item, k)), item_upper(item, k));
}

// Is row k of a box with this impulse between its bounds, where it must stand still?
static inline int item_holds(const Item *item, int k, double z) {
  return z > item_lower(item, k) && z < item_upper(item, k);
}

// Nearest place of item i, cone or box.
void item_project(const Problem *p, int i, double *z);

// rho of a box for u = free + D rho, D [dim * dim]: the equations of an equality, also where they
// say one thing twice; the bounds of one row.
void item_solve(const Item *item, int dim, const double *d, const double *free, double *rho);

// The kinds of a problem besides cones as text, like "2 equalities and 1 limit".
void item_names(const Problem *p, char *text, size_t size);

#endif
