// solver/sway.h -- motions of bodies that are softer than the contacts that settle them.
//
// What settles (standing.h) solves M v = f with M = 1 + L^T J L: contacts yield by J^-1. A motion
// against which all of them together are soft, as that of a heavy cap on a column of drums, keeps
// 1 / (1 + k) of its error, k its part of L^T J L. Where gaps are part of the law errors add up
// three times from step to step, to impulses, velocities and gaps: (1 - 1/z)^3 = -k, so that they
// grow wherever k < 1, by a sixth a step at k = 1/8, however small they are beside the tolerance.
//
// Settled again and again with the same factors, impulses have J L y more in the end, and v is then
// where contacts stand still,
//   y = M^-2 (1 - M^-1)^-2 v.
// Few motions are soft, so conjugate gradients on 1 - M^-1 find y with few solutions by M. What
// moves nothing has no part in it: internal forces do not grow from gaps that do not fit.

#ifndef SOLVER_SWAY_H
#define SOLVER_SWAY_H

#include "solver/body_system.h"

typedef struct {
  size_t size;                // velocities of the bodies
  double *y;                  // [size] as above
  double *x, *r, *way, *bent; // [size] solution, residual, direction and its product
} Sway;

Status sway_init(Sway *sway, const BodySystem *system, Arena *arena, Err *err) MUST_CHECK;

// 1: what was settled with the factors of `system`, by the velocities v, has left more than a small
// share of them, and sway->y settles it (0 where J of what slips does not let it). The look
// itself is not counted in *blocks: it is a small part of the factors.
int sway_find(Sway *sway, const BodySystem *system, const double *v, int64_t *blocks);

#endif
