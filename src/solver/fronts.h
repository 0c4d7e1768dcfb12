// solver/fronts.h -- the factors of block_lu.h in dense fronts, for patterns that fill.
//
// Multifrontal (Duff and Reid 1983): contacts that have nearly the same neighbours behind them are
// eliminated together; what a front leaves for the contacts behind it goes to its parent. Products
// of whole panels are several times faster than single blocks where fronts are large, and slower
// where they are a few contacts.

#ifndef SOLVER_FRONTS_H
#define SOLVER_FRONTS_H

#include "solver/problem.h"

// Block e of row `contact` goes to place `to` of the front that eliminates it (e = -1: the diagonal
// one).
typedef struct {
  int64_t e;
  int32_t contact, to;
} FrontEntry;

typedef struct {
  int dim, n;
  int32_t *perm, *place; // [n] contact at a place, place of a contact
  int64_t entries;       // blocks below the diagonal of L
  int64_t updates;       // block products of one full factorisation: its cost
  // Fronts, children before their parents. A front has the pivots [first[f], first[f+1]) and the
  // places behind them that these reach, row[row_ptr[f] .. row_ptr[f+1]), increasing.
  int n_fronts;
  int32_t *first, *parent;  // [n_fronts + 1], [n_fronts] (n_fronts: none)
  int64_t *row_ptr;         // [n_fronts + 1]
  int32_t *row, *in_parent; // [row_ptr[n_fronts]] places; their position in the front of the parent
  int64_t *entry_ptr;       // [n_fronts + 1]
  FrontEntry *entry;
  int64_t *l_at, *u_at; // [n_fronts + 1] where a front's numbers start
  double *l, *u; // rows behind the pivots x pivots; pivots x all. NULL: too large, nothing is made
  double *inverse;        // [n * dim * dim] of the diagonal blocks of U
  uint8_t *live;          // [n * dim] by places; 0: the row is empty
  double *front[2];       // the front being made, the one before
  double *stack;          // what children have left
  double *panel, *square; // scratch of a front: L of a panel, its square
  uint8_t *front_live;    // scratch: `live` of a front's rows
  int32_t *waiting;       // [n_fronts] scratch: fronts on the stack
  int32_t *list, *count;  // scratch: rows, pivots; counting numbers from 0
  int64_t widest;         // numbers in a row of the widest front, and the room behind them
  double *x;              // [n * dim + 3 * widest] scratch of the solve
} Fronts;

// Analyses the pattern of p, eliminated about in the order perm [n]. Memory from the arena. Where
// the factors would hold more than `largest` blocks nothing is made and lu->l stays NULL.
Status fronts_init(Fronts *lu, const Problem *p, const int32_t *perm, int64_t largest, Arena *arena,
                   Err *err) MUST_CHECK;

// As block_lu_factor and block_lu_solve.
int fronts_factor(Fronts *lu, const Problem *p, const double *left, const double *right,
                  int64_t *blocks);

void fronts_solve(const Fronts *lu, const double *b, double *x);

// Numbers in a row of a front of n contacts: room for a whole vector behind the last.
enum { FRONT_PAD = 8, FRONT_PANEL = 32 };
static inline int64_t front_step(int dim, int64_t n) {
  return (n * dim + 2 * FRONT_PAD - 1) / FRONT_PAD * FRONT_PAD;
}

// Is the parent of front f the next one? What it leaves stays where it is until then.
static inline int front_leads_on(const Fronts *lu, int f) {
  return lu->parent[f] == f + 1 && f + 1 < lu->n_fronts;
}

// Parents [n] of the columns of a symmetric pattern in the order perm, place its inverse; n: none
// (Liu 1990). ancestor [n] is room.
void elimination_tree(int n, const int32_t *perm, const int32_t *place, const Problem *p,
                      int32_t *parent, int32_t *ancestor);

#endif
