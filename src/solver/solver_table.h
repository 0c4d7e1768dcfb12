// solver/solver_table.h -- the rows of the table of solvers, one line each.
#ifndef SOLVER_SOLVER_TABLE_H
#define SOLVER_SOLVER_TABLE_H

#include "solver/problem.h"

extern const SolverType solver_auto;
extern const SolverType solver_nsgs;

#endif
