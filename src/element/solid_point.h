// element/solid_point.h -- first and second derivatives of the energy of a point of a solid.
//
// W(C-bar) with C-bar = (Theta / J)^(2/3) F^T F is a function of the deformation gradient F (row by
// row) and of ln Theta, the mean dilatation of the element. `scale` is (Theta / J)^(2/3).

#ifndef ELEMENT_SOLID_POINT_H
#define ELEMENT_SOLID_POINT_H

#include "material/material.h"

// Components of F that displacements move: all in space, 4 in the plane, 5 in a ring.
typedef struct {
  int n, component[9];
} Moved;

typedef struct {
  double f[9];       // deformation gradient
  double cof[9];     // F^-T
  double p[9];       // dW/dF
  double a[9 * 9];   // d2W/dF2, the rows of moved components
  double p_theta;    // dW/d ln Theta
  double a_theta[9]; // d2W/dF d ln Theta
  double a_theta2;   // d2W/d(ln Theta)2
} SolidPoint;

void solid_inverse_transpose(const double *f, double j, double *cof);
void solid_times(const double *f, const double *s, double *out); // F times a symmetric tensor

// a = scale^2 F D F + scale S 1: what C gives with Theta / J kept; d->f is given.
void solid_point_tangent(const Moved *moved, double scale, const FiniteStress *law, SolidPoint *d);
// Adds how C-bar depends on J and Theta to p and, if `second`, to a; the derivatives by ln Theta.
// Given are f, cof, p and a of the terms above.
void solid_point_dilatation(const Moved *moved, double scale, const double *c_bar,
                            const FiniteStress *law, int second, SolidPoint *d);
// a += rest (cof x cof - crossed): d2 ln Theta / dF2 without the product of its first derivatives;
// rest: sum of w dW/d ln Theta over the element, times J / (Theta volume).
void solid_point_second(const Moved *moved, double rest, SolidPoint *d);

#endif
