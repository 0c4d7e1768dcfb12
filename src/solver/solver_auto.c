// The driver that picks and changes methods by itself. It decides on residuals and counted work
// only, so that equal problems give equal bits on any machine.
//
// 1. Gauss-Seidel sweeps mixed by Anderson's method: nothing is cheaper while they converge. Large
//    problems are swept colour by colour, on all threads.
//    Where all bodies are rigid and forces are far from unique (walls), two things come before:
//    impulses that settle the bodies without a change of status, and from nothing alternating
//    directions, both in the velocities of the bodies (standing.h). Whatever ends the others, there
//    it is settled too: what is left over would have to be solved for in the next step.
// 2. Where these are slow and a factorisation costs more than some dozen sweeps (high walls, many
//    contacts a body): symmetric sweeps with momentum (momentum.h).
//    Contacts that hold the error up while it is small elsewhere are swept by themselves (part.h).
// 3. When the rate of the last sweeps promises more work than some dozen factorisations, interior
//    points (solver_ipm.c), which never guess a status; for pure cones only, and not always to the
//    end. Between rigid bodies their factors are small, and they come before momentum.
// 4. Then regularised Newton steps on all contacts (newton.h): ridge and acceptance as Levenberg
//    and Marquardt, each followed by two sweeps that settle the statuses. The error may rise for a
//    while (statuses change one after another along a valley where no monotone method gets
//    through); the best is kept.
// 5. Where these stall, the proximal point method (proximal.h), which ends with the iterations.

#include <math.h>
#include <string.h>

#include "solver/auto.h"
#include "solver/measure.h"
#include "solver/operator.h"
#include "solver/solver_table.h"
#include "solver/watch.h"

enum {
  FIRST_LOOK = 15,       // sweeps before the first one
  MOMENTUM_LOOK = 100,   // the same with momentum, which needs time to build up
  MOMENTUM_WORTH = 60,   // sweeps left from which the momentum may win
  FACTOR_SWEEPS = 25,    // sweeps a Newton step must cost to come after the momentum
  INTERIOR_STEPS = 80,   // of the interior points at most
  RIGID_STEPS = 50,      // the same between rigid bodies, which need 15 to 40
  STALLED_LOOKS = 3,     // looks in a row that must find the sweeps too slow
  GUESS_STEPS = 100,     // Newton steps a solution is thought to need
  STEP_SWEEPS = 2,       // sweeps after a Newton step
  STALL_STEPS = 40,      // Newton steps without progress before the proximal point method
  PROXIMAL_STALL = 200,  // proximal steps without progress that end it all: the rocks once need 79
  FLOOR_STALL = 4,       // the same where the error is one of round-off
  LONGEST_PAUSE = 50,    // sweeps without a test
  INTERIOR_FACTORS = 20, // that interior points are thought to need between rigid bodies
};

static const double MOMENTUM_SHARE = 0.3; // of Newton's work that the momentum may take at least
static const double PROGRESS = 0.8;       // factor on the best error that counts as progress
static const double ROUND_OFF = 10;       // errors below this many times their bound are round-off
static const double RIDGE_START = 1e-3, RIDGE_LEAST = 1e-12, RIDGE_MOST = 10;
static const double GOOD_STEP = 0.5;    // factor on the error that lets the ridge shrink fast
static const double SLACK = 1.5;        // by how much the error may rise in one step ...
static const double WORST_RISE = 1e4;   // ... and over the best in all
static const double SCALED_SHARE = 0.1; // of the tolerance over the softness, on the scaled error
// Blocks that the last resort may cost whatever came before, some ten milliseconds. Else no more
// than all of that: half the steps on which interior points fail it does not end either, and for
// those that it does it takes more blocks than further starts of theirs.
static const int64_t LAST_RESORT = 10000000;

int auto_converged(const AutoDriver *driver) {
  return driver->best_error <= driver->settings->tolerance && driver->means_something;
}

