#include "output/schedule.h"

#include <math.h>

typedef enum { BY_STEPS, BY_TIME, BY_REST, N_WAYS } Way;

static Way way_of(const Stage *stage) {
  if (stage->until_rest) return BY_REST;
  return stage->steps.h_max > stage->steps.h ? BY_TIME : BY_STEPS;
}

static double duration_of(const Stage *stage) {
  return stage->name ? stage->duration : stage->steps.end - stage->steps.start;
}

// What the stages of each way share: steps, seconds, stages; and how many ways there are.
typedef struct {
  double total[N_WAYS];
  int n_ways;
} Shares;

static Shares shares_of(const Model *model) {
  Shares shares = {0};
  for (int k = 0; k < model->n_stages; k++) {
    const Stage *stage = &model->stages[k];
    const double own[N_WAYS] = {(double)stage->steps.n_steps, duration_of(stage), 1};
    shares.total[way_of(stage)] += own[way_of(stage)];
  }
  for (int way = 0; way < N_WAYS; way++) shares.n_ways += shares.total[way] > 0;
  return shares;
}

// Steps, or seconds, between two sets of stages of a way.
static double spacing(const Shares *shares, Way way) {
  return shares->total[way] * shares->n_ways / FIELD_SETS;
}

// After so many steps of a stage that rest ends, every second one is enough; after twice as many
// every fourth.
static int64_t dense_steps(const Shares *shares) {
  double n = 0.5 * FIELD_SETS / (shares->n_ways * shares->total[BY_REST]);
  return n > 4 ? (int64_t)n : 4;
}

static int64_t rest_stride(int64_t n, int64_t dense) {
  int64_t stride = 1;
  while (n > dense * stride) stride *= 2;
  return stride;
}

static int wants_by_itself(const Model *model, const State *state, double h) {
  const Stage *stage = stage_current(model, state);
  Shares shares = shares_of(model);
  int64_t n = state->step - state->stage[STAGE_FIRST_STEP];
  if (n == 0) return 1;
  if (way_of(stage) == BY_REST) return n % rest_stride(n, dense_steps(&shares)) == 0;
  if (way_of(stage) == BY_STEPS) {
    int64_t stride = (int64_t)ceil(spacing(&shares, BY_STEPS));
    return n % (stride > 0 ? stride : 1) == 0;
  }
  // a whole number of spacings lies in ]t - h, t]
  double start = stage->name ? state->stage_value[STAGE_START] : stage->steps.start;
  double since = (state->t - start) / spacing(&shares, BY_TIME),
         step = h / spacing(&shares, BY_TIME);
  return floor(since) > floor(since - step);
}

int schedule_wants_fields(int every, const Model *model, const State *state, double h) {
  if (every == FIELDS_NONE) return 0;
  if (stage_current(model, state)->name && stage_is_over(model, state)) return 1;
  return every > 0 ? state->step % every == 0 : wants_by_itself(model, state, h);
}

// Sets of a stage after its start: of steps, of time, or the longest that rest may take.
static int64_t count_stage(const Stage *stage, const Shares *shares) {
  Way way = way_of(stage);
  if (way == BY_TIME) return (int64_t)ceil(duration_of(stage) / spacing(shares, BY_TIME)) + 1;
  if (way == BY_STEPS)
    return (int64_t)((double)stage->steps.n_steps / fmax(1, ceil(spacing(shares, BY_STEPS)))) + 1;
  int64_t sets = 1, dense = dense_steps(shares);
  for (int64_t n = 1; n <= stage->steps.n_steps; n++) {
    int64_t stride = rest_stride(n, dense);
    if (n % stride == 0) sets++;
    n += stride - 1 - n % stride;
  }
  return sets;
}

int64_t schedule_count_fields(int every, const Model *model) {
  if (every == FIELDS_NONE) return 0;
  Shares shares = shares_of(model);
  int64_t n = 1; // the start
  for (int k = 0; k < model->n_stages; k++)
    n += every > 0 ? model->stages[k].steps.n_steps / every + 1
                   : count_stage(&model->stages[k], &shares);
  return n;
}
