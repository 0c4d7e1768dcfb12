// mesh/generate.h -- meshes of regular shapes: rectangles, curved voussoirs, boxes.
//
// A structured grid of nx by ny cells on the unit square is mapped on the shape. Patterns: "q4";
// "t3_right" (diagonal from lower left to upper right, Jean's eight T3 with 2 x 2 cells);
// "t3_left"; "t3_alternate" (diagonals mirrored from cell to cell); "t3_cross" (four T3 around a
// centre node, Jean's four T3 with one cell). Nodes are numbered row by row from the lower left,
// centre nodes of "t3_cross" after them. Every mesh gets the facet groups "bottom", "right", "top",
// "left" and node groups of the same names, and the element group "all".
//
// Sizes that are not positive and finite, unknown patterns and counts below
// one are ERR_INPUT. On error the mesh is empty and needs no free.

#ifndef MESH_GENERATE_H
#define MESH_GENERATE_H

#include "mesh/mesh.h"

extern const char mesh_patterns[]; // "q4|t3_right|t3_left|t3_alternate|t3_cross"

// Rectangle of width w and height h with its lower left corner at the origin.
Status mesh_rectangle(Mesh *mesh, double w, double h, int nx, int ny, const char *pattern,
                      Err *err) MUST_CHECK;

// Convex quadrilateral by its corners, counter-clockwise from lower left.
Status mesh_quadrilateral(Mesh *mesh, const double corner[4][2], int nx, int ny,
                          const char *pattern, Err *err) MUST_CHECK;

// Sector of a ring, between radii r0 < r1: "left" is at the larger angle and "right" at the smaller
// one (walking an arch), "bottom" the intrados, "top" the extrados. Ends need not be radial: the
// angle of each end is given at the intrados [0] and at the extrados [1] (the crown of a pointed
// arch).
typedef struct {
  double r0, r1;            // [m]
  double left[2], right[2]; // [rad] left > right
  int straight;             // 1: chords
} RingWedge;
Status mesh_ring_wedge(Mesh *mesh, const RingWedge *wedge, int n_around, int n_radial,
                       const char *pattern, Err *err) MUST_CHECK;

// Disk about the origin, drawn as a polygon of triangles: node 0 in the middle, then DISK_SIDES on
// the rim from (radius, 0) on counter-clockwise.
enum { DISK_SIDES = 32 };
Status mesh_disk(Mesh *mesh, double radius, Err *err) MUST_CHECK;

// Box in 3D of H8, lower corner at the origin, facet and node groups "x0" "x1" "y0" "y1" "z0" "z1".
Status mesh_box(Mesh *mesh, const double size[3], const int n[3], Err *err) MUST_CHECK;

#endif
