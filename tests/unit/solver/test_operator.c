// W by bodies is W by blocks: products, sweeps, what solvers find; and parts of one colour share no
// body.
#include "problems.h"

#include <omp.h>

#include "solver/operator.h"
#include "solver/sweeper.h"

TestSuite(operator, .fini = expect_no_leak);

// Contacts between bodies in a row and a few fixed things, with any levers; contact 1 has one body
// on both sides, and `soft` contacts a compliance of their law.
typedef struct {
  Problem p, blocks;
  Arena arena;
} Row;

static void row_init(Row *row, int dim, int n, int n_bodies, int soft, uint64_t seed) {
  int modes = dim == 2 ? 3 : 6, block = dim * dim;
  double *lever, *own, *diag, *b, *mu, *motion;
  int32_t *moved;
  *row = (Row){0};
  Arena *arena = &row->arena;
  moved = arena_take(arena, (size_t)(2 * n), sizeof *moved);
  lever = arena_take(arena, (size_t)(2 * n * dim * modes), sizeof *lever);
  own = arena_take(arena, (size_t)(n * block), sizeof *own);
  diag = arena_take(arena, (size_t)(n * block), sizeof *diag);
  b = arena_take(arena, (size_t)(n * dim), sizeof *b);
  mu = arena_take(arena, (size_t)n, sizeof *mu);
  motion = arena_take(arena, (size_t)(n_bodies * modes), sizeof *motion);
  for (int i = 0; i < n; i++) {
    int body = (int)((int64_t)i * n_bodies / n);
    moved[2 * i] = body;
    moved[2 * i + 1] = i == 1 ? body : i % 5 == 0 ? -1 : body + 1 < n_bodies ? body + 1 : -1;
    // Mostly one normal and small tangents, as contacts have.
    for (int k = 0; k < 2 * dim * modes; k++)
      lever[2 * i * dim * modes + k] = random_real(&seed) + (k % (modes + 1) == 0);
    mu[i] = 0.3;
    for (int k = 0; k < block; k++) {
      double sum = 0;
      for (int s = 0; s < 2; s++)
        for (int t = 0; t < 2; t++)
          for (int m = 0;
               m < modes && moved[2 * i + s] == moved[2 * i + t] && moved[2 * i + s] >= 0; m++)
            sum += lever[((2 * i + s) * dim + k / dim) * modes + m] *
                   lever[((2 * i + t) * dim + k % dim) * modes + m];
      own[i * block + k] = sum;
      diag[i * block + k] = sum + (soft && k % (dim + 1) == 0 ? 0.5 : 0);
    }
  }
  // Free velocities are those of the bodies: impulses that bring them to rest exist.
  for (int k = 0; k < n_bodies * modes; k++) motion[k] = random_real(&seed) - 0.5;
  for (int at = 0; at < n * dim; at++) {
    b[at] = 0;
    for (int side = at / dim * 2; side < at / dim * 2 + 2; side++)
      for (int m = 0; m < modes && moved[side] >= 0; m++)
        b[at] += lever[(side * dim + at % dim) * modes + m] * motion[moved[side] * modes + m];
  }
  row->p = (Problem){.dim = dim,
                     .n = n,
                     .bodies = {n_bodies, modes, moved, lever, own, motion, NULL},
                     .diag = diag,
                     .b = b,
                     .mu = mu};
  cr_assert_eq(operator_blocks(&row->p, &row->blocks, arena, NULL), OK);
  cr_assert(!row->p.blocks.ptr && row->blocks.blocks.ptr);
}

static double largest_difference(const double *x, const double *y, int size) {
  double off = 0, most = 0;
  for (int k = 0; k < size; k++) {
    off = fmax(off, fabs(x[k] - y[k]));
    most = fmax(most, fabs(x[k]));
  }
  return off / most;
}

enum { N = 40, BODIES = 7, SIZE = 3 * N };

// Each component is a sum of some hundred products of numbers of size one.
static const double ROUND_OFF = 1e-13;

