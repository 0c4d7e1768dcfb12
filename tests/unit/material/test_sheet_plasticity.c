// Laws of sheets: properties over all samples, and answers in closed form.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "../../support/element_sample.h"
#include "../../support/sheet_sample.h"
#include "material/hardening.h"
#include "material/hardening_curve.h"
#include "material/sheet_plasticity.h"
#include "material/sheet_yld2000.h"

static const double pi = 3.14159265358979323846;

static SheetStress evaluate(const Material *m, const double *e, const double *old, double *state) {
  SheetStress out;
  Err err;
  cr_assert_eq(m->type->sheet(m, e, old, state, &out, &err), OK, "%s: %s", m->name, err.text);
  return out;
}

// A state after some plastic flow.
static void prestrain(const Material *m, double state[N_SHEET_RECALLED]) {
  double e[3] = {0.03, -0.01, 0.02}, start[N_SHEET_RECALLED] = {0};
  evaluate(m, e, start, state);
}

Test(sheet_plasticity, tangents_are_those_of_differences_and_symmetric) {
  Material m;
  unsigned seed = 3;
  for (int k = 0; sheet_sample(k, &m); k++)
    for (int trial = 0; trial < 20; trial++) {
      double old[N_SHEET_RECALLED] = {0}, state[N_SHEET_RECALLED], e[3], worst = 0;
      if (trial % 2) prestrain(&m, old);
      for (int i = 0; i < 3; i++) e[i] = 0.1 * sample_random(&seed);
      SheetStress at = evaluate(&m, e, old, state);
      const double step = 1e-6;
      double d[9];
      for (int j = 0; j < 3; j++) {
        double moved[3] = {e[0], e[1], e[2]};
        moved[j] = e[j] + step;
        SheetStress high = evaluate(&m, moved, old, state);
        moved[j] = e[j] - step;
        SheetStress low = evaluate(&m, moved, old, state);
        for (int i = 0; i < 3; i++) d[3 * i + j] = (high.t[i] - low.t[i]) / (2 * step);
      }
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          // the symmetric part is all that a law gives; only recalled back stresses have another
          double half = 0.5 * (d[3 * i + j] - d[3 * j + i]);
          worst = fmax(worst, fabs(at.d[3 * i + j] - d[3 * i + j] + half));
          if (m.type->sheet_states == NULL || m.type->sheet_states(&m) == N_SHEET)
            worst = fmax(worst, fabs(half));
          cr_assert_float_eq(at.d[3 * i + j], at.d[3 * j + i], 1e-10 * at.d[0]);
        }
      cr_assert_lt(worst, 2e-6 * 1000, "sample %d, trial %d: %g", k, trial, worst);
    }
}

Test(sheet_plasticity, work_is_what_is_stored_and_lost) {
  Material m;
  for (int k = 0; sheet_sample(k, &m); k++) {
    double old[N_SHEET_RECALLED] = {0}, state[N_SHEET_RECALLED] = {0}, work = 0, lost = 0,
           e_old[3] = {0}, t_old[3] = {0};
    SheetStress at = {0};
    const int n = 4000;
    for (int s = 1; s <= n; s++) {
      double f = (double)s / n;
      double e[3] = {0.05 * sin(4 * f), -0.04 * f * f, 0.06 * sin(6 * f)};
      memcpy(old, state, sizeof old);
      at = evaluate(&m, e, old, state);
      for (int i = 0; i < 3; i++) work += 0.5 * (at.t[i] + t_old[i]) * (e[i] - e_old[i]);
      lost += at.lost;
      cr_assert_geq(at.lost, -1e-12);
      memcpy(e_old, e, sizeof e_old);
      memcpy(t_old, at.t, sizeof t_old);
    }
    cr_assert_float_eq(at.stored + lost, work, 2e-3 * work, "sample %d: %g + %g, %g", k, at.stored,
                       lost, work);
  }
}

