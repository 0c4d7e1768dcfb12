#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mesh/gmsh.h"

void gmsh_free(RawMesh *raw) {
  for (int k = 0; k < raw->n_names; k++) mem_free(raw->names[k].name);
  mem_free(raw->names);
  mem_free(raw->entities);
  mem_free(raw->physical);
  mem_free(raw->node_tag);
  mem_free(raw->x);
  mem_free(raw->node_place);
  mem_free(raw->blocks);
  mem_free(raw->elem_tag);
  mem_free(raw->elem_place);
  mem_free(raw->elem_ptr);
  mem_free(raw->elem_node);
  *raw = (RawMesh){0};
}

Status gmsh_begin_nodes(RawMesh *raw, int64_t n, const Scan *scan) {
  MEM_NEW(raw->node_tag, n, scan->err);
  MEM_NEW(raw->x, 3 * n, scan->err);
  MEM_NEW(raw->node_place, n, scan->err);
  raw->n_nodes = (int)n;
  return OK;
}

Status gmsh_begin_elems(RawMesh *raw, int64_t n, const Scan *scan) {
  MEM_NEW(raw->elem_tag, n, scan->err);
  MEM_NEW(raw->elem_place, n, scan->err);
  MEM_NEW(raw->elem_ptr, n + 1, scan->err);
  return OK;
}

// Names of Gmsh's element types, so that a message can say what a file holds.
static const char *type_name(int64_t type) {
  static const char *const name[] = {NULL,
                                     "2-node line",
                                     "3-node triangle",
                                     "4-node quadrangle",
                                     "4-node tetrahedron",
                                     "8-node hexahedron",
                                     "6-node prism",
                                     "5-node pyramid",
                                     "3-node line",
                                     "6-node triangle",
                                     "9-node quadrangle",
                                     "10-node tetrahedron",
                                     "27-node hexahedron",
                                     "18-node prism",
                                     "14-node pyramid",
                                     "point",
                                     "8-node quadrangle",
                                     "20-node hexahedron",
                                     "15-node prism",
                                     "13-node pyramid",
                                     "9-node triangle",
                                     "10-node triangle",
                                     "12-node triangle",
                                     "15-node triangle"};
  const int64_t known = (int64_t)(sizeof name / sizeof *name);
  return type > 0 && type < known ? name[type] : "no type this program knows";
}

Status gmsh_begin_block(RawMesh *raw, const Scan *scan, int64_t place, int64_t type,
                        RawBlock **block) {
  int shape = 0;
  while (shape < N_SHAPES && topology_table[shape].gmsh_code != type) shape++;
  if (shape == N_SHAPES)
    return scan_error(
        scan, place,
        "element type %lld (%s) is not supported; known are points, 2-node lines, T3, "
        "Q4, T4 and H8: mesh with first-order elements",
        (long long)type, type_name(type));
  void *room = raw->blocks;
  TRY(mem_grow(&room, &raw->block_room, (size_t)raw->n_blocks + 1, sizeof *raw->blocks, scan->err));
  raw->blocks = room;
  *block = &raw->blocks[raw->n_blocks++];
  **block = (RawBlock){.shape = shape, .first = raw->n_elems};
  return OK;
}

Status gmsh_add_elem(RawMesh *raw, Scan *scan, int64_t place, int64_t tag) {
  RawBlock *block = &raw->blocks[raw->n_blocks - 1];
  int e = raw->n_elems, n = topology_table[block->shape].n_nodes;
  int64_t at = raw->elem_ptr[e];
  void *room = raw->elem_node;
  TRY(mem_grow(&room, &raw->elem_node_room, (size_t)(at + n), sizeof *raw->elem_node, scan->err));
  raw->elem_node = room;
  for (int k = 0; k < n; k++) {
    int64_t *node = &raw->elem_node[at + k];
    TRY(raw->is_41 ? scan_size(scan, node, "the number of a node")
                   : scan_int(scan, node, "the number of a node"));
  }
  raw->elem_tag[e] = tag;
  raw->elem_place[e] = place;
  raw->elem_ptr[e + 1] = at + n;
  block->n++;
  raw->n_elems++;
  return OK;
}

