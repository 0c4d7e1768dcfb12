// Block Jacobi with the exact solution of each contact for the last impulses of all others, damped
// by the spectrum of D^-1 W and mixed by Anderson's method. Nothing depends on the order of
// contacts.

#include <string.h>

#include "solver/anderson.h"
#include "solver/operator.h"
#include "solver/solver_table.h"
#include "solver/sweeper.h"
#include "solver/watch.h"

enum { TEST_EVERY = 5, MEMORY = 8 };

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  Watch watch;
  Sweeper sweeper;
  Anderson mix;
  double *g, *work;
  TRY(watch_init(&watch, p, settings, r, arena, report, err));
  TRY(sweeper_init(&sweeper, p, arena, report, err));
  int memory = settings->memory > 0 ? settings->memory : MEMORY;
  TRY(anderson_init(&mix, (int)watch.size, memory, arena, err));
  ARENA_NEW(g, watch.size, arena, err);
  ARENA_NEW(work, watch.size, arena, err);
  double damping = p->n > 0 ? settings->relaxation / watch_spectrum(&watch, g, work) : 1;
  size_t dim = (size_t)p->dim;
  while (watch_next(&watch)) {
    operator_set(p, r);
    for (int i = 0; i < p->n; i++) {
      LocalSolution local;
      sweeper_solve_contact(&sweeper, i, r, &local);
      for (size_t k = 0; k < dim; k++) {
        size_t at = (size_t)i * dim + k;
        g[at] = r[at] + damping * (local.r[k] - r[at]);
      }
    }
    report->blocks += operator_cost(p);
    int last = report->iterations == settings->max_iterations;
    if (report->iterations % TEST_EVERY == 0 || last) watch_test(&watch, g);
    anderson_step(&mix, r, g);
  }
  watch_finish(&watch, r);
  return OK;
}

static const ParamSpec params[] = {
    {"memory", PARAM_INTEGER, "1", "8", "[1,50]", NULL,
     "Steps that Anderson's mixing looks back on"},
};

const SolverType solver_jacobi = {
    .name = "jacobi",
    .doc =
        "Damped block Jacobi with the exact solution of each contact, mixed by Anderson's method",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .max_iterations = 20000,
    .pure_cone_only = 1,
    .solve = solve,
};
