// The return to the surface of yld2000 in lanes: newton_general() of sheet_plasticity.c with whole
// steps. A lane in which these do not lead down is left to the law by itself, which cuts them.

#include <math.h>

#include "material/sheet_lanes.h"
#include "material/sheet_yld2000.h"

enum { MOST = 20 }; // iterations

// Matrices are symmetric: 11 12 13 22 23 33.
typedef struct {
  Lane r1[3], r2, merit; // what is missing in strain and in yield stress, and its square
  Lane n[3], slope, inner[6];
} Missing;

// x^n for x >= 0: yld2000's powers.
static void powers(const Lane x, double n, Lane out) {
  const int most = 30;
  int whole = (int)n;
  if (n != whole || whole > most) {
    for (int l = 0; l < LANES; l++) out[l] = pow(x[l], n);
    return;
  }
  Lane factor;
  FOR_LANES {
    out[l] = 1;
    factor[l] = x[l];
  }
  for (; whole > 0; whole >>= 1) {
    if (whole & 1) FOR_LANES out[l] *= factor[l];
    FOR_LANES factor[l] *= factor[l];
  }
}

static void roots(const Lane x, double n, Lane out) {
  if (n == 8)
    FOR_LANES out[l] = sqrt(sqrt(sqrt(x[l])));
  else
    for (int l = 0; l < LANES; l++) out[l] = yld2000_root(x[l], n);
}

// A plane tensor map s: its mean, half the difference of its normal parts, its shear, its radius.
typedef struct {
  Lane c, p, r, radius;
} Circles;

static void circles_of(const double *map, Lane s[3], Circles *to) {
  FOR_LANES {
    double x11 = map[0] * s[0][l] + map[1] * s[1][l], x22 = map[2] * s[0][l] + map[3] * s[1][l];
    double p = 0.5 * (x11 - x22), r = map[4] * s[2][l];
    to->c[l] = 0.5 * (x11 + x22);
    to->p[l] = p;
    to->r[l] = r;
    to->radius[l] = sqrt(p * p + r * r);
  }
}

// A function of mean and radius of a circle, and its derivatives; g_r_over is g_r / radius.
typedef struct {
  Lane c, r, cc, cr, rr, r_over;
} Derived;

// Adds the derivatives of that function by s to df and ddf.
static void add_derived(const double *map, const Circles *at, const Derived *g, Lane df[3],
                        Lane ddf[6]) {
  const double c0 = 0.5 * (map[0] + map[2]), c1 = 0.5 * (map[1] + map[3]);
  const double p0 = 0.5 * (map[0] - map[2]), p1 = 0.5 * (map[1] - map[3]), r2 = map[4];
  FOR_LANES {
    double over = at->radius[l] > 0 ? 1 / at->radius[l] : 0;
    double cosine = at->radius[l] > 0 ? at->p[l] * over : 1, sine = at->r[l] * over;
    double along0 = cosine * p0, along1 = cosine * p1, along2 = sine * r2;
    double across0 = -sine * p0, across1 = -sine * p1, across2 = cosine * r2;
    df[0][l] += g->c[l] * c0 + g->r[l] * along0;
    df[1][l] += g->c[l] * c1 + g->r[l] * along1;
    df[2][l] += g->r[l] * along2;
    double cc = g->cc[l], cr = g->cr[l], rr = g->rr[l], round = g->r_over[l];
    ddf[0][l] +=
        cc * c0 * c0 + 2 * cr * c0 * along0 + rr * along0 * along0 + round * across0 * across0;
    ddf[1][l] += cc * c0 * c1 + cr * (c0 * along1 + along0 * c1) + rr * along0 * along1 +
                 round * across0 * across1;
    ddf[2][l] += cr * c0 * along2 + rr * along0 * along2 + round * across0 * across2;
    ddf[3][l] +=
        cc * c1 * c1 + 2 * cr * c1 * along1 + rr * along1 * along1 + round * across1 * across1;
    ddf[4][l] += cr * c1 * along2 + rr * along1 * along2 + round * across1 * across2;
    ddf[5][l] += rr * along2 * along2 + round * across2 * across2;
  }
}

// |X'1 - X'2|^m / 2 = (2 R)^m / 2
static void first_part(double m, const Circles *at, Lane f, Derived *g) {
  Lane twice, power;
  FOR_LANES twice[l] = 2 * at->radius[l];
  powers(twice, m - 2, power);
  FOR_LANES {
    f[l] = 0.5 * power[l] * twice[l] * twice[l];
    g->c[l] = g->cc[l] = g->cr[l] = 0;
    g->r[l] = m * power[l] * twice[l];
    g->rr[l] = 2 * m * (m - 1) * power[l];
    g->r_over[l] = 2 * m * power[l];
  }
}

