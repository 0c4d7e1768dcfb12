// Layers of a sheet side by side: the returns of sheet_plasticity.c for eight layers at a time, one
// in each lane of a vector register. The steps are those of one layer; a lane that has its answer
// keeps it.

#include <math.h>
#include <string.h>

#include "material/hardening_curve.h"
#include "material/material_table.h"
#include "material/sheet_lanes.h"

enum { MOST = 60 }; // iterations of a return

void sheet_lanes_yield(const SheetBlock *b, const Lane a, Lane yield, Lane slope) {
  const Material *material = b->material;
  const HardeningCurve *curve = material->curve;
  double last = 0;
  for (int l = 0; l < LANES; l++) last = fmax(last, a[l]);
  if (curve && last < curve->last) {
    FOR_LANES yield[l] = hardening_curve_stress(curve, a[l], &slope[l]);
    return;
  }
  for (int l = 0; l < LANES; l++)
    yield[l] = hardening_stress(material, material->par + SHEET_HARDENING,
                                material->par[ELASTIC_YOUNG], a[l], &slope[l]);
}

// Equivalent stresses of the trial ones, by the quadratic criterion.
static void try_quadratic(SheetBlock *b) {
  const SheetMatrix p = b->p;
  FOR_LANES {
    double t0 = b->trial[0][l], t1 = b->trial[1][l], t2 = b->trial[2][l];
    double p0 = p.a11 * t0 + p.a12 * t1, p1 = p.a12 * t0 + p.a22 * t1, p2 = p.a66 * t2;
    b->trial_p[0][l] = p0;
    b->trial_p[1][l] = p1;
    b->trial_p[2][l] = p2;
    b->trial_phi[l] = sqrt(t0 * p0 + t1 * p1 + t2 * p2);
  }
}

// Trial stresses; returns whether any lane flows.
static int try_elastic(SheetBlock *b) {
  const SheetMatrix c = b->c;
  FOR_LANES {
    b->trial[0][l] = c.a11 * b->e[0][l] + c.a12 * b->e[1][l];
    b->trial[1][l] = c.a12 * b->e[0][l] + c.a22 * b->e[1][l];
    b->trial[2][l] = c.a66 * b->e[2][l];
  }
  if (b->yld2000)
    yld2000_lanes(b->yld2000, b->trial, b->trial_phi, NULL, NULL);
  else
    try_quadratic(b);
  sheet_lanes_yield(b, b->a, b->first, b->first_slope);
  int any = 0;
  for (int l = 0; l < LANES; l++) {
    b->plastic[l] = b->trial_phi[l] > b->first[l] * (1 + EXCESS);
    any |= b->plastic[l];
  }
  return any;
}

// A beginning to the left of the root: Newton's step from no flow, where all that it needs is the
// trial stress.
static void begin(SheetBlock *b, Lane da) {
  const SheetMatrix c = b->c;
  FOR_LANES {
    double p0 = b->trial_p[0][l], p1 = b->trial_p[1][l], p2 = b->trial_p[2][l];
    double stiff = (c.a11 * p0 + 2 * c.a12 * p1) * p0 + c.a22 * p1 * p1 + c.a66 * p2 * p2;
    double rate = stiff / (fmax(b->trial_phi[l], b->first[l]) * b->first[l]) + b->first_slope[l];
    double excess = b->trial_phi[l] - b->first[l];
    da[l] = b->plastic[l] && rate > 0 ? excess / rate : 0;
  }
}

// Equivalent stress and what it falls by with th = da / yield at an increment: (soft + th p) xi =
// elastic strain.
static void stress_of(SheetBlock *b, const Lane da, const Lane yield, Lane fall) {
  const SheetMatrix soft = b->soft, p = b->p;
  FOR_LANES {
    double th = da[l] / yield[l];
    double m11 = soft.a11 + th * p.a11, m12 = soft.a12 + th * p.a12, m22 = soft.a22 + th * p.a22,
           m66 = soft.a66 + th * p.a66;
    double over = 1 / (m11 * m22 - m12 * m12), r66 = 1 / m66;
    double r11 = m22 * over, r12 = -m12 * over, r22 = m11 * over;
    double x0 = r11 * b->e[0][l] + r12 * b->e[1][l], x1 = r12 * b->e[0][l] + r22 * b->e[1][l],
           x2 = r66 * b->e[2][l];
    double p0 = p.a11 * x0 + p.a12 * x1, p1 = p.a12 * x0 + p.a22 * x1, p2 = p.a66 * x2;
    double phi = sqrt(x0 * p0 + x1 * p1 + x2 * p2), unit = 1 / phi;
    b->xi[0][l] = x0;
    b->xi[1][l] = x1;
    b->xi[2][l] = x2;
    b->phi[l] = phi;
    b->th[l] = th;
    b->n[0][l] = p0 * unit;
    b->n[1][l] = p1 * unit;
    b->n[2][l] = p2 * unit;
    fall[l] = ((r11 * p0 + 2 * r12 * p1) * p0 + r22 * p1 * p1 + r66 * p2 * p2) * unit;
  }
}

