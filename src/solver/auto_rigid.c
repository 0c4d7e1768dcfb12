// What `auto` does between rigid bodies: see standing.h.

#include <math.h>
#include <string.h>

#include "solver/auto.h"

enum {
  SETTLE_TIMES = 3,    // that what stands is settled, as long as each brings a digit
  SETTLE_AGAIN = 4,    // times that what left its cones is put back and settled once more
  BALANCE_STEPS = 200, // of alternating directions at most
  BALANCE_LOOK = 5,    // steps of them between two tests
  BALANCE_WORTH = 4,   // factors that those still to come may cost
};

// Error at which bodies are at rest: reactions are right to 1e-8, and below it round-off is near.
static const double AT_REST = 3e-10, REST_ENOUGH = 1e-10;
// The same of velocities, where bodies are heavy or high: a wall of 80 courses that keeps impulses
// of more bears its weight to 4e-8.
static const double STILL = 1e-9;
// Error below which bodies stand but for slow motions: soft ones are settled to the end.
static const double STANDS = 1e-4;
static const double SETTLES = 0.1;       // factor on the error of settled impulses that counts
static const double SHARPER = 0.1;       // of the tolerance, for a start that settles
static const double SHARPER_GOAL = 0.03; // the same of alternating directions, time after time
// Of the tolerance, for bodies that move: without it a wall that is hit is given 1.2 % of its
// energy (virtual_masonry.xml).
static const double MOVING_SHARE = 0.2;
// Impulses over velocities of the bodies from which forces are many. Eight points hold a block
// between two tools that are pushed: sweeps leave all of it to one pair, about which it turns and
// falls, as rigid bodies may.
static const double MANY_FORCES = 1.25;
static const double FAR_OFF = 0.5; // error from which the last impulses are no start for sweeps

// Settled impulses g that have left their cones, put back there and settled once more, until their
// error is below `goal`: what they lack then is as small as what was put back. Returns it.
static double settle_again(AutoDriver *driver, double goal) {
  double error = (double)INFINITY;
  for (int k = 0; k < SETTLE_AGAIN && !(error < goal); k++) {
    double *settled = driver->step;
    driver->report->iterations++;
    standing_put_back(&driver->standing, driver->g);
    if (!standing_settle(&driver->standing, driver->g, settled, driver->report))
      return (double)INFINITY;
    standing_settle_sway(&driver->standing, settled, driver->report);
    error = auto_test(driver, settled);
    driver->step = driver->g;
    driver->g = settled;
  }
  return error;
}

// Tests what was settled, g. Soft motions that it has left are settled too, and of impulses as good
// as they can be those without them are the best. *soft: had it left any?
static double test_settled(AutoDriver *driver, double last, int *soft) {
  double error = auto_test(driver, driver->g);
  *soft = last <= STANDS && (error < last || standing_is_delicate(&driver->standing)) &&
          standing_settle_sway(&driver->standing, driver->g, driver->report);
  if (!*soft) return error;
  error = judge_error(&driver->judge, driver->g, driver->report);
  if (error <= REST_ENOUGH) driver->best_error = (double)INFINITY;
  auto_keep(driver, driver->g, error);
  return error;
}

// The best settled, as long as that brings much. Returns its error over that before.
static double settle_best(AutoDriver *driver) {
  Standing *standing = &driver->standing;
  double before = driver->best_error, last = before;
  for (int k = 0; k < SETTLE_TIMES; k++) {
    int soft;
    driver->report->iterations++;
    if (!standing_settle(standing, driver->best, driver->g, driver->report)) break;
    double error = test_settled(driver, last, &soft), goal = SETTLES * last;
    if (!(error < goal) && (soft || standing_is_delicate(standing)))
      error = settle_again(driver, goal);
    if (!(error < goal) || error <= REST_ENOUGH) break;
    last = error;
  }
  return driver->best_error / before;
}

