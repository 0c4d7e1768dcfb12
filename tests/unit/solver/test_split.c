// Parts of a problem that are rigid are told from those that hang together with what deforms.
#include "problems.h"

#include "solver/split.h"

TestSuite(split, .fini = expect_no_leak);

enum { N = 4, MODES = 3 };

// In the plane: body 0 on the floor, body 1 on the floor with body 2 on it, and what nothing moves.
// The contact of bodies 1 and 2 has `elastic` beside their rigid motions.
typedef struct {
  int64_t ptr[N + 1];
  int32_t col[2], moved[2 * N];
  double w[8], lever[2 * N * 2 * MODES], diag[N * 4], b[2 * N], mu[N], elastic[2 * N];
  double radius[N];
  Problem p;
} Standing3;

static void set_up(Standing3 *s, double elastic, double radius) {
  *s = (Standing3){.ptr = {0, 0, 1, 2, 2},
                   .col = {2, 1},
                   .moved = {0, -1, 1, -1, 2, 1, -1, -1},
                   .w = {-1, 0, 0, -1, -1, 0, 0, -1},
                   .mu = {0.5, 0.5, 0.5, 0.5}};
  for (int i = 0; i < N; i++) {
    double whole = 0;
    for (int side = 0; side < 2; side++) {
      if (s->moved[2 * i + side] < 0) continue;
      double *lever = s->lever + (2 * i + side) * 2 * MODES;
      lever[1] = lever[MODES] = side ? -1 : 1; // up, then along
      whole++;
    }
    int deforms = i == 2 && elastic > 0;
    for (int k = 0; k < 2; k++) {
      s->diag[4 * i + 3 * k] = whole + (deforms ? elastic : 0);
      s->elastic[2 * i + k] = deforms ? elastic : whole > 0 ? whole : 1;
    }
    s->b[2 * i] = whole == 1 ? -1 : 0; // each falls onto the floor
    s->radius[i] = i == 2 ? radius : 0;
  }
  s->p =
      (Problem){.dim = 2,
                .n = N,
                .blocks = {s->ptr, s->col, s->w},
                .bodies = {.n_bodies = 3, .n_modes = MODES, .moved = s->moved, .lever = s->lever},
                .diag = s->diag,
                .b = s->b,
                .mu = s->mu,
                .radius = s->radius,
                .elastic = s->elastic};
}

Test(split, what_hangs_together_with_something_elastic_is_not_rigid) {
  Standing3 s;
  Arena arena = {0};
  Err err = {0};
  Split split;
  set_up(&s, 0.1, 0);
  cr_assert_eq(split_find(&split, &s.p, &arena, &err), OK);
  cr_expect_eq(split.n_rigid, 1);
  cr_expect(split.rigid[0] && !split.rigid[1] && !split.rigid[2] && !split.rigid[3]);
  set_up(&s, 1e-12, 0); // so stiff that levers explain all of W
  cr_assert_eq(split_find(&split, &s.p, &arena, &err), OK);
  cr_expect_eq(split.n_rigid, 1);
  set_up(&s, 0, 0); // nothing is elastic
  cr_assert_eq(split_find(&split, &s.p, &arena, &err), OK);
  cr_expect_eq(split.n_rigid, 0);
  arena_free(&arena);
}

Test(split, parts_are_problems_as_if_alone) {
  Standing3 s;
  Arena arena = {0};
  Err err = {0};
  Split split;
  Part part[2];
  double r[2 * N] = {1, 2, 3, 4, 5, 6, 7, 8};
  set_up(&s, 0.1, 0.3);
  cr_assert_eq(split_find(&split, &s.p, &arena, &err), OK);
  for (int k = 0; k < 2; k++) {
    cr_assert_eq(part_init(&part[k], &s.p, &arena, &err), OK);
    cr_assert_eq(split_take(&split, k, &part[k], r, &arena, &err), OK);
  }
  cr_expect_eq(part[1].p.n, 1);
  cr_expect_null(part[1].p.elastic);
  cr_expect_null(part[1].p.radius, "that of another part is none");
  cr_expect_eq(part[1].p.bodies.moved[0], 0);
  cr_expect_eq(part[1].p.bodies.lever[1], 1);
  cr_expect_eq(part[1].r[1], 2);
  for (int k = 0; k < 2; k++) cr_expect_eq(part[k].p.bodies.group, split.group, "known by now");
  cr_expect_eq(part[0].p.n, 3);
  cr_assert_not_null(part[0].p.elastic);
  cr_expect_eq(part[0].p.elastic[2], 0.1);
  cr_assert_not_null(part[0].p.radius);
  cr_expect_eq(part[0].p.bodies.moved[2], 2);
  cr_expect_eq(part[0].p.bodies.moved[3], 1);
  for (int k = 0; k < 6; k++) cr_expect_eq(part[0].p.b[k], s.b[2 + k]);
  arena_free(&arena);
}

// Errors of both are told, and each is held against its own tolerance.
Test(split, a_report_has_both_errors) {
  Standing3 s;
  Arena arena = {0};
  Err err = {0};
  SolverReport report;
  double r[2 * N] = {0};
  SolverSettings settings = solver_defaults(solver_find("nsgs"));
  settings.measure = MEASURE_DEFORMATION;
  settings.tolerance = 1e-3;
  settings.rigid_share = 1e-4;
  set_up(&s, 0.1, 0);
  cr_assert_eq(solver_run(solver_find("nsgs"), &s.p, &settings, r, &arena, &report, &err), OK);
  cr_expect(report.converged && report.deforms);
  cr_expect_eq(report.n_rigid, 1);
  cr_expect_leq(report.rigid, 1e-7);
  cr_expect_leq(report.deformation, 1e-3);
  cr_expect_float_eq(r[0], 1, 1e-6, "%g", r[0]);
  report.rigid = 1e-5; // a hundred times too much: a hundred times 1e-3
  cr_expect_float_eq(solver_judged(&settings, &report), 0.1, 1e-12);
  set_up(&s, 0, 0);
  s.p.elastic = NULL;
  cr_assert_eq(solver_run(solver_find("nsgs"), &s.p, &settings, r, &arena, &report, &err), OK);
  cr_expect_eq(report.n_rigid, N);
  cr_expect(!report.deforms);
  cr_expect_leq(report.error, 1e-7);
  arena_free(&arena);
}
