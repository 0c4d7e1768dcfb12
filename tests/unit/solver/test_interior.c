#include "problems.h"

#include "solver/auto.h"
#include "solver/given_friction.h"
#include "solver/interior.h"

TestSuite(interior, .fini = expect_no_leak);

enum { N = 12 };

// A random problem whose diagonal counts as elastic, with everything a law may ask for.
typedef struct {
  OwnedProblem owned;
  double elastic[2 * N], radius[N], s[3 * N], a[2 * N], mu[N];
} Sample;

typedef enum { PURE, COHESION, TENSION, PARALLEL, SMOOTH } Kind;

static void make_sample(Sample *sample, int dim, Kind kind, uint64_t seed) {
  uint64_t state = seed;
  make_random(&sample->owned, dim, N, dim * N, 0.3, 0.4, 1, seed);
  Problem *p = &sample->owned.p;
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < 2; k++) {
      sample->elastic[2 * i + k] = p->diag[dim * dim * i + (dim + 1) * k];
      sample->a[2 * i + k] = 0.2 * (1 + random_real(&state));
    }
    for (int k = 0; k < dim; k++) sample->s[dim * i + k] = k == 0 ? 0.1 : 0;
    sample->radius[i] = 0.05 + (kind == TENSION ? 0.1 : 0);
    sample->mu[i] = kind == SMOOTH && i % 2 ? 0 : p->mu[i];
  }
  p->elastic = sample->elastic;
  p->mu = sample->mu;
  if (kind == COHESION || kind == TENSION) p->radius = sample->radius;
  if (kind == TENSION) p->s = sample->s;
  if (kind == PARALLEL) p->a = sample->a;
}

// Interior points from `start` (NULL: from nothing), settled.
static double solve(const Problem *p, const double *start, double *r, int *iterations) {
  BlockLu lu;
  Interior in;
  Arena arena = {0};
  Err err = {0};
  SolverReport report = {0};
  double scale[N];
  cr_assert_eq(block_lu_init(&lu, p, &arena, &err), OK);
  cr_assert_eq(interior_init(&in, p, &lu, &arena, &err), OK);
  if (start)
    interior_start_warm(&in, start, 0.3, &report);
  else
    interior_start_cold(&in, &report);
  for (*iterations = 1; *iterations < 60; ++*iterations) {
    cr_assert_gt(interior_step(&in, &report), 0);
    if (interior_error(&in) < 1e-6 || in.gap < 1e-14) break; // the second: all is open
  }
  cr_assert(interior_settle(&in, r, &report));
  measure_scales(p, scale);
  arena_free(&arena);
  return measure_error(p, scale, r);
}

Test(interior, finds_a_solution_of_every_law) {
  for (int dim = 2; dim <= 3; dim++)
    for (Kind kind = PURE; kind <= SMOOTH; kind++)
      for (uint64_t seed = 1; seed <= 20; seed++) {
        Sample sample;
        double r[3 * N];
        int iterations;
        make_sample(&sample, dim, kind, seed);
        double error = solve(&sample.owned.p, NULL, r, &iterations);
        cr_assert_lt(error, 1e-6, "dim %d, kind %d, seed %d: %g", dim, (int)kind, (int)seed, error);
        cr_assert_lt(iterations, 30);
        problem_free(&sample.owned);
      }
}

// Problems with given bounds of friction, one after the other, come to Coulomb's law.
Test(interior, given_bounds_of_friction_come_to_every_law) {
  for (int dim = 2; dim <= 3; dim++)
    for (Kind kind = PURE; kind <= SMOOTH; kind++)
      for (uint64_t seed = 1; seed <= 10; seed++) {
        Sample sample;
        BlockLu lu;
        GivenFriction of;
        Arena arena = {0};
        Err err = {0};
        SolverReport report = {0};
        double r[3 * N] = {0}, scale[N], error = 1;
        make_sample(&sample, dim, kind, seed);
        const Problem *p = &sample.owned.p;
        for (int i = 0; i < N; i++) r[dim * i] = 1;
        cr_assert_eq(block_lu_init(&lu, p, &arena, &err), OK);
        cr_assert_eq(given_friction_init(&of, p, &lu, NULL, &arena, &err), OK);
        measure_scales(p, scale);
        int times = 0;
        for (; times < 20 && error > 1e-4; times++) {
          cr_assert(given_friction_step(&of, r, 1e-5, &report), "dim %d, kind %d, seed %d", dim,
                    (int)kind, (int)seed);
          error = measure_error(p, scale, r);
        }
        cr_assert_lt(error, 1e-4, "dim %d, kind %d, seed %d: %g after %d", dim, (int)kind,
                     (int)seed, error, times);
        arena_free(&arena);
        problem_free(&sample.owned);
      }
}

