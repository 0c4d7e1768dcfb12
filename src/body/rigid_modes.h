// body/rigid_modes.h -- rigid motions of a body, and what is left of a motion without them.
//
// The inverse w of a symmetric matrix A splits exactly into R (R^T A R)^-1 R^T and a rest that is
// positive semi-definite whatever the columns of R. With the rigid motions for R the rest is the
// elastic part of w: beside the first it may be ten digits small, so it is made without it, never
// as a difference.

#ifndef BODY_RIGID_MODES_H
#define BODY_RIGID_MODES_H

#include <stdint.h>

enum { MAX_RIGID_MODES = 6 };

typedef struct {
  int dim, n_nodes;
  int n_dofs;           // of the vectors: dim * n_nodes, and more that no rigid motion moves
  const double *x;      // [n_nodes * dim]                                             [m]
  const uint8_t *fixed; // [n_dofs] 1: prescribed; NULL: none
  int only_along; // -1: all; else the one component along which alone it may move (axisymmetric: 1)
} RigidCloud;

// Columns of R [n_dofs] one after the other for the motions that prescribed components leave free,
// about the mean of the nodes, of size 1. Returns how many.
int rigid_modes(const RigidCloud *cloud, double *modes);

// Makes R^T A R the unit matrix; a_modes = A R. Returns how many columns are left.
int rigid_orthonormal(int n_dofs, int n_modes, double *modes, double *a_modes);

#endif
