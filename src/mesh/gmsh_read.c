#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
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

static Status read_stream(FILE *stream, const char *path, char *data, size_t size, Err *err) {
  if (fread(data, 1, size, stream) == size) return OK;
  return err_set(err, ERR_SYSTEM, "%s: reading failed: %s", path,
                 ferror(stream) ? strerror(errno) : "the file became shorter");
}

Status mesh_read_gmsh(Mesh *mesh, const char *path, int dim, Err *err) {
  *mesh = (Mesh){0};
  struct stat facts;
  if (stat(path, &facts) != 0) return err_set(err, ERR_INPUT, "%s: %s", path, strerror(errno));
  if (!S_ISREG(facts.st_mode)) // opening a pipe would wait for ever
    return err_set(err, ERR_INPUT, "%s: this is %s, not a mesh file", path,
                   S_ISDIR(facts.st_mode) ? "a folder" : "no regular file");
  size_t size = (size_t)facts.st_size;
  FILE *stream = fopen(path, "rb");
  if (!stream) return err_set(err, ERR_INPUT, "%s: %s", path, strerror(errno));
  char *data = mem_new(size + 1, 1);
  Status status = data ? read_stream(stream, path, data, size, err)
                       : err_set(err, ERR_SYSTEM, "%s: out of memory: %zu bytes", path, size);
  fclose(stream);
  if (status == OK) status = gmsh_read_memory(mesh, path, data, size, dim, err);
  mem_free(data);
  return status;
}