static Status parse_format(RawMesh *raw, Scan *scan) {
  char version[16];
  int64_t place = scan_place(scan), type, size, size_place;
  scan_word(scan, version, sizeof version);
  raw->is_41 = strcmp(version, "4.1") == 0;
  if (!raw->is_41 && strcmp(version, "2.2") != 0)
    return scan_error(scan, place, "version '%s' of the Gmsh format; 2.2 and 4.1 are read",
                      version);
  TRY(scan_int(scan, &type, "the file type (0 or 1)"));
  if (type != 0 && type != 1)
    return scan_error(scan, place, "the file type is %lld, not 0 (ASCII) or 1 (binary)",
                      (long long)type);
  size_place = scan_place(scan);
  TRY(scan_int(scan, &size, "the data size"));
  if (size != 8 && !(raw->is_41 && size == 4))
    return scan_error(scan, size_place, "the data size is %lld, not %s", (long long)size,
                      raw->is_41 ? "4 or 8" : "8");
  scan->size_size = (int)size;
  if (type == 0) return OK;
  TRY(scan_newline(scan));
  int64_t one;
  scan->binary = 1;
  scan->as_text = 0;
  TRY(scan_int(scan, &one, "the number one that shows the byte order"));
  scan->swapped = one == 0x01000000;
  if (one != 1 && !scan->swapped)
    return scan_error(scan, (int64_t)scan->at - 4, "the byte order mark is %lld, not 1",
                      (long long)one);
  scan->as_text = 1;
  return OK;
}

static Status parse_names(RawMesh *raw, Scan *scan) {
  int64_t n;
  // each entry has two numbers and a name in quotes, in text even in binary files
  TRY(scan_count(scan, &n, 1, 6, 3, "the number of physical names"));
  for (int64_t k = 0; k < n; k++) {
    int64_t dim, number, place = scan_place(scan);
    TRY(scan_int(scan, &dim, "the dimension of a physical group"));
    if (dim < 0 || dim > 3)
      return scan_error(scan, place, "the dimension of a physical group is %lld", (long long)dim);
    TRY(scan_int(scan, &number, "the number of a physical group"));
    void *room = raw->names;
    TRY(mem_grow(&room, &raw->name_room, (size_t)raw->n_names + 1, sizeof *raw->names, scan->err));
    raw->names = room;
    char *name;
    TRY(scan_quoted(scan, &name));
    raw->names[raw->n_names++] = (RawName){.dim = (int)dim, .number = (int)number, .name = name};
  }
  return OK;
}

typedef enum { FORMAT, NAMES, ENTITIES, PARTITIONED, NODES, ELEMENTS, N_SECTIONS } Section;

static const char *const section_name[N_SECTIONS] = {
    "MeshFormat", "PhysicalNames", "Entities", "PartitionedEntities", "Nodes", "Elements"};

static Status parse_section(RawMesh *raw, Scan *scan, Section section) {
  switch (section) {
  case FORMAT:
    return parse_format(raw, scan);
  case NAMES:
    return parse_names(raw, scan);
  case ENTITIES:
  case PARTITIONED:
    return gmsh_parse_41_entities(raw, scan, section == PARTITIONED);
  case NODES:
    return raw->is_41 ? gmsh_parse_41_nodes(raw, scan) : gmsh_parse_22_nodes(raw, scan);
  default:
    return raw->is_41 ? gmsh_parse_41_elements(raw, scan) : gmsh_parse_22_elements(raw, scan);
  }
}

static Section find_section(const RawMesh *raw, const char *name) {
  int section = 0;
  while (section < N_SECTIONS && strcmp(name, section_name[section]) != 0) section++;
  int of_41_only = section == ENTITIES || section == PARTITIONED;
  return of_41_only && !raw->is_41 ? N_SECTIONS : (Section)section;
}

