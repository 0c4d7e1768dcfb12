// Bodies: walls, arches, columns, blocks, mesh files and supports become entries with names;
// entries become the flat arrays of a BodySet, equal ones sharing a prototype.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/vec3.h"
#include "body/prototype_index.h"
#include "body/tool_pose.h"
#include "build/build_internal.h"
#include "mesh/blank.h"
#include "mesh/extrude.h"
#include "mesh/union.h"

Status builder_add_set(Builder *b, const char *name, int n, const int32_t *entry,
                       const int32_t *node, SrcPos src) {
  TRY(mem_grow((void **)&b->sets, &b->set_capacity, (size_t)b->n_sets + 1, sizeof *b->sets,
               b->err));
  NameSet *set = &b->sets[b->n_sets++];
  *set = (NameSet){.n = n, .src = src};
  MEM_NEW(set->entry, n, b->err);
  if (n > 0) memcpy(set->entry, entry, sizeof *entry * (size_t)n);
  if (node) {
    MEM_NEW(set->node, n, b->err);
    memcpy(set->node, node, sizeof *node * (size_t)n);
  }
  set->name = mem_copy_text(name);
  return set->name ? OK : err_set(b->err, ERR_SYSTEM, "out of memory: name '%s'", name);
}

Status builder_add_entry(Builder *b, const char *name, const Entry *model) {
  TRY(mem_grow((void **)&b->entries, &b->entry_capacity, (size_t)b->n_entries + 1,
               sizeof *b->entries, b->err));
  Entry *entry = &b->entries[b->n_entries++];
  *entry = *model;
  entry->name = mem_copy_text(name);
  return entry->name ? OK : err_set(b->err, ERR_SYSTEM, "out of memory: name '%s'", name);
}

// Where nothing is said: a ring does not turn, a block in the plane does.
static const BodyType *kinematics_of(const Builder *b, const InputNode *node) {
  const char *text = input_text(node, "kinematics");
  if (!text || !*text)
    return b->state == AXISYMMETRIC || b->dim == 3 ? &body_small : &body_corotational;
  if (strcmp(text, "finite") == 0) return &body_finite;
  if (strcmp(text, "rigid") == 0) return &body_rigid;
  return strcmp(text, "small") == 0 ? &body_small : &body_corotational;
}

Entry builder_entry_of(const InputNode *node, const Builder *b) {
  const InputNode *material = input_ref(b->in, node, "material");
  return (Entry){.type = kinematics_of(b, node),
                 .x = {input_real(node, "x"), input_real(node, "y"), input_real(node, "z")},
                 .material = material->place,
                 .b_bar = input_bool(node, "b_bar"),
                 .bending_modes = input_bool(node, "bending_modes"),
                 .consistent = strcmp(input_text(node, "mass"), "consistent") == 0,
                 .node = node};
}

BlockMesh builder_cells(const Builder *b, const InputNode *node) {
  int given = b->dim == 2 || input_given(node, "pattern");
  return (BlockMesh){.nx = input_integer(node, "cells_x"),
                     .ny = input_integer(node, "cells_y"),
                     .pattern = given ? input_text(node, "pattern") : "q4"};
}

// A body that has a defect: its name stays known, so that those who use it are not blamed.
Status builder_add_broken(Builder *b, const InputNode *node) {
  TRY(builder_add_set(b, input_text(node, "name"), 0, NULL, NULL, node->pos));
  b->sets[b->n_sets - 1].broken = 1;
  return OK;
}

Status builder_generator_error(Builder *b, const InputNode *node, Status status) {
  if (status != ERR_INPUT && status != ERR_NUMERIC) return status;
  diag_add(b->diag, node->pos, "%s '%s': %s", node->element->name, input_text(node, "name"),
           b->err->text);
  err_clear(b->err);
  return builder_add_broken(b, node);
}

// ---- assemblies ---------------------------------------------------------------------------------

Status builder_add_blocks(Builder *b, const InputNode *node, Assembly *assembly) {
  const char *name = input_text(node, "name");
  char text[256];
  int first = b->n_entries;
  Mesh **meshes;
  MEM_NEW(meshes, assembly->n_meshes, b->err);
  Status status = OK;
  for (int k = 0; k < assembly->n_meshes && status == OK; k++) {
    status = builder_new_mesh(b, &meshes[k]);
    if (status != OK) break;
    *meshes[k] = assembly->meshes[k]; // moved
    assembly->meshes[k] = (Mesh){0};
  }
  for (int k = 0; k < assembly->n_blocks && status == OK; k++) {
    const AssemblyBlock *block = &assembly->blocks[k];
    Entry entry = builder_entry_of(node, b);
    entry.mesh = meshes[block->mesh];
    entry.x[0] = block->x;
    entry.x[1] = block->y;
    entry.x[2] += block->z;
    entry.angle = block->angle;
    snprintf(text, sizeof text, "%s.%d", name, k + 1);
    status = builder_add_entry(b, text, &entry);
  }
  mem_free(meshes);
  TRY(status);
  int32_t *all;
  MEM_NEW(all, assembly->n_blocks, b->err);
  for (int k = 0; k < assembly->n_blocks; k++) all[k] = first + k;
  status = builder_add_set(b, name, assembly->n_blocks, all, NULL, node->pos);
  mem_free(all);
  for (int g = 0; g < assembly->n_groups && status == OK; g++) {
    AssemblyGroup *group = &assembly->groups[g];
    for (int k = 0; k < group->n; k++) group->block[k] += first;
    snprintf(text, sizeof text, "%s.%s", name, group->name);
    status = builder_add_set(b, text, group->n, group->block, group->node, node->pos);
  }
  return status;
}

