// Equalities, limits and bounded drives beside cones: closed forms of masses on a line, and every
// condition of mixed problems, by every solver that takes them.
#include "problems.h"

#include "solver/deformation.h"
#include "solver/item.h"
#include "solver/newton.h"
#include "solver/operator.h"
#include "solver/taking.h"
#include "solver/watch.h"

TestSuite(item, .fini = expect_no_leak);

enum { MOST_ITEMS = 24, MOST_MASSES = 12, MOST = 3 * MOST_ITEMS };

// Points of mass that move along x (and y, where a contact has a tangent): unknowns x_0, y_0, x_1,
// ... Rows of items are velocities of these.
typedef struct {
  int n, dim;
  double mass[MOST_MASSES], free[2 * MOST_MASSES];
  double row[MOST][2 * MOST_MASSES], shift[MOST], mu[MOST_ITEMS];
  Item item[MOST_ITEMS];
  OwnedProblem owned;
} Masses;

static const Item CONE = {.kind = ITEM_CONE, .rows = 2};
static const Item LINK = {.kind = ITEM_EQUALITY, .rows = 1};
static const Item LIMIT = {.kind = ITEM_ONE_SIDED, .rows = 1};

// A new item, of `rows` rows from row 2 n on.
static double (*add_item(Masses *m, Item item, double mu))[2 * MOST_MASSES] {
  cr_assert_lt(m->n, MOST_ITEMS);
  m->item[m->n] = item;
  m->mu[m->n] = mu;
  return m->row + 2 * m->n++;
}

static void make_problem(Masses *m, int n_masses) {
  double w[4 * MOST_ITEMS * MOST_ITEMS], b[2 * MOST_ITEMS];
  int size = 2 * m->n;
  for (int i = 0; i < size; i++) {
    b[i] = m->shift[i];
    for (int k = 0; k < 2 * n_masses; k++) b[i] += m->row[i][k] * m->free[k];
    for (int j = 0; j < size; j++) {
      w[i * size + j] = 0;
      for (int k = 0; k < 2 * n_masses; k++)
        w[i * size + j] += m->row[i][k] * m->row[j][k] / m->mass[k / 2];
    }
  }
  for (int i = 0; i < m->n; i++)
    if (m->item[i].rows == 1) w[(2 * i + 1) * (size + 1)] = w[2 * i * (size + 1)]; // idle
  make_dense(&m->owned, 2, m->n, w, b, m->mu);
  m->owned.p.item = m->item;
}

// r and u = W r + b by a solver.
static SolverReport report_of(const SolverType *type, const Problem *p, double tolerance, double *r,
                              double *u) {
  Arena arena = {0};
  Err err = {0};
  SolverReport report;
  SolverSettings settings = solver_defaults(type);
  settings.tolerance = tolerance;
  cr_assert_eq(solver_accepts(type, p, &err), OK, "%s", err.text);
  for (int k = 0; k < p->n * p->dim; k++) r[k] = 0;
  cr_assert_eq(solver_run(type, p, &settings, r, &arena, &report, NULL), OK);
  operator_times(p, p->b, r, u);
  arena_free(&arena);
  return report;
}

static int solve(const SolverType *type, const Problem *p, double tolerance, double *r, double *u) {
  return report_of(type, p, tolerance, r, u).converged;
}

static int takes(const SolverType *type) {
  return !type->cones_only;
}

// A row of masses of which the first meets a wall at speed v, without friction.
static void make_rod(Masses *m, int n, int twice) {
  *m = (Masses){0};
  for (int k = 0; k < n; k++) {
    m->mass[k] = 1 + k;
    m->free[2 * k] = -3;
  }
  double(*row)[2 * MOST_MASSES] = add_item(m, CONE, 0);
  row[0][0] = 1;
  row[1][1] = 1;
  for (int times = 0; times <= twice; times++)
    for (int k = 1; k < n; k++) {
      row = add_item(m, LINK, 0);
      row[0][2 * k] = 1;
      row[0][2 * k - 2] = -1;
    }
  make_problem(m, n);
}

