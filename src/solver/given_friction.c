#include "solver/given_friction.h"

#include <math.h>
#include <string.h>

#include "solver/measure.h"
#include "solver/operator.h"

enum {
  MEMORY = 4, // of the mixing
  STEPS = 25  // of interior points for one problem, which take 11 to 13
};
static const double FAR = 0.1; // of the start from the impulses that gave the bounds
// Bounds of contacts that are open, over the mean: all that have friction have a disk.
static const double LEAST_BOUND = 1e-9;

Status given_friction_init(GivenFriction *of, const Problem *p, BlockLu *lu,
                           const SolverSettings *settings, Arena *arena, Err *err) {
  *of = (GivenFriction){.p = p, .given = *p};
  ARENA_NEW(of->mu, p->n, arena, err);
  ARENA_NEW(of->radius, p->n, arena, err);
  ARENA_NEW(of->bound, p->n, arena, err);
  ARENA_NEW(of->next, p->n, arena, err);
  of->given.mu = of->mu;
  of->given.radius = of->radius;
  TRY(anderson_init(&of->mix, p->n, MEMORY, arena, err));
  TRY(interior_init(&of->in, &of->given, lu, arena, err));
  of->in.settings = settings;
  return OK;
}

// What Coulomb's law lets friction of the impulses r be.
static void bounds_of(const Problem *p, const double *r, double *bound) {
  operator_set(p, r);
  for (int i = 0; i < p->n; i++) {
    double u[3], rho[3];
    operator_row(p, i, r, u);
    measure_unilateral(p, i, r, u, rho);
    bound[i] = p->mu[i] * fmax(rho[0], 0) + (p->radius ? p->radius[i] : 0);
  }
}

static void give_bounds(GivenFriction *of) {
  const Problem *p = of->p;
  double mean = 0;
  for (int i = 0; i < p->n; i++) mean += fmax(of->bound[i], 0) / p->n;
  for (int i = 0; i < p->n; i++) {
    int has_disk = p->mu[i] > 0 || (p->radius && p->radius[i] > 0);
    of->mu[i] = 0;
    of->radius[i] = has_disk ? fmax(of->bound[i], LEAST_BOUND * mean) : 0;
  }
}

int given_friction_step(GivenFriction *of, double *r, double enough, SolverReport *report) {
  bounds_of(of->p, r, of->next);
  report->blocks += operator_cost(of->p);
  if (of->started)
    anderson_step(&of->mix, of->bound, of->next);
  else
    memcpy(of->bound, of->next, (size_t)of->p->n * sizeof *of->bound);
  of->started = 1;
  give_bounds(of);
  interior_start_warm(&of->in, r, FAR, report);
  for (int k = 0; k < STEPS; k++) {
    report->iterations++;
    double length = interior_step(&of->in, report), error = interior_error(&of->in);
    if (!(length > 0) || !isfinite(error)) return 0;
    if (error > enough) continue;
    interior_impulses(&of->in, r);
    return 1;
  }
  return 0;
}