// Not by blocks made from the same bodies, but by L itself: W = L L^T + C.
Test(operator, product_by_bodies_is_the_levers_times_their_transposed) {
  for (int dim = 2; dim <= 3; dim++) {
    Row row;
    double x[SIZE], y[SIZE], z[SIZE], motion[BODIES * 6] = {0};
    uint64_t seed = 3;
    row_init(&row, dim, N, BODIES, 1, 11);
    const BodyRows *rows = &row.p.bodies;
    int modes = rows->n_modes;
    for (int k = 0; k < N * dim; k++) x[k] = random_real(&seed);
    for (int side = 0; side < 2 * N; side++)
      for (int k = 0; k < dim * modes && rows->moved[side] >= 0; k++)
        motion[rows->moved[side] * modes + k % modes] +=
            rows->lever[side * dim * modes + k] * x[side / 2 * dim + k / modes];
    for (int at = 0; at < N * dim; at++) {
      y[at] = 0.5 * x[at]; // the compliance
      for (int side = at / dim * 2; side < at / dim * 2 + 2; side++)
        for (int m = 0; m < modes && rows->moved[side] >= 0; m++)
          y[at] += rows->lever[(side * dim + at % dim) * modes + m] *
                   motion[rows->moved[side] * modes + m];
    }
    operator_times(&row.p, NULL, x, z);
    cr_assert_leq(largest_difference(y, z, N * dim), ROUND_OFF);
    operator_times(&row.blocks, NULL, x, z);
    cr_assert_leq(largest_difference(y, z, N * dim), ROUND_OFF);
    for (int k = 0; k < N * dim; k++) y[k] += row.p.b[k];
    operator_times(&row.p, row.p.b, x, z);
    cr_assert_leq(largest_difference(y, z, N * dim), ROUND_OFF);
    // row after row, without and with the diagonal block
    operator_set(&row.p, x);
    for (int i = 0; i < N; i++) operator_row(&row.p, i, x, z + i * dim);
    cr_assert_leq(largest_difference(y, z, N * dim), ROUND_OFF);
    arena_free(&row.arena);
  }
}

Test(operator, sweep_by_bodies_is_that_by_blocks_to_round_off) {
  for (int dim = 2; dim <= 3; dim++)
    for (int soft = 0; soft < 2; soft++) {
      Row row;
      Sweeper by[2];
      double r[2][SIZE] = {{0}};
      SolverReport report = {0};
      row_init(&row, dim, N, BODIES, soft, 5);
      for (int k = 0; k < 2; k++)
        cr_assert_eq(sweeper_init(&by[k], k ? &row.blocks : &row.p, &row.arena, &report, NULL), OK);
      for (int s = 0; s < 6; s++) {
        for (int k = 0; k < 2; k++)
          if (s % 2)
            sweeper_sweep_back(&by[k], 1.1, r[k], &report);
          else
            sweeper_sweep(&by[k], 1, r[k], &report);
        cr_assert_leq(largest_difference(r[1], r[0], N * dim), ROUND_OFF);
      }
      arena_free(&row.arena);
    }
}

Test(operator, costs_two_sides_a_contact_by_bodies) {
  Row row;
  Sweeper sweeper;
  SolverReport report = {0};
  double r[SIZE] = {0};
  row_init(&row, 2, N, BODIES, 0, 5);
  cr_assert_eq(operator_cost(&row.p), 7 * N);
  cr_assert_eq(operator_cost(&row.blocks), row.blocks.blocks.ptr[N] + N);
  cr_assert_eq(sweeper_init(&sweeper, &row.p, &row.arena, &report, NULL), OK);
  sweeper_sweep(&sweeper, 1, r, &report);
  cr_assert_eq(report.blocks, 7 * N);
  // symmetric sweeps have no halves to keep
  cr_assert_eq(sweeper_symmetric_init(&sweeper, &row.arena, NULL), OK);
  cr_assert(!sweeper.halves);
  arena_free(&row.arena);
}

// What round-off makes of a row is at most what its sizes say.
Test(operator, sizes_by_bodies_are_no_smaller_than_by_blocks) {
  for (int dim = 2; dim <= 3; dim++) {
    Row row;
    double x[SIZE];
    uint64_t seed = 8;
    row_init(&row, dim, N, BODIES, 1, 2);
    for (int k = 0; k < N * dim; k++) x[k] = random_real(&seed);
    operator_set_sizes(&row.p, x);
    for (size_t at = 0; at < (size_t)(N * dim); at++)
      cr_assert_geq(operator_size(&row.p, at, x), operator_size(&row.blocks, at, x));
    arena_free(&row.arena);
  }
}

// Every solver takes the problem, and finds what it finds by blocks; those that factorise are given
// blocks. Friction is low: there is one solution in velocities, and compliance makes impulses
// unique.
Test(operator, every_solver_takes_problems_by_bodies) {
  for (int s = 0; solver_types[s]; s++) {
    const SolverType *type = solver_types[s];
    for (int dim = 2; dim <= 3; dim++) {
      Row row;
      double r[2][SIZE] = {{0}};
      SolverSettings settings = solver_defaults(type);
      settings.tolerance = 1e-6;
      if (settings.max_iterations > 2000) settings.max_iterations = 2000;
      SolverReport report[2];
      row_init(&row, dim, N, BODIES, 1, 5);
      for (int k = 0; k < 2; k++)
        cr_assert_eq(solver_run(type, k ? &row.blocks : &row.p, &settings, r[k], &row.arena,
                                &report[k], NULL),
                     OK);
      cr_assert_eq(report[0].converged, report[1].converged, "%s", type->name);
      if (report[0].converged) // what the tolerance leaves of the softest contact
        cr_assert_leq(largest_difference(r[1], r[0], N * dim), 1e-3, "%s", type->name);
      arena_free(&row.arena);
    }
  }
}

