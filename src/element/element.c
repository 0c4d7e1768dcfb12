#include "element/element.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/space.h"

typedef struct {
  ElementPoint at;
  double b[MAX_STRAINS * MAX_ELEM_DOFS]; // strain matrix [n_strains * n_dofs]
} GaussPoint;

int element_n_points(const ElementType *type, StressState state) {
  return state == AXISYMMETRIC ? type->n_ring : type->n_gauss;
}

// Inverse of the dim x dim matrix j; returns its determinant.
static double invert(int dim, const double *j, double *inv) {
  if (dim == 2) {
    double det = j[0] * j[3] - j[1] * j[2];
    inv[0] = j[3] / det;
    inv[1] = -j[1] / det;
    inv[2] = -j[2] / det;
    inv[3] = j[0] / det;
    return det;
  }
  double c0 = j[4] * j[8] - j[5] * j[7], c1 = j[5] * j[6] - j[3] * j[8],
         c2 = j[3] * j[7] - j[4] * j[6];
  double det = j[0] * c0 + j[1] * c1 + j[2] * c2;
  const double adj[9] = {c0, j[2] * j[7] - j[1] * j[8], j[1] * j[5] - j[2] * j[4],
                         c1, j[0] * j[8] - j[2] * j[6], j[2] * j[3] - j[0] * j[5],
                         c2, j[1] * j[6] - j[0] * j[7], j[0] * j[4] - j[1] * j[3]};
  for (int k = 0; k < 9; k++) inv[k] = adj[k] / det;
  return det;
}

// Shape functions and their gradients in the coordinates x; returns det J.
static double gradients(const ElementType *type, const double *x, const double *xi,
                        ElementPoint *gp) {
  int dim = type->dim;
  double dn[MAX_ELEM_NODES * 3], j[9] = {0}, inv[9];
  type->interpolate(xi, gp->n, dn);
  // J = dx / dxi, row: coordinate, column: local coordinate
  for (int k = 0; k < type->n_nodes; k++)
    for (int i = 0; i < dim; i++)
      for (int a = 0; a < dim; a++) j[i * dim + a] += x[k * dim + i] * dn[k * dim + a];
  double det = invert(dim, j, inv);
  for (int k = 0; k < type->n_nodes; k++)
    for (int i = 0; i < dim; i++) {
      double sum = 0;
      for (int a = 0; a < dim; a++) sum += dn[k * dim + a] * inv[a * dim + i];
      gp->grad[k * dim + i] = sum;
    }
  return det;
}

// All points; returns the first with det J or radius <= 0, or -1.
static int points(const ElementSpec *spec, const double *x, ElementPoint *point) {
  const double two_pi = 2 * PI;
  const ElementType *type = spec->type;
  const double(*rule)[4] = spec->state == AXISYMMETRIC ? type->ring : type->gauss;
  int bad = -1, n_points = element_n_points(type, spec->state);
  for (int g = 0; g < n_points; g++) {
    double det = gradients(type, x, rule[g], &point[g]);
    point[g].volume = det * rule[g][3];
    point[g].radius = 1;
    if (spec->state == AXISYMMETRIC) {
      point[g].radius = 0;
      for (int k = 0; k < type->n_nodes; k++) point[g].radius += point[g].n[k] * x[k * 2];
      point[g].volume *= two_pi * point[g].radius;
    } else if (type->dim == 2)
      point[g].volume *= spec->thickness;
    if (!(det > 0 && point[g].radius > 0) && bad < 0) bad = g;
  }
  return bad;
}

Status element_points(const ElementSpec *spec, const double *x, ElementPoint *point, Err *err) {
  int bad = points(spec, x, point);
  if (bad < 0) return OK;
  return err_set(err, ERR_NUMERIC, "%s not positive at integration point %d of a %s",
                 point[bad].radius > 0 ? "Jacobian" : "radius", bad + 1, spec->type->name);
}