// The same in space, where nothing acts along the third axis.
static void embed(const Sample *plane, Sample *space) {
  enum { SIZE = 3 * N };
  const Problem *p = &plane->owned.p;
  double w[SIZE * SIZE] = {0}, b[SIZE] = {0};
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < 2; k++) {
      b[3 * i + k] = p->b[2 * i + k];
      for (int l = 0; l < 2; l++) {
        w[(3 * i + k) * SIZE + 3 * i + l] = p->diag[4 * i + 2 * k + l];
        for (int64_t e = p->blocks.ptr[i]; e < p->blocks.ptr[i + 1]; e++)
          w[(3 * i + k) * SIZE + 3 * p->blocks.col[e] + l] = p->blocks.w[4 * e + 2 * k + l];
      }
    }
    w[(3 * i + 2) * SIZE + 3 * i + 2] = 1;
  }
  *space = *plane;
  make_dense(&space->owned, 3, N, w, b, p->mu);
  Problem *q = &space->owned.p;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < 3; k++) space->s[3 * i + k] = k < 2 ? plane->s[2 * i + k] : 0;
  q->elastic = space->elastic;
  q->mu = space->mu;
  q->radius = p->radius ? space->radius : NULL;
  q->s = p->s ? space->s : NULL;
  q->a = p->a ? space->a : NULL;
}

// Cones of second order in space and pairs in the plane are one method: every step is the same.
Test(interior, goes_the_same_way_in_space_as_in_the_plane) {
  enum { STEPS = 8 };
  for (Kind kind = PURE; kind <= SMOOTH; kind++) {
    Sample sample[2];
    BlockLu lu[2];
    Interior in[2];
    Arena arena = {0};
    Err err = {0};
    SolverReport report = {0};
    make_sample(&sample[0], 2, kind, 3);
    embed(&sample[0], &sample[1]);
    for (int k = 0; k < 2; k++) {
      const Problem *p = &sample[k].owned.p;
      cr_assert_eq(block_lu_init(&lu[k], p, &arena, &err), OK);
      cr_assert_eq(interior_init(&in[k], p, &lu[k], &arena, &err), OK);
      interior_start_cold(&in[k], &report);
    }
    for (int step = 0; step < STEPS; step++) {
      double length[2], size = 0, off = 0;
      for (int k = 0; k < 2; k++) length[k] = interior_step(&in[k], &report);
      cr_assert_float_eq(length[0], length[1], 1e-6, "kind %d, step %d", (int)kind, step);
      for (int i = 0; i < 3 * N; i++) {
        double plane = i % 3 < 2 ? in[0].r[i / 3 * 2 + i % 3] : 0;
        size = fmax(size, fabs(plane));
        off = fmax(off, fabs(in[1].r[i] - plane));
      }
      cr_assert_lt(off, 1e-6 * size, "kind %d, step %d: %g of %g", (int)kind, step, off, size);
      cr_assert_float_eq(in[0].gap, in[1].gap, 1e-6 * in[0].gap);
    }
    arena_free(&arena);
    for (int k = 0; k < 2; k++) problem_free(&sample[k].owned);
  }
}

Test(interior, settled_contacts_tell_their_status) {
  for (int dim = 2; dim <= 3; dim++) {
    int open = 0, slips = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
      Sample sample;
      double r[3 * N];
      int iterations;
      make_sample(&sample, dim, PURE, seed);
      solve(&sample.owned.p, NULL, r, &iterations);
      for (int i = 0; i < N; i++) {
        const double *own = r + dim * i;
        double t = dim == 2 ? fabs(own[1]) : sqrt(own[1] * own[1] + own[2] * own[2]);
        open += own[0] == 0 && t == 0;
        // one rounding of each product in space
        slips += own[0] > 0 && fabs(t - sample.mu[i] * own[0]) <= 4e-16 * t;
        cr_assert(own[0] >= 0);
      }
      problem_free(&sample.owned);
    }
    cr_assert(open > 10 && slips > 10, "%d open, %d slip", open, slips);
  }
}

Test(interior, needs_less_from_a_solution_nearby) {
  for (int dim = 2; dim <= 3; dim++) {
    int cold = 0, warm = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
      Sample sample;
      double r[3 * N], again[3 * N];
      int iterations;
      make_sample(&sample, dim, COHESION, seed);
      solve(&sample.owned.p, NULL, r, &iterations);
      cold += iterations;
      for (int k = 0; k < dim * N; k++) sample.owned.b[k] *= 1.001;
      cr_assert_lt(solve(&sample.owned.p, r, again, &iterations), 1e-6);
      warm += iterations;
      problem_free(&sample.owned);
    }
    cr_assert_lt(warm, cold, "dim %d: warm %d, cold %d", dim, warm, cold);
  }
}

// Steps until they end, or creep: 1 then.
static int creeps(Interior *in, SolverReport *report) {
  int short_steps = 0;
  for (int k = 0; k < 60; k++) {
    double length = interior_step(in, report);
    if (length > 0.5) interior_keep(in);
    short_steps += length < 0.1;
    if (short_steps > 1) return 1;
    if (interior_error(in) < 1e-6 || in->gap < 1e-14) return 0; // the second: all is open
  }
  return 1;
}