// Rigid links make one rod of them: the wall takes all momentum, link k what lies behind it.
Test(item, links_make_a_rod_of_masses_that_stops_as_one) {
  enum { N = 6 };
  for (int s = 0; solver_types[s]; s++) {
    if (!takes(solver_types[s])) continue;
    Masses m;
    double r[MOST], u[MOST], behind = 0;
    make_rod(&m, N, 0);
    cr_assert(solve(solver_types[s], &m.owned.p, 1e-11, r, u), "%s", solver_types[s]->name);
    for (int k = N - 1; k > 0; k--) {
      behind += 3 * m.mass[k];
      // 1e-11 of 150 N s, times what a chain of six makes of a residual: some tens
      cr_assert_float_eq(r[2 * k], behind, 1e-6, "%s: link %d", solver_types[s]->name, k);
      cr_assert_float_eq(u[2 * k], 0, 1e-6);
      cr_assert_eq(r[2 * k + 1], 0, "what it has no row for");
    }
    cr_assert_float_eq(r[0], behind + 3 * m.mass[0], 1e-6);
    problem_free(&m.owned);
  }
}

// The same with each link twice: W is singular, the two share the impulse as they like.
Test(item, equalities_that_say_one_thing_twice_share_its_impulse) {
  enum { N = 6 };
  for (int s = 0; solver_types[s]; s++) {
    if (!takes(solver_types[s])) continue;
    Masses m;
    double r[MOST], u[MOST], behind = 0;
    make_rod(&m, N, 1);
    cr_assert(solve(solver_types[s], &m.owned.p, 1e-11, r, u), "%s", solver_types[s]->name);
    for (int k = N - 1; k > 0; k--) {
      behind += 3 * m.mass[k];
      cr_assert_float_eq(r[2 * k] + r[2 * (k + N - 1)], behind, 1e-6, "%s: link %d",
                         solver_types[s]->name, k);
    }
    problem_free(&m.owned);
  }
}

// Two that contradict one another have no solution, and nobody claims one.
Test(item, equalities_that_contradict_one_another_are_not_solved) {
  for (int s = 0; solver_types[s]; s++) {
    if (!takes(solver_types[s])) continue;
    Masses m = {.mass = {2}};
    double r[MOST], u[MOST];
    for (int k = 0; k < 2; k++) {
      double(*row)[2 * MOST_MASSES] = add_item(&m, LINK, 0);
      row[0][0] = 1;
      m.shift[2 * k] = k ? 1 : -1;
    }
    make_problem(&m, 1);
    cr_assert(!solve(solver_types[s], &m.owned.p, 1e-6, r, u), "%s", solver_types[s]->name);
    problem_free(&m.owned);
  }
}

// Contacts and links of five masses in all directions; the last link says what the first does, or
// that by `off` otherwise [m/s].
static void make_tangle(Masses *m, double off, uint64_t seed) {
  enum { N = 5, CONTACTS = 3, LINKS = 3 };
  *m = (Masses){0};
  for (int k = 0; k < N; k++) m->mass[k] = 1 + 0.5 * random_real(&seed);
  for (int k = 0; k < 2 * N; k++) m->free[k] = 3 * random_real(&seed);
  for (int i = 0; i < CONTACTS + LINKS; i++) {
    int contact = i < CONTACTS;
    double(*row)[2 * MOST_MASSES] = add_item(m, contact ? CONE : LINK, contact ? 0.3 : 0);
    for (int k = 0; k < 2 * (1 + contact) * N; k++)
      row[k / (2 * N)][k % (2 * N)] = random_real(&seed);
  }
  int first = 2 * CONTACTS, last = 2 * (m->n - 1);
  for (int k = 0; k < 2 * N; k++) m->row[last][k] = m->row[first][k];
  m->shift[last] = off;
  make_problem(m, N);
}

