#include "material/sheet_plasticity.h"

#include <math.h>
#include <string.h>

#include "material/hardening_curve.h"

// Below this excess the curve is its tangent, to all digits, and its slope to seven.
static const double STRAIGHT = 1e-7;

SheetMatrix sheet_mises_matrix(void) {
  return (SheetMatrix){1, -0.5, 1, 3};
}

// Hill 1948 with F, G, H, N from the r-values, scaled so that G + H = 1.
SheetMatrix sheet_hill_matrix(double r0, double r45, double r90) {
  double H = r0 / (1 + r0), G = 1 / (1 + r0), F = r0 / (r90 * (1 + r0));
  double N = (r0 + r90) * (1 + 2 * r45) / (2 * r90 * (1 + r0));
  return (SheetMatrix){G + H, -H, F + H, 2 * N};
}

static SheetMatrix inverse(SheetMatrix m) {
  double det = m.a11 * m.a22 - m.a12 * m.a12;
  return (SheetMatrix){m.a22 / det, -m.a12 / det, m.a11 / det, 1 / m.a66};
}

// x + f y
static SheetMatrix add(SheetMatrix x, double f, SheetMatrix y) {
  return (SheetMatrix){x.a11 + f * y.a11, x.a12 + f * y.a12, x.a22 + f * y.a22, x.a66 + f * y.a66};
}

static void apply(SheetMatrix m, const double x[3], double y[3]) {
  double x0 = x[0], x1 = x[1];
  y[0] = m.a11 * x0 + m.a12 * x1;
  y[1] = m.a12 * x0 + m.a22 * x1;
  y[2] = m.a66 * x[2];
}

static double dot(const double x[3], const double y[3]) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

static void expand(SheetMatrix m, double d[9]) {
  double full[9] = {m.a11, m.a12, 0, m.a12, m.a22, 0, 0, 0, m.a66};
  memcpy(d, full, sizeof full);
}

static SheetMatrix elasticity(double young, double nu) {
  double c = young / (1 - nu * nu);
  return (SheetMatrix){c, c * nu, c, 0.5 * young / (1 + nu)};
}

Status sheet_elastic(const Material *material, const double e[3], const double *state_old,
                     double *state_new, SheetStress *out, Err *err) {
  double young = material->par[ELASTIC_YOUNG], nu = material->par[ELASTIC_POISSON];
  (void)state_old, (void)state_new, (void)err;
  SheetMatrix c = elasticity(young, nu);
  apply(c, e, out->t);
  expand(c, out->d);
  out->e_thick = -nu / young * (out->t[0] + out->t[1]);
  out->stored = 0.5 * dot(out->t, e);
  out->lost = 0;
  return OK;
}

// A return to the yield surface under way. `stiff` resists the relative stress xi = t - back
// stress: elasticity plus kinematic hardening.
typedef struct {
  const SheetLaw *law;
  SheetMatrix stiff, soft; // soft = stiff^-1
  const double *back;      // recalled back stresses at the start; NULL: none, and stiff stays
  double t_trial[3];       // with them: stress without plastic flow
  double trial[3], trial_phi;
  double first, first_slope; // yield stress at the start, and its slope
  double xi[3], n[3];        // relative stress and normal where it ends
  double da, slope;          // slope of the yield stress there
  double reduced[9];         // d xi / d (stiff trial strain), consistent
} Return;

static double quadratic(SheetMatrix p, const double s[3], double ps[3]) {
  apply(p, s, ps);
  return sqrt(dot(s, ps));
}

