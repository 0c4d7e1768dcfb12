// shape/shape_table.h -- the rows of the table of shapes, one line each, and what they share.
#ifndef SHAPE_SHAPE_TABLE_H
#define SHAPE_SHAPE_TABLE_H

#include "shape/shape.h"

extern const ShapeType shape_plane, shape_sphere, shape_cylinder, shape_torus, shape_profile,
    shape_rounded_prism, shape_mesh, shape_offset;

// Where a shape stands: the first six parameters of all analytic shapes.
#define SHAPE_PLACE_PARAMS(axis_x, axis_y, axis_z, what)                                           \
  {"at_x", PARAM_REAL, "m", "0", NULL, NULL, "point that the shape is placed at"},                 \
      {"at_y", PARAM_REAL, "m", "0", NULL, NULL, "the same"},                                      \
      {"at_z", PARAM_REAL, "m", "0", NULL, NULL, "the same"},                                      \
      {"axis_x", PARAM_REAL, "1", axis_x, NULL, NULL, what},                                       \
      {"axis_y", PARAM_REAL, "1", axis_y, NULL, NULL, "the same"}, {                               \
    "axis_z", PARAM_REAL, "1", axis_z, NULL, NULL, "the same"                                      \
  }
enum { SHAPE_AT = 0, SHAPE_AXIS = 3, SHAPE_AFTER_PLACE = 6 };
#define SHAPE_INSIDE_PARAM                                                                         \
  { "inside", PARAM_BOOL, "", "no", NULL, NULL, "hollow: the material lies outside the surface" }

// Right-handed unit axes at a place, axis[2] along the direction of the parameters.
typedef struct {
  double at[3], axis[3][3];
} ShapeFrame;

// `first` is turned into axis[0] (its part across the direction); NULL: the x- or y-axis.
Status shape_frame_init(ShapeFrame *frame, const double *place, const double *first,
                        Err *err) MUST_CHECK;
// Coordinates of x in the frame; and a direction back in the axes of the model.
void shape_to_frame(const ShapeFrame *frame, const double x[3], double y[3]);
void shape_from_frame(const ShapeFrame *frame, const double y[3], double x[3]);
// 1 if |gap| <= reach. `direction` [3] is normalised into hit->n with the sign that `inside` wants.
int shape_hit_round(double gap, const double direction[3], double length, int inside, double reach,
                    ShapeHit *hit);

// Picture of a grid of points x [n_u * n_v * 3], u fastest: quadrilaterals, in the plane (n_v = 1)
// lines.
Status shape_picture_grid(Mesh *mesh, int dim, int n_u, int n_v, const double *x,
                          Err *err) MUST_CHECK;
// Surface of revolution about axis[2] of a line (radius, height) [2 * n], or in the plane the line
// itself with (radius, height) along axis[0], axis[1].
Status shape_picture_revolve(Mesh *mesh, const ShapeFrame *frame, int dim, int n,
                             const double *line, Err *err) MUST_CHECK;

#endif
