// bench_operator: what a sweep costs by blocks of W and by bodies, in ns a contact, for rigid
// squares on a grid with 4 to 60 contacts each; the model's choice (CONTACTS_FOR_BODIES of
// contact_delassus.c) rests on it. Best of many sweeps on the clock.

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/timer.h"
#include "solver/operator.h"
#include "solver/sweeper.h"

enum { SWEEPS = 40 };

typedef struct {
  Problem p; // by bodies
  int32_t *moved;
  double *lever, *own, *motion, *diag, *b, *mu;
} Grid;

// Contact i of the sides: square `body`, at `arm` from its centre, with axes (n, t) seen from it.
static void add_side(Grid *g, size_t side, int body, const double arm[2], const double axis[2][2]) {
  double *lever = g->lever + side * 6;
  g->moved[side] = body;
  for (int k = 0; k < 2; k++) { // mass 1, moment of inertia 1/6
    for (int i = 0; i < 2; i++) lever[3 * k + i] = axis[k][i];
    lever[3 * k + 2] = (arm[0] * axis[k][1] - arm[1] * axis[k][0]) * sqrt(6);
  }
}

// m x m squares of side 1 on a floor, `per` contact points on each face between two of them, in the
// order of the bodies.
static int grid_init(Grid *g, int m, int per) {
  size_t n = 0, most = (size_t)(2 * m * m * per);
  *g = (Grid){.moved = mem_new(2 * most, sizeof(int32_t)),
              .lever = mem_new(12 * most, sizeof(double)),
              .own = mem_new(4 * most, sizeof(double)),
              .motion = mem_new((size_t)(3 * m * m), sizeof(double)),
              .diag = mem_new(4 * most, sizeof(double)),
              .b = mem_new(2 * most, sizeof(double)),
              .mu = mem_new(most, sizeof(double))};
  if (!g->moved || !g->lever || !g->own || !g->motion || !g->diag || !g->b || !g->mu) return 0;
  for (int body = 0; body < m * m; body++)
    for (int face = 0; face < 2; face++) { // on the one below, on the one to the left
      int column = body % m, row = body / m, other = face == 0 ? body - m : body - 1;
      if (face == 1 && column == 0) continue;
      for (int k = 0; k < per; k++, n++) {
        double along = (k + 0.5) / per - 0.5;
        const double up[2][2] = {{0, 1}, {1, 0}}, right[2][2] = {{1, 0}, {0, 1}};
        double own[2] = {face ? -0.5 : along, face ? along : -0.5}, axis[2][2], back[2];
        for (int i = 0; i < 4; i++)
          axis[i / 2][i % 2] = face ? right[i / 2][i % 2] : up[i / 2][i % 2];
        add_side(g, 2 * n, body, own, (const double(*)[2])axis);
        for (int i = 0; i < 4; i++) axis[i / 2][i % 2] *= -1;
        for (int i = 0; i < 2; i++) back[i] = own[i] + ((face == 1) == (i == 0) ? 1 : 0);
        add_side(g, 2 * n + 1, face == 0 && row == 0 ? -1 : other, back, (const double(*)[2])axis);
        g->b[2 * n] = face == 0 && row == 0 ? -1e-3 : -1e-6 * (double)(n % 7);
        g->mu[n] = 0.5;
      }
    }
  for (size_t i = 0; i < n; i++)
    for (size_t side = 2 * i; side < 2 * i + 2; side++)
      for (size_t k = 0; k < 12 && g->moved[side] >= 0; k++)
        g->own[4 * i + k / 3] +=
            g->lever[6 * side + k / 6 * 3 + k % 3] * g->lever[6 * side + k / 3 % 2 * 3 + k % 3];
  memcpy(g->diag, g->own, 4 * n * sizeof *g->diag);
  g->p = (Problem){.dim = 2,
                   .n = (int)n,
                   .bodies = {.n_bodies = m * m,
                              .n_modes = 3,
                              .moved = g->moved,
                              .lever = g->lever,
                              .own = g->own,
                              .motion = g->motion},
                   .diag = g->diag,
                   .b = g->b,
                   .mu = g->mu};
  return 1;
}

static void grid_free(Grid *g) {
  mem_free(g->moved);
  mem_free(g->lever);
  mem_free(g->own);
  mem_free(g->motion);
  mem_free(g->diag);
  mem_free(g->b);
  mem_free(g->mu);
}

// ns a contact of the best sweep; `r` [n dim] in and out.
static double time_sweeps(const Problem *p, double *r) {
  Arena arena = {0};
  SolverReport report = {0};
  Sweeper sweeper;
  double best = (double)INFINITY;
  if (sweeper_init(&sweeper, p, &arena, &report, NULL) != OK) return 0;
  for (int k = 0; k < SWEEPS; k++) {
    double start = timer_wall();
    sweeper_sweep(&sweeper, 1, r, &report);
    best = fmin(best, timer_wall() - start);
  }
  arena_free(&arena);
  return 1e9 * best / p->n;
}

static int compare(int m, int per) {
  Grid g;
  Arena arena = {0};
  Problem blocks;
  if (!grid_init(&g, m, per)) return 0;
  size_t size = 2 * (size_t)g.p.n;
  double *r = calloc(size, sizeof *r), *q = calloc(size, sizeof *q), start = timer_wall();
  if (!r || !q || operator_blocks(&g.p, &blocks, &arena, NULL) != OK) return 0;
  double made = timer_wall() - start;
  double by_blocks = time_sweeps(&blocks, r), by_bodies = time_sweeps(&g.p, q), off = 0, most = 0;
  for (size_t k = 0; k < size; k++) {
    off = fmax(off, fabs(r[k] - q[k]));
    most = fmax(most, fabs(r[k]));
  }
  printf("%8d %8d %6.1f %8.1f %8.1f %10.0f %8.1e\n", 4 * per, g.p.n,
         (double)blocks.blocks.ptr[g.p.n] / g.p.n, by_blocks, by_bodies, 1e9 * made / g.p.n,
         off / most);
  arena_free(&arena);
  grid_free(&g);
  free(r);
  free(q);
  return 1;
}

int main(void) {
  static const int per[] = {1, 2, 3, 4, 5, 8, 15};
  omp_set_num_threads(1);
  puts(
      "contacts a body, contacts, blocks a contact, ns a contact and sweep by blocks and by bodies,");
  printf("ns a contact to make the blocks, largest difference after %d sweeps\n", SWEEPS);
  for (int m = 10; m <= 40; m += 30)
    for (size_t k = 0; k < sizeof per / sizeof per[0]; k++)
      if (!compare(m, per[k])) return 3;
  return 0;
}
