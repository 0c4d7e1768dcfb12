// body/prototype.h -- what equal bodies share: matrices in the frame of their common mesh.
//
// For each step size in use its factors keep w = (M + h theta V + h^2 theta^2 K)^-1 (J36) and the
// compliance between its skin nodes, the dim x dim blocks of w that contact needs, and the elastic
// part of it.

#ifndef BODY_PROTOTYPE_H
#define BODY_PROTOTYPE_H

#include "algebra/spd.h"
#include "element/element.h"
#include "mesh/skin.h"

typedef struct {
  double h, theta;
  SpdInverse *w;
  double *compliance; // [n_skin * n_skin * dim * dim] blocks of w between skin nodes      [1/kg]
  int n_rigid;        // rigid motions that supports leave free
  // [n_skin * dim * n_rigid] them at skin nodes, of energy 1: compliance = elastic + rigid rigid^T
  double *rigid;
  double *elastic; // the same of its elastic part: w less that of the rigid motions    [1/kg]
} PrototypeStep;

enum { MAX_PROTOTYPE_STEPS = 16 };

typedef struct {
  const Mesh *mesh;         // borrowed
  const Material *material; // borrowed
  StressState state;
  double thickness; // [m]
  int b_bar, bending_modes, consistent;
  int n_dofs;     // mesh nodes * dim
  uint8_t *fixed; // [n_dofs] 1: velocity prescribed; NULL: none
  Skin skin;
  Sparse stiffness; // K                                                             [N/m]
  double *mass;     // [n_nodes] lumped                                               [kg]
  // Of the same pattern as K, with its ptr and col; val NULL where masses are lumped
  Sparse consistent_mass;       //                                                          [kg]
  double total_mass, center[3]; // in the mesh's frame                           [kg], [m]
  double *d;                    // elastic matrix of the elements
} Prototype;

// What was factorised of it, the oldest first; zero: nothing yet.
typedef struct {
  int n_steps;
  PrototypeStep step[MAX_PROTOTYPE_STEPS];
} PrototypeFactors;

typedef struct {
  const Mesh *mesh;
  const Material *material;
  StressState state;
  double thickness;
  int b_bar;
  const uint8_t *fixed; // [n_nodes * dim] copied; NULL: none
  int bending_modes;
  int consistent; // 1: the mass matrix is that of the shape functions
} PrototypeSpec;

Status prototype_init(Prototype *p, const PrototypeSpec *spec, Err *err) MUST_CHECK;
void prototype_free(Prototype *p);

// Meshes whose coordinates are equal within this share of the largest are the same.
#define PROTOTYPE_SAME_SHAPE 1e-12

// 1 if a body with this spec can share p: equal settings and the same mesh (same numbering).
int prototype_matches(const Prototype *p, const PrototypeSpec *spec);

// The factorised step for (h, theta), made when it is not there yet; the oldest is dropped when
// MAX_PROTOTYPE_STEPS are in use. Not for use inside a parallel region.
Status prototype_step(const Prototype *p, PrototypeFactors *factors, double h, double theta,
                      const PrototypeStep **step, Err *err) MUST_CHECK;
void prototype_factors_free(PrototypeFactors *factors);

// Element spec of element e, for stiffness and stress.
ElementSpec prototype_element(const Prototype *p, int elem);

#endif
