// solver/proximal.h -- the proximal point method around semi-smooth Newton.
//
// r_k+1 solves the problem with W + alpha D instead of W and b - alpha D r_k instead of b (D the
// diagonal blocks): each of these has a well-conditioned matrix, so that Newton's method with a
// line search gets through, and their solutions converge to one of the problem itself (Rockafellar
// 1976; for friction Acary, Bremond and Huber 2018). alpha falls while the inner problems are easy.

#ifndef SOLVER_PROXIMAL_H
#define SOLVER_PROXIMAL_H

#include "solver/newton.h"

// alpha of the first step: a tenth of the diagonal blocks leaves Newton's method few iterations.
static const double ALPHA_START = 0.1;

typedef struct {
  const Problem *original;
  Problem p; // with diag and b of the regularised problem
  double *diag, *b;
  Sweeper sweeper; // of the regularised problem
  Newton *newton;  // borrowed: lends its factors while a step is made
  double alpha;
  double *y, *g, *step, *best; // [n dim]
  double *last;                // [n dim] centre of the last step that was solved
  int has_last;
} Proximal;

Status proximal_init(Proximal *proximal, const Problem *p, Newton *newton, double alpha,
                     Arena *arena, Err *err) MUST_CHECK;

// One outer step from r, whose error in the original problem is `error`, in whatever measure. On
// success r is the solution of the regularised problem (to a tenth of that error, and of the scaled
// one) and 1 is returned; otherwise r is the best iterate found and 0 is returned. alpha is adapted
// either way.
int proximal_step(Proximal *proximal, double error, double *r, SolverReport *report);

#endif