// Quadratic criterion: one equation for the increment, as xi = (1 + th stiff p)^-1 trial with
// th = da / yield. Newton inside a bracket. 0: it does not converge.
static int return_quadratic(Return *r) {
  const SheetLaw *law = r->law;
  const SheetMatrix p = law->p;
  double low = 0, high = (double)INFINITY, da = 0, ps[3], th = 0, phi = 0, yield = r->first;
  int it = 0;
  r->slope = r->first_slope;
  for (;; it++) {
    th = da / yield;
    // (soft + th p) xi = soft trial
    SheetMatrix m = inverse(add(r->soft, th, p));
    double right[3], moved[3];
    apply(r->soft, r->trial, right);
    apply(m, right, r->xi);
    phi = quadratic(p, r->xi, ps);
    double excess = phi - yield;
    if (fabs(excess) <= ACCURACY * yield) break;
    if (it == 60) return 0;
    if (excess > 0)
      low = da;
    else
      high = da;
    apply(m, ps, moved); // - d xi / d th
    double slope = -dot(ps, moved) / phi * (1 / yield - da * r->slope / (yield * yield)) - r->slope;
    double next = da - excess / slope;
    if (!(next > low && next < high)) next = isinf(high) ? 2 * low + 1e-6 : 0.5 * (low + high);
    if (next == da) break; // no number between: as exact as it gets
    if (fabs(excess) <= STRAIGHT * yield)
      yield += r->slope * (next - da);
    else
      yield = law->yield(law->context, next, &r->slope);
    da = next;
  }
  r->da = da;
  for (int i = 0; i < 3; i++) r->n[i] = ps[i] / phi;
  // Simo and Taylor 1986 with phi instead of phi^2: (soft + th (p - n n))^-1 less its part along n,
  // the two rank-one changes in one.
  SheetMatrix m = inverse(add(r->soft, th, p));
  double g[3];
  apply(m, r->n, g);
  double k = dot(r->n, g), rest = 1 - th * k;
  double factor = (th - 1 / (k + r->slope * rest)) / rest;
  expand(m, r->reduced);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) r->reduced[3 * i + j] += factor * g[i] * g[j];
  return 1;
}

// Inverse of a symmetric positive definite 3 x 3 matrix.
static void invert3(const double a[9], double b[9]) {
  double c00 = a[4] * a[8] - a[5] * a[5], c01 = a[5] * a[2] - a[1] * a[8],
         c02 = a[1] * a[5] - a[4] * a[2];
  double det = a[0] * c00 + a[1] * c01 + a[2] * c02;
  b[0] = c00 / det;
  b[1] = b[3] = c01 / det;
  b[2] = b[6] = c02 / det;
  b[4] = (a[0] * a[8] - a[2] * a[2]) / det;
  b[5] = b[7] = (a[1] * a[2] - a[0] * a[5]) / det;
  b[8] = (a[0] * a[4] - a[1] * a[1]) / det;
}

