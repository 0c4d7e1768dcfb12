// Which rigid motions of a body its prescribed components leave free: without inertia only contact
// can hold those.

#include <math.h>
#include <string.h>

#include "body/finite.h"

enum { MAX_MODES = 6 };
// Motions are told apart by their size at the held components, against that of a unit motion.
static const double INDEPENDENT = 1e-8;

// Modes of the body at component i of a node: translations, then rotations about the middle, over
// the size of the body. With axial symmetry rings resist all but the translation along the axis.
static int rigid_modes(const BodySet *bs, const FiniteBody *body, const double middle[3],
                       double size, int node, int i, double mode[MAX_MODES]) {
  double d[3] = {0};
  int dim = bs->dim, held = 0;
  memset(mode, 0, sizeof(double) * MAX_MODES);
  if (body->form.spec.state == AXISYMMETRIC && !body->form.type->shell) {
    mode[0] = i == 1;
    return 1;
  }
  mode[i] = 1;
  for (int k = 0; body->form.fixed_extra && k < body->form.n_extra; k++)
    held |= body->form.fixed_extra[k];
  if (held) return dim; // an edge that is clamped or mirrored is held against turning too
  for (int k = 0; k < dim; k++)
    d[k] = (bs->x[(size_t)dim * (size_t)(bs->node_ptr[body->body] + node) + k] - middle[k]) / size;
  if (dim == 2) {
    mode[2] = i == 0 ? -d[1] : d[0];
    return 3;
  }
  mode[3 + (i + 1) % 3] = d[(i + 2) % 3];
  mode[3 + (i + 2) % 3] = -d[(i + 1) % 3];
  return 6;
}

static double measure(const BodySet *bs, const FiniteBody *body, double middle[3]) {
  const double *x = bs->x + (size_t)bs->dim * (size_t)bs->node_ptr[body->body];
  int n = body->form.n_nodes;
  double size = 0;
  for (int i = 0; i < bs->dim; i++) {
    double low = x[i], high = x[i];
    for (int k = 1; k < n; k++) {
      low = fmin(low, x[k * bs->dim + i]);
      high = fmax(high, x[k * bs->dim + i]);
    }
    middle[i] = 0.5 * (low + high);
    size = fmax(size, high - low);
  }
  return size;
}

int finite_loose(const BodySet *bs, int k) {
  const FiniteBody *body = &bs->finite[k];
  double middle[3] = {0}, basis[MAX_MODES][MAX_MODES], mode[MAX_MODES];
  double size = measure(bs, body, middle);
  int rank = 0, n_modes = rigid_modes(bs, body, middle, size, 0, 0, mode);
  for (int dof = 0; dof < body->form.n_nodes * bs->dim && rank < n_modes; dof++) {
    double square = 0;
    if (!body->fixed || !body->fixed[dof]) continue;
    rigid_modes(bs, body, middle, size, dof / bs->dim, dof % bs->dim, mode);
    for (int j = 0; j < rank; j++) { // what earlier components hold already
      double along = 0;
      for (int m = 0; m < n_modes; m++) along += basis[j][m] * mode[m];
      for (int m = 0; m < n_modes; m++) mode[m] -= along * basis[j][m];
    }
    for (int m = 0; m < n_modes; m++) square += mode[m] * mode[m];
    if (square <= INDEPENDENT) continue;
    for (int m = 0; m < n_modes; m++) basis[rank][m] = mode[m] / sqrt(square);
    rank++;
  }
  return n_modes - rank;
}