// Strain of uniaxial stress at an angle to the rolling direction, by Newton on the other two.
static SheetStress uniaxial(const Material *m, double angle, double e11, double e[3],
                            double state[N_SHEET_RECALLED]) {
  double c = cos(angle), s = sin(angle), start[N_SHEET_RECALLED] = {0};
  // unknown strains across the width and in shear, in the axes of the strip
  double strip[3] = {e11, -0.4 * e11, 0};
  // stress in the strip's axes is q t, strain in the sheet's axes q^T e
  double q[9] = {c * c, s * s, 2 * s * c, s * s, c * c, -2 * s * c, -s * c, s * c, c * c - s * s};
  for (int it = 0;; it++) {
    double t[3], d[9];
    for (int i = 0; i < 3; i++) e[i] = q[i] * strip[0] + q[3 + i] * strip[1] + q[6 + i] * strip[2];
    SheetStress at = evaluate(m, e, start, state);
    for (int i = 0; i < 3; i++) {
      t[i] = q[3 * i] * at.t[0] + q[3 * i + 1] * at.t[1] + q[3 * i + 2] * at.t[2];
      for (int j = 0; j < 3; j++) {
        d[3 * i + j] = 0;
        for (int a = 0; a < 3; a++)
          for (int b = 0; b < 3; b++) d[3 * i + j] += q[3 * i + a] * at.d[3 * a + b] * q[3 * j + b];
      }
    }
    if (hypot(t[1], t[2]) <= 1e-10 * fabs(t[0])) {
      for (int i = 0; i < 3; i++) at.t[i] = t[i];
      return at;
    }
    cr_assert_lt(it, 50);
    double det = d[4] * d[8] - d[5] * d[7];
    strip[1] -= (d[8] * t[1] - d[5] * t[2]) / det;
    strip[2] -= (d[4] * t[2] - d[7] * t[1]) / det;
  }
}

// Width over thickness plastic strain of a strip at an angle.
static double r_ratio(const double state[N_SHEET_RECALLED], double angle) {
  const double *ep = state + SHEET_STRAIN;
  double c = cos(angle), s = sin(angle);
  return (ep[0] * s * s + ep[1] * c * c - ep[2] * s * c) / -(ep[0] + ep[1]);
}

Test(sheet_plasticity, a_strip_of_steel_pulls_with_its_curve) {
  Material m;
  double e[3], state[N_SHEET_RECALLED], slope;
  sheet_steel(&m);
  SheetStress at = uniaxial(&m, 0, 0.2, e, state);
  double yield = hardening_stress(&m, m.par + SHEET_HARDENING, 206e9, state[0], &slope);
  cr_assert_float_eq(at.t[0], yield, 1e-8 * yield);
  cr_assert_float_eq(state[0] + at.t[0] / 206e9, 0.2, 1e-12);
  // force on a width of 10 mm and thickness of 0.78 mm: Kirchhoff stress over the stretch
  cr_assert_float_eq(at.t[0] * 7.8e-6 * exp(-0.2), 2396.101, 1e-3);
}

Test(sheet_plasticity, hill_has_its_r_values_and_yields_at_the_curve_along_the_rolling_direction) {
  Material m;
  const double r[3] = {1.79, 1.51, 2.27}, angle[3] = {0, 0.25 * pi, 0.5 * pi};
  sheet_steel(&m);
  sheet_set(&m, "criterion", 1);
  sheet_set(&m, "r0", r[0]);
  sheet_set(&m, "r45", r[1]);
  sheet_set(&m, "r90", r[2]);
  cr_assert_eq(m.type->prepare(&m, NULL), OK);
  cr_assert_eq(m.type->directional(&m), 1);
  for (int k = 0; k < 3; k++) {
    double e[3], state[N_SHEET_RECALLED];
    SheetStress at = uniaxial(&m, angle[k], 0.2, e, state);
    cr_assert_float_eq(r_ratio(state, angle[k]), r[k], 1e-9);
    if (k == 0) cr_assert_float_eq(at.t[0] * 7.8e-6 * exp(-0.2), 2396.101, 1e-3);
  }
}

Test(sheet_plasticity, yld2000_meets_the_tests_it_is_identified_from) {
  // AA6016-T4 (Habraken et al. 2022)
  const double s[3] = {1, 0.898, 0.983}, r[3] = {0.526, 0.253, 0.601};
  const double angle[3] = {0, 0.25 * pi, 0.5 * pi};
  Material m;
  cr_assert(sheet_sample(6, &m));
  for (int k = 0; k < 3; k++) {
    double e[3], state[N_SHEET_RECALLED], slope;
    SheetStress at = uniaxial(&m, angle[k], 0.2, e, state);
    double yield = hardening_stress(&m, m.par + SHEET_HARDENING, 1000, state[0], &slope);
    cr_assert_float_eq(at.t[0] / yield, s[k], 1e-8);
    cr_assert_float_eq(r_ratio(state, angle[k]), r[k], 1e-8);
  }
}

