#include "solver/cone.h"

#include <math.h>

static double tangent_norm(int dim, const double *r) {
  return dim == 2 ? fabs(r[1]) : sqrt(r[1] * r[1] + r[2] * r[2]);
}

static void scale_tangent(int dim, double factor, double *r) {
  for (int k = 1; k < dim; k++) r[k] *= factor;
}

void cone_project(int dim, double mu, double radius, double *r) {
  double t = tangent_norm(dim, r);
  if (r[0] >= 0 && t <= mu * r[0] + radius) return;
  // Nearest point of the mantle t = mu n + radius, if it has n >= 0.
  double n = (r[0] + mu * (t - radius)) / (1 + mu * mu);
  if (n > 0 && t > mu * r[0] + radius) {
    r[0] = n;
    scale_tangent(dim, (mu * n + radius) / t, r);
    return;
  }
  // Nearest point of the base disk n = 0.
  r[0] = 0;
  if (t > radius) scale_tangent(dim, t > 0 ? radius / t : 0, r);
}

double cone_violation(int dim, double mu, double radius, const double *r) {
  double below = r[0] < 0 ? -r[0] : 0;
  double outside = tangent_norm(dim, r) - mu * (r[0] > 0 ? r[0] : 0) - radius;
  return below > outside ? below : (outside > 0 ? outside : 0);
}