// Impulses that run away make any residual small beside them; the velocity of the links does not.
// Without the contradiction the impulse is shared and nothing is missed.
Test(item, a_contradiction_among_contacts_is_told_from_an_equality_said_twice) {
  enum { SEEDS = 12 };
  static const double tolerance[] = {1e-6, 1e-9};
  for (int run = 0; run < 4 * SEEDS; run++) {
    double off = run % 2 ? 0.7 : 0, within = tolerance[run / 2 % 2], r[MOST], u[MOST];
    Masses m;
    make_tangle(&m, off, (uint64_t)(run / 4) * 7919 + 13);
    for (int s = 0; solver_types[s]; s++) {
      if (!takes(solver_types[s])) continue;
      SolverReport report = report_of(solver_types[s], &m.owned.p, within, r, u);
      const char *name = solver_types[s]->name;
      cr_assert(off == 0 || !report.converged, "%s claims run %d", name, run);
      // Of two one is missed by half of it at least, but for round-off of impulses that ran away.
      cr_assert(off == 0 || report.missed > 0.49 * off || report.reason == JUDGE_RUNAWAY,
                "%s, run %d: %g m/s", name, run, report.missed);
      cr_assert(off != 0 || !report.converged || report.missed == 0, "%s, run %d", name, run);
      cr_assert(off != 0 || s > 0 || report.converged, "%s, run %d", name, run);
    }
    problem_free(&m.owned);
  }
}

// A mass that a motor drives at speed v with at most so much impulse, on a floor with friction.
static void make_motor(Masses *m, double most, double speed, double mu) {
  *m = (Masses){.mass = {2}, .free = {-5, 0}}; // x: down, y: along the floor
  double(*row)[2 * MOST_MASSES] = add_item(m, CONE, mu);
  row[0][0] = 1;
  row[1][1] = 1;
  row = add_item(m, (Item){ITEM_TWO_SIDED, 1, -most, most}, 0);
  row[0][1] = 1;
  m->shift[2] = -speed;
  make_problem(m, 1);
}

// N = 10: a motor below mu N moves nothing, above it what is left accelerates, up to the speed.
Test(item, motor_pulls_against_friction_as_far_as_its_bound_lets_it) {
  static const struct {
    double most, speed, motor, friction, velocity;
  } cases[] = {
      {2, 0.4, 2, -2, 0},        // sticks: mu N = 3
      {3.5, 0.4, 3.5, -3, 0.25}, // slides slower than asked for
      {9, 0.4, 3.8, -3, 0.4},    // as asked for
      {9, -0.4, -3.8, 3, -0.4},  // the other way
      {0, 0.4, 0, 0, 0},         // switched off
  };
  for (int s = 0; solver_types[s]; s++) {
    int relaxed = strcmp(solver_types[s]->name, "convex") == 0; // another law where it slides
    for (size_t k = 0; k < sizeof cases / sizeof cases[0] && takes(solver_types[s]); k++) {
      Masses m;
      double r[MOST], u[MOST];
      make_motor(&m, cases[k].most, cases[k].speed, 0.3);
      int converged = solve(solver_types[s], &m.owned.p, 1e-10, r, u);
      if (!relaxed || cases[k].velocity == 0) {
        cr_assert(converged, "%s, case %zu", solver_types[s]->name, k);
        cr_assert_float_eq(r[0], 10, 1e-7, "%s, case %zu", solver_types[s]->name, k);
        cr_assert_float_eq(r[1], cases[k].friction, 1e-7, "%s, case %zu", solver_types[s]->name, k);
        cr_assert_float_eq(r[2], cases[k].motor, 1e-7, "%s, case %zu", solver_types[s]->name, k);
        cr_assert_float_eq(u[1], cases[k].velocity, 1e-7);
      }
      problem_free(&m.owned);
    }
  }
}