Test(sheet_plasticity, yld2000_of_exponent_2_and_unit_coefficients_is_von_mises) {
  const double one[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  double par[N_YLD2000], n[3], hess[9];
  unsigned seed = 4;
  yld2000_maps(one, 2, par);
  for (int k = 0; k < 10; k++) {
    double s[3];
    for (int i = 0; i < 3; i++) s[i] = 1e8 * sample_random(&seed);
    double mises = sqrt(s[0] * s[0] - s[0] * s[1] + s[1] * s[1] + 3 * s[2] * s[2]);
    cr_assert_float_eq(yld2000(par, s, n, hess), mises, 1e-12 * mises);
    cr_assert_float_eq(n[0] * s[0] + n[1] * s[1] + n[2] * s[2], mises, 1e-12 * mises);
    cr_assert_float_eq(n[2], 3 * s[2] / mises, 1e-12);
  }
}

Test(sheet_plasticity, yld2000_has_its_derivatives_at_and_near_stresses_without_shear) {
  Material m;
  cr_assert(sheet_sample(6, &m));
  const double states[][3] = {{1, 1, 0},    {1, 0, 0}, {-1, 1, 0},    {0.3, -0.8, 1e-9},
                              {1, 1, 1e-3}, {0, 0, 1}, {0.5, -1, 0.4}};
  for (int k = 0; k < 7; k++) {
    double n[3], hess[9], unused[9], high[3], low[3];
    yld2000(m.derived, states[k], n, hess);
    for (int j = 0; j < 3; j++) {
      double s[3] = {states[k][0], states[k][1], states[k][2]}, step = 1e-5;
      s[j] += step;
      double up = yld2000(m.derived, s, high, unused);
      s[j] -= 2 * step;
      double down = yld2000(m.derived, s, low, unused);
      cr_assert_float_eq(n[j], (up - down) / (2 * step), 1e-8, "%d", k);
      for (int i = 0; i < 3; i++)
        cr_assert_float_eq(hess[3 * i + j], (high[i] - low[i]) / (2 * step), 1e-6, "%d: %g %g", k,
                           hess[3 * i + j], (high[i] - low[i]) / (2 * step));
    }
  }
}

Test(sheet_plasticity, large_increments_return) {
  Material m;
  unsigned seed = 7;
  for (int k = 0; sheet_sample(k, &m); k++)
    for (int trial = 0; trial < 200; trial++) {
      double e[3], old[N_SHEET_RECALLED] = {0}, state[N_SHEET_RECALLED];
      for (int i = 0; i < 3; i++) e[i] = 1.5 * sample_random(&seed);
      evaluate(&m, e, old, state);
    }
}

Test(sheet_plasticity, kinematic_hardening_yields_early_on_the_way_back) {
  Material m;
  double e[3], old[N_SHEET_RECALLED], state[N_SHEET_RECALLED];
  sheet_steel(&m);
  sheet_set(&m, "hardening", 0);
  sheet_set(&m, "yield", 200e6);
  sheet_set(&m, "kinematic", 1e9);
  SheetStress at = uniaxial(&m, 0, 0.05, e, old);
  cr_assert_float_eq(at.t[0], 200e6 + 1e9 * old[0], 1);
  // elastic range is twice the yield stress: unloading by 399 MPa is elastic, by 401 MPa it is not
  for (int k = 0; k < 2; k++) {
    double change = -(k ? 401e6 : 399e6) / 206e9;
    double back[3] = {e[0] + change, e[1] - 0.3 * change, e[2]};
    evaluate(&m, back, old, state);
    cr_assert_eq(state[0] > old[0], k);
  }
}

Test(sheet_plasticity, defects_are_named) {
  Material m;
  const char *warning = NULL;
  sheet_steel(&m);
  cr_assert_null(m.type->defect(&m, &warning));
  cr_assert_eq(m.type->directional(&m), 0);
  sheet_set(&m, "criterion", 1);
  cr_assert_not_null(m.type->defect(&m, &warning)); // no r-value
  sheet_set(&m, "r0", 1.5);
  cr_assert_null(m.type->defect(&m, &warning));
  cr_assert_eq(m.type->directional(&m), 0);
  sheet_set(&m, "criterion", 2);
  cr_assert_not_null(m.type->defect(&m, &warning)); // no yield stresses
  sheet_set(&m, "alpha1", 1);
  cr_assert_not_null(m.type->defect(&m, &warning)); // only one coefficient
  sheet_set(&m, "criterion", 0);
  sheet_set(&m, "hardening", 0);
  sheet_set(&m, "yield", 200e6);
  sheet_set(&m, "modulus", -1e9);
  cr_assert_null(warning);
  cr_assert_null(m.type->defect(&m, &warning));
  cr_assert_not_null(warning);
}

// ---- all layers at once -------------------------------------------------------------------------

// Elastic ones among others, from states of their own; up to round-off of the return's tolerance.
Test(sheet_plasticity, layers_at_once_are_the_layers_one_by_one) {
  enum { MOST = 15 };
  static const int counts[] = {1, 3, 7, 8, 9, MOST};
  Material m;
  unsigned seed = 11;
  for (int k = 0; sheet_sample(k, &m); k++) {
    if (!m.type->sheets) continue;
    const int stride = m.type->sheet_states ? m.type->sheet_states(&m) : m.type->n_sheet_state;
    HardeningCurve *curve = NULL;
    cr_assert_eq(m.type->tabulate(&m, &curve, NULL), OK);
    for (int with = 0; with < 2; with++) {
      m.curve = with ? curve : NULL;
      for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        const int n = counts[c];
        double e[3 * MOST], old[MOST * N_SHEET_RECALLED] = {0}, new[MOST * N_SHEET_RECALLED];
        SheetStress all[MOST];
        for (int q = 0; q < n; q++) {
          double first[3], start[N_SHEET_RECALLED] = {0}, state[N_SHEET_RECALLED];
          for (int i = 0; i < 3; i++) {
            first[i] = 0.03 * sample_random(&seed);
            e[3 * q + i] = q % 3 ? first[i] + 0.05 * sample_random(&seed) : first[i];
          }
          evaluate(&m, first, start, state);
          memcpy(old + q * stride, state, (size_t)stride * sizeof *old);
        }
        const SheetLayers layers = {n, stride, e, old, new, all};
        cr_assert_eq(m.type->sheets(&m, &layers, NULL), OK);
        for (int q = 0; q < n; q++) {
          double state[N_SHEET_RECALLED];
          SheetStress one = evaluate(&m, e + 3 * q, old + q * stride, state);
          for (int i = 0; i < 3; i++) cr_assert_float_eq(all[q].t[i], one.t[i], 1e-10 * 50);
          for (int i = 0; i < 9; i++)
            cr_assert_float_eq(all[q].d[i], one.d[i], 1e-8 * 1000, "%d, layer %d: %g of %g", k, q,
                               all[q].d[i], one.d[i]);
          for (int i = 0; i < stride; i++)
            cr_assert_float_eq(new[q * stride + i], state[i], 1e-10 * 50);
          cr_assert_float_eq(all[q].stored, one.stored, 1e-10);
          cr_assert_float_eq(all[q].lost, one.lost, 1e-10);
          cr_assert_float_eq(all[q].e_thick, one.e_thick, 1e-12);
        }
      }
    }
    m.curve = NULL;
    hardening_curve_free(curve);
  }
}

