// shape/facet.h -- the nearest point of a facet: segment, triangle, bilinear quadrilateral.
//
// Corners x [n * 3] in the order of the mesh; the point is the sum of weight[k] times corner k,
// weights are not negative and add up to 1. Numbers of corners: 2, 3, 4.

#ifndef SHAPE_FACET_H
#define SHAPE_FACET_H

// Squared distance of p to the facet, and the weights [n] of its nearest point. Exact for segments
// and triangles; a quadrilateral that is warped takes a few iterations.
double facet_nearest(int n, const double *x, const double p[3], double weight[4]);

// Unit normal at the point with these weights, by the right hand (of a segment, in the plane, on
// the right).
void facet_normal(int n, const double *x, const double weight[4], double normal[3]);

#endif