// A force that is given (lower = upper) is there even where nothing else drives the problem.
Test(item, given_force_acts) {
  for (int s = 0; solver_types[s]; s++) {
    if (!takes(solver_types[s])) continue;
    Masses m = {.mass = {2}};
    double r[MOST], u[MOST];
    double(*row)[2 * MOST_MASSES] = add_item(&m, (Item){ITEM_TWO_SIDED, 1, 3, 3}, 0);
    row[0][0] = 1;
    make_problem(&m, 1);
    cr_assert(solve(solver_types[s], &m.owned.p, 1e-10, r, u), "%s", solver_types[s]->name);
    cr_assert_float_eq(r[0], 3, 1e-9);
    cr_assert_float_eq(u[0], 1.5, 1e-9);
    problem_free(&m.owned);
  }
}

// Two masses between stops, one leaves its stop, the other runs into it.
Test(item, limit_holds_what_runs_into_it_and_lets_the_rest_go) {
  for (int s = 0; solver_types[s]; s++) {
    if (!takes(solver_types[s])) continue;
    Masses m = {.mass = {2, 3}, .free = {4, 0, -1, 0}};
    double r[MOST], u[MOST];
    for (int k = 0; k < 2; k++) {
      double(*row)[2 * MOST_MASSES] = add_item(&m, LIMIT, 0);
      row[0][2 * k] = 1;
    }
    make_problem(&m, 2);
    cr_assert(solve(solver_types[s], &m.owned.p, 1e-10, r, u), "%s", solver_types[s]->name);
    cr_assert_float_eq(r[0], 0, 1e-9);
    cr_assert_float_eq(u[0], 4, 1e-9);
    cr_assert_float_eq(r[2], 3, 1e-9);
    cr_assert_float_eq(u[2], 0, 1e-9);
    problem_free(&m.owned);
  }
}

// Every condition of item i by itself, not by the measure.
static void check_item(const Problem *p, int i, const double *r, const double *u, double slack,
                       const char *name) {
  int at = i * p->dim;
  const Item *item = &p->item[i];
  if (item->kind == ITEM_CONE) {
    double t = p->dim == 2 ? fabs(r[at + 1]) : hypot(r[at + 1], r[at + 2]);
    double speed = p->dim == 2 ? fabs(u[at + 1]) : hypot(u[at + 1], u[at + 2]), power = 0;
    for (int k = 1; k < p->dim; k++) power += r[at + k] * u[at + k];
    cr_assert_geq(r[at], -slack, "%s", name);
    cr_assert_geq(u[at], -slack, "%s", name);
    cr_assert_leq(fmin(r[at], u[at]), slack, "%s", name);
    cr_assert_leq(t, p->mu[i] * r[at] + slack, "%s", name);
    if (speed > 10 * slack) // friction against the velocity, all of it
      cr_assert_float_eq(power / speed, -p->mu[i] * r[at], 10 * slack, "%s", name);
    return;
  }
  for (int k = 0; k < p->dim; k++) {
    double z = r[at + k], v = u[at + k];
    if (k >= item->rows) {
      cr_assert_leq(fabs(z), slack, "%s", name);
    } else if (item->kind == ITEM_EQUALITY) {
      cr_assert_leq(fabs(v), slack, "%s", name);
    } else {
      double low = item->kind == ITEM_ONE_SIDED ? 0 : item->lower;
      double high = item->kind == ITEM_ONE_SIDED ? (double)INFINITY : item->upper;
      cr_assert(z >= low - slack && z <= high + slack, "%s: %g in %g .. %g", name, z, low, high);
      if (z > low + slack) cr_assert_leq(v, slack, "%s", name);
      if (z < high - slack) cr_assert_geq(v, -slack, "%s", name);
    }
  }
}

