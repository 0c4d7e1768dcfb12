// mesh/contour.h -- the boundary of a blank: curves with their names, the size of elements,
// segments.
//
// The size at a point is the least of the blank's own, of the zones and of curves that are divided
// finer (small fillets, short sides), each plus `grading` times the distance from it.

#ifndef MESH_CONTOUR_H
#define MESH_CONTOUR_H

#include "mesh/blank.h"

// A straight side or a fillet, walked by its length s.
typedef struct {
  int loop;      // 0: the outline, else the hole of that number
  int is_arc;    //
  int number;    // of the corner where it begins, or that it rounds; from 1
  int axis;      // 1: on x = 0, 2: on y = 0; 0: on neither
  double p[2];   // where it begins
  double t[2];   // direction there
  double length; // [m]
  double turn;   // angle of an arc, > 0 to the left
  double fine;   // size that its own division asks for, 0: none                       [m]
} ContourCurve;

// A piece of a curve between two nodes, the blank on its left.
typedef struct {
  int32_t node[2], curve;
  double s[2]; // at the nodes [m]
} ContourSegment;

typedef struct {
  const ContourBlank *spec;
  double size, grading, factor; // factor: on all sizes of the spec
  int n_curves, n_nodes, n_segments;
  ContourCurve *curve;
  double *x; // [2 n_nodes]
  ContourSegment *segment;
  size_t x_room, segment_room;
  int32_t *next; // [n_nodes] node at the end of the segment that begins there
} Contour;

// ERR_INPUT names what is wrong: sizes, corners, sides that cross, holes outside.
Status contour_init(Contour *c, const ContourBlank *spec, double factor, Err *err) MUST_CHECK;
void contour_free(Contour *c);

void contour_curve_point(const ContourCurve *curve, double s, double x[2]);
double contour_size(const Contour *c, const double x[2]);
int contour_holds(const Contour *c, const double x[2]); // 1: inside
// 1: x lies in the circle over some segment as its diameter, so that no Delaunay triangulation
// keeps it.
int contour_encroached(const Contour *c, const double x[2]);

#endif
