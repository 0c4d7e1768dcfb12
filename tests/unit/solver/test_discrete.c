// The stored problems with all their solutions.
#include "problems.h"

#include "solver/local2.h"
#include "solver/local3.h"
#include "solver/operator.h"

TestSuite(discrete, .fini = expect_no_leak);

enum { MOST = 64 };

typedef struct {
  OwnedProblem owned;
  int dim, n, size, n_solutions, continuum;
  const char *id;
} Stored;

static int stored_problem(const JsonTree *tree, int k, int dim, Stored *stored) {
  double w[MOST * MOST], b[MOST], mu[MOST];
  if (!stored_leaf(tree, k, "id")) return 0;
  *stored = (Stored){.dim = dim, .id = stored_leaf(tree, k, "id")->text};
  while (stored_has(tree, k, "b", stored->size)) stored->size++;
  stored->n = stored->size / dim;
  for (int i = 0; i < stored->size; i++) {
    b[i] = stored_number(tree, k, "b", i, -1);
    for (int j = 0; j < stored->size; j++)
      w[i * stored->size + j] = stored_number(tree, k, "W", i, j);
  }
  for (int i = 0; i < stored->n; i++) mu[i] = stored_leaf(tree, k, "mu")->number;
  char path[64];
  for (;; stored->n_solutions++) {
    snprintf(path, sizeof path, "solutions.%d.r", stored->n_solutions);
    if (!stored_has(tree, k, path, 0)) break;
  }
  snprintf(path, sizeof path, "%d.r_range.0.0", k);
  stored->continuum = json_find(tree, path) != NULL || strstr(stored->id, "C2D-17") != NULL;
  make_dense(&stored->owned, dim, stored->n, w, b, mu);
  return 1;
}

// Largest difference between r and solution s, relative to its size.
static double distance(const JsonTree *tree, int k, const Stored *stored, int s, const char *what,
                       const double *r) {
  char path[64];
  double far = 0, size = 1;
  snprintf(path, sizeof path, "solutions.%d.%s", s, what);
  for (int i = 0; i < stored->size; i++) {
    double wanted = stored_number(tree, k, path, i, -1);
    far = fmax(far, fabs(r[i] - wanted));
    size = fmax(size, fabs(wanted));
  }
  return far / size;
}

static void velocities(const Problem *p, const double *r, double *u) {
  for (int i = 0; i < p->n; i++) {
    operator_others(p, i, r, u + i * p->dim);
    for (int k = 0; k < p->dim; k++)
      for (int l = 0; l < p->dim; l++)
        u[i * p->dim + k] += p->diag[(i * p->dim + k) * p->dim + l] * r[i * p->dim + l];
  }
}

static double nearest(const JsonTree *tree, int k, const Stored *stored, const char *what,
                      const double *x) {
  double near = (double)INFINITY;
  for (int s = 0; s < stored->n_solutions; s++)
    near = fmin(near, distance(tree, k, stored, s, what, x));
  return near;
}

// r is one of the stored solutions; of a continuum its velocities are.
static void expect_stored(const JsonTree *tree, int k, const Stored *stored, const double *r,
                          const char *solver) {
  double u[MOST];
  velocities(&stored->owned.p, r, u);
  double near =
      stored->continuum ? nearest(tree, k, stored, "u", u) : nearest(tree, k, stored, "r", r);
  cr_assert_leq(near, 1e-9, "%s, %s: off by %g", solver, stored->id, near);
}

// must: it has to converge; else only what it calls converged has to be a solution.
static void solve_stored(const char *name, int dim, const SolverType *type, int must) {
  JsonTree tree;
  read_stored(&tree, name);
  Stored stored;
  for (int k = 0; stored_problem(&tree, k, dim, &stored); k++) {
    Arena arena = {0};
    Err err = {0};
    SolverReport report;
    SolverSettings settings = solver_defaults(type);
    settings.tolerance = 1e-12;
    double r[MOST] = {0};
    cr_assert_eq(type->solve(&stored.owned.p, &settings, r, &arena, &report, &err), OK);
    if (stored.n_solutions == 0) {
      cr_assert_not(report.converged, "%s, %s has no solution", type->name, stored.id);
    } else if (must || report.converged) {
      cr_assert(report.converged, "%s, %s: error %g after %d", type->name, stored.id, report.error,
                report.iterations);
      expect_stored(&tree, k, &stored, r, type->name);
    }
    arena_free(&arena);
    problem_free(&stored.owned);
  }
  json_free(&tree);
}

