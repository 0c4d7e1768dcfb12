// What `auto` does where runs are judged by the energy of deformation (docs/solvers.md, "Walls of
// stone"): sweeps where these are cheap, statuses of the last step, interior points.

#include <math.h>
#include <string.h>

#include "solver/auto.h"
#include "solver/given_friction.h"
#include "solver/interior.h"
#include "solver/operator.h"
#include "solver/part.h"

enum {
  MOST_SWEEPS = 60,    // sweeps left that are waited for whatever factors cost
  INTERIOR_GUESS = 10, // factors that interior points are thought to need
  FEW_WORK = 10,       // sweeps that those of a few contacts may cost
  ACTIVE_STEPS = 3,    // Newton steps with given statuses, as long as they lead on
  SETTLE_STEPS = 2,    // Newton steps that better the statuses of interior points
  CORRECTIONS = 4,     // of joints that hold: statuses are right after two, or not at all
  FACTOR_WORTH = 200,  // sweeps that a factor may cost there: as many as honest claims ask for
  SMOOTHING = 2,       // sweeps behind a correction: after one the arch is 1.6 times as far off
  MOST_FOLDS = 4,      // of their path that are followed
  MOST_BOUNDS = 12,    // times that bounds of friction are given, and
  BOUNDS_STALL = 4,    // in a row that do not better what there is
  WARM_STEPS = 20,     // interior points from the last step, and
  COLD_STEPS = 40      // from nothing
};

static const double STIFF = 20; // rigid motions over elasticity from which sweeps are not tried
// Residual of the last impulses from which on they are those of something at rest, and from which
// on they are not bettered: with 1e-9 a cap on two rigid cubes was 1e-7 of the weight off.
static const double NEARLY_RESTS = 1e-4, RESTS = 1e-10;
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
static const double CORRECTION_FALL = 0.5; // factor on the residual of one that leads on
static const double SLIPPED = 1 - 1e-7;    // share of the bound of friction: factors leave it there
static const double SURE = 0.8; // share of the tolerance at which a test is worth its products
// Of the tolerance: above it interior points that stride take a step more, which brings a digit.
// Without it a wall of stone is off by 5 % after ten steps at theta = 1/2, with it by 1 %.
static const double INTERIOR_SHARE = 0.3;
static const double SETTLE_AGAIN = 0.4; // factor on the error from which it is tried once more
static const double SETTLE_FALL = 0.5;  // factor on the error of such a step that leads on
static const double NEARLY = 0.03;      // error from which statuses are worth a step
static const double STATUSES_KEPT =
    1; // error of the last impulses in this step from which statuses change
static const double ACTIVE_FALL = 0.3; // factor on the error of a Newton step that leads on
// Where interior points start, one after the other: far from the last step's impulses (0: from
// nothing), and the spread of their aims.
static const struct {
  double far, spread;
} interior_starts[] = {{1, 0},   {1, 0.7}, {3, 0},     {0, 0},   {0, 0.7},  {0, 1.4},
                       {3, 0.7}, {1, 1.4}, {10, 0},    {3, 1.4}, {10, 0.7}, {0, 0.3},
                       {0, 1},   {0.3, 0}, {0.3, 0.7}, {0, 2}};
// Of the error, and of the tolerance: what problems with given bounds are solved to.
static const double GIVEN_SHARE = 0.1, GIVEN_LEAST = 0.3;
enum { N_STARTS = sizeof interior_starts / sizeof interior_starts[0] };
static const double NEAREST = 0.1, FARTHEST = 30, INTERIOR_PER_FAR = 10, MANY_CONTACTS = 1000;
// Contacts from which a path is followed through its folds only where given bounds of friction have
// not helped: each takes a hundred factors on 25,000 contacts, 25 to 55 on 6,000.
static const double FOLDS_LAST = 20000;
static const double CREEPING = 0.1; // two steps of them shorter than this: they do not get on
static const double STRIDING = 0.5; // length of a step that leaves them in the middle
static const double ELASTIC_RIDGE =
    5e-2; // of Newton's first step with given statuses: forces need not be unique, and