// Cones, equalities of one to dim rows, limits and drives in one problem.
static void make_mixed(OwnedProblem *owned, int dim, Item *item, uint64_t seed) {
  enum { N = 12 };
  make_random(owned, dim, N, N * dim, 0.3, 0.3, 0, seed);
  int size = N * dim;
  double *w = mem_new((size_t)(size * size), sizeof *w), b[MOST], mu[N];
  for (int i = 0; i < N; i++) {
    item[i] = i % 4 == 0   ? (Item){ITEM_CONE, dim, 0, 0}
              : i % 4 == 1 ? (Item){ITEM_EQUALITY, 1 + i / 4 % dim, 0, 0}
              : i % 4 == 2 ? (Item){ITEM_ONE_SIDED, 1, 0, 0}
                           : (Item){ITEM_TWO_SIDED, 1, -0.05, 0.2};
    mu[i] = item[i].kind == ITEM_CONE ? owned->mu[i] : 0;
    for (int k = 0; k < dim; k++) b[i * dim + k] = k < item[i].rows ? owned->b[i * dim + k] : 0;
  }
  for (int i = 0; i < size; i++)
    for (int j = 0; j < size; j++) {
      int block = i / dim, other = j / dim, idle;
      const double *from = owned->diag + block * dim * dim;
      for (int64_t e = owned->ptr[block]; block != other && e < owned->ptr[block + 1]; e++)
        if (owned->col[e] == other) from = owned->w + e * dim * dim;
      idle = i % dim >= item[block].rows || j % dim >= item[other].rows;
      w[i * size + j] = !idle    ? from[i % dim * dim + j % dim]
                        : i == j ? owned->diag[block * dim * dim]
                                 : 0;
    }
  problem_free(owned);
  make_dense(owned, dim, N, w, b, mu);
  owned->p.item = item;
  mem_free(w);
}

Test(item, conditions_of_mixed_problems_hold_whoever_solves_them) {
  for (int s = 0; solver_types[s]; s++) {
    const SolverType *type = solver_types[s];
    if (!takes(type) || strcmp(type->name, "convex") == 0) continue;
    for (int dim = 2; dim <= 3; dim++)
      for (uint64_t seed = 1; seed <= 4; seed++) {
        OwnedProblem owned;
        Item item[MOST_ITEMS];
        double r[MOST], u[MOST];
        make_mixed(&owned, dim, item, seed);
        cr_assert(solve(type, &owned.p, 1e-9, r, u), "%s, %dD, seed %d", type->name, dim,
                  (int)seed);
        // impulses and velocities are of size one, W up to some tens
        for (int i = 0; i < owned.p.n; i++) check_item(&owned.p, i, r, u, 1e-6, type->name);
        problem_free(&owned);
      }
  }
}

// Both measures are nothing at the solution, and beside it they are as large as it is wrong.
Test(item, measures_see_every_kind_of_item) {
  for (int dim = 2; dim <= 3; dim++) {
    OwnedProblem owned;
    Arena arena = {0};
    Item item[MOST_ITEMS];
    Deformation def;
    double r[MOST], u[MOST], elastic[2 * MOST_ITEMS], scale[MOST_ITEMS];
    int64_t blocks = 0;
    make_mixed(&owned, dim, item, 2);
    for (int i = 0; i < owned.p.n; i++)
      for (int k = 0; k < 2; k++) elastic[2 * i + k] = owned.diag[(i * dim + k) * dim + k];
    cr_assert(solve(solver_find("nsgs"), &owned.p, 1e-11, r, u));
    owned.p.elastic = elastic;
    measure_scales(&owned.p, scale);
    cr_assert_eq(deformation_init(&def, &owned.p, &arena, NULL), OK);
    cr_assert_leq(measure_error(&owned.p, scale, r), 1e-10);
    cr_assert_leq(deformation_error(&def, r, 1, &blocks), 1e-8);
    double size = 0;
    for (int k = 0; k < owned.p.n * dim; k++) size += r[k] * r[k];
    for (int i = 0; i < owned.p.n; i++) {
      double before = r[i * dim], off = 0.01 * sqrt(size);
      int held = item[i].kind == ITEM_CONE ? r[i * dim] > 1e-6 : item_holds(&item[i], 0, before);
      if (!held) continue;
      r[i * dim] += off; // u of this row moves by W_ii off, the step makes off of it
      double scaled = measure_error(&owned.p, scale, r);
      double deformation = deformation_residual(&def, r, NULL, NULL, &blocks);
      cr_assert(scaled > 0.2 * 0.01 && scaled < 5 * 0.01, "item %d: %g", i, scaled);
      cr_assert(deformation > 0.05 * 0.01 && deformation < 20 * 0.01, "item %d: %g", i,
                deformation);
      r[i * dim] = before;
    }
    arena_free(&arena);
    problem_free(&owned);
  }
}

