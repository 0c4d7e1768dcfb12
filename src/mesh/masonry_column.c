#include <math.h>

#include "mesh/assembly.h"

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