static void multiply3(const double a[9], const double x[3], double y[3]) {
  for (int i = 0; i < 3; i++) y[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
}

// What is not yet satisfied: strain (times young / yield) and yield stress, both over the yield
// stress; fills the matrix (soft + da hess)^-1, n and slope of the point.
typedef struct {
  double r1[3], r2, merit, inner[9], n[3], slope;
  double m[3];      // derivative of r1 by da: n, but for back stresses that are recalled
  double hess[9];   // second derivative of the equivalent stress
  SheetMatrix soft; // as r->soft
} Residual;

// Recalled back stresses behind an increment da along the normal n: left + grown p^-1 n.
typedef struct {
  double left[3], left_rate[3], grown, rate; // and derivatives by da
} Back;

// dX = c p^-1 n da - g X da has the solution e^(-g da) X + c (1 - e^(-g da)) / g p^-1 n.
static Back back_grow(const SheetLaw *law, const double *old, double da) {
  Back back = {0};
  for (int k = 0; k < law->n_back; k++) {
    double c = law->modulus[k], g = law->recall[k], keeps = exp(-g * da);
    back.grown += g > 0 ? -c * expm1(-g * da) / g : c * da;
    back.rate += c * keeps;
    for (int i = 0; i < 3; i++) {
      back.left[i] += keeps * old[3 * k + i];
      back.left_rate[i] -= g * keeps * old[3 * k + i];
    }
  }
  return back;
}

// What resists, what is resisted and how both change with da; of recalled back stresses they depend
// on it.
static void resistance(const Return *r, double da, const double n[3], double trial[3],
                       Residual *out) {
  memcpy(trial, r->trial, 3 * sizeof *trial);
  memcpy(out->m, n, sizeof out->m);
  out->soft = r->soft;
  if (!r->back) return;
  const SheetMatrix c = elasticity(r->law->young, r->law->poisson), z = inverse(r->law->p);
  Back back = back_grow(r->law, r->back, da);
  double moved[3];
  out->soft = inverse(add(c, da > 0 ? back.grown / da : back.rate, z));
  apply(add(c, back.rate, z), n, moved);
  for (int i = 0; i < 3; i++) {
    trial[i] = r->t_trial[i] - back.left[i];
    moved[i] += back.left_rate[i];
  }
  apply(out->soft, moved, out->m);
}

static void residual(const Return *r, const double xi[3], double da, double above, Residual *out) {
  const SheetLaw *law = r->law;
  double full[9], change[3], trial[3];
  double phi = law->criterion(law->criterion_par, xi, out->n, out->hess);
  double yield = law->yield(law->context, da, &out->slope);
  resistance(r, da, out->n, trial, out);
  for (int i = 0; i < 3; i++) change[i] = xi[i] - trial[i];
  apply(out->soft, change, out->r1);
  for (int i = 0; i < 3; i++) out->r1[i] += da * out->n[i];
  out->r2 = phi - yield - above;
  double f = law->young / yield;
  out->merit = f * f * dot(out->r1, out->r1) + out->r2 * out->r2 / (yield * yield);
  expand(out->soft, full);
  for (int k = 0; k < 9; k++) full[k] += da * out->hess[k];
  invert3(full, out->inner);
}

// Newton with line search for the point whose equivalent stress is `above` the yield stress; from
// r->xi and r->da on.
static int newton_general(Return *r, double above, Residual *at) {
  residual(r, r->xi, r->da, above, at);
  for (int it = 0; it < 40; it++) {
    if (at->merit <= RETURN_MERIT) return 1;
    double a[3], b[3], step[3];
    multiply3(at->inner, at->r1, a);
    multiply3(at->inner, at->m, b);
    double dda = (at->r2 - dot(at->n, a)) / (dot(at->n, b) + at->slope);
    for (int i = 0; i < 3; i++) step[i] = -a[i] - b[i] * dda;
    double length = 1, before = at->merit, xi[3], da = r->da;
    for (int cut = 0; cut < 12; cut++, length *= 0.5) {
      for (int i = 0; i < 3; i++) xi[i] = r->xi[i] + length * step[i];
      da = fmax(r->da + length * dda, 0);
      residual(r, xi, da, above, at);
      if (at->merit < before * (1 - 1e-4 * length)) break;
    }
    if (!(at->merit < before))
      return before <= 1e4 * RETURN_MERIT; // round-off stops it near the end
    memcpy(r->xi, xi, sizeof xi);
    r->da = da;
  }
  return 0;
}

// d xi / d (stiff trial strain).
static void reduce(Return *r, const Residual *at) {
  double g[3];
  multiply3(at->inner, at->n, g);
  double below = dot(at->n, g) + at->slope;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) r->reduced[3 * i + j] = at->inner[3 * i + j] - g[i] * g[j] / below;
}

// The symmetric part of dT/de = C - C de_p/de of recalled back stresses, in `reduced`: de_p = da
// hess dxi + n dda, dxi = inner (soft C de - m dda), slope dda = n dxi.
static void tangent_recalled(Return *r, const Residual *at) {
  double c[9], v[3], d[9];
  expand(elasticity(r->law->young, r->law->poisson), c);
  multiply3(at->inner, at->m, v);
  double below = dot(at->n, v) + at->slope;
  for (int j = 0; j < 3; j++) {
    double column[3] = {c[j], c[3 + j], c[6 + j]}, moved[3], flow[3], stress[3];
    apply(at->soft, column, moved);
    multiply3(at->inner, moved, column);
    double dda = dot(at->n, column) / below;
    for (int i = 0; i < 3; i++) column[i] -= v[i] * dda;
    multiply3(at->hess, column, flow);
    for (int i = 0; i < 3; i++) flow[i] = r->da * flow[i] + at->n[i] * dda;
    multiply3(c, flow, stress);
    for (int i = 0; i < 3; i++) d[3 * i + j] = c[3 * i + j] - stress[i];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) r->reduced[3 * i + j] = 0.5 * (d[3 * i + j] + d[3 * j + i]);
}