// ---- back stresses that are recalled ------------------------------------------------------------

static const double modulus[MAX_BACK] = {20e9, 3e9, 0.5e9}, recall[MAX_BACK] = {400, 50, 0};

static Material cyclic_steel(void) {
  static const char *const name[2][MAX_BACK] = {{"kinematic", "kinematic_2", "kinematic_3"},
                                                {"recall", "recall_2", "recall_3"}};
  Material m;
  sheet_steel(&m);
  sheet_set(&m, "hardening", 2);
  sheet_set(&m, "yield", 150e6);
  sheet_set(&m, "saturation", 220e6);
  sheet_set(&m, "rate", 9);
  for (int k = 0; k < MAX_BACK; k++) {
    sheet_set(&m, name[0][k], modulus[k]);
    sheet_set(&m, name[1][k], recall[k]);
  }
  return m;
}

// One dimension: |s - X| = Y(a), dX_k = c_k de_p - g_k X_k da. Along one way X_k goes on an
// exponential (nothing is integrated in steps), so stress and plastic strain follow from the strain
// e by bisection for the increment of a.
typedef struct {
  double a, ep, x[MAX_BACK];
} OneDimension;

static double uniaxial_back(const OneDimension *at, double sense, double da, double x[MAX_BACK]) {
  double sum = 0;
  for (int k = 0; k < MAX_BACK; k++) {
    double c = modulus[k], g = recall[k];
    x[k] = g > 0 ? sense * c / g + (at->x[k] - sense * c / g) * exp(-g * da)
                 : at->x[k] + sense * c * da;
    sum += x[k];
  }
  return sum;
}