int auto_done(const AutoDriver *driver) {
  const SolverReport *report = driver->report;
  return auto_converged(driver) || report->iterations >= driver->settings->max_iterations ||
         report->blocks >= driver->most_blocks;
}

void auto_keep(AutoDriver *driver, const double *r, double error) {
  if (!judge_is_better(&driver->judge, r, error, driver->best_error, &driver->means_something))
    return;
  driver->best_error = error;
  memcpy(driver->best, r, driver->size * sizeof *r);
}

double auto_test(AutoDriver *driver, const double *r) {
  double error = judge_error(&driver->judge, r, driver->report);
  auto_keep(driver, r, error);
  return error;
}

// Blocks that the sweeps still need at the rate of the last window: that of the smallest change of
// a sweep in it, as single changes and errors of mixed sweeps go up and down.
static double work_left(const AutoDriver *driver, double change_before, double change,
                        double error) {
  double rate = log(change / change_before) / AUTO_WINDOW;
  if (!(rate < 0)) return (double)INFINITY;
  return log(driver->settings->tolerance / error) / rate * AUTO_MIX_COST *
         (double)driver->sweep_cost;
}

// Before the pattern is analysed, the least that the steps can cost: factors for nothing.
static double newton_work(const AutoDriver *driver) {
  if (!driver->newton_ready) return GUESS_STEPS * (double)((STEP_SWEEPS + 4) * driver->sweep_cost);
  if (!driver->newton.lu.made) return (double)INFINITY;
  return GUESS_STEPS * (double)driver->step_cost;
}

// A factorisation costs so much that sweeps of another kind come first.
static int momentum_is_cheaper(const AutoDriver *driver) {
  return driver->newton_ready && driver->step_cost > FACTOR_SWEEPS * driver->sweep_cost;
}

// Factors want blocks, and what follows them goes by these too.
static Status make_blocks(AutoDriver *driver, Arena *arena, Err *err) {
  if (!operator_by_bodies(driver->p)) return OK;
  TRY(operator_blocks(driver->p, &driver->whole, arena, err));
  driver->p = driver->sweeper.p = driver->judge.p = driver->judge.def.p = &driver->whole;
  driver->sweep_cost = operator_cost(driver->p);
  return OK;
}

Status auto_prepare_newton(AutoDriver *driver, Arena *arena, Err *err) {
  if (driver->newton_ready) return OK;
  TRY(make_blocks(driver, arena, err));
  TRY(newton_init(&driver->newton, &driver->sweeper, driver->settings->kept, arena, err));
  driver->newton_ready = 1;
  driver->step_cost = driver->newton.lu.updates + (STEP_SWEEPS + 4) * driver->sweep_cost;
  return OK;
}

// When an iterate of a phase of sweeps is to be tested, and what its tests tell.
typedef struct {
  double factor;      // error over change, as last seen
  double before, low; // smallest change of a sweep in the last window and in this one
  int last_test, last_look, stalled;
} Pace;

static Pace pace_start(void) {
  return (Pace){.factor = 1 / FIRST_TEST, .before = (double)INFINITY, .low = (double)INFINITY};
}

// Tests g after the k-th sweep of the phase when it is due; *left: work that is left at the rate of
// the last window, at a look (from sweep `patience` on); -1 else.
static void pace_test(AutoDriver *driver, Pace *pace, int k, int patience, double change,
                      double *left) {
  const SolverSettings *settings = driver->settings;
  pace->low = fmin(pace->low, change);
  *left = -1;
  int last = driver->report->iterations >= settings->max_iterations;
  int look = k >= patience && k - pace->last_look >= AUTO_WINDOW;
  int due = change * pace->factor <= settings->tolerance &&
            (pace->last_test == 0 || k - pace->last_test >= AUTO_PAUSE);
  if (!due && !look && !last && k - pace->last_test < LONGEST_PAUSE) return;
  double error = auto_test(driver, driver->g);
  if (change > 0) pace->factor = error / change;
  pace->last_test = k;
  if (!look || auto_done(driver)) return;
  *left = work_left(driver, pace->before, pace->low, error);
  pace->last_look = k;
  pace->before = pace->low;
  pace->low = (double)INFINITY;
}