// The same of what is drawn in the plane: in space it is drawn out first.
static Status add_assembly(Builder *b, const InputNode *node, Assembly *assembly, int leaves) {
  if (b->dim == 3) {
    const Deepening how = {input_real(node, "depth"), input_integer(node, "cells_z"), leaves};
    TRY(assembly_deepen(assembly, &how, b->err));
  }
  return builder_add_blocks(b, node, assembly);
}

static Status build_wall(Builder *b, const InputNode *node) {
  static const char *const bonds[] = {"running", "stack", "flemish", "english"}, *const halves[] = {
                                                                                     "odd", "even",
                                                                                     "none"};
  WallSpec spec = {.n_courses = input_integer(node, "courses"),
                   .block_length = input_real(node, "length"),
                   .blocks_per_course = input_real(node, "blocks"),
                   .x = input_real(node, "x"),
                   .y = input_real(node, "y"),
                   .mesh = builder_cells(b, node)};
  spec.course_height = input_list(node, "height", &spec.n_course_heights);
  spec.header_length =
      input_given(node, "header") ? input_real(node, "header") : 0.5 * spec.block_length;
  for (int k = 0; k < 4; k++)
    if (strcmp(input_text(node, "bond"), bonds[k]) == 0) spec.bond = (WallBond)k;
  for (int k = 0; k < 3; k++)
    if (strcmp(input_text(node, "halves"), halves[k]) == 0) spec.halves = (WallHalves)k;
  for (const InputNode *k = input_child(node, "opening"); k; k = input_next(k, "opening"))
    spec.n_openings++;
  WallOpening *openings;
  MEM_NEW(openings, spec.n_openings, b->err);
  int at = 0;
  for (const InputNode *k = input_child(node, "opening"); k; k = input_next(k, "opening"))
    openings[at++] = (WallOpening){.left = input_real(k, "left"),
                                   .bottom = input_real(k, "bottom"),
                                   .width = input_real(k, "width"),
                                   .height = input_real(k, "height"),
                                   .lintel_bearing = input_real(k, "lintel_bearing"),
                                   .lintel_height = input_real(k, "lintel_height")};
  spec.openings = openings;
  Assembly wall = {0};
  Status status = masonry_wall(&wall, &spec, b->err);
  if (status == OK) status = add_assembly(b, node, &wall, input_integer(node, "leaves"));
  assembly_free(&wall);
  mem_free(openings);
  return builder_generator_error(b, node, status);
}

static Status build_arch(Builder *b, const InputNode *node) {
  static const char *const shapes[] = {"semicircular", "segmental", "pointed"};
  ArchSpec spec = {.span = input_real(node, "span"),
                   .thickness = input_real(node, "thickness"),
                   .n_voussoirs = input_integer(node, "voussoirs"),
                   .straight = input_bool(node, "straight"),
                   .x = input_real(node, "x"),
                   .y = input_real(node, "y"),
                   .mesh = builder_cells(b, node)};
  for (int k = 0; k < 3; k++)
    if (strcmp(input_text(node, "shape"), shapes[k]) == 0) spec.kind = (ArchKind)k;
  if (spec.kind != ARCH_SEMICIRCULAR && !input_given(node, "rise")) {
    diag_add(b->diag, node->pos, "arch '%s': a %s arch needs a rise", input_text(node, "name"),
             shapes[spec.kind]);
    return builder_add_broken(b, node);
  }
  if (input_given(node, "rise")) spec.rise = input_real(node, "rise");
  Assembly arch = {0};
  Status status = masonry_arch(&arch, &spec, b->err);
  if (status == OK) status = add_assembly(b, node, &arch, 1);
  assembly_free(&arch);
  return builder_generator_error(b, node, status);
}

static Status build_drums(Builder *b, const InputNode *node) {
  const DrumsSpec spec = {.width = input_real(node, "width"),
                          .depth = input_real(node, "depth"),
                          .height = input_real(node, "height"),
                          .n = input_integer(node, "drums"),
                          .sides = input_integer(node, "sides"),
                          .x = input_real(node, "x"),
                          .y = input_real(node, "y")};
  Assembly column = {0};
  Status status = masonry_drums(&column, &spec, b->err);
  if (status == OK) status = builder_add_blocks(b, node, &column);
  assembly_free(&column);
  return builder_generator_error(b, node, status);
}

static Status build_column(Builder *b, const InputNode *node) {
  if (input_given(node, "sides") && b->dim == 3) return build_drums(b, node);
  if (input_given(node, "sides"))
    diag_add(b->diag, input_pos(node, "sides"), "round drums need a model with space=\"solid\"");
  Assembly column = {0};
  Status status = masonry_column(&column, input_real(node, "width"), input_real(node, "height"),
                                 input_integer(node, "drums"), input_real(node, "x"),
                                 input_real(node, "y"), builder_cells(b, node), b->err);
  if (status == OK) status = add_assembly(b, node, &column, 1);
  assembly_free(&column);
  return builder_generator_error(b, node, status);
}