static double pull(OneDimension *at, double young, double strain) {
  double x[MAX_BACK], back = uniaxial_back(at, 1, 0, x), trial = young * (strain - at->ep) - back;
  double yield = 220e6 - 70e6 * exp(-9 * at->a), sense = trial < 0 ? -1 : 1;
  if (fabs(trial) <= yield) return young * (strain - at->ep);
  double low = 0, high = fabs(trial) / young;
  for (int it = 0; it < 200; it++) {
    double da = 0.5 * (low + high), stress = young * (strain - at->ep - sense * da);
    double over = sense * (stress - uniaxial_back(at, sense, da, x)) -
                  (220e6 - 70e6 * exp(-9 * (at->a + da)));
    if (over > 0)
      low = da;
    else
      high = da;
  }
  back = uniaxial_back(at, sense, low, at->x);
  at->a += low;
  at->ep += sense * low;
  return young * (strain - at->ep);
}

// Shear to and fro: sqrt(3) times the stress is that of one dimension at 1 / sqrt(3) of the angle,
// with 3 G in the place of E. Long and short increments give the same, as the direction of flow
// stays.
Test(sheet_plasticity, cyclic_shear_is_that_of_one_dimension) {
  Material m = cyclic_steel();
  const double turns[] = {0.06, -0.04, 0.05, -0.09, 0.001, 0.02}, root = sqrt(3);
  const double three_g = 1.5 * 206e9 / 1.3;
  cr_assert_eq(m.type->sheet_states(&m), N_SHEET_RECALLED);
  for (int n = 1; n <= 40; n += 39) {
    OneDimension one = {0};
    double old[N_SHEET_RECALLED] = {0}, state[N_SHEET_RECALLED], from = 0;
    for (int turn = 0; turn < 6; turn++) {
      for (int k = 1; k <= n; k++) {
        double angle = from + (turns[turn] - from) * k / n, e[3] = {0, 0, angle};
        SheetStress at = evaluate(&m, e, old, state);
        double wanted = pull(&one, three_g, angle / root) / root;
        cr_assert_float_eq(at.t[2], wanted, 1e-9 * 2e8, "%d steps, turn %d: %g of %g", n, turn,
                           at.t[2], wanted);
        cr_assert_float_eq(at.t[0], 0, 1e-3);
        cr_assert_float_eq(state[0], one.a, 1e-10);
        memcpy(old, state, sizeof old);
      }
      from = turns[turn];
    }
  }
}

typedef struct {
  double s[4], x[MAX_BACK][4], a, mean; // deviator xx yy zz xy, back stresses, mean stress
} Space;

static double twice_shear(const double a[4], const double b[4]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + 2 * a[3] * b[3];
}

// Stress rates of a strain increment: the stress across the sheet that comes of it, and the flow
// (0: none wanted).
static double across(Space *at, const double e[4], const double d[4], double resists,
                     double *flow) {
  const double shear = 206e9 / 2.6, bulk = 206e9 / 1.2, tr = e[0] + e[1] + e[2];
  double s[4];
  for (int i = 0; i < 4; i++) s[i] = 2 * shear * (e[i] - (i < 3) * tr / 3);
  *flow = resists > 0 ? twice_shear(d, s) / (2 * shear + resists) : 0;
  at->mean += bulk * tr;
  for (int i = 0; i < 4; i++) at->s[i] += s[i] - 2 * shear * *flow * d[i];
  return at->s[2] + at->mean;
}