// (|3 c - R|^m + |3 c + R|^m) / 2, added to f
static void second_part(double m, const Circles *at, Lane f, Derived *g) {
  Lane low, high, below, above;
  FOR_LANES {
    low[l] = fabs(3 * at->c[l] - at->radius[l]);
    high[l] = fabs(3 * at->c[l] + at->radius[l]);
  }
  powers(low, m - 2, below);
  powers(high, m - 2, above);
  FOR_LANES {
    double lo = 3 * at->c[l] - at->radius[l], hi = 3 * at->c[l] + at->radius[l];
    f[l] += 0.5 * (below[l] * lo * lo + above[l] * hi * hi);
    g->c[l] = 1.5 * m * (below[l] * lo + above[l] * hi);
    g->r[l] = 0.5 * m * (above[l] * hi - below[l] * lo);
    g->cc[l] = 4.5 * m * (m - 1) * (below[l] + above[l]);
    g->cr[l] = 1.5 * m * (m - 1) * (above[l] - below[l]);
    g->rr[l] = 0.5 * m * (m - 1) * (below[l] + above[l]);
    g->r_over[l] = at->radius[l] > YLD2000_ROUND ? g->r[l] / at->radius[l] : g->rr[l];
  }
}

void yld2000_lanes(const double *par, Lane s[3], Lane phi, Lane n[3], Lane hess[6]) {
  const double m = par[N_YLD2000 - 1];
  Lane size, unit[3], f, df[3] = {{0}}, ddf[6] = {{0}};
  Circles first, second;
  Derived g1, g2;
  FOR_LANES {
    double sum = fabs(s[0][l]) + fabs(s[1][l]) + fabs(s[2][l]);
    size[l] = sum > 0 ? sum : 1;
    double over = 1 / size[l];
    for (int i = 0; i < 3; i++) unit[i][l] = s[i][l] * over;
  }
  circles_of(par, unit, &first);
  first_part(m, &first, f, &g1);
  circles_of(par + 5, unit, &second);
  second_part(m, &second, f, &g2);
  roots(f, m, phi);
  if (n) {
    add_derived(par, &first, &g1, df, ddf);
    add_derived(par + 5, &second, &g2, df, ddf);
    FOR_LANES {
      double over = f[l] > 0 ? 1 / f[l] : 0;
      double f1 = phi[l] * over / m, f2 = (1 / m - 1) * f1 * over, by = 1 / size[l];
      double d0 = df[0][l], d1 = df[1][l], d2 = df[2][l];
      n[0][l] = f1 * d0;
      n[1][l] = f1 * d1;
      n[2][l] = f1 * d2;
      hess[0][l] = (f1 * ddf[0][l] + f2 * d0 * d0) * by;
      hess[1][l] = (f1 * ddf[1][l] + f2 * d0 * d1) * by;
      hess[2][l] = (f1 * ddf[2][l] + f2 * d0 * d2) * by;
      hess[3][l] = (f1 * ddf[3][l] + f2 * d1 * d1) * by;
      hess[4][l] = (f1 * ddf[4][l] + f2 * d1 * d2) * by;
      hess[5][l] = (f1 * ddf[5][l] + f2 * d2 * d2) * by;
    }
  }
  FOR_LANES phi[l] *= size[l];
}

// inner = (soft + da hess)^-1
static void invert_lanes(SheetMatrix soft, const Lane da, Lane hess[6], Lane inner[6]) {
  FOR_LANES {
    double a00 = soft.a11 + da[l] * hess[0][l], a01 = soft.a12 + da[l] * hess[1][l],
           a02 = da[l] * hess[2][l], a11 = soft.a22 + da[l] * hess[3][l], a12 = da[l] * hess[4][l],
           a22 = soft.a66 + da[l] * hess[5][l];
    double c00 = a11 * a22 - a12 * a12, c01 = a12 * a02 - a01 * a22, c02 = a01 * a12 - a11 * a02;
    double over = 1 / (a00 * c00 + a01 * c01 + a02 * c02);
    inner[0][l] = c00 * over;
    inner[1][l] = c01 * over;
    inner[2][l] = c02 * over;
    inner[3][l] = (a00 * a22 - a02 * a02) * over;
    inner[4][l] = (a01 * a02 - a00 * a12) * over;
    inner[5][l] = (a00 * a11 - a01 * a01) * over;
  }
}

// What is missing at stresses xi and increments da.
static void missing_at(const SheetBlock *b, Lane xi[3], const Lane da, Missing *out) {
  const SheetMatrix soft = b->soft;
  const double young = b->material->par[ELASTIC_YOUNG];
  Lane phi, hess[6], a, yield;
  yld2000_lanes(b->yld2000, xi, phi, out->n, hess);
  FOR_LANES a[l] = b->a[l] + da[l];
  sheet_lanes_yield(b, a, yield, out->slope);
  FOR_LANES {
    double x0 = xi[0][l] - b->trial[0][l], x1 = xi[1][l] - b->trial[1][l],
           x2 = xi[2][l] - b->trial[2][l];
    double r0 = soft.a11 * x0 + soft.a12 * x1 + da[l] * out->n[0][l];
    double r1 = soft.a12 * x0 + soft.a22 * x1 + da[l] * out->n[1][l];
    double r2 = soft.a66 * x2 + da[l] * out->n[2][l], f = young / yield[l];
    double excess = phi[l] - yield[l], over = excess / yield[l];
    out->r1[0][l] = r0;
    out->r1[1][l] = r1;
    out->r1[2][l] = r2;
    out->r2[l] = excess;
    out->merit[l] = f * f * (r0 * r0 + r1 * r1 + r2 * r2) + over * over;
  }
  invert_lanes(soft, da, hess, out->inner);
}

