// Properties that every law at finite strains has, over all samples of all rows of the table.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/element_sample.h"
#include "../../support/material_sample.h"

enum { MAX_STATE = 16 };

static void to_c(const double f[9], double c[6]) {
  static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++) {
    c[k] = 0;
    for (int i = 0; i < 3; i++) c[k] += f[3 * i + row[k]] * f[3 * i + column[k]];
  }
}

static void random_f(double amplitude, unsigned *seed, double f[9]) {
  for (int k = 0; k < 9; k++) f[k] = (k % 4 == 0) + amplitude * sample_random(seed);
}

// S at E + the given change of one component (engineering shear).
static Status stress_near(const Material *m, const FinitePoint *at, const double *state, int k,
                          double change, FiniteStress *out) {
  FinitePoint moved = *at;
  double unused[MAX_STATE];
  moved.c[k] += (k < 3 ? 2 : 1) * change;
  return m->type->finite(m, &moved, state, unused, out, NULL);
}

// Largest difference of d to differences of the fourth order, over the largest entry.
static double tangent_error(const Material *m, int symmetric, const FinitePoint *at,
                            const double *state) {
  const double step = 2e-5;
  double fd[36], unused[MAX_STATE], worst = 0, scale = 0;
  FiniteStress out, p1, p2, m1, m2;
  cr_assert_eq(m->type->finite(m, at, state, unused, &out, NULL), OK);
  for (int k = 0; k < 6; k++) {
    cr_assert_eq(stress_near(m, at, state, k, step, &p1), OK);
    cr_assert_eq(stress_near(m, at, state, k, -step, &m1), OK);
    cr_assert_eq(stress_near(m, at, state, k, 2 * step, &p2), OK);
    cr_assert_eq(stress_near(m, at, state, k, -2 * step, &m2), OK);
    for (int i = 0; i < 6; i++)
      fd[6 * i + k] = (8 * (p1.s[i] - m1.s[i]) - (p2.s[i] - m2.s[i])) / (12 * step);
  }
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++) {
      double expected = symmetric ? fd[6 * i + k] : 0.5 * (fd[6 * i + k] + fd[6 * k + i]);
      worst = fmax(worst, fabs(out.d[6 * i + k] - expected));
      scale = fmax(scale, fabs(out.d[6 * i + k]));
      cr_assert_eq(out.d[6 * i + k], out.d[6 * k + i], "%s", m->name);
    }
  double stiffness[36]; // where nothing resists any more the elastic scale
  m->type->stiffness(m->par, STRESS_3D, stiffness);
  return worst / fmax(scale, 0.1 * stiffness[0]);
}

Test(material_finite, every_law_has_a_sample) {
  Material m;
  for (int r = 0; material_types[r]; r++) {
    int found = !material_types[r]->finite;
    for (int k = 0; material_sample(k, &m, NULL); k++) {
      found |= m.type == material_types[r];
      cr_assert_leq(m.type->n_state, MAX_STATE);
    }
    cr_assert(found, "%s", material_types[r]->name);
  }
}

Test(material_finite, samples_have_no_defect) {
  Material m;
  for (int k = 0; material_sample(k, &m, NULL); k++) {
    const char *warning = NULL;
    cr_assert_null(m.type->defect ? m.type->defect(&m, &warning) : NULL, "%s", m.name);
  }
}

Test(material_finite, at_rest_there_is_no_stress_and_the_tangent_is_the_elastic_matrix) {
  Material m;
  for (int k = 0; material_sample(k, &m, NULL); k++) {
    FinitePoint at = {.c = {1, 1, 1}, .c_old = {1, 1, 1}, .size = 0.1};
    double zero[MAX_STATE] = {0}, new[MAX_STATE], d[36];
    FiniteStress out;
    cr_assert_eq(m.type->finite(&m, &at, zero, new, &out, NULL), OK);
    m.type->stiffness(m.par, STRESS_3D, d);
    for (int i = 0; i < 6; i++) cr_assert_float_eq(out.s[i], 0, 1e-12, "%s", m.name);
    for (int i = 0; i < 36; i++)
      cr_assert_float_eq(out.d[i], d[i], 1e-11 * d[0], "sample %d, %s: entry %d is %g, not %g", k,
                         m.name, i, out.d[i], d[i]);
    cr_assert_eq(out.lost, 0);
    cr_assert_float_eq(out.stored, 0, 1e-12);
  }
}

