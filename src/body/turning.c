#include "body/turning.h"

#include <math.h>
#include <string.h>

#include "base/mat3.h"

// Weight of a node among those of its body.
static double weight_of(const BodySet *bs, double total, int node) {
  return total > 0 ? bodies_node_mass(bs, node) : 1;
}

BodyTurning body_turning(const BodySet *bs, const BodyState *state, int body) {
  BodyTurning t = {.sum = {0}};
  int first = bs->node_ptr[body], n = bs->node_ptr[body + 1] - first, dim = bs->dim;
  const double mass = bodies_mass(bs, body), total = mass > 0 ? mass : n;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < dim; i++) {
      size_t at = (size_t)dim * (size_t)(first + k) + (size_t)i;
      double share = weight_of(bs, mass, first + k) / total;
      t.start[i] += share * bs->x[at];
      t.place[i] += share * (bs->x[at] + state->q[at]);
      t.v[i] += share * state->v[at];
    }
  for (int k = 0; k < n; k++) {
    size_t at = (size_t)dim * (size_t)(first + k);
    double a[3] = {0}, b[3] = {0}, w[3] = {0}, cross[3], own = weight_of(bs, mass, first + k);
    for (int i = 0; i < dim; i++) {
      a[i] = bs->x[at + (size_t)i] - t.start[i];
      b[i] = bs->x[at + (size_t)i] + state->q[at + (size_t)i] - t.place[i];
      w[i] = state->v[at + (size_t)i] - t.v[i];
    }
    vec3_cross(b, w, cross);
    for (int i = 0; i < 3; i++) {
      t.moment[i] += own * cross[i];
      for (int j = 0; j < 3; j++) {
        t.sum[3 * i + j] += own * b[i] * a[j];
        t.inertia[3 * i + j] += own * ((i == j ? vec3_dot(b, b) : 0) - b[i] * b[j]);
      }
    }
  }
  return t;
}

// Of what is flat: volume of the spread over its size cubed.
static const double FLAT = 1e-12;

int body_rotation(int dim, const BodyTurning *t, double r[9]) {
  double largest = 0, det = vec3_det(t->sum, t->sum + 3, t->sum + 6);
  memset(r, 0, 9 * sizeof *r);
  r[0] = r[4] = r[8] = 1;
  if (dim == 2) {
    double dot = t->sum[0] + t->sum[4], cross = t->sum[3] - t->sum[1], length = hypot(dot, cross);
    if (!(length > 0)) return 0;
    r[0] = r[4] = dot / length;
    r[3] = cross / length;
    r[1] = -r[3];
    return 1;
  }
  for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(t->sum[i]));
  if (!(det > FLAT * largest * largest * largest)) return 0;
  memcpy(r, t->sum, 9 * sizeof *r);
  mat3_nearest_rotation(r);
  return 1;
}
