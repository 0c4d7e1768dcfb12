#include "step/verdict.h"

const VerdictType verdict_types[N_VERDICTS] = {
    [VERDICT_ENERGY_GIVEN] = {"energy_given", "1", 0},
    [VERDICT_GIVEN_TOTAL] = {"energy_given_total", "1", 0},
    [VERDICT_BALANCE] = {"balance_error", "1", 0},
    [VERDICT_PENETRATION] = {"penetration", "m", 0},
    [VERDICT_HIDDEN_NODES] = {"nodes_between_points", "m", .told = 1},
    [VERDICT_TURN] = {"turned", "rad", .told = 1},
};

const VerdictLimits verdict_defaults = {
    .energy = 0.05, .balance = 0.01, .turn = 0.05, .penetration = {.edge = 0.02, .thickness = 0.1}};

void verdict_add(VerdictState *state, const Doubt *doubt, int64_t step, double t, Log *log) {
  int64_t *count = state->count[doubt->kind];
  double *value = state->value[doubt->kind];
  log_warn(log, verdict_types[doubt->kind].name, "step %lld, t = %.6g s: %s", (long long)step, t,
           doubt->text);
  if (count[VERDICT_COUNT]++ > 0 &&
      doubt->value * value[VERDICT_LIMIT] <= value[VERDICT_VALUE] * doubt->limit)
    return;
  count[VERDICT_STEP] = step;
  count[VERDICT_BODY] = doubt->body;
  value[VERDICT_VALUE] = doubt->value;
  value[VERDICT_LIMIT] = doubt->limit;
}

int verdict_any(const VerdictState *state) {
  for (int k = 0; k < N_VERDICTS; k++)
    if (state->count[k][VERDICT_COUNT] > 0 && !verdict_types[k].told) return 1;
  return 0;
}