static Status build_rubble(Builder *b, const InputNode *node) {
  RubbleSpec spec = {.n = input_integer(node, "count"),
                     .radius = input_real(node, "radius"),
                     .width = input_real(node, "width"),
                     .corners = {8, 12},
                     .seed = (uint64_t)input_integer(node, "seed")};
  int n = 0;
  const double *corners = input_given(node, "corners") ? input_list(node, "corners", &n) : NULL;
  if (corners && n != 2)
    diag_add(b->diag, input_pos(node, "corners"), "corners needs 2 numbers, found %d", n);
  for (int k = 0; k < 2 && n == 2; k++) spec.corners[k] = (int)corners[k];
  Assembly rubble = {0};
  Status status = masonry_rubble(&rubble, &spec, b->err);
  for (int k = 0; k < rubble.n_blocks; k++) { // about a place, where others stand at it
    rubble.blocks[k].x += input_real(node, "x");
    rubble.blocks[k].y += input_real(node, "y");
  }
  if (status == OK) status = builder_add_blocks(b, node, &rubble);
  assembly_free(&rubble);
  return builder_generator_error(b, node, status);
}

// ---- single bodies ------------------------------------------------------------------------------

static Status build_disk(Builder *b, const InputNode *node) {
  Mesh *mesh;
  Entry entry = {.type = &body_disk,
                 .x = {input_real(node, "x"), input_real(node, "y")},
                 .material = input_ref(b->in, node, "material")->place,
                 .node = node};
  TRY(builder_new_mesh(b, &mesh));
  entry.mesh = mesh;
  Status status = mesh_disk(mesh, input_real(node, "radius"), b->err);
  if (status == OK) status = builder_add_entry(b, input_text(node, "name"), &entry);
  return builder_generator_error(b, node, status);
}

// Of a block in space from its face; the face is gone.
static Status deepen_block(Builder *b, const InputNode *node, Mesh *face, Mesh *mesh) {
  static const char *const ends[2] = {"back", "front"};
  Status status = mesh_extrude(mesh, face, input_real(node, "depth"),
                               input_integer(node, "cells_z"), ends, b->err);
  mesh_free(face);
  return status;
}

static Status build_block(Builder *b, const InputNode *node) {
  BlockMesh cells = builder_cells(b, node);
  Mesh *mesh, face = {0};
  Entry entry = builder_entry_of(node, b);
  int n_corners = 0, rectangle = input_given(node, "width") && input_given(node, "height");
  const double *corners =
      input_given(node, "corners") ? input_list(node, "corners", &n_corners) : NULL;
  int sides = input_given(node, "width") || input_given(node, "height");
  if ((sides && corners) || !(rectangle || corners) || (corners && n_corners != 8)) {
    diag_add(b->diag, node->pos, "block '%s' needs width and height, or corners with eight numbers",
             input_text(node, "name"));
    return builder_add_broken(b, node);
  }
  TRY(builder_new_mesh(b, &mesh));
  Status status;
  if (rectangle) {
    status = mesh_rectangle(&face, input_real(node, "width"), input_real(node, "height"), cells.nx,
                            cells.ny, cells.pattern, b->err);
  } else {
    double corner[4][2];
    for (int k = 0; k < 8; k++) corner[k / 2][k % 2] = corners[k];
    status = mesh_quadrilateral(&face, (const double(*)[2])corner, cells.nx, cells.ny,
                                cells.pattern, b->err);
  }
  if (status == OK && b->dim == 3)
    status = deepen_block(b, node, &face, mesh);
  else
    *mesh = face;
  entry.mesh = mesh;
  entry.angle = input_real(node, "angle");
  if (status == OK) return builder_add_entry(b, input_text(node, "name"), &entry);
  return builder_generator_error(b, node, status);
}

static Status build_mesh_body(Builder *b, const InputNode *node) {
  char path[1024];
  Mesh *mesh, whole = {0};
  Entry entry = builder_entry_of(node, b);
  input_path(node, "mesh", path, sizeof path);
  TRY(builder_new_mesh(b, &mesh));
  Status status = builder_read_mesh(b, node, "mesh", b->dim, &whole);
  const char *name = input_text(node, "group");
  if (status == OK && name[0]) {
    const MeshGroup *group = mesh_find_group_of(&whole, name, GROUP_ELEMENTS);
    status = group ? mesh_extract(mesh, &whole, group, b->err)
                   : err_set(b->err, ERR_INPUT, "'%s' has no physical group of elements '%s'", path,
                             name);
    mesh_free(&whole);
  } else if (status == OK) {
    *mesh = whole;
  }
  if (status == OK && mesh->n_elems == 0)
    status = err_set(b->err, ERR_INPUT, "'%s' holds no elements", path);
  if (status == OK) status = mesh_check(mesh, b->err);
  for (int k = 0; status == OK && k < mesh->n_nodes * mesh->dim; k++)
    mesh->x[k] *= input_real(node, "scale");
  entry.mesh = mesh;
  entry.angle = input_real(node, "angle");
  const char *parts = input_text(node, "parts");
  if (status == OK && strcmp(parts, "no") != 0)
    status = builder_add_union(b, &entry, parts);
  else if (status == OK)
    status = builder_add_split(b, &entry, input_text(node, "split"));
  return builder_generator_error(b, node, status);
}