// Without cones statuses that are right make the problem linear: from beside the solution one step
// of Newton's lands on it, wherever it takes the statuses from.
Test(item, newtons_step_with_right_statuses_lands_on_the_solution) {
  for (int dim = 2; dim <= 3; dim++) {
    OwnedProblem owned;
    Arena arena = {0};
    SolverReport report = {0};
    Item item[MOST_ITEMS];
    Sweeper sweeper;
    Newton newton;
    Deformation def;
    double r[MOST], u[MOST], near[MOST], step[MOST], elastic[2 * MOST_ITEMS];
    int64_t blocks = 0;
    int at_bound = 0;
    make_mixed(&owned, dim, item, 3);
    for (int i = 0; i < owned.p.n; i++) {
      if (i % 4 == 0) item[i] = (Item){ITEM_EQUALITY, dim, 0, 0};
      for (int k = 0; k < 2; k++) elastic[2 * i + k] = owned.diag[(i * dim + k) * dim + k];
    }
    cr_assert(solve(solver_find("newton_ac"), &owned.p, 1e-13, r, u));
    for (int i = 0; i < owned.p.n; i++)
      at_bound += item[i].kind == ITEM_TWO_SIDED && !item_holds(&item[i], 0, r[i * dim]);
    cr_assert_gt(at_bound, 0, "a bound that is not zero is among them");
    owned.p.elastic = elastic;
    cr_assert_eq(sweeper_init(&sweeper, &owned.p, &arena, &report, NULL), OK);
    cr_assert_eq(newton_init(&newton, &sweeper, NULL, &arena, NULL), OK);
    cr_assert_eq(deformation_init(&def, &owned.p, &arena, NULL), OK);
    for (int source = 0; source < 2; source++) {
      for (int k = 0; k < owned.p.n * dim; k++)
        near[k] = r[k] + (k % dim < item[k / dim].rows ? 1e-6 * cos(k) : 0);
      deformation_residual(&def, near, NULL, NULL, &blocks);
      cr_assert(newton_step_from(&newton, source ? STATUSES_ELASTIC : STATUSES_LOCAL, &def, near, 0,
                                 step, &report));
      for (int k = 0; k < owned.p.n * dim; k++)
        cr_assert_float_eq(near[k] + step[k], r[k], 1e-10, "source %d, place %d", source, k);
    }
    arena_free(&arena);
    problem_free(&owned);
  }
}

// The correction of the error follows rows that stand still: it finds all that is wrong.
Test(item, correction_finds_the_error_of_equalities) {
  Masses m;
  Arena arena = {0};
  Deformation def;
  double r[MOST], u[MOST], elastic[2 * MOST_ITEMS], off = 0, size = 0;
  int64_t blocks = 0;
  make_rod(&m, 6, 0);
  Problem *p = &m.owned.p;
  for (int i = 0; i < p->n; i++)
    for (int k = 0; k < 2; k++) elastic[2 * i + k] = p->diag[4 * i + 3 * k];
  cr_assert(solve(solver_find("auto"), p, 1e-12, r, u));
  p->elastic = elastic;
  for (int i = 0; i < p->n; i++) {
    double more = 0.5 * (i + 1);
    size += elastic[2 * i] * (r[2 * i] + more) * (r[2 * i] + more);
    off += elastic[2 * i] * more * more;
    r[2 * i] += more;
  }
  cr_assert_eq(deformation_init(&def, p, &arena, NULL), OK);
  deformation_residual(&def, r, NULL, NULL, &blocks);
  // ten conjugate gradients solve six equations
  cr_assert_float_eq(deformation_correction(&def, r, 0, &blocks), sqrt(off / size), 1e-6);
  cr_assert_eq(taking_work(&def, r), 0, "no friction, whatever moves");
  arena_free(&arena);
  problem_free(&m.owned);
}

