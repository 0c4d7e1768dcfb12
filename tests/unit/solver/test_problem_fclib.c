#include "problems.h"

TestSuite(problem_fclib, .fini = expect_no_leak);

// Two masses m1, m2 on a line in the plane: contact of the first with the ground, and between them.
static void make_global(FclibProblem *g) {
  static const int64_t m_ptr[] = {0, 1, 2, 3, 4}, h_ptr[] = {0, 2, 4, 5, 6};
  static const int32_t m_col[] = {0, 1, 2, 3}, h_col[] = {0, 2, 1, 3, 2, 3};
  static const double m_val[] = {2, 2, 4, 4}, h_val[] = {1, -1, 1, -1, 1, 1};
  *g = (FclibProblem){.global = 1, .dim = 2, .n = 2};
  g->m = (FclibMatrix){4, 4, mem_new(5, sizeof(int64_t)), mem_new(4, sizeof(int32_t)),
                       mem_new(4, sizeof(double))};
  g->h = (FclibMatrix){4, 4, mem_new(5, sizeof(int64_t)), mem_new(6, sizeof(int32_t)),
                       mem_new(6, sizeof(double))};
  memcpy(g->m.ptr, m_ptr, sizeof m_ptr);
  memcpy(g->m.col, m_col, sizeof m_col);
  memcpy(g->m.val, m_val, sizeof m_val);
  memcpy(g->h.ptr, h_ptr, sizeof h_ptr);
  memcpy(g->h.col, h_col, sizeof h_col);
  memcpy(g->h.val, h_val, sizeof h_val);
  g->q = mem_new(4, sizeof *g->q);
  g->f = mem_new(4, sizeof *g->f);
  g->mu = mem_new(2, sizeof *g->mu);
  g->f[0] = -2;
  g->f[2] = -4;
  g->q[1] = 0.5;
  g->mu[0] = g->mu[1] = 0.3;
}

Test(problem_fclib, condenses_a_global_problem) {
  Err err = {0};
  FclibProblem global;
  OwnedProblem owned;
  make_global(&global);
  cr_assert_eq(problem_from_fclib(&owned, &global, &err), OK, "%s", err.text);
  const Problem *p = &owned.p;
  cr_assert_float_eq(p->diag[0], 0.5, 1e-15);      // 1/m1
  cr_assert_float_eq(p->diag[4], 0.75, 1e-15);     // 1/m1 + 1/m2
  cr_assert_float_eq(p->blocks.w[0], -0.5, 1e-15); // -1/m1
  cr_assert_float_eq(p->b[0], -1, 1e-15);          // falls on the ground
  cr_assert_float_eq(p->b[1], 0.5, 1e-15);         // w
  cr_assert_float_eq(p->b[2], 0, 1e-15);           // both fall alike
  const double r[4] = {6, 0, 4, 0};                // the ground carries both
  double v[4];
  cr_assert_eq(problem_global_velocity(&global, r, v, &err), OK);
  for (int k = 0; k < 4; k++) cr_assert_float_eq(v[k], 0, 1e-15);
  problem_free(&owned);
  fclib_free(&global);
}

Test(problem_fclib, refuses_a_mass_matrix_that_is_not_definite) {
  Err err = {0};
  FclibProblem global;
  OwnedProblem owned;
  make_global(&global);
  global.m.val[2] = -4;
  cr_assert_eq(problem_from_fclib(&owned, &global, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "fclib_global/M"), "%s", err.text);
  fclib_free(&global);
}

// The second mass hangs on the first by a link: G = (-1, 0, 1, 0).
static void make_linked(FclibProblem *g) {
  static const int64_t ptr[] = {0, 1, 1, 2, 2};
  make_global(g);
  g->n_equal = 1;
  g->g = (FclibMatrix){4, 1, mem_new(5, sizeof(int64_t)), mem_new(2, sizeof(int32_t)),
                       mem_new(2, sizeof(double))};
  memcpy(g->g.ptr, ptr, sizeof ptr);
  g->g.val[0] = -1;
  g->g.val[1] = 1;
  g->s = mem_new(1, sizeof *g->s);
  g->s[0] = 0.25;
}