// ---- sweeps and what follows them ---------------------------------------------------------------

Status auto_sweeps(AutoDriver *driver, Arena *arena, Err *err) {
  SolverReport *report = driver->report;
  Pace pace = pace_start();
  anderson_restart(&driver->mix);
  for (int k = 1; !auto_done(driver); k++) {
    double left;
    memcpy(driver->g, driver->x, driver->size * sizeof *driver->g);
    double change =
        sweeper_sweep(&driver->sweeper, driver->settings->relaxation, driver->g, report);
    report->iterations++;
    pace_test(driver, &pace, k, FIRST_LOOK, change, &left);
    if (auto_done(driver)) return OK;
    if (left >= 0 && driver->rigid) {
      if (left > INTERIOR_FACTORS * (double)driver->rigid_cost) return OK;
    } else if (left >= 0) {
      if (left > MOMENTUM_WORTH * (double)driver->sweep_cost) {
        TRY(auto_prepare_newton(driver, arena, err));
        if (momentum_is_cheaper(driver)) return OK;
      }
      pace.stalled = left > newton_work(driver) ? pace.stalled + 1 : 0;
      if (pace.stalled >= STALLED_LOOKS) return OK;
    }
    anderson_step(&driver->mix, driver->x, driver->g);
  }
  return OK;
}

Status auto_interior(AutoDriver *driver, double tolerance, Arena *arena, Err *err) {
  const Problem *p = driver->p;
  SolverReport *report = driver->report, inner;
  if (solver_accepts(&solver_ipm, p, NULL) != OK) return OK;
  SolverSettings settings = *driver->settings;
  int left = settings.max_iterations - report->iterations;
  int most = driver->rigid ? RIGID_STEPS : INTERIOR_STEPS;
  settings.max_iterations = left < most ? left : most;
  settings.relaxation = 1;
  settings.tolerance = tolerance;
  memcpy(driver->g, driver->best, driver->size * sizeof *driver->g);
  TRY(solver_ipm.solve(p, &settings, driver->g, arena, &inner, err));
  report->iterations += inner.iterations;
  report->blocks += inner.blocks;
  auto_test(driver, driver->g);
  return OK;
}

// Symmetric sweeps with momentum from the best iterate. Returns when done, or when they have cost a
// good part of what Newton's method may, and promise to cost more.
static Status momentum_phase(AutoDriver *driver, Arena *arena, Err *err) {
  SolverReport *report = driver->report;
  Pace pace = pace_start();
  int64_t start = report->blocks;
  memcpy(driver->x, driver->best, driver->size * sizeof *driver->x);
  TRY(momentum_init(&driver->momentum, (int)driver->size, arena, err));
  TRY(sweeper_symmetric_init(&driver->sweeper, arena, err));
  momentum_start(&driver->momentum, driver->x);
  sweeper_symmetric_start(&driver->sweeper, driver->x, report);
  for (int k = 2; !auto_done(driver); k += 2) {
    double left;
    memcpy(driver->g, driver->x, driver->size * sizeof *driver->g);
    sweeper_symmetric(&driver->sweeper, driver->momentum.beta, driver->g, report);
    report->iterations += 2;
    double change = momentum_step(&driver->momentum, driver->x, driver->g);
    pace_test(driver, &pace, k, MOMENTUM_LOOK, change, &left);
    if (left < 0) continue;
    int dear = (double)(report->blocks - start) > MOMENTUM_SHARE * newton_work(driver);
    pace.stalled = dear && left > newton_work(driver) ? pace.stalled + 1 : 0;
    if (pace.stalled >= STALLED_LOOKS) return OK;
  }
  return OK;
}