// Newton's method inside a bracket in every lane, until all have converged.
static void return_quadratic(SheetBlock *b) {
  Lane low = {0}, high, yield, slope, fall, a, next;
  begin(b, b->da);
  FOR_LANES {
    high[l] = (double)INFINITY;
    a[l] = b->a[l] + b->da[l];
  }
  sheet_lanes_yield(b, a, yield, slope);
  for (int it = 0; it < MOST; it++) {
    int open = 0;
    stress_of(b, b->da, yield, fall);
    FOR_LANES {
      double excess = b->phi[l] - yield[l], da = b->da[l];
      low[l] = excess > 0 ? da : low[l];
      high[l] = excess > 0 ? high[l] : da;
      double rate = -fall[l] * (1 / yield[l] - da * slope[l] / (yield[l] * yield[l])) - slope[l];
      double to = da - excess / rate;
      double half = high[l] < 1e300 ? 0.5 * (low[l] + high[l]) : 2 * low[l] + 1e-6;
      to = to > low[l] && to < high[l] ? to : half;
      next[l] = fabs(excess) <= ACCURACY * yield[l] ? da : to;
    }
    for (int l = 0; l < LANES; l++) open |= b->plastic[l] && next[l] != b->da[l];
    FOR_LANES b->slope[l] = slope[l];
    if (!open) return;
    FOR_LANES {
      b->da[l] = b->plastic[l] ? next[l] : 0;
      a[l] = b->a[l] + b->da[l];
    }
    sheet_lanes_yield(b, a, yield, slope);
  }
  for (int l = 0; l < LANES; l++) b->hard[l] = b->plastic[l] && next[l] != b->da[l];
}

// As in sheet_plasticity.c: (soft + th (p - n n))^-1 less its part along n.
static void tangents(SheetBlock *b) {
  const SheetMatrix soft = b->soft, p = b->p;
  FOR_LANES {
    double th = b->th[l], n0 = b->n[0][l], n1 = b->n[1][l], n2 = b->n[2][l];
    double m11 = soft.a11 + th * p.a11, m12 = soft.a12 + th * p.a12, m22 = soft.a22 + th * p.a22,
           m66 = soft.a66 + th * p.a66;
    double over = 1 / (m11 * m22 - m12 * m12), r66 = 1 / m66;
    double r11 = m22 * over, r12 = -m12 * over, r22 = m11 * over;
    double g0 = r11 * n0 + r12 * n1, g1 = r12 * n0 + r22 * n1, g2 = r66 * n2;
    double k = n0 * g0 + n1 * g1 + n2 * g2, rest = 1 - th * k;
    double factor = (th - 1 / (k + b->slope[l] * rest)) / rest;
    b->d[0][l] = r11 + factor * g0 * g0;
    b->d[1][l] = r12 + factor * g0 * g1;
    b->d[2][l] = factor * g0 * g2;
    b->d[3][l] = r22 + factor * g1 * g1;
    b->d[4][l] = factor * g1 * g2;
    b->d[5][l] = r66 + factor * g2 * g2;
  }
}

static void put_layer(const SheetBlock *b, int l, const double *old, double *new,
                      SheetStress *out) {
  const double *par = b->material->par;
  const SheetMatrix c = b->c;
  double flow[3] = {0}, da = b->plastic[l] ? b->da[l] : 0, work = 0;
  const double elastic_d[9] = {c.a11, c.a12, 0, c.a12, c.a22, 0, 0, 0, c.a66};
  const double d[9] = {b->d[0][l], b->d[1][l], b->d[2][l], b->d[1][l], b->d[3][l],
                       b->d[4][l], b->d[2][l], b->d[4][l], b->d[5][l]};
  memcpy(out->d, b->plastic[l] ? d : elastic_d, sizeof out->d);
  for (int i = 0; i < 3; i++) {
    out->t[i] = b->plastic[l] ? b->xi[i][l] : b->trial[i][l];
    if (b->plastic[l]) flow[i] = da * b->n[i][l];
    work += out->t[i] * flow[i];
    new[SHEET_STRAIN + i] = old[SHEET_STRAIN + i] + flow[i];
  }
  new[SHEET_EQUIVALENT] = old[SHEET_EQUIVALENT] + da;
  out->stored = 0;
  for (int i = 0; i < 3; i++) out->stored += 0.5 * out->t[i] * (b->e[i][l] - flow[i]);
  out->lost = work;
  // plastic flow keeps the volume
  out->e_thick = -par[ELASTIC_POISSON] / par[ELASTIC_YOUNG] * (out->t[0] + out->t[1]) -
                 new[SHEET_STRAIN] - new[SHEET_STRAIN + 1];
}

Status sheet_lanes(const Material *material, SheetMatrix p, const double *yld2000,
                   const SheetLayers *at, Err *err) {
  double c = material->par[ELASTIC_YOUNG], nu = material->par[ELASTIC_POISSON];
  SheetBlock b = {.material = material, .p = p, .yld2000 = yld2000};
  b.soft = (SheetMatrix){1 / c, -nu / c, 1 / c, 2 * (1 + nu) / c};
  c /= 1 - nu * nu;
  b.c = (SheetMatrix){c, c * nu, c, 0.5 * c * (1 - nu)};
  for (int from = 0; from < at->n; from += LANES) {
    int n = at->n - from < LANES ? at->n - from : LANES;
    for (int l = 0; l < LANES; l++) { // lanes without a layer do as the last one
      int q = from + (l < n ? l : n - 1);
      const double *old = at->old + (size_t)q * (size_t)at->stride;
      b.a[l] = old[SHEET_EQUIVALENT];
      b.hard[l] = 0;
      for (int i = 0; i < 3; i++) b.e[i][l] = at->e[3 * q + i] - old[SHEET_STRAIN + i];
    }
    if (try_elastic(&b)) {
      if (yld2000) {
        sheet_lanes_yld2000(&b);
      } else {
        return_quadratic(&b);
        tangents(&b);
      }
    }
    for (int l = 0; l < n; l++) {
      int q = from + l;
      const double *old = at->old + (size_t)q * (size_t)at->stride;
      double *new = at->new + (size_t)q *(size_t)at->stride;
      if (!b.hard[l])
        put_layer(&b, l, old, new, at->out + q);
      else
        TRY(material->type->sheet(material, at->e + 3 * q, old, new, at->out + q, err));
    }
  }
  return OK;
}
