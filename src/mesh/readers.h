// mesh/readers.h -- inside of mesh_read: one reader for each ending of a file.
//
// A reader takes a file held in memory, data[size] being 0, and gives a mesh as mesh_read_gmsh
// does. What it skipped or doubts goes into `told`, sentences for people; errors say file and line
// (text) or byte (binary).
//
// To add a format: one reader and one line of the table in mesh_read.c.

#ifndef MESH_READERS_H
#define MESH_READERS_H

#include <stddef.h>

#include "mesh/mesh.h"

typedef Status MeshReader(Mesh *mesh, const char *path, const char *data, size_t size, int dim,
                          MeshTold *told, Err *err);

MeshReader stl_read_memory, abaqus_read_memory, dyna_read_memory;

// Adds a sentence; what has no room any more is cut.
void mesh_tell(MeshTold *told, const char *format, ...) PRINTF_LIKE(2, 3);

// The whole of a file with a zero byte behind it, for the caller to mem_free, also on failure.
Status mesh_load_file(const char *path, char **data, size_t *size, Err *err) MUST_CHECK;

#endif
