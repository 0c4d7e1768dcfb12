// Shapes for tests from the parameters' names, and what every shape must keep.
#ifndef TESTS_UNIT_SHAPE_SHAPE_SAMPLE_H
#define TESTS_UNIT_SHAPE_SHAPE_SAMPLE_H

#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../support/staged_step.h"
#include "shape/shape.h"

typedef struct {
  const char *name;
  double value;
} ShapeParam;

// Defaults of the table, then `params`, ended by a NULL name.
static inline Status shape_try(Shape *shape, const char *name, int dim, const double *list,
                               int n_list, const ShapeParam *params, Err *err) {
  const ShapeType *type = shape_find(name);
  cr_assert_not_null(type, "no shape '%s'", name);
  ShapeSpec spec = {.dim = dim, .list = list, .n_list = n_list};
  for (int k = 0; k < type->n_params; k++) {
    const ParamSpec *p = &type->params[k];
    spec.par[k] = p->initial && p->type == PARAM_REAL && p->initial[0] ? atof(p->initial) : 0;
  }
  for (; params && params->name; params++) {
    int found = 0;
    for (int k = 0; k < type->n_params; k++)
      if (strcmp(type->params[k].name, params->name) == 0) {
        spec.par[k] = params->value;
        found = 1;
      }
    cr_assert(found, "shape '%s' has no parameter '%s'", name, params->name);
  }
  return shape_init(shape, type, &spec, err);
}

static inline Shape shape_sample(const char *name, int dim, const double *list, int n_list,
                                 const ShapeParam *params) {
  Shape shape;
  Err err = {0};
  cr_assert_eq(shape_try(&shape, name, dim, list, n_list, params, &err), OK, "%s", err.text);
  return shape;
}

static inline ShapeHit shape_hit(const Shape *shape, double x, double y, double z) {
  const double p[3] = {x, y, z};
  ShapeHit hit = {0};
  cr_assert(shape->type->nearest(shape, p, (double)INFINITY, &hit));
  return hit;
}

static inline void expect_hit(const Shape *shape, double x, double y, double z, double gap,
                              double n_x, double n_y, double n_z) {
  ShapeHit hit = shape_hit(shape, x, y, z);
  cr_assert_float_eq(hit.gap, gap, 1e-13, "at (%g %g %g): gap %.15g, expected %.15g", x, y, z,
                     hit.gap, gap);
  const double n[3] = {n_x, n_y, n_z};
  for (int i = 0; i < 3; i++)
    cr_assert_float_eq(hit.n[i], n[i], 1e-12, "at (%g %g %g): n (%g %g %g)", x, y, z, hit.n[0],
                       hit.n[1], hit.n[2]);
}

// At random points of a box: the normal is a unit vector and the gradient of the gap, one step of
// -gap n leads to the surface, and the reach is kept.
static inline void expect_distance(const Shape *shape, double size, int n) {
  unsigned seed = 5;
  int dim = shape->spec.dim, smooth = 0;
  for (int k = 0; k < n; k++) {
    double p[3] = {0}, step = 1e-6 * size, length = 0, slope = 0;
    for (int i = 0; i < dim; i++) p[i] = size * test_random(&seed);
    ShapeHit hit, other, back;
    hit = shape_hit(shape, p[0], p[1], p[2]);
    back = shape_hit(shape, p[0] - hit.gap * hit.n[0], p[1] - hit.gap * hit.n[1],
                     p[2] - hit.gap * hit.n[2]);
    cr_assert_float_eq(back.gap, 0, 1e-12 * size, "%s at (%g %g %g): gap %g leads to %g",
                       shape->type->name, p[0], p[1], p[2], hit.gap, back.gap);
    for (int i = 0; i < 3; i++) length += hit.n[i] * hit.n[i];
    cr_assert_float_eq(length, 1, 1e-12);
    for (int i = 0; i < dim; i++) {
      double moved[3] = {p[0], p[1], p[2]};
      moved[i] += step;
      other = shape_hit(shape, moved[0], moved[1], moved[2]);
      slope = fmax(slope, fabs((other.gap - hit.gap) / step - hit.n[i]));
    }
    smooth += slope < 1e-4; // not on the few surfaces where the nearest point jumps
    cr_assert(!shape->type->nearest(shape, p, 0.999 * fabs(hit.gap), &other));
    cr_assert(shape->type->nearest(shape, p, 1.001 * fabs(hit.gap), &other));
  }
  cr_assert_geq(smooth, n - n / 50, "%s: the normal is the gradient at %d of %d points only",
                shape->type->name, smooth, n);
}

// The picture lies on the surface.
static inline void expect_picture(const Shape *shape, double size, double tolerance) {
  const double low[3] = {-size, -size, -size}, high[3] = {size, size, size};
  Mesh mesh = {0};
  Err err = {0};
  cr_assert_eq(shape->type->picture(shape, low, high, &mesh, &err), OK, "%s", err.text);
  cr_assert_gt(mesh.n_facets, 0);
  for (int k = 0; k < mesh.n_nodes; k++) {
    double p[3] = {0};
    for (int i = 0; i < mesh.dim; i++) p[i] = mesh.x[mesh.dim * k + i];
    ShapeHit hit = shape_hit(shape, p[0], p[1], p[2]);
    cr_assert_float_eq(hit.gap, 0, tolerance, "%s: the picture's point (%g %g %g) is %g away",
                       shape->type->name, p[0], p[1], p[2], hit.gap);
  }
  mesh_free(&mesh);
}

#endif