// Loading, unloading and turning of the principal axes: random steps, small and large.
Test(material_finite, tangent_is_symmetric_and_that_of_finite_differences_on_random_paths) {
  Material m;
  int symmetric;
  double worst_of_all = 0;
  for (int k = 0; material_sample(k, &m, &symmetric); k++) {
    unsigned seed = 11;
    for (int path = 0; path < 20; path++) {
      double state[MAX_STATE] = {0}, new[MAX_STATE], f[9];
      FinitePoint at = {.c = {1, 1, 1}, .h = path % 4 ? 0.02 : 0, .size = 0.1};
      for (int step = 0; step < 5; step++) {
        FiniteStress out;
        memcpy(at.c_old, at.c, sizeof at.c);
        random_f(path < 10 ? 0.05 : 0.2, &seed, f);
        to_c(f, at.c);
        double error = tangent_error(&m, symmetric, &at, state);
        cr_expect_lt(error, 1e-7, "sample %d, %s, path %d, step %d: %g", k, m.name, path, step,
                     error);
        worst_of_all = fmax(worst_of_all, error);
        cr_assert_eq(m.type->finite(&m, &at, state, new, &out, NULL), OK);
        cr_assert_geq(out.lost, -1e-12, "%s loses %g", m.name, out.lost);
        memcpy(state, new, sizeof state);
      }
    }
  }
  cr_log_info("worst error of a tangent: %g", worst_of_all);
}

Test(material_finite, tangent_is_right_where_principal_stretches_are_equal_or_nearly_so) {
  static const double gap[] = {0, 1e-13, 1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.029, 0.031, 0.1};
  Material m;
  int symmetric;
  for (int k = 0; material_sample(k, &m, &symmetric); k++)
    for (size_t g = 0; g < sizeof gap / sizeof gap[0]; g++)
      for (int pattern = 0; pattern < 3; pattern++) {
        // all three near, two near and large or small third; turned by a fixed shear of the axes
        const double l[3] = {1.2, 1.2 * (1 + gap[g]),
                             pattern == 0 ? 1.2 * (1 - 0.7 * gap[g]) : (pattern == 1 ? 0.8 : 1.7)};
        static const double axis[3][3] = {
            {2. / 3, 2. / 3, 1. / 3}, {-2. / 3, 1. / 3, 2. / 3}, {1. / 3, -2. / 3, 2. / 3}};
        static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
        FinitePoint at = {.c_old = {1, 1, 1}, .h = 0.01, .size = 0.1};
        double state[MAX_STATE] = {0};
        for (int i = 0; i < 6; i++)
          for (int a = 0; a < 3; a++) at.c[i] += l[a] * axis[a][row[i]] * axis[a][column[i]];
        double error = tangent_error(&m, symmetric, &at, state);
        // with plastic strains along other axes
        double before[MAX_STATE] = {0}, f[9];
        unsigned seed = 3;
        FinitePoint first = {.c_old = {1, 1, 1}, .h = 0.01, .size = 0.1};
        FiniteStress out;
        random_f(0.1, &seed, f);
        to_c(f, first.c);
        cr_assert_eq(m.type->finite(&m, &first, state, before, &out, NULL), OK);
        error = fmax(error, tangent_error(&m, symmetric, &at, before));
        cr_expect_lt(error, 1e-7, "sample %d, %s, gap %g, pattern %d: %g", k, m.name, gap[g],
                     pattern, error);
      }
}

Test(material_finite, stress_is_the_derivative_of_the_stored_energy_where_nothing_is_lost) {
  static const char *const laws[] = {"elastic", "neo_hooke", "mooney_rivlin", "j2", "damage"};
  const double step = 1e-5;
  Material m;
  for (int k = 0; material_sample(k, &m, NULL); k++) {
    int listed = 0;
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++)
      listed |= strcmp(laws[i], m.name) == 0;
    unsigned seed = 5;
    for (int sample = 0; listed && sample < 20; sample++) {
      double f[9], state[MAX_STATE] = {0}, new[MAX_STATE];
      FinitePoint at = {.size = 0.1};
      FiniteStress out, low, high;
      random_f(m.type->n_state ? 0.002 : 0.2, &seed, f);
      to_c(f, at.c);
      cr_assert_eq(m.type->finite(&m, &at, state, new, &out, NULL), OK);
      if (out.lost > 0) continue;
      for (int i = 0; i < 6; i++) {
        cr_assert_eq(stress_near(&m, &at, state, i, -step, &low), OK);
        cr_assert_eq(stress_near(&m, &at, state, i, step, &high), OK);
        double slope = (high.stored - low.stored) / (2 * step);
        cr_assert_float_eq(out.s[i], slope, 1e-6, "%s: %g, %g", m.name, out.s[i], slope);
      }
    }
  }
}