// Without compliance, and to round-off: auto goes on to factors, for which it makes blocks.
Test(operator, auto_makes_blocks_where_it_factorises) {
  const SolverType *type = solver_find("auto");
  for (int dim = 2; dim <= 3; dim++) {
    Row row;
    double r[SIZE] = {0};
    SolverSettings settings = solver_defaults(type);
    SolverReport report;
    settings.tolerance = 1e-11;
    row_init(&row, dim, N, 3, 0, 7);
    cr_assert_eq(solver_run(type, &row.p, &settings, r, &row.arena, &report, NULL), OK);
    cr_assert(report.converged, "error %g", report.error);
    double *scale = arena_take(&row.arena, N, sizeof *scale);
    measure_scales(&row.blocks, scale);
    cr_assert_leq(measure_error(&row.blocks, scale, r), 2e-11);
    arena_free(&row.arena);
  }
}

Test(operator, parts_of_one_colour_share_no_body) {
  Row row;
  Colouring c;
  row_init(&row, 2, 5000, 300, 0, 9);
  cr_assert_eq(colouring_init(&c, &row.p, &row.arena, NULL), OK);
  int32_t *colour = arena_take(&row.arena, (size_t)c.n_parts, sizeof *colour);
  for (int at = 0; at < c.n_parts; at++) colour[c.part[at]] = c.colour[at];
  cr_assert_eq(c.n_colours, 2);
  for (int i = 0; i < row.p.n; i++)
    for (int64_t e = row.blocks.blocks.ptr[i]; e < row.blocks.blocks.ptr[i + 1]; e++) {
      int part = i / c.size, other = row.blocks.blocks.col[e] / c.size;
      cr_assert(part == other || colour[part] != colour[other]);
    }
  arena_free(&row.arena);
}

Test(operator, coloured_sweeps_by_bodies_give_the_same_bits_with_any_number_of_threads) {
  enum { MANY = 60000 };
  static const int threads[] = {1, 2, 4};
  double *first = mem_new(2 * MANY, sizeof *first);
  for (int t = 0; t < 3; t++) {
    Row row;
    Sweeper sweeper;
    SolverReport report = {0};
    row_init(&row, 2, MANY, 2000, 0, 9);
    cr_assert(problem_for_threads(&row.p));
    double *r = arena_take(&row.arena, 2 * MANY, sizeof *r);
    memset(r, 0, 2 * MANY * sizeof *r);
    cr_assert_eq(sweeper_init(&sweeper, &row.p, &row.arena, &report, NULL), OK);
    cr_assert_eq(sweeper_colour(&sweeper, &row.arena, NULL), OK);
    omp_set_num_threads(threads[t]);
    for (int s = 0; s < 5; s++) sweeper_sweep(&sweeper, 1, r, &report);
    if (t == 0) memcpy(first, r, 2 * MANY * sizeof *r);
    cr_assert_eq(memcmp(first, r, 2 * MANY * sizeof *r), 0, "%d threads differ", threads[t]);
    arena_free(&row.arena);
  }
  mem_free(first);
}

// A file has blocks, whatever the problem has.
Test(operator, problems_by_bodies_are_written_with_their_blocks) {
  for (int dim = 2; dim <= 3; dim++) {
    Row row;
    FclibProblem file[2];
    row_init(&row, dim, N, BODIES, 1, 5);
    for (int k = 0; k < 2; k++)
      cr_assert_eq(problem_to_fclib(&file[k], k ? &row.blocks : &row.p, NULL), OK);
    size_t entries = (size_t)file[0].w.ptr[N * dim];
    cr_assert_gt(entries, (size_t)(N * dim * dim));
    cr_assert_eq(file[1].w.ptr[N * dim], (int64_t)entries);
    cr_assert_eq(memcmp(file[0].w.val, file[1].w.val, entries * sizeof(double)), 0);
    cr_assert_eq(memcmp(file[0].w.col, file[1].w.col, entries * sizeof(int32_t)), 0);
    for (int k = 0; k < 2; k++) fclib_free(&file[k]);
    arena_free(&row.arena);
  }
}
