#include "build/build_internal.h"

#include <string.h>

const char *const axis_attr[3] = {"x", "y", "z"};
const char *const axis_velocity[3] = {"velocity_x", "velocity_y", "velocity_z"};
const char *const axis_move[3] = {"move_x", "move_y", "move_z"};

Status build_record(const InputNode *node, Function *f, Err *err) {
  char path[1024];
  const char *unit = input_text(node, "unit"), *baseline = input_text(node, "baseline");
  double scale = input_real(node, "scale");
  input_path(node, "file", path, sizeof path);
  int in_g = function_is_at2(path); // as it is read
  if (!in_g && strcmp(unit, "g") == 0) scale *= STANDARD_GRAVITY;
  if (in_g && unit[0] && strcmp(unit, "g") != 0) scale /= STANDARD_GRAVITY;
  TRY(function_accelerogram(f, path, input_integer(node, "column"), scale, err));
  if (strcmp(baseline, "none") == 0) return OK;
  return function_baseline(f, strcmp(baseline, "linear") == 0 ? 1 : 2, err);
}

// A <function> that an attribute names.
static Status named_function(const Input *in, const InputNode *node, Function *f, Err *err) {
  char path[1024];
  const char *kind = input_text(node, "kind");
  if (strcmp(kind, "expression") == 0) return build_function(in, node, "value", f, err);
  if (strcmp(kind, "accelerogram") == 0) {
    TRY(build_record(node, f, err));
  } else {
    input_path(node, "file", path, sizeof path);
    TRY(function_table(f, path, input_integer(node, "column"), input_real(node, "scale"), err));
  }
  function_shift(f, input_real(node, "start"));
  return OK;
}

Status build_function(const Input *in, const InputNode *node, const char *attr, Function *f,
                      Err *err) {
  const InputNode *named = input_ref(in, node, attr);
  return named ? named_function(in, named, f, err)
               : function_expression(f, input_text(node, attr), err);
}

// Times at which an expression is tried before the run: its values must be numbers there.
enum { N_TRIALS = 101 };

static Status try_function(Builder *b, const Function *f) {
  const InputNode *time = input_child(b->in->root, "time");
  double start = input_real(time, "start"), end = input_real(time, "end"), value;
  if (function_is_constant(f) || !(end > start)) return OK;
  for (int k = 0; k < N_TRIALS; k++)
    TRY(function_value(f, start + (end - start) * k / (N_TRIALS - 1), &value, b->err));
  return OK;
}

// What a record gives is a displacement: as an acceleration or a force it would be taken for
// metres.
static void check_record(Builder *b, const InputNode *node, const char *attr,
                         const InputNode *named) {
  const char *unit = schema_param(node->element, node->variant, attr)->unit;
  if (strcmp(input_text(named, "kind"), "accelerogram") != 0 || strcmp(unit, "m") == 0) return;
  diag_add(b->diag, input_pos(node, attr),
           "%s is in %s, and '%s' is a record, which gives a displacement: use it in x or move_x, "
           "or its file as a table",
           attr, unit, input_text(named, "name"));
}

Status builder_function(Builder *b, const InputNode *node, const char *attr, Function *f) {
  const InputNode *named = input_ref(b->in, node, attr);
  if (named) check_record(b, node, attr, named);
  Status status = build_function(b->in, node, attr, f, b->err);
  if (status == OK) status = try_function(b, f);
  if (status == ERR_SYSTEM) return status;
  if (status == OK) return OK;
  const char *of = attr;
  if (named) of = strcmp(input_text(named, "kind"), "expression") == 0 ? "value" : "file";
  diag_add(b->diag, input_pos(named ? named : node, of), "%s: %s", attr, b->err->text);
  err_clear(b->err);
  function_free(f);
  function_constant(f, 0);
  return OK;
}

Status builder_motion(Builder *b, const InputNode *node, const char *displacement,
                      const char *velocity, Motion *motion) {
  motion->is_velocity = input_given(node, velocity);
  if (motion->is_velocity && input_given(node, displacement))
    diag_add(b->diag, input_pos(node, velocity), "%s and %s exclude each other", displacement,
             velocity);
  return builder_function(b, node, motion->is_velocity ? velocity : displacement, &motion->f);
}
