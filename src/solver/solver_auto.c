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

#include "solver/anderson.h"
#include "solver/given_friction.h"
#include "solver/interior.h"
#include "solver/measure.h"
#include "solver/momentum.h"
#include "solver/operator.h"
#include "solver/part.h"
#include "solver/proximal.h"
#include "solver/solver_table.h"
#include "solver/standing.h"
#include "solver/watch.h"

enum {
  MEMORY = 3,            // of the mixing: more cost more than they save on walls
  WINDOW = 15,           // sweeps between two looks at the rate
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
  SHORTEST_PAUSE = 3,    // sweeps between a test that failed and the next
  MOST_SWEEPS = 60,      // sweeps left that are waited for whatever factors cost
  INTERIOR_GUESS = 10,   // factors that interior points are thought to need
  FEW_WORK = 10,         // sweeps that those of a few contacts may cost
  ACTIVE_STEPS = 3,      // Newton steps with given statuses, as long as they lead on
  SETTLE_TIMES = 3,      // that what stands is settled, as long as each brings a digit
  BALANCE_STEPS = 200,   // of alternating directions at most
  BALANCE_LOOK = 5,      // steps of them between two tests
  BALANCE_WORTH = 4,     // factors that those still to come may cost
  INTERIOR_FACTORS = 20, // that interior points are thought to need between rigid bodies
  MANY_FORCES = 2,       // impulses over velocities of the bodies from which forces are many
  SETTLE_STEPS = 2,      // Newton steps that better the statuses of interior points
  SMOOTHING = 2,         // sweeps behind a correction: after one the arch is 1.6 times as far off
  MOST_FOLDS = 4,        // of their path that are followed
  MOST_BOUNDS = 12,      // times that bounds of friction are given, and
  BOUNDS_STALL = 4,      // in a row that do not better what there is
  WARM_STEPS = 20,       // interior points from the last step, and
  COLD_STEPS = 40        // from nothing
};

static const double MOMENTUM_SHARE = 0.3; // of Newton's work that the momentum may take at least
static const double MIX_COST = 1.5;       // a mixed sweep in plain sweeps
static const double PROGRESS = 0.8;       // factor on the best error that counts as progress
static const double ROUND_OFF = 10;       // errors below this many times their bound are round-off
static const double RIDGE_START = 1e-3, RIDGE_LEAST = 1e-12, RIDGE_MOST = 10;
static const double GOOD_STEP = 0.5;  // factor on the error that lets the ridge shrink fast
static const double SLACK = 1.5;      // by how much the error may rise in one step ...
static const double WORST_RISE = 1e4; // ... and over the best in all
static const double STIFF = 20; // rigid motions over elasticity from which sweeps are not tried
static const double ERROR_OF_CHANGE = 3; // error over the change of a sweep, until it is known
// Contacts whose part of the error squared is more than this share of what the tolerance allows all
// of them hold it up, together with those that share a place with them: whose blocks beside the
// diagonal have this size over their diagonal ones (0.5: of two bodies at one node of a third).
static const double HOLDS_UP = 3e-3, SHARES = 0.35;
// Over how many contacts the error is spread, (sum part)^2 / sum part^2, of all; and of all, that
// are swept by themselves at most.
static const double SPREAD = 0.03, FEW = 0.2;
static const double FEW_FALL = 1e-2; // of the change of their sweeps that does
static const double FEW_FAR = 2;     // times as large as they are mixing may make their impulses
static const double FEW_GAIN = 0.8;  // factor on the error from which it is not tried again
static const double SURE = 0.8;      // share of the tolerance at which a test is worth its products
// Of the tolerance: above it interior points that stride take a step more, which brings a digit.
// Without it a wall of stone is off by 5 % after ten steps at theta = 1/2, with it by 1 %.
static const double INTERIOR_SHARE = 0.3;
static const double SETTLE_AGAIN = 0.4; // factor on the error from which it is tried once more
static const double SETTLE_FALL = 0.5;  // factor on the error of such a step that leads on
static const double NEARLY = 0.03;      // error from which statuses are worth a step
static const double SCALED_SHARE = 0.1; // of the tolerance over the softness, on the scaled error
static const double STATUSES_KEPT =
    1; // error of the last impulses in this step from which statuses change