static Status build_box(Builder *b, const InputNode *node) {
  Mesh *mesh;
  Entry entry = builder_entry_of(node, b);
  int n_size, n_cells, cells[3];
  const double *size = input_list(node, "size", &n_size),
               *given = input_list(node, "cells", &n_cells);
  if (n_size != 3 || n_cells != 3) {
    diag_add(b->diag, node->pos, "box '%s' needs three numbers in size and in cells",
             input_text(node, "name"));
    return builder_add_broken(b, node);
  }
  for (int i = 0; i < 3; i++) cells[i] = given[i] >= 1 && given[i] <= 1000 ? (int)given[i] : 0;
  TRY(builder_new_mesh(b, &mesh));
  Status status = mesh_box(mesh, size, cells, b->err);
  entry.mesh = mesh;
  if (status == OK) return builder_add_entry(b, input_text(node, "name"), &entry);
  return builder_generator_error(b, node, status);
}

static Status build_cylinder(Builder *b, const InputNode *node) {
  static const char *const ends[2] = {"bottom", "top"};
  Mesh *mesh, base = {0};
  Entry entry = builder_entry_of(node, b);
  double radius = input_real(node, "radius"), size = input_real(node, "size");
  DiskBlank disk = {.radius = radius,
                    .size = size,
                    .from = 0.5 * radius,
                    .quarter = input_bool(node, "quarter"),
                    .pattern = "q4"};
  TRY(builder_new_mesh(b, &mesh));
  Status status = blank_disk(&base, &disk, b->err);
  if (status == OK)
    status = mesh_extrude(mesh, &base, input_real(node, "height"), input_integer(node, "layers"),
                          ends, b->err);
  mesh_free(&base);
  entry.mesh = mesh;
  if (status == OK) return builder_add_entry(b, input_text(node, "name"), &entry);
  return builder_generator_error(b, node, status);
}

// Circles and boxes of a contour.
static void read_zone(Builder *b, const InputNode *node, BlankZone *zone) {
  int box = input_given(node, "box"), n = 0;
  *zone = (BlankZone){.size = input_real(node, "size"), .box = box};
  const double *list = box                           ? input_list(node, "box", &n)
                       : input_given(node, "circle") ? input_list(node, "circle", &n)
                                                     : NULL;
  if (box == input_given(node, "circle") || n != (box ? 4 : 3))
    diag_add(b->diag, node->pos, "a zone needs circle with 3 numbers, or box with 4");
  else
    memcpy(zone->place, list, sizeof *list * (size_t)n);
}

static int count_children(const InputNode *node, const char *name) {
  int n = 0;
  for (const InputNode *k = input_child(node, name); k; k = input_next(k, name)) n++;
  return n;
}

static Status mesh_contour(Builder *b, const InputNode *node, Mesh *mesh) {
  ContourBlank spec = {.size = input_real(node, "size"),
                       .grading = input_real(node, "grading"),
                       .n_holes = count_children(node, "hole"),
                       .symmetry = input_bool(node, "symmetry"),
                       .pattern = input_text(node, "pattern")};
  BlankLoop *hole;
  BlankZone *zone;
  spec.outline.corner = input_list(node, "outline", &spec.outline.n);
  MEM_NEW(hole, spec.n_holes, b->err);
  zone = mem_new((size_t)count_children(node, "zone"), sizeof *zone);
  Status status = zone ? OK : err_set(b->err, ERR_SYSTEM, "out of memory: zones of a sheet");
  int n = 0;
  for (const InputNode *k = input_child(node, "hole"); k; k = input_next(k, "hole"), n++)
    hole[n].corner = input_list(k, "outline", &hole[n].n);
  for (const InputNode *k = input_child(node, "zone"); k && zone; k = input_next(k, "zone"))
    read_zone(b, k, &zone[spec.n_zones++]);
  spec.hole = hole;
  spec.zone = zone;
  if (status == OK && b->diag->n == 0) status = blank_contour(mesh, &spec, b->err);
  mem_free(hole);
  mem_free(zone);
  return status;
}

static Status build_sheet(Builder *b, const InputNode *node) {
  const char *shape = input_text(node, "shape");
  Mesh *mesh;
  Entry entry = {.type = &body_finite,
                 .x = {input_real(node, "x"), input_real(node, "y"), input_real(node, "z")},
                 .material = input_ref(b->in, node, "material")->place,
                 .node = node};
  Status status;
  const InputNode *child = input_child(node, NULL);
  if (child && strcmp(shape, "contour") != 0)
    diag_add(b->diag, child->pos, "a <%s> needs a sheet with shape=\"contour\"",
             child->element->name);
  TRY(builder_new_mesh(b, &mesh));
  if (strcmp(shape, "disk") == 0) {
    DiskBlank disk = {.radius = input_real(node, "radius"),
                      .size = input_real(node, "size"),
                      .fine = input_real(node, "fine"),
                      .around = input_real(node, "around"),
                      .from = input_real(node, "from"),
                      .stagger = input_real(node, "stagger"),
                      .quarter = input_bool(node, "quarter"),
                      .pattern = input_text(node, "pattern")};
    status = blank_disk(mesh, &disk, b->err);
  } else if (strcmp(shape, "rectangle") == 0) {
    int n, n_sizes;
    const double *width = input_list(node, "width", &n);
    const double *size = input_list(node, "size", &n_sizes);
    RectangleBlank rectangle = {.width = {width[0], n > 1 ? width[1] : width[0]},
                                .size = {size[0], n_sizes > 1 ? size[1] : size[0]},
                                .quarter = input_bool(node, "quarter"),
                                .pattern = input_text(node, "pattern")};
    status = n <= 2 && n_sizes <= 2
                 ? blank_rectangle(mesh, &rectangle, b->err)
                 : err_set(b->err, ERR_INPUT, "width and size take one or two numbers");
  } else if (strcmp(shape, "contour") == 0) {
    status = mesh_contour(b, node, mesh);
  } else {
    status = builder_read_mesh(b, node, "mesh", 3, mesh);
    if (status == OK) status = blank_from_facets(mesh, b->err);
    for (int k = 0; status == OK && k < mesh->n_nodes * 3; k++)
      mesh->x[k] *= input_real(node, "scale");
  }
  entry.mesh = mesh;
  if (status == OK) status = builder_add_split(b, &entry, "no");
  return builder_generator_error(b, node, status);
}

