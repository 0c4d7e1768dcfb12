#include "solver/row_factors.h"

#include <math.h>
#include <string.h>

#include "solver/local3.h"
#include "solver/row.h"

Status row_factors_init(RowFactors *factors, const Problem *p, SolverKept *kept, Arena *arena,
                        Err *err) {
  size_t size = (size_t)p->n * (size_t)p->dim;
  *factors = (RowFactors){.p = p, .by_bodies = body_system_takes(p)};
  if (!factors->by_bodies) {
    TRY(block_lu_init(&factors->lu, p, arena, err));
    factors->made = factors->lu.made;
    return OK;
  }
  TRY(body_system_init(&factors->system, p, kept, arena, err));
  factors->made = factors->system.lu.made;
  ARENA_NEW(factors->inverse, size * (size_t)p->dim, arena, err);
  ARENA_NEW(factors->j, size * (size_t)p->dim, arena, err);
  ARENA_NEW(factors->own, size, arena, err);
  ARENA_NEW(factors->v, factors->system.n_bodies * factors->system.modes, arena, err);
  return OK;
}

static int invert(int dim, const double *a, double *inverse) {
  double det;
  if (dim == 2) {
    det = a[0] * a[3] - a[1] * a[2];
    const double out[4] = {a[3] / det, -a[1] / det, -a[2] / det, a[0] / det};
    memcpy(inverse, out, sizeof out);
  } else {
    det = local3_invert(a, inverse);
  }
  return fabs(det) > 0 && isfinite(det);
}

int row_factors_make(RowFactors *factors, const double *left, const double *right,
                     int64_t *blocks) {
  const Problem *p = factors->p;
  int dim = p->dim;
  if (!factors->by_bodies) return block_lu_factor(&factors->lu, p, left, right, blocks);
  for (int i = 0; i < p->n; i++) {
    size_t at = (size_t)i * (size_t)(dim * dim);
    if (!invert(dim, right + at, factors->inverse + at)) return 0;
    for (int k = 0; k < dim; k++)
      for (int l = 0; l < dim; l++) {
        double sum = 0;
        for (int m = 0; m < dim; m++)
          sum += factors->inverse[at + (size_t)(k * dim + m)] * left[at + (size_t)(m * dim + l)];
        factors->j[at + (size_t)(k * dim + l)] = sum;
      }
  }
  return body_system_factor(&factors->system, factors->j, blocks);
}

// x = right^-1 b - right^-1 left L v with (1 + L^T right^-1 left L) v = L^T right^-1 b.
static inline __attribute__((always_inline)) void
solve_by_bodies(const int dim, RowFactors *factors, const double *b, double *x, int64_t *blocks) {
  const BodySystem *system = &factors->system;
  memset(factors->v, 0, (size_t)(system->n_bodies * system->modes) * sizeof *factors->v);
  for (int i = 0; i < factors->p->n; i++) {
    double *own = factors->own + (size_t)(i * dim);
    for (int k = 0; k < dim; k++) own[k] = 0;
    block_add(dim, factors->inverse + (size_t)(i * dim * dim), b + (size_t)(i * dim), own);
    body_system_add_impulse(dim, system, i, own, factors->v);
  }
  body_system_solve(system, factors->v, factors->v, blocks);
  for (int i = 0; i < factors->p->n; i++) {
    double u[3] = {0}, less[3] = {0};
    body_system_add_velocity(dim, system, i, factors->v, u);
    block_add(dim, factors->j + (size_t)(i * dim * dim), u, less);
    for (int k = 0; k < dim; k++) x[i * dim + k] = factors->own[i * dim + k] - less[k];
  }
}

void row_factors_solve(RowFactors *factors, const double *b, double *x, int64_t *blocks) {
  if (!factors->by_bodies) {
    block_lu_solve(&factors->lu, b, x);
    return;
  }
  if (factors->p->dim == 2)
    solve_by_bodies(2, factors, b, x, blocks);
  else
    solve_by_bodies(3, factors, b, x, blocks);
}
