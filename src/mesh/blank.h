// mesh/blank.h -- meshes of flat blanks for sheet forming: disks, rectangles and contours, z = 0.
//
// Meshes of dimension 3 with triangles or quadrilaterals, normal +z, centre at the origin; whole,
// or the quarter x >= 0, y >= 0. Node groups:
//   "edge"        the rim                       "centre"  the node at (next to) the origin
//   "axis_x"      nodes on y = 0                "axis_y"  nodes on x = 0
//   "symmetry_x"  quarter: nodes on x = 0, to be held in x
//   "symmetry_y"  quarter: nodes on y = 0, to be held in y
//   "corners"     rectangle: corners of the rim   "left" "right" "bottom" "top"  its sides
// and the element group "all".

#ifndef MESH_BLANK_H
#define MESH_BLANK_H

#include "mesh/mesh.h"

extern const char blank_patterns[]; // "t3|t3_right|t3_left|t3_alternate|q4"

// Disk. Rings are at most `size` wide up to the radius `from` and at most `fine` beyond it; outside
// `from` every ring has the same number of elements, at most `around` long at the rim. "t3": inside
// `from` their number falls with the radius, diagonals are the shorter ones. "q4": inside `from` a
// square block, a side of it with half as many elements as the quarter's rim; the other patterns of
// triangles cut those quadrilaterals. `stagger`: along a quarter rings outside `from` shift by so
// many of their widths, so that their nodes pass an edge one after another.
typedef struct {
  double radius;             // [m]
  double size, fine, around; // [m] fine, around 0: as size
  double from;               // [m] 0: a third of the radius
  double stagger;            // widths of rings, 0: rings are circles
  int quarter;
  const char *pattern;
} DiskBlank;
Status blank_disk(Mesh *mesh, const DiskBlank *disk, Err *err) MUST_CHECK;

// Rectangle with equal elements of at most `size` along x and y; "t3" is "t3_right": pairs of its
// triangles are parallelograms, which suits triangles without rotations best.
typedef struct {
  double width[2]; // of the whole, along x and y                                     [m]
  double size[2];  // along x and y                                                    [m]
  int quarter;
  const char *pattern;
} RectangleBlank;
Status blank_rectangle(Mesh *mesh, const RectangleBlank *rectangle, Err *err) MUST_CHECK;

// A contour: polygons with rounded corners (outline.h), counter-clockwise or not, in triples x, y,
// radius. The mesh has edges of about `size`, finer in zones, around small fillets and short sides;
// from there they grow by `grading` per length. Triangles have no angle below 25 degrees where the
// outline has none below 50. "q4": triangles of twice the size cut in three. Nodes of the outline:
// "side_1" between corners 1 and 2 (without the fillets), "arc_1" the fillet at corner 1 and so on;
// "edge" all of them and those of holes; "hole_1"; "centre". With `symmetry`, sides that lie on x =
// 0, y = 0 are "symmetry_x", "symmetry_y" and not part of "edge".
typedef struct {
  double size; // [m]
  int box;
  double place[4]; // circle: centre, radius; box: lower and upper corner                [m]
} BlankZone;

typedef struct {
  int n; // numbers
  const double *corner;
} BlankLoop;

typedef struct {
  BlankLoop outline;
  int n_holes;
  const BlankLoop *hole;
  double size;    // [m]
  double grading; // 0: 0.25
  int n_zones;
  const BlankZone *zone;
  int symmetry;
  const char *pattern; // of contour_patterns
} ContourBlank;
extern const char contour_patterns[]; // "t3|q4"
Status blank_contour(Mesh *mesh, const ContourBlank *contour, Err *err) MUST_CHECK;
Status blank_add_centre(Mesh *mesh, Err *err) MUST_CHECK; // "centre", as all blanks have it

// A mesh in space read from a file that holds surfaces only (mesh_read_gmsh keeps them as facets):
// its facets become the elements of a sheet, their groups groups of elements. ERR_INPUT when there
// are none, or volumes beside them. On error the mesh is as it was.
Status blank_from_facets(Mesh *mesh, Err *err) MUST_CHECK;
// The way back, for a file: elements and their groups become facets where all elements are surfaces
// in space and there are no facets; other meshes stay as they are.
Status blank_to_facets(Mesh *mesh, Err *err) MUST_CHECK;

#endif