// Strain matrix of (xx, yy, zz, xy, yz, xz), the first four in the plane, of n_nodes functions.
static void strain_matrix(const ElementSpec *spec, int n_nodes, const ElementPoint *at, double *b) {
  int dim = spec->type->dim, n = n_nodes * dim, m = material_n_strains(spec->state);
  memset(b, 0, sizeof(double) * (size_t)(m * n));
  for (int k = 0; k < n_nodes; k++) {
    const double *g = at->grad + k * dim;
    int c = k * dim;
    for (int i = 0; i < dim; i++) b[i * n + c + i] = g[i];
    if (spec->state == AXISYMMETRIC) b[2 * n + c] = at->n[k] / at->radius; // hoop: u_r / r
    b[3 * n + c] = g[1];
    b[3 * n + c + 1] = g[0];
    if (dim < 3) continue;
    b[4 * n + c + 1] = g[2];
    b[4 * n + c + 2] = g[1];
    b[5 * n + c] = g[2];
    b[5 * n + c + 2] = g[0];
  }
}

// Replace the volumetric part of every point by its mean over the element (B-bar, Hughes 1980).
static void average_dilatation(int n_points, int n, GaussPoint *gp) {
  double trace[MAX_GAUSS][MAX_ELEM_DOFS], mean[MAX_ELEM_DOFS] = {0}, volume = 0;
  for (int g = 0; g < n_points; g++) {
    volume += gp[g].at.volume;
    for (int c = 0; c < n; c++) {
      trace[g][c] = gp[g].b[c] + gp[g].b[n + c] + gp[g].b[2 * n + c];
      mean[c] += gp[g].at.volume * trace[g][c];
    }
  }
  for (int g = 0; g < n_points; g++)
    for (int c = 0; c < n; c++) {
      double shift = (mean[c] / volume - trace[g][c]) / 3;
      for (int i = 0; i < 3; i++)
        gp[g].b[i * n + c] += shift; // zz too: plane strain keeps its trace
    }
}

// All points of an element with their strain matrices; returns the first that is inside out, or -1.
static int strain_points(const ElementSpec *spec, const double *x, GaussPoint *gp) {
  int n_points = element_n_points(spec->type, spec->state);
  ElementPoint at[MAX_GAUSS];
  int bad = points(spec, x, at);
  for (int g = 0; g < n_points; g++) {
    gp[g].at = at[g];
    strain_matrix(spec, spec->type->n_nodes, &at[g], gp[g].b);
  }
  if (spec->b_bar && spec->state != PLANE_STRESS)
    average_dilatation(n_points, spec->type->n_nodes * spec->type->dim, gp);
  return bad;
}

// ke[n_a * n_b] += B_a^T D B_b volume of strain matrices with n_a and n_b columns.
static void add_product(const ElementSpec *spec, double volume, int n_a, const double *a, int n_b,
                        const double *b, double *ke) {
  int m = material_n_strains(spec->state);
  double db[MAX_STRAINS * MAX_ELEM_DOFS];
  for (int i = 0; i < m; i++)
    for (int c = 0; c < n_b; c++) {
      double sum = 0;
      for (int j = 0; j < m; j++) sum += spec->d[i * m + j] * b[j * n_b + c];
      db[i * n_b + c] = sum * volume;
    }
  for (int r = 0; r < n_a; r++)
    for (int c = 0; c < n_b; c++)
      for (int i = 0; i < m; i++) ke[r * n_b + c] += a[i * n_a + r] * db[i * n_b + c];
}

// A = L L^T in place, lower triangle.
static void cholesky(int n, double *a) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) {
      double sum = a[i * n + j];
      for (int k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
    }
}