Test(problem_fclib, condenses_equalities_with_the_contacts) {
  Err err = {0};
  FclibProblem global, local;
  OwnedProblem owned, back;
  make_linked(&global);
  cr_assert_eq(problem_from_fclib(&owned, &global, &err), OK, "%s", err.text);
  const Problem *p = &owned.p;
  cr_assert_eq(p->n, 3);
  cr_assert(p->item[1].kind == ITEM_CONE && p->item[2].kind == ITEM_EQUALITY);
  cr_assert_eq(p->item[2].rows, 1);
  cr_assert_float_eq(p->diag[8], 0.75, 1e-15); // 1/m1 + 1/m2
  cr_assert_eq(p->diag[11], p->diag[8]);       // the place without a row
  cr_assert_float_eq(p->b[4], 0.25, 1e-15);    // both fall alike
  double r[6] = {6, 0, 4, 0, 2, 0}, v[4];      // contacts carry all; the link adds 2
  cr_assert_eq(problem_global_velocity(&global, r, v, &err), OK);
  cr_assert_float_eq(v[0], -1, 1e-15);
  cr_assert_float_eq(v[2], 0.5, 1e-15);
  // As a local file, and back: the same problem.
  cr_assert_eq(problem_to_fclib(&local, p, &err), OK, "%s", err.text);
  cr_assert(local.n == 2 && local.n_equal == 1);
  cr_assert(local.w.rows == 4 && local.v.rows == 4 && local.v.cols == 1 && local.r.rows == 1);
  cr_assert_eq(problem_from_fclib(&back, &local, &err), OK, "%s", err.text);
  int64_t blocks = p->blocks.ptr[3];
  cr_assert_eq(back.p.blocks.ptr[3], blocks);
  cr_assert_eq(memcmp(back.col, owned.col, sizeof *owned.col * (size_t)blocks), 0);
  cr_assert_eq(memcmp(back.w, owned.w, sizeof *owned.w * 4 * (size_t)blocks), 0);
  cr_assert_eq(memcmp(back.diag, owned.diag, sizeof *owned.diag * 12), 0);
  cr_assert_eq(memcmp(back.b, owned.b, sizeof *owned.b * 6), 0);
  problem_free(&back);
  fclib_free(&local);
  problem_free(&owned);
  global.g.val[0] = global.g.val[1] = 0;
  cr_assert_eq(problem_from_fclib(&owned, &global, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "'fclib_global/G': column 0 is zero"), "%s", err.text);
  fclib_free(&global);
}

// Items in any order, of one and two rows, with what is elastic of the contacts.
Test(problem_fclib, writes_equalities_apart_from_contacts) {
  Err err = {0};
  OwnedProblem owned, back;
  FclibProblem file;
  Item item[5] = {{ITEM_EQUALITY, 2, 0, 0},
                  {ITEM_CONE, 2, 0, 0},
                  {ITEM_EQUALITY, 1, 0, 0},
                  {ITEM_CONE, 2, 0, 0},
                  {ITEM_CONE, 2, 0, 0}};
  double elastic[10];
  make_random(&owned, 2, 5, 10, 0.2, 0.4, 0, 7);
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 2; k++) elastic[2 * i + k] = 0.1 * (i + 1) * owned.diag[4 * i + 3 * k];
  owned.p.item = item;
  owned.p.elastic = elastic;
  cr_assert_eq(problem_to_fclib(&file, &owned.p, &err), OK, "%s", err.text);
  cr_assert(file.n == 3 && file.n_equal == 3);
  cr_assert_eq(file.mu[0], owned.mu[1]);
  cr_assert_eq(file.q[2], owned.b[6]);
  cr_assert_eq(file.s[2], owned.b[4]);
  cr_assert_eq(file.elastic[4], elastic[8]);
  // Row 1 of equality 0 against the second row of contact 3; equality 2 against itself.
  const double *w = owned.w + 4 * (owned.ptr[3]); // block 3, 0
  cr_assert_eq(owned.col[owned.ptr[3]], 0);
  cr_assert_eq(file.v.val[file.v.ptr[3] + 1], w[3]);
  cr_assert_eq(file.r.val[file.r.ptr[2] + 2], owned.diag[8]);
  cr_assert_eq(problem_from_fclib(&back, &file, &err), OK, "%s", err.text);
  cr_assert_eq(back.p.n, 5);
  cr_assert(back.item[3].rows == 2 && back.item[4].rows == 1);
  cr_assert_eq(back.p.elastic[8], owned.diag[8], "of equalities all of W");
  problem_free(&back);
  fclib_free(&file);
  item[2] = (Item){ITEM_TWO_SIDED, 1, -1, 1};
  cr_assert_eq(problem_to_fclib(&file, &owned.p, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "bounded drives"), "%s", err.text);
  problem_free(&owned);
}

