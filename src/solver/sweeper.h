// solver/sweeper.h -- contact after contact with the exact local solution: Gauss-Seidel sweeps.
//
// The engine of solver_nsgs and of those solvers that use sweeps as a start or a smoother. What
// does not change during a solve is prepared once. Sweeps allocate nothing.

#ifndef SOLVER_SWEEPER_H
#define SOLVER_SWEEPER_H

#include "solver/colouring.h"
#include "solver/local2.h"
#include "solver/local3.h"
#include "solver/problem.h"

// First full test of the error once the change of a sweep is this many tolerances: a test costs as
// much as half a sweep, and earlier ones never pass.
static const double FIRST_TEST = 10;

// Products of the last symmetric sweep that the next one needs again.
typedef struct {
  int64_t *middle;       // [n] first block of a row that stands right of the diagonal
  double *low;           // [n dim] b + the blocks left of it times r
  double *up, *up_older; // [n dim] the blocks right of it times the last two results
} SweepHalves;

typedef struct {
  const Problem *p;
  Local2 *local2;       // [n] of the effective block M D, in the plane
  Local3 *local3;       // [n] the same in space
  double *block;        // [n dim^2] effective block, NULL: diag itself
  double *inverse;      // [n dim^2] M = (I + D A)^-1, NULL when there is no parallel stiffness
  double *scale;        // [n] for the error
  const int32_t *order; // [n] contacts in the order of visits, NULL: natural
  int general;          // radius, shift, stiffness or a violated (33): the careful visit
  const Colouring *colouring; // NULL: one contact after another, on one thread
  const SweepHalves *halves;  // NULL: symmetric sweeps are two sweeps
} Sweeper;

// Fills report->condition_33.
Status sweeper_init(Sweeper *sweeper, const Problem *p, Arena *arena, SolverReport *report,
                    Err *err) MUST_CHECK;

// From now on sweeps go by colours, on all threads; not with an order of its own.
Status sweeper_colour(Sweeper *sweeper, Arena *arena, Err *err) MUST_CHECK;

// After the values of diag, mu or radius changed: prepares the contacts again; returns how many
// violate (33).
int sweeper_prepare(Sweeper *sweeper);

// All contacts once, in their order; returns sqrt(sum |r_new - r_old|^2 / sum |r_new|^2). Adds to
// report->blocks, sets report->no_local_solution.
double sweeper_sweep(const Sweeper *sweeper, double relaxation, double *r, SolverReport *report);
// The same in the opposite order.
double sweeper_sweep_back(const Sweeper *sweeper, double relaxation, double *r,
                          SolverReport *report);

// Symmetric sweeps, one forth and one back. Where contacts are visited in their natural order the
// half of the products that the way back shares with the way forth, and that the way forth shares
// with the last way back, are kept: the pair costs what one sweep does (Conrad and Wallach 1979).
// After sweeper_symmetric_init and _start(r) the start of each sweep must be
//     r = g + beta (g - older)
// with g and older the last two results (at first both are the r of _start, beta 0).
Status sweeper_symmetric_init(Sweeper *sweeper, Arena *arena, Err *err) MUST_CHECK;
void sweeper_symmetric_start(const Sweeper *sweeper, const double *r, SolverReport *report);
void sweeper_symmetric(const Sweeper *sweeper, double beta, double *r, SolverReport *report);

// The local solution of contact i for the impulses of the others: impulse r, unilateral element rho
// and its velocity u' (all [dim]); after operator_set. Returns the status, 0 open, 1 stick, 2 slip,
// -1 none.
typedef struct {
  double r[3], rho[3], u[3];
} LocalSolution;
int sweeper_solve_contact(const Sweeper *sweeper, int i, const double *r, LocalSolution *local);

// measure_error with its work counted in the report.
double sweeper_error(const Sweeper *sweeper, const double *r, SolverReport *report);

#endif
