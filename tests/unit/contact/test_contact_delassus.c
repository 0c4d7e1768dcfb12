#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../support/staged_step.h"
#include "contact/pair_type.h"

// ---- W by brute force: one dense matrix a body, inverted by elimination -------------------------

// a [n * n] becomes its inverse: Gauss and Jordan with row pivots.
static void invert(int n, double *a) {
  double *b = calloc((size_t)n * n, sizeof *b);
  for (int i = 0; i < n; i++) b[i * n + i] = 1;
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
    cr_assert_gt(fabs(a[pivot * n + k]), 0);
    for (int j = 0; j < n; j++) {
      double swap = a[k * n + j];
      a[k * n + j] = a[pivot * n + j];
      a[pivot * n + j] = swap;
      swap = b[k * n + j];
      b[k * n + j] = b[pivot * n + j];
      b[pivot * n + j] = swap;
    }
    double by = 1 / a[k * n + k];
    for (int j = 0; j < n; j++) {
      a[k * n + j] *= by;
      b[k * n + j] *= by;
    }
    for (int i = 0; i < n; i++) {
      double factor = a[i * n + k];
      if (i == k || factor == 0) continue;
      for (int j = 0; j < n; j++) {
        a[i * n + j] -= factor * a[k * n + j];
        b[i * n + j] -= factor * b[k * n + j];
      }
    }
  }
  memcpy(a, b, sizeof *a * (size_t)n * n);
  free(b);
}

// w = Q [M + h theta V + h^2 theta^2 K]^-1 Q^T of one body, docs/theory/nscd.md section 1; rows and
// columns of prescribed unknowns are zero: no impulse moves them.
static double *body_inverse(const BodySet *bs, const BodyState *state, int body, StepSize size) {
  const Prototype *p = &bs->protos[bs->proto[body]];
  const Material *m = p->material;
  int n = p->n_dofs;
  double *a = calloc((size_t)n * n, sizeof *a), *w = calloc((size_t)n * n, sizeof *w);
  double ht = size.h * size.theta;
  for (int i = 0; i < n; i++) {
    for (int64_t k = p->stiffness.ptr[i]; k < p->stiffness.ptr[i + 1]; k++)
      a[i * n + p->stiffness.col[k]] = (ht * m->damping_stiffness + ht * ht) * p->stiffness.val[k];
    a[i * n + i] += (1 + ht * m->damping_mass) * p->mass[i / 2];
  }
  for (int i = 0; p->fixed && i < n; i++)
    for (int j = 0; j < n; j++)
      if (p->fixed[i] || p->fixed[j]) a[i * n + j] = i == j;
  invert(n, a);
  for (int i = 0; p->fixed && i < n; i++)
    if (p->fixed[i]) a[i * n + i] = 0;
  const double *q = state->frame + 4 * (size_t)body;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < 2; k++)
        for (int l = 0; l < 2; l++)
          w[i * n + j] +=
              q[2 * (i % 2) + k] * a[(i / 2 * 2 + k) * n + j / 2 * 2 + l] * q[2 * (j % 2) + l];
  free(a);
  return w;
}

// Columns n and t of H of one contact for the unknowns of one body.
static void body_columns(const BodySet *bs, const Contact *contact, int body, double *column) {
  int first = bs->node_ptr[body], n = 2 * (bs->node_ptr[body + 1] - first);
  memset(column, 0, sizeof *column * 2 * (size_t)n);
  for (int k = 0; k < 4; k++) {
    const Site *site = &contact->side[k / 2];
    if (bs->body_of[site->node[k % 2]] != body) continue;
    for (int i = 0; i < 2; i++) {
      column[2 * (site->node[k % 2] - first) + i] += site->weight[k % 2] * contact->n[i];
      column[n + 2 * (site->node[k % 2] - first) + i] += site->weight[k % 2] * contact->t[i];
    }
  }
}

// Dense W [2n * 2n] of all contacts.
static double *brute_force(const StagedStep *staged) {
  const BodySet *bs = staged->step.bs;
  int n = contact_count(staged->step.work), size = 2 * n;
  const Contact *list = contact_list(staged->step.work);
  double *all = calloc((size_t)size * size, sizeof *all);
  for (int b = 0; b < bs->n_bodies; b++) {
    if (bs->proto[b] < 0) continue;
    int m = bs->protos[bs->proto[b]].n_dofs;
    double *w = body_inverse(bs, staged->step.bodies, b, staged->step.size);
    double *h = calloc((size_t)size * m, sizeof *h), *wh = calloc((size_t)size * m, sizeof *wh);
    for (int c = 0; c < n; c++) body_columns(bs, &list[c], b, h + (size_t)2 * c * m);
    for (int c = 0; c < size; c++)
      for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) wh[c * m + i] += w[i * m + j] * h[c * m + j];
    for (int c = 0; c < size; c++)
      for (int d = 0; d < size; d++)
        for (int i = 0; i < m; i++) all[c * size + d] += h[c * m + i] * wh[d * m + i];
    free(w);
    free(h);
    free(wh);
  }
  return all;
}