static const double BONDED_RIDGE = 1e-5;  // where most joints hold and forces are unique
static const double RIDGE_FALL = 0.1;     // factor on it from step to step
static const double RESTING_RIDGE = 1e-4; // of the first step that brings what stands to rest

// Are sweeps, at this fall of the error over the last AUTO_WINDOW of them, dearer than interior
// points would be?
static Status too_slow(AutoDriver *driver, double before, double error, int *slow, Arena *arena,
                       Err *err) {
  double fall = error / before, tolerance = driver->settings->tolerance;
  double looks = fall < 1 ? log(tolerance / error) / log(fall) : (double)INFINITY;
  double left = looks * AUTO_WINDOW * AUTO_MIX_COST * (double)driver->sweep_cost;
  *slow = 0;
  if (left <= MOST_SWEEPS * AUTO_MIX_COST * (double)driver->sweep_cost) return OK;
  TRY(auto_prepare_newton(driver, arena, err));
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
static int is_at_few(const AutoDriver *driver) {
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
static Status sweep_few(AutoDriver *driver, Part *few, int *swept, Arena *arena, Err *err) {
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
  TRY(anderson_init(&mix, size, AUTO_MEMORY, arena, err));
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
static int is_hidden(const AutoDriver *driver) {
  const Deformation *def = &driver->judge.def;
  return !auto_done(driver) && def->has_factors && def->residual <= driver->settings->tolerance;
}

// What the correction makes of g, of this error: a Newton step whose factors the test may use
// again. Returns the error of g, which it is where it is better.
static double try_corrected(AutoDriver *driver, double error) {
  for (size_t k = 0; k < driver->size; k++)
    driver->step[k] = driver->g[k] + driver->judge.def.dr[k];
  double corrected = auto_test(driver, driver->step);
  if (!(corrected < error)) return error;
  memcpy(driver->g, driver->step, driver->size * sizeof *driver->g);
  anderson_restart(&driver->mix);
  return corrected;
}

// The best impulses and what their correction found, smoothed. Errors that sweeps leave are those
// that fall slowest, alike from step to step: they pile up over a run, and this takes most of them
// away. The error that was judged stands, as one that is not exceeded.
static void correct(AutoDriver *driver) {
  Deformation *def = &driver->judge.def;
  SolverReport *report = driver->report;
  double before = def->residual, *g = driver->g;
  const double *way =
      deformation_way(def, driver->best, driver->settings->tolerance, &report->blocks);
  if (!(largest(way, (int)driver->size) <= FEW_FAR * largest(driver->best, (int)driver->size)))
    return; // along what nothing determines
  for (size_t k = 0; k < driver->size; k++) g[k] = driver->best[k] + way[k];
  for (int s = 0; s < SMOOTHING; s++) sweeper_sweep(&driver->sweeper, 1, g, report);
  report->iterations += SMOOTHING;
  if (deformation_residual(def, g, NULL, NULL, &report->blocks) < before)
    memcpy(driver->best, g, driver->size * sizeof *g);
}

// Sweeps from x, mixed, while they promise to cost less than interior points would.
static Status sweeps_to_deformation(AutoDriver *driver, Arena *arena, Err *err) {
  SolverReport *report = driver->report;
  double before = (double)INFINITY, factor = ERROR_OF_CHANGE;
  int last_test = 0, by_few = 1;
  Part few;
  TRY(part_init(&few, driver->p, arena, err));
  anderson_restart(&driver->mix);
  for (int k = 1; !auto_done(driver); k++) {
    memcpy(driver->g, driver->x, driver->size * sizeof *driver->g);
    double change =
        sweeper_sweep(&driver->sweeper, driver->settings->relaxation, driver->g, report);
    report->iterations++;
    int look = k % AUTO_WINDOW == 0, due = change * factor <= SURE * driver->settings->tolerance;
    if (look || (due && k - last_test >= AUTO_PAUSE)) {
      double error = auto_test(driver, driver->g);
      int slow = 0, swept = 0, hidden = is_hidden(driver);
      if (change > 0) factor = error / change;
      last_test = k;
      if (hidden) error = try_corrected(driver, error);
      if (auto_done(driver)) return OK;
      if (by_few && !hidden) TRY(sweep_few(driver, &few, &swept, arena, err));
      if (swept) {
        double now = auto_test(driver, driver->g);
        if (auto_done(driver)) return OK;
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
static void sweep_once(AutoDriver *driver) {
  memcpy(driver->g, driver->x, driver->size * sizeof *driver->g);
  sweeper_sweep(&driver->sweeper, 1, driver->g, driver->report);
  driver->report->iterations++;
  int open = 1;
  for (size_t k = 0; k < driver->size; k++) open &= driver->g[k] == 0;
  if (open) auto_test(driver, driver->g);
}

// Newton's step from x with the statuses of `source`, into g; kept when it is the best.
static double try_statuses(AutoDriver *driver, StatusSource source, double ridge, const double *x) {
  SolverReport *report = driver->report;
  report->iterations++;
  if (!newton_step_from(&driver->newton, source, &driver->judge.def, x, ridge, driver->step,
                        report))
    return (double)INFINITY;
  for (size_t k = 0; k < driver->size; k++) driver->g[k] = x[k] + driver->step[k];
  double error = auto_test(driver, driver->g);
  return isfinite(error) ? error : (double)INFINITY;
}

// The statuses of the last step, and better ones as long as these lead on. Impulses beside a spring
// are off the cone by what the spring has taken since: there the residual tells who slips.
static void last_statuses(AutoDriver *driver, const double *start) {
  double last = ACTIVE_FALL,
         ridge = driver->judge.def.bonded && !driver->p->a ? BONDED_RIDGE : ELASTIC_RIDGE;
  memcpy(driver->x, start, driver->size * sizeof *driver->x);
  for (int k = 0; k < ACTIVE_STEPS; k++, ridge *= RIDGE_FALL) {
    StatusSource source = k == 0 && !driver->p->a ? STATUSES_OF_IMPULSES : STATUSES_ELASTIC;
    double error = try_statuses(driver, source, ridge, driver->x);
    if (auto_done(driver) || !(error < last)) return;
    last = ACTIVE_FALL * error;
    memcpy(driver->x, driver->g, driver->size * sizeof *driver->x);
  }
}

// Result of interior points, settled, and with better statuses as long as these lead on.
static void settle(AutoDriver *driver, Interior *in) {
  SolverReport *report = driver->report;
  report->iterations++;
  if (!interior_settle(in, driver->g, report)) return;
  double error = auto_test(driver, driver->g), last = NEARLY / SETTLE_FALL, ridge = ELASTIC_RIDGE;
  for (int k = 0; k < SETTLE_STEPS && !auto_done(driver) && error < SETTLE_FALL * last; k++) {
    last = error;
    memcpy(driver->x, driver->g, driver->size * sizeof *driver->x);
    error = try_statuses(driver, STATUSES_ELASTIC, ridge, driver->x);
    ridge *= RIDGE_FALL;
  }
}

// Takes the impulses of interior points where they will do; better the settled ones, whose contacts
// are open, stick or slip exactly. Settles them too where they will not do, because that may help.
static void take(AutoDriver *driver, Interior *in) {
  interior_impulses(in, driver->g);
  auto_test(driver, driver->g);
  if (!auto_done(driver)) {
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
static int interior_points(AutoDriver *driver, Interior *in, int most) {
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
    if (auto_done(driver)) return 0;
  }
  if (!auto_done(driver)) { // not the end, but it may be better than all that there is
    auto_test(driver, in->r);
    if (auto_converged(driver)) report->interior = 1;
  }
  return crept > 1;
}

// From the best impulses by given bounds of friction, as long as these better them.
static Status by_given_bounds(AutoDriver *driver, Arena *arena, Err *err) {
  double tolerance = driver->settings->tolerance;
  GivenFriction of;
  TRY(given_friction_init(&of, driver->p, &driver->newton.lu, driver->settings, arena, err));
  memcpy(driver->x, driver->best, driver->size * sizeof *driver->x);
  for (int k = 0, since = 0; k < MOST_BOUNDS && since < BOUNDS_STALL && !auto_done(driver); k++) {
    double before = driver->best_error;
    double enough = fmax(GIVEN_SHARE * fmin(1, before), GIVEN_LEAST * tolerance);
    if (!given_friction_step(&of, driver->x, enough, driver->report)) break;
    auto_test(driver, driver->x);
    since = driver->best_error < before ? 0 : since + 1;
  }
  if (auto_converged(driver)) driver->report->interior = 1;
  return OK;
}

// More contacts stop a step more often: so many times farther from the boundaries interior points
// start for it, and so many times more steps they may take.
static double many_of(const Problem *p) {
  return cbrt(fmax(1, p->n / MANY_CONTACTS));
}

// Steps that interior points from start number k may take.
static int most_steps(const AutoDriver *driver, int k) {
  return (int)((interior_starts[k].far > 0 ? WARM_STEPS : COLD_STEPS) * many_of(driver->p));
}

// Interior points from start number k, `far` off the boundaries; 1 where they creep.
static int interior_path(AutoDriver *driver, Interior *in, int k, const double *start, double far) {
  SolverReport *report = driver->report;
  in->spread = interior_starts[k].spread;
  in->path = k;
  if (interior_starts[k].far > 0)
    interior_start_warm(in, start, interior_starts[k].far * far, report);
  else
    interior_start_cold(in, report);
  return interior_points(driver, in, most_steps(driver, k));
}

// Where the path of start number k folds it is followed.
static void interior_folds(AutoDriver *driver, Interior *in, int k) {
  int most = most_steps(driver, k);
  for (int folds = 0; folds < MOST_FOLDS && interior_follow(in, driver->report); folds++)
    if (!interior_points(driver, in, most)) return;
}

// Interior points as far from the last impulses as these are from this step's, by their `error` in
// it. Where all starts stall bounds of friction are given; of many contacts after the first and
// its folds, of very many before these.
static Status interior_from(AutoDriver *driver, const double *start, double error, Arena *arena,
                            Err *err) {
  Interior in;
  TRY(interior_init(&in, driver->p, &driver->newton.lu, arena, err));
  in.settings = driver->settings;
  double far = fmin(FARTHEST, fmax(NEAREST, many_of(driver->p) * error / INTERIOR_PER_FAR));
  int given = driver->p->n > MANY_CONTACTS, folds_last = driver->p->n > FOLDS_LAST;
  for (int k = 0; k < N_STARTS && !auto_done(driver); k++) {
    int creeps = interior_path(driver, &in, k, start, far);
    if (creeps && !folds_last && !auto_done(driver)) interior_folds(driver, &in, k);
    if (k == 0 && given && !auto_done(driver)) TRY(by_given_bounds(driver, arena, err));
    if (creeps && folds_last && !auto_done(driver)) interior_folds(driver, &in, k);
  }
  return given || auto_done(driver) ? OK : by_given_bounds(driver, arena, err);
}

// Has a contact slipped under pressure in the last step?
static int has_slipped(const Problem *p, const double *r) {
  size_t dim = (size_t)p->dim;
  for (size_t i = 0; i < (size_t)p->n; i++) {
    double rho[3] = {0}, t = 0;
    for (size_t k = 0; k < dim; k++) rho[k] = r[i * dim + k] + (p->s ? p->s[i * dim + k] : 0);
    double bound = p->mu[i] * fmax(rho[0], 0) + (p->radius ? p->radius[i] : 0);
    for (size_t k = 1; k < dim; k++) t += rho[k] * rho[k];
    if (bound > 0 && t >= SLIPPED * SLIPPED * bound * bound) return 1;
  }
  return 0;
}

// Where most joints hold: what the judge's factors make of the last impulses, as long as it leads
// on. Statuses that stand still are factored once a step.
static void by_corrections(AutoDriver *driver, const double *start) {
  Deformation *def = &driver->judge.def;
  int64_t *blocks = &driver->report->blocks;
  int soft = def->softness < STIFF;
  // Bounds follow the pressure, which Newton's steps know. Beside springs they matter less.
  if (!driver->p->a && has_slipped(driver->p, start)) return;
  if (soft && def->lu.updates > FACTOR_WORTH * driver->sweep_cost) return;
  double last = (double)INFINITY;
  memcpy(driver->g, start, driver->size * sizeof *driver->g);
  for (int k = 0; k < CORRECTIONS && !auto_done(driver); k++) {
    double error = deformation_residual(def, driver->g, NULL, NULL, blocks);
    if (!(error < CORRECTION_FALL * last)) return;
    last = error;
    if (!deformation_step(def, driver->g, k == 0, blocks)) return;
    driver->report->iterations++;
    for (size_t i = 0; i < driver->size; i++) driver->g[i] += def->dr[i];
    auto_test(driver, driver->g);
  }
}

// What stands still is to carry its weight to round-off, not to a tolerance: from impulses that are
// right to NEARLY_RESTS steps with their statuses, as long as these lead on. One with ELASTIC_RIDGE
// leaves some hundredths of motions that are soft against all contacts, as those of a rigid body
// under an elastic one, and where gaps are part of the law these grow from step to step (sway.h).
static void come_to_rest(AutoDriver *driver) {
  SolverReport *report = driver->report;
  Deformation *def = &driver->judge.def;
  double left = deformation_residual(def, driver->best, NULL, NULL, &report->blocks);
  double ridge = RESTING_RIDGE;
  for (int k = 0; k < ACTIVE_STEPS && left > RESTS && left <= NEARLY_RESTS; k++) {
    if (!newton_step_from(&driver->newton, STATUSES_ELASTIC, def, driver->best, ridge, driver->step,
                          report))
      return;
    for (size_t i = 0; i < driver->size; i++) driver->g[i] = driver->best[i] + driver->step[i];
    double error = deformation_residual(def, driver->g, NULL, NULL, &report->blocks);
    if (!(error < ACTIVE_FALL * left)) return;
    memcpy(driver->best, driver->g, driver->size * sizeof *driver->best);
    left = error;
    ridge *= RIDGE_FALL;
  }
}

// Where the impulses `start` of the last step nearly do, nothing moves but by what sweeps would
// leave. Statuses stand still too.
static Status rest(AutoDriver *driver, const double *start, Arena *arena, Err *err) {
  int64_t *blocks = &driver->report->blocks;
  double left = deformation_residual(&driver->judge.def, start, NULL, NULL, blocks);
  if (left <= RESTS) auto_test(driver, start);
  if (left > fmin(NEARLY_RESTS, driver->settings->tolerance) || auto_done(driver)) return OK;
  TRY(auto_prepare_newton(driver, arena, err));
  if (driver->newton.lu.made) last_statuses(driver, start);
  if (driver->newton.lu.made && auto_converged(driver)) come_to_rest(driver);
  memcpy(driver->x, start, driver->size * sizeof *driver->x);
  return OK;
}

// Sweeps, and what takes most of their errors away.
static Status by_sweeps(AutoDriver *driver, const double *start, Arena *arena, Err *err) {
  TRY(rest(driver, start, arena, err));
  if (auto_done(driver)) return OK;
  TRY(sweeps_to_deformation(driver, arena, err));
  if (auto_converged(driver) && !judge_given_up(&driver->judge)) correct(driver);
  return OK;
}

Status auto_deformation(AutoDriver *driver, const double *start, Arena *arena, Err *err) {
  if (driver->judge.def.bonded) by_corrections(driver, start);
  if (auto_done(driver)) return OK;
  if (driver->judge.def.softness < STIFF)
    TRY(by_sweeps(driver, start, arena, err));
  else
    sweep_once(driver);
  if (auto_done(driver)) return OK;
  TRY(auto_prepare_newton(driver, arena, err));
  if (!driver->newton.lu.made) return OK;
  const Problem *p = driver->p;
  Deformation *def = &driver->judge.def;
  double error = deformation_residual(def, start, NULL, NULL, &driver->report->blocks);
  // Dry contacts whose load has changed by its own size do not keep their statuses; joints do.
  if (error < STATUSES_KEPT || p->radius || p->dim == 3) last_statuses(driver, start);
  // In the plane walls of stone rest without it.
  if (p->dim == 3 && auto_converged(driver) && !judge_given_up(&driver->judge))
    come_to_rest(driver);
  if (!auto_done(driver) && !p->item) TRY(interior_from(driver, start, error, arena, err));
  memcpy(driver->x, driver->best, driver->size * sizeof *driver->x);
  return OK;
}