// Alternating directions to the error `goal`, as long as they promise to cost a few factors; 0:
// they do not. *steps: since they began; *last: error at the last look.
static int balance_to(AutoDriver *driver, double goal, int *steps, double *last) {
  SolverReport *report = driver->report;
  int64_t start = report->blocks;
  for (int k = 1; *steps < BALANCE_STEPS && report->iterations < driver->settings->max_iterations;
       k++) {
    standing_step(&driver->standing, report);
    report->iterations++;
    if (++*steps % BALANCE_LOOK) continue;
    double error = auto_test(driver, driver->standing.z), fall = error / *last;
    double cost = (double)(report->blocks - start) / k;
    double left = fall < 1 ? BALANCE_LOOK * log(goal / error) / log(fall) : (double)INFINITY;
    *last = error;
    if (error <= goal) return 1;
    if (*steps > BALANCE_LOOK && left * cost > BALANCE_WORTH * (double)driver->rigid_cost) return 0;
  }
  return 0;
}

// Alternating directions from the best until it can be settled at rest: to the tolerance, and
// beyond it where that is too far off. Large walls need more digits than small ones.
static void balance(AutoDriver *driver) {
  double goal = driver->settings->tolerance, last = driver->best_error;
  int steps = 0;
  driver->settled = 0;
  if (!standing_start(&driver->standing, driver->best, driver->report)) return;
  for (int more = 1; more;) {
    more = balance_to(driver, goal, &steps, &last);
    if (!(last <= driver->settings->tolerance)) return;
    driver->settled |= settle_best(driver) < SETTLES;
    if (driver->best_error <= AT_REST || !standing_go_on(&driver->standing, driver->report)) return;
    goal *= SHARPER_GOAL;
  }
}

// What stands, before any sweep. Impulses that are as good as they can be stay as they are.
static Status standing_phase(AutoDriver *driver, Arena *arena, Err *err) {
  const Problem *p = driver->p;
  int n_bodies;
  TRY(body_system_count(p, &n_bodies, arena, err));
  driver->rigid = p->n * p->dim >= MANY_FORCES * n_bodies * p->bodies.n_modes;
  if (!driver->rigid) return OK;
  double first = auto_test(driver, driver->x);
  if (first <= AT_REST && driver->judge.velocity <= STILL) return OK;
  Standing *standing = &driver->standing;
  TRY(standing_init(standing, p, driver->sweeper.scale, driver->settings->kept, arena, err));
  driver->rigid = standing->system.lu.made;
  if (!driver->rigid) return OK;
  driver->rigid_cost = body_system_cost(&standing->system);
  standing->clears = !(first < 1);
  driver->settles = !(first < 1) || settle_best(driver) < SETTLES;
  driver->settled = auto_done(driver);
  if (auto_done(driver) || driver->best_error < FAR_OFF) return OK;
  balance(driver);
  if (driver->settled) return OK;
  // What can be settled from is worth more than what will do for this step.
  double wanted = SHARPER * fmin(driver->best_error, driver->settings->tolerance);
  TRY(auto_interior(driver, wanted, arena, err));
  return OK;
}

// Where nothing could be settled bodies move, and what their impulses lack is energy that comes in
// or goes: swept to a share of the tolerance, if that can be had.
static Status sweep_what_moves(AutoDriver *driver, Arena *arena, Err *err) {
  const SolverSettings *settings = driver->settings;
  SolverSettings strict = *settings;
  if (!driver->settles) strict.tolerance *= MOVING_SHARE;
  driver->settings = &strict;
  Status status = auto_sweeps(driver, arena, err);
  driver->settings = settings;
  return status;
}

Status auto_rigid(AutoDriver *driver, int *tried, Arena *arena, Err *err) {
  TRY(standing_phase(driver, arena, err));
  *tried = driver->rigid;
  if (!driver->rigid) return OK;
  memcpy(driver->x, driver->best, driver->size * sizeof *driver->x);
  if (!auto_done(driver)) TRY(sweep_what_moves(driver, arena, err));
  if (!auto_done(driver) && driver->rigid)
    TRY(auto_interior(driver, driver->settings->tolerance, arena, err));
  if (auto_converged(driver) && driver->settles && !driver->settled) settle_best(driver);
  driver->rigid = 0;
  memcpy(driver->x, driver->best, driver->size * sizeof *driver->x);
  return OK;
}