// A tool has one node, at its origin, or four about the point that it turns about; its picture is
// made when it is drawn.
static Status build_tool(Builder *b, const InputNode *node) {
  Mesh *mesh;
  Entry entry = {.type = &body_tool, .material = -1, .node = node};
  TRY(builder_new_mesh(b, &mesh));
  static const char *const about[3] = {"about_x", "about_y", "about_z"};
  const int turns = input_given(node, "turn");
  TRY(mesh_init(mesh, b->dim, turns ? TOOL_NODES : 1, 0, 0, b->err));
  for (int k = 0; k < b->dim * TOOL_NODES && turns; k++) {
    const int i = k % b->dim;
    const double at = input_given(node, about[i]) ? input_real(node, about[i]) : 0;
    mesh->x[k] = at + TOOL_ARM * tool_arms[b->dim - 2][k / b->dim][i];
  }
  entry.mesh = mesh;
  return builder_add_entry(b, input_text(node, "name"), &entry);
}

static Status build_group(Builder *b, const InputNode *node) {
  int32_t *entries;
  int n;
  TRY(builder_bodies(b, node, "bodies", &entries, &n));
  Status status = builder_add_set(b, input_text(node, "name"), n, entries, NULL, node->pos);
  mem_free(entries);
  return status;
}

// Of the plane, and in space where it has a depth.
enum { DEPTH = -1 };

// The maker of an element makes what it declares, where it may.
static Status make_entry(Builder *b, const InputNode *node, int dim,
                         Status (*build)(Builder *b, const InputNode *node)) {
  if (dim > 0 && dim != b->dim) {
    diag_add(b->diag, node->pos, "a %s needs a model with space=\"%s\"", node->element->name,
             space_words[dim].name);
    return OK;
  }
  if (dim == DEPTH && b->dim == 3 && !input_given(node, "depth")) {
    diag_add(b->diag, node->pos, "%s '%s' needs a depth in a model with space=\"%s\"",
             node->element->name, input_text(node, "name"), space_words[b->dim].name);
    return builder_add_broken(b, node);
  }
  return build(b, node);
}

Status build_entries(Builder *b) {
  static const struct {
    const char *element;
    Status (*build)(Builder *b, const InputNode *node);
    int dim; // of the models that may hold it; 0: any, DEPTH: any, in space with a depth
  } makers[] = {{"wall", build_wall, DEPTH},
                {"arch", build_arch, DEPTH},
                {"column", build_column, DEPTH},
                {"stones", builder_stones, 0},
                {"rubble", build_rubble, 3},
                {"block", build_block, DEPTH},
                {"disk", build_disk, 2},
                {"body", build_mesh_body, 0},
                {"support", build_support, 0},
                {"box", build_box, 3},
                {"sheet", build_sheet, 3},
                {"cylinder", build_cylinder, 3},
                {"polyhedron", builder_polyhedron, 3},
                {"tool", build_tool, 0}};
  const InputNode *root = b->in->root;
  for (const InputNode *node = input_child(root, NULL); node; node = input_next(node, NULL))
    for (size_t k = 0; k < sizeof makers / sizeof makers[0]; k++)
      if (strcmp(node->element->name, makers[k].element) == 0)
        TRY(make_entry(b, node, makers[k].dim, makers[k].build));
  for (const InputNode *node = input_child(root, "group"); node; node = input_next(node, "group"))
    TRY(build_group(b, node));
  // One name, one thing: assemblies, bodies and groups are told apart by name alone.
  for (int i = 0; i < b->n_sets; i++) {
    const NameSet *own = &b->sets[i];
    int first, kind = own->node ? NAMES_OF_NODES : NAMES_OF_BODIES;
    TRY(builder_find(b, kind, own->name, strlen(own->name), &first));
    if (first < i)
      diag_add(b->diag, own->src, "the name '%s' is used twice, first in line %d", own->name,
               b->sets[first].src.line);
  }
  return OK;
}

// ---- BodySet ------------------------------------------------------------------------------------