// One regularised step from x and the sweeps behind it, into g; returns its error, infinite when
// the matrix was singular.
static double try_step(AutoDriver *driver, double ridge) {
  SolverReport *report = driver->report;
  report->iterations++;
  if (!newton_step(&driver->newton, driver->x, ridge, driver->step, report))
    return (double)INFINITY;
  for (size_t k = 0; k < driver->size; k++) driver->g[k] = driver->x[k] + driver->step[k];
  for (int s = 0; s < STEP_SWEEPS; s++) sweeper_sweep(&driver->sweeper, 1, driver->g, report);
  double error = auto_test(driver, driver->g);
  return isfinite(error) ? error : (double)INFINITY;
}

// Regularised steps from the best iterate until they are done or stall.
static void newton_phase(AutoDriver *driver) {
  double mark = driver->best_error, error = mark, ridge = RIDGE_START;
  int since = 0;
  memcpy(driver->x, driver->best, driver->size * sizeof *driver->x);
  while (!auto_done(driver) && since < STALL_STEPS) {
    double next = try_step(driver, ridge);
    since++;
    if (driver->best_error < PROGRESS * mark) {
      mark = driver->best_error;
      since = 0;
    }
    if (next < SLACK * error && next < WORST_RISE * driver->best_error) {
      double *swap = driver->x;
      driver->x = driver->g;
      driver->g = swap;
      ridge = fmax(RIDGE_LEAST, ridge * (next < GOOD_STEP * error ? 0.1 : 0.5));
      error = next;
    } else {
      ridge = fmin(RIDGE_MOST, 8 * ridge);
    }
  }
}

static int at_round_off(const AutoDriver *driver) {
  return driver->best_error <= ROUND_OFF * judge_round_off(&driver->judge, driver->best);
}

// Outer steps from the best iterate. Their errors need not fall: the method may leave a place where
// there nearly is a solution. It gives up where they have not fallen for long, or cannot.
static Status proximal_phase(AutoDriver *driver, Arena *arena, Err *err) {
  SolverReport *report = driver->report;
  double error = driver->best_error;
  memcpy(driver->x, driver->best, driver->size * sizeof *driver->x);
  TRY(proximal_init(&driver->proximal, driver->p, &driver->newton, ALPHA_START, arena, err));
  double mark = driver->best_error;
  for (int since = 0; !auto_done(driver) && since < PROXIMAL_STALL; since++) {
    report->iterations++;
    memcpy(driver->g, driver->x, driver->size * sizeof *driver->g);
    int solved = proximal_step(&driver->proximal, error, driver->g, report);
    double next = auto_test(driver, driver->g);
    if (driver->best_error < PROGRESS * mark) {
      mark = driver->best_error;
      since = 0;
    }
    if (since >= FLOOR_STALL && at_round_off(driver)) {
      report->reason = "the tolerance is below what round-off lets anyone reach";
      return OK;
    }
    if (!solved) continue;
    error = next;
    memcpy(driver->x, driver->g, driver->size * sizeof *driver->x);
  }
  return OK;
}

static Status driver_init(AutoDriver *driver, const double *r, Arena *arena, Err *err) {
  const Problem *p = driver->p;
  driver->size = (size_t)p->n * (size_t)p->dim;
  driver->sweep_cost = operator_cost(p);
  driver->best_error = (double)INFINITY;
  driver->most_blocks = INT64_MAX;
  TRY(sweeper_init(&driver->sweeper, p, arena, driver->report, err));
  TRY(judge_init(&driver->judge, p, driver->settings, driver->sweeper.scale, arena, err));
  TRY(anderson_init(&driver->mix, (int)driver->size, AUTO_MEMORY, arena, err));
  if (problem_for_threads(p)) TRY(sweeper_colour(&driver->sweeper, arena, err));
  ARENA_NEW(driver->best, driver->size, arena, err);
  ARENA_NEW(driver->x, driver->size, arena, err);
  ARENA_NEW(driver->g, driver->size, arena, err);
  ARENA_NEW(driver->step, driver->size, arena, err);
  memcpy(driver->x, r, driver->size * sizeof *r);
  memcpy(driver->best, r, driver->size * sizeof *r);
  return OK;
}