static const double ACTIVE_FALL = 0.3; // factor on the error of a Newton step that leads on
// Where interior points start, one after the other: far from the last step's impulses (0: from
// nothing), and the spread of their aims.
static const struct {
  double far, spread;
} interior_starts[] = {{1, 0}, {1, 0.7}, {3, 0}, {0, 0}, {0, 0.7}, {0, 1.4}};
// Of the error, and of the tolerance: what problems with given bounds are solved to.
static const double GIVEN_SHARE = 0.1, GIVEN_LEAST = 0.3;
enum { N_STARTS = sizeof interior_starts / sizeof interior_starts[0] };
static const double NEAREST = 0.1, FARTHEST = 30, INTERIOR_PER_FAR = 10, MANY_CONTACTS = 1000;
static const double CREEPING = 0.1; // two steps of them shorter than this: they do not get on
static const double STRIDING = 0.5; // length of a step that leaves them in the middle
static const double ELASTIC_RIDGE =
    5e-2; // of Newton's first step with given statuses: forces need not be unique, and
static const double RIDGE_FALL = 0.1; // factor on it from step to step
// Error at which bodies are at rest: reactions are right to 1e-8, and below it round-off is near.
static const double AT_REST = 3e-10, REST_ENOUGH = 1e-10;
static const double SETTLES = 0.1; // factor on the error of settled impulses that counts
static const double SHARPER = 0.1; // of the tolerance, for a start that settles
static const double FAR_OFF = 0.5; // error from which the last impulses are no start for sweeps

typedef struct {
  const Problem *p;
  Problem whole; // p by blocks, once factors are wanted
  const SolverSettings *settings;
  SolverReport *report;
  Sweeper sweeper;
  Anderson mix;
  Momentum momentum;
  Newton newton;
  Proximal proximal;
  Judge judge;
  Standing standing;
  int newton_ready;
  int rigid;          // 1: all bodies are, and factors of their size can be had
  int settles;        // 1: `standing` is ready, and bodies have not been found to move
  int settled;        // 1: that has been enough
  int64_t rigid_cost; // of a factor of their size
  size_t size;        // n dim
  double *best, *x, *g, *step;
  double best_error;
  int means_something; // of the best, see measure.h
  int64_t sweep_cost, step_cost;
} Driver;

static int converged(const Driver *driver) {
  return driver->best_error <= driver->settings->tolerance && driver->means_something;
}

static int done(const Driver *driver) {
  return converged(driver) || driver->report->iterations >= driver->settings->max_iterations;
}

// Full test; keeps the iterate if it is the best so far.
static double test(Driver *driver, const double *r) {
  double error = judge_error(&driver->judge, r, driver->report);
  if (judge_is_better(&driver->judge, r, error, driver->best_error, &driver->means_something)) {
    driver->best_error = error;
    memcpy(driver->best, r, driver->size * sizeof *r);
  }
  return error;
}

// Blocks that the sweeps still need at the rate of the last window: that of the smallest change of
// a sweep in it, as single changes and errors of mixed sweeps go up and down.
static double work_left(const Driver *driver, double change_before, double change, double error) {
  double rate = log(change / change_before) / WINDOW;
  if (!(rate < 0)) return (double)INFINITY;
  return log(driver->settings->tolerance / error) / rate * MIX_COST * (double)driver->sweep_cost;
}

// Before the pattern is analysed, the least that the steps can cost: factors for nothing.
static double newton_work(const Driver *driver) {
  if (!driver->newton_ready) return GUESS_STEPS * (double)((STEP_SWEEPS + 4) * driver->sweep_cost);
  if (!driver->newton.lu.made) return (double)INFINITY;
  return GUESS_STEPS * (double)driver->step_cost;
}

// A factorisation costs so much that sweeps of another kind come first.
static int momentum_is_cheaper(const Driver *driver) {
  return driver->newton_ready && driver->step_cost > FACTOR_SWEEPS * driver->sweep_cost;
}

// Factors want blocks, and what follows them goes by these too.
static Status make_blocks(Driver *driver, Arena *arena, Err *err) {
  if (!operator_by_bodies(driver->p)) return OK;
  TRY(operator_blocks(driver->p, &driver->whole, arena, err));
  driver->p = driver->sweeper.p = driver->judge.p = driver->judge.def.p = &driver->whole;
  driver->sweep_cost = operator_cost(driver->p);
  return OK;
}

