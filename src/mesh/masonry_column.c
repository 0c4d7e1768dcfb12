#include <math.h>

#include "base/space.h"
#include "mesh/assembly.h"
#include "mesh/hull.h"

// Nodes this far from an edge, against the size of the whole, are still on it.
static const double ON_EDGE = 1e-9;

static Status build(AssemblyBuilder *builder, RectangleKey drum, int n, const double corner[2],
                    const char *pattern, Err *err) {
  int mesh;
  TRY(assembly_add_rectangle(builder, drum, pattern, &mesh, err));
  for (int k = 0; k < n; k++)
    TRY(assembly_add_block(
        builder,
        (AssemblyBlock){.mesh = mesh, .x = corner[0], .y = corner[1] + k * drum.h, .course = k + 1},
        err));
  Assembly *column = builder->out;
  double tolerance = ON_EDGE * fmin(drum.w, drum.h);
  TRY(assembly_group_courses(column, err));
  TRY(assembly_group_plane(column, "bottom", 1, corner[1], tolerance, err));
  TRY(assembly_group_plane(column, "right", 0, corner[0] + drum.w, tolerance, err));
  TRY(assembly_group_plane(column, "top", 1, corner[1] + n * drum.h, tolerance, err));
  return assembly_group_plane(column, "left", 0, corner[0], tolerance, err);
}

Status masonry_column(Assembly *column, double width, double drum_height, int n, double x, double y,
                      BlockMesh mesh, Err *err) {
  *column = (Assembly){0};
  if (n < 1) return err_set(err, ERR_INPUT, "a column of %d drums: at least 1", n);
  if (!isfinite(x) || !isfinite(y))
    return err_set(err, ERR_INPUT, "a column stands at (%g, %g)", x, y);
  TRY(assembly_check_cells(mesh, err));
  AssemblyBuilder builder = {.out = column};
  RectangleKey drum = {.w = width, .h = drum_height, .nx = mesh.nx, .ny = mesh.ny};
  Status status = build(&builder, drum, n, (double[2]){x, y}, mesh.pattern, err);
  assembly_builder_free(&builder);
  if (status != OK) assembly_free(column);
  return status;
}

// ---- round drums --------------------------------------------------------------------------------

enum { MOST_SIDES = 64 };

static Status drum_mesh(const DrumsSpec *spec, Mesh *mesh, Err *err) {
  double x[3 * 2 * MOST_SIDES];
  for (int k = 0; k < 2 * spec->sides; k++) {
    double angle = 2 * PI * (k % spec->sides) / spec->sides;
    x[3 * k] = 0.5 * spec->width * (1 + cos(angle));
    x[3 * k + 1] = k < spec->sides ? 0 : spec->height;
    x[3 * k + 2] = 0.5 * spec->depth * (1 + sin(angle));
  }
  return mesh_hull(mesh, x, 2 * spec->sides, err);
}

// The nodes that lie lowest or highest along an axis.
static Status group_end(Assembly *column, const char *name, int axis, int high, double tolerance,
                        Err *err) {
  double end = 0, x[3];
  for (int b = 0; b < column->n_blocks; b++)
    for (int k = 0; k < column->meshes[0].n_nodes; k++) {
      assembly_node_position(column, b, k, x);
      if ((b == 0 && k == 0) || (high ? x[axis] > end : x[axis] < end)) end = x[axis];
    }
  return assembly_group_plane(column, name, axis, end, tolerance, err);
}

static Status stack_drums(AssemblyBuilder *builder, const DrumsSpec *spec, Err *err) {
  static const char *const side[] = {"left", "right", "bottom", "top", "back", "front"};
  Mesh mesh = {0};
  int index;
  TRY(drum_mesh(spec, &mesh, err));
  TRY(assembly_add_mesh(builder, &mesh, &index, err));
  for (int k = 0; k < spec->n; k++)
    TRY(assembly_add_block(
        builder,
        (AssemblyBlock){
            .mesh = index, .x = spec->x, .y = spec->y + k * spec->height, .course = k + 1},
        err));
  double tolerance = ON_EDGE * fmin(fmin(spec->width, spec->height), spec->depth);
  TRY(assembly_group_courses(builder->out, err));
  for (int k = 0; k < 6; k++) TRY(group_end(builder->out, side[k], k / 2, k % 2, tolerance, err));
  return OK;
}

Status masonry_drums(Assembly *column, const DrumsSpec *spec, Err *err) {
  *column = (Assembly){0};
  if (spec->n < 1) return err_set(err, ERR_INPUT, "a column of %d drums: at least 1", spec->n);
  if (spec->sides < 3 || spec->sides > MOST_SIDES)
    return err_set(err, ERR_INPUT, "a drum of %d sides: from 3 to %d", spec->sides, MOST_SIDES);
  if (!(spec->width > 0) || !(spec->depth > 0) || !(spec->height > 0))
    return err_set(err, ERR_INPUT, "a drum of %g x %g x %g m", spec->width, spec->height,
                   spec->depth);
  AssemblyBuilder builder = {.out = column};
  Status status = stack_drums(&builder, spec, err);
  assembly_builder_free(&builder);
  if (status != OK) assembly_free(column);
  return status;
}
