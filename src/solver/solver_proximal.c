// The proximal point method around semi-smooth Newton steps, on its own: see proximal.h. The most
// robust member of the panel; `auto` falls back on it. An iteration is one regularised problem.

#include <math.h>
#include <string.h>

#include "solver/proximal.h"
#include "solver/solver_table.h"
#include "solver/watch.h"

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  Watch watch;
  Sweeper sweeper;
  Newton newton;
  Proximal proximal;
  double *next;
  TRY(watch_init(&watch, p, settings, r, arena, report, err));
  if (p->n == 0) {
    watch_finish(&watch, r);
    return OK;
  }
  TRY(sweeper_init(&sweeper, p, arena, report, err));
  TRY(newton_init(&newton, &sweeper, settings->kept, arena, err));
  TRY(proximal_init(&proximal, p, &newton, ALPHA_START, arena, err));
  ARENA_NEW(next, watch.size, arena, err);
  if (!newton.lu.made) {
    report->reason = "the factors would be too large";
    watch_finish(&watch, r);
    return OK;
  }
  double error = watch_test(&watch, r);
  while (watch_next(&watch)) {
    memcpy(next, r, watch.size * sizeof *next);
    int solved = proximal_step(&proximal, error, next, report);
    double found = watch_test(&watch, next);
    if (!solved) continue;
    error = found;
    memcpy(r, next, watch.size * sizeof *r);
  }
  watch_finish(&watch, r);
  return OK;
}

const SolverType solver_proximal = {
    .name = "proximal",
    .doc = "Proximal point method around regularised semi-smooth Newton steps",
    .max_iterations = 5000,
    .needs_blocks = 1,
    .solve = solve,
};