static Status allocate_bodies(Builder *b) {
  BodySet *bs = &b->model->bodies;
  bs->n_bodies = b->n_entries;
  MEM_NEW(bs->type, bs->n_bodies, b->err);
  MEM_NEW(bs->proto, bs->n_bodies, b->err);
  MEM_NEW(bs->node_ptr, bs->n_bodies + 1, b->err);
  MEM_NEW(bs->place, bs->n_bodies * b->dim * b->dim, b->err);
  MEM_NEW(bs->own, bs->n_bodies, b->err);
  MEM_NEW(bs->mesh, bs->n_bodies, b->err);
  MEM_NEW(bs->plane, bs->n_bodies, b->err);
  MEM_NEW(bs->inside, bs->n_bodies, b->err);
  MEM_NEW(bs->support_skin, bs->n_bodies, b->err);
  MEM_NEW(bs->motion, bs->n_bodies, b->err);
  MEM_NEW(bs->name, bs->n_bodies, b->err);
  MEM_NEW(bs->src, bs->n_bodies, b->err);
  for (int k = 0; k < bs->n_bodies; k++)
    bs->node_ptr[k + 1] = bs->node_ptr[k] + b->entries[k].mesh->n_nodes;
  bs->n_nodes = bs->node_ptr[bs->n_bodies];
  MEM_NEW(bs->x, bs->n_nodes * b->dim, b->err);
  MEM_NEW(bs->body_of, bs->n_nodes, b->err);
  return OK;
}

void builder_place(const Builder *b, const Entry *entry, const double *x, double *placed) {
  double c = cos(entry->angle), s = sin(entry->angle); // about z; in space it is 0
  placed[0] = entry->x[0] + c * x[0] - s * x[1];
  placed[1] = entry->x[1] + s * x[0] + c * x[1];
  for (int i = 2; i < b->dim; i++) placed[i] = entry->x[i] + x[i];
}

// The frame of the body as it is placed.
static void place_frame(const Builder *b, const Entry *entry, double *q) {
  for (int i = 0; i < b->dim; i++)
    for (int j = 0; j < b->dim; j++) q[i * b->dim + j] = i == j;
  q[0] = q[b->dim + 1] = cos(entry->angle);
  q[b->dim] = sin(entry->angle);
  q[1] = 0 - q[b->dim]; // 0, not -0, where it is not turned
}

static int is_sheet(const Mesh *mesh) {
  return mesh->n_elems > 0 && topology_table[mesh->elem_shape[0]].dim < mesh->dim;
}

// Once for an assembly.
static int is_first_of_its_element(const Builder *b, int k) {
  return k == 0 || b->entries[k - 1].node != b->entries[k].node;
}

// Modes that bend are for elements at small strains that have no other.
static void check_bending_modes(Builder *b, int k) {
  const Entry *entry = &b->entries[k];
  if (!entry->bending_modes || !is_first_of_its_element(b, k)) return;
  SrcPos pos = input_pos(entry->node, "bending_modes");
  if (entry->b_bar) diag_add(b->diag, pos, "bending_modes and b_bar: one of them");
  if (entry->type->iterated || !entry->type->deforms)
    diag_add(b->diag, pos, "bending_modes are for kinematics=\"small\" and \"corotational\"");
}

// A mass matrix is one of bodies whose equation is linear in a step; rigid ones are exact anyway.
static void check_mass(Builder *b, int k) {
  const Entry *entry = &b->entries[k];
  if (entry->consistent && entry->type->iterated && is_first_of_its_element(b, k))
    diag_add(b->diag, input_pos(entry->node, "mass"),
             "mass=\"consistent\" is for kinematics=\"small\" and \"corotational\"");
}

static Status place_body(Builder *b, int k) {
  BodySet *bs = &b->model->bodies;
  Entry *entry = &b->entries[k];
  int dim = b->dim;
  check_bending_modes(b, k);
  check_mass(b, k);
  bs->type[k] = entry->type->iterated && is_sheet(entry->mesh) ? &body_sheet : entry->type;
  bs->plane[k] = entry->type->support && strcmp(input_text(entry->node, "shape"), "plane") == 0;
  bs->inside[k] = entry->inside;
  bs->proto[k] = bs->own[k] = -1;
  bs->mesh[k] = entry->mesh;
  bs->src[k] = entry->node->pos;
  bs->name[k] = entry->name; // moved
  entry->name = mem_copy_text(bs->name[k]);
  place_frame(b, entry, bs->place + (size_t)(dim * dim) * (size_t)k);
  for (int i = 0; i < entry->mesh->n_nodes; i++) {
    int node = bs->node_ptr[k] + i;
    builder_place(b, entry, entry->mesh->x + (size_t)dim * (size_t)i,
                  bs->x + (size_t)dim * (size_t)node);
    bs->body_of[node] = k;
  }
  if (!entry->name) return err_set(b->err, ERR_SYSTEM, "out of memory: name '%s'", bs->name[k]);
  if (!entry->type->support) return OK;
  TRY(build_support_motion(b, k));
  return skin_build(&bs->support_skin[k], entry->mesh, b->err);
}

// ---- finite strains and tools -------------------------------------------------------------------