// What equalities of several rows do is no friction, though it has the places of tangents.
Test(item, equalities_do_no_work_of_friction) {
  OwnedProblem owned;
  Arena arena = {0};
  Deformation def;
  Item item[4];
  double r[8], elastic[8];
  int64_t blocks = 0;
  make_random(&owned, 2, 4, 8, 0.3, 0, 0, 3);
  for (int i = 0; i < 4; i++) {
    item[i] = (Item){ITEM_EQUALITY, 2, 0, 0};
    for (int k = 0; k < 2; k++) elastic[2 * i + k] = owned.diag[4 * i + 3 * k];
    for (int k = 0; k < 2; k++) r[2 * i + k] = 1 + i + k;
  }
  owned.p.item = item;
  owned.p.elastic = elastic;
  cr_assert_eq(deformation_init(&def, &owned.p, &arena, NULL), OK);
  deformation_residual(&def, r, NULL, NULL, &blocks);
  cr_assert_eq(taking_work(&def, r), 0);
  arena_free(&arena);
  problem_free(&owned);
}

Test(item, auto_solves_mixed_problems_by_the_energy_of_deformation) {
  for (int dim = 2; dim <= 3; dim++)
    for (uint64_t seed = 1; seed <= 6; seed++) {
      OwnedProblem owned;
      Arena arena = {0};
      Item item[MOST_ITEMS];
      SolverReport report;
      SolverSettings settings = solver_defaults(solver_find("auto"));
      double r[MOST] = {0}, u[MOST], elastic[2 * MOST_ITEMS];
      make_mixed(&owned, dim, item, seed);
      for (int i = 0; i < owned.p.n;
           i++) // a hundredth: rigid motions rule, and it starts with Newton
        for (int k = 0; k < 2; k++) elastic[2 * i + k] = 0.01 * owned.diag[(i * dim + k) * dim + k];
      owned.p.elastic = elastic;
      settings.measure = MEASURE_DEFORMATION;
      settings.tolerance = 1e-6;
      cr_assert_eq(solver_run(solver_find("auto"), &owned.p, &settings, r, &arena, &report, NULL),
                   OK);
      cr_assert(report.converged && report.deforms, "%dD, seed %d: %g", dim, (int)seed,
                report.deformation);
      operator_times(&owned.p, owned.p.b, r, u);
      for (int i = 0; i < owned.p.n; i++) check_item(&owned.p, i, r, u, 1e-4, "auto");
      arena_free(&arena);
      problem_free(&owned);
    }
}

Test(item, solvers_of_cones_refuse_the_rest_by_name_and_say_who_takes_it) {
  OwnedProblem owned;
  Item item[MOST_ITEMS];
  make_mixed(&owned, 2, item, 1);
  int refused = 0;
  for (int s = 0; solver_types[s]; s++) {
    Err err = {0};
    Status status = solver_accepts(solver_types[s], &owned.p, &err);
    cr_assert_eq(status, takes(solver_types[s]) ? OK : ERR_INPUT);
    if (status == OK) continue;
    refused++;
    cr_assert(strstr(err.text, solver_types[s]->name), "%s", err.text);
    cr_assert(strstr(err.text, "3 equalities, 3 limits and 3 bounded drives"), "%s", err.text);
    cr_assert(strstr(err.text, "take auto, nsgs,"), "%s", err.text);
  }
  cr_assert_eq(refused, 4);
  problem_free(&owned);
}

