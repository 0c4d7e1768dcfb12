// element/element.h -- element kernels: shape functions, quadrature, stiffness, stress, lumped
// mass.
//
// Small strains in the frame of the given coordinates, and the reference geometry of the forms of
// form.h. Axisymmetric: x is the radius, y the axis, everything is that of the whole ring. To add
// an element: one const ElementType in element_<name>.c, one line in element_table.c; the property
// tests (patch, rigid-body modes) run over every row.

#ifndef ELEMENT_ELEMENT_H
#define ELEMENT_ELEMENT_H

#include "base/err.h"
#include "material/material.h"
#include "mesh/topology.h"

enum { MAX_GAUSS = 8, MAX_ELEM_DOFS = 3 * MAX_ELEM_NODES };

typedef struct {
  const char *name; // as in messages, e.g. "Q4"
  const char *doc;
  ShapeCode shape;
  int dim, n_nodes, n_gauss;
  const double (*gauss)[4]; // [n_gauss] xi, eta, zeta, weight
  int n_ring;
  const double (*ring)[4]; // [n_ring] points of an axisymmetric element
  int bends;               // 1: it may have modes 1 - xi_a^2 of its own beside its nodes
  // Shape functions n[n_nodes] and derivatives dn[n_nodes * dim] at the local point xi.
  void (*interpolate)(const double *xi, double *n, double *dn);
} ElementType;

extern const ElementType *const element_types[N_SHAPES]; // by ShapeCode; NULL: not a bulk element

typedef struct {
  const ElementType *type;
  StressState state;
  double thickness;  // plane problems                                              [m]
  int b_bar;         // 1: mean dilatation over the element (no volumetric locking)
  int bending_modes; // 1: incompatible modes where the type bends; not axisymmetric, not with b_bar
  const double *d;   // elastic matrix, see material.h
} ElementSpec;

// An integration point in the reference coordinates.
typedef struct {
  double volume;                   // weight * det J (* thickness, 2 pi r)         [m^3]
  double radius;                   // axisymmetric: distance from the axis         [m]
  double n[MAX_ELEM_NODES];        // shape functions
  double grad[MAX_ELEM_NODES * 3]; // gradients [n_nodes * dim]                    [1/m]
} ElementPoint;

// The points of an element with nodes x [n_nodes * dim] and their number. ERR_NUMERIC if the
// Jacobian or the radius is not positive at one (its number is in the message).
int element_n_points(const ElementType *type, StressState state);
Status element_points(const ElementSpec *spec, const double *x, ElementPoint *point,
                      Err *err) MUST_CHECK;

// Stiffness ke[n * n], n = n_nodes * dim, row-major. ERR_NUMERIC if the Jacobian is not positive
// at an integration point (its number is in the message).
Status element_stiffness(const ElementSpec *spec, const double *x, double *ke, Err *err) MUST_CHECK;

// Mean stress over the element (6 components xx yy zz xy yz xz) for displacements u; plane strain
// gives sigma_zz its value.
void element_stress(const ElementSpec *spec, const double *x, const double *u, double stress[6]);

// Lumped shares of the element's volume at its nodes [m^3], row sum of the consistent matrix.
void element_lumped_volume(const ElementSpec *spec, const double *x, double *share);
// Integrals of the products of shape functions, m [n_nodes * n_nodes] [m^3]; not of rings. Exact of
// simplices and parallelepipeds.
void element_consistent_volume(const ElementSpec *spec, const double *x, double *m);

#endif
