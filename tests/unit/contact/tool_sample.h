// One finite-strain body of loose nodes and some tools, made by hand: no element is ever evaluated,
// w is given.
#ifndef TESTS_UNIT_CONTACT_TOOL_SAMPLE_H
#define TESTS_UNIT_CONTACT_TOOL_SAMPLE_H

#include <omp.h>

#include "../shape/shape_sample.h"
#include "contact/law_table.h"
#include "contact/pair_type.h"

enum { MOST_TOOLS = 3 };

typedef struct {
  BodySet bs;
  BodyState bodies;
  ContactModel cm;
  ContactState state;
  ContactWork *work;
  Mesh mesh, no_mesh;
  Skin skin[1 + MOST_TOOLS];
  FiniteBody finite;
  FormType form_type;
  Tool tool[MOST_TOOLS];
  const BodyType *type[1 + MOST_TOOLS];
  int32_t proto[1 + MOST_TOOLS], own[1 + MOST_TOOLS], node_ptr[2 + MOST_TOOLS];
  Law law;
  int self; // 1: the rule joins the body with itself
  PointRule points;
  double alert; // 0: the default
  ContactStep step;
} ToolSample;

// A grid of n[0] x n[1] (x n[2]) cells of Q4 or H8 over [0, size], `sheet`: n[0] x n[1] Q4 in space
// at z = 0.
static inline void sample_mesh(Mesh *mesh, int dim, int sheet, const int n[3], const double *size) {
  omp_set_num_threads(1); // loops of a few nodes: threads would wait for one another
  int cells = dim == 2 || sheet ? n[0] * n[1] : n[0] * n[1] * n[2];
  int layers = dim == 2 || sheet ? 1 : n[2] + 1, row = n[0] + 1, layer = row * (n[1] + 1);
  int width = dim == 2 || sheet ? 4 : 8;
  cr_assert_eq(mesh_init(mesh, dim, layer * layers, cells, width * cells, NULL), OK);
  for (int k = 0; k < layer * layers; k++) {
    const int at[3] = {k % row, k / row % (n[1] + 1), k / layer};
    for (int i = 0; i < dim; i++) mesh->x[k * dim + i] = n[i] > 0 ? size[i] * at[i] / n[i] : 0;
  }
  for (int e = 0; e < cells; e++) {
    int at = e % n[0] + e / n[0] % n[1] * row + e / (n[0] * n[1]) * layer;
    const int corner[8] = {at,         at + 1,         at + 1 + row,         at + row,
                           at + layer, at + 1 + layer, at + 1 + row + layer, at + row + layer};
    mesh->elem_shape[e] = width == 4 ? SHAPE_Q4 : SHAPE_H8;
    mesh->elem_ptr[e + 1] = width * (e + 1);
    for (int k = 0; k < width; k++) mesh->elem_node[width * e + k] = corner[k];
  }
}

static inline void tool_sample_init(ToolSample *s, int dim, int sheet, const int n[3],
                                    const double *size) {
  memset(s, 0, sizeof *s);
  sample_mesh(&s->mesh, dim, sheet, n, size);
  s->form_type.shell = sheet;
  s->finite.form.type = &s->form_type;
  s->finite.form.spec.state = dim == 2 ? PLANE_STRAIN : STRESS_3D;
  if (!sheet) cr_assert_eq(skin_build(&s->skin[0], &s->mesh, NULL), OK);
  s->bs = (BodySet){.dim = dim,
                    .thickness = 1,
                    .n_bodies = 1,
                    .n_nodes = s->mesh.n_nodes,
                    .type = s->type,
                    .proto = s->proto,
                    .own = s->own,
                    .node_ptr = s->node_ptr,
                    .n_finite = 1,
                    .finite = &s->finite,
                    .tools = s->tool,
                    .support_skin = s->skin};
  s->type[0] = sheet ? &body_sheet : &body_finite;
  s->proto[0] = -1;
  s->node_ptr[1] = s->mesh.n_nodes;
}