// Any criterion: straight at it, and where that fails over surfaces between the trial stress and
// the yield surface (Yoon, Barlat, Dick, Chung and Kang 2004).
static int return_general(Return *r) {
  static const int stages[] = {1, 8, 64};
  double slope = r->first_slope, first = r->first, excess = r->trial_phi - first;
  Residual at;
  for (int attempt = 0; attempt < 3; attempt++) {
    int n = stages[attempt], done = 0;
    // straight: from the surface, along the trial stress; over surfaces: from the trial stress
    double scale = n == 1 ? first / r->trial_phi : 1;
    for (int i = 0; i < 3; i++) r->xi[i] = scale * r->trial[i];
    r->da = n == 1 ? excess / (r->law->young + fmax(slope, 0)) : 0;
    for (int k = 1; k <= n; k++, done++)
      if (!newton_general(r, excess * (n - k) / n, &at)) break;
    if (done < n) continue;
    residual(r, r->xi, r->da, 0, &at);
    if (r->back)
      tangent_recalled(r, &at);
    else
      reduce(r, &at);
    memcpy(r->n, at.n, sizeof r->n);
    r->slope = at.slope;
    return 1;
  }
  return 0;
}

// dT/de from the derivative of xi. With B = soft C: C - C soft C + B^T reduced B, as the stress
// moves by C (de - de_p) and soft xi by B de - de_p.
static void tangent(const Return *r, SheetMatrix c, double d[9]) {
  if (r->law->kinematic == 0) { // then B = 1; of recalled back stresses it is there
    memcpy(d, r->reduced, 9 * sizeof *d);
    return;
  }
  double b[9], half[9], full_c[9];
  expand(c, full_c);
  for (int j = 0; j < 3; j++) {
    double column[3] = {full_c[j], full_c[3 + j], full_c[6 + j]}, moved[3];
    apply(r->soft, column, moved);
    for (int i = 0; i < 3; i++) b[3 * i + j] = moved[i];
    multiply3(r->reduced, moved, column);
    for (int i = 0; i < 3; i++) half[3 * i + j] = column[i];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++) {
      double sum = full_c[3 * i + j];
      for (int k = 0; k < 3; k++) sum += b[3 * k + i] * (half[3 * k + j] - full_c[3 * k + j]);
      d[3 * i + j] = d[3 * j + i] = sum;
    }
}

// The quadratic criterion as one of any kind.
static double as_criterion(const double *par, const double s[3], double n[3], double *hess) {
  SheetMatrix p;
  double ps[3];
  memcpy(&p, par, sizeof p);
  double phi = quadratic(p, s, ps);
  if (!n) return phi;
  expand(p, hess);
  for (int i = 0; i < 3; i++) n[i] = ps[i] / phi;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) hess[3 * i + j] = (hess[3 * i + j] - n[i] * n[j]) / phi;
  return phi;
}

static double back_energy(const SheetLaw *law, const double *back) {
  double sum = 0, moved[3];
  for (int k = 0; k < law->n_back; k++) {
    if (!(law->modulus[k] > 0)) continue;
    apply(law->p, back + 3 * k, moved);
    sum += 0.5 * dot(back + 3 * k, moved) / law->modulus[k];
  }
  return sum;
}

static void back_commit(const SheetLaw *law, SheetMatrix z, const Return *r, double *back) {
  double direction[3];
  apply(z, r->n, direction);
  for (int k = 0; k < law->n_back; k++) {
    SheetLaw one = {.n_back = 1, .modulus = {law->modulus[k]}, .recall = {law->recall[k]}};
    Back grown = back_grow(&one, r->back + 3 * k, r->da);
    for (int i = 0; i < 3; i++) back[3 * k + i] = grown.left[i] + grown.grown * direction[i];
  }
}

