// One step solves the regularised problem; steps converge to a solution of the problem itself.
#include "problems.h"

#include "solver/proximal.h"

TestSuite(proximal, .fini = expect_no_leak);

enum { CONTACTS = 12, MOST = 3 * CONTACTS };

typedef struct {
  OwnedProblem owned;
  Arena arena;
  Sweeper sweeper;
  Newton newton;
  Proximal proximal;
  SolverReport report;
} Fixture;

// Half as many bodies' freedoms as impulses: W is singular.
static void prepare(Fixture *f, int dim, double alpha) {
  *f = (Fixture){0};
  make_random(&f->owned, dim, CONTACTS, CONTACTS * dim / 2, 0, 0.4, 0, 3);
  cr_assert_eq(sweeper_init(&f->sweeper, &f->owned.p, &f->arena, &f->report, NULL), OK);
  cr_assert_eq(newton_init(&f->newton, &f->sweeper, NULL, &f->arena, NULL), OK);
  cr_assert_eq(proximal_init(&f->proximal, &f->owned.p, &f->newton, alpha, &f->arena, NULL), OK);
}

static void release(Fixture *f) {
  arena_free(&f->arena);
  problem_free(&f->owned);
}

// W + alpha D and b - alpha D c, built anew.
static double regularised_error(const Fixture *f, double alpha, const double *c, const double *r) {
  Problem p = f->owned.p;
  double diag[MOST * 3], b[MOST], scale[CONTACTS];
  int dim = p.dim;
  for (int i = 0; i < p.n; i++)
    for (int k = 0; k < dim; k++) {
      b[i * dim + k] = p.b[i * dim + k];
      for (int l = 0; l < dim; l++) {
        double d = p.diag[(i * dim + k) * dim + l];
        diag[(i * dim + k) * dim + l] = (1 + alpha) * d;
        b[i * dim + k] -= alpha * d * c[i * dim + l];
      }
    }
  p.diag = diag;
  p.b = b;
  measure_scales(&p, scale);
  return measure_error(&p, scale, r);
}

Test(proximal, a_step_solves_the_problem_with_more_on_its_diagonal) {
  for (int dim = 2; dim <= 3; dim++) {
    Fixture f;
    double r[MOST] = {0}, c[MOST];
    prepare(&f, dim, 0.5);
    for (int k = 0; k < f.owned.p.n * dim; k++) r[k] = c[k] = k % dim == 0;
    double error = sweeper_error(&f.sweeper, r, &f.report);
    cr_assert_eq(proximal_step(&f.proximal, error, r, &f.report), 1);
    cr_assert_leq(regularised_error(&f, 0.5, c, r), 0.11 * error);
    cr_assert_eq(f.newton.sweeper, &f.sweeper, "the factors were not given back");
    release(&f);
  }
}

Test(proximal, steps_come_to_a_solution_where_w_is_singular) {
  for (int dim = 2; dim <= 3; dim++) {
    Fixture f;
    double r[MOST] = {0}, error = 1;
    prepare(&f, dim, 0.1);
    for (int k = 0; k < 60 && error > 1e-10; k++) {
      proximal_step(&f.proximal, error, r, &f.report);
      error = sweeper_error(&f.sweeper, r, &f.report);
    }
    cr_assert_leq(error, 1e-10);
    release(&f);
  }
}

Test(proximal, regularises_less_while_steps_are_easy) {
  Fixture f;
  double r[MOST] = {0};
  prepare(&f, 2, 1);
  for (int k = 0; k < 5; k++) {
    double error = sweeper_error(&f.sweeper, r, &f.report);
    proximal_step(&f.proximal, error, r, &f.report);
  }
  cr_assert_lt(f.proximal.alpha, 1);
  release(&f);
}
