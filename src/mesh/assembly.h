// mesh/assembly.h -- inside of masonry: how an Assembly is put together.
//
// An AssemblyBuilder remembers the sizes of rectangles, so that equal blocks share one mesh. On
// error the caller frees the assembly; assembly_builder_free leaves it alone.

#ifndef MESH_ASSEMBLY_H
#define MESH_ASSEMBLY_H

#include "mesh/masonry.h"

typedef struct {
  double w, h, d; // d > 0: a box of that depth
  int nx, ny, nz;
} RectangleKey;

typedef struct {
  Assembly *out;
  RectangleKey *key; // [out->n_meshes] of rectangles and boxes; w < 0 for others
  size_t key_room, mesh_room, block_room;
} AssemblyBuilder;

void assembly_builder_free(AssemblyBuilder *builder);

// The mesh becomes the assembly's (and *mesh empty), also on error.
Status assembly_add_mesh(AssemblyBuilder *builder, Mesh *mesh, int *index, Err *err) MUST_CHECK;
// Finds an equal rectangle or box, or makes one; boxes have nodes "back" and "front" too.
Status assembly_add_rectangle(AssemblyBuilder *builder, RectangleKey key, const char *pattern,
                              int *index, Err *err) MUST_CHECK;
Status assembly_add_block(AssemblyBuilder *builder, AssemblyBlock block, Err *err) MUST_CHECK;

// Groups of blocks, or of pairs block, node; copied. An empty group is not added.
Status assembly_add_group(Assembly *assembly, const char *name, const int32_t *block,
                          const int32_t *node, int n, Err *err) MUST_CHECK;
// Blocks of which `has` is 1.
Status assembly_group_blocks(Assembly *assembly, const char *name, const unsigned char *has,
                             Err *err) MUST_CHECK;
// One group "course_k" for each course.
Status assembly_group_courses(Assembly *assembly, Err *err) MUST_CHECK;
// Nodes with coordinate `axis` equal to `value` up to `tolerance` [m].
Status assembly_group_plane(Assembly *assembly, const char *name, int axis, double value,
                            double tolerance, Err *err) MUST_CHECK;
// For all blocks (or the one block >= 0) the nodes of the node group `side` of their meshes.
Status assembly_group_sides(Assembly *assembly, const char *name, const char *side, int block,
                            Err *err) MUST_CHECK;

Status assembly_check_cells(BlockMesh mesh, Err *err) MUST_CHECK;

#endif