Status sheet_plastic_stress(const SheetLaw *law, const double e[3], const double *state_old,
                            double *state_new, SheetStress *out, Err *err) {
  const SheetMatrix c = elasticity(law->young, law->poisson);
  const double *ep_old = state_old + SHEET_STRAIN, kinematic = law->n_back ? 0 : law->kinematic;
  double elastic[3], back[3] = {0}, ep[3], p[4];
  SheetLaw recalled;
  Return r = {.law = law};
  for (int i = 0; i < 3; i++) elastic[i] = e[i] - ep_old[i];
  apply(c, elastic, out->t);
  SheetMatrix z = {0};
  if (kinematic > 0 || law->n_back) z = inverse(law->p);
  if (kinematic > 0) apply(z, ep_old, back);
  double stored_back = 0.5 * kinematic * dot(back, ep_old);
  for (int i = 0; i < 3; i++) r.trial[i] = out->t[i] - kinematic * back[i];
  if (law->n_back) {
    recalled = *law;
    recalled.kinematic = 0;
    memcpy(p, &law->p, sizeof p);
    if (!recalled.criterion) recalled.criterion = as_criterion, recalled.criterion_par = p;
    r.law = law = &recalled;
    r.back = state_old + N_SHEET;
    memcpy(r.t_trial, out->t, sizeof r.t_trial);
    Back old = back_grow(law, r.back, 0);
    for (int i = 0; i < 3; i++) r.trial[i] -= old.left[i];
    stored_back = back_energy(law, r.back);
  }
  if (law->criterion)
    r.trial_phi = law->criterion(law->criterion_par, r.trial, NULL, NULL);
  else
    r.trial_phi = quadratic(law->p, r.trial, r.n);
  memcpy(state_new, state_old, (N_SHEET + 3 * (size_t)law->n_back) * sizeof *state_new);
  out->lost = 0;
  r.first = law->yield(law->context, 0, &r.first_slope);
  if (r.trial_phi <= r.first * (1 + EXCESS)) {
    expand(c, out->d);
    out->e_thick = -law->poisson / law->young * (out->t[0] + out->t[1]) - ep_old[0] - ep_old[1];
    out->stored = 0.5 * dot(out->t, elastic) + stored_back;
    return OK;
  }
  r.stiff = add(c, kinematic, z);
  r.soft = inverse(r.stiff);
  if (!(law->criterion ? return_general(&r) : return_quadratic(&r)))
    return err_set(err, ERR_NUMERIC, "no return to the yield surface from %g Pa", r.trial_phi);
  for (int i = 0; i < 3; i++) {
    ep[i] = ep_old[i] + r.da * r.n[i];
    elastic[i] = e[i] - ep[i];
  }
  apply(c, elastic, out->t);
  tangent(&r, c, out->d);
  if (kinematic > 0) apply(z, ep, back);
  double stored_back_new = 0.5 * kinematic * dot(back, ep);
  if (law->n_back) {
    back_commit(law, z, &r, state_new + N_SHEET);
    stored_back_new = back_energy(law, state_new + N_SHEET);
  }
  out->stored = 0.5 * dot(out->t, elastic) + stored_back_new;
  out->lost = r.da * dot(out->t, r.n) - (stored_back_new - stored_back);
  // plastic flow keeps the volume
  out->e_thick = -law->poisson / law->young * (out->t[0] + out->t[1]) - ep[0] - ep[1];
  state_new[SHEET_EQUIVALENT] += r.da;
  memcpy(state_new + SHEET_STRAIN, ep, sizeof ep);
  return OK;
}

typedef struct {
  const Material *material;
  double a; // equivalent plastic strain at the start of the step
} Context;

static double hardened_yield(const void *context, double da, double *slope) {
  const Context *at = context;
  const double *par = at->material->par, a = at->a + da;
  const HardeningCurve *curve = at->material->curve;
  if (curve && a < curve->last) return hardening_curve_stress(curve, a, slope);
  return hardening_stress(at->material, par + SHEET_HARDENING, par[ELASTIC_YOUNG], at->a + da,
                          slope);
}

Status sheet_tabulate(const Material *material, struct HardeningCurve **curve, Err *err) {
  const double *par = material->par;
  return hardening_curve_new(curve, material, par + SHEET_HARDENING, par[ELASTIC_YOUNG], err);
}

Status sheet_hardened(const Material *material, SheetLaw *law, const double e[3],
                      const double *state_old, double *state_new, SheetStress *out, Err *err) {
  Context context = {material, state_old[SHEET_EQUIVALENT]};
  law->young = material->par[ELASTIC_YOUNG];
  law->poisson = material->par[ELASTIC_POISSON];
  law->yield = hardened_yield;
  law->context = &context;
  return sheet_plastic_stress(law, e, state_old, state_new, out, err);
}

Status sheet_mises(const Material *material, const double e[3], const double *state_old,
                   double *state_new, SheetStress *out, Err *err) {
  SheetLaw law = {.p = sheet_mises_matrix(), .kinematic = material->par[SHEET_KINEMATIC]};
  return sheet_hardened(material, &law, e, state_old, state_new, out, err);
}