// The form refers to the mesh as it is placed.
static Status placed_mesh(Builder *b, int k, Mesh **placed) {
  const BodySet *bs = &b->model->bodies;
  TRY(builder_new_mesh(b, placed));
  TRY(mesh_copy(*placed, b->entries[k].mesh, b->err));
  memcpy((*placed)->x, bs->x + (size_t)bs->dim * (size_t)bs->node_ptr[k],
         sizeof(double) * (size_t)bs->dim * (size_t)(*placed)->n_nodes);
  return OK;
}

// What only a sheet has.
static void describe_sheet(const Builder *b, const Entry *entry, FormSpec *spec) {
  (void)b;
  const InputNode *node = entry->node;
  int n = 0;
  spec->thickness = input_real(node, "thickness");
  spec->layers = input_integer(node, "layers");
  spec->edge_unknown = input_bool(node, "edge_unknown");
  spec->edge = entry->edge;
  const double *rolling = input_given(node, "rolling") ? input_list(node, "rolling", &n) : NULL;
  for (int i = 0; i < n && i < 3; i++) spec->rolling[i] = rolling[i];
}

static Status build_finite_body(Builder *b, int k, FiniteBody *body) {
  BodySet *bs = &b->model->bodies;
  Entry *entry = &b->entries[k];
  Mesh *mesh;
  TRY(placed_mesh(b, k, &mesh));
  FormSpec spec = {.mesh = mesh,
                   .material = &b->model->materials[entry->material],
                   .state = b->state,
                   .thickness = bs->thickness,
                   .locking_free = entry->b_bar};
  if (is_sheet(mesh)) describe_sheet(b, entry, &spec);
  body->body = k;
  if (spec.material->damping_stiffness != 0) {
    if (is_first_of_its_element(b, k))
      diag_add(
          b->diag, entry->node->pos,
          "'%s': damping_stiffness is for small strains; at finite strains use the law kelvin_voigt",
          bs->name[k]);
    return OK;
  }
  Status status = form_init(&body->form, NULL, &spec, b->err);
  if (status != OK) return builder_generator_error(b, entry->node, status);
  body->config = bs->n_config;
  body->internal = bs->n_internal;
  bs->n_config += body->form.n_config;
  bs->n_internal += body->form.n_internal;
  body->extra = bs->n_extra;
  bs->n_extra += body->form.n_extra;
  if (is_sheet(mesh)) return OK;
  return skin_build(&bs->support_skin[k], mesh, b->err);
}

// A tool without mass has that of a node in Newton's matrix: little beside what contact puts there,
// and enough where nothing touches it yet.
static void keep_tools_regular(BodySet *bs) {
  double mass = 0;
  int n = 0;
  for (int k = 0; k < bs->n_finite; k++) {
    mass += bodies_mass(bs, bs->finite[k].body);
    n += bs->finite[k].form.n_nodes;
  }
  for (int t = 0; t < bs->n_tools; t++) {
    if (!(bs->tools[t].mass > 0)) bs->tools[t].drag = n > 0 ? mass / n : 1;
    tool_finish(&bs->tools[t], bs->dim);
  }
}

static Status build_finite_and_tools(Builder *b) {
  BodySet *bs = &b->model->bodies;
  int n_finite = 0, n_tools = 0;
  for (int k = 0; k < bs->n_bodies; k++) {
    n_finite += bs->type[k]->iterated;
    n_tools += bs->type[k]->by_shape;
  }
  MEM_NEW(bs->finite, n_finite, b->err);
  MEM_NEW(bs->tools, n_tools, b->err);
  for (int k = 0; k < bs->n_bodies; k++) {
    if (bs->type[k]->iterated) {
      bs->own[k] = bs->n_finite++;
      TRY(build_finite_body(b, k, &bs->finite[bs->own[k]]));
    }
    if (!bs->type[k]->by_shape) continue;
    bs->own[k] = bs->n_tools++;
    TRY(build_tool_motion(b, b->entries[k].node, k, &bs->tools[bs->own[k]]));
  }
  keep_tools_regular(bs);
  return OK;
}

// A disk meets nothing with nodes of its own: its skin is its centre, so that its motion is seen.
static Status disk_skin(Skin *skin, const Mesh *mesh, Err *err) {
  *skin = (Skin){.n_facet_nodes = 2, .n_nodes = 1};
  MEM_NEW(skin->node, 1, err);
  MEM_NEW(skin->skin_of, mesh->n_nodes, err);
  for (int k = 0; k < mesh->n_nodes; k++) skin->skin_of[k] = -1;
  return OK;
}

static Status build_rigid(Builder *b) {
  BodySet *bs = &b->model->bodies;
  int n = 0;
  for (int k = 0; k < bs->n_bodies; k++)
    n += bs->type[k] == &body_rigid || bs->type[k] == &body_disk;
  MEM_NEW(bs->rigid, n, b->err);
  for (int k = 0; k < bs->n_bodies; k++) {
    const Entry *entry = &b->entries[k];
    const int is_disk = bs->type[k] == &body_disk;
    if (bs->type[k] != &body_rigid && !is_disk) continue;
    const RigidSpec spec = {.body = k,
                            .mesh = entry->mesh,
                            .skin = &bs->support_skin[k],
                            .material = &b->model->materials[entry->material],
                            .thickness = bs->thickness,
                            .radius = is_disk ? input_real(entry->node, "radius") : 0};
    bs->own[k] = bs->n_rigid++;
    Status status = is_disk ? disk_skin(&bs->support_skin[k], entry->mesh, b->err)
                            : skin_build(&bs->support_skin[k], entry->mesh, b->err);
    if (status == OK) status = rigid_init(&bs->rigid[bs->own[k]], &spec, b->err);
    if (status == OK && !is_disk)
      status = skin_drop_covered(&bs->support_skin[k], entry->mesh, b->err);
    if (status != OK) TRY(builder_generator_error(b, entry->node, status));
    if (spec.material->damping_mass == 0) continue;
    if (is_first_of_its_element(b, k))
      diag_add(b->diag, entry->node->pos,
               "'%s' is rigid: damping_mass of '%s' is for bodies that deform", bs->name[k],
               spec.material->name);
  }
  return OK;
}

