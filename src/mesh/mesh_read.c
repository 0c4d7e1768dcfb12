#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "mesh/gmsh.h"
#include "mesh/readers.h"

static Status read_gmsh(Mesh *mesh, const char *path, const char *data, size_t size, int dim,
                        MeshTold *told, Err *err) {
  (void)told;
  return gmsh_read_memory(mesh, path, data, size, dim, err);
}

// Any other ending is Gmsh's, which says itself when a file is none of its own.
static const struct {
  const char *ending;
  MeshReader *read;
} readers[] = {{".stl", stl_read_memory},
               {".inp", abaqus_read_memory},
               {".k", dyna_read_memory},
               {".key", dyna_read_memory},
               {".dyn", dyna_read_memory}};

static MeshReader *find_reader(const char *path) {
  const char *ending = strrchr(path, '.');
  for (size_t k = 0; ending && k < sizeof readers / sizeof readers[0]; k++)
    if (strcasecmp(ending, readers[k].ending) == 0) return readers[k].read;
  return read_gmsh;
}

void mesh_tell(MeshTold *told, const char *format, ...) {
  size_t n = strlen(told->text);
  va_list args;
  va_start(args, format);
  if (n > 0) n += (size_t)snprintf(told->text + n, sizeof told->text - n, "; ");
  if (n < sizeof told->text) vsnprintf(told->text + n, sizeof told->text - n, format, args);
  va_end(args);
}

static Status read_stream(FILE *stream, const char *path, char *data, size_t size, Err *err) {
  if (fread(data, 1, size, stream) == size) return OK;
  return err_set(err, ERR_SYSTEM, "%s: reading failed: %s", path,
                 ferror(stream) ? strerror(errno) : "the file became shorter");
}

Status mesh_load_file(const char *path, char **data, size_t *size, Err *err) {
  *data = NULL;
  struct stat facts;
  if (stat(path, &facts) != 0) return err_set(err, ERR_INPUT, "%s: %s", path, strerror(errno));
  if (!S_ISREG(facts.st_mode)) // opening a pipe would wait for ever
    return err_set(err, ERR_INPUT, "%s: this is %s, not a mesh file", path,
                   S_ISDIR(facts.st_mode) ? "a folder" : "no regular file");
  *size = (size_t)facts.st_size;
  FILE *stream = fopen(path, "rb");
  if (!stream) return err_set(err, ERR_INPUT, "%s: %s", path, strerror(errno));
  *data = mem_new(*size + 1, 1);
  Status status = *data ? read_stream(stream, path, *data, *size, err)
                        : err_set(err, ERR_SYSTEM, "%s: out of memory: %zu bytes", path, *size);
  fclose(stream);
  return status;
}

static Status read_with(MeshReader *read, Mesh *mesh, const char *path, int dim, MeshTold *told,
                        Err *err) {
  char *data;
  size_t size = 0;
  *mesh = (Mesh){0};
  *told = (MeshTold){0};
  Status status = mesh_load_file(path, &data, &size, err);
  if (status == OK) status = read(mesh, path, data, size, dim, told, err);
  mem_free(data);
  return status;
}

Status mesh_read(Mesh *mesh, const char *path, int dim, MeshTold *told, Err *err) {
  return read_with(find_reader(path), mesh, path, dim, told, err);
}

Status mesh_read_gmsh(Mesh *mesh, const char *path, int dim, Err *err) {
  MeshTold nothing;
  return read_with(read_gmsh, mesh, path, dim, &nothing, err);
}
