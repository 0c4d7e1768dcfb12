// Supports: boxes, half spaces and meshes whose motion is given.

#include <string.h>

#include "base/vec3.h"
#include "build/build_internal.h"

// Three numbers of an attribute that there is in space only; `fallback` where it is not given.
static void read_three(Builder *b, const InputNode *node, const char *attr,
                       const double fallback[3], double v[3]) {
  int n = 0;
  memcpy(v, fallback, 3 * sizeof *v);
  if (!input_given(node, attr)) return;
  const double *list = input_list(node, attr, &n);
  if (n == 3)
    memcpy(v, list, 3 * sizeof *v);
  else
    diag_add(b->diag, input_pos(node, attr), "%s needs 3 numbers, found %d", attr, n);
}

// The same as a direction.
static void read_direction(Builder *b, const InputNode *node, const char *attr, double v[3]) {
  static const double up[3] = {0, 0, 1};
  read_three(b, node, attr, up, v);
  if (vec3_length(v) > 0) {
    vec3_normalise(v);
    return;
  }
  diag_add(b->diag, input_pos(node, attr), "%s is no direction: all its numbers are 0", attr);
  memcpy(v, up, sizeof up);
}

// A half space in space: a box with its upper face through the origin, turned to its normal by the
// smallest rotation from z; upside down about x.
static Status half_space(Mesh *mesh, double length, const double normal[3], Err *err) {
  static const int one[3] = {1, 1, 1};
  const double size[3] = {2 * length, 2 * length, length}, up[3] = {0, 0, 1};
  double axis[3];
  TRY(mesh_box(mesh, size, one, err));
  vec3_cross(up, normal, axis); // as long as the sine of the angle
  for (int k = 0; k < mesh->n_nodes; k++) {
    double *x = mesh->x + 3 * (size_t)k, first[3], second[3];
    for (int i = 0; i < 3; i++) x[i] -= i < 2 ? length : size[2];
    if (normal[2] <= -1) {
      for (int i = 1; i < 3; i++) x[i] = -x[i];
      continue;
    }
    vec3_cross(axis, x, first);
    vec3_cross(axis, first, second);
    for (int i = 0; i < 3; i++) x[i] += first[i] + second[i] / (1 + normal[2]);
  }
  return OK;
}

static Status box_or_plane(Builder *b, const InputNode *node, Entry *entry, Mesh *mesh) {
  static const int one[3] = {1, 1, 1};
  if (strcmp(input_text(node, "shape"), "box") == 0) {
    double size[3] = {input_real(node, "width"), input_real(node, "height"), 0};
    if (b->dim == 2) return mesh_rectangle(mesh, size[0], size[1], 1, 1, "q4", b->err);
    if (!input_given(node, "depth"))
      return err_set(b->err, ERR_INPUT, "a box in space needs a depth, its edge along z");
    size[2] = input_real(node, "depth");
    return mesh_box(mesh, size, one, b->err);
  }
  double length = input_real(node, "length"), normal[3];
  if (b->dim == 3) {
    read_direction(b, node, "normal", normal);
    return half_space(mesh, length, normal, b->err);
  }
  const double corner[4][2] = {{-length, -length}, {length, -length}, {length, 0}, {-length, 0}};
  entry->angle = input_real(node, "angle");
  return mesh_quadrilateral(mesh, corner, 1, 1, "q4", b->err);
}

// A plane is a flat box with its upper face through (x, y, z), as thick as it is long.
Status build_support(Builder *b, const InputNode *node) {
  Mesh *mesh;
  Entry entry = {.type = &body_support,
                 .material = -1,
                 .x = {input_real(node, "x"), input_real(node, "y"), input_real(node, "z")},
                 .node = node};
  Status status;
  TRY(builder_new_mesh(b, &mesh));
  if (strcmp(input_text(node, "shape"), "mesh") == 0) {
    status = builder_read_mesh(b, node, "mesh", b->dim, mesh);
    if (status == OK && mesh->n_elems == 0)
      status = err_set(b->err, ERR_INPUT, "its mesh holds no elements that fill it");
    if (status == OK) status = mesh_check(mesh, b->err);
    for (int k = 0; status == OK && k < mesh->n_nodes * mesh->dim; k++)
      mesh->x[k] *= input_real(node, "scale");
  } else {
    status = box_or_plane(b, node, &entry, mesh);
  }
  entry.mesh = mesh;
  if (status == OK) return builder_add_entry(b, input_text(node, "name"), &entry);
  return builder_generator_error(b, node, status);
}

// ---- its motion ---------------------------------------------------------------------------------

// How a support or tool turns, about `fallback` where no point is given.
Status builder_turn(Builder *b, const InputNode *node, const double fallback[3],
                    SupportMotion *motion) {
  static const char *const name[3] = {"about_x", "about_y", "about_z"};
  TRY(builder_function(b, node, "turn", &motion->turn));
  int turns = !function_is_constant(&motion->turn);
  for (int i = 0; i < b->dim; i++) {
    motion->about[i] = fallback[i];
    if (!input_given(node, name[i])) continue;
    motion->about[i] = input_real(node, name[i]);
    if (!turns) diag_add(b->diag, input_pos(node, name[i]), "%s without a turn", name[i]);
  }
  read_direction(b, node, "axis", motion->axis);
  if (!turns && input_given(node, "axis"))
    diag_add(b->diag, input_pos(node, "axis"), "axis without a turn");
  if (!turns && input_given(node, "turn") && motion->turn.constant != 0)
    diag_add(b->diag, input_pos(node, "turn"),
             "a constant turn would do nothing: %ss turn from how they are placed",
             node->element->name);
  return OK;
}

// A support turns about a point of its own where none is given.
static Status build_turn(Builder *b, const Entry *entry, SupportMotion *motion) {
  static const char *const side[3] = {"width", "height", "depth"};
  const InputNode *node = entry->node;
  double fallback[3] = {0};
  for (int i = 0; i < b->dim; i++) {
    fallback[i] = entry->x[i];
    if (strcmp(input_text(node, "shape"), "box") == 0)
      fallback[i] += 0.5 * input_real(node, side[i]);
  }
  return builder_turn(b, node, fallback, motion);
}

Status build_support_motion(Builder *b, int k) {
  SupportMotion *motion = &b->model->bodies.motion[k];
  const Entry *entry = &b->entries[k];
  for (int i = 0; i < b->dim; i++)
    TRY(builder_motion(b, entry->node, axis_move[i], axis_velocity[i], &motion->x[i]));
  return build_turn(b, entry, motion);
}
