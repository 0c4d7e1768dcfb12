#include "solver/judge.h"

#include <math.h>

#include "solver/measure.h"
#include "solver/operator.h"

const char JUDGE_RUNAWAY[] = "impulses grow without an end: there may be no solution";

Status judge_init(Judge *judge, const Problem *p, const SolverSettings *settings,
                  const double *scale, Arena *arena, Err *err) {
  *judge = (Judge){.p = p,
                   .scale = scale,
                   .tolerance = settings->tolerance,
                   .settings = settings,
                   .by_deformation = settings->measure == MEASURE_DEFORMATION && p->elastic};
  if (!judge->by_deformation) return OK;
  TRY(deformation_init(&judge->def, p, arena, err));
  return deformation_factors(&judge->def, settings->kept, arena, err);
}

int judge_given_up(Judge *judge) {
  const SolverSettings *settings = judge->settings;
  if (!judge->stopped && settings->must_stop)
    judge->stopped = settings->must_stop(settings->must_stop_of);
  if (judge->stopped) judge->scaled = 0;
  return judge->stopped;
}

double judge_error(Judge *judge, const double *r, SolverReport *report) {
  const Problem *p = judge->p;
  if (judge_given_up(judge)) return 0;
  if (!judge->by_deformation) {
    report->blocks += operator_cost(p);
    judge->scaled = measure_errors(p, judge->scale, r, &judge->velocity);
    return judge->judged = judge->scaled;
  }
  deformation_residual(&judge->def, r, judge->scale, &judge->scaled, &report->blocks);
  return judge->judged = deformation_claim(&judge->def, r, judge->tolerance, &report->blocks);
}

double judge_error_known(Judge *judge, const double *r, const double *u, SolverReport *report) {
  const Problem *p = judge->p;
  if (judge_given_up(judge)) return 0;
  double sum[2] = {0};
  for (int i = 0; i < p->n; i++)
    measure_add(p, i, judge->scale[i], r, u + (size_t)i * (size_t)p->dim, sum);
  judge->scaled = measure_ratio(sum[0], sum[1]);
  if (!judge->by_deformation) return judge->judged = judge->scaled;
  deformation_residual_known(&judge->def, r, u);
  return judge->judged = deformation_claim(&judge->def, r, judge->tolerance, &report->blocks);
}

double judge_round_off(const Judge *judge, const double *r) {
  if (judge->by_deformation) return deformation_round_off(&judge->def, r);
  return measure_round_off(judge->p, judge->scale, r);
}

int judge_means_something(const Judge *judge, const double *r) {
  if (judge->stopped) return 1;
  if (!measure_means_something(judge->p, judge->scale, r, judge->scaled)) return 0;
  return judge->judged > judge->tolerance ||
         !(measure_missed_equality(judge->p, r, judge->tolerance, NULL) > 0);
}

void judge_tell_runaway(const Judge *judge, const double *r, double error, SolverReport *report) {
  if (error <= judge->tolerance || measure_runs_away(judge->p, judge->scale, r))
    report->reason = JUDGE_RUNAWAY;
}

int judge_is_better(const Judge *judge, const double *r, double error, double best, int *means) {
  int away = best <= judge->tolerance && !*means;
  if (!(away ? error <= judge->tolerance : error < best)) return 0;
  int meant = judge_means_something(judge, r);
  if (away && !meant) return 0;
  *means = meant;
  return 1;
}