// Sweeps, momentum, interior points on cones, Newton's method, one after the other.
static Status general_phases(AutoDriver *driver, Arena *arena, Err *err) {
  int rigid = 0;
  if (body_system_takes(driver->p)) TRY(auto_rigid(driver, &rigid, arena, err));
  if (auto_done(driver)) return OK;
  TRY(auto_sweeps(driver, arena, err));
  if (!auto_done(driver) && momentum_is_cheaper(driver)) TRY(momentum_phase(driver, arena, err));
  if (!auto_done(driver) && !rigid)
    TRY(auto_interior(driver, driver->settings->tolerance, arena, err));
  if (!auto_done(driver)) newton_phase(driver);
  if (!auto_done(driver)) TRY(proximal_phase(driver, arena, err));
  return OK;
}

static int64_t most_of_last_resort(int64_t before) {
  return before > LAST_RESORT ? before : LAST_RESORT;
}

// The same to a scaled error that is as small as the rigid motions are soft: dear, and the last
// resort: where interior points have been tried, within bounds.
static Status by_scaled_error(AutoDriver *driver, const double *start, Arena *arena, Err *err) {
  const SolverSettings *settings = driver->settings;
  SolverSettings strict = *settings;
  double *kept, kept_error = driver->best_error;
  int kept_means = driver->means_something;
  ARENA_NEW(kept, driver->size, arena, err);
  memcpy(kept, driver->best, driver->size * sizeof *kept);
  memcpy(driver->x, start, driver->size * sizeof *start);
  strict.tolerance = settings->tolerance * fmin(1, SCALED_SHARE / driver->judge.def.softness);
  if (driver->newton.lu.made && !driver->p->item)
    driver->most_blocks = driver->report->blocks + most_of_last_resort(driver->report->blocks);
  driver->settings = &strict;
  driver->judge.by_deformation = 0;
  driver->best_error = (double)INFINITY;
  Status status = general_phases(driver, arena, err);
  memcpy(driver->g, driver->best, driver->size * sizeof *driver->g);
  memcpy(driver->best, kept, driver->size * sizeof *kept);
  driver->settings = settings;
  driver->judge.by_deformation = 1;
  driver->best_error = kept_error;
  driver->means_something = kept_means;
  if (status == OK) auto_test(driver, driver->g);
  return status;
}

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  *report = (SolverReport){0};
  if (p->n == 0) {
    report->converged = 1;
    return OK;
  }
  AutoDriver driver = {.p = p, .settings = settings, .report = report};
  TRY(driver_init(&driver, r, arena, err));
  if (driver.judge.by_deformation) {
    TRY(auto_deformation(&driver, r, arena, err));
    if (!auto_done(&driver) && at_round_off(&driver))
      report->reason = "the tolerance is below what round-off lets anyone reach";
    else if (!auto_done(&driver))
      TRY(by_scaled_error(&driver, r, arena, err));
  } else {
    TRY(general_phases(&driver, arena, err));
  }
  memcpy(r, driver.best, driver.size * sizeof *r);
  report->error = driver.best_error;
  report->converged = auto_converged(&driver);
  if (!driver.means_something) judge_tell_runaway(&driver.judge, r, driver.best_error, report);
  if (!report->converged && report->no_local_solution > 0)
    report->reason = "contacts without a solution of their own: their friction is too high";
  return OK;
}

const SolverType solver_auto = {
    .name = "auto",
    .doc = "Accelerated sweeps, then regularised Newton steps where these stall; picks by itself",
    .max_iterations = 10000,
    .solve = solve,
};