Test(discrete, every_contact_in_space_is_solved_by_every_exact_solver) {
  for (int s = 0; solver_types[s]; s++)
    if (!solver_types[s]->approximate && !solver_types[s]->pure_cone_only)
      solve_stored("one_contact_3d.json", 3, solver_types[s], 1);
}

Test(discrete, every_problem_in_the_plane_is_solved_by_every_exact_solver) {
  for (int s = 0; solver_types[s]; s++)
    if (!solver_types[s]->approximate && !solver_types[s]->pure_cone_only)
      solve_stored("contacts_2d.json", 2, solver_types[s], 1);
}

Test(discrete, no_other_solver_calls_a_solution_what_is_none) {
  for (int s = 0; solver_types[s]; s++)
    if (solver_types[s]->pure_cone_only) {
      solve_stored("one_contact_3d.json", 3, solver_types[s], 0);
      solve_stored("contacts_2d.json", 2, solver_types[s], 0);
    }
}

// A slider that jams: impulses can grow for ever along (1, -1), and any residual looks small beside
// them.
Test(discrete, no_solver_takes_a_runaway_for_a_solution_at_any_tolerance) {
  const double w[4] = {1, 1, 1, 1}, b[2] = {-1, 0}, mu = 1.5;
  OwnedProblem owned;
  make_dense(&owned, 2, 1, w, b, &mu);
  for (int s = 0; solver_types[s]; s++)
    for (double tolerance = 1e-3; tolerance > 1e-13; tolerance *= 1e-3) {
      Arena arena = {0};
      Err err = {0};
      SolverReport report;
      SolverSettings settings = solver_defaults(solver_types[s]);
      settings.tolerance = tolerance;
      double r[2] = {0};
      cr_assert_eq(solver_types[s]->solve(&owned.p, &settings, r, &arena, &report, &err), OK);
      cr_assert_not(report.converged, "%s at %g: r = %g, %g", solver_types[s]->name, tolerance,
                    r[0], r[1]);
      arena_free(&arena);
    }
  problem_free(&owned);
}

Test(discrete, the_local_solver_in_space_finds_a_stored_solution) {
  JsonTree tree;
  read_stored(&tree, "one_contact_3d.json");
  Stored stored;
  for (int k = 0; stored_problem(&tree, k, 3, &stored); k++) {
    const Problem *p = &stored.owned.p;
    Local3 local;
    double rho[3] = {0, 0, 0}, again[3] = {0, 0, 0};
    local3_prepare(&local, p->diag, p->mu[0], 0);
    int status = local3_solve(&local, p->b, rho);
    cr_assert_geq(status, 0, "%s", stored.id);
    expect_stored(&tree, k, &stored, rho, "local3_solve");
    cr_assert_geq(local3_enumerate(&local, p->diag, p->b, again), 0, "%s", stored.id);
    expect_stored(&tree, k, &stored, again, "local3_enumerate");
    problem_free(&stored.owned);
  }
  json_free(&tree);
}

// Of several solutions a closed contact keeps the closed one.
Test(discrete, a_wedged_contact_stays_wedged) {
  JsonTree tree;
  read_stored(&tree, "one_contact_3d.json");
  Stored stored;
  int wedged = 0;
  for (int k = 0; stored_problem(&tree, k, 3, &stored); k++) {
    const Problem *p = &stored.owned.p;
    const JsonLeaf *second = stored_leaf(&tree, k, "solutions.1.status");
    if (stored.n_solutions == 3 && second && strcmp(second->text, "stick") == 0) {
      Local3 local;
      double rho[3] = {1, 0, 0};
      local3_prepare(&local, p->diag, p->mu[0], 0);
      cr_assert_eq(local3_solve(&local, p->b, rho), 1, "%s", stored.id);
      cr_assert_leq(distance(&tree, k, &stored, 1, "r", rho), 1e-9);
      wedged++;
    }
    problem_free(&stored.owned);
  }
  json_free(&tree);
  cr_assert_gt(wedged, 0);
}