// One item alone: three equations of which two are independent; a limit and a drive that nothing
// moves.
Test(item, single_items_are_solved_also_where_nothing_moves_them) {
  const double g[3][2] = {{1, 0}, {1, 1}, {2, 1}}, v[2] = {0.5, -0.25};
  double d[9] = {0}, free[3], rho[3];
  for (int k = 0; k < 9; k++)
    for (int l = 0; l < 2; l++) d[k] += g[k / 3][l] * g[k % 3][l];
  for (int k = 0; k < 3; k++) free[k] = g[k][0] * v[0] + g[k][1] * v[1];
  item_solve(&(Item){ITEM_EQUALITY, 3, 0, 0}, 3, d, free, rho);
  for (int k = 0; k < 3; k++)
    cr_assert_float_eq(free[k] + d[3 * k] * rho[0] + d[3 * k + 1] * rho[1] + d[3 * k + 2] * rho[2],
                       0, 1e-14);
  const double zero[9] = {0}, down[3] = {-1, 0, 0}, up[3] = {1, 0, 0};
  const Item drive = {ITEM_TWO_SIDED, 1, -2, 3};
  item_solve(&drive, 3, zero, down, rho);
  cr_assert_eq(rho[0], 3);
  item_solve(&drive, 3, zero, up, rho);
  cr_assert_eq(rho[0], -2);
  item_solve(&drive, 3, zero, zero, rho);
  cr_assert_eq(rho[0], 0);
  item_solve(&LIMIT, 3, zero, down, rho);
  cr_assert_eq(rho[0], 0, "no impulse stops it: not an infinite one");
}

// By bodies: the rows of items are levers like those of contacts.
Test(item, sweeps_by_bodies_know_items_too) {
  enum { N = 9, BODIES = 3 };
  int32_t moved[2 * N];
  double lever[2 * N * 6] = {0}, own[4 * N] = {0}, diag[4 * N], b[2 * N], mu[N] = {0};
  double motion[3 * BODIES];
  Item item[N];
  uint64_t seed = 4;
  for (int i = 0; i < N; i++) {
    item[i] = i % 3 == 0 ? CONE : i % 3 == 1 ? LINK : (Item){ITEM_TWO_SIDED, 1, -0.1, 0.3};
    mu[i] = i % 3 == 0 ? 0.4 : 0;
    moved[2 * i] = i / 3;
    moved[2 * i + 1] = i / 3 > 0 ? i / 3 - 1 : -1;
    for (int k = 0; k < 12; k++)
      if (k / 3 % 2 < item[i].rows) lever[12 * i + k] = random_real(&seed);
    for (int k = 0; k < 2; k++) b[2 * i + k] = k < item[i].rows ? random_real(&seed) : 0;
    for (int k = 0; k < 4; k++)
      for (int side = 0; side < 2; side++)
        for (int m = 0; m < 3 && moved[2 * i + side] >= 0; m++)
          own[4 * i + k] +=
              lever[12 * i + 6 * side + k / 2 * 3 + m] * lever[12 * i + 6 * side + k % 2 * 3 + m];
    for (int k = 0; k < 4; k++) diag[4 * i + k] = own[4 * i + k] + (k % 3 == 0 ? 0.5 : 0);
  }
  Problem blocks, p = {.dim = 2,
                       .n = N,
                       .bodies = {BODIES, 3, moved, lever, own, motion, NULL},
                       .diag = diag,
                       .b = b,
                       .mu = mu,
                       .item = item};
  Arena arena = {0};
  double r[MOST], u[MOST];
  cr_assert_eq(operator_blocks(&p, &blocks, &arena, NULL), OK);
  for (int s = 0; solver_types[s]; s++) {
    const char *name = solver_types[s]->name;
    if (!takes(solver_types[s]) || strcmp(name, "convex") == 0) continue;
    cr_assert(solve(solver_types[s], &p, 1e-9, r, u), "%s", name);
    operator_times(&blocks, b, r, u);
    for (int i = 0; i < N; i++) check_item(&blocks, i, r, u, 1e-6, name);
  }
  arena_free(&arena);
}
