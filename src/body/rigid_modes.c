#include "body/rigid_modes.h"

#include <math.h>
#include <string.h>

#include "base/space.h"

// Share of a motion of size 1 at a prescribed component, or of a combination, below which it is
// round-off.
static const double NOTHING = 1e-9;

// Motion m of node k: translations, then rotations about `centre`.
static double motion(const RigidCloud *cloud, const double *centre, double size, int m, int k,
                     int i) {
  int dim = cloud->dim;
  const double *x = cloud->x + (size_t)dim * (size_t)k;
  if (m < dim) return m == i;
  int axis = dim == 2 ? 2 : m - dim, a = (axis + 1) % 3, b = (axis + 2) % 3;
  if (i == a) return -(x[b] - centre[b]) / size;
  if (i == b) return (x[a] - centre[a]) / size;
  return 0;
}

// x less its parts along `n` orthonormal rows; returns what is left of its length.
static double reduce(int n, double rows[][MAX_RIGID_MODES], int m, double *x) {
  double square = 0;
  for (int k = 0; k < n; k++) {
    double part = 0;
    for (int j = 0; j < m; j++) part += rows[k][j] * x[j];
    for (int j = 0; j < m; j++) x[j] -= part * rows[k][j];
  }
  for (int j = 0; j < m; j++) square += x[j] * x[j];
  return sqrt(square);
}

// Combinations of m motions that move no prescribed component; `rows` holds the n combinations that
// do and gets the free ones behind them, orthonormal. Returns how many these are.
static int free_combinations(double rows[][MAX_RIGID_MODES], int n, int m) {
  int found = 0;
  for (; n + found < m; found++) {
    double best = 0, x[MAX_RIGID_MODES];
    for (int k = 0; k < m; k++) { // the unit vector of which most is left
      double unit[MAX_RIGID_MODES] = {0};
      unit[k] = 1;
      double left = reduce(n + found, rows, m, unit);
      if (left <= best) continue;
      best = left;
      memcpy(x, unit, sizeof x);
    }
    if (!(best > 0)) break;
    for (int j = 0; j < m; j++) rows[n + found][j] = x[j] / best;
  }
  return found;
}

// Centre and size of the cloud.
static double extent(const RigidCloud *cloud, double centre[3]) {
  double size = 0;
  memset(centre, 0, 3 * sizeof *centre);
  for (int k = 0; k < cloud->n_nodes * cloud->dim; k++)
    centre[k % cloud->dim] += cloud->x[k] / cloud->n_nodes;
  for (int k = 0; k < cloud->n_nodes * cloud->dim; k++)
    size = fmax(size, fabs(cloud->x[k] - centre[k % cloud->dim]));
  return size > 0 ? size : 1;
}

int rigid_modes(const RigidCloud *cloud, double *modes) {
  int dim = cloud->dim, m = space_rigid_motions(dim), held = 0, first = 0;
  double centre[3], size = extent(cloud, centre), rows[MAX_RIGID_MODES][MAX_RIGID_MODES];
  if (cloud->only_along >= 0) {
    first = cloud->only_along;
    m = 1;
  }
  for (int k = 0; k < cloud->n_nodes * dim && cloud->fixed && held < m; k++) {
    double row[MAX_RIGID_MODES] = {0};
    if (!cloud->fixed[k]) continue;
    for (int j = 0; j < m; j++) row[j] = motion(cloud, centre, size, first + j, k / dim, k % dim);
    double left = reduce(held, rows, m, row);
    if (left <= NOTHING) continue;
    for (int j = 0; j < m; j++) rows[held][j] = row[j] / left;
    held++;
  }
  int n = free_combinations(rows, held, m);
  for (int f = 0; f < n; f++) {
    double *mode = modes + (size_t)f * (size_t)cloud->n_dofs;
    memset(mode, 0, sizeof *mode * (size_t)cloud->n_dofs);
    for (int k = 0; k < cloud->n_nodes * dim; k++)
      for (int j = 0; j < m && !(cloud->fixed && cloud->fixed[k]); j++)
        mode[k] += rows[held + f][j] * motion(cloud, centre, size, first + j, k / dim, k % dim);
  }
  return n;
}

int rigid_orthonormal(int n_dofs, int n_modes, double *modes, double *a_modes) {
  size_t n = (size_t)n_dofs;
  int kept = 0;
  for (int m = 0; m < n_modes; m++) {
    double *r = modes + (size_t)m * n, *ar = a_modes + (size_t)m * n, before = 0, square = 0;
    for (size_t i = 0; i < n; i++) before += r[i] * ar[i];
    for (int k = 0; k < kept; k++) {
      const double *rk = modes + (size_t)k * n, *ak = a_modes + (size_t)k * n;
      double part = 0;
      for (size_t i = 0; i < n; i++) part += ak[i] * r[i];
      for (size_t i = 0; i < n; i++) {
        r[i] -= part * rk[i];
        ar[i] -= part * ak[i];
      }
    }
    for (size_t i = 0; i < n; i++) square += r[i] * ar[i];
    if (!(square > NOTHING * before)) continue; // without inertia, or the same again
    double scale = 1 / sqrt(square), *to = modes + (size_t)kept * n,
           *a_to = a_modes + (size_t)kept * n;
    for (size_t i = 0; i < n; i++) {
      to[i] = r[i] * scale;
      a_to[i] = ar[i] * scale;
    }
    kept++;
  }
  return kept;
}
