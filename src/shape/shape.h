// shape/shape.h -- rigid surfaces by formulas: planes, cylinders, spheres, tori, profiles, meshes.
//
// A shape answers one question: how far is a point outside, and which way is out? `gap` is the
// signed distance (> 0 outside), `n` the outward unit normal of the nearest point of the surface,
// smooth along fillets. Shapes are placed once in the axes of the model; a tool that moves
// subtracts its displacement from the point. In plane and axisymmetric models x, y are used, z is
// zero.
//
// To add a shape: one const ShapeType in shape_<name>.c, one line in shape_table.c, one test.

#ifndef SHAPE_SHAPE_H
#define SHAPE_SHAPE_H

#include "base/err.h"
#include "base/param.h"
#include "mesh/mesh.h"

enum { SHAPE_MAX_PARAMS = 24 };

typedef struct Shape Shape;

typedef struct {
  double gap;      // [m]
  double n[3];     // outward unit normal
  int32_t feature; // part of the surface (segment, arc, facet), the same while a point slides on it
} ShapeHit;

typedef struct {
  int dim;                      // of the model: 2 (plane, axisymmetric) or 3
  double par[SHAPE_MAX_PARAMS]; // in table order; absent ones without default are NaN
  int n_list;                   // numbers of the PARAM_LIST among the parameters
  const double *list;           // [n_list] borrowed
  const Mesh
      *mesh; // of a mesh shape: its surface as named facets, or elements of dimension dim - 1
  const Shape *other; // of an offset: borrowed, lives longer; NULL: there is none yet
} ShapeSpec;

typedef struct {
  const char *name, *doc;
  const ParamSpec *params; // a PARAM_CHOICE becomes the index of its choice in par
  int n_params;
  // 1: whatever lies behind the surface is inside, however deep; 0: a skin of thin walls too
  int solid;
  Status (*init)(Shape *shape, const ShapeSpec *spec, Err *err);
  void (*free)(Shape *shape);
  // 1 and *hit when the surface is within `reach` of x, outside or inside; else 0. Pure.
  int (*nearest)(const Shape *shape, const double x[3], double reach, ShapeHit *hit);
  // 1: what is outside of it is convex, so that of a straight edge or a flat face the corners come
  // nearest; NULL: it may bulge between them
  int (*hollow)(const Shape *shape);
  // Radius of its sharpest rounding, which a mesh must follow [m]; NULL: it has none, or none is
  // known.
  double (*fillet)(const Shape *shape);
  // Facets for pictures, cut to the box low..high where the shape is endless.
  Status (*picture)(const Shape *shape, const double low[3], const double high[3], Mesh *mesh,
                    Err *err);
} ShapeType;

struct Shape {
  const ShapeType *type;
  ShapeSpec spec;
  void *own; // of the type
};

extern const ShapeType *const shape_types[]; // NULL-terminated, append only

const ShapeType *shape_find(const char *name);
Status shape_init(Shape *shape, const ShapeType *type, const ShapeSpec *spec, Err *err) MUST_CHECK;
void shape_free(Shape *shape);

#endif
