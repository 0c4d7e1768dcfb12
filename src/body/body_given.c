// Rigid bodies that move without turning: supports, outlines of nodes whose motion is prescribed;
// tools, shapes with one node, each component of which is prescribed or free under loads.

#include "body/body_type.h"

static const Tool *tool_of(const BodySet *bs, int body) {
  return &bs->tools[bs->own[body]];
}

static int never_moves(const BodySet *bs, int body, int component) {
  (void)bs, (void)body, (void)component;
  return 0;
}

static double tool_mass(const BodySet *bs, int body) {
  return tool_of(bs, body)->mass;
}

static double tool_node_mass(const BodySet *bs, int body, int local) {
  (void)local;
  return tool_of(bs, body)->mass;
}

static int tool_moves(const BodySet *bs, int body, int component) {
  return tool_of(bs, body)->free[component];
}

static void tool_grip(const GripSource *from, const Site *site, const double axis[3][3],
                      Grip *grip) {
  const Tool *tool = tool_of(from->bs, site->body);
  grip_axes(from->bs->dim, axis, grip);
  grip->compliance = tool->block;
  grip->elastic = NULL;
  grip->rigid = tool->root;
  grip->n_rigid = from->bs->dim;
  grip->n_row = 1;
  grip->row[0] = 0;
}

const BodyType body_support = {.noun = "support", .driven = 1, .support = 1, .moves = never_moves};

const BodyType body_tool = {.noun = "tool",
                            .driven = 1,
                            .by_shape = 1,
                            .mass = tool_mass,
                            .node_mass = tool_node_mass,
                            .moves = tool_moves,
                            .grip = tool_grip};

// ---- the step: what is prescribed ---------------------------------------------------------------

static Status start(const BodySet *bs, StepSize size, double *v, Err *err) {
  for (int b = 0; b < bs->n_bodies; b++) {
    if (!bs->type[b]->driven) continue;
    for (int i = 0; i < bs->dim; i++) {
      double own;
      if (bs->type[b]->moves(bs, b, i)) continue;
      TRY(motion_start(&bs->motion[b].x[i], size, &own, err));
      for (int k = bs->node_ptr[b]; k < bs->node_ptr[b + 1]; k++) v[(size_t)k * bs->dim + i] = own;
    }
  }
  return OK;
}

static Status free_velocity(const LinearStep *step, double *v_free, Arena *arena, Err *err) {
  const BodySet *bs = step->bs;
  (void)arena;
  for (int b = 0; b < bs->n_bodies; b++) {
    if (!bs->type[b]->driven) continue;
    for (int i = 0; i < bs->dim; i++) {
      double v;
      if (bs->type[b]->moves(bs, b, i)) continue;
      if (motion_velocity(&bs->motion[b].x[i], step->size, &v, err) != OK)
        return err_note(err, "motion of '%s' declared at %s:%d", bs->name[b], bs->src[b].file,
                        bs->src[b].line);
      for (int k = bs->node_ptr[b]; k < bs->node_ptr[b + 1]; k++)
        v_free[(size_t)k * bs->dim + i] = v;
    }
  }
  return OK;
}

const BodyFamily family_driven = {.start = start, .free_velocity = free_velocity};
