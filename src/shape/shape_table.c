#include "shape/shape_table.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/space.h"
#include "base/vec3.h"

const ShapeType *const shape_types[] = {&shape_plane, &shape_sphere,  &shape_cylinder,
                                        &shape_torus, &shape_profile, &shape_rounded_prism,
                                        &shape_mesh,  &shape_offset,  NULL};

const ShapeType *shape_find(const char *name) {
  for (int k = 0; shape_types[k]; k++)
    if (strcmp(shape_types[k]->name, name) == 0) return shape_types[k];
  return NULL;
}

Status shape_init(Shape *shape, const ShapeType *type, const ShapeSpec *spec, Err *err) {
  *shape = (Shape){.type = type, .spec = *spec};
  Status status = type->init(shape, spec, err);
  if (status == OK) return OK;
  shape_free(shape);
  return status;
}

void shape_free(Shape *shape) {
  if (shape->type && shape->own) {
    if (shape->type->free) shape->type->free(shape);
    mem_free(shape->own);
  }
  *shape = (Shape){0};
}

// ---- frames -------------------------------------------------------------------------------------

Status shape_frame_init(ShapeFrame *frame, const double *place, const double *first, Err *err) {
  // A first axis closer to the direction than this says nothing about the plane across it.
  static const double LEAST_ACROSS = 1e-6;
  double *x = frame->axis[0], *y = frame->axis[1], *z = frame->axis[2];
  memcpy(frame->at, place + SHAPE_AT, 3 * sizeof *place);
  memcpy(z, place + SHAPE_AXIS, 3 * sizeof *place);
  if (!(vec3_dot(z, z) > 0)) return err_set(err, ERR_INPUT, "the axis has no direction");
  vec3_normalise(z);
  for (int i = 0; i < 3; i++) x[i] = first ? first[i] : (fabs(z[0]) < 0.9 ? i == 0 : i == 1);
  double along = vec3_dot(x, z), length = vec3_length(x);
  for (int i = 0; i < 3; i++) x[i] -= along * z[i];
  if (!(vec3_length(x) > LEAST_ACROSS * length))
    return err_set(err, ERR_INPUT, "the first direction of the shape lies along its axis");
  vec3_normalise(x);
  for (int i = 0; i < 3; i++)
    y[i] = z[(i + 1) % 3] * x[(i + 2) % 3] - z[(i + 2) % 3] * x[(i + 1) % 3];
  return OK;
}

void shape_to_frame(const ShapeFrame *frame, const double x[3], double y[3]) {
  double d[3] = {x[0] - frame->at[0], x[1] - frame->at[1], x[2] - frame->at[2]};
  for (int i = 0; i < 3; i++) y[i] = vec3_dot(frame->axis[i], d);
}

void shape_from_frame(const ShapeFrame *frame, const double y[3], double x[3]) {
  for (int i = 0; i < 3; i++)
    x[i] = y[0] * frame->axis[0][i] + y[1] * frame->axis[1][i] + y[2] * frame->axis[2][i];
}

int shape_hit_round(double gap, const double direction[3], double length, int inside, double reach,
                    ShapeHit *hit) {
  if (fabs(gap) > reach) return 0;
  double sign = inside ? -1 : 1;
  hit->gap = sign * gap;
  hit->feature = 0;
  for (int i = 0; i < 3; i++) hit->n[i] = sign * direction[i] / length;
  return 1;
}

// ---- pictures -----------------------------------------------------------------------------------

Status shape_picture_grid(Mesh *mesh, int dim, int n_u, int n_v, const double *x, Err *err) {
  int plane = dim == 2, n_facets = plane ? n_u - 1 : (n_u - 1) * (n_v - 1), width = plane ? 2 : 4;
  TRY(mesh_init(mesh, dim, n_u * n_v, 0, 0, err));
  TRY(mesh_init_facets(mesh, n_facets, width * n_facets, err));
  for (int k = 0; k < n_u * n_v; k++)
    for (int i = 0; i < dim; i++) mesh->x[k * dim + i] = x[3 * (size_t)k + i];
  for (int f = 0; f < n_facets; f++) {
    int32_t *node = mesh->facet_node + (size_t)width * f;
    int at = plane ? f : f / (n_u - 1) * n_u + f % (n_u - 1);
    const int32_t corner[4] = {at, at + 1, at + 1 + n_u, at + n_u};
    for (int k = 0; k < width; k++) node[k] = corner[k];
    mesh->facet_shape[f] = plane ? SHAPE_LINE2 : SHAPE_Q4;
    mesh->facet_ptr[f + 1] = width * (f + 1);
  }
  return OK;
}

Status shape_picture_revolve(Mesh *mesh, const ShapeFrame *frame, int dim, int n,
                             const double *line, Err *err) {
  enum { AROUND = 72 }; // facets of a turn
  int n_v = dim == 2 ? 1 : AROUND + 1;
  double *x;
  MEM_NEW(x, 3 * n * n_v, err);
  for (int v = 0; v < n_v; v++)
    for (int u = 0; u < n; u++) {
      double angle = 2 * PI * v / AROUND, radius = line[2 * u], height = line[2 * u + 1];
      double y[3] = {radius, height, 0}, *to = x + 3 * ((size_t)v * n + u);
      if (dim == 3) {
        y[0] = radius * cos(angle);
        y[1] = radius * sin(angle);
        y[2] = height;
      }
      shape_from_frame(frame, y, to);
      for (int i = 0; i < 3; i++) to[i] += frame->at[i];
    }
  Status status = shape_picture_grid(mesh, dim, n, n_v, x, err);
  mem_free(x);
  return status;
}