// The point to which a whole step of Newton's method leads.
static void newton_step(const Missing *at, Lane xi[3], const Lane da, Lane xi_next[3],
                        Lane da_next) {
  FOR_LANES {
    double i0 = at->inner[0][l], i1 = at->inner[1][l], i2 = at->inner[2][l], i3 = at->inner[3][l],
           i4 = at->inner[4][l], i5 = at->inner[5][l];
    double n0 = at->n[0][l], n1 = at->n[1][l], n2 = at->n[2][l];
    double r0 = at->r1[0][l], r1 = at->r1[1][l], r2 = at->r1[2][l];
    double a0 = i0 * r0 + i1 * r1 + i2 * r2, a1 = i1 * r0 + i3 * r1 + i4 * r2,
           a2 = i2 * r0 + i4 * r1 + i5 * r2;
    double b0 = i0 * n0 + i1 * n1 + i2 * n2, b1 = i1 * n0 + i3 * n1 + i4 * n2,
           b2 = i2 * n0 + i4 * n1 + i5 * n2;
    double more =
        (at->r2[l] - (n0 * a0 + n1 * a1 + n2 * a2)) / (n0 * b0 + n1 * b1 + n2 * b2 + at->slope[l]);
    xi_next[0][l] = xi[0][l] - a0 - b0 * more;
    xi_next[1][l] = xi[1][l] - a1 - b1 * more;
    xi_next[2][l] = xi[2][l] - a2 - b2 * more;
    da_next[l] = fmax(da[l] + more, 0);
  }
}

static void tangents(SheetBlock *b, const Missing *at) {
  FOR_LANES {
    double i0 = at->inner[0][l], i1 = at->inner[1][l], i2 = at->inner[2][l], i3 = at->inner[3][l],
           i4 = at->inner[4][l], i5 = at->inner[5][l];
    double n0 = at->n[0][l], n1 = at->n[1][l], n2 = at->n[2][l];
    double g0 = i0 * n0 + i1 * n1 + i2 * n2, g1 = i1 * n0 + i3 * n1 + i4 * n2,
           g2 = i2 * n0 + i4 * n1 + i5 * n2;
    double over = 1 / (n0 * g0 + n1 * g1 + n2 * g2 + at->slope[l]);
    b->n[0][l] = n0;
    b->n[1][l] = n1;
    b->n[2][l] = n2;
    b->d[0][l] = i0 - g0 * g0 * over;
    b->d[1][l] = i1 - g0 * g1 * over;
    b->d[2][l] = i2 - g0 * g2 * over;
    b->d[3][l] = i3 - g1 * g1 * over;
    b->d[4][l] = i4 - g1 * g2 * over;
    b->d[5][l] = i5 - g2 * g2 * over;
  }
}

void sheet_lanes_yld2000(SheetBlock *b) {
  const double young = b->material->par[ELASTIC_YOUNG];
  Lane xi[3], da;
  Missing at, next;
  FOR_LANES { // from the surface, along the trial stress; lanes that do not flow stay there
    double scale = b->plastic[l] ? b->first[l] / b->trial_phi[l] : 1;
    for (int i = 0; i < 3; i++) b->xi[i][l] = scale * b->trial[i][l];
    double start = (b->trial_phi[l] - b->first[l]) / (young + fmax(b->first_slope[l], 0));
    b->da[l] = b->plastic[l] ? start : 0;
  }
  missing_at(b, b->xi, b->da, &at);
  for (int it = 0; it < MOST; it++) {
    int open = 0;
    newton_step(&at, b->xi, b->da, xi, da);
    for (int l = 0; l < LANES; l++) {
      int moves = b->plastic[l] && !b->hard[l] && at.merit[l] > RETURN_MERIT;
      open |= moves;
      if (moves) continue;
      da[l] = b->da[l];
      for (int i = 0; i < 3; i++) xi[i][l] = b->xi[i][l];
    }
    if (!open) break;
    missing_at(b, xi, da, &next);
    for (int l = 0; l < LANES; l++) // not down: round-off near the end, or too far
      if (b->plastic[l] && at.merit[l] > RETURN_MERIT &&
          !(next.merit[l] < at.merit[l] * (1 - 1e-4)))
        b->hard[l] = 1;
    at = next;
    FOR_LANES {
      b->da[l] = da[l];
      for (int i = 0; i < 3; i++) b->xi[i][l] = xi[i][l];
    }
  }
  for (int l = 0; l < LANES; l++) b->hard[l] |= b->plastic[l] && at.merit[l] > RETURN_MERIT;
  FOR_LANES b->slope[l] = at.slope[l];
  tangents(b, &at);
}
