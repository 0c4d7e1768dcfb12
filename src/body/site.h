// body/site.h -- where a contact takes hold of a body: the only H of the program.
//
// The velocity of a site is a weighted sum of those of nodes; an impulse on it acts on these nodes
// with the same weights. The relative velocity of a contact is the sum over its two sites, the
// antagonist's weights being negative.

#ifndef BODY_SITE_H
#define BODY_SITE_H

#include <stddef.h>
#include <stdint.h>

// Means over dual weights of joints in space hold most; others up to four.
enum { MAX_SITE_NODES = 24 };

typedef struct {
  int32_t body, n;
  int32_t node[MAX_SITE_NODES];  // global
  double weight[MAX_SITE_NODES]; // sum 1 on the candidate's side, -1 on the antagonist's
} Site;

#define SITE_INLINE static inline __attribute__((always_inline))

// u [dim] += H^T v of one site, in the axes of the model.
SITE_INLINE void site_velocity(const int dim, const Site *site, const double *v, double *u) {
  for (int k = 0; k < site->n; k++) {
    const double *from = v + (size_t)dim * (size_t)site->node[k];
    for (int i = 0; i < dim; i++) u[i] += site->weight[k] * from[i];
  }
}

// impulse += H f of one site.
SITE_INLINE void site_add(const int dim, const Site *site, const double *f, double *impulse) {
  for (int k = 0; k < site->n; k++) {
    double *to = impulse + (size_t)dim * (size_t)site->node[k];
    for (int i = 0; i < dim; i++) to[i] += site->weight[k] * f[i];
  }
}

#endif