// Modes 1 - xi_a^2 (Wilson): a linear quadrilateral or hexahedron bends by them, which by its nodes
// alone it can only in shear. They are the element's own and are eliminated. Their gradients are
// those of the middle (Taylor, Beresford and Wilson 1976): their mean is zero, so a constant stress
// does no work on them and the mean stress is that of the nodes.
static void add_bending_modes(const ElementSpec *spec, const double *x, const GaussPoint *gp,
                              double *ke) {
  enum { MOST = 9 };
  const ElementType *type = spec->type;
  static const double middle[3] = {0};
  int dim = type->dim, n = type->n_nodes * dim, modes = dim * dim;
  double dn[MAX_ELEM_NODES * 3], j[9] = {0}, inv[9], shape[MAX_ELEM_NODES];
  double own[MOST * MOST] = {0}, mixed[MOST * MAX_ELEM_DOFS] = {0};
  assert(spec->state != AXISYMMETRIC && !spec->b_bar);
  type->interpolate(middle, shape, dn);
  for (int k = 0; k < type->n_nodes; k++)
    for (int i = 0; i < dim; i++)
      for (int a = 0; a < dim; a++) j[i * dim + a] += x[k * dim + i] * dn[k * dim + a];
  double det = invert(dim, j, inv);
  for (int g = 0; g < type->n_gauss; g++) {
    ElementPoint at, mode = {0};
    double b[MAX_STRAINS * MOST], share = det / gradients(type, x, type->gauss[g], &at);
    for (int a = 0; a < dim; a++)
      for (int i = 0; i < dim; i++)
        mode.grad[a * dim + i] = -2 * type->gauss[g][a] * share * inv[a * dim + i];
    strain_matrix(spec, dim, &mode, b);
    add_product(spec, gp[g].at.volume, modes, b, modes, b, own);
    add_product(spec, gp[g].at.volume, modes, b, n, gp[g].b, mixed);
  }
  cholesky(modes, own);
  for (int c = 0; c < n; c++) // L^-1 of the mixed part
    for (int r = 0; r < modes; r++) {
      for (int k = 0; k < r; k++) mixed[r * n + c] -= own[r * modes + k] * mixed[k * n + c];
      mixed[r * n + c] /= own[r * modes + r];
    }
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++)
      for (int k = 0; k < modes; k++) ke[r * n + c] -= mixed[k * n + r] * mixed[k * n + c];
}

Status element_stiffness(const ElementSpec *spec, const double *x, double *ke, Err *err) {
  GaussPoint gp[MAX_GAUSS];
  int n = spec->type->n_nodes * spec->type->dim;
  if (strain_points(spec, x, gp) >= 0) {
    ElementPoint at[MAX_GAUSS];
    return element_points(spec, x, at, err);
  }
  memset(ke, 0, sizeof(double) * (size_t)(n * n));
  for (int g = 0; g < element_n_points(spec->type, spec->state); g++)
    add_product(spec, gp[g].at.volume, n, gp[g].b, n, gp[g].b, ke);
  if (spec->bending_modes && spec->type->bends) add_bending_modes(spec, x, gp, ke);
  return OK;
}

void element_stress(const ElementSpec *spec, const double *x, const double *u, double stress[6]) {
  GaussPoint gp[MAX_GAUSS];
  int n = spec->type->n_nodes * spec->type->dim, m = material_n_strains(spec->state);
  strain_points(spec, x, gp);
  double strain[MAX_STRAINS] = {0}, volume = 0;
  for (int g = 0; g < element_n_points(spec->type, spec->state); g++) {
    volume += gp[g].at.volume;
    for (int i = 0; i < m; i++)
      for (int c = 0; c < n; c++) strain[i] += gp[g].at.volume * gp[g].b[i * n + c] * u[c];
  }
  for (int i = 0; i < 6; i++) stress[i] = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) stress[i] += spec->d[i * m + j] * strain[j] / volume;
}

void element_lumped_volume(const ElementSpec *spec, const double *x, double *share) {
  GaussPoint gp[MAX_GAUSS];
  strain_points(spec, x, gp);
  for (int k = 0; k < spec->type->n_nodes; k++) {
    share[k] = 0;
    for (int g = 0; g < element_n_points(spec->type, spec->state); g++)
      share[k] += gp[g].at.n[k] * gp[g].at.volume;
  }
}

void element_consistent_volume(const ElementSpec *spec, const double *x, double *m) {
  GaussPoint gp[MAX_GAUSS];
  const int n = spec->type->n_nodes, dim = spec->type->dim;
  assert(spec->state != AXISYMMETRIC);
  strain_points(spec, x, gp);
  memset(m, 0, sizeof *m * (size_t)(n * n));
  if (n == dim + 1) { // of a simplex: V (1 + delta_ij) / ((n + 1) n), one point would not do
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) m[n * i + j] = gp[0].at.volume * (1 + (i == j)) / ((n + 1) * n);
    return;
  }
  for (int g = 0; g < element_n_points(spec->type, spec->state); g++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) m[n * i + j] += gp[g].at.volume * gp[g].at.n[i] * gp[g].at.n[j];
}
