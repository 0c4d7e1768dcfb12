#include "mesh/assembly.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "mesh/extrude.h"

// Sizes of blocks that differ by less are one size: round-off of positions, far below any mason.
static const double SAME_SIZE = 1e-12;

void assembly_free(Assembly *assembly) {
  for (int k = 0; k < assembly->n_meshes; k++) mesh_free(&assembly->meshes[k]);
  for (int g = 0; g < assembly->n_groups; g++) {
    mem_free(assembly->groups[g].name);
    mem_free(assembly->groups[g].block);
    mem_free(assembly->groups[g].node);
  }
  mem_free(assembly->meshes);
  mem_free(assembly->blocks);
  mem_free(assembly->groups);
  *assembly = (Assembly){0};
}

const AssemblyGroup *assembly_find_group(const Assembly *assembly, const char *name) {
  for (int g = 0; g < assembly->n_groups; g++)
    if (strcmp(assembly->groups[g].name, name) == 0) return &assembly->groups[g];
  return NULL;
}

void assembly_node_position(const Assembly *assembly, int block, int node, double *x) {
  const AssemblyBlock *b = &assembly->blocks[block];
  const Mesh *mesh = &assembly->meshes[b->mesh];
  const double *local = mesh->x + mesh->dim * (int64_t)node;
  double c = cos(b->angle), s = sin(b->angle);
  x[0] = b->x + c * local[0] - s * local[1];
  x[1] = b->y + s * local[0] + c * local[1];
  if (mesh->dim == 3) x[2] = b->z + local[2];
}

void assembly_builder_free(AssemblyBuilder *builder) {
  mem_free(builder->key);
  *builder = (AssemblyBuilder){0};
}

Status assembly_check_cells(BlockMesh mesh, Err *err) {
  if (mesh.nx >= 1 && mesh.ny >= 1) return OK;
  return err_set(err, ERR_INPUT, "a block is meshed by %d x %d cells: at least 1 x 1", mesh.nx,
                 mesh.ny);
}

Status assembly_add_mesh(AssemblyBuilder *builder, Mesh *mesh, int *index, Err *err) {
  Assembly *out = builder->out;
  size_t needed = (size_t)out->n_meshes + 1;
  void *meshes = out->meshes, *keys = builder->key;
  Status status = mem_grow(&meshes, &builder->mesh_room, needed, sizeof *out->meshes, err);
  out->meshes = meshes;
  if (status == OK) status = mem_grow(&keys, &builder->key_room, needed, sizeof *builder->key, err);
  builder->key = keys;
  if (status != OK) {
    mesh_free(mesh);
    return status;
  }
  builder->key[out->n_meshes] = (RectangleKey){.w = -1};
  out->meshes[out->n_meshes] = *mesh;
  *mesh = (Mesh){0};
  *index = out->n_meshes++;
  return OK;
}

static int same(double a, double b) {
  return fabs(a - b) <= SAME_SIZE * fmax(a, b);
}

Status assembly_add_rectangle(AssemblyBuilder *builder, RectangleKey key, const char *pattern,
                              int *index, Err *err) {
  for (int k = 0; k < builder->out->n_meshes; k++) {
    const RectangleKey *old = &builder->key[k];
    if (!same(old->w, key.w) || !same(old->h, key.h) || !same(old->d, key.d)) continue;
    if (old->nx != key.nx || old->ny != key.ny || old->nz != key.nz) continue;
    *index = k;
    return OK;
  }
  static const char *const ends[2] = {"back", "front"};
  Mesh mesh, face;
  TRY(mesh_rectangle(&mesh, key.w, key.h, key.nx, key.ny, pattern, err));
  if (key.d > 0) {
    face = mesh;
    Status status = mesh_extrude(&mesh, &face, key.d, key.nz, ends, err);
    mesh_free(&face);
    TRY(status);
  }
  TRY(assembly_add_mesh(builder, &mesh, index, err));
  builder->key[*index] = key;
  return OK;
}

Status assembly_add_block(AssemblyBuilder *builder, AssemblyBlock block, Err *err) {
  Assembly *out = builder->out;
  void *blocks = out->blocks;
  Status status =
      mem_grow(&blocks, &builder->block_room, (size_t)out->n_blocks + 1, sizeof *out->blocks, err);
  out->blocks = blocks;
  TRY(status);
  out->blocks[out->n_blocks++] = block;
  return OK;
}

