#include "solver/sway.h"

#include <string.h>

// Directions of conjugate gradients at most: columns of 100 drums take 10 to 40.
enum { MOST = 60 };
// Share of velocities that settling leaves, from which motions are soft: they grow from 1/2 on, and
// what is less falls by a sixth a step at least.
static const double SOFT = 0.3;
// Of the residual, in which what is softest has the least part.
static const double RESIDUAL = 1e-8;

Status sway_init(Sway *sway, const BodySystem *system, Arena *arena, Err *err) {
  sway->size = (size_t)system->n_bodies * (size_t)system->modes;
  ARENA_NEW(sway->y, sway->size, arena, err);
  ARENA_NEW(sway->x, sway->size, arena, err);
  ARENA_NEW(sway->r, sway->size, arena, err);
  ARENA_NEW(sway->way, sway->size, arena, err);
  ARENA_NEW(sway->bent, sway->size, arena, err);
  return OK;
}

static double product(const Sway *sway, const double *a, const double *b) {
  double sum = 0;
  for (size_t k = 0; k < sway->size; k++) sum += a[k] * b[k];
  return sum;
}

// y = M^-1 (1 - M^-1)^-1 y; 0 where that is not positive.
static int go_on(Sway *sway, const BodySystem *system, int64_t *blocks) {
  double *x = sway->x, *r = sway->r, *way = sway->way, *bent = sway->bent;
  size_t size = sway->size;
  memset(x, 0, size * sizeof *x);
  memcpy(r, sway->y, size * sizeof *r);
  memcpy(way, sway->y, size * sizeof *way);
  double square = product(sway, r, r), end = RESIDUAL * RESIDUAL * square;
  for (int k = 0; k < MOST && square > end; k++) {
    body_system_solve(system, way, bent, blocks);
    for (size_t i = 0; i < size; i++) bent[i] = way[i] - bent[i];
    double bends = product(sway, way, bent), before = square;
    if (!(bends > 0)) return 0;
    for (size_t i = 0; i < size; i++) {
      x[i] += square / bends * way[i];
      r[i] -= square / bends * bent[i];
    }
    square = product(sway, r, r);
    for (size_t i = 0; i < size; i++) way[i] = r[i] + square / before * way[i];
  }
  body_system_solve(system, x, sway->y, blocks);
  return 1;
}

int sway_find(Sway *sway, const BodySystem *system, const double *v, int64_t *blocks) {
  int64_t look = 0;
  body_system_solve(system, v, sway->y, &look);
  if (!(product(sway, sway->y, sway->y) > SOFT * SOFT * product(sway, v, v))) return 0;
  memcpy(sway->y, v, sway->size * sizeof *v);
  if (!go_on(sway, system, blocks) || !go_on(sway, system, blocks))
    memset(sway->y, 0, sway->size * sizeof *sway->y);
  return 1;
}