// A tool made of `shape`; `free` components 1/mass.
static inline void tool_sample_add(ToolSample *s, Shape shape, double mass, int free) {
  int b = s->bs.n_bodies++, t = s->bs.n_tools++;
  s->type[b] = &body_tool;
  s->proto[b] = -1;
  s->own[b] = t;
  s->tool[t] = (Tool){.body = b, .shape = shape, .mass = mass};
  for (int i = 0; i < 3; i++) s->tool[t].free[i] = free >> i & 1;
  tool_finish(&s->tool[t], s->bs.dim);
  s->node_ptr[b + 1] = ++s->bs.n_nodes;
}

// Everything else, with one rule of friction mu between the body and all tools.
static inline void tool_sample_start(ToolSample *s, double mu, double h, double theta) {
  BodySet *bs = &s->bs;
  int dim = bs->dim, n = bs->n_nodes * dim;
  Err err = {0};
  bs->x = mem_new((size_t)n, sizeof *bs->x);
  memcpy(bs->x, s->mesh.x, sizeof *bs->x * (size_t)(s->mesh.n_nodes * dim));
  bs->mesh = mem_new((size_t)bs->n_bodies, sizeof *bs->mesh);
  for (int b = 0; b < bs->n_bodies; b++) bs->mesh[b] = b == 0 ? &s->mesh : &s->no_mesh;
  s->bodies.q = mem_new((size_t)n, sizeof(double));
  s->bodies.v = mem_new((size_t)n, sizeof(double));
  s->bodies.half = mem_new((size_t)bs->n_nodes, sizeof(double));
  s->bodies.pressed = mem_new((size_t)bs->n_nodes, sizeof(double));
  s->law = (Law){.name = "dry", .type = law_find("coulomb"), .par = {mu, (double)NAN}};
  s->cm.n_rules = 1;
  s->cm.rules = mem_new(1, sizeof *s->cm.rules);
  ContactRule *rule = s->cm.rules;
  rule->law = &s->law;
  rule->points = s->points;
  rule->self = s->self;
  rule->candidate = mem_new((size_t)bs->n_bodies, 1);
  rule->antagonist = mem_new((size_t)bs->n_bodies, 1);
  for (int b = 0; b < bs->n_bodies; b++) *(b == 0 ? &rule->candidate[b] : &rule->antagonist[b]) = 1;
  rule->antagonist[0] |= (uint8_t)s->self;
  cr_assert_eq(contact_model_finish(&s->cm, bs, s->alert, &err), OK, "%s", err.text);
  cr_assert_eq(contact_state_init(&s->state, &s->cm, bs, &err), OK);
  cr_assert_eq(contact_work_new(&s->work, &s->cm, bs, &err), OK);
  s->step = (ContactStep){.cm = &s->cm,
                          .bs = bs,
                          .bodies = &s->bodies,
                          .state = &s->state,
                          .work = s->work,
                          .size = {.h = h, .theta = theta}};
}

static inline void tool_sample_free(ToolSample *s) {
  contact_work_free(s->work);
  contact_state_free(&s->state);
  contact_model_free(&s->cm);
  for (int t = 0; t < s->bs.n_tools; t++) shape_free(&s->tool[t].shape);
  mem_free(s->bs.x);
  mem_free((void *)s->bs.mesh);
  mem_free(s->bodies.q);
  mem_free(s->bodies.v);
  mem_free(s->bodies.half);
  mem_free(s->bodies.pressed);
  skin_free(&s->skin[0]);
  mesh_free(&s->mesh);
}

static inline int tool_sample_detect(ToolSample *s) {
  Err err = {0};
  cr_assert_eq(contact_detect(&s->step, &err), OK, "%s", err.text);
  return contact_count(s->work);
}

// The contact of a node with a tool; NULL: none.
static inline const Contact *tool_sample_contact(const ToolSample *s, int node, int tool) {
  for (int c = 0; c < contact_count(s->work); c++)
    if (contact_list(s->work)[c].side[0].node[0] == node &&
        contact_list(s->work)[c].side[1].body == s->tool[tool].body)
      return &contact_list(s->work)[c];
  return NULL;
}

#endif