Test(problem_fclib, comes_back_the_same_from_a_file_problem) {
  Err err = {0};
  OwnedProblem owned, back;
  FclibProblem file;
  make_random(&owned, 3, 7, 14, 0.1, 0.4, 1, 5);
  cr_assert_eq(problem_to_fclib(&file, &owned.p, &err), OK, "%s", err.text);
  cr_assert_eq(problem_from_fclib(&back, &file, &err), OK, "%s", err.text);
  int64_t blocks = owned.p.blocks.ptr[7];
  cr_assert_eq(back.p.blocks.ptr[7], blocks);
  cr_assert_eq(memcmp(back.col, owned.col, sizeof *owned.col * (size_t)blocks), 0);
  cr_assert_eq(memcmp(back.w, owned.w, sizeof *owned.w * 9 * (size_t)blocks), 0);
  cr_assert_eq(memcmp(back.diag, owned.diag, sizeof *owned.diag * 63), 0);
  cr_assert_eq(memcmp(back.b, owned.b, sizeof *owned.b * 21), 0);
  problem_free(&back);
  problem_free(&owned);
  fclib_free(&file);
}

Test(problem_fclib, makes_the_pattern_symmetric) {
  Err err = {0};
  OwnedProblem owned;
  double w[16] = {1, 0, 0.5, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, b[4] = {0}, mu[2] = {0.1, 0.1};
  make_dense(&owned, 2, 2, w, b, mu);
  cr_assert_eq(owned.p.blocks.ptr[1], 1);
  cr_assert_eq(owned.p.blocks.ptr[2], 2);
  cr_assert_eq(owned.p.blocks.w[0], 0.5);
  cr_assert_eq(owned.p.blocks.w[4], 0);
  problem_free(&owned);
  (void)err;
}

Test(problem_fclib, carries_what_joints_have_beside_friction) {
  Err err = {0};
  OwnedProblem owned, back;
  FclibProblem file;
  double radius[2] = {0.1, 0.2}, shift[4] = {1, 0, 2, 0.5}, stiffness[4] = {3, 4, 5, 0};
  double elastic[4], compliance[4];
  make_random(&owned, 2, 2, 4, 0.5, 0.5, 1, 3);
  for (int k = 0; k < 4; k++) {
    elastic[k] = 0.5 * owned.diag[k / 2 * 4 + k % 2 * 3];
    compliance[k] = 0.3 * elastic[k];
  }
  owned.p.elastic = elastic;
  owned.p.compliance = compliance;
  owned.p.radius = radius;
  owned.p.s = shift;
  owned.p.a = stiffness;
  cr_assert_eq(problem_to_fclib(&file, &owned.p, &err), OK, "%s", err.text);
  cr_assert_eq(problem_from_fclib(&back, &file, &err), OK, "%s", err.text);
  cr_assert(memcmp(back.p.radius, radius, sizeof radius) == 0);
  cr_assert(memcmp(back.p.s, shift, sizeof shift) == 0);
  cr_assert(memcmp(back.p.a, stiffness, sizeof stiffness) == 0);
  cr_assert(memcmp(back.p.compliance, compliance, sizeof compliance) == 0);
  problem_free(&back);
  file.compliance[3] = 1.1 * elastic[3];
  cr_assert_eq(problem_from_fclib(&back, &file, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "voussoir/compliance': contact 1:"), "%s", err.text);
  problem_free(&owned);
  fclib_free(&file);
}

static void fail_each_allocation(const FclibProblem *file) {
  int64_t live = mem_live_blocks();
  for (int n = 1; n < 200; n++) {
    Err err = {0};
    OwnedProblem owned;
    mem_fail_after(n);
    Status status = problem_from_fclib(&owned, file, &err);
    mem_fail_after(0);
    problem_free(&owned);
    cr_assert_eq(mem_live_blocks(), live, "allocation %d", n);
    if (status == OK) return;
  }
}

Test(problem_fclib, gives_all_memory_back_whatever_allocation_fails) {
  FclibProblem global, local;
  OwnedProblem owned;
  make_linked(&global);
  fail_each_allocation(&global);
  cr_assert_eq(problem_from_fclib(&owned, &global, NULL), OK);
  cr_assert_eq(problem_to_fclib(&local, &owned.p, NULL), OK);
  fail_each_allocation(&local);
  for (int n = 1; n < 200; n++) {
    int64_t live = mem_live_blocks();
    FclibProblem file;
    mem_fail_after(n);
    Status status = problem_to_fclib(&file, &owned.p, NULL);
    mem_fail_after(0);
    if (status == OK) fclib_free(&file);
    cr_assert_eq(mem_live_blocks(), live, "allocation %d", n);
    if (status == OK) break;
  }
  fclib_free(&local);
  fclib_free(&global);
  problem_free(&owned);
}

Test(problem_fclib, carries_what_is_elastic_and_checks_it_against_w) {
  OwnedProblem owned, back;
  FclibProblem file;
  Err err = {0};
  double elastic[12];
  make_random(&owned, 3, 6, 18, 0.2, 0.4, 1, 3);
  for (int i = 0; i < 6; i++) {
    const double *d = owned.diag + 9 * i;
    elastic[2 * i] = d[0];
    elastic[2 * i + 1] = 0.5 * (d[4] + d[8]); // all of it: allowed
  }
  owned.p.elastic = elastic;
  cr_assert_eq(problem_to_fclib(&file, &owned.p, &err), OK, "%s", err.text);
  cr_assert_eq(problem_from_fclib(&back, &file, &err), OK, "%s", err.text);
  cr_assert(memcmp(back.p.elastic, elastic, sizeof elastic) == 0);
  problem_free(&back);
  int32_t moved[12];
  double lever[2 * 6 * 3 * 6] = {0};
  for (int k = 0; k < 12; k++)
    moved[k] = k % 2 ? -1 : 40 + k / 4; // three bodies of many, on the ground
  for (int i = 0; i < 6; i++) lever[(2 * i * 3) * 6] = 3 * sqrt(elastic[2 * i]);
  for (int i = 0; i < 6; i++) { // they are soft along the normals
    owned.diag[9 * i] = 10 * elastic[2 * i];
    for (int64_t e = owned.ptr[i]; e < owned.ptr[i + 1]; e++)
      if (owned.col[e] / 2 == i / 2)
        owned.w[9 * e] += lever[(2 * i * 3) * 6] * lever[(2 * owned.col[e] * 3) * 6];
  }
  owned.p.bodies.n_bodies = 50;
  owned.p.bodies.n_modes = 6;
  owned.p.bodies.moved = moved;
  owned.p.bodies.lever = lever;
  fclib_free(&file);
  cr_assert_eq(problem_to_fclib(&file, &owned.p, &err), OK, "%s", err.text);
  cr_assert_eq(problem_from_fclib(&back, &file, &err), OK, "%s", err.text);
  cr_assert_eq(back.p.bodies.n_bodies, 3);
  for (int k = 0; k < 12; k++) cr_assert_eq(back.p.bodies.moved[k], k % 2 ? -1 : k / 4);
  cr_assert(memcmp(back.p.bodies.lever, lever, sizeof lever) == 0);
  problem_free(&back);
  fclib_free(&file);
  owned.p.elastic = NULL; // rigid bodies have levers alone
  cr_assert_eq(problem_to_fclib(&file, &owned.p, &err), OK, "%s", err.text);
  cr_assert_eq(problem_from_fclib(&back, &file, &err), OK, "%s", err.text);
  cr_assert_null(back.p.elastic);
  cr_assert(memcmp(back.p.bodies.lever, lever, sizeof lever) == 0);
  problem_free(&back);
  fclib_free(&file);
  owned.p.elastic = elastic;
  cr_assert_eq(problem_to_fclib(&file, &owned.p, &err), OK, "%s", err.text);
  file.lever[2 * 2 * 3 * 6] *= 1.1;
  cr_assert_eq(problem_from_fclib(&back, &file, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "voussoir/lever") && strstr(err.text, "contact 2"), "%s", err.text);
  file.lever[2 * 2 * 3 * 6] /= 1.1;
  err_clear(&err);
  file.elastic[5] *= 1.01;
  cr_assert_eq(problem_from_fclib(&back, &file, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "voussoir/elastic") && strstr(err.text, "contact 2"), "%s", err.text);
  file.elastic[5] /= 1.01;
  err_clear(&err);
  // each of the two is less than W, but together they are more, or less
  static const double wrong[] = {2, 1e-3, 1 + 1e-2};
  for (int k = 0; k < 3; k++) {
    double right = file.elastic[6];
    file.elastic[6] *= wrong[k];
    cr_assert_eq(problem_from_fclib(&back, &file, &err), ERR_INPUT);
    cr_assert(strstr(err.text, "do not add up to W") && strstr(err.text, "contact 3"), "%s",
              err.text);
    file.elastic[6] = right;
    err_clear(&err);
  }
  // a body that a contact has not: of another, of none, of all
  static const int32_t other[] = {2, 7, -1};
  for (int k = 0; k < 3; k++) {
    file.moved[4] = other[k];
    cr_assert_eq(problem_from_fclib(&back, &file, &err), ERR_INPUT, "%d", other[k]);
    cr_assert(strstr(err.text, "voussoir/lever"), "%s", err.text);
    err_clear(&err);
  }
  memset(file.moved, 0, sizeof moved);
  cr_assert_eq(problem_from_fclib(&back, &file, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "voussoir/moved"), "%s", err.text);
  err_clear(&err);
  memset(file.lever, 0, sizeof lever);
  cr_assert_eq(problem_from_fclib(&back, &file, &err), ERR_INPUT);
  cr_assert(strstr(err.text, "do not add up to W") && strstr(err.text, "contact 0"), "%s",
            err.text);
  fclib_free(&file);
  problem_free(&owned);
}
