// Rigid bodies that move without turning: supports, outlines of nodes whose motion is prescribed; tools, shapes with
// one node, each component of which is prescribed or free under loads.

#include "body/body_type.h"

static const Tool *tool_of(const BodySet *bs, int body) {
  return &bs->tools[bs->own[body]];
}

static const Material *material(const BodySet *bs, int body) {
  (void)bs, (void)body;
  return NULL;
}

static const Skin *skin(const BodySet *bs, int body) {
  return &bs->support_skin[body];
}

static int held(const BodySet *bs, int body) {
  (void)bs, (void)body;
  return 0;
}

static int lacks(const BodySet *bs, int body, int elem) {
  (void)bs, (void)body, (void)elem;
  return 0;
}

static double no_mass(const BodySet *bs, int body) {
  (void)bs, (void)body;
  return 0;
}

static double no_node_mass(const BodySet *bs, int body, int local) {
  (void)bs, (void)body, (void)local;
  return 0;
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

const BodyType body_support = {.noun = "support",
                               .rigid = 1,
                               .support = 1,
                               .material = material,
                               .mass = no_mass,
                               .node_mass = no_node_mass,
                               .skin = skin,
                               .held = held,
                               .lacks = lacks,
                               .moves = never_moves};

const BodyType body_tool = {.noun = "tool",
                            .rigid = 1,
                            .by_shape = 1,
                            .material = material,
                            .mass = tool_mass,
                            .node_mass = tool_node_mass,
                            .skin = skin,
                            .held = held,
                            .lacks = lacks,
                            .moves = tool_moves,
                            .grip = tool_grip};
