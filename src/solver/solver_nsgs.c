// Non-smooth Gauss-Seidel, Jean 1999, section 5.4: contact after contact, each solved exactly with
// the latest impulses of the others. The reference implementation: the next solver starts from it.

#include "solver/measure.h"
#include "solver/solver_table.h"
#include "solver/sweeper.h"
#include "solver/watch.h"

// At most this many sweeps without a test.
enum { LONGEST_PAUSE = 50 };

// Fisher-Yates with a generator of its own (a linear congruence of Knuth): the same in every run.
static void shuffle(int32_t *order, int n, uint64_t *state) {
  for (int k = n - 1; k > 0; k--) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    int other = (int)((*state >> 33) % (uint64_t)(k + 1));
    int32_t swap = order[k];
    order[k] = order[other];
    order[other] = swap;
  }
}

static double next_sweep(Sweeper *sweeper, const SolverSettings *settings, int k, int32_t *order,
                         uint64_t *state, double *r, SolverReport *report) {
  if (settings->order == ORDER_SHUFFLED) shuffle(order, sweeper->p->n, state);
  int back = settings->order == ORDER_REVERSE || (settings->order == ORDER_SYMMETRIC && k % 2 == 0);
  return back ? sweeper_sweep_back(sweeper, settings->relaxation, r, report)
              : sweeper_sweep(sweeper, settings->relaxation, r, report);
}

static Status solve(const Problem *p, const SolverSettings *settings, double *r, Arena *arena,
                    SolverReport *report, Err *err) {
  *report = (SolverReport){0};
  if (p->n == 0) {
    report->converged = 1;
    return OK;
  }
  Sweeper sweeper;
  int32_t *order = NULL;
  uint64_t state = 1;
  Judge judge;
  TRY(sweeper_init(&sweeper, p, arena, report, err));
  TRY(judge_init(&judge, p, settings, sweeper.scale, arena, err));
  if (settings->order == ORDER_COLOURED) TRY(sweeper_colour(&sweeper, arena, err));
  if (settings->order == ORDER_SHUFFLED) {
    ARENA_NEW(order, p->n, arena, err);
    for (int i = 0; i < p->n; i++) order[i] = i;
    sweeper.order = order;
  }
  // The change of a sweep follows the error by a factor that one full test calibrates.
  double factor = 1 / FIRST_TEST;
  int last_test = 0;
  for (int k = 1; k <= settings->max_iterations; k++) {
    double change = next_sweep(&sweeper, settings, k, order, &state, r, report);
    report->iterations = k;
    int due = change * factor <= settings->tolerance || k - last_test >= LONGEST_PAUSE;
    if (!due && k < settings->max_iterations) continue;
    report->error = judge_error(&judge, r, report);
    if (report->error <= settings->tolerance && judge_means_something(&judge, r)) {
      report->converged = 1;
      return OK;
    }
    if (change > 0) factor = report->error / change;
    last_test = k;
  }
  if (!judge_means_something(&judge, r)) judge_tell_runaway(&judge, r, report->error, report);
  if (report->no_local_solution > 0)
    report->reason = "contacts without a solution of their own: their friction is too high";
  return OK;
}

static const ParamSpec params[] = {
    {"order", PARAM_CHOICE, "", "natural", NULL, "natural|reverse|symmetric|shuffled|coloured",
     "Order of the contacts in a sweep; coloured: on all threads"},
};

const SolverType solver_nsgs = {
    .name = "nsgs",
    .doc = "Non-smooth Gauss-Seidel with the exact solution of each contact (Jean 1999, 5.4)",
    .params = params,
    .n_params = sizeof params / sizeof params[0],
    .max_iterations = 10000,
    .solve = solve,
};