// Disks that touch at random places of their rims, with elasticity a hundred-thousandth of their
// rigid motions.
static void make_disks(Sample *sample, uint64_t seed) {
  enum { DISKS = 4, MOVES = 3 * DISKS };
  static const double pi = 3.14159265358979, soft = 1e-5;
  uint64_t state = seed;
  double g[2 * N][MOVES] = {{0}}, w[4 * N * N], b[2 * N], push[MOVES];
  for (int k = 0; k < MOVES; k++) push[k] = random_real(&state);
  for (int c = 0; c < N; c++) {
    double way = pi * random_real(&state);
    int one = (int)(0.5 * DISKS * (1 + random_real(&state))),
        other = (int)(0.5 * DISKS * (1 + random_real(&state)));
    for (int side = 0; side < (one == other ? 1 : 2); side++) { // the ground else
      int body = 3 * (side == 0 ? one : other), sign = side == 0 ? 1 : -1;
      g[2 * c][body] = sign * cos(way);
      g[2 * c][body + 1] = sign * sin(way);
      g[2 * c + 1][body] = -sign * sin(way);
      g[2 * c + 1][body + 1] = sign * cos(way);
      g[2 * c + 1][body + 2] = -sqrt(2);
    }
    sample->mu[c] = 0.75 + 0.25 * random_real(&state);
  }
  for (int i = 0; i < 2 * N; i++) {
    b[i] = 0;
    sample->elastic[i] = soft;
    for (int k = 0; k < MOVES; k++) b[i] += g[i][k] * push[k];
    for (int j = 0; j < 2 * N; j++) {
      w[2 * N * i + j] = i == j ? soft : 0;
      for (int k = 0; k < MOVES; k++) w[2 * N * i + j] += g[i][k] * g[j][k];
    }
  }
  make_dense(&sample->owned, 2, N, w, b, sample->mu);
  sample->owned.p.elastic = sample->elastic;
}

// High friction between bodies that hardly give: steps that only aim downwards stall in front of
// folds.
Test(interior, follows_its_path_through_folds) {
  int stalled = 0, through = 0;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    Sample sample;
    BlockLu lu;
    Interior in;
    Arena arena = {0};
    Err err = {0};
    SolverReport report = {0};
    make_disks(&sample, seed);
    Problem *p = &sample.owned.p;
    cr_assert_eq(block_lu_init(&lu, p, &arena, &err), OK);
    cr_assert_eq(interior_init(&in, p, &lu, &arena, &err), OK);
    interior_start_cold(&in, &report);
    interior_keep(&in);
    if (creeps(&in, &report)) {
      stalled++;
      for (int folds = 0; folds < 3 && interior_follow(&in, &report); folds++)
        if (!creeps(&in, &report)) {
          through++;
          break;
        }
    }
    arena_free(&arena);
    problem_free(&sample.owned);
  }
  // 121 and 84; not every problem with as much friction has a solution that the path leads to.
  cr_assert(stalled > 60 && 3 * through > 2 * stalled, "%d stalled, %d went through", stalled,
            through);
}

// The last resort of `auto` ends where its blocks are spent, and claims nothing.
Test(interior, a_driver_is_done_where_its_blocks_are_spent) {
  SolverSettings settings = solver_defaults(solver_find("auto"));
  SolverReport report = {.blocks = 99};
  AutoDriver driver = {
      .settings = &settings, .report = &report, .best_error = 1, .means_something = 1};
  driver.most_blocks = 100;
  cr_assert(!auto_done(&driver));
  report.blocks = 100;
  cr_assert(auto_done(&driver) && !auto_converged(&driver));
}

static int at_once(void *of) {
  (*(int *)of)++;
  return 1;
}

// Factors of a large wall take long: each asks first.
Test(interior, asks_before_each_factor_whether_to_go_on) {
  Sample sample;
  BlockLu lu;
  Arena arena = {0};
  Err err = {0};
  Interior in;
  SolverReport report = {0};
  int asked = 0;
  SolverSettings settings = {.must_stop = at_once, .must_stop_of = &asked};
  make_sample(&sample, 2, PURE, 1);
  cr_assert_eq(block_lu_init(&lu, &sample.owned.p, &arena, &err), OK);
  cr_assert_eq(interior_init(&in, &sample.owned.p, &lu, &arena, &err), OK);
  interior_start_cold(&in, &report);
  in.settings = &settings;
  cr_assert_eq(interior_step(&in, &report), 0);
  cr_assert_eq(asked, 1);
  in.settings = NULL;
  cr_assert_gt(interior_step(&in, &report), 0);
  arena_free(&arena);
  problem_free(&sample.owned);
}