// All components in space by their rates in n small steps: dX = 2/3 c de_p - g X da on the
// deviator, and the strain across such that there is no stress across.
static void press_in_space(Space *at, const double way[3], int n) {
  const double root = sqrt(2.0 / 3), little = 1e-6;
  for (int step = 0; step < n; step++) {
    double d[4], flow = 0, yield = 220e6 - 70e6 * exp(-9 * at->a), resists = 0;
    for (int i = 0; i < 4; i++) d[i] = at->s[i] - at->x[0][i] - at->x[1][i] - at->x[2][i];
    double size = sqrt(twice_shear(d, d));
    if (size >= root * yield) {
      resists = 2.0 / 3 * 9 * 70e6 * exp(-9 * at->a);
      for (int i = 0; i < 4; i++) d[i] /= size;
      for (int k = 0; k < MAX_BACK; k++)
        resists += 2.0 / 3 * modulus[k] - root * recall[k] * twice_shear(d, at->x[k]);
    }
    double e[4] = {way[0] / n, way[1] / n, 0, 0.5 * way[2] / n};
    for (int attempt = 0; attempt < 2; attempt++) { // the second where it unloads
      Space other = *at, next = *at;
      e[2] = 0;
      double zero = across(&other, e, d, resists, &flow);
      other = *at;
      e[2] = little;
      e[2] = -zero * little / (across(&other, e, d, resists, &flow) - zero);
      across(&next, e, d, resists, &flow);
      if (flow < 0) {
        resists = 0;
        continue;
      }
      *at = next;
      break;
    }
    for (int k = 0; k < MAX_BACK; k++)
      for (int i = 0; i < 4; i++)
        at->x[k][i] += 2.0 / 3 * modulus[k] * flow * d[i] - recall[k] * root * flow * at->x[k][i];
    at->a += root * flow;
  }
}

// Steps of either are so small that halving them moves stresses by less than the tolerance: 0.1 %
// of 300 MPa.
Test(sheet_plasticity, recalled_back_stresses_in_the_sheet_are_those_in_space) {
  const double ways[4][3] = {{0.03, -0.01, 0}, {-0.02, 0.02, 0.03}, {0, 0, -0.06}, {0.03, 0.02, 0}};
  Material m = cyclic_steel();
  Space space = {0};
  double old[N_SHEET_RECALLED] = {0}, state[N_SHEET_RECALLED], e[3] = {0};
  SheetStress at = {0};
  for (int leg = 0; leg < 4; leg++) {
    const int n = 1000;
    press_in_space(&space, ways[leg], 100000);
    for (int k = 0; k < n; k++) {
      for (int i = 0; i < 3; i++) e[i] += ways[leg][i] / n;
      at = evaluate(&m, e, old, state);
      memcpy(old, state, sizeof old);
    }
    const double wanted[3] = {space.s[0] + space.mean, space.s[1] + space.mean, space.s[3]};
    for (int i = 0; i < 3; i++)
      cr_assert_float_eq(at.t[i], wanted[i], 1e-3 * 3e8, "leg %d, %d: %g of %g", leg, i, at.t[i],
                         wanted[i]);
    cr_assert_float_eq(state[0], space.a, 1e-4 * space.a);
  }
}

Test(sheet_plasticity, recall_without_a_back_stress_or_beyond_any_metal_is_a_defect) {
  Material m = cyclic_steel();
  const char *warning = NULL;
  cr_assert_null(m.type->defect(&m, &warning));
  sheet_set(&m, "kinematic_2", 0);
  cr_assert_not_null(m.type->defect(&m, &warning));
  m = cyclic_steel();
  sheet_set(&m, "kinematic", 1e13); // ends at 25 GPa
  cr_assert_not_null(m.type->defect(&m, &warning));
  m = cyclic_steel();
  for (int k = 0; k < 2; k++) sheet_set(&m, k ? "recall_2" : "recall", 0);
  cr_assert_eq(m.type->sheet_states(&m), N_SHEET);
}
