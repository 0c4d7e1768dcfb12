// Masonry of the plane drawn out into space: its meshes become solids, its groups have what stands
// for them there.

#include <string.h>

#include "base/mem.h"
#include "mesh/assembly.h"
#include "mesh/extrude.h"

static const char *const end_names[2] = {"back", "front"};

typedef struct {
  Assembly *flat; // as it was; its meshes are freed at the end
  const Deepening *how;
  Assembly solid;
  int32_t *first;   // [flat->n_blocks + 1] blocks of the solid that stand for a block
  int32_t *mesh[2]; // [flat->n_meshes] solid mesh of a leaf, and of what goes through; -1: none
} Deepener;

static int leaves_of(const Deepener *d, const AssemblyBlock *block) {
  return block->through ? 1 : d->how->leaves;
}

static int layers_of(const Deepener *d, const AssemblyBlock *block) {
  return d->how->layers * d->how->leaves / leaves_of(d, block);
}

static Status solid_mesh(Deepener *d, const AssemblyBlock *block, int32_t *index, Err *err) {
  int leaves = leaves_of(d, block);
  int32_t *own = &d->mesh[leaves == 1][block->mesh];
  if (*own < 0) {
    Mesh *mesh = &d->solid.meshes[d->solid.n_meshes];
    TRY(mesh_extrude(mesh, &d->flat->meshes[block->mesh], d->how->depth / leaves,
                     layers_of(d, block), end_names, err));
    *own = d->solid.n_meshes++;
  }
  *index = *own;
  return OK;
}

static Status stand_blocks(Deepener *d, Err *err) {
  const Assembly *flat = d->flat;
  MEM_NEW(d->first, flat->n_blocks + 1, err);
  for (int kind = 0; kind < 2; kind++) {
    MEM_NEW(d->mesh[kind], flat->n_meshes, err);
    for (int k = 0; k < flat->n_meshes; k++) d->mesh[kind][k] = -1;
  }
  for (int b = 0; b < flat->n_blocks; b++)
    d->first[b + 1] = d->first[b] + leaves_of(d, &flat->blocks[b]);
  MEM_NEW(d->solid.blocks, d->first[flat->n_blocks], err);
  MEM_NEW(d->solid.meshes, 2 * flat->n_meshes, err);
  for (int b = 0; b < flat->n_blocks; b++) {
    int leaves = d->first[b + 1] - d->first[b];
    for (int leaf = 0; leaf < leaves; leaf++) {
      AssemblyBlock *block = &d->solid.blocks[d->solid.n_blocks++];
      *block = flat->blocks[b];
      block->z = d->how->depth * leaf / leaves;
      TRY(solid_mesh(d, &flat->blocks[b], &block->mesh, err));
    }
  }
  return OK;
}

// Whole blocks, or their nodes in all layers.
static Status deepen_group(Deepener *d, const AssemblyGroup *group, int32_t *block, int32_t *node,
                           Err *err) {
  int n = 0;
  for (int k = 0; k < group->n; k++) {
    const AssemblyBlock *flat = &d->flat->blocks[group->block[k]];
    int per_layer = d->flat->meshes[flat->mesh].n_nodes;
    for (int32_t b = d->first[group->block[k]]; b < d->first[group->block[k] + 1]; b++)
      for (int l = 0; l <= (group->node ? layers_of(d, flat) : 0); l++) {
        block[n] = b;
        node[n++] = group->node ? group->node[k] + l * per_layer : 0;
      }
  }
  return assembly_add_group(&d->solid, group->name, block, group->node ? node : NULL, n, err);
}

// Nodes of the first leaf at the back, or of the last one in front.
static Status group_end(Deepener *d, int end, int32_t *block, int32_t *node, Err *err) {
  int n = 0;
  for (int k = 0; k < d->flat->n_blocks; k++) {
    int32_t b = end == 0 ? d->first[k] : d->first[k + 1] - 1;
    const MeshGroup *group =
        mesh_find_group_of(&d->solid.meshes[d->solid.blocks[b].mesh], end_names[end], GROUP_NODES);
    for (int i = 0; i < group->n; i++) {
      block[n] = b;
      node[n++] = group->items[i];
    }
  }
  return assembly_add_group(&d->solid, end_names[end], block, node, n, err);
}

static Status make_groups(Deepener *d, Err *err) {
  const Assembly *flat = d->flat;
  size_t most = 0; // pairs of a group, all nodes of the assembly at most
  int32_t *block, *node;
  for (int b = 0; b < d->solid.n_blocks; b++)
    most += (size_t)d->solid.meshes[d->solid.blocks[b].mesh].n_nodes;
  MEM_NEW(block, most, err);
  node = mem_new(most, sizeof *node);
  Status status = node ? OK : err_set(err, ERR_SYSTEM, "out of memory: groups of masonry");
  for (int g = 0; g < flat->n_groups && status == OK; g++)
    status = deepen_group(d, &flat->groups[g], block, node, err);
  for (int end = 0; end < 2 && status == OK; end++) status = group_end(d, end, block, node, err);
  mem_free(block);
  mem_free(node);
  return status;
}

Status assembly_deepen(Assembly *assembly, const Deepening *how, Err *err) {
  Deepener d = {.flat = assembly, .how = how};
  if (how->leaves < 1)
    return err_set(err, ERR_INPUT, "a wall of %d leaves: at least 1", how->leaves);
  Status status = stand_blocks(&d, err);
  if (status == OK) status = make_groups(&d, err);
  mem_free(d.first);
  for (int kind = 0; kind < 2; kind++) mem_free(d.mesh[kind]);
  if (status == OK) {
    Assembly flat = *assembly;
    *assembly = d.solid;
    d.solid = flat;
  }
  assembly_free(&d.solid);
  return status;
}