// W as the program made it, dense. A block that stands twice in the pattern would show as a wrong
// sum.
static double *assembled(const ContactWork *work) {
  int size = 2 * work->n;
  double *all = calloc((size_t)size * size, sizeof *all);
  for (int c = 0; c < work->n; c++) {
    for (int k = 0; k < 4; k++)
      all[(2 * c + k / 2) * size + 2 * c + k % 2] += work->diag[4 * c + k];
    for (int64_t e = work->ptr[c]; e < work->ptr[c + 1]; e++)
      for (int k = 0; k < 4; k++)
        all[(2 * c + k / 2) * size + 2 * work->col[e] + k % 2] += work->w[4 * e + k];
  }
  return all;
}

// Diagonal blocks are their elastic part and the squares of the levers of rigid motions.
static void expect_split(const ContactWork *work, const char *what) {
  int rigid = 0;
  for (int c = 0; c < work->n; c++)
    for (int k = 0; k < 2; k++) {
      double sum = work->elastic[2 * c + k], own = sum;
      for (int side = 0; side < 2; side++)
        for (int m = 0; m < 3; m++) {
          double lever = work->lever[((2 * c + side) * 2 + k) * 3 + m];
          if (work->moved[2 * c + side] >= 0) sum += lever * lever;
        }
      if (sum == 1) continue; // nothing moves it
      cr_assert_float_eq(sum, work->diag[4 * c + 3 * k], 1e-10 * sum, "%s: contact %d", what, c);
      rigid += own < 0.9 * sum;
    }
  cr_assert_gt(rigid, work->n / 2, "%s: hardly anything moves rigidly", what);
}

static void expect_brute_force(CaseRun *run, double h, const char *what) {
  StagedStep staged;
  staged_step_begin(&staged, run, h);
  int size = 2 * contact_count(run->work.contact);
  cr_assert_gt(size, 6, "%s: too few contacts to say anything", what);
  double *expected = brute_force(&staged), *found = assembled(run->work.contact), largest = 0;
  for (int k = 0; k < size * size; k++) largest = fmax(largest, fabs(expected[k]));
  for (int k = 0; k < size * size; k++) {
    // Elimination loses about 1e-13 of the largest block on these condition numbers (below 1e4).
    cr_assert_float_eq(found[k], expected[k], 1e-10 * largest,
                       "%s, step %lld: W(%d, %d) = %.12g, expected %.12g", what,
                       (long long)run->state.step, k / size, k % size, found[k], expected[k]);
  }
  expect_split(run->work.contact, what);
  free(expected);
  free(found);
  staged_step_end(&staged);
}

// ---- cases --------------------------------------------------------------------------------------

static CaseRun *wall(const char *kinematics, const char *points, const char *pattern,
                     const char *more) {
  return run_case_open_text(
      xml_format(
          "<voussoir><material name='stone' density='500' young='2e5' poisson='0.3' "
          "damping_mass='3' damping_stiffness='1e-4'/><law name='dry' friction='0.4'/>"
          "<wall name='wall' material='stone' courses='3' blocks='2' length='0.1' height='0.05' "
          "kinematics='%s' pattern='%s'/>"
          "<support name='base' shape='box' x='-1' y='-1' width='3' height='1'/>"
          "<contact candidate='wall' antagonist='wall base' law='dry' points='%s'/>"
          "<gravity y='-9.81'/>%s<time end='1' step='1e-3' theta='0.6'/></voussoir>",
          kinematics, pattern, points, more),
      NULL);
}

static const char *const rules[3] = {"midpoints", "nodes", "gauss"};

Test(contact_delassus, equals_the_dense_operator_on_a_wall_with_small_strains) {
  static const char *const patterns[2] = {"t3_right", "q4"};
  for (int rule = 0; rule < 3; rule++)
    for (int k = 0; k < 2; k++) {
      CaseRun *run = wall("small", rules[rule], patterns[k], "");
      expect_brute_force(run, 1e-3, "before the first step");
      for (int step = 0; step < 5; step++) run_case_step(run, 0);
      expect_brute_force(run, 1e-3, rules[rule]);
      run_case_close(run);
    }
}

Test(contact_delassus, follows_the_step_size) {
  CaseRun *run = wall("small", "nodes", "q4", "");
  for (double h = 4e-3; h > 1e-4; h /= 2) expect_brute_force(run, h, "halved step");
  run_case_close(run);
}

