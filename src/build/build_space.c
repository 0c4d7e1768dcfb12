// What has no meaning in the space of the model is refused by name: nothing that is written is
// passed over.

#include <string.h>

#include "build/build_internal.h"

enum { IN_PLANE = 1, IN_RINGS = 2, IN_SPACE = 4 };

typedef struct {
  const char *element; // NULL: any that has the attribute
  const char *attr;
  const char *values; // '|' separated; NULL: any
  int by_default;     // 1: refused too where it is not written
  int spaces;         // where it has no meaning
  const char *why;
} Meaningless;

// clang-format off
static const Meaningless meaningless[] = {
    {NULL, "kinematics", "corotational", 1, IN_RINGS, "a ring does not turn in its plane: use small or finite"},
    {NULL, "kinematics", "rigid", 1, IN_RINGS, "rings deform: use small or finite"},
    {"model", "thickness", NULL, 0, IN_RINGS | IN_SPACE, "only a plane has a depth"},
    {"model", "plane", "stress", 0, IN_RINGS | IN_SPACE, "only a plane is in plane stress"},
    {"contact", "points", "gauss", 0, IN_SPACE, "in space contact points are of faces, nodes and crossing edges: leave it out, or say midpoints or nodes"},
    {"contact", "points", "corners|reduced", 0, IN_PLANE | IN_RINGS, "they are of faces in space: leave it out, or say overlap or nodes"},
    {"law", "friction_2", NULL, 0, IN_PLANE | IN_RINGS, "only a contact in space has two directions"},
    {"body", "parts", "groups|pieces", 0, IN_PLANE | IN_RINGS, "bodies of several parts are of space"},
    {"velocity", "spin", NULL, 0, IN_RINGS, "a ring does not turn in its plane"},
    {"probe", "quantity", "spin", 0, IN_RINGS, "a ring does not turn in its plane"},
    {"probe", "quantity", "spin", 0, IN_SPACE, "in space it is told by angular_velocity and orientation"},
    {"probe", "quantity", "angular_velocity|orientation", 0, IN_PLANE | IN_RINGS, "in the plane it is told by spin"},
    {"probe", "quantity", "angular_momentum", 0, IN_RINGS, "a ring does not turn in its plane"},
    {"body", "angle", NULL, 0, IN_SPACE, "meshes in space are placed by x, y and z alone: turn the mesh"},
    {"support", "angle", NULL, 0, IN_SPACE, "in space a plane has a normal"},
    {"support", "normal", NULL, 0, IN_PLANE | IN_RINGS, "the model has no z"},
    {"support", "axis", NULL, 0, IN_PLANE | IN_RINGS, "the model has no z"},
    {"support", "depth", NULL, 0, IN_PLANE | IN_RINGS, "the model has no z"},
    {"support", "about_z", NULL, 0, IN_PLANE | IN_RINGS, "the model has no z"},
    {"tool", "axis", NULL, 0, IN_PLANE | IN_RINGS, "the model has no z"},
    {"tool", "about_z", NULL, 0, IN_PLANE | IN_RINGS, "the model has no z"},
    {"tool", "turn", NULL, 0, IN_RINGS, "a ring does not turn in its plane"},
    {"gravity", "x", NULL, 0, IN_RINGS, "x is the radius: a ring has weight along y only"},
    {"hold", "as", "z|symmetry_z|plane_z", 0, IN_PLANE | IN_RINGS, "the model has no z"},
    {"wall", "pattern", "t3_right|t3_left|t3_alternate|t3_cross", 0, IN_SPACE, "in space cells are drawn out into hexahedra: leave it out, or say q4"},
    {"arch", "pattern", "t3_right|t3_left|t3_alternate|t3_cross", 0, IN_SPACE, "in space cells are drawn out into hexahedra: leave it out, or say q4"},
    {"column", "pattern", "t3_right|t3_left|t3_alternate|t3_cross", 0, IN_SPACE, "in space cells are drawn out into hexahedra: leave it out, or say q4"},
    {"stones", "pattern", "t3_right|t3_left|t3_alternate|t3_cross", 0, IN_SPACE, "in space cells are drawn out into hexahedra: leave it out, or say q4"},
    {"block", "pattern", "t3_right|t3_left|t3_alternate|t3_cross", 0, IN_SPACE, "in space cells are drawn out into hexahedra: leave it out, or say q4"},
    {NULL, "mass", "consistent", 0, IN_RINGS, "rings have their masses at the nodes"},
    {NULL, "bending_modes", "yes", 0, IN_RINGS, "rings have no such modes"},
    {NULL, "depth", NULL, 0, IN_PLANE | IN_RINGS, "the model has no z"},
    {NULL, "cells_z", NULL, 0, IN_PLANE | IN_RINGS, "the model has no z"},
    {NULL, "leaves", NULL, 0, IN_PLANE | IN_RINGS, "the model has no z"},
    {NULL, "z", NULL, 0, IN_PLANE | IN_RINGS, "the model has no z"},
    {NULL, "at_z", NULL, 0, IN_PLANE | IN_RINGS, "the model has no z"},
    {NULL, "move_z", NULL, 0, IN_PLANE | IN_RINGS, "the model has no z"},
    {NULL, "velocity_z", NULL, 0, IN_PLANE | IN_RINGS, "the model has no z"},
};
// clang-format on

static const InputAttr *find_attr(const InputNode *node, const char *name) {
  for (int k = 0; k < node->n_attrs; k++)
    if (strcmp(node->attrs[k].spec->name, name) == 0) return &node->attrs[k];
  return NULL;
}

// The attribute that this row refuses; NULL: none. A number of 0 says nothing.
static const InputAttr *refused(const InputNode *node, const Meaningless *row) {
  if (row->element && strcmp(row->element, node->element->name) != 0) return NULL;
  const InputAttr *attr = find_attr(node, row->attr);
  if (!attr || !(attr->given || row->by_default)) return NULL;
  return (row->values ? schema_list_holds(row->values, attr->text) : strcmp(attr->text, "0") != 0)
             ? attr
             : NULL;
}

void builder_check_space(Builder *b) {
  int space = b->state == STRESS_3D ? IN_SPACE : b->state == AXISYMMETRIC ? IN_RINGS : IN_PLANE;
  for (const InputNode *node = input_child(b->in->root, NULL); node; node = input_next(node, NULL))
    for (size_t k = 0; k < sizeof meaningless / sizeof meaningless[0]; k++) {
      const Meaningless *row = &meaningless[k];
      const InputAttr *attr = row->spaces & space ? refused(node, row) : NULL;
      if (attr)
        diag_add(b->diag, attr->pos, "%s=\"%s\" of a %s: %s", row->attr, attr->text,
                 node->element->name, row->why);
    }
}

// Radii are those of the model: the mesh of a ring is that of its place, but for its height.
Status builder_place_rings(Builder *b) {
  for (int k = 0; k < b->n_entries && b->state == AXISYMMETRIC; k++) {
    Entry *entry = &b->entries[k];
    if (entry->type != &body_small || (entry->x[0] == 0 && entry->angle == 0)) continue;
    const Mesh *drawn = entry->mesh;
    Mesh *mesh;
    double height = entry->x[1];
    entry->x[1] = 0;
    TRY(builder_new_mesh(b, &mesh));
    TRY(mesh_copy(mesh, drawn, b->err));
    for (int i = 0; i < mesh->n_nodes; i++)
      builder_place(b, entry, drawn->x + 2 * (size_t)i, mesh->x + 2 * (size_t)i);
    entry->mesh = mesh;
    entry->x[0] = entry->angle = 0;
    entry->x[1] = height;
  }
  return OK;
}
