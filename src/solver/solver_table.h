// solver/solver_table.h -- the rows of the table of solvers, one line each.
#ifndef SOLVER_SOLVER_TABLE_H
#define SOLVER_SOLVER_TABLE_H

#include "solver/problem.h"

extern const SolverType solver_auto;
extern const SolverType solver_nsgs;
extern const SolverType solver_psor;
extern const SolverType solver_jacobi;
extern const SolverType solver_nesterov;
extern const SolverType solver_extragradient;
extern const SolverType solver_proximal;
extern const SolverType solver_haslinger;
extern const SolverType solver_convex;
extern const SolverType solver_newton_ac;
extern const SolverType solver_newton_fb;
extern const SolverType solver_admm;
extern const SolverType solver_pcg;
extern const SolverType solver_ipm;
extern const SolverType solver_lemke;
extern const SolverType solver_qp;

#endif