Test(contact_delassus, equals_the_dense_operator_while_corotational_blocks_turn) {
  // A push at a third of the height topples the wall: frames turn block by block.
  CaseRun *run =
      wall("corotational", "nodes", "t3_right", "<velocity of='wall' x='0.5' spin='-8'/>");
  double turned = 0;
  for (int step = 0; step < 40; step++) {
    if (step % 4 == 0) expect_brute_force(run, 1e-3, "turning blocks");
    run_case_step(run, 0);
  }
  for (int b = 0; b < run->input.model.bodies.n_bodies; b++)
    turned = fmax(turned, fabs(run->state.bodies.frame[4 * b + 2]));
  cr_assert_gt(turned, 0.01, "nothing has turned: %g", turned);
  run_case_close(run);
}

Test(contact_delassus, equals_the_dense_operator_on_an_arch_of_turned_prototypes) {
  CaseRun *run = run_case_open_text(
      "<voussoir><material name='stone' density='500' young='1e6' poisson='0.2'/>"
      "<law name='dry' friction='0.6'/>"
      "<arch name='arch' material='stone' span='2' thickness='0.4' voussoirs='7'/>"
      "<support name='base' shape='box' x='-3' y='-1' width='6' height='1'/>"
      "<contact candidate='arch' antagonist='arch base' law='dry'/>"
      "<gravity/><time end='1' step='1e-3'/></voussoir>",
      NULL);
  cr_assert_eq(run->input.model.bodies.n_protos, 1);
  expect_brute_force(run, 1e-3, "arch");
  for (int step = 0; step < 5; step++) run_case_step(run, 0);
  expect_brute_force(run, 1e-3, "arch under way");
  run_case_close(run);
}

Test(contact_delassus, prescribed_nodes_do_not_yield) {
  CaseRun *run = wall("small", "nodes", "t3_right",
                      "<prescribe on='wall.1.bottom' x='0' y='0'/>"
                      "<prescribe on='wall.2.right' x='1e-3*t'/>");
  expect_brute_force(run, 1e-3, "prescribed nodes");
  run_case_step(run, 0);
  expect_brute_force(run, 1e-3, "prescribed nodes");
  run_case_close(run);
}

Test(contact_delassus, mirrors_every_block_bit_by_bit) {
  CaseRun *run = wall("corotational", "gauss", "t3_right", "<velocity of='wall' x='1' spin='3'/>");
  for (int step = 0; step < 20; step++) {
    run_case_step(run, 0);
    const ContactWork *work = run->work.contact;
    for (int c = 0; c < work->n; c++)
      for (int64_t e = work->ptr[c]; e < work->ptr[c + 1]; e++) {
        const double *a = work->w + 4 * e, *b = work->w + 4 * work->mirror[e];
        int64_t row = work->mirror[e];
        cr_assert(row >= work->ptr[work->col[e]] && row < work->ptr[work->col[e] + 1]);
        cr_assert_eq(work->col[row], c);
        cr_assert(a[0] == b[0] && a[1] == b[2] && a[2] == b[1] && a[3] == b[3]);
      }
  }
  run_case_close(run);
}

Test(contact_delassus, rows_kept_over_steps_have_the_bits_of_a_full_rebuild) {
  static const char *const kinematics[2] = {"small", "corotational"};
  int64_t kept = 0, renewed = 0;
  for (int kind = 0; kind < 2; kind++) {
    CaseRun *run = wall(kinematics[kind], "nodes", "t3_right",
                        "<velocity of='wall.course_3' x='0.3' spin='-2'/>");
    for (int step = 0; step < 60; step++) {
      StagedStep staged;
      staged_step_begin(&staged, run, 1e-3);
      ContactWork *work = run->work.contact;
      for (int c = 0; c < work->n; c++) {
        kept += !work->set_changed && !work->dirty[c];
        renewed += !work->set_changed && work->dirty[c];
      }
      double *before = assembled(work);
      work->built_h = 0; // rows of another step size: all are made anew
      Err err = {0};
      cr_assert_eq(contact_assemble(&staged.step, &staged.matrices, staged.turned, &err), OK);
      double *after = assembled(work);
      cr_assert_eq(memcmp(before, after, sizeof *after * 4 * (size_t)work->n * work->n), 0,
                   "%s, step %d: kept rows differ from new ones", kinematics[kind], step);
      free(before);
      free(after);
      staged_step_end(&staged);
      run_case_step(run, 0);
    }
    run_case_close(run);
  }
  cr_assert_gt(kept, 100); // both ways were taken
  cr_assert_gt(renewed, 20);
}