static int compare_names(const void *a, const void *b) {
  const RawName *left = a, *right = b;
  if (left->dim != right->dim) return left->dim - right->dim;
  return (left->number > right->number) - (left->number < right->number);
}

static int compare_entities(const void *a, const void *b) {
  const RawEntity *left = a, *right = b;
  if (left->dim != right->dim) return left->dim - right->dim;
  return (left->tag > right->tag) - (left->tag < right->tag);
}

const RawName *gmsh_find_name(const RawMesh *raw, int dim, int number) {
  RawName key = {.dim = dim, .number = number};
  if (raw->n_names == 0) return NULL;
  return bsearch(&key, raw->names, (size_t)raw->n_names, sizeof key, compare_names);
}

static const RawEntity *find_entity(const RawMesh *raw, int dim, int tag) {
  RawEntity key = {.dim = dim, .tag = tag};
  if (raw->n_entities == 0) return NULL;
  return bsearch(&key, raw->entities, (size_t)raw->n_entities, sizeof key, compare_entities);
}

int gmsh_block_physical(const RawMesh *raw, const RawBlock *block, const int32_t **number) {
  *number = &block->physical;
  if (!raw->is_41) return block->physical != 0;
  int dim = topology_table[block->shape].dim;
  const RawEntity *entity = find_entity(raw, dim, block->entity);
  // a seam between partitions is no part of the model; Gmsh gives it the groups of its parent
  if (entity && entity->parent_dim >= 0 && entity->parent_dim != dim) return 0;
  // a part of an entity is in the groups of the whole
  if (entity && entity->n_physical == 0 && entity->parent_dim == dim)
    entity = find_entity(raw, dim, entity->parent_tag);
  if (!entity || entity->n_physical == 0) return 0;
  *number = raw->physical + entity->first_physical;
  return entity->n_physical;
}

static void sort_tables(RawMesh *raw) {
  if (raw->n_names > 0) qsort(raw->names, (size_t)raw->n_names, sizeof *raw->names, compare_names);
  if (raw->n_entities > 0)
    qsort(raw->entities, (size_t)raw->n_entities, sizeof *raw->entities, compare_entities);
}

Status gmsh_parse(RawMesh *raw, Scan *scan) {
  int seen[N_SECTIONS] = {0};
  for (;;) {
    char word[64];
    scan->as_text = 1;
    int64_t place = scan_place(scan);
    scan_word(scan, word, sizeof word);
    if (!word[0]) break;
    if (word[0] != '$' || !word[1] || strncmp(word, "$End", 4) == 0)
      return scan_error(scan, place, "'%.20s' stands where a section should begin%s", word,
                        seen[FORMAT] ? "" : ": this is no Gmsh file");
    Section section = find_section(raw, word + 1);
    if (!seen[FORMAT] && section != FORMAT)
      return scan_error(scan, place,
                        "a Gmsh file of version 2.2 or 4.1 begins with $MeshFormat, not '%.20s'",
                        word);
    if (section == N_SECTIONS) {
      TRY(scan_skip(scan, word + 1));
      continue;
    }
    if (seen[section]++) return scan_error(scan, place, "a second section %.20s", word);
    // version 2.2 counts nodes and elements in text, 4.1 in bytes
    if (scan->binary && raw->is_41 && section != NAMES) {
      TRY(scan_newline(scan));
      scan->as_text = 0;
    }
    TRY(parse_section(raw, scan, section));
    scan->as_text = 1;
    TRY(scan_end(scan, section_name[section]));
  }
  sort_tables(raw);
  for (int section = 0; section < N_SECTIONS; section++)
    if ((section == FORMAT || section == NODES || section == ELEMENTS) && !seen[section])
      return scan_error(scan, scan_place(scan), "the file ends without a section $%s",
                        section_name[section]);
  return OK;
}