Status assembly_add_group(Assembly *assembly, const char *name, const int32_t *block,
                          const int32_t *node, int n, Err *err) {
  if (n == 0) return OK;
  AssemblyGroup *groups =
      mem_resize(assembly->groups, (size_t)assembly->n_groups + 1, sizeof *groups);
  if (!groups) return err_set(err, ERR_SYSTEM, "out of memory: group '%s'", name);
  assembly->groups = groups;
  AssemblyGroup *group = &groups[assembly->n_groups++]; // half built it is freed with the rest
  *group = (AssemblyGroup){.n = n};
  group->name = mem_copy_text(name);
  group->block = mem_new((size_t)n, sizeof *block);
  if (node) group->node = mem_new((size_t)n, sizeof *node);
  if (!group->name || !group->block || (node && !group->node))
    return err_set(err, ERR_SYSTEM, "out of memory: group '%s' of %d", name, n);
  memcpy(group->block, block, (size_t)n * sizeof *block);
  if (node) memcpy(group->node, node, (size_t)n * sizeof *node);
  return OK;
}

Status assembly_group_blocks(Assembly *assembly, const char *name, const unsigned char *has,
                             Err *err) {
  int32_t *block;
  int n = 0;
  MEM_NEW(block, assembly->n_blocks, err);
  for (int b = 0; b < assembly->n_blocks; b++)
    if (has[b]) block[n++] = b;
  Status status = assembly_add_group(assembly, name, block, NULL, n, err);
  mem_free(block);
  return status;
}

Status assembly_group_courses(Assembly *assembly, Err *err) {
  // blocks stand course by course
  int32_t *block;
  MEM_NEW(block, assembly->n_blocks, err);
  for (int b = 0; b < assembly->n_blocks; b++) block[b] = b;
  Status status = OK;
  for (int first = 0, last; first < assembly->n_blocks && status == OK; first = last) {
    char name[32];
    int course = assembly->blocks[first].course;
    for (last = first; last < assembly->n_blocks && assembly->blocks[last].course == course;)
      last++;
    snprintf(name, sizeof name, "course_%d", course);
    status = assembly_add_group(assembly, name, block + first, NULL, last - first, err);
  }
  mem_free(block);
  return status;
}

// Pairs block, node that a group collects.
typedef struct {
  int32_t *block, *node;
  int n;
  size_t block_room, node_room;
} Pairs;

static Status add_pair(Pairs *pairs, int block, int node, Err *err) {
  void *blocks = pairs->block, *nodes = pairs->node;
  size_t needed = (size_t)pairs->n + 1;
  Status status = mem_grow(&blocks, &pairs->block_room, needed, sizeof(int32_t), err);
  pairs->block = blocks;
  if (status == OK) status = mem_grow(&nodes, &pairs->node_room, needed, sizeof(int32_t), err);
  pairs->node = nodes;
  TRY(status);
  pairs->block[pairs->n] = block;
  pairs->node[pairs->n++] = node;
  return OK;
}

// Ends a collection: the group is made and the pairs are freed.
static Status close_pairs(Assembly *assembly, const char *name, Pairs *pairs, Status status,
                          Err *err) {
  if (status == OK)
    status = assembly_add_group(assembly, name, pairs->block, pairs->node, pairs->n, err);
  mem_free(pairs->block);
  mem_free(pairs->node);
  return status;
}

Status assembly_group_plane(Assembly *assembly, const char *name, int axis, double value,
                            double tolerance, Err *err) {
  Pairs pairs = {0};
  Status status = OK;
  for (int b = 0; b < assembly->n_blocks; b++)
    for (int k = 0; k < assembly->meshes[assembly->blocks[b].mesh].n_nodes; k++) {
      double x[3];
      assembly_node_position(assembly, b, k, x);
      if (status == OK && fabs(x[axis] - value) <= tolerance) status = add_pair(&pairs, b, k, err);
    }
  return close_pairs(assembly, name, &pairs, status, err);
}

Status assembly_group_sides(Assembly *assembly, const char *name, const char *side, int block,
                            Err *err) {
  Pairs pairs = {0};
  Status status = OK;
  for (int b = 0; b < assembly->n_blocks; b++) {
    if (block >= 0 && b != block) continue;
    const MeshGroup *group =
        mesh_find_group_of(&assembly->meshes[assembly->blocks[b].mesh], side, GROUP_NODES);
    for (int k = 0; group && status == OK && k < group->n; k++)
      status = add_pair(&pairs, b, group->items[k], err);
  }
  return close_pairs(assembly, name, &pairs, status, err);
}