// The prototype of an entry: one that matches, or a new one.
static Status find_prototype(Builder *b, int k, PrototypeIndex *index, size_t *capacity) {
  BodySet *bs = &b->model->bodies;
  const Entry *entry = &b->entries[k];
  int may_bend = !entry->b_bar && b->state != AXISYMMETRIC; // else a defect that is told
  PrototypeSpec spec = {.mesh = entry->mesh,
                        .material = &b->model->materials[entry->material],
                        .state = b->state,
                        .thickness = bs->thickness,
                        .b_bar = entry->b_bar,
                        .bending_modes = entry->bending_modes && may_bend,
                        .consistent = entry->consistent && b->state != AXISYMMETRIC,
                        .fixed = entry->fixed};
  bs->proto[k] = prototype_index_find(index, bs->protos, &spec);
  if (bs->proto[k] >= 0) return OK;
  TRY(prototype_index_add(index, &spec, b->err));
  TRY(mem_grow((void **)&bs->protos, capacity, (size_t)bs->n_protos + 1, sizeof *bs->protos,
               b->err));
  bs->proto[k] = bs->n_protos++;
  Status status = prototype_init(&bs->protos[bs->proto[k]], &spec, b->err);
  return status == OK ? OK : builder_generator_error(b, entry->node, status);
}

static double largest_coordinate(const BodySet *bs) {
  double reach = 0;
  for (int k = 0; k < bs->n_bodies; k++)
    for (int i = 0; i < bs->mesh[k]->n_nodes * bs->mesh[k]->dim; i++)
      reach = fmax(reach, fabs(bs->mesh[k]->x[i]));
  return reach;
}

// A law with internal variables would be elastic at small strains, silently. Once for an assembly.
static void refuse_law(Builder *b, int k) {
  const InputNode *node = b->entries[k].node;
  if (!is_first_of_its_element(b, k)) return;
  diag_add(b->diag, node->pos, "law '%s' of material '%s' needs kinematics=\"finite\"",
           b->model->materials[b->entries[k].material].type->name,
           b->model->materials[b->entries[k].material].name);
}

// Of bodies that deform little.
static Status find_prototypes(Builder *b) {
  BodySet *bs = &b->model->bodies;
  PrototypeIndex index = prototype_index(largest_coordinate(bs));
  size_t capacity = 0;
  Status status = OK;
  for (int k = 0; k < bs->n_bodies && status == OK; k++) {
    if (!bs->type[k]->deforms || bs->type[k]->iterated) continue;
    if (b->model->materials[b->entries[k].material].type->n_state > 0)
      refuse_law(b, k);
    else
      status = find_prototype(b, k, &index, &capacity);
  }
  prototype_index_free(&index);
  return status;
}

// Batches of eight bodies that share prototype and kinematics, in body order.
static Status make_batches(Builder *b) {
  BodySet *bs = &b->model->bodies;
  int32_t *open; // batch being filled for each prototype and kind
  MEM_NEW(open, 2 * bs->n_protos, b->err);
  bs->batches = mem_new((size_t)bs->n_bodies, sizeof *bs->batches);
  if (!bs->batches) {
    mem_free(open);
    return err_set(b->err, ERR_SYSTEM, "out of memory: %d batches", bs->n_bodies);
  }
  for (int k = 0; k < 2 * bs->n_protos; k++) open[k] = -1;
  for (int k = 0; k < bs->n_bodies; k++) {
    if (bs->proto[k] < 0) continue;
    int32_t *batch = &open[2 * bs->proto[k] + (bs->type[k]->turns)];
    if (*batch < 0 || bs->batches[*batch].n == BATCH_LANES) {
      *batch = bs->n_batches++;
      bs->batches[*batch].proto = bs->proto[k];
    }
    bs->batches[*batch].body[bs->batches[*batch].n++] = k;
  }
  mem_free(open);
  return OK;
}

Status build_body_set(Builder *b) {
  BodySet *bs = &b->model->bodies;
  const InputNode *model_node = input_child(b->in->root, "model");
  bs->dim = b->dim;
  bs->axisymmetric = b->state == AXISYMMETRIC;
  bs->thickness = model_node ? input_real(model_node, "thickness") : 1;
  TRY(allocate_bodies(b));
  for (int k = 0; k < bs->n_bodies; k++) TRY(place_body(b, k));
  TRY(find_prototypes(b));
  TRY(build_finite_and_tools(b));
  TRY(build_rigid(b));
  for (int k = 0; k < bs->n_bodies; k++) bs->n_elems += bs->mesh[k]->n_elems;
  TRY(diag_status(b->diag, b->err));
  return make_batches(b);
}
