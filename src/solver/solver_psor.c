// Projected successive over-relaxation: contact after contact one projected step with the latest
// impulses (Siconos' "projection on cone" Gauss-Seidel; De Saxce and Feng 1998 for the step), mixed
// by Anderson's method. Cheaper per contact than an exact solution, and blind to anisotropic
// blocks.

#include <string.h>

#include "solver/anderson.h"
#include "solver/operator.h"
#include "solver/solver_table.h"
#include "solver/watch.h"

enum { TEST_EVERY = 5, MEMORY = 5 };

static void sweep(Watch *watch, double relaxation, double *r) {
  const Problem *p = watch->p;
  size_t dim = (size_t)p->dim;
  operator_set(p, r);
  for (int i = 0; i < p->n; i++) {
    double u[3], z[3];
    operator_row(p, i, r, u);
    watch_project(p, i, relaxation * watch->scale[i], r + (size_t)i * dim, u, z);
    operator_move(p, i, z, r);
  }
  watch->report->blocks += operator_cost(p);
}

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  Watch watch;
  Anderson mix;
  double *g;
  TRY(watch_init(&watch, p, settings, r, arena, report, err));
  int memory = settings->memory > 0 ? settings->memory : MEMORY;
  TRY(anderson_init(&mix, (int)watch.size, memory, arena, err));
  ARENA_NEW(g, watch.size, arena, err);
  while (watch_next(&watch)) {
    memcpy(g, r, watch.size * sizeof *g);
    sweep(&watch, settings->relaxation, g);
    int last = report->iterations == settings->max_iterations;
    if (report->iterations % TEST_EVERY == 0 || last) watch_test(&watch, g);
    anderson_step(&mix, r, g);
  }
  watch_finish(&watch, r);
  return OK;
}

static const ParamSpec params[] = {
    {"memory", PARAM_INTEGER, "1", "5", "[1,50]", NULL,
     "Sweeps that Anderson's mixing looks back on"},
};

const SolverType solver_psor = {
    .name = "psor",
    .doc = "Projected over-relaxation, mixed by Anderson's method",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .max_iterations = 20000,
    .pure_cone_only = 1,
    .solve = solve,
};
