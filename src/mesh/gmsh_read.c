#include "mesh/gmsh.h"

Status gmsh_read_memory(Mesh *mesh, const char *path, const char *data, size_t size, int dim,
                        Err *err) {
  *mesh = (Mesh){0};
  if (dim != 2 && dim != 3)
    return err_set(err, ERR_INPUT, "%s: a mesh has dimension 2 or 3, not %d", path, dim);
  Scan scan = {.path = path, .data = data, .size = size, .line = 1, .size_size = 8, .err = err};
  RawMesh raw = {0};
  Status status = gmsh_parse(&raw, &scan);
  if (status == OK) status = gmsh_build(mesh, &raw, &scan, dim);
  gmsh_free(&raw);
  return status;
}
