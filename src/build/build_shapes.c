// Tools: their shapes and how they move.

#include <math.h>
#include <string.h>

#include "build/build_internal.h"

// What is wrong with a shape, said of the element that has it.
static void shape_defect(Builder *b, const InputNode *node, SrcPos pos) {
  if (schema_param(node->element, node->variant, "name"))
    diag_add(b->diag, pos, "%s '%s': %s", node->element->name, input_text(node, "name"),
             b->err->text);
  else
    diag_add(b->diag, pos, "%s: %s", node->element->name, b->err->text);
  err_clear(b->err);
}

Status builder_read_mesh(Builder *b, const InputNode *node, const char *attr, int dim, Mesh *mesh) {
  char path[1024];
  MeshTold told;
  input_path(node, attr, path, sizeof path);
  TRY(mesh_read(mesh, path, dim, &told, b->err));
  if (told.text[0]) diag_add(b->doubts, input_pos(node, attr), "%s: %s", path, told.text);
  return OK;
}

// From the units of its file, with its origin at the place that the shape is given.
static void place_mesh(const InputNode *node, Mesh *mesh) {
  static const char *const at[] = {"at_x", "at_y", "at_z"};
  for (int k = 0; k < mesh->n_nodes; k++)
    for (int i = 0; i < mesh->dim; i++) {
      double *x = &mesh->x[(size_t)k * mesh->dim + i];
      *x = input_real(node, at[i]) + input_real(node, "scale") * *x;
    }
}

// The shape of the tool that attribute `from` names; NULL where that tool has not been made.
static const Shape *other_shape(Builder *b, const InputNode *node) {
  const BodySet *bs = &b->model->bodies;
  const InputNode *other = input_ref(b->in, node, "from");
  for (int t = 0; t < bs->n_tools; t++) {
    const Shape *shape = &bs->tools[t].shape;
    if (shape->type && b->entries[bs->tools[t].body].node == other) return shape;
  }
  return NULL;
}

Status builder_shape(Builder *b, const InputNode *node, Shape *shape) {
  const ShapeType *type = shape_find(input_text(node, "shape"));
  ShapeSpec spec = {.dim = b->dim};
  const char *file = NULL; // the attribute that names one
  builder_params(node, type->params, type->n_params, spec.par);
  spec.list = builder_list(node, type->params, type->n_params, &spec.n_list);
  for (int k = 0; k < type->n_params; k++) {
    if (type->params[k].type == PARAM_REF) spec.other = other_shape(b, node);
    if (type->params[k].type != PARAM_FILE || !input_given(node, type->params[k].name)) continue;
    Mesh *mesh;
    TRY(builder_new_mesh(b, &mesh));
    Status read = builder_read_mesh(b, node, type->params[k].name, b->dim, mesh);
    if (read == ERR_SYSTEM) return read;
    if (read != OK) {
      shape_defect(b, node, input_pos(node, type->params[k].name));
      return OK;
    }
    place_mesh(node, mesh);
    file = type->params[k].name;
    spec.mesh = mesh;
  }
  Status status = shape_init(shape, type, &spec, b->err);
  if (status == OK && file) return builder_check_surface(b, node, file, shape);
  if (status == OK || status == ERR_SYSTEM) return status;
  shape_defect(b, node, node->pos);
  return OK;
}

// What turns is led, and meets what has nodes of its own: of a sheet between tools the room is that
// of shapes that go straight.
static Status check_turning(Builder *b, const InputNode *node, int body, const Tool *tool) {
  const BodySet *bs = &b->model->bodies;
  if (function_is_constant(&bs->motion[body].turn)) return OK;
  if (tool->free[0] || tool->free[1] || tool->free[2])
    diag_add(b->diag, input_pos(node, "turn"), "tool '%s' turns: it is led, and not free",
             bs->name[body]);
  for (int k = 0; k < bs->n_bodies; k++) {
    if (bs->type[k] != &body_sheet) continue;
    diag_add(b->diag, input_pos(node, "turn"), "tool '%s' turns: sheets meet tools that do not",
             bs->name[body]);
    break;
  }
  return OK;
}

Status build_tool_motion(Builder *b, const InputNode *node, int body, Tool *tool) {
  BodySet *bs = &b->model->bodies;
  static const char letter[] = "xyz";
  tool->body = body;
  tool->mass = input_real(node, "mass");
  const char *freed = input_text(node, "free");
  for (const char *c = freed; *c; c++) {
    const char *at = strchr(letter, *c);
    if (*c == ' ') continue;
    if (!at || at - letter >= b->dim)
      diag_add(b->diag, input_pos(node, "free"), "free=\"%s\" names no direction of this model",
               freed);
    else
      tool->free[at - letter] = 1;
  }
  for (int i = 0; i < b->dim; i++) {
    int moves = input_given(node, axis_move[i]) || input_given(node, axis_velocity[i]);
    if (moves && tool->free[i])
      diag_add(b->diag, node->pos, "tool '%s' is free in direction %c and has a motion there",
               bs->name[body], letter[i]);
    TRY(builder_motion(b, node, axis_move[i], axis_velocity[i], &bs->motion[body].x[i]));
  }
  static const double origin[3] = {0};
  TRY(builder_turn(b, node, origin, &bs->motion[body]));
  TRY(check_turning(b, node, body, tool));
  int any = tool->free[0] || tool->free[1] || tool->free[2];
  if (any && !(tool->mass > 0) && bodies_any_linear(bs))
    diag_add(b->diag, node->pos,
             "tool '%s' is free to move and has no mass: that is for sheets and bodies with "
             "kinematics=\"finite\" alone",
             bs->name[body]);
  return builder_shape(b, node, &tool->shape);
}
