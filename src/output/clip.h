// output/clip.h -- the part of a picture that lies on one side of a plane.

#ifndef OUTPUT_CLIP_H
#define OUTPUT_CLIP_H

#include "mesh/mesh.h"

// Keeps what lies where sign (x_axis - at) >= 0 of the facets of a picture (lines, triangles,
// quadrilaterals), cut at the plane; facets that lie in the plane stay. Elements and groups go.
Status clip_picture(Mesh *mesh, int axis, double at, double sign, Err *err) MUST_CHECK;

#endif