// Isotropy: with the reference turned by Q, stress and internal variables of the law turn with it.
Test(material_finite, stress_turns_with_the_reference) {
  const double q[3][3] = {
      {2. / 3, 2. / 3, 1. / 3}, {-2. / 3, 1. / 3, 2. / 3}, {1. / 3, -2. / 3, 2. / 3}};
  Material m;
  for (int k = 0; material_sample(k, &m, NULL); k++) {
    unsigned seed = 9;
    double f[9], fq[9], a[MAX_STATE] = {0}, b[MAX_STATE] = {0}, new[MAX_STATE];
    FinitePoint plain = {.c = {1, 1, 1}, .h = 0.01, .size = 0.1}, turned = plain;
    for (int step = 0; step < 4; step++) {
      FiniteStress s, t;
      memcpy(plain.c_old, plain.c, sizeof plain.c);
      memcpy(turned.c_old, turned.c, sizeof turned.c);
      random_f(0.1, &seed, f);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          fq[3 * i + j] = 0;
          for (int l = 0; l < 3; l++) fq[3 * i + j] += f[3 * i + l] * q[j][l];
        }
      to_c(f, plain.c);
      to_c(fq, turned.c);
      cr_assert_eq(m.type->finite(&m, &plain, a, new, &s, NULL), OK);
      memcpy(a, new, sizeof a);
      cr_assert_eq(m.type->finite(&m, &turned, b, new, &t, NULL), OK);
      memcpy(b, new, sizeof b);
      const double m3[3][3] = {
          {s.s[0], s.s[3], s.s[5]}, {s.s[3], s.s[1], s.s[4]}, {s.s[5], s.s[4], s.s[2]}};
      static const int row[6] = {0, 1, 2, 0, 1, 0}, column[6] = {0, 1, 2, 1, 2, 2};
      for (int c = 0; c < 6; c++) {
        double expected = 0;
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++) expected += q[row[c]][i] * m3[i][j] * q[column[c]][j];
        cr_assert_float_eq(t.s[c], expected, 1e-10, "%s: %.15g, %.15g", m.name, t.s[c], expected);
      }
      cr_assert_float_eq(s.stored, t.stored, 1e-10);
      cr_assert_float_eq(s.lost, t.lost, 1e-10);
    }
  }
}

Test(material_finite, work_is_stored_or_lost) {
  // the work of S along a path against stored + lost, for steps that halve: first order or better
  Material m;
  for (int k = 0; material_sample(k, &m, NULL); k++) {
    double error[2];
    for (int fine = 0; fine < 2; fine++) {
      int n = fine ? 800 : 400;
      double state[MAX_STATE] = {0}, new[MAX_STATE], work = 0, lost = 0, stored = 0,
             before[6] = {0};
      FinitePoint at = {.c = {1, 1, 1}, .h = 1. / n, .size = 0.1};
      for (int step = 1; step <= n; step++) {
        double t = (double)step / n, wave = sin(6 * t);
        const double f[9] = {1 + 0.08 * wave, 0.06 * t, 0, 0, 1 - 0.03 * wave, 0.02 * t, 0, 0, 1};
        FiniteStress out;
        memcpy(at.c_old, at.c, sizeof at.c);
        to_c(f, at.c);
        cr_assert_eq(m.type->finite(&m, &at, state, new, &out, NULL), OK);
        memcpy(state, new, sizeof state);
        for (int i = 0; i < 6; i++)
          work += 0.5 * (out.s[i] + before[i]) * (at.c[i] - at.c_old[i]) * (i < 3 ? 0.5 : 1);
        memcpy(before, out.s, sizeof before);
        lost += out.lost;
        stored = out.stored;
      }
      error[fine] = fabs(work - stored - lost) / (fabs(stored) + lost);
    }
    cr_expect_lt(error[1], 0.01, "sample %d, %s: %g", k, m.name, error[1]);
    cr_expect_lt(error[1], 0.7 * error[0] + 1e-9, "sample %d, %s: %g, %g", k, m.name, error[0],
                 error[1]);
  }
}
