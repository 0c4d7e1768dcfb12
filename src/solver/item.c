#include "solver/item.h"

#include <stdio.h>

#include "solver/cone.h"

// Pivot over the largest entry below which an equation says nothing new.
static const double SAYS_NOTHING = 1e-12;

void item_project(const Problem *p, int i, double *z) {
  if (!item_is_box(p, i)) {
    cone_project(p->dim, p->mu[i], p->radius ? p->radius[i] : 0, z);
    return;
  }
  for (int k = 0; k < p->dim; k++) z[k] = item_clamp(&p->item[i], k, z[k]);
}

// The largest entry that is left, to the diagonal of step `at`.
static double choose_pivot(int n, int at, double a[3][4], int order[3]) {
  int row = at, column = at;
  for (int k = at; k < n; k++)
    for (int l = at; l < n; l++)
      if (fabs(a[k][l]) > fabs(a[row][column])) row = k, column = l;
  for (int l = 0; l <= n; l++) {
    double swap = a[at][l];
    a[at][l] = a[row][l];
    a[row][l] = swap;
  }
  for (int k = 0; k < n; k++) {
    double swap = a[k][at];
    a[k][at] = a[k][column];
    a[k][column] = swap;
  }
  int swap = order[at];
  order[at] = order[column];
  order[column] = swap;
  return fabs(a[at][at]);
}

// x of A x = rhs, the last column of a, with n <= 3 rows; equations that follow from others leave
// unknowns at zero.
static void solve_small(int n, double a[3][4], double *x) {
  int order[3] = {0, 1, 2}, rank = 0;
  double largest = 0, y[3] = {0};
  for (; rank < n; rank++) {
    double pivot = choose_pivot(n, rank, a, order);
    if (rank == 0) largest = pivot;
    if (!(pivot > SAYS_NOTHING * largest)) break;
    for (int k = rank + 1; k < n; k++) {
      double factor = a[k][rank] / a[rank][rank];
      for (int l = rank; l < n; l++) a[k][l] -= factor * a[rank][l];
      a[k][n] -= factor * a[rank][n];
    }
  }
  for (int k = rank - 1; k >= 0; k--) {
    y[k] = a[k][n];
    for (int l = k + 1; l < rank; l++) y[k] -= a[k][l] * y[l];
    y[k] /= a[k][k];
  }
  for (int k = 0; k < n; k++) x[order[k]] = y[k];
}

void item_solve(const Item *item, int dim, const double *d, const double *free, double *rho) {
  double a[3][4] = {{0}};
  int n = item->rows;
  for (int k = 0; k < dim; k++) rho[k] = 0;
  if (n == 1) { // where nothing moves the row its bounds say all
    double r = d[0] > 0 ? -free[0] / d[0] : free[0] == 0 ? 0 : -copysign((double)INFINITY, free[0]);
    rho[0] = item_clamp(item, 0, r);
    if (!isfinite(rho[0])) rho[0] = 0;
    return;
  }
  for (int k = 0; k < n; k++) {
    for (int l = 0; l < n; l++) a[k][l] = d[k * dim + l];
    a[k][n] = -free[k];
  }
  solve_small(n, a, rho);
}

void item_names(const Problem *p, char *text, size_t size) {
  static const char *const one[] = {"", "equality", "limit", "bounded drive"};
  static const char *const many[] = {"", "equalities", "limits", "bounded drives"};
  int count[4] = {0}, left = 0;
  size_t used = 0;
  for (int i = 0; p->item && i < p->n; i++) count[p->item[i].kind]++;
  for (int kind = 1; kind < 4; kind++) left += count[kind] > 0;
  if (size > 0) text[0] = 0;
  for (int kind = 1; kind < 4 && used < size; kind++) {
    if (count[kind] == 0) continue;
    used += (size_t)snprintf(text + used, size - used, "%d %s%s", count[kind],
                             count[kind] == 1 ? one[kind] : many[kind],
                             --left > 1  ? ", "
                             : left == 1 ? " and "
                                         : "");
  }
}
