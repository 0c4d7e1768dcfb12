#include "solver/solver_table.h"

#include <string.h>

const SolverType *const solver_types[] = {&solver_nsgs, NULL};

const SolverType *solver_find(const char *name) {
  for (int k = 0; solver_types[k]; k++)
    if (strcmp(solver_types[k]->name, name) == 0) return solver_types[k];
  return NULL;
}