static Status prepare_newton(Driver *driver, Arena *arena, Err *err) {
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
static void pace_test(Driver *driver, Pace *pace, int k, int patience, double change,
                      double *left) {
  const SolverSettings *settings = driver->settings;
  pace->low = fmin(pace->low, change);
  *left = -1;
  int last = driver->report->iterations >= settings->max_iterations;
  int look = k >= patience && k - pace->last_look >= WINDOW;
  int due = change * pace->factor <= settings->tolerance &&
            (pace->last_test == 0 || k - pace->last_test >= SHORTEST_PAUSE);
  if (!due && !look && !last && k - pace->last_test < LONGEST_PAUSE) return;
  double error = test(driver, driver->g);
  if (change > 0) pace->factor = error / change;
  pace->last_test = k;
  if (!look || done(driver)) return;
  *left = work_left(driver, pace->before, pace->low, error);
  pace->last_look = k;
  pace->before = pace->low;
  pace->low = (double)INFINITY;
}

// ---- rigid bodies -------------------------------------------------------------------------------

// The best settled, as long as that brings much. Returns its error over that before.
static double settle_best(Driver *driver) {
  double before = driver->best_error, last = before;
  for (int k = 0; k < SETTLE_TIMES; k++) {
    driver->report->iterations++;
    if (!standing_settle(&driver->standing, driver->best, driver->g, driver->report)) break;
    double error = test(driver, driver->g);
    if (!(error < SETTLES * last) || error <= REST_ENOUGH) break;
    last = error;
  }
  return driver->best_error / before;
}

// Alternating directions from the best, as long as they promise to cost a few factors.
static void balance(Driver *driver) {
  SolverReport *report = driver->report;
  double last = driver->best_error, tolerance = driver->settings->tolerance;
  if (!standing_start(&driver->standing, driver->best, report)) return;
  int64_t start = report->blocks;
  for (int k = 1; k <= BALANCE_STEPS && !done(driver); k++) {
    standing_step(&driver->standing, report);
    report->iterations++;
    if (k % BALANCE_LOOK) continue;
    double error = test(driver, driver->standing.z), fall = error / last;
    double cost = (double)(report->blocks - start) / k;
    double left = fall < 1 ? BALANCE_LOOK * log(tolerance / error) / log(fall) : (double)INFINITY;
    last = error;
    if (k > BALANCE_LOOK && left * cost > BALANCE_WORTH * (double)driver->rigid_cost) return;
  }
}

// Interior points from their own start, to this error; their result is kept when it is the best.
static Status interior_phase(Driver *driver, double tolerance, Arena *arena, Err *err) {
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
  test(driver, driver->g);
  return OK;
}

// What stands, before any sweep. Impulses that are as good as they can be stay as they are.
static Status standing_phase(Driver *driver, Arena *arena, Err *err) {
  const Problem *p = driver->p;
  int n_bodies;
  TRY(body_system_count(p, &n_bodies, arena, err));
  driver->rigid = p->n * p->dim >= MANY_FORCES * n_bodies * p->bodies.n_modes;
  if (!driver->rigid) return OK;
  double first = test(driver, driver->x);
  if (first <= AT_REST) return OK;
  Standing *standing = &driver->standing;
  TRY(standing_init(standing, p, driver->sweeper.scale, driver->settings->kept, arena, err));
  driver->rigid = standing->system.lu.made;
  if (!driver->rigid) return OK;
  driver->rigid_cost = body_system_cost(&standing->system);
  driver->settles = !(first < 1) || settle_best(driver) < SETTLES;
  driver->settled = done(driver);
  if (done(driver) || driver->best_error < FAR_OFF) return OK;
  balance(driver);
  driver->settled = done(driver) && settle_best(driver) < SETTLES;
  if (driver->settled) return OK;
  // What can be settled from is worth more than what will do for this step.
  double wanted = SHARPER * fmin(driver->best_error, driver->settings->tolerance);
  TRY(interior_phase(driver, wanted, arena, err));
  return OK;
}

// ---- sweeps and what follows them ---------------------------------------------------------------

// Mixed sweeps from x. Returns when done, or when another method is cheaper at the present rate
// (Newton: at several looks in a row).
static Status sweep_phase(Driver *driver, Arena *arena, Err *err) {
  SolverReport *report = driver->report;
  Pace pace = pace_start();
  anderson_restart(&driver->mix);
  for (int k = 1; !done(driver); k++) {
    double left;
    memcpy(driver->g, driver->x, driver->size * sizeof *driver->g);
    double change =
        sweeper_sweep(&driver->sweeper, driver->settings->relaxation, driver->g, report);
    report->iterations++;
    pace_test(driver, &pace, k, FIRST_LOOK, change, &left);
    if (done(driver)) return OK;
    if (left >= 0 && driver->rigid) {
      if (left > INTERIOR_FACTORS * (double)driver->rigid_cost) return OK;
    } else if (left >= 0) {
      if (left > MOMENTUM_WORTH * (double)driver->sweep_cost) {
        TRY(prepare_newton(driver, arena, err));
        if (momentum_is_cheaper(driver)) return OK;
      }
      pace.stalled = left > newton_work(driver) ? pace.stalled + 1 : 0;
      if (pace.stalled >= STALLED_LOOKS) return OK;
    }
    anderson_step(&driver->mix, driver->x, driver->g);
  }
  return OK;
}

// Symmetric sweeps with momentum from the best iterate. Returns when done, or when they have cost a
// good part of what Newton's method may, and promise to cost more.
static Status momentum_phase(Driver *driver, Arena *arena, Err *err) {
  SolverReport *report = driver->report;
  Pace pace = pace_start();
  int64_t start = report->blocks;
  memcpy(driver->x, driver->best, driver->size * sizeof *driver->x);
  TRY(momentum_init(&driver->momentum, (int)driver->size, arena, err));
  TRY(sweeper_symmetric_init(&driver->sweeper, arena, err));
  momentum_start(&driver->momentum, driver->x);
  sweeper_symmetric_start(&driver->sweeper, driver->x, report);
  for (int k = 2; !done(driver); k += 2) {
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
static double try_step(Driver *driver, double ridge) {
  SolverReport *report = driver->report;
  report->iterations++;
  if (!newton_step(&driver->newton, driver->x, ridge, driver->step, report))
    return (double)INFINITY;
  for (size_t k = 0; k < driver->size; k++) driver->g[k] = driver->x[k] + driver->step[k];
  for (int s = 0; s < STEP_SWEEPS; s++) sweeper_sweep(&driver->sweeper, 1, driver->g, report);
  double error = test(driver, driver->g);
  return isfinite(error) ? error : (double)INFINITY;
}

// Regularised steps from the best iterate until they are done or stall.
static void newton_phase(Driver *driver) {
  double mark = driver->best_error, error = mark, ridge = RIDGE_START;
  int since = 0;
  memcpy(driver->x, driver->best, driver->size * sizeof *driver->x);
  while (!done(driver) && since < STALL_STEPS) {
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

static int at_round_off(const Driver *driver) {
  return driver->best_error <= ROUND_OFF * judge_round_off(&driver->judge, driver->best);
}

// Outer steps from the best iterate. Their errors need not fall: the method may leave a place where
// there nearly is a solution. It gives up where they have not fallen for long, or cannot.
static Status proximal_phase(Driver *driver, Arena *arena, Err *err) {
  SolverReport *report = driver->report;
  double error = driver->best_error;
  memcpy(driver->x, driver->best, driver->size * sizeof *driver->x);
  TRY(proximal_init(&driver->proximal, driver->p, &driver->newton, ALPHA_START, arena, err));
  double mark = driver->best_error;
  for (int since = 0; !done(driver) && since < PROXIMAL_STALL; since++) {
    report->iterations++;
    memcpy(driver->g, driver->x, driver->size * sizeof *driver->g);
    int solved = proximal_step(&driver->proximal, error, driver->g, report);
    double next = test(driver, driver->g);
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

// ---- judged by the energy of deformation --------------------------------------------------------

// Are sweeps, at this fall of the error over the last WINDOW of them, dearer than interior points
// would be?
static Status too_slow(Driver *driver, double before, double error, int *slow, Arena *arena,
                       Err *err) {
  double fall = error / before, tolerance = driver->settings->tolerance;
  double looks = fall < 1 ? log(tolerance / error) / log(fall) : (double)INFINITY;
  double left = looks * WINDOW * MIX_COST * (double)driver->sweep_cost;
  *slow = 0;
  if (left <= MOST_SWEEPS * MIX_COST * (double)driver->sweep_cost) return OK;
  TRY(prepare_newton(driver, arena, err));
  *slow = driver->newton.lu.made && left > INTERIOR_GUESS * (double)driver->newton.lu.updates;
  return OK;
}

// Marks contact i and those that share a place with it.
static void mark_place(const Problem *p, int i, int32_t *mark) {
  size_t dim = (size_t)p->dim, size = dim * dim;
  mark[i] = 1;
  for (int64_t e = p->blocks.ptr[i]; e < p->blocks.ptr[i + 1]; e++) {
    const double *w = p->blocks.w + (size_t)e * size;
    int j = p->blocks.col[e];
    double sum = 0, own = p->diag[(size_t)i * size] * p->diag[(size_t)j * size];
    for (size_t k = 0; k < size; k++) sum += w[k] * w[k];
    if (sum > SHARES * SHARES * own) mark[j] = 1;
  }
}

// Does the error of the last test sit at few contacts?
static int is_at_few(const Driver *driver) {
  const double *parts = driver->judge.def.parts;
  double sum = 0, square = 0;
  for (int i = 0; i < driver->p->n; i++) {
    sum += parts[i];
    square += parts[i] * parts[i];
  }
  return !operator_by_bodies(driver->p) && sum * sum <= SPREAD * driver->p->n * square;
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(x[k]));
  return most;
}

// Mixed sweeps from g of the few contacts that hold the error of the last test up, if they are few.
static Status sweep_few(Driver *driver, Part *few, int *swept, Arena *arena, Err *err) {
  const Problem *p = driver->p;
  const Deformation *def = &driver->judge.def;
  double tolerance = driver->settings->tolerance, first = 0, *x;
  SolverReport inner = {0};
  Sweeper sweeper;
  Anderson mix;
  *swept = 0;
  if (!is_at_few(driver)) return OK;
  for (int i = 0; i < p->n; i++)
    if (def->parts[i] > HOLDS_UP * tolerance * tolerance * def->size) mark_place(p, i, few->place);
  int n = part_list(few), size = n * p->dim;
  if (n == 0 || n > FEW * p->n) return OK;
  *swept = 1;
  TRY(part_take(few, driver->g, &inner.blocks, arena, err));
  TRY(sweeper_init(&sweeper, &few->p, arena, &inner, err));
  TRY(anderson_init(&mix, size, MEMORY, arena, err));
  ARENA_NEW(x, size, arena, err);
  memcpy(x, few->r, (size_t)size * sizeof *x);
  int64_t most = inner.blocks + FEW_WORK * driver->sweep_cost;
  for (int s = 0; inner.blocks < most; s++) {
    memcpy(few->r, x, (size_t)size * sizeof *x);
    double change = sweeper_sweep(&sweeper, 1, few->r, &inner);
    if (s == 0) first = change;
    if (change <= FEW_FALL * first) break;
    anderson_step(&mix, x, few->r);
    if (largest(x, size) <= FEW_FAR * largest(few->r, size)) continue;
    memcpy(x, few->r, (size_t)size * sizeof *x);
    anderson_restart(&mix);
  }
  part_give(few, driver->g);
  driver->report->blocks += inner.blocks;
  return OK;
}

// Was g refused by nothing but the factors of the correction?
static int is_hidden(const Driver *driver) {
  const Deformation *def = &driver->judge.def;
  return !done(driver) && def->has_factors && def->residual <= driver->settings->tolerance;
}

// What the correction makes of g, of this error: a Newton step whose factors the test may use
// again. Returns the error of g, which it is where it is better.
static double try_corrected(Driver *driver, double error) {
  for (size_t k = 0; k < driver->size; k++)
    driver->step[k] = driver->g[k] + driver->judge.def.dr[k];
  double corrected = test(driver, driver->step);
  if (!(corrected < error)) return error;
  memcpy(driver->g, driver->step, driver->size * sizeof *driver->g);
  anderson_restart(&driver->mix);
  return corrected;
}

// The best impulses and what their correction found, smoothed. Errors that sweeps leave are those
// that fall slowest, alike from step to step: they pile up over a run, and this takes most of them
// away. The error that was judged stands, as one that is not exceeded.
static void correct(Driver *driver) {
  Deformation *def = &driver->judge.def;
  SolverReport *report = driver->report;
  double before = def->residual, *g = driver->g;
  const double *way =
      deformation_way(def, driver->best, driver->settings->tolerance, &report->blocks);
  for (size_t k = 0; k < driver->size; k++) g[k] = driver->best[k] + way[k];
  for (int s = 0; s < SMOOTHING; s++) sweeper_sweep(&driver->sweeper, 1, g, report);
  report->iterations += SMOOTHING;
  if (deformation_residual(def, g, NULL, NULL, &report->blocks) < before)
    memcpy(driver->best, g, driver->size * sizeof *g);
}

// Sweeps from x, mixed, while they promise to cost less than interior points would.
static Status sweeps_to_deformation(Driver *driver, Arena *arena, Err *err) {
  SolverReport *report = driver->report;
  double before = (double)INFINITY, factor = ERROR_OF_CHANGE;
  int last_test = 0, by_few = 1;
  Part few;
  TRY(part_init(&few, driver->p, arena, err));
  anderson_restart(&driver->mix);
  for (int k = 1; !done(driver); k++) {
    memcpy(driver->g, driver->x, driver->size * sizeof *driver->g);
    double change =
        sweeper_sweep(&driver->sweeper, driver->settings->relaxation, driver->g, report);
    report->iterations++;
    int look = k % WINDOW == 0, due = change * factor <= SURE * driver->settings->tolerance;
    if (look || (due && k - last_test >= SHORTEST_PAUSE)) {
      double error = test(driver, driver->g);
      int slow = 0, swept = 0, hidden = is_hidden(driver);
      if (change > 0) factor = error / change;
      last_test = k;
      if (hidden) error = try_corrected(driver, error);
      if (done(driver)) return OK;
      if (by_few && !hidden) TRY(sweep_few(driver, &few, &swept, arena, err));
      if (swept) {
        double now = test(driver, driver->g);
        if (done(driver)) return OK;
        by_few = now < FEW_GAIN * error;
        error = now;
        anderson_restart(&driver->mix);
      }
      if (look && before < (double)INFINITY)
        TRY(too_slow(driver, before, error, &slow, arena, err));
      if (slow) return OK;
      if (look) before = error;
    }
    anderson_step(&driver->mix, driver->x, driver->g);
  }
  return OK;
}

// Where everything opens a sweep is all that it takes.
static void sweep_once(Driver *driver) {
  memcpy(driver->g, driver->x, driver->size * sizeof *driver->g);
  sweeper_sweep(&driver->sweeper, 1, driver->g, driver->report);
  driver->report->iterations++;
  int open = 1;
  for (size_t k = 0; k < driver->size; k++) open &= driver->g[k] == 0;
  if (open) test(driver, driver->g);
}

// Newton's step from x with the statuses of `source`, into g; kept when it is the best.
static double try_statuses(Driver *driver, StatusSource source, double ridge, const double *x) {
  SolverReport *report = driver->report;
  report->iterations++;
  if (!newton_step_from(&driver->newton, source, &driver->judge.def, x, ridge, driver->step,
                        report))
    return (double)INFINITY;
  for (size_t k = 0; k < driver->size; k++) driver->g[k] = x[k] + driver->step[k];
  double error = test(driver, driver->g);
  return isfinite(error) ? error : (double)INFINITY;
}

// The statuses of the last step, and better ones as long as these lead on. Impulses beside a spring
// are off the cone by what the spring has taken since: there the residual tells who slips.
static void last_statuses(Driver *driver, const double *start) {
  double last = ACTIVE_FALL, ridge = ELASTIC_RIDGE;
  memcpy(driver->x, start, driver->size * sizeof *driver->x);
  for (int k = 0; k < ACTIVE_STEPS; k++, ridge *= RIDGE_FALL) {
    StatusSource source = k == 0 && !driver->p->a ? STATUSES_OF_IMPULSES : STATUSES_ELASTIC;
    double error = try_statuses(driver, source, ridge, driver->x);
    if (done(driver) || !(error < last)) return;
    last = ACTIVE_FALL * error;
    memcpy(driver->x, driver->g, driver->size * sizeof *driver->x);
  }
}

// Result of interior points, settled, and with better statuses as long as these lead on.
static void settle(Driver *driver, Interior *in) {
  SolverReport *report = driver->report;
  report->iterations++;
  if (!interior_settle(in, driver->g, report)) return;
  double error = test(driver, driver->g), last = NEARLY / SETTLE_FALL, ridge = ELASTIC_RIDGE;
  for (int k = 0; k < SETTLE_STEPS && !done(driver) && error < SETTLE_FALL * last; k++) {
    last = error;
    memcpy(driver->x, driver->g, driver->size * sizeof *driver->x);
    error = try_statuses(driver, STATUSES_ELASTIC, ridge, driver->x);
    ridge *= RIDGE_FALL;
  }
}

// Takes the impulses of interior points where they will do; better the settled ones, whose contacts
// are open, stick or slip exactly. Settles them too where they will not do, because that may help.
static void take(Driver *driver, Interior *in) {
  interior_impulses(in, driver->g);
  test(driver, driver->g);
  if (!done(driver)) {
    settle(driver, in);
    return;
  }
  driver->report->interior = 1;
  driver->report->iterations++;
  if (!interior_settle(in, driver->g, driver->report)) return;
  double error = judge_error(&driver->judge, driver->g, driver->report);
  if (!(error <= driver->settings->tolerance)) return;
  driver->best_error = error;
  driver->report->interior = 0;
  memcpy(driver->best, driver->g, driver->size * sizeof *driver->g);
}

// Interior points from where they have been started; returns when done, or when they do not get on:
// 1 where they creep.
static int interior_points(Driver *driver, Interior *in, int most) {
  SolverReport *report = driver->report;
  double next = driver->settings->tolerance, good = INTERIOR_SHARE * next;
  int crept = 0, more = !driver->p->a; // beside springs the statuses are wanted, and soon right
  for (int k = 0; k < most && report->iterations < driver->settings->max_iterations; k++) {
    if (judge_given_up(&driver->judge)) return 0;
    report->iterations++;
    double length = interior_step(in, report);
    double error = deformation_residual_known(&driver->judge.def, in->r, in->u);
    if (!(length > 0) || !isfinite(error)) return 0;
    if (length > STRIDING) interior_keep(in);
    crept += length < CREEPING;
    if (crept > 1) break;
    if (error > next) continue;
    if (more-- > 0 && error > good && length > STRIDING) continue;
    take(driver, in);
    next = SETTLE_AGAIN * error;
    if (done(driver)) return 0;
  }
  if (!done(driver))
    test(driver, in->r); // not the end, but it may be better than all that there is
  return crept > 1;
}

// From the best impulses by given bounds of friction, as long as these better them.
static Status by_given_bounds(Driver *driver, Arena *arena, Err *err) {
  double tolerance = driver->settings->tolerance;
  GivenFriction of;
  TRY(given_friction_init(&of, driver->p, &driver->newton.lu, driver->settings, arena, err));
  memcpy(driver->x, driver->best, driver->size * sizeof *driver->x);
  for (int k = 0, since = 0; k < MOST_BOUNDS && since < BOUNDS_STALL && !done(driver); k++) {
    double before = driver->best_error;
    double enough = fmax(GIVEN_SHARE * fmin(1, before), GIVEN_LEAST * tolerance);
    if (!given_friction_step(&of, driver->x, enough, driver->report)) break;
    test(driver, driver->x);
    since = driver->best_error < before ? 0 : since + 1;
  }
  if (converged(driver)) driver->report->interior = 1;
  return OK;
}

// Interior points from start number k, `far` off the boundaries; where the path folds it is
// followed if `follow`.
static void interior_path(Driver *driver, Interior *in, int k, const double *start, double far,
                          int follow) {
  SolverReport *report = driver->report;
  in->spread = interior_starts[k].spread;
  in->path = k;
  if (interior_starts[k].far > 0)
    interior_start_warm(in, start, interior_starts[k].far * far, report);
  else
    interior_start_cold(in, report);
  int most = interior_starts[k].far > 0 ? WARM_STEPS : COLD_STEPS;
  for (int folds = 0; interior_points(driver, in, most) && follow; folds++)
    if (folds == MOST_FOLDS || !interior_follow(in, report)) break;
}

// Interior points as far from the last impulses as these are from this step's, by their `error` in
// it. Where all starts stall bounds of friction are given; of many contacts after the first, for
// there folds are many too.
static Status interior_from(Driver *driver, const double *start, double error, Arena *arena,
                            Err *err) {
  Interior in;
  TRY(interior_init(&in, driver->p, &driver->newton.lu, arena, err));
  in.settings = driver->settings;
  double many = cbrt(fmax(1, driver->p->n / MANY_CONTACTS)); // more of them stop a step
  double far = fmin(FARTHEST, fmax(NEAREST, many * error / INTERIOR_PER_FAR));
  int given = driver->p->n > MANY_CONTACTS;
  if (given) {
    interior_path(driver, &in, 0, start, far, 0);
    if (!done(driver)) TRY(by_given_bounds(driver, arena, err));
  }
  for (int k = 0; k < N_STARTS && !done(driver); k++) interior_path(driver, &in, k, start, far, 1);
  return given || done(driver) ? OK : by_given_bounds(driver, arena, err);
}

static Status deformation_phases(Driver *driver, const double *start, Arena *arena, Err *err) {
  if (driver->judge.def.softness < STIFF) {
    TRY(sweeps_to_deformation(driver, arena, err));
    if (converged(driver)) correct(driver);
  } else {
    sweep_once(driver);
  }
  if (done(driver)) return OK;
  TRY(prepare_newton(driver, arena, err));
  if (!driver->newton.lu.made) return OK;
  const Problem *p = driver->p;
  Deformation *def = &driver->judge.def;
  double error = deformation_residual(def, start, NULL, NULL, &driver->report->blocks);
  // Dry contacts whose load has changed by its own size do not keep their statuses; joints do.
  if (error < STATUSES_KEPT || p->radius || p->dim == 3) last_statuses(driver, start);
  if (!done(driver) && !p->item) TRY(interior_from(driver, start, error, arena, err));
  memcpy(driver->x, driver->best, driver->size * sizeof *driver->x);
  return OK;
}

static Status driver_init(Driver *driver, const double *r, Arena *arena, Err *err) {
  const Problem *p = driver->p;
  driver->size = (size_t)p->n * (size_t)p->dim;
  driver->sweep_cost = operator_cost(p);
  driver->best_error = (double)INFINITY;
  TRY(sweeper_init(&driver->sweeper, p, arena, driver->report, err));
  TRY(judge_init(&driver->judge, p, driver->settings, driver->sweeper.scale, arena, err));
  TRY(anderson_init(&driver->mix, (int)driver->size, MEMORY, arena, err));
  if (problem_for_threads(p)) TRY(sweeper_colour(&driver->sweeper, arena, err));
  ARENA_NEW(driver->best, driver->size, arena, err);
  ARENA_NEW(driver->x, driver->size, arena, err);
  ARENA_NEW(driver->g, driver->size, arena, err);
  ARENA_NEW(driver->step, driver->size, arena, err);
  memcpy(driver->x, r, driver->size * sizeof *r);
  memcpy(driver->best, r, driver->size * sizeof *r);
  return OK;
}

// Rigid bodies: what stands, sweeps, interior points. Where all that fails, what follows goes by W.
static Status rigid_phases(Driver *driver, int *tried, Arena *arena, Err *err) {
  TRY(standing_phase(driver, arena, err));
  *tried = driver->rigid;
  if (!driver->rigid) return OK;
  memcpy(driver->x, driver->best, driver->size * sizeof *driver->x);
  if (!done(driver)) TRY(sweep_phase(driver, arena, err));
  if (!done(driver) && driver->rigid)
    TRY(interior_phase(driver, driver->settings->tolerance, arena, err));
  if (converged(driver) && driver->settles && !driver->settled) settle_best(driver);
  driver->rigid = 0;
  memcpy(driver->x, driver->best, driver->size * sizeof *driver->x);
  return OK;
}

// Sweeps, momentum, interior points on cones, Newton's method, one after the other.
static Status general_phases(Driver *driver, Arena *arena, Err *err) {
  int rigid = 0;
  if (body_system_takes(driver->p)) TRY(rigid_phases(driver, &rigid, arena, err));
  if (done(driver)) return OK;
  TRY(sweep_phase(driver, arena, err));
  if (!done(driver) && momentum_is_cheaper(driver)) TRY(momentum_phase(driver, arena, err));
  if (!done(driver) && !rigid) TRY(interior_phase(driver, driver->settings->tolerance, arena, err));
  if (!done(driver)) newton_phase(driver);
  if (!done(driver)) TRY(proximal_phase(driver, arena, err));
  return OK;
}

// The same to a scaled error that is as small as the rigid motions are soft: dear, and the last
// resort.
static Status by_scaled_error(Driver *driver, const double *start, Arena *arena, Err *err) {
  const SolverSettings *settings = driver->settings;
  SolverSettings strict = *settings;
  double *kept, kept_error = driver->best_error;
  int kept_means = driver->means_something;
  ARENA_NEW(kept, driver->size, arena, err);
  memcpy(kept, driver->best, driver->size * sizeof *kept);
  memcpy(driver->x, start, driver->size * sizeof *start);
  strict.tolerance = settings->tolerance * fmin(1, SCALED_SHARE / driver->judge.def.softness);
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
  if (status == OK) test(driver, driver->g);
  return status;
}

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  *report = (SolverReport){0};
  if (p->n == 0) {
    report->converged = 1;
    return OK;
  }
  Driver driver = {.p = p, .settings = settings, .report = report};
  TRY(driver_init(&driver, r, arena, err));
  if (driver.judge.by_deformation) {
    TRY(deformation_phases(&driver, r, arena, err));
    if (!done(&driver) && at_round_off(&driver))
      report->reason = "the tolerance is below what round-off lets anyone reach";
    else if (!done(&driver))
      TRY(by_scaled_error(&driver, r, arena, err));
  } else {
    TRY(general_phases(&driver, arena, err));
  }
  memcpy(r, driver.best, driver.size * sizeof *r);
  report->error = driver.best_error;
  report->converged = converged(&driver);
  if (!driver.means_something) report->reason = WATCH_RUNAWAY;
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
