#include "step/verdict.h"

const VerdictType verdict_types[N_VERDICTS] = {
    [VERDICT_ENERGY_GIVEN] = {.name = "energy_given", .unit = "1"},
    [VERDICT_GIVEN_TOTAL] = {.name = "energy_given_total", .unit = "1"},
    [VERDICT_FRICTION_NET] = {.name = "friction_gave_in_all", .unit = "1", .told = 1},
    [VERDICT_BALANCE] = {.name = "balance_error", .unit = "1"},
    [VERDICT_PENETRATION] = {.name = "penetration", .unit = "m"},
    [VERDICT_HIDDEN_NODES] = {.name = "nodes_between_points", .unit = "m", .told = 1},
    [VERDICT_TURN] = {.name = "turned", .unit = "rad", .told = 1},
    [VERDICT_STEP_TURN] = {.name = "turned_in_step", .unit = "rad"},
    [VERDICT_THINNING] = {.name = "thinning", .unit = "1", .told = 1},
    [VERDICT_NECK] = {.name = "necking", .unit = "1"},
    [VERDICT_FOLDS] = {.name = "folding_elements", .unit = "elements"},
    [VERDICT_REACTION] = {.name = "reaction_off_load", .unit = "1", .told = 1},
    [VERDICT_SUNK] = {.name = "sunk_between_nodes", .unit = "1"},
    [VERDICT_BOUNCE] = {.name = "restitution_reduced", .unit = "1", .told = 1},
};

const VerdictLimits verdict_defaults = {.energy = 0.05,
                                        .balance = 0.01,
                                        .turn = 0.05,
                                        .penetration = {.edge = 0.02, .thickness = 0.1},
                                        .thinning = 0.3,
                                        .neck = 0.1,
                                        .folds = 0,
                                        .reaction = 0.02,
                                        .sinking = 0.02,
                                        .standing = 0.1};

void verdict_add(VerdictState *state, const Doubt *doubt, int64_t step, double t, Log *log) {
  int64_t *count = state->count[doubt->kind];
  double *value = state->value[doubt->kind];
  log_warn(log, verdict_types[doubt->kind].name, "step %lld, t = %.6g s: %s", (long long)step, t,
           doubt->text);
  int same = doubt->limit == value[VERDICT_LIMIT]; // limits may be zero
  int worse = same ? doubt->value > value[VERDICT_VALUE]
                   : doubt->value * value[VERDICT_LIMIT] > value[VERDICT_VALUE] * doubt->limit;
  if (count[VERDICT_COUNT]++ > 0 && !worse) return;
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
